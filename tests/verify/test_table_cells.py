"""What a table's cells say for or against a claim that names their row."""

from __future__ import annotations

import pytest

from handrail.verify.tables import settles

PLANS = """Prices exclude VAT. Extra seats are 6 euros.

| Plan | Billed monthly | Billed yearly, per month | Yearly total |
| --- | --- | --- | --- |
| Free | EUR 0 | EUR 0 | EUR 0 |
| Solo | EUR 14 | EUR 11 | EUR 132 |
| Studio | EUR 32 | EUR 26 | EUR 312 |

| | Solo | Studio | Business |
| --- | --- | --- | --- |
| Team members | 1 | 5 | 20 |
| API and webhooks | No | No | Yes |

| Payment method | Arrives after approval |
| --- | --- |
| Card | 3 to 7 business days |
| PayPal | 1 to 2 business days |
"""


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Solo costs EUR 14 when billed monthly.", True),
        ("Solo costs EUR 11 when billed monthly.", False),
        ("Studio costs EUR 14 a month.", False),
        ("Studio costs EUR 32 a month, or EUR 312 a year.", None),
        ("Studio includes 5 team members.", True),
        ("Solo includes five team members.", False),
        ("Studio has the API and webhooks.", False),
        ("Studio does not have the API and webhooks.", True),
        ("Business has the API and webhooks.", True),
        ("The API and webhooks need Business, not Studio.", None),
        ("A refund to a card arrives within 1 to 2 business days.", False),
        ("A refund to a card takes up to 7 business days.", None),
        ("With Solo, extra seats are 6 euros.", None),
        ("Prices exclude VAT.", None),
    ],
)
def test_the_cell_that_is_named_decides(claim: str, said: bool | None) -> None:
    assert settles(claim, PLANS) is said


def test_a_text_without_tables_settles_nothing() -> None:
    assert settles("Solo costs EUR 14.", "Solo costs EUR 11.\n\n| a line that is no table |") is None
