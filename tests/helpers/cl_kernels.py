"""The library of kernels: their names, and what they are to leave."""

import copy
import functools
import importlib.util
import re
import sys

import numpy as np
from places import TESTS

FOLDER = TESTS / "cl" / "kernels"
KERNELS = [
    (path.stem, name)
    for path in sorted(FOLDER.glob("*.cl"))
    for name in re.findall(r"^kernel void (\w+)", path.read_text(), re.MULTILINE)
]
#: Those that have no images of halves.
DEVICE_KERNELS = [kernel for kernel in KERNELS if kernel[0] != "images"]
#: Those whose results lie in the order in which work-items, or work-groups, came.
UNORDERED = ("compact_counted", "compact_groups")


@functools.cache
def references(stem):
    specification = importlib.util.spec_from_file_location(f"kernels_{stem}", FOLDER / f"{stem}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def assert_alike(here, there, stem, name, mode):
    """Check that two programs store the same bytes, for the inputs of the kernel's reference."""
    wanted = getattr(references(stem), name)()
    other = copy.deepcopy(wanted)
    for program, case in ((here, wanted), (there, other)):
        for launch in [*case.earlier, (name, case.size, case.local, case.arguments)]:
            kernel, size, local, arguments = launch
            program[kernel](size, local, *arguments, rounding=mode)
    for place in wanted.results:
        result, right = (case.arguments[place] for case in (other, wanted))
        if name in UNORDERED:
            result, right = np.sort(result), np.sort(right)
        assert result.tobytes() == right.tobytes(), name


def differing(result, wanted):
    """Return where results differ: NaNs are alike, zeros of different signs are not."""
    bits = [np.ascontiguousarray(x).view(f"u{x.itemsize}") for x in (result, wanted)]
    differ = bits[0] != bits[1]
    if wanted.dtype.kind not in "iub":
        differ &= ~(np.isnan(result) & np.isnan(wanted))
    return np.flatnonzero(differ)
