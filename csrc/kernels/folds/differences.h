/* Differences of differences of halves, rounded once. */
#ifndef HALFCL_KERNELS_FOLDS_DIFFERENCES_H
#define HALFCL_KERNELS_FOLDS_DIFFERENCES_H

#include "kernels/folds/sums.h"

/* Every half is a multiple of 2^-24 below 2^16, so doubles hold these differences. */
ALWAYS_INLINE vd wide_second_difference(vd a, vd b, vd c)
{
    return vd_sub(vd_sub(c, b), vd_sub(b, a));
}

/* Most halves are so alike that floats hold the differences, too, in half the time: the block
 * is computed again in double if the processor has recorded an inexact operation. */
enum { DIFFERENCES = 512 };

ALWAYS_INLINE vf second_difference_in_float(vf a, vf b, vf c)
{
    return vf_sub(vf_sub(c, b), vf_sub(b, a));
}

ALWAYS_INLINE vf second_difference_in_double(vf a, vf b, vf c)
{
    return vf_join_odd(wide_second_difference(vd_low(a), vd_low(b), vd_low(c)),
                       wide_second_difference(vd_high(a), vd_high(b), vd_high(c)));
}

typedef vf vf_of_three(vf a, vf b, vf c);

ALWAYS_INLINE void subtract_twice_to(float *out, const uint16_t *a, const uint16_t *b,
                                     const uint16_t *c, size_t n, vf_of_three *difference)
{
    for (size_t i = 0; i < n; i += LANES)
        vf_put(out + i, difference(load_upto(a + i, n - i), load_upto(b + i, n - i),
                                   load_upto(c + i, n - i)));
}

static unsigned second_difference(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0], *b = args[1], *c = args[2];
    uint16_t *out = args[3];
    float floats[DIFFERENCES];
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += DIFFERENCES) {
        const size_t count = n - done < DIFFERENCES ? n - done : DIFFERENCES;
        halfcl_watch_inexact();
        subtract_twice_to(floats, a + done, b + done, c + done, count,
                          second_difference_in_float);
        if (!were_exact(floats))
            subtract_twice_to(floats, a + done, b + done, c + done, count,
                              second_difference_in_double);
        for (size_t i = 0; i < count; i += LANES)
            store_upto(out + done + i,
                       round_to_half(vf_load(floats + i), mode, &seen, NEVER_TINY), count - i);
    }
    return acc_flags(seen);
}

#define DIFFERENCES_KERNELS TERNARY("second_difference", second_difference)

#endif
