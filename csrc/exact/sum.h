/* A sum kept exactly, as a fixed-point number of 160 bits. */
#ifndef HALFCL_EXACT_SUM_H
#define HALFCL_EXACT_SUM_H

#include "format/half.h"
#include "halfcl.h"

enum { EXACT_LIMBS = HALFCL_LIMBS };

/* The sum of limb[k] * 2^(32 k + unit), for the unit that the adder knows. All limbs but
 * the last stay in [0, 2^32). Infinities and NaNs are noted apart. All zero to start with. */
typedef halfcl_exact_sum exact_sum;

/* What a fold has seen, in its state: what the sum of integers does not tell. */
enum {
    SEEN_ANY = 1,
    SEEN_PLUS = HALFCL_FROM_ZERO, /* terms other than -0, other than +0 */
    SEEN_MINUS = 4,
    SEEN_PLUS_INFINITY = 8,
    SEEN_MINUS_INFINITY = 16,
    SEEN_NAN = 32,
    SEEN_INVALID = 64, /* a signalling NaN, or 0 times an infinity */
    SEEN_ZERO = 128,   /* by a product */
    SEEN_SPECIAL = SEEN_PLUS_INFINITY | SEEN_MINUS_INFINITY | SEEN_NAN,
};

/* The sign of a sum that is zero. */
static inline bool zero_is_negative(unsigned seen, halfcl_rounding mode)
{
    return seen & SEEN_PLUS && seen & SEEN_MINUS ? mode == HALFCL_RTN : seen & SEEN_MINUS;
}

/* The sum of infinities and NaNs: NaN if there is any, or infinities of both signs. */
uint16_t exact_special(unsigned seen, unsigned *flags);

/* Adds integer * 2^(32 limb + unit). */
void exact_add(exact_sum *sum, int limb, int64_t integer);

/* Brings limbs of any size and sign into their ranges. */
void exact_carry(exact_sum *sum);

/* Makes of a sum its magnitude; whether it was negative. */
bool exact_magnitude(exact_sum *sum);

/* The significand of a magnitude rounded to odd, of 33 bits at least if any were cut off, and
 * the exponent of its last place above the unit's. */
uint64_t exact_significand(const exact_sum *magnitude, int *exponent);

bool exact_is_zero(const exact_sum *sum);

/* Rounds the sum to half, once. Zero comes out positive. */
uint16_t exact_round(const exact_sum *sum, int unit, halfcl_rounding mode, unsigned *flags);

#endif
