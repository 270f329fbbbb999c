"""`handrail eval cases`: small folders of articles, with what the answer to a question must and must not hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from handrail.cli import Json, notes, results, settings_for
from handrail.cli.eval_runs import part


def cases(
    path: Annotated[
        Path, typer.Argument(help="A folder with expected.jsonl, or the file itself; folders in it hold articles.")
    ],
    as_json: Json = False,
) -> None:
    """Ask each question of its own folder of articles, and check what must and must not be in the answer.

    Rows: {"id", "folder", "question", "must": [...], "must_not": [...], "or_says_more"?}. Other fields are ignored. A
    row's folder is read as `handrail ingest` reads it; "." is all folders beside the file. Words are compared as they
    stand, whatever their case: all of "must" are in the answer, and none of "must_not" is in anything that is shown.
    The exit code is 1 if a case fails. Example:

    handrail eval cases path/to/import-cases
    """
    module = part("cases")
    verdicts = list(module.check(settings_for(), path, notes))
    if as_json:
        print(json.dumps(module.as_json(verdicts), ensure_ascii=False, indent=2))  # noqa: T201
    else:
        for one in verdicts:
            results.print(f"{'pass' if one.passed else 'FAIL'}  {one.id}: {one.question}")
            if not one.passed:
                results.print(f"      missing {one.missing}, not wanted {one.present}; {one.routing}: {one.answer!r}")
    failed = sum(not one.passed for one in verdicts)
    notes.print(f"{len(verdicts) - failed} of {len(verdicts)} cases pass")
    if failed:
        raise typer.Exit(1)
