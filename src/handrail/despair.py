"""Messages of somebody who speaks of ending their life: a person is wanted, whatever else they ask."""

from __future__ import annotations

import re

_ENGLISH = (
    r"(?:kill|hang|drown|shoot|harm)(?:ing)? my ?self",
    r"(?:commit(?:ting)? |thinking (?:of|about) |thoughts? of )suicide|(?:i am|i'm|im|feel(?:ing)?) suicidal",
    r"end(?:ing)? it all|(?:end(?:ing)?|tak(?:e|ing)) my (?:own )?life",
    r"(?:don'?t|do not|no longer) want to (?:live|wake up|be alive|be here|exist)"
    r"(?: (?:any ?more|tomorrow|again|at all)|\b(?=[.!?,]|$))",
    r"i (?:just |really |only )?(?:want(?:ed)? to|wanna) (?:die|be dead)|wish i (?:was|were) dead",
    r"(?:tablets|pills)\b[^.!?\n]{0,25} in front of me",
    r"better off (?:dead|without me)",
    r"no (?:reason|point) (?:to|in|of) (?:live|living|going on living)",
)
_OTHERS = (
    r"(?:mich|mir) (?:selbst )?(?:umbringen|(?:das|mein) leben nehmen)|bringe? mich um|selbstmord|suizid|"
    r"(?:will|möchte|mag) (?:ich )?(?:einfach )?(?:nicht mehr leben|sterben)",
    r"me suicider|me tuer|envie de (?:mourir|me tuer)|plus envie de vivre|mettre fin à (?:mes jours|ma vie)",
    r"suicidarme|matarme|quitarme la vida|no quiero (?:seguir viviendo|vivir más|vivir)|quiero morir(?:me)?",
    r"me matar|suicidar-me|me suicidar|tirar (?:a )?minha (?:própria )?vida|não quero (?:mais )?viver|quero morrer",
    r"uccidermi|suicidarmi|togliermi la vita|farla finita|non voglio più vivere|voglio morire",
    r"zelfmoord|mezelf (?:van kant|doden)|niet meer leven|wil (?:ik )?(?:gewoon )?dood",
    r"(?:zabić|zabiję) się|popełnić samobójstwo|nie chcę (?:już )?żyć|chcę umrzeć",
    r"поконч\w+ с собой|самоубийств\w*|не хочу (?:больше )?жить|хочу умереть|убить себя",
)
DESPAIR = re.compile(rf"\b(?:{'|'.join((*_ENGLISH, *_OTHERS))})", re.IGNORECASE)


def speaks_of_dying(text: str) -> bool:
    """In nine languages; figures of speech ("I'll kill myself if this fails") count, since to miss one costs more."""
    return DESPAIR.search(text.replace("’", "'")) is not None
