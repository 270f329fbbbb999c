"""Help centres of Zendesk, Intercom and Chatwoot, by the protocols they document and from exports."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from handrail.errors import KnowledgeError, SettingsError
from handrail.knowledge import Article, Rejected, Unpublished
from tests.knowledge.help_server import Desk, HelpServer, Reply, ids

FIRST = "/api/v2/help_center/en-us/articles.json?page[size]=100"


def zendesk_row(id_: int, **fields: Any) -> dict[str, Any]:
    url = f"https://acme.example/hc/en-us/articles/{id_}"
    return {
        "id": id_,
        "title": f"Title {id_}",
        "body": f"<p>Text {id_}.</p>",
        "html_url": url,
        "locale": "en-us",
    } | fields


def zendesk_page(rows: list[dict[str, Any]], onward: str = "") -> dict[str, Any]:
    return {"articles": rows, "meta": {"has_more": bool(onward)}, "links": {"next": onward or None}}


def test_zendesk_is_read_page_by_page(server: HelpServer, desk: Desk) -> None:
    server.json(FIRST, zendesk_page([zendesk_row(1)], f"{server.url}/next?page[after]=x"))
    server.json("/next?page[after]=x", zendesk_page([zendesk_row(2)]))

    found = desk.read("zendesk", f"{server.url}/hc/en-us")

    told = {"source_type": "zendesk", "lang": "en-us"}
    assert found[0] == Article("zendesk:1", "Title 1", "Text 1.", "https://acme.example/hc/en-us/articles/1", told)
    assert ids(found) == ["zendesk:1", "zendesk:2"]


def test_drafts_of_zendesk_are_held_back_and_what_is_for_some_is_for_agents(server: HelpServer, desk: Desk) -> None:
    rows = [zendesk_row(1, draft=True), zendesk_row(2, user_segment_id=7), zendesk_row(3, user_segment_id=None)]
    server.json(FIRST, zendesk_page(rows))

    found = desk.read("zendesk", f"{server.url}/hc/en-us")

    assert [(type(item), getattr(item, "facets", None)) for item in found] == [
        (Unpublished, None),
        (Article, {"source_type": "zendesk", "lang": "en-us", "audience": "agents"}),
        (Article, {"source_type": "zendesk", "lang": "en-us"}),
    ]


def test_credentials_come_from_the_environment_and_are_never_told(server: HelpServer, desk: Desk) -> None:
    given: list[str] = []

    def reply(headers: Mapping[str, str]) -> Reply:
        given.append(headers["Authorization"])
        return Reply(status=401)

    server.routes[FIRST] = reply

    with pytest.raises(KnowledgeError) as raised:
        desk.read("zendesk", f"{server.url}/hc/en-us", auth="HELP_TOKEN")
    assert given == [f"Basic {b64encode(b'ada@acme.example/token:s3cret').decode()}"]
    assert "credentials" in str(raised.value)
    assert "s3cret" not in str(raised.value)
    with pytest.raises(SettingsError, match="NO_SUCH_TOKEN is not set"):
        desk.read("zendesk", server.url, auth="NO_SUCH_TOKEN")


def test_a_list_that_breaks_off_is_an_error_and_not_the_end(server: HelpServer, desk: Desk) -> None:
    server.json(FIRST, zendesk_page([zendesk_row(1)], f"{server.url}/next"))
    server.routes["/next"] = Reply(status=500)

    with pytest.raises(KnowledgeError, match="500"):
        desk.read("zendesk", f"{server.url}/hc/en-us")
    server.json("/next", zendesk_page([], f"{server.url}/next"))
    with pytest.raises(KnowledgeError, match="never end"):
        desk.read("zendesk", f"{server.url}/hc/en-us")


def test_a_limit_of_requests_is_kept(server: HelpServer, desk: Desk) -> None:
    replies = iter([Reply(status=429, headers={"Retry-After": "9"})])
    page = Reply(json.dumps(zendesk_page([zendesk_row(1)])).encode())
    server.routes[FIRST] = lambda _: next(replies, page)

    assert ids(desk.read("zendesk", f"{server.url}/hc/en-us")) == ["zendesk:1"]
    assert 9.0 in desk.waits
    replies = iter([Reply(status=429, headers={"Retry-After": "86400"})])
    with pytest.raises(KnowledgeError, match="86400 s; run the sync again later"):
        desk.read("zendesk", f"{server.url}/hc/en-us")


def test_an_export_is_read_as_the_api_is(tmp_path: Path, desk: Desk) -> None:
    (tmp_path / "1.json").write_text(json.dumps(zendesk_page([zendesk_row(1), zendesk_row(2, draft=True)])))
    (tmp_path / "2.json").write_text(json.dumps([zendesk_row(3), "no article"]))
    (tmp_path / "3.json").write_text("{")

    found = desk.read("zendesk", str(tmp_path))

    assert ids(found) == ["zendesk:1", "zendesk:3"]
    assert [Path(item.where).name for item in found if isinstance(item, Rejected)] == ["2.json", "3.json"]


def intercom_row(id_: str, **fields: Any) -> dict[str, Any]:
    url = f"https://help.acme.example/{id_}"
    return {
        "id": id_,
        "title": f"Title {id_}",
        "body": f"<p>Text {id_}.</p>",
        "state": "published",
        "url": url,
    } | fields


@pytest.mark.parametrize(
    ("onward", "second"),
    [
        (None, "/articles?page=2&per_page=50"),
        ({"per_page": 50, "starting_after": "abc="}, "/articles?per_page=50&starting_after=abc%3D"),
    ],
)
def test_intercom_is_read_by_number_and_by_cursor(
    server: HelpServer, desk: Desk, onward: dict[str, Any] | None, second: str
) -> None:
    pages = {"type": "pages", "page": 1, "per_page": 50, "total_pages": 2, "next": onward}
    rows = [intercom_row("1"), intercom_row("2", state="draft")]
    server.json("/articles?page=1&per_page=50", {"type": "list", "data": rows, "pages": pages})
    last = {"type": "pages", "page": 2, "total_pages": 2, "next": None}
    server.json(second, {"type": "list", "data": [intercom_row("3", url=None)], "pages": last})

    found = desk.read("intercom", server.url, auth="HELP_TOKEN")

    assert ids(found) == ["intercom:1", "intercom:3"]
    assert found[1] == Unpublished("intercom:2", "https://help.acme.example/2", "state: draft")
    assert found[2].url == ""


def test_intercom_in_another_language(tmp_path: Path, desk: Desk) -> None:
    german = {"title": "Titel", "body": "<p>Auf Deutsch.</p>", "state": "published", "url": "https://acme.example/de"}
    rows = [intercom_row("1", default_locale="en", translated_content={"de": german}), intercom_row("2")]
    (tmp_path / "all.json").write_text(json.dumps({"data": rows}))

    found = desk.read("intercom", str(tmp_path / "all.json"), locale="de")

    told = {"source_type": "intercom", "lang": "de"}
    assert found[0] == Article("intercom:1", "Titel", "Auf Deutsch.", "https://acme.example/de", told)
    assert isinstance(found[1], Unpublished)


def chatwoot_row(id_: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "title": f"Title {id_}",
        "content": f"Text **{id_}**.",
        "slug": f"t-{id_}",
        "status": "published",
    } | fields


def test_a_portal_of_chatwoot_is_read_until_there_is_nothing_new(server: HelpServer, desk: Desk) -> None:
    server.json("/hc/acme/en/articles.json?page=1", {"payload": [chatwoot_row(1), chatwoot_row(2, status="draft")]})
    for number in (2, 3):
        server.json(f"/hc/acme/en/articles.json?page={number}", {"payload": [chatwoot_row(3)]})

    found = desk.read("chatwoot", f"{server.url}/hc/acme/en")

    url = f"{server.url}/hc/acme/articles/t-1"
    assert found[0] == Article("chatwoot:1", "Title 1", "Text **1**.", url, {"source_type": "chatwoot"})
    assert set(ids(found)) == {"chatwoot:1", "chatwoot:3"}
    assert "status: draft" in [item.why for item in found if isinstance(item, Unpublished)]


def test_the_api_of_a_chatwoot_account_is_given_its_token(server: HelpServer, desk: Desk) -> None:
    path = "/api/v1/accounts/1/portals/acme"
    tokens: list[str | None] = []

    def reply(headers: Mapping[str, str]) -> Reply:
        tokens.append(headers.get("api_access_token"))
        return Reply(json.dumps({"payload": []}).encode())

    server.routes[f"{path}/articles?page=1"] = reply

    assert desk.read("chatwoot", f"{server.url}{path}", auth="HELP_TOKEN") == []
    assert tokens == ["ada@acme.example/token:s3cret"]
