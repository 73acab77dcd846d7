/* What the pool needs of the system beside POSIX threads, which MinGW has on Windows, too. */
#ifndef HALFCL_RUN_SYSTEM_H
#define HALFCL_RUN_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Memory that starts at a multiple of alignment, which size is, too. NULL: there is none. */
void *halfcl_aligned(size_t alignment, size_t size);
void halfcl_free_aligned(void *memory);

/* How many processors this process may run on. */
int halfcl_usable_processors(void);

/* Has every child of fork call it first. False: that cannot be had. */
bool halfcl_call_in_children(void (*call)(void));

/* A thread which no signal is handled in. */
bool halfcl_begin_deaf(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*run)(void *), void *argument);

#endif
