"""Elementwise arithmetic against the oracle: result bits and flags, in every mode."""

import functools
import operator

import numpy as np
import oracle
import pytest
import samples
from checks import (
    bits,
    check_bits,
    check_flags,
    flags_one_by_one,
    half,
    in_region,
    informative_indices,
)
from exhaustive import share, shared_out
from oracle import MODES
from samples import SPECIAL_PAIRS

import halfcl as hc

OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}


# ---------------------------------------------------------------- + - * / fma


def check_against_float16(name, operands, indices):
    """Bits everywhere, and flags at some indices, are those of NumPy's float16."""
    ufunc = getattr(np, name)
    with np.errstate(all="ignore"):
        got = ufunc(*(half(x) for x in operands))
        want = ufunc(*(x.view(np.float16) for x in operands))
    check_bits(f"np.{name}", operands, got, bits(want))
    expected = []
    with oracle.Watch() as watch:
        for pair in zip(*(x[indices].view(np.float16) for x in operands), strict=True):
            ufunc(*pair)
            expected.append(watch.take())
    np.testing.assert_array_equal(flags_one_by_one(ufunc, operands, indices), expected)


@functools.lru_cache(maxsize=1)
def share_of_pairs(name):
    """11 is prime to how many of a kind are next to each other. Special numbers stay."""
    operands = samples.pairs(name)
    assert operands[0].size > 1 << 20
    return samples.join(share(operands, 11), SPECIAL_PAIRS)


@shared_out
@pytest.mark.parametrize("name", OPERATORS)
def test_operator(name):
    operands = share_of_pairs(name)
    results = oracle.evaluate(name, *operands)
    halves = [half(x) for x in operands]
    function = getattr(hc, name)
    for mode, (want, _) in results.items():
        with np.errstate(all="ignore"):
            check_bits(f"{name}.{mode}", operands, getattr(function, mode)(*halves), want)
            got = in_region(mode, OPERATORS[name], *halves)
        check_bits(f"operator {name} in {mode}", operands, got, want)
        assert got.dtype == hc.half
        check_flags(name, getattr(hc, f"{name}_{mode}"), operands, results, mode)
    check_against_float16(name, operands, informative_indices(results, results["rte"][1], 300))


@shared_out
def test_fma_and_mad():
    operands = samples.triples()
    assert operands[0].size > 1 << 20
    operands = share(operands, 11)
    results = oracle.evaluate("fma", *operands)
    halves = [half(x) for x in operands]
    # IEEE 754 leaves open whether inf * 0 + NaN, quiet, raises invalid.
    a, b, c = (x & 0x7FFF for x in operands)
    settled = (((a != 0) | (b != 0x7C00)) & ((a != 0x7C00) | (b != 0))) | (c <= 0x7C00)
    settled_operands = [x[settled] for x in operands]
    settled_results = {m: (r[settled], f[settled]) for m, (r, f) in results.items()}
    for mode, (want, _) in results.items():
        for function in (getattr(hc.fma, mode), getattr(hc.mad, mode)):
            with np.errstate(all="ignore"):
                check_bits(function.__name__, operands, function(*halves), want)
        check_flags("fma", getattr(hc, f"fma_{mode}"), settled_operands, settled_results, mode)
        check_flags("mad", getattr(hc, f"mad_{mode}"), settled_operands, settled_results, mode, 50)


# ---------------------------------------------------------------- one argument

UNARY = {
    "sqrt": (hc.sqrt, np.sqrt),
    "square": (None, np.square),
    "reciprocal": (None, np.reciprocal),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name, mode, all_halves):
    operands = (bits(all_halves),)
    results = oracle.evaluate(name, *operands)
    own, twin = UNARY[name]

    def function(x):
        return in_region(mode, twin, x) if own is None else own(x, rounding=mode)

    with np.errstate(all="ignore"):
        check_bits(f"{name}.{mode}", operands, function(all_halves), results[mode][0])
        check_bits(
            f"np.{name} in {mode}", operands, in_region(mode, twin, all_halves), results[mode][0]
        )
    check_flags(name, function, operands, results, mode)
    if mode == "rte":
        check_against_float16(name, operands, informative_indices(results, results["rte"][1], 300))


SIGN_CHANGES = {
    "negative": (lambda x: x ^ 0x8000, (hc.negative, np.negative, operator.neg)),
    "fabs": (lambda x: x & 0x7FFF, (hc.fabs, np.fabs, np.absolute, abs)),
    "positive": (lambda x: x, (np.positive, operator.pos)),
}


@pytest.mark.parametrize("name", SIGN_CHANGES)
def test_sign_change_moves_no_other_bit(name, mode, all_halves):
    change, functions = SIGN_CHANGES[name]
    with oracle.Watch() as watch:
        for function in functions:
            got = in_region(mode, function, all_halves)
            np.testing.assert_array_equal(bits(got), change(bits(all_halves)))
        assert watch.take() == 0


INTEGRAL = ("rint", "floor", "ceil", "trunc")
EXACT_UNARY = (*INTEGRAL, "sign", "spacing")


@pytest.mark.parametrize("name", EXACT_UNARY)
def test_exact_unary_is_numpys(name, mode, all_halves):
    ufunc = getattr(np, name)
    with np.errstate(all="ignore"):
        want = bits(ufunc(all_halves.view(np.float16)))
        got = in_region(mode, ufunc, all_halves)
    check_bits(f"np.{name} in {mode}", (bits(all_halves),), got, want)
    if name in INTEGRAL:
        numbers = all_halves[~oracle.is_signalling(bits(all_halves))]
        with oracle.Watch() as watch:
            ufunc(numbers)
            assert watch.take() == 0


# ---------------------------------------------------------------- comparisons and the like

EXACT_BINARY = ("maximum", "minimum", "fmax", "fmin", "copysign", "nextafter", "fmod")


@shared_out
@pytest.mark.parametrize("name", EXACT_BINARY)
def test_exact_binary_is_numpys(name, mode):
    operands = share_of_pairs("subtract")
    ufunc = getattr(np, name)
    with np.errstate(all="ignore"):
        x, y = (operand.view(np.float16) for operand in operands)
        want = bits(ufunc(x, y))
        if name == "nextafter":  # y where they are equal, as C and NumPy 2.5 have it
            want = np.where(x == y, operands[1], want)
        got = in_region(mode, ufunc, *(half(x) for x in operands))
    check_bits(f"np.{name} in {mode}", operands, got, want)


COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
CLASSES = ("isnan", "isinf", "isfinite", "signbit")


@shared_out
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison_is_numpys(name):
    a, b = share_of_pairs("subtract")
    a, b = np.concatenate([a, a]), np.concatenate([b, a])
    ufunc = getattr(np, name)
    with np.errstate(all="ignore"):
        want = ufunc(a.view(np.float16), b.view(np.float16))
        np.testing.assert_array_equal(ufunc(half(a), half(b)), want)


@pytest.mark.parametrize("name", CLASSES)
def test_class_is_numpys(name, all_halves):
    ufunc = getattr(np, name)
    np.testing.assert_array_equal(ufunc(all_halves), ufunc(all_halves.view(np.float16)))


# ---------------------------------------------------------------- floor division


def division_operands():
    """Pairs of finite halves, b not zero: many with quotients that are large or integers."""
    rng = np.random.default_rng(5)
    n = 1 << 18
    b = samples.finite(rng, n)
    quotient = np.ldexp(rng.integers(-2048, 2048, n) + 0.0, rng.integers(-2, 6, n))
    with np.errstate(all="ignore"):
        a = samples.nearest(samples.value(b) * quotient)
    a = samples.neighbours(a, rng)
    parts = [(a, b), (samples.finite(rng, n), samples.finite(rng, n)), SPECIAL_PAIRS]
    a, b = (np.concatenate(column) for column in zip(*parts, strict=True))
    usable = ((a & 0x7FFF) < 0x7C00) & ((b & 0x7FFF) < 0x7C00) & ((b & 0x7FFF) != 0)
    return a[usable], b[usable]


@functools.lru_cache(maxsize=1)
def division_cases():
    """Operands, and the rounded floor of their quotient and what it leaves, by mode."""
    a, b = division_operands()
    # In units of the least half both are integers below 2^40: NumPy's // is exact.
    x, y = (np.ldexp(samples.value(bits), 24).astype(np.int64) for bits in (a, b))
    quotients = oracle.round_doubles((x // y).astype(np.float64))
    remainders = oracle.round_doubles(np.ldexp((x % y).astype(np.float64), -24))
    sign = np.uint16(0x8000)
    for mode in MODES:  # zeros have the sign of the quotient, and of b
        q, _ = quotients[mode]
        q[x // y == 0] |= ((a ^ b) & sign)[x // y == 0]
        r, _ = remainders[mode]
        r[x % y == 0] |= (b & sign)[x % y == 0]
    return (a, b), {"floor_divide": quotients, "remainder": remainders}


@pytest.mark.parametrize("name", ["floor_divide", "remainder"])
def test_floor_division(name):
    operands, results = division_cases()
    halves = [half(x) for x in operands]
    ufunc = getattr(np, name)
    for mode, (want, _) in results[name].items():

        def function(*halves, mode=mode):
            return in_region(mode, ufunc, *halves)

        with np.errstate(all="ignore"):
            check_bits(f"np.{name} in {mode}", operands, function(*halves), want)
            which = ("floor_divide", "remainder").index(name)
            got = in_region(mode, np.divmod, *halves)[which]
            check_bits(f"np.divmod in {mode}, {which}", operands, got, want)
        check_flags(name, function, operands, results[name], mode, n=200)


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "divmod"])
def test_floor_division_of_special_numbers_is_numpys(name, mode):
    ufunc = getattr(np, name)
    a, b = (half(x) for x in SPECIAL_PAIRS)
    finite = np.isfinite(a) & np.isfinite(b) & (b != 0)
    signalling = oracle.is_signalling(bits(a)) | oracle.is_signalling(bits(b))
    a, b = (x[~finite & ~signalling] for x in (a, b))
    assert a.size > 300
    with oracle.Watch() as watch:
        for x, y in zip(a, b, strict=True):
            got = np.array(in_region(mode, ufunc, x, y), hc.half)
            raised = watch.take()
            want = np.array(ufunc(np.float16(x), np.float16(y)), np.float16)
            assert raised == watch.take(), (x, y)
            assert oracle.same(got, bits(want)).all(), (x, y, got, want)
