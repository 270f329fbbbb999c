"""Settings of what happens around a hand-off: hours, alerts, and what is known of the customer."""

from __future__ import annotations

from datetime import date
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from handrail.settings.base import Section, advanced

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def is_loopback(host: str) -> bool:
    """Whether `host` is this machine; names other than localhost are not looked up."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _endpoint(value: str) -> str:
    """An operator's address that may be sent secrets and visitors' words."""
    parts = urlsplit(value)
    try:
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError("not a URL; write https://host/path") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("not a URL; write https://host/path")
    if parts.username or parts.password:
        raise ValueError("leave user and password out of the URL; use the settings for secrets")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError("use https; plain http is only allowed for addresses on this machine")
    return value


Endpoint = Annotated[str, AfterValidator(_endpoint)]
Mail = Annotated[str, Field(pattern=r"^[^@\s<>,;]{1,64}@[^@\s<>,;]{1,189}$")]


class Holiday(Section):
    """A day that is not like others of its weekday."""

    date: date
    name: str = Field("", max_length=80, description="A name for readers of the file.")
    hours: list[str] = Field([], description="Opening hours on this day. Empty means closed.")


class Hours(Section):
    file: Path | None = advanced(
        None,
        description="A TOML file with these keys, plus a [tenants.NAME] table for each tenant with different hours.",
    )
    timezone: str = Field("UTC", description="IANA time zone of the hours, such as Europe/Berlin.")
    weekly: dict[Day, list[str]] = Field(
        {},
        description='Hours per weekday, such as mon = ["09:00-12:00", "13:00-17:00"]. Empty means always open. '
        '"22:00-02:00" ends the next day.',
    )
    holidays: list[Holiday] = Field(
        [],
        max_length=1000,
        description='Days with other hours: { date = 2026-12-24, name = "Christmas Eve", hours = [] }.',
    )
    presence: bool = advanced(
        True,
        description="Count support as available only while an agent is online at the desk. With false, only the "
        "hours count.",
    )
    away_text: str = Field(
        "",
        max_length=400,
        description="What visitors read when nobody is available. Default: a sentence in their language.",
    )


class Alerts(Section):
    desk_url: Endpoint | None = Field(None, description="URL of your desk page, linked in alerts.")
    include_message: bool = Field(True, description="Include the visitor's message (masked) in alerts.")
    webhook_url: Endpoint | None = Field(
        None, description="URL called with signed JSON when a visitor is waiting for a person."
    )
    webhook_secret: SecretStr | None = Field(
        None,
        min_length=16,
        description="Signs webhooks (HMAC-SHA256). Environment variable: HANDRAIL__ALERTS__WEBHOOK_SECRET.",
    )
    slack_url: Endpoint | None = Field(None, description="Incoming webhook of Slack, Mattermost or similar.")
    chatwoot_url: Endpoint | None = advanced(None, description="URL of a Chatwoot server that requests are copied to.")
    chatwoot_token: SecretStr | None = advanced(None, description="Access token of an agent or bot there.")
    chatwoot_account: int = advanced(0, ge=0, description="Chatwoot account number.")
    chatwoot_inbox: int = advanced(0, ge=0, description="Number of a Chatwoot inbox of type API.")
    mail_to: list[Mail] = Field([], max_length=20, description="Addresses e-mailed when a visitor is waiting.")
    mail_from: Mail | None = Field(None, description="Sender of alerts and of e-mails to visitors.")
    smtp_host: str | None = Field(None, description="Mail server. Without one, no e-mail is sent.")
    smtp_port: int = Field(587, ge=1, le=65535, description="Port of the mail server.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="Encryption. `none` is only allowed for servers on this machine."
    )
    smtp_user: str | None = Field(None, description="User name for the mail server. Empty means no sign-in.")
    smtp_password: SecretStr | None = Field(None, description="Password for the mail server.")
    smtp_ca: Path | None = advanced(None, description="CA certificate file, for a mail server with a private CA.")
    timeout_s: float = advanced(10.0, ge=0.5, le=60, description="Timeout for one delivery, in seconds.")
    attempts: int = advanced(8, ge=1, le=50, description="Delivery attempts before a message is set aside as dead.")
    backoff_s: float = advanced(
        5.0, ge=0.01, le=3600, description="Seconds to wait after the first failure. Doubles each time."
    )
    backoff_most_s: float = advanced(
        3600.0, ge=0.01, le=86_400, description="Longest wait between two attempts, in seconds."
    )
    poll_s: float = advanced(2.0, ge=0.01, le=300, description="Seconds between two checks of the outbox.")
    keep_days: int = advanced(30, ge=1, le=3650, description="Days that delivered messages are kept.")
    visitor_mails_per_conversation: int = advanced(
        4,
        ge=1,
        le=50,
        description="Transcripts e-mailed per conversation and UTC day. Confirmation codes have the same limit, "
        "counted separately. So do the limits below.",
    )
    visitor_mails_per_visitor: int = advanced(6, ge=1, le=100, description="The same per visitor.")
    visitor_mails_per_client: int = advanced(10, ge=1, le=1000, description="The same per IP address.")
    visitor_mails_per_recipient: int = advanced(3, ge=1, le=20, description="The same per recipient.")
    visitor_mails_per_day: int = advanced(300, ge=1, le=100_000, description="The same for all visitors together.")

    @property
    def mails(self) -> bool:
        """Whether e-mail can be sent at all."""
        return self.smtp_host is not None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Half a channel would be found out only when somebody waits."""
        needs = (
            ("webhook_url", ("webhook_secret",)),
            ("chatwoot_url", ("chatwoot_token", "chatwoot_account", "chatwoot_inbox")),
            ("smtp_host", ("mail_from",)),
            ("mail_to", ("smtp_host",)),
            ("smtp_user", ("smtp_password",)),
        )
        for name, others in needs:
            missing = [other for other in others if not getattr(self, other)]
            if getattr(self, name) and missing:
                raise ValueError(f"{name} needs {' and '.join(missing)} too")
        if self.smtp_host and self.smtp_security == "none" and not is_loopback(self.smtp_host):
            raise ValueError('smtp_security = "none" is only allowed for a mail server on this machine')
        return self


class Customer(Section):
    """What the operator's own systems say of a visitor; offers with conditions go by nothing else."""

    secret: SecretStr | None = advanced(
        None,
        min_length=16,
        description="Signs the context your page passes (`handrail context sign`) and the calls to `url`.",
    )
    url: Endpoint | None = advanced(
        None, description="Your endpoint, which returns what is known about a signed customer."
    )
    timeout_s: float = advanced(
        1.5,
        ge=0.1,
        le=10,
        description="Timeout for the endpoint in seconds. After it, nothing is known about the customer.",
    )
    ttl_s: float = advanced(300.0, ge=0, le=86_400, description="Seconds that its answer is reused.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.url and not self.secret:
            raise ValueError("url also needs secret, which signs the calls to your endpoint")
        return self


class Oidc(Section):
    """Signing in at the desk with the operator's own accounts."""

    issuer: Endpoint | None = advanced(
        None, description="Issuer URL of the OpenID Connect provider for the desk. Needs the extra `oidc`."
    )
    client_id: str = advanced("", max_length=200, description="Client id of the desk at the provider.")
    client_secret: SecretStr | None = advanced(
        None,
        description="Client secret; leave it out for a public client. Environment variable: "
        "HANDRAIL__OIDC__CLIENT_SECRET.",
    )
    redirect_url: Endpoint | None = advanced(
        None, description="Where the provider redirects users: your address followed by /desk/api/oidc/callback."
    )
    scopes: str = advanced(
        "openid email profile",
        description="Requested scopes. Some providers return groups only for a particular scope.",
    )
    role_claim: str = advanced(
        "groups",
        min_length=1,
        description="Claim that decides the role. Use dots for nested claims, such as realm_access.roles.",
    )
    roles: dict[str, Literal["agent", "lead", "admin"]] = advanced(
        {},
        description='Claim values and the roles they give: { support = "agent", it = "admin" }. The highest role '
        "counts.",
    )
    trust_email: bool = advanced(
        False,
        description="Accept e-mail addresses that the provider doesn't mark as verified. Only for providers that "
        "assign addresses themselves.",
    )
    passwords: bool = advanced(True, description="Also allow signing in with a password.")
    label: str = advanced(
        "Sign in with your company account", max_length=60, description="Label of the sign-in button."
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.issuer:
            missing = [name for name in ("client_id", "redirect_url", "roles") if not getattr(self, name)]
            if missing:
                raise ValueError(f"issuer needs {' and '.join(missing)} too")
        return self
