/* Many sums and dot products at once, of elements in rows, one sum for each column. */
#ifndef HALFCL_KERNELS_FOLDS_BY_ROWS_H
#define HALFCL_KERNELS_FOLDS_BY_ROWS_H

#include "kernels/folds/reduce.h"
#include "kernels/shared/rows.h"

/* Rows are added to one state per column: COLUMNS of them at a time, and of these GROUP_ROWS
 * rows (for sums SUM_GROUP, since rows that are a power of two apart share a set of the cache)
 * before their partial sums are stored to memory. */

enum {
    COLUMNS = 1024,
    SUM_GROUP = 4,
    ROWS_AHEAD = 8,
    GROUP_ROWS = 8,
    QUICK_COLUMNS = 128,
    DOT_ROWS = 248
};
enum { SUM_ROWS = 1 << 13 }; /* for which a double holds the sum exactly */

typedef struct {
    float high[COLUMNS + LANES], low[COLUMNS + LANES];
} column_pairs;

/* Returns a row and prefetches the one so many rows later, since processors do not prefetch
 * that far. */
ALWAYS_INLINE const uint16_t *row_ahead_of(const void *rows, ptrdiff_t step, size_t r, size_t k)
{
    const uint16_t *at = row_at(rows, step, r) + k;
    if (k % (CACHE_LINE / sizeof *at) == 0)
        __builtin_prefetch((const void *)((uintptr_t)at + (uintptr_t)(ROWS_AHEAD * step)));
    return at;
}

/* Adds some rows of up to LANES columns. */
ALWAYS_INLINE void add_group(column_pairs *sums, const void *rows, ptrdiff_t step, size_t first,
                             size_t count, size_t k, size_t columns, add_halves *add)
{
    float_pair sum = {vf_load(sums->high + k), vf_load(sums->low + k)};
    for (size_t i = first; i < first + count; ++i) {
        const uint16_t *at = row_ahead_of(rows, step, i, k);
        add(&sum, columns < LANES ? vh_load_n(at, columns) : vh_load(at));
    }
    vf_put(sums->high + k, sum.high);
    vf_put(sums->low + k, sum.low);
}

ALWAYS_INLINE void add_groups(column_pairs *sums, const void *rows, ptrdiff_t step,
                              size_t first, size_t count, size_t columns, add_halves *add)
{
    size_t k = 0;
    for (; k + LANES <= columns; k += LANES)
        add_group(sums, rows, step, first, count, k, LANES, add);
    if (k < columns)
        add_group(sums, rows, step, first, count, k, columns - k, add);
}

/* Adds up to CHAIN_TURNS rows. The columns are padded with ones to a whole vector. */
ALWAYS_INLINE void add_rows(column_pairs *sums, const void *rows, ptrdiff_t step, size_t count,
                            size_t columns, add_halves *add)
{
    size_t r = 0;
    memset(sums->high, 0, (columns + LANES) * sizeof *sums->high);
    memset(sums->low, 0, (columns + LANES) * sizeof *sums->low);
    for (; r + SUM_GROUP <= count; r += SUM_GROUP)
        add_groups(sums, rows, step, r, SUM_GROUP, columns, add);
    if (r < count)
        add_groups(sums, rows, step, r, count - r, columns, add);
}

/* Adds the sums of up to CHAIN_TURNS rows to the totals; returns false, without changing these,
 * if they may not be exact. */
static bool add_rows_by_size(double *total, const void *rows, ptrdiff_t step, size_t count,
                             size_t columns)
{
    column_pairs sums;
    halfcl_watch_inexact();
    add_rows(&sums, rows, step, count, columns, add_by_size);
    if (!were_exact(&sums))
        return false;
    for (size_t k = 0; k < columns; ++k)
        total[k] += (double)sums.high[k] + (double)sums.low[k];
    return true;
}

static void add_rows_by_places(double *total, const void *rows, ptrdiff_t step, size_t count,
                               size_t columns)
{
    column_pairs sums;
    const uint32_t base = (uint32_t)count * PLACES_BITS;
    add_rows(&sums, rows, step, count, columns, add_by_places);
    for (size_t k = 0; k < columns; ++k) {
        uint32_t bits;
        memcpy(&bits, &sums.high[k], sizeof bits);
        total[k] += (double)(int32_t)(bits - base) * 0x1p-6 + (double)sums.low[k];
    }
}

/* Returns whether the signs of terms matter to any of the states. */
static bool signs_matter_to_any(char *states, ptrdiff_t step, size_t columns)
{
    bool any = false;
    for (size_t k = 0; k < columns; ++k)
        any |= signs_matter(state_at(states, step, k));
    return any;
}

static void note_signs_of_rows(char *states, ptrdiff_t state_step, size_t columns,
                               const void *rows, ptrdiff_t step, size_t count)
{
    uint16_t any[COLUMNS] = {0}, not_minus_zero[COLUMNS] = {0};
    for (size_t r = 0; r < count; ++r) {
        const uint16_t *row = row_at(rows, step, r);
        for (size_t k = 0; k < columns; ++k) {
            any[k] |= row[k];
            not_minus_zero[k] |= row[k] ^ HALF_SIGN;
        }
    }
    for (size_t k = 0; k < columns; ++k)
        note_signs(state_at(states, state_step, k), any[k], not_minus_zero[k]);
}

static size_t count_specials(const double *totals, size_t columns)
{
    size_t count = 0;
    for (size_t k = 0; k < columns; ++k)
        count += is_special(totals[k]);
    return count;
}

/* Records the infinities and NaNs in the columns of rows, if their totals are special. */
ALWAYS_INLINE void note_specials_of_rows(char *states, ptrdiff_t state_step, size_t columns,
                                         const double *totals, const void *const *rows,
                                         const ptrdiff_t *steps, size_t count, look_at *look)
{
    const bool are_enough = tell_all(totals);
    for (size_t k = 0; k < columns && are_enough; ++k) {
        if (is_special(totals[k]))
            note_total(state_at(states, state_step, k), totals[k]);
    }
    for (size_t k = 0; k < columns && !are_enough; k += WORDS) {
        const size_t some = columns - k < WORDS ? columns - k : WORDS;
        const void *here[] = {row_at(rows[0], steps[0], 0) + k,
                              row_at(rows[1], steps[1], 0) + k};
        if (count_specials(totals + k, some) > 0)
            note_columns(states + (ptrdiff_t)k * state_step, state_step, some, here, steps,
                         count, look);
    }
}

/* Adds up to SUM_ROWS rows of up to COLUMNS. */
static void sum_columns(char *states, ptrdiff_t state_step, size_t columns, const void *rows,
                        ptrdiff_t step, size_t count)
{
    double total[COLUMNS];
    bool by_size = HAVE_BIT_MASKS;
    memset(total, 0, columns * sizeof *total);
    for (size_t r = 0; r < count; r += CHAIN_TURNS) {
        const size_t some = count - r < CHAIN_TURNS ? count - r : CHAIN_TURNS;
        const void *here = row_at(rows, step, r);
        by_size = by_size && add_rows_by_size(total, here, step, some, columns);
        if (!by_size)
            add_rows_by_places(total, here, step, some, columns);
        if (count_specials(total, columns) == columns)
            break;
    }
    for (size_t k = 0; k < columns; ++k) {
        if (!is_special(total[k]))
            exact_sum_add(&state_at(states, state_step, k)->sum, 0,
                          (int64_t)(total[k] * 0x1p24));
    }
    note_specials_of_rows(states, state_step, columns, total, (const void *[]){rows, rows},
                          (ptrdiff_t[]){step, step}, count, look_for_specials);
    if (signs_matter_to_any(states, state_step, columns))
        note_signs_of_rows(states, state_step, columns, rows, step, count);
}

static void sum_add_rows(char *states, ptrdiff_t state_step, size_t count,
                         const void *const *inputs, const ptrdiff_t *steps, size_t rows)
{
    for (size_t k = 0; k < count; k += COLUMNS) {
        size_t columns = count - k < COLUMNS ? count - k : COLUMNS;
        for (size_t r = 0; r < rows; r += SUM_ROWS)
            sum_columns(states + (ptrdiff_t)k * state_step, state_step, columns,
                        row_at(inputs[0], steps[0], r) + k, steps[0],
                        rows - r < SUM_ROWS ? rows - r : SUM_ROWS);
    }
}

typedef struct {
    double high[COLUMNS + LANES], low[COLUMNS + LANES];
} column_sums;

/* Adds count rows of products, n columns from k on (at most a vector), to the totals. */
ALWAYS_INLINE void dot_group(column_sums *total, size_t k, const uint16_t *a, ptrdiff_t a_step,
                             const uint16_t *b, ptrdiff_t b_step, size_t count, size_t n)
{
    const size_t h = k + LANES / 2;
    split_sum low = {vd_load(total->high + k), vd_load(total->low + k)};
    split_sum high = {vd_load(total->high + h), vd_load(total->low + h)};
    for (size_t r = 0; r < count; ++r) {
        const uint16_t *x = row_at(a, a_step, r) + k, *y = row_at(b, b_step, r) + k;
        vf part = n < LANES ? vf_mul(load_n(x, n), load_n(y, n)) : vf_mul(load(x), load(y));
        split_add(&low, vd_low(part));
        split_add(&high, vd_high(part));
    }
    vd_store(total->high + k, low.high);
    vd_store(total->low + k, low.low);
    vd_store(total->high + h, high.high);
    vd_store(total->low + h, high.low);
}

/* Adds GROUP_ROWS rows of QUICK_COLUMNS from column k on: sums products in double, and adds
 * these to the totals. Returns false, without changing the totals, if that is not exact. */
ALWAYS_INLINE bool dot_group_quickly(column_sums *total, size_t k, const uint16_t *a,
                                     ptrdiff_t a_step, const uint16_t *b, ptrdiff_t b_step,
                                     bool same)
{
    double sums[QUICK_COLUMNS];
    halfcl_watch_inexact();
    for (size_t c = 0; c < QUICK_COLUMNS; c += LANES) {
        vd low = vd_set(0), high = low;
        for (size_t r = 0; r < GROUP_ROWS; ++r) {
            vf part =
                product_at(row_at(a, a_step, r) + k + c, row_at(b, b_step, r) + k + c, same);
            low = vd_add(low, vd_low(part));
            high = vd_add(high, vd_high(part));
        }
        vd_store(sums + c, low);
        vd_store(sums + c + LANES / 2, high);
    }
    if (!were_exact(sums))
        return false;
    for (size_t c = 0; c < QUICK_COLUMNS; c += LANES / 2) {
        split_sum sum = {vd_load(total->high + k + c), vd_load(total->low + k + c)};
        split_add(&sum, vd_load(sums + c));
        vd_store(total->high + k + c, sum.high);
        vd_store(total->low + k + c, sum.low);
    }
    return true;
}

static bool try_dot_group(column_sums *total, size_t k, const uint16_t *a, ptrdiff_t a_step,
                          const uint16_t *b, ptrdiff_t b_step)
{
    if (a == b && a_step == b_step)
        return dot_group_quickly(total, k, a, a_step, b, b_step, true);
    return dot_group_quickly(total, k, a, a_step, b, b_step, false);
}

static void note_signs_of_product_rows(char *states, ptrdiff_t state_step, size_t columns,
                                       const void *const *rows, const ptrdiff_t *steps,
                                       size_t count)
{
    for (size_t k = 0; k < columns; ++k) {
        halfcl_fold_state *state = state_at(states, state_step, k);
        for (size_t r = 0; r < count && signs_matter(state); ++r)
            note_signs_of_products(state, row_at(rows[0], steps[0], r) + k,
                                   row_at(rows[1], steps[1], r) + k, 1);
    }
}

/* Adds up to DOT_ROWS rows of up to COLUMNS. */
static void dot_columns(char *states, ptrdiff_t state_step, size_t columns,
                        const void *const *rows, const ptrdiff_t *steps, size_t count)
{
    column_sums total;
    for (size_t k = 0; k < columns + LANES; ++k) {
        total.high[k] = DOT_BASE;
        total.low[k] = 0;
    }
    for (size_t r = 0; r < count; r += GROUP_ROWS) {
        const uint16_t *a = row_at(rows[0], steps[0], r), *b = row_at(rows[1], steps[1], r);
        for (size_t k = 0; k < columns; k += LANES) {
            if (k % QUICK_COLUMNS == 0 && columns - k >= QUICK_COLUMNS &&
                count - r >= GROUP_ROWS && try_dot_group(&total, k, a, steps[0], b, steps[1]))
                k += QUICK_COLUMNS - LANES;
            else if (count - r >= GROUP_ROWS)
                dot_group(&total, k, a, steps[0], b, steps[1], GROUP_ROWS, columns - k);
            else
                dot_group(&total, k, a, steps[0], b, steps[1], count - r, columns - k);
        }
    }
    for (size_t k = 0; k < columns; ++k) {
        halfcl_fold_state *state = state_at(states, state_step, k);
        int64_t high = (int64_t)(bits_of_double(total.high[k]) - bits_of_double(DOT_BASE));
        if (is_special(total.low[k]))
            continue;
        exact_sum_add(&state->sum, 0, (int64_t)(total.low[k] * 0x1p48));
        exact_sum_add(&state->sum, 1, high * 32);
    }
    note_specials_of_rows(states, state_step, columns, total.low, rows, steps, count,
                          look_for_special_products);
    if (signs_matter_to_any(states, state_step, columns))
        note_signs_of_product_rows(states, state_step, columns, rows, steps, count);
}

static void dot_add_rows(char *states, ptrdiff_t state_step, size_t count,
                         const void *const *inputs, const ptrdiff_t *steps, size_t rows)
{
    for (size_t k = 0; k < count; k += COLUMNS) {
        size_t columns = count - k < COLUMNS ? count - k : COLUMNS;
        for (size_t r = 0; r < rows; r += DOT_ROWS) {
            const void *here[] = {row_at(inputs[0], steps[0], r) + k,
                                  row_at(inputs[1], steps[1], r) + k};
            dot_columns(states + (ptrdiff_t)k * state_step, state_step, columns, here, steps,
                        rows - r < DOT_ROWS ? rows - r : DOT_ROWS);
        }
    }
}

#endif
