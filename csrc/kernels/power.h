/* Powers: 2^(y log2 |x|), and the sign. */
#include "coefficients.h"
#include "function.h"

/* How far the approximations may be off, in units of float's last place. */
enum { POW_SLACK = 4, POWN_SLACK = 4, ROOTN_SLACK = 4 };

/* The slow ways. */

static bool is_one(uint16_t x, uint16_t y)
{
    return x == HALF_ONE || (y & HALF_MAGNITUDE) == 0;
}

/* 1^y and x^0 are 1, of NaNs too; signalling ones raise invalid all the same. */
static float pow_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    float result = halfcl_evaluate(dd_pow, x, y, flags);
    return is_one(x, y) ? 1 : result;
}

static float powr_slow(uint16_t x, uint16_t y, unsigned *flags)
{
    return halfcl_evaluate(dd_powr, x, y, flags);
}

/* x^0 is 1, of a NaN too. */
static float pown_slow(uint16_t x, int32_t n, unsigned *flags)
{
    float result = halfcl_evaluate_power(dd_pown, x, n, flags);
    return n == 0 ? 1 : result;
}

static float rootn_slow(uint16_t x, int32_t n, unsigned *flags)
{
    return halfcl_evaluate_power(dd_rootn, x, n, flags);
}

/* In double. */

/* log2(x) for x > 0: the exponent and 2 atanh((m - 1) / (m + 1)) / log(2), by its series. */
static double log2_in_double(double x)
{
    static const double scale = 2.8853900817779268147, root_half = 0.70710678118654752440;
    int exponent;
    double m = frexp(x, &exponent);
    if (m < root_half) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), z = s * s, zz = z * z, zzzz = zz * zz;
    double low = (1.0 / 3 + z * (1.0 / 5)) + zz * (1.0 / 7 + z * (1.0 / 9));
    double high = (1.0 / 11 + z * (1.0 / 13)) + zz * (1.0 / 15 + z * (1.0 / 17));
    double tail = z * (low + zzzz * high);
    return exponent + scale * (s + s * tail);
}

/* 2^t for |t| <= 100: a power of two and e^f, by its series. */
static double exp2_in_double(double t)
{
    static const double log_2 = 0.69314718055994530942;
    double k = rint(t), f = (t - k) * log_2, ff = f * f, ffff = ff * ff;
    double low = (1.0 / 2 + f * (1.0 / 6)) + ff * (1.0 / 24 + f * (1.0 / 120));
    double high = (1.0 / 720 + f * (1.0 / 5040)) + ff * (1.0 / 40320 + f * (1.0 / 362880));
    double top = 1.0 / 3628800 + f * (1.0 / 39916800);
    double growth = f + ff * (low + ffff * (high + ffff * top));
    return ldexp(1 + growth, (int)k);
}

/* |x|^y for finite x, if it is a product of few factors; so short that it is exact. */
static bool is_small_power(double y)
{
    return y == rint(y) && y >= 0 && y <= 4;
}

static double small_power(double x, double y)
{
    double product = 1;
    for (int i = 0; i < y; i++)
        product *= x;
    return product;
}

static bool is_odd(double integer)
{
    return rint(integer / 2) != integer / 2;
}

static double pow_refined(double x, double y, bool *settled)
{
    bool negative = x < 0;
    if (!isfinite(x) || !isfinite(y) || x == 0 || (negative && y != rint(y)))
        return NAN;
    if (is_small_power(y)) {
        *settled = true;
        return small_power(x, y);
    }
    double t = y * log2_in_double(fabs(x));
    double size = exp2_in_double(fmax(fmin(t, 100), -100));
    *settled = fabs(t) > 100;
    return negative && is_odd(y) ? -size : size;
}

static double powr_refined(double x, double y, bool *settled)
{
    return x < 0 ? NAN : pow_refined(x, y, settled);
}

static double rootn_refined(double x, double n, bool *settled)
{
    if (!isfinite(x) || x == 0 || n == 0 || (x < 0 && !is_odd(n)))
        return NAN;
    double root = exp2_in_double(log2_in_double(fabs(x)) / n);
    double shorter = (float)root; /* the only one that may be exact */
    if (is_small_power(n) && small_power(shorter, n) == fabs(x)) {
        *settled = true;
        root = shorter;
    }
    return x < 0 ? -root : root;
}

#define DECIDE_POWER(name, refined, slow)                                                      \
    static float name##_decide(const uint16_t *a, const void *second, size_t k,                \
                               unsigned *flags)                                                \
    {                                                                                          \
        const int32_t *b = second;                                                             \
        float result;                                                                          \
        if (refine(refined, halfcl_to_float(a[k]), b[k], &result))                             \
            return result;                                                                     \
        return slow(a[k], b[k], flags);                                                        \
    }

DECIDE_POWER(pown, pow_refined, pown_slow)
DECIDE_POWER(rootn, rootn_refined, rootn_slow)

#if VECTOR_FUNCTIONS

/* log2(x) = hi + lo, where hi has 13 bits: its product with a half is exact. In doubt unless x
 * is finite and > 0.
 *
 * Near 1 the logarithm is as accurate relatively as elsewhere: with s = factor * x - 23/16,
 * which is exact, log2(x) is exponent + step + log2(1 + s / (23/16)), and the last term is s
 * plus a correction 40 times smaller or more. */
typedef struct {
    vf hi, lo;
} log2_parts;

ALWAYS_INLINE log2_parts log2_of(vf x)
{
    vf significand = vf_significand(x);
    vi interval = vi_shift_right(vf_bits(significand), 23 - 5);
    vf step = vf_add(vf_exponent(x), vf_look_up32(log2_steps, interval));
    vf s = vf_fma(significand, vf_look_up32(log2_factors, interval), vf_set(-23.0f / 16));
    vf correction = vf_set(log2_correction[4]);
    for (int k = 3; k >= 0; k--)
        correction = vf_fma(correction, s, vf_set(log2_correction[k]));
    vf sum = vf_add(step, vf_fma(s, correction, s));
    vf hi = vf_of_bits(vi_and(vf_bits(sum), vi_set(-(1 << 11))));
    vf lo = vf_add(vf_sub(step, hi), s);
    return (log2_parts){hi, vf_fma(s, correction, lo)};
}

/* 2^(t + a b), for |a b| < 2^-7 where the result is in half's range. Beyond float's it is 0 or
 * infinite, and so in doubt. */
ALWAYS_INLINE vf exp2_of(vf t, vf a, vf b)
{
    const vf shift = vf_set(0x1.8p19f); /* leaves 4 bits of the fraction */
    vf shifted = vf_add(t, shift), rounded = vf_sub(shifted, shift);
    vf f = vf_fma(a, b, vf_sub(t, rounded));
    vf power = vf_look_up16(exp2_steps, vf_bits(shifted));
    vf growth = vf_fma(vf_set(exp2_growth[2]), f, vf_set(exp2_growth[1]));
    growth = vf_fma(growth, f, vf_set(exp2_growth[0]));
    return vf_scale(vf_fma(vf_mul(power, f), growth, power), rounded);
}

/* x^y for x > 0. */
ALWAYS_INLINE vf pow_of(vf x, vf y, vm *settled)
{
    (void)settled;
    log2_parts log = log2_of(x);
    return exp2_of(vf_mul(y, log.hi), y, log.lo);
}

/* What settles lanes that are in doubt. */

/* The value to odd, where rest is what it lacks after rounding to nearest. */
ALWAYS_INLINE vf to_odd(vf value, vf rest)
{
    vm inexact = vm_not(vf_equal(rest, vf_set(0)));
    vm beyond = vi_less(vi_xor(vf_bits(value), vf_bits(rest)), vi_set(0));
    vi down = vi_select(vm_and(inexact, beyond), vi_set(1), vi_set(0));
    vi odd = vi_select(inexact, vi_set(1), vi_set(0));
    return vf_of_bits(vi_or(vi_sub(vf_bits(value), down), odd));
}

/* x^y for finite x >= 0 and y of the few that make it a product or a square root. */
ALWAYS_INLINE vf short_power(vf x, vf y, vm *settled)
{
    vf square = vf_mul(x, x), cube = vf_mul(square, x), fourth = vf_mul(square, square);
    vf root = vf_sqrt(x), inverse = vf_div(vf_set(1), x);
    const struct {
        float y;
        vf power, rest;
    } rows[] = {
        {-1, inverse, vf_fnma(inverse, x, vf_set(1))},
        {0, vf_set(1), vf_set(0)},
        {0.5f, root, vf_fnma(root, root, x)},
        {1, x, vf_set(0)},
        {2, square, vf_set(0)},
        {3, cube, vf_fma(square, x, vf_sub(vf_set(0), cube))},
        {4, fourth, vf_fma(square, square, vf_sub(vf_set(0), fourth))},
    };
    vf result = x;
    *settled = vm_none();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        vm here = vf_equal(y, vf_set(rows[k].y));
        here = vm_and_not(here, vf_special(rows[k].rest)); /* 1 / 0 */
        result = vf_select(here, to_odd(rows[k].power, rows[k].rest), result);
        *settled = vm_or(*settled, here);
    }
    return result;
}

/* |x|^y, for finite x and y. */
ALWAYS_INLINE vf size_of_power(vf x, vf y, int slack, vm *settled)
{
    vf size = vf_abs(x), t = vf_mul(y, log2_of(size).hi);
    vf result = pow_of(size, y, settled);
    *settled = vm_not(vf_doubtful(result, slack, vm_none()));

    vm beyond = vm_and_not(vf_less(vf_set(100), vf_abs(t)), vf_special(t)); /* half's range */
    result = vf_select(beyond, vf_scale(vf_set(1), vf_copysign(vf_set(100), t)), result);
    *settled = vm_or(*settled, beyond);

    vm exact;
    vf power = short_power(size, y, &exact);
    result = vf_select(exact, power, result);
    *settled = vm_or(*settled, exact);

    vm one = vf_equal(size, vf_set(1)), zero = vf_equal(x, vf_set(0));
    zero = vm_and(zero, vf_less(vf_set(0), y));
    result = vf_select(one, vf_set(1), vf_select(zero, vf_set(0), result));
    *settled = vm_or(*settled, vm_or(one, zero));
    *settled = vm_and_not(*settled, vf_special(vf_add(x, y)));
    return result;
}

ALWAYS_INLINE vm is_integral(vf y)
{
    return vf_equal(vf_rint(y), y);
}

ALWAYS_INLINE vf pow_settle(vf x, vf y, vm *settled)
{
    vf size = size_of_power(x, y, POW_SLACK, settled);
    vm integral = is_integral(y), even = is_integral(vf_mul(y, vf_set(0.5f)));
    vm negative = vm_and_not(integral, even);
    *settled = vm_and_not(*settled, vm_and_not(vf_less(x, vf_set(0)), integral));
    return vf_select(negative, vf_copysign(size, x), size);
}

ALWAYS_INLINE vf powr_settle(vf x, vf y, vm *settled)
{
    vf result = size_of_power(x, y, POW_SLACK, settled);
    vm zero_to_zero = vf_equal(vf_max(x, vf_abs(y)), vf_set(0));
    *settled = vm_and_not(*settled, vm_or(vf_less(x, vf_set(0)), zero_to_zero));
    return result;
}

/* The second operand as it is in memory: an int32 in the lanes of a vector of floats. */
ALWAYS_INLINE vf load_integers(const void *b, size_t at, size_t count)
{
    const int32_t *n = (const int32_t *)b + at;
    int32_t part[LANES] = {0};
    if (count == LANES)
        return vf_of_bits(vi_load_32(n));
    memcpy(part, n, count * sizeof *n);
    return vf_of_bits(vi_load_32(part));
}

/* As a float; what is beyond 2^18 has no other powers and roots in half. */
ALWAYS_INLINE vf float_of(vi n)
{
    return vf_of_int(vi_max(vi_min(n, vi_set(1 << 18)), vi_set(-(1 << 18))));
}

/* Gives a size the sign of x where n is odd. */
ALWAYS_INLINE vf with_sign_of_power(vf size, vf x, vi n)
{
    vi sign = vi_and(vf_bits(x), vi_shift_left(n, 31));
    return vf_of_bits(vi_or(vf_bits(size), sign));
}

/* |n| < 8: the product of x, x^2 and x^4 or its inverse. Up to the square it is exact. */
ALWAYS_INLINE vf pown_by_products(vf x, vi n, vm *settled)
{
    vi count = vi_abs(n);
    vf square = vf_mul(x, x), fourth = vf_mul(square, square);
    vf power = vf_select(vi_has(count, 1), x, vf_set(1));
    power = vf_select(vi_has(count, 2), vf_mul(power, square), power);
    power = vf_select(vi_has(count, 4), vf_mul(power, fourth), power);
    *settled = vm_and_not(vi_below(n, vi_set(3)), vf_special(power));
    return vf_select(vi_less(n, vi_set(0)), vf_div(vf_set(1), power), power);
}

ALWAYS_INLINE vf pown_of(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    if (!vm_any(vm_not(vi_below(vi_abs(n), vi_set(8)))))
        return pown_by_products(x, n, settled);
    log2_parts log = log2_of(vf_abs(x));
    vf factor = float_of(n), t = vf_mul(factor, log.hi);
    vf excess = vf_fnma(factor, log.hi, t); /* n may have more than 11 bits */
    vf rest = vf_sub(vf_mul(factor, log.lo), excess);
    return with_sign_of_power(exp2_of(t, vf_set(1), rest), x, n);
}

ALWAYS_INLINE vf pown_settle(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    vf factor = float_of(n), size = size_of_power(x, factor, POWN_SLACK, settled);
    return with_sign_of_power(size, x, n);
}

/* 1 / n = inverse * (1 + rest), where inverse has 11 bits. */
ALWAYS_INLINE vf rootn_of(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    vf divisor = float_of(n), size = vf_select(vi_has(n, 1), vf_abs(x), x);
    log2_parts log = log2_of(size);
    vf inverse = vf_reciprocal_estimate(divisor);
    inverse = vf_of_bits(vi_and(vf_bits(inverse), vi_set(-(1 << 13))));
    vf rest = vf_fnma(divisor, inverse, vf_set(1));
    rest = vf_fma(rest, rest, rest);
    vf root = exp2_of(vf_mul(inverse, log.hi), inverse, vf_fma(rest, log.hi, log.lo));
    vm itself = vm_and_not(vi_equal(n, vi_set(1)), vf_special(x));
    *settled = itself;
    return vf_select(itself, x, with_sign_of_power(root, x, n));
}

/* Exact roots with small n, and those of 0 and 1. */
ALWAYS_INLINE vf rootn_settle(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    vf size = vf_abs(x), root = vf_abs(rootn_of(x, y, settled)), zero = vf_set(0);
    root = vf_of_bits(vi_and(vi_add(vf_bits(root), vi_set(1 << 11)), vi_set(-(1 << 12))));
    vf square = vf_mul(root, root);
    vf rests[] = {vf_sub(size, square), vf_fnma(square, root, size),
                  vf_fnma(square, square, size)};
    vm some = vm_none();
    for (int k = 0; k < 3; k++)
        some = vm_or(some, vm_and(vi_equal(n, vi_set(k + 2)), vf_equal(rests[k], zero)));
    vm one = vm_and_not(vf_equal(size, vf_set(1)), vi_equal(n, vi_set(0)));
    vm none = vm_and(vf_equal(x, zero), vi_less(vi_set(0), n));
    root = vf_select(one, vf_set(1), vf_select(none, zero, root));
    vm real = vm_or(vi_has(n, 1), vm_not(vf_less(x, zero)));
    *settled = vm_and(real, vm_or(some, vm_or(one, none)));
    return with_sign_of_power(root, x, n);
}

#define FUNCTION_POWER(name, slack)                                                            \
    MAP_FUNCTION2(name, _ei, load_integers, name##_of, slack, name##_settle)

#else

#define FUNCTION_POWER(name, slack) KERNEL(name##_ei, map_decided(args, n, mode, name##_decide))

#endif

FUNCTION2(pow, pow_of, POW_SLACK, pow_settle, pow_refined, pow_slow)
FUNCTION2(powr, pow_of, POW_SLACK, powr_settle, powr_refined, powr_slow)
FUNCTION_POWER(pown, POWN_SLACK)
FUNCTION_POWER(rootn, ROOTN_SLACK)

#define POWER_KERNELS                                                                          \
    {"pow", "ee>e", pow_ee}, {"powr", "ee>e", powr_ee}, {"pown", "ei>e", pown_ei},             \
        {"rootn", "ei>e", rootn_ei},
