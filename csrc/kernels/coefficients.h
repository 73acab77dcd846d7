/* Coefficients of polynomials, by the command: python tools/make_polynomials.py */
#ifndef HALFCL_COEFFICIENTS_H
#define HALFCL_COEFFICIENTS_H

/* (1 - h)^(-2/3) - 1 on [-0.1075, 0.1075], powers [1, 2, 3, 4, 5];
 * absolute error 2^-25.3. */
static const float cbrt_growth[] = {0x1.5555580000000p-1f, 0x1.1c6eb80000000p-1f, 0x1.f99fe00000000p-2f, 0x1.d631960000000p-2f, 0x1.b947b40000000p-2f};

#endif
