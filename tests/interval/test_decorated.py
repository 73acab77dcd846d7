"""Tests of decorations: the strongest valid one of each function and box, and propagation."""

import itertools
import warnings

import interval_oracle
import numpy as np
import oracle_decorations as oracle
import pytest
from exhaustive import either, one_in, shared_out
from interval_bounds import same_intervals

import halfcl as hc
from halfcl import interval
from halfcl.interval import DecoratedInterval, Interval, nai
from halfcl.interval._decorated import decorations
from halfcl.interval._functions import elementwise

pytestmark = pytest.mark.once

CODES = {"com": 16, "dac": 12, "def": 8, "trv": 4, "ill": 0}
ENDS = [-np.inf, -65504, -2049, -2.5, -2, -1.5, -1, 2.0**-11 - 1, -0.5, -(2.0**-24), -0.0, 0.0,
        2.0**-24, 0.25, 0.5, 1 - 2.0**-11, 1, 1.5, 1.5703125, 1.5712890625, 2.5, 3, 1001.5, 65504,
        np.inf]  # fmt: skip
FEW = [-np.inf, -1, -0.0, 2.0**-24, 1, 65504, np.inf]
#: The least exponent: with smaller ones, powers rise too steeply near 0 for the oracle.
OF_POW = [-np.inf, -65504, -1, -0.0, 0.5, 1, np.inf]
#: The functions that have trv at best: reverse operations, and those on sets.
TRIVIAL = {
    "cancel_minus", "cancel_plus", "sqr_rev", "abs_rev", "pown_rev", "cosh_rev", "mul_rev",
    "sin_rev", "cos_rev", "tan_rev", "pow_rev1", "pow_rev2", "atan2_rev1", "atan2_rev2",
    "intersection", "hull",
}  # fmt: skip
INTEGERS = {name: range(-3, 4) for name in ("pown", "rootn", "ldexp", "compoundn")}
COUNTS = {
    **dict.fromkeys(("fma", "clamp", "mix"), 3),
    **dict.fromkeys(("div", "add", "sub", "mul", "min", "max", "hypot", "pow", "step", "fdim"), 2),
    **dict.fromkeys(("atan2", "atan2pi"), 2),
}


def make_boxes(ends):
    """Return bounds as floats of all intervals between ends, and of the empty set."""
    bounds = [(a, b) for a in ends for b in ends if a <= b and a < np.inf and b > -np.inf]
    return [*bounds, (np.nan, np.nan)]


def make(bounds):
    low, high = (np.array(v, np.float16).view(hc.half) for v in zip(*bounds, strict=True))
    return Interval.of((low, high))


def is_bounded(x):
    return np.isfinite(x.inf) & np.isfinite(x.sup)


# ---------------------------------------------------------------- local decorations


@one_in(3)
@shared_out
@pytest.mark.parametrize("name", oracle.VALUES)
def test_local_decorations(name):
    """The local decoration is the strongest that holds, on boxes with every kind of bounds."""
    count = COUNTS.get(name, 1)
    ends = OF_POW if name == "pow" else (ENDS, FEW, [0.0, 65504, np.inf])[count - 1]
    kinds = make_boxes(ends)
    rows = list(itertools.product(kinds, repeat=count))
    if count > 1 or name in INTEGERS:  # 11 is prime to the number of kinds
        rows = rows[:: either(1, 47)]
    arguments = [make([box[k] for box in rows]) for k in range(count)]
    function = getattr(interval, name)
    for n in INTEGERS.get(name, [None]):
        integers = [] if n is None else [n]
        bare = function(*arguments, *integers)
        actual = function(*map(interval.new_dec, arguments), *integers)
        assert same_intervals(actual.interval, bare)
        exact = [[interval_oracle.exact(*x) for x in box] for box in rows]
        wanted = [
            oracle.decoration(name, box, bounded, n)
            for box, bounded in zip(exact, is_bounded(bare).tolist(), strict=True)
        ]
        wrong = [
            (n, *row)
            for row in zip(rows, wanted, actual.decoration, strict=True)
            if row[1] != row[2]
        ]
        assert not wrong, wrong[:5]


def test_each_function_has_a_rule():
    """Each function has a rule, or is among those with trv at best."""
    functions = elementwise.FUNCTIONS.keys() | {"intersection", "hull"}
    assert functions == oracle.VALUES.keys() | TRIVIAL | {"mul_rev_to_pair"}
    assert decorations.RULES.keys() == functions - TRIVIAL


def test_example_of_the_standard():
    """A step function is constant on [2, 2.5] but not continuous at 2."""
    x = DecoratedInterval([2, 2.25, 1.5], [2.5, 2.5, 2])
    assert np.floor(x).decoration.tolist() == ["dac", "com", "def"]


# ---------------------------------------------------------------- propagation


def random(seed, n=300):
    """Return intervals of every kind with random valid decorations, some of them NaI."""
    rng = np.random.default_rng(seed)
    bare = make(list(zip(*interval_oracle.samples(rng, n), strict=True)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", interval.UndefinedOperationWarning)
        return interval.set_dec(bare, rng.choice(list(CODES), n, p=[0.4, 0.2, 0.2, 0.1, 0.1]))


def codes(x):
    return np.array([CODES[d] for d in np.ravel(x.decoration)]).reshape(x.shape)


def without_decorations(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", interval.IntvlPartOfNaIWarning)
        return x.interval


def arguments_of(name):
    """Return random arguments of a function: x decorated, others perhaps bare, integers."""
    import inspect

    names = list(inspect.signature(getattr(interval, name)).parameters)
    return [np.array([2, -1, 3] * 100) if v in "nk" else random(i) for i, v in enumerate(names)]


@one_in(3)
@pytest.mark.parametrize("name", [*elementwise.FUNCTIONS, "intersection", "hull"])
def test_propagation(name):
    """The decoration is the weakest of the operands' and the operation's own; NaI stays NaI."""
    function, arguments = getattr(interval, name), arguments_of(name)
    intervals = [x for x in arguments if isinstance(x, DecoratedInterval)]
    actual = function(*arguments)
    parts = [without_decorations(x) if isinstance(x, DecoratedInterval) else x for x in arguments]
    fresh = function(*(interval.new_dec(x) if isinstance(x, Interval) else x for x in parts))
    bare = function(*parts)
    weakest = np.min([codes(x) for x in intervals], axis=0)
    results = zip(
        *(v if isinstance(v, tuple) else (v,) for v in (actual, fresh, bare)), strict=True
    )
    for got, strongest, plain in results:
        assert isinstance(got, DecoratedInterval) and isinstance(plain, Interval)
        assert np.array_equal(codes(got), np.minimum(weakest, codes(strongest)))
        assert np.array_equal(interval.is_nai(got), weakest == 0)
        assert same_intervals(without_decorations(got)[weakest > 0], plain[weakest > 0])
        assert np.all(interval.is_empty(without_decorations(got)[weakest == 0]))
        if name in TRIVIAL:
            assert codes(got).max() == 4


@one_in(3)
@pytest.mark.parametrize("name", [*elementwise.FUNCTIONS, "intersection", "hull"])
def test_operations_do_not_warn(name):
    arguments = arguments_of(name)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        getattr(interval, name)(*arguments)


def test_other_operands_are_promoted():
    """Intervals, halves and numbers are promoted, on either side."""
    x = DecoratedInterval(["[1, 2]", "[1, 2]_def"])
    for one in (Interval(1), 1, 1.0, hc.half(1), np.ones(2, hc.half), Interval([1, 1])):
        for actual in (x + one, one + x, interval.add(x, one), np.add(one, x), hc.add(x, one)):
            assert actual.decoration.tolist() == ["com", "def"] and np.all(
                interval.equal(without_decorations(actual), without_decorations(x) + 1)
            )
    assert (x + Interval(1, np.inf)).decoration.tolist() == ["dac", "def"]
    assert (x + interval.empty).decoration.tolist() == ["trv", "trv"]
    assert (x * 1e6).decoration.tolist() == ["dac", "def"]
    assert (65504 + x).decoration.tolist() == ["dac", "def"]  # it overflows


def test_broadcasting():
    """Rules and decorations broadcast like intervals."""
    x, y = DecoratedInterval([[1], [2]], decoration=[["com"], ["def"]]), Interval([-1, 0, 1], 2)
    assert (x / y).decoration.tolist() == [["trv", "trv", "com"], ["trv", "trv", "def"]]
    assert np.floor(x + y[0]).decoration.tolist() == [["def"], ["def"]]
    assert interval.pown(x[0], [[1], [-1]]).decoration.tolist() == [["com"], ["com"]]
    assert interval.rootn(y[2], [[0, 2, 10**30]]).shape == (1, 3)
    actual = interval.rootn(interval.new_dec(y), [[10**30], [1 - 10**30]])
    assert actual.decoration.tolist() == [["trv", "com", "com"], ["trv", "trv", "com"]]


def test_optional_and_named_arguments():
    x, y = DecoratedInterval(4, 9), DecoratedInterval(0, 10)
    assert interval.equal(without_decorations(interval.sqr_rev(x)), Interval(-3, 3))
    for actual in (interval.sqr_rev(x, y), interval.sqr_rev(c=Interval(4, 9), x=y)):
        assert repr(actual) == "DecoratedInterval('[2, 3]_trv')"
    assert repr(interval.sub(y=y, x=x)) == "DecoratedInterval('[-6, 9]_com')"
    assert interval.pown(x, n=10**30).decoration == "dac"
    assert interval.pown(x, -(10**30)).decoration == "com"
    with pytest.raises(TypeError):
        interval.pown(2, x)
    with pytest.raises(TypeError, match="y: expected intervals or numbers, got str"):
        interval.add(x, "1")


def test_division_in_two_pieces():
    y, z = random(1), random(2)
    first, second = interval.mul_rev_to_pair(y, z)
    whole = interval.is_nai(z + y)
    assert np.array_equal(interval.is_nai(second), whole)
    assert np.all(codes(second)[~whole] == 4)
    without = ~np.asarray(interval.is_member(0, y)) & ~whole
    assert np.array_equal(codes(first)[without], codes(z / y)[without])
    assert np.all(codes(first)[~without] <= 4)


# ---------------------------------------------------------------- relations, numbers

RELATIONS = [
    "equal", "subset", "interior", "disjoint", "less", "strict_less", "precedes", "strict_precedes"
]  # fmt: skip


@pytest.mark.parametrize("name", [*RELATIONS, "not_equal", "overlap"])
def test_relations(name):
    """Relations ignore decorations; with NaI they are false, except not_equal."""
    function, x, y = getattr(interval, name), random(3), random(4)
    nai_value = {"not_equal": True, "overlap": "undefined"}.get(name, False)
    actual = function(x, y)
    ill = interval.is_nai(x) | interval.is_nai(y)
    assert ill.any() and not ill.all()
    assert np.array_equal(
        actual, np.where(ill, nai_value, function(without_decorations(x), without_decorations(y)))
    )
    assert np.array_equal(function(x, without_decorations(y))[~ill], actual[~ill])
    for one in (nai, interval.empty, interval.entire, 1):
        assert function(nai, one) == nai_value and function(one, nai) == nai_value


def test_operators_that_compare():
    x = DecoratedInterval(["[1, 2]", "[1, 2]_trv", "[nai]"])
    assert interval.equal(x, Interval(1, 2)).tolist() == [True, True, False]
    assert interval.not_equal(Interval(1, 2), x).tolist() == [False, False, True]
    assert interval.less(x, 2).tolist() == [True, True, False]
    assert interval.strict_less(0, x).tolist() == [True, True, False]
    assert not same_intervals(x, x) and same_intervals(x[:2], x[1::-1])
    assert (x == None) is False  # noqa: E711


@pytest.mark.parametrize("name", ["is_empty", "is_entire", "is_singleton", "is_common"])
def test_relations_of_one(name):
    function, x = getattr(interval, name), random(5)
    assert np.array_equal(function(x), function(without_decorations(x)) & ~interval.is_nai(x))
    assert function(nai) == False and not interval.is_nai(Interval(1, 2))  # noqa: E712


def test_membership():
    x = DecoratedInterval(["[1, 2]", "[1, 2]_trv", "[nai]"])
    assert interval.is_member(1.5, x).tolist() == [True, True, False]
    assert 1.5 in x[1] and 1.5 not in x[2] and Interval(1, 1.5) in x[0] and x[0] in x[1]
    assert x[2] not in x[2]
    with pytest.raises(TypeError, match="m: expected numbers, got DecoratedInterval"):
        interval.is_member(x, x)
    with pytest.raises(ValueError, match="is_member"):
        1 in x  # noqa: B015


@pytest.mark.parametrize("name", ["inf", "sup", "mid", "rad", "wid", "mag", "mig"])
def test_numbers(name):
    function, x = getattr(interval, name), random(6)
    actual, ill = function(x), interval.is_nai(x)
    assert actual.dtype == hc.half and np.array_equal(
        np.isnan(actual[ill]), np.ones(ill.sum(), bool)
    )
    wanted = function(without_decorations(x))[~ill]
    assert np.array_equal(actual[~ill].view(np.uint16), wanted.view(np.uint16))
    assert np.isnan(function(nai)) and isinstance(function(nai), hc.half)
    assert np.isnan(nai.inf) and np.isnan(nai.sup)


# ---------------------------------------------------------------- sums and extrema


def table():
    x = random(7, 24).reshape(4, 6)
    x[0] = DecoratedInterval(1, 2)
    x[1, :3], x[1, 3] = Interval(1, 2), DecoratedInterval("[1, 2]_def")
    return x


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
def test_sums_and_extrema(axis):
    """The result has the weakest decoration along the axis, or dac where it is unbounded."""
    x = table()
    for function in (np.sum, np.max, np.min):
        actual = function(x, axis=axis)
        weakest = codes(x).min(axis=axis)
        bare = function(without_decorations(x), axis=axis)
        limit = np.where(is_bounded(bare), 16, np.where(interval.is_empty(bare), 4, 12))
        assert np.array_equal(codes(actual), np.minimum(weakest, limit))
        assert function(x, axis=axis, keepdims=True).shape == x.inf.max(
            axis=axis, keepdims=True).shape  # fmt: skip
    assert (x[0] * 20000).sum().decoration == "dac" and x.sum(axis=1).shape == (4,)
    assert interval.sum(axis=axis, x=x).shape == x.sum(axis).shape
    with pytest.raises(TypeError, match="dtype: expected the default"):
        np.sum(x, dtype=float)


def test_array_functions_propagate_per_result():
    """Each result has the weakest decoration among its own inputs."""
    x = table()
    assert np.array_equal(codes(x.mean(axis=1)), codes(x.sum(axis=1)))
    assert np.array_equal(codes(np.cumsum(x, axis=1)), np.minimum.accumulate(
        np.minimum(codes(x), codes(np.cumsum(x, axis=1))), axis=1))  # fmt: skip
    y = DecoratedInterval([1, 2, 3, 4], decoration=["com", "def", "com", "dac"])
    assert np.cumsum(y).decoration.tolist() == ["com", "def", "def", "def"]
    assert np.maximum.accumulate(y).decoration.tolist() == ["com", "def", "def", "def"]
    assert np.diff(y).decoration.tolist() == ["def", "def", "dac"]
    assert np.diff(y, 3).decoration.tolist() == ["def"]
    v = y.reshape(2, 2)
    assert hc.length(v).decoration.tolist() == ["def", "dac"]
    assert np.linalg.norm(v, axis=0).decoration.tolist() == ["com", "def"]
    assert hc.distance(v, Interval([1, 1])).decoration.tolist() == ["def", "dac"]
    assert np.outer(y[:2], y[2:]).decoration.tolist() == [["com", "dac"], ["def", "def"]]
    assert np.trace(v).decoration == "dac" and np.inner(y, y).decoration == "def"
    assert np.multiply.outer(y[:2], y[2:]).decoration.tolist() == [["com", "dac"], ["def", "def"]]
    assert np.linalg.vector_norm(v, axis=1).decoration.tolist() == ["def", "dac"]
    z = DecoratedInterval([[0, 1], [-1, 0], [0, 0]], [[1, 2], [1, 1], [0, 0]])
    assert hc.normalize(z).decoration.tolist() == [["com"] * 2, ["trv"] * 2, ["trv"] * 2]
    assert hc.normalize(z.T, axis=0).decoration.tolist() == hc.normalize(z).T.decoration.tolist()
    assert hc.cross(x[0, :3], x[1, :3]).decoration.tolist() == ["com"] * 3


def test_products():
    """Products have the decorations of sums of decorated products."""
    x, y = table(), table().T
    whole = x @ y
    assert whole.shape == (4, 4) and len({*codes(whole).ravel()}) > 2
    for i, j in np.ndindex(4, 4):
        one = interval.dot(x[i], y[:, j])
        assert codes(one) == codes(whole[i, j]) == codes((x[i] * y[:, j]).sum())
        assert codes(x[i] @ y[:, j]) == codes(one)
    assert np.array_equal(codes(np.stack([x, x]) @ y[:, 0]), codes((np.stack([x, x]) @ y)[..., 0]))
    assert np.array_equal(codes(x[0] @ np.stack([y, y])), codes((x @ np.stack([y, y]))[:, 0]))
    assert np.array_equal(codes(np.dot(x, y)), codes(whole))
    assert np.array_equal(codes(interval.dot(x[:, None], y.T)), codes(whole))
    bare = interval.matmul(without_decorations(x), y)
    assert isinstance(bare, DecoratedInterval)
    assert interval.dot(x[:0].T, x[:0].T).decoration.tolist() == ["com"] * 6
