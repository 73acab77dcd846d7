"""Tests of promotion of half and other types, and of dtype=half, compared with float16's."""

import itertools

import numpy as np
import pytest

from halfcl import half

HALF = np.dtype(half)
LETTERS = "?bBhHiIlLqQefdgFDG"
NUMBERS = (1, 1.5, 1j)


def as_float16(dtype):
    return np.dtype(np.float16) if dtype == HALF else dtype


def outcome(call, dtype):
    """Return the dtypes of a call's results, with float16 in place of half, or its exception."""
    try:
        with np.errstate(all="ignore"):
            results = call(dtype)
    except Exception as error:
        return type(error)
    return [as_float16(np.asarray(r).dtype) for r in np.atleast_1d(results)]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_result_type(count):
    """Check up to four types and Python numbers, one of them half, in all orders."""
    others = [*map(np.dtype, LETTERS + "OmM"), *NUMBERS]
    for rest in itertools.combinations(others, count):
        for place in range(count + 1):

            def result_type(dtype, place=place, rest=rest):
                return np.zeros(0, np.result_type(*rest[:place], dtype, *rest[place:]))

            assert outcome(result_type, HALF) == outcome(result_type, np.float16), (rest, place)


def test_result_type_of_text_and_number():
    """Check a difference that NumPy's design causes: only float16 raises with text and numbers."""
    with pytest.raises(np.exceptions.DTypePromotionError):
        np.result_type(1, np.float16, "S", 1)
    assert np.result_type(1, half, "S", 1) == np.result_type(np.float16, "S") == np.dtype("S32")


@pytest.mark.parametrize("place", range(3))
def test_three_arguments(place):
    values = [np.array([1], c) for c in LETTERS] + [np.float32(1), np.int64(1), *NUMBERS]
    for rest in itertools.product(values, values):

        def clip(dtype, rest=rest):
            return np.clip(*rest[:place], np.array([1], dtype), *rest[place:])

        assert outcome(clip, half) == outcome(clip, np.float16), rest


UFUNCS = {
    name: u
    for name, u in sorted(vars(np).items())
    if isinstance(u, np.ufunc) and u.signature is None and u.nin < 3
}


@pytest.mark.parametrize("name", UFUNCS)
def test_dtype_argument(name):
    """Check the keyword dtype with one argument of half, or none."""
    ufunc = UFUNCS[name]
    lone = [1, 1.5, True, *(np.array([1], c) for c in "?bihlefdgF")]
    for x, y, asked in itertools.product(lone, (1, None), ("half", "f", "d", None)):
        for place in range(ufunc.nin + 1):  # the index of the argument of half; the last is none

            def call(dtype, x=x, y=y, asked=asked, place=place):
                arguments = [x, x if y is None else y][: ufunc.nin]
                if place < ufunc.nin:
                    arguments[place] = np.array([1], dtype)
                return ufunc(*arguments, dtype=dtype if asked == "half" else asked)

            assert outcome(call, half) == outcome(call, np.float16), (x, y, asked, place)


def test_dtype_argument_computes_in_half():
    assert np.sqrt(4, dtype=half) == 2 and type(np.sqrt(4, dtype=half)) is half
    got = np.exp(np.arange(3), dtype=half)
    assert got.dtype == HALF and got.tolist() == np.exp(np.arange(3, dtype=half)).tolist()
    third = np.divide(np.float32(1), np.float32(3), dtype=half)
    assert third == half(1) / 3 and type(third) is half
    assert np.add(1, 2, signature=(half, half, half)).dtype == HALF
    with pytest.raises(TypeError, match="safe"):
        np.exp(np.arange(3), dtype=half, casting="safe")


@pytest.mark.parametrize("order", [0.5, 3, -1, -2, 1, 2, 0, np.inf, -np.inf])
def test_norm(order):
    a = np.array([3, 4, 12], half)
    exact = np.linalg.norm(a.astype(float), order)
    got = np.linalg.norm(a, order)
    assert got.dtype == HALF and abs(got - exact) <= 2e-3 * exact
