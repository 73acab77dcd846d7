/* Functions of two halves for GPUs that compute in double at half the speed of float: what
 * these give is within 2^-48 of the result, relatively or of half's unit, and so decides how it
 * rounds. There are no hard cases, and no branches but for what is special. Tried with every
 * pair of halves in each mode. */

/* A function is easy but where something rarely is; there rare has it, to odd. Of many operands
 * the easy ones come first, so that they share what is loaded, and no branch parts them. */
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

/* x 2^n, of exponents that double has. */
//= scaled_double
HCI_FUNCTION double hci_scaled_double(double x, int n)
{
    return __hiloint2double(__double2hiint(x) + n * (1 << 20), __double2loint(x));
}

/* With the sign turned where the first bit of sign is set. */
//= turned_double
HCI_FUNCTION double hci_turned_double(double x, int sign)
{
    return __hiloint2double(__double2hiint(x) ^ (sign & (int)0x80000000), __double2loint(x));
}

/* NaNs are the processor's. */
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

/* Of x > 0, finite: relatively as accurate near 1 as elsewhere, and 0 of 1. With m from 0.707
 * to 1.414 and a factor near 1 / m, of which s = factor m - 1 is exact, it is the exponent,
 * less the factor's logarithm, and s times a slope. */
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

/* shifted is a number, in 16ths, plus this. */
//= SIXTEENTHS
#define hci_SIXTEENTHS 0x1.8p48

/* 2^(that number + r), |r| <= 1/32, but for the number's whole part: scaled by that it is all.
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

/* x^y for x > 0, both finite. Exact powers of which half's roundings tell have 12 bits, and
 * others are at least 2^-44.7 away from those (exact/doubledouble/power.c): so a rounding to
 * 2^-45 makes the first exact, and none of the others. Powers beyond 2^100 are as good as that.
 */
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

/* Whether x is 0, infinite or NaN, or y infinite or NaN. */
//= powers_rarely
HCI_FUNCTION bool hci_powers_rarely(float x, float y)
{
    return __float_as_uint(fabsf(x)) - 1 >= 0x7f800000 - 1 || !(fabsf(y) < HCI_INFINITY);
}

//= pow_in_double
HCI_FUNCTION double hci_pow_in_double(float x, float y)
{
    float shifted = __fadd_rn(y, 0x1.8p23f); /* an odd integer has its last bit set */
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

/* log(1 + w), to a base, for 0 <= w <= 1: with pieces to that base, where the
 * natural logarithm times unit is. */
//= log_above_1_in_double
HCI_FUNCTION double hci_log_above_1_in_double(double w, const double2 *pieces, double unit)
{
    double2 piece = pieces[__double2loint(__fma_rn(w, 64.0, 0x1.8p52)) & 127];
    double z = __fma_rn(w, piece.x, __dadd_rn(piece.x, -1.0)), square = __dmul_rn(z, z);
    double log = __fma_rn(square, hci_polynomial_in_double(z, hci_log_slope_in_double), z);
    return __fma_rn(log, unit, piece.y);
}

/* Where one is an infinity or a NaN. */
//= adds_rarely
HCI_FUNCTION bool hci_adds_rarely(float x, float y)
{
    return !(fabsf(x) < HCI_INFINITY && fabsf(y) < HCI_INFINITY);
}

/* The larger one, and the smaller one less it, but not less than least: there what is added is
 * below 2^-25, and so counts as more than nothing, whatever it is, and above 2^-36, and so
 * double has the sum. */
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

/* Where an angle is in hci_angles_in_double's four parts, and what it is from there. */
//= angle_parts
typedef struct {
    int place;
    double rest;
} hci_angle_parts;

/* With a slope's nearest c = k / 32 it is that of c and the arc tangent of (y - c x) / (x + c
 * y), of which both are exact. That quotient is two floats: an estimate, and what it lacks. It
 * is made less by 2^-44 of itself: an angle is below its tangent, perhaps by less than double
 * can tell, where that is a number where half rounds. */
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
    /* Of each its sign is what tells: */
    int steep = __float_as_int(fabsf(x)) - __float_as_int(fabsf(y)), left = __float_as_int(x);
    int place = (__float_as_int(shifted) & 63) | (steep >> 31 & 64) | (left >> 31 & 128);
    double rest = hci_turned_double(__fma_rn(cube, series, t), steep ^ left);
    return HCI_MAKE(hci_angle_parts){place, rest};
}

/* Where there is no slope: both are 0, or one an infinity or a NaN. */
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
hci_IN_DOUBLE(pow, hci_pow_in_double, hci_powers_rarely, hci_rare_pow)

//= device_powr easy_powr is_hard_powr hard_powr
hci_IN_DOUBLE(powr, hci_power_in_double, hci_powrs_rarely, hci_rare_powr)

//= device_logaddexp easy_logaddexp is_hard_logaddexp hard_logaddexp
hci_IN_DOUBLE(logaddexp, hci_logaddexp_in_double, hci_adds_rarely, hci_rare_logaddexp)

//= device_logaddexp2 easy_logaddexp2 is_hard_logaddexp2 hard_logaddexp2
hci_IN_DOUBLE(logaddexp2, hci_logaddexp2_in_double, hci_adds_rarely, hci_rare_logaddexp2)

//= device_atan2 easy_atan2 is_hard_atan2 hard_atan2
hci_IN_DOUBLE(atan2, hci_atan2_in_double, hci_turns_rarely, hci_rare_atan2)

//= device_atan2pi easy_atan2pi is_hard_atan2pi hard_atan2pi
hci_IN_DOUBLE(atan2pi, hci_atan2pi_in_double, hci_turns_rarely, hci_rare_atan2pi)
