"""Answers for rewritten code in a reference run (see `source`)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol, TypeGuard

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
        return self._is_named(x, y) or self._is_named(y, x) or x == y

    def differs(self, x: object, y: object) -> object:
        """Return `x != y`."""
        return not (self._is_named(x, y) or self._is_named(y, x)) and x != y

    def contains(self, x: object, y: Collection[object]) -> object:
        """Return `x in y`."""
        if x in y:
            return True
        if isinstance(y, str):
            return x in _NAMES and np.dtype(self._reader.wide).name in y
        return any(self._is_named(x, element) for element in y)

    def lacks(self, x: object, y: Collection[object]) -> object:
        """Return `x not in y`."""
        return not self.contains(x, y)

    def _is_named(self, x: object, name: object) -> bool:
        if isinstance(x, np.dtype) and x.type is self._reader.wide:
            return isinstance(name, str) and any(name in names for names in self._names.values())
        if not (isinstance(x, str) and isinstance(name, str)):
            return False
        return name in self._names.get(x, ())

    def is_same(self, x: object, y: object) -> bool:
        """Return `x is y`; the wide type is the stand-in."""
        half, wide = self._reader.half, self._reader.wide
        return x is y or (x is half and y is wide) or (x is wide and y is half)

    def is_other(self, x: object, y: object) -> bool:
        """Return `x is not y`."""
        return not self.is_same(x, y)


def _method(x: object, name: str) -> Callable[..., object]:
    method: Callable[..., object] = getattr(x, name)
    return method
