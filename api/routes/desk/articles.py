"""`/desk/api/uploads` and `/files`: articles that leads bring as files."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from api.dependencies import Needed
from api.desk_access import Lead
from api.errors import BY_STATUS, ApiError, sentence
from api.learning import Learning, LearningServices
from handrail.answer.planted import planted
from handrail.desk.learning.library import Library
from handrail.errors import KnowledgeError, RetryableError
from handrail.knowledge.uploads import NoUpload, Preview, Published, UploadError, Waiting
from handrail.knowledge.uploads.reading import previews

router = APIRouter()

Name = Annotated[str, Query(min_length=1, max_length=500)]
LIKE_CHARS = 800
"""Characters of an article that are compared with others to propose tags."""


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Approval(Body):
    title: str | None = Field(None, max_length=200)
    """In place of the file's own; only for a file of one article."""
    url: str | None = Field(None, max_length=2000, pattern=r"^https?://\S+$")
    tags: list[Annotated[str, Field(min_length=1, max_length=60)]] = Field(default_factory=list, max_length=20)
    audience: Literal["public", "agents"] = "public"
    trusted: bool = False
    """Index it even if it holds instructions to a language model."""


class Restored(Body):
    version: int = Field(ge=1, le=1_000_000)


@router.get("/uploads")
async def uploads(signed: Lead, learning: Learning) -> dict[str, Any]:
    """Files that wait for approval, and those that were approved."""

    def read() -> dict[str, Any]:
        return {
            "waiting": [_waiting(one) for one in learning.uploads.waiting()],
            "files": [_published(one) for one in learning.uploads.published()],
            "max_bytes": learning.uploads.max_bytes,
        }

    return await asyncio.to_thread(read)


@router.post("/uploads", status_code=201)
async def add(request: Request, name: Name, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """The body is the file. It is read and shown, and waits; nothing of it is indexed."""
    data = bytearray()
    async for part in request.stream():
        data += part
        if len(data) > learning.uploads.max_bytes:
            raise ApiError(413, "too_large", f"The file is larger than {learning.uploads.max_bytes} bytes.")
    now = learning.clock()
    try:
        one = await asyncio.to_thread(learning.uploads.add, name, bytes(data), signed.user.id, now)
        shown = await _shown(one, learning)
    except NoUpload as error:
        raise ApiError(409, "decided", sentence(error)) from None
    except UploadError as error:
        raise ApiError(422, "not_read", sentence(error)) from None
    await services.desk.book.log(
        "file_uploaded", now, user_id=signed.user.id, target=one.id, detail={"name": one.about.name}
    )
    return shown


@router.get("/uploads/{upload_id}")
async def preview(upload_id: str, signed: Lead, learning: Learning) -> dict[str, Any]:
    """What a waiting file holds, by sections as answers quote them."""
    found = [one for one in await asyncio.to_thread(lambda: list(learning.uploads.waiting())) if one.id == upload_id]
    if not found:
        raise ApiError(404, *BY_STATUS[404])
    return await _shown(found[0], learning)


@router.delete("/uploads/{upload_id}", status_code=204)
async def discard(upload_id: str, signed: Lead, services: Needed, learning: Learning) -> None:
    try:
        await asyncio.to_thread(learning.uploads.discard, upload_id)
    except NoUpload:
        raise ApiError(404, *BY_STATUS[404]) from None
    await services.desk.book.log("file_discarded", learning.clock(), user_id=signed.user.id, target=upload_id)


@router.post("/uploads/{upload_id}/approve")
async def approve(upload_id: str, body: Approval, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """The file becomes the current version of its name, indexed at once unless an ingest is under way.

    Otherwise `indexed` is false and `note` says when it will be.
    """
    library = learning.books
    async with learning.publishing:
        try:
            place = await asyncio.to_thread(learning.uploads.contents, upload_id)
            articles, _ = await asyncio.to_thread(_previews, learning, place)
            if any(one.planted for one in articles) and not body.trusted:
                raise ApiError(
                    409,
                    "planted",
                    "This file holds instructions to a language model. Approve it as trusted if they are meant to be "
                    "quoted.",
                )
            fields = body.model_dump(exclude_defaults=True, exclude={"trusted"})
            if len(articles) > 1:
                fields = {key: value for key, value in fields.items() if key not in ("title", "url")}
            published, before = await asyncio.to_thread(learning.uploads.publish, upload_id, fields)
        except NoUpload as error:
            raise ApiError(409, "decided", sentence(error)) from None
        except UploadError as error:
            raise ApiError(422, "not_read", sentence(error)) from None
        try:
            note = await _learned(library, learning)
        except KnowledgeError as error:
            name, version = published.about.name, published.version
            await asyncio.to_thread(learning.uploads.unpublish, name, version, before)
            raise ApiError(422, "not_indexed", sentence(error)) from None
    await _log(services, learning, signed.user.id, "file_approved", published, note)
    return {**_published(published), "indexed": note is None, "note": note}


@router.post("/files/{name}/restore")
async def restore(name: str, body: Restored, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """An earlier version of a file is current again."""
    library = learning.books
    async with learning.publishing:
        try:
            published = await asyncio.to_thread(learning.uploads.restore, name, body.version)
        except UploadError:
            raise ApiError(404, *BY_STATUS[404]) from None
        note = await _learned(library, learning)
    await _log(services, learning, signed.user.id, "file_restored", published, note)
    return {**_published(published), "indexed": note is None, "note": note}


@router.delete("/files/{name}")
async def remove(name: str, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """A file and all its versions; its articles leave the index."""
    library = learning.books
    async with learning.publishing:
        try:
            gone = await asyncio.to_thread(learning.uploads.remove, name)
        except UploadError:
            raise ApiError(404, *BY_STATUS[404]) from None
        note = await _learned(library, learning)
    entry = {"articles": gone, "indexed": note is None}
    await services.desk.book.log("file_removed", learning.clock(), user_id=signed.user.id, target=name, detail=entry)
    return {"indexed": note is None, "note": note}


@router.post("/files/index")
async def index_again(signed: Lead, learning: Learning) -> dict[str, Any]:
    """Index what lies in the knowledge folder: after a change that met another ingest, or one made there by hand."""
    library = learning.books
    async with learning.publishing:
        try:
            note = await _learned(library, learning)
        except KnowledgeError as error:
            raise ApiError(422, "not_indexed", sentence(error)) from None
    return {"indexed": note is None, "note": note}


async def _learned(library: Library, learning: LearningServices) -> str | None:
    """Why it is not indexed yet; None where it is. Raises KnowledgeError.

    What couldn't be taken out of the index stays noted, for the next time.
    """
    gone = await asyncio.to_thread(learning.uploads.gone)
    try:
        await library.learn(learning.folder, gone)
    except RetryableError as error:
        return str(error)
    await asyncio.to_thread(learning.uploads.settle, gone)
    return None


def _previews(learning: LearningServices, place: Any) -> tuple[list[Preview], list[str]]:
    return previews(place, learning.uploads.url_base, learning.uploads.max_bytes, planted)


async def _shown(one: Waiting, learning: LearningServices) -> dict[str, Any]:
    """Raises UploadError; a file that can't be read doesn't wait."""
    place = await asyncio.to_thread(learning.uploads.contents, one.id)
    try:
        articles, notes = await asyncio.to_thread(_previews, learning, place)
    except UploadError:
        await asyncio.to_thread(learning.uploads.discard, one.id)
        raise
    texts = [f"{a.title}\n{' '.join(s.text for s in a.sections)[:LIKE_CHARS]}" for a in articles[:5]]
    try:
        tags = await learning.books.tags_like(texts)
    except RetryableError:
        tags = []
    return {
        **_waiting(one),
        "articles": [asdict(article) for article in articles],
        "notes": notes,
        "suggested_tags": tags,
        "planted": any(article.planted for article in articles),
        "replaces": await asyncio.to_thread(learning.uploads.in_use, one.about.name),
    }


async def _log(
    services: Any, learning: LearningServices, user: str, action: str, published: Published, note: str | None
) -> None:
    entry = {"version": published.version, "articles": list(published.articles), "indexed": note is None}
    await services.desk.book.log(action, learning.clock(), user_id=user, target=published.about.name, detail=entry)


def _waiting(one: Waiting) -> dict[str, Any]:
    return {"id": one.id, **asdict(one.about)}


def _published(one: Published) -> dict[str, Any]:
    rest = {"version": one.version, "versions": one.versions, "articles": one.articles, "tags": one.tags}
    return {**asdict(one.about), **rest}
