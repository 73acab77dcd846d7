"""The oracle itself: its parts against each other, NumPy, and values worked out by hand."""

import math

import gmpy2
import numpy as np
import oracle
import oracle_doubles
import oracle_functions
import oracle_mpfr
import pytest
import real_functions
import samples
import samples_math
from edge_cases import edge_cases
from exhaustive import either, left_out, one_in, share, shared_out
from oracle import MODES

ALL = np.arange(1 << 16, dtype=np.uint16)


def test_subnormals_are_rounded_once():
    """Hand-made cases: value, then bits in rte rtz rtp rtn, then flags."""
    tie = 2.0**-14 - 2.0**-25  # between the greatest subnormal and the least normal number
    table = [
        (2.0**-24, (1, 1, 1, 1), (0, 0, 0, 0)),
        (2.0**-25, (0, 0, 1, 0), (8, 8, 8, 8)),
        (3 * 2.0**-25, (2, 1, 2, 1), (8, 8, 8, 8)),
        (2.0**-25 + 2.0**-60, (1, 0, 1, 0), (8, 8, 8, 8)),
        (-(2.0**-1000), (0x8000, 0x8000, 0x8000, 0x8001), (8, 8, 8, 8)),
        (tie, (0x400, 0x3FF, 0x400, 0x3FF), (8, 8, 8, 8)),
        (tie - 2.0**-60, (0x3FF, 0x3FF, 0x400, 0x3FF), (8, 8, 8, 8)),
        (2.0**-14 + 2.0**-60, (0x400, 0x400, 0x401, 0x400), (0, 0, 0, 0)),
        (65519.0, (0x7BFF, 0x7BFF, 0x7C00, 0x7BFF), (0, 0, 4, 0)),
        (65520.0, (0x7C00, 0x7BFF, 0x7C00, 0x7BFF), (4, 0, 4, 0)),
        (-65536.0, (0xFC00, 0xFBFF, 0xFBFF, 0xFC00), (4, 4, 4, 4)),
        (1 + 2.0**-11, (0x3C00, 0x3C00, 0x3C01, 0x3C00), (0, 0, 0, 0)),
    ]
    values = [row[0] for row in table]
    for results in (oracle.round_to_half(values), oracle.round_doubles(np.array(values))):
        for m, mode in enumerate(MODES):
            assert results[mode][0].tolist() == [row[1][m] for row in table], mode
            assert results[mode][1].tolist() == [row[2][m] for row in table], mode


@shared_out
def test_doubles_are_rounded_as_mpfr_rounds():
    rng = np.random.default_rng(0)
    half = samples.value(ALL[np.isfinite(ALL.view(np.float16))])[:: either(5, 110)]
    steps = (samples.spacing(half) / 2, samples.spacing(half) * rng.random(half.size))
    wide = np.ldexp(rng.uniform(-2, 2, 1 << 14), rng.integers(-40, 40, 1 << 14))[:: either(1, 23)]
    values = np.concatenate([half, *(half + step for step in steps), wide, [1e300, -1e-300]])
    values = np.concatenate([np.nextafter(values, -np.inf), values, np.nextafter(values, np.inf)])
    want = oracle.round_to_half(values.tolist())
    got = oracle.round_doubles(values)
    for mode in MODES:
        np.testing.assert_array_equal(got[mode][0], want[mode][0], mode)
        np.testing.assert_array_equal(got[mode][1], want[mode][1], mode)


@shared_out
@pytest.mark.parametrize("name", ["exp", "expm1", "log1p", "sin", "tan", "acos", "erf", "gamma"])
def test_two_roundings_are_one(name):
    """By way of the double rounded to odd, and by MPFR directly to half."""
    bits = ALL[:: 7 if name == "gamma" else 1][:: either(1, 23)]
    bits = bits[~oracle.is_nan(bits)]
    want = oracle.round_by_mpfr(name, [[oracle.MPFR[b] for b in bits]])
    results = oracle_functions.evaluate({"gamma": "tgamma"}.get(name, name), bits)
    for mode, ((got,), flags) in results.items():
        assert oracle.same(got, want[mode][0]).all()
        rounded = oracle.UNDERFLOW | oracle.OVERFLOW
        np.testing.assert_array_equal(flags & rounded, want[mode][1], mode)


_METHODS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "fma": "fma"}


@shared_out
@pytest.mark.parametrize("name", _METHODS)
def test_operations_in_doubles_are_mpfrs(name):
    """On a sixteenth of the samples, and with every special number."""
    many = samples.triples() if name == "fma" else samples.pairs(name)
    special = samples.product(*[samples.SPECIAL] * len(many))
    operands = samples.join(tuple(x[::16] for x in many), special)
    operands = share(operands, 11, 3)
    columns = [[oracle.MPFR[b] for b in x.tolist()] for x in operands]
    want = oracle.round_by_mpfr(_METHODS[name], columns)
    for mode, (got, flags) in oracle.evaluate(name, *operands).items():
        assert oracle.same(got, want[mode][0]).all()
        raised = flags & (oracle.UNDERFLOW | oracle.OVERFLOW)
        np.testing.assert_array_equal(raised, want[mode][1], mode)


@shared_out
@pytest.mark.parametrize("name", oracle_doubles.APPROXIMATIONS)
def test_doubles_round_as_mpfrs(name):
    """On a 61st of the samples. What they settle is off by 2^-50, not just less than is allowed."""
    make = samples_math.integer_pairs if name in oracle_mpfr.WITH_INTEGER else samples_math.pairs
    operands = share(tuple(x[::61] for x in make(name)), 5, 3)
    values, doubtful = oracle_doubles.approximate(name, *operands)
    exact = oracle_mpfr.FUNCTIONS[name](*operands)
    scale = oracle_doubles.APPROXIMATIONS[name][1]
    usual = ~doubtful & (np.abs(exact) > 1e-300) & (np.abs(exact) < 1e300)
    with np.errstate(all="ignore"):
        error = np.abs(values - exact) / np.maximum(np.abs(exact), scale)
    assert usual.mean() > 0.3 and error[usual].max() < 2.0**-46
    got, want = (oracle.round_doubles(x[~doubtful]) for x in (values, exact))
    for mode in MODES:
        np.testing.assert_array_equal(got[mode], want[mode], mode)


# ---------------------------------------------------------------- what MPFR has not

#: The functions that MPFR lacks: `real_functions` has their definitions.
_DEFINED = (
    *real_functions.RANGES, "compoundn", "sinpi", "cospi", "tanpi", "atanpi", "atan2pi",
    "degrees", "radians", "logaddexp", "logaddexp2", "rootn",
)  # fmt: skip


def _operands(name):
    """Numbers with finite results, for which the definition loses fewer bits than it has."""
    if name in oracle_mpfr.OF_ONE:
        x = ALL[::3]
        least, greatest = real_functions.RANGES.get(name, (-65504, 65504))
        return (x[(samples.value(x) >= least) & (samples.value(x) <= greatest)],)
    if name == "compoundn":
        x, n = (column[::5] for column in samples_math.integer_pairs(name))
        with np.errstate(all="ignore"):
            kept = np.abs(n * np.log1p(samples.value(x))) < 20
        return x[kept], n[kept]
    if name == "rootn":
        x, n = (column[::5] for column in samples_math.integer_pairs(name))
        kept = (x > 0) & (x < 0x7C00) & (n != 0)
        return x[kept], n[kept]
    x, y = (column[::37] for column in samples_math.pairs(name))
    limit = 65504 if name == "atan2pi" else 100
    kept = (np.abs(samples.value(x)) <= limit) & (np.abs(samples.value(y)) <= limit)
    return x[kept], y[kept]


@one_in(2)
@shared_out
@pytest.mark.parametrize("name", _DEFINED)
def test_functions_that_mpfr_has_not(name):
    """Inexact results are odd and less than an ulp off; there is one such double."""
    columns = share(_operands(name), 11, 3)
    values = oracle_mpfr.FUNCTIONS[name](*columns)
    operands = zip(*map(oracle_mpfr.numbers, columns), strict=True)
    exact = 0
    with gmpy2.context(precision=600):  # bits to spare
        for got, numbers in zip(values.tolist(), operands, strict=True):
            value = real_functions.FUNCTIONS[name](*numbers)
            if gmpy2.is_infinite(value):
                assert math.isinf(got), numbers
                continue
            error = abs(value - got)
            if error < 2.0**-500:
                exact += 1
            else:
                assert error < math.ulp(got) and math.frexp(got)[0] * 2**53 % 2 == 1, numbers
    assert exact > 0 or name == "logaddexp"


# ---------------------------------------------------------------- what needs no MPFR


@pytest.mark.parametrize("name", ["rint", "trunc", "ceil", "floor", "modf", "frexp"])
def test_exact_function_of_one_is_numpys(name):
    bits = ALL[~oracle.is_nan(ALL)]
    got, _ = oracle_functions.evaluate(name, bits)["rtz"]
    want = getattr(np, name)(bits.view(np.float16))
    for g, w in zip(got, want if isinstance(want, tuple) else (want,), strict=True):
        np.testing.assert_array_equal(g, w.view(g.dtype))


@shared_out
@pytest.mark.parametrize("name", ["fmod", "fmax", "fmin", "heaviside", "nextafter"])
def test_exact_function_of_two_is_numpys(name):
    x, y = share(samples_math.pairs(name), 11, 3)
    quiet = ~oracle.is_signalling(x) & ~oracle.is_signalling(y)
    x, y = x[quiet], y[quiet]
    (got,), _ = oracle_functions.evaluate(name, x, y)["rtz"]
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x.view(np.float16), y.view(np.float16)).view(np.uint16)
    if name == "nextafter":  # y where they are equal, as C and NumPy 2.5 have it
        want = np.where((x | y) & 0x7FFF == 0, y, want)
    assert oracle.same(got, want).all()


def test_remainder_is_pythons():
    x, y = (column[::17] for column in samples_math.pairs("remquo"))
    a, b = samples.value(x), samples.value(y)
    usable = np.isfinite(a) & np.isfinite(b) & (b != 0)
    (got, quotient), _ = oracle_functions.evaluate("remquo", x[usable], y[usable])["rte"]
    want = list(map(math.remainder, a[usable].tolist(), b[usable].tolist()))
    np.testing.assert_array_equal(samples.value(got), want)
    np.testing.assert_array_equal(np.signbit(samples.value(got)), np.signbit(want))
    whole = (a[usable] - want) / b[usable]
    np.testing.assert_array_equal(quotient, np.copysign(np.abs(whole) % 128, whole))


# ---------------------------------------------------------------- both


@left_out("test_math_edge_cases.py and test_math.py hold halfcl to these cases and to the oracle")
@pytest.mark.parametrize("name", edge_cases())
def test_edge_cases(name):
    for case in edge_cases()[name]:
        operands = case.operands()
        for mode, (got, flags) in oracle_functions.evaluate(case.name, *operands).items():
            for i, column in enumerate(got):
                assert case.agrees(i, column, operands, mode).all()
            assert (flags == case.flags).all()
