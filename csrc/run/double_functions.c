/* Each function is computed in doubles by sums, products, quotients and square roots alone,
 * which IEEE 754 fixes to the last bit; no mathematical library is involved. The error of an
 * evaluation is less than 2^-46 of the result: it has a polynomial of 15 terms or less, whose
 * arguments are small, and a few other operations. Bounds are moved outward by four times that.
 *
 * NaNs remain NaNs. */
#include "run/double_functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Two doubles, and masks for them: processors of all kinds have vectors of 16 bytes. */
typedef double pair __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));
typedef uint64_t bits __attribute__((vector_size(16)));

/* A relative error of results; an absolute one of results that have underflowed, and of sines
 * whose argument was reduced. */
static const double ERROR = 0x1p-44, TINY = 0x1p-1000, REDUCTION_ERROR = 0x1p-46;

/* The sum of a double below 2^51 and this one has its integer, to nearest, in its last bits. */
static const double SHIFT = 0x1.8p52;

static inline pair both(double x)
{
    return (pair){x, x};
}

static inline pair choose(mask where, pair a, pair b)
{
    return (pair)(((mask)a & where) | ((mask)b & ~where));
}

static inline pair lesser(pair a, pair b)
{
    return choose(a < b, a, b);
}

static inline pair greater(pair a, pair b)
{
    return choose(a > b, a, b);
}

/* Returns x limited to two bounds; NaN stays. */
static inline pair clip(pair x, double low, double high)
{
    x = choose(x < low, both(low), x);
    return choose(x > high, both(high), x);
}

static inline pair magnitude(pair x)
{
    return (pair)((bits)x & (UINT64_MAX >> 1));
}

static inline pair with_sign_of(pair x, pair sign)
{
    return (pair)(((bits)x & (UINT64_MAX >> 1)) | ((bits)sign & ~(UINT64_MAX >> 1)));
}

static inline pair root(pair x)
{
    return (pair){sqrt(x[0]), sqrt(x[1])};
}

static inline pair nearest_integer(pair x)
{
    return (x + SHIFT) - SHIFT;
}

static inline pair floor_of(pair x)
{
    pair nearest = nearest_integer(x);
    return choose(nearest > x, nearest - 1, nearest);
}

/* Returns 2^k for an integer k from -1022 to 1023. */
static inline pair power_of_two(pair k)
{
    return (pair)(((bits)(k + SHIFT) + 1023) << 52);
}

/* Returns x 2^k, where half of k is an exponent of doubles. */
static inline pair scale(pair x, pair k)
{
    pair half = nearest_integer(k / 2);
    return x * power_of_two(half) * power_of_two(k - half);
}

/* Returns the significand of a number that is not negative, from 1/2 to 1, and its exponent. */
static inline pair split(pair x, pair *exponent)
{
    mask is_tiny = x < DBL_MIN;
    bits of = (bits)choose(is_tiny, x * 0x1p54, x);
    pair biased = (pair)(of >> 52 | UINT64_C(0x4330000000000000)) - 0x1p52;
    *exponent = biased - choose(is_tiny, both(1022 + 54), both(1022));
    return (pair)((of & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(0x3FE0000000000000));
}

/* Defines a polynomial, by Horner's rule; the last coefficient is that of the highest power. */
#define SERIES(name, ...)                                                                      \
    static const double name##_terms[] = {__VA_ARGS__};                                        \
    static inline pair name(pair z)                                                            \
    {                                                                                          \
        enum { LAST = sizeof name##_terms / sizeof *name##_terms - 1 };                        \
        pair total = both(name##_terms[LAST]);                                                 \
        _Pragma("GCC unroll 16") for (int k = LAST - 1; k >= 0; k--) total =                   \
            total * z + name##_terms[k];                                                       \
        return total;                                                                          \
    }

/* ------------------------------------------------------------ exponentials, logarithms */

/* ln 2 as a sum of two doubles. The first has 33 bits, so its product with an exponent is
 * exact. */
static const double LN2_HIGH = 0x1.62e42feep-1, LN2_LOW = 0x1.a39ef35793c76p-33;
static const double LN2 = 0x1.62e42fefa39efp-1, LOG2_E = 0x1.71547652b82fep+0;

#define EXP_TERMS                                                                              \
    1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880,   \
        1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200
SERIES(exp_series, 1.0, 1.0, EXP_TERMS)
SERIES(expm1_series, 1.0, EXP_TERMS)
SERIES(log_series, 1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15,
       1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23)

static inline pair exp_of(pair x)
{
    x = clip(x, -800.0, 800.0);
    pair k = nearest_integer(x * LOG2_E);
    return scale(exp_series((x - k * LN2_HIGH) - k * LN2_LOW), k);
}

static inline pair expm1_of(pair x)
{
    pair small = clip(x, -0.5, 0.5), series = small * expm1_series(small);
    pair large = exp_of(x) - 1;
    return choose(magnitude(x) < 0.5, series, large);
}

static inline pair exp2_of(pair x)
{
    x = clip(x, -1100.0, 1100.0);
    pair k = nearest_integer(x);
    return scale(exp_series((x - k) * LN2), k);
}

/* Returns 2 atanh(s) = log((1 + s) / (1 - s)) for small s. */
static inline pair area_tangent(pair s)
{
    return 2 * s * log_series(s * s);
}

/* Returns the logarithm of a number that is not negative. */
static inline pair log_of(pair x)
{
    pair e, m = split(x, &e);
    mask is_low = m < 0x1.6a09e667f3bcdp-1;
    m = choose(is_low, 2 * m, m), e = choose(is_low, e - 1, e);
    pair result = e * LN2_HIGH + (area_tangent((m - 1) / (m + 1)) + e * LN2_LOW);
    result = choose(x < INFINITY, result, x);
    return choose(x == 0, both(-INFINITY), result);
}

static inline pair log1p_of(pair x)
{
    pair small = clip(x, -0.25, 0.25), series = area_tangent(small / (2 + small));
    pair large = log_of(1 + x);
    return choose(magnitude(x) < 0.25, series, large);
}

/* ------------------------------------------------------------ hyperbolic functions */

/* Returns e^x / 2, also where e^x overflows. */
static inline pair half_of_exp(pair x)
{
    pair square_root = exp_of(x / 2);
    return square_root / 2 * square_root;
}

static inline pair sinh_of(pair x)
{
    pair a = magnitude(x), t = expm1_of(clip(a, 0.0, 32.0));
    pair small = (t + t / (t + 1)) / 2, large = half_of_exp(a);
    return with_sign_of(choose(a < 32, small, large), x);
}

static inline pair cosh_of(pair x)
{
    pair a = magnitude(x), t = exp_of(clip(a, 0.0, 32.0));
    pair small = (t + 1 / t) / 2, large = half_of_exp(a);
    return choose(a < 32, small, large);
}

static inline pair tanh_of(pair x)
{
    pair t = expm1_of(clip(2 * magnitude(x), 0.0, 700.0)); /* 1 is reached long before */
    return with_sign_of(t / (t + 2), x);
}

static inline pair asinh_of(pair x)
{
    pair a = magnitude(x), small = clip(a, 0.0, 0x1p300);
    pair near = log1p_of(small + small * small / (1 + root(1 + small * small)));
    pair far = log_of(a) + LN2;
    return with_sign_of(choose(a > 0x1p300, far, near), x);
}

static inline pair acosh_of(pair x)
{
    pair t = clip(x, 1.0, 0x1p300) - 1;
    pair near = log1p_of(t + root(t * (t + 2))), far = log_of(x) + LN2;
    return choose(x > 0x1p300, far, near);
}

static inline pair atanh_of(pair x)
{
    pair a = magnitude(x);
    return with_sign_of(log1p_of(2 * a / (1 - a)) / 2, x);
}

/* Returns the cube root of x = m 2^(3 k), where m is from 1/2 to 4. */
static inline pair cbrt_of(pair x)
{
    pair e, a = magnitude(x), m = split(a, &e), k = floor_of((e + 0.5) / 3);
    pair result = exp_of(log_of(m * power_of_two(e - 3 * k)) / 3) * power_of_two(k);
    result = choose(a < INFINITY, result, a);
    return with_sign_of(choose(a == 0, a, result), x);
}

/* ------------------------------------------------------------ inverse sine, cosine, tangent */

static const double PI = 0x1.921fb54442d18p+1;

SERIES(atan_series, 1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15,
       1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25, -1.0 / 27)

/* The series is evaluated at a quarter of the angle, below pi/16. */
static inline pair atan_of(pair x)
{
    pair a = magnitude(x), inverse = 1 / a, t = choose(a > 1, inverse, a);
    t = t / (1 + root(1 + t * t));
    t = t / (1 + root(1 + t * t));
    pair angle = 4 * t * atan_series(t * t), rest = PI / 2 - angle;
    return with_sign_of(choose(a > 1, rest, angle), x);
}

static inline pair asin_of(pair x)
{
    return atan_of(x / root((1 - x) * (1 + x)));
}

static inline pair acos_of(pair x)
{
    return 2 * atan_of(root((1 - x) / (1 + x)));
}

/* ------------------------------------------------------------ loops */

static inline pair load(const double *x, size_t i, size_t n)
{
    pair result = both(x[i]);
    if (i + 1 < n)
        memcpy(&result, x + i, sizeof result);
    return result;
}

static inline void store(double *out, size_t i, size_t n, pair x)
{
    memcpy(out + i, &x, i + 1 < n ? sizeof x : sizeof *out);
}

static inline pair move_down(pair x, pair error)
{
    x = choose(x > DBL_MAX, both(DBL_MAX), x);
    return x - (magnitude(x) * ERROR + (error + TINY));
}

static inline pair move_up(pair x, pair error)
{
    x = choose(x < -DBL_MAX, both(-DBL_MAX), x);
    return x + (magnitude(x) * ERROR + (error + TINY));
}

/* ------------------------------------------------------------ monotone functions */

/* A function has a domain and values, and grows or falls. */
typedef struct {
    double from, to;
    bool falls;
    double least, most;
} known;

/* Restricts intervals to the domain; others become empty. */
static inline void restrict_to(const known *k, pair *lo, pair *hi)
{
    pair low = greater(*lo, both(k->from)), high = lesser(*hi, both(k->to));
    mask is_inside = (low <= high) & (*lo == *lo);
    *lo = choose(is_inside, low, both(NAN)), *hi = choose(is_inside, high, both(NAN));
}

/* Moves results outward, but not beyond the values of the function. Intervals that are only an
 * end of the domain where the function is infinite have no result. */
static inline void enclose(const known *k, pair a, pair b, pair at_a, pair at_b, pair *lo,
                           pair *hi)
{
    pair below = move_down(k->falls ? at_b : at_a, both(0));
    pair above = move_up(k->falls ? at_a : at_b, both(0));
    mask is_pole = ((b == k->from) | (a == k->to)) & (magnitude(at_a) == INFINITY);
    below = choose(below < k->least, both(k->least), below);
    above = choose(above > k->most, both(k->most), above);
    *lo = choose(is_pole, both(NAN), below), *hi = choose(is_pole, both(NAN), above);
}

/* Defines the loop of a function from the one of a pair, and from what is known of it. */
#define MONOTONE(name, ...)                                                                    \
    void halfcl_##name##_loop(const void *const *in, double *lo, double *hi, size_t n)         \
    {                                                                                          \
        static const known k = {__VA_ARGS__};                                                  \
        for (size_t i = 0; i < n; i += 2) {                                                    \
            pair a = load(in[0], i, n), b = load(in[1], i, n), low, high;                      \
            restrict_to(&k, &a, &b);                                                           \
            enclose(&k, a, b, name##_of(a), name##_of(b), &low, &high);                        \
            store(lo, i, n, low);                                                              \
            store(hi, i, n, high);                                                             \
        }                                                                                      \
    }

#define QUARTER_TURN 0x1.921fb54442d18p+0
#define ABOVE (1 + 0x1p-44)

MONOTONE(exp, -INFINITY, INFINITY, false, 0.0, INFINITY)
MONOTONE(exp2, -INFINITY, INFINITY, false, 0.0, INFINITY)
MONOTONE(expm1, -INFINITY, INFINITY, false, -1.0, INFINITY)
MONOTONE(log, 0.0, INFINITY, false, -INFINITY, INFINITY)
MONOTONE(log1p, -1.0, INFINITY, false, -INFINITY, INFINITY)
MONOTONE(sinh, -INFINITY, INFINITY, false, -INFINITY, INFINITY)
MONOTONE(cosh, 0.0, INFINITY, false, 1.0, INFINITY)
MONOTONE(tanh, -INFINITY, INFINITY, false, -1.0, 1.0)
MONOTONE(asinh, -INFINITY, INFINITY, false, -INFINITY, INFINITY)
MONOTONE(acosh, 1.0, INFINITY, false, 0.0, INFINITY)
MONOTONE(atanh, -1.0, 1.0, false, -INFINITY, INFINITY)
MONOTONE(cbrt, -INFINITY, INFINITY, false, -INFINITY, INFINITY)
MONOTONE(atan, -INFINITY, INFINITY, false, -QUARTER_TURN *ABOVE, QUARTER_TURN *ABOVE)
MONOTONE(asin, -1.0, 1.0, false, -QUARTER_TURN *ABOVE, QUARTER_TURN *ABOVE)
MONOTONE(acos, -1.0, 1.0, true, 0.0, 2 * QUARTER_TURN * ABOVE)

/* ------------------------------------------------------------ trigonometric functions */

SERIES(sin_series, 1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
       1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000)
SERIES(cos_series, 1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
       1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000)

/* Angles beyond this, the greatest product of two halves and more, are not reduced. */
static const double FAR = 0x1p33;

/* Set the rest of an angle, at most an eighth of a turn, and return the number of quarter turns
 * that are removed, which is below 2^33. pi/2 is a sum of four doubles, of which the first
 * three have 20 bits or less, so that their products with that number are exact. So are the
 * first two differences: they are below 2^15 and 2, and multiples of 2^-39 or of the last bit
 * of x. */
static inline pair reduce_radians(pair x, pair *rest)
{
    pair k = nearest_integer(x / QUARTER_TURN);
    pair near = ((x - k * 0x1.921fap0) - k * 0x1.54442p-20) - k * 0x1.a308cp-41;
    *rest = near - k * 0x1.313198a2e037p-61;
    return k;
}

static inline pair reduce_half_turns(pair x, pair *rest)
{
    pair k = nearest_integer(2 * x);
    *rest = (x - k / 2) * PI;
    return k;
}

/* Sets the bounds of the sine of an angle plus some quarter turns. */
static inline void enclose_sine(pair rest, pair k, uint64_t quarters, pair *lo, pair *hi)
{
    pair z = rest * rest, sine = rest * sin_series(z), cosine = cos_series(z);
    bits turned = (bits)(k + SHIFT) + quarters;
    mask is_odd = -(mask)(turned & 1), is_reduced = is_odd | (k != 0);
    pair result = choose(is_odd, cosine, sine);
    result = (pair)((bits)result ^ (turned & 2) << 62);
    pair error = choose(is_reduced, both(REDUCTION_ERROR), both(0));
    pair below = move_down(result, error), above = move_up(result, error);
    below = choose(below < -1, both(-1), below), above = choose(above > 1, both(1), above);
    *lo = choose(rest == 0, result, below), *hi = choose(rest == 0, result, above);
}

/* Returns whether a place is between low and high, which are in turns; also if it is close to a
 * bound. */
static inline mask reaches(pair low, pair high, double place)
{
    low -= place, high -= place;
    pair margin = 0x1p-40 + 0x1p-50 * greater(magnitude(low), magnitude(high));
    return floor_of(high + margin) >= -floor_of(margin - low);
}

static inline mask is_far(pair low, pair high)
{
    return (low < -FAR) | (high > FAR);
}

/* Defines the loop of the sine plus some quarter turns, whose maxima and minima are at top and
 * at bottom. */
#define WAVE(name, reduce, quarters, turn, top, bottom)                                        \
    void halfcl_##name##_loop(const void *const *in, double *lo, double *hi, size_t n)         \
    {                                                                                          \
        for (size_t i = 0; i < n; i += 2) {                                                    \
            pair x = load(in[0], i, n), y = load(in[1], i, n), rest, k, least, most, low,      \
                 high;                                                                         \
            pair a = clip(x, -FAR, FAR), b = clip(y, -FAR, FAR);                               \
            k = reduce(a, &rest);                                                              \
            enclose_sine(rest, k, quarters, &least, &most);                                    \
            k = reduce(b, &rest);                                                              \
            enclose_sine(rest, k, quarters, &low, &high);                                      \
            low = lesser(least, low), high = greater(most, high);                              \
            a /= turn, b /= turn;                                                              \
            low = choose(is_far(x, y) | reaches(a, b, bottom), both(-1), low);                 \
            high = choose(is_far(x, y) | reaches(a, b, top), both(1), high);                   \
            store(lo, i, n, low);                                                              \
            store(hi, i, n, high);                                                             \
        }                                                                                      \
    }

WAVE(sin, reduce_radians, 0, (4 * QUARTER_TURN), 0.25, 0.75)
WAVE(cos, reduce_radians, 1, (4 * QUARTER_TURN), 0.0, 0.5)
WAVE(sinpi, reduce_half_turns, 0, 2.0, 0.25, 0.75)
WAVE(cospi, reduce_half_turns, 1, 2.0, 0.0, 0.5)

/* A block of intervals between doubles. */
typedef struct {
    double lo[HALFCL_INTERVALS_BLOCK], hi[HALFCL_INTERVALS_BLOCK];
} intervals;

static void divide(const intervals *x, const intervals *y, intervals *quotient, size_t n)
{
    const halfcl_intervals_operand operands[] = {
        {x->lo, false}, {x->hi, false}, {y->lo, false}, {y->hi, false}};
    halfcl_run_intervals(HALFCL_INTERVALS_DIVIDE, operands, quotient->lo, quotient->hi, n);
}

/* Defines the loop of the tangent, which is all numbers where a pole may be inside. */
#define TANGENT(name, reduce, half_turn)                                                       \
    static void name##_at(const double *x, intervals *result, size_t n)                        \
    {                                                                                          \
        intervals sine, cosine;                                                                \
        for (size_t i = 0; i < n; i += 2) {                                                    \
            pair rest, k = reduce(clip(load(x, i, n), -FAR, FAR), &rest), low, high;           \
            enclose_sine(rest, k, 0, &low, &high);                                             \
            store(sine.lo, i, n, low);                                                         \
            store(sine.hi, i, n, high);                                                        \
            enclose_sine(rest, k, 1, &low, &high);                                             \
            store(cosine.lo, i, n, low);                                                       \
            store(cosine.hi, i, n, high);                                                      \
        }                                                                                      \
        divide(&sine, &cosine, result, n);                                                     \
    }                                                                                          \
    void halfcl_##name##_loop(const void *const *in, double *lo, double *hi, size_t n)         \
    {                                                                                          \
        intervals at_a, at_b;                                                                  \
        name##_at(in[0], &at_a, n);                                                            \
        name##_at(in[1], &at_b, n);                                                            \
        for (size_t i = 0; i < n; i += 2) {                                                    \
            pair a = load(in[0], i, n), b = load(in[1], i, n);                                 \
            mask has_pole = is_far(a, b) | reaches(clip(a, -FAR, FAR) / half_turn,             \
                                                   clip(b, -FAR, FAR) / half_turn, 0.5);       \
            store(lo, i, n, choose(has_pole, both(-INFINITY), load(at_a.lo, i, n)));           \
            store(hi, i, n, choose(has_pole, both(INFINITY), load(at_b.hi, i, n)));            \
        }                                                                                      \
    }

TANGENT(tan, reduce_radians, (2 * QUARTER_TURN))
TANGENT(tanpi, reduce_half_turns, 1.0)
