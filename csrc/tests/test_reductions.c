/* Tests sums and dot products against 128-bit integers in units of 2^-48. */
#include "env/env.h"
#include "tests/testing.h"

static const halfcl_kernel *find_fold(const halfcl_isa *isa, const char *name, uint8_t nin)
{
    const halfcl_signature signature = HALFCL_HALVES(nin, 1);
    return halfcl_find_kernel(isa, name, HALFCL_FOLD, &signature);
}

/* Tests maxima and minima against the left-to-right fold: equal except for the sign of
 * zeros. */
static void check_extremum(const char *name, const uint16_t *a, size_t n)
{
    char reduce_name[32];
    const halfcl_isa *isa;
    snprintf(reduce_name, sizeof reduce_name, "%s_reduce", name);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *fold = find_fold(isa, reduce_name, 1);
        uint16_t expected = a[0], got = a[0];
        halfcl_fold_in_order(find_map(isa, name, "ee>e"), &expected, (const char *)a, 2, n,
                             HALFCL_RTE);
        unsigned flags = halfcl_fold(fold, &got, (const char *)a, 2, n, HALFCL_RTE);
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

/* States of parts, merged in any order, must give what one state of all elements gives. */

enum { MERGED = 600, PARTS = 9 };

static unsigned finish(const halfcl_kernel *fold, const halfcl_fold_state *state,
                       uint16_t *result, int mode)
{
    return halfcl_state_finish(fold, state, result, (halfcl_rounding)mode);
}

/* Adds the elements from first to last, sometimes backwards. */
static void add_part(const halfcl_kernel *fold, halfcl_fold_state *state, uint16_t *const *in,
                     size_t first, size_t last)
{
    bool backwards = random_bits() & 1 && last > first;
    const ptrdiff_t step = backwards ? -2 : 2, steps[] = {step, step};
    size_t start = backwards ? last - 1 : first;
    char *inputs[] = {(char *)(in[0] + start), (char *)(in[1] + start)};
    halfcl_state_add(fold, state, inputs, steps, last - first);
}

/* Adds n elements in parts, some of them empty, and merges random pairs of parts. */
static void merge_parts(const halfcl_kernel *fold, uint16_t *const *in, size_t n,
                        halfcl_fold_state *result)
{
    halfcl_fold_state states[PARTS];
    size_t first = 0;
    memset(states, 0, sizeof states);
    for (int part = 0; part < PARTS; ++part) {
        size_t last = part + 1 < PARTS ? first + random_bits() % (n - first + 1) : n;
        add_part(fold, &states[part], in, first, last);
        first = last;
    }
    for (size_t remaining = PARTS; remaining > 1; --remaining) {
        size_t to = random_bits() % remaining, from = random_bits() % remaining;
        if (to == from)
            from = (from + 1) % remaining;
        halfcl_state_merge(fold, &states[to], &states[from]);
        states[from] = states[remaining - 1];
    }
    *result = states[0];
}

static void check_merging(const halfcl_isa *isa, const char *name, uint8_t nin,
                          uint16_t *const *in, size_t n)
{
    const halfcl_kernel *fold = find_fold(isa, name, nin);
    halfcl_fold_state whole = {0}, merged;
    const ptrdiff_t steps[] = {2, 2};
    halfcl_state_add(fold, &whole, (char *const *)in, steps, n);
    merge_parts(fold, in, n, &merged);
    for (int mode = 0; mode < 4; ++mode) {
        uint16_t expected, got;
        unsigned flags = finish(fold, &whole, &expected, mode);
        unsigned merged_flags = finish(fold, &merged, &got, mode);
        if ((got != expected || flags != merged_flags) && failed(name, isa, mode))
            printf("%zu elements in parts gave %04x flags %x, not %04x flags %x\n", n, got,
                   merged_flags, expected, flags);
    }
}

/* Returns elements few or many of which are special, or that are zeros. */
static uint16_t pick_mergeable(int turn)
{
    static const uint16_t specials[] = {0x7c00, 0xfc00, 0x7e00, 0x7d00, 0xfd01, 0x8000, 0x0000};
    uint16_t half = pick_half();
    if (turn % 4 == 0)
        return half & 0x8000;
    if (random_bits() % (turn % 3 ? 8 : 400) == 0)
        return specials[random_bits() % (turn % 5 ? 2 : 7)];
    return (half & 0x7c00) == 0x7c00 ? half & 0xbfff : half;
}

static void test_merging(void)
{
    static const char *const names[] = {"add_reduce",     "multiply_reduce", "maximum_reduce",
                                        "minimum_reduce", "fmax_reduce",     "fmin_reduce"};
    uint16_t a[MERGED], b[MERGED], *const in[] = {a, b};
    const halfcl_isa *isa;
    for (int turn = 0; turn < 6000; turn += one_in) {
        size_t n = random_bits() % (turn % 2 ? 12 : MERGED);
        for (size_t i = 0; i < n; ++i) {
            a[i] = i && turn % 7 < 3 ? a[i - 1] ^ 0x8000 : pick_mergeable(turn);
            b[i] = i && turn % 7 < 2 ? b[i - 1] : pick_mergeable(turn + 1);
        }
        for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
            for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
                check_merging(isa, names[k], 1, in, n);
            check_merging(isa, "dot", 2, in, n);
        }
    }
}

#ifdef __SIZEOF_INT128__

typedef __int128 wide;

static wide exact;

static int compare_exact(const double *x, double bound)
{
    wide scaled = (wide)(int64_t)(bound * 0x1p25) * (1 << 23);
    (void)x;
    return (exact > scaled) - (exact < scaled);
}

/* Special values are added in a double. */
typedef struct {
    wide sum;
    double special;
    bool plus, minus, nan, invalid;
} total;

static void add_term(total *t, double x, double y)
{
    double product = x * y;
    t->nan |= isnan(x) || isnan(y);
    t->invalid |= isnan(product) && !isnan(x) && !isnan(y);
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
    result.flags |= t->invalid ? HALFCL_INVALID : 0;
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

/* Stores the elements in that layout; returns the first one. */
static const char *lay_out(char *memory, const uint16_t *elements, size_t n, int layout)
{
    ptrdiff_t step = layout_steps[layout];
    char *start = step < 0 ? memory + 2 * n - 2 : memory;
    halfcl_copy(start, step, (const char *)elements, 2, n);
    return start;
}

/* Computes one sum, starting with *b, or dot product; with the driver. */
static unsigned reduce(const halfcl_kernel *kernel, const uint16_t *a, const uint16_t *b,
                       size_t n, int mode, int layout, uint16_t *out)
{
    static char memory[2][6 * MOST];
    ptrdiff_t step = layout_steps[layout];
    const char *first = lay_out(memory[0], a, n, layout);
    *out = *b;
    if (strcmp(kernel->name, "dot"))
        return halfcl_fold(kernel, out, first, step, n, (halfcl_rounding)mode);
    const char *second = lay_out(memory[1], b, n, layout);
    const halfcl_matrix_product product = {
        {(char *)first, 0, step}, {(char *)second, step, 0}, {(char *)out, 0, 0}, 1, n, 1};
    return halfcl_matmul(kernel, &product, (halfcl_rounding)mode);
}

static void check(const char *name, const uint16_t *a, const uint16_t *b, size_t n, int mode)
{
    bool is_dot = strcmp(name, "dot") == 0;
    total t = {.plus = is_dot}; /* matrices start from +0 */
    const halfcl_isa *isa;
    for (size_t i = 0; i < n; ++i) {
        add_term(&t, half_value(a[i]), is_dot ? half_value(b[i]) : 1);
        t.invalid |= is_signalling(a[i]) || (is_dot && is_signalling(b[i]));
    }
    if (!is_dot) {
        add_term(&t, half_value(*b), 1);
        t.invalid |= is_signalling(*b);
    }
    rounded expected = total_of(&t, mode);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        for (int layout = 0; layout < LAYOUTS; ++layout) {
            uint16_t out;
            unsigned flags =
                reduce(find_fold(isa, name, is_dot ? 2 : 1), a, b, n, mode, layout, &out);
            if ((!same_half(out, expected.half) || flags != expected.flags) &&
                failed(name, isa, mode))
                printf("%zu terms, layout %d, gave %04x flags %x, not %04x flags %x\n", n,
                       layout, out, flags, expected.half, expected.flags);
        }
    }
}

static void test_sums(void)
{
    uint16_t *a = malloc(2 * MOST), *b = malloc(2 * MOST);
    for (int turn = 0; turn < 4000; turn += one_in) {
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

/* Tests sums that are a number at which half rounds, or the least half more or less, among
 * terms that cancel, but only far from each other: the bounds of a sum must distinguish
 * these. */
static void test_sums_at_boundaries(void)
{
    uint16_t *a = malloc(2 * MOST), start;
    for (int turn = 0; turn < 3000; turn += one_in) {
        const size_t pairs = random_bits() % (turn % 50 ? 500 : 20000), shift = random_bits();
        const uint16_t number = turn % 15 ? pick_half() & 0xbfff : 0x7bff,
                       off = (uint16_t)(random_bits() % 2);
        size_t n = 0;
        for (size_t i = 0; i < pairs; ++i)
            a[n++] = pick_half() & (turn & 8 ? 0xbfff : 0x8fff);
        for (size_t i = 0; i < pairs; ++i)
            a[n++] = a[(i + shift) % pairs] ^ 0x8000;
        a[n++] = number;
        for (unsigned k = random_bits() % 3; k > 0 && (number & 0x7c00) > 0x2c00; --k)
            a[n++] = (uint16_t)((number & 0xfc00) - 0x2c00); /* half of its last place */
        start = (uint16_t)(off | (random_bits() & 0x8000));
        check("add_reduce", a, &start, n, turn & 3);
    }
    free(a);
}

/* Returns a finite number of about this exponent, from 0 to 28. */
static uint16_t of_size(unsigned exponent, unsigned signs)
{
    unsigned jitter = random_bits() % 3, bits = random_bits();
    return (uint16_t)((bits & 0x3ff) | (exponent + jitter) << 10 | (bits & signs));
}

/* Tests long dot products whose terms change in magnitude. Most of them cancel except for a
 * last bit, so that any error shows; others have terms of one sign, and some an infinity. */
static void test_changing_sizes(void)
{
    uint16_t *a = malloc(2 * MOST), *b = malloc(2 * MOST);
    for (int turn = 0; turn < 160; turn += one_in) {
        const size_t half = 1 + random_bits() % 20000, n = 2 * half,
                     change = turn & 4 ? n : 700;
        const bool one_sign = turn % 16 / 8;
        unsigned x = 0, y = 0;
        for (size_t i = 0; i < half; ++i) {
            if (i % change == 0) {
                x = random_bits() % 29;
                y = random_bits() % 29;
            }
            a[i] = a[half + i] = of_size(x, one_sign ? 0 : 0x8000) | (one_sign ? 0x8000 : 0);
            b[i] = of_size(y, one_sign ? 0 : 0x8000);
            b[half + i] = one_sign ? b[i] : b[i] ^ 0x8000;
        }
        b[random_bits() % n] ^= 1;
        if (turn % 32 > 29)
            a[random_bits() % n] = 0xfc00;
        check("dot", a, b, n, turn & 3);
    }
    free(a);
    free(b);
}

/* Tests matrices of any layout, checking all their elements. */

enum { MOST_SIDE = 70, MOST_ELEMENTS = 150000, MOST_PRODUCT = 1 << 14 };

static void check_matrices(const uint16_t *a, const uint16_t *b, const size_t sides[3],
                           int turned, int mode)
{
    static uint16_t expected[MOST_PRODUCT], out[MOST_PRODUCT + 1];
    const size_t m = sides[0], n = sides[1], p = sides[2];
    const ptrdiff_t a_row = turned & 1 ? 2 : 2 * (ptrdiff_t)n;
    const ptrdiff_t a_column = turned & 1 ? 2 * (ptrdiff_t)m : 2;
    const ptrdiff_t b_row = turned & 2 ? 2 : 2 * (ptrdiff_t)p;
    const ptrdiff_t b_column = turned & 2 ? 2 * (ptrdiff_t)n : 2;
    const ptrdiff_t out_row = turned & 4 ? 2 : 2 * (ptrdiff_t)p;
    const ptrdiff_t out_column = turned & 4 ? 2 * (ptrdiff_t)m : 2;
    const halfcl_matrix_product product = {{(char *)a, a_row, a_column},
                                           {(char *)b, b_row, b_column},
                                           {(char *)out, out_row, out_column},
                                           m,
                                           n,
                                           p};
    const halfcl_isa *isa;
    unsigned flags = 0;
    for (size_t i = 0; i < m; ++i) {
        for (size_t j = 0; j < p; ++j) {
            total t = {.plus = true};
            for (size_t k = 0; k < n; ++k) {
                uint16_t x = a[((ptrdiff_t)i * a_row + (ptrdiff_t)k * a_column) / 2];
                uint16_t y = b[((ptrdiff_t)k * b_row + (ptrdiff_t)j * b_column) / 2];
                add_term(&t, half_value(x), half_value(y));
                t.invalid |= is_signalling(x) || is_signalling(y);
            }
            rounded result = total_of(&t, mode);
            expected[((ptrdiff_t)i * out_row + (ptrdiff_t)j * out_column) / 2] = result.half;
            flags |= result.flags;
        }
    }
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        bool same = true;
        out[m * p] = 0x1234;
        unsigned got_flags =
            halfcl_matmul(find_fold(isa, "dot", 2), &product, (halfcl_rounding)mode);
        for (size_t k = 0; k < m * p; ++k)
            same &= same_half(out[k], expected[k]);
        if ((!same || got_flags != flags || out[m * p] != 0x1234) &&
            failed("matmul", isa, mode))
            printf("%zu by %zu by %zu, turned %d, flags %x, not %x\n", m, n, p, turned,
                   got_flags, flags);
    }
}

static void test_matrices(void)
{
    uint16_t *a = malloc(2 * MOST_ELEMENTS), *b = malloc(2 * MOST_ELEMENTS);
    for (int turn = 0; turn < 1500; turn += one_in) {
        const size_t most = turn % 10 ? 12 : MOST_SIDE;
        const size_t sides[] = {1 + random_bits() % most,
                                random_bits() % (turn % 50    ? 40
                                                 : turn % 500 ? 700
                                                              : 2100),
                                1 + random_bits() % most};
        const int mode = turn & 3, kind = turn / 4 % 8;
        for (size_t i = 0; i < MOST_ELEMENTS; ++i) {
            a[i] = pick_term(kind);
            b[i] = pick_term(turn % 3 ? kind : 0);
            if (turn / 32 % 2 && i % 2) {
                a[i] = a[i - 1] ^ 0x8000;
                b[i] = b[i - 1];
            }
        }
        check_matrices(a, b, sides, turn / 8 % 8, mode);
    }
    free(a);
    free(b);
}

/* Sides near those of tiles, of blocks and of the parts packed at once. */
static size_t pick_side(const size_t *sides, size_t count)
{
    return sides[random_bits() % count];
}

/* Stores x as element k of row i of a, or of column j of b, depending on the layout. */
static void put_term(uint16_t *of, size_t i, size_t k, size_t n, size_t side, bool turned,
                     uint16_t x)
{
    of[turned ? k * side + i : i * n + k] = x;
}

/* Returns a value that is a half as such. */
static uint16_t half_of(double value)
{
    unsigned flags = 0;
    return halfcl_from_double(value, HALFCL_RTE, &flags);
}

/* Sums on the wrong side in double: between two numbers of 2^30 that cancel, everything below
 * 2^-23 is lost. The sum is slightly below the midpoint of two halves; the lost part moves it
 * above. The difference is less than the total loss, so that bounds of the error that are too
 * small are detected, too. */
static void fill_with_lost_terms(uint16_t *a, uint16_t *b, const size_t sides[3], int turned)
{
    const size_t m = sides[0], n = sides[1], p = sides[2], first = 4;
    for (size_t i = 0; i < m; ++i) {
        const double terms[] = {0x1p15, 1024 + (double)(random_bits() % 512), 0.5,
                                (double)(random_bits() % (n / 4 + 1)) * 0x1p-22};
        for (size_t k = 0; k < n; ++k)
            put_term(a, i, k, n, m, turned & 1,
                     half_of(k < first   ? terms[k]
                             : k + 1 < n ? 0x1p-24
                                         : 0x1p15));
    }
    for (size_t j = 0; j < p; ++j) {
        const double sign = random_bits() % 2 ? 1 : -1;
        for (size_t k = 0; k < n; ++k)
            put_term(b, j, k, n, p, !(turned & 2),
                     half_of(sign * (k == 0       ? 0x1p15
                                     : k + 1 == n ? -0x1p15
                                     : k == 3     ? -1
                                                  : 1)));
    }
}

static void fill_with_terms(uint16_t *a, uint16_t *b, const size_t sides[3], int kind,
                            bool cancelling)
{
    for (size_t i = 0; i < sides[0] * sides[1]; ++i)
        a[i] = pick_term(kind);
    for (size_t i = 0; i < sides[1] * sides[2]; ++i)
        b[i] = pick_term(kind);
    for (size_t i = 1; cancelling && i < sides[0] * sides[1]; i += 2)
        a[i] = a[i - 1] ^ 0x8000;
    for (size_t i = 1; cancelling && i < sides[1] * sides[2]; i += 2)
        b[i] = b[i - 1] ^ (random_bits() % 64 == 0);
}

static void test_blocks_of_matrices(void)
{
    static const size_t rows[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 24, 25, 33, 121, 241};
    static const size_t depths[] = {5, 24, 48, 49, 97, 191, 192, 193, 385, 577};
    static const size_t columns[] = {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 65, 257};
    uint16_t *a = malloc(2 * MOST_ELEMENTS), *b = malloc(2 * MOST_ELEMENTS);
    for (int turn = 0; turn < 240; turn += one_in) {
        const size_t sides[] = {pick_side(rows, 15), pick_side(depths, 10),
                                pick_side(columns, 14)};
        const int turned = (int)(random_bits() % 8), kind = (int)(random_bits() % 8);
        if (sides[0] * sides[1] > MOST_ELEMENTS || sides[1] * sides[2] > MOST_ELEMENTS ||
            sides[0] * sides[2] > MOST_PRODUCT)
            continue;
        if (turn % 4 == 0)
            fill_with_lost_terms(a, b, sides, turned);
        else
            fill_with_terms(a, b, sides, kind, turn % 4 == 1);
        check_matrices(a, b, sides, turned, turn / 4 % 4);
    }
    free(a);
    free(b);
}

/* Tests stacks against their products one by one, which other tests check: matrices of any
 * layout, some shared by all products, and results between which nothing is written. */
static void check_stack(const halfcl_isa *isa, uint16_t *memory, size_t most)
{
    const size_t m = random_bits() % 9, n = random_bits() % 9, p = random_bits() % 9;
    const size_t apart = 64 + random_bits() % 2, count = random_bits() % most;
    const halfcl_kernel *dot = find_fold(isa, "dot", 2);
    const halfcl_rounding mode = (halfcl_rounding)(random_bits() % 4);
    halfcl_matrix_stack stack = {.first = {.m = m, .n = n, .p = p}, .count = count};
    halfcl_matrix *const matrices[] = {&stack.first.a, &stack.first.b, &stack.first.out};
    const size_t heights[] = {m, n, m}, widths[] = {n, p, p};
    ptrdiff_t *const steps[] = {&stack.a, &stack.b, &stack.out};
    uint16_t *out = memory + 2 * 66 * most, *expected = out + 66 * most;
    unsigned flags = 0;
    for (int k = 0; k < 3; ++k) {
        const ptrdiff_t across = 2 * (ptrdiff_t)heights[k], along = 2 * (ptrdiff_t)widths[k];
        const bool turned = random_bits() % 3 == 0, packed = random_bits() % 2;
        *matrices[k] = (halfcl_matrix){(char *)(memory + (size_t)k * 66 * most),
                                       turned ? 2 : along, turned ? across : 2};
        *steps[k] = packed ? (ptrdiff_t)widths[k] * across : 2 * (ptrdiff_t)apart;
        *steps[k] = k < 2 && random_bits() % 4 == 0 ? 0 : *steps[k];
    }
    memset(out, 0x12, 2 * 2 * 66 * most);
    for (size_t k = 0; k < count; ++k) {
        halfcl_matrix_product one = stack.first;
        one.a.start += (ptrdiff_t)k * stack.a;
        one.b.start += (ptrdiff_t)k * stack.b;
        one.out.start = (char *)expected + (ptrdiff_t)k * stack.out;
        flags |= halfcl_matmul(dot, &one, mode);
    }
    const unsigned got = halfcl_matmul_stack(dot, &stack, mode);
    bool same = got == flags;
    for (size_t k = 0; k < 66 * most; ++k)
        same &= same_half(out[k], expected[k]);
    if (!same && failed("stack of matrices", isa, (int)mode))
        printf("%zu of %zu by %zu by %zu, flags %x, not %x\n", count, m, n, p, got, flags);
}

static void test_stacks(void)
{
    enum { MOST_PRODUCTS = 1500 };
    uint16_t *memory = malloc(sizeof(uint16_t[4][66 * MOST_PRODUCTS]));
    const halfcl_isa *isa;
    for (int turn = 0; turn < 200; turn += one_in) {
        const size_t most = turn % 8 ? 70 : MOST_PRODUCTS;
        for (size_t i = 0; i < 2 * 66 * most; ++i) {
            memory[i] = pick_term(turn / 8 % 8);
            if (turn % 3 == 0 && i % 2)
                memory[i] = memory[i - 1] ^ (i % 4 == 1 ? 0x8000 : random_bits() % 32 == 0);
        }
        for (size_t s = 0; (isa = halfcl_available(s)); ++s)
            check_stack(isa, memory, most);
    }
    free(memory);
}

/* Tests products against the exact integer, in 32-bit digits: of odd parts of significands,
 * with a separate power of two. */

enum { FACTORS = 1500, DIGITS = FACTORS * 11 / 32 + 2 };

typedef struct {
    uint32_t digit[DIGITS];
    int count, exponent;
    bool negative, zero, infinite, nan, signalling;
} big;

static void times(big *b, uint16_t half)
{
    uint32_t significand = half & 0x3ff, carry = 0;
    int exponent = half >> 10 & 0x1f;
    b->negative ^= half >> 15;
    if (exponent == 0x1f) {
        b->nan |= significand != 0;
        b->signalling |= is_signalling(half);
        b->infinite |= significand == 0;
        return;
    }
    if ((half & 0x7fff) == 0) {
        b->zero = true;
        return;
    }
    significand |= exponent ? 0x400 : 0;
    b->exponent += (exponent ? exponent : 1) - 25;
    for (; significand % 2 == 0; significand /= 2)
        b->exponent++;
    for (int k = 0; k < b->count; ++k) {
        uint64_t product = (uint64_t)b->digit[k] * significand + carry;
        b->digit[k] = (uint32_t)product;
        carry = (uint32_t)(product >> 32);
    }
    if (carry)
        b->digit[b->count++] = carry;
}

static const big *exact_product;

/* Compares the magnitude with a number of 12 bits: both are shifted to the same leading bit,
 * and the first 53 bits and the rest are compared. */
static int compare_product(const double *x, double bound)
{
    const big *b = exact_product;
    int sign = b->negative ? -1 : 1, top = b->count - 1, exponent;
    (void)x;
    if (bound == 0 || (bound < 0) != b->negative)
        return sign;
    double fraction = frexp(fabs(bound), &exponent);
    int bits = 32 * b->count - __builtin_clz(b->digit[top]);
    if (bits + b->exponent != exponent)
        return bits + b->exponent > exponent ? sign : -sign;
    uint64_t other = (uint64_t)ldexp(fraction, 63);
    uint64_t high = (uint64_t)b->digit[top] << 32 | (top > 0 ? b->digit[top - 1] : 0);
    int unused = __builtin_clzll(high) - 1;
    bool rest = false;
    for (int k = 0; k < top - 1; ++k)
        rest |= b->digit[k] != 0;
    high = unused < 0 ? high >> 1 | (high & 1) : high << unused; /* bits below do not matter */
    if (high != other)
        return high > other ? sign : -sign;
    return rest ? sign : 0;
}

static rounded product_of(const big *b, int mode)
{
    rounded result = {b->negative ? 0x8000 : 0, b->signalling ? HALFCL_INVALID : 0};
    bool invalid = b->infinite && b->zero;
    if (b->nan || invalid)
        return (rounded){0x7e00, !b->nan || b->signalling ? HALFCL_INVALID : 0};
    if (b->infinite || b->zero) {
        result.half |= b->infinite ? 0x7c00 : 0;
        return result;
    }
    exact_product = b;
    return round_exact(compare_product, NULL, (halfcl_rounding)mode);
}

/* Returns numbers near 1, so that most products are in range; or powers of two; or random
 * ones. */
static uint16_t pick_factor(int kind)
{
    uint16_t half = pick_half(), sign = half & 0x8000;
    if (kind == 0)
        return sign | (uint16_t)(0x3c00 + (random_bits() % 9) - 4);
    if (kind == 1)
        return sign | (uint16_t)(0x3800 + random_bits() % 3 * 0x400);
    if (kind == 2)
        return random_bits() % 2 ? 0x3c00 : sign | (uint16_t)(0x3a00 + random_bits() % 0x400);
    if (kind == 3)
        return random_bits() % 64 ? sign | 0x3c00 : sign | (uint16_t)(0x3c00 + (half & 0x3ff));
    if (kind == 4)
        return is_nan_half(half) || (half & 0x7fff) == 0x7c00 ? 0x3c01 : half;
    return random_bits() % 100 ? sign | 0x3c01 : half;
}

/* Returns the bits of the exact product, from 2^125 on, except those below 1. */
static wide leading_bits(const big *b)
{
    const int top = b->count - 1;
    wide bits = 0;
    for (int k = top; k > top - 5; --k) {
        uint64_t digit = k >= 0 ? b->digit[k] : 0;
        int unused = __builtin_clz(b->digit[top]) - 2 + 32 * (k - top + 3);
        bits += unused >= 0 ? (wide)digit << unused : (wide)(digit >> -unused);
    }
    return bits;
}

/* Checks that a state's product is as near to the exact one as documented. */
static void check_nearness(const halfcl_isa *isa, const uint16_t *a, size_t n, const big *b)
{
    const halfcl_kernel *fold = find_fold(isa, "multiply_reduce", 1);
    halfcl_fold_state state = {0};
    const ptrdiff_t step = 2;
    int shift;
    halfcl_state_add(fold, &state, (char *[]){(char *)a}, &step, n);
    double high = fabs(frexp(state.product.high, &shift));
    double low = ldexp(state.product.low, 126 - shift) * (b->negative ? -1 : 1);
    wide size = ((wide)ldexp(high, 53) << (126 - 53)) + (wide)low;
    int64_t exponent = 32 * b->count - __builtin_clz(b->digit[b->count - 1]) + b->exponent;
    if (state.product.exponent + shift != exponent) /* rounded up to a power of two */
        size *= 2;
    wide away = size - leading_bits(b), most = (wide)(n + 1) << (126 - 101);
    if ((away > most || away < -most) && failed("multiply_reduce", isa, 0))
        printf("%zu factors are off by %g units of 2^-101\n", n, (double)away * 0x1p-25);
}

static void check_product(const uint16_t *a, size_t n, int mode)
{
    big b = {.digit = {1}, .count = 1};
    const halfcl_isa *isa;
    for (size_t i = 0; i < n; ++i)
        times(&b, a[i]);
    rounded expected = product_of(&b, mode);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        if (n && !b.zero && !b.infinite && !b.nan)
            check_nearness(isa, a, n, &b);
        for (int layout = 0; layout < LAYOUTS; ++layout) {
            const uint16_t one = 0x3c00;
            uint16_t out;
            unsigned flags =
                reduce(find_fold(isa, "multiply_reduce", 1), a, &one, n, mode, layout, &out);
            if ((!same_half(out, expected.half) || flags != expected.flags) &&
                failed("multiply_reduce", isa, mode))
                printf("%zu factors, layout %d, gave %04x flags %x, not %04x flags %x\n", n,
                       layout, out, flags, expected.half, expected.flags);
        }
    }
}

/* 2^60 - 1 = 3^2 5^2 7 11 13 31 41 61 151 331 1321, times four 2^-15 and half: just below
 * half. */
static void check_just_below(uint16_t half, int mode)
{
    const uint16_t a[] = {0x4880, 0x4e40, 0x4700, 0x4980, 0x4a80, 0x4fc0, 0x5120, 0x53a0,
                          0x58b8, 0x5d2c, 0x6529, 0x0200, 0x0200, 0x0200, 0x0200, half};
    check_product(a, sizeof a / sizeof *a, mode);
}

static void test_products(void)
{
    uint16_t a[FACTORS];
    for (int turn = 0; turn < 1000; ++turn)
        check_just_below(pick_factor(4), turn & 3);
    for (int turn = 0; turn < 3000; ++turn) {
        size_t n = random_bits() % (turn % 3 ? 12 : FACTORS);
        for (size_t i = 0; i < n; ++i)
            a[i] = pick_factor(turn / 4 % 6);
        check_product(a, n, turn & 3);
    }
}

#else

static void test_sums(void)
{
}

static void test_products(void)
{
}

#endif

/* Tests states of many columns at once, and running sums, against folds of one line each. */

enum { MOST_COLUMNS = 600, MOST_ROWS = 300 };

/* Compares the results of all states at once with those of each, and their exceptions. */
static void check_finishing(const halfcl_isa *isa, const halfcl_kernel *fold,
                            const halfcl_fold_state *states, size_t count, int mode)
{
    static uint16_t got[MOST_COLUMNS];
    unsigned flags = 0;
    unsigned got_flags = halfcl_states_finish(fold, (const char *)states, sizeof *states, count,
                                              got, (halfcl_rounding)mode);
    for (size_t k = 0; k < count; ++k) {
        uint16_t expected;
        flags |= finish(fold, &states[k], &expected, mode);
        if (!same_half(got[k], expected) && failed("finish", isa, mode))
            printf("state %zu of %zu gave %04x, not %04x\n", k, count, got[k], expected);
    }
    if (flags != got_flags && failed("finish", isa, mode))
        printf("%zu states gave flags %x, not %x\n", count, got_flags, flags);
}

/* Tests count states of n elements each, so many bytes apart across states and along
 * elements. */
static void check_states(const halfcl_isa *isa, const char *name, uint8_t nin,
                         const uint16_t *a, const uint16_t *b, size_t count, size_t n,
                         ptrdiff_t across, ptrdiff_t along)
{
    static halfcl_fold_state states[MOST_COLUMNS];
    const halfcl_kernel *fold = find_fold(isa, name, nin);
    char *where = (char *)a; /* any bytes */
    halfcl_elements elements = {.inputs = {(char *)a, (char *)b},
                                .across = {across, across},
                                .along = {along, along},
                                .count = count,
                                .n = n};
    for (int with_where = 0; with_where < 2; ++with_where) {
        elements.where = with_where ? where : NULL;
        elements.where_across = 3;
        elements.where_along = 7;
        memset(states, 0, count * sizeof *states);
        halfcl_states_add(fold, (char *)states, sizeof *states, &elements);
        for (size_t k = 0; k < count; ++k) {
            halfcl_fold_state state = {0};
            uint16_t expected, got;
            for (size_t r = 0; r < n; ++r) {
                ptrdiff_t at = (ptrdiff_t)k * across + (ptrdiff_t)r * along;
                char *inputs[] = {(char *)a + at, (char *)b + at};
                if (!with_where || where[3 * k + 7 * r])
                    halfcl_state_add(fold, &state, inputs, (ptrdiff_t[]){2, 2}, 1);
            }
            unsigned flags = finish(fold, &state, &expected, (int)k & 3);
            unsigned got_flags = finish(fold, &states[k], &got, (int)k & 3);
            bool same = same_half(got, expected) && got_flags == flags;
            if ((expected & 0x7fff) < 0x7c00 && strcmp(name, "multiply_reduce"))
                same &= memcmp(&state.sum, &states[k].sum, sizeof state.sum) == 0;
            if (!same && failed(name, isa, k & 3))
                printf("state %zu of %zu elements gave %04x flags %x, not %04x flags %x\n", k,
                       n, got, got_flags, expected, flags);
        }
        for (int mode = 0; mode < 4; ++mode)
            check_finishing(isa, fold, states, count, mode);
    }
}

static void check_scan(const halfcl_isa *isa, const uint16_t *a, size_t n, int mode)
{
    static uint16_t got[MOST_COLUMNS * MOST_ROWS];
    const halfcl_signature signature = HALFCL_HALVES(1, 1);
    const halfcl_kernel *fold = find_fold(isa, "add_reduce", 1);
    const halfcl_kernel *scan =
        halfcl_find_kernel(isa, "add_accumulate", HALFCL_SCAN, &signature);
    halfcl_fold_state state = {0}, scanned = {0};
    const ptrdiff_t step = 2;
    unsigned flags = 0;
    size_t cut = n ? random_bits() % n : 0;
    unsigned got_flags = halfcl_run_scan(scan, &scanned, (const char *)a, 2, (char *)got, 2,
                                         cut, (halfcl_rounding)mode);
    got_flags |= halfcl_run_scan(scan, &scanned, (const char *)(a + cut), 2,
                                 (char *)(got + cut), 2, n - cut, (halfcl_rounding)mode);
    for (size_t i = 0; i < n; ++i) {
        uint16_t expected;
        halfcl_state_add(fold, &state, (char *[]){(char *)(a + i)}, &step, 1);
        flags |= finish(fold, &state, &expected, mode);
        if (!same_half(got[i], expected) && failed("add_accumulate", isa, mode)) {
            printf("%zu of %zu gave %04x, not %04x\n", i, n, got[i], expected);
            return;
        }
    }
    if (flags != got_flags && failed("add_accumulate", isa, mode))
        printf("%zu elements gave flags %x, not %x\n", n, got_flags, flags);
}

/* Scans columns of a row each, in place or not, in two parts, against scans of one line
 * each. */
static void check_scan_down(const halfcl_isa *isa, const uint16_t *a, size_t rows,
                            size_t columns, int mode, bool in_place)
{
    static uint16_t got[MOST_COLUMNS * MOST_ROWS], line[MOST_ROWS];
    static halfcl_fold_state states[MOST_COLUMNS];
    const halfcl_signature signature = HALFCL_HALVES(1, 1);
    const halfcl_kernel *scan =
        halfcl_find_kernel(isa, "add_accumulate", HALFCL_SCAN, &signature);
    const ptrdiff_t row = 2 * MOST_COLUMNS;
    const size_t cut = rows ? random_bits() % rows : 0;
    const char *in = (const char *)(in_place ? got : a);
    unsigned flags = 0, first = 0, second = 0;
    memset(states, 0, sizeof states);
    memcpy(got, a, sizeof got);
    bool done = halfcl_scan_columns(scan, states, columns, in, row, (char *)got, row, cut,
                                    (halfcl_rounding)mode, &first);
    done &= halfcl_scan_columns(scan, states, columns, in + (ptrdiff_t)cut * row, row,
                                (char *)got + (ptrdiff_t)cut * row, row, rows - cut,
                                (halfcl_rounding)mode, &second);
    if (!done && failed("scan down", isa, mode))
        printf("was not done\n");
    for (size_t k = 0; k < columns; ++k) {
        halfcl_fold_state state = {0};
        bool same = true;
        flags |= halfcl_run_scan(scan, &state, (const char *)(a + k), row, (char *)line, 2,
                                 rows, (halfcl_rounding)mode);
        for (size_t r = 0; r < rows; ++r)
            same &= same_half(got[r * MOST_COLUMNS + k], line[r]);
        if ((!same || state.seen != states[k].seen) && failed("scan down", isa, mode))
            printf("column %zu of %zu, %zu rows\n", k, columns, rows);
    }
    if (flags != (first | second) && failed("scan down", isa, mode))
        printf("%zu rows of %zu gave flags %x, not %x\n", rows, columns, first | second, flags);
}

/* Scans lines in rows, down columns and in other layouts, in place or not, against scans of one
 * line each. */
static void check_scan_lines(const halfcl_isa *isa, const char *name, uint16_t *a, int mode)
{
    static uint16_t got[MOST_COLUMNS * MOST_ROWS], line[MOST_ROWS];
    const halfcl_signature signature = HALFCL_HALVES(1, 1);
    const halfcl_kernel *scan = halfcl_find_kernel(isa, name, HALFCL_SCAN, &signature);
    const size_t shapes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 200};
    const size_t n = shapes[random_bits() % 11], count = random_bits() % MOST_COLUMNS + 1;
    const bool in_place = random_bits() % 4 == 0;
    ptrdiff_t step = 2, across = 2 * (ptrdiff_t)n;
    unsigned flags = 0, got_flags = 0;
    if (random_bits() % 2)
        step = 2 * MOST_COLUMNS, across = 2;
    else if (random_bits() % 2)
        across = 2 * MOST_ROWS;
    memcpy(got, a, sizeof got);
    const halfcl_scanned_lines lines = {
        (const char *)(in_place ? got : a), step, across, (char *)got, step, across, n};
    if (!halfcl_scan_lines(scan, &lines, count, (halfcl_rounding)mode, &got_flags) &&
        failed(name, isa, mode))
        printf("lines of %zu were not scanned\n", n);
    for (size_t k = 0; k < count; ++k) {
        halfcl_fold_state state = {0};
        bool same = true;
        const ptrdiff_t at = (ptrdiff_t)k * across;
        flags |= halfcl_run_scan(scan, &state, (const char *)a + at, step, (char *)line, 2, n,
                                 (halfcl_rounding)mode);
        for (size_t r = 0; r < n; ++r)
            same &= same_half(got[(at + (ptrdiff_t)r * step) / 2], line[r]);
        if (!same && failed(name, isa, mode))
            printf("line %zu of %zu, of %zu elements, %td apart\n", k, count, n, step);
    }
    if (flags != got_flags && failed(name, isa, mode))
        printf("%zu lines of %zu gave flags %x, not %x\n", count, n, got_flags, flags);
}

/* Tests extrema along columns, many or few, and along rows, long or short. */
static void check_extrema_of_states(const halfcl_isa *isa, const uint16_t *a, size_t rows,
                                    size_t columns, ptrdiff_t row)
{
    static const char *const names[] = {"maximum_reduce", "minimum_reduce", "fmax_reduce",
                                        "fmin_reduce"};
    const size_t few = columns % 40 + 1;
    for (int k = 0; k < 4; ++k) {
        check_states(isa, names[k], 1, a, a, columns, rows, 2, row);
        check_states(isa, names[k], 1, a, a, few, rows, 2, 2 * (ptrdiff_t)few);
        check_states(isa, names[k], 1, a, a, few, rows % 8, 2, 2);
        check_states(isa, names[k], 1, a, a, rows, columns, row, 2);
        check_states(isa, names[k], 1, a, a, rows, few, row, 2);
    }
}

static void test_many_at_once(void)
{
    static uint16_t a[MOST_COLUMNS * MOST_ROWS], b[MOST_COLUMNS * MOST_ROWS];
    const size_t size = sizeof a / sizeof *a;
    const ptrdiff_t row = 2 * MOST_COLUMNS;
    const halfcl_isa *isa;
    for (int turn = 0; turn < 40; turn += one_in) {
        size_t rows = random_bits() % MOST_ROWS, columns = random_bits() % MOST_COLUMNS + 1;
        int rare = turn % 2 ? 1000 : 100000;
        for (size_t i = 0; i < size; ++i) {
            a[i] = pick_half();
            b[i] = pick_half();
            if ((a[i] & 0x7c00) == 0x7c00 && random_bits() % rare)
                a[i] = turn % 8 < 3 ? 0x7bff : a[i] & 0x83ff;
            if ((b[i] & 0x7c00) == 0x7c00 && random_bits() % rare)
                b[i] &= 0x83ff;
            if (turn % 8 == 7) {
                a[i] &= 0x8000;
                b[i] &= 0x8000;
            }
        }
        for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
            check_states(isa, "add_reduce", 1, a, b, columns, rows, 2, row);
            check_states(isa, "dot", 2, a, b, columns, rows, 2, row);
            check_states(isa, "add_reduce", 1, a, b, rows, columns, row, 2);
            check_states(isa, "add_reduce", 1, a, b, rows, columns % 40, row, 2);
            check_states(isa, "add_reduce", 1, a, b, 20, 9 * columns, 9 * row, 2);
            check_states(isa, "dot", 2, a, b, rows, columns, row, 2);
            check_extrema_of_states(isa, a, rows, columns, row);
            check_scan_down(isa, a, rows, columns, turn & 3, turn / 4 % 2);
            for (int mode = 0; mode < 4; ++mode) {
                check_scan_lines(isa, "add_accumulate", a, mode);
                check_scan_lines(isa, "multiply_accumulate", b, mode);
            }
            check_states(isa, "multiply_reduce", 1, a, b, columns, rows, 2, row);
            check_scan(isa, a, random_bits() % (turn % 4 ? 5000 : size), turn / 2 & 3);
        }
    }
}

/* Tests statistics of integers, which are known; and the roots of squares and of their
 * neighbours. */
static void test_statistics(void)
{
    const halfcl_kernel *dot = find_fold(halfcl_find_isa(NULL), "dot", 2);
    const halfcl_kernel *sum = find_fold(halfcl_find_isa(NULL), "add_reduce", 1);
    for (int turn = 0; turn < 2000; ++turn) {
        uint16_t a[] = {0x3c00, 0x3c00 + (uint16_t)(random_bits() % 0x400)};
        halfcl_fold_state sums = {0}, squares = {0};
        const halfcl_moments moments = {&sums, &squares};
        char *inputs[] = {(char *)a, (char *)a};
        const double x = half_value(a[0]), y = half_value(a[1]);
        double got[4];
        const double expected[] = {x + y, (x + y) / 2, (x - y) * (x - y) / 4, (y - x) / 2};
        const halfcl_statistic which[] = {HALFCL_SUM, HALFCL_MEAN, HALFCL_VARIANCE,
                                          HALFCL_DEVIATION};
        halfcl_state_add(sum, &sums, inputs, (ptrdiff_t[]){2, 2}, 2);
        halfcl_state_add(dot, &squares, inputs, (ptrdiff_t[]){2, 2}, 2);
        for (int k = 0; k < 4; ++k) {
            unsigned flags = halfcl_round_statistic(which[k], &moments, 2, 2, HALFCL_DOUBLE,
                                                    (halfcl_rounding)(turn & 3), &got[k]);
            if ((got[k] != expected[k] || flags) &&
                failed("statistic", halfcl_find_isa(NULL), turn & 3))
                printf("%d of %04x and %04x gave %g flags %x, not %g\n", k, a[0], a[1], got[k],
                       flags, expected[k]);
        }
    }
}

/* Tests many reductions of few elements each, against one state after the other. */

enum { MOST_RESULTS = 700 };

static halfcl_reduction reduction_by(const halfcl_isa *isa, halfcl_statistic what)
{
    const halfcl_signature narrowing = {1, 1, {HALFCL_DOUBLE, HALFCL_HALF}};
    const bool of_products = what == HALFCL_SUM_OF_PRODUCTS || what == HALFCL_NORM;
    const bool of_squares = what == HALFCL_VARIANCE || what == HALFCL_DEVIATION;
    const char *name = what == HALFCL_PRODUCT ? "multiply_reduce" : "add_reduce";
    return (halfcl_reduction){
        .what = what,
        .sum = of_products ? NULL : find_fold(isa, name, 1),
        .products = of_products || of_squares ? find_fold(isa, "dot", 2) : NULL,
        .narrow = halfcl_find_kernel(isa, "convert", HALFCL_MAP, &narrowing)};
}

/* Reduces a row; instead of its NaNs, which follow the others, zeros count, or nothing. */
static unsigned reduce_one(const halfcl_reduction *how, char *const *inputs,
                           const ptrdiff_t *along, size_t n, bool skips_nans, uint16_t *result)
{
    const bool counted =
        skips_nans && how->what >= HALFCL_MEAN && how->what <= HALFCL_DEVIATION;
    halfcl_fold_state sum = {.seen = how->seen}, products = sum;
    const halfcl_moments moments = {&sum, &products};
    uint64_t lost = 0;
    for (size_t i = 0; i < n && counted; ++i)
        lost += (*(const uint16_t *)(inputs[0] + (ptrdiff_t)i * along[0]) & 0x7fff) > 0x7c00;
    const uint64_t freedom = how->freedom > lost ? how->freedom - lost : 0;
    if (counted && (lost == n || (how->what != HALFCL_MEAN && freedom == 0))) {
        *result = 0x7e00;
        return HALFCL_TOO_FEW;
    }
    n -= lost;
    if (how->sum)
        halfcl_state_add(how->sum, &sum, inputs, along, n);
    if (how->products)
        halfcl_state_add(how->products, &products, inputs, along, n);
    if (how->what == HALFCL_PRODUCT)
        return finish(how->sum, &sum, result, how->mode);
    return halfcl_round_statistic(how->what, &moments, n, freedom, HALFCL_HALF, how->mode,
                                  result);
}

static void check_few(const halfcl_isa *isa, const halfcl_reduction *how,
                      const halfcl_elements *elements)
{
    uint16_t got[MOST_RESULTS];
    unsigned flags = 0, got_flags = halfcl_reduce_few(how, elements, got);
    for (size_t k = 0; k < elements->count; ++k) {
        uint16_t expected;
        char *inputs[2];
        for (int i = 0; i < 2; ++i)
            inputs[i] = elements->inputs[i] + (ptrdiff_t)k * elements->across[i];
        flags |= reduce_one(how, inputs, elements->along, elements->n, elements->number_or,
                            &expected);
        if (got[k] != expected && failed("few", isa, how->mode))
            printf("%d of %zu elements gave %04x, not %04x\n", how->what, elements->n, got[k],
                   expected);
    }
    if (flags != got_flags && failed("few", isa, how->mode))
        printf("%d of %zu elements gave flags %x, not %x\n", how->what, elements->n, got_flags,
               flags);
}

/* Sets elements at the end of each row to NaN, and other NaNs to one. */
static void end_with_nans(const halfcl_elements *elements)
{
    for (size_t k = 0; k < elements->count; ++k) {
        const size_t nans = random_bits() % 4 ? random_bits() % (elements->n + 1) : 0;
        for (size_t i = 0; i < elements->n; ++i) {
            uint16_t *half =
                (uint16_t *)(elements->inputs[0] + (ptrdiff_t)k * elements->across[0] +
                             (ptrdiff_t)i * elements->along[0]);
            if (i + nans >= elements->n)
                *half = (uint16_t)(0x7c01 + random_bits() % 0x3ff);
            else if ((*half & 0x7fff) > 0x7c00)
                *half = 0x3c00;
        }
    }
}

static void test_few(void)
{
    const halfcl_signature binary = HALFCL_HALVES(2, 1);
    static uint16_t a[MOST_RESULTS * HALFCL_FEW], b[MOST_RESULTS * HALFCL_FEW];
    const halfcl_isa *isa;
    for (int turn = 0; turn < 300; turn += one_in) {
        const size_t n = turn % 20 == 6 ? 0 : random_bits() % (HALFCL_FEW + 1);
        const size_t count = random_bits() % MOST_RESULTS + 1;
        const ptrdiff_t row = (ptrdiff_t)(2 * n), column = (ptrdiff_t)(2 * count);
        const bool columns = turn & 1, squares = turn & 2;
        char *second = (char *)(squares ? a : b);
        halfcl_elements elements = {.inputs = {(char *)a, second},
                                    .across = {columns ? 2 : row, columns ? 2 : row},
                                    .along = {columns ? column : 2, columns ? column : 2},
                                    .count = count,
                                    .n = n};
        for (size_t i = 0; i < n * count; ++i) {
            a[i] = turn % 7 ? pick_mergeable(turn) : pick_half();
            b[i] = turn % 7 ? pick_mergeable(turn + 1) : pick_half();
        }
        const bool skips_nans = squares && turn % 5 < 2;
        if (skips_nans)
            end_with_nans(&elements);
        for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
            for (int what = HALFCL_SUM; what <= HALFCL_PRODUCT; ++what) {
                halfcl_reduction how = reduction_by(isa, (halfcl_statistic)what);
                if (!squares && what > HALFCL_MEAN && what < HALFCL_PRODUCT)
                    continue;
                how.mode = (halfcl_rounding)(turn / 4 & 3);
                how.seen = what == HALFCL_SUM && turn % 3 ? HALFCL_FROM_ZERO : 0;
                how.freedom = n - (size_t)turn % 5 % (n + 1);
                if (skips_nans && (what < HALFCL_MEAN || what > HALFCL_DEVIATION))
                    continue;
                elements.number_or =
                    skips_nans ? halfcl_find_kernel(isa, "number_or", HALFCL_MAP, &binary)
                               : NULL;
                elements.instead = how.mode == HALFCL_RTN ? 0 : 0x8000;
                check_few(isa, &how, &elements);
            }
        }
    }
}

/* Tests that kernels themselves decide results of halves in [1, 2), which are common, and leave
 * those of infinities that cancel to the driver. */
static void test_few_at_once(const halfcl_isa *isa)
{
    enum { ROWS = 4, DIVISOR = 12 };
    uint16_t rows[ROWS * HALFCL_FEW_COLUMNS];
    double results[HALFCL_FEW_COLUMNS + HALFCL_ROOM];
    const ptrdiff_t steps[] = {HALFCL_FEW_COLUMNS * sizeof *rows,
                               HALFCL_FEW_COLUMNS * sizeof *rows};
    for (int what = HALFCL_SUM; what <= HALFCL_PRODUCT; ++what) {
        const halfcl_reduction to = reduction_by(isa, (halfcl_statistic)what);
        const halfcl_kernel *fold = to.sum ? to.sum : to.products;
        const halfcl_few how = {to.what, ROWS, DIVISOR, 0, HALFCL_RTE};
        for (int cancels = 0; cancels < 2; ++cancels) {
            const bool is_easy = !cancels || what == HALFCL_SUM_OF_PRODUCTS; /* of squares */
            halfcl_env env;
            unsigned flags = 0;
            for (size_t i = 0; i < ROWS * HALFCL_FEW_COLUMNS; ++i)
                rows[i] = (uint16_t)(0x3c00 | (random_bits() & 0x3ff));
            if (cancels) {
                rows[0] = 0x7c00;
                rows[HALFCL_FEW_COLUMNS] = what == HALFCL_PRODUCT ? 0 : 0xfc00;
            }
            halfcl_enter(&env, HALFCL_RTE);
            halfcl_watch_inexact();
            const bool can_tell = !halfcl_was_inexact();
            const bool is_done = fold->fold.round_few(
                results, HALFCL_FEW_COLUMNS, (const void *[]){rows, rows}, steps, &how, &flags);
            halfcl_leave(&env);
            if (can_tell && is_done != is_easy && failed("few at once", isa, 0))
                printf("%d: %s\n", what, is_done ? "decided" : "left to the driver");
        }
    }
}

/* Tests that a reduction without a kernel, or with a wrong one, does not start. */
static void expect_misuse(const halfcl_isa *isa, const halfcl_reduction *how, bool is_misuse)
{
    enum { UNTOUCHED = 0x1234 };
    uint16_t a[2] = {0x3c00, 0x4000}, result = UNTOUCHED;
    const halfcl_elements elements = {.inputs = {(char *)a, (char *)a},
                                      .across = {2, 2},
                                      .along = {2, 2},
                                      .count = 1,
                                      .n = 2};
    const unsigned flags = halfcl_reduce_few(how, &elements, &result);
    if ((flags == HALFCL_MISUSE) != is_misuse || (result == UNTOUCHED) != is_misuse)
        if (failed("misuse of few", isa, 0))
            printf("%d gave flags %x and wrote %04x\n", how->what, flags, result);
}

static void test_misuse_of_few(const halfcl_isa *isa)
{
    const halfcl_signature binary = HALFCL_HALVES(2, 1);
    const halfcl_kernel *add = halfcl_find_kernel(isa, "add", HALFCL_MAP, &binary);
    const halfcl_kernel *sum = find_fold(isa, "add_reduce", 1), *dot = find_fold(isa, "dot", 2);
    const halfcl_kernel *maximum =
        find_fold(isa, "maximum_reduce", 1); /* does not support few */
    const halfcl_kernel *const others[] = {NULL, add, maximum, sum, dot};
    for (int what = HALFCL_SUM; what <= HALFCL_PRODUCT; ++what) {
        const halfcl_reduction right = reduction_by(isa, (halfcl_statistic)what);
        for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
            halfcl_reduction how = right;
            how.freedom = 1;
            how.sum = others[k];
            expect_misuse(isa, &how, !(others[k] == sum || (!others[k] && !right.sum)));
            how.sum = right.sum;
            how.products = others[k];
            expect_misuse(isa, &how, !(others[k] == dot || (!others[k] && !right.products)));
            how.products = right.products;
            how.narrow = others[k];
            expect_misuse(isa, &how, true);
        }
        expect_misuse(isa, &right, false);
    }
}

void test_reductions(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s)
        test_misuse_of_few(isa);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s)
        test_few_at_once(isa);
    test_few();
    test_products();
    test_sums();
    test_sums_at_boundaries();
    test_changing_sizes();
    test_matrices();
    test_blocks_of_matrices();
    test_stacks();
    test_extrema();
    test_merging();
    test_many_at_once();
    test_statistics();
}
