# The engine's C interface: csrc/halfcl.h, csrc/driver.h and csrc/geometric.h.
from libc.stdint cimport uint16_t

cdef extern from "halfcl.h" nogil:
    ctypedef enum halfcl_rounding:
        HALFCL_RTE, HALFCL_RTZ, HALFCL_RTP, HALFCL_RTN

    enum:
        HALFCL_INVALID, HALFCL_DIVBYZERO, HALFCL_OVERFLOW, HALFCL_UNDERFLOW

    ctypedef struct halfcl_kernel:
        const char *name
        const char *types

    ctypedef struct halfcl_isa:
        const char *name

    const halfcl_isa *halfcl_available(size_t index)
    const halfcl_isa *halfcl_find_isa(const char *name)
    const halfcl_kernel *halfcl_find_kernel(
        const halfcl_isa *isa, const char *name, const char *types)
    const char *halfcl_cpu_feature(size_t index)
    float halfcl_to_float(uint16_t half)
    uint16_t halfcl_from_double(double value, halfcl_rounding mode, unsigned *flags)
    size_t halfcl_parse(const char *text, size_t length, double *rounded_to_odd)

cdef extern from "driver.h" nogil:
    unsigned halfcl_run(
        const halfcl_kernel *kernel, char *const *operands, const Py_ssize_t *steps,
        size_t n, halfcl_rounding mode)
    unsigned halfcl_fold(
        const halfcl_kernel *binary, const halfcl_kernel *reduce, uint16_t *accumulator,
        const char *data, Py_ssize_t step, size_t n, halfcl_rounding mode)
    unsigned halfcl_dot(
        const halfcl_kernel *dot, const char *a, Py_ssize_t a_step, const char *b,
        Py_ssize_t b_step, uint16_t *out, size_t n, halfcl_rounding mode)
    unsigned halfcl_matmul(
        const halfcl_kernel *dot,
        const char *a, Py_ssize_t a_row, Py_ssize_t a_column,
        const char *b, Py_ssize_t b_row, Py_ssize_t b_column,
        char *out, Py_ssize_t out_row, Py_ssize_t out_column,
        size_t m, size_t n, size_t p, halfcl_rounding mode)
    void halfcl_copy(
        char *to, Py_ssize_t to_step, const char *source, Py_ssize_t step, size_t n)
    void halfcl_raise(unsigned flags)

cdef extern from "geometric.h" nogil:
    ctypedef struct halfcl_vectors:
        char *start
        Py_ssize_t step, component
        size_t width

    unsigned halfcl_geometric(
        const halfcl_kernel *kernel, const halfcl_vectors *operands, size_t n,
        halfcl_rounding mode)
