/* Tests exact sums on devices, and statistics of them, against the engine's: of halves of all
 * kinds, of as many as fit the bins, and of the greatest possible totals. */
#include "device/in_c.h"
#include "tests/testing.h"

enum { MOST_HALVES = 1 << 10, MOST_PRODUCTS = 1 << 7, TURNS = 6000, STATISTICS = 6 };

static const halfcl_type types[] = {HALFCL_HALF, HALFCL_FLOAT, HALFCL_DOUBLE};
static const size_t sizes[] = {2, 4, 8};

static const halfcl_statistic statistics[STATISTICS] = {
    HALFCL_SUM,  HALFCL_MEAN,     HALFCL_SUM_OF_PRODUCTS,
    HALFCL_NORM, HALFCL_VARIANCE, HALFCL_DEVIATION};

/* The state of a sum on devices. */
typedef struct {
    hci_wide sum, products;
    unsigned sum_seen, product_seen;
    int64_t few; /* the sum in 64 bits, if it fits */
} device_state;

static unsigned signs_seen(uint16_t any, uint16_t all)
{
    return (all & HALF_SIGN ? 0u : (unsigned)HALFCL_FROM_ZERO) | (any & HALF_SIGN ? 4u : 0u);
}

/* Adds as kernels do: to bins, which are flushed before they are full, and to totals of their
 * integers. */
static void take_halves(device_state *state, const uint16_t *a, int n)
{
    hci_sum_bins bins = hci_device_sum_start();
    int64_t high = 0, middle = 0, low = 0;
    uint16_t any = 0, all = 0xffff;
    for (int k = 0; k < n; ++k) {
        bins = hci_device_sum_take(bins, hci_device_convert_float(a[k], hci_RTE));
        any |= a[k];
        all &= a[k];
        if (k % MOST_HALVES == MOST_HALVES - 1 || k == n - 1) {
            hci_sum_units units = hci_device_sum_units(bins);
            state->sum_seen |= hci_device_bin_special(bins.high);
            high += units.high;
            middle += units.middle;
            low += units.low;
            bins = hci_device_sum_start();
        }
    }
    state->sum_seen |= n ? signs_seen(any, all) : 0;
    state->sum = hci_device_sum_total(high, middle, low);
    state->few = high * (1 << 28) + middle * (1 << 15) + low;
}

static void take_products(device_state *state, const uint16_t *a, const uint16_t *b, int n)
{
    hci_product_bins bins = hci_device_product_start();
    int64_t total[5] = {0};
    uint16_t any = 0, all = 0xffff;
    for (int k = 0; k < n; ++k) {
        bins = hci_device_product_take(bins, hci_device_convert_float(a[k], hci_RTE),
                                       hci_device_convert_float(b[k], hci_RTE));
        any |= a[k] ^ b[k];
        all &= a[k] ^ b[k];
        if (k % MOST_PRODUCTS == MOST_PRODUCTS - 1 || k == n - 1) {
            hci_product_units units = hci_device_product_units(bins);
            state->product_seen |= hci_device_bin_special(bins.first);
            total[0] += units.first;
            total[1] += units.second;
            total[2] += units.third;
            total[3] += units.fourth;
            total[4] += units.last;
            bins = hci_device_product_start();
        }
    }
    state->product_seen |= n ? signs_seen(any, all) : 0;
    state->products =
        hci_device_product_total(total[0], total[1], total[2], total[3], total[4]);
}

static uint64_t device_result(const device_state *s, halfcl_statistic what, uint64_t n,
                              uint64_t freedom, halfcl_type type, int mode)
{
    hci_type t = (hci_type)type;
    hci_rounding m = (hci_rounding)mode;
    bool root = what == HALFCL_DEVIATION || what == HALFCL_NORM;
    if (what == HALFCL_VARIANCE || what == HALFCL_DEVIATION)
        return hci_device_round_variance(s->sum, s->products, s->sum_seen | s->product_seen, n,
                                         freedom, root, t, m);
    if (what == HALFCL_SUM || what == HALFCL_MEAN)
        return hci_device_round_sum(s->sum, s->sum_seen, what == HALFCL_SUM ? 1 : n,
                                    hci_SUMS_UNIT, false, t, m);
    return hci_device_round_sum(s->products, s->product_seen, 1, hci_PRODUCT_UNIT, root, t, m);
}

static bool same(uint64_t a, uint64_t b, halfcl_type type)
{
    uint64_t infinity = type == HALFCL_HALF    ? HALF_INF
                        : type == HALFCL_FLOAT ? FLOAT_INF
                                               : (uint64_t)0x7ff << 52;
    uint64_t magnitude = 2 * infinity - 1;
    magnitude |= infinity;
    return a == b || ((a & magnitude) > infinity && (b & magnitude) > infinity);
}

/* Compares every statistic of a state with the engine's. */
static void check(const device_state *s, const halfcl_moments *moments, bool of_squares,
                  uint64_t n, uint64_t freedom)
{
    for (int k = 0; k < 3 * 4 * STATISTICS; ++k) {
        int mode = k & 3, of = k / 4 % 3;
        halfcl_statistic what = statistics[k / 12];
        bool needs_squares = what >= HALFCL_VARIANCE && what <= HALFCL_NORM;
        if (needs_squares && !of_squares)
            continue;
        uint64_t expected = 0, got = device_result(s, what, n, freedom, types[of], mode);
        halfcl_round_statistic(what, moments, n, freedom, types[of], (halfcl_rounding)mode,
                               &expected);
        if (!same(got, expected, types[of]) && failed("device", halfcl_find_isa(NULL), mode))
            printf("statistic %d of %llu, in %zu bytes: %llx, not %llx\n", (int)what,
                   (unsigned long long)n, sizes[of], (unsigned long long)got,
                   (unsigned long long)expected);
        bool is_short = what == HALFCL_SUM || (what == HALFCL_MEAN && of < 2);
        if (is_short && n <= 1 << 16 &&
            !same(hci_device_round_few(s->few, s->sum_seen, what == HALFCL_SUM ? 1 : n,
                                       (hci_type)types[of], (hci_rounding)mode),
                  expected, types[of]) &&
            failed("device", halfcl_find_isa(NULL), mode))
            printf("few: statistic %d of %llu\n", (int)what, (unsigned long long)n);
    }
}

/* Numbers of one kind in each array: random, near each other, of one magnitude, zeros, or the
 * greatest, of which the fewest fit the bins. */
static uint16_t pick(int kind, uint16_t some)
{
    uint64_t bits = random_bits();
    switch (kind) {
    case 0:
        return pick_half();
    case 1:
        return (uint16_t)(some + bits % 64);
    case 2:
        return (uint16_t)((some & 0x7c00 & 0x7800) | (bits & 0x83ff));
    case 3:
        return (uint16_t)(bits & HALF_SIGN);
    case 4:
        return HALF_LARGEST;
    case 5:
        return (uint16_t)(bits % 4 ? HALF_SIGN | 1 : 0x4800); /* 8, a tie in the first bin */
    default:
        return (uint16_t)(bits % HALF_INF | (bits >> 32 & HALF_SIGN));
    }
}

static void check_elements(int turn)
{
    static uint16_t a[2 * MOST_HALVES], b[2 * MOST_HALVES];
    const halfcl_isa *isa = halfcl_find_isa(NULL);
    const halfcl_signature one = {1, 1, {HALFCL_HALF, HALFCL_HALF}};
    const halfcl_signature two = {2, 1, {HALFCL_HALF, HALFCL_HALF, HALFCL_HALF}};
    const halfcl_kernel *add = halfcl_find_kernel(isa, "add_reduce", HALFCL_FOLD, &one);
    const halfcl_kernel *dot = halfcl_find_kernel(isa, "dot", HALFCL_FOLD, &two);
    int n = turn % 3 == 0   ? (int)(random_bits() % 5)
            : turn % 3 == 1 ? (int)(random_bits() % 300)
                            : (int)(random_bits() % (2 * MOST_HALVES + 1));
    int kind = turn / 3 % 7, other = turn / 21 % 7;
    bool of_squares = turn & 1;
    uint16_t some = (uint16_t)(random_bits() % (HALF_INF - 64));
    for (int k = 0; k < n; ++k) {
        a[k] = pick(kind, some);
        b[k] = of_squares ? a[k] : pick(other, some);
    }
    halfcl_fold_state sum = {0}, products = {0};
    const halfcl_moments moments = {&sum, &products};
    char *inputs[] = {(char *)a, (char *)b};
    halfcl_state_add(add, &sum, inputs, (ptrdiff_t[]){2, 2}, (size_t)n);
    halfcl_state_add(dot, &products, inputs, (ptrdiff_t[]){2, 2}, (size_t)n);
    device_state s = {0};
    take_halves(&s, a, n);
    take_products(&s, a, b, n);
    uint64_t lost = random_bits() % 3, count = (uint64_t)n;
    check(&s, &moments, of_squares, count, count > lost ? count - lost : 0);
}

/* Tests totals of up to 2^40 elements, which exceed any array here: of integers of that
 * size. */
static void check_totals(void)
{
    int bits = (int)(random_bits() % 41);
    uint64_t n = (((uint64_t)1 << bits) | (random_bits() & (((uint64_t)1 << bits) - 1))) &
                 (((uint64_t)1 << 40) - 1);
    n += n == 0;
    uint16_t a[2] = {pick(6, 0), pick(6, 0)};
    float x = hci_device_convert_float(a[0], hci_RTE),
          y = hci_device_convert_float(a[1], hci_RTE);
    /* n - 1 times x, and y. */
    __int128 units =
        (__int128)(int64_t)(x * 0x1p24f) * (__int128)(n - 1) + (int64_t)(y * 0x1p24f);
    device_state s = {.sum_seen = HALFCL_FROM_ZERO, .product_seen = HALFCL_FROM_ZERO};
    s.sum = hci_device_sum_total((int64_t)(units >> 28), 0, (int64_t)(units & 0xfffffff));
    s.few = (int64_t)units;
    hci_product_bins bins = hci_device_product_take(hci_device_product_start(), x, x);
    hci_product_bins last = hci_device_product_take(hci_device_product_start(), y, y);
    hci_product_units p = hci_device_product_units(bins), q = hci_device_product_units(last);
    int64_t m = (int64_t)(n - 1);
    s.products = hci_device_product_total(p.first * m + q.first, p.second * m + q.second,
                                          p.third * m + q.third, p.fourth * m + q.fourth,
                                          p.last * m + q.last);
    halfcl_fold_state sum = {.seen = s.sum_seen}, products = {.seen = s.product_seen};
    const halfcl_moments moments = {&sum, &products};
    const hci_wide *wides[] = {&s.sum, &s.products};
    halfcl_fold_state *states[] = {&sum, &products};
    for (int k = 0; k < 2; ++k) {
        int64_t *limb = states[k]->sum.limb;
        limb[0] = (int64_t)(wides[k]->low & 0xffffffff);
        limb[1] = (int64_t)(wides[k]->low >> 32);
        limb[2] = (int64_t)(wides[k]->middle & 0xffffffff);
        limb[3] = (int64_t)(wides[k]->middle >> 32);
        limb[4] = (int64_t)wides[k]->high;
    }
    check(&s, &moments, true, n, n - 1);
}

void test_device_statistics(void)
{
    for (int turn = 0; turn < TURNS; ++turn) {
        if (turn % one_in)
            continue;
        check_elements(turn);
        check_totals();
    }
}
