/* Halves rounded by definition: search among all halves, by exact comparison. Shares
 * nothing with the engine. */
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

/* An exact number, known by how it compares with doubles of 12 bits: 1, 0 or -1. */
typedef int comparison(const double *x, double with);

static int sign_of_double(double x)
{
    return (x > 0) - (x < 0);
}

static double half_value(unsigned half)
{
    unsigned exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    double size = exponent == 0x1f ? (fraction ? NAN : INFINITY)
                  : exponent       ? (double)(1024 + fraction) * ((uint64_t)1 << exponent) * 0x1p-25
                                   : fraction * 0x1p-24;
    return half & 0x8000 ? -size : size;
}

/* The same, with 2^16 in place of infinity. */
static double rung(unsigned half)
{
    return half == 0x7c00 ? 65536 : half_value(half);
}

/* The exact number is not zero. */
static rounded round_exact(comparison *compare, const double *x, halfcl_rounding mode)
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

static bool is_nan_half(unsigned half)
{
    return (half & 0x7fff) > 0x7c00;
}

static bool is_signalling(unsigned half)
{
    return is_nan_half(half) && !(half & 0x0200);
}

static bool same_half(unsigned a, unsigned b)
{
    return a == b || (is_nan_half(a) && is_nan_half(b) && !is_signalling(a));
}

static int compare_value(const double *x, double with)
{
    return (x[0] > with) - (x[0] < with);
}

/* A double that is exact, as a half. */
static rounded round_value(double x, halfcl_rounding mode)
{
    if (isnan(x))
        return (rounded){0x7e00, 0};
    if (isinf(x))
        return (rounded){x < 0 ? 0xfc00 : 0x7c00, 0};
    if (x == 0)
        return (rounded){signbit(x) ? 0x8000 : 0, 0};
    return round_exact(compare_value, &x, mode);
}

/* Comparisons of exact results with a double of 12 bits. */

static int compare_quotient(const double *x, double with)
{
    return sign_of_double(x[1]) * sign_of_double(x[0] - with * x[1]);
}

static int compare_root(const double *x, double with)
{
    return with < 0 ? 1 : sign_of_double(x[0] - with * with);
}

static int compare_fma(const double *x, double with)
{
    double product = x[0] * x[1], rest = with - x[2];
    return (product > rest) - (product < rest);
}

/* The sign of an exact zero that is a sum. */
static double zero_sum_of(double a, double b, halfcl_rounding mode)
{
    bool negative = signbit(a) == signbit(b) ? signbit(a) : mode == HALFCL_RTN;
    return negative ? -0.0 : 0.0;
}

static rounded reference_sum(double a, double b, halfcl_rounding mode)
{
    double sum = a + b; /* exact */
    return round_value(sum == 0 ? zero_sum_of(a, b, mode) : sum, mode);
}

static rounded reference_add(const double *x, halfcl_rounding mode)
{
    return reference_sum(x[0], x[1], mode);
}

static rounded reference_subtract(const double *x, halfcl_rounding mode)
{
    return reference_sum(x[0], -x[1], mode);
}

static rounded reference_multiply(const double *x, halfcl_rounding mode)
{
    return round_value(x[0] * x[1], mode);
}

static rounded reference_square(const double *x, halfcl_rounding mode)
{
    return round_value(x[0] * x[0], mode);
}

static rounded reference_divide(const double *x, halfcl_rounding mode)
{
    double near = x[0] / x[1];
    if (!isfinite(near) || near == 0) {
        rounded result = round_value(near, mode);
        result.flags |= isfinite(x[0]) && x[0] != 0 && x[1] == 0 ? HALFCL_DIVBYZERO : 0;
        return result;
    }
    return round_exact(compare_quotient, x, mode);
}

static rounded reference_reciprocal(const double *x, halfcl_rounding mode)
{
    const double pair[2] = {1, x[0]};
    return reference_divide(pair, mode);
}

static rounded reference_sqrt(const double *x, halfcl_rounding mode)
{
    if (!(x[0] > 0) || isinf(x[0]))
        return round_value(sqrt(x[0]), mode);
    return round_exact(compare_root, x, mode);
}

static rounded reference_fma(const double *x, halfcl_rounding mode)
{
    double product = x[0] * x[1], near = product + x[2];
    if (!isfinite(near))
        return round_value(near, mode);
    if (product == -x[2])
        return round_value(zero_sum_of(product, x[2], mode), mode);
    return round_exact(compare_fma, x, mode);
}

static rounded reference_fmod(const double *x, halfcl_rounding mode)
{
    return round_value(fmod(x[0], x[1]), mode);
}

static rounded reference_remainder(const double *x, halfcl_rounding mode)
{
    double rest = fmod(x[0], x[1]);
    if (rest == 0)
        rest = copysign(0, x[1]);
    else if ((rest < 0) != (x[1] < 0))
        rest += x[1];
    return round_value(rest, mode);
}

static rounded reference_floor_divide(const double *x, halfcl_rounding mode)
{
    if (x[1] == 0)
        return reference_divide(x, mode);
    double rest = fmod(x[0], x[1]);
    double quotient = isinf(x[1]) ? copysign(0, x[0] / x[1]) : (x[0] - rest) / x[1];
    if (rest != 0 && (rest < 0) != (x[1] < 0))
        quotient -= 1;
    return round_value(isnan(rest) ? NAN : quotient == 0 ? copysign(0, x[0] / x[1]) : quotient,
                       mode);
}

static rounded reference_rint(const double *x, halfcl_rounding mode)
{
    return round_value(rint(x[0]), mode);
}

static rounded reference_ceil(const double *x, halfcl_rounding mode)
{
    return round_value(ceil(x[0]), mode);
}

static rounded reference_floor(const double *x, halfcl_rounding mode)
{
    return round_value(floor(x[0]), mode);
}

static rounded reference_trunc(const double *x, halfcl_rounding mode)
{
    return round_value(trunc(x[0]), mode);
}

static rounded reference_round(const double *x, halfcl_rounding mode)
{
    return round_value(round(x[0]), mode);
}

#endif
