"""Installs a reference run's replacements in NumPy, halfcl and Python's modules."""

from __future__ import annotations

import builtins
import contextlib
import functools
import multiprocessing
import pickle
import struct
import sys
import warnings
from collections.abc import Callable, Iterator
from contextvars import Context
from multiprocessing.process import BaseProcess
from typing import TypeVar, cast

import numpy as np

import halfcl as hc
from halfcl.stability._programs._recording.processes import STARTS
from halfcl.stability._programs._reference import halfcl_functions as functions, source
from halfcl.stability._programs._reference.calls import Calls
from halfcl.stability._programs._reference.reading import Reader
from halfcl.stability._programs._reference.stand_in import FLOAT16, HALF_TYPES

#: NumPy's names of half's type, in itself and in the modules that show it.
_TYPE_NAMES = ("float16", "half")
_MODULES = ("numpy._core", "numpy.core", "numpy.core.numerictypes", "numpy.core.numeric")

#: NumPy's functions of the bits of a number.
_OF_BITS = ("nextafter", "spacing")

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Patches:
    """Replacements of attributes and items, which can be undone."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []

    def set_item(self, mapping: dict[_Key, _Value], key: _Key, value: _Value) -> None:
        """Replace an item of a dict, or add it."""
        self.keep_item(mapping, key)
        mapping[key] = value

    def remove_item(self, mapping: dict[_Key, _Value], key: _Key) -> None:
        """Remove an item of a dict."""
        self.keep_item(mapping, key)
        del mapping[key]

    def keep_item(self, mapping: dict[_Key, _Value], key: _Key) -> None:
        """Restore an item in the end, whoever replaces it."""
        if key not in mapping:
            self._undo.append(lambda: mapping.pop(key, None))
        else:
            before = mapping[key]
            self._undo.append(lambda: mapping.__setitem__(key, before))

    def set(self, owner: object, name: str, value: object) -> None:
        """Replace an attribute of a module or a class."""
        before = vars(owner)[name]
        self._undo.append(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def add(self, undo: Callable[[], object]) -> None:
        """Call a function in the end."""
        self._undo.append(undo)

    def undo(self) -> None:
        """Restore everything, the last replacement first."""
        while self._undo:
            self._undo.pop()()


#: The reader that the audit hook tells of opened files; none outside reference runs.
_active: list[Reader] = []


def active_readers() -> tuple[Reader, ...]:
    """Return the reader of the reference run that goes on in this process, if there is one."""
    return tuple(_active[-1:])


@functools.cache
def _watch_files() -> None:
    """Add an audit hook, which stays as long as its process."""

    def on_event(event: str, arguments: tuple[object, ...]) -> None:
        if not _active:
            return
        if event == "open":
            _active[-1].note_opened(arguments[0], arguments[2])
        elif event in STARTS:
            _active[-1].leaks.note_process()

    sys.addaudithook(on_event)


@contextlib.contextmanager
def replaced_halves(reader: Reader) -> Iterator[Callable[[object], object]]:
    """Replace half by its stand-in for code that runs inside.

    Yield a function that returns what replaces an object, for objects that code refers to already.
    """
    patches = Patches()
    try:
        originals = dict(vars(hc))
        _replace_types(patches, reader)
        _replace_reading(patches, reader)
        _replace_halfcl(patches, reader)
        patches.set_item(vars(builtins), source.CALLS, Calls(reader))
        _watch_files()
        _active.append(reader)
        patches.add(_active.pop)
        new = {id(old): vars(hc)[name] for name, old in originals.items()}
        new |= dict.fromkeys(map(id, HALF_TYPES), reader.half)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "metadata on a dtype")
            yield lambda x: new[id(x)] if id(x) in new else reader.widen(x)
    finally:
        patches.undo()


def _replace_types(patches: Patches, reader: Reader) -> None:
    for module in map(sys.modules.get, _MODULES):
        for name in _TYPE_NAMES if module is not None else ():
            if vars(module).get(name) is FLOAT16:
                patches.set(module, name, reader.half)
    types = cast("dict[str, object]", np.sctypeDict)
    for name in _TYPE_NAMES:
        patches.set_item(types, name, reader.half)
        patches.remove_item(vars(np), name)
    patches.set_item(vars(np), "__getattr__", _show_types(vars(np)["__getattr__"], reader))
    if hasattr(np.dtypes, "Float16DType"):
        patches.set(np.dtypes, "Float16DType", type(np.dtype(reader.wide)))
    patches.set(np.finfo, "__new__", staticmethod(_finfo(np.finfo.__new__, reader)))
    for name in _OF_BITS:
        patches.set(np, name, functions.rounding_call(f"numpy.{name}", getattr(np, name), reader))


def _show_types(others: Callable[[str], object], reader: Reader) -> Callable[[str], object]:
    """Return `numpy.__getattr__`, which shows the stand-in to all code but NumPy's and halfcl's."""

    def get(name: str) -> object:
        if name not in _TYPE_NAMES:
            return others(name)
        module = str(sys._getframe(1).f_globals.get("__name__"))
        is_own = module.partition(".")[0] in _OWN_PACKAGES and module != __name__
        return FLOAT16 if is_own else reader.half

    return get


_OWN_PACKAGES = ("numpy", "halfcl")


def _finfo(original: Callable[..., object], reader: Reader) -> Callable[..., object]:
    """Return `numpy.finfo.__new__`, which describes half for the stand-in.

    The program's own dtypes and arrays of the wide type are taken for half's.
    """
    # Outside regions, which would record what NumPy rounds there.
    description = Context().run(_describe_half, original, reader)

    def new(cls: type, dtype: object) -> object:
        if dtype is reader.half or (isinstance(dtype, str) and dtype in _HALF_TEXTS):
            return description
        if (
            isinstance(dtype, np.dtype | np.ndarray | np.generic)
            and reader.leaks.is_called_by_program()
        ):
            own = dtype if isinstance(dtype, np.dtype) else dtype.dtype
            if own.type is reader.wide:
                return description
        return original(cls, dtype)

    return new


def _describe_half(original: Callable[..., object], reader: Reader) -> object:
    """Return NumPy's description of half, with wide numbers."""
    info = original(np.finfo, FLOAT16)
    names = [name for name in _FINFO if hasattr(info, name)]
    values = {name: reader.widen(getattr(info, name)) for name in names}
    values["dtype"] = np.dtype(reader.wide)
    return object.__new__(type("finfo", (np.finfo,), values))


_HALF_TEXTS = ("float16", "half", "e", "f2", "<f2")

_FINFO = (
    "bits eps epsneg iexp machep max maxexp min minexp negep nexp nmant precision resolution "
    "tiny smallest_normal smallest_subnormal"
).split()


def _replace_reading(patches: Patches, reader: Reader) -> None:
    for name in ("fromfile", "frombuffer"):
        patches.set(np, name, _bind(getattr(reader, name), getattr(np, name)))
    make = np.memmap.__new__
    patches.set(np.memmap, "__new__", staticmethod(
        lambda cls, *args, **keywords: reader.memmap(make, cls, *args, **keywords)))  # fmt: skip
    patches.set(np, "load", _widening(np.load, reader.widen))
    archive = np.lib.npyio.NpzFile
    patches.set(archive, "__getitem__", _widening(archive.__getitem__, reader.widen))
    for name in ("load", "loads"):
        patches.set(pickle, name, _widening(getattr(pickle, name), reader.widen_inside))
    patches.set(BaseProcess, "start", _noting_start(BaseProcess.start, reader))
    for name in ("pack", "pack_into"):
        patches.set(struct, name, _packing(getattr(struct, name), reader))


def _bind(method: Callable[..., object], function: Callable[..., object]) -> Callable[..., object]:
    return lambda *args, **keywords: method(function, *args, **keywords)


def _widening(
    function: Callable[..., object], widen: Callable[[object], object]
) -> Callable[..., object]:
    return lambda *args, **keywords: widen(function(*args, **keywords))


def _noting_start(function: Callable[..., object], reader: Reader) -> Callable[..., object]:
    def start(process: BaseProcess) -> object:
        method = getattr(process, "_start_method", None) or multiprocessing.get_start_method()
        if method != "fork":
            reader.leaks.note_process()
        return function(process)

    return start


def _packing(function: Callable[..., object], reader: Reader) -> Callable[..., object]:
    def pack(form: str | bytes, *args: object) -> object:
        if "e" in (form if isinstance(form, str) else bytes(form).decode()):
            reader.leaks.note("it packs halves into bytes")
        return function(form, *args)

    return pack


def _replace_halfcl(patches: Patches, reader: Reader) -> None:
    names = vars(hc)
    for name, value in list(functions.replaced_names(reader)):
        patches.set_item(names, name, value)
    late = functions.replace_late(reader, lambda name: _forget_late(patches, names, name))
    patches.set_item(names, "__getattr__", late)


def _forget_late(patches: Patches, names: dict[str, object], name: str) -> None:
    """Remove a name in the end that was made on first use: it is then made anew."""
    names.pop(name, None)
    patches.keep_item(names, name)
