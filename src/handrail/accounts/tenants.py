"""The companies that share a deployment: a folder each, with its settings, its articles and what is said of it here."""

from __future__ import annotations

import json
import logging
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from filelock import FileLock
from pydantic import ValidationError

from handrail.errors import PermanentError, SettingsError
from handrail.settings import Brand, Storage
from handrail.settings.tenants import ABOUT, FILE, FOLDER, OWN, folder_of

log = logging.getLogger(__name__)

LEAVING = ".removed-"
HOST = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
LONGEST_HOST = 253


class NoSuchTenant(PermanentError):
    """No tenant has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no tenant {name!r}. `handrail tenant list` shows those there are")


class TenantTaken(PermanentError):
    """There is a tenant with this name already, or another has this host name."""


@dataclass(frozen=True, slots=True)
class Tenant:
    name: str
    widget: str
    """Its public widget id: the part of its addresses behind `/t/`. It is no secret."""
    created_at: float
    """Seconds since the epoch."""
    suspended: bool = False
    hosts: tuple[str, ...] = ()
    """Host names that are this tenant's alone, in ASCII and lower case."""

    @property
    def path(self) -> str:
        """What all of its addresses begin with."""
        return f"/t/{self.widget}"


class Tenants:
    """Those of the deployment whose data are in `data_dir`. Nothing is cached: another process may change them."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._folder = data_dir / FOLDER
        self._unread: set[Path] = set()

    def all(self) -> list[Tenant]:
        """By name; without those whose file can't be read, which the log names once."""
        found = []
        for path in sorted(self._folder.glob(f"[a-z0-9]*/{ABOUT}")):
            try:
                tenant = _read(path)
            except SettingsError as error:
                if path not in self._unread:
                    log.error("%s", error)
                self._unread.add(path)
                continue
            self._unread.discard(path)
            if tenant is not None:
                found.append(tenant)
        return found

    def named(self, name: str) -> Tenant:
        """Raises NoSuchTenant, and SettingsError for a name that is none."""
        tenant = _read(folder_of(self._data_dir, name) / ABOUT)
        if tenant is None:
            raise NoSuchTenant(name)
        return tenant

    def stamp(self, tenant: Tenant) -> int:
        """Changes when the tenant's settings are written; 0 where they are gone."""
        try:
            return (folder_of(self._data_dir, tenant.name) / FILE).stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def create(self, name: str, company: str, now: float) -> Tenant:
        """With settings that only say what the company is called. Raises TenantTaken and SettingsError."""
        try:
            Brand(name=company)
        except ValidationError as error:
            raise SettingsError(f"a company can't be called {company!r}: {error.errors()[0]['msg']}") from None
        folder = folder_of(self._data_dir, name)
        tenant = Tenant(name, _new_widget(), now)
        with self._alone():
            if folder.exists():
                raise TenantTaken(f"there is already a tenant {name!r}")
            making = folder.with_name(f".new-{tenant.widget}")
            making.mkdir()
            (making / FILE).write_text(f"[brand]\nname = {json.dumps(company)}\n", encoding="utf-8")
            _write(making, tenant)
            making.rename(folder)
        return tenant

    def suspend(self, name: str) -> Tenant:
        """Nobody gets an answer from it until it is resumed; its data stay."""
        return self._change(name, lambda tenant: replace(tenant, suspended=True))

    def resume(self, name: str) -> Tenant:
        return self._change(name, lambda tenant: replace(tenant, suspended=False))

    def rotate(self, name: str) -> Tenant:
        """With another widget id and another secret: addresses and visitor tokens from before are void."""
        changed = self._change(name, lambda tenant: replace(tenant, widget=_new_widget()))
        (folder_of(self._data_dir, name) / "secret.key").unlink(missing_ok=True)
        return changed

    def answer_at(self, name: str, hosts: Sequence[str]) -> Tenant:
        """From now on these host names, and no others, are the tenant's own. Raises TenantTaken and SettingsError."""
        chosen = tuple(dict.fromkeys(host_name(host) for host in hosts))

        def change(tenant: Tenant) -> Tenant:
            for other in self.all():
                if other.name != name and (both := set(chosen).intersection(other.hosts)):
                    raise TenantTaken(f"{min(both)} belongs to the tenant {other.name!r} already")
            return replace(tenant, hosts=chosen)

        return self._change(name, change)

    def remove(self, name: str) -> None:
        """Its folder, all at once; records elsewhere are the caller's to remove first."""
        with self._alone():
            leaving = self._folder / f"{LEAVING}{self.named(name).widget}"
            folder_of(self._data_dir, name).rename(leaving)
            for gone in self._folder.glob(f"{LEAVING}*"):
                shutil.rmtree(gone)

    def _change(self, name: str, change: Callable[[Tenant], Tenant]) -> Tenant:
        with self._alone():
            tenant = change(self.named(name))
            _write(folder_of(self._data_dir, name), tenant)
        return tenant

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / ".lock"):
            yield


def host_name(given: str) -> str:
    """`given` as browsers send it. Raises SettingsError for what is no host name, such as an address with a port."""
    try:
        name = given.strip().rstrip(".").encode("idna").decode().lower()
    except UnicodeError:
        name = ""
    if not HOST.fullmatch(name) or len(name) > LONGEST_HOST:
        raise SettingsError(f"{given!r} isn't a host name. Write it without https:// and port, like support.acme.com")
    return name


def path_of(storage: Storage) -> str:
    """What the addresses of the chosen company begin with; empty for the deployment's own."""
    if storage.tenant == OWN:
        return ""
    return Tenants(storage.data_dir.parent.parent).named(storage.tenant).path


def _new_widget() -> str:
    return f"w{secrets.token_hex(8)}"


def _read(path: Path) -> Tenant | None:
    """None where there is none. Raises SettingsError where there is one that can't be read."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        return Tenant(**{**about, "hosts": tuple(about.get("hosts", ()))})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise SettingsError(f"{path} can't be read ({type(error).__name__}). Put it back from a backup") from None


def _write(folder: Path, tenant: Tenant) -> None:
    new = folder / f".{ABOUT}"
    new.write_text(json.dumps(asdict(tenant), indent=2) + "\n", encoding="utf-8")
    new.replace(folder / ABOUT)
