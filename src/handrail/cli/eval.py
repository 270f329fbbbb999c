"""`handrail eval`: measure, with a run record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from handrail.cli import KB, Json, eval_aims, eval_gate, eval_runs, eval_talks, notes, results, settings_for
from handrail.errors import MissingExtra
from handrail.settings import load_settings
from handrail.settings.paths import SAMPLE_KB

app = typer.Typer(
    help="Measure routing, retrieval, refusals, answers, attacks and speed; each run leaves a record.",
    no_args_is_help=True,
)

app.command()(eval_runs.runs)
app.command()(eval_runs.score)
app.command()(eval_runs.compare)
app.command()(eval_runs.report)
app.command()(eval_gate.gate)
app.command()(eval_aims.aims)
app.command()(eval_talks.talks)


ABOUT = {
    "routing": """How well messages are sorted into the five labels. Rows: {"id", "text", "label"}.""",
    "retrieval": """How far up the right articles are found. Rows: {"question", "article_ids": [...]}.""",
    "refusal": """Whether it refuses what the articles do not answer. Rows: {"id", "question", "should_refuse"}.

    A row may also have "expected_doc", "alt_docs" and a "bucket" (refuse, answer, boundary).""",
    "answers": """How good answers are, and whether they prove what they say. Rows: {"question", "answer"}.

    Where the settings name a judge, an LLM rates them; without one the local verifier does, and is named so.""",
    "conversation": """Whether a follow-up finds what it needs. Rows: {"id", "turns": [...], "last_needs"}.""",
    "claims": """Whether claims are told from what a passage states. Rows: {"id", "claim", "passage", "label"}.""",
    "answerable": """Whether a passage that answers is told from one that only looks right.

    Rows: {"id", "question", "passage", "answerable"}; nothing ships, so name a --file or a --dataset.""",
    "injection": """Whether messages or planted articles can give it orders. Rows: {"id", "text", "attack"}.""",
}
"""Commands that read rows and measure each."""

EXAMPLES = """

One JSON object per line; other fields are ignored. docs/evaluation.md says what each figure means. Examples:

handrail eval {name} --kb acme --file rows.jsonl --json

handrail eval {name} --corpus path/to/articles --file rows.jsonl
"""

COMPANIES_EXAMPLE = """

handrail eval routing --file rows.jsonl --companies companies.jsonl

A row's "company" is the "id" of one with "name", "covers" and "articles" ("title", "text"), whose assistant is asked.
"""

File = Annotated[
    Path | None,
    typer.Option("--file", help="JSON lines to measure on; default is the sample help centre's, with --kb sample."),
]
DatasetName = Annotated[
    str | None, typer.Option("--dataset", metavar="NAME", help="A known dataset; `handrail eval datasets` lists them.")
]
Data = Annotated[
    Path | None, typer.Option("--data", help="Folder or file with a local copy of that dataset; default is the Hub.")
]
Corpus = Annotated[
    Path | None,
    typer.Option("--corpus", help="Articles for the rows of --file: a folder, archive or JSON lines; indexed apart."),
]
CompaniesFile = Annotated[
    Path | None, typer.Option("--companies", help="JSON lines of companies whose assistants the rows of --file ask.")
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first so many usable rows.")]
Resume = Annotated[
    str | None, typer.Option("--resume", metavar="RUN", help="Go on with an interrupted run; nothing may have changed.")
]
Runs = Annotated[
    Path | None,
    typer.Option(
        "--runs", help="Folder for run records; default is eval/runs, in the data folder where there is no clone."
    ),
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
def latency(kb: KB = None, file: File = None, as_json: Json = False, limit: Limit = None, runs: Runs = None) -> None:
    """How fast local turns, a server under 20 visitors, and ingest are. Questions come from retrieval rows.

    No LLM is asked, whatever the settings say. It takes a minute or two on a machine that does nothing else.
    """
    _measure("latency", kb, {"file": file}, {"as_json": as_json, "limit": limit, "runs": runs})


@app.command()
def datasets(data: Data = None, as_json: Json = False) -> None:
    """The datasets there are: rows, licence, and the hashes they are checked against."""
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
    try:
        status: int = evaluation.run(command, settings, chosen, typer.echo, notes)
    except ModuleNotFoundError as error:
        raise MissingExtra(f"`handrail eval {command}` ({error.name})", "eval") from None
    if status:
        raise typer.Exit(status)
