"""Only processors whose sums of bytes overflow are asked for the slower way."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.models.processor import overflows


def cpuinfo(folder: Path, flags: str) -> Path:
    path = folder / "cpuinfo"
    path.write_text(f"processor\t: 0\nmodel name\t: A processor\nflags\t\t: {flags}\nbugs\t\t:\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("machine", "flags", "expected"),
    [
        ("x86_64", "fpu sse avx2", True),
        ("x86_64", "fpu avx2 avx_vnni", False),
        ("AMD64", "fpu avx512f avx512_vnni", False),
        ("aarch64", "fpu sse avx2", False),
    ],
)
def test_it_is_told_by_its_flags(tmp_path: Path, machine: str, flags: str, *, expected: bool) -> None:
    assert overflows(cpuinfo(tmp_path, flags), machine) is expected


def test_a_system_that_tells_nothing_is_taken_to_be_able(tmp_path: Path) -> None:
    arm = tmp_path / "arm"
    arm.write_text("processor\t: 0\nFeatures\t: fp asimd\n", encoding="utf-8")

    assert overflows(tmp_path / "nothing", "x86_64") is False
    assert overflows(arm, "x86_64") is False
