"""Rows of tables lead to their sections, and what a machine says of a figure weighs less than what people wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

import numpy as np
import pytest

from handrail.answer.piece import piece_of, share_of
from handrail.models.batching import Batcher
from handrail.retrieve.section_reader import SectionReader, reordered
from handrail.stores import snapshot as snapshots
from handrail.stores.snapshot import Snapshot
from handrail.text.markdown import figure
from handrail.types import Candidate, Hit, Kind
from tests.knowledge.articles import article, chunker
from tests.retrieve.section_reader import BY_LOGIT, Pair, WordOverlap

pytestmark = pytest.mark.anyio
FARES = "\n".join(("| Route | Fare |", "| --- | --- |", *(f"| Harbour {n} | {n} euros |" for n in range(1, 90))))


@pytest.fixture
def model() -> Iterator[Batcher[Pair, float]]:
    with closing(Batcher[Pair, float]("rerank", WordOverlap(), 64, 512)) as batcher:
        yield batcher


def held(*bodies: str) -> Snapshot:
    passages = [
        one
        for n, body in enumerate(bodies)
        for one in chunker().passages(article(body, id_=f"a{n}", title=f"Guide {n}"))
    ]
    return snapshots.build(passages, np.eye(len(passages), dtype=np.float32))


async def read(
    found: Snapshot, hits: Sequence[Hit], query: str, model: Batcher[Pair, float], weight: float
) -> list[Candidate]:
    reader = SectionReader(found, model, 10, 80, BY_LOGIT, figure_weight=weight)
    return await reader.read(query, hits, np.zeros(len(found.passages), dtype=np.float32))


async def test_a_figure_stays_below_text_that_says_the_same(model: Batcher[Pair, float]) -> None:
    found = held(figure("Sales in June were highest."), "Sales in June were highest.")
    hits = [Hit(one, fused=0.9, final=0.9) for one in found.passages]

    first, second = await read(found, hits, "june sales", model, 0.3)

    assert (first.section.figure, second.section.figure) == (False, True)
    assert second.probability == pytest.approx(0.3 * first.probability)
    (alike, _) = await read(found, hits, "june sales", model, 1.0)
    assert alike.probability == pytest.approx(first.probability)


async def test_a_row_leads_to_its_section_and_is_what_is_cited(model: Batcher[Pair, float]) -> None:
    found = held(f"## Fares\n\n{FARES}")
    row = next(one for one in found.passages if one.kind is Kind.ROW and "Harbour 7 " in one.text)
    whole = next(one for one in found.passages if one.kind is Kind.TEXT)
    hits = [Hit(row, fused=0.9, final=0.9), Hit(whole, fused=0.5, final=0.5)]

    (candidate,) = await read(found, hits, "fare harbour", model, 0.3)

    piece = piece_of(candidate, share_of("fare harbour", {}, "english"))
    assert piece.passage_id == row.id
    assert piece.markdown.count("| Harbour") == 89
    assert [hit.final for hit in reordered(hits, [candidate])] == [candidate.probability] * 2


async def test_a_table_found_as_a_whole_is_cited_as_a_whole(model: Batcher[Pair, float]) -> None:
    found = held(f"## Fares\n\n{FARES}")
    whole, *_, row = found.passages

    (candidate,) = await read(found, [Hit(whole, fused=0.9), Hit(row, fused=0.5)], "fare", model, 0.3)

    assert candidate.cited == whole.id
