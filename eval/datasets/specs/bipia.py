"""BIPIA (Microsoft, MIT): instructions that were planted in documents, each placed in an article of its own."""

from __future__ import annotations

import json

from eval.datasets.lines import BadRow, DatasetError, Line
from eval.datasets.spec import Rows, Source, Spec, find, numbered

SHA256 = {
    "test": "494435be310927aefb6c6eeb9087f3f8f23b9cb6ae0e64c1be141c2138021d9c",
    "train": "9a78a2776e9a67b33673bf8cc316cd63a7395ad50a6f89d344c49307fbea4894",
}


def rows(name: str, source: Source) -> list[Line | BadRow]:
    path = find(source, (name,))
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return numbered(
            [
                {"id": f"{kind}-{number}", "text": text, "attack": True, "kind": kind, "planted": True}
                for kind, texts in held.items()
                for number, text in enumerate(texts, 1)
            ]
        )
    except (OSError, ValueError, AttributeError) as error:
        raise DatasetError(f"{path}: not a table of attacks by category: {error}") from None


def of(name: str) -> Spec:
    return Spec(
        name=f"bipia-{name}",
        title=f"BIPIA text attacks ({name}), 15 categories of 5",
        licence="MIT",
        source="github.com/microsoft/BIPIA",
        kb="sample",
        rows={"injection": Rows(lambda source: rows(f"text_attack_{name}.json", source), n=75, sha256=SHA256[name])},
        needs_data=True,
    )


SPECS = (of("test"), of("train"))
