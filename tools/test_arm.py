"""Test the engine on 64-bit Arm: cross-compiled, and run by QEMU.

    python tools/test_arm.py           # what a change has to pass
    python tools/test_arm.py --all     # the engine's whole test set, on two processors

Needs Debian's packages of `PACKAGES`, and installs those that are missing if it may. Then:

- the engine's tests (``csrc/tests``), on a processor with arithmetic on halves (FEAT_FP16), and,
  with ``--all``, on one without;
- every function of one half, for all of them in every mode, on every instruction set: results
  are compared with those of MPFR (the digests of ``halfcl.check``), and, like exceptions, with
  those of the portable set: its own, or, with ``--all``, that of this machine.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from halfcl.check import digests, reference_digests

ENGINE = Path(__file__).resolve().parent.parent / "csrc"
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64-static"
PACKAGES = ("gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user-static")
RUN = [EMULATOR, "-L", "/usr/aarch64-linux-gnu", "-cpu"]

# QEMU's names of processors, and the instruction sets besides the portable one, of each.
WITHOUT_FP16, WITH_FP16 = "cortex-a53", "max"
SETS = ((WITHOUT_FP16, "neon"), (WITH_FP16, "neon_fp16"))

# The tests that find the most per second.
QUICK = (
    "vocabulary",
    "operations",
    "functions_of_several",
    "relational",
    "numbers",
    "environment",
    "device",
)

HALVES, GROUP = 1 << 16, 16  # as in csrc/tests/all_halves.c
DTYPES = {"e": np.uint16, "?": np.uint8, "f": np.uint32, "d": np.uint64}

#: A function's name, its types and a mode.
Key = tuple[str, str, str]
#: Outputs and exceptions.
Columns = dict[Key, list[NDArray[np.generic]]]


def install() -> None:
    if shutil.which(COMPILER) and shutil.which(EMULATOR):
        return
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES]
    if os.geteuid() != 0:
        sys.exit(f"Missing packages; as root: {' '.join(command)}")
    subprocess.run(["apt-get", "update", "--quiet=2"], check=True)
    subprocess.run([*command, "--quiet=2"], check=True, stdout=subprocess.DEVNULL)


def compiler() -> str:
    """Return the cross compiler, with ccache where it is installed."""
    name = os.environ.get("ARM_CC", COMPILER)
    return f"ccache {name}" if shutil.which("ccache") else name


def make(build: Path, target: str, *variables: str) -> None:
    jobs = len(os.sched_getaffinity(0))
    command = ["make", "--silent", "-C", str(ENGINE), f"-j{jobs}", f"BUILD={build}", target]
    subprocess.run([*command, *variables], check=True)


def results(command: list[str]) -> Iterator[tuple[Key, list[NDArray[np.generic]]]]:
    """Yield (name, types, mode), outputs and exceptions that all_halves writes."""
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while line := process.stdout.readline():
            name, types, mode = line.decode().split()
            columns = []
            for letter in types.removeprefix("e>"):
                dtype = np.dtype(DTYPES.get(letter, letter))
                columns.append(np.frombuffer(process.stdout.read(HALVES * dtype.itemsize), dtype))
            columns.append(np.frombuffer(process.stdout.read(HALVES // GROUP), np.uint8))
            yield (name, types, mode), columns
    if process.returncode:
        sys.exit(f"{' '.join(command)} returned {process.returncode}")


def one_nan(types: str, column: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return halves with all NaNs replaced by one."""
    if types != "e":
        return column
    return np.where(column & 0x7FFF > 0x7C00, np.uint16(0x7E00), column)


def all_halves(build: Path, isa: str, processor: str) -> Columns:
    """Return what an instruction set has for all halves, by QEMU."""
    return dict(results([*RUN, processor, str(build / "all_halves"), isa]))


def check_halves(columns: Columns, right: Columns, isa: str, processor: str) -> int:
    """Compare an instruction set's results; return the number of wrong (function, mode) pairs."""
    oracle, wrong, seen = reference_digests(), 0, 0
    for key, own in columns.items():
        name, types, mode = key
        same = all(
            np.array_equal(one_nan(letter, x), one_nan(letter, y))
            for letter, x, y in zip([*types.removeprefix("e>"), ""], own, right[key], strict=True)
        )
        if mode in oracle.get(name, ()):
            seen += 1
            same &= digests(*own[:-1]) == oracle[name][mode]
        if not same:
            print(f"WRONG: {name} {types} in {mode}, {isa} on {processor}")
            wrong += 1
    missing = sum(map(len, oracle.values())) - seen
    print(f"{isa} on {processor}: {seen} functions and modes as MPFR has them, {missing} missing")
    return wrong + missing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="the whole test set, on two processors")
    parser.add_argument(
        "--build", type=Path, default=ENGINE / "build", help="the folder for objects"
    )
    options = parser.parse_args()
    install()
    build = options.build.resolve()
    here, there = build / "here", build / "arm"
    cross = f"CC={compiler()}"
    make(there, f"{there}/all_halves", cross)
    os.environ["HALFCL_TEST_ONE_IN"] = "1" if options.all else "11"
    for processor in (WITHOUT_FP16, WITH_FP16)[not options.all :]:
        tested = "" if options.all else " ".join(QUICK)
        make(there, "test", cross, f"RUN={' '.join([*RUN, processor])}", f"TESTED={tested}")
    portable = all_halves(there, "portable", WITHOUT_FP16)
    right = portable  # which are MPFR's where there are digests
    if options.all:
        make(here, f"{here}/all_halves")
        right = dict(results([str(here / "all_halves"), "portable"]))
    wrong = check_halves(portable, right, "portable", WITHOUT_FP16)
    for processor, isa in SETS:
        wrong += check_halves(all_halves(there, isa, processor), right, isa, processor)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
