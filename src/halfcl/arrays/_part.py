"""What the parts for libraries of arrays have in common: a call finds the home of its arrays, is
made there, and its results become the library's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Generic, Protocol, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

import halfcl as hc
from halfcl import _core
from halfcl._support.foreign import part_for
from halfcl.reductions import Accumulator
from halfcl.reductions._arguments import Call
from halfcl.reductions._functions import prepare_and_reduce
from halfcl.typing import RoundingMode


class Shaped(Protocol):
    """An array of any library."""

    @property
    def shape(self) -> tuple[int, ...]: ...


_A = TypeVar("_A", bound=Shaped)

#: A function of elements, vectors or matrices, on the host or on a device.
Function: TypeAlias = Callable[..., object]


class Home(Protocol[_A]):
    """Where arrays lie and functions of them run. There is one object for each such place, whose
    text is how it is told."""

    def entered(self) -> AbstractContextManager[object]:
        """What holds while a function runs there: a device and a stream may be current."""

    def taken(self, x: _A) -> object:
        """A library's array as functions there take it: the same memory."""

    def given(self, x: object) -> _A:
        """A result as the library's array."""

    def function(self, name: str) -> Function:
        """A function of halfcl."""

    def called(self, function: Function, args: list[object], kwargs: dict[str, object]) -> object:
        """A function that is none of the table's, as convert."""

    def reduced(self, call: Call) -> object: ...

    def accumulated(self, accumulator: Accumulator, arrays: Sequence[Any], where: Any) -> None: ...

    def running_sums(
        self, a: Any, axis: int | None, dtype: DTypeLike | None, out: Any,
        rounding: RoundingMode | None,
    ) -> object: ...  # fmt: skip

    def running_on(
        self, accumulator: Accumulator, a: Any, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object: ...  # fmt: skip

    def placed(self, x: NDArray[Any]) -> _A:
        """An array of the host, brought there."""

    def product(
        self, a: Any, b: Any, out: Any, exact: bool, rounding: RoundingMode | None
    ) -> object: ...


class Host(Generic[_A]):
    """The host, whose functions take a library's arrays as NumPy's."""

    def __init__(
        self, told: str, taken: Callable[[_A], object], given: Callable[[np.ndarray], _A]
    ) -> None:
        self._told, self.taken, self._given = told, taken, given

    def __str__(self) -> str:
        return self._told

    def entered(self) -> AbstractContextManager[object]:
        return np.errstate(all="ignore")  # no other library warns of what its elements become

    def given(self, x: object) -> _A:
        array = np.asarray(x)
        return self._given(array.view(np.float16) if array.dtype.type is hc.half else array)

    def function(self, name: str) -> Function:
        found: Function = getattr(hc, name)
        return found

    def called(self, function: Function, args: list[object], kwargs: dict[str, object]) -> object:
        return function(*args, **kwargs)

    def reduced(self, call: Call) -> object:
        return prepare_and_reduce(call)

    def accumulated(
        self, accumulator: Accumulator, arrays: Sequence[ArrayLike], where: ArrayLike
    ) -> None:
        accumulator.add(*arrays, where=where)

    def running_sums(
        self, a: ArrayLike, axis: int | None, dtype: DTypeLike | None, out: NDArray[Any] | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return hc.cumsum(a, axis, dtype, out, rounding=rounding)

    def running_on(
        self, accumulator: Accumulator, a: ArrayLike, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return accumulator.cumsum(a, dtype=dtype, rounding=rounding)

    def placed(self, x: NDArray[Any]) -> _A:
        return self.given(x)

    def product(
        self, a: ArrayLike, b: ArrayLike, out: NDArray[Any] | None, exact: bool,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return hc.matmul(a, b, out, exact=exact, rounding=rounding)


class Part(Generic[_A]):
    """A library's part: what foreign.py calls.

    array: the class of its arrays; home_of: finds an array's home, or raises a TypeError of what is
    wrong with it; other: makes of what is no array, as a dtype, what halfcl takes; is_written:
    whether its arrays can be written to.
    """

    #: Arrays of modes come here, too, to be taken or refused.
    takes_modes = True

    def __init__(
        self, array: type[_A] | tuple[type, ...], home_of: Callable[[_A], Home[_A]],
        other: Callable[[object], Any] = lambda x: x, is_written: bool = True,
    ) -> None:  # fmt: skip
        self._array, self._home_of, self._other = array, home_of, other
        self._is_written = is_written

    # ------------------------------------------------------------ calls

    def call_ufunc(
        self, ufunc: np.ufunc, args: Sequence[object], kwargs: Mapping[str, object],
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        """A call of a function of the table, in the mode asked for or the region's."""
        name = ufunc.__name__.rpartition("_")[0]
        inputs, outs = list(args[: ufunc.nin]), tuple(args[ufunc.nin :])
        if outs and "out" not in kwargs and len(outs) <= ufunc.nout:
            kwargs = {**kwargs, "out": outs + (None,) * (ufunc.nout - len(outs))}
        elif outs:
            inputs = list(args)  # for the function to refuse
        return self._made(
            name, inputs, {**kwargs, "rounding": rounding},
            lambda home, args, kwargs: home.function(name)(*args, **kwargs),
        )  # fmt: skip

    def call(self, function: Function, *args: object, **kwargs: object) -> object:
        """A call of a function that is none of the table's."""
        return self._made(
            function.__name__, args, kwargs,
            lambda home, args, kwargs: home.called(function, args, kwargs),
        )  # fmt: skip

    def call_method(
        self, ufunc: np.ufunc, method: str, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> object:
        """A method of a function of the table."""
        name, _, mode = ufunc.__name__.rpartition("_")
        if method == "outer" and ufunc.nin == 2 and ufunc.signature is None and len(args) == 2:
            one, other = self._axes_beside(*args)
            return self.call_ufunc(ufunc, (one, other), kwargs, mode)  # type: ignore[arg-type]
        raise TypeError(
            f"{name}.{method}: takes no {self._told(args)}: halfcl.sum, cumsum and their like are "
            "exact"
        )

    def _axes_beside(self, *operands: object) -> tuple[object, object]:
        """Two operands whose axes are apart, as those of outer are."""
        given: Any = operands
        one, other = given
        a, b = (len(x.shape) if self._is_own(x) else np.ndim(x) for x in given)
        return (one.reshape((*one.shape, *(1,) * b)) if a and b else one), other

    # ------------------------------------------------------------ reductions

    def reduce(self, call: Call) -> object:
        if call.out is None and call.where is True and all(map(self._is_own, call.arrays)):
            home = self._only_home(call)
            if home is not None:
                return self._reduced(home, call)
        return self._made(
            call.name, call.arrays, {"out": call.out, "where": call.where, "dtype": call.dtype},
            lambda home, args, kwargs: home.reduced(call._replace(arrays=tuple(args), **kwargs)),
        )  # fmt: skip

    def _only_home(self, call: Call) -> Home[_A] | None:
        """The home of a call's arrays, which are the library's; None if there are several."""
        arrays: Any = call.arrays
        try:
            home, *others = map(self._home_of, arrays)
        except TypeError as error:
            raise _named(call.name, error) from None
        return home if all(other is home for other in others) else None

    def _reduced(self, home: Home[_A], call: Call) -> object:
        """What `_made` makes, in a third of its steps, of arrays alone: the host's time is most of
        what a call of few elements takes."""
        with home.entered():
            try:
                taken: tuple[object, ...] = tuple(map(home.taken, call.arrays))  # type: ignore[arg-type]
                dtype: Any = None if call.dtype is None else self._other(call.dtype)
            except TypeError as error:
                raise _named(call.name, error) from None
            found = home.reduced(
                Call(call.name, taken, call.axis, dtype, None, call.keepdims, call.initial, True,
                     call.ddof, call.rounding)
            )  # fmt: skip
            return home.given(found)

    def cumsum(
        self, a: _A, axis: int | None, dtype: DTypeLike | None, out: object,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        return self._made(
            "cumsum", [a], {"dtype": dtype, "out": out},
            lambda home, args, kwargs: home.running_sums(
                args[0], axis, kwargs["dtype"], kwargs["out"], rounding
            ),
        )  # fmt: skip

    def accumulate(self, accumulator: Accumulator, arrays: Sequence[object], where: object) -> None:
        """What `Accumulator.add` does."""
        home = self._home("Accumulator.add", [*arrays, where])
        with home.entered():
            *taken, mask = self._all_taken("Accumulator.add", home, [*arrays, where])
            home.accumulated(accumulator, taken, mask)

    def cumsum_on(
        self, accumulator: Accumulator, a: _A, dtype: DTypeLike | None,
        rounding: RoundingMode | None,
    ) -> object:  # fmt: skip
        """What `Accumulator.cumsum` does."""
        return self._made(
            "Accumulator.cumsum", [a], {"dtype": dtype},
            lambda home, args, kwargs: home.running_on(
                accumulator, args[0], kwargs["dtype"], rounding
            ),
        )  # fmt: skip

    def placed(self, x: NDArray[Any], like: _A) -> _A:
        """An array of the host, brought to where another one lies."""
        home = self._home_of(like)
        with home.entered():
            return home.placed(x)

    def matmul(
        self, a: object, b: object, out: object, exact: bool, rounding: RoundingMode | None
    ) -> object:
        return self._made(
            "matmul", [a, b], {"out": out},
            lambda home, args, kwargs: home.product(
                args[0], args[1], kwargs["out"], exact, rounding
            ),
        )  # fmt: skip

    # ------------------------------------------------------------ homes

    def _made(
        self, name: str, args: Sequence[object], kwargs: Mapping[str, object],
        call: Callable[[Home[_A], list[Any], dict[str, Any]], object],
    ) -> object:  # fmt: skip
        """What a call makes at its arrays' home, as arrays of the library; or out."""
        outs = kwargs.get("out")
        if outs is not None and not self._is_written:
            raise TypeError(f"{name}: out: expected none, since these arrays are not written to")
        others = [x for key, x in kwargs.items() if key != "rounding"]
        home = self._home(name, [*args, *others])
        with home.entered():
            taken = self._all_taken(name, home, args)
            keywords = dict(zip(kwargs, self._all_taken(name, home, kwargs.values()), strict=True))
            if outs is not None:
                _check_apart(name, keywords["out"])
            made = call(home, taken, keywords)
            if outs is None and not isinstance(made, tuple):
                return home.given(made)
            results = made if isinstance(made, tuple) else (made,)
            targets = outs if isinstance(outs, tuple) else (outs,) * len(results)
            final = tuple(
                home.given(x) if out is None else out
                for x, out in zip(results, targets, strict=True)
            )
        return final if isinstance(made, tuple) else final[0]

    def _is_own(self, x: object) -> TypeGuard[_A]:
        return isinstance(x, self._array)

    def _all_taken(self, name: str, home: Home[_A], values: Iterable[object]) -> list[Any]:
        """Arguments as the home has them."""
        try:
            return [x if x is None else self._taken(home, x) for x in values]
        except TypeError as error:
            raise _named(name, error) from None

    def _taken(self, home: Home[_A], x: object) -> object:
        if self._is_own(x):
            return home.taken(x)
        if isinstance(x, (tuple, list)):
            return type(x)(self._taken(home, y) for y in x)
        return self._other(x)

    def _home(self, name: str, values: Sequence[object]) -> Home[_A]:
        """The one home of all arrays. TypeError if there are several."""
        found: dict[str, Home[_A] | None] = {}
        for x in _flat(values):
            if x is None:
                continue
            if self._is_own(x):
                try:
                    home = self._home_of(x)
                except TypeError as error:
                    raise _named(name, error) from None
                found[str(home)] = home
            elif (isinstance(x, np.ndarray) and x.ndim) or part_for(type(x)) is not None:
                found[_other_place(x)] = None
        (first, only), *more = found.items()
        if more or only is None:
            raise TypeError(
                f"{name}: expected arrays of one library on one device, got "
                f"{' and '.join([first, *(key for key, _ in more)])}"
            )
        return only

    def _told(self, values: Sequence[object]) -> str:
        return str(next(self._home_of(x) for x in values if self._is_own(x)))


def _named(name: str, error: TypeError) -> TypeError:
    """What is wrong with an argument is told with the function's name."""
    return TypeError(f"{name}: {error}")


def _check_apart(name: str, out: object) -> None:
    """ValueError if elements that are to be written lie in one place."""
    targets: Any = out if isinstance(out, tuple) else (out,)
    for x in targets:
        if not hasattr(x, "strides"):
            continue  # the function tells what it expected
        if any(step == 0 and length > 1 for step, length in zip(x.strides, x.shape, strict=True)):
            raise ValueError(
                f"{name}: out: expected elements in places of their own, got shape {x.shape} with "
                f"strides {x.strides}"
            )


def refuse_random() -> None:
    """RuntimeError where a region rounds at random, which what follows cannot."""
    if _core.rounds_at_random():
        raise RuntimeError(
            "halfcl.stability reruns what the host computes: devices and gradients know the four "
            "modes"
        )


def has_modes(rounding: object) -> bool:
    """Whether it is an array of modes."""
    return isinstance(rounding, np.ndarray)


def _flat(values: Sequence[object]) -> list[object]:
    """With what is in tuples, as in out=(a, b)."""
    return [y for x in values for y in (x if isinstance(x, tuple) else (x,))]


def _other_place(x: object) -> str:
    """How an array of another library is told."""
    if isinstance(x, np.ndarray):
        return "numpy.ndarray on the host"
    part = part_for(type(x))
    if isinstance(part, Part):
        return part._told([x])
    return f"{type(x).__module__}.{type(x).__name__}"
