/* See system.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "run/system.h"

#ifdef _WIN32

#include <malloc.h>
#include <windows.h>

void *halfcl_aligned(size_t alignment, size_t size)
{
    return _aligned_malloc(size, alignment);
}

void halfcl_free_aligned(void *memory)
{
    _aligned_free(memory);
}

/* Counts those of the group of at most 64 that the process is in, as Windows defines it. */
int halfcl_usable_processors(void)
{
    DWORD_PTR usable, all;
    if (GetProcessAffinityMask(GetCurrentProcess(), &usable, &all) && usable != 0)
        return __builtin_popcountll(usable);
    return 1;
}

/* Windows has no fork. */
bool halfcl_call_in_children(void (*call)(void))
{
    (void)call;
    return true;
}

/* Windows has no signals that a thread could handle. */
bool halfcl_begin_deaf(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*run)(void *), void *argument)
{
    return pthread_create(thread, attributes, run, argument) == 0;
}

#else

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void *halfcl_aligned(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

void halfcl_free_aligned(void *memory)
{
    free(memory);
}

int halfcl_usable_processors(void)
{
#ifdef __linux__
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) == 0)
        return CPU_COUNT(&usable);
#endif
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

bool halfcl_call_in_children(void (*call)(void))
{
    return pthread_atfork(NULL, NULL, call) == 0;
}

bool halfcl_begin_deaf(pthread_t *thread, const pthread_attr_t *attributes,
                       void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool begun = pthread_create(thread, attributes, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}

#endif
