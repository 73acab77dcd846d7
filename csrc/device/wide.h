/* Integers of 192 bits and floats, for cases that floats cannot decide. */
#ifndef HALFCL_DEVICE_WIDE_H
#define HALFCL_DEVICE_WIDE_H

#include "exact/wide.h"
#include "simd/simd.h"

/* Returns a 2^exponent rounded to odd. It is 0, or in float's range. */
ALWAYS_INLINE vf wide_to_float(wide a, int exponent)
{
    bool negative = wide_is_negative(a);
    wide size = negative ? wide_negative(a) : a;
    if ((size.low | size.middle | size.high) == 0)
        return 0;
    for (; size.high == 0; exponent -= 64)
        size = wide_shifted(size, 64);
    int zeros = leading_zeros(size.high);
    size = wide_shifted(size, zeros);
    bool inexact = (size.high << 24 | size.middle | size.low) != 0;
    vf significand = (float)((vi)(size.high >> 40) | (vi)inexact);
    vf result = vf_mul(significand, vf_of_bits((exponent - zeros + 168 + 127) * (1 << 23)));
    return negative ? -result : result;
}

/* A finite half in units of 2^-24 has 41 bits. */
enum { HALF_UNIT = -24 };

ALWAYS_INLINE int64_t units_of(vf a)
{
    return (int64_t)vf_mul(a, 0x1p24f);
}

ALWAYS_INLINE uint64_t size_of_units(int64_t units)
{
    return (uint64_t)(units < 0 ? -units : units);
}

/* A normal float of 12 bits, the number significand 2^exponent. */
typedef struct {
    uint64_t significand;
    int exponent;
} short_float;

ALWAYS_INLINE short_float short_float_of(vf a)
{
    vi bits = vf_bits(a);
    return (short_float){(uint64_t)((bits & 0x007fffff) | 0x00800000) >> 12,
                         (bits >> 23) - 127 - 11};
}

#endif
