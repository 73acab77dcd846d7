/* Sorting: values in order, equal ones (zeros, NaNs) in that which they had. */
#include "run/sort.h"
#include "tests/testing.h"

static bool is_before(uint16_t a, uint16_t b)
{
    return halfcl_compare(a, b) <= 0;
}

/* Equal elements must not have changed their order: the indices say what that was. */
static void check_order(const uint16_t *values, const ptrdiff_t *order, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        uint16_t a = values[order[i - 1]], b = values[order[i]];
        bool stable = halfcl_compare(a, b) != 0 || order[i - 1] < order[i];
        if ((!is_before(a, b) || !stable) && failed("argsort", halfcl_available(0), 0))
            printf("%zu elements: at %zu %04x before %04x\n", n, i, a, b);
    }
}

/* Sorting must give the very bits that the stable order does. */
static void check_sort(const uint16_t *values, size_t n)
{
    uint16_t *sorted = malloc((n + 1) * sizeof *sorted);
    ptrdiff_t *order = malloc((n + 1) * sizeof *order);
    memcpy(sorted, values, n * sizeof *values);
    for (size_t i = 0; i < n; ++i)
        order[i] = (ptrdiff_t)i;
    if (halfcl_argsort(values, order, n) || halfcl_sort(sorted, n))
        failed("sort: no memory", halfcl_available(0), 0);
    check_order(values, order, n);
    for (size_t i = 0; i < n; ++i) {
        if (sorted[i] != values[order[i]] && failed("sort", halfcl_available(0), 0))
            printf("%zu elements: at %zu %04x not %04x\n", n, i, sorted[i], values[order[i]]);
    }
    free(sorted);
    free(order);
}

/* turn: halves of every kind, among them many zeros and NaNs; any bits; few; one. */
static void fill(uint16_t *values, size_t n, int turn)
{
    uint16_t one = pick_half();
    for (size_t i = 0; i < n; ++i) {
        uint16_t bits = (uint16_t)random_bits();
        values[i] = turn == 0   ? pick_half()
                    : turn == 1 ? bits
                    : turn == 2 ? bits & 0x8003
                                : one;
    }
}

static void test_equals(void)
{
    static const uint16_t pairs[][2] = {{0, 0x8000}, {0x7E00, 0xFE00}, {0x7C01, 0x7FFF}};
    enum { N = 1 << 17 };
    uint16_t *values = malloc(N * sizeof *values);
    for (int k = 0; k < 3; ++k) {
        for (size_t i = 0; i < N; ++i)
            values[i] = pairs[k][random_bits() & 1];
        check_sort(values, N);
        check_sort(values, 100);
    }
    free(values);
}

void test_sort(void)
{
    static const size_t sizes[] = {0,   1,   2,    3,     47,    48,    49,     50,
                                   255, 256, 1000, 65535, 65536, 65537, 200000, (1 << 24) + 5};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        size_t n = sizes[k];
        uint16_t *values = malloc((n + 1) * sizeof *values);
        for (int turn = 0; turn < (n < 1 << 24 ? 4 : 1); ++turn) {
            fill(values, n, turn);
            check_sort(values, n);
        }
        free(values);
    }
    test_equals();
}
