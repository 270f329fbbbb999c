"""Says once that a service is away, and once that it is back."""

from __future__ import annotations

import logging
import threading


class Notice:
    """Thread-safe. `service` reads as the subject of a sentence, such as "Langfuse at https://…"."""

    def __init__(self, logger: logging.Logger, service: str) -> None:
        self._logger = logger
        self._service = service
        self._lock = threading.Lock()
        self._away = False

    def failed(self, problem: str, consequence: str) -> None:
        with self._lock:
            first, self._away = not self._away, True
        if first:
            self._logger.warning("%s %s; %s. Not said again until it recovers.", self._service, problem, consequence)

    def worked(self) -> None:
        with self._lock:
            back, self._away = self._away, False
        if back:
            self._logger.info("%s works again.", self._service)
