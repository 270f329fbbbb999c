"""What the widget is told before the first question: the contract of `/config`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class WidgetBrand(BaseModel):
    """Name and colour."""

    name: str = Field(examples=["Acme"])
    assistant: str = Field(examples=["Acme assistant"])
    accent: str = Field(pattern=r"^#[0-9a-fA-F]{6}$", examples=["#0b6e5f"])


class WidgetPerson(BaseModel):
    """Whether somebody reads requests for a person, who is there now, and what to expect."""

    available: bool = Field(description="Whether requests are read at all; only then may a person be offered.")
    state: Literal["on", "away", "closed", "off"] = Field(
        "on",
        description="`on`: somebody is at the desk; `away`: within hours but nobody is; `closed`: outside hours; "
        "`off`: requests are read by nobody.",
    )
    expectation: str = Field(
        description="What to tell somebody who asks for a person; true of this moment.",
        examples=["A person replies within one working day."],
    )
    opens_at: str | None = Field(
        None, description="When a closed desk opens, ISO 8601.", examples=["2026-11-23T09:00:00+01:00"]
    )
    expected_wait_s: float | None = Field(
        None, description="Half of recent visitors at this time of day were answered within it; null when unknown."
    )
    expected_wait_most_s: float | None = Field(None, description="Four of five were answered within it.")


class WidgetLimits(BaseModel):
    """Bounds the widget should know before it sends."""

    max_question_chars: int = Field(ge=1, examples=[4000])


class WidgetConfig(BaseModel):
    """Everything public that the widget needs to show itself."""

    widget_id: str = Field(examples=["demo"])
    brand: WidgetBrand
    lang: str = Field(examples=["en"])
    disclosure: str = Field(description="That this is an AI; shown before the first message.")
    welcome: str = Field(examples=["Hi! What can I help you with?"])
    suggestions: list[str] = Field(examples=[["How do I connect my own domain?"]])
    topics: list[str] = Field(examples=[["Bookings", "Website"]])
    person: WidgetPerson
    limits: WidgetLimits
    link_hosts: list[str] = Field(
        description="Hosts that links in answers may lead to, besides cited articles.",
        examples=[["help.example.com"]],
    )
    strings: dict[str, str] = Field(description="The operator's own wording, by string key.", examples=[{}])
    meter: bool = Field(False, description="Whether tokens and cost of each answer are shown; for operators.")
    transcript_mail: bool = Field(False, description="Whether a conversation can be sent by e-mail.")
