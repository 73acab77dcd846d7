"""Tests of hc.show and halfcl._anatomy: what is said of a number, against Fractions and MPFR."""

import re
import sys
import types
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from hypothesis import given, strategies as st

import halfcl as hc
from halfcl._anatomy import Anatomy, anatomy, decimal_text
from halfcl._command import main

MPFR_MODES = {
    "rte": gmpy2.RoundToNearest, "rtz": gmpy2.RoundToZero, "rtp": gmpy2.RoundUp,
    "rtn": gmpy2.RoundDown,
}  # fmt: skip

numbers = st.one_of(
    st.floats(allow_nan=False),
    st.floats(-7e4, 7e4),
    st.integers(-70000, 70000),
    st.fractions(-70000, 70000),
    st.decimals(-70000, 70000, allow_nan=False),
    st.builds(lambda k, n: Fraction(k, 2 ** (n + 24)), st.integers(-4096, 4096), st.integers(0, 4)),
)


def by_mpfr(number: Fraction, mode: str) -> float:
    with gmpy2.context(gmpy2.ieee(16), round=MPFR_MODES[mode]):
        return float(gmpy2.mpfr(gmpy2.mpq(number)))


@given(numbers)
def test_modes_and_distances(number):
    parts = anatomy(number)
    if parts.exact is None:
        assert number in (np.inf, -np.inf)
        return
    exact = Fraction(number)
    for mode, rounded in parts.rounded.items():
        assert float(rounded) == by_mpfr(exact, mode)
    assert parts.is_exact == (by_mpfr(exact, "rtn") == by_mpfr(exact, "rtp"))
    if parts.kind == "infinity":
        assert "beyond the largest half" in repr(parts)
        return
    error = Fraction(float(parts.nearest)) - exact
    distance = Fraction(parts.distance(parts.nearest))
    assert abs(distance - error) <= abs(error) / 10**30
    if not parts.is_exact:
        off, ulps = re.search(r"off by (\S+), (\S+) ulp", repr(parts)).groups()
        assert abs(Fraction(off) - error) <= abs(error) / 100
        assert (
            abs(Fraction(ulps) * Fraction(2) ** parts.ulp_exponent - abs(error)) <= abs(error) / 10
        )


def test_halves():
    halves = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    with np.errstate(all="ignore"):
        above = np.nextafter(halves, hc.half(np.inf))
    for bits in range(0, 1 << 16, 7):
        x = halves[bits]
        parts = anatomy(x)
        assert int("".join(parts.fields), 2) == parts.bits == bits
        assert parts.is_exact
        if np.isnan(x):
            assert parts.kind == "NaN"
            assert f"payload {bits & 0x1FF:#x}" in repr(parts)
            continue
        assert parts.neighbours[1] == above[bits]
        assert float(decimal_text(x)) == float(x)
        if np.isfinite(x):
            assert Fraction(decimal_text(x)) == Fraction(float(x))
            smallest = 2.0**-14
            kind = "zero" if x == 0 else "subnormal" if abs(x) < smallest else "normal"
            assert parts.kind == kind
            assert np.float64(2.0**parts.ulp_exponent) == np.spacing(abs(np.float16(x)))


@pytest.mark.parametrize(
    "text", ["0.1", "1e-7", "0x1.8p-3", "-0x.0008p4h", "1_000.5", "2.5e-3H", "+3"]
)
def test_text_is_exact(text):
    parts = anatomy(text)
    literal = text.rstrip("hH")
    exact = Fraction(float.fromhex(literal)) if "x" in text else Fraction(literal)
    assert Fraction(parts.exact) == exact
    assert parts.text == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2**-25", Fraction(1, 2**25)), ("-3**2", Fraction(-9)), ("10 ** -8", Fraction(1, 10**8)),
        ("1/3", Fraction(1, 3)), ("-22 / 7", Fraction(-22, 7)),
        ("0x2e66 bits", Fraction(float(hc.half(0.1)))), ("0X8001 BITS", Fraction(-1, 2**24)),
    ],
)  # fmt: skip
def test_text_of_a_formula(text, number):
    parts, same = anatomy(text), anatomy(number)
    assert parts.text == text
    assert (parts.exact, parts.rounded) == (same.exact, same.rounded)


BEYOND = [
    10**6000,
    "1e99999999999999999999",
    "-1e-99999999999999999999",
    "1e-400",
    2**-25,
    "0x1p99999999999999999999",
    "-0x1p-99999999999999999999",
]


@pytest.mark.parametrize("index", range(len(BEYOND)))  # pytest cannot print the first one
def test_numbers_beyond_everything(index):
    assert repr(anatomy(BEYOND[index])).count("\n") == 3


@pytest.mark.parametrize(
    "value",
    [
        [1],
        1j,
        np.complex64(1),
        np.timedelta64(1, "s"),
        np.datetime64(1, "s"),
        None,
        np.arange(3),
        object(),
    ],
)
def test_refuses_what_is_no_number(value):
    with pytest.raises(TypeError, match=r"^value: expected a real number, or the text of one, got"):
        hc.show(value)


@pytest.mark.parametrize("value", [np.ma.masked, np.ma.array(1, mask=True)])
def test_refuses_masked_numbers(value):
    with pytest.raises(TypeError, match=r"value: expected a real number, .* got masked"):
        hc.show(value)


def test_integers_of_other_classes(capsys):
    class Seven:
        def __index__(self):
            return 7

        def __str__(self):
            return "seven"

    hc.show(Seven())
    assert "seven as a half: 7 = 0x1.c00p+2" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text", ["x", "0**-1", "1/0", "2**99999", "0x12345 bits", "1/" + "9" * 5000]
)
def test_refuses_text_of_no_number(text):
    with pytest.raises(
        ValueError, match=r"^could not convert string to half: .*; expected a decimal"
    ):
        hc.show(text)


@pytest.mark.parametrize("number", [0.1, -2.5, 3])
def test_scalars_of_other_libraries(number, capsys):
    """Tensors without axes, which know their number; their own text is longer."""

    class Tensor:
        ndim, shape = 0, ()

        def item(self):
            return number

        def __float__(self):
            raise TypeError("Got unsupported ScalarType BFloat16")

    hc.show(number)
    expected = capsys.readouterr().out
    hc.show(Tensor())
    assert capsys.readouterr().out == expected


def test_halves_are_named_without_exponents_where_numpy_writes_one_for_short_numbers():
    halves = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
    for x in halves[np.isfinite(halves) & (abs(halves) >= 1)][::7]:
        text = anatomy(x).text
        assert "e" not in text
        assert hc.half(text) == x


def test_table_of_notebooks(monkeypatch, capsys):
    html = hc.half("0.1")._repr_html_()
    assert "0.0999755859375 = 0x1.998p-4" in html
    shown = []
    shell = types.SimpleNamespace(get_ipython=lambda: object())
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=shown.append))
    hc.show(0.1)
    assert [type(x) for x in shown] == [Anatomy]
    assert not capsys.readouterr().out


def test_colours_are_the_bits_alone():
    parts = anatomy(Decimal("-0.3"))
    plain = [re.sub("\x1b\\[\\d+m", "", line) for line in parts.lines(in_colour=True)]
    assert plain == parts.lines()
    assert parts.lines(in_colour=True)[0].count("\x1b[0m") == 3


def test_command(capsys):
    numbers = ["0.1", "-1e-7", "-0x1.8p-3", "-inf", "-.5h", "NaN"]
    assert main(["show", *numbers]) == 0
    shown = capsys.readouterr().out
    assert shown == "\n\n".join(repr(anatomy(x)) for x in numbers) + "\n"
    page = Path(__file__).parents[1] / "docs" / "reference" / "command.md"
    assert not page.exists() or repr(anatomy(0.1)) in page.read_text(encoding="utf-8")


def test_command_refuses_other_text(capsys):
    assert main(["show", "0.1", "a tenth"]) == 2
    assert not capsys.readouterr().out
