"""Tests of solve: no solution is lost, proofs are true, and what cannot be proved says so."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import either, shared_out

from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, roots, solve, vector


def contains(box, numbers):
    """Return whether a box contains a point, exactly."""
    bounds = zip(box.inf.tolist(), box.sup.tolist(), numbers, strict=True)
    return all(Fraction(low) <= Fraction(x) <= Fraction(high) for low, high, x in bounds)


def brown(v):
    """Brown's almost linear system; ones solve it, and one other point for odd and even n."""
    return [v[i] + v.sum() - (len(v) + 1) for i in range(len(v) - 1)] + [v.prod() - 1]


def rosenbrock(v):
    """The gradient of Rosenbrock's function."""
    x, y = v
    return -400 * x * (y - x**2) - 2 * (1 - x), 200 * (y - x**2)


def katsura(v):
    """Katsura's system of five equations; it has 12 real solutions in the box."""
    a, b, c, d, e = v
    return np.stack(
        [
            a + 2 * (b + c + d + e) - 1,
            a * a + 2 * (b * b + c * c + d * d + e * e) - a,
            2 * (a * b + b * c + c * d + d * e) - b,
            b * b + 2 * (a * c + b * d + c * e) - c,
            2 * (a * d + b * c + b * e) - d,
        ]
    )


SQRT_HALF, THIRD = 0.5**0.5, Fraction(1, 3)
MATRIX = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])

#: Systems, boxes and all their solutions: numbers of type int, float (near) and Fraction (exact).
SYSTEMS = {
    "circle and line": (lambda v: (v @ v - 25, v[0] - 2 * v[1] + 5), (-10, 10), 2,
                        [(-5, 0), (3, 4)]),
    "circle and diagonal": (lambda v: (np.sum(v**2) - 1, v[0] - v[1]), (-2, 2), 2,
                            [(-SQRT_HALF,) * 2, (SQRT_HALF,) * 2]),
    "conics": (lambda v: (v[0]**2 + 4 * v[1]**2 - 5, 4 * v[0]**2 + v[1]**2 - 5), (-10, 10), 2,
               [(-1, -1), (-1, 1), (1, -1), (1, 1)]),
    "linear": (lambda v: MATRIX @ v - np.array([3.0, 5.0, 5.0]), (-10, 10), 3, [(1, 1, 1)]),
    "not halves": (lambda v: (3 * v[0] - 1, 3 * v[1] - 2), (-1, 1), 2, [(THIRD, 2 * THIRD)]),
    "rosenbrock": (rosenbrock, (-10, 10), 2, [(1, 1)]),
    "brown 2": (brown, (-2, 2), 2, [(Fraction(1, 2), 2), (1, 1)]),
    "brown 3": (brown, (-2, 2), 3, [(0.7675918792439982,) * 2 + (1.6972243622680054,), (1,) * 3]),
    "brown 5": (brown, (-2, 2), 5, [(0.9163545825338498,) * 4 + (1.418227087330751,), (1,) * 5]),
    "unbounded": (lambda v: (v @ v - 2, v[0] - v[1]), (-np.inf, np.inf), 2, [(-1, -1), (1, 1)]),
    "none": (lambda v: (v @ v + 1, v[0]), (-10, 10), 2, []),
    "none inside": (lambda v: (v @ v - 25, v[0] - v[1]), (0, 3), 2, []),
    "pole": (lambda v: (1 / v[0] + v[1] - 2, v[0] - v[1]), (-4, 3), 2, []),
    "edge": (lambda v: (v[0] + v[1], v[0] - v[1]), (0, 1), 2, [(0, 0)]),
    "transcendental": (lambda v: (np.exp(v[0]) - v[1], v.sum() - 2), (-3, 3), 2,
                       [(0.4428544010023886, 1.5571455989976114)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_known_systems(name):
    f, ends, n, want = SYSTEMS[name]
    if name == "pole":  # a double solution
        want, flag = [(1, 1)], "possible"
    else:
        flag = "unique"
    boxes, flags = actual = solve(f, Interval([ends[0]] * n, ends[1]))
    assert boxes.shape == (len(want), n) and flags.tolist() == [flag] * len(want)
    for box, numbers in zip(boxes, want, strict=True):
        is_exact = not any(isinstance(x, float) for x in numbers)
        low, high = box.inf.astype(float), box.sup.astype(float)
        near = np.array([float(x) for x in numbers])
        assert contains(box, numbers) if is_exact else np.all((low <= near) & (near <= high))
        if flag == "unique":
            assert np.all(box.wid.astype(float) <= 2.0**-9 * np.maximum(1, np.abs(near)))
        if flag == "unique" and all(isinstance(x, int) for x in numbers):
            assert interval.equal(box, Interval([*map(float, numbers)])).all()
    assert len(actual.unique) + len(actual.possible) == len(want)


def test_katsura_has_twelve_solutions():
    actual = solve(katsura, Interval([-1] * 5, 1))
    assert len(actual.unique) == 12 and len(actual.possible) == 0
    for box in actual.unique:
        assert all(0 in value for value in katsura(box))


SINGULAR = {
    "tangent": (lambda v: (v @ v - 1, v[0] - 1), [(1, 0)]),
    "touching circles": (lambda v: (v @ v - 1, (v[0] - 2) ** 2 + v[1] ** 2 - 1), [(1, 0)]),
    "squares": (lambda v: v**2, [(0, 0)]),
    "a line of solutions": (lambda v: (v[0] - v[1], 2 * (v[0] - v[1])), [(0, 0), (1, 1)]),
    "kink": (lambda v: (abs(v[0]) - v[1], v[1] + v[0] / 2), [(0, 0)]),
}


@pytest.mark.parametrize("name", SINGULAR)
def test_singular_solutions_are_possible(name):
    f, points = SINGULAR[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitWarning)
        actual = solve(f, Interval([-2, -2], 2), limit=3000)
    if name != "kink":  # the slopes on both sides of a kink may suffice
        assert len(actual.unique) == 0
    assert all(any(contains(box, point) for box in actual.boxes) for point in points)


def _random_system(rng, n):
    """Products of two affine functions in each row; its solutions are those of linear systems."""
    zeros = rng.integers(-24, 25, (2, n)) / 16

    def f(v):
        return (v - zeros[0]) * (v - zeros[1]) * np.array(scale)

    scale = rng.choice([0.5, 1.0, 3.0, -2.0], n)
    return f, zeros


@shared_out
def test_no_solution_of_random_systems_is_lost():
    """Systems y = M x, whose solutions in y are known rational points, mixed by a linear map."""
    rng = np.random.default_rng(8)
    proofs = 0
    for _ in range(either(120, 6, some=30)):
        n = int(rng.integers(1, 4))
        f, zeros = _random_system(rng, n)
        mix = np.eye(n) + rng.integers(-1, 2, (n, n)) * np.triu(np.ones((n, n)), 1)

        def g(v, f=f, mix=mix):
            return mix @ f(v)

        actual = solve(g, Interval([-2] * n, 2))
        points = {tuple(p) for p in np.stack(np.meshgrid(*zeros.T), -1).reshape(-1, n).tolist()}
        # all solutions: each coordinate is one of its two zeros
        counts = [sum(contains(box, p) for p in points) for box in actual.boxes]
        assert sum(counts) == len(points)
        for count, flag in zip(counts, actual.flags, strict=True):
            assert count == 1 if flag == "unique" else True
        simple = np.all(zeros[0] != zeros[1])
        assert not simple or np.all(actual.flags == "unique")
        proofs += len(actual.unique)
    assert proofs > either(120, 6, some=30)


@pytest.mark.parametrize("f", [np.cos, lambda x: x * x - 2, lambda x: (x - 1) ** 2, np.exp])
def test_one_unknown_is_as_of_roots(f):
    x = Interval(-4, 4)
    wanted = roots(f, x)
    for actual in (solve(f, x, tol=1 / 16), solve(f, x)):
        assert interval.equal(actual.unique, wanted.unique).all()
        assert len(actual.possible) == len(wanted.possible)
    actual = solve(f, Interval([-4], 4))
    assert actual.boxes.shape == (len(wanted.unique) + len(wanted.possible), 1)
    assert interval.equal(actual.unique[:, 0], wanted.unique).all()


def test_arguments_as_tuple_of_numbers_and_vectors():
    def f(s, v):
        return s - v[0], v[0] * v[1] - 1, v[1] - s

    actual = solve(f, (Interval(0, 10), vector(Interval([-5, -5], 5))))
    assert interval.equal(actual.unique, Interval([[1, 1, 1]])).all()
    actual = solve(lambda x, y: (x - y, x + y - 3), (Interval(0, 4), Interval(0, 4)))
    assert interval.equal(actual.boxes, Interval([[1.5, 1.5]])).all()
    assert interval.equal(roots(brown, vector(Interval([-2, -2], 2))).unique[1], 1).all()


def test_tolerance_is_the_width_at_which_cutting_ends():
    def f(v):
        return v[0] ** 2 - v[1] ** 4, v[1] - v[0] ** 2  # singular at zero

    widths = []
    for tol in (64, 1):
        box = solve(f, Interval([-0.5, -0.5], 0.5), tol=tol).possible
        assert len(box) == 1 and contains(box[0], (0, 0))
        widths.append(float(box.wid.max()))
    assert widths[1] <= widths[0]

    def close(v):
        apart = 2.0**-12
        return (v[0] - 1) * (v[0] - 1 - apart), v[1] - v[0]

    for box in solve(close, Interval([0, 0], 2)).unique:
        assert sum(contains(box, (x, x)) for x in (1, 1 + 2.0**-12)) == 1


def test_limit():
    with pytest.warns(LimitWarning, match="solve: limit=50 of boxes was reached"):
        actual = solve(katsura, Interval([-1] * 5, 1), limit=50)
    assert np.all(actual.flags[~np.isin(actual.flags, "unique")] == "possible")
    assert contains_any(actual, (1, 0, 0, 0, 0))


def contains_any(solutions, point):
    return any(contains(box, point) for box in solutions.boxes)


def test_empty_and_decorated_boxes():
    assert solve(lambda v: v, Interval(["[empty]", "[0, 1]"])).boxes.shape == (0, 2)
    actual = solve(lambda v: v - 1, DecoratedInterval([0, 0], 2))
    assert type(actual.boxes) is Interval and interval.equal(actual.boxes, Interval([[1, 1]])).all()
    assert solve(lambda v: (v[0], 3), Interval([0, 0], 1)).boxes.shape == (0, 2)


def test_roots_at_removable_poles_are_not_proved():
    """x^2 / x is undefined at 0, so that it has no root there."""
    actual = solve(lambda v: (v[0] * v[0] / v[0], v[1] - 1), Interval([-1, 0], 2))
    assert len(actual.unique) == 0
    actual = solve(lambda v: (np.sin(v[0]) / v[0], v[1] - v[0]), Interval([-1, -1], 2))
    assert len(actual.boxes) == 0


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda x: solve(3, x), TypeError, "f: expected a function, got int"),
        (lambda x: solve(brown, "a"), TypeError, "x: expected"),
        (lambda x: solve(brown, np.zeros(2)), TypeError, "expected half, got float64"),
        (lambda x: solve(brown, x.reshape(1, 2)), ValueError, r"one box, got .* shape \(1, 2\)"),
        (lambda x: solve(brown, x[:0]), ValueError, r"at least one component, got shape \(0,\)"),
        (lambda x: solve(brown, interval.nai), ValueError, "solve: x: expected a box, got NaI"),
        (lambda x: solve(brown, x, tol=0), ValueError, "solve: tol: expected a finite number"),
        (lambda x: solve(brown, x, tol=np.nan), ValueError, "solve: tol: expected a finite number"),
        (lambda x: solve(brown, x, tol="1"), TypeError, "solve: tol: expected a number, got str"),
        (lambda x: solve(brown, x, tol=True), TypeError, "solve: tol: expected a number, got bool"),
        (lambda x: solve(brown, x, limit=0), ValueError, "solve: limit: expected at least 1"),
        (lambda x: solve(brown, x, limit=1.5), TypeError, "limit: expected an int"),
        (lambda x: solve(lambda v: v[0], x), TypeError, r"unknowns \(2\), got Jet"),
        (lambda x: solve(lambda v: v[:1], x), TypeError, r"unknowns \(2\), got 1"),
        (
            lambda x: solve(lambda v: np.outer(v, v), x),
            TypeError,
            r"got an array of shape \(2, 2\)",
        ),
        (
            lambda x: solve(lambda v: (v, v), x),
            TypeError,
            "expected numbers as results, got arrays",
        ),
        (lambda x: solve(lambda v: np.sort(v), x), TypeError, "sort: it has no derivative here"),
        (lambda x: solve(lambda x, y: x, x), TypeError, "missing 1 required positional"),
    ],
)
def test_bad_arguments(call, error, expected):
    with pytest.raises(error, match=expected):
        call(Interval([0, 0], 1))
