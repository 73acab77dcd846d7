/* Functions in double, for the accurate phases. */
#ifndef HALFCL_KERNELS_FUNCTIONS_ACCURATE_H
#define HALFCL_KERNELS_FUNCTIONS_ACCURATE_H

#include <math.h>

#include "simd/simd.h"

/* Quotients computed at compile time: in a function, where the rounding mode is not known, they
 * would be divided at each call. */
static const double odd_inverses[] = {1,        1.0 / 3,  1.0 / 5,  1.0 / 7, 1.0 / 9,
                                      1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17};
static const double factorial_inverses[] = {
    1,         1,          1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,
    1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800};

/* a b + c, rounded once if that is one instruction. */
ALWAYS_INLINE double muladd(double a, double b, double c)
{
    return HAVE_FMA ? __builtin_fma(a, b, c) : a * b + c;
}

/* log2(x) for normal x > 0, within 2^-48: x = 2^exponent * m, and 2 atanh((m - 1) / (m + 1)) by
 * its series. Near 1 this is a relative error. */
ALWAYS_INLINE double log2_in_double(double x)
{
    static const double scale = 2.8853900817779268147, root_half = 0.70710678118654752440;
    uint64_t bits = bits_of_double(x);
    int64_t exponent = (int64_t)(bits - bits_of_double(root_half)) >> 52;
    double m = double_of_bits(bits - ((uint64_t)exponent << 52));
    double s = (m - 1) / (m + 1), z = s * s, zz = z * z, zzzz = zz * zz;
    const double *c = odd_inverses;
    double low = muladd(zz, muladd(z, c[4], c[3]), muladd(z, c[2], c[1]));
    double high = muladd(zz, muladd(z, c[8], c[7]), muladd(z, c[6], c[5]));
    return muladd(scale, muladd(s * z, muladd(zzzz, high, low), s), (double)exponent);
}

/* 2^t for |t| <= 100, within 2^-46: a power of two and e^f by its series. */
ALWAYS_INLINE double exp2_in_double(double t)
{
    static const double log_2 = 0.69314718055994530942;
    double k = rint(t), f = (t - k) * log_2, ff = f * f, ffff = ff * ff;
    const double *c = factorial_inverses;
    double low = muladd(ff, muladd(f, c[5], c[4]), muladd(f, c[3], c[2]));
    double high = muladd(ff, muladd(f, c[9], c[8]), muladd(f, c[7], c[6]));
    double top = muladd(f, c[11], c[10]);
    double growth = muladd(ff, muladd(ffff, muladd(ffff, top, high), low), f);
    return (1 + growth) * double_of_bits((uint64_t)(1023 + (int64_t)k) << 52);
}

/* The square root of x >= 0, on the right side of every shorter number: rounded to nearest,
 * unless that is such a number and not exact. */
ALWAYS_INLINE double sqrt_in_double(double x)
{
    const uint64_t low_bits = ((uint64_t)1 << 27) - 1;
    double root = sqrt(x);
    bool exact = root * root == x, is_short = (bits_of_double(root) & low_bits) == 0;
    if (!is_short || exact)
        return root;
    return double_of_bits(bits_of_double(root) + (root * root < x ? 1 : -(uint64_t)1));
}

#endif
