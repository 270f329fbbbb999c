"""Where the articles of a knowledge base come from, for `handrail sync`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from handrail.settings.base import Section


class Source(Section):
    """One `[[sources]]` table."""

    kind: Literal["folder", "site", "zendesk", "intercom", "chatwoot", "git"]
    where: str = Field(min_length=1, max_length=2000)
    """An address without credentials, or the path of a folder or export."""
    kb: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9_-]{1,40}$")
    """Knowledge base. Default: `knowledge.kb`."""
    auth: str | None = Field(None, pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,100}$")
    """Name of the environment variable that holds the credentials; never the credentials themselves."""
    locale: str = Field("", pattern=r"^[A-Za-z0-9_-]{0,20}$")
    """Language of the articles, where a help desk has them in several."""
    folder: str = ""
    """Folder of a Git repository that holds the articles. Default: all of it."""
    branch: str = Field("", pattern=r"^(?:[A-Za-z0-9_][\w./-]{0,200})?$")
    """Branch or tag of a Git repository. Default: its own."""
    url_base: str = ""
    """Base URL for the articles of a folder or repository. Default: `knowledge.url_base`."""
    per_minute: int = Field(120, ge=1, le=6000)
    """Requests per minute, at most."""
    max_pages: int = Field(5000, ge=1, le=100_000)
    """Pages of a site that are read."""
    private_network: bool = False
    """Whether the address may be a private one, such as an intranet's."""
    trusted: bool = False
    """Index pages that hold instructions to a language model, which are kept out otherwise."""

    @field_validator("where")
    @classmethod
    def _without_credentials(cls, where: str) -> str:
        scheme, _, rest = where.partition("://")
        if scheme in ("http", "https") and "@" in rest.split("/")[0]:
            raise ValueError("holds credentials; put them into an environment variable, and its name into `auth`")
        return where
