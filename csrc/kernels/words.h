/* Elements of any type as their bits: chosen one by one, and vectors of them copied. */
#ifndef HALFCL_WORDS_H
#define HALFCL_WORDS_H

#include "format/strided.h"
#include "kernels/rows.h"

/* Loops below have no turn that depends on another one, which compilers cannot know. */
#ifdef __clang__
#define EACH_BY_ITSELF _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_BY_ITSELF _Pragma("GCC ivdep")
#endif

/* Widths of vectors, and how many elements they are apart in OpenCL's memory. */
#define EACH_WIDTH(X, ...)                                                                     \
    X(2, 2, __VA_ARGS__)                                                                       \
    X(3, 3, __VA_ARGS__)                                                                       \
    X(3, 4, __VA_ARGS__)                                                                       \
    X(4, 4, __VA_ARGS__)                                                                       \
    X(8, 8, __VA_ARGS__)                                                                       \
    X(16, 16, __VA_ARGS__)

/* The loop for a width, if it is that of the call. */
#define TAKE_APART(WIDTH, APART, T)                                                            \
    if (width == WIDTH && step == APART) {                                                     \
        EACH_BY_ITSELF                                                                         \
        for (size_t i = 0; i < n; ++i) {                                                       \
            for (size_t k = 0; k < WIDTH; ++k)                                                 \
                planes[(ptrdiff_t)k * plane + (ptrdiff_t)i] = rows[APART * i + k];             \
        }                                                                                      \
        return true;                                                                           \
    }
#define PUT_TOGETHER(WIDTH, APART, T)                                                          \
    if (width == WIDTH && step == APART) {                                                     \
        EACH_BY_ITSELF                                                                         \
        for (size_t i = 0; i < n; ++i) {                                                       \
            for (size_t k = 0; k < WIDTH; ++k)                                                 \
                rows[APART * i + k] = planes[(ptrdiff_t)k * plane + (ptrdiff_t)i];             \
        }                                                                                      \
        return true;                                                                           \
    }

/* Both ways between vectors and planes, one of each component; false if the vectors have none
 * of the usual widths. Steps are in elements. */
#define WORDS_OF(T)                                                                            \
    static bool separate_##T(T *restrict planes, ptrdiff_t plane, const T *restrict rows,      \
                             ptrdiff_t step, size_t width, size_t n)                           \
    {                                                                                          \
        EACH_WIDTH(TAKE_APART, T)                                                              \
        return false;                                                                          \
    }                                                                                          \
                                                                                               \
    static bool interleave_##T(T *restrict rows, ptrdiff_t step, const T *restrict planes,     \
                               ptrdiff_t plane, size_t width, size_t n)                        \
    {                                                                                          \
        EACH_WIDTH(PUT_TOGETHER, T)                                                            \
        return false;                                                                          \
    }                                                                                          \
                                                                                               \
    /* n vectors, from the first operand to the second one, which shares no memory with it. */ \
    static unsigned copy_##T(const halfcl_vectors *v, size_t n, halfcl_rounding mode)          \
    {                                                                                          \
        const halfcl_vectors from = v[0], to = v[1];                                           \
        const ptrdiff_t size = (ptrdiff_t)sizeof(T);                                           \
        (void)mode;                                                                            \
        bool aligned =                                                                         \
            (((uintptr_t)from.start | (uintptr_t)to.start | (uintptr_t)from.step |             \
              (uintptr_t)to.step | (uintptr_t)from.component | (uintptr_t)to.component) &      \
             (sizeof(T) - 1)) == 0;                                                            \
        if (aligned && from.component == size && to.step == size &&                            \
            separate_##T((T *)to.start, to.component / size, (const T *)from.start,            \
                         from.step / size, from.width, n))                                     \
            return 0;                                                                          \
        if (aligned && to.component == size && from.step == size &&                            \
            interleave_##T((T *)to.start, to.step / size, (const T *)from.start,               \
                           from.component / size, from.width, n))                              \
            return 0;                                                                          \
        for (size_t k = 0; k < from.width; ++k)                                                \
            halfcl_copy_strided(to.start + (ptrdiff_t)k * to.component, to.step,               \
                                from.start + (ptrdiff_t)k * from.component, from.step,         \
                                sizeof(T), n);                                                 \
        return 0;                                                                              \
    }                                                                                          \
                                                                                               \
    /* b where c is true, else a. */                                                           \
    static unsigned blend_of_##T(void *const *args, size_t n, halfcl_rounding mode)            \
    {                                                                                          \
        const T *a = args[0], *b = args[1];                                                    \
        const uint8_t *c = args[2];                                                            \
        T *out = args[3];                                                                      \
        (void)mode;                                                                            \
        EACH_BY_ITSELF                                                                         \
        for (size_t i = 0; i < n; ++i) {                                                       \
            T chosen = (T)(0 - (T)(c[i] != 0));                                                \
            out[i] = (T)((a[i] & ~chosen) | (b[i] & chosen));                                  \
        }                                                                                      \
        return 0;                                                                              \
    }
WORDS_OF(uint8_t)
WORDS_OF(uint16_t)
WORDS_OF(uint32_t)
WORDS_OF(uint64_t)

#define WORDS_ROWS(T)                                                                          \
    MAP("blend", blend_of_##T, 3, 1, TYPE_OF(T), TYPE_OF(T), HALFCL_BOOL,                      \
        TYPE_OF(T)){"copy",                                                                    \
                    HALFCL_VECTORS,                                                            \
                    {1, 1, {TYPE_OF(T), TYPE_OF(T)}},                                          \
                    {.vectors = {copy_##T, true, 0, 0}}},

#define WORDS_KERNELS                                                                          \
    WORDS_ROWS(uint8_t) WORDS_ROWS(uint16_t) WORDS_ROWS(uint32_t) WORDS_ROWS(uint64_t)

#endif
