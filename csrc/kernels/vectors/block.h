/* A block of vectors in progress, and its hard cases, decided exactly (exact/vector.h). */
#ifndef HALFCL_KERNELS_VECTORS_BLOCK_H
#define HALFCL_KERNELS_VECTORS_BLOCK_H

#include "exact/vector.h"
#include "kernels/folds/reduce.h"
#include "kernels/shared/phases.h"
#include "kernels/vectors/planes.h"

enum { VECTOR_BITS = VECTORS / 8 };

typedef float float_plane[VECTORS];
typedef char bit_plane[VECTOR_BITS];

/* Data about the squares of LANES rows: bounds, the inverse of the root, and the exact sum if
 * it was needed. */
typedef struct {
    float low[LANES], high[LANES], inverse[LANES];
    exact_norm exact[LANES];
    bool is_known[LANES];
} row_norms;

/* The vectors that a phase works on: planes or rows. In functions of one vector, b is a. */
typedef struct {
    halfcl_vectors a, b;
    size_t n;
    halfcl_rounding mode;
    row_norms *norms;  /* of normalized rows, */
    size_t done;       /* of which this is the first component in progress */
    const float *fast; /* results of the fast phase, special where a term is; or NULL */
} vector_block;

/* Returns whether the components are contiguous. */
static bool is_row(const halfcl_vectors *v)
{
    return v->component == sizeof(uint16_t);
}

static bool is_aligned(const halfcl_vectors *v)
{
    return ((uintptr_t)v->start | (size_t)v->step | (size_t)v->component) % 2 == 0;
}

static bool can_be_read(const halfcl_vectors *v)
{
    return is_row(v) && is_aligned(v);
}

static exact_operands operands_at(const vector_block *v, size_t i)
{
    return (exact_operands){component_of(&v->a, i, 0),
                            component_of(&v->b, i, 0),
                            v->a.component,
                            v->b.component,
                            v->a.width,
                            dot_add};
}

/* Decides a hard case, exactly: element i of result k: a vector and its component, or, for
 * normalized rows, the component and the row. */
typedef double hard_component(const vector_block *v, size_t i, size_t k, unsigned *flags);

/* Returns whether the fast phase met an infinity or a NaN in vector i. */
static bool is_fast_special(const vector_block *v, size_t i)
{
    return v->fast && is_special(v->fast[i]);
}

static double dot_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    if (is_fast_special(v, i) && can_be_read(&v->a) && can_be_read(&v->b))
        return halfcl_to_float(sum_of_special_products(
            (const uint16_t *)operands.a, (const uint16_t *)operands.b, operands.width, flags));
    return exact_dot(&operands, v->mode, flags);
}

static double length_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    return is_fast_special(v, i) ? exact_special_length(&operands, flags)
                                 : exact_length(&operands, flags);
}

static double norm_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    return exact_root_of_squares(&operands, flags);
}

static double distance_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    (void)k;
    return is_fast_special(v, i) ? exact_special_distance(&operands, flags)
                                 : exact_distance(&operands, flags);
}

static double normalize_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    exact_operands operands = operands_at(v, i);
    return exact_normalize(&operands, k, flags);
}

static const exact_norm *norm_of_row(const vector_block *v, size_t row, unsigned *flags)
{
    if (!v->norms->is_known[row]) {
        exact_operands operands = operands_at(v, row);
        v->norms->exact[row] = exact_norm_of(&operands, flags);
        v->norms->is_known[row] = true;
    }
    return &v->norms->exact[row];
}

static double ratio_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    return exact_ratio(read_half(component_of(&v->a, k, v->done + i)),
                       norm_of_row(v, k, flags));
}

/* Component k of a cross product uses the two components after it, cyclically: a1 b2 - a2
 * b1. */
enum { CROSS_WIDTH = 3 };
static const size_t cross_next[] = {1, 2, 0}, cross_last[] = {2, 0, 1};

/* Sets the components whose products are component k of the cross product of vectors i. */
static void gather_cross_terms(const vector_block *v, size_t i, size_t k, uint16_t *x,
                               uint16_t *y)
{
    const half_plane *a = (const half_plane *)v->a.start, *b = (const half_plane *)v->b.start;
    x[0] = a[cross_next[k]][i];
    x[1] = a[cross_last[k]][i];
    y[0] = b[cross_last[k]][i];
    y[1] = b[cross_next[k]][i] ^ HALF_SIGN;
}

static double cross_hard_case(const vector_block *v, size_t i, size_t k, unsigned *flags)
{
    uint16_t x[2], y[2];
    gather_cross_terms(v, i, k, x, y);
    exact_operands operands = {(const char *)x, (const char *)y, sizeof *x, sizeof *y, 2,
                               dot_add};
    return exact_dot(&operands, v->mode, flags);
}

/* Computes in double, rounding to nearest. */
static double cross_hard_case_in_double(const vector_block *v, size_t i, size_t k,
                                        unsigned *flags)
{
    uint16_t x[2], y[2];
    double products[2], sum;
    halfcl_env env;
    gather_cross_terms(v, i, k, x, y);
    for (int term = 0; term < 2; term++)
        products[term] = (double)halfcl_to_float(x[term]) * (double)halfcl_to_float(y[term]);
    if (is_special(products[0]) || is_special(products[1]))
        return cross_hard_case(v, i, k, flags);
    halfcl_enter(&env, HALFCL_RTE);
    compute_now(products);
    sum = products[0] + products[1];
    compute_now(&sum);
    halfcl_leave(&env);
    return sum;
}

/* A fast phase: computes planes of results, and of bits for their hard cases. */
typedef void vectors_loop(const vector_block *v, float_plane *y, bit_plane *hard);

#endif
