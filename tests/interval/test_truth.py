"""Tests of comparisons of intervals: three values, which raise as bools if undecided."""

import builtins
import copy
import itertools
import operator
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc
from halfcl import half, interval
from halfcl.interval import DecoratedInterval, Interval, Truth, UndecidedError

pytestmark = pytest.mark.once

OPERATORS = {
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
    operator.eq: np.equal,
    operator.ne: np.not_equal,
}
NAMES = [ufunc.__name__ for ufunc in OPERATORS.values()]
EACH = pytest.mark.parametrize("compare", OPERATORS, ids=NAMES)
KINDS = pytest.mark.parametrize("kind", [Interval, DecoratedInterval])


def values(truth):
    """Return True, False, or None for undecided, for each element."""
    assert isinstance(truth, Truth)
    both = np.where(truth.is_undecided, None, truth.is_true)
    assert np.all(truth.is_false == np.equal(both, False))
    return both.tolist()


#: Bounds; the numbers between them are multiples of 1/2, up to 4 where they are unbounded.
LIMITS = (-np.inf, -1, 0, 1, np.inf)
BOUNDS = [(a, b) for a, b in itertools.product(LIMITS, LIMITS) if a <= b and abs(a + b) < np.inf]
BOUNDS += [(-np.inf, np.inf)]


def members(low, high):
    return np.arange(2 * max(low, -4), 2 * min(high, 4) + 1) / 2


def agreed_value(compare, x, y):
    """Return the value on which all pairs of numbers agree, else None; False without pairs."""
    pairs = compare(members(*x)[:, None], members(*y))
    return bool(pairs.all()) if pairs.all() == pairs.any() else None


@KINDS
@EACH
def test_decided_is_what_all_pairs_of_numbers_agree_on(compare, kind):
    pairs = list(itertools.product(BOUNDS, BOUNDS))
    wanted = [agreed_value(compare, x, y) for x, y in pairs]
    x, y = (kind(*np.transpose([pair[k] for pair in pairs]).astype(half)) for k in (0, 1))
    assert None in wanted and True in wanted and False in wanted
    assert values(compare(x, y)) == values(OPERATORS[compare](x, y)) == wanted
    assert [values(compare(a, b)) for a, b in zip(x, y, strict=True)] == wanted
    assert values(compare(x, Interval(y.inf, y.sup))) == wanted


@KINDS
@EACH
def test_empty_intervals_fulfil_no_comparison(compare, kind):
    empty, others = kind("[empty]"), kind(["[empty]", "[1, 2]", "[entire]", "[3, 3]"])
    with np.errstate(all="raise"):
        assert values(compare(empty, others)) == values(compare(others, empty)) == [False] * 4
        assert not compare(empty, empty) and not compare(empty, 1) and not compare(1, empty)


@EACH
def test_nai_raises(compare):
    x = DecoratedInterval(["[1, 2]", "[nai]", "[3, 4]"])
    with pytest.raises(ValueError, match=r"NaI in 1 of 3 elements; use interval\.is_nai") as error:
        compare(x, 1)
    assert not isinstance(error.value, UndecidedError)
    for call in (lambda: compare(interval.nai, x[0]), lambda: compare(Interval(1), interval.nai)):
        with pytest.raises(ValueError, match=": expected intervals, got NaI;"):
            call()
    assert values(compare(x[::2], 7)) in ([True, True], [False, False])


NUMBERS = [
    0.1, -0.1, Fraction(1, 3), Decimal("0.3"), 1e6, -1e6, 10**30, 1e-9, -1e-9, 2049, 1, 0,
    half(0.1),
]  # fmt: skip
HUGE = Fraction(10) ** 50


def intervals_around(number):
    """Return intervals that end next to a number, or elsewhere, and some numbers of each."""
    with np.errstate(over="ignore"):
        near = [hc.convert(number, half, rounding=mode) for mode in ("rtn", "rtp")]
    ends = sorted({-np.inf, -5.0, 0.0, 5.0, np.inf, *map(float, near)})
    for low, high in itertools.product(ends, ends):
        if low <= high and low < np.inf and high > -np.inf:
            a = -HUGE if low == -np.inf else Fraction(low)
            b = HUGE if high == np.inf else Fraction(high)
            yield Interval(low, high), {a, b, (a + b) / 2}


@in_turn
@EACH
@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_numbers_compare_exactly(compare, number):
    """Numbers compare exactly, not as the halves around them."""
    exact = Fraction(float(number)) if isinstance(number, half) else Fraction(number)
    for x, points in intervals_around(number):
        inside = {exact} if min(points) < exact < max(points) else set()
        outcomes = {compare(point, exact) for point in points | inside}
        assert values(compare(x, number)) == (outcomes.pop() if len(outcomes) == 1 else None), x
        outcomes = {compare(exact, point) for point in points | inside}
        assert values(compare(number, x)) == (outcomes.pop() if len(outcomes) == 1 else None), x


def test_lists_of_numbers_and_text():
    x = Interval([1, 1, 1], [1, 2, 2])
    assert values(x < [1, "[2, 3]", Fraction(5, 2)]) == [False, None, True]
    assert values(x == np.array([1, 1, 3], half)) == [True, None, False]
    # NumPy converts its own scalars to arrays before it compares them.
    assert values(np.float64(2.1) > x) == [True] * 3 and values(np.int64(1) == x[0]) is True
    assert values(np.float32(0.1) < Interval(0.1)) is None
    assert (x == "1") is False and (x != None) is True  # noqa: E711
    for wrong in ("1", None, np.inf, np.nan):
        with pytest.raises((TypeError, ValueError), match="y: expected"):
            x < wrong  # noqa: B015


def test_branches_raise_where_both_ways_are_possible():
    def f(x):
        return -3 * x if x < 0 else x

    assert interval.equal(f(Interval(-2, -1)), Interval(3, 6))
    assert interval.equal(f(Interval(0, 1)), Interval(0, 1))
    message = r"less: expected a decided truth.*; use np\.minimum.*interval\.equal, less"
    with pytest.raises(UndecidedError, match=message):
        f(Interval(-1, 1))
    x, y, above = Interval(1, 2), Interval(0, 3), Interval(4, 5)
    for call in (builtins.max, builtins.min, lambda *args: sorted(args)):
        with pytest.raises(UndecidedError):
            call(x, y)
    assert builtins.max(x, above) is above and builtins.min(x, above) is x
    assert sorted([above, x])[0] is x
    with pytest.raises(UndecidedError):
        assert 0 < y < 5
    assert 0 < x < 5


def test_membership_and_hash():
    x = Interval(1, 2)
    assert Interval(1, 1.5) in x and 2.5 not in x
    with pytest.raises(UndecidedError):
        Interval(1, 2) in [Interval(1, 2)]  # noqa: B015
    assert x in [x] and Interval(5) not in [x] and [x, Interval(5)].index(Interval(5)) == 1
    for unhashable in (x, DecoratedInterval(x), x < 1):
        with pytest.raises(TypeError, match=f"unhashable type: '{type(unhashable).__name__}'"):
            hash(unhashable)


UNDECIDED = Interval([1, 1, 1], [2, 2, 2]) < Interval([3, 2, 0], [4, 4, 1])
DECIDED = Interval([1, 2], [1, 3]) < 2

MASKS = {
    "index": lambda m, a, x: a[m],
    "index of intervals": lambda m, a, x: x[m],
    "index in a tuple": lambda m, a, x: np.stack([a, a], axis=-1)[m, 1],
    "where": lambda m, a, x: np.where(m, a, 7),
    "where of intervals": lambda m, a, x: np.where(m, x, 7),
    "where alone": lambda m, a, x: np.where(m),
    "select": lambda m, a, x: np.select([m], [a], 7),
    "select of intervals": lambda m, a, x: np.select([m], [x], 7),
    "extract": lambda m, a, x: np.extract(m, x),
    "compress": lambda m, a, x: np.compress(m, a),
    "count_nonzero": lambda m, a, x: np.count_nonzero(m),
    "flatnonzero": lambda m, a, x: np.flatnonzero(m),
    "nonzero": lambda m, a, x: m.nonzero(),
    "np.sum": lambda m, a, x: np.sum(m),
    "sum": lambda m, a, x: m.sum(axis=0),
    "mean": lambda m, a, x: m.mean(),
    "tolist": lambda m, a, x: m.tolist(),
    "astype": lambda m, a, x: m.astype("i8"),
    "item": lambda m, a, x: m.item(1),
    "asarray": lambda m, a, x: np.asarray(m),
    "of floats": lambda m, a, x: np.asarray(m, float),
    "array in a list": lambda m, a, x: np.array([m]),
    "product": lambda m, a, x: m * a,
    "product with intervals": lambda m, a, x: x * m,
    "halfcl's select": lambda m, a, x: hc.select(a, -a, m),
    "reduce": lambda m, a, x: np.logical_and.reduce(m),
}


def assert_same(actual, wanted):
    if isinstance(wanted, Interval):
        assert interval.equal(actual, wanted).all() and actual.shape == wanted.shape
    else:
        np.testing.assert_array_equal(actual, wanted, strict=isinstance(wanted, np.ndarray))


@pytest.mark.parametrize("use", MASKS)
def test_masks(use):
    """Decided truths work as bools; all uses raise if an element is undecided."""
    call, arrays = MASKS[use], (np.array([5, 6], half), Interval([1, 2], [3, 4]))
    assert_same(call(DECIDED, *arrays), call(np.array([True, False]), *arrays))
    with pytest.raises(UndecidedError, match=r"less: .*1 of 3 elements undecided"):
        call(UNDECIDED, np.zeros(3, half), Interval([1, 2, 3]))


WRITES = {
    "index": lambda m, x: x.__setitem__(m, 0),
    "place": lambda m, x: np.copyto(x, Interval(0), where=m),
}


@KINDS
@pytest.mark.parametrize("write", WRITES)
def test_nothing_is_written_through_an_undecided_mask(write, kind):
    x = kind([1, 2, 3])
    with pytest.raises(UndecidedError) as error:
        WRITES[write](UNDECIDED, x)
    assert interval.equal(x, [1, 2, 3]).all() and error.value.__context__ is None
    numbers = np.ones(3)
    with pytest.raises(UndecidedError):
        numbers[UNDECIDED] = 0
    assert numbers.all()
    WRITES[write](DECIDED, x[:2])
    assert interval.equal(x, [0, 2, 3]).all()


def test_out():
    x, out = Interval([1, 2]), np.zeros(2, bool)
    assert np.less(x, 2, out=out) is out and out.tolist() == [True, False]
    with pytest.raises(UndecidedError):
        np.less(x, Interval([2, 1], [3, 3]), out=out)
    assert out.tolist() == [True, False]
    with pytest.raises(TypeError, match="less: out: expected ndarray, got Interval"):
        np.less(x, 2, out=x)
    assert values(np.less.outer(x, Interval([1, 3]))) == [[False, True], [False, True]]


@pytest.mark.parametrize("name", ["and", "or", "xor", "eq", "ne"])
def test_logic_is_kleenes(name):
    """Logic gives the value on which all replacements of undecided elements agree."""
    function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
    three = {True: (True,), False: (False,), None: (True, False)}
    pairs = list(itertools.product(three, three))
    wanted = [{function(p, q) for p in three[a] for q in three[b]} for a, b in pairs]
    wanted = [w.pop() if len(w) == 1 else None for w in wanted]
    x, y = (
        Truth([pair[k] is True for pair in pairs], [pair[k] is False for pair in pairs])
        for k in (0, 1)
    )
    assert values(function(x, y)) == wanted
    assert [values(function(a, b)) for a, b in zip(x, y, strict=True)] == wanted
    bools = np.array([pair[1] is True for pair in pairs])
    beside = [w for w, pair in zip(wanted, pairs, strict=True) if pair[1] is not None]
    decided = np.array([pair[1] is not None for pair in pairs])
    assert values(function(x, bools)[decided]) == beside
    assert values(function(bools, x)[decided]) == beside


def test_in_place():
    t, before = UNDECIDED, repr(UNDECIDED)
    t &= [True, True, False]
    t |= np.array([False, True, False])
    t ^= True
    assert values(t) == [False, False, True] and repr(UNDECIDED) == before
    bools = np.array([True, True])
    bools &= DECIDED
    assert bools.tolist() == [True, False]
    with pytest.raises(UndecidedError):
        bools &= UNDECIDED[:2]
    assert bools.tolist() == [True, False]
    with pytest.raises(TypeError, match="logical_or: out: expected an array of bools, got Truth"):
        np.logical_or(UNDECIDED, True, out=UNDECIDED)
    with pytest.raises(TypeError, match=r"less: out: expected .*, got Truth"):
        np.less(Interval([1, 2, 3]), 2, out=UNDECIDED)


def test_not_any_and_all():
    t = Truth([[True, False, False], [False, False, False]], [[False, False, True], [True] * 3])
    assert values(~t) == values(np.logical_not(t)) == [[False, None, True], [True, True, True]]
    assert values(t.any()) is values(np.any(t)) is True and values(t.all()) is False
    assert values(t.any(axis=0)) == [True, None, False] and values(t.all(axis=1)) == [False, False]
    assert values(np.any(t[0], where=[False, True, True])) is None
    assert values(np.all(t[:1, :2])) is None and values(t[:0].all()) is True
    assert values(t.any(axis=1, keepdims=True)) == [[True], [False]]
    with pytest.raises(UndecidedError):
        bool(t[0, :2].all())
    with pytest.raises(ValueError, match=r"got shape \(2, 3\); use \.any\(\) or \.all\(\)"):
        bool(t)


def test_array():
    t = Truth([[True, False, False], [False, False, False]], [[False, False, True], [True] * 3])
    assert (t.shape, t.ndim, t.size, len(t)) == ((2, 3), 2, 6, 2)
    assert repr(t) == "Truth([[True, undecided, False],\n       [False, False, False]])"
    assert repr(t[0, 1]) == "Truth(undecided)" and repr(t[:0]) == "Truth([], shape=(0, 3))"
    assert values(t.T[1]) == values(t[:, 1]) == [None, False]
    assert values(t.reshape(3, 2)) == [[True, None], [False, False], [False, False]]
    assert values(t.ravel()) == [True, None, False, False, False, False]
    for again in (pickle.loads(pickle.dumps(t)), copy.copy(t), copy.deepcopy(t)):
        assert repr(again) == repr(t)
    assert not hasattr(t, "__setitem__")
    t.is_true[:] = False
    array = np.asarray(t[1])
    array[:] = True
    assert values(t[0, 0]) is True and values(t[1]) == [False] * 3
    assert float(Truth(True)) == 1 and int(Truth(False)) == 0
    for single in (len, iter):
        with pytest.raises(TypeError, match="single Truth"):
            single(t[0, 0])
    for wrong in ("True", None, [1, 0], Interval(1)):
        with pytest.raises(TypeError, match=r"expected bools|cannot become"):
            Truth(wrong)
    with pytest.raises(ValueError, match="Truth: is_false: expected False where is_true is True"):
        Truth([True, True], [False, True])
    with pytest.raises(ValueError, match=r"Truth: is_false: expected shape \(1,\), got \(2,\)"):
        Truth([True], [False, False])


def test_functions_of_numpy_that_compare():
    points, wide = Interval([1, 2]), Interval([1, 2], [2, 3])
    assert np.array_equal(points, points.copy()) is True
    assert np.array_equal(points, points[::-1]) is False
    assert np.array_equal(wide, wide[:1]) is False and np.array_equal(wide, wide + 5) is False
    with pytest.raises(UndecidedError):
        np.array_equal(wide, wide)
    for function in (np.array_equiv, np.isclose, np.allclose, np.isin):
        with pytest.raises(TypeError, match=r"got Interval; use interval\.equal"):
            function(wide, wide)
    for function in (np.sort, np.argsort, np.argmax, np.unique, lambda x: np.lexsort((x,)),
                     lambda x: np.partition(x, 1), lambda x: np.searchsorted(x, 1)):  # fmt: skip
        with pytest.raises(TypeError, match="intervals have no total order"):
            function(wide)
    for function in (np.testing.assert_array_equal, np.testing.assert_array_less):
        with pytest.raises(TypeError, match="cannot become an array of numbers"):
            function(wide, wide)
    assert interval.equal(np.maximum(wide[0], Interval(0, 3)), Interval(1, 3))


def test_relations_are_ieee_1788s():
    x, y = Interval([1, 1, 1], [2, 2, 2]), Interval([1, 2, 0], [2, 3, 4])
    assert interval.equal(x, y).tolist() == [True, False, False]
    assert interval.less(x, y).tolist() == [True, True, False]
    assert interval.strict_less(x, y).tolist() == [False, True, False]
    assert interval.precedes(x, y).tolist() == [False, True, False]
    assert interval.not_equal(x, y).tolist() == [False, True, True]


def test_roots_refuse_comparisons_by_name():
    box = Interval(-1, 1)
    for f, name in (
        (lambda x: -x if x < 0 else x, "less"),
        (lambda x: -x if x == 0 else x, "equal"),
        (lambda x: builtins.max(x, -x), "greater"),
    ):
        with pytest.raises(TypeError, match=f"f: {name}: it branches on an argument"):
            interval.roots(f, box)
        for form in (interval.range_of, interval.mean_value, interval.taylor):
            assert interval.subset(Interval(0, 1) if name != "equal" else box, form(f, box))
