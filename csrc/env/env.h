/* The floating-point environment around kernels (halfcl_enter and halfcl_leave of halfcl.h),
 * and exceptions raised in the caller's (halfcl_raise), a file for each architecture: x86.c,
 * arm.c, and generic.c with what C has for others.
 *
 * Between enter and leave nothing traps, subnormals are kept whatever the caller's mode for
 * them is, and no exception is pending. The processor rounds in the mode given, if its file
 * says so, or to nearest. A vocabulary says which of the two it needs: the portable one takes
 * either, as it rounds by itself, and leaves to the hardware invalid and division by zero
 * alone.
 *
 * leave gives back the caller's environment, with the exceptions that were pending there (and
 * perhaps some that are not reported), and returns the exceptions since enter, so far as the
 * hardware records them reliably. */
#ifndef HALFCL_ENV_H
#define HALFCL_ENV_H

#include "halfcl.h"

#if defined(__GNUC__) || defined(__clang__)
#if defined(__x86_64__)
#define HALFCL_X86 1
#if defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 12
#define HALFCL_X86_FP16 1 /* compilers that know AVX512-FP16 */
#endif
#elif defined(__aarch64__)
#define HALFCL_ARM 1
#endif
#endif

#ifdef HALFCL_X86
#include <xmmintrin.h> /* all of <immintrin.h> takes a compiler half a second a file */

/* MXCSR rounds what SSE and AVX compute: exceptions in bits 0 to 5, their masks in 7 to 12,
 * rounding in 13 and 14. FTZ (bit 15) and DAZ (bit 6) stay clear. Inexact (bit 5), which is not
 * reported, stays set, as it nearly always is: each change of these bits takes the processor
 * some hundred cycles. Writing takes some twenty, as long as a kernel takes for a few elements:
 * nothing is written that is there but for inexact and the denormal operand (bit 1), which C
 * does not know and so nobody clears. The caller may therefore find them set. */
enum {
    MXCSR_MASKS = 0x1f80,
    MXCSR_INEXACT = 0x20,
    MXCSR_UNREPORTED = 0x22,
    MXCSR_ROUNDING = 13
};

/* What it is within, but for what is not reported. */
static inline unsigned halfcl_mxcsr(halfcl_rounding mode)
{
    const unsigned controls = 0 << 2 * HALFCL_RTE | 1 << 2 * HALFCL_RTN | 2 << 2 * HALFCL_RTP |
                              3 << 2 * HALFCL_RTZ; /* two bits each */
    return MXCSR_MASKS | (controls >> 2 * mode & 3) << MXCSR_ROUNDING;
}

/* Whether enter would change nothing. What runs without it then leaves its exceptions pending
 * for the caller. Elsewhere, where this is no cheaper than to enter, it is false. */
static inline bool halfcl_is_entered(halfcl_rounding mode)
{
    return (_mm_getcsr() & ~(unsigned)MXCSR_UNREPORTED) == halfcl_mxcsr(mode);
}

/* HALFCL_* as MXCSR has them, with the denormal operand between the first two. */
static inline unsigned halfcl_mxcsr_exceptions(unsigned exceptions)
{
    return (exceptions & 1) | (exceptions & 0xe) << 1;
}

/* Makes these no longer pending. */
static inline void halfcl_forget(unsigned exceptions)
{
    unsigned status = _mm_getcsr(), bits = halfcl_mxcsr_exceptions(exceptions);
    if (status & bits)
        _mm_setcsr(status & ~bits);
}
#else
static inline bool halfcl_is_entered(halfcl_rounding mode)
{
    (void)mode;
    return false;
}

static inline void halfcl_forget(unsigned exceptions)
{
    (void)exceptions;
}
#endif

/* Between enter and leave: the hardware is to record inexact anew; and whether it has, which is
 * true where that cannot be known. */
void halfcl_watch_inexact(void);
bool halfcl_was_inexact(void);

#endif
