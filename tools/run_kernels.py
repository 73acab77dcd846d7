"""Run projects' OpenCL kernels on random input, here and on an OpenCL device, and compare bytes.

    python tools/run_kernels.py FOLDER [--device NAME] [--report FILE.txt]
        [--float-functions device] [--jobs N] [--page PAGE.md]

FOLDER is a project, or has a project in each folder, as for tools/try_kernels.py. Arguments are
made by their types and by names that many hosts use: ne00 is a size, nb01 a stride in bytes,
offset0 an offset, src0 a buffer. So are the fields of structs, where dims[4] and strides[4] are
those of one array. A kernel counts if a launch with `check=True` finds nothing: what it does with
such arguments is defined. NaNs are equal. By --float-functions device, functions of float without
fixed results are left to the device, and kernels of such files do not count. Each file is run in a
process of its own; if a compiler ends it, another one runs the next kernels. With --jobs, N run at
once. The output is a table with a row per project; --page writes it into a page of the docs.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from kernel_arguments import LANES, Arguments, NotMadeError
from try_kernels import files_of, projects_in, queue_of, settings_of, write_into_page

from halfcl import cl

_LAUNCHES = (
    ((4, 2, 1), (LANES, 1, 1)), ((4,), (LANES,)), ((2, 2), (16, 16)), ((2, 2), (8, 8)),
    ((4,), (256,)), ((2, 2), (32, 8)),
)  # fmt: skip
_SECONDS = 300


def _are_equal(theirs: list[Any], wanted: list[Any]) -> bool:
    """Return whether arrays have equal bits, except NaNs of float or half (memory has no type)."""
    return all(
        a.tobytes() == b.tobytes() or _are_numbers(a, b)
        for a, b in zip(theirs, wanted, strict=True)
    )


def _are_numbers(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    for dtype in (np.float32, np.float16):
        x, y = (v.reshape(-1).view(np.uint8).view(dtype) for v in (a, b))
        bits = f"u{x.itemsize}"
        if ((x.view(bits) == y.view(bits)) | (np.isnan(x) & np.isnan(y))).all():
            return True
    return False


def run_one(here: cl.Program, there: cl.Program, name: str) -> str:
    """Run one kernel here and on the device, and return the outcome."""
    kernel, function = here[name], here[name]._function
    arguments = Arguments(function)
    sub_group = {} if function.sub_group_size else {"sub_group_size": LANES}
    why = ""
    for groups, local in _LAUNCHES:
        if function.required_size:
            local = function.required_size[: len(groups)]
        sizes = tuple(g * n for g, n in zip(groups, local, strict=True))
        try:
            kernel(sizes, local, *arguments.draw(), check=True, **sub_group)
            wanted = arguments.draw()
            kernel(sizes, local, *wanted, **sub_group)
        except NotMadeError as error:
            return f"not made: {error}"
        except (cl.CheckError, cl.LaunchError, ValueError) as error:
            why = why or f"not defined: {str(error).splitlines()[0][:200]}"
            continue
        theirs = arguments.draw()
        try:
            there[name](sizes, local, *theirs, **sub_group)
        except (ValueError, cl.BuildError, cl.LaunchError) as error:
            return f"refused: {str(error)[:300]}"
        got, expected = arguments.results(theirs), arguments.results(wanted)
        if not _are_equal(got, expected):
            return "DIFFERS"
        if not _are_equal(got, arguments.results(arguments.draw())):
            return "equal"
        why = why or "writes nothing"
    return why


class Task(NamedTuple):
    """The kernels of a file, without some that were run before: a process runs these."""

    project: str
    name: str
    device: str
    float_functions: str
    done: list[str]


def run_file(task: Task, begin: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """Yield each kernel's outcome; `begin` is called with its name before it is run."""
    warnings.simplefilter("ignore")
    name, project = task.name, Path(task.project)
    begin(name)
    _context, queue = queue_of(task.device)  # Intel's queues do not keep theirs
    os.chdir(project)
    source, settings = Path(name).read_text(errors="replace"), settings_of(project, name)
    translated = settings | {"float_functions": task.float_functions}
    here = None
    try:
        here = cl.Program(source, **settings)
        programs = {
            form: cl.Program(source, device=queue, fp16=form, **translated)
            for form in _forms(queue)
        }
    except cl.BuildError as error:
        lines = str(error).splitlines()
        why = next((line for line in lines if "error:" in line), lines[0])
        yield name, f"{'not translated' if here else 'not built'}: {why}"
        return
    if any(program.device_calls for program in programs.values()):
        yield name, "not fixed: functions of float are the device's"
        return
    for fp16, there in programs.items():
        for kernel in here.kernels:
            key = f"{name}: {kernel.name}, {'own halves' if fp16 else 'bits'}"
            if key not in task.done:
                begin(key)
                yield key, run_one(here, there, kernel.name)


def _forms(queue: Any) -> list[bool]:
    return [False, True] if "cl_khr_fp16" in queue.device.extensions.split() else [False]


def work(task: Task) -> None:
    """Run a file's kernels: print a line when one begins, and one with its outcome."""
    results, sys.stdout = sys.stdout, sys.stderr  # compilers print remarks to stdout

    def report(*line: str) -> None:
        print(json.dumps(line), file=results, flush=True)

    for key, why in run_file(task, report):
        report(key, why)


def run_apart(file: tuple[Path, str], device: str, float_functions: str) -> dict[str, str]:
    """Run the kernels of a file in processes beside this one, and return the outcomes.

    If one ends, or takes too long, that is the outcome of the kernel that it ran; another process
    runs the others.
    """
    project, name = file
    outcomes: dict[str, str] = {}
    while True:
        task = Task(str(project), name, device, float_functions, list(outcomes))
        begun, why = _run_task(task, outcomes)
        if not why:
            return outcomes
        outcomes[begun] = f"the process ended: {why}"
        if begun == name:  # no kernel can be run
            return outcomes


def _run_task(task: Task, outcomes: dict[str, str]) -> tuple[str, str]:
    """Add the outcomes of a process; return the kernel that it ended in, and why, else ""."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [sys.executable, __file__, "--one", json.dumps(task)],
            stdout=output, stderr=errors, start_new_session=True,
        )  # fmt: skip
        try:
            status = process.wait(_SECONDS)
            errors.seek(0)
            why = _why_ended(status, errors.read().splitlines())
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            why = f"it took more than {_SECONDS} s"
        output.seek(0)
        lines = [json.loads(line) for line in output if line.endswith("\n")]
    outcomes |= {line[0]: line[1] for line in lines if len(line) == 2}
    return (lines[-1][0] if lines else task.name), why


def _why_ended(status: int, errors: list[str]) -> str:
    """Return what ended a process, in words; "" if it has done its work.

    errors: what it wrote to stderr; Python's last line names an exception.
    """
    if status < 0:
        return signal.Signals(-status).name
    return f"status {status}: {' '.join(errors[-1:])}" if status else ""


def table(results: dict[str, str]) -> str:
    """Return a row per project: how many kernels (or files that do not build), by outcome."""
    seen: dict[str, dict[str, set[str]]] = {}
    for key, why in results.items():
        kernel, _, halves = key.partition(", ")
        outcome = why.partition(":")[0]
        if outcome in ("equal", "DIFFERS"):
            outcome = f"{outcome}, {halves}"
        for row in (key.partition("/")[0], "all"):
            seen.setdefault(row, {}).setdefault(outcome, set()).add(kernel)
    seen["all"] = seen.pop("all", {})
    outcomes = {outcome for of_row in seen.values() for outcome in of_row}
    heads = sorted(outcomes, key=lambda o: (not o.startswith("equal"), "DIFFERS" not in o, o))
    rows = [
        f"| {row} | {' | '.join(str(len(of_row.get(h, ()))) for h in heads)} |"
        for row, of_row in seen.items()
    ]
    return "\n".join([f"| project | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads), *rows])


def main() -> None:
    if "--one" in sys.argv:
        work(Task(*json.loads(sys.argv[2])))
        os._exit(0)  # what a runtime does at its end is no kernel's outcome
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="")
    parser.add_argument("--float-functions", choices=["exact", "device"], default="exact")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--page", type=Path)
    options = parser.parse_args()
    run = partial(run_apart, device=options.device, float_functions=options.float_functions)
    results: dict[str, str] = {}
    tasks = [(p, name) for p in projects_in(options.folder.resolve()) for name in files_of(p)]
    with ThreadPoolExecutor(options.jobs) as pool:
        for (project, _), outcomes in zip(tasks, pool.map(run, tasks), strict=True):
            results |= {f"{project.name}/{key}": why for key, why in outcomes.items()}
            if options.report:
                lines = [f"{key}: {why}\n" for key, why in results.items()]
                options.report.write_text("".join(lines))
    print(table(results))
    if options.page:
        write_into_page(options.page, "kernels run", table(results))


if __name__ == "__main__":
    main()
