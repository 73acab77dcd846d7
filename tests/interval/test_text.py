"""Tests of intervals from values and text, rounded outward once, and of their text."""

from decimal import Decimal
from fractions import Fraction as Q

import interval_oracle as oracle
import numpy as np
import pytest
from exhaustive import one_in

import halfcl as hc
from halfcl import interval
from halfcl.interval import Interval, from_values, to_text

INF = np.inf

LITERALS = {
    "[1.25, 1.5]": (Q(5, 4), Q(3, 2)),
    "[1/3, 2/3]": (Q(1, 3), Q(2, 3)),
    " [ -1/3 , +.5e0 ] ": (Q(-1, 3), Q(1, 2)),
    "[0.1]": (Q(1, 10), Q(1, 10)),
    "0.1": (Q(1, 10), Q(1, 10)),
    "1e-400": (Q(1, 10**400), Q(1, 10**400)),
    "[-1e400, 1E400]": (Q(-(10**400)), Q(10**400)),
    "[entire]": (-INF, INF),
    "[ENTIRE]": (-INF, INF),
    "[,]": (-INF, INF),
    "[,3]": (-INF, Q(3)),
    "[3,]": (Q(3), INF),
    "[-inf, 3]": (-INF, Q(3)),
    "[3, +Infinity]": (Q(3), INF),
    "[0x1.8p-1, 0x.Fp4]": (Q(3, 4), Q(15)),
    "1.5?2": (Q(13, 10), Q(17, 10)),
    "1.5?": (Q(145, 100), Q(155, 100)),
    "-1.5?2u": (Q(-3, 2), Q(-13, 10)),
    "1.50?2d": (Q(148, 100), Q(3, 2)),
    "10?": (Q(19, 2), Q(21, 2)),
    "1.5?2e-3": (Q(13, 10**4), Q(17, 10**4)),
    "1.5??": (-INF, INF),
    "1.5??u": (Q(3, 2), INF),
    "1.5??d": (-INF, Q(3, 2)),
    "[1." + "0" * 9000 + "1, 2]": (Q(1) + Q(1, 10**9001), Q(2)),
    f"[1/{'3' * 5000}, {'7' * 5000}/{'7' * 4999}]": (
        Q(Decimal(1)) / Q(Decimal("3" * 5000)),
        Q(Decimal("7" * 5000)) / Q(Decimal("7" * 4999)),
    ),
}


@pytest.mark.parametrize("text", LITERALS, ids=lambda t: t[:20])
def test_literals(text):
    x = from_values(text)
    assert (float(x.inf), float(x.sup)) == oracle.outward(LITERALS[text])
    assert interval.equal(x, Interval(text)) and x.shape == ()


@pytest.mark.parametrize("text", ["[empty]", "[ ]", "[]", " [EMPTY] "])
def test_empty(text):
    assert interval.is_empty(from_values(text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[2, 1]", "the lower bound is above"),
        ("[1." + "0" * 50 + "1, 1]", "the lower bound is above"),
        ("[inf, inf]", "it contains no number"),
        ("[, -inf]", "it contains no number"),
        ("inf", "it contains no number"),
        ("[1, 2", "the bracket is not closed"),
        ("[1, 2, 3]", "is not a number"),
        ("1/0", "division by zero"),
        ("nan", "is not a number"),
        ("", "is not a number"),
        ("[1 2]", "is not a number"),
        ("0x", "is not a number"),
        ("0x.p3", "is not a number"),
        ("1e9999999999999999999999", "exponent"),
        ("0x1p99999999999", "exponents"),
        ("1.5?2?", "is not a number"),
        ("\u0661", "is not a number"),
        ("1_0", "is not a number"),
        ("[1, 2]_com", "it has a decoration; use DecoratedInterval"),
        ("[nai]", "it has a decoration"),
        ("x" * 1000, r"\.\.\."),
    ],
)
def test_bad_text(text, why):
    with pytest.raises(ValueError, match=f"text: expected an interval such as .*{why}"):
        from_values(text)


def values():
    rng = np.random.default_rng(3)
    doubles = np.ldexp(rng.normal(size=200), rng.integers(-30, 20, 200))
    midpoints = np.arange(1, 2048, 97) / 4096 * np.array([[1], [-1]])
    return {
        "float64": np.r_[
            doubles, midpoints.ravel(), np.nextafter(midpoints.ravel(), 9), 65504, 7e4
        ],
        "float32": doubles.astype(np.float32),
        "int64": rng.integers(-(10**6), 10**6, 100),
        "uint64": np.array([0, 2**64 - 1, 65505], np.uint64),
        "integers": [0, 2049, -(10**50), 10**50],
        "Fractions": [Q(1, 3), Q(-1, 3), Q(2**25 + 1, 2**25), Q(1, 3**50)],
        "Decimals": [Decimal("0.1"), Decimal("-1e-30"), Decimal(2049)],
        "halves": np.array([1.5, -2], hc.half),
    }


@pytest.mark.parametrize("kind", values())
def test_values(kind):
    kind_values = values()[kind]
    x = from_values(kind_values)
    wanted = [oracle.outward((Q(v), Q(v))) for v in map(number, kind_values)]
    assert list(zip(x.inf.tolist(), x.sup.tolist(), strict=True)) == wanted


def number(x):
    return x if isinstance(x, Q | Decimal | int) else Q(float(x)) if x != int(x) else Q(int(x))


def test_two_values():
    low, high = np.array([0.1, -1e9]), np.array([0.2, 1e9])
    x = from_values(low, high)
    assert interval.equal(x[0], Interval(0.1, 0.2)) and interval.is_entire(x[1])
    assert interval.equal(from_values("1/3", 0.5), from_values("[1/3, 0.5]"))
    assert from_values([[1], [2]], [3, 4]).shape == (2, 2)
    close = from_values(np.array([0.1, 0.1]), np.array([0.1, np.nextafter(0.1, 1)]))
    assert np.all(interval.equal(close, from_values(0.1)))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((np.array([1.0, np.nan]),), ValueError, "NaN"),
        ((np.inf,), ValueError, "less than inf"),
        (([1, -np.inf],), ValueError, "more than -inf"),
        ((0.1, 0.09999999999999999), ValueError, "at most hi"),
        ((np.array([0.1]), np.array([0.09999999999999999])), ValueError, "at most hi"),
        ((2**60 + 1, 2**60), ValueError, "at most hi"),
        ((1j,), TypeError, "expected numbers or text, got complex"),
        ((None,), TypeError, "expected numbers or text, got NoneType"),
        (([object()],), TypeError, "expected numbers, got object"),
        ((b"1",), TypeError, "expected numbers or text, got bytes"),
    ],
)
def test_bad_values(arguments, error, words):
    with pytest.raises(error, match=words):
        from_values(*arguments)


def test_mixed():
    x = from_values([0.1, "[1, 2]", Q(1, 3), "[empty]"])
    assert (
        interval.equal(x[1], Interval(1, 2))
        and interval.is_empty(x[3])
        and interval.equal(x[0], from_values("0.1"))
    )
    assert from_values(np.array(["[1, 2]", "3"])).sup.tolist() == [2, 3]
    assert from_values([]).shape == (0,)


# ---------------------------------------------------------------- as text


def test_exact_text():
    """Exact text of all halves parses to the same intervals."""
    bits = np.arange(0, 1 << 16, 7, dtype=np.uint16).view(hc.half)
    x = Interval(bits[np.isfinite(bits)])
    assert np.all(interval.equal(from_values(to_text(x)), x))
    assert to_text(interval.empty) == "[empty]" and to_text(interval.entire) == "[entire]"


@pytest.mark.parametrize("digits", [1, 3, 5])
def test_short_text_encloses(digits):
    rng = np.random.default_rng(4)
    low, high = oracle.samples(rng, 300)
    x = Interval.of(tuple(v.astype(np.float16).view(hc.half) for v in (low, high)))
    for text, one in zip(to_text(x, digits=digits), x, strict=True):
        assert interval.subset(one, from_values(str(text)))
        parts = text.strip("[]").replace("-", "").split(", ")
        shown = [p.split("e")[0].replace(".", "").strip("0") for p in parts if p[0].isdigit()]
        assert all(len(p) <= digits for p in shown)


def test_neighbours_differ_in_repr():
    halves = np.arange(0x3C00, 0x4800, dtype=np.uint16).view(hc.half)
    assert len({repr(Interval(h)) for h in halves}) == halves.size


@pytest.mark.parametrize(
    ("x", "shown", "written"),
    [
        (Interval(1, 2), "Interval('[1, 2]')", "[1, 2]"),
        (Interval(-0.0, 2.0**-24), "Interval('[0, 5.9605e-08]')", "[0, 5.9605e-08]"),
        (Interval([1, 2]), "Interval(['[1, 1]', '[2, 2]'])", "[[1, 1] [2, 2]]"),
        (Interval(-np.inf, 65504), "Interval('[-inf, 65504]')", "[-inf, 65504]"),
        (Interval([]), "Interval([], shape=(0,))", "[]"),
        (interval.empty, "Interval('[empty]')", "[empty]"),
    ],
)
def test_repr(x, shown, written):
    assert (repr(x), str(x)) == (shown, written)
    assert np.array_repr(x) == shown


def test_long_arrays_are_short():
    x = Interval(np.zeros((300, 300), hc.half))
    assert len(repr(x)) < 2000 and "..." in repr(x)


def test_digits():
    with pytest.raises(ValueError, match="digits: expected at least 1, got 0"):
        to_text(Interval(1, 2), digits=0)


def step(shown, spec):
    """Return the distance to the next number with as many digits."""
    if spec.endswith("f"):
        return Q(1, 10 ** int(spec[1:-1]))
    places = int(spec.strip(".eg")) - (0 if spec.endswith("e") else 1)
    return Q(10) ** ((Decimal(shown) or Decimal(1)).adjusted() - places)


@one_in(2)
@pytest.mark.parametrize("spec", [".0f", ".3f", ".30f", ".0e", ".3e", ".30e", ".1g", ".3g", ".3"])
def test_formats_are_the_tightest_of_their_digits(spec):
    bits = np.arange(0, 1 << 16, 37, dtype=np.uint16).view(hc.half)
    for half in bits[np.isfinite(bits)]:
        low, high = f"{Interval(half):{spec}}".strip("[]").split(", ")
        exact = Q(float(half))
        assert 0 <= exact - Q(low) < step(low, spec), (half, low)
        assert 0 <= Q(high) - exact < step(high, spec), (half, high)


FORMATS = {
    ".3f": ("[0.099, 0.201]", "[-0.201, -0.099]", "[-0.001, 0.000]", "[65504.000, inf]"),
    ".2e": ("[9.99e-02, 2.01e-01]", "[-2.01e-01, -9.99e-02]", "[-1.02e-06, 0.00e+00]",
            "[6.55e+04, inf]"),
    ".3g": ("[0.0999, 0.201]", "[-0.201, -0.0999]", "[-1.02e-06, 0]", "[65500, inf]"),
    "f": ("[0.099975, 0.200074]", "[-0.200074, -0.099975]", "[-0.000002, 0.000000]",
          "[65504.000000, inf]"),
    "": ("[0.099975, 0.20008]", "[-0.20008, -0.099975]", "[-1.0133e-06, 0]", "[65504, inf]"),
}  # fmt: skip


@pytest.mark.parametrize("spec", FORMATS)
def test_formats(spec):
    x = Interval([0.1, -0.2, -1e-6, 1e6], [0.2, -0.1, -0.0, 1e6])
    for one, wanted in zip(x, FORMATS[spec], strict=True):
        assert f"{one:{spec}}" == wanted
        decorated = interval.DecoratedInterval(one)
        assert f"{decorated:{spec}}" == f"{wanted}_{decorated.decoration}"
        assert interval.subset(one, from_values(wanted))
    assert f"{x[:2]:{spec}}" == "[" + " ".join(FORMATS[spec][:2]) + "]"
    assert f"{interval.empty:{spec}}" == "[empty]" and f"{interval.entire:{spec}}" == "[entire]"
    assert f"{interval.nai:{spec}}" == "[nai]"


def test_no_bound_is_shown_as_minus_zero():
    assert f"{Interval(-0.0004, -0.0002):.3f}" == "[-0.001, 0.000]"


@pytest.mark.parametrize("spec", [">20", "+.3f", ".3d", ".3%", "3", "10.3f", ".f", "x", ".1000f"])
def test_other_formats_are_refused(spec):
    with pytest.raises(ValueError, match=r"format: expected .* such as '.3f', got"):
        f"{Interval(1, 2):{spec}}"
    assert f"{Interval(1, 2)!s:>8}" == "  [1, 2]"


LONG = ["1" * 100_000, f"[{'1' * 100_000}, inf]", f"[0, 0.{'0' * 100_000}1]"]


@pytest.mark.parametrize("text", LONG, ids=["point", "below", "above"])
def test_long_numbers_parse_quickly(text):
    """Long numbers take no time quadratic in their length, as a backtracking pattern would."""
    actual = from_values(text)
    assert actual.sup in (hc.half(2.0**-24), np.inf) and actual.inf in (0, 65504)
