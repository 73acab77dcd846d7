"""What a target is to the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Protocol, TypeVar, runtime_checkable

from halfcl._support.extras import MissingPackageError
from halfcl.audit._mistakes import Array
from halfcl.audit._report import TargetInfo
from halfcl.typing import RoundingMode

_R = TypeVar("_R")


class TargetError(RuntimeError):
    """A target that cannot be made or cannot go on, a device that is gone: one clear line."""


class UnsupportedError(RuntimeError):
    """What a call raises if the library has the function, but not for half: the audit goes on."""


@dataclass(frozen=True)
class Call:
    """A function of a target.

    Parameters
    ----------
    spelled : str
        What is called, as its users write it: ``"torch.special.erf"``.
    function : callable
        Takes contiguous native arrays of one dimension and one length, float16 for each half,
        int32 for each integer. Gives an array, or of several results a tuple, of float16, of
        bool for truths, of int32 for integers; of the arguments' length. Of functions of
        vectors, arguments are of shape (n, k), as are results that are vectors.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The mode in which results are compared.
    widths : tuple of int, optional
        Of functions of vectors: how many components the vectors may have.
    computes : str, optional
        halfcl's name of what it computes, where it has a name of its own among the target's
        functions, since another has that one.
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
    """A conversion of a target: takes an array of one dtype, gives one of the other.

    Parameters
    ----------
    source, destination : str
        NumPy's names of the dtypes: ``"float32"``, ``"float16"``.
    saturate : bool, optional
        Whether what an integer cannot hold gives the nearest that it can; else such numbers are
        not tested.
    label : str, optional
        Its name in reports, where the target has another that converts the same.
    """

    source: str = "float32"
    destination: str = "float16"
    saturate: bool = False
    label: str = ""


@runtime_checkable
class Target(Protocol):
    """A library on a device."""

    def describe(self) -> TargetInfo:
        """Its name, library, version, device, and other facts."""

    def functions(self) -> Mapping[str, Call]:
        """Its functions by halfcl's names: "exp", "isnan", "pow", "sincos", …"""

    def conversions(self) -> Iterable[Conversion]:
        """Its conversions from and to half."""

    def vectors(self) -> Mapping[str, Call]:
        """Its functions of vectors by halfcl's names: "length", "dot", …"""


@runtime_checkable
class Reducing(Protocol):
    """A target that has reductions, too."""

    def reductions(self) -> Mapping[str, Call]:
        """Its reductions of float16 along the last of two axes: "sum", "mean", "var" (of all that
        there is, without a correction), "norm"; and "softmax" and "layer_norm" (with 1e-5 added to
        the variance), which have a result for each element."""


class NothingMore:
    """What a target with functions alone derives from."""

    def conversions(self) -> Iterable[Conversion]:
        return ()

    def vectors(self) -> Mapping[str, Call]:
        return {}


def casts(
    types: Iterable[str], spelled: str, cast: Callable[[str, Array], object]
) -> Iterator[Conversion]:
    """A library's casts between half and other types; those to integers cut off, as OpenCL's.

    spelled: what is called, with ``{}`` in the place of the type's name. cast: takes that name,
    and an array.
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
    """Reductions as NumPy has them, and libraries like it; without those that a version lacks.

    functions: how each is spelled, and what it is. of_arrays: makes functions of NumPy's arrays.
    """
    return {
        name: Call(f"{spelled}(x, axis=-1)", of_arrays(partial(function, axis=-1)))
        for name, (spelled, function) in functions.items()
        if function is not None
    }


def library(module: str, package: str, target: str) -> ModuleType:
    """A target's library.

    Raises
    ------
    MissingPackageError
        If it is not installed; says by which command it is.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackageError(
            f"{package} is needed to audit the target {target!r}: pip install {package}"
        ) from error


def processor() -> str:
    """The name of this machine's processor, as far as the system tells."""
    import platform

    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
