#include "format/strided.h"

#include <string.h>

/* Of a compile-time size, so that each copy is one move. */
#define COPY_ELEMENTS(SIZE)                                                                    \
    for (size_t i = 0; i < n; i++, to += to_step, from += from_step)                           \
        memcpy(to, from, SIZE);

void halfcl_copy_strided(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                         size_t size, size_t n)
{
    if (to_step == (ptrdiff_t)size && from_step == to_step) {
        memcpy(to, from, size * n);
        return;
    }
    switch (size) {
    case 1:
        COPY_ELEMENTS(1)
        break;
    case 2:
        COPY_ELEMENTS(2)
        break;
    case 4:
        COPY_ELEMENTS(4)
        break;
    default:
        COPY_ELEMENTS(8)
        break;
    }
}

/* A block of one half, copied on and on: in blocks memcpy writes as wide as the machine can. */
static void fill(char *to, const char *from, size_t n)
{
    enum { BLOCK = 2048 };
    uint16_t half;
    memcpy(&half, from, sizeof half);
    for (size_t i = 0; i < n && i < BLOCK; i++)
        memcpy(to + 2 * i, &half, sizeof half);
    for (size_t done = BLOCK; done < n; done += BLOCK)
        memcpy(to + 2 * done, to, 2 * (n - done < BLOCK ? n - done : BLOCK));
}

void halfcl_copy(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t n)
{
    if (to_step == 2 && from_step == 2)
        memmove(to, from, 2 * n);
    else if (to_step == 2 && from_step == 0)
        fill(to, from, n);
    else
        halfcl_copy_strided(to, to_step, from, from_step, 2, n);
}

const uint16_t *halfcl_gather(uint16_t *to, const char *from, ptrdiff_t step, size_t n)
{
    if (halfcl_is_direct(from, step, sizeof *to))
        return (const uint16_t *)from;
    halfcl_copy_strided((char *)to, sizeof *to, from, step, sizeof *to, n);
    return to;
}
