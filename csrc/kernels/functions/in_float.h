/* Functions of one half in one phase that has no hard cases.
 *
 * They compute in float, to nearest if they do not say otherwise, with constants chosen so that
 * for every half the result lies between the same two of the numbers where half rounds as the
 * exact one does, and is exact if that is. Tests try every half. What rounds in the mode and
 * raises exceptions is the conversion to half, and what a function says. */
#ifndef HALFCL_KERNELS_FUNCTIONS_IN_FLOAT_H
#define HALFCL_KERNELS_FUNCTIONS_IN_FLOAT_H

#include "kernels/functions/by_table.h"
#include "kernels/functions/polynomial.h"

/* The kernel of op, if the set has the capabilities that it needs, else of the function's
 * table. tiny: whether results lie just below 2^-14. */
#define IN_FLOAT(needs, name, op, tiny)                                                        \
    KERNEL(name##_kernel, (needs) ? map_unary(args, n, mode, op, tiny)                         \
                                  : map_table(args, n, mode, FUNCTION_##name))                 \
    AT(name, (needs) ? NO_TABLE : FUNCTION_##name,                                             \
       (needs) ? op(x, mode) : results_for(table, vh_exact(x)))

/* Added to a float below 2^22, this leaves the nearest integer in the last bits. */
#define INTEGER_SHIFT 0x1.8p23f

/* The sum of n terms c[32 i + k] x^i, where k is the last 5 bits of piece. */
ALWAYS_INLINE vf piecewise_at(vf x, vi piece, const float *c, int n)
{
    vf sum = vf_look_up32(c + 32 * (n - 1), piece);
    for (int i = n - 2; i >= 0; --i)
        sum = vn_fma(sum, x, vf_look_up32(c + 32 * i, piece));
    return sum;
}

/* The same where k is the integer nearest to scale * x. */
ALWAYS_INLINE vf piecewise(vf x, float scale, const float *c, int n)
{
    vf shifted = vn_fma(x, vf_set(scale), vf_set(INTEGER_SHIFT));
    return piecewise_at(x, vf_bits(shifted), c, n);
}

/* a * b + c rounded to odd, where it is inexact. */
ALWAYS_INLINE vf inexact_fma_odd(vf a, vf b, vf c)
{
    return vf_of_bits(vi_or(vf_bits(vn_fma_cut(a, b, c)), vi_set(1)));
}

#endif
