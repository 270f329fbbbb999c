"""What receivers get, byte for byte where it matters, and what their answers mean."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import httpx
import pytest

from handrail.accounts import signing
from handrail.desk.outbox import Notification, Undeliverable, Undelivered
from handrail.desk.outbox.alerts import Spoken, Waiting, notifications_of
from handrail.desk.outbox.channels import build_channels
from handrail.desk.outbox.channels.http import client
from handrail.settings import Alerts
from tests.desk.outbox.receivers import Got, Mailbox, Receiver, certificate, http_receiver, mail_server

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0
SECRET = "a secret of the operator"
WAITING = Waiting(
    reference="HR-7K2M9Q",
    conversation_id="c-1",
    visitor_id="v-1",
    reason="high_stakes",
    label="high_stakes",
    lang="de",
    email="ada@example.com",
    queued_at=NOW,
    lines=(
        Spoken(
            "visitor",
            "Ich will kündigen <!channel> & card 4111 1111 1111 1111, +49 170 1234567\nhttps://evil.example @here",
        ),
        Spoken("assistant", "Das klärt jemand mit Ihnen."),
    ),
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with http_receiver() as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with client(2.0) as made:
        yield made


async def deliver(http: httpx.AsyncClient, alerts: Alerts, channel: str, **changes: Any) -> list[Mapping[str, Any]]:
    """Send the letter the alerts make for `channel`; returns what was noted on the way."""
    new = next(notification for notification in notifications_of(WAITING, alerts) if notification.channel == channel)
    notes: list[Mapping[str, Any]] = []

    async def remember(progress: Mapping[str, Any]) -> None:
        notes.append(dict(progress))

    fields = {"id": "letter-1", "tenant": "acme", "attempts": 1, "created_at": NOW, **changes}
    notification = Notification(channel=new.channel, target=new.target, payload=new.payload, **fields)
    await build_channels(alerts, http, lambda: NOW)[channel].send(notification, remember)
    return notes


def webhook(receiver: Receiver, **more: Any) -> Alerts:
    return Alerts.model_validate({"webhook_url": f"{receiver.url}/hook", "webhook_secret": SECRET, **more})


async def test_a_webhook_is_signed_json_with_an_idempotency_key(receiver: Receiver, http: httpx.AsyncClient) -> None:
    await deliver(http, webhook(receiver, desk_url="https://desk.example/desk"), "webhook")

    (got,) = receiver.got
    assert (got.method, got.path) == ("POST", "/hook")
    assert got.headers["idempotency-key"] == "letter-1"
    assert got.headers["x-handrail-event"] == "handoff.queued"
    header = got.headers["x-handrail-signature"]
    assert signing.verified(SECRET, header, got.body, NOW + 60)
    assert not signing.verified(SECRET, header, got.body + b" ", NOW)
    assert not signing.verified("another secret, as long", header, got.body, NOW)
    assert not signing.verified(SECRET, header, got.body, NOW + 301)
    assert not signing.verified(SECRET, "t=1,v1=", got.body, NOW)
    assert got.json["tenant"] == "acme"
    handoff = got.json["handoff"]
    assert handoff["reference"] == "HR-7K2M9Q"
    assert handoff["url"] == "https://desk.example/desk#/queue/c-1"
    assert "4111" not in handoff["message"]
    assert "[phone number removed]" in handoff["message"]
    assert "ada@example.com" not in got.body.decode()


async def test_visitors_words_stay_out_of_alerts_where_the_operator_wants_that(
    receiver: Receiver, http: httpx.AsyncClient
) -> None:
    await deliver(http, webhook(receiver, include_message=False), "webhook")

    assert "message" not in receiver.got[0].json["handoff"]
    assert "kündigen" not in receiver.got[0].body.decode()


async def test_slack_gets_text_in_which_a_visitor_can_call_nobody(receiver: Receiver, http: httpx.AsyncClient) -> None:
    alerts = Alerts(slack_url=f"{receiver.url}/services/T/B/x", desk_url="https://desk.example/desk")

    await deliver(http, alerts, "slack")

    text = receiver.got[0].json["text"]
    assert text.startswith("Somebody is waiting for a person: HR-7K2M9Q\n")
    assert "&lt;!channel&gt; &amp;" in text
    assert "@here" not in text
    assert "https://evil" not in text
    assert "<https://desk.example/desk#/queue/c-1|Open the desk>" in text


@pytest.mark.parametrize(
    ("status", "headers", "error", "says"),
    [
        (503, {}, Undelivered, "answered 503"),
        (429, {"Retry-After": "120"}, Undelivered, "answered 429"),
        (400, {}, Undeliverable, "answered 400"),
        (410, {}, Undeliverable, "answered 410"),
        (302, {"Location": "http://169.254.169.254/"}, Undeliverable, "redirects"),
    ],
)
async def test_what_an_answer_means(
    receiver: Receiver,
    http: httpx.AsyncClient,
    status: int,
    headers: dict[str, str],
    error: type[Exception],
    says: str,
) -> None:
    receiver.answers = lambda got: (status, {}, headers)

    with pytest.raises(error, match=says) as caught:
        await deliver(http, webhook(receiver), "webhook")

    assert len(receiver.got) == 1
    assert "/hook" not in str(caught.value)
    assert getattr(caught.value, "after_s", None) == (120.0 if status == 429 else None)


async def test_nobody_listening_is_a_reason_to_try_again(http: httpx.AsyncClient) -> None:
    alerts = Alerts.model_validate({"webhook_url": "http://127.0.0.1:9/hook", "webhook_secret": SECRET})

    with pytest.raises(Undelivered, match="ConnectError"):
        await deliver(http, alerts, "webhook")


class ChatwootServer:
    """As much of Chatwoot's API as the adapter calls, with its rules."""

    def __init__(self) -> None:
        self.contacts: list[dict[str, Any]] = []
        self.conversations: list[dict[str, Any]] = []
        self.messages: list[tuple[int, str, str]] = []
        self.fails_at: int | None = None

    def __call__(self, got: Got) -> tuple[int, Any]:
        if got.headers.get("api_access_token") != "token-1":
            return 401, {"error": "Invalid Access Token"}
        path = got.path.removeprefix("/api/v1/accounts/7/")
        if path.startswith("contacts/search?q="):
            return 200, {"payload": self.contacts}
        if path == "contacts":
            return self._contact(got.json)
        if path == "conversations":
            assert got.json["inbox_id"] == 3
            self.conversations.append(got.json)
            return 200, {"id": 41 + len(self.conversations)}
        if path in ("conversations/42/messages", "conversations/43/messages"):
            if self.fails_at == len(self.messages):
                self.fails_at = None
                return 502, {}
            self.messages.append((42, got.json["message_type"], got.json["content"]))
            return 200, {"id": len(self.messages)}
        return 404, {}

    def _contact(self, body: dict[str, Any]) -> tuple[int, Any]:
        if any(body["identifier"] == contact["identifier"] for contact in self.contacts):
            return 422, {"message": "Identifier has already been taken"}
        inboxes = [{"source_id": "source-1", "inbox": {"id": 3}}]
        contact = {"id": 5, "identifier": body["identifier"], "email": body.get("email"), "contact_inboxes": inboxes}
        self.contacts.append(contact)
        return 200, {"payload": {"contact": contact}}


def chatwoot(receiver: Receiver) -> Alerts:
    return Alerts.model_validate(
        {
            "chatwoot_url": f"{receiver.url}/",
            "chatwoot_token": "token-1",
            "chatwoot_account": 7,
            "chatwoot_inbox": 3,
        }
    )


async def test_chatwoot_gets_a_contact_a_conversation_and_what_was_said(
    receiver: Receiver, http: httpx.AsyncClient
) -> None:
    receiver.answers = server = ChatwootServer()

    await deliver(http, chatwoot(receiver), "chatwoot")

    assert server.contacts[0]["identifier"] == "v-1"
    assert server.contacts[0]["email"] == "ada@example.com"
    assert server.conversations[0]["source_id"] == "source-1"
    assert server.conversations[0]["custom_attributes"]["reference"] == "HR-7K2M9Q"
    assert [kind for _, kind, _ in server.messages] == ["incoming", "outgoing"]
    assert "4111" not in server.messages[0][2]
    assert "+49 170 1234567" in server.messages[0][2]


async def test_chatwoot_is_gone_on_with_where_the_last_try_stopped(receiver: Receiver, http: httpx.AsyncClient) -> None:
    receiver.answers = server = ChatwootServer()
    server.fails_at = 1

    with pytest.raises(Undelivered):
        await deliver(http, chatwoot(receiver), "chatwoot")
    await deliver(
        http, chatwoot(receiver), "chatwoot", progress={"contact": 5, "source": "s", "conversation": 42, "lines": 1}
    )

    assert (len(server.contacts), len(server.conversations), len(server.messages)) == (1, 1, 2)


async def test_a_contact_that_chatwoot_knows_is_used_again(receiver: Receiver, http: httpx.AsyncClient) -> None:
    receiver.answers = server = ChatwootServer()

    await deliver(http, chatwoot(receiver), "chatwoot")
    notes = await deliver(http, chatwoot(receiver), "chatwoot", id="letter-2")

    assert len(server.contacts) == 1
    assert notes[0] == {"contact": 5, "source": "source-1"}


@pytest.mark.parametrize("answer", [[], {}, {"payload": None}, "text", {"payload": {"contact": {"id": "x"}}}])
async def test_a_strange_answer_of_chatwoot_is_an_error_of_its_own(
    receiver: Receiver, http: httpx.AsyncClient, answer: Any
) -> None:
    receiver.answers = lambda got: (200, answer)

    with pytest.raises(Undelivered, match="Chatwoot"):
        await deliver(http, chatwoot(receiver), "chatwoot")


def mail(mailbox: Mailbox, **more: Any) -> Alerts:
    values = {"smtp_host": "127.0.0.1", "smtp_port": mailbox.port, "smtp_security": "none", "timeout_s": 8}
    return Alerts.model_validate(values | {"mail_from": "desk@acme.example", "mail_to": ["lead@acme.example"]} | more)


async def test_mail_is_plain_text_with_the_letters_id(http: httpx.AsyncClient) -> None:
    with mail_server() as mailbox:
        await deliver(http, mail(mailbox), "mail")

    (envelope,) = mailbox.got
    assert isinstance(envelope.content, bytes)
    message = message_from_bytes(envelope.content, policy=policy.default)
    assert envelope.rcpt_tos == ["lead@acme.example"]
    assert message["Message-ID"] == "<letter-1@acme.example>"
    assert message["Subject"] == "Waiting for a person: HR-7K2M9Q"
    assert message["Auto-Submitted"] == "auto-generated"
    text = message.get_body()
    assert text is not None
    assert "Ich will kündigen" in text.get_content()
    assert "4111" not in text.get_content()


async def test_mail_goes_encrypted_and_signed_in(http: httpx.AsyncClient, tmp_path: Path) -> None:
    paths = certificate(tmp_path)
    secure = {"smtp_security": "starttls", "smtp_user": "desk", "smtp_password": "open sesame"}

    with mail_server(paths) as mailbox:
        await deliver(http, mail(mailbox, **secure, smtp_ca=paths[0]), "mail")
        with pytest.raises(Undeliverable, match=r"alerts\.smtp_ca"):
            await deliver(http, mail(mailbox, **secure), "mail")
        with pytest.raises(Undeliverable, match="answered 535"):
            await deliver(http, mail(mailbox, **secure | {"smtp_password": "wrong"}, smtp_ca=paths[0]), "mail")

    assert mailbox.encrypted == [True]
    assert set(mailbox.signed_in) == {"desk"}


@pytest.mark.parametrize(("answer", "error"), [("450 later", Undelivered), ("550 no such user", Undeliverable)])
async def test_a_refused_recipient_is_tried_again_or_not(
    http: httpx.AsyncClient, answer: str, error: type[Exception]
) -> None:
    with mail_server() as mailbox:
        mailbox.refuses = answer
        with pytest.raises(error, match=f"recipients .*{answer[:3]}"):
            await deliver(http, mail(mailbox), "mail")


async def test_a_server_without_encryption_gets_nothing(http: httpx.AsyncClient) -> None:
    with mail_server() as mailbox, pytest.raises(Undeliverable, match="encryption"):
        await deliver(http, mail(mailbox, smtp_security="starttls"), "mail")

    assert mailbox.got == []


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"webhook_url": "http://hooks.example/x", "webhook_secret": SECRET}, "use https"),
        ({"webhook_url": "https://u:p@hooks.example/x", "webhook_secret": SECRET}, "leave user and password out"),
        ({"webhook_url": "file:///etc/passwd", "webhook_secret": SECRET}, "https://host/path"),
        ({"webhook_url": "https://hooks.example/x"}, "webhook_url needs webhook_secret"),
        ({"webhook_url": "https://hooks.example/x", "webhook_secret": "short"}, "at least 16"),
        ({"chatwoot_url": "https://chat.example"}, "chatwoot_token and chatwoot_account and chatwoot_inbox"),
        ({"mail_to": ["lead@acme.example"]}, "mail_to needs smtp_host"),
        ({"mail_to": ["lead@acme.example\nBcc: x@y.z"]}, "mail_to"),
        ({"smtp_host": "mail.example", "mail_from": "a@b.c", "smtp_security": "none"}, "smtp_security"),
    ],
)
def test_half_a_channel_or_an_unsafe_one_is_refused(values: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Alerts.model_validate(values)


def test_without_channels_there_are_no_letters() -> None:
    assert notifications_of(WAITING, Alerts()) == []
    assert json.dumps(notifications_of(WAITING, Alerts(slack_url="https://hooks.slack.example/x"))[0].payload)
