"""Files that declare a large size, or have no end, are refused before memory is allocated."""

import os
import struct
import subprocess
import sys
import threading

import numpy as np
import pytest
from PIL import Image
from png_files import chunk, png

from halfcl import half, io

pytestmark = pytest.mark.once

READERS = {
    "png": lambda path, **limit: io.read_png(path, transfer="linear", **limit),
    "exr": io.read_exr,
    "clf": io.read_half_domain_lut,
}
LIMITS = {"png": "max_pixels", "exr": "max_pixels", "clf": "max_bytes"}


def png_of(width, height, bits):
    """Return a file of 57 bytes that declares a picture of this size."""
    head = struct.pack(">IIBBBBB", width, height, bits, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IEND", b"")


def exr_of(path, width, height, **how):
    """Write a small file whose windows declare a large size."""
    io.write_exr(path, np.ones((4, 4), half), **how)
    data = bytearray(path.read_bytes())
    for window in (b"dataWindow", b"displayWindow"):
        at = data.index(window + b"\0box2i\0") + len(window) + 11
        data[at : at + 16] = struct.pack("<4i", 0, 0, width - 1, height - 1)
    path.write_bytes(data)


@pytest.mark.parametrize("bits", [8, 16])
def test_a_large_png(tmp_path, bits):
    path = tmp_path / "a.png"
    path.write_bytes(png_of(100_000, 100_000, bits))
    match = r"path: .* at most max_pixels=178,956,970, got .* of 100,000 x 100,000"
    with pytest.raises(ValueError, match=match):
        READERS["png"](path)


@pytest.mark.parametrize("how", [{}, {"tile": (64, 64)}])
def test_a_large_exr(tmp_path, how):
    path = tmp_path / "a.exr"
    exr_of(path, 99_999, 99_999, **how)
    match = r"path: .* at most max_pixels=178,956,970, got .* of 9,999,800,001"
    with pytest.raises(ValueError, match=match):
        io.read_exr(path)


def test_pixels_are_counted(tmp_path):
    """PNG: width times height; OpenEXR: the same per four channels, over all parts."""
    pixels = np.ones((5, 8, 4), half)
    io.write_png(tmp_path / "a.png", pixels, transfer="linear")
    io.write_exr(tmp_path / "a.exr", pixels)
    channels = {name: pixels[..., 0] for name in "ABGRZ"}
    io.write_exr(tmp_path / "five.exr", channels)
    io.write_exr(tmp_path / "parts.exr", [io.Picture({"R": pixels[..., 0]}, n) for n in "abc"])
    for name, count in (("a.png", 40), ("a.exr", 40), ("five.exr", 80), ("parts.exr", 120)):
        read = READERS[name[-3:]]
        part = {"part": 0} if name == "parts.exr" else {}
        for enough in (count, np.int64(count), None):
            read(tmp_path / name, max_pixels=enough, **part)
        with pytest.raises(ValueError, match=f"path: .* at most max_pixels={count - 1}, got"):
            read(tmp_path / name, max_pixels=count - 1, **part)


def test_bytes_of_a_table_are_counted(tmp_path):
    path = tmp_path / "a.clf"
    io.write_half_domain_lut(path, np.sqrt)
    size = path.stat().st_size
    for enough in (size, None):
        assert io.read_half_domain_lut(path, max_bytes=enough).shape == (65536,)
    with pytest.raises(ValueError, match=f"max_bytes: .* at most {size - 1:,} bytes"):
        io.read_half_domain_lut(path, max_bytes=size - 1)


def test_max_pixels_overrides_pillows_limit(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    path.write_bytes(png(np.zeros((30, 30), np.uint8)))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    for limit in (None, io.MAX_PIXELS + 1):
        assert READERS["png"](path, max_pixels=limit).shape == (30, 30)
    for limit in ({}, {"max_pixels": 900}):
        with pytest.raises(ValueError, match="exceeds limit of 20"):
            READERS["png"](path, **limit)


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("limit", [0, -1, True, 1.5, "9", float])
def test_limits_that_are_none(tmp_path, suffix, limit):
    name = LIMITS[suffix]
    error = ValueError if type(limit) is int else TypeError
    with pytest.raises(error, match=f"{name}: expected"):
        READERS[suffix](tmp_path / "missing", **{name: limit})


# ---------------------------------------------------------------- no end

ENDLESS = """
import resource, sys
from halfcl import io
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
readers = {"png": lambda p: io.read_png(p, transfer="linear"), "exr": io.read_exr,
           "clf": io.read_half_domain_lut}
for suffix in sys.argv[1].split():
    try:
        readers[suffix](sys.argv[2])
    except (OSError, ValueError) as error:
        print(type(error).__name__, error)
"""


def run_with_little_memory(suffixes, path):
    """Return the output of a process with 4 GiB, within a minute."""
    pytest.importorskip("resource", reason="the system has no limits on memory")
    command = [sys.executable, "-c", ENDLESS, " ".join(suffixes), path]
    process = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero here")
def test_an_endless_device():
    expected = {
        "png": "ValueError path: expected a PNG file, got '/dev/zero', which is not one",
        "exr": "OSError [Errno 29] expected a regular file, in which OpenEXR can seek: '/dev/zero'",
        "clf": "ValueError max_bytes: expected a file of at most 16,777,216 bytes, got '/dev/zero'",
    }
    assert run_with_little_memory(READERS, "/dev/zero").splitlines() == [
        expected[suffix] for suffix in READERS
    ]


def feed_pipe(path, pieces):
    """Write to a pipe until its reader has gone."""
    try:
        with open(path, "wb") as pipe:
            for piece in pieces:
                pipe.write(piece)
    except BrokenPipeError:
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_png_without_an_end(tmp_path):
    path = tmp_path / "a.png"
    os.mkfifo(path)
    endless = (b"\0" * (1 << 20) if k else png_of(10, 10, 16)[:33] for k in range(10_000))
    writer = threading.Thread(target=feed_pipe, args=(path, endless))
    writer.start()
    message = run_with_little_memory(["png"], str(path))
    writer.join()
    assert message.startswith("ValueError path: expected a file of at most 67,110")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_are_read(tmp_path):
    codes = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    for name, data in (("a.png", png(codes)), ("a.clf", None)):
        if data is None:
            io.write_half_domain_lut(tmp_path / "b.clf", np.sqrt)
            data = (tmp_path / "b.clf").read_bytes()
        os.mkfifo(tmp_path / name)
        writer = threading.Thread(target=feed_pipe, args=(tmp_path / name, [data]))
        writer.start()
        assert READERS[name[-3:]](tmp_path / name).size in (48, 65536)
        writer.join()
