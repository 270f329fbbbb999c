"""Two companies' assistants in one process: the same models, and not a word of each other's articles."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from handrail.accounts.tenants import Tenants
from handrail.assembly import Assistant
from handrail.assembly.archive import read
from handrail.assembly.tenant_export import export
from handrail.assembly.tenants import erase
from handrail.cli.ingest import run
from handrail.errors import RetryableError
from handrail.knowledge.folder import Folder
from handrail.settings import Settings
from handrail.settings.load import of_tenant
from handrail.settings.tenants import folder_of
from handrail.types import Routing
from tests.clock import EPOCH
from tests.sample import sample_settings
from tests.stages import ask

pytestmark = [pytest.mark.anyio, pytest.mark.models]

PAGES = {
    "default": "# Return an item\n\nYou can return an item within **30 days**. Print the label and post the parcel.\n",
    "acme": "# Return an item\n\nYou can return an item within **7 days**. Bring it to the shop with the receipt.\n",
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Settings]:
    folder = tmp_path_factory.mktemp("companies")
    own = sample_settings(folder / "var", KNOWLEDGE__KB="own", SUGGEST__ENABLED="false")
    Tenants(own.storage.data_dir).create("acme", "Acme", EPOCH)
    settings = {"default": own, "acme": of_tenant(own, "acme")}
    for name, page in PAGES.items():
        (folder / name).mkdir()
        (folder / name / "returns.md").write_text(page)
        run(settings[name], [Folder(folder / name, "", 100_000)])
    return settings


@pytest.fixture(scope="module")
async def assistants(both: dict[str, Settings]) -> AsyncIterator[tuple[Assistant, Assistant]]:
    own = Assistant(both["default"])
    acme = Assistant(both["acme"], beside=own)
    with pytest.raises(RetryableError):
        await acme.start()  # there are no models yet
    await own.start()
    await acme.start()
    yield own, acme
    await own.stop()


async def test_each_answers_from_its_own_articles(assistants: tuple[Assistant, Assistant]) -> None:
    own, acme = assistants
    said = [await one.ask(ask("How long do I have to return an item?")) for one in (own, acme)]

    assert [turn.outcome.routing for turn in said] == [Routing.ANSWERED, Routing.ANSWERED]
    assert "30 days" in said[0].outcome.answer and "7 days" not in said[0].outcome.answer
    assert "7 days" in said[1].outcome.answer and "30 days" not in said[1].outcome.answer


async def test_the_models_are_loaded_once_and_outlive_a_company(assistants: tuple[Assistant, Assistant]) -> None:
    own, acme = assistants
    assert own._served().parts.embed is acme._served().parts.embed

    await acme.stop()

    assert (await own.ask(ask("How do I return an item?"))).outcome.routing is Routing.ANSWERED


async def test_a_company_is_removed_with_its_articles(
    both: dict[str, Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handrail.assembly.tenants.UNTIL_SEEN_S", 0.0)
    own = both["default"]
    assert folder_of(own.storage.data_dir, "acme").exists()
    made = await export(own, "acme", own.storage.data_dir.parent / "acme.tar.gz")
    read(made.file, made.file.parent / "taken")
    assert "**7 days**" in (made.file.parent / "taken" / "passages.jsonl").read_text()

    await erase(own, "acme")

    assert not folder_of(own.storage.data_dir, "acme").exists()
    assert (own.storage.data_dir / "kb" / "own").exists()
