/* Integers of 192 bits, for what floats cannot decide. They wrap, and the highest bit is the
 * sign's. */
#ifndef HALFCL_DEVICE_WIDE_H
#define HALFCL_DEVICE_WIDE_H

#include "simd/device_primitives.h"
#include "simd/simd.h"

typedef struct {
    uint64_t low, middle, high;
} wide;

ALWAYS_INLINE wide wide_of(uint64_t a)
{
    return (wide){a, 0, 0};
}

ALWAYS_INLINE wide wide_sum(wide a, wide b)
{
    uint64_t low = a.low + b.low, carry = low < a.low;
    uint64_t part = a.middle + carry, middle = part + b.middle;
    uint64_t next = (uint64_t)(part < carry) + (uint64_t)(middle < part);
    return (wide){low, middle, a.high + b.high + next};
}

ALWAYS_INLINE wide wide_negative(wide a)
{
    return wide_sum((wide){~a.low, ~a.middle, ~a.high}, wide_of(1));
}

ALWAYS_INLINE wide wide_difference(wide a, wide b)
{
    return wide_sum(a, wide_negative(b));
}

ALWAYS_INLINE wide wide_product(wide a, uint64_t b)
{
    uint64_t part = a.middle * b, middle = part + mul_high(a.low, b);
    uint64_t high = a.high * b + mul_high(a.middle, b) + (uint64_t)(middle < part);
    return (wide){a.low * b, middle, high};
}

/* a 2^count, for 0 <= count < 192. */
ALWAYS_INLINE wide wide_shifted(wide a, int count)
{
    for (; count >= 64; count -= 64)
        a = (wide){0, a.low, a.middle};
    int rest = 63 - count;
    return (wide){a.low << count, a.middle << count | a.low >> 1 >> rest,
                  a.high << count | a.middle >> 1 >> rest};
}

ALWAYS_INLINE bool wide_is_negative(wide a)
{
    return a.high >> 63 != 0;
}

/* -1, 0 or 1 as a is less than, equal to or greater than b. */
ALWAYS_INLINE int wide_compare(wide a, wide b)
{
    wide rest = wide_difference(a, b);
    bool same = (rest.low | rest.middle | rest.high) == 0;
    return same ? 0 : wide_is_negative(rest) ? -1 : 1;
}

/* a 2^exponent to odd. It is 0, or in float's range. */
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

/* A finite half in units of 2^-24, of which it has 41 bits. */
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
