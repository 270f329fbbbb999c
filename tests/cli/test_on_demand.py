"""A command loads what it needs, and no other command's files."""

from __future__ import annotations

import subprocess
import sys

import pytest

LARGE = {"chromadb", "sqlalchemy", "onnxruntime", "pydantic_ai", "openai", "fastapi"}
"""Libraries that take longest to load."""


@pytest.mark.parametrize("arguments", [["config"], ["ask", "--help"], ["eval", "--help"], ["models", "--help"]])
def test_large_libraries_wait_for_a_command_that_needs_them(arguments: list[str]) -> None:
    program = f"""
import sys
from handrail.cli.app import app
app({arguments}, standalone_mode=False)
print(*sorted({LARGE} & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)

    assert done.stdout
    assert done.stderr.split() == []
