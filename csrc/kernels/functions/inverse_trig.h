/* Arc sine, arc cosine and arc tangent, in radians and in half turns. */
#ifndef HALFCL_KERNELS_FUNCTIONS_INVERSE_TRIG_H
#define HALFCL_KERNELS_FUNCTIONS_INVERSE_TRIG_H

#include "exact/doubledouble/constants.h"
#include "kernels/elementwise/arithmetic.h"
#include "kernels/functions/coefficients.h"
#include "kernels/functions/function2.h"
#include "kernels/functions/in_float.h"
#include "kernels/functions/tuned.h"

/* For |x| <= 1 the result is |x| + |x| growth, truncated so that it stays below |x|; otherwise
 * pi/2 minus that of 1 / |x|, or of its estimate: the constants are right for any estimate
 * within its bounds. */
ALWAYS_INLINE vf atan_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf size = vf_abs(x);
    vm steep = vf_less(vf_set(1), size);
    size = vn_inverse_where(steep, size);
    vf angle = vn_fma_cut(size, piecewise(size, 31, atan_growth_in_pieces, 3), size);
    return vf_copysign(vn_complement_where(steep, angle, vf_set(0x1.921fb6p0f)), x);
}

/* In the first nine pieces the result is |x| + |x| growth; beyond, pi/2 + sqrt(1 - |x|) factor.
 * Both are one polynomial in pieces, and one sum, rounded up so that it stays above |x|. 1 -
 * |x| shows which x are special. */
ALWAYS_INLINE vf asin_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vf size = vf_abs(x), rest = vn_sub(vf_set(1), size);
    vm steep = vf_less(vf_set(8.5f / 31), size);
    vf factor = vn_root_where(steep, rest, size);
    vf start = vf_select(steep, vf_set(0x1.921fb6p0f), size);
    vf angle = vn_fma_up(factor, piecewise(size, 31, asin_in_pieces, 3), start);
    angle =
        vf_fixed(angle, rest, FIXES(ITS_NAN, HALF_PI, A_NAN, A_NAN, A_NAN) | FIX_AT_1(PLUS_0),
                 INVALID_BELOW_0 | INVALID_AT_MINUS_INF);
    return vf_copysign(angle, x);
}

/* sqrt(1 - |x|) factor, or pi, as a sum of two floats, minus that. One half has an angle so
 * near to a number at which half rounds that processors' estimates would decide. */
ALWAYS_INLINE vf acos_of(vf x, halfcl_rounding mode)
{
    (void)mode;
    vm obtuse = vf_sign(x);
    vf size = vf_abs(x), rest = vn_sub(vf_set(1), size);
    vf factor = piecewise(size, 31, acos_in_pieces, 3);
    vf low = vf_zero_where(vm_not(obtuse), vf_set(0x1.777a5cp-24f));
    vf angle = vf_fixed(vn_fma(root_by_estimate(rest), factor, low), rest,
                        FIXES(ITS_NAN, PLUS_0, A_NAN, A_NAN, A_NAN),
                        INVALID_BELOW_0 | INVALID_AT_MINUS_INF);
    angle = vn_complement_where(obtuse, angle, vf_set(0x1.921fb6p1f));
    return vf_select(vf_equal(x, vf_set(0x1.fb4p-12f)), vf_set(0x1.920002p0f), angle);
}

IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), asin, asin_of, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_FIXES && HAVE_LOOKUP), acos, acos_of, NEVER_TINY)
IN_FLOAT((HAVE_STATIC_ROUNDING && HAVE_LOOKUP), atan, atan_of, TINY_AT_LEAST)
TABLED(asinpi)
TABLED(acospi)
TABLED(atanpi)

/* atan2 and atan2pi. The shorter of the sides |x| and |y| over the longer one is the tangent of
 * the angle to the nearest axis, which reflections at the diagonal and the axes turn into the
 * result. */

#define FLOAT_PI 0x1.921fb6p1f

/* Turns the angle to the nearest axis into that of the point. */
ALWAYS_INLINE vf unfold(vf angle, vf y, vf x, float half_turn)
{
    vm steep = vf_less(vf_abs(x), vf_abs(y));
    angle = vn_complement_where(steep, angle, vf_set(half_turn / 2));
    angle = vn_complement_where(vf_sign(x), angle, vf_set(half_turn));
    return vf_copysign(angle, y);
}

/* The shorter side over the longer one, or a NaN if one of them is (for a NaN and a number min
 * and max return the second operand), and perhaps if one is infinite. */
ALWAYS_INLINE vf ratio(vf a, vf b)
{
    return vn_quotient(vn_min(a, b), vn_max(b, a));
}

/* For tangents from 0 to 1; in pieces if these are looked up in registers. */
ALWAYS_INLINE vf growth_of_atan2(vf tangent)
{
    if (HAVE_LOOKUP)
        return piecewise(tangent, 31, atan2_growth_in_pieces, 4);
    vf square = vn_mul(tangent, tangent);
    return vn_mul(square, POLYNOMIAL(square, atan_growth));
}

ALWAYS_INLINE vf growth_of_atan2pi(vf tangent)
{
    if (HAVE_LOOKUP)
        return piecewise(tangent, 31, atan2pi_growth_in_pieces, 4);
    vf rest = vn_fnma(tangent, tangent, vf_set(1));
    return vn_mul(rest, POLYNOMIAL(rest, atanpi_growth));
}

/* These two are within 1.9 units of the last place, whatever the estimates in quotients, as
 * trying every pair of significands with exponents up to 14 apart has shown; further apart the
 * growth is constant. */

ALWAYS_INLINE vf atan2_fast(vf y, vf x, vm *exact_case)
{
    (void)exact_case;
    vf tangent = ratio(vf_abs(x), vf_abs(y));
    return unfold(vn_fma(tangent, growth_of_atan2(tangent), tangent), y, x, FLOAT_PI);
}

ALWAYS_INLINE vf atan2pi_fast(vf y, vf x, vm *exact_case)
{
    (void)exact_case;
    vf tangent = ratio(vf_abs(x), vf_abs(y)), quarter = vn_mul(tangent, vf_set(0.25f));
    return unfold(vn_fma(tangent, growth_of_atan2pi(tangent), quarter), y, x, 1);
}

/* Points on the axes. The floats nearest to pi and pi / 2 round as these do. */
ALWAYS_INLINE vf atan2_special(vf y, vf x, vm *exact_case)
{
    *exact_case = vf_equal(vf_mul(x, y), vf_set(0));
    return unfold(vf_set(0), y, x, FLOAT_PI);
}

/* Points on the axes and the diagonals. */
ALWAYS_INLINE vf atan2pi_special(vf y, vf x, vm *exact_case)
{
    vm on_axis = vf_equal(vf_mul(x, y), vf_set(0));
    *exact_case = vm_or(on_axis, vf_equal(vf_abs(x), vf_abs(y)));
    return unfold(vf_select(on_axis, vf_set(0), vf_set(0.25f)), y, x, 1);
}

/* In double, for halves that are neither 0 nor infinite. */

/* atan(y / x) for 0 < y <= x within 2^-50: that of the nearest multiple c of 1/64, and the
 * series of atan(t), where t = (y - c x) / (x + c y), |t| <= 1/128. */
static double atan_of_ratio(double y, double x)
{
    int k = (int)(64 * y / x + 0.5);
    double c = k / 64.0, t = (y - c * x) / (x + c * y), square = t * t;
    const double *inverse = odd_inverses;
    double series = 1 - square * (inverse[1] - square * (inverse[2] - square * inverse[3]));
    return ATAN_64THS[k].hi + t * series;
}

static double angle_in_double(double y, double x, double half_turn)
{
    double unit = half_turn / PI.hi, height = fabs(y), width = fabs(x), angle;
    if (!isnormal(x * y)) /* the product is exact */
        return NAN;
    if (height <= width)
        angle = unit * atan_of_ratio(height, width);
    else
        angle = half_turn / 2 - unit * atan_of_ratio(width, height);
    return copysign(x < 0 ? half_turn - angle : angle, y);
}

static double atan2_accurate(double y, double x, bool *exact_case)
{
    (void)exact_case;
    return angle_in_double(y, x, PI.hi);
}

static double atan2pi_accurate(double y, double x, bool *exact_case)
{
    (void)exact_case;
    return angle_in_double(y, x, 1);
}

static float atan2_slow_path(uint16_t y, uint16_t x, unsigned *flags)
{
    return halfcl_evaluate(dd_atan2, y, x, flags);
}

static float atan2pi_slow_path(uint16_t y, uint16_t x, unsigned *flags)
{
    return halfcl_evaluate(dd_atan2pi, y, x, flags);
}

FUNCTION2(HAVE_FMA, atan2, atan2_fast, 2, atan2_special, atan2_accurate, atan2_slow_path)
FUNCTION2(HAVE_FMA, atan2pi, atan2pi_fast, 2, atan2pi_special, atan2pi_accurate,
          atan2pi_slow_path)

#define INVERSE_TRIG_KERNELS                                                                   \
    UNARY("asin", asin_kernel)                                                                 \
    UNARY("acos", acos_kernel)                                                                 \
    UNARY("atan", atan_kernel)                                                                 \
    UNARY("asinpi", asinpi_kernel)                                                             \
    UNARY("acospi", acospi_kernel)                                                             \
    UNARY("atanpi", atanpi_kernel)                                                             \
    BINARY("atan2", atan2_kernel)                                                              \
    BINARY("atan2pi", atan2pi_kernel)

#endif
