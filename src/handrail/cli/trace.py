"""`handrail trace`: how answers came about, and whether they would come about the same today."""

from __future__ import annotations

import asyncio
import difflib
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from handrail.cli import Json, loading, notes, results, settings_for
from handrail.errors import PermanentError

if TYPE_CHECKING:
    from handrail.records.traces import TraceRecords, Wanted

T = TypeVar("T")
Trace = dict[str, Any]

app = typer.Typer(help="How each answer came about.", no_args_is_help=True)

SPAN = re.compile(r"(\d+)([mhd])")
UNITS = {"m": 60, "h": 3600, "d": 86_400}
EVERYTHING = 1_000_000
INDENT = "  "

Id = Annotated[str, typer.Argument(help="Id of a trace, a turn or a conversation (then its last turn).")]
Routing = Annotated[str | None, typer.Option(help="Only turns with this routing, such as cannot_answer.")]
Since = Annotated[str | None, typer.Option(help="Only turns since 2026-01-31, 2026-01-31T12:00 (UTC), 90m, 12h or 7d.")]
Kb = Annotated[str | None, typer.Option("--kb", help="Only turns answered from this knowledge base.")]
Conversation = Annotated[str | None, typer.Option(help="Only turns of this conversation.")]


@app.command("list")
def list_(
    routing: Routing = None,
    since: Since = None,
    kb: Kb = None,
    conversation: Conversation = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Show at most N, newest first.")] = 50,
    as_json: Json = False,
) -> None:
    """List turns, newest first."""
    traces = _with_traces(lambda records: records.recent(_wanted(routing, since, kb, conversation, limit)))
    if as_json:
        _print_json(traces)
        return
    for trace in traces:
        results.print(_row(trace))
    if not traces:
        notes.print("No traces match.")


@app.command()
def show(id_: Id, as_json: Json = False) -> None:
    """Show a turn stage by stage: inputs, outputs, probabilities, scores and times."""
    trace = _one(id_)
    if as_json:
        _print_json(trace)
        return
    for line in _told(trace):
        results.print(line)


@app.command()
def replay(id_: Id, as_json: Json = False) -> None:
    """Run a turn again with today's settings and articles, and show what differs.

    Nothing is stored and nobody is told. With a language model configured, it is asked again.
    """
    from handrail.observe.compare import compare

    trace = _one(id_)
    message = _with_traces(lambda records: records.message(trace["turn_id"]))
    now = asyncio.run(_again(trace, message))
    told = compare(trace, now)
    if as_json:
        _print_json({"before": trace, "after": now, **told})
        return
    for line in _differences(told):
        results.print(line)
    if trace["input"]["secrets_removed"]:
        notes.print("A card number or similar was removed from the message before it was stored, so it differs anyway.")
    if trace["input"]["customer"]:
        notes.print("What was known of the customer isn't stored, so offers with conditions may differ.")


@app.command()
def export(
    out: Annotated[Path | None, typer.Option(help="File to write. Default: standard output.")] = None,
    routing: Routing = None,
    since: Since = None,
    kb: Kb = None,
    conversation: Conversation = None,
    limit: Annotated[int, typer.Option(min=1, max=EVERYTHING, help="Export at most N, newest first.")] = EVERYTHING,
) -> None:
    """Write whole traces as JSON lines, one turn a line, newest first."""
    traces = _with_traces(lambda records: records.recent(_wanted(routing, since, kb, conversation, limit)))
    lines = "".join(json.dumps(trace, ensure_ascii=False) + "\n" for trace in traces)
    if out is None:
        sys.stdout.write(lines)
        return
    try:
        out.write_text(lines, encoding="utf-8")
    except OSError as error:
        raise PermanentError(f"can't write {out}: {error.strerror}") from None
    notes.print(f"{len(traces)} traces written to {out}.")


async def _again(trace: Trace, message: str | None) -> Trace:
    from handrail.observe.replay import question_of
    from handrail.observe.trace import document

    # Tries no follow-up questions meanwhile: their results would be stored.
    settings = settings_for(trace["kb"], suggest={"enabled": False})
    with loading():
        from handrail.assembly import Assistant

        assistant = Assistant(settings)
        await assistant.start()
    try:
        return document(await assistant.replay(question_of(trace, message)))
    finally:
        await assistant.stop()


def _one(id_: str) -> Trace:
    found = _with_traces(lambda records: records.find(id_))
    if found is None:
        raise PermanentError(f"there is no trace of {id_}. See `handrail trace list`; desk.trace_days limits their age")
    return found


def _with_traces(work: Callable[[TraceRecords], Awaitable[T]]) -> T:
    from handrail.records.database import open_database
    from handrail.records.traces import TraceRecords

    async def run() -> T:
        database = await open_database(settings_for().storage)
        try:
            return await work(TraceRecords(database, database.tenant))
        finally:
            await database.close()

    return asyncio.run(run())


def _wanted(routing: str | None, since: str | None, kb: str | None, conversation: str | None, limit: int) -> Wanted:
    from handrail.records.traces import Wanted

    return Wanted(routing, kb, conversation, None if since is None else _time(since), limit)


def _time(since: str) -> float:
    span = SPAN.fullmatch(since)
    if span is not None:
        return time.time() - int(span[1]) * UNITS[span[2]]
    try:
        given = datetime.fromisoformat(since)
    except ValueError:
        raise PermanentError(f"--since {since}: write 2026-01-31, 2026-01-31T12:00, 90m, 12h or 7d") from None
    return (given if given.tzinfo else given.replace(tzinfo=UTC)).timestamp()


def _row(trace: Trace) -> str:
    at = datetime.fromtimestamp(trace["at"], UTC)
    ms = "" if trace["ms"] is None else f"{trace['ms']:.0f} ms"
    routing, text = trace["outcome"]["routing"], " ".join(trace["input"]["text"].split())
    return f"{trace['trace_id']} {at:%Y-%m-%d %H:%M} {routing:18} {trace['kb']:10} {ms:>8}  {text[:80]}"


def _told(trace: Trace) -> Iterator[str]:
    at, given = datetime.fromtimestamp(trace["at"], UTC), trace["input"]
    yield f"trace         {trace['trace_id']}"
    yield f"turn          {trace['turn_id']} of conversation {trace['conversation_id']}"
    yield f"at            {at:%Y-%m-%d %H:%M:%S} UTC, {trace['ms']} ms"
    yield f"answered from {trace['kb']} {trace['kb_version']}, settings {trace['settings']}"
    yield f"message       {given['text']}"
    for past in given["history"]:
        yield f"{INDENT}before: {past['question'] or past['answer']} ({past['routing']})"
    for stage in trace["stages"]:
        yield from _stage(stage, "")
    yield ""
    yield "outcome"
    for name, value in trace["outcome"].items():
        yield from _value(name, value, INDENT)
    by = trace["answered_by"]
    yield from _value("answered_by", {key: value for key, value in by.items() if key != "attempts"}, "")


def _stage(stage: Trace, indent: str) -> Iterator[str]:
    yield ""
    ms = "not finished" if stage["ms"] is None else f"{stage['ms']} ms"
    yield f"{indent}{stage['name']} ({ms})"
    for name in ("model", "prompt", "tokens", "cost_usd", "error"):
        if name in stage:
            yield from _value(name, stage[name], indent + INDENT)
    for name in ("input", "output"):
        if stage[name] is not None:
            yield from _value(name, stage[name], indent + INDENT)
    for name, value in stage["values"].items():
        yield from _value(name, value, indent + INDENT)
    for inner in stage["stages"]:
        yield from _stage(inner, indent + INDENT)


def _value(name: str, value: object, indent: str) -> Iterator[str]:
    """Short values on one line, others below their name."""
    if isinstance(value, dict) and any(isinstance(item, dict | list) for item in value.values()):
        yield f"{indent}{name}:"
        for key, item in value.items():
            yield from _value(key, item, indent + INDENT)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        yield f"{indent}{name}:"
        for place, item in enumerate(value, 1):
            yield from _value(str(place), item, indent + INDENT)
    else:
        first, *more = value.split("\n") if isinstance(value, str) and value else [_plain(value)]
        yield f"{indent}{name}: {first}"
        yield from (f"{indent}{INDENT}{line}" for line in more)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items()) or "none"
    if isinstance(value, list):
        return " | ".join(map(_plain, value)) or "none"
    return "none" if value is None or value == "" else " ".join(str(value).split())


def _differences(told: dict[str, Any]) -> Iterator[str]:
    for change in told["setup"]:
        yield f"{change['what']} changed: {change['before']} → {change['after']}"
    if told["same"]:
        yield "Nothing differs: today's settings and articles give the same answer in the same way."
        return
    stage = ""
    for one in told["differences"]:
        if one["stage"] != stage:
            stage = one["stage"]
            yield stage
        yield from _difference(one)


def _difference(one: dict[str, Any]) -> Iterator[str]:
    before, after = one["before"], one["after"]
    if isinstance(before, dict) and isinstance(after, dict):
        yield f"{INDENT}{one['what']}"
        for key in dict.fromkeys((*before, *after)):
            yield f"{INDENT * 2}{key}: {_side(before, key)} → {_side(after, key)}"
    elif one["what"] == "answer":
        yield f"{INDENT}answer"
        lines = difflib.unified_diff(_lines(before), _lines(after), "before", "now", lineterm="", n=1)
        yield from (f"{INDENT * 2}{line}" for line in lines)
    else:
        yield f"{INDENT}{one['what']}: {_plain(before)} → {_plain(after)}"


def _side(values: dict[str, Any], key: str) -> str:
    return _plain(values[key]) if key in values else "not there"


def _lines(answer: object) -> list[str]:
    return str(answer or "").splitlines()


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))  # noqa: T201
