/* The test whether a result in double, with an error, may round to another half than the exact
 * one. */
#ifndef HALFCL_FORMAT_ROUNDING_TEST_H
#define HALFCL_FORMAT_ROUNDING_TEST_H

#include "format/half.h"
#include "halfcl.h"

/* The bits of a double after the first 12, which are all that a half, or a midpoint of two,
 * has. Rounding decides at these numbers. */
enum { REST_OF_SHORT = 41 };

/* The error of a product of up to HALFCL_FEW halves, in units of its last place, and more. */
enum { ERROR_OF_FEW_FACTORS = 2 * HALFCL_FEW };

/* Returns whether a number of 12 bits is within so many units of a double's last place. */
ALWAYS_INLINE bool is_near_short(double x, uint64_t units)
{
    const uint64_t rest = ((uint64_t)1 << REST_OF_SHORT) - 1;
    return ((bits_of_double(x) + units) & rest) <= 2 * units;
}

#endif
