"""What programs call with a key: one from the settings, or one made with `handrail key create`."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Header, Request
from pydantic import SecretStr

from api.dependencies import Asker, Services, Visitor, count_read
from api.errors import ApiError
from handrail.accounts.api_keys import BadKey, Scope, is_key
from handrail.settings import Settings


def offered(settings: Settings, key: SecretStr | None) -> bool:
    """Whether anybody could call it."""
    return key is not None or settings.server.api_keys != "off"


def holder_of(scope: Scope, key: SecretStr | None, name: str) -> Callable[..., Awaitable[None]]:
    """A dependency that takes the key of the setting `name`, and API keys with the scope where they are accepted."""

    async def check(request: Request, address: Visitor, authorization: Annotated[str, Header()] = "") -> None:
        scheme, _, given = authorization.partition(" ")
        given = given.strip() if scheme.lower() == "bearer" else ""
        if key is not None and secrets.compare_digest(given.encode(), key.get_secret_value().encode()):
            return
        services: Services = request.app.state.services
        if is_key(given) and services.settings.server.api_keys != "off":
            await count_read(services, Asker(address, None))
            try:
                await services.desk.keys.check(given, scope)
            except BadKey:
                pass
            else:
                return
        raise ApiError(
            401, "unauthorized", f"Send the key of {name}, or an API key with the scope {scope}, as a bearer token."
        )

    return check
