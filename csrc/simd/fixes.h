/* The results of a function for special arguments, and which of them raise an exception. */
#ifndef HALFCL_SIMD_FIXES_H
#define HALFCL_SIMD_FIXES_H

#include <math.h>

#include "simd/vocabulary.h"

typedef enum {
    AS_COMPUTED = 0,
    ITSELF = 1,
    ITS_NAN = 2,
    A_NAN = 3,
    MINUS_INF = 4,
    PLUS_INF = 5,
    ITS_INF = 6,
    PLUS_0 = 8,
    MINUS_1 = 9,
    PLUS_1 = 10,
    HALF_PI = 13
} fix;

enum {
    POLE_AT_0 = 1 << 0,
    INVALID_AT_MINUS_INF = 1 << 5,
    INVALID_BELOW_0 = 1 << 6,
    INVALID_AT_INF = 1 << 7
};

/* below_0: for finite numbers below 0. */
#define FIXES(at_nan, at_0, at_minus_inf, at_inf, below_0)                                     \
    ((at_nan) | (at_0) << 8 | (at_minus_inf) << 16 | (at_inf) << 20 | (below_0) << 24)
#define FIX_AT_1(fix) ((fix) << 12) /* one more, to be added */

ALWAYS_INLINE vf fixed_by(fix how, vf result, vf x)
{
    switch (how) {
    case ITSELF:
        return x;
    case ITS_NAN:
        return vf_of_bits(vi_or(vf_bits(x), vi_set(FLOAT_QUIET)));
    case A_NAN:
        return vf_set(NAN);
    case MINUS_INF:
        return vf_set(-INFINITY);
    case PLUS_INF:
        return vf_set(INFINITY);
    case ITS_INF:
        return vf_copysign(vf_set(INFINITY), x);
    case PLUS_0:
        return vf_set(0);
    case MINUS_1:
        return vf_set(-1);
    case PLUS_1:
        return vf_set(1);
    case HALF_PI:
        return vf_set(0x1.921fb6p0f);
    default:
        return result;
    }
}

#if !HAVE_FIXES

/* Raises division by zero. */
static __attribute__((noinline, cold, unused)) void divide_by_zero(float dividend)
{
    volatile float zero = 0, quotient = dividend / zero;
    (void)quotient;
}

/* Returns the result of a function of x, with these fixes, a constant; raises is a constant,
 * too. */
ALWAYS_INLINE vf vf_fixed(vf result, vf x, int fixes, int raises)
{
    vf zero = vf_set(0), inf = vf_set(INFINITY), minus_inf = vf_set(-INFINITY);
    const struct {
        vm here;
        int fix_at, exception;
        float dividend;
    } rows[] = {
        {vm_not(vf_equal(x, x)), 0, 0, 0},
        {vf_equal(x, zero), 8, POLE_AT_0, 1},
        {vf_equal(x, vf_set(1)), 12, 0, 0},
        {vf_equal(x, minus_inf), 16, INVALID_AT_MINUS_INF, 0},
        {vf_equal(x, inf), 20, INVALID_AT_INF, 0},
        {vm_and(vf_less(x, zero), vf_less(minus_inf, x)), 24, INVALID_BELOW_0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        fix how = (fix)(fixes >> rows[k].fix_at & 0xf);
        result = vf_select(rows[k].here, fixed_by(how, result, x), result);
        if ((raises & rows[k].exception) && vm_any(rows[k].here))
            divide_by_zero(rows[k].dividend);
    }
    return result;
}

#endif

#endif
