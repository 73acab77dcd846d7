"""CUDA C++, which nvcc and NVRTC read."""

from halfcl.device._source.dialects.cpp import Cpp
from halfcl.device._source.dialects.dialect import Packs, ProgramWords

_HEAD = """\
#include <cuda_fp16.h>

/* GPUs on which doubles take only twice the time of floats; programs may define it, too. */
#if !defined(HC_FAST_DOUBLE) && defined(__CUDA_ARCH__)
#define HC_FAST_DOUBLE                                                                         \\
    (__CUDA_ARCH__ == 600 || __CUDA_ARCH__ == 700 || __CUDA_ARCH__ == 800 ||                   \\
     __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
#endif
"""

_DEFINITIONS = """\
#define HCI_BITS(x) __half_as_ushort(x)
#define HCI_HALF(x) __ushort_as_half((unsigned short)(x))

typedef __half hc_half;

/* n numbers next to each other: those of halves are hc_half2, hc_half3, ... */
template <typename T, int n> struct alignas((n == 3 ? 4 : n) * sizeof(T)) hc_vector {
    T s[n];
};
typedef hc_vector<__half, 2> hc_half2;
typedef hc_vector<__half, 3> hc_half3;
typedef hc_vector<__half, 4> hc_half4;
typedef hc_vector<__half, 8> hc_half8;
typedef hc_vector<__half, 16> hc_half16;
"""

_PACK = """
/* Eight elements, by accesses of 16 bytes at most. */
template <typename T> struct alignas(sizeof(T) == 1 ? 8 : 16) hck_pack {
    T v[8];
};
"""

_PROGRAM_HEAD = """\
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#error "the kernels need subnormal numbers: build without --use_fast_math and --ftz=true"
#endif
/* Halves are compared as halves: for floats, ptxas 12.9 makes +0 of x == x ? 1.0f : -0.0f. */
#ifdef __CUDA_NO_HALF_OPERATORS__
#define HCL_NO_HALF_OPERATORS
#endif
/* A half by its bits, for constant tables. */
#define HCL_HALF(bits) (__half(__half_raw{bits}))
"""

_PLACE = "((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x)"

_KERNEL = 'extern "C" __global__'

CUDA = Cpp(
    name="cuda",
    title="CUDA C++",
    types={
        "e": "__half", "f": "float", "b": "signed char", "B": "unsigned char", "h": "short",
        "H": "unsigned short", "i": "int", "I": "unsigned int", "q": "long long",
        "Q": "unsigned long long", "?": "bool",
    },
    head=_HEAD,
    prelude="cpp/base.h",
    natives={"cuda/native.h": "", "cuda/quotients.h": "HC_FAST_DOUBLE"},
    definitions=_DEFINITIONS,
    kernel=_KERNEL,
    item=_PLACE,
    truth="bool",
    packs=Packs(
        before=_PACK,
        first=f"8 * {_PLACE}",
        count="n - i < 8 ? (int)(n - i) : 8",
        variable="hck_pack<{type}> {name}_p;",
        element="{name}_p.v[k]",
        load="{name}_p = *(const hck_pack<{type}> *)({name} + i);",
        store="*(hck_pack<{type}> *)({name} + i) = {name}_p;",
        within="(k < m ? k : m - 1)",
    ),
    reductions=("reductions/cpp.h", "reductions/cuda.h"),
    reduction_kernel=f"{_KERNEL} void",
    reduces_short_rows=True,
    doubles="cuda/double.h",
    tables="cuda/double_tables.h",
    program=ProgramWords(
        head=_PROGRAM_HEAD,
        preludes=("cpp/vectors.h", "cpp/numbers.h", "cpp/items.h"),
        optional={
            "hc_lanes": ("cpp/items_of_group.h", "lanes.h", "cpp/teams.h", "ballots.h"),
            "hcl_address_": ("cuda/address_spaces.h",),
            "hcl_device_": ("cpp/device_functions.h",),
            "hc_image": ("images.h", "cpp/srgb.h", "cpp/images.h"),
        },
        local="extern __shared__ __align__(128) unsigned char hc_local[];",
        function="__device__",
        kernel=_KERNEL,
        table="static __device__ const",
        variable="static __device__",
        shared="__shared__",
        barrier="__syncthreads()",
        fence="__threadfence()",
        bounds="__launch_bounds__({items}) ",
        reserved=frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize")),
    ),
)  # fmt: skip
