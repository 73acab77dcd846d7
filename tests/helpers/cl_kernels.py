"""The library of kernels: their names, and what they are to leave."""

import functools
import importlib.util
import re
import sys

from places import TESTS

FOLDER = TESTS / "cl" / "kernels"
KERNELS = [
    (path.stem, name)
    for path in sorted(FOLDER.glob("*.cl"))
    for name in re.findall(r"^kernel void (\w+)", path.read_text(), re.MULTILINE)
]


@functools.cache
def references(stem):
    specification = importlib.util.spec_from_file_location(f"kernels_{stem}", FOLDER / f"{stem}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module
