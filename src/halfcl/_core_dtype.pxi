# The scalar type halfcl.half and its dtype.
#
# half derives from numpy.float16: the same storage, so that NumPy's printing,
# float(), int(), hash() and comparisons serve as they are. Arithmetic goes
# through the ufuncs, whose loops for the dtype are halfcl's.
#
# The dtype has kind 'f': numpy.save then writes '<f2', which anything reads as
# float16, and NumPy treats it as a floating type. Kind 'V' would load as void.

from cpython.sequence cimport PySequence_Check
from libc.stdio cimport FILE, fscanf
from libc.string cimport memcpy, memset

cdef extern from "<ctype.h>" nogil:
    int isalnum(int)
    int isspace(int)

cdef extern from "numpy/ufuncobject.h":
    int NPY_FPE_DIVIDEBYZERO, NPY_FPE_OVERFLOW, NPY_FPE_UNDERFLOW, NPY_FPE_INVALID
    int PyUFunc_GiveFloatingpointErrors(const char *, int) except -1

cdef extern from "numpy/arrayscalars.h":
    ctypedef class numpy.float16 [object PyHalfScalarObject, check_size ignore]:
        cdef uint16_t obval
    ctypedef struct PyLongDoubleScalarObject:
        cnp.npy_longdouble obval

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyArray_Descr_struct "struct _PyArray_Descr":
        pass
    ctypedef struct PyArray_Descr_fields "PyArray_Descr":
        char type
        int type_num
        cnp.npy_intp elsize
    ctypedef int (*sort_func)(void *, cnp.npy_intp, void *)
    ctypedef int (*argsort_func)(void *, cnp.npy_intp *, cnp.npy_intp, void *)

    ctypedef struct PyArray_ArrFuncs:
        object (*getitem)(void *, void *)
        int (*setitem)(PyObject *, void *, void *) except -1
        void (*copyswapn)(void *, cnp.npy_intp, void *, cnp.npy_intp, cnp.npy_intp, int, void *) noexcept
        void (*copyswap)(void *, void *, int, void *) noexcept
        int (*compare)(const void *, const void *, void *) noexcept
        int (*argmax)(void *, cnp.npy_intp, cnp.npy_intp *, void *) noexcept
        int (*argmin)(void *, cnp.npy_intp, cnp.npy_intp *, void *) noexcept
        void (*dotfunc)(void *, cnp.npy_intp, void *, cnp.npy_intp, void *, cnp.npy_intp, void *) noexcept
        int (*scanfunc)(FILE *, void *, char *, PyArray_Descr_struct *) noexcept
        int (*fromstr)(char *, void *, char **, PyArray_Descr_struct *) noexcept
        cnp.npy_bool (*nonzero)(void *, void *) noexcept
        int (*fill)(void *, cnp.npy_intp, void *) noexcept
        int (*fillwithscalar)(void *, cnp.npy_intp, void *, void *) noexcept
        sort_func sort[3]
        argsort_func argsort[3]

    ctypedef struct PyArray_DescrProto:
        PyTypeObject *typeobj
        char kind
        char type
        char byteorder
        char flags
        int type_num
        int elsize
        int alignment
        PyObject *fields
        PyArray_ArrFuncs *f

    int PyArray_RegisterDataType(PyArray_DescrProto *) except -1
    void PyArray_InitArrFuncs(PyArray_ArrFuncs *)

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>

    /* A long double to the double that is it rounded to odd: from that any mode
       rounds to half as from the long double. */
    static double halfcl_odd_double(npy_longdouble value)
    {
        double nearest = (double)value;
        if (!isfinite(value))
            return nearest;
        npy_longdouble rest = value - nearest;
        npy_uint64 bits;
        memcpy(&bits, &nearest, sizeof bits);
        if (rest == 0 || bits & 1)
            return nearest;
        /* nearest is even and inexact: its neighbour on the value's side is odd. */
        bits += (rest > 0) == !signbit(nearest) ? 1 : (npy_uint64)-1;
        memcpy(&nearest, &bits, sizeof bits);
        return nearest;
    }
    """
    double halfcl_odd_double(cnp.npy_longdouble) nogil

cdef extern from "sort.h" nogil:
    int halfcl_compare(uint16_t, uint16_t)
    int halfcl_sort(uint16_t *, size_t)
    int halfcl_argsort(const uint16_t *, cnp.npy_intp *, size_t)
    size_t halfcl_argmax(const uint16_t *, size_t)
    size_t halfcl_argmin(const uint16_t *, size_t)

cdef extern from *:
    """
    static PyObject *halfcl_alloc(PyTypeObject *type)
    {
        return type->tp_alloc(type, 0);
    }
    """
    object halfcl_alloc(PyTypeObject *)


# ---------------------------------------------------------------- values

cdef int parse_text(object text, double *value) except -1:
    """The double rounded to odd that a str spells. ValueError if it spells none."""
    cdef bytes encoded = str(text).encode()
    cdef size_t length = len(encoded)
    if length == 0 or halfcl_parse(<const char *>encoded, length, value) != length:
        raise ValueError(f"could not convert string to half: {str(text)!r}")
    return 0


cdef int round_odd_double(object item, double *value) except -1:
    """The double whose rounding to half, in any mode, is item's."""
    if isinstance(item, str):
        parse_text(item, value)
    elif isinstance(item, bytes):
        parse_text(item.decode("latin-1"), value)
    elif item is None:
        value[0] = np.nan  # as NumPy's floating types have it
    elif isinstance(item, np.longdouble):
        value[0] = halfcl_odd_double((<PyLongDoubleScalarObject *><PyObject *>item).obval)
    else:
        # An int is exact in a double or far beyond half's range.
        value[0] = float(item)
    return 0


cdef uint16_t to_bits(object item, halfcl_rounding mode, unsigned *flags) except? 0:
    """The half nearest item in a mode."""
    cdef double value = 0
    if isinstance(item, float16):
        return (<float16>item).obval
    round_odd_double(item, &value)
    return halfcl_from_double(value, mode, flags)


cdef bint is_sequence(object value):
    """Whether value is an array or a sequence, text and scalars excluded."""
    if isinstance(value, (str, bytes, np.generic)):
        return False
    return PySequence_Check(value) or hasattr(value, "__array__")


cdef object new_scalar(object type, uint16_t bits):
    cdef object scalar = halfcl_alloc(<PyTypeObject *>type)
    (<float16>scalar).obval = bits
    return scalar


cdef int report(unsigned flags, str operation) except -1:
    """Hand exceptions raised outside a ufunc to numpy.errstate: a warning, an error, nothing."""
    cdef bytes name = operation.encode()
    cdef int errors = 0
    if flags & HALFCL_INVALID:
        errors |= NPY_FPE_INVALID
    if flags & HALFCL_DIVBYZERO:
        errors |= NPY_FPE_DIVIDEBYZERO
    if flags & HALFCL_OVERFLOW:
        errors |= NPY_FPE_OVERFLOW
    if flags & HALFCL_UNDERFLOW:
        errors |= NPY_FPE_UNDERFLOW
    if errors:
        PyUFunc_GiveFloatingpointErrors(name, errors)
    return 0


# ---------------------------------------------------------------- the scalar type

class half(np.float16):
    """half(value=0.0, /, *, rounding=None)

    A half-precision number: IEEE 754 binary16, OpenCL's ``half``.

    ``half`` is also a NumPy dtype: ``np.array([1, 2], dtype=half)``. A scalar
    behaves as `numpy.float16`, from which it derives; operators follow the
    rounding mode of the region that they are in.

    Parameters
    ----------
    value : number, str or array_like, optional
        What to convert, rounded once. A string is a decimal or hexadecimal
        literal, with or without OpenCL's suffix ``h``. An array gives an array.
    rounding : {"rte", "rtz", "rtp", "rtn"}, optional
        The rounding mode; the region's unless given.

    Raises
    ------
    ValueError
        If a string is no literal, or the rounding mode is unknown.

    See Also
    --------
    parse : literals, arrays of them too.
    convert : every other conversion.

    Notes
    -----
    Source: OpenCL C, "The Half Data Type"; the cl_khr_fp16 extension.

    Examples
    --------
    >>> from halfcl import half
    >>> half(1.5) + 1
    half(2.5)
    >>> half("0x1.8p-3h")
    half(0.1875)
    >>> half(0.1, rounding="rtp") - half(0.1, rounding="rtn")
    half(6.104e-05)
    """

    __slots__ = ()
    __module__ = "halfcl"

    def __new__(cls, value=0.0, /, *, rounding=None):
        cdef unsigned flags = 0
        mode = operator_mode() if rounding is None else <halfcl_rounding>mode_number(rounding)
        if is_sequence(value):
            enter_region(MODES[mode], False)
            try:
                return np.asarray(value, dtype=HALF)[()]
            finally:
                leave_region()
        bits = to_bits(value, mode, &flags)
        # A signalling NaN raises nothing here, as in float16's casts.
        report(flags & ~HALFCL_INVALID, "cast")
        return new_scalar(cls, bits)

    def __repr__(self):
        return f"half({self!s})"


def scalar_operator(str kernel_name, fallback, bint reflected):
    """A binary operator of half: by the kernel for halves and Python numbers, else by fallback.

    Fallback is NumPy's, through the ufunc: ten times as slow, and it reports exceptions.
    """
    cdef const halfcl_kernel *kernel = find_kernel(kernel_name, "ee>e")

    def operate(self, other):
        cdef uint16_t bits[3]
        cdef char *operands[3]
        cdef Py_ssize_t steps[3]
        cdef unsigned flags = 0
        cdef halfcl_rounding mode = operator_mode()
        cdef int i
        if type(other) is half:
            bits[not reflected] = (<float16>other).obval
        elif type(other) is float or type(other) is int and -65504 <= other <= 65504:
            bits[not reflected] = halfcl_from_double(other, mode, &flags)
        else:
            return fallback(self, other)
        bits[reflected] = (<float16>self).obval
        for i in range(3):
            operands[i] = <char *>&bits[i]
            steps[i] = sizeof(uint16_t)
        flags |= halfcl_run(kernel, operands, steps, 1, mode)
        return fallback(self, other) if flags else new_scalar(half, bits[2])

    operate.__name__ = operate.__qualname__ = fallback.__name__
    return operate


# float16's own operators compute float16; those of its base class go through the
# ufuncs. (Given a base's slot wrapper, the type takes the C slot itself.)
for _operator in ("floordiv", "mod", "divmod", "pow"):
    for _name in (f"__{_operator}__", f"__r{_operator}__"):
        setattr(half, _name, getattr(np.generic, _name))
for _name in ("__neg__", "__pos__", "__abs__"):
    setattr(half, _name, getattr(np.generic, _name))
for _operator, _kernel in (
    ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide")
):
    for _reflected, _name in enumerate((f"__{_operator}__", f"__r{_operator}__")):
        setattr(half, _name, scalar_operator(_kernel, getattr(np.generic, _name), _reflected))


# ---------------------------------------------------------------- array functions

cdef inline uint16_t swapped(uint16_t bits) noexcept nogil:
    return <uint16_t>((bits >> 8) | (bits << 8))


cdef inline bint is_swapped(void *array) noexcept:
    return array != NULL and not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray>array)


cdef inline uint16_t load(const void *data, void *array) noexcept:
    cdef uint16_t bits
    memcpy(&bits, data, 2)
    return swapped(bits) if is_swapped(array) else bits


cdef object half_getitem(void *data, void *array):
    return <double>halfcl_to_float(load(data, array))


cdef int half_setitem(PyObject *item, void *data, void *array) except -1:
    cdef object value = <object>item
    cdef unsigned flags = 0
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    elif is_sequence(value):
        raise ValueError("setting an array element with a sequence.")
    cdef uint16_t bits = to_bits(value, operator_mode(), &flags)
    report(flags & HALFCL_OVERFLOW, "cast")  # all that float16 reports here
    if is_swapped(array):
        bits = swapped(bits)
    memcpy(data, &bits, 2)
    return 0


cdef void half_copyswapn(
    void *to, cnp.npy_intp to_step, void *source, cnp.npy_intp step, cnp.npy_intp n,
    int swap, void *array
) noexcept:
    if source == NULL:
        source, step = to, to_step
    elif not swap:
        halfcl_copy(<char *>to, to_step, <const char *>source, step, n)
        return
    cdef cnp.npy_intp i
    cdef uint16_t bits
    for i in range(n if swap else 0):
        memcpy(&bits, <char *>source + i * step, 2)
        bits = swapped(bits)
        memcpy(<char *>to + i * to_step, &bits, 2)


cdef void half_copyswap(void *to, void *source, int swap, void *array) noexcept:
    half_copyswapn(to, 2, source, 2, 1, swap, array)


cdef int half_compare(const void *a, const void *b, void *array) noexcept:
    return halfcl_compare(load(a, array), load(b, array))


cdef int half_argmax(void *data, cnp.npy_intp n, cnp.npy_intp *index, void *array) noexcept:
    index[0] = halfcl_argmax(<const uint16_t *>data, n)
    return 0


cdef int half_argmin(void *data, cnp.npy_intp n, cnp.npy_intp *index, void *array) noexcept:
    index[0] = halfcl_argmin(<const uint16_t *>data, n)
    return 0


cdef int half_sort(void *data, cnp.npy_intp n, void *array) noexcept:
    return halfcl_sort(<uint16_t *>data, n)


cdef int half_argsort(void *data, cnp.npy_intp *order, cnp.npy_intp n, void *array) noexcept:
    return halfcl_argsort(<const uint16_t *>data, order, n)


cdef cnp.npy_bool half_nonzero(void *data, void *array) noexcept:
    return (load(data, array) & 0x7FFF) != 0


cdef int half_fill(void *data, cnp.npy_intp n, void *array) noexcept:
    """arange: the first two elements are there; the others continue them."""
    cdef uint16_t *values = <uint16_t *>data
    cdef double start = halfcl_to_float(values[0])
    cdef double step = halfcl_to_float(values[1]) - start
    cdef halfcl_rounding mode = operator_mode_nogil()
    cdef unsigned flags = 0
    cdef cnp.npy_intp i
    for i in range(2, n):
        values[i] = halfcl_from_double(start + i * step, mode, &flags)
    return 0


cdef int half_fillwithscalar(void *data, cnp.npy_intp n, void *value, void *array) noexcept:
    cdef uint16_t *values = <uint16_t *>data
    cdef uint16_t bits = (<uint16_t *>value)[0]
    cdef cnp.npy_intp i
    for i in range(n):
        values[i] = bits
    return 0


cdef int half_scan(
    FILE *file, void *data, char *ignored, PyArray_Descr_struct *dtype
) noexcept:
    cdef double value
    cdef unsigned flags = 0
    cdef int count = fscanf(file, "%lf", &value)
    if count == 1:
        (<uint16_t *>data)[0] = halfcl_from_double(value, operator_mode_nogil(), &flags)
    return count


cdef int half_fromstr(
    char *text, void *data, char **end, PyArray_Descr_struct *dtype
) noexcept:
    cdef double value
    cdef unsigned flags = 0
    cdef size_t length = 0
    while isspace(text[length]):
        length += 1
    while isalnum(text[length]) or text[length] in (b"+", b"-", b"."):
        length += 1
    cdef size_t used = halfcl_parse(text, length, &value)
    if used == 0:
        end[0] = text
        return -1
    (<uint16_t *>data)[0] = halfcl_from_double(value, operator_mode_nogil(), &flags)
    end[0] = text + used
    return 0


cdef const halfcl_kernel *DOT = find_kernel("dot", "ee>e")


cdef void half_dot(
    void *a, cnp.npy_intp a_step, void *b, cnp.npy_intp b_step, void *out, cnp.npy_intp n,
    void *array
) noexcept nogil:
    halfcl_raise(halfcl_dot(DOT, <char *>a, a_step, <char *>b, b_step, <uint16_t *>out, n,
                            operator_mode_nogil()))


# ---------------------------------------------------------------- registration

cdef PyArray_ArrFuncs half_functions
cdef PyArray_DescrProto half_prototype


cdef cnp.dtype register_dtype():
    PyArray_InitArrFuncs(&half_functions)
    half_functions.getitem = half_getitem
    half_functions.setitem = half_setitem
    half_functions.copyswapn = half_copyswapn
    half_functions.copyswap = half_copyswap
    half_functions.compare = half_compare
    half_functions.argmax = half_argmax
    half_functions.argmin = half_argmin
    half_functions.dotfunc = half_dot
    half_functions.scanfunc = half_scan
    half_functions.fromstr = half_fromstr
    half_functions.nonzero = half_nonzero
    half_functions.fill = half_fill
    half_functions.fillwithscalar = half_fillwithscalar
    for kind in range(3):
        half_functions.sort[kind] = half_sort
        half_functions.argsort[kind] = half_argsort

    (<PyObject *>&half_prototype).ob_type = <PyTypeObject *>np.dtype
    half_prototype.typeobj = <PyTypeObject *>half
    half_prototype.kind = b"f"
    half_prototype.type = b"e"
    half_prototype.byteorder = b"="
    half_prototype.elsize = 2
    half_prototype.alignment = 2
    half_prototype.f = &half_functions
    # As NumPy's own dtypes have it: with NULL, copies of the dtype would be the dtype.
    Py_INCREF(None)
    half_prototype.fields = <PyObject *>None
    return cnp.PyArray_DescrFromType(PyArray_RegisterDataType(&half_prototype))


cdef cnp.dtype HALF = register_dtype()
HALF_DTYPE = HALF
cdef int HALF_NUMBER = HALF.type_num
