"""Running sums of a device's arrays, compared with the host's.

Without a device, CUDA's text is compiled by g++.
"""

import numpy as np
import pytest
from device_places import EVERY, FINITE, MODES, Gxx, Planned, assert_same, check, some
from exhaustive import shared_out

import halfcl as hc
from halfcl.device._reductions import running_sums as running

pytestmark = [pytest.mark.once, shared_out, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

DTYPES = (None, hc.half, np.float16, np.float32, np.float64)

#: Shapes and axes: short and long rows, of whole packs or not; few and many columns; axes in
#: between; and empty arrays.
SHAPES = [
    ((), None), ((), 0), ((7,), 0), ((3001,), None), ((4096,), 0), ((200, 3), 1), ((50, 8), 1),
    ((33, 40), 1), ((9, 1000), -1), ((2, 9001), 1), ((1000, 6), 0), ((9, 301), 0), ((1500, 3), 0),
    ((700, 40), 0), ((3, 40, 20), 1), ((3, 4, 5, 6), 2), ((3, 4, 5), None), ((0, 3), 0),
    ((3, 0), 0), ((0,), None),
]  # fmt: skip


def test_cumsum_of_shapes(plan):
    for k, (shape, axis) in enumerate(SHAPES):
        for of in (FINITE, EVERY[0x2E00:0x4200]):
            check(plan, "cumsum", some(shape, k, of), axis=axis, rounding=MODES[k % 5])


def test_cumsum_dtypes_and_modes(one_plan):
    rows = some((30, 100), 3, EVERY[0x0:0x4200])
    rows[::2] = -rows[::2]
    for mode in MODES:
        for dtype in DTYPES:
            check(one_plan, "cumsum", rows, axis=1, dtype=dtype, rounding=mode)
        check(one_plan, "cumsum", rows, axis=0, dtype="f8", rounding=mode)
    with hc.rounding("rtn"):
        check(one_plan, "cumsum", rows, axis=0)


#: Special numbers: infinities and NaNs among others, zeros of both signs, sums that cancel, sums
#: that overflow and return, and ties.
ROWS = np.array([
    [1, np.inf, -3, -np.inf], [-np.inf, 1, 0, 5], [1, np.nan, 1, 2], [-0.0, -0.0, 0.0, -0.0],
    [0.0, -0.0, 0.0, -0.0], [-0.0] * 4, [65504, -65504, -0.0, 1], [65504, 65504, -65504, -65504],
    [2.0**-24, 2.0**-24, -(2.0**-24), -(2.0**-23)], [2048, 1, 2.0**-24, 1],
    [65504, 16, -(2.0**-24), 0], [-65504, -15.99, -(2.0**-6), 0], [2.0**-14, -(2.0**-24), 0, 1],
], np.float16)  # fmt: skip


@pytest.mark.parametrize("repeated", [1, 300])
def test_cumsum_of_special_numbers(plan, repeated):
    for rows in (np.repeat(ROWS, repeated, axis=1), np.tile(ROWS, repeated)):
        for mode in hc.MODES:
            check(plan, "cumsum", rows, axis=1, rounding=mode)
            check(plan, "cumsum", rows.T.copy(), axis=0, rounding=mode)


def test_cumsum_after_long_chunks(plan, monkeypatch):
    """Try short chunks after sums that overflow integers of 64 bits, and after short ones."""
    monkeypatch.setattr(running, "_LONGEST", 64)
    x = np.full(3000, 65504, np.float16)
    x[2000:] = -65504
    x[::7] = 2.0**-24
    for axis, shape in ((0, (-1,)), (1, (3, -1)), (0, (-1, 3)), (0, (-1, 40))):
        array = x[: 2960 if shape == (-1, 40) else 3000].reshape(shape)
        check(plan, "cumsum", array, axis=axis, dtype="f8", rounding="rtp")


def test_cumsum_of_many_elements(place):
    """Add up to more than 60 bits, in work-groups of the usual size."""
    if isinstance(place, Gxx):
        pytest.skip("minutes by g++")
    plan = Planned(place, True, 128)
    x = np.full(1 << 22, 65504, np.float16)
    x[::3], x[1::7] = 2.0**-24, -0.3333
    check(plan, "cumsum", x, dtype="f8")


def test_cumsum_of_views(one_plan):
    x = some((30, 41), 5)
    there = one_plan.to(x)
    views = [
        lambda a: a[:, 3:35], lambda a: a[1::3], lambda a: a[::-1, ::-1],
        lambda a: a.transpose((1, 0)), lambda a: a[:, 8:40],
    ]  # fmt: skip
    for view in views:
        for axis in (None, 0, 1):
            got = one_plan.dev.cumsum(view(there), axis)
            assert_same([one_plan.back(got)], [hc.cumsum(view(x), axis)])


def test_cumsum_out(one_plan):
    x = some((30, 40))
    for order in "CF":
        out = one_plan.to(np.zeros((30, 40), np.float16, order))
        assert one_plan.dev.cumsum(one_plan.to(x), 1, None, out) is out
        assert_same([one_plan.back(out)], [hc.cumsum(x, 1)])
    room = one_plan.to(x)  # out is the operand
    one_plan.dev.cumsum(room, axis=0, out=(room,))
    assert_same([one_plan.back(room)], [hc.cumsum(x, axis=0)])


def test_cumsum_errors(one_plan):
    dev, x = one_plan.dev, one_plan.to(some((3, 5)))
    with pytest.raises(TypeError, match=r"cumsum: argument a: expected a .*puts an array on"):
        dev.cumsum(np.zeros(3, np.float16))
    with pytest.raises(TypeError, match="argument a: expected half or float16, got float32"):
        dev.cumsum(one_plan.to(np.zeros(3, np.float32)))
    with pytest.raises(np.exceptions.AxisError, match="argument axis"):
        dev.cumsum(x, axis=2)
    with pytest.raises(np.exceptions.AxisError, match="argument axis"):
        dev.cumsum(one_plan.to(some(())), axis=1)
    with pytest.raises(TypeError, match="argument axis: expected an int or None"):
        dev.cumsum(x, axis=(0, 1))
    with pytest.raises(TypeError, match="argument dtype"):
        dev.cumsum(x, dtype="i4")
    with pytest.raises(ValueError, match="cumsum: out: expected shape"):
        dev.cumsum(x, out=one_plan.to(np.zeros((3, 5), np.float16)))
    with pytest.raises(TypeError, match="cumsum: out: expected an array of float32"):
        dev.cumsum(x, 0, "f4", one_plan.to(np.zeros((3, 5), np.float16)))
    with pytest.raises(ValueError, match="rounding"):
        dev.cumsum(x, rounding="up")
