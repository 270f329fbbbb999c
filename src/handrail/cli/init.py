"""`handrail init`: a company's own profile from five questions."""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from handrail.cli import notes, results
from handrail.errors import SettingsError

QUESTIONS = {
    "company": "What is your company called?",
    "offers": "What do you offer, in one line?",
    "articles": "Where are your help articles? An address such as https://help.example.com, or a folder",
    "languages": "Which languages do you answer in? That of your articles first, such as en,de",
    "person": "Where do people reach a person? An e-mail address, page or number, or `nobody`",
}
DEFAULTS = {"languages": "en"}
STEPS = (
    "handrail models fetch",
    "handrail sync",
    "handrail doctor",
    "handrail desk user add you@example.com --role admin",
    "handrail serve",
)


def init(
    folder: Annotated[Path, typer.Argument(help="Where the settings go. It is made if there is none.")] = Path(),
    company: Annotated[str | None, typer.Option(help=QUESTIONS["company"])] = None,
    offers: Annotated[str | None, typer.Option(help=QUESTIONS["offers"])] = None,
    articles: Annotated[str | None, typer.Option(help=QUESTIONS["articles"])] = None,
    languages: Annotated[str | None, typer.Option(help=QUESTIONS["languages"])] = None,
    person: Annotated[str | None, typer.Option(help=QUESTIONS["person"])] = None,
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML file with these five keys; options are stronger.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write config.toml anew. The old one becomes config.toml.old.")
    ] = False,
) -> None:
    """Write config.toml, .env and .gitignore for your own company. Asks for what isn't given, in a terminal.

    Topics and questions for an empty chat are proposed from your articles. Files that exist are kept, and secrets are
    never replaced. Example:

    handrail init acme --company "Acme" --offers "Parcel lockers for shops" --articles help/ --person help@acme.example
    """
    from handrail.assembly import profile

    given = {"company": company, "offers": offers, "articles": articles, "languages": languages, "person": person}
    config = folder / "config.toml"
    if config.exists() and not force:
        notes.print(f"{config} stays as it is (--force writes it anew)")
    else:
        said = profile.answers_from(_said(given, answers))
        proposal = profile.proposed(said)
        if proposal.problem and not said.site:
            raise SettingsError(proposal.problem)
        text = profile.config_text(said, profile.settings_of(said, proposal, folder))
        folder.mkdir(parents=True, exist_ok=True)
        if config.exists():
            config.replace(config.with_name("config.toml.old"))
        _write(config, text, 0o644)
        _told(proposal)
    env, ignored = folder / ".env", folder / ".gitignore"
    if force or not env.exists():
        before = env.read_text(encoding="utf-8") if env.exists() else ""
        _write(env, profile.env_text(before, signed=(folder / "var" / "secret.key").exists()), 0o600)
    if not ignored.exists():
        _write(ignored, "\n".join(profile.IGNORED) + "\n", 0o644)
    results.print(f"{config}, {env} and {ignored.name} are ready. Next:")
    for step in STEPS if folder == Path() else (f"cd {folder}", *STEPS):
        results.print(f"  {step}")


def _said(given: dict[str, str | None], file: Path | None) -> dict[str, Any]:
    """What the file, then the options, say; the rest is asked. Raises SettingsError where nobody can be."""
    said: dict[str, Any] = {}
    if file is not None:
        try:
            said = tomllib.loads(file.read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(f"{file} can't be read: {error}") from None
    said |= {key: value for key, value in given.items() if value is not None}
    missing = [key for key in QUESTIONS if key not in said]
    if missing and sys.stdin.isatty():
        said |= {key: typer.prompt(QUESTIONS[key], default=DEFAULTS.get(key)) for key in missing}
    elif needed := [key for key in missing if key not in DEFAULTS]:
        options = ", ".join(f"--{key}" for key in needed)
        raise SettingsError(f"nobody can be asked here: give {options}, or a file of answers with --answers")
    if isinstance(said.get("languages"), str):
        said["languages"] = said["languages"].split(",")
    return said


def _told(proposal: Any) -> None:
    if proposal.problem:
        notes.print(f"[yellow]no proposals[/] {proposal.problem}", soft_wrap=True)
        return
    notes.print(f"{proposal.articles} articles were read. Proposed, for you to change in config.toml:")
    notes.print(f"  topics: {', '.join(proposal.topics) or 'none'}", soft_wrap=True)
    notes.print(f"  questions: {' '.join(proposal.starters) or 'none'}", soft_wrap=True)


def _write(path: Path, text: str, mode: int) -> None:
    """Whole or not at all, and never readable for others before it has its mode."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    Path(scratch).chmod(mode)
    Path(scratch).replace(path)
