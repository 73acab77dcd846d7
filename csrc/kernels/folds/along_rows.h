/* Many sums and dot products at once, each of contiguous rows of elements; and many results. */
#ifndef HALFCL_KERNELS_FOLDS_ALONG_ROWS_H
#define HALFCL_KERNELS_FOLDS_ALONG_ROWS_H

#include "kernels/folds/by_rows.h"

/* The rows, and their elements, that are summed before were_exact is called; the rows whose
 * lanes are summed in float. */
enum { ROWS_AT_ONCE = 64, TERMS_AT_ONCE = 1 << 14, SHORT_ROW = 8 * LANES };

ALWAYS_INLINE float_pair short_row(const uint16_t *row, size_t n)
{
    float_pair sum = {vf_set(0), vf_set(0)};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        add_by_size(&sum, vh_load(row + i));
    if (i < n)
        add_by_size(&sum, vh_load_n(row + i, n - i));
    return sum;
}

/* Returns the sums of LANES rows, of which count exist. */
ALWAYS_INLINE void sum_short_rows(double *total, const void *rows, ptrdiff_t step, size_t count,
                                  size_t n)
{
    vf high[LANES], low[LANES];
    for (size_t r = 0; r < LANES; ++r) {
        float_pair sum = short_row(row_at(rows, step, r < count ? r : 0), n);
        high[r] = sum.high;
        low[r] = sum.low;
    }
    const vf all_high = vf_sums_of_lanes(high), all_low = vf_sums_of_lanes(low);
    const vd ones = vd_set(ones_added(n));
    vd_store(total, vd_sub(vd_add(vd_low(all_high), vd_low(all_low)), ones));
    vd_store(total + LANES / 2, vd_sub(vd_add(vd_high(all_high), vd_high(all_low)), ones));
}

/* Returns the sum of a row of whole turns, at most as many as one chain may sum: chains are
 * summed as one. */
ALWAYS_INLINE vd even_row_lanes(const uint16_t *row, size_t n)
{
    chains sum = whole_turns(row, n, add_by_size);
    vf high = vf_add(vf_add(sum.a.high, sum.b.high), vf_add(sum.c.high, sum.d.high));
    vf low = vf_add(vf_add(sum.a.low, sum.b.low), vf_add(sum.c.low, sum.d.low));
    return vd_add(widened_sum(high), widened_sum(low));
}

/* Computes the lanes of all rows before it sums those of any: otherwise the processor would
 * wait for the last, dependent additions of one row before the next. */
ALWAYS_INLINE void sum_long_rows(double *total, const void *rows, ptrdiff_t step, size_t count,
                                 size_t n)
{
    const bool even = n % (SUM_CHAINS * LANES) == 0 && n <= CHAIN_TURNS * LANES;
    double lanes[ROWS_AT_ONCE][LANES / 2];
    for (size_t r = 0; r < count; ++r) {
        const uint16_t *row = row_at(rows, step, r);
        vd_store(lanes[r], even ? even_row_lanes(row, n)
                                : size_lanes(add_to_chains(row, n, add_by_size)));
    }
    for (size_t r = 0; r < count; ++r)
        total[r] = sum_of_lanes(vd_load(lanes[r])) - ones_added(n);
}

/* Sums up to ROWS_AT_ONCE rows of up to SUM_TERMS; returns false if the sums may be wrong. */
static bool sum_rows_by_size(double *total, const void *rows, ptrdiff_t step, size_t count,
                             size_t n)
{
    halfcl_watch_inexact();
    for (size_t r = 0; r < count && n <= SHORT_ROW; r += LANES)
        sum_short_rows(total + r, row_at(rows, step, r), step, count - r, n);
    if (n > SHORT_ROW)
        sum_long_rows(total, rows, step, count, n);
    return were_exact(total);
}

ALWAYS_INLINE void take_total(halfcl_fold_state *state, double total, const uint16_t *row,
                              size_t n, bool tells_all)
{
    if (!is_special(total))
        exact_sum_add(&state->sum, 0, (int64_t)(total * 0x1p24));
    else if (tells_all)
        note_total(state, total);
    else
        note_specials(state, row, n);
    if (signs_matter(state))
        note_signs_of_terms(state, row, n);
}

static void sum_add_each(char *states, ptrdiff_t state_step, size_t count,
                         const void *const *inputs, const ptrdiff_t *steps, size_t n)
{
    const bool at_once = n <= SUM_TERMS && n > 0, sizes = HAVE_BIT_MASKS || n <= SHORT_ROW;
    const size_t most = n > TERMS_AT_ONCE / ROWS_AT_ONCE ? TERMS_AT_ONCE / n : ROWS_AT_ONCE;
    attempts by_size = {1, 0};
    for (size_t r = 0, some; r < count && at_once; r += some) {
        double total[ROWS_AT_ONCE];
        const void *rows = row_at(inputs[0], steps[0], r);
        some = count - r < most ? count - r : most;
        const bool tried = sizes && attempt(&by_size);
        if (!tried || !sum_rows_by_size(total, rows, steps[0], some, n)) {
            failed(&by_size, tried);
            for (size_t k = 0; k < some; ++k)
                total[k] = sum_by_places(row_at(rows, steps[0], k), n);
        }
        const bool tells_all = tell_all(total);
        for (size_t k = 0; k < some; ++k)
            take_total(state_at(states, state_step, r + k), total[k], row_at(rows, steps[0], k),
                       n, tells_all);
    }
    for (size_t r = 0; r < count && !at_once; ++r) {
        const void *row = row_at(inputs[0], steps[0], r);
        sum_add(state_at(states, state_step, r), &row, n);
    }
}

/* Dot products of short rows: in double, which is exact for most; a few rows before were_exact
 * is called, and single ones if that fails. */

enum { PRODUCT_ROWS = 8 };

ALWAYS_INLINE vd product_lanes(const uint16_t *a, const uint16_t *b, size_t n, bool same)
{
    vd low = vd_set(0), high = low;
    for (size_t i = 0; i < n; i += LANES) {
        const vf x = load_upto(a + i, n - i), y = same ? x : load_upto(b + i, n - i);
        const vf part = vf_mul(x, y);
        low = vd_add(low, vd_low(part));
        high = vd_add(high, vd_high(part));
    }
    return vd_add(low, high);
}

/* Computes up to PRODUCT_ROWS dot products; returns false if they may be wrong. */
ALWAYS_INLINE bool multiply_rows(double *total, const void *const *rows, const ptrdiff_t *steps,
                                 size_t count, size_t n, bool same)
{
    double lanes[PRODUCT_ROWS][LANES / 2];
    halfcl_watch_inexact();
    for (size_t r = 0; r < count; ++r)
        vd_store(lanes[r], product_lanes(row_at(rows[0], steps[0], r),
                                         row_at(rows[1], steps[1], r), n, same));
    for (size_t r = 0; r < count; ++r)
        total[r] = sum_of_lanes(vd_load(lanes[r])) - ones_added(n);
    return were_exact(total);
}

static bool try_product_rows(double *total, const void *const *rows, const ptrdiff_t *steps,
                             size_t count, size_t n)
{
    const bool same = rows[0] == rows[1] && steps[0] == steps[1];
    return same ? multiply_rows(total, rows, steps, count, n, true)
                : multiply_rows(total, rows, steps, count, n, false);
}

ALWAYS_INLINE void take_product(halfcl_fold_state *state, double total, const uint16_t *a,
                                const uint16_t *b, size_t n)
{
    if (is_special(total))
        note_special_products(state, a, b, n);
    else
        add_products(&state->sum, total);
    if (signs_matter(state))
        note_signs_of_products(state, a, b, n);
}

/* Adds the products of up to PRODUCT_ROWS rows; returns whether that was quick for most. */
ALWAYS_INLINE bool dot_add_some(char *states, ptrdiff_t state_step, size_t count,
                                const void *const *rows, const ptrdiff_t *steps, size_t n)
{
    double total[PRODUCT_ROWS];
    const bool exact = try_product_rows(total, rows, steps, count, n);
    size_t others = 0;
    for (size_t k = 0; k < count; ++k) {
        halfcl_fold_state *state = state_at(states, state_step, k);
        const void *row[] = {row_at(rows[0], steps[0], k), row_at(rows[1], steps[1], k)};
        if (exact || try_product_rows(total + k, row, steps, 1, n)) {
            take_product(state, total[k], row[0], row[1], n);
        } else {
            dot_add(state, row, n);
            others++;
        }
    }
    return 2 * others < count;
}

static void dot_add_each(char *states, ptrdiff_t state_step, size_t count,
                         const void *const *inputs, const ptrdiff_t *steps, size_t n)
{
    attempts quick = {1, 0};
    for (size_t r = 0, some; r < count; r += some) {
        char *here = states + (ptrdiff_t)r * state_step;
        const void *rows[] = {row_at(inputs[0], steps[0], r), row_at(inputs[1], steps[1], r)};
        const bool tried = n < QUICK_TERMS && attempt(&quick);
        some = !tried ? 1 : count - r < PRODUCT_ROWS ? count - r : PRODUCT_ROWS;
        if (!tried)
            dot_add((halfcl_fold_state *)here, rows, n);
        else if (!dot_add_some(here, state_step, some, rows, steps, n))
            failed(&quick, true);
    }
}

/* Counts of NaNs, as sums of ones. */

enum { COUNTED_AT_ONCE = WORDS << 14 }; /* for which 16 bits hold the count of a lane */

ALWAYS_INLINE vw count_nans(vw counts, vw a)
{
    return vw_add(counts, vw_select(is_nan(a), vw_set(1), vw_set(0)));
}

static void nan_count_add(halfcl_fold_state *state, const void *const *inputs, size_t n)
{
    const uint16_t *a = inputs[0];
    for (size_t i = 0, end; i < n; i = end) {
        vw counts = vw_set(0);
        uint16_t lanes[WORDS];
        int64_t total = 0;
        end = n - i < COUNTED_AT_ONCE ? n : i + COUNTED_AT_ONCE;
        for (size_t k = i; k < end; k += WORDS)
            counts = count_nans(counts, load_words_upto(a + k, end - k));
        vw_store(lanes, counts);
        for (size_t k = 0; k < WORDS; ++k)
            total += lanes[k];
        exact_sum_add(&state->sum, 0, total);
    }
}

static void nan_count_add_rows(char *states, ptrdiff_t state_step, size_t count,
                               const void *const *inputs, const ptrdiff_t *steps, size_t rows)
{
    const size_t most = COUNTED_AT_ONCE / WORDS;
    for (size_t first = 0; first < rows; first += most) {
        const size_t end = rows - first < most ? rows : first + most;
        for (size_t k = 0; k < count; k += WORDS) {
            vw counts = vw_set(0);
            uint16_t lanes[WORDS];
            for (size_t r = first; r < end; ++r)
                counts = count_nans(
                    counts, load_words_upto(row_at(inputs[0], steps[0], r) + k, count - k));
            vw_store(lanes, counts);
            for (size_t c = 0; c < WORDS && k + c < count; ++c)
                exact_sum_add(&state_at(states, state_step, k + c)->sum, 0, lanes[c]);
        }
    }
}

static void nan_count_add_each(char *states, ptrdiff_t state_step, size_t count,
                               const void *const *inputs, const ptrdiff_t *steps, size_t n)
{
    for (size_t k = 0; k < count; ++k) {
        const void *row = row_at(inputs[0], steps[0], k);
        nan_count_add(state_at(states, state_step, k), &row, n);
    }
}

static unsigned nan_count_finish(const halfcl_fold_state *state, uint16_t *result,
                                 halfcl_rounding mode)
{
    return round_sum(state, 0, result, mode);
}

#define COUNT_KERNELS                                                                          \
    FOLD_OF_MANY("nan_count", 1, nan_count_add, merge_sums, nan_count_finish,                  \
                 nan_count_add_rows, nan_count_add_each, NULL, NULL, .take_few = NULL)

/* Rounds the sums of count states in such units: those that fit doubles by vectors, the others
 * one by one. */
ALWAYS_INLINE unsigned round_sums(const char *states, ptrdiff_t state_step, size_t count,
                                  int unit, uint16_t *results, halfcl_rounding mode)
{
    const vd scale = vd_set(double_of_bits((uint64_t)(1023 + unit) << 52));
    acc seen = acc_none();
    unsigned flags = 0;
    for (size_t k = 0; k < count; k += LANES) {
        const size_t some = count - k < LANES ? count - k : LANES;
        double sums[LANES] = {0};
        size_t others[LANES], other = 0;
        for (size_t i = 0; i < some; ++i) {
            const halfcl_fold_state *state =
                (const halfcl_fold_state *)(states + (ptrdiff_t)(k + i) * state_step);
            const bool odd = exact_sum_to_odd(&state->sum, &sums[i]);
            if (odd && sums[i] != 0 && !(state->seen & SEEN_SPECIAL))
                continue;
            sums[i] = 0;
            others[other++] = i;
        }
        vf sum =
            vf_join_odd(vd_mul(vd_load(sums), scale), vd_mul(vd_load(sums + LANES / 2), scale));
        acc_tiny(&seen, sum);
        store_upto(results + k, vf_narrow(sum, mode, &seen), some);
        for (size_t i = 0; i < other; ++i)
            flags |= round_sum(
                (const halfcl_fold_state *)(states + (ptrdiff_t)(k + others[i]) * state_step),
                unit, results + k + others[i], mode);
    }
    return flags | acc_flags(seen);
}

static unsigned sum_finish_all(const char *states, ptrdiff_t state_step, size_t count,
                               uint16_t *results, halfcl_rounding mode)
{
    return round_sums(states, state_step, count, SUM_UNIT, results, mode);
}

static unsigned dot_finish_all(const char *states, ptrdiff_t state_step, size_t count,
                               uint16_t *results, halfcl_rounding mode)
{
    return round_sums(states, state_step, count, DOT_UNIT, results, mode);
}

#endif
