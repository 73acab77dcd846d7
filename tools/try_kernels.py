"""Report which OpenCL C sources of projects build: here, translated, and by an OpenCL device.

    python tools/try_kernels.py FOLDER [--device NAME] [--report FILE.txt]
        [--float-functions device] [--jobs N] [--page PAGE.md] [--not-compiled PROJECT ...]

FOLDER is a project, or has a project in each folder; bench/unseen/kernel_set.py fetches some. All
.cl files of a project are tried, at any depth, or those that its files.txt names. A line of its
options.txt is a pattern of their names, and the options that the project's host passes to such: the
first pattern that fits counts. Headers are looked for beside the source, and in the project.

NAME is a part of the device's or its platform's name; of several devices the first is used. Where
NVIDIA's cuda-bindings and NVRTC are installed, NVRTC compiles the CUDA text (without a GPU). By
--float-functions device, functions of float without fixed results are left to the device. The
output is a table with a row per project, how many times as long the device builds the translation
as the original (in the median), and how many files each reason shuts out, by step; the report lists
them by file. Only files that the device builds count, if there is one. Each file is tried in a
process beside this one, which a compiler may end.

--not-compiled names projects whose files take the device's compiler too long: it is not tried, and
all their files count. g++ then checks the syntax of their CUDA text, if it is installed. --page
writes the table into a page of the docs; where no other projects are tried, it writes only their
rows.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import importlib.util
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: The steps, in the order of the table; g++ stands in NVRTC's column.
STEPS = {
    "own": "device",
    "here": "interpreter",
    "opencl": "OpenCL text",
    "bits": "without fp16",
    "cuda": "CUDA text",
    "nvrtc": "NVRTC builds it",
    "gxx": "g++ takes it",
    "own translated": "device builds the OpenCL text",
    "bits translated": "without fp16 ",
}
#: A device whose compiler is not tried.
NOT_COMPILED = "none"
_SECONDS = 180
_CUDA_HEADER = Path(__file__).parents[1] / "tests" / "helpers" / "cuda_host.h"


@dataclass
class Outcome:
    """The result of one file: by step why it failed, "" if it did not; seconds of the device's."""

    why: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


# ---------------------------------------------------------------- projects


def options_of(patterns: list[tuple[str, str]], name: str) -> str:
    """Return the options that a file is built with."""
    return next((o for pattern, o in patterns if fnmatch.fnmatch(name, pattern)), "")


def read_patterns(path: Path) -> list[tuple[str, str]]:
    """Return the patterns of an options.txt, with the options of each; none without the file."""
    if not path.exists():
        return []
    lines = (line.split(None, 1) for line in path.read_text().splitlines())
    rows = [words for words in lines if words and not words[0].startswith("#")]
    return [(words[0], words[1].strip() if len(words) > 1 else "") for words in rows]


def projects_in(folder: Path) -> list[Path]:
    """Return the folder itself if it is a project, else its folders."""
    is_project = (folder / "options.txt").exists() or any(folder.glob("*.cl"))
    return [folder] if is_project else sorted(p for p in folder.iterdir() if p.is_dir())


def files_of(project: Path) -> list[str]:
    """Return the names of a project's files, relative to its folder."""
    names = project / "files.txt"
    if names.exists():
        return names.read_text().splitlines()
    return sorted(path.relative_to(project).as_posix() for path in project.rglob("*.cl"))


def settings_of(project: Path, name: str) -> dict[str, str]:
    """Return what a file of a project is built with, when the project is the current folder."""
    options = options_of(read_patterns(project / "options.txt"), name)
    folders = [Path(name).parent.as_posix(), ".", *_folders_of_pyopencl()]
    return {"options": " ".join([options, *(f"-I {f}" for f in folders)]).strip(), "name": name}


@functools.cache
def _folders_of_pyopencl() -> list[str]:
    """Return the folder of headers that pyopencl adds to each build, if it is installed."""
    spec = importlib.util.find_spec("pyopencl")
    return [str(Path(spec.origin).with_name("cl"))] if spec and spec.origin else []


# ---------------------------------------------------------------- one file, in its own process


@functools.cache
def queue_of(name: str) -> Any:
    import pyopencl

    for platform in pyopencl.get_platforms():
        for device in platform.get_devices():
            if name.lower() in f"{platform.name} {device.name}".lower():
                context = pyopencl.Context([device])  # Intel's queues do not keep theirs
                return context, pyopencl.CommandQueue(context)
    sys.exit(f"no OpenCL device named {name}")


def try_one(project: Path, name: str, device: str | None, float_functions: str) -> Outcome:
    """Try each step on a file; without the compilers of devices if the device is "none"."""
    from halfcl import cl

    warnings.simplefilter("ignore")
    _read_once()
    os.chdir(project)
    source, settings = Path(name).read_text(errors="replace"), settings_of(project, name)
    translated = settings | {"float_functions": float_functions}
    in_cuda = functools.cache(lambda: cl.translate(source, "cuda", **translated))
    steps: dict[str, Callable[[], object]] = {
        "here": lambda: cl.Program(source, **settings),
        "opencl": lambda: cl.translate(source, **translated),
        "bits": lambda: cl.translate(source, fp16=False, **translated),
        "cuda": in_cuda,
    }
    if device == NOT_COMPILED:
        if shutil.which("g++"):
            steps["gxx"] = lambda: _check_syntax(in_cuda())
    elif importlib.util.find_spec("cuda") and importlib.util.find_spec("cuda.bindings"):
        steps["nvrtc"] = lambda: _compile_cuda(in_cuda())
    if device not in (None, NOT_COMPILED):
        context, queue = queue_of(device)
        steps["own"] = lambda: _build_as_written(context, source, settings["options"])
        if "cl_khr_fp16" in queue.device.extensions.split():
            steps["own translated"] = lambda: _build_translated(source, queue, translated, True)
        steps["bits translated"] = lambda: _build_translated(source, queue, translated, False)
    _seconds.clear()
    why = {step: _why_not(act, cl.BuildError) for step, act in steps.items()}
    return Outcome(why, dict(_seconds))


@functools.cache
def _read_once() -> None:
    """Cache the parsing of a source, which takes longest, across the steps that build it."""
    from halfcl.cl import _program
    from halfcl.cl._translation import translating

    read = _program.parse_source
    known = functools.lru_cache(1)(lambda source, options, name: read(source, options, name, True))
    for module in (_program, translating):
        module.parse_source = lambda source, options, name, *_: known(source, options, name)  # type: ignore[assignment]


#: How long the device's compiler took for each step of the file, in seconds.
_seconds: dict[str, float] = {}


@contextmanager
def _time_step(step: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    _seconds[step] = time.perf_counter() - start


def _build_as_written(context: Any, source: str, options: str) -> None:
    import pyopencl

    try:
        with _time_step("own"):
            pyopencl.Program(context, source).build(options.split())
    except pyopencl.Error as error:
        raise RuntimeError(str(error)) from None


def _build_translated(source: str, queue: Any, settings: dict[str, str], fp16: bool) -> None:
    from halfcl import cl

    program = cl.Program(source, device=queue, fp16=fp16, **settings)
    with _time_step("own translated" if fp16 else "bits translated"):
        if not program.kernels:
            return
        program.kernels[0]._device.executable("rte")  # type: ignore[attr-defined]


def _compile_cuda(text: str) -> None:
    from cuda import pathfinder
    from cuda.bindings import nvrtc

    headers = pathfinder.find_nvidia_header_directory("cudart")
    options = [f"-I{headers}".encode(), b"--std=c++17", b"--gpu-architecture=sm_90"]
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"program.cu", 0, [], [])
    (failed,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = b" " * size
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(program)
    if failed:
        raise RuntimeError(log.decode().strip("\0 "))


def _check_syntax(text: str) -> None:
    """Check CUDA C++ by g++, with the tests' header for it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(_CUDA_HEADER, Path(folder) / "cuda_fp16.h")
        source = Path(folder) / "program.cpp"
        source.write_text(re.sub("^extern __shared__ .*$", "", text, flags=re.MULTILINE))
        command = ["g++", "-std=c++20", "-fsyntax-only", "-w", f"-I{folder}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise RuntimeError(done.stderr)


def _why_not(step: Callable[[], object], build_error: type[Exception]) -> str:
    try:
        step()
    except (build_error, RuntimeError) as error:
        lines = [line for line in str(error).splitlines() if "error" in line]
        return "\n".join(dict.fromkeys(lines)) or str(error)[:500]
    except Exception as error:  # a fault of halfcl's: nothing but BuildError may come
        return f"{type(error).__name__}: {error}"[:500]
    return ""


# ---------------------------------------------------------------- all files


class Worker:
    """A process that tries one file after another, and is restarted if a compiler ends it."""

    def __init__(self, device: str | None, float_functions: str) -> None:
        self._command = [
            sys.executable,
            __file__,
            "--worker",
            json.dumps([device, float_functions]),
        ]
        self._process: subprocess.Popen[str] | None = None

    def try_file(self, project: Path, name: str) -> Outcome:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(_SECONDS, process.kill)
        timer.start()
        print(json.dumps([str(project), name]), file=process.stdin, flush=True)
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            self._process = None
            reason = f"the process ended, or took more than {_SECONDS} s"
            return Outcome(dict.fromkeys(STEPS, reason))
        return Outcome(**json.loads(line))


def work(device: str | None, float_functions: str) -> None:
    """Run a worker: print a line of results for each line of input."""
    results, sys.stdout = sys.stdout, sys.stderr  # compilers print remarks to stdout
    for line in sys.stdin:
        project, name = json.loads(line)
        outcome = try_one(Path(project), name, device, float_functions)
        print(json.dumps(vars(outcome)), file=results, flush=True)


# ---------------------------------------------------------------- the report


def table(projects: dict[str, dict[str, Outcome]], not_compiled: Sequence[str] = ()) -> str:
    """Return a row per project; beside the device's own column, only its files count.

    Projects that no device has compiled come after the sums of the others.
    """
    everything = [o for outcomes in projects.values() for o in outcomes.values()]
    all_steps = [step for step in STEPS if step != "gxx"]
    is_whole = len(not_compiled) < len(projects)  # else rows of a table that has all steps
    steps = [s for s in all_steps if not is_whole or any(s in o.why for o in everything)]
    rows = [
        "| project | files | " + " | ".join(STEPS[step].strip() for step in steps) + " | times |",
        "|---|---:|" + "---:|" * (len(steps) + 1),
    ]
    compiled = {name: rest for name, rest in projects.items() if name not in not_compiled}
    if len(compiled) > 1:
        compiled["all"] = {f"{p}/{f}": o for p, rest in compiled.items() for f, o in rest.items()}
    last = {name: rest for name, rest in projects.items() if name in not_compiled}
    for name, outcomes in (compiled | last).items():
        counted = _built_by_device(outcomes)
        counts = [_count(counted, step) for step in steps]
        row = " | ".join([name, str(len(outcomes)), *counts, _times(counted)])
        rows.append(f"| {row} |")
    return "\n".join(rows)


def _count(outcomes: list[Outcome], step: str) -> str:
    """Return how many of the files pass a step, in words if none was tried."""
    tried = [o.why[step] for o in outcomes if step in o.why]
    if outcomes and not tried:
        has_other = step == "nvrtc" and any("gxx" in o.why for o in outcomes)
        return f"{_count(outcomes, 'gxx')} (g++)" if has_other else "not compiled"
    return str(tried.count(""))


def _built_by_device(outcomes: dict[str, Outcome]) -> list[Outcome]:
    """Return the outcomes of the files that the device builds; of all without a device."""
    return [o for o in outcomes.values() if not o.why.get("own")]


def _times(outcomes: list[Outcome]) -> str:
    """Return how many times as long as its own text a device takes for the translation: median."""
    for step in ("own translated", "bits translated"):
        ratios = [
            o.seconds[step] / o.seconds["own"]
            for o in outcomes
            if o.seconds.get("own") and not o.why.get(step, "-")
        ]
        if ratios:
            return f"{statistics.median(ratios):.1f}"
    return ""


def reasons(projects: dict[str, dict[str, Outcome]]) -> str:
    """Return how many files each reason shuts out, by the first step that it stops."""
    counts: dict[str, Counter[str]] = {step: Counter() for step in STEPS}
    for outcome in (o for outcomes in projects.values() for o in _built_by_device(outcomes)):
        seen = set[str]()
        for step in STEPS:
            lines = outcome.why.get(step, "").splitlines()
            whys = {line.partition("error: ")[2] or line for line in lines} - seen
            counts[step].update(whys)
            seen |= whys
    return "\n".join(
        f"{STEPS[step].strip()}: {count} files: {why}"
        for step, whys in counts.items()
        for why, count in whys.most_common(40)
    )


def write_into_page(page: Path, name: str, lines: str, keep: bool = False) -> None:
    """Replace what a page of the docs has between the marks of a measure.

    keep: only the rows of the names that the lines have are replaced, and those of new names added.
    """
    sys.path.append(str(Path(__file__).parents[1] / "bench" / "unseen"))
    import docs_page

    rows = lines.splitlines()
    if keep:
        old = docs_page.read(page, name)
        if [row for row in old if row.startswith("|")][:1] != rows[:1]:
            sys.exit(f"{page}: expected the heads {rows[0]}; try the other projects, too")
        by_name = {row.split("|")[1]: row for row in [*old, *rows] if row.startswith("|")}
        rows = list(by_name.values())
    docs_page.write(page, name, rows)


def report(projects: dict[str, dict[str, Outcome]], not_compiled: Sequence[str] = ()) -> str:
    each = [
        f"{project}/{name}: {step}: {why}"
        for project, outcomes in projects.items()
        for name, outcome in outcomes.items()
        for step, why in outcome.why.items()
        if why
    ]
    return "\n".join([table(projects, not_compiled), "", reasons(projects), "", *each, ""])


def main() -> None:
    if "--worker" in sys.argv:
        work(*json.loads(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--float-functions", choices=["exact", "device"], default="exact")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--not-compiled", nargs="+", default=[], metavar="PROJECT")
    arguments = parser.parse_args()
    ours = threading.local()

    def try_file(task: tuple[Path, str]) -> Outcome:
        device = NOT_COMPILED if task[0].name in arguments.not_compiled else arguments.device
        workers = ours.__dict__.setdefault("workers", {})
        if device not in workers:
            workers[device] = Worker(device, arguments.float_functions)
        outcome: Outcome = workers[device].try_file(*task)
        return outcome

    folders = projects_in(arguments.folder.resolve())
    if unknown := set(arguments.not_compiled) - {project.name for project in folders}:
        parser.error(f"--not-compiled: expected projects of the folder, got {min(unknown)}")
    projects: dict[str, dict[str, Outcome]] = {project.name: {} for project in folders}
    tasks = [(project, name) for project in folders for name in files_of(project)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (project, name), outcome in zip(tasks, pool.map(try_file, tasks), strict=True):
            projects[project.name][name] = outcome
            if arguments.report:
                arguments.report.write_text(report(projects, arguments.not_compiled))
    rows = table(projects, arguments.not_compiled)
    print(rows, reasons(projects), sep="\n\n")
    if arguments.page:
        is_part = len(arguments.not_compiled) == len(folders)
        write_into_page(arguments.page, "kernels built", rows, is_part)


if __name__ == "__main__":
    main()
