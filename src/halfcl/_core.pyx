# cython: language_level=3, binding=True, boundscheck=False, wraparound=False
# cython: freethreading_compatible=False
"""Everything of halfcl that touches NumPy's C API: the rounding variable, the dtype, the ufuncs."""

import os

cimport numpy as cnp
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF
from libc.stdint cimport uint16_t
from libc.stdlib cimport calloc, malloc

from halfcl._engine cimport *

import numpy as np

cnp.import_array()
cnp.import_ufunc()


cdef const halfcl_isa *select_isa() except NULL:
    """The instruction set that HALFCL_ISA names, else the best one."""
    name = os.environ.get("HALFCL_ISA")
    cdef bytes encoded = (name or "").encode()
    cdef const halfcl_isa *isa = halfcl_find_isa(<const char *>encoded if name else NULL)
    if isa == NULL:
        raise ImportError(
            f"HALFCL_ISA={name!r}: expected an instruction set that this processor has: "
            f"{', '.join(available_isas())}"
        )
    return isa


def available_isas():
    """Names of the instruction sets that this processor can run, best last."""
    names = []
    cdef const halfcl_isa *isa
    while True:
        isa = halfcl_available(len(names))
        if isa == NULL:
            return tuple(names)
        names.append(isa.name.decode())


def cpu_features():
    """Names of the processor's features that the kernels look at."""
    names = []
    cdef const char *name
    while True:
        name = halfcl_cpu_feature(len(names))
        if name == NULL:
            return tuple(names)
        names.append(name.decode())


cdef const halfcl_isa *ISA = select_isa()
ISA_NAME = ISA.name.decode()


cdef const halfcl_kernel *find_kernel(str name, str types) except NULL:
    cdef bytes encoded_name = name.encode(), encoded_types = types.encode()
    cdef const halfcl_kernel *kernel = halfcl_find_kernel(ISA, encoded_name, encoded_types)
    if kernel == NULL:
        raise LookupError(f"no kernel {name!r} of types {types!r} in set {ISA_NAME!r}")
    return kernel


include "_core_rounding.pxi"
include "_core_dtype.pxi"
include "_core_ufunc.pxi"
include "_core_function.pxi"
include "_core_casts.pxi"
include "_core_vector.pxi"
include "_core_memory.pxi"
