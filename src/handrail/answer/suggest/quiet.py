"""Questions to go on with: chosen from what was checked before, and checked while nobody is waiting for an answer."""

from __future__ import annotations

import asyncio
import math
import re
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from handrail.answer.suggest import Checked
from handrail.answer.suggest.candidates import Candidate, alike, candidates, neighbours
from handrail.answer.suggest.kept import Kept
from handrail.errors import RetryableError
from handrail.models.line import nobody_waits
from handrail.settings import Suggest
from handrail.stores.snapshot import Snapshot
from handrail.types import Citation, Question

Check = Callable[[str], Awaitable[Sequence[Citation] | None]]
"""The citations of a full answer to a question; None when there is none. Raises RetryableError when it cannot tell."""

OFFERED = 3
TRIED = 7
"""Questions of one article that are checked, its title included."""
NEAR = 3
"""Neighbouring articles whose titles are asked about."""
DRAFTED = 3
WAITING = 64
REMEMBERED = 500
DRAFTED_S = 1.0
"""Seconds that checking the suggestions of one draft may take."""
PAUSE = 4
"""Pause after a check beside turns, in times of what it took: a fifth of the time."""
TRIES = 3
"""Of a question while the models are too busy to tell whether it is answered."""
STEPS = re.compile(r"^\s*\d+\. ", re.MULTILINE)
"""A cited passage with steps has shown how to do what its article's title is about."""
MOST_OWN = 2
"""Questions about the answer's own article where its neighbours have some too."""


class QuietSuggester:
    """A Suggester whose checks run one by one, at once when no turn has been under way for `quiet_s` seconds.

    On a busy server they take a bounded share of the time, so that its visitors are offered something, too.
    """

    def __init__(
        self, snapshot: Snapshot, kept: Kept, check: Check, settings: Suggest, clock: Callable[[], float]
    ) -> None:
        """`clock` returns seconds."""
        self._snapshot = snapshot
        self._kept = kept
        self._check = check
        self._settings = settings
        self._clock = clock
        self._wanted: deque[str] = deque(maxlen=WAITING)
        self._news = asyncio.Event()
        self._under_way = 0
        self._last_end = -math.inf
        self._next_at = clock() + settings.quiet_s
        """When the next check may run beside turns."""
        self._drafted: OrderedDict[str, bool] = OrderedDict()
        self._titles: dict[str, tuple[Checked, ...]] = {}
        """Articles whose title alone has been tried so far."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Meanwhile, and right after, little is checked."""
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            self._last_end = self._clock()

    def after(self, question: Question, citations: Sequence[Citation], drafted: Sequence[str] = ()) -> Sequence[str]:
        cited = list(dict.fromkeys(citation.passage.article_id for citation in citations))[:2]
        if not cited:
            return ()
        near = [other for other in neighbours(self._snapshot, cited[0], NEAR) if other not in cited]
        self._want([*cited, *near])
        said = {citation.passage.id for citation in citations}
        heard = [question.text, *(text for past in question.history for text in (past.question, past.standalone))]
        shown = {citation.passage.article_id for citation in citations if STEPS.search(citation.passage.text)}
        own = [
            row
            for article in cited
            for row in self._found(article)
            if not said & set(row.passages) and not (row.title and article in shown)
        ]
        beside = [row for article in near for row in self._found(article) if row.title]
        chosen: list[str] = []
        for text in [*drafted, *_mixed(own, beside)]:
            if not any(alike(text, other) for other in [*heard, *chosen]):
                chosen.append(text)
        return tuple(chosen[:OFFERED])

    async def answerable(self, drafted: Sequence[str]) -> Sequence[str]:
        try:
            async with asyncio.timeout(DRAFTED_S):
                found = await asyncio.gather(*(self._holds(text) for text in drafted[:DRAFTED]))
        except TimeoutError:
            return ()
        return [text for text, holds in zip(drafted, found, strict=False) if holds]

    def known(self) -> Mapping[str, Sequence[Checked]]:
        """What is kept, by article; reads the disk."""
        self._kept.read()
        return self._kept.articles

    async def make(self, article: str) -> Sequence[Checked]:
        """Check an article's questions now, and keep those that are answered from it."""
        tried = candidates(self._snapshot, article, TRIED)
        early = self._titles.get(article)
        found = list(early or ())
        for candidate in tried:
            if early is None or not candidate.title:
                found += await self._tried(candidate, article)
        await asyncio.to_thread(self._kept.keep, article, found)
        self._titles.pop(article, None)
        return found

    async def run(self) -> None:
        """Check what turns have asked for, and in the end every article of a small knowledge base; until cancelled.

        All titles come first: with them there is something to offer after most answers, soon after a start.
        """
        await asyncio.to_thread(self._kept.read)
        ahead = self._snapshot.articles[: self._settings.ahead]
        titles, rest = iter(ahead), iter(ahead)
        while True:
            if self._wanted:
                await self._make_wanted(self._wanted.popleft())
            elif (article := next(titles, None)) is not None:
                await self._make_title(article)
            elif (article := next(rest, None)) is not None:
                await self._make_once(article)
            else:
                self._news.clear()
                await self._news.wait()

    async def _make_wanted(self, article: str) -> None:
        """The titles of all that are wanted come before the rest of any."""
        if article in self._titles:
            await self._make_once(article)
        elif article not in self._kept.articles:
            await self._make_title(article)
            self._wanted.append(article)

    async def _make_once(self, article: str) -> None:
        if article not in self._kept.articles:
            await self.make(article)

    async def _make_title(self, article: str) -> None:
        if article not in self._kept.articles and article not in self._titles:
            title = [one for one in candidates(self._snapshot, article, 1) if one.title]
            self._titles[article] = tuple([row for one in title for row in await self._tried(one, article)])

    async def _tried(self, candidate: Candidate, article: str) -> list[Checked]:
        """The candidate, where it is answered from its article, once there is time to find out."""
        for left in reversed(range(TRIES)):
            await self._quiet()
            start = self._clock()
            try:
                with nobody_waits():
                    citations = await self._check(candidate.text)
                break
            except RetryableError:
                if not left:
                    return []
                await asyncio.sleep(self._settings.quiet_s)
        self._next_at = self._clock() + (self._clock() - start) * PAUSE
        if not citations or citations[0].passage.article_id != article:
            return []
        passages = tuple(dict.fromkeys(citation.passage.id for citation in citations))
        return [Checked(candidate.text, passages, candidate.title)]

    def _found(self, article: str) -> Sequence[Checked]:
        return self._kept.articles.get(article) or self._titles.get(article, ())

    def _want(self, articles: Sequence[str]) -> None:
        missing = [article for article in articles if article not in self._kept.articles]
        self._wanted.extend(article for article in missing if article not in self._wanted)
        if missing:
            self._news.set()

    async def _quiet(self) -> None:
        quiet_s = self._settings.quiet_s
        while quiet_s and self._clock() < self._next_at:
            if not self._under_way and self._clock() - self._last_end >= quiet_s:
                return
            await asyncio.sleep(quiet_s / 20)

    async def _holds(self, text: str) -> bool:
        if text not in self._drafted:
            try:
                self._drafted[text] = bool(await self._check(text))
            except RetryableError:
                return False
            while len(self._drafted) > REMEMBERED:
                self._drafted.popitem(last=False)
        return self._drafted[text]


def _mixed(own: Sequence[Checked], beside: Sequence[Checked]) -> list[str]:
    """The article's own questions first, but not only those."""
    rows = [*own[:MOST_OWN], *beside[:1], *own[MOST_OWN:], *beside[1:]]
    return [row.text for row in rows]
