"""Fits the heads that understand a message (`src/handrail/models/bundle/understand.npz`); needs the torch extra.

    python -m training.heads [--only foreign] [--beside FILE]

The encoders that hear messages read every labelled row once; what they have read is kept (`--cache`). Small networks
over their token states learn all outputs together: each row trains those that it has a label for. Temperatures and
thresholds come from rows that were left out of training. Held-out files are never read here. Half an hour on two
cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handrail.models import understands
from handrail.models.bert import Kept
from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.models.onnx import OnnxModel
from handrail.models.taught import FOREIGN, FOREIGN_TOKENS, MESSAGE_TOKENS, MESSAGES, load_taught
from handrail.settings import Settings, load_settings
from handrail.understand.classify.encoder import encoder_text
from training.labelled import ACTS, CRISIS, FLAGS, MATTERS, REFUSES, ROOT, Row, labelled

OUT = ROOT / "src" / "handrail" / "models" / "bundle" / understands.FILE
LAYERS = {understands.FOREIGN: (3, 5, 7, 11), understands.ENGLISH: (5, 7, 11)}
"""Whose states are read, of 0 to 11: lower ones hold words, the last what it was taught to hear."""
SIZES = {understands.FOREIGN: (40, 3), understands.ENGLISH: (24, 2)}
"""Hidden units of each network, and networks, by encoder."""
KEPT = 160
"""Directions of the states that the networks learn from."""
GROUPS = (len(ACTS), len(FLAGS), len(MATTERS))
LOOKS, OUTPUTS = 4, sum(GROUPS)
BATCH, CHUNK, EPOCHS, RATE, DECAY = 96, 12, 14, 4e-3, 0.05
SOFT = 0.02
OF_MATTERS = 2.0
"""Weight of what kind of matter a serious message is: few rows say."""
FOLDS = 3
FALSELY = {CRISIS: ("harmless", 0.03), REFUSES: ("acts", 0.01)}
"""Rows that look like a yes and are none, and the share of them that may be above the threshold."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class States:
    """`(tokens of all rows, layers * width)`, and where each row begins."""

    values: NDArray[np.float16]
    starts: NDArray[np.int64]


def states(rows: Sequence[Row], kind: str, settings: Settings, cache: Path) -> tuple[States, str]:
    """What the encoder holds of each row's words, and the digest of what it was taught."""
    foreign = kind == understands.FOREIGN
    taught = load_taught(FOREIGN if foreign else MESSAGES)
    spec = find(taught.model, "embedder")
    kept = cache / f"understand_{kind}.npz"
    texts = [encoder_text(row.text) for row in rows]
    known = _kept(kept, kind, taught.digest)
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if not missing:
        return _joined(texts, known), taught.digest
    folder = locate(spec, settings.models.folder)
    model = OnnxModel(folder, settings.models.threads, LAYERS[kind], kept=Kept.FIRST_TEXT, delta=taught.delta)
    encodings = model.tokenizer.encode_batch([(spec.query_prefix if foreign else "") + text for text in missing])
    for encoding in encodings:
        encoding.truncate(FOREIGN_TOKENS if foreign else MESSAGE_TOKENS)
    read = model.each(encodings, lambda encoding, outputs: np.concatenate(outputs[1:], axis=1).astype(np.float16))
    found = _joined(texts, known | dict(zip(missing, read, strict=True)))
    cache.mkdir(parents=True, exist_ok=True)
    of = {"texts": np.array(texts), "taught": np.array(taught.digest), "layers": np.array(LAYERS[kind])}
    np.savez(kept, values=found.values, starts=found.starts, allow_pickle=False, **of)
    return found, taught.digest


def _kept(path: Path, kind: str, taught: str) -> dict[str, NDArray[np.float16]]:
    """The states of texts that this encoder has read before."""
    if not path.is_file():
        return {}
    with np.load(path) as file:
        if file["layers"].tolist() != list(LAYERS[kind]) or str(file["taught"]) != taught:
            return {}
        parts = np.split(file["values"], file["starts"][1:-1])
        return dict(zip(file["texts"].tolist(), parts, strict=True))


def _joined(texts: Sequence[str], known: Mapping[str, NDArray[np.float16]]) -> States:
    read = [known[text] for text in texts]
    return States(np.concatenate(read), np.cumsum([0, *map(len, read)]))


@dataclass(frozen=True, slots=True)
class Directions:
    """The states' main directions, as one linear map."""

    turn: Floats
    shift: Floats

    @classmethod
    def of(cls, values: NDArray[np.float16]) -> Directions:
        some = values[::16].astype(np.float32)
        mean, scale = some.mean(axis=0), some.std(axis=0) + 1e-4
        some = (some - mean) / scale
        sizes, vectors = np.linalg.eigh(some.T @ some / len(some))
        order = np.argsort(-sizes)[:KEPT]
        turn = (vectors[:, order] / np.sqrt(sizes[order] + 0.2 * sizes.mean())) / scale[:, None]
        return cls(turn.astype(np.float32), (-mean @ turn).astype(np.float32))


class Networks(nn.Module):  # type: ignore[misc, unused-ignore]
    """Several that learn side by side and share nothing, as `UnderstandingHead` reads them."""

    def __init__(self, nets: int, hidden: int) -> None:
        super().__init__()
        self.inner, self.inner_bias = _layer(nets, KEPT, hidden)
        self.looks, self.looks_bias = _layer(nets, hidden, LOOKS)
        self.out, self.out_bias = _layer(nets, hidden * (LOOKS + 1), OUTPUTS)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """`(networks, rows, outputs)` of `(rows, tokens, KEPT)`."""
        given = self._dropped(states, 0.15)
        hidden = torch.einsum("btk,nkh->nbth", given, self.inner) + self.inner_bias[:, None, None]
        hidden = functional.gelu(hidden, approximate="tanh")
        outside = ~mask[None, ..., None]
        looks = torch.einsum("nbth,nhl->nbtl", hidden, self.looks) + self.looks_bias[:, None, None]
        means = torch.einsum("nbtl,nbth->nblh", looks.masked_fill(outside, -1e4).softmax(2), hidden).flatten(2)
        highest = hidden.masked_fill(outside, -1e4).amax(2)
        read = self._dropped(torch.cat([means, highest], 2), 0.3)
        return torch.einsum("nbh,nho->nbo", read, self.out) + self.out_bias[:, None]

    def _dropped(self, values: Tensor, share: float) -> Tensor:
        return functional.dropout(values, share, self.training)


def _layer(nets: int, width: int, outputs: int) -> tuple[nn.Parameter, nn.Parameter]:
    most = width**-0.5
    weights, bias = torch.empty(nets, width, outputs), torch.empty(nets, outputs)
    return nn.Parameter(weights.uniform_(-most, most)), nn.Parameter(bias.uniform_(-most, most))


class Fitting:
    def __init__(self, rows: Sequence[Row], read: States, hidden: int, nets: int) -> None:
        self.rows, self.hidden, self.nets = rows, hidden, nets
        self.directions = Directions.of(read.values)
        turned = read.values.astype(np.float32) @ self.directions.turn + self.directions.shift
        self._states, self._starts = torch.from_numpy(turned), torch.from_numpy(read.starts)
        self._lengths = np.diff(read.starts)
        self.allowed = np.array([[act in row.acts for act in ACTS] for row in rows])
        self.said = np.array([[flag in row.flags for flag in FLAGS] for row in rows])
        self.aims = np.array([[flag in row.flags and row.flags[flag].yes for flag in FLAGS] for row in rows])
        weights = [[row.flags[flag].weight if flag in row.flags else 0.0 for flag in FLAGS] for row in rows]
        self.flag_weights = np.array(weights, dtype=np.float32)
        self.told = np.array([row.matter is not None for row in rows])
        self.matters = np.array([MATTERS.index(row.matter) if row.matter is not None else 0 for row in rows])
        self.act_weights = np.array([row.act_weight if row.acts else 0.0 for row in rows], dtype=np.float32)

    def networks(self, places: NDArray[np.int64]) -> Networks:
        torch.manual_seed(0)
        chance, networks = np.random.default_rng(0), Networks(self.nets, self.hidden)
        optimiser = torch.optim.AdamW(networks.parameters(), RATE, weight_decay=DECAY)
        steps = EPOCHS * (len(places) // BATCH + CHUNK)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
        for _ in range(EPOCHS):
            for batch in self._batches(places, chance):
                optimiser.zero_grad()
                self._loss(networks(*self._given(batch)), batch).backward()
                optimiser.step()
                rates.step()
        networks.eval()
        return networks

    def _loss(self, logits: Tensor, batch: NDArray[np.int64]) -> Tensor:
        acts, flags, matters = logits.split(GROUPS, dim=2)
        sure, outside = acts.log_softmax(2), torch.from_numpy(~self.allowed[batch])
        acting = -(1 - SOFT) * sure.masked_fill(outside, -1e4).logsumexp(2) - SOFT * sure.mean(2)
        aims = (torch.from_numpy(self.aims[batch]).float() * (1 - 2 * SOFT) + SOFT).expand_as(flags)
        flagging = functional.binary_cross_entropy_with_logits(flags, aims, reduction="none")
        act_weights, flag_weights = (torch.from_numpy(each[batch]) for each in (self.act_weights, self.flag_weights))
        about = torch.from_numpy(self.matters[batch]).expand(len(matters), -1)
        telling = functional.cross_entropy(matters.movedim(2, 1), about, reduction="none", label_smoothing=SOFT)
        telling = telling * torch.from_numpy(self.told[batch]) * OF_MATTERS
        return ((acting * act_weights).sum() + (flagging * flag_weights).sum() + telling.sum()) / len(batch)

    @torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
    def logits(self, networks: Networks, places: NDArray[np.int64]) -> Floats:
        found = [networks(*self._given(places[at : at + 128])).mean(0) for at in range(0, len(places), 128)]
        return np.concatenate([each.numpy() for each in found])

    def _batches(self, places: NDArray[np.int64], chance: np.random.Generator) -> list[NDArray[np.int64]]:
        """Rows of about one length together."""
        mixed, found = chance.permutation(places), []
        for start in range(0, len(mixed), BATCH * CHUNK):
            near = mixed[start : start + BATCH * CHUNK]
            near = near[np.argsort(self._lengths[near], kind="stable")]
            found += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
        return [found[at] for at in chance.permutation(len(found))]

    def _given(self, places: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        lengths = torch.from_numpy(self._lengths[places])
        tokens = torch.arange(int(lengths.max()))
        mask = tokens < lengths[:, None]
        at = self._starts[torch.from_numpy(places)][:, None] + torch.where(mask, tokens, 0)
        return self._states[at], mask

    def left_out(self) -> Floats:
        """Logits of each row by networks that saw no copy of it."""
        folds = np.array([row.group * 7919 for row in self.rows]) % FOLDS
        found = np.zeros((len(self.rows), OUTPUTS), np.float32)
        for fold in range(FOLDS):
            inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            found[outside] = self.logits(self.networks(inside), outside)
        return found


@dataclass(frozen=True, slots=True)
class Scale:
    """What makes logits probabilities: `(logits - shift) * scale`."""

    shift: Floats
    scale: Floats

    @classmethod
    def of(cls, fitting: Fitting, logits: Floats) -> Scale:
        """Of rows as they were written, by networks that did not see them."""
        whole = np.array([not row.copy for row in fitting.rows])
        sources = np.array([row.source for row in fitting.rows])
        shift, scale = (np.full(OUTPUTS, value, np.float32) for value in (0.0, 1.0))
        acted = whole & (fitting.allowed.sum(axis=1) == 1)
        scale[: len(ACTS)] = _temperature(logits[acted, : len(ACTS)], fitting.allowed[acted].argmax(axis=1))
        rows = whole & (sources == "acts")
        _tell(ACTS, fitting.allowed[rows].argmax(axis=1), logits[rows, : len(ACTS)].argmax(axis=1))
        rows, place = whole & fitting.told, OUTPUTS - len(MATTERS)
        scale[place:] = _temperature(logits[rows, place:], fitting.matters[rows])
        _tell(MATTERS, fitting.matters[rows], logits[rows, place:].argmax(axis=1))
        for at, flag in enumerate(FLAGS):
            said, place = whole & fitting.said[:, at], len(ACTS) + at
            values, aims = logits[said, place], fitting.aims[said, at]
            scale[place], shift[place] = _line(values, aims, fitting.flag_weights[said, at])
            if flag in FALSELY:
                source, share = FALSELY[flag]
                shift[place] = np.quantile(values[~aims & (sources[said] == source)], 1 - share)
            above, alike = values > shift[place], sources[said]
            print(
                f"  {flag}: above {shift[place]:.2f} are {above[aims].mean():.3f} of {aims.sum()}; falsely "
                + ", ".join(
                    f"{above[~aims & (alike == each)].mean():.4f} of {(~aims & (alike == each)).sum()} {each}"
                    for each in dict.fromkeys(alike[~aims])
                ),
                flush=True,
            )
        return cls(shift, scale)


def _tell(names: Sequence[str], meant: NDArray[np.int64], taken: NDArray[np.int64]) -> None:
    for at, name in enumerate(names):
        right = (meant == at) & (taken == at)
        recall, precision = right.sum() / (meant == at).sum(), right.sum() / max(1, (taken == at).sum())
        print(f"  {name}: recall {recall:.3f}, precision {precision:.3f} of {(meant == at).sum()} left out", flush=True)


def _temperature(logits: Floats, meant: NDArray[np.int64]) -> float:
    """The factor under which the rows are likeliest (Guo and others, 2017)."""
    scale = torch.ones(1, requires_grad=True)
    aims, values = torch.from_numpy(meant), torch.from_numpy(logits)
    optimiser = torch.optim.LBFGS([scale], max_iter=100)

    def step() -> Tensor:
        optimiser.zero_grad()
        loss = functional.cross_entropy(values * scale, aims)
        loss.backward()
        return loss

    optimiser.step(step)
    return float(scale.detach())


def _line(values: Floats, aims: NDArray[np.bool_], weights: Floats) -> tuple[float, float]:
    """Platt's scale, and the logit that is even."""
    line = torch.tensor([1.0, 0.0], requires_grad=True)
    given, wanted, counts = torch.from_numpy(values), torch.from_numpy(aims).float(), torch.from_numpy(weights)
    optimiser = torch.optim.LBFGS([line], max_iter=200)

    def step() -> Tensor:
        optimiser.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(given * line[0] + line[1], wanted, counts)
        loss.backward()
        return loss

    optimiser.step(step)
    scale, bias = line.detach().tolist()
    return scale, -bias / scale


@torch.no_grad()  # type: ignore[untyped-decorator, unused-ignore]
def arrays(fitting: Fitting, networks: Networks, scale: Scale) -> dict[str, NDArray[np.float16]]:
    """In half precision, the directions within the first layer, temperatures and thresholds within the last."""
    turn, shift = torch.from_numpy(fitting.directions.turn), torch.from_numpy(fitting.directions.shift)
    factors, shifts = torch.from_numpy(scale.scale), torch.from_numpy(scale.shift)
    parts = {
        "inner": turn @ networks.inner,
        "inner_bias": shift @ networks.inner + networks.inner_bias,
        "looks": networks.looks,
        "looks_bias": networks.looks_bias,
        "out": networks.out * factors,
        "out_bias": (networks.out_bias - shifts) * factors,
    }
    return {part: values.numpy().astype(np.float16) for part, values in parts.items()}


def _together(before: NDArray[np.float16], new: NDArray[np.float16], share: float) -> NDArray[np.float16]:
    """Both fits, scaled so that the mean over all networks counts the new ones by `share`."""
    return np.concatenate([before * np.float16(2 * (1 - share)), new * np.float16(2 * share)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=ROOT / "var", help="where the encoders' states are kept")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", choices=tuple(SIZES), help="fit this encoder's; what `--out` has of the other stays")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--beside", type=Path, help="an earlier fit of as many networks, which stay")
    parser.add_argument("--share", type=float, default=0.5, help="how much the new networks count beside them")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    settings, rows = load_settings(), labelled()
    kept: dict[str, NDArray[np.generic]] = {}
    if given.only is not None:
        with np.load(given.out) as before:
            kept |= before
    kept |= {"acts": np.array(ACTS), "matters": np.array(MATTERS)}
    for kind, (hidden, nets) in SIZES.items():
        if given.only not in (None, kind):
            continue
        asked = rows if kind == understands.FOREIGN else [row for row in rows if row.lang == "en"]
        read, taught = states(asked, kind, settings, given.cache)
        print(f"{kind}: {len(asked)} rows", flush=True)
        fitting = Fitting(asked, read, hidden, nets)
        scale = Scale.of(fitting, fitting.left_out())
        fitted = arrays(fitting, fitting.networks(np.arange(len(asked))), scale)
        if given.beside is not None:
            with np.load(given.beside) as before:
                fitted = {
                    part: _together(before[f"{kind}.{part}"], new, given.share if part.startswith("out") else 0.5)
                    for part, new in fitted.items()
                }
        kept |= {f"{kind}.{part}": values for part, values in fitted.items()}
        kept |= {f"{kind}.layers": np.array(LAYERS[kind]), f"{kind}.taught": np.array(taught)}
    np.savez_compressed(given.out, allow_pickle=False, **kept)


if __name__ == "__main__":
    main()
