/* Tests totals, their quotients and multiples, and numbers at even distances, against 128-bit
 * integers: doubles must round to half, in each mode, like the exact results. */
#include "tests/testing.h"

#ifdef __SIZEOF_INT128__

typedef __int128 wide;

enum { UNIT = -49, MOST_TOTALS = 600, MOST_HALVES = 1 << 18, AT_ONCE = 500, WIDEST = 126 };

static int length_of(wide x)
{
    int length = 0;
    for (unsigned __int128 size = (unsigned __int128)(x < 0 ? -x : x); size != 0; size >>= 1)
        length++;
    return length;
}

static int sign_of_wide(wide x)
{
    return (x > 0) - (x < 0);
}

static wide shifted(wide x, int by)
{
    return x * ((wide)1 << by);
}

/* Compares x 2^x_exponent with y 2^y_exponent. */
static int compare_scaled(wide x, int x_exponent, wide y, int y_exponent)
{
    const int sign = sign_of_wide(x), more = length_of(x) + x_exponent,
              other = length_of(y) + y_exponent;
    if (sign != sign_of_wide(y) || sign == 0)
        return sign - sign_of_wide(y) > 0 ? 1 : sign == sign_of_wide(y) ? 0 : -1;
    if (more != other)
        return more > other ? sign : -sign;
    if (x_exponent > y_exponent)
        return sign_of_wide(shifted(x, x_exponent - y_exponent) - y);
    return sign_of_wide(x - shifted(y, y_exponent - x_exponent));
}

/* The exact result is dividend 2^exponent / divisor. */
static wide dividend, divisor;
static int exponent;

static int compare_result(const double *x, double bound)
{
    int of_bound;
    const double digits = ldexp(frexp(bound, &of_bound), 13);
    (void)x;
    return compare_scaled(dividend, exponent, (wide)digits * divisor, of_bound - 13) *
           sign_of_wide(divisor);
}

static void check_rounding(const char *what, double got)
{
    const halfcl_isa *isa = halfcl_available(0);
    for (int mode = 0; mode < 4; mode++) {
        const halfcl_rounding rounding = (halfcl_rounding)mode;
        const rounded result = round_value(got, rounding);
        rounded expected = {0, 0};
        if (dividend != 0)
            expected = round_exact(compare_result, NULL, rounding);
        else
            expected.half = result.half & 0x8000;
        if ((result.half != expected.half || result.flags != expected.flags) &&
            failed(what, isa, mode))
            printf("%a rounds to %04x flags %x, not to %04x flags %x\n", got, result.half,
                   result.flags, expected.half, expected.flags);
    }
}

static wide pick_integer(int most_bits)
{
    const wide bits =
        (wide)(((unsigned __int128)random_bits() << 64 | random_bits()) >> (128 - most_bits));
    const wide integer = bits >> (random_bits() % (uint64_t)most_bits);
    return random_bits() % 2 ? -integer : integer;
}

/* Returns an integer that is a number of few bits, or next to one. */
static wide pick_short(int most_bits)
{
    const wide few = pick_integer(most_bits < 13 ? most_bits : 13);
    const int zeros = most_bits > 14 ? (int)(random_bits() % (uint64_t)(most_bits - 14)) : 0;
    return shifted(few, zeros) + (int)(random_bits() % 3) - 1;
}

/* ------------------------------------------------------------ results */

typedef struct {
    double parts[3][MOST_TOTALS];
    halfcl_totals totals;
} storage;

static void start_totals(storage *s)
{
    for (int k = 0; k < 3; k++) {
        s->totals.part[k] = s->parts[k];
        for (int i = 0; i < MOST_TOTALS; i++)
            s->parts[k][i] = k == 0 ? -0.0 : 0.0;
    }
}

static void set_total(storage *s, size_t i, wide value)
{
    for (int k = 0; k < 3; k++) {
        const double part = (double)value;
        s->parts[k][i] = ldexp(part, UNIT);
        value -= (wide)part;
    }
}

enum { TESTED = 40 };

static void test_quotients(void)
{
    static storage tops, bottoms;
    wide top[TESTED], bottom[TESTED];
    double results[TESTED];
    start_totals(&tops);
    start_totals(&bottoms);
    for (int i = 0; i < TESTED; i++) {
        bottom[i] = random_bits() % 2 ? pick_integer(90) : pick_short(90);
        bottom[i] += bottom[i] == 0;
        top[i] = random_bits() % 2 ? pick_integer(93) : pick_short(93);
        if (random_bits() % 2 && length_of(bottom[i]) < 79)
            top[i] = bottom[i] * pick_integer(13) + (int)(random_bits() % 3) - 1;
        set_total(&tops, (size_t)i, top[i]);
        set_total(&bottoms, (size_t)i, bottom[i]);
    }
    if (!halfcl_divide_totals(results, &tops.totals, &bottoms.totals, TESTED) &&
        failed("quotients", halfcl_available(0), 0))
        printf("finite totals are not finite\n");
    for (int i = 0; i < TESTED; i++) {
        dividend = top[i], divisor = bottom[i], exponent = 0;
        check_rounding("quotient", results[i]);
    }
}

static void test_multiples(void)
{
    static storage s;
    wide values[TESTED];
    double results[TESTED];
    const int bits = 60 + (int)(random_bits() % 35), room = WIDEST - bits;
    const wide digits = random_bits() % 3 ? pick_integer(room < 53 ? room : 53)
                                          : shifted(random_bits() % 2 ? 1 : -3, 20);
    const int scale = (int)(random_bits() % 80) - 60;
    start_totals(&s);
    for (int i = 0; i < TESTED; i++) {
        values[i] = random_bits() % 2 ? pick_integer(bits) : pick_short(bits);
        if (random_bits() % 4 == 0 && digits != 0)
            values[i] = pick_short(bits) / digits + (int)(random_bits() % 3) - 1;
        set_total(&s, (size_t)i, values[i]);
    }
    if (!halfcl_multiply_totals(results, &s.totals, ldexp((double)digits, scale), TESTED) &&
        failed("multiples", halfcl_available(0), 0))
        printf("finite totals are not finite\n");
    for (int i = 0; i < TESTED; i++) {
        dividend = values[i] * digits, divisor = 1, exponent = scale + UNIT;
        check_rounding("multiple", results[i]);
    }
}

/* Tests that results of infinities, NaNs and divisors of zero are NaN, beside others. */
static void test_results_without_number(void)
{
    static storage tops, bottoms;
    const double kinds[] = {INFINITY, -INFINITY, NAN};
    double quotients[4], multiples[4];
    const int where = (int)(random_bits() % 4);
    start_totals(&tops);
    start_totals(&bottoms);
    for (size_t i = 0; i < 4; i++) {
        set_total(&tops, i, 3);
        set_total(&bottoms, i, 1);
    }
    if (random_bits() % 2)
        bottoms.parts[0][where] = 0;
    else
        tops.parts[0][where] = kinds[random_bits() % 3];
    bool are_finite = halfcl_divide_totals(quotients, &tops.totals, &bottoms.totals, 4);
    bool wrong = are_finite;
    are_finite = halfcl_multiply_totals(multiples, &tops.totals, 0.1, 4);
    wrong |= are_finite != (isfinite(tops.parts[0][where]) != 0);
    for (int i = 0; i < 4; i++) {
        wrong |= i == where ? !isnan(quotients[i]) : quotients[i] != 3;
        wrong |= (isnan(multiples[i]) != 0) != (i == where && !are_finite);
    }
    if (wrong && failed("totals", halfcl_available(0), 0))
        printf("of no finite number are wrong\n");
}

/* ------------------------------------------------------------ sums */

/* The exact sum of terms, in UNIT. */
typedef struct {
    wide sum;
    bool is_minus_zero, is_special;
} reference;

static wide units(double x, int unit)
{
    return (wide)ldexp(x, -unit);
}

static void add_term(reference *r, double x, double y, double factor)
{
    const double product = x * y * factor;
    r->is_minus_zero &= product == 0 && signbit(product);
    if (isfinite(x * y))
        r->sum += units(x, -24) * units(y, -24) * units(factor, -1);
    else
        r->is_special = true;
}

typedef struct {
    size_t count, n;
    ptrdiff_t along[2], across[2]; /* in elements */
    size_t first[2];               /* elements before the first one */
    bool weighted, halves_ends;
    float scale;
} layout;

/* Sets the steps of an input: rows or columns, both with gaps or backwards, or repeated. */
static void pick_steps(layout *l, int input)
{
    const ptrdiff_t gap = 1 + (ptrdiff_t)(random_bits() % 2), n = (ptrdiff_t)l->n,
                    count = (ptrdiff_t)l->count;
    const bool lie_in_rows = random_bits() % 2;
    const uint64_t kind = random_bits() % 8;
    l->along[input] = lie_in_rows ? gap : gap * count;
    l->across[input] = lie_in_rows ? gap * n : gap;
    l->first[input] = 0;
    if (kind == 0) {
        l->first[input] = (size_t)((n - 1) * l->along[input]);
        l->along[input] = -l->along[input];
    } else if (kind == 1) {
        l->across[input] = 0;
    } else if (kind == 2) {
        l->along[input] = 0;
    }
}

static layout pick_layout(void)
{
    static const size_t lengths[] = {1, 2, 3, 16, 31, 32, 33, 127, 128, 200, 1100, 2100};
    static const size_t counts[] = {1, 2, 15, 16, 17, 255, 256, 257, MOST_TOTALS};
    layout l = {.count = counts[random_bits() % 9], .n = lengths[random_bits() % 12]};
    l.count = 2 * l.count * l.n > MOST_HALVES ? 1 + l.count % 20 : l.count;
    l.weighted = random_bits() % 2;
    l.halves_ends = !l.weighted && l.n > 1 && random_bits() % 2;
    l.scale = random_bits() % 4 ? 1 : -1;
    pick_steps(&l, 0);
    pick_steps(&l, 1);
    return l;
}

static uint16_t pick_element(int kind)
{
    const uint16_t half = pick_half();
    if (kind == 0)
        return 0x8000;
    if (kind == 1)
        return half & 0x8000;
    if (kind == 2)
        return random_bits() % 1000 ? half & 0xbbff : half;
    return kind == 3 ? (half & 0x83ff) | 0x7800 : half & 0xbbff;
}

static double element_of(const uint16_t *input, const layout *l, int i, size_t line, size_t k)
{
    return half_value(input[(ptrdiff_t)l->first[i] + (ptrdiff_t)line * l->across[i] +
                            (ptrdiff_t)k * l->along[i]]);
}

static void add_terms(reference *to, uint16_t *const *inputs, const layout *l, size_t line)
{
    for (size_t k = 0; k < l->n; k++) {
        const bool is_end = l->halves_ends && (k == 0 || k + 1 == l->n);
        add_term(to, element_of(inputs[0], l, 0, line, k),
                 l->weighted ? element_of(inputs[1], l, 1, line, k) : 1,
                 is_end ? 0.5 * (double)l->scale : (double)l->scale);
    }
}

static void check_total(const halfcl_isa *isa, const storage *s, size_t at,
                        const reference *expected)
{
    wide sum = 0;
    bool is_special = false, is_normal = true;
    for (int k = 0; k < 3; k++) {
        const double part = s->parts[k][at];
        is_special |= !isfinite(part);
        sum += isfinite(part) ? units(part, UNIT) : 0;
        is_normal &= k == 0 || s->parts[k - 1][at] + part == s->parts[k - 1][at];
    }
    bool right = is_special == expected->is_special;
    if (!is_special)
        right &= is_normal && sum == expected->sum &&
                 (sum != 0 || (signbit(s->parts[0][at]) != 0) == expected->is_minus_zero);
    if (!right && failed("total", isa, 0))
        printf("%a %a %a is wrong\n", s->parts[0][at], s->parts[1][at], s->parts[2][at]);
}

static halfcl_totalling totalling_by(const halfcl_isa *isa, bool halves_ends)
{
    const halfcl_signature one = HALFCL_HALVES(1, 1), two = HALFCL_HALVES(2, 1);
    return (halfcl_totalling){.widen = find_map(isa, "convert", "e>f"),
                              .sum = halfcl_find_kernel(isa, "add_reduce", HALFCL_FOLD, &one),
                              .products = halfcl_find_kernel(isa, "dot", HALFCL_FOLD, &two),
                              .halves_ends = halves_ends};
}

/* Adds elements of several layouts to the same totals, some of them a few apart. */
static void test_sums(uint16_t *const *inputs)
{
    static storage s;
    static reference expected[MOST_TOTALS];
    layout layouts[2] = {pick_layout(), pick_layout()};
    const int kinds[] = {(int)(random_bits() % 6), (int)(random_bits() % 6)};
    const halfcl_isa *isa;
    for (size_t k = 0; k < 4 * MOST_HALVES / 3; k++)
        for (int i = 0; i < 2; i++)
            inputs[i][k] = pick_element(kinds[i]);
    for (size_t i = 0; i < MOST_TOTALS; i++)
        expected[i] = (reference){0, true, false};
    const ptrdiff_t apart = layouts[0].count < MOST_TOTALS / 3 ? 2 : 1;
    layouts[1].count = layouts[0].count; /* which needs no more memory */
    layouts[1].n = layouts[0].n;
    layouts[1].halves_ends &= layouts[1].n > 1;
    for (int call = 0; call < 2; call++) {
        pick_steps(&layouts[call], 0);
        pick_steps(&layouts[call], 1);
        for (size_t line = 0; line < layouts[call].count; line++)
            add_terms(&expected[(ptrdiff_t)line * apart], inputs, &layouts[call], line);
    }
    for (size_t set = 0; (isa = halfcl_available(set)); set++) {
        start_totals(&s);
        for (int call = 0; call < 2; call++) {
            const layout *l = &layouts[call];
            const halfcl_totalling how = totalling_by(isa, l->halves_ends);
            halfcl_elements elements = {.count = l->count, .n = l->n};
            for (int i = 0; i < 2; i++) {
                elements.inputs[i] = (char *)(inputs[i] + l->first[i]);
                elements.along[i] = 2 * l->along[i];
                elements.across[i] = 2 * l->across[i];
            }
            halfcl_add_to_totals(&how, &s.totals, 0, apart, &elements, l->weighted, l->scale);
        }
        for (size_t i = 0; i < MOST_TOTALS; i++)
            check_total(isa, &s, i, &expected[i]);
    }
}

/* ------------------------------------------------------------ even numbers */

/* Returns x 2^exponent as a double, truncated with a sticky last bit. */
static double to_odd(wide x, int of_x)
{
    const int excess = length_of(x) - 53;
    if (excess <= 0)
        return ldexp((double)x, of_x);
    const wide size = x < 0 ? -x : x, high = size >> excess;
    const double odd = (double)(high | (shifted(high, excess) != size));
    return ldexp(x < 0 ? -odd : odd, excess + of_x);
}

static void test_multiply_add(void)
{
    const wide x = pick_integer(53), y = pick_integer(53);
    wide z = pick_integer(53);
    const int of_product = (int)(random_bits() % 20), of_z = (int)(random_bits() % 70);
    if (random_bits() % 4 == 0) /* nearly cancels */
        z = -(wide)(double)(x * y) >> (length_of(x * y) > 53 ? length_of(x * y) - 53 : 0);
    const wide sum = shifted(x * y, of_product) + shifted(z, of_z);
    const double got = halfcl_multiply_add_to_odd(ldexp((double)x, of_product), (double)y,
                                                  ldexp((double)z, of_z));
    if (got != to_odd(sum, 0) && failed("multiply_add_to_odd", halfcl_available(0), 0))
        printf("%a, not %a\n", got, to_odd(sum, 0));
}

/* Starts are zeros of both signs, any numbers, or such that an element is nearly a short
 * number. */
static void test_even_numbers(void)
{
    double got[AT_ONCE];
    const bool exactly = random_bits() % 2;
    const size_t n = 1 + random_bits() % AT_ONCE;
    const size_t first = random_bits() % 2 ? 0 : (random_bits() >> 33) - AT_ONCE;
    const int bits = 1 + (int)(random_bits() % 53), unit = -25 - (int)(random_bits() % 50);
    const int up = (int)(random_bits() % 30), step_up = (int)(random_bits() % 30);
    const wide step =
        shifted(random_bits() % 2 ? pick_integer(bits) : pick_short(bits), step_up);
    const uint64_t kind = random_bits() % 4;
    wide start = kind == 0 ? 0 : shifted(pick_integer(bits), up);
    if (kind == 1)
        start = (wide)(double)(shifted(pick_integer(13), step_up + bits) -
                               (wide)(first + random_bits() % n) * step);
    const double first_number = start == 0 && random_bits() % 2 ? -0.0 : (double)start;
    halfcl_even_numbers(got, ldexp(first_number, unit), ldexp((double)step, unit), first, n,
                        exactly);
    for (size_t i = 0; i < n; i++) {
        dividend = start + (wide)(first + i) * step, divisor = 1, exponent = unit;
        check_rounding("even numbers", got[i]);
        if (((exactly && got[i] != to_odd(dividend, unit)) ||
             (dividend == 0 && signbit(got[i]))) &&
            failed("even numbers", halfcl_available(0), 0))
            printf("number %zu is %a, not %a\n", first + i, got[i], to_odd(dividend, unit));
    }
}

void test_totals(void)
{
    uint16_t *const inputs[] = {malloc(4 * MOST_HALVES), malloc(4 * MOST_HALVES)};
    for (int turn = 0; turn < 4000; turn += one_in) {
        test_quotients();
        test_multiples();
        test_results_without_number();
    }
    for (int turn = 0; turn < 400; turn += one_in)
        test_sums(inputs);
    for (int turn = 0; turn < 200000; turn += one_in)
        test_multiply_add();
    for (int turn = 0; turn < 400; turn += one_in)
        test_even_numbers();
    free(inputs[0]);
    free(inputs[1]);
}

#else

void test_totals(void)
{
}

#endif
