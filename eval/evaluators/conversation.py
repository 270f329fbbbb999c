"""Does a last message, read with its conversation, find what it would find when asked in full?

Earlier messages are whole turns of the product; of the last one, what it is read as and what that finds. Where earlier
turns say what they need, they are measured in the same way, and told apart by their number and kind.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eval.datasets.conversation import ConversationCase, Said
from eval.evaluators import question
from eval.evaluators.bench import known_articles
from eval.evaluators.retrieval import DEEP, deep, ranking
from eval.metrics.bootstrap import mean_interval
from eval.runner import Done, Evaluation, Job
from handrail.assembly import build_parts, build_stages, new_trace_id
from handrail.conversation.memory.window import exchange_of, latest
from handrail.observe.silent import SilentTracer
from handrail.retrieve import Retriever
from handrail.turn.engine import Engine
from handrail.turn.found import STATIC
from handrail.turn.stages import Stages
from handrail.turn.wording import load_wording
from handrail.types import Exchange, Question, Sense

TOP = 5
SCORES = ("overlap@5", "hit@5_last", "hit@5_standalone", "same_order@5", "turned_away_last")


@dataclass(frozen=True, slots=True)
class Read:
    text: str
    """What the last message was understood as."""
    depends: float
    """Probability that it needs what was said before."""
    label: str
    found: tuple[str, ...]
    """Articles the last message finds, best first."""
    needed: tuple[str, ...]
    """Articles its standalone form finds."""
    gold: tuple[str, ...]
    earlier: tuple[Turn, ...] = ()
    """Turns before the last, from the second on, that say what they need."""


@dataclass(frozen=True, slots=True)
class Turn:
    number: int
    """Among the visitor's messages, from 1."""
    kind: str
    message: str
    read: Read


RESULT = Read


async def measure(job: Job[ConversationCase]) -> Done[ConversationCase, Read]:
    parts = await asyncio.to_thread(build_parts, job.settings)
    wording = load_wording(job.settings.brand.name)
    stages = await asyncio.to_thread(build_stages, job.settings, parts, wording, SilentTracer(new_trace_id))
    try:
        loop = asyncio.get_running_loop()
        engine = Engine(stages, job.settings, wording, loop.time)
        measured = parts.retriever(deep(job.settings))
        articles = known_articles(parts)

        async def of(message: Question, needs: str, article_ids: Sequence[str]) -> Read:
            sense, depends = await _understood(message, stages)
            needed = await measured.retrieve(question(needs, job.settings).text, {})
            gold = tuple(articles.resolve(name) or name for name in article_ids)
            found = await _found(sense, measured)
            label = sense.classification.label.value
            return Read(sense.text, depends, label, found, tuple(ranking(needed))[:TOP], gold)

        async def work(case: ConversationCase) -> Read:
            exchanges: list[Exchange] = []
            earlier: list[Turn] = []
            for number, said in visitors(case):
                history = latest(exchanges, job.settings.memory.window_tokens, parts.count)
                asked = replace(question(said.text, job.settings), history=history)
                if said is case.turns[-1]:
                    return replace(await of(asked, case.last_needs, case.article_ids), earlier=tuple(earlier))
                if number > 1 and said.needs is not None:
                    read = await of(asked, said.needs, said.article_ids)
                    earlier.append(Turn(number, said.kind or "other", said.text, read))
                exchange = exchange_of(await engine.run(asked))
                if exchange is not None:
                    exchanges.append(_told(case, said, exchange))
            raise AssertionError("a conversation ends with the visitor")

        return await job.each("conversation", work)
    finally:
        if stages.closing is not None:
            await stages.closing()
        parts.close()


def score(done: Done[ConversationCase, Read]) -> Evaluation:
    scores = {case.line: _scores(case, read) for case, read in done.measured}
    kinds = defaultdict(list)
    for case, _ in done.measured:
        kinds[case.kind or "other"].append(scores[case.line])
    everything = list(scores.values())
    means = _means(everything)
    turns = _turns(done)
    beside: dict[str, Any] = {name: means.pop(name) for name in ("same_order@5", "turned_away_last") if name in means}
    if any(read.earlier for _, read in done.measured):
        beside["every_turn"] = _every_turn(turns)
    return Evaluation(
        metrics={
            "n": len(everything),
            **means,
            "by_kind": {kind: {"n": len(rows), **_means(rows)} for kind, rows in sorted(kinds.items())},
        },
        details=beside,
        intervals={name: mean_interval(_column(everything, name)) for name in means} | _turn_intervals(beside, turns),
        rows=done.rows(
            lambda case, read: {
                "kind": case.kind,
                **_read_row(read),
                **scores[case.line],
                **({"earlier": [_turn_row(turn) for turn in read.earlier]} if read.earlier else {}),
            }
        ),
        interrupted=done.interrupted,
        conditions={"retrieval": DEEP},
    )


def visitors(case: ConversationCase) -> list[tuple[int, Said]]:
    return list(enumerate((said for said in case.turns if said.role == "visitor"), start=1))


def _told(case: ConversationCase, said: Said, exchange: Exchange) -> Exchange:
    """With the words that the row puts in place of the product's answer."""
    after = case.turns[next(place for place, turn in enumerate(case.turns) if turn is said) + 1]
    return replace(exchange, answer=after.text) if after.role == "assistant" and exchange.answer else exchange


async def _understood(last: Question, stages: Stages) -> tuple[Sense, float]:
    """The likeliest sense of the whole message, and the probability that it needs what was said before."""
    understood = await stages.understand.primary.read(last)
    return max(understood.whole.senses, key=lambda sense: sense.prior), understood.depends


async def _found(sense: Sense, retriever: Retriever) -> tuple[str, ...]:
    return tuple(ranking(await retriever.retrieve(sense.text, {}, None, sense.wordings)))[:TOP]


def _turns(done: Done[ConversationCase, Read]) -> list[Turn]:
    """Every measured turn from the second on."""
    return [
        turn
        for case, read in done.measured
        for turn in (*read.earlier, Turn(len(visitors(case)), case.kind or "other", case.turns[-1].text, read))
        if turn.number > 1
    ]


def _every_turn(turns: Sequence[Turn]) -> dict[str, Any]:
    """Figures over all turns, and by number and kind."""
    groups: dict[str, dict[str, list[dict[str, float]]]] = {
        "by_number": defaultdict(list),
        "by_kind": defaultdict(list),
    }
    for turn in turns:
        found = _hits(turn.read)
        groups["by_number"][str(turn.number)].append(found)
        groups["by_kind"][turn.kind].append(found)
    every: dict[str, Any] = _hit_means([_hits(turn.read) for turn in turns])
    for name, group in groups.items():
        every[name] = {key: _hit_means(rows) for key, rows in sorted(group.items())}
    return every


def _turn_intervals(beside: dict[str, Any], turns: Sequence[Turn]) -> dict[str, Any]:
    """Turns of one conversation are taken for independent, which they are not quite."""
    rows = [row for row in map(_hits, (turn.read for turn in turns)) if row] if "every_turn" in beside else []
    return {f"every_turn.{name}": mean_interval(_column(rows, name)) for name in (rows[0] if rows else ())}


def _hits(read: Read) -> dict[str, float]:
    """Whether a gold article is among the first, read with the conversation and asked in full; empty without gold."""
    if not read.gold:
        return {}
    gold = set(read.gold)
    return {
        f"hit@{depth}{of}": float(bool(gold.intersection(ranked[:depth])))
        for of, ranked in (("", read.found), ("_standalone", read.needed))
        for depth in (TOP, 1)
    }


def _hit_means(rows: Sequence[dict[str, float]]) -> dict[str, Any]:
    scored = [row for row in rows if row]
    names = scored[0] if scored else {}
    return {"n": len(scored), **{name: float(_column(scored, name).mean()) for name in names}}


def _turn_row(turn: Turn) -> dict[str, Any]:
    about = {"number": turn.number, "kind": turn.kind, "message": turn.message}
    return {**about, **_read_row(turn.read), **_hits(turn.read)}


def _read_row(read: Read) -> dict[str, Any]:
    return {
        "read_as": read.text,
        "depends": round(read.depends, 4),
        "label": read.label,
        "found": list(read.found),
        "needed": list(read.needed),
        "gold": list(read.gold),
    }


def _scores(case: ConversationCase, read: Read) -> dict[str, float]:
    shared = len(set(read.found) & set(read.needed)) / len(read.needed) if read.needed else 0.0
    turned_away = read.label in {label.value for label in STATIC}
    scores = {
        "overlap@5": shared,
        "same_order@5": float(read.found == read.needed),
        "turned_away_last": float(turned_away),
    }
    if case.article_ids:
        scores["hit@5_last"] = float(bool(set(read.found) & set(read.gold)))
        scores["hit@5_standalone"] = float(bool(set(read.needed) & set(read.gold)))
    return scores


def _means(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    columns = {name: _column(rows, name) for name in SCORES}
    return {name: float(column.mean()) for name, column in columns.items() if len(column)}


def _column(rows: Sequence[dict[str, float]], name: str) -> Any:
    return np.asarray([row[name] for row in rows if name in row], dtype=float)
