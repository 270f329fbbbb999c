"""The last results of a model: popular questions, regenerated answers and the sentences they quote come again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)
R = TypeVar("R")


class Remembered(Generic[T, R]):
    """Up to `most` results by a digest of what they were made from, the longest unused forgotten first.

    The texts themselves are not kept. For use from one thread.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[bytes, R] = OrderedDict()

    def of(self, items: Sequence[T]) -> dict[T, R]:
        """The results that are known."""
        known: dict[T, R] = {}
        for item in items if self._kept else ():
            key = _digest(item)
            if key in self._kept:
                self._kept.move_to_end(key)
                known[item] = self._kept[key]
        return known

    def keep(self, found: Mapping[T, R]) -> None:
        for item, result in found.items() if self._most else ():
            self._kept[_digest(item)] = result
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _digest(item: Hashable) -> bytes:
    return blake2b(repr(item).encode("utf-8", "surrogatepass"), digest_size=16).digest()
