"""halfcl's public names and their types. Made by tools/make_stubs.py: not to be edited."""

# Calls accept less than a ufunc's *args, and to a type checker half is a subclass of float16, so
# overloads for half come first.
# mypy: disable-error-code="override, misc, overload-overlap"

from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, overload, type_check_only

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Unpack

from halfcl import arrays as arrays
from halfcl import audit as audit
from halfcl import check as check
from halfcl import cl as cl
from halfcl import dask as dask
from halfcl import device as device
from halfcl import interval as interval
from halfcl import io as io
from halfcl import reductions as reductions
from halfcl import safe as safe
from halfcl import stability as stability
from halfcl import testing as testing
from halfcl import typing as typing
from halfcl import vectors as vectors
from halfcl._core import Function as Function
from halfcl._core import get_rounding as get_rounding
from halfcl._core import half as half
from halfcl._numpy.acceleration import accelerate as accelerate
from halfcl._numpy.acceleration import accelerated as accelerated
from halfcl._numpy.acceleration import accelerated_ufuncs as accelerated_ufuncs
from halfcl._numpy.acceleration import decelerate as decelerate
from halfcl._opencl.constants import FPConfig as FPConfig
from halfcl._opencl.constants import processor_info as processor_info
from halfcl._opencl.constants import finfo as finfo
from halfcl._opencl.conversion import convert as convert
from halfcl._opencl.conversion import parse as parse
from halfcl._images import Image as Image
from halfcl._images import ImageFormat as ImageFormat
from halfcl._images import Sampler as Sampler
from halfcl._images import addressing_mode as addressing_mode
from halfcl._images import channel_order as channel_order
from halfcl._images import channel_type as channel_type
from halfcl._images import filter_mode as filter_mode
from halfcl._images import get_image_array_size as get_image_array_size
from halfcl._images import get_image_channel_data_type as get_image_channel_data_type
from halfcl._images import get_image_channel_order as get_image_channel_order
from halfcl._images import get_image_depth as get_image_depth
from halfcl._images import get_image_dim as get_image_dim
from halfcl._images import get_image_height as get_image_height
from halfcl._images import get_image_width as get_image_width
from halfcl._images import mem_object_type as mem_object_type
from halfcl._images import mipmaps as mipmaps
from halfcl._images import read_imagef as read_imagef
from halfcl._images import read_imageh as read_imageh
from halfcl._images import read_imagei as read_imagei
from halfcl._images import read_imageui as read_imageui
from halfcl._images import resample as resample
from halfcl._images import write_imagef as write_imagef
from halfcl._images import write_imageh as write_imageh
from halfcl._images import write_imagei as write_imagei
from halfcl._images import write_imageui as write_imageui
from halfcl._settings.regions import MODES as MODES
from halfcl._settings.regions import rounding as rounding
from halfcl._settings.threads import get_num_threads as get_num_threads
from halfcl._settings.threads import num_threads as num_threads
from halfcl._settings.threads import set_num_threads as set_num_threads
from halfcl._support.extras import MissingPackageError as MissingPackageError
from halfcl.typing import RoundingMode
from halfcl._opencl.ulps import allowed_ulp as allowed_ulp
from halfcl._opencl.ulps import ulp_error as ulp_error
from halfcl._opencl.ulps import ulps_between as ulps_between
from halfcl.vectors import half2 as half2
from halfcl.vectors import half3 as half3
from halfcl.vectors import half4 as half4
from halfcl.vectors import half8 as half8
from halfcl.vectors import half16 as half16
from halfcl.vectors import char2 as _char2
from halfcl.vectors import char3 as _char3
from halfcl.vectors import char4 as _char4
from halfcl.vectors import char8 as _char8
from halfcl.vectors import char16 as _char16
from halfcl.vectors import uchar2 as _uchar2
from halfcl.vectors import uchar3 as _uchar3
from halfcl.vectors import uchar4 as _uchar4
from halfcl.vectors import uchar8 as _uchar8
from halfcl.vectors import uchar16 as _uchar16
from halfcl.vectors import short2 as _short2
from halfcl.vectors import short3 as _short3
from halfcl.vectors import short4 as _short4
from halfcl.vectors import short8 as _short8
from halfcl.vectors import short16 as _short16
from halfcl.vectors import ushort2 as _ushort2
from halfcl.vectors import ushort3 as _ushort3
from halfcl.vectors import ushort4 as _ushort4
from halfcl.vectors import ushort8 as _ushort8
from halfcl.vectors import ushort16 as _ushort16
from halfcl.vectors import int2 as _int2
from halfcl.vectors import int3 as _int3
from halfcl.vectors import int4 as _int4
from halfcl.vectors import int8 as _int8
from halfcl.vectors import int16 as _int16
from halfcl.vectors import uint8 as _uint8
from halfcl.vectors import uint16 as _uint16
from halfcl.vectors import float16 as _float16
from halfcl.vectors import from_struct as from_struct
from halfcl.vectors import shuffle as shuffle
from halfcl.vectors import shuffle2 as shuffle2
from halfcl.vectors import to_struct as to_struct
from halfcl.vectors import vec_step as vec_step

__version__: str
__all__ = [
    "FPConfig", "Function", "HALF_DIG", "HALF_EPSILON", "HALF_FP_CONFIG", "HALF_MANT_DIG",
    "HALF_MAX", "HALF_MAX_10_EXP", "HALF_MAX_EXP", "HALF_MIN", "HALF_MIN_10_EXP", "HALF_MIN_EXP",
    "HALF_RADIX", "Image", "ImageFormat", "MODES", "M_1_PI_H", "M_2_PI_H", "M_2_SQRTPI_H", "M_E_H",
    "M_LN10_H", "M_LN2_H", "M_LOG10E_H", "M_LOG2E_H", "M_PI_2_H", "M_PI_4_H", "M_PI_H",
    "M_SQRT1_2_H", "M_SQRT2_H", "MissingPackageError", "Sampler", "accelerate", "accelerated",
    "accelerated_functions", "accelerated_ufuncs", "acos", "acosh", "acospi", "add",
    "addressing_mode", "allowed_ulp", "asin", "asinh", "asinpi", "atan", "atan2", "atan2pi",
    "atanh", "atanpi", "bitselect", "cbrt", "ceil", "channel_order", "channel_type", "clamp",
    "compoundn", "convert", "copysign", "cos", "cosh", "cospi", "cross", "cumsum", "decelerate",
    "degrees", "distance", "divide", "dot", "erf", "erfc", "exp", "exp10", "exp10m1", "exp2",
    "exp2m1", "expm1", "fabs", "fdim", "filter_mode", "finfo", "floor", "fma", "fmax", "fmin",
    "fmod", "fract", "frexp", "from_snorm16", "from_snorm8", "from_struct", "from_unorm16",
    "from_unorm8", "get_image_array_size", "get_image_channel_data_type",
    "get_image_channel_order", "get_image_depth", "get_image_dim", "get_image_height",
    "get_image_width", "get_num_threads", "get_rounding", "half", "half16", "half2", "half3",
    "half4", "half8", "hypot", "ilogb", "isequal", "isfinite", "isgreater", "isgreaterequal",
    "isinf", "isless", "islessequal", "islessgreater", "isnan", "isnormal", "isnotequal",
    "isordered", "isunordered", "ldexp", "length", "lgamma", "lgamma_r", "log", "log10", "log10p1",
    "log1p", "log2", "log2p1", "logb", "mad", "matmul", "maxmag", "mean", "mem_object_type",
    "minmag", "mipmaps", "mix", "modf", "multiply", "nan", "negative", "nextafter", "nextdown",
    "nextup", "norm", "normalize", "num_threads", "parse", "pown", "powr", "processor_info",
    "prod", "radians", "read_imagef", "read_imageh", "read_imagei", "read_imageui", "remainder",
    "remquo", "resample", "rint", "rootn", "rounding", "rsqrt", "select", "set_num_threads",
    "shuffle", "shuffle2", "sign", "signbit", "sin", "sincos", "sinh", "sinpi", "smoothstep",
    "sqrt", "std", "step", "subtract", "sumsq", "tan", "tanh", "tanpi", "tgamma", "to_snorm16",
    "to_snorm8", "to_struct", "to_unorm16", "to_unorm8", "trunc", "ulp", "ulp_error",
    "ulps_between", "var", "vdot", "vec_step", "write_imagef", "write_imageh", "write_imagei",
    "write_imageui",
]

_Array: TypeAlias = NDArray[Any]
_Axis: TypeAlias = int | tuple[int, ...] | None
_Mode: TypeAlias = RoundingMode | None
_Modes: TypeAlias = RoundingMode | _Array | None
_Outputs: TypeAlias = tuple[_Array | None, _Array | None]
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Order: TypeAlias = Literal["K", "A", "C", "F"]
_Number: TypeAlias = half | float | np.bool_ | np.int8 | np.uint8
_Integer: TypeAlias = int | np.integer[Any]
_OfHalves = TypeVar("_OfHalves", half2, half3, half4, half8, half16)

def __getattr__(name: str) -> Any: ...  # convert_int_sat, exp_rtz, vload4, short4: names by rule

@type_check_only
class _Settings(TypedDict, total=False):
    rounding: _Modes
    casting: _Casting
    order: _Order
    subok: bool

@type_check_only
class _Keywords(_Settings, total=False):
    where: ArrayLike

@type_check_only
class _AxisKeywords(_Settings, total=False):
    axis: int

@type_check_only
class _FunctionOfXY(Function):
    @overload
    def __call__(self, x: _Number, y: _Number, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, y: _OfHalves | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, y: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: ArrayLike, y: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(self, x: _OfHalves | _Number, /, **keywords: Unpack[_Keywords]) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.float16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfXNInteger(Function):
    @overload
    def __call__(self, x: _Number, n: _Integer, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, n: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, n: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: np.float16, n: _Integer, /, **keywords: Unpack[_Keywords],
    ) -> np.float16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], n: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, n: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfXYInteger(Function):
    @overload
    def __call__(self, x: _Number, y: _Integer, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, y: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, y: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: np.float16, y: _Integer, /, **keywords: Unpack[_Keywords],
    ) -> np.float16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], y: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, y: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _PairOfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> tuple[half, half]: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[_OfHalves, _OfHalves]: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[NDArray[half], NDArray[half]]: ...
    @overload
    def __call__(
        self, x: np.float16, /, **keywords: Unpack[_Keywords],
    ) -> tuple[np.float16, np.float16]: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> tuple[NDArray[np.float16], NDArray[np.float16]]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Outputs = (None, None), *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> tuple[Any, Any]: ...

@type_check_only
class _FunctionOfYX(Function):
    @overload
    def __call__(self, y: _Number, x: _Number, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(
        self, y: _OfHalves | _Number, x: _OfHalves | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, y: NDArray[half] | _Number, x: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, y: ArrayLike, x: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _PairWithIntegerOfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> tuple[half, np.int32]: ...
    @overload
    def __call__(
        self, x: half2 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half2, _int2]: ...
    @overload
    def __call__(
        self, x: half3 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half3, _int3]: ...
    @overload
    def __call__(
        self, x: half4 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half4, _int4]: ...
    @overload
    def __call__(
        self, x: half8 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half8, _int8]: ...
    @overload
    def __call__(
        self, x: half16 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half16, _int16]: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[NDArray[half], NDArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: np.float16, /, **keywords: Unpack[_Keywords],
    ) -> tuple[np.float16, np.int32]: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> tuple[NDArray[np.float16], NDArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Outputs = (None, None), *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> tuple[Any, Any]: ...

@type_check_only
class _FunctionOfABC(Function):
    @overload
    def __call__(
        self, a: _Number, b: _Number, c: _Number, /, **keywords: Unpack[_Keywords],
    ) -> half: ...
    @overload
    def __call__(
        self, a: _OfHalves | _Number, b: _OfHalves | _Number, c: _OfHalves | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, a: NDArray[half] | _Number, b: NDArray[half] | _Number, c: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, a: ArrayLike, b: ArrayLike, c: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _PairWithIntegerOfXY(Function):
    @overload
    def __call__(
        self, x: _Number, y: _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half, np.int32]: ...
    @overload
    def __call__(
        self, x: half2 | _Number, y: half2 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half2, _int2]: ...
    @overload
    def __call__(
        self, x: half3 | _Number, y: half3 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half3, _int3]: ...
    @overload
    def __call__(
        self, x: half4 | _Number, y: half4 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half4, _int4]: ...
    @overload
    def __call__(
        self, x: half8 | _Number, y: half8 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half8, _int8]: ...
    @overload
    def __call__(
        self, x: half16 | _Number, y: half16 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> tuple[half16, _int16]: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, y: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> tuple[NDArray[half], NDArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: ArrayLike, y: ArrayLike, /, out: _Outputs = (None, None), *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> tuple[Any, Any]: ...

@type_check_only
class _FunctionOfXKInteger(Function):
    @overload
    def __call__(self, x: _Number, k: _Integer, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, k: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, k: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: np.float16, k: _Integer, /, **keywords: Unpack[_Keywords],
    ) -> np.float16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], k: ArrayLike, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, k: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _Int32OfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> np.int32: ...
    @overload
    def __call__(self, x: half2 | _Number, /, **keywords: Unpack[_Keywords]) -> _int2: ...
    @overload
    def __call__(self, x: half3 | _Number, /, **keywords: Unpack[_Keywords]) -> _int3: ...
    @overload
    def __call__(self, x: half4 | _Number, /, **keywords: Unpack[_Keywords]) -> _int4: ...
    @overload
    def __call__(self, x: half8 | _Number, /, **keywords: Unpack[_Keywords]) -> _int8: ...
    @overload
    def __call__(self, x: half16 | _Number, /, **keywords: Unpack[_Keywords]) -> _int16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.int32]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.int32: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.int32]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfNancodeInteger(Function):
    def __call__(
        self, nancode: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfXMinvalMaxval(Function):
    @overload
    def __call__(
        self, x: _Number, minval: _Number, maxval: _Number, /, **keywords: Unpack[_Keywords],
    ) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, minval: _OfHalves | _Number, maxval: _OfHalves | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, minval: NDArray[half] | _Number,
        maxval: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: ArrayLike, minval: ArrayLike, maxval: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfXYA(Function):
    @overload
    def __call__(
        self, x: _Number, y: _Number, a: _Number, /, **keywords: Unpack[_Keywords],
    ) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, y: _OfHalves | _Number, a: _OfHalves | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, y: NDArray[half] | _Number, a: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: ArrayLike, y: ArrayLike, a: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfEdge0Edge1X(Function):
    @overload
    def __call__(
        self, edge0: _Number, edge1: _Number, x: _Number, /, **keywords: Unpack[_Keywords],
    ) -> half: ...
    @overload
    def __call__(
        self, edge0: _OfHalves | _Number, edge1: _OfHalves | _Number, x: _OfHalves | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, edge0: NDArray[half] | _Number, edge1: NDArray[half] | _Number,
        x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, edge0: ArrayLike, edge1: ArrayLike, x: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfEdgeX(Function):
    @overload
    def __call__(self, edge: _Number, x: _Number, /, **keywords: Unpack[_Keywords]) -> half: ...
    @overload
    def __call__(
        self, edge: _OfHalves | _Number, x: _OfHalves | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, edge: NDArray[half] | _Number, x: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, edge: ArrayLike, x: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _AlongAxisOfXY(Function):
    @overload
    def __call__(self, x: _Number, y: _Number, /, **keywords: Unpack[_AxisKeywords]) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, y: _OfHalves | _Number, /, **keywords: Unpack[_AxisKeywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, y: NDArray[half] | _Number, /,
        **keywords: Unpack[_AxisKeywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self, x: ArrayLike, y: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_AxisKeywords],
    ) -> Any: ...

@type_check_only
class _ReductionOfXY(Function):
    def __call__(
        self, x: ArrayLike, y: ArrayLike, /, out: _Array | None = None, *, keepdims: bool = False,
        dtype: DTypeLike | None = None, **keywords: Unpack[_AxisKeywords],
    ) -> Any: ...

@type_check_only
class _ReductionOfX(Function):
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, keepdims: bool = False,
        dtype: DTypeLike | None = None, **keywords: Unpack[_AxisKeywords],
    ) -> Any: ...

@type_check_only
class _AlongAxisOfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_AxisKeywords]) -> half: ...
    @overload
    def __call__(
        self, x: _OfHalves | _Number, /, **keywords: Unpack[_AxisKeywords],
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_AxisKeywords],
    ) -> NDArray[half]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_AxisKeywords]) -> np.float16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_AxisKeywords],
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_AxisKeywords],
    ) -> Any: ...

@type_check_only
class _TestOfXY(Function):
    @overload
    def __call__(self, x: _Number, y: _Number, /, **keywords: Unpack[_Keywords]) -> np.bool_: ...
    @overload
    def __call__(
        self, x: half2 | _Number, y: half2 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _short2: ...
    @overload
    def __call__(
        self, x: half3 | _Number, y: half3 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _short3: ...
    @overload
    def __call__(
        self, x: half4 | _Number, y: half4 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _short4: ...
    @overload
    def __call__(
        self, x: half8 | _Number, y: half8 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _short8: ...
    @overload
    def __call__(
        self, x: half16 | _Number, y: half16 | _Number, /, **keywords: Unpack[_Keywords],
    ) -> _short16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, y: NDArray[half] | _Number, /,
        **keywords: Unpack[_Keywords],
    ) -> NDArray[np.bool_]: ...
    @overload
    def __call__(
        self, x: ArrayLike, y: ArrayLike, /, out: _Array | None = None, *,
        dtype: DTypeLike | None = None, **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _TestOfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> np.bool_: ...
    @overload
    def __call__(self, x: half2 | _Number, /, **keywords: Unpack[_Keywords]) -> _short2: ...
    @overload
    def __call__(self, x: half3 | _Number, /, **keywords: Unpack[_Keywords]) -> _short3: ...
    @overload
    def __call__(self, x: half4 | _Number, /, **keywords: Unpack[_Keywords]) -> _short4: ...
    @overload
    def __call__(self, x: half8 | _Number, /, **keywords: Unpack[_Keywords]) -> _short8: ...
    @overload
    def __call__(self, x: half16 | _Number, /, **keywords: Unpack[_Keywords]) -> _short16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.bool_]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.bool_: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.bool_]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _FunctionOfXInteger(Function):
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _Uint8OfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> np.uint8: ...
    @overload
    def __call__(self, x: half2 | _Number, /, **keywords: Unpack[_Keywords]) -> _uchar2: ...
    @overload
    def __call__(self, x: half3 | _Number, /, **keywords: Unpack[_Keywords]) -> _uchar3: ...
    @overload
    def __call__(self, x: half4 | _Number, /, **keywords: Unpack[_Keywords]) -> _uchar4: ...
    @overload
    def __call__(self, x: half8 | _Number, /, **keywords: Unpack[_Keywords]) -> _uchar8: ...
    @overload
    def __call__(self, x: half16 | _Number, /, **keywords: Unpack[_Keywords]) -> _uchar16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.uint8]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.uint8: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.uint8]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _Uint16OfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> np.uint16: ...
    @overload
    def __call__(self, x: half2 | _Number, /, **keywords: Unpack[_Keywords]) -> _ushort2: ...
    @overload
    def __call__(self, x: half3 | _Number, /, **keywords: Unpack[_Keywords]) -> _ushort3: ...
    @overload
    def __call__(self, x: half4 | _Number, /, **keywords: Unpack[_Keywords]) -> _ushort4: ...
    @overload
    def __call__(self, x: half8 | _Number, /, **keywords: Unpack[_Keywords]) -> _ushort8: ...
    @overload
    def __call__(self, x: half16 | _Number, /, **keywords: Unpack[_Keywords]) -> _ushort16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.uint16]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.uint16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.uint16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _Int8OfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> np.int8: ...
    @overload
    def __call__(self, x: half2 | _Number, /, **keywords: Unpack[_Keywords]) -> _char2: ...
    @overload
    def __call__(self, x: half3 | _Number, /, **keywords: Unpack[_Keywords]) -> _char3: ...
    @overload
    def __call__(self, x: half4 | _Number, /, **keywords: Unpack[_Keywords]) -> _char4: ...
    @overload
    def __call__(self, x: half8 | _Number, /, **keywords: Unpack[_Keywords]) -> _char8: ...
    @overload
    def __call__(self, x: half16 | _Number, /, **keywords: Unpack[_Keywords]) -> _char16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.int8]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.int8: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.int8]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _Int16OfX(Function):
    @overload
    def __call__(self, x: _Number, /, **keywords: Unpack[_Keywords]) -> np.int16: ...
    @overload
    def __call__(self, x: half2 | _Number, /, **keywords: Unpack[_Keywords]) -> _short2: ...
    @overload
    def __call__(self, x: half3 | _Number, /, **keywords: Unpack[_Keywords]) -> _short3: ...
    @overload
    def __call__(self, x: half4 | _Number, /, **keywords: Unpack[_Keywords]) -> _short4: ...
    @overload
    def __call__(self, x: half8 | _Number, /, **keywords: Unpack[_Keywords]) -> _short8: ...
    @overload
    def __call__(self, x: half16 | _Number, /, **keywords: Unpack[_Keywords]) -> _short16: ...
    @overload
    def __call__(
        self, x: NDArray[half] | _Number, /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.int16]: ...
    @overload
    def __call__(self, x: np.float16, /, **keywords: Unpack[_Keywords]) -> np.int16: ...
    @overload
    def __call__(
        self, x: NDArray[np.float16], /, **keywords: Unpack[_Keywords],
    ) -> NDArray[np.int16]: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Array | None = None, *, dtype: DTypeLike | None = None,
        **keywords: Unpack[_Keywords],
    ) -> Any: ...

@type_check_only
class _ChoiceOfABC(Function):
    def __call__(
        self, a: ArrayLike, b: ArrayLike, c: ArrayLike, /, out: _Array | None = None, *,
        where: ArrayLike = True,
    ) -> Any: ...


# ---------------- constants

HALF_DIG: int
HALF_MANT_DIG: int
HALF_MAX_10_EXP: int
HALF_MAX_EXP: int
HALF_MIN_10_EXP: int
HALF_MIN_EXP: int
HALF_RADIX: int
HALF_MAX: half
HALF_MIN: half
HALF_EPSILON: half
M_E_H: half
M_LOG2E_H: half
M_LOG10E_H: half
M_LN2_H: half
M_LN10_H: half
M_PI_H: half
M_PI_2_H: half
M_PI_4_H: half
M_1_PI_H: half
M_2_PI_H: half
M_2_SQRTPI_H: half
M_SQRT2_H: half
M_SQRT1_2_H: half
HALF_FP_CONFIG: FPConfig


# ---------------- functions

add: _FunctionOfXY
subtract: _FunctionOfXY
multiply: _FunctionOfXY
divide: _FunctionOfXY
negative: _FunctionOfX
exp: _FunctionOfX
exp2: _FunctionOfX
exp10: _FunctionOfX
expm1: _FunctionOfX
exp2m1: _FunctionOfX
exp10m1: _FunctionOfX
log: _FunctionOfX
log2: _FunctionOfX
log10: _FunctionOfX
log1p: _FunctionOfX
log2p1: _FunctionOfX
log10p1: _FunctionOfX
cbrt: _FunctionOfX
compoundn: _FunctionOfXNInteger
hypot: _FunctionOfXY
pown: _FunctionOfXYInteger
powr: _FunctionOfXY
rootn: _FunctionOfXYInteger
rsqrt: _FunctionOfX
sqrt: _FunctionOfX
sin: _FunctionOfX
cos: _FunctionOfX
tan: _FunctionOfX
sincos: _PairOfX
sinpi: _FunctionOfX
cospi: _FunctionOfX
tanpi: _FunctionOfX
asin: _FunctionOfX
acos: _FunctionOfX
atan: _FunctionOfX
atan2: _FunctionOfYX
asinpi: _FunctionOfX
acospi: _FunctionOfX
atanpi: _FunctionOfX
atan2pi: _FunctionOfYX
sinh: _FunctionOfX
cosh: _FunctionOfX
tanh: _FunctionOfX
asinh: _FunctionOfX
acosh: _FunctionOfX
atanh: _FunctionOfX
erf: _FunctionOfX
erfc: _FunctionOfX
tgamma: _FunctionOfX
lgamma: _FunctionOfX
lgamma_r: _PairWithIntegerOfX
fma: _FunctionOfABC
mad: _FunctionOfABC
fdim: _FunctionOfXY
fmod: _FunctionOfXY
remainder: _FunctionOfXY
remquo: _PairWithIntegerOfXY
rint: _FunctionOfX
trunc: _FunctionOfX
ceil: _FunctionOfX
floor: _FunctionOfX
fract: _PairOfX
modf: _PairOfX
frexp: _PairWithIntegerOfX
ldexp: _FunctionOfXKInteger
ilogb: _Int32OfX
logb: _FunctionOfX
fabs: _FunctionOfX
copysign: _FunctionOfXY
fmax: _FunctionOfXY
fmin: _FunctionOfXY
maxmag: _FunctionOfXY
minmag: _FunctionOfXY
nextafter: _FunctionOfXY
nextdown: _FunctionOfX
nextup: _FunctionOfX
ulp: _FunctionOfX
nan: _FunctionOfNancodeInteger
clamp: _FunctionOfXMinvalMaxval
degrees: _FunctionOfX
mix: _FunctionOfXYA
radians: _FunctionOfX
sign: _FunctionOfX
smoothstep: _FunctionOfEdge0Edge1X
step: _FunctionOfEdgeX
cross: _AlongAxisOfXY
dot: _ReductionOfXY
distance: _ReductionOfXY
length: _ReductionOfX
normalize: _AlongAxisOfX
isequal: _TestOfXY
isnotequal: _TestOfXY
isgreater: _TestOfXY
isgreaterequal: _TestOfXY
isless: _TestOfXY
islessequal: _TestOfXY
islessgreater: _TestOfXY
isfinite: _TestOfX
isinf: _TestOfX
isnan: _TestOfX
isnormal: _TestOfX
isordered: _TestOfXY
isunordered: _TestOfXY
signbit: _TestOfX
from_unorm8: _FunctionOfXInteger
to_unorm8: _Uint8OfX
from_unorm16: _FunctionOfXInteger
to_unorm16: _Uint16OfX
from_snorm8: _FunctionOfXInteger
to_snorm8: _Int8OfX
from_snorm16: _FunctionOfXInteger
to_snorm16: _Int16OfX
select: _ChoiceOfABC
bitselect: _ChoiceOfABC
def prod(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    keepdims: bool = False, initial: ArrayLike | None = None, where: ArrayLike = True, *,
    rounding: _Mode = None,
) -> Any: ...
def mean(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None,
) -> Any: ...
def var(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    ddof: int = 0, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None,
) -> Any: ...
def std(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    ddof: int = 0, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None,
) -> Any: ...
def sumsq(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None,
) -> Any: ...
def norm(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None,
) -> Any: ...
def vdot(
    a: ArrayLike, b: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None,
    out: _Array | None = None, keepdims: bool = False, *, where: ArrayLike = True,
    rounding: _Mode = None,
) -> Any: ...
def cumsum(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    *, rounding: _Mode = None,
) -> Any: ...
def matmul(
    a: ArrayLike, b: ArrayLike, /, out: _Array | None = None, *, exact: bool = True,
    rounding: _Mode = None,
) -> Any: ...
def accelerated_functions() -> Any: ...
pow: _FunctionOfXY
round: _FunctionOfX
max: _FunctionOfXY
min: _FunctionOfXY
def any(x: ArrayLike, /, *, axis: _Axis = None, keepdims: bool = False) -> Any: ...
def all(x: ArrayLike, /, *, axis: _Axis = None, keepdims: bool = False) -> Any: ...
def sum(
    a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None,
    keepdims: bool = False, initial: ArrayLike | None = None, where: ArrayLike = True, *,
    rounding: _Mode = None,
) -> Any: ...
