"""The typed questions that may be decided: one TOML file each in `prompts/decisions/`.

A file names its inputs, how they become the *state* a model reads (a Jinja2 template for each entry; empty ones are
left out), the question, and the options with their descriptions. A file's version goes up with every change of what a
model reads: answers are logged with it, and calibration holds for one version only.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from jinja2 import TemplateError
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_ai.models.decision import (
    ChoiceQuestion,
    DecisionQuestion,
    NoulCriteria,
    NoulQuestion,
    ScoreQuestion,
)

from handrail.errors import PermanentError
from handrail.llm.prompts import compiled
from handrail.settings.paths import site_dir

NONE_OF_THESE = "none_of_these"
"""Every choice offers it: without it, models label what fits nothing, and are sure of it."""
YES, NO = "yes", "no"
FEWEST, MOST_CHOICES, MOST_LEVELS = 2, 255, 10
"""Of options; the protocol's bounds."""

State = Mapping[str, str]
"""What a model reads, by entry."""
Probabilities = Mapping[str, float]
"""By option; a question's add up to one."""


class UnknownDecision(PermanentError):
    """There is no question of that name; the message lists those there are."""


class DecisionInputs(PermanentError):
    """What a question is asked about is incomplete; the message names what is missing."""


class Decision(BaseModel):
    """One question."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")
    version: int = Field(ge=1)
    kind: Literal["yes_no", "choice", "score"]
    inputs: tuple[str, ...] = Field(min_length=1)
    optional: tuple[str, ...] = ()
    """Inputs that may be left out, and are empty then."""
    question: str = Field(min_length=10)
    state: dict[str, str] = Field(min_length=1)
    options: dict[str, str]
    """Descriptions by label; a score's are its levels, lowest first."""

    @model_validator(mode="after")
    def _is_whole(self) -> Decision:
        labels, most = list(self.options), MOST_LEVELS if self.kind == "score" else MOST_CHOICES
        if self.kind == "yes_no" and labels != [YES, NO]:
            raise ValueError("a yes/no question must have the options yes and no, in this order")
        if self.kind == "choice" and NONE_OF_THESE not in labels:
            raise ValueError(f"a choice must offer {NONE_OF_THESE}")
        if not FEWEST <= len(labels) <= most:
            raise ValueError(f"a {self.kind} must have {FEWEST} to {most} options")
        try:
            self.rendered(dict.fromkeys(self.inputs, ""))
        except DecisionInputs as error:
            raise ValueError(str(error)) from None
        return self

    def rendered(self, inputs: Mapping[str, object]) -> dict[str, str]:
        """The state for these inputs. Raises DecisionInputs naming one that is missing or unknown."""
        given = {**dict.fromkeys(self.optional, ""), **inputs}
        if missing := [name for name in self.inputs if name not in inputs]:
            raise DecisionInputs(f"the decision {self.name!r} needs: {', '.join(missing)}")
        if unknown := given.keys() - {*self.inputs, *self.optional}:
            raise DecisionInputs(f"the decision {self.name!r} has no input: {', '.join(sorted(unknown))}")
        try:
            state = {key: compiled(text).render(given).strip() for key, text in self.state.items()}
        except TemplateError as error:
            raise DecisionInputs(f"the state of the decision {self.name!r} does not render: {error}") from None
        return {key: text for key, text in state.items() if text or key in self.inputs}

    def asked(self, order: list[str] | None = None) -> DecisionQuestion:
        """The question as the protocol has it; `order` is that of a choice's labels."""
        if self.kind == "yes_no":
            criteria = NoulCriteria(true=self.options[YES], false=self.options[NO])
            return NoulQuestion(instructions=self.question, criteria=criteria)
        if self.kind == "score":
            return ScoreQuestion(instructions=self.question, criteria=list(self.options.values()))
        return ChoiceQuestion(
            instructions=self.question, criteria={label: self.options[label] for label in order or self.options}
        )

    def means(self, question: DecisionQuestion) -> bool:
        """Whether `question` is this one, whatever it is called and in whatever order its options stand.

        It has this question's text, or names it, and the same options or as many levels.
        """
        words = " ".join(question.instructions.split()) if isinstance(question.instructions, str) else None
        if words not in (self.name, " ".join(self.question.split())):
            return False
        if isinstance(question, ChoiceQuestion):
            return self.kind == "choice" and question.criteria.keys() == self.options.keys()
        if isinstance(question, ScoreQuestion):
            return self.kind == "score" and len(question.criteria) == len(self.options)
        return self.kind == "yes_no"


class Decisions:
    """All questions, by name."""

    def __init__(self, decisions: Mapping[str, Decision]) -> None:
        self._decisions = dict(decisions)

    @property
    def names(self) -> list[str]:
        return sorted(self._decisions)

    def __getitem__(self, name: str) -> Decision:
        """Raises UnknownDecision."""
        if name not in self._decisions:
            raise UnknownDecision(f"there is no decision {name!r}; there are: {', '.join(self.names)}")
        return self._decisions[name]

    def meant(self, question: DecisionQuestion) -> Decision | None:
        return next((decision for decision in self._decisions.values() if decision.means(question)), None)


def load_decisions(folder: Path | None = None) -> Decisions:
    """The questions that ship, or those of a folder. Raises PermanentError naming the file and what is wrong."""
    prompts = site_dir("prompts") if folder is None else None
    found = folder or (prompts / "decisions" if prompts is not None else None)
    if found is None or not found.is_dir():
        raise PermanentError("the folder prompts/decisions/ is missing. Run from a clone, or reinstall handrail")
    return Decisions({decision.name: decision for decision in map(_read, sorted(found.glob("*.toml")))})


def _read(path: Path) -> Decision:
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        decision = Decision.model_validate({**table, "question": str(table.get("question", "")).strip()})
    except (OSError, ValueError, ValidationError) as error:
        raise PermanentError(f"{path}: not a decision: {error}") from None
    if decision.name != path.stem:
        raise PermanentError(f"{path}: the decision is named {decision.name!r}. Give the file the same name")
    return decision
