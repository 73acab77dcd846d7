"""Random numbers in arrays: pyopencl.clrandom. They are NumPy's, and others than there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from halfcl._support.names import publish
from halfcl.cl.pyopencl._arrays import Array, to_device
from halfcl.cl.pyopencl._devices import CommandQueue, Context

__all__ = ["PhiloxGenerator", "ThreefryGenerator", "fill_rand", "rand"]


class PhiloxGenerator:
    """Random numbers of NumPy's Philox.

    Parameters
    ----------
    context : Context
    key, counter : optional
        Change nothing.
    seed : int, optional

    Examples
    --------
    >>> import numpy as np
    >>> import halfcl.cl.pyopencl as cl
    >>> from halfcl.cl.pyopencl.clrandom import PhiloxGenerator
    >>> context = cl.create_some_context()
    >>> numbers = PhiloxGenerator(context, seed=1)
    >>> x = numbers.uniform(cl.CommandQueue(context), 1000, np.float16, a=2, b=3)
    >>> bool((x >= 2).all()), bool((x <= 3).all())
    (True, True)
    """

    def __init__(
        self, context: Context, key: object = None, counter: object = None,
        seed: int | None = None,
    ) -> None:  # fmt: skip
        self.context = context
        self._random = np.random.Generator(np.random.Philox(seed))

    def uniform(
        self, queue: CommandQueue, shape: int | Iterable[int], dtype: DTypeLike,
        a: float = 0, b: float = 1,
    ) -> Array:  # fmt: skip
        """Between two numbers; integers are less than the second."""
        sizes = shape if isinstance(shape, int) else tuple(shape)
        return to_device(queue, self._drawn(sizes, np.dtype(dtype), a, b))

    def normal(
        self, queue: CommandQueue, shape: int | Iterable[int], dtype: DTypeLike,
        mu: float = 0, sigma: float = 1,
    ) -> Array:  # fmt: skip
        """Of a normal distribution."""
        sizes = shape if isinstance(shape, int) else tuple(shape)
        return to_device(queue, self._random.normal(mu, sigma, sizes).astype(dtype))

    def fill_uniform(
        self, ary: Array, a: float = 0, b: float = 1, queue: CommandQueue | None = None
    ) -> None:
        """Fill an array, between two numbers."""
        ary.set(self._drawn(ary.shape, ary.dtype, a, b), queue)

    def fill_normal(
        self, ary: Array, mu: float = 0, sigma: float = 1, queue: CommandQueue | None = None
    ) -> None:
        """Fill an array, of a normal distribution."""
        ary.set(self._random.normal(mu, sigma, ary.shape).astype(ary.dtype), queue)

    def _drawn(self, shape: Any, dtype: np.dtype[Any], a: float, b: float) -> Any:
        if dtype.kind in "iu":
            return self._random.integers(int(a), int(b), shape, dtype)
        return np.asarray(self._random.uniform(a, b, shape)).astype(dtype)


ThreefryGenerator = PhiloxGenerator


def fill_rand(result: Array, queue: CommandQueue | None = None, a: float = 0, b: float = 1) -> None:
    """Fill an array with numbers between two."""
    assert result.context is not None
    PhiloxGenerator(result.context).fill_uniform(result, a, b, queue)


def rand(
    queue: CommandQueue, shape: int | Iterable[int], dtype: DTypeLike, luxury: object = None,
    a: float = 0, b: float = 1,
) -> Array:  # fmt: skip
    """An array of numbers between two."""
    return PhiloxGenerator(queue.context).uniform(queue, shape, dtype, a, b)


publish(globals())
