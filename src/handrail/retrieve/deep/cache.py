"""Evidence found before for nearly the same question."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from handrail.retrieve import Retriever
from handrail.retrieve.deep import Layer, Ranker
from handrail.types import Evidence, Hit, Probe, Reading, Vectors

NAME = re.compile(r"[A-Z][\w-]*|\w*\d[\w.-]*|\w+[-_]\w*\d\w*")
TERM = re.compile(r"[\w]+(?:[-./:'’][\w]+)*")
CODE = re.compile(r".*\d.*|\w*_\w*")
"""`TW-3001`, `err_ssl`; capitals such as `ENOENT` count, too."""
NEGATIONS = frozenset(
    """
    not no never without cannot nicht kein keine keinen nie ohne ne pas jamais sans nunca sin não sem не нет
    без никогда لا لم لن ليس بدون
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class _Entry:
    embedding: Vectors
    terms: frozenset[str]
    scope: str
    evidence: Evidence


class SemanticCache(Layer):
    """Reuses what was found for a question at least `full` alike; from `partial` on it is ranked with a new search.

    Bypassed where exact terms differ: numbers, error codes, names, negations. Emptied when `generation` changes.
    Messages that were read with their conversation neither fill it nor use it. Holds at most `most` questions, in
    memory only, as embeddings, exact terms and passages: no visitor's text.
    """

    def __init__(
        self,
        inner: Retriever,
        ranker: Ranker,
        names: Collection[str],
        generation: Callable[[], str],
        *,
        full: float,
        partial: float,
        most: int,
    ) -> None:
        super().__init__(inner)
        self._ranker = ranker
        self._names = frozenset(names)
        self._generation = generation
        self._full = full
        self._partial = partial
        self._most = most
        self._entries: OrderedDict[int, _Entry] = OrderedDict()
        self._added = 0
        self._of = generation()
        self.reused = {"full": 0, "partial": 0, "none": 0}

    async def retrieve(
        self, query: str, filters: Mapping[str, str], probe: Probe | None = None, reading: Reading | None = None
    ) -> Evidence:
        if reading is not None and reading.depends:
            return await self._inner.retrieve(query, filters, probe, reading)
        self._renew()
        probe = probe if probe is not None else await self._inner.probe(query)
        terms, scope = exact_terms(query, self._names), _scope(filters)
        key, likeness = self._nearest(probe.embedding, terms, scope)
        entry = self._entries.get(key) if key is not None else None
        if entry is not None and likeness >= self._full:
            self.reused["full"] += 1
            self._entries.move_to_end(key or 0)
            return await self._ranker.ranked(query, _found(entry.evidence))
        found = await self._inner.retrieve(query, filters, probe)
        if entry is not None and likeness >= self._partial:
            self.reused["partial"] += 1
            found = await self._ranker.ranked(query, _merged(_found(found), _found(entry.evidence)))
        else:
            self.reused["none"] += 1
        self._keep(_Entry(probe.embedding, terms, scope, replace(found, query="")))
        return found

    def __len__(self) -> int:
        return len(self._entries)

    def _renew(self) -> None:
        now = self._generation()
        if now != self._of:
            self._entries.clear()
            self._of = now

    def _nearest(self, embedding: Vectors, terms: frozenset[str], scope: str) -> tuple[int | None, float]:
        usable = [(key, e) for key, e in self._entries.items() if e.terms == terms and e.scope == scope]
        if not usable:
            return None, 0.0
        cosines = np.stack([entry.embedding for _, entry in usable]) @ embedding
        best = int(cosines.argmax())
        return usable[best][0], float(cosines[best])

    def _keep(self, entry: _Entry) -> None:
        self._added += 1
        self._entries[self._added] = entry
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)


def exact_terms(query: str, names: Collection[str]) -> frozenset[str]:
    """What must be equal for two questions to be the same, case-folded: numbers, codes, known names, negations."""
    terms = {term.replace("’", "'") for term in TERM.findall(query)}
    shouted = query.isupper()
    return frozenset(
        folded
        for term in terms
        if (folded := term.casefold()) in names
        or folded in NEGATIONS
        or folded.endswith("n't")
        or CODE.fullmatch(term)
        or (len(term) > 1 and term.isupper() and not shouted)
    )


def names_in(titles: Collection[str]) -> frozenset[str]:
    """Words of titles that are written like names: capitals anywhere but at the title's start."""
    return frozenset(word.casefold() for title in titles for word in NAME.findall(title.partition(" ")[2]))


def _scope(filters: Mapping[str, str]) -> str:
    return blake2b(repr(sorted(filters.items())).encode(), digest_size=12).hexdigest()


def _found(evidence: Evidence) -> list[Hit]:
    return [hit for hit in evidence.hits if not hit.neighbour]


def _merged(first: list[Hit], second: list[Hit]) -> list[Hit]:
    seen = {hit.passage.id for hit in first}
    return first + [hit for hit in second if hit.passage.id not in seen]
