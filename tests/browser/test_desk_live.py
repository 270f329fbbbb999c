"""Lost connections, presence and the keyboard."""

from playwright.sync_api import APIResponse, Route, expect

from tests.browser.desk import Desk
from tests.browser.desk_records import MIRA
from tests.browser.waiting import eventually


def test_what_was_said_while_the_connection_was_lost_is_there_afterwards(desk: Desk) -> None:
    desk.site.add("c1", state="person", owner=MIRA)
    desk.open("c1")
    desk.site.down = True
    desk.site.cut()
    expect(desk.page.get_by_text("Connection lost. Reconnecting…")).to_be_visible()
    desk.site.say("c1", "visitor", "Said in between", tell=False)
    desk.site.add("c2", place=1)
    desk.site.down = False

    expect(desk.message("Said in between")).to_be_visible()
    expect(desk.rows.filter(has_text="booking page")).to_be_visible()
    expect(desk.page.get_by_text("Connection lost. Reconnecting…")).to_be_hidden()


def test_a_word_that_something_is_missing_reads_it_again(desk: Desk) -> None:
    desk.site.add("c1", state="person", owner=MIRA)
    desk.open("c1")
    desk.site.say("c1", "visitor", "First, never told", tell=False)
    desk.site.say("c1", "visitor", "Second")

    expect(desk.message("First, never told")).to_be_visible()
    expect(desk.messages.last).to_contain_text("Second")


def test_what_was_unfolded_stays_so_when_more_becomes_known(desk: Desk) -> None:
    kept = desk.site.add("c1")
    desk.open("c1")
    desk.messages.nth(1).get_by_text("What the assistant saw").click()
    expect(desk.messages.nth(1)).to_contain_text("Incomplete")
    kept["feedback"].clear()
    desk.site.tell("note", conversation_id="c1")

    expect(desk.messages.nth(1)).not_to_contain_text("Incomplete")
    expect(desk.messages.nth(1).get_by_text("You will be paid back tomorrow.")).to_be_visible()


def test_the_newest_words_stay_in_sight_above_a_growing_composer(desk: Desk) -> None:
    desk.site.add("c1", state="person", owner=MIRA)
    for n in range(12):
        desk.site.say("c1", "visitor", f"Word {n}", tell=False)
    desk.open("c1")
    expect(desk.message("Word 11")).to_be_in_viewport(ratio=1)

    desk.composer.fill("line\n" * 8)

    expect(desk.message("Word 11")).to_be_in_viewport(ratio=1)


def test_being_away_is_told_to_the_server(desk: Desk) -> None:
    desk.sign_in()
    presence = desk.page.get_by_role("switch", name="Available to visitors")
    expect(presence).to_be_checked()
    presence.click()

    expect(presence).not_to_be_checked()
    eventually(desk.page, lambda: [body["online"] for body in desk.site.written("presence")][-2:], [True, False])


def test_sound_is_off_until_it_is_wanted(desk: Desk) -> None:
    desk.sign_in()
    sound = desk.page.get_by_role("button", name="Sound for new messages")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    desk.page.reload()

    expect(sound).to_have_attribute("aria-pressed", "true")


def test_a_conversation_is_worked_by_keyboard_alone(desk: Desk) -> None:
    desk.site.add("c1")
    desk.sign_in()
    expect(desk.rows).to_have_count(1)
    keyboard = desk.page.keyboard
    keyboard.press("j")
    expect(desk.messages.first).to_be_visible()
    keyboard.press("t")
    expect(desk.composer).to_be_visible()
    keyboard.press("r")
    expect(desk.composer).to_be_focused()
    keyboard.type("Good morning; t and e are letters here")
    keyboard.press("Enter")
    expect(desk.message("Good morning")).to_be_visible()
    keyboard.press("Escape")
    keyboard.press("e")
    expect(desk.page.get_by_role("dialog", name="Resolve the conversation")).to_be_visible()
    keyboard.press("Enter")

    expect(desk.page.locator(".facts")).to_contain_text("Resolved")


def go_to_reports(desk: Desk) -> bool:
    desk.page.keyboard.press("g")
    desk.page.keyboard.press("r")
    return desk.page.url.endswith("#/reports")


def test_the_shortcuts_are_listed_and_can_be_switched_off(desk: Desk) -> None:
    desk.sign_in()
    desk.page.keyboard.press("?")
    dialog = desk.page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("Hand back to the assistant")
    dialog.get_by_label("Single-key shortcuts are on").uncheck()
    desk.page.keyboard.press("Escape")
    assert not go_to_reports(desk)
    desk.page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_label("Single-key shortcuts are on").check()
    desk.page.keyboard.press("Escape")

    # One key after the other, within a second: the machine may be too slow for the first tries.
    eventually(desk.page, lambda: go_to_reports(desk), True)


def test_a_phone_shows_one_pane_at_a_time(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 375, "height": 720})
    desk.site.add("c1")
    desk.sign_in()
    desk.rows.first.click()
    expect(desk.messages.first).to_be_visible()
    expect(desk.page.get_by_role("searchbox")).to_be_hidden()
    desk.page.get_by_role("button", name="Details").click()
    expect(desk.page.get_by_text("Lena Ortiz")).to_be_visible()
    assert desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    desk.page.get_by_role("button", name="Back to the queue").click()

    expect(desk.rows.first).to_be_visible()


def test_nothing_is_cut_off_at_320_pixels(desk: Desk) -> None:
    desk.page.set_viewport_size({"width": 320, "height": 600})
    desk.site.add("c1")
    desk.sign_in()
    for path, shown in (
        ("#/queue/c1", ".messages > li"),
        ("#/queue", ".row"),
        ("#/reports", "[data-report=csat] canvas"),
        ("#/gaps", ".case"),
        ("#/settings", "tbody tr"),
    ):
        desk.page.evaluate(f"location.hash = '{path}'")
        expect(desk.page.locator(shown).first).to_be_visible()
        assert desk.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_what_is_heard_while_the_conversation_is_read_is_not_lost(desk: Desk) -> None:
    """The answer to an earlier question says less than an event that came since."""
    item = desk.site.add("c1", state="resolved")["item"]
    desk.open("c1")
    held: list[tuple[Route, APIResponse]] = []
    desk.page.route("**/desk/api/conversations/c1", lambda route: held.append((route, route.fetch())), times=1)
    desk.site.say("c1", "visitor", "Said before", tell=False)
    desk.site.tell("message", conversation_id="c1")
    eventually(desk.page, lambda: len(held), 1)
    item["csat"] = 4
    desk.site.tell("conversation", item=item)
    expect(desk.page.get_by_text("Rated 4 out of 5.")).to_be_visible()
    route, earlier = held[0]
    route.fulfill(response=earlier)

    expect(desk.message("Said before")).to_be_visible()
    expect(desk.page.get_by_text("Rated 4 out of 5.")).to_be_visible()


def test_a_desk_whose_assistant_is_limited_says_so_until_it_is_not(desk: Desk) -> None:
    reason = "main (m-1) fails at the task answer: its replies aren't JSON"
    desk.site.degraded = [{"part": "answer", "reason": reason, "since": "2026-03-02T09:00:00Z"}]
    desk.sign_in()
    banner = desk.page.locator(".limited")
    expect(banner).to_contain_text("Visitors still get replies")
    expect(banner).to_contain_text(reason)

    desk.site.degraded = []
    desk.site.tell("sync")

    expect(banner).to_be_hidden()
