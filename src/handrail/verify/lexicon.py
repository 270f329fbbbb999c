"""Small word lists of support language: what negates, obliges, limits, and what means the same or the opposite.

Words are given as written and compared by stem. `thesaurus.json.gz` adds common English out of WordNet 3.1.
"""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from importlib.resources import files

from handrail.text.words import stem

STOP = frozenset(
    """
    's a about above actually again all also although am an and another any anything are aren't as at be because
    been being below between bit both but by d did do does doing done down during each either even every for
    from get gets getting got had has have having he her here him his how however i i'm if in into is isn't it
    it's its itself just least less let's like ll lot m many me more most much my no not of off on once one ones
    onto or other others our out over own per please re really right s same shall she simply since so some
    someone something still such t than that that's the their theirs them themselves then there there's these
    they they're thing things this those though through to too toward towards under up us ve very via was way
    ways we we'll we're we've well were what when where which while who who's whom whose why will with within
    would yet you you'll you're you've your yours yourself
    """.split()  # noqa: SIM905
)
NEGATORS = frozenset(
    """
    ain't aren't can't cannot cant couldn't didn't doesn't doesnt don't dont hadn't hardly hasn't haven't isn't
    mustn't needn't neither never no nobody none nor not nothing nowhere shan't shouldn't unable wasn't weren't
    without won't wont wouldn't
    """.split()  # noqa: SIM905
)
PLACES = tuple(
    (frozenset(one.split()), frozenset(other.split()))
    for one, other in (
        ("over above", "under below beneath"),
        ("on", "off"),
        ("inside within indoors", "outside outdoors"),
        ("with", "without"),
        ("more longer higher larger", "less fewer shorter lower smaller"),
        ("most", "least"),
        ("first", "last"),
        ("front", "behind back"),
        ("up", "down"),
        ("to", "from"),
        ("new newer", "old older"),
        ("we us our", "you your yours"),
        ("all every any", "some"),
    )
)
"""Small words in pairs: where a claim has one of a pair and its passage only the other, one of the two is wrong."""
CLAUSE_BREAKS = frozenset(
    """
    although because but except if instead so though unless until when whereas while
    """.split()  # noqa: SIM905
)
OBLIGATION = frozenset(
    """
    mandatory must necessary need needs obligatory require required requires
    """.split()  # noqa: SIM905
)
PERMISSION = frozenset(
    """
    able allowed can could may might optional optionally possible
    """.split()  # noqa: SIM905
)
CERTAINTY = frozenset(
    """
    always automatically certainly definitely ever guarantee guaranteed
    """.split()  # noqa: SIM905
)
HEDGES = frozenset(
    """
    could may maybe might perhaps possibly
    """.split()  # noqa: SIM905
)
POSSIBILITY = frozenset(
    """
    could may maybe might often perhaps possibly sometimes subject usually
    """.split()  # noqa: SIM905
)
UNIVERSAL = frozenset(
    """
    all always any each every everybody everyone everything never whatever whenever whichever
    """.split()  # noqa: SIM905
)
RESTRICTION = frozenset(
    """
    apart except exclusively just limited only solely unless
    """.split()  # noqa: SIM905
)
UPPER = (
    "up to",
    "at most",
    "no more than",
    "maximum",
    "as many as",
    "as much as",
    "as long as",
    "or less",
    "at the latest",
    "no later than",
    "not more than",
    "under",
    "below",
    "less than",
    "fewer than",
    "within",
    "before",
)
LOWER = (
    "at least",
    "minimum",
    "no less than",
    "or more",
    "more than",
    "above",
    "over",
    "no fewer than",
    "at the earliest",
)

SAME = """
remove delete erase discard clear wipe
cancel terminate end stop quit
pay cost charge fee price spend bill
buy purchase order
choose select pick click tap press
show display see appear list view visible
allow permit let enable
keep retain store save remain stay survive preserve
begin start launch initiate boot
finish complete over
person people member user somebody someone individual
send deliver dispatch ship mail leave
change edit modify alter update adjust switch swap amend
restore recover retrieve
need require must necessary
expire lapse invalid
maximum most limit cap
minimum least
immediately instantly straight now once
automatic automatically itself
ask request apply
connect link plug attach
join register enrol enroll
refund reimburse repay return
create make add build
phone mobile smartphone handset
email e-mail mail
customer client shopper
company business firm
hold keep press
free gratis complimentary
include contain comprise
use utilise utilize employ redeem
open go
enter type fill
check verify inspect confirm
combine merge join
move transfer migrate
postpone move reschedule
freeze pause suspend hold
website site page
picture image photo
big large huge
quick fast rapid
wait pending
help support assist
fix solve repair resolve
error problem issue fault
sign log
password passcode
code pin
booking reservation appointment
ticket admission
purse wallet
baggage luggage
hand carry
cabin board
sealed unopened
cool refrigerate chill
medicine drug medication
child kid minor under
teacher instructor
pupil student learner
trip ride journey flight
provider carrier operator company
event show concert
deduct minus subtract
reach arrive get
export download
import upload
copy duplicate
publish live
hide conceal
notify inform tell message alert
split divide share
bank account
seat place
night overnight
daily day
weekly week
monthly month
yearly annual annually year
working business
maximum largest biggest longest highest
minimum smallest shortest lowest
"""
OPPOSITE = """
enable disable
on off
allow prevent
allow forbid
allow block
allow deny
accept reject
accept refuse
include exclude
before after
first last
start end
begin end
start stop
increase decrease
raise lower
more less
more fewer
maximum minimum
most least
open close
lock unlock
add remove
add delete
create delete
keep delete
keep remove
keep lose
stay expire
keep expire
restore delete
valid invalid
valid expire
show hide
visible hidden
public private
free paid
free charge
free cost
above below
over under
inside outside
early late
earlier later
cheap expensive
strong weak
online offline
manual automatic
manually automatically
hand automatically
always never
all none
everyone nobody
buy sell
send receive
import export
upload download
connect disconnect
install uninstall
publish unpublish
subscribe unsubscribe
log-in log-out
upgrade downgrade
required optional
must optional
possible impossible
same different
separate shared
full empty
new old
permanent temporary
immediately later
together separately
success fail
work fail
everything nothing
right wrong
best worst
long short
high low
large small
fast slow
light dark
win lose
pass fail
single several
one several
before since
cheapest expensive
lowest highest
longest shortest
latest earliest
incoming outgoing
internal external
available unavailable
active inactive
safe unsafe
able unable
credit debit
gain lose
push pull
attach detach
mute unmute
archive restore
refund charge
approve decline
approve reject
draft published
monthly yearly
annual monthly
weekly monthly
daily weekly
daily monthly
hourly nightly
morning evening
night day
left right
top bottom
desktop mobile
ios android
"""


@lru_cache(maxsize=1)
def _thesaurus() -> dict[str, dict[str, frozenset[int]]]:
    """`same` and `kind`: numbers of the synonym groups, and of the kinds of thing, that each stem is in."""
    packed = (files("handrail.models") / "bundle" / "thesaurus.json.gz").read_bytes()
    tables = json.loads(gzip.decompress(packed))
    found = {name: {word: frozenset(of) for word, of in tables[name].items()} for name in ("same", "kind")}
    for number, line in enumerate(SAME.split("\n"), start=1):
        for word in line.split():
            one = stem(word)
            found["same"][one] = found["same"].get(one, frozenset()) | {-number}
    return found


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    packed = (files("handrail.models") / "bundle" / "thesaurus.json.gz").read_bytes()
    pairs = [tuple(pair) for pair in json.loads(gzip.decompress(packed))["opposite"]]
    pairs += [tuple(stem(word) for word in line.split()) for line in OPPOSITE.split("\n") if line.strip()]
    found: dict[str, set[str]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


@lru_cache(maxsize=32_768)
def alike(one: str, other: str) -> bool:
    """Whether two stems are the same word, of one group, or one inside the other (`check`, `checkin`)."""
    if one == other:
        return True
    groups = _thesaurus()["same"]
    if groups.get(one, frozenset()) & groups.get(other, frozenset()):
        return not opposed(one, other)
    short, long = sorted((one, other), key=len)
    return len(short) >= 5 and long.startswith(short)


def opposed(one: str, other: str) -> bool:
    return other in _opposites().get(one, frozenset())


@lru_cache(maxsize=32_768)
def rivals(one: str, other: str) -> bool:
    """Whether two stems are different things of one kind, such as two colours or two days of the week."""
    kinds = _thesaurus()["kind"]
    return bool(kinds.get(one, frozenset()) & kinds.get(other, frozenset())) and not alike(one, other)
