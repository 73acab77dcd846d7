/* The binary16 format: its bits, and conversions in integer arithmetic.
 *
 * Nothing here depends on the rounding mode of the processor. */
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
    HALF_QUIET = 0x0200, /* the bit that makes a NaN quiet */
    HALF_NAN = 0x7e00,
    HALF_LARGEST = 0x7bff,
    HALF_ONE = 0x3c00,
    HALF_ONE_HALF = 0x3800,
    HALF_MIN_NORMAL = 0x0400,
    HALF_2_15 = 0x7800,
};

enum {
    FLOAT_MAGNITUDE = 0x7fffffff,
    FLOAT_INF = 0x7f800000,
    FLOAT_QUIET = 0x00400000,
    FLOAT_2_16 = 0x47800000,     /* 2^16, where half has overflowed */
    FLOAT_HALF_MIN = 0x38800000, /* 2^-14, the least normal half */
    FLOAT_CUT = 13,              /* the number of significand bits that half lacks */
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

/* Returns the half at any address, which may be odd. */
ALWAYS_INLINE uint16_t read_half(const char *place)
{
    uint16_t half;
    memcpy(&half, place, sizeof half);
    return half;
}

/* Rounds to float, to odd. */
ALWAYS_INLINE float round_to_odd(double y)
{
    const uint64_t cut = ((uint64_t)1 << 29) - 1;
    uint64_t bits = bits_of_double(y), inexact = (bits & cut) != 0;
    return (float)double_of_bits((bits & ~cut) | inexact << 29);
}

ALWAYS_INLINE bool half_is_nan(uint16_t half)
{
    return (half & HALF_MAGNITUDE) > HALF_INF;
}

ALWAYS_INLINE bool half_is_signalling(uint16_t half)
{
    return half_is_nan(half) && !(half & HALF_QUIET);
}

/* Returns whether a directed mode rounds a value between two neighbours to the one of larger
 * magnitude. */
ALWAYS_INLINE uint32_t rounds_away(uint32_t negative, halfcl_rounding mode)
{
    return (negative & (mode == HALFCL_RTN)) | (~negative & 1 & (mode == HALFCL_RTP));
}

/* Returns (-1)^negative * significand * 2^exponent rounded to half in the mode. A value with
 * more bits than fit must be rounded to odd, with 14 bits or more. */
uint16_t half_round_pack(bool negative, uint64_t significand, int exponent,
                         halfcl_rounding mode, unsigned *flags);

#endif
