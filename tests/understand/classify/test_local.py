"""The head that ships, over the sample help centre and with the real embedder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from handrail.assembly import Parts, build_parts
from handrail.errors import SettingsError
from handrail.models.embedding import Embedding
from handrail.retrieve.topic import TopicProbe
from handrail.settings import Models
from handrail.text.courtesies import without_courtesies
from handrail.text.sentences import parts
from handrail.types import Classification, Label, Probe
from handrail.understand.classify.head import Head, load_head
from handrail.understand.classify.local import LocalClassifier
from handrail.understand.classify.verdict import Verdict
from tests.sample import sample_settings
from tests.stages import ask

EMBEDDER = Models().embedder
NOWHERE = Probe(np.zeros(384, dtype=np.float32))


@pytest.fixture(scope="module")
def head() -> Head:
    return load_head(None, EMBEDDER)


def by_ear(head: Head) -> Head:
    """Judging by what the encoder hears of the whole alone."""
    labels, fitted = len(head.labels), head.verdicts[3]
    weights = np.zeros_like(fitted.weights)
    weights[2 * labels : 3 * labels] = np.eye(labels)
    plain = Verdict(np.zeros_like(fitted.means), np.ones_like(fitted.scales), weights, np.zeros_like(fitted.bias))
    return replace(head, verdicts={**head.verdicts, 3: plain})


@pytest.fixture(scope="module")
def built(sample_index: Path) -> Iterator[Parts]:
    built = build_parts(sample_settings(sample_index, MODELS__RERANKER="none"))
    yield built
    built.close()


class Classify:
    def __init__(self, built: Parts, head: Head) -> None:
        self._parts = built
        self._head = head
        self._topic = TopicProbe(built.snapshot, built.covers)

    async def __call__(self, text: str, static_above: float = 0.6) -> Classification:
        probe = await self._probe(text)
        probe = replace(probe, parts={part: await self._probe(part) for part in parts(without_courtesies(text))})
        return await LocalClassifier(self._head, static_above).classify(ask(text), probe)

    async def probabilities(self, text: str) -> tuple[dict[Label, float], dict[Label, float]]:
        """With its sentences, and of the whole alone."""
        probe, local = await self._probe(text), LocalClassifier(self._head, 0.6)
        each = {part: await self._probe(part) for part in parts(without_courtesies(text))}
        return local.probabilities(text, replace(probe, parts=each)), local.probabilities(text, probe)

    async def _probe(self, text: str) -> Probe:
        text = without_courtesies(text)
        assert self._parts.message_scorer is not None
        embedding = (await self._parts.embed.submit([text]))[0]
        return Probe(
            embedding,
            self._topic.features(text, embedding),
            (await self._parts.message_scorer.submit([text]))[0].labels,
        )


@pytest.fixture
def classify(built: Parts, head: Head) -> Classify:
    return Classify(built, head)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("How do I connect a domain I already own?", Label.ANSWERABLE),
        ("whats the fee for card payments", Label.ANSWERABLE),
        ("I want to cancel my plan right now", Label.HIGH_STAKES),
        ("Somebody hacked into my account and changed the password", Label.HIGH_STAKES),
        ("What is the status of order 4711?", Label.OUT_OF_SCOPE),
        ("What will the weather be like tomorrow?", Label.IRRELEVANT),
        ("weather tomorrow?", Label.IRRELEVANT),
        ("Who won the football world cup?", Label.IRRELEVANT),
        ("asdkjh qwoeiu zxmcnb", Label.NONSENSE),
    ],
)
@pytest.mark.anyio
@pytest.mark.models
async def test_a_clear_message_is_what_it_looks_like(classify: Classify, text: str, label: Label) -> None:
    result = await classify(text)

    assert result.label is label
    assert result.by == "local"
    assert result.probability > 0.6
    assert sum(result.probabilities.values()) == pytest.approx(1.0, abs=1e-4)
    assert set(result.probabilities) == set(Label)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("domain", Label.ANSWERABLE),
        ("Invoice", Label.ANSWERABLE),
        ("sms?", Label.ANSWERABLE),
        ("calendar", Label.ANSWERABLE),
        ("plan plan", Label.NONSENSE),
        ("purple", Label.NONSENSE),
        ("invoice lkjh", Label.NONSENSE),
    ],
)
@pytest.mark.anyio
@pytest.mark.models
async def test_a_word_of_the_articles_alone_is_a_question_about_it(classify: Classify, text: str, label: Label) -> None:
    assert (await classify(text)).label is label


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (
            "So I run a small bakery and my sister set this up last year. How do I connect a domain I own?",
            Label.ANSWERABLE,
        ),
        ("How do I refund a customer? My boss is breathing down my neck, so the sooner the better.", Label.ANSWERABLE),
        ("Third coffee and still none the wiser. I want to cancel my plan.", Label.HIGH_STAKES),
        ("Where do I find my invoices? And please cancel my plan, I want my money back.", Label.HIGH_STAKES),
        ("Just got off the ferry. What will the weather be like tomorrow?", Label.IRRELEVANT),
    ],
)
@pytest.mark.anyio
@pytest.mark.models
async def test_what_stands_around_a_request_does_not_decide(classify: Classify, text: str, label: Label) -> None:
    assert (await classify(text)).label is label


@pytest.mark.anyio
@pytest.mark.models
async def test_what_the_whole_tells_of_high_stakes_is_not_lost_in_its_sentences(classify: Classify) -> None:
    text = "We sat with the bill at my desk. Your company has taken the money twice this month! Which card is stored?"
    together, alone = await classify.probabilities(text)

    assert max(together, key=together.__getitem__) is max(alone, key=alone.__getitem__) is Label.HIGH_STAKES
    assert sum(together.values()) == pytest.approx(1.0)
    assert together != alone


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Do you also sell invoice paper? A stranger has been in my account and paid out 300 to himself.", True),
        ("What is the best time for a booking page? Your reminder gave my address to another customer.", True),
        ("The payment failed three times, what does error 402 mean? I'm going mad.", False),
        ("How do I change the logo? The dog ate the old sign.", False),
    ],
)
@pytest.mark.anyio
@pytest.mark.models
async def test_a_sentence_alone_makes_a_question_one_for_a_person(classify: Classify, text: str, label: bool) -> None:
    assert ((await classify(text)).label is Label.HIGH_STAKES) is label


@pytest.mark.anyio
@pytest.mark.models
async def test_in_doubt_a_message_is_a_question(classify: Classify) -> None:
    sure = await classify("What will the weather be like tomorrow?")

    doubtful = await classify("What will the weather be like tomorrow?", static_above=sure.probability + 0.001)

    assert sure.label is Label.IRRELEVANT
    assert doubtful.label in (Label.ANSWERABLE, Label.HIGH_STAKES)
    assert doubtful.probability == doubtful.probabilities[doubtful.label]


@pytest.mark.parametrize(
    "text",
    ["How do I refund a customer? " * 360, "كيف أربط نطاقي؟", "‮abc‬", "ドメインを接続するには？", "a", "é̂̃" * 300],
    ids=["10,000 characters", "Arabic", "bidi override", "Japanese", "one letter", "combining marks"],
)
@pytest.mark.anyio
@pytest.mark.models
async def test_odd_texts_get_a_label_in_good_time(classify: Classify, text: str) -> None:
    start = time.process_time()

    result = await classify(text)

    assert time.process_time() - start < 5
    assert 0 < result.probability <= 1
    assert all(np.isfinite(value) for value in result.probabilities.values())


@pytest.mark.parametrize("text", ["?!", "😀😀😀", "12345", "...", "٣٤"])
@pytest.mark.anyio
async def test_a_message_without_a_letter_is_nonsense_by_rule(head: Head, text: str) -> None:
    result = await LocalClassifier(head, 0.6).classify(ask(text), NOWHERE)

    assert (result.label, result.by) == (Label.NONSENSE, "rule")
    assert result.probability > 0.9


@pytest.mark.anyio
async def test_sentences_are_only_looked_at_where_the_head_has_to_judge(head: Head) -> None:
    asked: list[str] = []

    async def sentences(text: str) -> dict[str, Probe]:
        asked.append(text)
        return {}

    classifier = LocalClassifier(head, 0.6, sentences=sentences)

    await classifier.classify(ask("12. ?!"), NOWHERE)
    assert not asked

    await classifier.classify(ask("I run a bakery. How do I pay?"), replace(NOWHERE, parts={"How do I pay?": NOWHERE}))
    assert not asked

    await classifier.classify(ask("I run a bakery. How do I pay?"), NOWHERE)
    assert asked == ["I run a bakery. How do I pay?"]


@pytest.mark.anyio
async def test_an_embedding_without_states_is_judged_by_the_rest(head: Head) -> None:
    shown = Probe(Embedding(NOWHERE.embedding, head.state_means.astype(np.float16)))

    classifier = LocalClassifier(head, 0.0)
    with_means = await classifier.classify(ask("how do I pay"), shown)
    without = await classifier.classify(ask("how do I pay"), NOWHERE)

    assert with_means.probabilities == pytest.approx(without.probabilities, abs=1e-5)


@pytest.mark.anyio
async def test_what_an_encoder_hears_counts_beside_the_head(head: Head) -> None:
    classifier, loud = LocalClassifier(head, 0.0), 14.0 * np.eye(len(head.labels), dtype=np.float32)

    label_scores = [
        (await classifier.classify(ask("how do I pay"), replace(NOWHERE, label_scores=one))).label for one in loud
    ]
    unheard = await classifier.classify(ask("how do I pay"), NOWHERE)

    assert label_scores == list(head.labels)
    assert max(unheard.probabilities.values()) < 0.9


@pytest.mark.anyio
async def test_sentences_that_were_not_heard_are_judged_by_who_judged_all(head: Head) -> None:
    """What hears is left out where it has too much to do, and it is asked about the whole first."""
    classifier, text = LocalClassifier(head, 0.0), "I run a bakery. How do I pay?"
    sentences = {"I run a bakery.": NOWHERE, "How do I pay?": NOWHERE}
    label_scores = np.zeros(len(head.labels), dtype=np.float32)

    found = await classifier.classify(ask(text), replace(NOWHERE, label_scores=label_scores, parts=sentences))
    unheard = await classifier.classify(ask(text), replace(NOWHERE, parts=sentences))

    assert found.probabilities == unheard.probabilities


@pytest.mark.anyio
async def test_who_cancels_what_the_articles_sell_is_not_turned_away(head: Head) -> None:
    near = Probe(NOWHERE.embedding, {"passage_top": 0.75})
    said = {Label.IRRELEVANT: 2.0, Label.HIGH_STAKES: 1.0}
    label_scores = np.asarray([said.get(label, 0.0) for label in head.labels], dtype=np.float32)
    classifier = LocalClassifier(by_ear(head), 0.4, "Voltbarn", knows=lambda word: word == "electricity")

    async def label(text: str, probe: Probe = near) -> Label:
        return (await classifier.classify(ask(text), replace(probe, label_scores=label_scores))).label

    assert await label("cancel my electricity contract") is Label.HIGH_STAKES
    assert await label("cancel my Voltbarn electricity contract") is Label.HIGH_STAKES
    assert await label("cancel my gym contract") is Label.IRRELEVANT
    assert await label("cancel my contract") is Label.IRRELEVANT
    assert await label("cancel my vodafone electricity contract") is Label.IRRELEVANT
    assert await label("cancel my electricity contract", NOWHERE) is Label.IRRELEVANT


@pytest.mark.anyio
async def test_what_burns_and_is_sold_here_is_for_a_person(head: Head) -> None:
    near = Probe(NOWHERE.embedding, {"passage_top": 0.65})
    label_scores = np.asarray([4.0 * (label is Label.IRRELEVANT) for label in head.labels], dtype=np.float32)
    classifier = LocalClassifier(by_ear(head), 0.4, knows={"smart", "meter", "meters"}.__contains__)

    async def label(text: str) -> Label:
        return (await classifier.classify(ask(text), replace(near, label_scores=label_scores))).label

    assert await label("my smart meter caught fire") is Label.HIGH_STAKES
    assert await label("the meter gave me a shock") is Label.HIGH_STAKES
    assert await label("there is smoke coming out of my meter") is Label.HIGH_STAKES
    assert await label("my toaster caught fire") is Label.IRRELEVANT
    assert await label("something is on fire") is Label.IRRELEVANT
    assert await label("how do smart meters work") is Label.IRRELEVANT


@pytest.mark.anyio
async def test_a_bare_number_that_the_articles_use_is_asked_about(head: Head) -> None:
    used, unused = Probe(NOWHERE.embedding, {"known": 1.0}), Probe(NOWHERE.embedding, {"known": 0.0})
    classifier = LocalClassifier(head, 0.5)

    assert (await classifier.classify(ask("4009?"), used)).label is Label.ANSWERABLE
    assert (await classifier.classify(ask("4009?"), unused)).label is Label.NONSENSE
    assert (await classifier.classify(ask("12"), used)).label is Label.NONSENSE


def test_a_head_of_another_embedder_is_refused_with_advice() -> None:
    with pytest.raises(SettingsError) as caught:
        load_head(None, "st:other-model")

    assert "trained with" in str(caught.value)
    assert "not st:other-model" in str(caught.value)
    assert "python -m training.classifier.train" in str(caught.value)
    assert 'classify.mode = "llm"' in str(caught.value)


def test_a_file_that_is_no_head_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "head.npz"
    path.write_bytes(b"not an archive")

    with pytest.raises(SettingsError, match=r"classify\.head: .*head\.npz is not a classifier head"):
        load_head(path, EMBEDDER)
    with pytest.raises(SettingsError, match=r"none\.npz"):
        load_head(tmp_path / "none.npz", EMBEDDER)


def test_a_head_that_lacks_a_part_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "head.npz"
    np.savez(path, labels=np.array(["answerable"]))

    with pytest.raises(SettingsError, match="not a classifier head"):
        load_head(path, EMBEDDER)


def test_a_head_that_was_only_trained_says_how_to_fit_its_verdicts(tmp_path: Path) -> None:
    path = tmp_path / "head.npz"
    with np.load(str(files("handrail.models") / "bundle" / "head.npz")) as shipped:
        np.savez(path, **{name: shipped[name] for name in shipped if not name.startswith("verdict")})

    with pytest.raises(SettingsError, match=r"python -m training\.classifier\.verdict --head .*head\.npz"):
        load_head(path, EMBEDDER)
    assert load_head(path, EMBEDDER, judged=False).verdicts == {}


@pytest.mark.anyio
@pytest.mark.models
@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (
            "Hi, my name is Anna and I run a flower shop. How do I refund a customer? Thanks",
            "How do I refund a customer?",
        ),
        ("Hi, this is Anna from Hamburg. How do I refund a customer? Thanks, Anna", None),
        ("We are a team of four in Porto. The calendar is empty. Why?", "The calendar is empty. Why?"),
        ("Her card gets refused in my shop. Where do I see why?", None),
        ("How do I refund a customer?", None),
        ("This is Anna from Hamburg. Great weather here today.", None),
    ],
)
async def test_what_is_searched_for_leaves_out_sentences_that_ask_for_nothing(
    classify: Classify, text: str, asks: str | None
) -> None:
    assert (await classify(text)).asks == asks
