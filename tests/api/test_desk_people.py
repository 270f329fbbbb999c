"""Accounts of the desk, and what colleagues share."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.test_desk import AgentPage, sign_in
from tests.api.test_desk import ada as ada
from tests.api.test_desk import bob as bob
from tests.api.test_desk import client as client
from tests.api.test_desk import folder as folder

pytestmark = pytest.mark.usefixtures("each_database")


def test_roles_change_and_accounts_are_disabled_by_other_administrators_alone(
    client: TestClient, ada: AgentPage, bob: AgentPage
) -> None:
    assert bob._send("PUT", f"users/{ada.id}", {"role": "agent"}).status_code == 403
    assert ada._send("PUT", f"users/{ada.id}", {"active": False}).status_code == 409
    assert ada._send("PUT", "users/nobody", {"active": False}).status_code == 404
    assert bob.get("letters").status_code == 403
    assert ada._send("PUT", f"users/{bob.id}", {"role": "lead"}).json()["role"] == "lead"
    assert bob.get("letters").status_code == 200

    assert ada._send("PUT", f"users/{bob.id}", {"active": False}).status_code == 200
    assert bob.get("me").status_code == 401 and sign_in(client, "bob").status_code == 401
    assert ada._send("PUT", f"users/{bob.id}", {"active": True}).status_code == 200
    assert sign_in(client, "bob").status_code == 200
    entries = ada.get("audit", action="change_user").json()["items"]
    assert [entry["detail"] for entry in entries if "role" in entry["detail"]] == [{"role": "lead"}]
    assert len(entries) == 3


def test_colleagues_and_canned_replies(client: TestClient, ada: AgentPage, bob: AgentPage) -> None:
    added = ada.post("users", email="Eve@example.com", name="Eve", role="lead").json()
    assert len(added["password"]) >= 20
    assert ada.post("users", email="eve@example.com").status_code == 409
    assert page_of(client, added["password"]).status_code == 200
    made = ada.post("canned", title="Hi", text="Hello {visitor_name}").json()
    ada._send("PUT", f"canned/{made['id']}", {"title": "Hi", "text": "Hello"})
    assert bob.get("canned").json()["items"] == [{**made, "text": "Hello"}]
    assert ada._send("DELETE", f"canned/{made['id']}", {}).status_code == 204
    assert {user["name"] for user in bob.get("users").json()["items"]} == {"Ada", "Bob", "Eve"}
    assert "email" not in bob.get("users").json()["items"][0]


def page_of(client: TestClient, password: str) -> Any:
    return client.post("/desk/api/sign-in", json={"email": "eve@example.com", "password": password})
