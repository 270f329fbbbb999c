"""What a site's generator does with its own marks is done before an article is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.cli.ingest import sample_folder
from handrail.knowledge import Article
from handrail.knowledge.chunker import Chunker
from handrail.knowledge.folder import Folder
from handrail.knowledge.markup import plain_markdown
from handrail.settings import Knowledge
from handrail.text.markdown import parse

NOTES = {
    "docusaurus": ":::warning Mind the gap\nClose the valve first.\n\n- Then wait.\n:::\n\nAfter.",
    "docusaurus in brackets": ":::warning[Mind the gap]\n\nClose the valve first.\n\n- Then wait.\n\n:::\n\nAfter.",
    "mkdocs": '!!! warning "Mind the gap"\n    Close the valve first.\n\n    - Then wait.\n\nAfter.',
    "mkdocs, folded": '??? warning "Mind the gap"\n    Close the valve first.\n\n    - Then wait.\n\nAfter.',
}


@pytest.mark.parametrize("text", NOTES.values(), ids=NOTES)
def test_a_note_keeps_its_title_and_all_it_holds_and_ends_where_it_ends(text: str) -> None:
    *note, after = parse(plain_markdown(text))

    said = " ".join(block.render() for block in note)
    assert {block.kind for block in note} == {"note"}
    assert "**Mind the gap:**" in said and "Close the valve first." in said and "Then wait." in said
    assert (after.kind, after.render()) == ("paragraph", "After.")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        (":::tip\nSave often.\n:::", "Tip"),
        ("!!! danger\n    Save often.", "Danger"),
        ('{% hint style="info" %}\nSave often.\n{% endhint %}', "Info"),
        ("> [!NOTE]\n> Save often.", "Note"),
    ],
)
def test_a_note_without_a_title_says_its_kind(text: str, label: str) -> None:
    [note] = parse(plain_markdown(text))

    assert note.kind == "note"
    assert note.render().replace("> ", "").split() == [f"**{label}:**", "Save", "often."]


@pytest.mark.parametrize(
    "text",
    [
        '<Tabs>\n<TabItem value="mac" label="macOS">\n\nPress Cmd.\n\n</TabItem>\n</Tabs>',
        '{% tabs %}\n{% tab title="macOS" %}\nPress Cmd.\n{% endtab %}\n{% endtabs %}',
        '=== "macOS"\n\n    Press Cmd.\n',
    ],
)
def test_what_stands_in_a_tab_is_labelled_with_its_name(text: str) -> None:
    [block] = parse(plain_markdown(text, mdx="<Tab" in text))

    assert (block.headings, block.render(), block.anchor) == (("macOS",), "Press Cmd.", "")


def test_template_tags_never_reach_a_reader() -> None:
    text = "{% include nav.html %}\nSee {{ site.baseurl }}/help.{: .lead}\n{: .no_toc }\nType `{% raw %}` as it is."

    assert plain_markdown(text).split("\n") == ["", "See /help.{: .lead}", "Type `{% raw %}` as it is."]


def test_a_file_that_begins_with_an_import_is_mdx_whatever_its_name() -> None:
    text = "import useBaseUrl from '@docusaurus/useBaseUrl';\n\nOpen **Settings**.\n\n<Shot name='x' />\n"

    assert plain_markdown(text).strip() == "Open **Settings**."
    assert "import taxes" in plain_markdown("import taxes from the list\n\nThen go on.")


@pytest.mark.parametrize(
    "text",
    [
        "```\n:::tip\n{% include x %}\n!!! note\n```",
        '```\n{% tab title="macOS" %}\n<TabItem label="macOS">\n```',
        "The ratio is 1:::2, and a line of :::",
        ":::tip that nothing ends\n\nText.",
        "Write {{first_name}} for the name.",
        "Wow!!! note this.",
    ],
)
def test_what_only_looks_like_a_mark_stays(text: str) -> None:
    assert plain_markdown(text) == text


def test_our_own_articles_have_none_of_these_marks() -> None:
    for path in sorted(sample_folder().rglob("*.md")):
        assert plain_markdown(path.read_text(encoding="utf-8")) == path.read_text(encoding="utf-8")


def test_a_note_ends_with_its_indentation_and_keeps_the_code_inside() -> None:
    text = "!!! tip\n    Run it:\n\n    ```sh\n    make  # :::\n    ```\nAfter."

    *note, after = parse(plain_markdown(text))

    assert {block.kind for block in note} == {"note"}
    assert note[-1].render().split("\n")[-3:] == ["> ```sh", "> make  # :::", "> ```"]
    assert (after.kind, after.render()) == ("paragraph", "After.")


def test_notes_within_each_other_end_one_by_one() -> None:
    text = "::::note Outer\nOne.\n:::tip Inner\nTwo.\n:::\nThree.\n::::\nFour."

    shown = plain_markdown(text).split("\n")

    assert [line for line in shown if line.strip(" >")] == [
        "> **Outer:**", "> One.", "> > **Inner:**", "> > Two.", "> Three.", "Four.",
    ]  # fmt: skip


@pytest.mark.parametrize("own", ["## Take it off {#remove-it}", "## Take it off { #remove-it .wide }"])
def test_the_anchor_that_a_heading_names_is_in_the_address_and_not_in_the_heading(own: str) -> None:
    article = Article("lid", "The lid", f"{own}\n\nTurn it left.", "https://help.example/lid", {})

    [passage] = Chunker(Knowledge(), lambda text: len(text.split())).passages(article)

    assert (passage.headings, passage.url) == (("Take it off",), "https://help.example/lid#remove-it")


def test_a_file_is_read_in_its_dialect(tmp_path: Path) -> None:
    (tmp_path / "lid.md").write_text("# The lid {#lid}\n\n:::note\nTurn it left.\n:::\n", encoding="utf-8")

    [article] = Folder(tmp_path, "", 100_000).articles()

    assert isinstance(article, Article)
    assert (article.title, article.body) == ("The lid", "> **Note:**\n> Turn it left.")
