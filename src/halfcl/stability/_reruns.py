"""Kahan's test: the same code in every rounding mode, and at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._core import MODES, Experiment
from halfcl._support.integers import as_int
from halfcl._support.text_tables import aligned
from halfcl.stability import _measures as measures
from halfcl.stability._runs import Leaving, Result, Results, Task
from halfcl.stability._text import MOST_ROWS, in_ulps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The spread, in ulps, beyond which an element is called unstable: 5 of a half's 11 bits are then
#: rounding's. Some thirty steps that all err one way, and none of which makes errors larger, pass.
THRESHOLD = 32


class Rerun:
    """One result of a function in the four rounding modes, and maybe at random: see `rerun`.

    Printed, it is a table, the ten elements of largest spread where there are more.

    Attributes
    ----------
    name : str
        The function's.
    samples : array of shape (N, ...) or None
        The results rounded at random, if asked for.
    threshold : float
        The spread, in ulps, beyond which an element is unstable. It can be set anew.
    left : tuple of Leaving
        The steps where half turned into another type, which no mode governs.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, stability
    >>> stability.rerun(lambda x: (1 + x) - 1, half(0.01))
    <lambda>: 1 of 1 element unstable (spread over 32 ulps)
    element       rte       rtz       rtn      rtp  spread  digits
          0  0.009766  0.009766  0.009766  0.01074     128       1  unstable
    """

    def __init__(
        self,
        name: str,
        values: Sequence[Result],
        samples: NDArray[Any] | None,
        threshold: float,
        left: tuple[Leaving, ...],
        args: tuple[object, ...] = (),
    ):
        self.name = name
        self._values = values
        self.samples = samples
        self.threshold = threshold
        self.left = left
        self._args = args

    @property
    def shape(self) -> tuple[int, ...]:
        """The result's shape."""
        return tuple(np.shape(self._values[0]))

    @cached_property
    def values(self) -> dict[str, Result]:
        """The result in each mode, by ``"rte"``, ``"rtz"``, ``"rtp"`` and ``"rtn"``."""
        return dict(zip(MODES, self._values, strict=True))

    @cached_property
    def spread(self) -> NDArray[np.float64]:
        """The ulps from the least of the four values to the largest: halves from one to the other.

        0 where all are NaN or the same infinity, infinite where only some are. Values wider than
        half are placed among the halves.
        """
        return measures.spread(self._values)

    @cached_property
    def digits(self) -> NDArray[np.int64]:
        """The leading decimal digits that the four values share.

        d, from 0 to 3, where they differ by at most 10**-d of the largest; 4 where they are the
        same; 0 where any is infinite or NaN.
        """
        return measures.digits(self._values)

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether the spread is at most the threshold, element by element."""
        return np.asarray(self.spread <= self.threshold)

    @cached_property
    def significant_digits(self) -> NDArray[np.float64]:
        """The significant decimal digits of the samples' mean, estimated (CESTAC), at 95 %.

        From 0 to 3.3, what a half holds. ValueError if no samples were asked for.
        """
        if self.samples is None:
            raise ValueError("significant_digits: expected samples; rerun(f, ..., samples=N)")
        return measures.significant_digits(self.samples)

    def plot(
        self, x: ArrayLike | None = None, y: ArrayLike | None = None, *, ax: Axes | None = None
    ) -> Axes:
        """Draw it over a grid of one or two inputs, with matplotlib.

        Parameters
        ----------
        x, y : array_like, optional
            The grid: x for a result of one axis; x and y, of which y goes along the first axis,
            for one of two. Unless given, the first arguments that the shape fits, else indices.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure's unless given.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If the result has other than one or two axes, or the grid does not fit it.
        ImportError
            If matplotlib is not installed.
        """
        from halfcl.stability._plotting import plot

        return plot(self, self._args, x, y, ax)

    def _rows(self) -> list[tuple[int, ...]]:
        """The elements that the table shows."""
        flat = self.spread.ravel()
        picked = np.arange(flat.size)
        if flat.size > MOST_ROWS:
            picked = np.argsort(-flat, kind="stable")[:MOST_ROWS]
        return [tuple(map(int, np.unravel_index(k, self.shape))) for k in picked]

    def _row(self, index: tuple[int, ...]) -> list[str]:
        values = [str(np.asarray(self.values[mode])[index]) for mode in _COLUMNS]
        cells = [", ".join(map(str, index)) or "0", *values, in_ulps(float(self.spread[index]))]
        cells.append(str(self.digits[index]))
        if self.samples is not None:
            cells.append(f"{self.significant_digits[index]:.1f}")
        return [*cells, "" if self.stable[index] else "unstable"]

    def __repr__(self) -> str:
        size, unstable = self.spread.size, int(np.count_nonzero(~self.stable))
        noun = "element" if size == 1 else "elements"
        lines = [
            f"{self.name}: {unstable} of {size} {noun} unstable "
            f"(spread over {in_ulps(self.threshold)} ulps)"
        ]
        if size:
            sampled = ["significant"] if self.samples is not None else []
            head = ["element", *_COLUMNS, "spread", "digits", *sampled, ""]
            lines.append(aligned(head, map(self._row, self._rows()), left=[len(head) - 1]))
        if size > MOST_ROWS:
            lines.append(f"... and {size - MOST_ROWS} more")
        return "\n".join([*lines, *map(str, self.left)])


#: The modes as tables have them: the least and the largest beside each other, as a rule.
_COLUMNS = ("rte", "rtz", "rtn", "rtp")


def _check_samples(samples: object) -> int:
    count = as_int("samples", samples)
    if count < 0 or count == 1:
        raise ValueError(f"samples: expected 0, or 2 or more, got {count}")
    return count


def check_threshold(threshold: object) -> float:
    """The threshold as a float; ValueError unless it is a number from 0 up."""
    given: Any = threshold
    try:
        ulps = math.nan if isinstance(given, str | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        ulps = math.nan
    if not ulps >= 0:
        raise ValueError(f"threshold: expected ulps, 0 or more, got {threshold!r}")
    return ulps


def generator_of(rng: object) -> np.random.Generator:
    """The generator that ``rng`` stands for."""
    # Of anything else NumPy makes a seed, too, as deep as it is nested.
    if not isinstance(rng, int | np.integer | np.random.Generator | None):
        raise TypeError(
            f"rng: expected an int or a numpy.random.Generator, got {type(rng).__name__}"
        )
    if isinstance(rng, int | np.integer) and rng < 0:
        raise ValueError(f"rng: expected an integer from 0, got {rng}")
    return np.random.default_rng(rng)


def _sampled(task: Task, count: int, rng: object) -> list[Results]:
    """The results of runs that round at random, each with coins of its own."""
    seeds = generator_of(rng).integers(1 << 64, size=count, dtype=np.uint64)
    task.copies = True
    return task.run_all([Experiment("random", None, None, int(seed)) for seed in seeds])


def _reruns(task: Task, threshold: float, count: int, rng: object) -> list[Rerun]:
    """A Rerun for each of the task's results."""
    runs = task.run_all([Experiment(mode, None, task.note_leaving) for mode in MODES])
    task.check_rerun(runs)
    samples = _sampled(task, count, rng) if count else []
    left, found = task.left, []
    for k in range(len(runs[0])):
        name = f"{task.name}[{k}]" if task.several else task.name
        values = [run[k] for run in runs]
        sampled = np.stack([np.asarray(sample[k]) for sample in samples]) if samples else None
        found.append(Rerun(name, values, sampled, threshold, left, task.args))
    return found


def rerun(
    f: Callable[..., object],
    *args: object,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
) -> Any:
    """Run code in all four rounding modes: where the results drift apart, it is unstable.

    Parameters
    ----------
    f : callable
        Ordinary NumPy and halfcl code: ``f(*args)`` gives a half array or scalar of any shape, or
        a tuple of them. Every rounding of half in it follows the mode: operators and functions,
        sums, conversions and literals, on arrays and scalars; but not where a call or a region in
        it says a mode itself. Or a kernel of `halfcl.cl`, called with its sizes and arguments:
        it gives the arrays of half that it writes to, and the mode is its launch's.
    *args : any
        Its arguments. Arrays and scalars of float16 are handed over as half. Each run gets its
        own: where f writes to them, copies.
    samples : int, optional
        How many runs to add in which each operation on each element is rounded up or down at
        random; 2 or more, and 10 are plenty.
    rng : int or numpy.random.Generator, optional
        What the random rounding is drawn from: the same seed, the same results.
    threshold : float, optional
        The spread, in ulps, up to which an element is called stable.

    Returns
    -------
    Rerun
        The values in each mode, their spread, the digits that they share, and the verdict; a
        tuple of them where f returns a tuple.

    Raises
    ------
    TypeError
        If f is not callable, or returns anything but half arrays. (Where f left half on the way,
        wider ones are taken, and ``.left`` says where.)
    ValueError
        If two runs in the same mode differ, as where f draws random numbers. (Where an argument or
        a result has more than 4096 elements, this is looked for only if results differ widely.)

    See Also
    --------
    blame : which step makes it so.
    compare : several formulas side by side.

    Notes
    -----
    A wide spread proves that rounding decides the result. A narrow one proves nothing, though
    code that is unstable seldom passes; an enclosure by intervals does.

    Source: W. Kahan, "How futile are mindless assessments of roundoff in floating-point
    computation?", 2006: rerun in redirected roundings. Random rounding: J. Vignes,
    "A stochastic arithmetic for reliable scientific computation", 1993; D. S. Parker, "Monte
    Carlo arithmetic", 1997; F. Févotte and B. Lathuilière, "Verrou", 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, stability
    >>> x = np.array([0.001, 0.1, 1], half)
    >>> stability.rerun(lambda x: np.exp(x) - 1, x).stable
    array([False,  True,  True])
    >>> stability.rerun(np.expm1, x, samples=10, rng=1).significant_digits.round(1)
    array([3.3, 3.3, 3.3])
    """
    count, threshold = _check_samples(samples), check_threshold(threshold)
    task = Task(f, args)
    found = _reruns(task, threshold, count, rng)
    return tuple(found) if task.several else found[0]
