"""An opened source shows the page that its passage stands on, with the passage marked."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Locator, expect
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.browser.chat import Chat
from tests.browser.replies import REPLIES
from tests.browser.test_widget_layout import OVERFLOW

pytestmark = pytest.mark.browser

NAME = f"{'a1' * 10}-3"
IMAGE = {"name": NAME, "width": 1200, "height": 1698}
CELLS = [[0.1, 0.25, 0.3, 0.28], [0.3, 0.25, 0.6, 0.28]]
PIXEL = """(canvas, [x, y]) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3)"""


def drawn() -> bytes:
    """White, with a grey line of text where the cells are."""
    picture = Image.new("RGB", (1200, 1698), "white")
    ImageDraw.Draw(picture).rectangle((140, 440, 700, 460), "#777")
    held = io.BytesIO()
    picture.save(held, "WEBP")
    return held.getvalue()


@pytest.fixture
def asked(chat: Chat) -> list[Request]:
    """Requests for pictures, which the site answers."""
    found: list[Request] = []
    picture = drawn()

    def give(request: Request) -> Response:
        found.append(request)
        return Response(picture, media_type="image/webp")

    chat.site.page_image = give
    return found


def answered(chat: Chat, boxes: Any = None) -> Locator:
    """A reply one source of which is a row of a table on page 3."""
    cited = REPLIES["domain"]["citations"][0]
    places = [{"page": 3, "box": box, "image": IMAGE} for box in (boxes if boxes is not None else CELLS)]
    chat.site.change(citations=[{**cited, "places": places}])
    return chat.open().ask("domain")


def test_the_page_is_fetched_when_its_source_is_opened_and_its_cells_are_marked(
    chat: Chat, asked: list[Request]
) -> None:
    reply = answered(chat)
    canvas = reply.locator("canvas")
    expect(canvas).to_have_count(1)
    assert asked == []

    reply.locator("summary").first.click()

    expect(reply.get_by_role("img", name="Page 3 of")).to_be_visible()
    expect(canvas).to_have_attribute("data-painted", "")
    # The crop begins 48 pixels to the left of the first cell, and 150 pixels high around them.
    assert canvas.evaluate("node => [node.width, node.height]") == [696, 150]
    inside, outside, text = (canvas.evaluate(PIXEL, at) for at in ([300, 52], [20, 20], [300, 75]))
    assert outside == [255, 255, 255]
    assert inside[2] < 200 < inside[0]
    assert max(text) < 130
    (request,) = asked
    assert request.headers["authorization"] == "Bearer token-1"
    assert request.query_params["turn_id"] == chat.site.sent_to("/ask")[0]["turn_id"]


def test_nothing_moves_when_the_picture_comes_and_a_phone_shows_all_of_it(chat: Chat, asked: list[Request]) -> None:
    chat.page.set_viewport_size({"width": 320, "height": 640})
    reply = answered(chat)
    link = reply.locator(".passages .open")
    reply.locator("summary").first.click()
    canvas = reply.locator("canvas")
    offset = "node => node.offsetTop"
    before = link.evaluate(offset)

    expect(canvas).to_have_attribute("data-painted", "")

    assert link.evaluate(offset) == before
    assert chat.page.evaluate(OVERFLOW) == [0, 0, 0]
    reply.get_by_role("button", name="Enlarge").click()
    pane = reply.locator(".pane")
    expect(pane).to_have_attribute("tabindex", "0")
    assert pane.evaluate("node => node.scrollWidth > node.clientWidth")
    assert chat.page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0
    reply.get_by_role("button", name="Make smaller").click()
    assert chat.page.evaluate(OVERFLOW) == [0, 0, 0]


def test_a_page_that_cannot_be_had_leaves_no_gap_and_is_asked_for_again(chat: Chat) -> None:
    reply = answered(chat)
    summary, figure = reply.locator("summary").first, reply.locator("figure")

    summary.click()

    expect(figure).to_be_hidden()
    expect(reply.locator(".excerpt").first).to_be_visible()
    chat.site.page_image = lambda _request: Response(drawn(), media_type="image/webp")
    summary.click()
    summary.click()
    expect(reply.locator("canvas")).to_have_attribute("data-painted", "")
    expect(figure).to_be_visible()


@pytest.mark.parametrize(
    "places",
    [
        [{"page": 3, "box": CELLS[0], "image": None}],
        [{"page": 3, "box": CELLS[0], "image": {**IMAGE, "name": "../../visitor"}}],
        [{"page": "x", "image": {"name": NAME, "width": -1, "height": "wide"}}, None, 7],
    ],
    ids=["no picture", "no name", "nonsense"],
)
def test_what_is_no_picture_of_a_page_is_left_out(chat: Chat, asked: list[Request], places: Any) -> None:
    cited = REPLIES["domain"]["citations"][0]
    chat.site.ask = lambda _body: JSONResponse({**REPLIES["domain"], "citations": [{**cited, "places": places}]})
    reply = chat.open().ask("domain")

    reply.locator("summary").first.click()

    expect(reply.locator(".excerpt").first).to_be_visible()
    expect(reply.locator("canvas")).to_have_count(0)
    assert asked == []


def test_without_a_box_the_whole_page_is_shown(chat: Chat, asked: list[Request]) -> None:
    reply = answered(chat, [None])

    reply.locator("summary").first.click()

    expect(reply.locator("canvas")).to_have_attribute("data-painted", "")
    assert reply.locator("canvas").evaluate("node => [node.width, node.height]") == [1200, 1698]
