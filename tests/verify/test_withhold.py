"""What the policy makes of unsupported claims."""

from __future__ import annotations

import pytest

from handrail.errors import NotSupported
from handrail.settings import Verify
from handrail.types import Claim, Draft, Verified
from handrail.verify.withhold import settled, supported_only, withhold
from tests.stages import WORDING


def checked(*claims: tuple[str, str]) -> Verified:
    made = [Claim(text, ("a/1",), support, id=f"c{n}") for n, (text, support) in enumerate(claims, start=1)]
    right = [claim.support == "supported" for claim in made]
    return Verified(Draft(made, "llm"), sum(right) / len(right))


MIXED = checked(("True.", "supported"), ("Made up.", "unsupported"), ("Also true.", "supported"))
STEPS = checked(("1. Open it.", "supported"), ("2. Invent it.", "unsupported"), ("3. Save it.", "supported"))


def test_supported_answers_pass_unchanged() -> None:
    fine = checked(("True.", "supported"), ("Who knows.", "unverified"))

    assert withhold(fine, Verify(), WORDING) is fine.draft


def test_unsupported_claims_are_removed_and_the_others_keep_their_ids() -> None:
    kept = withhold(MIXED, Verify(policy="remove"), WORDING)

    assert [(claim.id, claim.text) for claim in kept.claims] == [("c1", "True."), ("c3", "Also true.")]


def test_a_procedure_ends_at_the_step_that_is_made_up() -> None:
    kept = withhold(STEPS, Verify(withdraw_below=0.1), WORDING)

    assert [claim.text for claim in kept.claims] == ["1. Open it."]


def test_too_little_left_withdraws_the_answer() -> None:
    with pytest.raises(NotSupported):
        withhold(checked(("True.", "supported"), ("No.", "unsupported"), ("No!", "unsupported")), Verify(), WORDING)
    with pytest.raises(NotSupported):
        withhold(checked(("No.", "unsupported")), Verify(withdraw_below=0.0), WORDING)


def test_one_wrong_claim_withdraws_the_answer_where_the_operator_wants_it() -> None:
    with pytest.raises(NotSupported):
        withhold(MIXED, Verify(policy="withdraw"), WORDING)


def test_a_flagged_claim_says_so_and_cites_nothing() -> None:
    flagged = withhold(MIXED, Verify(policy="flag"), WORDING).claims[1]

    assert flagged.text == "Made up. *(not confirmed by our help articles)*"
    assert flagged.passage_ids == ()


def test_a_high_stakes_reply_keeps_what_is_supported_even_if_that_is_nothing() -> None:
    assert [claim.text for claim in supported_only(MIXED).claims] == ["True.", "Also true."]
    assert supported_only(checked(("No.", "unsupported"))).claims == ()


def test_an_answer_of_flagged_claims_alone_is_none() -> None:
    with pytest.raises(NotSupported):
        withhold(checked(("No.", "unsupported"), ("No!", "unsupported")), Verify(policy="flag"), WORDING)


def test_the_articles_own_words_are_not_doubted() -> None:
    verified = Verified(Draft([Claim("Heading:\n\nQuoted.", ("a/1",), "unverified", 0.1)], "extractive"), None)

    assert settled(verified, Verify(shown_from=0.5)) == verified


def test_what_nobody_could_confirm_counts_as_unsupported_where_it_is_likely_wrong() -> None:
    draft = Draft(
        [
            Claim("True.", ("a/1",), "supported", 0.9),
            Claim("Likely.", ("a/1",), "unverified", 0.6),
            Claim("Unlikely.", ("a/1",), "unverified", 0.4),
            Claim("Nicht lesbar.", ("a/1",), "unverified"),
        ],
        "llm",
    )

    verified = settled(Verified(draft, 1.0), Verify(shown_from=0.5))

    assert [claim.support for claim in verified.draft.claims] == [
        "supported",
        "unverified",
        "unsupported",
        "unverified",
    ]
    assert verified.factuality == 0.5
