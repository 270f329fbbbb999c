"""What tells a claim that a passage states from one that only sounds like it: named signals for one pair.

Each kind of lie has its own signal: changed numbers, names, polarity, duty, extent, conditions and order; how much of
the claim the passage covers tells the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from handrail.text.words import Sentence, Token, sentences, tokens
from handrail.verify import lexicon, negation
from handrail.verify.lexicon import STOP, alike, opposed, rivals
from handrail.verify.numbers import Quantity, is_code, quantities

LEXICAL = frozenset(
    lexicon.OBLIGATION | lexicon.PERMISSION | lexicon.CERTAINTY | lexicon.UNIVERSAL | lexicon.RESTRICTION
)
ORDERING = ("before", "after", "first", "then", "once", "until", "following", "afterwards", "next")


@dataclass(frozen=True, slots=True)
class Window:
    """One or two sentences that stand side by side."""

    first: int
    last: int
    start: int
    end: int
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Aligned:
    """A claim's content word and its counterpart in a window."""

    claim: int
    passage: int
    opposite: bool


def windows(text: str) -> list[Window]:
    """Every sentence, and every two that follow each other."""
    parts = sentences(text)
    singles = [_window(parts, i, i) for i in range(len(parts))]
    return singles + [_window(parts, i, i + 1) for i in range(len(parts) - 1)]


def _window(parts: Sequence[Sentence], first: int, last: int) -> Window:
    words = tuple(token for part in parts[first : last + 1] for token in part.tokens)
    return Window(first, last, parts[first].start, parts[last].end, words)


@lru_cache(maxsize=1024)
def content(words: tuple[Token, ...]) -> Sequence[int]:
    """Positions of words that carry meaning of their own."""
    return [index for index, word in enumerate(words) if _carries(word.lower)]


@lru_cache(maxsize=8192)
def _carries(word: str) -> bool:
    if word in STOP or word in LEXICAL or negation.is_negator(word):
        return False
    return any(letter.isalpha() for letter in word)


def align(claim: tuple[Token, ...], window: tuple[Token, ...]) -> list[Aligned]:
    """Each content word of the claim with the first word of the window that is the same, alike, or its opposite."""
    there = content(window)
    pairs = []
    for index in content(claim):
        one = claim[index].stem
        same = next((j for j in there if window[j].stem == one), None)
        like = next((j for j in there if alike(one, window[j].stem)), None) if same is None else same
        if like is not None:
            pairs.append(Aligned(index, like, False))
            continue
        other = next((j for j in range(len(window)) if opposed(one, window[j].stem)), None)
        if other is not None:
            pairs.append(Aligned(index, other, True))
    return pairs


def coverage(claim: tuple[Token, ...], window: tuple[Token, ...]) -> float:
    """Share of the claim's content words that the window has, numbers included."""
    wanted = content(claim)
    numbers = quantities(claim)
    total = len(wanted) + len(numbers)
    if not total:
        return 0.0
    known = quantities(window)
    found = sum(not pair.opposite for pair in align(claim, window))
    found += sum(any(number.equals(other) for other in known) for number in numbers)
    return found / total


def best_window(claim: tuple[Token, ...], found: Sequence[Window]) -> Window | None:
    """The first window that covers the claim most; a pair of sentences must earn its length."""
    return max(
        found, key=lambda window: coverage(claim, window.tokens) - 0.04 * (window.last - window.first), default=None
    )


def signals(claim_text: str, passage_text: str, context: str, window: Window) -> dict[str, float]:
    """Lexical signals of one claim sentence against its best window. `context` is the title and headings."""
    claim = tokens(claim_text)
    around = tokens(context)
    whole = tokens(passage_text)
    pairs = align(claim, window.tokens)
    wanted = content(claim)
    covered = {pair.claim for pair in pairs if not pair.opposite}
    everywhere = {pair.claim for pair in align(claim, (*around, *whole)) if not pair.opposite}
    n = max(1, len(wanted))
    return {
        "cover": len(covered) / n,
        "cover_passage": len(everywhere) / n,
        "missing": float(len(set(wanted) - everywhere)),
        "missing_here": float(len(set(wanted) - covered)),
        "reverse": len({pair.passage for pair in pairs}) / max(1, len(content(window.tokens))),
        "rivals": float(_rivals(claim, window.tokens, pairs)),
        "exchanged": float(_exchanged(claim, window.tokens, pairs)),
        "missing_run": float(_longest_run(wanted, everywhere)),
        "scattered": len(covered) / n - _best_clause(claim, window, passage_text),
        "bound_elsewhere": float(_bound_elsewhere(claim, window, passage_text)),
        "claim_words": float(len(claim)),
        **_numbers(claim, window.tokens, whole),
        **_names(claim, window.tokens, (*around, *whole)),
        **_polarity(claim, claim_text, window.tokens, passage_text, pairs),
        **_extent(claim, claim_text, window, passage_text),
        "order": _order(claim, pairs),
        "time_flip": _time_flip(claim, window.tokens),
        "place_flip": _place_flip(claim, window.tokens),
        "turned": _turned(pairs),
        "number_misbound": _misbound(claim, claim_text, window, passage_text),
    }


def _rivals(claim: tuple[Token, ...], window: tuple[Token, ...], pairs: Sequence[Aligned]) -> int:
    """Words of the claim in whose place the window seems to have another thing of the same kind."""
    mine, theirs = {pair.claim for pair in pairs}, {pair.passage for pair in pairs}
    free = [window[index].stem for index in content(window) if index not in theirs]
    return sum(any(rivals(claim[i].stem, other) for other in free) for i in content(claim) if i not in mine)


def _exchanged(claim: tuple[Token, ...], window: tuple[Token, ...], pairs: Sequence[Aligned]) -> int:
    """Places where the frame is the same and the filler is not: "the grey cable" for "the yellow cable"."""
    at = {pair.claim: pair.passage for pair in pairs}
    mine, theirs = content(claim), content(window)
    taken = set(at.values())
    count = 0
    for place, index in enumerate(mine):
        if index in at:
            continue
        before = at.get(mine[place - 1]) if place else None
        after = at.get(mine[place + 1]) if place + 1 < len(mine) else None
        free = [j for j in theirs if j not in taken]
        follows = before is not None and any(0 < j - before <= 3 for j in free)
        precedes = after is not None and any(0 < after - j <= 3 for j in free)
        count += follows and precedes if before is not None and after is not None else follows or precedes
    return count


def _longest_run(wanted: Sequence[int], covered: set[int]) -> int:
    """Content words in a row that the passage has nowhere: an addition, more than a paraphrase."""
    longest = run = 0
    for index in wanted:
        run = 0 if index in covered else run + 1
        longest = max(longest, run)
    return longest


def clauses(window: Window, text: str) -> list[tuple[Token, ...]]:
    """Parts between commas, semicolons, colons, full stops, "and" and "but"."""
    parts: list[list[Token]] = [[]]
    for index, word in enumerate(window.tokens):
        gap = text[window.tokens[index - 1].end : word.start] if index else ""
        if any(sign in gap for sign in ",;:.!?\n|(") or word.lower in ("and", "but", "while", "whereas"):
            parts.append([])
        parts[-1].append(word)
    return [tuple(part) for part in parts if part]


def _best_clause(claim: tuple[Token, ...], window: Window, text: str) -> float:
    """Share of the claim's content words that one clause alone has."""
    n = max(1, len(content(claim)))
    found = (len([p for p in align(claim, part) if not p.opposite]) / n for part in clauses(window, text))
    return max(found, default=0.0)


def _bound_elsewhere(claim: tuple[Token, ...], window: Window, text: str) -> int:
    """Numbers of the claim that the passage says of another name: 12 kg of Flex, where the claim speaks of Light."""
    mine = {word.stem for word in names(claim)}
    here = quantities(claim)
    count = 0
    for number in here:
        near = [part for part in clauses(window, text) if _has(number, quantities(part))]
        there = {word.stem for part in near for word in names(part)}
        count += bool(near and mine and there and not mine & there)
    return count


def _numbers(claim: tuple[Token, ...], window: tuple[Token, ...], whole: tuple[Token, ...]) -> dict[str, float]:
    here, near, far = quantities(claim), quantities(window), quantities(whole)
    absent = [number for number in here if not _has(number, far)]
    return {
        "number_absent": float(len(absent)),
        "number_elsewhere": float(sum(not _has(number, near) for number in here) - len(absent)),
        "number_conflict": float(any(_rival(number, near) for number in here if not _has(number, near))),
        "number_found": float(sum(_has(number, near) for number in here)),
    }


def _has(number: Quantity, known: Sequence[Quantity]) -> bool:
    return any(number.equals(other) for other in known)


def _rival(number: Quantity, known: Sequence[Quantity]) -> bool:
    """Another value of the same kind stands there."""
    return any(number.unit == other.unit and not number.equals(other) for other in known)


def names(words: tuple[Token, ...]) -> list[Token]:
    """Codes, abbreviations, and capitalised words that do not open the sentence."""
    return [
        word
        for index, word in enumerate(words)
        if (any(c.isdigit() for c in word.text) and any(c.isalpha() for c in word.text))
        or (word.text.isupper() and len(word.text) > 1)
        or is_code(word.text)
        or (index and word.text[0].isupper() and word.text != "I" and not word.text.startswith("I'"))
    ]


def _names(claim: tuple[Token, ...], window: tuple[Token, ...], whole: tuple[Token, ...]) -> dict[str, float]:
    near, far = {word.stem for word in window}, {word.stem for word in whole}
    mine = names(claim)
    there = {word.stem for word in names(window)}
    used = {word.stem for word in claim}
    return {
        "name_absent": float(sum(word.stem not in far for word in mine)),
        "name_elsewhere": float(sum(word.stem in far and word.stem not in near for word in mine)),
        "name_dropped": float(len(there - used)),
        "name_found": float(sum(word.stem in near for word in mine)),
    }


def _polarity(
    claim: tuple[Token, ...], claim_text: str, window: tuple[Token, ...], passage: str, pairs: Sequence[Aligned]
) -> dict[str, float]:
    mine, theirs = negation.negated(claim, claim_text), negation.negated(window, passage)
    flips = [(mine[pair.claim] != theirs[pair.passage]) != pair.opposite for pair in pairs]
    opposites = [pair for pair in pairs if pair.opposite]
    here, there = negation.count(claim), negation.count(window)
    return {
        "flips": float(sum(flips)),
        "flip_share": sum(flips) / len(flips) if flips else 0.0,
        "opposites": float(sum(mine[p.claim] == theirs[p.passage] for p in opposites)),
        "parity": float(here % 2 != there % 2),
        "negation_added": float(here > 0 and there == 0),
        "negation_lost": float(here == 0 and there > 0),
    }


def _extent(claim: tuple[Token, ...], claim_text: str, window: Window, passage_text: str) -> dict[str, float]:
    mine = {word.lower for word in claim}
    theirs = {word.lower for word in window.tokens}
    text, other = f" {claim_text.lower()} ", f" {passage_text[window.start : window.end].lower()} "
    must_mine, must_theirs = _obliges(mine, text), _obliges(theirs, other)
    upper, lower = (any(f" {word} " in text for word in words) for words in (lexicon.UPPER, lexicon.LOWER))
    upper_there, lower_there = (any(f" {word} " in other for word in words) for words in (lexicon.UPPER, lexicon.LOWER))
    return {
        "must_added": float(must_mine and not must_theirs),
        "must_lost": float(must_theirs and not must_mine),
        "sure_added": float(bool(mine & lexicon.CERTAINTY) and not theirs & lexicon.CERTAINTY),
        "maybe_lost": float(bool(theirs & lexicon.POSSIBILITY) and not mine & lexicon.POSSIBILITY),
        "maybe_added": float(bool(mine & lexicon.HEDGES) and not theirs & lexicon.POSSIBILITY | lexicon.PERMISSION),
        "all_added": float(bool(mine & lexicon.UNIVERSAL) and not theirs & lexicon.UNIVERSAL),
        "all_lost": float(bool(theirs & lexicon.UNIVERSAL) and not mine & lexicon.UNIVERSAL),
        "only_added": float(bool(mine & lexicon.RESTRICTION) and not theirs & lexicon.RESTRICTION),
        "only_lost": float(bool(theirs & lexicon.RESTRICTION) and not mine & lexicon.RESTRICTION),
        "bound_flip": float((upper and lower_there and not upper_there) or (lower and upper_there and not lower_there)),
        "condition_dropped": _dropped(mine, claim, window.tokens),
    }


def _obliges(words: set[str], text: str) -> bool:
    return bool(words & lexicon.OBLIGATION) or " have to " in text or " has to " in text


def _dropped(mine: set[str], claim: tuple[Token, ...], window: tuple[Token, ...]) -> float:
    """Share of the window's "if …", "unless …", "only …" that the claim leaves unsaid; 0 where there is none."""
    strong = {"if", "unless", "except", "only", "until", "when", "provided"}
    starts = [index for index, word in enumerate(window) if word.lower in strong]
    if not starts or mine & strong:
        return 0.0
    worst = 0.0
    for start in starts:
        clause = [window[start + 1 + i] for i in content(window[start + 1 : start + 9])]
        if clause:
            said = sum(any(alike(word.stem, other.stem) for other in claim) for word in clause)
            worst = max(worst, 1 - said / len(clause))
    return worst


def _order(claim: tuple[Token, ...], pairs: Sequence[Aligned]) -> float:
    """Share of aligned pairs that stand the other way round, where the claim speaks of an order at all."""
    if not any(word.lower in ORDERING for word in claim):
        return 0.0
    places = [pair.passage for pair in pairs if not pair.opposite]
    turned = [places[i] > places[j] for i in range(len(places)) for j in range(i + 1, len(places))]
    return sum(turned) / len(turned) if turned else 0.0


def _turned(pairs: Sequence[Aligned]) -> float:
    """Share of words that stand next to each other in the claim and the other way round in the window."""
    places = [pair.passage for pair in pairs if not pair.opposite]
    return sum(one > other for one, other in pairwise(places)) / max(1, len(places) - 1)


def _misbound(claim: tuple[Token, ...], claim_text: str, window: Window, text: str) -> float:
    """How much better what is said of a number fits a clause of the window that has another number of its kind."""
    theirs = clauses(window, text)
    worst = 0.0
    for mine in clauses(Window(0, 0, 0, len(claim_text), claim), claim_text):
        for number in quantities(mine):
            own = [_shared(mine, part) for part in theirs if _has(number, quantities(part))]
            apart = [part for part in theirs if not _has(number, quantities(part))]
            other = [_shared(mine, part) for part in apart if _rival(number, quantities(part))]
            if own and other:
                worst = max(worst, max(other) - max(own))
    return worst


def _shared(claim: tuple[Token, ...], part: tuple[Token, ...]) -> float:
    """Share of the claim's content words that a clause has."""
    return sum(not pair.opposite for pair in align(claim, part)) / max(1, len(content(claim)))


def _place_flip(claim: tuple[Token, ...], window: tuple[Token, ...]) -> float:
    """Pairs such as "over" and "under" of which the claim says one and the window only the other."""
    mine, theirs = ({word.lower for word in words} for words in (claim, window))
    return float(
        sum(
            bool(mine & one and theirs & other and not mine & other and not theirs & one)
            for one, other in (*lexicon.PLACES, *((b, a) for a, b in lexicon.PLACES))
        )
    )


def _time_flip(claim: tuple[Token, ...], window: tuple[Token, ...]) -> float:
    """The claim says "before" and the passage only "after", or the other way round."""
    mine, theirs = ({word.lower for word in words} & {"before", "after"} for words in (claim, window))
    return float(len(mine) == 1 and len(theirs) == 1 and mine != theirs)
