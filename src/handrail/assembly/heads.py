"""What the local decision model answers with: what Handrail has, seen as typed decisions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from importlib.resources import files

from handrail.decide.local import Head, NotTrained
from handrail.decide.questions import NO, NONE_OF_THESE, YES, State
from handrail.errors import RetryableError
from handrail.models import Logit
from handrail.models.batching import Batcher
from handrail.retrieve import Retriever
from handrail.text import language
from handrail.types import Act, Claim, Classification, Draft, Evidence, Hit, Label, Passage, Question, Understood
from handrail.understand.classify import Classifier
from handrail.verify import Verifier

UNTOLD = 0.5
"""Of a claim that the verifier cannot tell about, as one in another language than its passage."""
LEVELS = ("off_topic", "related", "in_part", "answers")
FARTHEST = 30.0


def by_label(found: Classification) -> dict[str, float]:
    """Probabilities that add up to one, with the label's own: the others share the rest as they stood to each other."""
    others = {label: found.probabilities.get(label, 0.0) for label in Label if label is not found.label}
    total, rest = sum(others.values()), 1 - found.probability
    shared = {label: value / total if total > 0 else 1 / len(others) for label, value in others.items()}
    return {found.label.value: found.probability, **{label.value: rest * share for label, share in shared.items()}}


def route_head(retriever: Retriever, classifier: Classifier) -> Head:
    """Knows the five classes and gives `none_of_these` nothing. Goes by the message alone: what the articles cover it
    reads from the articles.
    """

    async def route(state: State) -> Mapping[str, float]:
        text = state["message"]
        spoken = language.of_message(text, None)
        probe = await retriever.probe(text)
        return by_label(await classifier.classify(Question(text, "", "", lang=spoken), probe))

    return route


def understanding_heads(retriever: Retriever) -> dict[str, Head]:
    """Those of `act`, `crisis`, `wants_person` and `depends_on_history`: one pass over the message answers all four.

    They read the message alone, whatever the last exchange was.
    """

    def yes_no(value: Callable[[Understood], float]) -> Head:
        async def decided(state: State) -> Mapping[str, float]:
            yes = value(await understood(state))
            return {YES: yes, NO: 1 - yes}

        return decided

    async def understood(state: State) -> Understood:
        found = (await retriever.probe(state["message"])).understood
        if found is None:
            raise RetryableError("too many messages are being processed. Try again in a moment")
        return found

    async def act(state: State) -> Mapping[str, float]:
        return {**(await understood(state)).acts, NONE_OF_THESE: 0.0}

    return {
        "act": act,
        "crisis": yes_no(lambda found: found.crisis),
        "wants_person": yes_no(lambda found: found.acts[Act.ASKS_PERSON]),
        "depends_on_history": yes_no(lambda found: found.depends),
    }


def supported_head(verifier: Verifier) -> Head:
    """The claim checked as if an answer had cited the passage."""

    async def supported(state: State) -> Mapping[str, float]:
        text = state["passage"]
        passage = Passage("state/0", "state", 0, state.get("title", ""), (), text, "", len(text.split()))
        claim = Claim(state["claim"], (passage.id,))
        question = Question("", "", "", lang=language.of_message(state["claim"], None))
        found = await verifier.verify(question, Draft((claim,), "decision"), Evidence("", (Hit(passage),)))
        score = found.draft.claims[0].score
        yes = UNTOLD if score is None else score
        return {YES: yes, NO: 1 - yes}

    return supported


def answers_head(read: Batcher[tuple[str, str], float]) -> Head:
    """From the log-odds that a text answers to four levels: each cut is where the next level becomes likelier than not.

    Rising log-odds never lower the expected level. The reader was taught two levels, not four, and the cuts were fitted
    to nothing: `handrail decisions calibrate` fits them to labelled rows.
    """
    fitted = json.loads((files("handrail.models") / "bundle" / "answers_levels.json").read_text(encoding="utf-8"))
    cuts = [float(cut) for cut in fitted["cuts"]]

    async def answers(state: State) -> Mapping[str, float]:
        (score,) = await read.submit([(state["request"], state["text"])])
        if not isinstance(score, Logit) or score.reading is None:
            raise NotTrained("answers", [])
        above = [1.0, *(_sigmoid(score.reading - cut) for cut in cuts), 0.0]
        return {level: above[place] - above[place + 1] for place, level in enumerate(LEVELS)}

    return answers


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-max(-FARTHEST, min(FARTHEST, value))))
