/* Tests sorting: values in order, equal ones (zeros, NaNs) in their original order. Searching
 * and extremes are compared with one element after the other. */
#include "run/sort.h"
#include "tests/testing.h"

static void test_compare(void)
{
    for (int i = 0; i < 100000; ++i) {
        uint16_t a = pick_half(),
                 b = i & 1 ? pick_half() : (uint16_t)(a + random_bits() % 3 - 1);
        if (halfcl_compare(a, b) != compare_values(a, b) &&
            failed("compare", halfcl_available(0), 0))
            printf("%04x %04x\n", a, b);
    }
}

/* Equal elements must have kept their order: the indices say what that was. */
static void check_order(const uint16_t *values, const ptrdiff_t *order, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        uint16_t a = values[order[i - 1]], b = values[order[i]];
        int compared = compare_values(a, b);
        bool right = compared < 0 || (compared == 0 && order[i - 1] < order[i]);
        if (!right && failed("argsort", halfcl_available(0), 0))
            printf("%zu elements: at %zu %04x before %04x\n", n, i, a, b);
    }
}

static int compare_integers(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static int sort_integers(void *integers, ptrdiff_t n, void *nothing)
{
    if (nothing || n > HALFCL_MOST_WORDS)
        failed("sort of integers", halfcl_available(0), 0);
    qsort(integers, (size_t)n, sizeof(uint32_t), compare_integers);
    return n % 5 == 0; /* not sorted, so that halfcl sorts */
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
    for (size_t i = 0; i < n; ++i)
        order[i] = (ptrdiff_t)i;
    if (halfcl_argsort_by(sort_integers, values, order, n))
        failed("sort: no memory", halfcl_available(0), 0);
    check_order(values, order, n);
    for (size_t i = 0; i < n; ++i) {
        if (sorted[i] != values[order[i]] && failed("sort", halfcl_available(0), 0))
            printf("%zu elements: at %zu %04x not %04x\n", n, i, sorted[i], values[order[i]]);
    }
    free(sorted);
    free(order);
}

/* turn: halves of every kind, among them many zeros and NaNs; random bits; few; one. */
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

/* Tests argsort, also of an order that is not 0, 1, 2, which equal elements keep; by: the
 * function that sorts integers, or NULL. */
static void check_order_of_equals(const uint16_t *values, size_t n, halfcl_sort_integers *by)
{
    ptrdiff_t *order = malloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; ++i)
        order[i] = (ptrdiff_t)(n - 1 - i);
    if (by ? halfcl_argsort_by(by, values, order, n) : halfcl_argsort(values, order, n))
        failed("argsort: no memory", halfcl_available(0), 0);
    for (size_t i = 1; i < n; ++i) {
        int compared = compare_values(values[order[i - 1]], values[order[i]]);
        if ((compared > 0 || (compared == 0 && order[i - 1] < order[i])) &&
            failed("argsort of an order", halfcl_available(0), 0))
            printf("%zu elements: at %zu\n", n, i);
    }
    free(order);
}

static size_t first_of_all(const uint16_t *values, size_t n, int sign)
{
    size_t best = 0;
    for (size_t i = 0; i < n; ++i) {
        if (is_nan_half(values[i]))
            return i;
        if (sign * compare_values(values[i], values[best]) > 0)
            best = i;
    }
    return best;
}

static void check_extremes(const halfcl_isa *isa, const uint16_t *values, size_t n)
{
    const halfcl_signature one = HALFCL_HALVES(1, 1);
    const halfcl_kernel *range = halfcl_find_kernel(isa, "maximum_reduce", HALFCL_FOLD, &one);
    size_t most = halfcl_argmax(range, values, n), least = halfcl_argmin(range, values, n);
    if (most != first_of_all(values, n, 1) && failed("argmax", isa, 0))
        printf("%zu elements: %zu\n", n, most);
    if (least != first_of_all(values, n, -1) && failed("argmin", isa, 0))
        printf("%zu elements: %zu\n", n, least);
}

/* Tests extremes in the first and last places of blocks, with others beside them, and NaNs. */
static void test_extremes(const halfcl_isa *isa)
{
    static const size_t places[] = {0,    1,     31,    63,    64,    8191,
                                    8192, 16383, 16384, 16385, 20000, 24999};
    static const uint16_t extremes[] = {0x7c00, 0x7e00, 0xfc00, 0xfc01, 0x0000, 0x8000, 0x3c00};
    enum { N = 25000, PLACES = sizeof places / sizeof *places };
    uint16_t *values = malloc(N * sizeof *values);
    for (int round = 0; round < 7 * 5; round += 2) {
        uint16_t around[] = {0, 0x8000, 0xbc00, 0x3c00, 0x5000};
        for (size_t i = 0; i < N; ++i)
            values[i] = around[round / 7] | (random_bits() & (round % 3 ? 0 : 0x83));
        for (size_t k = 0; k < PLACES; ++k) {
            uint16_t kept = values[places[k]];
            values[places[k]] = extremes[round % 7];
            check_extremes(isa, values, N);
            check_extremes(isa, values + places[k], N - places[k]);
            check_extremes(isa, values, places[k] + 1);
            if (random_bits() & 1)
                values[places[k]] = kept;
        }
    }
    free(values);
}

/* A place is right if the element before it is less, or equal if it is after, and the element
 * at it is not. */
static bool is_place(const uint16_t *sorted, size_t n, uint16_t sought, bool after,
                     ptrdiff_t at)
{
    int limit = after ? 1 : 0;
    if (at < 0 || at > (ptrdiff_t)n)
        return false;
    return (at == 0 || compare_values(sorted[at - 1], sought) < limit) &&
           (at == (ptrdiff_t)n || compare_values(sorted[at], sought) >= limit);
}

static void check_search(const uint16_t *sorted, size_t n, size_t m)
{
    uint16_t *sought = malloc(m * sizeof *sought);
    ptrdiff_t *places = malloc(m * sizeof *places);
    for (size_t i = 0; i < m; ++i)
        sought[i] = m < 1 << 16 ? pick_half() : (uint16_t)i;
    for (int after = 0; after < 2; ++after) {
        if (halfcl_search(sorted, n, sought, m, after, places))
            failed("search: no memory", halfcl_available(0), 0);
        for (size_t i = 0; i < m; ++i) {
            if (!is_place(sorted, n, sought[i], after, places[i]) &&
                failed("search", halfcl_available(0), 0))
                printf("%04x in %zu: %td\n", sought[i], n, places[i]);
        }
    }
    free(sought);
    free(places);
}

static void test_search(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 100, 1000, 65535, 65536, 300000};
    static const size_t searches[] = {1, 7, 8, 9, 100, 8191, 8192, 30000, 65536};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        uint16_t *values = malloc((sizes[k] + 1) * sizeof *values);
        for (int turn = 0; turn < 4; ++turn) {
            fill(values, sizes[k], turn);
            halfcl_sort(values, sizes[k]);
            for (size_t j = 0; j < sizeof searches / sizeof *searches; ++j)
                check_search(values, sizes[k], searches[j]);
        }
        free(values);
    }
}

void test_sort(void)
{
    static const size_t sizes[] = {0,    1,     2,     3,     23,     24,
                                   25,   26,    100,   511,   512,    513,
                                   1000, 65535, 65536, 65537, 200000, (1 << 24) + 5};
    const halfcl_isa *isa;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        size_t n = sizes[k];
        uint16_t *values = malloc((n + 1) * sizeof *values);
        for (int turn = 0; turn < (n < 1 << 24 ? 4 : 1); ++turn) {
            fill(values, n, turn);
            check_sort(values, n);
            check_order_of_equals(values, n, NULL);
            check_order_of_equals(values, n, sort_integers);
            for (size_t i = 0; n > 0 && n < 1 << 24 && (isa = halfcl_available(i)); ++i)
                check_extremes(isa, values, n);
        }
        free(values);
    }
    test_compare();
    test_equals();
    test_search();
    for (size_t i = 0; (isa = halfcl_available(i)); ++i)
        test_extremes(isa);
}
