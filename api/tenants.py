"""The door to the tenants: `/t/WIDGET/…`, and a host name of its own, is served by that company's own application.

A tenant's application has its own settings, index, records, limits and keys, and none of another's. So whatever an
endpoint does, it can't reach across; only the loaded models are shared.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast
from uuid import uuid4

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.crossing import REFUSED, Crossings, shown_in
from api.errors import BY_STATUS, ApiError, respond
from api.middleware.headers import SecurityHeaders
from handrail.accounts.tenants import Tenant, Tenants
from handrail.errors import HandrailError
from handrail.settings.tenants import OWN

log = logging.getLogger("handrail.tenants")

PREFIX = "/t/"
LOOK_S = 2.0
"""How old what is known of the tenants may be."""
EVERY_S = 2.0
"""How often somebody looks where nobody asks, so that what a suspended tenant does in the background ends, too."""
NEVER = float("-inf")

_thread = ThreadPoolExecutor(1, thread_name_prefix="tenants")
"""Every request comes through the door, and none waits there for threads that questions use up."""


@dataclass(slots=True)
class Running:
    """A tenant's application, for as long as it is wanted."""

    app: FastAPI
    stamp: int
    """Of the settings that it was made with."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    async def keep(self) -> None:
        """From start to stop in one task, as lifespans ask for."""
        try:
            async with self.app.router.lifespan_context(self.app):
                self.started.set()
                await self.stop.wait()
        finally:
            self.started.set()


class RunningTenants:
    """Started with the server or when somebody asks for them, stopped when they are suspended, removed or changed."""

    def __init__(self, data_dir: Path, make: Callable[[str], FastAPI]) -> None:
        """`make` builds the application of a tenant, by its name. Raises HandrailError."""
        self._tenants = Tenants(data_dir)
        self._make = make
        self._known: dict[str, Tenant] = {}
        self._hosts: dict[str, Tenant] = {}
        self._looked = NEVER
        self._looking = asyncio.Lock()
        self._running: dict[str, Running] = {}
        self._starting = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()

    async def known(self, widget: str) -> Tenant | None:
        await self._fresh()
        return self._known.get(widget)

    async def at(self, host: str) -> Tenant | None:
        """Whose host name it is; None for one that was given to nobody, however much it looks like a tenant's."""
        await self._fresh()
        return self._hosts.get(host)

    def serving(self) -> dict[str, FastAPI]:
        """The applications that are running, by tenant."""
        running = self._running.items()
        return {self._known[widget].name: one.app for widget, one in running if widget in self._known}

    async def _fresh(self) -> None:
        """One looks while the others go on with what was known, once anything is."""
        if self._stale() and (self._looked == NEVER or not self._looking.locked()):
            async with self._looking:
                if self._stale():
                    await self._look()
                    self._looked = time.monotonic()

    def _stale(self) -> bool:
        return time.monotonic() - self._looked > LOOK_S

    async def _look(self) -> None:
        found = await asyncio.get_running_loop().run_in_executor(_thread, self._tenants.all)
        self._known = {tenant.widget: tenant for tenant in found}
        self._hosts = {host: tenant for tenant in found for host in tenant.hosts}
        for widget, running in list(self._running.items()):
            tenant = self._known.get(widget)
            if tenant is None or tenant.suspended or self._tenants.stamp(tenant) != running.stamp:
                await self._end(widget)

    async def app(self, tenant: Tenant) -> FastAPI:
        """Raises what keeps it from being made or started, such as settings of no use."""
        async with self._starting:
            running = self._running.get(tenant.widget)
            if running is None or (running.task is not None and running.task.done()):
                stamp = self._tenants.stamp(tenant)
                running = Running(await asyncio.to_thread(self._make, tenant.name), stamp)
                running.task = asyncio.create_task(running.keep())
                self._running[tenant.widget] = running
        await running.started.wait()
        if running.task is not None and running.task.done():
            await running.task
        return running.app

    async def run(self) -> None:
        """Start all that are there, and stop those that are to be stopped; ends when it is cancelled."""
        await self._look()
        for tenant in list(self._known.values()):
            if not tenant.suspended:
                await self.served(tenant)
        while True:
            await asyncio.sleep(EVERY_S)
            await self._look()

    async def served(self, tenant: Tenant) -> FastAPI | None:
        """Its application; None where there can't be one, which the log explains, while the others go on."""
        try:
            return await self.app(tenant)
        except HandrailError as error:
            log.error("tenant %s can't be served: %s", tenant.name, error)
        except Exception:
            log.exception("tenant %s can't be served", tenant.name)
        return None

    async def close(self) -> None:
        for widget in list(self._running):
            await self._end(widget)
        if self._ending:
            await asyncio.wait(self._ending)

    async def _end(self, widget: str) -> None:
        """Whoever waits for it may be cancelled, and it closes its connections all the same."""
        running = self._running.pop(widget, None)
        if running is None or running.task is None:
            return
        running.stop.set()
        self._ending.add(running.task)
        running.task.add_done_callback(self._ended)
        await asyncio.wait([running.task])

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._ending.discard(task)
        if not task.cancelled():
            task.exception()  # what kept it from starting has been told


class Door:
    """ASGI. In front of the deployment's own application.

    At a host name of its own a tenant answers at the root, too, and nobody else answers there at all.
    """

    def __init__(self, app: ASGIApp, tenants: RunningTenants) -> None:
        self._app = app
        self._tenants = tenants
        self._crossings = Crossings()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        root, own = scope.get("root_path", ""), cast(FastAPI, scope["app"])
        path = scope["path"].removeprefix(root)
        tenant = at_host = await self._tenants.at(_host(scope))
        if path.startswith(PREFIX):
            widget, slash, _ = path.removeprefix(PREFIX).partition("/")
            tenant = await self._tenants.known(widget) if slash else None
            if tenant is None or at_host not in (None, tenant):
                await _refused(404, *BY_STATUS[404])(scope, receive, send)
                return
            root += tenant.path
        if tenant is None:
            await self._watched(OWN, own, self._app, scope, receive, send)
        elif tenant.suspended:
            await _refused(403, "suspended", "This assistant is paused.")(scope, receive, send)
        elif (app := await self._tenants.served(tenant)) is None:
            await _refused(503, "unavailable", "This assistant isn't available.")(scope, receive, send)
        else:
            theirs = {**scope, "root_path": root, "app_root_path": root}
            await self._watched(tenant.name, own, app, theirs, receive, send)

    async def _watched(self, name: str, own: FastAPI, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Served by `app` of the tenant `name`; a refusal is looked into once it has been sent."""
        status, path = 0, scope["path"].removeprefix(scope.get("root_path", ""))  # routing changes the scope

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await app(scope, receive, sending)
        if status >= REFUSED and (shown := shown_in(scope)) is not None:
            serving = {OWN: own, **self._tenants.serving()}
            await self._crossings.look(name, serving, shown, (status, path), scope)


def _host(scope: Scope) -> str:
    """As the browser sent it, without the port."""
    given = next((value for key, value in scope["headers"] if key == b"host"), b"").decode("latin-1")
    return given.partition(":")[0].rstrip(".").lower()


def _refused(status: int, code: str, message: str) -> ASGIApp:
    """With the headers of every other refusal; there is nothing in it that another site may not read."""
    request_id = uuid4().hex
    headers = {"Access-Control-Allow-Origin": "*", "X-Request-ID": request_id}
    return SecurityHeaders(respond(ApiError(status, code, message), request_id, headers))
