"""The documentation as pages that need no network: `handrail docs build`.

What they say of figures, thresholds and answers is read or measured while they are built.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from rich.console import Console

import handrail
from eval.command import HERE as CODE
from eval.command import runs_folder
from eval.hub import flow, pages, walkthrough
from eval.hub.figures import collect
from eval.provenance import revision
from handrail.errors import HandrailError, PermanentError
from handrail.observe.trace import Trace
from handrail.settings import Settings
from handrail.text.markdown import gist

HERE = Path(__file__).parent
MADE_BY = '<meta name="generator" content="handrail docs build">'
README = PurePosixPath("README.md")
NAV = {
    "index.html": "Start",
    "flow.html": "How it decides",
    "answer.html": "One answer",
    "figures.html": "Figures",
    "docs.html": "All pages",
}


def build(settings: Settings, out: Path, runs: Path | None, notes: Console, root: Path = CODE.parent) -> list[Path]:
    """Write the pages into `out` and remove what an earlier call wrote and this one does not.

    `settings` are those of the sample help centre. Raises PermanentError for a link that leads nowhere, before
    anything is written.
    """
    made = render(settings, runs, notes, root)
    problems = pages.broken(made)
    if problems:
        raise PermanentError(_told(problems))
    try:
        out.mkdir(parents=True, exist_ok=True)
        for old in out.glob("*.html"):
            if old.name not in made and MADE_BY in old.read_text(encoding="utf-8", errors="replace"):
                old.unlink()
        for name, text in made.items():
            (out / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise PermanentError(f"can't write to {out}: {error.strerror}. Choose another folder with --out") from None
    return [out / name for name in made]


def render(settings: Settings, runs: Path | None, notes: Console, root: Path) -> dict[str, str]:
    """Every page by its file name."""
    known = {path: _name(path) for path in _documents(root)}
    sources = [pages.read(root, path, {README: "index.html", **known}) for path in (README, *known)]
    problems = [problem for source in sources for problem in source.problems]
    if problems:
        raise PermanentError(_told(problems))
    readme, *documents = sources
    documents.sort(key=lambda source: (len(source.path.parts), source.title))
    environment = _environment(root)
    figures = collect(runs or runs_folder(settings), settings)
    steps = flow.steps(settings)

    def shown(template: str, here: str, title: str, **values: Any) -> str:
        return environment.get_template(template).render(here=here, title=title, **values)

    made = {
        "index.html": shown(
            "index.html.j2",
            "index.html",
            "Handrail",
            opening=readme.opening(),
            sections=[(title, _section(readme, title)) for title in ("Try it", "What happens to a message")],
            figures=figures,
        ),
        "flow.html": shown(
            "flow.html.j2",
            "flow.html",
            "How a message is decided",
            steps=steps,
            rows=flow.drawn(steps),
            width=flow.WIDTH,
            model=settings.llm.model if settings.llm.configured else None,
            remote=settings.decisions.remote,
        ),
        "answer.html": shown("answer.html.j2", "answer.html", "One answer, step by step", **_answer(settings, notes)),
        "figures.html": shown("figures.html.j2", "figures.html", "Figures", figures=figures),
        "docs.html": shown("docs.html.j2", "docs.html", "All pages", documents=[(_name(s.path), s) for s in documents]),
    }
    for source in documents:
        made[_name(source.path)] = shown("document.html.j2", _name(source.path), source.title, source=source)
    return made


def _documents(root: Path) -> list[PurePosixPath]:
    """Raises PermanentError outside a clone, which alone has them."""
    found = sorted(path.relative_to(root) for path in (root / "docs").rglob("*.md"))
    if not found or not (root / README).is_file():
        raise PermanentError("the documentation is built from a clone of Handrail, and this is an installed package")
    return [PurePosixPath(path.as_posix()) for path in found]


def _name(path: PurePosixPath) -> str:
    """`docs/adr/0001-core.md` is `adr-0001-core.html`."""
    return "-".join(path.relative_to("docs").with_suffix(".html").parts)


def _section(readme: pages.Source, title: str) -> Markup:
    found = readme.section(title)
    if found is None:
        raise PermanentError(f"README.md has no section {title!r}, which the first page shows: see eval/hub")
    return found


def _answer(settings: Settings, notes: Console) -> Mapping[str, Any]:
    """A page without models or articles says what to run instead of showing an older answer."""
    if not settings.brand.suggestions:
        raise PermanentError("brand.suggestions is empty, and its first question is the one that is shown")
    text = settings.brand.suggestions[0]
    trace: Trace | None = None
    why = ""
    try:
        with notes.status("asking the sample help centre…"):
            trace = walkthrough.walked(settings, text)
    except HandrailError as error:
        why = str(error)
        notes.print(f"[yellow]no walkthrough[/]: {why}", soft_wrap=True)
    return {
        "question": text,
        "trace": trace,
        "why": why,
        "stage": walkthrough.stage,
        "document": json.dumps(trace, ensure_ascii=False, indent=2),
    }


def _environment(root: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"number": number, "share": share, "quoted": pages.quoted, "gist": gist}
    environment.globals |= {
        "nav": NAV,
        "made_by": Markup(MADE_BY),  # noqa: S704
        "version": handrail.__version__,
        "built": datetime.now(UTC),
        **revision(root),
    }
    return environment


def number(value: float) -> str:
    """Shares to three places, times to none."""
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.3f}"


def share(value: float) -> str:
    """A share in per cent, to one place."""
    return f"{value:.1%}".replace("%", " %")


def _told(problems: list[str]) -> str:
    return "the pages aren't built, because links lead nowhere: " + "; ".join(problems)
