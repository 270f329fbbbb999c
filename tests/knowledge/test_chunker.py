"""Articles into passages: whole units, merged when short, split when long."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.text.markdown import parse
from tests.knowledge.articles import article, chunker, count

WORDS = st.lists(
    st.sampled_from(["open", "the", "page", "and", "choose", "a", "plan", "then", "save", "it"]),
    min_size=1,
    max_size=40,
)
SENTENCE = WORDS.map(lambda words: " ".join(words).capitalize() + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=12).map(" ".join)
NOTE = PARAGRAPH.map("> {}".format)
STEPS = st.lists(st.tuples(SENTENCE, st.lists(SENTENCE, max_size=3)), min_size=1, max_size=12).map(
    lambda items: "\n".join(
        "\n".join((f"{n}. {step}", *(f"   - {detail}" for detail in details)))
        for n, (step, details) in enumerate(items, 1)
    )
)
TABLE = st.lists(SENTENCE, min_size=1, max_size=15).map(
    lambda cells: "\n".join(
        ("| Step | Text |", "| --- | --- |", *(f"| {n} | {cell} |" for n, cell in enumerate(cells)))
    )
)
HEADING = st.sampled_from(["## Start", "## Plans", "### Details", "# Top"])
BODY = st.lists(st.one_of(PARAGRAPH, NOTE, STEPS, TABLE, HEADING), min_size=1, max_size=8).map("\n\n".join)


def flat(text: str) -> str:
    """Without quote markers, line breaks and step numbers: a list after another of its section goes on counting."""
    return " ".join(re.sub(r"^\d+\. ", "", text.replace("> ", ""), flags=re.M).split())


@given(BODY)
@settings(max_examples=60, deadline=None)
def test_every_unit_is_whole_in_some_passage(body: str) -> None:
    texts = [flat(passage.text) for passage in chunker().passages(article(body))]

    for block in parse(body):
        for unit in block.units:
            assert any(flat(unit) in text for text in texts), unit


@given(BODY)
@settings(max_examples=60, deadline=None)
def test_passages_hold_only_whole_units(body: str) -> None:
    allowed = {flat(unit) for block in parse(body) for unit in block.units}

    for passage in chunker().passages(article(body)):
        for block in parse(passage.text):
            assert {flat(unit) for unit in block.units} <= allowed


@given(BODY)
@settings(max_examples=60, deadline=None)
def test_passages_keep_to_the_limit_unless_one_unit_is_longer(body: str) -> None:
    for passage in chunker().passages(article(body)):
        units = [unit for block in parse(passage.text) for unit in block.units]
        assert passage.tokens <= 300 or len(units) == 1
        assert passage.tokens == count(passage.text)


@given(BODY)
@settings(max_examples=30, deadline=None)
def test_passages_are_numbered_in_reading_order_and_made_the_same_again(body: str) -> None:
    passages = chunker().passages(article(body))

    assert [passage.id for passage in passages] == [f"guide/{n}" for n in range(len(passages))]
    assert [passage.position for passage in passages] == list(range(len(passages)))
    assert passages == chunker().passages(article(body))


def sentence(n: int, words: int = 19) -> str:
    return f"Sentence{n} " + "word " * (words - 1) + "end."


def test_a_long_paragraph_is_split_at_sentences_with_a_little_overlap() -> None:
    body = " ".join(sentence(n) for n in range(40))

    passages = chunker().passages(article(body))

    for left, right in pairwise(passages):
        (before,), (after,) = parse(left.text), parse(right.text)
        shared = [unit for unit in after.units if unit in before.units]
        assert 0 < sum(map(count, shared)) <= 50
        assert list(before.units[-len(shared) :]) == shared == list(after.units[: len(shared)])


def test_without_overlap_no_sentence_is_repeated() -> None:
    body = " ".join(sentence(n) for n in range(40))

    passages = chunker(overlap_tokens=0).passages(article(body))

    units = [unit for passage in passages for block in parse(passage.text) for unit in block.units]
    assert len(passages) > 1
    assert len(units) == len(set(units)) == 40


def test_a_split_table_repeats_its_header() -> None:
    rows = "\n".join(f"| {n} | {'cell ' * 30}|" for n in range(30))

    passages = chunker().passages(article(f"| No | Text |\n| --- | --- |\n{rows}"))

    assert len(passages) > 2
    assert all(passage.text.startswith("| No | Text |\n| --- | --- |\n| ") for passage in passages)


def test_a_split_list_goes_on_counting() -> None:
    passages = chunker().passages(article("\n".join(f"{n}. {sentence(n, 60)}" for n in range(1, 13))))

    assert len(passages) > 1
    numbers = [unit.split(".")[0] for passage in passages for unit in parse(passage.text)[0].units]
    assert numbers == [str(n) for n in range(1, 13)]


def test_short_paragraphs_join_their_neighbour() -> None:
    passages = chunker().passages(article(f"Short one.\n\nShort two.\n\n{sentence(1, 100)}\n\nShort end."))

    assert len(passages) == 1


def test_a_section_that_stands_alone_keeps_its_own_address() -> None:
    body = f"## First part\n\n{sentence(1, 80)}\n\n## What's next?\n\n{sentence(2, 80)}"

    first, second = chunker().passages(article(body))

    assert (first.headings, first.url) == (("First part",), "https://help.example/guide#first-part")
    assert (second.headings, second.url) == (("What's next?",), "https://help.example/guide#whats-next")


def test_short_sibling_sections_join_under_their_parent_with_their_headings_kept() -> None:
    body = "## Questions\n\n### Can I pay monthly?\n\nYes.\n\n### Can I cancel?\n\nAny time."

    (passage,) = chunker().passages(article(body))

    assert passage.headings == ("Questions",)
    assert passage.url == "https://help.example/guide#questions"
    assert "### Can I pay monthly?\n\nYes." in passage.text
    assert "### Can I cancel?\n\nAny time." in passage.text


def test_short_sections_of_different_chapters_stay_apart() -> None:
    passages = chunker().passages(article("# One\n\nShort.\n\n# Two\n\nShort too."))

    assert [passage.headings for passage in passages] == [("One",), ("Two",)]


def test_an_address_is_never_just_an_anchor() -> None:
    assert chunker().passages(article("## Steps\n\nDo it.", url=""))[0].url == ""
    assert chunker().passages(article("## 🎉\n\nDo it."))[0].url == "https://help.example/guide"


def test_the_encoder_reads_title_and_headings_too() -> None:
    (passage,) = chunker().passages(article("## Steps\n\nDo it."))

    assert chunker().encoder_text(passage) == "Guide > Steps\nDo it."


def test_other_chunking_settings_have_another_fingerprint() -> None:
    variants: list[dict[str, int]] = [
        {},
        {"overlap_tokens": 0},
        {"merge_below_tokens": 10},
        {"split_above_tokens": 200},
    ]

    assert len({chunker(**variant).fingerprint for variant in variants}) == len(variants)


def test_an_article_without_text_gives_no_passages() -> None:
    assert chunker().passages(article("")) == []
    assert chunker().passages(article("# Only a heading\n\n---\n")) == []


def test_a_heading_that_names_a_tag_keeps_its_words() -> None:
    body = "# Version 5\n\n## Removed: `<Router />`\n\nUse the other.\n\n## Added\n\nNothing else."

    (passage,) = chunker().passages(article(body))

    assert "### Removed: `<Router />`" in passage.text
