"""PyTorch's gradients of reductions and products, compared with exact arithmetic."""

import numpy as np
import pytest
from exact_numbers import rounded_to_odd

import halfcl as hc

torch = pytest.importorskip("torch", reason="needs PyTorch, and HALFCL_TEST_DEVICES=1")
gmpy2 = pytest.importorskip("gmpy2", reason="gmpy2 is not installed")

from gmpy2 import mpq  # noqa: E402

from halfcl.arrays._torch import reductions  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(7)


def leaf(x):
    return torch.from_numpy(np.array(x)).requires_grad_()


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float16)


def random_halves(*shape):
    bits = RNG.integers(0, 0x7C00, shape) | RNG.integers(0, 2, shape) << 15
    return bits.astype(np.uint16).view(np.float16)


def as_rationals(x):
    """Return an array as one of rational numbers."""
    return np.vectorize(lambda v: mpq(float(v)), otypes=[object])(x)


def round_exact(exact, mode):
    """Round exact numbers to halves."""
    with gmpy2.context(precision=400, emin=-4000, emax=4000):
        wide = np.array([rounded_to_odd(v) for v in np.ravel(exact)]).reshape(np.shape(exact))
    with np.errstate(all="ignore"):
        return np.asarray(hc.convert(wide, np.float16, rounding=mode))


def check_rounded(got, exact, mode):
    right = round_exact(exact, mode)
    got = got.numpy()
    wrong = got != right  # zeros of either sign are one
    assert got.shape == right.shape and not wrong.any(), (got[wrong][:5], right[wrong][:5])


def root(x):
    """Return square roots with 400 bits; exact where they are rational."""

    def one(v):
        n, d = gmpy2.numer(v), gmpy2.denom(v)
        if gmpy2.is_square(n) and gmpy2.is_square(d):
            return mpq(gmpy2.isqrt(n), gmpy2.isqrt(d))
        with gmpy2.context(precision=400):
            return mpq(gmpy2.sqrt(gmpy2.mpfr(v)))

    return np.vectorize(one, otypes=[object])(x)


def exact_gradient(name, x, g, axis, n, ddof, mask):
    """Return the incoming gradient times the exact derivative."""
    zero = mpq(0)
    counted = np.where(mask, x, zero)
    if name == "sum":
        return g + zero * x
    if name == "mean":
        return g / n + zero * x
    if name == "sumsq":
        return 2 * g * x
    if name == "norm":
        return g * x / root((counted * counted).sum(axis=axis, keepdims=True))
    mean = counted.sum(axis=axis, keepdims=True) / n
    deviations = x - mean
    if name == "var":
        return 2 * g * deviations / (n - ddof)
    variance = np.where(mask, deviations * deviations, zero).sum(axis=axis, keepdims=True) / (
        n - ddof
    )
    return g * deviations / ((n - ddof) * root(variance))


@pytest.mark.parametrize("name", ["sum", "mean", "var", "std", "sumsq", "norm"])
def test_gradients_of_reductions(name):
    """Try axes, keepdims, masks and modes."""
    for trial, mode in enumerate(hc.MODES * 3):
        x = (random_halves if name in ("sum", "mean") or trial > 8 else normal)(5, 3, 7)
        axis = (None, 0, (0, 2), -1)[trial // 3]
        mask = RNG.random((5, 1, 7)) < 0.8 if trial % 3 == 1 else np.ones((5, 1, 7), bool)
        if axis == -1 or axis == (0, 2):
            mask[:, :, :2] = True
        if axis == 0:
            mask[:2] = True
        keywords = {"axis": axis, "rounding": mode, "keepdims": trial % 2 == 0}
        if name in ("var", "std"):
            keywords["ddof"] = trial % 2
        if not mask.all():
            keywords["where"] = torch.from_numpy(mask)
        t = leaf(x)
        result = getattr(hc, name)(t, **keywords)
        assert result.requires_grad and result.dtype == torch.float16
        plain = getattr(hc, name)(t.detach(), **keywords)
        assert np.array_equal(result.detach().numpy(), plain.numpy(), equal_nan=True)
        g = normal(*result.shape)
        result.backward(torch.from_numpy(np.asarray(g)))
        axes = tuple(range(3)) if axis is None else axis
        wide = as_rationals(g).reshape(np.sum(x, axis=axes, keepdims=True).shape)
        every = np.broadcast_to(mask, x.shape)
        n = as_rationals(every.sum(axis=axes, keepdims=True))
        exact = exact_gradient(name, as_rationals(x), wide, axes, n, keywords.get("ddof", 0), every)
        check_rounded(t.grad, np.where(every, exact, mpq(0)), mode)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gradients_of_wider_results(dtype):
    """Round wider gradients once, among them numbers next to a tie between halves."""
    tie = 1 + 2.0**-11
    for mode in hc.MODES:
        for number in (tie, np.nextafter(tie, 2, dtype=np.float64), 3 * tie, 0.1, 65519.996):
            x = leaf(np.ones((2, 3), np.float16))
            g = torch.full((2,), number, dtype=dtype)
            hc.mean(x, axis=1, dtype=dtype, rounding=mode).backward(g)
            check_rounded(
                x.grad, np.broadcast_to(as_rationals(g.numpy())[:, None] / 3, (2, 3)), mode
            )
            x.grad = None
            hc.sum(x, axis=1, dtype=dtype, rounding=mode).backward(g)
            check_rounded(x.grad, np.broadcast_to(as_rationals(g.numpy())[:, None], (2, 3)), mode)
            x.grad = None
            hc.sumsq(x, axis=1, dtype=dtype, rounding=mode).backward(g)
            check_rounded(
                x.grad, np.broadcast_to(2 * as_rationals(g.numpy())[:, None], (2, 3)), mode
            )
        third = torch.full((), 1 / 3, dtype=dtype)  # three times that is not one
        x, y = leaf(np.full(2, 3, np.float16)), leaf(np.full(2, 1.5, np.float16))
        hc.sumsq(y, dtype=dtype, rounding=mode).backward(third)
        check_rounded(y.grad, np.broadcast_to(3 * as_rationals(third.numpy()), 2), mode)
        hc.vdot(x, y.detach(), dtype=dtype, rounding=mode).backward(2 * third)
        check_rounded(x.grad, np.broadcast_to(3 * as_rationals(third.numpy()), 2), mode)


def test_quotients_round_to_odd():
    """Compare quotients and products of doubles, rounded to odd, with rational numbers."""
    g, far, n = (torch.from_numpy(v) for v in (
        RNG.normal(size=300), RNG.normal(size=300), RNG.integers(1, 1 << 40, 300).astype(float)
    ))  # fmt: skip
    product = reductions._two_product(g, far)
    got = reductions._quotient(*product, n).tolist()
    for one, a, b, c in zip(got, *map(torch.Tensor.tolist, (g, far, n)), strict=True):
        with gmpy2.context(precision=400):
            assert one == rounded_to_odd(mpq(a) * mpq(b) / mpq(c))


@pytest.mark.parametrize(
    ("one", "other", "axis"),
    [((4, 5), (4, 5), None), ((4, 5), (4, 5), 1), ((4, 5), (5,), 0), ((4, 1), (3, 1, 5), (0, 2)),
     ((4, 5), (), None), ((2, 4, 5), (4, 1), 1)],
)  # fmt: skip
def test_gradients_of_vdot(one, other, axis):
    """Gradients are summed exactly where an operand was broadcast."""
    for mode in hc.MODES:
        x, y = random_halves(*one), normal(*other)
        shape = np.broadcast_shapes(one, other)
        s, t = leaf(x), leaf(y)
        result = hc.vdot(s, t, axis=axis, rounding=mode)
        g = normal(*result.shape)
        result.backward(torch.from_numpy(np.asarray(g)))
        axes = tuple(range(len(shape))) if axis is None else axis
        wide = as_rationals(g).reshape(np.sum(np.empty(shape), axis=axes, keepdims=True).shape)
        for leaf_, factor in ((s, y), (t, x)):
            exact = np.broadcast_to(wide * np.broadcast_to(as_rationals(factor), shape), shape)
            check_rounded(leaf_.grad, sum_to_shape(exact, leaf_.shape), mode)


def sum_to_shape(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    lacked = tuple(k for k, n in enumerate(shape) if n == 1 and np.shape(x)[k] > 1)
    return np.asarray(np.sum(x, axis=lacked, keepdims=True), object).reshape(shape)


def test_gradient_of_vdot_with_a_number():
    """A number as an operand needs no gradient."""
    x = leaf(normal(9))
    hc.vdot(x, 0.1).backward()
    assert (x.grad == torch.tensor(0.1, dtype=torch.half)).all()


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_gradients_of_cumsum(axis):
    for mode in hc.MODES:
        x = leaf(normal(4, 6))
        result = hc.cumsum(x, axis=axis, rounding=mode)
        g = random_halves(*result.shape)
        result.backward(torch.from_numpy(g))
        along = 0 if axis is None else axis
        exact = np.flip(np.cumsum(np.flip(as_rationals(g), along), along), along)
        check_rounded(x.grad, exact.reshape(4, 6), mode)
        x.grad = None
        hc.cumsum(x, axis=axis, dtype=torch.float32, rounding=mode).sum().backward()
        n = x.numel() if axis is None else x.shape[axis]
        counted = np.flip(np.arange(1, n + 1))
        counted = counted.reshape(4, 6) if axis is None else counted
        exact = np.broadcast_to(counted[:, None] if axis == 0 else counted, (4, 6))
        check_rounded(x.grad, as_rationals(exact), mode)


@pytest.mark.parametrize(
    ("one", "other"),
    [((4, 5), (5, 3)), ((5,), (5, 3)), ((4, 5), (5,)), ((5,), (5,)), ((2, 4, 5), (5, 3)),
     ((2, 1, 4, 5), (3, 5, 2)), ((4, 5), (2, 1, 5, 3)), ((1, 4, 5), (2, 5, 3)),
     ((2, 3, 4, 5), (5,))],
)  # fmt: skip
def test_gradients_of_matmul(one, other):
    """Each element is one exact sum, also over stacks to which a factor was broadcast."""
    for mode in hc.MODES:
        s, t = leaf(random_halves(*one)), leaf(normal(*other))
        result = hc.matmul(s, t, rounding=mode)
        g = normal(*result.shape)
        result.backward(torch.from_numpy(np.asarray(g)))
        a, b = as_rationals(s.detach().numpy()), as_rationals(t.detach().numpy())
        a_matrix, b_matrix = (a if a.ndim > 1 else a[None]), (b if b.ndim > 1 else b[:, None])
        wide = as_rationals(g)
        wide = wide if b.ndim > 1 else wide[..., None]
        wide = wide if a.ndim > 1 else wide[..., None, :]
        by_a = np.matmul(wide, np.swapaxes(b_matrix, -1, -2))
        by_b = np.matmul(np.swapaxes(a_matrix, -1, -2), wide)
        check_rounded(s.grad, sum_to_shape(by_a, a_matrix.shape).reshape(a.shape), mode)
        check_rounded(t.grad, sum_to_shape(by_b, b_matrix.shape).reshape(b.shape), mode)


def test_gradients_are_close_to_pytorchs():
    """Gradients for many elements are close to PyTorch's."""
    x = RNG.normal(3, 1, 5000).astype(np.float16)
    for name, own in {
        "mean": torch.mean, "norm": torch.linalg.vector_norm, "sum": torch.sum,
        "var": lambda t: torch.var(t, correction=0), "std": lambda t: torch.std(t, correction=0),
    }.items():  # fmt: skip
        s, t = leaf(x), leaf(x.astype(np.float64))
        getattr(hc, name)(s, dtype=torch.float32).backward(torch.tensor(1000.0))
        (1000 * own(t)).backward()
        error = (s.grad.double() - t.grad).abs()
        assert (error <= t.grad.abs() * 2.0**-11 + 2.0**-25).all(), name


def test_gradients_without_derivative():
    """Gradients are as PyTorch's where no derivative exists."""
    for name, right in (("norm", 0), ("std", 0), ("var", 0)):
        x = leaf(np.zeros(4, np.float16))
        getattr(hc, name)(x).backward()
        assert (x.grad == right).all()
    x = leaf(np.ones((0, 3), np.float16))
    hc.sum(x, axis=0).sum().backward()
    assert x.grad.shape == (0, 3)
    x = leaf(np.float16(3))
    hc.sum(x).backward()
    assert x.grad == 1


def test_gradients_of_composed_functions():
    """Differentiate a loss of several functions; gradients round in the region's mode."""
    x, w = leaf(normal(6, 4)), leaf(normal(4, 3))
    with hc.rounding("rtp"):
        y = hc.matmul(x, w)
        z = hc.subtract(y, hc.mean(y, axis=0, keepdims=True))
        loss = hc.sumsq(z)
    loss.backward()
    assert x.grad.dtype == w.grad.dtype == torch.half
    a, b = (v.detach().double().requires_grad_() for v in (x, w))
    c = a @ b
    ((c - c.mean(0)) ** 2).sum().backward()
    assert torch.allclose(x.grad.double(), a.grad, rtol=0.02, atol=0.05)
    assert torch.allclose(w.grad.double(), b.grad, rtol=0.02, atol=0.05)
    u = leaf(np.ones(3, np.float16))
    with hc.rounding("rtp"):
        third = hc.mean(u)
    third.backward()
    assert (u.grad == torch.tensor(float(hc.divide(1, 3, rounding="rtp")))).all()


def test_backward_ignores_regions():
    """Gradients round in the call's mode, whatever region backward() is in."""
    numbers, g = normal(50, 20), torch.from_numpy(normal(50))
    for name in ("std", "norm", "var", "mean", "vdot", "sum"):
        for dtype in (torch.float16, torch.float32):
            grads = []
            for mode in ("rte", "rtp", "rtn"):
                x = leaf(numbers)
                operands = (x, x.detach()) if name == "vdot" else (x,)
                result = getattr(hc, name)(*operands, axis=1, dtype=dtype)
                with hc.rounding(mode):
                    result.backward(g.to(dtype))
                grads.append(x.grad)
            assert torch.equal(grads[0], grads[1]) and torch.equal(grads[0], grads[2])


def test_autograd_detects_overwritten_operands():
    """Overwritten elements and masks that a gradient needs are detected."""
    x, mask = leaf(normal(9)), torch.ones(9, dtype=torch.bool)
    result = hc.sumsq(x, where=mask)
    mask[3] = False
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()
    y = (x * 1).clone()
    result = hc.sumsq(y)
    y += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


def test_reductions_with_gradients_refuse():
    x = leaf(normal(3, 4))
    out = torch.zeros(3, dtype=torch.half)
    for call, error, text in (
        (lambda: hc.sum(x, axis=1, out=out), TypeError, "sum: out: expected None with tensors"),
        (lambda: hc.cumsum(x, axis=1, out=x.detach()), TypeError, "cumsum: out: expected None"),
        (lambda: hc.matmul(x, x.mT, out=out), TypeError, "matmul: out: expected None"),
        (
            lambda: hc.vdot(x, np.ones((3, 4), np.float16)),
            TypeError,
            "vdot: expected arrays of one",
        ),
        (lambda: hc.prod(x), TypeError, r"prod: .*got one that requires it; use x\.detach\(\)"),
        (lambda: hc.mean(x, rounding="up"), ValueError, "rounding: expected one of"),
        (lambda: hc.mean(x, axis=2), IndexError, "mean: argument axis"),
        (lambda: hc.matmul(x, x), ValueError, "matmul: argument b: expected 4 rows"),
        (lambda: hc.sum(x, where=out), TypeError, "sum: argument where: expected bool"),
    ):
        with pytest.raises(error, match=text):
            call()
    (grad,) = torch.autograd.grad(hc.sumsq(x), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="expected one backward pass"):
        (grad.sum() + x.sum()).backward()
    with torch.no_grad():
        assert not hc.mean(x).requires_grad
    assert hc.sum(x.detach(), axis=1, out=out) is out
