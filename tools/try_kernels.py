"""Report which OpenCL C sources of projects build: here, translated, and by an OpenCL device.

    python tools/try_kernels.py FOLDER [--device NAME] [--report FILE.txt]
        [--float-functions device] [--jobs N] [--page PAGE.md]

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
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: The steps, in the order of the table.
STEPS = {
    "own": "device",
    "here": "interpreter",
    "opencl": "OpenCL text",
    "bits": "without fp16",
    "cuda": "CUDA text",
    "nvrtc": "NVRTC builds it",
    "own translated": "device builds the OpenCL text",
    "bits translated": "without fp16 ",
}
_SECONDS = 180


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
    """Try each step on a file."""
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
    if importlib.util.find_spec("cuda") and importlib.util.find_spec("cuda.bindings"):
        steps["nvrtc"] = lambda: _compile_cuda(in_cuda())
    if device is not None:
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


def table(projects: dict[str, dict[str, Outcome]]) -> str:
    """Return a row per project; beside the device's own column, only its files count."""
    everything = [o for outcomes in projects.values() for o in outcomes.values()]
    steps = [step for step in STEPS if any(step in o.why for o in everything)]
    rows = [
        "| project | files | " + " | ".join(STEPS[step].strip() for step in steps) + " | times |",
        "|---|---:|" + "---:|" * (len(steps) + 1),
    ]
    if len(projects) > 1:
        everything_named = {
            f"{p}/{f}": o for p, files in projects.items() for f, o in files.items()
        }
        projects = projects | {"all": everything_named}
    for name, outcomes in projects.items():
        counted = _built_by_device(outcomes)
        counts = [sum(not o.why.get(step, "-") for o in counted) for step in steps]
        row = " | ".join([name, str(len(outcomes)), *map(str, counts), _times(counted)])
        rows.append(f"| {row} |")
    return "\n".join(rows)


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


def write_into_page(page: Path, name: str, lines: str) -> None:
    """Replace what a page of the docs has between the marks of a measure."""
    sys.path.append(str(Path(__file__).parents[1] / "bench" / "unseen"))
    import docs_page

    docs_page.write(page, name, lines.splitlines())


def report(projects: dict[str, dict[str, Outcome]]) -> str:
    each = [
        f"{project}/{name}: {step}: {why}"
        for project, outcomes in projects.items()
        for name, outcome in outcomes.items()
        for step, why in outcome.why.items()
        if why
    ]
    return "\n".join([table(projects), "", reasons(projects), "", *each, ""])


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
    arguments = parser.parse_args()
    ours = threading.local()

    def try_file(task: tuple[Path, str]) -> Outcome:
        if not hasattr(ours, "worker"):
            ours.worker = Worker(arguments.device, arguments.float_functions)
        outcome: Outcome = ours.worker.try_file(*task)
        return outcome

    folders = projects_in(arguments.folder.resolve())
    projects: dict[str, dict[str, Outcome]] = {project.name: {} for project in folders}
    tasks = [(project, name) for project in folders for name in files_of(project)]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for (project, name), outcome in zip(tasks, pool.map(try_file, tasks), strict=True):
            projects[project.name][name] = outcome
            if arguments.report:
                arguments.report.write_text(report(projects))
    print(table(projects), reasons(projects), sep="\n\n")
    if arguments.page:
        write_into_page(arguments.page, "kernels built", table(projects))


if __name__ == "__main__":
    main()
