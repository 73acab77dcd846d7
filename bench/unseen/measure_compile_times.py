"""Measure how long a device compiles translations, and how long they take to write.

    python bench/unseen/kernel_set.py FOLDER
    python bench/unseen/measure_compile_times.py FOLDER --device Intel           with its halves
    python bench/unseen/measure_compile_times.py FOLDER --device Portable        PoCL, as bits
    ... --every 10                 a tenth of the files
    ... --only ggml darktable      those of some projects
    ... --compilers                only the device's compiler: a third of the time
    ... --save TIMES.json          also writes each file's figures
    ... --before TIMES.json        and how the figures were when they were saved

A row per project: how many times as long as the author's text the device compiles the translation,
with all of the project's files in sum, in the median, and at most; and the seconds that
`cl.translate` takes for both languages. Below it, the slowest files. Functions of float without
fixed results are left to the device, or many files would not be translated. Only files that the
device builds count.

Seconds are those of the processor, in all threads, so that other programs count less. A file is
compiled once before it counts, and each text --rounds times; the least time counts. PoCL compiles
kernels when they are first launched; here, when their binaries are asked for, and none are cached.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import resource
import statistics
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).parents[2] / "tools"))
import try_kernels
from try_kernels import Outcome, files_of, projects_in, queue_of, settings_of

#: Times above which a ratio means something, in seconds.
_LEAST = 0.02


class Row(NamedTuple):
    """A file's figures: seconds by step."""

    name: str
    seconds: dict[str, float]

    @property
    def ratio(self) -> float:
        return self.seconds["translated"] / max(self.seconds["own"], _LEAST)


# ---------------------------------------------------------------- one file, in its own process


def processor_seconds() -> float:
    """Return the seconds of this process, its threads and the compilers that it has started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def least_seconds(act, rounds):
    """Return the least processor time of some calls."""
    times = []
    for _ in range(rounds):
        start = processor_seconds()
        act()
        times.append(processor_seconds() - start)
    return min(times)


def compile_text(context, text, options):
    """Compile a text to a device's code."""
    import pyopencl

    program = pyopencl.Program(context, text).build(list(options))
    program.get_info(pyopencl.program_info.BINARIES)


def measure(
    project: Path, name: str, device: str, fp16: bool, rounds: int, compilers: bool
) -> dict[str, float]:
    """Return a file's seconds by step; an exception says what failed."""
    from halfcl import cl

    warnings.simplefilter("ignore")
    os.chdir(project)
    source, settings = Path(name).read_text(errors="replace"), settings_of(project, name)
    context, queue = queue_of(device)
    words = settings["options"].split()
    compile_text(context, source, words)  # the device's first program takes longer
    seconds = {"own": least_seconds(lambda: compile_text(context, source, words), rounds)}
    translated = {**settings, "float_functions": "device"}
    if not compilers:
        seconds["build"] = least_seconds(lambda: cl.Program(source, **settings), 1)
    for language in () if compilers else ("opencl", "cuda"):
        act = functools.partial(cl.translate, source, language, **translated)
        with contextlib.suppress(cl.BuildError):
            seconds[language] = least_seconds(act, 1)
    program = cl.Program(source, device=queue, fp16=fp16, **translated)
    if program.kernels:
        text, options = program.kernels[0]._device.source("rte")
        seconds["translated"] = least_seconds(
            lambda: compile_text(context, text.text, options), rounds
        )
        seconds["own length"], seconds["length"] = len(source), len(text.text)
    return seconds


def work(device: str, fp16: bool, rounds: int, compilers: bool) -> None:
    """Run a worker: print a line of results for each line of input."""
    results, sys.stdout = sys.stdout, sys.stderr  # compilers print remarks to stdout
    os.environ.update({"POCL_KERNEL_CACHE": "0", "PYOPENCL_NO_CACHE": "1"})
    for line in sys.stdin:
        project, name = json.loads(line)
        outcome = Outcome()
        try:
            outcome.seconds = measure(Path(project), name, device, fp16, rounds, compilers)
        except Exception as error:  # compilers' and halfcl's errors of a build
            outcome.why = {"measure": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(vars(outcome)), file=results, flush=True)


# ---------------------------------------------------------------- tables


def table(projects: dict[str, list[Row]]) -> str:
    """Return a row per project, and one of all."""
    heads = ["files", "sum", "median", "9 of 10", "most", "above 3", "to OpenCL C, s", "to CUDA, s"]
    lines = [f"| project | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    everything = [row for rows in projects.values() for row in rows]
    for name, rows in [*projects.items(), ("all", everything)]:
        cells = [name, *cells_of(rows)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def cells_of(rows: list[Row]) -> list[str]:
    compiled = [row for row in rows if "translated" in row.seconds]
    if not compiled:
        return ["0", *[""] * 7]
    ratios = sorted(row.ratio for row in compiled)
    own, ours = (sum(row.seconds[step] for row in compiled) for step in ("own", "translated"))
    most = [
        max((row.seconds.get(step, 0) for row in rows), default=0) for step in ("opencl", "cuda")
    ]
    figures = [ours / own, statistics.median(ratios), ratios[len(ratios) * 9 // 10], ratios[-1]]
    above = sum(ratio > 3 for ratio in ratios)
    return [
        str(len(compiled)),
        *(f"{r:.2f}" for r in figures),
        str(above),
        *(f"{m:.1f}" for m in most),
    ]


def worst(projects: dict[str, list[Row]], before: dict[str, dict[str, float]]) -> str:
    """Return the files with the highest ratios, and those that take longest to translate."""
    everything = [row for rows in projects.values() for row in rows]
    compiled = [row for row in everything if "translated" in row.seconds]
    lines = ["highest ratios"]
    for row in sorted(compiled, key=lambda row: -row.ratio)[:20]:
        line = f"{row.ratio:6.2f} {row.seconds['translated']:6.2f} s  {row.name}"
        if "translated" in before.get(row.name, {}):
            line += f"  (before {Row(row.name, before[row.name]).ratio:.2f})"
        lines.append(line)
    for language in ("opencl", "cuda"):
        lines += ["", f"longest to translate: {language}"]
        for row in sorted(everything, key=lambda row: -row.seconds.get(language, 0))[:20]:
            line = f"{row.seconds.get(language, 0):6.2f} s  {row.name}"
            line += f" (the interpreter builds it in {row.seconds.get('build', 0):.2f} s)"
            if language in before.get(row.name, {}):
                line += f"  (before {before[row.name][language]:.2f} s)"
            lines.append(line)
    return "\n".join(lines)


# ---------------------------------------------------------------- all files


class Worker(try_kernels.Worker):
    """A process that measures one file after another."""

    def __init__(self, device: str, fp16: bool, rounds: int, compilers: bool) -> None:
        super().__init__(device, "device")
        self._command = [
            sys.executable, __file__, "--worker", json.dumps([device, fp16, rounds, compilers])
        ]  # fmt: skip


def main() -> None:
    if "--worker" in sys.argv:
        work(*json.loads(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", required=True)
    parser.add_argument("--bits", action="store_true", help="halves as bits on any device")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--compilers", action="store_true", help="only the device's compiler")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    _, queue = queue_of(options.device)
    fp16 = not options.bits and "cl_khr_fp16" in queue.device.extensions.split()
    before = json.loads(options.before.read_text()) if options.before else {}
    worker = Worker(options.device, fp16, options.rounds, options.compilers)
    projects: dict[str, list[Row]] = {}
    saved: dict[str, dict[str, float]] = {}
    for project in projects_in(options.folder.resolve()):
        if options.only and project.name not in options.only:
            continue
        rows = projects[project.name] = []
        for name in files_of(project)[:: options.every]:
            outcome = worker.try_file(project, name)
            shown = f"{project.name}/{name}"
            if outcome.seconds:
                rows.append(Row(shown, outcome.seconds))
            saved[shown] = outcome.seconds
            if outcome.why:
                print(shown, *outcome.why.values(), file=sys.stderr)
            if options.save:
                options.save.write_text(json.dumps(saved, indent=0))
    print(table(projects), worst(projects, before), sep="\n\n")


if __name__ == "__main__":
    main()
