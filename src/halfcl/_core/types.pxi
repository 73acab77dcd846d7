# The one map between the letters in the tables' types ("ee>e"), the engine's types, and NumPy's
# type numbers and dtypes. (NumPy has letters, too; but a user's dtype may have any of them.)
# Needs: nothing

from libc.string cimport memset

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyArray_Descr_struct "struct _PyArray_Descr":
        pass
    ctypedef struct PyArray_Descr_fields "PyArray_Descr":
        char type
        char byteorder
        int type_num
        cnp.npy_intp elsize

    object PyArray_Scalar(void *, cnp.dtype, object)

cdef extern from *:
    """
    /* Make an object that lives as long as the process immortal. Without the interpreter's lock,
       threads that use one object contend for its reference count.

       This writes the fields, as Python's own private function does. Py_SET_REFCNT with a large
       count does the same, but only for an object that belongs to this thread. Some belong to none,
       for example a function that only a decorator has held: it sets their count to -1, and they
       are freed while they are in use. */
    static void halfcl_count_no_more(PyObject *object)
    {
    #ifdef Py_GIL_DISABLED
        object->ob_tid = _Py_UNOWNED_TID;
        object->ob_ref_local = _Py_IMMORTAL_REFCNT_LOCAL;
        object->ob_ref_shared = 0;
    #else
        (void)object;
    #endif
    }
    """
    void halfcl_count_no_more(object)


def count_no_more(values):
    """Stop reference counting of values that Python code looks up in a module again and again."""
    for value in values:
        halfcl_count_no_more(value)


# Indexed by the engine's type: the letter, and the dtype; half's own is registered later.
cdef tuple TYPES = (
    ("e", np.dtype(np.float16)), ("?", np.dtype(np.bool_)),
    ("b", np.dtype(np.int8)), ("B", np.dtype(np.uint8)),
    ("h", np.dtype(np.int16)), ("H", np.dtype(np.uint16)),
    ("i", np.dtype(np.int32)), ("I", np.dtype(np.uint32)),
    ("q", np.dtype(np.int64)), ("Q", np.dtype(np.uint64)),
    ("f", np.dtype(np.float32)), ("d", np.dtype(np.float64)),
)
assert len(TYPES) == HALFCL_TYPES

cdef cnp.dtype FLOAT16 = np.dtype(np.float16)
cdef cnp.dtype FLOAT32 = np.dtype(np.float32)
cdef cnp.dtype FLOAT64 = np.dtype(np.float64)
cdef dict TYPES_BY_LETTER = {letter: type for type, (letter, _) in enumerate(TYPES)}

cdef enum:
    NO_TYPE = -1
    BUILTIN_NUMBERS = 24  # NumPy's own dtypes have the numbers below

# Indexed by the number of a NumPy dtype; and half's dtype, once it is registered, and number.
cdef int[BUILTIN_NUMBERS] types_by_number
cdef cnp.dtype HALF = None
cdef int HALF_NUMBER = NO_TYPE


cdef int fill_types_by_number() except -1:
    """Map the numbers of NumPy's dtypes; its two types of 64 (or 32) bits map to the same one."""
    cdef int number
    for number in range(BUILTIN_NUMBERS):
        types_by_number[number] = NO_TYPE
        dtype = cnp.PyArray_DescrFromType(number)
        for type, (_, same) in enumerate(TYPES):
            if dtype == same:
                types_by_number[number] = type
    return 0


fill_types_by_number()


cdef inline int engine_type(int number) noexcept nogil:
    """Return the engine's type for a dtype of that number, half for float16 too; or NO_TYPE."""
    if 0 <= number < BUILTIN_NUMBERS:
        return types_by_number[number]
    return HALFCL_HALF if number == HALF_NUMBER and number >= 0 else NO_TYPE


cdef object dtype_of_type(int type):
    """Return the usual dtype of an engine's type; half itself for halves."""
    return HALF if type == HALFCL_HALF else TYPES[type][1]


cdef list dtypes_of_type(int type):
    """Return NumPy's own dtypes of an engine's type."""
    return [
        cnp.PyArray_DescrFromType(number) for number in range(BUILTIN_NUMBERS)
        if types_by_number[number] == type
    ]


cdef int parse_types(str types, halfcl_signature *signature) except -1:
    """Read the types that a table spells: inputs ">" outputs, a letter each."""
    inputs, outputs = types.split(">")
    if len(inputs) + len(outputs) > HALFCL_MAX_OPERANDS:
        raise ValueError(f"types: expected {HALFCL_MAX_OPERANDS} operands at most, got {types!r}")
    memset(signature, 0, sizeof(signature[0]))
    signature.nin, signature.nout = len(inputs), len(outputs)
    for i, letter in enumerate(inputs + outputs):
        if letter not in TYPES_BY_LETTER:
            raise ValueError(f"types: expected letters of {''.join(TYPES_BY_LETTER)}, got {types!r}")
        signature.types[i] = <unsigned char><int>TYPES_BY_LETTER[letter]
    return 0


cdef const halfcl_kernel *find_kernel(str name, str types, halfcl_kind kind) except NULL:
    cdef bytes encoded = name.encode()
    cdef halfcl_signature signature
    parse_types(types, &signature)
    cdef const halfcl_kernel *kernel = halfcl_find_kernel(ISA, encoded, kind, &signature)
    if kernel == NULL:
        raise LookupError(f"no kernel {name!r} of types {types!r} in set {ISA_NAME!r}")
    return kernel


cdef inline uint16_t swap_bytes(uint16_t bits) noexcept nogil:
    return <uint16_t>((bits >> 8) | (bits << 8))
