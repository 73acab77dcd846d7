#include "geometric.h"

#include <stdbool.h>
#include <string.h>

#include "driver.h"
#include "exact_vector.h"
#include "reduction.h"

enum { MOST_OPERANDS = 3, BLOCK = HALFCL_BLOCK };

static const int64_t LIMB = (int64_t)1 << 32;

static size_t inputs_of(const halfcl_kernel *kernel)
{
    return (size_t)(strchr(kernel->types, '>') - kernel->types);
}

static char *vector_at(const halfcl_vectors *v, size_t i)
{
    return v->start + (ptrdiff_t)i * v->step;
}

/* ------------------------------------------------------------ short vectors, by the kernel */

/* Whether the vectors follow each other in memory, aligned. */
static bool are_contiguous(const halfcl_vectors *v)
{
    return (v->component == 2 || v->width == 1) && v->step == 2 * (ptrdiff_t)v->width &&
           (uintptr_t)v->start % 2 == 0;
}

/* Copies vectors [done, done + n) between memory and rows, which follow each other: in runs
 * along the axis that has the longer ones. */
static void copy_vectors(const halfcl_vectors *v, size_t done, size_t n, uint16_t *rows,
                         bool to_rows)
{
    const ptrdiff_t row = 2 * (ptrdiff_t)v->width;
    const bool across = v->width < n;
    const size_t runs = across ? v->width : n, length = across ? n : v->width;
    for (size_t r = 0; r < runs; r++) {
        char *start = vector_at(v, done) + (ptrdiff_t)r * (across ? v->component : v->step);
        char *row_start = (char *)rows + (ptrdiff_t)r * (across ? 2 : row);
        ptrdiff_t step = across ? v->step : v->component, row_step = across ? row : 2;
        if (to_rows)
            halfcl_copy(row_start, row_step, start, step, length);
        else
            halfcl_copy(start, step, row_start, row_step, length);
    }
}

/* In blocks, with a buffer for each operand that needs one. */
static unsigned run_short(const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
                          halfcl_rounding mode)
{
    uint16_t rows[MOST_OPERANDS][HALFCL_VECTORS * HALFCL_WIDEST];
    size_t inputs = inputs_of(kernel), block = n;
    bool direct[MOST_OPERANDS];
    unsigned flags = 0;
    for (size_t k = 0; k <= inputs; k++) {
        direct[k] = are_contiguous(&operands[k]);
        block = direct[k] || block < HALFCL_VECTORS ? block : HALFCL_VECTORS;
    }
    for (size_t done = 0; done < n; done += block) {
        size_t count = n - done < block ? n - done : block;
        void *args[MOST_OPERANDS + 1];
        for (size_t k = 0; k <= inputs; k++) {
            args[k] = direct[k] ? (void *)vector_at(&operands[k], done) : rows[k];
            if (k < inputs && !direct[k])
                copy_vectors(&operands[k], done, count, rows[k], true);
        }
        args[inputs + 1] = (void *)&operands[0].width;
        flags |= kernel->loop(args, count, mode);
        if (!direct[inputs])
            copy_vectors(&operands[inputs], done, count, rows[inputs], false);
    }
    return flags;
}

/* ------------------------------------------------------------ long vectors, one by one */

/* One vector of each operand. */
typedef struct {
    const halfcl_kernel *dot;
    const char *a, *b;
    char *out;
    ptrdiff_t a_step, b_step, out_step;
    size_t width;
    halfcl_rounding mode;
} long_call;

/* Adds factor times the sum of products of two vectors; false if there are infinities or NaNs.
 */
static bool add_products(const long_call *c, const char *a, ptrdiff_t a_step, const char *b,
                         ptrdiff_t b_step, int factor, exact_sum *squares)
{
    uint16_t a_buffer[BLOCK], b_buffer[BLOCK];
    reduction all = {0};
    for (size_t k = 0; k < c->width; k += BLOCK) {
        size_t count = c->width - k < BLOCK ? c->width - k : BLOCK;
        const uint16_t *x = halfcl_gather(a_buffer, a + (ptrdiff_t)k * a_step, a_step, count);
        const uint16_t *y = halfcl_gather(b_buffer, b + (ptrdiff_t)k * b_step, b_step, count);
        c->dot->loop((void *[]){(void *)x, (void *)y, &all, NULL}, count, c->mode);
    }
    /* From units of 2^-48, by one limb. */
    for (int k = 0; k < EXACT_LIMBS - 1; k++)
        squares->limb[k + 1] += factor * all.sum.limb[k];
    squares->limb[EXACT_LIMBS - 1] += factor * all.sum.limb[EXACT_LIMBS - 1] * LIMB;
    exact_carry(squares);
    return all.sum.special == 0;
}

static unsigned long_dot(const long_call *c)
{
    uint16_t result;
    unsigned flags =
        halfcl_dot(c->dot, c->a, c->a_step, c->b, c->b_step, &result, c->width, c->mode);
    memcpy(c->out, &result, sizeof result);
    return flags;
}

static unsigned put(char *out, double value, halfcl_rounding mode)
{
    unsigned flags = 0;
    uint16_t result = halfcl_from_double(value, mode, &flags);
    memcpy(out, &result, sizeof result);
    return flags;
}

static unsigned long_length(const long_call *c)
{
    exact_sum squares = {0};
    unsigned flags = 0;
    double length = add_products(c, c->a, c->a_step, c->a, c->a_step, 1, &squares)
                        ? exact_root(&squares)
                        : exact_length(c->a, c->width, c->a_step, &flags);
    return flags | put(c->out, length, c->mode);
}

/* (a - b)^2 = a^2 - 2 a b + b^2, exactly. */
static unsigned long_distance(const long_call *c)
{
    exact_sum squares = {0};
    unsigned flags = 0;
    bool finite = add_products(c, c->a, c->a_step, c->a, c->a_step, 1, &squares);
    finite &= add_products(c, c->a, c->a_step, c->b, c->b_step, -2, &squares);
    finite &= add_products(c, c->b, c->b_step, c->b, c->b_step, 1, &squares);
    double distance = finite
                          ? exact_root(&squares)
                          : exact_distance(c->a, c->b, c->width, c->a_step, c->b_step, &flags);
    return flags | put(c->out, distance, c->mode);
}

static unsigned long_normalize(const long_call *c)
{
    exact_norm norm = {0};
    unsigned flags = 0;
    if (!add_products(c, c->a, c->a_step, c->a, c->a_step, 1, &norm.squares))
        norm = exact_norm_of(c->a, c->width, c->a_step, &flags);
    for (size_t k = 0; k < c->width; k++) {
        uint16_t x;
        memcpy(&x, c->a + (ptrdiff_t)k * c->a_step, sizeof x);
        flags |= put(c->out + (ptrdiff_t)k * c->out_step, exact_ratio(x, &norm), c->mode);
    }
    return flags;
}

static const struct {
    const char *kernel;
    unsigned (*run)(const long_call *);
} long_functions[] = {
    {"vectors_dot", long_dot},
    {"vectors_length", long_length},
    {"vectors_distance", long_distance},
    {"vectors_normalize", long_normalize},
};

/* What the steps on the way raise does not count, but for what they return. */
static unsigned run_long(const halfcl_kernel *kernel, const halfcl_kernel *dot,
                         const halfcl_vectors *operands, size_t n, halfcl_rounding mode)
{
    const halfcl_vectors *a = &operands[0], *b = &operands[1];
    const halfcl_vectors *out = &operands[inputs_of(kernel)];
    size_t f = 0;
    unsigned flags = 0;
    while (strcmp(long_functions[f].kernel, kernel->name))
        f++;
    for (size_t i = 0; i < n; i++) {
        long_call call = {
            dot,          vector_at(a, i), vector_at(b, i), vector_at(out, i),
            a->component, b->component,    out->component,  a->width,
            mode,
        };
        flags |= long_functions[f].run(&call);
    }
    return flags;
}

unsigned halfcl_geometric(const halfcl_kernel *kernel, const halfcl_kernel *dot,
                          const halfcl_vectors *operands, size_t n, halfcl_rounding mode)
{
    size_t width = operands[0].width;
    halfcl_env env;
    halfcl_enter(&env, mode);
    if (width == 0 || width > HALFCL_WIDEST) {
        unsigned flags = run_long(kernel, dot, operands, n, mode);
        halfcl_leave(&env);
        return flags;
    }
    unsigned flags = run_short(kernel, operands, n, mode);
    return flags | halfcl_leave(&env);
}
