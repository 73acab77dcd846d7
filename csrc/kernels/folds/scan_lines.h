/* Scans of many lines, each from no elements on: of rows that follow each other in memory, or
 * of columns side by side.
 *
 * A double holds every sum of a block of halves (scan.h), and the state after a line is not
 * needed. So a line needs no wide integers, unless it has infinities or NaNs. */
#ifndef HALFCL_KERNELS_FOLDS_SCAN_LINES_H
#define HALFCL_KERNELS_FOLDS_SCAN_LINES_H

#include "kernels/folds/scan.h"

/* Computes running results of the n numbers of a row, in place. */
typedef void run_along_row(double *row, size_t n, double zero);

ALWAYS_INLINE void sum_along_row(double *row, size_t n, double zero)
{
    double sum = zero;
    for (size_t k = 0; k < n; ++k)
        row[k] = sum += row[k];
}

ALWAYS_INLINE void multiply_along_row(double *row, size_t n, double zero)
{
    halfcl_fold_state state;
    (void)zero;
    state.seen = 0;
    state.product.exponent = 0;
    for (size_t k = 0; k < n; k += PRODUCT_STEPS)
        running_products(&state, row + k, n - k < PRODUCT_STEPS ? n - k : PRODUCT_STEPS);
}

/* The usual lengths are constants for the compiler. */
ALWAYS_INLINE void run_along_rows(double *rows, size_t n, size_t size, double zero,
                                  run_along_row *run)
{
#define ROWS_OF(length)                                                                        \
    for (size_t at = 0; at < size; at += (length))                                             \
    run(rows + at, length, zero)
    if (n == 2)
        ROWS_OF(2);
    else if (n == 3)
        ROWS_OF(3);
    else if (n == 4)
        ROWS_OF(4);
    else if (n == 8)
        ROWS_OF(8);
    else
        ROWS_OF(n);
#undef ROWS_OF
}

static unsigned scan_row_by_row(const uint16_t *a, size_t n, size_t size, uint16_t *out,
                                halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t at = 0; at < size; at += n) {
        halfcl_fold_state state = {0};
        flags |= scan_to_halves(&state, a + at, n, out + at, mode);
    }
    return flags;
}

/* Scans a block of whole rows, size halves in all, each from no elements on. */
typedef unsigned scan_some_rows(const uint16_t *a, size_t n, size_t size, uint16_t *out,
                                halfcl_rounding mode);

static unsigned sum_some_rows(const uint16_t *a, size_t n, size_t size, uint16_t *out,
                              halfcl_rounding mode)
{
    double sums[SCAN_ROOM];
    if (has_specials(a, size))
        return scan_row_by_row(a, n, size, out, mode);
    widen_halves(a, size, sums);
    run_along_rows(sums, n, size, neutral_zero(mode), sum_along_row);
    return store_halves(sums, size, out, mode);
}

static unsigned multiply_some_rows(const uint16_t *a, size_t n, size_t size, uint16_t *out,
                                   halfcl_rounding mode)
{
    double products[SCAN_ROOM];
    widen_halves(a, size, products);
    run_along_rows(products, n, size, 0, multiply_along_row);
    return store_products(products, size, out, mode);
}

/* Scans as many rows at a time as fit a block. */
ALWAYS_INLINE unsigned scan_all_rows(const uint16_t *a, size_t n, size_t count, uint16_t *out,
                                     halfcl_rounding mode, scan_some_rows *scan)
{
    const size_t block = SCAN_BLOCK / n * n;
    unsigned flags = 0;
    for (size_t at = 0; at < n * count; at += block) {
        const size_t remaining = n * count - at;
        flags |= scan(a + at, n, remaining < block ? remaining : block, out + at, mode);
    }
    return flags;
}

static unsigned scan_sum_rows(const uint16_t *a, size_t n, size_t count, uint16_t *out,
                              halfcl_rounding mode)
{
    return scan_all_rows(a, n, count, out, mode, sum_some_rows);
}

static unsigned scan_product_rows(const uint16_t *a, size_t n, size_t count, uint16_t *out,
                                  halfcl_rounding mode)
{
    return scan_all_rows(a, n, count, out, mode, multiply_some_rows);
}

static bool have_specials(const char *in, ptrdiff_t step, size_t rows, size_t columns)
{
    bool any = false;
    for (size_t r = 0; r < rows && !any; ++r)
        any = has_specials(row_at(in, step, r), columns);
    return any;
}

/* Scans a column with infinities or NaNs. */
static unsigned scan_special_column(const char *in, ptrdiff_t in_step, char *out,
                                    ptrdiff_t out_step, size_t rows, halfcl_rounding mode)
{
    halfcl_fold_state state = {0};
    unsigned flags = 0;
    for (size_t r = 0; r < rows; r += SCAN_ROWS)
        flags |= scan_column(&state, in + (ptrdiff_t)r * in_step, in_step,
                             out + (ptrdiff_t)r * out_step, out_step,
                             rows - r < SCAN_ROWS ? rows - r : SCAN_ROWS, mode);
    return flags;
}

static bool scan_sum_columns(const char *in, ptrdiff_t in_step, char *out, ptrdiff_t out_step,
                             size_t rows, size_t columns, halfcl_rounding mode, unsigned *flags)
{
    double start[LANES];
    acc seen = acc_none();
    *flags = 0;
    for (size_t k = 0; k < LANES; ++k)
        start[k] = neutral_zero(mode);
    for (size_t k = 0; k < columns; k += LANES) {
        const size_t some = columns - k < LANES ? columns - k : LANES;
        const char *from = in + 2 * k;
        char *to = out + 2 * k;
        if (have_specials(from, in_step, rows, some)) {
            for (size_t i = 0; i < some; ++i)
                *flags |= scan_special_column(from + 2 * i, in_step, to + 2 * i, out_step, rows,
                                              mode);
        } else if (some < LANES) {
            scan_lanes(start, some, from, in_step, to, out_step, rows, mode, &seen);
        } else {
            scan_lanes(start, LANES, from, in_step, to, out_step, rows, mode, &seen);
        }
    }
    *flags |= acc_flags(seen);
    return true;
}

ALWAYS_INLINE void scan_product_lanes(const char *in, ptrdiff_t in_step, char *out,
                                      ptrdiff_t out_step, size_t rows, size_t columns,
                                      halfcl_rounding mode, acc *seen)
{
    vd low = vd_set(1), high = vd_set(1);
    for (size_t r = 0; r < rows; ++r) {
        const vf part = load_upto(row_at(in, in_step, r), columns);
        low = vd_mul(low, vd_low(part));
        high = vd_mul(high, vd_high(part));
        const vf product = canonical(vf_join_odd(low, high));
        acc_tiny(seen, product);
        store_upto((uint16_t *)(void *)(out + (ptrdiff_t)r * out_step),
                   vf_narrow(product, mode, seen), columns);
    }
}

/* Scans columns of few enough rows for the range of double. */
static bool scan_product_columns(const char *in, ptrdiff_t in_step, char *out,
                                 ptrdiff_t out_step, size_t rows, size_t columns,
                                 halfcl_rounding mode, unsigned *flags)
{
    acc seen = acc_none();
    if (rows > PRODUCT_STEPS)
        return false;
    for (size_t k = 0; k < columns; k += LANES)
        scan_product_lanes(in + 2 * k, in_step, out + 2 * k, out_step, rows, columns - k, mode,
                           &seen);
    *flags = acc_flags(seen);
    return true;
}

#define SCAN(name, out, ...) {name, HALFCL_SCAN, {1, 1, {HALFCL_HALF, out}}, {__VA_ARGS__}},
#define RUNNING_SUMS(out, ...)                                                                 \
    SCAN("add_accumulate", out, .scan_add = sum_add, .scan_merge = merge_sums, __VA_ARGS__)
#define SCAN_KERNELS                                                                           \
    RUNNING_SUMS(HALFCL_HALF, .scan = scan_to_halves, .scan_down = scan_down_to_halves,        \
                 .scan_rows = scan_sum_rows, .scan_columns = scan_sum_columns)                 \
    RUNNING_SUMS(HALFCL_FLOAT, .scan = scan_to_floats)                                         \
    RUNNING_SUMS(HALFCL_DOUBLE, .scan = scan_to_doubles)                                       \
    SCAN("multiply_accumulate", HALFCL_HALF, .scan = multiply_scan,                            \
         .scan_rows = scan_product_rows, .scan_columns = scan_product_columns)

#endif
