"""Run halfcl's device functions on a device, and compare every result with the host's.

    python tools/check_device.py opencl[:PLATFORM[:DEVICE]] [--no-fp16] [--flush] --out FILE.json
    python tools/check_device.py cuda --out FILE.json
    python tools/check_device.py --page FILE.json ...   writes docs/evidence/device_proofs.md

PLATFORM and DEVICE: numbers, or parts of names. --functions NAME,...: only those. --pairs
NAME,...: of these all 2^32 pairs. --quick: an eighth of the samples. --flush: lets the device flush
subnormal floats to zero (-cl-denorms-are-zero, --ftz=true), which must change nothing. --native:
with the device's own conversions and division (HC_NATIVE_CONVERSION, HC_NATIVE_DIVISION). Bit by
bit, but NaNs as NaNs where a function does not change bits alone.

What is tried, in all four modes: every half, or code, of one argument; of two, halfcl.audit's hard
cases and the hardest pairs known, and 2^24 pairs, 4096 of every two signs and exponents; 10^7
triples; 10^6 vectors of each width.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import halfcl as hc
from halfcl._tables import TABLE
from halfcl._tables.row import Builtin
from halfcl.audit._results import exact, inputs
from halfcl.audit._targets.devices.opencl_device import choose
from halfcl.device import cuda, opencl
from halfcl.device._source.catalogue import MODES, TYPES, Form, select_forms
from halfcl.device._source.dialects import CUDA

PAGE = Path(__file__).resolve().parent.parent / "docs" / "evidence" / "device_proofs.md"

Columns = tuple[Any, ...]

_ROWS: dict[str, Builtin] = {row.name: row for row in TABLE if not row.signature}

#: Functions that change bits, also those of NaNs.
_OF_BITS = ("negative", "fabs", "copysign", "positive", "nan", "nextafter")

#: Offsets of float bits from a half to the floats around it and around the next midpoint.
_BESIDE = np.array([2**32 - 1, 0, 1, 0xFFF, 0x1000, 0x1001], np.uint32)

#: C's types of the kernels' arrays: halves and booleans as they are stored.
_STORED = {**TYPES, "e": "ushort", "?": "uchar"}
_OUTPUTS = {"e": "u2", "?": "u1"}
_IN_CUDA = {**CUDA.types, "e": "unsigned short", "?": "unsigned char"}


# ---------------------------------------------------------------- operands


def pairs_by_exponent(rng: np.random.Generator, each: int) -> Columns:
    """Return pairs of halves, `each` for every two signs and exponents."""
    heads = np.arange(64, dtype=np.uint16) << 10
    shape = (64, 64, each)
    first = heads[:, None, None] | rng.integers(0, 1 << 10, shape, np.uint16)
    second = heads[None, :, None] | rng.integers(0, 1 << 10, shape, np.uint16)
    return first.ravel().view(np.float16), second.ravel().view(np.float16)


def triples(rng: np.random.Generator, n: int) -> Columns:
    """Return triples of halves: half of any bits, half whose products nearly cancel the last."""
    a, b, c = rng.integers(0, 1 << 16, (3, n), np.uint16).view(np.float16)
    with np.errstate(all="ignore"):
        near = -(a[: n // 2].astype(np.float32) * b[: n // 2]).astype(np.float16)
    moved = near.view(np.uint16) + rng.integers(-2, 3, near.size).astype(np.uint16)
    c[: n // 2] = moved.view(np.float16)
    return a, b, c


def vectors(rng: np.random.Generator, width: int, n: int, operands: int) -> Columns:
    """Return rows: a quarter of any bits, others below 2, of one size, of short significands."""
    columns = []
    for _ in range(operands):
        rows = rng.integers(0, 1 << 16, (n, width), np.uint16)
        rows[n // 4 :] &= 0xBFFF  # below 2, and no infinities
        rows[n // 2 :] = rows[n // 2 :] & 0x83FF | 0x3800
        rows[3 * n // 4 :] &= 0xFFC0
        columns.append(rows.view(np.float16))
    return tuple(columns)


def operands(form: Form, quick: bool) -> Iterator[Columns]:
    """Yield the operands of a form, in columns."""
    rng = np.random.default_rng([len(form.name), *form.name.encode()])
    part = 8 if quick else 1
    if form.vectors:
        for width in form.widths:
            yield vectors(rng, width, (1 << 20) // part, len(form.inputs))
    elif len(form.inputs) == 1:
        yield (_every(form.inputs, rng),)
    else:
        if form.name in exact.ROWS:
            yield from inputs.chunks(_ROWS[form.name], False, 0)
        if form.inputs == "ee":
            yield pairs_by_exponent(rng, 4096 // part)
        elif form.inputs == "eee":
            yield triples(rng, 10_000_000 // part)


def _every(letter: str, rng: np.random.Generator) -> Any:
    if letter in "ebBhH":
        return inputs.all_values(letter)
    if letter == "f":
        bits = rng.integers(0, 1 << 32, 1 << 22, np.uint32)
        near = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
        about = near.view(np.uint32)[:, None] + _BESIDE
        return np.concatenate([bits, about.ravel()]).view(np.float32)
    kind = np.dtype(letter)
    n = 1 << 20
    wide = rng.integers(0, 1 << 63, n, np.uint64) >> rng.integers(0, 63, n, np.uint64)
    signed = np.where(rng.integers(0, 2, n) == 0, 0 - wide, wide)
    return np.concatenate([signed, np.arange(1 << 18, dtype=np.uint64)]).astype(kind)


# ---------------------------------------------------------------- the host


def host_results(form: Form, mode: str, columns: Columns) -> tuple[Any, ...]:
    """Return halfcl's results, with halves as their bits."""
    halves = [c.view(hc.half) if c.dtype == np.float16 else c for c in columns]
    with np.errstate(all="ignore"):
        result = _call(form, mode, halves)
    several = result if isinstance(result, tuple) else (result,)
    return tuple(r.view(np.uint16) if r.dtype.itemsize == 2 and r.dtype.kind not in "iu" else r
                 for r in map(np.asarray, several))  # fmt: skip


def _call(form: Form, mode: str, halves: list[Any]) -> Any:
    if form.name.startswith("convert_"):
        kind = form.name.removeprefix("convert_").removesuffix("_sat")
        saturate = form.name.endswith("_sat")
        return hc.convert(halves[0], kind, rounding=mode, saturate=saturate)
    row = None if form.vectors else _ROWS.get(form.name)
    if row.public if row else hasattr(hc, form.name):
        unrounded = row is not None and row.governed == "exact"
        options = {} if unrounded or (row and row.outputs == "?") else {"rounding": mode}
        return getattr(hc, form.name)(*halves, **options)
    with hc.rounding(mode, builtins=True):
        return getattr(np, row.numpy[0] if row else form.name)(*halves)


# ---------------------------------------------------------------- devices


class Runtime(Protocol):
    """A device runtime on which functions run."""

    description: dict[str, str]

    def load(self, columns: Columns) -> list[Any]:
        """Return the operands on the device."""

    def run(self, form: Form, mode: str, columns: Columns, loaded: list[Any]) -> tuple[Any, ...]:
        """Return the results of a form, in the layout of `host_results`."""


def _width(form: Form, columns: Columns) -> int:
    return columns[0].shape[1] if form.vectors else 1


def _results(form: Form, columns: Columns) -> list[Any]:
    n = len(columns[0])
    shape = (n, _width(form, columns)) if form.vectors == "vector" else (n,)
    return [np.empty(shape, _OUTPUTS.get(c, c)) for c in form.outputs]


def _body(form: Form, mode: str, width: int, half: str, vector: str) -> str:
    """Return a kernel's statements for element i, which read x, y, z and write p, q."""
    name = f"hc_{form.name}_{mode}"
    names = "xyz"[: len(form.inputs)]
    if form.vectors:
        lines = []
        for v in names:
            parts = ", ".join(f"HCI_HALF({v}[{width} * i + {k}])" for k in range(width))
            lines.append(f"{vector} {v}_v = {parts if width == 1 else vector_of(vector, parts)};")
        call = f"{name}({', '.join(f'{v}_v' for v in names)})"
        if form.vectors == "number":
            lines.append(f"p[i] = HCI_BITS({call});")
        else:
            lines.append(f"{vector} r = {call};")
            for k in range(width):
                part = "r" if width == 1 else component(vector, k)
                lines.append(f"p[{width} * i + {k}] = HCI_BITS({part});")
        return " ".join(lines)
    letters = zip(form.inputs, names, strict=True)
    arguments = [f"HCI_HALF({v}[i])" if c == "e" else f"{v}[i]" for c, v in letters]
    second = form.outputs[1:]
    declared = f"{half if second == 'e' else 'int'} second; " if second else ""
    call = f"{name}({', '.join(arguments + (['&second'] if second else []))})"
    store = f"p[i] = HCI_BITS({call});" if form.outputs[0] == "e" else f"p[i] = {call};"
    more = {"": "", "e": " q[i] = HCI_BITS(second);", "i": " q[i] = second;"}[second]
    return f"{declared}{store}{more}"


def _parameters(form: Form, space: str, types: dict[str, str]) -> str:
    """Return a kernel's parameters: the operands x, y, z, and the results p, q."""
    reads = [f"{space}const {types[c]} *{v}" for c, v in zip(form.inputs, "xyz", strict=False)]
    writes = [f"{space}{types[c]} *{v}" for c, v in zip(form.outputs, "pq", strict=False)]
    return ", ".join(reads + writes)


def vector_of(vector: str, parts: str) -> str:
    return f"{{{{{parts}}}}}" if vector.startswith("hc_vector") else f"({vector})({parts})"


def component(vector: str, k: int) -> str:
    return f"r.s[{k}]" if vector.startswith("hc_vector") else f"r.s{k:x}"


_NATIVE = [
    "-DHC_NATIVE_CONVERSION", "-DHC_NATIVE_DIVISION", "-cl-fp32-correctly-rounded-divide-sqrt",
]  # fmt: skip


class OnOpenCL:
    """A device, through pyopencl."""

    def __init__(self, where: str, fp16: bool, flush: bool, native: bool) -> None:
        import pyopencl as cl  # an extra

        wanted, _, device = where.partition(":")
        self._cl, self._device, self._fp16 = cl, choose(cl, wanted, device), fp16
        self._context = cl.Context([self._device])
        self._queue = cl.CommandQueue(self._context)
        self._options = ["-cl-denorms-are-zero"] if flush else []
        self._options += _NATIVE if native else []
        self._programs: dict[Any, Any] = {}
        platform_ = self._device.platform
        self.description = {
            "runtime": platform_.name.strip(), "version": platform_.version.strip(),
            "device": self._device.name.strip(), "driver": self._device.driver_version.strip(),
            "halves": ("half" if fp16 else "ushort") + (", native" if native else ""),
        }  # fmt: skip

    def load(self, columns: Columns) -> list[Any]:
        flags = self._cl.mem_flags.READ_ONLY | self._cl.mem_flags.COPY_HOST_PTR
        arrays = [np.ascontiguousarray(c) for c in columns]
        return [self._cl.Buffer(self._context, flags, hostbuf=x) for x in arrays]

    def run(self, form: Form, mode: str, columns: Columns, loaded: list[Any]) -> tuple[Any, ...]:
        results, flags = _results(form, columns), self._cl.mem_flags.WRITE_ONLY
        written = [self._cl.Buffer(self._context, flags, r.nbytes) for r in results]
        kernel = self._kernel(form, mode, _width(form, columns))
        kernel(self._queue, (len(columns[0]),), None, *loaded, *written)
        for result, buffer in zip(results, written, strict=True):
            self._cl.enqueue_copy(self._queue, result, buffer)
        return tuple(results)

    def _kernel(self, form: Form, mode: str, width: int) -> Any:
        key = form, mode, width
        if key not in self._programs:
            text = opencl([form.name], fp16=self._fp16) + "".join(
                self._source(form, m, width) for m in MODES
            )
            program = self._cl.Program(self._context, text).build(self._options)
            for m in MODES:
                self._programs[form, m, width] = getattr(program, f"run_{m}")
        return self._programs[key]

    def _source(self, form: Form, mode: str, width: int) -> str:
        vector = "hc_half" if width == 1 else f"hc_half{width}"
        body = _body(form, mode, width, "hc_half", vector)
        return (
            f"__kernel void run_{mode}({_parameters(form, '__global ', _STORED)}) "
            f"{{ size_t i = get_global_id(0); {body} }}\n"
        )


class OnCUDA:
    """A GPU, through CuPy."""

    def __init__(self, flush: bool) -> None:
        import cupy  # an extra

        self._cupy = cupy
        self._options = ("--std=c++17", *(["--ftz=true"] if flush else []))
        self._modules: dict[Any, Any] = {}
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        major, minor = cupy.cuda.nvrtc.getVersion()
        self.description = {
            "runtime": "CUDA", "version": f"NVRTC {major}.{minor}, CuPy {cupy.__version__}",
            "device": properties["name"].decode(),
            "driver": str(cupy.cuda.runtime.driverGetVersion()), "halves": "__half",
        }  # fmt: skip

    def load(self, columns: Columns) -> list[Any]:
        bits = [c.view(np.uint16) if c.dtype == np.float16 else c for c in columns]
        return [self._cupy.asarray(np.ascontiguousarray(c)) for c in bits]

    def run(self, form: Form, mode: str, columns: Columns, loaded: list[Any]) -> tuple[Any, ...]:
        results = [self._cupy.empty(r.shape, r.dtype) for r in _results(form, columns)]
        n = len(columns[0])
        kernel = self._kernel(form, mode, _width(form, columns))
        kernel(((n + 255) // 256,), (256,), (np.int64(n), *loaded, *results))
        return tuple(result.get() for result in results)

    def _kernel(self, form: Form, mode: str, width: int) -> Any:
        key = form, width
        if key not in self._modules:
            text = cuda([form.name]) + "".join(self._source(form, m, width) for m in MODES)
            self._modules[key] = self._cupy.RawModule(code=text, options=self._options)
        return self._modules[key].get_function(f"run_{mode}")

    def _source(self, form: Form, mode: str, width: int) -> str:
        vector = "__half" if width == 1 else f"hc_vector<__half, {width}>"
        body = _body(form, mode, width, "__half", vector)
        return (
            f'extern "C" __global__ void run_{mode}'
            f"(long long n, {_parameters(form, '', _IN_CUDA)}) "
            f"{{ long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; "
            f"if (i < n) {{ {body} }} }}\n"
        )


# ---------------------------------------------------------------- comparison


def differences(form: Form, got: Any, want: Any) -> int:
    """Return how many results differ from the host's."""
    if np.array_equal(got, want):
        return 0
    at = np.flatnonzero(got.ravel() != want.ravel())
    if want.dtype == np.uint16 and form.outputs[0] == "e" and form.name not in _OF_BITS:
        nan = [(x.ravel()[at] & 0x7FFF) > 0x7C00 for x in (got, want)]
        return int(np.count_nonzero(~(nan[0] & nan[1])))
    if want.dtype.kind == "f":
        return int(np.count_nonzero(~(np.isnan(got.ravel()[at]) & np.isnan(want.ravel()[at]))))
    return at.size


#: Chunks of operands that are in work at a time; the device runs them in sequence.
_AT_A_TIME = min(8, os.cpu_count() or 1)
_device = threading.Lock()


def check_chunk(form: Form, runtime: Runtime, columns: Columns) -> tuple[dict[str, int], str]:
    """Return how many results are wrong in each mode, and an example of one."""
    wrong, example = dict.fromkeys(MODES, 0), ""
    with _device:
        operands = runtime.load(columns)
    for mode in MODES:
        with _device:
            got = runtime.run(form, mode, columns, operands)
        for g, w in zip(got, host_results(form, mode, columns), strict=True):
            count = differences(form, g, w)
            wrong[mode] += count
            if count and not example:
                example = _example(mode, columns, g, w)
    return wrong, example


def check(form: Form, runtime: Runtime, chunks: Iterator[Columns]) -> dict[str, Any]:
    """Compare a form with the host in the four modes, and return the row of the report."""
    start, tried, wrong, example = time.perf_counter(), 0, dict.fromkeys(MODES, 0), ""
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        while some := list(islice(chunks, _AT_A_TIME)):
            tried += sum(len(columns[0]) for columns in some)
            for count, wrong_example in pool.map(partial(check_chunk, form, runtime), some):
                wrong = {mode: wrong[mode] + count[mode] for mode in MODES}
                example = example or wrong_example
    label = f"{form.name}({', '.join(TYPES[c] for c in form.inputs)})"
    print(f"{label:44} {tried:>11,} x 4  {sum(wrong.values()) or 'right'} {example}", flush=True)
    return {
        "function": form.name, "operands": label, "tried": tried, "wrong": wrong,
        "example": example, "seconds": round(time.perf_counter() - start, 1),
    }  # fmt: skip


def _example(mode: str, columns: Columns, got: Any, want: Any) -> str:
    rows = np.flatnonzero((got != want).reshape(len(got), -1).any(axis=1))
    for row in rows[:1000]:
        if not (want.dtype == np.uint16 and np.all((want[row] & 0x7FFF) > 0x7C00)):
            return f"{mode}: {[c[row] for c in columns]} gives {got[row]}, not {want[row]}"
    return ""


def checks(options: argparse.Namespace, runtime: Runtime) -> Iterator[dict[str, Any]]:
    for form in select_forms(options.functions.split(",") if options.functions else None):
        if form.name in options.pairs.split(","):
            yield check(form, runtime, inputs.all_pairs())
        else:
            yield check(form, runtime, operands(form, options.quick))


# ---------------------------------------------------------------- the page


def page(reports: list[dict[str, Any]]) -> str:
    """Return the page docs/evidence/device_proofs.md."""
    lines = [_INTRODUCTION]
    for number, report in enumerate(reports, 1):
        d = report["device"]
        flush = ", flushing subnormal floats to zero" if report["flush"] else ""
        total = sum(r["tried"] for r in report["checks"])
        wrong = sum(sum(r["wrong"].values()) for r in report["checks"])
        verdict = "all equal to the host's" if not wrong else f"**{wrong:,} are not the host's**"
        lines.append(
            f"{number}. **{d['runtime']}** ({d['version']}) on {d['device']}, driver "
            f"{d['driver']}, halves as `{d['halves']}`{flush}: {len(report['checks'])} functions, "
            f"{4 * total:,} results, {verdict}. {report['date']}, {report['seconds']:,.0f} s, "
            f"halfcl {report['halfcl']}."
        )
    lines += ["", "## Operands tried, in each of four modes", ""]
    columns = [str(n) for n in range(1, len(reports) + 1)]
    lines += [f"| function | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
    labels = dict.fromkeys(r["operands"] for report in reports for r in report["checks"])
    tables = [{r["operands"]: r for r in report["checks"]} for report in reports]
    for label in labels:
        cells = [_cell(table.get(label)) for table in tables]
        lines.append(f"| `{label}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    wrong = sum(row["wrong"].values())
    tried = "2^32" if row["tried"] == 1 << 32 else f"{row['tried']:,}"
    return f"{tried}, **{wrong:,} wrong**" if wrong else tried


_INTRODUCTION = """\
# The device library's results, beside the host's

This page shows on which devices halfcl's [functions for devices](../howto/device.md) were compared
with the host's, and what came out. `tools/check_device.py` writes it. It runs every function on a
device, in all four rounding modes, and compares each result with the host's, bit by bit. The
host's results are proven against MPFR and exact integers ([accuracy](accuracy.md)). To try your
own device:

```sh
python -m halfcl audit device:opencl
```

Of one argument: every half, or every code; of integers and floats samples. Of two halves: hard
cases, found by bisection for each function, the hardest pairs of all that are known, and 4096 pairs
of every two signs and exponents (2^24); all 2^32 where the table says so. Of three: 10^7 triples,
half of them nearly cancelling, beside hard cases. Of vectors: 2^20 of each width.

## Runtimes
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("runtime", nargs="?", help="opencl[:PLATFORM[:DEVICE]] or cuda")
    parser.add_argument("--no-fp16", action="store_true", help="treat halves as ushorts")
    parser.add_argument("--flush", action="store_true", help="flush subnormal floats to zero")
    parser.add_argument("--native", action="store_true", help="use the device's conversions")
    parser.add_argument("--functions", default="", help="functions to check, separated by commas")
    parser.add_argument("--pairs", default="", help="functions to check on all pairs of halves")
    parser.add_argument("--quick", action="store_true", help="check an eighth of the samples")
    parser.add_argument("--out", type=Path, help="write a report in JSON")
    parser.add_argument("--page", nargs="+", type=Path, help="write the page from these reports")
    options = parser.parse_args(arguments)
    if options.page:
        PAGE.write_text(page([json.loads(p.read_text()) for p in options.page]))
        return 0
    if not options.runtime:
        parser.error("runtime: expected a runtime or --page, got neither")
    kind, _, where = options.runtime.partition(":")
    makers: dict[str, Callable[[], Runtime]] = {
        "opencl": lambda: OnOpenCL(where, not options.no_fp16, options.flush, options.native),
        "cuda": lambda: OnCUDA(options.flush),
    }
    if kind not in makers:
        parser.error(f"runtime: expected opencl or cuda, got {kind!r}")
    runtime, start = makers[kind](), time.perf_counter()
    print(runtime.description, platform.processor())
    rows = list(checks(options, runtime))
    report = {
        "halfcl": hc.__version__, "date": time.strftime("%Y-%m-%d"), "device": runtime.description,
        "flush": options.flush, "seconds": round(time.perf_counter() - start), "checks": rows,
    }  # fmt: skip
    if options.out:
        options.out.write_text(json.dumps(report, indent=1))
    return int(any(sum(f["wrong"].values()) for f in rows))


if __name__ == "__main__":
    sys.exit(main())
