"""`handrail prompts`: prompt versions, local and in Langfuse."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from handrail.cli import KB, Json, notes, results, settings_for
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


@app.command("list")
def list_(as_json: Json = False) -> None:
    """Local prompts, and the version Langfuse serves when it is configured."""
    from handrail.observe.prompt_sync import list_prompts

    settings = settings_for()
    registry = _registry(settings) if settings.observe.langfuse_configured else None
    rows = list_prompts(LocalPrompts(), registry, settings.observe.prompt_label)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))  # noqa: T201
        return
    for row in rows:
        remote = "not registered" if row.used_version is None else f"Langfuse version {row.used_version}"
        same = "" if row.same is None else (", same text" if row.same else ", text differs")
        results.print(f"{row.name:12} local {row.local_version:8} {remote if registry else ''}{same}")


@app.command()
def push(names: Names = None) -> None:
    """Register local prompts in Langfuse. A text that is already the latest version is left alone."""
    from handrail.observe.prompt_sync import push_prompts

    settings = settings_for()
    registry = _registry(settings)
    for row in push_prompts(names or [], LocalPrompts(), registry, settings.observe.prompt_label):
        notes.print(f"{row.name:12} {row.action} (version {row.version})")


@app.command()
def pull(
    names: Names = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that were edited locally.")] = False,
) -> None:
    """Write the prompts that Langfuse serves into the local files."""
    from handrail.observe.prompt_sync import pull_prompts

    settings = settings_for()
    registry = _registry(settings)
    folder = site_dir("prompts")
    if folder is None:
        raise SettingsError("this installation has no prompts folder to write to")
    for row in pull_prompts(names or [], LocalPrompts(), registry, folder, settings.observe.prompt_label, force=force):
        kept = " (edited locally; --force overwrites it)" if row.action == "kept" else ""
        notes.print(f"{row.name:12} {row.action}{kept}")


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
        print(LocalPrompts().text(name).text)  # noqa: T201
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
