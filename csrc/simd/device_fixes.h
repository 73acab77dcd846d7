/* Results of device functions for special arguments: by branches, since there is one lane. */
#ifndef HALFCL_SIMD_DEVICE_FIXES_H
#define HALFCL_SIMD_DEVICE_FIXES_H

#include "simd/fixes.h"

/* Special arguments are 1, zeros, infinities, NaNs, and negative numbers; most x are none of
 * these. */
COLD vf fixed_special(vf result, vf x, int fixes)
{
    result = x == 1 ? fixed_by((fix)(fixes >> 12 & 0xf), result, x) : result;
    result = x == 0 ? fixed_by((fix)(fixes >> 8 & 0xf), result, x) : result;
    result = x < 0 ? fixed_by((fix)(fixes >> 24 & 0xf), result, x) : result;
    result = x == -INFINITY ? fixed_by((fix)(fixes >> 16 & 0xf), result, x) : result;
    result = x == INFINITY ? fixed_by((fix)(fixes >> 20 & 0xf), result, x) : result;
    return x != x ? fixed_by((fix)(fixes & 0xf), result, x) : result;
}

/* Returns the result of a function of x, with these fixes. If these are NaN for infinities,
 * too, adding 0 x makes it: for finite x that is 0 and does not matter, since no function here
 * has zeros of another sign than x. */
ALWAYS_INLINE vf vf_fixed(vf result, vf x, int fixes, int raises)
{
    const int infinities = fixes >> 16 & 0xff, below_0 = fixes >> 24 & 0xf;
    const int at_1 = fixes >> 12 & 0xf;
    (void)raises;
    if (infinities == (A_NAN | A_NAN << 4) && below_0 == AS_COMPUTED) {
        result = vf_fma(x, 0, result);
        return x == 0 ? fixed_by((fix)(fixes >> 8 & 0xf), result, x) : result;
    }
    uint32_t bits = bits_of_float(x), size = bits << 1;
    bool special =
        below_0 ? bits - 1 >= FLOAT_INF - 1 : size - 1 >= 2 * (uint32_t)FLOAT_INF - 1;
    return special || (at_1 != 0 && x == 1) ? fixed_special(result, x, fixes) : result;
}

#endif
