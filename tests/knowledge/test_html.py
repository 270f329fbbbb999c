"""HTML pages as Markdown: what a reader sees, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected, Unpublished
from handrail.knowledge.folder import Folder
from handrail.knowledge.formats.html import markdown_of, page_of
from handrail.text.markdown import parse

HERE = "https://help.example/en/mail/forward"


def page(inside: str, head: str = "") -> str:
    return f"""<html><head><title>Forward mail | Acme</title>{head}</head><body><nav><a href="/">Start</a></nav>
    <main><h1>Forward mail<a class="headerlink" href="#forward">¶</a></h1>{inside}</main>
    <footer>Acme Ltd</footer><script>track("you")</script></body></html>"""


def body(inside: str) -> str:
    return page_of(page(inside), HERE).body


def test_a_page_is_its_own_text_without_what_surrounds_it() -> None:
    found = page_of(page("<p>Open <b>Mail</b>.</p><style>p {}</style><p style='display: none'>Secret</p>"), HERE)

    assert (found.title, found.body) == ("Forward mail", "Open **Mail**.")


def test_steps_keep_what_is_nested_in_them() -> None:
    found = body("<ol><li>Open it.<ul><li>On phones, tap.</li></ul></li><li><p>Save.</p><p>Wait.</p></li></ol>")

    assert found.splitlines() == ["1. Open it.", "   - On phones, tap.", "2. Save.", "", "   Wait."]


@pytest.mark.parametrize(
    "note",
    [
        '<div class="admonition warning"><p class="admonition-title">Warning</p><p>Mail is lost.</p></div>',
        '<aside role="note" aria-label="Warning"><p>Mail is lost.</p></aside>',
        '<p class="alert alert-warning">Mail is lost.</p>',
        '<div class="callout warning"><p>Warning: Mail is lost.</p></div>',
    ],
)
def test_a_note_is_quoted_with_its_kind_said_once(note: str) -> None:
    lines = body(note).splitlines()

    assert all(line.startswith(">") for line in lines)
    assert " ".join(lines).count("Warning") == 1
    assert "Mail is lost." in lines[-1]


def test_every_tab_stands_under_its_label() -> None:
    found = body("""<div><ul role="tablist"><li role="tab" aria-controls="one">Mac</li>
        <li role="tab" aria-controls="two">Windows</li></ul>
        <div role="tabpanel" id="one"><p>Press Command.</p></div>
        <div role="tabpanel" id="two" hidden><p>Press Control.</p></div></div>""")

    assert [found.count(word) for word in ("Mac", "Windows")] == [1, 1]
    assert found.index("Mac") < found.index("Command") < found.index("Windows") < found.index("Control")


def test_each_tab_is_a_section_of_its_own_and_what_follows_belongs_to_none() -> None:
    found = body("""<h2>Copy</h2><div><ul role="tablist"><li role="tab" aria-controls="one">Mac</li>
        <li role="tab" aria-controls="two">Windows</li></ul>
        <div role="tabpanel" id="one"><h2>Keys</h2><p>Press Command.</p></div>
        <div role="tabpanel" id="two" hidden><p>Press Control.</p></div></div><p>Then paste.</p>""")

    said = {block.units[0]: block.headings for block in parse(found)}
    assert said == {
        "Press Command.": ("Copy", "Mac", "Keys"),
        "Press Control.": ("Copy", "Windows"),
        "Then paste.": ("Copy",),
    }


def test_tabs_within_a_step_stay_in_it() -> None:
    found = body("""<ol><li>Copy.<div><ul role="tablist"><li role="tab" aria-controls="one">Mac</li></ul>
        <div role="tabpanel" id="one"><p>Press Command.</p></div></div></li><li>Paste.</li></ol>""")

    assert [block.headings for block in parse(found)] == [()]
    assert "Mac" in found and found.rstrip().endswith("2. Paste.")


def test_merged_cells_are_written_in_every_row_and_column_they_reach() -> None:
    found = body("""<table><thead><tr><th>Plan</th><th>Year</th><th>GB</th></tr></thead>
        <tr><td rowspan="2">Free</td><td>2025</td><td>1</td></tr><tr><td colspan="2">a|b</td></tr></table>""")

    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in found.splitlines()]
    assert [rows[0], *rows[2:]] == [["Plan", "Year", "GB"], ["Free", "2025", "1"], ["Free", "a\\|b", "a\\|b"]]


def test_headings_keep_the_anchors_that_links_lead_to() -> None:
    found = body('<section id="limits"><h2>Limits</h2><p>Ten.</p></section><h2 id="x2">More</h2><h2>None</h2>')

    assert [line for line in found.splitlines() if line.startswith("#")] == [
        "## Limits {#limits}",
        "## More {#x2}",
        "## None",
    ]


def test_links_are_whole_and_never_scripts() -> None:
    found = body('<a href="../limits">Limits</a> <a href="javascript:x()">Run</a> <img src="data:image/png;base64,x">')

    assert found == "[Limits](https://help.example/en/limits) Run"
    assert markdown_of('<a href="/limits">Limits</a>') == "Limits"


def test_words_that_look_like_marks_stay_words() -> None:
    assert body("<p>Press &lt;Enter&gt; in MY_FILE, then 2*3 = list[1].</p>") == (
        r"Press \<Enter> in MY_FILE, then 2\*3 = list\[1\]."
    )


def test_code_keeps_its_lines_and_its_language() -> None:
    assert body('<pre><code class="language-py">if a:\n    b()</code></pre>') == "```py\nif a:\n    b()\n```"


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ('<meta name="robots" content="NoIndex, follow">', "robots: noindex"),
        ('<meta http-equiv="refresh" content="0; url=/new">', "redirects to"),
    ],
)
def test_a_page_that_is_not_to_be_found_is_not_read(tmp_path: Path, head: str, why: str) -> None:
    (tmp_path / "old.html").write_text(page("<p>Old.</p>", head))

    (found,) = Folder(tmp_path, "https://help.example", 10_000).articles()

    assert isinstance(found, Unpublished)
    assert found.why.startswith(why)


def test_an_exported_page_has_the_address_it_calls_its_own(tmp_path: Path) -> None:
    (tmp_path / "forward.html").write_text(page("<p>Open it.</p>", f'<link rel="canonical" href="{HERE}">'))
    (tmp_path / "other.htm").write_bytes('<meta charset="latin-1"><h1>Größe</h1><p>Groß.'.encode("latin-1"))

    found = {item.id: item for item in Folder(tmp_path, "", 10_000).articles() if isinstance(item, Article)}

    assert found["forward"] == Article("forward", "Forward mail", "Open it.", HERE, {"source_type": "html"})
    assert (found["other"].title, found["other"].body, found["other"].url) == ("Größe", "Groß.", "")


def test_a_page_no_reader_could_read_is_refused_and_named(tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 5000 + "deep")

    (found,) = Folder(tmp_path, "", 100_000).articles()

    assert isinstance(found, Rejected)
    assert "nested" in found.why
    with pytest.raises(KnowledgeError, match="steps"):
        markdown_of("<ol>" + "<li>a" * 5001)
