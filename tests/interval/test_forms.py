"""Tests of mean value and Taylor forms: enclosure, width at most that of f(x), and errors."""

import warnings

import formulas_oracle as oracle
import numpy as np
import pytest
from exhaustive import either, one_in, shared_out

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval
from halfcl.interval._formulas import derivatives, doubles, jets
from halfcl.interval._formulas.doubles import DoubleInterval
from halfcl.interval._formulas.jets import DEFINED, LIPSCHITZ, SMOOTH, UNDEFINED
from halfcl.interval._functions import elementwise as functions

FORMS = (interval.mean_value, interval.taylor)


@one_in(3)
@shared_out
@pytest.mark.parametrize("row", oracle.ROWS, ids=oracle.NAMES)
def test_no_value_is_outside(row):
    _, i, f, *domains = row
    rng = np.random.default_rng(i)
    x = oracle.boxes(rng, domains, either(200, 4, some=60))
    places = oracle.points(rng, x, 9)
    for form in FORMS:
        actual = form(f, x)
        assert oracle.count_missed(actual, f, places) == 0, form.__name__
        assert np.all(interval.subset(actual, f(*x)))
    assert oracle.count_missed(f(*x), f, places) == 0  # so the oracle is of the same formulas


@shared_out
def test_random_formulas():
    """Random formulas, defined on all or parts of the boxes or nowhere, are enclosed."""
    rng = np.random.default_rng(6)
    defined, count = 0, either(600, 25, some=120)
    for _ in range(count):
        n = rng.integers(1, 4)
        f = oracle.random_formula(rng, n, rng.integers(2, 6))
        x = oracle.boxes(rng, [(-2, 2), (0, 1), (0.5, 4)][:n], 3)
        places = oracle.points(rng, x, 7)
        for way in (*FORMS, lambda f, x: interval.range_of(f, x, limit=40)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", interval.LimitWarning)
                actual = way(f, x)
            assert oracle.count_missed(actual, f, places) == 0
        defined += np.count_nonzero(~interval.is_empty(actual))
    assert defined > 4 * count / 3


@pytest.mark.parametrize("form", FORMS)
def test_oracle_detects_wrong_derivatives(form):
    """The oracle finds values outside if derivatives are wrong."""
    rng = np.random.default_rng(1)
    f, x = oracle.formulas.POLYNOMIALS[1][0], oracle.boxes(rng, [(0, 1)], 40)
    actual = form(f, x)
    narrower = interval.from_values(actual.inf + 0.02 * actual.wid, actual.sup)
    assert oracle.count_missed(narrower, f, oracle.points(rng, x, 9)) > 0


@pytest.mark.parametrize(("form", "fold"), [(interval.mean_value, 3.5), (interval.taylor, 5.5)])
def test_excess_shrinks_with_a_power_of_the_width(form, fold):
    """The excess shrinks with the second or third power of the width, f(x)'s with the first."""

    def f(x):
        return (x * x - 2) * x + np.exp(x)

    def excess(g, h):
        x = Interval(0.5 - h, 0.5 + h)
        t = np.linspace(0.5 - h, 0.5 + h, 10001)
        actual = g(x)
        return float(actual.sup) - float(actual.inf) - (f(t).max() - f(t).min())

    wide, narrow = (excess(lambda x: form(f, x), h) for h in (0.25, 0.125))
    assert wide > fold * narrow
    assert excess(f, 0.25) < 2.5 * excess(f, 0.125)


def test_monotone_functions_are_enclosed_to_the_last_bit():
    x = Interval([1, 2, 4], [2, 4, 8])
    actual = interval.mean_value(lambda x: x - 1 / x, x)
    low, high = ([v - 1 / v for v in ends] for ends in ((1, 2, 4), (2, 4, 8)))
    assert np.all(interval.equal(actual, interval.from_values(low, high)))


def test_quadratic_functions_are_enclosed_to_the_last_bit():
    actual = interval.taylor(lambda x: x * x - x, Interval([0, 0, -1], [1, 0.75, 2]))
    assert np.all(interval.equal(actual, Interval([-0.25, -0.25, -0.25], [0, 0, 2])))


def test_order():
    x = Interval(0, 1)

    def f(x):
        return x * x - x

    assert interval.equal(interval.taylor(f, x, order=1), interval.mean_value(f, x))
    for order in (0, 3, True, "2"):
        with pytest.raises(ValueError, match="order: expected 1 or 2"):
            interval.taylor(f, x, order)


# ---------------------------------------------------------------- derivatives

_TWO = ("add", "sub", "mul", "div", "pow", "hypot", "min", "max", "fdim", "atan2", "atan2pi")
_INTEGERS = {
    "pown": (-3, -1, 0, 1, 2, 5),
    "rootn": (-3, 2, 3),
    "compoundn": (-2, 3),
    "ldexp": (-3, 4),
}


def _narrow_boxes(rng):
    """Return narrow boxes of every size, with mixed signs."""
    middles = np.concatenate([rng.uniform(-2, 2, 200), 2.0 ** rng.uniform(-8, 4, 60)])
    return DoubleInterval(middles, middles + 2.0 ** rng.uniform(-30, -3, middles.size))


def _difference_quotients(f, box, level):
    """Return slopes between points of boxes where the function is defined."""
    a, b = box.lo, box.hi
    with np.errstate(all="ignore"):
        return (f(doubles.point(b)).lo - f(doubles.point(a)).hi) / (b - a), (
            f(doubles.point(b)).hi - f(doubles.point(a)).lo
        ) / (b - a)


@pytest.mark.parametrize("name", [*sorted(derivatives.ELEMENTARY), "cbrt", "recip", "abs"])
def test_slopes_and_curvatures(name):
    """Slopes contain difference quotients of values, curvatures those of slopes."""
    box = _narrow_boxes(np.random.default_rng(3))
    rule = jets.RULES[name]
    with np.errstate(all="ignore"):
        (x,) = jets.variables([box], 2)
        actual = rule(x)

        def value(at):
            return rule(*jets.variables([at], 0)).value

        def slope(at):
            slopes = rule(*jets.variables([at], 1)).slopes[0]
            return DoubleInterval(
                np.broadcast_to(slopes.lo, at.shape), np.broadcast_to(slopes.hi, at.shape)
            )

        for function, enclosure, level in (
            (value, actual.slopes[0], LIPSCHITZ),
            (slope, actual.curvatures.get((0, 0), doubles.ZERO), SMOOTH),
        ):
            low, high = _difference_quotients(function, box, level)
            known = actual.level >= level
            misses = ((high < enclosure.lo) | (low > enclosure.hi)) & known
            assert not misses.any(), (box.lo[misses][:3], box.hi[misses][:3])
            assert known.sum() > 40
            # Of narrow boxes the slope is known to many digits: nothing is entire by mistake.
            if name not in ("erf", "erfc", "abs"):
                narrow = known & (box.hi - box.lo < 2.0**-24)
                size = np.maximum(np.abs(low), 2.0**-6)
                assert np.all((enclosure.hi - enclosure.lo < 2.0**-6 * size)[narrow])


def test_all_operations_have_rules_or_are_refused():
    refused = {name for name in functions.FUNCTIONS if name not in jets.RULES}
    forward = {name for name in refused if not name.endswith("_rev") and "_rev" not in name}
    assert forward == {"cancel_minus", "cancel_plus"}


@pytest.mark.parametrize("name", [*_TWO, *_INTEGERS])
def test_operations_of_two_arguments(name):
    """Boxes of two variables contain the values at points, with halfcl's functions as oracle."""
    function = functions.FUNCTIONS[name]
    rng = np.random.default_rng(4)
    low = rng.uniform(-2, 2, (2, 300)).astype(np.float16)
    high = (low + 2.0 ** rng.uniform(-8, 1, low.shape)).astype(np.float16)
    x, y = (Interval(a, b) for a, b in zip(low, high, strict=True))
    for second in _INTEGERS.get(name, (y,)):
        arguments = (x, y) if second is y else (x,)

        def f(u, v=second):
            return function(u, v) - 0.5 * u

        for form in FORMS:
            actual = form(f, arguments)
            at = [
                np.clip(a + (b - a) * np.float16(rng.uniform(0, 1)), a, b)
                for a, b in zip(low, high, strict=True)
            ]
            exact = f(*(Interval(v.astype(hc.half)) for v in at[: len(arguments)]))
            apart = interval.disjoint(exact, actual) & ~interval.is_empty(exact)
            assert not apart.any()


def test_names_of_numpy_and_halfcl():
    x = Interval([0.25, 0.5], [0.5, 1])

    def f(x):
        y = np.square(x) + hc.exp(x, rounding="rtz") + hc.fma(x, x, 1) + interval.sqr(x)
        return y - np.reciprocal(x + 1) + hc.mad(x, 2, x) + np.deg2rad(x) + hc.sincos(x)[0]

    actual = interval.mean_value(f, x)
    t = np.linspace(0.25, 0.5, 101)
    exact = t**2 * 3 + np.exp(t) + 1 - 1 / (t + 1) + 3 * t + np.deg2rad(t) + np.sin(t)
    assert float(actual[0].inf) <= exact.min() and exact.max() <= float(actual[0].sup)
    assert float(actual[0].wid) < 1.01 * (exact.max() - exact.min())


@pytest.mark.parametrize("k", [-5000, -30, 0, 5, 40, 3000])
def test_powers_of_two_of_any_size(k):
    """ldexp is right, also beyond the range of doubles."""
    x = Interval([-1, 0.5], [2, 1])
    assert np.all(interval.equal(interval.mean_value(lambda x: hc.ldexp(x, k), x), hc.ldexp(x, k)))
    actual = interval.mean_value(lambda x: 1 / hc.ldexp(x, k), x)
    assert (
        np.all(interval.subset(actual, 1 / hc.ldexp(x, k))) and not interval.is_empty(actual).any()
    )


def test_writing_in_place():
    def f(x):
        y = x * x
        z = y
        y -= x
        np.multiply(y, 2, out=y)
        return z

    x = Interval([0, 1], [1, 2])
    assert np.all(interval.equal(interval.taylor(f, x), Interval([-0.5, 0], [0, 4])))
    assert np.all(interval.equal(x, Interval([0, 1], [1, 2])))

    def writes_to_its_argument(x):
        x += 1
        return x

    assert np.all(
        interval.equal(interval.mean_value(writes_to_its_argument, x), Interval([1, 2], [2, 3]))
    )
    assert np.all(interval.equal(x, Interval([0, 1], [1, 2])))


# ---------------------------------------------------------------- kinks, jumps, domains


@pytest.mark.parametrize("form", FORMS)
def test_partly_undefined(form):
    """The result is that of f(x) where f is undefined in a part of the box."""
    x = Interval([-1, -4, 1], [4, -1, 4])

    def f(x):
        return np.sqrt(x) - x / 4

    actual = form(f, x)
    assert np.all(interval.is_empty(actual) == [False, True, False])
    t = np.linspace(0, 4, 1001)
    y = np.sqrt(t) - t / 4
    assert float(actual[0].inf) <= y.min() and y.max() <= float(actual[0].sup)


@pytest.mark.parametrize("form", FORMS)
def test_kinks(form):
    """Slopes are smooth beside kinks, and intervals across them."""

    def f(x):
        return abs(x) - x

    actual = form(f, Interval([1, -2, -1], [2, -1, 1]))
    assert np.all(interval.equal(actual[:2], Interval([0, 2], [0, 4])))
    assert interval.subset(Interval(0, 2), actual[2])


def test_slopes_at_kinks():
    (x,) = jets.variables([DoubleInterval([-1.0, 0.0, -2.0], [1.0, 2.0, -1.0])], 2)
    actual = abs(x)
    assert actual.level.tolist() == [LIPSCHITZ, SMOOTH, SMOOTH]
    assert actual.slopes[0].lo.tolist() == [-1, 1, -1]
    assert actual.slopes[0].hi.tolist() == [1, 1, -1]


@pytest.mark.parametrize("jump", [np.floor, np.ceil, np.trunc, np.rint, np.sign, hc.round])
@pytest.mark.parametrize("form", FORMS)
def test_jumps(form, jump):
    x = Interval(np.float16(np.arange(-8, 8) / 4), np.float16(np.arange(-7, 9) / 4))
    actual = form(lambda x: jump(x) + x, x)
    for i in range(16):
        t = np.linspace(float(x[i].inf), float(x[i].sup), 9).astype(np.float16)
        y = jump(t).astype(float) + t
        assert float(actual[i].inf) <= y.min() and y.max() <= float(actual[i].sup)


_JUMPING = {
    "copysign": lambda x, y: np.copysign(x * x - x, y),
    "copysign of a constant": lambda x, y: np.copysign(2.0, y) * x,
    "fmod": lambda x, y: np.fmod(x, y) + x,
    "fmod of a constant": lambda x, y: np.fmod(7.25, y) * x,
    "fmod by a constant": lambda x, y: np.fmod(3 * x, 2) - y,
}


@pytest.mark.parametrize("name", _JUMPING)
@pytest.mark.parametrize("form", FORMS)
def test_functions_that_jump_and_intervals_lack(form, name):
    """Boxes inside a piece have tight ranges, and those across a jump contain all values."""
    f, rng = _JUMPING[name], np.random.default_rng(13)
    low = np.float16(rng.uniform(-4, 4, (2, 60)))
    low[:, :20] = np.trunc(low[:, :20])  # zeros, and multiples
    high = np.float16(low + rng.choice([0, 2.0**-4, 0.5, 3], (2, 60)))
    actual = form(f, (Interval(low[0], high[0]), Interval(low[1], high[1])))
    least, most = hc.convert_double(actual.inf), hc.convert_double(actual.sup)
    with np.errstate(all="ignore"):
        for shares in rng.uniform(-0.2, 1.2, (200, 2, 60)):
            x, y = low + (high - low) * np.clip(shares, 0, 1).astype(np.float16)
            value = f(x.astype(float), y.astype(float))
            inside = (least <= value) & (value <= most)
            assert np.all(inside | np.isnan(value))


def test_levels_and_slopes_of_functions_that_jump():
    boxes = [DoubleInterval([5.0, 5.0, 5.0, -5.0], [5.5, 7.0, 5.5, -5.0])]
    boxes += [DoubleInterval([2.0, 2.0, -1.0, 2.0], [2.25, 2.0, 1.0, 2.0])]
    x, y = jets.variables(boxes, 1)
    actual = np.fmod(x, y)
    assert actual.level.tolist() == [SMOOTH, DEFINED, UNDEFINED, SMOOTH]
    assert actual.slopes[1].lo[0] == actual.slopes[1].hi[0] == -2
    assert actual.value.lo[3] == actual.value.hi[3] == -1
    actual = np.copysign(x, y)
    assert actual.level.tolist() == [SMOOTH, SMOOTH, DEFINED, SMOOTH]
    assert actual.value.lo.tolist() == [5, 5, -5.5, 5] and actual.value.hi[2] == 5.5
    assert np.array_equal(hc.copysign(x, y).value.lo, actual.value.lo)
    assert np.array_equal(hc.fmod(x, y).value.lo, np.fmod(x, y).value.lo)
    actual = np.copysign(y, x)
    assert actual.value.lo.tolist() == [2, 2, 0, -2] and actual.level[2] == LIPSCHITZ


def test_decorations_of_functions_that_intervals_lack():
    """The result is as good as its arguments, but its decoration cannot be."""
    actual = FORMS[0](lambda x: np.copysign(x, x), interval.DecoratedInterval(1, 2))
    assert actual.decoration == "trv" and actual.sup == 2


def test_empty_unbounded_and_no_dimension():
    x = Interval(["[empty]", "[, 1]", "[0, ]", "[entire]"])
    for form in FORMS:
        actual = form(lambda x: x * x - x, x)
        assert interval.is_empty(actual[0])
        assert float(actual[1].inf) <= -0.25 and float(actual[2].inf) <= -0.25
        assert np.all(actual.sup[1:] == np.inf)
        assert interval.is_empty(form(lambda x: 3, interval.empty))
        assert interval.equal(form(lambda x: 3, Interval(0, 1)), Interval(3))
        assert form(np.exp, Interval(0, 1)).shape == ()
        assert form(np.exp, Interval(np.zeros((0, 2), hc.half))).shape == (0, 2)
        assert form(lambda x, y: x - y, (Interval([[0], [1]]), Interval([1, 2, 3]))).shape == (2, 3)


def test_many_variables():
    """Each variable has a slope, and terms cancel that do not cancel in f(x)."""

    def f(*x):
        total = sum(x)
        return total * total - sum(v * v for v in x)

    x = [Interval(1, 1.125)] * 12
    actual = interval.mean_value(f, x)
    least, most = 12 * 11 * 1.0, 12 * 11 * 1.125**2
    assert interval.equal(actual, interval.from_values(least, most))
    assert float(f(*x).wid) > 1.15 * float(actual.wid)


def test_decorations_are_those_of_the_formula():
    x = DecoratedInterval([1, -1, 0.5], [2, 1, 1.5])
    for f in (lambda x: np.sqrt(x) - x, lambda x: np.floor(x) * x, lambda x: 1 / x):
        for form in FORMS:
            actual = form(f, x)
            assert isinstance(actual, DecoratedInterval)
            assert actual.decoration.tolist() == f(x).decoration.tolist()
    assert form(lambda x: x - x, interval.nai).decoration == "ill"
    assert form(lambda x: 3, x[0]).decoration == "com"
    assert form(lambda x, y: x - y, (x, Interval(1, 2))).decoration.tolist() == ["com"] * 3


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: x[0], "indexing: .*pass several variables as several arguments"),
        (len, "len: each element of its arguments is a separate box"),
        (lambda x: np.sum(x), r"sum: each element .* a vector as interval\.vector\(X\)"),
        (lambda x: np.add.reduce(x), r"add\.reduce: each element .* a separate box"),
        (lambda x: float(x), "use NumPy's functions instead of math's"),
        (lambda x: x.__array__(float), "cannot become arrays of numbers"),
        (lambda x: hc.tgamma(x), "tgamma: it has no derivative here"),
        (lambda x: x % 1, "remainder: it has no derivative here"),
        (lambda x: np.add(x, 1, where=False), "where=: it has no derivative here"),
        (lambda x: (x, x), r"expected one result, got tuple|results as unknowns \(1\), got 2"),
        (lambda x: None, "expected one result, got NoneType"),
        (lambda x: x + np.array([1.0, 2.0]), r"got an array of shape \(2,\)|unknowns \(1\), got 2"),
        (lambda x: x + np.array([]), r"got an array of shape \(0,\)|unknowns \(1\), got 0"),
        (lambda x: x + "1", "got str"),
        (lambda x: interval.pown(x, 2.5), "expected a single integer as exponent"),
        (lambda x: np.add(x, 1, out=np.zeros(())), "out: expected an argument of f"),
    ],
)
def test_formulas_that_are_refused(f, expected):
    for form in (*FORMS, interval.range_of, interval.roots):
        with pytest.raises(TypeError, match=expected):
            form(f, Interval(0.5, 1))


def test_methods_of_arrays_are_refused():
    for name in ("sum", "mean", "max", "dot"):
        with pytest.raises(AttributeError, match=rf"{name}: each element .* interval\.vector\(X\)"):
            interval.mean_value(lambda x, name=name: getattr(x, name)(), Interval([0, 1], 2))


@pytest.mark.parametrize("form", [*FORMS, interval.range_of, interval.roots])
def test_arguments_that_are_refused(form):
    with pytest.raises(TypeError, match="f: expected a function, got int"):
        form(3, Interval(0, 1))
    with pytest.raises(TypeError, match="x: expected"):
        form(np.exp, "a")
    with pytest.raises(TypeError, match=r"x\[1\]: expected half, got float64"):
        form(np.add, (Interval(0, 1), np.zeros(3)))
    with pytest.raises(ValueError, match="or a tuple of them, got an empty tuple"):
        form(np.exp, ())
    with pytest.raises(ValueError, match="expected shapes that broadcast"):
        form(np.add, (Interval([0, 1], 2), Interval([0, 1, 2], 3)))


def test_errors_of_formulas_propagate():
    def f(x):
        raise ZeroDivisionError("mine")

    for form in (*FORMS, interval.range_of, interval.roots):
        with pytest.raises(ZeroDivisionError, match="mine"):
            form(f, Interval(0, 1))


def test_errstate_has_no_effect():
    with np.errstate(all="raise"):
        actual = interval.mean_value(lambda x: np.exp(x * 100) - np.log(x), Interval(0, 1))
    assert not interval.is_empty(actual)
