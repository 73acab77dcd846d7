"""Exact results that a caller knows, in place of a shadow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl.stability._runs import Results, Task, is_half

#: The exact results as an argument: numbers, a tuple of them, or a function that returns these.
Truth: TypeAlias = ArrayLike | Sequence[ArrayLike] | Callable[..., Any]


def _widen(x: object) -> object:
    """Return an argument for a function of exact results: halves as doubles, also in lists."""
    if is_half(x):
        return np.asarray(x).astype(np.float64)[()]
    return type(x)(map(_widen, x)) if type(x) is list or type(x) is tuple else x


def as_doubles(x: object, name: str) -> NDArray[np.float64]:
    """Return real numbers as doubles; raise TypeError for anything else.

    >>> from halfcl.stability._shadow.truths import as_doubles
    >>> as_doubles([1, 2], "truth")
    array([1., 2.])
    """
    try:
        numbers = np.asarray(x)
        if numbers.dtype.kind not in "fiubO" and not is_half(numbers):
            raise TypeError(f"numbers of {numbers.dtype}")
        if numbers.dtype == object:  # float(None) raises an error, astype does not
            return np.array([float(x) for x in numbers.flat]).reshape(numbers.shape)
        return numbers.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"{name}: expected real numbers, got {type(x).__name__}: {error}") from None


def exact_results(truth: Truth, task: Task, results: Results) -> tuple[NDArray[np.float64], ...]:
    """Return the exact results for a task, one for each of its results.

    truth: numbers, or a function that is called with the task's arguments, halves as doubles. If
    the task returns a tuple, so does the truth. Raise TypeError unless they are real numbers,
    ValueError if their shapes differ from those of the results.
    """
    exact = truth
    if callable(truth):
        with np.errstate(all="ignore"):
            exact = truth(*map(_widen, task.args))
    if task.several and not (isinstance(exact, tuple | list) and len(exact) == len(results)):
        count = len(exact) if isinstance(exact, tuple | list) else "no tuple"
        raise ValueError(
            f"truth: expected a tuple of {len(results)} exact results, like that of {task.name}, "
            f"got {count}"
        )
    parts: Any = exact if task.several else (exact,)
    wide = []
    for k, (part, result) in enumerate(zip(parts, results, strict=True)):
        name = f"truth[{k}]" if task.several else "truth"
        numbers = as_doubles(part, name)
        if numbers.shape != np.shape(result):
            raise ValueError(
                f"{name}: expected shape {np.shape(result)}, that of the result of {task.name}, "
                f"got {numbers.shape}"
            )
        wide.append(numbers)
    return tuple(wide)
