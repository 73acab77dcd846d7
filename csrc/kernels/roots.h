/* Roots and the hypotenuse. */
#include "coefficients.h"
#include "refined.h"

/* How far the approximations may be off, in units of float's last place. Measured: 1.1. */
enum { ROOT_SLACK = 2 };

/* An infinite side makes it infinite, whatever the other is. */
static float hypot_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    bool infinite = (x & HALF_MAGNITUDE) == HALF_INF || (y & HALF_MAGNITUDE) == HALF_INF;
    float result = halfcl_evaluate(dd_hypot, x, y, flags);
    return infinite ? INFINITY : result;
}

/* A side may be so short that the hypotenuse differs from the other one by less than its last
 * place. By this much more at least is its square, if neither is 0: still too little for
 * another half. */
#define LEAST_GROWTH 0x1p-17

/* The squares and their sum are exact. */
static double hypot_refined(double x, double y, bool *settled)
{
    double xx = x * x, yy = y * y, sum = xx + yy;
    double least = (xx > yy ? xx : yy) * (1 + LEAST_GROWTH);
    if (sum < least && xx * yy != 0)
        sum = least;
    *settled = isfinite(sum);
    return sqrt_in_double(sum);
}

#if VECTOR_FUNCTIONS
ALWAYS_INLINE vf hypot_of(vf x, vf y, vm *settled)
{
    (void)settled;
    vf sum = vf_fma(x, x, vf_mul(y, y)), inverse = vf_rsqrt_estimate(sum);
    vf root = vf_mul(sum, inverse), rest = vf_fnma(root, inverse, vf_set(1));
    return vf_fma(vf_mul(root, vf_set(0.5f)), rest, root);
}

/* Where one side is 0, or so short that the hypotenuse is only just longer than the other. */
ALWAYS_INLINE vf hypot_settle(vf x, vf y, vm *settled)
{
    vf longer = vf_max(vf_abs(x), vf_abs(y)), shorter = vf_min(vf_abs(x), vf_abs(y));
    vm much_shorter = vm_not(vf_less(vf_mul(longer, vf_set(0x1p-10f)), shorter));
    *settled = vm_and_not(much_shorter, vf_special(vf_add(x, y)));
    vf above = vf_mul(longer, vf_set(1 + LEAST_GROWTH / 2));
    return vf_select(vf_equal(shorter, vf_set(0)), longer, above);
}
#endif

FUNCTION2(hypot, hypot_of, ROOT_SLACK, hypot_settle, hypot_refined, hypot_slow)

#if VECTOR_FUNCTIONS

/* With r = 1 / cbrt(x) nearly and h = 1 - x r^3, the root is x r^2 (1 - h)^(-2/3). */
ALWAYS_INLINE vf cbrt_of(vf x, vm *settled)
{
    (void)settled;
    vf r = vf_copysign(vf_rcbrt_estimate(vf_abs(x)), x);
    vf root = vf_mul(vf_mul(r, r), x), h = vf_fnma(root, r, vf_set(1));
    return vf_fma(vf_mul(root, h), POLYNOMIAL(h, cbrt_growth), root);
}

ALWAYS_INLINE vf rsqrt_of(vf x, vm *settled)
{
    (void)settled;
    vf y = vf_rsqrt_estimate(x), rest = vf_fnma(vf_mul(x, y), y, vf_set(1));
    return vf_fma(vf_mul(vf_set(0.5f), y), rest, y); /* a step of Newton's method */
}

#endif

FUNCTION(cbrt, cbrt_of, ROOT_SLACK, NEVER_TINY)
FUNCTION(rsqrt, rsqrt_of, ROOT_SLACK, NEVER_TINY)

#define ROOT_KERNELS                                                                           \
    {"cbrt", "e>e", cbrt_e}, {"rsqrt", "e>e", rsqrt_e}, {"hypot", "ee>e", hypot_ee},
