"""Units that are longer than a passage may be, cut into parts: at line ends, then at spaces, then between characters.

Everything here takes time proportional to the text, whatever is in it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from handrail.text.markdown import NEWLINE
from handrail.text.windows import windows

FENCE = re.compile(r"([ \t]{0,20})(`{3,10}(?!`)|~{3,10}(?!~))([^\n]*)")
"""Longer ones would not leave room for what they surround, and are text."""
ATOM_CHARS = 200
"""A longer line is cut into stretches of this many characters before they are put together again."""
INFO_CHARS = 20
"""Of what stands behind an opening fence, such as `python`, that is repeated where the code goes on."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What one part may have, the marks that are added to it included."""

    tokens: int
    chars: int
    count: Callable[[str], int]

    def holds(self, text: str) -> bool:
        return len(text) <= self.chars and self.count(text) <= self.tokens


@dataclass(frozen=True, slots=True)
class _Atom:
    text: str
    tokens: int
    inside: str
    """Opening fence of the code block in which it stands; empty outside code."""
    after: str
    """The same, behind it."""


def parts(text: str, limit: Limit) -> list[str]:
    """`text` in order, each part within `limit`; nothing is left out and only fences are repeated.

    Code stays code: a part that begins inside a fenced block opens the fence again, and one that ends inside it closes
    it. Parts lose the indentation that all their lines share, unless the text begins with it.
    """
    indented = text[:1].isspace()
    packed = (pack for run in _packs(_atoms(text, limit.count), limit) for pack in _within(run, limit))
    found = (_written(pack) for pack in packed)
    return [part if indented else textwrap.dedent(part) for part in found if part.strip()]


def fenced(code: str) -> str:
    """Code between fences where it is only indented, so that its lines can be told apart from text by themselves."""
    indented = all(line[:4].isspace() or not line.strip() for line in code.split("\n"))
    return f"```\n{textwrap.dedent(code)}\n```" if indented and "```" not in code else code


def _atoms(text: str, count: Callable[[str], int]) -> Iterator[_Atom]:
    fence = ""
    for line in NEWLINE.split(text):
        inside, fence = fence, _after(fence, line)
        for stretch in windows(f"{line}\n", ATOM_CHARS):
            yield _Atom(stretch, count(stretch), inside, fence)


def _after(fence: str, line: str) -> str:
    """The opening fence that is in force behind `line`."""
    found = FENCE.match(line)
    if found is None:
        return fence
    indent, marks, info = found.groups()
    if not fence:
        named = "".join(info.split()[:1])[:INFO_CHARS]
        return f"{indent}{marks}{named}" if marks[0] == "~" or "`" not in info else ""
    return "" if marks.startswith(_marks(fence)) and not info.strip() else fence


def _marks(fence: str) -> str:
    found = FENCE.match(fence)
    return found[2] if found else ""


def _packs(atoms: Iterable[_Atom], limit: Limit) -> Iterator[list[_Atom]]:
    """As many atoms together as fit by the sum of their tokens."""
    pack: list[_Atom] = []
    tokens = chars = 0
    for atom in atoms:
        fences = 2 * len(atom.inside) + 2
        if pack and (tokens + atom.tokens + fences > limit.tokens or chars + len(atom.text) + fences > limit.chars):
            yield pack
            pack, tokens, chars = [], 0, 0
        pack.append(atom)
        tokens += atom.tokens
        chars += len(atom.text)
    if pack:
        yield pack


def _within(pack: Sequence[_Atom], limit: Limit) -> Iterator[Sequence[_Atom]]:
    """Halved until it fits: tokens of a text are not always the sum of its atoms'."""
    if limit.holds(_written(pack)) or (len(pack) == 1 and len(pack[0].text) < 2):
        yield pack
        return
    if len(pack) > 1:
        halves = [pack[: len(pack) // 2], pack[len(pack) // 2 :]]
    else:
        (atom,) = pack
        middle = len(atom.text) // 2
        halves = [
            [_Atom(half, limit.count(half), atom.inside, after)]
            for half, after in ((atom.text[:middle], atom.inside), (atom.text[middle:], atom.after))
        ]
    for half in halves:
        yield from _within(half, limit)


def _written(pack: Sequence[_Atom]) -> str:
    """With the fences that a code block needs which goes on here, or goes on behind it."""
    before, after = pack[0].inside, pack[-1].after
    if before and not pack[0].after:
        pack, before = pack[1:], ""  # the fence that ends the part before, which has one
    text = "".join(atom.text for atom in pack).strip("\n").rstrip()
    opened = f"{before}\n{text}" if before else text
    return f"{opened}\n{_closing(after)}" if after else opened


def _closing(fence: str) -> str:
    found = FENCE.match(fence)
    return f"{found[1]}{found[2]}" if found else ""
