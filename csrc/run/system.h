/* Functions of the operating system that the pool needs besides POSIX threads, which MinGW has
 * on Windows, too. */
#ifndef HALFCL_RUN_SYSTEM_H
#define HALFCL_RUN_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns memory that starts at a multiple of alignment; size must be one, too. NULL: there is
 * no memory. */
void *halfcl_aligned(size_t alignment, size_t size);
void halfcl_free_aligned(void *memory);

/* Returns how many processors this process may run on. */
int halfcl_usable_processors(void);

/* Registers a function that every child of fork calls first. Returns false if that is not
 * supported. */
bool halfcl_call_in_children(void (*call)(void));

/* Starts a thread that handles no signals. */
bool halfcl_begin_deaf(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*run)(void *), void *argument);

#endif
