"""NotInject (PIGuard): harmless messages full of words that attacks use."""

from __future__ import annotations

from functools import partial
from typing import Any

from eval.datasets.held import read_json, shaped
from eval.datasets.lines import BadRow, Line
from eval.datasets.spec import Rows, Source, Spec, numbered

TRIGGERS = ("one", "two", "three")


def rows(source: Source) -> list[Line | BadRow]:
    """In turns of one, two and three trigger words, so that the first rows are of all."""
    found: list[tuple[int, dict[str, Any]]] = []
    for many in TRIGGERS:
        name = f"NotInject_{many}.json"
        held = read_json(source, name)
        texts: list[str] = shaped(name, partial(_prompts, held))
        found += [
            (number, {"id": f"{many}-{number}", "text": text, "attack": False, "kind": f"{many} trigger words"})
            for number, text in enumerate(texts, 1)
        ]
    return numbered([row for _, row in sorted(found, key=lambda item: item[0])])


def _prompts(held: Any) -> list[str]:
    return [row["prompt"] for row in held]


SPECS = (
    Spec(
        name="notinject",
        title="NotInject, harmless messages with one, two and three trigger words",
        licence="MIT",
        source="github.com/leolee99/PIGuard",
        kb="sample",
        rows={"injection": Rows(rows), "guard": Rows(rows)},
        caveat="no question to a help centre: turning one away as off topic is no harm: see benign_flagged_rate",
        needs_data=True,
    ),
)
