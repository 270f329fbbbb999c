"""`/desk/api/gaps`, `/cases` and `/drafts`: what conversations teach, and what becomes of it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict, replace
from typing import Annotated, Any, Literal
from uuid import uuid4

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from api.dependencies import Needed
from api.desk_access import Agent, Lead
from api.errors import BY_STATUS, ApiError
from api.learning import Learning, LearningServices
from api.media import JsonLines
from api.routes.desk.reports import First, Last, chosen
from handrail.desk.learning.cases import LONGEST_QUESTION, Case, CaseError, check, lines
from handrail.desk.learning.drafts import DraftError, as_markdown, checked
from handrail.desk.learning.gaps import Gap
from handrail.desk.learning.personal import impersonal
from handrail.desk.learning.publish import remove_article, write_article
from handrail.errors import IndexBusy, KnowledgeError
from handrail.records.learning import cited
from handrail.records.learning_tables import ArticleDraftRow

log = logging.getLogger("handrail.learning")

router = APIRouter()

FormatName = Literal["refusal", "retrieval"]
StatusName = Literal["proposed", "confirmed", "dropped"]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewCase(Body):
    """By an agent: about a turn, or a question of their own."""

    format: FormatName
    turn_id: str | None = Field(None, max_length=36)
    question: str | None = Field(None, max_length=LONGEST_QUESTION)
    should_refuse: bool | None = None
    article_ids: list[Annotated[str, Field(max_length=200)]] | None = Field(None, max_length=20)
    why: str | None = Field(None, max_length=500)
    status: Literal["proposed", "confirmed"] = "confirmed"
    """`proposed` where somebody still has to say what should have happened."""


class CaseChange(Body):
    status: StatusName | None = None
    should_refuse: bool | None = None
    article_ids: list[Annotated[str, Field(max_length=200)]] | None = Field(None, max_length=20)
    question: str | None = Field(None, max_length=LONGEST_QUESTION)


class NewDraft(Body):
    conversation_id: str = Field(max_length=64)


class DraftChange(Body):
    title: str = Field(max_length=400)
    body: str = Field(max_length=60_000)


@router.get("/gaps")
async def gaps(
    signed: Agent,
    learning: Learning,
    first: First = None,
    last: Last = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> dict[str, Any]:
    """The most asked first."""
    when = chosen(learning, first, last)
    found = await learning.gaps.between(when.start, when.end)
    return {"items": [_gap(gap) for gap in found[:limit]], "total": len(found), "empty": not found}


@router.get("/cases.jsonl", response_class=JsonLines)
async def cases_file(
    signed: Agent,
    learning: Learning,
    case_format: Annotated[FormatName, Query(alias="format")],
    status: StatusName | None = None,
) -> Response:
    """A file for `handrail eval refusal --file` or `handrail eval retrieval --file`."""
    await learning.records.propose_cases(learning.clock())
    text = lines(await learning.records.cases(case_format, status), case_format)
    headers = {"Content-Disposition": f'attachment; filename="{case_format}.jsonl"', "Cache-Control": "no-store"}
    return JsonLines(text, headers=headers)


@router.get("/cases")
async def cases(
    signed: Agent,
    learning: Learning,
    case_format: Annotated[FormatName | None, Query(alias="format")] = None,
    status: StatusName | None = None,
) -> dict[str, Any]:
    await learning.records.propose_cases(learning.clock())
    return {"items": [asdict(case) for case in await learning.records.cases(case_format, status)]}


@router.post("/cases", status_code=201)
async def mark(body: NewCase, signed: Agent, services: Needed, learning: Learning) -> dict[str, Any]:
    """An agent says what should have happened; a thumb's proposal for the same turn is confirmed or corrected."""
    turn = await learning.records.turn(body.turn_id) if body.turn_id else None
    if body.turn_id and turn is None:
        raise ApiError(404, *BY_STATUS[404])
    articles = body.article_ids
    if articles is None:
        wanted = turn is not None and (body.format == "retrieval" or body.should_refuse is False)
        articles = list(cited(turn)) if turn is not None and wanted else []
    now = learning.clock()
    case = Case(
        id=uuid4().hex,
        format=body.format,
        status=body.status,
        question=impersonal(body.question or (turn.question if turn else "")),
        should_refuse=body.should_refuse if body.format == "refusal" else None,
        article_ids=tuple(dict.fromkeys(name.strip() for name in articles)),
        source="agent",
        why=body.why,
        turn_id=body.turn_id,
        conversation_id=turn.conversation_id if turn else None,
        created_by=signed.user.id,
        created_at=now,
        updated_at=now,
    )
    return await _kept(case, "case", signed.user.id, services, learning)


@router.put("/cases/{case_id}")
async def change_case(
    case_id: str, body: CaseChange, signed: Agent, services: Needed, learning: Learning
) -> dict[str, Any]:
    """Confirm, correct or drop a case."""
    case = await learning.records.case(case_id)
    if case is None:
        raise ApiError(404, *BY_STATUS[404])
    changed = replace(
        case,
        status=body.status or "confirmed",
        should_refuse=case.should_refuse if body.should_refuse is None else body.should_refuse,
        article_ids=case.article_ids if body.article_ids is None else tuple(body.article_ids),
        question=case.question if body.question is None else impersonal(body.question),
        updated_at=learning.clock(),
    )
    return await _kept(changed, f"case_{changed.status}", signed.user.id, services, learning)


@router.get("/drafts")
async def drafts(
    signed: Agent, learning: Learning, status: Literal["proposed", "approved", "rejected"] | None = None
) -> dict[str, Any]:
    return {"items": [_draft(row) for row in await learning.records.drafts(status)]}


@router.post("/drafts", status_code=201)
async def propose(body: NewDraft, signed: Agent, services: Needed, learning: Learning) -> dict[str, Any]:
    """A draft of an article from a resolved conversation; nothing of it is indexed."""
    talk = await learning.records.talk(body.conversation_id)
    if talk is None:
        raise ApiError(404, *BY_STATUS[404])
    if talk.state != "resolved":
        raise ApiError(
            409,
            "not_resolved",
            "Resolve the conversation first. Articles are only drafted from resolved conversations.",
        )
    try:
        draft = await learning.books.drafter().draft(talk.messages, talk.lang)
    except DraftError as error:
        raise ApiError(422, "nothing_to_draft", str(error)) from None
    now = learning.clock()
    row = await learning.records.add_draft(
        conversation_id=talk.id,
        status="proposed",
        machine_made=True,
        made_by=draft.made_by,
        title=draft.title,
        body=draft.body,
        lang=talk.lang,
        indexed=False,
        created_by=signed.user.id,
        created_at=now,
        updated_at=now,
        detail={},
    )
    await services.desk.book.log("draft_proposed", now, user_id=signed.user.id, target=row.id)
    return _draft(row)


@router.put("/drafts/{draft_id}")
async def edit(draft_id: str, body: DraftChange, signed: Agent, services: Needed, learning: Learning) -> dict[str, Any]:
    """A person's own words: from now on it is not machine-made."""
    try:
        title, text = checked(body.title, body.body)
    except DraftError as error:
        raise ApiError(422, "validation", str(error)) from None
    now = learning.clock()
    row = await learning.records.change_draft(
        draft_id, "proposed", title=title, body=text, machine_made=False, edited_by=signed.user.id, updated_at=now
    )
    if row is None:
        raise await _why_not(draft_id, learning)
    await services.desk.book.log("draft_edited", now, user_id=signed.user.id, target=draft_id)
    return _draft(row)


@router.post("/drafts/{draft_id}/reject")
async def reject(draft_id: str, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    now = learning.clock()
    row = await learning.records.change_draft(
        draft_id, "proposed", status="rejected", decided_by=signed.user.id, decided_at=now, updated_at=now
    )
    if row is None:
        raise await _why_not(draft_id, learning)
    await services.desk.book.log("draft_rejected", now, user_id=signed.user.id, target=draft_id)
    return _draft(row)


@router.post("/drafts/{draft_id}/approve")
async def approve(draft_id: str, signed: Lead, services: Needed, learning: Learning) -> dict[str, Any]:
    """The draft becomes an article: a file in the knowledge folder, indexed at once unless an ingest is under way.

    Otherwise `indexed` is false and `note` says when it will be.
    """
    library, now = learning.books, learning.clock()
    row = await learning.records.change_draft(
        draft_id, "proposed", status="approved", machine_made=False, decided_by=signed.user.id, decided_at=now,
        updated_at=now,
    )  # fmt: skip
    if row is None:
        raise await _why_not(draft_id, learning)
    article = await asyncio.to_thread(write_article, learning.folder, row)
    note = None
    try:
        await library.learn(learning.folder)
    except IndexBusy as error:
        note = str(error)
    except KnowledgeError as error:
        await asyncio.to_thread(remove_article, learning.folder, article)
        await learning.records.change_draft(draft_id, "approved", status="proposed", decided_by=None, decided_at=None)
        raise ApiError(422, "not_indexed", str(error)) from None
    detail = {"note": note} if note else {}
    done = await learning.records.change_draft(
        draft_id, "approved", article_id=article, indexed=note is None, detail=detail
    )
    entry = {"article": article, "indexed": note is None}
    await services.desk.book.log("draft_approved", now, user_id=signed.user.id, target=draft_id, detail=entry)
    return _draft(done or row)


async def _kept(case: Case, action: str, user_id: str, services: Needed, learning: LearningServices) -> dict[str, Any]:
    try:
        check(case.format, case.question, case.should_refuse, case.article_ids)
    except CaseError as error:
        raise ApiError(422, "validation", str(error)) from None
    saved = await learning.records.save_case(case)
    await services.desk.book.log(action, learning.clock(), user_id=user_id, target=saved.id)
    return asdict(saved)


async def _why_not(draft_id: str, learning: LearningServices) -> ApiError:
    row = await learning.records.draft(draft_id)
    if row is None:
        return ApiError(404, *BY_STATUS[404])
    return ApiError(409, "decided", f"This draft is already {row.status}.")


def _gap(gap: Gap) -> dict[str, Any]:
    nearest = [{**asdict(near), "score": round(1.0 - near.distance, 4)} for near in gap.nearest]
    return {**asdict(gap), "count": gap.questions, "nearest": nearest}


def _draft(row: ArticleDraftRow) -> dict[str, Any]:
    names = (
        "id", "conversation_id", "status", "machine_made", "made_by", "title", "body", "lang", "article_id", "indexed",
        "created_by", "edited_by", "decided_by", "created_at", "updated_at", "decided_at",
    )  # fmt: skip
    shown: dict[str, Any] = {name: getattr(row, name) for name in names}
    shown["note"] = row.detail.get("note")
    shown["markdown"] = as_markdown(
        row.title, row.body, lang=row.lang, machine_made=row.machine_made, made_by=row.made_by,
        conversation=row.conversation_id,
    )  # fmt: skip
    return shown
