# cython: language_level=3, binding=True, boundscheck=False, wraparound=False
# cython: freethreading_compatible=True
# cython: auto_pickle=False, emit_code_comments=False
"""Uses NumPy's C API for halfcl: the rounding variable, the dtype, the ufuncs.

Two rules keep C from following invalid pointers:

- `isinstance` is used with classes that Cython knows (cnp.ndarray, cnp.generic, str, ...), which it
  checks in C: Python's `isinstance` trusts an object's `__class__`, which may be a proxy's.
- Code of users (`__index__`, `__float__`, `__array__`, `__eq__`, warnings) runs before shapes are read
  and addresses are taken, never after: it may resize any array.
"""

import os

cimport cython
cimport numpy as cnp
from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject, PyObject_TypeCheck, PyTypeObject, Py_TYPE
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF
from libc.stdint cimport uint16_t
from libc.stdlib cimport calloc, labs, malloc

from halfcl._core.engine cimport *

import numpy as np

cnp.import_array()
cnp.import_ufunc()


cdef const halfcl_isa *select_isa() except NULL:
    """Return the instruction set that HALFCL_ISA names, else the best one."""
    name = os.environ.get("HALFCL_ISA")
    cdef bytes encoded = os.fsencode(name or "")
    cdef const halfcl_isa *isa = halfcl_find_isa(<const char *>encoded if name else NULL)
    if isa == NULL:
        raise ImportError(
            f"HALFCL_ISA={name[:40]!r}: expected an instruction set that this processor has: "
            f"{', '.join(available_isas())}",
            name="halfcl",  # python -m halfcl prints just the message of such an error
        )
    return isa


def available_isas():
    """Return the names of the instruction sets that this processor can run, best last."""
    names = []
    cdef const halfcl_isa *isa
    while True:
        isa = halfcl_available(len(names))
        if isa == NULL:
            return tuple(names)
        names.append(isa.name.decode())


def cpu_features():
    """Return the names of the processor's features that the kernels check."""
    names = []
    cdef const char *name
    while True:
        name = halfcl_cpu_feature(len(names))
        if name == NULL:
            return tuple(names)
        names.append(name.decode())


cdef const halfcl_isa *ISA = select_isa()
ISA_NAME = ISA.name.decode()


include "types.pxi"
include "regions.pxi"
include "decisions.pxi"
include "threads.pxi"
include "drivers.pxi"
include "scalar.pxi"
include "text.pxi"
include "dtype.pxi"
include "arguments.pxi"
include "lines.pxi"
include "extremes.pxi"
include "sort.pxi"
include "partition.pxi"
include "search.pxi"
include "loops.pxi"
include "promotion.pxi"
include "ufunc.pxi"
include "acceleration.pxi"
include "call.pxi"
include "grids.pxi"
include "operators.pxi"
include "modes_of_elements.pxi"
include "errors.pxi"
include "foreign.pxi"
include "numbers.pxi"
include "function.pxi"
include "folds.pxi"
include "reduce.pxi"
include "one_line.pxi"
include "numpy_calls.pxi"
include "running_sums.pxi"
include "nonzero.pxi"
include "products_in_float32.pxi"
include "products.pxi"
include "where.pxi"
include "ranges.pxi"
include "methods.pxi"
include "ufunc_methods.pxi"
include "ufunc_segments.pxi"
include "ufunc_at.pxi"
include "statistics.pxi"
include "in_float64.pxi"
include "weighted.pxi"
include "neighbours.pxi"
include "one_half.pxi"
include "text_casts.pxi"
include "casts.pxi"
include "legacy_casts.pxi"
include "accelerated_casts.pxi"
include "accelerated_texts.pxi"
include "copies.pxi"
include "accelerated_arrays.pxi"
include "accelerated_scalars.pxi"
include "convert.pxi"
include "environment.pxi"
include "double_intervals.pxi"
include "chain_rule.pxi"
include "vector.pxi"
include "memory.pxi"
include "planes.pxi"
include "scattered.pxi"
include "images.pxi"
include "cuda_launches.pxi"
