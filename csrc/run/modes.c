/* Maps whose rounding mode is data, one for each element.
 *
 * Elements of one mode that lie together are computed together. Where modes change too often
 * for that, a block is computed in each mode that it has, and each result taken from its
 * mode's. */
#include "format/strided.h"

#include <string.h>

enum { BLOCK = HALFCL_BLOCK, MAX_SIZE = 8, MODES = 4, FEW_RUNS = 16 };

/* Up to a block of elements, as the map's kernel takes them: inputs, then outputs. */
typedef struct {
    const halfcl_kernel *map;
    int nin, nargs;
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

/* How many of the first elements are of one mode: by what compares fastest, then by eight. */
static size_t run_length(const uint8_t *modes, size_t n)
{
    const uint64_t eight = modes[0] * UINT64_C(0x0101010101010101);
    size_t k = 1;
    while (k + BLOCK <= n && memcmp(modes + k - 1, modes + k, BLOCK) == 0)
        k += BLOCK;
    for (uint64_t those; k + sizeof those <= n; k += sizeof those) {
        memcpy(&those, modes + k, sizeof those);
        if (those != eight)
            break;
    }
    while (k < n && modes[k] == modes[0])
        k++;
    return k;
}

/* ---------------------------------------------------------------- few runs: one after the
 * other */

/* By stretches short enough for counts of 8 bits. */
static bool has_few_runs(const uint8_t *modes, size_t n)
{
    unsigned runs = 1;
    for (size_t done = 1, stretch; done < n && runs <= FEW_RUNS; done += stretch) {
        uint8_t changes = 0;
        stretch = n - done < 128 ? n - done : 128;
        for (size_t k = done; k < done + stretch; k++)
            changes += modes[k] != modes[k - 1];
        runs += changes;
    }
    return runs <= FEW_RUNS;
}

static unsigned run_one_by_one(const piece *p, const uint8_t *modes, size_t n)
{
    unsigned flags = 0;
    for (size_t done = 0, length; done < n; done += length) {
        char *args[HALFCL_MAX_OPERANDS];
        for (int i = 0; i < p->nargs; i++)
            args[i] = p->args[i] + done * p->size[i];
        length = run_length(modes + done, n - done);
        flags |= run(p, args, length, modes[done]);
    }
    return flags;
}

/* ---------------------------------------------------------------- many runs: in each mode */

/* Results in each mode, those of several outputs one after the other. */
typedef struct {
    _Alignas(64) char of[MODES][BLOCK * MAX_SIZE];
} results;

/* The exceptions of those elements alone that are of the mode, which stand for the others.
 * Results go where those of the mode are. */
static unsigned flags_of_mode(const piece *p, char *const *args, const uint8_t *modes, size_t n,
                              int mode)
{
    _Alignas(64) char inputs[HALFCL_MAX_OPERANDS][BLOCK * MAX_SIZE];
    char *alone[HALFCL_MAX_OPERANDS];
    size_t first = (size_t)((const uint8_t *)memchr(modes, mode, n) - modes);
    memcpy(alone, args, sizeof alone);
    for (int i = 0; i < p->nin; i++) {
        size_t size = p->size[i];
        for (size_t k = 0; k < n; k++)
            memcpy(inputs[i] + k * size, args[i] + (modes[k] == mode ? k : first) * size, size);
        alone[i] = inputs[i];
    }
    return run(p, alone, n, mode);
}

/* Without branches, which random modes would mislead. */
#define DEFINE_CHOOSE(type)                                                                    \
    static void choose_##type(void *to, char *const *of, const uint8_t *modes, size_t n)       \
    {                                                                                          \
        type *restrict out = to;                                                               \
        const type *a = (const type *)of[0], *b = (const type *)of[1];                         \
        const type *c = (const type *)of[2], *d = (const type *)of[3];                         \
        for (size_t k = 0; k < n; k++) {                                                       \
            type odd = (type)(-(type)(modes[k] & 1)), upper = (type)(-(type)(modes[k] >> 1));  \
            type low = a[k] ^ ((a[k] ^ b[k]) & odd), high = c[k] ^ ((c[k] ^ d[k]) & odd);      \
            out[k] = low ^ ((low ^ high) & upper);                                             \
        }                                                                                      \
    }
DEFINE_CHOOSE(uint8_t)
DEFINE_CHOOSE(uint16_t)
DEFINE_CHOOSE(uint32_t)
DEFINE_CHOOSE(uint64_t)

static void choose(void *to, char *const *of, size_t size, const uint8_t *modes, size_t n)
{
    if (size == 1)
        choose_uint8_t(to, of, modes, n);
    else if (size == 2)
        choose_uint16_t(to, of, modes, n);
    else if (size == 4)
        choose_uint32_t(to, of, modes, n);
    else
        choose_uint64_t(to, of, modes, n);
}

/* Other elements' exceptions do not count; they are seldom there to be told apart. */
static unsigned run_each_mode(const piece *p, const uint8_t *modes, size_t n)
{
    results computed;
    char *of[HALFCL_MAX_OPERANDS][MODES], *args[HALFCL_MAX_OPERANDS];
    unsigned flags = 0;
    memcpy(args, p->args, sizeof args);
    for (int mode = 0; mode < MODES; mode++) {
        bool present = memchr(modes, mode, n) != NULL;
        char *to = computed.of[mode];
        for (int i = p->nin; i < p->nargs; i++, to += BLOCK * MAX_SIZE / 2)
            of[i][mode] = args[i] = present ? to : NULL;
        unsigned raised = present ? run(p, args, n, mode) : 0;
        if (raised & ~flags)
            flags |= flags_of_mode(p, args, modes, n, mode);
    }
    for (int i = p->nin; i < p->nargs; i++) {
        /* Nobody chooses the results of modes that are not there. */
        for (int mode = 0; mode < MODES; mode++)
            of[i][mode] = of[i][mode] ? of[i][mode] : of[i][modes[0]];
        choose(p->args[i], of[i], p->size[i], modes, n);
    }
    return flags;
}

/* ---------------------------------------------------------------- the driver */

/* Gathers a block from a call's operands where a kernel cannot take them as they lie, runs it,
 * and scatters what came out. */
static unsigned run_block(piece *p, char *const *operands, const ptrdiff_t *steps, size_t at,
                          const uint8_t *modes, size_t n)
{
    _Alignas(64) char buffer[HALFCL_MAX_OPERANDS][BLOCK * MAX_SIZE];
    bool direct[HALFCL_MAX_OPERANDS];
    for (int i = 0; i < p->nargs; i++) {
        char *here = operands[i] + steps[i] * (ptrdiff_t)at;
        direct[i] = halfcl_is_direct(here, steps[i], p->size[i]);
        p->args[i] = direct[i] ? here : buffer[i];
        if (i < p->nin && !direct[i])
            halfcl_copy_strided(buffer[i], (ptrdiff_t)p->size[i], here, steps[i], p->size[i],
                                n);
    }
    unsigned flags =
        has_few_runs(modes, n) ? run_one_by_one(p, modes, n) : run_each_mode(p, modes, n);
    for (int i = p->nin; i < p->nargs; i++) {
        if (!direct[i])
            halfcl_copy_strided(operands[i] + steps[i] * (ptrdiff_t)at, steps[i], buffer[i],
                                (ptrdiff_t)p->size[i], p->size[i], n);
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

unsigned halfcl_run_in_modes(const halfcl_kernel *map, char *const *operands,
                             const ptrdiff_t *steps, const uint8_t *modes, ptrdiff_t mode_step,
                             size_t n)
{
    if (!map || map->kind != HALFCL_MAP)
        return HALFCL_MISUSE;
    if (n == 0)
        return 0;
    const halfcl_signature *signature = &map->signature;
    piece p = {map, signature->nin, signature->nin + signature->nout, {0}, {0}};
    for (int i = 0; i < p.nargs; i++)
        p.size[i] = halfcl_type_size((halfcl_type)signature->types[i]);
    if (mode_step == 0)
        return run_from(&p, operands, steps, 0, n, *modes & (MODES - 1));
    unsigned flags = 0;
    for (size_t done = 0, count; done < n; done += count) {
        uint8_t buffer[BLOCK];
        const uint8_t *those = modes + mode_step * (ptrdiff_t)done;
        size_t left = n - done, most = left < BLOCK ? left : BLOCK;
        if (mode_step == 1 && (count = run_length(those, left)) >= most) {
            flags |= run_from(&p, operands, steps, done, count, *those & (MODES - 1));
            continue;
        }
        count = most;
        /* A copy, of modes for sure: another thread may write to the array. */
        for (size_t k = 0; k < count; k++)
            buffer[k] = those[mode_step * (ptrdiff_t)k] & (MODES - 1);
        flags |= run_block(&p, operands, steps, done, buffer, count);
    }
    return flags;
}

bool halfcl_are_modes(const uint8_t *codes, size_t n)
{
    uint8_t all = 0;
    for (size_t k = 0; k < n; k++)
        all |= codes[k];
    return all < MODES;
}

/* ---------------------------------------------------------------- vectors */

enum { MANY_VECTORS = 256, ROOM = 4096, LONG_RUN = 64 };

/* Some vectors from wherever they lie to where they are one after the other. */
static void gather_vectors(uint16_t *to, const halfcl_vectors *from, const uint16_t *which,
                           size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const char *vector = from->start + which[k] * from->step;
        for (size_t c = 0; c < from->width; c++, vector += from->component)
            memcpy(to++, vector, sizeof *to);
    }
}

static void scatter_vectors(const halfcl_vectors *to, const uint16_t *from,
                            const uint16_t *which, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char *vector = to->start + which[k] * to->step;
        for (size_t c = 0; c < to->width; c++, vector += to->component)
            memcpy(vector, from++, sizeof *from);
    }
}

static void move_on(halfcl_vectors *operands, int count, size_t by)
{
    for (int i = 0; i < count; i++)
        operands[i].start += operands[i].step * (ptrdiff_t)by;
}

/* Those of each mode, gathered: at most MANY_VECTORS, of no more than ROOM components. */
static unsigned run_gathered(const halfcl_kernel *kernel, const halfcl_vectors *operands,
                             const uint8_t *modes, size_t n)
{
    static const size_t size = sizeof(uint16_t);
    uint16_t which[MANY_VECTORS], buffer[HALFCL_MAX_OPERANDS][ROOM];
    halfcl_vectors gathered[HALFCL_MAX_OPERANDS];
    int last = kernel->signature.nin;
    unsigned flags = 0;
    for (int mode = 0; mode < MODES; mode++) {
        size_t count = 0;
        for (size_t k = 0; k < n; k++) {
            which[count] = (uint16_t)k;
            count += modes[k] == mode;
        }
        if (count == 0)
            continue;
        for (int i = 0; i <= last; i++) {
            size_t width = operands[i].width;
            gathered[i] = (halfcl_vectors){(char *)buffer[i], (ptrdiff_t)(size * width),
                                           width > 1 ? (ptrdiff_t)size : 0, width};
            if (i < last)
                gather_vectors(buffer[i], &operands[i], which, count);
        }
        flags |= halfcl_run_vectors(kernel, gathered, count, (halfcl_rounding)mode);
        scatter_vectors(&operands[last], buffer[last], which, count);
    }
    return flags;
}

unsigned halfcl_run_vectors_in_modes(const halfcl_kernel *kernel,
                                     const halfcl_vectors *operands, const uint8_t *modes,
                                     ptrdiff_t mode_step, size_t n)
{
    if (!kernel || kernel->kind != HALFCL_VECTORS)
        return HALFCL_MISUSE;
    if (mode_step == 0 && n > 0)
        return halfcl_run_vectors(kernel, operands, n, (halfcl_rounding)(*modes & (MODES - 1)));
    halfcl_vectors here[HALFCL_MAX_OPERANDS];
    int nargs = kernel->signature.nin + 1;
    size_t width = operands[0].width, most = width > 0 ? ROOM / width : 0;
    unsigned flags = 0;
    memcpy(here, operands, (size_t)nargs * sizeof *here);
    for (size_t done = 0, count; done < n; done += count) {
        uint8_t block[MANY_VECTORS];
        size_t left = n - done, length = left < MANY_VECTORS ? left : MANY_VECTORS;
        halfcl_copy_strided((char *)block, 1, (const char *)modes + mode_step * (ptrdiff_t)done,
                            mode_step, 1, length);
        count = run_length(block, length);
        if (count >= LONG_RUN || count == length || most < LONG_RUN) {
            flags |= halfcl_run_vectors(kernel, here, count,
                                        (halfcl_rounding)(block[0] & (MODES - 1)));
        } else {
            count = length < most ? length : most;
            flags |= run_gathered(kernel, here, block, count);
        }
        move_on(here, nargs, count);
    }
    return flags;
}
