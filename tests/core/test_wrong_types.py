"""Every argument of every function is replaced by objects of wrong types.

The outcome is a TypeError or a ValueError, or a result; never an error from the way in which
halfcl, or a package that it passes the argument to, inspected it.
"""

import dataclasses
import enum
import inspect
import warnings
from importlib import import_module

import numpy as np
import pytest

import halfcl as hc
from halfcl import (
    _demo as demo,
    _images as images,
    audit,
    cl,
    device,
    half,
    interval,
    io,
    plots,
    reductions,
    safe,
    stability,
    testing,
    vectors,
)
from halfcl._opencl import ulps

pytestmark = [pytest.mark.once, pytest.mark.kernels]


class Pretender:
    """Has a dtype, as arrays do, which is text; in the class itself it is a property."""

    @property
    def dtype(self):
        return "float16"


class Described:
    """Has the attributes that describe an array, and no numbers."""

    dtype, shape, ndim, size, itemsize = np.dtype(np.float64), (3,), 1, 3, 8


RECURSIVE = []
RECURSIVE.append(RECURSIVE)

#: Types and objects; and values that are far out of place.
WRONG = {
    "float": float,
    "np.float64": np.float64,
    "half": half,
    "np.ndarray": np.ndarray,
    "Interval": interval.Interval,
    "half2": hc.half2,
    "object": object(),
    "Pretender": Pretender,
    "Pretender()": Pretender(),
    "Described()": Described(),
    "2**70": 2**70,
    "-1": -1,
    "NaN": float("nan"),
    "text": "a\0b",
    "a surrogate": "\ud800",
    "bytes": b"ab",
    "nothing": [],
    "{}": {},
    "recursive": RECURSIVE,
    "objects": np.array([None, 2**70], object),
}

#: Arguments of the letters that functions give for their types.
OF_TYPE = {
    "e": half([0.5, 0.25, 1]),
    "i": np.int32([1, 2, 3]),
    "?": np.array([True, False, True]),
    **{letter: np.array([1, 2, 3], letter) for letter in "bBhH"},
}
X = OF_TYPE["e"]
TABLE, LIGHT = X.reshape(1, 3), np.zeros((3, 4, 6), np.uint8)


def image(channel_type=hc.channel_type.FLOAT, dtype=np.float32):
    return hc.Image(np.zeros((2, 2, 4), dtype), hc.ImageFormat(hc.channel_order.RGBA, channel_type))


IMAGE, SAMPLER = image(), hc.Sampler(False, hc.addressing_mode.CLAMP, hc.filter_mode.NEAREST)
SIGNED, UNSIGNED = (
    image(hc.channel_type.SIGNED_INT32, np.int32),
    image(hc.channel_type.UNSIGNED_INT32, np.uint32),
)
LAYERS, VOLUME = (
    hc.Image(np.zeros((2, 2, 2, 4), np.float32), IMAGE.format, kind)
    for kind in (hc.mem_object_type.IMAGE2D_ARRAY, hc.mem_object_type.IMAGE3D)
)
PLACE = (0, 0)
INTERVAL = interval.Interval(half(0.25), half(0.5))


def FORMULA(x):
    return x * x - x


DECORATED = interval.DecoratedInterval(half(0.25), half(0.5))
SEVERAL = interval.Interval(half([0.25, 0.5, 0]), half([0.5, 1, 1]))
KERNEL = "kernel void k(global float *x, float2 y, int n) { *x = y.x * n; }"
SUM = reductions.Accumulator("sum").add(0.5)
PICTURE = io.Picture({"Y": TABLE})


def axes():
    """Return Axes to draw on, or None without matplotlib."""
    try:
        return import_module("matplotlib.figure").Figure().subplots()
    except ImportError:
        return None


AXES = axes()

# The correct arguments and keywords of each function. None: a keyword that the function has, with
# its own default.
REDUCED = dict(axis=0, dtype=None, out=None, keepdims=False, where=True, rounding=None)
ROUNDED = dict(rounding="rtz")
CALLS = {
    hc.half: ((0.5,), ROUNDED),
    hc.convert: ((X, "float"), dict(rounding="rtz", saturate=False)),
    hc.parse: (("0.5",), ROUNDED),
    hc.show: ((0.5,), {}),
    hc.rounding: (("rtz",), dict(builtins=False, strict=False)),
    hc.num_threads: ((2,), {}),
    hc.set_num_threads: ((hc.get_num_threads(),), {}),
    hc.shuffle: ((X[:2], np.uint16([1, 0])), {}),
    hc.shuffle2: ((X[:2], X[:2], np.uint16([1, 0])), {}),
    hc.to_struct: ((hc.half2(1, 2),), {}),
    hc.from_struct: ((hc.to_struct(hc.half2(1, 2)),), {}),
    hc.vec_step: ((hc.half2(1, 2),), {}),
    hc.allowed_ulp: (("exp",), dict(profile="full", components=None)),
    hc.ulp_error: ((half(0.5), 0.5), {}),
    hc.ulps_between: ((X, X), {}),
    hc.any: ((OF_TYPE['i'],), dict(axis=0, keepdims=False)),
    hc.all: ((OF_TYPE['i'],), dict(axis=0, keepdims=False)),
    hc.sum: ((X,), dict(REDUCED, initial=None)),
    hc.prod: ((X,), dict(REDUCED, initial=None)),
    hc.mean: ((X,), REDUCED),
    hc.var: ((X,), dict(REDUCED, ddof=0)),
    hc.std: ((X,), dict(REDUCED, ddof=0)),
    hc.sumsq: ((X,), REDUCED),
    hc.norm: ((X,), REDUCED),
    hc.vdot: ((X, X), REDUCED),
    hc.cumsum: ((X,), dict(axis=0, dtype=None, out=None, rounding=None)),
    hc.matmul: ((X, X), dict(out=None, exact=False, rounding=None)),
    # Images.
    hc.Image: ((np.zeros((2, 2, 4), np.float32), IMAGE.format), dict(image_type=None)),
    hc.ImageFormat: ((hc.channel_order.RGBA, hc.channel_type.FLOAT), {}),
    hc.Sampler: ((False, hc.addressing_mode.CLAMP, hc.filter_mode.NEAREST), {}),
    hc.mipmaps: ((IMAGE,), ROUNDED),
    hc.resample: (
        (IMAGE,),
        dict(shape=(3, 3), matrix=np.eye(3)[:2], map=None, filter_mode=hc.filter_mode.LINEAR,
             addressing_mode=hc.addressing_mode.CLAMP_TO_EDGE, rounding=None),
    ),
    hc.read_imagef: ((IMAGE, SAMPLER, PLACE), dict(out=None, rounding=None)),
    hc.read_imageh: ((IMAGE, SAMPLER, PLACE), dict(out=None, rounding=None)),
    hc.read_imagei: ((SIGNED, SAMPLER, PLACE), dict(out=None)),
    hc.read_imageui: ((UNSIGNED, SAMPLER, PLACE), dict(out=None)),
    hc.write_imagef: ((IMAGE, PLACE, np.zeros(4, np.float32)), ROUNDED),
    hc.write_imageh: ((IMAGE, PLACE, X[[0, 0, 0, 0]]), ROUNDED),
    hc.write_imagei: ((SIGNED, PLACE, np.zeros(4, np.int32)), {}),
    hc.write_imageui: ((UNSIGNED, PLACE, np.zeros(4, np.uint32)), {}),
    **{getattr(images, name): ((IMAGE,), {}) for name in images.__all__ if name[:4] == "get_"},
    hc.get_image_array_size: ((LAYERS,), {}),
    hc.get_image_depth: ((VOLUME,), {}),
    vectors.vector_type: ((half, 2), {}),
    # Files.
    PICTURE.layer: (("",), {}),
    PICTURE.stack: (("Y",), {}),
    io.read_exr: (("picture.exr",), dict(part=0, max_pixels=9)),
    io.read_png: (("picture.png",), dict(transfer="srgb", rounding="rtz", max_pixels=9)),
    io.read_half_domain_lut: (("table.clf",), dict(max_bytes=None)),
    io.write_exr: (
        ("new.exr", {"Y": TABLE}),
        dict(compression="zip", lossy=False, attributes={"a": 1}, tile=(16, 16), dtype=half,
             overflow="inf", rounding="rtz"),
    ),
    io.write_png: (("new.png", TABLE), dict(transfer="srgb", bits=8, rounding="rtz")),
    io.write_half_domain_lut: (("new.clf", hc.exp), dict(raw_halfs=True, title="exp")),
    io.srgb_decode: ((np.uint8([1, 2]),), ROUNDED),
    io.srgb_encode: ((X,), dict(dtype=np.uint16, rounding="rtz")),
    io.to_half: ((0.5,), dict(overflow="inf", rounding="rtz", name="x")),
    # OpenCL C.
    cl.Program(KERNEL).k: (((1,), None, np.zeros(1, np.float32), (1, 2), 3), {}),
    cl.Program: ((KERNEL,), dict(options="", contract="never", name="k.cl",
                                  float_functions="exact", extensions="cl_khr_fp16")),
    cl.translate: ((KERNEL,), dict(language="opencl", fp16=True, contract="never", rounding="rte",
                                   options="", name="k.cl", native=(), float_functions="exact",
                                   extensions=["cl_khr_fp16"])),
    cl.LocalMemory: ((16,), {}),
    # Whole functions.
    audit.run: (("numpy",), dict(functions=["fabs"], rng=1, progress=None)),
    audit.CallablesTarget: (("mine", {"exp": np.exp}), dict(version="1")),
    device.opencl: ((["add"],), dict(fp16=True)),
    device.cuda: ((["add"],), {}),
    testing.assert_correctly_rounded: ((hc.fabs, "fabs"), dict(rounding="rte")),
    testing.assert_max_ulp: ((hc.fabs, "fabs", 1), {}),
    stability.blame: ((np.exp, X), dict(scale="max")),
    stability.rerun: ((np.exp, X), dict(samples=2, rng=1, threshold=32, scale="max")),
    stability.watch: (("x", X), {}),
    stability.compare: (([np.exp], X), dict(samples=2, rng=1, threshold=32, scale="max")),
    safe.domains: ((hc.log,), {}),
    safe.track: ((X,), {}),
    reductions.Accumulator: (("sum",), dict(axis=None, keepdims=False)),
    SUM.add: ((half(0.5),), dict(where=True)),
    SUM.merge: ((reductions.Accumulator("sum"),), {}),
    SUM.start_from: ((half(0),), {}),
    reductions.Accumulator.from_bytes: ((SUM.to_bytes(),), {}),
    # The demonstration.
    demo.contrast: ((X,), {}),
    demo.luminance: ((X.reshape(3, 1, 1),), {}),
    demo.to_half: ((LIGHT,), {}),
    demo.to_8_bit: ((TABLE,), {}),
    demo.develop: ((LIGHT,), dict(mode="rtz")),
    demo.shade: ((LIGHT,), dict(light=(-1, -1, 1))),
    demo.error_in_levels: ((X, np.float64([0.5, 0.25, 1])), {}),
    demo.gap_in_ulps: ((X, X), {}),
    # Intervals.
    interval.mean_value: ((FORMULA, INTERVAL), {}),
    interval.taylor: ((FORMULA, INTERVAL), dict(order=2)),
    interval.range_of: ((FORMULA, INTERVAL), dict(tol=1, limit=100, full_output=False)),
    interval.roots: ((FORMULA, INTERVAL), dict(limit=100)),
    interval.solve: ((FORMULA, INTERVAL), dict(tol=1, limit=100)),
    interval.vector: ((SEVERAL,), {}),
    interval.plot_band: ((X, SEVERAL), dict(ax=None)),
    plots.boxes: ((FORMULA, (0, 1)), dict(count=3, enclose=None, ax=AXES)),
    plots.errors: (("fabs", "halfcl"), dict(ax=AXES)),
    plots.modes: (("exp", X), dict(ax=AXES)),
    plots.number_line: ((X,), dict(ax=AXES)),
    plots.spacing: (("half",), dict(relative=False, ax=AXES)),
    interval.Interval: ((0.25,), dict(hi=0.5)),
    interval.DecoratedInterval: ((0.25,), dict(hi=0.5, decoration="com")),
    interval.from_values: ((X,), dict(hi=X)),
    interval.to_text: ((INTERVAL,), dict(digits=3)),
    interval.set_dec: ((INTERVAL, "com"), {}),
    interval.Truth: (([True, False], [False, False]), {}),
    interval.interval_part: ((DECORATED,), {}),
    interval.decoration_part: ((DECORATED,), {}),
    interval.is_nai: ((DECORATED,), {}),
    interval.is_member: ((half(0.3), INTERVAL), {}),
    interval.sum: ((SEVERAL,), dict(axis=0, keepdims=False)),
    interval.mean: ((SEVERAL,), dict(axis=0, keepdims=False)),
    interval.dot: ((SEVERAL, SEVERAL), dict(axis=-1, keepdims=False)),
    interval.matmul: ((SEVERAL, SEVERAL), {}),
    interval.cumsum: ((SEVERAL,), dict(axis=0)),
    interval.diff: ((SEVERAL,), dict(n=1, axis=-1)),
    interval.length: ((SEVERAL,), dict(axis=-1, keepdims=False)),
    interval.distance: ((SEVERAL, SEVERAL), dict(axis=-1, keepdims=False)),
    interval.normalize: ((SEVERAL,), dict(axis=-1)),
    interval.cross: ((SEVERAL, SEVERAL), dict(axis=-1)),
    interval.norm: ((SEVERAL,), dict(ord=2, axis=0, keepdims=False)),
}  # fmt: skip

# These are not called with users' data: methods' owners, functions for Dask and NumPy, those that
# draw, take seconds, need a device, or change NumPy for the tests that follow.
LEFT_OUT = """
    halfcl.Function halfcl.accelerate halfcl.accelerated halfcl.finfo
    halfcl.audit.FunctionTarget halfcl.audit.ReductionTarget halfcl.audit.Target
    halfcl.cl.Contraction halfcl.cl.Kernel halfcl.cl.compare
    halfcl._demo.resample_photo halfcl._demo.run halfcl._demo.time_steps
    halfcl.device.DeviceFunctions halfcl.device.compile
    halfcl.safe.DomainReport halfcl.safe.Tracked
    halfcl.stability.Blame halfcl.stability.Comparison halfcl.stability.Rerun
    halfcl.vectors.Vector
""".split()

MODULES = (
    hc, audit, cl, demo, device, images, interval, io, plots, reductions, safe, stability, testing,
    ulps, vectors,
)  # fmt: skip


def is_record(one):
    """Return whether it is an enumeration, an exception, a result, or takes no arguments."""
    if not isinstance(one, type):
        return not inspect.signature(one).parameters
    return issubclass(one, enum.Enum | BaseException | tuple) or dataclasses.is_dataclass(one)


def right_call(module, name, one):
    """Return arguments and keywords for a function's kind."""
    if isinstance(one, hc.Function):
        letters = one.types[0].partition("->")[0]
        # They all read keywords by the same code.
        keywords = inspect.signature(one).parameters if name in ("fma", "sincos", "dot") else {}
        named = [p.name for p in keywords.values() if p.kind is p.KEYWORD_ONLY]
        return tuple(OF_TYPE[letter] for letter in letters), dict.fromkeys(named)
    if name in vectors.TYPES:
        return (1,), {}
    if module is interval:
        names = inspect.signature(one).parameters
        return tuple(2 if name in ("n", "k") else INTERVAL for name in names), {}
    if module is safe:
        return (lambda x: x, X), ROUNDED
    raise AssertionError(f"expected {module.__name__}.{name} among CALLS, or LEFT_OUT")


def calls():
    """Return the public functions of halfcl by name, with correct arguments and keywords."""
    functions = {}
    for module in MODULES:
        for name in module.__all__:
            one, label = getattr(module, name), f"{module.__name__}.{name}"
            if not callable(one) or name[-4:] in ("_rte", "_rtz", "_rtp", "_rtn"):
                continue  # modes' own names are the function with one mode
            if label not in LEFT_OUT and (one in CALLS or not is_record(one)):
                functions[label] = one, *(CALLS.get(one) or right_call(module, name, one))
    methods = {
        one: call for one, call in CALLS.items() if one not in {c[0] for c in functions.values()}
    }
    return {**functions, **{str(one): (one, *call) for one, call in methods.items()}}


def call(function, arguments, keywords):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(*arguments, **keywords)
        if hasattr(result, "__enter__"):
            with result:
                pass


def is_allowed(label, error):
    """Return whether the error is acceptable.

    It is for integers that a NumPy type cannot hold, for files, and for a false claim of `testing`.
    """
    return (
        isinstance(error, TypeError | ValueError)
        or (isinstance(error, OverflowError) and str(error).startswith("Python int"))
        or (isinstance(error, OSError) and ".io.read" in label)
        or (isinstance(error, AssertionError) and ".testing." in label)
        or (isinstance(error, cl.BuildError) and label.endswith((".Program", ".translate")))
        or isinstance(error, audit.TargetError)
    )


def test_every_argument_of_every_function(tmp_path, monkeypatch, capfd):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    io.write_exr("picture.exr", {"Y": TABLE})
    io.write_png("picture.png", TABLE, transfer="linear")
    io.write_half_domain_lut("table.clf", hc.exp)
    errors, tried = [], 0
    for label, (function, arguments, keywords) in calls().items():
        present = {name: value for name, value in keywords.items() if value is not None}
        call(function, arguments, present)
        for place in (*range(len(arguments)), *keywords):
            for name, wrong in WRONG.items():
                own, named = list(arguments), dict(present)
                (named if isinstance(place, str) else own)[place] = wrong
                tried += 1
                try:
                    call(function, own, named)
                except BaseException as error:
                    if not is_allowed(label, error):
                        errors.append(f"{label}, {place}, {name}: {error!r:.100}")
    assert tried > 10_000
    assert not errors, "\n".join(errors)


@pytest.mark.parametrize(
    ("function", "arguments", "keywords", "match"),
    [
        (interval.exp, (float,), {}, "^x: expected numbers, got type"),
        (interval.exp, (half,), {}, "^x: expected numbers, got type"),
        (interval.exp, (Pretender(),), {}, "^x: expected numbers, got Pretender"),
        (interval.from_values, (X, float), {}, "^hi: expected numbers, got type"),
        (interval.is_member, (np.float64, INTERVAL), {}, "^m: expected numbers, got type"),
        (interval.to_text, (INTERVAL, float), {}, "^to_text: digits: expected an int, got type"),
        (interval.diff, (SEVERAL, 1.5), {}, "^diff: n: expected an int, got float"),
        (interval.plot_band, (X, SEVERAL, 7), {}, "^ax: expected Axes of matplotlib, got 7"),
        (plots.number_line, (float,), {}, "^x: expected a real number, the text of one"),
        (plots.boxes, (float, INTERVAL), {}, "^f: expected a function, or the name"),
        (plots.boxes, (FORMULA, float), {}, "^interval: expected an Interval or a pair"),
        (hc.shuffle, (X[:2], float), {}, "^shuffle: argument mask: expected uint16"),
        (hc.shuffle, (X[:2], [0, -1]), {}, "^shuffle: argument mask: expected uint16"),
        (hc.to_struct, (hc.half2,), {}, "^to_struct: v: expected a vector"),
        (SUM.add, (None,), {}, "argument a: expected half"),
        (cl.Program(KERNEL).k, ((1,), None, np.zeros(1, "f"), [], 3), {}, r"\(y\): .* 2 numbers"),
        (cl.Program(KERNEL.replace("float2", "float4")).k, ((1,), None, None, [], 3), {}, "4 num"),
        (stability.rerun, (np.exp, X), {"samples": 2, "rng": RECURSIVE}, "^rng: expected an int"),
        (stability.rerun, (np.exp, X), {"samples": 2, "rng": -1}, "^rng: expected .* from 0"),
        (stability.compare, ([np.exp], X), {"rng": RECURSIVE}, "^rng: expected an int"),
        (stability.compare, (np.exp, X), {}, "^formulas: expected a list of functions"),
        (stability.rerun, (np.exp, X), {"threshold": float}, "^threshold: expected ulps"),
        (audit.run, ("numpy", float), {}, "^functions: expected halfcl's names"),
        (audit.run, ("numpy", [7]), {}, "^functions: expected halfcl's names"),
        (audit.run, ("numpy", "exp"), {"rng": "x"}, "^rng: expected an int, got str"),
        (demo.gap_in_ulps, (X, X.astype(float)), {}, "^high: expected half or float16"),
        (demo.error_in_levels, (float, X), {}, "^picture: expected an array of floats"),
        (demo.run, (), {"repeat": 0}, "^repeat: expected 1 or more, got 0"),
    ],
)
def test_error_names_the_argument(function, arguments, keywords, match, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((TypeError, ValueError), match=match):
        function(*arguments, **keywords)
    assert not list(tmp_path.iterdir())


def test_large_numbers_of_digits_and_differences():
    """Integers far beyond the packages' limits are handled."""
    assert interval.to_text(INTERVAL, 2**70) == interval.to_text(INTERVAL)
    long = interval.Interval(np.zeros(40, half))
    with pytest.raises(ValueError, match=r"^diff: n: expected at most 13"):
        interval.diff(long, 20)
    assert interval.diff(long, 2**70).shape == (0,)


def test_wrong_arguments_beside_dask_arrays():
    """Wrong arguments beside Dask arrays, which are handled by other code, are refused."""
    x = pytest.importorskip("dask.array").from_array(X, chunks=2)
    entries = {
        "add": lambda wrong: np.asarray(hc.add(x, wrong)),
        "fma": lambda wrong: np.asarray(hc.fma(x, wrong, 1)),
        "exp": lambda wrong: np.asarray(hc.exp(x, rounding=wrong)),
        "convert": lambda wrong: np.asarray(hc.convert(x, wrong)),
        "matmul": lambda wrong: np.asarray(hc.matmul(x, wrong)),
        "vdot": lambda wrong: np.asarray(hc.vdot(x, wrong)),
        "sum": lambda wrong: np.asarray(hc.sum(x, axis=wrong)),
        "initial": lambda wrong: np.asarray(hc.sum(x, initial=wrong)),
        "cumsum": lambda wrong: np.asarray(hc.cumsum(x, axis=wrong)),
        "shuffle": lambda wrong: np.asarray(hc.shuffle(x, wrong)),
        "interval": lambda wrong: np.asarray(interval.add(x, wrong)),
        "stability": lambda wrong: stability.rerun(np.add, x, wrong),
    }
    errors = []
    for label, function in entries.items():
        for name, wrong in WRONG.items():
            try:
                call(function, (wrong,), {})
            except BaseException as error:
                if not is_allowed(label, error):
                    errors.append(f"{label}, {name}: {error!r:.100}")
    assert not errors, "\n".join(errors)
