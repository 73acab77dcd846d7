/* Determines how many threads a call may use, and which calls are split at all. */
#include "run/limits.h"

/* Calls of fewer elements are too fast to be split, and measuring would slow them down. */
enum { SPLIT_FROM = 1 << 16 };

atomic_size_t halfcl_always_whole = SIZE_MAX;
atomic_size_t halfcl_forced_grain;

static atomic_int threads_of_all = 1;
static _Thread_local int limit_of_this;
static _Thread_local bool asked_of_this;
static int (*_Atomic limit_asked_for)(void);

static int clamped(int n, int least)
{
    return n < least ? least : n > HALFCL_MAX_THREADS ? HALFCL_MAX_THREADS : n;
}

/* Repeats if another thread has changed a setting meanwhile. */
static void find_always_whole(void)
{
    int threads;
    size_t grain;
    do {
        threads = atomic_load(&threads_of_all);
        grain = atomic_load(&halfcl_forced_grain);
        size_t first = grain == 0 ? SPLIT_FROM : grain < SIZE_MAX / 2 ? 2 * grain : SIZE_MAX;
        atomic_store(&halfcl_always_whole, threads > 1 ? first - 1 : SIZE_MAX);
    } while (threads != atomic_load(&threads_of_all) ||
             grain != atomic_load(&halfcl_forced_grain));
}

void halfcl_set_threads(int n)
{
    atomic_store(&threads_of_all, clamped(n, 1));
    find_always_whole();
}

void halfcl_set_grain(size_t elements)
{
    atomic_store(&halfcl_forced_grain, elements);
    find_always_whole();
}

int halfcl_limit_threads(int n)
{
    int before = limit_of_this;
    limit_of_this = clamped(n, 0);
    return before;
}

void halfcl_ask_threads(int (*limit)(void))
{
    atomic_store(&limit_asked_for, limit);
}

static void ask_this(void)
{
    int (*limit)(void) = atomic_load(&limit_asked_for);
    if (!limit || asked_of_this)
        return;
    asked_of_this = true;
    limit_of_this = clamped(limit(), 0);
}

int halfcl_get_threads(void)
{
    int all = atomic_load_explicit(&threads_of_all, memory_order_relaxed);
    if (all > 1 && limit_of_this == 0)
        ask_this();
    return limit_of_this > 0 && limit_of_this < all ? limit_of_this : all;
}
