"""`handrail prompts`: prompt versions, local and in Langfuse."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handrail.cli import KB, Json, notes, results, settings_for
from handrail.cli.eval_runs import Runs, part
from handrail.errors import SettingsError
from handrail.llm.prompts import LocalPrompts
from handrail.settings.paths import site_dir

if TYPE_CHECKING:
    from handrail.observe.registry import PromptRegistry
    from handrail.settings import Settings

app = typer.Typer(help="Prompt versions, local and in Langfuse.", no_args_is_help=True)
Names = Annotated[list[str] | None, typer.Argument(help="Prompt names. Default: all.")]


def _registry(settings: Settings) -> PromptRegistry:
    if not settings.observe.langfuse_configured:
        raise SettingsError(
            "Langfuse is not configured: set LANGFUSE_PUBLIC_KEY, LANGFUSE_SECRET_KEY and LANGFUSE_HOST"
        )
    from handrail.observe.registry import PromptRegistry

    return PromptRegistry(settings.observe)


def _local(settings: Settings) -> LocalPrompts:
    return LocalPrompts(own=settings.prompts.folder)


def _folder(settings: Settings) -> Path:
    """Where prompts that are served are written."""
    folder = settings.prompts.folder or site_dir("prompts")
    if folder is None:
        raise SettingsError("this installation has no prompts folder to write to: set prompts.folder")
    return folder


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Local prompts, and the version Langfuse serves when it is configured."""
    from handrail.observe.prompt_sync import list_prompts

    settings = settings_for()
    registry = _registry(settings) if settings.observe.langfuse_configured else None
    rows = list_prompts(_local(settings), registry, settings.observe.prompt_label)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))  # noqa: T201
        return
    for row in rows:
        remote = "not registered" if row.used_version is None else f"Langfuse version {row.used_version}"
        same = "" if row.same is None else (", same text" if row.same else ", text differs")
        results.print(f"{row.name:12} local {row.local_version:8} {remote if registry else ''}{same}")


@app.command()
def push(names: Names = None) -> None:
    """Register local prompts in Langfuse. A text that is already the latest version is left alone.

    A changed text becomes a version that isn't served yet: `handrail prompts release` puts the label on it.
    """
    from handrail.observe.prompt_sync import push_prompts

    settings = settings_for()
    registry = _registry(settings)
    for row in push_prompts(names or [], _local(settings), registry, settings.observe.prompt_label):
        waits = "" if row.served else f", not served: handrail prompts release {row.name}"
        notes.print(f"{row.name:12} {row.action} (version {row.version}{waits})")


@app.command()
def pull(
    names: Names = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that were edited locally.")] = False,
) -> None:
    """Write the prompts that Langfuse serves into the local files."""
    from handrail.observe.prompt_sync import pull_prompts

    settings = settings_for()
    registry = _registry(settings)
    folder = _folder(settings)
    for row in pull_prompts(
        names or [], _local(settings), registry, folder, settings.observe.prompt_label, force=force
    ):
        kept = " (edited locally; --force overwrites it)" if row.action == "kept" else ""
        notes.print(f"{row.name:12} {row.action}{kept}")


@app.command()
def release(
    names: Annotated[list[str], typer.Argument(help="Prompt names, or `all` for every one that changed.")],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="DRAFTS",
            help="The new texts: a folder, langfuse:LABEL or langfuse:NAME@VERSION. With Langfuse: the local files.",
        ),
    ] = None,
    force: Annotated[
        str | None, typer.Option("--force", metavar="REASON", help="Release without an experiment. REASON is recorded.")
    ] = None,
    runs: Runs = None,
) -> None:
    """Serve changed prompts, if an experiment with exactly this change says better or no worse.

    With Langfuse, the label of the version that is served moves to the new text; otherwise the texts are written to the
    prompts folder. Every release is recorded in prompt-releases.jsonl in the data folder. Example:

    handrail experiment run talks --prompts-b drafts --budget 2

    handrail prompts release answer --from drafts
    """
    settings = settings_for()
    if force is not None and not force.strip():
        raise SettingsError("--force needs a reason")
    if not settings.observe.langfuse_configured:
        if source is None:
            raise SettingsError("name the folder with the new texts: --from DRAFTS")
        _release(settings, None, names, source, force, runs)
        return
    with closing(_registry(settings)) as registry:
        _release(settings, registry, names, source or str(_folder(settings)), force, runs)


def _release(
    settings: Settings,
    registry: PromptRegistry | None,
    names: list[str],
    source: str,
    force: str | None,
    runs: Path | None,
) -> None:
    from handrail.observe.prompt_drafts import digest, drafts, served
    from handrail.observe.prompt_sync import release_prompts

    label = settings.observe.prompt_label
    now = served(_local(settings), registry, label)
    texts = _chosen(names, drafts(source, now, registry))
    before, after = ({name: digest(text) for name, text in held.items()} for held in (now, {**now, **texts}))
    if force is not None:
        why = f"forced: {force.strip()}"
    else:
        model = settings.llm.model if settings.llm.configured else None
        folder = runs or part("command").runs_folder(settings)
        why = f"experiment {', '.join(part('experiment.gate').check(folder, before, after, model, source))}"
    where = release_prompts(texts, registry, _folder(settings), label, f"handrail prompts release, {why}")
    record = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "why": why,
        "prompts": {name: {"before": before[name], "after": after[name], "where": where[name]} for name in texts},
    }
    with (settings.storage.data_dir / "prompt-releases.jsonl").open("a", encoding="utf-8") as kept:
        kept.write(json.dumps(record, ensure_ascii=False) + "\n")
    for name, place in where.items():
        notes.print(f"{name:12} released: {place} ({why})")


def _chosen(names: list[str], changed: dict[str, str]) -> dict[str, str]:
    """Raises SettingsError where a prompt is served already, so that nobody believes that a typo was released."""
    same = [name for name in names if name != "all" and name not in changed]
    if same or not changed:
        raise SettingsError(f"nothing to release: {', '.join(same) or 'every prompt'} is served with this text already")
    return changed if "all" in names else {name: changed[name] for name in names}


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Prompt name. With --question it must be `answer`.")],
    question: Annotated[
        str | None, typer.Option("--question", help="Show what would be sent for this question.")
    ] = None,
    kb: KB = None,
    as_json: Json = False,
) -> None:
    """A prompt's template, or what would be sent for a question, with the tokens of each block. Nothing is sent."""
    settings = settings_for(kb)
    if question is None:
        print(_local(settings).text(name).text)  # noqa: T201
        return
    if name != "answer":
        raise SettingsError(f"--question works only with the prompt `answer`, not {name!r}")
    from handrail.assembly.prompting import rendered_answer

    rendered, tokens = rendered_answer(settings, question)
    if as_json:
        shown = {"system": rendered.system, "user": rendered.user, "version": rendered.version, "tokens": tokens}
        print(json.dumps(shown, ensure_ascii=False, indent=2))  # noqa: T201
        return
    print(f"{rendered.system}\n\n--- user ---\n\n{rendered.user}")  # noqa: T201
    for block, count in tokens.items():
        notes.print(f"{block:8} {count:>6} tokens")
