/* The hyperbolic functions and their inverses. */
#ifndef HALFCL_KERNELS_FUNCTIONS_HYPERBOLIC_H
#define HALFCL_KERNELS_FUNCTIONS_HYPERBOLIC_H

#include "kernels/functions/in_float.h"
#include "kernels/functions/tuned.h"

/* |x| + |x| growth, truncated so that it stays below |x|. From x = 4.51 on it rounds as the
 * number just below 1. */
ALWAYS_INLINE vf tanh_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    const float most = 4.515625f;
    vf size = vn_least_abs(x, vf_set(most));
    vf growth = piecewise(size, 31 / most, tanh_growth, 4);
    vf result = vf_copysign(vn_fma_cut(size, growth, size), x);
    return vf_fixed(result, x, FIXES(ITS_NAN, 0, MINUS_1, PLUS_1, AS_COMPUTED), 0);
}

/* Pieces of sinh and cosh of |x|, as wide as step. The last one is beyond half's range. Since
 * the functions grow fast, their polynomials are in r, the distance of |x| from the middle. */
typedef struct {
    vf size, r;
    vi piece;
} hyperbolic_parts;

ALWAYS_INLINE hyperbolic_parts hyperbolic_parts_of(vf x)
{
    const float step = 0.390625f;
    vf size = vn_least_abs(x, vf_set(31 * step)), shift = vf_set(INTEGER_SHIFT);
    vf shifted = vn_fma(size, vf_set(1 / step), shift);
    vf r = vn_fnma(vn_sub(shifted, shift), vf_set(step), size);
    return (hyperbolic_parts){size, r, vf_bits(shifted)};
}

/* |x| + |x| growth, where growth is large enough to change the result. */
ALWAYS_INLINE vf sinh_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    hyperbolic_parts parts = hyperbolic_parts_of(x);
    vf growth = piecewise_at(parts.r, parts.piece, sinh_growth, 5);
    vf result = vf_copysign(vn_fma(parts.size, growth, parts.size), x);
    return vf_fixed(result, x, FIXES(ITS_NAN, ITSELF, ITS_INF, ITS_INF, AS_COMPUTED), 0);
}

/* Inexact except at 0. */
ALWAYS_INLINE vf cosh_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    hyperbolic_parts parts = hyperbolic_parts_of(x);
    vf slope = piecewise_at(parts.r, parts.piece, cosh_polynomial + 32, 4);
    vf result = inexact_fma_odd(parts.r, slope, vf_look_up32(cosh_polynomial, parts.piece));
    return vf_fixed(result, x, FIXES(ITS_NAN, PLUS_1, PLUS_INF, ITS_INF, AS_COMPUTED), 0);
}

IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), sinh, sinh_of, MAYBE_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), cosh, cosh_of, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), tanh, tanh_of, MAYBE_TINY)
TABLED(asinh)
TABLED(acosh)
TABLED(atanh)

#define HYPERBOLIC_KERNELS                                                                     \
    UNARY("sinh", sinh_kernel)                                                                 \
    UNARY("cosh", cosh_kernel)                                                                 \
    UNARY("tanh", tanh_kernel)                                                                 \
    UNARY("asinh", asinh_kernel)                                                               \
    UNARY("acosh", acosh_kernel)                                                               \
    UNARY("atanh", atanh_kernel)

#endif
