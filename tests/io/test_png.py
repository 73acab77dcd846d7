"""PNG files: every code and every half, in four modes, against MPFR; other programs' files."""

import functools
import io as streams
import os
import re
import runpy
import struct
import sys
import zlib
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from exhaustive import in_turn
from PIL import Image
from places import ROOT
from png_files import chunk, png

import halfcl as hc
from halfcl import half, io

DIRECTIONS = {
    "rte": gmpy2.RoundToNearest,
    "rtz": gmpy2.RoundToZero,
    "rtp": gmpy2.RoundUp,
    "rtn": gmpy2.RoundDown,
}
GREATEST = {8: 255, 16: 65535}
EXACT = gmpy2.context(precision=130)
#: Far more than a few steps of EXACT are off by, far less than what would matter.
AROUND = (EXACT.sub(1, gmpy2.mpfr("1e-35")), EXACT.add(1, gmpy2.mpfr("1e-35")))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "picture.png"


def bits(array):
    return np.asarray(array).view(np.uint16)


# ---------------------------------------------------------------- the oracle


def decode_bounds(code, greatest):
    """Return bounds around the value of a code of sRGB; both equal it if it is exact."""
    if code in (0, greatest):
        return (EXACT.div(code, greatest),) * 2
    if 100000 * code <= 4045 * greatest:
        value = EXACT.div(EXACT.div(code, greatest), gmpy2.mpq("12.92"))
    else:
        base = EXACT.div(200 * code + 11 * greatest, 211 * greatest)  # (c + 0.055) / 1.055
        value = EXACT.pow(base, EXACT.div(12, 5))
    return tuple(EXACT.mul(value, error) for error in AROUND)


@pytest.mark.parametrize("width", GREATEST)
def test_every_code_of_srgb_is_decoded_rounded_once(width):
    codes = np.arange(GREATEST[width] + 1).astype(f"u{width // 8}")
    below, above = zip(
        *(decode_bounds(code, GREATEST[width]) for code in codes.tolist()), strict=True
    )
    for mode, direction in DIRECTIONS.items():
        context = gmpy2.ieee(16)
        context.round = direction
        want = [float(context.plus(value)) for value in below]
        assert want == [float(context.plus(value)) for value in above], "not told apart"
        want = bits(np.array(want).astype(np.float16))
        np.testing.assert_array_equal(bits(io.srgb_decode(codes, rounding=mode)), want)
        with hc.rounding(mode):
            np.testing.assert_array_equal(bits(io.srgb_decode(codes)), want)


def test_the_engine_and_cuda_have_the_same_table():
    """The engine's table is up to date with these functions, and CUDA's with the engine's."""
    tool = runpy.run_path(str(ROOT / "tools" / "make_srgb.py"))
    assert tool["HEADER"].read_text(encoding="utf-8") == tool["header"]()
    text = Path(hc.__file__).parent.joinpath("device/preludes/cpp/srgb.h").read_text()
    numbers = re.compile(r"0x[0-9a-f.]+p[+-]?[0-9]+(?=f)")
    built, own = (list(map(float.fromhex, numbers.findall(t))) for t in (text, tool["header"]()))
    assert built == own and len(own) == 511


def encode_bounds(x, greatest):
    """Return bounds around the code of a number from 0 to 1 before rounding."""
    if x in (0, 1):
        return (EXACT.mul(gmpy2.mpfr(x), greatest),) * 2
    if gmpy2.mpq(x) < gmpy2.mpq("0.0031308"):
        value = EXACT.mul(gmpy2.mpq("12.92"), gmpy2.mpq(x))
    else:
        power = EXACT.pow(gmpy2.mpfr(x), EXACT.div(5, 12))
        value = EXACT.sub(EXACT.mul(gmpy2.mpq("1.055"), power), gmpy2.mpq("0.055"))
    return tuple(EXACT.mul(EXACT.mul(value, greatest), error) for error in AROUND)


INTEGER = {"rte": gmpy2.rint, "rtz": gmpy2.floor, "rtp": gmpy2.ceil, "rtn": gmpy2.floor}


@pytest.mark.parametrize("width", GREATEST)
def test_every_half_is_encoded_rounded_once(all_halves, width):
    halves = np.arange(0x3C01, dtype=np.uint16).view(np.float16).tolist()
    below, above = zip(*(encode_bounds(x, GREATEST[width]) for x in halves), strict=True)
    for mode, integer in INTEGER.items():
        want = np.zeros(1 << 16, np.int64)  # negative, NaN
        want[: len(halves)] = [int(integer(value)) for value in below]
        assert want[: len(halves)].tolist() == [int(integer(value)) for value in above]
        want[0x3C00:0x7C01] = GREATEST[width]
        got = io.srgb_encode(all_halves, f"u{width // 8}", rounding=mode)
        assert got.dtype == np.dtype(f"u{width // 8}")
        np.testing.assert_array_equal(got, want)
        if mode == "rte":
            np.testing.assert_array_equal(io.srgb_encode(all_halves, got.dtype), want)


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("transfer", ["srgb", "linear"])
def test_regions_round_codes_as_they_round_built_in_functions(path, mode, transfer):
    halves = np.linspace(0, 1, 64).astype(np.float16).reshape(8, 8)
    encode = io.srgb_encode if transfer == "srgb" else hc.to_unorm8
    for builtins, expected in ((False, "rte"), (True, mode)):
        with hc.rounding(mode, builtins=builtins):
            io.write_png(path, halves, transfer=transfer)
            codes = encode(halves)
        np.testing.assert_array_equal(codes, encode(halves, rounding=expected))
        np.testing.assert_array_equal(np.asarray(Image.open(path)), codes)


def test_all_8_bit_codes_come_back():
    codes = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(io.srgb_encode(io.srgb_decode(codes)), codes)


def test_arrays_and_errors_of_srgb():
    codes = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
    want = io.srgb_decode(codes)
    np.testing.assert_array_equal(
        io.srgb_decode(codes.astype(">u2")[::-1, :, ::2]), want[::-1, :, ::2]
    )
    np.testing.assert_array_equal(io.srgb_encode(want.astype(">f2")[:, 1], "uint16"), codes[:, 1])
    assert io.srgb_decode(np.uint8(255)) == 1 and io.srgb_encode(np.float16(1)) == 255
    assert io.srgb_decode(np.zeros((0, 3), np.uint8)).shape == (0, 3)
    for wrong in (np.int16([1]), np.array([0.5]), [1, 2]):
        with pytest.raises(TypeError, match="codes: expected uint8 or uint16"):
            io.srgb_decode(wrong)
    with pytest.raises(TypeError, match="codes: expected an array without a mask"):
        io.srgb_decode(np.ma.masked_all(3, np.uint8))
        with pytest.raises(TypeError, match="x: expected half or float16"):
            io.srgb_encode(wrong)
    with pytest.raises(TypeError, match="dtype"):
        io.srgb_encode(half([1]), np.int8)
    for call in (io.srgb_decode, lambda x, **k: io.srgb_encode(half(x), **k)):
        with pytest.raises(ValueError, match="rounding"):
            call(np.uint8([1]), rounding="up")


# ---------------------------------------------------------------- files


def palette_chunks(colours, alpha=()):
    """Return the chunks with the colour and opacity of each code."""
    transparency = chunk(b"tRNS", bytes(alpha)) if alpha else b""
    return chunk(b"PLTE", bytes(np.ravel(colours).tolist())) + transparency


def decode_colours(codes, transfer, mode):
    """Decode colours by the transfer function, alpha linearly."""
    linear = hc.from_unorm8 if codes.dtype == np.uint8 else hc.from_unorm16
    want = np.asarray(linear(codes, rounding=mode)).copy()
    if transfer == "srgb":
        has_alpha = codes.ndim == 3 and codes.shape[2] in (2, 4)
        colours = slice(None, -1) if has_alpha else slice(None)
        place = (..., colours) if codes.ndim == 3 else ...
        want[place] = io.srgb_decode(codes[place], rounding=mode)
    return want


@in_turn
@pytest.mark.parametrize("transfer", ["srgb", "linear"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_files_are_read(path, mode, dtype, channels, transfer):
    """Every code, in files made by hand."""
    rng = np.random.default_rng(channels)
    side = 16 if dtype == np.uint8 else 256
    codes = np.stack([rng.permutation(side * side) for _ in range(channels)], -1).astype(dtype)
    codes = codes.reshape((side, side, channels) if channels > 1 else (side, side))
    path.write_bytes(png(codes))
    got = io.read_png(path, transfer=transfer, rounding=mode)
    assert got.shape == codes.shape and got.dtype == half
    np.testing.assert_array_equal(bits(got), bits(decode_colours(codes, transfer, mode)))
    with hc.rounding(mode):
        np.testing.assert_array_equal(bits(io.read_png(path, transfer=transfer)), bits(got))


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_fewer_bits(path, depth):
    """The result is the exact quotient c / (2**depth - 1)."""
    codes = np.arange(1 << depth, dtype=np.uint8).reshape(2, -1)
    path.write_bytes(png(codes, bits=depth))
    want = hc.from_unorm8(codes * (255 // ((1 << depth) - 1)))
    np.testing.assert_array_equal(io.read_png(path, transfer="linear"), want)


def test_palettes(path):
    colours = np.array([[255, 0, 0], [1, 2, 3], [200, 100, 50]], np.uint8)
    codes = np.array([[0, 1, 2], [2, 1, 0]], np.uint8)
    path.write_bytes(png(codes, colour_type=3, extra=palette_chunks(colours)))
    np.testing.assert_array_equal(
        io.read_png(path, transfer="srgb"), io.srgb_decode(colours[codes])
    )
    path.write_bytes(png(codes, colour_type=3, extra=palette_chunks(colours, alpha=[0, 128])))
    got = io.read_png(path, transfer="srgb")
    np.testing.assert_array_equal(got[..., :3], io.srgb_decode(colours[codes]))
    np.testing.assert_array_equal(got[..., 3], hc.from_unorm8(np.uint8([0, 128, 255]))[codes])


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_colour_chunks_are_ignored(path, dtype, channels):
    """Gamma, sRGB and significant bits do not change the codes."""
    codes = np.arange(48, dtype=dtype).reshape(1, -1, channels) * (np.iinfo(dtype).max // 48)
    says = chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"sRGB", b"\0")
    path.write_bytes(png(codes, extra=says + chunk(b"sBIT", b"\4" * channels)))
    got = io.read_png(path, transfer="srgb")
    want = decode_colours(codes, "srgb", "rte")
    np.testing.assert_array_equal(got.reshape(want.shape), want)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_transparent_colour(path, dtype, channels):
    """Pixels of the colour in a tRNS chunk have alpha 0, all others 1."""
    codes = np.arange(12, dtype=dtype).reshape(1, 12 // channels, channels)
    clear = b"".join(struct.pack(">H", code) for code in codes[0, 2].tolist())
    path.write_bytes(png(codes, extra=chunk(b"tRNS", clear)))
    got = io.read_png(path, transfer="linear")
    np.testing.assert_array_equal(got[..., :-1], decode_colours(codes, "linear", "rte"))
    np.testing.assert_array_equal(got[0, :, -1], np.arange(12 // channels) != 2)


@pytest.mark.parametrize("transfer", ["srgb", "linear"])
@pytest.mark.parametrize("shape", [(7, 5), (7, 5, 1), (7, 5, 2), (7, 5, 3), (7, 5, 4)])
@pytest.mark.parametrize("width", [8, 16])
def test_files_are_written(path, mode, width, shape, transfer):
    """Another reader sees codes rounded in the mode, with colours by the transfer function."""
    pixels = half(np.random.default_rng(0).uniform(-0.25, 1.25, shape))
    pixels[0, 0] = np.nan
    io.write_png(path, pixels, transfer=transfer, bits=width, rounding=mode)
    encode = functools.partial(io.srgb_encode, dtype=f"u{width // 8}", rounding=mode)
    linear = functools.partial(getattr(hc, f"to_unorm{width}"), rounding=mode)
    want = linear(pixels)
    if transfer == "srgb":
        colours = slice(None, -1) if shape[2:] in ((2,), (4,)) else slice(None)
        place = (..., colours) if len(shape) == 3 else ...
        want[place] = encode(pixels[place])
    got = decode_by_hand(path.read_bytes())
    np.testing.assert_array_equal(got.reshape(want.shape), want)


def decode_by_hand(data):
    """Decode a PNG file to its codes, by the standard's filters."""
    place, body = 8, b""
    while place < len(data):
        size, name = struct.unpack(">I4s", data[place : place + 8])
        content = data[place + 8 : place + 8 + size]
        if name == b"IHDR":
            width, height, depth, colour_type = struct.unpack(">IIBB", content[:10])
        body += content if name == b"IDAT" else b""
        place += size + 12
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colour_type]
    step = channels * depth // 8
    rows = np.frombuffer(zlib.decompress(body), np.uint8).reshape(height, -1)
    previous, lines = [0] * (width * step), []
    for kind, *row in rows.tolist():
        line = []
        for k, x in enumerate(row):
            a, b = (line[k - step] if k >= step else 0), previous[k]
            c = previous[k - step] if k >= step else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line.append((x + (0, a, b, (a + b) // 2, nearest)[kind]) % 256)
        lines.append(line)
        previous = line
    codes = np.array(lines, np.uint8).reshape(height, -1).view(">u1" if depth == 8 else ">u2")
    return codes.reshape((height, width, channels) if channels > 1 else (height, width))


def test_layouts(path):
    pixels = np.zeros((4, 6), hc.half4).view(hc.half4)
    pixels.yw = 1
    io.write_png(path, pixels[::-1, ::2], transfer="srgb")
    np.testing.assert_array_equal(io.read_png(path, transfer="srgb"), np.asarray(pixels[::-1, ::2]))
    io.write_png(path, np.asarray(pixels).astype(">f2"), transfer="srgb")
    np.testing.assert_array_equal(io.read_png(path, transfer="srgb"), np.asarray(pixels))
    with Image.open(path) as image:
        assert image.mode == "RGBA" and image.getpixel((0, 0)) == (0, 255, 0, 255)


GOOD = half([[0, 0.5]])


@pytest.mark.parametrize(
    ("pixels", "keywords", "error", "match"),
    [
        (GOOD, {"transfer": "sRGB"}, ValueError, "expected 'srgb' or 'linear', got 'sRGB'"),
        (GOOD, {"transfer": None}, ValueError, "transfer"),
        (GOOD, {}, TypeError, "transfer"),
        (GOOD, {"transfer": "srgb", "bits": 10}, ValueError, "bits: expected 8 or 16"),
        (GOOD, {"transfer": "srgb", "bits": True}, ValueError, "bits"),
        (GOOD, {"transfer": "srgb", "rounding": "up"}, ValueError, "rounding"),
        (GOOD, {"transfer": "srgb", "rounding": 1}, ValueError, "rounding"),
        (
            GOOD.astype(float),
            {"transfer": "srgb"},
            TypeError,
            "pixels.*float64; use halfcl.io.to_half",
        ),
        (np.zeros((2, 2), np.uint8), {"transfer": "srgb"}, TypeError, "pixels.*uint8"),
        ([[1.0]], {"transfer": "srgb"}, TypeError, "pixels"),
        (np.ma.array(GOOD), {"transfer": "srgb"}, TypeError, "pixels: expected .* without a mask"),
        (GOOD, {"transfer": np.array(["srgb", "linear"])}, ValueError, "transfer: expected"),
        (GOOD[0], {"transfer": "srgb"}, ValueError, r"pixels.*\(2,\)"),
        (GOOD[:0], {"transfer": "srgb"}, ValueError, "some pixels"),
        (np.zeros((2, 2, 5), half), {"transfer": "srgb"}, ValueError, "pixels"),
        (np.zeros((2, 2, 0), half), {"transfer": "srgb"}, ValueError, "pixels"),
        (half([[0] * 1000001]), {"transfer": "srgb", "bits": 16}, ValueError, "pixels.* 1000001"),
    ],
)  # fmt: skip
def test_refused_arguments(path, pixels, keywords, error, match):
    path.write_bytes(b"older")
    with pytest.raises(error, match=match):
        io.write_png(path, pixels, **keywords)
    assert os.listdir(path.parent) == [path.name] and path.read_bytes() == b"older"


def test_pictures_that_pillow_finds_too_large(path, monkeypatch):
    io.write_png(path, np.zeros((9, 9), half), transfer="srgb")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 40)  # it refuses more than twice as many
    with pytest.raises(ValueError, match=r"path: cannot read .*exceeds limit of 80"):
        io.read_png(path, transfer="srgb")


def test_bits_of_numpy(path):
    io.write_png(path, GOOD, transfer="linear", bits=np.int64(16))
    assert path.read_bytes()[24] == 16


def test_paths(path):
    with pytest.raises(ValueError, match=r"path: expected a name that ends in \.png"):
        io.write_png(path.with_suffix(".jpg"), GOOD, transfer="srgb")
    with pytest.raises(FileNotFoundError):
        io.write_png(path.parent / "nowhere" / "a.png", GOOD, transfer="srgb")
    with pytest.raises(FileNotFoundError):
        io.read_png(path, transfer="srgb")
    with pytest.raises(ValueError, match="transfer"):
        io.read_png(path, transfer="gamma")
    jpeg = streams.BytesIO()
    Image.fromarray(np.zeros((2, 2), np.uint8)).save(jpeg, "JPEG")
    for data in (b"", b"\x89PNG\r\n\x1a\n", jpeg.getvalue()):
        path.write_bytes(data)
        with pytest.raises(ValueError, match="path: expected a PNG file"):
            io.read_png(path, transfer="srgb")


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_damaged_files(path, dtype, channels):
    """Files truncated within the pixels are refused; changed bytes are, or give a picture."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, np.iinfo(dtype).max, (20, 20, channels)).astype(dtype)
    data = png(codes)
    for size in map(int, np.linspace(33, len(data) - 40, 12)):
        path.write_bytes(data[:size])
        with pytest.raises(ValueError, match="path: "):
            io.read_png(path, transfer="srgb")
    for _ in range(60):
        changed = bytearray(data)
        changed[rng.integers(rng.choice([60, len(data)]))] = rng.integers(256)
        path.write_bytes(changed)
        try:
            assert io.read_png(path, transfer="srgb").size
        except (ValueError, MemoryError) as error:
            assert isinstance(error, MemoryError) or "path: " in str(error)


@pytest.mark.parametrize(
    ("module", "package", "width", "extra"),
    [("PIL.Image", "Pillow", 8, "png"), ("imagecodecs", "imagecodecs", 16, "png16")],
)
def test_a_missing_package_is_named(path, monkeypatch, module, package, width, extra):
    pixels = np.zeros((2, 2), half)
    io.write_png(path, pixels, transfer="srgb", bits=width)
    monkeypatch.setitem(sys.modules, module, None)
    match = rf'{package} is needed.*pip install "halfcl\[{extra}\]"'
    with pytest.raises(hc.MissingPackageError, match=match):
        io.read_png(path, transfer="srgb")
    with pytest.raises(hc.MissingPackageError, match=match):
        io.write_png(path, pixels, transfer="srgb", bits=width)
