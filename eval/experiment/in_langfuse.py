"""An experiment in Langfuse: its rows as a dataset, and a run of that dataset for each side, with scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
from langfuse import Evaluation, Langfuse
from langfuse.api import NotFoundError
from opentelemetry.sdk.trace import TracerProvider

from eval import record
from eval.evaluators.talks import TURNS_PER_LINE
from eval.experiment.running import Found
from eval.measures import measures
from eval.texts import asked
from handrail.errors import HandrailError, RetryableError, SettingsError
from handrail.observe.registry import explained
from handrail.observe.scrub import scrub
from handrail.settings import Observe

TIMEOUT_S = 20
SHOWN = ("routing", "verdict", "refused", "answer", "shown")
"""What is sent of a row as its output."""


class InLangfuse:
    """Keys and address are checked before anything is measured. Raises HandrailError saying what to do."""

    def __init__(self, observe: Observe) -> None:
        if not (observe.langfuse_configured and observe.langfuse_secret_key):
            raise SettingsError(
                "--langfuse needs LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_HOST: set them, or leave it out"
            )
        self._host = observe.langfuse_host.rstrip("/")
        self._http = httpx.Client(timeout=TIMEOUT_S)
        self._provider = TracerProvider()
        self._client = Langfuse(
            public_key=observe.langfuse_public_key,
            secret_key=observe.langfuse_secret_key.get_secret_value(),
            base_url=self._host,
            environment=observe.environment,
            timeout=TIMEOUT_S,
            httpx_client=self._http,
            tracer_provider=self._provider,
        )
        with explained(self._host):
            self._client.api.projects.get()

    def close(self) -> None:
        self._client.shutdown()
        self._provider.shutdown()
        self._http.close()

    def write(self, found: Found, folder: Path) -> str:
        """The name of the dataset. The same experiment written again adds to the same items and runs."""
        a = found.runs[0]
        name = f"handrail-{found.kind}-{a.file.stem}"
        rows = [_by_item(found.kind, run.evaluation.rows) for run in found.runs]
        cases = {line: case for line, case in _cases(folder, a.id) if all(line in side for side in rows)}
        with explained(self._host):
            self._dataset(name)
            items = [
                self._client.create_dataset_item(
                    dataset_name=name,
                    id=_item_id(name, case),
                    input=scrub(_said(case)),
                    expected_output=scrub({key: value for key, value in case.items() if key != "id"}),
                    metadata={"row": str(case.get("id", line)), "line": line},
                )
                for line, case in cases.items()
            ]
        for letter, run, side in zip("AB", found.runs, rows, strict=True):
            self._run(found, letter, run.id, items, side)
        return name

    def _run(self, found: Found, letter: str, run: str, items: list[Any], rows: Mapping[int, list[Any]]) -> None:
        """Nothing is asked again: outputs and scores are those of the run record."""

        def task(*, item: Any, **_: Any) -> Any:
            return scrub([{n: row[n] for n in SHOWN if n in row} for row in rows[item.metadata["line"]]])

        def scores(*, metadata: Any, **_: Any) -> list[Evaluation]:
            values = [measures(found.kind, row) for row in rows[metadata["line"]]]
            names = dict.fromkeys(name for held in values for name in held if name in found.figures)
            means = {n: [held[n] for held in values if n in held] for n in names}
            return [Evaluation(name=n, value=sum(held) / len(held)) for n, held in means.items()]

        def said(**_: Any) -> Evaluation:
            return Evaluation(name="verdict", value=found.verdict.value, data_type="CATEGORICAL")

        side = found.sides["AB".index(letter)].given
        told = self._client.run_experiment(
            name=f"{found.id} {letter}",
            run_name=f"{found.id} {letter}",
            description=f"Side {letter} of {found.id}: handrail run {run}",
            data=items,
            task=task,
            evaluators=[scores],
            run_evaluators=[said] if letter == "B" else [],
            metadata={"run": run, "prompts": side.prompts or "in use", "set": " ".join(side.values) or "-"},
        )
        if len(told.item_results) != len(items):
            raise RetryableError(f"Langfuse took {len(told.item_results)} of {len(items)} rows: run the command again")

    def _dataset(self, name: str) -> None:
        try:
            self._client.api.datasets.get(name)
        except NotFoundError:
            self._client.create_dataset(name=name, description="Rows of handrail experiments")


def write(told: InLangfuse, found: Found, folder: Path) -> str:
    """One line about it. Raises HandrailError that says what is kept."""
    try:
        name = told.write(found, folder)
    except HandrailError as error:
        raise type(error)(
            f"{error}. Both sides are measured and kept; the same command again only writes them"
        ) from None
    return f"Langfuse dataset {name}, runs {found.id} A and {found.id} B"


def _by_item(kind: str, rows: list[dict[str, Any]]) -> dict[int, list[Any]]:
    """Rows that were measured, by the line of the evaluation file; a talk has one a turn."""
    found: dict[int, list[Any]] = {}
    for row in rows:
        if "error" not in row:
            line = row["line"] // TURNS_PER_LINE if kind == "talks" else row["line"]
            found.setdefault(line, []).append(row)
    return found


def _cases(folder: Path, run: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for line in record.rows_path(folder, run).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield int(row["line"]), dict(row["case"])


def _said(case: Mapping[str, Any]) -> Any:
    turns = case.get("turns")
    return [turn["say"] for turn in turns] if isinstance(turns, list) and "say" in turns[0] else asked(case)


def _item_id(dataset: str, case: Mapping[str, Any]) -> str:
    """The same for the same row of the same file, whenever it is written; ids are shared by a whole project."""
    return hashlib.sha256(f"{dataset}\0{case.get('id')}\0{_said(case)}".encode()).hexdigest()[:32]
