/* Order among halves as NumPy sorts them: NaNs last, all of them equal, and -0
 * equal to +0. */
#ifndef HALFCL_SORT_H
#define HALFCL_SORT_H

#include "halfcl.h"

/* -1, 0 or 1. */
int halfcl_compare(uint16_t a, uint16_t b);

/* Stable. argsort sorts order, a permutation of 0 to n - 1. Return 0, or -1 if there is no
 * memory for the buffer that they need. */
int halfcl_sort(uint16_t *values, size_t n);
int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n);

/* Index of the first NaN if there is one, else of the first extreme. n > 0. range: a fold that
 * knows the range of what it has taken, maximum_reduce or minimum_reduce of an instruction set.
 */
size_t halfcl_argmax(const halfcl_kernel *range, const uint16_t *values, size_t n);
size_t halfcl_argmin(const halfcl_kernel *range, const uint16_t *values, size_t n);

/* Lines of n halves each, outer times inner of them, in one piece of memory: half i of line
 * (o, k) is values[(o * n + i) * inner + k], as along one of an array's axes. */
typedef struct {
    size_t outer, n, inner;
} halfcl_lines;

/* The same of each line, in their order; n is no more than HALFCL_LONGEST_LINE if inner > 1. */
enum { HALFCL_LONGEST_LINE = 1 << 15 };
void halfcl_extremes_of_lines(const halfcl_isa *isa, const halfcl_kernel *range,
                              const uint16_t *values, const halfcl_lines *lines, bool greatest,
                              ptrdiff_t *indices);

/* Where m halves belong in n sorted ones: before their equals or, so asked, after them. Any
 * places from 0 to n if those are not sorted. Returns -1 if there is no memory for the buffer
 * of many searches, half a megabyte. */
int halfcl_search(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                  bool after, ptrdiff_t *places);

#endif
