"""Tests of dot, inner, convolve and correlate of half, and of accelerated float16."""

import itertools
import threading
from fractions import Fraction

import numpy as np
import pytest
import reductions_oracle as exact
from any_halves import any_halves, bits

import halfcl as hc
from halfcl import half


def dots(rows, columns, mode):
    """Return exact products of rows and columns, rounded, as doubles."""
    rows, columns = exact.fractions(rows.view(half)), exact.fractions(columns.view(half))
    return np.array(
        [[float(exact.round_to(sum(r * c), "half", mode)) for c in columns] for r in rows]
    )


def windows(a, v, mode):
    """Return the windows of an array, padded with zeros, that correlate multiplies by v."""
    hang = {"valid": 0, "same": len(v) // 2, "full": len(v) - 1}[mode]
    after = {"valid": 0, "same": len(v) - 1 - hang, "full": hang}[mode]
    padded = np.concatenate([np.zeros(hang, a.dtype), a, np.zeros(after, a.dtype)])
    return np.lib.stride_tricks.sliding_window_view(padded, len(v))


@pytest.mark.parametrize("mode", exact.MODES)
def test_dot_is_rounded_once(kind, mode):
    """Check numbers that cancel, so that sums in double are not exact."""
    a = any_halves(1, (9, 20)).view(kind)
    b = any_halves(2, (20, 12)).view(kind)
    a[:, 10:] = -a[:, :10]
    b[10:] = b[:10] * kind.type(0.75)
    want = dots(a, b.T, mode)
    with hc.rounding(mode), np.errstate(all="ignore"):
        products = {
            "dot": np.dot(a, b), "method": a.dot(b), "inner": np.inner(a, b.T),
            "tensordot": np.tensordot(a, b, 1), "few": np.dot(a[:2], b[:, :2]),
            "line": np.dot(a[3], b), "column": np.dot(a, b[:, 5]), "lines": np.dot(a[3], b[:, 5]),
        }  # fmt: skip
    expected = {"few": want[:2, :2], "line": want[3], "column": want[:, 5], "lines": want[3, 5]}
    for name, got in products.items():
        assert got.dtype == kind
        assert np.array_equal(got.astype(float), expected.get(name, want)), name


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize("hang", ["valid", "same", "full"])
def test_correlate_is_rounded_once(kind, mode, hang):
    a, v = any_halves(3, 90).view(kind), any_halves(4, 12).view(kind)
    v[6:] = -v[:6]
    want = dots(windows(a, v, hang), v[None], mode)[:, 0]
    with hc.rounding(mode), np.errstate(all="raise"):  # like NumPy's, they report no exceptions
        correlated = np.correlate(a, v, hang), np.correlate(v, a, hang)[::-1]
        convolved = np.convolve(a, v[::-1], hang), np.convolve(v[::-1], a, hang)
    # With an even number of weights, swapping the arrays shifts the window of "same".
    for got in (*correlated[: 1 if hang == "same" else 2], *convolved):
        assert got.dtype == kind
        assert np.array_equal(got.astype(float), want)


def windows_within(n, weights, hang):
    """Return for each result the slices of the array and of the weights that it multiplies."""
    before = {"valid": 0, "same": weights // 2, "full": weights - 1}[hang]
    after = {"valid": 0, "same": weights - 1 - before, "full": before}[hang]
    for start in range(-before, n - weights + 1 + after):
        first, last = max(start, 0), min(start + weights, n)
        yield slice(first, last), slice(first - start, last - start)


@pytest.mark.parametrize("mode", exact.MODES)
def test_correlations_of_few_are_dot_products(kind, mode):
    """Check sums that are exact in double, and others: by range, infinities, NaNs and zeros."""
    rng = np.random.default_rng(21)
    for k in range(60):
        n, weights = sorted(rng.integers(1, 70, 2))[::-1]
        a = any_halves(k, 2 * n, 0x7FFF if k % 3 else 0x4000).view(kind)[:: -2 if k % 4 else 1]
        a = a[:n]
        v = any_halves(k + 99, 2 * weights, 0x4000).view(kind)[:: 2 if k % 5 else 1][:weights]
        if k % 7 == 0:
            a, v = np.zeros(n, kind), -v
        hang = ("valid", "same", "full")[k % 3]
        with hc.rounding(mode), np.errstate(all="ignore"):
            want = [np.dot(a[i], v[j]) for i, j in windows_within(n, weights, hang)]
        with hc.rounding(mode), np.errstate(all="raise"):
            got = np.correlate(a, v, hang)
            convolved = np.convolve(a, v[::-1], hang)
        assert got.dtype == kind and np.array_equal(bits(got), bits(np.array(want, kind)))
        assert np.array_equal(bits(convolved), bits(got))


@pytest.mark.parametrize("hang", ["valid", "same", "full"])
def test_correlations_of_lines_of_any_lengths_are_numpys(kind, hang):
    """Check lines of equal lengths, too, of which none is the weights."""
    for n, weights in itertools.product([*range(1, 8), 33, 64, 65], repeat=2):
        a, v = (np.arange(k) % 5 - 1 for k in (n, weights))
        for function in (np.correlate, np.convolve):
            got = function(a.astype(kind), v.astype(kind), hang)
            assert got.dtype == kind
            assert np.array_equal(got.astype(float), function(a, v, hang)), (n, weights)


STACKS = [
    ((5, 3, 4), (5, 4, 2)), ((1, 4, 4), (4, 4)), ((4, 4), (7, 4, 4)), ((1, 3, 3), (9, 3, 3)),
    ((9, 3, 3), (1, 3, 3)),
    ((300, 1, 4), (300, 4, 1)), ((6, 40, 30), (30, 20)), ((2, 70, 5), (2, 5, 70)),
]  # fmt: skip


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize(("left", "right"), STACKS)
def test_stacks_are_products_of_their_matrices(kind, mode, left, right):
    for a in layouts(any_halves(31, left, 0x4000).view(kind), left):
        for b in layouts(any_halves(32, right, 0x4000).view(kind), right):
            count = max(x.shape[0] if x.ndim == 3 else 1 for x in (a, b))
            turns = [x[np.arange(count) % len(x)] if x.ndim == 3 else [x] * count for x in (a, b)]
            out = np.zeros((count, left[-2], right[-1]), kind)
            with hc.rounding(mode), np.errstate(all="ignore"):
                got, want = a @ b, np.array([x @ y for x, y in zip(*turns, strict=True)], kind)
                assert np.matmul(a, b, out=out) is out
            assert got.dtype == kind and np.array_equal(bits(got), bits(want))
            assert np.array_equal(bits(out), bits(want))


def test_stacks_that_numpy_computes(kind):
    """Check empty stacks, outputs that overlap, are strided or wider, and shapes that differ."""
    a = any_halves(33, (4, 3, 3), 0x4000).view(kind)
    want = a @ a
    out = a.copy()
    assert np.array_equal(bits(np.matmul(out, out, out=out)), bits(want))
    strided = np.zeros((4, 3, 6), kind)[..., ::2]
    assert np.array_equal(bits(np.matmul(a, a, out=strided)), bits(want))
    wide = np.zeros((2, 4, 3, 3), kind)
    assert np.array_equal(bits(np.matmul(a, a, out=wide)[1]), bits(want))
    assert (a[:0] @ a[0]).shape == (0, 3, 3) and (a[:, :, :0] @ a[:, :0]).tolist() == (
        0 * a
    ).tolist()
    for wrong in (a[:2], a[:, :2], np.ones((2, 3), kind)):
        with pytest.raises(ValueError, match=r"matmul|broadcast"):
            a @ wrong
    large = np.full((2, 2, 2), 300, kind)
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        assert (large @ large == np.inf).all()


@pytest.mark.parametrize("mode", exact.MODES)
def test_products_of_lines_are_numbers(kind, mode):
    a, b = any_halves(34, 30).view(kind), any_halves(35, 30).view(kind)
    want = dots(a[None], b[None], mode)[0, 0]
    with hc.rounding(mode), np.errstate(all="ignore"):
        numbers = [
            np.matmul(a, b), np.vdot(a, b), np.dot(a, b), np.vdot(a.reshape(5, 6), b),
            np.vdot(a.reshape(5, 6).T.copy().T, b.reshape(2, 3, 5)),
        ]  # fmt: skip
    for number in numbers:
        assert type(number) is kind.type and float(number) == want
    with np.errstate(all="raise"):  # like NumPy's, vdot reports no exceptions
        assert np.vdot(np.full(2, 300, kind), np.full(2, 300, kind)) == np.inf
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        assert np.matmul(np.full(2, 300, kind), np.full(2, 300, kind)) == np.inf
    assert np.vdot(a[:0], b[:0]) == 0
    for wrong in (b[:3], b[:0]):
        with pytest.raises(ValueError):
            np.vdot(a, wrong)
        with pytest.raises(ValueError):
            np.matmul(a, wrong)


@pytest.mark.parametrize(
    ("left", "right"),
    [((5, 7), (7, 6)), ((30, 40), (40, 20)), ((40,), (40, 30)), ((3, 5, 40), (40, 7)),
     ((3, 5, 40), (2, 40, 7)), ((30, 40), (40,)), ((2, 3, 4, 16), (3, 16, 5)), ((70, 1), (1, 3))],
)  # fmt: skip
def test_shapes_are_numpys(kind, left, right):
    """Check also that results equal those of matmul in all layouts."""
    for a in layouts(any_halves(5, left, 0x4000), left):
        for b in layouts(any_halves(6, right, 0x4000), right):
            wide = np.dot(a.astype(float), b.astype(float))
            a, b = a.view(kind), b.view(kind)
            got = np.dot(a, b)
            assert got.shape == wide.shape and got.dtype == kind and got.flags.c_contiguous
            want = np.tensordot(a, b, ((-1,), (max(b.ndim - 2, 0),)))
            assert np.array_equal(bits(got), bits(want))
            turned = np.moveaxis(b, -2, -1) if b.ndim > 1 else b
            assert np.array_equal(bits(np.inner(a, turned)), bits(got))
            matrix = turned.reshape(-1, a.shape[-1]).T
            flat = a.reshape(-1, a.shape[-1]) @ matrix
            assert np.array_equal(bits(flat.reshape(got.shape)), bits(got))


def layouts(x, shape):
    """Yield an array of a shape in several layouts."""
    yield x
    yield np.asfortranarray(x)
    wide = np.zeros((*shape[:-1], 2 * shape[-1]), x.dtype)
    wide[..., ::-2] = x
    yield wide[..., ::-2]


def test_specials(kind):
    """Check that infinities and NaNs propagate as in double."""
    a = any_halves(7, (40, 30), 0x4000)
    a[::5, 3] = np.inf
    a[1::9, 9] = np.nan
    b = any_halves(8, (30, 20), 0x4000)
    b[3, ::4] = 0
    with np.errstate(all="ignore"):
        want = a.astype(float) @ b.astype(float)
        got = np.dot(a.view(kind), b.view(kind)).astype(float)
        line = np.convolve(a[0].repeat(9).view(kind), b[:9, 1].view(kind)).astype(float)
        wide = np.convolve(a[0].repeat(9).astype(float), b[:9, 1].astype(float))
    for one, other in ((got, want), (line, wide)):
        assert np.array_equal(np.isnan(one), np.isnan(other))
        special = ~np.isfinite(other) & ~np.isnan(other)
        assert special.any() and np.array_equal(one[special], other[special])


@pytest.mark.parametrize("mode", exact.MODES)
def test_signs_of_zero(kind, mode):
    """Check zeros of sums that start from +0, as NumPy's do."""
    zero, minus = np.zeros((20, 20), kind), np.full((20, 20), -0.0, kind)
    ones = np.ones((20, 20), kind)
    down = mode == "rtn"
    with hc.rounding(mode):
        for side in (2, 20):  # small and large matrices have different kernels
            z, m, o = zero[:side, :side], minus[:side, :side], ones[:side, :side]
            assert not np.signbit(np.dot(z, o)).any()
            assert (np.signbit(np.dot(m, o)) == down).all()
            cancelled = np.dot(np.where(np.arange(side) % 2, o, -o), o)
            assert (cancelled == 0).all() and (np.signbit(cancelled) == down).all()


def test_out(kind):
    a, b = any_halves(9, (30, 40), 0x4000).view(kind), any_halves(10, (40, 20), 0x4000).view(kind)
    want, out = a @ b, np.zeros((30, 20), kind)
    assert np.dot(a, b, out) is out and np.array_equal(out, want)
    assert a.dot(b, out=out) is out
    for wrong in (np.zeros((20, 30), kind), np.zeros((30, 20), np.float32), out[::-1], out.T):
        kept = wrong.copy()
        with pytest.raises(ValueError, match="output array"):
            np.dot(a, b, out=wrong)
        assert np.array_equal(wrong, kept)
    square = any_halves(11, (30, 30), 0x4000).view(kind)
    want = square @ square
    assert np.array_equal(np.dot(square, square, out=square), want)  # the output is both factors


def test_errors_are_numpys(kind):
    a = np.ones((30, 40), kind)
    for call in (
        lambda: np.dot(a, a),
        lambda: a.dot(a),
        lambda: np.inner(a, a.T),
        lambda: np.dot(a, a, a, a),
        lambda: np.convolve(a, a),
        lambda: np.convolve(a[0], a[0, :0]),
        lambda: np.correlate(a[0], a[0, :3], "x"),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    assert np.dot(a[:, :0], a[:0]).tolist() == np.zeros((30, 40)).tolist()
    assert np.dot(a[:0], a.T).shape == (0, 30)


def test_other_operands(kind):
    """Check products of half and other types, which NumPy computes."""
    a, v = np.ones((40, 30), kind), np.ones(12, kind)
    assert np.dot(a, np.ones((30, 5), np.float32)).dtype == np.float32
    assert np.dot(a, kind.type(2)).dtype == kind
    assert np.dot(a, a.T.tolist()).dtype == np.float64
    swapped = a.astype(kind.newbyteorder())
    assert np.dot(swapped, a.T).tolist() == np.dot(a, a.T).tolist()
    assert np.convolve(a[:, 0], np.ones(3)).dtype == np.float64
    assert np.convolve(a.astype(kind.newbyteorder())[0].repeat(9), v).dtype == kind

    class Mine(np.ndarray):
        pass

    assert type(np.dot(a.view(Mine), a.T)) is Mine


def test_overflow_is_reported(kind):
    """Check large products only; for small ones the report depends on NumPy's version."""
    a = np.full((30, 30), 60000, kind)
    for call in (lambda a: np.dot(a, a), lambda a: a.dot(a[0]), lambda a: np.inner(a, a)):
        with pytest.warns(RuntimeWarning, match="overflow encountered in dot"):
            assert np.isinf(call(a)).all()


def test_float16_is_numpys_after_acceleration():
    a = np.full((2, 9), 2048, np.float16)
    a[:, 1:] = 0.5
    ones = np.ones((9, 20), np.float16)
    plain = np.dot(a, ones)
    with hc.accelerated():
        assert np.dot(a, ones)[0, 0] == 2052
    assert np.array_equal(np.dot(a, ones), plain)


def test_float16_does_not_count_as_kernels():
    with hc.accelerated():
        before = hc._core.kernels_run()
        m = np.ones((30, 30), np.float16)
        np.dot(m, m), np.inner(m, m), np.convolve(m.ravel(), m[0])
        assert hc._core.kernels_run() == before
    before = hc._core.kernels_run()
    np.dot(m.view(half), m.view(half))
    assert hc._core.kernels_run() > before


def test_threads(kind):
    """Check products in several threads at the same time."""
    a, b = any_halves(12, (60, 50), 0x4000).view(kind), any_halves(13, (50, 40), 0x4000).view(kind)
    want, wrong = a @ b, []

    def work():
        for _ in range(50):
            if not np.array_equal(np.dot(a, b), want):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_ufuncs_of_two_arrays(kind):
    """Check that calls without keywords, a fast path, return the bits of those with out."""
    rng = np.random.default_rng(9)
    for shapes in itertools.product(
        [(3, 4), (1, 4), (8, 4), (4,)], [(4, 5), (4, 1), (4, 40), (4,)]
    ):
        a, b = ((rng.normal(size=s) * 2.0 ** rng.integers(-12, 6, s)).astype(kind) for s in shapes)
        for x, y in ((a, b), (a[..., ::-1], b[::-1]), (0 * a, -b), (a.T.copy().T, b)):
            got = x @ y
            want = np.empty(np.shape(got), kind)
            np.matmul(x, y, out=want)
            assert got.dtype == kind and np.array_equal(bits(np.asarray(got)), bits(want))
        if hasattr(np, "matvec") and (a.ndim, b.ndim) == (2, 1):
            assert np.array_equal(np.matvec(a, b), a @ b)
        if hasattr(np, "vecmat") and (a.ndim, b.ndim) == (1, 2):
            assert np.array_equal(np.vecmat(a, b), a @ b)
    large = np.full((2, 2), 300, kind)
    with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
        assert (large @ large == np.inf).all()
    with pytest.raises(ValueError, match="matmul"):
        large @ np.ones((3, 2), kind)
    if hasattr(np, "matvec"):
        with pytest.raises(ValueError, match="matvec"):
            np.matvec(large[0], large)


CROSSED = [
    ((40, 3), (40, 3)), ((300, 3), (3,)), ((3,), (7, 3)), ((3,), (3,)), ((1, 3), (1, 3)),
    ((2, 5, 3), (2, 5, 3)), ((4, 1, 3), (6, 3)),
]  # fmt: skip
EXTREMES = np.array(
    [1, 0x8001, 0x3C00, 0xBC01, 0x7BFF, 0xFBFF, 0, 0x8000, 0x400, 0x6800, 0x4001], np.uint16
)


@pytest.mark.parametrize("mode", exact.MODES)
@pytest.mark.parametrize(("left", "right"), CROSSED)
def test_cross_products_are_numpys_in_float64(kind, mode, left, right):
    """Check also numbers whose differences round in double, overflow or cancel."""
    rng = np.random.default_rng(len(left) + sum(right))
    for extreme in (False, True):
        a, b = (
            rng.choice(EXTREMES, shape).view(kind)
            if extreme
            else rng.normal(size=shape).astype(kind)
            for shape in (left, right)
        )
        wide = np.cross(a.astype(float), b.astype(float))
        want = [float(exact.round_to(Fraction(x), "half", mode)) for x in wide.ravel()]
        for x, y in itertools.product(layouts(a, left), layouts(b, right)):
            with hc.rounding(mode), np.errstate(all="ignore"):
                got = np.cross(x, y)
            assert got.dtype == kind and got.shape == wide.shape and got.flags.c_contiguous
            assert np.array_equal(got.astype(float).ravel(), want)
            assert np.array_equal(np.signbit(got), np.signbit(wide))


def test_differences_of_cross_products_round_in_double(kind):
    """Check a midpoint of two halves plus a product that a double drops."""
    tiny = 2.0**-24
    a, b = np.array([3, tiny, 0], kind), np.array([-tiny, 683, 0], kind)
    assert np.cross(a, b)[2] == 2048 and hc.cross(a.view(half), b.view(half))[2] == 2050


def test_cross_products_without_numbers_and_of_none(kind):
    x = np.array([[1, np.inf, np.inf], [np.nan, 1, 2], [3, 4, 5]], kind)
    with pytest.warns(RuntimeWarning, match="invalid value encountered"):
        got = np.cross(x, x[2])
    with np.errstate(all="ignore"):
        want = np.cross(x.astype(float), x[2].astype(float))
    assert np.array_equal(got.astype(float), want, equal_nan=True)
    assert np.cross(x[:0], x[:0]).shape == np.cross(x[0], x[:0]).shape == (0, 3)
    with pytest.warns(RuntimeWarning, match="overflow encountered"):
        assert np.isinf(np.cross(np.array([300, 0, 0], kind), np.array([0, 300, 0], kind))[2])


@pytest.mark.skipif(hc.processor_info()["isa"] == "portable", reason="has no bounds of sums")
def test_cross_products_of_half_run_in_a_kernel():
    a = any_halves(1, (20, 3), 0x4000).view(half)
    before = hc._core.kernels_run()
    np.cross(a, a[::-1])
    assert hc._core.kernels_run() == before + 1
