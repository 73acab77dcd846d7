/* A sum kept exactly, as a fixed-point number of 160 bits. */
#ifndef HALFCL_EXACT_SUM_H
#define HALFCL_EXACT_SUM_H

#include "half.h"

enum { EXACT_LIMBS = 5 };

/* The sum of limb[k] * 2^(32 k + unit), for the unit that the adder knows. All limbs but
 * the last stay in [0, 2^32). Infinities and NaNs are added up apart, by the rules of
 * IEEE 754. All zero to start with. */
typedef struct {
    int64_t limb[EXACT_LIMBS];
    double special;
} exact_sum;

/* Adds integer * 2^(32 limb + unit). */
void exact_add(exact_sum *sum, int limb, int64_t integer);

/* Brings limbs of any size and sign into their ranges. */
void exact_carry(exact_sum *sum);

/* Adds an infinity or NaN. */
void exact_add_special(exact_sum *sum, double value);

bool exact_is_zero(const exact_sum *sum);

/* Rounds the sum to half, once. Zero comes out positive. */
uint16_t exact_round(const exact_sum *sum, int unit, halfcl_rounding mode, unsigned *flags);

#endif
