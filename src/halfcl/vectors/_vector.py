"""The base of all vector types: arrays that know whether they are still vectors.

Why an object changes its class
-------------------------------
NumPy's C code creates the results of `take`, `ravel`, `concatenate`, `argsort` and some
thirty more like their arguments: it allocates an object of the argument's class, with the
shape and dtype of the result, and calls `__array_finalize__`. That returns nothing, so it
cannot replace an object that is not a vector any more. Unchanged, a half4 of another width
would lack the components that its class names. So its class becomes `_Widthless`, an ndarray
in all but its class. `_unwrap_widthless` views it as a plain array in the results of NumPy's
functions and methods, so that users hardly ever see it.

Alternatives that fail:

- ndarray itself as the class: an object of a class written in Python has a header for
  garbage collection before it, and an ndarray does not. CPython refuses, rightly: when freed
  as an ndarray, it would corrupt the heap.
- Plain arrays in, vectors out, in `__array_function__`: a result with the right last axis
  does not show whether it is the vector's. For 4 by 4 vectors, ``np.moveaxis(a, 0, -1)`` looks
  like ``np.moveaxis(a, 0, 1)``. Methods such as ``a.take(…)`` would be missing, too.
- A check of each result's shape, without another class: in results with fewer axes, as of
  ``a.ravel()`` or ``a.take(0, axis=-1)``, the shape may fit by chance.
- No subclass of ndarray at all: NumPy's functions would not accept vectors.

So vectors do not share `_support.duck_arrays`, whose classes consist of several arrays and replace
NumPy's functions. Of a vector, NumPy's own functions move the elements.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import Any, SupportsIndex, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl._core import is_vector
from halfcl._support.results import Result, Results
from halfcl.vectors import _swizzle as swizzle
from halfcl.vectors._indexing import as_index, keeps_last_axis
from halfcl.vectors._literals import literal
from halfcl.vectors._operands import check_plain_operands
from halfcl.vectors._registry import VectorBase, as_plain, as_vector, width_of
from halfcl.vectors._ufuncs import Keywords, array_ufunc, is_last_reduced

_T = TypeVar("_T")


class VectorType(type):
    """The metaclass of vector classes, which makes them dtypes to NumPy."""

    element: np.dtype[Any]
    width: int

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object]
    ) -> VectorType:
        cls = super().__new__(mcs, name, bases, {"__slots__": (), **namespace})
        # Objects can change their class, as _Widthless needs, only between equal layouts.
        if (cls.__basicsize__, cls.__dictoffset__) != (np.ndarray.__basicsize__, 0):
            raise TypeError(f"{name}: vectors have components only: expected no slots, no __dict__")
        return cls

    @property
    def dtype(cls) -> np.dtype[Any]:
        """The dtype of one vector: a subarray."""
        return np.dtype((cls.element, (cls.width,)))

    #: The attribute that NumPy 2.4 and later reads first.
    __numpy_dtype__ = dtype

    def __dir__(cls) -> list[str]:
        """Return the names that vectors add, by which `help` leaves out ndarray's many pages.

        A vector itself lists all.
        """
        return sorted(name for name in _ADDED if not name.startswith("_"))

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__name__}'>"


#: NumPy's functions of several arrays that return bools.
_COMPARISONS = frozenset({np.isclose, np.allclose})
#: NumPy's functions that divide sums of vectors by counts in plain arrays.
_AVERAGES = frozenset({np.nanmean, np.nanvar, np.nanstd})
#: NumPy's functions that return plain arrays, although the last axis stays the vector.
_WIDTH_KEEPING = frozenset({np.broadcast_to, np.where})


class _Widthless(np.ndarray):
    """The class of arrays that NumPy's C code created as vectors, but that have another width.

    An object of a class written in Python cannot become a real ndarray, but an object of this
    class. `_unwrap_widthless` makes it a plain array before users see it.
    """

    __slots__ = ()

    def __array_wrap__(
        self, array: NDArray[Any], context: object = None, return_scalar: bool = False
    ) -> Any:
        return array[()] if return_scalar and array.ndim == 0 else array

    def __repr__(self) -> str:
        return repr(as_plain(self))


def _unwrap_widthless(result: object) -> Any:
    """Return NumPy's result with plain arrays where vectors lost their width."""
    if type(result) is _Widthless:
        return as_plain(result)
    if isinstance(result, tuple | list) and any(type(x) is _Widthless for x in result):
        items = [_unwrap_widthless(x) for x in result]
        return type(result)._make(items) if hasattr(result, "_make") else type(result)(items)
    return result


def _call_on_plain(
    func: Callable[..., _T], args: Iterable[object], kwargs: Mapping[str, object]
) -> _T:
    """Call a function with plain arrays in place of vectors."""
    plain = [as_plain(x) if isinstance(x, VectorBase) else x for x in (*args, *kwargs.values())]
    count = len(plain) - len(kwargs)
    return func(*plain[:count], **dict(zip(kwargs, plain[count:], strict=True)))


def _average(
    func: Callable[..., Result],
    a: NDArray[Any],
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
    *args: object,
    **kwargs: Any,
) -> Result:
    """Return an average of vectors as vectors, or as a plain array if the last axis is reduced."""
    result = _call_on_plain(func, (a, axis, *args), kwargs)
    if kwargs.get("out") is not None:
        return kwargs["out"]
    return result if is_last_reduced(axis, np.ndim(a)) else as_vector(result, width_of(a))


def _check_clip(
    vector: VectorBase,
    a: object = None,
    a_min: object = None,
    a_max: object = None,
    *args: object,
    **kwargs: object,
) -> None:
    """Raise the TypeError that clip's ufunc would raise.

    After a TypeError from the ufunc, numpy.clip would continue without vectors.
    """
    operands = [a, a_min, a_max, kwargs.get("min"), kwargs.get("max")]
    check_plain_operands(
        "clip", operands, [x for x in operands if isinstance(x, VectorBase)] or [vector]
    )


def _unpickled(kind: type[Vector], array: NDArray[Any]) -> Vector:
    """Return a pickled vector."""
    return array.view(kind)


class Vector(VectorBase, metaclass=VectorType):
    """A vector, or an array of vectors on its last axis; the base of the vector types."""

    __slots__ = ()
    # np.concatenate returns the class with the highest priority among its arguments.
    __array_priority__ = 1.0

    def __new__(cls, *components: object) -> Any:
        return literal(cls.__name__, cls.width, cls.element, components).view(cls)

    def __array_finalize__(self, source: object) -> None:
        """Check a new object of the class, which NumPy creates like a source or as a view of it."""
        fits = is_vector(self, self.width, self.element)
        if not isinstance(source, Vector) and source is not None:  # x.view(half4)
            if not fits:
                self._refuse()
        elif not fits or (source is not None and source.ndim != self.ndim):
            # C code created it like a vector, or joined some. With fewer axes, the last one may
            # not be the vector any more; methods that know it is make it a vector again.
            object.__setattr__(self, "__class__", _Widthless)

    def _refuse(self) -> None:
        name = type(self).__name__
        if self.dtype != self.element:
            raise TypeError(
                f"{name}: expected an array of {self.element}, got {self.dtype}; "
                f"use halfcl.convert_{name}(x)"
            )
        raise ValueError(
            f"{name}: expected a last axis of length {self.width}, got shape {self.shape}"
        )

    # ------------------------------------------------------------ components

    def __getattr__(self, name: str) -> Any:
        # Called only on first use; it adds the attribute to the class.
        return swizzle.component(type(self), name).__get__(self)

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        if name in ("shape", "dtype", "strides"):
            raise AttributeError(
                f"{type(self).__name__}.{name}: cannot be set; use reshape, view or astype, which "
                "return new arrays"
            )
        if name in ("flat", "real", "imag"):
            setattr(as_plain(self), name, value)
        else:
            swizzle.assign(self, self.width, name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *swizzle.names(self.width)})

    # ------------------------------------------------------------ indexing and shape

    def __getitem__(self, index: Any) -> Any:
        index = as_index(index)
        result = as_plain(self)[index]
        if keeps_last_axis(index, self.ndim) and result.shape[-1] == self.width:
            return result.view(type(self))
        return result

    def __setitem__(self, index: object, value: object) -> None:
        as_plain(self)[as_index(index)] = value

    def view(self, *args: object, **kwargs: object) -> Any:
        """Return a view, as `numpy.ndarray.view`; vectors for another dtype of the same size."""
        if not args and not kwargs:
            return np.ndarray.view(self)
        result = as_plain(self).view(*args, **kwargs)
        arguments = (*args, *kwargs.values())
        if any(isinstance(x, type) and issubclass(x, np.ndarray) for x in arguments):
            return result
        return as_vector(result, self.width)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Return a copy of another type, as `numpy.ndarray.astype`; vectors if possible."""
        width = width_of(dtype)
        if width not in (0, self.width):
            raise ValueError(
                f"astype: dtype: expected vectors of {self.width}, got {dtype.__name__}"
            )
        result = as_plain(self).astype(dtype.element if width else dtype, *args, **kwargs)
        return as_vector(result, self.width)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """Return another shape, as `numpy.ndarray.reshape`; vectors if the last axis stays."""
        result = as_plain(self).reshape(*shape, **kwargs)
        return as_vector(result, self.width) if kwargs.get("order", "C") == "C" else result

    def squeeze(
        self, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None
    ) -> NDArray[Any]:
        """Drop axes of length 1, as `numpy.ndarray.squeeze`; vectors are never that short."""
        return as_vector(as_plain(self).squeeze(axis), self.width)

    # Overridden, because NumPy transposes after it has called __array_finalize__.
    def transpose(self, *axes: Any) -> Any:
        """Permute axes, as `numpy.ndarray.transpose`; vectors if the last axis stays last."""
        result = as_plain(self).transpose(*axes)
        order = axes[0] if len(axes) == 1 and np.ndim(axes[0]) else axes
        stays = self.ndim == 1 or (len(order) > 0 and order[-1] in (-1, self.ndim - 1))
        return as_vector(result, self.width) if stays else result

    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> Any:
        """Exchange axes, as `numpy.ndarray.swapaxes`; vectors if the last axis stays last."""
        result = as_plain(self).swapaxes(axis1, axis2)
        moved = {index(axis1) % self.ndim, index(axis2) % self.ndim}
        stays = len(moved) == 1 or self.ndim - 1 not in moved
        return as_vector(result, self.width) if stays else result

    def round(self, *args: Any, **kwargs: Any) -> Any:
        """Round components, as `numpy.ndarray.round`."""
        return as_vector(as_plain(self).round(*args, **kwargs), self.width)

    # Overridden, because NumPy's last step calls the dtype's class, which knows no vectors.
    def mean(
        self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Return the mean, as `numpy.ndarray.mean`; vectors if the last axis stays."""
        result = as_plain(self).mean(axis, *args, **kwargs)
        return result if is_last_reduced(axis, self.ndim) else as_vector(result, self.width)

    @property
    def T(self) -> Any:
        """The transpose, as `numpy.ndarray.T`."""
        return self.transpose()

    @property
    def mT(self) -> Any:
        """The matrix transpose, as `numpy.ndarray.mT`."""
        return as_plain(self).mT

    def resize(self, *args: object, **kwargs: object) -> None:
        """Raise ValueError; `numpy.resize` returns a new array."""
        raise ValueError(f"{type(self).__name__}.resize: cannot resize in place; use numpy.resize")

    # ------------------------------------------------------------ NumPy's protocols

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: ArrayLike, **kwargs: Unpack[Keywords]
    ) -> Results:
        return array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: Iterable[Any],
        kwargs: Mapping[str, Any],
    ) -> object:
        if func in _COMPARISONS:
            return _call_on_plain(func, args, kwargs)
        if func is np.clip:
            _check_clip(self, *args, **kwargs)
        if func in _AVERAGES:
            return _average(func, *args, **kwargs)
        result = _unwrap_widthless(super().__array_function__(func, types, args, kwargs))
        return as_vector(result, self.width) if func in _WIDTH_KEEPING else result

    def __array_wrap__(
        self, array: NDArray[Any], context: object = None, return_scalar: bool = False
    ) -> Any:
        if return_scalar and array.ndim == 0:
            return array[()]
        return as_vector(array, self.width) if array.ndim == self.ndim else array

    def __reduce_ex__(self, protocol: object) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _unpickled, (type(self), as_plain(self))

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.size == 0:
            return f"{name}([], shape={self.shape})"
        return f"{name}({np.array2string(as_plain(self), separator=', ', prefix=name + '(')})"


def _wrap_method(method: Callable[..., object]) -> Callable[..., object]:
    """Return a method of ndarray that unwraps results which are not vectors any more."""

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> object:
        return _unwrap_widthless(method(*args, **kwargs))

    return call


#: The names of the methods and attributes that differ from ndarray's.
_ADDED = frozenset({*vars(Vector), *VectorBase.__annotations__, "dtype"})

for _name in (
    "argmax", "argmin", "argpartition", "argsort", "choose", "compress", "diagonal", "dot",
    "flatten", "getfield", "ravel", "repeat", "searchsorted", "take", "trace",
):  # fmt: skip
    setattr(Vector, _name, _wrap_method(getattr(np.ndarray, _name)))
