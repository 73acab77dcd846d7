"""Products of a device's matrices, compared with the host's.

Without a device, CUDA's text is compiled by g++, and NumPy's product in double replaces cuBLAS's.
"""

import numpy as np
import pytest
from device_places import (
    EVERY,
    FINITE,
    MODES,
    Cuda,
    Gxx,
    Planned,
    assert_same,
    check,
    if_long,
    some,
)
from exhaustive import LONG, shared_out

import halfcl as hc
from halfcl.device._reductions import products

pytestmark = [pytest.mark.once, shared_out, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

#: Vectors; few and many rows and columns, with partial tiles; stacks, broadcast in each way; and
#: empty matrices.
SHAPES = [
    ((7,), (7,)), ((5, 7), (7,)), ((7,), (7, 3)), ((5, 7), (7, 3)), ((1, 600), (600, 1)),
    ((9, 40), (40, 35)), ((33, 9), (9, 70)), ((12, 1), (1, 12)), ((16, 150), (150, 32)),
    ((2, 5, 7), (7, 3)), ((3, 9, 7), (3, 7, 11)), ((2, 1, 9, 7), (3, 7, 10)),
    ((2, 3, 9, 7), (2, 1, 7, 10)), ((1, 1, 9, 8), (1, 8, 9)), ((2, 7), (3, 7, 4)),
    ((3, 5, 7), (7,)), ((7,), (2, 7, 9)),
    ((4, 0), (0, 3)), ((9, 0), (0, 8)), ((0,), (0,)), ((0, 2), (2, 3)), ((3, 0, 2), (2, 3)),
    ((0, 2, 2), (2, 3)),
]  # fmt: skip


def random_pair(shapes, seed=1, of=FINITE):
    return [some(shape, seed + k, of) for k, shape in enumerate(shapes)]


@pytest.mark.parametrize("of", [FINITE, EVERY, EVERY[0x3800:0x4400]], ids=["all", "nans", "near"])
def test_matmul_shapes_and_modes(plan, of):
    for k, shapes in enumerate(SHAPES):
        check(plan, "matmul", *random_pair(shapes, k, of), rounding=MODES[k % 5])
    for mode in MODES:
        check(plan, "matmul", *random_pair(((10, 20), (20, 9)), 30, of), rounding=mode)
        check(plan, "matmul", *random_pair(((4, 20), (20, 9)), 40, of), exact=False, rounding=mode)
    with hc.rounding("rtn"):
        check(plan, "matmul", *random_pair(((10, 20), (20, 9)), 50, of))


#: Rows whose products cancel, are ties, or have zeros of both signs; and special numbers.
ROWS = np.array([
    [1, -1, 0, 0], [0, 0, -0.0, -0.0], [-0.0] * 4, [0.0] * 4, [1, 1, 1, 1], [-1, -1, -1, -1],
    [65504, 65504, -65504, -65504], [65504, 16, 0, 0], [65504, 15.99, 0, 0], [2.0**-24] * 4,
    [2.0**-24, -(2.0**-24), 2.0**-24, 0], [2048, 1, 0, 0], [2048, 1, 2.0**-24, 0],
    [2048, 1, -(2.0**-24), 0], [np.inf, 1, 1, 1], [-np.inf, 1, np.inf, 0], [np.nan, 0, 0, 0],
    [0, np.inf, 0, -1], [65504, 2.0**-24, -65504, 0], [0.5, -0.5, 1e-7, -1e-7],
], np.float16)  # fmt: skip


@pytest.mark.parametrize("repeated", [1, 50])
def test_matmul_of_special_numbers(plan, repeated):
    x = np.repeat(ROWS, repeated, axis=1)
    for mode in hc.MODES:
        check(plan, "matmul", x, x.T.copy(), rounding=mode)
        check(plan, "matmul", x, -x.T, rounding=mode)


def test_matmul_with_full_bins(plan):
    """Try the greatest products, and many of them, which overflow integers of 32 bits."""
    for n in (127, 128, 129, 700, (1 << 14) + 1):
        x, y = (np.full(shape, 65504, np.float16) for shape in ((8, n), (n, 8)))
        x[::2, n // 2 :] = -65504
        x[1, -1] = y[-1, 1] = 2.0**-24
        check(plan, "matmul", x, y)


def test_matmul_of_views(place, one_plan):
    """Try matrices of any strides."""
    if isinstance(place, Gxx) and not LONG:
        pytest.skip("a minute by g++: HALFCL_TEST_LONG=1")
    x, y = some((6, 24, 20), 5), some((6, 24, 20), 6)
    views = [
        lambda a, b: (a, b.transpose((0, 2, 1))),
        lambda a, b: (a.transpose((0, 2, 1)), b),
        lambda a, b: (a[1, ::2, 3:17], b[2, ::-1, 3:17].transpose((1, 0))),
        lambda a, b: (a[::-1, :, ::2], b[:, :10, ::-1]),
        lambda a, b: (a.transpose((1, 0, 2)), b[0].transpose((1, 0))),
        lambda a, b: (a[:, :, 3], b[2][:, ::2]),
        lambda a, b: (a[0, 3, ::2], b[1, :10, 7]),
        lambda a, b: (a[0, ::2, 4], b[1, ::2]),
    ]
    there = one_plan.to(x), one_plan.to(y)
    for view in views:
        got = one_plan.dev.matmul(*view(*there))
        assert_same([one_plan.back(got)], [hc.matmul(*view(x, y))])


def test_matmul_out(one_plan):
    x, y = random_pair(((16, 16), (16, 16)), 7)
    right = hc.matmul(x, y)
    for order in "CF":
        out = one_plan.to(np.zeros((16, 16), np.float16, order))
        assert one_plan.dev.matmul(one_plan.to(x), one_plan.to(y), out=out) is out
        assert_same([one_plan.back(out)], [right])
    for k in range(2):  # out is an operand
        operands = [one_plan.to(x), one_plan.to(y)]
        one_plan.dev.matmul(*operands, operands[k])
        assert_same([one_plan.back(operands[k])], [right])
    number = one_plan.to(np.zeros((1, 1), np.float16))
    one_plan.dev.matmul(one_plan.to(x[:1]), one_plan.to(y[:, :1].copy()), (number,))
    assert_same([one_plan.back(number)], [right[:1, :1]])


def test_matmul_dtypes(place):
    if isinstance(place, (Gxx, Cuda)):
        pytest.skip("CuPy's arrays know no half")
    plan = Planned(place, True)
    x = some((8, 8))
    assert plan.dev.matmul(plan.to(x), plan.to(x)).dtype.type is np.float16
    check(plan, "matmul", x, x.view(hc.half))
    assert plan.dev.matmul(plan.to(x), plan.to(x.view(hc.half))).dtype.type is hc.half


def test_matmul_errors(one_plan):
    dev, x = one_plan.dev, one_plan.to(some((3, 5)))
    with pytest.raises(ValueError, match="matmul: argument b: expected 5 rows, as argument a"):
        dev.matmul(x, x)
    with pytest.raises(ValueError, match="argument a: expected an array with axes"):
        dev.matmul(one_plan.to(some(())), x)
    with pytest.raises(ValueError, match="argument b: expected an array with axes"):
        dev.matmul(x, one_plan.to(some(())))
    with pytest.raises(ValueError, match="argument b: expected a stack"):
        dev.matmul(one_plan.to(some((2, 3, 5))), one_plan.to(some((3, 5, 3))))
    with pytest.raises(TypeError, match=r"argument b: expected a .*puts an array on the device"):
        dev.matmul(x, np.zeros((5, 3), np.float16))
    with pytest.raises(TypeError, match="argument a: expected half or float16, got float32"):
        dev.matmul(one_plan.to(np.zeros((3, 3), np.float32)), x)
    with pytest.raises(ValueError, match="matmul: out: expected shape"):
        dev.matmul(x, x.transpose((1, 0)), out=one_plan.to(np.zeros((3, 5), np.float16)))
    with pytest.raises(TypeError, match="matmul: out: expected an array of float16"):
        dev.matmul(x, x.transpose((1, 0)), out=one_plan.to(np.zeros((3, 3), np.float32)))
    with pytest.raises(ValueError, match="rounding"):
        dev.matmul(x, x.transpose((1, 0)), rounding="up")


# ---------------------------------------------------------------- by a library's product in double


@pytest.fixture
def doubles(place, monkeypatch):
    """A place where a library multiplies in double, also few elements."""
    if not isinstance(place, Gxx) and type(place).__name__ != "Cuda":
        pytest.skip("no library multiplies there")
    monkeypatch.setattr(products, "MANY", 1)
    return Planned(place, True, 64)


def test_matmul_in_double(doubles):
    for k, shapes in if_long(list(enumerate(SHAPES)), list(enumerate(SHAPES))[::3]):
        for of in (FINITE, EVERY, EVERY[0x3800:0x4400]):
            check(doubles, "matmul", *random_pair(shapes, k, of), rounding=MODES[k % 5])
    rows = np.tile(ROWS, 3)
    for mode in hc.MODES:
        for columns in (rows.T.copy(), -rows.T):
            check(doubles, "matmul", rows, columns, rounding=mode)


#: Rows whose products with COLUMN doubles round to a tie, to a half, or to zero, of either sign.
TINY = 2.0**-24
OPEN = np.array([
    [1024, 0.5, TINY, 0], [1024, 0.5, -TINY, 0], [1024, 1, TINY, 0], [1024, 1, -TINY, 0],
    [-1024, -0.5, TINY, 0], [-1024, -1, TINY, 0], [1025, 0.5, -TINY, 0], [2048, 0, -TINY, 0],
    [64, 1 / 32, TINY, 0], [1024, 0, TINY, -1024], [-1024, 0, TINY, 1024],
    [1024, 0, -TINY, -1024], [0, 0, TINY, 0],
], np.float16)  # fmt: skip
COLUMN = np.array([1, 1, TINY, 1], np.float16)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [2, 3, 1, 0], [0, 2, 3, 1]])
def test_matmul_of_ties_in_double(doubles, order):
    for repeated in (1, 8):
        x = np.tile(OPEN[:, order], repeated)
        y = np.tile(COLUMN[order], (9, repeated)).T.copy()
        for mode in hc.MODES:
            check(doubles, "matmul", x, y, rounding=mode)


def test_number_of_exact_elements(doubles):
    """Few elements of usual numbers are computed exactly, and none of small integers."""
    rng = np.random.default_rng(3)
    x, y = (doubles.to(rng.standard_normal((64, 64)).astype(np.float16)) for _ in "xy")
    assert doubles.dev.products.count_exact_elements(x, y).sum() < 5
    x, y = (doubles.to(rng.integers(-50, 50, (64, 64)).astype(np.float16)) for _ in "xy")
    assert doubles.dev.products.count_exact_elements(x, y).sum() == 0
    row = np.array([65504, 65504, 2.0**-24], np.float16)
    column = row * np.array([[1], [-1], [1]], np.float16).T
    x, y = (doubles.to(np.tile(v, (8, 1))) for v in (row, column))
    assert doubles.dev.products.count_exact_elements(x, y.T).sum() == 64
