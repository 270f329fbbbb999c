"""`handrail chat`: a conversation in the terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
import uuid
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from handrail.cli import KB, Chosen, Json, Project, filters_of, loading, settings_for
from handrail.cli.ask import show
from handrail.cli.transcript import Transcript
from handrail.errors import HandrailError
from handrail.settings import Settings
from handrail.turn.present import response
from handrail.types import Question, Turn
from handrail.types.filters import Filters

Ask = Callable[[Question], Awaitable[Turn]]
Forget = Callable[[str], Awaitable[None]]

HISTORY = "chat_history"
LONGEST_HISTORY = 500
HELP = """\
/sources  show the passages behind the last answer
/save F   save what was said so far as Markdown in the file F
/new      start a new conversation
/help     show this list
/quit     leave (also Ctrl+D, or Ctrl+C at an empty prompt). Ctrl+C stops an answer in progress"""


def chat(
    kb: KB = None,
    as_json: Json = False,
    lang: Annotated[str, typer.Option("--lang", help="Language of fixed replies.")] = "en",
    save: Annotated[
        Path | None, typer.Option("--save", help="New file that the conversation is saved to as Markdown, as it goes.")
    ] = None,
    chosen: Chosen = None,
    project: Project = None,
) -> None:
    """Chat with the assistant. Each message can refer to earlier ones. Also works in a pipe, one message per line.

    Example: printf 'How much is Solo?\\nand yearly?\\n' | handrail chat --json
    """
    filters = filters_of(chosen, project)
    settings = settings_for(kb)
    transcript = Transcript(settings.brand.assistant)
    if save is not None:
        transcript.check(save)
    asyncio.run(_converse(settings, as_json, lang, transcript, save, filters))


async def _converse(
    settings: Settings, as_json: bool, lang: str, transcript: Transcript, save: Path | None, filters: Filters
) -> None:
    with loading():
        from handrail.assembly import Assistant

        assistant = Assistant(settings)
        await assistant.start()
    session = Session(
        assistant.ask,
        assistant.forget,
        settings,
        as_json=as_json,
        lang=lang,
        transcript=transcript,
        save=save,
        filters=filters,
    )
    try:
        with _line_history(settings):
            if sys.stdin.isatty():
                session.console.print(f"[dim]{escape(settings.brand.disclosure)} Type /help for commands.[/]")
            # Not in a thread: there, Ctrl+C would not end the waiting for a line.
            while await session.step(_read_line()):
                pass
    finally:
        await assistant.stop()


class Session:
    """One conversation after the other; `step` takes a line and says whether to go on."""

    def __init__(
        self,
        ask: Ask,
        forget: Forget,
        settings: Settings,
        *,
        as_json: bool,
        lang: str,
        transcript: Transcript | None = None,
        save: Path | None = None,
        filters: Filters | None = None,
    ) -> None:
        """`save`: where the transcript is saved after each turn."""
        self._ask = ask
        self._forget = forget
        self._longest = settings.server.max_question_chars
        self._as_json = as_json
        self._lang = lang
        self._transcript = transcript or Transcript(settings.brand.assistant)
        self._save = save
        self._filters = filters or {}
        self._last: Turn | None = None
        self._id = _new_id()
        self.console = Console(stderr=as_json, highlight=False)

    async def step(self, line: str | None) -> bool:
        """False at the end of input and after /quit."""
        if line is None:
            return False
        text = line.strip()
        if not text.startswith("/"):
            if text:
                await self._turn(text)
            return True
        match text.split()[0].lower():
            case "/quit" | "/exit" | "/q":
                return False
            case "/new":
                await self._forget(self._id)
                self._id, self._last = _new_id(), None
                self.console.print("[dim]a new conversation[/]")
            case "/sources":
                self._sources()
            case "/save":
                self._saved(text.partition(" ")[2].strip())
            case "/help" | "/?":
                self.console.print(HELP)
            case _:
                self.console.print(f"[dim]unknown command: {escape(text.split()[0])}. Type /help for a list[/]")
        return True

    async def _turn(self, text: str) -> None:
        from handrail.text.guard import clean, suspicious

        try:
            cleaned = clean(text, self._longest)
            ids, doubtful = (self._id, str(uuid.uuid4())), suspicious(cleaned)
            question = Question(cleaned, *ids, lang=self._lang, filters=self._filters, suspicious=doubtful)
            turn = await _stoppable(asyncio.ensure_future(self._ask(question)))
        except HandrailError as error:
            self._failed(str(error))
            return
        if turn is None:
            self._failed("stopped")
            return
        self._last = turn
        self._transcript.add(turn)
        if self._as_json:
            print(json.dumps({**response(turn), "standalone": turn.standalone}, ensure_ascii=False), flush=True)  # noqa: T201
        else:
            show(turn)
        if self._save is not None:
            self._saved(str(self._save), told=False)

    def _saved(self, name: str, *, told: bool = True) -> None:
        if not name:
            self.console.print("[dim]name a file: /save conversation.md[/]")
            return
        try:
            self._transcript.save(Path(name))
        except HandrailError as error:
            self.console.print(f"[yellow]{escape(str(error))}[/]")
            return
        if told:
            self.console.print(f"[dim]saved to {escape(name)}[/]")

    def _failed(self, why: str) -> None:
        if self._as_json:
            print(json.dumps({"error": why}, ensure_ascii=False), flush=True)  # noqa: T201
        else:
            self.console.print(f"[yellow]{escape(why)}[/]")

    def _sources(self) -> None:
        citations = self._last.outcome.citations if self._last else ()
        if not citations:
            self.console.print("[dim]the last answer cites no sources[/]")
        for citation in citations:
            passage = citation.passage
            self.console.print(f"[bold]\\[{citation.index}] {escape(passage.title)}[/]: {escape(passage.url)}")
            self.console.print(escape(passage.text), soft_wrap=True)


async def _stoppable(work: asyncio.Future[Turn]) -> Turn | None:
    """The turn, or None when Ctrl+C cancelled it; the conversation goes on either way."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        loop.add_signal_handler(signal.SIGINT, work.cancel)
    try:
        return await work
    except asyncio.CancelledError:
        if not work.cancelled():
            work.cancel()
            raise
        return None
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.remove_signal_handler(signal.SIGINT)


def _read_line() -> str | None:
    """The next line, empty where Ctrl+C took it back; None at the end of input or on Ctrl+C at an empty prompt."""
    if not sys.stdin.isatty():
        return sys.stdin.readline() or None
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return input("› ")
    except (EOFError, KeyboardInterrupt) as ended:
        print()  # noqa: T201
        return "" if isinstance(ended, KeyboardInterrupt) and _typed() else None
    finally:
        signal.signal(signal.SIGINT, before)


def _typed() -> str:
    """What stands at the prompt; empty where lines cannot be edited."""
    try:
        import readline
    except ImportError:
        return ""
    return readline.get_line_buffer()


@contextlib.contextmanager
def _line_history(settings: Settings) -> Iterator[None]:
    """Arrow keys bring back earlier messages, those of earlier sessions too; only in a terminal."""
    if not sys.stdin.isatty():
        yield
        return
    try:
        import readline
    except ImportError:
        yield
        return
    path: Path = settings.storage.data_dir / HISTORY
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(LONGEST_HISTORY)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            path.touch(mode=0o600, exist_ok=True)
            readline.write_history_file(path)


def _new_id() -> str:
    return f"c-{uuid.uuid4()}"
