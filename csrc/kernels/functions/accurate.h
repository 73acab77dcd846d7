/* Functions in double, for the accurate phase. */
#ifndef HALFCL_KERNELS_FUNCTIONS_ACCURATE_H
#define HALFCL_KERNELS_FUNCTIONS_ACCURATE_H

#include <math.h>

#include "format/half.h"

/* log2(x) for normal x > 0, within 2^-48: x = 2^exponent * m, and 2 atanh((m - 1) / (m + 1)) by
 * its series. Near 1 this holds relatively. */
ALWAYS_INLINE double log2_in_double(double x)
{
    static const double scale = 2.8853900817779268147, root_half = 0.70710678118654752440;
    uint64_t bits = bits_of_double(x);
    int64_t exponent = (int64_t)(bits - bits_of_double(root_half)) >> 52;
    double m = double_of_bits(bits - ((uint64_t)exponent << 52));
    double s = (m - 1) / (m + 1), z = s * s, zz = z * z, zzzz = zz * zz;
    double low = (1.0 / 3 + z * (1.0 / 5)) + zz * (1.0 / 7 + z * (1.0 / 9));
    double high = (1.0 / 11 + z * (1.0 / 13)) + zz * (1.0 / 15 + z * (1.0 / 17));
    return (double)exponent + scale * (s + s * (z * (low + zzzz * high)));
}

/* 2^t for |t| <= 100, within 2^-46: a power of two and e^f by its series. */
ALWAYS_INLINE double exp2_in_double(double t)
{
    static const double log_2 = 0.69314718055994530942;
    double k = rint(t), f = (t - k) * log_2, ff = f * f, ffff = ff * ff;
    double low = (1.0 / 2 + f * (1.0 / 6)) + ff * (1.0 / 24 + f * (1.0 / 120));
    double high = (1.0 / 720 + f * (1.0 / 5040)) + ff * (1.0 / 40320 + f * (1.0 / 362880));
    double top = 1.0 / 3628800 + f * (1.0 / 39916800);
    double growth = f + ff * (low + ffff * (high + ffff * top));
    return (1 + growth) * double_of_bits((uint64_t)(1023 + (int64_t)k) << 52);
}

/* The square root of x >= 0, on the right side of every shorter number: as rounded to nearest,
 * unless that is such a number and not exact. */
ALWAYS_INLINE double sqrt_in_double(double x)
{
    const uint64_t last = ((uint64_t)1 << 27) - 1;
    double root = sqrt(x);
    bool exact = root * root == x, is_short = (bits_of_double(root) & last) == 0;
    if (!is_short || exact)
        return root;
    return double_of_bits(bits_of_double(root) + (root * root < x ? 1 : -(uint64_t)1));
}

#endif
