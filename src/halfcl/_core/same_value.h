/* Checks whether a cast has kept a number's value: casting="same_value", since NumPy 2.4. */
#ifndef HALFCL_SAME_VALUE_H
#define HALFCL_SAME_VALUE_H

#include <Python.h>

#include <math.h>
#include <numpy/arrayobject.h>
#include <stdbool.h>
#include <string.h>

static inline npy_longdouble halfcl_half_at(const char *at)
{
    npy_half bits;
    memcpy(&bits, at, sizeof bits);
    return halfcl_to_float(bits);
}

#define HALFCL_READ(type)                                                                      \
    {                                                                                          \
        npy_##type value;                                                                      \
        memcpy(&value, at, sizeof value);                                                      \
        return value;                                                                          \
    }

/* A number of NumPy's type, the real part of a complex one. (Integers that a long double does
 * not hold are no halves.) */
static inline npy_longdouble halfcl_number_at(const char *at, int type)
{
    switch (type) {
    case NPY_BYTE:
        HALFCL_READ(byte)
    case NPY_BOOL:
    case NPY_UBYTE:
        HALFCL_READ(ubyte)
    case NPY_SHORT:
        HALFCL_READ(short)
    case NPY_USHORT:
        HALFCL_READ(ushort)
    case NPY_INT:
        HALFCL_READ(int)
    case NPY_UINT:
        HALFCL_READ(uint)
    case NPY_LONG:
        HALFCL_READ(long)
    case NPY_ULONG:
        HALFCL_READ(ulong)
    case NPY_LONGLONG:
        HALFCL_READ(longlong)
    case NPY_ULONGLONG:
        HALFCL_READ(ulonglong)
    case NPY_FLOAT:
    case NPY_CFLOAT:
        HALFCL_READ(float)
    case NPY_DOUBLE:
    case NPY_CDOUBLE:
        HALFCL_READ(double)
    case NPY_LONGDOUBLE:
    case NPY_CLONGDOUBLE:
        HALFCL_READ(longdouble)
    default:
        return halfcl_half_at(at);
    }
}

#undef HALFCL_READ

static inline npy_longdouble halfcl_imaginary_at(const char *at, int type)
{
    size_t size = type == NPY_CFLOAT    ? sizeof(float)
                  : type == NPY_CDOUBLE ? sizeof(double)
                                        : sizeof(npy_longdouble);
    return PyTypeNum_ISCOMPLEX(type) ? halfcl_number_at(at + size, type) : 0;
}

/* Anything but 0 is true to bool, which NumPy lets pass. */
static inline bool halfcl_is_same_value(const char *from, int type, const char *to, int to_type)
{
    npy_longdouble before = halfcl_number_at(from, type), after = halfcl_number_at(to, to_type);
    if (to_type == NPY_BOOL)
        return true;
    if (halfcl_imaginary_at(from, type) != 0)
        return false;
    if (isnan(before) || isnan(after))
        return isnan(before) && isnan(after);
    return before == after && signbit(before) == signbit(after);
}

#endif
