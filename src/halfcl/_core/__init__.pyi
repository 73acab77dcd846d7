"""Types of the extension module."""

from collections.abc import Callable, Iterable, Sequence
from inspect import Signature
from types import FrameType, ModuleType, NotImplementedType
from typing import (
    Any,
    Literal,
    Never,
    Self,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    final,
    overload,
)

import numpy as np
from numpy.typing import NDArray

from halfcl._annotations import Several
from halfcl.typing import RoundingMode

_T = TypeVar("_T")
_Array: TypeAlias = NDArray[Any]
_Mask: TypeAlias = NDArray[np.bool_] | Literal[False] | None
_Active: TypeAlias = NDArray[np.bool_] | None
_Result: TypeAlias = _Array | np.floating[Any]
_Values = TypeVar("_Values", bound=_Array)
_Foreign = TypeVar("_Foreign")
_One: TypeAlias = str | bytes | SupportsFloat | SupportsIndex | None

MODES: tuple[RoundingMode, ...]
ISA_NAME: str
MAX_THREADS: int
CASTS_ARE_THERE: bool
HALF_DTYPE: np.dtype[Any]

class DefaultEnvironment:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

# To type checkers half is a floating type of its own width. With float16 as its base, as it is when
# running, NumPy's stubs would give `halves / 3` as float64.
class half(np.floating[Never]):
    @overload
    def __new__(  # type: ignore[misc]
        cls, value: Several, /, *, rounding: RoundingMode | _Array | None = None
    ) -> NDArray[half]: ...
    @overload
    def __new__(cls, value: _One = 0.0, /, *, rounding: RoundingMode | None = None) -> half: ...
    @overload
    def __new__(cls, value: _One, /, *, rounding: _Array) -> NDArray[half]: ...  # type: ignore[misc]
    @overload
    def __new__(
        cls, value: Several | _One, /, *, rounding: RoundingMode | _Array | None = None
    ) -> Any: ...
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
        self, *args: object, rounding: RoundingMode | _Array | None = None, **kwargs: object
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
        casts: bool = False,
        not_finite: (
            Callable[[str, tuple[np.generic | float | str, ...], str], None] | None
        ) = None,
        numbers: int = 0,
    ) -> None: ...

class InstructionModes:
    def __init__(
        self, find: Callable[[FrameType], tuple[str | Callable[[], str], bool]]
    ) -> None: ...
    def __call__(self) -> str: ...

class ThreadLimit:
    n: int
    def __init__(self, n: int) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *exception: object) -> None: ...

class _Replaced:
    is_replaced: bool
    def replace(self) -> None: ...
    def restore(self) -> None: ...

class ReplacedAt(_Replaced):
    def __init__(self, ufunc: np.ufunc, call_info: object) -> None: ...

class ReplacedCast(_Replaced):
    wraps: bool | None
    def __init__(self, bound: object, source: np.dtype[Any], target: np.dtype[Any]) -> None: ...

class ReplacedCopies(_Replaced):
    def __init__(self, bound: object) -> None: ...

class ReplacedTextCast(_Replaced):
    def __init__(self, text: np.dtype[Any]) -> None: ...

class ReplacedStringCast(_Replaced):
    def __init__(self, bound: object) -> None: ...

class ReplacedFunctions(_Replaced): ...
class ReplacedOperators(_Replaced): ...

class ReplacedUfunc(_Replaced):
    ufunc: np.ufunc
    count: int
    def __init__(self, ufunc: np.ufunc, quiet: bool, few: int) -> None: ...

def add_exact_loops(
    ufunc: np.ufunc, dtype: np.dtype[Any], converter: Callable[[list[object]], tuple[_Array, int]]
) -> None: ...
def are_new_halves(values: Sequence[object]) -> bool: ...
def in_each_mode(
    convert: Callable[[_Array, RoundingMode], object],
    x: _Array,
    modes: _Array,
    dtype: np.dtype[Any],
) -> _Array: ...
def number_array(x: object) -> _Array: ...
def replaceable_ufunc(ufunc: np.ufunc, quiet: bool, few: int) -> ReplacedUfunc | None: ...
def available_isas() -> tuple[str, ...]: ...
def cpu_features() -> tuple[str, ...]: ...
def count_no_more(values: Iterable[object]) -> None: ...
def set_threads(n: int) -> None: ...
def skip_nans(
    name: str, array: _Array, axis: Any, dtype: Any, keepdims: Any, ddof: Any
) -> tuple[Any, bool]: ...
def is_amd() -> bool: ...
def knows_stores() -> bool: ...
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
def entries_of_regions() -> int: ...
def is_strict() -> bool: ...
def set_before_region(function: Callable[[], object] | None) -> None: ...
def check_mode(mode: object) -> None: ...
def halves_of_numbers(values: object) -> NDArray[Any] | None: ...
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
def is_vector(array: _Array, width: int, element: np.dtype[Any]) -> bool: ...
def components(
    array: _Array, first: int, step: int, count: int, kind: type[_Values]
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
def set_exact_products(exact: bool, /) -> None: ...
def has_exact_products() -> bool: ...
def takes_calls(ufunc: np.ufunc) -> bool: ...
def warn_of_where(text: str) -> None: ...
def register_legacy_casts(other: np.dtype[Any], is_safe: bool, /) -> None: ...
def watch_reductions(watcher: Callable[[], None] | None, /) -> None: ...
def is_float16_taken() -> bool: ...
def teach_copies(of_half: object, of_float16: object) -> bool: ...
def teach_at() -> bool: ...
def teach_methods() -> bool: ...
def teach_arange(extension: ModuleType) -> bool: ...
def interpolate_halves(
    a: object, b: object, t: object, /
) -> np.ndarray[Any, np.dtype[np.float64]]: ...
def teach_where(extension: ModuleType) -> bool: ...
def teach_numeric() -> bool: ...
def teach_promotion() -> bool: ...
def teach_resolvers(ufuncs: Iterable[np.ufunc]) -> bool: ...

STATE_SIZE: int

def add_to_states(
    fold: str, states: _Array, inputs: tuple[_Array, ...], where: _Array | None
) -> None: ...
def pack_sums(states: _Array, words: list[NDArray[np.uint64]], seen: NDArray[np.uint8]) -> None: ...
def unpack_sums(
    words: list[NDArray[np.uint64]], seen: NDArray[np.uint8], states: _Array
) -> None: ...
def add_packed_sums(
    words: list[NDArray[np.uint64]],
    seen: NDArray[np.uint8],
    others: list[NDArray[np.uint64]],
    others_seen: NDArray[np.uint8],
) -> None: ...
def merge_states(fold: str, states: _Array, others: _Array) -> None: ...
def round_outward(
    function: Callable[..., _T], lower: tuple[object, ...], upper: tuple[object, ...]
) -> tuple[_T, _T]: ...
def round_states(
    statistic: str,
    sums: _Array | None,
    products: _Array | None,
    counts: _Array,
    ddof: int,
    out: _Array,
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
    a: _Array, out: _Array, axis: int, rounding: RoundingMode | None, states: _Array | None = None
) -> int: ...
def teach_ufunc_methods(
    otherwise: Callable[..., object] | None,
    others: Callable[..., object] | None,
    others_along: Callable[..., object] | None,
) -> bool: ...
def shapes_of_halves(operands: tuple[object, ...]) -> tuple[tuple[int, ...], ...] | None: ...
def teach_functions(extension: ModuleType) -> bool: ...
def are_consecutive(offsets: _Array) -> bool: ...
def load_planes(
    data: _Array,
    base: int,
    steps: tuple[int, ...],
    counts: tuple[int, ...],
    dtype: np.dtype[Any],
    width: int,
) -> _Array: ...
def store_planes(
    data: _Array,
    base: int,
    steps: tuple[int, ...],
    counts: tuple[int, ...],
    values: _Array,
    width: int,
) -> None: ...
def load_scattered(data: _Array, offsets: _Array, dtype: np.dtype[Any], width: int) -> _Array: ...
def store_scattered(
    data: _Array, offsets: _Array, values: _Array, width: int, mask: _Active
) -> None: ...
def check_offsets(offsets: _Array, last: int, align: int, mask: _Active) -> _Array | None: ...
def add_indices(start: int | _Array, index: _Array, size: int, furthest: int) -> _Array: ...
def blend(mask: _Array, yes: _Array, no: _Array) -> _Array: ...
def split_mask(mask: _Mask, truth: _Array) -> tuple[_Mask, _Mask]: ...

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
        skips_nans: bool = False,
        warning: str = "",
        quick: Callable[..., object] | None = None,
    ) -> None: ...
    def __call__(self, *arguments: Any) -> Any: ...

def interpolate(a: object, b: object, t: object, out: object, /) -> object: ...
def cross_of_rows(a: object, b: object, /) -> object | None: ...
def weighted_means(values: _Array, weights: _Array, axis: object, /) -> tuple[_Array, bool]: ...
def integrals(
    y: _Array, abscissas: _Array | None, factor: float, axis: int, /
) -> tuple[_Array, bool]: ...
def diff(a: object, n: object, axis: object, prepend: object, append: object, /) -> object: ...
def gradient(
    f: object, distances: tuple[object, ...], axis: object, edge_order: object, /
) -> object: ...
def unwrap(p: object, discont: object, axis: object, period: object, /) -> object: ...
def polyval(p: object, x: object, /) -> object: ...
def trapezoid(y: object, x: object, dx: object, axis: object, /) -> object: ...

@final
class ResultsOfHalves:
    def __init__(self, function: Callable[..., object]) -> None: ...
    def __call__(self, x: object, /) -> object: ...

@final
class InFloat64:
    def __init__(
        self,
        function: Callable[..., object] | None,
        parameters: tuple[str, ...],
        keywords: tuple[str, ...],
        has_more: bool,
        deciding: tuple[int, ...],
        widen: Callable[[object], object],
        narrow: Callable[[object, type], object],
        otherwise: Callable[..., object],
        exception: Callable[..., object] | None = None,
    ) -> None: ...
    def __call__(self, *arguments: object) -> object: ...

class ImageLayout:
    array: _Array
    def __init__(
        self,
        array: _Array,
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
    coordinates: _Array,
    out: _Array,
    mode: RoundingMode,
) -> None: ...
def wrap_result(array: _Array, result: Any) -> Any: ...
def write_image(
    layout: ImageLayout, coordinates: _Array, colors: _Array, mode: RoundingMode
) -> int: ...
def set_cuda_driver(launch: int, device: int) -> tuple[int, int]: ...

class CudaKernel:
    def __init__(self, function: int, block: int, owner: object) -> None: ...

class ElementwiseKernel(CudaKernel):
    inputs: str
    outputs: str
    def __init__(
        self,
        function: int,
        block: int,
        owner: object,
        inputs: str,
        outputs: str,
        per_block: int,
        many: int,
        launch_many: Callable[[int, Sequence[int], Sequence[int], int], None],
    ) -> None: ...

class CudaLaunch:
    def __init__(
        self, kernel: CudaKernel, groups: tuple[int, int], arguments: Sequence[np.generic | int]
    ) -> None: ...

class PreparedReduction:
    def __init__(
        self, launches: Iterable[CudaLaunch], make: Iterable[Callable[[_Foreign], object]]
    ) -> None: ...

def key_of_reduction(
    name: str,
    axis: object,
    dtype: object,
    keepdims: object,
    ddof: object,
    mode: RoundingMode,
    layouts: tuple[object, ...],
) -> tuple[object, ...]: ...

class CudaArrays:
    def __init__(
        self,
        types: tuple[type, ...],
        exchange: object,
        read: Callable[[_Foreign], object],
        stream: Callable[[int], int],
        is_special: tuple[tuple[Callable[[_Foreign], object], Callable[[_Foreign], bool]], ...],
        make: dict[str, Callable[[_Foreign], _Foreign]],
        make_other: Callable[[_Foreign, str], _Foreign],
        find: Callable[[np.ufunc, int, tuple[bool, ...]], ElementwiseKernel | None],
        prepare: Callable[[int, tuple[object, ...], int], PreparedReduction | None],
        device_type: int = ...,
    ) -> None: ...
    def reduce(self, call: tuple[object, ...]) -> object: ...
    def call(
        self, ufunc: np.ufunc, args: Sequence[object], rounding: RoundingMode | None
    ) -> object: ...
    def layouts(
        self, arrays: Sequence[object]
    ) -> tuple[int, tuple[object, ...], tuple[int, ...]] | None: ...
    def run(
        self,
        launches: Iterable[CudaLaunch],
        device: int,
        addresses: tuple[int, ...],
        arrays: tuple[object, ...],
    ) -> None: ...
