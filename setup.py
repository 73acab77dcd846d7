"""The one extension module. Instruction sets are chosen inside the C sources
(csrc/targets), so no file needs flags of its own."""

import os
from glob import glob
from multiprocessing.pool import ThreadPool

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ON_WINDOWS = os.name == "nt"


class ParallelBuild(build_ext):
    """Compiles as many files at a time as there are processors; on Windows by MinGW."""

    def finalize_options(self):
        super().finalize_options()
        if ON_WINDOWS and self.compiler is None:
            self.compiler = "mingw32"  # the engine is in GNU C

    def build_extensions(self):
        compile_some = self.compiler.compile

        def compile_all(sources, *args, **kwargs):
            # Each instruction set's file holds all kernels and takes longer than all others.
            longest_first = sorted(sources, key=lambda source: "targets" not in source)
            with ThreadPool(os.cpu_count()) as pool:
                objects = pool.map(
                    lambda source: compile_some([source], *args, **kwargs), longest_first, 1
                )
            return [path for paths in objects for path in paths]

        self.compiler.compile = compile_all
        super().build_extensions()


folders = ("format", "env", "exact", "exact/doubledouble", "run", "targets")
engine = sorted(path for folder in folders for path in glob(f"csrc/{folder}/*.c"))

core = Extension(
    "halfcl._core.native",
    sources=["src/halfcl/_core/native.pyx", *engine],
    include_dirs=[numpy.get_include(), "csrc/include", "csrc", "src/halfcl/_core"],
    depends=[
        *glob("csrc/**/*.h", recursive=True),
        "csrc/targets/targets.def",
        *glob("src/halfcl/_core/*.[ph]*"),
    ],
    define_macros=[
        ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
        ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
    ],
    # Kernels depend on the rounding mode and on exception flags: no contraction,
    # no folding, no speculation. errno is not looked at, which roots would be computed one
    # by one for.
    extra_compile_args=[
        "-std=gnu11",
        "-O3",
        "-ffp-contract=off",
        "-frounding-math",
        "-ftrapping-math",
        "-fno-math-errno",
        "-fvisibility=hidden",
        "-g0",
        "-pthread",  # the engine's pool
        # Windows keeps stacks to multiples of 16 bytes, which GCC forgets where it stores vectors.
        *(["-Wa,-muse-unaligned-vector-move"] if ON_WINDOWS else []),
    ],
    extra_link_args=["-pthread", *(["-static"] if ON_WINDOWS else [])],
)

setup(ext_modules=[core], cmdclass={"build_ext": ParallelBuild})
