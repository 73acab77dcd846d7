"""Reductions of a device's arrays, compared with the host's.

Without a device, CUDA's text is compiled by g++.
"""

import numpy as np
import pytest
from device_places import EVERY, FINITE, MODES, Gxx, Planned, assert_same, check, if_long, some
from exhaustive import either, shared_out

import halfcl as hc
from halfcl.device._reductions import reducing
from halfcl.reductions import Accumulator, _states as states
from halfcl.reductions._arguments import Call

pytestmark = [pytest.mark.once, shared_out, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

#: A sum, a sum of products, and both; and all statistics, which differ in how they finish.
KINDS = if_long(("sum", "vdot", "std"), ("vdot", "std"))
STATISTICS = if_long(
    ("sum", "mean", "var", "std", "sumsq", "norm", "vdot"), ("sum", "mean", "norm")
)
SHORT_STATISTICS = if_long(
    ("sum", "mean", "var", "std", "sumsq", "norm", "vdot"),
    either(("sum", "mean", "std", "norm", "vdot"), ("sum", "std", "vdot")),
)
DTYPES = (None, hc.half, np.float16, np.float32, np.float64)


def operands(name, x):
    return (x, np.flip(x).copy()) if name == "vdot" else (x,)


# ---------------------------------------------------------------- the same bits as the host's

#: Shapes and axes: short and long rows, of whole packs or not; few and many columns, even and odd;
#: axes in between; and empty arrays.
SHAPES = [
    ((), None), ((7,), 0), ((3001,), None), ((200, 3), 1), ((50, 8), 1), ((33, 40), 1),
    ((9, 1000), 1), ((2, 9001), 1), ((1000, 6), 0), ((9, 301), 0), ((4001, 1), 0),
    ((1003, 3), 0), ((0, 3), 1), ((1001, 2), 0), ((131, 64), 0), ((1030, 7), 0),
    ((3, 40, 20), 1), ((3, 4, 5, 6), (1, 2)), ((3, 4, 5, 6), (0, 2)), ((0, 3), 0), ((3, 0), 0),
    ((2, 3), ()),
]  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_reductions_of_shapes(plan, name):
    for k, (shape, axis) in if_long(list(enumerate(SHAPES)), list(enumerate(SHAPES))[1::2]):
        x = some(shape, k)
        check(plan, name, *operands(name, x), axis=axis, rounding=MODES[k % 5])
        check(plan, name, *operands(name, x), axis=axis, keepdims=True)


def test_reductions_by_gxx(gxx_plan):
    """Try a few calls with g++, also without exhaustive proofs."""
    rows = some((33, 40), 5)
    check(gxx_plan, "std", rows, axis=1, rounding="rtp")
    check(gxx_plan, "vdot", *operands("vdot", rows), rounding="rtn")
    check(gxx_plan, "vdot", *operands("vdot", rows), dtype="f8")  # all bits of all bins
    check(gxx_plan, "sum", rows, axis=0, rounding="rtz")
    for mode in either(
        hc.MODES, ("rte", "rtp")
    ):  # long divisors; doubles alone do not decide a result that is a half
        check(gxx_plan, "std", some((9000,), 6), rounding=mode)
        check(gxx_plan, "std", np.repeat(np.array([3, -3], np.float16), 4501), rounding=mode)
    check(gxx_plan, "cumsum", rows, axis=1, rounding="rtn")
    check(gxx_plan, "matmul", rows, some((40, 9), 6), rounding="rtp")


@pytest.mark.parametrize("name", STATISTICS)
def test_reduction_dtypes_and_modes(one_plan, name):
    rows = some((300, 10), 3, EVERY[0x2E00:0x4200])
    for dtype in DTYPES:
        for mode in MODES:
            check(one_plan, name, *operands(name, rows), axis=1, dtype=dtype, rounding=mode)
    with hc.rounding("rtn"):
        check(one_plan, name, *operands(name, rows), axis=0)
    for ddof in (1, 9, 10, 11) if name in ("var", "std") else ():
        check(one_plan, name, rows, axis=1, ddof=ddof, dtype="f4")


#: Special numbers: infinities and NaNs, zeros of both signs, sums that cancel, ties, the least and
#: the greatest numbers.
ROWS = [
    [np.inf, 1, -3], [-np.inf, 1, 0], [np.inf, -np.inf, 1], [np.nan, 1, 2], [np.inf, 0, 0],
    [-0.0, -0.0, -0.0], [0.0, -0.0, 0.0], [0.0, 0.0, 0.0], [65504, -65504, -0.0], [1, -1, 0],
    [65504, 65504, 65504], [65504, 65504, -65504], [2.0**-24, 2.0**-24, -(2.0**-24)],
    [-(2.0**-24), -(2.0**-24), 0], [2048, 1, 0], [2048, 1, 2.0**-24], [2050, 1, 0],
    [65504, 16, 0], [65504, 16, -(2.0**-24)], [-65504, -15.99, 0], [2.0**-14, -(2.0**-24), 0],
]  # fmt: skip


@pytest.mark.parametrize("name", STATISTICS)
@pytest.mark.parametrize("repeated", if_long([1, 40], [40]))
def test_reductions_of_special_numbers(one_plan, name, repeated):
    x = np.repeat(np.array(ROWS, np.float16), repeated, axis=1)
    for mode in MODES:
        check(one_plan, name, *((x, x[::-1].copy()) if name == "vdot" else (x,)), axis=1,
              rounding=mode)  # fmt: skip
        check(one_plan, name, *((x.T.copy(), x.T.copy()) if name == "vdot" else (x.T.copy(),)),
              axis=0, rounding=mode, dtype="f4")  # fmt: skip


def test_reductions_with_full_bins(plan):
    """Fill bins as far as possible, and let the high parts of totals cancel."""
    for count in (1024, 1025, 2500, 40000):
        x = np.full(2 * count + 1, 65504, np.float16)
        check(plan, "sum", x[:count], dtype="f8")
        x[count:] = -65504
        x[2 * count] = -(2.0**-24)
        check(plan, "sum", x, dtype="f8")
        x[1::2], x[2::2] = 8, -8.01  # ties in the first bin
        for name in KINDS:
            check(plan, name, *operands(name, x), dtype="f8", rounding="rtp")
            columns = np.ascontiguousarray(x[:2000].reshape(1000, 2))
            check(plan, name, *operands(name, columns), axis=0, dtype="f8")


def test_reductions_of_many_elements(place):
    """Add more elements than floats and 32 bits can count, per bin; with work-groups of the usual
    size.
    """
    plan = Planned(place, True, 128)
    if isinstance(place, Gxx):
        pytest.skip("minutes by g++")
    x = np.full((1 << 23) + 5, 1023.5, np.float16)
    x[::3], x[1::7] = -0.3333, 2.0**-24
    for name in ("sum", "vdot", "var"):
        check(plan, name, *operands(name, x), dtype="f8")
    check(plan, "mean", x[1:].reshape(-1, 3), axis=0, dtype="f4")


def check_short_rows(plan, name, lengths):
    """Check reductions of short rows of any alignment, with special numbers."""
    rng = np.random.default_rng(8)
    finite = FINITE.view(np.uint16)
    for n in lengths:
        for start in (0, 3, 5, 8) if n < 9 else (0, 3):
            x = rng.choice(finite, 1100 * n + start).view(np.float16)[start:].reshape(-1, n)
            zeros = x[::5]
            zeros[:] = np.copysign(0, zeros)
            zeros[::2] = zeros[::2, :1]
            x[1::5, n // 2 :] = -x[1::5, : n - n // 2]
            x[2::50, 0], x[3::70, -1], x[4::90, n // 2] = np.inf, -np.inf, np.nan
            x[6::35] = 65504
            x[11::35] = np.array([2048, 1, 2.0**-24, 0], np.float16)[rng.integers(0, 4, n)]
            x[12::35] = x[12::35, :1]
            x[13::35, 1:] = 0
            x[13::35, 1:2] = 2.0**-24  # a norm that is hardly greater than a half
            for mode in MODES:
                check(plan, name, *operands(name, x), axis=1, rounding=mode)
    if name in ("var", "std"):
        check(plan, name, x, axis=1, ddof=n)


@pytest.mark.parametrize("name", SHORT_STATISTICS)
def test_short_rows_by_gxx(gxx_plan, name, monkeypatch):
    monkeypatch.setattr(reducing, "_MANY_ROWS", 1)
    launched = []
    build = gxx_plan.dev.machine.build
    monkeypatch.setattr(gxx_plan.dev.machine, "build", lambda k: launched.append(k) or build(k))
    lengths = if_long((1, 2, 3, 5, 8, 49, 64), (2, 49))
    check_short_rows(gxx_plan, name, (*lengths, 128) if name in ("sum", "mean") else lengths)
    assert {kernel.layout for kernel in launched} == {"short rows"}


@pytest.mark.parametrize("name", SHORT_STATISTICS)
def test_short_rows(place, name):
    if isinstance(place, Gxx):
        pytest.skip("done above")
    check_short_rows(Planned(place, True, 256), name, (1, 2, 3, 4, 5, 8, 16, 33, 64, 100, 128, 129))


# ---------------------------------------------------------------- how arrays lie


@pytest.mark.parametrize("name", KINDS)
def test_reductions_of_views(one_plan, name):
    """Strides, offsets and broadcasting do not change the elements."""
    x, y = some((30, 41), 5), some((30, 41), 6)
    there = one_plan.to(x), one_plan.to(y)

    def agree(view, **keywords):
        got = getattr(one_plan.dev, name)(*map(view, there[: 1 + (name == "vdot")]), **keywords)
        right = getattr(hc, name)(*map(view, (x, y)[: 1 + (name == "vdot")]), **keywords)
        assert_same([one_plan.back(got)], [right])

    for axis in (None, 0, 1):
        agree(lambda a: a[:, 3:35], axis=axis)
        agree(lambda a: a[1::3], axis=axis)
        agree(lambda a: a[::-1, ::-1], axis=axis)
        agree(lambda a: a.T, axis=axis)
        agree(lambda a: a.reshape(3, 10, 41).transpose((2, 0, 1)), axis=axis, dtype="f8")
    for start in range(9):  # off the boundaries of packs
        agree(lambda a, start=start: a.reshape(-1)[start : start + 300], dtype="f4")


def test_vdot_of_broadcast_and_misaligned_arrays(one_plan):
    x, y = some((20, 33), 7), some(33, 8)
    for axis in (None, 0, 1):
        check(one_plan, "vdot", x, y, axis=axis)
    flat = one_plan.to(x.reshape(-1))
    got = one_plan.dev.vdot(flat[1:601], flat[:600], dtype="f8")
    assert_same([one_plan.back(got)], [hc.vdot(x.reshape(-1)[1:601], x.reshape(-1)[:600],
                                              dtype="f8")])  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_reductions_with_masks(plan, name):
    """Elements outside the mask do not matter."""
    rng = np.random.default_rng(11)
    for shape, axis in (((40, 50), 1), ((40, 50), 0), ((3000,), None), ((40, 5), 1), ((9, 7), 0),
                        ((643, 3), 0)):  # fmt: skip
        x = some(shape, 12)
        mask = rng.random(shape) < 0.6
        mask.reshape(-1)[: shape[-1]] = False
        x = np.where(mask, x, rng.choice(np.array([np.inf, np.nan, -np.inf], np.float16), shape))
        for dtype in (None, "f4"):
            inputs = operands(name, x) if name != "vdot" else (x, x)
            with np.errstate(all="ignore"):
                right = getattr(hc, name)(*inputs, axis=axis, dtype=dtype, where=mask)
            for where in (mask, plan.to(mask)):
                got = getattr(plan.dev, name)(
                    *map(plan.to, inputs), axis=axis, dtype=dtype, where=where
                )
                assert_same([plan.back(got)], [right])
    check(
        plan,
        name,
        *operands(name, some((4, 5))),
        axis=0,
        where=np.array([True, False] * 2)[:, None],
    )
    check(plan, name, *operands(name, some((4, 5))), axis=0, where=False)


# ---------------------------------------------------------------- arguments


def test_sum_out(one_plan):
    x = some((30, 40))
    for shape, order, dtype in (((30,), "C", np.float16), ((30, 1), "C", np.float16),
                                ((30, 1), "F", np.float32)):  # fmt: skip
        out = one_plan.to(np.zeros(shape, dtype, order=order))
        got = one_plan.dev.sum(
            one_plan.to(x), axis=1, dtype=dtype, out=out, keepdims=len(shape) > 1
        )
        assert got is out
        assert_same([one_plan.back(out)],
                    [hc.sum(x, axis=1, dtype=dtype, keepdims=len(shape) > 1)])  # fmt: skip
    room = one_plan.to(x)  # out is in the operand
    one_plan.dev.sum(room, axis=0, out=room[3])
    assert_same([one_plan.back(room)[3]], [hc.sum(x, axis=0)])
    wide = one_plan.to(np.zeros((30, 2), np.float16))
    one_plan.dev.sum(one_plan.to(x), axis=1, out=wide[:, 1])
    assert_same(
        [one_plan.back(wide)], [np.stack([np.zeros(30), hc.sum(x, axis=1)], 1, dtype=np.float16)]
    )


def test_sum_initial(one_plan):
    for start in (0, -0.0, 2.5, -65504, 1e-9, np.inf, np.nan, 70000.0):
        for x in (some((5, 3)), np.zeros((2, 3), np.float16), np.zeros((0, 3), np.float16),
                  -np.zeros((2, 3), np.float16)):  # fmt: skip
            check(one_plan, "sum", x, axis=0, initial=start, rounding="rtp")
    reduced = one_plan.dev.reductions.reduce(
        Call("reduce", (one_plan.to(-np.zeros(3, "e")),), initial=0)
    )
    assert_same([one_plan.back(reduced)], [np.float16(0)])


def test_sum_dtypes(one_plan):
    x = some((3, 5))
    got = one_plan.dev.sum(one_plan.to(x))
    assert got.dtype == np.float16 and got.shape == ()
    assert one_plan.dev.sum(one_plan.to(x), axis=0, dtype="f8").dtype == np.float64


def test_reduction_errors(one_plan):
    dev, x = one_plan.dev, one_plan.to(some((3, 5)))
    with pytest.raises(TypeError, match=r"argument a: expected a .*puts an array on the device"):
        dev.sum(np.zeros(3, np.float16))
    with pytest.raises(TypeError, match="argument b: expected a "):
        dev.vdot(x, 3)
    with pytest.raises(TypeError, match="argument a: expected half or float16, got float32"):
        dev.sum(one_plan.to(np.zeros(3, np.float32)))
    with pytest.raises(np.exceptions.AxisError, match="argument axis"):
        dev.sum(x, axis=2)
    with pytest.raises(ValueError, match="argument where: expected a shape"):
        dev.sum(x, where=np.ones((2, 3, 5), bool))
    with pytest.raises(TypeError, match="argument where: expected bool"):
        dev.sum(x, where=np.ones(5, int))
    with pytest.raises(TypeError, match="sum: out: expected an array of float32"):
        dev.sum(x, axis=0, dtype="f4", out=one_plan.to(np.zeros(5, np.float16)))
    with pytest.raises(TypeError, match="sum: out: expected a "):
        dev.sum(x, axis=0, out=np.zeros(5, np.float16))
    with pytest.raises(ValueError, match="sum: out: expected shape"):
        dev.sum(x, axis=0, out=one_plan.to(np.zeros(4, np.float16)))
    with pytest.raises(ValueError, match="argument b: expected a shape"):
        dev.vdot(x, one_plan.to(some(4)))
    with pytest.raises(TypeError, match="argument dtype"):
        dev.sum(x, dtype="i4")
    with pytest.raises(ValueError, match="rounding"):
        dev.sum(x, rounding="up")
    with pytest.raises(TypeError, match="unexpected keyword"):
        dev.sum(x, ddof=1)
    with pytest.raises(TypeError, match=r"expected one of sum, .* on a device, got median"):
        dev.reductions.reduce(Call("median", (x,)))


def test_warnings_of_few_elements(one_plan):
    x = one_plan.to(some((2, 3)))
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        one_plan.dev.var(x, axis=0, ddof=2)
    with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
        one_plan.dev.mean(one_plan.to(np.zeros((0, 3), np.float16)), axis=0)


# ---------------------------------------------------------------- states


@pytest.mark.parametrize("name", if_long(["sum", "var", "sumsq", "dot"], ["var", "dot"]))
def test_states_merge_with_the_hosts(one_plan, name):
    """States of a device and of the host merge to the host's."""
    count = 2 if name == "dot" else 1
    for special in (False, True):
        arrays = [some((30, 40), 20 + k, EVERY if special else FINITE) for k in range(count)]
        arrays[0][:, 3] = -0.0
        mask = np.random.default_rng(1).random((15, 40)) < 0.7
        for axis in (0, 1, None):
            parts = [a[:15] if axis != 1 else a[:, :20] for a in arrays]
            rest = [a[15:] if axis != 1 else a[:, 20:] for a in arrays]
            where = mask if axis != 1 else True
            got = one_plan.dev.reductions.partial(
                name, [one_plan.to(a.copy()) for a in parts], axis, where
            )
            with np.errstate(all="ignore"):
                right = Accumulator(name, axis=axis).add(*parts, where=where)
                assert (got.counts == right._partial.counts).all()
                own = Accumulator(name, axis=axis).add(*rest)
                together = own.copy().merge(right).result(dtype="f8")
                own._partial.merge(got)
                assert_same([own.result(dtype="f8")], [together])
    assert got.states[states.FOLDS[name][0]].dtype == states.STATE


# ---------------------------------------------------------------- plans


class PlannedGpu:
    """The numbers of a GPU that plans depend on."""

    is_wide, group, units = True, 256, 132

    def offset(self, x):
        return 0


def test_plans_of_columns_use_all_work_items_and_rows():
    """Chunks cover all rows, and most work-items of a group have columns, whatever the shape."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        columns = int(2 ** rng.uniform(1, 12))
        shape = (max(1, int(2 ** rng.uniform(6, 30)) // columns), columns)
        source = reducing._Arrangement.of(shape, (0,), (0, 1)).with_operands([None], False)
        plan = reducing._Plan.of(PlannedGpu(), source, "std")
        rows = shape[0] // plan.beside
        assert plan.chunks * plan.each >= rows > (plan.chunks - 1) * plan.each
        assert plan.beside == 1 or (columns * plan.beside) % (1 << plan.wide) == 0
        items = columns * plan.beside >> plan.wide
        assert plan.groups * plan.group >= items * plan.lanes
        if shape[0] > 1 << 14 and columns < 1000:
            assert plan.wide == 2
            assert items * plan.lanes > 0.7 * plan.groups * plan.group


def test_plans_of_many_rows_have_few_lanes():
    """Joining lanes and rounding take as long as units of a row; few rows need all lanes."""
    for n, many, few in ((128, 4, 8), (1024, 8, 32), (1 << 14, 32, 256)):
        for results, lanes in ((1 << 18, many), (16, few)):
            source = reducing._Arrangement.of((results, n), (1,), (0, 1))
            source = source.with_operands([None], False)
            assert reducing._Plan.of(PlannedGpu(), source, "std").lanes == lanes
