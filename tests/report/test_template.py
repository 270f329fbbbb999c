"""Templates: a title, sections, and what their guidance asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.report.template import TemplateError, asks, parsed, read, sample

WHOLE = """\
# State of **things**

For the board.

## Plans

What readers should know:

- What does each plan cost?
- Limits, such as `storage`
   - of files

### Not a section

## Refunds
How long can a plan be refunded? Who pays the fees?

```
## not a heading
```

## Outages
"""


def test_a_title_a_note_and_sections_with_what_they_ask() -> None:
    template = parsed(WHOLE, "t.md")

    assert (template.title, template.note) == ("State of things", "For the board.")
    assert [part.heading for part in template.parts] == ["Plans", "Refunds", "Outages"]
    plans, refunds, outages = template.parts
    assert plans.asks == ("What does each plan cost?", "Limits, such as storage of files")
    assert "### Not a section" in plans.guidance
    assert refunds.asks == ("How long can a plan be refunded?", "Who pays the fees?")
    assert "## not a heading" in refunds.guidance
    assert outages.asks == ("Outages",)


def test_what_is_asked_twice_is_asked_once() -> None:
    assert asks("Plans", "- prices\n- limits\n- prices") == ("prices", "limits")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "begin with one title"),
        ("# Only a title", "begin with one title"),
        ("## A section\n\n# A title", "begin with one title"),
        ("# One\n\n## A\n\n# Two", "begin with one title"),
        ("# One\n\n## A\n\nx\n\n## A", "line 7: another section is called 'A'"),
        ("# One\n\n##\n\nx", "line 3: the heading has no words"),
    ],
)
def test_what_is_wrong_is_said_with_its_file(text: str, told: str) -> None:
    with pytest.raises(TemplateError, match=f"(?s)t.md.*{told}"):
        parsed(text, "t.md")


def test_files_that_are_no_templates_are_named(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes("# Größe\n\n## A".encode("latin-1"))
    (tmp_path / "large.md").write_text("# One\n\n## A\n\n" + "word " * 30_000)

    for name, told in (("latin", "can't be read"), ("large", "at most 100,000 bytes"), ("none", "can't be read")):
        with pytest.raises(TemplateError, match=f"{name}.md.*{told}"):
            read(tmp_path / f"{name}.md")


def test_the_template_that_ships_is_one() -> None:
    template = parsed(sample(), "sample")

    assert template.title == "Monthly state of the help centre"
    assert all(len(part.asks) > 1 for part in template.parts)
