"""The local classifier: a linear part, a small network and an encoder that hears, and a verdict over what they say.

Of several sentences those that ask for nothing ("I run a small bakery.") are left out of account.
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from handrail.text.courtesies import without_courtesies
from handrail.types import Classification, Label, Probe, Question, Vectors
from handrail.understand.classify.cues import CONTENT, WORD, read_word, skeleton
from handrail.understand.classify.danger import without_danger
from handrail.understand.classify.features import (
    BUCKETS,
    DENSE,
    EMBEDDING_SCALE,
    NGRAM_SCALE,
    PATTERN_SCALE,
    dense_row,
    fold,
    ngrams,
    patterns,
    standardised,
    standardised_states,
)
from handrail.understand.classify.head import Head, Read
from handrail.understand.classify.trading import runs_his_business
from handrail.understand.classify.verdict import Said

READ = re.compile(r"[^\W\d_\u0000-\u024f\u0400-\u04ff]")
"""Letters of scripts that the head has seen nothing of."""
TOPIC_WORDS = 2
SHORTEST_TOPIC = 3
TOPIC_FROM = 0.62
"""Cosine of the best passage from which a bare word counts as one of the articles' topics."""
CODE = re.compile(r"\W*\d{3,6}\W*")
"""A number that may be an error's; one that the articles use is asked about."""
NOTHING = 0.8
"""How likely a sentence has to ask for nothing not to be searched for. Who one is and where from is at 0.84 and more;
what happened before a question is nearly always below 0.6 (experiment 156)."""
ANSWERED = (Label.ANSWERABLE, Label.HIGH_STAKES)
OURS, OURS_NEAR = 0.1, 0.7
"""Probability of high stakes, and cosine of the best passage, from which a message is for this company where the
articles have all it names: "cancel my electricity contract" is turned away by a bank, and not by who sells it."""
IN_DANGER_NEAR = 0.6
"""The same cosine for whoever says that something burns or explodes, which articles seldom speak of."""
ELSEWHERE = frozenset({"§brand", "§outsider"})


Sentences = Callable[[str], Awaitable[Mapping[str, Probe]]]
"""The sentences of a message of several, each with a probe of its own; none of one that is a single sentence."""


class LocalClassifier:
    """A message is only turned away when its label is at least `static_above` likely; in doubt it is a question."""

    def __init__(
        self,
        head: Head,
        static_above: float,
        company: str = "",
        sentences: Sentences | None = None,
        knows: Callable[[str], bool] | None = None,
    ) -> None:
        """`company` is the name visitors call it by; `sentences` are looked at where a probe does not hold them;
        `knows` says whether a word is one of the articles'.
        """
        self._head = head
        self._static_above = static_above
        self._company = company
        self._sentences = sentences
        self._knows = knows

    async def classify(self, question: Question, probe: Probe) -> Classification:
        """Well under a millisecond beyond the embedding for a short message; sentences are embedded one by one."""
        if not any(character.isalpha() for character in question.text):
            if CODE.fullmatch(question.text) and probe.topic.get("known", 0.0) == 1.0:
                return Classification(Label.ANSWERABLE, 0.9, "rule", {Label.ANSWERABLE: 0.9})
            return Classification(Label.NONSENSE, 0.99, "rule", {Label.NONSENSE: 0.99})
        text, asks = without_courtesies(question.text), None
        foreign = probe.foreign if probe.abroad else None
        if foreign is not None:
            probabilities = self._likely(foreign)
        else:
            if self._sentences is not None and not probe.parts:
                probe = replace(probe, parts=await self._sentences(question.text))
            whole, sentences = self.said(text, probe)
            probabilities = self._judged(text, whole, sentences)
            asks = _asking(list(probe.parts), [sentence.aside for sentence in sentences])
        label = max(probabilities, key=probabilities.__getitem__)
        if label is Label.NONSENSE and _names_a_topic(text, probe):
            return Classification(Label.ANSWERABLE, 1.0 - probabilities[label], "rule", probabilities, asks=asks)
        unread = label in (Label.NONSENSE, Label.IRRELEVANT) and foreign is None and _foreign(text)
        if unread or (label not in ANSWERED and probabilities[label] < self._static_above):
            label = max(ANSWERED, key=probabilities.__getitem__)
        if label is Label.IRRELEVANT and self._ours_to_settle(text, probabilities[Label.HIGH_STAKES], probe):
            label = Label.HIGH_STAKES
        if label is Label.HIGH_STAKES and runs_his_business(text):
            return Classification(Label.ANSWERABLE, 1.0 - probabilities[label], "rule", probabilities, asks=asks)
        return Classification(label, probabilities[label], "local", probabilities, asks=asks)

    def _ours_to_settle(self, text: str, high_stakes: float, probe: Probe) -> bool:
        """Whether a message that may be serious, or tells of danger, is about what the articles are about."""
        besides = without_danger(text)
        near = OURS_NEAR if besides == text else IN_DANGER_NEAR
        return (besides != text or high_stakes >= OURS) and self._ours(besides, probe, near)

    def _ours(self, text: str, probe: Probe, near: float) -> bool:
        """Whether the articles have all that a message names, and it names nobody else."""
        if self._knows is None or probe.topic.get("passage_top", 0.0) < near:
            return False
        read = {word: read_word(word.replace("’", "'")) for word in WORD.findall(fold(text, self._company))}
        named = [word for word, cue in read.items() if cue == CONTENT]
        return bool(named) and ELSEWHERE.isdisjoint(read.values()) and all(map(self._knows, named))

    def said(self, text: str, probe: Probe) -> tuple[Said, list[Said]]:
        """Of the whole and of each sentence; `text` is without courtesies, as the probe is."""
        return self._said(text, probe), [self._said(part, of) for part, of in probe.parts.items()]

    def probabilities(self, text: str, probe: Probe) -> dict[Label, float]:
        """`text` as for `said`. Of a message in another language what is heard of it counts alone."""
        if probe.abroad and probe.foreign is not None:
            return self._likely(probe.foreign)
        return self._judged(text, *self.said(text, probe))

    def _judged(self, text: str, whole: Said, sentences: Sequence[Said]) -> dict[Label, float]:
        # What hears may be too busy for the sentences when it has heard the whole: who judges must have judged all.
        judges = min(len(said.logits) for said in (whole, *sentences))
        verdict = self._head.verdicts[judges]
        logits = verdict.logits(text, whole.first(judges), [said.first(judges) for said in sentences])
        return self._likely(logits)

    def _likely(self, logits: Vectors) -> dict[Label, float]:
        return dict(zip(self._head.labels, _softmax(logits).tolist(), strict=True))

    def _said(self, text: str, probe: Probe) -> Said:
        head = self._head
        folded = fold(text, self._company)
        cues = skeleton(folded)
        near = standardised(dense_row(probe.topic, cues), head.means, head.scales)
        grams, shape = ngrams(folded), patterns(cues)
        states = standardised_states(probe.embedding, head.state_means, head.state_scales)
        read = Read(probe.embedding, near, shape, states)
        size = len(probe.embedding)
        first_gram = size + DENSE
        first_pattern = first_gram + BUCKETS
        linear = head.bias + EMBEDDING_SCALE * probe.embedding @ head.weights[:size]
        linear += near @ head.weights[size:first_gram]
        linear += NGRAM_SCALE * grams.values @ head.weights[first_gram + grams.buckets]
        linear += PATTERN_SCALE * shape.values @ head.weights[first_pattern + shape.buckets]
        hidden = head.network.logits(read)
        aside = float(read.weighed(head.aside)) + head.aside_bias
        logits = np.stack([linear, hidden])
        if probe.label_scores is not None:
            logits = np.vstack([logits, probe.label_scores])
        return Said(logits, 1 / (1 + math.exp(-aside)))


def _asking(sentences: Sequence[str], asides: Sequence[float]) -> str | None:
    """What to search with; None where every sentence asks for something, or none does."""
    kept = [sentence for sentence, aside in zip(sentences, asides, strict=True) if aside < NOTHING]
    return " ".join(kept) if 0 < len(kept) < len(sentences) else None


def _softmax(logits: Vectors) -> Vectors:
    exponents = np.exp(logits - logits.max())
    found: Vectors = exponents / exponents.sum()
    return found


def _names_a_topic(text: str, probe: Probe) -> bool:
    """Whether a message is a word or two of the articles, and near one of them: "invoice", but not "plan plan"."""
    words = text.casefold().split()
    whole = 1 <= len(words) == len(set(words)) <= TOPIC_WORDS and all(len(word) >= SHORTEST_TOPIC for word in words)
    return whole and probe.topic.get("known", 0.0) == 1.0 and probe.topic.get("passage_top", 0.0) >= TOPIC_FROM


def _foreign(text: str) -> bool:
    """Whether most letters are of a script the head cannot judge; such a message is taken for a question."""
    letters = sum(character.isalpha() for character in text)
    return 2 * len(READ.findall(text)) > letters
