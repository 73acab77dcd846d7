/* Differences of neighbours, as doubles: for the drivers of lines in run/neighbours.c, which
 * also report their exceptions. */
#ifndef HALFCL_KERNELS_NUMBERS_NEIGHBOURS_H
#define HALFCL_KERNELS_NUMBERS_NEIGHBOURS_H

#include "format/half.h"
#include "kernels/numbers/arithmetic.h"

/* Returns a number rounded to 45 bits, ties away from zero. */
ALWAYS_INLINE double round_to_45_bits(double x)
{
    return double_of_bits((bits_of_double(x) + 0x80) & ~(uint64_t)0xff);
}

NUMBER_KERNEL(subtract_twice, double, 3, (c[i] - b[i]) - (b[i] - a[i]))
NUMBER_KERNEL(multiply_difference, double, 3, round_to_45_bits((b[i] - a[i]) * c[i]))
NUMBER_KERNEL(divide_difference, double, 3, (b[i] - a[i]) / c[i])

#define NEIGHBOURS(name, loop) QUIET_NUMBERS(name, loop, 3, HALFCL_DOUBLE)
#define NEIGHBOURS_KERNELS                                                                     \
    NEIGHBOURS("subtract_twice", subtract_twice)                                               \
    NEIGHBOURS("multiply_difference", multiply_difference)                                     \
    NEIGHBOURS("divide_difference", divide_difference)

#endif
