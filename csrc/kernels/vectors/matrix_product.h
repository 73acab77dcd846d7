/* Products of matrices: dot products, exact, then rounded once.
 *
 * Products of halves are exact in double, and so are most sums of them: the processor tells, by
 * recording nothing inexact. Where it does, in a tile of a few rows and up to TILE_DEPTH
 * products, each product is cut at MATRIX_BASE's last place, 2^-6, as those sums are in any
 * case before more tiles are added: what is cut off is below 2^-6 and a multiple of 2^-48, so
 * that of 2^11 terms both parts are exact. In any rounding mode. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_PRODUCT_H
#define HALFCL_KERNELS_VECTORS_MATRIX_PRODUCT_H

#include "format/strided.h"
#include "kernels/folds/along_rows.h"
#include "kernels/folds/few_rows.h"
#include "kernels/vectors/geometric.h"

enum { TILE_ROWS = 4, TILE_DEPTH = 256, MATRIX_ROWS = 32, MOST_DEPTH = 1 << 11 };

#define MATRIX_BASE 0x1.8p46

/* The sums of rows by LANES columns of the product, in two parts, and what is multiplied for a
 * tile of them. */
typedef struct {
    double high[MATRIX_ROWS][LANES], low[MATRIX_ROWS][LANES];
    double a[TILE_ROWS][TILE_DEPTH], b[TILE_DEPTH][LANES];
} matrix_block;

static char *element_of(const halfcl_matrix *of, size_t row, size_t column)
{
    return of->start + (ptrdiff_t)row * of->row + (ptrdiff_t)column * of->column;
}

/* n halves as doubles, and zeros up to a whole vector. */
ALWAYS_INLINE void put_doubles(double *to, const char *from, ptrdiff_t step, size_t n)
{
    uint16_t buffer[TILE_DEPTH];
    const uint16_t *halves = halfcl_is_direct(from, step, sizeof *halves)
                                 ? (const uint16_t *)(const void *)from
                                 : halfcl_gather(buffer, from, step, n);
    for (size_t i = 0; i < n; i += LANES) {
        vf part = load_upto(halves + i, n - i);
        vd_store(to + i, vd_low(part));
        vd_store(to + i + LANES / 2, vd_high(part));
    }
    for (size_t i = n; i % LANES; ++i)
        to[i] = 0;
}

typedef struct {
    vd low, high;
} row_sums;

ALWAYS_INLINE row_sums add_scaled(row_sums sum, double a, const double *b)
{
    const vd factor = vd_set(a);
    return (row_sums){vd_muladd(factor, vd_load(b), sum.low),
                      vd_muladd(factor, vd_load(b + LANES / 2), sum.high)};
}

ALWAYS_INLINE void put_row(double *to, row_sums sum)
{
    vd_store(to, sum.low);
    vd_store(to + LANES / 2, sum.high);
}

/* Sums of products for TILE_ROWS rows; those that are not there hold anything. */
static void multiply_rows(const matrix_block *m, size_t depth, double (*sums)[LANES])
{
    const row_sums none = {vd_set(0), vd_set(0)};
    row_sums first = none, second = none, third = none, fourth = none;
    for (size_t k = 0; k < depth; ++k) {
        first = add_scaled(first, m->a[0][k], m->b[k]);
        second = add_scaled(second, m->a[1][k], m->b[k]);
        third = add_scaled(third, m->a[2][k], m->b[k]);
        fourth = add_scaled(fourth, m->a[3][k], m->b[k]);
    }
    put_row(sums[0], first);
    put_row(sums[1], second);
    put_row(sums[2], third);
    put_row(sums[3], fourth);
}

/* The same of one, of which the sums are more than one that do not wait for each other. */
static void multiply_row(const matrix_block *m, size_t depth, double (*sums)[LANES])
{
    const row_sums none = {vd_set(0), vd_set(0)};
    row_sums even = none, odd = none;
    size_t k = 0;
    for (; k + 2 <= depth; k += 2) {
        even = add_scaled(even, m->a[0][k], m->b[k]);
        odd = add_scaled(odd, m->a[0][k + 1], m->b[k + 1]);
    }
    if (k < depth)
        even = add_scaled(even, m->a[0][k], m->b[k]);
    put_row(sums[0], (row_sums){vd_add(even.low, odd.low), vd_add(even.high, odd.high)});
}

/* Adds terms to sums in two parts. */
ALWAYS_INLINE void add_in_parts(double *high, double *low, vd term)
{
    const vd base = vd_set(MATRIX_BASE);
    const vd top = vd_sub(vd_add(term, base), base);
    vd_store(high, vd_add(vd_load(high), top));
    vd_store(low, vd_add(vd_load(low), vd_sub(term, top)));
}

static void add_products_in_parts(matrix_block *m, size_t row, const double *a, size_t depth)
{
    for (size_t k = 0; k < depth; ++k) {
        for (size_t c = 0; c < LANES; c += LANES / 2)
            add_in_parts(m->high[row] + c, m->low[row] + c,
                         vd_mul(vd_set(a[k]), vd_load(m->b[k] + c)));
    }
}

/* Adds to the sums of rows, from first on, their products of one depth. */
static void add_tile(matrix_block *m, size_t first, size_t rows, size_t depth, bool alone)
{
    double sums[TILE_ROWS][LANES];
    halfcl_watch_inexact();
    if (rows == 1)
        multiply_row(m, depth, sums);
    else
        multiply_rows(m, depth, sums);
    const bool exact = were_exact(sums);
    for (size_t r = 0; r < rows; ++r) {
        if (exact && alone)
            memcpy(m->high[first + r], sums[r], sizeof sums[r]);
        else if (!exact)
            add_products_in_parts(m, first + r, m->a[r], depth);
        else
            for (size_t c = 0; c < LANES; c += LANES / 2)
                add_in_parts(m->high[first + r] + c, m->low[first + r] + c,
                             vd_load(sums[r] + c));
    }
}

static void add_tiles(matrix_block *m, const halfcl_matrix_product *p, size_t i, size_t rows,
                      size_t j, size_t columns)
{
    memset(m->high, 0, rows * sizeof *m->high);
    memset(m->low, 0, rows * sizeof *m->low);
    for (size_t k = 0; k < p->n; k += TILE_DEPTH) {
        const size_t depth = p->n - k < TILE_DEPTH ? p->n - k : TILE_DEPTH;
        for (size_t d = 0; d < depth; ++d)
            put_doubles(m->b[d], element_of(&p->b, k + d, j), p->b.column, columns);
        for (size_t r = 0; r < rows; r += TILE_ROWS) {
            const size_t some = rows - r < TILE_ROWS ? rows - r : TILE_ROWS;
            for (size_t t = 0; t < TILE_ROWS && (some > 1 || t == 0); ++t)
                put_doubles(m->a[t], element_of(&p->a, i + r + (t < some ? t : 0), k),
                            p->a.column, depth);
            add_tile(m, r, some, depth, p->n <= TILE_DEPTH);
        }
    }
}

/* One element of the product, however it comes out. */
static unsigned multiply_slowly(const halfcl_matrix_product *p, size_t i, size_t j,
                                uint16_t *result, halfcl_rounding mode)
{
    uint16_t row[HALFCL_BLOCK], column[HALFCL_BLOCK];
    halfcl_fold_state sum = {.seen = HALFCL_FROM_ZERO};
    for (size_t k = 0; k < p->n; k += HALFCL_BLOCK) {
        const size_t n = p->n - k < HALFCL_BLOCK ? p->n - k : HALFCL_BLOCK;
        const void *const factors[] = {
            halfcl_gather(row, element_of(&p->a, i, k), p->a.column, n),
            halfcl_gather(column, element_of(&p->b, k, j), p->b.row, n)};
        dot_add(&sum, factors, n);
    }
    return dot_finish(&sum, result, mode);
}

/* A sum in two parts. */
static unsigned round_parts(double high, double low, uint16_t *result, halfcl_rounding mode)
{
    halfcl_fold_state sum = {.seen = HALFCL_FROM_ZERO};
    add_products(&sum.sum, high);
    add_products(&sum.sum, low);
    return dot_finish(&sum, result, mode);
}

/* A row of the product, of which the sums are exact in double. Infinities and NaNs are computed
 * anew, and zeros of which the sign may matter. */
static unsigned round_row(const double *sums, const halfcl_matrix_product *p, size_t i,
                          size_t j, size_t columns, uint16_t *results, halfcl_rounding mode)
{
    acc seen = acc_none();
    unsigned flags = 0;
    vf sum = vf_join_odd(vd_load(sums), vd_load(sums + LANES / 2));
    const uint32_t again =
        (uint32_t)vm_bits(mode == HALFCL_RTN ? vf_zero_or_special(sum) : vf_special(sum));
    acc_tiny(&seen, sum);
    vh_store(results, vf_narrow(sum, mode, &seen));
    for (size_t c = 0; c < columns && again >> c; ++c)
        flags |= again >> c & 1 ? multiply_slowly(p, i, j + c, &results[c], mode) : 0;
    return flags | acc_flags(seen);
}

/* The same, of which some are not. */
static unsigned round_row_in_parts(const double *high, const double *low,
                                   const halfcl_matrix_product *p, size_t i, size_t j,
                                   size_t columns, uint16_t *results, halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t c = 0; c < columns; ++c) {
        const bool again = is_special(high[c]) || high[c] + low[c] == 0;
        flags |= again ? multiply_slowly(p, i, j + c, &results[c], mode)
                       : round_parts(high[c], low[c], &results[c], mode);
    }
    return flags;
}

/* Rows by up to LANES columns, from (i, j) on. */
static unsigned multiply_part(matrix_block *m, const halfcl_matrix_product *p, size_t i,
                              size_t rows, size_t j, size_t columns, halfcl_rounding mode)
{
    double sums[MATRIX_ROWS][LANES];
    unsigned flags = 0;
    add_tiles(m, p, i, rows, j, columns);
    halfcl_watch_inexact();
    for (size_t r = 0; r < rows; ++r) {
        for (size_t c = 0; c < LANES; c += LANES / 2)
            vd_store(sums[r] + c, vd_add(vd_load(m->high[r] + c), vd_load(m->low[r] + c)));
    }
    const bool exact = were_exact(sums);
    for (size_t r = 0; r < rows; ++r) {
        uint16_t results[LANES];
        flags |= exact ? round_row(sums[r], p, i + r, j, columns, results, mode)
                       : round_row_in_parts(m->high[r], m->low[r], p, i + r, j, columns,
                                            results, mode);
        halfcl_copy(element_of(&p->out, i + r, j), p->out.column, (const char *)results,
                    sizeof *results, columns);
    }
    return flags;
}

/* By one dot product after the other: of long rows, and where there are few columns. */

/* Up to MATRIX_ROWS elements of column j, from row i on. */
static unsigned multiply_column(const halfcl_matrix_product *p, size_t i, size_t rows, size_t j,
                                halfcl_rounding mode)
{
    uint16_t row_buffer[HALFCL_BLOCK], column_buffer[HALFCL_BLOCK], products[MATRIX_ROWS];
    halfcl_fold_state sums[MATRIX_ROWS];
    for (size_t r = 0; r < rows; ++r)
        sums[r] = (halfcl_fold_state){.seen = HALFCL_FROM_ZERO}; /* from +0 on, as NumPy's */
    for (size_t k = 0; k < p->n; k += HALFCL_BLOCK) {
        const size_t n = p->n - k < HALFCL_BLOCK ? p->n - k : HALFCL_BLOCK;
        const uint16_t *column =
            halfcl_gather(column_buffer, element_of(&p->b, k, j), p->b.row, n);
        for (size_t r = 0; r < rows; ++r) {
            const uint16_t *row =
                halfcl_gather(row_buffer, element_of(&p->a, i + r, k), p->a.column, n);
            dot_add(&sums[r], (const void *[]){row, column}, n);
        }
    }
    unsigned flags = dot_finish_all((const char *)sums, sizeof *sums, rows, products, mode);
    halfcl_copy(element_of(&p->out, i, j), p->out.row, (const char *)products, sizeof *products,
                rows);
    return flags;
}

static bool suits_dots(const halfcl_matrix_product *p)
{
    enum { LONG_ROW = 24, FEW_COLUMNS = 4, FEW_ROWS = 8 };
    return p->n > MOST_DEPTH ||
           (p->p < FEW_COLUMNS && (p->n >= LONG_ROW || (p->m < FEW_ROWS && p->n > FEW_ROWS)));
}

/* The same of rows and columns in one piece, whose sums are enclosed first. */
static unsigned multiply_enclosed(const halfcl_matrix_product *p, halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t j = 0; j < p->p; ++j) {
        const halfcl_vectors operands[] = {
            {element_of(&p->a, 0, 0), p->a.row, p->a.column, p->n},
            {element_of(&p->b, 0, j), 0, p->b.row, p->n},
            {element_of(&p->out, 0, j), p->out.row, sizeof(uint16_t), 1}};
        flags |= vecdot_vectors(operands, p->m, mode);
    }
    return flags;
}

static bool suits_enclosures(const halfcl_matrix_product *p)
{
    const ptrdiff_t size = sizeof(uint16_t);
    return HAVE_FMA && p->a.column == size && p->b.row == size;
}

static unsigned dot_multiply(const halfcl_matrix_product *p, halfcl_rounding mode)
{
    const bool dots = suits_dots(p);
    if (dots && suits_enclosures(p))
        return multiply_enclosed(p, mode);
    const size_t width = dots ? 1 : LANES;
    matrix_block block;
    unsigned flags = 0;
    for (size_t j = 0; j < p->p; j += width) {
        const size_t columns = p->p - j < width ? p->p - j : width;
        for (size_t i = 0; i < p->m; i += MATRIX_ROWS) {
            const size_t rows = p->m - i < MATRIX_ROWS ? p->m - i : MATRIX_ROWS;
            flags |= dots ? multiply_column(p, i, rows, j, mode)
                          : multiply_part(&block, p, i, rows, j, columns, mode);
        }
    }
    return flags;
}

#define SUM_KERNELS                                                                            \
    FOLD_OF_MANY("add_reduce", 1, sum_add, merge_sums, sum_finish, sum_add_rows, sum_add_each, \
                 sum_finish_all, NULL, .take_few = sum_few_rows)                               \
    FOLD_OF_MANY("dot", 2, dot_add, merge_sums, dot_finish, dot_add_rows, NULL,                \
                 dot_finish_all, dot_multiply, .take_few = dot_few_rows)

#endif
