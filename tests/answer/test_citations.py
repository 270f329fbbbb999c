"""What may be cited, and how claims become text with numbered proofs."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.answer.citations import assemble, enforce
from handrail.errors import NotGrounded
from handrail.types import Claim, Draft, Evidence, Hit
from tests.stages import PIECES, found, passage

A, B, C = (passage(f"domains:connect/{n}", f"Text {n}.") for n in range(3))
EVIDENCE = Evidence("query", (Hit(A, final=0.8), Hit(B, final=0.4), Hit(C, final=0.2)))
SHOWN = re.compile(r"\[(\d+)\]")


def draft(*claims: tuple[str, Sequence[str]], **parts: str) -> Draft:
    return Draft([Claim(text, tuple(ids)) for text, ids in claims], "scripted", **parts)  # type: ignore[arg-type]


def text_of(given: Draft) -> str:
    return assemble(given, EVIDENCE, 0.9).text


def test_a_claim_with_an_invented_id_goes_and_the_others_stay() -> None:
    kept = enforce(draft(("True.", [A.id]), ("Made up.", ["x/1"]), ("Half.", [B.id, "x/1"]), ("Bare.", [])), EVIDENCE)

    assert [claim.text for claim in kept.claims] == ["True."]


def test_only_invented_ids_are_no_answer() -> None:
    with pytest.raises(NotGrounded):
        enforce(draft(("Made up.", ["x/1"])), EVIDENCE)


@pytest.mark.parametrize("text", ["", "  \n", "[1]", "[1][2]", "1.", "2) [1]", "- *"])
def test_a_claim_that_says_nothing_proves_nothing(text: str) -> None:
    with pytest.raises(NotGrounded):
        enforce(draft((text, [A.id])), EVIDENCE)


def test_a_high_stakes_reply_may_stand_without_any_claim() -> None:
    kept = enforce(draft(("Made up.", ["x/1"]), acknowledgement="Thank you."), EVIDENCE, may_be_empty=True)

    assert kept.claims == ()
    assert kept.acknowledgement == "Thank you."


def test_passages_are_numbered_by_first_use() -> None:
    made = assemble(draft(("First.", [C.id]), ("Second.", [A.id, C.id]), ("Third.", [C.id])), EVIDENCE, 0.9)

    assert made.text == "First [1]. Second [2][1]. Third [1]."
    assert [(citation.index, citation.passage.id) for citation in made.citations] == [(1, C.id), (2, A.id)]
    assert made.pieces == []


def test_the_best_cited_passage_has_the_answers_confidence_and_the_others_less() -> None:
    made = assemble(draft(("One.", [A.id]), ("Two.", [B.id])), EVIDENCE, 0.9)

    assert [citation.score for citation in made.citations] == [0.9, 0.45]


def test_a_passage_cited_twice_by_one_claim_is_marked_once() -> None:
    assert text_of(draft(("One.", [A.id, A.id]))) == "One [1]."


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Choose Domains [7].", "Choose Domains [1]."),
        ("Choose [3] Domains[12].", "Choose Domains [1]."),
        ("Choose Domains [2, 3].", "Choose Domains [1]."),
        ("Choose Domains [2;3]", "Choose Domains [1]"),
        ("Choose Domains [1[2]].", "Choose Domains [1]."),
        ("Is that all? [2]", "Is that all [1]?"),
    ],
)
def test_no_number_that_a_model_typed_survives(written: str, shown: str) -> None:
    assert text_of(draft((written, [B.id]))) == shown


def test_numbers_typed_around_the_claims_do_not_survive_either() -> None:
    answer = text_of(draft(("One.", [A.id]), acknowledgement="Thank you [4].", closing="Goodbye. [9]"))

    assert answer == "Thank you.\n\nOne [1].\n\nGoodbye."


def test_the_operators_offer_is_shown_word_for_word() -> None:
    assert text_of(draft(("One.", [A.id]), offer="Pause [2] months.")) == "One [1].\n\nPause [2] months."


def test_code_keeps_its_brackets() -> None:
    assert text_of(draft(("Read `items[0]` [3].", [A.id]))) == "Read `items[0]` [1]."


def test_a_list_stays_one_list() -> None:
    answer = text_of(
        draft(
            ("To connect:\n\n1. Open Settings.", [A.id]),
            ("2. Choose one:\n   - Yours\n   - Ours", [A.id]),
            ("3. Save.", [A.id]),
            ("It takes an hour.", [B.id]),
        )
    )

    assert answer == (
        "To connect:\n\n1. Open Settings [1].\n2. Choose one:\n   - Yours\n   - Ours [1]\n3. Save [1].\n\n"
        "It takes an hour [2]."
    )


def test_a_table_stands_apart_with_its_proof_below() -> None:
    table = "| Plan | Price |\n| --- | --- |\n| Solo | 14 |"

    answer = text_of(draft(("Prices exclude VAT.", [B.id]), (table, [A.id]), ("A year is cheaper.", [B.id])))

    assert answer == f"Prices exclude VAT [1].\n\n{table}\n\n[2]\n\nA year is cheaper [1]."


def test_a_code_block_keeps_its_closing_fence() -> None:
    item = "1. Run this:\n   ```\n   dig example.com\n   ```"

    assert text_of(draft((item, [A.id]), ("2. Wait.", [A.id]))) == f"{item}\n\n   [1]\n\n2. Wait [1]."


def test_each_whole_section_says_where_it_stands_in_the_answer() -> None:
    sections = PIECES.claims(found((A, 0.9), (B, 0.9)))

    made = assemble(Draft(sections, "extractive", acknowledgement="Thank you 🌻."), EVIDENCE, 0.9)

    assert made.text == "Thank you 🌻.\n\n**Connect a domain**\n\nText 0. [1]\n\n**Connect a domain**\n\nText 1. [2]"
    assert [piece.citation for piece in made.pieces] == [1, 2]
    assert [made.text[slice(*piece.span)] for piece in made.pieces if piece.span] == ["Text 0. [1]", "Text 1. [2]"]


WORDS = st.text(alphabet="ab 1.,:!?|`[]()-*#\n", max_size=30)
IDS = st.lists(st.sampled_from([A.id, B.id, C.id, "x/1"]), max_size=3)
CLAIMS = st.lists(st.builds(lambda text, ids: Claim(text, tuple(ids)), WORDS, IDS), max_size=6)


@given(CLAIMS, WORDS)
def test_every_number_in_the_text_is_a_citation_and_every_citation_is_in_the_text(
    claims: list[Claim], acknowledgement: str
) -> None:
    kept = enforce(Draft(claims, "scripted", acknowledgement=acknowledgement), EVIDENCE, may_be_empty=True)

    made = assemble(kept, EVIDENCE, 0.9)
    answer, citations = made.text, made.citations

    code_free = re.sub(r"(`+).*?\1", lambda found: "" if "[" in found[0] else found[0], answer, flags=re.S)
    labels = {int(n) for n in re.findall(r"\[(\d+)\]\(", code_free)}
    numbers = [citation.index for citation in citations]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {int(n) for n in SHOWN.findall(code_free)} - labels <= set(numbers)
    assert set(numbers) <= {int(n) for n in SHOWN.findall(answer)}
    assert all(0 <= citation.score <= 0.9 for citation in citations)
