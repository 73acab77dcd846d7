/* Maximum and minimum of several kinds, and other selections by order or sign, on the bits of
 * halves. Nothing here raises an exception. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_EXTREMA_H
#define HALFCL_KERNELS_ELEMENTWISE_EXTREMA_H

#include "kernels/elementwise/relational.h"

/* Returns the first operand if both are equal, as NumPy does; maximum and minimum prefer NaNs,
 * fmax and fmin numbers. NaNs are made quiet; vectors without a NaN, by far the most, skip
 * that. */

ALWAYS_INLINE vw larger_of_numbers(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_max(b, a);)
    return vw_select(vw_greater(vw_ordered(b, 0), vw_ordered(a, 0)), b, a);
}

ALWAYS_INLINE vw smaller_of_numbers(vw a, vw b)
{
    ON_QUIET_HALVES(return vx_min(b, a);)
    return vw_select(vw_greater(vw_ordered(a, 0), vw_ordered(b, 0)), b, a);
}

ALWAYS_INLINE vw second_if_above(vw a, vw b, int nans)
{
    if (!any_nan(a, b))
        return larger_of_numbers(a, b);
    return quiet(vw_select(vw_greater(vw_ordered(b, nans), vw_ordered(a, nans)), b, a));
}

ALWAYS_INLINE vw second_if_below(vw a, vw b, int nans)
{
    if (!any_nan(a, b))
        return smaller_of_numbers(a, b);
    return quiet(vw_select(vw_greater(vw_ordered(a, nans), vw_ordered(b, nans)), b, a));
}

ALWAYS_INLINE vw larger(vw a, vw b)
{
    return second_if_above(a, b, NANS_ABOVE);
}

ALWAYS_INLINE vw smaller(vw a, vw b)
{
    return second_if_below(a, b, NANS_BELOW);
}

ALWAYS_INLINE vw larger_number(vw a, vw b)
{
    return second_if_above(a, b, NANS_BELOW);
}

ALWAYS_INLINE vw smaller_number(vw a, vw b)
{
    return second_if_below(a, b, NANS_ABOVE);
}

ALWAYS_INLINE vw with_sign(vw a, vw b)
{
    return vw_or(magnitude_of(a), vw_and(b, vw_set(HALF_SIGN)));
}

/* -1, 0 or 1, or the NaN itself; zero without sign, as in NumPy. */
ALWAYS_INLINE vw signum_of(vw a)
{
    vw one = with_sign(vw_set(HALF_ONE), a);
    return vw_select(is_nan(a), quiet(a), vw_select(is_false(a), vw_set(0), one));
}

/* Any NaN gives a NaN. */
ALWAYS_INLINE vw clipped(vw a, vw low, vw high)
{
    return smaller(larger(a, low), high);
}

/* The key is twice the magnitude, plus one if positive, plus an offset: so among numbers of the
 * same magnitude the positive one has the larger key, and both zeros have the same. NaNs are
 * ordered at one end, as above. */
enum { MAG_NANS_ABOVE = -0x8000, MAG_NANS_BELOW = 0x7fff - (2 * HALF_INF + 1) };

ALWAYS_INLINE vw magnitude_key(vw a, int offset)
{
    vw positive = vw_select(vw_greater(a, vw_set(0)), vw_set(offset + 1), vw_set(offset));
    return vw_add(vw_add(a, a), positive);
}

/* fmax and fmin by magnitude, and, for equal magnitudes, by value. */

ALWAYS_INLINE vw larger_magnitude(vw a, vw b)
{
    vw x = magnitude_key(a, MAG_NANS_BELOW), y = magnitude_key(b, MAG_NANS_BELOW);
    return quiet(vw_select(vw_greater(y, x), b, a));
}

ALWAYS_INLINE vw smaller_magnitude(vw a, vw b)
{
    vw x = magnitude_key(a, MAG_NANS_ABOVE), y = magnitude_key(b, MAG_NANS_ABOVE);
    return quiet(vw_select(vw_greater(x, y), b, a));
}

/* 0 below zero, 1 above, b at zero: NumPy's heaviside. */
ALWAYS_INLINE vw step_at_zero(vw a, vw b)
{
    vw step = vw_select(vw_negative(a), vw_set(0), vw_set(HALF_ONE));
    return quiet(vw_select(is_false(a), b, vw_select(is_nan(a), a, step)));
}

WORD_BINARY(maxmag, larger_magnitude)
WORD_BINARY(minmag, smaller_magnitude)
WORD_BINARY(heaviside, step_at_zero)
WORD_TERNARY(clip, clipped)
WORD_BINARY(maximum, larger)
WORD_BINARY(minimum, smaller)
WORD_BINARY(fmax_kernel, larger_number)
WORD_BINARY(fmin_kernel, smaller_number)
WORD_BINARY(copysign_kernel, with_sign)
WORD_UNARY(signum, signum_of)

#define EXTREMA_KERNELS                                                                        \
    BINARY("maximum", maximum)                                                                 \
    BINARY("minimum", minimum)                                                                 \
    BINARY("fmax", fmax_kernel)                                                                \
    BINARY("fmin", fmin_kernel)                                                                \
    BINARY("maxmag", maxmag)                                                                   \
    BINARY("minmag", minmag)                                                                   \
    BINARY("heaviside", heaviside)                                                             \
    BINARY("copysign", copysign_kernel)                                                        \
    TERNARY("clip", clip)                                                                      \
    UNARY("signum", signum)

#endif
