"""The application: `uvicorn api.app:create_app --factory`, or `handrail serve`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING
from uuid import uuid4

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware

from api import errors, openapi
from api.condition import Condition
from api.dependencies import Assistant, Services, Slots
from api.desk import build_desk
from api.housekeeping import purge, watch_grades
from api.key_access import holder_of, offered
from api.learning import build_learning
from api.middleware.body import BodyLimit
from api.middleware.failure import Failure
from api.middleware.headers import SecurityHeaders
from api.middleware.prefix import Prefix
from api.middleware.redirects import OwnRedirects
from api.middleware.request_id import RequestId
from api.outbox import outbox_worker
from api.routes import (
    ask,
    desk,
    feedback,
    handoff,
    health,
    live,
    operator,
    pages,
    reference,
    site,
    stream,
    systemone,
    visitor,
    widget,
)
from api.startup import Startup
from api.syncing import Syncing
from api.tenants import Door, RunningTenants
from handrail import __version__
from handrail.accounts.api_keys import Scope
from handrail.accounts.demo import refuse_demo_agent
from handrail.accounts.keyspace import Keyspace
from handrail.accounts.limits.build import build_limits
from handrail.accounts.limits.open_streams import OpenStreams
from handrail.accounts.limits.rules import DAY
from handrail.accounts.redis_client import CONNECTIONS, connect
from handrail.conversation.streams.running import Streams
from handrail.conversation.streams.shared import SharedStreams
from handrail.desk.handoff.desk import Desk
from handrail.desk.handoff.reference import new_reference
from handrail.errors import HandrailError
from handrail.observe import log_format, log_records
from handrail.observe.trace_queue import TraceQueue
from handrail.records.database import open_database
from handrail.records.handoffs import HandoffRecords
from handrail.records.once import Once
from handrail.records.traces import TraceRecords
from handrail.records.turns import Turns
from handrail.settings import Settings, load_settings, public
from handrail.settings.load import of_tenant
from handrail.settings.tenants import OWN

if TYPE_CHECKING:
    from handrail.observe.metrics import Metrics

TURN_TTL_S = 86_400
"""Seconds a finished turn is kept for repeated turn ids."""
CLAIM_MARGIN_S = 15.0
"""A turn past its deadline by this much belongs to a process that has died."""


def create_app(
    settings: Settings | None = None,
    assistant: Assistant | None = None,
    clock: Callable[[], float] = time.time,
    hopeless: Callable[[HandrailError], None] | None = None,
) -> FastAPI:
    """Settings come from the environment and the assistant from the settings, unless they are given.

    `clock` returns seconds since the epoch and is what limits and records go by. `hopeless` is told where there is no
    knowledge base to answer from, so that it can end the process. Raises SettingsError.
    """
    log_records.install()
    chosen = settings or load_settings()
    public.check(chosen)
    if settings is None:  # started by an ASGI server, so nobody else has read how to log
        log_format.configure(chosen.observe)
    answering = assistant or _assembled(chosen)
    tenants = _tenants(chosen, answering, clock) if chosen.storage.tenant == OWN else None
    metrics = _metrics(chosen)
    if metrics is not None:
        answering.trace_to(metrics)
    app = FastAPI(
        title="Handrail",
        version=__version__,
        description=openapi.DESCRIPTION,
        lifespan=_lifespan(chosen, answering, clock, hopeless, tenants),
        middleware=_middleware(chosen, tenants, metrics),
        docs_url=None,
        redoc_url=None,
        openapi_tags=openapi.TAGS,
    )
    for route in (ask, stream, handoff, feedback, visitor, live, desk, widget, pages, health, reference):
        app.include_router(route.router)
    if chosen.decisions.serve_key is not None:
        key = chosen.decisions.serve_key.get_secret_value()
        app.include_router(systemone.build_router(answering.decision_model, key))
    if metrics is not None:
        from api.routes import metrics as scraped

        allowed = holder_of(Scope.METRICS, chosen.observe.metrics_key, "observe.metrics_key")
        app.include_router(scraped.build_router(metrics, allowed))
    if tenants is not None and offered(chosen, chosen.server.operator_key):
        allowed = holder_of(Scope.OPERATOR, chosen.server.operator_key, "server.operator_key")
        app.include_router(operator.build_router(chosen, allowed, clock))
    site.mount(app, chosen)
    errors.install(app)
    openapi.refine(app, chosen)
    return app


def _assembled(settings: Settings, beside: Assistant | None = None) -> Assistant:
    from handrail.assembly import Assistant as LocalAssistant

    return LocalAssistant(settings, repeats=True, beside=beside if isinstance(beside, LocalAssistant) else None)


def _tenants(settings: Settings, own: Assistant, clock: Callable[[], float]) -> RunningTenants:
    """The applications of the companies beside the deployment's own, which share its models."""

    def make(name: str) -> FastAPI:
        theirs = of_tenant(settings, name)
        return create_app(theirs, _assembled(theirs, own), clock)

    return RunningTenants(settings.storage.data_dir, make)


def _metrics(settings: Settings) -> Metrics | None:
    """None where nobody reads them."""
    if not offered(settings, settings.observe.metrics_key):
        return None
    from handrail.observe.metrics import Metrics

    return Metrics()


def _middleware(settings: Settings, tenants: RunningTenants | None, metrics: Metrics | None) -> list[Middleware]:
    """Outermost first: even a refusal of an inner one carries the id and the headers."""
    origins = settings.server.cors_origins
    cors = Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=["GET", "POST"],
        allow_headers=["Authorization", "Content-Type", "X-Request-ID", "Last-Event-ID"],
        expose_headers=["Retry-After", "X-Request-ID", "X-Vercel-AI-UI-Message-Stream"],
        max_age=600,
    )
    root_path = settings.server.root_path
    return [
        # A tenant's application is reached through the deployment's own.
        *([Middleware(Prefix, root_path=root_path)] if root_path and tenants is not None else []),
        *([Middleware(Door, tenants=tenants)] if tenants is not None else []),
        *_counting(metrics),
        Middleware(RequestId, new_id=lambda: uuid4().hex, clock=time.perf_counter),
        Middleware(SecurityHeaders, proxied=settings.server.trusted_proxies > 0),
        Middleware(OwnRedirects),
        *([cors] if origins else []),
        Middleware(GZipMiddleware, minimum_size=800),
        Middleware(Failure),
        Middleware(
            BodyLimit,
            max_bytes=settings.server.max_body_bytes,
            seconds=settings.server.body_timeout_s,
            larger={"/desk/api/uploads": settings.knowledge.max_article_bytes},
        ),
    ]


def _counting(metrics: Metrics | None) -> list[Middleware]:
    if metrics is None:
        return []
    from api.middleware.counted import Counted

    return [Middleware(Counted, metrics=metrics, clock=time.perf_counter)]


def _lifespan(
    settings: Settings,
    assistant: Assistant,
    clock: Callable[[], float],
    hopeless: Callable[[HandrailError], None] | None,
    tenants: RunningTenants | None,
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as cleanup:
            database = await open_database(settings.storage)
            cleanup.push_async_callback(database.close)
            if settings.server.public:
                await refuse_demo_agent(database)
            limits = build_limits(settings, clock, database)
            cleanup.push_async_callback(limits.close)
            turn_s = settings.server.turn_deadline_s + CLAIM_MARGIN_S
            turns = Turns(database, database.tenant, TURN_TTL_S, turn_s)
            streams = Streams(settings.stream, await _shared_streams(settings, limits.keys, cleanup))
            served, rota = build_desk(settings, database, limits, clock)
            cleanup.push_async_callback(served.later.finish)
            traces = TraceRecords(database, database.tenant)
            trace_queue = TraceQueue(traces.save) if settings.desk.trace_days else None
            if trace_queue is not None:
                assistant.trace_to(trace_queue)
                cleanup.push_async_callback(trace_queue.finish)
            startup = Startup(assistant.start, hopeless=hopeless)
            app.state.learning = build_learning(settings, database, database.tenant, assistant, clock)
            app.state.services = Services(
                settings=settings,
                assistant=assistant,
                startup=startup,
                limits=limits,
                database=database,
                once=Once(turns, clock, queue_s=settings.server.conversation_queue_s, turn_s=turn_s),
                requests=Desk(HandoffRecords(database.apart, database.tenant), new_reference, clock),
                desk=served,
                rota=rota,
                traces=traces,
                trace_queue=trace_queue,
                turns=Slots(settings.server.max_concurrent_turns),
                streams=streams,
                followers=_followers(settings),
                desk_followers=OpenStreams(settings.limits.streams_per_visitor, 0, 0),
                condition=Condition(),
            )
            cleanup.push_async_callback(assistant.stop)
            if tenants is not None:  # before the models that they share are closed
                cleanup.push_async_callback(tenants.close)
            cleanup.push_async_callback(streams.close)
            worker = await cleanup.enter_async_context(outbox_worker(settings.alerts, database, database.tenant, clock))
            days, learning = settings.desk, app.state.learning
            work_beside = [
                startup.run(),
                served.hub.listen(),
                purge(lambda: turns.purge(clock()), "turns"),
                purge(lambda: served.visitors.forget(days.retention_days, clock()), "conversations"),
                purge(served.tokens.forget, "exchanges of visitor tokens"),
                purge(lambda: traces.forget(days.trace_days, clock()), "traces"),
            ]
            if (counts := limits.counts) is not None:
                work_beside.append(purge(lambda: counts.forget(int(clock() // DAY) - 1), "counts of days"))
            if tenants is not None:
                work_beside.append(tenants.run())
            app.state.syncing = syncing = Syncing(settings, clock)
            cleanup.push_async_callback(syncing.close)
            if syncing.every_minutes:
                work_beside.append(syncing.watch())
            if settings.drift.daily:
                work_beside.append(watch_grades(settings, learning.gradings, learning.reports, clock))
            for work in (*work_beside, *([worker.run()] if worker else [])):
                cleanup.push_async_callback(_cancel, asyncio.create_task(work))
            cleanup.callback(served.hub.close)
            yield

    return lifespan


def _followers(settings: Settings) -> OpenStreams:
    limits = settings.limits
    each = (limits.streams_per_visitor, limits.streams_per_address) if limits.enabled else (0, 0)
    return OpenStreams(*each, limits.max_streams)


async def _shared_streams(settings: Settings, keys: Keyspace, cleanup: AsyncExitStack) -> SharedStreams | None:
    if settings.limits.redis_url is None:
        return None
    # Whoever follows a turn of another process holds a connection while he waits.
    redis = connect(settings.limits.redis_url, settings.limits.max_streams + CONNECTIONS)
    cleanup.push_async_callback(redis.aclose)
    return SharedStreams(
        redis, keys, keep_s=max(settings.stream.resume_s, int(settings.server.turn_deadline_s + CLAIM_MARGIN_S))
    )


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
