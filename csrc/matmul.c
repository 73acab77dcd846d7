#include <string.h>

#include "driver.h"
#include "reduction.h"

/* Elements of a column and rows that are worked on at a time, so that neither long
 * vectors nor tall matrices need memory of their own. */
enum { BLOCK = HALFCL_BLOCK, ROWS = 32 };

typedef struct {
    const char *start;
    ptrdiff_t row, column; /* bytes from one to the next */
} matrix;

static const char *element(const matrix *of, size_t row, size_t column)
{
    return of->start + (ptrdiff_t)row * of->row + (ptrdiff_t)column * of->column;
}

/* Up to ROWS elements of a column of the product: the dot products of rows of a, n
 * elements each, and a column of b. */
static unsigned multiply_rows(const halfcl_kernel *dot, const matrix *a, const matrix *b,
                              uint16_t *products, size_t rows, size_t n, halfcl_rounding mode)
{
    uint16_t row_buffer[BLOCK], column_buffer[BLOCK];
    reduction sums[ROWS];
    unsigned flags = 0;
    memset(sums, 0, rows * sizeof *sums);
    for (size_t k = 0; k < n; k += BLOCK) {
        size_t count = n - k < BLOCK ? n - k : BLOCK;
        const uint16_t *column = halfcl_gather(column_buffer, element(b, k, 0), b->row, count);
        for (size_t i = 0; i < rows; ++i) {
            const uint16_t *row = halfcl_gather(row_buffer, element(a, i, k), a->column, count);
            flags |=
                dot->loop((void *[]){(void *)row, (void *)column, &sums[i], NULL}, count, mode);
        }
    }
    for (size_t i = 0; i < rows; ++i)
        flags |= dot->loop((void *[]){NULL, NULL, &sums[i], &products[i]}, 0, mode);
    return flags;
}

unsigned halfcl_matmul(const halfcl_kernel *dot, const char *a, ptrdiff_t a_row,
                       ptrdiff_t a_column, const char *b, ptrdiff_t b_row, ptrdiff_t b_column,
                       char *out, ptrdiff_t out_row, ptrdiff_t out_column, size_t m, size_t n,
                       size_t p, halfcl_rounding mode)
{
    const matrix left = {a, a_row, a_column}, right = {b, b_row, b_column};
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, mode);
    for (size_t j = 0; j < p; ++j) {
        matrix column = {element(&right, 0, j), b_row, b_column};
        for (size_t i = 0; i < m; i += ROWS) {
            matrix rows = {element(&left, i, 0), a_row, a_column};
            size_t count = m - i < ROWS ? m - i : ROWS;
            uint16_t products[ROWS];
            flags |= multiply_rows(dot, &rows, &column, products, count, n, mode);
            halfcl_copy(out + (ptrdiff_t)i * out_row + (ptrdiff_t)j * out_column, out_row,
                        (const char *)products, 2, count);
        }
    }
    return flags | halfcl_leave(&env);
}

unsigned halfcl_dot(const halfcl_kernel *dot, const char *a, ptrdiff_t a_step, const char *b,
                    ptrdiff_t b_step, uint16_t *out, size_t n, halfcl_rounding mode)
{
    return halfcl_matmul(dot, a, 0, a_step, b, b_step, 0, (char *)out, 0, 0, 1, n, 1, mode);
}
