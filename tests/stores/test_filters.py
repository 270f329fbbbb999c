"""Filters mean the same in the vector index, in keyword search and when told back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handrail.stores.audience import Audience
from handrail.stores.filters import KEYS, UNSAID, BadFilter, over, read, selected, values
from handrail.stores.store import Store
from handrail.types import Passage
from tests.knowledge.articles import HashedWords
from tests.stores.places import PLACES, place

TAGS, PROJECTS, LANGS = ["billing", "api", "store"], ["shop", "desk"], ["de", "pt-br"]
TIERS, TYPES, DAYS = ["canonical", "approved", "raw", "machine"], ["markdown", "pdf"], ["2025-12-31", "2026-06-01"]
ARTICLES = [f"article-{n}" for n in range(12)]


def several(values: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(values), min_size=1, unique=True).map("\n".join)


FACETS = st.fixed_dictionaries(
    {},
    optional={
        "tags": several(TAGS),
        "project_key": several(PROJECTS),
        "lang": st.sampled_from(LANGS),
        "tier": st.sampled_from(TIERS),
        "source_type": st.sampled_from(TYPES),
        "updated": st.sampled_from(["2025-06-01", *DAYS, "2026-08-01"]),
        "audience": st.just("agents"),
        "section": st.sampled_from(["Store", "Team"]),
    },
)


def any_of(values: list[str]) -> st.SearchStrategy[str | list[str]]:
    return st.one_of(st.sampled_from(values), st.lists(st.sampled_from(values), min_size=1, max_size=3))


FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "tags": any_of([*TAGS, "none"]),
        "project_key": any_of(PROJECTS),
        "lang": any_of([*LANGS, "en"]),
        "tier": any_of(TIERS),
        "source_type": any_of(TYPES),
        "updated_from": st.sampled_from(DAYS),
        "updated_to": st.sampled_from(DAYS),
        "document_id": any_of([*ARTICLES, "another"]),
        "audience": any_of(["public", "agents"]),
        "section": any_of(["Store", "store"]),
    },
)


@pytest.fixture(scope="module", params=PLACES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with place(request.param, request, tmp_path_factory.mktemp("index")) as found:
        yield found.store("hashed-words")


@settings(max_examples=60, deadline=None)
@example([{}] * len(ARTICLES), {"audience": ["public", "agents"], "tier": TIERS}, Audience.AGENTS)
@given(st.lists(FACETS, min_size=len(ARTICLES), max_size=len(ARTICLES)), FILTERS, st.sampled_from(list(Audience)))
def test_both_indexes_select_the_same(
    store: Store, facets: list[dict[str, str]], filters: dict[str, Any], audience: Audience
) -> None:
    """The same passages are written again each time: nothing of what they said before may be left."""
    rows = [
        Passage(f"{id_}/0", id_, 0, "Title", (), f"Text {id_}", "", 9, said)
        for id_, said in zip(ARTICLES, facets, strict=True)
    ]
    store.write(rows, HashedWords()([row.text for row in rows]), ["d"] * len(rows), [1] * len(rows))
    asked = over(read(filters), "en")

    found = {id_ for id_, _ in store.search(HashedWords()(["text"])[0], len(rows), asked, audience)}

    assert found == {row.id for row in rows if audience.may_read(row.facets) and selected(row, asked)}
    held = store.dump(Audience.AGENTS)[0]
    assert {row.id: unlike_silence(row.facets) for row in held} == {row.id: unlike_silence(row.facets) for row in rows}


def unlike_silence(facets: Mapping[str, str]) -> dict[str, str]:
    """Without what an article that says nothing counts as."""
    return {key: value for key, value in facets.items() if (value,) != values({}, key)}


def row(**facets: str) -> Passage:
    return Passage("a/0", "a", 0, "Title", (), "Text", "", 9, facets)


@pytest.mark.parametrize(
    ("filters", "facets", "holds"),
    [
        ({}, {}, True),
        ({"tags": "API"}, {"tags": "billing\napi"}, True),
        ({"tags": ["api", "store"]}, {"tags": "store"}, True),
        ({"tags": "bill"}, {"tags": "billing"}, False),
        ({"tags": "api", "tier": "raw"}, {"tags": "api"}, False),
        ({"tier": "approved"}, {}, True),
        ({"lang": "en"}, {}, True),
        ({"lang": "EN_gb"}, {"lang": "en-gb"}, True),
        ({"lang": "de"}, {}, False),
        ({"updated_from": "2026-01-01"}, {"updated": "2026-01-01"}, True),
        ({"updated_from": "2026-01-01", "updated_to": "2026-02-01"}, {"updated": "2026-03-01"}, False),
        ({"updated_to": "2026-01-01"}, {}, False),
        ({"document_id": ["a", "b"]}, {}, True),
    ],
)
def test_what_a_filter_means(filters: dict[str, Any], facets: dict[str, str], holds: bool) -> None:
    assert selected(row(**facets), over(read(filters), "en")) is holds


def test_an_unknown_key_names_those_there_are() -> None:
    with pytest.raises(BadFilter) as refused:
        read({"product": "store"})

    assert all(key in str(refused.value) for key in KEYS)


@pytest.mark.parametrize(
    ("asked", "lang", "found"),
    [
        ("en", "en", ("en", "en-gb", "en-us", UNSAID)),
        ("en-gb", "en", ("en-gb", UNSAID)),
        ("pt", "en", ("pt", "pt-br")),
        ("eng", "en", ("eng",)),
    ],
)
def test_a_language_is_also_its_kinds_and_that_of_the_base_what_names_none(
    asked: str, lang: str, found: tuple[str, ...]
) -> None:
    assert over({"lang": asked}, lang, {"en-us", "en-gb", "pt-br"})["lang"] == found
