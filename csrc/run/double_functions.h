/* Elementary functions of intervals between doubles: loops for blocks of double_intervals.c,
 * which sets the environment. */
#ifndef HALFCL_DOUBLE_FUNCTIONS_H
#define HALFCL_DOUBLE_FUNCTIONS_H

#include "run/double_intervals.h"

/* The greatest number of elements of a block. */
enum { HALFCL_INTERVALS_BLOCK = 256 };

/* Computes the bounds of n intervals from the bounds of operands, while the processor rounds to
 * nearest. */
typedef void halfcl_intervals_loop(const void *const *in, double *lo, double *hi, size_t n);

halfcl_intervals_loop halfcl_exp_loop, halfcl_exp2_loop, halfcl_expm1_loop, halfcl_log_loop,
    halfcl_log1p_loop, halfcl_sinh_loop, halfcl_cosh_loop, halfcl_tanh_loop, halfcl_asinh_loop,
    halfcl_acosh_loop, halfcl_atanh_loop, halfcl_cbrt_loop, halfcl_atan_loop, halfcl_asin_loop,
    halfcl_acos_loop, halfcl_sin_loop, halfcl_cos_loop, halfcl_tan_loop, halfcl_sinpi_loop,
    halfcl_cospi_loop, halfcl_tanpi_loop;

#endif
