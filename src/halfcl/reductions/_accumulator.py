"""Accumulators: reductions of several arrays, whose states can be stored, sent and merged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl import _core
from halfcl._support.foreign import adapter_for
from halfcl.reductions import _arguments as arguments, _serial as serial
from halfcl.reductions._arguments import FLOAT16, HALF, Array
from halfcl.reductions._functions import move_reduced_last, shape_without, warn_of_few
from halfcl.reductions._packed import Packed
from halfcl.reductions._states import FOLDS, Partial
from halfcl.typing import RoundingMode


class Accumulator:
    """A reduction to which arrays, and other accumulators, are added one after the other.

    Its state is exact: the result has the same bits however the elements are split into arrays, in
    whatever order these are added or accumulators merged, and wherever that happens. The state
    takes 56 bytes per result, 104 for variances, whatever the number of elements (up to 2^56 per
    result).

    Parameters
    ----------
    statistic : {"sum", "mean", "var", "std", "sumsq", "norm", "dot", "prod"}
    axis : int, tuple of ints or None
        The axes of each array to reduce; None: all.
    keepdims : bool
        Whether results keep these axes, with length 1.

    Attributes
    ----------
    statistic : str
    shape : tuple of ints, or None
        The shape of the results; None before the first array.
    count : int64 array of that shape, or None
        The number of elements in each result.
    nbytes : int
        The size of the state in bytes.

    Raises
    ------
    ValueError, TypeError
        If an argument is none of these.

    Notes
    -----
    Accumulators can be pickled and copied. ``prod`` is as accurate as `halfcl.prod`; another order
    of merging may change its result where that is not correctly rounded.

    Examples
    --------
    >>> import numpy as np, halfcl as hc
    >>> from halfcl.reductions import Accumulator
    >>> x = np.array([[6e4, 1], [6e4, 2], [-6e4, 4]], hc.half)
    >>> one, other = Accumulator("sum", axis=0).add(x[:2]), Accumulator("sum", axis=0).add(x[2:])
    >>> one.merge(other).result()
    array([6e+04, 7e+00], dtype=half)
    >>> Accumulator("var").add(x[0]).add(x[1:]).result(dtype=np.float32) == hc.var(x, dtype="f4")
    np.True_
    """

    __slots__ = ("_axis", "_dims", "_keepdims", "_partial", "_plain")

    def __init__(self, statistic: str, axis: object = None, keepdims: bool = False) -> None:
        if statistic not in FOLDS:
            raise ValueError(
                f"Accumulator: argument statistic: expected one of {', '.join(FOLDS)}, "
                f"got {statistic!r}"
            )
        self._axis = serial.check_axis(axis)
        self._keepdims = bool(keepdims)
        self._partial = Partial.empty(statistic, ())
        self._dims: int | None = None  # number of axes of the arrays
        self._plain = True  # whether all arrays were float16

    @property
    def statistic(self) -> str:
        return self._partial.statistic

    @property
    def axis(self) -> int | tuple[int, ...] | None:
        """The axes of each array to reduce; None: all."""
        return self._axis

    @property
    def shape(self) -> tuple[int, ...] | None:
        return None if self._dims is None else self._with_ones(self._partial.counts).shape

    @property
    def count(self) -> Array | None:
        return None if self._dims is None else self._with_ones(self._partial.counts).copy()

    @property
    def nbytes(self) -> int:
        partial = self._partial
        return partial.counts.nbytes + sum(s.nbytes for s in partial.states.values())

    def __sizeof__(self) -> int:
        """Return the size in bytes, by which Dask decides what to spill."""
        return object.__sizeof__(self) + self.nbytes

    def __repr__(self) -> str:
        return f"<Accumulator {self.statistic!r}: {int(self._partial.counts.sum())} elements>"

    def _with_ones(self, array: Array) -> Array:
        """Return an array of the results' shape with the reduced axes, if `keepdims`."""
        if not self._keepdims or self._dims is None:
            return array
        reduced = arguments.axes("Accumulator", self._axis, self._dims)
        return np.expand_dims(array, reduced)

    # ------------------------------------------------------------ input

    def _begin(self, name: str, shape: tuple[int, ...], dims: int) -> None:
        """Set the results' shape, or check that it equals that of earlier arrays."""
        if self._dims is None:
            self._partial = Partial.empty(self.statistic, shape)
            self._dims = dims
        elif self._partial.counts.shape != shape or self._dims != dims:
            raise ValueError(
                f"{name}: expected arrays of {self._dims} axes whose results have shape "
                f"{self._partial.counts.shape}, got {dims} axes and shape {shape}"
            )

    def add(self, a: ArrayLike, b: ArrayLike | None = None, /, *, where: ArrayLike = True) -> Self:
        """Add the elements of an array; for ``dot`` those of two arrays.

        Parameters
        ----------
        a, b : array_like of half or float16
            As for the reduction; arrays on a GPU, too. ``b`` is only for ``dot``.
        where : array_like of bool, broadcast to their shape
            Which elements to include.

        Returns
        -------
        Accumulator
            Itself.

        Raises
        ------
        TypeError, ValueError
            As for the reduction; also if the results would have another shape than before.
            The state is unchanged then.
        """
        pair = self.statistic == "dot"
        if pair != (b is not None):
            raise TypeError(
                f"Accumulator.add: expected {'two arrays' if pair else 'one array'} for "
                f"{self.statistic!r}, got {'two' if b is not None else 'one'}"
            )
        for x in (a, b):
            adapter = adapter_for(type(x))
            if adapter is not None and hasattr(adapter, "accumulate"):
                adapter.accumulate(self, (a, b)[: 1 + pair], where)
                return self
        name = "Accumulator.add"
        operands = tuple(
            arguments.numbers(name, argument, x) for argument, x in (("a", a), ("b", b))[: 1 + pair]
        )
        if pair:
            operands = arguments.broadcast(name, *operands)
        shape = operands[0].shape
        reduced = arguments.axes(name, self._axis, len(shape))
        used = arguments.truths(name, where, shape)
        self._begin(name, shape_without(shape, reduced), len(shape))
        self._plain &= all(x.dtype.type is np.float16 for x in operands)
        self._partial.add(
            tuple(move_reduced_last(x, reduced) for x in operands),
            None if used is None else move_reduced_last(used, reduced),
        )
        return self

    def add_partial(self, partial: Partial, dims: int, is_plain: bool) -> None:
        """Merge the states of arrays that were reduced elsewhere, such as on a device.

        dims: the number of axes of the arrays; is_plain: whether all were float16.
        """
        self._begin("Accumulator.add", partial.counts.shape, dims)
        self._plain &= is_plain
        self._partial.merge(partial)

    def cumsum(
        self,
        a: ArrayLike,
        /,
        *,
        dtype: DTypeLike | None = None,
        rounding: RoundingMode | None = None,
    ) -> Any:
        """Return running sums that continue from all elements so far; then add the array.

        Parameters
        ----------
        a : array_like of half or float16
            The next section along the one axis of a ``sum``; on a GPU, too.
        dtype, rounding
            As for `halfcl.cumsum`.

        Returns
        -------
        array of half
            This section of the result of `halfcl.cumsum` for all sections in one array, bit for
            bit.

        Raises
        ------
        TypeError, ValueError
            As for `add` and `halfcl.cumsum`; also if this is not a sum along one axis. The state
            is unchanged then.

        Examples
        --------
        >>> import numpy as np, halfcl as hc
        >>> from halfcl.reductions import Accumulator
        >>> so_far = Accumulator("sum", axis=0)
        >>> parts = np.array([[2048, 1], [1, 1]], hc.half)
        >>> [so_far.cumsum(part) for part in parts]
        [array([2048., 2048.], dtype=half), array([2050., 2052.], dtype=half)]
        """
        name = "Accumulator.cumsum"
        if rounding is not None:
            _core.check_mode(rounding)
        adapter = adapter_for(type(a))
        if adapter is not None and hasattr(adapter, "continue_cumsum"):
            return adapter.continue_cumsum(self, a, dtype, rounding)
        array = arguments.numbers(name, "a", a)
        along = self.axis_of_cumsum(array.ndim)
        kind = arguments.result_dtype(name, dtype, (array,))
        sums = np.empty(array.shape, kind)
        states = np.expand_dims(self.sums_before(array.shape), along)
        flags = _core.running_sums(arguments.as_halves(array), sums, along, rounding, states)
        self.add(array)
        _core.report_flags(flags, "cumsum")
        return sums

    def axis_of_cumsum(self, dims: int) -> int:
        """Return the axis along which sums of an array of `dims` axes run.

        Raises ValueError if this is not a sum along one axis.
        """
        name = "Accumulator.cumsum"
        reduced = arguments.axes(name, self._axis, dims)
        if self.statistic != "sum" or len(reduced) != 1:
            raise ValueError(
                f"{name}: expected a sum along one axis, got {self.statistic!r} along "
                f"{len(reduced)}"
            )
        return reduced[0]

    def sums_before(self, shape: tuple[int, ...]) -> Array:
        """Return the states with which running sums of an array of this shape begin."""
        along = self.axis_of_cumsum(len(shape))
        self._begin("Accumulator.cumsum", shape_without(shape, (along,)), len(shape))
        return self._partial.states["sum"]

    def start_from(self, initial: object) -> Self:
        """Add one half to each result, like ``initial=`` of a reduction.

        Parameters
        ----------
        initial : half

        Returns
        -------
        Accumulator
            Itself. Nothing is added before the first array, when there are no results yet.
        """
        (start,) = arguments.numbers("Accumulator.start_from", "initial", [initial])
        if self._dims is not None:
            shape = self._partial.counts.shape
            self._partial.add((np.broadcast_to(start, (*shape, 1)),), None)
        return self

    def merge(self, other: Accumulator) -> Self:
        """Add all elements of another accumulator.

        Parameters
        ----------
        other : Accumulator
            Has the same statistic and axes, and results of the same shape. It is not changed.

        Returns
        -------
        Accumulator
            Itself.

        Raises
        ------
        TypeError, ValueError
            If ``other`` is none of these.
        """
        if not isinstance(other, Accumulator):
            raise TypeError(
                f"Accumulator.merge: argument other: expected an Accumulator, "
                f"got {type(other).__name__}"
            )
        mine, theirs = (self.statistic, self._axis), (other.statistic, other._axis)
        if mine != theirs:
            raise ValueError(
                f"Accumulator.merge: argument other: expected {mine[0]!r} along axis {mine[1]}, "
                f"got {theirs[0]!r} along axis {theirs[1]}"
            )
        if other._dims is None:
            return self
        self._begin("Accumulator.merge", other._partial.counts.shape, other._dims)
        self._partial.merge(other._partial)
        self._plain &= other._plain
        return self

    # ------------------------------------------------------------ results

    def result(
        self,
        *,
        ddof: int = 0,
        dtype: DTypeLike | None = None,
        rounding: RoundingMode | None = None,
    ) -> Any:
        """Return the statistic of all elements so far, rounded once.

        Parameters
        ----------
        ddof : int
            As for ``var`` and ``std``.
        dtype, rounding
            As for the reduction.

        Returns
        -------
        half, or array of half
            Its dtype is ``dtype`` if that is given, else float16 if all arrays were float16.

        Raises
        ------
        TypeError, ValueError
            As for the reduction.
        """
        name = "Accumulator.result"
        if rounding is not None:
            _core.check_mode(rounding)
        partial = self._partial
        freedom = arguments.degrees(name, ddof)
        if dtype is None:
            kind = FLOAT16 if self._plain and self._dims is not None else HALF
        else:
            kind = arguments.result_dtype(name, dtype, ())
        warn_of_few(self.statistic, partial.counts, freedom, 3)
        results = np.empty(partial.counts.shape, kind)
        _core.report_flags(partial.round_into(results, freedom, rounding), self.statistic)
        results = self._with_ones(results)
        return results if results.ndim else results[()]

    # ------------------------------------------------------------ copies, bytes

    def copy(self) -> Accumulator:
        """Return an independent accumulator with the same state."""
        return self.from_bytes(self.to_bytes())

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Accumulator:
        return self.copy()

    def to_bytes(self) -> bytes:
        """Return the state in a format of halfcl's own, which `from_bytes` reads on any machine."""
        return serial.encode(
            serial.Record(self._partial, self._axis, self._keepdims, self._dims, self._plain)
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return the accumulator whose bytes `to_bytes` returned.

        Parameters
        ----------
        data : bytes

        Returns
        -------
        Accumulator

        Raises
        ------
        ValueError, TypeError
            If these are not such bytes: another version, truncated, or with states that no
            elements lead to.
        """
        record = serial.decode(data)
        accumulator = cls(record.partial.statistic, record.axis, record.keepdims)
        accumulator._partial, accumulator._dims = record.partial, record.dims
        accumulator._plain = record.plain
        return accumulator

    def pack(self) -> Packed:
        """Return the state in the fewest bytes."""
        return Packed.of_partial(self._partial)

    @classmethod
    def unpack(
        cls,
        packed: Packed,
        axis: object,
        keepdims: bool,
        dims: int | None,
        plain: bool = False,
        index: Any = ...,
    ) -> Self:
        """Return an accumulator with the packed states of the results at an index."""
        accumulator = cls(packed.statistic, axis, keepdims)
        accumulator._partial = packed.partial(index)
        accumulator._dims, accumulator._plain = dims, plain
        return accumulator

    def __reduce__(self) -> tuple[Callable[..., Accumulator], tuple[object, ...]]:
        # The packed state is a few large buffers, which pickle's protocol 5 sends without a copy.
        state = self.pack(), self._axis, self._keepdims, self._dims, self._plain
        return type(self).unpack, state


__all__ = ["Accumulator"]
