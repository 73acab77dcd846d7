"""Arguments of launches: what is taken, how it is converted, and what is refused untouched."""

import numpy as np
import pytest

import halfcl as hc
from halfcl import cl

FP16 = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"

BUFFERS = cl.Program(
    FP16
    + """
struct S { int a; half b; };
kernel void halves(global half *a) { a[get_global_id(0)] += 1; }
kernel void fours(global half4 *a) { a[get_global_id(0)] += (half4)(1, 2, 3, 4); }
kernel void threes(global half3 *a) { a[get_global_id(0)] += (half3)(1, 2, 3); }
kernel void structs(global struct S *a) { a[get_global_id(0)].a += 1; a[get_global_id(0)].b *= 2; }
kernel void reads(global const float *a, global float *b) {
    b[get_global_id(0)] = a[get_global_id(0)];
}
kernel void constants(constant int *a, global int *b) { b[0] = a[1]; }
kernel void bytes(global uchar *a) { a[get_global_id(0)] ^= 255; }
kernel void null(global int *a, constant int *b, local int *c, global int *out) {
    out[0] = (a == 0) + 2 * (b == 0) + 4 * (c == 0);
}
kernel void shift(global const int *a, global int *b) {
    int i = get_global_id(0), old = a[i];
    b[i] = 0;
    b[i] = a[i] + old;
}
kernel void locals(local int *a, local int *b, global int *out) {
    int i = get_local_id(0);
    a[i] = i; b[i] = 10 * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[1 - i] + b[1 - i];
}
""",
    "-w",
)

S = np.dtype([("a", np.int32), ("b", hc.half), ("pad", "V2")])


def test_halves_may_be_of_either_type_and_any_shape():
    for dtype in (hc.half, np.float16):
        for shape in ((6,), (2, 3), (1, 6, 1)):
            a = np.zeros(shape, dtype)
            BUFFERS.halves(6, None, a)
            assert a.dtype == dtype and a.shape == shape and (a == 1).all()
    a = np.zeros((), hc.half)
    BUFFERS.halves(1, None, a)
    assert a == 1


def test_vectors_are_arrays_of_a_multiple():
    for a in (np.zeros(8, hc.half), np.zeros((2, 4), hc.half), np.zeros((4, 2), hc.half)):
        BUFFERS.fours(2, None, a)
        assert a.ravel().tolist() == [1, 2, 3, 4] * 2
    a = hc.half4(10, 20, 30, 40)
    BUFFERS.fours(1, None, a)
    assert type(a) is hc.half4 and a.tolist() == [11, 22, 33, 44]
    a = np.zeros((2, 4), hc.half)
    BUFFERS.threes(2, None, a)
    assert a[:, :3].tolist() == [[1, 2, 3]] * 2


def test_structs_are_structured_or_bytes():
    a = np.zeros(2, S)
    a["b"] = 3
    BUFFERS.structs(2, None, a)
    assert a["a"].tolist() == [1, 1] and a["b"].tolist() == [6, 6]
    BUFFERS.structs(2, None, a.view(np.uint8))
    assert a["a"].tolist() == [2, 2] and a["b"].tolist() == [12, 12]
    BUFFERS.structs(1, None, a.view("V1"))
    assert a["a"].tolist() == [3, 2]


def test_voids_and_masked_arrays_as_memory(tmp_path):
    mapped = np.memmap(tmp_path / "x", np.uint8, "w+", shape=(3,))
    BUFFERS.bytes(3, None, mapped)
    assert (mapped == 255).all()
    raw = np.zeros(9, np.uint8)[1:]  # not aligned
    halves = raw.view(hc.half)
    BUFFERS.halves(4, None, halves)
    assert (halves == 1).all()
    whole = np.zeros(10, np.uint8)
    BUFFERS.bytes(4, None, whole[3:7])
    assert whole.tolist() == [0] * 3 + [255] * 4 + [0] * 3
    BUFFERS.halves(3, None, np.zeros(6, np.uint8).view("V1"))


def test_const_buffers_may_be_read_only_and_stay_unwritten():
    a, b = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    a.flags.writeable = False
    BUFFERS.reads(3, None, a, b)
    assert b.tolist() == [0, 1, 2]
    ints, out = np.array([5, 6]), np.zeros(1, np.int32)
    ints = ints.astype(np.int32)
    ints.flags.writeable = False
    BUFFERS.constants(1, None, ints, out)
    assert out[0] == 6
    sneaky = cl.Program("kernel void k(global const int *a) { *(global int *)a = 1; }", "-w")
    with pytest.raises(cl.LaunchError, match="write to constant global memory 'a'"):
        sneaky.k(1, None, ints)
    assert ints.tolist() == [5, 6]


def test_const_memory_changes_where_it_overlaps_what_is_written():
    a = np.arange(4, dtype=np.int32)
    BUFFERS.shift(4, None, a, a)
    assert a.tolist() == [0, 1, 2, 3]


def test_null_pointers_and_empty_arrays():
    out = np.zeros(1, np.int32)
    BUFFERS.null(1, None, None, None, None, out)
    assert out[0] == 7
    BUFFERS.null(1, None, out, out, cl.LocalMemory(4), out)
    assert out[0] == 0
    for a in (None, np.zeros(0, hc.half), np.zeros((0, 4), hc.half)):
        with pytest.raises(cl.LaunchError, match="kernel halves: read"):
            BUFFERS.halves(1, None, a)


def test_local_memory_is_each_group_s_and_each_parameter_s():
    out = np.zeros(6, np.int32)
    BUFFERS.locals(6, 2, cl.LocalMemory(8), cl.LocalMemory(8), out)
    assert out.tolist() == [11, 0] * 3
    assert repr(cl.LocalMemory(np.int64(8))) == "LocalMemory(8)"
    with pytest.raises(cl.LaunchError, match="outside of local memory 'b'"):
        BUFFERS.locals(6, 2, cl.LocalMemory(8), cl.LocalMemory(4), out)
    for nbytes, error in ((0, ValueError), (-1, ValueError), (1.0, TypeError), ("1", TypeError)):
        with pytest.raises(error, match=r"^LocalMemory: argument nbytes: expected "):
            cl.LocalMemory(nbytes)


STRIDED = np.zeros((4, 4), hc.half)[:, ::2]
READ_ONLY = np.zeros(4, hc.half)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("kernel", "value", "error", "message"),
    [
        ("halves", 1.0, TypeError, "a NumPy array of half, or None, got float"),
        ("halves", [1, 2], TypeError, "a NumPy array of half, or None, got list"),
        ("halves", hc.half(1), TypeError, "a NumPy array of half, or None, got half"),
        ("halves", cl.LocalMemory(8), TypeError, "a NumPy array of half, or None, got LocalMem"),
        ("halves", np.ma.zeros(4, hc.half), TypeError, "a NumPy array of half, or None, got a mas"),
        ("halves", np.zeros(4, np.float32), TypeError, "an array of half, got dtype float32"),
        ("halves", np.zeros(4, np.uint16), TypeError, "an array of half, got dtype uint16"),
        ("halves", np.zeros(4, np.uint8), TypeError, "an array of half, got dtype uint8"),
        ("halves", np.zeros(4, ">f2"), TypeError, "an array in native byte order, got dtype >f2"),
        ("halves", np.zeros(4, object), TypeError, "an array of half, got dtype object"),
        ("halves", np.zeros(4, "S2"), TypeError, "an array of half, got dtype"),
        ("halves", STRIDED, ValueError, "a C-contiguous array, got one of shape"),
        ("halves", np.zeros((4, 4), hc.half).T, ValueError, "a C-contiguous array"),
        ("halves", np.broadcast_to(hc.half(1), 4), ValueError, "a C-contiguous array"),
        ("halves", READ_ONLY, ValueError, "an array that can be written to, got a read-only one"),
        (
            "fours",
            np.zeros(6, hc.half),
            ValueError,
            "whole half4s: a multiple of 4 elements, got 6",
        ),
        ("threes", np.zeros((4, 3), hc.half)[:1], ValueError, "whole half3s: .* in memory as 4"),
        ("structs", np.zeros(2, np.int64), TypeError, "an array of structs of 8 bytes, as S"),
        ("structs", np.zeros(2, "V4"), None, ""),
        ("structs", np.zeros(2, [("a", "f4")]), TypeError, "an array of structs of 8 bytes"),
        ("structs", np.zeros(2, [("a", "O")]), TypeError, "an array of S, got dtype"),
        ("structs", np.zeros(9, np.uint8), ValueError, "whole Ss: a multiple of 8 bytes, got 9"),
        ("bytes", np.zeros(4, np.int8), TypeError, "an array of uchar, got dtype int8"),
        ("bytes", np.zeros(4, bool), TypeError, "an array of uchar, got dtype bool"),
    ],
)
def test_bad_buffers(kernel, value, error, message):
    if error is None:
        BUFFERS[kernel](1, None, value)
        return
    before = value.tobytes() if isinstance(value, np.ndarray) else None
    with pytest.raises(error, match=rf"^{kernel}: argument 1 \(a\): expected {message}"):
        BUFFERS[kernel](1, None, value)
    assert before is None or value.tobytes() == before


def test_nothing_is_written_where_a_later_argument_is_bad():
    a, out = np.zeros(3, np.float32), np.zeros(3, np.float32)
    source = "kernel void k(global float *a, int n, local float *t) { a[0] = 1; }"
    program = cl.Program(source)
    for arguments in ((a,), (a, 1), (a, 1, None, 4), ()):
        with pytest.raises(TypeError, match=r"^k: expected 3 arguments \(a, n, t\) after the siz"):
            program.k(1, None, *arguments)
    with pytest.raises(
        TypeError, match=r"^k: argument 3 \(t\): expected halfcl\.cl\.LocalMemory, or"
    ):
        program.k(1, None, a, 1, out)
    with pytest.raises(ValueError, match=r"^k: argument 3 \(t\): expected at least the 4 bytes of"):
        program.k(1, None, a, 1, cl.LocalMemory(3))
    assert not a.any() and not out.any()


# ---------------------------------------------------------------- numbers

SCALARS = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": hc.half,
    "float": np.float32, "double": np.float64,
}  # fmt: skip

VALUES = cl.Program(
    FP16
    + "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    + "".join(
        f"kernel void {t}_(global {t} *o, {t} x) {{ o[get_global_id(0)] = x; }}\n"
        f"kernel void {t}_4(global {t}4 *o, {t}4 x) {{ o[get_global_id(0)] = x; }}\n"
        f"kernel void {t}_3(global {t} *o, {t}3 x) {{ vstore3(x, get_global_id(0), o); }}\n"
        for t in SCALARS
    ),
    "-w",
)


@pytest.mark.parametrize("name", SCALARS)
def test_numbers_of_each_type(name):
    dtype = SCALARS[name]
    for value in (3, True, dtype(3), np.int64(3), np.bool_(True), np.array(3, dtype)):
        out = np.zeros(3, dtype)
        VALUES[f"{name}_"](3, None, out, value)
        assert (out == dtype(int(value))).all()
    for value in ([1, 2, 3, 4], (1, 2, 3, 4), np.array([1, 2, 3, 4], dtype)):
        out = np.zeros((2, 4), dtype)
        VALUES[f"{name}_4"](2, None, out, value)
        assert out.tolist() == [[1, 2, 3, 4]] * 2
    for value in ([5, 6, 7], np.array([5, 6, 7, 8], dtype)):
        out = np.zeros((2, 3), dtype)
        VALUES[f"{name}_3"](2, None, out, value)
        assert out.tolist() == [[5, 6, 7]] * 2


@pytest.mark.parametrize("name", [n for n, t in SCALARS.items() if np.dtype(t).kind in "iu"])
def test_integers_fit_or_are_refused(name):
    info, kernel = np.iinfo(SCALARS[name]), VALUES[f"{name}_"]
    out = np.zeros(1, SCALARS[name])
    for value in (int(info.min), int(info.max)):
        kernel(1, None, out, value)
        assert int(out[0]) == value
    for value, error in (
        (int(info.min) - 1, ValueError), (int(info.max) + 1, ValueError), (1.0, TypeError),
        (np.float32(1), TypeError), (hc.half(1), TypeError), ("1", TypeError), (None, TypeError),
        (1j, TypeError), ([1], TypeError), (np.array([1]), TypeError), (np.array(1.0), TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match=rf"^{name}_: argument 2 \(x\): expected "):
            kernel(1, None, out, value)
    assert int(out[0]) == int(info.max)


def test_floating_numbers_are_rounded_to_nearest_once():
    """Whatever mode is the launch's."""
    out, wide = np.zeros(1, hc.half), np.zeros(1, np.float32)
    for value in (0.1, np.float64(0.1), 1e-8, 65519.99, 65520.0, -np.inf, 2049, 2051, 1 << 63):
        VALUES.half_(1, None, out, value, rounding="rtz")
        with np.errstate(all="ignore"):
            assert out[0] == hc.convert(np.float64(value), hc.half, rounding="rte")
    VALUES.half_(1, None, out, float("nan"))
    assert np.isnan(out[0])
    VALUES.half_(1, None, out, -0.0)
    assert np.signbit(out[0])
    for value in (0.1, 1e-50, 1e300):
        with np.errstate(all="raise"):
            VALUES.float_(1, None, wide, value, rounding="rtp")
        with np.errstate(all="ignore"):
            assert wide[0] == np.float32(value)
    big = (1 << 60) + (1 << 36) + 1  # above a tie of floats; as a double it is on the tie
    VALUES.float_(1, None, wide, big)
    assert int(wide[0]) == (1 << 60) + (1 << 37)
    with hc.rounding("rtp", strict=True):
        VALUES.half_(1, None, out, 0.1)
    assert out[0] == hc.half(0.1)


@pytest.mark.parametrize("name", ["half", "float", "double"])
def test_non_numbers_are_refused(name):
    out = np.zeros(1, SCALARS[name])
    for value, error in (
        ("1", TypeError), (None, TypeError), (1j, TypeError), (np.longdouble(1), TypeError),
        ([1.0], TypeError), (np.zeros(2), TypeError), (1 << 64, ValueError), (b"1", TypeError),
        (np.ma.masked, TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match=rf"^{name}_: argument 2 \(x\): expected "):
            VALUES[f"{name}_"](1, None, out, value)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (1, TypeError), (None, TypeError), ("1234", TypeError), ([1, 2, 3, 1.5], TypeError),
        ([1, 2, 3], ValueError), ([1, 2, 3, 4, 5], ValueError), ([1, 2, 3, 128], ValueError),
        (np.zeros((2, 2), int), ValueError), ([[1], [2], [3], [4]], ValueError),
        (np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0]), TypeError),
    ],
)  # fmt: skip
def test_bad_vectors(value, error):
    out = np.zeros(4, np.int8)
    with pytest.raises(error, match=r"^char_4: argument 2 \(x\): expected "):
        VALUES.char_4(1, None, out, value)
    assert not out.any()


def test_half4_is_a_vector_by_value():
    out = np.zeros(4, hc.half)
    VALUES.half_4(1, None, out, hc.half4(1, 2, 3, 4))
    assert out.tolist() == [1, 2, 3, 4]
    VALUES.half_3(1, None, out[:3], hc.half3(5, 6, 7))
    assert out.tolist() == [5, 6, 7, 4]


# ---------------------------------------------------------------- structs and images


def test_structs_by_value():
    program = cl.Program(
        FP16 + "struct S { int a; half b; };\n"
        "kernel void k(struct S s, global float *o) { s.a += 1; o[0] = s.a; o[1] = s.b; }"
    )
    value, out = np.zeros((), S), np.zeros(2, np.float32)
    value["a"], value["b"] = 7, 0.5
    for argument in (value, value[()], np.array([value])[0]):
        program.k(1, None, argument, out)
        assert out.tolist() == [8, 0.5] and value["a"] == 7
    for bad, error in (
        (np.zeros(1, S), TypeError), (np.zeros((), "i4"), TypeError), (1, TypeError),
        (np.zeros((), [("a", "i4")]), ValueError), (None, TypeError), ((7, 0.5), TypeError),
    ):  # fmt: skip
        with pytest.raises(
            error, match=r"^k: argument 1 \(s\): expected a struct of 8 bytes, as S"
        ):
            program.k(1, None, bad, out)


def test_images_and_samplers():
    program = cl.Program(
        FP16
        + """kernel void copy(read_only image2d_t from, write_only image2d_t to, sampler_t s) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imageh(to, at, read_imageh(from, s, at));
        }"""
    )
    form = hc.ImageFormat(hc.channel_order.RGBA, hc.channel_type.UNORM_INT8)
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 4), np.uint8)
    source, target = hc.Image(pixels, form), hc.Image.empty((5, 7), form)
    sampler = hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.NEAREST)
    program.copy((7, 5), None, source, target, sampler)
    assert (target.array == pixels).all()
    pixels.flags.writeable = False
    program.copy((7, 5), None, hc.Image(pixels, form), target, sampler)
    line = hc.Image(np.zeros((3, 4), np.uint8), form)
    for arguments, error, message in (
        (
            (pixels, target, sampler),
            TypeError,
            r"1 \(from\): expected a halfcl\.Image for image2d_t",
        ),
        ((line, target, sampler), TypeError, r"1 \(from\): expected a halfcl\.Image for image2d_t"),
        (
            (source, hc.Image(pixels, form), sampler),
            ValueError,
            r"2 \(to\): expected an image that",
        ),
        ((source, target, 5), TypeError, r"3 \(s\): expected a halfcl\.Sampler, got int"),
        ((source, None, sampler), TypeError, r"2 \(to\): expected a halfcl\.Image"),
    ):
        with pytest.raises(error, match=f"^copy: argument {message}"):
            program.copy((7, 5), None, *arguments)


def test_contraction_both_ways_of_images():
    program = cl.Program(
        FP16
        + """kernel void k(write_only image1d_t to, half a, half b) {
            int i = get_global_id(0);
            half c = a * b;
            write_imageh(to, i, (half4)(a * b - c, 0, 0, 0) * 1000.0h);
        }""",
        contract="both",
    )
    form = hc.ImageFormat(hc.channel_order.R, hc.channel_type.HALF_FLOAT)
    image = hc.Image(np.ones(3, hc.half), form)
    report = program.k(2, None, image, 0.4, 0.9)
    assert report.elements["to"].tolist() == [True, True, False]
    assert image.array.tolist() == [0, 0, 1]
