"""E-mail by SMTP; the library blocks, so each message has a thread of its own."""

from __future__ import annotations

import asyncio
import smtplib
import ssl
from datetime import UTC, datetime
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr

from handrail.desk.outbox import Notification, Remember, Undeliverable, Undelivered
from handrail.desk.outbox.address import in_ascii, recipient
from handrail.settings import Alerts

STEPS = 4
"""A delivery is several steps of the protocol, and the thread should end within the time of the whole."""


class Mail:
    def __init__(self, settings: Alerts) -> None:
        self._settings = settings

    async def send(self, notification: Notification, remember: Remember) -> None:
        """The Message-ID is the letter's id: mail programs show a repetition once."""
        message = compose(notification, str(self._settings.mail_from))
        await asyncio.to_thread(self._deliver, message)

    def _deliver(self, message: EmailMessage) -> None:
        try:
            with self._connect() as server:
                if self._settings.smtp_user and self._settings.smtp_password:
                    server.login(self._settings.smtp_user, self._settings.smtp_password.get_secret_value())
                refused = server.send_message(message, to_addrs=[message["To"].addresses[0].addr_spec])
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            raise _failure(f"the mail server rejects all recipients ({codes[0]})", max(codes)) from None
        except smtplib.SMTPNotSupportedError:
            raise Undeliverable(
                "the mail server doesn't offer the encryption or sign-in that the settings require"
            ) from None
        except smtplib.SMTPResponseException as error:
            raise _failure(f"the mail server answered {error.smtp_code}", error.smtp_code) from None
        except ssl.SSLCertVerificationError:
            raise Undeliverable("the mail server's certificate isn't trusted. See alerts.smtp_ca") from None
        except (smtplib.SMTPException, OSError) as error:
            raise Undelivered(f"can't reach the mail server: {type(error).__name__}") from None
        if refused:
            raise Undeliverable(f"the mail server rejects {len(refused)} of the recipients")

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        host, port, timeout = str(settings.smtp_host), settings.smtp_port, settings.timeout_s / STEPS
        if settings.smtp_security == "none":
            return smtplib.SMTP(host, port, timeout=timeout)
        context = ssl.create_default_context(cafile=str(settings.smtp_ca) if settings.smtp_ca else None)
        if settings.smtp_security == "tls":
            return smtplib.SMTP_SSL(host, port, timeout=timeout, context=context)
        server = smtplib.SMTP(host, port, timeout=timeout)
        try:
            server.starttls(context=context)
        except BaseException:
            server.close()
            raise
        return server


def compose(notification: Notification, sender: str) -> EmailMessage:
    """Plain text to exactly one recipient. Raises Undeliverable for what no header can hold."""
    message = EmailMessage()
    try:
        (to,) = notification.payload["to"]
        message["From"] = sender
        message["To"] = in_ascii(recipient(to))
        message["Subject"] = notification.payload["subject"]
        message["Date"] = format_datetime(datetime.fromtimestamp(notification.created_at, UTC))
        message["Message-ID"] = f"<{notification.id}@{parseaddr(sender)[1].rpartition('@')[2]}>"
        message["Auto-Submitted"] = "auto-generated"
        message["X-Handrail-Idempotency-Key"] = notification.id
    except ValueError:
        raise Undeliverable("an address or the subject isn't valid in a header") from None
    message.set_content(notification.payload["text"])
    return message


def _failure(why: str, code: int) -> Undelivered | Undeliverable:
    return Undeliverable(why) if code >= 500 else Undelivered(why)
