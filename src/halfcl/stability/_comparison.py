"""Several formulas for one quantity, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property, reduce
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl import interval
from halfcl._support.text_tables import align_columns
from halfcl.interval import Interval
from halfcl.interval._bounds.pairs import make_empty
from halfcl.stability import _measures as measures
from halfcl.stability._enclosing import enclose
from halfcl.stability._measures import THRESHOLD
from halfcl.stability._reruns import Rerun, generator_of, rerun
from halfcl.stability._runs import Task
from halfcl.stability._text import MOST_ROWS, in_ulps
from halfcl.stability._undecided import Doubt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Ulps by the mode that the result was rounded in.
Errors = dict[str, NDArray[np.float64]]


class Comparison(tuple[Rerun, ...]):
    """The `Rerun` of each formula, and what is proved of them: see `compare`.

    Printed, it is a table.

    Attributes
    ----------
    enclosures : tuple of Interval or None
        For each formula the intervals that its exact results lie in; None where it does not run
        on intervals.
    reasons : tuple of str
        For each formula why it has no enclosure; empty where it has one.
    doubts : tuple of tuples of Doubt
        For each formula the comparisons that its intervals do not decide. Where they choose an
        element, its enclosure holds both.
    """

    enclosures: tuple[Interval | None, ...] = ()
    reasons: tuple[str, ...] = ()
    doubts: tuple[tuple[Doubt, ...], ...] = ()

    @cached_property
    def apart(self) -> NDArray[np.float64]:
        """The ulps between the formulas' values, rounded to nearest, element by element.

        Formulas that are all stable, and far apart, compute different things.
        """
        return measures.spread([one.values["rte"] for one in self])

    # ------------------------------------------------------------ what is proved

    @cached_property
    def exact(self) -> Interval | None:
        """Where the exact results are, if the formulas are for one quantity: in all enclosures.

        Empty where two enclosures have nothing in common, and where all are empty. None if there
        are no enclosures.
        """
        known = [x for x in self.enclosures if x is not None]
        if not known:
            return None
        # Bounds of empty enclosures are NaN, which fmax and fmin leave out: that a formula is
        # undefined (0 / 0) tells nothing of another.
        low = np.asarray(reduce(np.fmax, [x._lo for x in known]))
        high = np.asarray(reduce(np.fmin, [x._hi for x in known]))
        return Interval.of(make_empty(np.less(high, low), low, high))

    @cached_property
    def disagreements(self) -> dict[tuple[str, str], NDArray[np.bool_]]:
        """Pairs of formulas, by name, that are proved to compute different things, and where.

        Their enclosures have nothing in common there, though neither is empty.
        """
        pairs = zip(self, self.enclosures, strict=True)
        known = [(one.name, x) for one, x in pairs if x is not None]
        found = {}
        for (one, x), (other, y) in combinations(known, 2):
            apart = interval.disjoint(x, y) & ~interval.is_empty(x) & ~interval.is_empty(y)
            if np.any(apart):
                found[one, other] = np.asarray(apart)
        return found

    @cached_property
    def _errors(self) -> list[tuple[Errors, Errors]]:
        """Of each formula: what it is off by at least, and at most."""
        exact = interval.empty if self.exact is None else self.exact
        found: list[tuple[Errors, Errors]] = []
        for one in self:
            least, most = Errors(), Errors()
            for mode, values in one.values.items():
                least[mode], most[mode] = measures.distances(values, exact._lo, exact._hi)
            found.append((least, most))
        return found

    @property
    def at_most(self) -> tuple[Errors, ...]:
        """For each formula, by mode, the ulps that its results are off by at most: proved.

        Counted as `Rerun.spread` is, to the farthest number of ``.exact``. Infinite where that is
        unbounded, NaN where it is empty or None.
        """
        return tuple(most for _, most in self._errors)

    @property
    def at_least(self) -> tuple[Errors, ...]:
        """The same of what they are off by at least: 0 unless they are proved wrong."""
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
        ValueError, ImportError
            As of a rerun's; of all formulas.
        """
        from halfcl.stability._plotting import plot_errors

        return plot_errors(self, self[0]._args, x, ax)

    # ------------------------------------------------------------ text

    def _proof(self, k: int) -> list[str]:
        """The cells of a formula's error: of all elements and modes the largest."""
        least, most = (_largest(bounds[k]) for bounds in (self.at_least, self.at_most))
        return ["", ""] if np.isnan(most) else [in_ulps(least), in_ulps(most)]

    def _rows(self) -> list[list[str]]:
        return [
            [
                one.name,
                in_ulps(float(np.median(one.spread_of_all))),
                in_ulps(float(one.spread_of_all.max())),
                str(one.digits.min()),
                f"{np.count_nonzero(~one.stable)} of {one.spread.size}",
                *([] if one.samples is None else [f"{one.significant_digits.min():.1f}"]),
                *([] if self.exact is None else self._proof(k)),
            ]
            for k, one in enumerate(self)
        ]

    def __repr__(self) -> str:
        if not self[0].spread.size:
            return f"{', '.join(one.name for one in self)}: no elements"
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
        lines = [align_columns(head, self._rows(), left=[0])]
        lines.append(f"farthest apart: {in_ulps(float(self.apart.max()))} ulps")
        lines += [
            f"{one} and {other}: proved to be different things in {np.count_nonzero(where)} of "
            f"{where.size}"
            for (one, other), where in self.disagreements.items()
        ]
        lines += [
            f"{one.name}: no enclosure: {reason}"
            for one, reason in zip(self, self.reasons, strict=True)
            if reason
        ]
        lines += [
            f"{one.name}: {doubt}"
            for one, doubts in zip(self, self.doubts, strict=True)
            for doubt in doubts[:MOST_ROWS]
        ]
        lines += [f"{one.name}: {leaving}" for one in self for leaving in one.left]
        return "\n".join(lines)


def _largest(errors: Errors) -> float:
    """Of all modes and elements; NaN if nothing is known of any."""
    known = np.stack(list(errors.values())).ravel()
    known = known[~np.isnan(known)]
    return float(known.max()) if known.size else np.nan


def _tell_apart(reruns: list[Rerun]) -> None:
    """Number the formulas whose names are the same, as of lambdas."""
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
) -> Comparison:
    """Run several formulas for one quantity in all four rounding modes, and on intervals.

    Where the code runs on `halfcl.interval.Interval`, its exact results are known to lie in the
    intervals that come out. What all enclosures have in common bounds every formula's error.

    Parameters
    ----------
    formulas : iterable of callables
        One or more, that give one half array each, all of the same shape.
    *args, samples, rng, threshold, shadow
        As for `rerun`, the same for each.

    Returns
    -------
    Comparison
        A tuple of the `Rerun` of each, with ``.apart``, how far the formulas' values are from
        each other; ``.enclosures``, or ``.reasons`` why there is none; ``.exact``, what they have
        in common; ``.at_most`` and ``.at_least``, what each formula's results are proved to be
        off by; and ``.disagreements``, formulas that are proved to compute different things.
        Printed, a table of the spreads in ulps, the fewest digits and the largest errors.

    Raises
    ------
    TypeError, ValueError
        As for `rerun`; if a formula gives several results, or another shape than the first. What
        is raised by the run on intervals alone becomes a reason.

    See Also
    --------
    rerun : one formula.
    halfcl.interval.Interval : what encloses.

    Notes
    -----
    Proved is what intervals prove: the exact result, of the half arguments and of wider numbers
    as they are, lies in the enclosure wherever it is defined in the real numbers (1 / 0 is not).
    An error counts halves, as `Rerun.spread` does. The errors of a formula that has no enclosure
    are proved by those of others, if all are for one quantity; a formula's results in the four
    modes always lie in its own. No enclosure comes of code that takes the truth of an interval,
    compares intervals that overlap, rounds halves that no interval is part of
    (``half(1) / 3 * x``; write ``x / 3``), or uses a function that takes no intervals. Halves that
    a call or region in it rounds in a mode of its own count as they come.

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
    if not isinstance(rng, int | np.integer | None):  # a Generator: the same coins for each
        rng = int(generator_of(rng).integers(1 << 63))
    found: list[Rerun] = []
    for k, function in enumerate(functions):
        one = rerun(function, *args, samples=samples, rng=rng, threshold=threshold, shadow=shadow)
        if not isinstance(one, Rerun):
            raise TypeError(f"formulas[{k}]: expected one result, got {len(one)}")
        if one.shape != (found or [one])[0].shape:
            raise ValueError(
                f"formulas[{k}]: expected a result of shape {found[0].shape}, got {one.shape}"
            )
        found.append(one)
    _tell_apart(found)
    comparison = Comparison(found)
    shape = comparison[0].shape
    enclosed = [enclose(Task(function, args), shape) for function in functions]
    comparison.enclosures = tuple(one.interval for one in enclosed)
    comparison.reasons = tuple(one.reason for one in enclosed)
    comparison.doubts = tuple(one.doubts for one in enclosed)
    return comparison
