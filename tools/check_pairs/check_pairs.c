/* Checks the functions of two arguments on all 2^32 pairs of halves (those of a half and an
 * integer on all halves with every integer that matters), in every rounding mode and every
 * instruction set that the machine has. What is right comes from exact arithmetic, from the
 * C library, and from MPFR where that could be in doubt (settle.h). From the root of the
 * repository:
 *
 *     make -C csrc library
 *     cc -std=gnu11 -O3 -ffp-contract=off -frounding-math -ftrapping-math \
 *         -Icsrc/include -Icsrc tools/check_pairs/[a-z]*.c csrc/build/libhalfcl.a \
 *         -o check_pairs -pthread -lmpfr -lgmp -lm
 *     ./check_pairs -j 16                  (add -static to run it where there is no MPFR)
 *
 * MPFR 4.2 or later. Options:
 *     -j THREADS
 *     --op NAME              one function
 *     --first A --last A     a range of the bits of the first operand
 *     --portable-step N      the portable kernels that are slow run on one first operand in
 *                            N, a power of two; 16 if not given
 *     --hard FILE            writes the pairs that are hardest to round
 *
 * Each line of the result counts, for one function, mode and set, the pairs with wrong
 * results; the groups of pairs (of the same first operand, expected to raise the same) that
 * raise something else; and the single pairs, out of a sample, that do. So a flag raised
 * without cause is found for any pair, a missing one for all of a group or in the sample.
 * Pairs whose results are close to where half rounds run once more among many that are in
 * doubt, since kernels serve these in another way.
 * The digests are of the right results; those of disjoint ranges add up. At the end comes
 * the table of docs/evidence/pairs.md. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpfr.h>

#include "comparison.h"
#include "hard_pairs.h"
#include "settle.h"

static struct {
    int threads, first_function, last_function;
    unsigned first_a, last_a, portable_step;
    const char *hard_pairs;
} options = {1, 0, FUNCTIONS - 1, 0, HALVES - 1, 16, NULL};

static _Atomic uint64_t asked[FUNCTIONS], nanoseconds[FUNCTIONS];
static _Atomic unsigned next_row, rows_done;

/* ------------------------------------------------------------------ the work */

static uint64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void check_row(int f, uint16_t a, workspace *w)
{
    uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);
    fill_row(f, a, &w->want);
    compare_row(f, a, w);
    asked[f] += w->want.asked;
    nanoseconds[f] += now(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void *work(void *unused)
{
    unsigned rows = options.last_a - options.first_a + 1;
    unsigned total = rows * (unsigned)(options.last_function - options.first_function + 1);
    workspace *w = malloc(sizeof *w);
    if (!w)
        abort();
    init_settling();
    for (unsigned i; (i = atomic_fetch_add(&next_row, 1)) < total;) {
        check_row(options.first_function + (int)(i / rows),
                  (uint16_t)(options.first_a + i % rows), w);
        unsigned done = atomic_fetch_add(&rows_done, 1) + 1;
        if (done % 1024 == 0)
            fprintf(stderr, "\r%u of %u rows", done, total);
    }
    end_settling();
    free(w);
    return unused;
}

static void work_in_threads(void)
{
    pthread_t *workers = calloc((size_t)options.threads, sizeof *workers);
    for (int i = 0; i < options.threads; ++i) {
        if (!workers || pthread_create(&workers[i], NULL, work, NULL) != 0)
            abort();
    }
    for (int i = 0; i < options.threads; ++i)
        pthread_join(workers[i], NULL);
    free(workers);
}

/* ------------------------------------------------------------------ the result */

typedef unsigned long long number; /* as printf has it */

/* The sums of one function over the modes and the sets. */
typedef struct {
    number pairs, portable_pairs, wrong, flags_wrong, digest;
} summary;

static summary summarise(int f)
{
    summary sum = {0};
    for (int m = 0; m < MODES; ++m) {
        for (int s = 0; s < set_count; ++s) {
            const tally *t = &tallies[f][m][s];
            sum.wrong += t->wrong;
            sum.flags_wrong += t->groups_wrong + t->singles_wrong;
        }
        sum.digest += digests[f][m];
    }
    sum.portable_pairs = tallies[f][0][0].pairs;
    sum.pairs = tallies[f][0][set_count - 1].pairs;
    return sum;
}

static void print_details(int f)
{
    for (int m = 0; m < MODES; ++m) {
        for (int s = 0; s < set_count; ++s) {
            const tally *t = &tallies[f][m][s];
            printf("%s %s %s: %llu pairs, %llu wrong; flags: %llu groups, %llu wrong, %llu "
                   "single pairs, %llu wrong\n",
                   functions[f].name, mode_names[m], sets[s]->name, (number)t->pairs,
                   (number)t->wrong, (number)t->groups, (number)t->groups_wrong,
                   (number)t->singles, (number)t->singles_wrong);
        }
        printf("%s %s digest: %016llx\n", functions[f].name, mode_names[m],
               (number)digests[f][m]);
    }
    number pairs = summarise(f).pairs;
    printf("%s: %.1f ns a pair and thread\n", functions[f].name,
           (double)nanoseconds[f] / (double)(pairs ? pairs : 1));
}

/* With commas. */
static const char *grouped(number n, char text[32])
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%llu", n);
    char *end = text;
    for (int i = 0; i < length; ++i) {
        *end++ = digits[i];
        if ((length - i) % 3 == 1 && i + 1 < length)
            *end++ = ',';
    }
    *end = '\0';
    return text;
}

static void print_table(void)
{
    char pairs[32], portable[32], decided[32];
    printf(
        "\n| function | pairs | with portable | wrong results | wrong flags | decided by MPFR "
        "| digest |\n|---|---:|---:|---:|---:|---:|---|\n");
    for (int f = options.first_function; f <= options.last_function; ++f) {
        summary sum = summarise(f);
        printf("| %s | %s | %s | %llu | %llu | %s | `%016llx` |\n", functions[f].name,
               grouped(sum.pairs, pairs), grouped(sum.portable_pairs, portable), sum.wrong,
               sum.flags_wrong, grouped(asked[f], decided), sum.digest);
    }
}

static bool print_results(void)
{
    bool right = true;
    for (int f = options.first_function; f <= options.last_function; ++f) {
        summary sum = summarise(f);
        if (!has_kernels(f))
            printf("%s: a set has no such kernel\n", functions[f].name);
        print_details(f);
        right &= has_kernels(f) && sum.wrong + sum.flags_wrong == 0;
    }
    print_table();
    return right;
}

/* ------------------------------------------------------------------ the program */

static void choose_function(const char *name)
{
    int f = 0;
    while (f < FUNCTIONS && strcmp(name, functions[f].name) != 0)
        ++f;
    options.first_function = options.last_function = f;
}

static bool read_option(const char *name, const char *value)
{
    if (strcmp(name, "-j") == 0)
        options.threads = atoi(value);
    else if (strcmp(name, "--op") == 0)
        choose_function(value);
    else if (strcmp(name, "--first") == 0)
        options.first_a = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--last") == 0)
        options.last_a = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--portable-step") == 0)
        options.portable_step = (unsigned)strtoul(value, NULL, 0);
    else if (strcmp(name, "--hard") == 0)
        options.hard_pairs = value;
    else
        return false;
    return true;
}

static bool read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !read_option(argv[i], argv[i + 1]))
            return false;
    }
    return options.threads > 0 && options.threads <= 1024 && options.portable_step > 0 &&
           options.first_function < FUNCTIONS && options.first_a <= options.last_a &&
           options.last_a < HALVES;
}

int main(int argc, char **argv)
{
    if (!read_options(argc, argv)) {
        fprintf(stderr,
                "usage: %s [-j THREADS] [--op NAME] [--first A] [--last A] "
                "[--portable-step N] [--hard FILE]\n",
                argv[0]);
        return 2;
    }
    init_oracle();
    init_comparison(options.portable_step);
    uint64_t start = now(CLOCK_MONOTONIC);
    work_in_threads();
    double seconds = 1e-9 * (double)(now(CLOCK_MONOTONIC) - start);

    bool right = print_results();
    if (options.hard_pairs && !write_hard_pairs(options.hard_pairs)) {
        perror(options.hard_pairs);
        right = false;
    }
    printf("\nMPFR %s, %.0f s in %d threads: %s\n", mpfr_get_version(), seconds,
           options.threads, right ? "all right" : "WRONG");
    return right ? 0 : 1;
}
