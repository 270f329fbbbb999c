"""What each part is worth: talks held without it, beside the same talks with everything.

    python -m training.ablate --kb sample --kb energy [--talks sealed] [--part late --part reader …] [--out FILE]

Each knowledge base has to be indexed under its name. Rows are `eval/datasets/talks/<kb>.<talks>.jsonl`; of sealed ones
only counts are printed. For each part: the difference in turns right or rightly refused, and confidently wrong,
of everything less the rest without it, with 95 % intervals over conversations drawn with replacement, and what the part
costs in milliseconds of a median turn. A part stays where the lower bound of the first is above zero, here or on a
public set; floors for safety are exempt.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from eval.datasets.talks import TALKS, TalkCase
from eval.evaluators import question
from eval.evaluators.talks import reply
from eval.metrics.bootstrap import interval
from eval.talks import verdict
from eval.talks.asking import conversation_id, seen
from eval.talks.verdict import GOOD, Verdict
from handrail.assembly import Assistant
from handrail.settings import Settings, load_settings
from handrail.turn.present import response
from handrail.types import Understood

Patched = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, slots=True)
class Part:
    settings: dict[str, dict[str, object]]
    """What turns it off, by section and name."""
    patched: Patched = nullcontext
    """What stands in for it where no setting turns it off."""


@contextmanager
def _without_flag(**values: float) -> Iterator[None]:
    """An output of the heads that never says anything else than this."""
    made = Understood.__init__

    def init(self: Understood, *given: Any, **named: Any) -> None:
        made(self, *given, **named)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    with patch.object(Understood, "__init__", init):
        yield


PARTS: dict[str, Part] = {
    "reader": Part({"models": {"reader": False}}),
    "cross-encoder": Part({"models": {"reader": False, "reranker": "none"}}),
    "late interaction": Part({"retrieval": {"late_weight": 0.0}}),
    "whole articles": Part({"retrieval": {"article_weight": 0.0}}),
    "multilingual encoder": Part({"models": {"foreign": "none"}}),
    "courtesies left out": Part({}, lambda: patch("handrail.retrieve.hybrid.without_courtesies", str)),
    "listed codes": Part({}, lambda: patch("handrail.retrieve.codes.ListedCodes.unlisted", lambda *_: ())),
    "exact terms": Part({}, lambda: patch("handrail.retrieve.hybrid.exact_terms", lambda *_: ())),
    "requests cut apart": Part({}, lambda: patch("handrail.understand.local.pieces", lambda text: [text])),
    "articles under discussion": Part({}, lambda: patch("handrail.understand.history.under_discussion", lambda _: ())),
    "follow-ups": Part({}, lambda: _without_flag(depends=0.0)),
}


@dataclass(frozen=True, slots=True)
class Held:
    """Talks that were held: of each a pair of 0 and 1 for each turn, right and confidently wrong."""

    talks: Sequence[Sequence[tuple[int, int]]]
    ms: float
    """Of a median turn."""


async def hold(cases: Mapping[str, Sequence[TalkCase]], settings: Settings) -> Held:
    talks, times = [], []
    for kb, rows in cases.items():
        assistant = Assistant(
            settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
        )
        await assistant.start()
        try:
            for case in rows:
                told = []
                conversation = conversation_id()
                for turn in case.turns:
                    start = time.perf_counter()
                    asked = replace(question(turn.say, assistant.settings), conversation_id=conversation)
                    held = seen(response(await assistant.ask(asked)))
                    times.append((time.perf_counter() - start) * 1000)
                    found = verdict.judge(turn.want, reply(turn, held)).verdict
                    told.append((int(found in GOOD), int(found is Verdict.CONFIDENT_WRONG)))
                talks.append(told)
        finally:
            await assistant.stop()
    return Held(talks, float(np.median(times)))


def difference(everything: Held, without: Held, which: int) -> tuple[float, tuple[float, float]]:
    """Of everything less what is left without the part, in shares of turns, and its interval by conversation."""
    gained = [
        sum(a[which] for a in one) - sum(b[which] for b in other)
        for one, other in zip(everything.talks, without.talks, strict=True)
    ]
    sizes = np.asarray([len(one) for one in everything.talks])
    changed = np.asarray(gained)
    bounds = interval(len(changed), lambda rows: float(changed[rows].sum() / sizes[rows].sum()))
    return float(changed.sum() / sizes.sum()), bounds or (float("nan"), float("nan"))


def without(settings: Settings, part: Part) -> Settings:
    tree = settings.model_dump()
    for section, values in part.settings.items():
        tree[section] |= values
    return Settings.model_validate(tree)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", action="append", required=True, help="an indexed knowledge base that has talks")
    parser.add_argument("--talks", choices=("dev", "sealed"), default="sealed")
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="default is every part")
    parser.add_argument("--out", type=Path, help="the table is written there, too")
    given = parser.parse_args()
    settings = load_settings()
    settings = settings.model_copy(update={"suggest": settings.suggest.model_copy(update={"enabled": False})})
    cases = {
        kb: [TalkCase.model_validate({"line": at, **json.loads(line)}) for at, line in
             enumerate((TALKS / f"{kb}.{given.talks}.jsonl").read_text(encoding="utf-8").splitlines(), 1)]
        for kb in given.kb
    }  # fmt: skip
    everything = asyncio.run(hold(cases, settings))
    turns = sum(map(len, everything.talks))
    shares = [sum(turn[which] for talk in everything.talks for turn in talk) / turns for which in (0, 1)]
    names = ", ".join(given.kb)
    lines = [
        f"{len(everything.talks)} talks, {turns} turns ({given.talks}; {names}): right or rightly "
        f"refused {shares[0]:.3f}, confidently wrong {shares[1]:.3f}, {everything.ms:.0f} ms.",
        "",
        "| part | right or rightly refused | confidently wrong | ms a turn |",
        "|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    for name in given.part or PARTS:
        part = PARTS[name]
        with part.patched():
            rest = asyncio.run(hold(cases, without(settings, part)))
        cells = []
        for which in (0, 1):
            mean, (low, high) = difference(everything, rest, which)
            cells.append(f"{mean:+.3f} ({low:+.3f} to {high:+.3f})")
        lines.append(f"| {name} | {' | '.join(cells)} | {everything.ms - rest.ms:+.0f} |")
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
