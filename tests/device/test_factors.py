"""Products of many halves on devices, compared with the host's and with exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from device_places import EVERY, MODES, assert_same, check, if_long
from exhaustive import either, shared_out

import halfcl as hc
from halfcl.device._reductions import reducing
from halfcl.reductions import Accumulator

pytestmark = [pytest.mark.once, shared_out, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

DTYPES = (None, np.float16, np.float32, np.float64)


def near_one(shape, seed=0):
    """Return numbers of both signs whose product stays near one."""
    rng = np.random.default_rng(seed)
    x = (2.0 ** rng.normal(0, 0.7, shape)).astype(np.float16)
    return np.where(rng.random(shape) < 0.3, -x, x)


def short_factors(shape, seed=0):
    """Return factors of short products, whose rounding is a tie, such as 3 683 = 2049."""
    rng = np.random.default_rng(seed)
    x = np.ldexp(1.0, rng.integers(-2, 3, shape)).astype(np.float16)
    for k, factors in enumerate(([3, 683], [5, 13, 63], [2047, -1], [3, 3, 3, 7, 11], [-9, 227])):
        for factor in factors:
            row = x.reshape(len(x), -1)[k::5]
            row[np.arange(len(row)), rng.integers(0, row.shape[1], len(row))] = factor
    return x


@pytest.mark.parametrize(
    ("shape", "axis"),
    [((), None), ((7,), 0), ((3001,), None), ((200, 3), 1), ((33, 40), 1), ((2, 9001), 1),
     ((1000, 6), 0), ((4001, 1), 0), ((3, 40, 20), 1), ((3, 4, 5, 6), (0, 2)), ((0, 3), 0),
     ((3, 0), 0), ((2, 3), ())],
)  # fmt: skip
def test_prod_of_shapes(plan, shape, axis):
    x = near_one(shape, len(shape))
    check(plan, "prod", x, axis=axis, dtype=np.float64)
    check(plan, "prod", x, axis=axis, keepdims=True, rounding="rtp")


@pytest.mark.parametrize("numbers", [near_one, short_factors])
def test_prod_dtypes_and_modes(one_plan, numbers):
    rows = numbers((300, 12), 3)
    for dtype in DTYPES:
        for mode in MODES:
            check(one_plan, "prod", rows, axis=1, dtype=dtype, rounding=mode)
    check(one_plan, "prod", rows.T.copy(), axis=0)
    check(one_plan, "prod", rows.T.copy().T, axis=1)


def test_prod_of_special_numbers(one_plan):
    """Try subnormal and special numbers, and products far beyond all halves."""
    rng = np.random.default_rng(4)
    x = rng.choice(EVERY, (2000, 3))
    for mode in MODES:
        check(one_plan, "prod", x, axis=1, rounding=mode)
        check(one_plan, "prod", x, axis=1, rounding=mode, dtype="f8")
    for one in (0.0, -0.0, np.inf, -np.inf, np.nan, 65504, -(2.0**-24)):
        for other in (2, -2, 0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 2.0**-24):
            row = np.array([[other, one, 1.5] * 20, [1, one, other] * 20], np.float16)
            check(one_plan, "prod", row, axis=1, rounding="rtn", dtype="f4")
    for number in (65504, 2.0**-24, -65504):
        check(one_plan, "prod", np.full(40001, number, np.float16), dtype="f8", rounding="rtz")


def test_prod_rounds_exact_products(one_plan):
    """float64 results are nearest to the exact product."""
    x = np.abs(near_one((20, 60), 5))
    exact = [np.prod([Fraction(float(v)) for v in row], initial=Fraction(1)) for row in x]
    got = one_plan.back(one_plan.dev.prod(one_plan.to(x), axis=1, dtype=np.float64))
    assert got.tolist() == [float(v) for v in exact]


def check_many_chunks(plan, monkeypatch, units):
    """Check products of so many chunks that they are combined in several steps."""
    monkeypatch.setattr(reducing, "_FACTORS", 1)
    monkeypatch.setattr(plan.dev.machine, "units", units)
    x = near_one((20011,), 6)
    check(plan, "prod", x, dtype="f8", rounding="rtn")
    check(plan, "prod", x[:20000].reshape(10000, 2), axis=0, dtype="f8")
    check(plan, "prod", x[:20000].reshape(2, 10000), axis=1)


def test_prod_of_many_chunks(one_plan, monkeypatch):
    check_many_chunks(one_plan, monkeypatch, 700)


def test_prod_by_gxx(gxx_plan, monkeypatch):
    rows = near_one((33, 40), 5)
    check(gxx_plan, "prod", rows, axis=1, rounding="rtp")
    check_many_chunks(gxx_plan, monkeypatch, either(40, 12))


def test_prod_with_masks_and_initial(one_plan):
    rng = np.random.default_rng(11)
    for shape, axis in (((40, 50), 1), ((40, 50), 0), ((3000,), None)):
        x, mask = near_one(shape, 12), rng.random(shape) < 0.6
        mask.reshape(-1)[: shape[-1]] = False
        x = np.where(mask, x, rng.choice(np.array([np.inf, np.nan, 0], np.float16), shape))
        right = hc.prod(x, axis=axis, where=mask, dtype="f4")
        for where in (mask, one_plan.to(mask)):
            got = one_plan.dev.prod(one_plan.to(x), axis=axis, where=where, dtype="f4")
            assert_same([one_plan.back(got)], [right])
    for start in (0, -0.0, 2.5, -65504, 1e-9, np.inf, np.nan, 1):
        for x in (near_one((5, 3)), np.zeros((0, 3), np.float16)):
            check(one_plan, "prod", x, axis=0, initial=start, rounding="rtp")


def test_prod_out(one_plan):
    x = near_one((30, 40))
    out = one_plan.to(np.zeros(30, np.float16))
    assert one_plan.dev.prod(one_plan.to(x), axis=1, out=out) is out
    assert_same([one_plan.back(out)], [hc.prod(x, axis=1)])


@pytest.mark.parametrize("numbers", if_long([near_one, short_factors], [short_factors, near_one]))
def test_states_merge_with_the_hosts(one_plan, numbers):
    """States of a device and of the host merge to the host's."""
    x = numbers((40, 30), 7)
    x[:3, 3] = 0, np.inf, np.nan
    mask = np.random.default_rng(1).random((20, 30)) < 0.9
    for axis in (0, 1, None):
        there, here = (x[:20].copy(), x[20:]) if axis != 1 else (x[:, :15].copy(), x[:, 15:])
        where = mask if axis == 0 else True
        device_where = where if where is True else one_plan.to(where)
        got = one_plan.dev.reductions.partial("prod", [one_plan.to(there)], axis, device_where)
        own = Accumulator("prod", axis=axis).add(here)
        right = own.copy().merge(Accumulator("prod", axis=axis).add(there, where=where))
        own._partial.merge(got)
        assert (own.count == right.count).all()
        again = Accumulator.from_bytes(own.to_bytes())
        for mode in hc.MODES:
            for dtype in ("f4", None):
                results = [np.asarray(a.result(rounding=mode, dtype=dtype)) for a in (own, again)]
                assert_same(results, [np.asarray(right.result(rounding=mode, dtype=dtype))] * 2)
