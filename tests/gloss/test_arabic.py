"""Arabic is read however it is spelt, with what is written in one word with another taken off."""

from __future__ import annotations

import pytest

from handrail.gloss.interpreter import gloss
from handrail.gloss.words import Gloss, word_list

LISTED = """
كيف, ازاي > how
ألغي, يلغي, إلغاء > cancel
حساب, حسابات > account
فاتورة, فواتير > invoice
كلمة المرور > password
رسالة > message
يوصل, وصل > arrive
يشتغل, اشتغل > work
أين > where
هل, و >
مع > with
"""


@pytest.fixture(scope="module")
def arabic() -> Gloss:
    return Gloss(word_list("ar", LISTED.splitlines()))


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("كيف ألغي حسابي؟", "how cancel account?"),
        ("كَيْفَ أُلغِي حِسَابِي؟", "how cancel account?"),
        ("ازاى الغى الحساب", "how cancel account"),
        ("الغاء حسابات، وفواتير", "cancel account, invoice"),
        ("فاتورتي وفاتورتكم بالفاتورة للحساب", "invoice invoice invoice account"),
        ("كلمه المرور", "password"),
        ("كـلـمـة المرور", "password"),
        ("وكلمة المرور فكلمة المرور بكلمة المرور", "password password بكلمة المرور"),
        ("حساباً ومع", "account with"),
        ("رسالتها والرسائل", "message والرسائل"),
        ("بيوصل هيوصل سيوصل هتوصل", "arrive arrive arrive هتوصل"),
        ("مابيشتغلش مشتغلش", "not work مشتغلش"),
        ("أين ٣ فواتير، و٢٫٥٪؟", "where 3 invoice, 2.5?"),
        ("ایمیل TW-3004 بالWifi", "ایمیل TW-3004 Wifi"),
        ("هل", ""),
        ("", ""),
    ],
)
def test_a_message_is_read_however_it_is_spelt(text: str, english: str, arabic: Gloss) -> None:
    assert arabic.read(text) == english


def test_what_is_listed_as_it_is_typed_comes_first() -> None:
    listed = Gloss(word_list("ar", ["كتاب > book", "باب > door", "بكتاب > with a book"]))

    assert listed.read("كتاب باب الباب بكتاب") == "book door door with a book"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("مش عارف ادخل على حسابي", "cannot sign in on account"),
        ("الطرد وصل مكسور", "parcel damaged"),
        ("بعد اسبوعين", "after two weeks"),
        ("يطلع دخان من العداد", "smoke coming out from meter"),
        ("رايحة على الفندق", "go on hotel"),
        ("جاري التحميل", "loading"),
        ("جاري", "neighbor"),
    ],
)
def test_the_list_tells_apart_what_is_spelt_alike(text: str, english: str) -> None:
    assert gloss("ar").read(text) == english
