"""What a message asks for and does, with probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from handrail.types.conversation import Wordings
from handrail.types.labels import Label

Vectors = NDArray[np.float32]
"""`(n, d)` or `(d,)` float32, L2-normalised."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a message does in the conversation and what it calls for, as probabilities, whatever its label is.

    `refuses_offer` and `crisis` are shifted in fitting so that 0.5 is the point at which to act.
    """

    acts: Mapping[str, float]
    """By speech act: `request`, `greeting`, `thanks`, `yes`, `no`, `asks_person`, `about_assistant`, `chat`,
    `wrong_answer`, `still_fails`. They add up to 1."""
    depends: float
    """It cannot be understood without what was said before."""
    refuses_offer: float
    """Its writer wants no offer to stay."""
    crisis: float
    """Its writer is in despair and needs help."""
    matters: Mapping[str, float] = field(default_factory=dict)
    """By the kind of matter that it would be if it were serious, such as `charge`, or `other`. They add up to 1."""

    @property
    def act(self) -> str:
        """The likeliest."""
        return max(self.acts, key=lambda act: self.acts[act])


@dataclass(frozen=True, slots=True)
class MessageScores:
    """What an encoder that was taught to hear messages says of one."""

    labels: Vectors
    """`(labels,)`, not calibrated."""
    understood: Understood | None = None
    """None where nothing was fitted to the encoder."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A message as the encoders read it, before anything is looked up."""

    embedding: Vectors
    label_scores: Vectors | None = None
    foreign: Vectors | None = None
    """`(labels,)` logits: of the encoder of English, and of that of any language; None where it did not read it."""
    abroad: bool = False
    """Whether it is surely not in English."""
    understood: Understood | None = None
    """Of the message as it was written; None where nothing hears it."""


@dataclass(frozen=True, slots=True)
class Classification:
    """A label with its calibrated probability and who decided."""

    label: Label
    probability: float
    by: str
    """`local`, `llm`, `decision` (a decision model), or `rule`."""
    probabilities: Mapping[Label, float] = field(default_factory=dict)
    rule: str | None = None
    """Which rule decided: `greeting`, `thanks`, `topic`, `title`, `person` or `crisis`; None when none did."""
    matter: str | None = None
    """The kind of serious matter, such as `charge` or `bereavement`; None where nothing tells."""


class Act(StrEnum):
    """What a message does in its conversation."""

    REQUEST = "request"
    GREETING = "greeting"
    THANKS = "thanks"
    YES = "yes"
    NO = "no"
    ASKS_PERSON = "asks_person"
    ABOUT_ASSISTANT = "about_assistant"
    CHAT = "chat"
    WRONG_ANSWER = "wrong_answer"
    STILL_FAILS = "still_fails"


@dataclass(frozen=True, slots=True)
class Sense:
    """One way to understand a request: by itself, or with what was said before it."""

    text: str
    """Standalone: what is searched for and answered."""
    classification: Classification
    probe: Probe
    prior: float = 1.0
    """Probability that this is what is meant, before anything is looked up."""
    wordings: Wordings | None = None
    carried: bool = False
    """Whether it takes something over from the conversation."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing that a message asks for."""

    text: str
    """As it was written."""
    senses: Sequence[Sense]
    """The likeliest first; never empty."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """A message, understood with the conversation before it."""

    requests: Sequence[Request]
    """One to five, in order. The first is the whole message where it asks one thing."""
    whole: Request
    """The message as one request, for when its parts turn out to be none."""
    act: Act = Act.REQUEST
    crisis: bool = False
    """Its writer may be about to come to harm."""
    wants_person: bool = False
    refuses_offer: bool = False
    """No offer to stay is wanted."""
    refused_before: bool = False
    """A message that the memory of the conversation has lost said so."""
    depends: float = 0.0
    """Probability that it cannot be understood without what was said before."""
