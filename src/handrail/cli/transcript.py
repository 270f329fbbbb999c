"""A conversation of the terminal as a Markdown file: what was asked, what was answered, and from which sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from handrail.errors import PermanentError
from handrail.text.markdown import literal
from handrail.types import Card, Turn


class Transcript:
    """All turns of a session. Files of others are never overwritten."""

    def __init__(self, assistant: str) -> None:
        self._assistant = assistant
        self._turns: list[Turn] = []
        self._ours: set[Path] = set()

    def add(self, turn: Turn) -> None:
        self._turns.append(turn)

    def check(self, path: Path) -> None:
        """Before anything is said. Raises PermanentError saying why the file can't be used."""
        if path.expanduser().exists():
            raise _taken(path)
        if not path.expanduser().absolute().parent.is_dir():
            raise PermanentError(f"{path}: there is no folder {path.parent}. Create it first")

    def save(self, path: Path) -> None:
        """Raises PermanentError saying why the file can't be written."""
        whole = path.expanduser().absolute()
        try:
            with whole.open("w" if whole in self._ours else "x", encoding="utf-8") as file:
                file.write(as_markdown(self._turns, self._assistant))
        except FileExistsError:
            raise _taken(path) from None
        except OSError as error:
            raise PermanentError(f"{path} can't be written: {error.strerror or error}") from None
        self._ours.add(whole)


def _taken(path: Path) -> PermanentError:
    return PermanentError(f"{path} is there already. Name another file")


def as_markdown(turns: Sequence[Turn], assistant: str) -> str:
    return "\n\n".join(("# Conversation", *_lines(turns, assistant))) + "\n"


def _lines(turns: Sequence[Turn], assistant: str) -> Iterator[str]:
    before = turns[0].question.conversation_id if turns else ""
    for turn in turns:
        if turn.question.conversation_id != before:
            before = turn.question.conversation_id
            yield "---"
        yield "**You**"
        yield "\n".join(f"> {line}".rstrip() for line in turn.question.text.splitlines())
        yield f"**{assistant}**"
        result = turn.outcome
        if result.disclaimer:
            yield f"*{result.disclaimer}*"
        yield from map(_card, result.closest) if result.closest else (result.answer,)
        if result.citations:
            yield "\n".join(
                f"- [{one.index}] {_linked(one.passage.title, one.passage.url)}" for one in result.citations
            )


def _card(card: Card) -> str:
    """A closed card is its heading and its address."""
    piece = card.piece
    heading = f"**{_linked(piece.heading, piece.url)}**"
    return f"{heading}\n\n{piece.markdown}" if card.open else heading


def _linked(title: str, url: str) -> str:
    return f"[{literal(title)}](<{url}>)" if url else literal(title)
