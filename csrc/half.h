/* The binary16 format: its bits, and conversions in integer arithmetic.
 *
 * Nothing here looks at the rounding mode of the processor. */
#ifndef HALFCL_HALF_H
#define HALFCL_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "halfcl.h"

#if defined(__GNUC__) || defined(__clang__)
#define ALWAYS_INLINE static inline __attribute__((always_inline, unused))
#else
#define ALWAYS_INLINE static inline
#endif

enum {
    HALF_SIGN = 0x8000,
    HALF_MAGNITUDE = 0x7fff,
    HALF_INF = 0x7c00,
    HALF_QUIET = 0x0200, /* the bit that makes a NaN a quiet one */
    HALF_NAN = 0x7e00,
    HALF_LARGEST = 0x7bff,
    HALF_ONE = 0x3c00,
    HALF_MIN_NORMAL = 0x0400,
};

enum {
    FLOAT_MAGNITUDE = 0x7fffffff,
    FLOAT_INF = 0x7f800000,
    FLOAT_QUIET = 0x00400000,
    FLOAT_2_16 = 0x47800000,     /* 2^16, where half has overflowed */
    FLOAT_HALF_MIN = 0x38800000, /* 2^-14, the least normal half */
    FLOAT_CUT = 13,              /* significand bits that half lacks */
};

ALWAYS_INLINE uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS_INLINE float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

ALWAYS_INLINE uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS_INLINE double double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Whether a value that lies between two neighbours goes to the one of larger
 * magnitude in a directed mode. */
ALWAYS_INLINE uint32_t rounds_away(uint32_t negative, halfcl_rounding mode)
{
    return (negative & (mode == HALFCL_RTN)) | (~negative & 1 & (mode == HALFCL_RTP));
}

/* The half nearest in the mode to (-1)^negative * significand * 2^exponent. A
 * value with more bits than fit comes in rounded to odd, in 14 bits or more. */
uint16_t half_round_pack(bool negative, uint64_t significand, int exponent,
                         halfcl_rounding mode, unsigned *flags);

/* The float of a half's bits. Exact; a signalling NaN stays one. Free of
 * branches, so that compilers can vectorise a loop over it. */
ALWAYS_INLINE uint32_t half_widen(uint32_t half)
{
    uint32_t magnitude = half & HALF_MAGNITUDE;
    /* The exponent's bias grows by 112, and once more for infinity and NaN. */
    uint32_t normal = (magnitude << FLOAT_CUT) + ((uint32_t)112 << 23);
    uint32_t special = normal + ((uint32_t)112 << 23);
    uint32_t subnormal = bits_of_float((float)(int32_t)magnitude * 0x1p-24f);
    uint32_t result = (int32_t)magnitude < HALF_MIN_NORMAL ? subnormal : normal;
    result = (int32_t)magnitude < HALF_INF ? result : special;
    return result | (half & HALF_SIGN) << 16;
}

/* The half of a float's bits, rounded in the mode. Free of branches, and every
 * floating-point operation in it is exact: no dynamic rounding mode matters. */
ALWAYS_INLINE uint32_t half_narrow(uint32_t bits, halfcl_rounding mode, uint32_t *flags)
{
    int32_t magnitude = bits & FLOAT_MAGNITUDE;
    uint32_t nearest = mode == HALFCL_RTE, away = rounds_away(bits >> 31, mode);

    /* Normal results: add just below one unit of the last place that is kept, or
     * just below or exactly half of it, and cut. A carry into the exponent is right. */
    uint32_t odd = (uint32_t)magnitude >> FLOAT_CUT & 1;
    uint32_t bump = ((0 - nearest) & (0xfff + odd)) | ((0 - away) & 0x1fff);
    int32_t cut = (int32_t)(((uint32_t)magnitude + bump) >> FLOAT_CUT);
    int32_t normal = cut - (112 << 10);
    bool overflow = cut >= FLOAT_2_16 >> FLOAT_CUT && magnitude < FLOAT_INF;
    int32_t beyond = HALF_LARGEST + (int32_t)(nearest | away);

    /* Subnormal results are integers in units of 2^-24. */
    bool tiny = magnitude < FLOAT_HALF_MIN;
    float units = float_of_bits(tiny ? magnitude : 0) * 0x1p24f;
    int32_t whole = (int32_t)units;
    float rest = units - (float)whole;
    bool up = (nearest & ((rest > 0.5f) | ((rest == 0.5f) & whole))) | (away & (rest > 0));
    int32_t subnormal = whole + up;

    bool nan = magnitude > FLOAT_INF;
    int32_t special = HALF_INF | (nan ? HALF_QUIET | (magnitude >> FLOAT_CUT & 0x3ff) : 0);

    *flags |= (overflow ? HALFCL_OVERFLOW : 0) | ((tiny & (rest > 0)) ? HALFCL_UNDERFLOW : 0) |
              ((nan & !(magnitude & FLOAT_QUIET)) ? HALFCL_INVALID : 0);
    int32_t result = tiny ? subnormal : normal;
    result = overflow ? beyond : result;
    result = magnitude < FLOAT_INF ? result : special;
    return (uint32_t)result | (bits >> 16 & HALF_SIGN);
}

#endif
