"""Types of the extension module."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

MODES: tuple[str, ...]
ISA_NAME: str
HALF_DTYPE: np.dtype[Any]

class half(np.float16):
    def __new__(cls, value: Any = 0.0, /, *, rounding: str | None = None) -> half: ...

class Function:
    rte: np.ufunc
    rtz: np.ufunc
    rtp: np.ufunc
    rtn: np.ufunc
    nin: int
    nout: int
    __name__: str
    def __init__(
        self,
        name: str,
        doc: str,
        ufuncs: Iterable[np.ufunc],
        governed: str,
        default: str = "rte",
        general: Callable[..., Any] | None = None,
    ) -> None: ...
    def __call__(self, *args: Any, rounding: str | None = None, **kwargs: Any) -> Any: ...
    def reduce(self, *args: Any, rounding: str | None = None, **kwargs: Any) -> Any: ...
    def accumulate(self, *args: Any, rounding: str | None = None, **kwargs: Any) -> Any: ...
    def outer(self, *args: Any, rounding: str | None = None, **kwargs: Any) -> Any: ...
    def at(self, *args: Any, rounding: str | None = None, **kwargs: Any) -> None: ...

def available_isas() -> tuple[str, ...]: ...
def cpu_features() -> tuple[str, ...]: ...
def get_rounding() -> str: ...
def check_mode(mode: object) -> None: ...
def enter_region(mode: str, builtins: bool) -> None: ...
def leave_region() -> None: ...
def make_ufunc(
    name: str,
    doc: str,
    mode: str,
    kernels: list[tuple[str, str]],
    *,
    identity: float | None = None,
    reduce: str = "",
    signature: str = "",
    result_is_half: bool = False,
    promotes: bool = True,
) -> np.ufunc: ...
def extend_numpy_ufunc(
    ufunc: np.ufunc,
    kernels: list[tuple[str, str]],
    governed: str,
    *,
    identity: float | None = None,
    reduce: str = "",
    signature: str = "",
) -> None: ...
def is_vector(array: np.ndarray[Any, Any], width: int, element: np.dtype[Any]) -> bool: ...
def components(
    array: np.ndarray[Any, Any], first: int, step: int, count: int, kind: type
) -> Any: ...
def separate(values: Iterable[Any], kind: type) -> tuple[list[Any], list[Any]]: ...
def part_to_load(
    offset: object, p: object, width: int, out: object
) -> np.ndarray[Any, Any] | None: ...
def part_to_store(
    data: object, offset: object, p: object, width: int
) -> np.ndarray[Any, Any] | None: ...
def are_consecutive(offsets: np.ndarray[Any, Any]) -> bool: ...
