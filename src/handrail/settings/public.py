"""What may not be so where anybody on the internet can reach the server: `server.public`."""

from __future__ import annotations

from collections.abc import Iterator

from handrail.errors import SettingsError
from handrail.settings.load import of_the_sample
from handrail.settings.paths import SAMPLE_KB
from handrail.settings.tree import Brand, Settings

BOUNDS = (
    "limits.visitor_per_minute",
    "limits.visitor_per_day",
    "limits.global_per_minute",
    "limits.global_per_day",
    "limits.handoff_per_hour",
    "limits.reads_per_visitor",
    "limits.reads_per_address",
    "limits.streams_per_visitor",
    "limits.streams_per_address",
    "desk.messages_per_minute",
)
SPENDING = ("llm.turn_max_requests", "llm.turn_max_tokens")
"""With `limits.global_per_day`, these bound what a day can cost."""


def check(settings: Settings) -> None:
    """Raises SettingsError with everything that keeps a public server from starting, a line each."""
    if not settings.server.public:
        return
    found = list(problems(settings))
    if found:
        raise SettingsError("server.public = true, but this is not ready for everybody:\n  " + "\n  ".join(found))


def problems(settings: Settings) -> Iterator[str]:
    if settings.server.demo_mode:
        yield "server.demo_mode = true: it makes an administrator and prints the password. Set it to false"
    yield from _branding(settings)
    for origin in settings.server.cors_origins:
        if "*" in origin or origin == "null":
            yield f"server.cors_origins: {origin!r} lets any site call the API. List your own sites"
    if not settings.limits.enabled:
        yield "limits.enabled = false: questions, reads and streams have no limit. Set it to true"
    for name in (*BOUNDS, *(SPENDING if settings.llm.configured else ())):
        section, _, key = name.partition(".")
        if getattr(getattr(settings, section), key) == 0:
            yield f"{name} = 0: there is no limit. Set one"


def _branding(settings: Settings) -> Iterator[str]:
    if settings.knowledge.kb == SAMPLE_KB:
        yield "knowledge.kb = 'sample': the articles are a fictional company's. Ingest your own"
        return
    if left := of_the_sample(settings):
        yield f"values of the sample company are left: {', '.join(left)}. Put your own"
    if settings.brand.name == Brand().name:
        yield f"brand.name = {settings.brand.name!r}: visitors aren't told whose assistant it is. Set it"
