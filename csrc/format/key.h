/* Keys: unsigned numbers in the order of halves, which sorting and searching compare. */
#ifndef HALFCL_KEY_H
#define HALFCL_KEY_H

#include <stddef.h>

#include "format/half.h"

enum { KEYS = 1 << 16, NAN_KEY = 0xFFFF, LAST_NAN = 0x7FFF };

/* Returns the key of a half. All zeros have one key, and all NaNs another. The function has no
 * branch, since signs are random, and uses 16 bits, so that compilers put the most keys into a
 * vector. */
static inline uint16_t key_of(uint16_t half)
{
    uint16_t magnitude = half & HALF_MAGNITUDE, sign = (uint16_t)-(half >> 15);
    uint16_t nan = (uint16_t)-(magnitude > HALF_INF);
    return (uint16_t)(HALF_SIGN + ((magnitude ^ sign) - sign)) | nan;
}

/* Returns one representative of halves that are equal: +0 for zeros, the last NaN for NaNs. */
static inline uint16_t one_of_equals(uint16_t half)
{
    uint16_t magnitude = half & HALF_MAGNITUDE;
    uint16_t nan = (uint16_t)-(magnitude > HALF_INF), some = (uint16_t)-(magnitude != 0);
    return ((half & some) | nan) & (uint16_t)(~nan | LAST_NAN);
}

/* Adds the counts of equal halves, by their bits, at the half that one_of_equals returns. */
static inline void add_equals_up(size_t *counts)
{
    counts[0] += counts[HALF_SIGN];
    counts[HALF_SIGN] = 0;
    for (unsigned nan = HALF_INF + 1; nan <= LAST_NAN; nan++) {
        size_t all = counts[nan] + counts[HALF_SIGN | nan];
        counts[nan] = counts[HALF_SIGN | nan] = 0;
        counts[LAST_NAN] += all;
    }
}

/* Replaces counts of halves, by their bits, with the counts of all halves before each one or,
 * if `itself` is set, before or at it; only for halves that one_of_equals returns. */
static inline void add_up_halves(size_t *counts, bool itself)
{
    size_t before = 0;
    add_equals_up(counts);
    for (unsigned k = 0; k <= 2 * HALF_INF + 1; k++) {
        unsigned half = k < HALF_INF ? HALF_SIGN | (HALF_INF - k) : k - HALF_INF;
        size_t *count = &counts[half <= HALF_INF || half & HALF_SIGN ? half : LAST_NAN];
        size_t after = before + *count;
        *count = itself ? after : before;
        before = after;
    }
}

#endif
