/* Sorts many halves by counting each of the 65,536 values. */
#include "run/counting_sort.h"

#include <stdlib.h>
#include <string.h>

#include "format/key.h"
#include "run/splitting.h"
#include "run/threads.h"

/* The number of elements from which on several threads are used: adding their counts costs
 * time. */
enum { SPLIT_FROM = 1 << 19 };

/* Counters are added by ranges of halves. */
enum { RANGES = 64, RANGE = KEYS / RANGES };

static halfcl_team team_for(size_t n)
{
    return halfcl_call_team(halfcl_may_split_from(n, SPLIT_FROM) ? halfcl_get_threads() : 1);
}

/* ---------------------------------------------------------------- sorting */

/* Halves that compare equal although their bits differ, zeros or NaNs: their number and, if
 * their order must be preserved, a copy of them in that order. */
typedef struct {
    size_t n;
    uint16_t *kept;
} equals;

static void copy_equals(equals *group, const uint16_t *values, size_t n, unsigned first,
                        unsigned last)
{
    size_t count = 0;
    for (size_t i = 0; i < n && count < group->n; i++) {
        unsigned magnitude = values[i] & 0x7FFF;
        group->kept[count] = values[i];
        count += magnitude - first <= last - first;
    }
}

/* Copies the halves whose magnitude is from first to last. Returns -1 if there is no memory. */
static int find_equals(equals *group, const size_t *counts, const uint16_t *values, size_t n,
                       unsigned first, unsigned last)
{
    size_t most = 0;
    *group = (equals){0, NULL};
    for (unsigned m = first; m <= last; m++) {
        size_t positive = counts[m], negative = counts[0x8000 | m];
        group->n += positive + negative;
        most = positive > most ? positive : most;
        most = negative > most ? negative : most;
    }
    if (group->n == most) /* all have the same bits: in any order */
        return 0;
    group->kept = calloc(group->n, sizeof *group->kept); /* another thread may remove some */
    if (!group->kept)
        return -1;
    copy_equals(group, values, n, first, last);
    return 0;
}

static uint16_t *put(uint16_t *to, unsigned half, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (uint16_t)half;
    return to + n;
}

static uint16_t *put_equals(uint16_t *to, const equals *group, const size_t *counts,
                            unsigned first, unsigned last)
{
    if (group->kept) {
        memcpy(to, group->kept, group->n * sizeof *to);
        return to + group->n;
    }
    for (unsigned m = first; m <= last; m++)
        to = put(put(to, m, counts[m]), 0x8000 | m, counts[0x8000 | m]);
    return to;
}

/* Ranks of halves, in order: those below zero, both zeros, those above, NaNs. They are written
 * in SLICES, chosen so that no usual distribution has all its halves in few of them. */
enum { ZEROS = 0x7C00, NANS = 2 * ZEROS + 1, RANKS = NANS + 1 };
enum { SLICE = 32, SLICES = (RANKS + SLICE - 1) / SLICE };

typedef struct {
    uint16_t *values;
    size_t n, each;
    size_t *counts; /* KEYS for each thread; finally the caller's are the totals */
    bool used[HALFCL_MAX_THREADS];
    int threads;
    equals zeros, nans;
    size_t *starts; /* of slices */
} sorting;

static unsigned end_of_slice(size_t slice)
{
    return (slice + 1) * SLICE < RANKS ? (unsigned)(slice + 1) * SLICE : RANKS;
}

static unsigned half_of_rank(unsigned rank)
{
    return rank < ZEROS ? 0xFC00 - rank : rank - ZEROS;
}

/* Writes each half of these ranks as often as it was counted, in order. */
static void put_ranks(const sorting *s, uint16_t *to, unsigned rank, unsigned end)
{
    const size_t *counts = s->counts;
    for (; rank < end; rank++) {
        if (rank == ZEROS)
            to = put_equals(to, &s->zeros, counts, 0, 0);
        else if (rank == NANS)
            to = put_equals(to, &s->nans, counts, 0x7C01, 0x7FFF);
        else
            to = put(to, half_of_rank(rank), counts[half_of_rank(rank)]);
    }
}

static unsigned count_some(void *work, size_t part, int thread)
{
    sorting *s = work;
    size_t first = part * s->each, end = s->n - first < s->each ? s->n : first + s->each;
    size_t *counts = s->counts + (size_t)thread * KEYS;
    s->used[thread] = true;
    for (size_t i = first; i < end; i++)
        counts[s->values[i]]++;
    return 0;
}

static unsigned add_up_range(void *work, size_t range, int thread)
{
    const sorting *s = work;
    size_t *totals = s->counts + range * RANGE;
    (void)thread;
    for (int other = 1; other < s->threads; other++) {
        const size_t *counts = totals + (size_t)other * KEYS;
        for (size_t k = 0; k < RANGE && s->used[other]; k++)
            totals[k] += counts[k];
    }
    return 0;
}

static unsigned measure_slice(void *work, size_t slice, int thread)
{
    const sorting *s = work;
    size_t n = 0;
    (void)thread;
    for (unsigned rank = (unsigned)slice * SLICE; rank < end_of_slice(slice); rank++)
        n += rank == ZEROS  ? s->zeros.n
             : rank == NANS ? s->nans.n
                            : s->counts[half_of_rank(rank)];
    s->starts[slice] = n;
    return 0;
}

static unsigned put_slice(void *work, size_t slice, int thread)
{
    const sorting *s = work;
    (void)thread;
    put_ranks(s, s->values + s->starts[slice], (unsigned)slice * SLICE, end_of_slice(slice));
    return 0;
}

static void put_by_team(sorting *s, const halfcl_team *team)
{
    size_t starts[SLICES], before = 0;
    s->starts = starts;
    halfcl_share(team, measure_slice, s, SLICES);
    for (size_t slice = 0; slice < SLICES; slice++) {
        size_t n = starts[slice];
        starts[slice] = before;
        before += n;
    }
    halfcl_share(team, put_slice, s, SLICES);
}

/* If no other thread was available to count, the caller continues alone. */
static int sort_by_team(sorting *s, const halfcl_team *team)
{
    bool helped = false;
    halfcl_share(team, count_some, s, (s->n + s->each - 1) / s->each);
    for (int other = 1; other < team->threads; other++)
        helped |= s->used[other];
    if (helped)
        halfcl_share(team, add_up_range, s, RANGES);
    if (find_equals(&s->zeros, s->counts, s->values, s->n, 0, 0) != 0 ||
        find_equals(&s->nans, s->counts, s->values, s->n, 0x7C01, 0x7FFF) != 0)
        return -1;
    if (helped)
        put_by_team(s, team);
    else
        put_ranks(s, s->values, 0, RANKS);
    return 0;
}

int halfcl_counting_sort(uint16_t *values, size_t n)
{
    const halfcl_team team = team_for(n);
    sorting s = {.values = values, .n = n, .each = n, .threads = team.threads};
    s.counts = calloc((size_t)team.threads * KEYS, sizeof *s.counts);
    if (team.threads > 1)
        s.each = halfcl_stretch(n, team.threads);
    int result = s.counts ? sort_by_team(&s, &team) : -1;
    halfcl_dismiss_team(&team);
    free(s.zeros.kept);
    free(s.nans.kept);
    free(s.counts);
    return result;
}

/* ---------------------------------------------------------------- sorting an order */

enum { BLOCK = 512 };

/* Elements are counted by stretches, each with its own counters, since their order matters. */
typedef struct {
    size_t n, each, stretches;
    size_t *counts; /* KEYS for each stretch */
    size_t *totals; /* of all stretches */
} counters;

static size_t length_of(const counters *c, size_t stretch)
{
    size_t remaining = c->n - stretch * c->each;
    return remaining < c->each ? remaining : c->each;
}

/* If there is one stretch, its counts are the totals. */
static bool make_counters(counters *c, size_t n, size_t stretches)
{
    c->n = n;
    c->each = (n + stretches - 1) / stretches;
    c->stretches = (n + c->each - 1) / c->each;
    size_t tables = c->stretches > 1 ? c->stretches + 1 : 1;
    c->counts = calloc(tables * KEYS, sizeof *c->counts);
    c->totals = c->counts ? c->counts + (tables - 1) * KEYS : NULL;
    return c->counts;
}

static unsigned add_up_stretches(void *work, size_t range, int thread)
{
    const counters *c = work;
    size_t *totals = c->totals + range * RANGE;
    (void)thread;
    for (size_t stretch = 0; stretch < c->stretches; stretch++) {
        const size_t *counts = c->counts + stretch * KEYS + range * RANGE;
        for (size_t k = 0; k < RANGE; k++)
            totals[k] += counts[k];
    }
    return 0;
}

typedef struct {
    counters counters;
    const uint16_t *values;
    size_t n, each; /* elements per copied part */
    uint16_t *copy;
    ptrdiff_t *order,
        *from; /* from: a copy of the order; NULL if the order is 0, 1, 2 and so on */
    bool used[HALFCL_MAX_THREADS];
} indirect;

/* Copies the values: another thread may write to the array, and then the counts would not match
 * the elements. Returns whether the order is not 0, 1, 2. */
static unsigned copy_values(void *work, size_t part, int thread)
{
    indirect *s = work;
    size_t i = part * s->each, end = s->n - i < s->each ? s->n : i + s->each;
    s->used[thread] = true;
    memcpy(s->copy + i, s->values + i, (end - i) * sizeof *s->copy);
    while (i < end && s->order[i] == (ptrdiff_t)i)
        i++;
    return i < end;
}

static unsigned copy_order(void *work, size_t stretch, int thread)
{
    const indirect *s = work;
    size_t first = stretch * s->counters.each, n = length_of(&s->counters, stretch);
    (void)thread;
    memcpy(s->from + first, s->order + first, n * sizeof *s->from);
    return 0;
}

static inline ptrdiff_t index_at(const indirect *s, size_t i)
{
    return s->from ? s->from[i] : (ptrdiff_t)i;
}

/* If all elements are in one stretch, they need not be counted in order. */
static unsigned count_stretch(void *work, size_t stretch, int thread)
{
    const indirect *s = work;
    size_t i = stretch * s->counters.each, end = i + length_of(&s->counters, stretch);
    size_t *counts = s->counters.counts + stretch * KEYS;
    (void)thread;
    if (s->from && s->counters.stretches > 1) {
        for (; i < end; i++)
            counts[s->copy[s->from[i]]]++;
    }
    for (; i < end; i++)
        counts[s->copy[i]]++;
    add_equals_up(counts);
    return 0;
}

/* Replaces the counts of equal elements in a stretch, for some halves, by their first
 * places. */
static unsigned find_places(void *work, size_t range, int thread)
{
    const counters *c = work;
    size_t *next = c->totals + range * RANGE;
    (void)thread;
    for (size_t stretch = 0; stretch < c->stretches; stretch++) {
        size_t *counts = c->counts + stretch * KEYS + range * RANGE;
        for (size_t k = 0; k < RANGE; k++) {
            size_t count = counts[k];
            counts[k] = next[k];
            next[k] += count;
        }
    }
    return 0;
}

/* Stores the index of each element at the next place for elements equal to it. */
static unsigned put_indices(void *work, size_t stretch, int thread)
{
    const indirect *s = work;
    size_t *next = s->counters.counts + stretch * KEYS;
    size_t first = stretch * s->counters.each, end = first + length_of(&s->counters, stretch);
    (void)thread;
    for (size_t done = first; done < end; done += BLOCK) {
        uint16_t equals[BLOCK];
        size_t count = end - done < BLOCK ? end - done : BLOCK;
        for (size_t i = 0; i < count; i++)
            equals[i] = one_of_equals(s->copy[index_at(s, done + i)]);
        for (size_t i = 0; i < count; i++)
            s->order[next[equals[i]]++] = index_at(s, done + i);
    }
    return 0;
}

static void argsort_stretches(indirect *s, const halfcl_team *team)
{
    counters *c = &s->counters;
    halfcl_share(team, count_stretch, s, c->stretches);
    if (c->stretches > 1)
        halfcl_share(team, add_up_stretches, c, RANGES);
    add_up_halves(c->totals, false);
    if (c->stretches > 1)
        halfcl_share(team, find_places, c, RANGES);
    halfcl_share(team, put_indices, s, c->stretches);
}

/* One stretch for each thread that was available to copy. */
static int argsort_by_team(indirect *s, const halfcl_team *team)
{
    size_t parts = (s->n + s->each - 1) / s->each, stretches = 1;
    unsigned is_other = halfcl_share(team, copy_values, s, parts);
    for (int other = 1; other < team->threads; other++)
        stretches += s->used[other];
    if (!make_counters(&s->counters, s->n, stretches))
        return -1;
    if (is_other) {
        s->from = malloc(s->n * sizeof *s->from);
        if (!s->from)
            return -1;
        halfcl_share(team, copy_order, s, s->counters.stretches);
    }
    argsort_stretches(s, team);
    return 0;
}

int halfcl_counting_argsort(const uint16_t *values, ptrdiff_t *order, size_t n)
{
    const halfcl_team team = team_for(n);
    indirect s = {.values = values, .order = order, .n = n, .each = n};
    s.copy = malloc(n * sizeof *values);
    if (team.threads > 1)
        s.each = halfcl_stretch(n, team.threads);
    int result = s.copy ? argsort_by_team(&s, &team) : -1;
    halfcl_dismiss_team(&team);
    free(s.from);
    free(s.copy);
    free(s.counters.counts);
    return result;
}
