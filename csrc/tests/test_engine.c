/* Tests every instruction set that this processor can run against the references of
 * reference.h: results and exceptions, in every mode. */
#include "tests/caller.h"
#include "tests/testing.h"

static const char *const mode_names[] = {"rte", "rtz", "rtp", "rtn"};
static int failures;

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
int one_in = 11;
#else
int one_in = 1;
#endif

bool failed(const char *what, const halfcl_isa *isa, int mode)
{
    if (++failures <= 40)
        printf("FAILED %s %s %s: ", what, isa->name, mode_names[mode]);
    return failures <= 40;
}

uint64_t random_bits(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

const halfcl_kernel *find_map(const halfcl_isa *isa, const char *name, const char *types)
{
    static const char letters[] = "e?bBhHiIqQfd"; /* in the order of halfcl_type */
    halfcl_signature signature = {0};
    const char *output = strchr(types, '>');
    for (const char *t = types; *t; ++t) {
        if (t == output)
            continue;
        int i = signature.nin + signature.nout;
        signature.types[i] = (uint8_t)(strchr(letters, *t) - letters);
        if (t < output)
            signature.nin++;
        else
            signature.nout++;
    }
    return halfcl_find_kernel(isa, name, HALFCL_MAP, &signature);
}

unsigned run(const halfcl_kernel *kernel, void *const *args, size_t n, int mode)
{
    halfcl_env env;
    halfcl_enter(&env, (halfcl_rounding)mode);
    unsigned flags = kernel->map(args, n, (halfcl_rounding)mode);
    return flags | halfcl_leave(&env);
}

void flush_tiny_numbers(bool on)
{
#ifdef HALFCL_X86
    uint64_t control = caller_control(), flushing = CALLER_FLUSHING;
    set_caller(on ? control | flushing : control & ~flushing, caller_exceptions());
#else
    (void)on;
#endif
}

/* Returns special and limiting halves often, otherwise any. */
uint16_t pick_half(void)
{
    static const uint16_t corners[] = {
        0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x07ff, 0x1400, 0x2000, 0x2c00,
        0x37ff, 0x3800, 0x3801, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4000, 0x4200, 0x5000,
        0x6400, 0x77ff, 0x7800, 0x7801, 0x7bfe, 0x7bff, 0x7c00, 0x7e00, 0x7d00, 0x7c01};
    uint64_t r = random_bits();
    uint16_t sign = r & 1 ? 0x8000 : 0;
    switch (r >> 8 & 7) {
    case 0:
        return corners[(r >> 16) % (sizeof corners / sizeof *corners)] | sign;
    case 1:
        return (uint16_t)(r >> 16 & 0x0fff) | sign; /* small */
    case 2:
        return (uint16_t)(0x3c00 + (r >> 16 & 0x7ff)) | sign;
    case 3:
        return (uint16_t)((r >> 16 & 0x1f) << 10 | (r >> 24 & 0x3) << 8) | sign;
    default:
        return (uint16_t)(r >> 16);
    }
}

typedef struct {
    const char *name;
    void (*run)(void);
} test;

static const test tests[] = {
#define TEST(name) {#name, test_##name}
    TEST(vocabulary),
    TEST(operations),
    TEST(decomposition),
    TEST(conversions),
    TEST(functions),
    TEST(functions_of_several),
    TEST(relational),
    TEST(reductions),
    TEST(geometric),
    TEST(kinds),
    TEST(raising),
    TEST(random),
    TEST(modes),
    TEST(overlap),
    TEST(grid),
    TEST(nans),
    TEST(parsing),
    TEST(sort),
    TEST(lines),
    TEST(at),
    TEST(run_copy),
    TEST(images),
    TEST(numbers),
    TEST(environment),
    TEST(threads),
    TEST(device),
    TEST(device_powers),
    TEST(device_exact),
    TEST(device_nans),
    TEST(device_words),
    TEST(device_numbers),
    TEST(device_statistics),
    TEST(totals),
    TEST(neighbours),
    TEST(double_intervals),
#undef TEST
};

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return count == 0;
}

/* Checks that a test leaves the environment unchanged, since its own references and all later
 * tests depend on it. */
static void run_test(const test *t)
{
    uint64_t control = caller_control();
    t->run();
    if (caller_control() != control) {
        ++failures;
        printf("FAILED %s: it leaves its environment changed\n", t->name);
    }
    set_caller(control, 0);
}

/* Returns the number in an environment variable, or a default. */
static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

/* Runs the tests with these names, or all; in HALFCL_TEST_THREADS threads, split from
 * HALFCL_TEST_GRAIN elements on. */
int main(int argc, char **argv)
{
    int run_tests = 0;
    halfcl_set_threads(setting("HALFCL_TEST_THREADS", 1));
    halfcl_set_grain((size_t)setting("HALFCL_TEST_GRAIN", 0));
    one_in = setting("HALFCL_TEST_ONE_IN", one_in);
    one_in = one_in < 1 ? 1 : one_in;
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k) {
        if (is_wanted(tests[k].name, argc - 1, argv + 1)) {
            run_test(&tests[k]);
            ++run_tests;
        }
    }
    if (argc > 1 && run_tests != argc - 1) {
        printf("no test of that name\n");
        return 2;
    }
    printf(failures ? "%d failures\n" : "all passed\n", failures);
    return failures != 0;
}
