/* Elements of any type as their bits: selected one by one, and vectors of them copied. */
#ifndef HALFCL_KERNELS_NUMBERS_WORDS_H
#define HALFCL_KERNELS_NUMBERS_WORDS_H

#include <string.h>

#include "format/strided.h"
#include "kernels/shared/rows.h"

/* The iterations of the loops below are independent, which compilers cannot know. */
#ifdef __clang__
#define EACH_BY_ITSELF _Pragma("clang loop vectorize(assume_safety)")
#else
#define EACH_BY_ITSELF _Pragma("GCC ivdep")
#endif

/* Widths of vectors, and the distance of their elements in OpenCL's memory. */
#define EACH_WIDTH(X, ...)                                                                     \
    X(2, 2, __VA_ARGS__)                                                                       \
    X(3, 3, __VA_ARGS__)                                                                       \
    X(3, 4, __VA_ARGS__)                                                                       \
    X(4, 4, __VA_ARGS__)                                                                       \
    X(8, 8, __VA_ARGS__)                                                                       \
    X(16, 16, __VA_ARGS__)

/* The usual steps of single elements. */
#define EACH_STEP(X, ...)                                                                      \
    X(1, -1, __VA_ARGS__)                                                                      \
    X(1, 0, __VA_ARGS__)                                                                       \
    X(1, 2, __VA_ARGS__)                                                                       \
    X(1, 3, __VA_ARGS__)                                                                       \
    X(1, 4, __VA_ARGS__)

/* The loop for a width, if it is that of the call. */
#define TAKE_APART(WIDTH, APART, T)                                                            \
    if (width == WIDTH && step == APART) {                                                     \
        EACH_BY_ITSELF                                                                         \
        for (size_t i = 0; i < n; ++i) {                                                       \
            for (size_t k = 0; k < WIDTH; ++k)                                                 \
                planes[(ptrdiff_t)k * plane + (ptrdiff_t)i] =                                  \
                    rows[(APART) * (ptrdiff_t)i + (ptrdiff_t)k];                               \
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

/* Vectors that are far apart are copied in pieces: so many components, of up to so many
 * vectors, are put next to each other at a time; and as many of these pieces as a line of the
 * cache has. */
enum { JOINED = 16, VECTORS_JOINED = 128 };
#define LINE(T) (64 / JOINED / sizeof(T) > 1 ? 64 / JOINED / sizeof(T) : 1)

static inline size_t pieces_at(size_t remaining, size_t most)
{
    return remaining / JOINED < most ? remaining / JOINED : most;
}

/* Functions for both directions between vectors and planes, one per component; they return
 * false if the vectors have none of the usual widths. Steps are in elements. The functions are
 * long, and in the library once. */
#define WORDS_OF(T)                                                                            \
    static __attribute__((noinline)) bool separate_##T(T *restrict planes, ptrdiff_t plane,    \
                                                       const T *restrict rows, ptrdiff_t step, \
                                                       size_t width, size_t n)                 \
    {                                                                                          \
        EACH_WIDTH(TAKE_APART, T)                                                              \
        return false;                                                                          \
    }                                                                                          \
                                                                                               \
    static __attribute__((noinline)) bool interleave_##T(                                      \
        T *restrict rows, ptrdiff_t step, const T *restrict planes, ptrdiff_t plane,           \
        size_t width, size_t n)                                                                \
    {                                                                                          \
        EACH_WIDTH(PUT_TOGETHER, T)                                                            \
        return false;                                                                          \
    }                                                                                          \
                                                                                               \
    /* Copies one component to contiguous memory. */                                           \
    static bool take_##T(T *restrict planes, const T *restrict rows, ptrdiff_t step, size_t n) \
    {                                                                                          \
        enum { width = 1, plane = 0 };                                                         \
        EACH_STEP(TAKE_APART, T)                                                               \
        return false;                                                                          \
    }                                                                                          \
                                                                                               \
    /* Copies components of vectors anywhere, some vectors at a time put next to each other    \
     * first; as many components as a line of the cache has, so that each line is read, or     \
     * written, once. Returns the number of components copied. */                              \
    static size_t separate_far_##T(const halfcl_vectors *from, const halfcl_vectors *to,       \
                                   size_t n)                                                   \
    {                                                                                          \
        const ptrdiff_t plane = to->component / (ptrdiff_t)sizeof(T);                          \
        const size_t width = from->width - from->width % JOINED;                               \
        T joined[LINE(T)][VECTORS_JOINED][JOINED];                                             \
        for (size_t i = 0; i < n; i += VECTORS_JOINED) {                                       \
            size_t count = n - i < VECTORS_JOINED ? n - i : VECTORS_JOINED, pieces;            \
            for (size_t k = 0; k < width; k += pieces * JOINED) {                              \
                const char *rows = from->start + (ptrdiff_t)i * from->step + k * sizeof(T);    \
                T *planes = (T *)to->start + (ptrdiff_t)k * plane + i;                         \
                pieces = pieces_at(width - k, LINE(T));                                        \
                for (size_t j = 0; j < count; ++j, rows += from->step)                         \
                    for (size_t p = 0; p < pieces; ++p)                                        \
                        memcpy(joined[p][j], rows + p * sizeof joined[0][0],                   \
                               sizeof joined[0][0]);                                           \
                for (size_t p = 0; p < pieces; ++p)                                            \
                    separate_##T(planes + (ptrdiff_t)(p * JOINED) * plane, plane,              \
                                 joined[p][0], JOINED, JOINED, count);                         \
            }                                                                                  \
        }                                                                                      \
        return width;                                                                          \
    }                                                                                          \
                                                                                               \
    static size_t interleave_far_##T(const halfcl_vectors *from, const halfcl_vectors *to,     \
                                     size_t n)                                                 \
    {                                                                                          \
        const ptrdiff_t plane = from->component / (ptrdiff_t)sizeof(T);                        \
        const size_t width = from->width - from->width % JOINED;                               \
        T joined[LINE(T)][VECTORS_JOINED][JOINED];                                             \
        for (size_t i = 0; i < n; i += VECTORS_JOINED) {                                       \
            size_t count = n - i < VECTORS_JOINED ? n - i : VECTORS_JOINED, pieces;            \
            for (size_t k = 0; k < width; k += pieces * JOINED) {                              \
                char *rows = to->start + (ptrdiff_t)i * to->step + k * sizeof(T);              \
                const T *planes = (const T *)from->start + (ptrdiff_t)k * plane + i;           \
                pieces = pieces_at(width - k, LINE(T));                                        \
                for (size_t p = 0; p < pieces; ++p)                                            \
                    interleave_##T(joined[p][0], JOINED,                                       \
                                   planes + (ptrdiff_t)(p * JOINED) * plane, plane, JOINED,    \
                                   count);                                                     \
                for (size_t j = 0; j < count; ++j, rows += to->step)                           \
                    for (size_t p = 0; p < pieces; ++p)                                        \
                        memcpy(rows + p * sizeof joined[0][0], joined[p][j],                   \
                               sizeof joined[0][0]);                                           \
            }                                                                                  \
        }                                                                                      \
        return width;                                                                          \
    }                                                                                          \
                                                                                               \
    /* Copies n vectors, from the first operand to the second one, which shares no memory with \
     * it. */                                                                                  \
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
        size_t done = 0;                                                                       \
        if (aligned && from.component == size && to.step == size)                              \
            done = separate_far_##T(&from, &to, n);                                            \
        else if (aligned && to.component == size && from.step == size)                         \
            done = interleave_far_##T(&from, &to, n);                                          \
        for (size_t k = done; k < from.width; ++k) {                                           \
            char *plane = to.start + (ptrdiff_t)k * to.component;                              \
            const char *row = from.start + (ptrdiff_t)k * from.component;                      \
            if (!(aligned && to.step == size &&                                                \
                  take_##T((T *)plane, (const T *)row, from.step / size, n)))                  \
                halfcl_copy_strided(plane, to.step, row, from.step, sizeof(T), n);             \
        }                                                                                      \
        return 0;                                                                              \
    }                                                                                          \
                                                                                               \
    /* Selects b where c is true, otherwise a. */                                              \
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
