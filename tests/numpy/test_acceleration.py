"""Tests of NumPy's float16 with and without acceleration: results, exceptions, calls, regions."""

import functools
import operator

import gmpy2
import numpy as np
import oracle
import pytest
from checks import as_tuple, call
from exhaustive import one_in
from oracle_functions import MATH, OF_TWO, PARTS, WITH_INTEGER, evaluate

import halfcl as hc
from halfcl._numpy.compat import ufuncs
from halfcl._tables import TABLE

ROWS = {name: row for row in TABLE for name in row.numpy}

with hc.accelerated():
    UFUNCS = {name: ufuncs()[name] for name in hc.accelerated_ufuncs()}
ELEMENTWISE = [name for name, ufunc in UFUNCS.items() if not ufunc.signature]
EVERY = np.arange(1 << 16, dtype=np.uint16)
EDGES = np.array(
    [0, 1, 2, 0x3FF, 0x400, 0x2C00, 0x3800, 0x3BFF, 0x3C00, 0x3C01, 0x3E00, 0x4000, 0x4248, 0x4500,
     0x5800, 0x7800, 0x7BFF, 0x7C00, 0x7E00, 0x7FFF], np.uint16,
)  # fmt: skip
EDGES = np.concatenate([EDGES, EDGES | 0x8000])


@pytest.fixture(autouse=True)
def off():
    """A fixture that turns acceleration off before and after each test."""
    hc.decelerate()
    yield
    hc.decelerate()


def as_numbers(columns):
    return [x.view(np.float16) if x.dtype == np.uint16 else x for x in columns]


def as_columns(results):
    return tuple(x.view(np.uint16) if x.dtype == np.float16 else x for x in as_tuple(results))


def off_and_on(function, *columns):
    """Return NumPy's results without and with acceleration, as bits."""
    numbers = as_numbers(columns)
    with np.errstate(all="ignore"):
        without = as_columns(function(*numbers))
        with hc.accelerated():
            return without, as_columns(function(*numbers))


@functools.cache
def operands(name, n=1 << 18):
    """Return all halves for functions of one; for others pairs with edge cases and random ones."""
    letters = ROWS[name].inputs
    if letters == "e":
        return (EVERY,)
    rng = np.random.default_rng(len(name))
    halves = [np.repeat(EDGES, EDGES.size), np.tile(EDGES, EDGES.size)] * 2
    return tuple(
        np.concatenate([edge, rng.integers(0, 1 << 16, n).astype(np.uint16)])
        if letter == "e"
        else rng.integers(-40, 40, n + EDGES.size**2).astype(np.int32)
        for letter, edge in zip(letters, halves, strict=False)
    )


def are_different(one, other):
    """Return where results differ, except for the bits of NaNs."""
    if one.dtype != np.uint16:
        return one != other
    return (one != other) & ~(oracle.is_nan(one) & oracle.is_nan(other))


def signals(columns):
    return np.logical_or.reduce([
        oracle.is_signalling(x) if x.dtype == np.uint16 else np.zeros(x.shape, bool)
        for x in columns
    ])  # fmt: skip


# ---------------------------------------------------------------- results


def test_every_ufunc():
    """Check that all ufuncs with a loop for float16 are accelerated, with three exceptions."""
    with_loop = {u for u in ufuncs().values() if any("e" in types for types in u.types)}
    names = {u.__name__ for u in with_loop} - set(UFUNCS)
    assert names == {"_ones_like", "absolute", "nextafter"}
    assert set(UFUNCS.values()) <= with_loop


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_results(name):
    """Compare results with NumPy's; where they differ, MPFR's have to equal halfcl's."""
    columns = operands(name)
    without, on = off_and_on(UFUNCS[name], *columns)
    assert [x.dtype for x in without] == [x.dtype for x in on]
    if name == "frexp":  # C leaves the exponent of infinities and NaNs unspecified
        unspecified = ~np.isfinite(columns[0].view(np.float16))
        assert not on[1][unspecified].any()
        without[1][unspecified] = 0
    differ = np.logical_or.reduce([are_different(x, y) for x, y in zip(without, on, strict=True)])
    differ &= ~signals(columns) | ~np.isin(name, ("hypot", "power"))
    if not differ.any():
        return
    row = ROWS[name].name
    assert row in (*MATH, *OF_TWO) or name in ("logaddexp", "logaddexp2")
    assert differ.sum() <= (20 if len(columns) == 1 else columns[0].size // 1000)
    some = tuple(x[differ] for x in columns)
    right = right_results(row, some)
    assert oracle.same(on[0][differ].view(np.float16), right).all()
    assert not oracle.same(without[0][differ].view(np.float16), right).any()


def right_results(row, columns):
    if row in ("logaddexp", "logaddexp2"):
        return log_of_sum(2 if row.endswith("2") else None, *columns)
    (want,), _ = evaluate(row, *columns)["rte"]
    return want


def log_of_sum(base, x, y):
    """Compute the logarithm of a sum of powers by MPFR, with enough bits for any two powers."""
    context = gmpy2.context(precision=400, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max())
    power = context.exp2 if base else context.exp
    log = context.log2 if base else context.log
    sums = [
        log(context.add(power(a), power(b)))
        for a, b in zip((oracle.MPFR[i] for i in x), (oracle.MPFR[i] for i in y), strict=True)
    ]
    with gmpy2.ieee(16):
        return oracle.to_bits(np.array([float(+s) for s in sums]))


@pytest.mark.parametrize("name", ["negative", "positive", "copysign", "conjugate"])
def test_nans_of_bits(name):
    """Check that functions that move or change bits keep the payload and sign of NaNs."""
    columns = operands(name)
    (without,), (on,) = off_and_on(getattr(np, name), *columns)
    kept = oracle.is_nan(without) & ~signals(columns)
    assert kept.any()
    np.testing.assert_array_equal(on[kept], without[kept])


# ---------------------------------------------------------------- exceptions


#: Functions that never raise underflow, like NumPy's with AVX-512; elsewhere NumPy calls C's.
WITHOUT_UNDERFLOW = ("arcsin", "arcsinh", "arctan", "sin", "sinh", "tan", "tanh")
OPERATORS_ROUNDED = ("add", "subtract", "multiply", "divide", "reciprocal", "square")


def one_by_one(ufunc, columns):
    """Return the flags of calls with 20 copies of each element, enough for halfcl's loops."""
    rows = zip(*as_numbers([np.repeat(x, 20).reshape(-1, 20) for x in columns]), strict=True)
    with oracle.Watch() as watch:
        return np.array([(ufunc(*row), watch.take())[1] for row in rows])


def right_exceptions(name, columns):
    """Return IEEE's flags of correctly rounded results; NumPy's for functions without an oracle."""
    row = ROWS[name].name
    if row in OPERATORS_ROUNDED:
        return oracle.evaluate(row, *columns)["rte"][1]
    if row not in (*MATH, *PARTS, *OF_TWO, *WITH_INTEGER):
        return one_by_one(UFUNCS[name], columns)
    return evaluate(row, *columns)["rte"][1]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_exceptions(name):
    """Compare exceptions with those of IEEE 754, one element at a time.

    NumPy's own differ in underflow, which depends on an intermediate float, and on the processor.
    """
    columns = operands(name)
    rng = np.random.default_rng(5)
    some = rng.choice(columns[0].size, 250, replace=False)
    some = np.concatenate([some, EDGES if len(columns) == 1 else rng.choice(EDGES.size**2, 250)])
    columns = [x[some] for x in columns]
    columns = [x[~signals(columns)] for x in columns]
    want = right_exceptions(name, columns)
    if name in WITHOUT_UNDERFLOW:
        want = want & np.uint8(0xFF ^ oracle.UNDERFLOW)
    with hc.accelerated():
        got = one_by_one(UFUNCS[name], columns)
    wrong = np.flatnonzero(got != want)
    assert not wrong.size, [(call(name, columns, i), got[i], want[i]) for i in wrong[:5]]


def test_errstate_and_warnings():
    x = np.full(100, 60000, np.float16)
    with hc.accelerated():
        with pytest.warns(RuntimeWarning, match="overflow encountered in add"):
            x + x
        with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
            x / 0
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="multiply"):
            x * x
        with np.errstate(all="raise"):
            assert np.isinf(x + np.float16(np.inf)).all()  # an infinite operand is not an overflow


# ---------------------------------------------------------------- kinds of calls


def calls_of(f, x, y):
    """Yield results of calls of a ufunc of two halves with arrays of shape (40, 30), by name."""
    out, strided = np.zeros_like(x), np.zeros((80, 60), np.float16)
    big, big_y = x.astype(">f2"), y.astype(">f2")
    raw = np.zeros(x.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(np.float16).reshape(x.shape)
    unaligned[...] = y
    yield "plain", f(x, y)
    yield "out", f(x, y, out=out)
    yield "strided out", f(x, y, out=strided[::2, ::-2])
    yield "where", f(x, y, out=np.full_like(x, 7), where=x > 0)
    yield "swapped bytes", f(big, big_y)
    yield "swapped out", f(x, y, out=np.zeros_like(big))
    yield "unaligned", f(x, unaligned)
    yield "reversed", f(x[::-1, ::-1], y[::-1])
    yield "transposed", f(x.T, y.T)
    yield "broadcast", f(x[:, :1], y[:1])
    yield "a number", f(x, np.float16(3))
    yield "Python's number", f(x, 2)
    yield "0-d", f(x[0, 0, ...], y[0, 0, ...])
    yield "empty", f(x[:0], y[:0])
    yield "wide and narrow", f(x, y.astype(np.float32), dtype=np.float16, casting="same_kind")
    yield "float32", f(x, y.astype(np.float32))
    yield "outer", f.outer(x[0], y[1])
    yield "in place", f(x.copy(), y, out=(same := x.copy())) is same
    overlap = np.concatenate([x.ravel(), y.ravel()])
    f(overlap[:-3], overlap[3:], out=overlap[1:-2])
    yield "overlap", overlap
    yield "accumulate", f.accumulate(x, axis=1)
    yield "accumulate, other axis", f.accumulate(x, axis=0)
    yield "accumulate in place", f.accumulate(flat := x.ravel().copy(), out=flat)
    yield "reduce over rows", f.reduce(x, axis=0)
    yield "reduceat", f.reduceat(x[0], [0, 5, 3, 20])
    target = x.ravel().copy()
    f.at(target, [0, 1, 1, -1, 5], y.ravel()[:5])
    yield "at", target
    target = x.copy()
    f.at(target, (slice(None), [0, 1, 1]), y[:, :3])
    yield "at, two axes", target


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "divide", "maximum", "fmin", "fmod", "floor_divide"]
)
def test_all_kinds_of_calls_have_numpys_bits(name):
    rng = np.random.default_rng(3)
    x, y = (rng.integers(1, 40, (40, 30)).astype(np.float16) / 8 for _ in "xy")
    y[y == 0] = 1
    with np.errstate(all="ignore"):
        without = dict(calls_of(UFUNCS[name], x, y))
        with hc.accelerated():
            on = dict(calls_of(UFUNCS[name], x, y))
    for text, result in without.items():
        assert type(result) is type(on[text])
        if name in ("add", "multiply") and "accumulate" in text:
            continue  # NumPy rounds these at each step; see test_segments.py
        np.testing.assert_array_equal(on[text], result, text, strict=True)


def scalar_arguments(name):
    """Return tuples of arguments, float16 and numbers beside it, at edges and at random."""
    rng = np.random.default_rng(4)
    halves = [np.concatenate([EDGES, [0x7C01, 0xFE55], rng.integers(0, 1 << 16, 300)])] * 2
    one, other = (rng.permutation(x.astype(np.uint16)).view(np.float16) for x in halves)
    if ROWS[name].inputs == "e":
        return [(x,) for x in one]
    numbers = [0, 1, -3, 40, 2049, 70000, *([] if name == "ldexp" else [2.5, 0.1, 1e-9, 1e9])]
    pairs = [(x, y) for x in one[:60] for y in numbers]
    if name != "ldexp":
        pairs += [*zip(one, other, strict=True), *[(y, x) for x, y in pairs]]
        pairs += [(x, y) for x in EDGES.view(np.float16) for y in EDGES.view(np.float16)]
    return pairs


def outcomes(f, calls):
    """Return the types, the bits and the exceptions of calls."""
    seen, exceptions = [], set()
    with np.errstate(all="call", call=lambda kind, _: exceptions.add(kind)):
        for args in calls:
            exceptions.clear()
            results = as_tuple(f(*args))
            seen.append(([type(x) for x in results], [x.tobytes() for x in results], {*exceptions}))
    return seen


@one_in(3)
@pytest.mark.parametrize("name", [x for x in ELEMENTWISE if ROWS[x].inputs[1:] in ("", "e", "i")])
def test_scalars_have_the_bits_of_loops(name):
    """Check calls on scalars, NaNs too, against the loop that NumPy calls through reduce or where.

    `where=` makes NumPy run its own call, with the loop that acceleration has put there.
    """
    f, calls = UFUNCS[name], scalar_arguments(name)
    with hc.accelerated():
        got = outcomes(f, calls)
        want = outcomes(functools.partial(f, where=True), calls)
    assert got == want
    assert [types for types, *_ in outcomes(f, calls)] == [types for types, *_ in got]


def shown_outcome(function):
    """Return the type and the text of a result, or of an exception."""
    try:
        result = function()
    except Exception as error:
        result = error
    return type(result), repr(result)


def test_scalars_keep_subclasses_outputs_and_overrides():
    late = type("late", (np.float16,), {})
    out = np.zeros((), np.float16)
    handler = type("handler", (), {"__array_ufunc__": lambda *_, **__: "handled"})()
    x, y = np.float16(2.5), np.float16(0.1)
    calls = [
        lambda: np.add(late(2.5), y), lambda: np.sin(late(1)), lambda: np.add(x, np.float32(y)),
        lambda: np.add(x, np.int8(3)), lambda: np.exp(x, dtype=np.float32), lambda: np.add(x, True),
        lambda: np.add(x, 2j), lambda: np.add(x, [1, 2]), lambda: np.frexp(x), lambda: np.modf(x),
        lambda: np.divmod(x, y), lambda: np.clip(x, 0, y), lambda: np.isnan(x),
        lambda: np.add(x, "1"), lambda: np.add(x, handler), lambda: np.less(x, 3),
        lambda: np.exp(x, out=out) is out, lambda: np.exp(x, out=()), lambda: np.add(x),
        lambda: np.add(x, y, x),
    ]  # fmt: skip
    without = [shown_outcome(call) for call in calls]
    with hc.accelerated():
        assert [shown_outcome(call) for call in calls] == without


@pytest.mark.parametrize("name", ["exp", "add", "divide", "sqrt", "arctan2", "logaddexp"])
def test_regions_govern_ufuncs_of_scalars(name, mode):
    f, nin = UFUNCS[name], UFUNCS[name].nin
    calls = [x for x in scalar_arguments(name) if {type(y) for y in x} == {np.float16}]
    columns = [np.array(column) for column in zip(*calls, strict=True)]
    with hc.accelerated(), hc.rounding(mode, builtins=True), np.errstate(all="ignore"):
        got = np.array([f(*x) for x in calls])
        np.testing.assert_array_equal(got, f(*columns), strict=True)
    assert len(columns) == nin


@pytest.mark.parametrize("name", ["subtract", "divide", "logaddexp", "hypot", "arctan2", "fmod"])
def test_reductions_left_to_numpy(name):
    """Check reductions that halfcl does not replace: NumPy accumulates contiguous rows in float."""
    x = np.random.default_rng(9).uniform(1, 2, (30, 400)).astype(np.float16)
    f = UFUNCS[name]
    for method in (f.reduce, f.accumulate)[name == "subtract" :]:
        (without,), (on,) = off_and_on(functools.partial(method, axis=1), x.view(np.uint16))
        np.testing.assert_array_equal(on, without)


def test_sums_are_exact():
    """Check that sums along contiguous axes, and products of matrices, are rounded once."""
    rng = np.random.default_rng(8)
    x = (rng.integers(-2000, 2000, 5000) * 2.0 ** rng.integers(-10, 4, 5000)).astype(np.float16)
    exact = np.float16(x.astype(np.longdouble).sum())  # exact, since the numbers have few bits
    a, b = (rng.integers(-60, 60, (20, 20)).astype(np.float16) for _ in "ab")
    with hc.accelerated():
        assert x.sum() == exact
        np.testing.assert_array_equal(a @ b, (a.astype(int) @ b.astype(int)).astype(np.float16))
        np.testing.assert_array_equal(np.vecdot(a, b), (a.astype(int) * b).sum(1).astype("e"))


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_subclasses_and_overrides():
    masked = np.ma.array(np.arange(50, dtype=np.float16), mask=[0, 1] * 25)
    matrix = np.asmatrix(np.ones((20, 20), np.float16))
    with hc.accelerated():
        assert (masked + masked).sum() == masked.sum() * 2
        assert type(matrix @ matrix) is np.matrix
        assert isinstance(masked + 1, np.ma.MaskedArray)


# ---------------------------------------------------------------- regions


@pytest.mark.parametrize("n", [1, 3, 1000])
def test_regions_govern_operators(n, mode):
    """Check that results are half's for any number of elements, or NumPy's if not accelerated."""
    x = np.linspace(1, 2, n).astype(np.float16)
    with hc.rounding(mode):
        unaware = x / 3
    np.testing.assert_array_equal(unaware, x / 3)
    halves = x.view(hc.half)
    with hc.accelerated(), hc.rounding(mode):
        for name in ("divide", "add", "multiply", "floor_divide"):
            f = UFUNCS[name]
            want = f(halves, halves.dtype.type(0.1))
            np.testing.assert_array_equal(
                f(x, np.float16(want.dtype.type(0.1))).view(hc.half), want
            )
        assert (x / 3).tobytes() == hc.divide(halves, 3, rounding=mode).tobytes()
        assert x.sum() == hc.add.reduce(halves, rounding=mode)
        running = hc.cumsum(halves, rounding=mode)
        np.testing.assert_array_equal(np.add.accumulate(x).view(hc.half), running)


OPERATORS = [getattr(operator, name) for name in "add sub mul truediv floordiv mod pow".split()]


@pytest.mark.parametrize("f", [*OPERATORS, divmod])
def test_regions_govern_scalars(f, mode):
    """Check that results are those of arrays of one element, and NumPy's without a region."""
    x = np.float16(3.3)
    numbers = [np.float16(0.7), 0.7, 3, True, np.int8(5), np.float32(0.7), np.float64(0.7)]
    pairs = [pair for y in numbers for pair in ((x, y), (y, x))]
    without = [f(*pair) for pair in pairs]
    with hc.accelerated():
        late = type("late", (np.float16,), {})
        assert [f(*pair) for pair in pairs] == without
        with hc.rounding(mode, builtins=True):
            got = [f(*pair) for pair in pairs]
            want = [f(*(np.array(y) if type(y) in (np.float16, np.int8) else y for y in pair))
                    for pair in pairs]  # fmt: skip
            with pytest.raises(TypeError):
                f(x, None)
            assert type(f(x, np.ones(2))) in (np.ndarray, tuple)
    assert got == want
    assert list(map(repr, got)) == list(map(repr, want))
    with hc.rounding(mode):  # off again, also for classes that were created while it was on
        assert [f(*pair) for pair in pairs] == without
        assert f(late(3.3), late(0.7)) == f(x, np.float16(0.7))


def test_regions_with_builtins(mode):
    x = np.linspace(0, 3, 300).astype(np.float16)
    with hc.accelerated(), hc.rounding(mode):
        nearest = np.exp(x)
        with hc.rounding(mode, builtins=True):
            on = np.exp(x)
    np.testing.assert_array_equal(nearest.view(hc.half), hc.exp(x.view(hc.half)))
    np.testing.assert_array_equal(on.view(hc.half), hc.exp(x.view(hc.half), rounding=mode))


def test_regions_govern_loops_without_interpreter_lock(mode):
    x = np.linspace(1, 2, 1 << 17).astype(np.float16)
    with hc.accelerated(), hc.rounding(mode):
        got = x / 3
        casted = np.divide(x.astype(np.float32), 3, dtype=np.float16, casting="same_kind")
    want = hc.divide(x.view(hc.half), 3, rounding=mode)
    assert got.tobytes() == casted.tobytes() == want.tobytes()
