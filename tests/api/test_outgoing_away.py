"""A mail server and a webhook that are away: visitors get to a person all the same, and nothing is lost."""

from __future__ import annotations

import threading

from eval.benchmark.server import free_port
from tests.api.conftest import Serve
from tests.clock import Clock
from tests.desk.outbox.receivers import Got, http_receiver


def test_what_cannot_be_sent_waits_and_holds_no_hand_off_up(serve: Serve, clock: Clock) -> None:
    away, arrived = threading.Event(), threading.Event()
    away.set()

    def answer(got: Got) -> tuple[int, object]:
        if away.is_set():
            return 503, {}
        arrived.set()
        return 200, {}

    with http_receiver() as receiver:
        receiver.answers = answer
        alerts = {
            "webhook_url": f"{receiver.url}/hook",
            "webhook_secret": "a secret of the operator",
            "smtp_host": "127.0.0.1",
            "smtp_port": free_port(),
            "smtp_security": "none",
            "mail_from": "desk@example.com",
            "mail_to": ["team@example.com"],
            "poll_s": 0.05,
            "backoff_s": 0.1,
        }
        client = serve(alerts=alerts)
        assert client.portal is not None
        outbox = client.app.state.services.desk.outbox  # type: ignore[attr-defined]
        handed = [client.post("/handoff", json={"conversation_id": f"c-{n}"}) for n in range(3)]
        asked = client.post("/ask", json={"question": "How?"})
        away_state = client.portal.call(outbox.undelivered)
        away.clear()
        for _ in range(100):
            clock.now += 60
            if arrived.wait(0.2):
                break
        left = client.portal.call(outbox.list)

    assert arrived.is_set()
    assert [answer.status_code for answer in handed] == [201] * 3
    assert asked.status_code == 200
    assert away_state == {"waiting": 6, "dead": 0}
    assert [one.channel for one in left].count("mail") == 3 and not any(
        one.done_at for one in left if one.channel == "mail"
    )
