/* A pool of threads; see threads.h.
 *
 * The caller publishes a job in one word: its number, the threads that may join, and how many
 * are at work. A thread joins by adding itself to the word while the job is open, so that none
 * can be at work on a job that its caller has left. */
#include "run/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "run/system.h"
#include "run/ticks.h"

enum { LINE = 64, STACK = 2 << 20, WOKEN_BY_ONE = 4 };

/* The time that a thread stays awake after a job, since the next one is likely to come soon:
 * some times as long as it takes to wake one. */
enum { AWAKE = 100 * TICKS_A_MICROSECOND };

/* The condition variable that one thread sleeps on. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_bool asleep;
} sleeper;

/* The parts that one thread begins with. */
typedef struct {
    _Alignas(LINE) atomic_size_t next;
    size_t end;
} range;

typedef struct {
    _Alignas(LINE) halfcl_pool *pool;
    int number;
    sleeper sleeper;
} worker;

struct halfcl_pool {
    atomic_bool has_caller;
    /* Only the caller uses these. */
    atomic_int threads; /* itself included; others may read it */
    uint64_t jobs;
    int calls_to_wait; /* before more threads are begun */
    /* The job. */
    halfcl_do_part *run;
    void *work;
    atomic_uint flags;
    sleeper caller;
    atomic_bool may_spin; /* there is a processor for each thread */
    _Alignas(LINE) _Atomic uint64_t job;
    _Alignas(LINE) atomic_int idle;
    range ranges[HALFCL_MAX_THREADS];
    worker workers[HALFCL_MAX_THREADS]; /* 0 is the caller */
};

static _Atomic(halfcl_pool *) the_pool;

/* ---------------------------------------------------------------- the word of the job */

enum { THREADS_SHIFT = 16, NUMBER_SHIFT = 32, FIELD = 0xFFFF };

static uint64_t open_job(uint64_t number, int threads)
{
    return number << NUMBER_SHIFT | (uint64_t)threads << THREADS_SHIFT;
}

/* 0: the job is closed. */
static int threads_of(uint64_t job)
{
    return (int)(job >> THREADS_SHIFT & FIELD);
}

static int count_at_work(uint64_t job)
{
    return (int)(job & FIELD);
}

/* *last: the number of the job that the thread has worked on, which it does not join again. */
static bool join(halfcl_pool *pool, int thread, uint64_t *last)
{
    uint64_t job = atomic_load(&pool->job);
    do {
        if (threads_of(job) <= thread || job >> NUMBER_SHIFT == *last)
            return false;
    } while (!atomic_compare_exchange_weak(&pool->job, &job, job + 1));
    *last = job >> NUMBER_SHIFT;
    return true;
}

/* ---------------------------------------------------------------- sleeping
 *
 * A thread that is going to sleep announces it, and then checks its condition once more; a
 * thread that fulfils the condition checks afterwards whether any thread sleeps. So one of the
 * two sees the other. */

static void init_sleeper(sleeper *b)
{
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->wake, NULL);
}

static void wake(sleeper *b)
{
    if (!atomic_load(&b->asleep))
        return;
    pthread_mutex_lock(&b->lock);
    pthread_cond_signal(&b->wake);
    pthread_mutex_unlock(&b->lock);
}

/* Each thread wakes some others, since waking takes time: thread k those from 4 k + 1 on. */
static void wake_others(halfcl_pool *pool, int thread, int threads)
{
    int first = WOKEN_BY_ONE * thread + 1;
    for (int other = first; other < first + WOKEN_BY_ONE && other < threads; other++)
        wake(&pool->workers[other].sleeper);
}

static bool join_within(halfcl_pool *pool, int thread, uint64_t *last, uint64_t time)
{
    uint64_t start = ticks();
    do {
        for (int turn = 0; turn < 32; turn++) {
            if (join(pool, thread, last))
                return true;
            pause_a_little();
        }
    } while (ticks() - start < time);
    return false;
}

static void wait_for_job(halfcl_pool *pool, int thread, uint64_t *last)
{
    sleeper *own = &pool->workers[thread].sleeper;
    if (atomic_load(&pool->may_spin) && join_within(pool, thread, last, AWAKE))
        return;
    pthread_mutex_lock(&own->lock);
    atomic_store(&own->asleep, true);
    while (!join(pool, thread, last))
        pthread_cond_wait(&own->wake, &own->lock);
    atomic_store(&own->asleep, false);
    pthread_mutex_unlock(&own->lock);
}

static void wait_for_others(halfcl_pool *pool)
{
    sleeper *own = &pool->caller;
    uint64_t start = ticks();
    while (atomic_load(&pool->may_spin) && ticks() - start < AWAKE) {
        if (count_at_work(atomic_load(&pool->job)) == 0)
            return;
        pause_a_little();
    }
    pthread_mutex_lock(&own->lock);
    atomic_store(&own->asleep, true);
    while (count_at_work(atomic_load(&pool->job)) > 0)
        pthread_cond_wait(&own->wake, &own->lock);
    atomic_store(&own->asleep, false);
    pthread_mutex_unlock(&own->lock);
}

/* ---------------------------------------------------------------- working */

static unsigned do_parts(halfcl_pool *pool, int thread, int threads)
{
    unsigned flags = 0;
    for (int k = 0; k < threads; k++) {
        range *from = &pool->ranges[(thread + k) % threads];
        while (atomic_load_explicit(&from->next, memory_order_relaxed) < from->end) {
            size_t part = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
            if (part < from->end)
                flags |= pool->run(pool->work, part, thread);
        }
    }
    return flags;
}

static void *work_forever(void *of)
{
    const worker *self = of;
    halfcl_pool *pool = self->pool;
    uint64_t last = 0;
    halfcl_limit_threads(
        1); /* calls made here are not split, and do not ask for a limit, see halfcl.h */
    for (;;) {
        atomic_fetch_add(&pool->idle, 1);
        wait_for_job(pool, self->number, &last);
        atomic_fetch_sub(&pool->idle, 1);
        int threads = threads_of(atomic_load(&pool->job));
        if (threads > 0) { /* otherwise all parts are done */
            wake_others(pool, self->number, threads);
            unsigned flags = do_parts(pool, self->number, threads);
            atomic_fetch_or_explicit(&pool->flags, flags, memory_order_relaxed);
        }
        atomic_fetch_sub(&pool->job, 1);
        wake(&pool->caller);
    }
    return NULL;
}

static void divide_parts(halfcl_pool *pool, size_t parts, int threads)
{
    size_t each = parts / (size_t)threads, more = parts % (size_t)threads, at = 0;
    for (int k = 0; k < threads; k++) {
        atomic_store_explicit(&pool->ranges[k].next, at, memory_order_relaxed);
        at += each + ((size_t)k < more);
        pool->ranges[k].end = at;
    }
}

static unsigned share_with_others(halfcl_pool *pool, int threads, halfcl_do_part *run,
                                  void *work, size_t parts)
{
    pool->run = run;
    pool->work = work;
    atomic_store_explicit(&pool->flags, 0, memory_order_relaxed);
    divide_parts(pool, parts, threads);
    atomic_store(&pool->job, open_job(++pool->jobs, threads));
    wake_others(pool, 0, threads);
    unsigned flags = do_parts(pool, 0, threads);
    atomic_fetch_and(&pool->job, ~((uint64_t)FIELD << THREADS_SHIFT));
    wait_for_others(pool);
    return flags | atomic_load_explicit(&pool->flags, memory_order_relaxed);
}

/* ---------------------------------------------------------------- starting threads */

/* The pool's threads do not exist in the child, which starts a pool of its own when it needs
 * one. The old one may be in any state. */
static void forget_pool(void)
{
    atomic_store(&the_pool, NULL);
}

static bool survives_fork;

static void prepare_for_fork(void)
{
    survives_fork = halfcl_call_in_children(forget_pool);
}

static halfcl_pool *new_pool(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_for_fork);
    halfcl_pool *pool = survives_fork ? halfcl_aligned(LINE, sizeof *pool) : NULL;
    if (!pool)
        return NULL;
    memset(pool, 0, sizeof *pool);
    pool->threads = 1;
    init_sleeper(&pool->caller);
    return pool;
}

static halfcl_pool *find_pool(void)
{
    halfcl_pool *pool = atomic_load(&the_pool), *other = NULL;
    if (pool)
        return pool;
    pool = new_pool();
    if (!pool || atomic_compare_exchange_strong(&the_pool, &other, pool))
        return pool;
    halfcl_free_aligned(pool);
    return other;
}

/* The thread is detached, so that nobody needs to join it, and blocks signals. */
static bool begin_thread(halfcl_pool *pool)
{
    worker *new = &pool->workers[pool->threads];
    pthread_attr_t attributes;
    pthread_t thread;
    new->pool = pool;
    new->number = pool->threads;
    init_sleeper(&new->sleeper);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    bool begun = halfcl_begin_deaf(&thread, &attributes, work_forever, new);
    pthread_attr_destroy(&attributes);
    return begun;
}

/* Starts as many threads as possible. If the system gives no more, the pool tries again some
 * calls later: the shortage may be temporary. */
static void begin_threads(halfcl_pool *pool, int threads)
{
    enum { CALLS_TO_WAIT = 1000 };
    if (pool->calls_to_wait > 0) {
        pool->calls_to_wait--;
        return;
    }
    while (pool->threads < threads && begin_thread(pool))
        pool->threads++;
    if (pool->threads < threads)
        pool->calls_to_wait = CALLS_TO_WAIT;
    atomic_store(&pool->may_spin, pool->threads <= halfcl_usable_processors());
}

halfcl_team halfcl_call_team(int threads)
{
    const halfcl_team alone = {NULL, 1};
    halfcl_pool *pool = threads > 1 ? find_pool() : NULL;
    if (!pool || atomic_exchange(&pool->has_caller, true))
        return alone;
    if (pool->threads < threads)
        begin_threads(pool, threads);
    const halfcl_team team = {pool, threads < pool->threads ? threads : pool->threads};
    if (team.threads > 1)
        return team;
    halfcl_dismiss_team(&team);
    return alone;
}

void halfcl_dismiss_team(const halfcl_team *team)
{
    if (team->pool)
        atomic_store(&team->pool->has_caller, false);
}

int halfcl_idle_threads(void)
{
    halfcl_pool *pool = atomic_load(&the_pool);
    return pool ? atomic_load(&pool->idle) : 0;
}

int halfcl_awake(int threads)
{
    halfcl_pool *pool = atomic_load(&the_pool);
    int begun = pool ? atomic_load_explicit(&pool->threads, memory_order_relaxed) : 1, k = 1;
    threads = threads < begun ? threads : begun;
    while (k < threads &&
           !atomic_load_explicit(&pool->workers[k].sleeper.asleep, memory_order_relaxed))
        k++;
    return k;
}

unsigned halfcl_share(const halfcl_team *team, halfcl_do_part *run, void *work, size_t parts)
{
    int threads = parts < (size_t)team->threads ? (int)parts : team->threads;
    if (threads > 1)
        return share_with_others(team->pool, threads, run, work, parts);
    unsigned flags = 0;
    for (size_t part = 0; part < parts; part++)
        flags |= run(work, part, 0);
    return flags;
}
