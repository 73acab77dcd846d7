/* Hyperbolic functions and their inverses, from expm1 and log1p, which keep them accurate near
 * 0 and where they saturate. By Lindemann's theorem they are exact only at 0, acosh at 1. */
#include "exact/doubledouble/elementary.h"
#include "exact/doubledouble/functions.h"

/* e^x - 1 for x > 0. To half, sinh, cosh and tanh beyond 30 round as their values there do:
 * tanh is 1 - 2^-85. */
static dd bounded_expm1(double x)
{
    return dd_expm1_of(dd_of(fmin(x, 30)));
}

dd dd_sinh(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x);
    if (x < 0)
        return dd_neg(dd_sinh(-x));
    dd m = bounded_expm1(x);
    /* (e^x - e^-x) / 2 */
    return dd_inexact(dd_scale(dd_add(m, dd_div(m, dd_add_d(m, 1))), 0.5));
}

dd dd_cosh(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? 1 : INFINITY);
    dd power = dd_exp_bounded(dd_of(fabs(x)));
    return dd_inexact(dd_scale(dd_add(power, dd_inverse(power)), 0.5));
}

dd dd_tanh(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x == 0 ? x : copysign(1, x));
    if (x < 0)
        return dd_neg(dd_tanh(-x));
    dd m = dd_expm1_of(dd_of(2 * fmin(x, 30)));
    /* (e^2x - 1) / (e^2x + 1) */
    return dd_inexact(dd_div(m, dd_add_d(m, 2)));
}

dd dd_asinh(double x)
{
    if (x == 0 || isinf(x))
        return dd_of(x);
    if (x < 0)
        return dd_neg(dd_asinh(-x));
    /* x + sqrt(1 + x^2) = 1 + x + x^2 / (1 + sqrt(1 + x^2)) */
    dd root = dd_sqrt(dd_two_sum(1, x * x));
    dd rest = dd_div(dd_of(x * x), dd_add_d(root, 1));
    return dd_inexact(dd_log1p_of(dd_add_d(rest, x)));
}

dd dd_acosh(double x)
{
    if (x < 1 || isinf(x))
        return dd_of(x < 1 ? NAN : x);
    if (x == 1)
        return dd_of(0);
    /* x + sqrt(x^2 - 1) = 1 + t + sqrt(t (t + 2)), where t = x - 1 is exact */
    double t = x - 1;
    dd root = dd_sqrt(dd_two_prod(t, x + 1));
    return dd_inexact(dd_log1p_of(dd_add_d(root, t)));
}

dd dd_atanh(double x)
{
    double size = fabs(x);
    if (x == 0 || size >= 1)
        return dd_of(size > 1 ? NAN : x / (1 - size));
    /* log((1 + x) / (1 - x)) / 2 */
    dd ratio = dd_div(dd_of(2 * size), dd_of(1 - size));
    dd value = dd_inexact(dd_scale(dd_log1p_of(ratio), 0.5));
    return x < 0 ? dd_neg(value) : value;
}
