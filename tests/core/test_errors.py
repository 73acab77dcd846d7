"""Bad input raises a clear error that names the argument and what is allowed."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from exhaustive import in_turn, more

import halfcl as hc
from halfcl import _core, half

A = np.array([1, 2, 3], half)
FUNCTIONS = {"add": 2, "subtract": 2, "multiply": 2, "divide": 2, "negative": 1, "fabs": 1}
FUNCTIONS |= {"sqrt": 1, "fma": 3, "mad": 3}


def is_unchanged(out):
    return (np.asarray(out) == 7).all()


# ------------------------------------------------------------------ modes


def enter(mode):
    with hc.rounding(mode):
        pass


TAKE_A_MODE = {
    "call": lambda mode: hc.add(A, A, rounding=mode),
    "call exact": lambda mode: hc.negative(A, rounding=mode),
    "reduce": lambda mode: hc.add.reduce(A, rounding=mode),
    "region": enter,
    "decorator": lambda mode: hc.rounding(mode)(lambda: 0),
    "half": lambda mode: half(0.1, rounding=mode),
    "half of an array": lambda mode: half([0.1], rounding=mode),
    "convert": lambda mode: hc.convert(A, np.int32, rounding=mode),
    "convert to half": lambda mode: hc.convert([0.1], half, rounding=mode),
    "convert_int": lambda mode: hc.convert_int(A, rounding=mode),
    "convert_half4": lambda mode: hc.convert_half4(np.ones(4), rounding=mode),
    "parse": lambda mode: hc.parse("0.1", rounding=mode),
    "parse array": lambda mode: hc.parse(["0.1"], rounding=mode),
}


@pytest.mark.parametrize("take", TAKE_A_MODE.values(), ids=TAKE_A_MODE)
def test_unknown_mode(take):
    for bad in ("rt", "RTE", "up", "", 0, b"rte", ["rtp"], ("rte", "rtz"), True):
        with pytest.raises(ValueError, match=r"rte.*rtz.*rtp.*rtn") as error:
            take(bad)
        assert repr(bad) in str(error.value)
        assert hc.get_rounding() == "rte", bad


def test_region_needs_a_mode():
    with pytest.raises(ValueError, match=r"rte.*rtz.*rtp.*rtn.*None"):
        hc.rounding(None)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_unknown_mode_writes_nothing(name):
    out = np.full(3, half(7))
    with pytest.raises(ValueError, match="'rtx'"):
        getattr(hc, name)(*[A] * FUNCTIONS[name], out=out, rounding="rtx")
    assert is_unchanged(out)


# ------------------------------------------------------------------ dtypes

LOSSY = ["h", "H", "i", "I", "q", "Q", "f", "d", "g", "F", "D"]
ALIEN = ["S3", "U3", "O", "M8[s]", "m8[s]"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lossy_dtypes(name):
    """At any argument, the error names the function, the dtype and the remedy."""
    for letter, place in itertools.product(LOSSY, range(FUNCTIONS[name])):
        bad = np.ones(3, letter)
        args = [A] * FUNCTIONS[name]
        args[place] = bad
        for modes in ({}, {"rounding": "rtp"}):
            out = np.full(3, half(7))
            with pytest.raises(TypeError, match=r"halfcl\.convert") as error:
                getattr(hc, name)(*args, out=out, **modes)
            assert name in str(error.value) and bad.dtype.type.__name__ in str(error.value)
            assert "half, float16, bool, int8 or uint8" in str(error.value)
            assert is_unchanged(out)


@pytest.mark.parametrize("letter", ALIEN)
@pytest.mark.parametrize("name", ["add", "sqrt", "fma"])
def test_alien_dtypes(name, letter):
    bad = np.array([1, 2, 3]).astype(letter)
    with pytest.raises(TypeError, match=name):
        getattr(hc, name)(*[bad] * FUNCTIONS[name])


@pytest.mark.parametrize(
    "bad",
    [np.float32(1), np.int64(1), np.float64(1), [np.float64(1.5), 2], [np.zeros(2)], [1, 2j],
     [1.5, "2"], [1, None], 1j, "1", None, {}],
)  # fmt: skip
def test_lossy_scalars_and_lists(bad):
    with pytest.raises(TypeError):
        hc.sqrt(bad)
    with pytest.raises(TypeError):
        hc.add(A[:2], bad)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 6])
def test_number_of_arguments(name, count):
    if count in (FUNCTIONS[name], FUNCTIONS[name] + 1):
        return  # one more is `out`
    with pytest.raises(TypeError):
        getattr(hc, name)(*[A] * count)


def test_unknown_keyword():
    with pytest.raises(TypeError, match="round_to"):
        hc.add(A, A, round_to="rtp")
    with pytest.raises(AttributeError, match="no attribute 'ad'"):
        hc.ad  # noqa: B018


# ------------------------------------------------------------------ out


@in_turn
@pytest.mark.parametrize("letter", ["b", "h", "i", "q", "?", "e"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_out_of_the_wrong_dtype(name, letter):
    out = np.full(3, 7, letter)
    if letter == "e":
        getattr(hc, name)(*[A.view(np.float16)] * FUNCTIONS[name], out=out)
        assert not is_unchanged(out)
        return
    before = out.copy()
    with pytest.raises(TypeError, match=name) as error:
        getattr(hc, name)(*[A] * FUNCTIONS[name], out=out)
    assert out.dtype.name in str(error.value) and (out == before).all()


@in_turn
@pytest.mark.parametrize("shape", [(2,), (4,), (3, 1), (0,), ()])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_out_of_the_wrong_shape(name, shape):
    out = np.full(shape, half(7))
    with pytest.raises(ValueError, match=r"\(3,\)|broadcast"):
        getattr(hc, name)(*[A] * FUNCTIONS[name], out=out)
    assert is_unchanged(out)


def test_out_must_be_an_array():
    for bad in ([0, 0, 0], half(1), "out", 3):
        with pytest.raises(TypeError):
            hc.add(A, A, out=bad)


def test_read_only_out_is_refused():
    out = np.full(3, half(7))
    out.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        hc.add(A, A, out=out)
    assert is_unchanged(out)


def test_shapes_must_broadcast():
    out = np.full(3, half(7))
    with pytest.raises(ValueError, match=r"\(3,\) \(2,\)"):
        hc.add(A, A[:2], out=out)
    assert is_unchanged(out)


def test_errstate_raise():
    out = np.full(3, half(7))
    for name, args in {"add": (A * 20000, A * 20000), "divide": (A, A * 0), "sqrt": (-A,)}.items():
        with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=name):
            getattr(hc, name)(*args, out=out)


# ------------------------------------------------------------------ conversions


@pytest.mark.parametrize("width", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (4, 1), (16, 7), (0,)])
def test_width_must_match(width, shape):
    for name, x in {
        f"convert_half{width}": np.ones(shape),
        f"convert_int{width}": np.ones(shape, half),
        f"convert_char{width}_sat_rtp": np.ones(shape, half),
        f"as_ushort{width}": np.ones(shape, half),
    }.items():
        with pytest.raises(ValueError, match=name) as error:
            getattr(hc, name)(x)
        assert f"length {width}" in str(error.value) and str(shape) in str(error.value)


def test_width_writes_nothing():
    out = np.full(3, 7, np.int32)
    with pytest.raises(ValueError, match="length 4"):
        hc.convert_int4(A, out=out)
    assert is_unchanged(out)


@pytest.mark.parametrize("target", ["half", "float", "double", half, np.float16, np.float32, "f8"])
def test_saturation_of_floats(target):
    with pytest.raises(ValueError, match=r"saturate.*integer types") as error:
        hc.convert(A, target, saturate=True)
    assert "got" in str(error.value)


@pytest.mark.parametrize(
    "name", ["convert_half_sat", "convert_float4_sat", "convert_int5", "convert_int_rtx", "as_bool",
             "convert_longlong", "convert_", "convert_half16_sat_rte", "as_half5"],
)  # fmt: skip
def test_names_missing_from_opencl_are_refused(name):
    with pytest.raises(AttributeError, match=name):
        getattr(hc, name)
    assert name not in dir(hc)


@pytest.mark.parametrize("bad", ["int128", "quad", object, "U3", np.complex64, 3, bool])
def test_unknown_target(bad):
    with pytest.raises(TypeError, match="char, uchar, short") as error:
        hc.convert(A, bad)
    assert repr(bad) in str(error.value)


@pytest.mark.parametrize("source", ["F", "U1", "S1", "M8[s]", "V2"])
def test_conversion_of_complex_numbers_is_refused(source):
    x = np.zeros(3, source)
    with pytest.raises(TypeError, match="real numbers") as error:
        hc.convert(x, np.int8)
    assert str(x.dtype) in str(error.value)


@pytest.mark.parametrize("source", ["f", "d", "i", "q"])
def test_bits_of_another_size_are_refused(source):
    x = np.ones(5).astype(source)
    with pytest.raises(TypeError, match=r"as_short: argument x: .*float16") as error:
        hc.as_short(x)
    assert str(x.dtype) in str(error.value)


@pytest.mark.parametrize("source", ["F", "D", "M8[s]", "m8[s]", "V2"])
def test_conversion_of_non_numbers_is_refused(source):
    with pytest.raises(TypeError, match="to half"):
        hc.convert(np.zeros(3, source), half)


@pytest.mark.parametrize(
    "bad", ["", " ", "1.5.2", "0x", "1e", "abc", "1.5f", "h", "--1", "0x1g", "1h5"]
)
def test_text_must_be_a_literal(bad):
    for read in (half, hc.parse, lambda s: hc.parse(["1", s]), lambda s: np.array([s], half)):
        with pytest.raises(ValueError, match="half") as error:
            read(bad)
        assert repr(bad) in str(error.value)


@pytest.mark.parametrize("bad", [1.5, None, [1.5], [["1"], 2], A])
def test_parsing_non_text_is_refused(bad):
    with pytest.raises((TypeError, ValueError), match=r"str|inhomogeneous"):
        hc.parse(bad)


# ------------------------------------------------------------------ methods of other objects


@in_turn
@pytest.mark.once
@pytest.mark.parametrize("stranger", [5, "abc", None, np.add, half(1), A, object()])
@pytest.mark.parametrize(
    "method",
    [
        *(getattr(hc.Function, m) for m in ("reduce", "accumulate", "reduceat", "outer", "at")),
        hc.Function.__reduce__, hc.Function.__repr__, hc.rounding.__enter__, hc.rounding.__exit__,
        hc.rounding.__reduce__, _core.Experiment.__enter__, _core.Experiment.__exit__,
        half.__reduce__, half.__add__, half.__rtruediv__,
    ],
)  # fmt: skip
def test_methods_of_other_objects(method, stranger):
    if isinstance(stranger, half) and method.__name__ in ("__add__", "__rtruediv__", "__reduce__"):
        return  # its own, where that is half's
    with pytest.raises(TypeError):
        method(stranger, A)
    with pytest.raises(TypeError):
        method(stranger)


# ------------------------------------------------------------------ what no user calls

ADD = ("x", "", "rte", [("add", "ee>e")])
LENGTH, DOT = ([(f"vectors_{name}", types)] for name, types in (("length", "e>e"), ("dot", "ee>e")))
PAIRS = "(n),(n)->()"
WITHIN = [
    ("neutral", lambda: _core.make_ufunc(*ADD, reduce="add_reduce", identity=0, neutral=(0,))),
    ("neutral", lambda: _core.make_ufunc(*ADD, reduce="add_reduce", neutral=(0, 0, 0, 0.1))),
    ("identity", lambda: _core.make_ufunc(*ADD, identity=1e9)),
    ("signature", lambda: _core.make_ufunc("x", "", "rte", LENGTH, signature="()->()")),
    ("signature", lambda: _core.make_ufunc("x", "", "rte", LENGTH, signature="(n)->(n)")),
    ("signature", lambda: _core.make_ufunc("x", "", "rte", DOT, signature="(n),(m)->()")),
    ("signature", lambda: _core.extend_numpy_ufunc(np.gcd, DOT, "exact", signature=PAIRS)),
    ("kernels", lambda: _core.extend_numpy_ufunc(np.exp, ADD[3], "operator")),
    ("governed", lambda: _core.extend_numpy_ufunc(np.add, ADD[3], "zzz")),
    ("offsets", lambda: _core.are_consecutive(None)),
    ("offsets", lambda: _core.are_consecutive(np.ones(3, np.int8))),
    ("offsets", lambda: _core.are_consecutive(np.ones(9, np.intp)[::2])),
]  # fmt: skip


@pytest.mark.once
@pytest.mark.parametrize(("argument", "call"), WITHIN)
def test_arguments_of_the_extension_module(argument, call):
    with pytest.raises((ValueError, TypeError), match=argument):
        call()


# ------------------------------------------------------------------ instruction sets


def start(isa):
    environment = {**os.environ, "HALFCL_ISA": isa, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = "import halfcl as hc; print(hc.processor_info()['isa'], hc.add(hc.half(1), 1))"
    return subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("isa", ["AVX2", "portable2", *more("sse9", "neon ")])
def test_unavailable_instruction_set(isa):
    result = start(isa)
    assert result.returncode == 1
    assert f"ImportError: HALFCL_ISA={isa!r}" in result.stderr
    for available in hc.processor_info()["available"]:
        assert available in result.stderr.splitlines()[-1]


@pytest.mark.parametrize("isa", ["portable", "", *more(*hc.processor_info()["available"][1:])])
def test_available_instruction_set(isa):
    result = start(isa)
    assert result.stdout.split() == [isa or hc.processor_info()["available"][-1], "2.0"], (
        result.stderr
    )
