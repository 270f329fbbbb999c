"""The flow chart of a turn: made of what the code declares and of the settings in force."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from handrail.answer.gate import Band, Bands
from handrail.assembly.fitted import calibration_for
from handrail.assembly.stages import asked_of_llm
from handrail.errors import PermanentError
from handrail.settings import Settings
from handrail.turn import outcome, replies
from handrail.turn.engine import GRAVE, SURELY_GRAVE
from handrail.turn.found import SURE
from handrail.turn.wording import Wording, load_wording
from handrail.types import Label, Offer, Outcome, RefusalReason, Routing, Verdict

PERSON = {Offer.NONE: "", Offer.LINK: "link to a person", Offer.BUTTON: "button to a person"}
LOCAL = "local models"
WRITES = "answer"
"""The task of a language model that writes answers."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of a step: a reply, made by the constructor that a turn uses."""

    when: str
    reply: Outcome

    @property
    def about(self) -> str:
        """The offer of a person, and why it is no answer."""
        reason = self.reply.refusal_reason
        return "; ".join(filter(None, (PERSON[self.reply.escalation.offer], reason.value if reason else "")))


@dataclass(frozen=True, slots=True)
class Step:
    name: str
    """As in traces, where a turn records it."""
    does: str
    by: str
    """Empty where there is nothing to do."""
    limits: Sequence[str] = ()
    """Thresholds in force."""
    exits: Sequence[Exit] = ()


def steps(settings: Settings) -> list[Step]:
    """In order. Raises PermanentError for a routing or label that has no place here."""
    wording, tasks = load_wording(settings.brand.name), asked_of_llm(settings)
    before = [_message(settings, wording), _understand(settings, tasks, wording), _retrieve(settings, tasks)]
    after = _written(settings, tasks, wording) if WRITES in tasks else _quoted(wording)
    found = [*before, _gate(settings, wording, writes=WRITES in tasks), *after]
    complete(found)
    return found


def _message(settings: Settings, wording: Wording) -> Step:
    late = f"at any step: not ready within {settings.server.turn_deadline_s:g} s, or a part fails and has no spare"
    exits = (
        Exit("a person has the conversation", outcome.handed_off("")),
        Exit(late, outcome.unavailable(wording)),
    )
    return Step(
        "message",
        "A visitor writes a message",
        "",
        (f"up to {settings.server.max_question_chars:,} characters",),
        exits,
    )


def _understand(settings: Settings, tasks: frozenset[str], wording: Wording) -> Step:
    labels = ", ".join(label.value for label in Label)
    return Step(
        "understand",
        f"One or more requests, each with one of {len(Label)} labels: {labels}",
        _by(tasks, {"classify": "labels", "standalone": "follow-ups", "decompose": "long messages"}),
        (
            f"fixed replies from p = {settings.classify.static_above:g}, without a search from {SURE:g}",
            f"serious from p = {GRAVE:g}, before any answer from {SURELY_GRAVE:g}",
        ),
        tuple(Exit(_static(label), outcome.static(label, wording)) for label in outcome.STATIC),
    )


def _retrieve(settings: Settings, tasks: frozenset[str]) -> Step:
    return Step(
        "retrieve",
        "Sections are searched by meaning and by words, and the likeliest are read",
        _by(tasks, {"rewrite": "short queries"}),
        (f"{settings.retrieval.rerank_depth} sections are read, {settings.retrieval.top_k} passages kept",),
    )


def _gate(settings: Settings, wording: Wording, *, writes: bool) -> Step:
    fitted = calibration_for("answers", settings)
    bands = Bands.of(fitted, settings.gates.answered, settings.gates.closest)
    begins = {Band.ANSWERED: f"from {bands.answered:g}", Band.CLOSEST: f"from {bands.closest:g}"}
    closest = "band closest, and the model finds no full answer" if writes else "band closest"
    exits = (
        Exit(closest, outcome.closest((), {}, 0.0, wording)),
        Exit("band nothing", outcome.followup(wording, (), 0.0)),
        Exit("band nothing, asked back before", _refused(RefusalReason.LOW_EVIDENCE, wording)),
    )
    return Step(
        "gate",
        "One probability that the best section answers decides on a band",
        f"a regression fitted on {fitted.n} pairs",
        tuple(f"{band.value}: p {begins.get(band, f'below {bands.closest:g}')}" for band in Band),
        exits,
    )


def _quoted(wording: Wording) -> list[Step]:
    """After the gate, without a language model."""
    done = (
        Exit("every request has an answer", outcome.answered("", Verdict.FULLY, (), 0.0)),
        Exit("a request stays open", outcome.answered("", Verdict.PARTLY, (), 0.0)),
    )
    return [
        Step("generate", "The sections are shown whole, with their steps", "quoting", exits=(_serious(),)),
        Step("verify", "Nothing to check: the text is the articles' own", ""),
        Step("critique", "The gate has judged the very text that is shown", "", exits=done),
    ]


def _written(settings: Settings, tasks: frozenset[str], wording: Wording) -> list[Step]:
    """After the gate, with one."""
    verify = settings.verify
    limits = (
        f"supported from p = {verify.supported_above:g}",
        f"unsupported below {verify.unsupported_below:g}",
        f"unsupported claims: {verify.policy}",
    )
    uncited = Exit(
        "no claim cites what was given, and no section surely answers",
        _refused(RefusalReason.INVALID_CITATIONS, wording),
    )
    unproved = Exit(
        "too little is supported, and no section surely answers", _refused(RefusalReason.UNSUPPORTED_CLAIMS, wording)
    )
    by = "" if settings.generate.critique == "off" else _by(tasks, {"critique": "verdict"})
    return [
        Step(
            "generate",
            "Claims are written from the sections, each with its passage",
            f"the language model{', again for your rules' if 'guidance' in tasks else ''}; quoting as spare",
            (f"{len(settings.guidance.rules)} rules of your own",) if settings.guidance.rules else (),
            (_serious(), uncited),
        ),
        Step(
            "verify",
            "Each claim is checked against the passage it cites",
            _by(tasks, {"verify": "claims in doubt"}),
            limits,
            (unproved,),
        ),
        Step(
            "critique",
            "Does the text answer the question?",
            by,
            exits=tuple(Exit(f"verdict {verdict.value}", _judged(verdict, wording)) for verdict in Verdict),
        ),
    ]


def _serious() -> Exit:
    return Exit("label high_stakes, or a crisis", outcome.high_stakes("", (), 0.0))


def _static(label: Label) -> str:
    """The label, and what else gets its reply."""
    courtesies = ", ".join(act.value for act in replies.COURTESIES)
    beside = {Label.IRRELEVANT: f", or {courtesies}", Label.OUT_OF_SCOPE: ", or a person is asked for"}
    return f"label {label.value}{beside.get(label, '')}"


def _by(tasks: frozenset[str], asked: dict[str, str]) -> str:
    """Local models, and what the language model is asked for beside them."""
    given = [what for task, what in asked.items() if task in tasks]
    return f"{LOCAL}, language model ({', '.join(given)})" if given else LOCAL


def _refused(reason: RefusalReason, wording: Wording) -> Outcome:
    return outcome.cannot_answer(reason, wording, 0.0)


def _judged(verdict: Verdict, wording: Wording) -> Outcome:
    if verdict is Verdict.CANNOT:
        return _refused(RefusalReason.LOW_EVIDENCE, wording)
    return outcome.answered("", verdict, (), 0.0)


def complete(found: Sequence[Step]) -> None:
    """What is declared and has no place would be missing in silence."""
    ends = {exit_.reply.routing for step in found for exit_ in step.exits}
    missing = [f"the routing {routing.value}" for routing in Routing if routing not in ends]
    known = {*outcome.STATIC, Label.ANSWERABLE, Label.HIGH_STAKES}
    missing += [f"the label {label.value}" for label in Label if label not in known]
    if missing:
        raise PermanentError(f"the flow chart has no place for {', '.join(missing)}: add it to eval/hub/flow.py")


WIDTH, LEFT, RIGHT = 420, 198, 192
"""Of the drawing, its steps and its exits; small enough to be read on a phone."""
LINE, PAD, GAP = 16, 9, 26
CHARS = {LEFT: 25, RIGHT: 24}
"""That fit into a line in the widest of the usual fonts."""


@dataclass(frozen=True, slots=True)
class Box:
    x: int
    y: int
    width: int
    title: str
    lines: tuple[str, ...]

    @property
    def height(self) -> int:
        return LINE * (len(self.lines) + 1) + 2 * PAD

    @property
    def below(self) -> int:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Row:
    """A step and its exits."""

    step: Box
    exits: tuple[Box, ...]
    ends: int


def drawn(found: Sequence[Step]) -> list[Row]:
    """Where everything stands, from top to bottom."""
    rows, y = [], 4
    for step in found:
        text = (step.does, *step.limits, *([f"by {step.by}"] if step.by else []))
        left = _box(0, y, LEFT, step.name, text)
        exits: list[Box] = []
        at = y
        for exit_ in step.exits:
            said = (exit_.when, exit_.about)
            exits.append(_box(WIDTH - RIGHT, at, RIGHT, exit_.reply.routing.value, said))
            at = exits[-1].below + 8
        ends = max(left.below, exits[-1].below if exits else 0)
        rows.append(Row(left, tuple(exits), ends))
        y = ends + GAP
    return rows


def _box(x: int, y: int, width: int, title: str, text: Sequence[str]) -> Box:
    lines = [line for part in text if part for line in textwrap.wrap(part, CHARS[width])]
    return Box(x, y, width, title, tuple(lines))
