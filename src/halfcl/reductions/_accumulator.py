"""A reduction in parts, which can be kept, sent and merged in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from halfcl import _core
from halfcl._support.foreign import adapter_for
from halfcl.reductions import _arguments as arguments, _serial as serial
from halfcl.reductions._arguments import FLOAT16, HALF, Array
from halfcl.reductions._functions import kept_first, shape_without, warn_of_few
from halfcl.reductions._packed import Packed
from halfcl.reductions._states import FOLDS, Partial
from halfcl.typing import RoundingMode


class Accumulator:
    """A reduction that takes arrays one after the other, and other accumulators.

    What it holds is exact: whatever is cut into parts anyhow, added in any order, merged in any
    order, sent to other processes and back, the result has the same bits. It takes 56 bytes for
    each result, 104 for variances, however many elements it has taken (up to 2^56 a result).

    Parameters
    ----------
    statistic : {"sum", "mean", "var", "std", "sumsq", "norm", "dot", "prod"}
    axis : int, tuple of ints or None
        The axes of each array that are reduced; None: all.
    keepdims : bool
        Whether results keep these axes, with length 1.

    Attributes
    ----------
    statistic : str
    shape : tuple of ints, or None
        That of the results; None before the first array.
    count : int64 array of that shape, or None
        How many elements each result is of.
    nbytes : int
        The size of what it holds.

    Raises
    ------
    ValueError, TypeError
        If an argument is none of these.

    Notes
    -----
    Accumulators can be pickled and copied. ``prod`` is as accurate as `halfcl.prod` says, and
    merged in another order may differ where that may be wrong.

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
        self._axis = serial.checked_axis(axis)
        self._keepdims = bool(keepdims)
        self._partial = Partial.empty(statistic, ())
        self._dims: int | None = None  # of the arrays
        self._plain = True  # whether all was float16

    @property
    def statistic(self) -> str:
        return self._partial.statistic

    @property
    def axis(self) -> int | tuple[int, ...] | None:
        """What is reduced of each array; None: all."""
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
        """Return what it weighs, by which Dask decides what to spill."""
        return object.__sizeof__(self) + self.nbytes

    def __repr__(self) -> str:
        return f"<Accumulator {self.statistic!r}: {int(self._partial.counts.sum())} elements>"

    def _with_ones(self, array: Array) -> Array:
        """Of the results' shape, with the axes that were reduced if they are kept."""
        if not self._keepdims or self._dims is None:
            return array
        reduced = arguments.axes("Accumulator", self._axis, self._dims)
        return np.expand_dims(array, reduced)

    # ------------------------------------------------------------ taking

    def _begin(self, shape: tuple[int, ...], dims: int) -> None:
        """Give the results a shape, or check that it is theirs."""
        if self._dims is None:
            self._partial = Partial.empty(self.statistic, shape)
            self._dims = dims
        elif self._partial.counts.shape != shape or self._dims != dims:
            raise ValueError(
                f"Accumulator: expected arrays of {self._dims} axes whose results have shape "
                f"{self._partial.counts.shape}, got {dims} axes and shape {shape}"
            )

    def add(self, a: ArrayLike, b: ArrayLike | None = None, /, *, where: ArrayLike = True) -> Self:
        """Take the elements of an array; for ``dot`` of two.

        Parameters
        ----------
        a, b : array_like of half or float16
            As the reduction takes them, on a GPU, too. ``b`` is for ``dot`` alone.
        where : array_like of bool, broadcast to their shape
            Which elements count.

        Returns
        -------
        Accumulator
            Itself.

        Raises
        ------
        TypeError, ValueError
            As the reduction raises them; if the results would have another shape than before.
            Nothing was taken then.
        """
        pair = self.statistic == "dot"
        if pair != (b is not None):
            raise TypeError(
                f"Accumulator.add: expected {'two arrays' if pair else 'one array'} for "
                f"{self.statistic!r}, got {'two' if b is not None else 'one'}"
            )
        for x in (a, b):
            part = adapter_for(type(x))
            if part is not None and hasattr(part, "accumulate"):
                part.accumulate(self, (a, b)[: 1 + pair], where)
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
        self._begin(shape_without(shape, reduced), len(shape))
        self._plain &= all(x.dtype.type is np.float16 for x in operands)
        self._partial.add(
            tuple(kept_first(x, reduced) for x in operands),
            None if used is None else kept_first(used, reduced),
        )
        return self

    def take(self, partial: Partial, dims: int, is_plain: bool) -> None:
        """Take what was accumulated elsewhere, of arrays of so many axes, all float16 or not."""
        self._begin(partial.counts.shape, dims)
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
        """Running sums that go on from all that was taken; then take the array, too.

        Parameters
        ----------
        a : array_like of half or float16
            The next part of what runs along the one axis of a ``sum``.
        dtype, rounding
            As `halfcl.cumsum` takes them, on a GPU, too.

        Returns
        -------
        array of half
            This part of what `halfcl.cumsum` gives for all parts in one array, bit for bit.

        Raises
        ------
        TypeError, ValueError
            As `add` and `halfcl.cumsum` raise them; if this is no sum along one axis. Nothing
            was taken then.

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
        part = adapter_for(type(a))
        if part is not None and hasattr(part, "continue_cumsum"):
            return part.continue_cumsum(self, a, dtype, rounding)
        array = arguments.numbers(name, "a", a)
        along = self.axis_of_cumsum(array.ndim)
        kind = arguments.result_dtype(name, dtype, (array,))
        found = np.empty(array.shape, kind)
        states = np.expand_dims(self.sums_before(array.shape), along)
        flags = _core.running_sums(arguments.as_halves(array), found, along, rounding, states)
        self.add(array)
        _core.report_flags(flags, "cumsum")
        return found

    def axis_of_cumsum(self, dims: int) -> int:
        """Along which sums of an array of so many axes run. ValueError if they cannot."""
        name = "Accumulator.cumsum"
        reduced = arguments.axes(name, self._axis, dims)
        if self.statistic != "sum" or len(reduced) != 1:
            raise ValueError(
                f"{name}: expected a sum along one axis, got {self.statistic!r} of {len(reduced)}"
            )
        return reduced[0]

    def sums_before(self, shape: tuple[int, ...]) -> Array:
        """The states that running sums of an array of this shape begin with."""
        self._begin(shape_without(shape, (self.axis_of_cumsum(len(shape)),)), len(shape))
        return self._partial.states["sum"]

    def start_from(self, initial: object) -> Self:
        """Take one half into each result, as ``initial=`` of a reduction does.

        Parameters
        ----------
        initial : half

        Returns
        -------
        Accumulator
            Itself. It does nothing before the first array, of which there are no results.
        """
        (start,) = arguments.numbers("Accumulator.start_from", "initial", [initial])
        if self._dims is not None:
            shape = self._partial.counts.shape
            self._partial.add((np.broadcast_to(start, (*shape, 1)),), None)
        return self

    def merge(self, other: Accumulator) -> Self:
        """Take what another accumulator has taken.

        Parameters
        ----------
        other : Accumulator
            Of the same statistic and axes, and results of the same shape. It stays as it is.

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
                f"Accumulator.merge: argument other: expected {mine[0]!r} of axis {mine[1]}, "
                f"got {theirs[0]!r} of axis {theirs[1]}"
            )
        if other._dims is None:
            return self
        self._begin(other._partial.counts.shape, other._dims)
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
        """What all elements taken so far give, rounded once.

        Parameters
        ----------
        ddof : int
            Of ``var`` and ``std``.
        dtype, rounding
            As the reduction takes them.

        Returns
        -------
        half, or array of half
            Of ``dtype`` if it is given, else float16 if all that came in was.

        Raises
        ------
        TypeError, ValueError
            As the reduction raises them.
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
        found = np.empty(partial.counts.shape, kind)
        _core.report_flags(partial.round_into(found, freedom, rounding), self.statistic)
        found = self._with_ones(found)
        return found if found.ndim else found[()]

    # ------------------------------------------------------------ copies, bytes

    def copy(self) -> Accumulator:
        """Another one that has taken the same."""
        return self.from_bytes(self.to_bytes())

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Accumulator:
        return self.copy()

    def to_bytes(self) -> bytes:
        """What it has taken, in a format of its own that `from_bytes` reads anywhere."""
        return serial.encoded(
            serial.Record(self._partial, self._axis, self._keepdims, self._dims, self._plain)
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The accumulator that `to_bytes` made bytes of.

        Parameters
        ----------
        data : bytes

        Returns
        -------
        Accumulator

        Raises
        ------
        ValueError, TypeError
            If these are not such bytes: of another version, cut off, or with states that no
            elements lead to.
        """
        record = serial.decoded(data)
        made = cls(record.partial.statistic, record.axis, record.keepdims)
        made._partial, made._dims, made._plain = record.partial, record.dims, record.plain
        return made

    def pack(self) -> Packed:
        """Return what it has taken in the least room."""
        return Packed.of_partial(self._partial)

    @classmethod
    def unpack(
        cls,
        packed: Packed,
        axis: object,
        keepdims: bool,
        dims: int | None,
        plain: bool = False,
        place: Any = ...,
    ) -> Self:
        """Return the accumulator that has taken what was packed for the results at a place."""
        accumulator = cls(packed.statistic, axis, keepdims)
        accumulator._partial = packed.partial(place)
        accumulator._dims, accumulator._plain = dims, plain
        return accumulator

    def __reduce__(self) -> tuple[Callable[..., Accumulator], tuple[object, ...]]:
        # Few and large buffers, which pickle's protocol 5 sends without a copy.
        state = self.pack(), self._axis, self._keepdims, self._dims, self._plain
        return type(self).unpack, state


__all__ = ["Accumulator"]
