"""What needs an extra says so, and what does not need it never loads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.torch_extra.python import python

COMMAND = "from handrail.cli.app import main; main()"

RERANKER = """
from handrail.errors import MissingExtra
from handrail.models.sentence_transformer import SentenceTransformerReranker
try:
    SentenceTransformerReranker("acme/reranker", batch_size=4, max_tokens=64)
except MissingExtra as error:
    print(error)
"""

ARTICLES = """
from handrail.errors import MissingExtra
from handrail.knowledge.wixqa import WixQA
try:
    list(WixQA(None).articles())
except MissingExtra as error:
    print(error)
"""

IMPORT_ALL = """
import importlib, pkgutil, api, handrail
for package in (handrail, api):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if ".migrations." not in module.name:
            importlib.import_module(module.name)
print(sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
"""


def test_a_question_without_the_torch_extra_ends_in_one_line(tmp_path: Path) -> None:
    environment = {"HANDRAIL__MODELS__EMBEDDER": "st:acme/mini", "HANDRAIL__STORAGE__DATA_DIR": str(tmp_path)}

    done = python(COMMAND, "ask", "How?", absent={"torch", "sentence_transformers"}, environment=environment)

    assert done.returncode == 1
    assert done.stderr == (
        "error: models.embedder = 'st:acme/mini' needs an extra that is not installed: pip install 'handrail[torch]'\n"
    )


@pytest.mark.parametrize(
    ("code", "absent", "line"),
    [
        (
            RERANKER,
            "sentence_transformers",
            "models.reranker = 'st:acme/reranker' needs an extra that is not installed: pip install 'handrail[torch]'",
        ),
        (
            ARTICLES,
            "datasets",
            "Loading WixQA from the Hub needs an extra that is not installed: pip install 'handrail[eval]'",
        ),
    ],
    ids=["reranker", "dataset"],
)
def test_an_absent_extra_is_named_with_its_command(code: str, absent: str, line: str) -> None:
    assert python(code, absent={absent}).stdout == line + "\n"


@pytest.mark.torch
def test_nothing_of_the_extras_is_imported_before_it_is_needed() -> None:
    extras = ("torch", "transformers", "sentence_transformers", "datasets", "sklearn", "pandas")

    done = python(IMPORT_ALL, *extras)

    assert done.stdout == "[]\n", done.stderr
