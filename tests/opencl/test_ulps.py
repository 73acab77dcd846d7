"""Errors counted in ulps: ulp_error, ulps_between, allowed_ulp, half.hex and half.fromhex."""

import math
from decimal import Decimal
from fractions import Fraction

import gmpy2
import numpy as np
import oracle
import pytest
import samples
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import half

# see pyproject markers
pytestmark = pytest.mark.once

ALL = np.arange(1 << 16, dtype=np.uint16)
FINITE = ALL[ALL & 0x7FFF < oracle.INF]
INF, NAN = half("inf"), half("nan")


def fractions(bits):
    return [Fraction(float(x)) for x in bits.view(np.float16)]


def unit(exact):
    """Half's ulp at a number, by counting up the powers of two."""
    power = Fraction(1, 2**14)
    while power * 2 <= abs(exact) and power < 2**15:
        power *= 2
    return power / 1024


def reference(got, exact):
    """Return the error of finite numbers, by its definition."""
    return float((got - exact) / unit(exact))


def sample(rng, n):
    """Results, and numbers near and far from them."""
    got = rng.choice(FINITE, n)
    near = fractions(got)
    exact = [
        x + Fraction(int(e), 2 ** int(k))
        for x, e, k in zip(near, rng.integers(-(2**40), 2**40, n), rng.integers(20, 70, n),
                           strict=True)
    ]  # fmt: skip
    return got, near, exact


# ---------------------------------------------------------------- ulp_error


def test_of_fractions():
    """Exact, and rounded once: the reference is a Fraction turned into a float."""
    got, values, exact = sample(np.random.default_rng(1), 3000)
    errors = hc.ulp_error(got.view(half), exact)
    assert errors.dtype == np.float64
    want = [reference(g, x) for g, x in zip(values, exact, strict=True)]
    np.testing.assert_array_equal(errors, want)
    np.testing.assert_array_equal(hc.ulp_error(got.view(np.float16), np.array(exact, object)), want)


def test_of_doubles():
    """The difference of doubles is rounded once, as a Fraction's is."""
    got, values, exact = sample(np.random.default_rng(2), 3000)
    doubles = np.array([float(x) for x in exact])
    want = [reference(g, Fraction(x)) for g, x in zip(values, doubles.tolist(), strict=True)]
    np.testing.assert_array_equal(hc.ulp_error(got.view(half), doubles), want)
    np.testing.assert_array_equal(hc.ulp_error(got.view(half), doubles.astype(object)), want)


def test_exact_values_of_mpfr():
    """Values with more bits than a double lie on a side of a midpoint that float64 cannot see."""
    with gmpy2.context(precision=200):
        midpoint = gmpy2.mpfr(1) + gmpy2.mpfr(2) ** -11
        above = gmpy2.mpfr(1) + gmpy2.mpfr(2) ** -11 + gmpy2.mpfr(2) ** -70
        third = gmpy2.mpfr(1) / 3
    assert hc.ulp_error(half(1), midpoint) == -0.5
    got = hc.ulp_error(half(1), above)
    assert got == float((1 - Fraction(*map(int, above.as_integer_ratio()))) * 1024)
    assert hc.ulp_error(half(1) / 3, third) == hc.ulp_error(half(1) / 3, Fraction(1, 3))
    column = np.array([third, midpoint], object)
    np.testing.assert_array_equal(
        hc.ulp_error(half([1, 1]), column), [hc.ulp_error(half(1), x) for x in column]
    )


@pytest.mark.parametrize(
    "exact",
    [2, 2.0, np.float32(2), np.int64(2), np.longdouble(2), half(2), np.float16(2), True + True,
     Decimal(2), Fraction(2), gmpy2.mpfr(2), gmpy2.mpz(2), gmpy2.mpq(2)],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_types_of_exact(exact):
    assert hc.ulp_error(hc.nextup(half(2)), exact) == 1
    assert hc.ulp_error(hc.nextdown(half(2)), exact) == -0.5
    assert hc.ulp_error(half(2), exact) == 0
    np.testing.assert_array_equal(hc.ulp_error(half([2, 1]), [exact, exact]), [0, -512])


@shared_out
def test_right_results_are_within_the_bounds():
    """Errors of correctly rounded functions are at most half an ulp, or below one if directed."""
    halves = ALL.view(half)
    x = halves[(halves > 2**-14) & (halves < 11)][:: either(1, 5)]
    exact = [gmpy2.exp(gmpy2.mpfr(float(v))) for v in x]
    for mode in hc.MODES:
        errors = hc.ulp_error(hc.exp(x, rounding=mode), exact)
        assert np.abs(errors).max() <= 0.5 if mode == "rte" else np.abs(errors).max() < 1
        if mode == "rtp":
            assert errors.min() >= 0
        elif mode != "rte":
            assert errors.max() <= 0


#: got, exact, error: the rules for what is no finite number, and at half's ends.
RULES = [
    (NAN, math.nan, 0.0), (NAN, 1.0, math.nan), (half(1), math.nan, math.nan),
    (NAN, math.inf, math.nan), (INF, math.inf, 0.0), (-INF, -math.inf, 0.0),
    (INF, -math.inf, math.inf), (half(1), math.inf, -math.inf), (half(1), -math.inf, math.inf),
    (INF, 65520.0, 0.5), (INF, 65519.0, 17 / 32), (INF, 65536.0, 0.0), (INF, 1e300, 0.0),
    (-INF, -1e300, 0.0), (INF, -65504.0, 4095.0), (half(65504), 1e6, -29203.0),
    (INF, 1.0, 67107840.0),
    (half(0.0), -0.0, 0.0), (half(-0.0), 0.0, 0.0), (half(-0.0), 2.0**-25, -0.5),
    (half(2**-24), 0.0, 1.0), (half(0.0), -(2.0**-40), 2.0**-16),
]  # fmt: skip


@pytest.mark.parametrize(("got", "exact", "error"), RULES)
def test_rules(got, exact, error):
    """By the way of doubles and by that of exact numbers: the same, and no zero is negative."""
    for number in (exact, np.array(exact, object), gmpy2.mpfr(exact), np.longdouble(exact)):
        error = hc.ulp_error(got, number)
        assert error == error or (math.isnan(error) and math.isnan(error))
        assert error != 0 or not np.signbit(error)


def test_numbers_beyond_doubles():
    huge = Fraction(10) ** 400
    for exact in (huge, 10**400, gmpy2.mpfr("1e400000"), Decimal("1e400")):
        assert hc.ulp_error(INF, exact) == 0
        assert hc.ulp_error(half(65504), exact) == -math.inf
        assert hc.ulp_error(-INF, exact) == -math.inf
    for exact in (1 / huge, gmpy2.mpfr("1e-400000"), Decimal("1e-400")):
        for sign in (1, -1):
            assert hc.ulp_error(half(0), sign * exact) == 0
            assert not np.signbit(hc.ulp_error(half(0), sign * exact))
        assert hc.ulp_error(half(1), exact) == 2.0**24


def test_shapes():
    got = half([[1], [2], [3]])
    errors = hc.ulp_error(got, np.arange(1, 5))
    assert errors.shape == (3, 4) and errors[0, 0] == 0
    np.testing.assert_array_equal(errors, hc.ulp_error(got, np.arange(1, 5).astype(object)))
    assert type(hc.ulp_error(half(1), 1)) is np.float64
    assert hc.ulp_error(np.empty((0, 2), half), np.empty(2)).shape == (0, 2)
    swapped = got.astype(np.dtype(half).newbyteorder())
    np.testing.assert_array_equal(hc.ulp_error(swapped, np.arange(1, 5, dtype=">f8")), errors)
    np.testing.assert_array_equal(hc.ulp_error(hc.half2(1, 2), [1, 1]), [0, 1024])
    with pytest.raises(ValueError, match="broadcast"):
        hc.ulp_error(half([1, 2]), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("got", [1.0, 1, np.ones(2), np.float32(1), "1", None, True])
def test_wrong_results(got):
    with pytest.raises(TypeError, match=r"ulp_error: argument got: expected half or float16, got "):
        hc.ulp_error(got, 1)
    with pytest.raises(TypeError, match=r"ulps_between: argument b: expected half or float16"):
        hc.ulps_between(half(1), got)


@pytest.mark.parametrize("exact", ["1", None, 1j, [half(1), "x"], object(), gmpy2.mpc(1), ["1"]])
def test_wrong_numbers(exact):
    with pytest.raises(TypeError, match="ulp_error: argument exact: expected real numbers, got "):
        hc.ulp_error(half(1), exact)


# ---------------------------------------------------------------- ulps_between


def test_distance_is_that_of_sorted_halves():
    """The distance of neighbours and random pairs is that of their positions in sorted order."""
    numbers = ALL[~oracle.is_nan(ALL)].view(np.float16)
    order, place = np.unique(numbers.astype(float), return_inverse=True)
    assert order.size == 2 * 0x7C00 + 1
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, numbers.size, (2, 100_000))
    got = hc.ulps_between(numbers[a].view(half), numbers[b])
    assert got.dtype == np.int32
    np.testing.assert_array_equal(got, np.abs(place[a] - place[b]))


def test_special_distances():
    assert hc.ulps_between(half(0.0), half(-0.0)) == 0
    assert hc.ulps_between(INF, half(65504)) == 1
    assert hc.ulps_between(INF, -INF) == 2 * 0x7C00
    assert hc.ulps_between(NAN, -NAN) == 0
    assert hc.ulps_between(NAN, INF) == hc.ulps_between(half(1), NAN) == 2**31 - 1
    assert type(hc.ulps_between(half(1), half(2))) is np.int32
    swapped = half([1, 2]).astype(np.dtype(half).newbyteorder())
    np.testing.assert_array_equal(
        hc.ulps_between(swapped, half([[1], [2]])), [[0, 1024], [1024, 0]]
    )


def test_neighbours_are_one_apart():
    x = ALL[~oracle.is_nan(ALL)].view(half)
    up, down = hc.nextup(x), hc.nextdown(x)
    np.testing.assert_array_equal(hc.ulps_between(x, up), np.where(x == INF, 0, 1))
    np.testing.assert_array_equal(hc.ulps_between(down, x), np.where(x == -INF, 0, 1))
    assert (up[x < INF] > x[x < INF]).all() and (down[x > -INF] < x[x > -INF]).all()
    np.testing.assert_array_equal(hc.nextup(x), -hc.nextdown(-x))


def test_neighbours_accept_the_arguments_of_ufuncs():
    x = half([1, 2, 3, 4])
    out = np.zeros(4, half)
    assert hc.nextup(x, out=out, where=[True, False, True, False]) is out
    assert out.tolist() == [1 + 2**-10, 0, 3 + 2**-9, 0]
    assert hc.nextdown(x[::-2].view(np.float16)).dtype == np.float16
    assert hc.ulp(x.reshape(2, 2)[:, ::-1]).tolist() == [[2**-9, 2**-10], [2**-8, 2**-9]]
    with oracle.Watch() as watch:
        (
            hc.nextup(half([65504, np.inf, 0])),
            hc.nextdown(half(-65504)),
            hc.ulp(half([np.inf, 65504])),
        )
        assert watch.take() == 0


# ---------------------------------------------------------------- allowed_ulp

#: cl_khr_fp16, Relative Error as ULPs: the full and the embedded profile's.
ALLOWED = {
    (0.5, 0.5): "add subtract multiply ceil fdim floor fma fract ldexp rint round trunc",
    (0.5, 1): "divide sqrt",
    (0, 0): "clamp copysign fabs fmax fmin fmod frexp ilogb logb max maxmag min minmag modf nan "
    "nextafter remainder remquo sign step isequal isnan negative",
    (1, 1): "rsqrt",
    (2, 2): "cbrt cos cospi degrees radians sin sincos sinpi",
    (2, 3): "acos acosh acospi asin asinh asinpi atan atanh atanpi atan2 atan2pi cosh exp exp2 "
    "exp10 expm1 hypot log log2 log10 log1p sinh tan tanh tanpi",
    (4, 4): "erf erfc tgamma",
    (4, 5): "pow pown powr rootn",
    (math.inf, math.inf): "mad mix smoothstep lgamma lgamma_r compoundn nextup ulp",
}


@pytest.mark.parametrize(
    ("name", "limits"),
    [(name, limits) for limits, names in ALLOWED.items() for name in names.split()],
)
def test_allowed(name, limits):
    assert (hc.allowed_ulp(name), hc.allowed_ulp(name, profile="embedded")) == limits
    assert type(hc.allowed_ulp(name)) is float


def test_allowed_of_vectors():
    assert hc.allowed_ulp("distance", components=3) == 6
    assert hc.allowed_ulp("length", components=2) == 1.25
    assert hc.allowed_ulp("normalize", components=4) == 5
    for name in ("distance", "length", "normalize", "dot", "cross"):
        assert hc.allowed_ulp(name, "embedded") == math.inf
        with pytest.raises(ValueError, match=f"components.*{name}|{name}.*absolute error"):
            hc.allowed_ulp(name)
    with pytest.raises(ValueError, match="components"):
        hc.allowed_ulp("length", components=0)


@pytest.mark.parametrize("name", ["", "EXP", "maximum", "vecdot", "exp_rtp", None, 3, ["exp"]])
def test_unknown_names(name):
    with pytest.raises(ValueError, match="name: expected one of halfcl's functions"):
        hc.allowed_ulp(name)


def test_unknown_profile():
    with pytest.raises(ValueError, match="profile: expected 'full' or 'embedded', got 'fast'"):
        hc.allowed_ulp("exp", profile="fast")


# ---------------------------------------------------------------- hexadecimal, modes


def test_modes():
    assert hc.MODES == ("rte", "rtz", "rtp", "rtn") and "MODES" in hc.__all__


@shared_out
def test_hex_of_all_halves():
    """The text equals float.hex where that has three digits, and reads back to the same bits."""
    for bits in [*ALL[:: either(1, 15)], *samples.SPECIAL]:
        x = bits.view(half)
        text = x.hex()
        if np.isfinite(x):
            assert float.fromhex(text) == float(x) and np.signbit(half(text)) == np.signbit(x)
            if bits & 0x7C00:
                assert text == float(x).hex().replace("0000000000p", "p")
        else:
            assert text == float(x).hex()
        back = half.fromhex(text)
        assert type(back) is half
        assert back.view(np.uint16) == bits or (np.isnan(back) and np.isnan(x))


@pytest.mark.parametrize(
    "text",
    ["10", "1.8", ".8p1", "0x.8", "-0X1.8P+1", "+1p-24", " 0x1p0\n", "Infinity", "-inf", "nan",
     "-0x0p0", "ff.8p-4", "1e3", "0x1.ffdp15", "7ff0"],
)  # fmt: skip
def test_fromhex_reads_the_same_text_as_float(text):
    want, got = float.fromhex(text), half.fromhex(text)
    assert got == want or (math.isnan(got) and math.isnan(want))
    assert math.isnan(want) or math.copysign(1, got) == math.copysign(1, want)


def test_fromhex_rounds_once(mode):
    """Also beside a midpoint, by a digit that a double has no room for."""
    for tail in ("8", "8" + "0" * 40 + "1", "7" + "f" * 40, "0" * 40 + "1"):
        text = "1.00" + "0" + tail
        exact = Fraction(int("1000" + tail, 16), 16 ** (3 + len(tail)))
        want = oracle.round_to_half([exact, -exact])[mode][0]
        assert half.fromhex(text, rounding=mode).view(np.uint16) == want[0]
        with hc.rounding(mode):
            assert half.fromhex("-" + text).view(np.uint16) == want[1]
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        half.fromhex("0x1p16", rounding=mode)


@pytest.mark.parametrize(
    "text", ["", "0x", "g", "1p", "0x1.8h", "1 2", "--1", "0x1p1.5", "1_0", "."]
)
def test_no_hexadecimal(text):
    with pytest.raises(ValueError, match=r"half\.fromhex: argument text: expected a hexadecimal"):
        half.fromhex(text)


def test_fromhex_of_no_text():
    with pytest.raises(TypeError, match=r"half\.fromhex: argument text: expected str, got bytes"):
        half.fromhex(b"1")
    with pytest.raises(ValueError, match="rounding"):
        half.fromhex("1", rounding="up")


def test_subclasses():
    class Own(half):
        pass

    assert type(Own.fromhex("1.8")) is Own and Own(1.5).hex() == "0x1.800p+0"
