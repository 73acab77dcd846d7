/* The floating-point environment around kernels (halfcl_enter and halfcl_leave of halfcl.h), a
 * file for each architecture: x86.c, arm.c, and generic.c with what C has for others.
 *
 * Between enter and leave nothing traps, subnormals are kept whatever the caller's mode for
 * them is, and no exception is pending. The processor rounds in the mode given, if its file
 * says so, or to nearest. A vocabulary says which of the two it needs: the portable one takes
 * either, as it rounds by itself, and leaves to the hardware invalid and division by zero
 * alone.
 *
 * leave gives back the caller's environment, with the exceptions that were pending there (and
 * perhaps inexact), and returns the exceptions since enter, so far as the hardware records them
 * reliably. */
#ifndef HALFCL_ENV_H
#define HALFCL_ENV_H

#include "halfcl.h"

#if defined(__GNUC__) || defined(__clang__)
#if defined(__x86_64__)
#define HALFCL_X86 1
#elif defined(__aarch64__)
#define HALFCL_ARM 1
#endif
#endif

/* Between enter and leave: the hardware is to record inexact anew; and whether it has, which is
 * true where that cannot be known. */
void halfcl_watch_inexact(void);
bool halfcl_was_inexact(void);

#endif
