/* NumPy's casts between half and its other types.
 *
 * NumPy calls a cast function with no context but the two arrays, so each pair
 * of types needs a function of its own; the macros make them from one list. All
 * of them go through halfcl_run. The core's rounding mode is asked for when a
 * cast to half starts. Runs with the GIL held. */
#ifndef HALFCL_CASTS_H
#define HALFCL_CASTS_H

#include <math.h>
#include <string.h>

#include "driver.h"
#include "halfcl.h"

/* NumPy's type, its C type, the engine's letter for it, components an element. */
#define HALFCL_CAST_TYPES(X)                                                                   \
    X(BOOL, npy_bool, "?", 1)                                                                  \
    X(BYTE, npy_byte, "b", 1)                                                                  \
    X(UBYTE, npy_ubyte, "B", 1)                                                                \
    X(SHORT, npy_short, "h", 1)                                                                \
    X(USHORT, npy_ushort, "H", 1)                                                              \
    X(INT, npy_int, "i", 1)                                                                    \
    X(UINT, npy_uint, "I", 1)                                                                  \
    X(LONG, npy_long, sizeof(npy_long) == 8 ? "q" : "i", 1)                                    \
    X(ULONG, npy_ulong, sizeof(npy_long) == 8 ? "Q" : "I", 1)                                  \
    X(LONGLONG, npy_longlong, "q", 1)                                                          \
    X(ULONGLONG, npy_ulonglong, "Q", 1)                                                        \
    X(FLOAT, npy_float, "f", 1)                                                                \
    X(DOUBLE, npy_double, "d", 1)                                                              \
    X(CFLOAT, npy_float, "f", 2)                                                               \
    X(CDOUBLE, npy_double, "d", 2)

static const halfcl_isa *halfcl_casts_isa;
static halfcl_rounding (*halfcl_casts_mode)(void);

/* Runs the kernel for these letters, which the caller keeps once it is found. */
static void halfcl_cast(const halfcl_kernel **kernel, const char *from_letter,
                        ptrdiff_t from_step, void *from, const char *to_letter,
                        ptrdiff_t to_step, void *to, npy_intp n, halfcl_rounding mode)
{
    if (!*kernel) {
        char types[4] = {*from_letter, '>', *to_letter, 0};
        *kernel = halfcl_find_kernel(halfcl_casts_isa, "convert", types);
    }
    char *operands[2] = {from, to};
    ptrdiff_t steps[2] = {from_step, to_step};
    halfcl_raise(halfcl_run(*kernel, operands, steps, (size_t)n, mode));
}

/* A complex number takes the half as its real part; its imaginary part is
 * dropped on the way back, as in every cast from complex to real. */
#define HALFCL_DEFINE_CASTS(NAME, TYPE, LETTER, COMPONENTS)                                    \
    static void halfcl_half_to_##NAME(void *from, void *to, npy_intp n, void *a, void *b)      \
    {                                                                                          \
        static const halfcl_kernel *kernel;                                                    \
        (void)a, (void)b;                                                                      \
        if (COMPONENTS == 2)                                                                   \
            memset(to, 0, (size_t)n * COMPONENTS * sizeof(TYPE));                              \
        halfcl_cast(&kernel, "e", 2, from, LETTER, COMPONENTS * sizeof(TYPE), to, n, HALFCL_RTZ);       \
    }                                                                                          \
    static void halfcl_##NAME##_to_half(void *from, void *to, npy_intp n, void *a, void *b)    \
    {                                                                                          \
        static const halfcl_kernel *kernel;                                                    \
        (void)a, (void)b;                                                                      \
        halfcl_cast(&kernel, LETTER, COMPONENTS * sizeof(TYPE), from, "e", 2, to, n,                    \
                    halfcl_casts_mode());                                                      \
    }
HALFCL_CAST_TYPES(HALFCL_DEFINE_CASTS)

/* A long double to a double rounded to odd, from which any mode rounds right. */
static double halfcl_odd_double(npy_longdouble value)
{
    double nearest = (double)value;
    npy_longdouble rest = value - nearest;
    if (rest == 0 || rest != rest)
        return nearest;
    uint64_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if (bits & 1)
        return nearest;
    /* nearest is even and inexact: the neighbour on the value's side is odd. */
    bits += (rest > 0) == !signbit(nearest) ? 1 : (uint64_t)-1;
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

static void halfcl_longdouble_to_half(const npy_longdouble *from, uint16_t *to, npy_intp n,
                                      int components)
{
    halfcl_rounding mode = halfcl_casts_mode();
    unsigned flags = 0;
    for (npy_intp i = 0; i < n; i++)
        to[i] = halfcl_from_double(halfcl_odd_double(from[i * components]), mode, &flags);
    halfcl_raise(flags);
}

static void halfcl_half_to_longdouble(const uint16_t *from, npy_longdouble *to, npy_intp n,
                                      int components)
{
    for (npy_intp i = 0; i < n; i++) {
        to[i * components] = halfcl_to_float(from[i]);
        if (components == 2)
            to[2 * i + 1] = 0;
    }
}

#define HALFCL_DEFINE_LONG_CASTS(NAME, COMPONENTS)                                             \
    static void halfcl_half_to_##NAME(void *from, void *to, npy_intp n, void *a, void *b)      \
    {                                                                                          \
        (void)a, (void)b;                                                                      \
        halfcl_half_to_longdouble(from, to, n, COMPONENTS);                                    \
    }                                                                                          \
    static void halfcl_##NAME##_to_half(void *from, void *to, npy_intp n, void *a, void *b)    \
    {                                                                                          \
        (void)a, (void)b;                                                                      \
        halfcl_longdouble_to_half(from, to, n, COMPONENTS);                                    \
    }
HALFCL_DEFINE_LONG_CASTS(LONGDOUBLE, 1)
HALFCL_DEFINE_LONG_CASTS(CLONGDOUBLE, 2)

/* Between half and float16: the same bits. */
static void halfcl_copy(void *from, void *to, npy_intp n, void *a, void *b)
{
    (void)a, (void)b;
    memmove(to, from, (size_t)n * sizeof(npy_half));
}

/* What float16 casts to safely, half does; and what casts safely to float16. */
#define HALFCL_SAFE_FROM_HALF                                                                  \
    {NPY_FLOAT, NPY_DOUBLE, NPY_LONGDOUBLE, NPY_CFLOAT, NPY_CDOUBLE, NPY_CLONGDOUBLE}
#define HALFCL_SAFE_TO_HALF {NPY_BOOL, NPY_BYTE, NPY_UBYTE, NPY_HALF}

/* Registers every cast to and from the dtype numbered half. */
static int halfcl_register_casts(PyArray_Descr *half, const halfcl_isa *isa,
                                 halfcl_rounding (*mode)(void))
{
    typedef struct {
        int type;
        PyArray_VectorUnaryFunc *from_half, *to_half;
    } row;
#define HALFCL_CAST_ROW(NAME, TYPE, LETTER, COMPONENTS)                                        \
    {NPY_##NAME, halfcl_half_to_##NAME, halfcl_##NAME##_to_half},
    static const row rows[] = {
        HALFCL_CAST_TYPES(HALFCL_CAST_ROW)
        {NPY_HALF, halfcl_copy, halfcl_copy},
        {NPY_LONGDOUBLE, halfcl_half_to_LONGDOUBLE, halfcl_LONGDOUBLE_to_half},
        {NPY_CLONGDOUBLE, halfcl_half_to_CLONGDOUBLE, halfcl_CLONGDOUBLE_to_half},
    };
    static const int safe_from[] = HALFCL_SAFE_FROM_HALF, safe_to[] = HALFCL_SAFE_TO_HALF;

    halfcl_casts_isa = isa;
    halfcl_casts_mode = mode;
    int failed = 0;
    for (size_t i = 0; !failed && i < sizeof rows / sizeof *rows; i++) {
        PyArray_Descr *other = PyArray_DescrFromType(rows[i].type);
        failed = PyArray_RegisterCastFunc(half, rows[i].type, rows[i].from_half) < 0 ||
                 PyArray_RegisterCastFunc(other, half->type_num, rows[i].to_half) < 0;
        Py_DECREF(other);
    }
    for (size_t i = 0; !failed && i < sizeof safe_from / sizeof *safe_from; i++)
        failed = PyArray_RegisterCanCast(half, safe_from[i], NPY_NOSCALAR) < 0;
    for (size_t i = 0; !failed && i < sizeof safe_to / sizeof *safe_to; i++) {
        PyArray_Descr *other = PyArray_DescrFromType(safe_to[i]);
        failed = PyArray_RegisterCanCast(other, half->type_num, NPY_NOSCALAR) < 0;
        Py_DECREF(other);
    }
    return failed ? -1 : 0;
}

#endif
