"""A conversation at the desk: reading it, taking it, answering, and what happens when somebody was first."""

import re
from datetime import datetime

import pytest
from playwright.sync_api import Locator, expect

from handrail.turn.present import response
from handrail.types import Outcome
from tests.api.scripted import turn_of
from tests.browser.desk import Desk
from tests.browser.desk_records import AYLA, MIRA
from tests.browser.waiting import eventually
from tests.sections import BOTH, CLOSEST
from tests.stages import ask


@pytest.fixture
def mine(desk: Desk) -> Desk:
    desk.site.add("c1", state="person", owner=MIRA)
    return desk.open("c1")


def test_who_said_what_and_what_the_assistant_saw(desk: Desk) -> None:
    desk.site.add("c1")
    desk.open("c1")
    expect(desk.messages.nth(0)).to_have_class(re.compile("visitor"))
    expect(desk.messages.nth(1)).to_contain_text("Assistant")
    expect(desk.messages.nth(1)).to_contain_text("Incomplete")
    expect(desk.messages.nth(3)).to_have_class(re.compile("event"))

    desk.messages.nth(1).get_by_text("What the assistant saw").click()

    seen = desk.messages.nth(1).locator(".evidence")
    for text in ("Cancel or pause your plan", "0.91", "0.64", "Unsupported", "You will be paid back tomorrow."):
        expect(seen).to_contain_text(text)
    side = desk.page.get_by_role("complementary", name="Details")
    for text in ("Lena Ortiz", "Studio", "lena@shop.example", "High stakes", "Cancelled by mistake", "Problem fixed"):
        expect(side).to_contain_text(text)


def recorded(desk: Desk, result: Outcome) -> Locator:
    """The bubble of an assistant's message at the desk, with what the server says of its turn."""
    record = desk.site.add("c1")
    [turn], said = record["turns"], record["messages"][1]
    turn.update(response(turn_of(ask(), result)) | {"turn_id": turn["turn_id"]})
    said["text"] = result.answer
    desk.open("c1")
    return desk.messages.nth(1).locator(".bubble")


def test_sections_are_shown_in_full(desk: Desk) -> None:
    bubble = recorded(desk, BOTH)

    expect(bubble.locator("li:visible")).to_have_count(6)
    expect(bubble.get_by_text("A frozen hose bursts.")).to_be_visible()
    expect(bubble.locator("details")).to_have_count(0)


def test_closest_cards_have_their_titles_and_are_as_open_as_the_visitor_saw_them(desk: Desk) -> None:
    bubble = recorded(desk, CLOSEST)

    expect(bubble.locator("summary")).to_have_text(["Winter › Hoses › Frost", "Water the beds › By timer"])
    expect(bubble.get_by_text("A frozen hose bursts.")).to_have_count(1)
    expect(bubble.get_by_text("A frozen hose bursts.")).to_be_visible()
    expect(bubble.get_by_text("Close the tap.")).to_be_hidden()
    bubble.get_by_text("Water the beds › By timer").click()
    expect(bubble.get_by_text("Close the tap.")).to_be_visible()


def test_a_past_that_only_the_visitor_speaks_of_is_shown_as_their_own_words(desk: Desk) -> None:
    record = desk.site.add("c1")
    record["claimed"] = [
        {"said_by": "visitor", "text": "Is it safe?"},
        {"said_by": "assistant", "text": "**Pay** at [our bank](https://evil.example/pay)"},
    ]
    desk.open("c1")

    claimed = desk.messages.first
    expect(claimed).to_contain_text("Reported by the visitor, not recorded by us")
    expect(claimed).to_contain_text("the assistant wrote: **Pay** at [our bank](https://evil.example/pay)")
    expect(claimed).to_have_class(re.compile("visitor"))
    expect(claimed.locator("a, .ai, .evidence")).to_have_count(0)


def test_take_reply_note_transfer(desk: Desk) -> None:
    desk.site.add("c1")
    desk.open("c1")
    expect(desk.composer).to_be_hidden()
    desk.do("Take")
    expect(desk.notice).to_have_text("This conversation is yours.")
    desk.composer.fill("Hello, I am looking at it.")
    desk.composer.press("Enter")
    expect(desk.message("Hello, I am looking at it.")).to_have_class(re.compile("mine"))
    expect(desk.composer).to_have_value("")

    desk.page.get_by_role("button", name="Internal note").click()
    desk.composer.fill("Charged twice, see the bank.")
    desk.composer.press("Enter")
    expect(desk.message("Charged twice, see the bank.")).to_have_class(re.compile("note"))

    desk.do("Transfer")
    dialog = desk.page.get_by_role("dialog", name="Transfer the conversation")
    dialog.get_by_label("To").select_option("u2")
    dialog.get_by_role("button", name="Transfer").click()
    expect(desk.page.locator(".facts")).to_contain_text("with Ayla")
    assert [body["text"] for body in desk.site.written("reply")] == ["Hello, I am looking at it."]
    assert desk.site.written("transfer")[0]["user_id"] == "u2"


def test_hand_back_and_resolve_with_a_cause(mine: Desk) -> None:
    mine.do("Hand back")
    expect(mine.page.locator(".facts")).to_contain_text("Handed back")
    mine.do("Resolve")
    dialog = mine.page.get_by_role("dialog", name="Resolve the conversation")
    dialog.get_by_label("Duplicate").check()
    dialog.get_by_role("button", name="Resolve").click()

    expect(mine.page.locator(".facts")).to_contain_text("as “Duplicate”")
    assert mine.site.written("resolve")[0]["cause"] == "duplicate"


def test_a_conflict_is_explained_and_shows_how_it_stands(desk: Desk) -> None:
    kept = desk.site.add("c1")
    desk.open("c1")
    kept["item"] |= {"version": 9, "state": "person", "owner": AYLA}
    desk.do("Take")

    expect(desk.notice).to_have_text("Ayla just took it.")
    expect(desk.page.locator(".facts")).to_contain_text("with Ayla")
    expect(desk.page.locator(".actions").get_by_role("button", name="Take")).to_be_hidden()


def test_a_reply_in_a_conversation_that_was_taken_away_is_kept(mine: Desk) -> None:
    mine.site.conversations["c1"]["item"] |= {"owner": AYLA, "version": 8}
    mine.composer.fill("One moment")
    mine.composer.press("Enter")

    expect(mine.notice).to_have_text("Ayla just took it.")
    expect(mine.message("One moment")).to_contain_text("Not sent.")


def test_a_reply_that_failed_is_sent_again_once(mine: Desk) -> None:
    mine.site.refuse["reply"] = 503
    mine.composer.fill("Are you still there?")
    mine.composer.press("Enter")
    expect(mine.message("Are you still there?")).to_contain_text("Not sent.")
    mine.site.refuse.clear()
    mine.message("Are you still there?").get_by_role("button", name="Try again").click()

    eventually(mine.page, lambda: len(mine.site.written("reply")), 2)
    expect(mine.message("Are you still there?")).not_to_have_class(re.compile("now|failed"))
    expect(mine.message("Are you still there?")).to_have_count(1)
    assert len({body["id"] for body in mine.site.written("reply")}) == 1


def test_what_the_visitor_writes_arrives_by_itself_and_is_read(mine: Desk) -> None:
    mine.site.tell("typing", conversation_id="c1", author="visitor", name=None)
    expect(mine.page.get_by_text("Visitor is typing…")).to_be_visible()
    mine.site.say("c1", "visitor", "It was on the 3rd and the 4th.")

    expect(mine.message("It was on the 3rd and the 4th.")).to_be_visible()
    expect(mine.page.get_by_text("Visitor is typing…")).to_be_hidden()
    expect(mine.page).to_have_title("Queue · Desk")
    eventually(mine.page, lambda: mine.site.written("read")[-1:], [{"seq": 5}])


def test_the_visitor_having_read_is_shown(mine: Desk) -> None:
    mine.composer.fill("Done.")
    mine.composer.press("Enter")
    expect(mine.message("Done.")).not_to_have_class(re.compile("now"))
    mine.site.tell("read", conversation_id="c1", author="visitor", seq=5)

    expect(mine.message("Done.")).to_contain_text("Read by the visitor")


def test_typing_is_told_seldom(mine: Desk) -> None:
    mine.page.clock.set_fixed_time(datetime(2026, 3, 4, 12, 0))
    told: list[str] = []
    mine.page.on("request", lambda request: told.append(request.url) if request.url.endswith("typing") else None)

    mine.composer.press_sequentially("Let me look")

    eventually(mine.page, lambda: len(mine.site.written("typing")), 1)
    assert len(told) == 1


def test_a_draft_is_put_where_the_agent_writes_and_never_sent(mine: Desk) -> None:
    mine.composer.fill("Hello Lena,")
    mine.page.get_by_role("button", name="Draft").click()

    expect(mine.composer).to_have_value(
        "Hello Lena,\n\nYou can cancel at any time [1].\n\nSources:\n"
        "[1] Cancel or pause your plan: https://help.tillwick.example/billing/cancel"
    )
    expect(mine.page.get_by_text("Drafted by the assistant. Read it before you send it.")).to_be_visible()
    assert mine.site.written("reply") == []


def test_a_canned_reply_is_filled_in(mine: Desk) -> None:
    mine.page.get_by_role("button", name="Canned reply").click()
    mine.page.get_by_label("Search canned replies").fill("greet")
    mine.page.keyboard.press("Enter")

    expect(mine.composer).to_have_value("Hello Lena Ortiz, Mira here. Your case is HR-00000.")
    assert mine.site.written("reply") == []


def test_what_was_begun_is_there_after_looking_elsewhere(mine: Desk) -> None:
    mine.site.add("c2", place=1)
    mine.composer.fill("Half a sent")
    mine.page.evaluate("location.hash = '#/queue/c2'")
    expect(mine.page.locator(".about h2")).to_contain_text("booking page")
    mine.page.evaluate("location.hash = '#/queue/c1'")

    expect(mine.composer).to_have_value("Half a sent")


def test_words_that_look_like_markup_are_words(desk: Desk) -> None:
    hostile = "<img src=x onerror=\"document.title='x'\"><script>document.title='x'</script>"
    kept = desk.site.add("c1", subject=hostile, last_text=hostile)
    kept["visitor"]["context"] = {hostile: hostile}
    kept["turns"][0]["passages"] = [{"title": hostile, "url": "javascript:alert(1)", "excerpt": hostile, "score": 2}]
    desk.site.say("c1", "visitor", hostile, tell=False)
    desk.site.say("c1", "assistant", f"{hostile} [x](javascript:alert(1))", turn_id="c1-t1", tell=False)
    desk.open("c1")

    expect(desk.messages.nth(4).locator(".bubble")).to_have_text(hostile)
    expect(desk.page).to_have_title(re.compile("Desk"))
    assert desk.page.locator("img, main script, a[href^=javascript]").count() == 0


def test_a_conversation_that_is_gone_is_explained(desk: Desk) -> None:
    desk.sign_in("#/queue/nothing")

    expect(desk.page.get_by_text("This conversation doesn’t exist or was deleted.")).to_be_visible()


def test_a_wrong_answer_becomes_a_case_and_a_resolved_conversation_a_draft(desk: Desk) -> None:
    desk.site.add("c1", state="resolved", resolve_cause="fixed")
    desk.open("c1")
    desk.page.locator(".evidence summary").click()
    desk.page.get_by_role("button", name="Mark as wrong").click()
    dialog = desk.page.get_by_role("dialog", name="Mark the assistant’s turn as wrong")
    dialog.get_by_label("Answer it from the articles").check()
    dialog.get_by_role("button", name="Save as a case").click()
    expect(desk.notice).to_have_text("Saved as an evaluation case.")
    assert desk.site.written("cases") == [{"format": "refusal", "turn_id": "c1-t1", "should_refuse": False}]

    desk.do("Propose article")

    expect(desk.notice).to_have_text("The article draft is under Gaps.")
    assert desk.site.written("drafts") == [{"conversation_id": "c1"}]
