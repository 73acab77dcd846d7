/* Exponentials and logarithms. */
#include "coefficients.h"
#include "function.h"

static float logaddexp_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_logaddexp, x, y, flags);
}

static float logaddexp2_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_logaddexp2, x, y, flags);
}

#if VECTOR_FUNCTIONS

/* 2^floor(x) 2^f, where f is what x has above its floor. */
ALWAYS_INLINE vf power_of_2(vf x, vm *settled)
{
    (void)settled;
    vf f = vf_above_floor(x), power = vf_set(exp2_fraction[5]);
    for (int k = 4; k >= 0; k--)
        power = vf_fma(power, f, vf_set(exp2_fraction[k]));
    return vf_scale(power, x);
}

/* The logarithm to a base: x = 2^exponent m, and with a factor near scale / m, of which s =
 * factor * m - scale is exact,
 *     log x = octave * (exponent + log2(scale / factor)) + log(1 + s / scale),
 * where octave is the logarithm of 2 and the last term is s * slope. Around 1 the first is
 * exactly 0. Of 0, negative numbers, infinity and NaN the exponent or m is infinite or NaN. */
ALWAYS_INLINE vf log_of(vf x, float octave, const float slope[4])
{
    vf m = vf_significand(x);
    vi interval = vi_shift_right(vf_bits(m), 23 - 5);
    vf octaves = vf_add(vf_exponent(x), vf_look_up32(log2_steps, interval));
    vf s = vf_fma(m, vf_look_up32(log2_factors, interval), vf_set(-log2_scale));
    vf sum = vf_set(slope[3]);
    for (int k = 2; k >= 0; k--)
        sum = vf_fma(sum, s, vf_set(slope[k]));
    return vf_fma(s, sum, vf_mul(octaves, vf_set(octave)));
}

ALWAYS_INLINE vf natural_log(vf x, vm *settled)
{
    (void)settled;
    return log_of(x, 0x1.62e430p-1f, log_slope);
}

ALWAYS_INLINE vf log_to_base_2(vf x, vm *settled)
{
    (void)settled;
    return log_of(x, 1, log2_slope);
}

ALWAYS_INLINE vf log_to_base_10(vf x, vm *settled)
{
    (void)settled;
    return log_of(x, 0x1.344136p-2f, log10_slope);
}

#endif

TABLED(exp)
FUNCTION(exp2, power_of_2, 4, MAYBE_TINY)
TABLED(exp10)
TABLED(expm1)
FUNCTION(log, natural_log, 4, NEVER_TINY)
FUNCTION(log2, log_to_base_2, 4, NEVER_TINY)
FUNCTION(log10, log_to_base_10, 4, NEVER_TINY)
TABLED(log1p)
SLOW2(logaddexp, logaddexp_slow)
SLOW2(logaddexp2, logaddexp2_slow)

#define EXP_LOG_KERNELS                                                                        \
    {"exp", "e>e", exp_e}, {"exp2", "e>e", exp2_e}, {"exp10", "e>e", exp10_e},                 \
        {"expm1", "e>e", expm1_e}, {"log", "e>e", log_e}, {"log2", "e>e", log2_e},             \
        {"log10", "e>e", log10_e}, {"log1p", "e>e", log1p_e},                                  \
        {"logaddexp", "ee>e", logaddexp_ee}, {"logaddexp2", "ee>e", logaddexp2_ee},
