"""The questions that ship, and what is said of a file that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.decide.questions import NONE_OF_THESE, DecisionInputs, load_decisions
from handrail.errors import PermanentError

DECISIONS = load_decisions()


def test_all_that_are_asked_are_there() -> None:
    assert DECISIONS.names == [
        "act", "answers", "crisis", "depends_on_history", "guidance", "leak", "promise", "route", "supported",
        "wants_person",
    ]  # fmt: skip


@pytest.mark.parametrize("name", DECISIONS.names)
def test_each_renders_with_its_inputs_alone_and_choices_offer_none(name: str) -> None:
    decision = DECISIONS[name]

    state = decision.rendered({key: f"<{key}>" for key in decision.inputs})

    assert list(state.values()) == [f"<{key}>" for key in decision.inputs]
    assert (NONE_OF_THESE in decision.options) is (decision.kind == "choice")
    assert all(decision.options.values())


def test_what_visitors_write_is_no_template() -> None:
    assert DECISIONS["crisis"].rendered({"message": "{{ 7 * 7 }}"}) == {"message": "{{ 7 * 7 }}"}


@pytest.mark.parametrize(("inputs", "says"), [({}, "message"), ({"message": "x", "mesage": "y"}, "mesage")])
def test_wrong_inputs_are_named(inputs: dict[str, object], says: str) -> None:
    with pytest.raises(DecisionInputs, match=says):
        DECISIONS["crisis"].rendered(inputs)


GOOD = """
name = "weather"
version = 1
kind = "choice"
inputs = ["message"]
question = "What weather does the message speak of?"
[state]
message = "{{ message }}"
[options]
rain = "Water falls."
none_of_these = "None."
"""


def read(tmp_path: Path, text: str, name: str = "weather") -> list[str]:
    (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    return load_decisions(tmp_path).names


def test_a_folder_of_one_s_own_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD) == ["weather"]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('none_of_these = "None."', 'sun = "Sun."', "none_of_these"),
        ('kind = "choice"', 'kind = "yes_no"', "the options yes and no"),
        ("{{ message }}", "{{ mesage }}", "does not render"),
        ("{{ message }}", "{{ message", "does not render"),
        ("version = 1", "version = 0", "version"),
        ('kind = "choice"', 'kind = "essay"', "kind"),
        ('name = "weather"', 'name = "climate"', "climate"),
        ("[options]", "[options", "weather.toml"),
        ("inputs =", "input =", "inputs"),
    ],
)
def test_a_file_that_is_no_question_is_named(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(PermanentError, match=says) as caught:
        read(tmp_path, GOOD.replace(old, new))

    assert "weather.toml" in str(caught.value)
