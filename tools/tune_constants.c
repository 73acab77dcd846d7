/* Searches the constants of the kernels that have no hard cases (IN_FLOAT in csrc/kernels), and
 * prints the header with them. With these a kernel, which is compiled in here, gives the right
 * result for every half in every rounding mode. The floats nearest to the coefficients of the
 * best polynomials miss that for a few halves, which are very near to a number where half
 * rounds; then others beside them are tried at random. From the root of the repository, on a
 * processor with AVX-512:
 *
 *     python tools/make_polynomials.py --start > start.h
 *     make -C csrc library
 *     cc -std=gnu11 -O3 -ffp-contract=off -frounding-math -ftrapping-math \
 *         -Icsrc/include -Icsrc -DSTART='"start.h"' tools/tune_constants.c \
 *         csrc/build/libhalfcl.a -pthread -lm -o tune_constants
 *     ./tune_constants > csrc/kernels/functions/tuned.h
 *
 * With the name of a kernel as its argument it prints that kernel's constants alone.
 *
 * For cos this search ends with a few wrong. Those in tuned.h come from a variant of it that is
 * not kept: longer, run several times, and now and then with a step that got one more half
 * wrong. Those of atan come from a search of a piece at a time. So do the three of asin's piece
 * around 4/31: random steps from where this search had ended, of 2^16, 2^12 and 2^8 units of
 * the last place at most, until every half of the piece was right. That all are right for all
 * halves in every mode is tested, as for all constants.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")

#define HALFCL_TARGET here
#define HALFCL_VOCABULARY "simd/avx512.h"

#define TUNED static float
#include START
#define HALFCL_KERNELS_FUNCTIONS_TUNED_H /* in its place */
#include "targets/families/elementwise.h"
#include "targets/families/folds.h"
#include "targets/families/functions.h"
#include "targets/families/images.h"
#include "targets/families/intervals.h"
#include "targets/families/numbers.h"
#include "targets/families/vectors.h"
#include "targets/set.h"

enum { ARRAYS = 4, CONSTANTS = 200, STEPS = 3, TRIES = 300000 };

typedef struct {
    const char *name, *comment;
    float *values;
    size_t count;
} array;

typedef struct {
    const char *kernel;
    array arrays[ARRAYS];
} row;

#define ARRAY(name, comment) {#name, comment, name, sizeof name / sizeof *name}
#define LOG_ARRAYS(base, log)                                                                  \
    {ARRAY(base##_octave, log "(2)."),                                                         \
     ARRAY(base##_inverses, "1 / x, about, for each 32nd of [1, 2)."),                         \
     ARRAY(base##_steps, log "(1 / inverse), about."),                                         \
     ARRAY(base##_slope, log "(1 + s) / s, powers 0 to 2.")}

static const row rows[] = {
    {"exp", {ARRAY(exp_powers, "2^(i/32), about.")}},
    {"exp2", {ARRAY(exp2_polynomial, "2^f on [0, 1), powers 0 to 5.")}},
    {"exp10",
     {ARRAY(exp10_powers, "2^(i/32), about."),
      ARRAY(exp10_octaves, "log2(10), and its rounding error."),
      ARRAY(exp10_growth, "(2^f - 1) / f on [-1/64, 1/64], powers 0 to 2.")}},
    {"log", LOG_ARRAYS(natural, "log")},
    {"log2", LOG_ARRAYS(binary, "log2")},
    {"log10", LOG_ARRAYS(decimal, "log10")},
    {"cbrt", {ARRAY(cbrt_growth, "((1 - h)^(-2/3) - 1) / h on [-0.11, 0.11], powers 0 to 4.")}},
    {"tanh", {ARRAY(tanh_growth, "tanh(x) / x - 1 in pieces, powers 0 to 3.")}},
    {"sinh", {ARRAY(sinh_growth, "sinh(x) / x - 1 in pieces, powers 0 to 4 of r.")}},
    {"cosh", {ARRAY(cosh_polynomial, "cosh(x) in pieces, powers 0 to 4 of r.")}},
    {"erf", {ARRAY(erf_growth, "erf(x) / x - 1 in pieces, powers 0 to 3.")}},
    {"atan", {ARRAY(atan_growth_in_pieces, "atan(x) / x - 1 in pieces, powers 0 to 2.")}},
    {"sin", {ARRAY(sin_growth, "(sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 3 of r^2.")}},
    {"cos",
     {ARRAY(cos_growth, "(sin(r) - r) / r^3 on [0, pi/2], in powers 0 to 4 of r^2, by another "
                        "search: see\n * the head of the tool.")}},
    {"sinpi", {ARRAY(sinpi_slope, "sin(pi f) / f on [0, 1/2], in powers 0 to 4 of f^2.")}},
    {"cospi",
     {ARRAY(cospi_slope, "cos(pi f) / (1/4 - f^2) on [0, 1/2], in powers 0 to 4 of f^2.")}},
    {"expm1",
     {ARRAY(expm1_growth, "(e^r - 1 - r) / r^2 on [-log(2)/2, log(2)/2], powers 0 to 4.")}},
    {"log1p",
     {ARRAY(log1p_inverses, "1 / x, about, for each 32nd of [1, 2)."),
      ARRAY(log1p_steps, "log(1 / inverse), about."),
      ARRAY(log1p_slope, "(log(1 + s) - s) / s^2 on [-1/64, 1/32], powers 0 to 2.")}},
    {"asin",
     {ARRAY(asin_in_pieces,
            "asin(x) / x - 1, or (asin(x) - pi/2) / sqrt(1 - x), in pieces, powers 0 to 2.")}},
    {"acos", {ARRAY(acos_in_pieces, "acos(x) / sqrt(1 - x) in pieces, powers 0 to 2.")}},
};

/* Halves, and their results in each mode. */
typedef struct {
    int count;
    uint16_t in[HALVES], expected[4][HALVES];
} sample;

static sample all, suspects; /* suspects: wrong with the initial constants */

static void run(const halfcl_kernel *kernel, const sample *from, uint16_t *out, int mode)
{
    halfcl_env env;
    halfcl_enter(&env, (halfcl_rounding)mode);
    kernel->map((void *[]){(void *)from->in, out}, (size_t)from->count, (halfcl_rounding)mode);
    halfcl_leave(&env);
}

static bool differ(uint16_t a, uint16_t b)
{
    return a != b && !(half_is_nan(a) && half_is_nan(b));
}

/* Counts wrong results, in all modes; stops once there are enough. */
static int count_wrong(const halfcl_kernel *kernel, const sample *from, int enough)
{
    static uint16_t out[HALVES];
    int wrong = 0;
    for (int mode = 0; mode < 4 && wrong < enough; mode++) {
        run(kernel, from, out, mode);
        for (int i = 0; i < from->count; i++)
            wrong += differ(out[i], from->expected[mode][i]);
    }
    return wrong;
}

static void find_suspects(const halfcl_kernel *kernel)
{
    static uint16_t out[4][HALVES];
    suspects.count = 0;
    for (int mode = 0; mode < 4; mode++)
        run(kernel, &all, out[mode], mode);
    for (int i = 0; i < HALVES; i++) {
        bool wrong = false;
        for (int mode = 0; mode < 4; mode++)
            wrong |= differ(out[mode][i], all.expected[mode][i]);
        if (!wrong)
            continue;
        for (int mode = 0; mode < 4; mode++)
            suspects.expected[mode][suspects.count] = all.expected[mode][i];
        suspects.in[suspects.count++] = all.in[i];
    }
}

/* Return whether a suspect depends on the constant, that is, becomes NaN with it. */
static bool matters(const halfcl_kernel *kernel, float *constant)
{
    static uint16_t out[HALVES];
    float value = *constant;
    bool found = false;
    *constant = NAN;
    run(kernel, &suspects, out, HALFCL_RTE);
    *constant = value;
    for (int i = 0; i < suspects.count; i++)
        found |= half_is_nan(out[i]);
    return found;
}

static const halfcl_kernel *find(const halfcl_isa *isa, const char *name)
{
    const halfcl_signature unary = HALFCL_HALVES(1, 1);
    return halfcl_find_kernel(isa, name, HALFCL_MAP, &unary);
}

/* Find the constants that matter and that exactness does not need: neither 0 nor the powers of
 * two, nor those of a logarithm's last interval, where octave and step cancel. */
static size_t free_constants(const row *function, const halfcl_kernel *kernel, float *free[])
{
    size_t n = 0;
    for (const array *a = function->arrays; a < function->arrays + ARRAYS && a->name; a++) {
        bool octave = strstr(a->name, "octave") && a->count == 1;
        size_t count = strstr(a->name, "_steps") ? a->count - 1 : octave ? 0 : a->count;
        for (size_t i = 0; i < count; i++) {
            int exponent;
            if (a->values[i] != 0 && fabsf(frexpf(a->values[i], &exponent)) != 0.5f &&
                matters(kernel, &a->values[i]))
                free[n++] = &a->values[i];
        }
    }
    return n;
}

static void step(float *value)
{
    int32_t bits, size = 1 << rand() % 14;
    memcpy(&bits, value, sizeof bits);
    bits += rand() % 2 ? size : -size;
    memcpy(value, &bits, sizeof bits);
}

/* Steps of up to STEPS constants, kept if they make nothing worse: the suspects are tested
 * first. */
static int search(const row *function)
{
    const halfcl_kernel *kernel = find(&halfcl_here, function->kernel);
    float *constants[CONSTANTS];
    find_suspects(kernel);
    size_t n = free_constants(function, kernel, constants);
    int wrong = count_wrong(kernel, &all, INT32_MAX);
    for (int tries = 0; wrong > 0 && n > 0 && tries < TRIES; tries++) {
        float *tried[STEPS], old[STEPS];
        int steps = 1 + rand() % STEPS;
        for (int i = 0; i < steps; i++) {
            tried[i] = constants[(size_t)rand() % n];
            old[i] = *tried[i];
            step(tried[i]);
        }
        int now = count_wrong(kernel, &suspects, wrong + 1);
        if (now <= wrong)
            now = count_wrong(kernel, &all, wrong + 1);
        if (now <= wrong)
            wrong = now;
        else
            for (int i = steps - 1; i >= 0; i--)
                *tried[i] = old[i];
    }
    return wrong;
}

static void print(const array *a)
{
    printf("\n/* %s */\nstatic const float %s[] = {", a->comment, a->name);
    for (size_t i = 0; i < a->count; i++)
        printf("%s%af", i ? ", " : "", (double)a->values[i]);
    printf("};\n");
}

int main(int argc, char **argv)
{
    all.count = HALVES;
    for (int i = 0; i < HALVES; i++)
        all.in[i] = (uint16_t)i;
    const char *only = argc > 1 ? argv[1] : NULL;
    if (!only)
        printf("/* Constants of kernels. Made by the command at the head of "
               "tools/tune_constants.c. */\n"
               "#ifndef HALFCL_KERNELS_FUNCTIONS_TUNED_H\n"
               "#define HALFCL_KERNELS_FUNCTIONS_TUNED_H\n");
    for (const row *function = rows; function < rows + sizeof rows / sizeof *rows; function++) {
        if (only && strcmp(only, function->kernel) != 0)
            continue;
        const halfcl_isa *portable = halfcl_find_isa("portable");
        for (int mode = 0; mode < 4; mode++)
            run(find(portable, function->kernel), &all, all.expected[mode], mode);
        fprintf(stderr, "%s: %d wrong\n", function->kernel, search(function));
        for (const array *a = function->arrays; a < function->arrays + ARRAYS && a->name; a++)
            print(a);
    }
    if (!only)
        printf("\n#endif\n");
}
