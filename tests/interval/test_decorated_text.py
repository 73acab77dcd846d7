"""Tests of decorated intervals from text and bounds, their text, NaI, and bad input."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from interval_bounds import same_intervals

import halfcl as hc
from halfcl import interval
from halfcl.interval import (
    DecoratedInterval,
    Interval,
    UndefinedOperationWarning,
    nai,
)

pytestmark = pytest.mark.once


def same(x, y):
    """Return whether intervals and decorations are equal, and NaI is in the same places."""
    decorated = type(x) is type(y) is DecoratedInterval and x.shape == y.shape
    return decorated and np.array_equal(interval.to_text(x), interval.to_text(y))


# ---------------------------------------------------------------- text

LITERALS = {
    "[1, 2]": "[1, 2]_com",
    "[1,2]_com": "[1, 2]_com",
    " [1,2]_DaC ": "[1, 2]_dac",
    "[1, 2]_def": "[1, 2]_def",
    "[1,2]_trv": "[1, 2]_trv",
    "3": "[3, 3]_com",
    "3_def": "[3, 3]_def",
    "1.5?5_com": "[1, 2]_com",
    "1.5?5": "[1, 2]_com",
    "1.5?5u_dac": "[1.5, 2]_dac",
    "1.5??": "[entire]_dac",
    "1.5??u_def": "[1.5, inf]_def",
    "[1e6]_com": "[65504, inf]_dac",
    "[0, 1e6]": "[0, inf]_dac",
    "1?9e9_com": "[entire]_dac",
    "[1, ]_trv": "[1, inf]_trv",
    "[,]": "[entire]_dac",
    "[entire]_dac": "[entire]_dac",
    "[ENTIRE]_def": "[entire]_def",
    "[empty]": "[empty]_trv",
    "[]_trv": "[empty]_trv",
    "[nai]": "[nai]",
    " [ NaI ] ": "[nai]",
}

INVALID = [
    ("[2, 1]", "the lower bound is above the upper"),
    ("[2, 1]_com", "the lower bound is above the upper"),
    ("[1, 2]_ill", "'ill' is not a decoration"),
    ("[1, 2]_foo", "'foo' is not a decoration"),
    ("[1, 2]_co", "'co' is not a decoration"),
    ("[1, 2]_", "'' is not a decoration"),
    ("[1, 2] _com", "is not closed"),
    ("[1, 2]__com", "is not closed"),
    ("_com", "is not a number"),
    ("[empty]_com", "the decoration of the empty set is trv"),
    ("[ ]_dac", "the decoration of the empty set is trv"),
    ("[empty]_ill", "'ill' is not a decoration"),
    ("[,]_com", "only bounded intervals can have"),
    ("[1, inf]_com", "only bounded intervals can have"),
    ("1.5??d_com", "only bounded intervals can have"),
    ("[nai]_ill", "is not a number"),
    ("[nai]_trv", "is not a number"),
    ("inf", "it contains no number"),
    ("one", "is not a number"),
    ("", "is not a number"),
    ("[1,2]_\u212aom", "is not closed"),
    ("x" * 500, r"\.\.\."),
]


@pytest.mark.parametrize("text", LITERALS)
def test_literals(text):
    x = DecoratedInterval(text)
    assert interval.to_text(x) == str(x) == LITERALS[text] and x.shape == ()
    assert same(DecoratedInterval([text])[0], x)


@pytest.mark.parametrize(("text", "why"), INVALID)
def test_invalid_literals(text, why):
    """Invalid text gives NaI and a warning, or an error if warnings are errors."""
    with pytest.warns(UndefinedOperationWarning, match=why) as caught:
        x = DecoratedInterval(text)
    assert interval.is_nai(x) and interval.is_empty(x) == False and len(caught) == 1  # noqa: E712
    assert caught[0].filename == __file__
    with pytest.raises(UndefinedOperationWarning, match=why):  # pytest makes it one
        DecoratedInterval(["[1, 2]", text])


@pytest.mark.parametrize("text", ["[1, 2]_com", "[empty]_trv", "1.5?_dac", "[nai]"])
def test_bare_intervals_have_no_decoration(text):
    for read in (Interval, interval.from_values):
        with pytest.raises(ValueError, match="it has a decoration; use DecoratedInterval"):
            read(text)


def every_kind():
    bounds = [(-np.inf, np.inf), (1, np.inf), (-(2.0**-24), 60000), (0.1, 0.2), (np.nan, np.nan)]
    low, high = (np.array(v, np.float16).view(hc.half) for v in zip(*bounds, strict=True))
    bare = Interval.of((low, high))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedOperationWarning)
        rows = [interval.set_dec(bare, d) for d in ("com", "dac", "def", "trv", "ill")]
    return np.stack(rows)


def test_exact_text():
    """Exact text parses to the same intervals; fewer digits enclose them."""
    x = every_kind()
    again = DecoratedInterval(interval.to_text(x))
    assert np.array_equal(again.decoration, x.decoration)
    assert same_intervals(again._bare, x._bare) and same(again, x)
    short = interval.to_text(x, digits=2)
    for one, text in zip(x.ravel(), short.ravel(), strict=True):
        read = DecoratedInterval(str(text))
        assert interval.is_nai(one) or interval.subset(one, read)
        assert read.decoration == one.decoration
    assert x.decoration[:, 4].tolist() == ["trv"] * 4 + ["ill"]
    assert x.decoration[:, 0].tolist() == ["dac", "dac", "def", "trv", "ill"]


@pytest.mark.parametrize(
    ("x", "shown"),
    [
        (nai, "DecoratedInterval('[nai]')"),
        (DecoratedInterval(["[1, 2]", "[nai]"]), "DecoratedInterval(['[1, 2]_com', '[nai]'])"),
        (DecoratedInterval([]), "DecoratedInterval([], shape=(0,))"),
        (DecoratedInterval("0.1_def"), "DecoratedInterval('[0.099975, 0.10004]_def')"),
    ],
)
def test_repr(x, shown):
    assert repr(x) == np.array_repr(x) == shown and str(x) == np.array_str(x)


def test_long_arrays_are_short():
    x = DecoratedInterval(np.zeros((300, 300), hc.half))
    assert len(repr(x)) < 2000 and "..." in repr(x)


# ---------------------------------------------------------------- the constructor


def test_from_bounds():
    for one in (np.float16(1), hc.half(1), 1, True, Fraction(1), Decimal(1), "1", np.int8(1)):
        assert str(DecoratedInterval(one, 2)) == "[1, 2]_com"
    x = DecoratedInterval(
        np.array([1, 2], np.int8), np.array([[3], [4]], ">f2"), [["dac"], ["def"]]
    )
    assert x.shape == (2, 2) and x.sup.tolist() == [[3, 3], [4, 4]]
    assert x.decoration.tolist() == [["dac"] * 2, ["def"] * 2]
    assert str(DecoratedInterval(0.1, 1e6)) == "[0.099975, inf]_dac"
    assert same(DecoratedInterval(Interval(1, 2)), DecoratedInterval("[1, 2]"))
    assert same(DecoratedInterval(DecoratedInterval("[1, 2]_def")), DecoratedInterval("[1, 2]_def"))


@pytest.mark.parametrize(
    "decoration",
    ["def", "DEF", 8, np.uint8(8), np.str_("def"), ["def", "def"], np.array([8, 8]),
     np.array(["def"], "T")],
)  # fmt: skip
def test_decoration_argument(decoration):
    for x in (DecoratedInterval([1, 2], decoration=decoration),
              interval.set_dec(Interval([1, 2]), decoration)):  # fmt: skip
        assert x.decoration.tolist() == ["def", "def"]


def test_decorations_broadcast():
    x = DecoratedInterval([1, 2], decoration=[["com"], ["def"]])
    assert x.shape == (2, 2) and x.decoration.tolist() == [["com"] * 2, ["def"] * 2]
    assert DecoratedInterval([], decoration=[]).shape == (0,)


def test_invalid_decorations_are_weakened():
    x = Interval(["[1, 2]", "[1, inf]", "[empty]"])
    assert interval.new_dec(x).decoration.tolist() == ["com", "dac", "trv"]
    assert interval.set_dec(x, "com").decoration.tolist() == ["com", "dac", "trv"]
    assert interval.set_dec(x, "def").decoration.tolist() == ["def", "def", "trv"]
    with pytest.warns(UndefinedOperationWarning, match="3 of 3.*the decoration is ill"):
        assert interval.set_dec(x, "ill").decoration.tolist() == ["ill"] * 3
    weak = interval.set_dec(x, "trv")
    assert interval.set_dec(weak, "dac").decoration.tolist() == ["dac", "dac", "trv"]
    assert interval.is_nai(interval.set_dec(nai, "com"))
    assert interval.decoration_part(weak).tolist() == ["trv"] * 3
    assert interval.decoration_part(nai) == "ill" and type(nai.decoration) is str


@pytest.mark.parametrize(
    ("arguments", "ill", "words"),
    [
        ((2, 1), True, "lo: expected at most hi, got lo=2.0 and hi=1.0"),
        (([1, 5, 2], [2, 4, 1]), [False, True, True], r"2 of 3, the first at index \(1,\)"),
        ((np.nan, 1), True, "NaN"),
        ((np.inf,), True, "less than inf"),
        ((-np.inf, -np.inf), True, "more than -inf"),
        ((["1", "one"], 3), [False, True], "expected a number"),
        (("[1, 2]", 3), True, "expected a number"),
        ((0.2, 0.19999999), True, "at most hi"),
        ((np.array([1, np.nan, np.inf], ">f2"),), [False, True, True], "lo=nan and hi=nan"),
        ((np.float16([1, 3, -np.inf]), np.array([2, 2, -np.inf], hc.half)), [False, True, True],
         "lo=3.0 and hi=2.0"),
    ],
)  # fmt: skip
def test_bad_elements_become_nai(arguments, ill, words):
    with pytest.warns(UndefinedOperationWarning, match=words) as caught:
        x = DecoratedInterval(*arguments)
    assert interval.is_nai(x).tolist() == ill and len(caught) == 1
    assert np.array_equal(np.isnan(x.inf), ill)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((np.array([0.5]),), TypeError, "expected half, got float64; use interval.from_values"),
        ((1, np.array([2])), TypeError, "hi: expected half, got int64"),
        ((1j,), TypeError, "expected numbers or text, got complex"),
        ((None,), TypeError, "got NoneType"),
        ((Interval(1, 2), 3), TypeError, "lo, hi: expected numbers, got Interval"),
        ((nai, 3), TypeError, "lo, hi: expected numbers, got DecoratedInterval"),
        ((3, nai), TypeError, "lo, hi: expected numbers, got DecoratedInterval"),
        (([nai, nai],), TypeError, "numpy.stack to join decorated intervals"),
        (([[1, 2], [3]],), TypeError, "lists of one length"),
        (([1, 2], [1, 2, 3]), ValueError, "lo, hi: expected shapes that broadcast"),
        (([5, 2], [1, 2, 3]), ValueError, "lo, hi: expected shapes that broadcast"),
        ((np.ones(2, hc.half), np.ones(3, hc.half)), ValueError, "expected shapes that broadcast"),
        ((1, 2, "foo"), ValueError, "decoration: expected one of 'com' .16., .* got 'foo'"),
        ((1, 2, 5), ValueError, "decoration: expected one of .* got 5"),
        ((1, 2, 16.0), TypeError, "decoration: expected text such as 'dac', got float64"),
        ((1, 2, b"com"), TypeError, "decoration: expected text"),
        ((1, 2, np.array("com", object)), TypeError, "decoration: expected text"),
        ((1, 2, object()), TypeError, "decoration: expected text such as 'dac', got object"),
        (([1, 2, 3], None, ["com", "def"]), ValueError, r"decoration: .* got \(2,\) for .* \(3,\)"),
    ],
)
def test_bad_input(arguments, error, words):
    with pytest.raises(error, match=words):
        DecoratedInterval(*arguments)


@pytest.mark.parametrize("decoration", (None, 1.5, "COMMON", 5))
def test_set_dec_refuses_other_values(decoration):
    with pytest.raises((TypeError, ValueError), match=r"^decoration: expected"):
        interval.set_dec(Interval(1, 2), decoration)
