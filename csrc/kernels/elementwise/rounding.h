/* Rounding to integral values, each function in its own direction whatever the mode. The
 * results are halves exactly; zeros keep the operand's sign. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_ROUNDING_H
#define HALFCL_KERNELS_ELEMENTWISE_ROUNDING_H

#include "kernels/shared/map.h"

#if HAVE_HALVES

WORD_UNARY(rint_kernel, vx_rint)
WORD_UNARY(ceil_kernel, vx_ceil)
WORD_UNARY(floor_kernel, vx_floor)
WORD_UNARY(trunc_kernel, vx_trunc)
WORD_UNARY(round_kernel, vx_round)

#else

#define INTEGRAL(name, op)                                                                     \
    ALWAYS_INLINE vf name##_of(vf a, halfcl_rounding mode)                                     \
    {                                                                                          \
        (void)mode;                                                                            \
        return op(a);                                                                          \
    }                                                                                          \
    FLOAT_UNARY(name##_kernel, name##_of, NEVER_TINY | ANY_NAN)

/* Rounds half away from zero. The sum is exact: its last place is that of a, at least 2^-24,
 * and it is 1 or more only if a is 1/2 or more, with last place 2^-11. */
ALWAYS_INLINE vf vf_round_away(vf a)
{
    return vf_trunc(vf_add(a, vf_copysign(vf_set(0.5f), a)));
}

INTEGRAL(rint, vf_rint)
INTEGRAL(ceil, vf_ceil)
INTEGRAL(floor, vf_floor)
INTEGRAL(trunc, vf_trunc)
INTEGRAL(round, vf_round_away)

#endif

#define ROUNDING_KERNELS                                                                       \
    UNARY("rint", rint_kernel)                                                                 \
    UNARY("ceil", ceil_kernel)                                                                 \
    UNARY("floor", floor_kernel)                                                               \
    UNARY("trunc", trunc_kernel)                                                               \
    UNARY("round", round_kernel)

#endif
