"""What the wording of a message says about its place in a conversation; patterns only, no model."""

from __future__ import annotations

import re

LEAD = re.compile(
    r"^(?:(?:ok(?:ay)?|k|thanks?(?: you)?(?: so much| a lot)?|thx|ty|great|perfect|got (?:it|that)|i see|understood|"
    r"alright|all right|cool|nice|good|super|fine|hm+|ah+|oh|well|right|yes|yeah|yep|that (?:helped|works|worked))"
    r"(?:[\s,.!;:–-]+|$))+",
    re.IGNORECASE,
)
"""An acknowledgement in front of what is asked."""

SWITCH = re.compile(
    r"^(?:(?:and|but|now|so|i have|i've got|here is|here's)\s+)*"
    r"(?:(?:an?|one|the)\s+)?(?:"
    r"(?:(?:completely|totally|quite|very)\s+)?(?:another|different|next|new|other|separate|unrelated|second|further)\s+"
    r"(?:question|thing|topic|subject|issue|matter|problem|one)|"
    r"(?:something|anything)\s+(?:(?:completely|totally|quite)\s+)?(?:else|different)|"
    r"unrelated(?:ly)?|different topic|(?:on|in) (?:another|a different) (?:note|topic|subject|matter)|"
    r"(?:to )?chang(?:e|ing) (?:of )?(?:the )?(?:topic|subject)|"
    r"never ?mind(?: (?:that|it|about that))?|forget (?:that|it|about (?:that|it))|"
    r"let'?s (?:talk|speak) about|moving on(?: to)?|one more(?: (?:thing|question))?|quick question"
    r")\b[\s:;,.!–-]*(?:(?:but|though|please|now|then)\b[\s,:]*)?",
    re.IGNORECASE,
)
"""The visitor announces that the topic changes."""
ASIDE = re.compile(r"^(?:by the way|btw|also|oh and|and also|plus|besides|while (?:i'm|we're) (?:here|at it))\b[\s,:]*", re.I)
"""Something is added: often another topic, sometimes the same one."""

CORRECTION = re.compile(
    r"^(?:no|nope|sorry|wait|oops|actually|not|correction|rather)\b(?!\s+(?:one|longer)\b)|\bi (?:actually |really )?mean(?:t)?\b|"
    r"\b(?:was|am|are|were) (?:asking|talking) about\b|\bmeant\b",
    re.IGNORECASE,
)
"""The visitor takes back a part of the last question."""
CORRECTION_WORDS = re.compile(
    r"^(?:(?:no|nope|sorry|wait|oops|actually|correction|rather)\b[\s,.!:;–-]*)+|"
    r"\bi (?:actually |really )?mean(?:t)?\b(?: to (?:say|ask))?|\bi (?:was|am) (?:asking|talking) about\b",
    re.IGNORECASE,
)
TAKEN_BACK = re.compile(r"\b(?:not|instead of|rather than)\s+(?:about\s+|for\s+)?((?:(?:my|the|a|an|our|your)\s+)?[\w-]+(?:\s+(?:one|ones))?)", re.I)
"""What a correction says it is not about."""

OPENER = re.compile(
    r"^(?:and|but|or|so|then|what about|how about|only|just|same|even|with|without|for|like|after|before|until|in case|"
    r"what if|if|because|except|including|instead|either|neither|too|on|in|at|from|per|by|as)\b",
    re.IGNORECASE,
)
"""A message that begins in the middle of a sentence."""
ASKS_ALONE = re.compile(
    r"^(?:(?:and|but|so|or)\s+)?(?:(?:but\s+)?why(?: not| is (?:that|it|this)| tho(?:ugh)?)?|how(?: come| so| exactly)?|when|where(?: exactly)?|who|what|"
    r"which(?: ones?)?|how (?:long|many|much|often|far|high|big|old|soon)|since when|until when|what for|"
    r"(?:and |what )?(?:then|now|next|else)|what(?:'s| is| happens| comes) next|for (?:example|instance)|like what|such as|really|is that all|"
    r"(?:do|did|does|will|can|could|would|is|are) (?:it|that|this|they))\s*[?!.]*$",
    re.IGNORECASE,
)
"""A question word and nothing else."""
EXAMPLE = re.compile(r"\b(?:examples?|for instance|sample|show me|elaborate|more detail(?:s)?|explain (?:that|it|more))\b", re.I)
ANAPHOR = re.compile(
    r"\b(?:it|its|it's|that|that's|this|those|these|them|they|they're|their|theirs|he|she|him|her|hers|his|one|ones|both|"
    r"same|such|so|there|then|else|instead|either|neither|again|afterwards|after that)\b",
    re.IGNORECASE,
)
NOT_ANAPHOR = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't) there\b|\bthere(?:'s| is| are)\b|\b(?:the|an?|my|your|our|in|at) (?:same|one)\b|"
    r"\b(?:so|such) (?:that|as)\b|\b(?:this|that|these|those) (?:week|month|year|morning|evening|time)\b|"
    r"\b(?:says?|said|sure|know|think|means?|mean|see|sees|told|shows?) that\b|\bone (?:of|service|customer|client|page|person|product|day|hour|week|month|year)\b|"
    r"\b(?:if|when|whether|because|until|unless|so) (?:he|she|they|it|that|this)\b|"
    r"\b\w+ that (?:is|are|was|have|has|do|does|can|will)\b|\b(?:work|works|done|do|change|try|start|book|open|log) (?:again|instead)\b",
    re.IGNORECASE,
)
"""Where those words do not point back to an earlier message."""

YES = re.compile(
    r"(?:yes|yep|yeah|yup|ya|sure|correct|exactly|right|ok(?:ay)?|please do|that's (?:it|right|the one)|"
    r"that one|ja|oui|s[ií]|sim|да)(?: (?:please|it is|exactly|that's it|that one|it does|thanks))?"
)
NO = re.compile(r"(?:no|nope|nah|not really|not quite|no it isn't|neither|none(?: of (?:them|these|those))?|nein|non|não|нет)(?: (?:thanks|thank you|sorry|not really|it isn't|neither))?")
ORDINAL = re.compile(
    r"^(?:yes[,\s]+)?(?:i (?:mean|meant|think)\s+)?(?:it's\s+)?(?:the\s+)?(?P<which>1st|first|2nd|second|3rd|third|last|former|latter)(?:\s+(?:one|article|topic|option|link))?[.!]?$", re.I
)


def lead_removed(text: str) -> str:
    """`text` without the acknowledgement in front; as it is when nothing else is there."""
    rest = LEAD.sub("", text, count=1).strip()
    return rest if any(character.isalpha() for character in rest) else text


def points_back(text: str) -> int:
    """How many words of `text` seem to stand for something said before."""
    return len(ANAPHOR.findall(NOT_ANAPHOR.sub(" ", text)))


def bare(text: str) -> str:
    """Lower case, without punctuation around words."""
    return " ".join(re.findall(r"[\w'’-]+", text.casefold())).replace("’", "'")
