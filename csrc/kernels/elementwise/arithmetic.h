/* + - * / sqrt fma: computed in float, then rounded once to half.
 *
 * In a directed mode two roundings in the same direction are one. In rte the first is
 * innocuous: float has 24 = 2 * 11 + 2 bits, so neither sum, product, quotient nor root of
 * halves can round to a value halfway between halves without being that value. (A quotient of
 * 11-bit significands that is not such a 12-bit value m is at least 2^-23 m away from it, more
 * than half an ulp of float; a root more than 2^-25 m, also more than half an ulp there. So for
 * these two even rte, then the mode, would be right.) A product is exact in float.
 *
 * Sums and products, which take no longer than the conversions around them, return the NaN that
 * the processor gives (see map.h); it is a quiet one.
 *
 * Sums of halves are multiples of the least half, and a root is at least the root of that:
 * neither is ever tiny and inexact. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_ARITHMETIC_H
#define HALFCL_KERNELS_ELEMENTWISE_ARITHMETIC_H

#include "kernels/elementwise/relational.h"

ALWAYS_INLINE vf product(vf a, vf b, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(a, b);
}

ALWAYS_INLINE vf quotient(vf a, vf b, halfcl_rounding mode)
{
    (void)mode;
    return vf_div(a, b);
}

ALWAYS_INLINE vf square_of(vf a, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(a, a);
}

ALWAYS_INLINE vf reciprocal_of(vf a, halfcl_rounding mode)
{
    (void)mode;
    return vf_div(vf_set(1), a);
}

/* The square root of y > 0: an estimate and a step of Heron's method, within 2^-27 before the
 * last rounding. */
ALWAYS_INLINE vf root_by_estimate(vf y)
{
    vf inverse = vf_rsqrt_estimate(y), root = vn_mul(y, inverse);
    return vn_fma(vn_mul(inverse, vf_set(0.5f)), vn_fnma(root, root, y), root);
}

/* If the estimate is one instruction, it takes half as long as the exact root. It rounds to the
 * same half whatever the estimate, whose error makes v, the sum before its rounding, too small
 * by at most 2^-27 v. Let 1 <= y < 4, and let m be a number at which half rounds, of 12 bits,
 * that is not the root. In units of 2^-22 y is a multiple of 8, and m^2 is a multiple of 4 or,
 * if m is odd, one more than a multiple of 8. So y is either at least 4 units above m^2, and
 * then v - m is more than 2^-23, or at least one below, and then m - v is more than 2^-24, half
 * an ulp of float: v does not round to m. If the root is a number of so few bits that it is
 * exact, v is nearer to it than that. */
enum { ROOT_BY_ESTIMATE = HAVE_STATIC_ROUNDING * HAVE_FIXES };

ALWAYS_INLINE vf root(vf a, halfcl_rounding mode)
{
    (void)mode;
    if (!ROOT_BY_ESTIMATE)
        return vf_sqrt(a);
    return vf_fixed(root_by_estimate(a), a, FIXES(ITS_NAN, ITSELF, A_NAN, ITSELF, A_NAN),
                    INVALID_AT_MINUS_INF | INVALID_BELOW_0);
}

/* The difference if it is positive, otherwise +0; NaN if an operand is. If not positive, it is
 * the difference of 0 and -0, which is +0 in every mode. */
ALWAYS_INLINE vf positive_difference(vf a, vf b, halfcl_rounding mode)
{
    vm not_positive = vf_less_equal(a, b);
    return vf_difference(vf_select(not_positive, vf_set(0), a),
                         vf_select(not_positive, vf_set(-0.0f), b), mode);
}

#if HAVE_HALVES

/* With instructions on halves. */

static __attribute__((noinline, cold)) void note_tiny_sums(vw a, vw b, vw c,
                                                           halfcl_rounding mode, acc *seen)
{
    acc_tiny(seen,
             vf_fma_odd(vf_widen(vw_low(a)), vf_widen(vw_low(b)), vf_widen(vw_low(c)), mode));
    acc_tiny(seen, vf_fma_odd(vf_widen(vw_high(a)), vf_widen(vw_high(b)), vf_widen(vw_high(c)),
                              mode));
}

static __attribute__((noinline, cold)) void note_tiny_products(vw a, vw b, acc *seen)
{
    acc_tiny(seen, vf_mul(vf_widen(vw_low(a)), vf_widen(vw_low(b))));
    acc_tiny(seen, vf_mul(vf_widen(vw_high(a)), vf_widen(vw_high(b))));
}

ALWAYS_INLINE vw product_of_halves(vw a, vw b, halfcl_rounding mode, acc *seen)
{
    vw result = vx_mul(a, b);
    (void)mode;
    if (may_be_tiny(result))
        note_tiny_products(a, b, seen);
    return result;
}

ALWAYS_INLINE vw square_of_halves(vw a, halfcl_rounding mode, acc *seen)
{
    return product_of_halves(a, a, mode, seen);
}

ALWAYS_INLINE vw fused_halves(vw a, vw b, vw c, halfcl_rounding mode, acc *seen)
{
    vw result = vx_fma(a, b, c);
    if (may_be_tiny(result))
        note_tiny_sums(a, b, c, mode, seen);
    return result;
}

WORD_BINARY(add, vx_add)
WORD_BINARY(subtract, vx_sub)
HALF_BINARY(multiply, product_of_halves)
HALF_UNARY(square, square_of_halves)
HALF_TERNARY(fused_multiply_add, fused_halves)

#else

FLOAT_BINARY(add, vf_sum, NEVER_TINY | ANY_NAN)
FLOAT_BINARY(subtract, vf_difference, NEVER_TINY | ANY_NAN)
FLOAT_BINARY(multiply, product, MAYBE_TINY | ANY_NAN)
FLOAT_UNARY(square, square_of, MAYBE_TINY | ANY_NAN)
FLOAT_TERNARY(fused_multiply_add, vf_fma_odd, MAYBE_TINY | ANY_NAN)

#endif

#if HAVE_QUIET_HALVES

ALWAYS_INLINE vw positive_difference_of_halves(vw a, vw b)
{
    wm not_positive = vx_less_equal(a, b);
    vw result = vx_sub(vw_select(not_positive, vw_set(0), a),
                       vw_select(not_positive, vw_set(HALF_SIGN), b));
    if (any_nan(result, result))
        result = vw_select(vx_unordered(result, result), vw_set(HALF_NAN), result);
    return result;
}

WORD_BINARY(fdim_kernel, positive_difference_of_halves)

#else
FLOAT_BINARY(fdim_kernel, positive_difference, NEVER_TINY)
#endif

#if HAVE_HALF_DIVISION

ALWAYS_INLINE vw one_nan_for_all(vw a)
{
    wm nan = vw_greater(vw_and(a, vw_set(HALF_MAGNITUDE)), vw_set(HALF_INF));
    return vw_select(nan, vw_set(HALF_NAN), a);
}

ALWAYS_INLINE vw quotient_of_halves(vw a, vw b)
{
    return one_nan_for_all(vx_div(a, b));
}

ALWAYS_INLINE vw reciprocal_of_halves(vw a)
{
    return one_nan_for_all(vx_div(vw_set(HALF_ONE), a));
}

ALWAYS_INLINE vw root_of_halves(vw a)
{
    return one_nan_for_all(vx_sqrt(a));
}

WORD_BINARY(divide, quotient_of_halves)
WORD_UNARY(reciprocal, reciprocal_of_halves)
WORD_UNARY(square_root, root_of_halves)

#else

FLOAT_BINARY(divide, quotient, MAYBE_TINY)
FLOAT_UNARY(reciprocal, reciprocal_of, MAYBE_TINY)
FLOAT_UNARY(square_root, root, NEVER_TINY)

#endif

/* Operations that change only the sign bit. */

ALWAYS_INLINE vw flip_sign(vw a)
{
    return vw_xor(a, vw_set(HALF_SIGN));
}

ALWAYS_INLINE vw clear_sign(vw a)
{
    return vw_and(a, vw_set(HALF_MAGNITUDE));
}

ALWAYS_INLINE vw same(vw a)
{
    return a;
}

WORD_UNARY(negative, flip_sign)
WORD_UNARY(absolute, clear_sign)
WORD_UNARY(positive, same)

#define ARITHMETIC_KERNELS                                                                     \
    BINARY("add", add)                                                                         \
    BINARY("subtract", subtract)                                                               \
    BINARY("fdim", fdim_kernel)                                                                \
    BINARY("multiply", multiply)                                                               \
    BINARY("divide", divide)                                                                   \
    UNARY("square", square)                                                                    \
    UNARY("reciprocal", reciprocal)                                                            \
    UNARY("sqrt", square_root)                                                                 \
    TERNARY("fma", fused_multiply_add)                                                         \
    UNARY("negative", negative)                                                                \
    UNARY("fabs", absolute)                                                                    \
    UNARY("positive", positive)

#endif
