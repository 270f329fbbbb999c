"""`python -m eval.bench_quotes --set KB FILE …`: do extractive answers quote what answers the question?

FILE has lines of `{"question", "keys"}`: exact words of an article, any of which answers the core of the question. No
gate takes part: every question is answered from its evidence. Prints, by knowledge base, the share of questions whose
evidence holds a key, and for answers of one and of up to two sections how many quote one and how long they are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval.metrics.paired import paired
from handrail.assembly import build_parts
from handrail.generate.compose import compose
from handrail.generate.extractive import ExtractiveAnswerer, orders
from handrail.generate.units import units
from handrail.markdown import plain
from handrail.settings import Settings, load_settings
from handrail.types import Claim
from handrail.wording import load_wording

MARKS = re.compile(r"[*`|]")


@dataclass(frozen=True, slots=True)
class Quoted:
    """One question: whether a key stands in its evidence and in its answers of one and of two sections."""

    possible: bool
    one: bool
    two: bool
    words_one: int
    words_two: int


async def quote(settings: Settings, lines: list[str]) -> list[Quoted]:
    parts = await asyncio.to_thread(build_parts, settings)
    try:
        retriever = parts.retriever(settings)
        answerer = ExtractiveAnswerer(parts.rerank, settings.generate, load_wording(settings.brand.name), None)
        rows = []
        for line in lines:
            asked = json.loads(line)
            keys = [_flat(key) for key in asked["keys"]]
            evidence = await retriever.retrieve(asked["question"], {}, await retriever.probe(asked["question"]))
            hits = evidence.hits[: settings.generate.context_passages]
            found = [unit for unit in units(hits, settings.generate.max_steps) if not orders(unit)]
            if not keys or not found:
                continue
            scored = await answerer.score(evidence.query, found)
            answers = [_text(compose(scored, found, settings.generate, sections=sections)) for sections in (1, 2)]
            given = _flat(" ".join(line for unit in found for line in unit.lines))
            holds = [any(key in text for key in keys) for text in (given, *answers)]
            rows.append(Quoted(*holds, *(len(text.split()) for text in answers)))
        return rows
    finally:
        parts.close()


def _text(claims: list[Claim]) -> str:
    return _flat("\n".join(claim.text for claim in claims))


def _flat(text: str) -> str:
    """As a reader sees it, on one line."""
    return " ".join(MARKS.sub(" ", plain(text)).split())


def show(kb: str, rows: list[Quoted]) -> None:
    one, two = (np.asarray([getattr(row, name) for row in rows], dtype=np.float64) for name in ("one", "two"))
    change = paired(one, two)
    low, high = change.interval or (float("nan"), float("nan"))
    sys.stdout.write(
        f"{kb}: n={len(rows)}, key among the evidence {np.mean([row.possible for row in rows]):.3f}; "
        f"quoted by one section {change.a:.3f} ({np.mean([row.words_one for row in rows]):.0f} words), "
        f"by up to two {change.b:.3f} ({np.mean([row.words_two for row in rows]):.0f} words), "
        f"change {change.difference:+.3f} ({low:+.3f} to {high:+.3f})\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", nargs=2, action="append", required=True, metavar=("KB", "FILE"), dest="sets")
    settings = load_settings()
    for kb, file in parser.parse_args().sets:
        chosen = settings.model_copy(update={"knowledge": settings.knowledge.model_copy(update={"kb": kb})})
        show(kb, asyncio.run(quote(chosen, Path(file).read_text(encoding="utf-8").splitlines())))


if __name__ == "__main__":
    main()
