"""Drafts of articles from resolved conversations: the question as title, the agent's own words as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import frontmatter

from handrail.desk.learning.personal import impersonal, without_salutation
from handrail.errors import PermanentError

LONGEST_TITLE = 160
LONGEST_BODY = 50_000
LEAST_WORDS = 6
LIST_ITEM = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s+(?P<text>\S.*)$")
STEP_WORD = re.compile(r"^(?:first|then|next|after that|now|finally|lastly)[,:]?\s+(?P<text>\S.*)$", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-ÞА-Я0-9])")
FILLER = re.compile(
    r"^(?:(?:thanks?|thank you|great|perfect|ok(?:ay)?|sure|sorry|you'?re welcome|no problem|one moment|just a moment|"
    r"let me (?:check|look)|i(?:'ll| will| am|'m) (?:check|look|sorry)|bear with me|have a (?:nice|good|great)|"
    r"is there anything else|does that help|glad|happy to help|anything else|hi|hello|hey|bye|goodbye|my name is|"
    r"i(?:'ve| have) (?:refunded|credited|escalated|forwarded|passed))\b)",
    re.IGNORECASE,
)
"""How sentences begin that help this visitor only, or nobody."""
COURTESY_START = re.compile(r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|please)\b[^a-z0-9]*", re.IGNORECASE)


class DraftError(PermanentError):
    """No article can be made of it; the message says why."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message of a conversation, oldest first."""

    author: str
    text: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ArticleDraft:
    title: str
    body: str
    """Markdown without the title."""
    made_by: str


class Drafter(Protocol):
    async def draft(self, messages: Sequence[Spoken], lang: str) -> ArticleDraft:
        """Raises DraftError where the conversation holds no answer by a person."""
        ...


class ExtractiveDrafter:
    """Writes nothing of its own: what the agent said, in order, without courtesies and personal data."""

    async def draft(self, messages: Sequence[Spoken], lang: str) -> ArticleDraft:
        names = names_in(messages)
        replies = [message.text for message in messages if message.author == "agent"]
        blocks = _blocks([_cleaned(text, names) for text in replies])
        if sum(len(text.split()) for _, text in blocks) < LEAST_WORDS:
            raise DraftError("the agents' messages in this conversation are too short for an article")
        return ArticleDraft(_title(messages, names), _markdown(blocks), "extractive")


def names_in(messages: Sequence[Spoken]) -> tuple[str, ...]:
    """Names of the people who spoke, whole and in parts."""
    names = {message.name for message in messages if message.name and message.author in ("visitor", "agent")}
    parts = {part for name in names for part in name.split() if len(part) > 2}
    return tuple(sorted(names | parts, key=lambda name: (-len(name), name)))


def checked(title: str, body: str) -> tuple[str, str]:
    """Both tidied. Raises DraftError."""
    title = " ".join(title.split())
    body = "".join(c for c in body.replace("\r\n", "\n") if c in "\n\t" or ord(c) >= 32).strip()
    if not title or len(title) > LONGEST_TITLE:
        raise DraftError(f"title needs 1 to {LONGEST_TITLE} characters")
    if not body or len(body) > LONGEST_BODY:
        raise DraftError(f"body needs 1 to {LONGEST_BODY} characters")
    return title, body


def as_markdown(title: str, body: str, *, lang: str, machine_made: bool, made_by: str, conversation: str | None) -> str:
    """A Markdown file with front matter, as the knowledge folder holds it."""
    fields: dict[str, object] = {"title": title, "lang": lang, "machine_made": machine_made, "drafted_by": made_by}
    if conversation:
        fields["conversation"] = conversation
    post = frontmatter.Post(body)
    post.metadata.update(fields)
    return frontmatter.dumps(post) + "\n"


def _cleaned(text: str, names: tuple[str, ...]) -> str:
    return impersonal(without_salutation(text), names)


def _title(messages: Sequence[Spoken], names: tuple[str, ...]) -> str:
    """The visitor's first message that says something, as a question of its own."""
    said = [message.text for message in messages if message.author == "visitor"]
    texts = [impersonal(" ".join(text.split()), names) for text in said]
    sentences = [sentence for text in texts for sentence in SENTENCE.split(text)]
    questions = [text for text in sentences if text.rstrip().endswith("?") and len(text.split()) >= 4]
    chosen = next(iter(questions), None) or max(sentences, key=lambda text: len(text.split()), default="")
    title = COURTESY_START.sub("", chosen).strip(" ,;:!")
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"
    return title[:1].upper() + title[1:] if title else "Untitled"


def _blocks(texts: Sequence[str]) -> list[tuple[str, str]]:
    """`(step or text, words)`, each once."""
    found: dict[str, tuple[str, str]] = {}
    for text in texts:
        for line in text.splitlines():
            item = LIST_ITEM.match(line)
            parts = [item["text"]] if item else SENTENCE.split(line.strip())
            for part in parts:
                step = STEP_WORD.match(part)
                words = (step["text"] if step else part).strip()
                if words and not FILLER.match(words) and not words.endswith("?"):
                    found.setdefault(words.casefold(), ("step" if item or step else "text", words))
    return list(found.values())


def _markdown(blocks: Sequence[tuple[str, str]]) -> str:
    """Steps numbered, other sentences in paragraphs."""
    out: list[str] = []
    paragraph: list[str] = []
    number = 0
    for kind, words in blocks:
        if kind == "text":
            paragraph.append(words)
            continue
        if paragraph:
            out.append(" ".join(paragraph) + "\n")
            paragraph = []
        number += 1
        out.append(f"{number}. {words[:1].upper()}{words[1:]}")
    if paragraph:
        out.append(("\n" if number else "") + " ".join(paragraph))
    return "\n".join(out).strip()
