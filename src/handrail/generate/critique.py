"""Self-critique without a model of language: does what is quoted fit what was asked?"""

from __future__ import annotations

from handrail.calibration import Calibration, fitting, probability
from handrail.settings import Generate
from handrail.stores.tokens import coverage
from handrail.types import Critique, Draft, Evidence, Question, Verdict


def fit_signals(draft: Draft, evidence: Evidence) -> dict[str, float]:
    """Signals of an answer: those of its evidence, of its best unit, and how much of the question its words cover."""
    given = {id_: hit.passage for id_, hit in evidence.given.items()}
    cited = dict.fromkeys(passage_id for claim in draft.claims for passage_id in claim.passage_ids)
    headings = " ".join(" ".join((given[i].title, *given[i].headings)) for i in cited if i in given)
    text = " ".join(claim.text for claim in draft.claims)
    first = draft.claims[0].text if draft.claims else ""
    return {
        **evidence.signals,
        **draft.signals,
        "coverage_answer": coverage(evidence.query, f"{headings} {text}", {}, 1.0),
        "coverage_first": coverage(evidence.query, first, {}, 1.0),
    }


class LocalCritic:
    """A logistic regression on those signals; two thresholds make three verdicts.

    A threshold that was fitted to the knowledge base takes the place of the settings' own. `across` is for messages in
    another language than the articles, of whose answers no model of English can judge.
    """

    def __init__(self, calibration: Calibration, settings: Generate, across: Calibration | None = None) -> None:
        self._calibration, self._across = calibration, across
        self._settings = settings
        self._partly = settings.critique_partly if calibration.threshold is None else calibration.threshold

    async def critique(self, question: Question, draft: Draft, evidence: Evidence) -> Critique:
        signals = fit_signals(draft, evidence)
        right = probability(fitting(self._calibration, self._across, signals), signals)
        if right < self._partly:
            return Critique(Verdict.CANNOT, right)
        return Critique(Verdict.PARTLY if right < self._settings.critique_fully else Verdict.FULLY, right)
