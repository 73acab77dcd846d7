#include "geometric.h"

#include <stdbool.h>
#include <string.h>

#include "driver.h"
#include "exact_vector.h"
#include "reduction.h"

enum { BLOCK = HALFCL_BLOCK };

static const int64_t LIMB = (int64_t)1 << 32;

/* Long vectors are taken one by one: one of each operand. */
typedef struct {
    const halfcl_kernel *kernel, *dot;
    char *a, *b, *out;
    ptrdiff_t a_step, b_step, out_step;
    size_t width;
    halfcl_rounding mode;
} long_call;

/* Adds factor times the sum of products of two vectors; false if some are no numbers. */
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
    exact_sum squares = {0};
    unsigned flags = 0;
    bool finite = add_products(c, c->a, c->a_step, c->a, c->a_step, 1, &squares);
    exact_norm norm = finite ? exact_norm_of_squares(&squares)
                             : exact_norm_of(c->a, c->width, c->a_step, &flags);
    const halfcl_vectors components[] = {{c->a, c->a_step, 0, 1}, {c->out, c->out_step, 0, 1}};
    halfcl_env env;
    halfcl_enter(&env, c->mode);
    flags |= c->kernel->loop((void *[]){(void *)components, &norm}, c->width, c->mode);
    return flags | halfcl_leave(&env);
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

static char *vector_at(const halfcl_vectors *v, size_t i)
{
    return v->start + (ptrdiff_t)i * v->step;
}

static unsigned run_long(const halfcl_kernel *kernel, const halfcl_kernel *dot,
                         const halfcl_vectors *operands, size_t n, halfcl_rounding mode)
{
    const halfcl_vectors *a = &operands[0], *b = &operands[1];
    const halfcl_vectors *out = strcmp(kernel->types, "e>e") ? &operands[2] : &operands[1];
    size_t f = 0;
    unsigned flags = 0;
    while (strcmp(long_functions[f].kernel, kernel->name))
        f++;
    for (size_t i = 0; i < n; i++) {
        long_call call = {
            kernel,       dot,          vector_at(a, i), vector_at(b, i), vector_at(out, i),
            a->component, b->component, out->component,  a->width,        mode};
        flags |= long_functions[f].run(&call);
    }
    return flags;
}

/* Of long vectors, what the steps on the way raise does not count, but what they return. */
unsigned halfcl_geometric(const halfcl_kernel *kernel, const halfcl_kernel *dot,
                          const halfcl_vectors *operands, size_t n, halfcl_rounding mode)
{
    bool is_long = operands[0].width == 0 || operands[0].width > HALFCL_WIDEST;
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = is_long ? run_long(kernel, dot, operands, n, mode)
                             : kernel->loop((void *[]){(void *)operands, NULL}, n, mode);
    unsigned raised = halfcl_leave(&env);
    return is_long ? flags : flags | raised;
}
