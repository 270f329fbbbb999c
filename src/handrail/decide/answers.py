"""Between the protocol's answers and plain probabilities by option.

Only probabilities travel. `confidence` is computed here because the protocol has the field; it is never read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pydantic_ai.models.decision import (
    ChoiceAnswer,
    ChoiceQuestion,
    DecisionAnswer,
    DecisionQuestion,
    NoulAnswer,
    ScoreAnswer,
    ScoreQuestion,
)

from handrail.decide.questions import NO, YES, Decision, Probabilities


def probabilities_of(decision: Decision, answer: DecisionAnswer) -> dict[str, float]:
    """By option, adding up to one. Raises ValueError for an answer of another kind, or of no weight."""
    if isinstance(answer, NoulAnswer) and decision.kind == "yes_no":
        return normalised({YES: answer.noul, NO: 1 - answer.noul}, decision)
    if isinstance(answer, ChoiceAnswer) and decision.kind == "choice":
        return normalised(answer.probabilities, decision)
    if isinstance(answer, ScoreAnswer) and decision.kind == "score":
        by_level = {label: answer.probabilities.get(level, 0.0) for level, label in enumerate(decision.options)}
        return normalised(by_level, decision)
    raise ValueError(f"the decision {decision.name!r} is a {decision.kind}, but the answer is a {answer.type}")


def normalised(found: Mapping[str, float], decision: Decision) -> dict[str, float]:
    """In the order of the decision's options; options that nothing is said of have none."""
    values = [max(0.0, found.get(label, 0.0)) for label in decision.options]
    total = sum(values)
    if not math.isfinite(total) or total <= 0:
        raise ValueError(f"the probabilities of {decision.name!r} add up to {total}")
    return {label: value / total for label, value in zip(decision.options, values, strict=True)}


def answer_to(question: DecisionQuestion, decision: Decision, found: Probabilities) -> DecisionAnswer:
    """What the protocol says for these probabilities; of equally likely options the first by name is chosen."""
    if isinstance(question, ChoiceQuestion):
        shown = {label: found[label] for label in question.criteria}
        choice = min(shown, key=lambda label: (-shown[label], label))
        return ChoiceAnswer(choice=choice, confidence=above_chance(list(shown.values())), probabilities=shown)
    if isinstance(question, ScoreQuestion):
        levels = [found[label] for label in decision.options]
        return ScoreAnswer(
            score=sum(level * value for level, value in enumerate(levels)),
            confidence=above_chance(levels),
            probabilities=dict(enumerate(levels)),
            legend=dict(enumerate(question.criteria)),
        )
    return NoulAnswer(noul=found[YES])


def above_chance(values: Sequence[float]) -> float:
    """How far the likeliest of several stands above chance, from 0 to 1."""
    share = 1 / len(values)
    return min(1.0, max(0.0, (max(values) - share) / (1 - share)))
