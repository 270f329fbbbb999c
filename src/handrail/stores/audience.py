"""Who an article is for, and what each audience may read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

FACET = "audience"


class Audience(StrEnum):
    """On an article, whom it is for; in a query, who is asking."""

    PUBLIC = "public"
    """Everyone: visitors, and agents too. An article that names no audience is for everyone."""
    AGENTS = "agents"
    """Agents only. As the one who asks, an agent may read everything."""

    def may_read(self, facets: Mapping[str, str]) -> bool:
        """Whether a passage with these facets may be shown. The public reads nothing whose audience is in doubt."""
        return self is Audience.AGENTS or written_for(facets) == Audience.PUBLIC


def written_for(facets: Mapping[str, str]) -> str:
    """The audience that `facets` name: not always an `Audience`, as older indexes hold whatever a page said."""
    return facets.get(FACET, Audience.PUBLIC).strip().casefold()
