"""The whole product, paused from the command line while it runs: no model is asked until it is resumed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from eval.benchmark import environment
from tests.load.streams import server
from tests.scripted_openai import Quotes, ScriptedOpenAI

pytestmark = [pytest.mark.slow, pytest.mark.models]


def test_no_model_is_asked_while_it_is_paused(sample_index: Path, tmp_path: Path, llm_provider: ScriptedOpenAI) -> None:
    llm_provider.script(Quotes(first_s=0.0, gap_s=0.0))
    database = f"sqlite:///{tmp_path}/records.db"
    with server(llm_provider.url, sample_index, DATABASE_URL=database, HANDRAIL__GENERATE__CRITIQUE="off") as (url, _):

        def asked() -> tuple[str, str | None]:
            body = {"question": "How do I set up a waitlist?", "conversation_id": uuid4().hex}
            found = httpx.post(f"{url}/ask", json=body, timeout=60).json()
            return found["routing"], found["refusal_reason"]

        def desk(what: str) -> None:
            values = {**environment(), "DATABASE_URL": database, "HANDRAIL__STORAGE__DATA_DIR": str(tmp_path)}
            subprocess.run([sys.executable, "-m", "handrail", "desk", what], env=values, check=True, timeout=120)

        desk("pause")
        paused, requests = [asked() for _ in range(3)], len(llm_provider.requests)
        desk("resume")
        resumed, after = asked(), len(llm_provider.requests)

    assert (paused, requests) == ([("unavailable", "paused")] * 3, 0)
    assert resumed[0] in ("answered", "partially_answered") and after > 0
