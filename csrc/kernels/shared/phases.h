/* Correct rounding of functions that must be approximated.
 *
 * Half has 13 bits less than float. So a float rounds to half as the exact result does, in
 * every mode and with the same exceptions, if both are between the same two of the numbers at
 * which half rounds, which are the halves and the midpoints of halves (floats whose last 12
 * bits are zero); or if both are the same such number.
 *
 * Functions of one argument have few enough values to know them all: a function is a table of
 * such floats (by_table.h), or an approximation that is known to be right for every half
 * (in_float.h).
 *
 * Functions of more arguments use Ziv's rounding test. A fast phase approximates in float,
 * within a few units of its last place, the slack. The result passes the test unless it is so
 * near to a number at which half rounds that the exact result may be on the other side: then it
 * is a hard case. Zeros, infinities, NaNs and exact results are always hard cases, unless the
 * approximation reports an exact case: a result that is right as it is. So the approximation
 * need not be right where its value in float has 11 bits, or is not a number. An accurate phase
 * computes hard cases in double, with a rounding test of its own; those that fail that, too,
 * are decided by a slow path: double-double arithmetic (functions/function2.h) or exact
 * arithmetic (vectors/geometric.h, smoothstep in elementwise/interpolation.h).
 *
 * All this is done block by block. First floats are computed, rounding to nearest (or up, in
 * geometric.h) and with exceptions ignored. Then these are rounded in the kernel's mode; the
 * exceptions of that rounding are those of the function. */
#ifndef HALFCL_KERNELS_SHARED_PHASES_H
#define HALFCL_KERNELS_SHARED_PHASES_H

#include "kernels/shared/map.h"

enum { FUNCTION_BLOCK = 2048 };

ALWAYS_INLINE vf load_part(const uint16_t *a, size_t count)
{
    return count == LANES ? load(a) : load_n(a, count);
}

/* Pads y from n to a whole vector: the last one is rounded as a whole. */
ALWAYS_INLINE void fill_lanes(float *y, size_t n)
{
    for (; n % LANES != 0; n++)
        y[n] = 1;
}

/* Rounds n floats of a block. */
ALWAYS_INLINE void round_block(const float *y, size_t n, uint16_t *out, halfcl_rounding mode,
                               acc *seen, tininess tiny)
{
    size_t i = 0;
    for (; i + PAIR <= n; i += PAIR)
        store_rounded(out + i, vf_load(y + i), vf_load(y + i + LANES), mode, seen, tiny);
    for (; i < n; i += LANES) {
        vh result = round_to_half(vf_load(y + i), mode, seen, tiny);
        vh_store_n(out + i, result, n - i);
    }
}

/* The hard cases of a block: a bit for each element. They are in groups of 64; if a group has
 * many, vectors are faster. */
enum { GROUP = 64, MANY = 8, HARD_BYTES = FUNCTION_BLOCK / 8 };

/* Returns the hard cases among elements [64 g, 64 g + 64) below n. */
ALWAYS_INLINE uint64_t hard_cases_of_group(const char *hard, size_t g, size_t n)
{
    size_t count = n - GROUP * g;
    uint64_t lanes;
    memcpy(&lanes, hard + GROUP / 8 * g, sizeof lanes);
    return count < GROUP ? lanes & (((uint64_t)1 << count) - 1) : lanes;
}

/* Returns the hard cases, given the bits of the other elements. */
ALWAYS_INLINE uint64_t undecided_of_group(const char *decided, size_t g, size_t n)
{
    size_t count = n - GROUP * g;
    uint64_t lanes;
    memcpy(&lanes, decided + GROUP / 8 * g, sizeof lanes);
    return count < GROUP ? ~lanes & (((uint64_t)1 << count) - 1) : ~lanes;
}

/* Returns the lanes that pass the rounding test: the results are within slack units of the
 * exact ones, or, if slack is negative, above them by more than 0 and less than so many
 * units. */
ALWAYS_INLINE vm passing_lanes(vf results, int slack)
{
    return slack < 0 ? vf_clear_above(results, -slack) : vf_clear(results, slack);
}

/* Returns the lanes that fail the rounding test and are no exact cases. */
ALWAYS_INLINE vm failing_lanes(vf results, int slack, vm exact_case)
{
    return slack < 0 ? vm_and_not(vi_has_none(vf_bits(results), 0x1000 + slack), exact_case)
                     : vf_hard_cases(results, slack, exact_case);
}

/* The rounding test of a double within 2^-40 of the result, relatively: returns whether it is
 * far enough from every number whose last 41 bits are zero. */
ALWAYS_INLINE bool passes_rounding_test(double y)
{
    const uint64_t slack = 1 << 13, mask = ((uint64_t)1 << 41) - 2 * slack;
    return ((bits_of_double(y) + slack) & mask) != 0;
}

#endif
