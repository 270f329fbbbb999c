"""Folders of Markdown as articles; one bad file never stops the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Skipped, Unpublished
from handrail.knowledge.folder import Folder

LIMIT = 2_000_000


def load(root: Path, max_bytes: int = LIMIT) -> list[Article | Rejected | Unpublished]:
    return list(Folder(root, "https://help.example/", max_bytes).articles())


def one(root: Path, text: str, name: str = "page.md") -> Article:
    (root / name).write_text(text, encoding="utf-8")
    (found,) = load(root)
    assert isinstance(found, Article), found
    return found


def why(root: Path, data: bytes) -> str:
    (root / "page.md").write_bytes(data)
    (found,) = load(root)
    assert isinstance(found, Rejected), found
    assert found.where.endswith("page.md")
    return found.why


def test_front_matter_gives_title_address_and_facets(tmp_path: Path) -> None:
    text = "---\ntitle: Custom roles\nurl: https://acme.example/roles\nsection: Team\nupdated: 2026-06-03\n---\nText."

    found = one(tmp_path, text)

    facets = {"source_type": "markdown", "section": "Team", "updated": "2026-06-03"}
    assert found == Article("page", "Custom roles", "Text.", "https://acme.example/roles", facets)


def test_the_path_gives_the_slug_and_the_address(tmp_path: Path) -> None:
    (tmp_path / "Domains").mkdir()
    (tmp_path / "Domains" / "Connect by DNS.md").write_text("Text.")

    (found,) = load(tmp_path)

    assert isinstance(found, Article)
    assert found.id == "domains:connect-by-dns"
    assert found.url == "https://help.example/domains/connect-by-dns"
    assert found.title == "Connect by dns"


def test_an_index_file_stands_for_its_folder(tmp_path: Path) -> None:
    (tmp_path / "billing").mkdir()
    (tmp_path / "billing" / "index.md").write_text("# Billing\nText.")

    (found,) = load(tmp_path)

    assert isinstance(found, Article)
    assert (found.id, found.title, found.body) == ("billing", "Billing", "Text.")


def test_names_in_other_scripts_stay_apart(tmp_path: Path) -> None:
    for name in ("支払い", "予約", "Überweisung"):
        (tmp_path / f"{name}.md").write_text("Text.")

    found = [item for item in load(tmp_path) if isinstance(item, Article)]

    assert {item.id for item in found} == {"支払い", "予約", "überweisung"}
    assert all(item.url.isascii() for item in found)


@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("# Refunds #\n\nText.", "Refunds", "Text."),
        ("---\ntitle: Refunds\n---\n# Refunds\n\nText.", "Refunds", "Text."),
        ("---\ntitle: Refunds\n---\n# How it works\n\nText.", "Refunds", "# How it works\n\nText."),
        ("Text.\n\n# Later\n\nMore.", "Page", "Text.\n\n# Later\n\nMore."),
    ],
    ids=["heading", "both the same", "both, different", "heading further down"],
)
def test_the_first_heading_is_the_title_unless_the_front_matter_has_another(
    tmp_path: Path, text: str, title: str, body: str
) -> None:
    found = one(tmp_path, text)

    assert (found.title, found.body) == (title, body)


def test_rules_around_plain_text_are_not_front_matter(tmp_path: Path) -> None:
    assert "First part." in one(tmp_path, "---\nFirst part.\n---\nSecond part.").body


def test_links_within_the_folder_become_their_text_and_others_stay(tmp_path: Path) -> None:
    text = "See [Roles](../team/roles.md), ![a picture](shot.png) and [Acme](https://acme.example)."

    assert one(tmp_path, text).body == "See Roles, a picture and [Acme](https://acme.example)."


def test_hidden_files_and_other_kinds_are_skipped(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name in (".git/notes.md", ".draft.md", "picture.png", "page.md"):
        (tmp_path / name).write_text("Text.")

    found = load(tmp_path)

    assert [item.id for item in found if isinstance(item, Article)] == ["page"]
    assert [type(item) for item in found] == [Article, Skipped]


def test_an_index_among_the_articles_is_not_read_as_some(tmp_path: Path) -> None:
    """`handrail ingest .` keeps its data in a folder beside the articles, and is called again there."""
    snapshot = tmp_path / "var" / "kb" / "help" / "snapshot" / "1f"
    snapshot.mkdir(parents=True)
    (snapshot / "passages.jsonl").write_text('{"question": "How?", "answer": "So."}\n')
    (tmp_path / "page.md").write_text("Text.")

    found = load(tmp_path)

    assert [item.id for item in found if isinstance(item, Article)] == ["page"]
    (skipped,) = [item for item in found if isinstance(item, Skipped)]
    assert skipped.where.endswith("var") and "Handrail" in skipped.why


def test_files_of_other_kinds_are_counted_and_named_by_kind(tmp_path: Path) -> None:
    for name in ("a.png", "b.png", "c.PNG", "d.png", "page.md", "LICENCE", "sub/e.css"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Text.")

    skipped = [item.why for item in load(tmp_path) if isinstance(item, Skipped)]

    assert skipped == [
        "1 file without a suffix not read: LICENCE",
        "1 .css file not read: sub/e.css",
        "4 .png files not read: a.png, b.png, c.PNG and 1 more",
    ]


def test_a_single_file_may_be_given(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("Text.")

    assert [item.id for item in load(tmp_path / "page.md") if isinstance(item, Article)] == ["page"]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert one(tmp_path, "\ufeff# Refunds\n\nText.").title == "Refunds"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("Größe".encode("latin-1"), "not UTF-8 (byte 2); save it as UTF-8"),
        (b"PK\x03\x04\x00\x00data", "holds binary data, not text"),
        (b"---\ntitle: [unclosed\n---\nText.", "the front matter is not valid YAML"),
        (b"---\ntitle: " + b"[" * 5000 + b"\n---\nText.", "the front matter is not valid YAML"),
        (b"---\ntitle: [a, b]\n---\nText.", "title in the front matter must be a single text"),
        (b"x" * (LIMIT + 1), "is more than knowledge.max_article_bytes = 2000000"),
    ],
    ids=["latin-1", "binary", "bad YAML", "deep YAML", "list as title", "large"],
)
def test_a_file_that_cannot_be_used_says_why(tmp_path: Path, data: bytes, reason: str) -> None:
    assert reason in why(tmp_path, data)


def test_front_matter_that_multiplies_itself_is_refused_at_once(tmp_path: Path) -> None:
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 30))

    assert "title in the front matter" in why(tmp_path, f"---\nl0: &l0 x\n{layers}title: *l29\n---\nText.".encode())


def test_five_megabytes_are_read_where_the_limit_allows_it(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("A sentence. " * 430_000)

    (found,) = load(tmp_path, max_bytes=10_000_000)

    assert isinstance(found, Article)
    assert len(found.body) > 5_000_000


def test_a_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Text.")
    (tmp_path / "b.md").write_bytes(b"caf\xe9")
    (tmp_path / "c.md").write_text("Text.")

    assert [type(item) for item in load(tmp_path)] == [Article, Rejected, Article]


def test_an_empty_file_is_an_article_without_text(tmp_path: Path) -> None:
    assert one(tmp_path, "").body == ""


def test_a_missing_or_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="no such file or folder"):
        load(tmp_path / "absent")
    with pytest.raises(KnowledgeError, match=r"no \.md, .* files found"):
        load(tmp_path)


MDX = """\
import Card from '../Card.astro';
import {
  Steps,
} from 'kit';

export const plans = [
  'Solo',
];

<Card title="Connect"
  icon="link">
Choose **Connect**.
</Card>

{/* a note
over two lines */}

Then export your data:

```js
import { defineConfig } from 'acme';

export default defineConfig();
```

<Steps />
"""


def test_mdx_loses_its_program_and_keeps_its_prose_and_code(tmp_path: Path) -> None:
    body = one(tmp_path, MDX, "page.mdx").body

    assert [line for line in body.splitlines() if line.strip()] == [
        "**Connect:**",
        "Choose **Connect**.",
        "Then export your data:",
        "```js",
        "import { defineConfig } from 'acme';",
        "export default defineConfig();",
        "```",
    ]


def test_an_mdx_fence_that_never_ends_is_still_read(tmp_path: Path) -> None:
    assert one(tmp_path, "Text.\n\n```js\nlet a = 1;", "page.mdx").body == "Text.\n\n```js\nlet a = 1;"


def test_plain_markdown_may_start_a_line_with_import(tmp_path: Path) -> None:
    assert one(tmp_path, "import your customers first.").body == "import your customers first."


@pytest.mark.parametrize(
    "text",
    ["\n" * 100_000, "# a" + " " * 100_000 + "b", "[" * 100_000, "{/*" * 30_000, "<A b" * 25_000, "```\n" * 2_001],
    ids=["blank lines", "spaces in a heading", "brackets", "comments", "components", "fences"],
)
@pytest.mark.parametrize("suffix", ["md", "mdx"])
@pytest.mark.slow
def test_hostile_text_is_read_soon(tmp_path: Path, text: str, suffix: str) -> None:
    assert one(tmp_path, text, f"page.{suffix}").title
