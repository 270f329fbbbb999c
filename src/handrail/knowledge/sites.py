"""Which generator a source was written for, and what its configuration says."""

from __future__ import annotations

import ast
import re
import tomllib
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
    "vitepress": (".vitepress", ".vuepress"),
    "mdbook": ("book.toml",),
    "gitbook": (".gitbook.yaml", ".gitbook", "SUMMARY.md"),
    "mintlify": ("mint.json",),
}
"""Files and folders that only sites of a generator have."""
ALSO = {
    "hugo": (("config.toml", "config.yaml", "config.yml", "config.json", "config/_default"), "content"),
    "nuxt": (("nuxt.config.ts", "nuxt.config.js", "nuxt.config.mjs", "content.config.ts"), "content"),
}
"""Files that other things have, too, and the folder that makes them those of a generator."""
MINTLIFY = re.compile(r"mintlify\.com/docs\.json|\"navigation\"\s*:")
"""In a `docs.json`."""
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
    "hugo": re.compile(r"\{\{[<%] */?[a-z]"),
    "mintlify": re.compile(r"^[ \t]*<(?:CardGroup|AccordionGroup|ParamField|ResponseField|CodeGroup|Frame)\b", re.M),
    "nuxt": re.compile(
        r"^::(?:callout|note|tip|warning|caution|card|card-group|code-group|tabs|steps|accordion)\b", re.M
    ),
}
"""What a page of such a site holds, where nothing else tells."""
DATA = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".text")
"""Files that are no pages where a generator makes the site: its settings, data and samples."""
PAGES = (".md", ".mdx", ".markdown", ".rst")
HOMES = ("md", "markdown", "html")
LOOKED_AT, LOOKED_INTO = 100, 20_000
"""Pages of a folder, and bytes of each, that are looked through for marks."""
JS = r"\b{}\s*:\s*(?:['\"]([^'\"\n]*)['\"]|(true|false))"
BRACED = re.compile(r"\{(?:[^{}]++|\{(?:[^{}]++|\{(?:[^{}]++|\{[^{}]*+\})*+\})*+\})*+\}")
DOCS = re.compile(r"(?:\bdocs\s*:|plugin-content-docs['\"]\s*,)\s*\{")
FOREIGN = frozenset(("_layouts", "_includes", "_data", "_drafts", "_site", "_sass", "_plugins", "node_modules"))
"""Folders of a Jekyll site that hold no pages of it."""
ABOUT = frozenset((
    "readme", "contributing", "code_of_conduct", "code-of-conduct", "security", "support", "license", "licence",
    "copying", "notice", "authors", "changelog", "governance", "maintainers", "agents", "claude", "requirements",
))  # fmt: skip
"""Files of a repository that tell those who work on it how to."""


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
        for name in (*CONFIGURED.get(self.generator, ()), *ALSO.get(self.generator, ((),))[0]):
            text = _read(self.root / name)
            if text and name.endswith((".yml", ".yaml")):
                try:
                    said = yaml.load(text, _Loader)  # noqa: S506 (a SafeLoader)
                except (yaml.YAMLError, RecursionError, ValueError):
                    return {}
                if self.generator == "hugo" and isinstance(said, dict):
                    return {str(key).lower(): value for key, value in said.items()}
                return said if isinstance(said, dict) else {}
            if text and self.generator == "docusaurus":
                return _docusaurus(text)
            if text and name.endswith(".toml"):
                return _toml(text)
            if text and name == "conf.py":
                return _constants(text)
        if self.generator == "vitepress":
            said = "".join(_read(self.root / ".vitepress" / f"config.{end}") for end in ("ts", "mts", "js", "mjs"))
            return {"cleanUrls": bool(re.search(r"\bcleanUrls\s*:\s*true", said))}
        return {}

    @property
    def content(self) -> Path:
        """The folder whose paths the addresses of pages repeat."""
        said = {
            "mkdocs": self.config.get("docs_dir", "docs"),
            "gitbook": self.config.get("root", "."),
            "docusaurus": self.config.get("path", "docs"),
            "hugo": self.config.get("contentdir", "content"),
            "nuxt": "content",
            "starlight": "src/content/docs",
        }
        inner = self.root / str(said.get(self.generator, ".")).strip("/")
        return inner if (self.configured or self.generator == "starlight") and inner.is_dir() else self.root

    def holds_no_page(self, path: Path) -> str:
        """Why a file of it is no page of its own; empty for a page."""
        parts = path.relative_to(self.root).parts if path.is_relative_to(self.root) else (path.name,)
        if self.configured and path.suffix.lower() in DATA:
            return "data files of a site"
        if self._is_part(parts):
            return "parts of pages"
        if self.generator in ("gitbook", "mdbook") and path.name in ("SUMMARY.md", "GLOSSARY.md"):
            return "tables of contents"
        if self.configured and self._is_outside(path, parts):
            return "files outside of the site's pages"
        if any(
            rule.fullmatch("/".join(parts[:depth])) for depth in range(1, len(parts) + 1) for rule in self._left_out
        ):
            return "pages that the site's configuration leaves out"
        return ""

    @cached_property
    def _left_out(self) -> list[re.Pattern[str]]:
        """Paths that the configuration of Sphinx or Jekyll excludes, and all that lies in them."""
        said = self.config.get({"sphinx": "exclude_patterns", "jekyll": "exclude"}.get(self.generator, ""))
        return [_glob(str(one).strip("/")) for one in said] if isinstance(said, list) else []

    def _is_part(self, parts: tuple[str, ...]) -> bool:
        folders = set(parts[:-1])
        if self.generator == "jekyll" and FOREIGN & folders:
            return True
        if self.generator == "sphinx" and {"_templates", "_build", "_static"} & folders:
            return True
        if self.generator == "mintlify" and parts[0] in ("snippets", "_snippets"):
            return True
        if self.generator in ("docusaurus", "starlight", "nuxt") and any(part.startswith("_") for part in parts):
            return True
        return bool(self.generator) and parts[-1].startswith("_") and self.generator not in ("sphinx", "hugo")

    def _is_outside(self, path: Path, parts: tuple[str, ...]) -> bool:
        """Whether the generator makes no page of a file because of where it lies."""
        about = len(parts) == 1 and path.stem.lower() in ABOUT
        if self.generator in ("mkdocs", "hugo", "nuxt"):
            return self.content != self.root and not path.is_relative_to(self.content)
        if self.generator in ("docusaurus", "starlight"):
            return len(parts) == 1 and path.suffix.lower() in PAGES
        if self.generator == "jekyll":
            home = path.stem.lower() == "readme" and not any((self.root / f"index.{end}").exists() for end in HOMES)
            return about and not home
        return about and self.generator == "mintlify"


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

    def tells_of_repository(self, path: Path) -> bool:
        """Whether it lies in the source's own folder, where those who work on a site in a folder below are told how."""
        if path.parent != self._root or path.stem.lower() not in ABOUT or self._configured(self._root):
            return False
        return any(self._configured(folder) for folder in _folders(self._root))

    def _look_for_files(self, folder: Path) -> str:
        for generator, names in CONFIGURED.items():
            if any((folder / name).exists() for name in names):
                return generator
        for generator, (names, inner) in ALSO.items():
            if (folder / inner).is_dir() and any((folder / name).exists() for name in names):
                return generator
        return "mintlify" if MINTLIFY.search(_read(folder / "docs.json")) else ""

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


def _folders(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError:
        return


def _glob(pattern: str) -> re.Pattern[str]:
    """`**` is any path, `*` any part of a name, as Sphinx and Jekyll have them."""
    parts = re.split(r"(\*\*/?|\*|\?)", pattern)
    made = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(made.get(part, re.escape(part)) for part in parts))


def _toml(text: str) -> dict[str, Any]:
    """By names in lower case, as Hugo reads them."""
    try:
        return {key.lower(): value for key, value in tomllib.loads(text).items()}
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _read(path: Path) -> str:
    try:
        return plain_file(path, 2_000_000).decode("utf-8-sig", errors="replace") if path.is_file() else ""
    except (OSError, KnowledgeError):
        return ""


def _docusaurus(program: str) -> dict[str, Any]:
    """Where the pages lie and stand, of which blogs and other plugins say the same of theirs."""
    begins = DOCS.search(program)
    docs = (BRACED.match(program, begins.end() - 1) if begins else None) or ("",)
    found = {
        "url": re.search(JS.format("url"), program),
        "baseUrl": re.search(JS.format("baseUrl"), program),
        "trailingSlash": re.search(JS.format("trailingSlash"), program),
        "routeBasePath": re.search(JS.format("routeBasePath"), docs[0]),
        "path": re.search(JS.format("path"), docs[0]),
    }
    return {key: one[1] if one[1] is not None else one[2] == "true" for key, one in found.items() if one}


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
