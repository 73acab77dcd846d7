/* Numbers of 64 bits, by integers, for results that floats leave undecided: many devices have
 * no double, or a slow one.
 *
 * Operations truncate. The relative error of a product or a sum is within 2^-62, of a quotient
 * within 2^-60, of the logarithm 2^-59, of the exponential of such an argument 2^-60, of the
 * arc tangent 2^-61 (tests/test_device_powers.c). Exact results are not distinguished from
 * others: callers find those with integers. */
#ifndef HALFCL_DEVICE_FIXED_POINT_H
#define HALFCL_DEVICE_FIXED_POINT_H

#include "simd/simd.h"

/* size * 2^exponent >= 0, where the top bit of size is set, unless it is 0. */
typedef struct {
    uint64_t size;
    int exponent;
} extended;

static const uint64_t first_bit = 0x8000000000000000;

ALWAYS_INLINE extended extended_of(uint64_t size, int exponent)
{
    int shift = size == 0 ? 0 : leading_zeros(size);
    return (extended){size << shift, exponent - shift};
}

/* Returns a in units of 2^unit, truncated; it fits 64 bits. */
ALWAYS_INLINE uint64_t in_units(extended a, int unit)
{
    int shift = unit - a.exponent;
    return 0 <= shift && shift < 64 ? a.size >> shift : 0;
}

/* Returns a rounded to odd: 24 bits with a sticky bit. */
ALWAYS_INLINE vf float_of_extended(extended a, bool minus)
{
    int32_t fraction = (int32_t)(a.size >> 40), inexact = (a.size << 24) != 0;
    int32_t bits = (a.exponent + 63 + 126) * (1 << 23) + (fraction | inexact);
    vf value = a.size == 0 ? 0 : vf_of_bits(bits);
    return minus ? -value : value;
}

/* Returns a number that is inexact, although its bits are those of a shorter one: adds one in
 * the last place. */
ALWAYS_INLINE extended a_bit_more(extended a)
{
    return (extended){a.size | 1, a.exponent};
}

ALWAYS_INLINE extended extended_product(extended a, extended b)
{
    return extended_of(mul_high(a.size, b.size), a.exponent + b.exponent + 64);
}

/* Returns a + b, or a - b, for a >= b. */
ALWAYS_INLINE extended extended_sum(extended a, extended b, bool minus)
{
    int unit = a.exponent + 1;
    uint64_t size = a.size >> 1, other = in_units(b, unit);
    return extended_of(minus ? size - other : size + other, unit);
}

/* Returns 2^126 / size, for a size whose top bit is set, within 2^-61: two steps of Newton's
 * method from a quotient of 32 bits. */
ALWAYS_INLINE uint64_t inverse_of_size(uint64_t size)
{
    uint64_t inverse = ((first_bit - 1) / (size >> 32)) << 31;
    for (int k = 0; k < 2; ++k) {
        uint64_t two_less_product = first_bit - mul_high(size, inverse);
        inverse = mul_high(inverse << 1, two_less_product << 1);
    }
    return inverse;
}

ALWAYS_INLINE extended extended_quotient(extended a, extended b)
{
    uint64_t quotient = mul_high(a.size, inverse_of_size(b.size));
    return extended_of(quotient, a.exponent - b.exponent - 62);
}

enum { ODD_TERMS = 12, EXP2_TERMS = 18 };

/* 1 / (2 k + 1) from k = 1 on, in units of 2^-64. */
static const uint64_t inverse_odd[] = {
    0x5555555555555555, 0x3333333333333333, 0x2492492492492492, 0x1c71c71c71c71c71,
    0x1745d1745d1745d1, 0x13b13b13b13b13b1, 0x1111111111111111, 0x0f0f0f0f0f0f0f0f,
    0x0d79435e50d79435, 0x0c30c30c30c30c30, 0x0b21642c8590b216, 0x0a3d70a3d70a3d70};

/* log(2)^k / k! from k = 1 on, in units of 2^-64. */
static const uint64_t exp2_terms[] = {
    0xb17217f7d1cf79ab, 0x3d7f7bff058b1d50, 0x0e35846b82505fc5, 0x0276556df749cee5,
    0x005761ff9e299cc4, 0x000a184897c363c3, 0x0000ffe5fe2c4586, 0x0000162c0223a5c8,
    0x000001b5253d395e, 0x0000001e4cf5158b, 0x00000001e8cac735, 0x000000001c3bd650,
    0x0000000001816193, 0x0000000000131496, 0x000000000000e1b7, 0x00000000000009c7,
    0x0000000000000066, 0x0000000000000003};

/* Returns s + s^3 / 3 + s^5 / 5 + ..., atanh(s); if alternating, s - s^3 / 3 + ..., atan(s).
 * For s < 0.172, where the next term is below 2^-66 s. */
ALWAYS_INLINE extended odd_series(extended s, bool alternating)
{
    uint64_t square = in_units(extended_product(s, s), -64), tail = inverse_odd[ODD_TERMS - 1];
    for (int k = ODD_TERMS - 2; k >= 0; --k) {
        uint64_t rest = mul_high(tail, square);
        tail = inverse_odd[k] + (alternating ? 0 - rest : rest);
    }
    uint64_t growth = mul_high(tail, square) >> 1;
    return extended_product(s,
                            extended_of(first_bit + (alternating ? 0 - growth : growth), -63));
}

/* Returns log2(x), x > 0: its magnitude, and whether it is negative. It is 0 for 1 only, and
 * its relative error near 1 is as small as elsewhere: x = 2^octaves m, m from 0.707 to 1.414,
 * and the logarithm of m is 2 / log(2) atanh(s), s = (m - 1) / (m + 1). */
ALWAYS_INLINE extended extended_log2(extended x, bool *minus)
{
    const uint64_t root_of_2 = 0xb504f333f9de6484;
    bool below = x.size > root_of_2; /* m < 1 */
    int octaves = x.exponent + 63 + (below ? 1 : 0);
    extended rest = extended_of(below ? 0 - x.size : x.size - first_bit, -63);
    extended sum = {(x.size >> 1) + (below ? first_bit : first_bit >> 1), -62};
    extended slope = {0xb8aa3b295c17f0bb, -62};
    extended log = extended_product(odd_series(extended_quotient(rest, sum), false), slope);
    *minus = octaves == 0 ? below : octaves < 0;
    if (octaves == 0)
        return log;
    extended whole = extended_of((uint64_t)(octaves < 0 ? -octaves : octaves), 0);
    return extended_sum(whole, log, *minus != below);
}

/* Returns 2^t, or 2^-t, for 0 <= t < 64: for the fraction by the series of e^x. */
ALWAYS_INLINE extended extended_exp2(extended t, bool minus)
{
    int whole = (int)in_units(t, 0), shift = t.exponent + 64;
    uint64_t fraction = shift >= 0 ? t.size << shift : in_units(t, -64);
    if (minus) {
        whole = fraction == 0 ? -whole : -whole - 1;
        fraction = 0 - fraction;
    }
    uint64_t growth = exp2_terms[EXP2_TERMS - 1];
    for (int k = EXP2_TERMS - 2; k >= 0; --k)
        growth = exp2_terms[k] + mul_high(growth, fraction);
    return (extended){first_bit + (mul_high(growth, fraction) >> 1), whole - 63};
}

/* Returns a half, given as a float, in units of 2^-24. */
ALWAYS_INLINE int64_t half_in_units(vf x)
{
    return (int64_t)vf_mul(x, 0x1p24f);
}

#endif
