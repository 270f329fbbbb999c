"""What counts as a target that was met."""

from __future__ import annotations

from tests.load.streams import Figures
from tests.load.targets import Row, at_most, flat, none_of, table


def test_a_target_is_met_only_by_what_was_measured() -> None:
    assert at_most("first event", 149.0, 150, "ms").met
    assert not at_most("first event", 151.0, 150, "ms").met
    assert not at_most("first event", None, 150, "ms").met
    assert none_of("errors", [], 10).met
    assert not none_of("errors", ["HTTP 503"], 10).met
    assert not none_of("errors", [], 0).met
    assert flat("memory", Figures(rss_mb=[500.0, 900, 900, 900])).met
    assert not flat("memory", Figures(rss_mb=[500.0, 900, 900, 1200])).met
    assert not flat("memory", Figures()).met


def test_the_table_says_met_missed_or_nothing() -> None:
    rows = [Row("a", "0", "0", True), Row("b", "0", "1", False), Row("c", "", "5")]

    assert [line.split("|")[-2].strip() for line in table(rows).splitlines()[2:]] == ["met", "missed", ""]
