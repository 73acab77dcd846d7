/* Rounding to decimals: the half nearest to the multiple of a power of ten, or of its inverse,
 * that is nearest to a half; ties to even, whatever the mode. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_DECIMALS_H
#define HALFCL_KERNELS_ELEMENTWISE_DECIMALS_H

#include "kernels/shared/map.h"

typedef vf nearest_decimal(vf x, vf power);

/* A half times a power up to 10^5 is exact in float, and so is an integer times such a power.
 * The quotient of an integer by the power that is no half is at least 2^-12 5^-5 of it away
 * from any point between two halves, so rounding it to float first does no harm. */
ALWAYS_INLINE vf nearest_fraction(vf x, vf power)
{
    return vf_div(vf_rint(vf_mul(x, power)), power);
}

/* The quotient is a tie of two integers only if it is exact. */
ALWAYS_INLINE vf nearest_multiple(vf x, vf power)
{
    return vf_mul(vf_rint(vf_div(x, power)), power);
}

/* For powers up to 10^7 this takes doubles. Below 2^51 the sum with the large number has no
 * place for a fraction, and the processor rounds to nearest. */
ALWAYS_INLINE vd wide_fraction(vd x, vd power)
{
    const vd large = vd_set(0x1.8p52);
    return vd_div(vd_sub(vd_add(vd_mul(x, power), large), large), power);
}

ALWAYS_INLINE vf nearest_small_fraction(vf x, vf power)
{
    return vf_join_odd(wide_fraction(vd_low(x), vd_low(power)),
                       wide_fraction(vd_high(x), vd_high(power)));
}

/* Writes infinities and NaNs as they are. */
static __attribute__((noinline)) void keep_specials(uint16_t *out, const uint16_t *in, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        if ((in[i] & HALF_INF) == HALF_INF)
            out[i] = in[i];
}

ALWAYS_INLINE vf load_powers_upto(const float *p, size_t n)
{
    float powers[LANES];
    if (n >= LANES)
        return vf_load(p);
    for (size_t i = 0; i < LANES; ++i)
        powers[i] = p[i < n ? i : 0];
    return vf_load(powers);
}

/* args: halves, powers and the results. */
ALWAYS_INLINE unsigned map_to_decimals(void *const *args, size_t n, nearest_decimal *nearest)
{
    const uint16_t *in = args[0];
    const float *powers = args[1];
    uint16_t *out = args[2];
    const vf most = vf_set(65504), least = vf_set(-65504);
    acc seen = acc_none();
#define TURN(at, count)                                                                        \
    uint16_t halves[LANES];                                                                    \
    const vf x = load_upto(in + at, count);                                                    \
    const bool any_special = vm_any(vf_special(x));                                            \
    if (any_special)                                                                           \
        memcpy(halves, in + at, (count < LANES ? count : LANES) * sizeof *in);                 \
    const vf within =                                                                          \
        vf_max(vf_min(nearest(x, load_powers_upto(powers + at, count)), most), least);         \
    store_upto(out + at, vf_narrow(vf_copysign(within, x), HALFCL_RTE, &seen), count);         \
    if (any_special)                                                                           \
        keep_specials(out + at, halves, count < LANES ? count : LANES);
    MAP_VECTORS(out, TURN)
#undef TURN
    return 0;
}

KERNEL(to_fractions, map_to_decimals(args, n, nearest_fraction))
KERNEL(to_small_fractions, map_to_decimals(args, n, nearest_small_fraction))
KERNEL(to_multiples, map_to_decimals(args, n, nearest_multiple))

#define TO_POWERS(name, loop)                                                                  \
    QUIET_MAP(name, loop, 2, 1, HALFCL_HALF, HALFCL_FLOAT, HALFCL_HALF)
#define DECIMALS_KERNELS                                                                       \
    TO_POWERS("round_to_fractions", to_fractions)                                              \
    TO_POWERS("round_to_small_fractions", to_small_fractions)                                  \
    TO_POWERS("round_to_multiples", to_multiples)

#endif
