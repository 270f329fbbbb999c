"""Messages that say an answer was about something else: the same answer again would be the worst reply to them."""

from __future__ import annotations

import re

_BEFORE = r"(?:(?:no+|nope|sorry|but|well|hm+|ok(?:ay)?|ugh|come on|um+)\b[\s,.!–-]*)*"
_REPLY = r"(?:answer|reply|response|article|topic|one|thing|info(?:rmation)?)"
_MEANT = (
    r"what i (?:actually |really )?(?:asked|meant|mean|wanted|want|needed|need|said|(?:was|am) (?:asking|looking for))"
    r"(?: (?:for|about|to know))?"
)
_FAULTS = (
    rf"(?:not|isn'?t|wasn'?t|aren'?t)\s+(?:(?:really|at all|quite|even)\s+)?(?:{_MEANT}|(?:my|the) question|"
    r"(?:an? |the |my )?answer(?: to (?:my|the) question)?|it|relevant|related|right|helpful|useful|"
    rf"(?:the |a )?right {_REPLY})|"
    rf"(?:the )?wrong(?: {_REPLY})?|irrelevant|unhelpful|useless(?: {_REPLY})?|no help|(?:a )?bad {_REPLY}"
)
MISSED = re.compile(
    rf"^{_BEFORE}(?:"
    r"(?:(?:that|this|it|which|still|those|these)(?:'s| is| was|s| are| were)?\s+)?"
    rf"(?:(?:really|still|completely|totally|just)\s+)*(?:{_FAULTS})|"
    r"(?:you|that|this|it|which)\s+(?:still\s+)?(?:did|does|do|have|has)(?:n'?t| not)\s+(?:really\s+)?"
    r"(?:answer(?:ed)?(?: (?:it|that|me|(?:my|the) question))?|under(?:stand|stood)(?: me| (?:my|the) question)?)|"
    r"you(?:'re| are) not (?:listening|answering(?: my question| me)?|understanding(?: me)?)|"
    r"you (?:misunderst(?:an|oo)d(?: me| (?:my|the) question)?|(?:got|have) (?:me|it|that) wrong)|"
    r"(?:that|this|it)(?:'s| is| was) (?:something|a) (?:completely |totally )?different(?: thing)?|"
    r"(?:(?:that|this|it)(?:'s| is| was)\s+)(?:unrelated|off[- ]topic)|(?:unrelated|off[- ]topic)(?=\W*$)|"
    r"(?:that|this|it) has nothing to do with (?:it|that|my question|what i asked)|"
    r"(?:please )?(?:read|look at) (?:my|the) question(?: again)?|(?:that|this) makes no sense"
    r")(?:\s+(?:at all|again|though|either))?\s*(?:$|[,.!?;:–-][\s,.!?;:–-]*)",
    re.IGNORECASE,
)
"""Up to a mark of punctuation, so that "wrong PIN entered" is none."""


def complaint_removed(text: str) -> tuple[str, bool]:
    """`text` without the complaint that the answer was beside the point, perhaps empty; and whether there was one."""
    found = MISSED.match(text.strip())
    if found is None:
        return text, False
    rest = text.strip()[found.end() :].strip()
    return (rest if any(character.isalnum() for character in rest) else ""), True


def only_complains(text: str) -> bool:
    """Whether that is all a message says."""
    return complaint_removed(text) == ("", True)
