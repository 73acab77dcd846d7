/* The kernels for x86-64 with AVX2, FMA and F16C. */
#include "targets.h"

#ifdef HALFCL_X86

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,fma,f16c")
#endif

#include "../simd/avx2.h"

#include "kernels.h"

const halfcl_isa halfcl_avx2 = KERNELS_NAMED("avx2");

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
