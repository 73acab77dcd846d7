/* The kernels for x86-64 with AVX-512 F, BW, DQ and VL. */
#include "targets/targets.h"

#ifdef HALFCL_X86

#ifdef __clang__
#pragma clang attribute push(                                                                  \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))),               \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif

#define HALFCL_TARGET avx512
#define HALFCL_VOCABULARY "simd/avx512.h"
#include "targets/body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
