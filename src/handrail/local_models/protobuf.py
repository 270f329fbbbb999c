"""As much of Protocol Buffers as ONNX files need: reading fields, and writing messages."""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Field numbers with their values, in order; those of a fixed size come as their bytes.

    Raises ValueError when it is no message.
    """
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == BYTES:
            size, at = _varint(message, at)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"no Protocol Buffers message: wire type {kind}")
        if at + size > len(message):
            raise ValueError("no Protocol Buffers message: it ends too early")
        yield tag >> 3, message[at : at + size]
        at += size


def varints(packed: memoryview) -> list[int]:
    found, at = [], 0
    while at < len(packed):
        value, at = _varint(packed, at)
        found.append(value)
    return found


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("no Protocol Buffers message: a number without an end")


def number(field: int, value: int) -> bytes:
    """Negative ones take ten bytes, as they do in Protocol Buffers."""
    return _encoded(field << 3 | VARINT) + _encoded(value & (2**64 - 1))


def real(field: int, value: float) -> bytes:
    return _encoded(field << 3 | FIXED32) + struct.pack("<f", value)


def text(field: int, value: str) -> bytes:
    return nested(field, value.encode())


def nested(field: int, value: bytes) -> bytes:
    return b"".join((_encoded(field << 3 | BYTES), _encoded(len(value)), value))


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
