/* Converts halves to contiguous complex numbers: with a zero after each half, all parts are
 * results of one conversion. */
#include "format/strided.h"
#include "run/splitting.h"

#include <string.h>

typedef struct {
    const halfcl_kernel *convert;
    char *to;
    const char *from;
    ptrdiff_t step;
    size_t size; /* of a part */
} widening;

static void pair_with_zeros(uint16_t *restrict to, const char *from, ptrdiff_t step, size_t n)
{
    const uint16_t *restrict halves = (const uint16_t *)from;
    bool direct = halfcl_is_direct(from, step, sizeof *to);
    for (size_t i = 0; direct && i < n; i++) { /* compilers vectorise this */
        to[2 * i] = halves[i];
        to[2 * i + 1] = 0;
    }
    for (size_t i = 0; !direct && i < n; i++) {
        memcpy(&to[2 * i], from + (ptrdiff_t)i * step, sizeof *to);
        to[2 * i + 1] = 0;
    }
}

static unsigned widen_some(void *work, size_t first, size_t count, int thread)
{
    const widening *w = work;
    uint16_t pairs[2 * HALFCL_BLOCK];
    const ptrdiff_t steps[] = {sizeof *pairs, (ptrdiff_t)w->size};
    (void)thread;
    for (size_t done = 0, n; done < count; done += n) {
        n = count - done < HALFCL_BLOCK ? count - done : HALFCL_BLOCK;
        size_t at = first + done;
        char *const operands[] = {(char *)pairs, w->to + 2 * w->size * at};
        pair_with_zeros(pairs, w->from + (ptrdiff_t)at * w->step, w->step, n);
        halfcl_run(w->convert, operands, steps, 2 * n, HALFCL_RTE);
    }
    return 0;
}

static bool are_apart(const widening *w, size_t n)
{
    ptrdiff_t reach = w->step * (ptrdiff_t)(n - 1);
    uintptr_t low = (uintptr_t)w->from + (uintptr_t)(reach < 0 ? reach : 0);
    uintptr_t high = (uintptr_t)w->from + (uintptr_t)(reach < 0 ? 0 : reach);
    uintptr_t to = (uintptr_t)w->to;
    return high + sizeof(uint16_t) <= to || to + 2 * w->size * n <= low;
}

void halfcl_run_to_complex(const halfcl_kernel *convert, void *to, const void *from,
                           ptrdiff_t step, size_t n)
{
    size_t size = halfcl_type_size((halfcl_type)convert->signature.types[1]);
    widening w = {convert, to, from, step, size};
    if (halfcl_may_split(n) && are_apart(&w, n))
        halfcl_run_divided(&(halfcl_divisible){widen_some, &w, n, 2}, halfcl_get_threads());
    else
        widen_some(&w, 0, n, 0);
}
