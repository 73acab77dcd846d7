/* A pool of threads that help a caller: it is started when first needed, and lives as long as
 * the process. The threads never touch Python, and handle no signals.
 *
 * One caller uses them at a time; others, calls made inside calls, and children of fork (whose
 * pool is a new one) continue without waiting. The caller works, too, and at once: threads that
 * wake late join or find nothing left, and the caller waits only for those that have joined. */
#ifndef HALFCL_RUN_THREADS_H
#define HALFCL_RUN_THREADS_H

#include "halfcl.h"

typedef struct halfcl_pool halfcl_pool;

/* The threads of one call, until it dismisses them. */
typedef struct {
    halfcl_pool *pool; /* NULL: only the caller */
    int threads;       /* including the caller */
} halfcl_team;

/* Returns how many of the threads that a call of so many would have are awake, so that they
 * join at once; including the caller. */
int halfcl_awake(int threads);

/* Returns a team of so many threads, or as many as are available. */
halfcl_team halfcl_call_team(int threads);

/* Runs parts 0 to parts - 1, each once, in any thread of the team, which have numbers from 0 to
 * threads - 1; returns all the exceptions that the parts return. A thread begins with parts of
 * its own, contiguous and the same each time, so that their data may still be in its cache;
 * then it takes those of others. */
typedef unsigned halfcl_do_part(void *work, size_t part, int thread);
unsigned halfcl_share(const halfcl_team *team, halfcl_do_part *run, void *work, size_t parts);

void halfcl_dismiss_team(const halfcl_team *team);

#endif
