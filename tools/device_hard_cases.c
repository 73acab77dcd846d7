/* Searches the constants of csrc/device/by_hard_cases.h, from those in csrc/device/constants.h
 * on (the first ones are by tools/device_hard_cases.py), and prints that header with those that
 * it found; to standard error, for how many halves a function is wrong, and the results of
 * these. From the root of the repository, on a processor with fma:
 *
 *     python tools/make_device.py csrc/build/device/kernels.h
 *     cc -std=gnu11 -O2 -mfma -ffp-contract=off -frounding-math -ftrapping-math \
 *         -fno-math-errno -Icsrc/include -Icsrc -Icsrc/build \
 *         tools/device_hard_cases.c $(find csrc -name '*.c' -not -path '*tests*') \
 *         -pthread -lm -o device_hard_cases
 *     ./device_hard_cases > constants.h && mv constants.h csrc/device/constants.h
 *     clang-format -i csrc/device/constants.h
 *
 * That takes ten minutes or so. With the names of functions as arguments only their constants
 * are searched; from a header with constants it goes on from these, and those of what is right
 * stay. For each half that is wrong those constants are found that its result depends on: a
 * function becomes NaN with them. Then others beside them are tried at random, and kept if they
 * make nothing worse.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/table.h"

/* The device functions, with tables that can be written. */
#define HCI_TABLE(type, name, size) static type name size
#include "device/in_c.h"

enum { ARRAYS = 4, CONSTANTS = 200, STEPS = 3, TRIES = 4000, WALKS = 4 };

typedef struct {
    const char *name;
    float *values;
    size_t count;
    bool partly; /* without the last, or of cases without the negative ones, which follow */
} array;

typedef struct {
    const char *name;
    float (*call)(uint16_t);
    halfcl_function id;
    array arrays[ARRAYS];
    array cases;
} row;

#define FUNCTION_ROWS(X)                                                                       \
    X(exp2m1, power_of_2_less_1, CASES(exp2m1), ARRAY(exp2m1_growth))                          \
    X(exp10m1, power_of_10_less_1, NONE, ARRAY(exp10m1_growth))                                \
    X(log2p1, binary_log_above_1, CASES(log2p1), LOG(log2p1))                                  \
    X(log10p1, decimal_log_above_1, CASES(log10p1), LOG(log10p1))                              \
    X(tan, tan_of, NONE, ARRAY(tan_growth))                                                    \
    X(tanpi, tanpi_of, ODD_CASES(tanpi), ARRAY(tanpi_growth))                                  \
    X(asinpi, asinpi_of, NONE, ARRAY(asinpi_in_pieces))                                        \
    X(acospi, acospi_of, NONE, ARRAY(acospi_in_pieces))                                        \
    X(atanpi, atanpi_of, ODD_CASES(atanpi), ARRAY(atanpi_growth_in_pieces))                    \
    X(asinh, asinh_of, ODD_CASES(asinh), ARRAY(asinh_in_pieces), LOG(asinh))                   \
    X(acosh, acosh_of, NONE, LOG(acosh))                                                       \
    X(atanh, atanh_of, NONE, ARRAY(atanh_in_pieces))                                           \
    X(erfc, erfc_of, CASES(erfc), ARRAY(erfc_in_pieces))                                       \
    X(tgamma, tgamma_of, CASES(tgamma), ARRAY(tgamma_in_pieces))                               \
    X(lgamma, lgamma_of, CASES(lgamma), ARRAY(lgamma_in_pieces))

#define CALLED(name, op, ...)                                                                  \
    static float call_##name(uint16_t x)                                                       \
    {                                                                                          \
        return hci_##op(hci_vf_widen(x), hci_RTE);                                             \
    }
FUNCTION_ROWS(CALLED)

#define TABLE(name, partly) {#name, hci_##name, sizeof hci_##name / sizeof *hci_##name, partly}
#define ARRAY(name) TABLE(name, false)
#define LOG(name) ARRAY(name##_inverses), TABLE(name##_steps, true)
#define CASES(name) TABLE(name##_cases, false)
#define ODD_CASES(name) TABLE(name##_cases, true)
#define NONE {NULL, NULL, 0, false}
#define ROW(name, op, cases, ...) {#name, call_##name, FUNCTION_##name, {__VA_ARGS__}, cases},
static const row rows[] = {FUNCTION_ROWS(ROW)};

/* Return the halves of a result in all modes, side by side. */
static uint64_t in_all_modes(float result)
{
    return (uint64_t)hci_rounded_half(result, hci_RTE) << 48 |
           (uint64_t)hci_rounded_half(result, hci_RTZ) << 32 |
           (uint64_t)hci_rounded_half(result, hci_RTP) << 16 |
           hci_rounded_half(result, hci_RTN);
}

static uint64_t expected[HALVES];
static uint16_t sample[HALVES];

static bool is_wrong(const row *f, uint16_t x)
{
    return in_all_modes(f->call(x)) != expected[x];
}

static int count_wrong(const row *f, const uint16_t *halves, int count, int enough)
{
    int wrong = 0;
    for (int i = 0; i < count && wrong < enough; i++)
        wrong += is_wrong(f, halves[i]);
    return wrong;
}

static bool is_nan_with(const row *f, uint16_t x, float *constant)
{
    float value = *constant;
    *constant = NAN;
    bool nan = isnan(f->call(x));
    *constant = value;
    return nan;
}

/* Find the constants that x depends on and that exactness does not need: neither 0 nor the
 * powers of two, nor those of a logarithm's last interval, where octave and step cancel. */
static int find_constants(const row *f, uint16_t x, float *constants[])
{
    int n = 0;
    for (const array *a = f->arrays; a < f->arrays + ARRAYS && a->name; a++)
        for (size_t i = 0; i < a->count - a->partly; i++) {
            int exponent;
            float *c = a->values + i;
            if (*c != 0 && fabsf(frexpf(*c, &exponent)) != 0.5f && is_nan_with(f, x, c))
                constants[n++] = c;
        }
    return n;
}

/* The halves that depend on one of the constants: on the first, or, of a table, on any. */
static int find_sample(const row *f, float *constants[], int n)
{
    int count = 0;
    float old[CONSTANTS];
    for (int i = 0; i < n; i++) {
        old[i] = *constants[i];
        *constants[i] = NAN;
    }
    for (int x = 0; x < HALVES; x++)
        if (isnan(f->call((uint16_t)x)) && !half_is_nan((uint16_t)expected[x]))
            sample[count++] = (uint16_t)x;
    for (int i = 0; i < n; i++)
        *constants[i] = old[i];
    return count;
}

static void step(float *value)
{
    int32_t bits, size = 1 << rand() % 14;
    memcpy(&bits, value, sizeof bits);
    bits += rand() % 2 ? size : -size;
    memcpy(value, &bits, sizeof bits);
}

/* Tests wrong halves first: most steps leave these wrong, and are soon rejected. */
static void sort_sample(const row *f, int count)
{
    int front = 0;
    for (int i = 0; i < count; i++)
        if (is_wrong(f, sample[i])) {
            uint16_t x = sample[i];
            sample[i] = sample[front];
            sample[front++] = x;
        }
}

/* Steps of up to STEPS constants, kept if they make nothing worse. */
static int walk(const row *f, float *constants[], int n, int count)
{
    int wrong = count_wrong(f, sample, count, HALVES);
    sort_sample(f, count);
    for (int tries = 0; wrong > 0 && tries < TRIES; tries++) {
        float *tried[STEPS], old[STEPS];
        int steps = 1 + rand() % STEPS;
        for (int i = 0; i < steps; i++) {
            tried[i] = constants[rand() % n];
            old[i] = *tried[i];
            step(tried[i]);
        }
        int now = count_wrong(f, sample, count, wrong + 1);
        if (now < wrong)
            sort_sample(f, count);
        if (now <= wrong)
            wrong = now;
        else
            for (int i = steps - 1; i >= 0; i--)
                *tried[i] = old[i];
    }
    return wrong;
}

/* Searches from the same start until nothing is wrong; otherwise keeps the best result. */
static void search(const row *f, uint16_t x)
{
    float *constants[CONSTANTS], start[CONSTANTS], best[CONSTANTS];
    int n = find_constants(f, x, constants), count = find_sample(f, constants, n);
    int fewest = HALVES + 1;
    for (int i = 0; i < n; i++)
        start[i] = *constants[i];
    for (int walks = 0; fewest > 0 && n > 0 && walks < WALKS; walks++) {
        for (int i = 0; i < n; i++)
            *constants[i] = start[i];
        int wrong = walk(f, constants, n, count);
        for (int i = 0; i < n && wrong < fewest; i++)
            best[i] = *constants[i];
        fewest = wrong < fewest ? wrong : fewest;
    }
    for (int i = 0; i < n; i++)
        *constants[i] = best[i];
}

static void expect(const row *f)
{
    const float *table = halfcl_table(f->id);
    for (int x = 0; x < HALVES; x++)
        expected[x] = in_all_modes(table[x]);
}

static int all_wrong(const row *f, uint16_t *halves)
{
    int wrong = 0;
    for (int x = 0; x < HALVES; x++)
        if (is_wrong(f, (uint16_t)x))
            halves[wrong++] = (uint16_t)x;
    return wrong;
}

static uint16_t wrong[sizeof rows / sizeof *rows][HALVES];
static int wrong_count[sizeof rows / sizeof *rows]; /* -1: not searched */

static void improve(size_t r)
{
    const row *f = rows + r;
    for (size_t i = 0; i < f->cases.count; i += 2)
        f->cases.values[i] = NAN;
    int before = all_wrong(f, wrong[r]);
    for (int i = 0; i < before; i++)
        if (is_wrong(f, wrong[r][i]))
            search(f, wrong[r][i]);
    wrong_count[r] = all_wrong(f, wrong[r]);
    fprintf(stderr, "%s: %d wrong, then %d\n", f->name, before, wrong_count[r]);
    for (int i = 0; i < wrong_count[r] && i < 100; i++)
        fprintf(stderr, "    %04x %a: %a, not %a\n", wrong[r][i],
                (double)hci_vf_widen(wrong[r][i]), (double)f->call(wrong[r][i]),
                (double)halfcl_table(f->id)[wrong[r][i]]);
}

static void print_array(const array *a)
{
    printf("static const float %s[] = {", a->name);
    for (size_t i = 0; i < a->count; i++)
        printf("%s%af", i ? ", " : "", (double)a->values[i]);
    printf("};\n");
}

/* Halves that are still wrong, and their results; if there are none, a number that is not a
 * half. */
static void print_cases(size_t r, bool number)
{
    char upper[40] = "";
    const row *f = rows + r;
    int count = 0;
    for (int i = 0; i < wrong_count[r]; i++)
        count += !(f->cases.partly && wrong[r][i] & HALF_SIGN);
    for (size_t i = 0; f->name[i]; i++)
        upper[i] = (char)toupper(f->name[i]);
    if (number) {
        printf("enum { %s_CASES = %d };\n", upper, count ? count : 1);
        return;
    }
    printf("static const float %s[] = {%s", f->cases.name, count ? "" : "1e9f, 1");
    for (int i = 0; i < count; i++)
        printf("%s%af, %af", i ? ", " : "", (double)hci_vf_widen(wrong[r][i]),
               (double)halfcl_table(f->id)[wrong[r][i]]);
    printf("};\n");
}

/* Prints the tables that were searched; returns false if the line does not begin one of these.
 */
static bool print_new(const char *line)
{
    char name[100] = "";
    bool number = sscanf(line, "enum { %99[A-Z0-9_] = ", name) == 1;
    if (!number && sscanf(line, "static const float %99[a-z0-9_][] = ", name) != 1)
        return false;
    for (char *c = name; *c; c++)
        *c = (char)tolower(*c);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (wrong_count[r] < 0)
            continue;
        if (rows[r].cases.name && strcmp(rows[r].cases.name, name) == 0)
            return print_cases(r, number), true;
        for (const array *a = rows[r].arrays; a < rows[r].arrays + ARRAYS && a->name; a++)
            if (strcmp(a->name, name) == 0)
                return print_array(a), true;
    }
    return false;
}

/* Prints the current header with other numbers in the tables. */
static void print_header(FILE *in)
{
    char line[1000];
    bool skipping = false;
    while (fgets(line, sizeof line, in)) {
        skipping = skipping || print_new(line);
        if (!skipping)
            fputs(line, stdout);
        skipping = skipping && !strchr(line, ';');
    }
}

int main(int argc, char **argv)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], rows[r].name) == 0;
        wrong_count[r] = -1;
        if (wanted) {
            expect(rows + r);
            improve(r);
        }
    }
    FILE *in = fopen("csrc/device/constants.h", "r");
    if (!in)
        return perror("csrc/device/constants.h"), 1;
    print_header(in);
    return fclose(in);
}
