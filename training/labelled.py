"""Every labelled message there is, each with the questions that its file answers, and rough copies of them."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from handrail.text.courtesies import without_courtesies
from handrail.turn import wording

ROOT = Path(__file__).parents[1]
ACTS = (
    "request", "greeting", "thanks", "yes", "no", "asks_person", "about_assistant", "chat", "wrong_answer",
    "still_fails",
)  # fmt: skip
DEPENDS, REFUSES, CRISIS = "depends", "refuses_offer", "crisis"
FLAGS = (DEPENDS, REFUSES, CRISIS)
MATTERS = (*wording.MATTERS, "other")
REQUEST, ASKS_PERSON, CHAT = "request", "asks_person", "chat"

INTENTS = ("answerable", "high_stakes", "out_of_scope", "irrelevant", "nonsense")
INTENTS_READ = 4000
SHORT, NEGATIVE, HARD, POSITIVE, PLAIN = 2.0, 0.3, 1.5, 3.0, 1.0
"""Weights: of an act other than a request, of a message that only by its origin says no, of one that looks like a yes
and is none, of a yes about crisis, and of the rest."""
SAD, MILD = ("!!", "...", "??", " 😢", " 😭", " :(", " plz"), ("!!", "...", "!", " :)", " 😊", "!!!")
POLITE = 0.12
"""Of requests, those that are copied with a greeting or thanks."""
FRAGILE = 6
"""Characters below which a dropped letter may leave another word."""


@dataclass(frozen=True, slots=True)
class Flag:
    yes: bool
    weight: float = PLAIN


@dataclass(frozen=True, slots=True)
class Row:
    text: str
    lang: str
    source: str
    """The file's stem, or a label of `eval/training/intents`."""
    group: int
    """That of the row it is a copy of: folds never part them."""
    acts: tuple[str, ...] = ()
    """Those that it may be; empty where nobody said."""
    act_weight: float = PLAIN
    flags: Mapping[str, Flag] = field(default_factory=dict)
    matter: str | None = None
    """Of a serious message: one of MATTERS; None where nobody said."""
    copy: bool = False


def labelled() -> list[Row]:
    """Rows as they were written, then their copies."""
    rows = [*_acts(), *_crisis(), *_refusals(), *_follow_ups(), *_intents()]
    rows = [replace(row, group=group) for group, row in enumerate([*rows, *_matters()])]
    return [*rows, *_copies(rows)]


def held_out() -> list[Row]:
    """What is only measured."""
    return list(_acts("acts.held-out.jsonl"))


def _acts(name: str = "acts.jsonl") -> Iterator[Row]:
    for row in _lines(ROOT / "training" / "rows" / name):
        act = row["act"]
        flags = {
            DEPENDS: Flag(row["depends"]),
            REFUSES: Flag(row["refuses_offer"], SHORT if row["refuses_offer"] else PLAIN),
            CRISIS: Flag(False),
        }
        yield Row(row["text"], row["lang"], "acts", 0, (act,), PLAIN if act == REQUEST else SHORT, flags)


def _matters() -> Iterator[Row]:
    """Serious messages, and some that are not, none of them about despair."""
    for row in _lines(ROOT / "training" / "rows" / "matters.jsonl"):
        yield Row(row["text"], row["lang"], "matters", 0, flags={CRISIS: Flag(False)}, matter=row["matter"])


def _crisis() -> Iterator[Row]:
    """`language|text` a line."""
    other = tuple(act for act in ACTS if act != ASKS_PERSON)
    files: dict[str, tuple[tuple[str, ...], dict[str, Flag]]] = {
        CRISIS: ((), {CRISIS: Flag(True, POSITIVE)}),
        "harmless": ((), {CRISIS: Flag(False, HARD)}),
        "person": ((ASKS_PERSON,), {CRISIS: Flag(False)}),
        "not_person": (other, {CRISIS: Flag(False, HARD)}),
    }
    for name, (acts, flags) in files.items():
        for line in (ROOT / "eval" / "training" / "crisis" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            lang, _, text = line.partition("|")
            yield Row(text, lang, name, 0, acts, HARD, flags)


def _refusals() -> Iterator[Row]:
    for row in _lines(ROOT / "eval" / "training" / "offers" / "refusals.jsonl"):
        if not row["held_out"]:
            yield Row(row["text"], row["lang"], "offers", 0, flags={REFUSES: Flag(row["declines"], SHORT)})


def _follow_ups() -> Iterator[Row]:
    for row in _lines(ROOT / "eval" / "training" / "follow_ups" / "pairs.jsonl"):
        yield Row(row["text"], "en", "follow_ups", 0, flags={DEPENDS: Flag(row["depends"])})


def _intents() -> list[Row]:
    """Some of every language. Those that no article can answer may ask for a person; nobody looked."""
    paths = sorted((ROOT / "eval" / "training" / "intents").rglob("*.jsonl"))
    lines = [row for path in paths for row in _lines(path) if "label" in row]
    found = [(row["label"], row.get("lang", "en"), row["text"]) for row in lines]
    random.Random(0).shuffle(found)  # noqa: S311
    return [_intent(*row) for row in found[:INTENTS_READ]]


def _intent(label: str, lang: str, text: str) -> Row:
    flags = {CRISIS: Flag(False)}
    if label in ("irrelevant", "nonsense"):
        return Row(text, lang, label, 0, (CHAT,) if label == "nonsense" else (), flags=flags)
    flags |= {DEPENDS: Flag(False, NEGATIVE), REFUSES: Flag(False, NEGATIVE)}
    if label == "answerable":
        return Row(text, lang, label, 0, (REQUEST,), PLAIN, flags)
    return Row(text, lang, label, 0, (REQUEST, ASKS_PERSON), PLAIN, flags)


def _copies(rows: Sequence[Row]) -> Iterator[Row]:
    """Of rows that were written for these questions: one with slips, one without what courtesies are cut off it, some
    requests with a courtesy around them, and half of what is about despair in front of or behind another message.

    Chance goes by the row's text, so that more rows leave the copies of the others as they are."""
    besides = [row for row in rows if row.source == "answerable" and len(row.text) < 90]
    around = {act: [row for row in rows if row.acts == (act,) and len(row.text) < 16] for act in ("greeting", "thanks")}
    for row in rows:
        chance = random.Random(row.text)  # noqa: S311
        bare = without_courtesies(row.text)
        if bare != row.text.strip():
            yield replace(row, text=bare, copy=True)
        if row.acts and row.acts[0] == REQUEST and chance.random() < POLITE:
            act = chance.choice(("greeting", "thanks"))
            if said := [other.text for other in around[act] if other.lang == row.lang]:
                both = (chance.choice(said), row.text) if act == "greeting" else (row.text, chance.choice(said))
                yield replace(row, text=chance.choice((", ", ". ", " ", "\n")).join(both), copy=True)
        if row.source in INTENTS:
            continue
        about_despair = row.source in (CRISIS, "harmless")
        yield replace(row, text=rough(row.text, chance, SAD if about_despair else MILD), copy=True)
        if about_despair and chance.random() < 0.5:
            others = [other.text for other in besides if other.lang == row.lang]
            both = (row.text.rstrip(" .!?"), chance.choice(others or [besides[0].text]))
            yield replace(row, text=chance.choice((". ", ", ", " ", "\n")).join(chance.sample(both, 2)), copy=True)


def rough(text: str, chance: random.Random, endings: Sequence[str]) -> str:
    """With a slip in every twenty characters, without accents, case or punctuation: each of them sometimes."""
    letters = list(text)
    dropped = ("",) if len(letters) >= FRAGILE else ()
    for _ in range(max(1, len(letters) // 18) if chance.random() < 0.5 else 0):
        at = chance.randrange(len(letters))
        if letters[at].isalpha():
            letters[at] = chance.choice((*dropped, letters[at] * 2, letters[at] + letters[at - 1]))
    text = "".join(letters)
    if chance.random() < 0.3 and not re.search("[\u0400-\u06ff]", text):
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    text = text.lower() if chance.random() < 0.5 else text
    text = text.upper() if chance.random() < 0.1 else text
    text = re.sub(r"[.,!?']", "", text) if chance.random() < 0.3 else text
    return text + (chance.choice(endings) if chance.random() < 0.3 else "")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
