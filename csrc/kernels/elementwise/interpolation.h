/* mix and smoothstep, rounded once. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_INTERPOLATION_H
#define HALFCL_KERNELS_ELEMENTWISE_INTERPOLATION_H

#include "exact/interpolation.h"
#include "kernels/shared/phases.h"

#if HAVE_FMA

/* Operands are halves of a vector; the difference is exact with up to 41 bits, the product with
 * up to 52. Their sum with x may need 81. But halves and their midpoints are multiples of
 * 2^-25: so the product is replaced by a multiple of 2^-34 (all bits that a sum with 1.5 2^18
 * keeps), plus or minus 2^-35 if that is less or more than the product. Products from 2^17 on
 * are clamped, since the sum overflows half anyway. Then the sum is exact, in every mode. */
ALWAYS_INLINE vd mix_in_double(vd x, vd y, vd a)
{
    const vd keep = vd_set(0x1.8p18), limit = vd_set(0x1p17), part = vd_set(0x1p-35);
    vd zero = vd_set(0);
    vd product = vd_mul(vd_sub(y, x), a);
    product = vd_max(vd_min(product, limit), vd_sub(zero, limit));
    vd kept = vd_sub(vd_add(product, keep), keep);
    vd rest = vd_mul(vd_sub(product, kept), vd_set(0x1p20)); /* at least 2^-48 2^20 */
    rest = vd_max(vd_min(rest, part), vd_sub(zero, part));
    return vd_add(x, vd_add(kept, rest));
}

/* Replaces the sum in lanes whose difference is not a float, where a is finite. */
static __attribute__((noinline)) vf mix_far_apart(vf x, vf y, vf a, vf sum, vm lanes)
{
    vf zero = vf_set(0); /* other lanes raise nothing */
    lanes = vm_and_not(lanes, vf_special(a));
    x = vf_select(lanes, x, zero);
    y = vf_select(lanes, y, zero);
    a = vf_select(lanes, a, zero);
    vf exact = vf_join_odd(mix_in_double(vd_low(x), vd_low(y), vd_low(a)),
                           mix_in_double(vd_high(x), vd_high(y), vd_high(a)));
    return vf_select(lanes, exact, sum);
}

/* Returns x + (y - x) a. If the difference is a float, as it is unless one of x and y is below
 * 2^-12 of the other, the rest is one fused operation, also for infinities and NaNs. */
static __attribute__((noinline)) vf mix_with_care(vf x, vf y, vf a, halfcl_rounding mode)
{
    vf sum = vf_fma_odd_of_float(vf_sub(y, x), a, x, mode);
    vm inexact = vf_difference_inexact(y, x);
    return canonical_nan(vm_any(inexact) ? mix_far_apart(x, y, a, sum, inexact) : sum);
}

/* Returns the lanes where y - x may not be a float: exactly, or else those where the exponents
 * differ by more than 12, or one operand is zero. */
ALWAYS_INLINE vm may_differ_by_no_float(vf y, vf x)
{
    if (HAVE_STATIC_ROUNDING)
        return vf_difference_inexact(y, x);
    vi distance = vi_abs(vi_sub(vf_bits(vf_abs(y)), vf_bits(vf_abs(x))));
    return vi_less(vi_set(12 << 23), distance);
}

/* If the difference is a float, a sum with more than 12 bits is on the right side of the
 * numbers at which half rounds, since rounding is monotonic. NaNs, too, have fewer bits. */
ALWAYS_INLINE vf mix_of(vf x, vf y, vf a, halfcl_rounding mode)
{
    vf sum = vf_fma(vf_sub(y, x), a, x);
    vm doubtful = vm_or(vi_has_none(vf_bits(sum), 0xfff), may_differ_by_no_float(y, x));
    return __builtin_expect(vm_any(doubtful), 0) ? mix_with_care(x, y, a, mode) : sum;
}

#else

ALWAYS_INLINE vf mix_of(vf x, vf y, vf a, halfcl_rounding mode)
{
    const vf columns[] = {x, y, a};
    float at[3][LANES];
    memcpy(at, columns, sizeof at);
    for (int k = 0; k < LANES; ++k)
        at[0][k] = halfcl_mix(at[0][k], at[1][k], at[2][k], mode);
    return canonical_nan(vf_load(at[0]));
}

#endif /* HAVE_FMA */

FLOAT_TERNARY(mix_kernel, mix_of, MAYBE_TINY | ANY_NAN)

/* smoothstep computes block by block, in the phases of phases.h, on three arguments. */

/* Computes element k, in double if that is enough. Differences of halves are exact there. */
ALWAYS_INLINE float smoothstep_hard_case(const uint16_t *const *args, size_t k, unsigned *flags)
{
    double start = float_of_half(args[0][k]);
    double t = (float_of_half(args[2][k]) - start) / (float_of_half(args[1][k]) - start);
    double y = t * t * (3 - 2 * t);
    if (0 < t && t < 1 && passes_rounding_test(y))
        return round_to_odd(y);
    leave_vectors();
    return halfcl_smoothstep(args[0][k], args[1][k], args[2][k], flags);
}

/* Differences and quotient each have an error of half a unit of float's last place: relatively
 * at most 2^-24 / m, where m is the significand in [1, 2) of the number rounded. In t t (3 - 2
 * t) the error of t counts 2 - 2 t / (3 - 2 t) times, plus three more roundings. In units of
 * the last place, with s the significand of the result, this is s / 2 ((2 - 2 t / (3 - 2 t)) (2
 * + 1 / m(t)) + 1 / m(t t) + 1 / m(3 - 2 t)) + 1 / 2, which is at most 7.8 (for t just below
 * 2^k / sqrt(3)). Results of 0 and 1 are exact where t is outside (0, 1): the rounding of
 * differences and quotients is monotonic. A quotient of 1 may be rounded up; it gives a hard
 * case. So do NaNs, which have few bits. */
ALWAYS_INLINE vf smoothstep_of(vf edge0, vf edge1, vf x, vm *exact_case)
{
    vf zero = vf_set(0), one = vf_set(1);
    vf width = vf_add(vf_sub(edge1, edge0),
                      zero); /* never -0, whose quotient would be the negative infinity */
    vf t = vf_div(vf_sub(x, edge0), width);
    vm below = vf_less_equal(t, zero), above = vf_less(one, t);
    t = vf_select(below, zero, vf_select(above, one, t));
    *exact_case = vm_or(below, above);
    return vf_mul(vf_mul(t, t), vf_fnma(vf_set(2), t, vf_set(3)));
}

static __attribute__((noinline)) void smoothstep_fast_loop(const uint16_t *const *args,
                                                           size_t n, float *restrict y,
                                                           char *restrict hard)
{
    enum { SLACK = 8 };
    for (size_t i = 0; i < n; i += LANES) {
        size_t count = n - i < LANES ? n - i : LANES;
        vm exact_case;
        vf edge0 = load_part(ahead_of(args[0] + i), count);
        vf edge1 = load_part(ahead_of(args[1] + i), count);
        vf result =
            smoothstep_of(edge0, edge1, load_part(ahead_of(args[2] + i), count), &exact_case);
        vf_put(y + i, result);
        vm_put(hard, i, vf_hard_cases(result, SLACK, exact_case));
    }
}

/* y has space for whole vectors. */
static unsigned smoothstep_block(const uint16_t *const *args, size_t n, float *y)
{
    char hard[HARD_BYTES];
    unsigned flags = 0;
    memset(hard, HAVE_FMA ? 0 : -1, sizeof hard);
    if (HAVE_FMA)
        smoothstep_fast_loop(args, n, y, hard);
    for (size_t g = 0; GROUP * g < n; g++) {
        for (uint64_t lanes = hard_cases_of_group(hard, g, n); lanes; lanes &= lanes - 1) {
            size_t k = GROUP * g + (size_t)__builtin_ctzll(lanes);
            y[k] = smoothstep_hard_case(args, k, &flags);
        }
    }
    fill_lanes(y, n);
    return flags;
}

static unsigned smoothstep_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    uint16_t *out = args[3];
    _Alignas(64) float y[FUNCTION_BLOCK];
    unsigned flags = 0;
    acc seen = acc_none();
    for (size_t done = 0; done < n; done += FUNCTION_BLOCK) {
        size_t count = n - done < FUNCTION_BLOCK ? n - done : FUNCTION_BLOCK;
        const uint16_t *here[] = {(const uint16_t *)args[0] + done,
                                  (const uint16_t *)args[1] + done,
                                  (const uint16_t *)args[2] + done};
        halfcl_env env;
        halfcl_enter(&env, HALFCL_RTE);
        flags |= smoothstep_block(here, count, y);
        halfcl_leave(&env);
        round_block(y, count, out + done, mode, &seen, MAYBE_TINY);
    }
    return flags | acc_flags(seen);
}

#define INTERPOLATION_KERNELS                                                                  \
    TERNARY("mix", mix_kernel)                                                                 \
    TERNARY("smoothstep", smoothstep_kernel)

#endif
