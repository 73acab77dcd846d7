"""The mathematical functions of one half against MPFR: all 65,536 of them, in every mode.

Ordinarily a fifth of them: test_check.py goes over all by digests of MPFR's results.
"""

import functools

import numpy as np
import oracle
import pytest
import samples
from checks import ROWS, as_tuple, bits, check_bits, check_flags, forms, half, in_region
from exhaustive import EXHAUSTIVE, in_modes, share, shared_out
from oracle_functions import MATH, OF_THREE, OF_TWO, PARTS, WITH_INTEGER, evaluate

import halfcl as hc

pytestmark = shared_out

#: All halves, or a share with all special ones: `halfcl check` goes over the others.
ALL = (np.arange(1 << 16, dtype=np.uint16),)
if not EXHAUSTIVE:
    ALL = samples.join(share(ALL, 5), (samples.SPECIAL,))
NUMBERS = ~oracle.is_signalling(ALL[0])

# Vectors have up to 32 halves, blocks 1,024: lengths around these and their multiples.
LENGTHS = [*range(41), *(k + d for k in (64, 512, 1024, 2048) for d in (-33, -1, 0, 1, 33)), 3333]


#: Tested in test_arithmetic.py, in test_geometric.py, in test_normalized.py, and below.
ELSEWHERE = {"add", "subtract", "multiply", "divide", "negative", "fabs", "fma", "mad"}
ELSEWHERE |= {"copysign", "nan", "cross", "dot", "distance", "length", "normalize"}
ELSEWHERE |= {
    f"{way}_{kind}{size}"
    for way in ("from", "to")
    for kind in ("unorm", "snorm")
    for size in (8, 16)
}


@functools.cache
def everywhere(name):
    return evaluate(name, *ALL)


def test_every_function_is_tested():
    """Every row of the table belongs to a test."""
    public = {row.name for row in ROWS.values() if row.public}
    assert public <= {*MATH, *PARTS, *OF_TWO, *OF_THREE, *WITH_INTEGER} | ELSEWHERE


@pytest.mark.parametrize("name", MATH)
def test_function(name, mode):
    """Every way to call it gives the rounded result, and raises its flags."""
    results = everywhere(name)
    want, _ = results[mode]
    ways = forms(name, mode)
    for text, function in ways.items():
        with np.errstate(all="ignore"):
            check_bits(f"{text} {mode}", ALL, function(half(*ALL)), want)
    check_flags(name, ways[f"{name}_{mode}"], ALL, results, mode)


@pytest.mark.parametrize("name", PARTS)
def test_exact_or_several_results(name, mode):
    """Functions with exact or several results; signalling NaNs may raise or not."""
    results = everywhere(name)
    ways = forms(name, mode)
    assert ways
    for text, function in ways.items():
        with np.errstate(all="ignore"):
            check_bits(f"{text} {mode}", ALL, function(half(*ALL)), results[mode][0])
        numbers = {m: (tuple(x[NUMBERS] for x in r), f[NUMBERS]) for m, (r, f) in results.items()}
        check_flags(name, function, (ALL[0][NUMBERS],), numbers, mode, n=50)


@pytest.mark.parametrize(("name", "mode"), in_modes([*MATH, *PARTS]))
def test_float16(name, mode):
    """Results of float16 are float16, with the same bits."""
    function = getattr(hc, name)
    with np.errstate(all="ignore"):
        got = as_tuple(function(ALL[0].view(np.float16), rounding=mode))
        want = as_tuple(function(half(*ALL), rounding=mode))
    for g, w in zip(got, want, strict=True):
        assert g.dtype == (np.float16 if w.dtype == hc.half else w.dtype)
        assert g.tobytes() == w.tobytes()


@pytest.mark.parametrize("name", [*MATH, *PARTS])
def test_region_without_builtins(name):
    """A region without builtins=True leaves halfcl's and NumPy's functions in rte."""
    (want, _) = everywhere(name)["rte"]
    functions = [getattr(hc, name), *(getattr(np, twin) for twin in ROWS[name].numpy)]
    for function in functions:
        with hc.rounding("rtz"), np.errstate(all="ignore"):
            check_bits(name, ALL, function(half(*ALL)), want)


@pytest.mark.parametrize(("name", "mode"), in_modes([*MATH, *PARTS]))
def test_lengths_and_strides(name, mode):
    """Whatever the length, alignment and stride, elements have the results of the long run."""
    rng = np.random.default_rng(0)
    function = getattr(getattr(hc, name), mode)
    order = rng.permutation(ALL[0].size)
    shuffled = ALL[0][order]
    want = [column[order] for column in everywhere(name)[mode][0]]
    with np.errstate(all="ignore"):
        for n in LENGTHS:
            start = int(rng.integers(0, shuffled.size - n))
            for part in (slice(start, start + n), slice(start, start + 3 * n, 3)):
                some = (shuffled[part],)
                check_bits(name, some, function(half(*some)), tuple(w[part] for w in want))


@pytest.mark.parametrize(("name", "mode"), in_modes(MATH))
def test_in_place(name, mode):
    want, _ = everywhere(name)[mode]
    function = getattr(getattr(hc, name), mode)
    for n in (1, 31, 1023, 1025, 1 << 16):
        x = half(ALL[0].copy())[-n:]
        with np.errstate(all="ignore"):
            assert function(x, out=x) is x
        check_bits(name, (ALL[0][-n:],), x, (want[0][-n:],))


@pytest.mark.parametrize("name", MATH)
def test_exceptions_of_a_block_do_not_hide_those_of_another(name):
    """Flags of all elements are those of each, together."""
    results = everywhere(name)
    with oracle.Watch() as watch:
        for mode in oracle.MODES:
            getattr(hc, f"{name}_{mode}")(half(*ALL))
            assert watch.take() == np.bitwise_or.reduce(results[mode][1])


# ---------------------------------------------------------------- results that are no halves


def test_ilogb_constants():
    assert np.iinfo(np.int32).min == hc.FP_ILOGB0
    assert np.iinfo(np.int32).max == hc.FP_ILOGBNAN


def test_nan_carries_its_code(mode):
    """The code of a NaN fills its payload as far as it fits; the NaN is quiet, without flags."""
    code = np.arange(1 << 16, dtype=np.uint16)
    with oracle.Watch() as watch:
        got = hc.nan(code, rounding=mode)
        assert watch.take() == 0
    assert got.dtype == hc.half
    np.testing.assert_array_equal(bits(got), 0x7E00 | (code & 0x1FF))


@pytest.mark.parametrize("name", ["sincos", "lgamma_r"])
def test_first_results_are_those_of_the_plain_function(name, mode):
    plain = ["sin", "cos"] if name == "sincos" else ["lgamma"]
    with np.errstate(all="ignore"):
        results = in_region(mode, getattr(hc, name), half(*ALL))
        for got, other in zip(results, plain, strict=False):
            want = in_region(mode, getattr(hc, other), half(*ALL))
            number = ~np.isnan(want)
            np.testing.assert_array_equal(~np.isnan(got), number)
            np.testing.assert_array_equal(bits(got)[number], bits(want)[number])
