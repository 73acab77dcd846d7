"""Kahan's test: the same code in every rounding mode, and at random."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._core import MODES, Experiment, half, kernels_run
from halfcl._support.arguments.integers import as_int
from halfcl._support.text_tables import align_columns
from halfcl.stability import _measures as measures
from halfcl.stability._measures import THRESHOLD
from halfcl.stability._runs import (
    NOTHING_ROUNDED,
    Leaving,
    Parting,
    Result,
    Results,
    Task,
    warn_of_nothing,
)
from halfcl.stability._shadowing import Exact, exact_results, nothing_known
from halfcl.stability._sites import Site
from halfcl.stability._text import MOST_ROWS, in_ulps
from halfcl.stability._truths import Truths

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Beside:
    """What is known of one of a function's results beside its values and samples."""

    operations: Sequence[Result] = ()
    exact: NDArray[np.float64] | None = None
    reason: str = ""
    whole: bool = False
    rounded: bool = True
    branches: tuple[Parting, ...] = ()


class Rerun:
    """One result of a function in the four rounding modes, and maybe at random: see `rerun`.

    Printed, it is a table, the ten worst elements where there are more.

    Attributes
    ----------
    name : str
        The function's.
    samples : array of shape (N, ...) or None
        The results rounded at random, if asked for.
    threshold : float
        The spread, in ulps, beyond which an element is unstable. It can be set anew.
    exact : float64 array or None
        The shadow: what the same operations give, along the branches of the run to nearest, if
        hardly anything is rounded. None where there is none.
    reason : str
        Why there is no shadow, or not of all steps; empty where there is.
    whole : bool
        Whether the shadow is of all steps. If not, it may show that a result is off, and not that
        it is right.
    rounded : bool
        Whether anything was rounded in half at all. If not, the runs had nothing to differ in.
    left : tuple of Leaving
        The steps where half turned into another type, which no mode governs.
    branches : tuple of Parting
        Comparisons that another run decides otherwise than the one to nearest: those of arrays in
        any run, and all that shadows decide otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, stability
    >>> stability.rerun(lambda x: (1 + x) - 1, half(0.01))
    <lambda>: 1 of 1 element unstable
    element       rte       rtz       rtn      rtp  spread  error  digits
          0  0.009766  0.009766  0.009766  0.01074     128   30.3       1  unstable
    """

    def __init__(
        self,
        name: str,
        values: Sequence[Result],
        samples: NDArray[Any] | None,
        threshold: float,
        left: tuple[Leaving, ...],
        args: tuple[object, ...] = (),
        beside: Beside | None = None,
    ):
        self.name = name
        self._values = values
        self.samples = samples
        self.threshold = threshold
        self.left = left
        self._args = args
        found = Beside() if beside is None else beside
        self._operations, self.rounded = found.operations, found.rounded
        self.exact, self.reason, self.whole = found.exact, found.reason, found.whole
        self.branches = found.branches

    @property
    def shape(self) -> tuple[int, ...]:
        """The result's shape."""
        return tuple(np.shape(self._values[0]))

    @cached_property
    def values(self) -> dict[str, Result]:
        """The result in each mode, by ``"rte"``, ``"rtz"``, ``"rtp"`` and ``"rtn"``."""
        return dict(zip(MODES, self._values, strict=True))

    @cached_property
    def operations(self) -> NDArray[Any]:
        """The results of runs that round each operation in a mode of its own, of shape (2, ...)."""
        runs = [np.asarray(run) for run in self._operations]
        return np.stack(runs) if runs else np.zeros((0, *self.shape), half)

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

    @cached_property
    def spread_of_all(self) -> NDArray[np.float64]:
        """The same of all runs: of the four modes, the operations' and the samples."""
        samples = () if self.samples is None else self.samples
        return measures.spread([*self._values, *self._operations, *samples])

    @cached_property
    def error(self) -> NDArray[np.float64]:
        """The ulps from the result rounded to nearest to the shadow; NaN where there is none.

        0 where the shadow rounds to the same, infinite where one is infinite or NaN alone.
        """
        if self.exact is None:
            return np.full(self.shape, np.nan)
        return measures.error(self._values[0], self.exact)

    @property
    def verdict(self) -> NDArray[np.str_]:
        """``"stable"``, ``"unstable"`` or ``"off"``, element by element.

        Off is a result that is wrong though no run shows it.
        """
        return measures.verdict(self.spread_of_all, self.error, self.threshold, self.whole)

    @property
    def stable(self) -> NDArray[np.bool_]:
        """Whether the verdict is ``"stable"``, element by element."""
        return np.asarray(self.verdict == "stable")

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

    def plot_error(self, x: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw its errors over an input, with matplotlib: Herbie's picture.

        A point is an element: how far its result, rounded to nearest, is from that of the shadow.
        A line is the median of the points about. The scale is logarithmic, that of inputs too where
        they are positive and span more than 100 times. What is infinite, or NaN, is at the top.

        Parameters
        ----------
        x : array_like, optional
            The input. Unless given, the first argument that the result's shape fits, else indices.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure's unless given.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If the result has other than one axis, the input does not fit it, or there is no shadow.
        ImportError
            If matplotlib is not installed.

        Notes
        -----
        Source: P. Panchekha, A. Sanchez-Stern, J. R. Wilcox and Z. Tatlock, Automatically improving
        accuracy for floating point expressions, PLDI 2015.
        """
        from halfcl.stability._plotting import plot_errors

        return plot_errors([self], self._args, x, ax)

    def _rows(self) -> list[tuple[int, ...]]:
        """The elements that the table shows."""
        flat = self.spread_of_all.ravel()
        picked = np.arange(flat.size)
        if flat.size > MOST_ROWS:
            ill = np.nan_to_num(self.error.ravel(), nan=0) + flat
            picked = np.lexsort((-ill, self.stable.ravel()))[:MOST_ROWS]
        return [tuple(map(int, np.unravel_index(k, self.shape))) for k in picked]

    def _row(self, index: tuple[int, ...]) -> list[str]:
        values = [str(np.asarray(self.values[mode])[index]) for mode in _COLUMNS]
        cells = [", ".join(map(str, index)) or "0", *values]
        cells.append(in_ulps(float(self.spread_of_all[index])))
        if self.exact is not None:
            cells.append(in_ulps(float(self.error[index])))
        cells.append(str(self.digits[index]))
        if self.samples is not None:
            cells.append(f"{self.significant_digits[index]:.1f}")
        word = str(self.verdict[index])
        return [*cells, "" if word == "stable" else word]

    def _heading(self) -> str:
        """How many elements are unstable, and how many off."""
        size, words = self.verdict.size, self.verdict
        noun = "element" if size == 1 else "elements"
        line = f"{self.name}: {np.count_nonzero(words == 'unstable')} of {size} {noun} unstable"
        off = np.count_nonzero(words == "off")
        return f"{line}, {off} off though no run shows it" if off else line

    def __repr__(self) -> str:
        lines = [self._heading()]
        if self.verdict.size:
            columns = ["element", *_COLUMNS, "spread"]
            columns += [] if self.exact is None else ["error"]
            columns += ["digits"] if self.samples is None else ["digits", "significant"]
            rows = map(self._row, self._rows())
            lines.append(align_columns([*columns, ""], rows, left=[len(columns)]))
        if self.verdict.size > MOST_ROWS:
            lines.append(f"... and {self.verdict.size - MOST_ROWS} more")
        lines += [] if self.rounded else [NOTHING_ROUNDED]
        if self.reason not in ("", _NOT_ASKED):
            what = "no shadow" if self.exact is None else "a shadow in part"
            lines.append(f"{what}: {self.reason}")
        lines += map(str, self.branches[:MOST_ROWS])
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


#: After so many operations their modes come again: a prime, so that no loop goes in step with it.
_PERIOD = 4093


@functools.cache
def _pattern() -> tuple[str, ...]:
    """Modes as if at random: the same in every process."""
    return tuple(MODES[k] for k in np.random.default_rng(0).integers(4, size=_PERIOD))


class _ByOperation:
    """What an Experiment asks: each operation gets a mode of its own, whole arrays at once."""

    def __init__(self, start: int):
        self.modes, self.start, self.count = _pattern(), start, 0

    def decide(self) -> str:
        self.count += 1
        return self.modes[(self.start + self.count) % _PERIOD]


#: Where in the pattern the runs begin by themselves.
_STARTS = [0, _PERIOD // 2]


def _seeds(count: int, rng: object) -> tuple[list[int], list[int]]:
    """Of the samples, and of the runs by operation."""
    if rng is None and not count:
        return [], _STARTS
    generator = generator_of(0 if rng is None else rng)
    samples = generator.integers(1 << 64, size=count, dtype=np.uint64)
    starts = generator.integers(_PERIOD, size=len(_STARTS))
    return samples.tolist(), starts.tolist()


def _sampled(task: Task, seeds: Sequence[int], truths: Sequence[Truths[Site]]) -> list[Results]:
    """The results of runs that round at random, each with coins of its own."""
    if not seeds:
        return []
    task.copies = True
    return task.run_all(
        [
            Experiment("random", None, None, seed, one.note)
            for seed, one in zip(seeds, truths, strict=True)
        ]
    )


#: The shadow follows by itself what takes it about a second at most. Each operation takes it as
#: long as so many elements.
_MOST_WORK, _WORK_OF_OPERATION = 1 << 27, 1000


_NOT_ASKED = "it was not asked for"


def _shadow_of(task: Task, results: Results, operations: int, shadow: bool | None) -> Exact:
    """What the results should be, or why that is not known."""
    if shadow is False:
        return nothing_known(results, _NOT_ASKED)
    sizes = [np.size(x) for x in (*task.args, *results) if isinstance(x, np.ndarray)]
    work = operations * (_WORK_OF_OPERATION + max(sizes, default=1))
    if shadow is None and work > _MOST_WORK:
        reason = f"its {operations} operations are many; shadow=True follows them all the same"
        return nothing_known(results, reason)
    return exact_results(task, results)


def _check_shadow(shadow: object) -> bool | None:
    if shadow is None or isinstance(shadow, bool):
        return shadow
    raise TypeError(f"shadow: expected True, False or None, got {shadow!r:.80}")


def _reruns(
    task: Task, threshold: float, count: int, rng: object, shadow: bool | None
) -> list[Rerun]:
    """A Rerun for each of the task's results."""
    seeds, starts = _seeds(count, rng)
    by_operation = [_ByOperation(start) for start in starts]
    names = [*MODES, *_numbered("operations", starts), *_numbered("random", seeds)]
    truths = [task.truths() for _ in names]
    ways = [(mode, None) for mode in MODES] + [("rte", one.decide) for one in by_operation]
    regions = [
        Experiment(mode, decide, task.note_leaving, 0, one.note)
        for (mode, decide), one in zip(ways, truths, strict=False)
    ]
    kernels = kernels_run()
    runs = task.run_all(regions)
    # Some kernels count and do not ask, as those that a call gives a mode; others ask alone.
    rounded = kernels_run() != kernels or any(one.count for one in by_operation)
    task.check_rerun(runs[: len(MODES)])
    samples = _sampled(task, seeds, truths[len(runs) :])
    exact = _shadow_of(task, runs[0], by_operation[0].count, shadow)
    branches = task.partings(list(zip(names, truths, strict=True)), exact.parted)
    if not rounded and not task.left:
        warn_of_nothing(task, runs[0])
    found = []
    for k in range(len(runs[0])):
        name = f"{task.name}[{k}]" if task.several else task.name
        values = [run[k] for run in runs]
        sampled = _stacked(samples, k) if samples else None
        beside = Beside(
            values[len(MODES) :], exact.results[k], exact.reason, exact.whole, rounded, branches
        )
        found.append(
            Rerun(name, values[: len(MODES)], sampled, threshold, task.left, task.args, beside)
        )
    return found


def _numbered(name: str, runs: Sequence[object]) -> list[str]:
    return [f"{name} {k + 1}" for k in range(len(runs))]


def _stacked(runs: Sequence[Results], k: int) -> NDArray[Any]:
    return np.stack([np.asarray(run[k]) for run in runs])


def rerun(
    f: Callable[..., object],
    *args: object,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
    shadow: bool | None = None,
) -> Any:
    """Run code in all four rounding modes, and beside its shadow: which results are to be trusted.

    Where the runs drift apart, rounding decides the result. Two more runs round each operation in
    a mode of its own. The shadow, the same operations in numbers of twice a double's digits, tells
    what the results rounded to nearest are off by, also where all runs agree.

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
        What the random rounding, and the modes by operation, are drawn from: the same seed, the
        same results. Without it they are the same each time.
    threshold : float, optional
        The spread, in ulps, up to which an element is called stable. Half of it may be its error.
    shadow : bool, optional
        Whether to run the shadow. By default it is, unless that would take about a second or more:
        some 10,000 to 100,000 operations, by the size of arrays.

    Returns
    -------
    Rerun
        The values in each mode, their spread, the digits that they share, the error, and the
        verdict: stable, unstable, or off, which is wrong though no run shows it; a tuple of them
        where f returns a tuple.

    Raises
    ------
    TypeError
        If f is not callable, or returns anything but half arrays. (Where f left half on the way,
        wider ones are taken, and ``.left`` says where.)
    ValueError
        If two runs in the same mode differ, as where f draws random numbers. (Where an argument or
        a result has more than 4096 elements, this is looked for only if results differ widely.)

    Warns
    -----
    RuntimeWarning
        If f computes, and nothing of it is rounded in half: the runs had nothing to differ in.

    See Also
    --------
    blame : which step makes it so.
    compare : several formulas side by side.

    Notes
    -----
    A wide spread proves that rounding decides the result. A narrow one proves nothing, and a
    shadow follows a formula that is wrong; an enclosure by intervals proves. The shadow takes the
    branches of the run to nearest. Where there is none, ``.reason`` says why, and the spread alone
    makes the verdict.

    Accuracy of the shadow: sums, products, quotients and square roots some 100 bits, other
    functions, and all of arrays of more than 4096 elements, those of doubles, of more than 8192
    those of floats.

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
    >>> stability.rerun(lambda n: np.arctan(n + 1) - np.arctan(n), half([3, 30])).verdict
    array(['stable', 'off'], dtype='<U8')
    >>> stability.rerun(np.expm1, x, samples=10, rng=1).significant_digits.round(1)
    array([3.3, 3.3, 3.3])
    """
    count, threshold = _check_samples(samples), check_threshold(threshold)
    task = Task(f, args)
    found = _reruns(task, threshold, count, rng, _check_shadow(shadow))
    return tuple(found) if task.several else found[0]
