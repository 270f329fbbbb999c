"""A request for a person is told to the operator's channels by the running application."""

from __future__ import annotations

import threading

from tests.api.conftest import Serve
from tests.desk.outbox.receivers import Got, http_receiver


def test_whoever_asks_for_a_person_is_announced_once(serve: Serve) -> None:
    arrived = threading.Event()

    def answer(got: Got) -> tuple[int, object]:
        arrived.set()
        return 200, {}

    with http_receiver() as receiver:
        receiver.answers = answer
        alerts = {"webhook_url": f"{receiver.url}/hook", "webhook_secret": "a secret of the operator", "poll_s": 0.05}
        client = serve(alerts=alerts)
        body = {"conversation_id": "c-1", "message": "My card 4111 1111 1111 1111 was charged", "email": "a@b.example"}

        references = {client.post("/handoff", json=body).json()["reference"] for _ in range(2)}

        assert arrived.wait(10)
        handoff = receiver.got[0].json["handoff"]
        assert {handoff["reference"]} == references
        assert "was charged" in handoff["message"]
        assert "4111" not in handoff["message"]
        assert len(receiver.got) == 1
