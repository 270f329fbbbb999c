"""Icons that stand for a word keep it, and ornaments say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.knowledge.formats.html import markdown_of
from handrail.knowledge.markup import Around, plain_markdown

SAVED = "Click the Save button."
SETTINGS = "Click the Settings icon."


def said(text: str) -> str:
    return " ".join(text.split())


def dialect(text: str, generator: str = "") -> str:
    mdx = generator in ("docusaurus", "starlight")
    return said(plain_markdown(text, mdx=mdx, around=Around(root=Path("/nowhere"), generator=generator)))


ELEMENTS = [
    ('Click the <button aria-label="Save"><svg></svg></button> button.', SAVED),
    ('Click the <button title="Save"><i class="fa fa-disk"></i></button> button.', SAVED),
    ('Click the <i class="fa fa-cog" title="Settings"></i> icon.', SETTINGS),
    ('Click the <i class="fa" title="Settings">\uf013</i> icon.', SETTINGS),
    ('Click the <svg aria-label="Settings"><path/></svg> icon.', SETTINGS),
    ("Click the <svg><title>Settings</title><path/></svg> icon.", SETTINGS),
    ('Click the <span role="img" aria-label="Settings"></span> icon.', SETTINGS),
    ('Click the <img alt="Settings" src="gear.png"> icon.', SETTINGS),
    ('Click <a href="https://x.io/e" aria-label="Edit"><svg></svg></a> now.', "Click [Edit](https://x.io/e) now."),
    ('Click<i title="Settings"></i>now.', "Click Settings now."),
]
"""What a page and Markdown show alike."""


@pytest.mark.parametrize(("html", "shown"), ELEMENTS)
def test_a_page_says_the_name_of_an_icon_in_a_sentence(html: str, shown: str) -> None:
    assert said(markdown_of(f"<p>{html}</p>")) == shown


@pytest.mark.parametrize("generator", ["", "docusaurus", "mkdocs", "hugo", "nuxt", "sphinx", "jekyll", "gitbook"])
@pytest.mark.parametrize(("html", "shown"), ELEMENTS)
def test_markdown_says_the_name_of_an_icon_in_a_sentence(html: str, shown: str, generator: str) -> None:
    assert dialect(html, generator) == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('Click <button><svg></svg><span class="sr-only">Settings</span></button> now.', "Click Settings now."),
        (
            'Click <i class="fa" aria-hidden="true"></i> <span class="sr-only">Settings</span> now.',
            "Click Settings now.",
        ),
        ('Press <input type="submit" value="Save"> now.', "Press Save now."),
        ('Click the <img alt="Settings" src="data:image/png;base64,AAAA"> icon.', SETTINGS),
    ],
)
def test_words_for_screen_readers_and_inputs_name_what_has_no_others(html: str, shown: str) -> None:
    assert said(markdown_of(f"<p>{html}</p>")) == shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('<p><svg aria-label="Settings page"></svg></p>', ""),
        ('<p><img alt="Settings page" src="page.png"></p>', ""),
        ('<figure><img alt="Settings page" src="page.png"></figure>', ""),
        ('<p>Text.</p><button aria-label="Copy"><svg></svg></button>', "Text."),
        ('<pre><code>ab</code><button aria-label="Copy"><svg></svg></button></pre>', "``` ab ```"),
        ('<h2>Limits <a href="#x" aria-label="Direct link"></a></h2>', "## Limits"),
        ('<h2><svg aria-label="Gear"></svg> Settings</h2>', "## Settings"),
        (
            '<p>See <a href="https://x.io">us<svg aria-label="(opens in new tab)"></svg></a>.</p>',
            "See [us](https://x.io).",
        ),
        ('<p>See <a href="https://x.io">us<span class="sr-only">(new tab)</span></a>.</p>', "See [us](https://x.io)."),
        ('<p>Click <svg aria-hidden="true"><title>Gear</title></svg> it.</p>', "Click it."),
        ('<p>Open <i title="Settings"></i> Settings.</p>', "Open Settings."),
        ('<p><span role="img" aria-label="tada">\N{PARTY POPPER}</span> Done.</p>', "\N{PARTY POPPER} Done."),
    ],
)
def test_ornaments_of_a_page_say_nothing(html: str, shown: str) -> None:
    assert said(markdown_of(html)) == shown


def test_an_icon_is_all_that_a_cell_says() -> None:
    html = (
        "<table><tr><th>Plan</th><th>Mail</th></tr>"
        '<tr><td>Free</td><td><i class="fa fa-check" title="Included"></i></td></tr></table>'
    )
    markdown = '| Plan | Mail |\n|---|---|\n| Free | <svg aria-label="Included"></svg> |'

    assert "| Free | Included |" in markdown_of(html)
    assert "| Free | Included |" in dialect(markdown)


@pytest.mark.parametrize(
    ("generator", "text", "shown"),
    [
        ("docusaurus", 'Click the <Icon name="x" label="Settings" /> icon.', SETTINGS),
        ("docusaurus", 'Click the <IconButton icon="x" aria-label="Settings" /> icon.', SETTINGS),
        ("starlight", 'Click the <Image alt="Settings" src="a.png" /> icon.', SETTINGS),
        ("docusaurus", 'Click the <Icon name="lucide:dots-vertical" /> icon.', "Click the dots vertical icon."),
        ("docusaurus", "Click the <GearIcon /> icon.", "Click the gear icon."),
        ("mkdocs", 'Click the :material-cog:{ title="Settings" } icon.', SETTINGS),
        ("mkdocs", "Click the :fontawesome-solid-user-gear: icon.", "Click the user gear icon."),
        ("mkdocs", "Click the :octicons-three-bars-16:\nicon.", "Click the three bars icon."),
        ("", "To edit, click :material-pencil:.", "To edit, click pencil."),
        ("gitbook", "Click the :white_check_mark: icon.", "Click the white check mark icon."),
        ("nuxt", 'Click the :icon{name="i-lucide-settings"} icon.', "Click the settings icon."),
        ("hugo", 'Click the {{< icon "gear" >}} icon.', "Click the gear icon."),
        ("hugo", 'Click the {{< icon name="gear" title="Settings" >}} icon.', SETTINGS),
        ("jekyll", 'Click the {% octicon "gear" aria-label="Settings" %} icon.', SETTINGS),
        ("sphinx", "Click the {octicon}`gear;1em` icon.", "Click the gear icon."),
    ],
)
def test_an_icon_that_a_generator_calls_keeps_its_name(generator: str, text: str, shown: str) -> None:
    assert dialect(text, generator) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- :material-check: Free shipping", "- Free shipping"),
        ("## :material-cog: Settings", "## Settings"),
        ("Open :material-cog: **Settings** now.", "Open **Settings** now."),
        ("Go to **A** :material-chevron-right: **B**.", "Go to **A** **B**."),
        ("- :tada: Welcome", "- :tada: Welcome"),
        ("From 10:30:00 on, `:gear:` and a:b:c stay.", "From 10:30:00 on, `:gear:` and a:b:c stay."),
        ("![Settings page](page.png)", ""),
        ('<svg aria-label="Settings page"><path/></svg>', ""),
        ('## <Icon label="Gear" /> Settings', "## Settings"),
        ("Click ![Settings](a.png) **Settings**.", "Click **Settings**."),
    ],
)
def test_ornaments_of_markdown_say_nothing(text: str, shown: str) -> None:
    assert dialect(text, "mkdocs") == shown
