/* Tests the functions for devices that only inspect or move bits, against the engine's: those
 * of one half on every half, those of several on a million random operands. */
#include "device/in_c.h"
#include "tests/testing.h"

enum { COUNT = 1 << 16, PICKED = 16 };

/* Takes operands in x; a truth is 0 or 1. */
typedef uint16_t device_function(const uint16_t x[3], hci_rounding mode);

#define CALLED(name, ...)                                                                      \
    static uint16_t call_##name(const uint16_t x[3], hci_rounding mode)                        \
    {                                                                                          \
        return (uint16_t)hci_device_##name(__VA_ARGS__, mode);                                 \
    }
#define WORD_FUNCTION1(name, op) CALLED(name, x[0])
#define WORD_FUNCTION2(name, op) CALLED(name, x[0], x[1])
#define WORD_FUNCTION3(name, op) CALLED(name, x[0], x[1], x[2])
#define TRUTH_FUNCTION1(name, op) CALLED(name, x[0])
#define TRUTH_FUNCTION2(name, kernel, op) CALLED(name, x[0], x[1])
#include "device/functions.def"
CALLED(nan, x[0])
CALLED(nextup, x[0])
CALLED(nextdown, x[0])
CALLED(nextafter, x[0], x[1])

static const struct {
    const char *name, *types;
    device_function *call;
} functions[] = {
#define ROW(name, types) {#name, types, call_##name},
#define WORD_FUNCTION1(name, op) ROW(name, "e>e")
#define WORD_FUNCTION2(name, op) ROW(name, "ee>e")
#define WORD_FUNCTION3(name, op) ROW(name, "eee>e")
#define TRUTH_FUNCTION1(name, op) ROW(name, "e>?")
#define TRUTH_FUNCTION2(name, kernel, op) {#kernel, "ee>?", call_##name},
#include "device/functions.def"
    ROW(nan, "H>e") ROW(nextup, "e>e") ROW(nextdown, "e>e") ROW(nextafter, "ee>e")};

static uint16_t in[3][COUNT], want[COUNT];

/* Computes the engine's results, with truths widened. */
static void run_engine(size_t which, int mode)
{
    static bool truths[COUNT];
    const char *types = functions[which].types, *result = strchr(types, '>') + 1;
    const bool gives_truths = *result == '?';
    void *args[4] = {in[0], in[1], in[2]};
    args[result - types - 1] = gives_truths ? (void *)truths : (void *)want;
    run(find_map(halfcl_find_isa(NULL), functions[which].name, types), args, COUNT, mode);
    for (int k = 0; gives_truths && k < COUNT; ++k)
        want[k] = truths[k];
}

static void compare(size_t which, int mode)
{
    run_engine(which, mode);
    for (int k = 0; k < COUNT; ++k) {
        const uint16_t x[] = {in[0][k], in[1][k], in[2][k]};
        uint16_t got = functions[which].call(x, (hci_rounding)mode);
        bool same = got == want[k] || (half_is_nan(got) && half_is_nan(want[k]));
        if (!same && failed("device", halfcl_find_isa(NULL), mode))
            printf("%s(%04x %04x %04x) is %04x, not %04x\n", functions[which].name, x[0], x[1],
                   x[2], got, want[k]);
    }
}

void test_device_words(void)
{
    for (int turn = 0; turn <= PICKED / one_in; ++turn) {
        for (int k = 0; k < COUNT; ++k) {
            in[0][k] = turn ? pick_half() : (uint16_t)k;
            in[1][k] = pick_half();
            in[2][k] = pick_half();
        }
        for (size_t which = 0; which < sizeof functions / sizeof *functions; ++which)
            for (int mode = 0; mode < 4; ++mode)
                compare(which, mode);
    }
}
