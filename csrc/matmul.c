#include <stdlib.h>
#include <string.h>

#include "driver.h"

/* Up to this many elements are gathered on the stack. */
enum { ON_STACK = 2048 };

/* A contiguous copy of strided elements, or the elements themselves. */
typedef struct {
    uint16_t stack[ON_STACK];
    uint16_t *heap;
    const uint16_t *elements;
} gathered;

static void gather(gathered *g, const char *from, ptrdiff_t step, size_t n)
{
    if (step == 2 && (uintptr_t)from % 2 == 0) {
        g->elements = (const uint16_t *)from;
        return;
    }
    uint16_t *to = n <= ON_STACK ? g->stack : g->heap;
    for (size_t i = 0; i < n; i++, from += step)
        memcpy(&to[i], from, 2);
    g->elements = to;
}

static int gathered_init(gathered *g, size_t n)
{
    g->heap = n > ON_STACK ? malloc(n * sizeof(uint16_t)) : NULL;
    return n > ON_STACK && !g->heap ? -1 : 0;
}

unsigned halfcl_matmul(const halfcl_kernel *dot, const char *a, ptrdiff_t a_row,
                       ptrdiff_t a_column, const char *b, ptrdiff_t b_row, ptrdiff_t b_column,
                       char *out, ptrdiff_t out_row, ptrdiff_t out_column, size_t m, size_t n,
                       size_t p, halfcl_rounding mode)
{
    gathered row, column;
    if (gathered_init(&row, n) < 0 || gathered_init(&column, n) < 0)
        abort(); /* no way to report from an inner loop; a row's worth of memory is gone */
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = 0;
    for (size_t j = 0; j < p; j++) {
        gather(&column, b + (ptrdiff_t)j * b_column, b_row, n);
        for (size_t i = 0; i < m; i++) {
            gather(&row, a + (ptrdiff_t)i * a_row, a_column, n);
            uint16_t result;
            flags |= dot->loop(
                (void *[]){(void *)row.elements, (void *)column.elements, &result}, n, mode);
            memcpy(out + (ptrdiff_t)i * out_row + (ptrdiff_t)j * out_column, &result, 2);
        }
    }
    flags |= halfcl_leave(&env);
    free(row.heap);
    free(column.heap);
    return flags;
}

unsigned halfcl_dot(const halfcl_kernel *dot, const char *a, ptrdiff_t a_step, const char *b,
                    ptrdiff_t b_step, uint16_t *out, size_t n, halfcl_rounding mode)
{
    return halfcl_matmul(dot, a, 0, a_step, b, b_step, 0, (char *)out, 0, 0, 1, n, 1, mode);
}
