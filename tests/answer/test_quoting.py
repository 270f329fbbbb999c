"""Code is quoted with what introduces it, or with the words of its section."""

from __future__ import annotations

from handrail.answer.compose import compose
from handrail.answer.quoting import Scored
from handrail.answer.units import units
from handrail.settings import Generate
from tests.generate.articles import evidence
from tests.knowledge.articles import article

SILENCE = article(
    "## Silence\n\nAlerts can be muted. Name one, or all:\n\n```sh\nquill silence --all\n```\n\nIt ends by itself.\n\n"
    "## Without a lead\n\n```sh\nquill list\n```",
    "s:silence",
    title="Alerts",
)


def test_a_sentence_is_quoted_with_the_code_that_follows_it() -> None:
    found = units(evidence("mute", SILENCE).hits)
    said = next(unit for unit in found if unit.lines[0].startswith("Alerts can"))

    made = compose([Scored(said, 4, 4)], found, Generate())

    assert [claim.text for claim in made] == [
        "Alerts can be muted.",
        "Name one, or all:\n\n```sh\nquill silence --all\n```",
    ]


def test_code_that_fits_best_stands_behind_its_lead_or_under_its_heading() -> None:
    found = units(evidence("mute", SILENCE).hits)
    led, bare = (unit for unit in found if unit.kind == "code")

    assert [claim.text for claim in compose([Scored(led, 4, 4)], found, Generate())] == [
        "Name one, or all:\n\n```sh\nquill silence --all\n```"
    ]
    assert [claim.text for claim in compose([Scored(bare, 4, 4)], found, Generate())] == [
        "**Without a lead:**\n\n```sh\nquill list\n```"
    ]


def test_what_a_lead_goes_back_to_is_quoted_with_its_code() -> None:
    body = "## Links\n\nSwitch it off with `reload`. This keeps the animation:\n\n```html\n<a reload>\n```"
    found = units(evidence("animation", article(body)).hits)
    code = next(unit for unit in found if unit.kind == "code")

    made = compose([Scored(code, 4, 4)], found, Generate())

    assert [claim.text for claim in made] == [
        "Switch it off with `reload`.",
        "This keeps the animation:\n\n```html\n<a reload>\n```",
    ]


def test_code_without_a_lead_is_quoted_with_the_words_of_its_section() -> None:
    body = "## Order\n\nA trigger is a call. The outbox waits.\n\n```sh\nquill outbox\n```\n\nIt must be reachable."
    found = units(evidence("outbox", article(body)).hits)
    code = next(unit for unit in found if unit.kind == "code")
    others = [Scored(unit, 4 - 0.1 * place, 4) for place, unit in enumerate(found) if unit is not code]

    made = compose([Scored(code, 4.5, 4.5), *others], found, Generate())

    assert [claim.text for claim in made] == ["A trigger is a call.", "The outbox waits.", "```sh\nquill outbox\n```"]


def test_two_passages_of_one_section_share_its_heading() -> None:
    body = f"## Usage\n\n{'A key is taken from the lock file. ' * 60}\n\n```yaml\ncache: pull\n```"
    found = units(evidence("cache", article(body)).hits)
    said, code = found[0], next(unit for unit in found if unit.kind == "code")

    made = compose([Scored(said, 4, -2), Scored(code, 3.5, -2)], found, Generate())

    assert said.hit.passage.id != code.hit.passage.id
    assert [claim.text for claim in made] == [f"**Usage:**\n\n{said.lines[0]}", code.lines[0]]
