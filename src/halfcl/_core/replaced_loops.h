/* Functions to put in the place of NumPy's loops: each knows by itself what it stands for.
 *
 * A ufunc has an array of functions and one of what each is called with. To write to both takes
 * two steps, and a call in another thread that comes in between would take one of NumPy's and
 * one of halfcl's. So the functions alone are replaced, one pointer at a time, and are called
 * with what NumPy's were. */
#ifndef HALFCL_REPLACED_LOOPS_H
#define HALFCL_REPLACED_LOOPS_H

#include <numpy/ndarraytypes.h>
#include <numpy/ufuncobject.h>

enum { HALFCL_REPLACED_LOOPS = 128 };

/* data: what NumPy's loop is called with; loop: what halfcl's is. */
typedef void halfcl_replaced_run(char **operands, const npy_intp *dimensions,
                                 const npy_intp *strides, void *data, void *loop);

/* The first call of each function that was published to NumPy. NumPy reads pointers without
 * ordering; after this call everything written before the publication is visible. On x86 it
 * always is. */
static inline void halfcl_see_what_was_published(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Written before the function is handed out, and never again. */
static struct {
    halfcl_replaced_run *run;
    void *loop;
} halfcl_replaced[HALFCL_REPLACED_LOOPS];

#define HALFCL_ENTRY(i)                                                                        \
    static void halfcl_replaced_##i(char **operands, const npy_intp *dimensions,               \
                                    const npy_intp *strides, void *data)                       \
    {                                                                                          \
        halfcl_see_what_was_published();                                                       \
        halfcl_replaced[i].run(operands, dimensions, strides, data, halfcl_replaced[i].loop);  \
    }
#define HALFCL_NAME(i) halfcl_replaced_##i,

/* For each number of two hexadecimal digits up to 0x7F. */
/* clang-format off */
#define HALFCL_16(DO, i)                              \
    DO(i##0) DO(i##1) DO(i##2) DO(i##3)               \
    DO(i##4) DO(i##5) DO(i##6) DO(i##7)               \
    DO(i##8) DO(i##9) DO(i##A) DO(i##B)               \
    DO(i##C) DO(i##D) DO(i##E) DO(i##F)
#define HALFCL_128(DO)                                \
    HALFCL_16(DO, 0x0) HALFCL_16(DO, 0x1)             \
    HALFCL_16(DO, 0x2) HALFCL_16(DO, 0x3)             \
    HALFCL_16(DO, 0x4) HALFCL_16(DO, 0x5)             \
    HALFCL_16(DO, 0x6) HALFCL_16(DO, 0x7)
/* clang-format on */

HALFCL_128(HALFCL_ENTRY)

/* A function that runs a loop; NULL if all are taken. */
static inline PyUFuncGenericFunction halfcl_new_replacement(halfcl_replaced_run *run,
                                                            void *loop)
{
    static const PyUFuncGenericFunction functions[] = {HALFCL_128(HALFCL_NAME)};
    static int taken;
    if (taken == HALFCL_REPLACED_LOOPS)
        return NULL;
    halfcl_replaced[taken].run = run;
    halfcl_replaced[taken].loop = loop;
    return functions[taken++];
}

#endif
