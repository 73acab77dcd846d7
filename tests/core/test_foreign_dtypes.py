"""Dtypes that are neither halfcl's nor what a kernel computes with: refused, or converted by
NumPy, and never taken for what their letter says."""

import ml_dtypes
import numpy as np
import pytest

import halfcl as hc

# A letter of NumPy's own types: int1 has that of float16.
FOREIGN = [ml_dtypes.int1, ml_dtypes.int4, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3]
N = 5000


def halves() -> np.ndarray:
    return np.ones(N, hc.half)


def test_one_of_them_has_the_letter_of_half():
    assert np.dtype(ml_dtypes.int1).char == np.dtype(hc.half).char


@pytest.mark.parametrize("dtype", FOREIGN)
@pytest.mark.parametrize("call", [hc.sqrt, hc.convert_float, hc.isnan, hc.frexp])
def test_foreign_outputs_are_refused_or_cast(call, dtype):
    """One byte an element: two a result would write beyond the end."""
    memory = np.zeros(2 * N, dtype)
    out = memory[:N]
    outs = (out, np.zeros(N, np.int32)) if call.nout == 2 else out
    try:
        call(halves(), out=outs)
    except TypeError:
        assert not memory.astype(np.float32).any()
    else:
        expected = call(halves())
        expected = expected[0] if call.nout == 2 else expected
        assert np.array_equal(out.astype(np.float32), expected.astype(dtype).astype(np.float32))
        assert not memory[N:].astype(np.float32).any()


def test_outputs_of_int1_are_what_casts_of_float16_give():
    x, out = halves(), np.zeros(N, ml_dtypes.int1)
    for function in (hc.sqrt, hc.normalize):
        with np.errstate(all="ignore"):
            right = np.asarray(function(x)).view(np.float16).astype(ml_dtypes.int1)
            function(x, out=out)
        assert out.astype(np.int8).tolist() == right.astype(np.int8).tolist()


@pytest.mark.parametrize("dtype", [*FOREIGN, np.complex64, np.complex128, "M8[s]"])
@pytest.mark.parametrize(
    "call", [hc.sqrt, hc.length, hc.convert_int, hc.convert_half, lambda x: hc.add(halves(), x)]
)
def test_foreign_inputs_are_refused(call, dtype):
    with pytest.raises(TypeError):
        call(np.ones(N).astype(dtype))


@pytest.mark.parametrize("dtype", FOREIGN)
def test_foreign_buffers_are_refused(dtype):
    p = np.zeros(100, dtype)
    with pytest.raises(TypeError, match="argument p"):
        hc.vload_half4(0, p)
    with pytest.raises(TypeError, match="argument p"):
        hc.vstore_half4(np.ones(4, np.float32), 0, p)


@pytest.mark.parametrize("name", ["vload_half", "vload_half4", "vloada_half4"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_loads_are_refused(name, dtype):
    p = np.ones(64, hc.half)
    out = np.full((4,) if name.endswith("4") else (), 5 + 7j, dtype)
    with pytest.raises(TypeError, match="argument out"):
        getattr(hc, name)(0, p, out=out)
    assert (out == 5 + 7j).all()


@pytest.mark.parametrize("name", ["vstore_half", "vstore_half4", "vstorea_half4_rtz"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_stores_are_refused(name, dtype):
    p = np.zeros(64, hc.half)
    with pytest.raises(TypeError, match="argument data"):
        getattr(hc, name)(np.full(4, 1 + 2j, dtype), 0, p)
    assert not p.any()


@pytest.mark.parametrize("name", ["sqrt", "convert_float", "convert_double", "length"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_outputs_are_whole(name, dtype):
    """NumPy converts a real result to complex: the imaginary parts are written, too."""
    function = getattr(hc, name)
    expected = function(halves())
    out = np.full(np.shape(expected), 5 + 7j, dtype)
    function(halves(), out=out)
    assert (out == expected.astype(dtype)).all()


def test_casts_between_half_and_complex():
    a = np.array([1.5, -2, np.inf], hc.half)
    for dtype in (np.complex64, np.complex128):
        out = np.full(2 * len(a), 5 + 7j, dtype)[::2]
        out[...] = a
        assert (out == [1.5, -2, np.inf]).all() and not out.imag.any()
        with pytest.warns(np.exceptions.ComplexWarning):
            back = (out + 3j)[::-1].astype(hc.half)
        assert back.tolist() == [np.inf, -2, 1.5]


@pytest.mark.parametrize("letter", "lLqQ")
def test_both_integers_of_64_bits(letter):
    """NumPy has two types of them, that differ in their letters and numbers alone."""
    numbers = np.array([1, 2, 10]).astype(letter)
    assert hc.convert_half(numbers).tolist() == [1, 2, 10]
    out = np.zeros(3, letter)
    name = hc.convert_long if np.dtype(letter).kind == "i" else hc.convert_ulong
    assert name(np.array([1, 2, 10], hc.half), out=out) is out
    assert out.tolist() == [1, 2, 10]
    assert np.ldexp(np.ones(3, hc.half), numbers.astype("l")).tolist() == [2, 4, 1024]
