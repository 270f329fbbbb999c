"""What the wording of a message says about its place in a conversation; patterns only, no model."""

from __future__ import annotations

import re


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


LEAD = _pattern(
    r"^(?:(?:ok(?:ay)?|k|thanks?(?: you)?(?: so much| a lot)?|thx|ty|great|perfect|got (?:it|that)|i see|understood|"
    r"alright|all right|cool|nice|good|super|fine|hm+|ah+|oh|well|right|yes|yeah|yep|that (?:helped|works|worked))"
    r"(?:[\s,.!;:–-]+|$))+"
)
"""An acknowledgement in front of what is asked."""

SWITCH = _pattern(
    r"^(?:(?:and|but|now|so|i have|i've got|here is|here's)\s+)*(?:(?:an?|one|the)\s+)?(?:"
    r"(?:(?:completely|totally|quite|very)\s+)?"
    r"(?:another|different|next|new|other|separate|unrelated|second|further)\s+"
    r"(?:question|thing|topic|subject|issue|matter|problem|one)|"
    r"(?:something|anything)\s+(?:(?:completely|totally|quite)\s+)?(?:else|different)|"
    r"unrelated(?:ly)?|different topic|(?:on|in) (?:another|a different) (?:note|topic|subject|matter)|"
    r"(?:to )?chang(?:e|ing) (?:of )?(?:the )?(?:topic|subject)|"
    r"never ?mind(?: (?:that|it|about that))?|forget (?:that|it|about (?:that|it))|"
    r"let'?s (?:talk|speak) about|moving on(?: to)?|one more(?: (?:thing|question))?|quick question"
    r")\b[\s:;,.!–-]*(?:(?:but|though|please|now|then)\b[\s,:]*)?"
)
"""The visitor announces that the topic changes."""
ASIDE = _pattern(r"^(?:by the way|btw|also|oh and|and also|plus|besides|while (?:i'm|we're) (?:here|at it))\b[\s,:]*")
"""Something is added: often another topic, sometimes the same one."""

CORRECTION = _pattern(
    r"^(?:no|nope|sorry|wait|oops|actually|not|correction|rather)\b(?!\s+(?:one|longer)\b)|"
    r"\bi (?:actually |really )?mean(?:t)?\b|\b(?:was|am|are|were) (?:asking|talking) about\b|\bmeant\b"
)
"""The visitor takes back a part of the last question."""
CORRECTION_WORDS = _pattern(
    r"^(?:(?:no|nope|sorry|wait|oops|actually|correction|rather)\b[\s,.!:;–-]*)+|"
    r"\bi (?:actually |really )?mean(?:t)?\b(?: to (?:say|ask))?|\bi (?:was|am) (?:asking|talking) about\b"
)
TAKEN_BACK = _pattern(
    r"\b(?:not|instead of|rather than|(?:(?:i|we)\s+)?(?:do not|don'?t) want(?: to)?)\s+(?:about\s+|for\s+)?"
    r"((?:(?:my|the|a|an|our|your)\s+)?[\w-]+(?:\s+(?:one|ones))?)(?:\s+(?:it|that|this))?\b"
)
"""What a correction says it is not about."""

WANTED_INSTEAD = _pattern(
    r"^(?:(?:i|we) (?:just |only |really )?(?:want|need|would like)|(?:i|we)'d like)(?: to)?\s+|\s+(?:it|that|this)$"
)
"""What stands around the thing that is wanted instead: "I want to pause it"."""

DETERMINER = _pattern(r"^(?:my|the|an?|our|your|their|this|that)\s+")

OPENER = _pattern(
    r"^(?:and|but|or|so|then|what about|how about|only|just|same|even|with|without|for|like|after|before|until|in case|"
    r"what if|if|because|except|including|instead|either|neither|too|on|in|at|from|per|by|as)\b"
)
"""A message that begins in the middle of a sentence."""
ASKS_ALONE = _pattern(
    r"^(?:(?:and|but|so|or)\s+)?(?:(?:but\s+)?why(?: not| is (?:that|it|this)| tho(?:ugh)?)?|"
    r"how(?: come| so| exactly)?|when|where(?: exactly)?|who|what|which(?: ones?)?|"
    r"how (?:long|many|much|often|far|high|big|old|soon)|since when|until when|what for|"
    r"(?:and |what )?(?:then|now|next|else)|what(?:'s| is| happens| comes) next|"
    r"for (?:example|instance)|like what|such as|really|is that all|"
    r"(?:do|did|does|will|can|could|would|is|are) (?:it|that|this|they))\s*[?!.]*$"
)
"""A question word and nothing else."""
EXAMPLE = _pattern(
    r"\b(?:examples?|for instance|sample|show me|elaborate|more detail(?:s)?|explain (?:that|it|more))\b"
)
ANAPHOR = _pattern(
    r"\b(?:it|its|it's|that|that's|this|those|these|them|they|they're|their|theirs|he|she|him|her|hers|his|one|ones|"
    r"both|same|such|so|there|then|else|instead|either|neither|again|afterwards|after that)\b"
)
NOT_ANAPHOR = _pattern(
    r"\b(?:is|are|was|were|isn't|aren't) there\b|\bthere(?:'s| is| are)\b|\b(?:so|such) (?:that|as)\b|"
    r"\b(?:the|an?|my|your|our|in|at) (?:same|one)\b|"
    r"\b(?:this|that|these|those) (?:week|month|year|morning|evening|time)\b|"
    r"\b(?:says?|said|sure|know|think|means?|mean|see|sees|told|shows?) that\b|"
    r"\bone (?:of|service|customer|client|page|person|product|day|hour|week|month|year)\b|"
    r"\b(?:if|when|whether|because|until|unless|so) (?:he|she|they|it|that|this)\b|"
    r"\b\w+ that (?:is|are|was|have|has|do|does|can|will)\b|"
    r"\b(?:work|works|done|do|change|try|start|book|open|log) (?:again|instead)\b"
)
"""Where those words do not point back to an earlier message."""

STILL_FAILS = _pattern(
    r"\b(?:still|again|yet)\b.*\b(?:not|nothing|no|fail(?:s|ed|ing)?|same|error|broken|stuck|pending|missing|"
    r"(?:does|did|do|is|has|have|was|could|can|wo)n'?t)\b|"
    r"\b(?:(?:does|did|do|is|has|have|could|can|wo)n'?t|not|never|no)\b.*\b(?:work(?:ed|ing|s)?|help(?:ed|s)?|yet|luck|"
    r"change(?:d)?|anything|arrived?|load(?:ed|s)?)\b|"
    r"\bfail(?:s|ed)? again\b|\bsame (?:error|problem|thing|result)\b|\b(?:it's|it has|its) been \d|"
    r"\b(?:tried|did|done) (?:that|this|it|all|everything)\b|\btak(?:es|ing) (?:forever|ages|too long)\b|"
    r"\bwait(?:ed|ing)\b.*\b(?:day|days|hour|hours|week|weeks|already)\b"
)
"""What was advised has not helped, or not yet."""
GRAVE = _pattern(
    r"\b(?:money|refund|charge[ds]?|charging|paid|pay|bill(?:ed|ing)?|cancel|close|delete|leave|leaving|switch(?:ing)?|"
    r"quit|lawyer|sue|legal|fraud|scam|stolen|hacked|complain\w*|manager|review|report|lost|losing|lose|compensat\w*|"
    r"useless|ridiculous|joke|incompetent|awful|terrible|worst|furious|angry|unacceptable|disgrace\w*|damn|hell|wtf)\b"
)
"""What makes a complaint one for a person, however it goes on."""

ORDINAL = _pattern(
    r"^(?:yes[,\s]+)?(?:i (?:mean|meant|think)\s+)?(?:it's\s+)?(?:the\s+)?"
    r"(?P<which>1st|first|2nd|second|3rd|third|last|former|latter)"
    r"(?:\s+(?:one|article|topic|option|link))?[.!]?$"
)


def lead_removed(text: str) -> str:
    """`text` without the acknowledgement in front; as it is when nothing else is there."""
    rest = LEAD.sub("", text, count=1).strip()
    return rest if any(character.isalpha() for character in rest) else text


def still_fails(text: str) -> bool:
    """Whether a message says that advice did not help, and nothing that only a person may settle."""
    return bool(STILL_FAILS.search(text)) and not grave(text)


def grave(text: str) -> bool:
    """Whether a message names what may be for a person to settle, such as a charge or a wish to leave."""
    return GRAVE.search(text) is not None


def points_back(text: str) -> int:
    """How many words of `text` seem to stand for something said before."""
    return len(ANAPHOR.findall(NOT_ANAPHOR.sub(" ", text)))
