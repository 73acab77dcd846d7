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
 * Sums of halves are multiples of the least half, and a root is at least the root of
 * that: neither is ever tiny and inexact. */
#include "map.h"

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

FLOAT_BINARY(add, vf_sum, NEVER_TINY)
FLOAT_BINARY(subtract, vf_difference, NEVER_TINY)
FLOAT_BINARY(fdim_e, positive_difference, NEVER_TINY)
FLOAT_BINARY(multiply, product, MAYBE_TINY)
FLOAT_BINARY(divide, quotient, MAYBE_TINY)
FLOAT_UNARY(square, square_of, MAYBE_TINY)
FLOAT_UNARY(reciprocal, reciprocal_of, MAYBE_TINY)
FLOAT_UNARY(square_root, root, NEVER_TINY)
FLOAT_TERNARY(fused_multiply_add, vf_fma_odd, MAYBE_TINY)

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
    {"add", "ee>e", add}, {"subtract", "ee>e", subtract}, {"fdim", "ee>e", fdim_e},            \
        {"multiply", "ee>e", multiply}, {"divide", "ee>e", divide}, {"square", "e>e", square}, \
        {"reciprocal", "e>e", reciprocal}, {"sqrt", "e>e", square_root},                       \
        {"fma", "eee>e", fused_multiply_add}, {"negative", "e>e", negative},                   \
        {"fabs", "e>e", absolute}, {"positive", "e>e", positive},
