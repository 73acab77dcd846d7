/* The floating-point environment of a test, in which the engine is called. It is set through
 * the processor's registers, since C libraries need not set them all: fesetenv and
 * feraiseexcept of MinGW set the x87's, which computes nothing here, and leave MXCSR as it
 * is. */
#ifndef HALFCL_TEST_CALLER_H
#define HALFCL_TEST_CALLER_H

#include "env/env.h"

#if defined HALFCL_X86

/* MXCSR: the usual environment; another rounding; DAZ and FTZ. And the exceptions, with the
 * denormal operand, which C does not know. */
enum {
    CALLER_USUAL = 0x1f80,
    CALLER_DOWNWARD = CALLER_USUAL | 1 << 13,
    CALLER_UPWARD = CALLER_USUAL | 2 << 13,
    CALLER_TOWARD_0 = CALLER_USUAL | 3 << 13,
    CALLER_FLUSHING = 1 << 6 | 1 << 15,
    CALLER_INVALID = 1,
    CALLER_DIVBYZERO = 4,
    CALLER_OVERFLOW = 8,
    CALLER_UNDERFLOW = 16,
    CALLER_EXCEPTIONS = 0x1f
};

/* Returns everything but the exceptions. */
static inline uint64_t caller_control(void)
{
    return _mm_getcsr() & ~0x3fu;
}

/* Returns the pending exceptions. */
static inline unsigned caller_exceptions(void)
{
    return _mm_getcsr() & CALLER_EXCEPTIONS;
}

static inline void set_caller(uint64_t control, unsigned exceptions)
{
    _mm_setcsr((unsigned)control | exceptions);
}

#elif defined HALFCL_ARM

/* FPCR, where FZ16, FZ, DN and AHP change subnormals and NaNs, and FPSR. */
enum {
    CALLER_USUAL = 0,
    CALLER_UPWARD = 1 << 22,
    CALLER_DOWNWARD = 2 << 22,
    CALLER_TOWARD_0 = 3 << 22,
    CALLER_FLUSHING = 1 << 19 | 1 << 24 | 1 << 25 | 1 << 26,
    CALLER_INVALID = 1,
    CALLER_DIVBYZERO = 2,
    CALLER_OVERFLOW = 4,
    CALLER_UNDERFLOW = 8,
    CALLER_EXCEPTIONS = 0xf
};

static inline uint64_t caller_control(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

static inline unsigned caller_exceptions(void)
{
    uint64_t fpsr;
    __asm__ volatile("mrs %0, fpsr" : "=r"(fpsr));
    return (unsigned)fpsr & CALLER_EXCEPTIONS;
}

static inline void set_caller(uint64_t control, unsigned exceptions)
{
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1"
                     :
                     : "r"(control), "r"((uint64_t)exceptions));
}

#else

#include <fenv.h>

/* The environments that C supports. */
enum {
    CALLER_USUAL = FE_TONEAREST,
    CALLER_DOWNWARD = FE_DOWNWARD,
    CALLER_UPWARD = FE_UPWARD,
    CALLER_TOWARD_0 = FE_TOWARDZERO,
    CALLER_FLUSHING = 0,
    CALLER_INVALID = FE_INVALID,
    CALLER_DIVBYZERO = FE_DIVBYZERO,
    CALLER_OVERFLOW = FE_OVERFLOW,
    CALLER_UNDERFLOW = FE_UNDERFLOW,
    CALLER_EXCEPTIONS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW
};

static inline uint64_t caller_control(void)
{
    return (uint64_t)fegetround();
}

static inline unsigned caller_exceptions(void)
{
    return (unsigned)fetestexcept(CALLER_EXCEPTIONS);
}

static inline void set_caller(uint64_t control, unsigned exceptions)
{
    feclearexcept(FE_ALL_EXCEPT);
    fesetround((int)control);
    feraiseexcept((int)exceptions);
}

#endif

/* Returns the pending exceptions, as the engine names them. */
static inline unsigned caller_pending(void)
{
    unsigned seen = caller_exceptions();
    return (seen & CALLER_INVALID ? HALFCL_INVALID : 0) |
           (seen & CALLER_DIVBYZERO ? HALFCL_DIVBYZERO : 0) |
           (seen & CALLER_OVERFLOW ? HALFCL_OVERFLOW : 0) |
           (seen & CALLER_UNDERFLOW ? HALFCL_UNDERFLOW : 0);
}

#endif
