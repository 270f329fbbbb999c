"""Prompts from Langfuse, the local files standing in whenever it has none or is away."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from handrail.errors import HandrailError
from handrail.llm.prompts import PromptSource, PromptText, parse_header
from handrail.observe.notice import Notice
from handrail.observe.registry import PromptRegistry

RETRY_S = 30.0
"""Seconds until Langfuse is asked again after it failed, if that is sooner than the regular refresh."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the last fetch left; `prompt` is None when the local file is to be used."""

    prompt: PromptText | None
    due: float


class LangfusePrompts:
    """A PromptSource that answers from memory and refreshes behind the caller's back.

    A prompt older than `ttl_s` is still returned once more while one background fetch per prompt gets the version
    labelled `label`. Until the first fetch is done, `local` answers. `clock` returns seconds, as `time.monotonic` does.
    """

    def __init__(
        self,
        registry: PromptRegistry,
        local: PromptSource,
        *,
        ttl_s: float,
        label: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._local = local
        self._ttl_s = ttl_s
        self._label = label
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, _Kept] = {}
        self._fetching: dict[str, threading.Thread] = {}
        self._missing: set[str] = set()
        self._troubled: set[str] = set()
        self._closed = False
        self._notice = Notice(logger, f"The prompt registry at {registry.host}")

    def text(self, name: str) -> PromptText:
        """Raises PromptError when neither Langfuse nor the local files have it."""
        kept = self._kept.get(name)
        if kept is None or self._clock() >= kept.due:
            self._refresh(name)
        return kept.prompt if kept and kept.prompt else self._local.text(name)

    def names(self) -> list[str]:
        """Those of the local files: what Langfuse holds besides is not Handrail's."""
        return self._local.names()

    def warm(self, timeout_s: float) -> None:
        """Fetch every prompt at once and wait up to `timeout_s`, so that the first turn uses Langfuse's versions."""
        deadline = time.monotonic() + timeout_s
        for fetch in [self._refresh(name) for name in self.names()]:
            if fetch is not None:
                fetch.join(max(0.0, deadline - time.monotonic()))

    def close(self) -> None:
        """Fetch no more. A fetch in flight ends by itself, at its own timeout, and closes the connections."""
        with self._lock:
            self._closed = True
            idle = not self._fetching
        if idle:
            self._registry.close()

    def _refresh(self, name: str) -> threading.Thread | None:
        """The fetch that is running now, started if there was none; None once closed."""
        with self._lock:
            running = self._fetching.get(name)
            if running is not None or self._closed:
                return running
            fetch = threading.Thread(target=self._fetch, args=(name,), name=f"handrail-prompt-{name}", daemon=True)
            self._fetching[name] = fetch
            fetch.start()
        return fetch

    def _fetch(self, name: str) -> None:
        before = self._kept.get(name)
        stale = before.prompt if before else None
        try:
            kept = _Kept(self._registered(name), self._clock() + self._ttl_s)
            self._note_trouble(name, None)
        except Exception as error:
            kept = _Kept(stale, self._clock() + min(self._ttl_s, RETRY_S))
            self._note_trouble(name, error)
        with self._lock:
            self._kept[name] = kept
            del self._fetching[name]
            last = self._closed and not self._fetching
        if last:
            self._registry.close()

    def _note_trouble(self, name: str, error: Exception | None) -> None:
        """One warning for all prompts, and one relief when the last of them is well again."""
        with self._lock:
            self._troubled = self._troubled | {name} if error else self._troubled - {name}
            well = not self._troubled
        if error is not None and not self._closed:
            reason = str(error) if isinstance(error, HandrailError) else type(error).__name__
            self._notice.failed(f"is not used: {reason}", "the last known prompts, else the local files, are used")
        elif well:
            self._notice.worked()

    def _registered(self, name: str) -> PromptText | None:
        found = self._registry.labelled(name, self._label)
        self._note_missing(name, found is None)
        if found is None:
            return None
        parse_header(name, found.text)
        return PromptText(found.text, str(found.version), "langfuse")

    def _note_missing(self, name: str, missing: bool) -> None:
        with self._lock:
            first = missing and not self._missing
            self._missing = self._missing | {name} if missing else self._missing - {name}
        if first:
            logger.warning(
                "%s has no version of prompt %r labelled %r; the local files are used instead. "
                "`handrail prompts push` registers them.",
                self._registry.host,
                name,
                self._label,
            )
