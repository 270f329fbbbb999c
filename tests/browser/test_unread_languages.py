"""Who writes in a language without replies learns so in it, and is offered a person: by the API and in the chat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from handrail.turn.notices import own_words
from tests.browser.chat import Chat
from tests.browser.contract_site import ContractSite
from tests.browser.real_site import serve_real_site

pytestmark = [pytest.mark.browser, pytest.mark.models, pytest.mark.slow]

WRITTEN = [
    ("th", "ฉันจะเชื่อมต่อโดเมนของตัวเองได้อย่างไร"),
    ("th", "คืนเงิน"),
    ("th", "ช่วยเปลี่ยน email ของฉันให้หน่อย"),
    ("ja", "独自ドメインを接続するにはどうすればいいですか"),
    ("zh", "返金"),
    ("ko", "내 도메인을 어떻게 연결하나요?"),
    ("hi", "मैं अपना डोमेन कैसे जोड़ूँ?"),
    ("hi", "धनवापसी"),
    ("hi", "मुझे refund चाहिए"),
    ("he", "איך אני מחבר דומיין משלי?"),
    ("vi", "Làm thế nào để kết nối tên miền của tôi?"),
    ("vi", "hoàn tiền"),
    ("sw", "Ninawezaje kuunganisha kikoa changu?"),
    ("sw", "Nataka kurudishiwa pesa zangu"),
    ("id", "Bagaimana cara menghubungkan domain saya?"),
    ("tr", "Alan adımı nasıl bağlayabilirim?"),
    ("hu", "Hogyan csatlakoztathatom a saját domainemet?"),
    ("tl", "Paano ko ikokonekta ang aking domain?"),
    ("it", "Come posso collegare il mio dominio?"),
    ("uk", "як підключити свій домен"),
    ("fa", "چطور می‌توانم دامنه خود را متصل کنم؟"),
]


@pytest.fixture(scope="module")
def site(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContractSite]:
    with serve_real_site(sample_index, tmp_path_factory.mktemp("records") / "r.db", per_minute=1000) as running:
        yield running


@pytest.mark.parametrize(("lang", "text"), WRITTEN)
def test_the_reply_says_so_in_that_language_and_offers_a_person(site: ContractSite, lang: str, text: str) -> None:
    body = {"question": text, "conversation_id": uuid4().hex}
    first = httpx.post(f"{site.url.removesuffix('/demo')}/ask", json=body, timeout=60).json()
    again = httpx.post(f"{site.url.removesuffix('/demo')}/ask", json=body, timeout=60).json()

    assert first["notice"].startswith(" ".join(own_words()[lang].values()))
    assert first["escalation"]["offer"] in ("link", "button")
    assert own_words()[lang]["other"] not in (again["notice"] or ""), "once in a conversation is enough"


@pytest.mark.parametrize("text", ["كيف أربط نطاقي الخاص؟", "أريد استرداد أموالي"])
def test_a_language_with_replies_is_replied_in(site: ContractSite, text: str) -> None:
    body = {"question": text, "conversation_id": uuid4().hex}
    told = httpx.post(f"{site.url.removesuffix('/demo')}/ask", json=body, timeout=60).json()

    letters = [letter for letter in told["answer"].splitlines()[0] if letter.isalpha()]
    assert sum("\u0600" <= letter <= "\u06ff" for letter in letters) > len(letters) / 2
    assert told["escalation"]["offer"] in ("link", "button")


@pytest.mark.parametrize("at", [0, 7, 10, 12], ids=["th", "hi", "vi", "sw"])
def test_the_chat_shows_the_words_and_the_way_to_a_person(page: Page, site: ContractSite, at: int) -> None:
    lang, text = WRITTEN[at]
    reply = Chat(page, site).open().ask(text)

    expect(reply).to_contain_text(own_words()[lang]["other"])
    expect(reply).to_contain_text(own_words()[lang]["person"])
    expect(reply.get_by_role("button", name="Talk to a person")).to_be_visible()
