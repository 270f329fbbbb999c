"""Several networks that read one pair: which of them do, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray

from handrail.assembly.models import QUERY_TOKENS, build_readers, entailing
from handrail.models import Logit
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.readers import CLEAR, EXPECTED, EXPECTED_OF_CLAIMS, OPEN
from handrail.models.taught import (
    CLAIM_TOKENS,
    CLAIMS,
    LOGIT,
    MAX_TOKENS,
    QUESTIONS,
    QUESTIONS_AGAIN,
    OnnxTaught,
    load_taught,
)
from handrail.settings import Settings, load_settings

PASSAGE = (
    "The pump may run for six hours a day. Let it rest for at least one hour before you start it again. "
    "It must not be used for salt water. Owners of the Plus set get a second hose for nothing."
)
GARDEN = "Garden\nRoses are cut in March, before they come into leaf."
HOURS = "Opening hours\nWe are open from nine to five."
QUESTION = "how many hours a day may the pump run"
pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings()


def without_the_embedder(settings: Settings) -> Settings:
    return settings.model_copy(update={"models": settings.models.model_copy(update={"embedder": "st:any"})})


def test_a_passage_left_open_is_read_by_both(settings: Settings) -> None:
    pairs = [(QUESTION, f"Pump\n{PASSAGE}"), (QUESTION, HOURS), (QUESTION, GARDEN), ("when are roses cut", GARDEN)]
    readers, first_alone = build_readers(settings), build_readers(without_the_embedder(settings))
    assert readers is not None and first_alone is not None
    limits = settings.models.rerank_max_tokens, QUERY_TOKENS
    one, other = (said_by(file, settings, pairs, *limits) for file in (QUESTIONS, QUESTIONS_AGAIN))
    plain = [LOGIT * float(found[0]) for found in one]
    alone = [float(found[1]) for found in one]
    mean = [float(found[1] + again[1]) / 2 for found, again in zip(one, other, strict=True)]
    slope, intercept = EXPECTED
    expected = [(found + slope * found + intercept) / 2 for found in alone]

    assert alone[0] - OPEN > max(alone[1:3])
    assert values(readers.passages(pairs)) == pytest.approx(np.array([plain, [mean[0], *expected[1:3], mean[3]]]))
    assert values(readers.passages(pairs[1:2])) == pytest.approx(np.array([plain[1:2], mean[1:2]]))
    assert values(readers.quotes(pairs)) == pytest.approx(np.array([plain, alone]))
    assert values(first_alone.passages(pairs)) == pytest.approx(np.array([plain, alone]))
    assert list(readers.passages([])) == []


def test_only_a_claim_that_is_clearly_not_stated_is_read_by_one(settings: Settings) -> None:
    pairs = [
        ("Roses are cut in March.", PASSAGE),
        ("It rests for an hour.", PASSAGE),
        ("It may pump salt water.", PASSAGE),
        ("It may run six hours a day.", PASSAGE),
    ]
    said = {
        file: [float(found[0]) for found in said_by(file, settings, pairs, MAX_TOKENS, CLAIM_TOKENS)] for file in CLAIMS
    }
    first, *others = (np.array(said[file]) for file in CLAIMS)
    slope, intercept = EXPECTED_OF_CLAIMS
    mean = np.mean([first, *others], axis=0)
    expected = (first + 2 * (slope * first + intercept)) / 3
    clear = first <= -CLEAR

    found = list(entailing(settings, unused)(pairs))

    assert clear.any() and not clear.all() and first[3] > CLEAR
    assert found == pytest.approx(np.where(clear, expected, mean))


def test_networks_of_another_embedder_are_left_out(settings: Settings) -> None:
    pairs = [("It rests for an hour.", PASSAGE), ("It may run six hours a day.", PASSAGE)]
    of_the_reranker = [file for file in CLAIMS if load_taught(file).model == settings.models.reranker]
    said = [said_by(file, settings, pairs, MAX_TOKENS, CLAIM_TOKENS) for file in of_the_reranker]

    found = list(entailing(without_the_embedder(settings), unused)(pairs))

    assert 1 < len(of_the_reranker) < len(CLAIMS)
    assert found == pytest.approx(np.mean(said, axis=0)[:, 0])


def unused(pairs: Sequence[tuple[str, str]]) -> list[float]:
    raise AssertionError("what was taught is not in use")


def said_by(
    file: str, settings: Settings, pairs: Sequence[tuple[str, str]], most: int, first: int
) -> list[NDArray[np.float32]]:
    """What the network of that file alone makes of the pairs."""
    taught, models = load_taught(file), settings.models
    kind = "embedder" if taught.model == models.embedder else "reranker"
    folder = locate(find(taught.model, kind), models.folder)
    return OnnxTaught(folder, taught, threads=models.threads, max_tokens=most, first_tokens=first).read(pairs)


def values(found: object) -> NDArray[np.float64]:
    """`(2, pairs)`: logits, then readings."""
    read = cast("list[Logit]", list(cast("Sequence[float]", found)))
    return np.array([[float(logit) for logit in read], [logit.reading for logit in read]], dtype=np.float64)
