"""`/desk/api/sources`: where the articles come from. Those of config.toml are shown; leads declare others here."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from api.dependencies import Needed, Services
from api.desk_access import Lead
from api.errors import AWAY_RETRY_S, BY_STATUS, ApiError, sentence
from api.learning import Learning, LearningServices
from api.syncing import Syncing
from handrail.accounts.sessions import Signed
from handrail.assembly import kb_folder
from handrail.assembly.sourcing import Known, desk_sources, origins_of, permitted
from handrail.errors import HandrailError, IndexBusy, KnowledgeError, RetryableError
from handrail.knowledge.sources.at_desk import FIELDS, DeskSource, DeskSources, NoSource, SourceError
from handrail.settings import Settings
from handrail.settings.sources import Source
from handrail.stores.lock import IndexLock

router = APIRouter()


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Declaration(Body):
    kind: Literal["folder", "site", "zendesk", "intercom", "chatwoot", "git"]
    where: str = Field(min_length=1, max_length=2000, pattern=r"^[^\x00-\x1f\x7f]+$")
    locale: str = Field("", max_length=20)
    folder: str = Field("", max_length=500)
    branch: str = Field("", max_length=200)
    url_base: str = Field("", max_length=2000, pattern=r"^(?:https?://\S+)?$")
    token: str | None = Field(None, max_length=4000, pattern=r"^[\x20-\x7e]*$")
    """Credentials, never shown again. None leaves what is held, and an empty one removes it."""


class Switch(Body):
    active: bool


@router.get("/sources")
async def sources(signed: Lead, request: Request, services: Needed) -> dict[str, Any]:
    """Where the articles come from, and what the newest run and the newest preview told."""
    syncing: Syncing = request.app.state.syncing
    settings = services.settings
    known = await _known(syncing)
    try:
        of = list((await asyncio.to_thread(origins_of(settings).all)).values())
    except KnowledgeError as error:
        raise ApiError(409, "refused", sentence(error)) from None
    return {
        "items": [{**_view(one), "articles": of.count(one.id)} for one in known],
        "folders": [str(one) for one in settings.knowledge.desk_folders],
        "every_minutes": syncing.every_minutes,
        "running": syncing.running,
        "stopping": syncing.stopping,
        "last": await syncing.last(),
        "preview": await syncing.previewed(),
    }


@router.post("/sources", status_code=201)
async def add(body: Declaration, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """A new source, paused: a preview says what it would bring."""
    source, held = await _checked(services.settings, body, token=bool(body.token)), desk_sources(services.settings)
    now = learning.clock()
    try:
        one = await asyncio.to_thread(held.add, source, body.token or "", signed.user.id, now)
    except SourceError as error:
        raise ApiError(409, "refused", sentence(error)) from None
    await _log(services, learning, signed, "source_added", one)
    return _view(Known(one.id, one.source, one))


@router.put("/sources/{source_id}")
async def change(
    source_id: str, body: Declaration, signed: Lead, services: Needed, learning: Learning
) -> dict[str, Any]:
    held = desk_sources(services.settings)
    before = await _found(held, source_id)
    token = bool(before.token if body.token is None else body.token)
    source = await _checked(services.settings, body, token=token)
    try:
        one = await asyncio.to_thread(held.change, source_id, source, body.token)
    except NoSource:
        raise ApiError(404, *BY_STATUS[404]) from None
    except SourceError as error:
        raise ApiError(409, "refused", sentence(error)) from None
    await _log(services, learning, signed, "source_changed", one)
    return _view(Known(one.id, one.source, one))


@router.post("/sources/{source_id}/active")
async def switch(source_id: str, body: Switch, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """A sync reads it from now on, or no longer; its articles stay either way."""
    held = desk_sources(services.settings)
    await _found(held, source_id)
    one = await asyncio.to_thread(lambda: held.switch(source_id, active=body.active))
    await _log(services, learning, signed, "source_resumed" if body.active else "source_paused", one)
    return _view(Known(one.id, one.source, one))


@router.post("/sources/{source_id}/preview", status_code=202)
async def preview(
    source_id: str, signed: Lead, request: Request, services: Needed, learning: Learning
) -> dict[str, Any]:
    """Begin to read a source without changing anything; `GET /sources` says what would change."""
    syncing: Syncing = request.app.state.syncing
    if all(one.id != source_id for one in await _known(syncing)):
        raise ApiError(404, *BY_STATUS[404])
    if not syncing.start(preview=source_id):
        raise ApiError(409, "running", "A sync or preview is under way already. Try again when it is done.")
    await services.desk.book.log("source_previewed", learning.clock(), user_id=signed.user.id, target=source_id)
    return {"running": True}


@router.delete("/sources/{source_id}")
async def remove(
    source_id: str,
    signed: Lead,
    services: Needed,
    learning: Learning,
    articles: Literal["keep", "remove"] = "keep",
) -> dict[str, Any]:
    """Its articles stay as if they had been added by hand, or leave the index."""
    settings, held = services.settings, desk_sources(services.settings)
    one = await _found(held, source_id)
    library = learning.books if articles == "remove" else None
    own = kb_folder(settings, settings.knowledge.kb)
    async with learning.publishing:
        try:
            lock = await asyncio.to_thread(lambda: IndexLock(own / "sources", write=True))
            try:
                gone = await asyncio.to_thread(_of, settings, source_id)
                if library is not None and gone:
                    await library.learn(learning.folder, gone)
                else:
                    await asyncio.to_thread(_give_up, settings, source_id)
                await asyncio.to_thread(held.remove, source_id)
            finally:
                lock.release()
        except IndexBusy:
            raise ApiError(409, "running", "A sync or ingest is under way. Try again when it is done.") from None
        except RetryableError as error:
            raise ApiError(503, "unavailable", sentence(error), retry_after_s=AWAY_RETRY_S) from None
        except KnowledgeError as error:
            raise ApiError(422, "not_removed", sentence(error)) from None
    await _log(services, learning, signed, "source_removed", one, articles=articles, of=len(gone))
    return {"articles": len(gone)}


@router.post("/sources/sync", status_code=202)
async def sync_now(signed: Lead, request: Request, services: Needed, learning: Learning) -> dict[str, Any]:
    """Begin a run; `GET /sources` says when it is over, and what has changed."""
    syncing: Syncing = request.app.state.syncing
    if not any(one.active for one in await _known(syncing)):
        raise ApiError(422, "no_sources", "No source is turned on. Add one, or turn one on.")
    if not syncing.start():
        raise ApiError(409, "running", "A sync or preview is under way already.")
    await services.desk.book.log("sync_started", learning.clock(), user_id=signed.user.id)
    return {"running": True}


@router.post("/sources/stop", status_code=202)
async def stop(signed: Lead, request: Request, services: Needed, learning: Learning) -> dict[str, Any]:
    """Ask the run or preview under way to end after the batch that it is at. It changes nothing, and says so."""
    syncing: Syncing = request.app.state.syncing
    if not syncing.stop():
        raise ApiError(409, "not_running", "No sync or preview is under way on this server.")
    await services.desk.book.log("sync_stopped", learning.clock(), user_id=signed.user.id)
    return {"running": True}


async def _known(syncing: Syncing) -> list[Known]:
    try:
        return await syncing.sources()
    except SourceError as error:
        raise ApiError(409, "refused", sentence(error)) from None


async def _found(held: DeskSources, source_id: str) -> DeskSource:
    if source_id.startswith("config-"):
        raise ApiError(409, "configured", "This source is declared in config.toml. Change it there.")
    try:
        return await asyncio.to_thread(held.get, source_id)
    except NoSource:
        raise ApiError(404, *BY_STATUS[404]) from None
    except SourceError as error:
        raise ApiError(409, "refused", sentence(error)) from None


async def _checked(settings: Settings, body: Declaration, *, token: bool) -> Source:
    """As it is kept, with its path resolved."""
    try:
        source = Source.model_construct(**body.model_dump(include=set(FIELDS)))
        place = await asyncio.to_thread(lambda: permitted(settings, source, token=token).where)
        return Source.model_validate({**body.model_dump(include=set(FIELDS)), "where": place})
    except ValidationError as error:
        first = error.errors()[0]
        raise ApiError(422, "not_valid", sentence(f"{first['loc'][-1]}: {first['msg']}")) from None
    except HandrailError as error:
        raise ApiError(422, "not_valid", sentence(error)) from None


def _of(settings: Settings, source_id: str) -> list[str]:
    return [id_ for id_, origin in origins_of(settings).all().items() if origin == source_id]


def _give_up(settings: Settings, source_id: str) -> None:
    with IndexLock(kb_folder(settings, settings.knowledge.kb), write=True):
        origins_of(settings).give_up(source_id)


def _view(one: Known) -> dict[str, Any]:
    desk = one.desk
    return {
        "id": one.id,
        **one.source.model_dump(include=set(FIELDS)),
        "active": one.active,
        "declared": "desk" if desk else "config",
        "has_token": bool(desk.token if desk else one.source.auth),
        "by": desk.by if desk else None,
        "at": desk.at if desk else None,
    }


async def _log(
    services: Services, learning: LearningServices, signed: Signed, action: str, one: DeskSource, **more: Any
) -> None:
    detail = {"kind": one.source.kind, "where": one.source.where, "token": bool(one.token), **more}
    await services.desk.book.log(action, learning.clock(), user_id=signed.user.id, target=one.id, detail=detail)
