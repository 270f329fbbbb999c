"""Questions made of a knowledge base's own articles, and near-misses that it cannot answer.

Made questions are easier than people's: what is fitted to them is only ever a correction of the gate that ships.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

from handrail.calibrate import Asked
from handrail.stores.snapshot import Snapshot
from handrail.tune.questions import ASKED, made_of

NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b(?:[A-Z][\w.-]*[\w]|[a-z]+[A-Z]\w*)|\b[A-Za-z]+-?\d[\w.]*\b")
"""What looks like a name inside a sentence: a capital that starts no sentence, inner capitals, letters with digits."""
STRANGERS = ("Klarna", "Zendesk", "Salesforce", "Trello", "Datadog", "HubSpot", "Miro", "Okta", "Figma", "Jira")
"""Products put in the place of a name; one that the articles know is not used."""


def made(snapshot: Snapshot, others: Iterable[str], count: int, seed: int = 5) -> list[Asked]:
    """About `count` questions: half answerable, half near-misses, always the same for one index and seed.

    `others` are titles of other knowledge bases. Near-misses are questions whose article is taken out of the index,
    questions with a strange name in them, and questions of other bases.
    """
    rng = random.Random(seed)  # noqa: S311
    each = max(1, -(-count // max(1, len(snapshot.titles))))
    own = [Asked(row.text, row.articles, origin="article") for row in made_of(snapshot, each)]
    rng.shuffle(own)
    hidden = [
        Asked(item.question, item.article_ids, answerable=False, origin="removed", without=item.article_ids)
        for item in own[: count // 4]
    ]
    swapped = [item for item in (_swapped(item, snapshot, rng) for item in own) if item is not None][: count // 8]
    foreign = [Asked(rng.choice(ASKED).format(title), answerable=False, origin="foreign") for title in others]
    rng.shuffle(foreign)
    return list(dict.fromkeys([*own[: count // 2], *hidden, *swapped, *foreign[: count // 8]]))


def _swapped(item: Asked, snapshot: Snapshot, rng: random.Random) -> Asked | None:
    """The question with its first name replaced, or with a strange product behind it."""
    unknown = [name for name in STRANGERS if name.lower() not in snapshot.vocabulary]
    if not unknown:
        return None
    stranger = rng.choice(unknown)
    text = NAME.sub(stranger, item.question, count=1)
    text = text if text != item.question else f"{item.question.rstrip('?')} with {stranger}"
    return Asked(text, answerable=False, origin="swap")
