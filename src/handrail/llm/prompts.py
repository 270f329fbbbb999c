"""Prompts as versioned Jinja2 templates: where their text comes from, and how it is rendered.

A template has two blocks, `system` and `user`, below a header comment that names its version, inputs and output type.
Text written by others (visitors, articles, drafts) goes through the `quoted` filter, so it cannot close the tag it
stands in.
"""

from __future__ import annotations

import hashlib
import logging
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from handrail.errors import PermanentError
from handrail.settings.paths import site_dir

logger = logging.getLogger(__name__)

HEADER = re.compile(r"\A\{#-?(?P<body>.*?)-?#\}", re.DOTALL)
FIELD = re.compile(r"^\s*(?P<key>version|inputs|output):\s*(?P<value>.+?)\s*$", re.MULTILINE)
NAME = re.compile(r"[a-z][a-z0-9_]{0,60}")
TAGS = (
    "passage", "passages", "article", "articles", "related", "wrong", "message", "conversation", "draft", "claim",
    "title", "titles", "offer", "offers", "query", "reply", "system", "user",
)  # fmt: skip
UNSEEN = r"\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
"""Characters that nobody sees, which may stand between the letters of a word, too."""
SPELT = "|".join(f"[{UNSEEN}]*".join(name) for name in TAGS)
TAG = re.compile(
    rf"[<\uff1c\u2039\ufe64\u2329\u27e8\u3008](?=[\s/\uff0f\u2044\u2215\\{UNSEEN}]*(?:{SPELT})(?![^\W_]))",
    re.IGNORECASE,
)
"""What may open or close a tag of the templates, however it is disguised."""


class PromptError(PermanentError):
    """A prompt is missing or does not render; the message names the prompt and what is wrong."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """One version of one template, not yet rendered."""

    text: str
    version: str
    """The header's `version` for local files; the registry's own number elsewhere."""
    origin: str
    """`local` or the name of the registry, such as `langfuse`."""


@dataclass(frozen=True, slots=True)
class PromptHeader:
    """What the header comment of a template declares."""

    version: str
    inputs: tuple[str, ...]
    output: str


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """What is sent to the model, and which template it came from."""

    name: str
    system: str
    user: str
    version: str
    digest: str
    """First 12 hexadecimal digits of the template text's SHA-256."""
    origin: str


class PromptSource(Protocol):
    def text(self, name: str) -> PromptText:
        """The template to use now, from memory or disk: called inside a turn, so it never waits for a network.

        Raises PromptError when there is no such prompt.
        """
        ...

    def names(self) -> list[str]:
        """All prompts of this source, sorted."""
        ...


class LocalPrompts:
    """Templates from a folder, read again on each use so that an edit takes effect at once.

    `own` is a folder that stands before it: what it holds of the same names is used instead.
    """

    def __init__(self, folder: Path | None = None, own: Path | None = None) -> None:
        found = folder or site_dir("prompts")
        if found is None:
            raise PromptError("the folder prompts/ is missing. Run from a clone, or reinstall handrail")
        if own is not None and not own.is_dir():
            raise PromptError(f"there is no folder of prompts {own}: check prompts.folder")
        self._folder = found
        self._own = own

    def text(self, name: str) -> PromptText:
        if not NAME.fullmatch(name):
            raise PromptError(f"{name!r} is not a prompt name: use lower-case letters, digits and underscores")
        path = self._folder / f"{name}.j2"
        if self._own is not None and (self._own / path.name).is_file():
            path = self._own / path.name
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            known = ", ".join(self.names()) or "none"
            raise PromptError(f"no prompt {name!r} in {self._folder}. There are: {known}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise PromptError(f"prompt {name!r} can't be read: {error}") from error
        return PromptText(text, parse_header(name, text).version, "local")

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.j2"))


class PromptLibrary:
    """Renders prompts of `source`; a text there that does not render gives way to the one in `fallback`."""

    def __init__(self, source: PromptSource, fallback: PromptSource | None = None) -> None:
        self._source = source
        self._fallback = fallback
        self._complaints: set[str] = set()

    def render(self, name: str, **inputs: Any) -> RenderedPrompt:
        """Raises PromptError when the prompt is missing, wrong, or given other inputs than its header names."""
        try:
            return render(name, self._source.text(name), inputs)
        except PromptError as error:
            if self._fallback is None:
                raise
            self._complain_once(str(error))
            return render(name, self._fallback.text(name), inputs)

    def _complain_once(self, complaint: str) -> None:
        if complaint not in self._complaints:
            self._complaints.add(complaint)
            logger.warning("%s; the local prompt is used", complaint)


def render(name: str, prompt: PromptText, inputs: dict[str, Any]) -> RenderedPrompt:
    """Fill in one template. Raises PromptError naming the missing input, the syntax error or the missing block."""
    unknown = set(inputs) - set(parse_header(name, prompt.text).inputs)
    if unknown:
        raise PromptError(f"prompt {name!r} ({_which(prompt)}) has no input named {', '.join(sorted(unknown))}")
    try:
        template = compiled(prompt.text)
        system, user = (_block(name, prompt, template, part, inputs) for part in ("system", "user"))
    except TemplateError as error:
        raise PromptError(f"prompt {name!r} ({_which(prompt)}) does not render: {error}") from error
    digest = hashlib.sha256(prompt.text.encode()).hexdigest()[:12]
    return RenderedPrompt(name, system, user, prompt.version, digest, prompt.origin)


def parse_header(name: str, text: str) -> PromptHeader:
    """The header comment at the very start of a template. Raises PromptError naming the line that is missing."""
    header = HEADER.match(text)
    fields = {match["key"]: match["value"] for match in FIELD.finditer(header["body"])} if header else {}
    for key in ("version", "inputs", "output"):
        if key not in fields:
            raise PromptError(f"prompt {name!r} must begin with a {{# … #}} comment that has a line '{key}: …'")
    inputs = tuple(part.strip() for part in fields["inputs"].split(",") if part.strip())
    return PromptHeader(fields["version"], inputs, fields["output"])


def quoted(text: object) -> str:
    """Text by others, with every opening of a tag that the templates use for structure made harmless."""
    return TAG.sub("&lt;", str(text))


def attribute(text: object) -> str:
    """Text by others inside a double-quoted attribute: one line, no quotes, no angle brackets."""
    cleaned = " ".join(str(text).split())
    return cleaned.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


@lru_cache(maxsize=64)
def compiled(text: str) -> Template:
    """A template in the sandbox, for which a missing input is an error. Raises TemplateError."""
    # Not HTML: a model must read an article's ampersands as written, and `quoted` keeps the delimiters intact.
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(quoted=quoted, attribute=attribute)
    return environment.from_string(text)


def _block(name: str, prompt: PromptText, template: Template, part: str, inputs: dict[str, Any]) -> str:
    if part not in template.blocks:
        raise PromptError(f"prompt {name!r} ({_which(prompt)}) has no block named {part!r}")
    return "".join(template.blocks[part](template.new_context(inputs))).strip()


def _which(prompt: PromptText) -> str:
    return f"{prompt.origin} version {prompt.version}"
