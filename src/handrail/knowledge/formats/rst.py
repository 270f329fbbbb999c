"""reStructuredText, as docutils reads it, with the directives and roles of Sphinx and its common extensions."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from pathlib import Path

from docutils import nodes
from docutils.core import publish_doctree
from docutils.parsers.rst import Parser
from docutils.utils import SystemMessage

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.files import files_in, plain_file
from handrail.knowledge.formats import Document
from handrail.knowledge.formats.rst_directives import Windowed, known
from handrail.knowledge.formats.rst_writer import Writer
from handrail.knowledge.includes import Room
from handrail.knowledge.links import address
from handrail.knowledge.metadata import facets
from handrail.knowledge.publication import audience, held_back
from handrail.knowledge.sites import Site
from handrail.stores.audience import Audience

LABEL = re.compile(r"\.\. _([^:`]+|`[^`]+`):\s*$")
UNDER = re.compile(r"([=\-~^\"'#*+`.:_<>])\1{2,}\s*$")
ROLE_IN_TITLE = re.compile(r":[\w:+-]+:`([^`<]*?)(?:\s*<[^`>]*>)?`|`{1,2}([^`]+)`{1,2}_?_?")
FIELD = re.compile(r"^:([\w-]+):[ \t]*(.*)$", re.M)
REFERENCE = re.compile(r"[\w`\]]__?(?!\w)")
MOST_FILES = 20_000
MOST_REFERENCES = 10_000
"""docutils looks for each that leads nowhere among all that stands beside it."""
RST = ".rst"


class Rst:
    suffixes = frozenset({".rst"})

    def read(self, document: Document) -> Iterator[Article | Rejected | Unpublished]:
        site = document.site or Site(document.root)
        text = document.text()
        around = "\n\n".join(str(site.config.get(key) or "") for key in ("rst_prolog", "rst_epilog"))
        doctree = _read(f"{text}\n\n{around}\n" if around.strip() else text, document, site)
        fields = {key.casefold(): value for key, value in _fields(doctree).items()}
        if why := held_back(fields) or ("nosearch" if "nosearch" in fields else None):
            yield Unpublished(document.id, str(document.path), why)
            return
        title, body = Writer(_titles_of(site)).page(doctree)
        yield Article(document.id, title or document.name, body, address(document, fields), facets(fields))


def fragment(text: str, document: Document, site: Site) -> str:
    """A piece of a page as Markdown. Raises KnowledgeError."""
    return Writer(_titles_of(site)).page(_read(text, document, site))[1]


def _read(text: str, document: Document, site: Site) -> nodes.document:
    settings = {
        "report_level": 5,
        "halt_level": 5,
        "warning_stream": io.StringIO(),
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "_disable_config": True,
        "syntax_highlight": "none",
        "doctitle_xform": False,
        "docinfo_xform": False,
        "smart_quotes": False,
        "line_length_limit": 1_000_000,
    }

    room = Room()

    def read(name: str) -> str | None:
        place = site.root / name.lstrip("/") if name.startswith("/") else document.path.parent / name
        found = room.read(site.root, document.max_bytes, place)
        return found[1] if found else None

    if len(REFERENCE.findall(text)) > MOST_REFERENCES:
        raise KnowledgeError(f"holds more than {MOST_REFERENCES:,} references; split the page")
    with known(text, read) as prepared:
        try:
            parser = Parser(inliner=Windowed())
            return publish_doctree(prepared, source_path=str(document.path), parser=parser, settings_overrides=settings)
        except (SystemMessage, RecursionError, ValueError, IndexError, KeyError, AttributeError) as error:
            raise KnowledgeError(f"can't be read as reStructuredText: {error or type(error).__name__}") from None


def _fields(doctree: nodes.document) -> Mapping[str, str | bool]:
    """The fields that begin a page, and what its `meta` says."""
    found: dict[str, str | bool] = {}
    first = _leading(doctree)
    first = _leading(first) if isinstance(first, nodes.section) else first
    if isinstance(first, nodes.field_list):
        for one in first.children:
            name, body = one.children[0].astext(), one.children[1].astext()
            found[name] = body.strip() or True
    for meta in doctree.findall(nodes.meta):
        found[str(meta.get("name", ""))] = str(meta.get("content", ""))
    return found


def _leading(node: nodes.Element) -> nodes.Node | None:
    """What a page or section begins with, behind its title, labels and comments."""
    return next((one for one in node.children if not isinstance(one, nodes.PreBibliographic)), None)


def _titles_of(site: Site) -> Mapping[str, str]:
    if RST not in site.kept:
        site.kept[RST] = _titles(site.root)
    return site.kept[RST]


def _titles(root: Path) -> Mapping[str, str]:
    """Titles by the names that `:ref:` and by the paths that `:doc:` calls them, of pages that everyone may read."""
    found: dict[str, str] = {}
    for path in islice((path for path in files_in(root, {RST}) if isinstance(path, Path)), MOST_FILES):
        try:
            text = plain_file(path, 2_000_000).decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
            said = {field[1].casefold(): field[2].strip() or True for field in FIELD.finditer(text)}
            if held_back(said) or audience(said) is not Audience.PUBLIC:
                continue
        except (OSError, KnowledgeError):
            continue
        name = "/" + path.relative_to(root).with_suffix("").as_posix()
        labels: list[str] = []
        lines = text.split("\n")
        for line, under in pairwise(lines):
            if label := LABEL.match(line):
                labels.append(label[1].strip("`").casefold())
            elif line.strip() and UNDER.match(under) and not UNDER.match(line) and not line.startswith((".. ", " ")):
                found.update((one, _words(line)) for one in labels)
                labels = []
                if name not in found:
                    found[name] = _words(line)
            elif line.strip() and not UNDER.match(line) and not line.startswith((".. ", " ")):
                labels = []
    return found


def _words(title: str) -> str:
    return ROLE_IN_TITLE.sub(lambda one: one[1] or one[2], title).strip()
