/* Unsigned numbers in the order of halves: what sorting and searching compare. */
#ifndef HALFCL_KEY_H
#define HALFCL_KEY_H

#include <stddef.h>

#include "format/half.h"

enum { KEYS = 1 << 16, NAN_KEY = 0xFFFF, LAST_NAN = 0x7FFF };

/* Zeros have one key, NaNs another. Without a branch: signs are random. In 16 bits, of which
 * compilers put the most into a vector. */
static inline uint16_t key_of(uint16_t half)
{
    uint16_t magnitude = half & HALF_MAGNITUDE, sign = (uint16_t)-(half >> 15);
    uint16_t nan = (uint16_t)-(magnitude > HALF_INF);
    return (uint16_t)(HALF_SIGN + ((magnitude ^ sign) - sign)) | nan;
}

/* One half of those that are equal: +0 of zeros, the last one of NaNs. */
static inline uint16_t one_of_equals(uint16_t half)
{
    uint16_t magnitude = half & HALF_MAGNITUDE;
    uint16_t nan = (uint16_t)-(magnitude > HALF_INF), some = (uint16_t)-(magnitude != 0);
    return ((half & some) | nan) & (uint16_t)(~nan | LAST_NAN);
}

/* Makes numbers of halves, by their bits, those of one_of_equals. */
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

/* Makes numbers of halves, by their bits, those of all that are before each or, so asked, at or
 * before it: of these alone that are one_of_equals. */
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
