"""`handrail ask`: one turn in the terminal."""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from typing import Annotated

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape

from handrail.cli import KB, Chosen, Json, Project, filters_of, loading, settings_for
from handrail.llm.kinds import Failure
from handrail.settings import Settings
from handrail.turn.present import response
from handrail.types import Card, Offer, Question, Turn
from handrail.types.filters import Filters

NO_PERSON_HERE = """\
There is no button for a person in the terminal. The chat that `handrail serve` shows has one.
Programs can ask for a person with POST /handoff."""


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    kb: KB = None,
    as_json: Json = False,
    chosen: Chosen = None,
    project: Project = None,
) -> None:
    """Answer one question from the knowledge base, with its sources.

    Example: handrail ask "How do I connect my domain?"
    """
    from handrail.text.guard import clean

    text = sys.stdin.read() if question == "-" else question
    filters = filters_of(chosen, project)
    settings = settings_for(kb)
    turn = asyncio.run(_turn(settings, clean(text, settings.server.max_question_chars), filters))
    if as_json:
        print(json.dumps(response(turn), ensure_ascii=False, indent=2))  # noqa: T201
    else:
        show(turn)


async def _turn(settings: Settings, text: str, filters: Filters) -> Turn:
    from handrail.text.guard import suspicious

    with loading():
        from handrail.assembly import Assistant

        assistant = Assistant(settings)
        await assistant.start()
    try:
        ids = (f"c-{uuid.uuid4()}", str(uuid.uuid4()))
        return await assistant.ask(Question(text, *ids, filters=filters, suspicious=suspicious(text)))
    finally:
        await assistant.stop()


def show(turn: Turn) -> None:
    """Print what a visitor sees, folded pieces in full: a terminal has nothing to unfold them with."""
    console = Console()
    result = turn.outcome
    if result.disclaimer:
        console.print(f"[yellow]{escape(result.disclaimer)}[/]\n")
    if result.closest:
        for card in result.closest:
            _show_card(console, card)
    else:
        console.print(Markdown(result.answer))
    for citation in result.citations:
        source = f"[{citation.index}] {citation.passage.title}: {citation.passage.url}"
        console.print(f"[dim]{escape(source)}[/]", soft_wrap=True)
    if result.escalation.offer is not Offer.NONE:
        console.print(f"[dim]{escape(NO_PERSON_HERE)}[/]")
    for stage, reason in reasons_in_words(turn).items():
        console.print(f"[yellow]Went on without {escape(stage)}: {escape(reason)}[/]")
    if turn.degraded:
        console.print("[yellow]`handrail doctor` says what to change.[/]")
    confidence = f", confidence {result.confidence:.2f}" if result.confidence else ""
    console.print(f"[dim]{result.routing.value}{confidence}, {turn.latency_ms['total']:.0f} ms[/]")


def reasons_in_words(turn: Turn) -> dict[str, str]:
    """What the turn went on without, and why, in words."""
    said = {str(failure): failure.says for failure in Failure}
    return {stage: said.get(reason, "it failed; the log says more") for stage, reason in turn.reasons.items()}


def _show_card(console: Console, card: Card) -> None:
    """A closed card is its heading and its address."""
    piece = card.piece
    console.print(f"[bold]{escape(piece.heading)}[/] [dim]{escape(piece.url)}[/]", soft_wrap=True)
    if card.open:
        console.print(Markdown(piece.markdown))
    console.print()
