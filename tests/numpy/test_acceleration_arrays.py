"""Tests of accelerated functions other than ufuncs: casts, ufunc.at, sorting, argmax, dot."""

import contextlib

import numpy as np
import oracle
import pytest
from exact_numbers import rounded_to_odd
from exhaustive import either, in_turn, shared_out

import halfcl as hc
from halfcl._numpy.compat import replaceable_methods

EVERY = np.arange(1 << 16, dtype=np.uint16)
NUMBERS = EVERY[~oracle.is_nan(EVERY)]
LETTERS = "?bBhHiIlLqQfdgFDG"
HAS_SAME_VALUE = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


@pytest.fixture(autouse=True)
def off():
    hc.decelerate()
    yield
    hc.decelerate()


def off_and_on(function):
    with np.errstate(all="ignore"):
        without = function()
        with hc.accelerated():
            return without, function()


def exceptions_of(function):
    """Return the names of the floating-point exceptions that a call raises."""
    exceptions = set()
    with np.errstate(all="call", call=lambda kind, _: exceptions.add(kind)):
        function()
    return exceptions


def samples(letter):
    """Return numbers of a type: of all exponents, at ties between halves and next to them."""
    rng = np.random.default_rng(6)
    halves = NUMBERS.view(np.float16)
    if letter in "fdgFDG":
        near = np.sort(halves[np.isfinite(halves)].astype("d"))
        ties = near[:-1] + (near[1:] - near[:-1]) / 2
        values = np.concatenate(
            [near, [np.inf, -np.inf], ties, np.nextafter(ties, 0), np.nextafter(ties, np.inf)]
        )
        spread = rng.standard_normal(5000) * 2.0 ** rng.integers(-60, 40, 5000)
        with np.errstate(over="ignore"):
            return np.concatenate([values, spread]).astype(letter)
    if letter == "?":
        return rng.integers(0, 2, 500).astype(bool)
    info = np.iinfo(letter)
    limits = max(info.min, -70000), min(info.max, 70000)
    wide = rng.integers(info.min, info.max, 5000, dtype=letter, endpoint=True)
    return np.concatenate([np.arange(*limits).astype(letter), wide])


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("letter", LETTERS)
def test_casts(letter):
    """Check the bits of casts of all halves, and of other types' numbers, in all layouts."""
    x = (NUMBERS if letter in "fdgFDG" else EVERY).view(np.float16)
    y = samples(letter)
    for source, target in ((x, letter), (y, np.float16)):
        for view in (source, source[::-3], source[:20], source.astype(source.dtype.newbyteorder())):
            without, on = off_and_on(lambda v=view, t=target: v.astype(t))
            if source is y and letter in "gG":  # NumPy rounds these twice; samples are doubles
                without, _ = off_and_on(lambda v=view, t=target: v.astype("d").astype(t))
            np.testing.assert_array_equal(on, without, strict=True)
            if view.dtype.char not in "gG" and target not in ("g", "G"):  # these have padding
                assert on.tobytes() == without.tobytes()


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("letter", "bBhHiIlLqQfdFDgG")
def test_exceptions_of_casts(letter):
    """Check that exceptions are NumPy's, for 40 copies of each number."""
    rng = np.random.default_rng(4)
    edges = np.array([0, 1, 0x3FF, 0x5BF8, 0x5C00, 0x7800, 0x7BFF, 0x7C00, 0x7E00], np.uint16)
    halves = np.concatenate([edges, edges | 0x8000]).view(np.float16)
    for x in (halves, rng.choice(samples(letter), 60)):
        for value in x:
            column = np.full(40, value)
            target = letter if x is halves else np.float16
            without = exceptions_of(lambda c=column, t=target: c.astype(t))
            with hc.accelerated():
                assert exceptions_of(lambda c=column, t=target: c.astype(t)) == without, value


def halves_that_do_not_fit(rng, n):
    """Yield halves in layouts: few or all do not fit small integers, or are no numbers."""
    for share in (0.002, 0.5, 1):
        bits = rng.integers(0, 0x3C00, n).astype(np.uint16)
        chosen = rng.random(n) < share
        bits[chosen] = rng.integers(0, 1 << 16, n)[chosen]
        special = rng.random(n) < share / 10
        bits[special] = rng.choice([0x7C00, 0xFC00, 0x7C01, 0x7E00, 0xFE77, 0xFFFF], special.sum())
        x = bits.view(np.float16)
        yield from (x, np.repeat(x, 3)[::3], x[::-1], x.astype(">f2"))


@pytest.fixture(params=[True, False], ids=["wraps", "does not wrap"])
def casts_to_integers(request):
    """A fixture with casts that know NumPy's results, or that leave what does not fit to NumPy."""
    casts = [part for part in replaceable_methods() if hasattr(part, "wraps")]
    before = [cast.wraps for cast in casts]
    for cast in [] if request.param else casts:
        cast.wraps = False
    yield
    for cast, wraps in zip(casts, before, strict=True):
        cast.wraps = wraps


@in_turn
@pytest.mark.usefixtures("casts_to_integers")
@pytest.mark.parametrize("letter", "bBhHiIlLqQ")
@pytest.mark.parametrize("n", [31, 32, 33, 1023, 1024, 1025, 3000, 40000])
def test_integers_that_do_not_fit(letter, n):
    for x in halves_that_do_not_fit(np.random.default_rng(n), n):
        without, on = off_and_on(lambda x=x: x.astype(letter))
        np.testing.assert_array_equal(on, without, strict=True)
        raised = exceptions_of(lambda x=x: x.astype(letter))
        with hc.accelerated():
            assert exceptions_of(lambda x=x: x.astype(letter)) == raised


@pytest.mark.skipif(np.finfo("g").nmant < 63, reason="long doubles are doubles")
@pytest.mark.parametrize("n", [1, 100])
def test_long_doubles_are_rounded_once(n):
    """Check numbers so near to a tie that rounding to double first would move them to it."""
    x = np.longdouble(1) + np.longdouble(2) ** -11 * np.array([[1 - 2**-40], [1], [1 + 2**-40]])
    x = np.nextafter(np.repeat(x, n, axis=1), np.array([[0], [1], [2]], "g"))
    with hc.accelerated():
        got = x.astype(np.float16)
    np.testing.assert_array_equal(got, np.repeat([[1], [1], [1 + 2**-10]], n, axis=1))


def test_nans_are_cast_to_nans():
    """Check that NaNs become quiet, as in hardware; vectorised casts keep sign and payload."""
    nans = EVERY[oracle.is_nan(EVERY)].view(np.float16)
    for letter in "fd":
        without, on = off_and_on(lambda t=letter: nans.astype(t).astype(np.float16))
        assert (oracle.is_nan(on.view("H")) & ~oracle.is_signalling(on.view("H"))).all()
        if hc.processor_info()["isa"] != "portable":
            np.testing.assert_array_equal(on.view("H"), without.view("H") | 0x200)


@pytest.mark.skipif(not HAS_SAME_VALUE, reason="NumPy has no such casting")
def test_casts_that_keep_values():
    x = np.linspace(0, 1, 300).astype(np.float32)
    with hc.accelerated():
        assert (
            np.arange(300.0, dtype="f").astype("e", casting="same_value") == np.arange(300)
        ).all()
        with pytest.raises(ValueError, match=r"same_value|could not cast"):
            x.astype(np.float16, casting="same_value")


@pytest.mark.parametrize("letter", "bBhHiIqQ")
def test_casts_of_memory_to_itself(letter):
    """Check casts to integers in the memory of the halves, some of which do not fit."""
    x = np.full(40, 3, np.float16)
    x[[0, 7, 39]] = np.nan, -1, 65504

    def cast():
        size = np.dtype(letter).itemsize
        memory = np.zeros(40 * max(size, 2), np.uint8)
        halves = memory[-80:].view(np.float16)
        halves[:] = x
        memory[: 40 * size].view(letter)[...] = halves
        return memory.tobytes()

    with np.errstate(all="ignore"):
        expected = cast()
        with hc.accelerated():
            assert cast() == expected


def test_casts_inside_calls():
    """Check casts of buffered operands, masks, assignment, numpy.where and copied iterators."""
    rng = np.random.default_rng(2)
    x, wide = rng.uniform(0, 9, 20000).astype("e"), rng.uniform(0, 9, 20000)

    def calls():
        out = np.zeros(20000, "e")
        np.add(x, wide, out=out, casting="same_kind", where=wide > 3)
        yield out
        out[::2] = wide[::2]
        yield out
        yield np.where(wide > 4, x, wide)
        yield np.mean(x.reshape(100, 200), axis=0)
        nditer = np.nditer([x, None], ["buffered"], [["readonly"], ["writeonly", "allocate"]],
                           op_dtypes=["d", "e"], casting="unsafe")  # fmt: skip
        copy = nditer.copy()
        for a, b in copy:
            b[...] = a * 2
        yield copy.operands[1]
        yield np.array(wide.tolist(), "e")

    without, on = off_and_on(lambda: list(calls()))
    for one, other in zip(without, on, strict=True):
        np.testing.assert_array_equal(other, one, strict=True)


def test_casts_round_to_nearest_in_regions(mode):
    """Check that regions do not apply to casts, which NumPy also makes implicitly."""
    wide = np.linspace(0, 1, 300)
    with hc.accelerated(), hc.rounding(mode):
        np.testing.assert_array_equal(
            wide.astype(np.float16), hc.convert(wide, np.float16, rounding="rte")
        )


@shared_out
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "floor_divide"])
def test_at_in_regions(name, mode):
    """Check that ufunc.at rounds after each element in the region's mode."""
    rng = np.random.default_rng(7)
    f, start = getattr(np, name), rng.uniform(1, 2, 30).astype(np.float16)
    count = either(500, 75)
    index = rng.integers(-30, 30, count)
    values = rng.uniform(0.9, 1.1, count).astype(np.float16)
    want = start.copy()
    for i, value in zip(index, values, strict=True):
        if name == "floor_divide":
            want[i : i + 1 or None] = f(want[i], value)
        else:
            bits = oracle.evaluate(name, *(np.array([v]).view("H") for v in (want[i], value)))
            want.view("H")[i] = bits[mode][0][0]
    got = start.copy()
    with hc.accelerated(), hc.rounding(mode):
        f.at(got, index, values)
    np.testing.assert_array_equal(got, want)


# ---------------------------------------------------------------- sorting and searching


def arrays():
    rng = np.random.default_rng(1)
    for n in (1, 2, 17, 300, 5000, 70000):
        yield rng.integers(0, 1 << 16, n).astype(np.uint16).view(np.float16)
    yield rng.integers(0, 3, 5000).astype(np.float16) * np.float16(-1)
    yield rng.standard_normal((40, 50)).astype(np.float16).T
    yield rng.standard_normal(999).astype(">f2")[::-2]


def sorted_as_float32(x, axis=-1):
    """Sort halves as float32, since NumPy 2.5.5 sorts many equal float16 wrongly with AVX-512."""
    with np.errstate(invalid="ignore"):  # NumPy's casts of signalling NaNs raise it on Arm
        return np.sort(x.astype(np.float32), axis=axis).astype(x.dtype)


@pytest.mark.parametrize("kind", [None, "stable", "heapsort"])
def test_sorts(kind):
    for x in arrays():
        for axis in range(-1, x.ndim):
            with hc.accelerated():
                on = np.sort(x, axis=axis, kind=kind)
            np.testing.assert_array_equal(on, sorted_as_float32(x, axis), strict=True)
            if kind == "stable":
                assert on.tobytes() == np.sort(x, axis=axis, kind=kind).tobytes()
                one, other = off_and_on(lambda x=x, a=axis: np.argsort(x, axis=a, kind=kind))
                np.testing.assert_array_equal(other, one)
            with hc.accelerated():
                order = np.argsort(x, axis=axis, kind=kind)
            np.testing.assert_array_equal(np.take_along_axis(x, order, axis), on)


def test_order_statistics_of_equal_numbers():
    """Check percentiles and partitions that NumPy's own sort with AVX-512 gets wrong."""
    indices = [819, 4915, 11469, 15565]
    for seed in range(25, 35):
        x = -np.random.default_rng(seed).integers(0, 20, 16384).astype("f2")
        ordered = sorted_as_float32(x)
        _, on = off_and_on(lambda x=x: np.percentile(x, [5, 30, 70, 95]))
        np.testing.assert_array_equal(on, np.percentile(ordered.astype("f4"), [5, 30, 70, 95]))
        for kth in (indices, indices[1:], indices[0]):
            with hc.accelerated():
                got = np.partition(x, kth)[kth]
                order = np.argpartition(x, kth)
            np.testing.assert_array_equal(got, ordered[kth])
            np.testing.assert_array_equal(x[order][kth], ordered[kth])


def test_partitions():
    for x in arrays():
        ordered, kth = sorted_as_float32(x), x.shape[-1] // 2
        with hc.accelerated():
            got = np.partition(x, kth)
            np.testing.assert_array_equal(got[..., kth], ordered[..., kth])
            np.testing.assert_array_equal(sorted_as_float32(got[..., :kth]), ordered[..., :kth])
            order = np.argpartition(x, kth)
        chosen = np.take_along_axis(x, order, -1)
        np.testing.assert_array_equal(chosen[..., kth], ordered[..., kth])
        without, on = off_and_on(lambda x=x: np.median(x, axis=-1))
        np.testing.assert_array_equal(on, without)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches(side):
    """Compare searchsorted of all halves, with NaNs and both zeros, in all layouts with NumPy's."""
    every = EVERY.view(np.float16)
    for x in arrays():
        if x.ndim == 1:
            order = np.argsort(x, kind="stable")
            for a, sorter in (
                (x[order], None),
                (x, order),
                (x[order][::-1][::-1].astype(">f2"), None),
            ):
                for v in (every, every[::-7].astype(">f2").reshape(-1, 1), every[17], 3.0):
                    one, other = off_and_on(
                        lambda a=a, v=v, sorter=sorter: a.searchsorted(v, side, sorter)
                    )
                    np.testing.assert_array_equal(other, one, strict=True)
                    assert type(other) is type(one)


@pytest.mark.parametrize("field", ["<f2", ">f2"])
@pytest.mark.parametrize("names", [("x", "k"), ("k", "x")])
def test_fields_are_compared(names, field):
    """Check that sorts of records keep NumPy's order of fields, in which NaNs come first."""
    rng = np.random.default_rng(2)
    records = np.zeros(
        3000, {"names": names, "formats": [{"x": field, "k": "u1"}[n] for n in names]}
    )
    records["x"] = rng.permutation(EVERY)[:3000].view(np.float16)
    records["x"][::3] = rng.choice(np.array([0.0, -0.0, np.nan, 1, np.inf], np.float16), 1000)
    records["k"] = rng.integers(0, 2, 3000)
    without, on = off_and_on(lambda: np.argsort(records, kind="stable"))
    np.testing.assert_array_equal(on, without)


@pytest.mark.parametrize(
    "arguments", [(3000,), (1, 9, 0.003), (60000, -70000, -30.5), (7, 6.9, -1e-3)]
)
def test_ranges(arguments):
    """Check that elements of ranges are exact and rounded once, and that there are NumPy's many."""
    gmpy2 = pytest.importorskip("gmpy2", reason="gmpy2 is not installed")
    without, on = off_and_on(lambda: np.arange(*arguments, dtype=np.float16))
    assert on.size == without.size >= 100
    start, _, step = (0, *arguments, 1) if len(arguments) == 1 else arguments
    exact = [gmpy2.mpq(start) + i * gmpy2.mpq(step) for i in range(on.size)]
    with np.errstate(over="ignore"), gmpy2.context(precision=400, emin=-4000, emax=4000):
        right = hc.convert(np.array([rounded_to_odd(x) for x in exact]), np.float16)
    np.testing.assert_array_equal(on.view("H"), right.view("H"))


def test_extremes_are_the_first():
    for x in arrays():
        for name in ("argmax", "argmin"):
            for axis in (None, -1):
                without, on = off_and_on(lambda x=x, n=name, a=axis: getattr(x, n)(axis=a))
                np.testing.assert_array_equal(on, without)


def test_dot_is_rounded_once_in_mode_of_region(mode):
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-40, 40, (30, 30)).astype(np.float16) / 8 for _ in "ab")
    exact = a.astype(float) @ b.astype(float)
    zero, minus = np.float16([0]), np.float16([-1])
    with hc.accelerated(), hc.rounding(mode):
        got, one = np.dot(a, b), np.dot(a[0], b[::-1, 0])
        zeros = [f(zero, minus) for f in (np.dot, np.matmul, np.vecdot)]
    assert np.signbit(zeros).tolist() == [mode == "rtn"] * 3  # the sum starts from +0, as NumPy's
    np.testing.assert_array_equal(got, hc.convert(exact, np.float16, rounding=mode))
    want = a[0].astype(float) @ b[::-1, 0].astype(float)
    assert one == hc.convert(want, np.float16, rounding=mode)


# ---------------------------------------------------------------- switching


def test_methods_are_restored():
    parts = replaceable_methods()
    assert len(parts) > 15
    assert not any(part.is_replaced for part in parts)
    with hc.accelerated():
        assert all(part.is_replaced for part in parts)
    assert not any(part.is_replaced for part in parts)


def test_error_for_array_methods_of_other_dtypes():
    from numpy._core._multiarray_umath import _get_castingimpl

    from halfcl import _core

    float16, text = np.dtype("e"), np.dtype("S")
    for bound in (_get_castingimpl(type(text), type(float16)), object(), 3):
        with pytest.raises(ValueError, match="bound: expected"):
            _core.ReplacedCast(bound, np.dtype("f"), float16)
    for info in (object(), np.arctan2._resolve_dtypes_and_context((float16, float16, None))[1]):
        with pytest.raises(ValueError, match="call_info: expected"):
            _core.ReplacedAt(np.add, info)


def test_iterators_cast_correctly_after_switching():
    wide = np.linspace(0, 9, 40000)
    for first, then in ((hc.accelerate, hc.decelerate), (hc.decelerate, hc.accelerate)):
        first()
        with np.nditer(
            wide, ["buffered", "external_loop"], op_dtypes=["e"], casting="unsafe", buffersize=1000
        ) as iterator, contextlib.suppress(StopIteration):  # fmt: skip
            parts = [next(iterator).copy()]
            then()
            while True:
                parts.append(next(iterator).copy())
        np.testing.assert_array_equal(np.concatenate(parts), wide.astype(np.float16))
