"""Functions of float and double in translations: whose bits, and calls left to the device."""

import cl_floats
import cuda_host
import numpy as np
import pytest
from cl_devices import device_of
from exhaustive import either, in_turn, one_in

from halfcl import cl

pytestmark = [
    pytest.mark.once,
    pytest.mark.kernels,
    pytest.mark.filterwarnings("ignore::halfcl.cl.BuildWarning"),
]

by_gxx = pytest.mark.skipif(cuda_host.GXX is None, reason="needs g++ to run CUDA C++ on the host")

#: OpenCL does not fix which zero these return where both arguments are zeros.
EITHER_ZERO = ("clamp", "fmax", "fmin", "maxmag", "minmag")
TYPES = ("float", "float3", "float4", "double", "double2")
COUNT = either(20_000, 400)


def names_of(type_, is_left=False):
    """The functions that are translated, or those that are left to the device in "device"."""
    rows = cl_floats.ROWS.items()
    wanted = [n for n, row in rows if (row.is_open if is_left else row.device)]
    return [n for n in wanted if cl_floats.is_for(n, type_)]


@pytest.fixture(scope="module")
def device(request):
    """The device of a kind: an OpenCL queue, or g++ in place of a GPU."""
    yield from device_of(request.param)


every_device = pytest.mark.parametrize("device", ["cuda", "opencl"], indirect=True)


def assert_equal(name, right, actual, inputs):
    wrong = cl_floats.differing(right, actual)
    if name in EITHER_ZERO:
        wrong = [i for i in wrong if right[0].flat[i] != actual[0].flat[i]]
    shown = [[x.reshape(-1)[i].item() for x in (*inputs, *right, *actual) if i < x.size]
             for i in wrong[:3]]  # fmt: skip
    assert not len(wrong), f"{name}: {len(wrong)} elements: {shown}"


@one_in(2)
@in_turn
@every_device
@pytest.mark.parametrize("type_", TYPES)
def test_functions_have_the_bits_of_the_host(type_, device):
    names = names_of(type_)
    source = cl_floats.program(type_, names)
    here, there = cl.Program(source), cl.Program(source, device=device)
    assert there.device_calls == ()
    inputs = cl_floats.inputs(type_, COUNT)
    for name in names:
        right, actual = (cl_floats.run(p, name, type_, inputs) for p in (here, there))
        assert_equal(name, right, actual, inputs)


@one_in(2)
@in_turn
@every_device
@pytest.mark.parametrize("type_", TYPES)
def test_functions_left_to_the_device_are_close(type_, device):
    names = names_of(type_, True)
    source = cl_floats.program(type_, names)
    here = cl.Program(source)
    there = cl.Program(source, device=device, float_functions="device")
    assert [call.name for call in there.device_calls] == names
    assert {call.type.rstrip("1234568") for call in there.device_calls} == {type_.rstrip("234")}
    rng = np.random.default_rng(1)
    dtype = cl_floats.dtype_of(type_)
    inputs = [rng.uniform(0.1, 0.9, 96).astype(dtype) for _ in range(3)]
    inputs[0], inputs[2] = np.sort(inputs[:3:2], axis=0) * dtype.type(0.9)
    inputs.append(rng.integers(1, 5, 96).astype(np.int32))
    for name in names:
        if name == "acosh":
            continue  # of numbers from 1
        right, actual = (cl_floats.run(p, name, type_, inputs) for p in (here, there))
        tolerance = 1e-3 if "native" in name or "half" in name or "fast" in name else 1e-5
        for a, b in zip(right, actual, strict=True):
            np.testing.assert_allclose(b, a, tolerance, tolerance, err_msg=name)


@pytest.mark.parametrize("language", ["opencl", "cuda"])
def test_calls_left_to_the_device_are_named_with_their_places(language):
    source = """kernel void k(global float *a, global float2 *b) {
    a[0] = exp(a[0]) + fabs(a[1]) + rsqrt(a[2]);
    b[0] = sin(b[1]);
}
"""
    settings = {"float_functions": "device", "name": "k.cl", "rounding": "rte"}
    text, calls = cl.translate(source, language, full_output=True, **settings)
    assert text == cl.translate(source, language, **settings)
    assert type(text) is str  # CuPy takes no subclass
    assert [str(call) for call in calls] == [
        "k.cl:2:12: exp of float",
        "k.cl:2:37: rsqrt of float",
        "k.cl:3:12: sin of float2",
    ]
    assert "/* The device's own, with its results: exp of float, rsqrt of float, " in text
    if language == "opencl":
        assert "    a[0] = exp(a[0]) + fabs(a[1]) + rsqrt(a[2]);\n" in text


@pytest.mark.parametrize("language", ["opencl", "cuda"])
def test_refusals_name_the_remedy(language):
    source = "kernel void k(global float *a) { a[0] = exp(a[0]) + rsqrt(a[1]); }"
    with pytest.raises(cl.BuildError) as caught:
        cl.translate(source, language)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == (
        "not translated: exp of float, not bit-identical across devices; "
        "float_functions='device' (--float-functions device) leaves it to the device"
    )


def test_halves_are_never_left_to_the_device():
    source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    source += "kernel void k(global half *a) { a[0] = exp(a[0]); }"
    text, calls = cl.translate(source, float_functions="device", full_output=True)
    assert calls == ()
    assert "a[0] = hc_exp(a[0]);" in text


def test_unknown_values_are_refused():
    message = "argument float_functions: expected exact or device, got 'fast'"
    for make in (cl.translate, cl.Program):
        with pytest.raises(ValueError, match=message):
            make("", float_functions="fast")


SPACES = """kernel void k(global float *a, global float4 *v, local float *l, global int *n) {
    float own; int q; int4 w;
    a[1] = fract(a[0], &own); a[1] += own; a[1] += fract(a[0], a + 2); a[1] += fract(a[0], l);
    a[1] += l[0]; a[3] = remquo(a[0], 0.7f, &q); a[3] += q; a[3] += remquo(a[0], 0.1f, n);
    v[1] = remquo(v[0], (float4)(0.3f), &w); v[1] += convert_float4(w); v[1] += fract(v[0], v + 2);
}"""


@every_device
def test_pointers_to_every_address_space(device):
    outputs = []
    for program in (cl.Program(SPACES), cl.Program(SPACES, device=device)):
        a, v = np.array([-7.3, 0, 0, 0], "f4"), np.arange(12).astype("f4") / 7
        n = np.zeros(1, "i4")
        program.k(1, 1, a, v, cl.LocalMemory(4), n)
        outputs.append([a.tobytes(), v.tobytes(), n.tobytes()])
    assert outputs[0] == outputs[1]


@every_device
def test_saturated_conversions_of_nan_are_zero(device):
    source = """kernel void k(global const float *x, global int *r, global uchar4 *v) {
        r[0] = convert_int_sat(x[0]); r[1] = convert_int_sat_rtp(x[1]);
        r[2] = ilogb(x[0]) == FP_ILOGBNAN; r[3] = ilogb(x[2]) == FP_ILOGB0;
        v[0] = convert_uchar4_sat(vload4(0, x));
    }"""
    x = np.array([np.nan, 2.5, 0, 300], "f4")
    program = cl.Program(source, device=device)
    r, v = np.full(4, -1, "i4"), np.full(4, 7, "u1")
    program.k(1, 1, x, r, v)
    assert r.tolist() == [0, 3, 1, 1]
    assert v.tolist() == [0, 2, 0, 255]
