/* Tests lines of halves along one of an array's axes: their extremes, against one half after
 * the other; their order, in which equal halves keep theirs. Keys, and splitting them. */
#include "run/sort.h"
#include "tests/testing.h"

/* Lines of the lengths that kernels treat differently; side by side, as many as fill
 * vectors. */
static const halfcl_lines shapes[] = {
    {1, 1, 1},    {5, 2, 1},   {7, 3, 1},     {100, 8, 1},  {40, 31, 1},    {40, 32, 1},
    {41, 33, 1},  {9, 65, 1},  {3, 511, 1},   {2, 8192, 1}, {2, 20000, 1},  {1, 2, 5},
    {3, 4, 7},    {2, 9, 31},  {1, 33, 32},   {2, 40, 33},  {1, 100, 127},  {3, 5, 128},
    {1, 12, 300}, {9, 1, 129}, {1, 32768, 3}, {70, 3, 2},   {1, 1000, 128},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static size_t size_of(const halfcl_lines *lines)
{
    return lines->outer * lines->n * lines->inner;
}

/* Returns half i of the line with that number. */
static uint16_t half_at(const uint16_t *values, const halfcl_lines *lines, size_t line,
                        size_t i)
{
    size_t o = line / lines->inner, k = line % lines->inner;
    return values[(o * lines->n + i) * lines->inner + k];
}

/* turn: halves of every kind, among them many zeros and NaNs; random bits; zeros; numbers, few
 * of which are the same; numbers that are all different. */
static uint16_t pick(int turn)
{
    uint16_t bits = (uint16_t)random_bits();
    return turn == 0   ? pick_half()
           : turn == 1 ? bits
           : turn == 2 ? bits & 0x8000
           : turn == 3 ? bits & (bits & 0x4000 ? 0xBFFF : 0xFFFF)
                       : (bits & 0x3FFF) | 1;
}

static size_t first_extreme(const uint16_t *values, const halfcl_lines *lines, size_t line,
                            int sign)
{
    size_t best = 0;
    for (size_t i = 0; i < lines->n; ++i) {
        uint16_t half = half_at(values, lines, line, i);
        if (is_nan_half(half))
            return i;
        if (sign * compare_values(half, half_at(values, lines, line, best)) > 0)
            best = i;
    }
    return best;
}

static void check_extremes(const halfcl_isa *isa, const uint16_t *values,
                           const halfcl_lines *lines)
{
    const halfcl_signature one = HALFCL_HALVES(1, 1);
    const halfcl_kernel *range = halfcl_find_kernel(isa, "maximum_reduce", HALFCL_FOLD, &one);
    size_t count = lines->outer * lines->inner;
    ptrdiff_t *indices = malloc(count * sizeof *indices);
    for (int greatest = 0; greatest < 2; ++greatest) {
        halfcl_extremes_of_lines(isa, range, values, lines, greatest, indices);
        for (size_t line = 0; line < count; ++line) {
            size_t right = first_extreme(values, lines, line, greatest ? 1 : -1);
            if (indices[line] != (ptrdiff_t)right && failed("extremes", isa, 0))
                printf("%zu %zu %zu: line %zu: %td not %zu\n", lines->outer, lines->n,
                       lines->inner, line, indices[line], right);
        }
    }
    free(indices);
}

/* Returns whether the indices of a line are an order of all its halves, in which equal ones
 * keep theirs. */
static bool is_order(const uint16_t *values, const halfcl_lines *lines, size_t line,
                     const ptrdiff_t *orders, bool *seen)
{
    memset(seen, 0, lines->n);
    for (size_t i = 0, before = 0; i < lines->n; ++i) {
        size_t o = line / lines->inner, k = line % lines->inner;
        size_t at = (size_t)orders[(o * lines->n + i) * lines->inner + k];
        if (at >= lines->n || seen[at])
            return false;
        int compared = i == 0 ? -1
                              : compare_values(half_at(values, lines, line, before),
                                               half_at(values, lines, line, at));
        if (compared > 0 || (compared == 0 && before > at))
            return false;
        seen[at] = true;
        before = at;
    }
    return true;
}

/* Sorted lines must have the very bits that the order gives. */
static void check_sorts(const halfcl_isa *isa, const uint16_t *values,
                        const halfcl_lines *lines)
{
    size_t count = lines->outer * lines->inner, n = size_of(lines);
    ptrdiff_t *orders = malloc(n * sizeof *orders);
    uint16_t *sorted = malloc(n * sizeof *sorted);
    bool *seen = malloc(lines->n);
    memcpy(sorted, values, n * sizeof *values);
    if (halfcl_argsort_lines(isa, values, lines, orders) ||
        halfcl_sort_lines(isa, sorted, lines))
        failed("sort of lines: no memory", isa, 0);
    for (size_t line = 0; line < count; ++line) {
        bool right = is_order(values, lines, line, orders, seen);
        for (size_t i = 0; i < lines->n && right; ++i) {
            size_t o = line / lines->inner, k = line % lines->inner;
            size_t at = (size_t)orders[(o * lines->n + i) * lines->inner + k];
            right = half_at(sorted, lines, line, i) == half_at(values, lines, line, at);
        }
        if (!right && failed("sort of lines", isa, 0))
            printf("%zu %zu %zu: line %zu\n", lines->outer, lines->n, lines->inner, line);
    }
    free(orders);
    free(sorted);
    free(seen);
}

/* Tests all halves, in the order of their keys; and a few, the last of which do not fill a
 * vector. */
static void check_keys(const halfcl_isa *isa)
{
    enum { ALL = 1 << 16 };
    uint16_t *halves = malloc(ALL * sizeof *halves), by_key[ALL];
    int16_t *keys = malloc(ALL * sizeof *keys);
    for (unsigned k = 0; k < ALL; ++k)
        halves[k] = (uint16_t)k;
    bool equals = halfcl_keys_of(isa, keys, halves, ALL);
    for (unsigned k = 0; k < ALL; ++k)
        by_key[(uint16_t)(keys[k] - INT16_MIN)] = (uint16_t)k;
    for (unsigned k = 1; k < ALL; ++k) {
        uint16_t a = by_key[k - 1], b = by_key[k];
        int compared = compare_values(a, b);
        bool right = compared < 0 || (compared == 0 && (is_nan_half(a) || a == 0x8000));
        if ((!right || keys[b] != (int)k + INT16_MIN || !equals) && failed("keys", isa, 0))
            printf("%04x before %04x\n", a, b);
    }
    halfcl_halves_of(isa, (uint16_t *)keys, keys, ALL);
    if (memcmp(keys, halves, ALL * sizeof *halves) != 0 && failed("halves of keys", isa, 0))
        printf("\n");
    for (size_t n = 0; n < 70; ++n) {
        uint16_t few[71] = {0}, again[71];
        int16_t key[71];
        for (size_t i = 0; i < n; ++i)
            few[i] = (uint16_t)(i * 400);
        few[n] = again[n] = 0x8000;
        key[n] = 77;
        bool none = !halfcl_keys_of(isa, key, few, n);
        halfcl_halves_of(isa, again, key, n);
        bool right = none && key[n] == 77 && memcmp(few, again, (n + 1) * sizeof *few) == 0;
        for (size_t i = 0; i < n; ++i) {
            uint16_t kept = few[i];
            few[i] = i % 3 == 0 ? 0x8000 : i % 3 == 1 ? 0x7C01 : 0xFFFF;
            right &= halfcl_keys_of(isa, key, few, n);
            few[i] = kept;
        }
        if (!right && failed("keys of few", isa, 0))
            printf("%zu\n", n);
    }
    free(halves);
    free(keys);
}

static int side_of(int16_t key, int16_t pivot)
{
    return (key > pivot) - (key < pivot);
}

static void check_split(const halfcl_isa *isa)
{
    enum { MOST = 2000 };
    int16_t keys[MOST];
    ptrdiff_t indices[MOST];
    for (size_t n = 1; n < MOST; n += 1 + n / 7) {
        bool few = random_bits() & 1;
        for (size_t i = 0; i < n; ++i)
            keys[i] = (int16_t)(few ? random_bits() % 3 : random_bits());
        int16_t pivot = keys[random_bits() % n];
        halfcl_split_indices(isa, keys, n, pivot, indices);
        bool right = indices[0] >= 0 && indices[0] < (ptrdiff_t)n;
        for (size_t i = 1; i < n && right; ++i) {
            right = indices[i] >= 0 && indices[i] < (ptrdiff_t)n;
            int before = side_of(keys[indices[i - 1]], pivot);
            int after = right ? side_of(keys[indices[i]], pivot) : -2;
            right &= before < after || (before == after && indices[i - 1] < indices[i]);
        }
        if (!right && failed("split", isa, 0))
            printf("%zu keys\n", n);
    }
}

void test_lines(void)
{
    const halfcl_isa *isa;
    for (size_t j = 0; (isa = halfcl_available(j)); ++j) {
        check_keys(isa);
        check_split(isa);
    }
    for (int k = 0; k < SHAPES; ++k) {
        size_t n = size_of(&shapes[k]);
        uint16_t *values = malloc(n * sizeof *values);
        for (int turn = 0; turn < 5; ++turn) {
            for (size_t i = 0; i < n; ++i)
                values[i] = pick(turn);
            for (size_t j = 0; (isa = halfcl_available(j)); ++j) {
                check_extremes(isa, values, &shapes[k]);
                if (shapes[k].n <= 1000)
                    check_sorts(isa, values, &shapes[k]);
            }
        }
        free(values);
    }
}
