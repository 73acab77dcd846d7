"""Run OpenCL programs that others wrote alone and under halfcl's layer: they print the same.

    python tools/layer_programs.py                     fetches pyopencl's examples, and runs all
    python tools/layer_programs.py --from FOLDER       from a copy of pyopencl's repository
    python tools/layer_programs.py --only clinfo       those of such a name

The programs are pyopencl's examples, for which this Python needs pyopencl, and those of Debian's
packages that are installed: clinfo, clpeak and hashcat. Each runs twice alone: lines that differ
then, as times do, and what differs in lines but numbers are no results. Of all others each is to be
there under the layer. A line for each program says how many they are; the status is 1 if one
differs but by what the layer adds to a device.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench" / "unseen"))
from sources import Snapshot, clone

URL = "https://github.com/inducer/pyopencl"
COMMIT = "26c8ab983d31ec53f22ca7812194bf35d984cd78"

#: Examples that need no display, no picture and no other package, and end soon on CPUs.
EXAMPLES = [
    "demo", "demo_array", "demo_elementwise", "demo_elementwise_complex", "dump-properties",
    "n-body", "narray", "pi-monte-carlo",
]  # fmt: skip

COMMANDS = [
    ["clinfo"],
    ["clinfo", "--raw"],
    ["clpeak", "--kernel-latency"],
    ["hashcat", "-I"],
]

#: Runs an example with the same random numbers each time.
SEEDED = """
import runpy, sys
import numpy as np
make = np.random.default_rng
np.random.default_rng = lambda seed=1: make(seed)
np.random.seed(1)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

#: What the layer adds to a device, in lines of any program.
ADDED = re.compile(
    r"cl_khr_(fp16|select_fprounding_mode)|half|HALF|SINGLE_FP_CONFIG|Round to |Denormals"
    r"|Infinity and NANs|fused multiply|Extensions|EXTENSIONS",
    re.IGNORECASE,
)


def lines_of(command, folder, layer):
    """Return the lines that a program prints, and its status."""
    words = [sys.executable, "-m", "halfcl", "layer", *command] if layer else command
    environment = {**os.environ, "PYOPENCL_CTX": "0", "PYOPENCL_NO_CACHE": "1"}
    result = subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    return result.stdout.splitlines(), result.returncode


def compare(command, folder):
    """Return how many lines repeat, which of them are not there under the layer, and statuses."""
    first, status = lines_of(command, folder, False)
    second, _ = lines_of(command, folder, False)
    layered, status_of_layer = lines_of(command, folder, True)
    repeated = [line for line, again in zip(first, second, strict=False) if line == again]
    missing = [line for line in repeated if line not in layered and not ADDED.search(line)]
    return len(repeated), missing, (status, status_of_layer)


def examples_of(folder, source):
    """Write pyopencl's examples to a folder, and yield the commands that run them."""
    (folder / "seeded.py").write_text(SEEDED)
    for name in EXAMPLES:
        (folder / f"{name}.py").write_text(source.text(f"examples/{name}.py"))
        yield [sys.executable, "seeded.py", f"{name}.py"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--from", dest="folder", metavar="FOLDER", help="a copy of pyopencl's files"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="programs of such a name")
    options = parser.parse_args()
    differs = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository = options.folder or clone(URL, COMMIT, folder / "pyopencl.git")
        commands = [*COMMANDS, *examples_of(folder, Snapshot(repository, COMMIT))]
        for command in commands:
            shown = " ".join(command).replace(f"{sys.executable} seeded.py ", "")
            if options.only not in shown or not shutil.which(command[0]):
                continue
            count, missing, statuses = compare(command, folder)
            is_same = not missing and statuses[0] == statuses[1]
            differs = differs or not is_same
            verdict = "the same" if is_same else f"{len(missing)} differ: {missing[:3]}"
            print(
                f"{shown}: {count} lines, {verdict}; status {statuses[0]}, {statuses[1]}",
                flush=True,
            )
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
