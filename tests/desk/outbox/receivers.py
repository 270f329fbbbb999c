"""Servers on this machine that letters are delivered to, and that remember what they got."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


@dataclass(frozen=True)
class Got:
    """One request."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


@dataclass
class Receiver:
    """Answers with what `answers` says of a request; 200 and an empty object by default."""

    url: str = ""
    got: list[Got] = field(default_factory=list)
    answers: Callable[[Got], Answer] = lambda got: (200, {})


@contextmanager
def http_receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            got = Got(self.command, self.path, headers, self.rfile.read(length))
            receiver.got.append(got)
            status, body, *more = receiver.answers(got)
            content = json.dumps(body).encode()
            self.send_response(status)
            for name, value in (more[0] if more else {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _answer

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Mailbox:
    """What a mail server took; `refuses` is the answer to recipients, when there is one."""

    port: int = 0
    got: list[Envelope] = field(default_factory=list)
    signed_in: list[str] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    refuses: str | None = None

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.refuses:
            return self.refuses
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.got.append(envelope)
        self.encrypted.append(session.ssl is not None)
        return "250 taken"


@contextmanager
def mail_server(certificate: tuple[Path, Path] | None = None) -> Iterator[Mailbox]:
    """With a certificate it insists on STARTTLS and a sign-in."""
    mailbox = Mailbox()

    def sign_in(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: LoginPassword) -> AuthResult:
        mailbox.signed_in.append(data.login.decode())
        return AuthResult(success=data.password == b"open sesame", handled=False)

    options: dict[str, Any] = {}
    if certificate:
        import ssl

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        options = {"tls_context": context, "require_starttls": True, "authenticator": sign_in, "auth_required": True}
    controller = Controller(mailbox, hostname="127.0.0.1", port=0, **options)
    controller.port = _free_port()
    controller.start()
    mailbox.port = controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


def certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed one for 127.0.0.1, and its key."""
    paths = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", str(paths[0]), "-keyout", str(paths[1])]
    subprocess.run(command, check=True, capture_output=True)
    return paths


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
