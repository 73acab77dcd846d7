/* Scans: for each element the result for all elements up to it. */
#include "env/env.h"
#include "format/strided.h"
#include "run/splitting.h"
#include "run/threads.h"
#include "run/ticks.h"

#include <stdlib.h>

enum { BLOCK = HALFCL_BLOCK };

typedef struct {
    const halfcl_kernel *scan;
    const char *in;
    ptrdiff_t in_step;
    char *out;
    ptrdiff_t out_step;
    halfcl_rounding mode;
} call;

/* Scans n elements from first on, in this thread. */
static unsigned scan_elements(const call *c, halfcl_fold_state *state, size_t first, size_t n)
{
    const halfcl_kernel *scan = c->scan;
    const size_t size = halfcl_type_size((halfcl_type)scan->signature.types[1]);
    const char *in = c->in + (ptrdiff_t)first * c->in_step;
    char *out = c->out + (ptrdiff_t)first * c->out_step;
    bool direct = halfcl_is_direct(in, c->in_step, sizeof(uint16_t)) &&
                  halfcl_is_direct(out, c->out_step, size);
    size_t block = direct && n > 0 ? n : BLOCK;
    unsigned flags = 0;
    halfcl_env env;
    halfcl_enter(&env, c->mode);
    for (size_t done = 0; done < n; done += block) {
        uint16_t buffer[BLOCK];
        double results[BLOCK];
        size_t count = n - done < block ? n - done : block;
        char *to = out + (ptrdiff_t)done * c->out_step;
        const char *from = in + (ptrdiff_t)done * c->in_step;
        if (direct) {
            flags |= scan->scan(state, (const uint16_t *)from, count, to, c->mode);
        } else {
            flags |= scan->scan(state, halfcl_gather(buffer, from, c->in_step, count), count,
                                results, c->mode);
            halfcl_copy_strided(to, c->out_step, (const char *)results, (ptrdiff_t)size, size,
                                count);
        }
    }
    return flags | halfcl_leave(&env);
}

/* ---------------------------------------------------------------- by several threads
 *
 * Each thread takes the next stretch. If the sum before it is available, it scans; otherwise it
 * publishes the sum of its stretch and looks back, over the sums of stretches, to one whose
 * total is available (decoupled look-back). Exact sums do not depend on the order. A single
 * thread computes nothing twice; and no thread waits long for another, which may have lost its
 * processor: it computes that sum itself. */

enum { LONGEST_STRETCH = 1 << 15, PATIENCE = 30 * TICKS_A_MICROSECOND };

typedef enum { NOTHING, SUM, ALL } knowledge;

typedef struct {
    _Atomic knowledge status;
    halfcl_fold_state sum, all; /* of the stretch; of all elements up to its end */
} stretch;

typedef struct {
    const call *call;
    size_t n, each, count;
    atomic_size_t next; /* the next stretch to take */
    const halfcl_fold_state *before;
    stretch *stretches;
} stretches;

static size_t length_of(const stretches *s, size_t k)
{
    size_t remaining = s->n - k * s->each;
    return remaining < s->each ? remaining : s->each;
}

/* Runs between enter and leave, like the functions below. */
static void add_stretch(const stretches *s, halfcl_fold_state *sum, size_t k)
{
    const call *c = s->call;
    const char *in = c->in + (ptrdiff_t)(k * s->each) * c->in_step;
    for (size_t done = 0, n = length_of(s, k); done < n; done += BLOCK) {
        uint16_t buffer[BLOCK];
        size_t count = n - done < BLOCK ? n - done : BLOCK;
        const void *from =
            halfcl_gather(buffer, in + (ptrdiff_t)done * c->in_step, c->in_step, count);
        c->scan->scan_add(sum, &from, count);
    }
}

static knowledge wait_for(stretch *of)
{
    uint64_t start = ticks();
    knowledge status;
    while ((status = atomic_load(&of->status)) == NOTHING && ticks() - start < PATIENCE)
        pause_a_little();
    return status;
}

/* Returns the sum before a stretch, by looking back from the previous one. */
static halfcl_fold_state look_back(const stretches *s, size_t k)
{
    halfcl_fold_state state = {0};
    while (k-- > 0) {
        stretch *of = &s->stretches[k];
        knowledge status = wait_for(of);
        if (status == NOTHING)
            add_stretch(s, &state, k);
        else
            s->call->scan->scan_merge(&state, status == ALL ? &of->all : &of->sum);
        if (status == ALL)
            return state;
    }
    s->call->scan->scan_merge(&state, s->before);
    return state;
}

static halfcl_fold_state add_and_look_back(const stretches *s, size_t k)
{
    stretch *own = &s->stretches[k];
    halfcl_env env;
    halfcl_enter(&env, HALFCL_RTE);
    add_stretch(s, &own->sum, k);
    atomic_store(&own->status, SUM);
    halfcl_fold_state state = look_back(s, k);
    own->all = state;
    s->call->scan->scan_merge(&own->all, &own->sum);
    atomic_store(&own->status, ALL);
    halfcl_leave(&env);
    return state;
}

static unsigned scan_stretch(const stretches *s, size_t k)
{
    stretch *own = &s->stretches[k];
    size_t first = k * s->each, n = length_of(s, k);
    if (k > 0 && atomic_load(&own[-1].status) != ALL) {
        halfcl_fold_state state = add_and_look_back(s, k);
        return scan_elements(s->call, &state, first, n);
    }
    own->all = k > 0 ? own[-1].all : *s->before;
    unsigned flags = scan_elements(s->call, &own->all, first, n);
    atomic_store(&own->status, ALL);
    return flags;
}

static unsigned scan_some(void *work, size_t part, int thread)
{
    stretches *s = work;
    unsigned flags = 0;
    (void)part, (void)thread;
    for (size_t k; (k = atomic_fetch_add(&s->next, 1)) < s->count;)
        flags |= scan_stretch(s, k);
    return flags;
}

static unsigned scan_stretches(const call *c, halfcl_fold_state *state, size_t n,
                               const halfcl_team *team)
{
    size_t each = halfcl_stretch(n, team->threads);
    each = each < LONGEST_STRETCH ? each : LONGEST_STRETCH;
    size_t count = (n + each - 1) / each;
    stretches s = {.call = c, .n = n, .each = each, .count = count, .before = state};
    s.stretches = calloc(count, sizeof *s.stretches);
    if (!s.stretches)
        return scan_elements(c, state, 0, n);
    unsigned flags = halfcl_share(team, scan_some, &s, (size_t)team->threads);
    *state = s.stretches[count - 1].all;
    free(s.stretches);
    return flags;
}

/* Returns whether the results are apart from the elements, which several threads read, and from
 * each other. n > 0. */
static bool are_apart(const call *c, size_t n)
{
    ptrdiff_t size = (ptrdiff_t)halfcl_type_size((halfcl_type)c->scan->signature.types[1]);
    ptrdiff_t in_last = c->in_step * (ptrdiff_t)(n - 1);
    ptrdiff_t out_last = c->out_step * (ptrdiff_t)(n - 1);
    uintptr_t in = (uintptr_t)c->in + (uintptr_t)(in_last < 0 ? in_last : 0);
    uintptr_t out = (uintptr_t)c->out + (uintptr_t)(out_last < 0 ? out_last : 0);
    uintptr_t in_end = in + (uintptr_t)(in_last < 0 ? -in_last : in_last) + sizeof(uint16_t);
    uintptr_t out_end =
        out + (uintptr_t)(out_last < 0 ? -out_last : out_last) + (uintptr_t)size;
    bool steps = c->out_step >= size || -c->out_step >= size;
    return steps && (in_end <= out || out_end <= in);
}

/* Splitting pays from so many elements on. */
enum { SPLIT_FROM = 1 << 17 };

unsigned halfcl_run_scan(const halfcl_kernel *scan, halfcl_fold_state *state, const char *in,
                         ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                         halfcl_rounding mode)
{
    if (!scan || scan->kind != HALFCL_SCAN)
        return HALFCL_MISUSE;
    const call c = {scan, in, in_step, out, out_step, mode};
    if (!scan->scan_add || !halfcl_may_split_from(n, SPLIT_FROM) || !are_apart(&c, n))
        return scan_elements(&c, state, 0, n);
    const halfcl_team team = halfcl_call_team(halfcl_get_threads());
    unsigned flags =
        team.threads > 1 ? scan_stretches(&c, state, n, &team) : scan_elements(&c, state, 0, n);
    halfcl_dismiss_team(&team);
    return flags;
}

bool halfcl_scan_columns(const halfcl_kernel *scan, halfcl_fold_state *states, size_t columns,
                         const char *in, ptrdiff_t in_step, char *out, ptrdiff_t out_step,
                         size_t rows, halfcl_rounding mode, unsigned *flags)
{
    const ptrdiff_t size = sizeof(uint16_t);
    if (!scan || scan->kind != HALFCL_SCAN || !scan->scan_down || in_step % size != 0 ||
        out_step % size != 0 || (uintptr_t)in % sizeof(uint16_t) != 0 ||
        (uintptr_t)out % sizeof(uint16_t) != 0)
        return false;
    halfcl_env env;
    halfcl_enter(&env, mode);
    *flags = scan->scan_down(states, columns, in, in_step, out, out_step, rows, mode);
    *flags |= halfcl_leave(&env);
    return true;
}

/* ---------------------------------------------------------------- many lines */

typedef struct {
    const halfcl_kernel *scan;
    const halfcl_scanned_lines *lines;
    halfcl_rounding mode;
} lines_call;

static bool are_even(ptrdiff_t a, ptrdiff_t b, const void *start)
{
    return a % 2 == 0 && b % 2 == 0 && (uintptr_t)start % sizeof(uint16_t) == 0;
}

static bool are_columns(const halfcl_scanned_lines *l)
{
    const ptrdiff_t size = sizeof(uint16_t);
    return l->in_across == size && l->out_across == size &&
           are_even(l->in_step, l->out_step, l->in) && are_even(0, 0, l->out);
}

static bool are_rows(const halfcl_scanned_lines *l)
{
    const ptrdiff_t size = sizeof(uint16_t), row = (ptrdiff_t)l->n * size;
    return l->in_step == size && l->out_step == size && l->in_across == row &&
           l->out_across == row && are_even(0, 0, l->in) && are_even(0, 0, l->out);
}

/* Copies some lines to contiguous rows, or back, along the longer side first. */
static void copy_lines(char *to, ptrdiff_t to_step, ptrdiff_t to_across, const char *from,
                       ptrdiff_t step, ptrdiff_t across, size_t n, size_t count)
{
    const bool along = n > count;
    const size_t outer = along ? count : n, inner = along ? n : count;
    for (size_t i = 0; i < outer; ++i)
        halfcl_copy(to + (ptrdiff_t)i * (along ? to_across : to_step),
                    along ? to_step : to_across, from + (ptrdiff_t)i * (along ? across : step),
                    along ? step : across, inner);
}

/* Scans lines of any layout, some at a time. */
static unsigned scan_scattered(const lines_call *c, const halfcl_scanned_lines *l, size_t count)
{
    uint16_t buffer[HALFCL_LONGEST_SCAN];
    const size_t at_once = HALFCL_LONGEST_SCAN / l->n;
    const ptrdiff_t size = sizeof *buffer, row = (ptrdiff_t)l->n * size;
    unsigned flags = 0;
    for (size_t k = 0; k < count; k += at_once) {
        const size_t some = count - k < at_once ? count - k : at_once;
        copy_lines((char *)buffer, size, row, l->in + (ptrdiff_t)k * l->in_across, l->in_step,
                   l->in_across, l->n, some);
        flags |= c->scan->scan_rows(buffer, l->n, some, buffer, c->mode);
        copy_lines(l->out + (ptrdiff_t)k * l->out_across, l->out_step, l->out_across,
                   (const char *)buffer, size, row, l->n, some);
    }
    return flags;
}

static unsigned scan_some_lines(void *work, size_t first, size_t count, int thread)
{
    const lines_call *c = work;
    halfcl_scanned_lines some = *c->lines;
    unsigned flags = 0;
    halfcl_env env;
    (void)thread;
    some.in += (ptrdiff_t)first * some.in_across;
    some.out += (ptrdiff_t)first * some.out_across;
    halfcl_enter(&env, c->mode);
    if (are_rows(&some))
        flags = c->scan->scan_rows((const uint16_t *)some.in, some.n, count,
                                   (uint16_t *)some.out, c->mode);
    else if (!are_columns(&some) ||
             !c->scan->scan_columns(some.in, some.in_step, some.out, some.out_step, some.n,
                                    count, c->mode, &flags))
        flags = scan_scattered(c, &some, count);
    return flags | halfcl_leave(&env);
}

bool halfcl_scan_lines(const halfcl_kernel *scan, const halfcl_scanned_lines *lines,
                       size_t count, halfcl_rounding mode, unsigned *flags)
{
    const size_t size = sizeof(uint16_t);
    if (!scan || scan->kind != HALFCL_SCAN || !scan->scan_rows ||
        lines->n - 1 >= HALFCL_LONGEST_SCAN)
        return false;
    lines_call c = {scan, lines, mode};
    const bool apart = halfcl_are_nested(lines->out_step, lines->n, lines->out_across, size) ||
                       halfcl_are_nested(lines->out_across, count, lines->out_step, size);
    const bool split = halfcl_may_split(count * lines->n) && apart;
    *flags = halfcl_run_divided(&(halfcl_divisible){scan_some_lines, &c, count, lines->n},
                                split ? halfcl_get_threads() : 1);
    return true;
}

unsigned halfcl_accumulate(const halfcl_kernel *scan, const char *first, const char *in,
                           ptrdiff_t in_step, char *out, ptrdiff_t out_step, size_t n,
                           halfcl_rounding mode)
{
    halfcl_fold_state state = {0};
    double unused;
    unsigned flags = halfcl_run_scan(scan, &state, first, 0, (char *)&unused, 0, 1, mode);
    if (flags & HALFCL_MISUSE)
        return flags;
    return halfcl_run_scan(scan, &state, in, in_step, out, out_step, n, mode);
}
