"""Questions made of a knowledge base's own articles, and near-misses that it cannot answer.

Made questions are easier than people's: what is fitted to them is only ever a correction of the gates that ship.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from handrail.calibrate import Asked
from handrail.markdown import parse, plain
from handrail.retrieve.signals import NAME
from handrail.stores.snapshot import Snapshot

HOW = ("how do I {}", "{}", "I need help with {}", "where do I find {}?")
STRANGERS = ("Klarna", "Zendesk", "Salesforce", "Trello", "Datadog", "HubSpot", "Miro", "Okta", "Figma", "Jira")
"""Products put in the place of a name; one that the articles know is not used."""
LONGEST = 18
"""Words of a made question."""


def made(snapshot: Snapshot, others: Iterable[str], count: int, seed: int = 5) -> list[Asked]:
    """About `count` questions: half answerable, half near-misses, always the same for one index and seed.

    `others` are titles of other knowledge bases. Near-misses are questions whose article is taken out of the index,
    questions with a strange name in them, and questions of other bases.
    """
    rng = random.Random(seed)  # noqa: S311
    own = list(_own(snapshot, rng))
    rng.shuffle(own)
    answerable = own[: count // 2]
    hidden = [
        Asked(item.question, item.article_ids, answerable=False, origin="removed", without=item.article_ids)
        for item in own[: count // 4]
    ]
    swapped = [item for item in (_swapped(item, snapshot, rng) for item in own) if item is not None][: count // 8]
    foreign = [Asked(_as_question(title, rng), answerable=False, origin="foreign") for title in others]
    rng.shuffle(foreign)
    return list(dict.fromkeys([*answerable, *hidden, *swapped, *foreign[: count // 8]]))


def _own(snapshot: Snapshot, rng: random.Random) -> Iterator[Asked]:
    for article, title in snapshot.titles.items():
        yield Asked(_as_question(title, rng), (article,), origin="title")
    seen: set[tuple[str, str]] = set()
    for passage in snapshot.passages:
        heading = passage.headings[-1] if passage.headings else ""
        if heading and (passage.article_id, heading) not in seen:
            seen.add((passage.article_id, heading))
            text = heading if heading.endswith("?") else f"{passage.title}: {heading}"
            yield Asked(_short(text), (passage.article_id,), origin="heading")
        for block in parse(passage.text)[:1]:
            origin = "step" if block.kind == "ordered" else "sentence"
            if block.kind in ("ordered", "paragraph") and 4 <= len(plain(block.units[0]).split()) <= LONGEST:
                yield Asked(_short(_statement(block.units[0])), (passage.article_id,), origin=origin)


def _statement(unit: str) -> str:
    return re.sub(r"^\s*(?:\d+[.)]|[-*+])\s+", "", plain(unit)).rstrip(".:!")


def _as_question(title: str, rng: random.Random) -> str:
    text = title.split(":")[-1].strip()
    return rng.choice(HOW).format(_short(text[:1].lower() + text[1:]))


def _short(text: str) -> str:
    return " ".join(text.split()[:LONGEST])


def _swapped(item: Asked, snapshot: Snapshot, rng: random.Random) -> Asked | None:
    """The question with its first name replaced, or with a strange product behind it."""
    unknown = [name for name in STRANGERS if name.lower() not in snapshot.vocabulary]
    if not unknown:
        return None
    stranger = rng.choice(unknown)
    text = NAME.sub(stranger, item.question, count=1)
    text = text if text != item.question else f"{item.question.rstrip('?')} with {stranger}"
    return Asked(text, answerable=False, origin="swap")
