/* The floating-point environment of x86-64: MXCSR, which controls SSE and AVX. */
#include "env/env.h"

#ifdef HALFCL_X86

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    unsigned saved = _mm_getcsr(), wanted = halfcl_mxcsr(mode);
    env->saved[0] = saved;
    if ((saved & ~(unsigned)MXCSR_UNREPORTED) != wanted)
        _mm_setcsr(wanted | MXCSR_INEXACT);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    unsigned status = _mm_getcsr();
    if ((status ^ (unsigned)env->saved[0]) & ~(unsigned)MXCSR_UNREPORTED)
        _mm_setcsr((unsigned)env->saved[0]);
    return (status & 1 ? HALFCL_INVALID : 0) | (status & 4 ? HALFCL_DIVBYZERO : 0) |
           (status & 8 ? HALFCL_OVERFLOW : 0) | (status & 16 ? HALFCL_UNDERFLOW : 0);
}

/* feraiseexcept does not serve here: MinGW's raises exceptions in the x87's status word only,
 * whereas NumPy on Windows reads MXCSR. */
void halfcl_raise(unsigned flags)
{
    unsigned status = _mm_getcsr(), bits = halfcl_mxcsr_exceptions(flags);
    if (bits & ~status)
        _mm_setcsr(status | bits);
}

void halfcl_watch_inexact(void)
{
    unsigned status = _mm_getcsr();
    if (status & MXCSR_INEXACT) /* reading costs next to nothing, writing much */
        _mm_setcsr(status & ~(unsigned)MXCSR_INEXACT);
}

bool halfcl_was_inexact(void)
{
    return _mm_getcsr() & MXCSR_INEXACT;
}

bool halfcl_was_invalid(void)
{
    return _mm_getcsr() & MXCSR_INVALID;
}

#endif
