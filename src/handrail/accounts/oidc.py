"""Signing in with OpenID Connect: authorization code with PKCE, the provider found by discovery, its word checked.

Between leaving for the provider and coming back, what has to match is kept in a sealed cookie of the browser that left.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import httpx

from handrail.accounts.sessions import RANK, Identity, Role, SignInProblem
from handrail.errors import MissingExtra
from handrail.settings import Oidc as OidcSettings

log = logging.getLogger(__name__)

DISCOVERY = "/.well-known/openid-configuration"
SIGNED_WITH = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Never `none`, and no shared secrets."""
LEEWAY_S = 60
AWAY_S = 600.0
"""How long somebody may take at the provider."""
KEPT_S = 3600.0
"""How long what discovery said is gone by."""
TIMEOUT_S = 10.0
"""Seconds one call of the provider may take."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """Where to send the browser, and the cookie it brings back."""

    url: str
    sealed: str


@dataclass(frozen=True, slots=True)
class _Left:
    state: str
    nonce: str
    verifier: str


class Oidc:
    """One provider. Raises MissingExtra without the extra `oidc`."""

    def __init__(self, settings: OidcSettings, secret: bytes, clock: Callable[[], float]) -> None:
        try:
            import authlib.integrations.httpx_client  # noqa: F401
            import joserfc  # noqa: F401
        except ImportError:
            raise MissingExtra("OpenID Connect sign-in (oidc.issuer)", "oidc") from None
        self._settings = settings
        self._secret = secret
        self._clock = clock
        self._known: tuple[float, dict[str, Any]] = (float("-inf"), {})
        self._keys: dict[str, Any] | None = None

    async def leave(self) -> Leaving:
        """Begin. Raises SignInProblem when the provider is away."""
        left = _Left(*(secrets.token_urlsafe(size) for size in (24, 24, 48)))
        try:
            endpoint = (await self._metadata())["authorization_endpoint"]
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise self._away(error) from None
        async with self._client() as client:
            url, _ = client.create_authorization_url(
                endpoint, state=left.state, nonce=left.nonce, code_verifier=left.verifier
            )
        return Leaving(url, self._seal(left))

    async def come_back(self, query: Mapping[str, str], sealed: str | None) -> Identity:
        """Who it is that the provider sent back. Raises SignInProblem."""
        from authlib.common.errors import AuthlibBaseError
        from joserfc.errors import JoseError

        left = self._unseal(sealed or "")
        if left is None or not hmac.compare_digest(query.get("state", "").encode(), left.state.encode()):
            raise SignInProblem("expired", "it was started elsewhere or too long ago")
        if query.get("error") or not query.get("code"):
            raise SignInProblem("denied", "the provider denied the sign-in")
        try:
            claims = await self._claims(query, left)
        except (httpx.HTTPError, AuthlibBaseError, JoseError, KeyError, TypeError, ValueError) as error:
            raise self._away(error) from None
        return self._identity(claims)

    async def _claims(self, query: Mapping[str, str], left: _Left) -> dict[str, Any]:
        metadata = await self._metadata()
        if query.get("iss", metadata["issuer"]) != metadata["issuer"]:
            raise ValueError("the response comes from another issuer")
        async with self._client() as client:
            token = await client.fetch_token(
                metadata["token_endpoint"], code=query["code"], code_verifier=left.verifier
            )
            claims = await self._checked(token["id_token"], left.nonce)
            wanted = {"email", self._settings.role_claim.partition(".")[0]}
            if not wanted <= set(claims) and "userinfo_endpoint" in metadata:
                more = (await client.get(metadata["userinfo_endpoint"])).raise_for_status().json()
                if more["sub"] != claims["sub"]:
                    raise ValueError("the provider's responses name two different people")
                claims = {**more, **claims}
        return claims

    async def _checked(self, id_token: str, nonce: str) -> dict[str, Any]:
        """The token's claims, once its signature and all that binds it to this sign-in hold."""
        from joserfc.jwt import JWTClaimsRegistry

        claims = await self._decoded(id_token)
        JWTClaimsRegistry(
            now=int(self._clock()),
            leeway=LEEWAY_S,
            iss={"essential": True, "value": (await self._metadata())["issuer"]},
            aud={"essential": True, "value": self._settings.client_id},
            nonce={"essential": True, "value": nonce},
            sub={"essential": True},
            exp={"essential": True},
        ).validate(claims)
        if claims.get("azp", self._settings.client_id) != self._settings.client_id:
            raise ValueError("the token was issued for another client")
        return claims

    async def _decoded(self, id_token: str) -> dict[str, Any]:
        """With the provider's keys as they are known, or, where none fits, as they are now."""
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        def decoded(keys: Any) -> dict[str, Any]:
            return dict(jwt.decode(id_token, KeySet.import_key_set(keys), algorithms=list(SIGNED_WITH)).claims)

        if self._keys is not None:
            try:
                return decoded(self._keys)
            except (JoseError, ValueError):
                pass
        self._keys = await self._fetched((await self._metadata())["jwks_uri"])
        return decoded(self._keys)

    def _identity(self, claims: Mapping[str, Any]) -> Identity:
        email = str(claims.get("email") or "").strip().lower()
        verified = claims.get("email_verified") in (True, "true") or self._settings.trust_email
        if "@" not in email or len(email) > 254 or not verified:
            raise SignInProblem("email", "the provider returns no verified e-mail address")
        role = self._role(claims)
        if role is None:
            raise SignInProblem("no_role", f"{email} has no role at the desk", email)
        name = str(claims.get("name") or claims.get("preferred_username") or email.split("@")[0]).strip()
        subject = sha256(f"{self._settings.issuer}\n{claims['sub']}".encode()).hexdigest()
        return Identity(subject, email, name[:100], role)

    def _role(self, claims: Mapping[str, Any]) -> Role | None:
        """The highest role that the claim's values stand for."""
        value: Any = claims.get(self._settings.role_claim)
        if value is None:
            value = claims
            for part in self._settings.role_claim.split("."):
                value = value.get(part) if isinstance(value, Mapping) else None
        held = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        roles = [
            Role(self._settings.roles[one]) for one in held if isinstance(one, str) and one in self._settings.roles
        ]
        return max(roles, key=RANK.__getitem__, default=None)

    async def _metadata(self) -> dict[str, Any]:
        at, known = self._known
        if self._clock() - at > KEPT_S:
            issuer = (self._settings.issuer or "").rstrip("/")
            known = await self._fetched(issuer + DISCOVERY)
            if str(known["issuer"]).rstrip("/") != issuer:
                raise ValueError("the provider's issuer differs from oidc.issuer")
            self._known = (self._clock(), known)
        return known

    async def _fetched(self, url: str) -> dict[str, Any]:
        async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
            found: dict[str, Any] = (await client.get(url)).raise_for_status().json()
            return found

    def _client(self) -> Any:
        from authlib.integrations.httpx_client import AsyncOAuth2Client

        settings = self._settings
        secret = settings.client_secret.get_secret_value() if settings.client_secret else None
        return AsyncOAuth2Client(
            settings.client_id,
            secret,
            token_endpoint_auth_method="client_secret_basic" if secret else "none",
            scope=settings.scopes,
            redirect_uri=settings.redirect_url,
            code_challenge_method="S256",
            timeout=TIMEOUT_S,
        )

    def _away(self, error: Exception) -> SignInProblem:
        log.warning("OpenID Connect sign-in failed: %s: %s", type(error).__name__, error)
        return SignInProblem("provider", "the provider is unavailable or its response is invalid")

    def _seal(self, left: _Left) -> str:
        content = [left.state, left.nonce, left.verifier, self._clock() + AWAY_S]
        payload = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
        return f"{payload}.{self._signature(payload)}"

    def _unseal(self, sealed: str) -> _Left | None:
        payload, _, signature = sealed.partition(".")
        if not sealed.isascii() or not hmac.compare_digest(signature, self._signature(payload)):
            return None
        try:
            *parts, until = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
            return _Left(*parts) if until >= self._clock() else None
        except (binascii.Error, ValueError, TypeError):
            return None

    def _signature(self, payload: str) -> str:
        return hmac.new(self._secret, b"oidc:" + payload.encode(), sha256).hexdigest()
