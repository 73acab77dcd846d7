# The rounding mode of a region, in a context variable.

from contextvars import ContextVar

from cpython.contextvars cimport PyContextVar_Get, PyContextVar_Set
from cpython.long cimport PyLong_AsUnsignedLongMask
from cpython.ref cimport Py_DECREF

cdef str RTE = "rte", RTZ = "rtz", RTP = "rtp", RTN = "rtn"
MODES = (RTE, RTZ, RTP, RTN)
cdef dict MODE_NUMBERS = {name: number for number, name in enumerate(MODES)}

# The variable's value is the stack of regions as one int, REGION_BITS each, the
# innermost lowest: a mode's number, plus BUILTINS where the region also governs
# the built-in functions. Leaving a region shifts it out, so a region object
# holds nothing and may be entered by many threads at once.
cdef enum:
    BUILTINS = 4
    REGION_BITS = 3

cdef object region_variable = ContextVar("halfcl_rounding", default=0)

# Whether any region was ever entered. Until then every mode is rte, and loops
# that run without the GIL need not take it to find that out. It never goes
# back: a copied context can outlive the region that it was copied in.
cdef bint regions_used = False


cdef int mode_number(object name) except -1:
    # Literals are interned: most calls stop at the first comparison that holds.
    if name is RTE:
        return HALFCL_RTE
    if name is RTZ:
        return HALFCL_RTZ
    if name is RTP:
        return HALFCL_RTP
    if name is RTN:
        return HALFCL_RTN
    number = MODE_NUMBERS.get(name) if isinstance(name, str) else None
    if number is None:
        raise ValueError(
            f"rounding: expected one of 'rte', 'rtz', 'rtp', 'rtn', got {name!r}")
    return number


cdef int region_value() except -1:
    """The innermost region's mode and BUILTINS. Needs the GIL."""
    cdef PyObject *value = NULL
    if not regions_used:
        return 0
    PyContextVar_Get(region_variable, NULL, &value)
    cdef int innermost = PyLong_AsUnsignedLongMask(<object>value) & 7
    Py_DECREF(<object>value)
    return innermost


# Who chooses a function's mode: a region, as operator or as built-in; or, as the
# mode's own number, nobody.
cdef enum:
    BY_OPERATOR = -1
    BY_BUILTIN = -2


cdef halfcl_rounding chosen_mode(int chooser) noexcept:
    """The mode in force for what is chosen so."""
    if chooser >= 0:
        return <halfcl_rounding>chooser
    cdef int value = region_value()
    if chooser == BY_BUILTIN and not value & BUILTINS:
        return HALFCL_RTE
    return <halfcl_rounding>(value & 3)


cdef halfcl_rounding operator_mode() noexcept:
    """The mode that governs operators and conversions to half."""
    return chosen_mode(BY_OPERATOR)


cdef halfcl_rounding operator_mode_nogil() noexcept nogil:
    """The same, for code that NumPy may run without the GIL (arange, dot)."""
    if not regions_used:
        return HALFCL_RTE
    with gil:
        return operator_mode()


def get_rounding():
    """The rounding mode in force: OpenCL's ``__ROUNDING_MODE__``.

    Returns
    -------
    str
        ``"rte"``, ``"rtz"``, ``"rtp"`` or ``"rtn"``; ``"rte"`` outside any region.

    See Also
    --------
    rounding : set it for a region.

    Notes
    -----
    Source: the cl_khr_select_fprounding_mode extension of OpenCL 1.0.

    Examples
    --------
    >>> import halfcl as hc
    >>> with hc.rounding("rtp"):
    ...     hc.get_rounding()
    'rtp'
    """
    return MODES[operator_mode()]


def check_mode(mode):
    """ValueError unless mode is one of the four."""
    mode_number(mode)


def enter_region(mode, bint builtins):
    """Set the mode in the current context, inside the regions that it has."""
    global regions_used
    value = mode_number(mode) | (BUILTINS if builtins else 0)
    regions_used = True
    PyContextVar_Set(region_variable, (region_variable.get() << REGION_BITS) | value)


def leave_region():
    """Leave the innermost region of the current context."""
    PyContextVar_Set(region_variable, region_variable.get() >> REGION_BITS)
