/* Many products of small matrices, one product per lane: elements are split into planes, as
 * vectors are (geometric.h), and the sums are enclosed in float (enclosure.h). */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_SMALL_H
#define HALFCL_KERNELS_VECTORS_MATRIX_SMALL_H

#include "kernels/vectors/enclosure.h"
#include "kernels/vectors/matrix_element.h"
#include "kernels/vectors/matrix_pack.h"
#include "kernels/vectors/planes.h"

/* The greatest number of elements of a matrix; and of a block of products, which has at most
 * MOST_PRODUCTS of these. */
enum { SMALL = 64, BLOCK_ELEMENTS = 6144, MOST_PRODUCTS = 1024 };

/* A block of products in progress: planes of `each` halves. */
typedef struct {
    const halfcl_matrix_stack *stack;
    halfcl_rounding mode;
    size_t first, count, each;
    uint16_t *a, *b, *out;
    float *sums;              /* planes of sums for those of out */
    float (*shared_b)[LANES]; /* if all products share the right factor, otherwise NULL */
    char *hard;               /* one bit per sum */
} small_block;

static bool are_small(size_t m, size_t n, size_t p)
{
    return m <= SMALL && n <= SMALL && p <= SMALL && m * n <= SMALL && n * p <= SMALL &&
           m * p <= SMALL;
}

/* Returns the matrix k steps further in the stack. */
static halfcl_matrix matrix_at(const halfcl_matrix *first, ptrdiff_t step, size_t k)
{
    return (halfcl_matrix){first->start + (ptrdiff_t)k * step, first->row, first->column};
}

/* Returns how many rows of a small matrix are contiguous, as one row. */
static size_t rows_in_one(const halfcl_matrix *m, size_t rows, size_t columns)
{
    return m->row == (ptrdiff_t)columns * m->column ? rows : 1;
}

/* Copies elements of count matrices, step bytes apart, to planes or from there. */
ALWAYS_INLINE void move_planes(uint16_t *planes, size_t each, const halfcl_matrix *m,
                               ptrdiff_t step, size_t rows, size_t columns, size_t count,
                               bool back)
{
    const size_t at_once = rows_in_one(m, rows, columns), width = at_once * columns;
    for (size_t row = 0; row < rows; row += at_once) {
        uint16_t *to = planes + row * columns * each;
        const halfcl_vectors v = {element_of(m, row, 0), step, m->column, width};
        const halfcl_matrix memory = {v.start, m->column, step};
        const halfcl_matrix buffer = {(char *)to, (ptrdiff_t)(each * sizeof *to), sizeof *to};
        uint16_t *elements = (uint16_t *)v.start;
        if (!are_joined(&v)) {
            copy_matrix(back ? &memory : &buffer, back ? &buffer : &memory, width, count);
            continue;
        }
#define SPLIT(width) split_vectors(elements, count, width, to, each)
#define JOIN(width) join_vectors(elements, count, width, to, each)
        if (back) {
            BY_WIDTH(width, JOIN)
        } else {
            BY_WIDTH(width, SPLIT)
        }
#undef SPLIT
#undef JOIN
    }
}

static void split_matrices(uint16_t *planes, size_t each, const halfcl_matrix *m,
                           ptrdiff_t step, size_t rows, size_t columns, size_t count)
{
    move_planes(planes, each, m, step, rows, columns, count, false);
    for (size_t k = 0; k < rows * columns; ++k) {
        for (size_t i = count; i % LANES != 0; ++i)
            planes[k * each + i] = 0;
    }
}

static void join_matrices(uint16_t *planes, size_t each, const halfcl_matrix *m, ptrdiff_t step,
                          size_t rows, size_t columns, size_t count)
{
    move_planes(planes, each, m, step, rows, columns, count, true);
}

/* Loads LANES products from index i of the planes on, as floats. */
ALWAYS_INLINE void widen_planes(float (*to)[LANES], const uint16_t *planes, size_t each,
                                size_t count, size_t i)
{
    for (size_t k = 0; k < count; ++k)
        vf_put(to[k], load(planes + k * each + i));
}

/* A sum starts from +0: a sum of zeros only is -0 in HALFCL_RTN only, if one of them is; and if
 * they cancel. */
ALWAYS_INLINE void put_small_sum(enclosure sum, halfcl_rounding mode, place to)
{
    vf zero = vf_set(0), low = vf_minus(sum.minus_low);
    vf y = mode == HALFCL_RTN ? sum.high : vf_add(sum.high, zero); /* adding 0 turns -0 to +0 */
    vm hard = encloses_short(sum);
    if (vm_any(hard)) {
        vm none = vm_and(vf_equal(sum.high, zero), vf_equal(low, zero));
        y = vf_select(none, mode == HALFCL_RTN ? low : zero, y);
        hard = vm_and_not(hard, none);
        y = vf_zero_where(hard, y);
    }
    put_results(y, hard, to);
}

/* Element (i, j) is the sum over a row of a and a column of b. */
ALWAYS_INLINE void enclose_group(const small_block *block, const float (*a)[LANES],
                                 const float (*b)[LANES], size_t m, size_t n, size_t p,
                                 size_t at)
{
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < p; ++j) {
            enclosure sum = no_terms();
            for (size_t k = 0; k < n; ++k)
                sum = add_product(sum, vf_load(a[i * n + k]), vf_load(b[k * p + j]));
            put_small_sum(sum, block->mode,
                          (place){block->sums, block->hard, (i * p + j) * block->each + at});
        }
    }
}

/* The processor rounds up. */
ALWAYS_INLINE void enclose_block(const small_block *block, size_t m, size_t n, size_t p)
{
    float a[SMALL][LANES], own_b[SMALL][LANES];
    float (*b)[LANES] = block->shared_b ? block->shared_b : own_b;
    for (size_t at = 0; at < block->count; at += LANES) {
        widen_planes(a, block->a, block->each, m * n, at);
        if (!block->shared_b)
            widen_planes(b, block->b, block->each, n * p, at);
        enclose_group(block, a, b, m, n, p, at);
    }
}

/* The usual shapes are constants for the compiler. */
static __attribute__((noinline)) void enclose_small(const small_block *block)
{
    const size_t m = block->stack->first.m, n = block->stack->first.n,
                 p = block->stack->first.p;
    if (m == 1 && n == 3 && p == 1)
        enclose_block(block, 1, 3, 1);
    else if (m == 1 && n == 3 && p == 3)
        enclose_block(block, 1, 3, 3);
    else if (m == 1 && n == 4 && p == 4)
        enclose_block(block, 1, 4, 4);
    else if (m == 4 && n == 4 && p == 4)
        enclose_block(block, 4, 4, 4);
    else
        enclose_block(block, m, n, p);
}

static void round_small(const small_block *block, acc *seen)
{
    const size_t planes = block->stack->first.m * block->stack->first.p;
    for (size_t k = 0; k < planes; ++k) {
        for (size_t at = k * block->each; at < k * block->each + block->count; at += LANES) {
            const vf sum = vf_load(block->sums + at);
            acc_tiny(seen, sum);
            vh_store(block->out + at, vf_narrow(sum, block->mode, seen));
        }
    }
}

/* Returns the product at one index of the stack. */
static halfcl_matrix_product stacked_product(const halfcl_matrix_stack *stack, size_t k)
{
    halfcl_matrix_product one = stack->first;
    one.a = matrix_at(&one.a, stack->a, k);
    one.b = matrix_at(&one.b, stack->b, k);
    one.out = matrix_at(&one.out, stack->out, k);
    return one;
}

/* Decides the hard cases in the planes, before they are joined. */
static unsigned solve_small(const small_block *block)
{
    const size_t p = block->stack->first.p, planes = block->stack->first.m * p;
    unsigned flags = 0;
    for (size_t at = 0; at < planes * block->each; at += GROUP) {
        uint64_t hard;
        memcpy(&hard, block->hard + at / 8, sizeof hard);
        for (; hard; hard &= hard - 1) {
            const size_t place = at + (size_t)__builtin_ctzll(hard);
            const size_t k = place / block->each, product = place % block->each;
            if (product >= block->count)
                continue;
            const halfcl_matrix_product one =
                stacked_product(block->stack, block->first + product);
            flags |= multiply_element(&one, k / p, k % p, block->out + place, block->mode);
        }
    }
    return flags;
}

static unsigned multiply_small_block(small_block *block, acc *seen)
{
    const halfcl_matrix_stack *stack = block->stack;
    const halfcl_matrix_product one = stacked_product(stack, block->first);
    halfcl_env env;
    split_matrices(block->a, block->each, &one.a, stack->a, one.m, one.n, block->count);
    if (!block->shared_b)
        split_matrices(block->b, block->each, &one.b, stack->b, one.n, one.p, block->count);
    halfcl_enter(&env, HALFCL_RTP);
    enclose_small(block);
    halfcl_leave(&env);
    round_small(block, seen);
    unsigned flags = solve_small(block);
    join_matrices(block->out, block->each, &one.out, stack->out, one.m, one.p, block->count);
    return flags;
}

static void widen_shared(float (*to)[LANES], const halfcl_matrix *b, size_t n, size_t p)
{
    for (size_t k = 0; k < n * p; ++k)
        vf_put(to[k], vf_set(float_of_half(read_half(element_of(b, k / p, k % p)))));
}

/* Multiplies small matrices, all with the processor in the mode. */
static __attribute__((noinline)) unsigned multiply_small(const halfcl_matrix_stack *stack,
                                                         halfcl_rounding mode)
{
    _Alignas(CACHE_LINE) uint16_t halves[BLOCK_ELEMENTS];
    _Alignas(CACHE_LINE) float sums[BLOCK_ELEMENTS];
    float shared_b[SMALL][LANES];
    char hard[BLOCK_ELEMENTS / 8 + GROUP];
    const size_t m = stack->first.m, n = stack->first.n, p = stack->first.p;
    const bool shared = stack->b == 0;
    const size_t planes = m * n + m * p + (shared ? 0 : n * p);
    size_t each = BLOCK_ELEMENTS / planes;
    each = (each < MOST_PRODUCTS ? each : MOST_PRODUCTS) / LANES * LANES;
    small_block block = {
        .stack = stack, .mode = mode, .each = each, .sums = sums, .hard = hard};
    acc seen = acc_none();
    unsigned flags = 0;
    block.out = halves;
    block.a = halves + m * p * each;
    block.b = block.a + m * n * each;
    memset(hard, 0, sizeof hard);
    if (shared) {
        widen_shared(shared_b, &stack->first.b, n, p);
        block.shared_b = shared_b;
    }
    for (; block.first < stack->count; block.first += each) {
        const size_t remaining = stack->count - block.first;
        block.count = remaining < each ? remaining : each;
        flags |= multiply_small_block(&block, &seen);
    }
    return flags | acc_flags(seen);
}

#endif
