/* Tests floats and doubles: arithmetic in the four modes, whatever the caller's environment;
 * the error and gamma functions; and elements of any type as their bits. */
#include <math.h>

#include "format/fma.h"
#include "format/fma_by_integers.h"
#include "format/mul_high.h"
#include "tests/caller.h"
#include "tests/testing.h"

/* For each format: the exact results of operations as that to nearest, and the sign of what is
 * missing, which operands of moderate size leave exact. */
#define TEST_FORMAT(F, letter, sqrt_f, fma_f, next_f, least, digits)                           \
    static F in_mode_##letter(F nearest, F rest, int mode)                                     \
    {                                                                                          \
        if (rest > 0 && (mode == HALFCL_RTP || (mode == HALFCL_RTZ && nearest < 0)))           \
            return next_f(nearest, (F)INFINITY);                                               \
        if (rest < 0 && (mode == HALFCL_RTN || (mode == HALFCL_RTZ && nearest > 0)))           \
            return next_f(nearest, (F) - INFINITY);                                            \
        return nearest;                                                                        \
    }                                                                                          \
                                                                                               \
    static F pick_##letter(void)                                                               \
    {                                                                                          \
        F size = 1 + (F)(random_bits() >> 11) * (F)0x1p-53;                                    \
        F scale = (F)ldexp(1, (int)(random_bits() >> 61));                                     \
        return random_bits() & 1 ? size * scale : -size * scale;                               \
    }                                                                                          \
                                                                                               \
    static F rest_of_sum_##letter(F a, F b, F sum)                                             \
    {                                                                                          \
        volatile F of_b = sum - a, of_a = sum - of_b;                                          \
        return (a - of_a) + (b - of_b);                                                        \
    }                                                                                          \
                                                                                               \
    /* One operation on elements that do not fill vectors, by its driver. */                   \
    static void check_##letter(const halfcl_isa *isa, const char *name, const F *operands,     \
                               int nin, F nearest, F rest)                                     \
    {                                                                                          \
        enum { N = 19 };                                                                       \
        char types[6] = {0};                                                                   \
        memset(types, *#letter, (size_t)nin + 2);                                              \
        types[nin] = '>';                                                                      \
        const halfcl_kernel *kernel = find_map(isa, name, types);                              \
        F memory[4][N];                                                                        \
        char *args[4];                                                                         \
        ptrdiff_t steps[4];                                                                    \
        for (int k = 0; k < 4; ++k) {                                                          \
            args[k] = (char *)memory[k];                                                       \
            steps[k] = sizeof(F);                                                              \
            for (int i = 0; i < N; ++i)                                                        \
                memory[k][i] = k < nin ? operands[k] : 0;                                      \
        }                                                                                      \
        for (int mode = 0; mode < 4; ++mode) {                                                 \
            const F wanted = in_mode_##letter(nearest, rest, mode);                            \
            flush_tiny_numbers(true);                                                          \
            unsigned flags = halfcl_run(kernel, args, steps, N, (halfcl_rounding)mode);        \
            flush_tiny_numbers(false);                                                         \
            for (int i = 0; i < N; ++i) {                                                      \
                if ((memory[nin][i] != wanted || flags) && failed(name, isa, mode))            \
                    printf("%a %a: %a, expected %a\n", (double)operands[0],                    \
                           (double)operands[nin - 1], (double)memory[nin][i], (double)wanted); \
            }                                                                                  \
        }                                                                                      \
    }                                                                                          \
                                                                                               \
    static void test_format_##letter(const halfcl_isa *isa)                                    \
    {                                                                                          \
        for (int turn = 0; turn < 2000 / one_in; ++turn) {                                     \
            const F a = pick_##letter(), b = pick_##letter(), c = fabs##letter(a);             \
            const F sum = a + b, difference = a - b, product = a * b, quotient = a / b;        \
            const F root = sqrt_f(c), rest = fma_f(a, b, -product);                            \
            const F far = (F)ldexp((double)b, 2 * digits);                                     \
            check_##letter(isa, "add", (F[]){a, b}, 2, sum, rest_of_sum_##letter(a, b, sum));  \
            check_##letter(isa, "subtract", (F[]){a, b}, 2, difference,                        \
                           rest_of_sum_##letter(a, -b, difference));                           \
            check_##letter(isa, "multiply", (F[]){a, b}, 2, product, rest);                    \
            check_##letter(isa, "divide", (F[]){a, b}, 2, quotient,                            \
                           fma_f(-quotient, b, a) * (b < 0 ? -1 : 1));                         \
            check_##letter(isa, "sqrt", (F[]){c}, 1, root, fma_f(-root, root, c));             \
            check_##letter(isa, "fma", (F[]){a, b, -product}, 3, rest, 0);                     \
            check_##letter(isa, "fma", (F[]){a, b, far}, 3, far, product);                     \
        }                                                                                      \
        check_##letter(isa, "add", (F[]){least, 2 * least}, 2, 3 * least, 0);                  \
        check_##letter(isa, "multiply", (F[]){8 * least, (F)0.25}, 2, 2 * least, 0);           \
        check_##letter(isa, "divide", (F[]){8 * least, 4}, 2, 2 * least, 0);                   \
        check_##letter(isa, "fma", (F[]){least, 3, least}, 3, 4 * least, 0);                   \
    }
#define fabsd fabs
TEST_FORMAT(float, f, sqrtf, halfcl_fmaf, nextafterf, 0x1p-149f, 24)
TEST_FORMAT(double, d, sqrt, halfcl_fma, nextafter, 0x1p-1074, 53)

/* ---------------------------------------------------------------- fma without its instruction
 */

static bool same_double(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b);
}

static const double inf = INFINITY;

/* Returns 53 bits, or few, which have ties. */
static double pick_significand(void)
{
    uint64_t r = random_bits(), few = (r >> 1 & 7) << 49, fraction = r >> 12;
    double size = 0x1p-52 * (double)((uint64_t)1 << 52 | (r & 0x30 ? fraction : few));
    return r & 1 ? size : -size;
}

/* Picks operands whose product is about 2^exponent, and a third that is far from it, near it,
 * or that leaves it below its own last place, or just above that. */
static void pick_for_fma(int exponent, double *x)
{
    uint64_t r = random_bits();
    int half = exponent / 2 + (int)(r % 41) - 20;
    half = half < -1060 ? -1060 : half > 1020 ? 1020 : half;
    x[0] = ldexp(pick_significand(), half);
    x[1] = ldexp(pick_significand(), exponent - half);
    x[2] = ldexp(pick_significand(), exponent + (int)(r >> 8) % 300);
    if (r >> 40 & 1)
        x[2] = -x[0] * x[1] * (1 + (double)((int)(r >> 41 & 3) - 1) * 0x1p-52);
    if ((r >> 48 & 63) == 0)
        x[r >> 54 & 1 ? 2 : 0] = (const double[]){0, -0.0, inf, NAN}[r >> 55 & 3];
}

/* Compares with the instruction, or the C library's function. */
static void test_fma_by_integers(void)
{
    static const uint64_t controls[] = {CALLER_USUAL, CALLER_TOWARD_0, CALLER_UPWARD,
                                        CALLER_DOWNWARD}; /* indexed by halfcl_rounding */
    static const int exponents[] = {0, 0, 1020, -1060, -1080, -2100, 2040, 1500};
    for (int turn = 0; turn < 200000 / one_in; ++turn) {
        uint64_t r = random_bits();
        double x[3];
        pick_for_fma(exponents[r % 8] + (int)(r >> 8) % 40, x);
        set_caller(controls[turn % 4], 0);
        volatile double wanted = halfcl_fma(x[0], x[1], x[2]);
        volatile double result = halfcl_fma_by_integers(x[0], x[1], x[2]);
        set_caller(CALLER_USUAL, 0);
        if (!same_double(result, wanted) && failed("fma", halfcl_available(0), turn % 4))
            printf("%a %a %a: %a, not %a\n", x[0], x[1], x[2], result, wanted);
    }
}

/* ---------------------------------------------------------------- error and gamma functions */

enum { SPECIALS = 53, MOST_APART = 3 }; /* no multiple of any vector's length */

typedef struct {
    const char *name;
    double (*of_c)(double);
    double low, high;
    struct {
        double x, value;
    } special_values[12];
} special;

/* clang-format off */
static const special specials[] = {
    {"erf", erf, -6, 6,
     {{0, 0}, {-0.0, -0.0}, {inf, 1}, {-inf, -1}, {30, 1}, {-1e308, -1}, {0x1p-1074, 0x1p-1074},
      {-0x1p-1074, -0x1p-1074}, {NAN, NAN}, {-30, -1}, {6, 1}, {-6, -1}}},
    {"erfc", erfc, -6, 26,
     {{0, 1}, {-0.0, 1}, {inf, 0}, {-inf, 2}, {27.3, 0}, {1e308, 0}, {-6, 2}, {-1e308, 2},
      {0x1p-1074, 1}, {NAN, NAN}, {28, 0}, {-30, 2}}},
    {"tgamma", tgamma, -8, 171.6,
     {{0, inf}, {-0.0, -inf}, {inf, inf}, {-inf, NAN}, {-1, NAN}, {-0x1p60, NAN}, {171.7, inf},
      {-185.5, 0}, {-184.5, -0.0}, {NAN, NAN}, {5, 24}, {-0x1p-1074, -inf}}},
    {"lgamma", lgamma, 0, 1e3,
     {{0, inf}, {-0.0, inf}, {inf, inf}, {-inf, inf}, {-1, inf}, {-0x1p60, inf}, {1e308, inf},
      {1, 0}, {2, 0}, {NAN, NAN}, {2.6e305, inf}, {-7, inf}}},
};
/* clang-format on */

/* Returns whether two doubles are within 16 units in the last place: the C library's own error
 * is some of them. The Python tests check the errors. */
static bool near_double(double a, double b)
{
#ifdef _WIN32 /* lgamma has few digits near its zeros, 1 and 2 */
    double size = fmax(fabs(b), 1);
#else
    double size = fabs(b);
#endif
    return fabs(a - b) <= 16 * (nextafter(size, INFINITY) - size);
}

/* Tests elements at steps, in both directions: special values among others give the same as
 * alone; nothing is written between the results. */
static void test_special(const halfcl_isa *isa, const special *f, int step_in, int step_out)
{
    enum { ROOM_IN = SPECIALS * MOST_APART, UNTOUCHED = 77 };
    static double in[ROOM_IN], out[ROOM_IN];
    double *x = in + (step_in < 0 ? ROOM_IN - 1 : 0);
    double *result = out + (step_out < 0 ? ROOM_IN - 1 : 0);
    const halfcl_kernel *kernel = find_map(isa, f->name, "d>d");
    char *args[] = {(char *)x, (char *)result};
    ptrdiff_t steps[] = {8 * step_in, 8 * step_out};
    for (int mode = 0; mode < 4; mode++) {
        for (int k = 0; k < ROOM_IN; k++) {
            in[k] = 0.3;
            out[k] = UNTOUCHED;
        }
        for (int k = 0; k < SPECIALS; k++) {
            double part = (double)(random_bits() >> 11) * 0x1p-53;
            x[step_in * k] =
                k % 4 ? f->low + part * (f->high - f->low) : f->special_values[k / 4 % 12].x;
        }
        flush_tiny_numbers(true);
        unsigned flags = halfcl_run(kernel, args, steps, SPECIALS, (halfcl_rounding)mode);
        flush_tiny_numbers(false);
        if (flags && failed(f->name, isa, mode))
            printf("flags %x\n", flags);
        for (int k = 0; k < SPECIALS; k++) {
            double a = x[step_in * k], b = result[step_out * k];
            double wanted = k % 4 ? f->of_c(a) : f->special_values[k / 4 % 12].value;
            if (!(k % 4 ? near_double(b, wanted) : same_double(b, wanted)) &&
                failed(f->name, isa, mode))
                printf("%a: %a, expected %a\n", a, b, wanted);
            result[step_out * k] = UNTOUCHED;
        }
        for (int k = 0; k < ROOM_IN; k++) {
            if (out[k] != UNTOUCHED && failed(f->name, isa, mode))
                printf("steps %d and %d: written at %d\n", step_in, step_out, k);
        }
    }
}

/* Tests the first n of an array, for each n: they give the same as all of it, and no more is
 * read or written. */
static void test_counts_of_special(const halfcl_isa *isa, const special *f)
{
    double in[SPECIALS], all[SPECIALS];
    const halfcl_kernel *kernel = find_map(isa, f->name, "d>d");
    for (int k = 0; k < SPECIALS; k++)
        in[k] = f->low + (f->high - f->low) * k / SPECIALS;
    run(kernel, (void *[]){in, all}, SPECIALS, HALFCL_RTE);
    for (size_t n = 0; n < SPECIALS; n++) {
        const size_t size = n * sizeof(double);
        double *x = malloc(size + 1),
               *result = malloc(size + 1); /* sanitizers check its bounds */
        memcpy(x, in, size);
        ((char *)result)[size] = 77;
        run(kernel, (void *[]){x, result}, n, HALFCL_RTE);
        if ((memcmp(result, all, size) != 0 || ((char *)result)[size] != 77) &&
            failed(f->name, isa, 0))
            printf("the first %zu\n", n);
        free(x);
        free(result);
    }
}

static void test_specials(const halfcl_isa *isa)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        for (int in = -MOST_APART; in <= MOST_APART; in++)
            for (int out = -MOST_APART; out <= MOST_APART; out++)
                if (in && out)
                    test_special(isa, &specials[i], in, out);
        test_counts_of_special(isa, &specials[i]);
    }
}

/* ---------------------------------------------------------------- bits */

static const char letters[] = "BHIQ"; /* for elements of 1, 2, 4 and 8 bytes */

enum { VECTORS = 37, ROOM = VECTORS * 20 * 8 + 64 };

/* Copies n vectors and compares all of the memory with that of a copy byte by byte. */
static void test_copy(const halfcl_isa *isa, size_t size, size_t width, size_t n, int way,
                      ptrdiff_t gap, size_t shift)
{
    static uint8_t from[ROOM], to[ROOM], wanted[ROOM];
    const ptrdiff_t s = (ptrdiff_t)size, apart = (ptrdiff_t)(width + 1) * s * gap;
    const ptrdiff_t beside = (VECTORS + 1) * s;
    uint8_t type = size == 1   ? HALFCL_UINT8
                   : size == 2 ? HALFCL_UINT16
                   : size == 4 ? HALFCL_UINT32
                               : HALFCL_UINT64;
    const halfcl_signature signature = {1, 1, {type, type}};
    const halfcl_kernel *kernel = halfcl_find_kernel(isa, "copy", HALFCL_VECTORS, &signature);
    const ptrdiff_t joined = width == 3 && gap == 0 ? 4 * s : (ptrdiff_t)width * s + apart;
    halfcl_vectors rows = {(char *)(way ? to : from) + shift, joined, s, width};
    halfcl_vectors planes = {(char *)(way ? from : to) + shift, s, beside, width};
    halfcl_vectors operands[2] = {way ? planes : rows, way ? rows : planes};
    for (size_t i = 0; i < ROOM; ++i) {
        from[i] = (uint8_t)random_bits();
        to[i] = wanted[i] = (uint8_t)i;
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < width; ++k) {
            const char *source = operands[0].start + (ptrdiff_t)i * operands[0].step +
                                 (ptrdiff_t)k * operands[0].component;
            ptrdiff_t target = operands[1].start - (char *)to +
                               (ptrdiff_t)i * operands[1].step +
                               (ptrdiff_t)k * operands[1].component;
            memcpy(wanted + target, source, size);
        }
    }
    halfcl_run_vectors(kernel, operands, n, HALFCL_RTE);
    if (memcmp(to, wanted, ROOM) != 0 && failed("copy", isa, 0))
        printf("%zu vectors of %zu of %zu bytes, way %d, gap %d, shift %zu\n", n, width, size,
               way, (int)gap, shift);
}

static void test_copies(const halfcl_isa *isa)
{
    static const size_t widths[] = {1, 2, 3, 4, 5, 8, 16};
    for (size_t size = 1; size <= 8; size *= 2)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; ++w)
            for (size_t n = 0; n <= VECTORS; n += n < 3 ? 1 : 17)
                for (int way = 0; way < 2; ++way)
                    for (ptrdiff_t gap = 0; gap < 2 && (gap == 0 || widths[w] < 9); ++gap)
                        for (size_t shift = 0; shift < 2; ++shift)
                            test_copy(isa, size, widths[w], n, way, gap, shift);
}

static void test_blends(const halfcl_isa *isa)
{
    enum { N = 77 };
    uint8_t memory[3][8 * N], truths[N];
    for (int i = 0; i < 4; ++i) {
        const char types[] = {letters[i], letters[i], '?', '>', letters[i], 0};
        const halfcl_kernel *kernel = find_map(isa, "blend", types);
        const size_t size = (size_t)1 << i;
        for (size_t k = 0; k < sizeof memory; ++k)
            memory[k / sizeof *memory][k % sizeof *memory] = (uint8_t)random_bits();
        for (size_t k = 0; k < N; ++k)
            truths[k] = random_bits() & 1;
        void *args[] = {memory[0], memory[1], truths, memory[2]};
        run(kernel, args, N, 0);
        for (size_t k = 0; k < N; ++k) {
            const uint8_t *wanted = memory[truths[k]] + k * size;
            if (memcmp(memory[2] + k * size, wanted, size) != 0 && failed("blend", isa, 0))
                printf("%s: element %zu\n", types, k);
        }
    }
}

/* Tests that the upper half of a product by parts equals the compiler's, with carries
 * everywhere. */
static void test_mul_high(void)
{
    const uint64_t parts[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    const size_t count = sizeof parts / sizeof *parts, kinds = count * count;
    const uint64_t random = random_bits();
    for (size_t k = 0; k < kinds * kinds; ++k) {
        const size_t i = k / kinds, j = k % kinds;
        const uint64_t a = parts[i / count] << 32 | parts[i % count];
        const uint64_t b = (parts[j / count] << 32 | parts[j % count]) ^ (k % 2 ? random : 0);
        if (mul_high_by_words(a, b) != mul_high(a, b) &&
            failed("mul_high", halfcl_find_isa(NULL), 0))
            printf("%llx, %llx\n", (unsigned long long)a, (unsigned long long)b);
    }
}

void test_numbers(void)
{
    const halfcl_isa *isa;
    test_fma_by_integers();
    test_mul_high();
    for (size_t i = 0; (isa = halfcl_available(i)); ++i) {
        test_format_f(isa);
        test_format_d(isa);
        test_specials(isa);
        test_copies(isa);
        test_blends(isa);
    }
}
