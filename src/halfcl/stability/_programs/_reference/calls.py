"""Answers for rewritten code in a reference run (see `source`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol, TypeGuard

import numpy as np

from halfcl.stability._programs._reference.reading import NARROW, Numbers, Reader

_HALF_BYTES = 2

#: What a program compares with, and what the wide type is called there.
_NAMES = {"float16", "half"}


class _HasItemSize(Protocol):
    @property
    def itemsize(self) -> object: ...


class _HasBytes(Protocol):
    @property
    def nbytes(self) -> object: ...


class TypeTable(dict[object, object]):
    """A dict whose keys are types: for the wide type it has what half has.

    pairs: its keys and values. reader: notes where the program asks for the wide type, if that is a
    key, too: it may be a half's or not.
    """

    def __init__(self, pairs: Iterable[tuple[object, object]], reader: Reader):
        pairs = list(pairs)
        super().__init__(pairs)
        self._reader = reader
        wide = np.dtype(reader.wide)
        self._halves = {same: value for key, value in pairs for same in self._same_as(key, wide)}
        others = [key for key, _ in pairs if not self._same_as(key, wide)]
        self._ambiguous = [key for key in self._halves if key in others]

    def _same_as(self, key: object, wide: np.dtype[Any]) -> list[object]:
        """Return the keys by which a program may look for a key of half."""
        if key is self._reader.half:
            return [wide.type]
        if isinstance(key, np.dtype):
            return [wide] if NARROW in (key.metadata or ()) else []
        return [wide.name] if isinstance(key, str) and key == "float16" else []

    def _is_halves(self, key: object) -> bool:
        if not self._halves or not isinstance(key, type | np.dtype | str):
            return False
        if key in self._ambiguous:
            self._reader.leaks.note("it tells halves from wider numbers")
        return key in self._halves

    def __getitem__(self, key: object) -> object:
        return self._halves[key] if self._is_halves(key) else super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return self._is_halves(key) or super().__contains__(key)

    def get(self, key: object, default: object = None) -> object:
        """Return the value of a key, or another one if there is none."""
        return self._halves[key] if self._is_halves(key) else super().get(key, default)

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return dict, (dict(self),)


class Calls:
    """Methods for expressions of a program whose results show how wide half is."""

    def __init__(self, reader: Reader):
        self._reader = reader
        wide = np.dtype(reader.wide)
        self._names = {wide.name: _NAMES, wide.char: {"e"}, wide.str: {"<f2", "f2"}}

    # ------------------------------------------------------------ types

    def type_of(self, text: str) -> object:
        """Return the stand-in for half, or its dtype in another byte order."""
        if text[0] != ">":
            return self._reader.half
        wide = np.dtype(self._reader.wide).newbyteorder(">")
        return np.dtype(wide, metadata={NARROW: np.dtype(">f2")})

    def types_of(self, text: str) -> object:
        """Return the dtype of several fields, such as "f2,i4"."""
        try:
            return self._reader.dtype(np.dtype(text))
        except TypeError:
            return text

    def table(self, *pairs: tuple[Any, Any]) -> dict[Any, Any]:
        """Return a dict with half's type, dtype or name among its keys."""
        return TypeTable(pairs, self._reader)

    def dtype_by(self, function: object) -> object:
        """Return a function that makes dtypes in place of `numpy.dtype`; others as they are."""
        return self._reader.dtype if function is np.dtype else function

    # ------------------------------------------------------------ bytes

    def _takes(self, x: object) -> TypeGuard[Numbers]:
        return isinstance(x, np.ndarray | np.generic)

    def view(self, x: object, *args: object, **keywords: object) -> object:
        """Return `x.view(...)`, of an array."""
        if self._takes(x):
            return self._reader.view(x, *args, **keywords)
        return _method(x, "view")(*args, **keywords)

    def tobytes(self, x: object, *args: object, **keywords: object) -> object:
        """Return `x.tobytes(...)`, with two bytes for each half."""
        if self._takes(x) and self._reader.is_wide(x):
            return self._reader.tobytes(x, *args, **keywords)
        return _method(x, "tobytes")(*args, **keywords)

    def tofile(self, x: object, *args: object, **keywords: object) -> object:
        """Return `x.tofile(...)`."""
        if self._takes(x) and self._reader.is_wide(x):
            self._reader.tofile(x, *args, **keywords)
            return None
        return _method(x, "tofile")(*args, **keywords)

    def itemsize(self, x: _HasItemSize) -> object:
        """Return `x.itemsize`, of a half if it is of the wide type."""
        is_wide = getattr(getattr(x, "dtype", x), "type", None) is self._reader.wide
        return _HALF_BYTES if is_wide else x.itemsize

    def nbytes(self, x: _HasBytes) -> object:
        """Return `x.nbytes`, of halves if they are of the wide type."""
        if self._takes(x) and self._reader.is_wide(x):
            return x.size * _HALF_BYTES
        return x.nbytes

    def write(self, x: object, *args: object, **keywords: object) -> object:
        """Return `x.write(...)`, of a file that may get an array of halves."""
        return _method(x, "write")(*map(self._narrow_bytes, args), **keywords)

    def raw_by(self, function: Callable[..., object]) -> object:
        """Return a function of bytes, such as `memoryview`, that takes halves with two each."""
        return lambda *args, **keywords: function(*map(self._narrow_bytes, args), **keywords)

    def _narrow_bytes(self, x: object) -> object:
        if not (isinstance(x, np.ndarray) and self._reader.is_wide(x)):
            return x
        self._reader.leaks.note("it uses the bytes of halves")
        return self._reader.to_halves(x).view(np.uint16)

    def memory(self, x: object, name: str) -> object:
        """Return an attribute of an array that gives access to its memory."""
        is_plain = isinstance(x, np.ndarray) and not hasattr(x, "mask")
        if is_plain and self._reader.is_wide(x):
            self._reader.leaks.note("it uses the memory of halves")
        return getattr(x, name)

    # ------------------------------------------------------------ comparisons

    def equals(self, x: object, y: object) -> object:
        """Return `x == y`; the wide type has half's names."""
        return self._is_named(x, y) or self._is_named(y, x) or self.is_same(x, y) or x == y

    def differs(self, x: object, y: object) -> object:
        """Return `x != y`."""
        if self._is_named(x, y) or self._is_named(y, x) or self.is_same(x, y):
            return False
        return x != y

    def contains(self, x: object, y: Collection[object]) -> object:
        """Return `x in y`."""
        if x in y:
            return True
        if isinstance(y, str):
            return x in _NAMES and np.dtype(self._reader.wide).name in y
        return any(self._is_named(x, z) or self.is_same(x, z) for z in y)

    def lacks(self, x: object, y: Collection[object]) -> object:
        """Return `x not in y`."""
        return not self.contains(x, y)

    def _is_named(self, x: object, name: object) -> bool:
        if isinstance(x, np.dtype) and x.type is self._reader.wide:
            if isinstance(name, str):
                is_half = any(name in names for names in self._names.values())
            else:
                is_half = name is self._reader.half
            return is_half and self._reader.leaks.note_question()
        if not (isinstance(x, str) and isinstance(name, str)):
            return False
        return name in self._names.get(x, ())

    def is_same(self, x: object, y: object) -> bool:
        """Return `x is y`; the wide type is the stand-in."""
        half, wide = self._reader.half, self._reader.wide
        if (x is half and y is wide) or (x is wide and y is half):
            return self._reader.leaks.note_question()
        return x is y

    def is_other(self, x: object, y: object) -> bool:
        """Return `x is not y`."""
        return not self.is_same(x, y)


def _method(x: object, name: str) -> Callable[..., object]:
    method: Callable[..., object] = getattr(x, name)
    return method
