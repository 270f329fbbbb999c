"""Settings of a server and its keep: address, streams, limits, storage and traces."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from handrail.settings.base import Section, advanced


class Server(Section):
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8400, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    cors_origins: list[str] = Field(
        [], description="Origins whose pages may call the API; empty means same origin only."
    )
    trusted_proxies: int = Field(
        0, ge=0, le=10, description="Reverse proxies in front, whose X-Forwarded-For entries are believed."
    )
    demo_mode: bool = Field(True, description="Serve the demo page and apply the public demo's daily limit.")
    max_question_chars: int = advanced(4000, ge=100, le=20_000, description="Longest question accepted, in characters.")
    turn_deadline_s: float = advanced(30.0, ge=1, le=300, description="Seconds one turn may take, all stages together.")
    max_concurrent_turns: int = advanced(
        128, ge=1, le=10_000, description="Turns worked on at once; more are answered with an honest 'busy'."
    )
    conversation_queue_s: float = advanced(
        5.0,
        ge=0,
        le=60,
        description="Seconds a question waits for an earlier one of its conversation before it is answered 'busy'.",
    )
    max_body_bytes: int = advanced(
        1_048_576, ge=10_000, le=10_000_000, description="Largest request body; more is refused while it arrives."
    )
    deployment: str | None = advanced(
        None,
        pattern=r"^[a-z0-9][a-z0-9._-]{0,39}$",
        description="Name of this deployment in Redis, the same for all its processes. Default is made of the address "
        "of its database, or of its data folder.",
    )


class Stream(Section):
    heartbeat_s: float = advanced(
        15.0, ge=0.1, le=300, description="Seconds without an event after which a comment keeps the connection open."
    )
    grace_s: float = advanced(
        10.0,
        ge=0,
        le=300,
        description="Seconds a turn goes on when nobody follows it any more, for visitors who lose the connection.",
    )
    resume_s: int = advanced(
        120, ge=1, le=86_400, description="Seconds a finished turn's events are kept for those who come back."
    )


class Limits(Section):
    enabled: bool = advanced(True, description="Count questions, reads and streams of visitors at all.")
    visitor_per_minute: int = Field(
        12, ge=0, le=10_000, description="Questions per visitor address and minute; 0 is unlimited."
    )
    visitor_per_day: int = Field(
        100, ge=0, le=1_000_000, description="Questions per visitor address and day; 0 is unlimited."
    )
    global_per_minute: int = advanced(
        120, ge=0, le=1_000_000, description="Questions of everybody per minute; 0 is unlimited."
    )
    global_per_day: int = Field(0, ge=0, le=100_000_000, description="Questions of everybody per day; 0 is unlimited.")
    demo_global_per_day: int = Field(100, ge=0, le=100_000_000, description="Replaces global_per_day in demo mode.")
    handoff_per_hour: int = advanced(
        10,
        ge=0,
        le=10_000,
        description="Requests for a person per visitor address and hour, apart from questions; 0 is unlimited.",
    )
    reads_per_visitor: int = advanced(
        120,
        ge=0,
        le=100_000,
        description="Reads of conversations and starts of streams per visitor and minute, in each process; "
        "0 is unlimited.",
    )
    reads_per_address: int = advanced(
        600, ge=0, le=1_000_000, description="The same per network address, for all its visitors; 0 is unlimited."
    )
    streams_per_visitor: int = advanced(
        10,
        ge=0,
        le=10_000,
        description="Event streams that one visitor, or one agent, has open at once in a process; 0 is unlimited.",
    )
    streams_per_address: int = advanced(
        120, ge=0, le=100_000, description="The same per network address, for all its visitors; 0 is unlimited."
    )
    max_streams: int = advanced(
        800,
        ge=1,
        le=100_000,
        description="Event streams of all visitors open at once in a process; more are answered with an honest 'busy'. "
        "Each is an open file.",
    )
    redis_url: str | None = Field(None, description="Count in Redis, shared by all processes; REDIS_URL sets it.")


class Storage(Section):
    data_dir: Path = Field(Path("var"), description="Folder for the index, records and fitted files.")
    chroma_url: str | None = Field(
        None, description="Chroma server, such as http://127.0.0.1:8000; default is Chroma on disk."
    )
    database_url: str | None = Field(None, description="SQLAlchemy URL for records; default is SQLite in data_dir.")


class Observe(Section):
    langfuse_public_key: str | None = Field(None, description="LANGFUSE_PUBLIC_KEY sets it; absent means no network.")
    langfuse_secret_key: SecretStr | None = Field(None, description="LANGFUSE_SECRET_KEY sets it.")
    langfuse_host: str = Field("https://cloud.langfuse.com", description="LANGFUSE_HOST sets it.")
    environment: str = advanced("default", pattern=r"^[a-z0-9_-]{1,40}$", description="Environment name on traces.")
    prompt_ttl_s: int = advanced(300, ge=0, le=86_400, description="Seconds a prompt fetched from Langfuse is reused.")
    prompt_label: str = advanced("production", description="Langfuse label whose prompt version is used.")
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Log level; questions are never logged at info."
    )

    @property
    def langfuse_configured(self) -> bool:
        return bool(self.langfuse_public_key and self.langfuse_secret_key)
