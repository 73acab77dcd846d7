/* Products of matrices. */
#include "exact/doubledouble/dd.h"
#include "format/half.h"
#include "run/splitting.h"
#include "run/threads.h"

#include <string.h>

/* Multiplies in this thread. */
static unsigned multiply_stack(const halfcl_kernel *dot, const halfcl_matrix_stack *stack,
                               halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = dot->fold.multiply(stack, mode);
    return flags | (halfcl_leave(&env) & (HALFCL_OVERFLOW | HALFCL_UNDERFLOW));
}

static unsigned multiply_whole(const halfcl_kernel *dot, const halfcl_matrix_product *p,
                               halfcl_rounding mode)
{
    const halfcl_matrix_stack alone = {*p, 1, 0, 0, 0};
    return multiply_stack(dot, &alone, mode);
}

/* ---------------------------------------------------------------- by several threads
 *
 * Threads compute tiles of the product, those of the first columns first. */

typedef struct {
    const halfcl_kernel *dot;
    const halfcl_matrix_product *product;
    halfcl_rounding mode;
    size_t rows, columns; /* of a tile */
    size_t height;        /* tiles in a column of tiles */
} call;

static char *element(const halfcl_matrix *of, size_t row, size_t column)
{
    return of->start + (ptrdiff_t)row * of->row + (ptrdiff_t)column * of->column;
}

/* Returns some rows and columns of the product as a product of its own. */
static halfcl_matrix_product cut(const halfcl_matrix_product *p, size_t i, size_t rows,
                                 size_t j, size_t columns)
{
    halfcl_matrix_product part = *p;
    part.a.start = element(&p->a, i, 0);
    part.b.start = element(&p->b, 0, j);
    part.out.start = element(&p->out, i, j);
    part.m = p->m - i < rows ? p->m - i : rows;
    part.p = p->p - j < columns ? p->p - j : columns;
    return part;
}

static unsigned multiply_tiles(void *work, size_t first, size_t count, int thread)
{
    const call *c = work;
    unsigned flags = 0;
    (void)thread;
    for (size_t tile = first, end = first + count, tiles; tile < end; tile += tiles) {
        size_t row = tile % c->height, remaining = end - tile;
        bool whole = row == 0 && remaining >= c->height;
        size_t rows = whole ? c->height : c->height - row;
        rows = rows < remaining ? rows : remaining;
        size_t columns = whole ? remaining / c->height : 1;
        tiles = rows * columns;
        const halfcl_matrix_product part =
            cut(c->product, row * c->rows, rows * c->rows, tile / c->height * c->columns,
                columns * c->columns);
        flags |= multiply_whole(c->dot, &part, c->mode);
    }
    return flags;
}

static unsigned multiply_tile(void *work, size_t tile, int thread)
{
    return multiply_tiles(work, tile, 1, thread);
}

static size_t quotient(size_t n, size_t d)
{
    return n / d + (n % d != 0);
}

/* Returns n rounded to a multiple of a number, at most the number available. */
static size_t side_of_tile(size_t n, size_t multiple, size_t most, size_t there)
{
    n = quotient(n > 0 ? n : 1, multiple) * multiple;
    n = n < most ? n : most;
    return n < there ? n : there;
}

/* Chooses some tiles per thread, as square as possible, since each tile packs its factors for
 * itself; but few rows share one pass over columns, which are the faster the more they are. */
static void choose_tiles(call *c, int threads)
{
    enum { TILES_A_THREAD = 4, ROWS = 24, COLUMNS = 32, MOST_ROWS = 240, MOST_COLUMNS = 256 };
    enum { FEW_ROWS = 16 };
    const halfcl_matrix_product *p = c->product;
    const size_t area = quotient(p->m * p->p, TILES_A_THREAD * (size_t)threads);
    size_t side = COLUMNS;
    while (side * side < area && side < MOST_COLUMNS)
        side += COLUMNS;
    c->columns = p->m <= FEW_ROWS ? side_of_tile(area / p->m, COLUMNS, p->p, p->p)
                                  : side_of_tile(side, COLUMNS, MOST_COLUMNS, p->p);
    c->rows = side_of_tile(area / c->columns, ROWS, MOST_ROWS, p->m);
    c->height = quotient(p->m, c->rows);
}

/* ---------------------------------------------------------------- few terms
 *
 * Calling a kernel takes longer than computing such a product in double. Its terms are exact
 * there, and mostly the sum, too, which the error of each addition shows. */

enum { FEW_TERMS = 64 };

/* Converts a finite half: its bits are those of a float 2^112 times smaller. */
ALWAYS_INLINE double double_of_finite(uint16_t half)
{
    const uint32_t bits = (uint32_t)(half & HALF_MAGNITUDE) << FLOAT_CUT;
    return float_of_bits(bits | (uint32_t)(half & HALF_SIGN) << 16) * 0x1p112f;
}

/* Widens elements, row by row; returns false if one is not finite, so that infinities do not
 * raise exceptions in double. */
static bool widen_few(double *to, const halfcl_matrix *m, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; ++i) {
        const char *from = element(m, i, 0);
        for (size_t j = 0; j < columns; ++j, from += m->column) {
            const uint16_t half = read_half(from);
            if ((half & HALF_MAGNITUDE) >= HALF_INF)
                return false;
            *to++ = double_of_finite(half);
        }
    }
    return true;
}

/* Rounds the sum of n products; returns false, without writing, if the sum is not exact in
 * double, or its sign needs a closer check. */
static bool round_few(const double *x, const double *y, size_t y_step, size_t n,
                      halfcl_rounding mode, char *to, unsigned *flags)
{
    double sum = 0;
    bool exact = true;
    for (size_t k = 0; k < n; ++k) {
        const dd next = dd_two_sum(sum, x[k] * y[k * y_step]);
        exact &= next.lo == 0;
        sum = next.hi;
    }
    if (!exact || (sum == 0 && mode == HALFCL_RTN))
        return false;
    const uint16_t result = halfcl_from_double(sum, mode, flags);
    memcpy(to, &result, sizeof result);
    return true;
}

static bool multiply_exactly(const halfcl_matrix_product *p, halfcl_rounding mode,
                             unsigned *flags)
{
    double a[FEW_TERMS], b[FEW_TERMS];
    *flags = 0;
    if (!widen_few(a, &p->a, p->m, p->n) || !widen_few(b, &p->b, p->n, p->p))
        return false;
    for (size_t i = 0; i < p->m; ++i) {
        for (size_t j = 0; j < p->p; ++j) {
            if (!round_few(a + i * p->n, b + j, p->p, p->n, mode, element(&p->out, i, j),
                           flags))
                return false;
        }
    }
    return true;
}

/* Returns false if the kernel must do it. */
static bool multiply_few(const halfcl_matrix_product *p, halfcl_rounding mode, unsigned *flags)
{
    const size_t terms = p->m * p->n * p->p;
    halfcl_env env;
    if (terms == 0 || terms > FEW_TERMS)
        return false;
    halfcl_enter(&env, HALFCL_RTE);
    const bool are_exact = multiply_exactly(p, mode, flags);
    halfcl_leave(&env);
    return are_exact;
}

static bool correlate_few(const halfcl_matrix *a, size_t n, const halfcl_matrix *v,
                          size_t weights, size_t before, size_t count, halfcl_rounding mode,
                          uint16_t *results)
{
    double elements[HALFCL_FEW_WEIGHTS], factors[HALFCL_FEW_WEIGHTS];
    unsigned flags = 0;
    if (n > HALFCL_FEW_WEIGHTS || weights > HALFCL_FEW_WEIGHTS ||
        !widen_few(elements, a, 1, n) || !widen_few(factors, v, 1, weights))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const size_t first = i < before ? before - i : 0; /* the factor of the first element */
        const size_t start = i + first - before, remaining = n - start;
        const size_t terms = weights - first < remaining ? weights - first : remaining;
        if (!round_few(elements + start, factors + first, 1, terms, mode, (char *)(results + i),
                       &flags))
            return false;
    }
    return true;
}

bool halfcl_correlate_few(const halfcl_matrix *a, size_t n, const halfcl_matrix *v,
                          size_t weights, size_t before, size_t count, halfcl_rounding mode,
                          uint16_t *results)
{
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    const bool are_exact = correlate_few(a, n, v, weights, before, count, mode, results);
    halfcl_leave(&env);
    return are_exact;
}

/* Products of so many terms are worth all threads; smaller ones are measured. */
enum { WORTH_ALL = 1 << 24 };

static unsigned share_tiles(call *c, size_t tiles, int threads)
{
    const halfcl_team team = halfcl_call_team(threads);
    unsigned flags = halfcl_share(&team, multiply_tile, c, tiles);
    halfcl_dismiss_team(&team);
    return flags;
}

/* Computes element by element, splitting the many terms of each. */
static unsigned multiply_long(const halfcl_kernel *dot, const halfcl_matrix_product *p,
                              halfcl_rounding mode)
{
    unsigned flags = 0;
    for (size_t k = 0; k < p->m * p->p; ++k) {
        size_t i = k % p->m, j = k / p->m;
        char *const inputs[] = {element(&p->a, i, 0), element(&p->b, 0, j)};
        const ptrdiff_t steps[] = {p->a.column, p->b.row};
        halfcl_fold_state sum = {.seen = HALFCL_FROM_ZERO};
        uint16_t result;
        halfcl_state_add(dot, &sum, inputs, steps, p->n);
        flags |= halfcl_state_finish(dot, &sum, &result, mode);
        memcpy(element(&p->out, i, j), &result, sizeof result);
    }
    return flags;
}

static bool may_split(const halfcl_matrix_product *p)
{
    return halfcl_may_split(p->m * p->n * p->p) &&
           (halfcl_are_nested(p->out.row, p->m, p->out.column, sizeof(uint16_t)) ||
            halfcl_are_nested(p->out.column, p->p, p->out.row, sizeof(uint16_t)));
}

static bool multiplies_matrices(const halfcl_kernel *dot)
{
    return dot && dot->kind == HALFCL_FOLD && dot->fold.multiply;
}

unsigned halfcl_matmul(const halfcl_kernel *dot, const halfcl_matrix_product *p,
                       halfcl_rounding mode)
{
    if (!multiplies_matrices(dot))
        return HALFCL_MISUSE;
    unsigned flags;
    if (multiply_few(p, mode, &flags))
        return flags;
    int threads = may_split(p) ? halfcl_get_threads() : 1;
    if (threads < 2)
        return multiply_whole(dot, p, mode);
    call c = {dot, p, mode, 0, 0, 0};
    choose_tiles(&c, threads);
    size_t tiles = c.height * quotient(p->p, c.columns);
    if (tiles < (size_t)threads && halfcl_may_split(p->n))
        return multiply_long(dot, p, mode);
    if (p->m * p->p >= WORTH_ALL / p->n)
        return share_tiles(&c, tiles, threads);
    return halfcl_run_divided(
        &(halfcl_divisible){multiply_tiles, &c, tiles, c.rows * c.columns * p->n}, threads);
}

/* ---------------------------------------------------------------- stacks */

typedef struct {
    const halfcl_kernel *dot;
    const halfcl_matrix_stack *stack;
    halfcl_rounding mode;
} stack_call;

static unsigned multiply_some(void *work, size_t first, size_t count, int thread)
{
    const stack_call *c = work;
    halfcl_matrix_stack part = *c->stack;
    (void)thread;
    part.first.a.start += (ptrdiff_t)first * part.a;
    part.first.b.start += (ptrdiff_t)first * part.b;
    part.first.out.start += (ptrdiff_t)first * part.out;
    part.count = count;
    return multiply_stack(c->dot, &part, c->mode);
}

/* Returns whether no two of the results overlap, as far as a quick check shows. */
static bool are_apart(const halfcl_matrix_stack *stack)
{
    const halfcl_matrix_product *one = &stack->first;
    return halfcl_are_nested(one->out.column, one->p, one->out.row, sizeof(uint16_t)) &&
           halfcl_are_nested(one->out.row, one->m, stack->out, sizeof(uint16_t));
}

unsigned halfcl_matmul_stack(const halfcl_kernel *dot, const halfcl_matrix_stack *stack,
                             halfcl_rounding mode)
{
    const halfcl_matrix_product *one = &stack->first;
    const size_t weight = one->m * one->n * one->p;
    unsigned flags = 0;
    if (!multiplies_matrices(dot))
        return HALFCL_MISUSE;
    if (stack->count == 1)
        return halfcl_matmul(dot, one, mode);
    stack_call c = {dot, stack, mode};
    if (halfcl_may_split(weight) || stack->count * weight <= FEW_TERMS) { /* each on its own */
        for (size_t k = 0; k < stack->count; k++) {
            halfcl_matrix_product p = *one;
            p.a.start += (ptrdiff_t)k * stack->a;
            p.b.start += (ptrdiff_t)k * stack->b;
            p.out.start += (ptrdiff_t)k * stack->out;
            flags |= halfcl_matmul(dot, &p, mode);
        }
        return flags;
    }
    int threads =
        halfcl_may_split(stack->count * weight) && are_apart(stack) ? halfcl_get_threads() : 1;
    return halfcl_run_divided(&(halfcl_divisible){multiply_some, &c, stack->count, weight},
                              threads);
}
