"""Compare halfcl's functions over arrays of a GPU with the host's, bit by bit, and time them.

    python tools/check_gpu.py                      all libraries that find a GPU, all functions
    python tools/check_gpu.py --libraries torch --functions exp,add --quick
    python tools/check_gpu.py --out FILE.json      keeps the result
    python tools/check_gpu.py --jobs 8             compares in so many processes, since to compile
                                                   takes longer than all else

What is tried, in all four modes: every half of one argument; of more, 10^6 samples; of vectors 10^5
of each width. Differences are counted, NaNs as NaNs. Times are of halves drawn alike, the best of
several runs: 1,000 elements and 2^26, beside copying and beside the library's own function.
docs/evidence/gpu.md has the last figures.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import halfcl as hc
from halfcl import _core
from halfcl.device._source.catalogue import Form, forms

SAMPLES, VECTORS = 1_000_000, 100_000
FEW, MANY = 1_000, 1 << 26

#: The libraries' names of halfcl's functions, where they differ.
_NAMES = {"fabs": "abs", "pown": "", "fma": "", "mad": ""}


class Library(Protocol):
    name: str

    def to(self, x: np.ndarray) -> Any: ...
    def back(self, x: Any) -> np.ndarray: ...
    def wait(self) -> None: ...
    def own(self, name: str) -> Callable[..., Any] | None: ...


class CuPy:
    name = "cupy"

    def __init__(self) -> None:
        self._cupy = import_module("cupy")
        self._cupy.cuda.runtime.getDeviceCount()

    def to(self, x: np.ndarray) -> Any:
        return self._cupy.asarray(x)

    def back(self, x: Any) -> np.ndarray:
        return self._cupy.asnumpy(x)

    def wait(self) -> None:
        self._cupy.cuda.get_current_stream().synchronize()

    def copy(self, x: Any) -> Any:
        return x.copy()

    def own(self, name: str) -> Callable[..., Any] | None:
        return getattr(self._cupy, _NAMES.get(name, name) or "-", None)


class Torch:
    name = "torch"

    def __init__(self) -> None:
        self._torch = import_module("torch")
        if not self._torch.cuda.is_available():
            raise ImportError("no CUDA device")

    def to(self, x: np.ndarray) -> Any:
        return self._torch.from_numpy(np.ascontiguousarray(x)).cuda()

    def back(self, x: Any) -> np.ndarray:
        return x.cpu().numpy()

    def wait(self) -> None:
        self._torch.cuda.synchronize()

    def copy(self, x: Any) -> Any:
        return x.clone()

    def own(self, name: str) -> Callable[..., Any] | None:
        return getattr(self._torch, _NAMES.get(name, name) or "-", None)


class Jax:
    name = "jax"

    def __init__(self) -> None:
        self._jax = import_module("jax")
        if self._jax.devices()[0].platform not in ("gpu", "cuda"):
            raise ImportError("no GPU")

    def to(self, x: np.ndarray) -> Any:
        return self._jax.device_put(x)

    def back(self, x: Any) -> np.ndarray:
        return np.asarray(x)

    def wait(self) -> None:
        for device in self._jax.devices():
            device.synchronize_all_activity()

    def copy(self, x: Any) -> Any:
        return x.copy()

    def own(self, name: str) -> Callable[..., Any] | None:
        return getattr(self._jax.numpy, _NAMES.get(name, name) or "-", None)


LIBRARIES = {"cupy": CuPy, "torch": Torch, "jax": Jax}


def load_libraries(names: Iterable[str]) -> list[Library]:
    """Load the libraries that are installed and find a GPU; report the others."""
    every: list[Library] = []
    for name in names:
        try:
            every.append(LIBRARIES[name]())
        except Exception as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
    return every


# ---------------------------------------------------------------- operands


def operands(form: Form, rng: np.random.Generator, samples: int) -> list[np.ndarray]:
    """Draw operands of a form, on the host."""
    if form.vectors:
        raise ValueError("operands: form: expected a form of numbers, got one of vectors")
    if form.inputs == "e":
        return [np.arange(1 << 16, dtype=np.uint16).view(np.float16)]
    return [column(letter, rng, samples) for letter in form.inputs]


def column(letter: str, rng: np.random.Generator, n: int) -> np.ndarray:
    if letter == "e":
        return rng.integers(0, 1 << 16, n, np.uint16).view(np.float16)
    if letter == "f":
        return rng.integers(0, 1 << 32, n, np.uint32).view(np.float32)
    info = np.iinfo(letter)
    small = rng.integers(max(info.min, -40), min(info.max, 40), n, dtype=letter, endpoint=True)
    whole = rng.integers(info.min, info.max, n, dtype=letter, endpoint=True)
    return np.where(rng.random(n) < 0.5, small, whole)


def differing(got: object, right: object) -> int:
    """Return the number of elements whose bits differ, except NaNs."""
    one, other = np.asarray(got), np.asarray(right)
    if one.shape != other.shape:
        return max(one.size, other.size)
    if other.dtype.itemsize == 2 and other.dtype.kind not in "iu":
        one, other = one.view(np.float16), other.view(np.float16)
    if other.dtype.kind != "f":
        return int((one != other).sum())
    bits = f"u{other.dtype.itemsize}"
    same = (one.view(bits) == other.view(bits)) | (np.isnan(one) & np.isnan(other))
    return int((~same).sum())


# ---------------------------------------------------------------- comparing


def compare(library: Library, name: str, form: Form, samples: int, vectors: int) -> dict[str, int]:
    """Compare a function's results with the host's; return how many were, and how many differ."""
    rng, count, wrong = np.random.default_rng(1), 0, 0
    if form.vectors:
        cases = [
            [column("e", rng, vectors * width).reshape(-1, width) for _ in form.inputs]
            for width in form.widths
            if width > 1
        ]
    else:
        cases = [operands(form, rng, samples)]
    for arrays in cases:
        on_device = [library.to(x) for x in arrays]
        for mode in _core.MODES:
            with np.errstate(all="ignore"):
                right = getattr(hc, name)(*arrays, rounding=mode)
            got = getattr(hc, name)(*on_device, rounding=mode)
            pairs = zip(*((x if isinstance(x, tuple) else (x,)) for x in (got, right)), strict=True)
            for one, other in pairs:
                count += np.size(other)
                wrong += differing(library.back(one), other)
    return {"compared": count, "differ": wrong}


def compare_by_name(library: str, name: str, scale: int) -> dict[str, Any]:
    """Run `compare` for names, in a new process."""
    (loaded,) = load_libraries([library])
    return compare(loaded, name, forms()[name][0], SAMPLES // scale, VECTORS // scale)


# ---------------------------------------------------------------- timing


def seconds(library: Library, call: Callable[[], object], least: float = 0.02) -> float:
    """Return the seconds per call, the best of several rounds."""
    call()
    library.wait()
    rounds, best = 1, float("inf")
    while True:
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        library.wait()
        elapsed = time.perf_counter() - start
        best = min(best, elapsed / rounds)
        if elapsed > least:
            break
        rounds *= 4
    for _ in range(4):
        start = time.perf_counter()
        for _ in range(rounds):
            call()
        library.wait()
        best = min(best, (time.perf_counter() - start) / rounds)
    return best


def measure(library: Library, name: str, form: Form) -> dict[str, float]:
    """Measure microseconds on few and many elements, of halfcl's and the library's function."""
    rng, times = np.random.default_rng(1), dict[str, float]()
    own = library.own(name)
    for label, n in (("few", FEW), ("many", MANY)):
        arrays = [library.to(rng.uniform(0.1, 4, n).astype(np.float16)) for _ in form.inputs]
        times[label] = 1e6 * seconds(library, lambda: getattr(hc, name)(*arrays))  # noqa: B023
        times[f"{label}_copy"] = 1e6 * seconds(library, lambda: library.copy(arrays[0]))  # noqa: B023
        if own is not None:
            try:
                times[f"{label}_own"] = 1e6 * seconds(library, lambda: own(*arrays))  # noqa: B023
            except Exception:
                own = None
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--libraries", default="cupy,torch,jax")
    parser.add_argument("--functions", default="")
    parser.add_argument("--quick", action="store_true", help="check a tenth of the samples")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = options.functions.split(",") if options.functions else [
        name for name in forms() if isinstance(getattr(hc, name, None), _core.Function)
    ]  # fmt: skip
    scale = 10 if options.quick else 1
    result: dict[str, Any] = {"date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"}
    for library in load_libraries(options.libraries.split(",")):
        rows = result[library.name] = {}
        columns = ([library.name] * len(names), names, [scale] * len(names))
        with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as processes:
            for name, row in zip(names, processes.map(compare_by_name, *columns), strict=True):
                rows[name] = row
                cells = "  ".join(f"{k} {v:.4g}" for k, v in row.items())
                print(f"{library.name} {name}: {cells}", flush=True)
        for name in () if options.no_times else names:
            form = forms()[name][0]
            if set(form.inputs) == {"e"} and not form.vectors:
                rows[name] |= (times := measure(library, name, form))
                cells = "  ".join(f"{k} {v:.4g}" for k, v in times.items())
                print(f"{library.name} {name}: {cells}", flush=True)
        total = sum(row["compared"] for row in rows.values())
        wrong = sum(row["differ"] for row in rows.values())
        print(f"{library.name}: {total} results, {wrong} differ", flush=True)
    if options.out:
        options.out.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
