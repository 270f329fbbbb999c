"""Signing in at the desk with OpenID Connect, against a provider that really signs its tokens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import RSAKey
from starlette.testclient import TestClient

from api.app import create_app
from handrail.accounts.oidc import Oidc
from handrail.cli.desk import with_database
from handrail.errors import MissingExtra, SettingsError
from handrail.records.people import People
from handrail.settings import Oidc as OidcSettings
from handrail.settings import load_settings
from tests.api.conftest import Serve
from tests.api.oidc_provider import CLIENT, SECRET, Provider, oidc_provider, person
from tests.api.scripted import ScriptedAssistant, settings_in
from tests.clock import EPOCH, Clock

ROLES = {"support": "agent", "leads": "lead", "it": "admin"}
BACK = "http://127.0.0.1:8080/desk/api/oidc/callback"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with oidc_provider(Clock(EPOCH).now) as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    running.person, running.lies, running.userinfo = person(), {}, {}
    running.forge = running.down = False
    return running


def section(provider: Provider, **more: Any) -> dict[str, Any]:
    return {
        "issuer": provider.url,
        "client_id": CLIENT,
        "client_secret": SECRET,
        "redirect_url": BACK,
        "roles": ROLES,
        **more,
    }


@pytest.fixture
def client(serve: Serve, provider: Provider) -> TestClient:
    return serve(oidc=section(provider))


def leave(client: TestClient) -> str:
    """Where the browser is sent."""
    answer = client.get("/desk/api/oidc/start", follow_redirects=False)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "path=/desk/api/oidc", "samesite=lax"))
    return answer.headers["location"]


def at_provider(url: str) -> str:
    """The provider sends the browser back to this path."""
    back = urlsplit(httpx.get(url, trust_env=False).headers["location"])
    assert f"http://127.0.0.1:8080{back.path}" == BACK
    return f"{back.path}?{back.query}"


def come_back(client: TestClient, path: str) -> str:
    """What became of it: empty, or the problem that the sign-in page names."""
    answer = client.get(path, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("../../")
    return (parse_qs(urlsplit(answer.headers["location"]).query).get("problem") or [""])[0]


def sign_in(client: TestClient) -> str:
    return come_back(client, at_provider(leave(client)))


def me(client: TestClient) -> dict[str, Any]:
    user: dict[str, Any] = client.get("/desk/api/me").json()["user"]
    return user


def test_an_account_is_made_with_the_highest_role_and_no_password(client: TestClient, provider: Provider) -> None:
    provider.person = person(groups=["support", "it"])

    assert sign_in(client) == ""

    user = me(client)
    assert (user["email"], user["name"], user["role"]) == ("eve@example.com", "Eve Example", "admin")
    for password in ("", " ", "x" * 12):
        wrong = client.post("/desk/api/sign-in", json={"email": "eve@example.com", "password": password})
        assert wrong.status_code in (401, 422)
    entries = client.get("/desk/api/audit").json()["items"]
    assert {"add_user", "sign_in"} <= {
        entry["action"] for entry in entries if (entry["detail"] or {}).get("by") == "oidc"
    }


def test_the_role_follows_the_provider_and_so_does_a_new_address(client: TestClient, provider: Provider) -> None:
    sign_in(client)
    first = me(client)
    provider.person = person(groups="leads", email="eve.married@example.com")

    assert sign_in(client) == ""

    assert (me(client)["id"], me(client)["role"]) == (first["id"], "lead")


@pytest.mark.parametrize("groups", [None, [], ["everybody"], "everybody", {"support": True}, [1, ["support"]], 7])
def test_nobody_has_an_account_without_a_role(client: TestClient, provider: Provider, groups: Any) -> None:
    provider.person = person(groups=groups)
    provider.userinfo = {"sub": "248"}

    assert sign_in(client) == "no_role"
    assert client.get("/desk/api/me").status_code == 401


def test_roles_may_stand_inside_another_claim_or_come_from_userinfo(serve: Serve, provider: Provider) -> None:
    client = serve(oidc=section(provider, role_claim="realm_access.roles"))
    provider.person = {"sub": "248", "email_verified": True}
    provider.userinfo = {"sub": "248", "email": "eve@example.com", "realm_access": {"roles": ["leads"]}}

    assert sign_in(client) == ""
    assert me(client)["role"] == "lead"

    provider.userinfo["sub"] = "somebody else"
    assert sign_in(client) == "provider"


@pytest.mark.parametrize(
    "lies",
    [
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"aud": "another-client"},
        {"aud": [CLIENT, "another-client"], "azp": "another-client"},
        {"iss": "https://elsewhere.example"},
        {"exp": int(Clock(EPOCH).now) - 3600},
    ],
)
def test_a_token_that_is_not_meant_here_lets_nobody_in(
    client: TestClient, provider: Provider, lies: dict[str, Any]
) -> None:
    provider.lies = lies

    assert sign_in(client) == "provider"
    assert client.get("/desk/api/me").status_code == 401


def test_a_forged_signature_lets_nobody_in_and_new_keys_are_fetched(client: TestClient, provider: Provider) -> None:
    assert sign_in(client) == ""
    client.cookies.clear()
    provider.forge = True
    assert sign_in(client) == "provider"

    provider.forge = False
    provider.key = RSAKey.generate_key(2048, {"kid": "k2"})
    assert sign_in(client) == ""


def test_an_answer_that_this_browser_did_not_ask_for_is_refused(client: TestClient, clock: Clock) -> None:
    path = at_provider(leave(client))
    client.cookies.clear()
    assert come_back(client, path) == "expired"

    path = at_provider(leave(client))
    assert come_back(client, path.replace("state=", "state=x")) == "expired"

    path = at_provider(leave(client))
    clock.now += 601
    assert come_back(client, path) == "expired"


def test_a_code_works_once(client: TestClient) -> None:
    path = at_provider(leave(client))
    sealed = client.cookies["handrail_desk_oidc"]
    assert come_back(client, path) == ""
    client.cookies.clear()
    client.cookies.set("handrail_desk_oidc", sealed, path="/desk/api/oidc")

    assert come_back(client, path) == "provider"


def test_a_refusal_of_the_provider_is_told(client: TestClient) -> None:
    state = parse_qs(urlsplit(leave(client)).query)["state"][0]

    assert come_back(client, f"/desk/api/oidc/callback?error=access_denied&state={state}") == "denied"


def test_an_unverified_address_counts_only_where_the_operator_says_so(serve: Serve, provider: Provider) -> None:
    provider.person = person(email_verified=False)
    assert sign_in(serve(oidc=section(provider))) == "email"
    assert sign_in(serve(oidc=section(provider, trust_email=True))) == ""


def test_accounts_are_joined_by_address_once_and_never_taken_over(
    client: TestClient, provider: Provider, tmp_path: Any
) -> None:
    async def add(database: Any) -> None:
        await People(database, "default").add("eve@example.com", "Eve", "agent", "", 1.0)

    with_database(settings_in(tmp_path), add)
    assert sign_in(client) == ""
    assert me(client)["name"] == "Eve"

    provider.person = person(sub="999", name="Mallory")
    assert sign_in(client) == "email_taken"


def test_a_disabled_account_stays_out(client: TestClient, tmp_path: Any) -> None:
    sign_in(client)
    user_id = me(client)["id"]
    with_database(settings_in(tmp_path), lambda database: People(database, "default").change(user_id, active=False))

    assert sign_in(client) == "disabled"
    assert client.get("/desk/api/me").status_code == 401


def test_a_provider_that_is_away_is_a_problem_and_no_crash(serve: Serve, provider: Provider) -> None:
    provider.down = True
    answer = serve(oidc=section(provider)).get("/desk/api/oidc/start", follow_redirects=False)

    assert answer.headers["location"] == "../../?problem=provider"


def test_the_page_learns_which_ways_there_are(serve: Serve, provider: Provider) -> None:
    with_both = serve(oidc=section(provider, label="Sign in with Acme")).get("/desk/api/ways").json()
    alone = serve(oidc=section(provider, passwords=False))

    assert with_both == {"password": True, "oidc": "Sign in with Acme"}
    assert alone.get("/desk/api/ways").json()["password"] is False
    answer = alone.post("/desk/api/sign-in", json={"email": "eve@example.com", "password": "x" * 12})
    assert answer.status_code == 403


def test_without_a_provider_there_is_no_such_way(serve: Serve) -> None:
    client = serve()

    assert client.get("/desk/api/ways").json() == {"password": True, "oidc": None}
    assert client.get("/desk/api/oidc/start").status_code == 404


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "authlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "authlib", None)
    settings = OidcSettings(issuer="https://login.example", client_id="c", redirect_url=BACK, roles={"a": "agent"})

    with pytest.raises(MissingExtra, match=r"pip install .*\[oidc\]'"):
        Oidc(settings, b"", Clock(EPOCH))
    with (
        pytest.raises(MissingExtra),
        TestClient(create_app(settings_in(tmp_path, oidc=settings.model_dump()), ScriptedAssistant())),
    ):
        pass


def test_half_a_provider_is_refused_at_start() -> None:
    with pytest.raises(SettingsError, match="client_id and redirect_url and roles"):
        load_settings(None, {"HANDRAIL__OIDC__ISSUER": "https://login.example"})
