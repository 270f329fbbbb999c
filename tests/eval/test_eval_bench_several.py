"""Which questions are joined to one message, and how."""

from __future__ import annotations

import json

from eval.bench_several import messages, plain_questions


def line(question: str, *keys: str) -> str:
    return json.dumps({"question": question, "keys": keys, "article_ids": ["a"]})


def test_only_plain_questions_of_one_sentence_are_joined() -> None:
    rows = plain_questions(
        [
            line("How do I connect a domain?", "Settings"),
            line("can I have two sites?", "two"),
            line("it does not work", "x"),
            line("Is it free? And for how long?", "x"),
            line("How much is it?"),
        ]
    )

    assert [row.question for row in rows] == ["How do I connect a domain?", "can I have two sites?"]
    ((text, _),) = messages(rows)
    assert text in {
        "How do I connect a domain? And can I have two sites?",
        "can I have two sites? And how do I connect a domain?",
    }
