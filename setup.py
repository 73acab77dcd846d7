"""The one extension module. Instruction sets are chosen inside the C sources
(csrc/targets), so no file needs flags of its own."""

from glob import glob

import numpy
from setuptools import Extension, setup

folders = ("csrc", "csrc/doubledouble", "csrc/targets")
engine = sorted(path for folder in folders for path in glob(f"{folder}/*.c"))

core = Extension(
    "halfcl._core",
    sources=["src/halfcl/_core.pyx", *engine],
    include_dirs=[numpy.get_include(), "csrc", "src/halfcl"],
    depends=glob("csrc/**/*.h", recursive=True)
    + glob("csrc/kernels/*")
    + glob("src/halfcl/_*.[ph]*"),
    define_macros=[
        ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
        ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
    ],
    # Kernels depend on the rounding mode and on exception flags: no contraction,
    # no folding, no speculation.
    extra_compile_args=[
        "-std=gnu11",
        "-O3",
        "-ffp-contract=off",
        "-frounding-math",
        "-ftrapping-math",
        "-fvisibility=hidden",
    ],
)

setup(ext_modules=[core])
