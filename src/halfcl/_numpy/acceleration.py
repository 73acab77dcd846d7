"""Acceleration: replaces NumPy's float16 loops by halfcl's in the process, and restores them."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

import numpy as np

from halfcl import _core
from halfcl._numpy import children as _children
from halfcl._numpy.compat import (
    ENTRIES,
    IS_PLAIN,
    holds_outside_regions,
    is_taken,
    replaceable_methods,
    ufuncs,
)
from halfcl._tables import TABLE

__all__ = [
    "accelerate",
    "accelerated",
    "accelerated_functions",
    "accelerated_ufuncs",
    "decelerate",
]

#: Near zero these functions equal their argument in float, in which NumPy computes: its loops do
#: not notice that the result is inexact, and never raise underflow. The kernels do.
_WITHOUT_UNDERFLOW = frozenset({"arcsin", "arcsinh", "arctan", "sin", "sinh", "tan", "tanh"})

#: Ufuncs that are not replaced although half has a loop. `numpy.absolute` is as fast as memory; for
#: two zeros `numpy.nextafter` returns the first, and halfcl's the second, like C's.
_LEFT_TO_NUMPY = frozenset({"absolute", "nextafter"})

#: Up to this number of elements NumPy's own loop takes less time than a call of halfcl's, for
#: operators and functions that NumPy rounds correctly: the first number for those that NumPy
#: converts to float and back, the second for those that only look at bits.
_FEW, _FEW_BITS = 16, 64
_BITS = frozenset(
    """conjugate copysign equal greater greater_equal isfinite isinf isnan less less_equal
    logical_and logical_not logical_or logical_xor negative not_equal positive signbit""".split()
)

#: Built-in functions that NumPy rounds correctly with any C library.
_ROUNDED_BY_NUMPY = frozenset({"deg2rad", "degrees", "ldexp", "rad2deg", "radians", "sqrt"})

#: Functions that are not ufuncs, by the entry of `ENTRIES` that makes them support float16; "":
#: functions of the dtype. Functions that NumPy builds on these, such as median, are not listed.
_FUNCTIONS = {
    "": "argmax argmin argsort sort",
    "numpy.ndarray: sort, partition, argmax and their like, searchsorted, dot, nonzero, round": (
        "argpartition around ndarray.dot nonzero partition round searchsorted"
    ),
    "numpy.ufunc: reduce, accumulate, reduceat; numpy._core._methods: umr_sum and its like": (
        "cumprod cumsum max min prod sum ufunc.accumulate ufunc.reduce ufunc.reduceat"
    ),
    "code of mean, var, std, nanmean, nanvar, nanstd, average, trapezoid, norm": (
        "linalg.norm mean nanmean nanstd nanvar std var"
    ),
    "numpy._core.einsumfunc.c_einsum": "einsum",
    "numpy._core._multiarray_umath: dot, inner, vdot, correlate, correlate2, count_nonzero": (
        "convolve correlate count_nonzero dot inner tensordot vdot"
    ),
    "numpy._core._multiarray_umath.where": "where",
    "numpy._core._multiarray_umath.arange": "arange",
    "numpy._ArrayMethod of float16's casts and ufunc.at": "ndarray.astype",
    "numpy.ufunc.at": "ufunc.at",
}

_GOVERNED = {name: row.governed for row in TABLE for name in row.numpy}

_lock = threading.RLock()  # protects the state below
_replaced: dict[str, _core.ReplacedUfunc] = {}  # by name; filled by `_loops`
_functions = _core.ReplacedFunctions()  # of the dtype
_operators = _core.ReplacedOperators()  # of scalars
_ineffective: frozenset[str] | None = None  # names of functions, after `_check_effects`
_is_requested = False
_has_exact_products: bool | None = None  # what `accelerate` was told last
_exact_by_environment = True  # read by `accelerate_if_requested`
_inside: list[accelerated] = []  # blocks, in the order in which they were entered

# A forked child has only one thread: a lock that another thread held would never be released.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock()))


def _loops() -> dict[str, _core.ReplacedUfunc]:
    """Return the ufuncs whose loops can be replaced; the first call finds them, others wait."""
    with _lock:
        if not _replaced:
            _replaced.update(_find_loops())
    return _replaced


def _find_loops() -> dict[str, _core.ReplacedUfunc]:
    replaceable = {}
    for ufunc in set(ufuncs().values()):
        name = ufunc.__name__
        loops = _core.replaceable_ufunc(ufunc, name in _WITHOUT_UNDERFLOW, _few(name))
        if loops and name not in _LEFT_TO_NUMPY:
            replaceable[name] = loops
    return replaceable


def _few(name: str) -> int:
    if _GOVERNED.get(name, "builtin") == "builtin" and name not in _ROUNDED_BY_NUMPY:
        return 0
    return _FEW_BITS if name in _BITS else _FEW


def is_accelerated() -> bool:
    """Return whether halfcl computes NumPy's float16 in this process now."""
    return _is_requested or bool(_inside)


def _are_products_exact() -> bool:
    """Return what the process, outside of blocks, was told last, if anything."""
    return _exact_by_environment if _has_exact_products is None else _has_exact_products


def _switch() -> None:
    """Replace or restore everything, depending on the current state."""
    decisions = [block.exact_products for block in _inside if block.exact_products is not None]
    _core.set_exact_products(decisions[-1] if decisions else _are_products_exact())
    for part in (*_loops().values(), *replaceable_methods(), _functions, _operators):
        if _is_requested or _inside:
            part.replace()
        else:
            part.restore()
    _check_effects()


def _names() -> list[str]:
    """Return the names of functions that halfcl computes according to the entries."""
    present = {"", *(entry.name for entry in ENTRIES if entry.present)}
    return " ".join(text for name, text in _FUNCTIONS.items() if name in present).split()


# ---------------------------------------------------------------- effects
#
# Calls that show whether halfcl computes a function of NumPy's on float16, by name. For functions
# that round, the result in a region shows it. The others return NumPy's results to the last bit;
# halfcl counts their calls.

#: Numbers whose sums, products and means are not halves.
_LINE = np.resize(np.array([1 + 2**-10, 1, 0.75 + 2**-11], np.float16), 96)
_ROWS = _LINE.reshape(12, 8)
_LONG = np.resize(_LINE, 1 << 15)


def _add_at() -> object:
    target = _LINE.copy()
    np.add.at(target, [0, 1, 1, 0], _LINE[:4])
    return target


#: Functions that round, and their calls.
_ROUNDING: dict[str, Callable[[], Any]] = {
    "convolve": lambda: np.convolve(_LINE, _LINE[:5]),
    "correlate": lambda: np.correlate(_LINE, _LINE[:5]),
    "cumprod": lambda: np.cumprod(_LINE),
    "cumsum": lambda: np.cumsum(_LINE),
    "dot": lambda: np.dot(_ROWS, _ROWS.T),
    "einsum": lambda: np.einsum("ij,kj->ik", _ROWS, _ROWS),
    "inner": lambda: np.inner(_ROWS, _ROWS),
    "linalg.norm": lambda: np.linalg.norm(_LINE),
    "mean": lambda: np.mean(_LINE),
    "nanmean": lambda: np.nanmean(_LINE),
    "nanstd": lambda: np.nanstd(_LINE),
    "nanvar": lambda: np.nanvar(_LINE),
    "ndarray.dot": lambda: _ROWS.dot(_ROWS.T),
    "prod": lambda: np.prod(_LINE),
    "std": lambda: np.std(_LINE),
    "sum": lambda: np.sum(_LINE),
    "tensordot": lambda: np.tensordot(_ROWS, _ROWS, 2),
    "ufunc.accumulate": lambda: np.add.accumulate(_ROWS, axis=0),
    "ufunc.at": _add_at,
    "ufunc.reduce": lambda: np.add.reduce(_ROWS, axis=0),
    "ufunc.reduceat": lambda: np.add.reduceat(_LINE, [0, 50]),
    "var": lambda: np.var(_LINE),
    "vdot": lambda: np.vdot(_LINE, _LINE),
}

#: Functions that do not round, and their calls.
_EXACT: dict[str, Callable[[], Any]] = {
    "arange": lambda: np.arange(1 << 10, dtype=np.float16),
    "argmax": lambda: np.argmax(_ROWS, axis=0),
    "argmin": lambda: np.argmin(_ROWS, axis=0),
    "argpartition": lambda: np.argpartition(_LONG, 1),
    "argsort": lambda: np.argsort(_LINE),
    "count_nonzero": lambda: np.count_nonzero(_LONG),
    "max": lambda: np.max(_ROWS, axis=1),
    "min": lambda: np.min(_ROWS, axis=1),
    "ndarray.astype": lambda: np.full(4096, 0.1).astype(np.float16),
    "nonzero": lambda: np.nonzero(_LONG),
    "partition": lambda: np.partition(_LONG, 1),
    "round": lambda: np.round(_LINE, 1),
    "around": lambda: np.around(_LINE, 1),
    "searchsorted": lambda: np.searchsorted(np.sort(_LONG), _LONG),
    "sort": lambda: np.sort(_LINE),
    "where": lambda: np.where(_LINE > 1, _LINE, _LINE),
}


def _depends_on_mode(call: Callable[[], object]) -> bool:
    results = []
    for mode in ("rtp", "rtn"):
        with _core.Region(mode):
            results.append(np.asarray(call()).tobytes())
    return results[0] != results[1]


def _is_in_effect(name: str) -> bool:
    if name in _ROUNDING:
        return holds_outside_regions(lambda: _depends_on_mode(_ROUNDING[name]))
    return holds_outside_regions(lambda: is_taken(_EXACT[name]))


def ineffective_functions(names: Iterable[str]) -> frozenset[str]:
    """Return the functions among these that NumPy computes itself although it is accelerated."""
    return frozenset(name for name in names if not _is_in_effect(name))


#: Casts and stores of a number that is not a half, which follow the mode of an Experiment.
_STORES: tuple[Callable[[], Any], ...] = (
    lambda: np.float16(0.1),
    lambda: np.float16(np.float64(0.1)),
    lambda: np.full(2, 0.1, np.float16),
    lambda: np.full(64, 0.1).astype(np.float16),
    lambda: np.float16("0.1"),
    lambda: np.array(["0.1"]).astype(np.float16),
    lambda: np.array([b"0.1"]).astype(np.float16),
    lambda: np.array(["0.1"], np.dtypes.StringDType()).astype(np.float16),
    lambda: np.fromstring("0.1", np.float16, sep=" "),
)


def do_stores_follow_experiments() -> bool:
    """Return whether float16 is rounded in an Experiment's mode wherever a number becomes one."""
    results = []
    for mode in ("rtp", "rtn"):
        experiment = _core.Experiment(mode, casts=True)
        results.append([experiment.call(lambda call=call: call().tolist(), ()) for call in _STORES])
    return all(up != down for up, down in zip(*results, strict=True))


def _check_effects() -> None:
    """Warn once, after trial calls, of functions that NumPy still computes itself."""
    global _ineffective
    if _ineffective is not None or not _functions.is_replaced:
        return
    _ineffective = frozenset()  # the calls below may come here again
    _ineffective = ineffective_functions(_names())
    if _ineffective and not IS_PLAIN:  # with HALFCL_NUMPY=plain this is expected
        warnings.warn(
            f"accelerate: expected to compute float16, got NumPy's results from "
            f"{sorted(_ineffective)}",
            RuntimeWarning,
            stacklevel=3,
        )
    if not IS_PLAIN and not holds_outside_regions(do_stores_follow_experiments):
        warnings.warn(
            "accelerate: expected stability tests to round numbers that become float16 in the mode "
            "of each run, got NumPy's, to nearest",
            RuntimeWarning,
            stacklevel=3,
        )


# ---------------------------------------------------------------- switching


def _check_exact_products(function: str, exact_products: bool | None) -> None:
    if not isinstance(exact_products, bool | None):
        raise TypeError(
            f"{function}: argument exact_products: expected True, False or None, "
            f"got {exact_products!r:.60}"
        )


def accelerate(*, children: bool = False, exact_products: bool | None = None) -> None:
    """Make NumPy compute float16 with halfcl's kernels, in the whole process.

    In every ufunc of NumPy that has loops for float16 and half, half's kernel replaces float16's
    loop; code that uses float16 does not change. Results are NumPy's, bit for bit, where NumPy
    rounds correctly. While NumPy is accelerated, a `rounding` region applies to float16 arrays
    as to those of half. A second call has no effect, except for the arguments that it names.

    Parameters
    ----------
    children : bool, optional
        Whether Python processes that start from now on accelerate, too, whether
        `multiprocessing`, `concurrent.futures`, joblib, Dask or `subprocess` starts them. It sets
        ``HALFCL_ACCELERATE=1`` in this process's environment, and puts a folder of halfcl
        before the others in ``PYTHONPATH``. ``HALFCL_ACCELERATE=0`` in the environment stays,
        so that children do not accelerate. False changes nothing, also after True.
    exact_products : bool, optional
        Whether each element of a product of float16 matrices is the exact sum of its products,
        rounded once. With False ``@``, ``matmul``, ``dot``, ``inner``, ``tensordot`` and
        ``einsum`` multiply larger matrices, and stacks of them, in float32, by NumPy's BLAS,
        and round each sum once: faster on few cores. It gives up exactness: the error of a sum
        of n products is at most n 2^-24 / (1 - n 2^-24) times the sum of their magnitudes, plus
        that of rounding. So results, and the overflow that they raise, may depend on the BLAS,
        its number of threads and the layout. In a `rounding` region other than rte products
        stay exact, and so do those of half, of vectors and of small matrices. The last call that
        names it decides; without one it is the environment's ``HALFCL_EXACT_PRODUCTS``, 0 or
        1, and True without that.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If `children` is not a bool, or `exact_products` neither that nor None.

    See Also
    --------
    decelerate : restore NumPy's loops.
    accelerated : accelerate a block of code.
    accelerated_ufuncs, accelerated_functions : names of what is replaced.

    Notes
    -----
    ``python -m halfcl run script.py`` accelerates a script and its children without a change of
    the script. With ``HALFCL_ACCELERATE=1`` in the environment, importing halfcl accelerates a
    process and its children. A forked child inherits its parent's state. Processes that run
    already do not change; nor do children whose environment lacks the two variables, and those of
    ``python -E`` and ``-I``, which ignore PYTHONPATH, unless they import halfcl. Without
    acceleration, a region has no effect on float16 arrays. Source: none in OpenCL;
    docs/reference/acceleration.md lists what is replaced, and the differences.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> x = np.ones(3, np.float16)
    >>> hc.accelerate()
    >>> with hc.rounding("rtp"):
    ...     x / 3
    array([0.3335, 0.3335, 0.3335], dtype=float16)
    >>> hc.decelerate()
    >>> with hc.rounding("rtp"):
    ...     x / 3
    array([0.3333, 0.3333, 0.3333], dtype=float16)

    Processes that start between these two calls accelerate, too:

    >>> hc.accelerate(children=True)
    >>> hc.decelerate()

    Products at the speed of float32's:

    >>> hc.accelerate(exact_products=False)
    >>> np.ones((64, 64), np.float16) @ np.ones((64, 64), np.float16)
    array([[64., 64., 64., ..., 64., 64., 64.],
           ...,
           [64., 64., 64., ..., 64., 64., 64.]], shape=(64, 64), dtype=float16)
    >>> hc.decelerate()
    """
    if not isinstance(children, bool):
        raise TypeError(
            f"accelerate: argument children: expected True or False, got {children!r:.60}"
        )
    _check_exact_products("accelerate", exact_products)
    global _is_requested, _has_exact_products
    with _lock:
        _is_requested = True
        if exact_products is not None:
            _has_exact_products = exact_products
        _switch()
        if children:
            _children.accelerate_children(exact_products=_are_products_exact())


def accelerate_if_requested() -> None:
    """Accelerate this process and its children if the environment asks for it.

    ImportError if ``HALFCL_ACCELERATE`` or ``HALFCL_EXACT_PRODUCTS`` is neither 1 nor 0.
    """
    global _exact_by_environment
    _exact_by_environment = _children.are_products_exact()
    if _children.is_requested():
        accelerate(children=True)


def decelerate() -> None:
    """Restore all that `accelerate` and `accelerated` have replaced, wherever they were called.

    What `accelerate` was told of exact products is forgotten. Calls that are running in other
    threads end with the loops with which they began. A loop that other code has put in place of
    halfcl's stays. Environment variables that ``children=True`` has set are restored, too. Children
    that run already stay accelerated, as do those that a fork server forks which runs already.

    Returns
    -------
    None

    See Also
    --------
    accelerate : replace NumPy's loops.

    Notes
    -----
    Source: none in OpenCL; see docs/reference/acceleration.md.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.decelerate()
    >>> hc.accelerated_ufuncs()
    ()
    """
    global _is_requested, _has_exact_products
    with _lock:
        _is_requested, _has_exact_products = False, None
        _inside.clear()
        _switch()
        _children.restore_children()


class accelerated:
    """A context manager that accelerates NumPy, in the whole process, for a block of code.

    Blocks may be nested, and may overlap in several threads: NumPy's loops are restored at the end
    of the last one, unless `accelerate` was called.

    Parameters
    ----------
    exact_products : bool, optional
        As for `accelerate`. Of the blocks that have begun, in any thread, and not ended, the
        one that began last and names it decides for the process; without one, `accelerate` does.

    See Also
    --------
    accelerate : accelerate without an end.

    Notes
    -----
    Source: none in OpenCL; see docs/reference/acceleration.md.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> with hc.accelerated():
    ...     "exp" in hc.accelerated_ufuncs()
    True
    >>> "exp" in hc.accelerated_ufuncs()
    False
    """

    def __init__(self, *, exact_products: bool | None = None) -> None:
        _check_exact_products("accelerated", exact_products)
        self.exact_products = exact_products
        self._blocks: list[accelerated] = []

    def __enter__(self) -> None:
        # Enter a copy, since one object may be entered many times.
        block = accelerated(exact_products=self.exact_products)
        with _lock:
            self._blocks.append(block)
            _inside.append(block)
            _switch()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with _lock:
            block = self._blocks.pop()
            if block in _inside:  # not after `decelerate`
                _inside.remove(block)
            _switch()

    def __repr__(self) -> str:
        if self.exact_products is None:
            return "accelerated()"
        return f"accelerated(exact_products={self.exact_products})"


def accelerated_ufuncs() -> tuple[str, ...]:
    """Return the names of NumPy's ufuncs whose float16 loops are halfcl's now.

    Returns
    -------
    tuple of str
        Names in alphabetical order; none without acceleration.

    See Also
    --------
    accelerate : replace NumPy's loops.

    Notes
    -----
    `accelerated_functions` returns the names of functions that are not ufuncs, such as sorting.
    Source: none in OpenCL; see docs/reference/acceleration.md.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.accelerated():
    ...     names = hc.accelerated_ufuncs()
    >>> names[:3]
    ('add', 'arccos', 'arccosh')
    """
    return tuple(sorted(name for name, loops in _loops().items() if loops.is_replaced))


def accelerated_functions() -> tuple[str, ...]:
    """Return the names of NumPy's functions, except ufuncs, that halfcl computes for float16 now.

    Returns
    -------
    tuple of str
        Names in `numpy`, in alphabetical order; none without acceleration. Functions that NumPy
        builds on these are not listed: `numpy.median` partitions, and `numpy.cov` multiplies
        matrices.

    See Also
    --------
    accelerated_ufuncs : the names of the ufuncs.
    accelerate : make halfcl compute them.

    Notes
    -----
    Source: none in OpenCL; docs/reference/acceleration.md says how each of them rounds.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.accelerated():
    ...     names = hc.accelerated_functions()
    >>> names[:4]
    ('arange', 'argmax', 'argmin', 'argpartition')
    """
    if not _functions.is_replaced:
        return ()
    return tuple(sorted(set(_names()) - (_ineffective or frozenset())))
