"""The widget's public settings and files, and the demo page."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from api.middleware.redirects import OwnRedirects
from handrail.settings.paths import site_dir
from tests.api.conftest import Serve
from tests.api.live import serving
from tests.api.scripted import ScriptedAssistant


def test_widget_learns_how_to_look(serve: Serve) -> None:
    client = serve(
        brand={"name": "Acme", "topics": ["Bookings"], "link_hosts": ["help.acme.example"], "strings": {"send": "Go"}},
        server={"max_question_chars": 500},
    )

    response = client.get("/config?widget=pub_demo")

    assert response.status_code == 200
    assert response.json() == {
        "widget_id": "demo",
        "brand": {"name": "Acme", "assistant": "Tillwick assistant", "accent": "#0b6e5f"},
        "lang": "en",
        "disclosure": "You are chatting with an AI assistant. It answers from our help articles and can make mistakes.",
        "welcome": "Hi! What can I help you with?",
        "suggestions": [],
        "topics": ["Bookings"],
        "person": {
            "available": True,
            "state": "on",
            "expectation": "A person replies within one working day.",
            "opens_at": None,
            "expected_wait_s": None,
            "expected_wait_most_s": None,
        },
        "limits": {"max_question_chars": 500},
        "link_hosts": ["help.acme.example"],
        "strings": {"send": "Go"},
        "meter": False,
        "transcript_mail": False,
    }


@pytest.mark.parametrize(
    ("sections", "state", "expectation"),
    [
        ({"hours": {"weekly": {"mon": ["03:00-04:00"]}}}, "closed", "Der Support ist gerade geschlossen. Wieder geöff"),
        ({"hours": {"weekly": {"mon": ["03:00-04:00"]}, "away_text": "Bis morgen!"}}, "closed", "Bis morgen!"),
        ({"brand": {"person_available": False}}, "off", "Anfragen aus diesem Chat liest zurzeit niemand"),
    ],
)
def test_widget_is_told_the_truth_about_people_in_the_visitors_language(
    serve: Serve, sections: dict[str, Any], state: str, expectation: str
) -> None:
    person = serve(**sections).get("/config?lang=de-AT").json()["person"]

    assert person["state"] == state
    assert person["available"] is (state != "off")
    assert person["expectation"].startswith(expectation)
    assert (person["opens_at"] is None) is (state != "closed")


def test_loader_may_be_embedded_anywhere_and_is_checked_again_soon(client: TestClient) -> None:
    response = client.get("/widget/v1/widget.js")

    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response.headers["Cache-Control"].startswith("public, max-age=300")


def test_versioned_file_is_kept_for_good(client: TestClient) -> None:
    response = client.get("/widget/v1/chat.js?v=abc")

    assert response.status_code == 200
    assert "immutable" in response.headers["Cache-Control"]
    assert response.headers["Content-Encoding"] == "gzip"


def test_unchanged_file_is_not_sent_again(client: TestClient) -> None:
    etag = client.get("/widget/v1/widget.js").headers["ETag"]

    response = client.get("/widget/v1/widget.js", headers={"If-None-Match": etag})

    assert response.status_code == 304
    assert response.content == b""


def test_demo_page_comes_with_a_strict_policy(client: TestClient) -> None:
    response = client.get("/")

    assert response.url.path == "/demo/"
    assert response.status_code == 200
    assert "script-src 'self'" in response.headers["Content-Security-Policy"]
    assert response.headers["Cache-Control"] == "no-cache"


def test_demo_page_is_for_demos(serve: Serve) -> None:
    client = serve(server={"demo_mode": False})

    assert client.get("/demo/").status_code == 404
    assert client.get("/widget/v1/widget.js").status_code == 200


def test_nothing_outside_the_site_is_served(client: TestClient) -> None:
    for path in (
        "/widget/v1/../../package.json",
        "/widget/v1/%2e%2e/%2e%2e/package.json",
        "/demo/..%2f..%2fpyproject.toml",
    ):
        response = client.get(path)

        assert response.status_code == 404
        assert response.json()["error"]["code"] == "not_found"


def test_missing_versioned_file_is_not_kept(client: TestClient) -> None:
    response = client.get("/widget/v1/gone.js?v=abc")

    assert response.status_code == 404
    assert response.headers["Cache-Control"] == "no-store"


def pages() -> list[str]:
    """The address of every page that is served, and what is no page: an answer, a refusal, a redirection, a file."""
    found = ["/docs", "/health", "/nothing", "/", "/t/none/", "/widget/v1/widget.js", "/desk/api/me"]
    for part, prefix in (("desk", "/desk"), ("demo", "/demo"), ("widget", "/widget/v1")):
        folder = site_dir(part)
        assert folder is not None
        found += [f"{prefix}/{page.relative_to(folder)}" for page in sorted(folder.rglob("*.html"))]
    return found


@pytest.mark.parametrize("path", pages())
def test_no_page_lets_itself_be_misused(serve: Serve, path: str) -> None:
    headers = serve().get(path, follow_redirects=False).headers

    policy = dict(part.strip().partition(" ")[::2] for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] in ("'none'", "'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert policy.get("script-src", "'self'") == "'self'"
    if headers.get("Content-Type", "").startswith("text/html"):
        assert policy["base-uri"] == policy["form-action"] == "'none'"
        assert policy["require-trusted-types-for"] == "'script'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] in ("strict-origin-when-cross-origin", "no-referrer")
    assert "camera=()" in headers["Permissions-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == ("cross-origin" if "/widget/" in path else "same-origin")


@pytest.mark.parametrize(
    ("proxies", "told", "kept"), [(1, "https", True), (1, "http", False), (1, "", False), (0, "https", False)]
)
def test_who_came_over_tls_comes_over_tls_again(serve: Serve, proxies: int, told: str, kept: bool) -> None:
    client = serve(server={"trusted_proxies": proxies})

    headers = client.get("/health", headers={"X-Forwarded-Proto": told}).headers

    assert ("Strict-Transport-Security" in headers) is kept


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("prefix", "stripped"), [("", True), ("/help", True), ("/help", False)], ids=["root", "stripped", "passed on"]
)
@pytest.mark.parametrize("path", ["/desk?problem=x", "/demo", "/conversations/"])
async def test_redirects_lead_back_through_the_proxy_that_a_browser_came_by(
    tmp_path: Path, prefix: str, stripped: bool, path: str
) -> None:
    """TLS ends at the proxy, which calls the server by a name of its own."""
    server = {"root_path": prefix, "trusted_proxies": 1, "demo_mode": True} if prefix else {"demo_mode": True}
    seen_by_browser = urlsplit(f"https://shop.example{prefix}{path}")
    headers = {"Host": "handrail:8000", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "shop.example"}
    async with serving(tmp_path, ScriptedAssistant(), server=server) as client:
        answer = await client.get(path if stripped else f"{prefix}{path}", headers=headers)

    assert answer.status_code == 307
    led = urlsplit(urljoin(seen_by_browser.geturl(), answer.headers["Location"]))
    assert (led.scheme, led.netloc, led.query) == ("https", "shop.example", seen_by_browser.query)
    assert led.path.rstrip("/") == seen_by_browser.path.rstrip("/") and led.path != seen_by_browser.path


@pytest.mark.parametrize("path", ["//evil.example/x", "///evil.example/x", "/a//b"])
def test_a_redirect_to_ourselves_never_leads_elsewhere(path: str) -> None:
    async def onward(request: Request) -> RedirectResponse:
        return RedirectResponse(f"http://testserver{request.query_params['to']}")

    app = Starlette(routes=[Route("/", onward)], middleware=[Middleware(OwnRedirects)])
    location = TestClient(app, follow_redirects=False).get("/", params={"to": path}).headers["Location"]

    assert urlsplit(urljoin("https://shop.example/", location)).netloc == "shop.example"
