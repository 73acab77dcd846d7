"""Put hostile objects in the place of arguments, in a process of its own: a crash ends that alone.

    python hostile.py FILE PART START STEP [STOP]

Tries every STEP-th case from START on, of the PART `public` (every argument of every public
function), `numpy` (methods and functions of NumPy's that halfcl replaces), `accelerated` (these of
float16 while NumPy is accelerated) or `plain` (of float16 in plain NumPy). FILE holds the place and
the name of the case that is being tried. What a case raises is of no interest, but for SystemError,
by which C tells that it has gone wrong.

Objects lie about their class, or their methods resize the arrays of the call, free what it holds,
or make the same call again. Environment variables make freed memory fatal: see test_hostile.py.
"""

import contextlib
import copy
import importlib.util
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import wrapt

import halfcl as hc

WRONG_TYPES = Path(__file__).parents[1] / "core" / "test_wrong_types.py"

#: Elements of the arrays of NumPy's functions: what is freed of so many leaves no page behind.
N = 1 << 14

#: Depth of calls in calls, which each take some kilobytes of the stack.
DEEPEST = 60


# ---------------------------------------------------------------- lies about a class

CLASSES = (
    np.ndarray, np.generic, np.longdouble, np.float16, hc.half, hc.half4, np.dtype, np.ufunc,
    np.integer, np.bool, str, bytes, tuple, list, int, float, bool, range, type, dict,
    hc.Function, type(None),
)  # fmt: skip


def liar(kind):
    """Return an object that claims to be of a class, and has no fields."""
    return type("Liar", (), {"__slots__": (), "__class__": kind})()


def liar_with_array(kind, value):
    """Return an object that claims to be of a class, and that NumPy can convert to an array."""

    array = np.asarray(value)

    class Liar:
        __class__ = kind

        def __array__(self, dtype=None, copy=None):
            return np.asarray(array, dtype)

        def __getattr__(self, name):
            if name.startswith("__array_"):  # whose text NumPy takes for four times as long
                raise AttributeError(name)
            return getattr(array, name)

    return Liar()


# ---------------------------------------------------------------- what methods do

#: Special methods that C may call for an argument, and the classes that have them.
METHODS = """
    __array__ __float__ __index__ __int__ __bool__ __hash__ __eq__ __lt__ __gt__ __le__ __len__
    __iter__ __getitem__ __str__ __neg__ __sub__ __array_finalize__ __array_wrap__
    __array_function__ __array_ufunc__ as_integer_ratio dtype shape __class__ tolist
""".split()

#: What is neither inherited nor made of a value.
OWN = {
    "__array__": lambda value: lambda self, dtype=None, copy=None: np.asarray(value, dtype),
    "__float__": lambda value: lambda self: 1.0,
    "__index__": lambda value: lambda self: int(value) if isinstance(value, int) else 1,
    "__int__": lambda value: lambda self: 1,
    "__bool__": lambda value: lambda self: True,
    "__len__": lambda value: lambda self: 3,
    "__iter__": lambda value: lambda self: iter([1.0, 2.0, 3.0]),
    "__getitem__": lambda value: lambda self, place: [1.0, 2.0, 3.0][place],
    "as_integer_ratio": lambda value: lambda self: (1, 2),
    "__array_finalize__": lambda value: lambda self, other: None,
    "__array_ufunc__": lambda value: None,
    "__array_function__": lambda value: None,
    "__array_wrap__": lambda value: lambda self, array, *more: array,
    "tolist": lambda value: lambda self: [1.0, 2.0, 3.0],
}


def acting(value, act):
    """Return an object, of a subclass of value's class if possible, whose methods act first.

    They return what value's would.
    """
    base = next(
        (kind for kind in (str, bytes, int, float, tuple, list, np.ndarray, np.float16, np.integer)
         if isinstance(value, kind) and not isinstance(value, bool)),
        object,
    )  # fmt: skip
    base = type(value) if isinstance(value, np.generic) and type(value) is not np.bool else base
    namespace = {"__hash__": base.__hash__}
    for name in METHODS:
        method = getattr(base, name, None)
        if base is not object and callable(method) and name != "__class__":
            namespace[name] = _before(act, method)
        elif name == "__class__":
            namespace[name] = property(_before(act, lambda self: base))
        elif base is object and name in OWN and OWN[name](value) is not None:
            namespace[name] = _before(act, OWN[name](value))
    if base is object and isinstance(value, np.ndarray | np.generic):
        namespace["dtype"] = property(_before(act, lambda self: np.asarray(value).dtype))
    with contextlib.suppress(TypeError):  # classes that cannot be derived from
        kind = type("Acting", (base,), namespace)
        if base is np.ndarray:
            return np.array(value).view(kind)
        return kind() if base is object else kind(value)
    return value


def _before(act, method):
    def acting_method(self, *args, **keywords):
        act()
        return method(self, *args, **keywords)

    return acting_method


class Acts:
    """The actions of the methods of one call's objects; the arrays are set with the call."""

    def __init__(self):
        self.arrays, self.lists, self.again = [], [], None
        self.depth = 0

    def shrink(self):
        self._resize(1)

    def grow(self):
        self._resize((5, 7))

    def _resize(self, shape):
        for array in self.arrays:
            with contextlib.suppress(ValueError):  # views
                array.resize(shape, refcheck=False)

    def free(self):
        self.shrink()
        for values in self.lists:
            values.clear()

    def recurse(self):
        if self.depth < DEEPEST and self.again is not None:
            self.depth += 1
            try:
                self.again()
            finally:
                self.depth -= 1
        elif self.depth == DEEPEST:
            self.depth = 1 << 30  # the way back makes no call of its own
            raise ValueError("deep enough")


def objects(value, acts):
    """Hostile objects in the place of value, by name."""
    yield "proxy", lambda: wrapt.ObjectProxy(value)
    yield "proxy of an array", lambda: wrapt.ObjectProxy(np.arange(4, dtype=hc.half))
    for kind in CLASSES:
        yield f"liar: {kind.__name__}", lambda kind=kind: liar(kind)
    for kind in (np.ndarray, np.generic, hc.half, np.longdouble):
        yield f"array, liar: {kind.__name__}", lambda kind=kind: liar_with_array(kind, value)
    for name in ("shrink", "grow", "free", "recurse"):
        act = getattr(acts, name)
        yield f"{name}", lambda act=act: acting(value, act)
        yield f"{name}, a str", lambda act=act: acting("rtp", act)
        yield f"{name}, an int", lambda act=act: acting(0, act)
        yield f"{name}, a np.int64", lambda act=act: acting(np.int64(0), act)
        yield f"{name}, a float", lambda act=act: acting(70000.0, act)
        yield f"{name}, an object", lambda act=act: acting(object(), act)
        yield f"{name}, in a list", lambda act=act: [acting(object(), act), 1.0]


# ---------------------------------------------------------------- cases


def fresh(value):
    """Return a copy of a resizable object that owns its memory."""
    if type(value) is np.ndarray:
        return np.array(value)
    if type(value) in (list, tuple, dict):
        return copy.copy(value)
    return value


def public_calls():
    """Return the calls of test_wrong_types.py: functions, right arguments, keywords."""
    spec = importlib.util.spec_from_file_location("wrong_types", WRONG_TYPES)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.calls()


#: Functions that start processes or compilers, or write files.
SLOW = ("audit.run", "stability.compare", "stability.rerun", "stability.blame", "interval.roots",
        "interval.plot_band", "device.", "cl.Program", "cl.translate", "_demo", "io.write",
        "interval.range_of", "testing.", "io.read", "set_num_threads")  # fmt: skip


def numpy_calls(kind):
    """Yield functions of NumPy's that halfcl replaces, and some of its own, with arguments."""
    x = np.linspace(-3, 3, N).astype(kind)
    square, rows = x.reshape(128, -1), x.reshape(-1, 8)
    mask, places = x > 0, np.arange(N // 2)
    out, number, fours = np.zeros(N, kind), kind(0.5), hc.half4(1, 2, 3, 4)
    whole = {"axis": 0, "dtype": None, "out": None, "keepdims": False}
    some = {"initial": 1.0, "where": np.array(mask)}
    yield "sort", np.ndarray.sort, (rows,), {"axis": -1, "kind": "stable"}
    yield "argsort", np.ndarray.argsort, (rows,), {"axis": 0, "kind": "stable"}
    yield "partition", np.ndarray.partition, (x, 5), {"axis": 0, "kind": "introselect"}
    yield "argpartition", np.ndarray.argpartition, (x, (5, 9)), {"axis": 0}
    yield "partition rows", np.ndarray.partition, (rows, [2, 3]), {"axis": -1}
    yield "searchsorted", np.ndarray.searchsorted, (x, x), {"side": "left", "sorter": np.arange(N)}
    for name in ("argmax", "argmin"):
        yield name, getattr(np.ndarray, name), (rows,), {"axis": 0, "keepdims": False}
    yield "dot", np.ndarray.dot, (square, square), {"out": np.zeros((128, 128), kind)}
    yield "nonzero", np.ndarray.nonzero, (x,), {}
    for name in ("dot", "inner", "matmul", "vecdot", "vdot", "outer", "tensordot"):
        if hasattr(np, name):
            yield f"np.{name}", getattr(np, name), (square, square[:, ::-1].copy()), {}
    for name in ("correlate", "convolve"):
        yield f"np.{name}", getattr(np, name), (x, x[:9].copy(), "valid"), {}
    yield "np.where", np.where, (mask, x, number), {}
    yield "np.count_nonzero", np.count_nonzero, (x,), {}
    yield "np.einsum", np.einsum, ("ij,jk", square, square), {}
    yield "np.clip", np.clip, (x, number, 2.0), {"out": out}
    for ufunc in (np.add, np.multiply, np.subtract, np.maximum, np.fmin):
        name = ufunc.__name__
        yield f"{name}.reduce", ufunc.reduce, (rows,), whole
        yield f"{name}.reduce where", ufunc.reduce, (x,), {"axis": 0, **some}
        yield f"{name}.reduce axes", ufunc.reduce, (x.reshape(32, 8, -1),), {"axis": (0, 2)}
        yield f"{name}.accumulate", ufunc.accumulate, (rows, 1, None), {"out": rows * 0}
        yield f"{name}.reduceat", ufunc.reduceat, (x, places, 0, None), {}
        yield f"{name}.at", ufunc.at, (x, places, number), {}
        yield f"{name}.at each", ufunc.at, (x, places, x[: N // 2].copy()), {}
        yield f"{name}.outer", ufunc.outer, (x[:99].copy(), x[:99].copy()), {}
        yield name, ufunc, (x, number), {"out": out, "where": mask}
    yield "np.exp", np.exp, (x * 100,), {"out": out, "where": mask}
    for name in ("sum", "prod", "mean", "var", "std", "max", "min", "median", "ptp", "nansum",
                 "nanmean", "nanmax", "cumsum", "cumprod", "average", "all", "any"):  # fmt: skip
        yield f"np.{name}", getattr(np, name), (rows,), {"axis": 0}
    yield "np.percentile", np.percentile, (x, 30), {"axis": 0}
    yield "np.linalg.norm", np.linalg.norm, (square,), {"ord": None, "axis": 0}
    yield "np.round", np.round, (x, 2), {}
    rounded = {"rounding": "rtp"}
    reduced = {"axis": 0, "dtype": None, "out": None, "initial": 1.0, "where": mask, **rounded}
    yield "hc.matmul", hc.matmul, (square, square), {"out": None, **rounded}
    yield "hc.matmul of lines", hc.matmul, (x, x), rounded
    yield "hc.vdot", hc.vdot, (x, x), {"axis": 0, "where": mask, **rounded}
    for name in ("sum", "prod"):
        yield f"hc.{name}", getattr(hc, name), (x,), reduced
    for name in ("mean", "var", "std", "sumsq", "norm"):
        yield f"hc.{name}", getattr(hc, name), (rows,), {"axis": 0, "where": True, **rounded}
    yield "hc.cumsum", hc.cumsum, (x,), {"axis": 0, "out": out, **rounded}
    yield "hc.add", hc.add, (x, x), {"out": out, **rounded}
    yield "hc.add in modes", hc.add, (x, x), {"rounding": np.arange(N, dtype=np.uint8) % 4}
    yield "hc.fma", hc.fma, (x, 2.0, x), {"out": out, **rounded}
    yield "hc.add.reduce", hc.add.reduce, (x,), {"axis": 0, "initial": 1.0, **rounded}
    yield "hc.add.at", hc.add.at, (x, places, number), rounded
    yield "hc.dot", hc.dot, (rows, rows), rounded
    yield "hc.convert", hc.convert, (x.astype("f4"), "half"), rounded
    yield "hc.half", hc.half, (x.astype("f4"),), rounded
    yield "hc.vload_half", hc.vload_half, (3, x), {}
    yield "hc.vstore_half", hc.vstore_half, (1.0, 3, x), rounded
    yield "hc.vloada_half4", hc.vloada_half4, (np.arange(4), x), {}
    yield "vector + x", lambda a, b: a + b, (fours, number), {}
    yield "x + y", lambda a, b: a + b, (x, x), {}
    yield "x @ y", lambda a, b: a @ b, (square, square), {}
    yield "half.__reduce__", hc.half.__reduce__, (number,), {}
    yield "half + y", lambda a, b: a + b, (number, number), {}
    yield "vector.x", lambda a: a.xy, (fours,), {}
    yield "hc.half4", hc.half4, (number, x[:2].copy(), 1.0), {}
    yield "np.array", lambda a: np.array([a, a], kind), (number,), {}
    yield "astype", lambda a: np.asarray(a).astype(kind), (x,), {}


def try_call(function, args, keywords, acts, place, make):
    """Make one call with one hostile object."""
    own, named = [fresh(x) for x in args], {k: fresh(x) for k, x in keywords.items()}
    acts.depth, acts.again = 0, None
    try:
        (named if isinstance(place, str) else own)[place] = make()
    except (TypeError, ValueError):  # of what NumPy makes no array
        return
    objects = [*own, *named.values()]
    acts.arrays = [x for x in objects if type(x) is np.ndarray]
    acts.lists = [x for x in objects if type(x) is list]
    acts.again = lambda: function(*own, **named)
    try:
        result = function(*own, **named)
        if hasattr(type(result), "__enter__"):
            with result:
                pass
    except SystemError:
        raise
    except Exception:
        pass


def cases(part):
    if part != "public":
        calls = numpy_calls(hc.half if part == "numpy" else np.float16)
    else:
        calls = ((label, *call) for label, call in public_calls().items()
                 if not any(name in label for name in SLOW))  # fmt: skip
    acts = Acts()
    for label, function, args, keywords in calls:
        keywords = {k: v for k, v in keywords.items() if v is not None or part != "public"}
        for place in (*range(len(args)), *keywords):
            value = keywords[place] if isinstance(place, str) else args[place]
            for name, make in objects(value, acts):
                yield f"{label}, {place}, {name}", function, args, keywords, acts, place, make


def main(path, part, start, step, stop=None):
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    if part == "accelerated":
        hc.accelerate()
    some = range(int(start), int(stop or sys.maxsize), int(step))
    place = -1
    with Path(path).open("wb", buffering=0) as file:
        for place, (label, *case) in enumerate(cases(part)):
            if place >= some.stop:
                break
            if place in some:
                os.pwrite(file.fileno(), f"{place} {label:<200.200}".encode(), 0)
                try_call(*case)
        os.pwrite(file.fileno(), f"{place + 1} {'done':<200}".encode(), 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
