"""nonzero, count_nonzero, argwhere, flatnonzero, where with one array: NaNs count, -0 does not."""

import numpy as np
import pytest
from checks import result_or_error
from exhaustive import in_turn
from layouts import halves, layouts

import halfcl as hc

SHAPES = [
    (0,), (1,), (31,), (32,), (33,), (100,), (20000,),
    (0, 5), (4, 7), (5, 8), (70, 33), (130, 200), (3, 4, 5), (2, 40, 7),
]  # fmt: skip
SPREADS = {
    "any": np.arange(1 << 16),
    "special": [0, 0x8000, 0, 0x7C00, 0x7E00, 0xFE00, 0x7C01, 1, 0x8001, 0x3C00],
    "zeros": [0, 0x8000],
    "few": [0, 0x8000, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    "nans": [0x7C01, 0xFFFF],
}
CALLS = {
    "nonzero": np.nonzero,
    "method": lambda x: x.nonzero(),
    "flatnonzero": np.flatnonzero,
    "argwhere": np.argwhere,
    "where": np.where,
    "count": np.count_nonzero,
    "count by axis": lambda x: np.count_nonzero(x, axis=-1),
    "count and keep": lambda x: np.count_nonzero(x, keepdims=True),
}


@in_turn
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("spread", SPREADS)
def test_layouts_give_float16s_results(call, spread, kind):
    rng = np.random.default_rng(1)
    for shape in SHAPES:
        for bits in layouts(rng.choice(np.array(SPREADS[spread], np.uint16), shape)):
            x = halves(bits, kind)
            got, wanted = call(x), call(bits.astype("=u2") & 0x7FFF)
            assert type(got) is type(wanted)
            both = [(got, wanted)] if not isinstance(got, tuple) else zip(got, wanted, strict=True)
            for g, w in both:
                np.testing.assert_array_equal(g, w, strict=True)


def test_every_half(all_halves, kind):
    x = all_halves.view(kind)
    wanted = np.delete(np.arange(1 << 16), [0, 0x8000])
    np.testing.assert_array_equal(np.nonzero(x)[0], wanted, strict=True)
    assert np.count_nonzero(x) == (1 << 16) - 2
    with np.errstate(all="raise"):  # signalling NaNs are no operands
        np.where(x)


WRONG = {
    "0-d": lambda x: x[0].nonzero() if x.ndim > 1 else x[:1].reshape(()).nonzero(),
    "argument": lambda x: x.nonzero(1),
    "name": lambda x: x.nonzero(axis=1),
    "no arguments": lambda x: np.where(),
    "two": lambda x: np.where(x, x),
    "four": lambda x: np.where(x, x, x, x),
    "count nothing": lambda x: np.count_nonzero(),
    "count by another axis": lambda x: np.count_nonzero(x, axis=5),
}


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_wrong_arguments_raise_as_for_float16(call):
    """Refusals and their texts are float16's."""
    plain = np.arange(40).astype(np.float16)
    got = result_or_error(lambda: call(plain.view(hc.half)))
    wanted = result_or_error(lambda: call(plain))
    if isinstance(wanted[0], type):
        assert got == wanted
    else:
        np.testing.assert_array_equal(got, wanted)


def test_subclasses(kind):
    x = (np.arange(60) % 3).astype(kind).reshape(6, 10)
    for got, wanted in zip(
        x.view(np.matrix).nonzero(), x.astype(int).view(np.matrix).nonzero(), strict=True
    ):
        assert type(got) is type(wanted)
        np.testing.assert_array_equal(got, wanted)
    masked = np.ma.array(x, mask=x == 1)
    assert np.count_nonzero(masked.filled(0)) == 20
    np.testing.assert_array_equal(masked.nonzero(), (x == 2).nonzero())


def test_other_dtypes_give_numpys_results():
    """Results for other dtypes are NumPy's."""
    method = np.ndarray.nonzero
    assert method.__qualname__ == "ndarray.nonzero" and method.__objclass__ is np.ndarray
    for letter in "?bHifdFOS":
        x = np.array([0, 1, 0, 2] * 20).astype(letter)
        wanted = np.arange(80)[x != np.zeros((), letter)] if letter != "S" else np.arange(80)
        np.testing.assert_array_equal(x.nonzero()[0], wanted)
        assert np.count_nonzero(x) == len(wanted)
