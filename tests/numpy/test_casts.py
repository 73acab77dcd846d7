"""Tests of casts between half and NumPy's other types, compared with float16's."""

import warnings

import numpy as np
import pytest
from exhaustive import in_turn

import halfcl as hc
from halfcl import half

HALF = np.dtype(half)
StringDType = np.dtypes.StringDType
NUMBERS = [0.0, 1.5, 2, -3.75, 65504, 6e-8, -100]
SPECIAL = [np.nan, np.inf, -np.inf, -0.0]
INTEGERS = "bBhHiIlLqQ"


def both(call):
    """Return the results of a call with half and with float16, as text, or their exceptions."""

    def outcome(dtype):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = call(dtype)
        except Exception as error:
            return type(error)
        return str(result.tolist()), str(result.dtype).replace("float16", "half")

    return outcome(half), outcome(np.float16)


# ------------------------------------------------------------------ complex numbers


@pytest.mark.parametrize("letter", ["F", "D", "G", ">F", ">D"])
def test_complex_numbers(letter):
    """Check casts of all halves in several layouts: imaginary parts are 0, NaNs raise nothing."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    nans = (bits & 0x7FFF) > 0x7C00
    bits[nans] |= 0x200  # NumPy's own casts of signalling NaNs may raise exceptions
    every, plain = bits.view(half), bits.view(np.float16)
    every_bit = np.arange(1 << 16, dtype=np.uint16).view(half)
    for where in (np.s_[:], np.s_[::-3], np.s_[1::2], np.s_[:9], np.s_[40:41]):
        expected = plain[where].astype(letter)
        np.testing.assert_array_equal(every[where].astype(letter), expected, strict=True)
        apart = np.full((expected.size, 2), 7 + 7j, letter)
        apart[:, 0] = every[where]
        np.testing.assert_array_equal(apart[:, 0], expected)
        assert (apart[:, 1] == 7 + 7j).all()
        with np.errstate(all="raise"):
            parts = every_bit[where].astype(letter)
        assert not parts.imag.any() and not np.signbit(parts.imag).any()


# ------------------------------------------------------------------ dates and times


TIMES = ["m8", "m8[s]", "M8[D]", "M8[ns]", ">m8[h]", ">M8[us]"]


@pytest.mark.parametrize("time", TIMES)
def test_times(time):
    a = np.array([*NUMBERS, np.nan])
    got, expected = both(lambda t: a.astype(t).astype(time).view(f"{time[0]}i8"[-2:]))
    assert got == expected
    got, expected = both(lambda t: np.array([1, -7, 2**40, 0]).view("i8").astype(time).astype(t))
    assert got == expected
    got, expected = both(lambda t: np.array(["NaT", 5], time).astype(t))
    assert got == expected
    for level in ("safe", "same_kind", "unsafe"):
        assert np.can_cast(half, time, level) == np.can_cast(np.float16, time, level)
        assert np.can_cast(time, half, level) == np.can_cast(time, np.float16, level)


@pytest.mark.parametrize("time", TIMES)
def test_infinities_become_nat_with_warning(time):
    """Check this on any processor; NaN becomes NaT without a warning."""
    assert np.isnat(np.array([np.nan, -np.nan], half).astype(time)).all()
    for infinity in SPECIAL[1:3]:
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            assert np.isnat(np.array([infinity], half).astype(time)).all()


def test_times_of_all_halves(all_halves):
    plain = np.asarray(all_halves).view(np.float16)
    with np.errstate(invalid="ignore"):
        expected = np.where(np.isfinite(plain), plain, 0).astype("m8[s]")
        expected[~np.isfinite(plain)] = "NaT"
        for a in (plain.view(half), plain.view(half).astype(HALF.newbyteorder())):
            assert np.array_equal(a.astype("m8[s]").view("i8"), expected.view("i8"))


def test_times_are_assigned():
    a = np.zeros(3, "m8[s]")
    a[:] = 7
    assert a.astype(half).tolist() == [7, 7, 7]
    with hc.rounding("rtp"):
        assert np.array([2049], "m8[s]").astype(half)[0] == 2050
    with pytest.warns(RuntimeWarning, match="overflow"):
        np.array([70000], "m8[s]").astype(half)
    with pytest.raises(TypeError):
        np.array([1], half).astype("m8[s]", casting="same_kind")


# ------------------------------------------------------------------ StringDType


def test_strings_and_back(all_halves):
    a = np.asarray(all_halves).view(half)
    text = a.astype(StringDType())
    assert text[0x3C00] == "1.0" and text[0x2E66] == "0.1" and text[0x7C00] == "inf"
    assert text.tolist() == a.astype(str).tolist()
    back = text.astype(half)
    assert np.array_equal(back, a, equal_nan=True)
    assert np.array_equal(np.signbit(back[:0x7C01]), np.signbit(a[:0x7C01]))


@in_turn
@pytest.mark.parametrize("legacy", [False, "1.13"])
@pytest.mark.parametrize("dtype", ["U", "S", "U3", "S4", ">U32", "T"])
def test_texts_are_those_of_float16(all_halves, dtype, legacy):
    values = all_halves.view(np.float16)
    strings = StringDType() if dtype == "T" else dtype
    with np.printoptions(legacy=legacy):
        want = [str(x) for x in values]
        got = all_halves.astype(strings), all_halves[::-3].astype(strings)
        swapped = values[:100].astype(HALF.newbyteorder()).astype(strings)
    if dtype != "T":
        want = np.array(want).astype(dtype).tolist()
        assert got[0].dtype == values[:1].astype(dtype).dtype
    assert got[0].tolist() == want and got[1].tolist() == want[::-3]
    assert swapped.tolist() == want[:100]


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("dtype", ["U", "S", ">U", "T"])
def test_texts_are_rounded_as_numbers_are(dtype, mode):
    texts = ["0.1", "-1e-30", " 2049 ", "1e5", "inf", "-nan", "0x1.8p-3h", "1_0.5", "\t7\n",
             "1e400", "3." + "3" * 70, "65519.9", "6e-8"]  # fmt: skip
    if dtype in ("U", ">U", "T"):
        texts += ["\u0661\u0662", "\u20035\u2003"]
    array = np.array(texts, StringDType()) if dtype == "T" else np.array(texts).astype(dtype)
    with hc.rounding(mode), np.errstate(over="ignore"):
        want = [half(text) for text in texts]
        assert np.array_equal(array.astype(half), want, equal_nan=True)
        assert np.array_equal(array[::-2].astype(half), want[::-2], equal_nan=True)
    for wrong in ("1x", "", "0x", "1\0002"):
        with pytest.raises(ValueError, match="could not convert"):
            np.array([wrong, "1"], array.dtype).astype(half)


def test_missing_strings():
    missing = StringDType(na_object=np.nan)
    a = np.array([1.5, np.nan], half).astype(missing)
    assert a[0] == "1.5" and np.isnan(a[1])
    with pytest.raises(ValueError, match="missing data"):
        a.astype(half)
    with pytest.raises(ValueError, match="missing data"):
        np.array(["1", None], StringDType(na_object=None)).astype(half)
    assert np.array([np.nan], half).astype(StringDType(na_object=None))[0] == "nan"


@pytest.mark.parametrize(
    "text", ["1.5", " 2\u2003", "\xa03\t\u2029", "nan", "-inf", "x", "", "1 2"]
)
@pytest.mark.parametrize("dtype", ["U", "T"])
def test_text(text, dtype):
    """Check text of numbers, also with Unicode's spaces around it."""
    array = np.array([text], StringDType() if dtype == "T" else dtype)
    got, expected = both(lambda t: array.astype(t))
    assert got == expected
    got, expected = both(lambda t: np.asarray(t(text)))
    assert got == expected


def test_strings_are_rounded_once_in_mode_of_region():
    text = "1.00048828125000000000000000000000001"
    a = np.array([text, "0x1.8p-3h"], StringDType())
    assert a.astype(half).tolist() == [1.0009765625, 0.1875]
    with hc.rounding("rtz"):
        assert a.astype(half)[0] == 1
    with pytest.warns(RuntimeWarning, match="overflow"):
        np.array(["1e5"], StringDType()).astype(half)
    with pytest.raises(ValueError, match=r"could not convert string to half: 'x'"):
        np.array(["1", "x"], StringDType()).astype(half)


def test_strided_and_swapped_strings():
    a = np.array(["1.5", "2", "4"], StringDType())
    assert a[::-2].astype(HALF.newbyteorder()).tolist() == [4, 1.5]
    assert np.array([1, 2, 4], HALF.newbyteorder())[::2].astype(StringDType()).tolist() == [
        "1.0",
        "4.0",
    ]
    packed = np.zeros(3, [("pad", "i1"), ("h", half)])  # unaligned
    packed["h"] = [1, 2, 4]
    assert packed["h"].astype(StringDType()).tolist() == ["1.0", "2.0", "4.0"]
    packed["h"] = np.array(["8", "16", "32"], StringDType())
    assert packed["h"].tolist() == [8, 16, 32]


@pytest.mark.parametrize("text", ["1e10000", "-1e400", b"1e999"])
def test_text_beyond_double_is_infinite_silently(text):
    """Check that only text of numbers within double's range warns, as for NumPy's own types."""
    assert abs(half(text)) == np.inf
    assert np.isinf(np.array([text]).astype(half)).all()
    assert abs(half(text, rounding="rtz")) == 65504
    for finite in ("1e5", "1e308", "0x1p20"):
        with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
            half(finite)


@pytest.mark.parametrize("text", [b"\xa01", b"1\xa0"])
def test_bytes_are_ascii(text):
    for t in (half, np.float16):
        with pytest.raises(ValueError, match="could not convert string"):
            t(text)
        with pytest.raises(ValueError, match="could not convert string"):
            np.array([text]).astype(t)


# ------------------------------------------------------------------ casting="same_value"

SAME_VALUE = np.lib.NumpyVersion(np.__version__) >= "2.4.0"


@pytest.mark.skipif(not SAME_VALUE, reason="casting='same_value' is there since NumPy 2.4")
@pytest.mark.parametrize("letter", f"?{INTEGERS}efdgFDG")
def test_same_value(letter):
    values = [0, 1, 2, -3, 1.5, 0.1, 2048, 2049, 60000, 65520, 1e6, 1e-9, *SPECIAL, 1 + 1j]
    for value in values:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                a = np.array([value]).astype(letter)
                b = np.array([value]).astype(np.float16)
            except TypeError:
                continue
        if letter in "gG" and not np.isfinite(b):
            continue  # float16 refuses these casts only to and from long double
        got, expected = both(lambda t, a=a: a.astype(t, casting="same_value"))
        assert got == expected, value
        got, expected = both(lambda t, b=b: b.astype(t).astype(letter, casting="same_value"))
        if letter in INTEGERS and b == 0 and np.signbit(b):
            expected = ValueError  # NumPy's own casts on Arm accept -0
        assert got == expected, value


@pytest.mark.skipif(not SAME_VALUE, reason="casting='same_value' is there since NumPy 2.4")
def test_errors_of_same_value_name_types():
    with pytest.raises(ValueError, match="could not cast 'same_value' float64 to half"):
        np.array([1, 0.1]).astype(half, casting="same_value")
    with pytest.raises(ValueError, match="could not cast 'same_value' half to int64"):
        np.array([1.5], half).astype(np.int64, casting="same_value")
    for other in ("S9", "U9", "m8[s]", "O"):
        with pytest.raises(TypeError, match="same_value"):
            np.array([1.5], half).astype(other, casting="same_value")


# ------------------------------------------------------------------ classes of arrays


class Derived(np.ndarray):
    pass


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_half_of_array_keeps_its_class():
    masked = np.ma.array([1, 0.1], mask=[True, False])
    for rounding in (None, "rtp"):
        got = half(masked, rounding=rounding)
        assert type(got) is np.ma.MaskedArray and got.mask.tolist() == [True, False]
        assert got.dtype == HALF and got[1] == half(0.1, rounding=rounding)
        assert type(half(np.matrix([[1, 2]]), rounding=rounding)) is np.matrix
        assert type(half(np.arange(3).view(Derived), rounding=rounding)) is Derived
        assert type(half(np.array(3).view(Derived), rounding=rounding)) is half
        assert type(half([1, 2], rounding=rounding)) is np.ndarray
