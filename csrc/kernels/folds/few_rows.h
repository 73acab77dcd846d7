/* Sums, sums of products, products, and statistics of a few rows, for each column, in double,
 * or in float where that is exact. */
#ifndef HALFCL_KERNELS_FOLDS_FEW_ROWS_H
#define HALFCL_KERNELS_FOLDS_FEW_ROWS_H

#include "format/rounding_test.h"
#include "kernels/folds/by_rows.h"

typedef struct {
    vd low, high;
} wide_pair;

ALWAYS_INLINE wide_pair add_wide(wide_pair sum, vf terms)
{
    return (wide_pair){vd_add(sum.low, vd_low(terms)), vd_add(sum.high, vd_high(terms))};
}

/* Column k and those next to it, up to so many, of row r. */
ALWAYS_INLINE vf terms_at(const void *rows, ptrdiff_t step, size_t r, size_t k, size_t columns)
{
    return load_upto(row_at(rows, step, r) + k, columns);
}

ALWAYS_INLINE void store_wide(double *results, wide_pair x)
{
    vd_store(results, x.low);
    vd_store(results + LANES / 2, x.high);
}

ALWAYS_INLINE void add_columns(double *results, size_t k, size_t columns,
                               const void *const *inputs, const ptrdiff_t *steps, size_t rows,
                               bool squares, bool products, double start)
{
    wide_pair sum = {vd_set(start), vd_set(start)};
    for (size_t r = 0; r < rows; ++r) {
        vf terms = terms_at(inputs[0], steps[0], r, k, columns);
        if (products)
            terms =
                vf_mul(terms, squares ? terms : terms_at(inputs[1], steps[1], r, k, columns));
        sum = add_wide(sum, terms);
    }
    store_wide(results + k, sum);
}

/* Returns whether all operations were exact. */
ALWAYS_INLINE bool add_few_rows(double *results, size_t count, const void *const *inputs,
                                const ptrdiff_t *steps, size_t rows, bool squares,
                                bool products, double start)
{
    size_t k = 0;
    halfcl_watch_inexact();
    for (; k + LANES <= count; k += LANES)
        add_columns(results, k, LANES, inputs, steps, rows, squares, products, start);
    if (k < count)
        add_columns(results, k, count - k, inputs, steps, rows, squares, products, start);
    return were_exact(results);
}

static bool sum_few_rows(double *results, size_t count, const void *const *inputs,
                         const ptrdiff_t *steps, size_t rows)
{
    return add_few_rows(results, count, inputs, steps, rows, false, false, 0);
}

static bool dot_rows(double *results, size_t count, const void *const *inputs,
                     const ptrdiff_t *steps, size_t rows, double start)
{
    const bool squares = inputs[0] == inputs[1] && steps[0] == steps[1];
    return squares ? add_few_rows(results, count, inputs, steps, rows, true, true, start)
                   : add_few_rows(results, count, inputs, steps, rows, false, true, start);
}

static bool dot_few_rows(double *results, size_t count, const void *const *inputs,
                         const ptrdiff_t *steps, size_t rows)
{
    return dot_rows(results, count, inputs, steps, rows, 0);
}

/* Returns the products of two rows, or the last row. */
ALWAYS_INLINE vf factors_at(const void *rows, ptrdiff_t step, size_t r, size_t n, size_t k,
                            size_t columns)
{
    const vf factors = terms_at(rows, step, r, k, columns);
    return r + 1 < n ? vf_mul(factors, terms_at(rows, step, r + 1, k, columns)) : factors;
}

/* Products of two are exact in float. */
static bool multiply_few_rows(double *results, size_t count, const void *const *inputs,
                              const ptrdiff_t *steps, size_t rows)
{
    halfcl_watch_inexact();
    for (size_t k = 0; k < count; k += LANES) {
        const vf first = factors_at(inputs[0], steps[0], 0, rows, k, count - k);
        wide_pair product = {vd_low(first), vd_high(first)};
        for (size_t r = 2; r < rows; r += 2) {
            const vf factors = factors_at(inputs[0], steps[0], r, rows, k, count - k);
            product.low = vd_mul(product.low, vd_low(factors));
            product.high = vd_mul(product.high, vd_high(factors));
        }
        store_wide(results + k, product);
    }
    return were_exact(results);
}

/* ---------------------------------------------------------------- rounded to half */

/* How the columns' totals become doubles that round to half like the exact results. */
typedef vd take_totals(const halfcl_few *how, vd sum, vd products);

typedef struct {
    double sums[HALFCL_FEW_COLUMNS + HALFCL_ROOM], products[HALFCL_FEW_COLUMNS + HALFCL_ROOM];
} few_totals;

/* Returns whether rounding has met no signalling NaN, and no infinities that cancel. */
ALWAYS_INLINE bool end_rounding(acc seen, const void *results, unsigned *flags)
{
    *flags |= acc_flags(seen);
    return tell_all(results);
}

ALWAYS_INLINE void round_doubles(uint16_t *results, size_t count, const double *values,
                                 halfcl_rounding mode, acc *seen)
{
    for (size_t k = 0; k < count; k += LANES)
        store_upto(results + k,
                   round_to_half(vf_load_double(values + k), mode, seen, MAYBE_TINY),
                   count - k);
}

/* Writes doubles that round like the results of exact totals; may replace these. */
ALWAYS_INLINE bool take_results(double *results, size_t count, const double *sums,
                                const double *products, const halfcl_few *how,
                                take_totals *take)
{
    for (size_t k = 0; k < (count + LANES - 1) / LANES * LANES; k += LANES / 2)
        vd_store(results + k, take(how, vd_load(sums + k), vd_load(products + k)));
    return tell_all(results);
}

/* Adds each column in float; returns false if that is not exact. */
ALWAYS_INLINE bool add_in_float(float *sums, size_t count, const void *rows, ptrdiff_t step,
                                const halfcl_few *how)
{
    halfcl_watch_inexact();
    for (size_t k = 0; k < count; k += LANES) {
        vf sum = vf_set(how->zero);
        for (size_t r = 0; r < how->rows; ++r)
            sum = vf_add(sum, terms_at(rows, step, r, k, count - k));
        vf_put(sums + k, sum);
    }
    return were_exact(sums);
}

/* Returns a float of 24 bits shortened to 19, the last of which is set if others were: it
 * compares with products of up to HALFCL_FEW and numbers of 12 bits, where halves are rounded,
 * as the float does. */
ALWAYS_INLINE vf shorten_float(vf v)
{
    enum { CUT = 5 };
    const vi cut = vi_set((1 << CUT) - 1), bits = vf_bits(v);
    const vi sticky = vi_and(vi_add(vi_and(bits, cut), cut), vi_set(1 << CUT));
    return vf_of_bits(vi_or(vi_sub(bits, vi_and(bits, cut)), sticky));
}

ALWAYS_INLINE vd quotient_of_sum(const halfcl_few *how, vd sum, vd products)
{
    (void)products; /* sums have so few bits that their quotients compare like exact ones */
    return vd_div(sum, vd_set(how->divisor));
}

/* Rounds sums, or their quotients. Sums are exact in double. */
ALWAYS_INLINE bool round_sums_by(uint16_t *results, size_t count, const void *const *inputs,
                                 const ptrdiff_t *steps, const halfcl_few *how, bool divides,
                                 unsigned *flags)
{
    double totals[HALFCL_FEW_COLUMNS + HALFCL_ROOM];
    float sums[HALFCL_FEW_COLUMNS + HALFCL_ROOM];
    acc seen = acc_none();
    if (!add_in_float(sums, count, inputs[0], steps[0], how)) {
        add_few_rows(totals, count, inputs, steps, how->rows, false, false, how->zero);
        if (divides)
            take_results(totals, count, totals, totals, how, quotient_of_sum);
        round_doubles(results, count, totals, how->mode, &seen);
        return end_rounding(seen, results, flags);
    }
    for (size_t k = 0; k < count; k += LANES) {
        vf sum = vf_load(sums + k);
        if (divides)
            sum = vf_div(shorten_float(sum), vf_set((float)how->divisor));
        store_upto(results + k, round_to_half(sum, how->mode, &seen, MAYBE_TINY), count - k);
    }
    return end_rounding(seen, results, flags);
}

/* Numbers, as the exact sums of two doubles. */
typedef struct {
    vd high, low;
} vd_pair;

ALWAYS_INLINE vd_pair add_exactly(vd a, vd b)
{
    const vd sum = vd_add(a, b), part = vd_sub(sum, a);
    return (vd_pair){sum, vd_add(vd_sub(a, vd_sub(sum, part)), vd_sub(b, part))};
}

ALWAYS_INLINE vd_pair split_exactly(vd a)
{
    const vd spread = vd_mul(a, vd_set(0x1p27 + 1)), high = vd_sub(spread, vd_sub(spread, a));
    return (vd_pair){high, vd_sub(a, high)};
}

/* Dekker's algorithm, unless there are fused multiply-adds. */
ALWAYS_INLINE vd_pair multiply_exactly(vd a, vd b)
{
    const vd product = vd_mul(a, b), minus = vd_sub(vd_set(0), product);
    if (HAVE_FMA)
        return (vd_pair){product, vd_muladd(a, b, minus)};
    const vd_pair x = split_exactly(a), y = split_exactly(b);
    const vd most = vd_add(vd_mul(x.high, y.high), minus);
    const vd rest = vd_add(vd_add(most, vd_mul(x.high, y.low)), vd_mul(x.low, y.high));
    return (vd_pair){product, vd_add(rest, vd_mul(x.low, y.low))};
}

/* Returns a number that is not negative, shortened to 46 bits, and then moved slightly towards
 * the exact one: it compares with numbers of 46 bits as the exact one does. These are those of
 * 12 bits, where halves are rounded, or their squares, times divisors. */
ALWAYS_INLINE vd shorten(vd_pair x)
{
    const vd spread = vd_mul(x.high, vd_set(0x1p7 + 1));
    const vd few = vd_sub(spread, vd_sub(spread, x.high));
    const vd rest = vd_add(vd_sub(x.high, few), x.low);
    const vd up = vd_min(vd_mul(rest, vd_set(0x1p200)), vd_set(1)); /* 1, or not positive */
    const vd side = vd_max(up, vd_set(-1));
    return vd_muladd(vd_mul(few, vd_set(0x1p-48)), side, few);
}

/* The terms are multiples of 2^-48 whose errors have fewer than 53 bits. */
ALWAYS_INLINE vd variance_of(const halfcl_few *how, vd sum, vd products)
{
    const vd_pair all = multiply_exactly(vd_set((double)how->rows), products);
    const vd_pair square = multiply_exactly(sum, sum);
    const vd_pair most = add_exactly(all.high, vd_sub(vd_set(0), square.high));
    const vd rest = vd_add(most.low, vd_sub(all.low, square.low));
    return vd_div(shorten(add_exactly(most.high, rest)), vd_set(how->divisor));
}

ALWAYS_INLINE vd deviation_of(const halfcl_few *how, vd sum, vd products)
{
    return vd_sqrt(variance_of(how, sum, products));
}

ALWAYS_INLINE vd norm_of(const halfcl_few *how, vd sum, vd products)
{
    (void)how;
    (void)sum;
    return vd_sqrt(shorten((vd_pair){products, vd_set(0)}));
}

/* Adds each column and its squares; returns whether these are exact. */
ALWAYS_INLINE bool add_squares(few_totals *totals, size_t count, const void *rows,
                               ptrdiff_t step, size_t n)
{
    halfcl_watch_inexact();
    for (size_t k = 0; k < count; k += LANES) {
        wide_pair sum = {vd_set(0), vd_set(0)}, products = sum;
        for (size_t r = 0; r < n; ++r) {
            const vf terms = terms_at(rows, step, r, k, count - k);
            sum = add_wide(sum, terms);
            products = add_wide(products, vf_mul(terms, terms));
        }
        store_wide(totals->sums + k, sum);
        store_wide(totals->products + k, products);
    }
    return were_exact(totals);
}

/* Sums, means, variances and deviations; the results of these two are doubles. */
static bool round_few_sums(void *results, size_t count, const void *const *inputs,
                           const ptrdiff_t *steps, const halfcl_few *how, unsigned *flags)
{
    const bool has_squares = how->what == HALFCL_VARIANCE || how->what == HALFCL_DEVIATION;
    few_totals totals;
    if (how->what == HALFCL_SUM)
        return round_sums_by(results, count, inputs, steps, how, false, flags);
    if (how->what == HALFCL_MEAN)
        return round_sums_by(results, count, inputs, steps, how, true, flags);
    if (!has_squares || !add_squares(&totals, count, inputs[0], steps[0], how->rows))
        return false;
    if (how->what == HALFCL_VARIANCE)
        return take_results(results, count, totals.sums, totals.products, how, variance_of);
    return take_results(results, count, totals.sums, totals.products, how, deviation_of);
}

/* Sums of products, and norms. */
static bool round_few_products(void *results, size_t count, const void *const *inputs,
                               const ptrdiff_t *steps, const halfcl_few *how, unsigned *flags)
{
    double totals[HALFCL_FEW_COLUMNS + HALFCL_ROOM];
    acc seen = acc_none();
    if (how->what == HALFCL_NORM)
        return dot_few_rows(results, count, inputs, steps, how->rows) &&
               take_results(results, count, results, results, how, norm_of);
    if (!dot_rows(totals, count, inputs, steps, how->rows, how->zero))
        return false;
    round_doubles(results, count, totals, how->mode, &seen);
    return end_rounding(seen, results, flags);
}

/* Returns whether any product may round to the wrong half. Zeros are exact. */
static bool is_any_close(const double *products, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; ++k)
        any |= (products[k] != 0) & is_near_short(products[k], ERROR_OF_FEW_FACTORS);
    return any;
}

/* Rounds products. */
static bool round_few_factors(void *results, size_t count, const void *const *inputs,
                              const ptrdiff_t *steps, const halfcl_few *how, unsigned *flags)
{
    double products[HALFCL_FEW_COLUMNS + HALFCL_ROOM];
    acc seen = acc_none();
    if (!multiply_few_rows(products, count, inputs, steps, how->rows) &&
        is_any_close(products, count))
        return false;
    round_doubles(results, count, products, how->mode, &seen);
    return end_rounding(seen, results, flags);
}

#endif
