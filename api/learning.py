"""What reports and learning need, made once per process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Request

from api.errors import AWAY_RETRY_S, ApiError
from handrail.desk.learning.doubts import Doubts
from handrail.desk.learning.library import Library
from handrail.desk.learning.publish import FOLDER
from handrail.desk.learning.service import Gaps
from handrail.desk.reports.forecast import Budget, budget_of
from handrail.knowledge.uploads.files import UploadFiles
from handrail.records.answers import AnswerRecords
from handrail.records.database import Database
from handrail.records.facts import FactRecords
from handrail.records.gradings import GradingRecords
from handrail.records.learning import LearningRecords
from handrail.records.reports import ReportRecords
from handrail.settings import Settings

DRAW_EVERY_S = 5.0


@dataclass
class LearningServices:
    reports: ReportRecords
    records: LearningRecords
    answers: AnswerRecords
    facts: FactRecords
    gradings: GradingRecords
    daily: int
    """Answers a day that are graded."""
    kb: str
    zone: str
    budget: Budget | None
    folder: Path
    """Where approved articles go."""
    clock: Callable[[], float]
    library: Library | None
    uploads: UploadFiles
    publishing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Files are approved, restored and removed one after the other."""
    _gaps: Gaps | None = None
    _doubts: Doubts | None = None
    _drawn_at: float = float("-inf")
    _drawing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def draw_facts(self) -> None:
        """Figures of new turns, at most every few seconds."""
        async with self._drawing:  # whoever comes meanwhile waits for them, rather than to count without
            now = self.clock()
            if now - self._drawn_at >= DRAW_EVERY_S or now < self._drawn_at:
                await self.facts.draw()
                self._drawn_at = now

    @property
    def books(self) -> Library:
        """Raises 503 for an assistant without local models."""
        if self.library is None:
            raise ApiError(
                503, "unavailable", "The local models aren't available. Try again later.", retry_after_s=AWAY_RETRY_S
            )
        return self.library

    @property
    def gaps(self) -> Gaps:
        if self._gaps is None:
            self._gaps = Gaps(self.records, self.books, self.clock)
        return self._gaps

    @property
    def doubts(self) -> Doubts:
        if self._doubts is None:
            self._doubts = Doubts(self.answers, self.books)
        return self._doubts


def build_learning(
    settings: Settings, database: Database, tenant: str, assistant: Any, clock: Callable[[], float]
) -> LearningServices:
    own = settings.storage.data_dir / "kb" / settings.knowledge.kb
    return LearningServices(
        reports=ReportRecords(database, tenant),
        records=LearningRecords(database, tenant),
        answers=AnswerRecords(database, tenant),
        facts=FactRecords(database, tenant),
        gradings=GradingRecords(database, tenant),
        daily=settings.drift.daily,
        kb=settings.knowledge.kb,
        zone=settings.hours.timezone,
        budget=budget_of(settings),
        folder=own / FOLDER,
        clock=clock,
        library=assistant if isinstance(assistant, Library) else None,
        uploads=UploadFiles(
            own, own / FOLDER, settings.knowledge.url_base.rstrip("/"), settings.knowledge.max_article_bytes
        ),
    )


def _learning(request: Request) -> LearningServices:
    services: LearningServices = request.app.state.learning
    return services


Learning = Annotated[LearningServices, Depends(_learning)]
