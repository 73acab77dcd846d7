"""The number of threads that a call may use."""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable
from operator import index
from typing import Any, SupportsIndex, TypeVar

from halfcl import _core
from halfcl._support.processors import usable_processors

__all__ = ["get_num_threads", "num_threads", "set_num_threads"]

_F = TypeVar("_F", bound=Callable[..., Any])

_EXPECTED = f"expected a number of threads from 1 to {_core.MAX_THREADS}"


def _check_count(n: SupportsIndex) -> int:
    """Return n as an int; raise an error unless it is an allowed number of threads."""
    try:
        count = None if isinstance(n, bool) else index(n)
    except TypeError:
        count = None
    if count is None:
        raise TypeError(f"n: {_EXPECTED}, got {n!r}"[:200])
    if not 1 <= count <= _core.MAX_THREADS:
        came = count if abs(count) < 1 << 64 else f"an integer of {count.bit_length()} bits"
        raise ValueError(f"n: {_EXPECTED}, got {came}")
    return count


def set_num_threads(n: int) -> None:
    """Set the number of threads that each call may use, in the whole process.

    Large calls are split over threads where that saves time. Results, and errors for
    `numpy.errstate`, are the same for any number.

    Parameters
    ----------
    n : int
        A number from 1 (no call is split) to 256, including the calling thread.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If ``n`` is not an integer.
    ValueError
        If ``n`` is not in that range.

    See Also
    --------
    num_threads : a limit for a block of code.
    get_num_threads : the number in force.

    Notes
    -----
    The initial number is ``HALFCL_NUM_THREADS``; without it, the number of processors that this
    process may use, by its affinity and the quota of its cgroups, but at most
    ``OMP_NUM_THREADS``. ``threadpoolctl.threadpool_limits`` sets it, too.
    Source: not OpenCL; see docs/reference/threads.md.

    Examples
    --------
    >>> import halfcl as hc
    >>> before = hc.get_num_threads()
    >>> hc.set_num_threads(2)
    >>> hc.get_num_threads()
    2
    >>> hc.set_num_threads(before)
    """
    _core.set_threads(_check_count(n))


def get_num_threads() -> int:
    """Return the number of threads that a call in this thread may use now.

    Returns
    -------
    int
        The number that `set_num_threads` has set, or less in a `num_threads` block of this
        thread; 1 in Dask's worker threads.

    See Also
    --------
    set_num_threads : the number for the whole process.

    Notes
    -----
    Source: not OpenCL; see docs/reference/threads.md.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.num_threads(1):
    ...     hc.get_num_threads()
    1
    """
    return _core.threads_of_call()


class num_threads(_core.ThreadLimit):
    """A limit on the threads that calls use, for code of this thread.

    Use it as a context manager or as a decorator. Blocks nest, and the innermost one counts.

    Parameters
    ----------
    n : int
        The most threads that a call may use, from 1 to 256. The number of `set_num_threads`
        limits it, too.

    Raises
    ------
    TypeError
        If ``n`` is not an integer.
    ValueError
        If ``n`` is not in that range.

    See Also
    --------
    set_num_threads : the number for the whole process.
    get_num_threads : the number in force.

    Notes
    -----
    A block governs its thread until its exit. If a generator yields or a coroutine awaits inside,
    it also governs what else the thread computes meanwhile, though no bit of that changes. The
    exit undoes this block's limit and no other, whatever was entered since.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.num_threads(1):              # calls here use this thread alone
    ...     total = hc.sum(hc.half([1, 2, 3]))
    >>> @hc.num_threads(1)
    ... def threads():
    ...     return hc.get_num_threads()
    >>> threads()
    1
    """

    __slots__ = ()

    def __init__(self, n: int) -> None:
        super().__init__(_check_count(n))

    def __call__(self, function: _F) -> _F:
        if inspect.isclass(function) or not callable(function):
            raise TypeError(f"num_threads: expected a function to decorate, got {function!r}")
        if any(stops(function) for stops in _STOPPING):
            raise TypeError(
                f"num_threads: cannot decorate {function.__name__!r}, which suspends: "
                "the limit would also govern other code of its thread; use with blocks in which "
                "it does not yield or await"
            )

        @functools.wraps(function)
        def run(*args: object, **kwargs: object) -> object:
            with self:
                return function(*args, **kwargs)

        return run  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"num_threads({self.n})"


#: Predicates of functions that suspend.
_STOPPING = (
    inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction,
)  # fmt: skip


# ---------------------------------------------------------------- the initial number


def default() -> tuple[int, str]:
    """Return the initial number of threads that calls may use, and its source in words.

    ImportError if ``HALFCL_NUM_THREADS`` is not a number of threads.
    """
    text = os.environ.get("HALFCL_NUM_THREADS")
    if text:
        return _count_in(text), "HALFCL_NUM_THREADS"
    usable = min(usable_processors(), _core.MAX_THREADS)
    # The variable is a number, or one per level of nesting; ignore other text.
    cap = re.match(r"\s*0*([1-9]\d{0,3})\s*(,|$)", os.environ.get("OMP_NUM_THREADS", ""), re.ASCII)
    if cap and int(cap[1]) < usable:
        return int(cap[1]), "OMP_NUM_THREADS"
    return usable, "the processors that this process may use"


def _count_in(text: str) -> int:
    match = re.fullmatch(r"\s*0*([1-9]\d{0,3})\s*", text, re.ASCII)
    if not match or int(match[1]) > _core.MAX_THREADS:
        raise ImportError(
            f"HALFCL_NUM_THREADS={text[:40]!r}: {_EXPECTED}",
            name="halfcl",  # lets python -m halfcl print the message alone
        )
    return int(match[1])


_core.set_threads(default()[0])
