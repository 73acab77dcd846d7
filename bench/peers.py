"""The columns: halfcl in each rounding mode, and its alternatives.

A peer is made with (), which raises ImportError or RuntimeError where it cannot run. It has names,
those of its columns; columns(op, arrays) gives {name: block}, empty where it lacks the operation.
"""

import timeit
import warnings
from functools import cache, reduce
from importlib import import_module

import numpy as np
from ops import SAME
from timing import aligned_copy, best_of, threads

from halfcl._tables.types import LETTERS

MODES = ("rte", "rtz", "rtp", "rtn")


def outputs(op, n):
    """Return arrays for n results of a row."""
    return [
        aligned_copy(np.zeros((n, op.vector), "e") if t == "v" else np.zeros(n, t))
        for t in op.outputs
    ]


#: The number of random values in an array before they repeat; too many for branch predictors.
MOST_VALUES = 2**20


class Arrays:
    """The inputs and the outputs of one row at one size; all peers work on the same memory."""

    def __init__(self, op, n):
        rng = np.random.default_rng(1)
        count = n * max(1, op.vector)
        values = [domain(rng, min(count, MOST_VALUES)) for domain in op.domains]
        halves = [v.astype(t) for v, t in zip(values, op.inputs, strict=True)]
        self.inputs = [aligned_copy(np.resize(v, count)) for v in halves]
        if op.vector:
            self.inputs = [x.reshape(n, op.vector) for x in self.inputs]
        self.outs = outputs(op, 1 if op.reduces else n)

    def convert_all(self, convert):
        """Return the converted inputs, and the converted output or tuple of outputs."""
        outs = tuple(convert(out) for out in self.outs)
        return [convert(x) for x in self.inputs], outs if len(outs) > 1 else outs[0]


def attribute(module, path):
    """Return module.a.b for "a.b", or None where it is missing."""
    return reduce(lambda owner, name: getattr(owner, name, None), path.split("."), module)


def bind(op, entry, module, inputs, out, call="f({inputs}, out=out)"):
    """Return a timer of a peer's entry in a row, or None; `call` is the form of its calls."""
    if callable(entry):
        return usable(timeit.Timer(entry(module, out, *inputs)))
    function = entry and attribute(module, op.name if entry == SAME else entry)
    if function is None:
        return None
    names = {f"x{i}": value for i, value in enumerate(inputs)}
    source = call.replace(", out=out", "") if op.reduces else call
    source = source.format(inputs=", ".join(names))
    return usable(timeit.Timer(source, globals={"f": function, "out": out, **names}))


def usable(timer):
    """Return the timer, or None where the peer has the function but not for these types."""
    try:
        timer.timeit(1)
    except (TypeError, RuntimeError, NotImplementedError):
        return None
    return timer


class Peer:
    """A Python package that works on NumPy's arrays, or on arrays converted by `convert`."""

    call = "f({inputs}, out=out)"
    is_parallel = False  # whether it uses more than one thread

    def __init__(self):
        self.module = import_module(self.packages[0])
        self.name = self.names[0]

    def convert(self, array):
        return array

    def columns(self, op, arrays):
        entry = getattr(op, self.packages[0])
        timer = bind(op, entry, self.module, *arrays.convert_all(self.convert), self.call)
        return {self.name: timer.timeit} if timer else {}


class NumPy16(Peer):
    names, packages = ("NumPy f16",), ("numpy",)


class NumPy32(Peer):
    names, packages = ("NumPy f32",), ("numpy",)

    def convert(self, array):
        return aligned_copy(array.astype(np.float32)) if array.dtype == np.float16 else array

    def columns(self, op, arrays):
        return {} if op.converts else super().columns(op, arrays)


class Torch(Peer):
    names, packages, is_parallel = ("PyTorch f16",), ("torch",), True

    def __init__(self):
        super().__init__()
        self.module.set_num_threads(threads())
        self.module.set_grad_enabled(False)
        self.convert = self.module.from_numpy


class NumKong(Peer):
    names, packages = ("NumKong f16",), ("numkong",)


class HalfCL:
    """halfcl on arrays of its own dtype, a column per rounding mode."""

    packages = ("halfcl",)

    def __init__(self, modes=MODES):
        self.modes = [mode for mode in MODES if mode in modes]
        self.names = [f"halfcl {mode}" for mode in self.modes]
        self.module = import_module("halfcl")

    def columns(self, op, arrays):
        inputs, out = arrays.convert_all(self.half)
        modes = self.modes if op.rounds else [op.mode]
        timers = {mode: self.bind(op, mode, inputs, out) for mode in modes}
        return {f"halfcl {m}": self.block(timer, m) for m, timer in timers.items() if timer}

    def half(self, array):
        return array.view(self.module.half) if array.dtype == np.float16 else array

    def bind(self, op, mode, inputs, out):
        if callable(op.halfcl):
            return bind(op, op.halfcl, self.module, inputs, out)
        if op.halfcl.startswith("np."):
            name, module, call = op.halfcl.removeprefix("np."), np, Peer.call
        else:
            name, module = op.halfcl, self.module
            call = "f({inputs}, out=out" + (f", rounding={mode!r})" if op.rounds else ")")
        return bind(op, name, module, inputs, out, call)

    def block(self, timer, mode):
        """Return a block timed within the mode's region, which NumPy's own functions follow."""

        def block(count):
            with self.module.rounding(mode):
                return timer.timeit(count)

        return block


ELEMENTWISE = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void f({parameters})
{{
    size_t i = get_global_id(0);
    {body}
}}
"""

REDUCTION = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void f({parameters})
{{
    float16 sums[{chains}] = {{0}};
    for (size_t i = 0; i < {count}; i += {chains})
        #pragma unroll
        for (int k = 0; k < {chains}; k++) {{
            {loads}
            sums[k] += {term};
        }}
    float16 s = 0;
    for (int k = 0; k < {chains}; k++)
        s += sums[k];
    float8 s8 = s.lo + s.hi;
    float4 s4 = s8.lo + s8.hi;
    firsts[0] = convert_half(s4.x + s4.y + s4.z + s4.w);
}}
"""


CTYPES = {letter: name for name, letter in LETTERS.items()} | {"?": "char", "v": "half"}
RESULTS = ("first", "second")


def parameters(op):
    ins = [
        f"__global const {CTYPES[t]} *{name}s" for t, name in zip(op.inputs, "xyz", strict=False)
    ]
    outs = [f"__global {CTYPES[t]} *{name}s" for t, name in zip(op.outputs, RESULTS, strict=False)]
    return ", ".join(ins + outs)


def expression(op, width):
    """Return the row's expression, or its function of x, y, z."""
    text = op.opencl
    if text == SAME:
        text = f"{op.name}({', '.join('xyz'[: len(op.inputs)])})"
    return text.format(w=width if width > 1 else "")


def elementwise_source(op, width):
    w = width if width > 1 else ""
    load, store = (
        ("vload16(i, {}s)", "vstore16({0}, i, {0}s)") if w else ("{}s[i]", "{0}s[i] = {0}")
    )
    lines = [
        f"{CTYPES[t]}{w} {name} = {load.format(name)};"
        for t, name in zip(op.inputs, "xyz", strict=False)
    ]
    result = expression(op, width)
    if op.outputs == "?" and w:  # a vector's true is -1
        result = f"-convert_char16({result})"
    results = list(zip(op.outputs, RESULTS, strict=False))
    lines += [f"{CTYPES[t]}{w} {name};" for t, name in results]
    lines.append(f"first = {result};")
    lines += [f"{store.format(name)};" for _, name in results]
    return ELEMENTWISE.format(parameters=parameters(op), body="\n    ".join(lines))


def vectors_source(op):
    """Return the source for functions of vectors: one vector per work-item."""
    w = op.vector
    lines = [
        f"half{w} {name} = vload{w}(i, {name}s);" for _, name in zip(op.inputs, "xyz", strict=False)
    ]
    result = expression(op, w)
    lines.append(
        f"vstore{w}({result}, i, firsts);" if op.outputs == "v" else f"firsts[i] = {result};"
    )
    return ELEMENTWISE.format(parameters=parameters(op), body="\n    ".join(lines))


def reduction_source(op, chains, count):
    loads = [f"float16 {name} = convert_float16(vload16(i + k, {name}s));" for name in "xyz"]
    return REDUCTION.format(
        parameters=parameters(op),
        chains=chains,
        count=count,
        loads="\n            ".join(loads[: len(op.inputs)]),
        term=expression(op, 16),
    )


class OpenCL:
    """Intel's CPU runtime: the kernel's own time, from its profiling events.

    Each row is written as a programmer would, on scalars for the compiler to vectorise and on
    half16, and run with several work-group sizes; the fastest of all stands for the peer.
    """

    names, packages, is_parallel = ("OpenCL half",), ("pyopencl", "intel-opencl-rt"), True
    group_sizes = (None, 256, 1024, 4096)
    rounds = 10  # blocks timed per variant, to find the fastest

    def __init__(self):
        self.cl = import_module("pyopencl")
        try:
            devices = [d for p in self.cl.get_platforms() for d in p.get_devices()]
        except self.cl.Error as error:
            raise RuntimeError(f"no OpenCL platform ({error})") from error
        devices = [d for d in devices if "cl_khr_fp16" in d.extensions]
        if not devices:
            raise RuntimeError("no OpenCL device with cl_khr_fp16")
        self.context = self.cl.Context(devices[:1])
        profiling = self.cl.command_queue_properties.PROFILING_ENABLE
        self.queue = self.cl.CommandQueue(self.context, properties=profiling)
        self.kernel = cache(self.build)

    def columns(self, op, arrays):
        if op.opencl is None:
            return {}
        flags = self.cl.mem_flags.USE_HOST_PTR | self.cl.mem_flags.READ_WRITE
        memory = [*arrays.inputs, *arrays.outs]
        buffers = [self.cl.Buffer(self.context, flags, hostbuf=array) for array in memory]
        variants = self.reductions if op.reduces else self.maps
        try:
            blocks = dict(enumerate(variants(op, len(arrays.inputs[0]), buffers)))
        except self.cl.Error as error:
            warnings.warn(f"{op.name} is left out of {self.names[0]}: {error}", stacklevel=2)
            return {}
        times = best_of(blocks, self.rounds)
        return {self.names[0]: blocks[min(times, key=times.get)]} if times else {}

    def maps(self, op, n, buffers):
        widths = (1,) if op.vector else (w for w in (1, 16) if n % w == 0)
        for width in widths:
            source = vectors_source(op) if op.vector else elementwise_source(op, width)
            kernel, items = self.kernel(source), n // width
            for group in self.group_sizes:
                if group is None or items % group == 0:
                    yield self.block(kernel, (items,), group and (group,), buffers)

    def reductions(self, op, n, buffers):
        for chains in (c for c in (1, 2, 4, 8) if n % (16 * c) == 0):
            kernel = self.kernel(reduction_source(op, chains, n // 16))
            yield self.block(kernel, (1,), (1,), buffers)

    def build(self, source):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", self.cl.CompilerWarning)
            return self.cl.Program(self.context, source).build().f

    def block(self, kernel, items, group, buffers):
        def block(count):
            nanoseconds = 0
            for _ in range(count):
                event = kernel(self.queue, items, group, *buffers)
                event.wait()
                nanoseconds += event.profile.end - event.profile.start
            return nanoseconds * 1e-9

        return block
