"""Values that are computed elsewhere, or later: no function takes them, and errors say what does.

A promise is recognised by its class's name, so that any library's is: concurrent.futures, asyncio,
distributed, dask.delayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NoReturn, Protocol

#: Methods that give the value, by the name of the class or of one of its bases.
_VALUE_METHODS = {"Future": "result", "Delayed": "compute"}


class _Named(Protocol):
    @property
    def __name__(self) -> str: ...


class _Call(Protocol):
    """A call of a reduction."""

    @property
    def name(self) -> str: ...

    @property
    def arrays(self) -> tuple[object, ...]: ...


def name_of_promise(cls: type) -> str | None:
    """Return "Future" or "Delayed" for a class of promises, else None."""
    for base in cls.__mro__:
        method = _VALUE_METHODS.get(base.__name__)
        if method is not None and hasattr(cls, method):
            return base.__name__
    return None


def refuse_promise(
    name: str, argument: str, x: object, expected: str = "numbers or an array"
) -> None:
    """Raise TypeError if an argument's value is not there yet."""
    promise = name_of_promise(type(x))
    if promise is not None:
        value = argument if argument.isidentifier() else promise.lower()
        raise TypeError(
            f"{name}: argument {argument}: expected {expected}, got {promise}; "
            f"{value}.{_VALUE_METHODS[promise]}() has its value"
        )


def _refuse(name: str, arguments: Iterable[tuple[str, object]]) -> NoReturn:
    for argument, x in arguments:
        refuse_promise(name, argument, x)
    raise TypeError(f"{name}: expected numbers or arrays, got a promise of one")


def _number_arguments(args: Iterable[object]) -> list[tuple[str, object]]:
    return [(str(i + 1), x) for i, x in enumerate(args)]


# ---------------------------------------------------------------- the adapter for promises

#: Calls with an array of modes are refused here, too.
takes_modes = True


def call(function: _Named, *args: object, **kwargs: object) -> NoReturn:
    """Refuse a call of a function."""
    _refuse(function.__name__, [*_number_arguments(args), *kwargs.items()])


def call_ufunc(
    ufunc: _Named, args: list[object], kwargs: Mapping[str, object], rounding: object
) -> NoReturn:
    """Refuse a call of a ufunc."""
    name = ufunc.__name__.rpartition("_")[0]
    _refuse(name, [*_number_arguments(args), *kwargs.items()])


def call_method(
    ufunc: _Named, method: str, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> NoReturn:
    """Refuse a call of a method of a ufunc."""
    call_ufunc(ufunc, list(args), kwargs, None)


def reduce(call: _Call) -> NoReturn:
    """Refuse a call of a reduction."""
    _refuse(call.name, zip("ab", call.arrays, strict=False))


def cumsum(a: object, *others: object) -> NoReturn:
    """Refuse running sums."""
    _refuse("cumsum", [("a", a)])


def matmul(a: object, b: object, *others: object) -> NoReturn:
    """Refuse a product of matrices."""
    _refuse("matmul", [("a", a), ("b", b)])
