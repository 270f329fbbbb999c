"""Whatever a model or a server says, the widget shows text and fetches nothing."""

from playwright.sync_api import expect

from tests.browser.chat import Chat
from tests.browser.hostile import TEXTS, Watch
from tests.browser.replies import reply

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>\"'`${alert(4)}"


def answer(chat: Chat, text: str) -> None:
    chat.site.change(answer=text)
    chat.open().ask("anything")


def test_markup_in_every_field_is_shown_as_text(chat: Chat) -> None:
    for name in ("welcome", "disclosure"):
        chat.site.config[name] = MARKUP
    chat.site.config |= {
        "brand": {"name": MARKUP, "assistant": MARKUP, "accent": "red;} * { display: none } /*"},
        "suggestions": [MARKUP],
        "topics": [MARKUP],
        "person": {"available": True, "expectation": MARKUP},
        "strings": {"person": "Person", "placeholder": MARKUP},
    }
    citation = {"index": 1, "id": MARKUP, "title": MARKUP, "url": "javascript:alert(5)", "excerpt": MARKUP}
    fields = reply(
        "answered",
        f"{MARKUP} [1] [x](javascript:alert(6))",
        disclaimer=MARKUP,
        citations=[citation],
        sources=[{"title": MARKUP, "url": "javascript:alert(7)"}, {"title": MARKUP, "url": "data:text/html,x"}],
        suggestions=[MARKUP],
        escalation={"offer": "button", "reason": MARKUP},
        refusal_reason=MARKUP,
    )
    chat.site.change(**fields)
    dialogs: list[str] = []
    chat.page.on("dialog", lambda dialog: dialogs.append(dialog.message))

    chat.open()
    chat.send(MARKUP)
    expect(chat.replies).to_have_count(1)
    chat.page.locator(".cite").click()
    chat.page.wait_for_timeout(50)

    assert dialogs == []
    inside = chat.page.locator("handrail-widget dialog")
    expect(inside.locator("img, script, iframe, object, [onerror], [onload]")).to_have_count(0)
    expect(inside.get_by_role("link")).to_have_count(0)
    expect(inside.locator(".message.visitor .bubble")).to_have_text(MARKUP)
    expect(inside.locator(".greeting")).to_have_text(MARKUP)


ELSEWHERE = [
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "java\tscript:alert(1)",
    "vbscript:x",
    "data:text/html,<script>alert(1)</script>",
    "http://help.tillwick.example/",
    "//help.tillwick.example/",
    "https://evil.example/?q=secret",
    "https://help.tillwick.example@evil.example/",
    "https://help.tillwick.example.evil.example/",
    "mailto:someone@evil.example",
]


def test_a_link_to_anywhere_else_is_text(chat: Chat) -> None:
    answer(chat, "\n\n".join(f"Press [here]({link}) or <{link}> or {link} now" for link in ELSEWHERE))

    expect(chat.replies.last.locator("a")).to_have_count(0)
    expect(chat.replies.last.locator(".body > p")).to_have_count(len(ELSEWHERE))


def test_links_to_cited_and_listed_hosts_work_and_mail_carries_only_the_address(chat: Chat) -> None:
    answer(
        chat,
        "[a](https://help.tillwick.example/a) "
        "[m](mailto:support@tillwick.example?body=x) https://help.tillwick.example/b.",
    )

    links = chat.replies.last.locator("a")
    assert links.evaluate_all("nodes => nodes.map(node => node.href)") == [
        "https://help.tillwick.example/a",
        "mailto:support@tillwick.example",
        "https://help.tillwick.example/b",
    ]
    assert set(links.evaluate_all("nodes => nodes.map(node => node.rel)")) == {"noopener noreferrer nofollow ugc"}


def test_nothing_is_fetched_because_a_text_says_so(chat: Chat) -> None:
    asked: list[str] = []
    chat.page.on("request", lambda request: asked.append(request.url))

    answer(
        chat, "![pixel](https://help.tillwick.example/p.png) ![x][1] <img src='/leak'> [1]: https://evil.example/x.png"
    )
    chat.page.wait_for_timeout(50)

    assert all(url.startswith(chat.site.url) and "leak" not in url for url in asked)
    expect(chat.replies.last.locator("img")).to_have_count(0)
    expect(chat.replies.last.locator(".body")).to_contain_text("pixel")


HOSTILE = {
    "stars": "*" * 100_000,
    "spaced stars": "*a " * 33_000,
    "brackets": "[" * 100_000,
    "nested lists": "\n".join("  " * (depth % 200) + "- x" for depth in range(1_000)),
    "quotes": ">" * 50_000,
    "dashes": "- " * 50_000,
    "bars": "|" * 30_000 + "\n" + "|-" * 15_000,
}


def test_hostile_markdown_ends_and_the_chat_goes_on(chat: Chat) -> None:
    chat.open()
    for name, text in HOSTILE.items():
        chat.site.change(answer=text)
        chat.ask(name)
        chat.page.evaluate("handrail('reset')")
    chat.site.ask = None

    expect(chat.ask("fax")).to_have_attribute("data-routing", "cannot_answer")


def test_markdown_is_shown_as_it_is_meant(chat: Chat) -> None:
    answer(
        chat,
        "# Plans\n\n| Plan | Price |\n|---|--:|\n| Solo | **14** |\n\n"
        "3. three\n   - inner\n4. four\n\n```\n<b>raw</b>\n```\n\n*em* `code`",
    )

    body = chat.replies.last.locator(".body")
    expect(body.locator("h3")).to_have_text("Plans")
    expect(body.locator("td strong")).to_have_text("14")
    expect(body.locator("> ol")).to_have_attribute("start", "3")
    expect(body.locator("ol ul li")).to_have_text("inner")
    expect(body.locator("pre")).to_have_text("<b>raw</b>")
    expect(body.locator("em")).to_have_text("em")


def test_two_hundred_hostile_texts_run_nothing_and_reach_nobody(chat: Chat) -> None:
    watch = Watch(chat.page)
    chat.open()

    for at in range(0, len(TEXTS), 34):
        some = "\n\n".join(TEXTS[at : at + 34])
        chat.site.change(answer=some)
        chat.ask(some)

    inside = chat.page.locator("handrail-widget dialog")
    assert len(TEXTS) >= 200
    watch.nothing_happened(chat.site.url)
    expect(inside.locator("img, script, iframe, object, link, .bubble style, math, template")).to_have_count(0)
    expect(inside.locator("a[href^='javascript'], a[href^='data'], a[href*='evil']")).to_have_count(0)
