"""Widens halves that were made outside of a reference run: in files, pickles and bytes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from halfcl._core import HALF_DTYPE, half
from halfcl.stability._programs._reference.leaks import Leaks
from halfcl.stability._programs._reference.probing import Mover
from halfcl.stability._programs._reference.stand_in import (
    FLOAT16,
    HalfMeta,
    has_halves,
    widen_type,
)

#: The key of a dtype's metadata that keeps it as the program wrote it, with halves.
NARROW = "halfcl half"

#: An array or a number of NumPy's.
Numbers: TypeAlias = NDArray[Any] | np.generic

#: `numpy.dtype`, called with arguments of any type, as the program does.
_make_dtype: Callable[..., np.dtype[Any]] = np.dtype

#: Limit on the objects of one pickle that are searched for halves.
_MOST_OBJECTS = 1 << 16


class Bytes(bytes):
    """The bytes of an array of halves, with the wide values that they came from.

    wide: the bytes of these values, which the program has if its array is no array of halves.
    """

    values: NDArray[Any]
    wide: bytes


class Reader:
    """Converts data between halves, as others store them, and the wide type.

    stand_in: the type that stands for half. leaks: receives places that are not followed. mover:
    moves the numbers that functions of halves return, in a probe.
    """

    def __init__(self, stand_in: HalfMeta, leaks: Leaks, mover: Mover | None = None):
        self.half, self.wide, self.leaks = stand_in, stand_in.wide, leaks
        stand_in.note_question = leaks.note_question
        self._mover = mover
        #: Files with raw wide numbers, which this run wrote.
        self.wide_files: set[str] = set()
        self._is_reading = False

    # ------------------------------------------------------------ values

    def widen(self, x: object) -> object:
        """Return halves as wide numbers, also inside lists, tuples and dicts; others unchanged."""
        if isinstance(x, np.ndarray):
            return self._widen_array(x)
        if type(x) in (FLOAT16, half):
            return self.wide(float(x))  # type: ignore[arg-type]
        if type(x) is list or type(x) is tuple:
            return type(x)(map(self.widen, x))
        if type(x) is dict:
            return {key: self.widen(value) for key, value in x.items()}
        return x

    def _widen_array(self, x: NDArray[Any]) -> NDArray[Any]:
        if x.dtype == object:
            return np.array([*map(self.widen, x.flat), None], object)[:-1].reshape(x.shape)
        if not has_halves(x.dtype):
            return x
        dtype = widen_type(x.dtype, self.wide)
        if isinstance(x, np.memmap):
            return self._map_copy(x, dtype)
        return x.astype(dtype)

    def _map_copy(self, x: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return a mapped array with widened numbers, in a temporary file."""
        if not x.size:
            return x.astype(dtype)
        if x.flags.writeable and getattr(x, "mode", "") == "r+":
            self.leaks.note("a file of halves is mapped to be changed")
        handle, path = tempfile.mkstemp()
        os.close(handle)
        copy: NDArray[Any] = np.memmap(path, dtype, "w+", shape=x.shape)
        os.unlink(path)
        copy[...] = x
        copy.flags.writeable = x.flags.writeable
        return copy

    def widen_inside(self, x: object) -> object:
        """Return an unpickled object with wide numbers, also in the attributes of objects."""
        seen: set[int] = set()
        waiting = [x]
        while waiting and len(seen) < _MOST_OBJECTS:
            y = waiting.pop()
            if id(y) in seen:
                continue
            seen.add(id(y))
            if isinstance(y, list | tuple):
                waiting += y
            elif isinstance(y, dict):
                waiting += y.values()
            elif isinstance(attributes := getattr(y, "__dict__", None), dict):
                attributes.update({name: self.widen(own) for name, own in attributes.items()})
                waiting += attributes.values()
        return self.widen(x)

    @overload
    def to_halves(self, x: NDArray[Any]) -> NDArray[Any]: ...
    @overload
    def to_halves(self, x: Numbers) -> Numbers: ...
    @overload
    def to_halves(self, x: object) -> object: ...
    def to_halves(self, x: object) -> object:
        """Return wide numbers rounded to half, since something needs halves."""
        if isinstance(x, np.ndarray) and x.dtype.type is self.wide:
            with np.errstate(all="ignore"), self.leaks.ignore_roundings():
                return x.astype(HALF_DTYPE)
        if type(x) is self.wide:
            with np.errstate(all="ignore"), self.leaks.ignore_roundings():
                return half(x)
        if type(x) is list or type(x) is tuple:
            return type(x)(map(self.to_halves, x))
        return half if x is self.half else x

    def move(self, x: object, function: str) -> object:
        """Return wide numbers that a function of halves has returned: a probe moves them."""
        if self._mover is None or not self.is_wide(x):
            return x
        new = self._mover.move(np.asarray(x), function)
        return new if isinstance(x, np.ndarray) else new[()]

    def is_wide(self, x: object) -> bool:
        """Return whether an object is of the wide type, or a list or tuple with such a one."""
        if isinstance(x, list | tuple):
            return any(map(self.is_wide, x))
        return isinstance(x, np.ndarray | np.generic) and x.dtype.type is self.wide

    # ------------------------------------------------------------ types

    def narrow(self, dtype: object) -> object:
        """Return a dtype as the program wrote it: with halves where the stand-in is."""
        if dtype is self.half:
            return FLOAT16
        if isinstance(dtype, np.dtype):
            metadata: Mapping[str, object] = dtype.metadata or {}
            return metadata.get(NARROW, dtype)
        if isinstance(dtype, list | tuple):
            return type(dtype)(map(self.narrow, dtype))
        if isinstance(dtype, dict):
            return {key: self.narrow(value) for key, value in dtype.items()}
        return "<f2" if isinstance(dtype, str) and dtype in ("float16", "half") else dtype

    def dtype(self, *args: object, **keywords: object) -> np.dtype[Any]:
        """Return `numpy.dtype` of these arguments, with the wide type in place of half."""
        first, *rest = args or (keywords.pop("dtype"),)
        narrow = _make_dtype(self.narrow(first), *rest, **keywords)
        if not has_halves(narrow):
            return _make_dtype(first, *rest, **keywords)
        return np.dtype(widen_type(narrow, self.wide), metadata={NARROW: narrow})

    def pick(self, dtype: object) -> tuple[np.dtype[Any], np.dtype[Any]]:
        """Return a dtype as data of others has it, and as the run stores it."""
        narrow = _make_dtype(self.narrow(dtype))
        return narrow, widen_type(narrow, self.wide)

    # ------------------------------------------------------------ files of raw numbers

    def note_opened(self, path: object, flags: object) -> None:
        """Record a leak if other code than `fromfile` opens a file of raw wide numbers to read."""
        if self._is_reading or not self.wide_files or not isinstance(path, str):
            return
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
        if not writes and os.path.realpath(path) in self.wide_files:
            self.leaks.note("it reads the bytes of numbers that it wrote")

    def fromfile(
        self,
        read: Callable[..., object],
        file: object,
        dtype: object = float,
        count: int = -1,
        sep: str = "",
        offset: int = 0,
        **keywords: object,
    ) -> object:
        """Read numbers from a file as `numpy.fromfile`: halves of others are widened."""
        narrow, wide = self.pick(dtype)
        if sep or narrow == wide:
            return read(file, dtype, count, sep, **({} if sep else {"offset": offset}), **keywords)
        self._is_reading = True
        try:
            if self.path_of(file) in self.wide_files:
                if hasattr(file, "tell") and file.tell():
                    self.leaks.note("it reads from the middle of a file of raw halves")
                offset = offset // narrow.itemsize * wide.itemsize
                return read(file, wide, count, "", offset=offset, **keywords)
            return self.widen(read(file, narrow, count, "", offset=offset, **keywords))
        finally:
            self._is_reading = False

    def frombuffer(
        self,
        read: Callable[..., object],
        buffer: object,
        dtype: object = float,
        *args: object,
        **keywords: object,
    ) -> object:
        """Read numbers from bytes as `numpy.frombuffer`: halves of others are widened.

        Bytes of the wide type were no halves if the program reads them as numbers of that type.
        """
        narrow, wide = self.pick(dtype)
        if narrow == wide:
            if isinstance(buffer, Bytes) and narrow.base.type is self.wide:
                buffer = buffer.wide
            return read(buffer, dtype, *args, **keywords)
        if isinstance(buffer, Bytes) and not args and not keywords:
            return buffer.values.ravel()
        if isinstance(buffer, np.ndarray) and buffer.dtype.type is self.wide:
            return read(buffer, wide, *args, **keywords)
        return self.widen(read(buffer, narrow, *args, **keywords))

    def memmap(
        self,
        make: Callable[..., object],
        cls: type,
        filename: object,
        dtype: object = np.uint8,
        mode: str = "r+",
        offset: int = 0,
        shape: object = None,
        order: str = "C",
    ) -> object:
        """Map a file as `numpy.memmap`: halves of others are widened in a copy."""
        narrow, wide = self.pick(dtype)
        if narrow == wide:
            return make(cls, filename, dtype, mode, offset, shape, order)
        is_new = mode in ("w+", "write")
        self._is_reading = True
        try:
            if is_new or self.path_of(filename) in self.wide_files:
                offset = offset // narrow.itemsize * wide.itemsize
                mapped = make(cls, filename, wide, mode, offset, shape, order)
                self.wide_files.add(self.path_of(filename))
                return mapped
            return self.widen(make(cls, filename, narrow, mode, offset, shape, order))
        finally:
            self._is_reading = False

    def path_of(self, file: object) -> str:
        """Return the path of a file in this run; empty if it has none."""
        name = getattr(file, "name", file)
        if isinstance(name, str | bytes | os.PathLike) and not hasattr(file, "read"):
            try:
                with open(name, "rb") as stream:  # Paths may be redirected.
                    name = stream.name
            except OSError:
                return ""
        return os.path.realpath(os.fsdecode(name)) if isinstance(name, str | bytes) else ""

    def tofile(self, x: Numbers, file: object, *args: object, **keywords: object) -> None:
        """Write wide numbers as `ndarray.tofile`, and keep the path: the run reads them so."""
        write: Callable[..., object] = x.tofile
        write(file, *args, **keywords)
        if not (args or keywords.get("sep")) and (path := self.path_of(file)):
            self.wide_files.add(path)

    def tobytes(self, x: Numbers, *args: object, **keywords: object) -> bytes:
        """Return the bytes of halves, with the values that they were rounded from."""
        self.leaks.note("it uses the bytes of halves")
        copy: Callable[..., bytes] = self.to_halves(x).tobytes
        copy_wide: Callable[..., bytes] = x.tobytes
        data = Bytes(copy(*args, **keywords))
        data.values, data.wide = np.array(x), copy_wide(*args, **keywords)
        return data

    def view(self, x: Numbers, *args: object, **keywords: object) -> object:
        """Return `x.view(dtype)`: the bits of halves for integers, and the halves of bits."""
        view: Callable[..., object] = x.view
        dtype = args[0] if args else keywords.get("dtype")
        if dtype is None or (isinstance(dtype, type) and issubclass(dtype, np.ndarray)):
            return view(*args, **keywords)
        narrow, wide = self.pick(dtype)
        if self.is_wide(x):
            if narrow.base.itemsize in (1, 2) and not has_halves(narrow):
                self.leaks.note("it uses the bits of halves")
                return self.to_halves(x).view(narrow)
            return view(*args, **keywords)
        if narrow != wide and x.dtype.type is not self.wide and not has_halves(x.dtype):
            return self.widen(view(narrow))
        return view(*args, **keywords)
