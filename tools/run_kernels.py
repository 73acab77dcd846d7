"""Run projects' OpenCL kernels on random input, here and on an OpenCL device, and compare bytes.

    python tools/run_kernels.py FOLDER [--device NAME] [--report FILE.txt]
        [--float-functions device] [--jobs N] [--page PAGE.md] [--skip PROJECT ...] [--resume]

FOLDER is a project, or has a project in each folder, as for tools/try_kernels.py. Arguments are
made by their types and by names that many hosts use: ne00 is a size, nb01 a stride in bytes,
offset0 an offset, src0 a buffer. So are the fields of structs, where dims[4] and strides[4] are
those of one array. A kernel counts if a launch with `check=True` finds nothing: what it does with
such arguments is defined. NaNs are equal. By --float-functions device, functions of float without
fixed results are left to the device, and kernels of such files do not count. Each file is run in a
process of its own; if a compiler ends it, another one runs the next kernels. With --jobs, N run at
once. The output is a table with a row per project; --page writes it into a page of the docs. By
--resume, files whose outcomes the report has are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
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
from halfcl.cl._frontend import types

_LAUNCHES = (
    ((4, 2, 1), (LANES, 1, 1)), ((4,), (LANES,)), ((2, 2), (16, 16)), ((2, 2), (8, 8)),
    ((4,), (256,)), ((2, 2), (32, 8)),
)  # fmt: skip
_SECONDS = 300
#: What a reason says of one file alone, and what a finding of `check=True` begins with.
_PLACE = re.compile(r"^\S+:\d+:\d+: (?:error: )?")
_FINDING = re.compile(r"kernel \w+: (.*?)(?::| of '| outside| '|$)")
#: The outcomes of kernels that were run on both sides: the first columns.
_COMPARED = ("equal, bits", "equal, own halves", "DIFFERS, bits", "DIFFERS, own halves")


def _are_equal(theirs: list[Any], wanted: list[Any]) -> bool:
    """Return whether arrays have equal bits, except NaNs of float or half (memory has no type)."""
    return all(
        a.tobytes() == b.tobytes() or _are_numbers(a, b)
        for a, b in zip(theirs, wanted, strict=True)
    )


def _are_numbers(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    for dtype in (np.float32, np.float16):
        if a.nbytes % dtype().itemsize:  # structs of halves
            continue
        x, y = (v.reshape(-1).view(np.uint8).view(dtype) for v in (a, b))
        bits = f"u{x.itemsize}"
        if ((x.view(bits) == y.view(bits)) | (np.isnan(x) & np.isnan(y))).all():
            return True
    return False


class Launch(NamedTuple):
    """A launch that is defined: its sizes, and the memory before and after it."""

    sizes: tuple[int, ...]
    local: tuple[int, ...]
    before: list[Any]
    expected: list[Any]


class Kernel:
    """A kernel of a program that is run here."""

    def __init__(self, here: cl.Program, name: str) -> None:
        self._kernel, self._function = here[name], here[name]._function
        self._arguments = Arguments(self._function)
        self._keywords = {} if self._function.sub_group_size else {"sub_group_size": LANES}
        self.name, self.why_not = name, ""

    def defined_launches(self) -> Iterator[Launch]:
        """Yield the launches in which `check=True` finds nothing; keep why others are not."""
        if all(isinstance(p.type, types.Scalar) for p in self._function.parameters):
            self.why_not = "writes nothing"
            return
        for groups, local in _LAUNCHES:
            if self._function.required_size:
                local = self._function.required_size[: len(groups)]
            sizes = tuple(g * n for g, n in zip(groups, local, strict=True))
            try:
                self._run(self._kernel, sizes, local, check=True)
                expected = self._run(self._kernel, sizes, local)
            except NotMadeError as error:
                self.why_not = f"not made: {error}"
                return
            except (cl.CheckError, cl.LaunchError, ValueError) as error:
                reason = str(error).splitlines()[0][:200]
                self.why_not = self.why_not or f"not defined: {reason}"
                continue
            before = self._arguments.results(self._arguments.draw())
            yield Launch(sizes, local, before, expected)

    def compare(self, there: cl.Program, launch: Launch) -> str:
        """Return the outcome of a launch on a device."""
        try:
            got = self._run(there[self.name], launch.sizes, launch.local)
        except (ValueError, cl.BuildError, cl.LaunchError) as error:
            return f"refused: {' '.join(str(error).split())[:300]}"
        if not _are_equal(got, launch.expected):
            return "DIFFERS"
        return "writes nothing" if _are_equal(got, launch.before) else "equal"

    def _run(
        self, kernel: Any, sizes: tuple[int, ...], local: tuple[int, ...], **check: bool
    ) -> list[Any]:
        arguments = self._arguments.draw()
        kernel(sizes, local, *arguments, **check, **self._keywords)
        return self._arguments.results(arguments)


class Task(NamedTuple):
    """The kernels of a file, without some that were run before: a process runs these."""

    project: str
    name: str
    device: str
    float_functions: str
    done: list[str]


def run_file(task: Task, begin: Callable[[str], None]) -> Iterator[tuple[str, str]]:
    """Yield outcomes of kernels, by form where a device ran them; call `begin` before each."""
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
            label: cl.Program(source, device=queue, fp16=fp16, **translated)
            for label, fp16 in _forms(queue).items()
        }
    except cl.BuildError as error:
        lines = str(error).splitlines()
        why = next((line for line in lines if "error:" in line), lines[0])
        yield name, f"{'not translated' if here else 'not built'}: {why}"
        return
    if any(program.device_calls for program in programs.values()):
        yield name, "not fixed: functions of float are the device's"
        return
    for kernel in here.kernels:
        key = f"{name}: {kernel.name}"
        by_key = {f"{key}, {label}": there for label, there in programs.items()}
        waiting = {each: there for each, there in by_key.items() if each not in task.done}
        if key not in task.done and waiting:
            begin(key)
            yield from _run_kernel(Kernel(here, kernel.name), key, waiting, begin)


def _run_kernel(
    kernel: Kernel, key: str, programs: dict[str, cl.Program], begin: Callable[[str], None]
) -> Iterator[tuple[str, str]]:
    """Yield the outcome of the first launch that writes anything, by the programs' keys."""
    why = ""
    for launch in kernel.defined_launches():
        outcomes = {}
        for each, there in programs.items():
            begin(each)
            outcomes[each] = kernel.compare(there, launch)
        if set(outcomes.values()) != {"writes nothing"}:
            yield from outcomes.items()
            return
        why = "writes nothing"
        begin(key)
    yield key, why or kernel.why_not


def _forms(queue: Any) -> dict[str, bool]:
    """Return `fp16` for each form of a translation that the device takes, by its name."""
    has_halves = "cl_khr_fp16" in queue.device.extensions.split()
    return {"bits": False, "own halves": True} if has_halves else {"bits": False}


def work(task: Task) -> None:
    """Run a file's kernels: print a line when one begins, and one with its outcome."""
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what compilers and kernels print is no result

    def report(*line: str) -> None:
        print(json.dumps(line), file=results, flush=True)
        signal.alarm(_SECONDS)  # until the next line; else it ends the process

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
            stdout=output, stderr=errors,
        )  # fmt: skip
        status = process.wait()
        errors.seek(0)
        why = _why_ended(status, errors.read().splitlines())
        output.seek(0)
        lines = [json.loads(line) for line in output if line.endswith("\n")]
    outcomes |= {line[0]: line[1] for line in lines if len(line) == 2}
    return (lines[-1][0] if lines else task.name), why


def _why_ended(status: int, errors: list[str]) -> str:
    """Return what ended a process, in words; "" if it has done its work.

    errors: what it wrote to stderr; Python's last line names an exception.
    """
    if status == -signal.SIGALRM:
        return f"it took more than {_SECONDS} s"
    if status < 0:
        return signal.Signals(-status).name
    return f"status {status}: {' '.join(errors[-1:])}" if status else ""


def read_report(path: Path) -> dict[str, str]:
    """Return the outcomes that a report has; none without the file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {key: why for key, _, why in (line.partition("\t") for line in lines)}


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
    names = sorted(seen, key=lambda name: (name == "all", name))
    outcomes = sorted({outcome for of_row in seen.values() for outcome in of_row})
    heads = list(dict.fromkeys([*_COMPARED, *outcomes]))
    rows = [
        f"| {name} | {' | '.join(str(len(seen[name].get(h, ()))) for h in heads)} |"
        for name in names
    ]
    return "\n".join([f"| project | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads), *rows])


def reasons(results: dict[str, str]) -> str:
    """Return how many kernels, or files that do not build, each reason shuts out."""
    kernels: dict[str, set[str]] = {}
    for key, why in results.items():
        outcome, colon, reason = why.partition(": ")
        if colon:
            reason = _PLACE.sub("", reason)
            kinds = _FINDING.match(reason) if outcome == "not defined" else None
            short = kinds[1] if kinds else reason
            kernels.setdefault(f"{outcome}: {short}", set()).add(key.partition(", ")[0])
    counts = sorted((-len(names), why) for why, names in kernels.items())
    return "\n".join(f"{-count} {why}" for count, why in counts)


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
    parser.add_argument("--skip", nargs="+", default=[], metavar="PROJECT")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    run = partial(run_apart, device=options.device, float_functions=options.float_functions)
    results = read_report(options.report) if options.resume else {}
    known = {key.partition(": ")[0] for key in results}
    tasks = [
        (project, name)
        for project in projects_in(options.folder.resolve())
        for name in files_of(project)
        if project.name not in options.skip and f"{project.name}/{name}" not in known
    ]
    with ThreadPoolExecutor(options.jobs) as pool:
        for (project, _), outcomes in zip(tasks, pool.map(run, tasks), strict=True):
            results |= {f"{project.name}/{key}": why for key, why in outcomes.items()}
            if options.report:
                lines = [f"{key}\t{why}\n" for key, why in results.items()]
                options.report.write_text("".join(lines))
    print(table(results), reasons(results), sep="\n\n")
    if options.page:
        write_into_page(options.page, "kernels run", table(results))


if __name__ == "__main__":
    main()
