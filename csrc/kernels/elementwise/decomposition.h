/* Functions that decompose and compose numbers: modf, fract, frexp, ilogb, logb, ldexp, nan. */
#ifndef HALFCL_KERNELS_ELEMENTWISE_DECOMPOSITION_H
#define HALFCL_KERNELS_ELEMENTWISE_DECOMPOSITION_H

#include <math.h>

#include "kernels/elementwise/relational.h"

/* Returns the fraction and the integer, both with a's sign. The fraction of an infinity is
 * 0. */
ALWAYS_INLINE vf modf_of(vf a, vf *whole)
{
    *whole = vf_trunc(a);
    return vf_copysign(vf_above_trunc(a), a);
}

/* Returns a minus its floor, and the floor. The difference is exact in float; rounded to half
 * it could be 1, which it must not be. Zero is positive in every mode, except for -0 and
 * -infinity. (The minimum compares bits, which are in the order of positive floats.) */
ALWAYS_INLINE vf fract_of(vf a, vf *whole)
{
    vf rest = vf_above_floor(a), below_one = vf_set(0x1.ffcp-1f);
    vf below = vf_of_bits(vi_min(vf_bits(vf_abs(rest)), vf_bits(below_one)));
    *whole = vf_floor(a);
    return vf_select(vf_zero_or_special(a), vf_copysign(rest, a), below);
}

KERNEL(modf_kernel, map_unary_pair(args, n, mode, modf_of))
KERNEL(fract_kernel, map_unary_pair(args, n, mode, fract_of))

/* Exponents. As floats all halves but zero are normal. */

enum { EXPONENT_AT = 23, EXPONENT_BIAS = 127, FLOAT_ONE_HALF = 0x3f000000 };

/* Returns the exponent of the leading bit: the least for zero, the greatest for infinity and
 * NaN. */
ALWAYS_INLINE vi exponent_of(vf a)
{
    vi biased = vi_shift_right(vf_bits(vf_abs(a)), EXPONENT_AT);
    return vi_sub(biased, vi_set(EXPONENT_BIAS));
}

ALWAYS_INLINE vf frexp_of(vf a, vi *exponent)
{
    vm no_exponent = vf_zero_or_special(a);
    vi significand = vi_and(vf_bits(a), vi_set(~FLOAT_INF));
    vf mantissa = vf_of_bits(vi_or(significand, vi_set(FLOAT_ONE_HALF)));
    *exponent = vi_select(no_exponent, vi_set(0), vi_add(exponent_of(a), vi_set(1)));
    return vf_select(no_exponent, a, mantissa);
}

ALWAYS_INLINE vi ilogb_of(vf x)
{
    vi exponent = vi_select(vf_equal(x, vf_set(0)), vi_set(INT32_MIN), exponent_of(x));
    return vi_select(vf_special(x), vi_set(INT32_MAX), exponent);
}

ALWAYS_INLINE vf logb_of(vf x)
{
    vf exponent = vf_of_int(exponent_of(x));
    exponent = vf_select(vf_equal(x, vf_set(0)), vf_set(-INFINITY), exponent);
    return vf_select(vf_special(x), vf_abs(x), exponent);
}

/* Zero, infinity and NaN are invalid: C11, F.10.3.5 and 7.12.6.5; IEEE 754-2008, 5.3.3. */
ALWAYS_INLINE void ilogb_turn(const uint16_t *a, int32_t *out, size_t count, vm *invalid)
{
    vf x = load_upto(a, count);
    store_ints_upto(out, ilogb_of(x), count);
    *invalid = vm_or(*invalid, vf_zero_or_special(x));
}

#if HAVE_QUIET_HALVES

static unsigned frexp_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    int32_t *second_out = args[2];
    const vw minus_one = vw_set(HALF_SIGN | HALF_ONE);
    (void)mode;
#define TURN(at, count)                                                                        \
    vw x = load_words_upto(a + at, count);                                                     \
    vw significand = vw_select(vx_zero_or_infinite(x), x, vx_significand(x));                  \
    vw exponent = vw_select(vx_zero_or_special(x), minus_one, vx_exponent(x));                 \
    store_words_upto(out + at, significand, count);                                            \
    store_widened_upto(second_out + at, vw_add(vx_to_int(exponent), vw_set(1)), count);
    MAP_TURNS(second_out, TURN, WORDS)
#undef TURN
    return 0;
}

/* Vectors with zeros, infinities or NaNs are converted to float first. */
static unsigned ilogb_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    int32_t *out = args[1];
    vm invalid = vm_none();
    (void)mode;
#define TURN(at, count)                                                                        \
    vw x = load_words_upto(a + at, count);                                                     \
    if (__builtin_expect(!wm_any(vx_zero_or_special(x)), 1)) {                                 \
        store_widened_upto(out + at, vx_to_int(vx_exponent(x)), count);                        \
    } else {                                                                                   \
        for (size_t k = 0; k < WORDS && k < (count); k += LANES)                               \
            ilogb_turn(a + at + k, out + at + k, (count) - k, &invalid);                       \
    }
    MAP_TURNS(out, TURN, WORDS)
#undef TURN
    return vm_any(invalid) ? HALFCL_INVALID : 0;
}

ALWAYS_INLINE vw logb_of_halves(vw a, halfcl_rounding mode, acc *seen)
{
    (void)mode;
    if (wm_any(is_false(a)))
        acc_raise(seen, HALFCL_DIVBYZERO);
    return vx_exponent(magnitude_of(a));
}

HALF_UNARY(logb_kernel, logb_of_halves)

#else

KERNEL(frexp_kernel, map_unary_int(args, n, frexp_of))

static unsigned ilogb_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    int32_t *out = args[1];
    vm invalid = vm_none();
    (void)mode;
#define TURN(at, count) ilogb_turn(a + at, out + at, count, &invalid);
    MAP_VECTORS(out, TURN)
#undef TURN
    return vm_any(invalid) ? HALFCL_INVALID : 0;
}

static unsigned logb_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    vm poles = vm_none();
    acc seen = acc_none();
    (void)mode;
#define TURN(at, count)                                                                        \
    vf x = load_upto(a + at, count);                                                           \
    store_upto(out + at, exact_halves(logb_of(x), &seen), count);                              \
    poles = vm_or(poles, vf_equal(x, vf_set(0)));
    MAP_VECTORS(out, TURN)
#undef TURN
    return acc_flags(seen) | (vm_any(poles) ? HALFCL_DIVBYZERO : 0);
}

#endif

/* A load of the vocabulary, of integers of some size; it may clamp them to +-2^18. */
typedef vi vi_loader(const void *p);

ALWAYS_INLINE vi load_ints_upto(const char *p, size_t n, vi_loader *load_ints, size_t size)
{
    char part[LANES * sizeof(int64_t)] = {0};
    if (n >= LANES)
        return load_ints(p);
    memcpy(part, p, n * size);
    return load_ints(part);
}

ALWAYS_INLINE unsigned map_ldexp(void *const *args, size_t n, halfcl_rounding mode,
                                 vi_loader *load_ints, size_t size)
{
    const uint16_t *a = args[0];
    const char *b = args[1];
    uint16_t *out = args[2];
    acc seen = acc_none();
#define TURN(at, count)                                                                        \
    vf x = load_upto(a + at, count);                                                           \
    vf product = vf_ldexp(x, load_ints_upto(b + at * size, count, load_ints, size));           \
    store_upto(out + at, round_to_half(product, mode, &seen, MAYBE_TINY | ANY_NAN), count);
    MAP_VECTORS(out, TURN)
#undef TURN
    return acc_flags(seen);
}

KERNEL(ldexp_kernel, map_ldexp(args, n, mode, vi_load_32, sizeof(int32_t)))
KERNEL(ldexp_long_kernel, map_ldexp(args, n, mode, vi_load_q, sizeof(int64_t)))

/* Returns a quiet NaN with the code's low bits. */
ALWAYS_INLINE vw nan_of(vw code)
{
    return vw_or(vw_and(code, vw_set(HALF_QUIET - 1)), vw_set(HALF_NAN));
}

WORD_UNARY(nan_kernel, nan_of)

#define DECOMPOSITION_KERNELS                                                                  \
    UNARY_PAIR("modf", modf_kernel)                                                            \
    UNARY_PAIR("fract", fract_kernel)                                                          \
    MAP("frexp", frexp_kernel, 1, 2, HALFCL_HALF, HALFCL_HALF, HALFCL_INT32)                   \
    MAP("ilogb", ilogb_kernel, 1, 1, HALFCL_HALF, HALFCL_INT32)                                \
    UNARY("logb", logb_kernel)                                                                 \
    MAP("ldexp", ldexp_kernel, 2, 1, HALFCL_HALF, HALFCL_INT32, HALFCL_HALF)                   \
    MAP("ldexp", ldexp_long_kernel, 2, 1, HALFCL_HALF, HALFCL_INT64, HALFCL_HALF)              \
    MAP("nan", nan_kernel, 1, 1, HALFCL_UINT16, HALFCL_HALF)

#endif
