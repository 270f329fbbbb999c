"""Commands whose files are loaded when they are used: what one command needs, no other waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

import typer
from typer.core import TyperGroup

FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "demo": ("demo",),
        "serve": ("serve",),
        "ask": ("ask",),
        "chat": ("chat",),
        "config": ("config",),
        "init": ("init",),
        "doctor": ("doctor",),
        "backup": ("backup",),
        "restore": ("backup",),
        "upgrade": ("upgrade",),
        "ingest": ("ingest",),
        "parse": ("parse",),
        "retrieve": ("retrieve",),
        "report": ("report",),
        "sync": ("sync",),
        "calibrate": ("calibrate",),
        "tune": ("tune",),
        "eval": ("eval",),
        "desk": ("desk", "desk_learning", "desk_report"),
        "context": ("context",),
        "decisions": ("decisions",),
        "drift": ("drift",),
        "docs": ("docs",),
        "experiment": ("experiment",),
        "kb": ("kb", "kb_versions", "kb_conflicts"),
        "key": ("key",),
        "models": ("models",),
        "outbox": ("outbox",),
        "prompts": ("prompts",),
        "tenant": ("tenant",),
        "trace": ("trace",),
    }
)
"""Of `handrail.cli`, by command, in the order of the help. The first holds the command: `app` with the commands below
it, or else a function of the command's name. The others add to that `app`."""


class OnDemand(TyperGroup):
    """The commands of FILES."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given | {"commands": Commands()})

    def list_commands(self, ctx: object) -> list[str]:
        return list(FILES)


class Commands(Mapping[str, Any]):
    """Click commands by name; each is made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in FILES:
            raise KeyError(name)
        return _made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(FILES)

    def __len__(self) -> int:
        return len(FILES)


@cache
def _made(name: str) -> Any:
    first, *others = (import_module(f"handrail.cli.{file}") for file in FILES[name])
    holder = typer.Typer()
    if not hasattr(first, "app"):
        holder.command()(getattr(first, name))
    else:
        for other in others:
            other.add_to(first.app)
        holder.add_typer(first.app, name=name)
    return typer.main.get_group(holder).commands[name]
