/* The fastest clock available. */
#ifndef HALFCL_RUN_TICKS_H
#define HALFCL_RUN_TICKS_H

#include "env/env.h"

#ifdef HALFCL_X86
/* Processors count 2 to 4 per nanosecond; nothing here needs a more precise number. */
enum { TICKS_A_MICROSECOND = 2500 };

static inline uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc(); /* as in env.h, without <x86intrin.h> */
}
#else
#include <time.h>

enum { TICKS_A_MICROSECOND = 1000 };

static inline uint64_t ticks(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#endif

/* Lets another thread of the same core run while this one waits. */
static inline void pause_a_little(void)
{
#if defined HALFCL_X86
    _mm_pause();
#elif defined HALFCL_ARM
    __asm__ volatile("yield");
#endif
}

#endif
