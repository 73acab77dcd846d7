/* Parts of a number, and a number from parts: modf, fract, frexp, ilogb, logb, ldexp, nan. */
#include <math.h>

#include "map.h"

/* The fraction and the integer, both with a's sign. Infinity has the fraction of 0. */
ALWAYS_INLINE vf modf_of(vf a, vf *whole)
{
    vf magnitude = vf_abs(a);
    vm infinite = vf_equal(magnitude, vf_set(INFINITY));
    vf finite = vf_select(infinite, vf_set(0), magnitude);
    *whole = vf_trunc(a);
    return vf_copysign(vf_sub(finite, vf_trunc(finite)), a);
}

/* a minus its floor, and that. The difference is a float exactly; rounded to half it could be
 * 1, which it must not be. Zero is positive in every mode, save those of -0 and -infinity. */
ALWAYS_INLINE vf fract_of(vf a, vf *whole)
{
    vf below_one = vf_set(0x1.ffcp-1f), zero = vf_set(0);
    vm infinite = vf_equal(vf_abs(a), vf_set(INFINITY));
    vf finite = vf_select(infinite, vf_copysign(zero, a), a), floored = vf_floor(finite);
    vf rest = vf_abs(vf_sub(finite, floored));
    rest = vf_select(vf_less(below_one, rest), below_one, rest);
    *whole = vf_select(infinite, a, floored);
    return vf_select(vf_equal(finite, zero), finite, rest);
}

KERNEL(modf_e_ee, map_e_ee(args, n, mode, modf_of))
KERNEL(fract_e_ee, map_e_ee(args, n, mode, fract_of))

/* Exponents. As floats all halves but zero are normal. */

enum { EXPONENT_AT = 23, EXPONENT_BIAS = 127, FLOAT_ONE_HALF = 0x3f000000 };

/* The exponent of the leading bit. That of zero is the least, that of infinity and NaN the
 * greatest. */
ALWAYS_INLINE vi exponent_of(vf a)
{
    vi biased = vi_shift_right(vf_bits(vf_abs(a)), EXPONENT_AT);
    return vi_sub(biased, vi_set(EXPONENT_BIAS));
}

ALWAYS_INLINE vf frexp_of(vf a, vi *exponent)
{
    vm no_exponent = vm_or(vf_equal(a, vf_set(0)), vf_special(a));
    vi significand = vi_and(vf_bits(a), vi_set(~FLOAT_INF));
    vf mantissa = vf_of_bits(vi_or(significand, vi_set(FLOAT_ONE_HALF)));
    *exponent = vi_select(no_exponent, vi_set(0), vi_add(exponent_of(a), vi_set(1)));
    return vf_select(no_exponent, a, mantissa);
}

KERNEL(frexp_e_ei, map_e_ei(args, n, frexp_of))

/* Zero, infinity and NaN are invalid: C11, F.10.3.5 and 7.12.6.5; IEEE 754-2008, 5.3.3. */
static unsigned ilogb_e_i(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    int32_t *out = args[1];
    vm invalid = vf_less(vf_set(0), vf_set(0));
    (void)mode;
#define TURN(at, count)                                                                        \
    vf x = load_upto(a + at, count);                                                           \
    vm zero = vf_equal(x, vf_set(0)), special = vf_special(x);                                 \
    vi exponent = vi_select(zero, vi_set(INT32_MIN), exponent_of(x));                          \
    store_ints_upto(out + at, vi_select(special, vi_set(INT32_MAX), exponent), count);         \
    invalid = vm_or(invalid, vm_or(zero, special));
    MAP_VECTORS(out, TURN)
#undef TURN
    return vm_any(invalid) ? HALFCL_INVALID : 0;
}

static unsigned logb_e_e(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *out = args[1];
    vm poles = vf_less(vf_set(0), vf_set(0));
    acc seen = acc_none();
    (void)mode;
#define TURN(at, count)                                                                        \
    vf x = load_upto(a + at, count);                                                           \
    vm zero = vf_equal(x, vf_set(0));                                                          \
    vf exponent = vf_select(zero, vf_set(-INFINITY), vf_of_int(exponent_of(x)));               \
    exponent = vf_select(vf_special(x), vf_abs(x), exponent);                                  \
    store_upto(out + at, exact_halves(exponent, &seen), count);                                \
    poles = vm_or(poles, zero);
    MAP_VECTORS(out, TURN)
#undef TURN
    return acc_flags(seen) | (vm_any(poles) ? HALFCL_DIVBYZERO : 0);
}

/* a * 2^n, a float exactly. With n beyond +-60 every product is out of half's range, as it is
 * with
 * +-60. */
ALWAYS_INLINE vf scaled(vf a, vi n)
{
    vi clamped = vi_max(vi_min(n, vi_set(60)), vi_set(-60));
    vi power = vi_shift_left(vi_add(clamped, vi_set(EXPONENT_BIAS)), EXPONENT_AT);
    return vf_mul(a, vf_of_bits(power));
}

/* One of the vocabulary, of integers of a size; it may clamp them, to +-2^18. */
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
    vf product = scaled(x, load_ints_upto(b + at * size, count, load_ints, size));             \
    store_upto(out + at, round_to_half(product, mode, &seen, MAYBE_TINY), count);
    MAP_VECTORS(out, TURN)
#undef TURN
    return acc_flags(seen);
}

KERNEL(ldexp_ei_e, map_ldexp(args, n, mode, vi_load_32, sizeof(int32_t)))
KERNEL(ldexp_eq_e, map_ldexp(args, n, mode, vi_load_q, sizeof(int64_t)))

/* A quiet NaN with the code's low bits. */
ALWAYS_INLINE vw nan_of(vw code)
{
    return vw_or(vw_and(code, vw_set(HALF_QUIET - 1)), vw_set(HALF_NAN));
}

WORD_UNARY(nan_H_e, nan_of)

#define DECOMPOSITION_KERNELS                                                                  \
    {"modf", "e>ee", modf_e_ee}, {"fract", "e>ee", fract_e_ee}, {"frexp", "e>ei", frexp_e_ei}, \
        {"ilogb", "e>i", ilogb_e_i}, {"logb", "e>e", logb_e_e}, {"ldexp", "ei>e", ldexp_ei_e}, \
        {"ldexp", "eq>e", ldexp_eq_e}, {"nan", "H>e", nan_H_e},
