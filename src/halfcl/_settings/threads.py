"""How many threads a call may use."""

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


def _checked(n: SupportsIndex) -> int:
    """A number of threads, or an error."""
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
    """Let each call use as many threads, in the whole process.

    Large calls are split over threads where that pays. Results, and what reaches
    `numpy.errstate`, are the same for any number.

    Parameters
    ----------
    n : int
        From 1, which splits nothing, to 256; the calling thread is one of them.

    Returns
    -------
    None

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is not in that range.

    See Also
    --------
    num_threads : a limit for some code alone.
    get_num_threads : what is in force.

    Notes
    -----
    At first it is ``HALFCL_NUM_THREADS``; without it as many as there are processors that this
    process may use, by its affinity and the quota of its cgroups, but no more than
    ``OMP_NUM_THREADS`` says. ``threadpoolctl.threadpool_limits`` sets it, too.
    Source: none of OpenCL's; see docs/reference/threads.md.

    Examples
    --------
    >>> import halfcl as hc
    >>> before = hc.get_num_threads()
    >>> hc.set_num_threads(2)
    >>> hc.get_num_threads()
    2
    >>> hc.set_num_threads(before)
    """
    _core.set_threads(_checked(n))


def get_num_threads() -> int:
    """How many threads a call made here and now may use.

    Returns
    -------
    int
        What `set_num_threads` has set, or less in a `num_threads` block of this thread; 1 in
        the threads that Dask computes in.

    See Also
    --------
    set_num_threads : for the whole process.

    Notes
    -----
    Source: none of OpenCL's; see docs/reference/threads.md.

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
        How many a call may use at most, from 1 to 256. It takes no more than
        `set_num_threads` allows.

    Raises
    ------
    TypeError
        If it is no integer.
    ValueError
        If it is not in that range.

    See Also
    --------
    set_num_threads : for the whole process.
    get_num_threads : what is in force.

    Notes
    -----
    A block governs its thread until it is left: if it is left open by a generator that yields or a
    coroutine that awaits inside, also what else the thread computes meanwhile, of which
    no bit depends on it. Leaving takes away what this block has set, and nothing else, whatever
    was entered since.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.num_threads(1):              # what is computed here uses this thread alone
    ...     total = hc.sum(hc.half([1, 2, 3]))
    >>> @hc.num_threads(1)
    ... def threads():
    ...     return hc.get_num_threads()
    >>> threads()
    1
    """

    __slots__ = ()

    def __init__(self, n: int) -> None:
        super().__init__(_checked(n))

    def __call__(self, function: _F) -> _F:
        if inspect.isclass(function) or not callable(function):
            raise TypeError(f"num_threads: expected a function to decorate, got {function!r}")
        if any(stops(function) for stops in _STOPPING):
            raise TypeError(
                f"num_threads: cannot decorate {function.__name__!r}, which stops in between: "
                "the limit would hold for what else its thread does; use with blocks in which it "
                "does not yield or await"
            )

        @functools.wraps(function)
        def run(*args: object, **kwargs: object) -> object:
            with self:
                return function(*args, **kwargs)

        return run  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"num_threads({self.n})"


#: What tells functions that can be left and come back to.
_STOPPING = (
    inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction,
)  # fmt: skip


# ---------------------------------------------------------------- at first


def default() -> tuple[int, str]:
    """How many threads calls may use at first.

    Returns
    -------
    count : int
    reason : str
        What says so, as ``python -m halfcl info`` shows it.

    Raises
    ------
    ImportError
        If ``HALFCL_NUM_THREADS`` is no number of threads.

    Examples
    --------
    >>> from halfcl._settings.threads import default
    >>> default()  # doctest: +SKIP
    (16, 'the processors that this process may use')
    """
    asked = os.environ.get("HALFCL_NUM_THREADS")
    if asked:
        return _count_in(asked), "HALFCL_NUM_THREADS"
    usable = min(usable_processors(), _core.MAX_THREADS)
    # One number, or one for each level of nesting. What OpenMP makes of others is its affair.
    cap = re.match(r"\s*0*([1-9]\d{0,3})\s*(,|$)", os.environ.get("OMP_NUM_THREADS", ""), re.ASCII)
    if cap and int(cap[1]) < usable:
        return int(cap[1]), "OMP_NUM_THREADS"
    return usable, "the processors that this process may use"


def _count_in(asked: str) -> int:
    match = re.fullmatch(r"\s*0*([1-9]\d{0,3})\s*", asked, re.ASCII)
    if not match or int(match[1]) > _core.MAX_THREADS:
        raise ImportError(
            f"HALFCL_NUM_THREADS={asked[:40]!r}: {_EXPECTED}",
            name="halfcl",  # by which python -m halfcl tells that the message says it all
        )
    return int(match[1])


_core.set_threads(default()[0])
