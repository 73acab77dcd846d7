/* Fused multiply-add as in the C library, rounded once. x86-64 MinGW's fma rounds some results
 * twice, and musl's gives x * y + 0 a zero with the wrong sign if x * y is too small for a
 * double: this header replaces both. On 64-bit Arm each is one instruction. */
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

/* Rounds in the mode in force and raises the exceptions. The product is exact in double. sum -
 * larger is exact, too, in every mode (|larger| >= |smaller|), so the sign of what the sum
 * lacks is right, and it is 0 only if the sum is exact. The sum rounded to odd has 29 bits to
 * spare. */
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

/* Rounds in the mode in force. Processors made before 2013 have no instruction for it. */
static inline double halfcl_fma(double x, double y, double z)
{
    return __builtin_cpu_supports("fma") ? halfcl_fma_instruction(x, y, z)
                                         : halfcl_fma_by_integers(x, y, z);
}

/* Returns the upper 26 bits of a number below 2^996. */
static inline double halfcl_upper(double a)
{
    double shifted = a * 0x8000001p0;
    return shifted - (shifted - a);
}

/* Returns a * b - product, where product is a * b rounded to nearest, which is the mode in
 * force. */
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
