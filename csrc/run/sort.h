/* The order of halves in which NumPy sorts them: NaNs last, all of them equal, and -0 equal to
 * +0. */
#ifndef HALFCL_SORT_H
#define HALFCL_SORT_H

#include "halfcl.h"

/* Returns -1, 0 or 1. */
int halfcl_compare(uint16_t a, uint16_t b);

/* Sort stably. argsort sorts order, a permutation of 0 to n - 1. They return 0, or -1 if there
 * is no memory for the buffer that they need. */
int halfcl_sort(uint16_t *values, size_t n);
int halfcl_argsort(const uint16_t *values, ptrdiff_t *order, size_t n);

/* Sorts order by means of a function that sorts n uint32, all different, and returns 0 if it
 * did: n is at most HALFCL_MOST_WORDS, and the other argument NULL. */
enum { HALFCL_MOST_WORDS = 1 << 16 };
typedef int halfcl_sort_integers(void *integers, ptrdiff_t n, void *nothing);
int halfcl_argsort_by(halfcl_sort_integers *sort, const uint16_t *values, ptrdiff_t *order,
                      size_t n);

/* Returns the index of the first NaN if there is one, otherwise of the first extreme. n > 0.
 * range: a fold that computes the range of its elements, maximum_reduce or minimum_reduce of an
 * instruction set. */
size_t halfcl_argmax(const halfcl_kernel *range, const uint16_t *values, size_t n);
size_t halfcl_argmin(const halfcl_kernel *range, const uint16_t *values, size_t n);

/* Lines of n halves each, outer times inner of them, in contiguous memory: half i of line (o,
 * k) is values[(o * n + i) * inner + k], as along one of an array's axes. */
typedef struct {
    size_t outer, n, inner;
} halfcl_lines;

/* Return the index for each line, in their order; n is at most HALFCL_LONGEST_LINE if inner >
 * 1. */
enum { HALFCL_LONGEST_LINE = 1 << 15 };
void halfcl_extremes_of_lines(const halfcl_isa *isa, const halfcl_kernel *range,
                              const uint16_t *values, const halfcl_lines *lines, bool greatest,
                              ptrdiff_t *indices);

/* halfcl_keys_of converts n halves to signed integers in their order: NaNs are last, -0 is
 * before +0. It returns whether some halves may be equal to different ones: -0 or NaNs.
 * halfcl_halves_of converts keys back to halves. */
bool halfcl_keys_of(const halfcl_isa *isa, int16_t *keys, const uint16_t *values, size_t n);
void halfcl_halves_of(const halfcl_isa *isa, uint16_t *values, const int16_t *keys, size_t n);

/* Splits the indices of n such keys into those of keys less than the pivot, equal to it, and
 * greater. No other thread may write to the keys. */
void halfcl_split_indices(const halfcl_isa *isa, const int16_t *keys, size_t n, int16_t pivot,
                          ptrdiff_t *indices);

/* Returns whether it pays to sort so many lines of that length at once. */
bool halfcl_are_many_lines(const halfcl_lines *lines);

/* Sort each line, or orders of indices from 0 to n - 1 of each, stably. They return -1 if there
 * is no memory. */
int halfcl_sort_lines(const halfcl_isa *isa, uint16_t *values, const halfcl_lines *lines);
int halfcl_argsort_lines(const halfcl_isa *isa, const uint16_t *values,
                         const halfcl_lines *lines, ptrdiff_t *orders);

/* Finds the places of m halves among n sorted ones: before their equals or, if requested, after
 * them. The places are arbitrary, from 0 to n, if the halves are not sorted. Returns -1 if
 * there is no memory for the buffer of many searches, half a megabyte. */
int halfcl_search(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                  bool after, ptrdiff_t *places);

#endif
