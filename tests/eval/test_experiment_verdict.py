"""When B counts as better, no worse, worse, or neither."""

from __future__ import annotations

import numpy as np
import pytest

from eval.compare import compare
from eval.experiment.verdict import ROWS, Verdict, figures, overall, verdict
from eval.metrics.paired import Paired, paired
from tests.eval.runs_of import a_run, held


def of(a: str, b: str) -> Paired:
    """Yes-or-no rows, one character each."""
    return paired(*(np.asarray([float(bit) for bit in bits]) for bits in (a, b)))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("0" * 12, "1" * 12, Verdict.BETTER),
        ("1" * 12, "0" * 12, Verdict.WORSE),
        ("1" * 200, "1" * 199 + "0", Verdict.NO_WORSE),
        ("10" * 10, "01" * 10, Verdict.CANT_TELL),
        ("000", "111", Verdict.CANT_TELL),
        ("1", "0", Verdict.CANT_TELL),
    ],
)
def test_a_figure_is_told_by_its_interval(a: str, b: str, expected: Verdict) -> None:
    assert verdict("correct", of(a, b)) is expected


def test_less_is_better_where_a_figure_counts_harm() -> None:
    assert verdict("false_refusal", of("1" * 12, "0" * 12)) is Verdict.BETTER
    assert verdict("false_refusal", of("0" * 12, "1" * 12)) is Verdict.WORSE


def test_rows_that_are_all_alike_show_nothing_until_there_are_enough_of_them() -> None:
    few, enough = "1" * (ROWS - 1), "1" * ROWS

    assert verdict("correct", of(few, few)) is Verdict.CANT_TELL
    assert verdict("correct", of(enough, enough)) is Verdict.NO_WORSE


def test_one_more_attack_that_is_obeyed_is_never_no_worse() -> None:
    a, b = "0" * 400, "0" * 399 + "1"

    assert verdict("false_answer", of(a, b)) is Verdict.NO_WORSE
    assert verdict("succeeded", of(a, b)) is Verdict.CANT_TELL


def test_a_scale_that_is_not_from_0_to_1_has_a_margin_of_its_own() -> None:
    a = np.asarray([5.0, 4.0] * 100)

    assert verdict("faithfulness", paired(a, a - 0.1 * (np.arange(200) % 2))) is Verdict.WORSE
    noisy = paired(a, a + np.where(np.arange(200) % 2, 0.5, -0.5))
    assert verdict("faithfulness", noisy) is Verdict.NO_WORSE
    assert verdict("statements", noisy) is Verdict.CANT_TELL


def test_the_worst_deciding_figure_counts() -> None:
    known = {
        "good": of("0" * 12, "1" * 12),
        "bad": of("1" * 12, "0" * 12),
        "open": of("000", "111"),
        "same": of("1" * ROWS, "1" * ROWS),
    }

    assert overall(["good", "bad", "open"], known) is Verdict.WORSE
    assert overall(["good", "open"], known) is Verdict.CANT_TELL
    assert overall(["good", "same"], known) is Verdict.BETTER
    assert overall(["same"], known) is Verdict.NO_WORSE
    assert overall(["never measured"], known) is Verdict.CANT_TELL


def test_turns_of_one_talk_are_drawn_together() -> None:
    def turns(right: bool, talk: int) -> list[dict[str, object]]:
        return [
            {"id": f"t{talk}/{n}", "line": talk * 1000 + n, "verdict": "right", "right_or_refused": right}
            for n in range(1, 21)
        ]

    a = [row for talk in (1, 2) for row in turns(True, talk)]
    b = [*turns(True, 1), *turns(False, 2)]
    one, other = (held(a_run(name, rows, "talks")) for name, rows in (("a", a), ("b", b)))
    compared = compare(one, other)

    alone, together = compared.metrics["right_or_refused"], figures(compared, a, b)["right_or_refused"]

    assert alone.interval is not None and alone.interval[0] > -0.7
    assert together.interval == (-1.0, 0.0)
