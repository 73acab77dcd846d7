"""Writes tests/data/golden/VERSION: what this version of halfcl stores, and how it must be read.

    python tools/make_golden.py

For each release once, after tools/set_version.py: later versions must read these files, bit for
bit (tests/project/test_golden.py, docs/project/promises.md). What is there is never written again.
"""

import enum
import inspect
import json
import pickle
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

import halfcl as hc
from halfcl.interval import DecoratedInterval, Interval
from halfcl.reductions import Accumulator

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "data" / "golden"

#: Every kind of half: zeros, subnormals, normals, infinities, and NaNs, quiet and signaling.
BITS = (
    0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x3555, 0x3C00, 0xC248, 0x7BFF, 0xFBFF,
    0x7C00, 0xFC00, 0x7E00, 0xFE2A, 0x7D01,
)  # fmt: skip


def halves(*shape):
    """Halves of those bits, over and over."""
    return np.resize(np.array(BITS, np.uint16), shape).view(hc.half)


def structured():
    """Fields of both byte orders, aligned, nested, and of more dimensions than one."""
    inner = np.dtype([("low", hc.half), ("high", hc.half)])
    fields = [("x", hc.half), ("n", "i4"), ("m", hc.half, (2, 3)), ("bounds", inner)]
    made = np.zeros(3, np.dtype(fields, align=True))
    made["x"], made["n"], made["m"] = halves(3), [1, -2, 3], halves(3, 2, 3)
    made["bounds"]["low"], made["bounds"]["high"] = halves(3), halves(3)[::-1]
    return made


def intervals():
    """Bounded ones, points, one-sided ones, all numbers and none."""
    low = np.array([1, -0.5, 2, -np.inf, -np.inf]).astype(hc.half)
    high = np.array([2, 0.5, 2, 4, np.inf]).astype(hc.half)
    made = Interval(low, high)
    return np.concatenate([made, Interval("[empty]").reshape(1)])


def decorated():
    """Every decoration."""
    texts = ["[1, 2]_com", "[1, inf]_dac", "[0, 1]_def", "[0, 1]_trv", "[empty]", "[nai]"]
    return DecoratedInterval(texts)


def accumulated(statistic):
    """What a reduction holds after some halves, by rows."""
    a = np.arange(-10, 14).astype(hc.half).reshape(4, 6) * hc.half(0.125)
    arguments = (a, a[::-1]) if statistic == "dot" else (a,)
    return Accumulator(statistic, axis=0).add(*arguments)


STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm", "dot", "prod")
VECTORS = ("half2", "half3", "half4", "half8", "half16", "float4", "int4", "uchar4")

#: What is pickled, by name: what docs/project/promises.md lists.
PICKLED = {
    "half": lambda: halves(15)[7],
    "halves": lambda: halves(3, 5),
    "halves_transposed": lambda: halves(3, 5).T,
    "halves_swapped": lambda: halves(15).astype(np.dtype(hc.half).newbyteorder()),
    "halves_none": lambda: halves(0),
    "dtype": lambda: np.dtype(hc.half),
    "dtype_swapped": lambda: np.dtype(hc.half).newbyteorder(),
    "class": lambda: hc.half,
    "structured": structured,
    "structured_dtype": lambda: structured().dtype,
    "interval": lambda: Interval(1, 2.5),
    "intervals": intervals,
    "decorated": decorated,
    "function": lambda: hc.exp,
    "function_in_a_mode": lambda: hc.exp.rtp,
    "ufunc": lambda: hc.add_rtz,
    **{f"{name}_class": lambda name=name: getattr(hc, name) for name in VECTORS},
    **{f"{name}_vectors": lambda name=name: vectors(name) for name in VECTORS},
    **{f"accumulator_{name}": lambda name=name: accumulated(name) for name in STATISTICS},
}
#: What np.save writes: float16, which NumPy reads without halfcl.
SAVED = {
    "halves": lambda: halves(3, 5),
    "halves_swapped": PICKLED["halves_swapped"],
    "structured": structured,
    "half4_vectors": lambda: vectors("half4"),
}
#: Accumulators' own bytes.
AS_BYTES = {f"accumulator_{name}": PICKLED[f"accumulator_{name}"] for name in STATISTICS}

#: Modules whose names are promised.
MODULES = (
    "halfcl", "halfcl.interval", "halfcl.stability", "halfcl.safe", "halfcl.reductions",
    "halfcl.io", "halfcl.dask", "halfcl.cl", "halfcl.cl.pyopencl", "halfcl.audit", "halfcl.check",
    "halfcl.testing", "halfcl.typing", "halfcl.device", "halfcl.vectors",
)  # fmt: skip

PROTOCOLS = (2, 5)  # the oldest that NumPy's arrays use, and the newest


def vectors(name):
    """Two vectors of a type."""
    kind = getattr(hc, name)
    if name.startswith("half"):
        return halves(2, kind.width).view(kind)
    return np.arange(2 * kind.width).reshape(2, -1).astype(kind.dtype).view(kind)


def described(read):
    """What was read, as text and numbers: its type, and every bit of it."""
    if isinstance(read, Accumulator):
        results = [np.asarray(read.result(rounding=mode)) for mode in ("rte", "rtz", "rtp", "rtn")]
        return {
            "type": "Accumulator", "statistic": read.statistic, "count": read.count.tolist(),
            "results": [described(result) for result in results],
        }  # fmt: skip
    if isinstance(read, DecoratedInterval):
        bounds = {"inf": described(read.inf), "sup": described(read.sup)}
        return {"type": "DecoratedInterval", **bounds, "decoration": read.decoration.tolist()}
    if isinstance(read, Interval):
        return {"type": "Interval", "inf": described(read.inf), "sup": described(read.sup)}
    if isinstance(read, np.ndarray | np.generic):
        if read.dtype.byteorder == ">":  # which NumPy keeps of some pickles, and swaps of others
            read = read.byteswap().view(read.dtype.newbyteorder())
        return {
            "type": type(read).__name__, "dtype": described(read.dtype),
            "shape": list(read.shape), "bits": without_padding(read).tobytes().hex(),
        }  # fmt: skip
    if isinstance(read, np.dtype):
        if read.fields:
            fields = {
                name: [described(dtype), offset] for name, (dtype, offset) in read.fields.items()
            }
            return {"fields": fields, "itemsize": read.itemsize, "aligned": read.isalignedstruct}
        if read.subdtype:
            return [described(read.subdtype[0]), list(read.subdtype[1])]
        name = "half" if isinstance(read, type(np.dtype(hc.half))) else read.name
        order = {"=": "<", "|": "<"}.get(read.byteorder, read.byteorder)
        return {"name": name, "byteorder": order, "itemsize": read.itemsize}
    return {"type": type(read).__name__, "name": read.__name__}


def without_padding(read):
    """With zeros between fields, where a zip archive's arrays have what was in memory: NumPy reads
    their fields alone."""
    if not read.dtype.fields:
        return read
    plain = np.zeros(read.shape, read.dtype)
    for name in read.dtype.names:
        plain[name] = read[name]
    return plain


def parameters(thing):
    """The names of what a callable takes, in order; of an enumeration its members and their values,
    since what calling one takes is Python's, and differs between its versions. "" of what is no
    callable, or does not tell, and of a ufunc, which takes what its function does."""
    if isinstance(thing, enum.EnumType):
        return ", ".join(f"{name}={member.value}" for name, member in thing.__members__.items())
    if isinstance(thing, np.ufunc):
        return ""
    try:
        return ", ".join(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return ""


def names(module):
    """A module's public names, by their parameters."""
    public = set(getattr(module, "__all__", ()))
    if module is hc:
        public |= {name for name in hc._reachable() if not name.startswith("_")}
    found = {}
    for name in sorted(public):
        found.setdefault(parameters(getattr(module, name)), []).append(name)
    return found


def stored():
    """{file: its bytes}, and {file: how it must be read}."""
    files, reads = {}, {}
    for name, make in PICKLED.items():
        for protocol in PROTOCOLS:
            file = f"{name}.{protocol}.pickle"
            files[file] = pickle.dumps(make(), protocol)
            reads[file] = described(make())
    for name, make in AS_BYTES.items():
        files[f"{name}.bytes"] = make().to_bytes()
        reads[f"{name}.bytes"] = described(make())
    return files, reads


def write(folder):
    """All files of a version, in a folder that must not be there."""
    if folder.exists():
        raise SystemExit(f"{folder} is there: what a release has written stays")
    if sys.byteorder != "little":
        raise SystemExit("golden files are made on a little-endian machine")
    files, reads = stored()
    folder.mkdir(parents=True)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    arrays = {name: make() for name, make in SAVED.items()}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        reads[f"{name}.npy"] = described(np.load(folder / f"{name}.npy"))
    np.savez(folder / "arrays.npz", **arrays)
    with np.load(folder / "arrays.npz") as read:
        reads["arrays.npz"] = {name: described(read[name]) for name in read.files}
    text = json.dumps(reads, indent=1) + "\n"
    (folder / "reads.json").write_text(text, encoding="ascii")
    listed = {module: names(import_module(module)) for module in MODULES}
    text = json.dumps(listed, indent=1) + "\n"
    (folder / "names.json").write_text(text, encoding="ascii")


if __name__ == "__main__":
    write(FOLDER / hc.__version__)
    print(FOLDER / hc.__version__)
