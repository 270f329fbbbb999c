"""The local head: multinomial logistic regression and a small network, mixed and calibrated; under a megabyte.

Of several sentences those that ask for nothing ("I run a small bakery.") are left out of account.
"""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handrail.classify.cues import CONTENT, WORD, read_word, skeleton
from handrail.classify.danger import without_danger
from handrail.classify.features import (
    BUCKETS,
    DENSE,
    EMBEDDING_SCALE,
    FURTHEST,
    HIDDEN_EMBEDDING_SCALE,
    HIDDEN_PATTERN_SCALE,
    HIDDEN_PATTERNS,
    NGRAM_SCALE,
    PATTERN_SCALE,
    Sparse,
    dense_row,
    fold,
    ngrams,
    patterns,
    standardised,
    standardised_states,
)
from handrail.classify.trading import runs_his_business
from handrail.courtesies import without_courtesies
from handrail.errors import SettingsError
from handrail.types import Classification, Label, Probe, Question, Vectors

READ = re.compile(r"[^\W\d_\u0000-\u024f\u0400-\u04ff]")
"""Letters of scripts that the head has seen nothing of."""


@dataclass(frozen=True, slots=True)
class Head:
    """Weights as `eval/train_classifier.py` writes them."""

    labels: tuple[Label, ...]
    weights: Vectors
    """`(embedding + dense + n-gram buckets + pattern buckets, labels)` float32, of the linear part."""
    bias: Vectors
    network: Network
    mix: Mix
    mix_heard: Mix | None
    """Where an encoder that was taught the labels is heard, too; None in a head that was fitted without one."""
    means: Vectors
    scales: Vectors
    state_means: Vectors
    """`(layers * d,)`, of what `Embedding.states` holds."""
    state_scales: Vectors
    aside: Vectors
    """Over what the network reads: how likely a sentence asks for nothing, before the logistic function."""
    aside_bias: float
    embedder: str


@dataclass(frozen=True, slots=True)
class Mix:
    """What the linear part, the network and the encoder weigh, and what is added to each label last."""

    weights: Vectors
    offsets: Vectors

    def logits(self, *parts: NDArray[Any]) -> Vectors:
        found: Vectors = self.weights @ np.stack(parts) + self.offsets
        return found.astype(np.float32)


@dataclass(frozen=True, slots=True)
class Network:
    """One hidden layer of rectified units over what a Read holds."""

    inward: Vectors
    """`(embedding + dense + HIDDEN_PATTERNS + states, units)` float32."""
    inward_bias: Vectors
    outward: Vectors
    outward_bias: Vectors

    def logits(self, read: Read) -> Vectors:
        raised = self.inward_bias + read.weighed(self.inward)
        found: Vectors = np.maximum(raised, 0.0) @ self.outward + self.outward_bias
        return found


@dataclass(frozen=True, slots=True)
class Read:
    """What the network reads of a text."""

    embedding: Vectors
    near: Vectors
    """Nearness and shape, standardised."""
    shape: Sparse
    states: Vectors
    """Standardised; zero where the encoder shows none."""

    def weighed(self, weights: Vectors) -> NDArray[Any]:
        """By rows for the embedding, nearness and shape, the pattern buckets, the states."""
        size = len(self.embedding)
        first_pattern = size + DENSE
        found: NDArray[Any] = HIDDEN_EMBEDDING_SCALE * self.embedding @ weights[:size]
        found += self.near.clip(-FURTHEST, FURTHEST) @ weights[size:first_pattern]
        found += (
            HIDDEN_PATTERN_SCALE * self.shape.values @ weights[first_pattern + self.shape.buckets % HIDDEN_PATTERNS]
        )
        found += self.states @ weights[first_pattern + HIDDEN_PATTERNS :]
        return found


def load_head(path: Path | None, embedder: str) -> Head:
    """The file given, or the one that ships. Raises SettingsError when it belongs to another embedder."""
    source = path if path is not None else files("handrail.classify") / "head.npz"
    try:
        with np.load(BytesIO(source.read_bytes()), allow_pickle=False) as stored:
            head = Head(
                labels=tuple(Label(str(name)) for name in stored["labels"]),
                weights=stored["weights"].astype(np.float32) * stored["units"].astype(np.float32),
                bias=stored["bias"].astype(np.float32),
                network=Network(
                    stored["inward"].astype(np.float32) * stored["inward_units"].astype(np.float32),
                    stored["inward_bias"].astype(np.float32),
                    stored["outward"].astype(np.float32),
                    stored["outward_bias"].astype(np.float32),
                ),
                mix=Mix(stored["mix"], stored["offsets"]),
                mix_heard=Mix(stored["mix_heard"], stored["offsets_heard"]) if "mix_heard" in stored else None,
                means=stored["means"].astype(np.float32),
                scales=stored["scales"].astype(np.float32),
                state_means=stored["state_means"].astype(np.float32),
                state_scales=stored["state_scales"].astype(np.float32),
                aside=stored["aside"].astype(np.float32),
                aside_bias=float(stored["aside_bias"]),
                embedder=str(stored["embedder"]),
            )
    except (OSError, ValueError, KeyError) as error:
        raise SettingsError(f"classify.head: {source} is not a classifier head: {error}") from None
    if head.embedder != embedder:
        raise SettingsError(
            f"the classifier head was trained with {head.embedder}, not {embedder}: train one with "
            '`python -m eval.train_classifier` and set classify.head, or use classify.mode = "llm" or "off"'
        )
    return head


TOPIC_WORDS = 2
SHORTEST_TOPIC = 3
TOPIC_FROM = 0.62
"""Cosine of the best passage from which a bare word counts as one of the articles' topics."""
CODE = re.compile(r"\W*\d{3,6}\W*")
"""A number that may be an error's; one that the articles use is asked about."""
ASIDE = 0.25
"""How likely a sentence has to ask for nothing for the sentences to be weighed one by one."""
NOTHING = 0.8
"""How likely a sentence has to ask for nothing not to be searched for. Who one is and where from is at 0.84 and more;
what happened before a question is nearly always below 0.6 (experiment 156)."""
SHARPNESS = 8
"""Power of a sentence's likelihood to ask for something in its weight."""
WHOLE = 0.2
"""Share that the whole message keeps there: what it wants may be in no sentence alone (experiments 92, 130)."""
TOLD = 0.9
"""Probability of high stakes, in the whole message, that no weighing of its sentences lowers: a burnt hand asks for
nothing, and still counts; a boss breathing down one's neck does not (experiments 142 and 162)."""
ALONE, HEARD, BREATH = 0.7, 0.2, 0.4
"""Probability of high stakes, in a sentence alone and in the whole message, from which a question is one for a person,
too: "the chain came off and I have stitches. Which chain fits?". How likely the sentence may be to ask for nothing:
above are bosses that breathe down one's neck (experiment 162)."""
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
        interpret: Callable[[str], str] | None = None,
    ) -> None:
        """`company` is the name visitors call it by; `sentences` are looked at where a probe does not hold them;
        `knows` says whether a word is one of the articles'; `interpret` reads other languages in English, as probes do.
        """
        self._head = head
        self._static_above = static_above
        self._company = company
        self._sentences = sentences
        self._knows = knows
        self._interpret = interpret

    async def classify(self, question: Question, probe: Probe) -> Classification:
        """Well under a millisecond beyond the embedding for a short message; sentences are embedded one by one."""
        if not any(character.isalpha() for character in question.text):
            if CODE.fullmatch(question.text) and probe.topic.get("known", 0.0) == 1.0:
                return Classification(Label.ANSWERABLE, 0.9, "rule", {Label.ANSWERABLE: 0.9})
            return Classification(Label.NONSENSE, 0.99, "rule", {Label.NONSENSE: 0.99})
        if self._sentences is not None and not probe.parts:
            probe = replace(probe, parts=await self._sentences(question.text))
        text = without_courtesies(question.text)
        text = self._interpret(text) if self._interpret is not None else text
        read = [self._read(part, of) for part, of in probe.parts.items()]
        probabilities = self._weighed(text, probe, read)
        asks = _asking(list(probe.parts), [aside for _, aside in read])
        label = max(probabilities, key=probabilities.__getitem__)
        if label is Label.NONSENSE and _names_a_topic(text, probe):
            return Classification(Label.ANSWERABLE, 1.0 - probabilities[label], "rule", probabilities, asks=asks)
        unread = label in (Label.NONSENSE, Label.IRRELEVANT) and _foreign(text)
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

    def probabilities(self, text: str, probe: Probe) -> dict[Label, float]:
        """`text` is without courtesies, as the probe is."""
        return self._weighed(text, probe, [self._read(part, of) for part, of in probe.parts.items()])

    def _weighed(self, text: str, probe: Probe, read: Sequence[tuple[Vectors, float]]) -> dict[Label, float]:
        whole, _ = self._read(text, probe)
        labels, stakes = self._head.labels, self._head.labels.index(Label.HIGH_STAKES)
        found = heard = _softmax(whole)
        if read:
            asides = np.asarray([aside for _, aside in read])
            if asides.max() >= ASIDE:
                weights = ((1 - asides) / (1 - asides.min())) ** SHARPNESS
                logits = WHOLE * whole + (1 - WHOLE) * weights @ np.stack([of for of, _ in read]) / weights.sum()
                found = _softmax(logits)
                found = _raised(found, stakes, heard[stakes]) if heard[stakes] >= TOLD else found
            alone = max((float(_softmax(of)[stakes]) for of, aside in read if aside < BREATH), default=0.0)
            if labels[found.argmax()] is Label.ANSWERABLE and alone >= ALONE and heard[stakes] >= HEARD:
                found = _raised(found, stakes, alone)
        return dict(zip(labels, found.tolist(), strict=True))

    def _read(self, text: str, probe: Probe) -> tuple[Vectors, float]:
        """Logits, and how likely the text asks for nothing."""
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
        if probe.heard is not None and head.mix_heard is not None:
            logits = head.mix_heard.logits(linear, hidden, probe.heard)
        else:
            logits = head.mix.logits(linear, hidden)
        return logits, 1 / (1 + math.exp(-aside))


def _asking(sentences: Sequence[str], asides: Sequence[float]) -> str | None:
    """What to search with; None where every sentence asks for something, or none does."""
    kept = [sentence for sentence, aside in zip(sentences, asides, strict=True) if aside < NOTHING]
    return " ".join(kept) if 0 < len(kept) < len(sentences) else None


def _softmax(logits: Vectors) -> Vectors:
    exponents = np.exp(logits - logits.max())
    found: Vectors = exponents / exponents.sum()
    return found


def _raised(found: Vectors, label: int, least: float) -> Vectors:
    """`found` with that label at least as likely, at the others' cost."""
    if found[label] >= least:
        return found
    raised: Vectors = found * ((1 - least) / max(1 - found[label], 1e-9))
    raised[label] = least
    return raised


def _names_a_topic(text: str, probe: Probe) -> bool:
    """Whether a message is a word or two of the articles, and near one of them: "invoice", but not "plan plan"."""
    words = text.casefold().split()
    whole = 1 <= len(words) == len(set(words)) <= TOPIC_WORDS and all(len(word) >= SHORTEST_TOPIC for word in words)
    return whole and probe.topic.get("known", 0.0) == 1.0 and probe.topic.get("passage_top", 0.0) >= TOPIC_FROM


def _foreign(text: str) -> bool:
    """Whether most letters are of a script the head cannot judge; such a message is taken for a question."""
    letters = sum(character.isalpha() for character in text)
    return 2 * len(READ.findall(text)) > letters
