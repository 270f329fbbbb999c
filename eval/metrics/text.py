"""Answers against reference answers, by words: token F1, ROUGE-1 and BLEU, each in [0, 1]."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from handrail.answer.citations import MARKER

IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
MARKUP = re.compile(r"[*_`#>|~]+")
LIST_MARK = re.compile(r"(?m)^\s*(?:[-*+•]|\d+[.)])\s+")
WORD = re.compile(r"\w+(?:['’.,:/-]\w+)*")
ARTICLES = frozenset(("a", "an", "the"))
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'“(]?[A-Z0-9])")


def plain(text: str) -> str:
    """Markdown as a reader sees it, without citation marks, addresses and list marks."""
    unlinked = LINK.sub(r"\1", IMAGE.sub(r"\1", text))
    unmarked = MARKER.sub(lambda found: found["code"] or "", unlinked)
    return MARKUP.sub("", LIST_MARK.sub("", unmarked)).strip()


def words(text: str) -> list[str]:
    """Lower-case words and numbers of `plain(text)`."""
    return [word.lower().replace("’", "'") for word in WORD.findall(plain(text))]


def statements(text: str) -> list[str]:
    """Sentences, list items and table rows that say something: three words or a number."""
    lines = (line for line in plain(text).split("\n") if line.strip())
    found = (part.strip() for line in lines for part in SENTENCE_END.split(line))
    return [part for part in found if len(WORD.findall(part)) >= 3 or any(c.isdigit() for c in part)]


def holds(text: str, key: str) -> bool:
    """Whether the words of `key` stand in `text` one after the other."""
    return f" {' '.join(words(key))} " in f" {' '.join(words(text))} "


def token_f1(answer: str, reference: str) -> float:
    """Overlap of words without articles, as for SQuAD (Rajpurkar et al., 2016)."""
    said, wanted = (Counter(word for word in words(text) if word not in ARTICLES) for text in (answer, reference))
    if not said or not wanted:
        return float(said == wanted)
    shared = (said & wanted).total()
    return 2 * shared / (said.total() + wanted.total())


def rouge1(answer: str, reference: str) -> float:
    """F-measure of unigrams with Porter stemming, by rouge-score (Lin, 2004)."""
    return float(_rouge().score(plain(reference), plain(answer))["rouge1"].fmeasure)


def bleu(answer: str, reference: str) -> float:
    """Of one answer, smoothed, by sacrebleu (Papineni et al., 2002; Post, 2018)."""
    return float(_bleu().sentence_score(plain(answer), [plain(reference)]).score) / 100


@lru_cache(maxsize=1)
def _rouge() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rouge1"], use_stemmer=True)


@lru_cache(maxsize=1)
def _bleu() -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(effective_order=True)
