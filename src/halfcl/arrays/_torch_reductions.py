"""Gradients of halfcl's reductions and products, for PyTorch: each rounded once to half, in the
mode of the call.

Those of sum, mean, sumsq and vdot are exact before that, and of cumsum and matmul, too, which are
reductions themselves; of var up to 4096 elements. Those of std and norm, of longer var, and of what
came in as float32 or float64 are computed in float64, from results that are rounded to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

import halfcl as hc
from halfcl.arrays._libraries import Tensor
from halfcl.arrays._torch_ops import rounded, to_odd
from halfcl.arrays._torch_transforms import Backward
from halfcl.reductions import _arguments as arguments
from halfcl.reductions._arguments import Call
from halfcl.typing import RoundingMode

torch = import_module("torch")

# ---------------------------------------------------------------- exact steps in float64


def _halves_of(x: Tensor) -> tuple[Tensor, Tensor]:
    """Two numbers of 26 bits each, whose sum it is."""
    moved = x * 134217729.0  # 2^27 + 1
    high = moved - (moved - x)
    return high, x - high


def _two_product(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """The product, and what it lacks (Dekker)."""
    near = a * b
    (a_high, a_low), (b_high, b_low) = _halves_of(a), _halves_of(b)
    lack = ((a_high * b_high - near) + a_high * b_low + a_low * b_high) + a_low * b_low
    return near, lack


def _quotient(near: Tensor, lack: Tensor, n: Tensor) -> Tensor:
    """(near + lack) / n, to odd."""

    def left(found: Tensor) -> Tensor:
        back, rest = _two_product(found, n)
        return ((near - back) - rest) + lack

    found = near / n
    found = found + left(found) / n  # which the part that lacks may have moved by a place
    return to_odd(found, left(found))


# ---------------------------------------------------------------- reductions


@dataclass(frozen=True)
class _Reduced:
    """A call of a reduction, whose gradient is wanted."""

    call: Call
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    mode: RoundingMode
    mask: Tensor | None

    def wide(self, x: Tensor) -> Tensor:
        """Of the results' shape, as float64 that goes with the elements."""
        shape = tuple(1 if k in self.axes else n for k, n in enumerate(self.shape))
        return x.double().reshape(shape)

    def result(self, name: str, operands: Sequence[Tensor]) -> Tensor:
        """Another statistic of the same elements, in float64."""
        more = {"ddof": self.call.ddof} if name == "std" else {}
        return _called(
            name, *operands, axis=self.axes, dtype=torch.float64, keepdims=True,
            where=self.call.where, rounding="rte", **more,  # whatever region backward() is in
        )  # fmt: skip

    def count(self, x: Tensor) -> Tensor:
        """How many elements each result is of, in float64."""
        if self.mask is not None:
            mask = self.mask.broadcast_to(self.shape).double()
            return mask.sum(self.axes, keepdim=True) if self.axes else mask
        n = math.prod(self.shape[k] for k in self.axes)
        made: Tensor = torch.full((), float(n), dtype=torch.float64, device=x.device)
        return made

    def masked(self, gradient: Tensor) -> Tensor:
        """Zero where elements do not count."""
        if self.mask is None:
            return gradient
        made: Tensor = torch.where(self.mask, gradient, torch.zeros_like(gradient))
        return made


def _of_sum(r: _Reduced, g: Tensor, x: Tensor) -> Tensor:
    return g.expand(x.shape)


def _of_mean(r: _Reduced, g: Tensor, x: Tensor) -> Tensor:
    """A number of 53 bits over an integer is no nearer to one of 12 than a double's last place."""
    return (g / r.count(x)).expand(x.shape)


def _of_squares(r: _Reduced, g: Tensor, x: Tensor) -> Tensor:
    return to_odd(*_two_product(2 * g, x.double()))


def _of_norm(r: _Reduced, g: Tensor, x: Tensor) -> Tensor:
    """At zero it is zero, as PyTorch's."""
    norm = r.result("norm", [x])
    return torch.where(norm == 0, 0.0, g * x.double() / norm)


def _far(r: _Reduced, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """How far elements are from the mean, times how many they are; that, and less the freedom."""
    n = r.count(x)
    far = n * x.double() - r.result("sum", [x])
    return far, n, (n - arguments.degrees(r.call.name, r.call.ddof)).clamp(0, math.inf)


def _of_variance(r: _Reduced, g: Tensor, x: Tensor) -> Tensor:
    far, n, freedom = _far(r, x)
    return _quotient(*_two_product(2 * g, far), n * freedom)


def _of_deviation(r: _Reduced, g: Tensor, x: Tensor) -> Tensor:
    """Of equal elements it is zero, as PyTorch's."""
    far, n, freedom = _far(r, x)
    deviation = r.result("std", [x])
    return torch.where(deviation == 0, 0.0, g * far / (n * freedom * deviation))


#: Of one array, by the names of reductions: in float64, of what comes in and of the elements.
_OF_ONE: dict[str, Callable[[_Reduced, Tensor, Tensor], Tensor]] = {
    "sum": _of_sum, "mean": _of_mean, "sumsq": _of_squares, "norm": _of_norm,
    "var": _of_variance, "std": _of_deviation,
}  # fmt: skip

#: The reductions that have gradients.
NAMES = (*_OF_ONE, "vdot")


def of_reduction(call: Call, mode: RoundingMode) -> Backward:
    """Return what computes the gradient of a call: of its arrays, and of the mask, if that is a
    tensor. NAMES are the reductions that have one."""
    count = len(call.arrays)

    def backward(
        grad: Tensor, tensors: Sequence[Tensor], wanted: Sequence[bool]
    ) -> list[Tensor | None]:
        if call.name not in NAMES:
            raise NotImplementedError(f"halfcl.{call.name} has no gradient")
        operands, masks = tensors[:count], tensors[count:]
        shape = torch.broadcast_shapes(*(x.shape for x in operands))
        axes = arguments.axes(call.name, call.axis, len(shape))
        mask = masks[0] if masks else None
        if mask is None and call.where is not True:
            mask = torch.as_tensor(call.where, device=grad.device)
        reduced = _Reduced(call, axes, tuple(shape), mode, mask)
        if call.name == "vdot":
            return [*_of_dot(reduced, grad, operands, wanted[:count]), *(None for _ in masks)]
        (x,) = operands
        found = _OF_ONE[call.name](reduced, reduced.wide(grad), x)
        return [rounded(reduced.masked(found), mode), *(None for _ in masks)]

    return backward


def _of_dot(
    r: _Reduced, grad: Tensor, operands: Sequence[Tensor], wanted: Sequence[bool]
) -> list[Tensor | None]:
    """Times the other operand, summed where this one was broadcast."""
    found: list[Tensor | None] = []
    g = r.wide(grad).expand(r.shape)
    for x, other, is_wanted in zip(operands, operands[::-1], wanted, strict=True):
        if not is_wanted:
            found.append(None)
            continue
        spread = tuple(k for k, n in enumerate(_padded(x.shape, len(r.shape))) if n != r.shape[k])
        if spread and grad.dtype == torch.float16:
            factors = g.to(torch.float16), other.expand(r.shape)
            more = {"axis": spread, "where": r.call.where, "rounding": r.mode}
            found.append(_called("vdot", *factors, **more).reshape(x.shape))
        else:
            product = r.masked(to_odd(*_two_product(g, other.double())))
            found.append(rounded(product.sum_to_size(x.shape), r.mode))
    return found


def _called(name: str, *operands: Tensor, **keywords: object) -> Tensor:
    """A function of halfcl."""
    made: Tensor = getattr(hc, name)(*(x.detach() for x in operands), **keywords)
    return made


def _padded(shape: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """With axes of length 1 before it, as it is broadcast."""
    return (1,) * (ndim - len(shape)) + tuple(shape)


# ---------------------------------------------------------------- running sums and products


def of_running_sums(axis: int | None, mode: RoundingMode) -> Backward:
    """The sums that run the other way."""

    def backward(
        grad: Tensor, operands: Sequence[Tensor], wanted: Sequence[bool]
    ) -> list[Tensor | None]:
        (x,) = operands
        along = 0 if axis is None or not x.ndim else axis
        turned = grad.flip(along)
        if grad.dtype == torch.float16:
            found = _called("cumsum", turned, axis=along, rounding=mode)
        else:
            found = rounded(turned.double().cumsum(along), mode)
        return [found.flip(along).reshape(x.shape)]

    return backward


def of_matmul(exact: bool, mode: RoundingMode) -> Backward:
    """Two products, each with the other factor."""

    def backward(
        grad: Tensor, operands: Sequence[Tensor], wanted: Sequence[bool]
    ) -> list[Tensor | None]:
        a, b = operands
        left = a if a.ndim > 1 else a.unsqueeze(0)
        right = b if b.ndim > 1 else b.unsqueeze(1)
        g = grad if a.ndim > 1 else grad.unsqueeze(-1 if b.ndim == 1 else -2)
        g = g if b.ndim > 1 else g.unsqueeze(-1)
        found: list[Tensor | None] = [None, None]
        if wanted[0]:
            found[0] = _product_onto(g, right.mT, left.shape, exact, mode).reshape(a.shape)
        if wanted[1]:
            found[1] = _product_onto(left.mT, g, right.shape, exact, mode).reshape(b.shape)
        return found

    return backward


def _product_onto(
    x: Tensor, y: Tensor, shape: tuple[int, ...], exact: bool, mode: RoundingMode
) -> Tensor:
    """The product of stacks of matrices, summed over the axes of stacks that a shape lacks: as one
    product, which has these axes beside the one that is summed."""
    stack = torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    ndim = len(stack)
    lacked = [k for k, n in enumerate(_padded(shape[:-2], ndim)) if n != stack[k]]
    kept = [k for k in range(ndim) if k not in lacked]
    x = x.expand((*stack, *x.shape[-2:])).permute((*kept, ndim, *lacked, ndim + 1))
    y = y.expand((*stack, *y.shape[-2:])).permute((*kept, *lacked, ndim, ndim + 1))
    first, last = len(kept), len(kept) + len(lacked)
    x, y = x.flatten(first + 1, -1), y.flatten(first, last)
    return _called("matmul", x, y, exact=exact, rounding=mode).reshape(shape)
