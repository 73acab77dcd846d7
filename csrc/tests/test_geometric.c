/* Tests dot products, lengths, distances and normalized vectors against 128-bit integers. */
#include "tests/testing.h"

#ifdef __SIZEOF_INT128__

typedef __int128 wide;

enum { MOST_WIDE = 300, TURNS = 20000, LONGEST = 140000 };

/* A result is component / sqrt(squares), or sqrt(squares), or sum. In units of 2^-24 and
 * 2^-48. */
static wide sum, component;

static int sign_of_wide(wide x)
{
    return (x > 0) - (x < 0);
}

/* bound is a multiple of 2^-25 here. */
static wide doubled_units(double bound)
{
    return (wide)(bound * 0x1p25);
}

static int compare_sum(const double *x, double bound)
{
    (void)x;
    return sign_of_wide(sum - (wide)(bound * 0x1p25) * ((wide)1 << 23));
}

static int compare_root(const double *x, double bound)
{
    (void)x;
    return sign_of_wide(4 * sum - doubled_units(bound) * doubled_units(bound));
}

/* Components are below 2 here, and ratios at most 1. */
static int compare_ratio(const double *x, double bound)
{
    wide number = doubled_units(bound);
    (void)x;
    if (number == 0 || bound > 2 || bound < -2)
        return bound == 0 ? sign_of_wide(component) : bound > 0 ? -1 : 1;
    wide difference = component * component * ((wide)1 << 50) - number * number * sum;
    return (component > 0 ? 1 : -1) * sign_of_wide(difference);
}

static wide units(uint16_t half)
{
    return (wide)(half_value(half) * 0x1p24);
}

/* With many vectors, all of them the same, other loops run than with one. */
static size_t vectors_at_once = 1;

static unsigned run_vector(const halfcl_isa *isa, const char *name, uint16_t *a, uint16_t *b,
                           uint16_t *out, size_t width, size_t out_width, int mode)
{
    const halfcl_vectors first = {(char *)a, 0, 2, width}, second = {(char *)b, 0, 2, width};
    const halfcl_vectors result = {(char *)out, 0, 2, out_width};
    const halfcl_vectors of_one[] = {first, result}, of_two[] = {first, second, result};
    const halfcl_signature signature = HALFCL_HALVES(b ? 2 : 1, 1);
    return halfcl_run_vectors(halfcl_find_kernel(isa, name, HALFCL_VECTORS, &signature),
                              b ? of_two : of_one, vectors_at_once, (halfcl_rounding)mode);
}

static void check(const halfcl_isa *isa, const char *name, int mode, size_t width, uint16_t got,
                  unsigned flags, rounded expected)
{
    if ((!same_half(got, expected.half) || flags != expected.flags) && failed(name, isa, mode))
        printf("%zu components gave %04x flags %x, not %04x flags %x\n", width, got, flags,
               expected.half, expected.flags);
}

static rounded expect(comparison *compare, int mode)
{
    const rounded zero = {0, 0};
    return compare(NULL, 0) ? round_exact(compare, NULL, (halfcl_rounding)mode) : zero;
}

static void check_vectors(const halfcl_isa *isa, uint16_t *a, uint16_t *b, size_t width,
                          int mode)
{
    uint16_t out[MOST_WIDE], small[MOST_WIDE];
    unsigned flags;
    sum = 0;
    for (size_t k = 0; k < width; k++)
        sum += units(a[k]) * units(b[k]);
    flags = run_vector(isa, "vectors_dot", a, b, out, width, 1, mode);
    if (sum != 0)
        check(isa, "dot", mode, width, *out, flags, expect(compare_sum, mode));
    sum = 0;
    for (size_t k = 0; k < width; k++)
        sum += (units(a[k]) - units(b[k])) * (units(a[k]) - units(b[k]));
    flags = run_vector(isa, "vectors_distance", a, b, out, width, 1, mode);
    check(isa, "distance", mode, width, *out, flags, expect(compare_root, mode));
    sum = 0;
    for (size_t k = 0; k < width; k++) {
        small[k] = a[k] & 0xbfff;
        sum += units(small[k]) * units(small[k]);
    }
    flags = run_vector(isa, "vectors_length", small, NULL, out, width, 1, mode);
    check(isa, "length", mode, width, *out, flags, expect(compare_root, mode));
    flags = run_vector(isa, "vectors_norm", small, NULL, out, width, 1, mode);
    check(isa, "norm", mode, width, *out, flags, expect(compare_root, mode));
    flags = run_vector(isa, "vectors_normalize", small, NULL, out, width, width, mode);
    for (size_t k = 0; k < width; k++) {
        component = units(small[k]);
        rounded expected = expect(compare_ratio, mode);
        expected.half |= small[k] & 0x8000;
        check(isa, "normalize", mode, width, out[k], 0, (rounded){expected.half, 0});
        flags &= ~expected.flags;
    }
    check(isa, "normalize", mode, width, 0, flags, (rounded){0, 0});
}

static uint16_t pick_finite(void)
{
    uint16_t half = pick_half();
    return (half & 0x7c00) == 0x7c00 ? half & 0xbbff : half;
}

/* Tests a ratio of the second component that is within 2^-44 of a midpoint. */
static void check_near_midpoint(void)
{
    enum { WIDTH = 4 };
    uint16_t a[WIDTH] = {0xbde5, 0x4408, 0x2347, 0x8ebc}, out[WIDTH];
    const halfcl_isa *isa;
    sum = 0;
    for (size_t k = 0; k < WIDTH; k++)
        sum += units(a[k]) * units(a[k]);
    component = units(a[1]);
    for (size_t s = 0; (isa = halfcl_available(s)); s++) {
        for (int mode = 0; mode < 4; mode++) {
            run_vector(isa, "vectors_normalize", a, NULL, out, WIDTH, WIDTH, mode);
            check(isa, "normalize", mode, WIDTH, out[1], 0,
                  (rounded){expect(compare_ratio, mode).half, 0});
        }
    }
}

/* Returns a dot product in which some term is infinite or NaN. */
static rounded special_dot(const uint16_t *a, const uint16_t *b, size_t width)
{
    rounded result = {0x7e00, 0};
    bool nan = false, plus = false, minus = false;
    for (size_t k = 0; k < width; k++) {
        const double x = half_value(a[k]), y = half_value(b[k]), product = x * y;
        if (is_signalling(a[k]) || is_signalling(b[k]) ||
            (isnan(product) && !isnan(x) && !isnan(y)))
            result.flags = HALFCL_INVALID;
        nan |= isnan(product);
        plus |= product == INFINITY;
        minus |= product == -INFINITY;
    }
    if (!nan && plus && minus)
        result.flags = HALFCL_INVALID;
    else if (!nan)
        result.half = minus ? 0xfc00 : 0x7c00;
    return result;
}

/* Returns the length of a difference that has an infinite or NaN component: it is infinite if
 * one is. Without b, of a vector. */
static rounded special_length(const uint16_t *a, const uint16_t *b, size_t width)
{
    rounded result = {0x7e00, 0};
    for (size_t k = 0; k < width; k++) {
        const uint16_t y = b ? b[k] : 0;
        const double component = half_value(a[k]) - half_value(y);
        if (is_signalling(a[k]) || is_signalling(y) ||
            (isnan(component) && !is_nan_half(a[k]) && !is_nan_half(y)))
            result.flags = HALFCL_INVALID;
        if (isinf(component))
            result.half = 0x7c00;
    }
    return result;
}

/* Returns the norm of a vector that has an infinite or NaN component: a NaN if one is. */
static rounded special_norm(const uint16_t *a, size_t width)
{
    rounded result = special_length(a, NULL, width);
    for (size_t k = 0; k < width; k++)
        result.half = is_nan_half(a[k]) ? 0x7e00 : result.half;
    return result;
}

/* Checks functions of vectors whose components are steps bytes apart. */
static void check_specials(const uint16_t *a, const uint16_t *b, size_t width, ptrdiff_t step,
                           size_t count, int mode)
{
    static char memory[2][6 * LONGEST];
    uint16_t out;
    const halfcl_vectors vectors[] = {
        {memory[0], 0, step, width}, {memory[1], 0, step, width}, {(char *)&out, 0, 2, 1}};
    const struct {
        const char *name;
        uint8_t inputs;
        rounded expected;
    } functions[] = {{"vectors_dot", 2, special_dot(a, b, width)},
                     {"vectors_distance", 2, special_length(a, b, width)},
                     {"vectors_length", 1, special_length(a, NULL, width)},
                     {"vectors_norm", 1, special_norm(a, width)}};
    const halfcl_isa *isa;
    halfcl_copy(memory[0], step, (const char *)a, 2, width);
    halfcl_copy(memory[1], step, (const char *)b, 2, width);
    for (size_t s = 0; (isa = halfcl_available(s)); s++) {
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            const halfcl_signature signature = HALFCL_HALVES(functions[i].inputs, 1);
            const halfcl_kernel *kernel =
                halfcl_find_kernel(isa, functions[i].name, HALFCL_VECTORS, &signature);
            const halfcl_vectors of_one[] = {vectors[0], vectors[2]};
            const unsigned flags =
                halfcl_run_vectors(kernel, functions[i].inputs == 1 ? of_one : vectors, count,
                                   (halfcl_rounding)mode);
            check(isa, functions[i].name, mode, width, out, flags, functions[i].expected);
        }
    }
}

/* Tests a few infinities, NaNs and zeros among many finite terms, each kind with the ones
 * before it. */
static void test_specials(void)
{
    static const uint16_t kinds[] = {0x7c00, 0x7e00, 0x0000, 0xfc00, 0x7d00};
    static const size_t widths[] = {3, 17, 40, 300, 1500, 5000, 9000, 70000, LONGEST};
    static uint16_t a[LONGEST], b[LONGEST];
    for (int turn = 0; turn < 1800; turn += one_in) {
        const size_t width = widths[turn % 9], count = turn / 9 % 2 ? 1 : 5;
        const size_t most = 1 + random_bits() % 5;
        const ptrdiff_t steps[] = {2, 2, 6, 3};
        if (width > 9000 && turn / 9 % 5)
            continue;
        for (size_t k = 0; k < width; k++) {
            a[k] = pick_finite() | 1; /* no zero, whose product with infinity is invalid */
            b[k] = pick_finite() | 1;
        }
        for (int k = 0; k < 4; k++) {
            a[random_bits() % width] = kinds[random_bits() % most];
            b[random_bits() % width] = kinds[random_bits() % most];
        }
        a[random_bits() % width] = kinds[random_bits() % 2];
        if (turn % 5 == 0)
            b[0] = a[0] = 0x7c00;
        check_specials(a, b, width, steps[random_bits() % 4], count, turn & 3);
    }
}

void test_geometric(void)
{
    const halfcl_isa *isa;
    check_near_midpoint();
    test_specials();
    for (int turn = 0; turn < TURNS; turn++) {
        uint16_t a[MOST_WIDE], b[MOST_WIDE];
        size_t most = turn % 64 == 0 ? MOST_WIDE : turn % 4 ? 4 : 40;
        size_t width = random_bits() % most + 1;
        for (size_t k = 0; k < width; k++) {
            a[k] = pick_finite();
            b[k] = turn % 3 ? pick_finite() : a[k] ^ (random_bits() % 4 == 0);
        }
        vectors_at_once = turn / 4 % 2 ? 1 : 5;
        for (size_t s = 0; (isa = halfcl_available(s)); s++)
            check_vectors(isa, a, b, width, turn & 3);
    }
}

#else

void test_geometric(void)
{
}

#endif
