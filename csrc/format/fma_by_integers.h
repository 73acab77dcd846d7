/* Fused multiply-add of doubles in integers, for processors without an instruction for it if
 * the C library's fma is wrong (format/fma.h). */
#ifndef HALFCL_FMA_BY_INTEGERS_H
#define HALFCL_FMA_BY_INTEGERS_H

#include <math.h>

#include "format/half.h"

typedef __int128 halfcl_wide;
typedef unsigned __int128 halfcl_unsigned_wide;

/* Returns the integer, of 53 bits besides the sign, that times 2^exponent is x, a finite number
 * other than 0. */
static inline int64_t halfcl_integer_of(double x, int *exponent)
{
    const uint64_t one = (uint64_t)1 << 52;
    uint64_t bits = bits_of_double(x), size = bits & (one - 1);
    int biased = (int)(bits >> 52 & 0x7ff), shift = 0;
    if (biased == 0)
        shift = __builtin_clzll(size) - 11;
    else
        size |= one;
    *exponent = (biased ? biased : 1) - 1075 - shift;
    size <<= shift;
    return signbit(x) ? -(int64_t)size : (int64_t)size;
}

/* Returns x / 2^count, |x| < 2^126, rounded to odd. */
static inline halfcl_wide halfcl_shifted_to_odd(halfcl_wide x, int count)
{
    count = count < 126 ? count : 126;
    halfcl_wide kept = x >> count; /* rounded down */
    return kept | ((halfcl_unsigned_wide)kept << count != (halfcl_unsigned_wide)x);
}

/* Returns the exponent of a number's leading bit. */
static inline int halfcl_exponent_of(halfcl_wide x)
{
    halfcl_unsigned_wide size = (halfcl_unsigned_wide)(x < 0 ? -x : x);
    uint64_t high = (uint64_t)(size >> 64), low = (uint64_t)size;
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

/* Returns x 2^exponent, x not 0, rounded in the mode in force. In quarters of the result's last
 * place it has 55 bits, which the conversion from integer rounds. A subnormal's quarters have
 * fewer bits, and the last product rounds them. The conversion may round 54 bits before that
 * product, which does no harm: to nearest, an odd number rounds to the multiple of 4 beside it,
 * on the even side of a tie, and in the other modes it rounds in the same direction as the
 * product. */
static inline double halfcl_rounded(halfcl_wide x, int exponent)
{
    int first = halfcl_exponent_of(x) + exponent, last = first < -1022 ? -1074 : first - 52;
    int cut = last - 2 - exponent;
    int64_t quarters =
        (int64_t)(cut > 0 ? halfcl_shifted_to_odd(x, cut) : x * ((halfcl_wide)1 << -cut));
    uint64_t power = last < -1022  ? (uint64_t)1 << (last + 1074)
                     : last < 1023 ? (uint64_t)(last + 1023) << 52
                                   : (uint64_t)2046 << 52; /* large enough to overflow */
    return (double)quarters / 4 * double_of_bits(power);
}

/* Rounds in the mode in force; the exceptions raised are meaningless. It shifts the leading
 * bits of the product and of z to where no bit of either is lost unless it lies far below the
 * last place of the sum. */
static inline double halfcl_fma_by_integers(double x, double y, double z)
{
    enum {
        PRODUCT_SHIFT = 20,
        SUMMAND_SHIFT = 72
    }; /* so that the results are at least 2^124 */
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
        return x * y + z;
    if (!isfinite(z))
        return z + z;
    if (z == 0)
        return x * y;
    int of_x, of_y, of_z;
    halfcl_wide a = (halfcl_wide)halfcl_integer_of(x, &of_x) * halfcl_integer_of(y, &of_y);
    halfcl_wide b = halfcl_integer_of(z, &of_z);
    a *= (halfcl_wide)1 << PRODUCT_SHIFT;
    b *= (halfcl_wide)1 << SUMMAND_SHIFT;
    int of_a = of_x + of_y - PRODUCT_SHIFT, of_b = of_z - SUMMAND_SHIFT;
    halfcl_wide sum = of_a > of_b ? a + halfcl_shifted_to_odd(b, of_a - of_b)
                                  : halfcl_shifted_to_odd(a, of_b - of_a) + b;
    if (sum == 0)
        return z - z; /* a zero with the sign for the mode */
    return halfcl_rounded(sum, of_a > of_b ? of_a : of_b);
}

#endif
