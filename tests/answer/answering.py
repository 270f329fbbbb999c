"""The extractive answerer over a cross-encoder whose logits a test chooses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.answer.extractive import ExtractiveAnswerer
from handrail.answer.policy import Policy
from handrail.local_models.batching import Batcher
from handrail.settings import Generate
from handrail.types import Classification, Draft, Evidence, Exchange, Label
from tests.stages import WORDING, ask

Scorer = Batcher[tuple[str, str], float]


async def answer(
    scorer: Scorer,
    given: Evidence,
    label: Label = Label.ANSWERABLE,
    policy: Policy | None = None,
    history: Sequence[Exchange] = (),
    **settings: int,
) -> Draft:
    answerer = ExtractiveAnswerer(scorer, Generate.model_validate(settings), WORDING, policy)
    return await answerer.answer(ask(given.query, history=history), Classification(label, 0.9, "local"), given)


def texts(draft: Draft) -> list[str]:
    return [claim.text for claim in draft.claims]


def scorer_of(logits: Mapping[str, float]) -> Scorer:
    """A cross-encoder that gives the logit of the first of the words that a text holds."""
    return Batcher(
        "rerank", lambda pairs: [next(logits[word] for word in logits if word in text) for _, text in pairs], 64, 512
    )
