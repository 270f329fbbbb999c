"""`/tenants`: the companies that share a deployment, for its operator."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from api.errors import AWAY_RETRY_S, ApiError
from handrail.accounts.tenants import NoSuchTenant, Tenant, Tenants, TenantTaken
from handrail.assembly.tenant_export import export
from handrail.assembly.tenants import erase
from handrail.errors import HandrailError, SettingsError
from handrail.settings import Settings

Name = Annotated[str, InPath(pattern=r"^[a-z0-9][a-z0-9_-]{1,39}$")]


class TenantView(BaseModel):
    """A company, and where its widget, API and desk are."""

    name: str
    path: str = Field(description="What all of its addresses begin with.", examples=["/t/w4f1c09aa52b7d310"])
    suspended: bool
    hosts: list[str] = Field(description="Host names at which it answers without that path.")
    created_at: float = Field(description="Seconds since the epoch.")


class NewTenant(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{1,39}$", examples=["acme"])
    company: str = Field(min_length=1, max_length=60, description="What the assistant calls the company.")


class Hosts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    hosts: list[Annotated[str, Field(max_length=253)]] = Field(max_length=50, examples=[["support.acme.com"]])


def build_router(settings: Settings, allowed: Callable[..., Awaitable[None]], clock: Callable[[], float]) -> APIRouter:
    """`allowed` raises for whoever is not the operator."""
    router = APIRouter(prefix="/tenants", include_in_schema=False, dependencies=[Depends(allowed)])
    tenants = Tenants(settings.storage.data_dir)

    @router.get("")
    def list_() -> list[TenantView]:
        return [_view(tenant) for tenant in tenants.all()]

    @router.post("", status_code=201)
    def create(body: NewTenant) -> TenantView:
        with _refusals():
            return _view(tenants.create(body.name, body.company, clock()))

    @router.post("/{name}/{change}")
    def change(name: Name, change: Literal["suspend", "resume", "rotate"]) -> TenantView:
        with _refusals():
            return _view(getattr(tenants, change)(name))

    @router.put("/{name}/hosts")
    def answer_at(name: Name, body: Hosts) -> TenantView:
        """Replaces those that it had."""
        with _refusals():
            return _view(tenants.answer_at(name, body.hosts))

    @router.get("/{name}/export")
    async def exported(name: Name) -> FileResponse:
        """An archive of everything but secrets; docs/tenants.md says what is in it."""
        with ExitStack() as held, _refusals():
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="handrail-export-")))
            made = await export(settings, name, folder / f"{name}.tar.gz")
            kept = held.pop_all()
        return FileResponse(
            made.file,
            media_type="application/gzip",
            filename=made.file.name,
            headers={"Content-Encoding": "identity"},  # it isn't compressed a second time
            background=BackgroundTask(kept.close),
        )

    @router.delete("/{name}", status_code=204)
    async def delete(name: Name) -> None:
        with _refusals():
            await erase(settings, name)

    return router


@contextmanager
def _refusals() -> Iterator[None]:
    """The operator is told what is wrong, and what to do."""
    try:
        yield
    except TenantTaken as error:
        raise ApiError(409, "tenant_taken", str(error)) from None
    except NoSuchTenant as error:
        raise ApiError(404, "not_found", str(error)) from None
    except SettingsError as error:
        raise ApiError(422, "validation", str(error)) from None
    except HandrailError as error:
        raise ApiError(503, "unavailable", str(error), retry_after_s=AWAY_RETRY_S) from None


def _view(tenant: Tenant) -> TenantView:
    return TenantView(
        name=tenant.name,
        path=tenant.path,
        suspended=tenant.suspended,
        hosts=list(tenant.hosts),
        created_at=tenant.created_at,
    )
