/* Tests comparisons, classification and other functions of bits. */
#include "tests/testing.h"

typedef int relation(double a, double b);

static int r_equal(double a, double b)
{
    return a == b;
}
static int r_not_equal(double a, double b)
{
    return a != b;
}
static int r_less(double a, double b)
{
    return a < b;
}
static int r_less_equal(double a, double b)
{
    return a <= b;
}
static int r_greater(double a, double b)
{
    return a > b;
}
static int r_greater_equal(double a, double b)
{
    return a >= b;
}
static int r_and(double a, double b)
{
    return a && b;
}
static int r_or(double a, double b)
{
    return a || b;
}
static int r_xor(double a, double b)
{
    return !a != !b;
}
static int r_isnan(double a, double b)
{
    (void)b;
    return isnan(a) != 0;
}
static int r_isinf(double a, double b)
{
    (void)b;
    return isinf(a) != 0;
}
static int r_isfinite(double a, double b)
{
    (void)b;
    return isfinite(a) != 0;
}
static int r_signbit(double a, double b)
{
    (void)b;
    return signbit(a) != 0;
}
static int r_not(double a, double b)
{
    (void)b;
    return !a;
}
static int r_less_greater(double a, double b)
{
    return a < b || a > b;
}
static int r_ordered(double a, double b)
{
    return !isnan(a) && !isnan(b);
}
static int r_unordered(double a, double b)
{
    return isnan(a) || isnan(b);
}
static int r_isnormal(double a, double b)
{
    (void)b;
    return isfinite(a) && fabs(a) >= 0x1p-14;
}
static int r_truth(double a, double b)
{
    (void)b;
    return a != 0;
}

static const struct {
    const char *name, *types;
    relation *expected;
} relations[] = {
    {"equal", "ee>?", r_equal},
    {"not_equal", "ee>?", r_not_equal},
    {"less", "ee>?", r_less},
    {"less_equal", "ee>?", r_less_equal},
    {"greater", "ee>?", r_greater},
    {"greater_equal", "ee>?", r_greater_equal},
    {"logical_and", "ee>?", r_and},
    {"logical_or", "ee>?", r_or},
    {"logical_xor", "ee>?", r_xor},
    {"logical_not", "e>?", r_not},
    {"isnan", "e>?", r_isnan},
    {"isinf", "e>?", r_isinf},
    {"isfinite", "e>?", r_isfinite},
    {"signbit", "e>?", r_signbit},
    {"less_greater", "ee>?", r_less_greater},
    {"ordered", "ee>?", r_ordered},
    {"unordered", "ee>?", r_unordered},
    {"isnormal", "e>?", r_isnormal},
    {"convert", "e>?", r_truth},
};

/* Functions of two halves to a half, on bits. */

typedef uint16_t selection(uint16_t a, uint16_t b);

static uint16_t s_maximum(uint16_t a, uint16_t b)
{
    return half_value(a) >= half_value(b) || is_nan_half(a) ? a : b;
}
static uint16_t s_minimum(uint16_t a, uint16_t b)
{
    return half_value(a) <= half_value(b) || is_nan_half(a) ? a : b;
}
static uint16_t s_fmax(uint16_t a, uint16_t b)
{
    return half_value(a) >= half_value(b) || is_nan_half(b) ? a : b;
}
static uint16_t s_fmin(uint16_t a, uint16_t b)
{
    return half_value(a) <= half_value(b) || is_nan_half(b) ? a : b;
}
static uint16_t s_maxmag(uint16_t a, uint16_t b)
{
    double x = fabs(half_value(a)), y = fabs(half_value(b));
    return x > y ? a : y > x ? b : s_fmax(a, b);
}
static uint16_t s_minmag(uint16_t a, uint16_t b)
{
    double x = fabs(half_value(a)), y = fabs(half_value(b));
    return x < y ? a : y < x ? b : s_fmin(a, b);
}
static uint16_t s_heaviside(uint16_t a, uint16_t b)
{
    double x = half_value(a);
    return is_nan_half(a) ? a : x == 0 ? b : x < 0 ? 0 : 0x3c00;
}
static uint16_t s_copysign(uint16_t a, uint16_t b)
{
    return (uint16_t)((a & 0x7fff) | (b & 0x8000));
}
static uint16_t s_negative(uint16_t a, uint16_t b)
{
    (void)b;
    return a ^ 0x8000;
}
static uint16_t s_fabs(uint16_t a, uint16_t b)
{
    (void)b;
    return a & 0x7fff;
}
static uint16_t s_positive(uint16_t a, uint16_t b)
{
    (void)b;
    return a;
}
static uint16_t s_sign(uint16_t a, uint16_t b)
{
    (void)b;
    return is_nan_half(a) ? a : half_value(a) == 0 ? 0 : a & 0x8000 ? 0xbc00 : 0x3c00;
}
static uint16_t s_max(uint16_t a, uint16_t b)
{
    return half_value(a) < half_value(b) ? b : a;
}
static uint16_t s_min(uint16_t a, uint16_t b)
{
    return half_value(b) < half_value(a) ? b : a;
}
static uint16_t s_step(uint16_t a, uint16_t b)
{
    return half_value(b) < half_value(a) ? 0 : 0x3c00;
}
static uint16_t s_cl_sign(uint16_t a, uint16_t b)
{
    return is_nan_half(a) ? 0 : half_value(a) == 0 ? a : s_sign(a, b);
}
static uint16_t s_nextafter(uint16_t a, uint16_t b)
{
    double x = half_value(a), y = half_value(b);
    if (isnan(x) || isnan(y))
        return 0x7e00;
    if (x == y)
        return b;
    if (x == 0)
        return y > 0 ? 1 : 0x8001;
    return (uint16_t)((x < y) == (x > 0) ? a + 1 : a - 1);
}

static uint16_t s_nextup(uint16_t a, uint16_t b)
{
    (void)b;
    return s_nextafter(a, 0x7c00);
}
static uint16_t s_nextdown(uint16_t a, uint16_t b)
{
    (void)b;
    return s_nextafter(a, 0xfc00);
}

static const struct {
    const char *name, *types;
    selection *expected;
    bool keeps_nan; /* even signalling ones */
} selections[] = {
    {"maximum", "ee>e", s_maximum, 0},
    {"minimum", "ee>e", s_minimum, 0},
    {"fmax", "ee>e", s_fmax, 0},
    {"fmin", "ee>e", s_fmin, 0},
    {"maxmag", "ee>e", s_maxmag, 0},
    {"minmag", "ee>e", s_minmag, 0},
    {"heaviside", "ee>e", s_heaviside, 0},
    {"copysign", "ee>e", s_copysign, 1},
    {"negative", "e>e", s_negative, 1},
    {"fabs", "e>e", s_fabs, 1},
    {"positive", "e>e", s_positive, 1},
    {"signum", "e>e", s_sign, 0},
    {"nextafter", "ee>e", s_nextafter, 0},
    {"nextup", "e>e", s_nextup, 0},
    {"nextdown", "e>e", s_nextdown, 0},
    {"max", "ee>e", s_max, 0},
    {"min", "ee>e", s_min, 0},
    {"step", "ee>e", s_step, 0},
    {"sign", "e>e", s_cl_sign, 0},
};

enum { LENGTH = 65536 };

static void check_relation(size_t r, uint16_t *a, uint16_t *b, uint8_t *out, size_t n)
{
    const halfcl_isa *isa;
    bool binary = strchr(relations[r].types, '>') - relations[r].types == 2;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        void *args[] = {a, binary ? (void *)b : out, out};
        const char *name = relations[r].name;
        const halfcl_kernel *kernel = find_map(isa, name, relations[r].types);
        out[n] = 77;
        unsigned flags = run(kernel, args, n, 0);
        if ((flags || out[n] != 77) && failed(name, isa, 0))
            printf("flags %x, or wrote past the end\n", flags);
        for (size_t i = 0; i < n; ++i) {
            int expected = relations[r].expected(half_value(a[i]), half_value(b[i]));
            if (out[i] != expected && failed(name, isa, 0))
                printf("%04x %04x gave %d\n", a[i], b[i], out[i]);
        }
    }
}

static void check_selection(size_t r, uint16_t *a, uint16_t *b, uint16_t *out, size_t n)
{
    const halfcl_isa *isa;
    bool binary = strchr(selections[r].types, '>') - selections[r].types == 2;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        void *args[] = {a, binary ? (void *)b : out, out};
        const char *name = selections[r].name;
        const halfcl_kernel *kernel = find_map(isa, name, selections[r].types);
        out[n] = 7777;
        run(kernel, args, n, 0);
        if (out[n] != 7777 && failed(name, isa, 0))
            printf("wrote past the end of %zu\n", n);
        for (size_t i = 0; i < n; ++i) {
            uint16_t expected = selections[r].expected(a[i], b[i]);
            bool same =
                selections[r].keeps_nan ? out[i] == expected : same_half(out[i], expected);
            if (!same && failed(name, isa, 0))
                printf("%04x %04x gave %04x, not %04x\n", a[i], b[i], out[i], expected);
        }
    }
}

/* Functions of three halves. */

typedef uint16_t choice(uint16_t a, uint16_t b, uint16_t c);

static uint16_t c_clip(uint16_t a, uint16_t b, uint16_t c)
{
    return s_minimum(s_maximum(a, b), c);
}
static uint16_t c_clamp(uint16_t a, uint16_t b, uint16_t c)
{
    return s_fmin(s_fmax(a, b), c);
}
static uint16_t c_select(uint16_t a, uint16_t b, uint16_t c)
{
    return c ? b : a;
}
static uint16_t c_by_top_bit(uint16_t a, uint16_t b, uint16_t c)
{
    return c & 0x8000 ? b : a;
}
static uint16_t c_bitselect(uint16_t a, uint16_t b, uint16_t c)
{
    return (uint16_t)((a & ~c) | (b & c));
}

static const struct {
    const char *name, *types;
    choice *expected;
    bool of_bits;
} choices[] = {
    {"clip", "eee>e", c_clip, 0},           {"clamp", "eee>e", c_clamp, 0},
    {"select", "eeh>e", c_select, 1},       {"select_by_top_bit", "eeh>e", c_by_top_bit, 1},
    {"bitselect", "HHH>H", c_bitselect, 1},
};

static void check_choice(size_t r, uint16_t *a, uint16_t *b, uint16_t *c, uint16_t *out,
                         size_t n)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const char *name = choices[r].name;
        const halfcl_kernel *kernel = find_map(isa, name, choices[r].types);
        out[n] = 7777;
        unsigned flags = run(kernel, (void *[]){a, b, c, out}, n, 0);
        if ((flags || out[n] != 7777) && failed(name, isa, 0))
            printf("flags %x, or wrote past the end\n", flags);
        for (size_t i = 0; i < n; ++i) {
            uint16_t expected = choices[r].expected(a[i], b[i], c[i]);
            bool same = choices[r].of_bits ? out[i] == expected : same_half(out[i], expected);
            if (!same && failed(name, isa, 0))
                printf("%04x %04x %04x gave %04x, not %04x\n", a[i], b[i], c[i], out[i],
                       expected);
        }
    }
}

static void check_select_by_truth(uint16_t *a, uint16_t *b, const uint16_t *c, uint16_t *out,
                                  size_t n)
{
    const halfcl_isa *isa;
    uint8_t *truths = malloc(n);
    for (size_t i = 0; i < n; ++i)
        truths[i] = c[i] & 1;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *kernel = find_map(isa, "select", "ee?>e");
        out[n] = 7777;
        run(kernel, (void *[]){a, b, truths, out}, n, 0);
        if (out[n] != 7777 && failed("select", isa, 0))
            printf("wrote past the end of %zu\n", n);
        for (size_t i = 0; i < n; ++i) {
            if (out[i] != (truths[i] ? b[i] : a[i]) && failed("select", isa, 0))
                printf("%04x %04x %d gave %04x\n", a[i], b[i], truths[i], out[i]);
        }
    }
    free(truths);
}

void test_relational(void)
{
    uint16_t *a = malloc(2 * LENGTH), *b = malloc(2 * LENGTH), *out = malloc(2 * LENGTH + 2);
    uint16_t *c = malloc(2 * LENGTH);
    for (size_t n = LENGTH; n > 0; n = n > 100 ? 100 : n - 1) {
        for (size_t i = 0; i < n; ++i) {
            a[i] = n == LENGTH ? (uint16_t)i : pick_half();
            b[i] = random_bits() % 4 ? pick_half() : a[i] ^ (uint16_t)(random_bits() & 0x8001);
        }
        for (size_t r = 0; r < sizeof relations / sizeof *relations; ++r)
            check_relation(r, a, b, (uint8_t *)out, n);
        for (size_t r = 0; r < sizeof selections / sizeof *selections; ++r)
            check_selection(r, a, b, out, n);
        for (size_t i = 0; i < n; ++i)
            c[i] = random_bits() % 4 ? pick_half() : 0;
        for (size_t r = 0; r < sizeof choices / sizeof *choices; ++r)
            check_choice(r, a, b, c, out, n);
        check_select_by_truth(a, b, c, out, n);
    }
    free(c);
    free(a);
    free(b);
    free(out);
}
