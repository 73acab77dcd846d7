#include "format/strided.h"
#include "format/half.h"

#include <string.h>

/* The step is constant, so that compilers vectorise the loop. */
#define COPY_EACH(STEP)                                                                        \
    case STEP:                                                                                 \
        for (size_t i = 0; i < n; i++)                                                         \
            to[i] = from[(STEP) * (ptrdiff_t)i];                                               \
        return true;

/* Copies elements a usual step apart, in elements, to contiguous memory; returns false for
 * another step. */
#define DEFINE_COPY_APART(T)                                                                   \
    static bool copy_apart_##T(T *to, const T *from, ptrdiff_t step, size_t n)                 \
    {                                                                                          \
        switch (step) {                                                                        \
            COPY_EACH(-1)                                                                      \
            COPY_EACH(0)                                                                       \
            COPY_EACH(2)                                                                       \
            COPY_EACH(3)                                                                       \
            COPY_EACH(4)                                                                       \
        default:                                                                               \
            return false;                                                                      \
        }                                                                                      \
    }
DEFINE_COPY_APART(uint8_t)
DEFINE_COPY_APART(uint16_t)
DEFINE_COPY_APART(uint32_t)
DEFINE_COPY_APART(uint64_t)

static bool are_aligned(const char *to, const char *from, ptrdiff_t step, size_t size)
{
    return (((uintptr_t)to | (uintptr_t)from | (uintptr_t)step) & (size - 1)) == 0;
}

/* Copies elements one by one, each with one move of a constant size. Scattered writes take two
 * thirds of the time by fours; scattered reads, which miss the cache, take longer that way. */
#define COPY_ELEMENTS(T)                                                                       \
    if (to_step == sizeof(T) && are_aligned(to, from, from_step, sizeof(T)) &&                 \
        copy_apart_##T((T *)to, (const T *)from, from_step / (ptrdiff_t)sizeof(T), n))         \
        return;                                                                                \
    for (; to_step != sizeof(T) && n >= 4; n -= 4, to += 4 * to_step, from += 4 * from_step) { \
        T four[4];                                                                             \
        for (int k = 0; k < 4; k++)                                                            \
            memcpy(&four[k], from + k * from_step, sizeof(T));                                 \
        for (int k = 0; k < 4; k++)                                                            \
            memcpy(to + k * to_step, &four[k], sizeof(T));                                     \
    }                                                                                          \
    for (; n > 0; n--, to += to_step, from += from_step)                                       \
        memcpy(to, from, sizeof(T));

void halfcl_copy_strided(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step,
                         size_t size, size_t n)
{
    if (to_step == (ptrdiff_t)size && from_step == to_step) {
        memcpy(to, from, size * n);
        return;
    }
    switch (size) {
    case 1:
        COPY_ELEMENTS(uint8_t)
        break;
    case 2:
        COPY_ELEMENTS(uint16_t)
        break;
    case 4:
        COPY_ELEMENTS(uint32_t)
        break;
    default:
        COPY_ELEMENTS(uint64_t)
        break;
    }
}

/* Fills memory with one half: memcpy of growing blocks writes as wide as the machine can. */
static void fill(char *to, const char *from, size_t n)
{
    enum { BLOCK = 2048 };
    const uint16_t half = read_half(from);
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

void halfcl_copy_where(uint16_t *to, const uint16_t *from, const uint8_t *where, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* without a branch, so that compilers vectorise it */
        const uint16_t mask = (uint16_t)-(where[i] != 0);
        to[i] = (uint16_t)((from[i] & mask) | (to[i] & ~mask));
    }
}
