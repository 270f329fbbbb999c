"""The flow chart of a turn: made of what the code declares and of the settings in force."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
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
QUOTES = "nothing to check: the text is the articles' own"


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
    limits: Sequence[str] = ()
    """Thresholds in force."""
    exits: Sequence[Exit] = ()


def steps(settings: Settings) -> list[Step]:
    """In order. Raises PermanentError for a routing, label or verdict that no step here knows."""
    wording = load_wording(settings.brand.name)
    tasks = asked_of_llm(settings)
    gate = calibration_for("answers", settings)
    bands = Bands.of(gate, settings.gates.answered, settings.gates.closest)
    writes = "answer" in tasks
    found = [
        Step(
            "message",
            "A visitor writes a message",
            "nobody",
            (f"up to {settings.server.max_question_chars:,} characters",),
            (
                Exit("a person has the conversation", outcome.handed_off("")),
                Exit(
                    f"at any step: not ready within {settings.server.turn_deadline_s:g} s, or a part fails and has "
                    "no spare",
                    outcome.unavailable(wording),
                ),
            ),
        ),
        Step(
            "understand",
            f"One to three requests, each with one of {len(Label)} labels: " + ", ".join(_named(Label)),
            _by(tasks, {"classify": settings.classify.mode, "standalone": "follow-ups"}),
            (
                f"fixed replies from p = {settings.classify.static_above:g}, without a search from {SURE:g}",
                f"serious from p = {GRAVE:g}, before any answer from {SURELY_GRAVE:g}",
            ),
            tuple(Exit(_static(label), outcome.static(label, wording)) for label in outcome.STATIC),
        ),
        Step(
            "retrieve",
            "Sections are searched by meaning and by words, and the likeliest are read",
            _by(tasks, {"rewrite": "short queries"}),
            (f"{settings.retrieval.rerank_depth} sections are read, {settings.retrieval.top_k} passages kept",),
        ),
        Step(
            "gate",
            "One probability that the best section answers decides on a band",
            f"a regression fitted on {gate.n} pairs",
            tuple(f"{band.value}: p {_range(band, bands)}" for band in Band),
            tuple(_outside(wording, writes=writes)),
        ),
        Step(
            "generate",
            "Claims are written from the sections" if writes else "The sections are shown whole, with their steps",
            f"language model, {LOCAL} as spare" if writes else "quoting",
            (),
            (
                Exit("label high_stakes, or a crisis", outcome.high_stakes("", (), 0.0)),
                *([Exit("no claim cites what was given", _refused(RefusalReason.INVALID_CITATIONS, wording))]
                  if writes else []),
            ),
        ),
        Step(
            "verify",
            "Each claim is checked against the passage it cites" if writes else QUOTES,
            _by(tasks, {"verify": "claims in doubt"}) if writes else "nobody",
            (
                f"supported from p = {settings.verify.supported_above:g}",
                f"unsupported below {settings.verify.unsupported_below:g}",
                f"policy: {settings.verify.policy}",
            )
            if writes
            else (),
            (Exit("too little is supported", _refused(RefusalReason.UNSUPPORTED_CLAIMS, wording)),) if writes else (),
        ),
        Step(
            "critique",
            "Does the text answer the question?" if writes else "The gate has judged the very text that is shown",
            ("nobody" if settings.generate.critique == "off" else _by(tasks, {"critique": "verdict"}))
            if writes
            else "nobody",
            (),
            tuple(Exit(_verdict(verdict, writes=writes), _judged(verdict, wording)) for verdict in _verdicts(writes)),
        ),
    ]  # fmt: skip
    complete(found)
    return found


def _static(label: Label) -> str:
    """The label, and what else gets its reply."""
    courtesies = ", ".join(act.value for act in replies.COURTESIES)
    beside = {Label.IRRELEVANT: f", or {courtesies}", Label.OUT_OF_SCOPE: ", or a person is asked for"}
    return f"label {label.value}{beside.get(label, '')}"


def _by(tasks: frozenset[str], asked: dict[str, str]) -> str:
    """Local models, and what the language model is asked for beside them."""
    given = [what for task, what in asked.items() if task in tasks]
    return f"{LOCAL}, language model ({', '.join(given)})" if given else LOCAL


def _named(values: type[Label]) -> list[str]:
    return [value.value for value in values]


def _range(band: Band, bands: Bands) -> str:
    bounds = {
        Band.ANSWERED: f"from {bands.answered:g}",
        Band.CLOSEST: f"from {bands.closest:g}",
        Band.NOTHING: f"below {bands.closest:g}",
    }
    return bounds[band]


def _outside(wording: Wording, *, writes: bool) -> Iterator[Exit]:
    """What becomes of a request that the gate does not let through."""
    closest = "band closest, and the model finds no full answer" if writes else "band closest"
    yield Exit(closest, outcome.closest((), {}, 0.0, wording))
    yield Exit("band nothing", outcome.followup(wording, (), 0.0))
    yield Exit("band nothing, asked back before", _refused(RefusalReason.LOW_EVIDENCE, wording))


def _refused(reason: RefusalReason, wording: Wording) -> Outcome:
    return outcome.cannot_answer(reason, wording, 0.0)


def _verdicts(writes: bool) -> list[Verdict]:
    return [verdict for verdict in Verdict if writes or verdict is not Verdict.CANNOT]


def _verdict(verdict: Verdict, *, writes: bool) -> str:
    quoted = {Verdict.FULLY: "every request has an answer", Verdict.PARTLY: "a request stays open"}
    return f"verdict {verdict.value}" if writes else quoted[verdict]


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


WIDTH, LEFT, RIGHT = 400, 184, 180
"""Of the drawing, its steps and its exits; small enough to be read on a phone."""
LINE, PAD, GAP = 16, 9, 26
CHARS = {LEFT: 29, RIGHT: 28}


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
    def middle(self) -> int:
        return self.y + self.height // 2

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
        text = (step.does, *step.limits, *([f"by {step.by}"] if step.by != "nobody" else []))
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
