/* The functions of devices: device_NAME(operands, mode), on the bits of halves, made of the
 * same operations as the kernels (simd/device.h). Each is a root from which
 * tools/make_device.py collects all that it calls. Those in functions.def consist of one
 * operation. */
#ifndef HALFCL_DEVICE_FUNCTIONS_H
#define HALFCL_DEVICE_FUNCTIONS_H

#include "device/by_hard_cases.h"
#include "device/numbers.h"
#include "kernels/elementwise/arithmetic.h"
#include "kernels/elementwise/common.h"
#include "kernels/elementwise/decomposition.h"
#include "kernels/elementwise/extrema.h"
#include "kernels/elementwise/relational.h"
#include "kernels/elementwise/rounding.h"
#include "kernels/functions/exp_log.h"
#include "kernels/functions/gamma_erf.h"
#include "kernels/functions/hyperbolic.h"
#include "kernels/functions/inverse_trig.h"
#include "kernels/functions/neighbours.h"
#include "kernels/functions/remainder.h"
#include "kernels/functions/roots.h"
#include "kernels/functions/trig.h"

/* Slow paths and integers decide the hard cases. */
#include "device/angles.h"
#include "device/division.h"
#include "device/geometry.h"
#include "device/interpolation.h"
#include "device/powers.h"
#include "device/statistics.h"
#include "device/sums.h"

#define FLOAT_FUNCTION1(name, op)                                                              \
    ALWAYS_INLINE vh device_##name(vh x, halfcl_rounding mode)                                 \
    {                                                                                          \
        return rounded_half(op(vf_widen(x), mode), mode);                                      \
    }
#define FLOAT_FUNCTION2(name, op)                                                              \
    ALWAYS_INLINE vh device_##name(vh x, vh y, halfcl_rounding mode)                           \
    {                                                                                          \
        return rounded_half(op(vf_widen(x), vf_widen(y), mode), mode);                         \
    }
#define SUM_FUNCTION2(name, op)                                                                \
    ALWAYS_INLINE vh device_##name(vh x, vh y, halfcl_rounding mode)                           \
    {                                                                                          \
        return op(vf_widen(x), vf_widen(summand(y)), mode);                                    \
    }
#define FLOAT_FUNCTION3(name, op)                                                              \
    ALWAYS_INLINE vh device_##name(vh x, vh y, vh z, halfcl_rounding mode)                     \
    {                                                                                          \
        return rounded_half(op(vf_widen(x), vf_widen(y), vf_widen(z), mode), mode);            \
    }
/* name_of returns a result rounded to odd. NaNs of hosts have few bits and fail the rounding
 * test; those of devices may not. */
#define IN_PHASES(name, second, as_float, fast, slack, slow_path)                              \
    ALWAYS_INLINE vf name##_of(vf x, vf y)                                                     \
    {                                                                                          \
        vm exact_case = vm_none();                                                             \
        vf result = fast(x, y, &exact_case);                                                   \
        vm passes = vm_and(vf_equal(result, result), passing_lanes(result, slack));            \
        return vm_or(exact_case, passes) ? result : slow_path(x, y);                           \
    }                                                                                          \
    ALWAYS_INLINE vh device_##name(vh x, second y, halfcl_rounding mode)                       \
    {                                                                                          \
        return rounded_half(name##_of(vf_widen(x), as_float(y)), mode);                        \
    }
#define WORD_FUNCTION1(name, op)                                                               \
    ALWAYS_INLINE vh device_##name(vh x, halfcl_rounding mode)                                 \
    {                                                                                          \
        (void)mode;                                                                            \
        return (vh)op((vw)x);                                                                  \
    }
#define WORD_FUNCTION2(name, op)                                                               \
    ALWAYS_INLINE vh device_##name(vh x, vh y, halfcl_rounding mode)                           \
    {                                                                                          \
        (void)mode;                                                                            \
        return (vh)op((vw)x, (vw)y);                                                           \
    }
#define WORD_FUNCTION3(name, op)                                                               \
    ALWAYS_INLINE vh device_##name(vh x, vh y, vh z, halfcl_rounding mode)                     \
    {                                                                                          \
        (void)mode;                                                                            \
        return (vh)op((vw)x, (vw)y, (vw)z);                                                    \
    }
#define TRUTH_FUNCTION1(name, op)                                                              \
    ALWAYS_INLINE bool device_##name(vh x, halfcl_rounding mode)                               \
    {                                                                                          \
        (void)mode;                                                                            \
        return op((vw)x);                                                                      \
    }
#define TRUTH_FUNCTION2(name, kernel, op)                                                      \
    ALWAYS_INLINE bool device_##name(vh x, vh y, halfcl_rounding mode)                         \
    {                                                                                          \
        (void)mode;                                                                            \
        return op((vw)x, (vw)y);                                                               \
    }

#include "device/functions.def"

ALWAYS_INLINE vh device_mad(vh a, vh b, vh c, halfcl_rounding mode)
{
    return device_fma(a, b, c, mode);
}

/* NaN of a code. */
ALWAYS_INLINE vh device_nan(vh code, halfcl_rounding mode)
{
    (void)mode;
    return (vh)nan_of((vw)code);
}

/* Neighbours. */

ALWAYS_INLINE vh device_nextafter(vh x, vh y, halfcl_rounding mode)
{
    wm overflow = false;
    (void)mode;
    return (vh)neighbour((vw)x, (vw)y, &overflow);
}

ALWAYS_INLINE vh device_nextup(vh x, halfcl_rounding mode)
{
    return device_nextafter(x, HALF_INF, mode);
}

ALWAYS_INLINE vh device_nextdown(vh x, halfcl_rounding mode)
{
    return device_nextafter(x, HALF_INF | HALF_SIGN, mode);
}

ALWAYS_INLINE vh device_ulp(vh x, halfcl_rounding mode)
{
    vf power = vf_widen((vh)(x & HALF_INF));
    return is_nan((vw)x) ? HALF_NAN : rounded_half(unit_of(power), mode);
}

ALWAYS_INLINE vh device_spacing(vh x, halfcl_rounding mode)
{
    vh unit = rounded_half(unit_of(vf_widen((vh)power_of_two_below((vw)x))), mode);
    return !is_finite((vw)x) ? HALF_NAN : x == HALF_LARGEST ? HALF_INF : unit;
}

/* Parts of a number. */

ALWAYS_INLINE vh device_modf(vh x, vh *whole, halfcl_rounding mode)
{
    vf integer, fraction = modf_of(vf_widen(x), &integer);
    *whole = rounded_half(integer, mode);
    return rounded_half(fraction, mode);
}

ALWAYS_INLINE vh device_fract(vh x, vh *floored, halfcl_rounding mode)
{
    vf below, fraction = fract_of(vf_widen(x), &below);
    *floored = rounded_half(below, mode);
    return rounded_half(fraction, mode);
}

ALWAYS_INLINE vh device_frexp(vh x, int32_t *exponent, halfcl_rounding mode)
{
    return rounded_half(frexp_of(vf_widen(x), exponent), mode);
}

ALWAYS_INLINE vh device_remquo(vh x, vh y, int32_t *quotient, halfcl_rounding mode)
{
    vf rest = remquo_of(vf_widen(x), vf_widen(y), quotient);
    *quotient = rest == rest ? *quotient : 0; /* a NaN is not converted */
    return rounded_half(rest, mode);
}

ALWAYS_INLINE int32_t device_ilogb(vh x, halfcl_rounding mode)
{
    (void)mode;
    return ilogb_of(vf_widen(x));
}

ALWAYS_INLINE vh device_logb(vh x, halfcl_rounding mode)
{
    return rounded_half(logb_of(vf_widen(x)), mode);
}

ALWAYS_INLINE vh device_ldexp(vh x, int32_t n, halfcl_rounding mode)
{
    return rounded_half(vf_ldexp(vf_widen(x), n), mode);
}

/* Also returns the sign of gamma(x), 0 if it has none. */
ALWAYS_INLINE vh device_lgamma_r(vh x, vi *sign, halfcl_rounding mode)
{
    *sign = gamma_sign(vf_widen(x));
    return device_lgamma(x, mode);
}

ALWAYS_INLINE vh device_sincos(vh x, vh *cosine, halfcl_rounding mode)
{
    *cosine = device_cos(x, mode);
    return device_sin(x, mode);
}

/* Functions for which integers decide the cases that floats cannot. */

ALWAYS_INLINE vh device_hypot(vh x, vh y, halfcl_rounding mode)
{
    return rounded_half(hypotenuse(vf_widen(x), vf_widen(y)), mode);
}

ALWAYS_INLINE vh device_mix(vh x, vh y, vh a, halfcl_rounding mode)
{
    return rounded_half(mix_in_float(vf_widen(x), vf_widen(y), vf_widen(a), mode), mode);
}

ALWAYS_INLINE vh device_smoothstep(vh edge0, vh edge1, vh x, halfcl_rounding mode)
{
    vf start = vf_widen(edge0), end = vf_widen(edge1);
    return rounded_half(smoothstep_in_float(start, end, vf_widen(x)), mode);
}

ALWAYS_INLINE vh device_divmod(vh a, vh b, vh *remainder, halfcl_rounding mode)
{
    vf rest, quotient = floor_division(vf_widen(a), vf_widen(b), &rest, mode);
    *remainder = rounded_half(rest, mode);
    return rounded_half(quotient, mode);
}

ALWAYS_INLINE vh device_floor_divide(vh a, vh b, halfcl_rounding mode)
{
    vh unused;
    return device_divmod(a, b, &unused, mode);
}

ALWAYS_INLINE vh device_floor_remainder(vh a, vh b, halfcl_rounding mode)
{
    vh remainder;
    device_divmod(a, b, &remainder, mode);
    return remainder;
}

/* Functions of vectors of n halves, 1 to 16; outputs may be inputs. */

ALWAYS_INLINE vh device_dot(vh *a, vh *b, int n, halfcl_rounding mode)
{
    vf x[MOST_COMPONENTS], y[MOST_COMPONENTS];
    widen(a, n, x);
    widen(b, n, y);
    return rounded_half(dot_of(x, y, n, mode), mode);
}

/* NumPy's vecdot: the sum starts from +0. */
ALWAYS_INLINE vh device_vecdot(vh *a, vh *b, int n, halfcl_rounding mode)
{
    vf x[MOST_COMPONENTS], y[MOST_COMPONENTS];
    widen(a, n, x);
    widen(b, n, y);
    vf sum = dot_of(x, y, n, mode);
    return rounded_half(mode != HALFCL_RTN && sum == 0 ? 0.0f : sum, mode);
}

ALWAYS_INLINE vh device_length(vh *a, int n, halfcl_rounding mode)
{
    vf x[MOST_COMPONENTS];
    widen(a, n, x);
    return rounded_half(length_of(x, n), mode);
}

ALWAYS_INLINE vh device_distance(vh *a, vh *b, int n, halfcl_rounding mode)
{
    vf x[MOST_COMPONENTS], y[MOST_COMPONENTS];
    widen(a, n, x);
    widen(b, n, y);
    return rounded_half(distance_of(x, y, n), mode);
}

ALWAYS_INLINE void device_normalize(vh *a, int n, vh *out, halfcl_rounding mode)
{
    vf x[MOST_COMPONENTS];
    widen(a, n, x);
    normalize(x, n);
    for (int k = 0; k < n; ++k)
        out[k] = rounded_half(x[k], mode);
}

/* n is 3 or 4. */
ALWAYS_INLINE void device_cross(vh *a, vh *b, int n, vh *out, halfcl_rounding mode)
{
    vf x[MOST_COMPONENTS], y[MOST_COMPONENTS];
    widen(a, 3, x);
    widen(b, 3, y);
    out[0] = rounded_half(cross_component(x[1], y[2], x[2], y[1], mode), mode);
    out[1] = rounded_half(cross_component(x[2], y[0], x[0], y[2], mode), mode);
    out[2] = rounded_half(cross_component(x[0], y[1], x[1], y[0], mode), mode);
    if (n > 3)
        out[3] = 0;
}

#endif
