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
        raise ValueError("not an address; write https://host/path") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("not an address; write https://host/path")
    if parts.username or parts.password:
        raise ValueError("leave user and password out of the address; there are settings for secrets")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError("use https; plain http is only for addresses on this machine")
    return value


Endpoint = Annotated[str, AfterValidator(_endpoint)]
Mail = Annotated[str, Field(pattern=r"^[^@\s<>,;]{1,64}@[^@\s<>,;]{1,189}$")]


class Holiday(Section):
    """A day that is not like others of its weekday."""

    date: date
    name: str = Field("", max_length=80, description="For the reader of the file.")
    hours: list[str] = Field([], description="Ranges on this day; none means closed.")


class Hours(Section):
    file: Path | None = advanced(
        None, description="A TOML file with these keys, and a [tenants.NAME] table for each tenant that differs."
    )
    timezone: str = Field("UTC", description="IANA time zone of the ranges, such as Europe/Berlin.")
    weekly: dict[Day, list[str]] = Field(
        {},
        description='Ranges a weekday, such as mon = ["09:00-12:00", "13:00-17:00"]; empty means always open. '
        '"22:00-02:00" ends on the next day.',
    )
    holidays: list[Holiday] = Field(
        [], max_length=1000, description='Other days: { date = 2026-12-24, name = "Christmas Eve", hours = [] }.'
    )
    presence: bool = advanced(
        True, description="Somebody is there only while an agent is at the desk; false goes by the hours alone."
    )
    away_text: str = Field(
        "",
        max_length=400,
        description="What visitors read when nobody is there, in your words; default is a sentence in their language.",
    )


class Alerts(Section):
    desk_url: Endpoint | None = Field(None, description="Address of your desk page, linked in alerts.")
    include_message: bool = Field(True, description="Put the visitor's words (masked) into alerts.")
    webhook_url: Endpoint | None = Field(None, description="Called with signed JSON when somebody waits for a person.")
    webhook_secret: SecretStr | None = Field(
        None, min_length=16, description="Signs webhooks (HMAC-SHA256); HANDRAIL__ALERTS__WEBHOOK_SECRET sets it."
    )
    slack_url: Endpoint | None = Field(None, description="Incoming webhook of Slack, Mattermost or the like.")
    chatwoot_url: Endpoint | None = advanced(None, description="Chatwoot that requests are copied to.")
    chatwoot_token: SecretStr | None = advanced(None, description="Its access token of an agent or bot.")
    chatwoot_account: int = advanced(0, ge=0, description="Number of the account there.")
    chatwoot_inbox: int = advanced(0, ge=0, description="Number of an inbox of the type API there.")
    mail_to: list[Mail] = Field([], max_length=20, description="Addresses that get an e-mail when somebody waits.")
    mail_from: Mail | None = Field(None, description="Sender of alerts and of e-mail to visitors.")
    smtp_host: str | None = Field(None, description="Mail server; without it no e-mail is sent.")
    smtp_port: int = Field(587, ge=1, le=65535, description="Its port.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        "starttls", description="Encryption; `none` is refused for servers that are not on this machine."
    )
    smtp_user: str | None = Field(None, description="Name to sign in with; none means no sign-in.")
    smtp_password: SecretStr | None = Field(None, description="Its password.")
    smtp_ca: Path | None = advanced(None, description="Certificate authority file of a mail server with its own.")
    timeout_s: float = advanced(10.0, ge=0.5, le=60, description="Seconds one delivery may take.")
    attempts: int = advanced(8, ge=1, le=50, description="Deliveries tried before an entry is put aside as dead.")
    backoff_s: float = advanced(5.0, ge=0.01, le=3600, description="Pause after the first failure; doubles each time.")
    backoff_most_s: float = advanced(3600.0, ge=0.01, le=86_400, description="Longest pause between two tries.")
    poll_s: float = advanced(2.0, ge=0.01, le=300, description="Seconds between two looks at the outbox.")
    keep_days: int = advanced(30, ge=1, le=3650, description="Days delivered entries are kept.")
    visitor_mails_per_conversation: int = advanced(
        4,
        ge=1,
        le=50,
        description="Transcripts e-mailed per conversation and UTC day; confirmation codes are counted apart, by the "
        "same number. So are those below.",
    )
    visitor_mails_per_visitor: int = advanced(6, ge=1, le=100, description="The same per visitor.")
    visitor_mails_per_client: int = advanced(10, ge=1, le=1000, description="The same per visitor address (IP).")
    visitor_mails_per_recipient: int = advanced(3, ge=1, le=20, description="The same per e-mail address written to.")
    visitor_mails_per_day: int = advanced(300, ge=1, le=100_000, description="The same for everybody together.")

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
            raise ValueError('smtp_security = "none" is only for a mail server on this machine')
        return self


class Customer(Section):
    """What the operator's own systems say of a visitor; offers with conditions go by nothing else."""

    secret: SecretStr | None = advanced(
        None,
        min_length=16,
        description="Signs the context your page passes (`handrail context sign`), and calls of the hook.",
    )
    url: Endpoint | None = advanced(None, description="Your endpoint that is asked what is known of a signed customer.")
    timeout_s: float = advanced(1.5, ge=0.1, le=10, description="Seconds it may take; after that nothing is known.")
    ttl_s: float = advanced(300.0, ge=0, le=86_400, description="Seconds its answer is reused.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.url and not self.secret:
            raise ValueError("url needs secret too: calls of your endpoint are signed with it")
        return self


class Oidc(Section):
    """Signing in at the desk with the operator's own accounts."""

    issuer: Endpoint | None = advanced(
        None, description="OpenID Connect provider of the desk's people, as it names itself; needs the extra `oidc`."
    )
    client_id: str = advanced("", max_length=200, description="What the provider calls the desk.")
    client_secret: SecretStr | None = advanced(
        None, description="Its secret there; HANDRAIL__OIDC__CLIENT_SECRET sets it. None for a public client."
    )
    redirect_url: Endpoint | None = advanced(
        None, description="Where the provider sends people back: your address with /desk/api/oidc/callback."
    )
    scopes: str = advanced("openid email profile", description="What is asked for; some providers give groups for one.")
    role_claim: str = advanced(
        "groups", min_length=1, description="Claim that decides the role; a.b is b inside a, as realm_access.roles."
    )
    roles: dict[str, Literal["agent", "lead", "admin"]] = advanced(
        {}, description='Values of it that let people in: { support = "agent", it = "admin" }. The highest counts.'
    )
    trust_email: bool = advanced(
        False, description="Take addresses that the provider does not call verified, where it makes them itself."
    )
    passwords: bool = advanced(True, description="Let people also sign in with a password.")
    label: str = advanced("Sign in with your company account", max_length=60, description="Words on the button.")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.issuer:
            missing = [name for name in ("client_id", "redirect_url", "roles") if not getattr(self, name)]
            if missing:
                raise ValueError(f"issuer needs {' and '.join(missing)} too")
        return self
