/* Determines how many threads a call may use, and which calls are split at all. */
#include "run/limits.h"

/* Calls of fewer elements are too fast to be split, and measuring would slow them down. */
enum { SPLIT_FROM = 1 << 16 };

atomic_size_t halfcl_always_whole = SIZE_MAX;
atomic_size_t halfcl_forced_grain;

static atomic_int shared_limit = 1;
static _Thread_local int thread_limit;
static _Thread_local bool has_asked;
static int (*_Atomic limit_callback)(void);

static int clamp(int n, int least)
{
    return n < least ? least : n > HALFCL_MAX_THREADS ? HALFCL_MAX_THREADS : n;
}

/* Repeats if another thread has changed a setting meanwhile. */
static void find_always_whole(void)
{
    int threads;
    size_t grain;
    do {
        threads = atomic_load(&shared_limit);
        grain = atomic_load(&halfcl_forced_grain);
        size_t first = grain == 0 ? SPLIT_FROM : grain < SIZE_MAX / 2 ? 2 * grain : SIZE_MAX;
        atomic_store(&halfcl_always_whole, threads > 1 ? first - 1 : SIZE_MAX);
    } while (threads != atomic_load(&shared_limit) ||
             grain != atomic_load(&halfcl_forced_grain));
}

void halfcl_set_threads(int n)
{
    atomic_store(&shared_limit, clamp(n, 1));
    find_always_whole();
}

void halfcl_set_grain(size_t elements)
{
    atomic_store(&halfcl_forced_grain, elements);
    find_always_whole();
}

int halfcl_limit_threads(int n)
{
    int before = thread_limit;
    thread_limit = clamp(n, 0);
    return before;
}

void halfcl_ask_threads(int (*limit)(void))
{
    atomic_store(&limit_callback, limit);
}

static void ask_for_limit(void)
{
    int (*limit)(void) = atomic_load(&limit_callback);
    if (!limit || has_asked)
        return;
    has_asked = true;
    thread_limit = clamp(limit(), 0);
}

int halfcl_get_threads(void)
{
    int all = atomic_load_explicit(&shared_limit, memory_order_relaxed);
    if (all > 1 && thread_limit == 0)
        ask_for_limit();
    return thread_limit > 0 && thread_limit < all ? thread_limit : all;
}
