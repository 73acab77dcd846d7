"""Types of the extension module."""

from collections.abc import Callable, Iterable
from inspect import Signature
from typing import Any, final

import numpy as np
from typing_extensions import Self

from halfcl.typing import RoundingMode

MODES: tuple[RoundingMode, ...]
ISA_NAME: str
CASTS_ARE_THERE: bool
HALF_DTYPE: np.dtype[Any]

class half(np.float16):
    def __new__(
        cls, value: Any = 0.0, /, *, rounding: RoundingMode | np.ndarray[Any, Any] | None = None
    ) -> half: ...
    def hex(self, /) -> str: ...
    @classmethod
    def fromhex(cls, text: str, /, *, rounding: RoundingMode | None = None) -> Self: ...

@final
class Function:
    rte: np.ufunc
    rtz: np.ufunc
    rtp: np.ufunc
    rtn: np.ufunc
    nin: int
    nout: int
    @property
    def nargs(self) -> int: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def identity(self) -> half | None: ...
    @property
    def signature(self) -> str | None: ...
    __name__: str
    __signature__: Signature
    def __call__(
        self, *args: Any, rounding: RoundingMode | np.ndarray[Any, Any] | None = None, **kwargs: Any
    ) -> Any: ...
    def reduce(self, *args: Any, rounding: RoundingMode | None = None, **kwargs: Any) -> Any: ...
    def accumulate(
        self, *args: Any, rounding: RoundingMode | None = None, **kwargs: Any
    ) -> Any: ...
    def reduceat(self, *args: Any, rounding: RoundingMode | None = None, **kwargs: Any) -> Any: ...
    def outer(self, *args: Any, rounding: RoundingMode | None = None, **kwargs: Any) -> Any: ...
    def at(self, *args: Any, rounding: RoundingMode | None = None, **kwargs: Any) -> None: ...

class Region:
    def __init__(
        self, mode: RoundingMode, builtins: bool = False, strict: bool = False
    ) -> None: ...
    @property
    def mode(self) -> RoundingMode: ...
    @property
    def builtins(self) -> bool: ...
    @property
    def strict(self) -> bool: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

class Experiment(Region):
    failure: BaseException | None
    tossed: bool
    def has_tossed(self) -> bool: ...
    def call(self, function: Callable[..., Any], args: tuple[Any, ...]) -> Any: ...
    def __init__(
        self,
        mode: str,
        decide: Callable[[], str] | None = None,
        left: Callable[[str], None] | None = None,
        seed: int = 0,
    ) -> None: ...

class ReplacedAt:
    is_replaced: bool
    def __init__(self, ufunc: np.ufunc, call_info: object) -> None: ...
    def replace(self) -> None: ...
    def restore(self) -> None: ...

class ReplacedCast:
    is_replaced: bool
    def __init__(self, bound: object, source: np.dtype[Any], target: np.dtype[Any]) -> None: ...
    def replace(self) -> None: ...
    def restore(self) -> None: ...

class ReplacedFunctions:
    is_replaced: bool
    def replace(self) -> None: ...
    def restore(self) -> None: ...

class ReplacedOperators:
    is_replaced: bool
    def replace(self) -> None: ...
    def restore(self) -> None: ...

class ReplacedUfunc:
    ufunc: np.ufunc
    count: int
    is_replaced: bool
    def __init__(self, ufunc: np.ufunc, quiet: bool, few: int) -> None: ...
    def replace(self) -> None: ...
    def restore(self) -> None: ...

def add_exact_loops(
    ufunc: np.ufunc,
    dtype: np.dtype[Any],
    converter: Callable[[list[Any]], tuple[np.ndarray[Any, Any], int]],
) -> None: ...
def are_new_halves(values: list[Any]) -> bool: ...
def in_each_mode(
    convert: Callable[[np.ndarray[Any, Any], RoundingMode], Any],
    x: np.ndarray[Any, Any],
    modes: np.ndarray[Any, Any],
    dtype: Any,
) -> Any: ...
def number_array(x: Any) -> np.ndarray[Any, Any]: ...
def replaceable_ufunc(ufunc: np.ufunc, quiet: bool, few: int) -> ReplacedUfunc | None: ...
def available_isas() -> tuple[str, ...]: ...
def cpu_features() -> tuple[str, ...]: ...
def kernels_run() -> int: ...
def forget_kernels_since(count: int) -> None: ...
def get_rounding() -> RoundingMode: ...
def get_builtin_rounding() -> RoundingMode: ...
def rounds_at_random() -> bool: ...
def is_strict() -> bool: ...
def call_when_entering(function: Callable[[], object] | None) -> None: ...
def check_mode(mode: object) -> None: ...
def make_ufunc(
    name: str,
    doc: str,
    mode: str,
    kernels: list[tuple[str, str]],
    *,
    identity: float | None = None,
    neutral: tuple[float, ...] | None = None,
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
    neutral: tuple[float, ...] | None = None,
    reduce: str = "",
    signature: str = "",
    promotion: str = "common",
) -> None: ...
def make_function(
    name: str,
    doc: str,
    ufuncs: Iterable[np.ufunc],
    governed: str,
    default: str = "rte",
    general: Callable[..., Any] | None = None,
    prepare: Callable[[Any], Any] | None = None,
) -> Function: ...
def is_vector(array: np.ndarray[Any, Any], width: int, element: np.dtype[Any]) -> bool: ...
def components(
    array: np.ndarray[Any, Any], first: int, step: int, count: int, kind: type
) -> Any: ...
def separate(values: Iterable[Any], kind: type) -> tuple[list[Any], list[Any], bool]: ...
def load_halves(
    widen: Function, offset: object, p: object, width: int, out: object, kind: type
) -> Any: ...
def store_halves(
    narrow: Function, data: object, offset: object, p: object, width: int, rounding: object
) -> bool: ...
def take_calls(ufunc: np.ufunc) -> None: ...
def teach_copies(of_half: Any, of_float16: Any) -> bool: ...
def teach_methods() -> bool: ...
def teach_numeric() -> bool: ...
def teach_promotion() -> bool: ...
def teach_resolvers(ufuncs: Iterable[np.ufunc]) -> bool: ...

STATE_SIZE: int

def add_to_states(
    fold: str,
    states: np.ndarray[Any, Any],
    inputs: tuple[np.ndarray[Any, Any], ...],
    where: np.ndarray[Any, Any] | None,
) -> None: ...
def merge_states(fold: str, states: np.ndarray[Any, Any], others: np.ndarray[Any, Any]) -> None: ...
def round_states(
    statistic: str,
    sums: np.ndarray[Any, Any] | None,
    products: np.ndarray[Any, Any] | None,
    counts: np.ndarray[Any, Any],
    ddof: int,
    out: np.ndarray[Any, Any],
    rounding: RoundingMode | None,
) -> int: ...
def report_flags(flags: int, name: str) -> None: ...
def reduce_plain(
    statistic: str, array: object, axis: object, keepdims: object, rounding: RoundingMode | None
) -> Any: ...
def running_sums(
    a: np.ndarray[Any, Any],
    out: np.ndarray[Any, Any],
    axis: int,
    rounding: RoundingMode | None,
    states: np.ndarray[Any, Any] | None = None,
) -> int: ...
def teach_reduce(otherwise: Callable[..., Any] | None) -> bool: ...
def are_consecutive(offsets: np.ndarray[Any, Any]) -> bool: ...
def load_planes(
    data: np.ndarray[Any, Any],
    base: int,
    steps: tuple[int, ...],
    counts: tuple[int, ...],
    dtype: np.dtype[Any],
    width: int,
) -> np.ndarray[Any, Any]: ...
def store_planes(
    data: np.ndarray[Any, Any],
    base: int,
    steps: tuple[int, ...],
    counts: tuple[int, ...],
    values: np.ndarray[Any, Any],
    width: int,
) -> None: ...
def blended(
    mask: np.ndarray[Any, Any], yes: np.ndarray[Any, Any], no: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]: ...
def parted(mask: Any, truth: Any) -> tuple[Any, Any]: ...

@final
class ImageLayout:
    array: np.ndarray[Any, Any]
    def __init__(
        self,
        array: np.ndarray[Any, Any],
        sizes: tuple[int, int, int],
        steps: tuple[int, int, int, int],
        dims: int,
        layers: int,
        channel_type: int,
        channels: int,
        components: tuple[int, int, int, int],
        border_alpha: int,
        srgb: bool,
    ) -> None: ...

def read_image(
    layout: ImageLayout,
    sampler: tuple[bool, int, int] | None,
    coordinates: np.ndarray[Any, Any],
    out: np.ndarray[Any, Any],
    mode: RoundingMode,
) -> None: ...
def write_image(
    layout: ImageLayout,
    coordinates: np.ndarray[Any, Any],
    colors: np.ndarray[Any, Any],
    mode: RoundingMode,
) -> int: ...
