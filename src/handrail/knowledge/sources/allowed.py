"""What a source may be that somebody declares at the desk: never a way to the server's own disk or network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from handrail.errors import KnowledgeError
from handrail.knowledge.sources.web import addresses, refuse_private
from handrail.settings.sources import Source

EXPORTS = frozenset(("zendesk", "intercom", "chatwoot"))
"""Kinds that are read from an address or from saved files."""


def allowed(source: Source, folders: Sequence[Path], *, token: bool, private: bool) -> Source:
    """`source` with its path resolved, and as far into the network as it may reach.

    Paths must be inside of `folders`, and addresses on the public internet unless `private`. `token` says whether
    credentials are sent. Raises KnowledgeError that says what to do.
    """
    source = source.model_copy(update={"private_network": private, "trusted": False})
    if "://" in source.where:
        if source.kind == "folder":
            raise KnowledgeError("a folder has no address; choose Website or Git for one")
        _refuse_address(source, token=token, private=private)
        return source
    if source.kind not in EXPORTS | {"folder"}:
        example = "https://git.acme.com/help.git" if source.kind == "git" else "https://help.acme.com"
        raise KnowledgeError(f"enter the whole address, such as {example}")
    if token:
        raise KnowledgeError("files on the server need no token; leave it out")
    return source.model_copy(update={"where": str(_inside(source, folders))})


def _refuse_address(source: Source, *, token: bool, private: bool) -> None:
    try:
        parts = urlsplit(source.where)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise KnowledgeError("this is not a valid address") from None
    secure = source.kind == "git" or token
    schemes = ("https",) if secure and not private else ("http", "https")
    if parts.scheme not in schemes or not host:
        raise KnowledgeError(f"the address must begin with {' or '.join(f'{scheme}://' for scheme in schemes)}")
    if "@" in parts.netloc:
        raise KnowledgeError("take the name and password out of the address; a token has a field of its own")
    try:
        for address in () if private else addresses(host):
            refuse_private(host, address)
    except KnowledgeError:  # unknown names are refused alike, so that nobody maps the network behind the server
        raise KnowledgeError(
            f"{host} isn't on the public internet. Check the address. If it is meant, whoever runs the server can set "
            "knowledge.desk_private_network, or declare the source in config.toml"
        ) from None


def _inside(source: Source, folders: Sequence[Path]) -> Path:
    """The real path. What is outside of the folders and what isn't there are refused alike, so that nobody probes."""
    if not folders:
        what = "a folder" if source.kind == "folder" else "an export"
        raise KnowledgeError(
            f"{what} on the server can't be named here until whoever runs it lists where they are kept in "
            "knowledge.desk_folders"
        )
    for folder in folders:
        root = folder.resolve()
        try:
            place = (root / source.where).resolve()
            if place.is_relative_to(root) and place.exists():
                return place
        except (OSError, ValueError, RuntimeError):
            continue
    raise KnowledgeError(f"there is no such file or folder in {', '.join(map(str, folders))}")
