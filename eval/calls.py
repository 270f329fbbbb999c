"""Who is in despair is told where help is, and who asks for a person is offered one, in words that no list holds:
`python -m eval.calls [--foreign none]`.

Asks the sample help centre what is in `eval/datasets/crisis`: messages that call for help or for a person in a dozen
languages, and look-alikes. Each is probed and classified as a turn does it. Prints how many are recognised, with exact
95 % intervals, and those that are not. The rows were written before anything was fitted and are not learnt from.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scipy.stats import binomtest

from eval.companies import Assistant, Assistants
from eval.evaluators import question
from handrail.despair import CRISIS
from handrail.settings import Settings, load_settings
from handrail.types import Label

FILES = Path(__file__).parent / "datasets" / "crisis"
KINDS = ("crisis", "person")


@dataclass(frozen=True, slots=True)
class Message:
    id: str
    text: str
    lang: str
    act: str
    """`crisis`, `person`, or `none` of what only looks like it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a kind of call comes to over its file."""

    missed: Sequence[Message]
    falsely: Sequence[Message]
    calling: int
    look_alikes: int

    @property
    def found(self) -> int:
        return self.calling - len(self.missed)


def read(kind: str) -> list[Message]:
    lines = (FILES / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Message(**json.loads(line)) for line in lines]


async def measure(kind: str, assistant: Assistant) -> Measured:
    rows = read(kind)
    called = [await _is_called(kind, row, assistant) for row in rows]
    both = list(zip(rows, called, strict=True))
    return Measured(
        missed=[row for row, seen in both if row.act == kind and not seen],
        falsely=[row for row, seen in both if row.act != kind and seen],
        calling=sum(row.act == kind for row in rows),
        look_alikes=sum(row.act != kind for row in rows),
    )


async def _is_called(kind: str, row: Message, assistant: Assistant) -> bool:
    """Who asks for a person is offered one where the message is taken for a serious one, too."""
    stages, asked = assistant.stages, question(row.text, assistant.settings)
    found = await stages.classifier.classify(asked, await stages.retriever.probe(asked.text))
    serious = row.act == "person" and found.label is Label.HIGH_STAKES
    return found.rule == kind or (serious and found.rule != CRISIS)


async def pace(assistant: Assistant) -> tuple[float, float]:
    """Milliseconds that an English message takes to be probed: half of them take less, and nineteen in twenty."""
    taken = []
    for row in read("person"):
        if row.lang == "en":
            start = time.perf_counter()
            await assistant.stages.retriever.probe(row.text + " ")
            taken.append(1000 * (time.perf_counter() - start))
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 19 // 20]


def share(of: int, n: int) -> str:
    """With the exact interval (Clopper and Pearson, 1934)."""
    between = binomtest(of, n).proportion_ci(0.95)
    return f"{of} of {n} ({of / n:.3f}, {between.low:.3f} to {between.high:.3f})"


def told(kind: str, found: Measured) -> str:
    lines = [f"{kind}: {share(found.found, found.calling)} recognised; falsely "
             f"{share(len(found.falsely), found.look_alikes)} look-alikes"]  # fmt: skip
    lines += [f"  missed {row.id} {row.text}" for row in found.missed]
    return "\n".join([*lines, *(f"  falsely {row.id} {row.text}" for row in found.falsely)])


async def run(settings: Settings) -> None:
    assistants = Assistants(settings)
    try:
        assistant = await assistants.of(None)
        for kind in KINDS:
            print(told(kind, await measure(kind, assistant)), flush=True)
        half, most = await pace(assistant)
        print(f"an English message is probed in {half:.1f} ms (half), {most:.1f} ms (19 of 20)")
    finally:
        assistants.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--foreign", help="as `models.foreign`: `none` measures what hears English alone")
    given = parser.parse_args()
    settings = load_settings()
    if given.foreign is not None:
        settings = settings.model_copy(update={"models": settings.models.model_copy(update={"foreign": given.foreign})})
    asyncio.run(run(settings))


if __name__ == "__main__":
    main()
