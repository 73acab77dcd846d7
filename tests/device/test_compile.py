"""halfcl.device.compile: functions over a device's arrays, on devices of pyopencl or CuPy.

Tests that need no device run without.
"""

import copy
import pickle
import re
import sys
import threading
import types
import warnings
from concurrent.futures import ThreadPoolExecutor

import cupy_stand_in
import numpy as np
import pytest
from device_places import (
    DEVICES,
    MODES,
    REAL,
    WHY_NONE,
    WHY_NOT,
    Cuda,
    OpenCL,
    assert_same,
)
from exhaustive import LONG

import halfcl as hc
from halfcl import audit, device
from halfcl.device import _compiling as compiling
from halfcl.device._backends import on_cuda, on_opencl, probing
from halfcl.device._source.catalogue import forms, select_forms
from halfcl.device._source.dialects import DIALECTS
from halfcl.device._source.kernel_text import ARRAY, NUMBER, ONE, Kernel, kernel_text

pytestmark = pytest.mark.once

EVERY = np.arange(1 << 16, dtype=np.uint16).view(hc.half)
FLOAT16 = EVERY.view(np.float16)
with np.errstate(invalid="ignore"):  # of signalling NaNs, which Arm tells
    WIDENED = FLOAT16.astype(np.float32)
#: One function of each shape of operands and results, and those that most depend on; all others in
#: the long tests.
SOME = (
    "exp", "divide", "fma", "remquo", "sincos", "ldexp", "ilogb", "isless", "nan", "to_snorm8",
    "convert_half", "convert_uchar_sat", "convert_int", "convert_float",
)  # fmt: skip


# ---------------------------------------------------------------- places


@pytest.fixture(scope="module", params=REAL, ids=lambda p: type(p).__name__)
def place(request):
    if request.param is None:
        pytest.skip(WHY_NONE)
    return request.param


@pytest.fixture(scope="module", params=[*([] if REAL == [None] else REAL), "fake"],
                ids=lambda p: p if isinstance(p, str) else type(p).__name__)  # fmt: skip
def any_place(request):
    """A device, or a stand-in for one."""
    if request.param != "fake":
        yield request.param
        return
    cupy = cupy_stand_in.module()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "cupy", cupy)
        patch.setitem(on_cuda._known, 0, "")
        yield Cuda(cupy)


@pytest.fixture(scope="module")
def dev(place):
    return device.compile(place.where)


@pytest.fixture(scope="module")
def any_dev(any_place):
    return device.compile(any_place.where)


def as_list(x):
    return list(x) if isinstance(x, tuple) else [x]


def check(place, dev, name, *operands, **keywords):
    """Check that a call returns what the host's returns."""
    inputs = [place.to(x) if isinstance(x, np.ndarray) and x.ndim else x for x in operands]
    with np.errstate(all="ignore"):
        got = as_list(getattr(dev, name)(*inputs, **keywords))
        right = as_list(getattr(hc, name)(*operands, **keywords))
    assert_same([place.back(x) for x in got], right)


def operands_of(form, count):
    """Return halves in any order, and integers of all sizes, small ones for exponents."""
    rng = np.random.default_rng(count)
    makers = {"e": lambda: rng.permutation(EVERY)[:count], "f": lambda: floats(rng, count)}
    for letter in "bBhHiIqQ":
        ends = (-40, 40) if form.name == "ldexp" else (np.iinfo(letter).min, np.iinfo(letter).max)
        makers[letter] = lambda t=letter, ends=ends: rng.integers(
            *ends, count, np.dtype(t), endpoint=True
        )
    first = EVERY[:count] if form.inputs[0] == "e" else makers[form.inputs[0]]()
    return [first, *(makers[letter]() for letter in form.inputs[1:])]


def floats(rng, count):
    return np.ldexp(rng.standard_normal(count), rng.integers(-27, 18, count)).astype(np.float32)


# ---------------------------------------------------------------- the same bits as the host's


def is_defined(form, x, mode):
    """Return where a conversion's result is defined: an integer within the type's range."""
    if not form.name.startswith("convert_") or form.outputs in "ef" or "_sat" in form.name:
        return np.ones(x.shape, bool)
    to_integer = {"rte": np.rint, "rtz": np.trunc, "rtp": np.ceil, "rtn": np.floor}[mode or "rtz"]
    limits = np.iinfo(form.outputs)
    with np.errstate(invalid="ignore"):
        integer = to_integer(x.astype(np.float64))
    return (integer >= float(limits.min)) & (integer <= float(limits.max))


@pytest.mark.parametrize("name", SOME)
def test_functions_equal_the_hosts(place, dev, name):
    modes = MODES if name == "divide" else ("rtp",)
    for form in forms()[name]:
        if form.inputs in "bBhHIqQ" and name == "convert_half" and form.inputs != "q":
            continue
        for mode in modes:
            operands = operands_of(form, 1 << 16)
            kept = is_defined(form, operands[0], mode)
            check(place, dev, name, *(x[kept] for x in operands), rounding=mode)


@pytest.mark.skipif(not LONG, reason="minutes: HALFCL_TEST_LONG=1")
def test_all_functions(place, dev):
    for name in dev._names:
        for form in forms()[name]:
            if form.vectors:
                continue
            for mode in hc.MODES:
                operands = operands_of(form, 1 << 16)
                kept = is_defined(form, operands[0], mode)
                check(place, dev, name, *(x[kept] for x in operands), rounding=mode)


def geometric():
    return [name for name, several in forms().items() if several[0].vectors]


def test_vector_functions(place, dev):
    """Try one vector with many, strided vectors, and results in place, for one width each."""
    rng = np.random.default_rng(5)
    for name, width in (("cross", 3), ("dot", 8), ("length", 2), ("normalize", 4)):
        count = len(forms()[name][0].inputs)
        vectors = [rng.choice(FLOAT16, (300, width)) for _ in range(count)]
        check(place, dev, name, *vectors)
        if count == 2:
            check(place, dev, name, vectors[0], vectors[1][0])
        some = place.to(vectors[0])
        got = getattr(dev, name)(*[some[::3]] * count)
        with np.errstate(all="ignore"):
            right = getattr(hc, name)(*[vectors[0][::3]] * count)
            assert_same([place.back(got)], [right])
        with pytest.raises(ValueError, match="components"):
            getattr(dev, name)(*(place.to(np.ones((2, 5), np.float16)) for _ in range(count)))
        with pytest.raises(ValueError, match=f"{name}: argument|{name}: expected vectors"):
            getattr(dev, name)(*[some, 1] if count == 2 else [some[0, 0]])
    with np.errstate(all="ignore"):
        right = hc.normalize(vectors[0])
    assert dev.normalize(some, out=some) is some
    assert_same([place.back(some)], [right])


@pytest.mark.skipif(not LONG, reason="minutes: HALFCL_TEST_LONG=1")
def test_all_vector_functions(place, dev):
    rng = np.random.default_rng(6)
    for name in geometric():
        form = forms()[name][0]
        for width in form.widths:
            vectors = [rng.choice(FLOAT16, (3000, width)) for _ in form.inputs]
            for mode in hc.MODES:
                check(place, dev, name, *vectors, rounding=mode)


def test_wide_kernels(place):
    """Try kernels of eight elements per work-item, as on GPUs, and the elements that remain."""
    dev = device.compile(place.where, ["add", "remquo", "isless", "ldexp"])
    dev.machine.is_wide = True
    integers = np.arange(40, dtype=np.int32) - 20
    for count in (1, 7, 8, 9, 24, 31, 40):
        x, y = FLOAT16[15000 : 15000 + count], FLOAT16[14000 : 14000 + count]
        check(place, dev, "add", x, y, rounding="rtn")
        check(place, dev, "add", x, 3.1)
        check(place, dev, "add", x, y[:1])
        check(place, dev, "remquo", x, y)
        check(place, dev, "isless", x, y)
        check(place, dev, "ldexp", x, integers[:count])
    assert any(kernel.wide for kernel in dev.launcher.built)
    some = place.to(FLOAT16[15000:15100])
    for start in (1, 8):  # off the boundaries, and on them
        got = dev.add(some[start : start + 50], some[:50], out=place.to(np.zeros(50, np.float16)))
        assert_same([place.back(got)], [FLOAT16[15000 + start :][:50] + FLOAT16[15000:15050]])


def test_whole_groups(place):
    """Elements that fill work-groups have kernels without a comparison, others with one."""
    dev = device.compile(place.where, ["add"])
    for count in (1 << 14, (1 << 14) - 1, (1 << 14) + 256, (1 << 14) + 255, 256):
        check(place, dev, "add", FLOAT16[-count:], FLOAT16[:count], rounding="rtp")
        out = place.to(np.zeros(count + 512, np.float16))
        dev.add(place.to(FLOAT16[:count]), 0, out=out[:count])
        assert not place.back(out)[count:].any()  # nothing beyond is written
    assert len({kernel.whole for kernel in dev.launcher.built}) == (1 if dev.machine.is_wide else 2)


# ---------------------------------------------------------------- operands


def test_numbers_as_operands(any_place, any_dev):
    x = FLOAT16[15000:15010]
    for number in (2, 0.1, True, -0.0, float("nan"), np.float16(0.1), hc.half(3), np.int8(-3),
                   np.uint8(200), np.array(0.3, np.float16), 1e-9):  # fmt: skip
        for mode in MODES:
            check(any_place, any_dev, "add", x, number, rounding=mode)
        check(any_place, any_dev, "fma", number, x, number, rounding="rtn")
    for number in (3, -3, np.int16(5), np.bool_(1)):
        check(any_place, any_dev, "ldexp", x, number)
    check(any_place, any_dev, "exp", 1, rounding="rtp")
    check(any_place, any_dev, "fract", 2.5)
    check(any_place, any_dev, "convert_half", 1.0001, rounding="rtp")


def test_narrower_operands(any_place, any_dev):
    """Narrower integers and bool are accepted for a half or an integer, as on the host."""
    x = FLOAT16[15000:15004]
    for letter in "?bB":
        few = np.array([0, 1, 1, 0], letter)
        check(any_place, any_dev, "exp", few)
        check(any_place, any_dev, "add", x, few)
    for letter in "?bBhH":
        check(any_place, any_dev, "ldexp", x, np.array([0, 1, 1, 3], letter))
    for letter in "?bqfe":
        check(any_place, any_dev, "convert_half", np.array([0, 1, 1, 0], letter))


def test_dtypes_of_results(any_place, any_dev):
    """Results are float16, or half if operands are half and arrays support it."""
    half = any_place.to(EVERY[:4])
    assert any_dev.exp(any_place.to(FLOAT16[:4])).dtype == np.float16
    assert any_dev.exp(half).dtype == half.dtype
    assert any_dev.exp(0).dtype == np.float16 and any_dev.exp(0).shape == ()
    assert any_dev.isless(half, 1).dtype == np.bool_


def test_broadcast_shapes(any_place, any_dev):
    rng = np.random.default_rng(3)
    shapes = [((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 1, 5), (3, 1)), ((0, 3), (3,)), ((5,), (1,)),
              ((1,), (1, 1)), ((2, 3), ())]  # fmt: skip
    for one, other in shapes:
        x, y = (rng.standard_normal(s).astype(np.float16) for s in (one, other))
        got = any_dev.subtract(any_place.to(x), any_place.to(y))
        assert_same([any_place.back(got)], [np.subtract(x, y)])


SLICES = (np.s_[::2], np.s_[:, ::2], np.s_[::-1], np.s_[1:3, 2:5], np.s_[:, 3], np.s_[2])


def test_strided_operands(any_place, any_dev):
    y = np.arange(24, dtype=np.float16).reshape(4, 6)
    on_device = any_place.to(y)
    for part in SLICES:
        assert_same([any_place.back(any_dev.add(on_device[part], 1))], [y[part] + np.float16(1)])
        got = any_dev.multiply(on_device[part], on_device[part])
        assert_same([any_place.back(got)], [y[part] * y[part]])
    got = any_dev.add(on_device.T, on_device.T)
    assert got.flags.f_contiguous
    assert_same([any_place.back(got)], [y.T + y.T])
    assert_same([any_place.back(any_dev.add(on_device.T, on_device[0, 0]))], [y.T + y[0, 0]])


def test_out_arrays(any_place, any_dev):
    x = np.arange(24, dtype=np.float16).reshape(4, 6)
    out = any_place.to(np.zeros((4, 6), np.float16))
    assert any_dev.add(any_place.to(x), 1, out=out) is out
    assert any_dev.add(any_place.to(x), 1, out) is out
    assert_same([any_place.back(out)], [x + np.float16(1)])
    assert any_dev.add(any_place.to(x[0]), 1, out=(out,)) is out  # broadcast
    assert_same([any_place.back(out)], [np.broadcast_to(x[0] + np.float16(1), (4, 6))])
    any_dev.exp(1.0, out=out)
    assert_same([any_place.back(out)], [np.full((4, 6), hc.exp(1.0))])
    pair = any_place.to(x), out
    got = any_dev.fract(any_place.to(x / 4), out=pair)
    assert got[0] is pair[0] and got[1] is out
    assert_same([any_place.back(y) for y in got], hc.fract(x / np.float16(4)))


def test_out_by_position(any_place, any_dev):
    """There may be fewer outputs by position than results."""
    x = FLOAT16[15000:15100]
    first, right = any_place.to(np.zeros_like(x)), hc.fract(x.view(hc.half))
    for outs in ((first,), (first, None)):
        got = any_dev.fract(any_place.to(x), *outs)
        assert got[0] is first
        assert_same(as_list(any_place.back(got[0])) + as_list(any_place.back(got[1])), list(right))


def test_outs_of_several_shapes(any_place, any_dev):
    """The outputs' shapes broadcast, and new results have the common shape."""
    x = FLOAT16[15000:15003]
    for operands, shapes in (
        ((x,), ((3,), (2, 3))), ((x,), ((2, 3), (3,))), ((x,), ((1,), None)), ((x,), (None, ())),
        ((1.5,), ((3,), (2, 3))), ((1.5,), ((2, 0), (3,))),
    ):  # fmt: skip
        inputs = [any_place.to(y) if isinstance(y, np.ndarray) else y for y in operands]
        out = [None if s is None else np.zeros(s, np.float16) for s in shapes]
        there = tuple(None if y is None else any_place.to(y) for y in out)
        right = catch_error(lambda a=operands, o=tuple(out): hc.fract(*a, out=o))
        assert catch_error(lambda a=inputs, o=there: any_dev.fract(*a, out=o)) == right
    place = any_place.to(np.zeros((2, 3), np.float16))
    got = any_dev.fract(1.5, out=(None, place))
    assert_same(
        [any_place.back(y) for y in got], [np.full((2, 3), y, np.float16) for y in (0.5, 1)]
    )


def test_out_that_overlaps(any_place, any_dev):
    """Results are as if all elements had been read before any was written."""
    y = np.arange(24, dtype=np.float16).reshape(4, 6)
    for part, place_of in ((np.s_[:3], np.s_[1:]), (np.s_[1:], np.s_[:3]), (np.s_[:], np.s_[:]),
                           (np.s_[::-1], np.s_[:]), (np.s_[:], np.s_[::-1]), (np.s_[0], np.s_[:]),
                           (np.s_[:, ::2], np.s_[:, ::2]),
                           (np.s_[2:3, 3:4], np.s_[:])):  # fmt: skip
        here, there = y.copy(), any_place.to(y)
        np.add(here[part], np.float16(1), out=here[place_of])
        any_dev.add(there[part], 1, out=there[place_of])
        assert_same([any_place.back(there)], [here])
        here, there = y.copy(), any_place.to(y)
        np.add(here, here[part] if here[part].shape == y.shape else here[1], out=here)
        any_dev.add(there, there[part] if y[part].shape == y.shape else there[1], out=there)
        assert_same([any_place.back(there)], [here])


def test_modes_of_calls_and_regions(any_place, any_dev):
    """The mode is the call's, or else the region's, as on the host."""
    x = np.array([0.1, 3, -7.7], np.float16)
    single = np.array([1.0001, -2.0001, 0], np.float32)
    for mode in hc.MODES:
        for builtins in (False, True):
            with hc.rounding(mode, builtins=builtins):
                check(any_place, any_dev, "exp", x)
                check(any_place, any_dev, "divide", x, 3)
                check(any_place, any_dev, "max", x, 1.1)
                check(any_place, any_dev, "exp", 0.1)
                check(any_place, any_dev, "convert_half", single)
                check(any_place, any_dev, "convert_int", x)
                check(any_place, any_dev, "divide", x, 3, rounding="rtz")


# ---------------------------------------------------------------- bad input


def catch_error(call):
    with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
        call()
    return caught.type, str(caught.value)


def test_errors_of_the_host(any_place, any_dev):
    """Exceptions are the same as the host's, with the same texts."""
    x = FLOAT16[:3]
    on_device = any_place.to(x)
    calls = [
        ("exp", (x,), {"rounding": "up"}), ("exp", (x,), {"rounding": 3}), ("exp", (), {}),
        ("add", (x,), {}), ("exp", (x, x, x), {}), ("exp", (x,), {"foo": 1}),
        ("add", (x, FLOAT16[:4]), {}), ("add", (x, "3"), {}), ("add", (x, None), {}),
        ("add", (x, 2j), {}), ("add", (x, np.float32(3)), {}), ("ldexp", (x, 2**40), {}),
        ("ldexp", (x, 2.5), {}), ("ldexp", (x, np.int64(2)), {}), ("fract", (x,), {"out": (1,)}),
        ("nan", (np.ones(3, np.int32),), {}), ("ldexp", (x, x), {}), ("isless", (x,), {}),
        ("add", (x, np.ones(3, np.float64)), {}), ("exp", (np.ones(3, np.int32),), {}),
        ("exp", (x.reshape(1, 3),), {"out": np.zeros(2, np.float16)}),
        ("exp", (np.ones(3, np.complex64),), {}), ("exp", (x,), {"out": (x, x)}),
        ("add", (x, np.complex64(1 + 2j)), {}), ("add", (x, np.str_("1.5")), {}),
        ("add", (x, np.longdouble(0.1)), {}), ("add", (x, np.datetime64(5, "s")), {}),
        ("ldexp", (x, np.complex64(2)), {}), ("ldexp", (x, np.bytes_(b"2")), {}),
        ("exp", (x, x), {"out": x}), ("frexp", (x, x), {"out": (None, None)}),
        ("convert_int", (x, x, x), {}),
    ]  # fmt: skip
    for name, operands, keywords in calls:
        inputs = [any_place.to(y) if isinstance(y, np.ndarray) else y for y in operands]
        out = keywords.get("out")
        there = {**keywords, "out": any_place.to(out)} if isinstance(out, np.ndarray) else keywords
        right = catch_error(lambda n=name, a=operands, k=keywords: getattr(hc, n)(*a, **k))
        got = catch_error(lambda n=name, a=inputs, k=there: getattr(any_dev, n)(*a, **k))
        assert got == right, name
    assert_same([any_place.back(on_device)], [x])


def test_errors_of_devices(any_place, any_dev):
    x = any_place.to(FLOAT16[:3])
    kind = any_dev.machine.array_name
    for call, error, words in (
        (lambda: any_dev.add(x, FLOAT16[:3]), TypeError, f"expected a {kind} or a number"),
        (lambda: any_dev.add(x, [1, 2, 3]), TypeError, "argument 2 (y): expected a"),
        (lambda: any_dev.exp(FLOAT16[:3]), TypeError, "puts an array on the device"),
        (lambda: any_dev.exp(x, out=np.zeros(3, np.float16)), TypeError, f"out: expected a {kind}"),
        (lambda: any_dev.exp(x, out=any_place.to(np.zeros(3, np.float32))), TypeError,
         "exp: out: expected an array of float16, got float32"),
        (lambda: any_dev.exp(x, where=1), TypeError, "exp: where: expected True, False or a"),
        (lambda: any_dev.exp(x, where=np.ones(3, bool), out=x), TypeError, "where: expected True"),
        (lambda: any_dev.exp(x, rounding=np.zeros(3, np.uint8)), ValueError,
         "rounding: expected one mode on a device, got an array"),
        (lambda: any_dev.exp(x, rounding=x), ValueError, "rounding: expected one mode on a device"),
        (lambda: any_dev.add(x, object()), TypeError,
         f"add: argument 2 (y): expected a {kind} or a number, got object"),
        (lambda: pickle.dumps(any_dev), TypeError, "cannot be copied or pickled; use halfcl"),
        (lambda: copy.deepcopy(any_dev.exp), TypeError, "cannot be copied or pickled"),
        (lambda: any_dev.fract(x, out=x), TypeError, "'out' must be a tuple of arrays"),
        (lambda: any_dev.convert_int(any_place.to(np.ones(3, np.float32))), TypeError,
         "convert_int: argument 1 (x): expected an array of float16, got float32"),
        (lambda: any_dev.convert_half(any_place.to(np.ones(3))), TypeError, "got float64"),
        (lambda: any_dev.epx, AttributeError, "epx: no function for devices; did you mean 'exp'?"),
        (lambda: any_dev.sub_rtn, AttributeError, "use sub with rounding='rtn'"),
        (lambda: device.compile(any_place.where, ["exp"]).sin, AttributeError, "not among the"),
        (lambda: device.compile(any_place.where, ["epx"]), ValueError, "did you mean 'exp'"),
        (lambda: device.compile(any_place.where, "exp"), TypeError, "functions: expected names"),
    ):  # fmt: skip
        with pytest.raises(error, match=re.escape(words)):
            call()


@pytest.mark.parametrize("where", [None, 3, "cpu", np.zeros(3), device])
def test_compile_refuses_other_objects(where):
    with pytest.raises(TypeError, match=r"where: expected a pyopencl\.CommandQueue or Context"):
        device.compile(where)


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
def test_arrays_of_other_contexts_are_refused():
    here, there = DEVICES[0], OpenCL(DEVICES[0].cl, DEVICES[0].device)
    dev = device.compile(here.where)
    x = there.to(FLOAT16[:3])
    for call in (lambda: dev.exp(x), lambda: dev.exp(here.to(FLOAT16[:3]), out=x)):
        with pytest.raises(ValueError, match="expected an array in the context of"):
            call()


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
def test_misaligned_arrays_are_refused():
    import pyopencl.array as arrays

    here = DEVICES[0]
    dev = device.compile(here.where, ["exp"])
    buffer = here.cl.Buffer(here.context, here.cl.mem_flags.READ_WRITE, 64)
    odd = arrays.Array(here.queue, (8,), np.float16, data=buffer, offset=3)
    strided = arrays.Array(here.queue, (8,), np.float16, data=buffer, strides=(3,))
    for x in (odd, strided):
        with pytest.raises(ValueError, match="expected an array at multiples of its elements' 2"):
            dev.exp(x)
        with pytest.raises(ValueError, match="exp: out: expected an array at multiples"):
            dev.exp(here.to(FLOAT16[:8]), out=x)


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
def test_context_and_queues():
    """A context gets a queue; arrays of another queue of the context are waited for."""
    here = DEVICES[0]
    dev = device.compile(here.context, ["add"])
    other = here.cl.CommandQueue(here.context)
    x = here.to(FLOAT16[15000:15100]).with_queue(other)
    assert_same([here.back(dev.add(x, x))], [FLOAT16[15000:15100] * np.float16(2)])
    flags = here.cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    dev = device.compile(here.cl.CommandQueue(here.context, properties=flags), ["add"])
    y = dev.add(x, 0)
    for _ in range(50):
        dev.add(y, 1, out=y)
    right = FLOAT16[15000:15100]
    for _ in range(50):
        right = right + np.float16(1)
    assert_same([here.back(y)], [right])


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
def test_memory_of_all_kinds():
    """Try memory of a pool, shared with the host, overlapping sub-buffers, arrays without queue."""
    import pyopencl.array as arrays
    from pyopencl.tools import ImmediateAllocator, MemoryPool, SVMAllocator

    here = DEVICES[0]
    cl, queue = here.cl, here.queue
    dev = device.compile(queue, ["add"])
    x = FLOAT16[15000:16000]
    allocators = [MemoryPool(ImmediateAllocator(queue))]
    if here.device.get_info(cl.device_info.SVM_CAPABILITIES):
        allocators.append(SVMAllocator(here.context, alignment=0, queue=queue))
    for allocator in allocators:
        there = arrays.to_device(queue, x, allocator=allocator)
        assert dev.add(there, 1).allocator is allocator
        dev.add(there, there[::-1], out=there)
        assert_same([here.back(there)], [x + x[::-1]])
    assert_same([dev.add(here.to(x).with_queue(None), 1).get(queue)], [x + np.float16(1)])

    start = here.device.mem_base_addr_align // 8
    buffer = cl.Buffer(here.context, cl.mem_flags.READ_WRITE, 4 * start)
    part = arrays.Array(queue, (start // 2,), np.float16, data=buffer.get_sub_region(start, start))
    whole = arrays.Array(queue, (2 * start,), np.float16, data=buffer)
    right = (np.arange(2 * start) % 2000).astype(np.float16)
    whole.set(right)
    dev.add(whole[: start // 2], 1, out=part)
    right[start // 2 : start] = right[: start // 2] + np.float16(1)
    assert_same([here.back(whole)], [right])


# ---------------------------------------------------------------- compiled once


def test_kernels_are_compiled_once(any_place, monkeypatch):
    """Each kernel is compiled once."""
    dev = device.compile(any_place.where, ["exp", "add", "rint"])
    compiled = []
    build = dev.machine.build
    monkeypatch.setattr(dev.machine, "build", lambda k: (compiled.append(k), build(k))[1])
    x = any_place.to(FLOAT16[:100])
    assert not compiled
    for mode in ("rtp", "rtp", None):
        for _ in range(3):
            dev.exp(x, rounding=mode)
            dev.rint(x, rounding=mode)  # exact: one kernel for all modes
    assert [(k.form.name, k.mode) for k in compiled] == [
        ("exp", "rtp"), ("rint", "rte"), ("exp", "rte"),
    ]  # fmt: skip
    assert dev.exp is dev.exp


def test_threads_compile_kernels_once(place, monkeypatch):
    """Each kernel is compiled once by many threads, and each result is its own."""
    dev = device.compile(place.where, ["exp", "cbrt"])
    compiled = []
    build = dev.machine.build
    monkeypatch.setattr(dev.machine, "build", lambda k: (compiled.append(k), build(k))[1])
    start = threading.Barrier(6)

    def work(k):
        x = np.roll(FLOAT16, 1000 * k)[:3000]
        start.wait()
        for _ in range(20):
            for name in ("exp", "cbrt"):
                check(place, dev, name, x)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert len(compiled) == len(dev.launcher.built) == 2


def test_builds_keep_warning_filters():
    """Building programs concurrently leaves the process's warning filters unchanged."""
    at_once = []

    class Program:
        def __init__(self, context, text):
            pass

        def build(self, options, devices):
            at_once.append(start.wait(0.2))

    start = threading.Barrier(2)
    fake = types.SimpleNamespace(Program=Program, Error=threading.BrokenBarrierError)
    place = types.SimpleNamespace(name="none")
    before = list(warnings.filters)
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(on_opencl._build_program, fake, None, place, "", ()) for _ in range(2)]
    assert all(isinstance(call.exception(), device.DeviceError) for call in calls)
    assert not at_once and warnings.filters == before


def test_names_and_repr(any_place, any_dev):
    small = device.compile(any_place.where, ["exp", "sub", "hc_add"])
    assert small._names == ("add", "subtract", "exp")
    assert repr(small).startswith("<halfcl.device.DeviceFunctions: 3 on ")
    assert repr(any_dev.machine) in repr(any_dev)
    assert {"exp", "add", "convert_half"} <= set(dir(any_dev))
    assert any_dev.sub.__name__ == "subtract"
    assert any_dev.exp.__doc__ == hc.exp.__doc__
    assert "device function 'exp'" in repr(any_dev.exp)


# ---------------------------------------------------------------- devices that are wrong


class RightProber:
    """A device that computes correctly, except one column of one kernel."""

    def __init__(self, kernel="", column=0):
        self._kernel, self._column = kernel, column

    def __call__(self, name, given, out, count):
        out[...] = {
            "hck_floats": lambda: probing._right_floats()[0],
            "hck_quotients": lambda: probing._right_quotients()[0],
            "hck_integers": probing._right_integers,
            "hck_functions": probing._right_halves,
            "hck_widen": lambda: WIDENED,
            "hck_narrow": probing._right_narrow,
        }[name]()
        if name == self._kernel:
            column = out.reshape(count, -1)[:, self._column]
            column[...] = np.roll(column, 1)


def test_probe_finds_wrong_operations():
    assert probing.probe(RightProber(), True) == probing.Verdict("", "", "")
    for kernel, names in (
        ("hck_floats", probing._FLOAT_OPERATIONS),
        ("hck_integers", probing._INTEGER_OPERATIONS),
        ("hck_functions", probing._HALF_OPERATIONS),
    ):
        for k, name in enumerate(names):
            assert probing.probe(RightProber(kernel, k), True).arithmetic == name
    for k, name in enumerate(probing._QUOTIENT_OPERATIONS):
        assert probing.probe(RightProber("hck_quotients", k), True).division == name
    assert probing.probe(RightProber("hck_widen"), True).conversion == "half to float"
    for k in range(4):
        assert probing.probe(RightProber("hck_narrow", k), True).conversion == "float to half"


def test_exact_fma_rounds_once():
    """The fma of the tests is rounded once, where float64 would round twice."""
    a, b, c = (np.array([x], np.float32) for x in (1 + 2.0**-23, 1 + 2.0**-23, 2.0**-60))
    assert probing._exact_fma(a, b, c)[0] == np.float32(1 + 2.0**-22)
    a, b, c = (np.array([x], np.float32) for x in (1 + 2.0**-12, 1 + 2.0**-12, 2.0**-60))
    assert probing._exact_fma(a, b, c)[0] == np.nextafter(np.float32(1 + 2.0**-11), np.float32(2))


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
@pytest.mark.parametrize(("before", "after", "wrong"), [
    ("return fma(a, b, c);", "return a * b + c;", "fused multiplication and addition"),
    ("return a + b;", "return a + b + 0.0f;", "addition"),
    ("rint((float)(x))", "round((float)(x))", "rint"),
    ("mul_hi((ulong)(a), (ulong)(b))", "(ulong)mul_hi((uint)(a), (uint)(b))", "the high word"),
])  # fmt: skip
def test_a_wrong_device_is_refused(before, after, wrong, monkeypatch):
    """Simulate wrong devices by changing the text."""
    right = on_opencl.source

    def other(*arguments, **keywords):
        text = right(*arguments, **keywords)
        assert before in text
        return text.replace(before, after)

    monkeypatch.setattr(on_opencl, "source", other)
    monkeypatch.setattr(on_opencl, "_known", {})
    for _ in range(2):  # tested once, reported each time
        with pytest.raises(device.DeviceError, match=wrong) as caught:
            device.compile(DEVICES[0].where)
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
def test_wrong_conversions_are_not_used(monkeypatch):
    """A device whose own conversions are wrong is used without them."""
    if "cl_khr_fp16" not in DEVICES[0].device.extensions.split():
        pytest.skip("the device has no cl_khr_fp16")
    right = on_opencl.source
    monkeypatch.setattr(on_opencl, "source", lambda *a, **k: right(*a, **k).replace(
        "half nearest = (half)v", "half nearest = convert_half_rtz(v)"))  # fmt: skip
    monkeypatch.setattr(on_opencl, "_known", {})
    dev = device.compile(DEVICES[0].where)
    assert not any("CONVERSION" in option for option in dev.machine._options)
    check(DEVICES[0], dev, "exp", EVERY)


class Claims:
    """A device's properties."""

    name, extensions, profile, compiler_available = "weak", "", "FULL_PROFILE", True
    single_fp_config = 0b110


@pytest.mark.parametrize(("claim", "value", "words"), [
    ("compiler_available", False, "a compiler"),
    ("single_fp_config", 0b010, "rounding to nearest in float32"),
    ("single_fp_config", 0b100, "infinities and NaN in float32"),
    ("profile", "EMBEDDED_PROFILE", "integers of 64 bits"),
])  # fmt: skip
def test_devices_that_lack_features_are_refused(claim, value, words):
    weak = Claims()
    on_opencl._check_claims(weak)
    setattr(weak, claim, value)
    with pytest.raises(device.DeviceError, match=f"weak: expected {words}, got none"):
        on_opencl._check_claims(weak)


# ---------------------------------------------------------------- kernels' texts; the audit


def test_launch_sizes_beyond_32_bits():
    """Numbers of blocks and elements do not wrap beyond 2^32 elements."""
    launched = []
    machine = object.__new__(on_cuda.CudaMachine)
    machine._device, machine._stream = types.SimpleNamespace(
        __enter__=None), None  # fmt: skip
    machine.current = lambda: threading.Lock()
    machine._look_up_in_shared_memory = None  # as on a device without room for a table
    (form,) = select_forms(["exp"])
    for wide in (False, True):
        kernel = Kernel(form, "rte", (ARRAY,), 0, wide)
        machine.run(lambda *a: launched.append(a), kernel, 2**34 + 1, [None], [None])
        ((blocks,), (threads,), (count, *_)) = launched.pop()
        assert count == 2**34 + 1 and count.dtype == np.uint64 and blocks < 2**31
        assert blocks * threads * (8 if wide else 1) >= 2**34 + 1
        for dialect in DIALECTS.values():
            assert f"{dialect.types['Q']} i = " in kernel_text(kernel, dialect)


def test_kernels_with_number_operands():
    """A number is passed by value; an array of one element is read by all work-items."""
    (form,) = select_forms(["fma"])
    kernel = Kernel(form, "rtp", (ARRAY, NUMBER, ONE))
    for dialect in DIALECTS.values():
        assert "hc_fma_rtp(x[i], HCI_HALF(y), z[0])" in kernel_text(kernel, dialect)


def test_dot_in_regions(place, dev):
    """dot rounds as a builtin in regions, unlike NumPy's."""
    x = FLOAT16[15000:15030].reshape(10, 3)
    for builtins in (False, True):
        with hc.rounding("rtp", builtins=builtins):
            check(place, dev, "dot", x, x[0])


def test_host_has_every_function():
    for name in compiling._host_names():
        assert isinstance(getattr(hc, name), hc._core.Function)
    assert {"exp", "add", "fma", "convert_half", "isless"} <= set(compiling._host_names())


@pytest.mark.skipif(not DEVICES, reason=WHY_NOT)
def test_audit():
    names = ["exp_rtp", "convert_half", "frexp"]
    report = audit.run("device:opencl", names)
    assert not report.failed and not report.unsupported
    assert {f.wrong for f in report.functions} == {0}
    assert {f.rounding for f in report.functions if f.name == "convert_half(float)"} == {"rte"}
    labels = {f.label for f in report.functions}
    assert "exp_rtp" in labels


@pytest.mark.parametrize("target", ["device", "device:metal"])
def test_audit_refuses_unknown_targets(target):
    with pytest.raises(audit.TargetError, match="expected device:opencl, device:opencl:platform"):
        audit.run(target, ["exp"])
