/* OpenCL's common functions on the bits of halves: clamp, max, min, sign and step. (mix and
 * smoothstep are in interpolation.h; degrees and radians in functions/trig.h.) */
#ifndef HALFCL_KERNELS_ELEMENTWISE_COMMON_H
#define HALFCL_KERNELS_ELEMENTWISE_COMMON_H

#include "kernels/elementwise/extrema.h"

/* max and min: x, quieted, unless y is greater or less. NaNs are ordered at the end where they
 * are never that; only a NaN x must be kept whatever y is. */

ALWAYS_INLINE vw x_unless(wm other, vw x, vw y)
{
    wm nan = is_nan(x);
    vw quiet_x = vw_select(nan, vw_or(x, vw_set(HALF_QUIET)), x);
    return vw_select(wm_and(other, wm_not(nan)), y, quiet_x);
}

ALWAYS_INLINE vw second_if_greater(vw x, vw y)
{
    if (!any_nan(x, y))
        return larger_of_numbers(x, y);
    return x_unless(vw_greater(vw_ordered(y, NANS_BELOW), vw_ordered(x, NANS_BELOW)), x, y);
}

ALWAYS_INLINE vw second_if_less(vw x, vw y)
{
    if (!any_nan(x, y))
        return smaller_of_numbers(x, y);
    return x_unless(vw_greater(vw_ordered(x, NANS_ABOVE), vw_ordered(y, NANS_ABOVE)), x, y);
}

/* fmin(fmax(x, low), high), where the key of the maximum is the maximum of keys. */
ALWAYS_INLINE vw clamp_of(vw x, vw low, vw high)
{
    ON_QUIET_HALVES(
        if (!any_nan(x, x) && !any_nan(low, high)) return vx_min(high, vx_max(low, x));)
    vw key = vw_ordered(x, NANS_BELOW), low_key = vw_ordered(low, NANS_BELOW);
    vw larger = vw_select(vw_greater(low_key, key), low, x);
    vw larger_key = vw_add(vw_max(low_key, key), vw_set(NANS_ABOVE - NANS_BELOW));
    return quiet(vw_select(vw_greater(larger_key, vw_ordered(high, NANS_ABOVE)), high, larger));
}

/* 0 for x below the edge, otherwise 1. */
ALWAYS_INLINE vw step_at(vw edge, vw x)
{
    return vw_select(is_less(x, edge), vw_set(0), vw_set(HALF_ONE));
}

/* -1, 1, or the zero itself; 0 for NaN. */
ALWAYS_INLINE vw sign_of(vw x)
{
    vw one = with_sign(vw_set(HALF_ONE), x);
    return vw_select(is_nan(x), vw_set(0), vw_select(is_false(x), x, one));
}

WORD_BINARY(max_kernel, second_if_greater)
WORD_BINARY(min_kernel, second_if_less)
WORD_TERNARY(clamp_kernel, clamp_of)
WORD_BINARY(step_kernel, step_at)
WORD_UNARY(sign_kernel, sign_of)

#define COMMON_KERNELS                                                                         \
    TERNARY("clamp", clamp_kernel)                                                             \
    BINARY("max", max_kernel)                                                                  \
    BINARY("min", min_kernel)                                                                  \
    UNARY("sign", sign_kernel)                                                                 \
    BINARY("step", step_kernel)

#endif
