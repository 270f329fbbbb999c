"""Messages of somebody in despair: they are told where help is, and a person is wanted, whatever else they ask.

They are heard by a model (`models.understands`); the phrases here are the floor beneath it.
"""

from __future__ import annotations

import re
import unicodedata

_END = r"(?=\s*(?:[^\w\s-]|and\b|y\b|et\b|und\b|e\b|i\b|и\b|$))"
"""Nothing follows that it could be about: "no quiero vivir" and not "no quiero vivir en este piso"."""
_NO_MORE = r"(?:wake|woke) up(?: again| any ?more)?" + _END
_ENGLISH = (
    r"(?:kill|hang|harm)(?:ing)? (?:my ?self|myself)(?! (?:hosted|signed|managed|service))(?=\W|$)(?!-)",
    r"(?:commit(?:ting)?|thinking (?:of|about)|thoughts? of|considering|contemplating) suicide|suicidal thoughts|"
    r"(?:i am|i'm|im|feel(?:ing)?)(?: so| really| very)? suicidal",
    r"(?:want(?:ing)? to|wanna|going to|thinking of) end(?:ing)? it all" + _END,
    r"(?:end(?:ing)?|tak(?:e|ing)) my (?:own )?life" + _END,
    r"(?:don'?t|do not|no longer) (?:want to|wanna) (?:live|be alive|exist)(?: (?:any ?more|any longer|like this))?"
    + _END,
    r"(?:don'?t|do not) (?:want to|wanna) (?:wake up|be here) (?:any ?more|tomorrow)" + _END,
    r"(?:easier|better|rather) (?:not to |to not |to never |never to |not |if i (?:did not |didn'?t |never ))"
    + _NO_MORE,
    r"(?:hope|wish) i (?:would |could |do |did )?(?:never|not|don'?t|didn'?t) " + _NO_MORE,
    r"i (?:just |really |only )?(?:want(?:ed)? to|wanna) (?:die|be dead)" + _END + r"|wish i (?:was|were) dead",
    r"(?:they|everyone|everybody|all|family|kids) (?:would|will|'d|are|is) (?:all )?(?:be )?better off without me"
    + _END,
    r"better off dead|(?:no (?:reason|point) (?:to live|(?:in|of) living)|nothing (?:left )?to live for)" + _END,
)
_OTHERS = (
    # German, French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Danish and Norwegian, Czech, Arabic, Russian
    r"mich (?:selbst )?um(?:zu)?bringen|mir das leben (?:zu )?nehmen|selbstmord(?:gedanken)?\b|suizid(?:gedanken)?\b|"
    r"(?:will|mochte|mag) (?:ich )?(?:einfach )?(?:nicht mehr leben|sterben)" + _END,
    r"me suicider|me tuer|envie de mourir|je veux mourir|en finir avec la vie|mettre fin a (?:mes jours|ma vie)|"
    r"plus envie de vivre" + _END,
    r"suicidarme|matarme|quitarme la vida|acabar con mi vida|(?:me )?quiero morir(?:me)?" + _END + "|"
    r"no quiero (?:seguir viviendo|vivir mas|vivir)" + _END,
    r"(?:quero|vou) me matar|suicidar-me|me suicidar|tirar (?:a )?minha (?:propria )?vida|"
    r"(?:nao quero (?:mais )?viver(?: mais)?|quero morrer)" + _END,
    r"uccidermi|ammazzarmi|suicidarmi|togliermi la vita|(?:farla finita|non voglio piu vivere|voglio morire)" + _END,
    r"zelfmoord|zelfdoding|mezelf van kant|einde? aan mijn leven|(?:niet meer leven|wil (?:ik )?(?:gewoon )?dood)"
    + _END,
    r"(?:zabic|zabije) sie|sie zabic|popelnic samobojstwo|(?:nie chce (?:juz )?zyc|chce umrzec)" + _END,
    r"(?:ta|tar) (?:livet av mig|mitt (?:eget )?liv)|sjalvmord|"
    r"(?:(?:vill|orkar) inte (?:langre )?leva(?: (?:langre|mer))?|vill (?:bara )?do)" + _END,
    r"(?:tage|tager|ta) mi(?:t|tt) (?:eget )?liv|selvmord|(?:drabe|dræbe|drepe) (?:mig|meg) selv|"
    r"(?:vil ikke (?:(?:l(?:æ|ae)ngere|mere|lenger) )?leve(?: (?:l(?:æ|ae)ngere|mere|mer|lenger))?|"
    r"vil (?:bare |gerne )?d(?:ø|oe))" + _END,
    r"sebevrazd\w*|(?:zabit|zabiju) se|se (?:zabit|zabiju)|(?:si vzit|vzit si) zivot|"
    r"(?:nechci|nechce se mi) (?:uz )?zit(?: dal)?" + _END + r"|chci umrit" + _END,
    r"(?:ال|ب)?انتحار|(?:س)?انتحر|(?:س|ان |بدي |راح )?اقتل نفسي|(?:انهي|انهاء|اخلص من) حياتي|"
    r"(?:لا|ما|مش|مو|ماني) ?(?:اريد|ارغب|عايز|عاوز|عايزه|بدي|ابغ[يى]|ابي|حابب) (?:ان |في )?(?:اعيش|العيش|الحياه?ة?)"
    r"(?: بعد (?:الان|اليوم|كده|هيك))?" + _END + "|"
    r"(?:اريد|اتمن[يى]|عايز|عاوز|بدي|ابغ[يى]|ابي|نفسي) (?:ان )?(?:اموت|الموت)" + _END,
    r"поконч\w+ с собой|самоубийств\w*|убью себя|убить себя|(?:не хочу (?:больше )?жить|хочу умереть)" + _END,
)
DESPAIR = re.compile(rf"(?<!\w)(?:{'|'.join((*_ENGLISH, *_OTHERS))})", re.IGNORECASE)
APOSTROPHES = re.compile("[’‘ʼ`´]")


def speaks_of_dying(text: str) -> bool:
    """In one of fourteen languages, accents or none: what is above, and English."""
    return DESPAIR.search(_folded(text)) is not None


def _folded(text: str) -> str:
    """Without marks above letters, but for the Russian ones; one kind of apostrophe, one space between words."""
    plain = unicodedata.normalize("NFKD", APOSTROPHES.sub("'", text)).replace("и\u0306", "й").replace("И\u0306", "Й")
    bare = "".join(character for character in plain if not unicodedata.combining(character)).replace("ł", "l")
    return re.sub(r"[^\S\n]+", " ", bare)
