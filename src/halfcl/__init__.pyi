"""halfcl's public names and their types. Made by tools/make_stubs.py: not to be edited."""

# Operators of vectors give vectors, calls take less than a ufunc's *args, and to a type checker
# half is a subclass of float16, so overloads for half come first.
# mypy: disable-error-code="override, misc, overload-overlap"

from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, overload, type_check_only

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from typing_extensions import Self

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
from halfcl.vectors import Vector
from halfcl.vectors import from_struct as from_struct
from halfcl.vectors import shuffle as shuffle
from halfcl.vectors import shuffle2 as shuffle2
from halfcl.vectors import to_struct as to_struct
from halfcl.vectors import vec_step as vec_step

__version__: str
__all__ = [
    'FPConfig',
    'Function',
    'HALF_DIG',
    'HALF_EPSILON',
    'HALF_FP_CONFIG',
    'HALF_MANT_DIG',
    'HALF_MAX',
    'HALF_MAX_10_EXP',
    'HALF_MAX_EXP',
    'HALF_MIN',
    'HALF_MIN_10_EXP',
    'HALF_MIN_EXP',
    'HALF_RADIX',
    'Image',
    'ImageFormat',
    'MODES',
    'M_1_PI_H',
    'M_2_PI_H',
    'M_2_SQRTPI_H',
    'M_E_H',
    'M_LN10_H',
    'M_LN2_H',
    'M_LOG10E_H',
    'M_LOG2E_H',
    'M_PI_2_H',
    'M_PI_4_H',
    'M_PI_H',
    'M_SQRT1_2_H',
    'M_SQRT2_H',
    'MissingPackageError',
    'Sampler',
    'accelerate',
    'accelerated',
    'accelerated_functions',
    'accelerated_ufuncs',
    'acos',
    'acosh',
    'acospi',
    'add',
    'addressing_mode',
    'allowed_ulp',
    'asin',
    'asinh',
    'asinpi',
    'atan',
    'atan2',
    'atan2pi',
    'atanh',
    'atanpi',
    'bitselect',
    'cbrt',
    'ceil',
    'channel_order',
    'channel_type',
    'clamp',
    'compoundn',
    'convert',
    'copysign',
    'cos',
    'cosh',
    'cospi',
    'cross',
    'cumsum',
    'decelerate',
    'degrees',
    'distance',
    'divide',
    'dot',
    'erf',
    'erfc',
    'exp',
    'exp10',
    'exp10m1',
    'exp2',
    'exp2m1',
    'expm1',
    'fabs',
    'fdim',
    'filter_mode',
    'finfo',
    'floor',
    'fma',
    'fmax',
    'fmin',
    'fmod',
    'fract',
    'frexp',
    'from_snorm16',
    'from_snorm8',
    'from_struct',
    'from_unorm16',
    'from_unorm8',
    'get_image_array_size',
    'get_image_channel_data_type',
    'get_image_channel_order',
    'get_image_depth',
    'get_image_dim',
    'get_image_height',
    'get_image_width',
    'get_num_threads',
    'get_rounding',
    'half',
    'half16',
    'half2',
    'half3',
    'half4',
    'half8',
    'hypot',
    'ilogb',
    'isequal',
    'isfinite',
    'isgreater',
    'isgreaterequal',
    'isinf',
    'isless',
    'islessequal',
    'islessgreater',
    'isnan',
    'isnormal',
    'isnotequal',
    'isordered',
    'isunordered',
    'ldexp',
    'length',
    'lgamma',
    'lgamma_r',
    'log',
    'log10',
    'log10p1',
    'log1p',
    'log2',
    'log2p1',
    'logb',
    'mad',
    'matmul',
    'maxmag',
    'mean',
    'mem_object_type',
    'minmag',
    'mipmaps',
    'mix',
    'modf',
    'multiply',
    'nan',
    'negative',
    'nextafter',
    'nextdown',
    'nextup',
    'norm',
    'normalize',
    'num_threads',
    'parse',
    'pown',
    'powr',
    'processor_info',
    'prod',
    'radians',
    'read_imagef',
    'read_imageh',
    'read_imagei',
    'read_imageui',
    'remainder',
    'remquo',
    'resample',
    'rint',
    'rootn',
    'rounding',
    'rsqrt',
    'select',
    'set_num_threads',
    'shuffle',
    'shuffle2',
    'sign',
    'signbit',
    'sin',
    'sincos',
    'sinh',
    'sinpi',
    'smoothstep',
    'sqrt',
    'std',
    'step',
    'subtract',
    'sumsq',
    'tan',
    'tanh',
    'tanpi',
    'tgamma',
    'to_snorm16',
    'to_snorm8',
    'to_struct',
    'to_unorm16',
    'to_unorm8',
    'trunc',
    'ulp',
    'ulp_error',
    'ulps_between',
    'var',
    'vdot',
    'vec_step',
    'write_imagef',
    'write_imageh',
    'write_imagei',
    'write_imageui',
]

_Array: TypeAlias = NDArray[Any]
_Offset: TypeAlias = ArrayLike | range
_Axis: TypeAlias = int | tuple[int, ...] | None
_Mode: TypeAlias = RoundingMode | None
_Modes: TypeAlias = RoundingMode | _Array | None
_Outputs: TypeAlias = tuple[_Array | None, _Array | None]
_Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Order: TypeAlias = Literal["K", "A", "C", "F"]
_Number: TypeAlias = half | float | np.bool_ | np.int8 | np.uint8
_Integer: TypeAlias = int | np.integer[Any]
_Number_co = TypeVar("_Number_co", bound=np.generic, covariant=True)
_OfHalves = TypeVar("_OfHalves", half2, half3, half4, half8, half16)
_T_co = TypeVar("_T_co", covariant=True)
_Half = TypeVar("_Half")  # the type of .lo, .hi, .even and .odd

@type_check_only
class _FunctionOfXY(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        y: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        y: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        y: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.float16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfXNInteger(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        n: _Integer,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        n: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        n: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        n: _Integer,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.float16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        n: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        n: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfXYInteger(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        y: _Integer,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        y: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        y: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        y: _Integer,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.float16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        y: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _PairOfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half, half]: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[_OfHalves, _OfHalves]: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[NDArray[half], NDArray[half]]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[np.float16, np.float16]: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[NDArray[np.float16], NDArray[np.float16]]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Outputs = (None, None),
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> tuple[Any, Any]: ...

@type_check_only
class _FunctionOfYX(Function):
    @overload
    def __call__(
        self,
        y: _Number,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        y: _OfHalves | _Number,
        x: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        y: NDArray[half] | _Number,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        y: ArrayLike,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _PairWithIntegerOfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half, np.int32]: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half2, int2]: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half3, int3]: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half4, int4]: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half8, _int8]: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half16, _int16]: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[NDArray[half], NDArray[np.int32]]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[np.float16, np.int32]: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[NDArray[np.float16], NDArray[np.int32]]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Outputs = (None, None),
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> tuple[Any, Any]: ...

@type_check_only
class _FunctionOfABC(Function):
    @overload
    def __call__(
        self,
        a: _Number,
        b: _Number,
        c: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        a: _OfHalves | _Number,
        b: _OfHalves | _Number,
        c: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        a: NDArray[half] | _Number,
        b: NDArray[half] | _Number,
        c: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        a: ArrayLike,
        b: ArrayLike,
        c: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _PairWithIntegerOfXY(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        y: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half, np.int32]: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        y: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half2, int2]: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        y: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half3, int3]: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        y: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half4, int4]: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        y: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half8, _int8]: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        y: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[half16, _int16]: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        y: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> tuple[NDArray[half], NDArray[np.int32]]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        /,
        out: _Outputs = (None, None),
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> tuple[Any, Any]: ...

@type_check_only
class _FunctionOfXKInteger(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        k: _Integer,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        k: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        k: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        k: _Integer,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.float16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        k: ArrayLike,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        k: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _Int32OfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.int32: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> int2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> int3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> int4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _int8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _int16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.int32]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.int32: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.int32]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfNancodeInteger(Function):
    def __call__(
        self,
        nancode: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfXMinvalMaxval(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        minval: _Number,
        maxval: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        minval: _OfHalves | _Number,
        maxval: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        minval: NDArray[half] | _Number,
        maxval: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        minval: ArrayLike,
        maxval: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfXYA(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        y: _Number,
        a: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        y: _OfHalves | _Number,
        a: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        y: NDArray[half] | _Number,
        a: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        a: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfEdge0Edge1X(Function):
    @overload
    def __call__(
        self,
        edge0: _Number,
        edge1: _Number,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        edge0: _OfHalves | _Number,
        edge1: _OfHalves | _Number,
        x: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        edge0: NDArray[half] | _Number,
        edge1: NDArray[half] | _Number,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        edge0: ArrayLike,
        edge1: ArrayLike,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfEdgeX(Function):
    @overload
    def __call__(
        self,
        edge: _Number,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        edge: _OfHalves | _Number,
        x: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        edge: NDArray[half] | _Number,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        edge: ArrayLike,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _AlongAxisOfXY(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        y: _Number,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        y: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        y: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _ReductionOfXY(Function):
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        keepdims: bool = False,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _ReductionOfX(Function):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        keepdims: bool = False,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _AlongAxisOfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> half: ...
    @overload
    def __call__(
        self,
        x: _OfHalves | _Number,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _OfHalves: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[half]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.float16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.float16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        axis: int = -1,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _TestOfXY(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        y: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.bool_: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        y: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        y: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        y: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        y: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        y: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        y: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.bool_]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _TestOfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.bool_: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.bool_]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.bool_: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.bool_]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _FunctionOfXInteger(Function):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _Uint8OfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.uint8: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> uchar2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> uchar3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> uchar4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> uchar8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> uchar16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.uint8]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.uint8: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.uint8]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _Uint16OfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.uint16: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> ushort2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> ushort3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> ushort4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> ushort8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> ushort16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.uint16]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.uint16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.uint16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _Int8OfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.int8: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> char2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> char3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> char4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> char8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> char16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.int8]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.int8: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.int8]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _Int16OfX(Function):
    @overload
    def __call__(
        self,
        x: _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.int16: ...
    @overload
    def __call__(
        self,
        x: half2 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short2: ...
    @overload
    def __call__(
        self,
        x: half3 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short3: ...
    @overload
    def __call__(
        self,
        x: half4 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short4: ...
    @overload
    def __call__(
        self,
        x: half8 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short8: ...
    @overload
    def __call__(
        self,
        x: half16 | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> short16: ...
    @overload
    def __call__(
        self,
        x: NDArray[half] | _Number,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.int16]: ...
    @overload
    def __call__(
        self,
        x: np.float16,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> np.int16: ...
    @overload
    def __call__(
        self,
        x: NDArray[np.float16],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[np.int16]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _ChoiceOfABC(Function):
    def __call__(
        self,
        a: ArrayLike,
        b: ArrayLike,
        c: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        where: ArrayLike = True,
    ) -> Any: ...

@type_check_only
class _ConversionToNumber(Function, Generic[_Number_co]):
    @overload
    def __call__(
        self,
        x: float | np.number[Any] | np.bool_,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> _Number_co: ...
    @overload
    def __call__(
        self,
        x: Vector,
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> Vector: ...
    @overload
    def __call__(
        self,
        x: NDArray[Any],
        /,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        subok: bool = True,
    ) -> NDArray[_Number_co]: ...
    @overload
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> Any: ...

@type_check_only
class _Conversion(Protocol[_T_co]):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        rounding: _Modes = None,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> _T_co: ...

@type_check_only
class _ConversionInMode(Protocol[_T_co]):
    def __call__(
        self,
        x: ArrayLike,
        /,
        out: _Array | None = None,
        *,
        where: ArrayLike = True,
        casting: _Casting = "same_kind",
        order: _Order = "K",
        dtype: DTypeLike | None = None,
        subok: bool = True,
    ) -> _T_co: ...

@type_check_only
class _Components(Vector):
    def __new__(cls, *components: ArrayLike) -> Self: ...
    def __add__(self, other: Any, /) -> Self: ...
    def __radd__(self, other: Any, /) -> Self: ...
    def __iadd__(self, other: Any, /) -> Self: ...
    def __sub__(self, other: Any, /) -> Self: ...
    def __rsub__(self, other: Any, /) -> Self: ...
    def __isub__(self, other: Any, /) -> Self: ...
    def __mul__(self, other: Any, /) -> Self: ...
    def __rmul__(self, other: Any, /) -> Self: ...
    def __imul__(self, other: Any, /) -> Self: ...
    def __truediv__(self, other: Any, /) -> Self: ...
    def __rtruediv__(self, other: Any, /) -> Self: ...
    def __itruediv__(self, other: Any, /) -> Self: ...
    def __floordiv__(self, other: Any, /) -> Self: ...
    def __rfloordiv__(self, other: Any, /) -> Self: ...
    def __ifloordiv__(self, other: Any, /) -> Self: ...
    def __mod__(self, other: Any, /) -> Self: ...
    def __rmod__(self, other: Any, /) -> Self: ...
    def __imod__(self, other: Any, /) -> Self: ...
    def __pow__(self, other: Any, /) -> Self: ...
    def __rpow__(self, other: Any, /) -> Self: ...
    def __ipow__(self, other: Any, /) -> Self: ...
    def __and__(self, other: Any, /) -> Self: ...
    def __rand__(self, other: Any, /) -> Self: ...
    def __iand__(self, other: Any, /) -> Self: ...
    def __or__(self, other: Any, /) -> Self: ...
    def __ror__(self, other: Any, /) -> Self: ...
    def __ior__(self, other: Any, /) -> Self: ...
    def __xor__(self, other: Any, /) -> Self: ...
    def __rxor__(self, other: Any, /) -> Self: ...
    def __ixor__(self, other: Any, /) -> Self: ...
    def __lshift__(self, other: Any, /) -> Self: ...
    def __rlshift__(self, other: Any, /) -> Self: ...
    def __ilshift__(self, other: Any, /) -> Self: ...
    def __rshift__(self, other: Any, /) -> Self: ...
    def __rrshift__(self, other: Any, /) -> Self: ...
    def __irshift__(self, other: Any, /) -> Self: ...
    def __eq__(self, other: Any, /) -> Any: ...
    def __ne__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __invert__(self) -> Self: ...

@type_check_only
class _Vector2(_Components, Generic[_Half]):
    x: Any
    y: Any
    r: Any
    g: Any
    s0: Any
    s1: Any
    lo: _Half
    hi: _Half
    even: _Half
    odd: _Half

@type_check_only
class _Vector3(_Components, Generic[_Half]):
    x: Any
    y: Any
    z: Any
    r: Any
    g: Any
    b: Any
    s0: Any
    s1: Any
    s2: Any
    lo: _Half
    hi: _Half
    even: _Half
    odd: _Half

@type_check_only
class _Vector4(_Components, Generic[_Half]):
    x: Any
    y: Any
    z: Any
    w: Any
    r: Any
    g: Any
    b: Any
    a: Any
    s0: Any
    s1: Any
    s2: Any
    s3: Any
    lo: _Half
    hi: _Half
    even: _Half
    odd: _Half

@type_check_only
class _Vector8(_Components, Generic[_Half]):
    x: Any
    y: Any
    z: Any
    w: Any
    r: Any
    g: Any
    b: Any
    a: Any
    s0: Any
    s1: Any
    s2: Any
    s3: Any
    s4: Any
    s5: Any
    s6: Any
    s7: Any
    lo: _Half
    hi: _Half
    even: _Half
    odd: _Half

@type_check_only
class _Vector16(_Components, Generic[_Half]):
    x: Any
    y: Any
    z: Any
    w: Any
    r: Any
    g: Any
    b: Any
    a: Any
    s0: Any
    s1: Any
    s2: Any
    s3: Any
    s4: Any
    s5: Any
    s6: Any
    s7: Any
    s8: Any
    s9: Any
    sa: Any
    sb: Any
    sc: Any
    sd: Any
    se: Any
    sf: Any
    lo: _Half
    hi: _Half
    even: _Half
    odd: _Half

# ---------------- constants

HALF_DIG: int
CL_HALF_DIG: int
HALF_MANT_DIG: int
CL_HALF_MANT_DIG: int
HALF_MAX_10_EXP: int
CL_HALF_MAX_10_EXP: int
HALF_MAX_EXP: int
CL_HALF_MAX_EXP: int
HALF_MIN_10_EXP: int
CL_HALF_MIN_10_EXP: int
HALF_MIN_EXP: int
CL_HALF_MIN_EXP: int
HALF_RADIX: int
CL_HALF_RADIX: int
HALF_MAX: half
CL_HALF_MAX: half
HALF_MIN: half
CL_HALF_MIN: half
HALF_EPSILON: half
CL_HALF_EPSILON: half
FP_ILOGB0: int
FP_ILOGBNAN: int
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
CL_FP_DENORM: FPConfig
CL_FP_INF_NAN: FPConfig
CL_FP_ROUND_TO_NEAREST: FPConfig
CL_FP_ROUND_TO_ZERO: FPConfig
CL_FP_ROUND_TO_INF: FPConfig
CL_FP_FMA: FPConfig
CL_FP_SOFT_FLOAT: FPConfig
HALF_FP_CONFIG: FPConfig
CL_DEVICE_HALF_FP_CONFIG: FPConfig
FP_FAST_FMA_HALF: bool

# ---------------- vectors

class char2(_Vector2[Any]): ...
class char3(_Vector3[char2]): ...
class char4(_Vector4[char2]): ...
class char8(_Vector8[char4]): ...
class char16(_Vector16[char8]): ...
class uchar2(_Vector2[Any]): ...
class uchar3(_Vector3[uchar2]): ...
class uchar4(_Vector4[uchar2]): ...
class uchar8(_Vector8[uchar4]): ...
class uchar16(_Vector16[uchar8]): ...
class short2(_Vector2[Any]): ...
class short3(_Vector3[short2]): ...
class short4(_Vector4[short2]): ...
class short8(_Vector8[short4]): ...
class short16(_Vector16[short8]): ...
class ushort2(_Vector2[Any]): ...
class ushort3(_Vector3[ushort2]): ...
class ushort4(_Vector4[ushort2]): ...
class ushort8(_Vector8[ushort4]): ...
class ushort16(_Vector16[ushort8]): ...
class int2(_Vector2[Any]): ...
class int3(_Vector3[int2]): ...
class int4(_Vector4[int2]): ...
class _int8(_Vector8[int4]): ...
class _int16(_Vector16[_int8]): ...
class uint2(_Vector2[Any]): ...
class uint3(_Vector3[uint2]): ...
class uint4(_Vector4[uint2]): ...
class _uint8(_Vector8[uint4]): ...
class _uint16(_Vector16[_uint8]): ...
class long2(_Vector2[Any]): ...
class long3(_Vector3[long2]): ...
class long4(_Vector4[long2]): ...
class long8(_Vector8[long4]): ...
class long16(_Vector16[long8]): ...
class ulong2(_Vector2[Any]): ...
class ulong3(_Vector3[ulong2]): ...
class ulong4(_Vector4[ulong2]): ...
class ulong8(_Vector8[ulong4]): ...
class ulong16(_Vector16[ulong8]): ...
class half2(_Vector2[Any]): ...
class half3(_Vector3[half2]): ...
class half4(_Vector4[half2]): ...
class half8(_Vector8[half4]): ...
class half16(_Vector16[half8]): ...
class float2(_Vector2[Any]): ...
class float3(_Vector3[float2]): ...
class float4(_Vector4[float2]): ...
class float8(_Vector8[float4]): ...
class _float16(_Vector16[float8]): ...
class double2(_Vector2[Any]): ...
class double3(_Vector3[double2]): ...
class double4(_Vector4[double2]): ...
class double8(_Vector8[double4]): ...
class double16(_Vector16[double8]): ...

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
def prod(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, keepdims: bool = False, initial: ArrayLike | None = None, where: ArrayLike = True, *, rounding: _Mode = None) -> Any: ...
def mean(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None) -> Any: ...
def var(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, ddof: int = 0, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None) -> Any: ...
def std(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, ddof: int = 0, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None) -> Any: ...
def sumsq(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None) -> Any: ...
def norm(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None) -> Any: ...
def vdot(a: ArrayLike, b: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, keepdims: bool = False, *, where: ArrayLike = True, rounding: _Mode = None) -> Any: ...
def cumsum(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, *, rounding: _Mode = None) -> Any: ...
def matmul(a: ArrayLike, b: ArrayLike, /, out: _Array | None = None, *, exact: bool = True, rounding: _Mode = None) -> Any: ...
def accelerated_functions() -> Any: ...
add_rte: np.ufunc
add_rtz: np.ufunc
add_rtp: np.ufunc
add_rtn: np.ufunc
subtract_rte: np.ufunc
subtract_rtz: np.ufunc
subtract_rtp: np.ufunc
subtract_rtn: np.ufunc
multiply_rte: np.ufunc
multiply_rtz: np.ufunc
multiply_rtp: np.ufunc
multiply_rtn: np.ufunc
divide_rte: np.ufunc
divide_rtz: np.ufunc
divide_rtp: np.ufunc
divide_rtn: np.ufunc
negative_rte: np.ufunc
negative_rtz: np.ufunc
negative_rtp: np.ufunc
negative_rtn: np.ufunc
exp_rte: np.ufunc
exp_rtz: np.ufunc
exp_rtp: np.ufunc
exp_rtn: np.ufunc
exp2_rte: np.ufunc
exp2_rtz: np.ufunc
exp2_rtp: np.ufunc
exp2_rtn: np.ufunc
exp10_rte: np.ufunc
exp10_rtz: np.ufunc
exp10_rtp: np.ufunc
exp10_rtn: np.ufunc
expm1_rte: np.ufunc
expm1_rtz: np.ufunc
expm1_rtp: np.ufunc
expm1_rtn: np.ufunc
exp2m1_rte: np.ufunc
exp2m1_rtz: np.ufunc
exp2m1_rtp: np.ufunc
exp2m1_rtn: np.ufunc
exp10m1_rte: np.ufunc
exp10m1_rtz: np.ufunc
exp10m1_rtp: np.ufunc
exp10m1_rtn: np.ufunc
log_rte: np.ufunc
log_rtz: np.ufunc
log_rtp: np.ufunc
log_rtn: np.ufunc
log2_rte: np.ufunc
log2_rtz: np.ufunc
log2_rtp: np.ufunc
log2_rtn: np.ufunc
log10_rte: np.ufunc
log10_rtz: np.ufunc
log10_rtp: np.ufunc
log10_rtn: np.ufunc
log1p_rte: np.ufunc
log1p_rtz: np.ufunc
log1p_rtp: np.ufunc
log1p_rtn: np.ufunc
log2p1_rte: np.ufunc
log2p1_rtz: np.ufunc
log2p1_rtp: np.ufunc
log2p1_rtn: np.ufunc
log10p1_rte: np.ufunc
log10p1_rtz: np.ufunc
log10p1_rtp: np.ufunc
log10p1_rtn: np.ufunc
cbrt_rte: np.ufunc
cbrt_rtz: np.ufunc
cbrt_rtp: np.ufunc
cbrt_rtn: np.ufunc
compoundn_rte: np.ufunc
compoundn_rtz: np.ufunc
compoundn_rtp: np.ufunc
compoundn_rtn: np.ufunc
hypot_rte: np.ufunc
hypot_rtz: np.ufunc
hypot_rtp: np.ufunc
hypot_rtn: np.ufunc
pow: _FunctionOfXY
pow_rte: np.ufunc
pow_rtz: np.ufunc
pow_rtp: np.ufunc
pow_rtn: np.ufunc
pown_rte: np.ufunc
pown_rtz: np.ufunc
pown_rtp: np.ufunc
pown_rtn: np.ufunc
powr_rte: np.ufunc
powr_rtz: np.ufunc
powr_rtp: np.ufunc
powr_rtn: np.ufunc
rootn_rte: np.ufunc
rootn_rtz: np.ufunc
rootn_rtp: np.ufunc
rootn_rtn: np.ufunc
rsqrt_rte: np.ufunc
rsqrt_rtz: np.ufunc
rsqrt_rtp: np.ufunc
rsqrt_rtn: np.ufunc
sqrt_rte: np.ufunc
sqrt_rtz: np.ufunc
sqrt_rtp: np.ufunc
sqrt_rtn: np.ufunc
sin_rte: np.ufunc
sin_rtz: np.ufunc
sin_rtp: np.ufunc
sin_rtn: np.ufunc
cos_rte: np.ufunc
cos_rtz: np.ufunc
cos_rtp: np.ufunc
cos_rtn: np.ufunc
tan_rte: np.ufunc
tan_rtz: np.ufunc
tan_rtp: np.ufunc
tan_rtn: np.ufunc
sincos_rte: np.ufunc
sincos_rtz: np.ufunc
sincos_rtp: np.ufunc
sincos_rtn: np.ufunc
sinpi_rte: np.ufunc
sinpi_rtz: np.ufunc
sinpi_rtp: np.ufunc
sinpi_rtn: np.ufunc
cospi_rte: np.ufunc
cospi_rtz: np.ufunc
cospi_rtp: np.ufunc
cospi_rtn: np.ufunc
tanpi_rte: np.ufunc
tanpi_rtz: np.ufunc
tanpi_rtp: np.ufunc
tanpi_rtn: np.ufunc
asin_rte: np.ufunc
asin_rtz: np.ufunc
asin_rtp: np.ufunc
asin_rtn: np.ufunc
acos_rte: np.ufunc
acos_rtz: np.ufunc
acos_rtp: np.ufunc
acos_rtn: np.ufunc
atan_rte: np.ufunc
atan_rtz: np.ufunc
atan_rtp: np.ufunc
atan_rtn: np.ufunc
atan2_rte: np.ufunc
atan2_rtz: np.ufunc
atan2_rtp: np.ufunc
atan2_rtn: np.ufunc
asinpi_rte: np.ufunc
asinpi_rtz: np.ufunc
asinpi_rtp: np.ufunc
asinpi_rtn: np.ufunc
acospi_rte: np.ufunc
acospi_rtz: np.ufunc
acospi_rtp: np.ufunc
acospi_rtn: np.ufunc
atanpi_rte: np.ufunc
atanpi_rtz: np.ufunc
atanpi_rtp: np.ufunc
atanpi_rtn: np.ufunc
atan2pi_rte: np.ufunc
atan2pi_rtz: np.ufunc
atan2pi_rtp: np.ufunc
atan2pi_rtn: np.ufunc
sinh_rte: np.ufunc
sinh_rtz: np.ufunc
sinh_rtp: np.ufunc
sinh_rtn: np.ufunc
cosh_rte: np.ufunc
cosh_rtz: np.ufunc
cosh_rtp: np.ufunc
cosh_rtn: np.ufunc
tanh_rte: np.ufunc
tanh_rtz: np.ufunc
tanh_rtp: np.ufunc
tanh_rtn: np.ufunc
asinh_rte: np.ufunc
asinh_rtz: np.ufunc
asinh_rtp: np.ufunc
asinh_rtn: np.ufunc
acosh_rte: np.ufunc
acosh_rtz: np.ufunc
acosh_rtp: np.ufunc
acosh_rtn: np.ufunc
atanh_rte: np.ufunc
atanh_rtz: np.ufunc
atanh_rtp: np.ufunc
atanh_rtn: np.ufunc
erf_rte: np.ufunc
erf_rtz: np.ufunc
erf_rtp: np.ufunc
erf_rtn: np.ufunc
erfc_rte: np.ufunc
erfc_rtz: np.ufunc
erfc_rtp: np.ufunc
erfc_rtn: np.ufunc
tgamma_rte: np.ufunc
tgamma_rtz: np.ufunc
tgamma_rtp: np.ufunc
tgamma_rtn: np.ufunc
lgamma_rte: np.ufunc
lgamma_rtz: np.ufunc
lgamma_rtp: np.ufunc
lgamma_rtn: np.ufunc
lgamma_r_rte: np.ufunc
lgamma_r_rtz: np.ufunc
lgamma_r_rtp: np.ufunc
lgamma_r_rtn: np.ufunc
fma_rte: np.ufunc
fma_rtz: np.ufunc
fma_rtp: np.ufunc
fma_rtn: np.ufunc
mad_rte: np.ufunc
mad_rtz: np.ufunc
mad_rtp: np.ufunc
mad_rtn: np.ufunc
fdim_rte: np.ufunc
fdim_rtz: np.ufunc
fdim_rtp: np.ufunc
fdim_rtn: np.ufunc
fmod_rte: np.ufunc
fmod_rtz: np.ufunc
fmod_rtp: np.ufunc
fmod_rtn: np.ufunc
remainder_rte: np.ufunc
remainder_rtz: np.ufunc
remainder_rtp: np.ufunc
remainder_rtn: np.ufunc
remquo_rte: np.ufunc
remquo_rtz: np.ufunc
remquo_rtp: np.ufunc
remquo_rtn: np.ufunc
rint_rte: np.ufunc
rint_rtz: np.ufunc
rint_rtp: np.ufunc
rint_rtn: np.ufunc
round: _FunctionOfX
round_rte: np.ufunc
round_rtz: np.ufunc
round_rtp: np.ufunc
round_rtn: np.ufunc
trunc_rte: np.ufunc
trunc_rtz: np.ufunc
trunc_rtp: np.ufunc
trunc_rtn: np.ufunc
ceil_rte: np.ufunc
ceil_rtz: np.ufunc
ceil_rtp: np.ufunc
ceil_rtn: np.ufunc
floor_rte: np.ufunc
floor_rtz: np.ufunc
floor_rtp: np.ufunc
floor_rtn: np.ufunc
fract_rte: np.ufunc
fract_rtz: np.ufunc
fract_rtp: np.ufunc
fract_rtn: np.ufunc
modf_rte: np.ufunc
modf_rtz: np.ufunc
modf_rtp: np.ufunc
modf_rtn: np.ufunc
frexp_rte: np.ufunc
frexp_rtz: np.ufunc
frexp_rtp: np.ufunc
frexp_rtn: np.ufunc
ldexp_rte: np.ufunc
ldexp_rtz: np.ufunc
ldexp_rtp: np.ufunc
ldexp_rtn: np.ufunc
ilogb_rte: np.ufunc
ilogb_rtz: np.ufunc
ilogb_rtp: np.ufunc
ilogb_rtn: np.ufunc
logb_rte: np.ufunc
logb_rtz: np.ufunc
logb_rtp: np.ufunc
logb_rtn: np.ufunc
fabs_rte: np.ufunc
fabs_rtz: np.ufunc
fabs_rtp: np.ufunc
fabs_rtn: np.ufunc
copysign_rte: np.ufunc
copysign_rtz: np.ufunc
copysign_rtp: np.ufunc
copysign_rtn: np.ufunc
fmax_rte: np.ufunc
fmax_rtz: np.ufunc
fmax_rtp: np.ufunc
fmax_rtn: np.ufunc
fmin_rte: np.ufunc
fmin_rtz: np.ufunc
fmin_rtp: np.ufunc
fmin_rtn: np.ufunc
maxmag_rte: np.ufunc
maxmag_rtz: np.ufunc
maxmag_rtp: np.ufunc
maxmag_rtn: np.ufunc
minmag_rte: np.ufunc
minmag_rtz: np.ufunc
minmag_rtp: np.ufunc
minmag_rtn: np.ufunc
nextafter_rte: np.ufunc
nextafter_rtz: np.ufunc
nextafter_rtp: np.ufunc
nextafter_rtn: np.ufunc
nextdown_rte: np.ufunc
nextdown_rtz: np.ufunc
nextdown_rtp: np.ufunc
nextdown_rtn: np.ufunc
nextup_rte: np.ufunc
nextup_rtz: np.ufunc
nextup_rtp: np.ufunc
nextup_rtn: np.ufunc
ulp_rte: np.ufunc
ulp_rtz: np.ufunc
ulp_rtp: np.ufunc
ulp_rtn: np.ufunc
nan_rte: np.ufunc
nan_rtz: np.ufunc
nan_rtp: np.ufunc
nan_rtn: np.ufunc
clamp_rte: np.ufunc
clamp_rtz: np.ufunc
clamp_rtp: np.ufunc
clamp_rtn: np.ufunc
degrees_rte: np.ufunc
degrees_rtz: np.ufunc
degrees_rtp: np.ufunc
degrees_rtn: np.ufunc
max: _FunctionOfXY
max_rte: np.ufunc
max_rtz: np.ufunc
max_rtp: np.ufunc
max_rtn: np.ufunc
min: _FunctionOfXY
min_rte: np.ufunc
min_rtz: np.ufunc
min_rtp: np.ufunc
min_rtn: np.ufunc
mix_rte: np.ufunc
mix_rtz: np.ufunc
mix_rtp: np.ufunc
mix_rtn: np.ufunc
radians_rte: np.ufunc
radians_rtz: np.ufunc
radians_rtp: np.ufunc
radians_rtn: np.ufunc
sign_rte: np.ufunc
sign_rtz: np.ufunc
sign_rtp: np.ufunc
sign_rtn: np.ufunc
smoothstep_rte: np.ufunc
smoothstep_rtz: np.ufunc
smoothstep_rtp: np.ufunc
smoothstep_rtn: np.ufunc
step_rte: np.ufunc
step_rtz: np.ufunc
step_rtp: np.ufunc
step_rtn: np.ufunc
cross_rte: np.ufunc
cross_rtz: np.ufunc
cross_rtp: np.ufunc
cross_rtn: np.ufunc
dot_rte: np.ufunc
dot_rtz: np.ufunc
dot_rtp: np.ufunc
dot_rtn: np.ufunc
distance_rte: np.ufunc
distance_rtz: np.ufunc
distance_rtp: np.ufunc
distance_rtn: np.ufunc
length_rte: np.ufunc
length_rtz: np.ufunc
length_rtp: np.ufunc
length_rtn: np.ufunc
normalize_rte: np.ufunc
normalize_rtz: np.ufunc
normalize_rtp: np.ufunc
normalize_rtn: np.ufunc
isequal_rte: np.ufunc
isequal_rtz: np.ufunc
isequal_rtp: np.ufunc
isequal_rtn: np.ufunc
isnotequal_rte: np.ufunc
isnotequal_rtz: np.ufunc
isnotequal_rtp: np.ufunc
isnotequal_rtn: np.ufunc
isgreater_rte: np.ufunc
isgreater_rtz: np.ufunc
isgreater_rtp: np.ufunc
isgreater_rtn: np.ufunc
isgreaterequal_rte: np.ufunc
isgreaterequal_rtz: np.ufunc
isgreaterequal_rtp: np.ufunc
isgreaterequal_rtn: np.ufunc
isless_rte: np.ufunc
isless_rtz: np.ufunc
isless_rtp: np.ufunc
isless_rtn: np.ufunc
islessequal_rte: np.ufunc
islessequal_rtz: np.ufunc
islessequal_rtp: np.ufunc
islessequal_rtn: np.ufunc
islessgreater_rte: np.ufunc
islessgreater_rtz: np.ufunc
islessgreater_rtp: np.ufunc
islessgreater_rtn: np.ufunc
isfinite_rte: np.ufunc
isfinite_rtz: np.ufunc
isfinite_rtp: np.ufunc
isfinite_rtn: np.ufunc
isinf_rte: np.ufunc
isinf_rtz: np.ufunc
isinf_rtp: np.ufunc
isinf_rtn: np.ufunc
isnan_rte: np.ufunc
isnan_rtz: np.ufunc
isnan_rtp: np.ufunc
isnan_rtn: np.ufunc
isnormal_rte: np.ufunc
isnormal_rtz: np.ufunc
isnormal_rtp: np.ufunc
isnormal_rtn: np.ufunc
isordered_rte: np.ufunc
isordered_rtz: np.ufunc
isordered_rtp: np.ufunc
isordered_rtn: np.ufunc
isunordered_rte: np.ufunc
isunordered_rtz: np.ufunc
isunordered_rtp: np.ufunc
isunordered_rtn: np.ufunc
signbit_rte: np.ufunc
signbit_rtz: np.ufunc
signbit_rtp: np.ufunc
signbit_rtn: np.ufunc
from_unorm8_rte: np.ufunc
from_unorm8_rtz: np.ufunc
from_unorm8_rtp: np.ufunc
from_unorm8_rtn: np.ufunc
to_unorm8_rte: np.ufunc
to_unorm8_rtz: np.ufunc
to_unorm8_rtp: np.ufunc
to_unorm8_rtn: np.ufunc
from_unorm16_rte: np.ufunc
from_unorm16_rtz: np.ufunc
from_unorm16_rtp: np.ufunc
from_unorm16_rtn: np.ufunc
to_unorm16_rte: np.ufunc
to_unorm16_rtz: np.ufunc
to_unorm16_rtp: np.ufunc
to_unorm16_rtn: np.ufunc
from_snorm8_rte: np.ufunc
from_snorm8_rtz: np.ufunc
from_snorm8_rtp: np.ufunc
from_snorm8_rtn: np.ufunc
to_snorm8_rte: np.ufunc
to_snorm8_rtz: np.ufunc
to_snorm8_rtp: np.ufunc
to_snorm8_rtn: np.ufunc
from_snorm16_rte: np.ufunc
from_snorm16_rtz: np.ufunc
from_snorm16_rtp: np.ufunc
from_snorm16_rtn: np.ufunc
to_snorm16_rte: np.ufunc
to_snorm16_rtz: np.ufunc
to_snorm16_rtp: np.ufunc
to_snorm16_rtn: np.ufunc
def any(x: ArrayLike, /, *, axis: _Axis = None, keepdims: bool = False) -> Any: ...
def all(x: ArrayLike, /, *, axis: _Axis = None, keepdims: bool = False) -> Any: ...
def sum(a: ArrayLike, /, axis: _Axis = None, dtype: DTypeLike | None = None, out: _Array | None = None, keepdims: bool = False, initial: ArrayLike | None = None, where: ArrayLike = True, *, rounding: _Mode = None) -> Any: ...

# ---------------- conversions

convert_char: _ConversionToNumber[np.int8]
convert_char_rte: np.ufunc
convert_char_rtz: np.ufunc
convert_char_rtp: np.ufunc
convert_char_rtn: np.ufunc
convert_char_sat: _ConversionToNumber[np.int8]
convert_char_sat_rte: np.ufunc
convert_char_sat_rtz: np.ufunc
convert_char_sat_rtp: np.ufunc
convert_char_sat_rtn: np.ufunc
convert_char2: _Conversion[char2]
convert_char2_rte: _ConversionInMode[char2]
convert_char2_rtz: _ConversionInMode[char2]
convert_char2_rtp: _ConversionInMode[char2]
convert_char2_rtn: _ConversionInMode[char2]
convert_char2_sat: _Conversion[char2]
convert_char2_sat_rte: _ConversionInMode[char2]
convert_char2_sat_rtz: _ConversionInMode[char2]
convert_char2_sat_rtp: _ConversionInMode[char2]
convert_char2_sat_rtn: _ConversionInMode[char2]
convert_char3: _Conversion[char3]
convert_char3_rte: _ConversionInMode[char3]
convert_char3_rtz: _ConversionInMode[char3]
convert_char3_rtp: _ConversionInMode[char3]
convert_char3_rtn: _ConversionInMode[char3]
convert_char3_sat: _Conversion[char3]
convert_char3_sat_rte: _ConversionInMode[char3]
convert_char3_sat_rtz: _ConversionInMode[char3]
convert_char3_sat_rtp: _ConversionInMode[char3]
convert_char3_sat_rtn: _ConversionInMode[char3]
convert_char4: _Conversion[char4]
convert_char4_rte: _ConversionInMode[char4]
convert_char4_rtz: _ConversionInMode[char4]
convert_char4_rtp: _ConversionInMode[char4]
convert_char4_rtn: _ConversionInMode[char4]
convert_char4_sat: _Conversion[char4]
convert_char4_sat_rte: _ConversionInMode[char4]
convert_char4_sat_rtz: _ConversionInMode[char4]
convert_char4_sat_rtp: _ConversionInMode[char4]
convert_char4_sat_rtn: _ConversionInMode[char4]
convert_char8: _Conversion[char8]
convert_char8_rte: _ConversionInMode[char8]
convert_char8_rtz: _ConversionInMode[char8]
convert_char8_rtp: _ConversionInMode[char8]
convert_char8_rtn: _ConversionInMode[char8]
convert_char8_sat: _Conversion[char8]
convert_char8_sat_rte: _ConversionInMode[char8]
convert_char8_sat_rtz: _ConversionInMode[char8]
convert_char8_sat_rtp: _ConversionInMode[char8]
convert_char8_sat_rtn: _ConversionInMode[char8]
convert_char16: _Conversion[char16]
convert_char16_rte: _ConversionInMode[char16]
convert_char16_rtz: _ConversionInMode[char16]
convert_char16_rtp: _ConversionInMode[char16]
convert_char16_rtn: _ConversionInMode[char16]
convert_char16_sat: _Conversion[char16]
convert_char16_sat_rte: _ConversionInMode[char16]
convert_char16_sat_rtz: _ConversionInMode[char16]
convert_char16_sat_rtp: _ConversionInMode[char16]
convert_char16_sat_rtn: _ConversionInMode[char16]
convert_uchar: _ConversionToNumber[np.uint8]
convert_uchar_rte: np.ufunc
convert_uchar_rtz: np.ufunc
convert_uchar_rtp: np.ufunc
convert_uchar_rtn: np.ufunc
convert_uchar_sat: _ConversionToNumber[np.uint8]
convert_uchar_sat_rte: np.ufunc
convert_uchar_sat_rtz: np.ufunc
convert_uchar_sat_rtp: np.ufunc
convert_uchar_sat_rtn: np.ufunc
convert_uchar2: _Conversion[uchar2]
convert_uchar2_rte: _ConversionInMode[uchar2]
convert_uchar2_rtz: _ConversionInMode[uchar2]
convert_uchar2_rtp: _ConversionInMode[uchar2]
convert_uchar2_rtn: _ConversionInMode[uchar2]
convert_uchar2_sat: _Conversion[uchar2]
convert_uchar2_sat_rte: _ConversionInMode[uchar2]
convert_uchar2_sat_rtz: _ConversionInMode[uchar2]
convert_uchar2_sat_rtp: _ConversionInMode[uchar2]
convert_uchar2_sat_rtn: _ConversionInMode[uchar2]
convert_uchar3: _Conversion[uchar3]
convert_uchar3_rte: _ConversionInMode[uchar3]
convert_uchar3_rtz: _ConversionInMode[uchar3]
convert_uchar3_rtp: _ConversionInMode[uchar3]
convert_uchar3_rtn: _ConversionInMode[uchar3]
convert_uchar3_sat: _Conversion[uchar3]
convert_uchar3_sat_rte: _ConversionInMode[uchar3]
convert_uchar3_sat_rtz: _ConversionInMode[uchar3]
convert_uchar3_sat_rtp: _ConversionInMode[uchar3]
convert_uchar3_sat_rtn: _ConversionInMode[uchar3]
convert_uchar4: _Conversion[uchar4]
convert_uchar4_rte: _ConversionInMode[uchar4]
convert_uchar4_rtz: _ConversionInMode[uchar4]
convert_uchar4_rtp: _ConversionInMode[uchar4]
convert_uchar4_rtn: _ConversionInMode[uchar4]
convert_uchar4_sat: _Conversion[uchar4]
convert_uchar4_sat_rte: _ConversionInMode[uchar4]
convert_uchar4_sat_rtz: _ConversionInMode[uchar4]
convert_uchar4_sat_rtp: _ConversionInMode[uchar4]
convert_uchar4_sat_rtn: _ConversionInMode[uchar4]
convert_uchar8: _Conversion[uchar8]
convert_uchar8_rte: _ConversionInMode[uchar8]
convert_uchar8_rtz: _ConversionInMode[uchar8]
convert_uchar8_rtp: _ConversionInMode[uchar8]
convert_uchar8_rtn: _ConversionInMode[uchar8]
convert_uchar8_sat: _Conversion[uchar8]
convert_uchar8_sat_rte: _ConversionInMode[uchar8]
convert_uchar8_sat_rtz: _ConversionInMode[uchar8]
convert_uchar8_sat_rtp: _ConversionInMode[uchar8]
convert_uchar8_sat_rtn: _ConversionInMode[uchar8]
convert_uchar16: _Conversion[uchar16]
convert_uchar16_rte: _ConversionInMode[uchar16]
convert_uchar16_rtz: _ConversionInMode[uchar16]
convert_uchar16_rtp: _ConversionInMode[uchar16]
convert_uchar16_rtn: _ConversionInMode[uchar16]
convert_uchar16_sat: _Conversion[uchar16]
convert_uchar16_sat_rte: _ConversionInMode[uchar16]
convert_uchar16_sat_rtz: _ConversionInMode[uchar16]
convert_uchar16_sat_rtp: _ConversionInMode[uchar16]
convert_uchar16_sat_rtn: _ConversionInMode[uchar16]
convert_short: _ConversionToNumber[np.int16]
convert_short_rte: np.ufunc
convert_short_rtz: np.ufunc
convert_short_rtp: np.ufunc
convert_short_rtn: np.ufunc
convert_short_sat: _ConversionToNumber[np.int16]
convert_short_sat_rte: np.ufunc
convert_short_sat_rtz: np.ufunc
convert_short_sat_rtp: np.ufunc
convert_short_sat_rtn: np.ufunc
convert_short2: _Conversion[short2]
convert_short2_rte: _ConversionInMode[short2]
convert_short2_rtz: _ConversionInMode[short2]
convert_short2_rtp: _ConversionInMode[short2]
convert_short2_rtn: _ConversionInMode[short2]
convert_short2_sat: _Conversion[short2]
convert_short2_sat_rte: _ConversionInMode[short2]
convert_short2_sat_rtz: _ConversionInMode[short2]
convert_short2_sat_rtp: _ConversionInMode[short2]
convert_short2_sat_rtn: _ConversionInMode[short2]
convert_short3: _Conversion[short3]
convert_short3_rte: _ConversionInMode[short3]
convert_short3_rtz: _ConversionInMode[short3]
convert_short3_rtp: _ConversionInMode[short3]
convert_short3_rtn: _ConversionInMode[short3]
convert_short3_sat: _Conversion[short3]
convert_short3_sat_rte: _ConversionInMode[short3]
convert_short3_sat_rtz: _ConversionInMode[short3]
convert_short3_sat_rtp: _ConversionInMode[short3]
convert_short3_sat_rtn: _ConversionInMode[short3]
convert_short4: _Conversion[short4]
convert_short4_rte: _ConversionInMode[short4]
convert_short4_rtz: _ConversionInMode[short4]
convert_short4_rtp: _ConversionInMode[short4]
convert_short4_rtn: _ConversionInMode[short4]
convert_short4_sat: _Conversion[short4]
convert_short4_sat_rte: _ConversionInMode[short4]
convert_short4_sat_rtz: _ConversionInMode[short4]
convert_short4_sat_rtp: _ConversionInMode[short4]
convert_short4_sat_rtn: _ConversionInMode[short4]
convert_short8: _Conversion[short8]
convert_short8_rte: _ConversionInMode[short8]
convert_short8_rtz: _ConversionInMode[short8]
convert_short8_rtp: _ConversionInMode[short8]
convert_short8_rtn: _ConversionInMode[short8]
convert_short8_sat: _Conversion[short8]
convert_short8_sat_rte: _ConversionInMode[short8]
convert_short8_sat_rtz: _ConversionInMode[short8]
convert_short8_sat_rtp: _ConversionInMode[short8]
convert_short8_sat_rtn: _ConversionInMode[short8]
convert_short16: _Conversion[short16]
convert_short16_rte: _ConversionInMode[short16]
convert_short16_rtz: _ConversionInMode[short16]
convert_short16_rtp: _ConversionInMode[short16]
convert_short16_rtn: _ConversionInMode[short16]
convert_short16_sat: _Conversion[short16]
convert_short16_sat_rte: _ConversionInMode[short16]
convert_short16_sat_rtz: _ConversionInMode[short16]
convert_short16_sat_rtp: _ConversionInMode[short16]
convert_short16_sat_rtn: _ConversionInMode[short16]
convert_ushort: _ConversionToNumber[np.uint16]
convert_ushort_rte: np.ufunc
convert_ushort_rtz: np.ufunc
convert_ushort_rtp: np.ufunc
convert_ushort_rtn: np.ufunc
convert_ushort_sat: _ConversionToNumber[np.uint16]
convert_ushort_sat_rte: np.ufunc
convert_ushort_sat_rtz: np.ufunc
convert_ushort_sat_rtp: np.ufunc
convert_ushort_sat_rtn: np.ufunc
convert_ushort2: _Conversion[ushort2]
convert_ushort2_rte: _ConversionInMode[ushort2]
convert_ushort2_rtz: _ConversionInMode[ushort2]
convert_ushort2_rtp: _ConversionInMode[ushort2]
convert_ushort2_rtn: _ConversionInMode[ushort2]
convert_ushort2_sat: _Conversion[ushort2]
convert_ushort2_sat_rte: _ConversionInMode[ushort2]
convert_ushort2_sat_rtz: _ConversionInMode[ushort2]
convert_ushort2_sat_rtp: _ConversionInMode[ushort2]
convert_ushort2_sat_rtn: _ConversionInMode[ushort2]
convert_ushort3: _Conversion[ushort3]
convert_ushort3_rte: _ConversionInMode[ushort3]
convert_ushort3_rtz: _ConversionInMode[ushort3]
convert_ushort3_rtp: _ConversionInMode[ushort3]
convert_ushort3_rtn: _ConversionInMode[ushort3]
convert_ushort3_sat: _Conversion[ushort3]
convert_ushort3_sat_rte: _ConversionInMode[ushort3]
convert_ushort3_sat_rtz: _ConversionInMode[ushort3]
convert_ushort3_sat_rtp: _ConversionInMode[ushort3]
convert_ushort3_sat_rtn: _ConversionInMode[ushort3]
convert_ushort4: _Conversion[ushort4]
convert_ushort4_rte: _ConversionInMode[ushort4]
convert_ushort4_rtz: _ConversionInMode[ushort4]
convert_ushort4_rtp: _ConversionInMode[ushort4]
convert_ushort4_rtn: _ConversionInMode[ushort4]
convert_ushort4_sat: _Conversion[ushort4]
convert_ushort4_sat_rte: _ConversionInMode[ushort4]
convert_ushort4_sat_rtz: _ConversionInMode[ushort4]
convert_ushort4_sat_rtp: _ConversionInMode[ushort4]
convert_ushort4_sat_rtn: _ConversionInMode[ushort4]
convert_ushort8: _Conversion[ushort8]
convert_ushort8_rte: _ConversionInMode[ushort8]
convert_ushort8_rtz: _ConversionInMode[ushort8]
convert_ushort8_rtp: _ConversionInMode[ushort8]
convert_ushort8_rtn: _ConversionInMode[ushort8]
convert_ushort8_sat: _Conversion[ushort8]
convert_ushort8_sat_rte: _ConversionInMode[ushort8]
convert_ushort8_sat_rtz: _ConversionInMode[ushort8]
convert_ushort8_sat_rtp: _ConversionInMode[ushort8]
convert_ushort8_sat_rtn: _ConversionInMode[ushort8]
convert_ushort16: _Conversion[ushort16]
convert_ushort16_rte: _ConversionInMode[ushort16]
convert_ushort16_rtz: _ConversionInMode[ushort16]
convert_ushort16_rtp: _ConversionInMode[ushort16]
convert_ushort16_rtn: _ConversionInMode[ushort16]
convert_ushort16_sat: _Conversion[ushort16]
convert_ushort16_sat_rte: _ConversionInMode[ushort16]
convert_ushort16_sat_rtz: _ConversionInMode[ushort16]
convert_ushort16_sat_rtp: _ConversionInMode[ushort16]
convert_ushort16_sat_rtn: _ConversionInMode[ushort16]
convert_int: _ConversionToNumber[np.int32]
convert_int_rte: np.ufunc
convert_int_rtz: np.ufunc
convert_int_rtp: np.ufunc
convert_int_rtn: np.ufunc
convert_int_sat: _ConversionToNumber[np.int32]
convert_int_sat_rte: np.ufunc
convert_int_sat_rtz: np.ufunc
convert_int_sat_rtp: np.ufunc
convert_int_sat_rtn: np.ufunc
convert_int2: _Conversion[int2]
convert_int2_rte: _ConversionInMode[int2]
convert_int2_rtz: _ConversionInMode[int2]
convert_int2_rtp: _ConversionInMode[int2]
convert_int2_rtn: _ConversionInMode[int2]
convert_int2_sat: _Conversion[int2]
convert_int2_sat_rte: _ConversionInMode[int2]
convert_int2_sat_rtz: _ConversionInMode[int2]
convert_int2_sat_rtp: _ConversionInMode[int2]
convert_int2_sat_rtn: _ConversionInMode[int2]
convert_int3: _Conversion[int3]
convert_int3_rte: _ConversionInMode[int3]
convert_int3_rtz: _ConversionInMode[int3]
convert_int3_rtp: _ConversionInMode[int3]
convert_int3_rtn: _ConversionInMode[int3]
convert_int3_sat: _Conversion[int3]
convert_int3_sat_rte: _ConversionInMode[int3]
convert_int3_sat_rtz: _ConversionInMode[int3]
convert_int3_sat_rtp: _ConversionInMode[int3]
convert_int3_sat_rtn: _ConversionInMode[int3]
convert_int4: _Conversion[int4]
convert_int4_rte: _ConversionInMode[int4]
convert_int4_rtz: _ConversionInMode[int4]
convert_int4_rtp: _ConversionInMode[int4]
convert_int4_rtn: _ConversionInMode[int4]
convert_int4_sat: _Conversion[int4]
convert_int4_sat_rte: _ConversionInMode[int4]
convert_int4_sat_rtz: _ConversionInMode[int4]
convert_int4_sat_rtp: _ConversionInMode[int4]
convert_int4_sat_rtn: _ConversionInMode[int4]
convert_int8: _Conversion[_int8]
convert_int8_rte: _ConversionInMode[_int8]
convert_int8_rtz: _ConversionInMode[_int8]
convert_int8_rtp: _ConversionInMode[_int8]
convert_int8_rtn: _ConversionInMode[_int8]
convert_int8_sat: _Conversion[_int8]
convert_int8_sat_rte: _ConversionInMode[_int8]
convert_int8_sat_rtz: _ConversionInMode[_int8]
convert_int8_sat_rtp: _ConversionInMode[_int8]
convert_int8_sat_rtn: _ConversionInMode[_int8]
convert_int16: _Conversion[_int16]
convert_int16_rte: _ConversionInMode[_int16]
convert_int16_rtz: _ConversionInMode[_int16]
convert_int16_rtp: _ConversionInMode[_int16]
convert_int16_rtn: _ConversionInMode[_int16]
convert_int16_sat: _Conversion[_int16]
convert_int16_sat_rte: _ConversionInMode[_int16]
convert_int16_sat_rtz: _ConversionInMode[_int16]
convert_int16_sat_rtp: _ConversionInMode[_int16]
convert_int16_sat_rtn: _ConversionInMode[_int16]
convert_uint: _ConversionToNumber[np.uint32]
convert_uint_rte: np.ufunc
convert_uint_rtz: np.ufunc
convert_uint_rtp: np.ufunc
convert_uint_rtn: np.ufunc
convert_uint_sat: _ConversionToNumber[np.uint32]
convert_uint_sat_rte: np.ufunc
convert_uint_sat_rtz: np.ufunc
convert_uint_sat_rtp: np.ufunc
convert_uint_sat_rtn: np.ufunc
convert_uint2: _Conversion[uint2]
convert_uint2_rte: _ConversionInMode[uint2]
convert_uint2_rtz: _ConversionInMode[uint2]
convert_uint2_rtp: _ConversionInMode[uint2]
convert_uint2_rtn: _ConversionInMode[uint2]
convert_uint2_sat: _Conversion[uint2]
convert_uint2_sat_rte: _ConversionInMode[uint2]
convert_uint2_sat_rtz: _ConversionInMode[uint2]
convert_uint2_sat_rtp: _ConversionInMode[uint2]
convert_uint2_sat_rtn: _ConversionInMode[uint2]
convert_uint3: _Conversion[uint3]
convert_uint3_rte: _ConversionInMode[uint3]
convert_uint3_rtz: _ConversionInMode[uint3]
convert_uint3_rtp: _ConversionInMode[uint3]
convert_uint3_rtn: _ConversionInMode[uint3]
convert_uint3_sat: _Conversion[uint3]
convert_uint3_sat_rte: _ConversionInMode[uint3]
convert_uint3_sat_rtz: _ConversionInMode[uint3]
convert_uint3_sat_rtp: _ConversionInMode[uint3]
convert_uint3_sat_rtn: _ConversionInMode[uint3]
convert_uint4: _Conversion[uint4]
convert_uint4_rte: _ConversionInMode[uint4]
convert_uint4_rtz: _ConversionInMode[uint4]
convert_uint4_rtp: _ConversionInMode[uint4]
convert_uint4_rtn: _ConversionInMode[uint4]
convert_uint4_sat: _Conversion[uint4]
convert_uint4_sat_rte: _ConversionInMode[uint4]
convert_uint4_sat_rtz: _ConversionInMode[uint4]
convert_uint4_sat_rtp: _ConversionInMode[uint4]
convert_uint4_sat_rtn: _ConversionInMode[uint4]
convert_uint8: _Conversion[_uint8]
convert_uint8_rte: _ConversionInMode[_uint8]
convert_uint8_rtz: _ConversionInMode[_uint8]
convert_uint8_rtp: _ConversionInMode[_uint8]
convert_uint8_rtn: _ConversionInMode[_uint8]
convert_uint8_sat: _Conversion[_uint8]
convert_uint8_sat_rte: _ConversionInMode[_uint8]
convert_uint8_sat_rtz: _ConversionInMode[_uint8]
convert_uint8_sat_rtp: _ConversionInMode[_uint8]
convert_uint8_sat_rtn: _ConversionInMode[_uint8]
convert_uint16: _Conversion[_uint16]
convert_uint16_rte: _ConversionInMode[_uint16]
convert_uint16_rtz: _ConversionInMode[_uint16]
convert_uint16_rtp: _ConversionInMode[_uint16]
convert_uint16_rtn: _ConversionInMode[_uint16]
convert_uint16_sat: _Conversion[_uint16]
convert_uint16_sat_rte: _ConversionInMode[_uint16]
convert_uint16_sat_rtz: _ConversionInMode[_uint16]
convert_uint16_sat_rtp: _ConversionInMode[_uint16]
convert_uint16_sat_rtn: _ConversionInMode[_uint16]
convert_long: _ConversionToNumber[np.int64]
convert_long_rte: np.ufunc
convert_long_rtz: np.ufunc
convert_long_rtp: np.ufunc
convert_long_rtn: np.ufunc
convert_long_sat: _ConversionToNumber[np.int64]
convert_long_sat_rte: np.ufunc
convert_long_sat_rtz: np.ufunc
convert_long_sat_rtp: np.ufunc
convert_long_sat_rtn: np.ufunc
convert_long2: _Conversion[long2]
convert_long2_rte: _ConversionInMode[long2]
convert_long2_rtz: _ConversionInMode[long2]
convert_long2_rtp: _ConversionInMode[long2]
convert_long2_rtn: _ConversionInMode[long2]
convert_long2_sat: _Conversion[long2]
convert_long2_sat_rte: _ConversionInMode[long2]
convert_long2_sat_rtz: _ConversionInMode[long2]
convert_long2_sat_rtp: _ConversionInMode[long2]
convert_long2_sat_rtn: _ConversionInMode[long2]
convert_long3: _Conversion[long3]
convert_long3_rte: _ConversionInMode[long3]
convert_long3_rtz: _ConversionInMode[long3]
convert_long3_rtp: _ConversionInMode[long3]
convert_long3_rtn: _ConversionInMode[long3]
convert_long3_sat: _Conversion[long3]
convert_long3_sat_rte: _ConversionInMode[long3]
convert_long3_sat_rtz: _ConversionInMode[long3]
convert_long3_sat_rtp: _ConversionInMode[long3]
convert_long3_sat_rtn: _ConversionInMode[long3]
convert_long4: _Conversion[long4]
convert_long4_rte: _ConversionInMode[long4]
convert_long4_rtz: _ConversionInMode[long4]
convert_long4_rtp: _ConversionInMode[long4]
convert_long4_rtn: _ConversionInMode[long4]
convert_long4_sat: _Conversion[long4]
convert_long4_sat_rte: _ConversionInMode[long4]
convert_long4_sat_rtz: _ConversionInMode[long4]
convert_long4_sat_rtp: _ConversionInMode[long4]
convert_long4_sat_rtn: _ConversionInMode[long4]
convert_long8: _Conversion[long8]
convert_long8_rte: _ConversionInMode[long8]
convert_long8_rtz: _ConversionInMode[long8]
convert_long8_rtp: _ConversionInMode[long8]
convert_long8_rtn: _ConversionInMode[long8]
convert_long8_sat: _Conversion[long8]
convert_long8_sat_rte: _ConversionInMode[long8]
convert_long8_sat_rtz: _ConversionInMode[long8]
convert_long8_sat_rtp: _ConversionInMode[long8]
convert_long8_sat_rtn: _ConversionInMode[long8]
convert_long16: _Conversion[long16]
convert_long16_rte: _ConversionInMode[long16]
convert_long16_rtz: _ConversionInMode[long16]
convert_long16_rtp: _ConversionInMode[long16]
convert_long16_rtn: _ConversionInMode[long16]
convert_long16_sat: _Conversion[long16]
convert_long16_sat_rte: _ConversionInMode[long16]
convert_long16_sat_rtz: _ConversionInMode[long16]
convert_long16_sat_rtp: _ConversionInMode[long16]
convert_long16_sat_rtn: _ConversionInMode[long16]
convert_ulong: _ConversionToNumber[np.uint64]
convert_ulong_rte: np.ufunc
convert_ulong_rtz: np.ufunc
convert_ulong_rtp: np.ufunc
convert_ulong_rtn: np.ufunc
convert_ulong_sat: _ConversionToNumber[np.uint64]
convert_ulong_sat_rte: np.ufunc
convert_ulong_sat_rtz: np.ufunc
convert_ulong_sat_rtp: np.ufunc
convert_ulong_sat_rtn: np.ufunc
convert_ulong2: _Conversion[ulong2]
convert_ulong2_rte: _ConversionInMode[ulong2]
convert_ulong2_rtz: _ConversionInMode[ulong2]
convert_ulong2_rtp: _ConversionInMode[ulong2]
convert_ulong2_rtn: _ConversionInMode[ulong2]
convert_ulong2_sat: _Conversion[ulong2]
convert_ulong2_sat_rte: _ConversionInMode[ulong2]
convert_ulong2_sat_rtz: _ConversionInMode[ulong2]
convert_ulong2_sat_rtp: _ConversionInMode[ulong2]
convert_ulong2_sat_rtn: _ConversionInMode[ulong2]
convert_ulong3: _Conversion[ulong3]
convert_ulong3_rte: _ConversionInMode[ulong3]
convert_ulong3_rtz: _ConversionInMode[ulong3]
convert_ulong3_rtp: _ConversionInMode[ulong3]
convert_ulong3_rtn: _ConversionInMode[ulong3]
convert_ulong3_sat: _Conversion[ulong3]
convert_ulong3_sat_rte: _ConversionInMode[ulong3]
convert_ulong3_sat_rtz: _ConversionInMode[ulong3]
convert_ulong3_sat_rtp: _ConversionInMode[ulong3]
convert_ulong3_sat_rtn: _ConversionInMode[ulong3]
convert_ulong4: _Conversion[ulong4]
convert_ulong4_rte: _ConversionInMode[ulong4]
convert_ulong4_rtz: _ConversionInMode[ulong4]
convert_ulong4_rtp: _ConversionInMode[ulong4]
convert_ulong4_rtn: _ConversionInMode[ulong4]
convert_ulong4_sat: _Conversion[ulong4]
convert_ulong4_sat_rte: _ConversionInMode[ulong4]
convert_ulong4_sat_rtz: _ConversionInMode[ulong4]
convert_ulong4_sat_rtp: _ConversionInMode[ulong4]
convert_ulong4_sat_rtn: _ConversionInMode[ulong4]
convert_ulong8: _Conversion[ulong8]
convert_ulong8_rte: _ConversionInMode[ulong8]
convert_ulong8_rtz: _ConversionInMode[ulong8]
convert_ulong8_rtp: _ConversionInMode[ulong8]
convert_ulong8_rtn: _ConversionInMode[ulong8]
convert_ulong8_sat: _Conversion[ulong8]
convert_ulong8_sat_rte: _ConversionInMode[ulong8]
convert_ulong8_sat_rtz: _ConversionInMode[ulong8]
convert_ulong8_sat_rtp: _ConversionInMode[ulong8]
convert_ulong8_sat_rtn: _ConversionInMode[ulong8]
convert_ulong16: _Conversion[ulong16]
convert_ulong16_rte: _ConversionInMode[ulong16]
convert_ulong16_rtz: _ConversionInMode[ulong16]
convert_ulong16_rtp: _ConversionInMode[ulong16]
convert_ulong16_rtn: _ConversionInMode[ulong16]
convert_ulong16_sat: _Conversion[ulong16]
convert_ulong16_sat_rte: _ConversionInMode[ulong16]
convert_ulong16_sat_rtz: _ConversionInMode[ulong16]
convert_ulong16_sat_rtp: _ConversionInMode[ulong16]
convert_ulong16_sat_rtn: _ConversionInMode[ulong16]
convert_half: _ConversionToNumber[half]
convert_half_rte: np.ufunc
convert_half_rtz: np.ufunc
convert_half_rtp: np.ufunc
convert_half_rtn: np.ufunc
convert_half2: _Conversion[half2]
convert_half2_rte: _ConversionInMode[half2]
convert_half2_rtz: _ConversionInMode[half2]
convert_half2_rtp: _ConversionInMode[half2]
convert_half2_rtn: _ConversionInMode[half2]
convert_half3: _Conversion[half3]
convert_half3_rte: _ConversionInMode[half3]
convert_half3_rtz: _ConversionInMode[half3]
convert_half3_rtp: _ConversionInMode[half3]
convert_half3_rtn: _ConversionInMode[half3]
convert_half4: _Conversion[half4]
convert_half4_rte: _ConversionInMode[half4]
convert_half4_rtz: _ConversionInMode[half4]
convert_half4_rtp: _ConversionInMode[half4]
convert_half4_rtn: _ConversionInMode[half4]
convert_half8: _Conversion[half8]
convert_half8_rte: _ConversionInMode[half8]
convert_half8_rtz: _ConversionInMode[half8]
convert_half8_rtp: _ConversionInMode[half8]
convert_half8_rtn: _ConversionInMode[half8]
convert_half16: _Conversion[half16]
convert_half16_rte: _ConversionInMode[half16]
convert_half16_rtz: _ConversionInMode[half16]
convert_half16_rtp: _ConversionInMode[half16]
convert_half16_rtn: _ConversionInMode[half16]
convert_float: _ConversionToNumber[np.float32]
convert_float_rte: np.ufunc
convert_float_rtz: np.ufunc
convert_float_rtp: np.ufunc
convert_float_rtn: np.ufunc
convert_float2: _Conversion[float2]
convert_float2_rte: _ConversionInMode[float2]
convert_float2_rtz: _ConversionInMode[float2]
convert_float2_rtp: _ConversionInMode[float2]
convert_float2_rtn: _ConversionInMode[float2]
convert_float3: _Conversion[float3]
convert_float3_rte: _ConversionInMode[float3]
convert_float3_rtz: _ConversionInMode[float3]
convert_float3_rtp: _ConversionInMode[float3]
convert_float3_rtn: _ConversionInMode[float3]
convert_float4: _Conversion[float4]
convert_float4_rte: _ConversionInMode[float4]
convert_float4_rtz: _ConversionInMode[float4]
convert_float4_rtp: _ConversionInMode[float4]
convert_float4_rtn: _ConversionInMode[float4]
convert_float8: _Conversion[float8]
convert_float8_rte: _ConversionInMode[float8]
convert_float8_rtz: _ConversionInMode[float8]
convert_float8_rtp: _ConversionInMode[float8]
convert_float8_rtn: _ConversionInMode[float8]
convert_float16: _Conversion[_float16]
convert_float16_rte: _ConversionInMode[_float16]
convert_float16_rtz: _ConversionInMode[_float16]
convert_float16_rtp: _ConversionInMode[_float16]
convert_float16_rtn: _ConversionInMode[_float16]
convert_double: _ConversionToNumber[np.float64]
convert_double_rte: np.ufunc
convert_double_rtz: np.ufunc
convert_double_rtp: np.ufunc
convert_double_rtn: np.ufunc
convert_double2: _Conversion[double2]
convert_double2_rte: _ConversionInMode[double2]
convert_double2_rtz: _ConversionInMode[double2]
convert_double2_rtp: _ConversionInMode[double2]
convert_double2_rtn: _ConversionInMode[double2]
convert_double3: _Conversion[double3]
convert_double3_rte: _ConversionInMode[double3]
convert_double3_rtz: _ConversionInMode[double3]
convert_double3_rtp: _ConversionInMode[double3]
convert_double3_rtn: _ConversionInMode[double3]
convert_double4: _Conversion[double4]
convert_double4_rte: _ConversionInMode[double4]
convert_double4_rtz: _ConversionInMode[double4]
convert_double4_rtp: _ConversionInMode[double4]
convert_double4_rtn: _ConversionInMode[double4]
convert_double8: _Conversion[double8]
convert_double8_rte: _ConversionInMode[double8]
convert_double8_rtz: _ConversionInMode[double8]
convert_double8_rtp: _ConversionInMode[double8]
convert_double8_rtn: _ConversionInMode[double8]
convert_double16: _Conversion[double16]
convert_double16_rte: _ConversionInMode[double16]
convert_double16_rtz: _ConversionInMode[double16]
convert_double16_rtp: _ConversionInMode[double16]
convert_double16_rtn: _ConversionInMode[double16]
def as_char(x: ArrayLike, /) -> Any: ...
def as_char2(x: ArrayLike, /) -> char2: ...
def as_char3(x: ArrayLike, /) -> char3: ...
def as_char4(x: ArrayLike, /) -> char4: ...
def as_char8(x: ArrayLike, /) -> char8: ...
def as_char16(x: ArrayLike, /) -> char16: ...
def as_uchar(x: ArrayLike, /) -> Any: ...
def as_uchar2(x: ArrayLike, /) -> uchar2: ...
def as_uchar3(x: ArrayLike, /) -> uchar3: ...
def as_uchar4(x: ArrayLike, /) -> uchar4: ...
def as_uchar8(x: ArrayLike, /) -> uchar8: ...
def as_uchar16(x: ArrayLike, /) -> uchar16: ...
def as_short(x: ArrayLike, /) -> Any: ...
def as_short2(x: ArrayLike, /) -> short2: ...
def as_short3(x: ArrayLike, /) -> short3: ...
def as_short4(x: ArrayLike, /) -> short4: ...
def as_short8(x: ArrayLike, /) -> short8: ...
def as_short16(x: ArrayLike, /) -> short16: ...
def as_ushort(x: ArrayLike, /) -> Any: ...
def as_ushort2(x: ArrayLike, /) -> ushort2: ...
def as_ushort3(x: ArrayLike, /) -> ushort3: ...
def as_ushort4(x: ArrayLike, /) -> ushort4: ...
def as_ushort8(x: ArrayLike, /) -> ushort8: ...
def as_ushort16(x: ArrayLike, /) -> ushort16: ...
def as_int(x: ArrayLike, /) -> Any: ...
def as_int2(x: ArrayLike, /) -> int2: ...
def as_int3(x: ArrayLike, /) -> int3: ...
def as_int4(x: ArrayLike, /) -> int4: ...
def as_int8(x: ArrayLike, /) -> _int8: ...
def as_int16(x: ArrayLike, /) -> _int16: ...
def as_uint(x: ArrayLike, /) -> Any: ...
def as_uint2(x: ArrayLike, /) -> uint2: ...
def as_uint3(x: ArrayLike, /) -> uint3: ...
def as_uint4(x: ArrayLike, /) -> uint4: ...
def as_uint8(x: ArrayLike, /) -> _uint8: ...
def as_uint16(x: ArrayLike, /) -> _uint16: ...
def as_long(x: ArrayLike, /) -> Any: ...
def as_long2(x: ArrayLike, /) -> long2: ...
def as_long3(x: ArrayLike, /) -> long3: ...
def as_long4(x: ArrayLike, /) -> long4: ...
def as_long8(x: ArrayLike, /) -> long8: ...
def as_long16(x: ArrayLike, /) -> long16: ...
def as_ulong(x: ArrayLike, /) -> Any: ...
def as_ulong2(x: ArrayLike, /) -> ulong2: ...
def as_ulong3(x: ArrayLike, /) -> ulong3: ...
def as_ulong4(x: ArrayLike, /) -> ulong4: ...
def as_ulong8(x: ArrayLike, /) -> ulong8: ...
def as_ulong16(x: ArrayLike, /) -> ulong16: ...
def as_half(x: ArrayLike, /) -> Any: ...
def as_half2(x: ArrayLike, /) -> half2: ...
def as_half3(x: ArrayLike, /) -> half3: ...
def as_half4(x: ArrayLike, /) -> half4: ...
def as_half8(x: ArrayLike, /) -> half8: ...
def as_half16(x: ArrayLike, /) -> half16: ...
def as_float(x: ArrayLike, /) -> Any: ...
def as_float2(x: ArrayLike, /) -> float2: ...
def as_float3(x: ArrayLike, /) -> float3: ...
def as_float4(x: ArrayLike, /) -> float4: ...
def as_float8(x: ArrayLike, /) -> float8: ...
def as_float16(x: ArrayLike, /) -> _float16: ...
def as_double(x: ArrayLike, /) -> Any: ...
def as_double2(x: ArrayLike, /) -> double2: ...
def as_double3(x: ArrayLike, /) -> double3: ...
def as_double4(x: ArrayLike, /) -> double4: ...
def as_double8(x: ArrayLike, /) -> double8: ...
def as_double16(x: ArrayLike, /) -> double16: ...

# ---------------- loads and stores

def vload2(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload3(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload4(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload8(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload16(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vstore2(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore3(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore4(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore8(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore16(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vload_half(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload_half2(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload_half3(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload_half4(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload_half8(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vload_half16(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vloada_half2(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vloada_half3(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vloada_half4(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vloada_half8(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vloada_half16(offset: _Offset, p: _Array, /, *, out: _Array | None = None) -> Any: ...
def vstore_half(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstore_half_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half2(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstore_half2_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half2_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half2_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half2_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half3(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstore_half3_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half3_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half3_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half3_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half4(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstore_half4_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half4_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half4_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half4_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half8(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstore_half8_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half8_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half8_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half8_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half16(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstore_half16_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half16_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half16_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstore_half16_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half2(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstorea_half2_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half2_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half2_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half2_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half3(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstorea_half3_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half3_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half3_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half3_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half4(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstorea_half4_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half4_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half4_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half4_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half8(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstorea_half8_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half8_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half8_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half8_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half16(data: ArrayLike, offset: _Offset, p: _Array, /, *, rounding: _Mode = None) -> None: ...
def vstorea_half16_rte(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half16_rtz(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half16_rtp(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
def vstorea_half16_rtn(data: ArrayLike, offset: _Offset, p: _Array, /) -> None: ...
