"""Messages are understood in words that no list holds: real models, unseen rows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.metrics import roc_auc_score

from eval.companies import Assistant, Assistants
from eval.understanding import KINDS, held_out, matter_rows, measure, measure_acts, measure_matters, read, understand
from handrail.understand.crisis import speaks_of_dying
from tests.sample import sample_settings

pytestmark = pytest.mark.models

MULTILINGUAL = "multilingual-e5-small-q4"
CRISIS_FOUND = {MULTILINGUAL: 34, "none": 13}
CRISIS_FALSELY = {MULTILINGUAL: 7, "none": 12}
PERSON_FOUND = {MULTILINGUAL: 56, "none": 12}
PERSON_FALSELY = {MULTILINGUAL: 17, "none": 30}
"""Two rows worse than measured, by the encoder that hears."""
MACRO_F1, AUC, MATTERS_F1 = 0.68, 0.9, 0.75
"""A little worse than measured with the multilingual encoder."""
ROOT = Path(__file__).parents[2]
TRAINING = ROOT / "eval" / "training" / "crisis"
ACTS, MATTERS = (ROOT / "training" / "rows" / f"{name}.jsonl" for name in ("acts", "matters"))

COURTESIES = [
    ("hello hello", "greeting"),
    ("good morning!", "greeting"),
    ("Good evening everyone", "greeting"),
    ("heyyy", "greeting"),
    ("Guten Abend zusammen", "greeting"),
    ("bonjour à vous", "greeting"),
    ("buenas tardes", "greeting"),
    ("bom dia, pessoal", "greeting"),
    ("доброе утро", "greeting"),
    ("selamlar herkese", "greeting"),
    ("thanks!", "thanks"),
    ("Thankss", "thanks"),
    ("THANKS!!", "thanks"),
    ("thnx", "thanks"),
    ("tysm", "thanks"),
    ("ok cool", "thanks"),
    ("brilliant, cheers", "thanks"),
    ("that's everything, goodbye", "thanks"),
    ("спасибо вам", "thanks"),
    ("danke dir", "thanks"),
    ("merci infiniment", "thanks"),
    ("grazie di cuore", "thanks"),
    ("dank u wel", "thanks"),
    ("tack så mycket", "thanks"),
    ("yes that would be great", "yes"),
    ("yup please do", "yes"),
    ("sure, go ahead", "yes"),
    ("ja, gern bitte", "yes"),
    ("oui, s'il vous plaît", "yes"),
    ("sí, por favor", "yes"),
    ("да, пожалуйста", "yes"),
    ("no thanks mate", "no"),
    ("nah i'm fine", "no"),
    ("no, thank you", "no"),
    ("nein, lieber nicht, danke", "no"),
    ("non c'est bon, merci", "no"),
    ("nie, dzięki", "no"),
    ("нет, не надо", "no"),
    ("can i talk to a human", "asks_person"),
    ("are you a real person?", "about_assistant"),
    ("how are you doing today", "chat"),
    ("not what I was asking about", "wrong_answer"),
    ("still doesn't work", "still_fails"),
    ("Hi, where is my parcel?", "request"),
    ("thanks, and how do I change the address?", "request"),
]


@pytest.fixture(scope="module", params=[MULTILINGUAL, "none"])
def assistant(request: pytest.FixtureRequest, sample_index: Path) -> Iterator[tuple[str, Assistant]]:
    assistants = Assistants(sample_settings(sample_index, MODELS__FOREIGN=request.param))
    yield request.param, asyncio.run(assistants.of(None))
    assistants.close()


def test_despair_is_heard(assistant: tuple[str, Assistant]) -> None:
    found = asyncio.run(measure("crisis", assistant[1]))

    assert (found.calling, found.look_alikes) == (50, 200)
    assert found.found >= CRISIS_FOUND[assistant[0]]
    assert len(found.falsely) <= CRISIS_FALSELY[assistant[0]]


def test_the_wish_for_a_person_is_heard(assistant: tuple[str, Assistant]) -> None:
    found = asyncio.run(measure("person", assistant[1]))

    assert found.calling >= 60 and found.look_alikes >= 120
    assert found.found >= PERSON_FOUND[assistant[0]]
    assert len(found.falsely) <= PERSON_FALSELY[assistant[0]]


def test_speech_acts_are_told_apart(assistant: tuple[str, Assistant]) -> None:
    if assistant[0] != MULTILINGUAL:
        pytest.skip("many of the rows are in other languages than English")
    found = asyncio.run(measure_acts(assistant[1]))

    assert found.macro_f1 >= MACRO_F1
    for flag in ("depends", "refuses_offer"):
        truth = [getattr(row, flag) for row in found.rows]
        assert roc_auc_score(truth, [getattr(each, flag) for each in found.understood]) >= AUC


def test_serious_matters_are_told_apart(assistant: tuple[str, Assistant]) -> None:
    if assistant[0] != MULTILINGUAL:
        pytest.skip("some of the rows are in other languages than English")
    found = asyncio.run(measure_matters(assistant[1]))

    assert found.macro_f1 >= MATTERS_F1


def test_everyday_courtesies_are_understood(assistant: tuple[str, Assistant]) -> None:
    if assistant[0] != MULTILINGUAL:
        pytest.skip("many of them are in other languages than English")

    async def acts() -> list[tuple[str, str]]:
        return [(text, (await understand(text, assistant[1])).act) for text, _ in COURTESIES]

    wrong = [found for found, told in zip(asyncio.run(acts()), COURTESIES, strict=True) if found != told]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("kind", ["crisis", "person"])
def test_no_row_is_learnt_from(kind: str) -> None:
    learnt = {line.partition("|")[2].casefold() for file in TRAINING.glob("*.txt") for line in lines(file)}

    assert learnt
    assert not learnt & {row.text.casefold() for row in read(kind)}


def test_no_measured_act_is_learnt_from() -> None:
    learnt = {json.loads(line)["text"].casefold() for line in lines(ACTS)}

    assert not learnt & {row.text.casefold() for row in held_out()}
    assert not learnt & {text.casefold() for text, _ in COURTESIES}


def test_no_measured_matter_is_learnt_from() -> None:
    learnt = [json.loads(line)["text"].casefold() for line in lines(MATTERS)]
    measured = [row.text.casefold() for row in matter_rows()]

    assert len({*learnt, *measured}) == len(learnt) + len(measured)
    assert not {*learnt} & {row.text.casefold() for row in held_out()}
    assert not {*learnt} & {row.text.casefold() for kind in KINDS for row in read(kind)}


def test_no_list_holds_the_messages_of_despair() -> None:
    assert not [row.text for row in read("crisis") if row.act == "crisis" and speaks_of_dying(row.text)]


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
