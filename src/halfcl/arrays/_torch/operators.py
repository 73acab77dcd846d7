"""halfcl's functions as custom operators of PyTorch, for torch.compile and autograd.

They are torch.ops.halfcl.exp and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import zip_longest
from typing import Any, Protocol

import halfcl as hc
from halfcl import _core
from halfcl.arrays._libraries import Tensor
from halfcl.arrays._torch.gradients import DERIVATIVES
from halfcl.arrays._torch.transforms import Backward, Results, without_gradients
from halfcl.device._source.catalogue import Form, forms
from halfcl.typing import RoundingMode

torch = import_module("torch")
forward_ad = import_module("torch.autograd.forward_ad")


class Context(Protocol):
    """The state that autograd keeps from a function for its gradient."""

    rounding: RoundingMode | None
    saved_tensors: tuple[Tensor, ...]
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...


#: PyTorch's dtypes by NumPy's letters.
DTYPES = {
    "e": torch.float16, "f": torch.float32, "?": torch.bool, "b": torch.int8, "B": torch.uint8,
    "h": torch.int16, "H": torch.uint16, "i": torch.int32, "I": torch.uint32, "q": torch.int64,
    "Q": torch.uint64,
}  # fmt: skip

#: Numbers nearer to zero round as the first does, numbers further from it as the second.
_TINY, _HUGE = 2.0**-100, 2.0**100

#: halfcl's function, for tensors with elements and without gradients.
Plain = Callable[[str, Sequence[Tensor], RoundingMode | None], Results]


def names() -> list[str]:
    """Return the names of the functions that become operators."""
    return [name for name in forms() if isinstance(getattr(hc, name, None), _core.Function)]


def register(plain: Plain) -> None:
    """Register the operators; called once per process."""
    for name in names():
        _register(name, forms()[name][0], plain)


def allow_in_graph() -> None:
    """Allow the functions in compiled graphs; see `halfcl.arrays.allow_in_graph`."""
    for name in names():
        torch.compiler.allow_in_graph(getattr(hc, name))


def _register(name: str, form: Form, plain: Plain) -> None:
    operator = f"halfcl::{name}"
    operands = ", ".join(f"Tensor {x}" for x in "xyz"[: len(form.inputs)])
    results = "Tensor" if len(form.outputs) == 1 else "(Tensor, Tensor)"
    torch.library.define(operator, f"({operands}, str? rounding=None) -> {results}")

    # PyTorch passes the mode by position.
    def run(*operands: Tensor, rounding: RoundingMode | None = None) -> Results:
        tensors, mode = _split(form, operands, rounding)
        refuse_tangents(tensors, name)
        return plain(name, tensors, mode)

    def fake(*operands: Tensor, rounding: RoundingMode | None = None) -> Results:
        return _empty_results(form, _split(form, operands, rounding)[0])

    torch.library.impl(operator, ("cpu", "cuda"))(run)
    torch.library.register_fake(operator)(fake)
    torch.library.register_autograd(operator, _backward(name), setup_context=_remember)
    torch.library.register_vmap(operator, _batch_rule(name, form))


def _batch_rule(name: str, form: Form) -> Callable[..., tuple[Results, object]]:
    """Return the function that torch.func.vmap calls on whole batches, their axis first."""

    def run(
        batch: object, axes: tuple[int | None, ...], *operands: Any,
        rounding: RoundingMode | None = None,
    ) -> tuple[Results, object]:  # fmt: skip
        tensors, mode = _split(form, operands, rounding)
        ndim = max(x.ndim - (axis is not None) for x, axis in zip(tensors, axes, strict=False))
        aligned = [
            x if axis is None else _batch_first(x, axis, ndim)
            for x, axis in zip(tensors, axes, strict=False)
        ]
        results = getattr(torch.ops.halfcl, name)(*aligned, rounding=mode)
        return results, (0,) * len(results) if isinstance(results, tuple) else 0

    return run


def _batch_first(x: Tensor, axis: int, ndim: int) -> Tensor:
    """Return a batch with its axis before `ndim` others, which are broadcast from the last one."""
    x = x.movedim(axis, 0)
    return x.reshape((x.shape[0], *(1,) * (ndim + 1 - x.ndim), *x.shape[1:]))


def _split(
    form: Form, operands: tuple[Any, ...], rounding: RoundingMode | None
) -> tuple[tuple[Tensor, ...], RoundingMode | None]:
    """Return the operands and the mode."""
    count = len(form.inputs)
    return operands[:count], operands[count] if len(operands) > count else rounding


def _empty_results(form: Form, tensors: Sequence[Tensor]) -> Results:
    """Return empty results of the right shapes and dtypes."""
    shape = torch.broadcast_shapes(*(x.shape for x in tensors))
    shape = shape[:-1] if form.vectors == "number" else shape
    results = [tensors[0].new_empty(shape, dtype=DTYPES[letter]) for letter in form.outputs]
    return results[0] if len(results) == 1 else tuple(results)


# ---------------------------------------------------------------- gradients


def _remember(ctx: Context, inputs: tuple[Any, ...], output: object) -> None:
    """Keep the tensors and the mode for the gradient."""
    *tensors, ctx.rounding = inputs
    ctx.save_for_backward(*tensors)


def _backward(name: str) -> Callable[..., tuple[Tensor | None, ...]]:
    def backward(ctx: Context, *grads: Tensor) -> tuple[Tensor | None, ...]:
        tensors = ctx.saved_tensors
        with torch.no_grad():
            gradients = gradient_of(name, ctx.rounding)(grads[0], tensors, ctx.needs_input_grad)
        return (*without_gradients(gradients, grads[0], tensors), None)

    return backward


def gradient_of(name: str, rounding: RoundingMode | None) -> Backward:
    """Return the function that computes a function's gradient, rounded once in the mode."""
    derivatives = DERIVATIVES.get(name)

    def backward(
        grad: Tensor, tensors: Sequence[Tensor], wanted: Sequence[bool]
    ) -> list[Tensor | None]:
        if derivatives is None:
            raise NotImplementedError(f"halfcl.{name} has no gradient")
        wide = [x.double() for x in tensors]
        operands = zip_longest(tensors, derivatives, wanted[: len(tensors)])
        return [
            _gradient(grad, derivative(*wide), x, rounding) if derivative and is_wanted else None
            for x, derivative, is_wanted in operands
        ]

    return backward


def refuse_tangents(tensors: Sequence[object], name: str = "") -> None:
    """Raise TypeError if a tensor has a forward derivative, which would be lost."""
    if forward_ad._current_level < 0:
        return
    for x in tensors:
        if isinstance(x, torch.Tensor) and forward_ad.unpack_dual(x).tangent is not None:
            prefix = f"{name}: " if name else ""
            raise TypeError(
                f"{prefix}expected torch.Tensor without a forward derivative (torch.func.jvp, "
                "jacfwd), got one with it; use torch.func.grad or jacrev"
            )


def _gradient(grad: Tensor, derivative: Tensor, x: Tensor, rounding: RoundingMode | None) -> Tensor:
    """Return the gradient of an operand, in its dtype."""
    product = (grad.double() * derivative).sum_to_size(x.shape)
    return round_to_half(product, rounding) if x.dtype == torch.float16 else product.to(x.dtype)


def round_to_half(x: Tensor, rounding: RoundingMode | None) -> Tensor:
    """Round float64 to half once, by way of float32 rounded to odd."""
    size = x.abs().clamp(_TINY, _HUGE)  # beyond the bounds, results are those at the bounds
    x = torch.where((x == 0) | ~x.isfinite(), x, torch.copysign(size, x))
    nearest = x.float()
    result: Tensor = torch.ops.halfcl.convert_half(
        round_to_odd(nearest, x - nearest.double()), rounding
    )
    return result


def round_to_odd(nearest: Tensor, residual: Tensor) -> Tensor:
    """Round a number plus its residual to odd; rounding the result then rounds their sum.

    It does not view the bits, since PyTorch before 2.12 has no rule to view a batch as integers
    under vmap. Instead, the point halfway between a number and the next larger one is rounded to
    nearest, which gives the even one.
    """
    halfway = 0.5 * nearest + 0.5 * torch.nextafter(nearest, torch.full_like(nearest, torch.inf))
    is_inexact = (residual != 0) & nearest.isfinite() & residual.isfinite()
    end = torch.copysign(torch.full_like(nearest, torch.inf), residual.to(nearest.dtype))
    return torch.where(is_inexact & (halfway == nearest), torch.nextafter(nearest, end), nearest)
