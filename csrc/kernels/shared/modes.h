/* Arrays of modes: reading them, and selecting results by them. The loops are simple enough for
 * compilers to vectorise. */
#ifndef HALFCL_KERNELS_SHARED_MODES_H
#define HALFCL_KERNELS_SHARED_MODES_H

#include <string.h>

#include "format/half.h"
#include "format/modes.h"

static bool are_modes(const uint8_t *codes, size_t n)
{
    uint8_t all = 0;
    for (size_t k = 0; k < n; k++)
        all |= codes[k];
    return all < HALFCL_MODES;
}

static void copy_modes(uint8_t *to, const uint8_t *from, size_t n)
{
    for (size_t k = 0; k < n; k++)
        to[k] = from[k] & (HALFCL_MODES - 1);
}

enum { SHORT_STRETCH = 64, LONG_STRETCH = 512 };

/* Returns whether all modes of a stretch are the same. */
ALWAYS_INLINE bool is_uniform(const uint8_t *modes, uint8_t mode, size_t stretch)
{
    const uint64_t eight = mode * UINT64_C(0x0101010101010101);
    uint64_t other = 0;
    for (size_t k = 0; k < stretch; k += sizeof eight) {
        uint64_t those;
        memcpy(&those, modes + k, sizeof those);
        other |= those ^ eight;
    }
    return other == 0;
}

/* Checks stretches whose length depends on the modes so far. */
static size_t run_length(const uint8_t *modes, size_t n)
{
    size_t k = 0;
    while (k + SHORT_STRETCH <= n && k < LONG_STRETCH &&
           is_uniform(modes + k, modes[0], SHORT_STRETCH))
        k += SHORT_STRETCH;
    while (k >= LONG_STRETCH && k + LONG_STRETCH <= n &&
           is_uniform(modes + k, modes[0], LONG_STRETCH))
        k += LONG_STRETCH;
    while (k + 8 <= n && is_uniform(modes + k, modes[0], 8))
        k += 8;
    while (k < n && modes[k] == modes[0])
        k++;
    return k;
}

static unsigned count_changes(const uint8_t *modes, size_t n)
{
    uint8_t changes = 0;
    for (size_t k = 1; k < n; k++)
        changes += modes[k] != modes[k - 1];
    return changes;
}

/* Without branches, which random modes would make mispredicted. */
#define DEFINE_CHOOSE(type)                                                                    \
    static void choose_##type(void *to, const void *const of[HALFCL_MODES],                    \
                              const uint8_t *modes, size_t n)                                  \
    {                                                                                          \
        type *restrict out = to;                                                               \
        const type *a = of[0], *b = of[1], *c = of[2], *d = of[3];                             \
        for (size_t k = 0; k < n; k++) {                                                       \
            type odd = (type)(-(type)(modes[k] & 1)), upper = (type)(-(type)(modes[k] >> 1));  \
            type low = a[k] ^ ((a[k] ^ b[k]) & odd), high = c[k] ^ ((c[k] ^ d[k]) & odd);      \
            out[k] = low ^ ((low ^ high) & upper);                                             \
        }                                                                                      \
    }
DEFINE_CHOOSE(uint8_t)
DEFINE_CHOOSE(uint16_t)
DEFINE_CHOOSE(uint32_t)
DEFINE_CHOOSE(uint64_t)

static void choose_directed(void *to, const void *const of[HALFCL_MODES], const uint8_t *modes,
                            size_t n)
{
    uint16_t *restrict out = to;
    const uint16_t *nearest = of[HALFCL_RTE], *up = of[HALFCL_RTP], *down = of[HALFCL_RTN];
    for (size_t k = 0; k < n; k++) {
        uint16_t odd = (uint16_t)(-(modes[k] & 1)), upper = (uint16_t)(-(modes[k] >> 1));
        uint16_t has_sign = (uint16_t)(-(down[k] >> 15)), differ = up[k] ^ down[k];
        uint16_t zero = down[k] ^ (differ & has_sign);
        uint16_t low = nearest[k] ^ ((nearest[k] ^ zero) & odd), high = up[k] ^ (differ & odd);
        out[k] = low ^ ((low ^ high) & upper);
    }
}

static const struct halfcl_mode_tools mode_tools = {
    are_modes,       copy_modes,      run_length,      count_changes,  choose_uint8_t,
    choose_uint16_t, choose_uint32_t, choose_uint64_t, choose_directed};

#endif
