"""Whole sections, put together again from the passages that the chunker makes of an article."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from handrail.cli.ingest import sample_folder
from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.stores import snapshot as snapshots
from handrail.stores.sections import Sections
from handrail.types import Section
from tests.knowledge.articles import article, chunker

SMALL = {"split_above_tokens": 60, "overlap_tokens": 20, "merge_below_tokens": 0}
"""Passages of a few lines, so that short texts are split as long ones are."""


def sections(body: str, **settings: int) -> list[Section]:
    return sections_of(article(body), **settings)


def sections_of(one: Article, **settings: int) -> list[Section]:
    passages = chunker(**settings).passages(one)
    held = snapshots.build(passages, np.eye(len(passages), dtype=np.float32))
    return list(Sections(held).of_article(one.id))


def split(body: str) -> Section:
    """The only section of an article that is cut into several passages."""
    [section] = sections(body, **SMALL)
    assert len(section.passage_ids) > 1
    return section


STEPS = "\n".join(f"{n}. Open page {n} of the settings and choose option {n} from the list." for n in range(1, 13))


def test_a_split_procedure_is_whole_again_with_what_stands_before_and_after_it() -> None:
    body = f"You need the key.\n\n{STEPS}\n\n> **Warning:** It cannot be undone.\n\nIt takes an hour."

    assert split(f"## Move a page\n\n{body}").text == body


def test_a_section_is_what_stands_under_one_heading() -> None:
    found = sections("At the start.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n\n### Two and a half\n\nMore.", **SMALL)

    assert [(section.headings, section.text) for section in found] == [
        ((), "At the start."),
        (("One",), "First."),
        (("Two",), "Second."),
        (("Two", "Two and a half"), "More."),
    ]
    assert [section.id for section in found] == [f"guide#{n}" for n in range(4)]


def test_a_few_words_above_the_first_heading_lead_to_what_stands_below_it() -> None:
    short, _ = sections("Refunds take five days.\n\n## Refund an order\n\n1. Open it.\n2. Choose **Refund**.", **SMALL)
    assert short.leads_to == "**Refund an order**\n\n1. Open it.\n2. Choose **Refund**."
    assert short.text == "Refunds take five days."


def test_short_sections_that_share_a_passage_are_told_apart() -> None:
    costs = {"Move": "A move is free.", "Renewal": "A year costs EUR 14.", "Refund": "There is none."}

    found = sections("## Costs\n\n" + "\n\n".join(f"### {heading}\n\n{text}" for heading, text in costs.items()))

    assert len({section.passage_ids for section in found}) == 1
    assert [(section.headings, section.text) for section in found] == [
        (("Costs", heading), text) for heading, text in costs.items()
    ]


SENTENCES = " ".join(f"Sentence number {n} says something about the thing." for n in range(20))


def test_sentences_that_passages_repeat_are_said_once() -> None:
    assert " ".join(split(f"## About\n\n{SENTENCES}").text.split()) == SENTENCES


def test_a_split_table_has_its_header_once() -> None:
    rows = "\n".join(f"| Plan {n} | EUR {n} a month and customer |" for n in range(20))
    table = f"| Plan | Price |\n| --- | --- |\n{rows}"

    assert split(f"## Prices\n\nWithout VAT.\n\n{table}").text == f"Without VAT.\n\n{table}"


def test_a_heading_in_code_is_no_section() -> None:
    code = "```markdown\n### Not a heading\n\ntext\n```"

    [section] = sections(f"## Write\n\nBegin like this:\n\n{code}")

    assert section.text == f"Begin like this:\n\n{code}"


def test_split_code_is_one_block_again() -> None:
    lines = "\n".join(f"value_{n} = call({n}, 'order')" for n in range(120))

    text = split(f"## Script\n\n```python\n{lines}\n```").text

    assert text.count("```") == 2
    assert text.startswith("```python\n")
    assert [line for line in text.splitlines() if "call" in line] == lines.splitlines()


def test_steps_that_are_sections_are_one_procedure_with_their_headings() -> None:
    body = "## Connect\n\n### Step 1: Add it\n\nOpen it.\n\n### Step 2: Save it\n\nSave it.\n\n### Later\n\nLook again."

    procedure, later = sections(body, **SMALL)

    assert procedure.headings == ("Connect",)
    assert procedure.text == "**Step 1: Add it**\n\nOpen it.\n\n**Step 2: Save it**\n\nSave it."
    assert (later.headings, later.text) == (("Connect", "Later"), "Look again.")


def test_steps_of_another_procedure_are_not_mixed_in() -> None:
    one, other = sections(
        "## On a phone\n\n### Step 1: Tap\n\nTap it.\n\n## On a computer\n\n### Step 1: Click\n\nClick it.", **SMALL
    )

    assert (one.headings, other.headings) == (("On a phone",), ("On a computer",))
    assert "Click" not in one.text


@pytest.mark.parametrize("ending", ["A form can have up to 25.", "Choose 5.", "It is done in 15 or in 5."])
def test_a_step_keeps_its_number_whatever_the_one_before_ends_with(ending: str) -> None:
    look = "Open the page and look at what is there for as long as you like, and go on when you are done with it."
    steps = [f"{n}. {look} {look}" for n in range(1, 7)]
    steps[3] += f" {ending}"
    body = "\n".join(steps)

    assert split(f"## Do it\n\n{body}").text == body


def test_nested_items_stay_below_their_step() -> None:
    body = "\n".join(f"{n}. Choose one of these for the page:\n   - yours\n   - ours" for n in range(1, 10))

    assert split(f"## Choose\n\n{body}").text == body


def test_each_passage_knows_its_sections() -> None:
    passages = chunker().passages(article(f"## One\n\nFirst.\n\n## Two\n\n{STEPS}"))
    held = Sections(snapshots.build(passages, np.eye(len(passages), dtype=np.float32)))

    for passage in passages:
        assert passage.id in {id_ for section in held.of(passage) for id_ in section.passage_ids}
    assert held.of(passages[0])[0].headings == ("One",)


@cache
def sample() -> Sequence[Article]:
    found = Folder(sample_folder(), "https://help.example", 10**6).articles()
    return [one for one in found if isinstance(one, Article)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"merge_below_tokens": 0},
        {"split_above_tokens": 120, "overlap_tokens": 30},
        {"split_above_tokens": 64, "overlap_tokens": 20, "merge_below_tokens": 20},
    ],
    ids=["as shipped", "nothing merged", "much split", "hardly anything whole"],
)
def test_every_word_of_an_article_is_in_its_sections_exactly_as_often(settings: dict[str, int]) -> None:
    differing = {
        one.id: (body - shown, shown - body)
        for one in sample()
        if (body := _body(one.body)) != (shown := _shown(sections_of(one, **settings), one.body))
    }

    assert len(sample()) > 100
    assert differing == {}


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def _body(markdown: str) -> Counter[str]:
    """Words of an article without its headings, read here without the product."""
    found: Counter[str] = Counter()
    fenced = False
    for line in markdown.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if fenced or not re.match(r"#{1,6} ", line):
            found += _words(line)
    return found


def _shown(found: Sequence[Section], markdown: str) -> Counter[str]:
    """Words of the sections, without headings of steps, which stand in their text in bold."""
    headings = {line.lstrip("# ").strip() for line in markdown.splitlines() if line.startswith("#")}
    lines = (line for section in found for line in section.text.splitlines())
    return sum((_words(line) for line in lines if line.strip("*") not in headings), Counter())


TABS = """You can also sync at once.

### Desktop app {.tab}

Choose **File** and **Sync now**.

### Phone app {.tab}

Open **More** and tap **Sync now**.

<!-- /tabs -->

## Costs

Syncing is free."""


@pytest.mark.parametrize("settings", [{}, SMALL], ids=["short", "split"])
def test_a_tab_is_a_section_of_its_own_and_no_introduction_leads_into_it(settings: dict[str, int]) -> None:
    found = sections(TABS, **settings)

    assert [(section.headings[-1:], section.leads_to) for section in found] == [
        ((), ""),
        (("Desktop app",), ""),
        (("Phone app",), ""),
        (("Costs",), ""),
    ]
    assert [("File" in section.text, "More" in section.text) for section in found[1:3]] == [
        (True, False),
        (False, True),
    ]


def test_a_long_tab_has_neighbours_of_its_own_only() -> None:
    long = "\n".join(f"{n}. Open page {n} and choose option {n} from its list." for n in range(1, 13))
    body = f"### Desktop {{.tab}}\n\n{long}\n\n### Phone {{.tab}}\n\nTap it.\n\n<!-- /tabs -->"
    passages = chunker(**SMALL).passages(article(body))
    held = snapshots.build(passages, np.eye(len(passages), dtype=np.float32))

    beside = held.neighbours(passages[0], 5)

    assert beside
    assert {one.headings for one in beside} == {("Desktop",)}
