/* Polynomials with the same coefficients in every lane. */
#ifndef HALFCL_KERNELS_FUNCTIONS_POLYNOMIAL_H
#define HALFCL_KERNELS_FUNCTIONS_POLYNOMIAL_H

#include "simd/simd.h"

/* c[0] + c[1] x + ... + c[n - 1] x^(n-1). */
ALWAYS_INLINE vf polynomial(vf x, const float *c, int n)
{
    vf sum = vf_set(c[n - 1]);
    for (int i = n - 2; i >= 0; --i)
        sum = vn_fma(sum, x, vf_set(c[i]));
    return sum;
}

#define POLYNOMIAL(x, c) polynomial(x, c, sizeof(c) / sizeof *(c))

#endif
