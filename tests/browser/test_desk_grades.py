"""Grading the sample of a day at the desk."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser import desk_reports
from tests.browser.desk import Desk


def answer(desk: Desk, question: str) -> Locator:
    return desk.page.locator(".graded .card").filter(has=desk.page.get_by_role("heading", name=question))


def give(desk: Desk, question: str, grade: int) -> None:
    answer(desk, question).get_by_role("button", name=str(grade), exact=True).click()


def test_an_answer_is_graded_with_one_click_and_the_judge_is_shown_afterwards(desk: Desk) -> None:
    desk.sign_in("#/reports")
    desk.page.get_by_role("link", name="Grade answers").click()
    first = answer(desk, "Question 1?")
    expect(first).to_contain_text("And how do I cancel it?")
    expect(first.get_by_role("link", name="Cancel or pause your plan")).to_be_visible()
    expect(first).not_to_contain_text("Judge")
    expect(answer(desk, "Question 3?")).to_have_count(0)
    for grade in (5, 2):
        give(desk, "Question 1?", grade)

    expect(first.get_by_role("button", pressed=True)).to_have_text("2")
    expect(first).to_contain_text("Judge: 2")
    expect(desk.page.get_by_text("29 answers, 2 graded by people, 1 by the judge.")).to_be_visible()
    assert desk.site.written("grades/turn-1") == [{"grade": 5}, {"grade": 2}]
    desk.page.get_by_label("Show", exact=True).select_option(label="Judged 1 or 2")
    expect(desk.page.locator(".graded .card")).to_have_count(1)


def test_a_wrong_answer_becomes_a_case_with_one_click(desk: Desk) -> None:
    desk.sign_in("#/grades")
    answer(desk, "Question 1?").get_by_role("button", name="Make “Question 1?” an evaluation case").click()
    expect(desk.notice).to_contain_text("Saved.")

    expect(answer(desk, "Question 1?")).to_contain_text("Evaluation case")
    assert desk.site.written("cases") == [
        {"format": "refusal", "turn_id": "turn-1", "should_refuse": True, "status": "proposed"}
    ]


def test_a_fall_is_said_and_nothing_visitors_wrote_becomes_markup(desk: Desk) -> None:
    desk.site.fall = desk_reports.FALL
    desk.sign_in("#/grades")
    expect(desk.page.get_by_role("alert")).to_contain_text("have fallen")

    hostile = answer(desk, desk_reports.HOSTILE)
    expect(hostile).to_be_visible()
    expect(hostile.locator("img, a[href^=javascript]")).to_have_count(0)
    assert desk.page.title() != "1"


def test_long_samples_come_in_parts_and_other_days_can_be_chosen(desk: Desk) -> None:
    desk.sign_in("#/grades")
    cards = desk.page.locator(".graded .card")
    expect(cards).to_have_count(20)
    desk.page.get_by_role("button", name="Show more").click()
    expect(cards).to_have_count(28)
    desk.page.get_by_label("Day").fill(desk_reports.DAYS[0])

    expect(desk.page.get_by_text("No answers to show.")).to_be_visible()


def test_a_grade_that_is_not_kept_says_so(desk: Desk) -> None:
    desk.sign_in("#/grades")
    expect(answer(desk, "Question 1?")).to_be_visible()
    desk.site.refuse["grades/turn-1"] = 503
    give(desk, "Question 1?", 4)

    expect(desk.notice).not_to_be_empty()
    expect(answer(desk, "Question 1?").get_by_role("button", pressed=True)).to_have_count(0)
