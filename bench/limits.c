/* Measures the machine's limits for bench/limits.py, which compiles this file: loops that move
 * bytes and calculate nothing, the rate of instructions, the engine's kernels without Python,
 * and which of its instructions a kernel executes.
 *
 * SHAPES, of the command line, lists the loops: SHAPE(name, inputs, outputs, bytes an element
 * of each operand, inputs first). */
#define _GNU_SOURCE
#include <halfcl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline))

enum { OPERANDS = HALFCL_MAX_OPERANDS, STEP = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------ streams */

typedef struct {
    int nin, nout, size[OPERANDS];
} shape;

/* Stores as they are; the same, with lines asked for ahead; or past the caches. */
typedef enum { PLAIN, AHEAD, PAST } manner;

typedef long long v32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef long long v64 __attribute__((vector_size(64), aligned(1), may_alias));

/* Past the caches: the compiler's own vectors have no such store. */
#if defined __x86_64__
#include <immintrin.h>
INLINE void past32(char *p, v32 v)
{
    _mm_stream_si128((__m128i *)p, ((__m128i *)&v)[0]);
    _mm_stream_si128((__m128i *)p + 1, ((__m128i *)&v)[1]);
}
#if defined __AVX512F__
INLINE void past64(char *p, v64 v)
{
    _mm512_stream_si512((void *)p, (__m512i)v);
}
#else
INLINE void past64(char *p, v64 v)
{
    for (int i = 0; i < 4; ++i)
        _mm_stream_si128((__m128i *)p + i, ((__m128i *)&v)[i]);
}
#endif
#define AFTER_PAST _mm_sfence()
#else
INLINE void past32(char *p, v32 v)
{
    *(v32 *)p = v;
}
INLINE void past64(char *p, v64 v)
{
    *(v64 *)p = v;
}
#define AFTER_PAST (void)0
#endif

static volatile long long sink;

/* Elements from..to of the operands, a vector of the narrowest elements a turn. What is stored
 * depends on all that is loaded, so that no load can be left out. */
#define DEFINE_STREAM(V, WIDTH, PAST_STORE)                                                    \
    INLINE void stream_##V(shape s, manner how, char *const *operands, size_t from, size_t to) \
    {                                                                                          \
        V all = {0};                                                                           \
        char *at[OPERANDS];                                                                    \
        for (int k = 0; k < s.nin + s.nout; ++k)                                               \
            at[k] = operands[k];                                                               \
        for (size_t i = from; i < to; i += WIDTH) {                                            \
            V x = s.nout ? (V){0} : all;                                                       \
            _Pragma("GCC unroll 6") for (int k = 0; k < s.nin; ++k)                            \
            {                                                                                  \
                const char *p = at[k] + i * (size_t)s.size[k];                                 \
                if (how == AHEAD)                                                              \
                    __builtin_prefetch((const void *)((uintptr_t)p + 2048));                   \
                _Pragma("GCC unroll 8") for (int v = 0; v < s.size[k]; ++v) x ^=               \
                    *(const V *)(p + v * WIDTH);                                               \
            }                                                                                  \
            _Pragma("GCC unroll 6") for (int k = s.nin; k < s.nin + s.nout; ++k)               \
            {                                                                                  \
                char *p = at[k] + i * (size_t)s.size[k];                                       \
                _Pragma("GCC unroll 8") for (int v = 0; v < s.size[k]; ++v)                    \
                {                                                                              \
                    if (how == PAST)                                                           \
                        PAST_STORE(p + v * WIDTH, x);                                          \
                    else                                                                       \
                        *(V *)(p + v * WIDTH) = x;                                             \
                }                                                                              \
            }                                                                                  \
            all = x;                                                                           \
        }                                                                                      \
        if (how == PAST)                                                                       \
            AFTER_PAST;                                                                        \
        if (s.nout == 0)                                                                       \
            sink = all[0];                                                                     \
    }
DEFINE_STREAM(v32, 32, past32)
DEFINE_STREAM(v64, 64, past64)

typedef void stream(char *const *operands, size_t from, size_t to);

#define STREAM(name, V, how, ...)                                                              \
    static void name##_##V##_##how(char *const *operands, size_t from, size_t to)              \
    {                                                                                          \
        stream_##V((shape)__VA_ARGS__, how, operands, from, to);                               \
    }
#define SHAPE(name, nin, nout, ...)                                                            \
    STREAM(name, v32, PLAIN, {nin, nout, {__VA_ARGS__}})                                       \
    STREAM(name, v32, AHEAD, {nin, nout, {__VA_ARGS__}})                                       \
    STREAM(name, v32, PAST, {nin, nout, {__VA_ARGS__}})                                        \
    STREAM(name, v64, PLAIN, {nin, nout, {__VA_ARGS__}})                                       \
    STREAM(name, v64, AHEAD, {nin, nout, {__VA_ARGS__}})                                       \
    STREAM(name, v64, PAST, {nin, nout, {__VA_ARGS__}})
SHAPES
#undef SHAPE

#define SHAPE(name, nin, nout, ...)                                                            \
    {#name,           name##_v32_PLAIN, name##_v64_PLAIN, name##_v32_AHEAD, name##_v64_AHEAD,  \
     name##_v32_PAST, name##_v64_PAST},
static const struct {
    const char *name;
    stream *loops[6];
} streams[] = {SHAPES};

static stream *find_stream(const char *name, int variant)
{
    for (size_t i = 0; i < sizeof streams / sizeof *streams; ++i) {
        if (strcmp(streams[i].name, name) == 0)
            return streams[i].loops[variant];
    }
    return NULL;
}

/* The data shared by threads that run one loop again and again, all together. */
typedef struct {
    stream *loop;
    char *const *operands;
    size_t n, count;
    int threads;
    atomic_int waiting, turn, next;
} crew;

/* Waits for all the others. Yields at times: there may be fewer cores than threads. */
static void meet(crew *c)
{
    int turn = atomic_load(&c->turn);
    if (atomic_fetch_add(&c->waiting, 1) + 1 == c->threads) {
        atomic_store(&c->waiting, 0);
        atomic_store(&c->turn, turn + 1);
        return;
    }
    for (int spins = 0; atomic_load(&c->turn) == turn; ++spins) {
        if (spins % 512 == 511)
            sched_yield();
    }
}

static void *run_part(void *of)
{
    crew *c = of;
    size_t number = (size_t)atomic_fetch_add(&c->next, 1), threads = (size_t)c->threads;
    size_t parts = c->n / STEP, from = number * parts / threads * STEP;
    size_t to = (number + 1) * parts / threads * STEP;
    meet(c);
    for (size_t i = 0; i < c->count; ++i) {
        c->loop(c->operands, from, to);
        meet(c);
    }
    return NULL;
}

/* Seconds for so many passes over n elements, a multiple of 64; below 0 if there is no such
 * loop, or no such number of threads. */
double time_stream(const char *name, int variant, char *const *operands, size_t n, size_t count,
                   int threads)
{
    stream *loop = find_stream(name, variant);
    pthread_t others[256];
    if (!loop || threads < 1 || threads > 256)
        return -1;
    if (threads == 1) {
        double start = now();
        for (size_t i = 0; i < count; ++i)
            loop(operands, 0, n);
        return now() - start;
    }
    crew c = {.loop = loop, .operands = operands, .n = n, .count = count, .threads = threads};
    for (int i = 1; i < threads; ++i) {
        if (pthread_create(&others[i], NULL, run_part, &c)) { /* who would be waited for */
            fprintf(stderr, "limits.c: no more than %d threads can be started\n", i);
            exit(1);
        }
    }
    double start = now();
    run_part(&c);
    double seconds = now() - start;
    for (int i = 1; i < threads; ++i)
        pthread_join(others[i], NULL);
    return seconds;
}

/* ------------------------------------------------------------ the engine's kernels */

/* The engine's functions, where they lie in the extension that is in use. */
typedef struct {
    __typeof__(halfcl_find_isa) *find_isa;
    __typeof__(halfcl_find_kernel) *find_kernel;
    __typeof__(halfcl_run) *run;
    __typeof__(halfcl_state_add) *state_add;
    __typeof__(halfcl_state_finish) *state_finish;
    __typeof__(halfcl_run_vectors) *run_vectors;
} engine;

/* A call of a kernel; steps: bytes from one element, or vector, to the next. */
typedef struct {
    const engine *in;
    const halfcl_kernel *kernel;
    char *const *operands;
    const ptrdiff_t *steps;
    size_t n, width;
    int mode;
} call;

const halfcl_kernel *find(const engine *in, const char *isa, const char *name, int kind,
                          const halfcl_signature *types)
{
    return in->find_kernel(in->find_isa(isa), name, (halfcl_kind)kind, types);
}

static void run_vectors(const call *c)
{
    halfcl_vectors vectors[OPERANDS];
    int last = c->kernel->signature.nin;
    for (int i = 0; i <= last; ++i)
        vectors[i] = (halfcl_vectors){c->operands[i], c->steps[i], 2, c->width};
    if (!c->kernel->vectors.gives_vectors)
        vectors[last] = (halfcl_vectors){c->operands[last], 2, 0, 1};
    c->in->run_vectors(c->kernel, vectors, c->n, (halfcl_rounding)c->mode);
}

static void run(const call *c)
{
    halfcl_fold_state state = {0};
    switch (c->kernel->kind) {
    case HALFCL_FOLD:
        c->in->state_add(c->kernel, &state, c->operands, c->steps, c->n);
        c->in->state_finish(c->kernel, &state,
                            (uint16_t *)c->operands[c->kernel->signature.nin],
                            (halfcl_rounding)c->mode);
        break;
    case HALFCL_VECTORS:
        run_vectors(c);
        break;
    default:
        c->in->run(c->kernel, c->operands, c->steps, c->n, (halfcl_rounding)c->mode);
    }
}

double time_kernel(const call *c, size_t count)
{
    double start = now();
    for (size_t i = 0; i < count; ++i)
        run(c);
    return now() - start;
}

/* ------------------------------------------------------------ which instructions run */

#if defined __x86_64__ && defined __linux__
#include <ucontext.h>

static struct {
    uintptr_t start, size;
    uint32_t *counts;
} watched;

static void note(int number, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)number, (void)info;
    if (at - watched.start < watched.size)
        ++watched.counts[at - watched.start];
}

/* Carries a call out one instruction at a time, and counts how often each byte of code is where
 * one begins. False if the system does not step. */
bool count_instructions(const call *c, uintptr_t start, size_t size, uint32_t *counts)
{
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO}, before;
    watched.start = start;
    watched.size = size;
    watched.counts = counts;
    if (sigaction(SIGTRAP, &action, &before))
        return false;
    /* The trap flag, below what the function may keep under its stack pointer. */
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n"
                     "lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    run(c);
    __asm__ volatile("lea -128(%%rsp), %%rsp\n pushfq\n andq $-0x101, (%%rsp)\n popfq\n"
                     "lea 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    return sigaction(SIGTRAP, &before, NULL) == 0;
}

/* ------------------------------------------------------------ how fast instructions come */

/* Twelve of a kind that do not wait for each other, again and again, into registers 4 to 15;
 * registers 0 to 2 are 1.5 everywhere, register 3 is places. RATES, of the command line: the
 * kinds, RATE(name, text before the register, text after it). */
/* clang-format off */
#define ONE(before, after, register) before register after "\n"
#define TWELVE(b, a) \
    ONE(b, a, "4") ONE(b, a, "5") ONE(b, a, "6") ONE(b, a, "7") ONE(b, a, "8") ONE(b, a, "9") \
    ONE(b, a, "10") ONE(b, a, "11") ONE(b, a, "12") ONE(b, a, "13") ONE(b, a, "14") ONE(b, a, "15")
#define MANY(text) text text text text text text text text
/* clang-format on */
#define CLOBBERED                                                                              \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory"
#if defined __AVX512F__
#define MASKS , "k1", "k2"
#define FILL "zmm"
#else
#define MASKS
#define FILL "ymm"
#endif

static const float numbers[16] = {1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5,
                                  1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5};
/* Indices of the words of `room` that are gathered, each in a cache line of its own. */
static const int places[16] = {0,   61,  122, 183, 244, 305, 366, 427,
                               488, 549, 610, 671, 732, 793, 854, 915};
static char room[1 << 12] __attribute__((aligned(64)));

#define RATE(name, before, after)                                                              \
    static void rate_##name(size_t turns)                                                      \
    {                                                                                          \
        __asm__ volatile("vbroadcastss (%1), %%" FILL "0\n vbroadcastss (%1), %%" FILL "1\n"   \
                         "vbroadcastss (%1), %%" FILL "2\n vmovups (%3), %%" FILL "3\n"        \
                         ".p2align 6\n 1:\n" MANY(TWELVE(before, after)) "dec %0\n jnz 1b"     \
                         : "+r"(turns)                                                         \
                         : "r"(numbers), "r"(room), "r"(places)                                \
                         : CLOBBERED MASKS);                                                   \
    }
RATES
#undef RATE

#define RATE(name, before, after) {#name, rate_##name},
static const struct {
    const char *name;
    void (*loop)(size_t turns);
} rates[] = {RATES};

/* Seconds for so many turns of 96 instructions; below 0 if there are none of that name. */
double time_instructions(const char *name, size_t turns)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
        if (strcmp(rates[i].name, name) == 0) {
            double start = now();
            rates[i].loop(turns);
            return now() - start;
        }
    }
    return -1;
}
#endif
