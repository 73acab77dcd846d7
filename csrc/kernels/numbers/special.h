/* The error and gamma functions of doubles: within a few units in the last place, except for
 * lgamma near its zeros below 0, where the error is absolute. They round to nearest and report
 * no exceptions. */
#ifndef HALFCL_KERNELS_NUMBERS_SPECIAL_H
#define HALFCL_KERNELS_NUMBERS_SPECIAL_H

#include <math.h>

#include "kernels/numbers/special_coefficients.h"
#include "kernels/shared/map.h"

/* Half as many doubles as a vector has floats, in C that compilers vectorise. */
enum { WIDE = LANES / 2 };
typedef double wd __attribute__((vector_size(8 * WIDE)));
typedef int64_t wl __attribute__((vector_size(8 * WIDE)));

ALWAYS_INLINE wd wd_set(double x)
{
    return (wd){0} + x;
}

ALWAYS_INLINE wd wd_select(wl which, wd yes, wd no)
{
    return (wd)((which & (wl)yes) | (~which & (wl)no));
}

ALWAYS_INLINE wd wd_abs(wd x)
{
    return (wd)((wl)x & INT64_MAX);
}

ALWAYS_INLINE wd wd_copysign(wd size, wd sign)
{
    return (wd)(((wl)size & INT64_MAX) | ((wl)sign & INT64_MIN));
}

ALWAYS_INLINE bool wl_any(wl which)
{
    int64_t all = 0;
    for (int k = 0; k < WIDE; k++)
        all |= which[k];
    return all != 0;
}

/* Returns the first 26 bits of x: products of two such numbers are exact. */
ALWAYS_INLINE wd wd_first_bits(wd x)
{
    return (wd)((wl)x & -((int64_t)1 << 27));
}

/* The nearest integer, |x| < 2^51. */
ALWAYS_INLINE wd wd_rint(wd x)
{
    const wd shift = wd_set(0x1.8p52);
    return (x + shift) - shift;
}

ALWAYS_INLINE wl wl_of_whole(wd x)
{
    const wd shift = wd_set(0x1.8p52);
    return (wl)(x + shift) - (wl)shift;
}

/* c[0] + c[1] x + ..., by its even and its odd terms. */
ALWAYS_INLINE wd wd_polynomial(wd x, const double *c, int n)
{
    wd z = x * x, even = wd_set(0), odd = wd_set(0);
    for (int i = (n - 1) / 2; i >= 0; i--) {
        even = even * z + c[2 * i];
        odd = 2 * i + 1 < n ? odd * z + c[2 * i + 1] : odd;
    }
    return even + x * odd;
}

#define WD_POLYNOMIAL(x, c) wd_polynomial(x, c, sizeof(c) / sizeof *(c))

/* ---------------------------------------------------------------- sums of two numbers */

typedef struct {
    wd high, low;
} wd_sum;

/* The exact sum. */
ALWAYS_INLINE wd_sum wd_two_sum(wd a, wd b)
{
    wd sum = a + b, part = sum - a;
    return (wd_sum){sum, (a - (sum - part)) + (b - part)};
}

static const double log_2_high = 0x1.62e42feep-1, log_2_low = 0x1.a39ef35793c76p-33;

/* scale e^(x.high + x.low): the multiplication by a power of two is in two steps, of which only
 * the last one may round. */
ALWAYS_INLINE wd wd_exp(wd_sum x, wd scale)
{
    const wd most = wd_set(1500);
    wd high = wd_select(x.high > most, most, wd_select(x.high < -most, -most, x.high));
    wd k = wd_rint(high * 1.44269504088896340736);
    wd r = (high - k * log_2_high) + (x.low - k * log_2_low);
    wd growth = r + r * r * WD_POLYNOMIAL(r, exp_series);
    wl whole = wl_of_whole(k), half = whole >> 1, rest = whole - half;
    wd result = (scale + scale * growth) * (wd)((half + 1023) << 52);
    return result * (wd)((rest + 1023) << 52);
}

/* The logarithm of x > 0, within some 2^-62 of 1 or of itself: x = 2^k m, s = (m - 1) / (m +
 * 1), and log m = 2 atanh(s), with s in two parts. */
ALWAYS_INLINE wd_sum wd_log(wd x)
{
    const wl root_half = (wl)wd_set(0x1.6a09e667f3bcdp-1);
    wl small = x < 0x1p-1000;
    x = wd_select(small, x * 0x1p100, x);
    wl exponent = ((wl)x - root_half) >> 52;
    wd m = (wd)((wl)x - (exponent << 52)), k = (wd)(exponent + (wl)wd_set(0x1.8p52));
    k = (k - 0x1.8p52) - wd_select(small, wd_set(100), wd_set(0));
    wd f = m - 1, d = m + 1, m_high = wd_first_bits(m);
    wd s = wd_first_bits(f / d);
    wd s_rest = (((f - s) - s * m_high) - s * (m - m_high)) / d;
    wd all = s + s_rest, z = all * all;
    wd tail = 2 * s_rest + all * z * WD_POLYNOMIAL(z, atanh_series);
    wd_sum sum = wd_two_sum(k * log_2_high, 2 * s);
    return wd_two_sum(sum.high, sum.low + (k * log_2_low + tail));
}

/* (b - 1/2) log b - b + stirling's series, for b >= 8. */
ALWAYS_INLINE wd_sum wd_stirling(wd b, wd_sum log)
{
    wd a = b - 0.5, a_high = wd_first_bits(a), log_high = wd_first_bits(log.high);
    wd log_rest = (log.high - log_high) + log.low;
    wd_sum sum = wd_two_sum(a_high * log_high, -b);
    wd inverse = 1 / b, series = inverse * WD_POLYNOMIAL(inverse * inverse, stirling);
    sum.low += a_high * log_rest + (a - a_high) * (log_high + log_rest) + series;
    return sum;
}

/* sin(pi x) / (-1)^rint(x); 0 at integers only. */
ALWAYS_INLINE wd wd_sine_of_pi(wd x)
{
    wd f = x - wd_rint(x);
    return f * WD_POLYNOMIAL(f * f, sine_of_pi);
}

/* ---------------------------------------------------------------- error functions */

/* For |x| < 1/2. */
ALWAYS_INLINE wd erf_near_0(wd x)
{
    return x * WD_POLYNOMIAL(x * x, erf_series);
}

/* erfc(a), a >= 1/2: e^(-a^2) times a smooth function. Below 2^-1074 from a = 27.3 on. */
ALWAYS_INLINE wd erfc_of_size(wd a)
{
    a = wd_select(a < 28, a, wd_set(28));
    wd high = (wd)((wl)a & -((int64_t)1 << 29)), rest = (a - high) * (a + high);
    wd t = (a - 4) / (a + 4); /* from -7/9 to 3/4 */
    wd scaled = WD_POLYNOMIAL((72 * t + 1) / 55, erfc_scaled);
    return wd_exp((wd_sum){-high * high, -rest}, scaled / (1 + 2 * a));
}

ALWAYS_INLINE wd wd_erf(wd x)
{
    wd a = wd_abs(x);
    wl large = a >= 0.5;
    wd result = erf_near_0(x);
    if (wl_any(large))
        result = wd_select(large, wd_copysign(1 - erfc_of_size(a), x), result);
    return wd_select(x == x, result, x);
}

ALWAYS_INLINE wd wd_erfc(wd x)
{
    wd a = wd_abs(x);
    wl large = a >= 0.5;
    wd result = 1 - erf_near_0(x);
    if (wl_any(large)) {
        wd far = erfc_of_size(a);
        result = wd_select(large, wd_select(x < 0, 2 - far, far), result);
    }
    return wd_select(x == x, result, x);
}

/* ---------------------------------------------------------------- the gamma function */

static const double root_2_pi = 2.50662827463100050242, half_log_2_pi = 0.91893853320467274178;
static const double pi_of_gamma = 3.14159265358979323846;

/* gamma(a) = gamma(b) / (a (a + 1) ... (b - 1)) with b >= 8, and gamma(-a) = -pi / (a sin(pi a)
 * gamma(a)). Next to 0 it is 1 / x. Factorials are exact as far as rounding makes them so. */
ALWAYS_INLINE wd wd_tgamma(wd x)
{
    wd size = wd_abs(x), a = wd_select(size < 200, size, wd_set(200)), product = wd_set(1);
    wd below = wd_rint(a - 0.5), count = wd_set(0);
    for (int i = 0; i < 8; i++) {
        wl more = below + i < 8;
        product = wd_select(more, product * (a + i), product);
        count = wd_select(more, count + 1, count);
    }
    wd b = a + count, lost = a - (b - count);
    wd_sum log = wd_log(b), power = wd_stirling(b, log);
    power.low += lost * (log.high - 0.5 / b);
    wl negative = x < 0;
    wd result = root_2_pi / product;
    if (wl_any(negative)) {
        wd sine = wd_sine_of_pi(size);
        wd odd = wd_select((wl_of_whole(wd_rint(size)) & 1) != 0, wd_set(1), wd_set(-1));
        wd reflected = odd * (pi_of_gamma / root_2_pi) * (product / a) / sine;
        result = wd_select(negative, reflected, result);
        power.high = wd_select(negative, -power.high, power.high);
        power.low = wd_select(negative, -power.low, power.low);
    }
    result = wd_exp(power, result);
    wl whole = (size >= 0x1p51) | (size == wd_rint(size));
    result = wd_select(whole & ~negative & (result < 0x1p51), wd_rint(result), result);
    result = wd_select(whole & negative, wd_set(NAN), result);
    result = wd_select(size < 0x1p-60, 1 / x, result);
    return wd_select(x == x, result, x);
}

/* For x > -1/4, and not 0 or infinite: below 8 from y in [3/4, 9/4], where log gamma(x) is log
 * gamma(y) plus the logarithm of (x - 1) (x - 2) ... y, or of 1 / |x|. */
ALWAYS_INLINE wd log_gamma_of(wd x)
{
    wl near_0 = x < 0.75, far = x >= 8;
    wd y = wd_select(near_0, x + 1, x), product = wd_set(1);
    for (int i = 0; i < 6; i++) {
        wl more = y > 2.25;
        y = wd_select(more, y - 1, y);
        product = wd_select(more, product * y, product);
    }
    product = wd_select(near_0, wd_abs(x), product);
    wd_sum log = wd_log(wd_select(far, x, product));
    wd slope = WD_POLYNOMIAL((y - 1.5) / 0.75, log_gamma_slope);
    wd near_1 = (y - 1) * (y - 2) * slope;
    wd sign = wd_select(near_0, wd_set(-1), wd_set(1));
    wd result = sign * log.high + (near_1 + sign * log.low);
    if (wl_any(far)) {
        wd_sum sum = wd_stirling(x, log);
        wd large = sum.high + (sum.low + half_log_2_pi);
        large = wd_select(x < 0x1p60, large, x * (log.high - 1));
        result = wd_select(far, large, result);
    }
    return result;
}

ALWAYS_INLINE wd wd_lgamma(wd x)
{
    wd size = wd_abs(x);
    wl reflected = x <= -0.25;
    wd result = log_gamma_of(wd_select(reflected, size, x));
    if (wl_any(reflected)) {
        wd_sum log = wd_log(size * wd_abs(wd_sine_of_pi(size)) / pi_of_gamma);
        result = wd_select(reflected, -(log.high + result) - log.low, result);
    }
    wl pole = (x == 0) | (reflected & ((size >= 0x1p51) | (size == wd_rint(size))));
    result = wd_select(pole | (size == INFINITY), wd_set(INFINITY), result);
    return wd_select(x == x, result, x);
}

/* ---------------------------------------------------------------- loops */

ALWAYS_INLINE wd wd_load(const double *from)
{
    wd result;
    memcpy(&result, from, sizeof result);
    return result;
}

/* The steps round to nearest in every mode. An incomplete vector is padded with ones. */
#define SPECIAL_KERNEL(name)                                                                   \
    static unsigned name##_d(void *const *args, size_t n, halfcl_rounding mode)                \
    {                                                                                          \
        const double *x = args[0];                                                             \
        double *out = args[1];                                                                 \
        size_t i = 0;                                                                          \
        halfcl_env env;                                                                        \
        (void)mode;                                                                            \
        halfcl_enter(&env, HALFCL_RTE);                                                        \
        for (; i + WIDE <= n; i += WIDE) {                                                     \
            wd result = wd_##name(wd_load(x + i));                                             \
            memcpy(out + i, &result, sizeof result);                                           \
        }                                                                                      \
        if (i < n) {                                                                           \
            double last[WIDE];                                                                 \
            for (size_t k = 0; k < WIDE; k++)                                                  \
                last[k] = i + k < n ? x[i + k] : 1;                                            \
            wd result = wd_##name(wd_load(last));                                              \
            memcpy(out + i, &result, (n - i) * sizeof *out);                                   \
        }                                                                                      \
        halfcl_leave(&env);                                                                    \
        return 0;                                                                              \
    }

#define EACH_SPECIAL(X) X(erf) X(erfc) X(tgamma) X(lgamma)

EACH_SPECIAL(SPECIAL_KERNEL)

#define SPECIAL_ROW(name)                                                                      \
    {#name,                                                                                    \
     HALFCL_MAP,                                                                               \
     {1, 1, {HALFCL_DOUBLE, HALFCL_DOUBLE}},                                                   \
     {.map = name##_d, .quiet = true}},

#define SPECIAL_NUMBERS_KERNELS EACH_SPECIAL(SPECIAL_ROW)

#endif
