"""The nouns every stage shares: questions, passages, drafts and the closed set of outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from handrail.labels import ANSWERING as ANSWERING
from handrail.labels import Label as Label
from handrail.labels import Offer as Offer
from handrail.labels import RefusalReason as RefusalReason
from handrail.labels import Routing as Routing
from handrail.labels import Verdict as Verdict
from handrail.people import PRESENT, People
from handrail.usage import NOTHING, Attempt, Usage

Vectors = NDArray[np.float32]
"""`(n, d)` or `(d,)` float32, L2-normalised."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier turn of a conversation, as far as later turns may know it."""

    question: str
    standalone: str
    """The question as it was understood: what later messages may carry on from."""
    answer: str
    """Empty for a refusal: its words never become context. What a person wrote stands here without a question."""
    routing: Routing
    article_ids: tuple[str, ...] = ()
    """Articles the answer cited, best first."""
    titles: tuple[str, ...] = ()
    """Titles of those articles; for a clarifying question, the titles it offered."""
    turn_id: str = ""
    follows: str | None = None
    """Id of the turn it goes on from; empty where it opens a branch, None where it is simply the one before."""
    declined: bool = False
    """Whether the visitor had said by then that no offer to stay is wanted."""

    @property
    def with_person(self) -> bool:
        """Said between the visitor and a person at the desk, one message an exchange: no evidence for anything."""
        return self.routing is Routing.HANDED_OFF

    @property
    def by_person(self) -> bool:
        """The person's side of it, which belongs to whatever turn came before."""
        return self.with_person and not self.turn_id


@dataclass(frozen=True, slots=True)
class Wordings:
    """What the conversation adds to a search."""

    beside: Mapping[str, float] = field(default_factory=dict)
    """Further wordings searched for at the same time, each with its weight next to the text's 1."""
    favoured: tuple[str, ...] = ()
    """Articles under discussion, whose passages are leaned to and read."""


@dataclass(frozen=True, slots=True)
class Question:
    """One visitor message, already cleaned by the guard."""

    text: str
    conversation_id: str
    turn_id: str
    lang: str = "en"
    unspoken: str | None = None
    """The language it is surely written in where replies do not speak it; they are in `lang`."""
    filters: Mapping[str, str] = field(default_factory=dict)
    suspicious: bool = False
    """Injection signals were seen: stages may only become stricter because of it."""
    history: Sequence[Exchange] = ()
    """Earlier turns of the conversation, oldest first, as far as they fit the memory's window."""
    follows: str | None = None
    """Id of the turn that this goes on from, empty for none; None goes on from the latest."""
    people: People = PRESENT
    """Who is at the desk while it is answered."""
    context: Mapping[str, str | float] = field(default_factory=dict)
    """What is known of the customer from a source that was proven, such as `plan`; never what a page merely said."""
    declines: bool = False
    """It says that no offer to stay is wanted."""
    earlier: Sequence[str] = ()
    """Messages of the conversation that the memory does not hold any more: read for such a refusal and nothing else."""
    declined_before: bool = False
    """One of `earlier` says so."""
    said: Mapping[str, str | float] = field(default_factory=dict)
    """What the page says of the visitor: shown to people at the desk, used for nothing else."""

    @property
    def declined(self) -> bool:
        """Whether it, or a message before it, says so: nothing is offered in this conversation any more."""
        return self.declines or self.declined_before or any(past.declined for past in self.history)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a message does in the conversation and what it calls for, as probabilities, whatever its label is.

    `refuses_offer`, `crisis` and `person` are shifted in fitting so that 0.5 is the point at which to act.
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
    person: float
    """It asks for a person to talk to, whatever else it asks."""
    matters: Mapping[str, float] = field(default_factory=dict)
    """By the kind of matter that it would be if it were serious, such as `charge`, or `other`. They add up to 1."""

    @property
    def act(self) -> str:
        """The likeliest."""
        return max(self.acts, key=lambda act: self.acts[act])


@dataclass(frozen=True, slots=True)
class Heard:
    """What an encoder that was taught to hear messages says of one."""

    labels: Vectors
    """`(labels,)`, not calibrated."""
    understood: Understood | None = None
    """None where nothing was fitted to the encoder."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A message's embedding, and how much the articles have to do with it: one matrix product, no search."""

    embedding: Vectors
    topic: Mapping[str, float] = field(default_factory=dict)
    """Named features in a fixed order, such as the best article's cosine similarity."""
    heard: Vectors | None = None
    foreign: Vectors | None = None
    """`(labels,)`, not calibrated: what is heard of it in English, and in whatever language it is written; or None."""
    abroad: bool = False
    """Whether it is surely not in English."""
    understood: Understood | None = None
    """Of the message as it was written; None where nothing hears it."""
    parts: Mapping[str, Probe] = field(default_factory=dict)
    """Of a message of several sentences: each with a probe of its own, in order; empty where nobody looked at them."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One citable piece of one article."""

    id: str
    """`article_id/n`, stable while the article keeps its shape."""
    article_id: str
    position: int
    title: str
    headings: tuple[str, ...]
    text: str
    url: str
    tokens: int
    facets: Mapping[str, str] = field(default_factory=dict)

    @property
    def section(self) -> tuple[str, tuple[str, ...]]:
        """Passages with equal sections are neighbours."""
        return (self.article_id, self.headings)

    @property
    def embedding_text(self) -> str:
        """Title and heading path in front of the text: what encoders read."""
        return " > ".join((self.title, *self.headings)) + "\n" + self.text


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading of an article, whole."""

    id: str
    """`article_id#n`, in reading order."""
    article_id: str
    title: str
    headings: tuple[str, ...]
    """Empty for what stands above the first heading."""
    text: str
    """Markdown."""
    url: str
    passage_ids: tuple[str, ...]
    """The passages that hold it or a part of it, in reading order."""

    @property
    def path(self) -> str:
        """Title and headings, as encoders read them in front of a text."""
        return " > ".join((self.title, *self.headings))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A section that was read beside the question."""

    section: Section
    probability: float
    """Calibrated: that it answers the question."""
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved passage with the scores that put it there."""

    passage: Passage
    dense: float = 0.0
    """Cosine similarity in [-1, 1]; 0 when only keyword search found it."""
    keyword: float = 0.0
    """BM25 score, unbounded; 0 when only dense search found it."""
    fused: float = 0.0
    """Weighted fusion in [0, 1]."""
    final: float = 0.0
    """The ordering score in [0, 1]; not a probability."""
    neighbour: bool = False
    """Added because it stands beside a retrieved passage."""
    late: float | None = None
    """Mean cosine of the query's tokens, each to the passage's nearest token; None when they were not compared."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What retrieval found for one query, best first, and the signals gates read."""

    query: str
    hits: Sequence[Hit]
    signals: Mapping[str, float] = field(default_factory=dict)
    unlisted: Sequence[str] = ()
    """Codes that the question names and the articles, which list others like them, do not: nothing answers it."""
    sections: Sequence[Candidate] = ()
    """Those that were read, the likeliest to answer first."""
    parts: Sequence[Evidence] = ()
    """Of a message that asks several things: what was found for each of them; empty for one."""

    @property
    def given(self) -> Mapping[str, Hit]:
        """By passage id, all that may be cited."""
        return {hit.passage.id: hit for hit in self.hits}

    @property
    def probability(self) -> float:
        """That the likeliest section answers; 0 where nothing was found, or no article names the code asked about."""
        return self.sections[0].probability if self.sections and not self.unlisted else 0.0

    @property
    def passages(self) -> list[Passage]:
        return [hit.passage for hit in self.hits]


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
    asks: str | None = None
    """The message without sentences that ask for nothing ("I run a small bakery."); None where that is all of it."""
    matter: str | None = None
    """The kind of serious matter, such as `charge` or `bereavement`; None where nothing tells."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole section, or a whole procedure, as it is shown."""

    markdown: str
    """All of it, including what is folded away."""
    title: str
    """Of the article."""
    section: str
    """Headings of the section, outermost first, joined by " › "; empty for the text at the start of an article."""
    passage_id: str
    """The passage that a citation of the piece opens."""
    article_id: str
    url: str
    answering: tuple[int, int] | None = None
    """Where in `markdown` the sentence stands that answers: character offsets."""
    collapsed_after: int | None = None
    """Offset in `markdown` from which it is folded until the visitor asks for the rest; None shows all."""
    steps: int = 0
    """Numbered steps in all of it."""
    citation: int | None = None
    """Index of the citation that belongs to it; None in a card."""
    span: tuple[int, int] | None = None
    """Where it stands in the outcome's answer, citation mark included; None in a card."""

    @property
    def heading(self) -> str:
        """Title and section, each once."""
        return " › ".join(dict.fromkeys(part for part in (self.title, self.section) if part))


@dataclass(frozen=True, slots=True)
class Proof:
    """What checking one claim against one passage it cites found."""

    passage_id: str
    support: str
    """`supported`, `unsupported`, or `unverified` where the check could not tell."""
    score: float
    """Calibrated probability in [0, 1] that the passage states the claim."""
    by: str
    """`quote` (word for word), `local`, `llm` or `decision` (a decision model)."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where in the passage's text the supporting words stand: character offsets, in order, not overlapping."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a draft and the ids of the passages it cites."""

    text: str
    """Markdown: a sentence, a list item with its marker, or a table row block."""
    passage_ids: tuple[str, ...]
    support: str = "unverified"
    """`supported`, `unsupported` or `unverified`."""
    score: float | None = None
    """Calibrated probability in [0, 1] that the cited passages state it; None while unverified."""
    quote: str | None = None
    """The exact supporting words of the best cited passage."""
    proofs: tuple[Proof, ...] = ()
    """One per cited passage, once verified."""
    id: str = ""
    """`c1`, `c2`, … in the order of the draft; given when citations are enforced, and kept when others are removed."""
    heading: str = ""
    """Markdown that stands above it and states nothing."""
    piece: Piece | None = None
    """The section it is, where it is the articles' own words: nothing to be verified."""


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

    @property
    def carried(self) -> bool:
        """Whether it takes something over from the conversation."""
        return self.wordings is not None


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
    """One to three, in order. The first is the whole message where it asks one thing."""
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


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before it may reach the visitor."""

    claims: Sequence[Claim]
    provider: str
    model: str | None = None
    acknowledgement: str | None = None
    offer: str | None = None
    closing: str | None = None
    suggestions: Sequence[str] = ()
    usage: Usage = NOTHING
    self_verdict: Verdict | None = None
    """What the answering model said of its own answer, if it was asked."""

    @property
    def verbatim(self) -> bool:
        """Whether it is made of whole sections alone, or says nothing."""
        return all(claim.piece is not None for claim in self.claims)


@dataclass(frozen=True, slots=True)
class Verified:
    """A draft whose claims carry their labels; nothing has been removed yet."""

    draft: Draft
    factuality: float | None
    """Share of the draft's checked claims that their passages support; None where nothing could be checked."""

    @property
    def unsupported(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.draft.claims if claim.support == "unsupported")


@dataclass(frozen=True, slots=True)
class Critique:
    """The judgement of a draft."""

    verdict: Verdict
    probability: float | None = None
    """Calibrated probability that the answer is right, when the critic has one."""


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered proof the visitor can open."""

    index: int
    passage: Passage
    score: float
    support: str
    quotes: tuple[str, ...] = ()
    """The exact words of the passage that support the claims citing it, in reading order."""

    @property
    def quote(self) -> str | None:
        """The first of them."""
        return self.quotes[0] if self.quotes else None


@dataclass(frozen=True, slots=True)
class Source:
    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Card:
    """A section that looks close to what was asked, without the claim that it answers."""

    piece: Piece
    open: bool = False
    """Whether it is shown in full from the start."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One of the requests of a message, and what became of it."""

    text: str
    label: Label
    routing: Routing
    citations: tuple[int, ...] = ()
    """Indexes of the citations that answer it."""


@dataclass(frozen=True, slots=True)
class Escalation:
    offer: Offer = Offer.NONE
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the widget renders; built only by the constructors in `outcome.py`."""

    routing: Routing
    answer: str
    refusal_reason: RefusalReason | None = None
    disclaimer: str | None = None
    notice: str | None = None
    """Said above an answer that is not in the visitor's language."""
    citations: Sequence[Citation] = ()
    sources: Sequence[Source] = ()
    suggestions: Sequence[str] = ()
    escalation: Escalation = Escalation()
    confidence: float = 0.0
    claims: Sequence[Claim] = ()
    """What the answer is made of, with the label of each claim."""
    factuality: float | None = None
    """Share of the drafted claims that were found supported, removed ones included; None where none was checked."""
    pieces: Sequence[Piece] = ()
    """Whole sections of which the answer is made, in order; none in an answer that a model wrote."""
    closest: Sequence[Card] = ()
    """Up to three sections that look closest, best first, where nothing is claimed to answer."""
    requests: Sequence[Asked] = ()
    """What the message asks, in order; a message that asks nothing has none."""

    @property
    def refused(self) -> bool:
        return self.refusal_reason is not None

    @property
    def answers(self) -> bool:
        """Whether the claims of a draft reached the visitor."""
        return self.routing in ANSWERING


@dataclass(frozen=True, slots=True)
class Turn:
    """A question, its outcome and how it came about."""

    question: Question
    outcome: Outcome
    classification: Classification
    trace_id: str
    provider: str
    model: str | None
    retrieved: int
    latency_ms: Mapping[str, float]
    usage: Usage = NOTHING
    attempts: Sequence[Attempt] = ()
    """Every call of a language model, in order."""
    degraded: Sequence[str] = ()
    """What it went on without, in order, such as `rewrite` or `answer`."""
    standalone: str = ""
    """The question as it was understood; its own text where nothing had to be carried over."""
