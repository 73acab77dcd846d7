/* Tests that calls split over threads give what one thread gives: results, exceptions, and all
 * memory around; whatever the number of threads and of elements per part, and whatever the
 * layout of operands. Also tests the pool: several callers, calls within calls, fork, and
 * settings that change meanwhile. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L /* nanosleep, which musl hides from plain C11 */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "run/sort.h"
#include "run/threads.h"
#include "tests/caller.h"
#include "tests/testing.h"

enum { MEMORY = 1 << 16, MOST = 700 };

static const int counts[] = {2, 3, 4, 7};
static const size_t grains[] = {1, 3, 17, 64, 100};

#define ANY_OF(array) array[random_bits() % (sizeof(array) / sizeof *(array))]

static void use_threads(int threads, size_t grain)
{
    halfcl_set_threads(threads);
    halfcl_set_grain(grain);
}

/* ---------------------------------------------------------------- one call, alone and split */

/* Positions in memory; and numbers that each kind of call uses for itself. */
typedef struct {
    const halfcl_isa *isa;
    const halfcl_kernel *kernel;
    size_t n;
    halfcl_rounding mode;
    ptrdiff_t offset[HALFCL_MAX_OPERANDS], step[HALFCL_MAX_OPERANDS];
    ptrdiff_t component[HALFCL_MAX_OPERANDS];
    size_t width;
    ptrdiff_t modes, mode_step; /* of modes as data */
} arrangement;

typedef unsigned run_arranged(const arrangement *a, char *memory);

static void fill(char *memory)
{
    for (int i = 0; i < MEMORY; i += 2) {
        uint16_t half = pick_half();
        memcpy(memory + i, &half, sizeof half);
    }
}

static bool are_nans(const char *a, const char *b)
{
    uint16_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return is_nan_half(x) && is_nan_half(y);
}

/* Compares bits; but which of two NaNs the processor returns may depend on the place in a
 * vector. Parts of whole vectors, as outside tests, preserve that; if modes are data, it
 * depends on the neighbours' modes in any case. */
static bool are_alike(const char *got, const char *expected, bool any_nan)
{
    if (!any_nan)
        return memcmp(got, expected, MEMORY) == 0;
    for (int i = 1; i + 1 < MEMORY; ++i) { /* halves need not be aligned */
        if (got[i] != expected[i] && !are_nans(got + i, expected + i) &&
            !are_nans(got + i - 1, expected + i - 1))
            return false;
    }
    return true;
}

static unsigned run_in_modes(const arrangement *a, char *memory);

static void compare(const char *what, const arrangement *a, run_arranged *run_it)
{
    _Alignas(64) static char got[MEMORY], expected[MEMORY];
    int threads = ANY_OF(counts);
    size_t grain = ANY_OF(grains);
    fill(expected);
    memcpy(got, expected, MEMORY);
    use_threads(1, 0);
    unsigned expected_flags = run_it(a, expected);
    use_threads(threads, grain);
    unsigned flags = run_it(a, got);
    bool whole_vectors = grain % 64 == 0 && run_it != run_in_modes;
    bool any_nan = !whole_vectors && gives_any_nan(a->kernel->name);
    if ((flags != expected_flags || !are_alike(got, expected, any_nan)) &&
        failed(what, a->isa, a->mode))
        printf("%s of %zu, %d threads, parts of %zu: flags %x for %x, offsets %td %td %td, "
               "steps %td %td %td\n",
               a->kernel->name, a->n, threads, grain, flags, expected_flags, a->offset[0],
               a->offset[1], a->offset[2], a->step[0], a->step[1], a->step[2]);
}

/* Places operands anywhere: each in a stretch of its own, or close to each other. */
static arrangement arrange(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    const halfcl_signature *of = &kernel->signature;
    arrangement a = {.isa = isa,
                     .kernel = kernel,
                     .n = random_bits() % MOST,
                     .mode = (halfcl_rounding)(random_bits() % 4)};
    bool overlap = random_bits() % 3 == 0, contiguous = random_bits() % 2;
    ptrdiff_t step = (ptrdiff_t)(random_bits() % 17) - 8, unit = random_bits() % 4 ? 2 : 1;
    for (int i = 0; i < of->nin + of->nout; ++i) {
        ptrdiff_t size = (ptrdiff_t)halfcl_type_size((halfcl_type)of->types[i]);
        ptrdiff_t away = (ptrdiff_t)(random_bits() % 65) - 32;
        a.offset[i] = (overlap ? MEMORY / 2 : MEMORY / 12 * (2 * i + 1)) + away * unit;
        a.step[i] = contiguous ? size : random_bits() % 3 ? step * unit : (away % 5) * size;
        if (random_bits() % 8 == 0)
            a.step[i] = random_bits() % 2 ? 0 : -size;
        /* Within its stretch. */
        if (!overlap && (size_t)labs((long)a.step[i]) * a.n > MEMORY / 12 - 64)
            a.step[i] = size < 8 ? size : 0;
    }
    a.mode_step = random_bits() % 4 ? 1 : (ptrdiff_t)(random_bits() % 7) - 3;
    a.modes = MEMORY - 4096 - 64;
    return a;
}

/* ---------------------------------------------------------------- maps */

static void find_operands(const arrangement *a, char *memory, char **operands)
{
    for (int i = 0; i < a->kernel->signature.nin + a->kernel->signature.nout; ++i)
        operands[i] = memory + a->offset[i];
}

static unsigned run_map(const arrangement *a, char *memory)
{
    char *operands[HALFCL_MAX_OPERANDS];
    find_operands(a, memory, operands);
    return halfcl_run(a->kernel, operands, a->step, a->n, a->mode);
}

/* Returns the exceptions pending afterwards, besides those before; and checks that the rounding
 * stays. */
static unsigned run_raising(const arrangement *a, char *memory)
{
    static const uint64_t controls[] = {CALLER_USUAL, CALLER_UPWARD};
    char *operands[HALFCL_MAX_OPERANDS];
    uint64_t control = controls[a->n % 2];
    unsigned wanted = a->n % 3 ? HALFCL_EXCEPTIONS : HALFCL_EXCEPTIONS ^ HALFCL_UNDERFLOW;
    find_operands(a, memory, operands);
    set_caller(control, a->n % 5 ? 0 : CALLER_DIVBYZERO);
    unsigned status =
        halfcl_run_raising(a->kernel, operands, a->step, a->n,
                           control == CALLER_UPWARD ? HALFCL_RTP : HALFCL_RTE, wanted);
    unsigned now = caller_pending() | (caller_control() == control ? 0 : 256);
    set_caller(CALLER_USUAL, 0);
    return now | status << 10;
}

/* Makes modes in runs of that length, or random ones. */
static void make_modes(const arrangement *a, char *memory, size_t run)
{
    for (int i = 0; i < MEMORY - a->modes; ++i)
        memory[a->modes + i] = (char)(run ? i / (int)run % 4 : memory[a->modes + i] & 3);
}

static unsigned run_in_modes(const arrangement *a, char *memory)
{
    char *operands[HALFCL_MAX_OPERANDS];
    char *modes = memory + a->modes + (a->mode_step < 0 ? 3 * MOST : 0);
    find_operands(a, memory, operands);
    make_modes(a, memory, a->width);
    return halfcl_run_in_modes(a->isa, a->kernel, operands, a->step, (const uint8_t *)modes,
                               a->mode_step, a->n);
}

static void check_map(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    for (int turn = 0; turn < (one_in > 1 ? 1 : 6); ++turn) {
        arrangement a = arrange(isa, kernel);
        compare("maps split", &a, run_map);
        compare("maps split, raising", &a, run_raising);
        if (kernel->quiet) /* intervals, whose bounds are rounded in different directions */
            continue;
        a = arrange(isa, kernel);
        a.width = random_bits() % 3 ? 1 + random_bits() % 90 : 0;
        for (int i = 0; i < kernel->signature.nin + kernel->signature.nout; ++i) {
            ptrdiff_t size =
                (ptrdiff_t)halfcl_type_size((halfcl_type)kernel->signature.types[i]);
            a.offset[i] = MEMORY / 14 * (2 * i + 1);
            a.step[i] = size < 8 && random_bits() % 3 == 0 ? -size : size;
        }
        compare("maps in modes split", &a, run_in_modes);
    }
}

/* ---------------------------------------------------------------- vectors */

static void find_vectors(const arrangement *a, char *memory, halfcl_vectors *vectors)
{
    int last = a->kernel->signature.nin;
    for (int i = 0; i <= last; ++i)
        vectors[i] =
            (halfcl_vectors){memory + a->offset[i], a->step[i], a->component[i],
                             i < last || a->kernel->vectors.gives_vectors ? a->width : 1};
}

static unsigned run_vectors(const arrangement *a, char *memory)
{
    halfcl_vectors vectors[HALFCL_MAX_OPERANDS];
    find_vectors(a, memory, vectors);
    return halfcl_run_vectors(a->kernel, vectors, a->n, a->mode);
}

static unsigned run_vectors_in_modes(const arrangement *a, char *memory)
{
    halfcl_vectors vectors[HALFCL_MAX_OPERANDS];
    find_vectors(a, memory, vectors);
    make_modes(a, memory, a->n % 2 ? a->n : 0);
    return halfcl_run_vectors_in_modes(a->isa, a->kernel, vectors,
                                       (const uint8_t *)memory + a->modes, 1, a->n);
}

/* Tests one vector after the other, or one component of all after the other, perhaps backwards;
 * also with an output that is the same for all vectors. */
static void check_vectors(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    size_t narrowest = kernel->vectors.narrowest, broadest = kernel->vectors.broadest;
    for (int turn = 0; turn < 20 / one_in + 1; ++turn) {
        arrangement a = arrange(isa, kernel);
        a.n = random_bits() % 130;
        a.width = 1 + random_bits() % 9;
        a.width = a.width < narrowest ? narrowest : a.width;
        a.width = broadest && a.width > broadest ? broadest : a.width;
        for (int i = 0; i <= kernel->signature.nin; ++i) {
            bool planar = random_bits() % 3 == 0,
                 vectors = i < kernel->signature.nin || kernel->vectors.gives_vectors;
            ptrdiff_t width = vectors ? (ptrdiff_t)a.width : 1;
            ptrdiff_t size =
                (ptrdiff_t)halfcl_type_size((halfcl_type)kernel->signature.types[i]);
            a.offset[i] = MEMORY / 12 * (2 * i + 1) + (ptrdiff_t)(random_bits() % 9);
            a.component[i] = planar ? 130 * size : size;
            a.step[i] = planar ? size : size * width + (ptrdiff_t)(random_bits() % 2);
            if (random_bits() % 8 == 0)
                a.step[i] = random_bits() % 2 ? -a.step[i] : 0;
            if (a.step[i] < 0) /* within its stretch */
                a.offset[i] -= a.step[i] * (ptrdiff_t)a.n;
        }
        compare("vectors split", &a, run_vectors);
        if (kernel->signature.types[0] == HALFCL_HALF)
            compare("vectors in modes split", &a, run_vectors_in_modes);
    }
}

/* ---------------------------------------------------------------- folds */

/* Each state's result is stored at the end of memory. */
static unsigned finish_all(const arrangement *a, const halfcl_fold_state *states, size_t count,
                           char *memory)
{
    unsigned flags = 0;
    for (size_t k = 0; k < count; ++k) {
        for (int mode = 0; mode < 4; ++mode) {
            uint16_t result;
            flags |= halfcl_state_finish(a->kernel, &states[k], &result, (halfcl_rounding)mode);
            memcpy(memory + MEMORY - 8 * (k + 1) + 2 * (size_t)mode, &result, sizeof result);
        }
    }
    return flags;
}

static unsigned run_state_add(const arrangement *a, char *memory)
{
    char *operands[HALFCL_MAX_OPERANDS];
    halfcl_fold_state state = {.seen = a->n % 2 ? HALFCL_FROM_ZERO : 0};
    const uint16_t first[] = {0x3c01};
    find_operands(a, memory, operands);
    if (a->n % 3 == 0)
        halfcl_state_add(a->kernel, &state,
                         (char *[]){(char *)(uintptr_t)first, (char *)(uintptr_t)first},
                         (const ptrdiff_t[]){2, 2}, 1);
    halfcl_state_add(a->kernel, &state, operands, a->step, a->n);
    return finish_all(a, &state, 1, memory);
}

static unsigned run_fold(const arrangement *a, char *memory)
{
    uint16_t accumulator = 0x8000;
    unsigned flags =
        halfcl_fold(a->kernel, &accumulator, memory + a->offset[0], a->step[0], a->n, a->mode);
    memcpy(memory, &accumulator, sizeof accumulator);
    return flags;
}

/* width is the number of states; component: the bytes from one state's elements to the next
 * one's. */
static unsigned run_states_add(const arrangement *a, char *memory)
{
    halfcl_fold_state states[100];
    halfcl_elements elements = {.count = a->width, .n = a->n};
    memset(states, 0, sizeof states);
    for (int i = 0; i < a->kernel->signature.nin; ++i) {
        elements.inputs[i] = memory + a->offset[i];
        elements.along[i] = a->step[i];
        elements.across[i] = a->component[i];
    }
    if (a->modes) {
        elements.where = memory;
        elements.where_across = 3;
        elements.where_along = 5;
        for (int i = 0; i < MEMORY / 16; ++i)
            memory[i] &= 1;
    }
    halfcl_states_add(a->kernel, (char *)states, sizeof *states, &elements);
    return finish_all(a, states, a->width, memory);
}

static void check_fold(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    for (int turn = 0; turn < 60 / one_in; ++turn) {
        arrangement a = arrange(isa, kernel);
        compare("folds split", &a, run_state_add);
        if (kernel->signature.nin == 1)
            compare("folds split", &a, run_fold);
        bool rows = random_bits() % 2;
        a.width = 1 + random_bits() % 100;
        a.n = random_bits() % 40;
        a.modes = random_bits() % 4 == 0;
        for (int i = 0; i < kernel->signature.nin; ++i) {
            a.offset[i] = MEMORY / 12 * (2 * i + 1) + (ptrdiff_t)(random_bits() % 2);
            a.component[i] = rows ? 2 : 80;
            a.step[i] = rows ? 200 : 2;
        }
        compare("folds of many split", &a, run_states_add);
    }
}

static unsigned run_matmul(const arrangement *a, char *memory)
{
    ptrdiff_t n = (ptrdiff_t)a->n, p = (ptrdiff_t)a->width, row = a->component[0];
    const halfcl_matrix_product product = {{memory + a->offset[0], row, 2},
                                           {memory + a->offset[1], 2 * p, 2},
                                           {memory + a->offset[2], 2 * p, 2},
                                           (size_t)(a->modes % 90),
                                           (size_t)n,
                                           (size_t)p};
    return halfcl_matmul(a->kernel, &product, a->mode);
}

static void check_matmul(const halfcl_isa *isa)
{
    const halfcl_signature two = HALFCL_HALVES(2, 1);
    for (int turn = 0; turn < 40 / one_in; ++turn) {
        arrangement a = {.isa = isa,
                         .kernel = halfcl_find_kernel(isa, "dot", HALFCL_FOLD, &two),
                         .mode = (halfcl_rounding)(random_bits() % 4)};
        a.n = random_bits() % (turn % 4 ? 50 : 1500);
        a.width = 1 + random_bits() % (a.n < 50 ? 40 : 2);
        a.modes = (ptrdiff_t)(random_bits() % (a.n < 50 ? 90 : 3));
        a.component[0] = random_bits() % 4 ? 2 * (ptrdiff_t)a.n : 0;
        for (int i = 0; i < 3; ++i)
            a.offset[i] = MEMORY / 3 * i + (ptrdiff_t)(random_bits() % 3);
        compare("products of matrices split", &a, run_matmul);
    }
}

/* ---------------------------------------------------------------- scans */

static unsigned run_scan(const arrangement *a, char *memory)
{
    halfcl_fold_state state = {0};
    unsigned flags = 0;
    for (int part = 0; part < 2; ++part) /* the second part continues from the first */
        flags |= halfcl_run_scan(
            a->kernel, &state, memory + a->offset[0] + part * (ptrdiff_t)a->n * a->step[0],
            a->step[0], memory + a->offset[1] + part * (ptrdiff_t)a->n * a->step[1], a->step[1],
            a->n, a->mode);
    return flags;
}

static void check_scan(const halfcl_isa *isa, const halfcl_kernel *kernel)
{
    ptrdiff_t size = (ptrdiff_t)halfcl_type_size((halfcl_type)kernel->signature.types[1]);
    for (int turn = 0; turn < 60 / one_in; ++turn) {
        arrangement a = arrange(isa, kernel);
        a.offset[0] = MEMORY / 4;
        a.offset[1] = MEMORY / 2 + (ptrdiff_t)(random_bits() % 3);
        a.step[0] = random_bits() % 2 ? 2 : -4;
        a.step[1] = random_bits() % 2 ? size : 2 * size + 1;
        if (size == 2 && random_bits() % 3 == 0) { /* in place */
            a.offset[1] = a.offset[0];
            a.step[1] = a.step[0];
        }
        compare("scans split", &a, run_scan);
    }
}

/* ---------------------------------------------------------------- order */

enum { MANY = 70000 };

/* Fills with few values or many; zeros of both signs and NaNs among them. */
static void fill_with(uint16_t *values, size_t n, unsigned mask)
{
    for (size_t i = 0; i < n; ++i)
        values[i] = random_bits() % 5 ? pick_half() & mask : (uint16_t)(random_bits() & mask);
}

typedef struct {
    uint16_t sorted[MANY];
    ptrdiff_t order[MANY], places[2][MANY];
    size_t extremes[2];
} ordering;

static void order_all(const halfcl_kernel *range, const uint16_t *values, bool reversed,
                      ordering *o)
{
    memcpy(o->sorted, values, sizeof o->sorted);
    for (size_t i = 0; i < MANY; ++i)
        o->order[i] = (ptrdiff_t)(reversed ? MANY - 1 - i : i);
    halfcl_sort(o->sorted, MANY);
    halfcl_argsort(values, o->order, MANY);
    for (size_t n = 0; n < 2; ++n) /* with a table, and without */
        halfcl_search(o->sorted, MANY, values, n ? MANY : 5000, n, o->places[n]);
    o->extremes[0] = halfcl_argmax(range, values, MANY);
    o->extremes[1] = halfcl_argmin(range, values, MANY);
}

static void check_order(const halfcl_isa *isa)
{
    static const unsigned masks[] = {0xffff, 0x8000, 0xfc00, 0x3fff, 0x0001};
    static uint16_t values[MANY];
    const halfcl_signature one = HALFCL_HALVES(1, 1);
    const halfcl_kernel *range = halfcl_find_kernel(isa, "maximum_reduce", HALFCL_FOLD, &one);
    ordering *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    for (size_t m = 0; m < sizeof masks / sizeof *masks; ++m) {
        int threads = ANY_OF(counts);
        fill_with(values, MANY, masks[m]);
        use_threads(1, 0);
        order_all(range, values, m % 2, expected);
        use_threads(threads, 1000);
        order_all(range, values, m % 2, got);
        if (memcmp(got, expected, sizeof *got) && failed("order split", isa, 0))
            printf("%d threads, values & %x\n", threads, masks[m]);
    }
    free(expected);
    free(got);
}

/* ---------------------------------------------------------------- images */

static void check_images(const halfcl_isa *isa)
{
    enum { SIDE = 16, SAMPLES = 1000 };
    static uint16_t texels[SIDE][SIDE][4], expected[SAMPLES][4], got[SAMPLES][4];
    static float places[SAMPLES][2];
    const halfcl_image image = {(char *)texels,
                                {SIDE, SIDE, 1},
                                {8, 8 * SIDE, 0, 0},
                                2,
                                0,
                                HALFCL_HALF_FLOAT,
                                4,
                                {0, 1, 2, 3},
                                false,
                                false};
    const halfcl_coordinates where = {places, 2, false};
    for (int turn = 0; turn < 12; ++turn) {
        const halfcl_sampler sampler = {false, HALFCL_ADDRESS_CLAMP,
                                        turn % 3 ? HALFCL_LINEAR : HALFCL_NEAREST};
        halfcl_rounding mode = (halfcl_rounding)(turn % 4);
        for (int i = 0; i < SIDE * SIDE * 4; ++i)
            (&texels[0][0][0])[i] = turn % 2 ? pick_half() : 0x3800 + (random_bits() & 0x3ff);
        for (int i = 0; i < 2 * SAMPLES; ++i)
            (&places[0][0])[i] = (float)(random_bits() % (20 * 64)) / 64 - 2;
        use_threads(1, 0);
        unsigned flags = halfcl_read_image(isa, &image, &sampler, &where, expected, HALFCL_HALF,
                                           SAMPLES, mode);
        use_threads(ANY_OF(counts), ANY_OF(grains));
        if ((halfcl_read_image(isa, &image, &sampler, &where, got, HALFCL_HALF, SAMPLES,
                               mode) != flags ||
             memcmp(got, expected, sizeof got)) &&
            failed("images split", isa, (int)mode))
            printf("turn %d\n", turn);
    }
}

static void check_kernels(const halfcl_isa *isa)
{
    const halfcl_kernel *kernel;
    for (size_t k = 0; (kernel = halfcl_kernel_at(isa, k)); ++k) {
        if (kernel->kind == HALFCL_MAP)
            check_map(isa, kernel);
        else if (kernel->kind == HALFCL_VECTORS)
            check_vectors(isa, kernel);
        else if (kernel->kind == HALFCL_FOLD)
            check_fold(isa, kernel);
        else if (kernel->kind == HALFCL_SCAN)
            check_scan(isa, kernel);
    }
}

/* ---------------------------------------------------------------- the pool */

static void expect(bool right, const char *what)
{
    if (!right && failed("threads", halfcl_find_isa(NULL), 0))
        printf("%s\n", what);
}

/* Waits at most some seconds, since the machine may be busy. */
static bool becomes(bool (*condition)(void))
{
    for (int k = 0; k < 5000 && !condition(); ++k)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return condition();
}

enum { PARTS = 1000 };

typedef struct {
    atomic_int done[PARTS];
    atomic_int of_thread[HALFCL_MAX_THREADS];
    atomic_bool nested_alone;
} record;

/* Checks that a call made by a part gets no threads. */
static unsigned note_part(void *work, size_t part, int thread)
{
    record *r = work;
    const halfcl_team team = halfcl_call_team(4);
    atomic_fetch_add(&r->done[part], 1);
    atomic_fetch_add(&r->of_thread[thread], 1);
    if (team.threads != 1)
        atomic_store(&r->nested_alone, false);
    halfcl_dismiss_team(&team);
    return 1u << part % 8;
}

static void test_parts(void)
{
    for (int turn = 0; turn < 200; ++turn) {
        static record r;
        memset(&r, 0, sizeof r);
        atomic_store(&r.nested_alone, true);
        size_t parts = random_bits() % PARTS;
        const halfcl_team team = halfcl_call_team(ANY_OF(counts));
        unsigned flags = halfcl_share(&team, note_part, &r, parts);
        halfcl_dismiss_team(&team);
        bool once = true;
        int by_team = 0;
        for (size_t k = 0; k < PARTS; ++k)
            once &= atomic_load(&r.done[k]) == (k < parts);
        for (int k = 0; k < team.threads; ++k)
            by_team += atomic_load(&r.of_thread[k]);
        expect(team.threads > 1 && once && by_team == (int)parts,
               "each part once, by the team");
        expect(flags == (parts < 8 ? (1u << parts) - 1 : 255), "exceptions of all parts");
        expect(atomic_load(&r.nested_alone), "a call within a call has no threads");
    }
}

/* Parts that wait for each other finish only if so many threads are at work. */
static atomic_int arrived;

static bool have_all_arrived(void)
{
    return atomic_load(&arrived) == 4;
}

static unsigned wait_for_others(void *work, size_t part, int thread)
{
    (void)work, (void)part, (void)thread;
    atomic_fetch_add(&arrived, 1);
    return becomes(have_all_arrived);
}

static bool are_three_idle(void)
{
    return halfcl_idle_threads() >= 3;
}

static void test_at_once(void)
{
    const halfcl_team team = halfcl_call_team(4);
    atomic_store(&arrived, 0);
    expect(halfcl_share(&team, wait_for_others, NULL, 4) == 1, "four threads at once");
    halfcl_dismiss_team(&team);
    expect(becomes(are_three_idle), "threads that have nothing to do wait");
}

static void *see_own_limit(void *unused)
{
    (void)unused;
    expect(halfcl_get_threads() == 5, "a limit is its thread's alone");
    return NULL;
}

static void test_settings(void)
{
    pthread_t other;
    halfcl_set_threads(5);
    expect(halfcl_get_threads() == 5 && halfcl_limit_threads(3) == 0, "no limit at first");
    expect(halfcl_get_threads() == 3, "the limit is smaller");
    pthread_create(&other, NULL, see_own_limit, NULL);
    pthread_join(other, NULL);
    halfcl_set_threads(2);
    expect(halfcl_get_threads() == 2, "all calls' number is smaller");
    expect(halfcl_limit_threads(-7) == 3 && halfcl_limit_threads(1 << 20) == 0, "none below 0");
    expect(halfcl_limit_threads(0) == HALFCL_MAX_THREADS, "no more than there can be");
    halfcl_set_threads(-1);
    expect(halfcl_get_threads() == 1, "at least one");
    halfcl_set_threads(1 << 20);
    expect(halfcl_get_threads() == HALFCL_MAX_THREADS, "at most so many");
    halfcl_set_threads(1);
}

static atomic_int times_asked;

static int two_threads(void)
{
    return atomic_fetch_add(&times_asked, 1) < 2 ? 2 : 7;
}

static void *be_asked(void *unused)
{
    (void)unused;
    for (int turn = 0; turn < 3; ++turn)
        expect(halfcl_get_threads() == 2, "a thread is asked once");
    int before = halfcl_limit_threads(0);
    expect(before == 2 && halfcl_get_threads() == 5, "and never again");
    return NULL;
}

/* The pool's threads ask for their limit, too. */
static unsigned see_alone(void *work, size_t part, int thread)
{
    (void)work, (void)part;
    atomic_fetch_add(&arrived, 1);
    return !becomes(have_all_arrived) || (thread > 0 && halfcl_get_threads() > 1);
}

static void test_asking(void)
{
    pthread_t other;
    halfcl_set_threads(5);
    atomic_store(&times_asked, 0);
    halfcl_ask_threads(two_threads);
    for (int thread = 0; thread < 2; ++thread) {
        pthread_create(&other, NULL, be_asked, NULL);
        pthread_join(other, NULL);
    }
    const halfcl_team team = halfcl_call_team(4);
    atomic_store(&arrived, 0);
    expect(halfcl_share(&team, see_alone, NULL, 4) == 0, "the pool's threads are alone");
    halfcl_dismiss_team(&team);
    expect(atomic_load(&times_asked) == 2, "and are not asked");
    halfcl_ask_threads(NULL);
    halfcl_set_threads(1);
}

/* ---------------------------------------------------------------- several callers, fork */

enum { SUMS = 3000 };

/* Adds 1/2 and -1/2 in turns, and those plus 1; checks the sum. */
static bool calculate(const halfcl_isa *isa)
{
    const halfcl_signature one = HALFCL_HALVES(1, 1), two = HALFCL_HALVES(2, 1);
    const halfcl_kernel *add = halfcl_find_kernel(isa, "add", HALFCL_MAP, &two);
    const halfcl_kernel *sum = halfcl_find_kernel(isa, "add_reduce", HALFCL_FOLD, &one);
    uint16_t values[SUMS], ones[SUMS], results[SUMS], total = 0;
    char *operands[] = {(char *)values, (char *)ones, (char *)results};
    for (int i = 0; i < SUMS; ++i) {
        values[i] = i % 2 ? 0xb800 : 0x3800;
        ones[i] = 0x3c00;
        results[i] = 0;
    }
    halfcl_run(add, operands, (const ptrdiff_t[]){2, 2, 2}, SUMS, HALFCL_RTE);
    halfcl_fold(sum, &total, (char *)results, 2, SUMS, HALFCL_RTZ);
    bool right = total == 0x69dc; /* 3000 */
    for (int i = 0; i < SUMS; ++i)
        right &= results[i] == (i % 2 ? 0x3800 : 0x3e00);
    return right;
}

static atomic_bool may_stop;

static void *calculate_often(void *turns)
{
    for (int turn = 0; turn < *(int *)turns; ++turn) {
        if (!calculate(halfcl_find_isa(NULL)))
            return turns;
    }
    return NULL;
}

static void *change_settings(void *unused)
{
    (void)unused;
    for (unsigned turn = 0; !atomic_load(&may_stop); ++turn)
        use_threads((int)(turn % 9), turn * 7 % 200);
    return NULL;
}

static void test_callers(void)
{
    enum { CALLERS = 4 };
    pthread_t callers[CALLERS], changer;
    int turns = 2000 / one_in;
    bool right = true;
    atomic_store(&may_stop, false);
    use_threads(4, 50);
    pthread_create(&changer, NULL, change_settings, NULL);
    for (int k = 0; k < CALLERS; ++k)
        pthread_create(&callers[k], NULL, calculate_often, &turns);
    for (int k = 0; k < CALLERS; ++k) {
        void *result;
        pthread_join(callers[k], &result);
        right &= result == NULL;
    }
    atomic_store(&may_stop, true);
    pthread_join(changer, NULL);
    expect(right, "several callers at once, while settings change");
}

/* The sanitizer allows a child of a process with several threads no threads of its own; Windows
 * has no fork. */
#if defined __SANITIZE_THREAD__ || defined _WIN32
static void test_fork(void)
{
}
#else
static void *calculate_until_told(void *unused)
{
    (void)unused;
    while (!atomic_load(&may_stop))
        calculate(halfcl_find_isa(NULL));
    return NULL;
}

/* Calculates in a child, and in its child. */
static int calculate_in_child(int depth)
{
    bool right = halfcl_idle_threads() == 0 && calculate(halfcl_find_isa(NULL)) &&
                 becomes(are_three_idle);
    if (right && depth > 0) {
        int status = 1;
        pid_t child = fork();
        if (child == 0)
            _exit(calculate_in_child(depth - 1));
        return waitpid(child, &status, 0) != child || status != 0;
    }
    return !right;
}

/* Tests fork while another thread uses the pool. */
static void test_fork(void)
{
    pthread_t caller;
    atomic_store(&may_stop, false);
    use_threads(4, 50);
    pthread_create(&caller, NULL, calculate_until_told, NULL);
    for (int turn = 0; turn < 30; ++turn) {
        int status = 1;
        pid_t child = fork();
        if (child == 0)
            _exit(calculate_in_child(turn % 3 == 0));
        bool ended = waitpid(child, &status, 0) == child;
        expect(ended && status == 0, "a child of fork calculates, with threads of its own");
    }
    atomic_store(&may_stop, true);
    pthread_join(caller, NULL);
    expect(calculate(halfcl_find_isa(NULL)), "and so does the parent");
}
#endif

/* Compares with element after element, in one thread. */
static void test_grid_split(void)
{
    use_threads(3, 50);
    test_grid();
    use_threads(1, 0);
}

void test_threads(void)
{
    const halfcl_isa *isa;
    test_parts();
    test_at_once();
    test_settings();
    test_asking();
    for (size_t s = 0; (isa = halfcl_available(s)); ++s) {
        check_kernels(isa);
        check_matmul(isa);
        check_order(isa);
        check_images(isa);
    }
    test_grid_split();
    test_callers();
    test_fork();
}
