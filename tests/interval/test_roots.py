"""Tests of roots: the boxes contain all of them, and the proofs are true."""

import warnings
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from mpfr_numbers import CONTEXT

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, LimitWarning, roots

_PI = CONTEXT.const_pi()


def wilkinson(x):
    value = x - 1
    for k in range(2, 9):
        value = value * (x - k)
    return value


def root(x):
    return CONTEXT.sqrt(x)


#: Formulas of one variable, boxes, their simple roots, and their other roots.
OF_ONE = (
    (lambda x: x * x - 2, (-10, 10), [-root(2), root(2)], []),
    (lambda x: (x * x - 2) * (x - 1), (0, 10), [1, root(2)], []),
    (lambda x: x * x - x, (0, 1), [0, 1], []),  # at both ends
    (lambda x: x - 1, (1, 2), [1], []),
    (lambda x: 3 * x - 1, (0, 1), [Fraction(1, 3)], []),
    (np.sin, (1, 10), [_PI, 2 * _PI, 3 * _PI], []),
    (lambda x: np.sin(1 / x), (0.0625, 1), [1 / (k * _PI) for k in range(1, 6)], []),
    (lambda x: np.exp(x) - 2, (-np.inf, np.inf), [CONTEXT.log(2)], []),
    (lambda x: x**3 - x, (-np.inf, np.inf), [-1, 0, 1], []),
    (wilkinson, (-100, 100), list(range(1, 9)), []),
    (lambda x: abs(x) - 1, (-3, 3), [-1, 1], []),
    (lambda x: np.sqrt(x) - 0.5, (-1, 3), [0.25], []),
    (lambda x: np.log(x) / x, (0, 4), [1], []),
    (lambda x: np.maximum(x * x - 1, 0.5 * x), (-2, 2), [-1, 0], []),
    (lambda x: np.exp(x) + 1, (-5, 5), [], []),
    (lambda x: x - 2, (0, 1), [], []),
    (lambda x: 1 / x, (-1, 1), [], []),
    (lambda x: (x - 1) * (x - 1), (-10, 10), [], [1]),
    (lambda x: (x - 1) ** 5, (-10, 10), [], [1]),
    (lambda x: abs(x), (-1, 1), [0], []),  # the box is a point
    (lambda x: np.floor(x) - 0.5, (-1, 3), [], [1]),  # it jumps over zero
    (lambda x: x * x - 2.0000001 * x + 1.0000001, (-3, 3), [], [1]),  # both within an ulp
    (lambda x: x * x - 65504, (0, 300), [root(65504)], []),
)


def exact(x):
    return gmpy2.mpq(x) if isinstance(x, int | float | Fraction) else x


def holds(box, number):
    with gmpy2.context(CONTEXT):
        return float(box.inf) <= exact(number) <= float(box.sup)


@pytest.mark.parametrize(("f", "ends", "simple", "others"), OF_ONE)
def test_formulas_of_one_variable(f, ends, simple, others):
    actual = roots(f, Interval(*ends))
    for number in simple:
        assert sum(holds(box, number) for box in actual.unique) == 1
        assert not any(holds(box, number) for box in actual.possible)
    assert len(actual.unique) == len(simple)
    assert all(any(holds(box, number) for box in actual.possible) for number in others)
    assert len(actual.possible) == len(others)
    assert np.all(np.diff(actual.unique.inf.astype(float)) > 0)


@pytest.mark.parametrize(("f", "ends", "simple", "others"), OF_ONE)
def test_boxes_are_narrow(f, ends, simple, others):
    """Boxes of simple roots are one half wide, or the root; others are a little wider."""
    actual = roots(f, Interval(*ends))
    for box, number in zip(actual.unique, sorted(simple, key=exact), strict=True):
        x = gmpy2.mpfr(exact(number), 200)
        if float(hc.half(float(x))) == x:
            assert interval.equal(box, Interval(float(x)))
        else:
            assert np.nextafter(np.float16(box.inf), np.float16(np.inf)) == box.sup
    assert np.all(actual.possible.wid.astype(float) <= 0.004)


#: Systems, boxes, and their roots as doubles.
OF_SEVERAL = (
    (lambda x, y: (x * x + y * y - 1, x - y), (-2, 2), 2, [(-(0.5**0.5),) * 2, (0.5**0.5,) * 2]),
    (lambda x, y: (x * x + y * y - 4, x * y - 1), (-2, 2), 2,
     [(-1.93185165257814, -0.517638090205041), (-0.517638090205041, -1.93185165257814),
      (0.517638090205041, 1.93185165257814), (1.93185165257814, 0.517638090205041)]),
    (lambda x, y: (np.exp(x) - y, x + y - 2), (-3, 3), 2, [(0.442854401002389, 1.557145598997611)]),
    (lambda x, y: (x - y, x + y - 3), (0, 4), 2, [(1.5, 1.5)]),
    (lambda x, y: (x * x + y * y + 1, x - y), (-2, 2), 2, []),
    (lambda x, y, z: (x + y + z - 3, x * y - z, x - y), (0.5, 2), 3, [(1.0, 1.0, 1.0)]),
)  # fmt: skip


@pytest.mark.parametrize(("f", "ends", "n", "want"), OF_SEVERAL)
def test_systems_of_several_variables(f, ends, n, want):
    actual = roots(f, (Interval(*ends),) * n)
    assert actual.unique.shape == (len(want), n) and actual.possible.shape == (0, n)
    for box, numbers in zip(actual.unique, want, strict=True):
        for b, x in zip(box, numbers, strict=True):
            assert float(b.inf) - 1e-12 <= x <= float(b.sup) + 1e-12
        assert np.all(box.wid.astype(float) <= 0.002)
        values = f(*box)
        assert all(0 in v for v in values)


def test_double_roots_of_systems_are_possible():
    actual = roots(lambda x, y: (x * x + y * y - 1, x - 1), (Interval(-2, 2), Interval(-2, 2)))
    assert len(actual.unique) == 0 and len(actual.possible) == 1
    assert 1 in actual.possible[0, 0] and 0 in actual.possible[0, 1]


def test_roots_at_the_edge_of_systems():
    """A root at the edge is proved if it is a half; one just outside is not returned."""
    actual = roots(lambda x, y: (x + y, x - y), (Interval(0, 1), Interval(0, 1)))
    assert interval.equal(actual.unique, Interval([[0, 0]])).all() and len(actual.possible) == 0
    actual = roots(lambda x, y: (x + y - 0.1, 3 * x), (Interval(0, 1), Interval(0, 1)))
    assert len(actual.unique) == 0 and len(actual.possible) == 1
    actual = roots(lambda x, y: (x + y + 0.001, x - y), (Interval(0, 1), Interval(0, 1)))
    assert len(actual.unique) == len(actual.possible) == 0


def test_close_roots_of_systems():
    """A box is not claimed to contain the root of a neighbouring box."""
    for apart in (2.0**-5, 2.0**-8, 2.0**-10, 2.0**-12):

        def f(x, y, apart=apart):
            return (x - 1) * (x - 1 - apart), y - x

        actual = roots(f, (Interval(0, 2), Interval(0, 2)))
        both = [1.0, 1 + apart]
        boxes = [*actual.unique, *actual.possible]
        assert all(any(number in box[0] and number in box[1] for box in boxes) for number in both)
        for box in actual.unique:
            assert sum(number in box[0] for number in both) == 1


def test_random_polynomials():
    """Each zero of polynomials whose zeros are halves is found separately."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        zeros = np.unique(np.float16(rng.uniform(-4, 4, 5)))
        zeros = zeros[np.diff(zeros, prepend=-9) > 0.05].astype(float)

        def f(x, zeros=zeros):
            value = x - zeros[0]
            for zero in zeros[1:]:
                value = value * (x - zero)
            return value

        actual = roots(f, Interval(-5, 5))
        assert actual.unique.inf.tolist() == actual.unique.sup.tolist() == zeros.tolist()
        assert len(actual.possible) == 0


def test_empty_and_decorated():
    assert [len(boxes) for boxes in roots(lambda x: x, interval.empty)] == [0, 0]
    assert interval.equal(roots(lambda x: x - 1, DecoratedInterval(0, 2)).unique, Interval([1]))
    assert roots(lambda x: 3, Interval(0, 1)).possible.shape == (0,)


def test_limit():
    with pytest.warns(LimitWarning, match="limit=100 of boxes was reached"):
        actual = roots(lambda x: 0 * x, Interval(-3, 3), limit=100)
    assert actual.unique.shape == (0,) and interval.equal(actual.possible, Interval([-3], [3]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        roots(lambda x: x * x - 2, Interval(0, 2))


@pytest.mark.parametrize(
    ("call", "error", "expected"),
    [
        (lambda: roots(np.sin, Interval([0, 1], 2)), ValueError, r"one box, got .* shape \(2,\)"),
        (lambda: roots(np.sin, interval.nai), ValueError, "x: expected a box, got NaI"),
        (lambda: roots(np.sin, Interval(0, 1), limit=0), ValueError, "limit: expected at least 1"),
        (lambda: roots(np.sin, Interval(0, 1), limit=1.5), TypeError, "limit: expected an int"),
        (lambda: roots(lambda x, y: x - y, (Interval(0, 1),) * 2), TypeError, r"\(2\), got Jet"),
        (lambda: roots(lambda x, y: (x, y, x), (Interval(0, 1),) * 2), TypeError, r"\(2\), got 3"),
    ],
)
def test_bad_arguments(call, error, expected):
    with pytest.raises(error, match=expected):
        call()
