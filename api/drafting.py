"""A reply as the assistant would write it, for an agent to better and to send."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from handrail.records.desk_tables import ConversationRow, EvidenceRow, MessageRow
from handrail.text.plain_text import plain_text
from handrail.types import ANSWERING, Exchange, Question, Routing

MOST = 6
"""Earlier turns that a draft may go on from."""


def question_for(
    row: ConversationRow, asked: MessageRow, messages: Sequence[MessageRow], turns: Sequence[EvidenceRow]
) -> Question:
    """The visitor's message with what was answered before it, in a conversation of its own."""
    answers = {message.turn_id: message.text for message in messages if message.author == "assistant"}
    history = [
        _exchange(turn, answers.get(turn.turn_id, ""))
        for turn in turns
        if turn.routing != Routing.HANDED_OFF and turn.turn_id != asked.turn_id
    ]
    return Question(
        asked.text,
        conversation_id=f"draft:{uuid4().hex}",
        turn_id=str(uuid4()),
        lang=row.lang,
        history=tuple(history[-MOST:]),
    )


def draft_of(result: dict[str, Any]) -> dict[str, Any]:
    """What of a response an agent can send: an answer whole, and of a serious matter only what the articles say.

    Tables and emphasis are written out: what a person sends is shown as it was typed. Words that are the assistant's
    own, such as an offer of a person, are nothing a person would send.
    """
    routing = Routing(result["routing"])
    text, citations = result["answer"], result["citations"]
    if routing is Routing.HIGH_STAKES:
        text = _said_by_articles(result)
    if routing not in ANSWERING or not text:
        text, citations = "", []
    return {"text": plain_text(text), "citations": citations, "routing": routing.value}


def _said_by_articles(result: dict[str, Any]) -> str:
    """Of a serious reply, the whole sections where it is made of them, else the claims that cite something."""
    spans = [piece["span"] for piece in result["pieces"] if piece["span"]]
    if spans:
        return "\n\n".join(result["answer"][start:end] for start, end in spans)
    return "\n\n".join(_with_marks(claim) for claim in result["claims"] if claim["citations"])


def _with_marks(claim: dict[str, Any]) -> str:
    marks = "".join(f"[{index}]" for index in claim["citations"])
    said = str(claim["text"]).strip()
    return said if marks in said else f"{said} {marks}"


def _exchange(turn: EvidenceRow, answer: str) -> Exchange:
    routing = Routing(turn.routing)
    cited = dict.fromkeys(
        (str(one.get("id", "")).rpartition("/")[0], str(one.get("title", ""))) for one in turn.passages
    )
    return Exchange(
        turn.question,
        turn.question,
        answer if routing in ANSWERING else "",
        routing,
        tuple(article for article, _ in cited),
        tuple(title for _, title in cited),
        turn.turn_id,
    )
