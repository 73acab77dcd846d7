/* Elements as kernels read and write them, contiguous and aligned, from and to wherever callers
 * have them. */
#ifndef HALFCL_STRIDED_H
#define HALFCL_STRIDED_H

#include "halfcl.h"

/* Elements a block: four operands of 8 bytes take 32 KiB at most, and the usual
 * halves 8 KiB, so that the buffers stay in L1. */
enum { HALFCL_BLOCK = 1024 };

/* Whether a kernel can read or write an operand in place: contiguous and aligned. */
static inline bool halfcl_is_direct(const char *operand, ptrdiff_t step, size_t size)
{
    return step == (ptrdiff_t)size && (uintptr_t)operand % size == 0;
}

/* Copies n elements of size bytes, steps bytes apart, aligned or not, to where none is. */
void halfcl_copy_strided(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                         size_t size, size_t n);

/* n halves, step bytes apart, as a kernel can read them: where they are, or copied to
 * to[n]. */
const uint16_t *halfcl_gather(uint16_t *to, const char *from, ptrdiff_t step, size_t n);

#endif
