"""`python -m eval.bench_quotes --set KB FILE …`: do extractive answers quote what answers the question?

FILE has lines of `{"question", "keys"}`: exact words of an article, any of which answers the core of the question. No
gate takes part: every question is answered from its evidence. Prints, by knowledge base, the share of questions whose
evidence holds a key, and for answers of one and of up to three sections how many quote one and how long they are.
`--neighbours 0 1 2` compares answers of the default length with that many passages beside each of the best two hits.
`--variants - retrieval.everyday=false` compares answers of the default length under settings as `eval.variants` takes
them, by knowledge base and together; `--changed` also prints the questions that gain or lose their key.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from eval.metrics.paired import paired
from eval.variants import changed
from handrail.assembly import build_parts
from handrail.answer.compose import SECTIONS
from handrail.answer.extractive import ExtractiveAnswerer
from handrail.answer.planted import planted
from handrail.answer.units import units
from handrail.markdown import plain
from handrail.turn.outcome import UNKNOWN
from handrail.retrieve.opening import BeginningOfTheArticle
from handrail.settings import Generate, Settings, load_settings
from handrail.stores.snapshot import Snapshot
from handrail.types import Claim, Evidence
from handrail.wording import load_wording

MARKS = re.compile(r"[*`|]")


@dataclass(frozen=True, slots=True)
class Quoted:
    """One question: whether a key stands in its evidence and in its answers of one and of up to three sections."""

    possible: bool
    one: bool
    more: bool
    words_one: int
    words_more: int
    known: bool
    """Whether the answer is given without the word that it is no more than the closest passages."""


async def quote(settings: Settings, lines: list[str], reaches: Sequence[int]) -> dict[int, list[Quoted]]:
    """By number of neighbours, the same questions in the same order."""
    widest = settings.retrieval.model_copy(update={"neighbours": max(reaches)})
    settings = settings.model_copy(update={"retrieval": widest})
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        answerer = ExtractiveAnswerer(
            parts.quote, settings.generate, load_wording(settings.brand.name), None, near=parts.nearness(settings)
        )
        begin = BeginningOfTheArticle(parts.snapshot)
        rows: dict[int, list[Quoted]] = {reach: [] for reach in reaches}
        for line in lines:
            asked = json.loads(line)
            keys = [flat(key) for key in asked["keys"]]
            evidence = await retriever.retrieve(asked["question"], {}, await retriever.probe(asked["question"]))
            found = [
                await _quoted(begin(within(evidence, parts.snapshot, reach)), keys, answerer, settings.generate)
                for reach in reaches
            ]
            for reach, quoted in zip(reaches, found, strict=True):
                rows[reach] += [quoted] if quoted is not None and all(found) else []
        return rows
    finally:
        parts.close()


def within(evidence: Evidence, snapshot: Snapshot, reach: int) -> Evidence:
    """`evidence` without neighbours that are farther away than `reach` from the best two hits."""
    best = [hit.passage for hit in evidence.hits if not hit.neighbour][:2]
    near = {passage.id for hit in best for passage in snapshot.neighbours(hit, reach)}
    return replace(evidence, hits=[hit for hit in evidence.hits if not hit.neighbour or hit.passage.id in near])


async def _quoted(
    evidence: Evidence, keys: list[str], answerer: ExtractiveAnswerer, settings: Generate
) -> Quoted | None:
    hits = evidence.hits[: settings.context_passages]
    found = [unit for unit in units(hits) if not planted(unit)]
    if not keys or not found:
        return None
    scored = await answerer.score(evidence.query, found)
    answers = [
        _text(answerer.composed(evidence.query, scored, found, hits, sections=sections)) for sections in (1, SECTIONS)
    ]
    given = flat(" ".join(line for unit in found for line in unit.lines))
    possible, one, more = (any(key in text for key in keys) for text in (given, *answers))
    known = not scored or scored[0].logit >= UNKNOWN
    words_one, words_more = (len(text.split()) for text in answers)
    return Quoted(possible, one, more, words_one, words_more, known)


def _text(claims: list[Claim]) -> str:
    return flat("\n".join(claim.text for claim in claims))


def flat(text: str) -> str:
    """As a reader sees it, on one line."""
    return " ".join(MARKS.sub(" ", plain(text)).split())


def show(kb: str, rows: list[Quoted]) -> None:
    one, more = (np.asarray([getattr(row, name) for row in rows], dtype=np.float64) for name in ("one", "more"))
    change = paired(one, more)
    low, high = change.interval or (float("nan"), float("nan"))
    sys.stdout.write(
        f"{kb}: n={len(rows)}, key among the evidence {np.mean([row.possible for row in rows]):.3f}; "
        f"quoted by one section {change.a:.3f} ({np.mean([row.words_one for row in rows]):.0f} words), "
        f"by up to three {change.b:.3f} ({np.mean([row.words_more for row in rows]):.0f} words), "
        f"change {change.difference:+.3f} ({low:+.3f} to {high:+.3f}); {_called_closest(rows)}\n"
    )


def _called_closest(rows: list[Quoted]) -> str:
    """How often answers that are called the closest passages quote a key, and the others."""
    parts = [[row.more for row in rows if row.known is known] for known in (False, True)]
    (n, share), (m, other) = ((len(part), np.mean(part) if part else float("nan")) for part in parts)
    return f"called the closest {n}, a key in {share:.3f}; others {m}, in {other:.3f}"


def show_neighbours(kb: str, rows: dict[int, list[Quoted]]) -> None:
    (first, without), *others = sorted(rows.items())
    before = np.asarray([row.more for row in without], dtype=np.float64)
    sys.stdout.write(f"{kb}: n={len(without)}, {_reached(first, without)}\n")
    for reach, found in others:
        change = paired(before, np.asarray([row.more for row in found], dtype=np.float64))
        low, high = change.interval or (float("nan"), float("nan"))
        sys.stdout.write(f"  {_reached(reach, found)}, change {change.difference:+.3f} ({low:+.3f} to {high:+.3f})\n")


def _reached(reach: int, rows: list[Quoted]) -> str:
    return _shares(f"{reach} neighbours", rows)


def compare(settings: Settings, sets: Sequence[tuple[str, str]], variants: Sequence[str], *, questions: bool) -> None:
    together: dict[str, list[Quoted]] = {variant: [] for variant in variants}
    for kb, file in sets:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        of_kb = {}
        for variant in variants:
            chosen = of_base(changed(settings, variant), kb)
            of_kb[variant] = asyncio.run(quote(chosen, lines, [chosen.retrieval.neighbours]))[
                chosen.retrieval.neighbours
            ]
            together[variant] += of_kb[variant]
        show_variants(kb, of_kb)
        for line, *rows in zip(lines, *of_kb.values(), strict=True) if questions else ():
            if len({row.more for row in rows}) > 1:
                sys.stdout.write(f"    {[int(row.more) for row in rows]} {json.loads(line)['question']}\n")
    show_variants("together", together)


def show_variants(kb: str, rows: dict[str, list[Quoted]]) -> None:
    (name, first), *others = rows.items()
    before = np.asarray([row.more for row in first], dtype=np.float64)
    sys.stdout.write(f"{kb}: n={len(first)}, {_shares(name, first)}; {_called_closest(first)}\n")
    for name, found in others:
        change = paired(before, np.asarray([row.more for row in found], dtype=np.float64))
        low, high = change.interval or (float("nan"), float("nan"))
        sys.stdout.write(
            f"  {_shares(name, found)}, change {change.difference:+.3f} ({low:+.3f} to {high:+.3f}); "
            f"{_called_closest(found)}\n"
        )


def _shares(name: str, rows: list[Quoted]) -> str:
    shares = (np.mean([getattr(row, key) for row in rows]) for key in ("possible", "more", "words_more"))
    return "{}: key among the evidence {:.3f}, quoted {:.3f} ({:.0f} words)".format(name, *shares)


def of_base(settings: Settings, kb: str) -> Settings:
    return settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    parser.add_argument("--neighbours", nargs="+", type=int, metavar="N")
    parser.add_argument("--variants", nargs="+", metavar="VARIANT")
    parser.add_argument("--changed", action="store_true")
    settings = load_settings()
    options = parser.parse_args()
    if options.variants:
        compare(settings, options.sets, options.variants, questions=options.changed)
        return
    for kb, file in options.sets:
        chosen = of_base(settings, kb)
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        reaches = options.neighbours or [settings.retrieval.neighbours]
        rows = asyncio.run(quote(chosen, lines, reaches))
        if options.neighbours:
            show_neighbours(kb, rows)
        else:
            show(kb, rows[reaches[0]])


if __name__ == "__main__":
    main()
