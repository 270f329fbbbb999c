"""Settings of a server and its keep: address, streams, limits, storage and traces."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr

from handrail.settings.base import Section, advanced


def _origin(value: str) -> str:
    """As browsers send it. Raises ValueError for what none ever sends, since the chat would just not show there."""
    if "*" in value or value == "null":
        return value  # whether that is wanted depends on who can reach the server
    parts = urlsplit(value)
    try:
        host, port = (parts.hostname or "").encode("idna").decode(), parts.port
    except ValueError:
        host, port = "", None
    if parts.scheme not in DEFAULT_PORTS or not host or parts.path not in ("", "/") or parts.query or parts.username:
        raise ValueError(f"{value!r} isn't an origin; write https://www.example.com, without a path")
    shown = f"[{host}]" if ":" in host else host
    return (
        f"{parts.scheme}://{shown}"
        if port in (None, DEFAULT_PORTS[parts.scheme])
        else f"{parts.scheme}://{shown}:{port}"
    )


DEFAULT_PORTS = {"http": 80, "https": 443}
Origin = Annotated[str, AfterValidator(_origin)]


class Server(Section):
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8400, ge=0, le=65535, description="Port to listen on. 0 picks a free one.")
    cors_origins: list[Origin] = Field(
        [], description="Origins whose pages may call the API. Empty means same origin only."
    )
    trusted_proxies: int = Field(
        0, ge=0, le=10, description="Number of reverse proxies in front whose X-Forwarded-For entries are trusted."
    )
    root_path: str = advanced(
        "",
        pattern=r"^(/[a-zA-Z0-9._~-]+)*$",
        description="Path under which a proxy serves it, such as /help, whether the proxy takes it off or not.",
    )
    demo_mode: bool = Field(True, description="Serve the demo page and apply the public demo's daily limit.")
    public: bool = Field(
        False,
        description="For a server that anybody can reach. It doesn't start with demo accounts, the sample's branding, "
        "origins like `*` or a limit switched off, and takes no questions while the shared counters are away.",
    )
    max_question_chars: int = advanced(4000, ge=100, le=20_000, description="Longest question accepted, in characters.")
    turn_deadline_s: float = advanced(
        30.0, ge=1, le=300, description="Time limit for one turn in seconds, all stages together."
    )
    max_concurrent_turns: int = advanced(
        128,
        ge=1,
        le=10_000,
        description="Turns processed at the same time. Further requests are told that the server is busy.",
    )
    conversation_queue_s: float = advanced(
        5.0,
        ge=0,
        le=60,
        description="Seconds a question waits for an earlier one in the same conversation before it gets 'busy'.",
    )
    max_body_bytes: int = advanced(
        1_048_576,
        ge=10_000,
        le=10_000_000,
        description="Largest request body in bytes. Larger ones are refused while they arrive.",
    )
    body_timeout_s: float = advanced(
        20.0,
        ge=0.1,
        le=300,
        description="Seconds in which a body of max_body_bytes has to arrive; larger files have as many more.",
    )
    operator_key: SecretStr | None = advanced(
        None,
        min_length=16,
        description="Turns on `/tenants`, for whoever sends this key as a bearer token: see docs/tenants.md. "
        "Environment variable: HANDRAIL__SERVER__OPERATOR_KEY.",
    )
    api_keys: Literal["off", "allowed", "required"] = advanced(
        "off",
        description="Whether programs may call the API with keys from `handrail key create`. `required` takes nobody "
        "else, so the widget doesn't work.",
    )
    deployment: str | None = advanced(
        None,
        pattern=r"^[a-z0-9][a-z0-9._-]{0,39}$",
        description="Name of this deployment in Redis, the same for all its processes. Default: derived from its "
        "database URL or data folder.",
    )

    @property
    def must_count(self) -> bool:
        """Whether no question is taken that can't be counted together with those of other processes."""
        return self.demo_mode or self.public


class Stream(Section):
    heartbeat_s: float = advanced(
        15.0,
        ge=0.1,
        le=300,
        description="After this many seconds without an event, a comment keeps the connection open.",
    )
    grace_s: float = advanced(
        10.0,
        ge=0,
        le=300,
        description="Seconds a turn keeps running after the visitor's connection is lost.",
    )
    resume_s: int = advanced(
        120, ge=1, le=86_400, description="Seconds that a finished turn's events are kept for reconnecting clients."
    )


class Limits(Section):
    enabled: bool = advanced(True, description="Limit visitors' questions, reads and streams.")
    visitor_per_minute: int = Field(
        12, ge=0, le=10_000, description="Questions per IP address and minute. 0 means unlimited."
    )
    visitor_per_day: int = Field(
        100, ge=0, le=1_000_000, description="Questions per IP address and day. 0 means unlimited."
    )
    global_per_minute: int = advanced(
        120, ge=0, le=1_000_000, description="Questions from all visitors per minute. 0 means unlimited."
    )
    global_per_day: int = Field(
        0, ge=0, le=100_000_000, description="Questions from all visitors per day. 0 means unlimited."
    )
    demo_global_per_day: int = advanced(100, ge=0, le=100_000_000, description="Replaces global_per_day in demo mode.")
    visitor_tokens_per_day: int = advanced(
        0,
        ge=0,
        le=1_000_000_000,
        description="LLM tokens per IP address and UTC day. Each turn reserves `llm.turn_max_tokens` first. 0 means "
        "unlimited.",
    )
    visitor_usd_per_day: float = advanced(
        0.0,
        ge=0,
        le=1_000_000,
        description="LLM cost per IP address and UTC day, at the prices given. Each turn reserves `llm.turn_max_usd` "
        "first. 0 means unlimited.",
    )
    global_tokens_per_day: int = advanced(
        0, ge=0, le=1_000_000_000_000, description="The same for all visitors together, in tokens. 0 means unlimited."
    )
    global_usd_per_day: float = advanced(
        0.0, ge=0, le=1_000_000, description="The same for all visitors together, in dollars. 0 means unlimited."
    )
    handoff_per_hour: int = advanced(
        10,
        ge=0,
        le=10_000,
        description="Requests for a person per IP address and hour, counted separately from questions. 0 means "
        "unlimited.",
    )
    proof_of_work: int = advanced(
        0,
        ge=0,
        le=10_000_000,
        description="Most hashes that a new visitor's browser computes before the first message (ALTCHA); on average "
        "half as many. 50000 take a second or two. Questions then need a visitor token or an API key. 0 asks for none.",
    )
    reads_per_visitor: int = advanced(
        120,
        ge=0,
        le=100_000,
        description="Conversation reads and stream starts per visitor and minute, in each process. 0 means unlimited.",
    )
    reads_per_address: int = advanced(
        600, ge=0, le=1_000_000, description="The same per IP address, for all its visitors. 0 means unlimited."
    )
    streams_per_visitor: int = advanced(
        10,
        ge=0,
        le=10_000,
        description="Event streams that one visitor or agent may have open at once in a process. 0 means unlimited.",
    )
    streams_per_address: int = advanced(
        120, ge=0, le=100_000, description="The same per IP address, for all its visitors. 0 means unlimited."
    )
    max_streams: int = advanced(
        800,
        ge=1,
        le=100_000,
        description="Event streams of all visitors open at once in a process. Further ones get 'busy'. Each uses an "
        "open file.",
    )
    redis_url: str | None = Field(
        None, description="Count in Redis, shared by all processes. Environment variable: REDIS_URL."
    )


ON_DISK: Mapping[str, Any] = MappingProxyType({"index": "chroma", "chroma_url": None})
"""Of a storage whose index nobody else has."""


class Storage(Section):
    data_dir: Path = Field(Path("var"), description="Folder for the index, records and fitted files.")
    index: Literal["chroma", "faiss", "postgres", "qdrant"] = Field(
        "chroma",
        description="What holds the passages and their vectors. All but `chroma` need the extra of that name; "
        "`faiss` is for large knowledge bases on the disk of one machine.",
    )
    chroma_url: str | None = Field(
        None, description="Chroma server, such as http://127.0.0.1:8000. Default: Chroma on disk."
    )
    postgres_url: str | None = advanced(
        None,
        description='PostgreSQL with pgvector for `index = "postgres"`, such as postgresql://user:password@host/name. '
        "Default: database_url.",
    )
    qdrant_url: str | None = advanced(
        None,
        description='Qdrant server for `index = "qdrant"`, such as http://127.0.0.1:6333. Environment variable: '
        "QDRANT_URL.",
    )
    qdrant_key: SecretStr | None = advanced(
        None, description="API key of the Qdrant server. Environment variable: QDRANT_API_KEY."
    )
    database_url: str | None = Field(None, description="SQLAlchemy URL for records. Default: SQLite in data_dir.")
    tenant: str = advanced(
        "default",
        pattern=r"^[a-z0-9][a-z0-9_-]{1,39}$",
        description="The company that a command is about, where several share the deployment: see docs/tenants.md. "
        "`handrail --tenant NAME` sets it for one command.",
    )

    @property
    def served_index(self) -> bool:
        """Whether the index is on a server, which other machines may use as well."""
        return self.index in ("postgres", "qdrant") or (self.index == "chroma" and self.chroma_url is not None)

    def apart(self, data_dir: Path) -> Storage:
        """The same with everything, and an index of its own, in `data_dir`."""
        return self.model_copy(update={"data_dir": data_dir, **ON_DISK})


class Observe(Section):
    langfuse_public_key: str | None = Field(
        None, description="Public key. Without one, nothing is sent. Environment variable: LANGFUSE_PUBLIC_KEY."
    )
    langfuse_secret_key: SecretStr | None = Field(
        None, description="Secret key. Environment variable: LANGFUSE_SECRET_KEY."
    )
    langfuse_host: str = Field(
        "https://cloud.langfuse.com", description="Langfuse address. Environment variable: LANGFUSE_HOST."
    )
    environment: str = advanced(
        "default", pattern=r"^[a-z0-9_-]{1,40}$", description="Environment name shown on traces."
    )
    prompt_ttl_s: int = advanced(
        300, ge=0, le=86_400, description="Seconds that a prompt fetched from Langfuse is reused."
    )
    prompt_label: str = advanced("production", description="Langfuse label of the prompt version to use.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Log level. Questions are never logged at info."
    )
    log_format: Literal["text", "json"] = advanced(
        "text", description="`json` writes one JSON object a line, for programs that collect logs."
    )
    metrics_key: SecretStr | None = advanced(
        None,
        min_length=16,
        description="Turns on `GET /metrics`, for Prometheus, for whoever sends this key as a bearer token. "
        "Environment variable: HANDRAIL__OBSERVE__METRICS_KEY.",
    )
    otlp_endpoint: str | None = advanced(
        None,
        pattern=r"^https?://[^/]",
        description="OpenTelemetry collector that gets the traces, such as http://127.0.0.1:4318. Environment "
        "variable: OTEL_EXPORTER_OTLP_ENDPOINT.",
    )

    @property
    def langfuse_configured(self) -> bool:
        return bool(self.langfuse_public_key and self.langfuse_secret_key)
