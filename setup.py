"""The one extension module, and OpenCL's layer, a library of its own.

The C sources choose the instruction sets (csrc/targets), so no file needs flags of its own.
"""

import json
import os
import re
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from glob import glob
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from subprocess import run
from sysconfig import get_platform
from typing import NamedTuple

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# What it is compiled for: tools/test_windows_wheel.sh does so on Linux.
ON_WINDOWS = get_platform().startswith("win")
TARGETS = Path("csrc/targets")
MODULE = "src/halfcl/_core/native.pyx"
# Source that the package ships for other devices, and its generator.
DEVICE_TEXT = "halfcl/device/kernels.h"
MAKE_DEVICE_TEXT = "tools/make_device.py"
# Tables that the package ships for GPUs, and their generator.
PRELUDES = "halfcl/device/preludes"
DEVICE_TABLES = (f"{PRELUDES}/cuda/double_tables.h", f"{PRELUDES}/cpp/srgb.h")
MAKE_DEVICE_TABLES = "tools/make_device_tables.py"
TEXTS = (DEVICE_TEXT, *DEVICE_TABLES)
# OpenCL's layer, which loaders open; it needs neither Python nor the engine (csrc/layer/README.md).
LAYER = f"halfcl/cl/_layer/libhalfcl_layer.{'dll' if ON_WINDOWS else 'so'}"
LAYER_HEADER = "CL/cl_layer.h"
# Stubs, which the built package writes, and their generator.
STUBS = ("halfcl/__init__.pyi", "halfcl/_callables.pyi", "halfcl/vectors/__init__.pyi")
MAKE_STUBS = "tools/make_stubs.py"

# Kernels depend on the rounding mode and on exception flags: no contraction, no folding, no
# speculation. errno is not looked at, which roots would be computed one by one for.
NUMERICS = ("-ffp-contract=off", "-frounding-math", "-ftrapping-math", "-fno-math-errno")
# -O3 alone makes vectors of loops in plain C: by -O2 conversions take two to three times as long,
# geometric functions three, and nothing but intervals as long as before.
FLAGS = (
    "-std=c11",
    "-O3",
    *NUMERICS,
    "-fvisibility=hidden",
    "-g0",
    "-pthread",  # the engine's pool
    # Windows keeps stacks to multiples of 16 bytes, which GCC forgets where it stores vectors.
    *(["-Wa,-muse-unaligned-vector-move"] if ON_WINDOWS else []),
)
FLAGS_OF_LAYER = ("-std=gnu11", "-O2", "-fvisibility=hidden", "-g0", "-pthread")
LIBRARIES_OF_LAYER = ["dl"] if get_platform().startswith("linux") else []
# By -O1 calls execute 1.006 times the instructions that they do by -O2, and those of arrays 0.99;
# the compiler takes 11 s instead of 19. It aligns functions by -O2 alone: without that, a change in
# one of them makes calls of others up to a sixth slower, though they execute the same instructions.
FLAGS_OF_MODULE = ("-O1", "-falign-functions=32")
# What -O1 needs of the rest to make vectors of loops as -O3 does. The portable kernels of a
# processor that has sets of its own take half as long to compile so, and 1.06 times as long to run.
FLAGS_OF_PORTABLE = (
    "-O1",
    "-fexpensive-optimizations",  # without them no VZEROUPPER before calls
    "-finline-functions",
    "-finline-small-functions",
    "-fpeel-loops",
    "-fschedule-insns2",
    "-fstrict-aliasing",
    "-ftree-loop-distribute-patterns",
    "-ftree-loop-distribution",
    "-ftree-loop-vectorize",
    "-fvect-cost-model=dynamic",
    "-fversion-loops-for-strides",
    "-Wno-maybe-uninitialized",  # it looks at vectors before the loops that fill them are unrolled
)
HAS_OWN_SETS = get_platform().endswith(("x86_64", "amd64", "aarch64", "arm64"))


def names_in_list(name: str, kind: str) -> list[str]:
    """Return the names in a list of csrc/targets."""
    return re.findall(rf"^{kind}\((\w+)", (TARGETS / name).read_text(), re.MULTILINE)


class Unit(NamedTuple):
    """One call of the compiler."""

    source: str
    folder: str  # within the folder of objects
    flags: tuple[str, ...]


def units_of(source: str, by_gcc: bool) -> list[Unit]:
    """Return the calls of the compiler for a source.

    A target's file is compiled once for itself and once for each family of kernels.
    """
    path = Path(source)
    units = [Unit(source, "", ())]
    if path.parent == TARGETS and path.stem in names_in_list("targets.def", "TARGET"):
        is_quick = path.stem == "portable" and HAS_OWN_SETS and by_gcc
        for family in names_in_list("families.def", "FAMILY"):
            body = f'-DHALFCL_TARGET_BODY="targets/families/{family}.h"'
            flags = (*FLAGS_OF_PORTABLE, body) if is_quick else (body,)
            units.append(Unit(source, f"families/{family}", flags))
    return units


def is_gcc(compiler: list[str]) -> bool:
    """Return whether the command runs GCC.

    Clang may be called gcc, too, and has other flags.
    """
    try:
        about = run([*compiler, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return False  # the build reports a missing compiler when it compiles something
    return "Free Software Foundation" in about.stdout


@cache
def digest(path: str) -> str:
    """Return the digest of a file without the comment in which Cython names its folder."""
    text = Path(path).read_bytes()
    return sha256(text.partition(b"END: Cython Metadata */")[2] or text).hexdigest()


def digests_of_sources(needs: Path) -> dict[str, str]:
    """Return the digests of the project's files in a compiler's list "object: source header ...".

    Headers of NumPy and Python are left out: their absolute paths differ from build to build, and
    the command has their versions.
    """
    rule = needs.read_text().replace("\\\n", " ").splitlines()[0]
    paths = rule.partition(": ")[2].split()
    return {path: digest(path) for path in paths if not os.path.isabs(path)}


def is_current(target: Path, record: Path, command: list[str]) -> bool:
    """Return whether an object is what this command would make now."""
    if not (target.exists() and record.exists()):
        return False
    recorded = json.loads(record.read_text())
    return recorded["command"] == command and all(
        os.path.exists(path) and digest(path) == old for path, old in recorded["files"].items()
    )


def write_record(record: Path, command: list[str], needs: Path) -> None:
    """Write what `is_current` compares: the command, and the digests of what it has read."""
    record.write_text(json.dumps({"command": command, "files": digests_of_sources(needs)}))


def count_processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class IncrementalBuild(build_ext):
    """Compiles what has changed, one unit per processor at a time.

    On Windows it uses MinGW.
    """

    def finalize_options(self):
        super().finalize_options()
        if ON_WINDOWS and self.compiler is None:
            self.compiler = "mingw32"  # the engine is in GNU C
        # Kept from one build to the next, in place or not.
        self.build_temp = str(Path("build", f"objects-{os.path.basename(self.build_temp)}"))

    def build_extension(self, extension):
        """Compile the module in this thread, and the engine in others meanwhile."""
        settings = {
            "output_dir": self.build_temp,
            "macros": extension.define_macros,
            "include_dirs": extension.include_dirs,
            "debug": self.debug,
            "depends": extension.depends,
            "extra_postargs": extension.extra_compile_args,
        }
        compile_some = self.compiler.compile
        by_gcc = is_gcc(self.compiler.compiler_so)
        units = [unit for source in engine for unit in units_of(source, by_gcc)]
        waiting = deque(sorted(units, key=lambda unit: not unit.folder))  # families take longest
        objects = []

        def compile_unit(unit):
            objects.append(self.compile_unit(unit, compile_some, settings))

        def take():
            with suppress(IndexError):  # None if there are no more
                return waiting.popleft()

        def compile_waiting():
            for unit in iter(take, None):
                compile_unit(unit)

        def compile_rest(sources, **_):
            """Compile the module and what is left; replaces the compiler's method."""
            compile_unit(Unit(sources[0], "", FLAGS_OF_MODULE))
            compile_waiting()
            for helper in helpers:
                helper.result()
            return sorted(objects)

        self.compiler.compile = compile_rest
        others = count_processors() - 1
        with ThreadPoolExecutor(others + 1) as pool:
            device_text = pool.submit(self.make_device_text)  # a second of another process
            helpers = [pool.submit(compile_waiting) for _ in range(others)]
            try:
                super().build_extension(extension)
                device_text.result()
            finally:
                waiting.clear()  # nobody needs them after an error

    def make_device_text(self):
        """Have the compiler and a tool make the functions' source for devices, unless current.

        Its tables take a twentieth of a second.
        """
        text = Path(self.build_temp, "device", "kernels.h")
        record, needs = text.with_suffix(".json"), text.with_suffix(".d")
        text.parent.mkdir(parents=True, exist_ok=True)
        compiler = self.compiler.compiler_so
        command = [sys.executable, MAKE_DEVICE_TEXT, "--needs", str(needs), str(text), *compiler]
        if self.force or not is_current(text, record, compiler):
            run(command, check=True)
            write_record(record, compiler, needs)
        target = Path(self.build_lib, DEVICE_TEXT)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(text), str(target))
        preludes = Path(self.build_lib, PRELUDES)
        run([sys.executable, MAKE_DEVICE_TABLES, str(preludes)], check=True)

    def run(self):
        super().run()
        self.build_layer()
        if self.inplace:
            self.make_stubs(self.source_folder())
        elif self.distribution.have_run.get("build_py"):  # else the build is of the module alone
            self.make_stubs(self.build_lib)

    def build_layer(self):
        """Compile and link OpenCL's layer, where Khronos' headers are."""
        self.has_layer = self.has_header(LAYER_HEADER)
        if not self.has_layer:
            self.warn(
                f"{LAYER_HEADER} was not found: the package is built without OpenCL's layer "
                "(python -m halfcl layer); Debian has the header in opencl-c-headers"
            )
            return
        settings = {
            "output_dir": self.build_temp,
            "macros": [],
            "include_dirs": [],
            "debug": self.debug,
            "depends": [],
            "extra_postargs": list(FLAGS_OF_LAYER),
        }
        units = [Unit(source, "", ()) for source in sorted(glob("csrc/layer/*.c"))]
        objects = [self.compile_unit(unit, self.compiler.compile, settings) for unit in units]
        target = Path(self.build_lib, LAYER)
        target.parent.mkdir(parents=True, exist_ok=True)
        self.compiler.link_shared_object(
            objects,
            str(target),
            libraries=LIBRARIES_OF_LAYER,
            extra_postargs=["-pthread", *(["-static"] if ON_WINDOWS else [])],
        )
        if self.inplace:
            in_place = Path(self.source_folder(), LAYER)
            in_place.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(target), str(in_place))

    def has_header(self, header):
        """Return whether the compiler finds a header."""
        source = Path(self.build_temp, "has_header.c")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(f"#include <{header}>\n")
        command = [*self.compiler.compiler_so, "-E", str(source), "-o", os.devnull]
        return run(command, capture_output=True, check=False).returncode == 0

    def made_files(self):
        """Return the names of the files that are made beside the module."""
        return [*TEXTS, *STUBS, *([LAYER] if getattr(self, "has_layer", False) else [])]

    def make_stubs(self, folder):
        """Have the package in a folder write its stubs, for editors and type checkers.

        A module for another machine does not run here. Then the package has the stubs that lay
        beside its sources, as it has where its Python code cannot be imported yet.
        """
        suffix = "." + os.path.basename(self.get_ext_filename("native")).partition(".")[2]
        if suffix in EXTENSION_SUFFIXES:
            path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
            command = [sys.executable, "-B", MAKE_STUBS, folder]  # leaves no compiled files
            if run(command, check=False, env={**os.environ, "PYTHONPATH": path}).returncode == 0:
                return
        if missing := [stub for stub in STUBS if not Path(folder, stub).exists()]:
            raise SystemExit(
                f"{' and '.join(missing)}: expected from an earlier build for this machine, since "
                "this build's package does not run here; first run "
                "python setup.py build_ext --inplace"
            )

    def source_folder(self):
        """Return the folder in which the package's sources are."""
        return str(Path(self.get_finalized_command("build_py").get_package_dir("halfcl")).parent)

    def outputs(self, *names):
        """Return the paths of files that are made: in a build, and in place."""
        folders = self.build_lib, self.source_folder()
        return {os.path.join(folders[0], x): os.path.join(folders[1], x) for x in names}

    def copy_extensions_to_source(self):
        super().copy_extensions_to_source()
        for built, in_place in self.outputs(*TEXTS).items():
            self.copy_file(built, in_place)

    def get_outputs(self):
        return sorted({*super().get_outputs(), *self.outputs(*self.made_files())})

    def get_output_mapping(self):
        if not self.inplace:
            return super().get_output_mapping()
        return {**super().get_output_mapping(), **self.outputs(*self.made_files())}

    def compile_unit(self, unit, compile_some, settings):
        """Return the path of a unit's object; compile it unless it is current."""
        folder = os.path.join(settings["output_dir"], unit.folder)
        (path,) = self.compiler.object_filenames([unit.source], output_dir=folder)
        target = Path(path)
        record, needs = target.with_suffix(".json"), target.with_suffix(".d")
        flags = [*settings["extra_postargs"], *unit.flags]
        command = [*self.compiler.compiler_so, *flags, numpy.__version__]
        if self.force or not is_current(target, record, command):
            flags += ["-MMD", "-MF", str(needs)]
            changed = {"output_dir": folder, "extra_postargs": flags}
            compile_some([unit.source], **{**settings, **changed})
            write_record(record, command, needs)
        return path


folders = ("format", "env", "exact", "exact/doubledouble", "run", "targets")
engine = sorted(path for folder in folders for path in glob(f"csrc/{folder}/*.c"))

core = Extension(
    "halfcl._core.native",
    sources=[MODULE],  # and the engine, by IncrementalBuild
    include_dirs=[numpy.get_include(), "csrc/include", "csrc", "src/halfcl/_core"],
    depends=[
        *engine,
        *glob("csrc/**/*.h", recursive=True),
        *glob("csrc/targets/*.def"),
        *glob("src/halfcl/_core/*.[ph]*"),
        MAKE_DEVICE_TEXT,
        MAKE_DEVICE_TABLES,
        "setup.py",
    ],
    define_macros=[
        ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
        ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
    ],
    extra_compile_args=list(FLAGS),
    # Windows' libraries export what they name; elsewhere it is said in the source.
    export_symbols=["halfcl_threads_of_library"],
    extra_link_args=["-pthread", *(["-static"] if ON_WINDOWS else [])],
)

setup(ext_modules=[core], cmdclass={"build_ext": IncrementalBuild})
