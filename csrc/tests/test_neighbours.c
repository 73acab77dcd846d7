/* Tests functions of neighbours along lines against NumPy's formulas, over whole lines in plain
 * loops, of which each result is rounded by definition. Neither results nor exceptions depend
 * on the caller's environment, which stays the same. */
#include "tests/caller.h"
#include "tests/testing.h"

#if defined HALFCL_X86 || defined HALFCL_ARM

enum { MOST = 6000, LAYOUTS = 4, ROOM = 3 * MOST * (int)sizeof(double) + 1 };

typedef enum {
    DIFFERENCES,
    EVEN_GRADIENT,
    GRADIENT,
    PHASES,
    POLYNOMIAL,
    INTEGRAL
} formula_name;

typedef struct {
    formula_name name;
    size_t order;    /* of differences */
    double distance; /* or the period of phases */
    double discontinuity;
    bool wide_ends, to_double;
} formula;

static const formula formulas[] = {
    {DIFFERENCES, .order = 1},
    {DIFFERENCES, .order = 2},
    {DIFFERENCES, .order = 3},
    {DIFFERENCES, .order = HALFCL_MOST_DIFFERENCES},
    {EVEN_GRADIENT, .distance = 1},
    {EVEN_GRADIENT, .distance = 3, .wide_ends = true},
    {EVEN_GRADIENT, .distance = -0.3, .wide_ends = true},
    {EVEN_GRADIENT, .distance = 1e-9},
    {.name = GRADIENT},
    {GRADIENT, .wide_ends = true},
    {PHASES, .distance = 0x1.921fb54442d18p2, .discontinuity = 0x1.921fb54442d18p1},
    {PHASES, .distance = 1, .discontinuity = 0.75},
    {.name = POLYNOMIAL},
    {POLYNOMIAL, .to_double = true},
    {INTEGRAL, .distance = 1},
    {INTEGRAL, .distance = -1.25}, /* so that products are exact in double */
};

static const double coefficients[] = {0.3, -2, 1.5, 0.125};
static double places[MOST];

/* Returns the number of results for a line, or 0 for lines that the function is not for. */
static size_t results_of(const formula *f, size_t n)
{
    switch (f->name) {
    case DIFFERENCES:
        return n > f->order ? n - f->order : 0;
    case INTEGRAL:
        return n >= 2 && n <= HALFCL_MOST_SUMMED;
    case EVEN_GRADIENT:
    case GRADIENT:
        return n < 2 + (size_t)f->wide_ends ? 0 : n;
    default:
        return n;
    }
}

/* ------------------------------------------------------------ the formulas */

static void expect_differences(size_t order, size_t n, double *y)
{
    for (size_t end = n - 1; order > 0; end--, order--)
        for (size_t i = 0; i < end; i++)
            y[i] = y[i + 1] - y[i];
}

static double weigh(const double *x, double a, double b, double c)
{
    return a * x[0] + b * x[1] + c * x[2];
}

static void expect_even_gradient(const formula *f, const double *x, size_t n, double *y)
{
    const double d = f->distance;
    for (size_t i = 1; i + 1 < n; i++)
        y[i] = (x[i + 1] - x[i - 1]) / (2 * d);
    y[0] = f->wide_ends ? weigh(x, -1.5 / d, 2 / d, -0.5 / d) : (x[1] - x[0]) / d;
    y[n - 1] =
        f->wide_ends ? weigh(x + n - 3, 0.5 / d, -2 / d, 1.5 / d) : (x[n - 1] - x[n - 2]) / d;
}

static void expect_gradient(const formula *f, const double *x, size_t n, double *y)
{
    for (size_t i = 1; i + 1 < n; i++) {
        const double p = places[i] - places[i - 1], q = places[i + 1] - places[i];
        y[i] = weigh(x + i - 1, -q / (p * (p + q)), (q - p) / (p * q), p / (q * (p + q)));
    }
    y[0] = (x[1] - x[0]) / (places[1] - places[0]);
    y[n - 1] = (x[n - 1] - x[n - 2]) / (places[n - 1] - places[n - 2]);
    if (!f->wide_ends)
        return;
    double p = places[1] - places[0], q = places[2] - places[1];
    y[0] = weigh(x, -(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q)));
    p = places[n - 2] - places[n - 3], q = places[n - 1] - places[n - 2];
    y[n - 1] =
        weigh(x + n - 3, q / (p * (p + q)), -(q + p) / (p * q), (2 * q + p) / (q * (p + q)));
}

/* Returns Python's x % y for y > 0. */
static double positive_mod(double x, double y)
{
    const double rest = fmod(x, y);
    return rest == 0 ? 0 : isless(rest, 0) ? rest + y : rest;
}

static void expect_phases(const formula *f, const double *x, size_t n, double *y)
{
    const double high = f->distance / 2;
    double sum = -0.0;
    y[0] = x[0];
    for (size_t i = 1; i < n; i++) {
        const double difference = x[i] - x[i - 1];
        double within = positive_mod(difference + high, f->distance) - high;
        if (within == -high && isgreater(difference, 0))
            within = high;
        sum += isless(fabs(difference), f->discontinuity) ? 0 : within - difference;
        y[i] = x[i] + sum;
    }
}

static void expect_polynomial(const double *x, size_t n, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t k = 0; k < sizeof coefficients / sizeof *coefficients; k++)
            y[i] = y[i] * x[i] + coefficients[k];
    }
}

/* Sums in units of 2^-25. */
static double expect_integral(const double *x, size_t n, double distance)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (int64_t)(x[i] * 0x1p24) * (i == 0 || i + 1 == n ? 1 : 2);
    return (double)sum * 0x1p-25 * distance;
}

static void expect_line(const formula *f, const double *x, size_t n, double *y)
{
    switch (f->name) {
    case DIFFERENCES:
        memcpy(y, x, n * sizeof *y);
        expect_differences(f->order, n, y);
        break;
    case EVEN_GRADIENT:
        expect_even_gradient(f, x, n, y);
        break;
    case GRADIENT:
        expect_gradient(f, x, n, y);
        break;
    case PHASES:
        expect_phases(f, x, n, y);
        break;
    case POLYNOMIAL:
        expect_polynomial(x, n, y);
        break;
    case INTEGRAL:
        y[0] = expect_integral(x, n, f->distance);
    }
}

/* ------------------------------------------------------------ the engine */

/* The bytes between elements of a line, between lines, and before the first element. */
typedef struct {
    ptrdiff_t step, across, start;
} layout;

/* Returns a layout of lines of n elements: lines one after the other, or side by side, or
 * spread and unaligned, or side by side, backward, and partly unaligned. */
static layout layout_of(int kind, size_t n, size_t count, size_t size)
{
    const ptrdiff_t s = (ptrdiff_t)size, line = s * (ptrdiff_t)n, row = s * (ptrdiff_t)count;
    return kind == 0   ? (layout){s, line, 0}
           : kind == 1 ? (layout){row, s, 0}
           : kind == 2 ? (layout){3 * s, 3 * line, 1}
                       : (layout){-row - 1, s, (row + 1) * ((ptrdiff_t)n - 1)};
}

static unsigned run_formula(const formula *f, const halfcl_neighbours *lines,
                            halfcl_rounding mode)
{
    unsigned flags = 0;
    switch (f->name) {
    case DIFFERENCES:
        return halfcl_differences(lines, f->order, mode);
    case EVEN_GRADIENT:
        return halfcl_even_gradient(lines, f->distance, f->wide_ends, mode);
    case GRADIENT:
        return halfcl_gradient(lines, places, f->wide_ends, mode);
    case PHASES:
        return halfcl_unwrap(lines, f->distance, f->discontinuity, mode);
    case POLYNOMIAL:
        return halfcl_polynomial(lines, coefficients,
                                 sizeof coefficients / sizeof *coefficients, f->to_double,
                                 mode);
    default:
        if (!halfcl_trapezoid(lines, f->distance, mode, &flags) &&
            failed("integral of finite halves", halfcl_available(0), (int)mode))
            printf("refused\n");
        return flags;
    }
}

static halfcl_neighbour_maps maps_of(const halfcl_isa *isa)
{
    return (halfcl_neighbour_maps){
        .widen = find_map(isa, "convert", "e>d"),
        .narrow = find_map(isa, "convert", "d>e"),
        .subtract = find_map(isa, "subtract", "dd>d"),
        .subtract_twice = find_map(isa, "subtract_twice", "ddd>d"),
        .multiply_difference = find_map(isa, "multiply_difference", "ddd>d"),
        .divide_difference = find_map(isa, "divide_difference", "ddd>d")};
}

/* Results of lines, one after the other: halves, or the doubles themselves; and the exceptions
 * of rounding. */
typedef struct {
    double doubles[MOST];
    uint16_t halves[MOST];
    unsigned flags;
} results;

/* Writes the results for halves in some layout, and returns the exceptions. */
static unsigned run_lines(const halfcl_isa *isa, const formula *f, const uint16_t *halves,
                          size_t n, size_t count, int kind, halfcl_rounding mode, results *got)
{
    static char in[ROOM], out[ROOM];
    const size_t length = results_of(f, n), size = f->to_double ? sizeof(double) : 2;
    const layout from = layout_of(kind, n, count, 2),
                 to = layout_of((kind + 1) % LAYOUTS, length, count, size);
    const halfcl_neighbour_maps maps = maps_of(isa);
    const halfcl_neighbours lines = {
        &maps,
        {in + from.start, from.step, from.across, out + to.start, to.step, to.across, n},
        count};
    for (size_t i = 0; i < n * count; i++)
        memcpy(in + from.start + (ptrdiff_t)(i % n) * from.step +
                   (ptrdiff_t)(i / n) * from.across,
               halves + i, sizeof *halves);
    const unsigned flags = run_formula(f, &lines, mode);
    for (size_t i = 0; i < length * count; i++)
        memcpy(f->to_double ? (char *)(got->doubles + i) : (char *)(got->halves + i),
               out + to.start + (ptrdiff_t)(i % length) * to.step +
                   (ptrdiff_t)(i / length) * to.across,
               size);
    return flags;
}

/* Runs in another environment, too, which has to stay the same. */
static unsigned run_everywhere(const halfcl_isa *isa, const formula *f, const uint16_t *halves,
                               size_t n, size_t count, int kind, halfcl_rounding mode,
                               results *got)
{
    static results others;
    const uint64_t around = CALLER_DOWNWARD | CALLER_FLUSHING;
    set_caller(around, CALLER_DIVBYZERO);
    const unsigned other_flags = run_lines(isa, f, halves, n, count, kind, mode, &others);
    const bool is_kept = caller_control() == around && caller_exceptions() == CALLER_DIVBYZERO;
    set_caller(CALLER_USUAL, 0);
    const unsigned flags = run_lines(isa, f, halves, n, count, kind, mode, got);
    const bool is_alike =
        f->to_double
            ? !memcmp(got->doubles, others.doubles, results_of(f, n) * count * sizeof(double))
            : !memcmp(got->halves, others.halves, results_of(f, n) * count * 2);
    if ((!is_alike || !is_kept || flags != other_flags || caller_exceptions()) &&
        failed("neighbours in another environment", isa, (int)mode))
        printf("function %d of %zu lines of %zu: flags %x and %x\n", (int)f->name, count, n,
               flags, other_flags);
    set_caller(CALLER_USUAL, 0);
    return flags;
}

/* ------------------------------------------------------------ comparison */

static void compute_expected(const formula *f, const uint16_t *halves, size_t n, size_t count,
                             results *to)
{
    static double x[MOST], y[MOST];
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < n; i++)
            x[i] = half_value(halves[k * n + i]);
        expect_line(f, x, n, y);
        memcpy(to->doubles + k * results_of(f, n), y, results_of(f, n) * sizeof *y);
    }
    set_caller(CALLER_USUAL, 0); /* without the exceptions of all this */
}

static void round_expected(const formula *f, results *expected, size_t n, halfcl_rounding mode)
{
    expected->flags = 0;
    for (size_t i = 0; i < n && !f->to_double; i++) {
        const rounded result = round_value(expected->doubles[i], mode);
        expected->halves[i] = result.half;
        expected->flags |= result.flags;
    }
}

static bool are_same(const formula *f, const results *a, const results *b, size_t i)
{
    const double x = a->doubles[i], y = b->doubles[i];
    if (f->to_double)
        return memcmp(&x, &y, sizeof x) == 0 || (isnan(x) && isnan(y));
    return same_half(a->halves[i], b->halves[i]) ||
           (f->name == INTEGRAL && y == 0 && (a->halves[i] & 0x7fff) == 0);
}

/* Checks a function in all modes: exceptions only where all halves are finite. */
static void check_formula(const formula *f, const uint16_t *halves, size_t n, size_t count,
                          bool are_finite)
{
    static results expected, got;
    const size_t length = results_of(f, n);
    const halfcl_isa *isa;
    if (length == 0 || (f->name == INTEGRAL && !are_finite))
        return;
    compute_expected(f, halves, n, count, &expected);
    for (int mode = 0; mode < 4; mode++) {
        round_expected(f, &expected, length * count, (halfcl_rounding)mode);
        for (size_t s = 0; (isa = halfcl_available(s)); s++) {
            const int kind = (int)(mode + s + f->name + f->order) % LAYOUTS;
            const unsigned flags =
                run_everywhere(isa, f, halves, n, count, kind, (halfcl_rounding)mode, &got);
            if (are_finite && flags != expected.flags && failed("neighbours", isa, mode))
                printf("function %d of %zu lines of %zu: flags %x, not %x\n", (int)f->name,
                       count, n, flags, expected.flags);
            for (size_t i = 0; i < length * count; i++)
                if (!are_same(f, &got, &expected, i) && failed("neighbours", isa, mode))
                    printf("function %d of %zu lines of %zu, layout %d, result %zu: %04x %a, "
                           "not %04x %a\n",
                           (int)f->name, count, n, kind, i, got.halves[i], got.doubles[i],
                           expected.halves[i], expected.doubles[i]);
        }
    }
}

/* Checks distances so small that the weights of wide ends overflow. */
static void check_tiny_distance(const uint16_t *halves)
{
    static results got;
    const formula f = {EVEN_GRADIENT, .distance = 0x1p-1040, .wide_ends = true};
    const halfcl_isa *isa = halfcl_available(0);
    const unsigned flags = run_everywhere(isa, &f, halves, 3, 1, 0, HALFCL_RTE, &got);
    if (!(flags & HALFCL_OVERFLOW) && failed("neighbours at a tiny distance", isa, 0))
        printf("flags %x\n", flags);
}

/* Checks that wrong orders are refused, and integrals of lines that are not finite. */
static void check_refusals(const halfcl_isa *isa)
{
    static uint16_t halves[] = {0x3c00, 0x7c00, 0x3c00}, out[3];
    const halfcl_neighbour_maps maps = maps_of(isa);
    const halfcl_neighbours lines = {&maps, {(char *)halves, 2, 6, (char *)out, 2, 6, 3}, 1};
    unsigned flags;
    if (halfcl_differences(&lines, 0, HALFCL_RTE) != HALFCL_MISUSE ||
        halfcl_differences(&lines, HALFCL_MOST_DIFFERENCES + 1, HALFCL_RTE) != HALFCL_MISUSE ||
        halfcl_trapezoid(&lines, 1, HALFCL_RTE, &flags))
        if (failed("neighbours", isa, 0))
            printf("not refused\n");
}

void test_neighbours(void)
{
    /* Lines and their number: tiles of one line or many, of which some need several. */
    static const size_t shapes[][2] = {{2, 1},   {3, 1},  {40, 1},   {2060, 1}, {5000, 1},
                                       {3, 700}, {40, 3}, {256, 20}, {300, 19}, {700, 8}};
    static uint16_t halves[MOST];
    const halfcl_isa *isa;
    for (size_t i = 1; i < MOST; i++)
        places[i] = places[i - 1] + (double)(1 + random_bits() % 9) / 8;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int are_finite = 0; are_finite < 2; are_finite++) {
            const size_t n = shapes[k][0], count = shapes[k][1];
            for (size_t i = 0; i < n * count; i++) {
                halves[i] = pick_half();
                if (are_finite && (halves[i] & 0x7c00) == 0x7c00)
                    halves[i] &= 0x83ff;
            }
            for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
                check_formula(&formulas[i], halves, n, count, are_finite);
        }
    check_tiny_distance((const uint16_t[]){0x3c00, 0x4000, 0x4400});
    for (size_t s = 0; (isa = halfcl_available(s)); s++)
        check_refusals(isa);
}

#else

void test_neighbours(void)
{
}

#endif
