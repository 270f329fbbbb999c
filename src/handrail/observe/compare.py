"""What is different between a stored turn and the same turn run again, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from handrail.observe.trace import Trace, every_stage

CLOSE = 0.01
"""Probabilities and scores that differ by less are the same: batches and machines round differently."""
SETUP = ("kb", "kb_version", "settings")
RESULT = (
    "routing", "refusal_reason", "label", "label_probability", "confidence", "factuality", "requests", "citations",
    "closest", "offer", "degraded", "answer",
)  # fmt: skip
SAID = ("act", "wants_person", "crisis", "depends", "gates", "label", "verdict", "probability", "provider")
"""What a stage records beside its output and is worth comparing."""


def compare(before: Trace, after: Trace) -> dict[str, Any]:
    """`differences` in the order of the stages, the outcome last; `setup` says what had changed beforehand.

    Each has `stage`, `what`, `before` and `after`; of lists with scores, only the entries that differ. `same` is true
    where there is none. Times, tokens and cost are not compared.
    """
    stages_before, stages_after = _facts(before), _facts(after)
    differences = []
    for stage in dict.fromkeys((*stages_before, *stages_after)):
        then, now = stages_before.get(stage, {}), stages_after.get(stage, {})
        for what in dict.fromkeys((*then, *now)):
            old, new = then.get(what), now.get(what)
            if not _same(old, new):
                differences.append({"stage": stage, "what": what, **_narrowed(old, new)})
    setup = [
        {"what": name, "before": before.get(name), "after": after.get(name)}
        for name in SETUP
        if before.get(name) != after.get(name)
    ]
    return {"same": not differences, "differences": differences, "setup": setup}


def _facts(trace: Trace) -> dict[str, dict[str, Any]]:
    """By stage, what can be compared. A stage that runs twice counts as two."""
    facts: dict[str, dict[str, Any]] = {}
    for stage in trace["stages"]:
        name, again = stage["name"], 1
        while name in facts:
            again += 1
            name = f"{stage['name']} {again}"
        facts[name] = _of_stage(stage)
    facts["outcome"] = {name: trace["outcome"].get(name) for name in RESULT}
    return facts


def _of_stage(stage: Mapping[str, Any]) -> dict[str, Any]:
    values = stage["values"]
    found: dict[str, Any] = {name: values[name] for name in SAID if name in values}
    if stage["name"] == "understand":
        found |= _requests(values.get("requests", []))
    elif stage["name"] == "retrieve":
        found |= _found(values.get("requests", []))
    else:
        found["output"] = stage["output"]
    for inner in every_stage(stage["stages"]):
        if "prompt" in inner:
            prompt = inner["prompt"]
            found[f"prompt {inner['name']}"] = f"{prompt['origin']} {prompt['version']} {prompt['digest']}"
            found[f"model {inner['name']}"] = inner.get("model")
        else:
            found[inner["name"]] = inner["output"]
    if "error" in stage:
        found["error"] = stage["error"]
    return found


def _requests(requests: list[dict[str, Any]]) -> dict[str, Any]:
    """What is asked for, and for every way to understand it the label with its probability."""
    senses = [sense for request in requests for sense in request["senses"]]
    return {
        "requests": [request["text"] for request in requests],
        "labels": {sense["text"]: {sense["label"]: sense["probability"]} for sense in senses},
    }


def _found(requests: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "asked": {request["text"]: request["understood_as"] for request in requests},
        "labels": {request["text"]: request["label"] for request in requests},
        "bands": {request["text"]: {request["band"]: request["probability"]} for request in requests},
        "sections": {one["id"]: one["probability"] for request in requests for one in request["sections"]},
        "passages": {one["id"]: one["final"] for request in requests for one in request["passages"]},
    }


def _narrowed(old: Any, new: Any) -> dict[str, Any]:
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return {"before": old, "after": new}
    keys = [key for key in dict.fromkeys((*old, *new)) if not _same(old.get(key), new.get(key))]
    return {"before": {k: old[k] for k in keys if k in old}, "after": {k: new[k] for k in keys if k in new}}


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return abs(old - new) < CLOSE
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_same(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_same, old, new))
    return bool(old == new)
