# The floating-point environment in which intervals between doubles are computed.
# Needs: nothing


cdef class DefaultEnvironment:
    """A context in which this thread rounds to nearest and keeps subnormals, whatever it did before.
    """

    cdef halfcl_env caller

    def __cinit__(self):
        halfcl_enter(&self.caller, HALFCL_RTE)
        halfcl_leave(&self.caller)  # so __exit__ alone changes nothing

    def __enter__(self):
        halfcl_enter(&self.caller, HALFCL_RTE)

    def __exit__(self, *error):
        halfcl_leave(&self.caller)


def round_outward(function, tuple lower, tuple upper):
    """Return function(*lower) rounded down, and function(*upper) rounded up; subnormals are kept.

    The processor's rounding mode is set for these calls. All Python code that the function ran would
    be rounded so, too; therefore it must be a function in C, such as NumPy's ufuncs of doubles, and
    floating-point exceptions must be ignored (`numpy.errstate`). In Python 3.11 a garbage collection
    may begin in these calls, whose finalisers are rounded so; later ones collect between bytecodes.
    """
    cdef halfcl_env caller, between
    halfcl_enter(&caller, HALFCL_RTN)
    try:
        low = function(*lower)
        halfcl_enter(&between, HALFCL_RTP)
        return low, function(*upper)
    finally:
        halfcl_leave(&caller)
