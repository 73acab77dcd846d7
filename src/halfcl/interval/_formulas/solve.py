"""All solutions of small systems of equations in a box, with proofs."""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfcl.interval._arrays.interval import Interval
from halfcl.interval._arrays.methods import ArrayOfIntervals
from halfcl.interval._formulas.forms import Formula
from halfcl.interval._formulas.jet_arrays import vector
from halfcl.interval._formulas.roots import find_roots, warn_of_limit


def _as_positive(tol: object) -> float:
    """Return the tolerance, a finite number above 0."""
    if isinstance(tol, bool | np.bool_) or not isinstance(tol, Real | np.floating | np.integer):
        raise TypeError(f"solve: tol: expected a number, got {type(tol).__name__}")
    width = float(tol)
    if not 0 < width < math.inf:
        raise ValueError(f"solve: tol: expected a finite number above 0, got {width}")
    return width


class Solutions(NamedTuple):
    """The solutions of a system in a box; all of them are in these boxes."""

    boxes: Interval  #: in ascending order: of shape (k, n), or (k,) for one unknown number
    flags: NDArray[np.str_]  #: of each box: "unique" or "possible"

    @property
    def unique(self) -> Interval:
        """The boxes that are proved to contain exactly one solution each."""
        return self.boxes[self.flags == "unique"]

    @property
    def possible(self) -> Interval:
        """The boxes that may contain one, several or no solutions."""
        return self.boxes[self.flags == "possible"]


def solve(f: Formula, x: object, tol: float = 1, limit: int = 100_000) -> Solutions:
    """Return all solutions of n equations in n unknowns in a box, f(x) = 0, with proofs.

    Parameters
    ----------
    f : callable
        Of a vector of shape (n,), it returns n numbers: an array of shape (n,), a list or a tuple.
        It is written as for NumPy's arrays: ``v[0]``, ``v.sum()``, ``A @ v - b``. See `vector`.
    x : Interval, or tuple
        The box, of shape (n,); may be unbounded. A tuple has an item for each argument of f:
        intervals of no dimension for numbers, ``vector(X)`` for vectors. An interval of no
        dimension is one unknown number. Decorations are ignored.
    tol : float, optional
        The width, in halves, at which a box that could not be decided is not cut again: more than
        0. Less than 1 separates solutions that are less than a half apart.
    limit : int, optional
        The maximum number of boxes evaluated, approximately.

    Returns
    -------
    Solutions
        A tuple ``boxes, flags``: an Interval of shape (k, n), of (k,) for one unknown number, in
        ascending order, and an array of k words. All solutions in x are in these boxes. A box
        whose flag is "unique" is proved to contain exactly one solution, whatever ``tol`` is; it
        is one or a few halves wide, and a point if the solution consists of halves. A "possible"
        box may contain one, several or none. No boxes at all prove that there is no solution.
        ``.unique`` and ``.possible`` are the boxes of either kind.

    Raises
    ------
    TypeError
        If f has an operation that has no derivative here, or branches on its argument; if it does
        not return n numbers; if x is not an interval, tol not a number, or limit not an integer.
    ValueError
        If x is more than one box, or is NaI, tol is not positive, or limit is not positive.

    Warns
    -----
    LimitWarning
        If the limit was reached; the remaining boxes are "possible".

    Notes
    -----
    Boxes are narrowed by interval Newton steps, and cut in two where steps do not help: each
    equation's mean value form is solved for each unknown, then the equations multiplied by an
    approximate inverse of the Jacobian for one unknown each (Hansen and Sengupta). What no step
    removes is tested by Krawczyk's operator, which proves a unique solution where it maps a box
    into its interior. Everything is computed in intervals between doubles, and rounded outward to
    halves at the end. Boxes in which f(x) is undefined, has a kink or a singular Jacobian at a
    solution, such as double solutions, and solutions at the edge of x that are not halves, are
    "possible". The work grows as a power of n: up to about 6 unknowns are practical.

    Accuracy: encloses all solutions; each one in ``unique`` is proved.
    Source: Krawczyk, Computing 4 (1969); Neumaier, Interval Methods for Systems of Equations, 5.

    Examples
    --------
    >>> import numpy as np
    >>> from halfcl import interval
    >>> from halfcl.interval import Interval
    >>> def f(v):
    ...     return v @ v - 25, v[0] - 2 * v[1] + 5
    >>> interval.solve(f, Interval([-10, -10], 10))
    Solutions(boxes=Interval([['[-5, -5]', '[0, 0]'],
                              ['[3, 3]', '[4, 4]']]),
              flags=array(['unique', 'unique'], dtype='<U8'))
    >>> A, b = np.array([[2, 1], [1, 3]]), np.array([1, 1])
    >>> interval.solve(lambda v: A @ v - b, Interval([-1, -1], 1)).unique
    Interval([['[0.3999, 0.40015]', '[0.19995, 0.20008]']])
    >>> interval.solve(lambda v: (v[0] ** 2 + v[1] ** 2 - 1, v[0] - 1), Interval([0, -1], 2)).flags
    array(['possible'], dtype='<U8')
    """
    tol = _as_positive(tol)
    is_vector = getattr(x, "ndim", 0) == 1 and isinstance(x, ArrayOfIntervals | np.ndarray)
    boxes, is_unique, is_complete = find_roots(
        "solve", f, vector(x) if is_vector else x, limit, tol
    )
    if not is_complete:
        warn_of_limit("solve", limit)
    return Solutions(boxes, np.where(is_unique, "unique", "possible"))
