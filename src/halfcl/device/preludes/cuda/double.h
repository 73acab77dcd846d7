/* Functions of two halves for GPUs that compute in double at half the speed of float. Results
 * are within 2^-48 of the exact ones, relatively or in units of half, which decides the
 * rounding. There are no hard cases, and branches for special values only. All pairs of halves
 * were tested in each mode. */

/* Define a function with an easy case, and a rare one for which `rarely` is true; `rare`
 * computes it, rounded to odd. Functions of vectors compute the easy cases first, so that
 * these share loads and no branch diverges. */
//= IN_DOUBLE
#define hci_IN_DOUBLE(name, easy, rarely, rare)                                                \
    HCI_FUNCTION hci_vh hci_easy_##name(hci_vh a, hci_vh b, hci_rounding mode)                 \
    {                                                                                          \
        return hci_half_of_double(easy(hci_vf_widen(a), hci_vf_widen(b)), mode);               \
    }                                                                                          \
    HCI_FUNCTION bool hci_is_hard_##name(hci_vh a, hci_vh b)                                   \
    {                                                                                          \
        return rarely(hci_vf_widen(a), hci_vf_widen(b));                                       \
    }                                                                                          \
    HCI_FUNCTION hci_vh hci_hard_##name(hci_vh a, hci_vh b, hci_rounding mode)                 \
    {                                                                                          \
        return hci_rounded_half(rare(hci_vf_widen(a), hci_vf_widen(b)), mode);                 \
    }                                                                                          \
    HCI_FUNCTION hci_vh hci_device_##name(hci_vh a, hci_vh b, hci_rounding mode)               \
    {                                                                                          \
        return hci_is_hard_##name(a, b) ? hci_hard_##name(a, b, mode)                          \
                                        : hci_easy_##name(a, b, mode);                         \
    }

/* x 2^n, for exponents within double's range. */
//= scaled_double
HCI_FUNCTION double hci_scaled_double(double x, int n)
{
    return __hiloint2double(__double2hiint(x) + n * (1 << 20), __double2loint(x));
}

/* x with its sign flipped if the sign bit of `sign` is set. */
//= turned_double
HCI_FUNCTION double hci_turned_double(double x, int sign)
{
    return __hiloint2double(__double2hiint(x) ^ (sign & (int)0x80000000), __double2loint(x));
}

/* NaNs are as the processor returns them. */
//= half_of_double
HCI_FUNCTION hci_vh hci_half_of_double(double a, hci_rounding mode)
{
    hci_vh result;
    if (mode == hci_RTE)
        asm("cvt.rn.f16.f64 %0, %1;" : "=h"(result) : "d"(a));
    else if (mode == hci_RTZ)
        asm("cvt.rz.f16.f64 %0, %1;" : "=h"(result) : "d"(a));
    else if (mode == hci_RTP)
        asm("cvt.rp.f16.f64 %0, %1;" : "=h"(result) : "d"(a));
    else
        asm("cvt.rm.f16.f64 %0, %1;" : "=h"(result) : "d"(a));
    return result;
}

/* c[0] + c[1] x + ... */
//= polynomial_in_double
template <int n> HCI_FUNCTION double hci_polynomial_in_double(double x, const double (&c)[n])
{
    double sum = c[n - 1];
#pragma unroll
    for (int k = n - 2; k >= 0; --k)
        sum = __fma_rn(sum, x, c[k]);
    return sum;
}

/* log2(x) for finite x > 0, relatively as accurate near 1 as elsewhere, and 0 for 1. With m
 * from 0.707 to 1.414, and a factor near 1 / m for which s = factor m - 1 is exact, it is the
 * exponent, minus the factor's logarithm, plus s times a slope. */
//= log2_in_double
HCI_FUNCTION double hci_log2_in_double(float x)
{
    int above = __float_as_int(x) - 0x3f350000;
    float m = __int_as_float(__float_as_int(x) - (above & (int)0xff800000));
    double2 piece = hci_log2_pieces[above >> 17 & 63];
    double s = __fma_rn((double)m, piece.x, -1.0);
    double whole = __dadd_rn((double)(above >> 23), piece.y);
    return __fma_rn(s, hci_polynomial_in_double(s, hci_log2_slope_in_double), whole);
}

/* A number in 16ths is `shifted` minus this. */
//= SIXTEENTHS
#define hci_SIXTEENTHS 0x1.8p48

/* 2^(n + r), |r| <= 1/32, where n is the number in 16ths, without scaling by n's whole part.
 */
//= exp2_in_double
HCI_FUNCTION double hci_exp2_in_double(double shifted, double r)
{
    double power = hci_powers_in_double[__double2loint(shifted) & 15];
    double growth = __dmul_rn(hci_polynomial_in_double(r, hci_power_growth), r);
    return __fma_rn(power, growth, power);
}

//= whole_of
HCI_FUNCTION int hci_whole_of(double shifted)
{
    return __double2loint(shifted) >> 4;
}

/* x^y for x > 0, both finite. Exact powers that are halves or midpoints have 12 bits, and
 * other powers are at least 2^-44.7 away from these (exact/doubledouble/power.c). So rounding
 * to 2^-45 makes the former exact, and none of the latter. Powers beyond 2^100 round alike. */
//= power_in_double
HCI_FUNCTION double hci_power_in_double(float x, float y)
{
    double log = hci_log2_in_double(x), times = (double)y;
    double shifted = __fma_rn(times, log, hci_SIXTEENTHS);
    double r = __fma_rn(times, log, __dsub_rn(hci_SIXTEENTHS, shifted));
    double power = hci_exp2_in_double(shifted, r);
    int whole = hci_whole_of(shifted);
    power = __dsub_rn(__dadd_rn(power, 0x1.8p7), 0x1.8p7);
    return hci_scaled_double(power, whole > 100 ? 100 : whole < -100 ? -100 : whole);
}

/* True if x is 0, infinite or NaN, or y infinite or NaN. */
//= powers_rarely
HCI_FUNCTION bool hci_powers_rarely(float x, float y)
{
    return __float_as_uint(fabsf(x)) - 1 >= 0x7f800000 - 1 || !(fabsf(y) < HCI_INFINITY);
}

//= pow_in_double
HCI_FUNCTION double hci_pow_in_double(float x, float y)
{
    float shifted = __fadd_rn(y, 0x1.8p23f); /* the last bit of an odd integer is set */
    bool is_integer = __fsub_rn(shifted, 0x1.8p23f) == y;
    double power = hci_power_in_double(fabsf(x), y);
    int sign = __float_as_int(x) & __float_as_int(shifted) << 31;
    int high = x < 0 && !is_integer ? 0x7ff80000 : __double2hiint(power) ^ sign;
    return __hiloint2double(high, __double2loint(power));
}

//= powrs_rarely
HCI_FUNCTION bool hci_powrs_rarely(float x, float y)
{
    return hci_powers_rarely(x, y) || x < 0;
}

/* The logarithm of 1 + w to a base, for 0 <= w <= 1; unit is the factor from natural
 * logarithms to those of the base, which the pieces have. */
//= log_above_1_in_double
HCI_FUNCTION double hci_log_above_1_in_double(double w, const double2 *pieces, double unit)
{
    double2 piece = pieces[__double2loint(__fma_rn(w, 64.0, 0x1.8p52)) & 127];
    double z = __fma_rn(w, piece.x, __dadd_rn(piece.x, -1.0)), square = __dmul_rn(z, z);
    double log = __fma_rn(square, hci_polynomial_in_double(z, hci_log_slope_in_double), z);
    return __fma_rn(log, unit, piece.y);
}

/* True if either is infinite or NaN. */
//= adds_rarely
HCI_FUNCTION bool hci_adds_rarely(float x, float y)
{
    return !(fabsf(x) < HCI_INFINITY && fabsf(y) < HCI_INFINITY);
}

/* The larger one, and the smaller one minus it, but at least `least`: there the added term is
 * below 2^-25, so that it counts as positive, whatever it is, and above 2^-36, so that double
 * holds the sum. */
//= gap_in_double
HCI_FUNCTION double hci_gap_in_double(float x, float y, float least, float *more)
{
    *more = fmaxf(x, y);
    float less = fmaxf(fminf(x, y), __fadd_rn(*more, least));
    return __dsub_rn((double)less, (double)*more);
}

//= logaddexp_in_double
HCI_FUNCTION double hci_logaddexp_in_double(float x, float y)
{
    const double octaves = hci_octaves_of_e[0], octaves_low = hci_octaves_of_e[1];
    float more;
    double gap = hci_gap_in_double(x, y, -24, &more);
    double shifted = __fma_rn(gap, octaves, hci_SIXTEENTHS);
    double r = __fma_rn(gap, octaves, __dsub_rn(hci_SIXTEENTHS, shifted));
    double power = hci_exp2_in_double(shifted, __fma_rn(gap, octaves_low, r));
    power = hci_scaled_double(power, hci_whole_of(shifted));
    return __dadd_rn((double)more, hci_log_above_1_in_double(power, hci_natural_pieces, 1));
}

//= logaddexp2_in_double
HCI_FUNCTION double hci_logaddexp2_in_double(float x, float y)
{
    const double octaves = hci_octaves_of_e[0];
    float more;
    double gap = hci_gap_in_double(x, y, -30, &more), shifted = __dadd_rn(gap, hci_SIXTEENTHS);
    double r = __dadd_rn(gap, __dsub_rn(hci_SIXTEENTHS, shifted));
    double power = hci_exp2_in_double(shifted, r);
    power = hci_scaled_double(power, hci_whole_of(shifted));
    return __dadd_rn((double)more,
                     hci_log_above_1_in_double(power, hci_binary_pieces, octaves));
}

/* An angle as an entry of hci_angles_in_double, which has four parts, and a rest. */
//= angle_parts
typedef struct {
    int place;
    double rest;
} hci_angle_parts;

/* With the nearest c = k / 32 to the slope, the angle is that of c plus the arc tangent of (y
 * - c x) / (x + c y), both of which are exact. This quotient is the sum of two floats: an
 * estimate and its error. It is reduced by 2^-44 of itself, since an angle is below its
 * tangent, perhaps by less than double resolves, if the tangent is a rounding boundary of
 * half. */
//= angle_in_double
HCI_FUNCTION hci_angle_parts hci_angle_in_double(float y, float x)
{
    float low = fminf(fabsf(x), fabsf(y)), high = fmaxf(fabsf(x), fabsf(y));
    float slope = __fmul_rn(low, hci_vf_reciprocal_estimate(high));
    float shifted = __fadd_rn(slope, 0x1.8p18f), c = __fsub_rn(shifted, 0x1.8p18f);
    float height = __fmaf_rn(-c, high, low), width = __fmaf_rn(c, low, high);
    float inverse = hci_vf_reciprocal_estimate(width), estimate = __fmul_rn(height, inverse);
    float lacking = __fmul_rn(__fmaf_rn(-estimate, width, height), inverse);
    lacking = __fmaf_rn(estimate, -0x1p-44f, lacking);
    double t = __dadd_rn((double)estimate, (double)lacking);
    double square = __dmul_rn(t, t), cube = __dmul_rn(square, t);
    double series = hci_polynomial_in_double(square, hci_series_of_angle);
    /* Only the signs of these differences matter. */
    int steep = __float_as_int(fabsf(x)) - __float_as_int(fabsf(y)), left = __float_as_int(x);
    int place = (__float_as_int(shifted) & 63) | (steep >> 31 & 64) | (left >> 31 & 128);
    double rest = hci_turned_double(__fma_rn(cube, series, t), steep ^ left);
    return HCI_MAKE(hci_angle_parts){place, rest};
}

/* True if there is no slope: both are 0, or either is infinite or NaN. */
//= turns_rarely
HCI_FUNCTION bool hci_turns_rarely(float y, float x)
{
    unsigned int width = __float_as_uint(fabsf(x)), height = __float_as_uint(fabsf(y));
    return (width > height ? width : height) - 1 >= 0x7f800000 - 1;
}

//= atan2_in_double
HCI_FUNCTION double hci_atan2_in_double(float y, float x)
{
    hci_angle_parts angle = hci_angle_in_double(y, x);
    double sum = __dadd_rn(hci_angles_in_double[angle.place], angle.rest);
    return hci_turned_double(sum, __float_as_int(y));
}

//= atan2pi_in_double
HCI_FUNCTION double hci_atan2pi_in_double(float y, float x)
{
    hci_angle_parts angle = hci_angle_in_double(y, x);
    double sum =
        __fma_rn(angle.rest, hci_half_turns_of_unit[0], hci_half_turns_in_double[angle.place]);
    return hci_turned_double(sum, __float_as_int(y));
}

//= device_pow easy_pow is_hard_pow hard_pow
hci_IN_DOUBLE(pow, hci_pow_in_double, hci_powers_rarely, hci_decide_pow)

//= device_powr easy_powr is_hard_powr hard_powr
hci_IN_DOUBLE(powr, hci_power_in_double, hci_powrs_rarely, hci_decide_powr)

//= device_logaddexp easy_logaddexp is_hard_logaddexp hard_logaddexp
hci_IN_DOUBLE(logaddexp, hci_logaddexp_in_double, hci_adds_rarely, hci_decide_logaddexp)

//= device_logaddexp2 easy_logaddexp2 is_hard_logaddexp2 hard_logaddexp2
hci_IN_DOUBLE(logaddexp2, hci_logaddexp2_in_double, hci_adds_rarely, hci_decide_logaddexp2)

//= device_atan2 easy_atan2 is_hard_atan2 hard_atan2
hci_IN_DOUBLE(atan2, hci_atan2_in_double, hci_turns_rarely, hci_decide_atan2)

//= device_atan2pi easy_atan2pi is_hard_atan2pi hard_atan2pi
hci_IN_DOUBLE(atan2pi, hci_atan2pi_in_double, hci_turns_rarely, hci_decide_atan2pi)
