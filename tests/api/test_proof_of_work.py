"""What a browser has to do before it becomes a visitor, where the operator asks for it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from starlette.testclient import TestClient

from handrail.accounts.proof_of_work import VALID_S
from handrail.accounts.rotation import GRACE_S
from tests.api.conftest import Serve
from tests.clock import Clock

MOST = 300
Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture
def client(serve: Serve) -> TestClient:
    return serve(limits={"proof_of_work": MOST})


def asked(client: TestClient) -> dict[str, Any]:
    """The challenge that a new visitor is refused with."""
    answer = client.post("/visitor", json={})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "proof_needed")
    challenge: dict[str, Any] = answer.json()["error"]["challenge"]
    return challenge


def solved(challenge: dict[str, Any]) -> dict[str, Any]:
    """As a browser solves it, by trying."""
    numbers = (
        n for n in range(MOST + 1) if sha256(f"{challenge['salt']}{n}".encode()).hexdigest() == challenge["challenge"]
    )
    return {**{key: challenge[key] for key in ("algorithm", "challenge", "salt", "signature")}, "number": next(numbers)}


def sent(client: TestClient, proof: dict[str, Any]) -> Any:
    return client.post("/visitor", json={"proof": proof})


@pytest.mark.usefixtures("each_database")
def test_a_solution_makes_one_visitor_who_may_ask(client: TestClient, clock: Clock) -> None:
    challenge = asked(client)
    assert challenge["maxnumber"] == MOST and challenge["algorithm"] == "SHA-256"
    proof = solved(challenge)

    first, again = sent(client, proof), sent(client, proof)
    clock.now += GRACE_S + 1
    late = sent(client, proof)

    assert first.json() == again.json(), "a reply that got lost"
    assert late.status_code == 401 and late.json()["error"]["challenge"]["challenge"] != proof["challenge"]
    visitor = {"Authorization": f"Bearer {first.json()['token']}"}
    assert client.post("/ask", json={"question": "How?"}, headers=visitor).status_code == 200
    assert client.post("/visitor", json={"token": first.json()["token"]}).status_code == 200
    assert sent(client, solved(asked(client))).json()["visitor_id"] != first.json()["visitor_id"]


CHANGES: dict[str, Change] = {
    "number": lambda proof: {**proof, "number": (proof["number"] + 1) % MOST},
    "signature": lambda proof: {**proof, "signature": "0" * 64},
    "challenge": lambda proof: {**proof, "challenge": sha256(b"1").hexdigest()},
    "later": lambda proof: {**proof, "salt": proof["salt"].replace("expires=1", "expires=9")},
    "twice": lambda proof: {**proof, "salt": f"expires=99999999999&{proof['salt']}"},
}


def test_what_does_not_solve_a_challenge_of_ours_is_refused_and_so_is_an_old_one(
    client: TestClient, clock: Clock
) -> None:
    for name, change in CHANGES.items():
        assert sent(client, change(solved(asked(client)))).json()["error"]["code"] == "proof_needed", name
    proof = solved(asked(client))
    clock.now += VALID_S + 1
    assert sent(client, proof).status_code == 401


def test_questions_need_a_visitor_then_and_a_person_is_asked_for_without(client: TestClient) -> None:
    body = {"question": "How?"}

    for path in ("/ask", "/chat/stream"):
        assert client.post(path, json=body).json()["error"]["code"] == "token_needed"
    assert client.post("/handoff", json={"message": "Please"}).status_code == 201


def test_nothing_is_asked_for_by_default(serve: Serve) -> None:
    client = serve()

    assert client.post("/visitor", json={}).status_code == 200
    assert client.post("/ask", json={"question": "How?"}).status_code == 200
