"""Pictures of the pages that passages stand on: drawn, kept, shared, and bounded."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from handrail.knowledge.folder import Folder
from handrail.knowledge.formats.draw import MOST_BYTES, MOST_PIXELS
from handrail.knowledge.formats.pages import PdfPages
from handrail.knowledge.ingest import Ingest, Report
from handrail.stores.page_images import KEPT_S, PageImages
from handrail.types import Passage, Place
from tests.knowledge.articles import HashedWords, Index, chunker
from tests.knowledge.documents import chunk, parsed, pdf, text


class Shelf:
    """Articles in a folder, an index of them, and pictures of their pages."""

    def __init__(self, folder: Path) -> None:
        self.articles = folder / "articles"
        self.articles.mkdir()
        self.index = Index(folder / "index")
        self.images = PageImages(folder / "index")

    def ingest(self, images: bool = True) -> Report:
        kept = self.images if images else None
        job = Ingest(self.index.store, chunker(), HashedWords(), lambda: 0.0, images=kept)
        return job.run([Folder(self.articles, "", 9_000_000)], lambda done, total: None)

    def passages(self) -> list[Passage]:
        return self.index.store.dump()[0]

    def picture(self, place: Place) -> Image.Image:
        assert place.image is not None
        data = self.images.read(place.image.name)
        assert data is not None
        return Image.open(io.BytesIO(data))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def drawn(rotated: int = 0, cropped: bool = False) -> bytes:
    held = io.BytesIO()
    canvas = Canvas(held, pagesize=(400, 600), invariant=True)
    if cropped:
        canvas.setCropBox((50, 50, 350, 550))
    canvas.setPageRotation(rotated)
    canvas.setFont("Helvetica", 20)
    canvas.drawString(100, 300, "Refunds take five days.")
    canvas.showPage()
    canvas.save()
    return held.getvalue()


@pytest.mark.parametrize(("rotated", "cropped"), [(0, False), (90, False), (0, True)], ids=["plain", "turned", "cut"])
def test_a_passage_stands_where_its_page_shows_it(shelf: Shelf, rotated: int, cropped: bool) -> None:
    (shelf.articles / "refunds.pdf").write_bytes(drawn(rotated, cropped))
    shelf.ingest()

    (place,) = shelf.passages()[0].places
    shown = shelf.picture(place).convert("L")
    ink = shown.point(lambda value: 255 if value < 128 else 0).getbbox()

    assert place.image is not None and place.box is not None and ink is not None
    assert (place.image.width, place.image.height) == shown.size
    across, down = shown.size
    expected = [side * size for side, size in zip(place.box, (across, down, across, down), strict=True)]
    assert ink == pytest.approx(expected, abs=0.025 * down)


def test_pictures_are_bounded(shelf: Shelf) -> None:
    held = io.BytesIO()
    canvas = Canvas(held, pagesize=(200, 14_000), invariant=True)
    canvas.drawString(20, 13_000, "A very long receipt.")
    noise = Image.frombytes("RGB", (300, 300), os.urandom(300 * 300 * 3))
    canvas.drawInlineImage(noise, 0, 0, 200, 12_000)
    canvas.save()
    (shelf.articles / "receipt.pdf").write_bytes(held.getvalue())

    shelf.ingest()

    (place,) = shelf.passages()[0].places
    if place.image is not None:  # no quality may be small enough
        assert place.image.width * place.image.height <= MOST_PIXELS * 1.01
        assert len(shelf.images.read(place.image.name) or b"") <= MOST_BYTES


def test_a_parsed_document_has_the_pictures_beside_it_or_those_it_names(shelf: Shelf) -> None:
    beside, named = shelf.articles / "tariff.pages", shelf.articles / "scans"
    for folder, colour in ((beside, "red"), (named, "blue")):
        folder.mkdir()
        Image.new("RGB", (2000, 1000), colour).save(folder / "page-1.png")
    parsed(shelf.articles, chunk("text", "Tariffs of the port."), name="tariff.json")
    path = parsed(shelf.articles, chunk("text", "Rules of the port.", page=0), name="rules.json")
    said = json.loads(path.read_text()) | {"pages": [{"page": 0, "image": "scans/page-1.png"}]}
    path.write_text(json.dumps(said))

    report = shelf.ingest()

    shown = {one.article_id: shelf.picture(one.places[0]) for one in shelf.passages()}
    assert shown["tariff"].size == (1200, 600)
    assert shown["tariff"].getpixel((9, 9))[0] > 200  # type: ignore[index]
    assert shown["rules"].getpixel((9, 9))[2] > 200  # type: ignore[index]
    assert not any("tariff.pages" in skipped.why for skipped in report.skipped)


def test_a_picture_outside_of_the_folder_or_none_at_all_is_named_and_the_text_stays(shelf: Shelf) -> None:
    Image.new("RGB", (10, 10)).save(shelf.articles.parent / "outside.png")
    (shelf.articles / "not.png").write_bytes(b"\x89PNG no picture")
    for name, image in (("out", "../outside.png"), ("broken", "not.png")):
        path = parsed(shelf.articles, chunk("text", "Opening hours of the port."), name=f"{name}.json")
        path.write_text(json.dumps(json.loads(path.read_text()) | {"pages": [image]}))

    report = shelf.ingest()

    assert {one.article_id for one in shelf.passages()} == {"out", "broken"}
    assert all(place.image is None for one in shelf.passages() for place in one.places)
    assert {one.where for one in report.skipped} >= {"out", "broken"}


def test_what_is_unchanged_is_not_drawn_again_and_what_nothing_uses_goes_after_a_while(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shelf.articles / "a.pdf").write_bytes(pdf(text("Fares of the ferry.")))
    shelf.ingest()
    (old,) = shelf.passages()[0].places
    drawn: list[object] = []
    draw = PdfPages.draw

    def counted(pages: PdfPages, wanted: Collection[int], folder: Path) -> Mapping[int, tuple[int, int]]:
        drawn.append(wanted)
        return draw(pages, wanted, folder)

    monkeypatch.setattr(PdfPages, "draw", counted)

    shelf.ingest()
    unchanged = len(drawn)
    (shelf.articles / "a.pdf").write_bytes(pdf(text("New fares of the ferry.")))
    shelf.ingest()

    (new,) = shelf.passages()[0].places
    assert (unchanged, len(drawn)) == (0, 1)
    assert old.image is not None and new.image is not None
    assert shelf.images.read(old.image.name) is not None, "an earlier version may be gone back to"

    for place in (shelf.articles.parent / "index" / "pages").iterdir():
        os.utime(place, (0, place.stat().st_mtime - KEPT_S - 1))
    shelf.images.prune({new.image.name.partition("-")[0]})

    assert shelf.images.read(new.image.name) is not None
    assert shelf.images.read(old.image.name) is None


def test_they_can_be_turned_off_and_on(shelf: Shelf) -> None:
    (shelf.articles / "a.pdf").write_bytes(pdf(text("Fares of the ferry.")))

    shelf.ingest(images=False)
    without = shelf.passages()[0].places
    shelf.ingest()

    assert without[0].image is None
    assert shelf.passages()[0].places[0].image is not None
