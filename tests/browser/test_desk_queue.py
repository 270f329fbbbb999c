"""The queue: a thousand conversations, filters, live changes and the number in the title."""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.desk_records import AYLA, MIRA
from tests.browser.waiting import eventually

MANY = 1000


@pytest.fixture
def crowded(desk: Desk) -> Desk:
    began = time.time() - 5000
    for place in range(MANY):
        desk.site.add(f"c{place:04d}", place=place, at=began + place * 4)
    return desk


def test_a_thousand_waiting_cost_few_rows(crowded: Desk) -> None:
    crowded.sign_in()
    crowded.page.reload()
    expect(crowded.rows.first).to_be_visible()
    assert crowded.rows.count() < 40
    expect(crowded.page.locator(".views [data-view=queued] .count").first).to_have_text(str(MANY))
    expect(crowded.rows.first).to_contain_text("h")


def test_scrolling_reaches_the_last_of_a_thousand(crowded: Desk) -> None:
    crowded.sign_in()
    expect(crowded.rows.first).to_be_visible()
    last = crowded.page.locator(f'.row[aria-setsize="{MANY}"][aria-posinset="{MANY}"]')

    def scrolled() -> bool:
        crowded.page.evaluate("document.querySelector('.list').scrollTop = 1e9")
        return bool(last.count())

    eventually(crowded.page, scrolled, True)
    expect(last).to_be_visible()
    expect(last.locator("a")).to_have_attribute("href", f"#/queue/c{MANY - 1:04d}")
    assert crowded.rows.count() < 40


def test_filters_narrow_the_queue_and_can_be_cleared(crowded: Desk) -> None:
    crowded.sign_in()
    crowded.page.get_by_text("Filter and sort").click()
    crowded.page.get_by_label("Language").select_option("de")
    crowded.page.get_by_label("Class").select_option("high_stakes")
    expect(crowded.rows.first).to_contain_text("Meine Domain")
    expect(crowded.page.locator('.row[aria-posinset="1"]')).to_have_attribute("aria-setsize", "66")

    crowded.page.get_by_role("button", name="Clear filters").click()

    expect(crowded.rows.first).to_contain_text("You charged me twice")


def test_search_finds_a_reference_and_says_when_it_finds_nothing(crowded: Desk) -> None:
    crowded.sign_in()
    crowded.page.keyboard.press("/")
    crowded.page.keyboard.type("HR-00042")
    expect(crowded.rows).to_have_count(1)

    crowded.page.keyboard.type("x")

    expect(crowded.page.get_by_text("Nothing found for “HR-00042x”.")).to_be_visible()


def test_the_views_show_mine_and_what_colleagues_have(desk: Desk) -> None:
    desk.site.add("c1")
    desk.site.add("c2", place=1, state="person", owner=MIRA)
    desk.site.add("c3", place=2, state="person", owner=AYLA)
    desk.sign_in()
    expect(desk.rows).to_have_count(1)
    desk.page.get_by_role("button", name=re.compile("^Mine")).click()
    expect(desk.rows).to_have_count(1)
    expect(desk.rows).to_contain_text("booking page")
    desk.page.get_by_role("button", name=re.compile("^Taken")).click()

    expect(desk.rows).to_have_count(2)


def test_who_comes_and_who_is_taken_is_seen_without_reload(desk: Desk) -> None:
    desk.site.add("c1", at=time.time() - 100)
    desk.sign_in()
    expect(desk.rows).to_have_count(1)
    expect(desk.page).to_have_title("(1) Queue · Desk")

    item = desk.site.add("c0", place=1, at=time.time() - 500)["item"]
    desk.site.tell("conversation", item=item)
    expect(desk.page.locator('.row[aria-posinset="1"]')).to_contain_text("booking page")
    expect(desk.page).to_have_title("(2) Queue · Desk")

    desk.site.change("c0", state="person", owner=AYLA)
    expect(desk.rows).to_have_count(1)
    expect(desk.page).to_have_title("(1) Queue · Desk")


def test_the_waiting_time_goes_on(desk: Desk) -> None:
    desk.site.add("c1", at=time.time())
    desk.sign_in()
    shown = desk.rows.first.locator("time")
    before = shown.inner_text()

    expect(shown).not_to_have_text(before)


def test_an_empty_queue_says_so(desk: Desk) -> None:
    desk.sign_in()

    expect(desk.page.get_by_text("Nobody is waiting")).to_be_visible()


def test_j_and_k_go_through_the_queue(desk: Desk) -> None:
    for place in range(3):
        desk.site.add(f"c{place}", place=place, at=time.time() - 100 + place)
    desk.sign_in()
    expect(desk.rows).to_have_count(3)
    desk.page.keyboard.press("j")
    expect(desk.page).to_have_url(re.compile("#/queue/c0$"))
    desk.page.keyboard.press("j")
    expect(desk.page).to_have_url(re.compile("#/queue/c1$"))
    desk.page.keyboard.press("k")
    expect(desk.page).to_have_url(re.compile("#/queue/c0$"))
    desk.page.keyboard.press("Escape")

    expect(desk.page).to_have_url(re.compile("#/queue$"))


def test_the_desk_knows_who_is_there_and_what_visitors_are_told(desk: Desk) -> None:
    desk.sign_in()
    now = desk.page.get_by_role("region", name="Right now")
    expect(now).to_contain_text("Ayla")
    expect(now).to_contain_text("Mon–Thu 09:00-17:00")
    expect(now).to_contain_text("Sat–Sun closed")
    expect(now).to_contain_text("Half are answered within 4 min, four in five within 15 min")
    expect(now.get_by_text("We are back Monday, 09:00 (CET).")).to_be_visible()

    desk.page.set_viewport_size({"width": 375, "height": 700})
    expect(now).to_be_hidden()
    desk.page.get_by_role("button", name="Right now").click()
    expect(desk.page.get_by_role("dialog", name="Right now")).to_contain_text("2030-01-06: closed")
