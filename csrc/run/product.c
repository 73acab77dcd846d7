#include "format/strided.h"

#include <string.h>

/* Elements of a column and rows that are worked on at a time, so that neither long
 * vectors nor tall matrices need memory of their own. */
enum { BLOCK = HALFCL_BLOCK, ROWS = 32 };

static char *element(const halfcl_matrix *of, size_t row, size_t column)
{
    return of->start + (ptrdiff_t)row * of->row + (ptrdiff_t)column * of->column;
}

/* Up to ROWS elements of column j of the product, from row i on: the dot products of rows of
 * a, n elements each, and a column of b. */
static unsigned multiply_rows(const halfcl_kernel *dot, const halfcl_product *p, size_t i,
                              size_t rows, size_t j, halfcl_rounding mode)
{
    uint16_t row_buffer[BLOCK], column_buffer[BLOCK], products[ROWS];
    halfcl_fold_state sums[ROWS];
    unsigned flags = 0;
    for (size_t r = 0; r < rows; ++r)
        sums[r] = (halfcl_fold_state){.seen = HALFCL_FROM_ZERO}; /* from +0 on, as NumPy's */
    for (size_t k = 0; k < p->n; k += BLOCK) {
        size_t count = p->n - k < BLOCK ? p->n - k : BLOCK;
        const uint16_t *column =
            halfcl_gather(column_buffer, element(&p->b, k, j), p->b.row, count);
        for (size_t r = 0; r < rows; ++r) {
            const uint16_t *row =
                halfcl_gather(row_buffer, element(&p->a, i + r, k), p->a.column, count);
            dot->fold.add(&sums[r], (const void *[]){row, column}, count);
        }
    }
    for (size_t r = 0; r < rows; ++r)
        flags |= dot->fold.finish(&sums[r], &products[r], mode);
    halfcl_copy(element(&p->out, i, j), p->out.row, (const char *)products, sizeof *products,
                rows);
    return flags;
}

unsigned halfcl_matmul(const halfcl_kernel *dot, const halfcl_product *p, halfcl_rounding mode)
{
    if (!dot || dot->kind != HALFCL_FOLD || dot->signature.nin != 2)
        return HALFCL_MISUSE;
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    for (size_t j = 0; j < p->p; ++j) {
        for (size_t i = 0; i < p->m; i += ROWS)
            flags |= multiply_rows(dot, p, i, p->m - i < ROWS ? p->m - i : ROWS, j, mode);
    }
    halfcl_leave(&env);
    return flags;
}
