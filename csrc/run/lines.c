/* Finds the extremes of many lines of an array at once. */
#include "format/order.h"
#include "run/sort.h"
#include "run/splitting.h"

/* For longer rows it pays to search blocks, and then for the extreme in one of these only. */
enum { LONG_ROW = 1 << 13 };

/* Columns per item. */
enum { COLUMNS = 128 };

typedef struct {
    const struct halfcl_order_tools *tools;
    const uint16_t *values;
    halfcl_lines lines;
    bool greatest;
    ptrdiff_t *indices;
} extremes;

static unsigned extremes_of_some_rows(void *work, size_t first, size_t count, int thread)
{
    const extremes *e = work;
    const size_t n = e->lines.n;
    (void)thread;
    e->tools->extremes_of_rows(e->values + first * n, n, count, e->greatest,
                               e->indices + first);
    return 0;
}

/* Returns how many pieces of COLUMNS, or fewer, the lines side by side have. */
static size_t pieces_of(const halfcl_lines *lines)
{
    return (lines->inner + COLUMNS - 1) / COLUMNS;
}

static unsigned extremes_of_some_columns(void *work, size_t first, size_t count, int thread)
{
    const extremes *e = work;
    const size_t n = e->lines.n, inner = e->lines.inner, pieces = pieces_of(&e->lines);
    (void)thread;
    for (size_t item = first; item < first + count; ++item) {
        size_t o = item / pieces, k = item % pieces * COLUMNS;
        e->tools->extremes_of_columns(e->values + o * n * inner + k, inner, n,
                                      inner - k < COLUMNS ? inner - k : COLUMNS, e->greatest,
                                      e->indices + o * inner + k);
    }
    return 0;
}

void halfcl_extremes_of_lines(const halfcl_isa *isa, const halfcl_kernel *range,
                              const uint16_t *values, const halfcl_lines *lines, bool greatest,
                              ptrdiff_t *indices)
{
    const size_t n = lines->n, inner = lines->inner;
    extremes e = {isa->order_tools, values, *lines, greatest, indices};
    halfcl_divisible rows = {extremes_of_some_rows, &e, lines->outer, n};
    halfcl_divisible columns = {extremes_of_some_columns, &e, lines->outer * pieces_of(lines),
                                n * (inner < COLUMNS ? inner : COLUMNS)};
    const halfcl_divisible *call = inner == 1 ? &rows : &columns;
    if (inner == 1 && n > LONG_ROW) {
        for (size_t k = 0; k < lines->outer; ++k)
            indices[k] = (ptrdiff_t)(greatest ? halfcl_argmax(range, values + k * n, n)
                                              : halfcl_argmin(range, values + k * n, n));
    } else if (halfcl_may_split(n * inner * lines->outer))
        halfcl_run_divided(call, halfcl_get_threads());
    else
        call->run(call->work, 0, call->items, 0);
}
