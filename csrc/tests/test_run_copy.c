/* Tests copies of halves, and conversion to complex numbers, in one thread and in several:
 * apart, one on the other, at odd addresses, with any step. */
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

static void check_complex(const halfcl_isa *isa, size_t n, ptrdiff_t step)
{
    static char halves[SIZE];
    static float got[SIZE];
    const halfcl_signature widens = {1, 1, {HALFCL_HALF, HALFCL_FLOAT}};
    const halfcl_kernel *convert = halfcl_find_kernel(isa, "convert", HALFCL_MAP, &widens);
    const char *from = halves + (step < 0 ? -step * (ptrdiff_t)n : 1);
    for (size_t i = 0; i < SIZE; ++i)
        halves[i] = (char)random_bits();
    memset(got, 0xff, sizeof got);
    halfcl_run_to_complex(convert, got + 1, from, step, n);
    bool right = got[0] != got[0] && got[2 * n + 1] != got[2 * n + 1];
    for (size_t i = 0; i < n; ++i) {
        uint16_t half;
        memcpy(&half, from + (ptrdiff_t)i * step, sizeof half);
        float real = got[2 * i + 1], imaginary = got[2 * i + 2], zero = 0;
        right &= is_nan_half(half) ? real != real : real == halfcl_to_float(half);
        right &= memcmp(&imaginary, &zero, sizeof zero) == 0;
    }
    if (!right && failed("complex numbers", isa, 0))
        printf("%zu, %td bytes apart\n", n, step);
}

static void check_all_complex(void)
{
    const halfcl_isa *isa;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        for (int turn = 0; turn < 300; ++turn) {
            size_t n = 1 + random_bits() % (turn % 3 ? 1400 : 20);
            check_complex(isa, n, turn % 2 ? 2 : (ptrdiff_t)(random_bits() % 9) - 4);
        }
    }
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
        check_all_complex();
    }
    halfcl_set_threads(1);
    halfcl_set_grain(0);
}
