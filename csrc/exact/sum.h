/* An exact sum, as a fixed-point number of 160 bits. */
#ifndef HALFCL_EXACT_SUM_H
#define HALFCL_EXACT_SUM_H

#include "format/half.h"
#include "halfcl.h"

enum { EXACT_LIMBS = HALFCL_LIMBS };

/* The sum of limb[k] * 2^(32 k + unit), for a unit that the caller knows. All limbs but the
 * last stay in [0, 2^32). Infinities and NaNs are recorded separately. The initial value is all
 * zero. */
typedef halfcl_exact_sum exact_sum;

/* Flags for what the state of a fold contains besides the sum of integers. */
enum {
    SEEN_ANY = 1,
    SEEN_PLUS = HALFCL_FROM_ZERO, /* terms other than -0; terms other than +0 */
    SEEN_MINUS = 4,
    SEEN_PLUS_INFINITY = 8,
    SEEN_MINUS_INFINITY = 16,
    SEEN_NAN = 32,
    SEEN_INVALID = 64, /* a signalling NaN, or 0 times an infinity */
    SEEN_ZERO = 128,   /* of a product */
    SEEN_SPECIAL = SEEN_PLUS_INFINITY | SEEN_MINUS_INFINITY | SEEN_NAN,
};

/* Returns the sign of a sum that is zero. */
static inline bool zero_is_negative(unsigned seen, halfcl_rounding mode)
{
    return seen & SEEN_PLUS && seen & SEEN_MINUS ? mode == HALFCL_RTN : seen & SEEN_MINUS;
}

/* Returns the sum of infinities and NaNs: NaN if there is any, or infinities of both signs. */
ALWAYS_INLINE uint16_t exact_sum_special(unsigned seen, unsigned *flags)
{
    const unsigned both = SEEN_PLUS_INFINITY | SEEN_MINUS_INFINITY;
    if (seen & SEEN_INVALID || (seen & SEEN_SPECIAL) == both)
        *flags |= HALFCL_INVALID;
    if (seen & SEEN_NAN || (seen & both) == both)
        return HALF_NAN;
    return seen & SEEN_MINUS_INFINITY ? HALF_INF | HALF_SIGN : HALF_INF;
}

#define LIMB_MASK ((int64_t)0xffffffff)

/* floor(x / 2^32), without shifting a negative number. */
ALWAYS_INLINE int64_t carry_of_limb(int64_t x)
{
    const int64_t sign = (int64_t)1 << 31;
    return ((int64_t)((uint64_t)x >> 32) ^ sign) - sign;
}

/* Adds integer * 2^(32 limb + unit). It has no branches, since signs of sums are random. */
ALWAYS_INLINE void exact_sum_add(exact_sum *sum, int limb, int64_t integer)
{
    for (; limb + 1 < EXACT_LIMBS; ++limb) {
        int64_t total = sum->limb[limb] + (integer & LIMB_MASK);
        sum->limb[limb] = total & LIMB_MASK;
        integer = carry_of_limb(integer) + (total >> 32);
    }
    sum->limb[limb] += integer;
}

ALWAYS_INLINE bool exact_sum_is_zero(const exact_sum *sum)
{
    int64_t any = 0;
    for (int k = 0; k < EXACT_LIMBS; ++k)
        any |= sum->limb[k];
    return any == 0;
}

/* Converts the sum in its units to a double, rounded to odd, with at least 21 bits if it is not
 * exact; returns false if it is 2^84 or more, as few sums are. */
ALWAYS_INLINE bool exact_sum_to_odd(const exact_sum *sum, double *result)
{
    const int64_t *limb = sum->limb, most = (int64_t)1 << 52, few_bits = (int64_t)1 << 20;
    const int64_t high = (int64_t)((uint64_t)limb[2] << 32 | (uint64_t)limb[1]);
    const int64_t sign = -(int64_t)(high < 0);
    if (-few_bits <= high && high < few_bits)
        *result = (double)(high * (LIMB_MASK + 1) + limb[0]);
    else
        *result = (double)(high | (limb[0] != 0)) * 0x1p32;
    return -most < high && high < most && limb[3] == (sign & LIMB_MASK) && limb[4] == sign;
}

/* Carries limbs of any size and sign into their ranges. */
void exact_sum_carry(exact_sum *sum);

/* Replaces a sum by its magnitude; returns whether it was negative. */
bool exact_sum_magnitude(exact_sum *sum);

/* Returns the significand of a magnitude rounded to odd, of at least 33 bits if it is not
 * exact, and the exponent of its last place relative to the unit. */
uint64_t exact_sum_significand(const exact_sum *magnitude, int *exponent);

/* Rounds the sum to half, once. A sum of zero gives +0. */
uint16_t exact_sum_round(const exact_sum *sum, int unit, halfcl_rounding mode, unsigned *flags);

#endif
