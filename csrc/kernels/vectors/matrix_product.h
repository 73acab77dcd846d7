/* Products of matrices: each element is the exact sum of products, rounded once.
 *
 * Products of halves are exact in double. They are added in double, at the full speed of the
 * processor, and these sums determine most results:
 *
 * If the processor has recorded nothing inexact, for some rows, their sums are exact.
 *
 * Otherwise a sum c, of n terms in any order and rounding mode, is within (n + 1) 2^-52 (1 +
 * 2^-30) times the sum of the terms' magnitudes, which by Cauchy's inequality is at most the
 * product of the norms of row and column. With twice as much for an error e, c, c - e, c + e,
 * the norms and e may be rounded in any way, too. If no number at which half rounds
 * (kernels/shared/phases.h) lies between c - e and c + e, c rounds as the exact sum does, and
 * raises the same exceptions.
 *
 * The rest are hard cases: sums that cancel, ties among inexact sums, infinities and NaNs. If
 * these are few, exact dot products decide them. If they are many, everything is added again in
 * two parts which are exact: in five operations instead of one. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_PRODUCT_H
#define HALFCL_KERNELS_VECTORS_MATRIX_PRODUCT_H

#include <math.h>
#include <stdlib.h>

#include "kernels/folds/along_rows.h"
#include "kernels/folds/few_rows.h"
#include "kernels/vectors/geometric.h"
#include "kernels/vectors/matrix_element.h"
#include "kernels/vectors/matrix_small.h"
#include "kernels/vectors/matrix_vector.h"

/* A block of the product: a panel of it and the packed factors stay in the second-level
 * cache. */
enum { MOST_ROWS = 20 * TILE_ROWS, MOST_COLUMNS = 256, MOST_TILES = 20 };

/* With at most so many terms the parts are added exactly; with more, dot products are. */
enum { MOST_IN_PARTS = 1 << 15 };

typedef struct {
    const halfcl_matrix_product *p;
    halfcl_rounding mode;
    size_t depth, rows, columns; /* the greatest of a block */
    double *panels, *packed, *sums, *rests;
} matrix_work;

/* The position of a block in the product, and data about its sums. rows and columns are counts;
 * the sums of a row are `step` apart from the next row's. */
typedef struct {
    size_t i, j, rows, columns, step;
    bool inexact[MOST_TILES];
    double row_squares[MOST_ROWS],
        column_squares[MOST_COLUMNS]; /* squares of norms; for columns then the norms */
    bool any_hard;
    char hard[MOST_ROWS][MOST_COLUMNS / 8];
} matrix_block;

ALWAYS_INLINE size_t round_up_to(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* ---------------------------------------------------------------- sums */

static void find_roots(double *squares, size_t n)
{
    for (size_t k = 0; k < n; ++k)
        squares[k] = sqrt(squares[k]);
}

static void add_row_squares(double *squares, const double *packed, size_t rows, size_t depth)
{
    for (size_t i = 0; i < rows; ++i) {
        vd sum = vd_set(0);
        double lanes[LANES / 2];
        for (size_t k = 0; k < depth; k += LANES / 2) {
            const vd x = vd_load(packed + i * PACKED_ROW + k);
            sum = vd_muladd(x, x, sum);
        }
        vd_store(lanes, sum);
        for (size_t k = 0; k < LANES / 2; ++k)
            squares[i] += lanes[k];
    }
}

static void add_column_squares(double *squares, const double *panels, size_t columns,
                               size_t depth)
{
    for (size_t j = 0; j < columns; j += LANES) {
        row_sums sum = load_sums(squares + j);
        for (size_t k = 0; k < depth; ++k) {
            const row_sums row = load_sums(panels + j * depth + k * LANES);
            sum.low = vd_muladd(row.low, row.low, sum.low);
            sum.high = vd_muladd(row.high, row.high, sum.high);
        }
        put_sums(squares + j, sum);
    }
}

/* Calls a function for the packed rows of each tile of the block, for a part of the depth. */
typedef void add_to_rows(const matrix_work *w, matrix_block *block, size_t row, size_t rows,
                         size_t k, size_t depth);

ALWAYS_INLINE void iterate_tiles(const matrix_work *w, matrix_block *block, add_to_rows *add)
{
    const halfcl_matrix_product *p = w->p;
    for (size_t k = 0; k < p->n; k += w->depth) {
        const size_t depth = least_of(p->n - k, w->depth);
        const halfcl_matrix b = matrix_from(&p->b, k, block->j);
        pack_panels(w->panels, &b, depth, block->columns);
        for (size_t row = 0; row < block->rows; row += TILE_ROWS) {
            const size_t rows = least_of(block->rows - row, TILE_ROWS);
            const halfcl_matrix a = matrix_from(&p->a, block->i + row, k);
            pack_rows(w->packed, &a, rows, depth);
            add(w, block, row, rows, k, depth);
        }
    }
}

/* The squares are needed if a sum is inexact, which is known only at the end. */
static void add_rows_plainly(const matrix_work *w, matrix_block *block, size_t row, size_t rows,
                             size_t k, size_t depth)
{
    const bool last = k + depth == w->p->n;
    bool *inexact = &block->inexact[row / TILE_ROWS];
    double *sums = w->sums + row * block->step;
    add_products_of_tile *add_tile = tile_of(rows);
    halfcl_watch_inexact();
    for (size_t j = 0; j < block->columns; j += LANES)
        add_tile(sums + j, block->step, w->packed, w->panels + j * depth, depth, k == 0);
    *inexact |= !were_exact(sums);
    if (!last || *inexact)
        add_row_squares(block->row_squares + row, w->packed, rows, depth);
    if (row == 0 && !last)
        add_column_squares(block->column_squares, w->panels, block->columns, depth);
}

static void add_block(const matrix_work *w, matrix_block *block)
{
    bool any = false;
    memset(block->inexact, 0, sizeof block->inexact);
    memset(block->row_squares, 0, block->rows * sizeof *block->row_squares);
    memset(block->column_squares, 0,
           round_up_to(block->columns, LANES) * sizeof *block->column_squares);
    iterate_tiles(w, block, add_rows_plainly);
    for (size_t tile = 0; tile < MOST_TILES; ++tile)
        any |= block->inexact[tile];
    if (!any)
        return;
    /* The panels are still those of the last depth. */
    add_column_squares(block->column_squares, w->panels, block->columns,
                       (w->p->n - 1) % w->depth + 1);
    find_roots(block->column_squares, block->columns);
}

/* In parts: each product is split at PARTS_BASE's last place, 2^-6. The low part is below that
 * and a multiple of 2^-48, so that for MOST_DEPTH terms both parts are exact; and so are the
 * sums of the high parts of all. */

#define PARTS_BASE 0x1.8p46

ALWAYS_INLINE void add_in_parts(vd *high, vd *low, vd term)
{
    const vd base = vd_set(PARTS_BASE);
    const vd top = vd_sub(vd_add(term, base), base);
    *high = vd_add(*high, top);
    *low = vd_add(*low, vd_sub(term, top));
}

/* Multiplies a row and a panel. The low part stays below the split. */
ALWAYS_INLINE void add_products_in_parts(double *sums, double *rests, const double *a,
                                         const double *b, size_t depth)
{
    row_sums high = load_sums(sums), low = {vd_set(0), vd_set(0)}, rest = load_sums(rests);
    for (size_t k = 0; k < depth; ++k) {
        const vd x = vd_set(a[k]);
        add_in_parts(&high.low, &low.low, vd_mul(x, vd_load(b + k * LANES)));
        add_in_parts(&high.high, &low.high, vd_mul(x, vd_load(b + k * LANES + LANES / 2)));
    }
    add_in_parts(&high.low, &rest.low, low.low);
    add_in_parts(&high.high, &rest.high, low.high);
    low = (row_sums){vd_set(0), vd_set(0)};
    add_in_parts(&high.low, &low.low, rest.low);
    add_in_parts(&high.high, &low.high, rest.high);
    put_sums(sums, high);
    put_sums(rests, low);
}

static void add_rows_in_parts(const matrix_work *w, matrix_block *block, size_t row,
                              size_t rows, size_t k, size_t depth)
{
    (void)k;
    for (size_t j = 0; j < block->columns; j += LANES) {
        for (size_t i = 0; i < rows; ++i) {
            const size_t at = (row + i) * block->step + j;
            add_products_in_parts(w->sums + at, w->rests + at, w->packed + i * PACKED_ROW,
                                  w->panels + j * depth, depth);
        }
    }
}

/* ---------------------------------------------------------------- rounding */

ALWAYS_INLINE void note_hard(matrix_block *block, size_t row, size_t column, vm hard)
{
    if (!vm_any(hard))
        return;
    vm_put(block->hard[row], column, hard);
    block->any_hard = true;
}

/* Rounds a row whose sums are exact. */
static void round_exact_row(const matrix_work *w, matrix_block *block, size_t row,
                            uint16_t *results, acc *seen)
{
    const double *sums = w->sums + row * block->step;
    for (size_t j = 0; j < block->columns; j += LANES) {
        const vf sum = vf_join_odd(vd_load(sums + j), vd_load(sums + j + LANES / 2));
        const vm hard = hard_sums(sum, w->mode);
        note_hard(block, row, j, hard);
        store_upto(results + j, round_sums_except(sum, hard, w->mode, seen),
                   block->columns - j);
    }
}

/* Rounds a row whose error is so many times the norms of the columns. */
static void round_inexact_row(const matrix_work *w, matrix_block *block, size_t row,
                              double error, uint16_t *results, acc *seen)
{
    const vd scale = vd_set(error);
    for (size_t j = 0; j < block->columns; j += LANES) {
        const row_sums norms = load_sums(block->column_squares + j);
        const row_sums errors = {vd_mul(scale, norms.low), vd_mul(scale, norms.high)};
        const sum_bounds bounds = bounds_of(load_sums(w->sums + row * block->step + j), errors);
        const vm hard = may_round_apart(bounds.low, bounds.high);
        note_hard(block, row, j, hard);
        store_upto(results + j, round_sums_except(bounds.high, hard, w->mode, seen),
                   block->columns - j);
    }
}

/* Rounds a row whose sums are in two parts: exact, or rounded once. Zeros are exact, but their
 * sign may be wrong in HALFCL_RTN. */
static void round_row_of_parts(const matrix_work *w, matrix_block *block, size_t row,
                               uint16_t *results, acc *seen)
{
    double *sums = w->sums + row * block->step, *rests = w->rests + row * block->step;
    double totals[MOST_COLUMNS];
    halfcl_watch_inexact();
    for (size_t j = 0; j < block->step; j += LANES / 2)
        vd_store(totals + j, vd_add(vd_load(sums + j), vd_load(rests + j)));
    const vd error = vd_set(were_exact(totals) ? 0 : 0x1p-51);
    for (size_t j = 0; j < block->columns; j += LANES) {
        const row_sums sum = load_sums(totals + j);
        const vd low = vd_mul(sum.low, error), high = vd_mul(sum.high, error), zero = vd_set(0);
        const row_sums errors = {vd_max(low, vd_sub(zero, low)),
                                 vd_max(high, vd_sub(zero, high))};
        const sum_bounds bounds = bounds_of(sum, errors);
        const vm hard =
            vm_or(may_round_apart(bounds.low, bounds.high), vf_zero_or_special(bounds.high));
        note_hard(block, row, j, hard);
        store_upto(results + j, round_sums_except(bounds.high, hard, w->mode, seen),
                   block->columns - j);
    }
}

/* Rounds an element whose sum is in two parts. For zeros the sign may matter. */
static unsigned round_parts(const matrix_work *w, const matrix_block *block, size_t row,
                            size_t column, uint16_t *result)
{
    const size_t at = row * block->step + column;
    const double high = w->sums[at], low = w->rests[at];
    halfcl_fold_state sum = {.seen = HALFCL_FROM_ZERO};
    if (is_special(high) || is_special(low) || high + low == 0)
        return multiply_element(w->p, block->i + row, block->j + column, result, w->mode);
    add_products(&sum.sum, high);
    add_products(&sum.sum, low);
    return dot_finish(&sum, result, w->mode);
}

/* Returns 64 hard cases of a row. */
ALWAYS_INLINE uint64_t hard_columns(const matrix_block *block, size_t row, size_t column)
{
    return hard_cases_of_group(block->hard[row], column / GROUP, block->columns);
}

static bool has_many_hard(const matrix_block *block)
{
    enum { FEW_OF = 16 };
    size_t count = 0;
    for (size_t row = 0; row < block->rows; ++row) {
        for (size_t j = 0; j < block->columns; j += GROUP)
            count += (size_t)__builtin_popcountll(hard_columns(block, row, j));
    }
    return count * FEW_OF > block->rows * block->columns;
}

static unsigned solve_hard_elements(const matrix_work *w, const matrix_block *block,
                                    bool in_parts)
{
    unsigned flags = 0;
    for (size_t row = 0; row < block->rows; ++row) {
        for (size_t j = 0; j < block->columns; j += GROUP) {
            for (uint64_t hard = hard_columns(block, row, j); hard; hard &= hard - 1) {
                const size_t column = j + (size_t)__builtin_ctzll(hard);
                uint16_t result;
                flags |= in_parts ? round_parts(w, block, row, column, &result)
                                  : multiply_element(w->p, block->i + row, block->j + column,
                                                     &result, w->mode);
                memcpy(element_of(&w->p->out, block->i + row, block->j + column), &result,
                       sizeof result);
            }
        }
    }
    return flags;
}

/* Rounds the rows of a tile, and stores the results. */
static void round_rows(const matrix_work *w, matrix_block *block, size_t first, size_t rows,
                       bool in_parts, acc *seen)
{
    uint16_t buffer[TILE_ROWS * MOST_COLUMNS];
    const halfcl_matrix out = matrix_from(&w->p->out, block->i + first, block->j);
    const bool direct = has_direct_rows(&out);
    const bool inexact = block->inexact[first / TILE_ROWS];
    const double error = (double)(w->p->n + 4) * 0x1p-51;
    acc seen_here = *seen; /* in registers: results might alias `seen` */
    for (size_t row = first; row < first + rows; ++row) {
        uint16_t *results = direct ? (uint16_t *)element_of(&out, row - first, 0)
                                   : buffer + (row - first) * MOST_COLUMNS;
        if (in_parts)
            round_row_of_parts(w, block, row, results, &seen_here);
        else if (inexact)
            round_inexact_row(w, block, row, error * sqrt(block->row_squares[row]), results,
                              &seen_here);
        else
            round_exact_row(w, block, row, results, &seen_here);
    }
    *seen = seen_here;
    const halfcl_matrix from = {(char *)buffer, sizeof(uint16_t[MOST_COLUMNS]), sizeof *buffer};
    if (!direct)
        copy_matrix(&out, &from, rows, block->columns);
}

static unsigned round_block_of_sums(const matrix_work *w, matrix_block *block, bool in_parts)
{
    acc seen = acc_none();
    block->any_hard = false;
    memset(block->hard, 0, block->rows * sizeof *block->hard);
    for (size_t row = 0; row < block->rows; row += TILE_ROWS)
        round_rows(w, block, row, least_of(block->rows - row, TILE_ROWS), in_parts, &seen);
    return acc_flags(seen);
}

static unsigned multiply_in_parts(const matrix_work *w, matrix_block *block)
{
    const size_t size = round_up_to(block->rows, TILE_ROWS) * block->step * sizeof(double);
    memset(w->sums, 0, size);
    memset(w->rests, 0, size);
    iterate_tiles(w, block, add_rows_in_parts);
    return round_block_of_sums(w, block, true) | solve_hard_elements(w, block, true);
}

static unsigned multiply_one_block(const matrix_work *w, matrix_block *block)
{
    add_block(w, block);
    unsigned flags = round_block_of_sums(w, block, false);
    if (!block->any_hard)
        return flags;
    if (w->p->n <= MOST_IN_PARTS && has_many_hard(block))
        return flags | multiply_in_parts(w, block);
    return flags | solve_hard_elements(w, block, false);
}

/* ---------------------------------------------------------------- matrices */

/* Returns the number of doubles for blocks of such a size, without those for two parts. */
static size_t packed_size(const matrix_work *w)
{
    return w->depth * round_up_to(w->columns, LANES) + TILE_ROWS * PACKED_ROW;
}

static size_t sums_size(const matrix_work *w)
{
    return round_up_to(w->rows, TILE_ROWS) * round_up_to(w->columns, LANES);
}

static unsigned multiply_blocks(matrix_work *w, double *memory)
{
    matrix_block block;
    unsigned flags = 0;
    w->packed = memory;
    w->panels = w->packed + TILE_ROWS * PACKED_ROW;
    w->sums = w->packed + packed_size(w);
    w->rests = w->sums + sums_size(w);
    for (size_t j = 0; j < w->p->p; j += w->columns) {
        for (size_t i = 0; i < w->p->m; i += w->rows) {
            block.i = i;
            block.j = j;
            block.rows = least_of(w->p->m - i, w->rows);
            block.columns = least_of(w->p->p - j, w->columns);
            block.step = round_up_to(block.columns, LANES);
            flags |= multiply_one_block(w, &block);
        }
    }
    return flags;
}

/* The size of small blocks, which fit the stack. */
enum { STACK_ROWS = 2 * TILE_ROWS, STACK_COLUMNS = 2 * LANES, STACK_DEPTH = 48 };

static unsigned multiply_on_stack(matrix_work *w)
{
    _Alignas(CACHE_LINE) double memory[STACK_DEPTH * STACK_COLUMNS + TILE_ROWS * PACKED_ROW +
                                       2 * STACK_ROWS * STACK_COLUMNS];
    w->depth = STACK_DEPTH;
    w->rows = STACK_ROWS;
    w->columns = STACK_COLUMNS;
    return multiply_blocks(w, memory);
}

static __attribute__((noinline)) unsigned multiply_matrices(const halfcl_matrix_product *p,
                                                            halfcl_rounding mode)
{
    matrix_work w = {.p = p, .mode = mode};
    if (p->m <= STACK_ROWS && p->p <= STACK_COLUMNS && p->n <= STACK_DEPTH)
        return multiply_on_stack(&w);
    w.depth = least_of(p->n, MOST_DEPTH);
    w.rows = least_of(p->m, MOST_ROWS);
    w.columns = least_of(p->p, MOST_COLUMNS);
    const size_t size = (packed_size(&w) + 2 * sums_size(&w)) * sizeof(double);
    double *memory = malloc(size + CACHE_LINE);
    if (!memory)
        return multiply_on_stack(&w);
    const uintptr_t start = (uintptr_t)memory + CACHE_LINE;
    unsigned flags = multiply_blocks(&w, (double *)(start - start % CACHE_LINE));
    free(memory);
    return flags;
}

/* Stores the product of no terms. */
static unsigned multiply_nothing(const halfcl_matrix_product *p)
{
    for (size_t i = 0; i < p->m; ++i) {
        for (size_t j = 0; j < p->p; ++j)
            memset(element_of(&p->out, i, j), 0, sizeof(uint16_t));
    }
    return 0;
}

static halfcl_matrix_product transposed_product(const halfcl_matrix_product *p)
{
    return (halfcl_matrix_product){
        transpose(&p->b), transpose(&p->a), transpose(&p->out), p->p, p->n, p->m};
}

/* Returns the number of elements in the tiles of the product, including those beyond its
 * edges. */
static size_t size_in_tiles(const halfcl_matrix_product *p)
{
    return round_up_to(p->m, SHORT_TILE) * round_up_to(p->p, LANES);
}

/* Returns whether to multiply in lanes, given how many products make that worthwhile. */
static bool suits_lanes(const halfcl_matrix_stack *stack, size_t many)
{
    const halfcl_matrix_product *one = &stack->first;
    return HAVE_FMA && stack->count >= many && one->n > 0 && are_small(one->m, one->n, one->p);
}

/* Returns the product as a stack of products of its rows, and whether to compute it so: if the
 * rows are many and short. */
static halfcl_matrix_stack stack_of_rows(const halfcl_matrix_product *p)
{
    halfcl_matrix_stack rows = {*p, p->m, p->a.row, 0, p->out.row};
    rows.first.m = 1;
    return rows;
}

static bool suits_lanes_by_rows(const halfcl_matrix_product *p)
{
    enum { SHORT_ROW_OF_MATRIX = 16 };
    const halfcl_matrix_stack rows = stack_of_rows(p);
    return p->n <= SHORT_ROW_OF_MATRIX && suits_lanes(&rows, 2 * LANES);
}

static unsigned multiply_short_rows(const halfcl_matrix_product *p, halfcl_rounding mode)
{
    const halfcl_matrix_stack rows = stack_of_rows(p);
    return multiply_small(&rows, mode);
}

/* Multiplies rows by one column, whose dot products are enclosed first. A column that is not
 * contiguous, and not too long, is copied. */
static unsigned multiply_by_column(const halfcl_matrix_product *p, halfcl_rounding mode)
{
    enum { LONGEST_COPIED = 4096 };
    uint16_t copy[LONGEST_COPIED];
    halfcl_vectors column = {p->b.start, 0, p->b.row, p->n};
    if (p->n <= LONGEST_COPIED) {
        column.start = (char *)(uintptr_t)halfcl_gather(copy, column.start, p->b.row, p->n);
        column.component = sizeof *copy;
    }
    const halfcl_vectors operands[] = {{p->a.start, p->a.row, p->a.column, p->n},
                                       column,
                                       {p->out.start, p->out.row, sizeof *copy, 1}};
    return vecdot_vectors(operands, p->m, mode);
}

/* Returns whether to multiply by one column so: one row; and long contiguous rows where vectors
 * of doubles are short. */
static bool suits_column(const halfcl_matrix_product *p)
{
    enum { LONG_ROW = 24 };
    const bool long_rows = p->n >= LONG_ROW && p->a.column == sizeof(uint16_t) && LANES <= 8;
    return HAVE_FMA && p->p == 1 && (p->m == 1 || long_rows);
}

/* Returns whether rows are few: for more, or for a small product, packing the right factor
 * takes less time than widening it again and again. */
static bool suits_vectors(const halfcl_matrix_product *p)
{
    enum { COLUMNS_PER_ROW = 4 };
    return p->m <= LEFT_ROWS_AT_ONCE ? p->m <= p->p
                                     : p->m <= FEW_LEFT_ROWS && COLUMNS_PER_ROW * p->m <= p->p;
}

static unsigned multiply_product(const halfcl_matrix_product *p, halfcl_rounding mode)
{
    const halfcl_matrix_product transposed = transposed_product(p);
    if (p->n == 0)
        return multiply_nothing(p);
    if (suits_lanes_by_rows(p))
        return multiply_short_rows(p, mode);
    if (suits_lanes_by_rows(&transposed))
        return multiply_short_rows(&transposed, mode);
    if (suits_column(p))
        return multiply_by_column(p, mode);
    if (suits_column(&transposed))
        return multiply_by_column(&transposed, mode);
    if (suits_vectors(p))
        return multiply_vectors(p, mode, multiply_matrices);
    if (suits_vectors(&transposed))
        return multiply_vectors(&transposed, mode, multiply_matrices);
    return multiply_matrices(size_in_tiles(&transposed) < size_in_tiles(p) ? &transposed : p,
                             mode);
}

static unsigned dot_multiply(const halfcl_matrix_stack *stack, halfcl_rounding mode)
{
    unsigned flags = 0;
    if (stack->first.m == 0 || stack->first.p == 0)
        return 0;
    if (stack->count > 1 && suits_lanes(stack, LANES / 2))
        return multiply_small(stack, mode);
    for (size_t k = 0; k < stack->count; ++k) {
        const halfcl_matrix_product one = stacked_product(stack, k);
        flags |= multiply_product(&one, mode);
    }
    return flags;
}

#define SUM_KERNELS                                                                            \
    FOLD_OF_MANY("add_reduce", 1, sum_add, merge_sums, sum_finish, sum_add_rows, sum_add_each, \
                 sum_finish_all, NULL, .take_few = sum_few_rows, .round_few = round_few_sums,  \
                 .by_bounds = SUM_BY_BOUNDS)                                                   \
    FOLD_OF_MANY("dot", 2, dot_add, merge_sums, dot_finish, dot_add_rows, dot_add_each,        \
                 dot_finish_all, dot_multiply, .take_few = dot_few_rows,                       \
                 .round_few = round_few_products)

#endif
