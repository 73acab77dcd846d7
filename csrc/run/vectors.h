/* What the drivers of vectors share. */
#ifndef HALFCL_RUN_VECTORS_H
#define HALFCL_RUN_VECTORS_H

#include <string.h>

#include "run/parts.h"

/* The same operands from a vector on. */
static inline void halfcl_vectors_from(halfcl_vectors *to, const halfcl_vectors *operands,
                                       int count, size_t first)
{
    memmove(to, operands, (size_t)count * sizeof *to);
    for (int i = 0; i < count; i++)
        to[i].start += to[i].step * (ptrdiff_t)first;
}

/* Whether it is a kernel of vectors of halves, and takes these: for drivers that gather
 * vectors, or keep results. */
bool halfcl_takes_halves(const halfcl_kernel *kernel, const halfcl_vectors *operands);

/* Whether n vectors may be split over threads: no two results lie on each other, nor one on a
 * vector that another is computed from. */
bool halfcl_may_split_vectors(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                              size_t n);

#endif
