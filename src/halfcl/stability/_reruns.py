"""Kahan's test: reruns of code in every rounding mode, and at random."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVarTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._core import MODES, Experiment, half, kernels_run
from halfcl._support.arguments.integers import as_int
from halfcl._support.pages.notebooks import Block, Displayed
from halfcl._support.text_tables import Table
from halfcl.stability import _measures as measures
from halfcl.stability._array_comparisons import ComparisonRecorder
from halfcl.stability._measures import THRESHOLD, Scale
from halfcl.stability._observing.nonfinite import NotFinite
from halfcl.stability._runs import (
    NOTHING_ROUNDED,
    BranchDivergence,
    Promotion,
    Result,
    Results,
    Task,
    Truth,
    exact_results,
    warn_nothing_rounded,
)
from halfcl.stability._shadow.run import ShadowResults, run_shadow, without_shadow
from halfcl.stability._sites import CodeLocation, Site
from halfcl.stability._text import MOST_ROWS, format_ulps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_Arguments = TypeVarTuple("_Arguments")


class Rerun(Displayed):
    """One result of a function in all runs (see `rerun`); its repr is a table, also in notebooks.

    The table shows the ten worst elements if there are more.

    Attributes
    ----------
    name : str
        The name of the function.
    samples : array of shape (N, ...) or None
        The results rounded at random; None if no samples were requested.
    threshold : float
        The spread, in ulps, above which an element is unstable. It may be changed.
    exact : float64 array or None
        The exact results: the given truth, or else the shadow, the results of the same operations
        in much higher precision. None if there are none. A finite number beyond the range of
        doubles is the largest double of its sign.
    reason : str
        Why there is no shadow, or why it does not cover all steps; otherwise empty.
    whole : bool
        Whether the shadow covers all steps. If not, it can show that a result is off, but not that
        it is right.
    rounded : bool
        Whether anything was rounded in half at all. If not, the runs cannot differ.
    promotions : tuple of Promotion
        The steps that promoted half to another type, which no mode governs.
    scale : str or None
        The unit of differences: "max", "norm" or "abs:x"; None for each element's own ulps.
    divergences : tuple of BranchDivergence
        Comparisons of arrays that any run decides differently from the run to nearest, and all
        comparisons and choices that the shadow decides differently.
    not_finite : tuple of records
        What made infinities and NaNs in the run to nearest, in the order of their first
        occurrences: ``.location``, ``.text`` ("log of 0", "overflow of 300 * 300"), ``.operation``,
        ``.operands`` and ``.reason``.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, stability
    >>> stability.rerun(lambda x: (1 + x) - 1, half(0.01))
    <lambda>: 1 of 1 element unstable
    element       rte       rtz       rtn      rtp  spread  error  digits
          0  0.009766  0.009766  0.009766  0.01074     128     31       1  unstable
    """

    def __init__(
        self,
        name: str,
        values: Sequence[Result],
        samples: NDArray[Any] | None,
        threshold: float,
        promotions: tuple[Promotion, ...],
        args: tuple[tuple[str, object], ...] = (),
        *,
        operations: Sequence[Result] = (),
        exact: NDArray[np.float64] | None = None,
        reason: str = "",
        whole: bool = False,
        rounded: bool = True,
        divergences: tuple[BranchDivergence, ...] = (),
        scale: Scale | None = None,
        not_finite: tuple[NotFinite[CodeLocation], ...] = (),
    ):
        self.name, self.samples, self.threshold = name, samples, threshold
        self._scale = scale
        self._values, self._args, self._operations = values, args, operations
        self.exact, self.reason, self.whole = exact, reason, whole
        self.rounded, self.promotions, self.divergences = rounded, promotions, divergences
        self.not_finite = not_finite

    @property
    def scale(self) -> str | None:
        """The unit of differences: "max", "norm" or "abs:x"; None for each element's own ulps."""
        return None if self._scale is None else str(self._scale)

    @property
    def _sized(self) -> Result | NDArray[np.float64]:
        """The values whose magnitude a scale takes: the exact ones, else those to nearest."""
        return self._values[0] if self.exact is None else self.exact

    @cached_property
    def unit(self) -> float | None:
        """The unit of `spread` and `error` with a scale; None for each element's own ulps.

        One ulp of the largest finite element or of the 2-norm of the exact results (without them,
        of the results to nearest), or the x of "abs:x".
        """
        return measures.unit_of(self._scale, self._sized)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return tuple(np.shape(self._values[0]))

    @cached_property
    def values(self) -> dict[str, Result]:
        """The result in each mode: ``"rte"``, ``"rtz"``, ``"rtp"`` and ``"rtn"``."""
        return dict(zip(MODES, self._values, strict=True))

    @cached_property
    def operations(self) -> NDArray[Any]:
        """The results of two runs in which each operation has a mode of its own; shape (2, ...)."""
        runs = [np.asarray(run) for run in self._operations]
        return np.stack(runs) if runs else np.zeros((0, *self.shape), half)

    @cached_property
    def spread(self) -> NDArray[np.float64]:
        """The ulps from the least of the four values to the largest: the number of halves between.

        0 where all are NaN or the same infinity, infinite where only some are. Between two halves,
        wider values count as fractions. With a scale, in its units.
        """
        return measures.spread(self._values, self.unit)

    @cached_property
    def digits(self) -> NDArray[np.int64]:
        """The leading decimal digits that the four values share, from 0 to 4.

        d (0 to 3) where they differ by at most 10**-d of the largest (with a scale, of the largest
        element, the 2-norm, or 2048 units); 4 where they are equal; 0 where any is infinite or NaN.
        """
        return measures.digits(self._values, self._size)

    @cached_property
    def _size(self) -> float | None:
        """The magnitude to which digits are relative with a scale."""
        return measures.size_of(self._scale, self._sized)

    @cached_property
    def spread_of_all(self) -> NDArray[np.float64]:
        """The spread of all runs: those in the four modes, those by operation, and the samples."""
        samples = () if self.samples is None else self.samples
        return measures.spread([*self._values, *self._operations, *samples], self.unit)

    @cached_property
    def error(self) -> NDArray[np.float64]:
        """The ulps from the result rounded to nearest to the exact one; NaN if that is unknown.

        0 where the exact result rounds to the half, infinite where only one is infinite or NaN.
        With a scale, in its units.
        """
        if self.exact is None:
            return np.full(self.shape, np.nan)
        return measures.error(self._values[0], self.exact, self.unit)

    @property
    def verdict(self) -> NDArray[np.str_]:
        """The verdict on each element, a word.

        Finite elements: ``"stable"``, ``"unstable"``, or ``"off"``: the result is wrong, although
        no run shows it. Where the error is known, it decides; else the spread.

        Elements that are infinite or NaN are never stable: ``"overflows"`` if the exact result is
        a finite number beyond half's range, ``"infinite"`` if it is infinite, too (1 / 0),
        ``"undefined"`` if it is NaN, too (log of -1), ``"not finite"`` if it is unknown; otherwise
        the result is wrong: "unstable" or "off".
        """
        return measures.verdict(
            self._values[0], self.spread_of_all, self.error, self.exact, self.threshold, self.whole
        )

    @property
    def stable(self) -> NDArray[np.bool_]:
        """The elements whose verdict is ``"stable"``, as bools; infinities and NaN never are."""
        return np.asarray(self.verdict == "stable")

    @property
    def bad(self) -> NDArray[np.bool_]:
        """The elements that are wrong, or may be, as bools.

        Their verdict is ``"unstable"``, ``"off"`` or ``"not finite"``.
        """
        return measures.is_bad(self.verdict)

    @cached_property
    def significant_digits(self) -> NDArray[np.float64]:
        """The estimated significant decimal digits of the samples' mean (CESTAC, 95 % confidence).

        From 0 to 3.3, the precision of half. Raises ValueError if there are no samples.
        """
        if self.samples is None:
            raise ValueError(
                "significant_digits: expected samples, got none; use rerun(f, ..., samples=N)"
            )
        return measures.significant_digits(self.samples, self._size)

    def plot(
        self, x: ArrayLike | None = None, y: ArrayLike | None = None, *, ax: Axes | None = None
    ) -> Axes:
        """Draw the result over one or two inputs, or a scalar's runs on a number line.

        Parameters
        ----------
        x, y : array_like, optional
            The inputs: x for a result of one axis; x and y for two axes, where y belongs to the
            first axis; none for a scalar. By default the first arguments whose shapes fit, whose
            names are the axes' labels, else indices.
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If the result has more than two axes or no elements, or the inputs' shapes do not fit.
        MissingPackageError
            If matplotlib is not installed.
        """
        from halfcl.stability._plotting import plot

        return plot(self, self._args, x, y, ax)

    def plot_error(self, x: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the errors over an input, with matplotlib, as Herbie does.

        A point is the error of one element's result, rounded to nearest, against the shadow. The
        line is a running median. The scale of errors is logarithmic; so is that of inputs if they
        are positive with a ratio of more than 100. Infinities and NaN are at the top.

        Parameters
        ----------
        x : array_like, optional
            The input. By default the first argument whose shape fits, else indices.
        ax : matplotlib.axes.Axes, optional
            The axes to draw in; by default those of a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If the result does not have one axis, the input's shape does not fit, or there is no
            shadow.
        MissingPackageError
            If matplotlib is not installed.

        Notes
        -----
        Source: P. Panchekha, A. Sanchez-Stern, J. R. Wilcox and Z. Tatlock, Automatically improving
        accuracy for floating point expressions, PLDI 2015.
        """
        from halfcl.stability._plotting import plot_errors

        return plot_errors([self], self._args, x, ax)

    def _rows(self) -> list[tuple[int, ...]]:
        """Return the indices of the elements that the table shows."""
        flat = self.spread_of_all.ravel()
        picked = np.arange(flat.size)
        if flat.size > MOST_ROWS:
            ill = np.nan_to_num(self.error.ravel(), nan=0) + flat
            ranks = np.where(self.bad, 0, np.where(self.stable, 2, 1)).ravel()
            picked = np.lexsort((-ill, ranks))[:MOST_ROWS]
        return [tuple(map(int, np.unravel_index(k, self.shape))) for k in picked]

    def _row(self, index: tuple[int, ...]) -> list[str]:
        values = [str(np.asarray(self.values[mode])[index]) for mode in _COLUMNS]
        cells = [", ".join(map(str, index)) or "0", *values]
        cells.append(format_ulps(float(self.spread_of_all[index])))
        if self.exact is not None:
            cells.append(format_ulps(float(self.error[index])))
        cells.append(str(self.digits[index]))
        if self.samples is not None:
            cells.append(f"{self.significant_digits[index]:.1f}")
        word = str(self.verdict[index])
        return [*cells, "" if word == "stable" else word]

    def _heading(self) -> str:
        """Return the first line: how many elements have each verdict."""
        size, words = self.verdict.size, self.verdict
        noun = "element" if size == 1 else "elements"
        line = f"{self.name}: {np.count_nonzero(words == 'unstable')} of {size} {noun} unstable"
        counts = ((np.count_nonzero(words == word), text) for word, text in _COUNTED)
        return ", ".join([line, *(text.format(count) for count, text in counts if count)])

    def _table(self) -> Table:
        columns = ["element", *_COLUMNS, "spread"]
        columns += [] if self.exact is None else ["error"]
        columns += ["digits"] if self.samples is None else ["digits", "significant"]
        rows = [self._row(index) for index in self._rows()]
        verdicts = len(columns)
        marked = [k for k, row in enumerate(rows) if row[verdicts]]
        return Table([*columns, ""], rows, words=[verdicts], marked=marked)

    def _blocks(self) -> list[Block]:
        lines: list[Block] = [self._heading()]
        lines += [] if self._scale is None else [f"spread and error in {self._scale.name}"]
        lines += [self._table()] if self.verdict.size else []
        if self.verdict.size > MOST_ROWS:
            lines.append(f"... and {self.verdict.size - MOST_ROWS} more")
        lines += [] if self.rounded else [NOTHING_ROUNDED]
        if self.reason not in ("", _NOT_REQUESTED):
            heading = "no shadow" if self.exact is None else "incomplete shadow"
            lines.append(f"{heading}: {self.reason}")
        if self.not_finite and not np.isfinite(np.asarray(self._values[0], np.float64)).all():
            first = self.not_finite[0]
            lines.append(f"first not finite: {first.text} at {first.location}")
        lines += map(str, self.divergences[:MOST_ROWS])
        return [*lines, *map(str, self.promotions)]


#: Further verdicts, and how the first line counts them.
_COUNTED = (
    ("off", "{} off although no run shows it"),
    ("not finite", "{} not finite"),
    ("overflows", "{} beyond half's range"),
    ("infinite", "{} rightly infinite"),
    ("undefined", "{} rightly NaN"),
)

#: The modes in the order of the table: usually the least and the largest are neighbours.
_COLUMNS = ("rte", "rtz", "rtn", "rtp")


def _check_samples(samples: object) -> int:
    count = as_int("samples", samples)
    if count < 0 or count == 1:
        raise ValueError(f"samples: expected 0, or 2 or more, got {count}")
    return count


def check_threshold(threshold: object) -> float:
    """Return the threshold as a float; raise ValueError unless it is a number from 0 up."""
    number: Any = threshold
    try:
        ulps = math.nan if isinstance(number, str | bytes) else float(number)
    except (TypeError, ValueError, OverflowError):
        ulps = math.nan
    if not ulps >= 0:
        raise ValueError(f"threshold: expected ulps, 0 or more, got {threshold!r}")
    return ulps


def as_generator(rng: object) -> np.random.Generator:
    """Return the generator for ``rng``: a seed, a generator or None."""
    # NumPy would accept other objects as seeds, such as nested lists.
    if not isinstance(rng, int | np.integer | np.random.Generator | None):
        raise TypeError(
            f"rng: expected an int or a numpy.random.Generator, got {type(rng).__name__}"
        )
    if isinstance(rng, int | np.integer) and rng < 0:
        raise ValueError(f"rng: expected an integer from 0, got {rng}")
    return np.random.default_rng(rng)


#: The modes repeat after so many operations: a prime, so that few loops have the same period.
_PERIOD = 4093


@functools.cache
def _pattern() -> tuple[str, ...]:
    """Return pseudorandom modes, the same in every process."""
    return tuple(MODES[k] for k in np.random.default_rng(0).integers(4, size=_PERIOD))


class _ModeByOperation:
    """Gives each operation on whole arrays a mode of its own; an Experiment calls `decide`."""

    def __init__(self, start: int):
        self.modes, self.start, self.count = _pattern(), start, 0

    def decide(self) -> str:
        """Return the rounding mode of the next operation."""
        self.count += 1
        return self.modes[(self.start + self.count) % _PERIOD]


#: Where in the pattern the runs start by default.
_STARTS = [0, _PERIOD // 2]


def _seeds(count: int, rng: object) -> tuple[list[int], list[int]]:
    """Return the seeds of the samples, and the starts of the runs by operation."""
    if rng is None and not count:
        return [], _STARTS
    generator = as_generator(0 if rng is None else rng)
    samples = generator.integers(1 << 64, size=count, dtype=np.uint64)
    starts = generator.integers(_PERIOD, size=len(_STARTS))
    return samples.tolist(), starts.tolist()


def _run_samples(
    task: Task, seeds: Sequence[int], recorders: Sequence[ComparisonRecorder[Site]]
) -> list[Results]:
    """Return the results of runs that round at random, each with its own seed."""
    if not seeds:
        return []
    task.copies = True
    return task.run_all(
        [
            Experiment("random", None, None, seed, recorder.record, casts=True)
            for seed, recorder in zip(seeds, recorders, strict=True)
        ]
    )


#: By default the shadow is computed if that takes at most about a second of work: the number of
#: elements, where each operation costs as much as _WORK_OF_OPERATION elements.
_MOST_WORK, _WORK_OF_OPERATION = 1 << 27, 1000


_NOT_REQUESTED = "it was not requested"


def _compute_exact(
    task: Task, results: Results, operations: int, shadow: bool | None, truth: Truth | None
) -> ShadowResults:
    """Return the exact results: the given truth, or else the shadow.

    A given truth replaces the shadow, which is then computed only for its branches, on request.
    """
    if truth is None:
        return _compute_shadow(task, results, operations, shadow)
    exact = exact_results(truth, task, results)
    divergent = run_shadow(task, results).divergent if shadow else {}
    return ShadowResults(exact, "", True, divergent)


def _compute_shadow(
    task: Task, results: Results, operations: int, shadow: bool | None
) -> ShadowResults:
    """Return the shadow of the results, or the reason why there is none."""
    if shadow is False:
        return without_shadow(results, _NOT_REQUESTED)
    sizes = [np.size(x) for x in (*task.args, *results) if isinstance(x, np.ndarray)]
    work = operations * (_WORK_OF_OPERATION + max(sizes, default=1))
    if shadow is None and work > _MOST_WORK:
        reason = (
            f"its {operations} operations would take long; shadow=True computes it nevertheless"
        )
        return without_shadow(results, reason)
    return run_shadow(task, results)


def _check_shadow(shadow: object) -> bool | None:
    if shadow is None or isinstance(shadow, bool):
        return shadow
    raise TypeError(f"shadow: expected True, False or None, got {shadow!r:.80}")


def _reruns(
    task: Task,
    threshold: float,
    count: int,
    rng: object,
    shadow: bool | None,
    scale: Scale | None,
    truth: Truth | None,
) -> list[Rerun]:
    """Return a Rerun for each of the task's results."""
    seeds, starts = _seeds(count, rng)
    by_operation = [_ModeByOperation(start) for start in starts]
    names = [*MODES, *_number("operations", starts), *_number("random", seeds)]
    recorders = [task.new_recorder() for _ in names]
    modes: list[tuple[str, Callable[[], str] | None, int]] = [(mode, None, 0) for mode in MODES]
    modes += [("rte", one.decide, one.start) for one in by_operation]
    not_finite = task.new_not_finite_recorder()
    # In runs by operation a number has no mode of its own, so that equal literals are equal halves.
    regions = [
        Experiment(
            mode, decide, task.record_promotion, seed, recorder.record, casts=True,
            not_finite=None if k else not_finite.record, numbers=2 if decide else 0,
        )
        for k, ((mode, decide, seed), recorder) in enumerate(zip(modes, recorders, strict=False))
    ]  # fmt: skip
    kernels = kernels_run()
    runs = task.run_all(regions)
    # Kernels with a mode of their own are counted, but call no `decide`; others only call it.
    rounded = kernels_run() != kernels or any(one.count for one in by_operation)
    task.check_repeats_if_suspect(runs[: len(MODES)])
    samples = _run_samples(task, seeds, recorders[len(runs) :])
    exact = _compute_exact(task, runs[0], by_operation[0].count, shadow, truth)
    divergences = task.divergences(list(zip(names, recorders, strict=True)), exact.divergent)
    if not rounded and not task.promotions:
        warn_nothing_rounded(task, runs[0])
    reruns = []
    for k in range(len(runs[0])):
        name = f"{task.name}[{k}]" if task.several else task.name
        values = [run[k] for run in runs]
        stacked = _stack(samples, k) if samples else None
        reruns.append(Rerun(
            name, values[: len(MODES)], stacked, threshold, task.promotions, task.named_args,
            operations=values[len(MODES) :], exact=exact.results[k], reason=exact.reason,
            whole=exact.whole, rounded=rounded, divergences=divergences, scale=scale,
            not_finite=task.describe_not_finite(not_finite),
        ))  # fmt: skip
    return reruns


def _number(name: str, runs: Sequence[object]) -> list[str]:
    return [f"{name} {k + 1}" for k in range(len(runs))]


def _stack(runs: Sequence[Results], k: int) -> NDArray[Any]:
    return np.stack([np.asarray(run[k]) for run in runs])


@overload
def rerun(
    f: Callable[[*_Arguments], NDArray[Any] | np.generic | float],
    *args: *_Arguments,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
    shadow: bool | None = None,
    scale: str | None = None,
    truth: Truth | None = None,
) -> Rerun: ...
@overload
def rerun(
    f: Callable[[*_Arguments], tuple[object, ...]],
    *args: *_Arguments,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
    shadow: bool | None = None,
    scale: str | None = None,
    truth: Truth | None = None,
) -> tuple[Rerun, ...]: ...
@overload
def rerun(
    f: Callable[..., object],
    *args: object,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
    shadow: bool | None = None,
    scale: str | None = None,
    truth: Truth | None = None,
) -> Any: ...
def rerun(
    f: Callable[..., object],
    *args: object,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
    shadow: bool | None = None,
    scale: str | None = None,
    truth: Truth | None = None,
) -> Any:
    """Run code in all four rounding modes and with a shadow, and report which results to trust.

    Where the runs differ widely, rounding decides the result. Two more runs round each operation in
    a mode of its own. The shadow (the same operations in double-double) gives the errors of the
    results rounded to nearest, also where all runs agree.

    Parameters
    ----------
    f : callable
        Ordinary NumPy and halfcl code: ``f(*args)`` returns a half array or scalar of any shape, or
        a tuple of them. Every rounding of half in it uses the run's mode: operators and functions,
        sums, conversions and literals, on arrays and scalars; except where a call or a region in
        it sets a mode itself. f may also be a kernel of `halfcl.cl`, called with its sizes and
        arguments: it returns the arrays of half that it writes to, and is launched in the mode.
    *args : any
        The arguments of f. Arrays and scalars of float16 are passed as half. If f writes to its
        arguments, each run gets copies.
    samples : int, optional
        Number of additional runs in which each operation on each element is rounded up or down at
        random; 2 or more, and 10 are enough.
    rng : int or numpy.random.Generator, optional
        Source of the random rounding and of the modes by operation. The same seed gives the same
        results; so do calls without rng.
    threshold : float, optional
        The spread, in ulps, up to which an element of unknown error is stable. A known error may
        be half of that (a quarter if the spread exceeds six thresholds), whatever the spread.
    shadow : bool, optional
        Whether to compute the shadow. By default it is computed unless that would take about a
        second or more: some 10,000 to 100,000 operations, depending on the size of arrays.
    scale : str, optional
        The unit of differences, in place of each element's own ulps: "max" for ulps of the
        result's largest finite element, "norm" for ulps of the 2-norm of its finite elements,
        "abs:1e-3" for units of 1e-3. The element and the norm are those of the exact result, or
        of the result to nearest if that is unknown. The ulp of a number is the distance of
        neighbouring halves at its magnitude. Spread, error and threshold count in this unit;
        digits are relative to the largest element, the norm, or 2048 units.
    truth : array_like or callable, optional
        The exact results, which replace the shadow: real numbers of the result's shape (NaN where
        the result is undefined), a tuple of these if f returns a tuple, or a function that
        returns them. It is called with the arguments of f, halves as float64.

    Returns
    -------
    Rerun
        The values in each mode, their spread, the digits that they share, the error, and the
        verdict: "stable", "unstable" or "off" (wrong, although no run shows it); for elements that
        are infinite or NaN "overflows", "infinite", "undefined" or "not finite" (see
        `Rerun.verdict`). A tuple of reports if f returns a tuple.

    Raises
    ------
    TypeError
        If f is not callable, or returns anything but half arrays. (Wider results are accepted if f
        promotes half; ``.promotions`` says where.) If truth does not consist of real numbers.
    ValueError
        If scale or the shape of truth is another than above. If two runs in the same mode differ,
        for example since f draws random numbers. (If an
        argument or a result has more than 4096 elements, this is checked only if results differ
        widely.)

    Warns
    -----
    RuntimeWarning
        If f computes, but rounds nothing in half, so that the runs cannot differ.

    See Also
    --------
    blame : find the steps that make the result unstable.
    compare : compare several formulas.

    Notes
    -----
    A wide spread proves that rounding decides the result; if the error is small nevertheless, the
    result is right, and stable. A narrow spread proves nothing, and a shadow follows the formula
    even if it is wrong; only enclosures by intervals prove bounds. If there is no shadow,
    ``.reason`` says why, and the spread alone determines the verdict.

    Accuracy of the shadow: some 100 bits for sums, products, quotients and square roots; that of
    double for other functions, and for all operations on arrays of more than 4096 elements; that
    of single for arrays of more than 8192 elements.

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
    array(['stable', 'off'], dtype='<U10')
    >>> with np.errstate(over="ignore"):
    ...     stability.rerun(np.exp, half([1, 12]), truth=np.exp).verdict
    array(['stable', 'overflows'], dtype='<U10')
    >>> f = lambda x: x - x.mean()
    >>> stability.rerun(f, np.array([1, 2, 3.002], half), scale="max").unit
    0.0009765625
    >>> stability.rerun(np.expm1, x, samples=10, rng=1).significant_digits.round(1)
    array([3.3, 3.3, 3.3])
    """
    count, threshold = _check_samples(samples), check_threshold(threshold)
    own_scale, task = Scale.parse(scale), Task(f, args)
    reruns = _reruns(task, threshold, count, rng, _check_shadow(shadow), own_scale, truth)
    return tuple(reruns) if task.several else reruns[0]
