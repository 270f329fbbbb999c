"""Which generator a source was written for, and what its configuration says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import yaml

from handrail.errors import KnowledgeError
from handrail.knowledge.files import plain_file

CONFIGURED = {
    "docusaurus": ("docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"),
    "mkdocs": ("mkdocs.yml", "mkdocs.yaml"),
    "jekyll": ("_config.yml", "_config.yaml", "_includes", "_layouts"),
    "starlight": ("astro.config.mjs", "astro.config.ts", "astro.config.js"),
    "sphinx": ("conf.py", "myst.yml", "_toc.yml"),
    "hugo": ("hugo.toml", "hugo.yaml", "hugo.yml", "archetypes"),
    "vitepress": (".vitepress",),
    "mdbook": ("book.toml",),
    "gitbook": (".gitbook.yaml", ".gitbook", "SUMMARY.md"),
}
"""Files and folders that only sites of a generator have."""
MARKED = {
    "docusaurus": re.compile(r"^import .* from ['\"]@(?:docusaurus|theme|site)/", re.M),
    "starlight": re.compile(r"^import .* from ['\"](?:@astrojs/starlight|~/components/)", re.M),
    "gitbook": re.compile(r"\{% (?:hint style=|tabs %|tab title=|content-ref |endhint)"),
    "mkdocs": re.compile(r"^(?:!!! \w+|\?\?\?\+? \w+|=== \"|-{1,2}8<-{1,2} \")", re.M),
    "jekyll": re.compile(r"\{% (?:include|capture|assign|link|highlight) |\{\{ ?(?:site|page)\.|^\{: ?[.#]", re.M),
    "sphinx": re.compile(
        r"^\.\. (?:toctree|seealso|only|tabs|code-tab|automodule)::|:(?:doc|ref):`"
        r"|^(?:`{3,}|:{3,})\{(?:note|warning|tip|toctree|eval-rst|admonition|code-block)\}|\{(?:doc|ref)\}`",
        re.M,
    ),
}
"""What a page of such a site holds, where nothing else tells."""
DATA = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".text")
"""Files that are no pages where a generator makes the site: its settings, data and samples."""
PAGES = (".md", ".mdx", ".markdown", ".rst")
LOOKED_AT, LOOKED_INTO = 100, 20_000
"""Pages of a folder, and bytes of each, that are looked through for marks."""
JS = r"\b{}\s*:\s*(?:['\"]([^'\"\n]*)['\"]|(true|false))"
FOREIGN = frozenset(("_layouts", "_includes", "_data", "_drafts", "_site", "_sass", "_plugins", "node_modules"))
"""Folders of a Jekyll site that hold no pages of it."""


@dataclass(frozen=True)
class Site:
    root: Path
    """Where its configuration lies; else the source itself."""
    generator: str = ""
    """Empty for Markdown of no generator that is known."""
    configured: bool = field(default=False, compare=False)
    """Whether files of the generator lie there."""

    kept: dict[str, Mapping[str, str]] = field(default_factory=dict, compare=False, repr=False)
    """What a format has found out about the whole site."""

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """Empty where there is none that can be read."""
        for name in CONFIGURED.get(self.generator, ()):
            text = _read(self.root / name)
            if text and name.endswith((".yml", ".yaml")):
                try:
                    said = yaml.load(text, _Loader)  # noqa: S506 (a SafeLoader)
                except (yaml.YAMLError, RecursionError, ValueError):
                    return {}
                return said if isinstance(said, dict) else {}
            if text and self.generator == "docusaurus":
                keys = ("url", "baseUrl", "routeBasePath", "trailingSlash")
                found = {key: re.search(JS.format(key), text) for key in keys}
                return {key: one[1] if one[1] is not None else one[2] == "true" for key, one in found.items() if one}
            if text and name == "conf.py":
                return _constants(text)
        return {}

    @property
    def content(self) -> Path:
        """The folder whose paths the addresses of pages repeat."""
        folder = {"mkdocs": self.config.get("docs_dir", "docs"), "gitbook": self.config.get("root", ".")}.get(
            self.generator, "docs" if self.generator == "docusaurus" else "."
        )
        inner = self.root / str(folder).strip("/")
        return inner if self.configured and inner.is_dir() else self.root

    def holds_no_page(self, path: Path) -> str:
        """Why a file of it is no page of its own; empty for a page."""
        parts = path.relative_to(self.root).parts if path.is_relative_to(self.root) else (path.name,)
        if self.configured and path.suffix.lower() in DATA:
            return "data files of a site"
        if self.generator == "jekyll" and FOREIGN & set(parts[:-1]):
            return "parts of pages"
        if self.generator and parts[-1].startswith("_") and self.generator not in ("sphinx", "hugo"):
            return "parts of pages"
        if self.generator in ("docusaurus", "starlight") and any(part.startswith("_") for part in parts):
            return "parts of pages"
        if self.generator == "sphinx" and {"_templates", "_build", "_static"} & set(parts[:-1]):
            return "parts of pages"
        if self.generator in ("gitbook", "mdbook") and path.name in ("SUMMARY.md", "GLOSSARY.md"):
            return "tables of contents"
        return ""


class Sites:
    """Of one source, which may hold several."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._configured = lru_cache(maxsize=None)(self._look_for_files)
        self._marked = lru_cache(maxsize=None)(self._look_for_marks)
        self._site = lru_cache(maxsize=None)(Site)

    def of(self, path: Path) -> Site:
        """The folder above the source is looked at for a configuration, too: `docs` is a part of a site."""
        inside = [folder for folder in path.parents if folder == self._root or folder.is_relative_to(self._root)]
        for folder in (*inside, *([self._root.absolute().parent] if inside else [])):
            if found := self._configured(folder):
                return self._site(folder, found, configured=True)
        found = next(filter(None, map(self._marked, inside)), "")
        return self._site(self._root, found)

    def _look_for_files(self, folder: Path) -> str:
        for generator, names in CONFIGURED.items():
            if any((folder / name).exists() for name in names):
                return generator
        return ""

    def _look_for_marks(self, folder: Path) -> str:
        """The generator whose marks most of the pages have that have any; files in inner folders don't count."""
        votes: dict[str, int] = {}
        for path in islice(_pages(folder), LOOKED_AT):
            text = _read(path)[:LOOKED_INTO]
            for generator, mark in MARKED.items():
                votes[generator] = votes.get(generator, 0) + bool(mark.search(text))
        best = max(votes, key=votes.__getitem__, default="")
        return best if votes.get(best) else ""


def _pages(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(path for path in folder.iterdir() if path.suffix.lower() in PAGES)
    except OSError:
        return


def _read(path: Path) -> str:
    try:
        return plain_file(path, 2_000_000).decode("utf-8-sig", errors="replace") if path.is_file() else ""
    except (OSError, KnowledgeError):
        return ""


def _constants(program: str) -> dict[str, Any]:
    """What a configuration in Python sets to a text or a list of texts; nothing of it is run."""
    found: dict[str, Any] = {}
    try:
        body = ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    for one in body:
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            try:
                found[one.targets[0].id] = ast.literal_eval(one.value)
            except (ValueError, TypeError, SyntaxError, RecursionError):
                continue
    return found


class _Loader(yaml.SafeLoader):
    """MkDocs configurations name Python functions, which nobody here calls."""


def _ignored(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> None:
    return None


_Loader.add_multi_constructor("!", _ignored)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _ignored)
