/* Decides when to split a call, and into how many parts. */
#include "run/splitting.h"
#include "run/threads.h"

#include "run/ticks.h"

/* The number of elements that are timed. */
enum { SAMPLE = 1 << 11 };

/* The rest is split if it takes this long and threads are awake. Waking them costs a caller one
 * or two microseconds, and is worth it for a sequence of calls that together take much longer:
 * if the calls follow each other soon, threads stay awake between them. */
enum { WORTH_SPLITTING = 8 * TICKS_A_MICROSECOND, WORTH_WAKING = 80 * TICKS_A_MICROSECOND };

/* Parts take at least so long, and are multiples of so many elements, so that threads write to
 * different lines of the cache, and vectors are the same as in one part. */
enum { SHORTEST_PART = 3 * TICKS_A_MICROSECOND, MULTIPLE = 1 << 10 };

/* Each thread gets several parts, so that slower threads leave some to others. */
enum { PARTS_A_THREAD = 16 };

/* The least time per element, in 2^-4 ticks, used if the measurement is too short. */
enum { LEAST_TIME = 2, LEAST_TIME_SHIFT = 4 };

static size_t at_least(size_t n, size_t least)
{
    return n < least ? least : n;
}

/* Rounded up; d > 0. */
static size_t quotient(size_t n, size_t d)
{
    return n / d + (n % d != 0);
}

/* Items from first on, in parts of so many. */
typedef struct {
    const halfcl_divisible *call;
    size_t first, each;
} parts;

static unsigned run_part(void *of, size_t part, int thread)
{
    const parts *p = of;
    size_t first = p->first + part * p->each, remaining = p->call->items - first;
    return p->call->run(p->call->work, first, remaining < p->each ? remaining : p->each,
                        thread);
}

static unsigned share_parts(const halfcl_divisible *call, size_t first, size_t each,
                            const halfcl_team *team)
{
    parts p = {call, first, each};
    return halfcl_share(team, run_part, &p, quotient(call->items - first, each));
}

static unsigned run_rest(const halfcl_divisible *call, size_t first, size_t each, int threads)
{
    const halfcl_team team = halfcl_call_team(threads);
    unsigned flags = team.threads > 1 ? share_parts(call, first, each, &team)
                                      : call->run(call->work, first, call->items - first, 0);
    halfcl_dismiss_team(&team);
    return flags;
}

/* Returns how many of the remaining items to put into a part, given that some items took that
 * time. */
static size_t items_of_part(size_t weight, size_t remaining, int threads, size_t some,
                            uint64_t time)
{
    size_t multiple = at_least(MULTIPLE / weight, 1), shortest = SHORTEST_PART * some / time;
    size_t each = at_least(quotient(remaining, PARTS_A_THREAD * (size_t)threads), shortest);
    return quotient(at_least(each, 1), multiple) * multiple;
}

/* The time of this thread's calls that were not worth waking others. */
static _Thread_local uint64_t time_alone;

/* Returns how many of the possible threads a call of this duration should use: those that are
 * awake, or all. */
static int threads_worth(uint64_t time, int threads)
{
    int awake = time < WORTH_SPLITTING ? 1 : halfcl_awake(threads);
    if (time < WORTH_SPLITTING || awake == threads)
        return awake;
    time_alone += time;
    if (time_alone < WORTH_WAKING)
        return awake;
    time_alone = 0;
    return threads;
}

unsigned halfcl_run_divided(const halfcl_divisible *call, int threads)
{
    size_t items = call->items, weight = at_least(call->weight, 1);
    size_t sample = quotient(SAMPLE, weight), grain = atomic_load(&halfcl_forced_grain);
    unsigned flags = 0;
    if (threads < 2 || items < 2)
        return call->run(call->work, 0, items, 0);
    if (grain > 0)
        return run_rest(call, 0, at_least(grain / weight, 1), threads);
    uint64_t time = sample * weight * LEAST_TIME >> LEAST_TIME_SHIFT;
    size_t done = 0;
    if (sample <= items / 8) {
        uint64_t start = ticks();
        flags = call->run(call->work, 0, sample, 0);
        uint64_t elapsed = ticks() - start;
        time = elapsed > time ? elapsed : time;
        done = sample;
    }
    size_t remaining = items - done;
    size_t each = items_of_part(weight, remaining, threads, sample, time);
    size_t parts = quotient(remaining, each);
    threads = threads_worth(remaining / sample * time,
                            parts < (size_t)threads ? (int)parts : threads);
    return flags | run_rest(call, done, each, threads);
}

bool halfcl_may_split_from(size_t elements, size_t from)
{
    return halfcl_may_split(elements) && halfcl_get_threads() > 1 &&
           (elements >= from || atomic_load(&halfcl_forced_grain) > 0);
}

size_t halfcl_stretch(size_t elements, int threads)
{
    size_t grain = atomic_load(&halfcl_forced_grain);
    size_t each = quotient(elements, PARTS_A_THREAD * (size_t)threads);
    return grain > 0 ? grain : quotient(at_least(each, 1), MULTIPLE) * MULTIPLE;
}

bool halfcl_are_nested(ptrdiff_t inner, size_t count, ptrdiff_t outer, size_t size)
{
    ptrdiff_t least = (ptrdiff_t)size;
    inner = inner < 0 ? -inner : inner;
    outer = outer < 0 ? -outer : outer;
    return (count == 1 || inner >= least) && outer >= inner * (ptrdiff_t)(count - 1) + least;
}
