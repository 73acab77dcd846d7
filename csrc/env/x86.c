/* The floating-point environment of x86-64: MXCSR, which rounds what SSE and AVX compute. */
#include "env/env.h"

#ifdef HALFCL_X86

#include <immintrin.h>

/* MXCSR: exceptions in bits 0 to 5, their masks in 7 to 12, rounding in 13 and 14. FTZ
 * (bit 15) and DAZ (bit 6) stay clear. Inexact (bit 5), which is not reported, stays set, as it
 * nearly always is: each change of these bits takes the processor some hundred cycles. Writing
 * takes some twenty, as long as a kernel takes for a few elements: nothing is written that is
 * there but for inexact, which the caller may therefore find set. */
enum { MXCSR_MASKS = 0x1f80, MXCSR_INEXACT = 0x20, MXCSR_ROUNDING = 13 };

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    static const unsigned control[] = {
        [HALFCL_RTE] = 0,
        [HALFCL_RTN] = 1,
        [HALFCL_RTP] = 2,
        [HALFCL_RTZ] = 3,
    };
    unsigned saved = _mm_getcsr(), wanted = MXCSR_MASKS | control[mode] << MXCSR_ROUNDING;
    env->saved[0] = saved;
    if ((saved & ~(unsigned)MXCSR_INEXACT) != wanted)
        _mm_setcsr(wanted | MXCSR_INEXACT);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    unsigned status = _mm_getcsr();
    if ((status ^ (unsigned)env->saved[0]) & ~(unsigned)MXCSR_INEXACT)
        _mm_setcsr((unsigned)env->saved[0]);
    return (status & 1 ? HALFCL_INVALID : 0) | (status & 4 ? HALFCL_DIVBYZERO : 0) |
           (status & 8 ? HALFCL_OVERFLOW : 0) | (status & 16 ? HALFCL_UNDERFLOW : 0);
}

void halfcl_watch_inexact(void)
{
    unsigned status = _mm_getcsr();
    if (status & MXCSR_INEXACT) /* to read costs next to nothing, to write much */
        _mm_setcsr(status & ~(unsigned)MXCSR_INEXACT);
}

bool halfcl_was_inexact(void)
{
    return _mm_getcsr() & MXCSR_INEXACT;
}

#endif
