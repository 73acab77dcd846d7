/* Maps with one rounding mode per element, as data.
 *
 * Consecutive elements with the same mode are computed together, all runs of a mode one after
 * the other. If modes change too often for that, a block is computed in each mode that occurs
 * in it, and each result is selected by its mode. */
#include "format/modes.h"

#include "format/strided.h"
#include "run/map.h"
#include "run/splitting.h"

#include <string.h>

enum { MODES = HALFCL_MODES };

/* A block has as many elements as fit this many bytes of each operand, and of all outputs: some
 * thousand halves. Changing the rounding mode takes as long as adding a hundred. Operands that
 * are rarely copied have a part of a block only, since threads under musl have stacks of 128
 * kB. */
enum {
    ROOM_OF_BLOCK = 8192,
    ROOM_GATHERED = ROOM_OF_BLOCK / 2,
    ROOM_ALONE = ROOM_OF_BLOCK / 4
};

/* If the runs of a block are as short as these, on average, it is computed in each mode. */
enum { SHORT = 48, MANY = 8192, MAX_RUNS = MANY / SHORT };

typedef struct halfcl_mode_tools mode_tools;

/* The elements as the map's kernel needs them: inputs, then outputs. */
typedef struct {
    const halfcl_kernel *map;
    const mode_tools *tools;
    int nin, nargs;
    bool ordered; /* elements must be computed from the first to the last */
    size_t block; /* in elements */
    size_t size[HALFCL_MAX_OPERANDS];
    char *args[HALFCL_MAX_OPERANDS];
} piece;

static unsigned run(const piece *p, char *const *args, size_t n, int mode)
{
    halfcl_env env;
    halfcl_enter(&env, (halfcl_rounding)mode);
    unsigned flags = p->map->map((void *const *)args, n, (halfcl_rounding)mode);
    return flags | halfcl_leave(&env);
}

/* ---------------------------------------------------------------- few runs: each on its own */

/* The runs by mode, so that each mode is entered once. */
typedef struct {
    struct {
        size_t count;
        uint16_t start[MAX_RUNS], length[MAX_RUNS];
    } of[MODES];
    size_t covered; /* the number of elements in the runs */
} runs;

/* Returns whether a block has few runs, counting by stretches short enough for the tools. */
static bool has_few_runs(const mode_tools *tools, const uint8_t *modes, size_t n)
{
    size_t count = 1;
    for (size_t done = 0, stretch; done + 1 < n && count <= 1 + n / SHORT;
         done += stretch - 1) {
        stretch =
            n - done < 129 ? n - done : 129; /* the last is the first of the next stretch */
        count += tools->changes(modes + done, stretch);
    }
    return count <= 1 + n / SHORT;
}

/* Finds the first runs, as long as they are long enough. n is at most MANY. */
static void find_runs(const mode_tools *tools, const uint8_t *modes, size_t n, runs *by_mode)
{
    size_t at = 0;
    for (int mode = 0; mode < MODES; mode++)
        by_mode->of[mode].count = 0;
    for (size_t k = 0; at < n && k < MAX_RUNS && (k + 1) * SHORT <= at + MANY / 8; k++) {
        size_t length = tools->run_length(modes + at, n - at);
        size_t place = by_mode->of[modes[at]].count++;
        by_mode->of[modes[at]].start[place] = (uint16_t)at;
        by_mode->of[modes[at]].length[place] = (uint16_t)length;
        at += length;
    }
    by_mode->covered = at;
}

static unsigned run_runs(const piece *p, const runs *by_mode)
{
    unsigned flags = 0;
    for (int mode = 0; mode < MODES; mode++) {
        if (by_mode->of[mode].count == 0)
            continue;
        halfcl_env env;
        halfcl_enter(&env, (halfcl_rounding)mode);
        for (size_t k = 0; k < by_mode->of[mode].count; k++) {
            void *args[HALFCL_MAX_OPERANDS];
            for (int i = 0; i < p->nargs; i++)
                args[i] = p->args[i] + by_mode->of[mode].start[k] * p->size[i];
            flags |= p->map->map(args, by_mode->of[mode].length[k], (halfcl_rounding)mode);
        }
        flags |= halfcl_leave(&env);
    }
    return flags;
}

/* Runs in order, for outputs that overwrite inputs of later elements. */
static unsigned run_in_order(const piece *p, const uint8_t *modes, size_t n)
{
    unsigned flags = 0;
    for (size_t at = 0, length; at < n; at += length) {
        char *args[HALFCL_MAX_OPERANDS];
        length = p->tools->run_length(modes + at, n - at);
        for (int i = 0; i < p->nargs; i++)
            args[i] = p->args[i] + at * p->size[i];
        flags |= run(p, args, length, modes[at]);
    }
    return flags;
}

/* ---------------------------------------------------------------- many runs: in each mode */

/* Results in each mode, those of several outputs one after the other. */
typedef struct {
    _Alignas(64) char of[MODES][ROOM_OF_BLOCK];
} results;

/* Returns the exceptions of the elements with this mode only, by replacing the others with one
 * of them. */
static unsigned flags_of_mode(const piece *p, const uint8_t *modes, size_t n, int mode)
{
    _Alignas(64) char copies[HALFCL_MAX_OPERANDS][ROOM_ALONE];
    char *alone[HALFCL_MAX_OPERANDS];
    size_t first = (size_t)((const uint8_t *)memchr(modes, mode, n) - modes);
    size_t most = p->block / (ROOM_OF_BLOCK / ROOM_ALONE);
    unsigned flags = 0;
    for (int i = 0; i < p->nargs; i++)
        alone[i] = copies[i];
    for (size_t at = 0, count; at < n; at += count) {
        count = n - at < most ? n - at : most;
        for (int i = 0; i < p->nin; i++) {
            size_t size = p->size[i];
            for (size_t k = at; k < at + count; k++)
                memcpy(copies[i] + (k - at) * size,
                       p->args[i] + (modes[k] == mode ? k : first) * size, size);
        }
        flags |= run(p, alone, count, mode);
    }
    return flags;
}

static halfcl_choose_by_mode *choose_of_size(const mode_tools *tools, size_t size)
{
    return size == 1   ? tools->choose_1
           : size == 2 ? tools->choose_2
           : size == 4 ? tools->choose_4
                       : tools->choose_8;
}

/* Determines which modes occur in a block. */
static void find_modes(const uint8_t *modes, size_t n, bool present[MODES])
{
    for (int mode = 0; mode < MODES; mode++)
        present[mode] = memchr(modes, mode, n) != NULL;
}

static bool gives_halves(const piece *p)
{
    for (int i = p->nin; i < p->nargs; i++) {
        if (p->map->signature.types[i] != HALFCL_HALF)
            return false;
    }
    return true;
}

/* Returns the exceptions of each element in its own mode. They rarely occur and need to be
 * separated. */
static unsigned find_flags(const piece *p, const uint8_t *modes, size_t n,
                           const bool present[MODES], const unsigned raised[MODES])
{
    unsigned flags = 0;
    for (int mode = 0; mode < MODES; mode++) {
        if (present[mode] && (raised[mode] & ~flags))
            flags |= flags_of_mode(p, modes, n, mode);
    }
    return flags;
}

static unsigned run_each_mode(const piece *p, const uint8_t *modes, size_t n)
{
    results computed;
    char *args[HALFCL_MAX_OPERANDS];
    unsigned raised[MODES] = {0};
    bool present[MODES], any = false;
    find_modes(modes, n, present);
    /* Halves toward zero are among those rounded down and up, and raise the same exceptions. */
    bool directed =
        present[HALFCL_RTZ] && present[HALFCL_RTP] && present[HALFCL_RTN] && gives_halves(p);
    memcpy(args, p->args, sizeof args);
    for (int mode = 0; mode < MODES; mode++) {
        if (!present[mode] || (directed && mode == HALFCL_RTZ))
            continue;
        for (int i = p->nin; i < p->nargs; i++)
            args[i] = computed.of[mode] + (i - p->nin) * (ROOM_OF_BLOCK / 2);
        raised[mode] = run(p, args, n, mode);
        any |= raised[mode] != 0;
    }
    if (directed)
        raised[HALFCL_RTZ] = raised[HALFCL_RTP] | raised[HALFCL_RTN];
    unsigned flags = any ? find_flags(p, modes, n, present, raised) : 0;
    for (int i = p->nin; i < p->nargs; i++) {
        const void *of[MODES];
        /* Results of modes that do not occur are never selected. */
        for (int mode = 0; mode < MODES; mode++)
            of[mode] = computed.of[present[mode] ? mode : modes[0]] +
                       (i - p->nin) * (ROOM_OF_BLOCK / 2);
        halfcl_choose_by_mode *choose =
            directed ? p->tools->choose_directed : choose_of_size(p->tools, p->size[i]);
        choose(p->args[i], of, modes, n);
    }
    return flags;
}

/* ---------------------------------------------------------------- the driver */

/* Returns whether the kernel can use the operands in place. */
static bool place_operands(piece *p, char *const *operands, const ptrdiff_t *steps, size_t at)
{
    bool direct = true;
    for (int i = 0; i < p->nargs; i++) {
        p->args[i] = operands[i] + steps[i] * (ptrdiff_t)at;
        direct &= halfcl_is_direct(p->args[i], steps[i], p->size[i]);
    }
    return direct;
}

/* Runs a block in each mode; or, if it has few runs, the first of n elements that these
 * cover. */
static unsigned run_placed(const piece *p, const uint8_t *modes, size_t n, bool few,
                           size_t *done)
{
    runs by_mode;
    *done = n;
    if (!few)
        return run_each_mode(p, modes, n);
    if (p->ordered)
        return run_in_order(p, modes, n);
    find_runs(p->tools, modes, n, &by_mode);
    *done = by_mode.covered;
    return run_runs(p, &by_mode);
}

/* Runs a part of a block whose operands a kernel cannot use in place: gathers them, and
 * scatters the results. */
static unsigned run_gathered_block(piece *p, char *const *operands, const ptrdiff_t *steps,
                                   size_t at, const uint8_t *modes, size_t n, bool few,
                                   size_t *done)
{
    _Alignas(64) char buffer[HALFCL_MAX_OPERANDS][ROOM_GATHERED];
    bool direct[HALFCL_MAX_OPERANDS];
    for (int i = 0; i < p->nargs; i++) {
        direct[i] = halfcl_is_direct(p->args[i], steps[i], p->size[i]);
        if (i < p->nin && !direct[i])
            halfcl_copy_strided(buffer[i], (ptrdiff_t)p->size[i], p->args[i], steps[i],
                                p->size[i], n);
        p->args[i] = direct[i] ? p->args[i] : buffer[i];
    }
    unsigned flags = run_placed(p, modes, n, few, done);
    for (int i = p->nin; i < p->nargs; i++) {
        if (!direct[i])
            halfcl_copy_strided(operands[i] + steps[i] * (ptrdiff_t)at, steps[i], buffer[i],
                                (ptrdiff_t)p->size[i], p->size[i], *done);
    }
    return flags;
}

static unsigned run_from(const piece *p, char *const *operands, const ptrdiff_t *steps,
                         size_t at, size_t n, int mode)
{
    char *here[HALFCL_MAX_OPERANDS];
    for (int i = 0; i < p->nargs; i++)
        here[i] = operands[i] + steps[i] * (ptrdiff_t)at;
    return halfcl_run(p->map, here, steps, n, (halfcl_rounding)mode);
}

/* Copies modes and makes them valid: another thread may write to the array. */
static void copy_modes(const mode_tools *tools, uint8_t *to, const uint8_t *from,
                       ptrdiff_t step, size_t n)
{
    if (step == 1) {
        tools->copy(to, from, n);
        return;
    }
    for (size_t k = 0; k < n; k++)
        to[k] = from[step * (ptrdiff_t)k] & (MODES - 1);
}

/* Runs some of at most n elements with many modes; returns how many. */
static unsigned run_some(piece *p, char *const *operands, const ptrdiff_t *steps, size_t at,
                         const uint8_t *modes, ptrdiff_t mode_step, size_t n, size_t *done)
{
    uint8_t copy[MANY];
    bool direct = place_operands(p, operands, steps, at);
    size_t most = direct ? p->block : p->block / (ROOM_OF_BLOCK / ROOM_GATHERED);
    size_t count = n < most ? n : most;
    copy_modes(p->tools, copy, modes, mode_step, count);
    bool few = has_few_runs(p->tools, copy, count);
    if (!direct)
        return run_gathered_block(p, operands, steps, at, copy, count, few, done);
    if (few && n > count) {
        size_t first = count;
        count = n < MANY ? n : MANY;
        copy_modes(p->tools, copy + first, modes + mode_step * (ptrdiff_t)first, mode_step,
                   count - first);
    }
    return run_placed(p, copy, count, few, done);
}

/* Returns whether n elements at two places, with these steps, may share memory. */
static bool may_overlap(const char *a, ptrdiff_t a_step, size_t a_size, const char *b,
                        ptrdiff_t b_step, size_t b_size, size_t n)
{
    ptrdiff_t a_last = a_step * (ptrdiff_t)(n - 1), b_last = b_step * (ptrdiff_t)(n - 1);
    const char *a_first = a_last < 0 ? a + a_last : a, *b_first = b_last < 0 ? b + b_last : b;
    const char *a_end = (a_last < 0 ? a : a + a_last) + a_size;
    const char *b_end = (b_last < 0 ? b : b + b_last) + b_size;
    return a_first < b_end && b_first < a_end;
}

/* Returns whether an output overlaps an input, but not each element its own. */
static bool is_ordered(const piece *p, char *const *operands, const ptrdiff_t *steps, size_t n)
{
    for (int out = p->nin; out < p->nargs; out++) {
        for (int in = 0; in < p->nin; in++) {
            if ((operands[in] != operands[out] || steps[in] != steps[out]) &&
                may_overlap(operands[in], steps[in], p->size[in], operands[out], steps[out],
                            p->size[out], n))
                return true;
        }
    }
    return false;
}

/* Runs in this thread, except for long runs of one mode. n > 0. */
static unsigned run_whole(const halfcl_isa *isa, const halfcl_kernel *map,
                          char *const *operands, const ptrdiff_t *steps, const uint8_t *modes,
                          ptrdiff_t mode_step, size_t n)
{
    const halfcl_signature *signature = &map->signature;
    piece p = {
        map, isa->mode_tools, signature->nin, signature->nin + signature->nout, false, 0, {0},
        {0}};
    size_t largest = 1;
    for (int i = 0; i < p.nargs; i++) {
        p.size[i] = halfcl_type_size((halfcl_type)signature->types[i]);
        largest = p.size[i] > largest ? p.size[i] : largest;
    }
    p.block = ROOM_OF_BLOCK / largest / signature->nout;
    p.ordered = is_ordered(&p, operands, steps, n);
    unsigned flags = 0;
    for (size_t done = 0, count; done < n; done += count) {
        const uint8_t *those = modes + mode_step * (ptrdiff_t)done;
        size_t remaining = n - done, most = remaining < MANY / 2 ? remaining : MANY / 2;
        int mode = *those & (MODES - 1);
        if (mode_step == 1 && (count = p.tools->run_length(those, remaining)) >= most)
            flags |= run_from(&p, operands, steps, done, count, mode);
        else
            flags |= run_some(&p, operands, steps, done, those, mode_step, remaining, &count);
    }
    return map->quiet ? 0 : flags;
}

typedef struct {
    const halfcl_isa *isa;
    const halfcl_kernel *map;
    char *const *operands;
    const ptrdiff_t *steps;
    const uint8_t *modes;
    ptrdiff_t mode_step;
} call;

static unsigned run_elements(void *work, size_t first, size_t count, int thread)
{
    const call *c = work;
    char *here[HALFCL_MAX_OPERANDS];
    (void)thread;
    for (int i = 0; i < c->map->signature.nin + c->map->signature.nout; i++)
        here[i] = c->operands[i] + c->steps[i] * (ptrdiff_t)first;
    return run_whole(c->isa, c->map, here, c->steps, c->modes + c->mode_step * (ptrdiff_t)first,
                     c->mode_step, count);
}

unsigned halfcl_run_in_modes(const halfcl_isa *isa, const halfcl_kernel *map,
                             char *const *operands, const ptrdiff_t *steps,
                             const uint8_t *modes, ptrdiff_t mode_step, size_t n)
{
    call c = {isa, map, operands, steps, modes, mode_step};
    if (!map || map->kind != HALFCL_MAP)
        return HALFCL_MISUSE;
    if (n == 0)
        return 0;
    if (mode_step == 0)
        return halfcl_run(map, operands, steps, n, (halfcl_rounding)(*modes & (MODES - 1)));
    if (halfcl_may_split(n) && halfcl_are_independent(&map->signature, operands, steps, n))
        return halfcl_run_divided(&(halfcl_divisible){run_elements, &c, n, 1},
                                  halfcl_get_threads());
    return run_whole(isa, map, operands, steps, modes, mode_step, n);
}

bool halfcl_are_modes(const halfcl_isa *isa, const uint8_t *codes, size_t n)
{
    return isa->mode_tools->are_modes(codes, n);
}
