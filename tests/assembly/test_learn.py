"""An approved article joins the index that is being served."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.assembly import Assistant
from handrail.cli.ingest import run
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from handrail.types import Question

pytestmark = [pytest.mark.models, pytest.mark.anyio]

QUESTION = "How can I pay for my plan by bank transfer?"
ARTICLE = f"""---
title: {QUESTION}
machine_made: false
---
Bank transfer is available for yearly plans.

1. Open **Billing** and choose **Payment method**.
2. Select **Bank transfer** and copy the account number shown there.
3. Send the amount of your plan with the reference shown.
"""


async def test_answers_come_from_it_at_once(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"storage": {"data_dir": tmp_path / "data"}, "suggest": {"enabled": False}, "knowledge": {"kb": "small"}}
    )
    first, learned = tmp_path / "first", tmp_path / "learned"
    first.mkdir()
    learned.mkdir()
    (first / "hours.md").write_text("# Set your opening hours\n\nOpen **Settings** and choose **Hours**.\n")
    run(settings, [Folder(first, settings.knowledge.url_base, 100_000)])
    assistant = Assistant(settings)
    await assistant.start()
    try:
        before = await assistant.ask(Question(QUESTION, "c1", "t1"))
        (learned / "transfer.md").write_text(ARTICLE)
        await assistant.learn(learned)
        after = await assistant.ask(Question(QUESTION, "c2", "t2"))
        titles = assistant.shelf().titles
    finally:
        await assistant.stop()

    assert not before.outcome.citations or before.outcome.citations[0].passage.article_id != "transfer"
    assert [citation.passage.article_id for citation in after.outcome.citations][:1] == ["transfer"]
    assert set(titles) == {"hours", "transfer"}
