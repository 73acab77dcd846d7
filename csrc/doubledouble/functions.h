/* The mathematical functions in double-double arithmetic: what the tables of table.h are
 * filled from, and what decides where a faster result lies too close to where half rounds.
 *
 * An argument is a half (an integer n: any int32): finite, zero of either sign or infinite,
 * but no NaN. A result is within 2^-80 of the function relatively, its sign included, and
 * exact if and only if its lo is 0: exact results come from an arithmetic argument, never
 * from closeness. Zeros have their sign; poles give infinities, arguments outside the domain
 * NaN. Where a function saturates, overflows or vanishes, what is beyond half's reach may be
 * replaced by anything inexact on the same side of the same halves.
 *
 * Edge cases as C11 annex F.10 and OpenCL C's "Edge Case Behavior" have them. They run in
 * rounding to nearest. */
#ifndef HALFCL_DD_FUNCTIONS_H
#define HALFCL_DD_FUNCTIONS_H

#include "dd.h"

/* exp_log.c */
dd dd_exp(double x);
dd dd_exp2(double x);
dd dd_exp10(double x);
dd dd_expm1(double x);
dd dd_log(double x);
dd dd_log2(double x);
dd dd_log10(double x);
dd dd_log1p(double x);
dd dd_logaddexp(double x, double y);  /* log(e^x + e^y) */
dd dd_logaddexp2(double x, double y); /* log2(2^x + 2^y) */

/* trig.c: of radians and of half turns ("pi") */
dd dd_sin(double x);
dd dd_cos(double x);
dd dd_tan(double x);
dd dd_sinpi(double x);
dd dd_cospi(double x);
dd dd_tanpi(double x);
dd dd_degrees(double x);
dd dd_radians(double x);

/* inverse_trig.c */
dd dd_asin(double x);
dd dd_acos(double x);
dd dd_atan(double x);
dd dd_asinpi(double x);
dd dd_acospi(double x);
dd dd_atanpi(double x);
dd dd_atan2(double y, double x);
dd dd_atan2pi(double y, double x);

/* hyperbolic.c */
dd dd_sinh(double x);
dd dd_cosh(double x);
dd dd_tanh(double x);
dd dd_asinh(double x);
dd dd_acosh(double x);
dd dd_atanh(double x);

/* gamma_erf.c */
dd dd_erf(double x);
dd dd_erfc(double x);
dd dd_tgamma(double x);
dd dd_lgamma(double x);

/* power.c */
dd dd_cbrt(double x);
dd dd_rsqrt(double x);
dd dd_hypot(double x, double y);
dd dd_pow(double x, double y);
dd dd_powr(double x, double y);
dd dd_pown(double x, int32_t n);
dd dd_rootn(double x, int32_t n);

#endif
