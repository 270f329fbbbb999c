"""Sites of real generators: what is a page, where it stands, and what its components show."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge import Article, Skipped, Unpublished
from handrail.knowledge.folder import Folder
from handrail.text.markdown import parse


def site(root: Path, files: dict[str, str]) -> Folder:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Folder(root, "https://h.example", 100_000)


def articles(root: Path, files: dict[str, str]) -> dict[str, Article]:
    return {item.id: item for item in site(root, files).articles() if isinstance(item, Article)}


@pytest.mark.parametrize(
    ("generator", "files"),
    [
        ("jekyll", {"_config.yml": "title: Help", "a.md": "Text."}),
        ("docusaurus", {"docusaurus.config.js": "", "docs/a.md": "Text."}),
        ("mkdocs", {"mkdocs.yml": "site_name: Help", "docs/a.md": "Text."}),
        ("gitbook", {"SUMMARY.md": "* [A](a.md)", "a.md": "Text."}),
        ("starlight", {"src/content/docs/a.mdx": "import { Steps } from '@astrojs/starlight/components';\n\nText."}),
        ("docusaurus", {"a.md": "import Tabs from '@theme/Tabs';\n\nText."}),
        ("gitbook", {"a.md": '{% hint style="info" %}\nText.\n{% endhint %}'}),
        ("mkdocs", {"a.md": "!!! note\n    Text."}),
        ("jekyll", {"a.md": "{% include nav.html %}\n\nText."}),
        ("", {"a.md": "Text."}),
    ],
)
def test_the_generator_is_told_by_its_files_or_else_by_marks(
    tmp_path: Path, generator: str, files: dict[str, str]
) -> None:
    folder = site(tmp_path, files)

    found = [item.id for item in folder.articles() if isinstance(item, Article)]

    assert (len(found), set(folder.generators)) == (1, {generator})


@pytest.mark.parametrize(
    ("files", "url"),
    [
        ({"_config.yml": "", "a.md": "---\npermalink: /guides/a/\n---\nText."}, "/guides/a/"),
        ({"_config.yml": "permalink: pretty", "b/a.md": "Text."}, "/b/a/"),
        ({"_config.yml": "collections: {faq: {permalink: '/help/:name'}}", "_faq/a.md": "Text."}, "/help/a"),
        ({"docusaurus.config.js": "", "docs/02-b/01-a.md": "Text."}, "/docs/b/a"),
        ({"docusaurus.config.js": "", "docs/a.md": "---\nslug: /start\n---\nText."}, "/docs/start"),
        ({"docusaurus.config.js": "", "docs/b/a.md": "---\nid: c\n---\nText."}, "/docs/b/c"),
        ({"mkdocs.yml": "", "docs/b/a.md": "Text."}, "/b/a/"),
        ({"mkdocs.yml": "use_directory_urls: false", "docs/b/index.md": "Text."}, "/b/index.html"),
        ({".gitbook.yaml": "", "b/README.md": "Text."}, "/b"),
        ({"hugo.toml": "", "content/B/a.md": "---\nslug: c\n---\nText."}, "/b/c/"),
        ({"a.md": "---\nurl: https://other.example/x\n---\nText."}, "https://other.example/x"),
        ({"B/A b.md": "Text."}, "/b/a-b"),
    ],
)
def test_an_address_follows_the_rules_of_the_site(tmp_path: Path, files: dict[str, str], url: str) -> None:
    [article] = articles(tmp_path, files).values()

    assert article.url == (url if url.startswith("https") else f"https://h.example{url}")


def test_without_an_address_of_the_site_there_is_none_and_its_configuration_may_name_one(tmp_path: Path) -> None:
    site(tmp_path, {"_config.yml": "", "a.md": "Text."})
    assert [item.url for item in Folder(tmp_path, "", 1000).articles() if isinstance(item, Article)] == [""]

    site(tmp_path, {"_config.yml": "url: https://own.example\nbaseurl: /help"})
    found = [item.url for item in Folder(tmp_path, "", 1000).articles() if isinstance(item, Article)]
    assert found == ["https://own.example/help/a.html"]


def test_liquid_is_rendered_and_its_includes_are_filled_in(tmp_path: Path) -> None:
    pytest.importorskip("liquid")
    files = {
        "_config.yml": "product: Brimley",
        "_includes/ask.md": "Ask the {{ include.who }}.",
        "a.md": "---\ntitle: A\nlayout: page\n---\n"
        "{% capture x %}Open **{{ site.product }}**.{% endcapture %}{{ x | markdownify }}\n\n"
        '{% include ask.md who="owner" %}\n\n{% if site.absent %}Never.{% endif %}'
        "{% callout warning %}\nSave {% icon disk %}first.\n{% endcallout %}\n",
    }

    found = articles(tmp_path, files)

    assert found.keys() == {"a"}
    assert found["a"].body.split("\n\n") == ["Open **Brimley**.", "Ask the owner.", "> **Warning:**\n> Save first."]


def test_a_partial_is_no_page_and_stands_where_it_is_imported(tmp_path: Path) -> None:
    files = {
        "docusaurus.config.js": "",
        "docs/_shared.md": "Ask the **owner**.",
        "docs/a.md": "import Shared from './_shared.md';\n\nFirst.\n\n<Shared />\n",
    }
    found = list(site(tmp_path, files).articles())

    assert [item.body for item in found if isinstance(item, Article)] == ["First.\n\nAsk the **owner**."]
    assert any("parts of pages" in item.why and "_shared.md" in item.why for item in found if isinstance(item, Skipped))


def test_a_file_outside_the_site_is_not_included(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("The safe opens with 1234.")
    files = {"mkdocs.yml": "", "docs/a.md": 'Text.\n\n--8<-- "../../secret.md"\n'}

    assert articles(tmp_path / "site", files)["docs:a"].body == "Text."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('Press <Key mod="ctrl shift" k="z" /> now.', "Press ctrl+shift+z now."),
        ("Press <kbd>Ctrl</kbd><kbd>Z</kbd> now.", "Press Ctrl+Z now."),
        ("Open \\<Sketch name\\>.ino now.", "Open `<Sketch name>`.ino now."),
        ("The domain <Required/> of the site.", "The domain (required) of the site."),
        ("New in <Since v='2.1' />.", "New in 2.1."),
        ("See {'the list'}{/* not this */} {props.x}.", "See the list ."),
        ('Choose <a href="/x">Save &amp; close</a> &rarr; <b>Done</b>.', "Choose Save & close → **Done**."),
        ("![A shot of the screen](a.png)\n\nThen ![gear](g.png) wait.", "Then gear wait."),
    ],
)
def test_what_stands_in_a_line_keeps_the_words_a_reader_sees(tmp_path: Path, text: str, shown: str) -> None:
    assert articles(tmp_path, {"a.mdx": text})["a"].body == shown


def test_a_component_shows_its_title_and_a_note_its_kind(tmp_path: Path) -> None:
    card = '<Card title="Connect">\nChoose it.\n</Card>'
    text = f'{card}\n\n<Aside type="caution">\nSlowly.\n</Aside>\n\n<Shot src="a.png" />\n'

    assert articles(tmp_path, {"a.mdx": text})["a"].body == "**Connect:**\n\nChoose it.\n\n> **Caution:**\n> Slowly."


def test_tabs_are_sections_under_the_heading_they_stand_under(tmp_path: Path) -> None:
    text = (
        "## Undo\n\nFirst.\n\n<Tabs>\n<TabItem label='Mac'>\n\n# Deep\n\nOne.\n\n</TabItem>\n"
        "<TabItem label='Phone'>\nTwo.\n</TabItem>\n</Tabs>\n\nLast.\n"
    )
    blocks = parse(articles(tmp_path, {"a.mdx": text})["a"].body)

    assert [(block.headings, block.render()) for block in blocks] == [
        (("Undo",), "First."),
        (("Undo", "Mac", "Deep"), "One."),
        (("Undo", "Phone"), "Two."),
        (("Undo",), "Last."),
    ]
    assert blocks[2].anchor == "undo"


def test_tabs_in_a_step_stay_in_the_step(tmp_path: Path) -> None:
    tabs = "   <Tabs>\n   <TabItem label='npm'>\n   Run npm.\n   </TabItem>\n   </Tabs>"
    text = f"1. Install it:\n\n{tabs}\n\n2. Start it.\n"

    [block] = parse(articles(tmp_path, {"a.mdx": text})["a"].body)

    assert (block.kind, len(block.units)) == ("ordered", 2)
    assert "**npm:**" in block.units[0] and "Run npm." in block.units[0]


def test_a_table_of_tags_is_a_table(tmp_path: Path) -> None:
    rows = "<tr><td rowspan=2>Silver</td><td>9 | 10</td></tr><tr><td>12</td></tr>"
    text = f"<table><tr><th>Plan</th><th>Price</th></tr>\n\n{rows}</table>"

    [table] = parse(articles(tmp_path, {"a.md": text})["a"].body)

    assert table.kind == "table"
    assert table.units == ("| Silver | 9 \\| 10 |", "| Silver | 12 |")


def test_repeated_headings_have_the_anchors_of_the_site(tmp_path: Path) -> None:
    text = "## Costs & limits\n\nOne.\n\n## Costs & limits\n\nTwo.\n"

    docusaurus = articles(tmp_path / "d", {"docusaurus.config.js": "", "docs/a.md": text})["docs:a"]
    mkdocs = articles(tmp_path / "m", {"mkdocs.yml": "", "docs/a.md": text})["docs:a"]

    assert [block.anchor for block in parse(docusaurus.body)] == ["costs--limits", "costs--limits-1"]
    assert [block.anchor for block in parse(mkdocs.body)] == ["costs-limits", "costs-limits_1"]


@pytest.mark.parametrize(
    "fields",
    ["redirect_to: /b", "noindex: true", "robots: noindex, follow", "search: {exclude: true}", "unlisted: true"],
)
def test_what_is_kept_from_visitors_is_not_indexed(tmp_path: Path, fields: str) -> None:
    found = list(site(tmp_path, {"a.md": f"---\n{fields}\n---\nText.", "b.md": "Text."}).articles())

    assert [type(item) for item in found] == [Unpublished, Article]


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ('<a id="review"></a>\n\n## Review plans\n', "review"),
        ('<a name="first"></a>\n<a name="second"></a>\n## Review plans\n', "second"),
        ('## <a id="review"></a>Review plans ##\n', "review"),
        ('<a id="other"></a>\n\n## Review plans {#mine}\n', "mine"),
        ("Review plans\n------------\n", "review-plans"),
        ('<a id="other"></a>\n\nWords between.\n\n## Review plans\n', "review-plans"),
        ('Some <a id="mid"></a> words.\n\n## Review plans\n', "review-plans"),
    ],
)
def test_an_anchor_that_an_element_names_is_that_of_the_heading_below_it(
    tmp_path: Path, text: str, anchor: str
) -> None:
    (article,) = articles(tmp_path, {"a.md": f"{text}\nOpen **Plans**.\n"}).values()

    last = parse(article.body)[-1]
    assert (last.headings, last.anchor) == (("Review plans",), anchor)
    assert "<a " not in article.body


def test_what_looks_like_a_heading_in_code_is_none(tmp_path: Path) -> None:
    text = "## Costs\n\n~~~\n```\n## Costs\n~~~\n\n## Costs\n\nNine.\n"

    (article,) = articles(tmp_path, {"_config.yml": "", "a.md": text}).values()

    assert [(one.kind, one.anchor) for one in parse(article.body)] == [("code", "costs"), ("paragraph", "costs-1")]


def test_a_heading_in_a_summary_is_a_heading(tmp_path: Path) -> None:
    text = "<details>\n<summary>\n\n## Check by hand\n\n</summary>\n\nOpen the source.\n\n</details>\n"

    (article,) = articles(tmp_path, {"a.md": text}).values()

    assert [one.headings for one in parse(article.body)] == [("Check by hand",)]


def test_a_template_that_pages_are_made_from_is_no_page(tmp_path: Path) -> None:
    files = {"layout.html": '{% extends "base.html" %}\n{% block body %}<p>Hello</p>{% endblock %}', "a.md": "Text."}

    found = list(site(tmp_path, files).articles())

    assert [one.id for one in found if isinstance(one, Article)] == ["a"]
    assert ["layout.html" in one.where for one in found if isinstance(one, Skipped)] == [True]


def test_markdown_of_sphinx_shows_what_its_directives_and_roles_show(tmp_path: Path) -> None:
    text = """---
myst:
  substitutions:
    app: Parcels
---
(first)=
# Send

Open {guilabel}`Save` in {{ app }}, see {doc}`the guide <guide/index>`, {doc}`other:your-intro`, {py:func}`~send`.

```{note}
Keep the key. {kbd}`Ctrl+Z`.
```

(labels)=
## Steps

````{tab-set}
```{tab-item} Windows
Choose **Start**.
```
```{tab-item} Mac
Choose **Apple**.
```
````

## Prices

```{list-table} Prices
:header-rows: 1

* - Plan
  - Price
* - Gold
  - 9 euros
```

```{eval-rst}
.. warning:: Never press :guilabel:`this`.
```

```{toctree}
other
```

```{code-block} js
:linenos:
open("{doc}`x`")
```
"""
    (article,) = articles(tmp_path, {"conf.py": "", "a.md": text}).values()
    shown = {(one.headings, one.kind): one for one in parse(article.body)}

    first = shown[(), "paragraph"].render()
    assert first == "Open **Save** in Parcels, see the guide, your intro, `send`."
    assert shown[(), "note"].render().split() == [">", "**Note:**", "Keep", "the", "key.", "Ctrl+Z."]
    assert shown[("Steps", "Windows"), "paragraph"].tab == ("Windows",)
    assert shown[("Steps", "Mac"), "paragraph"].anchor == "labels"
    assert shown[("Prices",), "table"].units == ("| Gold | 9 euros |",)
    assert "Never press **this**" in shown[("Prices",), "note"].render()
    assert 'open("{doc}`x`")' in shown[("Prices",), "code"].render()
    assert not any(mark in article.body for mark in ("toctree", "{note}", "linenos", "(first)"))


def test_a_page_is_named_by_the_end_of_its_path_where_the_root_is_not_known(tmp_path: Path) -> None:
    files = {
        "docs/conf.txt": "",
        "docs/dev/index.rst": "Design\n======\n\nText.\n",
        "docs/user/paid/index.rst": "Business hosting\n================\n\nText.\n",
        "docs/user/a.rst": "Submodules\n==========\n\nThis guide is for :doc:`/paid/index`. See :doc:`/index`.\n",
    }

    found = articles(tmp_path, files)

    assert found["docs:user:a"].body.startswith("This guide is for Business hosting. See index")
