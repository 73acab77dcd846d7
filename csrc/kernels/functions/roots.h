/* Roots and the hypotenuse. */
#ifndef HALFCL_KERNELS_FUNCTIONS_ROOTS_H
#define HALFCL_KERNELS_FUNCTIONS_ROOTS_H

#include "kernels/functions/function2.h"
#include "kernels/functions/in_float.h"
#include "kernels/functions/tuned.h"

/* The error of the approximations, in units of float's last place. Measured: 0.8. */
enum { ROOT_SLACK = 1 };

/* An infinite side makes the hypotenuse infinite, whatever the other is. */
static float hypot_slow_path(uint16_t x, uint16_t y, unsigned *flags)
{
    bool infinite = (x & HALF_MAGNITUDE) == HALF_INF || (y & HALF_MAGNITUDE) == HALF_INF;
    float result = halfcl_evaluate(dd_hypot, x, y, flags);
    return infinite ? INFINITY : result;
}

/* One side may be so short that the hypotenuse exceeds the other by less than its last place.
 * If neither is 0, the square of the hypotenuse is larger by at least this much: still too
 * little for another half. */
#define LEAST_GROWTH 0x1p-17

/* The squares and their sum are exact. */
static double hypot_accurate(double x, double y, bool *exact_case)
{
    double xx = x * x, yy = y * y, sum = xx + yy;
    double least = (xx > yy ? xx : yy) * (1 + LEAST_GROWTH);
    if (sum < least && xx * yy != 0)
        sum = least;
    *exact_case = isfinite(sum);
    return sqrt_in_double(sum);
}

/* The root of the sum: an estimate and a step of Heron's method. */
ALWAYS_INLINE vf hypot_fast(vf x, vf y, vm *exact_case)
{
    (void)exact_case;
    vf sum = vn_fma(x, x, vn_mul(y, y)), inverse = vf_rsqrt_estimate(sum);
    vf root = vn_mul(sum, inverse), rest = vn_fnma(root, root, sum);
    return vn_fma(vn_mul(inverse, vf_set(0.5f)), rest, root);
}

/* One side is 0, or so short that the hypotenuse is only just longer than the other. */
ALWAYS_INLINE vf hypot_special(vf x, vf y, vm *exact_case)
{
    vf longer = vf_max(vf_abs(x), vf_abs(y)), shorter = vf_min(vf_abs(x), vf_abs(y));
    vm much_shorter = vm_not(vf_less(vf_mul(longer, vf_set(0x1p-10f)), shorter));
    *exact_case = vm_and_not(much_shorter, vf_special(vf_add(x, y)));
    vf above = vf_mul(longer, vf_set(1 + LEAST_GROWTH / 2));
    return vf_select(vf_equal(shorter, vf_set(0)), longer, above);
}

FUNCTION2(HAVE_FMA, hypot, hypot_fast, ROOT_SLACK, hypot_special, hypot_accurate,
          hypot_slow_path)

/* With r = 1 / cbrt(x) nearly and h = 1 - x r^3, the root is x r^2 (1 - h)^(-2/3). */
ALWAYS_INLINE vf cbrt_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf r = vf_copysign(vf_rcbrt_estimate(vf_abs(x)), x);
    vf root = vn_mul(vn_mul(r, r), x), h = vn_fnma(root, r, vf_set(1));
    root = vn_fma(vn_mul(root, h), POLYNOMIAL(h, cbrt_growth), root);
    return vf_fixed(root, x, FIXES(ITS_NAN, ITSELF, ITSELF, ITSELF, AS_COMPUTED), 0);
}

/* With r = 1 / sqrt(x) nearly, of 13 bits, and h = 1 - x r^2, the inverse root is r (1 -
 * h)^(-1/2). The product of x and r is exact, so that the error of the result is less than
 * 2^-31 before it is rounded to odd, whatever the estimate; no inexact result is nearer than
 * 2^-26 to a number at which half rounds. The exact results are those of powers of 4, whose
 * estimates are exact by definition if they are instructions; others are rounded to nearest. */
enum { HALF_OF_13_BITS = HAVE_EXPONENTS ? 0 : 1 << 10 };

ALWAYS_INLINE vf rsqrt_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vi bits = vi_add(vf_bits(vf_rsqrt_estimate(x)), vi_set(HALF_OF_13_BITS));
    vf r = vf_of_bits(vi_and(bits, vi_set(-(1 << 11))));
    vf h = vn_fnma(vn_mul(x, r), r, vf_set(1));
    vf growth = vn_mul(h, vn_fma(vf_set(0.375f), h, vf_set(0.5f)));
    vf result = vn_positive_fma_odd(r, growth, r);
    return vf_fixed(result, x, FIXES(ITS_NAN, ITS_INF, A_NAN, PLUS_0, A_NAN),
                    POLE_AT_0 | INVALID_AT_MINUS_INF | INVALID_BELOW_0);
}

IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES), cbrt, cbrt_of, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES), rsqrt, rsqrt_of, NEVER_TINY)

#define ROOT_KERNELS                                                                           \
    UNARY("cbrt", cbrt_kernel)                                                                 \
    UNARY("rsqrt", rsqrt_kernel)                                                               \
    BINARY("hypot", hypot_kernel)

#endif
