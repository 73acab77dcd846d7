"""Measure what OpenCL's layer costs programs: builds and launches, on the system's first device.

Seconds go by while other programs run, too. The processor time of a program with one build, and of
its translator, depends less on them: it is measured where Linux is.

python bench/layer.py             a table, in turns without and with the layer, the best of 5
python bench/layer.py --rounds 20 --write docs/howto/layer.md

It needs a C compiler, OpenCL's headers and loader, and a driver, PoCL say.
"""

import argparse
import contextlib
import ctypes
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from halfcl._command.layer_library import library_path

HOST = Path(__file__).with_suffix(".c")

#: Texts by what they are: without halves, beside a header without any, and with halves.
PLAIN = "kernel void k(global float *a) { a[0] = a[0] * a[1] + NUMBER; }\n"
HEADER = '#include "plain.h"\n'
HALVES = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void k(global half *a) { a[0] = a[0] * a[1] + NUMBER; }
"""
TEXTS = {"without halves": PLAIN, "without halves, with #include": HEADER, "with halves": HALVES}

#: The place of the processor time among the seconds of a run.
_PROCESSOR = 3

_MARK = re.compile(r"(<!-- layer costs -->\n).*?(<!-- end -->)", re.DOTALL)


class Bench:
    """Runs of the program in a folder, each with a new cache of the driver."""

    def __init__(self, folder):
        self.folder, self.program = folder, folder / "layer"
        command = ["cc", "-O2", str(HOST), "-o", str(self.program), "-lOpenCL"]
        subprocess.run(command, check=True)
        (folder / "plain.h").write_text(PLAIN)
        for number, text in enumerate(TEXTS.values()):
            (folder / f"{number}.cl").write_text(text)

    def run(self, number, layer, keeps=False, counts=(5, 400)):
        """Return seconds of the fastest build, the first build and a launch; None if it fails.

        keeps: whether translations of earlier runs are there; counts: of builds and of blocks.
        """
        environment = {**os.environ, "POCL_CACHE_DIR": str(self.folder / "pocl")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages are compiled
        for name in [name for name in environment if name.startswith(("HALFCL", "OPENCL_LAYERS"))]:
            del environment[name]
        shutil.rmtree(self.folder / "pocl", ignore_errors=True)
        (self.folder / "pocl").mkdir()
        if layer:
            environment |= {
                "OPENCL_LAYERS": library_path(), "HALFCL_LAYER_PYTHON": sys.executable,
                "HALFCL_LAYER_CACHE": str(self.folder / "cache"),
            }  # fmt: skip
            if not keeps:
                shutil.rmtree(self.folder / "cache", ignore_errors=True)
        words = [self.program, f"{number}.cl", f"-I{self.folder}", *map(str, counts)]
        result = subprocess.run(
            words, env=environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        return None if result.returncode else tuple(map(float, result.stdout.split()))

    def processor_time(self, *arguments):
        """Return seconds of processors that a program with one build takes; None if it fails."""
        before = _time_of_children()
        result = self.run(*arguments, counts=(1, 1))
        with contextlib.suppress(ChildProcessError):
            while True:  # the translator, which the program's end has made a child of this process
                os.wait()
        return None if result is None else (_time_of_children() - before,)


def _time_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _adopt_orphans():
    """Let processes whose parents have ended be children of this one."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def measure(rounds):
    """Return the best seconds of each kind of text and run, of runs in turns."""
    best = {}
    if sys.platform == "linux":
        _adopt_orphans()
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name))
        for _ in range(rounds):
            for number, text in enumerate(TEXTS):
                for way, arguments in (
                    ("plain", (False,)), ("layer", (True,)), ("cached", (True, True))
                ):  # fmt: skip
                    seconds = bench.run(number, *arguments)
                    if sys.platform == "linux" and seconds is not None:
                        seconds += bench.processor_time(number, *arguments)
                    before = best.get((text, way), seconds)
                    if seconds is not None:
                        best[text, way] = tuple(map(min, before, seconds))
    return best


#: Groups of columns: the place of their seconds in a run, a unit, its size, digits, and columns.
_BUILDS = (
    (1, "ms", 1e3, 0, ("first build, alone", "under the layer", "cached")),
    (0, "ms", 1e3, 0, ("next builds, alone", "under the layer")),
)
_LAUNCHES = (2, "µs", 1e6, 2, ("launch, alone", "under the layer"))
_TIMES = (
    _PROCESSOR, "ms", 1e3, 0,
    ("processor time with one build, alone", "under the layer", "cached"),
)  # fmt: skip


def table(best, has_builds):
    """Yield the lines of a table in Markdown. has_builds: whether the seconds of builds count."""
    groups = [*(_BUILDS if has_builds else ()), _LAUNCHES]
    if any(len(seconds) > _PROCESSOR for seconds in best.values()):
        groups.append(_TIMES)
    names = ["text", *(name for *_, names in groups for name in names)]
    yield f"| {' | '.join(names)} |"
    yield f"|---|{(len(names) - 1) * '---:|'}"
    for text in TEXTS:
        cells = [text]
        for place, unit, scale, digits, columns in groups:
            for way in ("plain", "layer", "cached")[: len(columns)]:
                seconds = best.get((text, way))
                cells.append(f"{scale * seconds[place]:.{digits}f} {unit}" if seconds else "fails")
        yield f"| {' | '.join(cells)} |"


def main():
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--write", type=Path, help="a page with the marks of the table")
    parser.add_argument(
        "--busy", action="store_true",
        help="leave out the seconds of builds, which are those of whatever else runs",
    )  # fmt: skip
    options = parser.parse_args()
    if library_path() is None:
        sys.exit("halfcl was built without the layer, which needs CL/cl_layer.h")
    lines = "\n".join(table(measure(options.rounds), not options.busy))
    print(lines)
    if options.write:
        text = options.write.read_text()
        options.write.write_text(_MARK.sub(lambda m: f"{m[1]}{lines}\n{m[2]}", text))


if __name__ == "__main__":
    main()
