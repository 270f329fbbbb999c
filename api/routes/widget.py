"""`GET /config`: what the widget shows before anybody has asked anything."""

from __future__ import annotations

from fastapi import APIRouter, Response

from api.dependencies import Needed
from api.openapi import failures
from api.schemas import WidgetBrand, WidgetConfig, WidgetLimits, WidgetPerson

router = APIRouter(tags=["widget"])


@router.get(
    "/config",
    operation_id="widgetConfig",
    summary="How the widget should look",
    response_description="Public settings; nothing here is secret.",
    responses=failures(),
)
async def config(response: Response, services: Needed) -> WidgetConfig:
    """Public settings of the widget."""
    brand = services.settings.brand
    response.headers["Cache-Control"] = "public, max-age=60"
    return WidgetConfig(
        widget_id="demo" if services.settings.server.demo_mode else "default",
        brand=WidgetBrand(name=brand.name, assistant=brand.assistant, accent=brand.accent),
        lang="en",
        disclosure=brand.disclosure,
        welcome=brand.welcome,
        suggestions=brand.suggestions,
        topics=brand.topics,
        person=WidgetPerson(available=brand.person_available, expectation=brand.person_expectation),
        limits=WidgetLimits(max_question_chars=services.settings.server.max_question_chars),
        link_hosts=brand.link_hosts,
        strings=brand.strings,
        meter=brand.meter,
    )
