/* The kernels for 64-bit Arm with FEAT_FP16 that compute in half itself; the others are those
 * of every 64-bit Arm. */
#include "targets/targets.h"

#ifdef HALFCL_ARM

#ifdef __clang__
/* In the families that this set leaves to its base there is no function to apply this to. */
#pragma clang diagnostic ignored "-Wpragma-clang-attribute"
#pragma clang attribute push(__attribute__((target("fullfp16"))), apply_to = function)
#else
#pragma GCC target("arch=armv8.2-a+fp16")
#endif

#define HALFCL_TARGET neon_fp16
#define HALFCL_BASE &halfcl_neon
#define HALFCL_VOCABULARY "simd/neon_fp16.h"
#include "targets/body.h"

#ifdef __clang__
#pragma clang attribute pop
#endif

#endif
