/* The primitives of device kernels, in C. Those of OpenCL and CUDA are in
 * src/halfcl/device/preludes: a text for a device begins with these instead.
 *
 * All operations follow IEEE 754, to nearest, so that results have the same bits wherever they
 * are computed. No result depends on a subnormal float, since devices may flush these to
 * zero. */
#ifndef HALFCL_SIMD_DEVICE_PRIMITIVES_H
#define HALFCL_SIMD_DEVICE_PRIMITIVES_H

#include <math.h>

#include "format/fma.h"
#include "format/half.h"
#include "format/mul_high.h"

/* NOINLINE: a function of many instructions that few work-items call. COLD: a function of few
 * instructions, which should be called only where needed instead of computed by all work-items
 * and mostly discarded. */
#define NOINLINE static __attribute__((noinline, unused))
#define COLD static __attribute__((cold, unused))

/* A product that no compiler may contract with a sum. */
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

/* Rounds to an integral value. */
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

/* The bits of a summand, which no compiler may join with a product's. */
ALWAYS_INLINE uint16_t summand(uint16_t a)
{
    return a;
}

/* Counts the leading zeros of a number that is not 0. */
ALWAYS_INLINE int leading_zeros(uint64_t a)
{
    return __builtin_clzll(a);
}

#endif
