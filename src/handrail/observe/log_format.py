"""How the log is written: lines for people, or one JSON object a line for programs. The only place that sets it up."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from handrail.observe import log_records
from handrail.observe.log_context import NAMES
from handrail.settings import Observe

SERVERS = ("uvicorn", "uvicorn.access", "uvicorn.error")


def configure(settings: Observe) -> None:
    """Log to standard error. Does nothing if whoever embeds Handrail has set up the log already."""
    log_records.install()
    root = logging.getLogger()
    if root.handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if settings.log_format == "json" else TextLines())
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("handrail").setLevel(settings.log_level.upper())
    for name in SERVERS:  # these would write past it, in a format of their own
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True


class TextLines(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        ids = " ".join(f"{name}={value}" for name in NAMES if (value := getattr(record, name, "")))
        return f"{super().formatMessage(record)} [{ids}]" if ids else super().formatMessage(record)


class JsonLines(logging.Formatter):
    """The fields stand in `docs/operating.md`; they are added to, never renamed."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name in NAMES if (value := getattr(record, name, ""))}
        for name, value in getattr(record, "fields", {}).items():
            line[name] = log_records.visible(value) if isinstance(value, str) else value
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = log_records.traceback(record)
        return json.dumps(line, ensure_ascii=False, default=str)
