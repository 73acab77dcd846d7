/* Indices of keys on both sides of a pivot. */
#ifndef HALFCL_KERNELS_ORDER_SELECT_H
#define HALFCL_KERNELS_ORDER_SELECT_H

#include "format/order.h"

enum { SPLIT_AT_ONCE = 256 };

/* The number of keys that are less, and greater. */
typedef struct {
    size_t less, greater;
} sides;

static sides count_sides(const int16_t *keys, size_t n, int16_t pivot)
{
    size_t less = 0, greater = 0;
    for (size_t i = 0; i < n; ++i) {
        less += keys[i] < pivot;
        greater += keys[i] > pivot;
    }
    return (sides){less, greater};
}

static ptrdiff_t *put_places(ptrdiff_t *to, size_t first, const uint8_t *places, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        to[i] = (ptrdiff_t)(first + places[i]);
    return to + n;
}

/* Finds the indices of each side without branches, which would be mispredicted. */
static sides find_sides(const int16_t *keys, size_t n, int16_t pivot, uint8_t *lower,
                        uint8_t *upper)
{
    size_t less = 0, greater = 0;
    for (size_t i = 0; i < n; ++i) {
        lower[less] = upper[greater] = (uint8_t)i;
        less += keys[i] < pivot;
        greater += keys[i] > pivot;
    }
    return (sides){less, greater};
}

static ptrdiff_t *put_same(ptrdiff_t *to, size_t first, const int16_t *keys, size_t n,
                           int16_t pivot)
{
    for (size_t i = 0; i < n; ++i) {
        if (keys[i] == pivot)
            *to++ = (ptrdiff_t)(first + i);
    }
    return to;
}

static void split_indices(const int16_t *keys, size_t n, int16_t pivot, ptrdiff_t *indices)
{
    const sides all = count_sides(keys, n, pivot);
    ptrdiff_t *lower = indices, *same = indices + all.less, *upper = indices + n - all.greater;
    for (size_t i = 0; i < n; i += SPLIT_AT_ONCE) {
        size_t some = n - i < SPLIT_AT_ONCE ? n - i : SPLIT_AT_ONCE;
        uint8_t below[SPLIT_AT_ONCE + 1], above[SPLIT_AT_ONCE + 1];
        sides here = find_sides(keys + i, some, pivot, below, above);
        lower = put_places(lower, i, below, here.less);
        upper = put_places(upper, i, above, here.greater);
        if (here.less + here.greater < some)
            same = put_same(same, i, keys + i, some, pivot);
    }
}

#endif
