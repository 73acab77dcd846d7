"""OpenEXR files: half bit for bit, in every lossless compression; refused arguments and files."""

import os
import sys
import threading
from fractions import Fraction

import numpy as np
import OpenEXR
import pytest
from exhaustive import either, in_turn, shared_out

import halfcl as hc
from halfcl import half, io

MISSING = [name for name in io.COMPRESSIONS if not hasattr(OpenEXR, f"{name.upper()}_COMPRESSION")]
EXACT = [name for name in io.COMPRESSIONS if name == "none" or name not in MISSING]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "picture.exr"


@pytest.fixture(scope="module")
def every_half():
    """All bit patterns of half as a picture."""
    return np.arange(1 << 16, dtype=np.uint16).reshape(256, 256).view(half)


SMALL = half([[1, 2, 3], [4, 5, 6]])


def bits(array):
    return np.asarray(array).view(np.uint16)


def check_refusal(path, error, match, *args, **keywords):
    """Check that the call raises the error, and leaves the folder unchanged."""
    before = {name: os.stat(path.parent / name).st_mtime_ns for name in os.listdir(path.parent)}
    with pytest.raises(error, match=match):
        io.write_exr(path, *args, **keywords)
    after = {name: os.stat(path.parent / name).st_mtime_ns for name in os.listdir(path.parent)}
    assert after == before


# ---------------------------------------------------------------- what is kept


@in_turn
@pytest.mark.parametrize("tile", [None, (64, 32), (100, 300)])
@pytest.mark.parametrize("compression", EXACT)
def test_halves_are_kept_bit_for_bit(path, every_half, compression, tile):
    """All 65,536, in order and mixed; uint32 and float32 beside them."""
    rng = np.random.default_rng(1)
    words = rng.integers(0, 1 << 32, every_half.shape, dtype=np.uint32)
    mixed = rng.permutation(every_half.ravel()).reshape(every_half.shape)
    channels = {"R": every_half, "diffuse.R": mixed, "id": words}
    if compression != "pxr24":
        channels["Z"] = words.view(np.float32)
    io.write_exr(path, channels, compression=compression, tile=tile)
    picture = io.read_exr(path)
    assert list(picture.channels) == sorted(channels)
    for name, channel in channels.items():
        got = picture.channels[name]
        assert got.dtype == channel.dtype and got.tobytes() == channel.tobytes(), name
    assert (picture.compression, picture.tile) == (compression, tile)


def test_another_reader_reads_the_same(path, every_half):
    """OpenEXR's own functions read the same bits, in the file's types."""
    io.write_exr(path, {"R": every_half, "Z": np.ones((256, 256), np.float32)})
    with OpenEXR.File(str(path), separate_channels=True) as file:
        channels = file.channels()
        types = {name: channel.type() for name, channel in channels.items()}
        np.testing.assert_array_equal(bits(channels["R"].pixels), bits(every_half))
    assert types == {"R": OpenEXR.HALF, "Z": OpenEXR.FLOAT}


def test_another_writer_is_read_the_same(path, every_half):
    header = {"compression": OpenEXR.PIZ_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, {"G": every_half.view(np.float16)}).write(str(path))
    picture = io.read_exr(path)
    assert picture.compression == "piz" and picture.channels["G"].dtype == half
    np.testing.assert_array_equal(bits(picture.channels["G"]), bits(every_half))


@pytest.mark.parametrize("compression", io.LOSSY_COMPRESSIONS)
def test_compressions_that_are_lossy(path, compression):
    """Lossy compressions need lossy=True, and change values."""
    noise = half(np.random.default_rng(2).random((64, 64, 3)))
    check_refusal(path, ValueError, "compression.*lossy=True", noise, compression=compression)
    io.write_exr(path, noise, compression=compression, lossy=True)
    picture = io.read_exr(path)
    assert picture.compression == compression
    assert (picture.rgb != noise).any()
    check_refusal(path, ValueError, "compression", picture)  # as it was read: asked again


def test_pxr24_cuts_float32(path):
    depth = np.linspace(1, 2, 4096, dtype=np.float32).reshape(64, 64)
    check_refusal(path, ValueError, "keeps float32", {"Z": depth}, compression="pxr24")
    io.write_exr(path, {"Z": depth}, compression="pxr24", lossy=True)
    assert (io.read_exr(path).channels["Z"] != depth).any()


ATTRIBUTES = {
    "dataWindow": ((-5, 6), (-3, 7)),
    "displayWindow": ((0, 0), (99, 49)),
    "comments": "größer",
    "frame": -7,
    "exposure": 1.5,
    "precise": np.array([0.1]),
    "chromaticities": (0.75, 0.25, 0.25, 0.5, 0.125, 0.0625, 0.3125, 0.34375),
    "framesPerSecond": Fraction(24000, 1001),
    "worldToCamera": np.arange(16, dtype=np.float32).reshape(4, 4),
    "views": ["left", "right"],
    "offset": (1, -2),
    "pixelAspectRatio": 2.0,
}


def test_attributes_are_kept(path):
    io.write_exr(path, io.Picture({"R": SMALL}, "beauty", ATTRIBUTES, "zips"))
    first = io.read_exr(path)
    assert first.name == "beauty"
    io.write_exr(path, first)  # as it was read
    for picture in (first, io.read_exr(path)):
        for name, value in ATTRIBUTES.items():
            np.testing.assert_array_equal(picture.attributes[name], value, err_msg=name)
    assert picture.attributes["precise"].dtype == np.float64


def test_attributes_are_changed_by_the_argument(path):
    picture = io.Picture({"R": SMALL}, attributes={"a": 1, "b": 2})
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3).T
    io.write_exr(path, picture, attributes={"b": np.int64(3), "c": matrix}, tile=(16, 16))
    kept = io.read_exr(path)
    assert (kept.attributes["a"], kept.attributes["b"], kept.tile) == (1, 3, (16, 16))
    np.testing.assert_array_equal(kept.attributes["c"], matrix)
    io.write_exr(path, SMALL, attributes={"c": matrix.astype(">f4"), "frame": -(2**31)})
    kept = io.read_exr(path).attributes
    np.testing.assert_array_equal(kept["c"], matrix)
    assert kept["frame"] == -(2**31)
    assert picture.attributes == {"a": 1, "b": 2}


def test_parts(path):
    left_eye = io.Picture({"R": SMALL, "G": SMALL}, "left", {"eye": "L"}, "piz")
    depth = io.Picture({"Z": np.float32([[1]])}, "depth", {"far": 10.0}, "none", (32, 32))
    io.write_exr(path, [left_eye, depth])
    for name, place, want in (("left", 0, left_eye), ("depth", 1, depth)):
        for part in (io.read_exr(path, name), io.read_exr(path, part=np.int8(place))):
            assert (part.name, part.compression, part.tile) == (name, want.compression, want.tile)
            assert part.attributes.items() >= want.attributes.items()
            for channel, pixels in want.channels.items():
                np.testing.assert_array_equal(part.channels[channel], pixels)
    for part in (None, "right", 2, -1, 0.0, True):
        with pytest.raises(ValueError, match=r"part: expected one of \['left', 'depth'\]"):
            io.read_exr(path, part)


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ((2, 3), ["Y"]),
        ((2, 3, 1), ["Y"]),
        ((2, 3, 2), ["A", "Y"]),
        ((2, 3, 3), ["B", "G", "R"]),
        ((2, 3, 4), ["A", "B", "G", "R"]),
    ],
)
def test_arrays(path, shape, names):
    pixels = half(np.arange(np.prod(shape)).reshape(shape))
    io.write_exr(path, pixels)
    picture = io.read_exr(path)
    assert list(picture.channels) == names
    order = [name for name in ("Y", "R", "G", "B", "A") if name in names]
    np.testing.assert_array_equal(picture.stack(*order), pixels.reshape(2, 3, -1))


def test_layouts(path):
    """Strides, byte order, and vectors."""
    vectors = np.zeros((4, 6), hc.half4).view(hc.half4)
    vectors.x = np.arange(24).reshape(4, 6)
    io.write_exr(path, vectors[::-1, ::2])
    np.testing.assert_array_equal(io.read_exr(path).rgba, np.asarray(vectors[::-1, ::2]))
    swapped = {
        "h": SMALL.astype(">f2"),
        "f": SMALL.astype(">f4"),
        "u": SMALL.astype(">u4").T.copy().T,
    }
    io.write_exr(path, swapped)
    for name, channel in io.read_exr(path).channels.items():
        assert channel.dtype.isnative
        np.testing.assert_array_equal(channel, SMALL, err_msg=name)


def test_picture():
    picture = io.Picture({name: SMALL for name in ("R", "G", "B", "a.b.R", "a.b.Z")})
    assert picture.layers == ("", "a.b") and list(picture.layer("a.b")) == ["R", "Z"]
    assert list(picture.layer("")) == ["R", "G", "B"]
    assert picture.rgb.dtype == picture.rgba.dtype == half and picture.shape == (2, 3)
    np.testing.assert_array_equal(picture.rgba[..., 3], np.ones((2, 3)))
    picture.channels["A"] = SMALL / 2
    np.testing.assert_array_equal(picture.rgba[..., 3], SMALL / 2)
    assert repr(picture) == "<Picture 3 x 2: R, G, B, a.b.R, a.b.Z, A>"
    for call in (lambda: picture.layer("c"), lambda: picture.stack("X"), picture.stack):
        with pytest.raises(ValueError, match="expected"):
            call()
    with pytest.raises(ValueError, match=r"\['Y'\]"):
        _ = io.Picture({"Y": SMALL}).rgb


def test_threads(path, every_half):
    """Reading and writing at once, to one name: a reader sees a whole file."""
    io.write_exr(path, every_half)
    wrong = []

    def work(k):
        for _ in range(4):
            io.write_exr(path, every_half, compression=("none", "zip")[k % 2])
            if not np.array_equal(bits(io.read_exr(path).channels["Y"]), bits(every_half)):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and os.listdir(path.parent) == [path.name]


# ---------------------------------------------------------------- rounding to half


def test_rounding_to_half(path, mode):
    rng = np.random.default_rng(3)
    for dtype in (np.float32, np.float64):
        values = rng.standard_normal((20, 30)).astype(dtype) * 10.0 ** rng.integers(-8, 4, (20, 30))
        io.write_exr(path, {"Y": values.astype(dtype)}, dtype=half, rounding=mode)
        want = hc.convert(values.astype(dtype), half, rounding=mode)
        np.testing.assert_array_equal(bits(io.read_exr(path).channels["Y"]), bits(want))
        with hc.rounding(mode):
            io.write_exr(path, {"Y": values.astype(dtype)}, dtype=half)
        np.testing.assert_array_equal(bits(io.read_exr(path).channels["Y"]), bits(want))


#: Values, and by mode whether they overflow: rounded as if exponents had no end, beyond 65504.
BEYOND = {
    65504.0: "", 65504.5: "rtp", 65519.999: "rtp", 65520.0: "rte rtp",
    65535.999: "rte rtp", 65536.0: "rte rtz rtp rtn", 1e300: "rte rtz rtp rtn",
    -65504.5: "rtn", -65520.0: "rte rtn", -65536.0: "rte rtz rtp rtn",
}  # fmt: skip


@pytest.mark.parametrize("value", BEYOND)
def test_overflow(mode, value):
    overflows = mode in BEYOND[value].split()
    toward_zero = {"rte": False, "rtz": True, "rtp": value < 0, "rtn": value > 0}[mode]
    inf = io.to_half([value], overflow="inf", rounding=mode)
    most = np.inf if overflows and not toward_zero else 65504
    assert inf == np.copysign(most, value)
    assert io.to_half([value], overflow="clamp", rounding=mode) == np.copysign(65504, value)
    if overflows:
        with pytest.raises(ValueError, match=r"at \(0,\)"):
            io.to_half([value], rounding=mode)
    else:
        assert bits(io.to_half([value], rounding=mode)) == bits(inf)


def test_infinities_overflow_nothing():
    x = np.array([np.inf, -np.inf, np.nan, 1])
    with np.errstate(all="raise"):
        for same in (io.to_half(x), io.to_half(x, overflow="inf")):
            np.testing.assert_array_equal(same.astype(float), x)
        for values in (x, half(x)):
            clamped = io.to_half(values, overflow="clamp").astype(float)
            np.testing.assert_array_equal(clamped, [65504, -65504, np.nan, 1])


@pytest.mark.parametrize(
    "dtype", ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "g", ">f8"]
)
def test_to_half_of_every_type(dtype):
    values = np.array([0, 1, 100]).astype(dtype)
    for overflow in ("error", "inf", "clamp"):
        np.testing.assert_array_equal(io.to_half(values, overflow=overflow), values)
    if np.dtype(dtype).itemsize >= 4:
        most = np.array([10**6]).astype(dtype)
        assert io.to_half(most, overflow="clamp") == 65504
        with pytest.raises(ValueError, match="1000000"):
            io.to_half(most)


def test_to_half_shapes_and_errors():
    assert io.to_half(np.zeros((0, 3))).shape == (0, 3) and io.to_half(1.5).shape == ()
    with pytest.raises(TypeError, match="x: expected real numbers, got complex"):
        io.to_half([1j])
    for policy in ("wrap", ["inf"], np.array(["inf", "clamp"])):
        with pytest.raises(ValueError, match="overflow: expected"):
            io.to_half([1], overflow=policy)
    with pytest.raises(TypeError, match="x: expected an array without a mask"):
        io.to_half(np.ma.array([1.0, 2.0], mask=[False, True]))
    with pytest.raises(ValueError, match="x: expected numbers in an array"):
        io.to_half([[1], [1, 2]])
    if np.finfo(np.longdouble).maxexp > 1024:
        with pytest.raises(ValueError, match=r"got 1e\+4000 at \(\)"):
            io.to_half(np.longdouble("1e4000"))
    with pytest.raises(ValueError, match="rounding"):
        io.to_half([1], rounding="up")
    with pytest.raises(ValueError, match=r"-300000.0 at \(1, 0\)"):
        io.to_half([[1, 2e5], [-3e5, np.inf]])


def test_policies_when_writing(path):
    bright = {"R": np.array([[1e6, -np.inf]]), "h": half([[np.inf, 1]]), "id": np.uint32([[1, 2]])}
    check_refusal(path, ValueError, r"channels\['R'\].*1000000.0 at \(0, 0\)", bright, dtype=half)
    io.write_exr(path, bright, dtype=half, overflow="inf")
    np.testing.assert_array_equal(io.read_exr(path).channels["R"], [[np.inf, -np.inf]])
    io.write_exr(path, bright, dtype=half, overflow="clamp")
    channels = io.read_exr(path).channels
    np.testing.assert_array_equal(channels["R"], [[65504, -65504]])
    np.testing.assert_array_equal(channels["h"], [[65504, 1]])
    assert channels["id"].dtype == np.uint32


# ---------------------------------------------------------------- what is refused

WINDOW = {"dataWindow": ((0, 0), (3, 1))}


@pytest.mark.parametrize(
    ("picture", "keywords", "error", "match"),
    [
        ({}, {}, ValueError, "expected channels"),
        ([], {}, TypeError, "picture"),
        ([SMALL], {}, TypeError, "picture"),
        ("R", {}, TypeError, "picture"),
        (SMALL[0], {}, ValueError, "shape"),
        (np.zeros((2, 3, 5), half), {}, ValueError, "shape"),
        (SMALL[:0], {}, ValueError, "some pixels"),
        ({"R": SMALL, "G": SMALL[:1]}, {}, ValueError, r"channels\['G'\].*\(1, 3\)"),
        ({"R": SMALL[0]}, {}, ValueError, r"channels\['R'\]"),
        ({"R": SMALL.astype(float)}, {}, TypeError, r"channels\['R'\].*float64; use dtype=half"),
        ({"R": SMALL.astype(int)}, {}, TypeError, r"channels\['R'\].*int64"),
        ({"R": SMALL.astype(complex)}, {}, TypeError, r"channels\['R'\].*complex"),
        ({"R": SMALL.astype(np.uint8)}, {"dtype": half}, TypeError, r"channels\['R'\].*uint8"),
        ({"": SMALL}, {}, ValueError, "name of a channel"),
        ({"R\0": SMALL, "R": SMALL}, {}, ValueError, "name of a channel"),
        ({"R" * 256: SMALL}, {}, ValueError, "name of a channel"),
        ({"\ud800": SMALL}, {}, ValueError, "name of a channel"),
        ({1: SMALL}, {}, TypeError, "name of a channel"),
        (np.ma.array(SMALL), {}, TypeError, "picture: expected an array without a mask"),
        ({"R": np.ma.array(SMALL)}, {}, TypeError, r"channels\['R'\]: .*without a mask"),
        (io.Picture({"R": np.ma.array(SMALL)}), {}, TypeError, r"channels\['R'\]: .* a mask"),
        ({"R": np.ma.array(SMALL)}, {"dtype": half}, TypeError, r"channels\['R'\]: .* a mask"),
        ({"R": [[1], [1, 2]]}, {}, ValueError, r"channels\['R'\]: expected numbers in an array"),
        ([io.Picture({"R": SMALL}, "a")] * 2, {}, ValueError, "names of their own"),
        ([io.Picture({"R": SMALL})], {}, ValueError, "name of a part"),
        (io.Picture({"R": SMALL}, "a\0b"), {}, ValueError, "name of a part"),
        (io.Picture({"R": SMALL}, None), {}, TypeError, "name of a part"),
        (io.Picture(None), {}, TypeError, "a dict as channels"),
        (io.Picture({"R": SMALL}, attributes=None), {}, TypeError, "a dict as attributes"),
        (SMALL, {"compression": "ZIP"}, ValueError, "compression: expected one of .*'ZIP'"),
        (SMALL, {"compression": 3}, ValueError, "compression"),
        (SMALL, {"tile": (0, 16)}, ValueError, "tile"),
        (SMALL, {"tile": 16}, ValueError, "tile"),
        (SMALL, {"dtype": "float32"}, ValueError, "dtype: expected half"),
        (SMALL, {"dtype": "unheard of"}, ValueError, "dtype: expected half .*'unheard of'"),
        (SMALL, {"compression": "b44", "lossy": "no"}, TypeError, "lossy: expected a bool"),
        (SMALL, {"overflow": "inf"}, ValueError, "dtype=half"),
        (SMALL, {"dtype": half, "overflow": "wrap"}, ValueError, "overflow: expected"),
        (SMALL, {"dtype": half, "rounding": "up"}, ValueError, "rounding: expected"),
        (SMALL, {"attributes": WINDOW}, ValueError, "dataWindow.*3 x 2 pixels, got 4 x 2"),
        (SMALL, {"attributes": {"dataWindow": (0, 1)}}, ValueError, "dataWindow"),
        (SMALL, {"attributes": {"dataWindow": ((0, 0), (2, 2**31))}}, ValueError, "1,073,741,822"),
        (SMALL, {"attributes": {"compression": 1}}, ValueError, "got one; use compression"),
        (SMALL, {"attributes": {"type": 1}}, ValueError, "got one; use tile"),
        (SMALL, {"attributes": {"frame": 2**40}}, ValueError, r"\['frame'\].* of 32 bits"),
        (SMALL, {"attributes": {"offset": (1, 2**40)}}, ValueError, r"\['offset'\]"),
        (SMALL, {"attributes": {"gain": 1e300}}, ValueError, r"\['gain'\]"),
        (SMALL, {"attributes": {"x": object()}}, ValueError, r"^attributes\['x'\].* can hold"),
        (SMALL, {"attributes": {"pixelAspectRatio": -1.0}}, ValueError, r"^attributes\['pixelA"),
        (SMALL, {"tile": (32768, 32768)}, ValueError, "tile: expected at most .* 2 bytes"),
        (SMALL, {"attributes": {1: 2}}, TypeError, "name of an attribute"),
        (SMALL, {"attributes": [1]}, TypeError, "attributes: expected a dict"),
    ],
)  # fmt: skip
def test_refused_arguments(path, picture, keywords, error, match):
    path.write_bytes(b"older")
    check_refusal(path, error, match, picture, **keywords)
    assert path.read_bytes() == b"older"


RECURSIVE = [1.5]
RECURSIVE.append(RECURSIVE)


@pytest.mark.parametrize(
    "value",
    [
        2**70, -(2**70), 2**31, -(2**31) - 1, np.uint64(2**63), (2**70, 1), (1, 2, 2**31),
        ((1, 2), (3, 2**70)), Fraction(2**31, 3), Fraction(1, 2**40), 1e39, (1.0, -1e300), [1e300],
        None, 1j, b"bytes", object(), float, len, {}, {"a": 1}, {1}, (), [], (1,), (1, 2.5),
        (None, None), (1, 2, 3, 4), tuple(range(8)), [1, 2], [2**70], ["a", 1], [1.5, "a"],
        ["\ud800"], "\ud800", [[1.5]], RECURSIVE, np.zeros((2, 2)), np.zeros((3, 4), np.float32),
        np.zeros((3, 3, 3), np.float32), np.eye(3, dtype=int), np.zeros(0), np.arange(3),
        np.array([None]), np.array(["a"]), np.float64(1e300), np.longdouble(1),
        np.datetime64(1, "s"), OpenEXR.PreviewImage(), OpenEXR.Channel(), OpenEXR.scanlineimage,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_attributes_that_openexr_cannot_hold(path, value):
    """The error names the attribute, whatever the package does with it: wrap, drop, or raise."""
    attributes = {"before": 1, "value": value, "after": "text"}
    check_refusal(
        path, ValueError, r"^attributes\['value'\]: expected", SMALL, attributes=attributes
    )
    several = [io.Picture({"Y": SMALL}, name, attributes) for name in "ab"]
    check_refusal(path, ValueError, r"^attributes\['value'\]: expected", several)


def test_attributes_of_another_type_than_openexr_has_them(path):
    for name, value in [
        ("pixelAspectRatio", 1), ("pixelAspectRatio", "x"), ("screenWindowCenter", (1, 2)),
        ("adoptedNeutral", 1.0), ("displayWindow", OpenEXR.PreviewImage()),
    ]:  # fmt: skip
        check_refusal(
            path, ValueError, rf"^attributes\['{name}'\]", SMALL, attributes={name: value}
        )
    masked = {"value": np.ma.array([1.0, 2.0], mask=[0, 1])}
    check_refusal(path, TypeError, r"^attributes\['value'\].* mask", SMALL, attributes=masked)


def test_paths(tmp_path):
    for name in ("a.png", "exr", "a.exr.bak"):
        check_refusal(
            tmp_path / name, ValueError, r"path: expected a name that ends in \.exr", SMALL
        )
    with pytest.raises(FileNotFoundError, match="nowhere"):
        io.write_exr(tmp_path / "nowhere" / "a.exr", SMALL)
    (tmp_path / "folder.exr").mkdir()
    check_refusal(tmp_path / "folder.exr", IsADirectoryError, "path", SMALL)
    check_refusal(
        tmp_path / "a\0.exr", ValueError, "path: expected a name without zero bytes", SMALL
    )
    for path in (3, None):
        with pytest.raises(TypeError, match="path: expected"):
            io.write_exr(path, SMALL)
        with pytest.raises(TypeError, match="path: expected"):
            io.read_exr(path)
    name = tmp_path / ("größer" * 20 + ".EXR")
    for form in (name, str(name), os.fsencode(name)):
        io.write_exr(form, SMALL)
        np.testing.assert_array_equal(io.read_exr(form).channels["Y"], SMALL)
    link = tmp_path / "link.exr"
    link.symlink_to(name)
    io.write_exr(link, half([[7]]))
    assert link.is_symlink() and io.read_exr(name).shape == (1, 1)
    with pytest.raises(FileNotFoundError):
        io.read_exr(tmp_path / "none.exr")
    (tmp_path / "text.exr").write_text("no picture")
    (tmp_path / "empty.exr").touch()
    for other in ("text.exr", "empty.exr"):
        with pytest.raises(ValueError, match="path: expected an OpenEXR file"):
            io.read_exr(tmp_path / other)


@shared_out
@pytest.mark.parametrize("compression", ["none", "zip", "piz"])
@pytest.mark.parametrize("tile", [None, (16, 16)])
def test_damaged_files(path, compression, tile, capfd):
    """Truncated files are refused; files with changed bytes are refused, or give a picture."""
    rng = np.random.default_rng(4)
    pixels = rng.integers(0, 1 << 16, (40, 50), dtype=np.uint16).view(half)
    io.write_exr(
        path, {"R": pixels, "Z": pixels.astype(np.float32)}, compression=compression, tile=tile
    )
    data = path.read_bytes()
    for size in [*range(0, 400, 40), *map(int, np.linspace(400, len(data) - 1, 8))]:
        path.write_bytes(data[:size])
        with pytest.raises(ValueError, match="path: "):
            io.read_exr(path)
    for _ in range(either(40, 10)):
        changed = bytearray(data)
        for _ in range(3):
            changed[rng.integers(rng.choice([400, len(data)]))] = rng.integers(256)
        path.write_bytes(changed)
        try:
            assert io.read_exr(path).channels
        except (ValueError, MemoryError) as error:
            assert isinstance(error, MemoryError) or "path: " in str(error)


def test_deep_and_subsampled_pictures_are_refused(path):
    samples = np.empty((1, 2), object)
    samples[0, 0] = samples[0, 1] = np.float32([1, 2])
    header = {"compression": OpenEXR.ZIPS_COMPRESSION, "type": OpenEXR.deepscanline}
    OpenEXR.File(header, {"Z": samples}).write(str(path))
    with pytest.raises(ValueError, match="deep"):
        io.read_exr(path)
    flat = OpenEXR.Part({}, {"Z": np.ones((1, 2), np.float32)}, "flat")
    OpenEXR.File([OpenEXR.Part(header, {"Z": samples}, "deep"), flat]).write(str(path))
    with pytest.raises(ValueError, match="deep"):
        io.read_exr(path, "deep")
    assert io.read_exr(path, "flat").shape == (1, 2)
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    header["dataWindow"] = ((0, 0), (3, 3))
    chroma = OpenEXR.Channel("RY", np.ones((2, 2), np.float16), 2, 2)
    OpenEXR.File(header, {"RY": chroma}).write(str(path))
    with pytest.raises(ValueError, match="'RY' is subsampled 2 x 2"):
        io.read_exr(path)


def test_a_missing_package_is_named(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "OpenEXR", None)
    for call in (lambda: io.read_exr(path), lambda: io.write_exr(path, SMALL)):
        with pytest.raises(hc.MissingPackageError, match=r'OpenEXR.*pip install "halfcl\[exr\]"'):
            call()
