"""Pictures and look-up tables in files: OpenEXR, PNG, and tables over all halves.

Half channels of OpenEXR are read and written bit for bit; PNG's integers through a transfer
function that is named, rounded once; any function of halves as a Common LUT Format file, which
OpenColorIO loads. The packages that know the formats are extras: ``pip install "halfcl[exr,png]"``.

>>> import halfcl as hc
>>> hc.io.srgb_decode(hc.convert([0, 128, 255], "uchar"))
array([0.    , 0.2158, 1.    ], dtype=half)
"""

from halfcl._support.names import publish
from halfcl.io._compression import COMPRESSIONS, LOSSY_COMPRESSIONS
from halfcl.io._exr import read_exr, write_exr
from halfcl.io._limits import MAX_PIXELS
from halfcl.io._lut import read_half_domain_lut, write_half_domain_lut
from halfcl.io._overflow import to_half
from halfcl.io._picture import Picture
from halfcl.io._png import read_png, write_png
from halfcl.io._srgb import srgb_decode, srgb_encode

__all__ = [
    "COMPRESSIONS",
    "LOSSY_COMPRESSIONS",
    "MAX_PIXELS",
    "Picture",
    "read_exr",
    "read_half_domain_lut",
    "read_png",
    "srgb_decode",
    "srgb_encode",
    "to_half",
    "write_exr",
    "write_half_domain_lut",
    "write_png",
]

publish(globals())
