/* Tests a mode for each element against the results and exceptions of the usual driver, one
 * element at a time. */
#include "tests/testing.h"

enum { N = 5000 };

/* Fills modes in runs of up to that many elements. */
static void fill_modes(uint8_t *modes, size_t longest)
{
    for (size_t i = 0; i < N;) {
        size_t length = 1 + random_bits() % longest;
        uint8_t mode = random_bits() % 4;
        for (; length && i < N; --length)
            modes[i++] = mode;
    }
}

/* Steps are in elements; an odd offset makes halves unaligned. */
static void check(const halfcl_isa *isa, const halfcl_kernel *kernel, const uint8_t *modes,
                  size_t n, size_t step, size_t offset)
{
    static char memory[3][2 * (3 * N + 1)];
    char *operands[3];
    ptrdiff_t steps[3];
    unsigned expected_flags = 0, wrong = 0;
    uint16_t *expected = malloc(2 * N);
    for (int i = 0; i < 3; ++i) {
        operands[i] = memory[i] + offset;
        steps[i] = (ptrdiff_t)(2 * step);
    }
    for (size_t k = 0; k < n; ++k) {
        char *one[3];
        for (int i = 0; i < 3; ++i) {
            uint16_t half = pick_half();
            one[i] = operands[i] + k * 2 * step;
            memcpy(one[i], &half, 2);
        }
        one[2] = (char *)(expected + k);
        expected_flags |= halfcl_run(kernel, one, steps, 1, (halfcl_rounding)modes[k]);
    }
    unsigned flags = halfcl_run_in_modes(isa, kernel, operands, steps, modes, 1, n);
    for (size_t k = 0; k < n; ++k) {
        uint16_t got;
        memcpy(&got, operands[2] + k * 2 * step, 2);
        wrong += !same_half(got, expected[k]);
    }
    if ((wrong || flags != expected_flags) && failed("modes", isa, 0))
        printf("%u of %zu wrong, flags %x, not %x\n", wrong, n, flags, expected_flags);
    free(expected);
}

void test_modes(void)
{
    static const size_t longest[] = {1, 20, 200, 3000}, lengths[] = {1, 2, 40, 1024, 1025, N};
    const halfcl_signature binary = HALFCL_HALVES(2, 1);
    const halfcl_isa *isa;
    uint8_t *modes = malloc(N);
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        const halfcl_kernel *divide = halfcl_find_kernel(isa, "divide", HALFCL_MAP, &binary);
        for (size_t r = 0; r < sizeof longest / sizeof *longest; ++r) {
            fill_modes(modes, longest[r]);
            for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
                check(isa, divide, modes, lengths[k], 1, 0);
                check(isa, divide, modes, lengths[k], 3, 1);
            }
        }
    }
    modes[N - 1] = 4;
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        if (halfcl_are_modes(isa, modes, N) || !halfcl_are_modes(isa, modes, N - 1))
            failed("halfcl_are_modes", isa, 0);
    }
    free(modes);
}
