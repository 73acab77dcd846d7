"""Tests of interval arithmetic: each bound is that of the exact range, rounded outward once."""

import os
from fractions import Fraction

import interval_oracle as oracle
import numpy as np
import pytest
from exhaustive import one_in
from interval_bounds import same_intervals

import halfcl as hc
from halfcl import interval
from halfcl.interval import Interval

N = int(os.environ.get("HALFCL_TEST_INTERVALS", "1500"))


def make(low, high):
    """Return intervals from floats that are halves; NaN for empty ones."""
    return Interval.of(tuple(np.asarray(x, np.float16).view(hc.half) for x in (low, high)))


def bits(low, high):
    """Return the bits of bounds as x.inf and x.sup have them, in two rows."""
    empty = np.isnan(low)
    low = np.where(empty, np.inf, np.where(low == 0, -0.0, low))
    high = np.where(empty, -np.inf, np.where(high == 0, 0.0, high))
    return np.array([low, high]).astype(np.float16).view(np.uint16)


def bits_of(x):
    return np.array([np.asarray(v, hc.half).view(np.uint16) for v in (x.inf, x.sup)])


def expected_bits(intervals):
    """Return the bits of the oracle's intervals, rounded outward."""
    pairs = [(np.nan, np.nan) if x is None else oracle.outward(x) for x in intervals]
    return bits(*np.array(pairs, float).reshape(-1, 2).T)


def draw(seed, count, n=N):
    rng = np.random.default_rng(seed)
    return [oracle.samples(rng, n) for _ in range(count)]


def exact(sample):
    return [oracle.exact(a, b) for a, b in zip(*sample, strict=True)]


def check(actual, wanted, arguments):
    wrong = np.flatnonzero((bits_of(actual) != wanted).any(axis=0))
    for i in wrong[:3]:
        pairs = [(float(a[i]), float(b[i])) for a, b in arguments]
        print(pairs, actual[int(i)], wanted[:, i].view(np.float16))
    assert not wrong.size


@one_in(2)
@pytest.mark.parametrize("name", oracle.OPERATIONS)
def test_operations_are_tightest(name):
    count, function = oracle.OPERATIONS[name]
    arguments = draw(len(name), count)
    actual = getattr(interval, name)(*(make(*x) for x in arguments))
    wanted = [function(*x) for x in zip(*map(exact, arguments), strict=True)]
    check(actual, expected_bits(wanted), arguments)


def test_every_function_is_tested():
    from halfcl.interval._bounds import arithmetic, common

    tested = {*oracle.OPERATIONS, "mul_rev_to_pair", "ldexp", "compoundn"}
    assert tested == arithmetic.FUNCTIONS.keys() | common.FUNCTIONS.keys()


def test_ldexp():
    (sample,) = draw(7, 1)
    exponents = np.random.default_rng(8).integers(-45, 45, len(sample[0]))
    actual = interval.ldexp(make(*sample), exponents)
    scales = [Fraction(2) ** int(k) for k in exponents]
    pairs = zip(exact(sample), scales, strict=True)
    check(actual, expected_bits(x and tuple(v * s for v in x) for x, s in pairs), [sample])
    huge = interval.ldexp(Interval(-1, 3), [10**30, -(10**30), 2**31])
    assert (
        interval.equal(huge, Interval([-np.inf, -(2.0**-24), -np.inf], [np.inf, 2.0**-24, np.inf]))
    ).all()


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "cancel_minus", "mul_rev_to_pair"])
def test_pairs_of_special_bounds(name):
    """All pairs of intervals with bounds among a few are tightest."""
    ends = [-np.inf, -65504, -1.5, -(2.0**-24), -0.0, 0.0, 2.0**-24, 3, 65504, np.inf]
    few = [(a, b) for a in ends for b in ends if a <= b and a < np.inf and b > -np.inf]
    few.append((np.nan, np.nan))
    pairs = [(x, y) for x in few for y in few]
    arguments = [np.array([p[k] for p in pairs]).T for k in (0, 1)]
    check_pair(name, arguments)


def check_pair(name, arguments):
    actual = getattr(interval, name)(*(make(*x) for x in arguments))
    operands = list(zip(*map(exact, arguments), strict=True))
    if name == "mul_rev_to_pair":
        wanted = [oracle.mul_rev_to_pair(*x) for x in operands]
        check(actual[0], expected_bits(w[0] for w in wanted), arguments)
        check(actual[1], expected_bits(w[1] for w in wanted), arguments)
    else:
        wanted = [oracle.OPERATIONS[name][1](*x) for x in operands]
        check(actual, expected_bits(wanted), arguments)


def test_division_in_two_pieces():
    check_pair("mul_rev_to_pair", draw(3, 2))


@pytest.mark.parametrize("length", [0, 1, 7, 300])
def test_sum_and_dot(length):
    a, b = draw(length, 2, 20 * max(length, 1))
    x, y = ([v.reshape(20, -1)[:, :length] for v in s] for s in (a, b))
    pick = [np.where(np.isnan(v), 1, v) if length > 7 else v for v in (*x, *y)]
    x, y = pick[:2], pick[2:]
    rows = [[exact((p, q)) for p, q in zip(*s, strict=True)] for s in (x, y)]
    zero = (Fraction(0), Fraction(0))
    sums = [total(zero, row) for row in rows[0]]
    check(interval.sum(make(*x), axis=1), expected_bits(sums), [x])
    check(np.sum(make(*(v.T for v in x)), axis=0), expected_bits(sums), [x])
    dots = [
        total(zero, [None if None in p else oracle.mul(*p) for p in zip(*r, strict=True)])
        for r in zip(*rows, strict=True)
    ]
    check(interval.dot(make(*x), make(*y)), expected_bits(dots), [x, y])
    check((make(*x)[:, None, :] @ make(*y)[:, :, None])[:, 0, 0], expected_bits(dots), [x, y])


def total(zero, row):
    if None in row:
        return None
    for x in row:
        zero = oracle.add(zero, x)
    return zero


def test_matmul(monkeypatch):
    from halfcl.interval._functions import sums

    a, b = draw(5, 2, 5 * 4)
    x, y = make(*a).reshape(5, 4), make(*b).reshape(4, 5)
    whole = x @ y
    assert whole.shape == (5, 5) and (x @ y[:, 0]).shape == (5,) and (x[0] @ y).shape == (5,)
    for i in range(5):
        for j in range(5):
            one = interval.dot(x[i], y[:, j])
            assert interval.equal(one, whole[i, j])
    monkeypatch.setattr(sums, "_BLOCK", 40)
    assert same_intervals(x @ y, whole)
    assert same_intervals(np.stack([x, x]) @ y, np.stack([whole, whole]))
    assert same_intervals(np.dot(x, y), whole) and same_intervals(x.dot(y), whole)
    with pytest.raises(ValueError, match="as many columns as rows"):
        x @ x


# ---------------------------------------------------------------- kernels

KERNELS = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "recip": 1, "abs": 1, "sqrt": 1, "exp": 1,
    "log": 1, "cosh": 1, "asin": 1, "sin": 1, "tan": 1, "tanpi": 1,
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
def test_lengths_and_layouts(name):
    """Slices, views of any stride and scalar operands give the results of whole arrays."""
    function = getattr(interval, name)
    arguments = [make(*x) for x in draw(23, KERNELS[name], 300)]
    whole = function(*arguments)
    for n in range(101):
        actual = function(*(x[300 - n :] for x in arguments))
        assert same_intervals(actual, whole[300 - n :]), n
    for part in (slice(None, None, -1), slice(3, None, 7), slice(200, 10, -3)):
        assert same_intervals(function(*(x[part] for x in arguments)), whole[part])
    grids = [x.reshape(15, 20).T for x in arguments]
    assert same_intervals(function(*grids).T.ravel(), whole)
    first, *others = arguments
    if others:
        one = others[0][7]
        assert same_intervals(
            function(first, one, *others[1:]),
            function(first, np.broadcast_to(one, (300,)).copy(), *others[1:]),
        )


# ---------------------------------------------------------------- numbers of intervals


def test_midpoint_radius_width():
    a = draw(11, 1)[0]
    x = make(*a)
    for i, range_ in enumerate(exact(a)):
        mid, rad, wid = (float(f(x[i])) for f in (interval.mid, interval.rad, interval.wid))
        mag, mig = float(interval.mag(x[i])), float(interval.mig(x[i]))
        if range_ is None:
            assert all(np.isnan([mid, rad, wid, mag, mig]))
            continue
        low, high = range_
        assert (mig, mag) == oracle.magnitudes(range_)
        if np.inf in (high, -low):
            limits = [-65504 if low == -np.inf else None, 65504 if high == np.inf else None]
            one = [v for v in limits if v is not None]
            assert (mid, rad, wid) == (sum(one), np.inf, np.inf)
        else:
            assert mid == round_to_nearest((low + high) / 2) and low <= mid <= high
            assert rad == oracle.up(max(Fraction(mid) - low, high - Fraction(mid)))
            assert wid == oracle.up(high - low)
        assert not any(np.signbit([v for v in (mid, wid, rad, mag, mig) if v == 0]))


def round_to_nearest(x):
    """Round to nearest; ties go to the number whose last bit is 0."""
    low, high = Fraction(oracle.down(x)), Fraction(oracle.up(x))
    if x - low == high - x and low != high:
        even = int(np.float16(low).view(np.uint16)) % 2 == 0
        return float(low if even else high)
    return float(low if x - low < high - x else high)


# ---------------------------------------------------------------- algebra


@pytest.fixture(scope="module")
def three():
    return [make(*x) for x in draw(17, 3, 20_000)]


def everywhere(truths):
    return bool(np.all(truths))


def test_commutative(three):
    x, y, _ = three
    for f in (interval.add, interval.mul, interval.min, interval.max, interval.hull,
              interval.intersection):  # fmt: skip
        assert same_intervals(f(x, y), f(y, x)), f.__name__


def test_neutral(three):
    x, *_ = three
    alike = [x + 0, x * 1, x / 1, 1 * x, 0 + x, x - 0, +x, interval.neg(-x)]
    for same in (*alike, x | interval.empty, x & interval.entire, x | x, x & x):
        assert same_intervals(same, x)
    assert everywhere(interval.is_empty(x + interval.empty) & interval.is_empty(x & interval.empty))


def test_inclusion_isotonic(three):
    """Smaller operands give smaller results."""
    x, y, z = three
    bigger = x | z
    for name, (count, _) in oracle.OPERATIONS.items():
        if not name.startswith("cancel"):
            f, more = getattr(interval, name), [y, z][: count - 1]
            assert everywhere(interval.subset(f(x, *more), f(bigger, *more))), name


def test_lattice(three):
    x, y, z = three
    assert same_intervals(x | (x & y), x) and same_intervals(x & (x | y), x)
    assert same_intervals((x & y) & z, x & (y & z)) and same_intervals((x | y) | z, x | (y | z))
    assert everywhere(interval.subset(x & y, x) & interval.subset(x, x | y))
    assert everywhere(interval.disjoint(x, y) == interval.is_empty(x & y))
    assert everywhere(interval.subset(x, y) == interval.equal(x & y, x))


def test_cancel_undoes(three):
    x, y, _ = three
    assert everywhere(interval.subset(x, interval.cancel_minus(x + y, y)) | interval.is_empty(y))
    assert everywhere(interval.subset(x, interval.cancel_plus(x - y, y)) | interval.is_empty(y))


def test_points_round_as_directed_functions(three):
    """For points, fma and the operators equal the directed functions."""
    rng = np.random.default_rng(5)
    a, b, c = (rng.normal(size=500).astype(np.float16).view(hc.half) for _ in range(3))
    actual = interval.fma(Interval(a), b, c)
    assert np.array_equal(actual.inf, hc.fma(a, b, c, rounding="rtn"))
    assert np.array_equal(actual.sup, hc.fma(a, b, c, rounding="rtp"))


# ---------------------------------------------------------------- relations


def sets():
    """Return bounded intervals of integers, with enough points to decide relations."""
    ends = [(a, b) for a in range(4) for b in range(a, 4)]
    return [(None, [])] + [
        (e, [Fraction(k, 8) for k in range(8 * e[0], 8 * e[1] + 1)]) for e in ends
    ]


RELATIONS = {
    "equal": lambda x, y: x == y,
    "subset": lambda x, y: all(a in y for a in x),
    "disjoint": lambda x, y: not any(a in y for a in x),
    "interior": lambda x, y: all(any(b < a for b in y) and any(b > a for b in y) for a in x),
    "precedes": lambda x, y: all(a <= b for a in x for b in y),
    "strict_precedes": lambda x, y: all(a < b for a in x for b in y),
    "less": lambda x, y: (
        all(any(a <= b for b in y) for a in x) and all(any(a <= b for a in x) for b in y)
    ),
    "strict_less": lambda x, y: (
        all(any(a < b for b in y) for a in x) and all(any(a < b for a in x) for b in y)
    ),
}


@pytest.mark.parametrize("name", RELATIONS)
def test_relations(name):
    """Relations follow the standard's definitions by quantifiers."""
    for x, points in sets():
        for y, others in sets():
            one, other = (interval.empty if v is None else Interval(*v) for v in (x, y))
            actual = getattr(interval, name)(one, other)
            assert actual == RELATIONS[name](points, others), (x, y)


def test_relations_unbounded():
    low, high = Interval(-np.inf, 1), Interval(-np.inf, 2)
    assert interval.strict_less(low, high) and interval.interior(low, high)
    assert not interval.strict_less(high, low) and not interval.precedes(low, high)
    assert interval.interior(interval.entire, interval.entire)
    assert not interval.interior(Interval(1, 2), Interval(1, 3))
    assert interval.strict_less(Interval(1, np.inf), Interval(2, np.inf))


STATES = """
before 1 2 3 4; meets 1 2 2 3; overlaps 1 3 2 4; starts 1 2 1 3; contained_by 2 3 1 4;
finishes 2 3 1 3; equals 1 3 1 3; finished_by 1 3 2 3; contains 1 4 2 3; started_by 1 3 1 2;
overlapped_by 2 4 1 3; met_by 2 3 1 2; after 3 4 1 2; starts 1 1 1 3; finishes 3 3 1 3;
contains 1 3 2 2; equals 2 2 2 2; finished_by 1 3 3 3; started_by 1 3 1 1; before 1 1 2 2
"""


@pytest.mark.parametrize("line", [s.strip() for s in STATES.split(";")])
def test_overlap(line):
    name, *ends = line.split()
    a, b, c, d = map(int, ends)
    assert interval.overlap(Interval(a, b), Interval(c, d)) == name


def test_overlap_of_empty():
    empty, x = interval.empty, Interval(1, 2)
    actual = [interval.overlap(*p) for p in ((empty, empty), (empty, x), (x, empty))]
    assert actual == ["both_empty", "first_empty", "second_empty"]


def test_overlap_is_one_of_sixteen(three):
    x, y, _ = three
    actual, turned = interval.overlap(x, y), interval.overlap(y, x)
    assert "" not in actual and len(set(actual)) == 16
    pairs = {
        "before": "after",
        "meets": "met_by",
        "overlaps": "overlapped_by",
        "starts": "started_by",
        "contains": "contained_by",
        "finishes": "finished_by",
        "first_empty": "second_empty",
        "equals": "equals",
        "both_empty": "both_empty",
    }
    pairs |= {b: a for a, b in pairs.items()}
    assert [pairs[s] for s in actual] == list(turned)


def test_kinds():
    x = Interval.of(tuple(np.asarray(v, hc.half) for v in
                          zip(*[(np.nan, np.nan), (-np.inf, np.inf), (1, 1), (1, 2), (1, np.inf)],
                              strict=True)))  # fmt: skip
    assert interval.is_empty(x).tolist() == [True, False, False, False, False]
    assert interval.is_entire(x).tolist() == [False, True, False, False, False]
    assert interval.is_singleton(x).tolist() == [False, False, True, False, False]
    assert interval.is_common(x).tolist() == [False, False, True, True, False]


def test_membership():
    x = Interval(1, 2)
    inside = [1, 2.0, Fraction(4, 3), hc.half(1.5), np.float32(2)]
    outside = [0.9999999, 2.0000001, np.nan, np.inf, 10**400, -(10**400)]
    for m, wanted in [*((m, True) for m in inside), *((m, False) for m in outside)]:
        assert interval.is_member(m, x) == wanted, m
    assert interval.is_member(10**400, Interval(1, np.inf))
    assert not interval.is_member(np.inf, interval.entire)
    assert not interval.is_member(1, interval.empty)
    assert interval.is_member([0, 1.5, np.nan], x).tolist() == [False, True, False]
