"""More of the same messages: rough copies, mash that holds product words, other companies' business."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from handrail.types import Label
from training.classifier.rows import ANY, Company, Row

WORDS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
KEYS, GREETINGS, ENDINGS, STORIES = WORDS["keys"], WORDS["greetings"], WORDS["endings"], WORDS["stories"]
OPENINGS, COMPLAINTS, OUTSIDERS = WORDS["openings"], WORDS["complaints"], WORDS["outsiders"]
THINGS, BRANDS = WORDS["things"], WORDS["brands"].split()
SALADS = {lang: words.split() for lang, words in WORDS["salads"].items()}
SALAD = SALADS["en"]
SOFTWARE = frozenset(WORDS["software"])
"""Trades that none of the outsiders is in."""
MIRRORED = [(text, Label(label)) for label, texts in WORDS["mirrored"].items() for text in texts]


def rough_copies(rows: Sequence[Row]) -> Iterator[Row]:
    """One rough copy of each row, made the same way in every class so that roughness carries no label.

    Seeded by the text, so that a row's copy does not change when others are added.
    """
    for row in rows:
        rng = random.Random(f"rough/{row.company}/{row.text}")  # noqa: S311
        yield Row(_rough(row, rng), row.label, row.company, row.group, row.weight * 0.5, row.lang)


def _rough(row: Row, rng: random.Random) -> str:
    text, kind = row.text, rng.randrange(7)
    if kind == 0:
        return text.upper()
    if kind == 1:
        return "".join(c for c in text.lower() if c.isalnum() or c.isspace())
    if kind == 2:
        return str(rng.choice(GREETINGS)) + text[0].lower() + text[1:]
    if kind == 3:
        return text + str(rng.choice(ENDINGS))
    if kind == 4 and row.label is not Label.NONSENSE:
        parts = rng.sample(STORIES, rng.randint(1, 4))
        cut = rng.randint(0, len(parts))
        return "".join(parts[:cut]) + text + " " + "".join(parts[cut:])
    return _slips(text, rng, max(1, len(text) // 18))


def _slips(text: str, rng: random.Random, times: int) -> str:
    letters = list(text)
    for _ in range(times):
        if len(letters) < 4:
            break
        at = rng.randrange(len(letters) - 1)
        if not letters[at].isalpha():
            continue
        kind = rng.randrange(3)
        if kind == 0:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif kind == 1:
            del letters[at]
        else:
            letters.insert(at, letters[at])
    return "".join(letters)


def mash(companies: Sequence[Company], rng: random.Random, count: int) -> Iterator[Row]:
    """Nonsense: keyboard mash and word salad in nine languages, most of it with words of the company's articles."""
    for n in range(count):
        company = rng.choice(companies)
        words = [w for a in company.articles for w in a["title"].split() if len(w) > 3] or ["plan", "order", "refund"]
        words += ["refund", "cancel", "account", "payment", "plan", "invoice"]
        make = (_keys, _salad, _mixed, _syllables)[n % 4]
        text = make(rng, words)
        yield Row(text.upper() if rng.random() < 0.1 else text, Label.NONSENSE, company.id, f"mash/{n % 8}", 0.5)


def _strike(rng: random.Random) -> str:
    row = rng.choice(KEYS)
    return "".join(rng.choice(row) for _ in range(rng.randint(2, 9)))


def _keys(rng: random.Random, words: Sequence[str]) -> str:
    return " ".join(_strike(rng) for _ in range(rng.randint(1, 7)))


def _mixed(rng: random.Random, words: Sequence[str]) -> str:
    parts = [rng.choice(words).lower() if rng.random() < 0.45 else _strike(rng) for _ in range(rng.randint(3, 9))]
    return " ".join([*parts, _strike(rng)]) + rng.choice(("", "?", "!!", "."))


def _salad(rng: random.Random, words: Sequence[str]) -> str:
    pool = rng.choice([SALAD, SALAD, *SALADS.values()])
    size = rng.randint(5, 12) if rng.random() < 0.9 else rng.randint(25, 60)
    parts = [rng.choice(words).lower() if rng.random() < 0.25 else rng.choice(pool) for _ in range(size)]
    text = " ".join(parts)
    return rng.choice((text, text, text.capitalize() + ".", f"Please {text}?", f"Could you kindly {text}"))


def _syllables(rng: random.Random, words: Sequence[str]) -> str:
    first = "".join(rng.choice("bdfghklmnprstwz") + rng.choice("aeiou") for _ in range(rng.randint(1, 2)))
    parts = [first] * rng.randint(2, 5) + ([rng.choice(words).lower()] if rng.random() < 0.3 else [])
    return " ".join(parts) if rng.random() < 0.7 else "".join(parts)


def other_companies(companies: Sequence[Company], rng: random.Random, count: int) -> Iterator[Row]:
    """Business with well-known brands, and its mirror image: the same request to the company itself."""
    for n in range(count):
        company = rng.choice(companies)
        text = rng.choice(OPENINGS).format(b=rng.choice(BRANDS), p=rng.choice(THINGS))
        if n % 3 == 2 and company.trade in SOFTWARE:
            text = rng.choice(COMPLAINTS).format(b=rng.choice(OUTSIDERS))
        yield Row(text, Label.IRRELEVANT, company.id, f"brands/{n % 8}", 0.5)


def own_name(companies: Sequence[Company], rng: random.Random) -> Iterator[Row]:
    for company in companies:
        for text, label in MIRRORED:
            filled = text.format(b=company.name, p=rng.choice(THINGS))
            yield Row(filled, label, company.id, company.id, 0.5)


def placed(rows: Sequence[Row], companies: Sequence[str], rng: random.Random) -> list[Row]:
    """Rows that hold for every company, each given to one."""
    return [
        Row(r.text, r.label, rng.choice(companies), r.group, r.weight, r.lang) if r.company == ANY else r for r in rows
    ]
