"""Reading the settings: file, `.env`, environment, and an explanation of what is wrong with them.

Values come, strongest first, from the environment (`HANDRAIL__RETRIEVAL__TOP_K=6`, plus the well-known
names such as `OPENAI_API_KEY`), a `.env` file, and `config.toml`.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from dotenv import dotenv_values
from pydantic import ValidationError

from handrail.errors import SettingsError
from handrail.settings import tenants
from handrail.settings.base import Section
from handrail.settings.paths import PACKAGE, SAMPLE_KB
from handrail.settings.tree import Knowledge, Settings

WELL_KNOWN = {
    "OPENAI_BASE_URL": ("llm", "base_url"),
    "OPENAI_API_KEY": ("llm", "api_key"),
    "REDIS_URL": ("limits", "redis_url"),
    "DATABASE_URL": ("storage", "database_url"),
    "CHROMA_URL": ("storage", "chroma_url"),
    "QDRANT_URL": ("storage", "qdrant_url"),
    "QDRANT_API_KEY": ("storage", "qdrant_key"),
    "LANGFUSE_PUBLIC_KEY": ("observe", "langfuse_public_key"),
    "LANGFUSE_SECRET_KEY": ("observe", "langfuse_secret_key"),
    "LANGFUSE_HOST": ("observe", "langfuse_host"),
    "LANGFUSE_BASE_URL": ("observe", "langfuse_host"),
    "OTEL_EXPORTER_OTLP_ENDPOINT": ("observe", "otlp_endpoint"),
}
"""Environment names other tools already use, and the setting each one fills."""


PATHS = (
    ("models", "folder"),
    ("gates", "calibration"),
    ("prompts", "folder"),
    ("high_stakes", "policy_file"),
    ("hours", "file"),
    ("alerts", "smtp_ca"),
    ("judge", "cache"),
)
"""Settings that name files: in a configuration file they are relative to that file."""


PROFILE = PACKAGE / "sample" / "profile.toml"
REMOVED = {
    ("deep",): "what it turned on did not help on data it was not made for; take the section out",
    ("knowledge", "title_prefix"): "the encoders always read title and headings, as they were taught; take it out",
    ("models", "query_max_tokens"): "it is always 64, as the encoders were taught; take it out",
    ("retrieval", "spelling"): "search reads misspelt words as they are",
    ("retrieval", "everyday"): "search reads everyday words as they are",
    ("retrieval", "gloss"): "other languages are searched by the encoder of `models.foreign`",
    ("retrieval", "rerank_weight"): "one fitted probability orders the sections",
    ("retrieval", "neighbours"): "answers are whole sections",
    ("rewrite", "expansion"): "take it out",
    ("rewrite", "below_words"): "queries of fewer than eight words are rewritten; take it out",
    ("classify", "head"): "labels are told by the encoders; take it out",
    ("gates", "relevance"): "set gates.closest",
    ("gates", "confidence"): "set gates.answered",
    ("gates", "second_look"): "take it out",
    ("generate", "max_sentences"): "answers are whole sections",
    ("generate", "max_steps"): "answers are whole sections",
    ("generate", "split_questions"): "a message is always read as the requests it makes",
    ("generate", "context_passages"): "set prompts.context_tokens",
    ("generate", "critique_partly"): "set gates.answered",
    ("generate", "critique_fully"): "set gates.answered",
    ("suggest", "count"): "up to three questions are offered; set suggest.enabled = false for none",
    ("suggest", "per_article"): "it is always 7; take it out",
    ("prompts", "rules"): "set guidance.rules",
    ("prompts", "rules_tokens"): "set guidance.tokens",
    ("prompts", "article_tokens"): "a model is given whole sections",
    ("prompts", "related_tokens"): "it is always 80; set prompts.context_tokens for a shorter prompt",
    ("prompts", "wrong_tokens"): "it is always 300; set prompts.context_tokens for a shorter prompt",
    ("prompts", "history_tokens"): "it is always 400; set prompts.context_tokens for a shorter prompt",
    ("decisions", "breaker_after"): "it is always 4; take it out",
    ("decisions", "breaker_pause_s"): "it is always 20; take it out",
    ("high_stakes", "quote_from"): "set gates.answered",
    ("customer", "max_entries"): "it is always 2000; take it out",
    ("hours", "wait_days"): "it is always 28; take it out",
    ("hours", "wait_least"): "it is always 10; take it out",
    ("storage", "turn_ttl_s"): "turns are kept a day for repeated turn ids; take it out",
    ("oidc", "timeout_s"): "it is always 10; take it out",
}
"""Settings of earlier versions, with what to do instead."""


def load_settings(
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
    kb: str | None = None,
    tenant: str | None = None,
) -> Settings:
    """Read `config` (or `$HANDRAIL_CONFIG`, or `./config.toml`), `.env` and the environment.

    `kb` chooses another knowledge base; the sample's brings the sample company's profile, for what is left at its
    default. `tenant`, or `storage.tenant`, is one of the companies that share the deployment. Raises SettingsError
    with one line per wrong value: where it is, what it was, what is allowed.
    """
    env = dict(environ if environ is not None else environment())
    path = config or config_path(env)
    tree = _placed(_read_toml(path, required=config is not None or bool(env.get("HANDRAIL_CONFIG"))), path.parent)
    for name, (section, key) in WELL_KNOWN.items():
        if env.get(name):
            _lay(tree, section, key, env[name])
    _lay_environment(tree, env)
    if kb is not None:
        _choose(tree, kb)
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        source = f"{path} or the environment" if kb is None else f"{path}, the environment or the command line"
        raise SettingsError(explain(error, source)) from None
    tenant = tenant or settings.storage.tenant
    return _with_profile(settings) if tenant == tenants.OWN else of_tenant(settings, tenant, kb)


def of_tenant(settings: Settings, tenant: str, kb: str | None = None) -> Settings:
    """The deployment's settings as they are for one of the companies that share it. Raises SettingsError."""
    path = tenants.file_of(settings.storage.data_dir, tenant)
    own = _placed(_read_toml(path, required=True), path.parent)
    tree = settings.model_dump(exclude_unset=True)
    given = settings.desk.secret
    secret = tenants.secret_of(given.get_secret_value(), path.parent) if given else None
    laid = tenants.laid(tree, tenant, own, path, secret)
    if kb is not None:
        _choose(laid, kb)
    try:
        return _with_profile(Settings.model_validate(laid))
    except ValidationError as error:
        raise SettingsError(explain(error, str(path))) from None


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """The settings file that is read where none is named; it need not exist."""
    return Path((environ if environ is not None else environment()).get("HANDRAIL_CONFIG") or "config.toml")


def environment() -> dict[str, str]:
    """The environment with `.env` of the current folder behind it; an empty variable of the former hides the latter."""
    return {**{key: value for key, value in dotenv_values(".env").items() if value}, **os.environ}


def _is_path(where: Any) -> bool:
    """Neither an address nor the `host:path` that Git knows."""
    return isinstance(where, str) and ":" not in where.split("/")[0]


def _lay(tree: dict[str, Any], section: str, key: str, value: Any) -> None:
    """A section that is no table is left for validation to name."""
    values = tree.setdefault(section, {})
    if isinstance(values, dict):
        values[key] = value


def _choose(tree: dict[str, Any], kb: str) -> None:
    """Another knowledge base than the one of `tree`, which keeps the sources that name none."""
    knowledge = tree.get("knowledge")
    own = knowledge.get("kb") if isinstance(knowledge, dict) else None
    for source in tree.get("sources", ()):
        if isinstance(source, dict):
            source.setdefault("kb", own or Knowledge().kb)
    _lay(tree, "knowledge", "kb", kb)


def _lay_environment(tree: dict[str, Any], env: Mapping[str, str]) -> None:
    """Lay `HANDRAIL__SECTION__KEY` variables over the tree.

    Raises SettingsError for a variable that names no section and key: it would be ignored in silence.
    """
    for name, value in env.items():
        prefix, *parts = name.split("__")
        if prefix != "HANDRAIL" or not parts or value == "":
            continue
        if len(parts) != 2:
            raise SettingsError(f"{name}: must be HANDRAIL__SECTION__KEY{_likely(parts[-1].lower())}")
        _lay(tree, parts[0].lower(), parts[1].lower(), literal(value))


def _likely(key: str) -> str:
    """The variables of that key, for somebody who left out its section."""
    named = [
        f"HANDRAIL__{section.upper()}__{key.upper()}"
        for section, field in Settings.model_fields.items()
        if key in getattr(field.annotation, "model_fields", {})
    ]
    return f", such as {' or '.join(named)}" if named else ""


def _with_profile(settings: Settings) -> Settings:
    """With the sample company's values where the sample is served, for what is at its default."""
    if settings.knowledge.kb != SAMPLE_KB:
        return settings
    changes = {}
    for section, values in _profile().items():
        held = getattr(settings, section)
        default = type(held)()
        unset = {key: value for key, value in values.items() if getattr(held, key) == getattr(default, key)}
        changes[section] = held.model_copy(update=unset)
    return settings.model_copy(update=changes)


def of_the_sample(settings: Settings) -> list[str]:
    """The settings that are the sample company's, name it, or lead to one of its addresses."""
    profile = _profile()
    theirs = [
        f"{section}.{key}"
        for section, values in profile.items()
        for key, value in values.items()
        if _same(getattr(getattr(settings, section), key), value)
    ]
    name = profile["brand"]["name"].casefold()
    for section in tenants.OF_THE_COMPANY:
        held = getattr(settings, section)
        values = enumerate(held) if section == "sources" else held.model_dump(mode="json").items()
        theirs += [f"{section}.{key}" for key, value in values if name in str(value).casefold()]
    return list(dict.fromkeys(theirs))


def _same(held: Any, value: Any) -> bool:
    """Also where a file is a copy of the sample's."""
    if isinstance(held, Path) and isinstance(value, Path) and held.is_file():
        return held.read_bytes() == value.read_bytes()
    return bool(held == value)


def _profile() -> dict[str, dict[str, Any]]:
    profile: dict[str, dict[str, Any]] = tomllib.loads(PROFILE.read_text(encoding="utf-8"))
    profile["high_stakes"]["policy_file"] = PROFILE.parent / profile["high_stakes"]["policy_file"]
    return profile


def literal(value: str) -> Any:
    """Lists, tables and booleans given as text use the notation of TOML or JSON; anything else is text."""
    if value[:1] in "[{" or value in ("true", "false"):
        with suppress(tomllib.TOMLDecodeError):
            return tomllib.loads(f"v = {value}")["v"]
        with suppress(ValueError):
            return json.loads(value)
    return value


def _placed(tree: dict[str, Any], folder: Path) -> dict[str, Any]:
    """With the files that `tree` names found from `folder`, that of the file it was read from."""
    for section, key in PATHS:
        if isinstance(tree.get(section), dict) and tree[section].get(key):
            tree[section][key] = str(folder / tree[section][key])
    knowledge = tree.get("knowledge")
    if isinstance(knowledge, dict) and isinstance(named := knowledge.get("desk_folders"), list):
        knowledge["desk_folders"] = [str(folder / one) if isinstance(one, str) else one for one in named]
    for source in tree.get("sources", ()):
        if isinstance(source, dict) and _is_path(source.get("where")):
            source["where"] = str(folder / source["where"])
    return tree


def _read_toml(path: Path, *, required: bool) -> dict[str, Any]:
    if not path.is_file():
        if required:
            raise SettingsError(f"{path}: no such configuration file")
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path}: not valid TOML: {error}") from None


def explain(error: ValidationError, source: str) -> str:
    """One line per wrong value: where it is, what is wrong, what was given, and what the setting means."""
    lines = []
    for item in error.errors():
        where = ".".join(str(part) for part in item["loc"])
        hidden = item["type"] == "extra_forbidden" or isinstance(item["input"], dict) or _secret(where)
        given = "" if hidden else f" (given: {item['input']!r})"
        what = _unknown(item["loc"]) if item["type"] == "extra_forbidden" else item["msg"]
        lines.append(f"{where}: {what}{given}{_meaning(item['loc'])}")
    return f"{source} holds {len(lines)} wrong value(s):\n  " + "\n  ".join(lines)


def _unknown(loc: tuple[int | str, ...]) -> str:
    removed = REMOVED.get(tuple(map(str, loc[:2]))) or REMOVED.get((str(loc[0]),))
    if removed:
        return f"no longer a setting: {removed}"
    return "no such setting; check the spelling against config.toml and docs/settings.md"


def _secret(where: str) -> bool:
    return any(word in where for word in ("key", "secret", "token", "password"))


def _meaning(loc: tuple[int | str, ...]) -> str:
    section = Settings.model_fields.get(str(loc[0])) if loc else None
    model = section.annotation if section else None
    if len(loc) > 1 and isinstance(model, type) and issubclass(model, Section):
        described = model.model_fields.get(str(loc[1]))
        if described and described.description:
            return f"\n    {described.description}"
    return ""
