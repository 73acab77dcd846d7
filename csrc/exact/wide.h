/* Integers of 192 bits, for cases that doubles, or on devices floats, cannot decide. They wrap,
 * and the highest bit is the sign. */
#ifndef HALFCL_EXACT_WIDE_H
#define HALFCL_EXACT_WIDE_H

#include "format/mul_high.h"

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

#endif
