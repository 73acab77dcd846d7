/* Threads that help a caller: a pool of them, begun when first needed, which lives as long as
 * the process. They never touch Python, and take no signals.
 *
 * One caller has them at a time; others, calls made by calls, and children of fork (whose pool
 * is a new one) get on without waiting for anybody. The caller works, too, and at once: threads
 * that wake late join in or find nothing left, and it waits for those alone that have joined.
 */
#ifndef HALFCL_RUN_THREADS_H
#define HALFCL_RUN_THREADS_H

#include "halfcl.h"

typedef struct halfcl_pool halfcl_pool;

/* Threads of one call, until it lets them go. */
typedef struct {
    halfcl_pool *pool; /* NULL: the caller alone */
    int threads;       /* the caller included */
} halfcl_team;

/* How many of those that a call of so many would have are awake, so that they join at once; the
 * caller included. */
int halfcl_awake(int threads);

/* So many threads if they can be had. */
halfcl_team halfcl_call_team(int threads);

/* Does parts 0 to parts - 1, each once, by any thread of the team, which have numbers from 0 to
 * threads - 1; returns all the exceptions that they return. A thread begins with parts of its
 * own, those next to each other, the same each time, so that their data may still be in its
 * cache; then it takes others'. */
typedef unsigned halfcl_do_part(void *work, size_t part, int thread);
unsigned halfcl_share(const halfcl_team *team, halfcl_do_part *run, void *work, size_t parts);

void halfcl_dismiss_team(const halfcl_team *team);

#endif
