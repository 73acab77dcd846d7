/* Loops in plain C, which compilers vectorise. Lower bounds are computed while the processor
 * rounds down, and upper ones while it rounds up: by two functions, which are called through a
 * table, so that no operation moves from one mode to the other. */
#include "run/double_functions.h"

#include <math.h>
#include <string.h>

enum { BLOCK = HALFCL_INTERVALS_BLOCK };

typedef const void *const *operands_at;

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

static inline bool is_number(double x)
{
    return x == x;
}

/* Returns a product or a quotient of bounds, where 0 * inf, 0 / 0 and inf / inf are 0. */
static inline double defined(double x)
{
    return is_number(x) ? x : 0.0;
}

static inline double if_numbers(double x, double y, double result)
{
    result = is_number(x) ? result : x;
    return is_number(y) ? result : y;
}

/* Return the least and the greatest magnitude. */
static inline double least_magnitude(double lo, double hi)
{
    double least = lesser(fabs(lo), fabs(hi));
    least = lo < 0 ? (hi > 0 ? 0.0 : least) : least;
    return least;
}

static inline double greatest_magnitude(double lo, double hi)
{
    return greater(fabs(lo), fabs(hi));
}

/* ------------------------------------------------------------ operations that round */

/* Defines a function of intervals [a, b] and [c, d] for one of the bounds. */
#define BOUND(name, RESULT)                                                                    \
    static void name(operands_at in, double *restrict out, size_t n)                           \
    {                                                                                          \
        const double *a_ = in[0], *b_ = in[1], *c_ = in[2], *d_ = in[3];                       \
        for (size_t i = 0; i < n; i++) {                                                       \
            double a = a_[i], b = b_[i], c = c_[i], d = d_[i];                                 \
            (void)a, (void)b, (void)c, (void)d;                                                \
            out[i] = (RESULT);                                                                 \
        }                                                                                      \
    }

/* Defines a function of one interval [a, b] for one of the bounds. */
#define BOUND_OF_ONE(name, RESULT)                                                             \
    static void name(operands_at in, double *restrict out, size_t n)                           \
    {                                                                                          \
        const double *a_ = in[0], *b_ = in[1];                                                 \
        for (size_t i = 0; i < n; i++) {                                                       \
            double a = a_[i], b = b_[i];                                                       \
            (void)a, (void)b;                                                                  \
            out[i] = (RESULT);                                                                 \
        }                                                                                      \
    }

static inline double least_product(double a, double b, double c, double d)
{
    double one = lesser(defined(a * c), defined(a * d));
    double other = lesser(defined(b * c), defined(b * d));
    return if_numbers(a, c, lesser(one, other));
}

static inline double greatest_product(double a, double b, double c, double d)
{
    double one = greater(defined(a * c), defined(a * d));
    double other = greater(defined(b * c), defined(b * d));
    return if_numbers(a, c, greater(one, other));
}

/* Give a bound that is 0 the sign of the side on which the other numbers lie. */
static inline double from_above(double lo)
{
    return lo == 0 ? 0.0 : lo;
}

static inline double from_below(double hi)
{
    return hi == 0 ? -0.0 : hi;
}

/* Returns a bound of a quotient by [c, d]. unbounded: an infinity of the bound's sign. */
static inline double by_zero(double a, double b, double c, double d, double quotient,
                             double unbounded)
{
    double across = a == 0 ? (b == 0 ? 0.0 : unbounded) : unbounded;
    double result = c < 0 ? (d > 0 ? across : quotient) : quotient;
    result = c == 0 ? (d == 0 ? NAN : result) : result;
    return if_numbers(a, c, result);
}

static inline double least_quotient(double a, double b, double c, double d)
{
    double above = from_above(c), below = from_below(d);
    double one = lesser(defined(a / above), defined(a / below));
    double other = lesser(defined(b / above), defined(b / below));
    return by_zero(a, b, c, d, lesser(one, other), -INFINITY);
}

static inline double greatest_quotient(double a, double b, double c, double d)
{
    double above = from_above(c), below = from_below(d);
    double one = greater(defined(a / above), defined(a / below));
    double other = greater(defined(b / above), defined(b / below));
    return by_zero(a, b, c, d, greater(one, other), INFINITY);
}

/* Returns a bound of the numbers whose products with a number of [c, d] may be in [a, b]. */
static inline double factor(double a, double b, double c, double d, double quotient,
                            double unbounded)
{
    bool is_any = (a <= 0) & (b >= 0) & (c <= 0) & (d >= 0);
    return is_any ? unbounded : quotient;
}

BOUND(add_down, a + c)
BOUND(add_up, b + d)
BOUND(subtract_down, a - d)
BOUND(subtract_up, b - c)
BOUND(multiply_down, least_product(a, b, c, d))
BOUND(multiply_up, greatest_product(a, b, c, d))
BOUND(divide_down, least_quotient(a, b, c, d))
BOUND(divide_up, greatest_quotient(a, b, c, d))
BOUND(factor_down, factor(a, b, c, d, least_quotient(a, b, c, d), -INFINITY))
BOUND(factor_up, factor(a, b, c, d, greatest_quotient(a, b, c, d), INFINITY))
BOUND_OF_ONE(square_down, least_magnitude(a, b) * least_magnitude(a, b))
BOUND_OF_ONE(square_up, greatest_magnitude(a, b) * greatest_magnitude(a, b))
BOUND_OF_ONE(sqrt_down, sqrt(b < 0 ? NAN : a < 0 ? 0.0 : a))
BOUND_OF_ONE(sqrt_up, sqrt(b < 0 ? NAN : b))

/* ------------------------------------------------------------ operations that do not round */

/* Defines a function of intervals [a, b] and [c, d], or of the first. */
#define EXACT(name, count, LO, HI)                                                             \
    static void name(operands_at in, double *restrict lo, double *restrict hi, size_t n)       \
    {                                                                                          \
        const double *a_ = in[0], *b_ = in[1], *c_ = in[count - 2], *d_ = in[count - 1];       \
        for (size_t i = 0; i < n; i++) {                                                       \
            double a = a_[i], b = b_[i], c = c_[i], d = d_[i];                                 \
            (void)c, (void)d;                                                                  \
            lo[i] = (LO);                                                                      \
            hi[i] = (HI);                                                                      \
        }                                                                                      \
    }

static inline double if_in_both(double a, double b, double c, double d, double result)
{
    result = greater(a, c) <= lesser(b, d) ? result : NAN;
    return if_numbers(a, c, result);
}

static inline double either(double x, double y, double result)
{
    result = is_number(y) ? result : x;
    return is_number(x) ? result : y;
}

EXACT(magnitudes, 2, least_magnitude(a, b), greatest_magnitude(a, b))
EXACT(negate, 2, -b, -a)
EXACT(minimum, 4, if_numbers(a, c, lesser(a, c)), if_numbers(b, d, lesser(b, d)))
EXACT(maximum, 4, if_numbers(a, c, greater(a, c)), if_numbers(b, d, greater(b, d)))
EXACT(intersect, 4, if_in_both(a, b, c, d, greater(a, c)), if_in_both(a, b, c, d, lesser(b, d)))
EXACT(hull, 4, either(a, c, lesser(a, c)), either(b, d, greater(b, d)))

static void choose(operands_at in, double *restrict lo, double *restrict hi, size_t n)
{
    const uint8_t *mask = in[0];
    const double *a = in[1], *b = in[2], *c = in[3], *d = in[4];
    for (size_t i = 0; i < n; i++) {
        double a_ = a[i], b_ = b[i], c_ = c[i], d_ = d[i];
        lo[i] = mask[i] ? a_ : c_;
        hi[i] = mask[i] ? b_ : d_;
    }
}

static void flip(operands_at in, double *restrict lo, double *restrict hi, size_t n)
{
    const uint8_t *mask = in[0];
    const double *a = in[1], *b = in[2];
    for (size_t i = 0; i < n; i++) {
        double low = a[i], high = b[i];
        lo[i] = mask[i] ? -high : low;
        hi[i] = mask[i] ? -low : high;
    }
}

/* The least ratio of sizes of which the geometric mean is taken. */
static const double RATIO = 16.0;

static inline double cut_point(double low, double high)
{
    double a = fabs(low), b = fabs(high), near = lesser(a, b), far = greater(a, b);
    double mean = copysign(sqrt(near) * sqrt(far), low);
    double doubled_low = greater(2 * low, 1.0), doubled_high = lesser(2 * high, -1.0);
    bool is_apart = ((low > 0) == (high > 0)) & ((low < 0) == (high < 0)) &
                    (far > RATIO * near) & (far < INFINITY);
    double at = is_apart ? mean : low / 2 + high / 2;
    at = high == INFINITY ? (low < 0 ? 0.0 : doubled_low) : at;
    return low == -INFINITY ? (high > 0 ? 0.0 : doubled_high) : at;
}

static void cut(operands_at in, double *restrict lo, double *restrict hi, size_t n)
{
    const double *a = in[0], *b = in[1];
    for (size_t i = 0; i < n; i++)
        lo[i] = hi[i] = cut_point(a[i], b[i]);
}

static inline double middle_of(double low, double high)
{
    double at = low / 2 + high / 2, end = fabs(low) < INFINITY ? low : high;
    end = fabs(end) < INFINITY ? end : 0.0;
    at = fabs(at) < INFINITY ? at : end;
    return if_numbers(low, high, lesser(greater(at, low), high));
}

static void middle(operands_at in, double *restrict lo, double *restrict hi, size_t n)
{
    const double *a = in[0], *b = in[1];
    for (size_t i = 0; i < n; i++)
        lo[i] = hi[i] = middle_of(a[i], b[i]);
}

/* ------------------------------------------------------------ all of them */

typedef struct {
    int operands;
    bool has_mask;
    void (*down)(operands_at in, double *out, size_t n);
    void (*up)(operands_at in, double *out, size_t n);
    halfcl_intervals_loop *outward; /* both bounds, rounding to nearest; NULL otherwise */
} loops;

static const loops LOOPS[HALFCL_INTERVALS_OPERATIONS] = {
    [HALFCL_INTERVALS_ADD] = {4, false, add_down, add_up, NULL},
    [HALFCL_INTERVALS_SUBTRACT] = {4, false, subtract_down, subtract_up, NULL},
    [HALFCL_INTERVALS_MULTIPLY] = {4, false, multiply_down, multiply_up, NULL},
    [HALFCL_INTERVALS_DIVIDE] = {4, false, divide_down, divide_up, NULL},
    [HALFCL_INTERVALS_FACTOR] = {4, false, factor_down, factor_up, NULL},
    [HALFCL_INTERVALS_SQUARE] = {2, false, square_down, square_up, NULL},
    [HALFCL_INTERVALS_SQRT] = {2, false, sqrt_down, sqrt_up, NULL},
    [HALFCL_INTERVALS_ABS] = {2, false, NULL, NULL, magnitudes},
    [HALFCL_INTERVALS_NEGATE] = {2, false, NULL, NULL, negate},
    [HALFCL_INTERVALS_MINIMUM] = {4, false, NULL, NULL, minimum},
    [HALFCL_INTERVALS_MAXIMUM] = {4, false, NULL, NULL, maximum},
    [HALFCL_INTERVALS_INTERSECTION] = {4, false, NULL, NULL, intersect},
    [HALFCL_INTERVALS_HULL] = {4, false, NULL, NULL, hull},
    [HALFCL_INTERVALS_CHOOSE] = {5, true, NULL, NULL, choose},
    [HALFCL_INTERVALS_FLIP] = {3, true, NULL, NULL, flip},
    [HALFCL_INTERVALS_CUT] = {2, false, NULL, NULL, cut},
    [HALFCL_INTERVALS_MIDDLE] = {2, false, NULL, NULL, middle},
    [HALFCL_INTERVALS_EXP] = {2, false, NULL, NULL, halfcl_exp_loop},
    [HALFCL_INTERVALS_EXP2] = {2, false, NULL, NULL, halfcl_exp2_loop},
    [HALFCL_INTERVALS_EXPM1] = {2, false, NULL, NULL, halfcl_expm1_loop},
    [HALFCL_INTERVALS_LOG] = {2, false, NULL, NULL, halfcl_log_loop},
    [HALFCL_INTERVALS_LOG1P] = {2, false, NULL, NULL, halfcl_log1p_loop},
    [HALFCL_INTERVALS_SINH] = {2, false, NULL, NULL, halfcl_sinh_loop},
    [HALFCL_INTERVALS_COSH] = {2, false, NULL, NULL, halfcl_cosh_loop},
    [HALFCL_INTERVALS_TANH] = {2, false, NULL, NULL, halfcl_tanh_loop},
    [HALFCL_INTERVALS_ASINH] = {2, false, NULL, NULL, halfcl_asinh_loop},
    [HALFCL_INTERVALS_ACOSH] = {2, false, NULL, NULL, halfcl_acosh_loop},
    [HALFCL_INTERVALS_ATANH] = {2, false, NULL, NULL, halfcl_atanh_loop},
    [HALFCL_INTERVALS_CBRT] = {2, false, NULL, NULL, halfcl_cbrt_loop},
    [HALFCL_INTERVALS_ATAN] = {2, false, NULL, NULL, halfcl_atan_loop},
    [HALFCL_INTERVALS_ASIN] = {2, false, NULL, NULL, halfcl_asin_loop},
    [HALFCL_INTERVALS_ACOS] = {2, false, NULL, NULL, halfcl_acos_loop},
    [HALFCL_INTERVALS_SIN] = {2, false, NULL, NULL, halfcl_sin_loop},
    [HALFCL_INTERVALS_COS] = {2, false, NULL, NULL, halfcl_cos_loop},
    [HALFCL_INTERVALS_TAN] = {2, false, NULL, NULL, halfcl_tan_loop},
    [HALFCL_INTERVALS_SINPI] = {2, false, NULL, NULL, halfcl_sinpi_loop},
    [HALFCL_INTERVALS_COSPI] = {2, false, NULL, NULL, halfcl_cospi_loop},
    [HALFCL_INTERVALS_TANPI] = {2, false, NULL, NULL, halfcl_tanpi_loop},
};

int halfcl_intervals_operands(halfcl_intervals_operation operation)
{
    return LOOPS[operation].operands;
}

/* The operands of a block: single ones are repeated in memory of their own. */
typedef struct {
    const void *at[HALFCL_INTERVALS_MOST];
    double repeated[HALFCL_INTERVALS_MOST][BLOCK];
} block;

static void repeat(block *b, int number, const void *element, size_t size, size_t n)
{
    char *to = (char *)b->repeated[number];
    if (size == sizeof(double)) {
        double value;
        memcpy(&value, element, sizeof value);
        for (size_t i = 0; i < n; i++)
            b->repeated[number][i] = value;
    } else {
        memset(to, *(const uint8_t *)element, n);
    }
    b->at[number] = to;
}

static size_t size_of(const loops *l, int number)
{
    return l->has_mask && number == 0 ? sizeof(uint8_t) : sizeof(double);
}

static void begin(block *b, const loops *l, const halfcl_intervals_operand *operands, size_t n)
{
    for (int k = 0; k < l->operands; k++)
        if (operands[k].is_single)
            repeat(b, k, operands[k].at, size_of(l, k), n < BLOCK ? n : BLOCK);
}

static void move_to(block *b, const loops *l, const halfcl_intervals_operand *operands,
                    size_t first)
{
    for (int k = 0; k < l->operands; k++)
        if (!operands[k].is_single)
            b->at[k] = (const char *)operands[k].at + first * size_of(l, k);
}

static void round_all(block *b, const loops *l, const halfcl_intervals_operand *operands,
                      double *lo, double *hi, size_t n)
{
    halfcl_env caller, between;
    halfcl_enter(&caller, HALFCL_RTN);
    for (size_t first = 0; first < n; first += BLOCK) {
        move_to(b, l, operands, first);
        l->down(b->at, lo + first, n - first < BLOCK ? n - first : BLOCK);
    }
    halfcl_enter(&between, HALFCL_RTP);
    for (size_t first = 0; first < n; first += BLOCK) {
        move_to(b, l, operands, first);
        l->up(b->at, hi + first, n - first < BLOCK ? n - first : BLOCK);
    }
    halfcl_leave(&caller);
}

void halfcl_run_intervals(halfcl_intervals_operation operation,
                          const halfcl_intervals_operand *operands, double *lo, double *hi,
                          size_t n)
{
    const loops *l = &LOOPS[operation];
    block b;
    begin(&b, l, operands, n);
    if (!l->outward) {
        round_all(&b, l, operands, lo, hi, n);
        return;
    }
    halfcl_env caller; /* comparisons with NaN are invalid, and subnormals are no zeros */
    halfcl_enter(&caller, HALFCL_RTE);
    for (size_t first = 0; first < n; first += BLOCK) {
        move_to(&b, l, operands, first);
        l->outward(b.at, lo + first, hi + first, n - first < BLOCK ? n - first : BLOCK);
    }
    halfcl_leave(&caller);
}

/* ------------------------------------------------------------ powers */

/* Computes powers of numbers that are not negative, by squaring; each product is rounded in the
 * mode. */
static void power(double *restrict base, double *restrict result, uint64_t exponent, size_t n)
{
    for (size_t i = 0; i < n; i++)
        result[i] = 1.0;
    for (;; exponent >>= 1) {
        for (size_t i = 0; exponent & 1 && i < n; i++)
            result[i] *= base[i];
        if (exponent == 1)
            return;
        for (size_t i = 0; i < n; i++)
            base[i] *= base[i];
    }
}

/* Sets base to the magnitude whose power is a bound, and returns the bound of the interval
 * whose sign that has: NULL if the exponent is even. */
static const double *find_base(operands_at in, bool is_even, bool is_upper, double *base,
                               size_t n)
{
    const double *lo = in[0], *hi = in[1], *own = in[is_upper];
    for (size_t i = 0; is_even && i < n; i++)
        base[i] = is_upper ? greatest_magnitude(lo[i], hi[i]) : least_magnitude(lo[i], hi[i]);
    for (size_t i = 0; !is_even && i < n; i++)
        base[i] = fabs(own[i]);
    return is_even ? NULL : own;
}

/* Computes one bound; a negative one is rounded as the other bound of its magnitude. */
static void power_of_bounds(operands_at in, uint64_t exponent, bool is_upper, double *out,
                            size_t n)
{
    void (*volatile compute)(double *, double *, uint64_t, size_t) = power;
    double base[BLOCK], same[BLOCK], down[BLOCK], up[BLOCK];
    halfcl_env env;
    const double *sign = find_base(in, exponent % 2 == 0, is_upper, base, n);
    memcpy(same, base, n * sizeof *base);
    halfcl_enter(&env, HALFCL_RTN);
    compute(base, down, exponent, n);
    halfcl_enter(&env, HALFCL_RTP);
    compute(same, up, exponent, n);
    for (size_t i = 0; i < n; i++) {
        bool is_negative = sign && sign[i] < 0;
        double size = is_negative != is_upper ? up[i] : down[i];
        out[i] = is_negative ? -size : size;
    }
}

void halfcl_run_interval_powers(uint64_t exponent, const halfcl_intervals_operand *operands,
                                double *lo, double *hi, size_t n)
{
    const loops *l = &LOOPS[HALFCL_INTERVALS_SQUARE]; /* its operands are the same */
    block b;
    halfcl_env caller;
    begin(&b, l, operands, n);
    halfcl_enter(&caller, HALFCL_RTE);
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        move_to(&b, l, operands, first);
        power_of_bounds(b.at, exponent, false, lo + first, count);
        power_of_bounds(b.at, exponent, true, hi + first, count);
    }
    halfcl_leave(&caller);
}
