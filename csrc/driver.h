/* Runs a kernel over strided operands: everything between a kernel's one shape
 * (contiguous, aligned, disjoint or identical operands) and what callers have. */
#ifndef HALFCL_DRIVER_H
#define HALFCL_DRIVER_H

#include "halfcl.h"

#define HALFCL_MAX_OPERANDS 4

/* Elements a block: four operands of 8 bytes take 32 KiB at most, and the usual
 * halves 8 KiB, so that the buffers stay in L1. */
enum { HALFCL_BLOCK = 1024 };

/* Applies kernel to n elements of each operand (inputs, then outputs), step
 * bytes apart, in the given mode, with the floating-point environment set and
 * restored. Operands may be unaligned, overlapping, broadcast (step 0). Where
 * an output overlaps an input without being it, elements are computed one by
 * one in order, as NumPy's accumulate needs. Returns the exceptions raised. */
unsigned halfcl_run(const halfcl_kernel *kernel, char *const *operands, const ptrdiff_t *steps,
                    size_t n, halfcl_rounding mode);

/* Folds n elements, step bytes apart, into *accumulator. reduce is a reduction kernel
 * (reduction.h), or NULL: then the binary kernel is applied from left to right. */
unsigned halfcl_fold(const halfcl_kernel *binary, const halfcl_kernel *reduce,
                     uint16_t *accumulator, const char *in, ptrdiff_t step, size_t n,
                     halfcl_rounding mode);

/* *out = the dot product of n pairs, steps bytes apart, by the reduction kernel dot. */
unsigned halfcl_dot(const halfcl_kernel *dot, const char *a, ptrdiff_t a_step, const char *b,
                    ptrdiff_t b_step, uint16_t *out, size_t n, halfcl_rounding mode);

/* The m by p product of an m by n and an n by p matrix; steps from row to row and
 * from column to column in bytes. */
unsigned halfcl_matmul(const halfcl_kernel *dot, const char *a, ptrdiff_t a_row,
                       ptrdiff_t a_column, const char *b, ptrdiff_t b_row, ptrdiff_t b_column,
                       char *out, ptrdiff_t out_row, ptrdiff_t out_column, size_t m, size_t n,
                       size_t p, halfcl_rounding mode);

/* Copies n halves, steps bytes apart, aligned or not. */
void halfcl_copy(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t n);

/* n halves, step bytes apart, as a kernel can read them: where they are, or copied to
 * to[n]. */
const uint16_t *halfcl_gather(uint16_t *to, const char *from, ptrdiff_t step, size_t n);

/* Raises exceptions in the caller's floating-point environment. */
void halfcl_raise(unsigned flags);

#endif
