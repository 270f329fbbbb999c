"""Marks of real sites that nobody should read in an answer, and words that were lost with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge import Article, Skipped
from handrail.knowledge.folder import Folder
from handrail.text.markdown import parse, sentences


def read(root: Path, files: dict[str, str]) -> dict[str, Article]:
    return {item.id: item for item in loaded(root, files).articles() if isinstance(item, Article)}


def loaded(root: Path, files: dict[str, str]) -> Folder:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Folder(root, "https://h.example", 100_000)


def said(root: Path, text: str, name: str = "a.md", **files: str) -> str:
    [body] = [page.body for page in read(root, {name: text, **files}).values()]
    return "\n\n".join(block.render() for block in parse(body))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Use [RSA][rsa] here.\n\n[rsa]: https://e.example/rsa", "Use [RSA](https://e.example/rsa) here."),
        ("Use [RSA] here.\n\n[rsa]: <https://e.example/rsa> 'RSA'", "Use [RSA](https://e.example/rsa) here."),
        ("See [the list][].\n\n[The List]: lists.md", "See the list."),
        ("![A long picture of all of it][shot]\n\nText.\n\n[shot]: a.png", "Text."),
        ("Set `[rsa]` or [x][y].\n\n[rsa]: https://e.example", "Set `[rsa]` or [x][y]."),
    ],
)
def test_a_link_by_reference_has_its_address(tmp_path: Path, text: str, shown: str) -> None:
    assert said(tmp_path, text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Press it[^1] twice.\n\n[^1]: Only on Linux.", "Press it (Only on Linux) twice."),
        (
            "| a | b |\n|---|---|\n| x[^n] | y |\n\n[^n]: Only on Linux.",
            "| a | b |\n|---|---|\n| x (Only on Linux) | y |",
        ),
        ("Press it[^1].\n\n[^1]: First wait. Then press.\n\nAfter.", "Press it.\n\nFirst wait. Then press.\n\nAfter."),
        ("Press it[^1] and[^1] again.\n\n[^1]: Only\n    on Linux.", "Press it (Only on Linux) and again."),
        ("Press it.\n\n[^1]: Nobody calls this.", "Press it."),
        ("A class `[^a-z]` and [^none].", "A class `[^a-z]` and [^none]."),
    ],
)
def test_a_footnote_is_read_where_it_belongs(tmp_path: Path, text: str, shown: str) -> None:
    assert said(tmp_path, text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("![](<a b (1).png>)\n\nText.", "Text."),
        ("![The path a[0] of it as a picture](a.png)\n\nText.", "Text."),
        ("- [ ] Stop it\n- [x] Start it", "- Stop it\n- Start it"),
        ("> Wait. <br />\n> Then go.\n>\n> - one", "> Wait.\n> Then go.\n>\n> - one"),
        ("1. Wait.\n\n   | a | b |\n   |---|---|\n   | x<br>y | z |\n\n   ```\n   go\n   ```", "x y"),
    ],
)
def test_pictures_boxes_and_breaks_leave_no_marks(tmp_path: Path, text: str, shown: str) -> None:
    found = "\n".join(line.rstrip() for line in said(tmp_path, text).split("\n"))

    assert shown in found and "<br" not in found and "![" not in found


def test_an_address_in_angle_brackets_is_no_tag(tmp_path: Path) -> None:
    text = "Write to <help@acme.example> or see <https://acme.example/help?a=b>, **not** <b>here</b>."

    assert said(tmp_path, text) == text.replace("<b>here</b>", "**here**")


@pytest.mark.parametrize(
    "text", ["A chat in Rocket.Chat is sent.", "Under the EU-U.S. Privacy Shield it is.", "Ask Booking.Com for it."]
)
def test_a_name_with_a_stop_in_it_is_one_word(text: str) -> None:
    assert sentences(text) == [text]


def test_sentences_that_are_glued_are_still_told_apart() -> None:
    assert sentences("It is done.Next open it.") == ["It is done.", "Next open it."]


def test_code_in_braces_is_no_role(tmp_path: Path) -> None:
    text = "The place of `{uid}` is here.\n\n| `v1` | b |\n|---|---|\n| `/a/<pk>` | c |"

    shown = said(tmp_path, text, "a.md", **{"conf.py": ""})

    assert shown.startswith("The place of `{uid}` is here.\n\n| `v1` | b |")


def test_a_table_in_rst_keeps_pictures_as_words_and_no_marks_of_notes(tmp_path: Path) -> None:
    page = """
+-------------+---------+
| **Feature** | **Web** |
+-------------+---------+
| Calls       | |yes|   |
+-------------+---------+
| Boards      | Go.     |
|             |         |
|             | .. tip::|
|             |         |
|             |    Wait.|
+-------------+---------+

.. |yes| image:: /img/check-circle.svg
   :alt: A green mark that says that the feature is in this plan
"""
    [block] = parse(read(tmp_path, {"conf.py": "", "a.rst": f"Title\n=====\n{page}"})["a"].body)

    assert block.header.startswith("| **Feature** | **Web** |")
    assert block.units == ("| Calls | check circle |", "| Boards | Go. **Tip:** Wait. |")


def test_pages_that_the_configuration_leaves_out_are_named(tmp_path: Path) -> None:
    files = {
        "conf.py": 'exclude_patterns = ["old", "**/part-*.rst"]',
        "a.rst": "Text.",
        "old/b.rst": "Text.",
        "c/part-d.rst": "Text.",
    }
    items = list(loaded(tmp_path, files).articles())

    assert [item.id for item in items if isinstance(item, Article)] == ["a"]
    assert any(
        "2 pages that the site's configuration leaves out" in one.why for one in items if isinstance(one, Skipped)
    )


def test_the_address_of_docusaurus_is_that_of_its_pages_not_its_blog(tmp_path: Path) -> None:
    config = """export default { url: 'https://h.example', plugins: [
      ['@docusaurus/plugin-content-docs', { path: 'help', routeBasePath: 'support' }],
      ['@docusaurus/plugin-content-blog', { routeBasePath: 'posts' }]] }"""
    (tmp_path / "help").mkdir()
    (tmp_path / "help" / "a.md").write_text("Text.")
    (tmp_path / "docusaurus.config.js").write_text(config)

    [page] = [one for one in Folder(tmp_path, "", 100_000).articles() if isinstance(one, Article)]

    assert page.url == "https://h.example/support/a"


def test_a_page_of_html_is_rendered_as_jekyll_does(tmp_path: Path) -> None:
    link = "<a href=\"{{site.baseurl}}/x/\"><img alt='' src='i.png'><p>First steps</p></a>"
    text = f"---\ntitle: Home\n---\n{{% assign a = 1 %}}{link}"

    body = read(tmp_path, {"_config.yml": "baseurl: /help", "index.html": text})["index"].body

    assert body == "[First steps](https://h.example/help/x/)"


def test_tabs_in_a_note_are_labelled_and_stay_in_it(tmp_path: Path) -> None:
    text = (
        ":::note\nRun it:\n\n<Tabs>\n<TabItem label='npm'>\n\n```\nnpm i\n```\n\n</TabItem>\n"
        "<TabItem label='yarn'>\n\nyarn add\n\n</TabItem>\n</Tabs>\n\nThen wait.\n:::\n\nAfter."
    )

    note, after = parse(read(tmp_path, {"a.mdx": text})["a"].body)

    assert note.kind == "note" and after.render() == "After."
    assert "**npm:**" in note.render() and "**yarn:** yarn add" in " ".join(note.render().replace(">", "").split())
    assert "{.tab}" not in note.render() and "/tabs" not in note.render()


@pytest.mark.parametrize("config", ["astro.config.mjs", "package.json"])
def test_pages_of_starlight_stand_where_their_own_folder_says(tmp_path: Path, config: str) -> None:
    page = "import { Card } from '@astrojs/starlight/components';\n\nText."

    found = read(tmp_path, {config: "{}", "src/content/docs/en/a.mdx": page})

    assert [one.url for one in found.values()] == ["https://h.example/en/a/"]


def test_a_title_in_a_tab_of_rst_is_no_code(tmp_path: Path) -> None:
    page = "Title\n=====\n\n.. tab:: Mobile\n\n  Make a channel\n  --------------\n\n  Tap it.\n"

    body = read(tmp_path, {"conf.py": "", "a.rst": page})["a"].body

    assert [block.render() for block in parse(body)] == ["**Make a channel**", "Tap it."]


def test_what_stands_less_far_in_than_a_step_is_not_in_the_step(tmp_path: Path) -> None:
    panes = "\n".join(
        f'  <div class="tab-pane" role="tabpanel">\n\n#### {name}\n\n1. Open {name}.\n\n  </div>'
        for name in ("Web", "Phone")
    )

    blocks = parse(read(tmp_path, {"a.md": f'<div class="tab-content">\n{panes}\n</div>\n\nAfter.'})["a"].body)

    assert [(block.tab, block.render()) for block in blocks] == [
        (("Web",), "1. Open Web."),
        (("Phone",), "1. Open Phone."),
        ((), "After."),
    ]
