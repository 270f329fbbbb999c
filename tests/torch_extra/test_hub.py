"""Models and articles by their Hub names; the Hub itself is away, or stands in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.torch_extra.python import NO_HUB, python

pytestmark = pytest.mark.torch

EMBED = """
from handrail.errors import HandrailError
from handrail.models.sentence_transformer import SentenceTransformerEmbedder
try:
    print(SentenceTransformerEmbedder(sys.argv[1], batch_size=4, max_tokens=64).embed_queries(["refund"]).shape)
except HandrailError as error:
    print(type(error).__name__, error)
"""

TIMED = """
import time
import {}  # what a busy machine takes to read it is not waiting
start = time.monotonic()
{}
print(time.monotonic() - start)
"""

ARTICLES = """
from handrail.errors import HandrailError
from handrail.knowledge.wixqa import WixQA
try:
    for item in WixQA(None, *sys.argv[1:]).articles():
        print(item)
except HandrailError as error:
    print(type(error).__name__, error)
"""

ROWS = [
    {"id": "3e1a", "url": "https://support.example/a", "title": "Pages", "contents": "Click Add.", "article_type": "x"},
    {"id": "3e1b", "url": "https://support.example/b", "title": "Empty", "contents": "", "article_type": "x"},
]


def test_an_unknown_model_is_refused_within_seconds_when_the_hub_is_away(tmp_path: Path) -> None:
    done = python(
        TIMED.format("sentence_transformers", EMBED), "acme/unknown", environment={**NO_HUB, "HF_HOME": str(tmp_path)}
    )

    said, waited_s = done.stdout.splitlines()
    assert said.startswith("ModelUnavailable models.embedder = 'st:acme/unknown' could not be loaded: ")
    assert float(waited_s) < 40, "it goes on asking a Hub that is away"


def test_a_model_fetched_before_is_used_when_the_hub_is_away(bi_encoder: Path, tmp_path: Path) -> None:
    cached = tmp_path / "hub" / "models--acme--mini"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text("0" * 40)
    (cached / "snapshots").mkdir()
    (cached / "snapshots" / ("0" * 40)).symlink_to(bi_encoder)

    done = python(EMBED, "acme/mini", environment={**NO_HUB, "HF_HOME": str(tmp_path)})

    assert done.stdout == "(1, 384)\n", done.stderr


@pytest.mark.parametrize(
    ("environment", "why"),
    [(NO_HUB, "HF_HUB_OFFLINE=1"), ({"HF_HUB_OFFLINE": "1"}, "ConnectionError")],
    ids=["away", "offline mode"],
)
def test_without_the_hub_the_local_copy_is_advised_within_seconds(
    tmp_path: Path, environment: dict[str, str], why: str
) -> None:
    done = python(TIMED.format("datasets", ARTICLES), environment={**environment, "HF_HOME": str(tmp_path)})

    line, waited_s = done.stdout.splitlines()
    assert line.startswith("KnowledgeError Wix/WixQA could not be loaded from the Hub (")
    assert why in line
    assert "Give a local copy instead: handrail ingest --wixqa FOLDER" in line
    assert float(waited_s) < 20, "it goes on asking a Hub that is away"


def test_rows_of_the_dataset_are_articles(tmp_path: Path) -> None:
    dataset = tmp_path / "mirror"
    dataset.mkdir()
    (dataset / "kb.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    (dataset / "README.md").write_text(
        "---\nconfigs:\n- config_name: wix_kb_corpus\n  data_files: kb.jsonl\n---\n", encoding="utf-8"
    )

    done = python(ARTICLES, str(dataset), environment={**NO_HUB, "HF_HOME": str(tmp_path / "home")})

    article, rejected = done.stdout.splitlines()
    assert article.startswith("Article(id='3e1a', title='Pages', body='Click Add.', url='https://support.example/a'")
    assert rejected == f"Rejected(where='{dataset} row 1', why='missing contents')"
