/* What reductions keep from one block of elements to the next.
 *
 * A reduction kernel has the types of the binary operation, one input and "ee>e" for
 * {in[n], reduction, result[1]}, and dot {a[n], b[n], reduction, result[1]}. It takes n
 * elements into the reduction, and for n = 0 writes the result: so blocks may be of any
 * size, and only the result is rounded. */
#ifndef HALFCL_REDUCTION_H
#define HALFCL_REDUCTION_H

#include "exact_sum.h"

/* All zero to start with. */
typedef union {
    struct {
        exact_sum sum;
        bool plus, minus; /* whether there were terms other than -0, other than +0 */
    };
    struct {
        bool any;
        int16_t least, most; /* in the order of halves, see kernels/reduce.h */
    };
} reduction;

#endif
