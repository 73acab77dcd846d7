"""PyTorch: gradients, the compiler, transforms, what is refused."""

import sys
import warnings

import numpy as np
import pytest
from exact_numbers import rounded_to_odd

import halfcl as hc

torch = pytest.importorskip("torch", reason="needs PyTorch, and HALFCL_TEST_DEVICES=1")

from halfcl.arrays._torch import operators  # noqa: E402
from halfcl.arrays._torch.gradients import DERIVATIVES  # noqa: E402

ONE = [name for name, formulas in DERIVATIVES.items() if len(formulas) == 1]
EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def leaf(x):
    return torch.from_numpy(np.array(x)).requires_grad_()


# ---------------------------------------------------------------- gradients

gmpy2 = pytest.importorskip("gmpy2", reason="gmpy2 is not installed")

from real_functions import FUNCTIONS  # noqa: E402

from halfcl._tables import ROWS  # noqa: E402
from halfcl._tables.formulas import Arithmetic, compile_formula  # noqa: E402


def exact_derivative(name):
    """Return the derivative of a function of one argument; tests/tables holds it to MPFR."""
    if name == "tanh":  # the table's formula cancels
        return lambda x: 1 / gmpy2.cosh(x) ** 2
    row = ROWS[name]
    constants = {
        "M_PI": gmpy2.const_pi(), "M_LN2": gmpy2.const_log2(), "M_LN10": gmpy2.log(gmpy2.mpfr(10)),
        "M_2_SQRTPI": 2 / gmpy2.sqrt(gmpy2.const_pi()),
    }  # fmt: skip
    # Numbers smaller than that round alike, and are no zeros.
    functions = FUNCTIONS | {"exp": lambda x: gmpy2.exp(max(x, -(10**6)))}
    arithmetic = Arithmetic(gmpy2.mpfr, functions, constants)
    derivative = compile_formula(row.derivatives[0], ["x"], arithmetic)

    def compute(x):
        inside = row.domain.low <= x <= row.domain.high
        return derivative(x) if inside else gmpy2.mpfr("nan")

    return compute


@pytest.mark.parametrize("name", [row.name for row in ROWS.values() if row.is_smooth])
def test_derivatives_are_correctly_rounded(name):
    """Derivatives of finite halves are rounded correctly in all modes."""
    x = leaf(EVERY[np.isfinite(EVERY)][:: 1 if name in ("exp", "tanh", "sin") else 7])
    for mode in hc.MODES:
        x.grad = None
        getattr(hc, name)(x, rounding=mode).sum().backward()
        got = x.grad.numpy()
        with gmpy2.context(precision=200, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max()):
            derivative = exact_derivative(name)
            right = [derivative(gmpy2.mpfr(float(v))) for v in x.detach().numpy()]
            # Numbers beyond doubles are beyond halves, but no infinities.
            right = [
                v if not gmpy2.is_finite(v) else max(min(v, 10**300), -(10**300)) for v in right
            ]
            wide = np.array([rounded_to_odd(gmpy2.mpfr(v)) for v in right])
        with np.errstate(all="ignore"):
            right = hc.convert(wide, np.float16, rounding=mode)
        wrong = (got != right) & ~(np.isnan(got) & np.isnan(right))
        assert not wrong.any(), (x.detach().numpy()[wrong][:5], got[wrong][:5], right[wrong][:5])


def test_gradients_of_two_arguments():
    """Gradients are summed where an operand was broadcast, and rounded once."""
    rng = np.random.default_rng(3)
    a = rng.uniform(0.5, 3, (4, 5)).astype(np.float16)
    b = rng.uniform(0.5, 3, 5).astype(np.float16)
    g = rng.uniform(-2, 2, (4, 5)).astype(np.float16)
    wide_a, wide_b, wide_g = a.astype(float), b.astype(float), g.astype(float)
    cases = {
        "multiply": (wide_g * wide_b, wide_g * wide_a),
        "divide": (wide_g / wide_b, -wide_g * wide_a / wide_b**2),
        "pow": (
            wide_g * wide_b * wide_a ** (wide_b - 1),
            wide_g * wide_a**wide_b * np.log(wide_a),
        ),
        "atan2": (
            wide_g * wide_b / (wide_a**2 + wide_b**2),
            -wide_g * wide_a / (wide_a**2 + wide_b**2),
        ),
    }
    for name, (by_a, by_b) in cases.items():
        for mode in hc.MODES:
            x, y = leaf(a), leaf(b)
            getattr(hc, name)(x, y, rounding=mode).backward(torch.from_numpy(g))
            assert np.array_equal(x.grad, hc.convert(by_a, np.float16, rounding=mode)), name
            right = hc.convert(by_b.sum(0), np.float16, rounding=mode)
            assert np.array_equal(y.grad, right), name


def test_gradients_of_numbers_and_pieces():
    x = leaf(np.array([-2, -1, 0, 1, 2], np.float16))
    hc.multiply(x, 0.1).sum().backward()
    assert (x.grad.numpy() == np.float16(0.1)).all()
    for name, right in {
        "fabs": [-1, -1, 0, 1, 1], "floor": [0] * 5, "negative": [-1] * 5,
    }.items():  # fmt: skip
        x.grad = None
        getattr(hc, name)(x).sum().backward()
        assert x.grad.tolist() == right
    x.grad = None
    hc.fmax(x, 0.0).sum().backward()
    assert x.grad.tolist() == [0, 0, 0.5, 1, 1]
    y = leaf(np.array([1], np.float16))
    with pytest.raises(NotImplementedError, match=r"halfcl\.nextup has no gradient"):
        hc.nextup(y).sum().backward()


def test_functions_without_gradients_raise():
    """Functions without gradients raise, instead of returning results without one."""
    x = leaf(np.ones(4, np.float16))
    for call in (lambda: hc.prod(x), lambda: hc.convert(x, "int")):
        with pytest.raises(TypeError, match=r"got one that requires it; use x\.detach\(\)"):
            call()
    with pytest.raises(TypeError, match="exp: expected no keywords with tensors"):
        hc.exp(x, out=torch.empty(4, dtype=torch.half))
    with torch.no_grad():
        assert not hc.exp(x).requires_grad and hc.sum(x) == 4


def test_modes_and_random_rounding_where_a_gradient_is_kept():
    x = leaf(np.ones(4, np.float16))
    with pytest.raises(TypeError, match="exp: rounding: expected one mode with tensors that"):
        hc.exp(x, rounding=np.array(hc.MODES))
    assert not hc.exp(x.detach(), rounding=np.array(hc.MODES)).requires_grad


def test_autograd_detects_overwritten_tensors():
    """The gradient of an overwritten tensor is an error, as with PyTorch's own functions."""
    x, saved = leaf(np.ones(4, np.float16)), torch.full((4,), 2.0, dtype=torch.half)
    y = x * saved
    hc.exp(torch.ones(4, dtype=torch.half), out=saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_out_that_shares_memory_is_refused():
    out = torch.zeros(1, dtype=torch.half).expand(5)
    with pytest.raises(ValueError, match="exp: out: expected elements that do not share memory"):
        hc.exp(torch.linspace(0, 1, 5, dtype=torch.half), out=out)
    assert not out.any()


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("divide", (3,)), ("fma", (2, 1)), ("clamp", (0, 1)), ("pown", (2,)), ("ldexp", (2,)),
        ("add", ([1, 2],)), ("add", ([0.1, True],)), ("multiply", (0.1,)), ("add", (100001,)),
        ("pown", ([2, -3],)), ("rootn", (3,)),
    ],
)  # fmt: skip
def test_numbers_and_lists_are_converted_alike_with_gradients(name, others):
    for mode in hc.MODES:
        x = leaf(np.array([1, 2], np.float16))
        right = getattr(hc, name)(x.detach(), *others, rounding=mode)
        got = getattr(hc, name)(x, *others, rounding=mode)
        assert got.requires_grad and torch.equal(got.detach(), right)
        with hc.rounding(mode, builtins=True):
            assert torch.equal(getattr(hc, name)(x, *others).detach(), right)


def test_gradients_of_functions_with_an_integer():
    x = np.array([-2, -0.3, 0.7, 3], np.float16)
    wide = x.astype(float)
    for name, k, right in (
        ("pown", 3, 3 * wide**2), ("pown", 0, 0 * wide), ("pown", -2, -2 * wide**-3),
        ("ldexp", 5, 32 + 0 * wide), ("ldexp", -2000, 0 * wide + 1e-300),
        ("rootn", 3, np.abs(wide) ** (1 / 3 - 1) / 3),
    ):  # fmt: skip
        for mode in hc.MODES:
            operand = leaf(x)
            getattr(hc, name)(operand, k, rounding=mode).sum().backward()
            with np.errstate(all="ignore"):
                assert np.array_equal(operand.grad, hc.convert(right, np.float16, rounding=mode)), (
                    name,
                    k,
                    mode,
                )


def test_vmap_broadcasts_batches_as_their_items():
    rng = np.random.default_rng(5)
    a, b = (torch.from_numpy(rng.normal(size=n).astype(np.float16)) for n in ((3, 4, 2), (2, 4)))
    got = torch.func.vmap(hc.add, in_dims=1)(a, b)  # items of (3, 2) and (2,)
    assert torch.equal(got, torch.stack([hc.add(a[:, i], b[:, i]) for i in range(4)]))
    got = torch.func.vmap(hc.add, in_dims=(1, None))(a, b[:, 0])
    assert torch.equal(got, torch.stack([hc.add(a[:, i], b[:, 0]) for i in range(4)]))
    assert torch.equal(torch.func.vmap(hc.dot)(a, a), torch.stack([hc.dot(x, x) for x in a]))


def test_wrong_operands_are_refused_alike_with_gradients():
    x = leaf(np.array([1, 2], np.float16))
    for wrong in (np.int64(3), np.float64(0.1), 1j, "x", None, [1j], np.ones(2, np.float16)):
        with pytest.raises(TypeError) as without:
            hc.add(x.detach(), wrong)
        with pytest.raises(TypeError) as beside:
            hc.add(x, wrong)
        assert str(beside.value) == str(without.value)
    for wrong in (2**40, [2, 2**40]):
        with pytest.raises(OverflowError, match="out of bounds for int32"):
            hc.pown(x, wrong)


def test_bfloat16_is_refused_with_a_hint():
    x = torch.ones(3, dtype=torch.bfloat16)
    for call in (hc.exp, hc.sum, hc.cumsum, lambda x: hc.exp(x.requires_grad_())):
        with pytest.raises(TypeError, match=r"got torch\.bfloat16; use x\.half\(\)"):
            call(x)


def test_negated_views_are_read_but_not_written():
    view = torch._neg_view(torch.ones(3, dtype=torch.half))
    assert hc.sum(view) == -3 and torch.equal(hc.fabs(view), torch.ones(3, dtype=torch.half))
    assert hc.cumsum(view).tolist() == [-1, -2, -3]
    with pytest.raises(TypeError, match=r"exp: out: expected torch\.Tensor with its values in"):
        hc.exp(torch.zeros(3, dtype=torch.half), out=view)
    assert view.tolist() == [-1, -1, -1]


# ---------------------------------------------------------------- torch.func

TRANSFORMED = {
    "sum": hc.sum, "mean": hc.mean, "std": hc.std, "norm": hc.norm, "cumsum": hc.cumsum,
    "vdot": lambda x: hc.vdot(x, 2), "matmul": lambda x: hc.matmul(x, x),
    "exp": hc.exp, "pown": lambda x: hc.pown(x, 2),
    "masked": lambda x: hc.sum(x, where=[True, False]),
}  # fmt: skip


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transforms_equal_single_calls(name):
    """Gradients and Jacobians equal those of backward(), and vmap the single results."""
    function = TRANSFORMED[name]
    rows = torch.linspace(0.5, 3, 6, dtype=torch.half).reshape(3, 2)

    def gradient(x):
        x = x.clone().requires_grad_()
        function(x).sum().backward()
        return x.grad

    got = torch.func.vmap(torch.func.grad(lambda x: function(x).sum()))(rows)
    assert torch.equal(got, torch.stack([gradient(x) for x in rows]))
    assert torch.equal(torch.func.vmap(function)(rows), torch.stack([function(x) for x in rows]))
    by_columns = torch.func.vmap(function, in_dims=1, out_dims=-1)(rows.T.contiguous())
    assert torch.equal(by_columns, torch.stack([function(x) for x in rows], -1))
    assert torch.func.vmap(function)(rows[:0]).shape == (0, *function(rows[0]).shape)
    jacobian = torch.func.jacrev(function)(rows[0])
    assert torch.equal(jacobian.reshape(-1, 2).sum(0), gradient(rows[0]))


def test_transforms_refuse_functions_without_gradients():
    x = torch.ones(2, dtype=torch.half)
    assert torch.equal(torch.func.vmap(hc.prod)(x.reshape(2, 1)), x)
    with pytest.raises(NotImplementedError, match=r"halfcl\.prod has no gradient"):
        torch.func.grad(hc.prod)(x)
    with pytest.raises(TypeError, match=r"convert: expected torch\.Tensor with elements, got one"):
        torch.func.vmap(lambda x: hc.convert(x, "float"))(x)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")  # PyTorch's, at first use
@pytest.mark.parametrize(
    "function", [hc.exp, hc.sum, hc.cumsum, hc.prod, lambda x: hc.matmul(x, x)]
)
def test_forward_derivatives_are_refused(function):
    x = torch.ones(2, dtype=torch.half)
    with pytest.raises(TypeError, match=r"expected torch\.Tensor without a forward"):
        torch.func.jvp(function, (x,), (x,))
    with (
        torch.autograd.forward_ad.dual_level(),
        pytest.raises(TypeError, match=r"expected torch\.Tensor without a forward"),
    ):
        function(torch.autograd.forward_ad.make_dual(x, x))


@pytest.mark.parametrize("function", [hc.exp, hc.sum, lambda x: hc.multiply(x, x)])
def test_gradients_of_gradients_are_refused(function):
    x = leaf(np.ones(2, np.float16))
    (first,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    with pytest.raises(
        NotImplementedError, match="expected one backward pass, got a gradient of a gradient"
    ):
        first.sum().backward()


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["sum", "mean", "std", "cumsum", "prod"])
def test_reductions_leave_the_compilers_graph(name):
    """Reductions work in compiled functions, also without elements, which are not traced."""
    function = getattr(hc, name)
    for x in (torch.ones(3, dtype=torch.half), torch.ones(0, dtype=torch.half)):
        torch._dynamo.reset()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = torch.compile(lambda x: function(x) + 1, backend="eager")(x)
            assert torch.equal(got.nan_to_num(7), (function(x) + 1).nan_to_num(7))


# ---------------------------------------------------------------- operators, the compiler


def test_operators_equal_functions():
    hc.arrays.register_operators()
    x = torch.linspace(-3, 3, 7, dtype=torch.half)
    for mode in (None, *hc.MODES):
        assert torch.equal(torch.ops.halfcl.exp(x, mode), hc.exp(x, rounding=mode))
    with pytest.raises(ValueError, match="rounding: expected one of"):
        torch.ops.halfcl.exp(x, "up")
    missing = set(operators.names()) - set(dir(torch.ops.halfcl))
    assert not missing


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["exp", "multiply", "isless", "sincos", "dot", "ldexp"])
def test_operators_pass_opcheck(name):
    x = torch.linspace(1, 3, 8, dtype=torch.half).reshape(2, 4)
    operands = {"ldexp": (x, torch.ones(2, 4, dtype=torch.int32))}.get(name, (x, x + 1))
    count = getattr(hc, name).nin
    hc.arrays.register_operators()
    operator = getattr(torch.ops.halfcl, name).default
    torch.library.opcheck(operator, operands[:count])
    if name in DERIVATIVES:
        leaves = [x.clone().requires_grad_(x.is_floating_point()) for x in operands[:count]]
        torch.library.opcheck(operator, tuple(leaves))


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
def test_compiled_functions():
    """The compiler accepts the operators, and after allow_in_graph halfcl's functions."""
    x = torch.linspace(-3, 3, 7, dtype=torch.half)
    right = hc.exp(hc.add(x, 0.1, rounding="rtp")) + 1

    def by_operators(x):
        tenth = torch.full_like(x, 0.10003662109375)
        return torch.ops.halfcl.exp(torch.ops.halfcl.add(x, tenth, rounding="rtp")) + 1

    def by_functions(x):
        return hc.exp(hc.add(x, 0.1, rounding="rtp")) + 1

    compiled = torch.compile(by_operators, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x), right)
    hc.arrays.allow_in_graph()
    compiled = torch.compile(by_functions, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x), right)


def test_compiler_without_pytorch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(hc.MissingPackageError, match=r"PyTorch is needed .* pip install torch"):
        hc.arrays.allow_in_graph()


def test_vmap_in_a_mode():
    x = torch.linspace(-3, 3, 12, dtype=torch.half).reshape(3, 4)
    got = torch.func.vmap(lambda row: hc.exp(row, rounding="rtz"))(x)
    assert torch.equal(got, hc.exp(x, rounding="rtz"))


# ---------------------------------------------------------------- odd tensors


def test_strided_and_unsupported_tensors():
    x = torch.linspace(-3, 3, 8, dtype=torch.half)
    for odd in (x[::2], x.reshape(2, 4).T, torch.nn.Parameter(x, requires_grad=False), x[0]):
        assert torch.equal(hc.exp(odd), torch.from_numpy(np.asarray(hc.exp(odd.numpy()))))
    assert hc.exp(torch.empty(0, 3, dtype=torch.half)).shape == (0, 3)
    with pytest.raises(TypeError, match=r"exp: expected half, .*got torch\.bfloat16"):
        hc.exp(x.bfloat16())
    with pytest.raises(TypeError, match=r"exp: expected a dense torch\.Tensor, got one of layout"):
        hc.exp(x.to_sparse())
    with pytest.raises(TypeError, match=r"exp: expected torch\.Tensor on the CPU or a CUDA device"):
        hc.exp(x.to("meta"), out=x.to("meta"))
    with pytest.raises(TypeError, match="expected half, float16, bool, int8 or uint8, got float32"):
        hc.exp(x.float())


def test_pytorch_dtypes_as_arguments():
    x = torch.linspace(-3, 3, 8, dtype=torch.half)
    assert hc.convert(x, torch.int8).dtype == torch.int8
    assert hc.sum(x, dtype=torch.float32).dtype == torch.float32
    with pytest.raises(TypeError, match=r"^sum: "):
        hc.sum(x, dtype=torch.bfloat16)
