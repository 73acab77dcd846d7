/* Gathers elements from wherever callers have them into the contiguous and aligned memory that
 * kernels need, and scatters results. */
#ifndef HALFCL_STRIDED_H
#define HALFCL_STRIDED_H

#include "halfcl.h"

/* Elements per block: four operands of 8 bytes take at most 32 KiB, and the usual halves 8 KiB,
 * so that the buffers stay in L1. */
enum { HALFCL_BLOCK = 1024 };

/* Returns whether a kernel can read or write an operand in place: contiguous and aligned. */
static inline bool halfcl_is_direct(const char *operand, ptrdiff_t step, size_t size)
{
    return step == (ptrdiff_t)size && (uintptr_t)operand % size == 0;
}

/* Copies n elements of size bytes, to_step and from_step bytes apart, aligned or not. The two
 * do not overlap. */
void halfcl_copy_strided(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                         size_t size, size_t n);

/* Returns n halves, step bytes apart, as a kernel can read them: in place, or copied to
 * to[n]. */
const uint16_t *halfcl_gather(uint16_t *to, const char *from, ptrdiff_t step, size_t n);

#endif
