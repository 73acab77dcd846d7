/* Sums, sums of products, and products of a few rows, for each column, in double. */
#ifndef HALFCL_KERNELS_FOLDS_FEW_ROWS_H
#define HALFCL_KERNELS_FOLDS_FEW_ROWS_H

#include "kernels/folds/by_rows.h"

typedef struct {
    vd low, high;
} wide_pair;

/* Combines a row's part with the current one. */
typedef wide_pair take_wide(wide_pair so_far, vf terms);

ALWAYS_INLINE wide_pair add_wide(wide_pair sum, vf terms)
{
    return (wide_pair){vd_add(sum.low, vd_low(terms)), vd_add(sum.high, vd_high(terms))};
}

ALWAYS_INLINE wide_pair times_wide(wide_pair product, vf terms)
{
    return (wide_pair){vd_mul(product.low, vd_low(terms)),
                       vd_mul(product.high, vd_high(terms))};
}

ALWAYS_INLINE vf terms_at(const void *rows, ptrdiff_t step, size_t r, size_t k, size_t columns)
{
    const uint16_t *at = row_at(rows, step, r) + k;
    return columns < LANES ? load_n(at, columns) : load(at);
}

ALWAYS_INLINE void take_columns(double *results, size_t k, size_t columns,
                                const void *const *inputs, const ptrdiff_t *steps, size_t rows,
                                bool squares, bool products, double start, take_wide *take)
{
    wide_pair all = {vd_set(start), vd_set(start)};
    for (size_t r = 0; r < rows; ++r) {
        vf terms = terms_at(inputs[0], steps[0], r, k, columns);
        if (products)
            terms =
                vf_mul(terms, squares ? terms : terms_at(inputs[1], steps[1], r, k, columns));
        all = take(all, terms);
    }
    vd_store(results + k, all.low);
    vd_store(results + k + LANES / 2, all.high);
}

/* Returns whether all operations were exact. */
ALWAYS_INLINE bool take_rows(double *results, size_t count, const void *const *inputs,
                             const ptrdiff_t *steps, size_t rows, bool squares, bool products,
                             double start, take_wide *take)
{
    size_t k = 0;
    halfcl_watch_inexact();
    for (; k + LANES <= count; k += LANES)
        take_columns(results, k, LANES, inputs, steps, rows, squares, products, start, take);
    if (k < count)
        take_columns(results, k, count - k, inputs, steps, rows, squares, products, start,
                     take);
    return were_exact(results);
}

static bool sum_few_rows(double *results, size_t count, const void *const *inputs,
                         const ptrdiff_t *steps, size_t rows)
{
    return take_rows(results, count, inputs, steps, rows, false, false, 0, add_wide);
}

static bool dot_few_rows(double *results, size_t count, const void *const *inputs,
                         const ptrdiff_t *steps, size_t rows)
{
    const bool squares = inputs[0] == inputs[1] && steps[0] == steps[1];
    return squares ? take_rows(results, count, inputs, steps, rows, true, true, 0, add_wide)
                   : take_rows(results, count, inputs, steps, rows, false, true, 0, add_wide);
}

static bool multiply_few_rows(double *results, size_t count, const void *const *inputs,
                              const ptrdiff_t *steps, size_t rows)
{
    return take_rows(results, count, inputs, steps, rows, false, false, 1, times_wide);
}

#endif
