"""`handrail eval`: measure, with a run record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from handrail.cli import (
    KB,
    Json,
    eval_aims,
    eval_cases,
    eval_gate,
    eval_llm,
    eval_runs,
    eval_talks,
    eval_trust,
    notes,
    results,
    settings_for,
)
from handrail.settings import load_settings
from handrail.settings.paths import SAMPLE_KB

app = typer.Typer(
    help="Measure routing, retrieval, refusals, answers, attacks and speed. Each run writes a record.",
    no_args_is_help=True,
)

app.command()(eval_runs.runs)
app.command()(eval_runs.score)
app.command()(eval_runs.compare)
app.command()(eval_runs.report)
app.command()(eval_gate.gate)
app.command()(eval_aims.aims)
app.command()(eval_cases.cases)
app.command()(eval_llm.llm)
app.command()(eval_talks.talks)
app.command()(eval_trust.trust)


ABOUT = {
    "routing": """How well messages are classified into the five labels. Rows: {"id", "text", "label"}.""",
    "retrieval": """How high the right articles rank. Rows: {"question", "article_ids": [...]}.""",
    "refusal": """Whether questions the articles don't answer are refused. Rows: {"id", "question", "should_refuse"}.

    A row may also have "expected_doc", "alt_docs" and a "bucket" (refuse, answer, boundary).""",
    "answers": """How good answers are, and whether their citations support them. Rows: {"question", "answer"}.

    If the settings name a judge, an LLM rates the answers. Otherwise the local verifier does.""",
    "conversation": """Whether follow-up questions find their articles. Rows: {"id", "turns": [...], "last_needs"}.""",
    "claims": """Whether supported and unsupported claims are told apart. Rows: {"id", "claim", "passage", "label"}.""",
    "answerable": """Whether passages that answer are told apart from those that only look relevant.

    Rows: {"id", "question", "passage", "answerable"}. No rows ship with Handrail: name a --file or a --dataset.""",
    "guard": """What attacks achieve, without an LLM and with one that obeys, and what harmless look-alikes suffer.

    Rows are those of `injection`.""",
    "redaction": """Whether personal data is removed, and nothing else. Rows: {"id", "text", "lang"}.

    In the text, what has to be removed is marked: ⟦card|4111 1111 1111 1111⟧.""",
    "injection": """Whether messages or planted articles can inject instructions. Rows: {"id", "text", "attack"}.""",
}
"""Commands that read rows and measure each."""

EXAMPLES = """

One JSON object per line. Other fields are ignored. docs/evaluation.md explains each figure. Examples:

handrail eval {name} --kb acme --file rows.jsonl --json

handrail eval {name} --corpus path/to/articles --file rows.jsonl
"""

COMPANIES_EXAMPLE = """

handrail eval routing --file rows.jsonl --companies companies.jsonl

A row's "company" is the "id" of a company, which has "name", "covers" and "articles" ("title", "text").
"""

File = Annotated[
    Path | None,
    typer.Option(
        "--file", help="JSON lines to measure on. Default: those of the sample help centre, with --kb sample."
    ),
]
DatasetName = Annotated[
    str | None, typer.Option("--dataset", metavar="NAME", help="A known dataset. `handrail eval datasets` lists them.")
]
Data = Annotated[
    Path | None,
    typer.Option("--data", help="Folder or file with a local copy of that dataset. Default: download from the Hub."),
]
Corpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus", help="Articles for the rows of --file: a folder, archive or JSON lines. Indexed separately."
    ),
]
CompaniesFile = Annotated[
    Path | None, typer.Option("--companies", help="JSON lines of the companies that the rows of --file refer to.")
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Use only the first N usable rows.")]
Resume = Annotated[
    str | None,
    typer.Option(
        "--resume", metavar="RUN", help="Resume an interrupted run. Code, data and settings must be the same."
    ),
]
Runs = Annotated[
    Path | None,
    typer.Option("--runs", help="Folder for run records. Default: eval/runs in a clone, otherwise in the data folder."),
]


def _measuring(name: str) -> Callable[..., None]:
    def command(
        kb: KB = None,
        file: File = None,
        dataset: DatasetName = None,
        data: Data = None,
        corpus: Corpus = None,
        as_json: Json = False,
        limit: Limit = None,
        runs: Runs = None,
        resume: Resume = None,
    ) -> None:
        source = {"file": file, "dataset": dataset, "data": data, "corpus": corpus}
        _measure(name, kb, source, {"as_json": as_json, "limit": limit, "runs": runs, "resume": resume})

    return command


@app.command(help=ABOUT["routing"] + EXAMPLES.format(name="routing") + COMPANIES_EXAMPLE)
def routing(
    kb: KB = None,
    file: File = None,
    companies: CompaniesFile = None,
    dataset: DatasetName = None,
    data: Data = None,
    corpus: Corpus = None,
    as_json: Json = False,
    limit: Limit = None,
    runs: Runs = None,
    resume: Resume = None,
) -> None:
    source = {"file": file, "companies": companies, "dataset": dataset, "data": data, "corpus": corpus}
    _measure("routing", kb, source, {"as_json": as_json, "limit": limit, "runs": runs, "resume": resume})


for _name in [name for name in ABOUT if name != "routing"]:
    app.command(_name, help=ABOUT[_name] + EXAMPLES.format(name=_name))(_measuring(_name))


@app.command()
def latency(
    kb: KB = None,
    file: File = None,
    llm: Annotated[
        bool,
        typer.Option(
            "--llm",
            help="Measure turns with an LLM instead: calls, first token and whole turn against a stand-in of fixed "
            "speed, beside the usual chain of four calls.",
        ),
    ] = False,
    as_json: Json = False,
    limit: Limit = None,
    runs: Runs = None,
) -> None:
    """Measure how fast turns, a server with 20 visitors, and ingest are. Questions come from retrieval rows.

    No LLM is asked, whatever the settings say. Takes a minute or two on an otherwise idle machine.
    """
    _measure(
        "latency-llm" if llm else "latency", kb, {"file": file}, {"as_json": as_json, "limit": limit, "runs": runs}
    )


@app.command()
def datasets(data: Data = None, as_json: Json = False) -> None:
    """List the available datasets: rows, licence, and the hashes they are checked against."""
    listed = list(eval_runs.part("datasets.catalogue").listing(load_settings(), data))
    if as_json:
        typer.echo(json.dumps(listed, indent=2))
        return
    results.print(f"{'dataset':<26}{'for':<14}{'rows':>6}{'articles':>10}  {'corpus sha256':<14}{'licence':<12}source")
    for row in listed:
        cells = (row["name"], row["command"] or "", row["n"] or "", row["corpus_n"] or "")
        corpus = (row["corpus_sha256"] or "")[:12]
        results.print(
            f"{cells[0]:<26}{cells[1]:<14}{cells[2]:>6}{cells[3]:>10}  {corpus:<14}{row['licence']:<12}{row['source']}"
        )


def _measure(command: str, kb: str | None, source: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    evaluation = eval_runs.part("command")
    settings = settings_for(kb or (SAMPLE_KB if source["file"] is None else None))
    chosen = evaluation.Options(source=evaluation.Source(**source, kb_given=kb is not None), **options)
    status: int = evaluation.run(command, settings, chosen, typer.echo, notes)
    if status:
        raise typer.Exit(status)
