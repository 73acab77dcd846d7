"""NumPy's own float16 on halfcl's kernels: loops replaced in the whole process, and put back."""

from __future__ import annotations

import os
import threading
import warnings
from types import TracebackType

from halfcl import _core
from halfcl._numpy import children as _children
from halfcl._numpy.compat import ENTRIES, IS_PLAIN, replaceable_methods, ufuncs
from halfcl._numpy.effects import without_effect
from halfcl._tables import TABLE

__all__ = [
    "accelerate",
    "accelerated",
    "accelerated_functions",
    "accelerated_ufuncs",
    "decelerate",
]

#: Near zero these are their argument to float, in which NumPy computes; so its loops never see
#: that the result was not exact, and never raise underflow, which the kernels do.
_WITHOUT_UNDERFLOW = frozenset({"arcsin", "arcsinh", "arctan", "sin", "sinh", "tan", "tanh"})

#: What stays NumPy's although half has a loop. `numpy.absolute` is as fast as memory; of two
#: zeros `numpy.nextafter` gives the first, and halfcl's the second, as C has it.
_LEFT_TO_NUMPY = frozenset({"absolute", "nextafter"})

#: NumPy's loop takes less time than it takes to enter halfcl's, for so few elements at most: of
#: what NumPy computes correctly, operators and exact functions. One pass over bits takes less than
#: a conversion to float and back.
_FEW, _FEW_BITS = 16, 64
_BITS = frozenset(
    """conjugate copysign equal greater greater_equal isfinite isinf isnan less less_equal
    logical_and logical_not logical_or logical_xor negative not_equal positive signbit""".split()
)

#: Built-in functions that NumPy rounds correctly, with whatever C library.
_ROUNDED_BY_NUMPY = frozenset({"deg2rad", "degrees", "ldexp", "rad2deg", "radians", "sqrt"})

#: What is no ufunc, by the entry of `ENTRIES` that lets it ask for float16; "": by functions of
#: the dtype. What NumPy makes of these, such as median of partition, is not named.
_FUNCTIONS = {
    "": "argmax argmin argsort sort vdot",
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
    "numpy._core._multiarray_umath: dot, inner, correlate, correlate2, count_nonzero": (
        "convolve correlate count_nonzero dot inner tensordot"
    ),
    "numpy._core._multiarray_umath.where": "where",
    "numpy._core._multiarray_umath.arange": "arange",
    "numpy._ArrayMethod of float16's casts and ufunc.at": "ndarray.astype",
    "numpy.ufunc.at": "ufunc.at",
}

_GOVERNED = {name: row.governed for row in TABLE for name in row.numpy}

_lock = threading.RLock()  # the state below changes at once
_replaced: dict[str, _core.ReplacedUfunc] = {}  # by name, once they were asked for
_functions = _core.ReplacedFunctions()  # of the dtype
_operators = _core.ReplacedOperators()  # of scalars
_without_effect: frozenset[str] | None = None  # functions, once it was checked
_asked = False
_inside: set[accelerated] = set()

# A thread that held it is not there in a child.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_lock=threading.RLock()))


def _loops() -> dict[str, _core.ReplacedUfunc]:
    """What can be replaced. Whoever asks first finds it; all others wait, and see all of it."""
    with _lock:
        if not _replaced:
            _replaced.update(_found_loops())
    return _replaced


def _found_loops() -> dict[str, _core.ReplacedUfunc]:
    found = {}
    for ufunc in set(ufuncs().values()):
        name = ufunc.__name__
        loops = _core.replaceable_ufunc(ufunc, name in _WITHOUT_UNDERFLOW, _few(name))
        if loops and name not in _LEFT_TO_NUMPY:
            found[name] = loops
    return found


def _few(name: str) -> int:
    if _GOVERNED.get(name, "builtin") == "builtin" and name not in _ROUNDED_BY_NUMPY:
        return 0
    return _FEW_BITS if name in _BITS else _FEW


def is_accelerated() -> bool:
    """Return whether halfcl computes NumPy's float16 in this process now."""
    return _asked or bool(_inside)


def _switch() -> None:
    """Replace or put back, as is asked for now."""
    for part in (*_loops().values(), *replaceable_methods(), _functions, _operators):
        if _asked or _inside:
            part.replace()
        else:
            part.restore()
    _check_effects()


def _names() -> list[str]:
    """Names of functions that halfcl computes as far as the entries know."""
    there = {"", *(entry.name for entry in ENTRIES if entry.present)}
    return " ".join(text for name, text in _FUNCTIONS.items() if name in there).split()


def _check_effects() -> None:
    """Find what NumPy goes on to compute itself, and warn of it: once, by calls."""
    global _without_effect
    if _without_effect is not None or not _functions.is_replaced:
        return
    _without_effect = frozenset()  # the calls below may come here again
    _without_effect = without_effect(_names())
    if _without_effect and not IS_PLAIN:  # then NumPy keeps what it was told to keep
        warnings.warn(
            f"halfcl: accelerate: NumPy computes float16 itself in {sorted(_without_effect)}",
            RuntimeWarning,
            stacklevel=3,
        )


def accelerate(*, children: bool = False) -> None:
    """Let NumPy compute float16 with halfcl's kernels, in the whole process.

    Every ufunc of NumPy's that has a loop for float16 and for half gets the latter's kernel in
    the former's place; code that uses float16 need not change, or know. Results are
    NumPy's, bit for bit, where NumPy has rounded correctly. While it is on, a `rounding`
    region governs float16 arrays as it governs half's. Done twice, it is done once.

    Parameters
    ----------
    children : bool, optional
        Whether Python processes that are started from now on accelerate, too, by whatever they
        are started: `multiprocessing`, `concurrent.futures`, joblib, Dask, `subprocess`. It sets
        ``HALFCL_ACCELERATE=1`` in this process's environment, and puts a folder of halfcl's
        before the others in ``PYTHONPATH``. ``HALFCL_ACCELERATE=0`` in the environment stays,
        and keeps children as they are. False changes nothing, also after True.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If `children` is no bool.

    See Also
    --------
    decelerate : put NumPy's loops back.
    accelerated : for a block of code.
    accelerated_ufuncs, accelerated_functions : what it replaces.

    Notes
    -----
    ``python -m halfcl run script.py`` does it for a script and its children from outside, and
    importing halfcl where the environment has ``HALFCL_ACCELERATE=1`` for a process and its
    children. A forked child has what its parent has. Processes that run already stay as they are;
    so do children with an environment that has lost the two variables, and those of ``python -E``
    and ``-I``, which reads no PYTHONPATH, unless they import halfcl. Where acceleration is off, a
    region silently leaves float16 arrays alone. Source: none of OpenCL's;
    docs/reference/acceleration.md says what is replaced, and what differs.

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

    Processes that start between these two accelerate, too:

    >>> hc.accelerate(children=True)
    >>> hc.decelerate()
    """
    if not isinstance(children, bool):
        raise TypeError(f"children: expected True or False, got {children!r:.60}")
    global _asked
    with _lock:
        _asked = True
        _switch()
        if children:
            _children.accelerate_children()


def accelerate_if_asked() -> None:
    """As the environment asks for it, when halfcl is imported.

    Raises
    ------
    ImportError
        If ``HALFCL_ACCELERATE`` is neither 1 nor 0.

    Examples
    --------
    >>> from halfcl._numpy.acceleration import accelerate_if_asked
    >>> accelerate_if_asked()
    """
    if _children.is_asked_for():
        accelerate(children=True)


def decelerate() -> None:
    """Put back what `accelerate` and `accelerated` have replaced, wherever they were called.

    Calls that run in other threads meanwhile end with the loops that they began with. A loop that
    somebody else has put over halfcl's stays. What ``children=True`` has set in this process's
    environment is taken back, too; a value that was there before stays. Children that run already
    stay accelerated, and those that a server forks which runs already are.

    Returns
    -------
    None

    See Also
    --------
    accelerate : replace them.

    Notes
    -----
    Source: none of OpenCL's; see docs/reference/acceleration.md.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.decelerate()
    >>> hc.accelerated_ufuncs()
    ()
    """
    global _asked
    with _lock:
        _asked = False
        _inside.clear()
        _switch()
        _children.restore_children()


class accelerated:
    """A block of code in which `accelerate` is on, in the whole process.

    Blocks nest, and may overlap in several threads: NumPy's loops come back with the end of the
    last one, if they were there before.

    See Also
    --------
    accelerate : without an end.

    Notes
    -----
    Source: none of OpenCL's; see docs/reference/acceleration.md.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> with hc.accelerated():
    ...     "exp" in hc.accelerated_ufuncs()
    True
    >>> "exp" in hc.accelerated_ufuncs()
    False
    """

    def __init__(self) -> None:
        self._blocks: list[accelerated] = []

    def __enter__(self) -> None:
        block = accelerated()  # one object may be entered many times
        with _lock:
            self._blocks.append(block)
            _inside.add(block)
            _switch()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with _lock:
            _inside.discard(self._blocks.pop())
            _switch()

    def __repr__(self) -> str:
        return "accelerated()"


def accelerated_ufuncs() -> tuple[str, ...]:
    """Names of NumPy's ufuncs whose float16 loops are halfcl's now.

    Returns
    -------
    tuple of str
        In alphabetical order; empty where `accelerate` is off.

    See Also
    --------
    accelerate : replace them.

    Notes
    -----
    `accelerated_functions` names casts, sorting and the like, which are no ufuncs. Source: none
    of OpenCL's; see docs/reference/acceleration.md.

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
    """Names of NumPy's functions and methods, no ufuncs, that halfcl computes float16 by now.

    Returns
    -------
    tuple of str
        Names in `numpy`, in alphabetical order; empty where `accelerate` is off. What NumPy makes
        of them is not named: `numpy.median` partitions, and `numpy.cov` multiplies matrices.

    See Also
    --------
    accelerated_ufuncs : the ufuncs.
    accelerate : let halfcl compute them.

    Notes
    -----
    Source: none of OpenCL's; docs/reference/acceleration.md says how each of them rounds.

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
    return tuple(sorted(set(_names()) - (_without_effect or frozenset())))
