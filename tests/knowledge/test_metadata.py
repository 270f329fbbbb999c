"""What front matter says of a page that can be searched by, as different tools write it."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article
from handrail.knowledge.folder import Folder
from handrail.knowledge.metadata import MOST, facets


def said(**fields: Any) -> dict[str, str]:
    return facets(fields)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"tags": ["Billing", "API keys"]}, {"tags": "billing\napi keys"}),
        ({"tags": "Billing, api ,billing"}, {"tags": "billing\napi"}),
        ({"tags": [{"label": "Billing", "permalink": "/billing"}]}, {"tags": "billing"}),
        ({"tags": [None, True, ["a"], "", "kept"]}, {"tags": "kept"}),
        ({"project": "SHOP"}, {"project_key": "shop"}),
        ({"project_keys": ["a", "b"]}, {"project_key": "a\nb"}),
        ({"language": "pt_BR"}, {"lang": "pt-br"}),
        ({"section": "Team"}, {"section": "Team"}),
        ({"updated": datetime.date(2026, 6, 3)}, {"updated": "2026-06-03"}),
        ({"updated": datetime.datetime(2026, 6, 3, 9, tzinfo=datetime.UTC)}, {"updated": "2026-06-03"}),
        ({"last_update": {"date": "2026-06-03", "author": "Ada"}}, {"updated": "2026-06-03"}),
        ({"date": "2020-01-01", "lastmod": "2026-06-03T09:30:00Z"}, {"updated": "2026-06-03"}),
        ({"updated": "last spring"}, {}),
        ({"updated": 20260603}, {}),
        ({"tier": " Canonical "}, {"tier": "canonical"}),
        ({"tier": "premium"}, {}),
        ({"deprecated": True}, {"deprecated": "true"}),
        ({"deprecated": "13.2"}, {"deprecated": "true"}),
        ({"deprecated": "no"}, {}),
        ({"superseded_by": "domains/connect.md"}, {"superseded_by": "domains:connect"}),
        ({"related": ["/store/refunds/", "plans"]}, {"related": "store:refunds\nplans"}),
        ({"next": "./Refunds and more.mdx"}, {"next": "refunds-and-more"}),
        ({"next": "store:refunds"}, {"next": "store:refunds"}),
        ({"audience": "agents"}, {"audience": "agents"}),
    ],
)
def test_fields_become_facets(fields: dict[str, Any], found: dict[str, str]) -> None:
    assert said(**fields) == found


def test_a_page_may_name_another_type_of_source_than_its_file_s(tmp_path: Path) -> None:
    for name, front in (("a", ""), ("b", "---\nsource_type: Ticket\n---\n")):
        (tmp_path / f"{name}.md").write_text(f"{front}Text.")

    found = Folder(tmp_path, "", 1000).articles()

    assert [one.facets["source_type"] for one in found if isinstance(one, Article)] == ["markdown", "ticket"]


def test_what_every_passage_repeats_is_bounded() -> None:
    found = said(tags=[f"tag {n}" for n in range(1000)] + ["x" * 300])["tags"].split("\n")

    assert len(found) == MOST


@pytest.mark.parametrize("field", ["section", "lang", "source_type", "superseded_by"])
def test_a_list_where_one_text_belongs_is_refused(field: str) -> None:
    with pytest.raises(KnowledgeError, match=f"{field} in the front matter must be a single text"):
        said(**{field: ["a", "b"]})


def test_links_to_pages_of_the_same_source_are_known_by_their_ids(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "refunds.md").write_text(
        "[a](fees.md#late), [b](../Plans%20and%20prices.mdx), ![c](photo.png), [d](https://other.example/x.md), "
        "[e](#top), [f](../../outside.md), [g](refunds.md), [h](mailto:ada@acme.example), [i](../team/index.md)"
    )

    (found,) = Folder(tmp_path, "", 1000).articles()

    assert isinstance(found, Article)
    assert found.facets["links"].split("\n") == ["store:fees", "plans-and-prices", "team"]


def test_a_page_s_metadata_comes_with_it(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("---\ntags: [billing]\ntier: raw\nupdated: 2026-02-01\n---\nText.")

    (found,) = Folder(tmp_path, "https://help.example", 1000).articles()

    assert isinstance(found, Article)
    assert found.facets == {"source_type": "markdown", "tags": "billing", "tier": "raw", "updated": "2026-02-01"}
