/* One element of a matrix product, by an exact dot product: the slow path of hard cases. */
#ifndef HALFCL_KERNELS_VECTORS_MATRIX_ELEMENT_H
#define HALFCL_KERNELS_VECTORS_MATRIX_ELEMENT_H

#include "format/strided.h"
#include "kernels/folds/reduce.h"
#include "kernels/vectors/matrix_pack.h"

ALWAYS_INLINE size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Computes element (i, j) of the product. */
static unsigned multiply_element(const halfcl_matrix_product *p, size_t i, size_t j,
                                 uint16_t *result, halfcl_rounding mode)
{
    uint16_t row[HALFCL_BLOCK], column[HALFCL_BLOCK];
    halfcl_fold_state sum = {.seen = HALFCL_FROM_ZERO};
    for (size_t k = 0; k < p->n; k += HALFCL_BLOCK) {
        const size_t n = least_of(p->n - k, HALFCL_BLOCK);
        const void *const factors[] = {
            halfcl_gather(row, element_of(&p->a, i, k), p->a.column, n),
            halfcl_gather(column, element_of(&p->b, k, j), p->b.row, n)};
        dot_add(&sum, factors, n);
    }
    return dot_finish(&sum, result, mode);
}

#endif
