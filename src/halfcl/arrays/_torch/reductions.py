"""Gradients of halfcl's reductions and products, for PyTorch.

Each is rounded once to half, in the mode of the call. Before that, the gradients of sum, mean,
sumsq and vdot are exact, and so are those of cumsum and matmul, which are reductions themselves,
and those of var up to 4096 elements. Those of std and norm, of longer var, and of float32 or
float64 arguments are computed in float64, from results that are rounded to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import halfcl as hc
from halfcl.arrays._libraries import Tensor
from halfcl.arrays._torch.operators import round_to_half, round_to_odd
from halfcl.arrays._torch.transforms import Backward
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import Call
from halfcl.reductions._to_odd import error_of_product
from halfcl.typing import RoundingMode

torch = import_module("torch")

# ---------------------------------------------------------------- exact steps in float64


def _two_product(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rounded product and its rounding error (Dekker)."""
    product = a * b
    error_of: Any = error_of_product  # its operators are those of tensors, too
    return product, error_of(a, b, product)


def _quotient(product: Tensor, error: Tensor, n: Tensor) -> Tensor:
    """Return (near + lack) / n, rounded to odd."""

    def remainder(quotient: Tensor) -> Tensor:
        back, rest = _two_product(quotient, n)
        return ((product - back) - rest) + error

    quotient = product / n
    quotient = quotient + remainder(quotient) / n  # the error may change it by an ulp
    return round_to_odd(quotient, remainder(quotient))


# ---------------------------------------------------------------- reductions


@dataclass(frozen=True)
class _ReductionCall:
    """A call of a reduction whose gradient is computed."""

    call: Call
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    mode: RoundingMode
    mask: Tensor | None

    def broadcast(self, x: Tensor) -> Tensor:
        """Return a tensor of the results' shape as float64 that broadcasts to the elements."""
        shape = tuple(1 if k in self.axes else n for k, n in enumerate(self.shape))
        return x.double().reshape(shape)

    def result(self, name: str, operands: Sequence[Tensor]) -> Tensor:
        """Return another statistic of the same elements, in float64."""
        more = {"ddof": self.call.ddof} if name == "std" else {}
        return _call(
            name, *operands, axis=self.axes, dtype=torch.float64, keepdims=True,
            where=self.call.where, rounding="rte", **more,  # whatever region backward() is in
        )  # fmt: skip

    def count(self, x: Tensor) -> Tensor:
        """Return the number of elements per result, in float64."""
        if self.mask is not None:
            mask = self.mask.broadcast_to(self.shape).double()
            return mask.sum(self.axes, keepdim=True) if self.axes else mask
        n = math.prod(self.shape[k] for k in self.axes)
        count: Tensor = torch.full((), float(n), dtype=torch.float64, device=x.device)
        return count

    def mask_gradient(self, gradient: Tensor) -> Tensor:
        """Return a gradient with zeros where the mask excludes elements."""
        if self.mask is None:
            return gradient
        result: Tensor = torch.where(self.mask, gradient, torch.zeros_like(gradient))
        return result


def _sum_gradient(r: _ReductionCall, g: Tensor, x: Tensor) -> Tensor:
    return g.expand(x.shape)


def _mean_gradient(r: _ReductionCall, g: Tensor, x: Tensor) -> Tensor:
    """Return g / n; rounding it to half is correct.

    A 53-bit number over an integer is never closer to a 12-bit one than a double's ulp.
    """
    return (g / r.count(x)).expand(x.shape)


def _sumsq_gradient(r: _ReductionCall, g: Tensor, x: Tensor) -> Tensor:
    return round_to_odd(*_two_product(2 * g, x.double()))


def _norm_gradient(r: _ReductionCall, g: Tensor, x: Tensor) -> Tensor:
    """Return g x / norm; zero where the norm is zero, as PyTorch does."""
    norm = r.result("norm", [x])
    return torch.where(norm == 0, 0.0, g * x.double() / norm)


def _scaled_deviations(r: _ReductionCall, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the elements' deviations from the mean times n, n, and the degrees of freedom."""
    n = r.count(x)
    deviations = n * x.double() - r.result("sum", [x])
    return deviations, n, (n - arguments.degrees(r.call.name, r.call.ddof)).clamp(0, math.inf)


def _var_gradient(r: _ReductionCall, g: Tensor, x: Tensor) -> Tensor:
    deviations, n, freedom = _scaled_deviations(r, x)
    return _quotient(*_two_product(2 * g, deviations), n * freedom)


def _std_gradient(r: _ReductionCall, g: Tensor, x: Tensor) -> Tensor:
    """Return the gradient of std; zero for equal elements, as PyTorch does."""
    deviations, n, freedom = _scaled_deviations(r, x)
    deviation = r.result("std", [x])
    return torch.where(deviation == 0, 0.0, g * deviations / (n * freedom * deviation))


#: Gradients of reductions of one array, by name: functions of the incoming gradient and the
#: elements, in float64.
_GRADIENTS: dict[str, Callable[[_ReductionCall, Tensor, Tensor], Tensor]] = {
    "sum": _sum_gradient, "mean": _mean_gradient, "sumsq": _sumsq_gradient, "norm": _norm_gradient,
    "var": _var_gradient, "std": _std_gradient,
}  # fmt: skip

#: The reductions that have gradients.
NAMES = (*_GRADIENTS, "vdot")


def gradient_of_reduction(call: Call, mode: RoundingMode) -> Backward:
    """Return the function that computes a reduction's gradients for its arrays and a tensor mask.

    NAMES are the reductions that have a gradient.
    """
    count = len(call.arrays)

    def backward(
        grad: Tensor, tensors: Sequence[Tensor], needed: Sequence[bool]
    ) -> list[Tensor | None]:
        if call.name not in NAMES:
            raise NotImplementedError(f"halfcl.{call.name} has no gradient")
        operands, masks = tensors[:count], tensors[count:]
        shape = torch.broadcast_shapes(*(x.shape for x in operands))
        axes = arguments.axes(call.name, call.axis, len(shape))
        mask = masks[0] if masks else None
        if mask is None and call.where is not True:
            mask = torch.as_tensor(call.where, device=grad.device)
        reduced = _ReductionCall(call, axes, tuple(shape), mode, mask)
        if call.name == "vdot":
            return [
                *_vdot_gradients(reduced, grad, operands, needed[:count]),
                *(None for _ in masks),
            ]
        (x,) = operands
        gradient = _GRADIENTS[call.name](reduced, reduced.broadcast(grad), x)
        return [round_to_half(reduced.mask_gradient(gradient), mode), *(None for _ in masks)]

    return backward


def _vdot_gradients(
    r: _ReductionCall, grad: Tensor, operands: Sequence[Tensor], needed: Sequence[bool]
) -> list[Tensor | None]:
    """Return g times the other operand, summed over the axes that were broadcast."""
    gradients: list[Tensor | None] = []
    g = r.broadcast(grad).expand(r.shape)
    for x, other, is_needed in zip(operands, operands[::-1], needed, strict=True):
        if not is_needed:
            gradients.append(None)
            continue
        axes = tuple(k for k, n in enumerate(_pad_shape(x.shape, len(r.shape))) if n != r.shape[k])
        if axes and grad.dtype == torch.float16:
            factors = g.to(torch.float16), other.expand(r.shape)
            more = {"axis": axes, "where": r.call.where, "rounding": r.mode}
            gradients.append(_call("vdot", *factors, **more).reshape(x.shape))
        else:
            product = r.mask_gradient(round_to_odd(*_two_product(g, other.double())))
            gradients.append(round_to_half(product.sum_to_size(x.shape), r.mode))
    return gradients


def _call(name: str, *operands: Tensor, **keywords: object) -> Tensor:
    """Call a function of halfcl on detached tensors."""
    result: Tensor = getattr(hc, name)(*(x.detach() for x in operands), **keywords)
    return result


def _pad_shape(shape: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """Return a shape with axes of length 1 before it, as broadcasting does."""
    return (1,) * (ndim - len(shape)) + tuple(shape)


# ---------------------------------------------------------------- running sums and products


def gradient_of_cumsum(axis: int | None, mode: RoundingMode) -> Backward:
    """Return the function that computes cumsum's gradient: a running sum from the end."""

    def backward(
        grad: Tensor, operands: Sequence[Tensor], needed: Sequence[bool]
    ) -> list[Tensor | None]:
        (x,) = operands
        along = 0 if axis is None or not x.ndim else axis
        reversed_grad = grad.flip(along)
        if grad.dtype == torch.float16:
            gradient = _call("cumsum", reversed_grad, axis=along, rounding=mode)
        else:
            gradient = round_to_half(reversed_grad.double().cumsum(along), mode)
        return [gradient.flip(along).reshape(x.shape)]

    return backward


def gradient_of_matmul(exact: bool, mode: RoundingMode) -> Backward:
    """Return the function that computes matmul's gradients: two products, one per factor."""

    def backward(
        grad: Tensor, operands: Sequence[Tensor], needed: Sequence[bool]
    ) -> list[Tensor | None]:
        a, b = operands
        a_matrix = a if a.ndim > 1 else a.unsqueeze(0)
        b_matrix = b if b.ndim > 1 else b.unsqueeze(1)
        g = grad if a.ndim > 1 else grad.unsqueeze(-1 if b.ndim == 1 else -2)
        g = g if b.ndim > 1 else g.unsqueeze(-1)
        gradients: list[Tensor | None] = [None, None]
        if needed[0]:
            gradients[0] = _product_onto(g, b_matrix.mT, a_matrix.shape, exact, mode).reshape(
                a.shape
            )
        if needed[1]:
            gradients[1] = _product_onto(a_matrix.mT, g, b_matrix.shape, exact, mode).reshape(
                b.shape
            )
        return gradients

    return backward


def _product_onto(
    x: Tensor, y: Tensor, shape: tuple[int, ...], exact: bool, mode: RoundingMode
) -> Tensor:
    """Return the product of stacks of matrices, summed to a shape.

    The axes of the stacks that the shape lacks join the axis that the product sums over.
    """
    stack = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    ndim = len(stack)
    summed = [k for k, n in enumerate(_pad_shape(shape[:-2], ndim)) if n != stack[k]]
    kept = [k for k in range(ndim) if k not in summed]
    x = x.expand((*stack, *x.shape[-2:])).permute((*kept, ndim, *summed, ndim + 1))
    y = y.expand((*stack, *y.shape[-2:])).permute((*kept, *summed, ndim, ndim + 1))
    first, last = len(kept), len(kept) + len(summed)
    x, y = x.flatten(first + 1, -1), y.flatten(first, last)
    return _call("matmul", x, y, exact=exact, rounding=mode).reshape(shape)
