"""Functions of whole vectors have the bits of the functions of one half.

They are in OpenCL's text: of all modes for CPUs without a vectorizer of their own, and to nearest
where a device converts halves itself.
"""

import numpy as np
import pytest
from device_places import DEVICES, EVERY, WHY_NONE, if_long
from exhaustive import shared_out

import halfcl as hc
from halfcl import device
from halfcl.cl._devices.native import find_native_operations
from halfcl.device._backends import on_opencl

pytestmark = [pytest.mark.once, shared_out, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

WIDTHS = (2, 3, 4, 8, 16)
#: Functions by the number of their operands.
FUNCTIONS = {
    "add": 2, "subtract": 2, "multiply": 2, "divide": 2, "fma": 3, "mad": 3, "negative": 1,
    "positive": 1, "fabs": 1, "convert_float": 1,
}  # fmt: skip
#: What is converted to half, by OpenCL's type.
SOURCES = {
    "float": "f4", "int": "i4", "uint": "u4", "char": "i1", "uchar": "u1", "short": "i2",
    "ushort": "u2",
}  # fmt: skip
COUNT = 48 * 1400  # a multiple of all widths, above the number of halves

KERNEL = """
kernel void {name}_{width}(global const {source} *x, global const ushort *y,
                           global const ushort *z, global {target} *out)
{{
    size_t i = get_global_id(0);
    vstore{width}({call}, i, out);
}}
"""


def kernel_text(name, operands, width, mode, source="ushort", target="ushort"):
    def halves(variable):
        return f"HCI_VECTOR_HALVES(vload{width}(i, {variable}), {width})"

    if name == "convert_half":
        arguments = [f"vload{width}(i, x)"]
    else:
        arguments = [halves(v) for v in "xyz"[:operands]]
    call = f"hc_{name}_{mode}({', '.join(arguments)})"
    if target == "ushort":
        call = f"HCI_VECTOR_BITS({call}, {width})"
    kernel = f"{name}_{source}" if name == "convert_half" else name
    return KERNEL.format(name=kernel, width=width, source=source, target=target, call=call)


def widths_of(k):
    """Return all widths; in a short run one of them, by turns."""
    return if_long(WIDTHS, (WIDTHS[k % 5],))


def program_text(mode):
    """Return the kernels of a mode."""
    texts = []
    for k, (name, operands) in enumerate(FUNCTIONS.items()):
        target = "float" if name == "convert_float" else "ushort"
        for width in widths_of(k):
            texts.append(kernel_text(name, operands, width, mode, target=target))
    for k, source in enumerate(SOURCES):
        for width in widths_of(k):
            texts.append(kernel_text("convert_half", 1, width, mode, source))
    return "\n".join(texts)


def halves(seed):
    """Return all halves and more, shuffled: half of them alike, so that sums cancel and tie."""
    rng = np.random.default_rng(seed)
    near = rng.choice(EVERY[0x3800:0x4200], COUNT // 2)
    return rng.permutation(np.concatenate([EVERY, near])[:COUNT])


def numbers(dtype, seed):
    """Return numbers of a type around half's range, of which many lie between two halves."""
    rng = np.random.default_rng(seed)
    if dtype != "f4":
        info = np.iinfo(dtype)
        sizes = np.exp2(rng.uniform(0, np.log2(float(info.max)), COUNT))
        sizes *= rng.choice([-1, 1], COUNT)
        ends = np.array([info.min, info.max, 0, 1])
        numbers_ = np.clip(sizes, info.min, info.max).astype("i8")
        numbers_[: len(ends)] = ends
        return np.clip(numbers_, info.min, info.max).astype(dtype)
    middles = halves(seed).astype("f4")
    middles[::3] *= np.float32(1 + 2.0**-11)
    middles[1::3] = np.nextafter(middles[1::3], np.float32(np.inf))
    middles[::7] = np.exp2(rng.uniform(-149, 127, len(middles[::7])))
    return middles


def same(got, right):
    """Return where bits are alike, or both are NaN."""
    bits = f"u{got.itemsize}"
    return (got.view(bits) == right.view(bits)) | (np.isnan(got) & np.isnan(right))


def right_results(name, mode, arrays):
    with np.errstate(all="ignore"):
        if name == "convert_half":
            return hc.convert(arrays[0], hc.half, rounding=mode).view(np.float16)
        if name == "convert_float":
            return arrays[0].astype(np.float32)
        if name == "positive":
            return arrays[0]
        function = hc.fma if name == "mad" else getattr(hc, name)
        result = function(*(a.view(hc.half) for a in arrays), rounding=mode)
    return np.asarray(result).view(np.float16)


def has_arithmetic(where):
    """Return whether a device itself rounds sums, differences and products rightly."""
    if "cl_khr_fp16" not in where.device.extensions.split():
        return False

    def build(text):
        return on_opencl._build_program(where.cl, where.context, where.device, text, ())

    return find_native_operations(where.cl, where.queue, build) >= {"add", "subtract", "multiply"}


@pytest.mark.parametrize("mode", hc.MODES)
@pytest.mark.parametrize("macro", ["", "-DHC_WHOLE_VECTORS", "-DHC_NATIVE_ARITHMETIC"])
@pytest.mark.parametrize("fp16", [False, True], ids=["bits", "half"])
@pytest.mark.parametrize("where", DEVICES or [None], ids=lambda d: d and d.device.platform.name)
def test_vectors_have_the_bits_of_numbers(where, fp16, macro, mode):
    if where is None:
        pytest.skip(WHY_NONE)
    if fp16 and "cl_khr_fp16" not in where.device.extensions.split():
        pytest.skip("the device has no halves of its own")
    cl = where.cl
    if macro == "-DHC_NATIVE_ARITHMETIC" and not has_arithmetic(where):
        pytest.skip("the device has no right sums and products of halves")
    options = on_opencl.build_options(cl, where.context, where.device)
    options = [o for o in options if o != "-DHC_WHOLE_VECTORS"] + [macro] * bool(macro)
    text = device.opencl([*FUNCTIONS, "convert_half"], fp16=fp16) + program_text(mode)
    program = on_opencl._build_program(cl, where.context, where.device, text, tuple(options))

    def run(kernel, width, arrays, dtype):
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        buffers = [cl.Buffer(where.context, flags, hostbuf=a) for a in arrays]
        out = np.empty(COUNT, dtype)
        result = cl.Buffer(where.context, cl.mem_flags.WRITE_ONLY, out.nbytes)
        size = (COUNT // width,)
        cl.Kernel(program, f"{kernel}_{width}")(where.queue, size, None, *buffers, result)
        cl.enqueue_copy(where.queue, out, result)
        where.queue.finish()
        return out

    operands = [halves(k) for k in range(3)]
    for k, (name, count) in enumerate(FUNCTIONS.items()):
        dtype = np.float32 if name == "convert_float" else np.float16
        right = right_results(name, mode, operands[:count])
        for width in widths_of(k):
            got = run(name, width, operands, dtype)
            assert same(got, right).all(), (name, width)
    for k, (source, letter) in enumerate(SOURCES.items()):
        values = numbers(letter, k)
        right = right_results("convert_half", mode, [values])
        for width in widths_of(k):
            got = run(f"convert_half_{source}", width, [values, *operands[1:]], np.float16)
            assert same(got, right).all(), (source, width)
