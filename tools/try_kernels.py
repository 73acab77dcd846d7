"""Which of a project's OpenCL kernels build: here, translated, and by an OpenCL device.

    python tools/try_kernels.py FOLDER [--options FILE] [--device NAME] [--report FILE.txt]

FOLDER: of .cl files. FILE has a line for each pattern of their names, and the options that the
project's host passes to such: the first one that fits counts. NAME: a part of the device's or its
platform's name; of several the first. Printed is a table; the report has what each file is refused
for, by line. Each file is tried in a process of its own, which a compiler may end.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import json
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: What is tried, in the order of the table.
STEPS = {
    "here": "halfcl builds it",
    "opencl": "translated to OpenCL C with fp16",
    "bits": "without fp16",
    "cuda": "to CUDA C++",
    "own": "the device builds it",
    "own translated": "the device builds it translated, halves its own",
    "bits translated": "without fp16 ",
}
_SECONDS = 300


def options_of(patterns: list[tuple[str, str]], name: str) -> str:
    """What a file is built with."""
    return next((o for pattern, o in patterns if fnmatch.fnmatch(name, pattern)), "")


def read_patterns(path: Path | None) -> list[tuple[str, str]]:
    if path is None:
        return []
    lines = (line.partition("#")[0].split(None, 1) for line in path.read_text().splitlines())
    return [(words[0], words[1].strip() if len(words) > 1 else "") for words in lines if words]


# ---------------------------------------------------------------- one file, in its own process


def queue_of(name: str) -> Any:
    import pyopencl

    for platform in pyopencl.get_platforms():
        for device in platform.get_devices():
            if name.lower() in f"{platform.name} {device.name}".lower():
                context = pyopencl.Context([device])  # Intel's queues do not keep theirs
                return context, pyopencl.CommandQueue(context)
    sys.exit(f"no OpenCL device named {name}")


def try_one(path: Path, options: str, device: str | None) -> dict[str, str]:
    """By step: "" if it went well, or why it did not."""
    from halfcl import cl

    warnings.simplefilter("ignore")
    _read_once()
    source = path.read_text()
    given = {"options": options, "name": path.name}
    steps: dict[str, Callable[[], object]] = {
        "here": lambda: cl.Program(source, **given),
        "opencl": lambda: cl.translate(source, **given),
        "bits": lambda: cl.translate(source, fp16=False, **given),
        "cuda": lambda: cl.translate(source, "cuda", **given),
    }
    if device is not None:
        context, queue = queue_of(device)
        steps["own"] = lambda: _as_written(context, source, options)
        if "cl_khr_fp16" in queue.device.extensions.split():
            steps["own translated"] = lambda: _translated(source, queue, given, True)
        steps["bits translated"] = lambda: _translated(source, queue, given, False)
    return {name: _why_not(step, cl.BuildError) for name, step in steps.items()}


def _read_once() -> None:
    """Let what is built of one source share what it reads as: that takes longest."""
    from halfcl.cl import _program
    from halfcl.cl._translation import translating

    read = _program.parsed
    known = functools.cache(lambda source, options, name: read(source, options, name, True))
    for module in (_program, translating):
        module.parsed = lambda source, options, name, *_: known(source, options, name)  # type: ignore[assignment]


def _as_written(context: Any, source: str, options: str) -> None:
    import pyopencl

    try:
        pyopencl.Program(context, source).build(options.split())
    except pyopencl.Error as error:
        raise RuntimeError(str(error)) from None


def _translated(source: str, queue: Any, given: dict[str, str], fp16: bool) -> None:
    from halfcl import cl

    program = cl.Program(source, device=queue, fp16=fp16, **given)
    program.kernels[0]._device.built("rte")  # type: ignore[attr-defined]


def _why_not(step: Callable[[], object], build_error: type[Exception]) -> str:
    try:
        step()
    except (build_error, RuntimeError) as error:
        lines = [line for line in str(error).splitlines() if "error:" in line]
        return "\n".join(dict.fromkeys(lines)) or str(error)[:500]
    return ""


# ---------------------------------------------------------------- all files


def tried(path: Path, options: str, device: str | None) -> dict[str, str]:
    command = [sys.executable, __file__, "--one", str(path), options]
    command += [] if device is None else [device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return dict.fromkeys(STEPS, f"more than {_SECONDS} s")
    if done.returncode:
        return dict.fromkeys(STEPS, f"the process ended: {done.stderr.strip()[-300:]}")
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(results: dict[str, dict[str, str]]) -> str:
    steps = [s for s in STEPS if any(s in found for found in results.values())]
    rows = [f"| of {len(results)} files | |", "|---|---:|"]
    for step in steps:
        count = sum(not found.get(step, "-") for found in results.values())
        rows.append(f"| {STEPS[step].strip()} | {count} |")
    if "own" in steps:
        lacking = [n for n, found in results.items() if found["here"] and not found["own"]]
        rows.append(f"| the device builds it, and halfcl does not | {len(lacking)} |")
    return "\n".join(rows)


def reasons(results: dict[str, dict[str, str]]) -> str:
    """How many files each step refuses, by feature."""
    lines = []
    for step in STEPS:
        features = Counter[str]()
        for found in results.values():
            whys = (
                line.partition("error: ")[2] or line for line in found.get(step, "").splitlines()
            )
            features.update(set(whys))
        lines += [
            f"{STEPS[step].strip()}: {count} files: {why}"
            for why, count in features.most_common(40)
        ]
    return "\n".join(lines)


def main() -> None:
    if "--one" in sys.argv:
        _, _, path, options, *device = sys.argv
        print(json.dumps(try_one(Path(path), options, device[0] if device else None)))
        return
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", type=Path)
    parser.add_argument("--device")
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    patterns = read_patterns(given.options)
    results = {
        path.name: tried(path, options_of(patterns, path.name), given.device)
        for path in sorted(given.folder.glob("*.cl"))
    }
    print(table(results))
    if given.report:
        each = (
            f"{n}: {step}: {why}"
            for n, found in results.items()
            for step, why in found.items()
            if why
        )
        given.report.write_text("\n".join([table(results), "", reasons(results), "", *each, ""]))


if __name__ == "__main__":
    main()
