"""What do visitors read, turn by turn? Whole conversations with the real product; no figure looks inside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eval.datasets.articles import KnownArticles
from eval.datasets.talks import Said, TalkCase
from eval.metrics import talks as metrics
from eval.metrics.bootstrap import Interval
from eval.metrics.talks import Rated
from eval.runner import Done, Evaluation, Job
from eval.talks import verdict
from eval.talks.asking import Asked, Local, Remote, conversation_id
from eval.talks.shown import closest, piece_of, plain, shown
from eval.talks.verdict import GOOD, Judged, Reply
from handrail.types import Offer, Routing


@dataclass(frozen=True, slots=True)
class Told:
    """The responses to one talk's messages, in order."""

    turns: tuple[dict[str, Any], ...]
    alone: tuple[dict[str, Any], ...] = ()
    """From the second message on, each in a conversation of its own; empty where nobody asked for that."""


RESULT = Told
TURNS_PER_LINE = 1000
"""Comparisons and gates tell rows apart by a number; a turn's is that of its line and its own."""


async def measure(job: Job[TalkCase]) -> Done[TalkCase, Told]:
    asked: Asked = Remote.at(job.url) if job.url is not None else Local(job.settings, job.bases)

    async def talk(case: TalkCase, turns: tuple[Said, ...]) -> list[dict[str, Any]]:
        conversation = conversation_id()
        said = [await asked.say(case.kb, conversation, turn.say) for turn in turns]
        await asked.over(conversation)
        return said

    async def work(case: TalkCase) -> Told:
        told = await talk(case, case.turns)
        alone = [one for turn in case.turns[1:] for one in await talk(case, (turn,))] if job.alone else []
        return Told(tuple(told), tuple(alone))

    try:
        return await job.each("talks", work)
    finally:
        await asked.aclose()


def score(done: Done[TalkCase, Told]) -> Evaluation:
    judged = {case.line: [_judged(turn, held) for turn, held in _pairs(case, told)] for case, told in done.measured}
    rated = {
        case.line: [
            Rated(one.verdict, one.missed_serious, alone.verdict if alone is not None else None)
            for one, alone in zip(judged[case.line], _alone(case, told), strict=True)
        ]
        for case, told in done.measured
    }
    talks = list(rated.values())
    together = metrics.score(talks)
    paired = metrics.against_alone(talks)
    by_kb = {
        kb: metrics.score([rated[case.line] for case, _ in done.measured if case.kb == kb])
        for kb in dict.fromkeys(case.kb for case, _ in done.measured)
    }
    later = metrics.later(talks)
    groups = {"": together, "later.": later, **{f"by_kb.{kb}.": found for kb, found in by_kb.items()}}
    bounds: dict[str, Interval | None] = {
        f"{group}{name}": (low, high) for group, found in groups.items() for name, (low, high) in found["ci"].items()
    }
    if paired is not None:
        bounds["alone.difference"] = (paired["ci"][0], paired["ci"][1]) if paired["ci"] else None
    return Evaluation(
        metrics={
            **together,
            "by_kb": by_kb,
            "later": later,
            **({"alone": paired} if paired is not None else {}),
        },
        details={"verdicts": dict(Counter(one.verdict.value for turns in talks for one in turns))},
        intervals=bounds,
        rows=[row for case, told in done.measured for row in _rows(case, told, judged[case.line])] + done.unmeasured,
        interrupted=done.interrupted,
    )


def reply(turn: Said, response: Mapping[str, Any]) -> Reply:
    """What the visitor got, as the verdict reads it."""
    text = shown(response)
    routing = response.get("routing")
    offer = (response.get("escalation") or {}).get("offer") or Offer.NONE
    return Reply(
        texts=(text, plain(text)),
        routing=Routing(routing) if routing else None,
        offer=Offer(offer),
        disclaimer=bool(response.get("disclaimer")),
        names_article=_names(turn, response),
        quotes=bool(response.get("citations") or response.get("pieces")),
    )


def _judged(turn: Said, response: Mapping[str, Any]) -> Judged:
    return verdict.judge(turn.want, reply(turn, response))


def _pairs(case: TalkCase, told: Told) -> Iterator[tuple[Said, dict[str, Any]]]:
    return zip(case.turns, told.turns, strict=True)


def _alone(case: TalkCase, told: Told) -> list[Judged | None]:
    """The first message is alone already, and compared with nothing."""
    if not told.alone:
        return [None] * len(case.turns)
    return [None, *(_judged(turn, held) for turn, held in zip(case.turns[1:], told.alone, strict=True))]


def _names(turn: Said, response: Mapping[str, Any]) -> bool:
    """Whether a closest card is of an article that answers, whatever the row calls it."""
    cited = {citation["index"]: citation for citation in response.get("citations") or ()}
    titles: dict[str, str] = {}
    urls: dict[str, str] = {}
    for card in closest(response):
        piece = piece_of(card, response) or {}
        behind = cited.get(piece.get("citation")) or cited.get(card.get("citation")) or {}
        passage = str(card.get("id") or behind.get("id") or "")
        title = str(card.get("title") or behind.get("title") or "")
        article = str(card.get("article_id") or passage.rpartition("/")[0] or title)
        titles[article], urls[article] = title, str(card.get("url") or behind.get("url") or "")
    known = KnownArticles(titles, {article: url for article, url in urls.items() if url}, titles)
    return any(known.resolve(name) is not None for name in turn.article)


def _rows(case: TalkCase, told: Told, judged: list[Judged]) -> Iterator[dict[str, Any]]:
    for number, ((turn, held), one) in enumerate(zip(_pairs(case, told), judged, strict=True), 1):
        yield {
            "id": f"{case.id}/{number}",
            "line": case.line * TURNS_PER_LINE + number,
            "kb": case.kb,
            "say": turn.say,
            "verdict": one.verdict.value,
            "right_or_refused": one.verdict in GOOD,
            "missed_serious": one.missed_serious,
            "routing": held.get("routing"),
            "wanted": [routing.value for routing in turn.want.routing],
            "person": {"wanted": turn.want.person, "offer": (held.get("escalation") or {}).get("offer")},
            "matched": list(one.matched),
            "missed": list(one.missed),
            "forbidden": list(one.forbidden),
            "confidence": held.get("confidence"),
            "shown": shown(held),
        }
