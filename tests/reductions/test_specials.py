"""Tests of reductions of infinities and NaNs: results and exceptions do not depend on the places.

The expected result of a line follows from the set of its special terms, which shares no code with
the library.
"""

import itertools

import numpy as np
import pytest
from checks import invalid_operations
from exhaustive import either, in_turn, one_in, shared_out

import halfcl as hc
from halfcl.reductions import Accumulator

INFINITIES = {"inf": 0x7C00, "-inf": 0xFC00}
QUIET = {"nan": 0x7E00, "-nan": 0xFE01, "payload": 0x7FFF}
SIGNALLING = {"signalling": 0x7C01, "-signalling": 0xFDFF}
SPECIALS = INFINITIES | QUIET | SIGNALLING
#: The special halves in an array; each is put at a few places, or at every seventh.
MIXTURES = (
    ("nan",), ("-nan", "payload"), ("inf",), ("-inf",), ("inf", "-inf"), ("signalling",),
    ("nan", "-signalling"), ("nan", "inf", "-inf"), ("payload", "signalling", "inf"),
)  # fmt: skip
#: Shapes and axes: single sums, rows, columns and several axes, short and long.
SHAPES = [
    ((5,), None), ((300,), None), ((70_001,), None), ((150_000,), None), ((300, 40), 1),
    ((3, 9000), 1), ((700, 130), 0), ((9000, 3), 0), ((40, 12, 50), (0, 2)), ((400, 6), 1),
]  # fmt: skip
LAYOUTS = {
    "C": np.ascontiguousarray,
    "strided": lambda x: np.repeat(x, 2, -1)[..., ::2],
    "transposed": lambda x: np.ascontiguousarray(x.T).T,
    "reversed": lambda x: x[::-1].copy()[::-1],
}


def bits_with(rng, shape, mixture, everywhere):
    """Return bits of halves with a mixture of special halves at random places."""
    bits = np.asarray(rng.uniform(-2, 2, shape), np.float16).view(np.uint16)
    flat = bits.reshape(-1)
    count = max(len(mixture), flat.size // 7 if everywhere else 3)
    places = rng.permutation(flat.size)[: min(count, flat.size)]
    names = np.array([SPECIALS[name] for name in mixture], np.uint16)
    flat[places] = np.resize(names, places.size)
    return bits


def is_signalling(bits):
    size = bits & 0x7FFF
    return (size > 0x7C00) & (size < 0x7E00)


def expect_sum(bits, terms):
    """Return NaN or an infinity of each line, which lines have one, and which raise invalid.

    terms: the special terms, in float64.
    """
    has_nan = np.isnan(terms).any(-1)
    above, below = (np.isin(terms, infinity).any(-1) for infinity in (np.inf, -np.inf))
    both = above & below
    result = np.where(has_nan | both, np.nan, np.where(above, np.inf, -np.inf))
    invalid = np.where(has_nan, is_signalling(bits).any(-1), both)
    return result, has_nan | above | below, invalid


@np.errstate(all="ignore")
def expect(name, a, b):
    """Return the special result of each line of bits, which have one, and which raise invalid."""
    x, y = (bits.view(np.float16).astype(np.float64) for bits in (a, b))
    has_nan = np.isnan(x).any(-1)
    if name in ("sum", "mean"):
        return expect_sum(a, x)
    if name in ("var", "std"):
        result, is_special, _ = expect_sum(a, x)
        invalid = np.where(has_nan, is_signalling(a).any(-1), is_special)
        return np.full_like(result, np.nan), is_special, invalid
    if name in ("sumsq", "norm"):
        return expect_sum(a, x * x)
    if name == "vdot":
        no_number = np.isnan(x * y) & ~np.isnan(x) & ~np.isnan(y)
        result, is_special, invalid = expect_sum(np.concatenate([a, b], -1), x * y)
        return result, is_special, invalid | no_number.any(-1)
    assert name == "prod"
    has_zero, is_infinite = (x == 0).any(-1), np.isinf(x).any(-1)
    result = np.where(has_nan | has_zero, np.nan, np.prod(np.sign(x), -1) * np.inf)
    invalid = np.where(has_nan, is_signalling(a).any(-1), is_infinite & has_zero)
    return result, has_nan | is_infinite, invalid


def lines_of(bits, axis):
    """Return lines of the reduced axes, one per result, in C order."""
    if axis is None:
        return bits.reshape(1, -1)
    axes = (axis,) if isinstance(axis, int) else axis
    kept = tuple(k for k in range(bits.ndim) if k not in axes)
    lines = bits.transpose(kept + axes)
    return lines.reshape(-1, int(np.prod([bits.shape[k] for k in axes])))


CALLS = {
    "sum": hc.sum, "mean": hc.mean, "var": hc.var, "std": hc.std, "sumsq": hc.sumsq,
    "norm": hc.norm, "prod": hc.prod,
}  # fmt: skip


def check(name, a, b, axis, layout):
    want, has_want, invalid = expect(name, *(lines_of(bits, axis) for bits in (a, b)))
    x, y = (LAYOUTS[layout](bits.view(hc.half)) for bits in (a, b))
    with invalid_operations() as raised, np.errstate(over="ignore"):
        got = hc.vdot(x, y, axis=axis) if name == "vdot" else CALLS[name](x, axis=axis)
    results = np.asarray(got).astype(np.float64).reshape(-1)
    assert np.array_equal(results[has_want], want[has_want], equal_nan=True)
    assert not np.isnan(results[~has_want]).any()
    assert raised == ["invalid value"] * bool(invalid.any())


@one_in(2)
@in_turn
@shared_out
@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize("name", [*CALLS, "vdot"])
def test_special_terms_decide_results_and_exceptions(name, everywhere):
    rng = np.random.default_rng(len(name) + everywhere)
    draws = itertools.product(SHAPES, MIXTURES)
    for k, ((shape, axis), mixture) in enumerate(draws):
        if k % either(1, 3) != len(name) % either(1, 3):
            continue
        a = bits_with(rng, shape, mixture, everywhere)
        b = bits_with(rng, shape, MIXTURES[rng.integers(len(MIXTURES))], False)
        if name in ("vdot", "prod") and k % 3 == 0:
            b.reshape(-1)[rng.integers(b.size)] = 0x8000
            a.reshape(-1)[rng.integers(a.size)] = 0
        check(name, a, b, axis, list(LAYOUTS)[k % len(LAYOUTS)])


@pytest.mark.parametrize("place", [0, 6143, 6144, 99_999])
@pytest.mark.parametrize("threads", [1, 2])
def test_signalling_nan_after_quiet_one_is_noted(place, threads):
    bits = np.full(100_000, 0x3C00, np.uint16)
    bits[:1] = 0x7E00
    bits[place] = 0x7C01
    with hc.num_threads(threads), invalid_operations() as raised:
        assert np.isnan(hc.sum(bits.view(hc.half)))
        assert raised == ["invalid value"]
        assert np.isnan(np.add.reduce(bits.view(hc.half)))
        assert raised == ["invalid value"] * 2


@in_turn
@pytest.mark.parametrize("statistic", ["sum", "std", "sumsq", "prod"])
@pytest.mark.parametrize("mixture", MIXTURES)
def test_states_merged_in_any_order_have_the_result_of_all_terms(statistic, mixture):
    rng = np.random.default_rng(5)
    bits = bits_with(rng, (5000, 3), mixture, everywhere=False)
    x = bits.view(hc.half)
    with invalid_operations() as want_raised:
        want = getattr(hc, statistic)(x, axis=0)
    for cuts in ([1, 20, 4000], [2500], [4999]):
        parts = [Accumulator(statistic, axis=0).add(part) for part in np.split(x, cuts)]
        for order in (parts, parts[::-1]):
            total = Accumulator(statistic, axis=0)
            for part in order:
                total.merge(part)
            with invalid_operations() as raised:
                assert np.array_equal(total.result(), want, equal_nan=True)
            assert raised == want_raised
