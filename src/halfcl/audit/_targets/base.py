"""The interface of targets, and helpers for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Protocol, TypeVar, runtime_checkable

from halfcl._support.extras import MissingPackageError
from halfcl.audit._records import TargetInfo
from halfcl.audit._results.mistakes import Array
from halfcl.typing import RoundingMode

_R = TypeVar("_R")

#: The dtypes between which and half libraries convert.
NUMBER_TYPES = ("float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                "int64", "uint64")  # fmt: skip


class TargetError(RuntimeError):
    """A target cannot be found or has broken down, such as a lost device; one line."""


class UnsupportedError(RuntimeError):
    """Raised by a call if the library has the function, but not for half: the audit continues."""


@dataclass(frozen=True)
class Call:
    """A function of a target.

    Parameters
    ----------
    spelled : str
        The called expression, as users write it: ``"torch.special.erf"``.
    function : callable
        Accepts contiguous native arrays of one dimension and one length, float16 for halves and
        int32 for integers. Returns an array of the same length, or a tuple for several results:
        float16, bool, or int32 for integers. For functions of vectors, arguments have the shape
        (n, k), as have results that are vectors.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The mode of the correct results.
    widths : tuple of int, optional
        For functions of vectors: the numbers of components.
    computes : str, optional
        halfcl's name of the function, if the key among the target's functions is another, since
        several compute the same.
    """

    spelled: str
    function: Callable[..., object]
    rounding: RoundingMode = "rte"
    widths: tuple[int, ...] = (2, 3, 4)
    computes: str = ""

    def __call__(self, *arguments: Array) -> object:
        return self.function(*arguments)


@dataclass(frozen=True)
class Conversion(Call):
    """A conversion of a target, from arrays of one dtype to another.

    Parameters
    ----------
    source, destination : str
        NumPy's names of the dtypes: ``"float32"``, ``"float16"``.
    saturate : bool, optional
        Whether numbers beyond an integer's range become the nearest integer; if not, they are
        not tested.
    label : str, optional
        Its name in reports, if the target has several conversions between these dtypes.
    """

    source: str = "float32"
    destination: str = "float16"
    saturate: bool = False
    label: str = ""


@runtime_checkable
class Target(Protocol):
    """A library on a device."""

    def describe(self) -> TargetInfo:
        """Return its name, library, version, device, and other facts."""

    def functions(self) -> Mapping[str, Call]:
        """Return its functions by halfcl's names: "exp", "isnan", "pow", "sincos" and so on."""

    def conversions(self) -> Iterable[Conversion]:
        """Return its conversions from and to half."""

    def vectors(self) -> Mapping[str, Call]:
        """Return its functions of vectors by halfcl's names: "length", "dot" and so on."""


@runtime_checkable
class ReductionTarget(Protocol):
    """A target that also has reductions."""

    def reductions(self) -> Mapping[str, Call]:
        """Return its reductions of float16 along the last of two axes, by name.

        These are "sum", "mean", "var" (of all elements, without a correction) and "norm"; and
        "softmax" and "layer_norm" (with 1e-5 added to the variance), which have a result for each
        element.
        """


class FunctionTarget:
    """Base class of targets with functions only."""

    def conversions(self) -> Iterable[Conversion]:
        return ()

    def vectors(self) -> Mapping[str, Call]:
        return {}


def casts(
    types: Iterable[str], spelled: str, cast: Callable[[str, Array], object]
) -> Iterator[Conversion]:
    """Yield a library's casts between half and other types; to integers they truncate, as OpenCL's.

    spelled: the called expression, with ``{}`` in place of the type's name. cast: accepts that
    name, and an array.
    """
    for other in types:
        for source, destination in ((other, "float16"), ("float16", other)):
            yield Conversion(
                spelled.format(destination), partial(cast, destination),
                "rte" if destination.startswith("float") else "rtz",
                source=source, destination=destination,
            )  # fmt: skip


def along_last_axis(
    functions: Mapping[str, tuple[str, Callable[..., _R] | None]],
    of_arrays: Callable[[Callable[..., _R]], Callable[..., object]] = lambda x: x,
) -> dict[str, Call]:
    """Return reductions with NumPy's keyword axis, without those that a version lacks.

    functions: the called expression and the function by name. of_arrays: converts a function into
    one of NumPy's arrays.
    """
    return {
        name: Call(f"{spelled}(x, axis=-1)", of_arrays(partial(function, axis=-1)))
        for name, (spelled, function) in functions.items()
        if function is not None
    }


def library(module: str, package: str, target: str) -> ModuleType:
    """Import a target's library; raise MissingPackageError if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"{package} is needed to audit the target {target!r}: pip install {package}"
        ) from error


def processor() -> str:
    """Return the name of this machine's processor, if the system knows it."""
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
