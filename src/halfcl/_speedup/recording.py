"""Times the NumPy calls of instrumented code."""

from __future__ import annotations

import builtins
import functools
import operator
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter_ns
from timeit import repeat
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import TypeAlias

import numpy as np

from halfcl._speedup import rewriting
from halfcl._speedup.rewriting import Function

#: A function of NumPy, and the file and the line of its call.
Key: TypeAlias = tuple[str, str, int]

#: Objects that NumPy's operators compute with.
_ARRAYS = (np.ndarray, np.generic)

#: Python's functions that operators of arrays define.
_BUILTINS: dict[Function, str] = {
    abs: "numpy.absolute",
    divmod: "numpy.divmod",
    pow: "numpy.power",
    round: "numpy.round",
}


#: Batches of calls by which the time that timing takes is measured.
_BATCHES, _CALLS = 20, 200


@dataclass
class Total:
    """All calls of a function at a line.

    nanoseconds: their time. elements: those of the largest array of each call, summed. types: the
    names of the dtypes of arguments and results.
    """

    calls: int = 0
    nanoseconds: int = 0
    elements: int = 0
    types: set[str] = field(default_factory=set)


class _Thread(threading.local):
    """The state of a thread: its totals, and whether a call is timed already."""

    def __init__(self, totals: list[dict[Key, Total]]):
        self.is_busy = False
        self.totals: dict[Key, Total] = {}
        totals.append(self.totals)


class CallRecorder:
    """Times calls of NumPy, each of which may contain others, which count with it."""

    def __init__(self) -> None:
        self._sites: list[tuple[str, int, str, Function | None]] = []
        self._totals: list[dict[Key, Total]] = []  # by thread
        self._thread = _Thread(self._totals)
        self._overhead = self._measure_overhead()

    def site_adder(self, file: str) -> rewriting.AddSite:
        """Return a function that registers operations in a file, and numbers them."""

        def add_site(line: int, name: str, function: Function | None) -> int:
            self._sites.append((file, line, name, function))
            return len(self._sites) - 1

        return add_site

    def install(self) -> None:
        """Put the functions that instrumented code calls among the built-in ones."""
        names = vars(builtins)
        names[rewriting.CALL], names[rewriting.OPERATE] = self._call, self._operate
        names[rewriting.STORE], names[rewriting.SLICE] = self._store, slice

    @property
    def thread_count(self) -> int:
        """The number of threads that have called NumPy."""
        return sum(map(bool, self._totals))

    def totals(self) -> dict[Key, Total]:
        """Return the calls so far, of all threads together."""
        sums: dict[Key, Total] = {}
        for totals in self._totals:
            for key, total in list(totals.items()):
                own = sums.setdefault(key, Total())
                own.calls += total.calls
                own.nanoseconds += max(1, total.nanoseconds - total.calls * self._overhead)
                own.elements += total.elements
                own.types |= total.types
        return sums

    def _measure_overhead(self) -> int:
        """Return the nanoseconds that timing adds to each call: to one that takes almost none."""
        key = ("", "", 0)
        means = []
        for _ in range(_BATCHES):
            for _ in range(_CALLS):
                self._time(key, operator.pos, 1)
            means.append(self._thread.totals.pop(key).nanoseconds / _CALLS)
        direct = repeat(lambda: operator.pos(1), repeat=_BATCHES, number=_CALLS)
        return max(0, round(min(means) - 1e9 * min(direct) / _CALLS))

    def _call(self, number: int, function: Function) -> Function:
        """Return a function that times a function of NumPy; any other function itself."""
        kind = type(function)
        if kind is BuiltinFunctionType and function in _BUILTINS:
            return partial(self._call_builtin, number, function)
        name = numpy_name(function)
        if not name:
            return function
        file, line, _, _ = self._sites[number]
        return partial(self._time, (name, file, line), function)

    def _call_builtin(self, number: int, function: Function, *args: object) -> object:
        if not (args and isinstance(args[0], _ARRAYS)):
            return function(*args)
        file, line, _, _ = self._sites[number]
        return self._time((_BUILTINS[function], file, line), function, *args)

    def _operate(self, number: int, *operands: object) -> object:
        """Compute an operator, and time it if NumPy computes it."""
        file, line, name, function = self._sites[number]
        assert function is not None
        is_item = name == rewriting.ITEM
        if isinstance(operands[0], _ARRAYS) or (isinstance(operands[-1], _ARRAYS) and not is_item):
            return self._time((name, file, line), function, *operands)
        return function(*operands)

    def _store(self, number: int, value: object, target: object, index: object) -> None:
        file, line, name, function = self._sites[number]
        assert function is not None
        if isinstance(target, _ARRAYS):
            self._time((name, file, line), function, target, index, value)
        else:
            function(target, index, value)

    def _time(self, key: Key, function: Function, *args: object, **keywords: object) -> object:
        thread = self._thread
        if thread.is_busy:
            return function(*args, **keywords)
        thread.is_busy, result = True, None
        begin = perf_counter_ns()
        try:
            result = function(*args, **keywords)
        finally:
            end = perf_counter_ns()
            thread.is_busy = False
            total = thread.totals.get(key)
            if total is None:
                total = thread.totals[key] = Total()
            total.calls += 1
            total.nanoseconds += end - begin
            owner = getattr(function, "__self__", None)
            _note_arrays(total, (owner, *args, result), keywords)
        return result


@functools.lru_cache(maxsize=256)
def _dtype_name(dtype: np.dtype[np.generic]) -> str:
    return dtype.name  # Python computes this text anew each time


def _note_arrays(total: Total, args: Sequence[object], keywords: Mapping[str, object]) -> None:
    """Add the types and the size of the arrays in a call."""
    size = 0
    for x in (*args, *keywords.values()) if keywords else args:
        if isinstance(x, _ARRAYS):
            size = max(size, x.size)
            total.types.add(_dtype_name(x.dtype))
    total.elements += size


def numpy_name(function: object) -> str:
    """Return the full name of a function, a method or a class of NumPy; empty for others.

    >>> import numpy as np
    >>> from halfcl._speedup.recording import numpy_name
    >>> x = np.ones(3)
    >>> [*map(numpy_name, (np.exp, np.linalg.norm, x.sum, np.add.reduce, np.float16, len))]
    ['numpy.exp', 'numpy.linalg.norm', 'numpy.ndarray.sum', 'numpy.add.reduce', 'numpy.float16', '']
    """
    if isinstance(function, np.ufunc):
        name: str = function.__name__
        return f"numpy.{name}" if getattr(np, name, None) is function else ""
    if isinstance(function, MethodType):
        if function.__self__ is _GLOBAL_GENERATOR:
            return f"numpy.random.{function.__name__}"
        return _join(function.__func__.__module__, function.__func__.__qualname__)
    if isinstance(function, BuiltinMethodType) and not (
        function.__self__ is None or isinstance(function.__self__, ModuleType)
    ):
        return _method_name(function.__self__, function.__name__)
    if isinstance(function, BuiltinFunctionType | FunctionType | type):
        return _join(function.__module__, function.__name__)
    kind = type(function)  # attributes of other objects may run the program's code
    if not kind.__module__.startswith(("numpy", "_cython")):
        return ""
    module, own = getattr(function, "__module__", ""), getattr(function, "__name__", "")
    is_public = vars(sys.modules.get(module, np)).get(own) is function
    return _join(module, own if is_public else f"{kind.__name__}.__call__")


def _method_name(owner: object, name: str) -> str:
    """Return the full name of a method in C, given the object that it belongs to."""
    if isinstance(owner, np.ufunc):
        ufunc = numpy_name(owner)
        return f"{ufunc}.{name}" if ufunc else ""
    if isinstance(owner, np.ndarray):
        return f"numpy.ndarray.{name}"
    kind = owner if isinstance(owner, type) else type(owner)
    return _join(kind.__module__, f"{kind.__qualname__}.{name}")


#: The object whose methods are the functions of `numpy.random`.
_GLOBAL_GENERATOR = getattr(np.random.normal, "__self__", None)


@functools.lru_cache(maxsize=4096)
def _join(module: object, name: str) -> str:
    """Return the full name of something in a module, if that is NumPy's; empty otherwise.

    The module is the outermost that has it.
    """
    parts = module.split(".") if isinstance(module, str) else [""]
    if parts[0] != "numpy":
        return ""
    head = name.partition(".")[0]
    own = vars(sys.modules.get(".".join(parts), np)).get(head)
    for k in range(1, len(parts) + 1):
        outer = sys.modules.get(".".join(parts[:k]))
        if outer is not None and own is not None and vars(outer).get(head) is own:
            return ".".join([*parts[:k], name])
    private = next((k for k, part in enumerate(parts) if part.startswith("_")), len(parts))
    return ".".join([*parts[:private], name])
