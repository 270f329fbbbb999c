"""What needs an extra says so, and what does not need it never loads it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from handrail import errors
from tests.torch_extra.python import python

INSTALL = f"needs an extra that is not installed: {sys.executable} -m pip install -e '{Path(__file__).parents[2]}"
"""What is printed in a clone; the extra follows."""

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
    assert done.stderr == f"error: models.embedder = 'st:acme/mini' {INSTALL}[torch]'\n"


@pytest.mark.parametrize(
    ("command", "absent", "named"),
    [
        ("retrieval", "ir_measures", "`handrail eval retrieval` (ir_measures)"),
        ("answers", "rouge_score", "`handrail eval answers` (rouge_score)"),
        ("retrieval", "datasets", "Loading WixQA from the Hub"),
    ],
)
def test_an_evaluation_names_the_extra_it_lacks_before_any_work(
    tmp_path: Path, command: str, absent: str, named: str
) -> None:
    environment = {"HANDRAIL__STORAGE__DATA_DIR": str(tmp_path / "data")}
    local = ["--data", str(tmp_path / "nothing")] if absent != "datasets" else []

    arguments = ("eval", command, "--dataset", "wixqa-expertwritten", "--runs", str(tmp_path / "runs"), *local)
    done = python(COMMAND, *arguments, absent={absent}, environment=environment)

    assert done.returncode == 1
    assert done.stderr == f"error: {named} {INSTALL}[eval]'\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "absent", "line"),
    [
        (
            RERANKER,
            "sentence_transformers",
            f"models.reranker = 'st:acme/reranker' {INSTALL}[torch]'",
        ),
        (
            ARTICLES,
            "datasets",
            f"Loading WixQA from the Hub {INSTALL}[eval]'",
        ),
    ],
    ids=["reranker", "dataset"],
)
def test_an_absent_extra_is_named_with_its_command(code: str, absent: str, line: str) -> None:
    assert python(code, absent={absent}).stdout == line + "\n"


def test_where_a_wheel_is_installed_the_extra_is_that_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "CLONE", tmp_path)

    assert str(errors.MissingExtra("This", "eval")).endswith(": pip install 'handrail[eval]'")


@pytest.mark.torch
def test_nothing_of_the_extras_is_imported_before_it_is_needed() -> None:
    extras = ("torch", "transformers", "sentence_transformers", "datasets", "sklearn", "pandas")

    done = python(IMPORT_ALL, *extras)

    assert done.stdout == "[]\n", done.stderr
