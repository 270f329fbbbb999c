"""The WixQA knowledge base (Wix, MIT licence): from the Hugging Face Hub, or local files of the same fields."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from handrail.errors import KnowledgeError, MissingExtra
from handrail.knowledge import Article, Rejected

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
FIELDS = ("id", "title")
LOOK_AHEAD = 20
"""Rows read to tell a file of articles from one of questions."""


class WixQA:
    """`source` is a JSON-lines file, a folder of them, or None for the Hub; `hub_name` may name a mirror."""

    def __init__(self, source: Path | None, hub_name: str = HUB_NAME) -> None:
        self._source = source
        self._hub_name = hub_name

    def articles(self) -> Iterator[Article | Rejected]:
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
        from handrail import hub

        if not Path(self._hub_name).is_dir() and hub.unreachable():
            raise self._absent("the Hub does not answer; with HF_HUB_OFFLINE=1 an earlier download is used")
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
        paths = sorted(source.glob("*.jsonl")) if source.is_dir() else [source]
        corpora = [path for path in paths if _is_corpus(path)]
        if not corpora:
            raise KnowledgeError(f"{source}: no JSON lines with the WixQA fields id, title and contents")
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


def _is_corpus(path: Path) -> bool:
    """Question files lie in the same folder; only rows with articles' fields are a corpus."""
    rows = (row for _, row in islice(_rows(path), LOOK_AHEAD) if isinstance(row, dict))
    return any({"id", "title"} <= row.keys() and ("contents" in row or "text" in row) for row in rows)


def _article(row: Any) -> Article:
    if not isinstance(row, Mapping):
        raise KnowledgeError("not a JSON object in UTF-8")
    fields = {name: str(value).strip() for name, value in row.items() if value}
    contents = fields.get("contents") or fields.get("text")
    missing = [name for name in FIELDS if not fields.get(name)]
    if missing or not contents:
        raise KnowledgeError(f"missing {', '.join(missing or ['contents'])}")
    lines = contents.splitlines()
    while lines and lines[0].strip() == fields["title"]:
        lines.pop(0)
    facets = {"article_type": fields["article_type"]} if fields.get("article_type") else {}
    return Article(fields["id"], fields["title"], _paragraphs("\n".join(lines)), fields.get("url", ""), facets)


def _paragraphs(text: str) -> str:
    """The corpus keeps one line per paragraph and glues headings to what follows; Markdown wants blank lines."""
    text = re.sub(r"(?<=[a-z.)])(Important|Note|Notes|Tip|Tips):", r"\n\1: ", text)
    text = GLUED.sub(_apart, text)
    return "\n\n".join(line.strip() for line in text.splitlines() if line.strip())


def _apart(match: re.Match[str]) -> str:
    word = match.group()
    return word if CAMEL.fullmatch(word) else re.sub(r"(?<=[a-z]{2})(?=[A-Z])", "\n", word)
