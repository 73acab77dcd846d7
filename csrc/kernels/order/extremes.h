/* The first extremes of many rows, or columns, of halves. */
#ifndef HALFCL_KERNELS_ORDER_EXTREMES_H
#define HALFCL_KERNELS_ORDER_EXTREMES_H

#include "format/order.h"
#include "kernels/shared/lanes.h"
#include "simd/simd.h"

/* Ranks grow with the halves, or against them if the least is sought; all NaNs have the last
 * rank, and both zeros the same. They start from the least integer, so that NaNs of both signs,
 * which vw_ordered has at both ends, are above all others. */
enum { RANK_OF_ZERO = -1024, RANK_OF_NAN = RANK_OF_ZERO + HALF_INF + 1 };

static inline int rank_of(uint16_t half, bool greatest)
{
    int magnitude = half & HALF_MAGNITUDE, sign = -(half >> 15);
    int ordered = greatest ? (magnitude ^ sign) - sign : (magnitude ^ ~sign) - ~sign;
    return magnitude > HALF_INF ? HALF_INF + 1 : ordered;
}

/* Without branches, which would be mispredicted in short rows. */
ALWAYS_INLINE size_t first_extreme(const uint16_t *row, size_t n, bool greatest)
{
    size_t at = 0;
    int best = rank_of(row[0], greatest);
    for (size_t i = 1; i < n; ++i) {
        int rank = rank_of(row[i], greatest);
        at = rank > best ? i : at;
        best = rank > best ? rank : best;
    }
    return at;
}

/* NaNs have any rank from RANK_OF_NAN on. */
ALWAYS_INLINE vw loose_ranks(vw halves, bool greatest)
{
    return vw_ordered(greatest ? halves : vw_xor(halves, vw_set(HALF_SIGN)), RANK_OF_ZERO);
}

ALWAYS_INLINE vw ranks_of(vw halves, bool greatest)
{
    return vw_min(loose_ranks(halves, greatest), vw_set(RANK_OF_NAN));
}

/* ---------------------------------------------------------------- rows */

/* The last vector of a row, of at least WORDS halves, may begin in the one before. */
ALWAYS_INLINE size_t next_vector(size_t i, size_t n)
{
    return i + 2 * WORDS <= n || i + WORDS == n ? i + WORDS : n - WORDS;
}

ALWAYS_INLINE int16_t greatest_rank(const uint16_t *row, size_t n, bool greatest)
{
    vw best = loose_ranks(vw_load(row), greatest);
    for (size_t i = next_vector(0, n); i < n; i = next_vector(i, n))
        best = vw_max(best, loose_ranks(vw_load(row + i), greatest));
    int16_t rank = greatest_lane(best);
    return rank < RANK_OF_NAN ? rank : RANK_OF_NAN;
}

/* Returns the index of the first half with at least that rank, which one has. */
ALWAYS_INLINE size_t find_rank(const uint16_t *row, size_t n, int16_t rank, bool greatest)
{
    const vw below = vw_set(rank - 1);
    size_t i = 0;
    wm hits = vw_greater(loose_ranks(vw_load(row), greatest), below);
    while (!wm_any(hits) && i + WORDS < n) {
        i = next_vector(i, n);
        hits = vw_greater(loose_ranks(vw_load(row + i), greatest), below);
    }
    return i + (wm_any(hits) ? (size_t)__builtin_ctz(wm_bits(hits)) : 0);
}

/* Computes the ranks of some rows before it searches any: the processor cannot predict where a
 * search ends, and discards the work that it has begun on the next row. */
enum { RANKS_AT_ONCE = 16 };

ALWAYS_INLINE void find_in_long_rows(const uint16_t *rows, size_t n, size_t count,
                                     bool greatest, ptrdiff_t *indices)
{
    int16_t ranks[RANKS_AT_ONCE];
    for (size_t k = 0; k < count; ++k)
        ranks[k] = greatest_rank(rows + k * n, n, greatest);
    for (size_t k = 0; k < count; ++k)
        indices[k] = (ptrdiff_t)find_rank(rows + k * n, n, ranks[k], greatest);
}

ALWAYS_INLINE void find_in_rows(const uint16_t *rows, size_t n, size_t count, bool greatest,
                                ptrdiff_t *indices)
{
    for (size_t k = 0; k < count && n < WORDS; ++k)
        indices[k] = (ptrdiff_t)first_extreme(rows + k * n, n, greatest);
    for (size_t k = 0, some; k < count && n >= WORDS; k += some) {
        some = count - k < RANKS_AT_ONCE ? count - k : RANKS_AT_ONCE;
        find_in_long_rows(rows + k * n, n, some, greatest, indices + k);
    }
}

static void extremes_of_rows(const uint16_t *rows, size_t n, size_t count, bool greatest,
                             ptrdiff_t *indices)
{
    if (greatest)
        find_in_rows(rows, n, count, true, indices);
    else
        find_in_rows(rows, n, count, false, indices);
}

/* ---------------------------------------------------------------- columns */

enum { VECTORS_AT_ONCE = 4 };

ALWAYS_INLINE vw ranks_at(const uint16_t *halves, size_t count, bool greatest)
{
    return ranks_of(count < WORDS ? vw_load_n(halves, count) : vw_load(halves), greatest);
}

/* count: the number of columns; all of the vectors, or those of one. */
ALWAYS_INLINE void find_in_some(const uint16_t *first, size_t step, size_t n, int vectors,
                                size_t count, bool greatest, ptrdiff_t *indices)
{
    vw best[VECTORS_AT_ONCE], at[VECTORS_AT_ONCE];
    int16_t hits[VECTORS_AT_ONCE * WORDS] = {0};
    EACH(k, vectors)
    {
        best[k] = ranks_at(first + k * WORDS, count, greatest);
        at[k] = vw_set(0);
    }
    for (size_t i = 1; i < n; ++i) {
        const vw here = vw_set((int)i);
        EACH(k, vectors)
        {
            vw ranks = ranks_at(first + i * step + k * WORDS, count, greatest);
            at[k] = vw_select(vw_greater(ranks, best[k]), here, at[k]);
            best[k] = vw_max(best[k], ranks);
        }
    }
    EACH(k, vectors) vw_store(hits + k * WORDS, at[k]);
    for (size_t k = 0; k < count; ++k)
        indices[k] = hits[k];
}

ALWAYS_INLINE void find_in_columns(const uint16_t *first, size_t step, size_t n, size_t count,
                                   bool greatest, ptrdiff_t *indices)
{
    enum { MANY = VECTORS_AT_ONCE * WORDS };
    size_t k = 0;
    for (; k + MANY <= count; k += MANY)
        find_in_some(first + k, step, n, VECTORS_AT_ONCE, MANY, greatest, indices + k);
    for (; k + WORDS <= count; k += WORDS)
        find_in_some(first + k, step, n, 1, WORDS, greatest, indices + k);
    if (k < count)
        find_in_some(first + k, step, n, 1, count - k, greatest, indices + k);
}

static void extremes_of_columns(const uint16_t *first, size_t step, size_t n, size_t count,
                                bool greatest, ptrdiff_t *indices)
{
    if (greatest)
        find_in_columns(first, step, n, count, true, indices);
    else
        find_in_columns(first, step, n, count, false, indices);
}

#endif
