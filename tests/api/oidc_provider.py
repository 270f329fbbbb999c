"""A small OpenID Connect provider on a port of its own, which really signs; a test may make it lie."""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlencode
from uuid import uuid4

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "desk", "a secret of the desk"


def person(**claims: Any) -> dict[str, Any]:
    return {
        "sub": "248",
        "email": "Eve@Example.com",
        "email_verified": True,
        "name": "Eve Example",
        "groups": ["everybody", "support"],
        **claims,
    }


class Provider:
    """Lets `person` in without asking. `lies` go over the token's claims; `forge` signs with a key nobody knows."""

    def __init__(self, now: float) -> None:
        self.url = ""
        self.now = now
        self.key = RSAKey.generate_key(2048, {"kid": "k1"})
        self.person = person()
        self.lies: dict[str, Any] = {}
        self.userinfo: dict[str, Any] = {}
        self.forge = False
        self.down = False
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[str] = []

    async def discovery(self, _request: Request) -> Response:
        self.asked.append("discovery")
        if self.down:
            return Response(status_code=503)
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
                "userinfo_endpoint": f"{self.url}/userinfo",
            }
        )

    async def keys(self, _request: Request) -> Response:
        self.asked.append("keys")
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def authorize(self, request: Request) -> Response:
        query = dict(request.query_params)
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"]
        code = uuid4().hex
        self.codes[code] = query
        return RedirectResponse(f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}", 302)

    async def token(self, request: Request) -> Response:
        given = {name: values[0] for name, values in parse_qs((await request.body()).decode()).items()}
        wanted = self.codes.pop(given.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '+')}".encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if request.headers.get("authorization") not in (f"Basic {basic}", f"Basic {plain}"):
            return JSONResponse({"error": "invalid_client"}, 401)
        digest = sha256(given.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if wanted is None or challenge != wanted["code_challenge"] or given["redirect_uri"] != wanted["redirect_uri"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": int(self.now),
            "exp": int(self.now) + 300,
            "nonce": wanted["nonce"],
            **self.person,
            **self.lies,
        }
        key = RSAKey.generate_key(2048, {"kid": "k1"}) if self.forge else self.key
        id_token = jwt.encode({"alg": "RS256", "kid": key.kid or ""}, claims, key)
        return JSONResponse({"access_token": "at", "token_type": "Bearer", "id_token": id_token})

    async def user(self, request: Request) -> Response:
        assert request.headers["authorization"] == "Bearer at"
        return JSONResponse(self.userinfo)


class _Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        """Signals belong to pytest; this server runs beside it in a thread."""


@contextmanager
def oidc_provider(now: float) -> Iterator[Provider]:
    provider = Provider(now)
    routes = [
        Route("/.well-known/openid-configuration", provider.discovery),
        Route("/keys", provider.keys),
        Route("/authorize", provider.authorize),
        Route("/token", provider.token, methods=["POST"]),
        Route("/userinfo", provider.user),
    ]
    server = _Server(uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    address: Any = server.servers[0].sockets[0].getsockname()
    provider.url = f"http://127.0.0.1:{address[1]}"
    yield provider
    server.should_exit = True
    thread.join(timeout=10)
