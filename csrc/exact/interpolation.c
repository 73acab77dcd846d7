#include "exact/interpolation.h"

#include <math.h>

#include "exact/wide.h"

/* Returns a + b, where a zero has the sign for the mode. */
static double sum_in_mode(double a, double b, halfcl_rounding mode)
{
    double sum = a + b;
    if (sum != 0)
        return sum;
    bool both = signbit(a) && signbit(b), either = signbit(a) || signbit(b);
    return (mode == HALFCL_RTN ? either : both) ? -0.0 : 0.0;
}

/* The difference is exact in double, with up to 41 bits, and so is the product, with up to 52.
 * Their sum with x may need 81, so it is rounded to odd: in units of 2^-34, far below half's
 * last place, as an integer of 53 bits. Products are clamped at 2^18, since the sum overflows
 * half anyway. */
float halfcl_mix(float x, float y, float a, halfcl_rounding mode)
{
    const double units = 0x1p34, limit = 0x1p18;
    double product = sum_in_mode(y, -(double)x, mode) * (double)a;
    double sum = sum_in_mode(x, product, mode);
    if (!isfinite(sum) || sum == 0)
        return (float)sum;
    product = product > limit ? limit : product < -limit ? -limit : product;
    double scaled = product * units;
    int64_t whole = (int64_t)scaled;
    bool inexact = (double)whole != scaled;
    whole -= (double)whole > scaled; /* the floor */
    whole = (whole | inexact) + (int64_t)((double)x * units);
    return round_to_odd((double)whole / units);
}

/* Returns the sign of t t (3 - 2 t) - k 2^-25 with t = n / d: that of n n (3 d - 2 n) 2^25 - k
 * d d d, both of up to 151 bits. */
static int compare_smoothstep_to_multiple(uint64_t n, uint64_t d, uint64_t k)
{
    wide numerator = wide_product(wide_product(wide_of(n), n), 3 * d - 2 * n);
    wide cube = wide_product(wide_product(wide_of(d), d), d);
    return wide_compare(wide_shifted(numerator, 25), wide_product(cube, k));
}

/* Halves and their midpoints are multiples of 2^-25, so it is enough to know on which side of
 * the nearest multiple k 2^-25 the result is. The double is within 2^-48 of it: that decides,
 * unless it is very close to the multiple. */
static float step_between(double n, double d)
{
    const double units = 0x1p25, least_half = 0x1p-24;
    double t = n / d, scaled = t * t * (3 - 2 * t) * units, k = rint(scaled);
    if (fabs(scaled - k) < 0x1p-20) {
        int side = compare_smoothstep_to_multiple((uint64_t)(n / least_half),
                                                  (uint64_t)(d / least_half), (uint64_t)k);
        scaled = k + side * 0.25;
    }
    return round_to_odd(scaled / units);
}

/* Differences of halves are exact in double. */
float halfcl_smoothstep(uint16_t edge0, uint16_t edge1, uint16_t x, unsigned *flags)
{
    bool any_nan = half_is_nan(edge0) || half_is_nan(edge1) || half_is_nan(x);
    bool any_signalling =
        half_is_signalling(edge0) || half_is_signalling(edge1) || half_is_signalling(x);
    if (any_nan) {
        *flags |= any_signalling ? HALFCL_INVALID : 0;
        return NAN;
    }
    double start = halfcl_to_float(edge0);
    double n = halfcl_to_float(x) - start, d = halfcl_to_float(edge1) - start;
    if (isnan(n) || isnan(d) || (n == 0 && d == 0) || (isinf(n) && isinf(d))) {
        *flags |= HALFCL_INVALID;
        return NAN;
    }
    if (n == 0 || isinf(d) || (n < 0) != (d < 0))
        return 0;
    return fabs(n) >= fabs(d) ? 1 : step_between(fabs(n), fabs(d));
}
