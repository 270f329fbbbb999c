"""A small knowledge base of real articles, indexed once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from handrail.cli.eval import app
from handrail.cli.ingest import run, sample_folder
from handrail.knowledge.folder import Folder
from handrail.settings import Settings, load_settings
from tests.eval.files import write_lines

ARTICLES = (
    "account/reset-your-password.md",
    "billing/refunds-for-your-plan.md",
    "domains/connect-by-dns-records.md",
    "store/gift-cards.md",
)
CONFIG = Path(__file__).parents[2] / "config.toml"

Evaluate = Callable[..., Result]


@pytest.fixture(scope="session")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("articles")
    for name in ARTICLES:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(sample_folder() / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, articles: Path) -> Settings:
    """Settings with the knowledge base `small`, indexed."""
    data = tmp_path_factory.mktemp("data")
    settings = load_settings(CONFIG, {"HANDRAIL__STORAGE__DATA_DIR": str(data), "HANDRAIL__KNOWLEDGE__KB": "small"})
    run(settings, [Folder(articles, settings.knowledge.url_base, settings.knowledge.max_article_bytes)])
    return settings


@pytest.fixture
def configured(small: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The environment of this process leads to the small knowledge base, and to no provider."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGFUSE_PUBLIC_KEY", "CHROMA_URL"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("HANDRAIL_CONFIG", str(CONFIG))
    monkeypatch.setenv("HANDRAIL__STORAGE__DATA_DIR", str(small.storage.data_dir))
    return small


@pytest.fixture
def evaluate(configured: Settings, tmp_path: Path) -> Iterator[Evaluate]:
    """`handrail eval COMMAND …` over the small knowledge base and the rows given."""

    def invoke(command: str, rows: Sequence[dict[str, Any] | str], *options: str) -> Result:
        path = write_lines(tmp_path / "rows.jsonl", rows)
        where = ["--kb", configured.knowledge.kb, "--file", str(path), "--runs", str(tmp_path / "runs")]
        return CliRunner().invoke(app, [command, *where, *options])

    yield invoke
