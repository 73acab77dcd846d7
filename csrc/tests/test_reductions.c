/* Sums and dot products against 128-bit integers in units of 2^-48. */
#include "testing.h"

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
        uint16_t out = 0;
        void *args[] = {(void *)a, (void *)b, &out};
        unsigned flags = run(halfcl_find_kernel(isa, name, "ee>e"), args, n, mode);
        bool open = t.nan; /* whether infinities beside NaNs are invalid */
        if ((!same_half(out, expected.half) || (flags != expected.flags && !open)) &&
            failed(name, isa, mode))
            printf("%zu terms gave %04x flags %x, not %04x flags %x\n", n, out, flags,
                   expected.half, expected.flags);
    }
}

void test_reductions(void)
{
    enum { MOST = 200000 };
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

void test_reductions(void)
{
}

#endif
