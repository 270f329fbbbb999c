"""An index brought up to date: only what changed is embedded, and nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from handrail.errors import KnowledgeError
from handrail.knowledge import Article, Rejected
from handrail.knowledge.ingest import BATCH, Ingest
from handrail.types import Vectors
from tests.knowledge.articles import Given, HashedWords, Index, article, chunker

DOMAINS = article("Open **Domains** and choose **Connect**.", "domains", "Connect a domain")
REFUNDS = article("Open the order and choose **Refund**.", "refunds", "Refund a customer")


class Interrupted(HashedWords):
    """Ctrl+C while a batch is embedded, after `batches` of them."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self._left = batches

    def __call__(self, texts: Sequence[str]) -> Vectors:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        return super().__call__(texts)


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path)


def many(count: int) -> list[Article]:
    return [article(f"Article number {n}.", f"a{n:03}", f"Title {n}") for n in range(count)]


def test_articles_are_embedded_with_their_title(index: Index) -> None:
    report = index.run(Given(DOMAINS, REFUNDS))

    assert (report.articles, report.added, report.embedded, report.passages) == (2, 2, 2, 2)
    assert index.ids() == ["domains/0", "refunds/0"]
    assert index.embed.seen[0] == "Connect a domain\nOpen **Domains** and choose **Connect**."


def test_a_second_run_embeds_nothing_and_keeps_the_generation(index: Index) -> None:
    index.run(Given(DOMAINS, REFUNDS))
    generation = index.store.generation

    report = index.run(Given(DOMAINS, REFUNDS))

    assert (report.embedded, report.unchanged, report.added, report.changed, report.removed) == (0, 2, 0, 0, 0)
    assert index.store.generation == generation != ""


def test_only_the_changed_article_is_embedded(index: Index) -> None:
    index.run(Given(DOMAINS, REFUNDS))
    generation = index.store.generation
    index.embed.seen.clear()

    report = index.run(Given(DOMAINS, article("Refunds take five days.", "refunds", "Refund a customer")))

    assert (report.embedded, report.changed, report.unchanged) == (1, 1, 1)
    assert index.embed.seen == ["Refund a customer\nRefunds take five days."]
    assert index.store.generation != generation


@pytest.mark.parametrize(
    "changed",
    [
        Article("refunds", "Refund a guest", REFUNDS.body, REFUNDS.url),
        Article("refunds", REFUNDS.title, REFUNDS.body, "https://help.example/moved"),
        Article("refunds", REFUNDS.title, REFUNDS.body, REFUNDS.url, {"section": "Store"}),
    ],
    ids=["title", "url", "facets"],
)
def test_whatever_the_index_holds_of_an_article_counts_as_a_change(index: Index, changed: Article) -> None:
    index.run(Given(DOMAINS, REFUNDS))

    assert index.run(Given(DOMAINS, changed)).changed == 1
    (passage,) = [p for p in index.store.dump()[0] if p.article_id == "refunds"]
    assert (passage.title, passage.url, dict(passage.facets)) == (changed.title, changed.url, dict(changed.facets))


def test_an_article_that_became_shorter_leaves_no_old_passages(index: Index) -> None:
    long = "\n\n".join(f"# Part {n}\n\n{'word ' * 80}end." for n in range(3))
    index.run(Given(article(long)))
    assert len(index.ids()) == 3

    index.run(Given(article("Short now.")))

    assert index.ids() == ["guide/0"]


def test_vanished_articles_are_removed(index: Index) -> None:
    index.run(Given(DOMAINS, REFUNDS))

    report = index.run(Given(DOMAINS))

    assert report.removed == 1
    assert index.ids() == ["domains/0"]


def test_other_articles_stay_when_asked(index: Index) -> None:
    index.run(Given(DOMAINS))

    report = index.run(Given(REFUNDS), keep_others=True)

    assert report.removed == 0
    assert index.ids() == ["domains/0", "refunds/0"]


def test_a_rejected_file_stops_neither_the_others_nor_removes_anything(index: Index) -> None:
    index.run(Given(DOMAINS, REFUNDS))
    broken = Rejected("refunds.md", "not UTF-8 (byte 3); save it as UTF-8")

    report = index.run(Given(article("New text.", "domains", "Connect a domain"), broken))

    assert report.rejected == [broken]
    assert (report.changed, report.removed, report.kept_because_rejected) == (1, 0, True)
    assert index.ids() == ["domains/0", "refunds/0"]


def test_no_usable_article_is_an_error_that_names_what_was_wrong(index: Index) -> None:
    index.run(Given(DOMAINS))

    with pytest.raises(KnowledgeError, match=r"no usable articles: bad\.md: not UTF-8"):
        index.run(Given(Rejected("bad.md", "not UTF-8")))

    assert index.ids() == ["domains/0"]


def test_the_first_of_two_articles_with_one_id_is_used(index: Index) -> None:
    report = index.run(Given(DOMAINS), Given(article("Another text.", "domains")))

    assert report.duplicates == ["domains"]
    assert index.store.dump()[0][0].title == "Connect a domain"


def test_an_article_that_became_empty_is_reported_and_leaves_the_index(index: Index) -> None:
    index.run(Given(DOMAINS, REFUNDS))

    report = index.run(Given(DOMAINS, article("", "refunds")))

    assert report.empty == ["refunds"]
    assert index.ids() == ["domains/0"]


def test_text_that_no_file_can_hold_is_rejected_and_the_rest_goes_on(index: Index) -> None:
    report = index.run(Given(DOMAINS, article("half a \ud83d pair", "broken")))

    assert [item.where for item in report.rejected] == ["broken"]
    assert index.ids() == ["domains/0"]


def test_an_interrupted_run_embeds_only_the_rest_when_run_again(index: Index) -> None:
    articles = many(BATCH + 20)
    with pytest.raises(KeyboardInterrupt):
        index.run(Given(*articles), embed=Interrupted(batches=1))
    assert index.store.generation == ""

    report = index.run(Given(*articles))

    assert (report.unchanged, report.embedded, report.passages) == (BATCH, 20, BATCH + 20)
    assert index.store.generation != ""


def test_an_article_cut_in_two_by_an_interruption_is_completed(index: Index) -> None:
    parts = "\n\n".join(f"# Part {n}\n\n{'word ' * 60}end." for n in range(BATCH + 5))
    with pytest.raises(KeyboardInterrupt):
        index.run(Given(article(parts)), embed=Interrupted(batches=1))

    report = index.run(Given(article(parts)))

    assert (report.embedded, report.passages) == (5, BATCH + 5)


def test_a_run_stopped_before_its_last_step_is_finished_by_the_next(index: Index) -> None:
    index.run(Given(DOMAINS, REFUNDS))
    finished = index.store.generation
    index.store.finish("of an earlier run")

    report = index.run(Given(DOMAINS, REFUNDS))

    assert report.embedded == 0
    assert index.store.generation == finished


def test_progress_counts_passages(index: Index) -> None:
    seen: list[tuple[int, int]] = []
    job = Ingest(index.store, chunker(), index.embed, lambda: 0.0)

    job.run([Given(*many(BATCH + 20))], lambda done, total: seen.append((done, total)))

    assert seen == [(0, BATCH + 20), (BATCH, BATCH + 20), (BATCH + 20, BATCH + 20)]


def test_seconds_are_those_of_the_clock(index: Index) -> None:
    ticks = iter([100.0, 103.5])
    job = Ingest(index.store, chunker(), index.embed, lambda: next(ticks))

    assert job.run([Given(DOMAINS)], lambda done, total: None).seconds == 3.5
