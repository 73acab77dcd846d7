/* Tests intervals between doubles. Bounds of sums, products, quotients and roots are the
 * doubles next to the exact ones, by their errors, which a fused multiply-add computes exactly.
 * Functions are compared with the C library's. Results do not depend on the number of
 * intervals, nor on the caller's environment, which stays the same. */
#include "run/double_intervals.h"
#include "tests/caller.h"
#include "tests/testing.h"

#include <math.h>

enum { MOST = 700, ROUNDS = 20000 };

static double bounds[HALFCL_INTERVALS_MOST][MOST + 1], low[MOST + 1], high[MOST + 1];

static void complain(const char *what, int operation, size_t i)
{
    if (failed(what, halfcl_available(0), 0))
        printf("operation %d, element %zu: [%a, %a] of [%a, %a] and [%a, %a]\n", operation, i,
               low[i], high[i], bounds[0][i], bounds[1][i], bounds[2][i], bounds[3][i]);
}

/* Returns a number whose products and quotients neither overflow nor underflow. */
static double mild(void)
{
    double x = (double)(int64_t)random_bits() * 0x1p-63;
    int kind = (int)(random_bits() % 8);
    return kind == 0 ? 0.0 : kind < 3 ? rint(x * 16) : ldexp(x, (int)(random_bits() % 80) - 40);
}

/* Returns any number, or an infinity, or NaN. */
static double any(void)
{
    uint64_t bits = random_bits();
    double x;
    memcpy(&x, &bits, sizeof x);
    return bits % 16 == 0 ? INFINITY : bits % 16 == 1 ? 0.0 : bits % 16 < 6 ? mild() : x;
}

static void fill(double (*number)(void), size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 4; k += 2) {
            double x = number(), y = random_bits() % 4 ? number() : x;
            bool is_empty = isnan(x) || isnan(y) || (x == y && isinf(x));
            bounds[k][i] = is_empty ? NAN : fmin(x, y);
            bounds[k + 1][i] = is_empty ? NAN : fmax(x, y);
        }
}

static void compute(int operation, size_t n, unsigned single)
{
    static uint8_t mask[MOST];
    halfcl_intervals_operand operands[HALFCL_INTERVALS_MOST];
    int count = halfcl_intervals_operands((halfcl_intervals_operation)operation);
    int masks = count % 2;
    for (size_t i = 0; i < MOST; i++)
        mask[i] = i % 3 == 0;
    operands[0] = (halfcl_intervals_operand){mask, single & 1};
    for (int k = masks; k < count; k++)
        operands[k] = (halfcl_intervals_operand){bounds[k - masks], single >> k & 1};
    halfcl_run_intervals((halfcl_intervals_operation)operation, operands, low, high, n);
}

/* ------------------------------------------------------------ the tightest bounds */

/* Returns the double next to an exact value below (-1) or above (1), or the value itself, from
 * the nearest double and the sign of what it lacks. */
static double next_to(double nearest, double lacks, int direction)
{
    return lacks * direction > 0 ? nextafter(nearest, direction * INFINITY) : nearest;
}

static double exact_sum(double x, double y, int direction)
{
    double sum = x + y, part = sum - x;
    return next_to(sum, (x - (sum - part)) + (y - part), direction);
}

static double exact_product(double x, double y, int direction)
{
    return next_to(x * y, fma(x, y, -(x * y)), direction);
}

static double exact_quotient(double x, double y, int direction)
{
    double quotient = x / y, lacks = fma(-quotient, y, x);
    return next_to(quotient, y < 0 ? -lacks : lacks, direction);
}

static double exact_root(double x, int direction)
{
    return next_to(sqrt(x), fma(-sqrt(x), sqrt(x), x), direction);
}

typedef double corner(double x, double y, int direction);

static void check_corners(int operation, corner *of, size_t i)
{
    double a = bounds[0][i], b = bounds[1][i], c = bounds[2][i], d = bounds[3][i];
    double least = fmin(fmin(of(a, c, -1), of(a, d, -1)), fmin(of(b, c, -1), of(b, d, -1)));
    double most = fmax(fmax(of(a, c, 1), of(a, d, 1)), fmax(of(b, c, 1), of(b, d, 1)));
    if (low[i] != least || high[i] != most)
        complain("tightest bounds", operation, i);
}

static void check_tightest(void)
{
    fill(mild, MOST);
    compute(HALFCL_INTERVALS_ADD, MOST, 0);
    for (size_t i = 0; i < MOST; i++)
        check_corners(HALFCL_INTERVALS_ADD, exact_sum, i);
    compute(HALFCL_INTERVALS_MULTIPLY, MOST, 0);
    for (size_t i = 0; i < MOST; i++)
        check_corners(HALFCL_INTERVALS_MULTIPLY, exact_product, i);
    compute(HALFCL_INTERVALS_DIVIDE, MOST, 0);
    for (size_t i = 0; i < MOST; i++)
        if (bounds[2][i] > 0 || bounds[3][i] < 0)
            check_corners(HALFCL_INTERVALS_DIVIDE, exact_quotient, i);
    compute(HALFCL_INTERVALS_SQRT, MOST, 0);
    for (size_t i = 0; i < MOST; i++)
        if (bounds[0][i] >= 0 &&
            (low[i] != exact_root(bounds[0][i], -1) || high[i] != exact_root(bounds[1][i], 1)))
            complain("roots", HALFCL_INTERVALS_SQRT, i);
}

/* ------------------------------------------------------------ functions */

typedef struct {
    halfcl_intervals_operation operation;
    double (*of)(double);
} function;

static const function functions[] = {
    {HALFCL_INTERVALS_EXP, exp},     {HALFCL_INTERVALS_EXP2, exp2},
    {HALFCL_INTERVALS_EXPM1, expm1}, {HALFCL_INTERVALS_LOG, log},
    {HALFCL_INTERVALS_LOG1P, log1p}, {HALFCL_INTERVALS_SINH, sinh},
    {HALFCL_INTERVALS_COSH, cosh},   {HALFCL_INTERVALS_TANH, tanh},
    {HALFCL_INTERVALS_ASINH, asinh}, {HALFCL_INTERVALS_ACOSH, acosh},
    {HALFCL_INTERVALS_ATANH, atanh}, {HALFCL_INTERVALS_CBRT, cbrt},
    {HALFCL_INTERVALS_ATAN, atan},   {HALFCL_INTERVALS_ASIN, asin},
    {HALFCL_INTERVALS_ACOS, acos},   {HALFCL_INTERVALS_SIN, sin},
    {HALFCL_INTERVALS_COS, cos},     {HALFCL_INTERVALS_TAN, tan},
};

/* Compares values at points with the C library's, which are right to some ulps; sines and
 * tangents of reduced angles have an absolute error. */
static void check_function(const function *f)
{
    bool is_angle = f->operation >= HALFCL_INTERVALS_SIN;
    memcpy(bounds[1], bounds[0], sizeof bounds[1]);
    compute(f->operation, MOST, 0);
    for (size_t i = 0; i < MOST; i++) {
        double x = bounds[0][i], y = f->of(x), slack = 0x1p-48 * fabs(y) + 0x1p-1000;
        double most = 0x1p-42 * (is_angle ? 1 + y * y : fabs(y)) + 0x1p-998;
        bool is_open = isnan(y) || (x < 0 && f->operation == HALFCL_INTERVALS_COSH) ||
                       (x < 1 && f->operation == HALFCL_INTERVALS_ACOSH); /* no NaN of musl's */
        if (is_open || (is_angle && fabs(x) > 1e5))
            continue;
        if (isinf(y) && f->operation != HALFCL_INTERVALS_LOG)
            continue;
        if (isinf(y)
                ? !isnan(low[i])
                : !(low[i] <= y + slack && high[i] >= y - slack && high[i] - low[i] < most))
            complain("functions", f->operation, i);
    }
}

/* ------------------------------------------------------------ any number of any operands */

static bool is_same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

/* Compares with the results for each element by itself. */
static void check_sizes(int operation, size_t n, unsigned single)
{
    static double lows[MOST], highs[MOST];
    double own[HALFCL_INTERVALS_MOST], lo, hi;
    uint8_t mask;
    halfcl_intervals_operand operands[HALFCL_INTERVALS_MOST];
    int count = halfcl_intervals_operands((halfcl_intervals_operation)operation);
    int masks = count % 2;
    low[n] = high[n] = 17;
    compute(operation, n, single);
    if (low[n] != 17 || high[n] != 17)
        complain("written beyond the end", operation, n);
    memcpy(lows, low, n * sizeof *low);
    memcpy(highs, high, n * sizeof *high);
    for (size_t i = 0; i < n; i++) {
        mask = (single & 1 ? 0 : i) % 3 == 0;
        operands[0] = (halfcl_intervals_operand){&mask, false};
        for (int k = masks; k < count; k++) {
            own[k] = bounds[k - masks][single >> k & 1 ? 0 : i];
            operands[k] = (halfcl_intervals_operand){&own[k], false};
        }
        halfcl_run_intervals((halfcl_intervals_operation)operation, operands, &lo, &hi, 1);
        if (!is_same(lo, lows[i]) || !is_same(hi, highs[i]))
            complain("one by one", operation, i);
    }
}

static void check_environment(int operation)
{
    static double lows[MOST], highs[MOST];
    const uint64_t usual = caller_control();
    compute(operation, MOST, 0);
    memcpy(lows, low, sizeof lows);
    memcpy(highs, high, sizeof highs);
    for (int k = 0; k < 2; k++) {
        const uint64_t control = (k ? CALLER_UPWARD : CALLER_DOWNWARD) | CALLER_FLUSHING;
        set_caller(control, CALLER_DIVBYZERO);
        compute(operation, MOST, 0);
        bool is_kept = caller_control() == control && caller_exceptions() == CALLER_DIVBYZERO;
        set_caller(usual, 0);
        if (!is_kept)
            complain("environment", operation, 0);
        for (size_t i = 0; i < MOST; i++)
            if (!is_same(low[i], lows[i]) || !is_same(high[i], highs[i]))
                complain("in another environment", operation, i);
    }
}

/* ------------------------------------------------------------ powers */

static void check_powers(uint64_t exponent)
{
    const halfcl_intervals_operand operands[] = {{bounds[0], false}, {bounds[1], false}};
    for (size_t i = 0; i < MOST; i++)
        bounds[0][i] = fmin(4, fmax(-4, bounds[0][i])),
        bounds[1][i] = fmax(bounds[0][i], fmin(4, fmax(-4, bounds[1][i])));
    halfcl_run_interval_powers(exponent, operands, low, high, MOST);
    for (size_t i = 0; i < MOST; i++) {
        double a = pow(bounds[0][i], (double)exponent), b = pow(bounds[1][i], (double)exponent);
        bool has_zero = exponent % 2 == 0 && bounds[0][i] < 0 && bounds[1][i] > 0;
        double least = has_zero ? 0 : fmin(a, b), most = fmax(a, b);
        double slack = 0x1p-50 * fmax(fabs(least), most) + 0x1p-1060;
        if (!(fabs(low[i] - least) <= slack * (double)exponent &&
              fabs(high[i] - most) <= slack * (double)exponent && low[i] <= least + slack &&
              high[i] >= most - slack))
            complain("powers", (int)exponent, i);
    }
}

void test_double_intervals(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 255, 256, 257, 513, MOST};
    static const uint64_t exponents[] = {1, 2, 3, 4, 7, 10};
    for (int round = 0; round < ROUNDS / MOST / one_in + 1; round++) {
        check_tightest();
        fill(mild, MOST);
        for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
            check_function(&functions[k]);
    }
    fill(any, MOST);
    for (int operation = 0; operation < HALFCL_INTERVALS_OPERATIONS; operation++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            check_sizes(operation, sizes[k], (unsigned)random_bits() & 31);
        check_sizes(operation, MOST, 0);
        check_environment(operation);
    }
    fill(mild, MOST);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++)
        check_powers(exponents[k]);
}
