"""What a page says of one platform is in no passage about another, and what it shows as code is taken for nothing."""

from __future__ import annotations

from pathlib import Path

from handrail.knowledge import Article, Unpublished
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.folder import Folder
from handrail.knowledge.includes import MOST_INCLUDES
from handrail.knowledge.markup import Around, plain_markdown
from handrail.settings import Knowledge
from tests.knowledge.articles import article

TABS = """
# Install

Get the program first.

## macOS {.tab}

Open the disk image.

## Windows {.tab}

Run the installer.

<!-- /tabs -->

Then sign in.
"""


def passages(body: str) -> list[str]:
    chunker = Chunker(Knowledge(), lambda text: len(text.split()))
    return [passage.text for passage in chunker.passages(article(body, "install"))]


def read(folder: Path, text: str) -> Article | Unpublished:
    (folder / "page.md").write_text(text)
    [found] = Folder(folder, "", 5_000_000).articles()
    assert isinstance(found, Article | Unpublished)
    return found


def test_short_tabs_are_not_joined_with_each_other_nor_with_what_stands_around_them() -> None:
    found = passages(TABS)

    for text in found:
        assert not ("disk image" in text and "installer" in text)
        assert not ("disk image" in text and "sign in" in text)


def test_short_sections_that_are_no_tabs_are_still_joined() -> None:
    [text] = passages(TABS.replace(" {.tab}", "").replace("<!-- /tabs -->\n", "").replace("\nThen sign in.\n", ""))

    assert "disk image" in text and "installer" in text


def test_a_page_that_shows_how_to_hide_a_page_is_not_hidden(tmp_path: Path) -> None:
    tag = '<meta name="robots" content="noindex">'
    shown = f"# Hide a page\n\nAdd `{tag}`:\n\n```\n{tag}\n```\n"

    assert isinstance(read(tmp_path, shown), Article)
    assert isinstance(read(tmp_path, f"# Hidden\n\n{tag}\n\nText.\n"), Unpublished)


def test_links_in_code_stay_as_they_are_written(tmp_path: Path) -> None:
    shown = "Write `[label](page.md)`:\n\n```\n[a](b.md)\n```\n"
    page = read(tmp_path, f"# Links\n\nSee [the `setup` page](setup.md). {shown}")

    assert isinstance(page, Article)
    assert "See the `setup` page." in page.body
    assert "`[label](page.md)`" in page.body and "[a](b.md)" in page.body
    assert "b" not in page.facets.get("links", "").split("\n")


def test_keys_are_told_from_a_language_named_twice() -> None:
    around = Around(generator="mkdocs")

    assert "Ctrl" in plain_markdown("Press ++ctrl+alt+delete++.", around=around)
    assert plain_markdown("C++ and C++ differ.", around=around).strip() == "C++ and C++ differ."


def test_includes_of_includes_share_one_budget(tmp_path: Path) -> None:
    """Five levels of thirty includes each would be twenty-four million files."""
    for level in range(6):
        inner = "".join(f'--8<-- "{level + 1}.md"\n' for _ in range(30)) if level < 5 else "word\n"
        (tmp_path / f"{level}.md").write_text(inner)
    around = Around(tmp_path / "page.md", tmp_path, "mkdocs")

    text = plain_markdown('--8<-- "0.md"\n', around=around)

    assert text.count("word") <= MOST_INCLUDES
