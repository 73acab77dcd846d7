"""OpenCL's half constants and the queries of cl_khr_fp16."""

from __future__ import annotations

import enum
import platform
from typing import TypedDict

import numpy as np

from halfcl import _core

half = _core.half

HALF_DIG = CL_HALF_DIG = 3
HALF_MANT_DIG = CL_HALF_MANT_DIG = 11
HALF_MAX_10_EXP = CL_HALF_MAX_10_EXP = 4
HALF_MAX_EXP = CL_HALF_MAX_EXP = 16
HALF_MIN_10_EXP = CL_HALF_MIN_10_EXP = -4
HALF_MIN_EXP = CL_HALF_MIN_EXP = -13
HALF_RADIX = CL_HALF_RADIX = 2
HALF_MAX = CL_HALF_MAX = half("0x1.ffcp15h")
HALF_MIN = CL_HALF_MIN = half("0x1.0p-14h")
HALF_EPSILON = CL_HALF_EPSILON = half("0x1.0p-10h")

#: The results of ``ilogb`` for zero and NaN.
FP_ILOGB0 = -(2**31)
FP_ILOGBNAN = 2**31 - 1

# Each is rounded once from 30 digits of the true value.
M_E_H = half("2.71828182845904523536028747135h")
M_LOG2E_H = half("1.44269504088896340735992468100h")
M_LOG10E_H = half("0.434294481903251827651128918917h")
M_LN2_H = half("0.693147180559945309417232121458h")
M_LN10_H = half("2.30258509299404568401799145468h")
M_PI_H = half("3.14159265358979323846264338328h")
M_PI_2_H = half("1.57079632679489661923132169164h")
M_PI_4_H = half("0.785398163397448309615660845820h")
M_1_PI_H = half("0.318309886183790671537767526745h")
M_2_PI_H = half("0.636619772367581343075535053490h")
M_2_SQRTPI_H = half("1.12837916709551257389615890312h")
M_SQRT2_H = half("1.41421356237309504880168872421h")
M_SQRT1_2_H = half("0.707106781186547524400844362105h")


class FPConfig(enum.IntFlag):
    """The flags ``cl_device_fp_config``: features of a device's floating-point arithmetic."""

    CL_FP_DENORM = 1 << 0
    CL_FP_INF_NAN = 1 << 1
    CL_FP_ROUND_TO_NEAREST = 1 << 2
    CL_FP_ROUND_TO_ZERO = 1 << 3
    CL_FP_ROUND_TO_INF = 1 << 4
    CL_FP_FMA = 1 << 5
    CL_FP_SOFT_FLOAT = 1 << 6


globals().update(FPConfig.__members__)

#: ``CL_DEVICE_HALF_FP_CONFIG``. Conversions are software on the portable set.
HALF_FP_CONFIG = CL_DEVICE_HALF_FP_CONFIG = FPConfig(
    sum(x for x in FPConfig if x != FPConfig.CL_FP_SOFT_FLOAT or _core.ISA_NAME == "portable")
)

#: Whether `fma` is about as fast as a multiplication and an addition.
FP_FAST_FMA_HALF = _core.ISA_NAME != "portable"


class ProcessorInfo(TypedDict):
    """The result of `processor_info`."""

    isa: str
    available: tuple[str, ...]
    features: tuple[str, ...]
    machine: str
    half_fp_config: FPConfig


def processor_info() -> ProcessorInfo:
    """Return the instruction set in use, and the processor's features.

    Returns
    -------
    dict
        ``isa``: the set of kernels in use (``HALFCL_ISA`` forces one);
        ``available``: the sets that this processor can run, best last;
        ``features``: the processor's features that kernels depend on;
        ``machine``: the architecture; ``half_fp_config``: `HALF_FP_CONFIG`.

    Notes
    -----
    Source: cl_khr_fp16, the additions to the device queries.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.processor_info()["isa"] in hc.processor_info()["available"]
    True
    """
    return {
        "isa": _core.ISA_NAME,
        "available": _core.available_isas(),
        "features": _core.cpu_features(),
        "machine": platform.machine(),
        "half_fp_config": HALF_FP_CONFIG,
    }


class finfo:
    """Limits of `half`: those of ``numpy.finfo(numpy.float16)``, as halves.

    ``numpy.finfo(half)`` gives it too.

    Attributes
    ----------
    bits, nmant, nexp, iexp, machep, negep, minexp, maxexp, precision : int
    eps, epsneg, max, min, tiny, smallest_normal, smallest_subnormal, resolution : half
    dtype : numpy.dtype

    Notes
    -----
    Source: IEEE 754-2008, binary16; cl_khr_fp16's macros.

    Examples
    --------
    >>> import halfcl as hc
    >>> hc.finfo().eps
    half(0.000977)
    """

    _COUNTS = (
        "bits", "nmant", "nexp", "iexp", "machep", "negep", "minexp", "maxexp", "precision",
    )  # fmt: skip
    _VALUES = (
        "eps", "epsneg", "max", "min", "tiny", "smallest_normal", "smallest_subnormal",
        "resolution",
    )  # fmt: skip

    def __init__(self) -> None:
        self.dtype = _core.HALF_DTYPE
        float16 = np.finfo(np.float16)
        for name in self._COUNTS:
            setattr(self, name, getattr(float16, name))
        for name in self._VALUES:
            setattr(self, name, half(getattr(float16, name)))

    def __str__(self) -> str:
        return str(np.finfo(np.float16)).replace("float16", "half")

    def __repr__(self) -> str:
        return repr(np.finfo(np.float16)).replace("float16", "half")


__all__ = [
    *(name for name in globals() if name.isupper() and not name.startswith("_")),
    "FPConfig",
    "processor_info",
    "finfo",
]
