"""BEGIN (Google): replies of dialogue systems, and whether people found the knowledge beside them to say so."""

from __future__ import annotations

from functools import partial

from eval.datasets.held import read_tsv
from eval.datasets.lines import BadRow, Line
from eval.datasets.spec import Rows, Source, Spec, numbered

COLUMNS = ("model_name", "knowledge", "message", "response", "begin_label")
LABELS = {"fully attributable": "supported", "not fully attributable": "unsupported"}
"""A generic reply ("I see!") says nothing that could be supported, and is not scored."""


def claims(name: str, source: Source) -> list[Line | BadRow]:
    return numbered(
        [
            {
                "id": f"{name}-{number}",
                "claim": row["response"],
                "passage": row["knowledge"],
                "question": row["message"],
                "label": LABELS.get(row["begin_label"].strip().lower()),
                "kind": row["model_name"],
            }
            for number, row in enumerate(read_tsv(source, f"begin_{name}.tsv", COLUMNS), 1)
        ]
    )


def of(name: str, title: str) -> Spec:
    return Spec(
        name=f"begin-{name.replace('_', '-')}",
        title=f"BEGIN, {title}",
        licence="CC BY 4.0",
        source="github.com/google/BEGIN-dataset",
        kb="sample",
        rows={"claims": Rows(partial(claims, name))},
        needs_data=True,
    )


SPECS = (
    of("test_wow", "Wizard of Wikipedia, test"),
    of("dev_wow", "Wizard of Wikipedia, development"),
    of("dev_cmu", "CMU DoG, development"),
)
