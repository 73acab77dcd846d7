# The scalar type halfcl.half, and the conversion of Python objects to it.
#
# half derives from numpy.float16: the same storage, so that NumPy's printing, float(), int(),
# hash() and comparisons work unchanged. Arithmetic uses the ufuncs, whose loops for the dtype are
# halfcl's.
# Needs: drivers.pxi, regions.pxi, types.pxi

import re
from copy import deepcopy

from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.sequence cimport PySequence_Check
from cpython.type cimport PyType_Check, PyType_IsSubtype
from libc.math cimport copysign
from libc.string cimport memcpy, memset

cdef extern from "numpy/ufuncobject.h":
    int NPY_FPE_DIVIDEBYZERO, NPY_FPE_OVERFLOW, NPY_FPE_UNDERFLOW, NPY_FPE_INVALID
    int PyUFunc_GiveFloatingpointErrors(const char *, int) except -1

cdef extern from "numpy/arrayscalars.h":
    ctypedef class numpy.float16 [object PyHalfScalarObject, check_size ignore]:
        cdef uint16_t obval
    ctypedef class numpy.longdouble [object PyLongDoubleScalarObject, check_size ignore]:
        cdef cnp.npy_longdouble obval

cdef extern from *:
    """
    #include <math.h>
    #include <string.h>

    /* Return a number rounded to odd, from the nearest double and the sign of the rest: any mode
       rounds it to half as it rounds the number. */
    static double halfcl_round_to_odd(double nearest, int rest)
    {
        npy_uint64 bits;
        memcpy(&bits, &nearest, sizeof bits);
        if (rest == 0 || bits & 1)
            return nearest;
        /* nearest is even and inexact: its neighbour on the number's side is odd. */
        bits += (rest > 0) == !signbit(nearest) ? 1 : (npy_uint64)-1;
        memcpy(&nearest, &bits, sizeof bits);
        return nearest;
    }

    static double halfcl_odd_double(npy_longdouble value)
    {
        double nearest = (double)value;
        if (!isfinite(value))
            return nearest;
        npy_longdouble rest = value - nearest;
        return halfcl_round_to_odd(nearest, (rest > 0) - (rest < 0));
    }
    """
    double halfcl_round_to_odd(double, int) nogil
    double halfcl_odd_double(cnp.npy_longdouble) nogil

cdef extern from *:
    """
    static PyObject *halfcl_alloc(PyTypeObject *type)
    {
        return type->tp_alloc(type, 0);
    }

    /* Allocation of the scalars. Python's classes support garbage collection, finalizers, weak
       references and members, which half does not need, like float16. A derived class has them
       again, and ends in these functions.

       Freed scalars are kept in a pool for later ones, guarded by the interpreter's lock. A Python
       without that lock allocates per thread by itself. */
    static PyTypeObject *halfcl_scalar_class;

    #ifdef Py_GIL_DISABLED
    static PyObject *halfcl_pool_take(void)
    {
        return NULL;
    }
    static int halfcl_pool_put(PyObject *scalar)
    {
        (void)scalar;
        return 0;
    }
    #else
    enum { HALFCL_FREE_SCALARS = 64 };
    static PyObject *halfcl_free_scalars[HALFCL_FREE_SCALARS];
    static int halfcl_free_count;

    static PyObject *halfcl_pool_take(void)
    {
        return halfcl_free_count ? halfcl_free_scalars[--halfcl_free_count] : NULL;
    }
    static int halfcl_pool_put(PyObject *scalar)
    {
        if (halfcl_free_count == HALFCL_FREE_SCALARS)
            return 0;
        halfcl_free_scalars[halfcl_free_count++] = scalar;
        return 1;
    }
    #endif

    static PyObject *halfcl_alloc_scalar(PyTypeObject *type, Py_ssize_t n)
    {
        if (type != halfcl_scalar_class || n != 0)
            return PyType_GenericAlloc(type, n);
        PyObject *scalar = halfcl_pool_take();
        if (!scalar)
            scalar = PyObject_Malloc(type->tp_basicsize);
        if (!scalar)
            return PyErr_NoMemory();
        ((PyHalfScalarObject *)scalar)->obval = 0;
        return PyObject_Init(scalar, type);
    }

    static void halfcl_dealloc_scalar(PyObject *scalar)
    {
        PyTypeObject *type = Py_TYPE(scalar);
        if (type != halfcl_scalar_class || !halfcl_pool_put(scalar))
            type->tp_free(scalar);
        Py_DECREF(type);
    }

    static void halfcl_keep_scalars(PyTypeObject *type)
    {
        halfcl_scalar_class = type;
        type->tp_flags &= ~Py_TPFLAGS_HAVE_GC;
        type->tp_traverse = NULL;
        type->tp_clear = NULL;
        type->tp_free = PyObject_Free;
        type->tp_alloc = halfcl_alloc_scalar;
        type->tp_dealloc = halfcl_dealloc_scalar;
    }
    """
    object halfcl_alloc(PyTypeObject *)
    void halfcl_keep_scalars(PyTypeObject *)


# ---------------------------------------------------------------- values

cdef int parse_text(object text, double *value) except -1:
    """Write the double, rounded to odd, that a str or bytes spells; ValueError if it spells none.
    """
    # Python's float skips more kinds of spaces around a number than the parser, which skips
    # ASCII's.
    cdef bytes literal = bytes(text) if isinstance(text, bytes) else str(text).strip().encode()
    if not is_parsed(literal, value) and not is_parsed(python_number(text), value):
        raise ValueError(f"could not convert string to half: {text!r}")
    return 0


cdef bint is_parsed(bytes literal, double *value) noexcept:
    cdef size_t length = len(literal)
    return length > 0 and halfcl_parse(<const char *>literal, length, value) == length


cdef bytes python_number(object text):
    """Return a number that only Python's float reads, without underscores, in ASCII digits."""
    try:
        float(text)
    except ValueError:
        return b""
    text = text.decode() if isinstance(text, bytes) else str(text)
    digits = [str(int(c)) if c.isdecimal() else c for c in text.strip() if c != "_"]
    return "".join(digits).encode()


cdef bint is_beyond_double(object text):
    """Return whether Python's float makes an infinity of a number that text spells."""
    try:
        return abs(float(text)) == np.inf
    except ValueError:
        return False  # an OpenCL literal


cdef uint16_t bits_of_text(object text, halfcl_rounding mode, unsigned *flags) except? 0:
    """Return the half nearest to the number that a str or bytes spells, in a mode.

    Text beyond double's range overflows silently: NumPy's own types convert it with Python's float.
    """
    cdef double value
    cdef unsigned raised = 0
    parse_text(text, &value)
    cdef uint16_t bits = halfcl_from_double(value, mode, &raised)
    if raised & HALFCL_OVERFLOW and is_beyond_double(text):
        raised &= ~HALFCL_OVERFLOW
    flags[0] |= raised
    return bits


# Beyond these only the sign matters to half, and whether it is 0.
cdef double FAR = 1e6, NEAR = 1e-10


cdef bint is_rational(object item):
    """Return whether it has an exact value: int, Fraction, Decimal, gmpy2's numbers."""
    return hasattr(item, "as_integer_ratio") or hasattr(item, "denominator")


cdef int exact_side(object item, double nearest) except -2:
    """Return the sign of a rational number minus the double."""
    if hasattr(item, "as_integer_ratio"):
        n, d = item.as_integer_ratio()
    else:
        n, d = item.numerator, item.denominator
    whole, part = (<object>nearest).as_integer_ratio()
    rest = int(n) * part - whole * int(d)
    return (rest > 0) - (rest < 0)


cdef double odd_double(object item) except? -1:
    """Return a Python number rounded to odd, or a double that rounds to the same half."""
    cdef double nearest
    try:
        nearest = float(item)
    except OverflowError:
        return FAR if item > 0 else -FAR
    except TypeError as error:
        if hasattr(type(item), "__float__"):
            raise  # its own reason
        raise TypeError(
            f"half: expected a real number or its text, got {type(item).__name__}") from error
    if not is_rational(item):
        return nearest
    if nearest == 0 and item != 0:
        return NEAR if item > 0 else -NEAR
    if abs(nearest) == np.inf and item != nearest:
        return copysign(FAR, nearest)
    # In other cases it may have too many digits to count.
    return halfcl_round_to_odd(nearest, exact_side(item, nearest)) if NEAR < abs(nearest) < FAR else nearest


cdef enum:
    DOUBLE_BITS = 53


cdef inline bint is_exact_double(object item, double *value) noexcept:
    """Return whether it is a Python float, or an int exact in double, and write that double."""
    cdef int overflow = 0
    cdef long long whole
    if type(item) is float:
        value[0] = PyFloat_AS_DOUBLE(item)
        return True
    if type(item) is not int:
        return False
    whole = PyLong_AsLongLongAndOverflow(item, &overflow)
    value[0] = <double>whole
    return overflow == 0 and -(1LL << DOUBLE_BITS) <= whole <= 1LL << DOUBLE_BITS


cdef int round_odd_double(object item, double *value) except -1:
    """Write a double that rounds to half, in any mode, as an item that is not an exact double."""
    if item is None:
        value[0] = np.nan  # as in NumPy's floating types
    elif isinstance(item, longdouble):
        value[0] = halfcl_odd_double((<longdouble>item).obval)
    elif isinstance(item, (float, cnp.floating)):
        value[0] = item
        halfcl_runs()[0] += 1  # NumPy's means of halves get here
    else:
        value[0] = odd_double(item)
    return 0


cdef uint16_t to_bits(object item, halfcl_rounding mode, unsigned *flags) except? 0:
    """Return the half nearest item in a mode."""
    cdef double value = 0
    if is_exact_double(item, &value):
        return halfcl_from_double(value, mode, flags)
    if isinstance(item, float16):
        return (<float16>item).obval
    if isinstance(item, (str, bytes)):
        return bits_of_text(item, mode, flags)
    round_odd_double(item, &value)
    return halfcl_from_double(value, mode, flags)


cdef double double_of(object item) except? -1:
    """Return the double near an item that becomes a half, which may be rounded to odd."""
    cdef double value = 0
    if isinstance(item, float16):
        return halfcl_to_float((<float16>item).obval)
    if isinstance(item, (str, bytes)):
        parse_text(item, &value)
    elif not is_exact_double(item, &value):
        round_odd_double(item, &value)
    return value


cdef uint16_t to_bits_by_region(object item, unsigned *flags) except? 0:
    """Return the half nearest item in the region's mode; at random, down or up: mode_of_number."""
    cdef int mode = mode_of_loops(BY_OPERATOR)
    cdef uint16_t bits
    if depends_on_number(mode):
        mode = mode_of_item(item, mode)
    bits = to_bits(item, <halfcl_rounding>mode, flags)
    watch_number(item, bits, flags[0])
    return bits


cdef int mode_of_item(object item, int mode) except -1:
    """Return the mode for an item in a mode that depends on it; to nearest if the item is exact.

    Nothing is decided then.
    """
    cdef unsigned flags = 0
    cdef double value = double_of(item)
    cdef uint16_t bits = halfcl_from_double(value, HALFCL_RTE, &flags)
    if value != value or halfcl_to_float(bits) == value:
        return HALFCL_RTE
    return mode_of_number(mode, value)


cdef uint16_t cast_to_float16(double value, unsigned *flags) noexcept:
    """Return the float16 nearest value, or in the mode of casts: see mode_of_cast."""
    cdef uint16_t bits = halfcl_from_double(value, HALFCL_RTE, flags)
    cdef int mode
    if not may_be_watched() or value != value or halfcl_to_float(bits) == value:
        return bits
    mode = mode_of_cast(value)
    if mode == HALFCL_RTE:
        return bits
    flags[0] = 0
    return halfcl_from_double(value, <halfcl_rounding>mode, flags)


cdef str wrong_self(str name, object self):
    return (f"descriptor {name!r} requires a 'half' object but received a "
            f"{type(self).__name__!r}")


cdef bint is_sequence(object value):
    """Return whether value is an array or a sequence, text and scalars excluded."""
    if isinstance(value, (float, int, str, bytes, cnp.generic)):
        return False
    return PySequence_Check(value) or hasattr(value, "__array__")


# Handles arrays of modes: convert.pxi's function, which needs most of the files after this one.
cdef object halves_in_modes = None


cdef object as_halves(object value):
    """Return the halves of a value, as float16 does: an array of its own class, or a scalar."""
    value = np.asanyarray(value, dtype=HALF)
    return np.asarray(value)[()] if value.ndim == 0 else value


cpdef object array_in_mode(object value, object rounding):
    """Return a sequence as an array of half, rounded in a mode; None is the region's."""
    cdef Region region
    if rounding is None:
        return as_halves(value)
    region = Region.__new__(Region)
    region.value = region_value() & (BUILTINS | STRICT) | mode_number(rounding)
    region.enter(NULL)
    try:
        return as_halves(value)
    finally:
        region.leave(NULL)


cdef inline bint is_half(object value) noexcept:
    """Return whether it is of class half, or of a derived one."""
    return PyObject_TypeCheck(value, <PyTypeObject *>SCALAR_CLASS)


cdef object new_scalar(object type, uint16_t bits):
    cdef object scalar = halfcl_alloc(<PyTypeObject *>type)
    (<float16>scalar).obval = bits
    return scalar


cdef int check_half_class(object cls) except -1:
    """Raise TypeError unless it is half or derives from it: only these have room for one."""
    if not PyType_Check(cls):
        raise TypeError(f"half.__new__(X): X is not a type object ({type(cls).__name__})")
    if not PyType_IsSubtype(<type>cls, <type>half):
        name = (<type>cls).__name__
        raise TypeError(f"half.__new__({name}): {name} is not a subtype of half")
    return 0


def remade(cls, uint16_t bits, attributes):
    """Return an unpickled instance of a class that derives from half.

    Pickles refer to this function by its name.
    """
    check_half_class(cls)
    scalar = new_scalar(cls, bits)
    if attributes:
        scalar.__dict__.update(attributes)
    return scalar


cdef int report(unsigned flags, str operation) except -1:
    """Report exceptions raised outside a ufunc to numpy.errstate: a warning, an error, nothing."""
    cdef bytes name = operation.encode()
    cdef int errors = 0
    if flags & HALFCL_MISUSE:
        raise SystemError(f"halfcl: {operation}: a kernel was run by another kind's driver")
    if flags & HALFCL_INVALID:
        errors |= NPY_FPE_INVALID
    if flags & HALFCL_DIVBYZERO:
        errors |= NPY_FPE_DIVIDEBYZERO
    if flags & HALFCL_OVERFLOW:
        errors |= NPY_FPE_OVERFLOW
    if flags & HALFCL_UNDERFLOW:
        errors |= NPY_FPE_UNDERFLOW
    if flags & MAKING_SPECIALS and are_finite_results_watched():
        notify_of(operation, (), reason_of(flags))
    if errors:
        PyUFunc_GiveFloatingpointErrors(name, errors)
    return 0


# ---------------------------------------------------------------- hexadecimal

cdef object HEXADECIMAL = re.compile(
    r"\s*(?P<sign>[+-]?)(?:(?:0x)?(?P<digits>[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)"
    r"(?:p(?P<exponent>[+-]?[0-9]+))?|(?P<special>inf|infinity|nan))\s*",
    re.ASCII | re.IGNORECASE)


cdef str hexadecimal(uint16_t bits):
    """Return the text of float.hex; 10 bits are three digits, the last one in multiples of four."""
    sign = "-" if bits & 0x8000 else ""
    cdef int exponent = (bits >> 10) & 31, fraction = (bits & 0x3FF) << 2
    if exponent == 31:
        return "nan" if fraction else sign + "inf"
    if exponent == 0 and fraction == 0:
        return sign + "0x0.0p+0"
    return f"{sign}0x{exponent > 0:d}.{fraction:03x}p{max(exponent, 1) - 15:+d}"


cdef str literal_of_hexadecimal(object text):
    """Return the literal for half of a text for float.fromhex."""
    if not isinstance(text, str):
        raise TypeError(f"half.fromhex: argument text: expected str, got {type(text).__name__}")
    match = HEXADECIMAL.fullmatch(text)
    if match is None:
        raise ValueError(f"half.fromhex: argument text: expected a hexadecimal number, got {text!r}")
    if match["special"]:
        return match["sign"] + match["special"]
    return f"{match['sign']}0x{match['digits']}p{match['exponent'] or 0}"


# ---------------------------------------------------------------- the scalar type

class half(np.float16):
    """half(value=0.0, /, *, rounding=None)

    A half-precision number: IEEE 754 binary16, OpenCL's ``half``.

    ``half`` is also a NumPy dtype: ``np.array([1, 2], dtype=half)``. A scalar
    behaves as `numpy.float16`, from which it derives; operators follow the
    rounding mode of the region that they are in.

    Parameters
    ----------
    value : number, str, None or array_like, optional
        The value to convert, rounded once. A string is a decimal or hexadecimal
        literal, with or without OpenCL's suffix ``h``. None is NaN, as in numpy.float16.
        An array gives an array.
    rounding : {"rte", "rtz", "rtp", "rtn"} or array of them, broadcast, optional
        The rounding mode; the region's unless cls. An array, of names or of places in
        `MODES`, gives each element its own.

    Raises
    ------
    TypeError
        If the value is none of these, or ``half.__new__`` is asked for another class.
    ValueError
        If a string is not a literal, or the rounding mode is unknown.

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

    def __new__(cls, value=0.0, /, *others, rounding=None):
        cdef unsigned flags = 0
        check_half_class(cls)
        if others:
            raise TypeError(
                f"half: expected one value, got {1 + len(others)}: "
                "half([...]) makes an array, half(x, rounding=...) rounds in a mode"
            )
        if isinstance(rounding, cnp.ndarray):
            return halves_in_modes(value, rounding)
        if is_sequence(value):
            value = array_in_mode(value, rounding)
            if not is_half(value):
                return value  # an array
        if rounding is None:
            bits = to_bits_by_region(value, &flags)
        else:
            bits = to_bits(value, <halfcl_rounding>mode_number(rounding), &flags)
        # A signalling NaN raises nothing here, as in float16's casts.
        report(flags & ~HALFCL_INVALID, "cast")
        return new_scalar(cls, bits)

    def hex(self, /):
        """Return the number in hexadecimal, as `float.hex`, with the three digits of a half.

        Returns
        -------
        str
            ``half.fromhex`` and ``half`` read the same number from it.

        Examples
        --------
        >>> from halfcl import half
        >>> half(0.1).hex(), half(-2**-24).hex()
        ('0x1.998p-4', '-0x0.004p-14')
        """
        return hexadecimal((<float16>self).obval)

    @classmethod
    def fromhex(cls, text, /, *, rounding=None):
        """Return the half that a hexadecimal literal spells, as `float.fromhex`, rounded once.

        Parameters
        ----------
        text : str
            With or without ``0x``, a point, an exponent of two; or ``inf``, ``nan``.
        rounding : {"rte", "rtz", "rtp", "rtn"}, optional
            The rounding mode; the region's unless cls.

        Returns
        -------
        half

        Raises
        ------
        TypeError
            If ``text`` is not a str.
        ValueError
            If it is not such a literal, or the rounding mode is unknown.

        Examples
        --------
        >>> from halfcl import half
        >>> half.fromhex("0x1.8p-3"), half.fromhex("0x1.0008p0", rounding="rtp")
        (half(0.1875), half(1.001))
        """
        return cls(literal_of_hexadecimal(text), rounding=rounding)

    def __repr__(self):
        return f"half({self!s})"

    def _repr_html_(self):
        from halfcl._anatomy import anatomy

        return anatomy(self)._repr_html_()

    def __reduce__(self):
        if not is_half(self):
            raise TypeError(wrong_self("__reduce__", self))
        # As NumPy: a dtype and bits; a class that derives from half has more.
        if type(self) is half:
            return np.float16.__reduce__(self)
        attributes = getattr(self, "__dict__", None)
        return remade, (type(self), (<float16>self).obval, attributes)

    # NumPy 2.0 copies to the class of the dtype.
    def __copy__(self):
        function, arguments = self.__reduce__()
        return function(*arguments)

    def __deepcopy__(self, memo, /):
        function, arguments = self.__reduce__()
        return function(*deepcopy(arguments, memo))


cdef PyObject *SCALAR_CLASS = <PyObject *>half
cdef PyObject *FLOAT16_SCALAR_CLASS = <PyObject *>np.float16
halfcl_keep_scalars(<PyTypeObject *>SCALAR_CLASS)
halfcl_count_no_more(half)


@cython.final
@cython.internal
cdef class OfClassAlone:
    """An attribute of half that neither scalars nor derived classes have."""

    cdef str name
    cdef object value

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __get__(self, instance, owner):
        if instance is None and owner is half:
            return self.value
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {self.name!r}" if instance is not None
            else f"type object {owner.__name__!r} has no attribute {self.name!r}")


# NumPy looks it up in a scalar's class twice per call, and takes ndarray's for none. Before Python
# 3.13, finding none, by an exception, takes longer than an addition. Dask looks it up in the
# scalar.
half.__array_ufunc__ = OfClassAlone("__array_ufunc__", np.ndarray.__array_ufunc__)
