/* Checks + - * / on all 2^32 pairs of halves, in every rounding mode and every instruction
 * set that the machine has, against MPFR. From the root of the repository:
 *
 *     cc -std=gnu11 -O3 -ffp-contract=off -frounding-math -ftrapping-math -Icsrc \
 *         tools/check_pairs.c csrc/[a-z]*.c csrc/targets/[a-z]*.c \
 *         -o check_pairs -pthread -lmpfr -lgmp -lm
 *     ./check_pairs -j 16                      (add -static to run it where there is no MPFR)
 *
 * Options: -j THREADS; --op add|subtract|multiply|divide; --first A and --last A for a range
 * of the bits of the first operand. Each line of the result counts, for one operation, mode
 * and set, the pairs with wrong bits, the first operands for which the flags of all their
 * pairs together are wrong, and the single pairs, out of a sample, with wrong flags. The
 * digests are of MPFR's results; those of disjoint ranges add up. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpfr.h>

#include "halfcl.h"

enum { COUNT = 1 << 16, MODES = 4, MAX_SETS = 8, MAX_REPORTS = 20 };
enum { SIGN = 0x8000, INF = 0x7c00, NAN_BITS = 0x7e00, QUIET = 0x0200 };

static const char *const mode_names[MODES] = {"rte", "rtz", "rtp", "rtn"};
static const mpfr_rnd_t mpfr_modes[MODES] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDU, MPFR_RNDD};

typedef int mpfr_operation(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static const struct {
    const char *name;
    mpfr_operation *exactly;
} operations[] = {
    {"add", mpfr_add},
    {"subtract", mpfr_sub},
    {"multiply", mpfr_mul},
    {"divide", mpfr_div},
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ------------------------------------------------------------------ halves in MPFR */

/* Half as MPFR counts exponents, whose significands are in [1/2, 1). */
enum { PRECISION = 11, EMAX = 16, EMIN = -23, EXACT_PRECISION = 64 };

static mpfr_t numbers[COUNT]; /* every half, by its bits */

static bool is_nan(unsigned bits)
{
    return (bits & 0x7fff) > INF;
}

static bool is_signalling(unsigned bits)
{
    return is_nan(bits) && !(bits & QUIET);
}

static void init_numbers(void)
{
    for (unsigned bits = 0; bits < COUNT; ++bits) {
        int exponent = bits >> 10 & 31;
        unsigned significand = bits & 0x3ff;
        mpfr_init2(numbers[bits], PRECISION);
        if (exponent == 31 && significand)
            mpfr_set_nan(numbers[bits]);
        else if (exponent == 31)
            mpfr_set_inf(numbers[bits], 1);
        else
            mpfr_set_ui_2exp(numbers[bits], exponent ? significand | 0x400 : significand,
                             (exponent ? exponent : 1) - 25, MPFR_RNDN);
        if (bits & SIGN)
            mpfr_neg(numbers[bits], numbers[bits], MPFR_RNDN);
    }
}

/* The bits of a number that is a half. */
static uint16_t bits_of(const mpfr_t x)
{
    if (mpfr_nan_p(x))
        return NAN_BITS;
    unsigned sign = mpfr_signbit(x) ? SIGN : 0;
    if (mpfr_inf_p(x))
        return (uint16_t)(sign | INF);
    if (mpfr_zero_p(x))
        return (uint16_t)sign;
    const mp_limb_t *limb = mpfr_custom_get_significand(x);
    unsigned significand = (unsigned)(limb[0] >> (GMP_NUMB_BITS - PRECISION));
    int exponent = (int)mpfr_get_exp(x) + 14;
    if (exponent <= 0)
        return (uint16_t)(sign | significand >> (1 - exponent));
    return (uint16_t)(sign | (unsigned)exponent << 10 | (significand & 0x3ff));
}

/* ------------------------------------------------------------------ the truth */

typedef struct {
    uint16_t bits[MODES][COUNT];
    uint8_t flags[MODES][COUNT];
} row;

typedef struct {
    mpfr_t exact, rounded;
} scratch;

static void set_range(mpfr_exp_t least, mpfr_exp_t greatest)
{
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
}

/* Rounds the exact number in one mode. Returns whether that changed it. */
static bool round_one(scratch *s, mpfr_rnd_t mode, uint16_t *bits, bool *overflows)
{
    int ternary = mpfr_set(s->rounded, s->exact, mode);
    *overflows = mpfr_get_exp(s->rounded) > EMAX;
    set_range(EMIN, EMAX);
    ternary = mpfr_check_range(s->rounded, ternary, mode);
    ternary = mpfr_subnormalize(s->rounded, ternary, mode);
    set_range(mpfr_get_emin_min(), mpfr_get_emax_max());
    *bits = bits_of(s->rounded);
    return ternary != 0;
}

/* Results that need no rounding: zeros, whose sign is the mode's matter, infinities, NaN. */
static void put_special(int op, unsigned a, unsigned b, scratch *s, row *out)
{
    bool nan = mpfr_nan_p(s->exact);
    bool invalid = is_signalling(a) || is_signalling(b) || (nan && !is_nan(a) && !is_nan(b));
    bool pole = op == 3 && mpfr_inf_p(s->exact) && mpfr_number_p(numbers[a]);
    for (int m = 0; m < MODES; ++m) {
        operations[op].exactly(s->rounded, numbers[a], numbers[b], mpfr_modes[m]);
        out->bits[m][b] = bits_of(s->rounded);
        out->flags[m][b] = invalid ? HALFCL_INVALID : pole ? HALFCL_DIVBYZERO : 0;
    }
}

/* Of the two directed modes one truncates, and an exact result is the same in all. */
static void put_rounded(unsigned b, scratch *s, row *out)
{
    bool negative = mpfr_signbit(s->exact), overflows[MODES];
    int toward = negative ? HALFCL_RTP : HALFCL_RTN, away = negative ? HALFCL_RTN : HALFCL_RTP;
    uint16_t bits[MODES];
    unsigned tiny = mpfr_get_exp(s->exact) <= -14 ? HALFCL_UNDERFLOW : 0;
    bool inexact = round_one(s, MPFR_RNDZ, &bits[HALFCL_RTZ], &overflows[HALFCL_RTZ]);
    bits[toward] = bits[HALFCL_RTZ];
    overflows[toward] = overflows[HALFCL_RTZ];
    if (inexact) {
        round_one(s, MPFR_RNDN, &bits[HALFCL_RTE], &overflows[HALFCL_RTE]);
        round_one(s, mpfr_modes[away], &bits[away], &overflows[away]);
    } else {
        bits[HALFCL_RTE] = bits[away] = bits[HALFCL_RTZ];
        overflows[HALFCL_RTE] = overflows[away] = false;
        tiny = 0;
    }
    for (int m = 0; m < MODES; ++m) {
        out->bits[m][b] = bits[m];
        out->flags[m][b] = (uint8_t)(tiny | (overflows[m] ? HALFCL_OVERFLOW : 0));
    }
}

/* All results for one a. The exact number has 64 bits: sums and products fit. Quotients are
 * truncated, and the last bit is set if that cut anything off: then the number is on the
 * same side of all halves and midpoints as the quotient. */
static void fill_row(int op, unsigned a, scratch *s, row *out)
{
    for (unsigned b = 0; b < COUNT; ++b) {
        int ternary = operations[op].exactly(s->exact, numbers[a], numbers[b], MPFR_RNDZ);
        if (!mpfr_regular_p(s->exact)) {
            put_special(op, a, b, s, out);
            continue;
        }
        if (ternary != 0) {
            if (op != 3)
                abort();
            ((mp_limb_t *)mpfr_custom_get_significand(s->exact))[0] |= 1;
        }
        put_rounded(b, s, out);
    }
}

/* ------------------------------------------------------------------ the comparison */

typedef struct {
    _Atomic uint64_t pairs, wrong, rows_wrong, sampled, sampled_wrong;
} tally;

static const halfcl_isa *sets[MAX_SETS];
static int set_count;
static tally tallies[OPERATIONS][MODES][MAX_SETS];
static _Atomic uint64_t digests[OPERATIONS][MODES];
static uint16_t all_b[COUNT];
static int first_op = 0, last_op = OPERATIONS - 1;
static unsigned first_a = 0, last_a = COUNT - 1;
static _Atomic unsigned next_row, rows_done;
static _Atomic int reports;

static unsigned run(const halfcl_kernel *kernel, uint16_t *a, uint16_t *b, uint16_t *out,
                    size_t n, halfcl_rounding mode)
{
    halfcl_env env;
    halfcl_enter(&env, mode);
    unsigned flags = kernel->loop((void *[]){a, b, out}, n, mode);
    return flags | halfcl_leave(&env);
}

static bool agree(uint16_t got, uint16_t want)
{
    return got == want || (is_nan(want) && is_nan(got) && (got & QUIET));
}

static void report(const char *what, int op, int mode, int set, unsigned a, unsigned b,
                   unsigned got, unsigned want)
{
    if (atomic_fetch_add(&reports, 1) < MAX_REPORTS)
        printf("%s: %s %s %s of 0x%04x, 0x%04x: got 0x%04x, expected 0x%04x\n", what,
               operations[op].name, mode_names[mode], sets[set]->name, a, b, got, want);
}

static void check_bits(int op, int mode, int set, unsigned a, const uint16_t *got,
                       const uint16_t *want, tally *t)
{
    uint64_t wrong = 0;
    for (unsigned b = 0; b < COUNT; ++b)
        wrong += !agree(got[b], want[b]);
    for (unsigned b = 0; b < COUNT && wrong; ++b) {
        if (!agree(got[b], want[b]))
            report("bits", op, mode, set, a, b, got[b], want[b]);
    }
    t->pairs += COUNT;
    t->wrong += wrong;
}

/* Single pairs: where the flags change from one b to the next, and some others. */
static void check_sample(int op, int mode, int set, const halfcl_kernel *kernel, unsigned a,
                         const uint8_t *want, tally *t)
{
    enum { CHANGES = 32, OTHERS = 32 };
    unsigned sample[2 * CHANGES + OTHERS], count = 0;
    for (unsigned b = 1; b < COUNT && count < 2 * CHANGES; ++b) {
        if (want[b] != want[b - 1]) {
            sample[count++] = b - 1;
            sample[count++] = b;
        }
    }
    uint32_t random = a * 2654435761u + (uint32_t)mode;
    for (int i = 0; i < OTHERS; ++i) {
        random = random * 1664525u + 1013904223u;
        sample[count++] = random >> 16;
    }
    for (unsigned i = 0; i < count; ++i) {
        uint16_t x = (uint16_t)a, y = (uint16_t)sample[i], out;
        unsigned flags = run(kernel, &x, &y, &out, 1, (halfcl_rounding)mode);
        if (flags != want[sample[i]]) {
            report("flags", op, mode, set, a, sample[i], flags, want[sample[i]]);
            t->sampled_wrong += 1;
        }
    }
    t->sampled += count;
}

static void check_row(int op, unsigned a, const row *want)
{
    static _Thread_local uint16_t repeated[COUNT], got[COUNT];
    for (unsigned b = 0; b < COUNT; ++b)
        repeated[b] = (uint16_t)a;
    for (int m = 0; m < MODES; ++m) {
        unsigned raised = 0;
        uint64_t digest = ((uint64_t)op << 16 | a) + 1;
        for (unsigned b = 0; b < COUNT; ++b) {
            raised |= want->flags[m][b];
            digest = (digest ^ want->bits[m][b]) * 0x100000001b3u;
        }
        digests[op][m] += digest;
        for (int set = 0; set < set_count; ++set) {
            tally *t = &tallies[op][m][set];
            const halfcl_kernel *kernel =
                halfcl_find_kernel(sets[set], operations[op].name, "ee>e");
            unsigned flags = run(kernel, repeated, all_b, got, COUNT, (halfcl_rounding)m);
            check_bits(op, m, set, a, got, want->bits[m], t);
            if (flags != raised) {
                report("flags of all b", op, m, set, a, 0, flags, raised);
                t->rows_wrong += 1;
            }
            check_sample(op, m, set, kernel, a, want->flags[m], t);
        }
    }
}

/* ------------------------------------------------------------------ the program */

static void *work(void *unused)
{
    static _Thread_local row want;
    scratch s;
    unsigned rows = last_a - first_a + 1, total = rows * (unsigned)(last_op - first_op + 1);
    mpfr_init2(s.exact, EXACT_PRECISION);
    mpfr_init2(s.rounded, PRECISION);
    set_range(mpfr_get_emin_min(), mpfr_get_emax_max());
    for (unsigned i; (i = atomic_fetch_add(&next_row, 1)) < total;) {
        int op = first_op + (int)(i / rows);
        unsigned a = first_a + i % rows;
        fill_row(op, a, &s, &want);
        check_row(op, a, &want);
        unsigned done = atomic_fetch_add(&rows_done, 1) + 1;
        if (done % 1024 == 0)
            fprintf(stderr, "\r%u of %u rows", done, total);
    }
    mpfr_clears(s.exact, s.rounded, (mpfr_ptr)0);
    mpfr_free_cache();
    return unused;
}

static void choose_op(const char *name)
{
    for (first_op = 0; first_op < OPERATIONS; ++first_op) {
        if (strcmp(name, operations[first_op].name) == 0)
            break;
    }
    last_op = first_op;
}

static int read_options(int argc, char **argv)
{
    int threads = 1;
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value && strcmp(argv[i], "-j") == 0)
            threads = atoi(value);
        else if (value && strcmp(argv[i], "--op") == 0)
            choose_op(value);
        else if (value && strcmp(argv[i], "--first") == 0)
            first_a = (unsigned)strtoul(value, NULL, 0);
        else if (value && strcmp(argv[i], "--last") == 0)
            last_a = (unsigned)strtoul(value, NULL, 0);
        else
            return 0;
        ++i;
    }
    bool sane = first_op < OPERATIONS && first_a <= last_a && last_a < COUNT;
    return sane && threads > 0 && threads <= 1024 ? threads : 0;
}

static bool print_results(void)
{
    bool right = true;
    for (int op = first_op; op <= last_op; ++op) {
        for (int m = 0; m < MODES; ++m) {
            for (int set = 0; set < set_count; ++set) {
                tally *t = &tallies[op][m][set];
                printf("%s %s %s: %llu pairs, %llu wrong; flags: %llu rows, %llu wrong, "
                       "%llu single pairs, %llu wrong\n",
                       operations[op].name, mode_names[m], sets[set]->name,
                       (unsigned long long)t->pairs, (unsigned long long)t->wrong,
                       (unsigned long long)t->pairs / COUNT, (unsigned long long)t->rows_wrong,
                       (unsigned long long)t->sampled, (unsigned long long)t->sampled_wrong);
                right &= t->wrong + t->rows_wrong + t->sampled_wrong == 0;
            }
            printf("%s %s digest: %016llx\n", operations[op].name, mode_names[m],
                   (unsigned long long)digests[op][m]);
        }
    }
    return right;
}

int main(int argc, char **argv)
{
    int threads = read_options(argc, argv);
    if (!threads) {
        fprintf(stderr, "usage: %s [-j THREADS] [--op NAME] [--first A] [--last A]\n", argv[0]);
        return 2;
    }
    while (set_count < MAX_SETS && (sets[set_count] = halfcl_available((size_t)set_count)))
        ++set_count;
    init_numbers();
    for (unsigned b = 0; b < COUNT; ++b)
        all_b[b] = (uint16_t)b;

    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    pthread_t *workers = calloc((size_t)threads, sizeof *workers);
    for (int i = 0; i < threads; ++i) {
        if (!workers || pthread_create(&workers[i], NULL, work, NULL) != 0)
            abort();
    }
    for (int i = 0; i < threads; ++i)
        pthread_join(workers[i], NULL);
    free(workers);
    clock_gettime(CLOCK_MONOTONIC, &end);

    double seconds =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    bool right = print_results();
    printf("MPFR %s, %.0f s, %.0f ns a pair and thread for all modes and sets: %s\n",
           mpfr_get_version(), seconds, 1e9 * seconds * threads / (double)rows_done / COUNT,
           right ? "all right" : "WRONG");
    return right ? 0 : 1;
}
