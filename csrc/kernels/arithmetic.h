/* + - * / sqrt fma: in float, then one rounding to half.
 *
 * In a directed mode two roundings in the same direction are one. In rte the first
 * is innocuous: float has 24 = 2 * 11 + 2 bits, and then neither sum, product, quotient
 * nor root of halves can round to a value halfway between halves without being it.
 * (A quotient of 11-bit significands that is not such a 12-bit value m is at least
 * 2^-23 m away from it, more than half an ulp of float; a root more than 2^-25 m, also
 * more than half an ulp there. So for these two even rte, then the mode, would do.) A
 * product is exact in float.
 *
 * Sums and products, which take no longer than the conversions around them, leave
 * which NaN they give to the processor (see map.h); it is a quiet one.
 *
 * Sums of halves are multiples of the least half, and a root is at least the root of
 * that: neither is ever tiny and inexact. */
#ifndef HALFCL_ARITHMETIC_H
#define HALFCL_ARITHMETIC_H

#include "kernels/map.h"

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

ALWAYS_INLINE vf root(vf a, halfcl_rounding mode)
{
    (void)mode;
    return vf_sqrt(a);
}

/* The difference if it is positive, else +0; NaN if there is one. Where not, it is that of 0
 * and -0, which is +0 in every mode. */
ALWAYS_INLINE vf positive_difference(vf a, vf b, halfcl_rounding mode)
{
    vm not_positive = vf_less_equal(a, b);
    return vf_difference(vf_select(not_positive, vf_set(0), a),
                         vf_select(not_positive, vf_set(-0.0f), b), mode);
}

FLOAT_BINARY(add, vf_sum, NEVER_TINY | ANY_NAN)
FLOAT_BINARY(subtract, vf_difference, NEVER_TINY | ANY_NAN)
FLOAT_BINARY(fdim_e, positive_difference, NEVER_TINY)
FLOAT_BINARY(multiply, product, MAYBE_TINY | ANY_NAN)
FLOAT_BINARY(divide, quotient, MAYBE_TINY)
FLOAT_UNARY(square, square_of, MAYBE_TINY | ANY_NAN)
FLOAT_UNARY(reciprocal, reciprocal_of, MAYBE_TINY)
FLOAT_UNARY(square_root, root, NEVER_TINY)
FLOAT_TERNARY(fused_multiply_add, vf_fma_odd, MAYBE_TINY | ANY_NAN)

/* Changes of the sign bit alone. */

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
    BINARY("fdim", fdim_e)                                                                     \
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
