/* Time as it takes least time to ask for. */
#ifndef HALFCL_RUN_TICKS_H
#define HALFCL_RUN_TICKS_H

#include "env/env.h"

#ifdef HALFCL_X86
/* Processors count from 2 to 4; nothing here needs to know better. */
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

/* So that another thread of the same core gets on while this one waits. */
static inline void pause_a_little(void)
{
#if defined HALFCL_X86
    _mm_pause();
#elif defined HALFCL_ARM
    __asm__ volatile("yield");
#endif
}

#endif
