/* Sums and dot products against 128-bit integers in units of 2^-48. */
#include "../driver.h"
#include "testing.h"

/* Maxima and minima against the left-to-right fold: equal but for the sign of zeros. */
static void check_extremum(const char *name, const uint16_t *a, size_t n)
{
    char reduce_name[32];
    const halfcl_isa *isa;
    snprintf(reduce_name, sizeof reduce_name, "%s_reduce", name);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *binary = halfcl_find_kernel(isa, name, "ee>e");
        const halfcl_kernel *reduce = halfcl_find_kernel(isa, reduce_name, "ee>e");
        uint16_t expected = a[0], got = a[0];
        halfcl_fold(binary, NULL, &expected, (const char *)a, 2, n, HALFCL_RTE);
        unsigned flags = halfcl_fold(binary, reduce, &got, (const char *)a, 2, n, HALFCL_RTE);
        bool same = same_half(got, expected) || !((got | expected) & 0x7fff);
        if ((!same || flags) && failed(reduce_name, isa, 0))
            printf("%zu elements gave %04x flags %x, not %04x\n", n, got, flags, expected);
    }
}

static void test_extrema(void)
{
    static const char *const names[] = {"maximum", "minimum", "fmax", "fmin"};
    uint16_t a[3000];
    for (size_t turn = 0; turn < 4000; ++turn) {
        size_t n = turn < 300 ? turn + 1 : random_bits() % 3000 + 1;
        for (size_t i = 0; i < n; ++i) {
            a[i] = pick_half();
            if (is_nan_half(a[i]) && random_bits() % (2 * n) > turn % 8)
                a[i] &= turn % 3 ? 0xbfff : 0x8000;
        }
        for (int k = 0; k < 4; ++k)
            check_extremum(names[k], a, n);
    }
}

#ifdef __SIZEOF_INT128__

typedef __int128 wide;

static wide exact;

static int compare_exact(const double *x, double with)
{
    wide scaled = (wide)(int64_t)(with * 0x1p25) * (1 << 23);
    (void)x;
    return (exact > scaled) - (exact < scaled);
}

/* Specials add up in a double. */
typedef struct {
    wide sum;
    double special;
    bool plus, minus, signalling, nan;
} total;

static void add_term(total *t, double x, double y)
{
    double product = x * y;
    t->nan |= isnan(x) || isnan(y);
    if (!isfinite(product)) {
        t->special += product;
        return;
    }
    t->sum += (wide)(x * 0x1p24) * (wide)(y * 0x1p24);
    t->plus |= !(product == 0 && signbit(product));
    t->minus |= signbit(product) || product != 0;
}

static rounded total_of(total *t, int mode)
{
    rounded result;
    if (t->special != 0) {
        result = round_value(t->special, (halfcl_rounding)mode);
        result.flags |= isnan(t->special) && !t->nan ? HALFCL_INVALID : 0;
    } else if (t->sum == 0) {
        bool minus = t->plus && t->minus ? mode == HALFCL_RTN : t->minus;
        result = (rounded){minus ? 0x8000 : 0, 0};
    } else {
        exact = t->sum;
        result = round_exact(compare_exact, NULL, (halfcl_rounding)mode);
    }
    result.flags |= t->signalling ? HALFCL_INVALID : 0;
    return result;
}

static uint16_t pick_term(int kind)
{
    uint16_t half = pick_half(), sign = half & 0x8000;
    if (kind == 0)
        return half & 0x7c00 && (half & 0x7c00) < 0x7c00 ? half : sign;
    if (kind == 1)
        return (half & 0x83ff) | 0x7800; /* huge */
    if (kind == 2)
        return half & 0x8fff; /* small */
    if (kind == 3)
        return sign; /* zeros */
    if (kind == 4)
        return 0x8000;
    if (kind == 5)
        return random_bits() % 64 ? 0x3c00 : half | 0x0200;
    if (kind == 6)
        return random_bits() % 512 ? 0x7bff : sign | 0x7c00;
    return is_nan_half(half) ? 0x3555 : half;
}

/* Contiguous, every third element, backwards, and unaligned. */
enum { LAYOUTS = 4, MOST = 200000 };

static const ptrdiff_t layout_steps[LAYOUTS] = {2, 6, -2, 3};

/* The elements as that layout has them; the first one. */
static const char *lay_out(char *memory, const uint16_t *elements, size_t n, int layout)
{
    ptrdiff_t step = layout_steps[layout];
    char *start = step < 0 ? memory + 2 * n - 2 : memory;
    halfcl_copy(start, step, (const char *)elements, 2, n);
    return start;
}

/* One sum, with *b to start with, or dot product; through the driver. */
static unsigned reduce(const halfcl_kernel *kernel, const uint16_t *a, const uint16_t *b,
                       size_t n, int mode, int layout, uint16_t *out)
{
    static char memory[2][6 * MOST];
    ptrdiff_t step = layout_steps[layout];
    const char *first = lay_out(memory[0], a, n, layout);
    *out = *b;
    if (strcmp(kernel->name, "dot"))
        return halfcl_fold(NULL, kernel, out, first, step, n, (halfcl_rounding)mode);
    return halfcl_dot(kernel, first, step, lay_out(memory[1], b, n, layout), step, out, n,
                      (halfcl_rounding)mode);
}

static void check(const char *name, const uint16_t *a, const uint16_t *b, size_t n, int mode)
{
    bool is_dot = strcmp(name, "dot") == 0;
    total t = {.plus = is_dot && n == 0};
    const halfcl_isa *isa;
    for (size_t i = 0; i < n; ++i) {
        add_term(&t, half_value(a[i]), is_dot ? half_value(b[i]) : 1);
        t.signalling |= is_signalling(a[i]) || (is_dot && is_signalling(b[i]));
    }
    if (!is_dot) {
        add_term(&t, half_value(*b), 1);
        t.signalling |= is_signalling(*b);
    }
    rounded expected = total_of(&t, mode);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        for (int layout = 0; layout < LAYOUTS; ++layout) {
            uint16_t out;
            unsigned flags =
                reduce(halfcl_find_kernel(isa, name, "ee>e"), a, b, n, mode, layout, &out);
            bool open = t.nan; /* whether infinities beside NaNs are invalid */
            if ((!same_half(out, expected.half) || (flags != expected.flags && !open)) &&
                failed(name, isa, mode))
                printf("%zu terms, layout %d, gave %04x flags %x, not %04x flags %x\n", n,
                       layout, out, flags, expected.half, expected.flags);
        }
    }
}

static void test_sums(void)
{
    uint16_t *a = malloc(2 * MOST), *b = malloc(2 * MOST);
    for (int turn = 0; turn < 4000; ++turn) {
        size_t n = random_bits() % (turn % 100 ? 200 : MOST);
        int mode = turn & 3, kind = turn / 4 % 8;
        for (size_t i = 0; i < n || i < 1; ++i) {
            a[i] = pick_term(kind);
            b[i] = pick_term(turn % 3 ? kind : 0);
        }
        /* Pairs that cancel. */
        for (size_t i = 1; i < n && turn / 32 % 2; i += 2) {
            a[i] = a[i - 1] ^ 0x8000;
            b[i] = b[i - 1] ^ (turn / 64 % 2 && i + 2 > n);
        }
        check("add_reduce", a, b, n, mode);
        check("dot", a, b, n, mode);
    }
    free(a);
    free(b);
}

#else

static void test_sums(void)
{
}

#endif

void test_reductions(void)
{
    test_sums();
    test_extrema();
}
