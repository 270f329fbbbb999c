"""What an article says where somebody may be in danger: better said once too often."""

from __future__ import annotations

import re
from collections.abc import Sequence

from handrail.types import Claim

RESCUE = re.compile(
    r"\bemergency (?:line|number|services?|call|doctor|room)|\b(?:call|dial|ring) \W*(?:112|911|999|000|110|115|118)\b"
    r"|\b(?:leave|get out of) the (?:building|house|room|flat)\b(?! (?:by|before|until|clean|tidy|empty|as|in|at \d))"
    r"|\bgo (?:outside|into the open)\b|\bpoisons? (?:centre|information)\b",
    re.I,
)


def says_what_to_do(claims: Sequence[Claim]) -> bool:
    """Whether one of them says what to do in an emergency; English. A room to be left by eleven is none."""
    return any(RESCUE.search(claim.text) for claim in claims)
