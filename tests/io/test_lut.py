"""Half-domain look-up tables: written tables are read back, and OpenColorIO applies them."""

import functools
import os
import re

import numpy as np
import PyOpenColorIO as OCIO
import pytest
from exhaustive import either, shared_out

import halfcl as hc
from halfcl import half, io

SIZE = 1 << 16
FUNCTIONS = {
    "exp": hc.exp,  # overflows
    "log2": hc.log2,  # NaN below 0, -inf at 0
    "rsqrt": hc.rsqrt,  # inf at 0
    "negative": hc.negative,  # every bit pattern, subnormals, -0
    "exp2 rtz": functools.partial(hc.exp2, rounding="rtz"),
    "sin rtp": hc.sin.rtp,
    "gamma": lambda x: np.sign(x) * np.abs(x) ** 0.45,  # Python's, on arrays
    "bits": lambda x: (x.view(np.uint16) ^ 0x2AAA).view(half),  # of no use, but no identity
    "one half at a time": np.vectorize(lambda x: max(x, half(0.25)), otypes=[half]),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.clf"


def bits(array):
    return np.asarray(array).view(np.uint16)


def tabulate(function, halves):
    with np.errstate(all="ignore"):
        return np.asarray(function(halves))


# ---------------------------------------------------------------- OpenColorIO


def apply(path, pixels, depth, optimization=OCIO.OPTIMIZATION_DEFAULT):
    """Apply the table to pixels of shape (n, 3), in a buffer of a depth."""
    processor = OCIO.Config.CreateRaw().getProcessor(OCIO.FileTransform(str(path)))
    cpu = processor.getOptimizedCPUProcessor(depth, depth, optimization)
    buffer = np.ascontiguousarray(pixels)
    count, size = len(buffer), buffer.itemsize
    cpu.apply(OCIO.PackedImageDesc(buffer, count, 1, 3, depth, size, 3 * size, 3 * size * count))
    return buffer


def three(halves):
    return np.repeat(halves.view(np.float16)[:, np.newaxis], 3, axis=1)


def interpolate(table):
    """Return OpenColorIO's result for each half in a 32f buffer.

    It is table[k] - table[k + 1] + table[k + 1] in float32, where infinities are its greatest
    number, and NaN is 0.
    """
    table = np.nan_to_num(table.astype(np.float32), nan=0)
    places = np.arange(SIZE)
    places[[0x7C00, 0xFC00]] -= 1  # infinities count as 65504
    following = places + 1
    for most in (0x7BFF, 0xFBFF):
        following[[most, most + 1]] = most
    following[-1] = 0
    with np.errstate(all="ignore"):
        return table[places] - table[following] + table[following]


# ---------------------------------------------------------------- written, read, applied


@shared_out
@pytest.mark.parametrize(
    ("name", "raw"),
    [
        *((name, True) for name in either(FUNCTIONS, ["sin rtp", "bits"])),
        *((name, False) for name in either(["log2", "negative"], ["log2"])),
    ],
)
def test_tables(path, all_halves, name, raw):
    results = []  # the payload of NaN may differ here, too

    def function(x):
        results.append(FUNCTIONS[name](x))
        return results[-1]

    with np.errstate(all="raise"):  # nothing is reported of halves outside the domain
        io.write_half_domain_lut(path, function, raw_halfs=raw)
    want = tabulate(FUNCTIONS[name], all_halves)
    is_nan = np.isnan(want.astype(float))

    got = io.read_half_domain_lut(path)
    assert got.dtype == half and got.shape == (SIZE,)
    np.testing.assert_array_equal(bits(got)[~is_nan], bits(want)[~is_nan])
    assert np.isnan(got[is_nan].astype(float)).all()
    if raw:  # integers keep NaN's payload
        np.testing.assert_array_equal(bits(got), bits(results[0]))

    # OpenColorIO in 16f buffers, on every half: subnormals, -0 and infinities. NaN it makes 0.
    in_half = np.where(is_nan, 0, bits(want))
    for optimization in (OCIO.OPTIMIZATION_NONE, OCIO.OPTIMIZATION_DEFAULT):
        pixels = apply(path, three(all_halves), OCIO.BIT_DEPTH_F16, optimization)
        for channel in range(3):
            np.testing.assert_array_equal(bits(pixels[:, channel].copy()), in_half)

    # In 32f buffers it interpolates, which gives most entries as they are.
    pixels = apply(path, three(all_halves).astype(np.float32), OCIO.BIT_DEPTH_F32)
    is_number = ~np.isnan(all_halves.astype(float))
    in_float = interpolate(want)
    np.testing.assert_array_equal(pixels[is_number, 0], in_float[is_number])
    finite = is_number & np.isfinite(all_halves.astype(float)) & np.isfinite(want.astype(float))
    assert np.count_nonzero(in_float[finite] != want[finite].astype(float)) <= 2


@pytest.mark.parametrize("raw", [True, False])
def test_a_table_for_each_colour(path, all_halves, raw):
    functions = (hc.sqrt, hc.negative, lambda x: x.view(np.float16) * np.float16(0.5))
    with np.errstate(all="ignore"):
        want = np.stack([np.asarray(one(all_halves)).view(half) for one in functions], axis=-1)
    for argument in (functions, lambda x: want):
        io.write_half_domain_lut(path, argument, raw_halfs=raw)
        got = io.read_half_domain_lut(path)
        assert got.shape == (SIZE, 3)
        np.testing.assert_array_equal(got.astype(float), want.astype(float))


def test_text_of_the_file(path, all_halves):
    """The file uses the format's own elements and attributes."""
    io.write_half_domain_lut(path, hc.sqrt, title='a "title" <&> größer')
    text = path.read_text(encoding="utf-8")
    head = text[: text.index("<Array")]
    assert head.startswith("<?xml version='1.0' encoding='utf-8'?>")
    for word in ('xmlns="urn:AMPAS:CLF:v3.0"', 'compCLFversion="3.0"', 'halfDomain="true"'):
        assert word in head
    assert 'rawHalfs="true"' in head and "&lt;&amp;&gt; größer" in head
    rows = re.search(r'<Array dim="65536 1">\n(.*)\n</Array>', text, re.S)[1].split("\n")
    np.testing.assert_array_equal(np.array(rows, np.uint16), bits(tabulate(hc.sqrt, all_halves)))
    io.write_half_domain_lut(path, hc.sqrt, raw_halfs=False)
    text = path.read_text(encoding="utf-8")
    assert "rawHalfs" not in text and 'outBitDepth="16f"' in text
    rows = re.search(r"1\">\n(.*)\n</Array>", text, re.S)[1].split("\n")
    assert rows[0x3C00] == "1.0" and rows[0x4000] == "1.4140625"


def test_opencolorio_reads_a_table_for_each_colour(path, all_halves):
    io.write_half_domain_lut(path, (hc.negative, hc.fabs, lambda x: x / 4))
    got = apply(path, three(all_halves), OCIO.BIT_DEPTH_F16)
    sound = ~np.isnan(all_halves.astype(float))
    for channel, function in enumerate((hc.negative, hc.fabs, lambda x: x / 4)):
        want = bits(tabulate(function, all_halves))
        np.testing.assert_array_equal(bits(got[:, channel].copy())[sound], want[sound])


@pytest.mark.parametrize("columns", [1, 3])
def test_files_of_opencolorio_are_read(path, all_halves, columns):
    """A table that OpenColorIO wrote itself is read."""
    lut = OCIO.Lut1DTransform(SIZE, True)
    results = [tabulate(f, all_halves).astype(np.float32) for f in (hc.negative, hc.sqrt, hc.exp)]
    results = np.stack(results, axis=-1) if columns == 3 else np.repeat(results[1][:, None], 3, 1)
    lut.setData(np.ascontiguousarray(results).ravel())
    lut.setFileOutputBitDepth(OCIO.BIT_DEPTH_F32)
    group = OCIO.GroupTransform([lut])
    group.write("Academy/ASC Common LUT Format", str(path), OCIO.Config.CreateRaw())
    got = io.read_half_domain_lut(path)
    want = results if got.ndim == 2 else results[:, 0]
    finite = np.isfinite(want)
    np.testing.assert_allclose(got[finite], want[finite], rtol=1e-5)  # it writes few digits


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("function", "keywords", "error", "match"),
    [
        (3, {}, TypeError, "function: expected a callable"),
        (None, {}, TypeError, "function"),
        (np.zeros(SIZE, half), {}, TypeError, "function"),
        ((hc.exp, hc.exp), {}, ValueError, "one or three, got 2"),
        ((hc.exp, hc.exp, 3), {}, TypeError, "function"),
        (lambda x: x.astype(float), {}, TypeError, "function.*float64"),
        (lambda x: x > 0, {}, TypeError, "function.*bool"),
        (lambda x: x[:100], {}, ValueError, r"function.*\(100,\)"),
        (lambda x: half(1), {}, ValueError, r"function.*\(\)"),
        (lambda x: np.zeros((SIZE, 4), half), {}, ValueError, "function.*4"),
        ((lambda x: np.zeros((SIZE, 3), half),) * 3, {}, ValueError, "function"),
        (lambda x: np.ma.array(x), {}, TypeError, "function: expected .* without a mask"),
        (hc.exp, {"raw_halfs": "no"}, TypeError, "raw_halfs: expected a bool or None, got 'no'"),
        (hc.exp, {"title": 3}, TypeError, "title"),
        (hc.exp, {"title": "a\0b"}, ValueError, "title"),
        (hc.exp, {"title": "\ud800"}, ValueError, "title"),
    ],
)  # fmt: skip
def test_refused_functions_and_titles(path, function, keywords, error, match):
    path.write_bytes(b"older")
    with pytest.raises(error, match=match):
        io.write_half_domain_lut(path, function, **keywords)
    assert os.listdir(path.parent) == [path.name] and path.read_bytes() == b"older"


def test_an_error_of_the_function_comes_through(path):
    def fails(x):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        io.write_half_domain_lut(path, fails)
    assert not path.exists()


def test_suffixes(path):
    with pytest.raises(ValueError, match="evenly spaced"):
        io.write_half_domain_lut(path.with_suffix(".spi1d"), hc.exp)
    with pytest.raises(ValueError, match=r"ends in \.clf"):
        io.write_half_domain_lut(path.with_suffix(".cube"), hc.exp)
    with pytest.raises(FileNotFoundError):
        io.read_half_domain_lut(path)


def clf(array="<Array dim='65536 1'>{}</Array>", values="0 " * SIZE, steps="LUT1D", **attributes):
    attributes = {"halfDomain": "true", "outBitDepth": "16f", **attributes}
    head = " ".join(f"{name}='{value}'" for name, value in attributes.items() if value)
    return f"<ProcessList><{steps} {head}>{array.format(values)}</{steps}></ProcessList>"


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "expected a CLF file"),
        ("no XML", "expected a CLF file"),
        ("<ProcessList>", "expected a CLF file"),
        ("<a/>", "one LUT1D"),
        ("<ProcessList/>", "one LUT1D.*none"),
        (clf(steps="Matrix"), "one LUT1D.*Matrix"),
        (clf().replace("</ProcessList>", "<Range/></ProcessList>"), "one LUT1D.*LUT1D, Range"),
        (clf(halfDomain=""), "halfDomain"),
        (clf(array=""), "halfDomain"),
        (clf(outBitDepth="10i"), "outBitDepth.*10i"),
        (clf(outBitDepth=""), "outBitDepth"),
        (clf(array="<Array dim='4 1'>{}</Array>"), "65536"),
        (clf(values="0 " * (SIZE - 1)), "65535"),
        (clf(values=""), "got 0"),
        (clf(values="0 " * (SIZE - 1) + "x"), "numbers"),
        (clf(values="0 " * (SIZE - 1) + "65536", rawHalfs="true"), "16 bits"),
        (clf(values="0 " * (SIZE - 1) + "-1", rawHalfs="true"), "16 bits"),
        (clf(values="0 " * (SIZE - 1) + "9" * 30, rawHalfs="true"), "path: "),
        (clf(values="0 " * (SIZE - 1) + "0.5", rawHalfs="true"), "numbers"),
    ],
)  # fmt: skip
def test_files_that_are_not_luts(path, text, match):
    path.write_text(text)
    with pytest.raises(ValueError, match=match):
        io.read_half_domain_lut(path)


def test_a_plain_file(path):
    path.write_text(clf(values="0.5\n" * SIZE))
    np.testing.assert_array_equal(io.read_half_domain_lut(path), np.full(SIZE, 0.5))
