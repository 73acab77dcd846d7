"""Several formulas for one quantity, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfcl.stability import measures
from halfcl.stability.reruns import THRESHOLD, Rerun, rerun
from halfcl.stability.text import in_ulps, table


class Comparison(tuple[Rerun, ...]):
    """The `Rerun` of each formula: see `compare`. Printed, it is a table."""

    @cached_property
    def apart(self) -> NDArray[np.float64]:
        """The ulps between the formulas' values, rounded to nearest, element by element.

        Formulas that are all stable, and far apart, compute different things.
        """
        return measures.spread([one.values["rte"] for one in self])

    def _rows(self) -> list[list[str]]:
        return [
            [
                one.name,
                in_ulps(float(np.median(one.spread))),
                in_ulps(float(one.spread.max())),
                str(one.digits.min()),
                f"{np.count_nonzero(~one.stable)} of {one.spread.size}",
                *([] if one.samples is None else [f"{one.significant_digits.min():.1f}"]),
            ]
            for one in self
        ]

    def __repr__(self) -> str:
        if not self[0].spread.size:
            return f"{', '.join(one.name for one in self)}: no elements"
        sampled = [] if self[0].samples is None else ["significant"]
        head = ["formula", "median spread", "worst spread", "digits", "unstable", *sampled]
        lines = [table(head, self._rows(), left=[0])]
        lines.append(f"farthest apart: {in_ulps(float(self.apart.max()))} ulps")
        lines += [f"{one.name}: {leaving}" for one in self for leaving in one.left]
        return "\n".join(lines)


def _tell_apart(reruns: list[Rerun]) -> None:
    """Number the formulas whose names are the same, as of lambdas."""
    counts = Counter(one.name for one in reruns)
    seen: Counter[str] = Counter()
    for one in reruns:
        if counts[one.name] > 1:
            seen[one.name] += 1
            one.name = f"{one.name} {seen[one.name]}"


def compare(
    formulas: Iterable[Callable[..., Any]],
    *args: Any,
    samples: int = 0,
    rng: Any = None,
    threshold: float = THRESHOLD,
) -> Comparison:
    """Run several formulas for one quantity in all four rounding modes.

    Parameters
    ----------
    formulas : iterable of callables
        One or more, that give one half array each, all of the same shape.
    *args, samples, rng, threshold
        As for `rerun`, the same for each.

    Returns
    -------
    Comparison
        A tuple of the `Rerun` of each, with ``.apart``: how far the formulas' values are from
        each other. Printed, a table of the spreads in ulps and the fewest digits of each.

    Raises
    ------
    TypeError, ValueError
        As for `rerun`; if a formula gives several results, or another shape than the first.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import half, stability
    >>> def by_exp(x):
    ...     return np.exp(x) - 1
    >>> stability.compare([by_exp, np.expm1], np.array([0.001, 0.1], half))
    formula  median spread  worst spread  digits  unstable
    by_exp             520          1024       0    1 of 2
    expm1                1             1       3    0 of 2
    farthest apart: 26 ulps
    """
    functions = list(formulas)
    if not functions:
        raise ValueError("formulas: expected one or more functions, got none")
    if not isinstance(rng, int | np.integer | None):  # a Generator: the same coins for each
        rng = int(np.random.default_rng(rng).integers(1 << 63))
    found: list[Rerun] = []
    for k, function in enumerate(functions):
        one = rerun(function, *args, samples=samples, rng=rng, threshold=threshold)
        if not isinstance(one, Rerun):
            raise TypeError(f"formulas[{k}]: expected one result, got {len(one)}")
        if one.shape != (found or [one])[0].shape:
            raise ValueError(
                f"formulas[{k}]: expected a result of shape {found[0].shape}, got {one.shape}"
            )
        found.append(one)
    _tell_apart(found)
    return Comparison(found)
