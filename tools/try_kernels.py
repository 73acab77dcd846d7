"""Report which of a project's OpenCL kernels build: here, translated, and by an OpenCL device.

    python tools/try_kernels.py FOLDER [--options FILE] [--device NAME] [--report FILE.txt]
        [--float-functions device]

FOLDER: of .cl files. FILE has a line for each pattern of their names, and the options that the
project's host passes to such: the first one that fits counts. NAME: a part of the device's or its
platform's name; of several the first. Printed is a table, with how many times as long as the
original's the device's builds of translations take; the report has what each file is refused for,
by line. Files are tried in a process beside this one, which a compiler may end.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import json
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: The steps, in the order of the table.
STEPS = {
    "here": "halfcl builds it",
    "opencl": "translated to OpenCL C with fp16",
    "bits": "without fp16",
    "cuda": "to CUDA C++",
    "own": "the device builds it",
    "own translated": "the device builds it translated, halves its own",
    "bits translated": "without fp16 ",
}
_SECONDS = 120


def options_of(patterns: list[tuple[str, str]], name: str) -> str:
    """Return the options that a file is built with."""
    return next((o for pattern, o in patterns if fnmatch.fnmatch(name, pattern)), "")


def read_patterns(path: Path | None) -> list[tuple[str, str]]:
    if path is None:
        return []
    lines = (line.partition("#")[0].split(None, 1) for line in path.read_text().splitlines())
    return [(words[0], words[1].strip() if len(words) > 1 else "") for words in lines if words]


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


def try_one(path: Path, options: str, device: str | None, float_functions: str) -> dict[str, str]:
    """Try each step on a file; return "" per step, or the reason why it failed."""
    from halfcl import cl

    warnings.simplefilter("ignore")
    _read_once()
    source = path.read_text()
    settings = {"options": options, "name": path.name}
    translated = settings | {"float_functions": float_functions}
    steps: dict[str, Callable[[], object]] = {
        "here": lambda: cl.Program(source, **settings),
        "opencl": lambda: cl.translate(source, **translated),
        "bits": lambda: cl.translate(source, fp16=False, **translated),
        "cuda": lambda: cl.translate(source, "cuda", **translated),
    }
    if device is not None:
        context, queue = queue_of(device)
        steps["own"] = lambda: _build_as_written(context, source, options)
        if "cl_khr_fp16" in queue.device.extensions.split():
            steps["own translated"] = lambda: _build_translated(source, queue, translated, True)
        steps["bits translated"] = lambda: _build_translated(source, queue, translated, False)
    _seconds.clear()
    result = {name: _why_not(step, cl.BuildError) for name, step in steps.items()}
    return result | {"seconds": json.dumps(_seconds)}


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
        program.kernels[0]._device.executable("rte")  # type: ignore[attr-defined]


def _why_not(step: Callable[[], object], build_error: type[Exception]) -> str:
    try:
        step()
    except (build_error, RuntimeError) as error:
        lines = [line for line in str(error).splitlines() if "error:" in line]
        return "\n".join(dict.fromkeys(lines)) or str(error)[:500]
    return ""


# ---------------------------------------------------------------- all files


class Worker:
    """A process that tries one file after another, and is restarted if a compiler ends it."""

    def __init__(self, device: str | None, float_functions: str) -> None:
        words = ["--worker", float_functions, *([device] if device else [])]
        self._command = [sys.executable, __file__, *words]
        self._process: subprocess.Popen[str] | None = None

    def try_file(self, path: Path, options: str) -> dict[str, str]:
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
        print(json.dumps([str(path), options]), file=process.stdin, flush=True)
        line = process.stdout.readline()
        timer.cancel()
        if not line:
            self._process = None
            return dict.fromkeys(STEPS, f"the process ended, or took more than {_SECONDS} s")
        result: dict[str, str] = json.loads(line)
        return result


def work(float_functions: str, device: str | None = None) -> None:
    """Run a worker: print a line of results for each line of input."""
    results, sys.stdout = sys.stdout, sys.stderr  # compilers print remarks to stdout
    for line in sys.stdin:
        path, options = json.loads(line)
        print(
            json.dumps(try_one(Path(path), options, device, float_functions)),
            file=results,
            flush=True,
        )


def table(results: dict[str, dict[str, str]]) -> str:
    steps = [s for s in STEPS if any(s in result for result in results.values())]
    rows = [f"| of {len(results)} files | |", "|---|---:|"]
    for step in steps:
        count = sum(not result.get(step, "-") for result in results.values())
        rows.append(f"| {STEPS[step].strip()} | {count} |")
    if "own" in steps:
        lacking = [n for n, result in results.items() if result["here"] and not result["own"]]
        rows.append(f"| the device builds it, and halfcl does not | {len(lacking)} |")
        rows += [f"| {STEPS[step].strip()}: {_times(results, step)} | |" for step in steps[-2:]]
    return "\n".join(rows)


def _times(results: dict[str, dict[str, str]], step: str) -> str:
    """Return how many times as long as for the original the device's compiler takes."""
    seconds = [json.loads(result.get("seconds") or "{}") for result in results.values()]
    ratios = sorted(s[step] / s["own"] for s in seconds if {step, "own"} <= s.keys())
    if not ratios:
        return "no file builds as written, too"
    total = sum(s[step] for s in seconds if "own" in s and step in s)
    own = sum(s["own"] for s in seconds if "own" in s and step in s)
    return (
        f"{total / own:.1f} times the original's build time, {ratios[len(ratios) // 2]:.1f} by "
        f"the median file, at most {ratios[-1]:.1f}"
    )


def reasons(results: dict[str, dict[str, str]]) -> str:
    """Return how many files each step refuses, by feature."""
    lines = []
    for step in STEPS:
        features = Counter[str]()
        for result in results.values():
            whys = (
                line.partition("error: ")[2] or line for line in result.get(step, "").splitlines()
            )
            features.update(set(whys))
        lines += [
            f"{STEPS[step].strip()}: {count} files: {why}"
            for why, count in features.most_common(40)
        ]
    return "\n".join(lines)


def main() -> None:
    if "--worker" in sys.argv:
        work(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--float-functions", choices=("exact", "device"), default="exact")
    arguments = parser.parse_args()
    patterns = read_patterns(arguments.options)
    results, worker = (
        dict[str, dict[str, str]](),
        Worker(arguments.device, arguments.float_functions),
    )
    for path in sorted(arguments.folder.glob("*.cl")):
        results[path.name] = worker.try_file(path, options_of(patterns, path.name))
        if arguments.report:
            arguments.report.write_text(report(results))
    print(table(results))


def report(results: dict[str, dict[str, str]]) -> str:
    each = [
        f"{name}: {step}: {why}"
        for name, result in results.items()
        for step, why in result.items()
        if why and step != "seconds"
    ]
    return "\n".join([table(results), "", reasons(results), "", *each, ""])


if __name__ == "__main__":
    main()
