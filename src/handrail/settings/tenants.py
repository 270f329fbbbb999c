"""Several companies in one deployment: what a tenant's own file may set, and where its data are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handrail.errors import SettingsError

OWN = "default"
"""The deployment's own company."""
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{1,39}")
FOLDER, FILE, ABOUT = "tenants", "tenant.toml", "tenant.json"
OF_THE_COMPANY = (
    "brand", "knowledge", "gates", "guidance", "high_stakes", "customer", "hours", "alerts", "desk", "oidc", "drift",
    "sources",
)  # fmt: skip
"""Sections that a tenant never takes over from the deployment: they say who a company is."""
OF_THE_DEPLOYMENT = ("server", "stream", "models", "storage", "observe", "judge")
"""Sections that no tenant may set."""
MAY_SET = {"server": ("cors_origins",)}
MAY_NOT_SET = {"limits": ("redis_url",)}
"""Exceptions to both."""
WHOLE = ("llm", "decisions")
"""Sections that replace the deployment's, so that no key of its goes to an address of the tenant's."""


def folder_of(data_dir: Path, tenant: str) -> Path:
    """Where everything of a tenant lies. Raises SettingsError for a name that is none."""
    if not NAME.fullmatch(tenant) or tenant == OWN:
        raise SettingsError(
            f"{tenant!r} can't name a tenant: use 2 to 40 of a-z, 0-9, - and _, and not {OWN!r}, which is the "
            "deployment's own company"
        )
    return data_dir / FOLDER / tenant


def file_of(data_dir: Path, tenant: str) -> Path:
    """The tenant's own settings. Raises SettingsError where there is no such tenant."""
    path = folder_of(data_dir, tenant) / FILE
    if not path.is_file():
        raise SettingsError(f"there is no tenant {tenant!r}. `handrail tenant list` shows those there are")
    return path


def secret_of(secret: str, folder: Path) -> str:
    """Made of the deployment's for the tenant in `folder`, and for its widget id: another id voids all signatures."""
    widget = json.loads((folder / ABOUT).read_text(encoding="utf-8"))["widget"]
    return f"{secret}\n{folder.name}\n{widget}"


def laid(
    tree: Mapping[str, Any], tenant: str, own: Mapping[str, Any], path: Path, secret: str | None
) -> dict[str, Any]:
    """The deployment's settings as they are for `tenant`, whose file at `path` holds `own`.

    `secret` is the tenant's, where its own file gives none. Raises SettingsError.
    """
    _check(own, path)
    storage = {**tree.get("storage", {}), "data_dir": str(path.parent), "tenant": tenant}
    desk = {"desk": {"secret": secret}} if secret else {}
    server = {key: value for key, value in tree.get("server", {}).items() if key not in MAY_SET["server"]}
    beside = {name: value for name, value in tree.items() if name not in OF_THE_COMPANY}
    result = {**beside, **desk, "server": {**server, "demo_mode": False}, "knowledge": {"kb": tenant}}
    for name, value in own.items():
        merged = name not in WHOLE and isinstance(value, dict) and isinstance(result.get(name), dict)
        result[name] = {**result[name], **value} if merged else value
    return {**result, "storage": storage}


def _check(own: Mapping[str, Any], path: Path) -> None:
    for name, value in own.items():
        given = list(value) if isinstance(value, dict) else [""]
        allowed = MAY_SET.get(name, ()) if name in OF_THE_DEPLOYMENT else given
        wrong = [key for key in given if key not in allowed or key in MAY_NOT_SET.get(name, ())]
        if wrong:
            named = ", ".join(f"{name}.{key}".rstrip(".") for key in wrong)
            raise SettingsError(f"{path}: {named}: only the deployment's own settings can set this")
