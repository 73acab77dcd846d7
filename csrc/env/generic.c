/* The floating-point environment of other processors, by the functions of C. */
#include "env/env.h"

#if !defined HALFCL_X86 && !defined HALFCL_ARM

#include <fenv.h>
#include <string.h>

/* Here the kernels are the portable ones. Those of halves are right if the processor rounds in
 * the mode or to nearest; those of floats and doubles need the mode, as far as C has it. The
 * processor's exceptions other than invalid and division by zero may come from intermediate
 * steps. */

_Static_assert(sizeof(fenv_t) <= sizeof(halfcl_env), "halfcl_env holds a fenv_t");

static void set_rounding(halfcl_rounding mode)
{
    (void)mode;
#ifdef FE_TOWARDZERO
    if (mode == HALFCL_RTZ)
        fesetround(FE_TOWARDZERO);
#endif
#ifdef FE_UPWARD
    if (mode == HALFCL_RTP)
        fesetround(FE_UPWARD);
#endif
#ifdef FE_DOWNWARD
    if (mode == HALFCL_RTN)
        fesetround(FE_DOWNWARD);
#endif
}

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    fenv_t saved;
    fegetenv(&saved);
    memcpy(env, &saved, sizeof saved);
    fesetenv(FE_DFL_ENV);
    feclearexcept(FE_ALL_EXCEPT);
    set_rounding(mode);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    unsigned flags = 0;
#ifdef FE_INVALID
    if (fetestexcept(FE_INVALID))
        flags |= HALFCL_INVALID;
#endif
#ifdef FE_DIVBYZERO
    if (fetestexcept(FE_DIVBYZERO))
        flags |= HALFCL_DIVBYZERO;
#endif
    fenv_t saved;
    memcpy(&saved, env, sizeof saved);
    fesetenv(&saved);
    return flags;
}

void halfcl_raise(unsigned flags)
{
    int excepts = 0;
    excepts |= flags & HALFCL_INVALID ? FE_INVALID : 0;
    excepts |= flags & HALFCL_DIVBYZERO ? FE_DIVBYZERO : 0;
    excepts |= flags & HALFCL_OVERFLOW ? FE_OVERFLOW : 0;
    excepts |= flags & HALFCL_UNDERFLOW ? FE_UNDERFLOW : 0;
    if (excepts)
        feraiseexcept(excepts);
}

void halfcl_watch_inexact(void)
{
#ifdef FE_INEXACT
    feclearexcept(FE_INEXACT);
#endif
}

bool halfcl_was_inexact(void)
{
#ifdef FE_INEXACT
    return fetestexcept(FE_INEXACT);
#else
    return true;
#endif
}

bool halfcl_was_invalid(void)
{
    return true; /* processors differ in the NaNs that are invalid */
}

#endif
