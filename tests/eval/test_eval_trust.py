"""Switches of trust, measured over a few pages by the product's own search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import trust
from handrail.errors import PermanentError
from tests.sample import sample_settings

PAGES = {
    "refunds": "title: Refunds",
    "refunds-2021": "title: Refunds\ndeprecated: true",
    "parcels": "title: Parcels\nnext: tracking.md",
    "tracking": "title: Tracking",
}
SAID = {
    "refunds": "A refund reaches your account within five working days.",
    "refunds-2021": "A refund reaches your account within nine working days.",
    "parcels": "A parcel weighs up to 20 kg. Book it before noon.",
    "tracking": "Follow your parcel with the number on the label.",
}
ROWS = [
    {"question": "when is my refund there", "article_ids": ["refunds"], "not": ["refunds-2021"], "about": "outdated"},
    {"question": "how heavy may a parcel be", "article_ids": ["parcels"], "related": ["tracking"], "about": "related"},
]


def rows(folder: Path, *given: object) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in given), encoding="utf-8")
    return path


@pytest.mark.models
def test_a_switch_is_measured_over_the_rows_about_it_and_over_all_others(tmp_path: Path) -> None:
    articles = tmp_path / "articles"
    articles.mkdir()
    for name, front in PAGES.items():
        (articles / f"{name}.md").write_text(f"---\n{front}\n---\n{SAID[name]}\n", encoding="utf-8")

    lines = trust.measure(sample_settings(tmp_path / "var"), articles, rows(tmp_path, *ROWS))

    found = {(line.switch, line.rows): line for line in lines}
    outdated = found["outdated", "about it"]
    assert (outdated.n, outdated.on, outdated.wrong_on) == (1, 1.0, 0.0)
    assert found["outdated", "others"].on == found["outdated", "others"].off == 1.0
    assert found["related", "named beside it"].on == 1.0
    assert not any(switch == "canonical" for switch, _ in found)
    assert "| outdated | about it | 1 | 1.000 |" in trust.as_markdown(lines)


@pytest.mark.parametrize("row", [{"question": "when"}, {"article_ids": ["a"]}, {"question": "x", "article_ids": 7}])
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: object) -> None:
    with pytest.raises(PermanentError, match="line 1"):
        list(trust._rows(rows(tmp_path, row)))
