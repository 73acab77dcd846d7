/* Order among halves as NumPy sorts them: NaNs last, all of them equal, and -0
 * equal to +0. */
#ifndef HALFCL_SORT_H
#define HALFCL_SORT_H

#include <stddef.h>
#include <stdint.h>

/* -1, 0 or 1. */
int halfcl_compare(uint16_t a, uint16_t b);

/* Stable. argsort sorts order, a permutation of 0 to n - 1. Return 0, or -1 if there is no
 * memory for the buffer that they need. */
int halfcl_sort(uint16_t *values, size_t n);
int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n);

/* Index of the first NaN if there is one, else of the first extreme. n > 0. */
size_t halfcl_argmax(const uint16_t *values, size_t n);
size_t halfcl_argmin(const uint16_t *values, size_t n);

#endif
