/* Finds the extreme of halves, and places among sorted ones. */
#include <stdlib.h>

#include "format/key.h"
#include "run/sort.h"
#include "run/splitting.h"

/* ---------------------------------------------------------------- extremes
 *
 * A kernel finds the extremes of a block; only the block that has the extreme of all is
 * searched for its index. */

enum { BLOCK = 8192, STRETCH = 64, FEW = 32 };

/* Halves that are equal: with bits in a range, perhaps ignoring signs. */
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

/* Returns the index of the first one; the last index if another thread has overwritten it
 * meanwhile. */
static size_t find(equals which, const uint16_t *values, size_t n)
{
    size_t i = 0;
    while (i + STRETCH <= n && !has_one(which, values + i))
        i += STRETCH;
    while (i + 1 < n && !is_one(which, values[i]))
        i++;
    return i;
}

/* Returns the halves for a number in the order of halves. */
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

/* A block that has the extreme of those searched, or a NaN, which precedes all numbers. */
typedef struct {
    size_t at, count;
    int16_t extreme;
    bool is_nan;
} candidate;

enum { NOWHERE = 0 }; /* the count of a candidate without elements */

typedef struct {
    const halfcl_kernel *range;
    const uint16_t *values;
    bool greatest;
    candidate best[HALFCL_MAX_THREADS]; /* of each thread */
} extreme_search;

static bool is_better(const candidate *a, const candidate *b, bool greatest)
{
    if (b->count == NOWHERE || a->count == NOWHERE)
        return a->count != NOWHERE;
    if (a->is_nan || b->is_nan)
        return a->is_nan && (!b->is_nan || a->at < b->at);
    if (a->extreme == b->extreme)
        return a->at < b->at;
    return (a->extreme > b->extreme) == greatest;
}

static candidate look_at_block(const extreme_search *s, size_t at, size_t count)
{
    const void *block = s->values + at;
    halfcl_fold_state state = {0};
    s->range->fold.add(&state, &block, count); /* on integers: in any environment */
    int16_t least = state.range.least, most = state.range.most;
    return (candidate){at, count, with_equal_zeros(s->greatest ? most : least),
                       most > HALF_INF || least < ~HALF_INF};
}

static unsigned look_at(void *work, size_t first, size_t n, int thread)
{
    extreme_search *s = work;
    candidate *best = &s->best[thread];
    for (size_t done = 0; done < n; done += BLOCK) {
        candidate here = look_at_block(s, first + done, n - done < BLOCK ? n - done : BLOCK);
        if (is_better(&here, best, s->greatest))
            *best = here;
        if (here.is_nan)
            break;
    }
    return 0;
}

/* Returns keys in the order of halves or against it; NaNs are last either way: against the
 * order the keys start with NaN's, 0, and subtracting 1 makes that the last key. */
static uint16_t extreme_key(uint16_t half, bool greatest)
{
    uint16_t key = key_of(half);
    return greatest ? key : (uint16_t)((uint16_t)~key - 1);
}

/* For fewer elements a kernel takes longer. There are no branches, which would be
 * mispredicted. */
static size_t first_extreme_of_few(const uint16_t *values, size_t n, bool greatest)
{
    size_t at = 0;
    uint16_t best = extreme_key(values[0], greatest);
    for (size_t i = 1; i < n; i++) {
        uint16_t key = extreme_key(values[i], greatest);
        at = key > best ? i : at;
        best = key > best ? key : best;
    }
    return at;
}

static size_t first_extreme(const halfcl_kernel *range, const uint16_t *values, size_t n,
                            bool greatest)
{
    extreme_search s;
    if (n < FEW)
        return greatest ? first_extreme_of_few(values, n, true)
                        : first_extreme_of_few(values, n, false);
    int threads = halfcl_may_split(n) ? halfcl_get_threads() : 1;
    s.range = range;
    s.values = values;
    s.greatest = greatest;
    for (int k = 0; k < threads; k++)
        s.best[k].count = NOWHERE;
    if (threads > 1)
        halfcl_run_divided(&(halfcl_divisible){look_at, &s, n, 1}, threads);
    else
        look_at(&s, 0, n, 0);
    candidate *best = &s.best[0];
    for (int k = 1; k < threads; k++)
        best = is_better(&s.best[k], best, greatest) ? &s.best[k] : best;
    return best->at +
           find(best->is_nan ? NANS : equals_of(best->extreme), values + best->at, best->count);
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

/* The number of simultaneous searches, whose reads of memory are independent. */
enum { TOGETHER = 8 };

/* Binary searches: counts the keys less than each bound. There are no branches, which would be
 * mispredicted half of the time. */
ALWAYS_INLINE void count_less(const uint16_t *sorted, size_t n, const unsigned *bounds,
                              int searches, ptrdiff_t *places)
{
    const uint16_t *start[TOGETHER];
    for (int k = 0; k < searches; k++)
        start[k] = sorted;
    for (size_t remaining = n; remaining > 1; remaining -= remaining / 2) {
        for (int k = 0; k < searches; k++)
            start[k] += key_of(start[k][remaining / 2 - 1]) < bounds[k] ? remaining / 2 : 0;
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

/* Searches among few elements, by a comparison with each, for many bounds at a time: compilers
 * vectorise this. */
enum { AMONG_FEW = 48, SEARCH_BLOCK = 256 };

static int16_t signed_key(uint16_t half)
{
    return (int16_t)(key_of(half) ^ HALF_SIGN);
}

static void search_among_few(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                             bool after, ptrdiff_t *places)
{
    int16_t keys[SEARCH_BLOCK], counts[SEARCH_BLOCK];
    for (size_t i = 0; i < m; i += SEARCH_BLOCK) {
        const size_t some = m - i < SEARCH_BLOCK ? m - i : SEARCH_BLOCK;
        for (size_t k = 0; k < some; k++) {
            keys[k] = signed_key(sought[i + k]);
            counts[k] = 0;
        }
        for (size_t j = 0; j < n; j++) {
            const int16_t one = signed_key(sorted[j]);
            for (size_t k = 0; k < some; k++)
                counts[k] += after ? one <= keys[k] : one < keys[k];
        }
        for (size_t k = 0; k < some; k++)
            places[i + k] = counts[k];
    }
}

typedef struct {
    const uint16_t *sorted, *sought;
    size_t n;
    bool after;
    const size_t *table; /* or NULL */
    ptrdiff_t *places;
} search;

static unsigned search_part(void *work, size_t first, size_t m, int thread)
{
    const search *s = work;
    const uint16_t *sought = s->sought + first;
    ptrdiff_t *places = s->places + first;
    (void)thread;
    if (s->n <= AMONG_FEW && m >= TOGETHER)
        search_among_few(s->sorted, s->n, sought, m, s->after, places);
    else if (!s->table)
        search_few(s->sorted, s->n, sought, m, s->after, places);
    for (size_t i = 0; s->table && i < m; i++)
        places[i] = (ptrdiff_t)s->table[one_of_equals(sought[i])];
    return 0;
}

static void search_all(search *s, size_t m)
{
    if (halfcl_may_split(m))
        halfcl_run_divided(&(halfcl_divisible){search_part, s, m, 1}, halfcl_get_threads());
    else
        search_part(s, 0, m, 0);
}

/* Returns the number of searches from which on a table takes less time to compute than it
 * saves. */
static size_t many_searches(size_t n)
{
    return KEYS / 8 + n / 64;
}

/* Looks places up in a table of the places of all halves. */
static int search_many(search *s, size_t m)
{
    size_t *table = calloc(KEYS, sizeof *table);
    if (!table)
        return -1;
    for (size_t i = 0; i < s->n; i++)
        table[s->sorted[i]]++;
    add_up_halves(table, s->after);
    s->table = table;
    search_all(s, m);
    free(table);
    return 0;
}

int halfcl_search(const uint16_t *sorted, size_t n, const uint16_t *sought, size_t m,
                  bool after, ptrdiff_t *places)
{
    search s = {sorted, sought, n, after, NULL, places};
    if (n > AMONG_FEW && m >= many_searches(n))
        return search_many(&s, m);
    search_all(&s, m);
    return 0;
}
