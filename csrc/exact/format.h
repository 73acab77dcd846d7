/* Binary formats of floating-point numbers as data, and rounding to them. */
#ifndef HALFCL_EXACT_FORMAT_H
#define HALFCL_EXACT_FORMAT_H

#include "format/half.h"

typedef struct {
    int precision, least; /* the bits of a significand; the exponent of the least number */
    uint64_t infinity, quiet, sign;
} format;

/* Returns a half that is zero, infinite or a NaN in that format. */
ALWAYS_INLINE uint64_t special_in(format f, uint16_t half)
{
    uint64_t sign = half & HALF_SIGN ? f.sign : 0;
    if ((half & HALF_MAGNITUDE) == 0)
        return sign;
    return half_is_nan(half) ? f.infinity | f.quiet : sign | f.infinity;
}

/* Rounds significand * 2^exponent to the format. The significand has that many bits, and is
 * exact or rounded to odd with at least two bits more than the format's. */
ALWAYS_INLINE uint64_t round_to_format(format f, bool negative, uint64_t significand, int bits,
                                       int exponent, halfcl_rounding mode, unsigned *flags)
{
    int top = bits - 1 + exponent, unit = top - f.precision + 1;
    unit = unit > f.least ? unit : f.least;
    int cut = unit - exponent;
    uint64_t sign = negative ? f.sign : 0, rest = 0, midpoint = 0;
    if (significand == 0)
        return sign;
    uint64_t kept = cut > 63 ? 0 : cut > 0 ? significand >> cut : significand << -cut;
    if (cut > 0) {
        rest = cut > 63 ? significand : significand - (kept << cut);
        midpoint = cut > 64 ? ~(uint64_t)0 : (uint64_t)1 << (cut - 1);
    }
    bool up = mode == HALFCL_RTE
                  ? rest != 0 && (rest > midpoint || (rest == midpoint && (kept & 1)))
                  : rest != 0 && rounds_away(negative, mode);
    if (rest != 0 && top < f.least + f.precision - 1)
        *flags |= HALFCL_UNDERFLOW;
    /* The leading bit of `kept` adds one to the exponent field, and so does a carry. */
    uint64_t packed = ((uint64_t)(unit - f.least) << (f.precision - 1)) + kept + up;
    if (top > 2000 || packed >= f.infinity) {
        bool away = mode == HALFCL_RTE || rounds_away(negative, mode);
        *flags |= HALFCL_OVERFLOW;
        packed = f.infinity - !away;
    }
    return sign | packed;
}

#endif
