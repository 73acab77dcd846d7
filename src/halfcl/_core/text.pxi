# Halves read from text: numpy.fromfile and numpy.fromstring with a separator. Each is rounded once,
# in the region's mode. (numpy.loadtxt and genfromtxt call the scalar type.)
# Needs: regions.pxi, scalar.pxi, types.pxi

from cpython.exc cimport PyErr_SetNone
from libc.stdio cimport EOF, FILE

cdef extern from "scan.h" nogil:
    ctypedef struct halfcl_scanner:
        int c
        size_t spaces, n
        const char *text
        bint hexadecimal, no_memory, too_long

    void halfcl_scan(halfcl_scanner *, FILE *, const char *)
    void halfcl_scan_end(halfcl_scanner *)


cdef void report_no_memory() noexcept with gil:
    PyErr_SetNone(MemoryError)


cdef size_t read_number(halfcl_scanner *scanner, void *to, PyArray_Descr_struct *dtype) noexcept nogil:
    """Write a scanned number in the dtype's byte order; return how much of its text was used."""
    cdef double value = 0
    cdef unsigned flags = 0
    cdef uint16_t bits
    if scanner.no_memory:
        report_no_memory()
        return 0
    cdef size_t used = 0 if scanner.too_long else halfcl_parse(scanner.text, scanner.n, &value)
    if used:
        bits = halfcl_from_double(value, mode_of_number_nogil(loop_mode_nogil(), value), &flags)
        if not cnp.PyArray_ISNBO((<PyArray_Descr_fields *>dtype).byteorder):
            bits = swap_bytes(bits)
        memcpy(to, &bits, sizeof(bits))
    return used


cdef int half_scan(
    FILE *file, void *to, char *ignored, PyArray_Descr_struct *dtype
) noexcept nogil:
    """Scan a number as fscanf: return 1, or 0 if there is no number, or EOF at the end."""
    cdef halfcl_scanner scanner
    halfcl_scan(&scanner, file, NULL)
    cdef bint at_end = scanner.c == EOF and scanner.n == 0 and scanner.spaces == 0
    cdef size_t used = read_number(&scanner, to, dtype)
    # The rest of 1e or nan(1), which belongs to no number, is skipped, as for float16; 0x is not 0.
    cdef bint is_number = used > 0 and (used == scanner.n or not scanner.hexadecimal)
    halfcl_scan_end(&scanner)
    return EOF if at_end else is_number


cdef int half_fromstr(
    char *text, void *to, char **end, PyArray_Descr_struct *dtype
) noexcept nogil:
    """Parse a number; return 0 and its end, or -1 if there is none."""
    cdef halfcl_scanner scanner
    halfcl_scan(&scanner, NULL, text)
    cdef size_t used = read_number(&scanner, to, dtype)
    if 0 < used < scanner.n and scanner.text[used] == b"(":
        used = scanner.n
    end[0] = text + scanner.spaces + used if used else text
    halfcl_scan_end(&scanner)
    return 0 if used else -1
