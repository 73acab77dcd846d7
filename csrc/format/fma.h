/* What C libraries have for products and sums that are rounded once. On x86-64 MinGW's rounds
 * some twice, and musl's gives x * y + 0 a zero of the wrong sign where x * y is too small for
 * a double: they are replaced. On 64-bit Arm each is an instruction. */
#ifndef HALFCL_FORMAT_FMA_H
#define HALFCL_FORMAT_FMA_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__linux__) && !defined(__GLIBC__)
#define HALFCL_HAS_MUSL
#endif

#if defined(__x86_64__) && (defined(__MINGW32__) || defined(HALFCL_HAS_MUSL))

#include "format/fma_by_integers.h"

/* In the rounding mode in force, with the exceptions. The product is exact in double. So is
 * sum - larger in every mode (|larger| >= |smaller|), by which the sign of what the sum lacks
 * is right, and it is 0 only if the sum is exact. The sum rounded to odd has 29 bits to spare.
 */
static inline float halfcl_fmaf(float x, float y, float z)
{
    double product = (double)x * y, sum = product + z;
    if (!isfinite(sum) || product == 0 || z == 0 || sum == 0)
        return (float)sum;
    double larger = fabs(product) >= fabs(z) ? product : z;
    double smaller = fabs(product) >= fabs(z) ? z : product;
    double lacking = smaller - (sum - larger);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (lacking != 0 && bits % 2 == 0)
        bits += (lacking > 0) == (sum > 0) ? 1 : -(uint64_t)1;
    memcpy(&sum, &bits, sizeof sum);
    return (float)sum;
}

__attribute__((target("fma"))) static double halfcl_fma_instruction(double x, double y,
                                                                    double z)
{
    return __builtin_fma(x, y, z);
}

/* In the rounding mode in force. Processors older than 2013 have no instruction. */
static inline double halfcl_fma(double x, double y, double z)
{
    return __builtin_cpu_supports("fma") ? halfcl_fma_instruction(x, y, z)
                                         : halfcl_fma_by_integers(x, y, z);
}

/* The upper 26 bits of a number below 2^996. */
static inline double halfcl_upper(double a)
{
    double shifted = a * 0x8000001p0;
    return shifted - (shifted - a);
}

/* a * b - product, where product is a * b rounded to nearest, the mode in force. */
static inline double halfcl_product_rest(double a, double b, double product)
{
    double p = halfcl_upper(a), q = a - p, r = halfcl_upper(b), s = b - r;
    return ((p * r - product) + p * s + q * r) + q * s;
}

#else

#define halfcl_fmaf fmaf
#define halfcl_fma fma

static inline double halfcl_product_rest(double a, double b, double product)
{
    return fma(a, b, -product);
}

#endif

#endif
