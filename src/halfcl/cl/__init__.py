"""OpenCL C kernels on NumPy arrays, bit for bit, with the rounding pragmas that no device has."""

from halfcl._support.extras import require
from halfcl._support.names import publish

for _module, _package in (("clang.cindex", "libclang"),):
    require(_module, _package, "kernels", "to build OpenCL C")

from halfcl.cl._devices.comparison import Deviation, DeviceComparison, compare  # noqa: E402
from halfcl.cl._frontend.errors import (  # noqa: E402
    BuildError,
    BuildWarning,
    Diagnostic,
    LaunchError,
    SourceLocation,
)
from halfcl.cl._interpreter.contraction import Contraction, ContractionDifference, FusedSite  # noqa: E402
from halfcl.cl._interpreter.findings import CheckError, Finding  # noqa: E402
from halfcl.cl._interpreter.kernel import Argument, Kernel  # noqa: E402
from halfcl.cl._interpreter.launching.arguments import LocalMemory  # noqa: E402
from halfcl.cl._program import Program  # noqa: E402
from halfcl.cl._translation import DeviceCall, Translation, translate  # noqa: E402

__all__ = [
    "Argument",
    "BuildError",
    "BuildWarning",
    "CheckError",
    "Contraction",
    "ContractionDifference",
    "Deviation",
    "DeviceCall",
    "DeviceComparison",
    "Diagnostic",
    "Finding",
    "FusedSite",
    "Kernel",
    "LaunchError",
    "LocalMemory",
    "Program",
    "SourceLocation",
    "Translation",
    "compare",
    "translate",
]

publish(globals())
