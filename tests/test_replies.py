"""Messages that greet, thank or take leave, and nothing else."""

from __future__ import annotations

import pytest

from handrail.replies import greets_or_thanks


@pytest.mark.parametrize(
    "text",
    [
        "Merci beaucoup",
        "Muchas gracias por todo!",
        "Herzlichen Dank",
        "Большое спасибо",
        "спасибо большое",
        "شكرا جزيلا",
        "Hola, buenas tardes",
        "oi, tudo bem?",
        "Guten Tag zusammen",
        "bye",
        "Tschüss!",
        "adiós",
        "до свидания",
    ],
)
def test_courtesies_of_any_language_are_known(text: str) -> None:
    assert greets_or_thanks(text)


@pytest.mark.parametrize(
    "text",
    ["merci de me rembourser", "thanks but it still fails", "hola no puedo entrar", "buenas facturas", "bye-law"],
)
def test_what_asks_for_something_is_none(text: str) -> None:
    assert not greets_or_thanks(text)
