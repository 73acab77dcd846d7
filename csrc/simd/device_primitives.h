/* What the kernels of devices are made of, in C. OpenCL's and CUDA's are in
 * src/halfcl/device/preludes: a text for a device begins with these instead.
 *
 * Everything is IEEE 754's, to nearest, so that results are the same bits wherever they are
 * computed. No operation here gives a subnormal float that a result depends on: devices may
 * flush these to zero. */
#ifndef HALFCL_SIMD_DEVICE_PRIMITIVES_H
#define HALFCL_SIMD_DEVICE_PRIMITIVES_H

#include <math.h>

#include "format/fma.h"
#include "format/half.h"
#include "format/mul_high.h"

/* A function of many instructions that few work-items call; and one of a few, which is called
 * only where that is better than to compute it for all, and have most throw it away. */
#define RARE static __attribute__((noinline, unused))
#define SELDOM static __attribute__((cold, unused))

/* A product that no compiler fuses with a sum. */
ALWAYS_INLINE float float_mul(float a, float b)
{
    return halfcl_fmaf(a, b, -0.0f);
}

ALWAYS_INLINE float float_add(float a, float b)
{
    return a + b;
}

ALWAYS_INLINE float float_fma(float a, float b, float c)
{
    return halfcl_fmaf(a, b, c);
}

/* To integral values. */
ALWAYS_INLINE float float_rint(float a)
{
    return rintf(a);
}

ALWAYS_INLINE float float_trunc(float a)
{
    return truncf(a);
}

ALWAYS_INLINE float float_ceil(float a)
{
    return ceilf(a);
}

ALWAYS_INLINE float float_floor(float a)
{
    return floorf(a);
}

/* Of a number that is not 0. */
ALWAYS_INLINE int leading_zeros(uint64_t a)
{
    return __builtin_clzll(a);
}

#endif
