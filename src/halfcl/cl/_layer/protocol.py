"""Messages between the layer and its translator: fields of a key and bytes, both ways.

A message is the number of fields (u32), then for each field its length (u64) and its bytes, in
little-endian order. A field is its key, a zero byte and its value.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False  # importing typing would take as long as an answer from the cache

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol, TypeAlias

    Fields: TypeAlias = Mapping[str, bytes]

    class Reader(Protocol):
        """A stream of bytes that may return fewer than asked for only at its end."""

        def read(self, size: int, /) -> bytes: ...


#: The number that the answer to "hello" has.
VERSION = "1"

#: Limits on a message; the layer has the same.
MOST_FIELDS, MOST_BYTES = 65_536, 1 << 30

#: How much is read at once, so that a wrong length allocates nothing.
_PIECE = 1 << 20

_COUNT, _LENGTH = struct.Struct("<I"), struct.Struct("<Q")


class Suppress:
    """contextlib.suppress, whose module takes a quarter of the time of a cached answer."""

    def __init__(self, error: type[BaseException]) -> None:
        self._error = error

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is not None and issubclass(kind, self._error)


class ProtocolError(Exception):
    """A message that is malformed, after which the stream cannot be read on."""


def encode(fields: Fields) -> bytes:
    """Return a message."""
    pieces = [_COUNT.pack(len(fields))]
    for key, value in fields.items():
        name = key.encode("utf-8", "surrogateescape")
        pieces += [_LENGTH.pack(len(name) + 1 + len(value)), name, b"\0", value]
    return b"".join(pieces)


def read_message(stream: Reader) -> dict[str, bytes] | None:
    """Read a message; return None at the end of the stream, also within a message."""
    head = _read(stream, _COUNT.size)
    if head is None:
        return None
    (count,) = _COUNT.unpack(head)
    if count > MOST_FIELDS:
        raise ProtocolError(f"expected at most {MOST_FIELDS} fields, got {count}")
    fields: dict[str, bytes] = {}
    size = 0
    for _ in range(count):
        head = _read(stream, _LENGTH.size)
        if head is None:
            return None
        (length,) = _LENGTH.unpack(head)
        size += length
        if size > MOST_BYTES:
            raise ProtocolError(f"expected at most {MOST_BYTES} bytes, got {size}")
        field = _read(stream, length)
        if field is None:
            return None
        name, has_value, value = field.partition(b"\0")
        key = name.decode("utf-8", "surrogateescape")
        if not has_value or key in fields:
            what = "twice" if has_value else "without a value"
            raise ProtocolError(f"expected each field once, with a value, got {key!r} {what}")
        fields[key] = value
    return fields


def _read(stream: Reader, size: int) -> bytes | None:
    """Read exactly so many bytes; None if the stream ends before."""
    pieces: list[bytes] = []
    while size:
        piece = stream.read(min(size, _PIECE))
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
