/* Powers: 2^(y log2 |x|), and the sign. */
#include "coefficients.h"
#include "refined.h"

/* How far the approximations may be off, in units of float's last place. Measured: powers 1.2,
 * by products 1.9, roots 1. */
enum { POWER_SLACK = 2 };

/* Powers with the same exponent for all, where that makes them an operation of its own. */

/* For n > 0. */
static bool all_same(const void *p, size_t n, size_t size)
{
    return memcmp(p, (const char *)p + size, (n - 1) * size) == 0;
}

/* The root, but of -0 and of -infinity the power has another sign. */
ALWAYS_INLINE vf root_as_power(vf x, halfcl_rounding mode)
{
    (void)mode;
    vm odd_one = vm_or(vf_equal(x, vf_set(0)), vf_equal(x, vf_set(-INFINITY)));
    return vf_sqrt(vf_select(odd_one, vf_abs(x), x));
}

FLOAT_UNARY(root_power, root_as_power, NEVER_TINY)

static halfcl_loop *operation_for(float exponent)
{
    return exponent == 2      ? square
           : exponent == 0.5f ? root_power
           : exponent == -1   ? reciprocal
                              : NULL;
}

/* Of n > 0 exponents, with the first as a float; or any, where that is not for all. */
static unsigned powers(void *const *args, size_t n, halfcl_rounding mode, float first,
                       size_t size, halfcl_loop *any)
{
    halfcl_loop *operation = operation_for(first);
    if (operation && all_same(args[1], n, size))
        return operation((void *const[]){args[0], args[2]}, n, mode);
    return any(args, n, mode);
}

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

/* size^y, if few operations make it, and one rounding at most. */
static double short_power_in_double(double size, double y, bool *settled)
{
    double steps = fabs(y);
    if (y == 0.5) {
        *settled = true;
        return sqrt_in_double(size);
    }
    if (steps > 4 || steps != rint(steps))
        return NAN;
    double square = (steps >= 1 ? size : 1) * (steps >= 2 ? size : 1);
    double power = square * ((steps >= 3 ? size : 1) * (steps >= 4 ? size : 1));
    bool power_of_two = bits_of_double(power) << 12 == 0;
    *settled = y >= 0 || power_of_two;
    return y < 0 ? 1 / power : power;
}

static bool is_odd(double integer)
{
    return rint(integer / 2) != integer / 2;
}

static double pow_refined(double x, double y, bool *settled)
{
    if (!isfinite(x) || !isfinite(y) || (x < 0 && y != rint(y)))
        return NAN;
    if (x == 0) {
        *settled = y > 0;
        return y > 0 && y == rint(y) && is_odd(y) ? x : 0;
    }
    double size = fabs(x), power = short_power_in_double(size, y, settled);
    if (isnan(power)) {
        double t = y * log2_in_double(size);
        bool beyond = fabs(t) > 100; /* half's range */
        power = exp2_in_double(beyond ? copysign(100, t) : t);
        *settled = beyond || t == 0; /* 0 only where size is 1 */
    }
    return x < 0 && is_odd(y) ? -power : power;
}

static double powr_refined(double x, double y, bool *settled)
{
    return x < 0 ? NAN : pow_refined(fabs(x), y, settled);
}

/* The n-th root of size, if it is exact or as sqrt_in_double has it. */
static double short_root_in_double(double size, double n, bool *settled)
{
    *settled = n == 1 || n == 2;
    return n == 1 ? size : n == 2 ? sqrt_in_double(size) : NAN;
}

static double rootn_refined(double x, double n, bool *settled)
{
    if (!isfinite(x) || x == 0 || n == 0 || (x < 0 && !is_odd(n)))
        return NAN;
    double size = fabs(x), root = short_root_in_double(size, n, settled);
    if (isnan(root)) {
        root = exp2_in_double(log2_in_double(size) / n);
        double shorter = (float)root; /* the only one that may be exact */
        *settled = n == 3 && shorter * shorter * shorter == size;
        root = *settled ? shorter : root;
    }
    return x < 0 ? -root : root;
}

#define DECIDE_POWER(name, refined, slow)                                                      \
    static float name##_decide(const uint16_t *a, const void *second, size_t k,                \
                               unsigned *flags)                                                \
    {                                                                                          \
        const int32_t *b = second;                                                             \
        float result;                                                                          \
        if (refine(refined, float_of_half(a[k]), b[k], &result))                               \
            return result;                                                                     \
        leave_vectors();                                                                       \
        return slow(a[k], b[k], flags);                                                        \
    }

DECIDE_POWER(pown, pow_refined, pown_slow)
DECIDE_POWER(rootn, rootn_refined, rootn_slow)

#if VECTOR_FUNCTIONS

/* log2(x) = hi + lo, where hi has 13 bits: its product with a half is exact. In doubt unless x
 * is finite and > 0.
 *
 * Near 1 the logarithm is as accurate relatively as elsewhere: with s = factor * x - scale,
 * which is exact, log2(x) is exponent + step + log2(1 + s / scale), and the last term is s and
 * a correction of 1/40 of s or less. */
typedef struct {
    vf hi, lo;
} log2_parts;

ALWAYS_INLINE log2_parts log2_of(vf x)
{
    vf significand = vn_significand(x);
    vi interval = vi_shift_right(vf_bits(significand), 23 - 5);
    vf step = vn_add(vn_exponent(x), vf_look_up32(log2_steps, interval));
    vf s = vn_fma(significand, vf_look_up32(log2_factors, interval), vf_set(-log2_scale));
    vf correction = POLYNOMIAL(s, log2_correction);
    vf sum = vn_add(step, vn_fma(s, correction, s));
    vf hi = vf_of_bits(vi_and(vf_bits(sum), vi_set(-(1 << 11))));
    vf lo = vn_add(vn_sub(step, hi), s);
    return (log2_parts){hi, vn_fma(s, correction, lo)};
}

/* 2^(t + a b), for |a b| < 2^-7 where the result is in half's range. Beyond float's it is 0 or
 * infinite, and so in doubt. */
ALWAYS_INLINE vf exp2_of(vf t, vf a, vf b)
{
    const vf shift = vf_set(0x1.8p19f); /* leaves 4 bits of the fraction */
    vf shifted = vn_add(t, shift), rounded = vn_sub(shifted, shift);
    vf f = vn_fma(a, b, vn_sub(t, rounded));
    vf power = vf_look_up16(exp2_steps, vf_bits(shifted));
    vf growth = POLYNOMIAL(f, exp2_growth);
    return vn_scale(vn_fma(vn_mul(power, f), growth, power), rounded);
}

/* x^y for x > 0. */
ALWAYS_INLINE vf pow_of(vf x, vf y, vm *settled)
{
    (void)settled;
    log2_parts log = log2_of(x);
    return exp2_of(vn_mul(y, log.hi), y, log.lo);
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

/* x^y for finite x >= 0, and a y that makes it a product, an inverse or a square root. */
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
    vf power = x, rest = vf_set(0);
    *settled = vm_none();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        vm here = vf_equal(y, vf_set(rows[k].y));
        power = vf_select(here, rows[k].power, power);
        rest = vf_select(here, rows[k].rest, rest);
        *settled = vm_or(*settled, here);
    }
    *settled = vm_and_not(*settled, vf_special(rest)); /* of 1 / 0 */
    return to_odd(power, rest);
}

/* |x|^y for finite x and y: short powers, what approximation is sure of, what is far beyond
 * half's range, and powers of 0 and 1. */
ALWAYS_INLINE vf size_of_power(vf x, vf y, vm *settled)
{
    vf size = vf_abs(x), short_one = short_power(size, y, settled);
    vm special = vf_special(vf_add(x, y)), exact = vm_and_not(*settled, special);
    *settled = exact;
    if (!vm_any(vm_not(exact)))
        return short_one;
    vf t = vf_mul(y, log2_of(size).hi), result = pow_of(size, y, settled);
    vm sure = vm_not(vf_doubtful(result, POWER_SLACK, vm_none()));
    vm beyond = vm_and_not(vf_less(vf_set(100), vf_abs(t)), vf_special(t));
    vm one = vf_equal(size, vf_set(1)), zero = vf_equal(x, vf_set(0));
    zero = vm_and(zero, vf_less(vf_set(0), y));
    result = vf_select(beyond, vf_scale(vf_set(1), vf_copysign(vf_set(100), t)), result);
    result = vf_select(one, vf_set(1), vf_select(zero, vf_set(0), result));
    *settled = vm_and_not(vm_or(vm_or(sure, beyond), vm_or(one, zero)), special);
    *settled = vm_or(*settled, exact);
    return vf_select(exact, short_one, result);
}

ALWAYS_INLINE vm is_integral(vf y)
{
    return vf_equal(vf_rint(y), y);
}

ALWAYS_INLINE vf pow_settle(vf x, vf y, vm *settled)
{
    vf size = size_of_power(x, y, settled);
    vm integral = is_integral(y), even = is_integral(vf_mul(y, vf_set(0.5f)));
    vm negative = vm_and_not(integral, even);
    *settled = vm_and_not(*settled, vm_and_not(vf_less(x, vf_set(0)), integral));
    return vf_select(negative, vf_copysign(size, x), size);
}

ALWAYS_INLINE vf powr_settle(vf x, vf y, vm *settled)
{
    vf result = size_of_power(x, y, settled);
    vm zero_to_zero = vf_equal(vf_max(x, vf_abs(y)), vf_set(0));
    *settled = vm_and_not(*settled, vm_or(vf_less(x, vf_set(0)), zero_to_zero));
    return result;
}

/* The second operand as it is in memory: an int32 in the lanes of a vector of floats. */
ALWAYS_INLINE vf load_integers(const void *b, size_t at, size_t count)
{
    const int32_t *n = ahead_of((const int32_t *)b + at);
    return vf_of_bits(count < LANES ? vi_load_n(n, count, vi_set(1)) : vi_load_32(n));
}

/* The same, if they are all equal. */
ALWAYS_INLINE vf load_one_integer(const void *b, size_t at, size_t count)
{
    (void)count;
    return vf_of_bits(vi_set(((const int32_t *)b)[at]));
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

/* A product of x, x^2 and x^4, for few factors. The square is exact, and so are other products,
 * if x is short. */
enum { FEW_FACTORS = 6, WAY_BLOCK = 512 };

ALWAYS_INLINE vf product_of(vf x, vi factors)
{
    vf square = vn_mul(x, x), fourth = vn_mul(square, square);
    vf power = vf_select(vi_has(factors, 1), x, vf_set(1));
    power = vn_mul_where(vi_has(factors, 2), power, square);
    return vn_mul_where(vi_has(factors, 4), power, fourth);
}

ALWAYS_INLINE vm is_exact_product(vf x, vi n)
{
    vm is_short = vi_has_none(vf_bits(x), (1 << 20) - 1); /* 4 bits */
    vm exact = vm_or(vi_below(n, vi_set(3)), is_short);
    return vm_and(exact, vf_equal(x, x)); /* no NaN: it may be signalling */
}

/* For n < FEW_FACTORS. */
ALWAYS_INLINE vf pown_by_product(vf x, vf y, vm *settled)
{
    *settled = is_exact_product(x, vf_bits(y));
    return product_of(x, vf_bits(y));
}

/* 1 / x, by an estimate and two terms of the series of 1 / (1 - rest). */
ALWAYS_INLINE vf inverse_of(vf x)
{
    vf estimate = vf_reciprocal_estimate(x), rest = vn_fnma(x, estimate, vf_set(1));
    return vn_fma(estimate, vn_fma(rest, rest, rest), estimate);
}

/* For |n| < FEW_FACTORS. */
ALWAYS_INLINE vf pown_by_quotient(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    vf power = product_of(x, vi_abs(n));
    vm inverted = vf_sign(y);
    *settled = vm_and_not(is_exact_product(x, n), inverted);
    return vf_select(inverted, inverse_of(power), power);
}

ALWAYS_INLINE vf pown_by_logarithm(vf x, vf y, vm *settled)
{
    (void)settled;
    vi n = vf_bits(y);
    log2_parts log = log2_of(vf_abs(x));
    vf factor = float_of(n), t = vn_mul(factor, log.hi);
    vf excess = vn_fnma(factor, log.hi, t); /* n may have more than 11 bits */
    vf rest = vn_sub(vn_mul(factor, log.lo), excess);
    return with_sign_of_power(exp2_of(t, vf_set(1), rest), x, n);
}

ALWAYS_INLINE vf pown_settle(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    vf factor = float_of(n), size = size_of_power(x, factor, settled);
    return with_sign_of_power(size, x, n);
}

/* 1 / n = inverse * (1 + rest), where inverse has 11 bits. */
ALWAYS_INLINE vf rootn_of(vf x, vf y, vm *settled)
{
    vi n = vf_bits(y);
    vf divisor = float_of(n), size = vf_select(vi_has(n, 1), vf_abs(x), x);
    log2_parts log = log2_of(size);
    vi bits = vi_add(vf_bits(vn_div(vf_set(1), divisor)), vi_set(1 << 12));
    vf inverse = vf_of_bits(vi_and(bits, vi_set(-(1 << 13))));
    vf rest = vn_fnma(divisor, inverse, vf_set(1));
    rest = vn_fma(rest, rest, rest);
    vf lo = vn_fma(rest, vn_add(log.hi, log.lo), log.lo);
    vf root = exp2_of(vn_mul(inverse, log.hi), inverse, lo);
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

/* Loops for all kinds of exponents: one small one, small ones, any. */

#define WAY(name, load_b, op)                                                                  \
    FIRST_PHASE2(name, load_b, op, POWER_SLACK)                                                \
    ONE_PHASE2(name, load_b, sizeof(int32_t), op, POWER_SLACK)

WAY(products, load_one_integer, pown_by_product)
WAY(quotients, load_integers, pown_by_quotient)
WAY(logarithms, load_integers, pown_by_logarithm)

typedef struct {
    one_phase2 *certain;
    first_phase2 *phase;
} way;

static const way by_products = {products_certain, products_phase};
static const way by_quotients = {quotients_certain, quotients_phase};
static const way by_logarithms = {logarithms_certain, logarithms_phase};

ALWAYS_INLINE vi load_exponents(const int32_t *n, size_t count)
{
    return count < LANES ? vi_load_n(n, count, vi_set(n[0])) : vi_load_32(n);
}

ALWAYS_INLINE bool all_few(const int32_t *n, size_t count)
{
    vi most = vi_set(0);
    for (size_t i = 0; i < count; i += LANES)
        most = vi_highest(most, vi_abs(load_exponents(n + i, count - i)));
    return !vm_any(vm_not(vi_below(most, vi_set(FEW_FACTORS))));
}

static const way *way_for(const int32_t *n, size_t count)
{
    if (0 <= n[0] && n[0] < FEW_FACTORS && all_same(n, count, sizeof *n))
        return &by_products;
    return all_few(n, count) ? &by_quotients : &by_logarithms;
}

static size_t pown_certain(void *const *args, size_t start, size_t n, halfcl_rounding mode,
                           acc *seen, queue *late)
{
    while (EMBEDDED_ROUNDING && start + PAIR <= n) {
        size_t stop = n - start < WAY_BLOCK ? n : start + WAY_BLOCK;
        const way *here = way_for((const int32_t *)args[1] + start, stop - start);
        start = here->certain(args, start, stop, mode, seen, late);
        if (start + PAIR <= stop)
            break; /* in too much doubt */
    }
    return start;
}

static void pown_phase(const uint16_t *a, const void *b, size_t start, size_t n, float *y,
                       char *doubts)
{
    way_for((const int32_t *)b + start, n)->phase(a, b, start, n, y, doubts);
}

FUNCTION2_KERNEL(pown, _any, load_integers, pown_settle)
MAP_FUNCTION2(rootn, _ei, load_integers, sizeof(int32_t), rootn_of, POWER_SLACK, rootn_settle)

#else

KERNEL(pown_any, map_decided(args, n, mode, pown_decide))
KERNEL(rootn_ei, map_decided(args, n, mode, rootn_decide))

#endif

FUNCTION2(pow_any, pow_of, POWER_SLACK, pow_settle, pow_refined, pow_slow)
FUNCTION2(powr, pow_of, POWER_SLACK, powr_settle, powr_refined, powr_slow)

static unsigned pow_ee(void *const *args, size_t n, halfcl_rounding mode)
{
    const uint16_t *y = args[1];
    return powers(args, n, mode, float_of_half(y[0]), sizeof *y, pow_any_ee);
}

static unsigned pown_ei(void *const *args, size_t n, halfcl_rounding mode)
{
    const int32_t *y = args[1];
    return powers(args, n, mode, (float)y[0], sizeof *y, pown_any);
}

#define POWER_KERNELS                                                                          \
    {"pow", "ee>e", pow_ee}, {"powr", "ee>e", powr_ee}, {"pown", "ei>e", pown_ei},             \
        {"rootn", "ei>e", rootn_ei},
