"""Literals: rounded once from the exact value of the text, however long that is."""

import decimal
import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
import samples
from exhaustive import EXHAUSTIVE, either, shared_out
from oracle import MODES

import halfcl as hc

decimal_exact = decimal.Context(prec=20_000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)


def bits(x):
    return np.asarray(x, hc.half).view(np.uint16)


def check(texts, values):
    """Each text is parsed to its exact value, rounded, in every mode.

    Arrays hold doubles that round as the values do.
    """
    exact = not isinstance(values, np.ndarray)
    results = oracle.round_to_half(values) if exact else oracle.round_doubles(values)
    for mode in MODES:
        want, _ = results[mode]
        with np.errstate(all="ignore"):
            got = bits(hc.parse(np.array(texts, object), rounding=mode))
        wrong = np.flatnonzero(got != want)
        rows = [f"{texts[i][:80]} -> {got[i]:#06x}, not {want[i]:#06x}" for i in wrong[:5]]
        assert not rows, f"{mode}: {len(wrong)} wrong: " + "; ".join(rows)


def boundaries():
    """Return the non-negative halves and the midpoints between them, exact as floats."""
    halves = samples.value(np.arange(0x7C00, dtype=np.uint16))
    return np.concatenate([halves, (halves[1:] + halves[:-1]) / 2, [65520.0, 65536.0]])


def share_of_boundaries():
    """With the least and the greatest halves, and the greatest midpoints."""
    values = boundaries()
    return values if EXHAUSTIVE else np.unique([*values[::5], *values[:9], *values[-9:], 65504])


def beside(x):
    """Doubles between each of these and what is next to it, above and below: those next to it."""
    x = np.repeat(x, 2)
    return np.nextafter(x, np.resize([np.inf, -np.inf], x.size))


# ---------------------------------------------------------------- decimal


@shared_out
def test_every_half_and_midpoint():
    values = share_of_boundaries()
    check([f"{x:.30f}" for x in values.tolist()], values)
    check([f"-{x:.25f}h" for x in values.tolist()], -values)
    check([f"{decimal.Decimal(x):E}H" for x in values[::5].tolist()], values[::5])


@shared_out
@pytest.mark.parametrize("digits", [40, 5000])
def test_next_to_every_half_and_midpoint(digits):
    """10^-40 to either side, and 10^-5000."""
    tip = decimal.Decimal(10) ** -digits
    middle = boundaries()[1 :: either(1, 5) if digits < 1000 else 499]
    exact = [decimal.Decimal(x) for x in middle.tolist()]
    near = [decimal_exact.add(x, t) for x in exact for t in (tip, -tip)]
    check([f"{x:f}" for x in near], beside(middle))
    check([f"{x.copy_negate():E}" for x in near[::7]], -beside(middle)[::7])


@shared_out
def test_shortest_repr_of_every_half(all_halves, mode):
    """Text that NumPy prints reads back in rte; exact decimals in all modes."""
    finite = all_halves[np.isfinite(all_halves)][:: either(1, 5)]
    texts = [str(decimal.Decimal(x)) for x in finite.view(np.float16).astype(float).tolist()]
    np.testing.assert_array_equal(bits(hc.parse(texts, rounding=mode)), finite.view(np.uint16))
    texts = [str(x) for x in finite.view(np.float16)]
    np.testing.assert_array_equal(bits(hc.parse(texts)), finite.view(np.uint16))


@shared_out
def test_random_decimals():
    rng = np.random.default_rng(0)
    texts = []
    for _ in range(either(20_000, 2_000)):
        digits = "".join(map(str, rng.integers(0, 10, rng.integers(1, 40))))
        point = rng.integers(0, len(digits) + 1)
        sign = rng.choice(["", "-", "+"])
        exponent = rng.choice(["", f"e{rng.integers(-30, 8)}", f"E+{rng.integers(0, 5)}"])
        suffix = rng.choice(["", "h", "H"])
        texts.append(f"{sign}{digits[:point]}.{digits[point:]}{exponent}{suffix}")
    values = {text: Fraction(text.rstrip("hH")) for text in texts}
    nonzero = [text for text in texts if values[text]]  # a Fraction has no -0
    check(nonzero, [values[text] for text in nonzero])


ZEROS = "0" * 10_000
#: Text, exact value.
LONG = [
    (f"0.{ZEROS}1e10001", 1),
    (f"1{ZEROS}e-10000", 1),
    (f"1{ZEROS}.e-10000h", 1),
    (f"{ZEROS}1", 1),
    (f"1.{ZEROS}1", 1 + Fraction(1, 10**10_001)),
    (f"0.{'9' * 10_000}", 1 - Fraction(1, 10**10_000)),
    (f"2048.{'9' * 10_000}e0", 2049 - Fraction(1, 10**10_000)),
    (f"65519.{'9' * 10_000}", 65520 - Fraction(1, 10**10_000)),
    (f"65520{ZEROS}1e-10001", 65520 + Fraction(1, 10**10_001)),
    ("1e400", 10**400),
    ("-1e400", -(10**400)),
    ("1e-400", Fraction(1, 10**400)),
    ("-1e-400", -Fraction(1, 10**400)),
    ("1e99999999999999999999999999", 10**400),
    ("1e-99999999999999999999999999", Fraction(1, 10**400)),
    ("-1e2147483648", -(10**400)),
    ("1e-2147483649h", Fraction(1, 10**400)),
    ("1e9223372036854775808", 10**400),
    ("1e-9223372036854775809", Fraction(1, 10**400)),
    ("1e4294967296", 10**400),
    ("1e000000000000000000000000000002", 100),
]


def test_exponents_and_lengths_of_any_size():
    check([text for text, _ in LONG], [value for _, value in LONG])


# ---------------------------------------------------------------- hexadecimal


@shared_out
def test_hexadecimal_halves_and_midpoints():
    values = share_of_boundaries()
    check([float.hex(x) for x in values.tolist()], values)
    check([f"-{float.hex(x)}h" for x in values.tolist()], -values)


@shared_out
@pytest.mark.parametrize("digits", [14, 60, 3000])
def test_next_to_hexadecimal_halves_and_midpoints(digits):
    """16^-digits of the leading digit to the greater side, and to the smaller."""
    texts, middle = [], boundaries()[1 :: either(1, 5) if digits < 1000 else 199]
    for x in middle.tolist():
        fraction, exponent = math.frexp(x)
        leading = int(math.ldexp(fraction, 13)) << 4 * digits  # an integer: x has 13 bits at most
        for integer in (leading + 1, leading - 1):
            texts.append(
                f"0x{integer >> 8:x}.{integer & 0xFF:02x}p{exponent - 13 - 4 * digits + 8}"
            )
    check(texts, beside(middle))


@shared_out
def test_random_hexadecimals():
    rng = np.random.default_rng(1)
    texts, values = [], []
    for _ in range(either(20_000, 2_000)):
        digits = "".join(f"{x:x}" for x in rng.integers(0, 16, rng.integers(1, 40))) + "1"
        point, exponent = int(rng.integers(0, len(digits) + 1)), int(rng.integers(-90, 20))
        form = rng.choice(["0x{}.{}p{}h", "0X{}.{}P{:+}", "0x{}.{}p{}H"])
        texts.append(form.format(digits[:point], digits[point:].upper(), exponent))
        scale = exponent - 4 * (len(digits) - point)
        values.append(int(digits, 16) * Fraction(2) ** scale)
    check(texts, values)


LONG_HEX = [
    (f"0x0.{ZEROS}1p40004", 1),
    (f"0x1{ZEROS}p-40000h", 1),
    (f"0x1.{ZEROS}1p0", 1 + Fraction(1, 16**10_001)),
    (f"0x{'f' * 1000}p-4000", 1 - Fraction(1, 16**1000)),
    ("0x1p99999999999999999999", 10**400),
    ("-0x1p99999999999999999999", -(10**400)),
    ("0x1p-99999999999999999999", Fraction(1, 10**400)),
    ("-0x1p-2147483649", -Fraction(1, 10**400)),
    ("0x1p9223372036854775807", 10**400),
    ("0x.8p-9223372036854775808", Fraction(1, 10**400)),
    ("0xff", 255),
    ("0xff.8", Fraction(511, 2)),
    ("0x.8", Fraction(1, 2)),
]


def test_hexadecimals_of_any_size():
    check([text for text, _ in LONG_HEX], [value for _, value in LONG_HEX])


# ---------------------------------------------------------------- other forms

#: Text, bits in every mode.
EXACT = [
    ("0", 0x0000),
    ("-0", 0x8000),
    ("+0.0", 0x0000),
    ("-0e5", 0x8000),
    (".0h", 0x0000),
    ("0e99999999999999999999", 0x0000),
    ("-0x0p0h", 0x8000),
    ("0x0p99999999999999999999", 0x0000),
    ("1", 0x3C00),
    ("1h", 0x3C00),
    ("1.", 0x3C00),
    ("1.H", 0x3C00),
    (".5", 0x3800),
    ("5e-1h", 0x3800),
    ("  1.5h\n", 0x3E00),
    ("\t-1.5 ", 0xBE00),
    ("inf", 0x7C00),
    ("-INF", 0xFC00),
    ("+Infinity", 0x7C00),
    ("nan", 0x7E00),
    ("NaN", 0x7E00),
]


@pytest.mark.parametrize(("text", "want"), EXACT, ids=[repr(text) for text, _ in EXACT])
def test_exact_literal(text, want, mode):
    for got in (
        hc.parse(text, rounding=mode),
        hc.half(text, rounding=mode),
        hc.parse(np.array([text], object), rounding=mode)[0],
        hc.parse(np.array([text.encode()], object), rounding=mode)[0],
    ):
        assert type(got) is hc.half
        assert oracle.same(bits(got), np.uint16(want)).all()


ILLEGAL = [
    "",
    " ",
    "h",
    "+",
    "-",
    ".",
    ".h",
    "e5",
    ".e5",
    "1e",
    "1e+",
    "1eh",
    "1.5f",
    "1.5hh",
    "1.5 h",
    "1..5",
    "1.5.",
    "--1",
    "+-1",
    "1 2",
    "1,5",
    "1__000",
    "1e5.0",
    "0x",
    "0x.",
    "0xp3",
    "0xg",
    "0x1p",
    "0x1.8h",  # a suffix needs the exponent
    "0x1p0x1",
    "infh",
    "nanh",
    "infinit",
    "in",
    "nan(1)",
    "one",
    "1\0",
    "\0001",
    "\u0661\u066b\u0665",  # of these float takes the digits alone
]


@pytest.mark.parametrize(
    "text, plain",
    [("1_000", "1000"), ("\u0661\uff12.\u0665", "12.5"), ("\u2003-0_1e-\u0661 ", "-1e-1"),
     ("1.00_0488281250000000000000000_1", "1.000488281250000000000000000_1".replace("_", ""))],
)  # fmt: skip
def test_numbers_of_python(text, plain, mode):
    """Underscores and other digits, which float and float16 take, too. No literal has them."""
    want = hc.parse(plain, rounding=mode)
    assert hc.half(text, rounding=mode) == want
    assert float(text) == float(plain)
    with hc.rounding(mode):
        assert np.array([text]).astype(hc.half)[0] == np.array(text, hc.half) == want
    for argument in (text, np.array([text], object)):
        with pytest.raises(ValueError, match="could not convert string to half"):
            hc.parse(argument)
    if text.isascii():
        assert hc.half(text.encode(), rounding=mode) == want


@pytest.mark.parametrize("text", ILLEGAL, ids=ascii)
def test_illegal_literal(text):
    for function in (hc.parse, hc.half):
        with pytest.raises(ValueError) as caught:
            function(text)
        assert repr(text) in str(caught.value)
    with pytest.raises(ValueError):
        hc.parse(np.array(["1", text], object))


def test_region_governs_literals():
    results = oracle.round_to_half([Fraction(1, 10)])
    for mode in MODES:
        want = results[mode][0][0]
        with hc.rounding(mode):
            for got in (
                hc.parse("0.1"),
                hc.half("0.1"),
                hc.half("0.1h"),
                np.array(["0.1"]).astype(hc.half)[0],
                np.array(["0.1"], object).astype(hc.half)[0],
                hc.convert(["0.1"], hc.half)[0],
            ):
                assert bits(got) == want


@pytest.mark.parametrize("dtype", ["U", "S", "T", object])
def test_parse_takes_arrays_of_text(dtype):
    for got in (
        hc.parse(np.array([["1", "2h"], ["0x1p2", "-inf"]], np.dtype(dtype))),
        hc.parse([["1", "2h"], ["0x1p2", "-inf"]]),
    ):
        assert got.dtype == hc.half
        assert got.tolist() == [[1, 2], [4, -np.inf]]
