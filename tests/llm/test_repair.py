"""What is taken for the JSON of a reply, whole and while it is written."""

from __future__ import annotations

import json

import pytest
from pydantic_core import from_json

from handrail.llm.repair import json_in, json_so_far

ANSWER = {"claims": [{"text": "Use </think> or {braces}.", "passage_ids": ["a/1"]}], "answered": "fully"}
TEXT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"<think>\nLet me see {{not JSON}}.\n</think>\n\n{TEXT}",
        f"<thought>First.</thought><think>Then.</think>{TEXT}",
        f"<think>one <think>two</think> three</think>{TEXT}",
        f"The visitor asks about plans, so {{a}} fits.\n</think>\n{TEXT}",
        f"```json\n{TEXT}\n```",
        f"<think>hm</think>\n```\n{TEXT}\n```\nI hope this helps!",
        f"Here is the JSON you asked for:\n\n{TEXT}\n\nLet me know if you need {{more}}.",
        f"{TEXT}\n{TEXT}",
        TEXT[:-1],
        f"<think>hm</think>{TEXT[:-1]}  \n",
    ],
)
def test_the_object_of_a_reply_is_found(reply: str) -> None:
    assert json.loads(json_in(reply)) == ANSWER


def test_line_breaks_inside_strings_are_read() -> None:
    assert json.loads(json_in('{"text": "one\ntwo"}')) == {"text": "one\ntwo"}


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I don't know.",
        '{"text": "hel',
        '{"text"',
        '{"amount": 12',
        '{"claims": [{"text": "Yes.", "passage_ids": ["a/1"]}',
        '{"claims": [], "answered":',
        '{"text": "yes"} or rather {"text": "no"}',
        '{"text": "yes"} or rather {"text": "n',
        '<think>I would say {"text": "yes"}',
        "{" * 100_000,
        '{"a":' * 100_000,
    ],
)
def test_what_could_be_read_in_two_ways_is_no_json(reply: str) -> None:
    with pytest.raises(ValueError):
        from_json(json_in(reply))


@pytest.mark.parametrize("before", ["", "<think>so {it} is</think>", "swallowed {tag}</think>\n", "```json\n", "\n\n"])
def test_of_a_growing_reply_only_the_object_is_shown_and_never_taken_back(before: str) -> None:
    shown = ""
    reply = before + TEXT
    for end in range(len(reply) + 1):
        now = json_so_far(reply[:end])
        assert now.startswith(shown)
        assert TEXT.startswith(now)
        shown = now
    assert shown == TEXT


@pytest.mark.parametrize("reply", ["<think>never ends " + TEXT, "Of course! " + TEXT, "plain words"])
def test_what_may_still_be_reasoning_is_held_back(reply: str) -> None:
    assert json_so_far(reply) == ""
