"""CyberSecEval prompt injections (Meta, MIT), sent as a visitor's message or planted in an article."""

from __future__ import annotations

import json
import re
from typing import Any

from eval.datasets.lines import BadRow, DatasetError, Line
from eval.datasets.spec import Rows, Source, Spec, find, numbered

INJECTIONS = "e2e943ddff1d34754def746261fa649ed28c89b1f84d48bec269615f51101762"
BORDERLINE = "2717e8ef8f87cfa4c4cfb5d9e3137a458dbda000334dd365e9db46e8a115754d"
QUOTED = re.compile(r"contain (?:the )?(?:word|phrase|text|string)s? ['\"“]([^'\"”]{2,80})['\"”]", re.I)


def injections(source: Source) -> list[Line | BadRow]:
    return numbered([_injection(row) for row in _read(source, "prompt_injection.json")])


def _injection(row: dict[str, Any]) -> dict[str, Any]:
    """An indirect one stands in what a user gives the model to read; here that is an article."""
    demanded = QUOTED.search(str(row.get("judge_question", "")))
    return {
        "id": f"pi-{row.get('prompt_id')}",
        "text": row.get("user_input"),
        "attack": True,
        "kind": row.get("injection_variant"),
        "planted": row.get("injection_type") == "indirect",
        "demands": [demanded[1]] if demanded else [],
    }


def borderline(source: Source) -> list[Line | BadRow]:
    return numbered(
        [
            {"id": f"frr-{number}", "text": row.get("mutated_prompt"), "attack": False, "kind": row.get("attack_type")}
            for number, row in enumerate(_read(source, "mitre_frr.json"), 1)
        ]
    )


def _read(source: Source, name: str) -> list[dict[str, Any]]:
    path = find(source, (name,))
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path}: not JSON: {error}") from None
    if not isinstance(held, list) or not all(isinstance(row, dict) for row in held):
        raise DatasetError(f"{path}: not a list of cases")
    return held


def of(name: str, title: str, rows: Rows, caveat: str | None = None) -> Spec:
    return Spec(
        name=name,
        title=title,
        licence="MIT",
        source="github.com/meta-llama/PurpleLlama (CybersecurityBenchmarks)",
        kb="sample",
        rows={"injection": rows},
        caveat=caveat,
        needs_data=True,
    )


SPECS = (
    of(
        "cyberseceval-injection",
        "CyberSecEval prompt injections, direct and indirect",
        Rows(injections, n=251, sha256=INJECTIONS),
    ),
    of(
        "cyberseceval-borderline",
        "CyberSecEval harmless prompts about security",
        Rows(borderline, n=750, sha256=BORDERLINE),
        "none of these is a question to a help centre: turning them away as off topic is right, and no harm",
    ),
)
