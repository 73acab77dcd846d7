"""Tests of errors of halfcl's functions, and of their attributes."""

import numpy as np
import pytest

import halfcl as hc
from halfcl import half

A = np.array([1, 2], half)
SINGLES = np.array([1, 2], np.float32)
HALVES = "expected half, float16, bool, int8 or uint8"

#: Calls, and the beginnings of their errors.
REFUSED = [
    (lambda: hc.add(A, SINGLES), rf"add: argument 2 \(y\): {HALVES}, got float32; halfcl\.convert"),
    (lambda: hc.add(A, SINGLES, rounding="rtp"), rf"add: argument 2 \(y\): {HALVES}, got float32"),
    (lambda: hc.fma(A, A, SINGLES), rf"fma: argument 3 \(c\): {HALVES}, got float32"),
    (lambda: hc.dot(A, SINGLES), rf"dot: argument 2 \(y\): {HALVES}, got float32"),
    (lambda: hc.pown(A, A), r"pown: argument 2 \(y\): expected int32 .*, got half; x\.astype"),
    (lambda: hc.sqrt([np.float64(2)]), rf"sqrt: argument 1 \(x\): {HALVES}, got float64; halfcl"),
    (lambda: hc.add(A, None), rf"add: argument 2 \(y\): {HALVES}, got object_; .*None"),
    (lambda: hc.add(A, "x"), rf"add: argument 2 \(y\): {HALVES}, got str_; halfcl\.parse"),
    (lambda: hc.exp(1j), rf"exp: argument 1 \(x\): {HALVES}, got complex128; .*x\.real"),
    (lambda: hc.exp(np.datetime64("2020")), rf"exp: argument 1 \(x\): {HALVES}, got datetime64; "),
    (lambda: hc.exp_rtn(0.5), rf"exp_rtn: argument 1: {HALVES}, got float64; halfcl\.convert"),
    (lambda: hc.exp.rtn(SINGLES), rf"exp_rtn: argument 1: {HALVES}, got float32"),
    (lambda: hc.exp(A, dtype=np.float32), r"exp: dtype, signature: expected half, the arguments' "
     r"type, got float32; halfcl\.convert\(result, numpy\.float32\)"),
    (lambda: hc.add(A, A, dtype=np.float64), r"add: dtype, signature: .* got float64"),
    (lambda: hc.add(A), r"add\(\) takes from 2 to 3 positional arguments but 1 (was|were) given"),
    (lambda: hc.add(A, A, A, A), r"add\(\) takes from 2 to 3 positional arguments but 4 were"),
    (lambda: hc.exp(A, foo=1), r"exp\(\) got an unexpected keyword argument 'foo'"),
    (lambda: hc.exp(A, out=np.zeros(2, int)),  # NumPy 2.0 also names half float16
     r"Cannot cast ufunc 'exp' output .*(half|float16).*int64"),
    (lambda: hc.add.reduce(SINGLES), rf"add\.reduce: argument 1: {HALVES}, got float32"),
    (lambda: hc.add.outer(A, SINGLES), rf"add\.outer: argument 2: {HALVES}, got float32"),
    (lambda: hc.add.at(SINGLES, [0], 1), rf"add\.at: argument 1: {HALVES}, got float32"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_errors_name_function_and_argument(call, message):
    with pytest.raises(TypeError, match=f"^{message}") as caught:
        call()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_attributes_of_functions():
    assert hc.add.types == ["ee->e"] and hc.frexp.types == ["e->ei"] and hc.sqrt.types == ["e->e"]
    assert hc.add.nargs == 3 and hc.frexp.nargs == 3
    assert hc.add.identity == 0 and type(hc.add.identity) is half and hc.exp.identity is None
    assert hc.add.signature is None and hc.dot.signature == "(n),(n)->()"
    assert hc.add.reduceat(A, [0, 1]).tolist() == [1, 2]


def test_dtype_and_signature():
    for a in (A, A.view(np.float16)):
        assert hc.exp(a, dtype=a.dtype).dtype == hc.add(a, a, dtype=a.dtype).dtype == a.dtype
    with pytest.raises(TypeError, match="expected half, the arguments' type, got float16"):
        hc.exp(A, dtype=np.float16)
    assert hc.exp(A, signature="e->e").dtype == np.float16  # NumPy's letter
    assert hc.exp(A, signature=(half, half)).dtype == np.dtype(half)


def test_comparison_of_vectors_is_not_a_mask():
    """Check that a comparison of vectors, OpenCL's -1 and 0, indexes plain arrays as integers."""
    v = hc.half4(1, 2, 3, 4)
    plain = np.arange(4)
    assert (v > 2).tolist() == [0, 0, -1, -1] and plain[v > 2].tolist() == [0, 0, 3, 3]
    assert plain[(v > 2) != 0].tolist() == [0, 0, 3, 3]
    assert plain[np.asarray(v) > 2].tolist() == [2, 3]
    assert (
        np.isclose(v, np.asarray(v)).tolist() == [True] * 4
    )  # NumPy's function returns a plain array
    assert plain[np.isclose(v, 2)].tolist() == [1]
    w = hc.half4(1, np.nan, np.inf, -1)
    assert np.isclose(w, w).tolist() == [True, False, True, True]
    assert np.isclose(w, w, equal_nan=True).all()
    assert np.isclose(w, hc.half4(1, 2, np.inf, 1)).tolist() == [True, False, True, False]


def test_spacing_of_negative_numbers():
    """Check that spacing is float16's, never negative, unlike that of other types."""
    x = half([1, -1, 2, -2, 0, -0.0, 6e-8, -65504])
    assert np.spacing(x).tolist() == np.spacing(x.view(np.float16)).tolist()
    assert np.spacing(half(-1)) == half(2.0**-11) and np.spacing(np.float32(-1)) < 0
    assert np.spacing(half(-1)) == hc.nextup(half(-1)) - half(-1)


def test_float_power():
    """Check that float_power returns float64, as for float16; power returns half."""
    for t in (half, np.float16):
        assert np.float_power(t(2), t(3)).dtype == np.float64
        assert np.float_power(np.array([2], t), 0.5).dtype == np.float64
        assert np.power(t(2), t(3)).dtype == np.dtype(t)
