"""Whether a change of prompts may be released: what experiments with exactly this change said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eval import record
from eval.experiment.running import COMMAND
from eval.experiment.verdict import MARGIN, Verdict
from eval.record import RecordError, Status
from handrail.errors import PermanentError


class GateClosed(PermanentError):
    """An experiment is missing, unfinished or red; the message says which command to run."""


def check(
    folder: Path, before: Mapping[str, str], after: Mapping[str, str], model: str | None, draft: str
) -> list[str]:
    """The ids of the experiments that allow it.

    `before` and `after` are the sha256 of every template served now and after the release, `model` the one that
    answers, `draft` where the new texts are, for the advice. Raises GateClosed.
    """
    run = f"handrail experiment run talks --prompts-b {draft}"
    names = ", ".join(name for name in after if after[name] != before.get(name))
    tried = [
        held for held in _experiments(folder) if _changes(held["a"]["prompts"], held["b"]["prompts"], before, after)
    ]
    if not tried:
        together = _with_more(folder, before, after)
        if together:
            raise GateClosed(f"{names} was tried only together with {together}: release them together, or run: {run}")
        raise GateClosed(f"no experiment has tried {names} with this text against the one served now. Run: {run}")
    fair = [
        held for held in tried if not held["settings_differ"] and held["model"] == model and held["margin"] <= MARGIN
    ]
    if not fair:
        raise GateClosed(
            f"experiments with this text of {names} also changed settings, or asked another model than {model}. "
            f"Run: {run}"
        )
    # Of one file the experiment with the most rows counts, the newest where there are several. A red one isn't outvoted
    # by a green one on other rows.
    last: dict[tuple[str, str], Mapping[str, Any]] = {}
    for held in sorted(fair, key=lambda held: -min(held["a"]["rows"], held["b"]["rows"])):
        last.setdefault((held["kind"], held["sha256"]), held)
    red = [held for held in last.values() if not (held["finished"] and Verdict(held["verdict"]).green)]
    if red:
        says = "; ".join(
            f"{held['id']} ({held['kind']}): {held['verdict'] if held['finished'] else 'not finished'}" for held in red
        )
        raise GateClosed(
            f"the gate of {names} is red: {says}. `handrail eval report {red[0]['id']} --out -` shows why. "
            f"Change the text, or give it more rows: {run} --file ROWS"
        )
    return [held["id"] for held in last.values()]


def _experiments(folder: Path) -> Iterator[dict[str, Any]]:
    """Newest first."""
    for held in record.records(folder):
        if isinstance(held, RecordError) or held["command"] != COMMAND:
            continue
        file = held["file"]
        finished = held["status"] == Status.FINISHED
        yield {**held[COMMAND], "id": held["run_id"], "finished": finished, "sha256": file["sha256"]}


def _changes(a: Mapping[str, str], b: Mapping[str, str], before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether A to B is the same change as before to after; prompts that neither changes may have moved on."""
    return _changed(a, b) == _changed(before, after)


def _changed(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, tuple[str | None, str]]:
    return {name: (one.get(name), text) for name, text in other.items() if one.get(name) != text}


def _with_more(folder: Path, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Prompts that an experiment changed beside just these."""
    wanted = _changed(before, after).items()
    for held in _experiments(folder):
        tried = _changed(held["a"]["prompts"], held["b"]["prompts"])
        if wanted < tried.items():
            return ", ".join(name for name in tried if name not in dict(wanted))
    return ""
