"""An index made by an earlier version: the log says what may still be in it, and nothing derived from it is used."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.answer.suggest.kept import FILE
from handrail.assembly import Parts, build_parts, current_index, kb_folder
from handrail.assembly.suggesting import _made_for, build_suggester
from handrail.settings import Settings
from handrail.turn.wording import load_wording
from tests.sample import sample_settings

pytestmark = pytest.mark.models


@pytest.fixture
def old(sample_index: Path, tmp_path: Path) -> Settings:
    """Its pages were read before drafts and hidden pages were left out."""
    settings = sample_settings(Path(shutil.copytree(sample_index, tmp_path / "var")), MODELS__LATE="none")
    with current_index(settings) as store:
        store.finish(store.generation, 0)
    return settings


@pytest.fixture
def parts(old: Settings, caplog: pytest.LogCaptureFixture) -> Iterator[Parts]:
    with caplog.at_level(logging.WARNING):
        made = build_parts(old)
    yield made
    made.close()


def test_it_is_served_and_the_log_says_what_to_run(parts: Parts, caplog: pytest.LogCaptureFixture) -> None:
    assert parts.snapshot.articles
    assert [record.name for record in caplog.get_records("setup") if "handrail ingest" in record.getMessage()]


def test_questions_that_were_checked_when_all_was_public_are_not_offered(old: Settings, parts: Parts) -> None:
    row = {"text": "How do I give a goodwill refund?", "passages": ["goodwill/0"], "title": True}
    _, _, rest = _made_for(old, parts).partition(":")
    kept = {"made_for": f"1:{rest}", "articles": {parts.snapshot.articles[0]: [row]}}
    (kb_folder(old, old.knowledge.kb) / FILE).write_text(json.dumps(kept))

    suggester = build_suggester(old, parts, load_wording("Tillwick"))

    assert suggester is not None
    assert suggester.known() == {}
