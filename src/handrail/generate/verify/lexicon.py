"""Small word lists of support language: what negates, obliges, limits, and what means the same or the opposite.

Words are given as written and compared by stem. The lists are general English of help centres, not of one product.
"""

from __future__ import annotations

from functools import lru_cache

from handrail.generate.verify.text import stem

STOP = frozenset(
    """
    a an the this that these those there here it its it's he she they them their theirs his her him i me my we us our you
    your yours yourself itself themselves who whom whose which what when where why how as at by for from in into of off on
    onto out over under up down to toward towards with about above below between during through within per via than then
    so such and or but if because since while although though however also too very just even still yet again once
    is are was were be been being am do does did done doing have has had having get gets got getting will would shall
    let's you'll you've you're they're we're we've we'll i'm there's that's who's isn't aren't something someone anything
    thing things way ways one ones like own same other others another each every any some all both either no not
    's re ve ll d t s m please simply really actually well right much many more most less least bit lot
    """.split()
)
NEGATORS = frozenset(
    """
    not no never none nothing nobody neither nor without cannot can't cant don't dont doesn't doesnt didn't won't wont
    wouldn't shouldn't couldn't isn't aren't wasn't weren't hasn't haven't hadn't mustn't needn't shan't ain't unable
    nowhere hardly
    """.split()
)
CLAUSE_BREAKS = frozenset("but unless until except instead although though while whereas because so if when".split())
OBLIGATION = frozenset(
    "must required require requires have-to need needs mandatory obligatory necessary has-to".split()
)
PERMISSION = frozenset("can may could might optional optionally possible allowed able".split())
CERTAINTY = frozenset("always guaranteed guarantee definitely certainly automatically ever".split())
POSSIBILITY = frozenset("may might could sometimes usually possibly maybe perhaps subject often".split())
UNIVERSAL = frozenset(
    "all every each any always everything everyone everybody whichever whatever whenever never".split()
)
RESTRICTION = frozenset("only solely exclusively except unless just apart limited".split())
CONDITION = frozenset(
    "if unless when once until only except provided as-long-as without with on for while after".split()
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
own shared
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
def synonyms() -> dict[str, frozenset[int]]:
    """The numbers of the groups each stem is in."""
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(SAME.split("\n")):
        for word in line.split():
            groups.setdefault(stem(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in groups.items()}


@lru_cache(maxsize=1)
def opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in OPPOSITE.split("\n"):
        if line.strip():
            one, other = (stem(word) for word in line.split())
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


@lru_cache(maxsize=16384)
def alike(one: str, other: str) -> bool:
    """Whether two stems are the same word, a group's, or one inside the other (`check-in`, `checkin`)."""
    if one == other:
        return True
    groups = synonyms()
    if groups.get(one, frozenset()) & groups.get(other, frozenset()):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 5 and long.startswith(short)


def opposed(one: str, other: str) -> bool:
    return other in opposites().get(one, frozenset())
