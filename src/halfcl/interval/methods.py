"""Methods of NumPy's arrays that arrays of intervals have too: by NumPy's functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from halfcl.interval import registry
from halfcl.interval.bounds import HALF


class Methods:
    """What an `Interval`, decorated or not, has of an array beyond its shape and elements."""

    __slots__ = ()

    # ------------------------------------------------------------ numbers of each interval

    @property
    def mid(self: Any) -> Any:
        """The midpoints: `halfcl.interval.mid`."""
        return registry.UFUNCS["mid"](self)

    @property
    def rad(self: Any) -> Any:
        """The radii around `mid`: `halfcl.interval.rad`."""
        return registry.UFUNCS["rad"](self)

    @property
    def wid(self: Any) -> Any:
        """The widths: `halfcl.interval.wid`."""
        return registry.UFUNCS["wid"](self)

    # ------------------------------------------------------------ computing

    def sum(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The exact range of sums, rounded outward once: `halfcl.interval.sum`."""
        return registry.UFUNCS["sum"](self, axis, keepdims)

    def mean(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The exact range of means, rounded outward once: `halfcl.interval.mean`."""
        return registry.UFUNCS["mean"](self, axis, keepdims)

    def cumsum(self: Any, axis: Any = None) -> Any:
        """The exact range of sums so far, rounded outward once: `halfcl.interval.cumsum`."""
        return registry.UFUNCS["cumsum"](self, axis)

    def max(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The range of the greatest number."""
        return np.max(self, axis=axis, keepdims=keepdims)

    def min(self: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """The range of the least number."""
        return np.min(self, axis=axis, keepdims=keepdims)

    def clip(self: Any, min: Any = None, max: Any = None) -> Any:
        """The range of numbers kept between two bounds, as numpy.clip."""
        return np.clip(self, min, max)

    def dot(self: Any, other: Any) -> Any:
        """As numpy.dot: `halfcl.interval.dot`."""
        return np.dot(self, other)

    # ------------------------------------------------------------ elements

    def take(self: Any, indices: Any, axis: Any = None, mode: Any = "raise") -> Any:
        """As of an array."""
        return np.take(self, indices, axis=axis, mode=mode)

    def repeat(self: Any, repeats: Any, axis: Any = None) -> Any:
        """As of an array."""
        return np.repeat(self, repeats, axis=axis)

    def diagonal(self: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """As of an array."""
        return np.diagonal(self, offset, axis1, axis2)

    def fill(self: Any, value: Any) -> None:
        """As of an array: ``x[...] = value``, of one interval, number or text."""
        self[...] = value

    def item(self: Any, *index: Any) -> Any:
        """The only interval; or the one at an index, of all in order unless of each axis."""
        flat = np.ravel(self)
        if not index and flat.size != 1:
            raise ValueError(f"item: expected one interval, got shape {np.shape(self)}")
        return self[index] if len(index) > 1 else flat[(*index, 0)[0]]

    def tolist(self: Any) -> Any:
        """Lists in lists, of single intervals."""
        if np.ndim(self) == 0:
            return np.copy(self)
        return [row.tolist() for row in self]

    def astype(self: Any, dtype: Any, copy: bool = True) -> Any:
        """A copy, of half; `inf` and `sup` become other types."""
        if np.dtype(dtype) != HALF:
            raise TypeError(
                f"astype: intervals are of half, got {dtype!r}; x.inf.astype and x.sup.astype do it"
            )
        return np.copy(self) if copy else self
