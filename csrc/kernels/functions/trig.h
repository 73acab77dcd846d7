/* Sine, cosine and tangent, of radians and of half turns; and angles in the two units. */
#ifndef HALFCL_KERNELS_FUNCTIONS_TRIG_H
#define HALFCL_KERNELS_FUNCTIONS_TRIG_H

#include "kernels/functions/in_float.h"
#include "kernels/functions/tuned.h"

/* Sets the top bit, and no other one, if the integer in the last bits of shifted is odd. */
ALWAYS_INLINE vi sign_if_odd(vf shifted)
{
    return vi_shift_left(vf_bits(shifted), 31);
}

ALWAYS_INLINE vf flip_if_odd(vf f, vf shifted)
{
    return vf_of_bits(vi_xor(vf_bits(f), sign_if_odd(shifted)));
}

static const float half_turns = 0x1.45f306p-2f; /* 1 / pi */

/* x - pi k, where pi is a sum of two floats. */
ALWAYS_INLINE vf less_half_turns(vf x, vf k)
{
    vf rest = vn_fnma(k, vf_set(0x1.921fb6p+1f), x);
    return vn_fnma(k, vf_set(-0x1.777a5cp-24f), rest);
}

/* sin(r) = r + r^3 growth(r^2) rounded to odd, since it is inexact except at 0, for |r| up to
 * pi / 2; with the other sign if the integer in shifted is odd. The sum is truncated so that it
 * stays below |r|, and does not reach 1 too early. n: the number of growth's powers. */
ALWAYS_INLINE vf sine_to_odd(vf r, vf shifted, const float *growth, int n)
{
    vf square = vn_mul(r, r);
    vf sum = vn_fma_cut(vn_mul(r, square), polynomial(square, growth, n), r);
    return vf_of_bits(vi_or(vi_xor(vf_bits(sum), sign_if_odd(shifted)), vi_set(1)));
}

/* (-1)^k sin(r) for x = pi k + r. */
ALWAYS_INLINE vf sin_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf shifted = vn_fma(x, vf_set(half_turns), vf_set(INTEGER_SHIFT));
    vf r = less_half_turns(x, vn_sub(shifted, vf_set(INTEGER_SHIFT)));
    return vf_fixed(sine_to_odd(r, shifted, sin_growth, 4), x,
                    FIXES(ITS_NAN, ITSELF, A_NAN, A_NAN, AS_COMPUTED),
                    INVALID_AT_MINUS_INF | INVALID_AT_INF);
}

/* (-1)^k sin(r) for x = pi (k - 1/2) + r. */
ALWAYS_INLINE vf cos_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf shifted = vn_fma_up(x, vf_set(half_turns), vf_set(INTEGER_SHIFT));
    vf k = vn_sub(shifted, vf_set(INTEGER_SHIFT));
    vf r = less_half_turns(x, vn_sub(k, vf_set(0.5f)));
    return vf_fixed(sine_to_odd(r, shifted, cos_growth, 5), x,
                    FIXES(ITS_NAN, PLUS_1, A_NAN, A_NAN, AS_COMPUTED),
                    INVALID_AT_MINUS_INF | INVALID_AT_INF);
}

/* (-1)^k sin(pi f) for x = k + f, which has zeros with the sign of x where f is zero. */
ALWAYS_INLINE vf sinpi_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf f = vn_off_integer(x), square = vn_mul(f, f);
    vf flipped = flip_if_odd(f, vn_add(x, vf_set(INTEGER_SHIFT)));
    vf sine = vn_mul_cut(flipped, POLYNOMIAL(square, sinpi_slope));
    sine = vf_select(vf_zero(f), vf_copysign(vf_set(0), x), sine);
    return vf_fixed(sine, x, FIXES(ITS_NAN, 0, A_NAN, A_NAN, AS_COMPUTED),
                    INVALID_AT_MINUS_INF | INVALID_AT_INF);
}

/* (-1)^k cos(pi f), with the factor 1/4 - f^2 that has its zeros. It is truncated so that it
 * does not reach 1 too early. Adding 0 makes zeros positive. */
ALWAYS_INLINE vf cospi_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf f = vn_off_integer(x), square = vn_mul(f, f), quarter = vf_set(0.25f);
    vf factor = vn_fnma_cut(f, f, quarter);
    factor = flip_if_odd(factor, vn_add(x, vf_set(INTEGER_SHIFT)));
    vf cosine = vn_fma(factor, POLYNOMIAL(square, cospi_slope), vf_set(0));
    return vf_fixed(cosine, x, FIXES(ITS_NAN, 0, A_NAN, A_NAN, AS_COMPUTED),
                    INVALID_AT_MINUS_INF | INVALID_AT_INF);
}

IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES), sin, sin_of, TINY_AT_LEAST)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), cos, cos_of, NEVER_TINY)
TABLED(tan)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES), sinpi, sinpi_of, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES), cospi, cospi_of, NEVER_TINY)
TABLED(tanpi)

/* Looks up both at the cost of one: a pair needs one load. */
ALWAYS_INLINE void look_up_pairs(const float *table, vh angles, vf *sines, vf *cosines)
{
    vf_gather_pairs(table, angles, sines, cosines);
    *sines = vf_flipped(*sines, vi_shift_left(vi_widen(angles), 16));
}

/* Returns the results for n angles, some of which are missing in the table, infinite or NaNs;
 * with the exceptions. */
static __attribute__((noinline, cold)) unsigned special_angles(const float *table, vh angles,
                                                               size_t n, vf *sines, vf *cosines)
{
    uint16_t at[LANES];
    vh_store(at, angles);
    while (any_missing(vf_copysign(*sines, vf_set(-1))) || any_missing(*cosines)) {
        leave_vectors();
        halfcl_fill_sincos_table(at, LANES);
        look_up_pairs(table, angles, sines, cosines);
    }
    canonical_nans(sines, cosines);
    return flags_of(*sines, angles, n); /* those of the cosine are the same */
}

static unsigned sincos_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *a = args[0];
    uint16_t *sines = args[1], *cosines = args[2];
    const float *table = halfcl_sincos_table();
    unsigned flags = 0;
    acc seen = acc_none();
#define TURN(at, count)                                                                        \
    vf sine, cosine;                                                                           \
    vh angles = count < LANES ? vh_load_n(a + at, count) : vh_load(a + at);                    \
    look_up_pairs(table, angles, &sine, &cosine);                                              \
    if (vm_any(vf_unordered(sine, cosine)))                                                    \
        flags |= special_angles(table, angles, count, &sine, &cosine);                         \
    store_upto(sines + at, round_to_half(sine, mode, &seen, MAYBE_TINY | ANY_NAN), count);     \
    store_upto(cosines + at, round_to_half(cosine, mode, &seen, NEVER_TINY | ANY_NAN), count);
    MAP_VECTORS(sines, TURN)
#undef TURN
    return flags | acc_flags(seen);
}

/* A product in float is enough: it is strictly between the same two numbers at which half
 * rounds (of 12 bits) as the exact result, whatever half and mode, if the factor is chosen
 * well. The float nearest to pi / 180 is not, since 2034 times it rounds up to such a number;
 * the one below is. No degrees are tiny and round to 2^-14; 0x1.ca4p-9 degrees, in radians,
 * are. */

ALWAYS_INLINE vf degrees_of(vf radians, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(radians, vf_set(0x1.ca5dc2p+5f));
}

ALWAYS_INLINE vf radians_of(vf degrees, halfcl_rounding mode)
{
    (void)mode;
    return vf_mul(degrees, vf_set(0x1.1df468p-6f));
}

/* For 0x1.ca4p-9. (With AVX2 checking the results takes no longer.) */
enum { TINY_RADIANS = HAVE_STATIC_ROUNDING ? TINY_AT(0x1b29) : MAYBE_TINY };

FLOAT_UNARY(degrees_kernel, degrees_of, NEVER_TINY | ANY_NAN)
FLOAT_UNARY(radians_kernel, radians_of, TINY_RADIANS | ANY_NAN)

#define TRIG_KERNELS                                                                           \
    UNARY("sin", sin_kernel)                                                                   \
    UNARY("cos", cos_kernel)                                                                   \
    UNARY("tan", tan_kernel)                                                                   \
    UNARY_PAIR("sincos", sincos_kernel)                                                        \
    UNARY("sinpi", sinpi_kernel)                                                               \
    UNARY("cospi", cospi_kernel)                                                               \
    UNARY("tanpi", tanpi_kernel)                                                               \
    UNARY("degrees", degrees_kernel)                                                           \
    UNARY("radians", radians_kernel)

#endif
