/* The extreme of some halves, and places among sorted ones. */
#include <stdlib.h>

#include "run/key.h"
#include "run/sort.h"

/* ---------------------------------------------------------------- extremes
 *
 * A kernel finds the extremes of a block; the one block that has the extreme of all is looked
 * through for its index. */

enum { BLOCK = 8192, STRETCH = 64 };

/* Halves that are equal: of bits in a range, signs perhaps left out. */
typedef struct {
    uint16_t mask, first, last;
} equals;

static const equals ZEROS = {HALF_MAGNITUDE, 0, 0},
                    NANS = {HALF_MAGNITUDE, HALF_INF + 1, 0x7FFF};

static inline bool is_one(equals which, uint16_t half)
{
    return (uint16_t)((half & which.mask) - which.first) <= which.last - which.first;
}

static bool has_one(equals which, const uint16_t *values)
{
    uint16_t any = 0;
    for (size_t i = 0; i < STRETCH; i++)
        any |= is_one(which, values[i]);
    return any;
}

/* The index of the first one; the last index if another thread has overwritten it meanwhile. */
static size_t find(equals which, const uint16_t *values, size_t n)
{
    size_t i = 0;
    while (i + STRETCH <= n && !has_one(which, values + i))
        i += STRETCH;
    while (i + 1 < n && !is_one(which, values[i]))
        i++;
    return i;
}

/* Those that a number in the order of halves stands for. */
static equals equals_of(int16_t ordered)
{
    uint16_t half = (uint16_t)(ordered < 0 ? ordered ^ HALF_MAGNITUDE : ordered);
    return ordered == 0 ? ZEROS : (equals){0xFFFF, half, half};
}

/* These numbers have -0 before +0. */
static int16_t with_equal_zeros(int16_t ordered)
{
    return ordered == -1 ? 0 : ordered;
}

static size_t first_extreme(const halfcl_kernel *range, const uint16_t *values, size_t n,
                            bool greatest)
{
    size_t best_at = 0;
    int16_t best = 0;
    for (size_t at = 0; at < n; at += BLOCK) {
        const void *block = values + at;
        size_t count = n - at < BLOCK ? n - at : BLOCK;
        halfcl_fold_state state = {0};
        range->fold.add(&state, &block, count); /* of integers: in any environment */
        if (state.range.most > HALF_INF || state.range.least < ~HALF_INF)
            return at + find(NANS, block, count);
        int16_t extreme = with_equal_zeros(greatest ? state.range.most : state.range.least);
        if (at == 0 || (greatest ? extreme > best : extreme < best)) {
            best = extreme;
            best_at = at;
        }
    }
    size_t count = n - best_at < BLOCK ? n - best_at : BLOCK;
    return best_at + find(equals_of(best), values + best_at, count);
}

size_t halfcl_argmax(const halfcl_kernel *range, const uint16_t *values, size_t n)
{
    return first_extreme(range, values, n, true);
}

size_t halfcl_argmin(const halfcl_kernel *range, const uint16_t *values, size_t n)
{
    return first_extreme(range, values, n, false);
}

/* ---------------------------------------------------------------- places */

/* So many searches at a time, whose reads of memory need not wait for each other. */
enum { TOGETHER = 8 };

/* Binary searches: how many keys are less than each bound. Without branches, which would be
 * mispredicted every other time. */
ALWAYS_INLINE void count_less(const uint16_t *sorted, size_t n, const unsigned *bounds,
                              int searches, ptrdiff_t *places)
{
    const uint16_t *start[TOGETHER];
    for (int k = 0; k < searches; k++)
        start[k] = sorted;
    for (size_t left = n; left > 1; left -= left / 2) {
        for (int k = 0; k < searches; k++)
            start[k] += key_of(start[k][left / 2 - 1]) < bounds[k] ? left / 2 : 0;
    }
    for (int k = 0; k < searches; k++)
        places[k] = start[k] - sorted + (n > 0 && key_of(*start[k]) < bounds[k]);
}

ALWAYS_INLINE void search_some(const uint16_t *sorted, size_t n, const uint16_t *sought,
                               int searches, bool after, ptrdiff_t *places)
{
    unsigned bounds[TOGETHER];
    for (int k = 0; k < searches; k++)
        bounds[k] = key_of(sought[k]) + (unsigned)after;
    count_less(sorted, n, bounds, searches, places);
}

static void search_few(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                       bool after, ptrdiff_t *places)
{
    size_t i = 0;
    for (; i + TOGETHER <= m; i += TOGETHER)
        search_some(sorted, n, sought + i, TOGETHER, after, places + i);
    for (; i < m; i++)
        search_some(sorted, n, sought + i, 1, after, places + i);
}

/* Looks places up, in a table of those of all halves. */
static int search_many(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                       bool after, ptrdiff_t *places)
{
    size_t *table = calloc(KEYS, sizeof *table);
    if (!table)
        return -1;
    for (size_t i = 0; i < n; i++)
        table[sorted[i]]++;
    add_up_halves(table, after);
    for (size_t i = 0; i < m; i++)
        places[i] = (ptrdiff_t)table[one_of_equals(sought[i])];
    free(table);
    return 0;
}

/* From so many searches on a table takes less time to make than it saves. */
static size_t many_searches(size_t n)
{
    return KEYS / 8 + n / 64;
}

int halfcl_search(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                  bool after, ptrdiff_t *places)
{
    if (m >= many_searches(n))
        return search_many(sorted, n, sought, m, after, places);
    search_few(sorted, n, sought, m, after, places);
    return 0;
}
