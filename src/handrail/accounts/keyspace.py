"""Names of all that is kept in Redis or published through it.

Several deployments may share one server: pub/sub ignores database numbers, and one database may be all there is. So
every key and every channel begins with the deployment and the tenant it belongs to, and is made here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

from handrail.accounts.visitor_token import load_secret
from handrail.errors import SettingsError
from handrail.settings import Settings, Storage
from handrail.settings.tenants import OWN

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class Keyspace:
    """The keys and channels of one tenant of one deployment. Raises ValueError for names that could run together."""

    deployment: str
    tenant: str = OWN

    def __post_init__(self) -> None:
        for name in (self.deployment, self.tenant):
            if not NAME.fullmatch(name):
                raise ValueError(f"{name!r} isn't a valid name for a deployment or tenant")

    @property
    def prefix(self) -> str:
        """What all of them begin with."""
        return f"handrail:{self.deployment}:{self.tenant}:"

    def key(self, slot: str, *parts: str | int) -> str:
        """A key, or a channel. Those with one `slot` lie in one slot of a cluster, as scripts over several need."""
        return ":".join((f"{self.prefix}{{{slot}}}", *map(str, parts)))

    def of(self, tenant: str) -> Keyspace:
        """The same deployment's keys of another tenant."""
        return replace(self, tenant=tenant)


def keyspace_of(settings: Settings) -> Keyspace:
    """The keys of this deployment: `server.deployment`, else a name made of where its records are.

    Processes with the same records get the same name. Raises SettingsError when it cannot be made.
    """
    deployment, tenant = settings.server.deployment, settings.storage.tenant
    if deployment:
        return Keyspace(deployment, tenant)
    name = blake2b(_records(settings.storage).encode(), digest_size=8, person=b"deployment").hexdigest()
    return Keyspace(name, tenant)


def _records(storage: Storage) -> str:
    """Where records are, without user, password and options: replicas may each sign in with their own."""
    from handrail.records.database import database_url

    url = database_url(storage)
    if url.get_backend_name() != "sqlite":
        host = url.host or url.query.get("host") or ""
        return f"{url.get_backend_name()}://{str(host).lower()}:{url.port or ''}/{url.database}"
    if storage.database_url and url.database and url.database != ":memory:":
        return f"sqlite:{Path(url.database).resolve()}"
    # A tenant's folder is in the deployment's, whose key stays when the tenant's is made anew.
    folder = storage.data_dir if storage.tenant == OWN else storage.data_dir.parent.parent
    try:
        # In containers all data folders have the same path; the key in them is made once and differs.
        own = load_secret(folder, None)
    except OSError as error:
        raise SettingsError(
            f"storage.data_dir: can't read or create secret.key ({error.strerror}), which tells this deployment from "
            "others on the same Redis. Fix this or set server.deployment"
        ) from None
    return f"folder:{folder.resolve()}:{own.hex()}"
