/* The format, for the oracle: halves as doubles, and doubles as halves. Of the engine only
 * halfcl.h is used, for the names of modes and exceptions. */
#ifndef HALVES_H
#define HALVES_H

#include <stdbool.h>
#include <stdint.h>

#include "halfcl.h"

enum { HALVES = 1 << 16, MODES = 4 };
enum { SIGN = 0x8000, MAGNITUDE = 0x7fff, LARGEST = 0x7bff, INF = 0x7c00 };
enum { NAN_BITS = 0x7e00, QUIET = 0x0200 };

extern double values[HALVES]; /* every half, by its bits */
void init_values(void);

static inline bool is_nan(unsigned bits)
{
    return (bits & MAGNITUDE) > INF;
}

static inline bool is_signalling(unsigned bits)
{
    return is_nan(bits) && !(bits & QUIET);
}

/* A number that is not a double as a double: cut off, and with the last bit set, it is
 * between the same halves and midpoints as before, and not one of them. */
double to_odd(double truncated);

/* One result in the four modes, by halfcl_rounding. */
typedef struct {
    uint16_t bits[MODES];
    uint8_t flags[MODES];
} rounded;

/* The exact number, or one rounded to odd, in each mode, with overflow (beyond the
 * largest half after rounding as if there were no limit) and underflow (tiny before
 * rounding, and inexact). */
void round_to_half(double exact, rounded *out);

#endif
