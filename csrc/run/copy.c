/* Copies contiguous halves, by several threads if that is faster. */
#include "run/splitting.h"

#include <string.h>

typedef struct {
    char *to;
    const char *from;
} copy;

static unsigned copy_some(void *work, size_t first, size_t count, int thread)
{
    const copy *c = work;
    (void)thread;
    memcpy(c->to + 2 * first, c->from + 2 * first, 2 * count);
    return 0;
}

static bool are_apart(const copy *c, size_t n)
{
    uintptr_t to = (uintptr_t)c->to, from = (uintptr_t)c->from;
    return to + 2 * n <= from || from + 2 * n <= to;
}

void halfcl_run_copy(void *to, const void *from, size_t n)
{
    copy c = {to, from};
    if (halfcl_may_split(n) && are_apart(&c, n))
        halfcl_run_divided(&(halfcl_divisible){copy_some, &c, n, 1}, halfcl_get_threads());
    else
        memmove(to, from, 2 * n);
}
