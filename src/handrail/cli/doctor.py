"""`handrail doctor`: what is wrong with this installation, and what to change."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import BaseModel, Field, SecretStr

from handrail.cli import KB, Json, notes, results, settings_for
from handrail.cli.kb import collections
from handrail.cli.models import wanted
from handrail.errors import HandrailError, IndexBusy, ModelUnavailable, SettingsError
from handrail.llm.prompts import RenderedPrompt
from handrail.models.bundled import bundle
from handrail.models.fetch import locate
from handrail.records import RecordsUnavailable
from handrail.settings import Llm, LlmProvider, Settings, environment, public
from handrail.settings.load import of_the_sample
from handrail.settings.paths import SAMPLE_KB

State = Literal["ok", "warning", "problem"]
MARKS: dict[State, str] = {"ok": "ok", "warning": "warn", "problem": "FAIL"}
PROMPT = RenderedPrompt(
    "doctor", "You check whether a connection works.", "Reply with the word ready.", "1", "0" * 12, "local"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `do` says what to change, where something should be."""

    name: str
    state: State
    says: str
    do: str = ""


class Ready(BaseModel):
    """A sign of life."""

    word: str = Field(description="The word that was asked for.")


def doctor(
    kb: KB = None,
    as_json: Json = False,
    ask: Annotated[bool, typer.Option(help="Ask each configured language model one small question.")] = True,
) -> None:
    """Check settings, weights, records, Redis, knowledge base, branding and models. Exit code 1 if something is wrong.

    Example: handrail doctor --no-ask
    """
    findings = list(_findings(kb, ask=ask))
    well = all(found.state != "problem" for found in findings)
    if as_json:
        print(json.dumps({"ok": well, "findings": [asdict(found) for found in findings]}, indent=2))  # noqa: T201
    else:
        for found in findings:
            results.print(f"{MARKS[found.state]:4}  {found.name}: {found.says}")
            if found.do:
                results.print(f"      {found.do}")
    if not well:
        raise typer.Exit(1)


def _findings(kb: str | None, *, ask: bool) -> Iterator[Finding]:
    try:
        settings = settings_for(kb)
    except SettingsError as error:
        yield Finding("settings", "problem", str(error), "Correct the value, then run this again.")
        return
    yield Finding("settings", "ok", "all values are valid")
    yield from _public(settings)
    yield _data_folder(settings)
    yield _records(settings)
    yield _redis(settings)
    yield from _weights(settings)
    yield _knowledge(settings)
    yield from _branding(settings)
    yield from _language_models(settings, ask=ask)


def _public(settings: Settings) -> Iterator[Finding]:
    """What would keep a server from being open to everybody, where it is meant to be."""
    if not settings.server.public:
        return
    for problem in public.problems(settings):
        yield Finding("public server", "problem", problem, "Until then, `handrail serve` refuses to start.")


def _data_folder(settings: Settings) -> Finding:
    folder = settings.storage.data_dir.absolute()
    if _writable(folder):
        return Finding("data folder", "ok", f"{folder} can be written")
    return Finding("data folder", "problem", f"{folder} can't be written", "Change its owner, or set storage.data_dir.")


def _writable(folder: Path) -> bool:
    """Whether it is, or can be made."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _records(settings: Settings) -> Finding:
    from handrail.records.database import database_url, look_at
    from handrail.records.migrate import Tables

    check = "Check storage.database_url (DATABASE_URL), and that the database can be reached from here."
    try:
        url = database_url(settings.storage)
        file = Path(url.database).absolute() if url.get_backend_name() == "sqlite" and url.database else None
        host = str(url.host or url.query.get("host")).rpartition("@")[2]  # a password may hold an @ that isn't escaped
        where = f"SQLite at {file}" if file else f"{url.get_backend_name()} at {host}:{url.port or 5432}/{url.database}"
        with notes.status("looking at the records…"):
            tables = asyncio.run(look_at(settings.storage))
    except RecordsUnavailable as error:
        do = "Check its folder, its owner and its disk." if file else check
        return Finding("records", "problem", f"{where}: {error}", do)
    except HandrailError as error:
        return Finding("records", "problem", str(error), check)
    if tables is Tables.NEWER:
        do = "Upgrade this Handrail, or restore an older backup."
        return Finding("records", "problem", f"{where}: the tables were made by a newer Handrail", do)
    if tables is Tables.OLDER:
        do = "Back up, then run `handrail upgrade`; `handrail serve` does the same at its start."
        return Finding("records", "warning", f"{where}: the tables are those of an older version", do)
    if tables is Tables.MISSING and file is not None and not _writable(file.parent):
        return Finding("records", "problem", f"{where}: its folder can't be written", "Change the owner of the folder.")
    says = "no tables yet; the first start makes them" if tables is Tables.MISSING else "can be written, up to date"
    return Finding("records", "ok", f"{where}: {says}")


def _redis(settings: Settings) -> Finding:
    from handrail.accounts.keyspace import Keyspace
    from handrail.accounts.redis_client import look_at
    from handrail.accounts.redis_trouble import address_of

    url, keys = settings.limits.redis_url, Keyspace(settings.server.deployment or "doctor", settings.storage.tenant)
    if url is None:
        return Finding("Redis", "ok", "none is configured; each process counts and remembers by itself")
    try:
        with notes.status("looking at Redis…"):
            trouble = asyncio.run(look_at(url, keys.key("doctor")))
    except SettingsError as error:
        return Finding("Redis", "problem", str(error))
    if trouble is None:
        return Finding("Redis", "ok", f"{address_of(url)} can be written")
    do = "Check limits.redis_url (REDIS_URL), and that the server runs and can be reached from here."
    return Finding("Redis", "problem", f"{address_of(url)} {trouble}", do)


def _weights(settings: Settings) -> Iterator[Finding]:
    for spec in wanted(settings):
        try:
            locate(spec, settings.models.folder)
        except ModelUnavailable as error:
            yield Finding(f"weights of {spec.name}", "problem", str(error), "Run `handrail models fetch`.")
        else:
            yield Finding(f"weights of {spec.name}", "ok", "present and complete")
    fitted = bundle()
    name = f"model bundle {fitted.version}"
    if changed := fitted.changed:
        says = f"not as it shipped: {', '.join(changed)}"
        yield Finding(name, "problem", says, "Reinstall Handrail.")
    else:
        yield Finding(name, "ok", f"{len(fitted.sha256)} fitted files, as they shipped")


def _knowledge(settings: Settings) -> Finding:
    name, embedder = settings.knowledge.kb, settings.models.embedder
    what = f"knowledge base {name}"
    source = "--sample" if name == SAMPLE_KB else "PATH"
    ingest = f"Run `handrail ingest {source} --kb {name}`."
    try:
        rows = [row for row in collections(settings) if row["kb"] == name]
    except IndexBusy as error:
        return Finding(what, "warning", str(error), "Wait until the other process has finished, then run this again.")
    except HandrailError as error:
        return Finding(what, "problem", str(error))
    held = next((row for row in rows if row["embedder"] == embedder), None)
    if held is None and rows:
        says = f"indexed with {rows[0]['embedder']}, but models.embedder is {embedder}"
        return Finding(what, "problem", says, ingest)
    if held is None:
        return Finding(what, "problem", "nothing is indexed", ingest)
    if not held["complete"]:
        return Finding(what, "problem", "it is being built, or an ingest was interrupted", ingest)
    return Finding(what, "ok", f"{held['passages']} passages")


def _branding(settings: Settings) -> Iterator[Finding]:
    """Whether values of the sample company would be shown to a real one's visitors."""
    if settings.knowledge.kb == SAMPLE_KB:
        says = "the sample help centre of a fictional company answers"
        yield Finding("branding", "warning", says, "Ingest your own articles and set knowledge.kb.")
        return
    left = of_the_sample(settings)
    if left:
        says = f"values of the sample company are left: {', '.join(left)}"
        yield Finding("branding", "problem", says, "Put your own in config.toml.")
    elif settings.brand.name == type(settings.brand)().name:
        yield Finding("branding", "warning", "visitors read “our company”", "Set brand.name.")
    else:
        yield Finding("branding", "ok", f"the assistant speaks for {settings.brand.name}")
    if settings.server.demo_mode:
        says = "the front page is the sample company's, and all visitors share a daily limit"
        yield Finding("demo mode", "warning", says, "Set server.demo_mode = false for your own site.")


def _language_models(settings: Settings, *, ask: bool) -> Iterator[Finding]:
    if not settings.llm.configured:
        yield Finding("language model", "ok", "none is configured; answers are quoted from the articles")
        return
    try:
        providers = list(_one_by_one(settings.llm))
    except SettingsError as error:
        yield Finding("language model", "problem", str(error))
        return
    for alone in providers:
        if ask:
            with notes.status(f"asking {alone.name}…"):
                found = asyncio.run(_asked(alone))
            yield from found
        else:
            yield Finding(f"language model {alone.name}", "ok", f"{alone.model} is configured; it was not asked")


def _one_by_one(llm: Llm) -> Iterator[Llm]:
    """The primary provider and each fallback as if there were no other. Raises SettingsError."""
    shared = {name: getattr(llm, name) for name in type(llm).model_fields if name not in LlmProvider.model_fields}
    yield llm.model_copy(update={"fallbacks": [], "retries": 0})
    for profile in llm.fallbacks:
        key = environment().get(profile.api_key_env) if profile.api_key_env else None
        if profile.api_key_env and not key:
            raise SettingsError(f"llm.fallbacks: {profile.name} takes its key from {profile.api_key_env}: set it")
        own = profile.model_dump(exclude={"api_key_env"})
        yield Llm(**{**shared, **own, "api_key": SecretStr(key) if key else None, "fallbacks": [], "retries": 0})


async def _asked(llm: Llm) -> list[Finding]:
    from handrail.llm import connect

    models = connect(llm)
    found = []
    try:
        for model in dict.fromkeys((models.answering, models.small)):
            name, start = f"language model {llm.name} ({model.name})", time.perf_counter()
            heard: list[float] = []

            async def listen(_text: str, heard: list[float] = heard) -> None:
                heard.append(time.perf_counter())

            try:
                await model.ask(PROMPT, Ready, listen)
            except HandrailError as error:
                found.append(Finding(name, "problem", str(error), "Until then, answers are quoted from the articles."))
                continue
            seconds = time.perf_counter() - start
            first = f", the first words after {heard[0] - start:.1f} s" if heard else ""
            found.append(Finding(name, "ok", f"replied in {seconds:.1f} s{first}"))
            adapted = models.adapted().get(model.name)
            if adapted:
                says = f"it doesn't take everything that OpenAI does, and is asked for {adapted}"
                found.append(Finding(name, "warning", says, "Nothing to do, but JSON by schema is the most reliable."))
    finally:
        await models.aclose()
    return found
