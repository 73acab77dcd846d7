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

/* The same, by what sorts n uint32, all different, and returns 0 if it did: it gets
 * HALFCL_MOST_WORDS at most, and NULL besides. */
enum { HALFCL_MOST_WORDS = 1 << 16 };
typedef int halfcl_sort_integers(void *integers, ptrdiff_t n, void *nothing);
int halfcl_argsort_by(halfcl_sort_integers *sort, const uint16_t *values, ptrdiff_t *order,
                      size_t n);

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

/* Signed integers in the order of n halves, one for each: NaNs are last, -0 is before +0.
 * Returns whether there are halves that may be equal to others, -0 or NaNs. And halves of them
 * again. */
bool halfcl_keys_of(const halfcl_isa *isa, int16_t *keys, const uint16_t *values, size_t n);
void halfcl_halves_of(const halfcl_isa *isa, uint16_t *values, const int16_t *keys, size_t n);

/* The indices of n such keys: of those less than the pivot, of those that are it, of those
 * greater. No other thread may write to the keys. */
void halfcl_split_indices(const halfcl_isa *isa, const int16_t *keys, size_t n, int16_t pivot,
                          ptrdiff_t *indices);

/* Whether it pays to sort so many lines of that length at once. */
bool halfcl_are_many_lines(const halfcl_lines *lines);

/* Sort each line, or orders of indices from 0 to n - 1 of each. Stable. -1 if there is no
 * memory. */
int halfcl_sort_lines(const halfcl_isa *isa, uint16_t *values, const halfcl_lines *lines);
int halfcl_argsort_lines(const halfcl_isa *isa, const uint16_t *values,
                         const halfcl_lines *lines, ptrdiff_t *orders);

/* Where m halves belong in n sorted ones: before their equals or, so asked, after them. Any
 * places from 0 to n if those are not sorted. Returns -1 if there is no memory for the buffer
 * of many searches, half a megabyte. */
int halfcl_search(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                  bool after, ptrdiff_t *places);

#endif
