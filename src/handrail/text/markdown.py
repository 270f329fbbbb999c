"""Markdown as a list of blocks with their heading path, each made of units that must never be cut.

A unit is a sentence of a paragraph, an item of a list with everything nested in it, a row of a table, or a whole
code block. Chunks are built from units and extractive answers quote them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import sentencex
from markdown_it import MarkdownIt
from markdown_it.token import Token

from handrail.text.windows import end_of

NEWLINE = re.compile(r"\r\n?|\n")
"""Line ends as the parser sees them; `str.splitlines` knows more of them and would shift its line numbers."""

CODE = r"`[^`]{1,500}`"
HTML = re.compile(CODE + r"|<!--.*?(?:-->|\Z)|</?[A-Za-z][\w.:-]*(?:\s[^<>]{0,500})?/?>|\\\n", re.S)
BREAK = re.compile(
    r"</?(?:br|p|div|section|article|h[1-6]|[uod]l|li|d[td]|table|caption|t[rdh]|thead|tbody|blockquote|pre|details|summary)"
    r"(?:\s[^<>]*)?/?>",
    re.I,
)
"""Tags at which a word ends."""
HARD_BREAK = re.compile(CODE + r"|(?:\\|(?<! ) {2,})\n|<br\s*/?>\n?", re.I)
"""Where a line ends within a paragraph; code is not looked into."""
LINKED = re.compile(r"(?<!!)\[[^\[\]]{0,500}\]\((https?://[^)\s]{1,500})")
"""The address of a link that is no picture's."""
LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^)]{0,500}\)")
GLUED = re.compile(CODE + r"|\]\([^)\s]{1,500}|https?://\S+|(?:\b[a-z]+|(?<=[)\"”]))([.!?])(?=[A-Z][a-z])")
"""A stop between words that are glued; a name such as `Rocket.Chat` is none."""
LEADING_MARKER = re.compile(r"^(\s*)(\d+[.)]|[-*+])(?:\s+|$)")
MARKS = re.compile(r"^[^\S\n]*(?:#{1,6}\s+|[-*+]\s+|\d{1,3}[.)]\s+|>\s?)+|(?<!\s)\s*\[\d{1,3}\]", re.M)
FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.M)
NUMBERED_SECTION = re.compile(r"^step (\d+)\b[:.]?\s*", re.I)
"""A heading such as "Step 2: Change the records"."""

SPECIAL = re.compile(r"[\\`*_\[\]<>|~]|&(?=#?\w+;)")
"""What Markdown may take for a mark inside a line."""
CLOSING = re.compile(r"(\*\*|__|\*|_)(?:\s+|$)")
OPEN = re.compile(r"(?<![\w*_])(\*\*|__|\*|_)(?=[^\s*_])(?:(?!\1).)*$")
"""Emphasis that nothing ends."""
RUN_IN = re.compile(r"\*\*[^*]+\*\*")
"""A heading in the line of what it is about: `**Pass a key on.** Many APIs …`."""


PADDING = re.compile(r"(?<=\|)[ \t]{2,}|[ \t]{2,}(?=\|)")
RULE = re.compile(r"-{4,}")
QUOTED = re.compile(r"^ {0,3}> ?", re.M)
QUOTES = re.compile(r"^[ \t]*+(?:>[ \t]*+)++", re.M)
WHOLE = frozenset({"ordered_list_open", "bullet_list_open", "fence", "code_block", "table_open"})
"""Blocks in which lines matter: a note that holds one is one unit."""
OWN_ANCHOR = re.compile(r"\{:? ?#([\w.:-]{1,200})[^{}]{0,200}\}$")
"""`## Uninstall {#remove}`, as Docusaurus, Pandoc, MkDocs and kramdown name the anchor of a heading."""
ANCHOR_MARK = re.compile(r'<a id="([\w.:-]{1,200})"></a>')
"""An anchor that a page names by an element of its own, most often above a heading."""
FIGURE = "**Figure, described by a machine:**"
"""Begins a note that says what a figure shows: readers and language models know it from what people wrote."""
TAB_MARK, END_OF_TABS = "{.tab}", "<!-- /tabs -->"
"""Behind the heading that is a tab's label, and in a line behind the last of several tabs."""
DEEPEST = 19
"""Blocks within each other; the parser leaves out what stands deeper."""
WINDOW = 4000
"""Characters that are cut into sentences at once."""
LONGEST_HEADING = 200
"""Characters; what is longer is text, and only its beginning stands over the section."""


def anchor_mark(anchor: str) -> str:
    """Empty for what no address can name."""
    mark = f'<a id="{anchor}"></a>'
    return mark if ANCHOR_MARK.fullmatch(mark) else ""


def clipped(heading: str) -> str:
    """A heading or title as it is shown over each passage of its section."""
    return heading if len(heading) <= LONGEST_HEADING else heading[: LONGEST_HEADING - 1].rstrip() + "…"


def run_in(said: str) -> str:
    """What stands over a note or a tab, as a heading in the line of what follows."""
    said = said.strip().strip("*")
    return f"**{said}**" if said[-1:] in tuple(".!?:") else f"**{said}:**"


def figure(said: str) -> str:
    """A note with what a machine says that a figure shows; no person wrote it."""
    return f"> {FIGURE} {said}"


def without_number(heading: str) -> str:
    """Without "Step 2:"; empty where there is nothing else."""
    return NUMBERED_SECTION.sub("", heading)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of an article."""

    kind: str
    """`paragraph`, `lines`, `ordered`, `bullets`, `table`, `note`, `figure` or `code`."""
    headings: tuple[str, ...]
    units: tuple[str, ...]
    header: str = ""
    """The header rows of a table, repeated when the table is split."""
    start: int = 1
    """Number of the first item of an ordered list."""
    anchor: str = ""
    """Of the nearest heading: its own, or the one that common sites make of it."""
    tab: tuple[str, ...] = ()
    """Labels of the tabs that it stands in, the outermost first."""
    lines: tuple[int, int] = (0, 0)
    """The first line of the article that it is made of, and the one behind its last."""

    def render(self, units: Sequence[str] | None = None) -> str:
        """Markdown of all units, or of a run of them."""
        chosen = self.units if units is None else units
        if self.kind == "table":
            return "\n".join((self.header, *chosen))
        if self.kind in ("note", "figure"):
            return "\n".join(f"> {line}" for line in " ".join(chosen).splitlines())
        return {"paragraph": " ", "lines": "  \n"}.get(self.kind, "\n").join(chosen)


def is_title(block: Block) -> bool:
    """Whether it is a line in bold and nothing else, as stands above a table."""
    return block.kind == "paragraph" and len(block.units) == 1 and bool(RUN_IN.fullmatch(block.units[0]))


@cache
def _parser() -> MarkdownIt:
    """Of blocks only: what stands in a line is not looked into, which can take the square of its length."""
    return MarkdownIt("commonmark", {"html": True, "maxNesting": DEEPEST + 1}).enable("table").disable("inline")


@cache
def _block_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def headings(text: str) -> list[tuple[int, int, int, str]]:
    """Those that stand in no list or quotation: first line from 0, the line behind it, level, and its Markdown."""
    tokens = _block_parser().parse(text)
    return [
        (token.map[0], token.map[1], int(token.tag[1]), " ".join(inline.content.split()))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def parse(text: str, lang: str = "en") -> list[Block]:
    """Blocks in reading order; heading texts are plain, without markup."""
    lines = NEWLINE.split(text)
    blocks: list[Block] = []
    path: list[_Heading] = []
    tokens = _parser().parse(text)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        end = _closing(tokens, at)
        titles = tuple(one.title for one in path)
        if token.type == "heading_open":
            level = int(token.tag[1])
            path = [one for one in path if one.level < level]
            said, heading = _heading(tokens[at + 1].content, level, path)
            path.append(heading)
            if len(said) > LONGEST_HEADING:
                titles = tuple(one.title for one in path)
                blocks.append(Block("paragraph", titles, tuple(sentences(said, lang)), anchor=heading.anchor))
        elif token.type == "html_block" and token.content.strip() == END_OF_TABS:
            tabs = [number for number, one in enumerate(path) if one.tab]
            del path[tabs[-1] if tabs else len(path) :]
        elif token.map is not None:
            block = _block(tokens[at : end + 1], lines, titles, lang)
            if block is not None and any(unit.strip() for unit in block.units):
                anchor = path[-1].anchor if path else ""
                tab = tuple(one.title for one in path if one.tab)
                blocks.append(replace(block, anchor=anchor, tab=tab, lines=(token.map[0], token.map[1])))
        at = end + 1
    return blocks


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    anchor: str
    tab: bool


def _heading(said: str, level: int, above: Sequence[_Heading]) -> tuple[str, _Heading]:
    """Its words, and what is kept of it; a tab has no anchor of its own."""
    own = OWN_ANCHOR.search(said)
    heading = plain(OWN_ANCHOR.sub("", said.removesuffix(TAB_MARK)))
    if tab := said.endswith(TAB_MARK):
        anchor = above[-1].anchor if above else ""
    else:
        anchor = own[1] if own else slug(clipped(heading))
    return heading, _Heading(level, clipped(heading), anchor, tab)


def sentences(text: str, lang: str = "en") -> list[str]:
    """Whole sentences, stripped; outside code and links, text glued after a full stop (`done.Next`) is separated.

    What is said in bold before a sentence, as a heading in its line, belongs to it.
    """
    spaced = GLUED.sub(lambda found: f"{found[0]} " if found[1] else found[0], " ".join(text.split()))
    found: list[str] = []
    for part in map(str.strip, _segments(spaced, lang)):
        ends = CLOSING.match(part)
        opened = OPEN.search(found[-1]) if ends and found else None
        if ends and opened and opened[1] == ends[1]:
            found[-1] += ends[1]
            part = part[ends.end() :]
        if part and found and RUN_IN.fullmatch(found[-1]):
            found[-1] += f" {part}"
        elif part:
            found.append(part)
    return found


def _segments(text: str, lang: str) -> list[str]:
    """As `sentencex` cuts them, but within no word, and never between the mark of an image and its description."""
    cut: list[str] = []
    for part in _windowed(text, lang):
        if cut and ((cut[-1].endswith("!") and part.startswith("[")) or (cut[-1][-1:] in ".!?" and part[:1].isalnum())):
            cut[-1] += part
        else:
            cut.append(part)
    return cut


def _windowed(text: str, lang: str) -> Iterator[str]:
    """As `sentencex` cuts the whole, which can take the square of its length: it is given a window at a time.

    Sentences near the end of a window are left to the next one, which sees what follows them. One that is as long as a
    window is cut at a space.
    """
    start = 0
    while len(text) - start > WINDOW:
        window = text[start : start + WINDOW]
        found = list(sentencex.segment(lang, window))
        if len(found) == 1 or "".join(found) != window:
            end = end_of(text, start, WINDOW)
            yield text[start:end]
            start = end
            continue
        end = 0
        for part in found[:-1]:
            if end and end + len(part) > WINDOW * 3 // 4:
                break
            yield part
            end += len(part)
        start += end
    yield from sentencex.segment(lang, text[start:])


def plain(text: str) -> str:
    """Text without emphasis, links, code ticks and tags."""
    text = _clean(LINK.sub(r"\1", text))
    return re.sub(r"\*\*|__|`", "", text).strip()


def literal(text: str) -> str:
    """Markdown that shows the text as it is, in one line: a title that names a tag is no tag."""
    return SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def gist(text: str) -> str:
    """Text in one line as a list shows it: without marks of headings, lists, quotes and citations as well."""
    return " ".join(MARKS.sub("", plain(text)).split())


def slug(heading: str) -> str:
    """Anchor of a heading, as common Markdown sites make it."""
    folded = unicodedata.normalize("NFKC", heading).lower()
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", folded).strip())


def _closing(tokens: Sequence[Token], at: int) -> int:
    if tokens[at].nesting != 1:
        return at
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _block(tokens: Sequence[Token], lines: Sequence[str], headings: tuple[str, ...], lang: str) -> Block | None:
    head = tokens[0]
    if head.type == "paragraph_open":
        return _paragraph(_source(head, lines), headings, lang)
    if head.type in ("ordered_list_open", "bullet_list_open"):
        ordered = head.type == "ordered_list_open"
        start = int(head.attrs.get("start", 1)) if ordered else 1
        return Block("ordered" if ordered else "bullets", headings, _items(tokens, lines, ordered, start), start=start)
    if head.type == "table_open":
        return _table(tokens, lines, headings)
    if head.type == "blockquote_open":
        if any(token.type in WHOLE for token in tokens):
            return Block("note", headings, (QUOTED.sub("", _source(head, lines)),))
        if any(token.level >= DEEPEST for token in tokens):
            inner = QUOTES.sub("", _source(head, lines))
        else:
            inner = " ".join(_quoted(token) for token in tokens).strip()
        kind = "figure" if inner.startswith(FIGURE) else "note"
        return Block(kind, headings, tuple(sentences(inner, lang)))
    if head.type in ("fence", "code_block"):
        return Block("code", headings, (_source(head, lines),))
    if head.type == "html_block":
        return Block("paragraph", headings, tuple(sentences(_clean(head.content), lang)))
    return None


def _paragraph(text: str, headings: tuple[str, ...], lang: str) -> Block:
    """Sentences; lines where it breaks them, as an address or a list of figures does."""
    marked = HARD_BREAK.sub(lambda found: found[0] if found[0].startswith("`") else "\0", text.rstrip())
    parts = [_clean(part) for part in marked.split("\0")]
    if len(parts) == 1:
        return Block("paragraph", headings, tuple(sentences(parts[0], lang)))
    return Block("lines", headings, tuple(" ".join(part.split()) for part in parts if part.strip()))


def _items(tokens: Sequence[Token], lines: Sequence[str], ordered: bool, start: int) -> tuple[str, ...]:
    items: list[str] = []
    for token in tokens:
        if token.type != "list_item_open" or token.level != tokens[0].level + 1 or token.map is None:
            continue
        raw = [line for line in lines[token.map[0] : token.map[1]] if line.strip()]
        if not raw:
            continue
        marker = f"{start + len(items)}." if ordered else "-"
        first = LEADING_MARKER.sub("", raw[0])
        indent = len(raw[0]) - len(first)
        if not first and len(raw) > 1:
            raw = raw[1:]
            first, indent = raw[0].lstrip(), len(raw[0]) - len(raw[0].lstrip())
        rest = [" " * max(3, len(marker) + 1) + line[min(indent, len(line) - len(line.lstrip())) :] for line in raw[1:]]
        item = "\n".join((first.strip(), *rest))
        if item:
            items.append(f"{marker} {item if FENCE.search(item) else _clean(item)}")
    return tuple(items)


def _table(tokens: Sequence[Token], lines: Sequence[str], headings: tuple[str, ...]) -> Block | None:
    if tokens[0].map is None:
        return None
    # Encoders would read little else than the spaces and dashes that align columns.
    source = lines[tokens[0].map[0] : tokens[0].map[1]]
    rows = [PADDING.sub(" ", _clean(line).strip()) for line in source if line.strip()]
    rows[1] = RULE.sub("---", rows[1])
    if len(rows) == 2:
        return Block("code", headings, ("\n".join(rows),))
    return Block("table", headings, tuple(rows[2:]), header="\n".join(rows[:2]))


def _source(token: Token, lines: Sequence[str]) -> str:
    return "\n".join(lines[token.map[0] : token.map[1]]) if token.map else ""


def _quoted(token: Token) -> str:
    if token.type in ("inline", "html_block"):
        return _clean(token.content)
    return f"`{token.content.strip()}`" if token.type in ("fence", "code_block") else ""


def _clean(text: str) -> str:
    """Text without tags and comments, a line that a backslash ends ended by spaces; code spans, autolinks and a comment
    that never ends stay as they are.
    """
    return HTML.sub(_kept, text)


def _kept(found: re.Match[str]) -> str:
    part = found[0]
    if part.startswith("`") or (part.startswith("<!--") and not part.endswith("-->")):
        return part
    if part == "\\\n":
        return "  \n"
    return " " if BREAK.fullmatch(part) else ""
