"""Fits what tells that a message calls for help for its writer, or for a person to talk to
(`src/handrail/fitted/calls.npz`); needs the torch extra.

    python -m eval.teach.calls

Rows are those of `eval/training/crisis`, a rough copy of each, some of them beside another message, and a part of
`eval/training/intents`, which call for neither. What the encoders that hear messages hold of each word of them is read
once (`--cache`); small networks over it are fitted, and the thresholds are read off rows that were left out. The files
of `eval/datasets/crisis` are never read here. Ten minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handrail.classify.features import as_heard
from handrail.courtesies import without_courtesies
from handrail.local_models import calls
from handrail.local_models.bert import Kept
from handrail.local_models.fetch import locate
from handrail.local_models.manifest import find
from handrail.local_models.onnx import OnnxModel
from handrail.local_models.taught import FOREIGN, FOREIGN_TOKENS, MESSAGE_TOKENS, MESSAGES, load_taught
from handrail.settings import Settings, load_settings

HERE = Path(__file__).parent.parent
ROWS, INTENTS = HERE / "training" / "crisis", HERE / "training" / "intents"
OUT = HERE.parent / "src" / "handrail" / "fitted" / calls.FILE
CRISIS, PERSON = "crisis", "person"
LOOK_ALIKE = {CRISIS: "harmless", PERSON: "not_person"}
UNSURE = ("out_of_scope", "high_stakes")
"""Labels of training messages of which some ask for a person; they say nothing of that."""
LAYERS = (7, 11)
"""Whose states are read, of 0 to 11: what a word means, and what the encoder was taught to hear in it."""
INTENTS_READ = 3000
KEPT = 160
"""Directions of the states that the network learns from."""
LOOKS = 4
BATCH, CHUNK, EPOCHS, RATE, DECAY = 64, 16, 15, 3e-3, 0.05
WEIGHT, HARD = 3.0, 1.5
"""Of a row that calls, and of one that only looks like it, beside others."""
SOFT = 0.02
FALSELY = 0.015
"""Of the look-alikes that were left out, which may be above the threshold."""
FOLDS = 3

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Row:
    kind: str
    """A file of `eval/training/crisis`, or a label."""
    lang: str
    text: str
    group: int
    """That of the row it is a copy of."""
    copy: bool = False


def written() -> list[Row]:
    """As they stand in the files, `language|text` each."""
    lines = [(kind, line) for kind in (*LOOK_ALIKE, *LOOK_ALIKE.values())
             for line in (ROWS / f"{kind}.txt").read_text(encoding="utf-8").splitlines()]  # fmt: skip
    parts = [(kind, *line.partition("|")) for kind, line in lines]
    return [Row(kind, lang, text, group) for group, (kind, lang, _, text) in enumerate(parts)]


def messages(most: int, first_group: int) -> list[Row]:
    """Some of every language."""
    found = []
    for path in sorted(INTENTS.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "label" in row:
                found.append((row["label"], row.get("lang", "en"), row["text"]))
    random.Random(0).shuffle(found)  # noqa: S311
    return [Row(label, lang, text, first_group + at) for at, (label, lang, text) in enumerate(found[:most])]


def copies(rows: Sequence[Row], besides: Sequence[Row]) -> list[Row]:
    """One of each with slips, and half of what is about despair in front of or behind another message."""
    chance, found = random.Random(1), []  # noqa: S311
    for row in rows:
        found.append(Row(row.kind, row.lang, rough(row.text, chance), row.group, True))
        if row.kind in (CRISIS, LOOK_ALIKE[CRISIS]) and chance.random() < 0.5:
            others = [other.text for other in besides if other.lang == row.lang and len(other.text) < 90]
            both = [row.text.rstrip(" .!?"), chance.choice(others or [besides[0].text])]
            chance.shuffle(both)
            found.append(Row(row.kind, row.lang, chance.choice((". ", ", ", " ", "\n")).join(both), row.group, True))
    return found


def rough(text: str, chance: random.Random) -> str:
    """With a slip in every twenty characters, without accents, case or punctuation: each of them sometimes."""
    letters = list(text)
    for _ in range(max(1, len(letters) // 18) if chance.random() < 0.5 else 0):
        at = chance.randrange(len(letters))
        if letters[at].isalpha():
            letters[at] = chance.choice(("", letters[at] * 2, letters[at] + letters[at - 1]))
    text = "".join(letters)
    if chance.random() < 0.3 and not re.search("[\u0400-\u06ff]", text):
        text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    text = text.lower() if chance.random() < 0.5 else text
    text = text.upper() if chance.random() < 0.1 else text
    text = re.sub(r"[.,!?']", "", text) if chance.random() < 0.3 else text
    return text + (chance.choice(("!!", "...", "??", " 😢", " 😭", " :(", " plz")) if chance.random() < 0.3 else "")


@dataclass(frozen=True, slots=True)
class States:
    """`(tokens of all rows, layers * width)`, and where each row begins."""

    values: NDArray[np.float16]
    starts: NDArray[np.int64]


def states(rows: Sequence[Row], kind: str, settings: Settings, cache: Path) -> tuple[States, str]:
    """What the encoder holds of each row's words, and the digest of what it was taught."""
    foreign = kind == calls.FOREIGN
    taught = load_taught(FOREIGN if foreign else MESSAGES)
    spec = find(taught.model, "embedder")
    kept = cache / f"calls_{kind}.npz"
    texts = [as_heard(without_courtesies(row.text)) for row in rows]
    if kept.is_file():
        with np.load(kept) as file:
            if file["texts"].tolist() == texts and str(file["taught"]) == taught.digest:
                return States(file["values"], file["starts"]), taught.digest
    folder = locate(spec, settings.models.folder)
    model = OnnxModel(folder, settings.models.threads, LAYERS, kept=Kept.FIRST_TEXT, delta=taught.delta)
    encodings = model.tokenizer.encode_batch([(spec.query_prefix if foreign else "") + text for text in texts])
    for encoding in encodings:
        encoding.truncate(FOREIGN_TOKENS if foreign else MESSAGE_TOKENS)
    read = model.each(encodings, lambda encoding, outputs: np.concatenate(outputs[1:], axis=1).astype(np.float16))
    found = States(np.concatenate(read), np.cumsum([0, *map(len, read)]))
    cache.mkdir(parents=True, exist_ok=True)
    np.savez(kept, values=found.values, starts=found.starts, texts=np.array(texts), taught=np.array(taught.digest))
    return found, taught.digest


@dataclass(frozen=True, slots=True)
class Directions:
    """The states' main directions, as one linear map."""

    turn: Floats
    shift: Floats

    @classmethod
    def of(cls, values: NDArray[np.float16]) -> Directions:
        some = values[::5].astype(np.float32)
        mean, scale = some.mean(axis=0), some.std(axis=0) + 1e-4
        some = (some - mean) / scale
        sizes, vectors = np.linalg.eigh(some.T @ some / len(some))
        order = np.argsort(-sizes)[:KEPT]
        turn = (vectors[:, order] / np.sqrt(sizes[order] + 0.2 * sizes.mean())) / scale[:, None]
        return cls(turn.astype(np.float32), (-mean @ turn).astype(np.float32))


class Network(nn.Module):  # type: ignore[misc, unused-ignore]
    """As `CallsHead` reads."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.inner, self.looks = nn.Linear(width, hidden), nn.Linear(hidden, LOOKS)
        self.out = nn.Linear(hidden * (LOOKS + 1), 2)
        self.drop_in, self.drop = nn.Dropout(0.15), nn.Dropout(0.3)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        hidden = functional.gelu(self.inner(self.drop_in(states)), approximate="tanh")
        outside = ~mask[..., None]
        shares = self.looks(hidden).masked_fill(outside, -1e4).softmax(1)
        means = torch.einsum("btk,bth->bkh", shares, hidden).flatten(1)
        highest = hidden.masked_fill(outside, -1e4).amax(1)
        return self.out(self.drop(torch.cat([means, highest], 1)))


class Fitting:
    def __init__(self, rows: Sequence[Row], read: States, hidden: int, nets: int) -> None:
        self.rows, self.hidden, self.nets = rows, hidden, nets
        self.directions = Directions.of(read.values)
        turned = read.values.astype(np.float32) @ self.directions.turn + self.directions.shift
        self._states, self._starts = torch.from_numpy(turned), read.starts
        self._lengths = np.diff(read.starts)
        kinds = np.array([row.kind for row in rows])
        self.kinds = kinds
        self._aims = torch.from_numpy(np.stack([kinds == CRISIS, kinds == PERSON], 1)).float()
        weights = np.ones((len(rows), 2), np.float32)
        weights[np.isin(kinds, list(LOOK_ALIKE.values()))] = HARD
        weights[np.isin(kinds, UNSURE), 1] = 0.0
        for at, kind in enumerate(LOOK_ALIKE):
            weights[kinds == kind, at] = WEIGHT
        self._weights = torch.from_numpy(weights)

    def networks(self, places: NDArray[np.int64]) -> list[Network]:
        return [self._network(places, seed) for seed in range(self.nets)]

    def _network(self, places: NDArray[np.int64], seed: int) -> Network:
        torch.manual_seed(seed)
        chance, network = np.random.default_rng(seed), Network(KEPT, self.hidden)
        steps = EPOCHS * (len(places) // BATCH + CHUNK)
        optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
        for _ in range(EPOCHS):
            for batch in self._batches(places, chance):
                aims = self._aims[batch] * (1 - 2 * SOFT) + SOFT
                loss = functional.binary_cross_entropy_with_logits(network(*self._given(batch)), aims, reduction="none")
                optimiser.zero_grad()
                (loss * self._weights[batch]).mean().backward()
                optimiser.step()
                rates.step()
        network.eval()
        return network

    @torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
    def logits(self, networks: Sequence[Network], places: NDArray[np.int64]) -> Floats:
        found = np.zeros((len(self.rows), 2), np.float32)
        for at in range(0, len(places), 128):
            given = self._given(places[at : at + 128])
            found[places[at : at + 128]] = torch.stack([network(*given) for network in networks]).mean(0).numpy()
        return found[places]

    def _batches(self, places: NDArray[np.int64], chance: np.random.Generator) -> list[NDArray[np.int64]]:
        mixed, found = chance.permutation(places), []
        for start in range(0, len(mixed), BATCH * CHUNK):
            near = mixed[start : start + BATCH * CHUNK]
            near = near[np.argsort(self._lengths[near], kind="stable")]
            found += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
        return [found[at] for at in chance.permutation(len(found))]

    def _given(self, places: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        longest = int(self._lengths[places].max())
        padded, mask = torch.zeros(len(places), longest, KEPT), torch.zeros(len(places), longest, dtype=torch.bool)
        for row, place in enumerate(places):
            size = self._lengths[place]
            padded[row, :size] = self._states[self._starts[place] : self._starts[place] + size]
            mask[row, :size] = True
        return padded, mask

    def left_out(self) -> Floats:
        """Logits of each row by networks that saw no copy of it."""
        folds = np.array([row.group * 7919 for row in self.rows]) % FOLDS
        found = np.zeros((len(self.rows), 2), np.float32)
        for fold in range(FOLDS):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            found[outside] = self.logits(self.networks(inside), outside)
        return found

    def thresholds(self, logits: Floats) -> list[float]:
        """Above which so few look-alikes are, as they are written, copies aside."""
        whole = np.array([not row.copy for row in self.rows])
        found = []
        for at, (kind, other) in enumerate(LOOK_ALIKE.items()):
            calling, look_alikes = (logits[whole & (self.kinds == name), at] for name in (kind, other))
            plain = logits[whole & ~np.isin(self.kinds, [*LOOK_ALIKE, *LOOK_ALIKE.values(), *UNSURE]), at]
            found.append(float(np.quantile(look_alikes, 1 - FALSELY)))
            print(
                f"  {kind}: left out, above {found[-1]:.2f} are {(calling > found[-1]).mean():.3f} of {len(calling)}, "
                f"{(look_alikes > found[-1]).mean():.3f} of {len(look_alikes)} look-alikes and "
                f"{(plain > found[-1]).mean():.4f} of {len(plain)} other messages",
                flush=True,
            )
        return found

    def arrays(self, networks: Sequence[Network], thresholds: Sequence[float]) -> dict[str, Floats]:
        """In half precision, the directions within the first layer, the thresholds within the last."""
        turn, shift = torch.from_numpy(self.directions.turn), torch.from_numpy(self.directions.shift)
        parts: dict[str, list[Tensor]] = {part: [] for part in calls.PARTS}
        for network in networks:
            inner = network.inner.weight.T
            parts["inner"].append(turn @ inner)
            parts["inner_bias"].append(shift @ inner + network.inner.bias)
            parts["looks"].append(network.looks.weight.T)
            parts["looks_bias"].append(network.looks.bias)
            parts["out"].append(network.out.weight.T)
            parts["out_bias"].append(network.out.bias - torch.tensor(thresholds))
        return {part: torch.stack(found).detach().numpy().astype(np.float16) for part, found in parts.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=HERE.parent / "var", help="where the encoders' states are kept")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    settings, rows = load_settings(), written()
    others = messages(INTENTS_READ, len(rows))
    rows += [*copies(rows, others), *others]
    arrays: dict[str, NDArray[np.generic]] = {}
    for kind, hidden, nets in ((calls.FOREIGN, 28, 3), (calls.ENGLISH, 16, 2)):
        asked = rows if kind == calls.FOREIGN else [row for row in rows if row.lang == "en"]
        read, taught = states(asked, kind, settings, given.cache)
        print(f"{kind}: {len(asked)} rows", flush=True)
        fitting = Fitting(asked, read, hidden, nets)
        thresholds = fitting.thresholds(fitting.left_out())
        fitted = fitting.arrays(fitting.networks(np.arange(len(asked))), thresholds)
        arrays |= {f"{kind}.{part}": values for part, values in fitted.items()}
        arrays |= {f"{kind}.layers": np.array(LAYERS), f"{kind}.taught": np.array(taught)}
    np.savez_compressed(given.out, allow_pickle=False, **arrays)


if __name__ == "__main__":
    main()
