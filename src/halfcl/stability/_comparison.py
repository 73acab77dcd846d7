"""Comparison of several formulas for one quantity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property, reduce
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import interval
from halfcl._support.pages.notebooks import Block, Displayed
from halfcl._support.text_tables import Table
from halfcl.interval import Interval
from halfcl.interval._bounds.pairs import make_empty
from halfcl.stability import _measures as measures
from halfcl.stability._enclosures.run import enclose
from halfcl.stability._enclosures.undecided import UndecidedComparison
from halfcl.stability._measures import THRESHOLD
from halfcl.stability._reruns import Rerun, as_generator, rerun
from halfcl.stability._runs import Task, Truth
from halfcl.stability._text import MOST_ROWS, format_ulps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Errors in ulps, by the mode in which the result was rounded.
Errors = dict[str, NDArray[np.float64]]


class Comparison(Displayed, tuple[Rerun, ...]):
    """The `Rerun` of each formula, and proved bounds (see `compare`).

    Its repr is a table, also in notebooks.

    Attributes
    ----------
    enclosures : tuple of Interval or None
        For each formula the intervals that contain its exact results; None if the formula does not
        run on intervals.
    reasons : tuple of str
        For each formula the reason why it has no enclosure; empty if it has one.
    undecided : tuple of tuples of UndecidedComparison
        For each formula the comparisons that its intervals leave undecided. If such a comparison
        chooses an element, the enclosure contains both choices.
    """

    enclosures: tuple[Interval | None, ...] = ()
    reasons: tuple[str, ...] = ()
    undecided: tuple[tuple[UndecidedComparison, ...], ...] = ()

    @cached_property
    def apart(self) -> NDArray[np.float64]:
        """The ulps between the formulas' values, rounded to nearest, element by element.

        Stable formulas whose values are far apart compute different quantities.
        """
        values = [one.values["rte"] for one in self]
        return measures.spread(values, self[0].unit)

    # ------------------------------------------------------------ proved bounds

    @cached_property
    def exact(self) -> Interval | None:
        """The intersection of all enclosures, or None if there are none.

        It contains the exact results if all formulas compute one quantity. It is empty where two
        enclosures are disjoint, and where all are empty.
        """
        known = [x for x in self.enclosures if x is not None]
        if not known:
            return None
        # Bounds of empty enclosures are NaN, which fmax and fmin ignore: if one formula is
        # undefined (0 / 0), another may be defined.
        low = np.asarray(reduce(np.fmax, [x._lo for x in known]))
        high = np.asarray(reduce(np.fmin, [x._hi for x in known]))
        return Interval.of(make_empty(np.less(high, low), low, high))

    @cached_property
    def disagreements(self) -> dict[tuple[str, str], NDArray[np.bool_]]:
        """Pairs of formulas, by name, that provably compute different quantities, and where.

        There their enclosures are disjoint, and neither is empty.
        """
        pairs = zip(self, self.enclosures, strict=False)
        known = [(one.name, x) for one, x in pairs if x is not None]
        disagreements = {}
        for (one, x), (other, y) in combinations(known, 2):
            apart = interval.disjoint(x, y) & ~interval.is_empty(x) & ~interval.is_empty(y)
            if np.any(apart):
                disagreements[one, other] = np.asarray(apart)
        return disagreements

    @cached_property
    def _errors(self) -> list[tuple[Errors, Errors]]:
        """For each formula the lower and upper bounds of its errors."""
        exact = interval.empty if self.exact is None else self.exact
        bounds: list[tuple[Errors, Errors]] = []
        for one in self:
            least, most = Errors(), Errors()
            for mode, values in one.values.items():
                least[mode], most[mode] = measures.distances(values, exact._lo, exact._hi, one.unit)
            bounds.append((least, most))
        return bounds

    @property
    def at_most(self) -> tuple[Errors, ...]:
        """For each formula, by mode, proved upper bounds of its results' errors, in ulps.

        The distance to the farthest number of ``.exact``, counted like `Rerun.spread`. Infinite
        where ``.exact`` is unbounded, NaN where it is empty or None.
        """
        return tuple(most for _, most in self._errors)

    @property
    def at_least(self) -> tuple[Errors, ...]:
        """For each formula, by mode, proved lower bounds of its errors: 0 unless proved wrong."""
        return tuple(least for least, _ in self._errors)

    def plot_error(self, x: ArrayLike | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw the errors of all formulas over an input: see `Rerun.plot_error`.

        Parameters
        ----------
        x : array_like, optional
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError, MissingPackageError
            As for `Rerun.plot_error`, for any of the formulas.
        """
        from halfcl.stability._plotting import plot_errors

        return plot_errors(self, self[0]._args, x, ax)

    # ------------------------------------------------------------ text

    def _error_cells(self, k: int) -> list[str]:
        """Return the cells with a formula's largest error over all elements and modes."""
        least, most = (_largest(bounds[k]) for bounds in (self.at_least, self.at_most))
        return ["", ""] if np.isnan(most) else [format_ulps(least), format_ulps(most)]

    def _rows(self) -> list[list[str]]:
        return [
            [
                one.name,
                format_ulps(float(np.median(one.spread_of_all))),
                format_ulps(float(one.spread_of_all.max())),
                str(one.digits.min()),
                f"{np.count_nonzero(~one.stable)} of {one.spread.size}",
                *([] if one.samples is None else [f"{one.significant_digits.min():.1f}"]),
                *([] if self.exact is None else self._error_cells(k)),
            ]
            for k, one in enumerate(self)
        ]

    def _blocks(self) -> list[Block]:
        if not self:
            return ["no formulas"]
        if not self[0].spread.size:
            return [f"{', '.join(one.name for one in self)}: no elements"]
        sampled = [] if self[0].samples is None else ["significant"]
        proved = [] if self.exact is None else ["error at least", "at most"]
        head = [
            "formula",
            "median spread",
            "worst spread",
            "digits",
            "not stable",
            *sampled,
            *proved,
        ]
        lines: list[Block] = [Table(head, self._rows(), words=[0])]
        lines.append(f"farthest apart: {format_ulps(float(self.apart.max()))} ulps")
        lines += [
            f"{one} and {other}: proved to be different quantities in {np.count_nonzero(where)} of "
            f"{where.size}"
            for (one, other), where in self.disagreements.items()
        ]
        lines += [
            f"{one.name}: no enclosure: {reason}"
            for one, reason in zip(self, self.reasons, strict=False)
            if reason
        ]
        lines += [
            f"{one.name}: {comparison}"
            for one, undecided in zip(self, self.undecided, strict=False)
            for comparison in undecided[:MOST_ROWS]
        ]
        lines += [f"{one.name}: {promotion}" for one in self for promotion in one.promotions]
        return lines


def _largest(errors: Errors) -> float:
    """Return the largest error over all modes and elements; NaN if none is known."""
    known = np.stack(list(errors.values())).ravel()
    known = known[~np.isnan(known)]
    return float(known.max()) if known.size else np.nan


def _number_equal_names(reruns: list[Rerun]) -> None:
    """Append numbers to names that are equal, such as those of lambdas."""
    counts = Counter(one.name for one in reruns)
    seen: Counter[str] = Counter()
    for one in reruns:
        if counts[one.name] > 1:
            seen[one.name] += 1
            one.name = f"{one.name} {seen[one.name]}"


def compare(
    formulas: Iterable[Callable[..., object]],
    *args: object,
    samples: int = 0,
    rng: int | np.random.Generator | None = None,
    threshold: float = THRESHOLD,
    shadow: bool | None = None,
    scale: str | None = None,
    truth: Truth | None = None,
) -> Comparison:
    """Run several formulas for one quantity in all four rounding modes, and on intervals.

    If the code runs on `halfcl.interval.Interval`, the resulting intervals contain its exact
    results. The intersection of all enclosures bounds every formula's error.

    Parameters
    ----------
    formulas : iterable of callables
        One or more; each returns one half array, all of the same shape.
    *args, samples, rng, threshold, shadow, scale, truth
        As for `rerun`; the same for each formula. The unit of ``.apart`` is that of the first.

    Returns
    -------
    Comparison
        A tuple with the `Rerun` of each formula. ``.apart`` is the distance between the formulas'
        values; ``.enclosures`` are the enclosures, or ``.reasons`` says why there are none;
        ``.exact`` is their intersection; ``.at_most`` and ``.at_least`` are proved bounds of each
        formula's errors; ``.disagreements`` has formulas that provably compute different
        quantities. Its repr is a table of spreads in ulps, fewest digits and largest errors.

    Raises
    ------
    TypeError, ValueError
        As for `rerun`; if a formula returns several results, or another shape than the first.
        Errors raised only by the run on intervals become reasons.

    See Also
    --------
    rerun : run one formula.
    halfcl.interval.Interval : the type of the enclosures.

    Notes
    -----
    The exact result for the half arguments, with wider numbers taken as exact, provably lies in
    the enclosure wherever it is defined in the real numbers (1 / 0 is not). Errors are counted in
    halves, like `Rerun.spread`. If all formulas compute one quantity, the enclosures of some bound
    the errors of those without one. A formula's results in the four modes always lie in its own
    enclosure. Code has no enclosure if it uses an interval as a bool, compares intervals that
    overlap, rounds an operation on halves without intervals (``half(1) / 3 * x``; write
    ``x / 3``), or uses a function that does not accept intervals. If a call or region rounds in a
    mode of its own, the rounded result counts as exact.

    Source: IEEE 1788-2015's fundamental theorem of interval arithmetic.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, stability
    >>> def by_exp(x):
    ...     return np.exp(x) - 1
    >>> stability.compare([by_exp, np.expm1], np.array([0.001, 0.1], half))
    formula  median spread  worst spread  digits  not stable  error at least  at most
    by_exp             520          1024       0      1 of 2             998      999
    expm1                1             1       3      0 of 2               0        1
    farthest apart: 26 ulps
    """
    try:
        functions = list(formulas)
    except TypeError:
        raise TypeError(f"formulas: expected a list of functions, got {formulas!r:.80}") from None
    if not functions:
        raise ValueError("formulas: expected one or more functions, got none")
    if not isinstance(rng, int | np.integer | None):  # one seed for all formulas
        rng = int(as_generator(rng).integers(1 << 63))
    reruns: list[Rerun] = []
    for k, function in enumerate(functions):
        one = rerun(
            function, *args, samples=samples, rng=rng, threshold=threshold, shadow=shadow,
            scale=scale, truth=truth,
        )  # fmt: skip
        if not isinstance(one, Rerun):
            raise TypeError(f"formulas[{k}]: expected one result, got {len(one)}")
        if one.shape != (reruns or [one])[0].shape:
            raise ValueError(
                f"formulas[{k}]: expected a result of shape {reruns[0].shape}, got {one.shape}"
            )
        reruns.append(one)
    _number_equal_names(reruns)
    comparison = Comparison(reruns)
    shape = comparison[0].shape
    enclosed = [enclose(Task(function, args), shape) for function in functions]
    comparison.enclosures = tuple(one.interval for one in enclosed)
    comparison.reasons = tuple(one.reason for one in enclosed)
    comparison.undecided = tuple(one.undecided for one in enclosed)
    return comparison
