"""Functions of tensors with gradients, for PyTorch's autograd and torch.func's transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import islice, repeat
from typing import Any, Protocol, TypeAlias, TypeVar

from halfcl.arrays._libraries import Tensor

torch = import_module("torch")

#: The results of a function.
Results: TypeAlias = Tensor | tuple[Tensor, ...]

_R = TypeVar("_R")

#: Return gradients, given that of the result, a call's tensors, and which gradients are needed.
Backward: TypeAlias = Callable[[Tensor, Sequence[Tensor], Sequence[bool]], list[Tensor | None]]


class _Context(Protocol):
    """The state that autograd keeps."""

    backward: Backward
    saved_tensors: tuple[Tensor, ...]
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor) -> None: ...


class _Batch(Protocol):
    """The properties of a batch that torch.func.vmap passes."""

    batch_size: int


class _WithGradient(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """A function of tensors with a separate function for its gradient."""

    @staticmethod
    def forward(run: Callable[..., Results], backward: Backward, *tensors: Tensor) -> Results:
        return run(*tensors)

    @staticmethod
    def setup_context(ctx: _Context, inputs: tuple[Any, ...], output: Results) -> None:
        """Keep the tensors. torch.func's transforms need this apart from `forward`."""
        _, ctx.backward, *tensors = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx: _Context, *grads: Tensor) -> tuple[Tensor | None, ...]:
        tensors = ctx.saved_tensors
        with torch.no_grad():
            gradients = ctx.backward(grads[0], tensors, ctx.needs_input_grad[2:])
        return (None, None, *without_gradients(gradients, grads[0], tensors))

    @staticmethod
    def vmap(
        batch: _Batch, axes: tuple[int | None, ...], run: Callable[..., Results],
        backward: Backward, *tensors: Tensor,
    ) -> tuple[Results, object]:  # fmt: skip
        """Call the function for each item, since its own axes count from an item's first one."""
        items = [_items(x, axis) for x, axis in zip(tensors, axes[2:], strict=True)]
        if not batch.batch_size:
            empty = run(*(next(x) for x in items))
            return _each(lambda x: x.new_empty((0, *x.shape)), empty), _each(lambda _: 0, empty)
        # Operands that all items share repeat forever.
        calls = islice(zip(*items, strict=False), batch.batch_size)
        rows = [with_gradient(run, backward, operands) for operands in calls]
        if isinstance(rows[0], tuple):
            columns = tuple(torch.stack(column) for column in zip(*rows, strict=True))
            return columns, (0,) * len(columns)
        return torch.stack(rows), 0


def _items(x: Tensor, axis: int | None) -> Iterator[Tensor]:
    """Yield the items of a batch, or what all of them share; zeros where there is none."""
    if axis is None:
        return repeat(x)
    if not x.shape[axis]:
        return repeat(x.new_zeros(x.shape[:axis] + x.shape[axis + 1 :]))
    return iter(x.unbind(axis))


def _each(function: Callable[[Tensor], _R], results: Results) -> _R | tuple[_R, ...]:
    """Apply a function to each result."""
    return tuple(map(function, results)) if isinstance(results, tuple) else function(results)


class _NoGradient(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Identity on a gradient that raises if it is differentiated again.

    Its derivative would depend on other tensors; raising is better than returning zero.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, *others: Tensor) -> Tensor:
        return x.clone()

    @staticmethod
    def setup_context(ctx: _Context, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        """Keep nothing: there is no gradient."""

    @staticmethod
    def backward(ctx: _Context, grad: Tensor) -> tuple[Tensor | None, ...]:
        raise NotImplementedError(
            "halfcl: expected one backward pass, got a gradient of a gradient; gradients are "
            "rounded to half and have none"
        )


def without_gradients(
    gradients: Sequence[Tensor | None], grad: Tensor, tensors: Sequence[Tensor]
) -> list[Tensor | None]:
    """Return gradients that raise if they are differentiated again."""
    if not torch.is_grad_enabled():
        return list(gradients)
    return [None if x is None else _NoGradient.apply(x, grad, *tensors) for x in gradients]


def with_gradient(
    run: Callable[..., object], backward: Backward, tensors: Sequence[Tensor]
) -> Results:
    """Call a function of tensors and attach its gradient; autograd tracks all tensors."""
    results: Results = _WithGradient.apply(run, backward, *tensors)
    return results
