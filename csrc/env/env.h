/* The floating-point environment around kernels (halfcl_enter and halfcl_leave of halfcl.h),
 * and exceptions raised in the caller's (halfcl_raise). There is a file for each architecture:
 * x86.c, arm.c, and generic.c, which uses C's functions, for others.
 *
 * Between enter and leave nothing traps, subnormals are kept whatever the caller's mode for
 * them is, and no exception is pending. The processor rounds in the given mode, if the
 * architecture's file says so, or to nearest. Each vocabulary says which of the two it needs:
 * the portable one accepts either, since it rounds by itself and relies on the hardware for
 * invalid and division by zero only.
 *
 * leave restores the caller's environment, with the exceptions that were pending there (and
 * perhaps some that are not reported), and returns the exceptions since enter, as far as the
 * hardware records them reliably. */
#ifndef HALFCL_ENV_H
#define HALFCL_ENV_H

#include "halfcl.h"

#if defined(__GNUC__) || defined(__clang__)
#if defined(__x86_64__)
#define HALFCL_X86 1
#if defined(__clang__) ? __clang_major__ >= 19 : __GNUC__ >= 12
#define HALFCL_X86_FP16 1 /* compilers that support AVX512-FP16 */
#endif
#elif defined(__aarch64__)
#define HALFCL_ARM 1
#endif
#endif

#ifdef HALFCL_X86
#include <xmmintrin.h> /* all of <immintrin.h> costs the compiler half a second per file */

/* MXCSR controls the rounding of SSE and AVX: exceptions in bits 0 to 5, their masks in 7 to
 * 12, rounding in 13 and 14. FTZ (bit 15) and DAZ (bit 6) stay clear. Inexact (bit 5), which is
 * not reported, stays set, as it nearly always is: each change of these bits costs the
 * processor some hundred cycles. A write costs some twenty, as long as a kernel takes for a few
 * elements; so MXCSR is not written if only inexact and the denormal operand (bit 1) would
 * change, which C does not know and so nobody clears. The caller may find these two set. */
enum {
    MXCSR_MASKS = 0x1f80,
    MXCSR_INVALID = 0x01,
    MXCSR_INEXACT = 0x20,
    MXCSR_UNREPORTED = 0x22,
    MXCSR_ROUNDING = 13
};

/* Returns MXCSR as it is between enter and leave, except for the bits that are not reported. */
static inline unsigned halfcl_mxcsr(halfcl_rounding mode)
{
    const unsigned controls = 0 << 2 * HALFCL_RTE | 1 << 2 * HALFCL_RTN | 2 << 2 * HALFCL_RTP |
                              3 << 2 * HALFCL_RTZ; /* two bits each */
    return MXCSR_MASKS | (controls >> 2 * mode & 3) << MXCSR_ROUNDING;
}

/* Returns whether halfcl_enter would change nothing. Code that runs without it leaves its
 * exceptions pending for the caller. On other architectures, where the check costs as much as
 * entering, it returns false. */
static inline bool halfcl_is_entered(halfcl_rounding mode)
{
    return (_mm_getcsr() & ~(unsigned)MXCSR_UNREPORTED) == halfcl_mxcsr(mode);
}

/* Returns HALFCL_* exceptions as MXCSR has them: the denormal operand's bit is between the
 * first two. */
static inline unsigned halfcl_mxcsr_exceptions(unsigned exceptions)
{
    return (exceptions & 1) | (exceptions & 0xe) << 1;
}

/* Clears pending exceptions. */
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

/* halfcl_watch_inexact, between enter and leave, clears the record of inexact;
 * halfcl_was_inexact returns whether the hardware has recorded it since, and true if it cannot
 * tell. */
void halfcl_watch_inexact(void);
bool halfcl_was_inexact(void);

/* Returns whether the hardware has recorded an invalid operation since halfcl_enter, and true
 * if it cannot tell. */
bool halfcl_was_invalid(void);

#endif
