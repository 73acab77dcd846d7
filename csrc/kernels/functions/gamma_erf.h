/* The gamma and error functions. */
#ifndef HALFCL_KERNELS_FUNCTIONS_GAMMA_ERF_H
#define HALFCL_KERNELS_FUNCTIONS_GAMMA_ERF_H

#include "kernels/functions/in_float.h"
#include "kernels/functions/tuned.h"

/* |x| + |x| growth, inexact except at 0. From x = 2.625 on it rounds as the number just below
 * 1. */
ALWAYS_INLINE vf erf_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    const float most = 2.625f;
    vf size = vn_least_abs(x, vf_set(most));
    vf growth = piecewise(size, 31 / most, erf_growth, 4);
    vf result = inexact_fma_odd(size, growth, size);
    return vf_fixed(vf_copysign(result, x), x,
                    FIXES(ITS_NAN, ITSELF, MINUS_1, PLUS_1, AS_COMPUTED), 0);
}

/* For no half is erf(x) = 2^-14 (1 - e) with 0 < e < 2^-11. */
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), erf, erf_of, NEVER_TINY)
TABLED(erfc)
TABLED(tgamma)
TABLED(lgamma)

/* The sign of gamma(x): 0 if it has none, at its poles; 1 for -inf and NaN. */
ALWAYS_INLINE vi gamma_sign(vf x)
{
    const vf zero = vf_set(0);
    vf below = vf_floor(x), half = vf_mul(below, vf_set(0.5f));
    vm even = vf_equal(vf_floor(half), half), pole = vf_equal(x, below);
    vi sign = vi_select(even, vi_set(1), vi_set(-1));
    sign = vi_select(pole, vi_set(0), sign);
    return vi_select(vm_or(vf_less(zero, x), vf_special(x)), vi_set(1), sign);
}

static void store_gamma_signs(int32_t *signs, const uint16_t *a, size_t n)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        vi_store_32(signs + i, gamma_sign(load(a + i)));
    if (i < n) {
        int32_t lanes[LANES];
        vi_store_32(lanes, gamma_sign(load_n(a + i, n - i)));
        memcpy(signs + i, lanes, (n - i) * sizeof *signs);
    }
}

static unsigned lgamma_r_kernel(void *const *args, size_t n, halfcl_rounding mode)
{
    /* The signs are stored first, since the other output may be the input. */
    store_gamma_signs(args[2], args[0], n);
    return lgamma_kernel(args, n, mode);
}

#define GAMMA_ERF_KERNELS                                                                      \
    UNARY("erf", erf_kernel)                                                                   \
    UNARY("erfc", erfc_kernel)                                                                 \
    UNARY("tgamma", tgamma_kernel)                                                             \
    UNARY("lgamma", lgamma_kernel)                                                             \
    MAP("lgamma_r", lgamma_r_kernel, 1, 2, HALFCL_HALF, HALFCL_HALF, HALFCL_INT32)

#endif
