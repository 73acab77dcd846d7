/* The kernels for x86-64 with AVX-512 FP16 that compute in half itself; the others are those of
 * AVX-512. */
#include "targets/targets.h"

#ifdef HALFCL_X86_FP16

#ifdef __clang__
/* In the families that this set leaves to its base there is no function to apply this to. */
#pragma clang diagnostic ignored "-Wpragma-clang-attribute"
#pragma clang attribute push(                                                                  \
    __attribute__((target("avx512fp16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))),    \
    apply_to = function)
#else
#pragma GCC target("avx512fp16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif

#define HALFCL_TARGET avx512fp16
#define HALFCL_BASE &halfcl_avx512
#define HALFCL_VOCABULARY "simd/avx512fp16.h"
#include "targets/body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
