"""What all vector types have in common: arrays that know whether they are still vectors.

Why an object changes its class
-------------------------------
NumPy's C code makes the results of `take`, `ravel`, `concatenate`, `argsort` and some
thirty more like their arguments: it allocates an object of the argument's class, of the
shape and dtype that the result has, and tells `__array_finalize__`. That returns nothing:
it cannot give another object in place of one that is no vector any more. Left as it is, a
half4 of another width would lack the components that its class names. So it is made an
object of `_Widthless`, an ndarray in all but its class. Where it comes out of NumPy's
functions and methods `_settled` views it as a plain array, so that hardly anybody sees it.

What does not do instead:

- ndarray itself as the class: an object of a class written in Python has a header for
  garbage collection before it, and an ndarray has not. CPython refuses, rightly: freed as
  an ndarray it would corrupt the heap.
- Plain arrays in, vectors out, in `__array_function__`: of a result with the right last
  axis that does not tell whether it is the vector's; of 4 by 4 vectors ``np.moveaxis(a, 0,
  -1)`` looks like ``np.moveaxis(a, 0, 1)``. It leaves out the methods, ``a.take(…)``, too.
- A look at each result's shape where it comes out, without another class: of results with
  fewer axes, as of ``a.ravel()`` or ``a.take(0, axis=-1)``, the shape may fit by chance.
- No subclass of ndarray at all: NumPy's functions would not take vectors.
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
from halfcl.vectors._beside import check_beside
from halfcl.vectors._indexing import as_index, keeps_last_axis
from halfcl.vectors._literals import literal
from halfcl.vectors._registry import VectorBase, as_plain, as_vector, width_of
from halfcl.vectors._ufuncs import Keywords, array_ufunc, reduces_last

_T = TypeVar("_T")


class VectorType(type):
    """The type of the classes: what makes them dtypes to NumPy."""

    element: np.dtype[Any]
    width: int

    def __new__(
        mcs, name: str, bases: tuple[type, ...], namespace: dict[str, object]
    ) -> VectorType:
        cls = super().__new__(mcs, name, bases, {"__slots__": (), **namespace})
        # Only among classes laid out alike can an object change its own, as _Widthless needs.
        if (cls.__basicsize__, cls.__dictoffset__) != (np.ndarray.__basicsize__, 0):
            raise TypeError(f"{name}: vectors have components only: expected no slots, no __dict__")
        return cls

    @property
    def dtype(cls) -> np.dtype[Any]:
        """The dtype of one vector: a subarray."""
        return np.dtype((cls.element, (cls.width,)))

    #: Where NumPy looks first, since 2.4.
    __numpy_dtype__ = dtype

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__}.{cls.__name__}'>"


#: NumPy's functions of several arrays that give its bools, as its isnan does.
_COMPARING = frozenset({np.isclose, np.allclose})
#: What divides sums of vectors by counts in plain arrays.
_AVERAGING = frozenset({np.nanmean, np.nanvar, np.nanstd})
#: What makes plain arrays of any arrays, though vectors stay vectors in it.
_KEEPING = frozenset({np.broadcast_to, np.where})


class _Widthless(np.ndarray):
    """What NumPy's C code is given where it made a vector that is none.

    An object of a class written in Python cannot turn into an ndarray proper, but into
    one of this class. `_settled` makes it one before users see it.
    """

    __slots__ = ()

    def __array_wrap__(
        self, array: NDArray[Any], context: object = None, return_scalar: bool = False
    ) -> Any:
        return array[()] if return_scalar and array.ndim == 0 else array

    def __repr__(self) -> str:
        return repr(as_plain(self))


def _settled(result: object) -> Any:
    """What NumPy returned, with plain arrays where vectors lost their width."""
    if type(result) is _Widthless:
        return as_plain(result)
    if isinstance(result, tuple | list) and any(type(x) is _Widthless for x in result):
        settled = [_settled(x) for x in result]
        return type(result)._make(settled) if hasattr(result, "_make") else type(result)(settled)
    return result


def _of_plain(func: Callable[..., _T], args: Iterable[object], kwargs: Mapping[str, object]) -> _T:
    """What a function gives of plain arrays in place of the vectors."""
    plain = [as_plain(x) if isinstance(x, VectorBase) else x for x in (*args, *kwargs.values())]
    count = len(plain) - len(kwargs)
    return func(*plain[:count], **dict(zip(kwargs, plain[count:], strict=True)))


def _averaged(
    func: Callable[..., Result],
    a: NDArray[Any],
    axis: SupportsIndex | Sequence[SupportsIndex] | None = None,
    *args: object,
    **kwargs: Any,
) -> Result:
    """An average of vectors, or what it is of plain arrays where the last axis is lost."""
    result = _of_plain(func, (a, axis, *args), kwargs)
    if kwargs.get("out") is not None:
        return kwargs["out"]
    return result if reduces_last(axis, np.ndim(a)) else as_vector(result, width_of(a))


def _check_clip(
    vector: VectorBase,
    a: object = None,
    a_min: object = None,
    a_max: object = None,
    *args: object,
    **kwargs: object,
) -> None:
    """What its ufunc checks: a TypeError from that, and numpy.clip would go on without vectors."""
    operands = [a, a_min, a_max, kwargs.get("min"), kwargs.get("max")]
    check_beside("clip", operands, [x for x in operands if isinstance(x, VectorBase)] or [vector])


def _unpickled(kind: type[Vector], array: NDArray[Any]) -> Vector:
    """What unpickling calls."""
    return array.view(kind)


class Vector(VectorBase, metaclass=VectorType):
    """A vector, or an array of vectors on its last axis; the base of the vector types."""

    __slots__ = ()
    # The result of np.concatenate is of the arguments' class that has the highest.
    __array_priority__ = 1.0

    def __new__(cls, *components: object) -> Any:
        return literal(cls.__name__, cls.width, cls.element, components).view(cls)

    def __array_finalize__(self, source: object) -> None:
        """Called with each new object of the class, and with what it is made like or of."""
        fits = is_vector(self, self.width, self.element)
        if not isinstance(source, Vector) and source is not None:  # x.view(half4)
            if not fits:
                self._refuse()
        elif not fits or (source is not None and source.ndim != self.ndim):
            # Made by C code like a vector, or by joining some. Of what has fewer axes nobody
            # knows whether the last is still the vector; who does know makes it one again.
            object.__setattr__(self, "__class__", _Widthless)

    def _refuse(self) -> None:
        name = type(self).__name__
        if self.dtype != self.element:
            raise TypeError(
                f"{name}: expected an array of {self.element}, got {self.dtype}; "
                f"halfcl.convert_{name}(x) converts"
            )
        raise ValueError(
            f"{name}: expected a last axis of length {self.width}, got shape {self.shape}"
        )

    # ------------------------------------------------------------ components

    def __getattr__(self, name: str) -> Any:
        # Called only where the class has no such attribute: the next time it has.
        return swizzle.component(type(self), name).__get__(self)

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        if name in ("shape", "dtype", "strides"):
            raise AttributeError(
                f"{type(self).__name__}.{name}: cannot be set; reshape, view and astype "
                "give new arrays"
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
        """`numpy.ndarray.view`; of another dtype of the same size, vectors of that."""
        if not args and not kwargs:
            return np.ndarray.view(self)
        result = as_plain(self).view(*args, **kwargs)
        asked = (*args, *kwargs.values())
        if any(isinstance(x, type) and issubclass(x, np.ndarray) for x in asked):
            return result
        return as_vector(result, self.width)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """`numpy.ndarray.astype`: vectors of that type, if there are."""
        width = width_of(dtype)
        if width not in (0, self.width):
            raise ValueError(
                f"astype: dtype: expected vectors of {self.width}, got {dtype.__name__}"
            )
        result = as_plain(self).astype(dtype.element if width else dtype, *args, **kwargs)
        return as_vector(result, self.width)

    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        """`numpy.ndarray.reshape`: vectors, if the last axis stays."""
        result = as_plain(self).reshape(*shape, **kwargs)
        return as_vector(result, self.width) if kwargs.get("order", "C") == "C" else result

    def squeeze(
        self, axis: SupportsIndex | tuple[SupportsIndex, ...] | None = None
    ) -> NDArray[Any]:
        """`numpy.ndarray.squeeze`: no vector is as short as 1."""
        return as_vector(as_plain(self).squeeze(axis), self.width)

    # NumPy's C code transposes an array after it has called __array_finalize__.
    def transpose(self, *axes: Any) -> Any:
        """`numpy.ndarray.transpose`: vectors, if the last axis stays the last."""
        result = as_plain(self).transpose(*axes)
        order = axes[0] if len(axes) == 1 and np.ndim(axes[0]) else axes
        stays = self.ndim == 1 or (len(order) > 0 and order[-1] in (-1, self.ndim - 1))
        return as_vector(result, self.width) if stays else result

    def swapaxes(self, axis1: SupportsIndex, axis2: SupportsIndex) -> Any:
        """`numpy.ndarray.swapaxes`: vectors, if the last axis stays the last."""
        result = as_plain(self).swapaxes(axis1, axis2)
        moved = {index(axis1) % self.ndim, index(axis2) % self.ndim}
        stays = len(moved) == 1 or self.ndim - 1 not in moved
        return as_vector(result, self.width) if stays else result

    def round(self, *args: Any, **kwargs: Any) -> Any:
        """`numpy.ndarray.round`."""
        return as_vector(as_plain(self).round(*args, **kwargs), self.width)

    # NumPy ends it with a call of the dtype's class, which knows no vectors.
    def mean(
        self, axis: SupportsIndex | Sequence[SupportsIndex] | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """`numpy.ndarray.mean`: vectors, if the last axis stays."""
        result = as_plain(self).mean(axis, *args, **kwargs)
        return result if reduces_last(axis, self.ndim) else as_vector(result, self.width)

    @property
    def T(self) -> Any:
        """`numpy.ndarray.T`."""
        return self.transpose()

    @property
    def mT(self) -> Any:
        """`numpy.ndarray.mT`."""
        return as_plain(self).mT

    def resize(self, *args: object, **kwargs: object) -> None:
        """Refused: `numpy.resize` gives a new array."""
        raise ValueError(
            f"{type(self).__name__}.resize: cannot resize in place; numpy.resize gives a new array"
        )

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
        if func in _COMPARING:
            return _of_plain(func, args, kwargs)
        if func is np.clip:
            _check_clip(self, *args, **kwargs)
        if func in _AVERAGING:
            return _averaged(func, *args, **kwargs)
        result = _settled(super().__array_function__(func, types, args, kwargs))
        return as_vector(result, self.width) if func in _KEEPING else result

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


def _settling(method: Callable[..., object]) -> Callable[..., object]:
    """A method of ndarray whose result may not be vectors any more."""

    @functools.wraps(method)
    def call(*args: object, **kwargs: object) -> object:
        return _settled(method(*args, **kwargs))

    return call


for _name in (
    "argmax", "argmin", "argpartition", "argsort", "choose", "compress", "diagonal", "dot",
    "flatten", "getfield", "ravel", "repeat", "searchsorted", "take", "trace",
):  # fmt: skip
    setattr(Vector, _name, _settling(getattr(np.ndarray, _name)))
