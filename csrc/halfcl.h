/* The numeric engine of halfcl: kernels over contiguous arrays of halves.
 *
 * This is the only header that code outside csrc/ includes. The engine knows
 * nothing of Python or NumPy. A half is its 16 bits in a uint16_t.
 *
 * Use, always in this order:
 *
 *     halfcl_env env;
 *     unsigned flags = 0;
 *     halfcl_enter(&env, HALFCL_RTP);
 *     flags |= kernel->loop(args, n, HALFCL_RTP);   // as often as wanted
 *     flags |= halfcl_leave(&env);
 */
#ifndef HALFCL_H
#define HALFCL_H

#include <stddef.h>
#include <stdint.h>

typedef enum { HALFCL_RTE, HALFCL_RTZ, HALFCL_RTP, HALFCL_RTN } halfcl_rounding;

/* IEEE 754 exceptions, as bits. Underflow means "inexact and tiny before
 * rounding", which is what NumPy's float16 raises. Inexact is not reported. */
enum {
    HALFCL_INVALID = 1,
    HALFCL_DIVBYZERO = 2,
    HALFCL_OVERFLOW = 4,
    HALFCL_UNDERFLOW = 8,
};

/* A kernel's inner loop. args: the inputs, then the outputs, each contiguous
 * and aligned to its element. An output may be an input, exactly, if its
 * elements are no wider. Must run between halfcl_enter and halfcl_leave, in the
 * mode given there. Returns the exceptions that the hardware did not record. */
typedef unsigned halfcl_loop(void *const *args, size_t n, halfcl_rounding mode);

/* One row of the kernel table. types has NumPy's letters, inputs ">" outputs:
 * e half, ? bool, b B h H i I q Q 8- to 64-bit integers, f d float, double.
 * "ee>e" is a binary operation. */
typedef struct {
    const char *name;
    const char *types;
    halfcl_loop *loop;
} halfcl_kernel;

/* The instruction set in use. Set once, by the first halfcl_select. */
typedef struct {
    const char *name; /* "portable", "avx2" or "avx512" */
    const halfcl_kernel *kernels;
    size_t count;
} halfcl_isa;

/* The sets compiled in that this CPU can run, best last; NULL past the end. */
const halfcl_isa *halfcl_available(size_t index);

/* The set of that name if this CPU can run it, else NULL. NULL asks for the best. */
const halfcl_isa *halfcl_find_isa(const char *name);

/* The kernel of that name and types in a set, else NULL. */
const halfcl_kernel *halfcl_find_kernel(const halfcl_isa *isa, const char *name,
                                        const char *types);

/* The CPU features that matter here, by name; NULL past the end. */
const char *halfcl_cpu_feature(size_t index);

/* Floating-point environment around kernels: rounding in the given mode, no
 * traps, subnormals kept whatever FTZ and DAZ say, no exception pending. leave
 * restores what was there and returns the exceptions that the hardware
 * recorded since enter. */
typedef struct {
    uint64_t saved[8]; /* opaque; large enough for a fenv_t */
} halfcl_env;

void halfcl_enter(halfcl_env *env, halfcl_rounding mode);
unsigned halfcl_leave(const halfcl_env *env);

/* Scalar conversions. They need no environment and change none. */
float halfcl_to_float(uint16_t half);
uint16_t halfcl_from_double(double value, halfcl_rounding mode, unsigned *flags);

/* Reads one decimal or hexadecimal number ("1.5", "-0x1.8p-3", "inf", "nan",
 * "1e-7", with an optional OpenCL suffix h or H after a digit or exponent) from
 * text[0..length). Surrounding ASCII white space is allowed.
 * The result is the double that is the exact value rounded to odd, however long
 * the text is: halfcl_from_double then rounds it right in every mode.
 * Returns the number of characters read, 0 if there is no number. */
size_t halfcl_parse(const char *text, size_t length, double *rounded_to_odd);

#endif
