"""The fitted files are as `bundle.toml` says, within their bound, and each is on the card."""

from __future__ import annotations

import shutil
from pathlib import Path

from handrail.models import bundled
from handrail.models.bundled import UNLISTED, bundle

MOST_BYTES = 30_000_000
FOLDER = Path(str(bundled.folder()))


def test_what_ships_is_what_is_listed() -> None:
    assert bundle().changed == [], "run `python -m training.bundle` after a fit, and update CARD.md"


def test_all_of_it_is_small_and_on_the_card() -> None:
    card = (FOLDER / "CARD.md").read_text(encoding="utf-8")

    assert sum(one.stat().st_size for one in FOLDER.iterdir()) < MOST_BYTES
    assert [name for name in bundle().sha256 if f"`{name}`" not in card] == []


def test_a_file_that_was_edited_lost_or_added_is_named(tmp_path: Path) -> None:
    mine = tmp_path / "bundle"
    shutil.copytree(FOLDER, mine)
    (mine / "answers.json").write_text("{}", encoding="utf-8")
    (mine / "abroad.npz").unlink()
    (mine / "mine.json").write_text("{}", encoding="utf-8")

    assert bundle(mine).changed == ["abroad.npz", "answers.json", "mine.json"]
    assert UNLISTED.isdisjoint(bundle(mine).changed)
