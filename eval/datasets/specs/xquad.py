"""XQuAD (Google DeepMind): a question in one language over English paragraphs, the same for every language."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from eval.datasets.held import corpus_of, read_json, shaped, untitled
from eval.datasets.lines import BadRow, Line
from eval.datasets.spec import Rows, Source, Spec, numbered
from handrail.knowledge import Article

LANGUAGES = ("en", "ar", "de", "el", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")


def paragraphs(lang: str, source: Source) -> list[tuple[str, Any]]:
    """Each with an id that is the same in every language."""
    name = f"xquad.{lang}.json"
    held = read_json(source, name)

    def read() -> Iterator[tuple[str, Any]]:
        for article, item in enumerate(held["data"], 1):
            for number, paragraph in enumerate(item["paragraphs"], 1):
                yield f"{article}-{number}", paragraph

    found: list[tuple[str, Any]] = shaped(name, lambda: list(read()))
    return found


def questions(lang: str, source: Source) -> list[Line | BadRow]:
    """In the order of their ids, so that the first ones are of many paragraphs."""
    rows = [
        {"id": asked["id"], "question": asked["question"], "article_ids": [name]}
        for name, paragraph in paragraphs(lang, source)
        for asked in paragraph["qas"]
    ]
    return numbered(sorted(rows, key=lambda row: str(row["id"])))


def articles(source: Source) -> list[Article]:
    return [untitled(name, paragraph["context"]) for name, paragraph in paragraphs("en", source)]


SPECS = tuple(
    Spec(
        name=f"xquad-{lang}",
        title=f"XQuAD, questions in {lang} over the English paragraphs",
        licence="CC BY-SA 4.0",
        source="github.com/google-deepmind/xquad",
        kb="eval-xquad",
        rows={"retrieval": Rows(partial(questions, lang))},
        corpus=corpus_of(articles),
        needs_data=True,
    )
    for lang in LANGUAGES
)
