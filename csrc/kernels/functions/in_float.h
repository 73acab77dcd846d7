/* Functions of one half in a single phase that has no hard cases.
 *
 * They compute in float, to nearest unless they say otherwise, with constants chosen so that
 * for every half the result lies between the same two numbers at which half rounds as the exact
 * one does, and is exact if that is. Tests try every half. Only the conversion to half, and
 * operations named in a function's comment, round in the mode and raise exceptions. */
#ifndef HALFCL_KERNELS_FUNCTIONS_IN_FLOAT_H
#define HALFCL_KERNELS_FUNCTIONS_IN_FLOAT_H

#include "kernels/functions/by_table.h"
#include "kernels/functions/polynomial.h"

/* Defines the kernel of op, if the set has the capabilities that it needs, otherwise of the
 * function's table. tiny: whether results may lie just below 2^-14. */
#define IN_FLOAT(needs, name, op, tiny)                                                        \
    KERNEL(name##_kernel, (needs) ? map_unary(args, n, mode, op, tiny)                         \
                                  : map_table(args, n, mode, FUNCTION_##name))                 \
    AT(name, (needs) ? NO_TABLE : FUNCTION_##name,                                             \
       (needs) ? op(x, mode) : results_for(table, vh_exact(x)))

/* Adding this to a float below 2^22 puts the nearest integer in the last bits. */
#define INTEGER_SHIFT 0x1.8p23f

/* The sum of n terms c[32 i + k] x^i, where k is the last 5 bits of piece. */
ALWAYS_INLINE vf piecewise_at(vf x, vi piece, const float *c, int n)
{
    vf sum = vf_look_up32(c + 32 * (n - 1), piece);
    for (int i = n - 2; i >= 0; --i)
        sum = vn_fma(sum, x, vf_look_up32(c + 32 * i, piece));
    return sum;
}

/* The sum of piecewise_at, where k is the integer nearest to scale * x. */
ALWAYS_INLINE vf piecewise(vf x, float scale, const float *c, int n)
{
    vf shifted = vn_fma(x, vf_set(scale), vf_set(INTEGER_SHIFT));
    return piecewise_at(x, vf_bits(shifted), c, n);
}

/* a * b + c rounded to odd, if it is inexact. */
ALWAYS_INLINE vf inexact_fma_odd(vf a, vf b, vf c)
{
    return vf_of_bits(vi_or(vf_bits(vn_fma_cut(a, b, c)), vi_set(1)));
}

#endif
