/* The floating-point environment of AArch64: FPCR controls rounding, and FPSR records
 * exceptions. */
#include "env/env.h"

#ifdef HALFCL_ARM

/* FPCR has the rounding mode in bits 22 and 23. All other bits stay clear: FZ (24) and FZ16
 * (19), which flush subnormals to zero, DN (25), which drops the payload of NaNs, AHP (26),
 * which has no infinities in half, and the traps (8 to 12, 15). */
enum { FPCR_ROUNDING = 22 };

/* FPSR has exceptions in bits 0 to 4 and 7, and in bit 27 whether integers were saturated.
 * Inexact is not reported and nearly always set. Writing these registers takes as long as a
 * kernel takes for a few elements; so they are not written if only inexact would change, and
 * the caller may find that bit set. */
enum {
    FPSR_INVALID = 1,
    FPSR_DIVBYZERO = 2,
    FPSR_OVERFLOW = 4,
    FPSR_UNDERFLOW = 8,
    FPSR_INEXACT = 16
};

static uint64_t control(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

static void set_control(uint64_t fpcr)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr));
}

static uint64_t status(void)
{
    uint64_t fpsr;
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr));
    return fpsr;
}

static void set_status(uint64_t fpsr)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(fpsr));
}

void halfcl_enter(halfcl_env *env, halfcl_rounding mode)
{
    static const uint64_t rounding[] = {
        [HALFCL_RTE] = 0,
        [HALFCL_RTP] = 1,
        [HALFCL_RTN] = 2,
        [HALFCL_RTZ] = 3,
    };
    uint64_t wanted = rounding[mode] << FPCR_ROUNDING;
    env->saved[0] = control();
    env->saved[1] = status();
    if (env->saved[0] != wanted)
        set_control(wanted);
    if (env->saved[1] & ~(uint64_t)FPSR_INEXACT)
        set_status(0);
}

unsigned halfcl_leave(const halfcl_env *env)
{
    uint64_t seen = status();
    if (control() != env->saved[0])
        set_control(env->saved[0]);
    if ((seen ^ env->saved[1]) & ~(uint64_t)FPSR_INEXACT)
        set_status(env->saved[1]);
    return (seen & FPSR_INVALID ? HALFCL_INVALID : 0) |
           (seen & FPSR_DIVBYZERO ? HALFCL_DIVBYZERO : 0) |
           (seen & FPSR_OVERFLOW ? HALFCL_OVERFLOW : 0) |
           (seen & FPSR_UNDERFLOW ? HALFCL_UNDERFLOW : 0);
}

void halfcl_raise(unsigned flags)
{
    uint64_t seen = status(), bits = (flags & HALFCL_INVALID ? FPSR_INVALID : 0) |
                                     (flags & HALFCL_DIVBYZERO ? FPSR_DIVBYZERO : 0) |
                                     (flags & HALFCL_OVERFLOW ? FPSR_OVERFLOW : 0) |
                                     (flags & HALFCL_UNDERFLOW ? FPSR_UNDERFLOW : 0);
    if (bits & ~seen)
        set_status(seen | bits);
}

void halfcl_watch_inexact(void)
{
    uint64_t seen = status();
    if (seen & FPSR_INEXACT)
        set_status(seen & ~(uint64_t)FPSR_INEXACT);
}

bool halfcl_was_inexact(void)
{
    return status() & FPSR_INEXACT;
}

bool halfcl_was_invalid(void)
{
    return status() & FPSR_INVALID;
}

#endif
