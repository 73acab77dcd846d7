# Replaces NumPy's casts of text to float16, so that an Experiment governs them as other casts, and
# restores them.
# Needs: accelerated_casts.pxi, acceleration.pxi, drivers.pxi, dtype.pxi, loops.pxi, promotion.pxi, regions.pxi, scalar.pxi, text_casts.pxi, types.pxi

from cpython.dict cimport PyDict_CheckExact
from cpython.pycapsule cimport PyCapsule_CheckExact, PyCapsule_GetPointer

cdef extern from "numpy_compat.h":
    halfcl_array_method *halfcl_method_of_strings(object)

ctypedef void (*legacy_cast)(void *, void *, cnp.npy_intp, void *, void *) except *


cdef int round_text(object text, char *to) except -1:
    """Round the half of a text again, in the mode of casts, unless it is exact."""
    cdef double value = float(text)  # as NumPy reads it
    cdef unsigned flags = 0
    cdef uint16_t bits
    memcpy(&bits, to, sizeof(bits))
    if value != value or halfcl_to_float(bits) == value:
        return 0
    bits = halfcl_from_double(value, mode_of_cast(value), &flags)
    watch_number(value, bits, flags)
    memcpy(to, &bits, sizeof(bits))
    return 0


# ---------------------------------------------------------------- texts of fixed width

# NumPy's functions that cast each kind of text, by the number of its type.
cdef legacy_cast[BUILTIN_NUMBERS] text_casts_of_numpy


cdef void text_to_float16(
    void *source, void *target, cnp.npy_intp n, void *source_array, void *target_array
) except * with gil:
    """Cast texts next to each other by NumPy's function, and round them again in an Experiment."""
    cdef cnp.dtype dtype = (<object>source_array).dtype
    cdef cnp.npy_intp i
    text_casts_of_numpy[dtype.num](source, target, n, source_array, target_array)
    if not may_be_watched():
        return
    for i in range(n):
        round_text(
            text_at(<char *>source + i * dtype.itemsize, <PyArray_Descr_fields *>dtype),
            <char *>target + i * sizeof(uint16_t))


cdef class ReplacedTextCast:
    """NumPy's cast of a kind of text of fixed width to float16, which can be replaced.

    NumPy has these functions in dicts, by the number of the other type. ValueError if there is no
    such dict, or it has none for float16.
    """

    cdef dict casts
    cdef int type_number

    def __cinit__(self, cnp.dtype text not None):
        cdef PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(text)
        self.type_number = text.num
        if functions.castdict == NULL or not PyDict_CheckExact(<object>functions.castdict):
            raise ValueError(f"text: expected a dtype with a dict of casts, got {text!r}")
        self.casts = <dict>functions.castdict
        if not PyCapsule_CheckExact(self.casts.get(NPY_HALF)):
            raise ValueError(f"text: expected a dtype with a cast to float16, got {text!r}")
        if not self.is_replaced:  # by a module that was imported before
            text_casts_of_numpy[self.type_number] = <legacy_cast>self.numpys_cast()

    cdef void *numpys_cast(self) except NULL:
        """Return the function that NumPy calls."""
        return PyCapsule_GetPointer(self.casts[NPY_HALF], NULL)

    @property
    def is_replaced(self):
        return self.numpys_cast() == <void *>text_to_float16

    def replace(self):
        """Replace NumPy's function by halfcl's."""
        self.casts[NPY_HALF] = PyCapsule_New(<void *>text_to_float16, NULL, NULL)

    def restore(self):
        """Restore NumPy's function."""
        self.casts[NPY_HALF] = PyCapsule_New(
            <void *>text_casts_of_numpy[self.type_number], NULL, NULL)


# ---------------------------------------------------------------- StringDType

cdef void *string_cast_of_numpy = NULL


cdef int string_to_float16(
    PyArrayMethod_Context *context, char *const *data, const cnp.npy_intp *dimensions,
    const cnp.npy_intp *strides, NpyAuxData *auxdata
) except -1:
    """Cast strings by NumPy's loop, and round them again in an Experiment."""
    cdef int failed = (<strided_loop>halfcl_kept(&string_cast_of_numpy))(
        context, data, dimensions, strides, auxdata)
    if failed or not may_be_watched():
        return failed
    cdef list texts = strings_at(context, data[0], dimensions[0], strides[0])
    cdef cnp.npy_intp i
    for i in range(dimensions[0]):
        round_text(texts[i], data[1] + i * strides[1])
    return 0


cdef list strings_at(
    PyArrayMethod_Context *context, const char *at, cnp.npy_intp n, cnp.npy_intp step
):
    """Return the strings of an array; a missing one, which NumPy has cast, as "nan"."""
    cdef npy_string_allocator *allocator = NpyString_acquire_allocator(
        <PyArray_StringDTypeObject *>context.descriptors[0])
    cdef npy_static_string text
    cdef list strings = []
    cdef cnp.npy_intp i
    try:
        for i in range(n):
            is_text = NpyString_load(
                allocator, <const npy_packed_static_string *>(at + i * step), &text) == 0
            strings.append(text.buf[:text.size].decode() if is_text else "nan")
    finally:
        NpyString_release_allocator(allocator)
    return strings


cdef class ReplacedStringCast:
    """NumPy's cast of StringDType to float16, which can be replaced.

    bound: the result of NumPy's _get_castingimpl. ValueError if it is not laid out as expected.
    """

    cdef object bound  # keeps the method alive
    cdef halfcl_array_method *method

    def __cinit__(self, bound not None):
        self.bound, self.method = bound, halfcl_method_of_strings(bound)
        if self.method == NULL:
            raise ValueError(f"bound: expected the method of a cast, got {bound!r}")

    @property
    def is_replaced(self):
        return self.method.strided == <void *>string_to_float16

    def replace(self):
        """Replace NumPy's loop by halfcl's."""
        if not self.is_replaced:
            halfcl_keep(&string_cast_of_numpy, &self.method.strided, sizeof(void *))
            halfcl_publish(&self.method.strided, <void *>string_to_float16)
            halfcl_publish(&self.method.contiguous, <void *>string_to_float16)

    def restore(self):
        """Restore NumPy's loop."""
        if self.is_replaced:
            halfcl_publish(&self.method.strided, string_cast_of_numpy)
            halfcl_publish(&self.method.contiguous, string_cast_of_numpy)
