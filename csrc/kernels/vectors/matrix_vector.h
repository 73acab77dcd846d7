/* Products of a few rows and a matrix, such as a vector's: each element of the matrix is read
 * once, in the order of memory, and is widened to double then.
 *
 * Sums are exact unless the processor recorded something inexact. It is asked after each part
 * of the matrix, and a part for which it did is read again, out of the cache, to bound the
 * error: of each addition, 2^-52 of its result, in any rounding mode. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_VECTOR_H
#define HALFCL_KERNELS_VECTORS_MATRIX_VECTOR_H

#include <math.h>
#include <stdlib.h>

#include "kernels/folds/sums.h"
#include "kernels/vectors/matrix_element.h"
#include "kernels/vectors/matrix_rounding.h"

/* The most rows of the left factor, and those of them that are multiplied at once, so that
 * their sums stay in registers. */
enum { FEW_LEFT_ROWS = LANES > 8 ? 16 : 8, LEFT_ROWS_AT_ONCE = LANES > 8 ? 4 : 2 };

/* Rows of the right factor whose products are added to the sums at once, or its columns if
 * these are contiguous; its elements that make a part; and those of a row that are copied if
 * neither rows nor columns are contiguous. */
enum { RIGHT_ROWS_AT_ONCE = 8, RIGHT_COLUMNS_AT_ONCE = 4, IN_A_PART = 4096, COPIED = 256 };

/* Elements of the left factor that are widened at once; sums of a block that fit the stack, and
 * those that stay in the second-level cache: the more columns, the longer the runs of memory
 * that are read; and columns that are bounded, or rounded, at once. */
enum { WIDENED = 2048, SUMS_ON_STACK = 1024, MOST_SUMS = 1 << 14, ROUNDED_AT_ONCE = 256 };

/* Multiplies matrices of any size. */
typedef unsigned multiply_any(const halfcl_matrix_product *p, halfcl_rounding mode);

/* A block of columns of a product with few rows. */
typedef struct {
    halfcl_matrix_product p;
    halfcl_rounding mode;
    multiply_any *multiply_hard; /* for columns of which many are hard cases */
    double *sums, *errors;       /* of p.m rows, each of `step` */
    double *left; /* p.m rows of up to `depth` elements of the left factor, widened */
    size_t step, depth;
    bool exact; /* there are no errors yet */
} vector_product;

/* Widens elements of each row of the left factor, and pads them with zeros to a vector. */
static void widen_left(const vector_product *v, size_t k, size_t depth)
{
    uint16_t buffer[WIDENED];
    for (size_t i = 0; i < v->p.m; ++i) {
        double *to = v->left + i * v->depth;
        const uint16_t *row =
            halfcl_gather(buffer, element_of(&v->p.a, i, k), v->p.a.column, depth);
        for (size_t at = 0; at < depth; at += LANES)
            put_doubles(to + at, load_upto(row + at, depth - at));
        for (size_t at = depth; at % LANES != 0; ++at)
            to[at] = 0;
    }
}

/* ---------------------------------------------------------------- the right factor's parts */

/* A part of the right factor, whose rows or columns are contiguous: depth rows from v->left[k]
 * on, and columns from v->sums[j] on. */
typedef struct {
    halfcl_matrix elements;
    bool by_columns;
    size_t k, j, depth, columns;
} right_part;

static void add_right_part(vector_product *v, const right_part *part);

static void add_copies(vector_product *v, const right_part *rows)
{
    uint16_t copies[RIGHT_ROWS_AT_ONCE * COPIED];
    right_part part = *rows;
    part.elements = (halfcl_matrix){(char *)copies, sizeof(uint16_t[COPIED]), sizeof *copies};
    for (size_t j = 0; j < rows->columns; j += COPIED) {
        const halfcl_matrix from = matrix_from(&rows->elements, 0, j);
        part.j = j;
        part.columns = least_of(rows->columns - j, COPIED);
        copy_matrix(&part.elements, &from, part.depth, part.columns);
        add_right_part(v, &part);
    }
}

/* Returns how many rows, or columns, of so many elements make a part. */
static size_t count_in_part(size_t elements, size_t multiple)
{
    return (IN_A_PART / multiple / elements + 1) * multiple;
}

/* Adds products with all of the block, depth rows at a time. */
static void add_by_rows(vector_product *v, const right_part *all)
{
    const bool direct = has_direct_rows(&all->elements);
    const size_t most =
        direct ? count_in_part(all->columns, RIGHT_ROWS_AT_ONCE) : RIGHT_ROWS_AT_ONCE;
    right_part part = *all;
    for (part.k = 0; part.k < all->depth; part.k += most) {
        part.elements = matrix_from(&all->elements, part.k, 0);
        part.depth = least_of(all->depth - part.k, most);
        if (direct)
            add_right_part(v, &part);
        else
            add_copies(v, &part);
    }
}

static void add_by_columns(vector_product *v, const right_part *all)
{
    const size_t most = count_in_part(all->depth, RIGHT_COLUMNS_AT_ONCE);
    right_part part = *all;
    part.by_columns = true;
    for (part.j = 0; part.j < all->columns; part.j += most) {
        part.elements = matrix_from(&all->elements, 0, part.j);
        part.columns = least_of(all->columns - part.j, most);
        add_right_part(v, &part);
    }
}

/* ---------------------------------------------------------------- sums */

/* Loads LANES elements, or fewer and then ones. */
ALWAYS_INLINE row_sums widen_elements(const uint16_t *from, size_t columns)
{
    if (columns < LANES || !HAVE_FMA) /* without, halves are converted by several steps */
        return widen_part(from, columns);
    return (row_sums){vd_load_e(from), vd_load_e(from + LANES / 2)};
}

/* Adds the products of depth rows to LANES sums of each left row, whose elements x are in all
 * lanes. Sums beyond the columns are arbitrary. */
ALWAYS_INLINE void add_to_columns(double *sums, size_t step, const vd *x, const uint16_t *from,
                                  ptrdiff_t from_step, size_t depth, size_t columns, int rows)
{
    row_sums total[LEFT_ROWS_AT_ONCE];
    UNROLLED
    for (int r = 0; r < rows; ++r)
        total[r] = load_sums(sums + (size_t)r * step);
    UNROLLED
    for (size_t k = 0; k < depth; ++k) {
        const row_sums row = widen_elements(from, columns);
        __builtin_prefetch((const char *)from + (ptrdiff_t)depth * from_step);
        from = (const uint16_t *)((const char *)from + from_step);
        UNROLLED
        for (int r = 0; r < rows; ++r) {
            const vd factor = x[(size_t)r * depth + k];
            total[r].low = vd_muladd(factor, row.low, total[r].low);
            total[r].high = vd_muladd(factor, row.high, total[r].high);
        }
    }
    UNROLLED
    for (int r = 0; r < rows; ++r)
        put_sums(sums + (size_t)r * step, total[r]);
}

/* Adds the products of a part's rows from k on. */
ALWAYS_INLINE void add_rows_of_part(const vector_product *v, size_t i, const right_part *part,
                                    size_t k, size_t depth, int rows)
{
    double *sums = v->sums + i * v->step + part->j;
    const uint16_t *from = (const uint16_t *)element_of(&part->elements, k, 0);
    const size_t step = v->step, columns = part->columns, whole = columns - columns % LANES;
    const ptrdiff_t from_step = part->elements.row;
    vd x[LEFT_ROWS_AT_ONCE * RIGHT_ROWS_AT_ONCE];
    for (int r = 0; r < rows; ++r) {
        const double *left = v->left + (i + (size_t)r) * v->depth + part->k + k;
        for (size_t at = 0; at < depth; ++at)
            x[(size_t)r * depth + at] = vd_set(left[at]);
    }
    for (size_t j = 0; j < whole; j += LANES)
        add_to_columns(sums + j, step, x, from + j, from_step, depth, LANES, rows);
    if (whole < columns)
        add_to_columns(sums + whole, step, x, from + whole, from_step, depth, columns - whole,
                       rows);
}

/* Calls for so many left rows, as a constant; there are at most LEFT_ROWS_AT_ONCE. */
#define BY_LEFT_ROWS(rows, CALL)                                                               \
    if (LEFT_ROWS_AT_ONCE > 2 && (rows) > 3)                                                   \
        CALL(LEFT_ROWS_AT_ONCE > 2 ? 4 : 1);                                                   \
    else if (LEFT_ROWS_AT_ONCE > 2 && (rows) > 2)                                              \
        CALL(LEFT_ROWS_AT_ONCE > 2 ? 3 : 1);                                                   \
    else if ((rows) > 1)                                                                       \
        CALL(2);                                                                               \
    else                                                                                       \
        CALL(1);

static __attribute__((noinline)) void add_rows_of_left(const vector_product *v, size_t i,
                                                       const right_part *part)
{
    const size_t whole = part->depth - part->depth % RIGHT_ROWS_AT_ONCE;
#define ADD_WHOLE(rows) add_rows_of_part(v, i, part, k, RIGHT_ROWS_AT_ONCE, rows)
#define ADD_REST(rows) add_rows_of_part(v, i, part, whole, part->depth - whole, rows)
    for (size_t k = 0; k < whole; k += RIGHT_ROWS_AT_ONCE) {
        BY_LEFT_ROWS(v->p.m - i, ADD_WHOLE)
    }
    if (whole < part->depth) {
        BY_LEFT_ROWS(v->p.m - i, ADD_REST)
    }
#undef ADD_WHOLE
#undef ADD_REST
}

/* Adds dot products of left rows and count columns, from j on. */
ALWAYS_INLINE void add_dots(const vector_product *v, size_t i, const right_part *part, size_t j,
                            int count, int rows)
{
    enum { STEP = LANES / 2 };
    const size_t depth = part->depth;
    const double *left = v->left + i * v->depth + part->k;
    double *sums = v->sums + i * v->step + part->j + j;
    const uint16_t *from[RIGHT_COLUMNS_AT_ONCE];
    vd total[RIGHT_COLUMNS_AT_ONCE * LEFT_ROWS_AT_ONCE];
    size_t k = 0;
    UNROLLED
    for (int c = 0; c < count; ++c)
        from[c] = (const uint16_t *)element_of(&part->elements, 0, j + (size_t)c);
    UNROLLED
    for (int t = 0; t < count * rows; ++t)
        total[t] = vd_set(0);
    for (; k + STEP <= depth; k += STEP) {
        UNROLLED
        for (int c = 0; c < count; ++c)
            __builtin_prefetch((const char *)(from[c] + k) + count * part->elements.column);
        UNROLLED
        for (int t = 0; t < count * rows; ++t)
            total[t] = vd_muladd(vd_load_e(from[t / rows] + k),
                                 vd_load(left + (size_t)(t % rows) * v->depth + k), total[t]);
    }
    if (k < depth) {
        UNROLLED
        for (int t = 0; t < count * rows; ++t)
            total[t] = vd_muladd(vd_low(load_n(from[t / rows] + k, depth - k)),
                                 vd_load(left + (size_t)(t % rows) * v->depth + k), total[t]);
    }
    for (int r = 0; r < rows; ++r, sums += v->step) {
        if (count == RIGHT_COLUMNS_AT_ONCE)
            vc_store(sums, vc_add(vc_load(sums),
                                  vc_sums_of_lanes(total[r], total[r + rows],
                                                   total[r + 2 * rows], total[r + 3 * rows])));
        else
            *sums += sum_of_lanes(total[r]);
    }
}

static __attribute__((noinline)) void add_dots_of_left(const vector_product *v, size_t i,
                                                       const right_part *part)
{
    const size_t whole = part->columns - part->columns % RIGHT_COLUMNS_AT_ONCE;
#define ADD_SOME(rows) add_dots(v, i, part, j, RIGHT_COLUMNS_AT_ONCE, rows)
#define ADD_ONE(rows) add_dots(v, i, part, j, 1, rows)
    for (size_t j = 0; j < whole; j += RIGHT_COLUMNS_AT_ONCE) {
        BY_LEFT_ROWS(v->p.m - i, ADD_SOME)
    }
    for (size_t j = whole; j < part->columns; ++j) {
        BY_LEFT_ROWS(v->p.m - i, ADD_ONE)
    }
#undef ADD_SOME
#undef ADD_ONE
}

/* ---------------------------------------------------------------- errors */

/* Sets the greatest magnitudes of columns from j on, at most ROUNDED_AT_ONCE. */
static void find_greatest(float *greatest, const right_part *part, size_t j, size_t columns)
{
    memset(greatest, 0, ROUNDED_AT_ONCE * sizeof *greatest);
    for (size_t c = 0; c < columns && part->by_columns; ++c) {
        const uint16_t *from = (const uint16_t *)element_of(&part->elements, 0, j + c);
        vf lanes = vf_set(0);
        float at[LANES];
        for (size_t k = 0; k < part->depth; k += LANES)
            lanes = vf_max(vf_abs(load_upto(from + k, part->depth - k)), lanes);
        vf_put(at, lanes);
        for (size_t lane = 0; lane < LANES; ++lane)
            greatest[c] = at[lane] > greatest[c] ? at[lane] : greatest[c];
    }
    for (size_t c = 0; c < columns && !part->by_columns; c += LANES) {
        vf lanes = vf_set(0);
        for (size_t k = 0; k < part->depth; ++k) {
            const uint16_t *from = (const uint16_t *)element_of(&part->elements, k, j + c);
            lanes = vf_max(vf_abs(load_upto(from, columns - c)), lanes);
        }
        vf_put(greatest + c, lanes);
    }
}

/* Adds bounds of the errors of a part's additions. No sum before the last one is greater than
 * the last one and the terms together. */
static void add_errors(vector_product *v, const right_part *part)
{
    const double error = (double)(part->depth + LANES) * 0x1p-51;
    float greatest[ROUNDED_AT_ONCE];
    if (v->exact)
        memset(v->errors, 0, v->p.m * v->step * sizeof *v->errors);
    v->exact = false;
    for (size_t j = 0; j < part->columns; j += ROUNDED_AT_ONCE) {
        const size_t columns = least_of(part->columns - j, ROUNDED_AT_ONCE);
        find_greatest(greatest, part, j, columns);
        for (size_t i = 0; i < v->p.m; ++i) {
            const size_t at = i * v->step + part->j + j;
            double magnitudes = 0;
            for (size_t k = part->k; k < part->k + part->depth; ++k)
                magnitudes += fabs(v->left[i * v->depth + k]);
            for (size_t c = 0; c < columns; ++c)
                v->errors[at + c] +=
                    error * (fabs(v->sums[at + c]) + magnitudes * (double)greatest[c]);
        }
    }
}

static void add_right_part(vector_product *v, const right_part *part)
{
    for (size_t i = 0; i < v->p.m; i += LEFT_ROWS_AT_ONCE) {
        if (part->by_columns)
            add_dots_of_left(v, i, part);
        else
            add_rows_of_left(v, i, part);
    }
    if (!were_exact(v->sums)) {
        add_errors(v, part);
        halfcl_watch_inexact();
    }
}

static bool has_direct_columns(const halfcl_matrix *m)
{
    const halfcl_matrix transposed = transpose(m);
    return has_direct_rows(&transposed);
}

/* Adds all products of the block. Sums beyond its columns are padding, and must not raise
 * exceptions. */
static void add_block_of_columns(vector_product *v)
{
    const bool by_columns = has_direct_columns(&v->p.b) && !has_direct_rows(&v->p.b);
    v->exact = true;
    memset(v->sums, 0, v->p.m * v->step * sizeof *v->sums);
    halfcl_watch_inexact();
    for (size_t k = 0; k < v->p.n; k += v->depth) {
        const right_part all = {matrix_from(&v->p.b, k, 0), .columns = v->p.p,
                                .depth = least_of(v->p.n - k, v->depth)};
        widen_left(v, k, all.depth);
        if (by_columns)
            add_by_columns(v, &all);
        else
            add_by_rows(v, &all);
    }
    for (size_t i = 0; i < v->p.m; ++i) {
        for (size_t j = v->p.p; j < v->step; ++j)
            v->sums[i * v->step + j] = 0;
    }
}

/* ---------------------------------------------------------------- rounding */

/* Rounds LANES sums, or fewer, and returns those that are hard cases. */
ALWAYS_INLINE vm round_some_sums(const vector_product *v, size_t row, size_t j,
                                 uint16_t *results, acc *seen)
{
    const size_t at = row * v->step + j;
    const row_sums sums = load_sums(v->sums + at);
    const vf sum = vf_join_odd(sums.low, sums.high);
    sum_bounds bounds = {sum, sum};
    vm hard = hard_sums(sum, v->mode);
    if (!v->exact) {
        bounds = bounds_of(sums, load_sums(v->errors + at));
        hard = may_round_apart(bounds.low, bounds.high);
    }
    store_upto(results, round_sums_except(bounds.high, hard, v->mode, seen), v->p.p - j);
    return hard;
}

/* Returns whether infinities meet zeros in the products of a row. A fused multiply-add records
 * this, except where the sum is a NaN already. */
static bool has_invalid_products(const halfcl_matrix_product *part)
{
    for (size_t k = 0; k < part->n; ++k) {
        const uint16_t left = read_half(element_of(&part->a, 0, k)) & HALF_MAGNITUDE;
        const uint16_t partner = left == 0 ? HALF_INF : 0;
        bool any = false;
        if (left != 0 && left != HALF_INF)
            continue;
        for (size_t j = 0; j < part->p; ++j)
            any |= (read_half(element_of(&part->b, k, j)) & HALF_MAGNITUDE) == partner;
        if (any)
            return true;
    }
    return false;
}

/* Stores a result that is infinite or a NaN, as its sum in double is, too. */
static void store_special(double sum, char *to)
{
    uint16_t result = HALF_NAN;
    if (isinf(sum))
        result = sum < 0 ? HALF_SIGN | HALF_INF : HALF_INF;
    memcpy(to, &result, sizeof result);
}

/* Removes special sums, unless operations were invalid, perhaps for them; returns how many hard
 * cases remain. */
static size_t solve_specials(const halfcl_matrix_product *part, const double *sums, char *hard)
{
    enum { UNKNOWN, VALID, INVALID } products = UNKNOWN;
    size_t count = 0;
    for (size_t g = 0; g * GROUP < part->p; ++g) {
        uint64_t remaining = hard_cases_of_group(hard, g, part->p);
        for (uint64_t lanes = remaining; lanes; lanes &= lanes - 1) {
            const size_t column = g * GROUP + (size_t)__builtin_ctzll(lanes);
            if (!is_special(sums[column]))
                continue;
            if (products == UNKNOWN)
                products = halfcl_was_invalid() || has_invalid_products(part) ? INVALID : VALID;
            if (products == INVALID)
                break;
            store_special(sums[column], element_of(&part->out, 0, column));
            remaining &= ~(lanes & -lanes);
        }
        memcpy(hard + GROUP / 8 * g, &remaining, sizeof remaining);
        count += (size_t)__builtin_popcountll(remaining);
    }
    return count;
}

/* Computes hard cases one by one, or, if they are many, all of these columns again, in two
 * parts. */
static unsigned solve_hard_columns(const vector_product *v, size_t row, size_t first,
                                   size_t columns, char *hard)
{
    enum { FEW_OF = 16 };
    halfcl_matrix_product part = v->p;
    unsigned flags = 0;
    part.a = matrix_from(&v->p.a, row, 0);
    part.b = matrix_from(&v->p.b, 0, first);
    part.out = matrix_from(&v->p.out, row, first);
    part.m = 1;
    part.p = columns;
    if (solve_specials(&part, v->sums + row * v->step + first, hard) * FEW_OF > columns)
        return v->multiply_hard(&part, v->mode);
    for (size_t g = 0; g * GROUP < columns; ++g) {
        for (uint64_t lanes = hard_cases_of_group(hard, g, columns); lanes;
             lanes &= lanes - 1) {
            const size_t column = g * GROUP + (size_t)__builtin_ctzll(lanes);
            uint16_t result;
            flags |= multiply_element(&part, 0, column, &result, v->mode);
            memcpy(element_of(&part.out, 0, column), &result, sizeof result);
        }
    }
    return flags;
}

static unsigned round_columns(const vector_product *v, size_t row, size_t first, size_t columns,
                              acc *seen)
{
    uint16_t buffer[ROUNDED_AT_ONCE];
    char hard[ROUNDED_AT_ONCE / 8] = {0};
    char *out = element_of(&v->p.out, row, first);
    const bool direct = halfcl_is_direct(out, v->p.out.column, sizeof *buffer);
    uint16_t *results = direct ? (uint16_t *)out : buffer;
    bool any = false;
    for (size_t j = 0; j < columns; j += LANES) {
        const vm lanes = round_some_sums(v, row, first + j, results + j, seen);
        vm_put(hard, j, lanes);
        any |= vm_any(lanes);
    }
    if (!direct)
        halfcl_copy(out, v->p.out.column, (const char *)buffer, sizeof *buffer, columns);
    return any ? solve_hard_columns(v, row, first, columns, hard) : 0;
}

static unsigned round_all_columns(const vector_product *v)
{
    acc seen = acc_none();
    unsigned flags = 0;
    for (size_t row = 0; row < v->p.m; ++row) {
        for (size_t j = 0; j < v->p.p; j += ROUNDED_AT_ONCE)
            flags |= round_columns(v, row, j, least_of(v->p.p - j, ROUNDED_AT_ONCE), &seen);
    }
    return flags | acc_flags(seen);
}

/* ---------------------------------------------------------------- products */

/* Multiplies blocks of columns; there is memory for twice `most` doubles. */
static unsigned multiply_blocks_of_columns(const halfcl_matrix_product *p, halfcl_rounding mode,
                                           multiply_any *multiply_hard, double *memory,
                                           size_t most)
{
    _Alignas(CACHE_LINE) double left[WIDENED];
    const size_t block = most / p->m / LANES * LANES;
    vector_product v = {
        *p, mode, multiply_hard, .sums = memory, .errors = memory + most, .left = left};
    unsigned flags = 0;
    v.depth = WIDENED / p->m / LANES * LANES;
    for (size_t j = 0; j < p->p; j += block) {
        v.p.p = least_of(p->p - j, block);
        v.p.b = matrix_from(&p->b, 0, j);
        v.p.out = matrix_from(&p->out, 0, j);
        v.step = (v.p.p + LANES - 1) / LANES * LANES;
        add_block_of_columns(&v);
        flags |= round_all_columns(&v);
    }
    return flags;
}

static __attribute__((noinline)) unsigned
multiply_blocks_on_stack(const halfcl_matrix_product *p, halfcl_rounding mode,
                         multiply_any *multiply_hard)
{
    _Alignas(CACHE_LINE) double memory[2 * SUMS_ON_STACK];
    return multiply_blocks_of_columns(p, mode, multiply_hard, memory, SUMS_ON_STACK);
}

static unsigned multiply_vectors(const halfcl_matrix_product *p, halfcl_rounding mode,
                                 multiply_any *multiply_hard)
{
    const size_t all = p->m * ((p->p + LANES - 1) / LANES * LANES);
    const size_t most = least_of(all, MOST_SUMS);
    double *memory = NULL;
    if (all > SUMS_ON_STACK)
        memory = malloc(2 * most * sizeof *memory + CACHE_LINE);
    if (!memory)
        return multiply_blocks_on_stack(p, mode, multiply_hard);
    const uintptr_t start = (uintptr_t)memory + CACHE_LINE;
    const unsigned flags = multiply_blocks_of_columns(
        p, mode, multiply_hard, (double *)(start - start % CACHE_LINE), most);
    free(memory);
    return flags;
}

#endif
