"""Built-in functions that move bits: select, vload and vstore, shuffle, as_type, images; which
work-items they touch; and what is refused."""

from fractions import Fraction

import numpy as np
import pytest
from cl_builtins import (
    DTYPES,
    FLOATING,
    HEAD,
    INTEGERS,
    WIDTHS,
    Calls,
    in_memory,
    same,
    split,
    values,
)
from exhaustive import one_in, shared_out

import halfcl as hc
from halfcl import cl
from halfcl.cl._frontend.types import SCALARS, number_type
from halfcl.cl._interpreter import builtins

pytestmark = [shared_out, pytest.mark.once, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

ALL_WIDTHS = ("", *WIDTHS)
ITEMS = 61
INTEGER_DTYPES = [DTYPES[t] for t in INTEGERS]


def build(*sources):
    return cl.Program(HEAD + "\n".join(sources))


def numbers(element, n, seed):
    return values(element, ITEMS * (n or 1), seed).reshape(ITEMS, -1)


def bits(array):
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


# ---------------------------------------------------------------- relational

PREDICATES = {
    "isequal": lambda a, b: a == b,
    "isnotequal": lambda a, b: a != b,
    "isgreater": lambda a, b: a > b,
    "isgreaterequal": lambda a, b: a >= b,
    "isless": lambda a, b: a < b,
    "islessequal": lambda a, b: a <= b,
    "islessgreater": lambda a, b: a < b or a > b,
    "isordered": lambda a, b: a == a and b == b,
    "isunordered": lambda a, b: a != a or b != b,
    "isfinite": lambda a: a - a == 0,
    "isinf": lambda a: a == a and a - a != 0,
    "isnan": lambda a: a != a,
    "isnormal": lambda a: a - a == 0 and abs(a) >= np.finfo(type(a)).tiny,
    "signbit": lambda a: bool(np.array(a).view(f"i{a.dtype.itemsize}") < 0),
}
#: Types of the same size that select's condition has.
CONDITIONS = {**{t: (t.lstrip("u"), "u" + t.lstrip("u")) for t in INTEGERS},
              "half": ("short", "ushort"), "float": ("int", "uint"),
              "double": ("long", "ulong")}  # fmt: skip


@pytest.fixture(scope="module")
def calls():
    calls = Calls()
    for turn, name in enumerate(PREDICATES):
        count = PREDICATES[name].__code__.co_argcount
        for t, truth in (("float", "int"), ("double", "long")):
            for n in ("", 3, (2, 4, 8, 16)[turn % 4]):
                calls.add(name, [f"{t}{n}"] * count, f"{truth}{n}" if n else "int")
    for t, pair in CONDITIONS.items():
        for n in ALL_WIDTHS:
            for c in pair:
                calls.add("select", [f"{t}{n}", f"{t}{n}", f"{c}{n}"], f"{t}{n}")
            if t in FLOATING:
                calls.add("bitselect", [f"{t}{n}"] * 3, f"{t}{n}")
    return calls


@pytest.mark.parametrize("name", PREDICATES)
def test_relational(calls, name):
    function = PREDICATES[name]
    for key in [k for k in calls.kernels if k[0] == name]:
        t, n = split(key[1][0])
        arrays = [numbers(t, n, seed) for seed in range(len(key[1]))]
        if len(arrays) == 2:
            arrays[1][::3] = arrays[0][::3]
        truths = [bool(function(*row)) for row in zip(*(a.ravel() for a in arrays), strict=True)]
        assert any(truths) and not all(truths)
        wanted = np.array(truths).astype(int) * (-1 if n > 1 else 1)
        same(calls.run(key, *arrays), wanted.reshape(ITEMS, n), key)


def test_select_and_bitselect(calls):
    """Scalars select by whether c is 0, vectors by the top bit."""
    for key in [k for k in calls.kernels if k[0] == "select"]:
        (t, n), c = split(key[1][0]), split(key[1][2])[0]
        a, b, chosen = numbers(t, n, 1), numbers(t, n, 2), numbers(c, n, 3)
        truth = chosen != 0 if n == 1 else bits(chosen) >> (8 * chosen.dtype.itemsize - 1) == 1
        assert truth.any() and not truth.all()
        wanted = np.where(truth, bits(b), bits(a))
        same(bits(calls.run(key, a, b, chosen)), wanted, key)
    for key in [k for k in calls.kernels if k[0] == "bitselect"]:
        t, n = split(key[1][0])
        a, b, c = (numbers(t, n, seed) for seed in range(3))
        same(bits(calls.run(key, a, b, c)), bits(a) & ~bits(c) | bits(b) & bits(c), key)


def test_conditional_operator_of_vectors_is_select():
    program = build(
        "kernel void k(global const half4 *a, global const half4 *b, global half4 *o) {"
        " size_t i = get_global_id(0); o[i] = a[i] < b[i] ? a[i] : (half4)(3); }"
    )
    a, b, out = numbers("half", 4, 1), numbers("half", 4, 2), np.zeros((ITEMS, 4), hc.half)
    program.k(ITEMS, None, a, b, out)
    same(out, np.where(a < b, a, hc.half(3)))


# ---------------------------------------------------------------- vload, vstore


def test_vload_and_vstore():
    """Vectors are aligned like scalars; three components take three elements."""
    names = [(t, n) for t in DTYPES for n in WIDTHS]
    program = build(
        *(
            f"kernel void {t}_{n}(global const {t} *a, global {t} *o, int k) {{"
            f" size_t i = get_global_id(0);"
            f" vstore{n}(vload{n}(i, a + k), {ITEMS} - 1 - i, o + 1); }}"
            for t, n in names
        )
    )
    for t, n in names:
        a = values(t, (ITEMS + 1) * n, n)
        out = np.zeros_like(a)
        getattr(program, f"{t}_{n}")(ITEMS, None, a, out, 1)
        wanted = np.zeros_like(a)
        wanted[1 : 1 + ITEMS * n] = a[1 : 1 + ITEMS * n].reshape(ITEMS, n)[::-1].ravel()
        same(bits(out), bits(wanted), (t, n))


def test_vload_and_vstore_of_private_local_and_constant_memory():
    program = build(
        """
        constant short table[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        kernel void k(global short *o) {
            int i = get_local_id(0);
            local short shared[32];
            short own[8];
            vstore3(vload3(i, table), 1, own + 1);
            vstore4(vload4(0, own + 3), get_local_size(0) - 1 - i, shared);
            barrier(CLK_LOCAL_MEM_FENCE);
            vstore4(vload4(i, shared), get_global_id(0), o);
        }"""
    )
    out = np.full(24, -1, np.int16)
    program.k(6, 3, out)
    rows = out.reshape(6, 4)
    for group in (rows[:3], rows[3:]):
        assert group[:, 1:].tolist() == [[7, 8, 9], [4, 5, 6], [1, 2, 3]]


@pytest.mark.parametrize("t", ["float", "double"])
def test_halves_in_memory_as_floats(t):
    """Without a mode, the pragma's; vstorea_half3 and vloada_half3 go by four."""
    modes = ("", "_rte", "_rtz", "_rtp", "_rtn")
    sources, names = [], []
    for n in ALL_WIDTHS:
        for a in ("", "a") if n else ("",):
            for mode in modes:
                names.append((n, a, mode))
                sources.append(
                    f"kernel void k{len(names) - 1}(global const {t}{n} *x, global half *o) {{"
                    f" int i = get_global_id(0); vstore{a}_half{n}{mode}(x[i], i, o); }}"
                )
            if t == "float":
                sources.append(
                    f"kernel void load{a}{n}(global const half *x, global float{n} *o) {{"
                    f" int i = get_global_id(0); o[i] = vload{a}_half{n}(i, x); }}"
                )
    program = build(*sources)
    pragma = "rtp"
    for k, (n, a, mode) in enumerate(names):
        width = n or 1
        distance = 4 if n == 3 and a else width
        x = numbers(t, n, k)
        out = np.zeros((ITEMS, distance), hc.half)
        getattr(program, f"k{k}")(ITEMS, None, in_memory(x, f"{t}{n}"), out)
        wanted = np.zeros((ITEMS, distance), hc.half)
        wanted[:, :width] = hc.convert(x, hc.half, rounding=mode[1:] or pragma)
        same(out, wanted, (t, n, a, mode))
        if t == "float" and not mode:
            back = np.zeros_like(in_memory(x, f"{t}{n}"))
            getattr(program, f"load{a}{n}")(ITEMS, None, out, back)
            same(back[:, :width], out[:, :width].astype(np.float32), (n, a))


def test_vstore_half_rounds_as_the_text_around_it_says():
    program = build(
        "#pragma OPENCL SELECT_ROUNDING_MODE rtn\n"
        "kernel void down(global half *o) { vstore_half(1.0001f, 0, o); }\n"
        "#pragma OPENCL SELECT_ROUNDING_MODE rtp\n"
        "kernel void up(global half *o) { vstore_half(1.0001f, 0, o); }\n"
    )
    out = np.zeros(2, hc.half)
    program.down(1, None, out[:1])
    program.up(1, None, out[1:])
    step = Fraction(1, 1024)
    assert [Fraction(float(x)) for x in out] == [1, 1 + step]


# ---------------------------------------------------------------- shuffle


@one_in(2)
@pytest.mark.parametrize("t", DTYPES)
def test_shuffle(t):
    """Indices differ among items, and count modulo the components."""
    index = CONDITIONS[t][1]
    turn = list(DTYPES).index(t)
    pairs = [(m, (2, 4, 8, 16)[(k + turn + j) % 4]) for k, m in enumerate((2, 4, 8, 16))
             for j in (0, 1)]  # fmt: skip
    program = build(
        *(
            f"kernel void s{m}_{n}(global const {t}{m} *x, global const {t}{m} *y,"
            f" global const {index}{n} *k, global {t}{n} *o, global {t}{n} *p, global {t}{n} *q) {{"
            f" int i = get_global_id(0); o[i] = shuffle(x[i], k[i]); "
            f" p[i] = shuffle2(x[i], y[i], k[i]);"
            f" q[i] = shuffle(x[i], ({index}{n})({', '.join(map(str, range(n, 0, -1)))})); }}"
            for m, n in pairs
        )
    )
    for m, n in pairs:
        x, y, k = numbers(t, m, 1), numbers(t, m, 2), numbers(index, n, 3)
        outs = [np.zeros((ITEMS, n), DTYPES[t]) for _ in range(3)]
        getattr(program, f"s{m}_{n}")(ITEMS, None, x, y, k, *outs)
        k = k.astype(object)
        both = np.concatenate([x, y], axis=1)
        fixed = [[j % m for j in range(n, 0, -1)]] * ITEMS
        for actual, source, indices in (
            (outs[0], x, k % m),
            (outs[1], both, k % (2 * m)),
            (outs[2], x, np.array(fixed)),
        ):
            wanted = np.take_along_axis(source, indices.astype(int), axis=1)
            same(bits(actual), bits(wanted), (t, m, n))


# ---------------------------------------------------------------- as_type


def size_of(type_name):
    element, width = split(type_name)
    return np.dtype(DTYPES[element]).itemsize * (4 if width == 3 else width)


TYPES = [f"{t}{n}" for t in DTYPES for n in ("", 2, 3, 4, 8, 16)]
PAIRS = [(a, b) for a in TYPES for b in TYPES if a != b and size_of(a) == size_of(b)]


def same_bytes(found, x, a, b):
    """found: of type b, the bytes of x; what the fourth of three components becomes is open."""
    target, components = split(b)
    wanted = np.frombuffer(x.tobytes(), f"u{np.dtype(DTYPES[target]).itemsize}")
    wanted = wanted.reshape(len(x), -1)
    if split(a)[1] == 3:
        components = min(components, 3 * x.itemsize // wanted.itemsize)
    same(bits(found)[:, :components], wanted[:, :components], (a, b))


def number(type_name):
    element, width = split(type_name)
    return number_type(SCALARS[element], width)


def test_as_type_of_all_pairs():
    """Bits stay the same for all pairs of one size, including three components beside four."""
    assert len(PAIRS) > 500
    for a, b in PAIRS:
        element, width = split(a)
        x = in_memory(values(element, 5 * width, 9).reshape(5, width), a)
        planes = np.ascontiguousarray(x[:, :width].T)
        convert = builtins.reinterpretation(number(a), number(b))
        for value, shape in ((planes, 5), (planes[:, :1], 1)):
            converted = np.atleast_2d(convert(value if width > 1 else value[0]))
            if split(b)[1] == 1 and DTYPES[split(b)[0]] in INTEGER_DTYPES:
                converted = converted.astype(DTYPES[split(b)[0]])
            assert converted.shape == (split(b)[1], shape)
            same_bytes(in_memory(converted.T, b), x[:shape], a, b)


def test_as_type_in_kernels():
    pairs = PAIRS[::12]
    program = build(
        *(
            f"kernel void {a}_{b}(global const {a} *x, global {b} *o, {a} u, global {b} *p) {{"
            f" int i = get_global_id(0); o[i] = as_{b}(x[i]); p[i] = as_{b}(u); }}"
            for a, b in pairs
        )
    )
    for a, b in pairs:
        element, width = split(a)
        x = in_memory(values(element, 5 * width, 9).reshape(5, width), a)
        outs = [np.zeros_like(in_memory(np.zeros((5, split(b)[1])), b)) for _ in range(2)]
        uniform = x[0, :width] if width > 1 else x[0, 0]
        getattr(program, f"{a}_{b}")(5, None, x, outs[0], uniform, outs[1])
        same_bytes(outs[0], x, a, b)
        same_bytes(outs[1], np.repeat(x[:1], 5, axis=0), a, b)


# ---------------------------------------------------------------- who writes


def test_inactive_items_store_nothing():
    program = build(
        """
        kernel void k(global half4 *whole, global int4 *exponent, global half *packed,
                      global half4 *plain) {
            int i = get_global_id(0);
            half4 x = (half4)(i + 0.25h);
            local half4 shared[16];
            if (i & 1) {
                fract(x, whole + i);
                frexp(x, exponent + i);
                vstore_half4(convert_float4(x), i, packed);
                half4 own;
                modf(x, &own);
                sincos(x, shared + i);
                vstore4(own, 0, (global half *)(plain + i));
            }
        }"""
    )
    n = 16
    whole, plain = np.full((n, 4), -1, hc.half), np.full((n, 4), -1, hc.half)
    packed, exponent = np.full((n, 4), -1, hc.half), np.full((n, 4), -1, np.int32)
    program.k(n, n, whole, exponent, packed, plain)
    i = np.arange(n)[:, np.newaxis] * np.ones(4)
    for actual, wanted in (
        (whole, i), (plain, i), (packed, i + 0.25), (exponent, np.frexp(i + 0.25)[1]),
    ):  # fmt: skip
        np.testing.assert_array_equal(actual, np.where(i % 2, wanted, -1).astype(actual.dtype))


def test_prefetch_does_nothing_and_is_called_once():
    program = build(
        "kernel void k(global float *a) { prefetch(a, 4); prefetch((global half4 *)a, 1);"
        " a[get_global_id(0)] = 2; }"
    )
    a = np.zeros(4, np.float32)
    program.k(4, None, a)
    assert (a == 2).all()


# ---------------------------------------------------------------- images

RGBA = hc.channel_order.RGBA


def image(shape, channel_type, kind=None, seed=0, order=RGBA):
    format = hc.ImageFormat(order, channel_type)
    result = hc.Image.empty(shape, format, kind)
    rng = np.random.default_rng(seed)
    if result.array.dtype.kind in "iu":
        info = np.iinfo(result.array.dtype)
        result.array[...] = rng.integers(info.min, info.max, result.array.shape, endpoint=True)
    else:
        result.array[...] = rng.uniform(-2, 2, result.array.shape).astype(result.array.dtype)
    return result


T, M = hc.channel_type, hc.mem_object_type
#: OpenCL's type, the image's shape, its kind, and the coordinates' width.
SHAPES = {
    "image1d_t": ((40,), M.IMAGE1D, ""),
    "image1d_array_t": ((5, 40), M.IMAGE1D_ARRAY, 2),
    "image2d_t": ((6, 9), M.IMAGE2D, 2),
    "image2d_array_t": ((3, 6, 9), M.IMAGE2D_ARRAY, 4),
    "image3d_t": ((4, 6, 9), M.IMAGE3D, 4),
}
KINDS = {"f": ("float4", T.UNORM_INT8), "h": ("half4", T.HALF_FLOAT), "i": ("int4", T.SIGNED_INT16),
         "ui": ("uint4", T.UNSIGNED_INT32)}  # fmt: skip
NEAREST = hc.Sampler(False, hc.addressing_mode.CLAMP_TO_EDGE, hc.filter_mode.NEAREST)
LINEAR = hc.Sampler(True, hc.addressing_mode.MIRRORED_REPEAT, hc.filter_mode.LINEAR)


@pytest.fixture(scope="module")
def reading():
    sources = []
    for shape, (_, _, n) in SHAPES.items():
        for kind, (color, _) in KINDS.items():
            read, at = f"read_image{kind}", "int i = get_global_id(0);"
            sources.append(
                f"kernel void {read}_{shape}(read_only {shape} im, sampler_t s,"
                f" global const float{n} *x, global const int{n} *k, global {color} *o,"
                f" global {color} *p, global {color} *q, global {color} *u) {{ {at}"
                f" const sampler_t t = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP"
                f" | CLK_FILTER_NEAREST;"
                f" o[i] = {read}(im, s, x[i]); p[i] = {read}(im, t, k[i]); q[i] = {read}(im, k[i]);"
                f" u[i] = {read}(im, (int{n})(1)); }}"
            )
            if shape != "image3d_t":
                sources.append(
                    f"kernel void write_image{kind}_{shape}(write_only {shape} im,"
                    f" global const int{n} *k, global const {color} *c) {{ {at}"
                    f" if (i % 3 == 0) return; write_image{kind}(im, k[i], c[i]); }}"
                )
    return build(*sources)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_image_reads(reading, shape, kind):
    sizes, type_, n = SHAPES[shape]
    color, channel = KINDS[kind]
    source = image(sizes, channel, type_)
    rng, width = np.random.default_rng(4), n or 1
    sampler = LINEAR if kind in "fh" else NEAREST
    x = rng.uniform(-1, 2, (ITEMS, width)).astype(np.float32)
    x *= 1 if sampler is LINEAR else 8
    k = rng.integers(-2, 11, (ITEMS, width)).astype(np.int32)
    outs = [np.zeros((ITEMS, 4), DTYPES[color[:-1]]) for _ in range(4)]
    name = f"read_image{kind}"
    getattr(reading, f"{name}_{shape}")(ITEMS, None, source, sampler, x, k, *outs)
    function = getattr(hc, name)
    border = hc.Sampler(False, hc.addressing_mode.CLAMP, hc.filter_mode.NEAREST)
    one = np.ones(width, np.int32)
    x, k, one = (a if n else a[..., 0] for a in (x, k, one))
    rounding = {"rounding": "rte"} if kind in "fh" else {}
    for actual, wanted in zip(
        outs,
        (
            function(source, sampler, x, **rounding),
            function(source, border, k, **rounding),
            function(source, k, **rounding),
            np.broadcast_to(np.asarray(function(source, one, **rounding)), (ITEMS, 4)),
        ),
        strict=True,
    ):
        same(actual, np.asarray(wanted), (shape, kind))


@pytest.mark.parametrize("shape", [s for s in SHAPES if s != "image3d_t"])
@pytest.mark.parametrize("kind", KINDS)
def test_image_writes_of_active_items_only(reading, shape, kind):
    sizes, type_, n = SHAPES[shape]
    color, channel = KINDS[kind]
    actual, wanted = image(sizes, channel, type_), image(sizes, channel, type_)
    rng, width = np.random.default_rng(5), n or 1
    k = np.stack([rng.permutation(ITEMS * 3)[:ITEMS] % 12 - 1 for _ in range(width)], 1)
    k = k.astype(np.int32)
    colors = numbers(color[:-1], 4, 6)
    getattr(reading, f"write_image{kind}_{shape}")(ITEMS, None, actual, k, colors)
    active = np.arange(ITEMS) % 3 != 0
    rounding = {"rounding": "rte"} if kind in "fh" else {}
    where = (k if n else k[:, 0])[active]
    getattr(hc, f"write_image{kind}")(wanted, where, colors[active], **rounding)
    assert (actual.array != image(sizes, channel, type_).array).any()
    np.testing.assert_array_equal(actual.array.view(np.uint8), wanted.array.view(np.uint8))


def test_image_buffers_queries_and_constant_samplers():
    program = build(
        """
        #pragma OPENCL SELECT_ROUNDING_MODE rte
        constant sampler_t at_edges = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT
                                      | CLK_FILTER_LINEAR;
        half4 read(read_only image2d_t im, sampler_t s, float x) {
            return read_imageh(im, s, (float2)(x, 0.25f));
        }
        kernel void k(read_only image1d_buffer_t b, read_only image2d_t im, read_only image3d_t v,
                      read_only image2d_array_t layers, global float4 *o, global half4 *h,
                      global int *sizes) {
            int i = get_global_id(0);
            o[i] = read_imagef(b, i);
            h[i] = read(im, at_edges, i / 7.0f);
            sizes[0] = get_image_width(b); sizes[1] = get_image_width(im);
            sizes[2] = get_image_height(im); sizes[3] = get_image_depth(v);
            sizes[4] = get_image_array_size(layers);
            vstore2(get_image_dim(im), 0, sizes + 5); vstore4(get_image_dim(v), 0, sizes + 7);
            sizes[11] = get_image_channel_data_type(im) == CLK_HALF_FLOAT;
            sizes[12] = get_image_channel_order(im) == CLK_RGBA;
        }"""
    )
    buffer, flat = image((8,), T.FLOAT, M.IMAGE1D_BUFFER), image((6, 9), T.HALF_FLOAT)
    solid, layers = image((4, 6, 9), T.UNORM_INT8), image((3, 6, 9), T.FLOAT, M.IMAGE2D_ARRAY)
    o, h, sizes = np.zeros((8, 4), np.float32), np.zeros((8, 4), hc.half), np.zeros(13, np.int32)
    program.k(8, None, buffer, flat, solid, layers, o, h, sizes)
    same(o, buffer.array)
    sampler = hc.Sampler(True, hc.addressing_mode.REPEAT, hc.filter_mode.LINEAR)
    x = np.stack([np.arange(8, dtype=np.float32) / np.float32(7), np.full(8, 0.25, np.float32)], 1)
    same(h, np.asarray(hc.read_imageh(flat, sampler, x, rounding="rte")))
    assert sizes.tolist() == [8, 9, 6, 4, 3, 9, 6, 9, 6, 4, 0, 1, 1]


def test_images_that_do_not_fit_are_launch_errors():
    program = build(
        "kernel void k(read_only image2d_t im, global float4 *o) {\n"
        "    o[get_global_id(0)] = read_imagef(im, (int2)(0)); }"
    )
    with pytest.raises(cl.LaunchError, match=r":6:\d+: kernel k: read_imagef: argument image"):
        program.k(1, None, image((6, 9), T.SIGNED_INT8), np.zeros((1, 4), np.float32))


# ---------------------------------------------------------------- what is refused


def test_unsupported_functions_are_errors_with_lines():
    with pytest.raises(cl.BuildError) as caught:
        build(
            "kernel void k(global int *o) {",
            "    o[0] = __builtin_rotateleft32(o[1], 3);",
            "    o[1] = 2 + __builtin_rotateright32(o[1], 3);",
            "    const sampler_t s = 0x70;",
            "}",
        )
    errors = [
        (d.location.line, d.message) for d in caught.value.diagnostics if d.severity == "error"
    ]
    assert [line for line, _ in errors] == [6, 7, 8]
    assert "__builtin_rotateleft32" in errors[0][1] and "sampler" in errors[2][1]
