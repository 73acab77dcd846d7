/* To integral values, each in its own direction whatever the mode. The results are
 * halves exactly; zeros keep the operand's sign. */
#include "map.h"

#define INTEGRAL(name, op)                                                                     \
    ALWAYS_INLINE vf name##_of(vf a, halfcl_rounding mode)                                     \
    {                                                                                          \
        (void)mode;                                                                            \
        return op(a);                                                                          \
    }                                                                                          \
    FLOAT_UNARY(name##_e, name##_of, NEVER_TINY)

/* Half away from zero: trunc((trunc(2x) +- 1) / 2), every step exact. */
ALWAYS_INLINE vf vf_round_away(vf a)
{
    vf doubled = vf_trunc(vf_mul(a, vf_set(2)));
    vf one = vf_copysign(vf_set(1), a);
    return vf_trunc(vf_mul(vf_add(doubled, one), vf_set(0.5f)));
}

INTEGRAL(rint, vf_rint)
INTEGRAL(ceil, vf_ceil)
INTEGRAL(floor, vf_floor)
INTEGRAL(trunc, vf_trunc)
INTEGRAL(round, vf_round_away)

#define ROUNDING_KERNELS                                                                       \
    {"rint", "e>e", rint_e}, {"ceil", "e>e", ceil_e}, {"floor", "e>e", floor_e},               \
        {"trunc", "e>e", trunc_e}, {"round", "e>e", round_e},
