#include "comparison.h"

#include <stdio.h>
#include <string.h>

enum { MAX_REPORTS = 10, FLAG_VALUES = 16 };

const halfcl_isa *sets[MAX_SETS];
int set_count;
const char *const mode_names[MODES] = {"rte", "rtz", "rtp", "rtn"};
tally tallies[FUNCTIONS][MODES][MAX_SETS];
_Atomic uint64_t digests[FUNCTIONS][MODES];

static const halfcl_kernel *kernels[FUNCTIONS][MAX_SETS];
static unsigned slow_step;
static _Atomic int reports[FUNCTIONS];

/* Functions of types "ee>e", "ei>e" or "ee>ei". */
static const halfcl_kernel *find(const halfcl_isa *isa, const char *name, const char *types)
{
    halfcl_signature signature = HALFCL_HALVES(2, 1);
    if (types[1] == 'i')
        signature.types[1] = HALFCL_INT32;
    if (strchr(types, '>')[2] == 'i') {
        signature.nout = 2;
        signature.types[3] = HALFCL_INT32;
    }
    return halfcl_find_kernel(isa, name, HALFCL_MAP, &signature);
}

void init_comparison(unsigned portable_step)
{
    slow_step = portable_step;
    while (set_count < MAX_SETS && (sets[set_count] = halfcl_available((size_t)set_count)))
        ++set_count;
    for (int f = 0; f < FUNCTIONS; ++f) {
        for (int s = 0; s < set_count; ++s)
            kernels[f][s] = find(sets[s], functions[f].name, functions[f].types);
    }
}

bool has_kernels(int f)
{
    bool all = true;
    for (int s = 0; s < set_count; ++s)
        all &= kernels[f][s] != NULL;
    return all;
}

/* One in slow_step, spread over exponents and significands. */
static bool is_checked(int f, int set, uint16_t a)
{
    bool slow = functions[f].slow_portable && strcmp(sets[set]->name, "portable") == 0;
    return kernels[f][set] && (!slow || (a * 40503u & 0xffff) < HALVES / slow_step);
}

static unsigned run(int f, int set, int mode, workspace *w, size_t from, size_t n)
{
    void *second = functions[f].integers ? (void *)(w->second_integers + from)
                                         : (void *)(w->second_halves + from);
    void *args[] = {w->first + from, second, w->got + from, w->got_quotients + from};
    halfcl_env env;
    halfcl_enter(&env, (halfcl_rounding)mode);
    unsigned flags = kernels[f][set]->map(args, n, (halfcl_rounding)mode);
    return flags | halfcl_leave(&env);
}

static void report(const char *what, int f, int mode, int set, uint16_t a, int32_t b,
                   int32_t got, int32_t want)
{
    if (atomic_fetch_add(&reports[f], 1) >= MAX_REPORTS)
        return;
    printf("%s: %s %s %s of 0x%04x, ", what, functions[f].name, mode_names[mode],
           sets[set]->name, a);
    printf(functions[f].integers ? "%d" : "0x%04x", b);
    printf(": got 0x%04x, expected 0x%04x\n", (unsigned)got, (unsigned)want);
}

static bool agree(uint16_t got, uint16_t want, bool exactly)
{
    return got == want || (is_nan(want) && is_nan(got) && (got & QUIET) && !exactly);
}

static void put_second(workspace *w, size_t at, int32_t b)
{
    w->second_integers[at] = b;
    w->second_halves[at] = (uint16_t)b;
}

/* The place in w->order where the operands with these exceptions begin. */
typedef struct {
    size_t of[FLAG_VALUES + 1];
} starts;

/* Puts the second operands with equal exceptions together. */
static void group_by_flags(const uint8_t *flags, const operands *second, workspace *w,
                           starts *start)
{
    size_t at[FLAG_VALUES + 1] = {0};
    for (size_t k = 0; k < second->count; ++k)
        ++at[flags[k] + 1];
    for (int value = 0; value < FLAG_VALUES; ++value)
        at[value + 1] += at[value];
    memcpy(start->of, at, sizeof at);
    for (uint32_t k = 0; k < second->count; ++k) {
        size_t i = at[flags[k]]++;
        w->order[i] = k;
        put_second(w, i, second->at[k]);
    }
}

static size_t count_wrong(const uint16_t *got, const uint16_t *want, size_t n, bool exactly)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i)
        wrong += !agree(got[i], want[i], exactly);
    return wrong;
}

static void report_wrong(int f, int mode, int set, uint16_t a, const workspace *w)
{
    const function *it = &functions[f];
    for (size_t i = 0; i < w->want.second.count; ++i) {
        int32_t b = w->want.second.at[w->order[i]];
        if (!agree(w->got[i], w->expected[i], it->keeps_nans))
            report("bits", f, mode, set, a, b, w->got[i], w->expected[i]);
    }
}

/* The results after the kernel ran on all operands in their order. */
static void check_results(int f, int mode, int set, uint16_t a, const workspace *w, tally *t)
{
    const function *it = &functions[f];
    size_t n = w->want.second.count;
    size_t wrong = count_wrong(w->got, w->expected, n, it->keeps_nans);
    if (wrong)
        report_wrong(f, mode, set, a, w);
    for (size_t i = 0; i < n && it->quotient; ++i) {
        int32_t want = w->want.quotients[w->order[i]];
        if (w->got_quotients[i] != want) {
            report("quotient", f, mode, set, a, w->want.second.at[w->order[i]],
                   w->got_quotients[i], want);
            ++wrong;
        }
    }
    t->pairs += n;
    t->wrong += wrong;
}

/* Runs the kernel on each group: exceptions that some pair should not raise show, and those
 * that none of a group raises. */
static void check_groups(int f, int mode, int set, uint16_t a, workspace *w,
                         const starts *start, tally *t)
{
    for (unsigned want = 0; want < FLAG_VALUES; ++want) {
        size_t from = start->of[want], n = start->of[want + 1] - from;
        if (n == 0)
            continue;
        unsigned flags = run(f, set, mode, w, from, n);
        if (flags != want) {
            report("flags of pairs beginning with", f, mode, set, a,
                   w->want.second.at[w->order[from]], (int32_t)flags, (int32_t)want);
            t->groups_wrong += 1;
        }
        t->groups += 1;
    }
}

/* Pairs to run one by one: special second operands, those where the exceptions change from one
 * to the next, some random ones, and some that MPFR had to decide. */
enum { CHANGES = 32, RANDOM = 32, MAX_SAMPLE = 64 + 2 * CHANGES + RANDOM + MAX_ASKED };

static const uint16_t special_halves[] = {
    0x0000, 0x0001, 0x03ff, 0x0400, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x4000,
    0x4200, 0x7bff, 0x7c00, 0x7c01, 0x7d00, 0x7dff, 0x7e00, 0x7fff,
};
static const int32_t special_integers[] = {0, 1, 2, 3};

enum {
    SPECIAL_HALVES = sizeof special_halves / sizeof *special_halves,
    SPECIAL_INTEGERS = sizeof special_integers / sizeof *special_integers,
};

/* With both signs. The operands begin with consecutive ones. */
static size_t choose_specials(const operands *second, bool integers, uint32_t *sample)
{
    size_t count = 0;
    for (int i = 0; i < SPECIAL_HALVES && !integers; ++i) {
        sample[count++] = special_halves[i];
        sample[count++] = special_halves[i] | SIGN;
    }
    for (int i = 0; i < SPECIAL_INTEGERS && integers; ++i) {
        sample[count++] = (uint32_t)(special_integers[i] - second->at[0]);
        sample[count++] = (uint32_t)(-special_integers[i] - second->at[0]);
    }
    return count;
}

static size_t choose_sample(int f, const row *want, int mode, uint16_t a, uint32_t *sample)
{
    const uint8_t *flags = want->flags[mode];
    const operands *second = &want->second;
    size_t count = choose_specials(second, functions[f].integers, sample),
           enough = count + 2 * CHANGES;
    for (uint32_t k = 1; k < second->count && count < enough; ++k) {
        if (flags[k] != flags[k - 1]) {
            sample[count++] = k - 1;
            sample[count++] = k;
        }
    }
    uint32_t random = a * 2654435761u + (uint32_t)mode;
    for (int i = 0; i < RANDOM; ++i) {
        random = random * 1664525u + 1013904223u;
        sample[count++] = (uint32_t)((uint64_t)random * second->count >> 32);
    }
    for (size_t i = 0; i < MAX_ASKED && i < want->asked; ++i)
        sample[count++] = want->asked_at[i];
    return count;
}

/* In a place behind the others. */
static void check_singles(int f, int mode, int set, uint16_t a, const uint32_t *sample,
                          size_t count, workspace *w, tally *t)
{
    size_t at = w->want.second.count;
    for (size_t i = 0; i < count; ++i) {
        int32_t b = w->want.second.at[sample[i]];
        unsigned want = w->want.flags[mode][sample[i]];
        put_second(w, at, b);
        unsigned flags = run(f, set, mode, w, at, 1);
        if (flags != want) {
            report("flags", f, mode, set, a, b, (int32_t)flags, (int32_t)want);
            t->singles_wrong += 1;
        }
    }
    t->singles += count;
}

/* The pairs with close results again, each among several of one that is in doubt: where many
 * are, kernels take another way. In places behind the others. */
static void check_crowd(int f, int mode, int set, uint16_t a, workspace *w, tally *t)
{
    size_t from = w->want.second.count, n = CROWD * w->want.close;
    if (w->want.asked == 0 || n == 0)
        return;
    int32_t doubtful = w->want.second.at[w->want.asked_at[0]];
    for (size_t i = 0; i < n; ++i) {
        uint32_t close = w->want.close_at[i / CROWD];
        put_second(w, from + i, i % CROWD == 0 ? w->want.second.at[close] : doubtful);
    }
    run(f, set, mode, w, from, n);
    for (size_t i = 0; i < n; i += CROWD) {
        uint32_t k = w->want.close_at[i / CROWD];
        uint16_t got = w->got[from + i], want = w->want.bits[mode][k];
        if (!agree(got, want, false)) {
            report("bits among doubtful ones", f, mode, set, a, w->want.second.at[k], got,
                   want);
            t->wrong += 1;
        }
    }
}

static void compare_mode(int f, int mode, uint16_t a, workspace *w, const starts *start)
{
    uint32_t sample[MAX_SAMPLE];
    size_t sampled = choose_sample(f, &w->want, mode, a, sample);
    for (size_t i = 0; i < w->want.second.count; ++i)
        w->expected[i] = w->want.bits[mode][w->order[i]];
    for (int set = 0; set < set_count; ++set) {
        tally *t = &tallies[f][mode][set];
        if (!is_checked(f, set, a))
            continue;
        check_groups(f, mode, set, a, w, start, t);
        check_results(f, mode, set, a, w, t);
        check_singles(f, mode, set, a, sample, sampled, w, t);
        check_crowd(f, mode, set, a, w, t);
    }
}

/* All modes at once, for each is a chain of dependent steps. */
static void add_digests(int f, uint16_t a, const row *want, size_t n)
{
    uint64_t digest[MODES];
    for (int m = 0; m < MODES; ++m)
        digest[m] = ((uint64_t)f << 16 | a) + 1;
    for (size_t k = 0; k < n; ++k) {
        for (int m = 0; m < MODES; ++m)
            digest[m] = (digest[m] ^ want->bits[m][k]) * 0x100000001b3u;
    }
    for (int m = 0; m < MODES; ++m)
        digests[f][m] += digest[m];
}

void compare_row(int f, uint16_t a, workspace *w)
{
    const operands *second = &w->want.second;
    const uint8_t *grouped_by = NULL;
    starts start;
    for (size_t i = 0; i < MAX_PLACES; ++i)
        w->first[i] = a;
    for (int mode = 0; mode < MODES; ++mode) {
        const uint8_t *flags = w->want.flags[mode];
        if (!grouped_by || memcmp(flags, grouped_by, second->count) != 0)
            group_by_flags(flags, second, w, &start);
        grouped_by = flags;
        compare_mode(f, mode, a, w, &start);
    }
    add_digests(f, a, &w->want, second->count);
}
