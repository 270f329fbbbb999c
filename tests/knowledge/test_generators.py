"""Sites of Hugo, Mintlify, Nuxt Content and VitePress: which files are pages, and what their own marks show."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge import Article, Skipped
from handrail.knowledge.folder import Folder
from handrail.knowledge.lint_links import lint_links
from handrail.text.markdown import parse

HUGO = {"config.toml": 'baseURL = "https://docs.example/"\n', "content/a.md": "Text."}
NUXT = {"nuxt.config.ts": "", "content/1.start/2.first-steps.md": "Text."}


def site(root: Path, files: dict[str, str], base: str = "") -> Folder:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Folder(root, base, 100_000)


def read(root: Path, files: dict[str, str], base: str = "") -> dict[str, Article]:
    return {item.id: item for item in site(root, files, base).articles() if isinstance(item, Article)}


def hugo(root: Path, text: str, **files: str) -> str:
    more = {f"layouts/shortcodes/{name}.html": template for name, template in files.items()}
    return read(root, {**HUGO, "i18n/en.toml": '[needed]\nother = "required"\n', **more, "content/a.md": text})[
        "content:a"
    ].body


@pytest.mark.parametrize(
    ("generator", "files"),
    [
        ("hugo", HUGO),
        ("hugo", {"config/_default/hugo.yaml": "", "content/a.md": "Text."}),
        ("hugo", {"a.md": "{{< hint >}}Text.{{< /hint >}}"}),
        ("mintlify", {"docs.json": '{"navigation": []}', "a.mdx": "Text."}),
        ("mintlify", {"a.mdx": "<CardGroup>\n<Card title='A'>Text.</Card>\n</CardGroup>"}),
        ("nuxt", NUXT),
        ("nuxt", {"a.md": "::callout\nText.\n::"}),
        ("vitepress", {".vuepress/config.js": "", "a.md": "Text."}),
        ("", {"config.toml": "", "a.md": "Text."}),
        ("", {"nuxt.config.ts": "", "a.md": "Text."}),
    ],
)
def test_the_generator_is_told_by_its_files_or_marks(tmp_path: Path, generator: str, files: dict[str, str]) -> None:
    folder = site(tmp_path, files)

    found = [item.id for item in folder.articles() if isinstance(item, Article)]

    assert (len(found), set(folder.generators)) == (1, {generator})


@pytest.mark.parametrize(
    ("files", "url"),
    [
        (HUGO, "https://docs.example/a/"),
        (
            {
                "hugo.toml": 'baseURL = "https://docs.example"\n[languages.en]\ncontentDir = "content/en"',
                "content/en/user/_index.md": "Text.",
            },
            "https://docs.example/user/",
        ),
        (
            {
                "hugo.toml": 'baseURL = "https://docs.example"\n[languages.de]\nweight = 2\n[languages.en]\n',
                "content/user/a.de.md": "Text.",
            },
            "https://docs.example/de/user/a/",
        ),
    ],
)
def test_hugo_names_the_address_of_its_pages(tmp_path: Path, files: dict[str, str], url: str) -> None:
    [page] = read(tmp_path, files).values()

    assert page.url == url


@pytest.mark.parametrize(
    ("files", "url"),
    [
        (NUXT, "/start/first-steps"),
        ({"docs.json": '{"navigation": []}', "faq/a.mdx": "Text."}, "/faq/a"),
        ({".vitepress/config.ts": "", "guide/a.md": "Text."}, "/guide/a.html"),
        ({".vitepress/config.ts": "export default { cleanUrls: true }", "guide/a.md": "Text."}, "/guide/a"),
        ({".vitepress/config.ts": "", "guide/index.md": "Text."}, "/guide/"),
    ],
)
def test_an_address_follows_the_rules_of_the_site(tmp_path: Path, files: dict[str, str], url: str) -> None:
    [page] = read(tmp_path, files, "https://h.example").values()

    assert page.url == f"https://h.example{url}"


@pytest.mark.parametrize(
    ("files", "pages"),
    [
        ({**HUGO, "README.md": "# Build it", "layouts/shortcodes/x.html": "<p>x</p>"}, {"content:a"}),
        (
            {"mkdocs.yml": "", "docs/a.md": "Text.", "README.md": "Build it.", "overrides/x.html": "<p>x</p>"},
            {"docs:a"},
        ),
        ({"docusaurus.config.js": "", "docs/a.md": "Text.", "README.md": "Build it."}, {"docs:a"}),
        (
            {"docs.json": '{"navigation": []}', "a.mdx": "Text.", "snippets/b.mdx": "Part.", "README.md": "Build."},
            {"a"},
        ),
        ({**NUXT, "content/_partials/x.md": "Part.", "AGENTS.md": "Build it."}, {"content:1.start:2.first-steps"}),
        ({"_config.yml": "exclude: [drafts]", "index.md": "T.", "README.md": "B.", "drafts/a.md": "D."}, {"index"}),
        ({"_config.yml": "", "README.md": "Text."}, {"readme"}),
        (
            {"source/conf.py": "", "source/a.rst": "Text.", "README.md": "Build it.", "faq.md": "Text."},
            {"source:a", "faq"},
        ),
        ({"a.md": "Text.", "README.md": "Text."}, {"a", "readme"}),
    ],
)
def test_what_tells_how_a_site_is_made_is_no_page_of_it(tmp_path: Path, files: dict[str, str], pages: set[str]) -> None:
    items = list(site(tmp_path, files).articles())

    assert {item.id for item in items if isinstance(item, Article)} == pages
    skipped = " ".join(item.why for item in items if isinstance(item, Skipped))
    assert ("README.md" in skipped) is ("README.md" in files and "readme" not in pages)


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ('{{< hint style="warning" >}}\nClose the valve.\n{{< /hint >}}', "note", "**Warning:** Close the valve."),
        ('{{% notice tip "Mind" %}}\nClose it.\n{{% /notice %}}', "note", "**Mind:** Close it."),
        ('{{< alert title="Mind" color="danger" >}}Close it.{{< /alert >}}', "note", "**Mind:** Close it."),
        ("Name: {{% must %}}, a text.", "paragraph", "Name: required, a text."),
        ('See {{< card-link url="/x" caption="The list" >}}.', "paragraph", "See The list."),
        ('Open [the list]({{< relref "a#b" >}}) first.', "paragraph", "Open the list first."),
        ('Look.\n\n{{< figure src="a.png" caption="A picture" >}}', "paragraph", "Look."),
        ("Type {{</* hint */>}} there.", "paragraph", "Type `{{< hint >}}` there."),
        ('Press {{< key "Ctrl" >}} now.', "paragraph", "Press Ctrl now."),
    ],
)
def test_a_shortcode_shows_what_it_shows_on_the_site(tmp_path: Path, text: str, kind: str, shown: str) -> None:
    [block] = parse(hugo(tmp_path, text, must='<span>{{ i18n "needed" }}</span>', key="<kbd>{{ .Get 0 }}</kbd>"))

    said = "\n".join(line.removeprefix(">") for line in block.render().split("\n"))
    assert (block.kind, " ".join(said.split())) == (kind, shown)


@pytest.mark.parametrize(
    "text",
    [
        '{{< tabs >}}{{< tab "Linux" >}}\nRun it.\n{{< /tab >}}{{< tab "macOS" >}}\nOpen it.{{< /tab >}}{{< /tabs >}}',
        '{{< tabs items="Linux,macOS" >}}\n{{< tab >}}Run it.{{< /tab >}}\n{{< tab >}}Open it.{{< /tab >}}{{</tabs>}}',
        '{{% tabs %}}\n{{% tab name="Linux" %}}\nRun it.\n{{% /tab %}}\n'
        '{{% tab name="macOS" %}}\nOpen it.\n{{% /tab %}}\n{{% /tabs %}}',
    ],
)
def test_tabs_of_shortcodes_are_kept_apart(tmp_path: Path, text: str) -> None:
    blocks = parse(hugo(tmp_path, f"{text}\n\nAfter."))

    assert [(block.tab, block.render()) for block in blocks] == [
        (("Linux",), "Run it."),
        (("macOS",), "Open it."),
        ((), "After."),
    ]


def test_code_of_a_shortcode_stays_code(tmp_path: Path) -> None:
    [block] = parse(hugo(tmp_path, "{{< highlight html >}}\n<b>{{ x }}</b>\n{{< /highlight >}}"))

    assert block.render() == "```html\n<b>{{ x }}</b>\n```"


def nuxt(root: Path, text: str, **partials: str) -> str:
    parts = {f"content/_partials/{name}.md": part for name, part in partials.items()}
    return read(root, {"nuxt.config.ts": "", "content/a.md": text, **parts})["content:a"].body


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('::callout{icon="i-info" color="warning"}\nClose it.\n::', "> **Warning:** Close it."),
        ('::callout{icon="i-info"}\nClose it.\n::', "> **Note:** Close it."),
        ('::card-group\n:::card{title="Start" to="/x"}\nFirst steps.\n:::\n::', "**Start:** First steps."),
        ("Press :icon{name='i-lucide-close'} twice.", "Press close twice."),
        (':partial{content="how"}', "Do it so."),
        (':video-embed{video-id="1"}\n\nText.', "Text."),
        ('Use `a[b]=c`{lang="http"}', "Use `a[b]=c`"),
        ("::note\nThis is not ended.", "This is not ended."),
    ],
)
def test_a_component_of_nuxt_content_shows_its_words(tmp_path: Path, text: str, shown: str) -> None:
    blocks = parse(nuxt(tmp_path, text, how="Do it so."))

    assert " ".join(" ".join(block.render() for block in blocks).replace(">\n> ", "").split()) == shown


def test_components_within_each_other_are_tabs_and_no_code(tmp_path: Path) -> None:
    linux = "  :::div\n  ---\n  label: Linux\n  ---\n    Run it.\n  :::\n\n"
    text = f'::tabs\n{linux}  :::div{{label="macOS"}}\n    Open it.\n  :::\n::'

    assert [(block.tab, block.render()) for block in parse(nuxt(tmp_path, text))] == [
        (("Linux",), "Run it."),
        (("macOS",), "Open it."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<CodeGroup>\n```bash npm\nnpm i x\n```\n```bash yarn\nyarn add x\n```\n</CodeGroup>",
        "::: code-group\n```bash [npm]\nnpm i x\n```\n```bash [yarn]\nyarn add x\n```\n:::",
        "::code-group\n```bash [npm]\nnpm i x\n```\n\n```bash [yarn]\nyarn add x\n```\n::",
        "::: code-tabs\n@tab npm\n```bash\nnpm i x\n```\n@tab yarn\n```bash\nyarn add x\n```\n:::",
        '<CodeGroup>\n```bash title="npm"\nnpm i x\n```\n```bash title="yarn"\nyarn add x\n```\n</CodeGroup>',
    ],
)
def test_blocks_of_code_that_stand_for_each_other_are_tabs(tmp_path: Path, text: str) -> None:
    files = (
        {"nuxt.config.ts": "", "content/a.md": f"{text}\n\nAfter."}
        if text.startswith("::c")
        else {"a.md": f"{text}\n\nAfter."}
    )
    [page] = read(tmp_path, files).values()

    blocks = parse(page.body)

    assert [block.tab for block in blocks] == [("npm",), ("yarn",), ()]
    assert "npm i x" in blocks[0].render() and "yarn add x" in blocks[1].render()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('!!!tip "Mind the gap"\n    Close it.', "Mind the gap"),
        ('??? question "Why does "sync" fail?"\n    Close it.', 'Why does "sync" fail?'),
    ],
)
def test_a_note_of_mkdocs_may_lack_a_space_and_quote_in_its_title(tmp_path: Path, text: str, title: str) -> None:
    [block] = parse(read(tmp_path, {"mkdocs.yml": "", "docs/a.md": text})["docs:a"].body)

    assert block.kind == "note" and title in block.render() and "Close it." in block.render()


def test_an_anchor_of_gitbook_keeps_the_stop_in_a_name(tmp_path: Path) -> None:
    text = "# Help\n\n## 1. Rocket.Chat 6.x\n\nText."

    [page] = read(tmp_path, {".gitbook.yaml": "", "a.md": text}, "https://h.example").values()

    assert [block.anchor for block in parse(page.body)] == ["1-rocket.chat-6.x"]


def test_a_link_of_hugo_begins_at_the_address_of_its_page(tmp_path: Path) -> None:
    files = {**HUGO, "content/b/c.md": "[A](../../a/) [B](../d/) [No](../none/)", "content/b/d.md": "Text."}
    site(tmp_path, files)

    assert [one.words for one in lint_links(tmp_path, 100_000).findings] == ["../none/"]
