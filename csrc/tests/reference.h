/* Halves rounded by definition: by searching all halves, with exact comparison. It shares no
 * code with the engine. */
#ifndef HALFCL_TEST_REFERENCE_H
#define HALFCL_TEST_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "halfcl.h"

typedef struct {
    uint16_t half;
    unsigned flags;
} rounded;

/* An exact number, known by its comparison with doubles of 12 bits: 1, 0 or -1. */
typedef int comparison(const double *x, double bound);

static inline int sign_of_double(double x)
{
    return (x > 0) - (x < 0);
}

static inline double half_value(unsigned half)
{
    unsigned exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    double size = exponent == 0x1f ? (fraction ? NAN : INFINITY)
                  : exponent ? (double)(1024 + fraction) * ((uint64_t)1 << exponent) * 0x1p-25
                             : fraction * 0x1p-24;
    return half & 0x8000 ? -size : size;
}

/* Returns the value of a half, with 2^16 in place of infinity. */
static inline double rung(unsigned half)
{
    return half == 0x7c00 ? 65536 : half_value(half);
}

/* The exact number is not zero. */
static inline rounded round_exact(comparison *compare, const double *x, halfcl_rounding mode)
{
    int sign = compare(x, 0);
    unsigned low = 0, high = 0x7c01;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (sign * compare(x, sign * rung(middle)) >= 0)
            low = middle;
        else
            high = middle;
    }
    bool exact = compare(x, sign * rung(low)) == 0;
    bool away = mode == (sign > 0 ? HALFCL_RTP : HALFCL_RTN);
    bool up = away && !exact;
    if (mode == HALFCL_RTE && low < 0x7c00) {
        int above = sign * compare(x, sign * (rung(low) + rung(low + 1)) / 2);
        up = above > 0 || (above == 0 && low % 2 == 1);
    }
    rounded result = {0, 0};
    unsigned size = low + up;
    if (size >= 0x7c00) {
        result.flags |= HALFCL_OVERFLOW;
        size = mode == HALFCL_RTE || away ? 0x7c00 : 0x7bff;
    }
    if (!exact && low < 0x0400)
        result.flags |= HALFCL_UNDERFLOW;
    result.half = (uint16_t)(size | (sign < 0 ? 0x8000 : 0));
    return result;
}

static inline bool is_nan_half(unsigned half)
{
    return (half & 0x7fff) > 0x7c00;
}

/* Compares values; NaNs are equal, and after all others. */
static inline int compare_values(uint16_t a, uint16_t b)
{
    bool nan = is_nan_half(a), other = is_nan_half(b);
    if (nan || other)
        return nan - other;
    double x = half_value(a), y = half_value(b);
    return (x > y) - (x < y);
}

static inline bool is_signalling(unsigned half)
{
    return is_nan_half(half) && !(half & 0x0200);
}

static inline bool same_half(unsigned a, unsigned b)
{
    return a == b || (is_nan_half(a) && is_nan_half(b) && !is_signalling(a));
}

static inline int compare_value(const double *x, double bound)
{
    return (x[0] > bound) - (x[0] < bound);
}

/* Rounds a double that is exact to half. */
static inline rounded round_value(double x, halfcl_rounding mode)
{
    if (isnan(x))
        return (rounded){0x7e00, 0};
    if (isinf(x))
        return (rounded){x < 0 ? 0xfc00 : 0x7c00, 0};
    if (x == 0)
        return (rounded){signbit(x) ? 0x8000 : 0, 0};
    return round_exact(compare_value, &x, mode);
}

#endif
