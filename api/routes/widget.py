"""`GET /config`: what the widget shows before anybody has asked anything."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from api.dependencies import Needed, counted_by_address
from api.openapi import failures
from api.widget_schemas import WidgetBrand, WidgetConfig, WidgetLimits, WidgetPerson
from handrail.text.language import base
from handrail.turn.wording import load_wording

Spoken = Annotated[
    str | None, Query(max_length=100, description="Language of the visitor; one that is not known counts as English.")
]

router = APIRouter(tags=["widget"])


@router.get(
    "/config",
    operation_id="widgetConfig",
    summary="How the widget should look",
    response_description="Public settings; nothing here is secret.",
    responses=failures(422, 429),
    dependencies=[Depends(counted_by_address)],
)
async def config(response: Response, services: Needed, lang: Spoken = None) -> WidgetConfig:
    """Public settings of the widget, and who is at the desk right now, said in the visitor's language."""
    brand = services.settings.brand
    people = await services.rota.people()
    wording = load_wording(brand.name).into(base(lang), people)
    response.headers["Cache-Control"] = "public, max-age=20"
    return WidgetConfig(
        widget_id="demo" if services.settings.server.demo_mode else "default",
        brand=WidgetBrand(name=brand.name, assistant=brand.assistant, accent=brand.accent),
        lang="en",
        disclosure=brand.disclosure,
        welcome=brand.welcome,
        suggestions=brand.suggestions,
        topics=brand.topics,
        person=WidgetPerson(
            available=people.reachable,
            state=people.availability.value,
            expectation=wording.expectation(brand.person_expectation),
            opens_at=people.opens_at.isoformat() if people.opens_at else None,
            expected_wait_s=people.wait_s,
            expected_wait_most_s=people.wait_most_s,
        ),
        limits=WidgetLimits(max_question_chars=services.settings.server.max_question_chars),
        link_hosts=brand.link_hosts,
        strings=brand.strings,
        meter=brand.meter,
        transcript_mail=services.desk.mail.possible,
    )
