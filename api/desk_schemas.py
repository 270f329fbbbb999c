"""What the desk's page sends: the contract with agents' actions."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from api.fields import Email, Lenient, Number


class SignInRequest(Lenient):
    """Who wants to sign in at the desk."""

    email: str = Field(max_length=254)
    password: str = Field(max_length=200)
    code: str | None = Field(None, max_length=40, description="A one-time or recovery code, where one is asked for.")


class ProofRequest(Lenient):
    """Who is signed in shows that it is really them."""

    password: str = Field(max_length=200)
    code: str | None = Field(None, max_length=40)


class PasswordRequest(ProofRequest):
    """A password of one's own choice."""

    new: str = Field(max_length=200)


class CodeRequest(Lenient):
    """A one-time code of the app that is being set up."""

    code: str = Field(max_length=40)


class PresenceRequest(Lenient):
    """Whether an agent takes conversations."""

    online: bool


class ActRequest(Lenient):
    """The conversation as it was seen: whoever acts on an older one is told so."""

    version: Number


class ResolveRequest(ActRequest):
    """Why it is over."""

    cause: str = Field("", max_length=60, examples=["answered"])


class TransferRequest(ActRequest):
    """Who takes it on."""

    user_id: str = Field(max_length=32)


class ReplyRequest(Lenient):
    """An agent's message."""

    id: str = Field(pattern=r"^[A-Za-z0-9._-]{1,64}$", description="Made by the page once per message.")
    text: str = Field(max_length=8000)


class NoteRequest(Lenient):
    """A note for colleagues."""

    id: UUID | None = None
    text: str = Field(max_length=8000)


class CannedRequest(Lenient):
    """A canned reply."""

    title: str = Field(min_length=1, max_length=120)
    text: str = Field(min_length=1, max_length=8000)


class UserRequest(Lenient):
    """A new colleague."""

    email: Email = Field(min_length=3)
    name: str = Field("", max_length=100)
    role: Literal["agent", "lead", "admin"] = "agent"
    password: str | None = Field(None, max_length=200)


class UserChange(Lenient):
    """What becomes of a colleague's account."""

    role: Literal["agent", "lead", "admin"] | None = None
    active: bool | None = None
