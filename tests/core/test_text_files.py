"""Halves in text: numpy.fromfile, fromstring, loadtxt, genfromtxt: as float16, but rounded once."""

import io
import locale
import warnings
from functools import partial
from itertools import product

import numpy as np
import pytest

import halfcl as hc
from halfcl import half

HALF, FLOAT16 = np.dtype(half), np.dtype(np.float16)

CONTENTS = [
    "1 2 3", "1.5", "-2.25 +3 .5 -.5", "1e3 1E-3 2.5e+2 1e-10", "  1   2 \n 3\t4\n", "1\n2\r\n3\n",
    "nan NaN -nan inf -inf INF infinity -Infinity", "nan(1) 2", "nan() 3", "1,2,3", "1, 2 ,3",
    "1,,2", ",1", "1,", "1 , ", "", " ", "\n", "x", "1 x", "1x", "1 2x 3", "1 2 three", "--1", "+",
    "-", ".", "e5", "1e", "1e 5", "1e+ 5", "1e5x", "1.2.3", "1-2", "1+2", "in 1", "na 1", "infx 1",
    "nanx 1", "1;2", "1_000", "1 2 \0", "0", "00012", "-0", "65504 65520 1e9 -1e9", "1e99999999999",
    "6e-8 3e-8 1e-99", "\u00bd", "\uff11", "1 \u00a0 2", "1;2", "1; 2 ;3",
    "12 " * 5000, "1,\n" * 3000, "(1)", "True", "0b1", "1j",
]  # fmt: skip
SEPARATORS = [" ", ",", ";", ", ", "\n", "e", "x"]


def outcome(call):
    """Return the values' bits, every NaN the same; or the exception's class and text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            array = call()
    except Exception as error:
        return type(error), str(error).replace("float16", "half")
    bits = np.where(np.isnan(array), 0x7E00, array.view(np.uint16))
    return array.dtype.itemsize, array.shape, bits.tolist()


@pytest.mark.parametrize("text", CONTENTS, ids=range(len(CONTENTS)))
def test_files_as_float16(tmp_path, text):
    file = tmp_path / "a"
    file.write_bytes(text.encode())
    for count, sep in product([-1, 1, 2], SEPARATORS):
        got, expected = (
            outcome(partial(np.fromfile, file, t, count, sep)) for t in (HALF, FLOAT16)
        )
        assert got == expected, (count, sep)


@pytest.mark.parametrize("text", CONTENTS, ids=range(len(CONTENTS)))
def test_strings_as_float16(text):
    for sep in SEPARATORS:
        got, expected = (outcome(partial(np.fromstring, text, t, sep=sep)) for t in (HALF, FLOAT16))
        # In white space at the end float16 finds a -1, which nobody wrote.
        if text[-1:].isspace() and expected[-1][-1] == 0xBC00:
            assert got[0] in (DeprecationWarning, ValueError), sep
        else:
            assert got == expected, sep


LINES = ["1 2\n3 4", "1.5 nan\n-inf 1e-3", "# c\n1 2 # d\n", "1,2\n", "1 2\n3", "1 x", ""]


@pytest.mark.filterwarnings("ignore:.*input contained no data", "ignore:.*Empty input file")
@pytest.mark.parametrize("text", LINES, ids=range(len(LINES)))
@pytest.mark.parametrize("read", [np.loadtxt, np.genfromtxt])
def test_tables_as_float16(read, text):
    results = []
    for t in (HALF, FLOAT16):
        try:
            table = read(io.StringIO(text), dtype=t)
            results.append((table.shape, np.where(np.isnan(table), -99, table).tolist()))
        except ValueError:
            results.append(ValueError)
    assert results[0] == results[1]


# Above the midpoint of 1 and its neighbour by less than a double's last place, and below.
ABOVE = "1.000488281250000000000000001"
BELOW = "1.000488281249999999999999999"
READERS = {
    "fromstring": lambda text, path: np.fromstring(text, half, sep=" "),
    "fromfile": lambda text, path: (path.write_text(text), np.fromfile(path, half, sep=" "))[1],
    "loadtxt": lambda text, path: np.loadtxt(io.StringIO(text), dtype=half, ndmin=1),
    "genfromtxt": lambda text, path: np.atleast_1d(np.genfromtxt(io.StringIO(text), dtype=half)),
    "array": lambda text, path: np.array(text.split(), half),
    "astype": lambda text, path: np.array(text.split()).astype(half),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_text_is_rounded_once(read, tmp_path):
    texts = [ABOVE, BELOW, "-" + ABOVE, "1.00048828125", "1.00048828125" + "0" * 3000 + "1"]
    expected = [1 + 2**-10, 1, -1 - 2**-10, 1, 1 + 2**-10]
    assert read(" ".join(texts), tmp_path / "a").tolist() == expected


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_literals_of_opencl(read, tmp_path):
    text = "1h 1.5H -0x1.8p-3h 0x1.8p1 0X10 1e2h infinity"
    assert read(text, tmp_path / "a").tolist() == [1, 1.5, -0.1875, 3, 16, 100, np.inf]


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("mode", ["rte", "rtz", "rtp", "rtn"])
def test_text_is_rounded_in_the_regions_mode(read, mode, tmp_path):
    texts = ["0.1", "-0.1", ABOVE, BELOW, "1e-9", "-70000", "65504"]
    with np.errstate(all="ignore"), hc.rounding(mode):
        got = read(" ".join(texts), tmp_path / "a")
    with np.errstate(all="ignore"):
        assert got.tolist() == [hc.parse(text, rounding=mode) for text in texts]


@pytest.mark.parametrize("sep", [" ", ","])
def test_halves_survive_text(sep, tmp_path, all_halves):
    mine = np.asarray(all_halves)[::7]
    mine.tofile(tmp_path / "a", sep=sep)
    assert outcome(lambda: np.fromfile(tmp_path / "a", half, sep=sep)) == outcome(lambda: mine)


def test_swapped_byte_order(tmp_path):
    """NumPy writes its own types in native order into an array of the other order."""
    swapped = HALF.newbyteorder()
    (tmp_path / "a").write_text("1 2.5 -3")
    for read in (
        np.fromstring("1 2.5 -3", swapped, sep=" "),
        np.fromfile(tmp_path / "a", swapped, sep=" "),
    ):
        assert read.dtype == swapped and read.tolist() == [1, 2.5, -3]


@pytest.mark.parametrize("text", ["0x", "0x 5", "0xg", "1 0x,", "0x1p", "0x.p1"])
def test_text_that_is_no_hexadecimal_number(text, tmp_path):
    (tmp_path / "a").write_text(text)
    for read in (
        lambda: np.fromstring(text, half, sep=" "),
        lambda: np.fromfile(tmp_path / "a", half, sep=" "),
    ):
        assert outcome(read)[0] in (DeprecationWarning, ValueError)


@pytest.mark.parametrize("digits", [255, 256, 257, 511, 512, 513, 100_000, (1 << 20) - 1, 1 << 20])
def test_long_numbers(digits, tmp_path):
    """Numbers have any length that a file may hold, up to a million digits."""
    text = "0." + "0" * (digits - 4) + "12 3"
    (tmp_path / "a").write_text(text)
    expected = [0.12 if digits == 4 else 0.0, 3.0]
    if digits <= 1 << 19:
        assert np.fromfile(tmp_path / "a", half, sep=" ").tolist() == expected
    (tmp_path / "a").write_text("1" * digits + "e-" + str(digits - 1) + " 3")
    if digits <= 1 << 19:
        assert np.fromfile(tmp_path / "a", half, sep=" ").tolist() == [half("1.1111111111"), 3]


def test_endless_number(tmp_path):
    (tmp_path / "a").write_text("1 " + "2" * (1 << 21))
    assert outcome(lambda: np.fromfile(tmp_path / "a", half, sep=" "))[0] in (
        DeprecationWarning,
        ValueError,
    )


def test_locale_does_not_change_numbers(tmp_path):
    (tmp_path / "a").write_text("1.5 2,5")
    before = locale.setlocale(locale.LC_NUMERIC)
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C"):
        try:
            locale.setlocale(locale.LC_NUMERIC, name)
        except locale.Error:
            continue
        try:
            assert np.fromfile(tmp_path / "a", half, 1, sep=" ").tolist() == [1.5]
            assert np.fromstring("1.5,2", half, sep=",").tolist() == [1.5, 2]
        finally:
            locale.setlocale(locale.LC_NUMERIC, before)
