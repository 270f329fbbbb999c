"""The WixQA knowledge base (Wix, MIT licence): from the Hugging Face Hub, or local files of the same fields.

Local files may also be a corpus as BEIR has it: `_id`, `text`, and a title that may be missing or empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, islice
from pathlib import Path
from typing import Any

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge import Article, Rejected, Skipped
from handrail.knowledge.files import files_in
from handrail.knowledge.formats.html import markdown_of
from handrail.text.markdown import gist, plain, sentences

HUB_NAME = "Wix/WixQA"
HUB_CONFIG = "wix_kb_corpus"
GLUED = re.compile(r"(?<![\w/.@=&?-])[A-Z]?[a-z]{2,}(?:[A-Z][a-z]+)+\b")
CAMEL = re.compile(
    r"(Pay|Snap|Face|Drop|Soft|Big|Click|True|Open|Post|Word|Git|Dream|One|Master|Easy|Live|Quick|Page|Safe|User|Power|Air|"
    r"Data|Trip|Host|Site|Ship|Sound|Go|Tik|Tok|You|Linked|Whats|Java|Type|Hub|Ad|Ali|Doc|Send|Woo|Mail|Fed|Da|Mc|Mac)"
    r"(Pal|Chat|Book|Box|Ware|Query|Commerce|Bank|Type|Table|Script|Press|Words|Sense|Hub|Host|Page|Time|Card|Books|Speed|"
    r"Search|Way|Point|Play|Base|Advisor|Gator|Ground|Station|Cloud|Daddy|To|Tok|Tube|In|App|Spot|Express|Sign|Grid|Chimp|"
    r"Ex|Vinci|Afee)[a-z]*(?:Meeting)?"
)
"""Names whose inner capital is meant; in any other word it is the start of the next heading or sentence."""
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+)$")
CONTENTS = ("contents", "text", "html_content")
"""Fields of an article's text; what it is in HTML keeps steps and headings apart."""
WORD = re.compile(r"[^\W_]")
TITLE_WORDS, TITLE_CHARS = 12, 80
"""Of a title made of a text's first words, at most."""
LOOK_AHEAD = 20
"""Rows read to tell a file of articles from one of questions."""


class WixQA:
    """`source` is a JSON-lines file, a folder of them, or None for the Hub; `hub_name` may name a mirror."""

    def __init__(self, source: Path | None, hub_name: str = HUB_NAME) -> None:
        self._source = source
        self._hub_name = hub_name

    def articles(self) -> Iterator[Article | Rejected]:
        if self._source is not None and self._source.is_dir():
            yield from (path for path in files_in(self._source, {".jsonl"}) if isinstance(path, Skipped))
        for where, row in self.rows():
            try:
                yield _article(row)
            except KnowledgeError as error:
                yield Rejected(where, str(error))

    def rows(self) -> Iterator[tuple[str, Any]]:
        """Where each row stands, and the row as it was published. Raises KnowledgeError or MissingExtra."""
        return self._hub() if self._source is None else self._files(self._source)

    def _hub(self) -> Iterator[tuple[str, Any]]:
        try:
            from datasets import load_dataset
        except ImportError:
            raise MissingExtra("Loading WixQA from the Hub", "eval") from None
        from handrail.models import hub

        if not Path(self._hub_name).is_dir() and hub.unavailable():
            raise self._absent("the Hub doesn't respond. Set HF_HUB_OFFLINE=1 to use an earlier download")
        try:
            rows = load_dataset(self._hub_name, HUB_CONFIG, split="train")
        except Exception as error:
            raise self._absent(type(error).__name__) from error
        for number, row in enumerate(rows):
            yield f"{self._hub_name} row {number}", row

    def _absent(self, why: str) -> KnowledgeError:
        return KnowledgeError(
            f"{self._hub_name} could not be loaded from the Hub ({why}). Give a local copy instead: "
            "handrail ingest --wixqa FOLDER, with JSON lines of id, url, contents, title, article_type"
        )

    def _files(self, source: Path) -> Iterator[tuple[str, Any]]:
        if not source.exists():
            raise KnowledgeError(f"{source}: no such file or folder")
        inside = [path for path in files_in(source, {".jsonl"}) if isinstance(path, Path)] if source.is_dir() else []
        paths = [path for path in inside if path.parent == source] if source.is_dir() else [source]
        corpora = [path for path in paths if _is_corpus(path, titled=True)]
        corpora = corpora or [path for path in paths if _is_corpus(path, titled=False)]
        if not corpora:
            raise KnowledgeError(
                f"{source}: no JSON lines with the fields of articles: id or _id, contents or text or html_content, "
                "and title"
            )
        for path in corpora:
            yield from _rows(path)


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    """Where each row stands, and its JSON value; None for a line that is not UTF-8 JSON."""
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield f"{path} line {number}", _json(line)


def _json(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_corpus(path: Path, *, titled: bool) -> bool:
    """Question files lie in the same folder; only rows with articles' fields are a corpus.

    BEIR's questions have a text, too, and no title: rows without one are articles where no file has titles.
    """
    rows = (row for _, row in islice(_rows(path), LOOK_AHEAD) if isinstance(row, dict))
    return any(
        ("id" in row or "_id" in row) and any(name in row for name in CONTENTS) and ("title" in row or not titled)
        for row in rows
    )


def _article(row: Any) -> Article:
    if not isinstance(row, Mapping):
        raise KnowledgeError("not a JSON object in UTF-8")
    fields = {name: str(value).strip() for name, value in row.items() if value or type(value) is int}
    id_, url = fields.get("id") or fields.get("_id"), fields.get("url", "")
    html = fields.get("html_content")
    contents = markdown_of(html, url) if html else fields.get("contents") or fields.get("text")
    if not id_ or not contents:
        raise KnowledgeError("missing contents" if id_ else "missing id")
    lines = contents.splitlines()
    title = fields.get("title") or next(filter(None, map(_heading, lines)), "")
    lines = list(dropwhile(lambda line: bool(title) and title in (line.strip(), _heading(line)), lines))
    facets = {"article_type": fields["article_type"]} if fields.get("article_type") else {}
    text = "\n".join(lines)
    return Article(id_, title or _first_words(lines), text.strip() if html else _paragraphs(text), url, facets)


def _heading(line: str) -> str:
    """Its words; empty for a line that is none."""
    found = HEADING.match(line)
    return plain(found[1].rstrip(" \t#")) if found else ""


def _first_words(lines: Sequence[str]) -> str:
    """The first sentence, cut where it is long. Raises KnowledgeError where there is no word."""
    first = next((text for text in map(gist, lines) if WORD.search(text)), None)
    if first is None:
        raise KnowledgeError("missing title, and no text to take one from")
    sentence = sentences(first)[0].rstrip(".:")
    short = " ".join(sentence.split()[:TITLE_WORDS])[:TITLE_CHARS]
    return short if short == sentence else f"{short.rstrip(' ,;:')}…"


def _paragraphs(text: str) -> str:
    """The corpus keeps one line per paragraph and glues headings to what follows; Markdown wants blank lines."""
    text = re.sub(r"(?<=[a-z.)])(Important|Note|Notes|Tip|Tips):", r"\n\1: ", text)
    text = GLUED.sub(_apart, text)
    return "\n\n".join(line.strip() for line in text.splitlines() if line.strip())


def _apart(match: re.Match[str]) -> str:
    word = match.group()
    return word if CAMEL.fullmatch(word) else re.sub(r"(?<=[a-z]{2})(?=[A-Z])", "\n", word)
