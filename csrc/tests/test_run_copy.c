/* Copies of halves by one thread and by several: apart, one on the other, at odd addresses. */
#include "tests/testing.h"

enum { SIZE = 6000 };

static void check(size_t to, size_t from, size_t n)
{
    static char got[SIZE], expected[SIZE];
    for (size_t i = 0; i < SIZE; ++i)
        got[i] = (char)random_bits();
    memcpy(expected, got, SIZE);
    memmove(expected + to, expected + from, 2 * n);
    halfcl_run_copy(got + to, got + from, n);
    if (memcmp(got, expected, SIZE) != 0 && failed("copy", halfcl_find_isa(NULL), 0))
        printf("%zu from %zu to %zu\n", n, from, to);
}

void test_run_copy(void)
{
    for (int threads = 1; threads < 5; ++threads) {
        halfcl_set_threads(threads);
        halfcl_set_grain(threads == 1 ? 0 : 10 + random_bits() % 100);
        for (int turn = 0; turn < 2000; ++turn) {
            size_t n = random_bits() % (turn % 2 ? 900 : 20), room = SIZE - 2 * n;
            size_t from = random_bits() % room, near = from + random_bits() % 16;
            check(random_bits() % room, from, n);
            check(near < room ? near : from, from, n);
        }
    }
    halfcl_set_threads(1);
    halfcl_set_grain(0);
}
