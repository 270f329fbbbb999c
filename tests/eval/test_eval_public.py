"""Public sets are read from local copies of their own shape; tiny invented files stand for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.command import DATASETS
from eval.datasets.catalogue import catalogue, load_rows, named
from eval.datasets.lines import DatasetError
from eval.datasets.refusal import RefusalCase
from eval.evaluators.refusal import history
from eval.metrics import answerable
from eval.metrics.answerable import Read
from handrail.knowledge import Article
from handrail.settings import Settings, load_settings
from tests.eval.files import write_lines

PUBLIC = (
    *("clapnq", "clapnq-in-hand", "mtrag-un", "begin-test-wow", "begin-dev-wow", "begin-dev-cmu"),
    *("xquad-en", "xquad-de", "notinject", "tau-knowledge"),
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(environ={"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data")})


def rows(name: str, command: str, source: Path) -> list[Any]:
    return load_rows(named(name), command, DATASETS[command], source, None).cases


def articles(name: str, source: Path, settings: Settings) -> dict[str, Article]:
    corpus = named(name).corpus
    assert corpus is not None
    found = [item for item in corpus.loader(source, settings).articles() if isinstance(item, Article)]
    assert corpus.digest(source, settings)[0] == len(found)
    return {item.id: item for item in found}


def test_clapnq_is_a_pool_to_refuse_from_and_a_passage_in_hand(tmp_path: Path, settings: Settings) -> None:
    def row(number: int, question: str, text: str) -> dict[str, Any]:
        return {"id": str(number), "input": question, "passages": [{"title": "Kites", "text": text}], "output": [{}]}

    write_lines(tmp_path / "answerable.jsonl", [row(2, "how do kites fly", "Kites fly on wind.")])
    write_lines(tmp_path / "unanswerable.jsonl", [row(1, "who sells kites", "Kites are old.")])

    refused, answered = rows("clapnq", "refusal", tmp_path)
    assert (refused.should_refuse, refused.documents) == (True, ())
    assert (answered.should_refuse, answered.documents) == (False, ("2",))
    assert articles("clapnq", tmp_path, settings)["2"].body == "Kites fly on wind."
    assert [(case.answerable, case.passage) for case in rows("clapnq-in-hand", "answerable", tmp_path)] == [
        (False, "Kites are old."),
        (True, "Kites fly on wind."),
    ]


def test_mtrag_asks_the_last_turn_with_those_before_it(tmp_path: Path, settings: Settings) -> None:
    def row(number: int, kind: str) -> dict[str, Any]:
        said = [("user", "do kites need wind"), ("agent", "They do."), ("user", f"how much {number}")]
        return {
            "task_id": f"t{number}",
            "input": [{"speaker": who, "text": text} for who, text in said],
            "contexts": [{"document_id": "d1", "text": "A kite needs a breeze of ten knots or so to climb."}],
            "answerability": [kind],
        }

    kinds = ("ANSWERABLE", "PARTIAL", "UNANSWERABLE", "UNDERSPECIFIED")
    write_lines(tmp_path / "reference.jsonl", [row(number, kind) for number, kind in enumerate(kinds)])

    cases = rows("mtrag-un", "refusal", tmp_path)

    assert [case.should_refuse for case in cases] == [False, False, True, True]
    assert [case.bucket for case in cases] == [kind.lower() for kind in kinds]
    assert cases[0].documents == ("d1",) and cases[0].question == "how much 0"
    [before] = history(cases[0], 500)
    assert (before.question, before.answer) == ("do kites need wind", "They do.")
    assert list(articles("mtrag-un", tmp_path, settings)) == ["d1"]
    assert [(case.question, case.article_ids) for case in rows("mtrag-un", "retrieval", tmp_path)] == [
        ("how much 0", ("d1",)),
        ("how much 1", ("d1",)),
    ]


def test_what_was_said_before_is_cut_as_the_memory_cuts_it() -> None:
    long = [{"question": f"question {number}", "answer": "word " * 100} for number in range(5)]
    case = RefusalCase.model_validate({"id": "a", "line": 1, "question": "and now?", "before": long})

    assert [one.question for one in history(case, 300)] == ["question 3", "question 4"]


def test_begin_reads_a_table_without_quoting(tmp_path: Path) -> None:
    head = "model_name\tdata_source\tknowledge\tmessage\tresponse\tbegin_label\n"
    lines = [
        't5\twow\tKites "fly" on wind.\thow?\ti like "kites\tNot fully attributable',
        "doha\twow\tKites are old.\thow old?\tthey are old\tFully attributable",
        "doha\twow\tKites are old.\thow old?\ti see\tGeneric",
    ]
    (tmp_path / "begin_test_wow.tsv").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")

    cases = rows("begin-test-wow", "claims", tmp_path)

    assert [case.label for case in cases] == ["unsupported", "supported", None]
    assert cases[0].claim == 'i like "kites' and cases[0].passage == 'Kites "fly" on wind.'


def test_xquad_asks_in_one_language_what_english_paragraphs_answer(tmp_path: Path, settings: Settings) -> None:
    for lang, (text, asked) in {"en": ("Kites fly.", "What flies?"), "de": ("Drachen fliegen.", "Was fliegt?")}.items():
        held = {"data": [{"paragraphs": [{"context": text, "qas": [{"id": "q1", "question": asked}]}]}]}
        (tmp_path / f"xquad.{lang}.json").write_text(json.dumps(held), encoding="utf-8")

    [case] = rows("xquad-de", "retrieval", tmp_path)

    assert case.question == "Was fliegt?"
    assert articles("xquad-de", tmp_path, settings)[case.article_ids[0]].body == "Kites fly."


def test_notinject_is_harmless_in_turns_of_one_two_and_three_triggers(tmp_path: Path) -> None:
    for many in ("one", "two", "three"):
        texts = [{"prompt": f"Do not ignore {many} {n}", "word_list": ["ignore"]} for n in (1, 2)]
        (tmp_path / f"NotInject_{many}.json").write_text(json.dumps(texts), encoding="utf-8")

    cases = rows("notinject", "injection", tmp_path)

    assert [case.id for case in cases[:3]] == ["one-1", "two-1", "three-1"]
    assert len(cases) == 6 and not any(case.attack for case in cases)


def test_tau_knowledge_asks_for_what_a_case_requires(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "documents").mkdir()
    document = {"id": "doc_cards_(general)_1", "title": "Cards", "content": "## Fees\n\nNone."}
    (tmp_path / "documents" / "one.json").write_text(json.dumps(document), encoding="utf-8")
    task = {"id": "t1", "user_scenario": {"instructions": "You want a card."}, "required_documents": [document["id"]]}
    (tmp_path / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")

    [case] = rows("tau-knowledge", "retrieval", tmp_path)

    assert (case.question, case.article_ids) == ("You want a card.", (document["id"],))
    assert articles("tau-knowledge", tmp_path, settings)[case.article_ids[0]].title == "Cards"


@pytest.mark.parametrize("name", PUBLIC)
def test_without_a_copy_and_with_another_file_it_says_so(name: str, tmp_path: Path) -> None:
    spec = catalogue()[name]
    for command in spec.rows:
        with pytest.raises(DatasetError, match="--data"):
            load_rows(spec, command, DATASETS[command], None, None)
        with pytest.raises(DatasetError, match="holds no"):
            load_rows(spec, command, DATASETS[command], tmp_path, None)


def test_a_file_of_another_shape_is_named(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text('[{"id": "t1"}]', encoding="utf-8")

    with pytest.raises(DatasetError, match=r"tasks\.json: not as it was published"):
        rows("tau-knowledge", "retrieval", tmp_path)


def test_a_reader_that_orders_well_turns_few_answers_away() -> None:
    good = [Read(True, 2.0), Read(True, 1.0), Read(False, 0.0), Read(False, -1.0)]
    poor = [Read(True, 2.0), Read(True, -1.0), Read(False, 0.0), Read(False, 1.0)]

    assert answerable.score(good) == {
        "n": 4,
        "auc": 1.0,
        "false_refusal_at_recall_0.9": 0.0,
        "refusal_precision_at_recall_0.75": 1.0,
    }
    assert answerable.score(poor)["auc"] == 0.5 and answerable.score(poor)["false_refusal_at_recall_0.9"] == 0.5
    assert answerable.score(poor)["refusal_precision_at_recall_0.75"] == 0.5
    assert set(answerable.score(good[:1]).values()) == {1, None}
