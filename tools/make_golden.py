"""Write tests/data/golden/VERSION: what this version of halfcl stores, and how it must be read.

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
    """Return an array of halves that repeats a list of bits."""
    return np.resize(np.array(BITS, np.uint16), shape).view(hc.half)


def structured_array():
    """Return an array with fields: of both byte orders, aligned, nested, and with dimensions."""
    inner = np.dtype([("low", hc.half), ("high", hc.half)])
    fields = [("x", hc.half), ("n", "i4"), ("m", hc.half, (2, 3)), ("bounds", inner)]
    array = np.zeros(3, np.dtype(fields, align=True))
    array["x"], array["n"], array["m"] = halves(3), [1, -2, 3], halves(3, 2, 3)
    array["bounds"]["low"], array["bounds"]["high"] = halves(3), halves(3)[::-1]
    return array


def intervals():
    """Return intervals: bounded, points, one-sided, the entire line, and empty."""
    low = np.array([1, -0.5, 2, -np.inf, -np.inf]).astype(hc.half)
    high = np.array([2, 0.5, 2, 4, np.inf]).astype(hc.half)
    intervals = Interval(low, high)
    return np.concatenate([intervals, Interval("[empty]").reshape(1)])


def decorated_intervals():
    """Return intervals with every decoration."""
    texts = ["[1, 2]_com", "[1, inf]_dac", "[0, 1]_def", "[0, 1]_trv", "[empty]", "[nai]"]
    return DecoratedInterval(texts)


def accumulator_of(statistic):
    """Return the accumulator of a reduction after some halves, by rows."""
    a = np.arange(-10, 14).astype(hc.half).reshape(4, 6) * hc.half(0.125)
    arguments = (a, a[::-1]) if statistic == "dot" else (a,)
    return Accumulator(statistic, axis=0).add(*arguments)


STATISTICS = ("sum", "mean", "var", "std", "sumsq", "norm", "dot", "prod")
VECTORS = ("half2", "half3", "half4", "half8", "half16", "float4", "int4", "uchar4")

#: The objects to pickle by name, as docs/project/promises.md lists them.
PICKLED = {
    "half": lambda: halves(15)[7],
    "halves": lambda: halves(3, 5),
    "halves_transposed": lambda: halves(3, 5).T,
    "halves_swapped": lambda: halves(15).astype(np.dtype(hc.half).newbyteorder()),
    "halves_none": lambda: halves(0),
    "dtype": lambda: np.dtype(hc.half),
    "dtype_swapped": lambda: np.dtype(hc.half).newbyteorder(),
    "class": lambda: hc.half,
    "structured": structured_array,
    "structured_dtype": lambda: structured_array().dtype,
    "interval": lambda: Interval(1, 2.5),
    "intervals": intervals,
    "decorated": decorated_intervals,
    "function": lambda: hc.exp,
    "function_in_a_mode": lambda: hc.exp.rtp,
    "ufunc": lambda: hc.add_rtz,
    **{f"{name}_class": lambda name=name: getattr(hc, name) for name in VECTORS},
    **{f"{name}_vectors": lambda name=name: vectors(name) for name in VECTORS},
    **{f"accumulator_{name}": lambda name=name: accumulator_of(name) for name in STATISTICS},
}
#: The arrays for np.save, which NumPy reads as float16 without halfcl.
SAVED = {
    "halves": lambda: halves(3, 5),
    "halves_swapped": PICKLED["halves_swapped"],
    "structured": structured_array,
    "half4_vectors": lambda: vectors("half4"),
}
#: The accumulators to store by their own bytes.
AS_BYTES = {f"accumulator_{name}": PICKLED[f"accumulator_{name}"] for name in STATISTICS}

#: Modules whose public names are stable.
MODULES = (
    "halfcl", "halfcl.interval", "halfcl.stability", "halfcl.safe", "halfcl.reductions",
    "halfcl.io", "halfcl.dask", "halfcl.cl", "halfcl.audit", "halfcl.check", "halfcl.testing",
    "halfcl.typing", "halfcl.device", "halfcl.vectors",
)  # fmt: skip

PROTOCOLS = (2, 5)  # the oldest that NumPy's arrays use, and the newest


def vectors(name):
    """Return two vectors of a type."""
    kind = getattr(hc, name)
    if name.startswith("half"):
        return halves(2, kind.width).view(kind)
    return np.arange(2 * kind.width).reshape(2, -1).astype(kind.dtype).view(kind)


def describe(read):
    """Return what was read as text and numbers: its type, and every bit of it."""
    if isinstance(read, Accumulator):
        results = [np.asarray(read.result(rounding=mode)) for mode in ("rte", "rtz", "rtp", "rtn")]
        return {
            "type": "Accumulator", "statistic": read.statistic, "count": read.count.tolist(),
            "results": [describe(result) for result in results],
        }  # fmt: skip
    if isinstance(read, DecoratedInterval):
        bounds = {"inf": describe(read.inf), "sup": describe(read.sup)}
        return {"type": "DecoratedInterval", **bounds, "decoration": read.decoration.tolist()}
    if isinstance(read, Interval):
        return {"type": "Interval", "inf": describe(read.inf), "sup": describe(read.sup)}
    if isinstance(read, np.ndarray | np.generic):
        if read.dtype.byteorder == ">":  # which NumPy keeps of some pickles, and swaps of others
            read = read.byteswap().view(read.dtype.newbyteorder())
        return {
            "type": type(read).__name__, "dtype": describe(read.dtype),
            "shape": list(read.shape), "bits": without_padding(read).tobytes().hex(),
        }  # fmt: skip
    if isinstance(read, np.dtype):
        if read.fields:
            fields = {
                name: [describe(dtype), offset] for name, (dtype, offset) in read.fields.items()
            }
            return {"fields": fields, "itemsize": read.itemsize, "aligned": read.isalignedstruct}
        if read.subdtype:
            return [describe(read.subdtype[0]), list(read.subdtype[1])]
        name = "half" if isinstance(read, type(np.dtype(hc.half))) else read.name
        order = {"=": "<", "|": "<"}.get(read.byteorder, read.byteorder)
        return {"name": name, "byteorder": order, "itemsize": read.itemsize}
    return {"type": type(read).__name__, "name": read.__name__}


def without_padding(read):
    """Return an array with zeros between its fields.

    The arrays of a zip archive keep what was in memory there, and NumPy reads only their fields.
    """
    if not read.dtype.fields:
        return read
    plain = np.zeros(read.shape, read.dtype)
    for name in read.dtype.names:
        plain[name] = read[name]
    return plain


def parameters(thing):
    """Return a callable's parameters by name, in order, or an enumeration's members and values.

    The parameters for calling an enumeration are Python's, and differ between versions. The result
    is "" for what is not callable or has no signature, and for a ufunc, whose function is listed.
    """
    if isinstance(thing, enum.EnumType):
        return ", ".join(f"{name}={member.value}" for name, member in thing.__members__.items())
    if isinstance(thing, np.ufunc):
        return ""
    try:
        return ", ".join(inspect.signature(thing).parameters)
    except (TypeError, ValueError):
        return ""


def names(module):
    """Return a module's public names, grouped by their parameters."""
    public = set(getattr(module, "__all__", ()))
    if module is hc:
        public |= {name for name in hc._reachable() if not name.startswith("_")}
    by_parameters = {}
    for name in sorted(public):
        by_parameters.setdefault(parameters(getattr(module, name)), []).append(name)
    return by_parameters


def golden_files():
    """Return {file: its bytes}, and {file: the value expected on reading}."""
    files, reads = {}, {}
    for name, make in PICKLED.items():
        for protocol in PROTOCOLS:
            file = f"{name}.{protocol}.pickle"
            files[file] = pickle.dumps(make(), protocol)
            reads[file] = describe(make())
    for name, make in AS_BYTES.items():
        files[f"{name}.bytes"] = make().to_bytes()
        reads[f"{name}.bytes"] = describe(make())
    return files, reads


def write(folder):
    """Write all files of a version into a new folder."""
    if folder.exists():
        raise SystemExit(f"{folder}: expected a new folder, got an existing one; a release stays")
    if sys.byteorder != "little":
        raise SystemExit("byte order: expected a little-endian machine, got a big-endian one")
    files, reads = golden_files()
    folder.mkdir(parents=True)
    for file, data in files.items():
        (folder / file).write_bytes(data)
    arrays = {name: make() for name, make in SAVED.items()}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        reads[f"{name}.npy"] = describe(np.load(folder / f"{name}.npy"))
    np.savez(folder / "arrays.npz", **arrays)
    with np.load(folder / "arrays.npz") as read:
        reads["arrays.npz"] = {name: describe(read[name]) for name in read.files}
    text = json.dumps(reads, indent=1) + "\n"
    (folder / "reads.json").write_text(text, encoding="ascii")
    listed = {module: names(import_module(module)) for module in MODULES}
    text = json.dumps(listed, indent=1) + "\n"
    (folder / "names.json").write_text(text, encoding="ascii")


if __name__ == "__main__":
    write(FOLDER / hc.__version__)
    print(FOLDER / hc.__version__)
