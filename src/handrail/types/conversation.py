"""What is said: earlier exchanges, and the message at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from handrail.types.filters import Filters
from handrail.types.labels import Routing
from handrail.types.people import PRESENT, People


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
    """Titles of those articles."""
    turn_id: str = ""
    follows: str | None = None
    """Id of the turn it goes on from; empty where it opens a branch, None where it is simply the one before."""
    declined: bool = False
    """Whether the visitor had said by then that no offer to stay is wanted."""
    quoted: tuple[str, ...] = ()
    """Passages that stand for the sections that answers had quoted by then."""

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
    filters: Filters = field(default_factory=dict)
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
