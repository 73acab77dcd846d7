/* Natural numbers below 2^256, for what sums of squares come to before they are rounded.
 *
 * The engine's long integers have the words of these: limbs, the lowest first; type_of makes
 * one; nouns (type_sum, type_product) give a new one, verbs (type_add, type_multiply) change
 * their first argument. */
#ifndef HALFCL_EXACT_NATURAL_H
#define HALFCL_EXACT_NATURAL_H

#include <stdbool.h>
#include <stdint.h>

enum { NATURAL_LIMBS = 8, NATURAL_BITS = 32 * NATURAL_LIMBS };

/* The sum of limb[k] * 2^(32 k). What would not fit is cut off on top: callers see to it that
 * it is not there. */
typedef struct {
    uint32_t limb[NATURAL_LIMBS];
} natural;

natural natural_of(uint64_t x);
bool natural_is_zero(const natural *x);
int natural_bits(const natural *x); /* of 0 none */
int natural_compare(const natural *a, const natural *b);
natural natural_product(const natural *a, const natural *b);
natural natural_difference(const natural *a, const natural *b); /* a >= b */
natural natural_shifted(const natural *x, int left);

/* x / divisor, cut off, for 0 < divisor < 2^63; *rest becomes true if anything was cut off. */
natural natural_quotient(const natural *x, uint64_t divisor, bool *rest);

/* The square root of x < 2^120, cut off; the same. */
uint64_t natural_root(const natural *x, bool *rest);

/* x = significand * 2^exponent, the significand of 64 bits at most with its last bit set if
 * more is cut off: rounded to odd. */
uint64_t natural_significand(const natural *x, int *exponent);

/* Within 2^-50 of it, relatively. */
double natural_near(const natural *x);

#endif
