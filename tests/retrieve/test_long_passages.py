"""A question over an article with one huge block costs no more than the block is long, and never holds the loop."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from handrail.models.batching import Batcher
from handrail.retrieve.hybrid import HybridRetriever
from handrail.settings import Retrieval
from handrail.stores import snapshot as snapshots
from handrail.types import Hit, Label
from tests.knowledge.articles import Given, HashedWords, Index, article
from tests.retrieve.section_reader import WordOverlap, reader
from tests.stages import ask, label, passage, quotes

pytestmark = pytest.mark.anyio

QUESTION = "Which value does the call for order 17 take?"


def code(size: int) -> str:
    lines = (f"    value_{n} = call({n}, 'order')  # refund {n}" for n in range(size // 45))
    return "How the script is called:\n\n```python\n" + "\n".join(lines) + "\n```"


async def costs(folder: Path, size: int) -> tuple[float, float]:
    """CPU seconds of this process for an ingest of one article, and for a question about it."""
    index = Index(folder)
    start = time.process_time()
    index.run(Given(article(code(size))))
    ingested = time.process_time() - start
    embed, score = Batcher("embed", HashedWords(), 64, 4096), Batcher("rerank", WordOverlap(), 64, 4096)
    with ExitStack() as stack:
        stack.callback(embed.close)
        stack.callback(score.close)
        chosen = Retrieval()
        held = snapshots.build(*index.store.dump())
        reads = reader(held, score, chosen.rerank_depth)
        retriever = HybridRetriever(held, index.store.search, embed, reads, chosen, None)
        asked = []
        for _ in range(3):
            start = time.process_time()
            evidence = await retriever.retrieve(QUESTION, {})
            await quotes().answer(ask(QUESTION), label(Label.ANSWERABLE), evidence)
            asked.append(time.process_time() - start)
    assert evidence.hits
    return ingested, min(asked)


async def test_ingest_and_question_grow_no_faster_than_the_article(tmp_path: Path) -> None:
    """With the square they would take sixteen times as long on four times the text."""
    await costs(tmp_path / "warm", 5_000)
    quarter, whole = await costs(tmp_path / "quarter", 63_000), await costs(tmp_path / "whole", 252_000)

    assert whole[0] / quarter[0] < 8
    assert whole[1] / quarter[1] < 8


class Waiting(str):
    """A question that is not read on before the event loop has answered somebody else."""

    answered: threading.Event
    reading: threading.Event

    def lower(self) -> str:
        self.reading.set()
        assert self.answered.wait(3), "the event loop was held up"
        return super().lower()


async def test_others_are_answered_while_passages_are_read() -> None:
    question = Waiting(QUESTION)
    question.answered, question.reading = threading.Event(), threading.Event()
    score: Batcher[tuple[str, str], float] = Batcher("read", lambda pairs: [0.0 for _ in pairs], 64, 512)
    held = [passage(f"guide/{n}", code(1000), headings=(f"Part {n}",)) for n in range(5)]
    index = snapshots.build(held, np.eye(5, dtype=np.float32))
    hits = [Hit(one, final=0.9) for one in held]

    reading = asyncio.create_task(reader(index, score).read(question, hits, np.zeros(5, dtype=np.float32)))
    assert await asyncio.to_thread(question.reading.wait, 30)
    question.answered.set()

    assert len(await reading) == 5
    score.close()
