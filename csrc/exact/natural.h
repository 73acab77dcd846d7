/* Natural numbers below 2^256, for sums of squares before they are rounded.
 *
 * The engine's long integers share these conventions: limbs, the lowest first; type_of converts
 * to one; nouns (type_sum, type_product) return a new one, verbs (type_add, type_multiply)
 * change their first argument. */
#ifndef HALFCL_EXACT_NATURAL_H
#define HALFCL_EXACT_NATURAL_H

#include <stdbool.h>
#include <stdint.h>

enum { NATURAL_LIMBS = 8, NATURAL_BITS = 32 * NATURAL_LIMBS };

/* The sum of limb[k] * 2^(32 k). Overflow is dropped: callers make sure that there is none. */
typedef struct {
    uint32_t limb[NATURAL_LIMBS];
} natural;

natural natural_of(uint64_t x);
bool natural_is_zero(const natural *x);
int natural_bits(const natural *x); /* 0 for 0 */
int natural_compare(const natural *a, const natural *b);
natural natural_product(const natural *a, const natural *b);
natural natural_difference(const natural *a, const natural *b); /* a >= b */
natural natural_shifted(const natural *x, int left);

/* Returns x / divisor, truncated, for 0 < divisor < 2^63; sets *rest if the remainder is not
 * 0. */
natural natural_quotient(const natural *x, uint64_t divisor, bool *rest);

/* Returns the square root of x < 2^120, truncated; sets *rest if it is not exact. */
uint64_t natural_root(const natural *x, bool *rest);

/* x = significand * 2^exponent, the significand rounded to odd: at most 64 bits, truncated with
 * a sticky bit. */
uint64_t natural_significand(const natural *x, int *exponent);

/* Returns x with a relative error within 2^-50. */
double natural_near(const natural *x);

#endif
