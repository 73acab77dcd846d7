/* Rounds the sums of a matrix product, which are exact or within known errors. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_ROUNDING_H
#define HALFCL_KERNELS_VECTORS_MATRIX_ROUNDING_H

#include "kernels/vectors/enclosure.h"
#include "kernels/vectors/matrix_tile.h"

/* Bounds of the exact sums: the sums minus and plus an error. */
typedef struct {
    vf low, high;
} sum_bounds;

ALWAYS_INLINE sum_bounds bounds_of(row_sums sums, row_sums errors)
{
    return (sum_bounds){
        vf_join_odd(vd_sub(sums.low, errors.low), vd_sub(sums.high, errors.high)),
        vf_join_odd(vd_add(sums.low, errors.low), vd_add(sums.high, errors.high))};
}

/* The processor gives a sum of zero the sign for its own mode, which may differ from the
 * kernel's in the portable set. */
ALWAYS_INLINE vm hard_sums(vf sums, halfcl_rounding mode)
{
    return mode == HALFCL_RTN && !HAVE_FMA ? vf_zero_or_special(sums) : vf_special(sums);
}

ALWAYS_INLINE vh round_sums_except(vf sums, vm hard, halfcl_rounding mode, acc *seen)
{
    sums = vf_zero_where(hard, sums); /* zero raises nothing */
    acc_tiny(seen, sums);
    return vf_narrow(sums, mode, seen);
}

#endif
