"""Each routing is told apart at a glance."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.chat import Chat

PERSON = "Talk to a person"


def routed(chat: Chat, question: str, routing: str) -> Locator:
    reply = chat.open().ask(question)
    expect(reply).to_have_attribute("data-routing", routing)
    return reply


def test_answered_shows_two_sources_and_the_cited_passages(chat: Chat) -> None:
    reply = routed(chat, "How do I connect my domain?", "answered")

    expect(reply.get_by_role("list", name="Sources").get_by_role("link")).to_have_count(2)
    expect(reply.get_by_role("group", name="What the articles say").locator("details")).to_have_count(2)
    expect(reply.locator(".body ol > li")).to_have_count(3)
    expect(reply.get_by_role("button", name=PERSON)).to_have_count(0)
    expect(reply.get_by_role("list", name="You could ask next").get_by_role("button")).to_have_count(2)


def test_a_citation_opens_its_passage(chat: Chat) -> None:
    reply = routed(chat, "domain", "answered")

    reply.get_by_role("button", name="Source 2: Certificates for your domain").click()

    second = reply.locator("details").nth(1)
    expect(second).to_have_attribute("open", "")
    expect(second.get_by_text("ready within an hour")).to_be_visible()
    expect(second.locator("summary")).to_be_focused()
    link = second.get_by_role("link", name="Open article")
    expect(link).to_have_attribute("href", "https://help.tillwick.example/domains/certificate")
    expect(link).to_have_attribute("rel", "noopener noreferrer nofollow ugc")
    expect(link).to_have_attribute("target", "_blank")


def test_partially_answered_shows_one_related_article_and_a_soft_offer(chat: Chat) -> None:
    reply = routed(chat, "How are deposits refunded?", "partially_answered")

    expect(reply.get_by_role("list", name="Related article")).to_be_visible()
    expect(reply.get_by_role("link")).to_have_count(1)
    expect(reply.locator(".soft-offer").get_by_role("button", name=PERSON)).to_be_visible()
    expect(reply.locator(".person-button")).to_have_count(0)


def test_low_confidence_sets_its_disclaimer_apart_and_above_and_has_no_links(chat: Chat) -> None:
    reply = routed(chat, "maybe", "low_confidence")

    disclaimer, bubble = reply.locator("> .disclaimer").bounding_box(), reply.locator(".bubble").bounding_box()
    assert disclaimer and bubble and disclaimer["y"] + disclaimer["height"] <= bubble["y"]
    expect(reply.get_by_role("link")).to_have_count(0)
    expect(reply.locator(".body")).to_have_text("Waitlists seem to work for group classes. See the article.")


def test_followup_asks_one_question_and_offers_answers_to_it(chat: Chat) -> None:
    reply = routed(chat, "calendar", "followup")

    expect(reply.locator(".tag")).to_have_text("One question first")
    reply.get_by_role("button", name="Google Calendar").click()
    expect(chat.page.locator(".message.visitor").last).to_contain_text("Google Calendar")
    expect(reply.get_by_role("button", name="Outlook")).to_have_count(0)


def test_cannot_answer_says_so_with_a_button_to_a_person(chat: Chat) -> None:
    reply = routed(chat, "fax", "cannot_answer")

    expect(reply.locator(".tag")).to_have_text("No answer found")
    expect(reply.locator(".person-button")).to_be_visible()


def test_high_stakes_acknowledges_first_then_puts_the_person_before_the_evidence(chat: Chat) -> None:
    reply = routed(chat, "I am furious", "high_stakes")

    order = [
        box["y"]
        for part in (".body p >> nth=0", ".body p >> nth=1", ".person-button", ".passages")
        if (box := reply.locator(part).bounding_box())
    ]
    assert order == sorted(order) and len(order) == 4
    expect(reply.locator("details")).to_have_count(1)
    size = "node => [...node.querySelectorAll('.body p')].map(p => parseFloat(getComputedStyle(p).fontSize))"
    first, second = reply.evaluate(size)
    assert first > second


def test_out_of_scope_offers_a_person(chat: Chat) -> None:
    reply = routed(chat, "lawyer", "out_of_scope")

    reply.get_by_role("button", name=PERSON).click()

    expect(chat.page.get_by_role("form", name=PERSON)).to_be_visible()


def test_irrelevant_and_nonsense_show_topic_chips_that_ask(chat: Chat) -> None:
    for question, routing in (("weather", "irrelevant"), ("asdf", "nonsense")):
        reply = routed(chat, question, routing)
        topics = reply.get_by_role("list", name="Topics I can help with")
        expect(topics.get_by_role("button")).to_have_count(6)
        topics.get_by_role("button", name="Bookings").click()
        expect(chat.page.locator(".message.visitor").last).to_contain_text("Bookings")
        chat.page.evaluate("handrail('reset')")


def test_handed_off_speaks_for_the_team_and_not_for_the_ai(chat: Chat) -> None:
    reply = routed(chat, "owned", "handed_off")

    expect(reply.locator(".author")).to_have_text("Tillwick support")
    expect(reply.locator(".ai")).to_have_count(0)
    expect(reply).to_have_class(re.compile("team"))
    expect(chat.panel.locator(".handler")).to_have_text("With our team")
    chat.ask("domain")
    expect(chat.panel.locator(".handler")).to_have_text("AI assistant")


def test_while_a_person_has_it_each_further_message_is_only_marked_as_passed_on(chat: Chat) -> None:
    routed(chat, "owned", "handed_off")

    chat.send("still owned")

    expect(chat.page.locator(".delivered")).to_have_text("Passed on to Tillwick support.")
    expect(chat.replies).to_have_count(1)


def test_unavailable_is_honest_and_keeps_the_person_in_reach(chat: Chat) -> None:
    reply = routed(chat, "down", "unavailable")

    expect(reply.locator(".tag")).to_have_text("Not available right now")
    expect(reply.locator(".person-button")).to_be_visible()


def test_a_routing_the_widget_does_not_know_is_plain_text(chat: Chat) -> None:
    reply = routed(chat, "novel", "unknown")

    expect(reply.locator(".body")).to_have_text("A plain answer, whatever the routing is called.")


def test_a_server_may_offer_more_of_a_person_but_never_less(chat: Chat) -> None:
    chat.site.change(escalation={"offer": "button", "reason": "asked"})
    expect(routed(chat, "domain", "answered").locator(".person-button")).to_be_visible()

    chat.site.change(escalation={"offer": "none", "reason": None})
    expect(chat.ask("fax").locator(".person-button")).to_be_visible()


def test_the_welcome_discloses_the_ai_even_when_the_operator_left_it_empty(chat: Chat) -> None:
    chat.site.config["disclosure"] = ""

    chat.open()

    expect(chat.panel.locator(".disclosure")).to_have_text(
        "You are chatting with an AI assistant. It can make mistakes."
    )


def test_the_operator_may_reword_the_widget(chat: Chat) -> None:
    chat.site.config["disclosure"] = "Our robot answers first."
    chat.site.config["strings"] = {"placeholder": "Type here", "send": "Go"}

    chat.open()

    expect(chat.panel.locator(".disclosure")).to_have_text("Our robot answers first.")
    expect(chat.page.get_by_placeholder("Type here")).to_be_visible()
    expect(chat.page.get_by_role("button", name="Go", exact=True)).to_be_visible()


def test_every_message_names_its_author_and_time(chat: Chat) -> None:
    chat.open().ask("domain")

    authors = chat.page.locator(".message .author").all_text_contents()
    assert authors == ["You", "Tillwick assistant"]
    for time in chat.page.locator(".message time").all_text_contents():
        assert re.fullmatch(r"\d\d:\d\d", time)


def test_the_status_line_says_what_is_going_on(chat: Chat) -> None:
    chat.site.go.clear()
    chat.open().send("domain")

    status = chat.panel.get_by_role("status").first
    expect(status).to_have_text("Looking through the help articles…")
    chat.site.go.set()
    expect(status).to_have_text("The answer is ready.")


def test_whoever_asks_for_a_person_is_not_told_that_it_was_too_much(chat: Chat) -> None:
    chat.site.change(routing="out_of_scope", escalation={"offer": "button", "reason": "visitor_request"})
    reply = chat.open().ask("talk to a human please")

    expect(reply.get_by_role("button", name="Talk to a person")).to_be_visible()
    expect(reply.locator(".tag")).to_have_count(0)
