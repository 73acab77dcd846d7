/* The kernels for x86-64 with AVX2, FMA and F16C. */
#include "targets/targets.h"

#ifdef HALFCL_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

#define HALFCL_TARGET avx2
#define HALFCL_VOCABULARY "simd/avx2.h"
#include "targets/body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
