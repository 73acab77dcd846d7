"""Run projects' OpenCL kernels on random input, here and on an OpenCL device, and compare bytes.

    python tools/run_kernels.py FOLDER [--device NAME] [--report FILE.txt]
        [--float-functions device] [--jobs N] [--page PAGE.md]

FOLDER is a project, or has a project in each folder, as for tools/try_kernels.py. Arguments are
made by their types and by names that many hosts use: ne00 is a size, nb01 a stride in bytes,
offset0 an offset, src0 a buffer. A kernel counts if a launch with `check=True` finds nothing: what
it does with such arguments is defined. NaNs are equal. By --float-functions device, functions of
float without fixed results are left to the device, and kernels of such files do not count. Each
file is run in a process of its own, which a compiler may end; with --jobs, N at once. The output
is a table with a row per project; --page writes it into a page of the docs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from try_kernels import files_of, projects_in, queue_of, settings_of, write_into_page

import halfcl as hc
from halfcl import cl
from halfcl.cl._frontend import tree, types
from halfcl.cl._translation import uses_of_images

_BYTES = 1 << 18
_LANES = 64
_SECONDS = 300
_NE = {"00": 256, "01": 4, "02": 2, "03": 1, "10": 256, "11": 4, "12": 2, "13": 1,
       "20": 256, "21": 4, "22": 2, "23": 1, "1": 4, "2": 2, "3": 1}  # fmt: skip
_LAUNCHES = (((4, 2, 1), (_LANES, 1, 1)), ((4,), (_LANES,)), ((2, 2), (16, 16)), ((2, 2), (8, 8)))

_IMAGES = {
    "image1d_buffer_t": (hc.mem_object_type.IMAGE1D_BUFFER, (8192,)),
    "image1d_t": (hc.mem_object_type.IMAGE1D, (8192,)),
    "image1d_array_t": (hc.mem_object_type.IMAGE1D_ARRAY, (4, 128)),
    "image2d_t": (hc.mem_object_type.IMAGE2D, (64, 128)),
    "image2d_array_t": (hc.mem_object_type.IMAGE2D_ARRAY, (4, 64, 64)),
    "image3d_t": (hc.mem_object_type.IMAGE3D, (16, 32, 32)),
}
#: Channels of images by the ends of the names of the functions that use them; else halves.
_INTEGERS = {"ui": hc.channel_type.UNSIGNED_INT32, "imagei": hc.channel_type.SIGNED_INT32}
_SIZE = "width|height|depth|size|rows|cols|^[whn]$|dim|len|count|num|batch"


class Arguments:
    """The arguments of one kernel, drawn anew for each launch."""

    def __init__(self, function: tree.Function) -> None:
        self._function = function
        self._uses = uses_of_images(function).of_images
        self._size = 2 if re.search("f16|q[0-9]|iq|mxfp", function.name) else 4

    def draw(self) -> list[object]:
        """Draw the arguments of a launch; the numbers are the same each time."""
        rng = np.random.default_rng(len(self._function.name))
        return [self._argument(p, rng) for p in self._function.parameters]

    def _argument(self, parameter: tree.Declaration, rng: np.random.Generator) -> object:
        type_ = parameter.type
        if isinstance(type_, types.Pointer):
            if type_.space == "local":
                return cl.LocalMemory(1 << 15)
            return self._buffer(parameter.name, type_.pointee, rng)
        if isinstance(type_, types.Opaque):
            return self._image(parameter, rng)
        if isinstance(type_, types.Vector):
            return [1] * type_.width
        return self._number(parameter.name, type_)

    def _buffer(self, name: str, pointee: Any, rng: np.random.Generator) -> np.ndarray[Any, Any]:
        element = getattr(pointee, "element", None)
        if isinstance(pointee, types.Record):
            count = _BYTES // pointee.size * pointee.size // 2
            return rng.normal(size=count).astype(np.float16).view(np.uint8)
        if element == types.HALF:
            return rng.normal(size=_BYTES // 2).astype(np.float16)
        if element == types.FLOAT:
            return rng.normal(size=_BYTES // 4).astype(np.float32)
        if element is not None and element.is_floating:
            return rng.normal(size=_BYTES // 8)
        if element is not None and element.size >= 4 and not re.search("q|scale|src0_[dm]", name):
            return rng.integers(0, 4, _BYTES // element.size).astype(element.dtype)
        is_small = self._size == 2 and name != "src1" and "dst" not in name
        floats = rng.normal(size=_BYTES // (2 if is_small else 4))
        array = floats.astype(np.float16 if is_small else np.float32)
        return array if element is None else array.view(element.dtype)

    def _image(self, parameter: tree.Declaration, rng: np.random.Generator) -> object:
        if parameter.type == types.SAMPLER:
            return hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.NEAREST)
        names = {call.name for call in self._uses.get(parameter.name, ())}
        kinds = (kind for end, kind in _INTEGERS.items() if any(n.endswith(end) for n in names))
        kind = next(kinds, hc.channel_type.HALF_FLOAT)
        image_type, shape = _IMAGES[parameter.type.name]
        if kind is hc.channel_type.HALF_FLOAT:
            array = rng.normal(size=(*shape, 4)).astype(np.float16)
        else:
            dtype = np.int32 if kind is hc.channel_type.SIGNED_INT32 else np.uint32
            array = rng.integers(0, 1 << 32, (*shape, 4)).astype(np.uint32).view(dtype)
        return hc.Image(array, hc.ImageFormat(hc.channel_order.RGBA, kind), image_type)

    def _number(self, name: str, type_: types.Scalar) -> float | int:
        if type_.is_floating:
            return 1e-5 if name == "eps" else 0.5
        if match := re.fullmatch(r"ne(\d+)", name):
            first = 4 if re.search("mul_m|gem", self._function.name) else 256
            return _NE.get(match[1], first)
        if match := re.fullmatch(r"nb(\d?)(\d)", name):
            sizes = [_NE.get(f"{match[1]}{k}", 256) for k in range(int(match[2]))]
            return int(np.prod([self._size if match[1] == "0" else 4, *sizes]))
        if "off" in name:
            return 0
        if re.search(_SIZE, name.lower()):
            return 16
        return {"r2": 1, "r3": 1, "nth": _LANES}.get(name, 4)


def _arrays_of(arguments: list[object]) -> list[np.ndarray[Any, Any]]:
    arrays = [a.array if isinstance(a, hc.Image) else a for a in arguments]
    return [a for a in arrays if isinstance(a, np.ndarray)]


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
    if any(isinstance(parameter.type, types.Record) for parameter in function.parameters):
        return "takes a struct"
    arguments = Arguments(function)
    sub_group = {} if function.sub_group_size else {"sub_group_size": _LANES}
    why = ""
    for groups, local in _LAUNCHES:
        if function.required_size:
            local = function.required_size[: len(groups)]
        sizes = tuple(g * n for g, n in zip(groups, local, strict=True))
        wanted = arguments.draw()
        try:
            kernel(sizes, local, *wanted, check=True, **sub_group)
            wanted = arguments.draw()
            kernel(sizes, local, *wanted, **sub_group)
        except (cl.CheckError, cl.LaunchError, ValueError) as error:
            why = why or f"not defined: {str(error).splitlines()[0][:200]}"
            continue
        theirs = arguments.draw()
        try:
            there[name](sizes, local, *theirs, **sub_group)
        except (ValueError, cl.BuildError, cl.LaunchError) as error:
            return f"refused: {str(error)[:300]}"
        if _are_equal(_arrays_of(theirs), _arrays_of(arguments.draw())):
            why = why or "writes nothing"
            continue
        return "equal" if _are_equal(_arrays_of(theirs), _arrays_of(wanted)) else "DIFFERS"
    return why


def run_file(project: Path, name: str, device: str, float_functions: str) -> dict[str, str]:
    warnings.simplefilter("ignore")
    _context, queue = queue_of(device)  # Intel's queues do not keep theirs
    os.chdir(project)
    source, settings = Path(name).read_text(errors="replace"), settings_of(project, name)
    outcomes = {}
    try:
        here = cl.Program(source, **settings)
        programs = {
            form: cl.Program(
                source, device=queue, fp16=form, float_functions=float_functions, **settings
            )
            for form in _forms(queue)
        }
    except cl.BuildError as error:
        return {name: f"not translated: {str(error).splitlines()[0]}"}
    if any(program.device_calls for program in programs.values()):
        return {name: "not fixed: functions of float are the device's"}
    for fp16, there in programs.items():
        for kernel in here.kernels:
            key = f"{name}: {kernel.name}, {'own halves' if fp16 else 'bits'}"
            outcomes[key] = run_one(here, there, kernel.name)
    return outcomes


def _forms(queue: Any) -> list[bool]:
    return [False, True] if "cl_khr_fp16" in queue.device.extensions.split() else [False]


def run_apart(task: tuple[Path, str], device: str, float_functions: str) -> dict[str, str]:
    """Run the kernels of a file in a process of its own, and return the outcomes."""
    project, name = task
    one = json.dumps([str(project), name, device, float_functions])
    command = [sys.executable, __file__, "--one", one]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        outcomes: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        outcomes = {name: "the process ended"}
    return outcomes


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
        project, name, device, float_functions = json.loads(sys.argv[2])
        print(json.dumps(run_file(Path(project), name, device, float_functions)))
        return
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
