"""The ways out, as the settings name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from handrail.desk.outbox import Channel
from handrail.settings import Alerts

if TYPE_CHECKING:
    import httpx


def build_channels(settings: Alerts, http: httpx.AsyncClient, clock: Callable[[], float]) -> dict[str, Channel]:
    """By name; what is not set up is not there. `http` is `client(settings)`."""
    from handrail.desk.outbox.channels.chatwoot import Chatwoot
    from handrail.desk.outbox.channels.mail import Mail
    from handrail.desk.outbox.channels.slack import Slack
    from handrail.desk.outbox.channels.webhook import Webhook

    channels: dict[str, Channel] = {}
    if settings.webhook_url and settings.webhook_secret:
        secret = settings.webhook_secret.get_secret_value()
        channels["webhook"] = Webhook(http, settings.webhook_url, secret, clock)
    if settings.slack_url:
        channels["slack"] = Slack(http, settings.slack_url)
    if settings.chatwoot_url and settings.chatwoot_token:
        channels["chatwoot"] = Chatwoot(http, settings)
    if settings.mails:
        channels["mail"] = Mail(settings)
    return channels
