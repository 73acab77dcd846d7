"""Types of the extension module."""

from collections.abc import Callable, Iterable, Sequence
from inspect import Signature
from types import ModuleType, NotImplementedType
from typing import Any, Literal, Self, SupportsFloat, SupportsIndex, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfcl.typing import RoundingMode

_T = TypeVar("_T")
_Mask: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]] | Literal[False] | None
_Active: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]] | None
_Result: TypeAlias = np.ndarray[Any, Any] | np.floating[Any]
_Values = TypeVar("_Values", bound=np.ndarray[Any, Any])

MODES: tuple[RoundingMode, ...]
ISA_NAME: str
MAX_THREADS: int
CASTS_ARE_THERE: bool
HALF_DTYPE: np.dtype[Any]

class half(np.float16):
    def __new__(
        cls,
        value: ArrayLike | SupportsFloat | SupportsIndex | None = 0.0,
        /,
        *,
        rounding: RoundingMode | np.ndarray[Any, Any] | None = None,
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
        self,
        *args: object,
        rounding: RoundingMode | np.ndarray[Any, Any] | None = None,
        **kwargs: object,
    ) -> Any: ...
    def reduce(
        self, *args: object, rounding: RoundingMode | None = None, **kwargs: object
    ) -> Any: ...
    def accumulate(
        self, *args: object, rounding: RoundingMode | None = None, **kwargs: object
    ) -> Any: ...
    def reduceat(
        self, *args: object, rounding: RoundingMode | None = None, **kwargs: object
    ) -> Any: ...
    def outer(
        self, *args: object, rounding: RoundingMode | None = None, **kwargs: object
    ) -> Any: ...
    def at(self, *args: object, rounding: RoundingMode | None = None, **kwargs: object) -> None: ...

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
    def call(self, function: Callable[..., _T], args: tuple[object, ...]) -> _T: ...
    def __init__(
        self,
        mode: str,
        decide: Callable[[], str] | None = None,
        promoted: Callable[[str], None] | None = None,
        seed: int = 0,
        compared: Callable[[bytearray], None] | None = None,
        steps: bool = False,
    ) -> None: ...

class ThreadLimit:
    n: int
    def __init__(self, n: int) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

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

class ReplacedCopies:
    is_replaced: bool
    def __init__(self, bound: object) -> None: ...
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
    converter: Callable[[list[object]], tuple[np.ndarray[Any, Any], int]],
) -> None: ...
def are_new_halves(values: Sequence[object]) -> bool: ...
def in_each_mode(
    convert: Callable[[np.ndarray[Any, Any], RoundingMode], object],
    x: np.ndarray[Any, Any],
    modes: np.ndarray[Any, Any],
    dtype: np.dtype[Any],
) -> np.ndarray[Any, Any]: ...
def number_array(x: object) -> np.ndarray[Any, Any]: ...
def replaceable_ufunc(ufunc: np.ufunc, quiet: bool, few: int) -> ReplacedUfunc | None: ...
def available_isas() -> tuple[str, ...]: ...
def cpu_features() -> tuple[str, ...]: ...
def count_no_more(values: Iterable[object]) -> None: ...
def set_threads(n: int) -> None: ...
def skip_nans(
    name: str, array: np.ndarray[Any, Any], axis: Any, keepdims: Any, ddof: Any
) -> tuple[Any, np.ndarray[Any, np.dtype[np.bool_]] | None]: ...
def is_amd() -> bool: ...
def calls_taken() -> int: ...
def sort_by_integers(of_16_bits: bool, of_32_bits: bool, most: int) -> None: ...
def threads_of_process() -> int: ...
def threads_of_call() -> int: ...
def set_grain(elements: int) -> None: ...
def idle_threads() -> int: ...
def is_of_halves(x: object) -> bool: ...
def may_hold_halves(x: object) -> bool: ...
def is_promotion_watched() -> bool: ...
def kernels_run() -> int: ...
def forget_kernels_since(count: int) -> None: ...
def get_rounding() -> RoundingMode: ...
def get_builtin_rounding() -> RoundingMode: ...
def rounds_at_random() -> bool: ...
def is_strict() -> bool: ...
def set_before_region(function: Callable[[], object] | None) -> None: ...
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
    general: Callable[..., object] | None = None,
    prepare: Callable[[object], object] | None = None,
) -> Function: ...
def is_vector(array: np.ndarray[Any, Any], width: int, element: np.dtype[Any]) -> bool: ...
def components(
    array: np.ndarray[Any, Any], first: int, step: int, count: int, kind: type[_Values]
) -> _Values: ...
def separate(
    values: Iterable[object], kind: type[_Values]
) -> tuple[list[object], list[_Values], bool]: ...
def load_halves(
    widen: Function, offset: object, p: object, width: int, out: object, kind: type[_Values]
) -> _Values | np.float32 | None: ...
def store_halves(
    narrow: Function, data: object, offset: object, p: object, width: int, rounding: object
) -> bool: ...
def take_calls(ufunc: np.ufunc) -> None: ...
def take_products() -> bool: ...
def takes_calls(ufunc: np.ufunc) -> bool: ...
def register_legacy_casts(other: np.dtype[Any], is_safe: bool, /) -> None: ...
def watch_reductions(watcher: Callable[[], None] | None, /) -> None: ...
def is_float16_taken() -> bool: ...
def teach_copies(of_half: object, of_float16: object) -> bool: ...
def teach_at() -> bool: ...
def teach_methods() -> bool: ...
def teach_arange(extension: ModuleType) -> bool: ...
def interpolate_halves(
    a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], t: np.ndarray[Any, Any], /
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def teach_where(extension: ModuleType) -> bool: ...
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
def pack_sums(
    states: np.ndarray[Any, Any], words: list[NDArray[np.uint64]], seen: NDArray[np.uint8]
) -> None: ...
def unpack_sums(
    words: list[NDArray[np.uint64]], seen: NDArray[np.uint8], states: np.ndarray[Any, Any]
) -> None: ...
def add_packed_sums(
    words: list[NDArray[np.uint64]],
    seen: NDArray[np.uint8],
    others: list[NDArray[np.uint64]],
    others_seen: NDArray[np.uint8],
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
def reduce_arrays(
    name: str,
    arrays: tuple[object, ...],
    axis: object,
    dtype: object,
    out: object,
    keepdims: object,
    initial: object,
    where: object,
    ddof: object,
    rounding: object,
) -> _Result: ...
def reduce_at_once(
    name: str,
    arrays: tuple[object, ...],
    axis: object,
    dtype: object,
    out: object,
    keepdims: object,
    initial: object,
    where: object,
    ddof: object,
    rounding: object,
) -> _Result | NotImplementedType: ...
def teach_preparation(
    prepare: Callable[[Any], object], call_type: Callable[..., object]
) -> None: ...
def cumsum(
    a: object, axis: object, dtype: object, out: object, rounding: object
) -> _Result | NotImplementedType: ...
def running_sums(
    a: np.ndarray[Any, Any],
    out: np.ndarray[Any, Any],
    axis: int,
    rounding: RoundingMode | None,
    states: np.ndarray[Any, Any] | None = None,
) -> int: ...
def teach_ufunc_methods(
    otherwise: Callable[..., object] | None,
    others: Callable[..., object] | None,
    others_along: Callable[..., object] | None,
) -> bool: ...
def shapes_of_halves(
    operands: tuple[object, ...],
) -> tuple[tuple[int, ...], ...] | None: ...
def teach_functions(extension: ModuleType) -> bool: ...
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
def load_scattered(
    data: np.ndarray[Any, Any],
    offsets: np.ndarray[Any, Any],
    dtype: np.dtype[Any],
    width: int,
) -> np.ndarray[Any, Any]: ...
def store_scattered(
    data: np.ndarray[Any, Any],
    offsets: np.ndarray[Any, Any],
    values: np.ndarray[Any, Any],
    width: int,
    mask: _Active,
) -> None: ...
def check_offsets(
    offsets: np.ndarray[Any, Any], last: int, align: int, mask: _Active
) -> np.ndarray[Any, Any] | None: ...
def add_indices(
    start: int | np.ndarray[Any, Any], index: np.ndarray[Any, Any], size: int, furthest: int
) -> np.ndarray[Any, Any]: ...
def blend(
    mask: np.ndarray[Any, Any], yes: np.ndarray[Any, Any], no: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]: ...
def split_mask(mask: _Mask, truth: np.ndarray[Any, Any]) -> tuple[_Mask, _Mask]: ...

@final
class Statistic:
    def __init__(
        self,
        statistic: str,
        parameters: tuple[str, ...],
        defaults: tuple[Any, ...],
        is_float16_taken: bool,
        otherwise: Callable[[dict[str, Any]], Any],
        is_of_numpy: Callable[..., bool] | None = None,
    ) -> None: ...
    def __call__(self, *arguments: Any) -> Any: ...

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
def wrap_result(array: np.ndarray[Any, Any], result: Any) -> Any: ...
def write_image(
    layout: ImageLayout,
    coordinates: np.ndarray[Any, Any],
    colors: np.ndarray[Any, Any],
    mode: RoundingMode,
) -> int: ...
