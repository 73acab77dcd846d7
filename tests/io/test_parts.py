"""`halfcl.io` as a whole: imported lazily, with its packages imported only when needed."""

import subprocess
import sys

import numpy as np

import halfcl as hc
from halfcl import half, io

CODE = """
import sys
import halfcl as hc
assert "halfcl.io" not in sys.modules
assert hc.io.read_exr and hc.io is sys.modules["halfcl.io"]
assert not {"OpenEXR", "PIL", "imagecodecs", "PyOpenColorIO"} & set(sys.modules)
"""


def test_importing_needs_none_of_the_extras():
    subprocess.run([sys.executable, "-c", CODE], check=True)


def test_names():
    assert hc.io is io and hc.interval.__name__ == "halfcl.interval"
    for name in io.__all__:
        assert getattr(io, name).__doc__


def test_regions_and_error_states(tmp_path):
    """A strict region allows halves in and out; tiny results raise no error of the caller's."""
    exr, png, clf = (str(tmp_path / f"a.{suffix}") for suffix in ("exr", "png", "clf"))
    pixels = half([[0, 2**-20], [1, 2]])
    codes = np.arange(1 << 16, dtype=np.uint16)
    wide = np.array([[1.1, 1e9]])
    with hc.rounding("rtz", strict=True), np.errstate(all="raise"):
        io.write_exr(exr, pixels, dtype=half, overflow="clamp")
        np.testing.assert_array_equal(io.read_exr(exr).channels["Y"], pixels)
        assert io.Picture(dict.fromkeys("RGB", pixels)).rgba.dtype == half
        assert io.to_half(wide, overflow="clamp")[0, 1] == io.to_half(wide, overflow="inf")[0, 1]
        io.write_png(png, io.srgb_decode(codes.reshape(256, 256)), transfer="linear", bits=16)
        assert io.read_png(png, transfer="linear")[0, 1] == 0  # less than half a code
        for raw in (True, False):
            io.write_half_domain_lut(clf, hc.exp, raw_halfs=raw)
            assert io.read_half_domain_lut(clf)[0x3C00] == hc.exp(half(1))
