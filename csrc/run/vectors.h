/* Declarations shared by the drivers of vectors. */
#ifndef HALFCL_RUN_VECTORS_H
#define HALFCL_RUN_VECTORS_H

#include <string.h>

#include "run/splitting.h"

/* Returns the same operands from a vector on. */
static inline void halfcl_vectors_from(halfcl_vectors *to, const halfcl_vectors *operands,
                                       int count, size_t first)
{
    memmove(to, operands, (size_t)count * sizeof *to);
    for (int i = 0; i < count; i++)
        to[i].start += to[i].step * (ptrdiff_t)first;
}

/* Returns whether it is a kernel of vectors of halves, and supports these operands: for drivers
 * that gather vectors, or store results. */
bool halfcl_takes_halves(const halfcl_kernel *kernel, const halfcl_vectors *operands);

/* Returns whether n vectors may be split over threads: no two results overlap, nor does one
 * overlap a vector from which another is computed. */
bool halfcl_may_split_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                              size_t n);

#endif
