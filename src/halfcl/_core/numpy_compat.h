/* Uses of NumPy's C side beyond its documented interface; numpy_methods.h has those of its
 * methods and functions. halfcl._numpy.compat lists them, with those of the Python side. Each
 * has its reason, the versions where it holds, a guard, and the behaviour where it does not
 * hold. */
#ifndef HALFCL_NUMPY_COMPAT_H
#define HALFCL_NUMPY_COMPAT_H

#include <Python.h>

#include <numpy/arrayobject.h>
#include <numpy/dtype_api.h>
#include <numpy/ufuncobject.h>
#include <stdbool.h>
#include <string.h>

/* ---------------------------------------------------------------- slots of array methods
 *
 * A loop chosen when it is asked for, by the rounding mode then in force, and the first
 * value of a reduction: slots that NumPy documents as unstable. Their numbers have been
 * these since NumPy 2.0, and are compiled in: with others, nothing is built. */
enum { HALFCL_RESOLVE_DESCRIPTORS = 2, HALFCL_GET_LOOP = 3, HALFCL_GET_INITIAL = 4 };

#ifdef NPY_METH_resolve_descriptors
_Static_assert(NPY_METH_resolve_descriptors == HALFCL_RESOLVE_DESCRIPTORS,
               "NumPy's slots moved");
#endif
#ifdef NPY_METH_get_loop
_Static_assert(NPY_METH_get_loop == HALFCL_GET_LOOP, "NumPy's slots moved");
#endif
#ifdef NPY_METH_get_reduction_initial
_Static_assert(NPY_METH_get_reduction_initial == HALFCL_GET_INITIAL, "NumPy's slots moved");
#endif

/* ---------------------------------------------------------------- DType classes
 *
 * Those of Python's int, float and complex, which ufunc promotion meets. They are in
 * NumPy's table of functions since 2.0, and not in its documentation. */
static inline PyObject *halfcl_python_number_class(int i)
{
    PyArray_DTypeMeta *classes[] = {&PyArray_PyLongDType, &PyArray_PyFloatDType,
                                    &PyArray_PyComplexDType};
    Py_INCREF(classes[i]);
    return (PyObject *)classes[i];
}

/* ---------------------------------------------------------------- what a DType class says of
 * itself
 *
 * NPY_DT_NUMERIC is what NumPy's testing functions ask before they look for NaN (since 2.4;
 * since 2.5 arrays of other types have no round). A legacy dtype cannot declare it; the flags
 * are a field of the public structure. Guard: float64 has it, bytes do not. */
static inline int halfcl_make_numeric(PyObject *dtype_class)
{
    PyArray_DTypeMeta *type = (PyArray_DTypeMeta *)dtype_class;
    enum { NUMERIC = 1 << 3 };
    if (!(PyArray_DoubleDType.flags & NUMERIC) || PyArray_BytesDType.flags & NUMERIC)
        return 0;
    type->flags |= NUMERIC;
    return 1;
}

/* A legacy dtype knows by its casts what it has in common with one other, and Python's numbers
 * answer for it; of three types NumPy then asks the wrong one: result_type(half, bool, 1) is
 * float64. So this method of half's class is replaced, and those of Python's numbers leave
 * half to it, as they leave float16 to its own.
 *
 * Methods are in an array of function pointers, in the order of the public NPY_DT_ numbers
 * (NumPy 2.0 to 2.5). Guard: NumPy's own number types share one method there; half's, of a
 * legacy dtype, is another, and so are those of Python's numbers. */
typedef PyObject *halfcl_common_dtype(PyObject *, PyObject *);

enum { HALFCL_PYTHON_NUMBERS = 3 };
static halfcl_common_dtype *halfcl_common_of_numbers[HALFCL_PYTHON_NUMBERS];
static PyObject *halfcl_half_class;

static inline halfcl_common_dtype **halfcl_common_dtype_of(PyArray_DTypeMeta *type)
{
    return type->dt_slots ? (halfcl_common_dtype **)type->dt_slots + (NPY_DT_common_dtype - 1)
                          : NULL;
}

/* Return the place of the function that stores a Python object in a DType class's array of
 * methods. NumPy calls it since 2.4; before, its own classes had none there, and it called the
 * dtype's legacy function. NULL if there is none, or if the array is not as expected. */
typedef int halfcl_store(PyArray_Descr *, PyObject *, char *);

static inline bool halfcl_has_known_methods(PyObject *dtype_class)
{
    halfcl_common_dtype **own = halfcl_common_dtype_of((PyArray_DTypeMeta *)dtype_class);
    halfcl_common_dtype **usual = halfcl_common_dtype_of(&PyArray_FloatDType);
    return own && usual && *own == *usual;
}

static inline void *halfcl_store_of(PyObject *dtype_class)
{
    if (!halfcl_has_known_methods(dtype_class))
        return NULL;
    void **methods = (void **)((PyArray_DTypeMeta *)dtype_class)->dt_slots;
    return methods[NPY_DT_setitem - 1] ? methods + (NPY_DT_setitem - 1) : NULL;
}

static inline PyObject *halfcl_common_of_number(int i, PyObject *number, PyObject *other)
{
    if (other == halfcl_half_class)
        return Py_NewRef(Py_NotImplemented);
    return halfcl_common_of_numbers[i](number, other);
}

static PyObject *halfcl_common_of_int(PyObject *number, PyObject *other)
{
    return halfcl_common_of_number(0, number, other);
}

static PyObject *halfcl_common_of_float(PyObject *number, PyObject *other)
{
    return halfcl_common_of_number(1, number, other);
}

static PyObject *halfcl_common_of_complex(PyObject *number, PyObject *other)
{
    return halfcl_common_of_number(2, number, other);
}

/* 1 if the methods were replaced, now or before (then replaced is not written), 0 if they are
 * not what they are taken for. */
static inline int halfcl_replace_common_dtype(PyObject *half, halfcl_common_dtype *ours,
                                              halfcl_common_dtype **replaced)
{
    halfcl_common_dtype *of_numbers[] = {halfcl_common_of_int, halfcl_common_of_float,
                                         halfcl_common_of_complex};
    PyArray_DTypeMeta *classes[] = {&PyArray_DoubleDType,    &PyArray_LongDType,
                                    &PyArray_PyLongDType,    &PyArray_PyFloatDType,
                                    &PyArray_PyComplexDType, (PyArray_DTypeMeta *)half};
    halfcl_common_dtype **found[6];
    for (int i = 0; i < 6; i++) {
        found[i] = halfcl_common_dtype_of(classes[i]);
        if (!found[i] || !*found[i] || (*found[i] == *found[0]) != (i < 2))
            return 0;
    }
    if (*found[5] == ours)
        return 1;
    halfcl_half_class = half;
    for (int i = 0; i < HALFCL_PYTHON_NUMBERS; i++) {
        halfcl_common_of_numbers[i] = *found[2 + i];
        *found[2 + i] = of_numbers[i];
    }
    *replaced = *found[5];
    *found[5] = ours;
    return 1;
}

/* ---------------------------------------------------------------- types that a call asks for
 *
 * dtype=half on arguments of other types: NumPy looks among the loops of the arguments' own
 * types alone, unless the types are its own. So the resolver of each ufunc, a field of the
 * public structure, is asked for float16 in half's place. It is called where no loop and no
 * promoter was found. */
enum { HALFCL_RESOLVERS = 256 };

static struct {
    PyUFuncObject *ufunc;
    PyUFunc_TypeResolutionFunc *of_numpy;
} halfcl_resolvers[HALFCL_RESOLVERS];

static int halfcl_resolver_type; /* the type number of half */

static inline PyUFunc_TypeResolutionFunc *halfcl_resolver_of_numpy(PyUFuncObject *ufunc)
{
    for (int i = 0; i < HALFCL_RESOLVERS && halfcl_resolvers[i].ufunc; i++)
        if (halfcl_resolvers[i].ufunc == ufunc)
            return halfcl_resolvers[i].of_numpy;
    return NULL;
}

static inline int halfcl_is_half(PyObject *dtype)
{
    return PyArray_DescrCheck(dtype) &&
           ((PyArray_Descr *)dtype)->type_num == halfcl_resolver_type;
}

/* The types asked for with float16 in half's place; NULL without an error if half is not
 * among them. */
static inline PyObject *halfcl_float16_for_half(PyObject *types)
{
    Py_ssize_t n = types && PyTuple_CheckExact(types) ? PyTuple_GET_SIZE(types) : 0, found = 0;
    for (Py_ssize_t i = 0; i < n; i++)
        found += halfcl_is_half(PyTuple_GET_ITEM(types, i));
    PyObject *changed = found ? PyTuple_New(n) : NULL;
    for (Py_ssize_t i = 0; changed && i < n; i++) {
        PyObject *type = PyTuple_GET_ITEM(types, i);
        PyTuple_SET_ITEM(changed, i,
                         halfcl_is_half(type) ? (PyObject *)PyArray_DescrFromType(NPY_HALF)
                                              : Py_NewRef(type));
    }
    return changed;
}

/* An operand as float16 sees it: a new reference. */
static inline PyArrayObject *halfcl_seen_as_float16(PyArrayObject *operand)
{
    if (!operand || PyArray_TYPE(operand) != halfcl_resolver_type)
        return (PyArrayObject *)Py_XNewRef(operand);
    return (PyArrayObject *)PyArray_Zeros(0, NULL, PyArray_DescrFromType(NPY_HALF), 0);
}

/* The resolver's answer for float16 in half's place. */
static int halfcl_resolve_as_float16(PyUFuncObject *ufunc, NPY_CASTING casting,
                                     PyArrayObject **operands, PyObject *types,
                                     PyArray_Descr **resolved)
{
    PyArrayObject *seen[NPY_MAXARGS] = {NULL};
    int failed = 0;
    for (int i = 0; i < ufunc->nargs; i++)
        seen[i] = operands[i];
    for (int i = 0; i < ufunc->nin; i++) {
        seen[i] = halfcl_seen_as_float16(operands[i]);
        failed |= operands[i] && !seen[i];
    }
    if (!failed)
        failed = halfcl_resolver_of_numpy(ufunc)(ufunc, casting, seen, types, resolved);
    for (int i = 0; i < ufunc->nin; i++)
        Py_XDECREF(seen[i]);
    for (int i = 0; !failed && i < ufunc->nargs; i++)
        if (resolved[i] && resolved[i]->type_num == NPY_HALF)
            Py_SETREF(resolved[i], PyArray_DescrFromType(halfcl_resolver_type));
    return failed;
}

static int halfcl_resolve_types(PyUFuncObject *ufunc, NPY_CASTING casting,
                                PyArrayObject **operands, PyObject *types,
                                PyArray_Descr **resolved)
{
    int of_half = 0;
    for (int i = 0; i < ufunc->nin; i++)
        of_half |= operands[i] && PyArray_TYPE(operands[i]) == halfcl_resolver_type;
    PyObject *changed = halfcl_float16_for_half(types);
    if (!changed && PyErr_Occurred())
        return -1;
    PyUFunc_TypeResolutionFunc *resolve =
        changed || of_half ? halfcl_resolve_as_float16 : halfcl_resolver_of_numpy(ufunc);
    int failed = resolve(ufunc, casting, operands, changed ? changed : types, resolved);
    Py_XDECREF(changed);
    return failed;
}

/* 1 if dtype=half will be understood, 0 if the ufunc has no resolver. */
static inline int halfcl_replace_resolver(PyUFuncObject *ufunc, int type_number)
{
    halfcl_resolver_type = type_number;
    if (!ufunc->type_resolver)
        return 0;
    for (int i = 0; i < HALFCL_RESOLVERS && ufunc->type_resolver != halfcl_resolve_types; i++)
        if (!halfcl_resolvers[i].ufunc) {
            Py_INCREF(ufunc);
            halfcl_resolvers[i].of_numpy = ufunc->type_resolver;
            halfcl_resolvers[i].ufunc = ufunc;
            ufunc->type_resolver = halfcl_resolve_types;
        }
    return ufunc->type_resolver == halfcl_resolve_types;
}

/* ---------------------------------------------------------------- casting="same_value"
 *
 * Since NumPy 2.4 a cast's context says whether values must stay the same. The headers show
 * it to modules alone that do without earlier versions. */
typedef struct {
    PyObject *caller;
    void *method;
    PyArray_Descr *const *descriptors;
    void *reserved;
    npy_uint64 flags;
} halfcl_context;

static inline int halfcl_knows_same_value(void)
{
    enum { SINCE_2_4 = 0x15 };
    static unsigned version; /* kept, since a call takes as long as a cast of few elements */
    if (!version)
        version = PyArray_GetNDArrayCFeatureVersion();
    return version >= SINCE_2_4;
}

static inline int halfcl_asks_same_value(const PyArrayMethod_Context *context)
{
    return halfcl_knows_same_value() && ((const halfcl_context *)context)->flags & 1;
}

/* ---------------------------------------------------------------- the carrier of casts
 *
 * A way to give a legacy dtype casts with loops of their own. NumPy's function for that is
 * private, but declaring a new-style DType registers whatever casts it brings, also
 * between other DTypes (NumPy 2.0 to 2.5). So the casts of half are brought by a DType
 * that exists for nothing else. From NumPy 2.5 on half itself could be declared that way
 * (NPY_DT_legacy_descriptor_proto). */
static PyArray_DTypeMeta halfcl_carrier;

/* A slot that every DType must have. There are no arrays of this one, so nothing calls it. */
static inline void *halfcl_carrier_unused(void)
{
    PyErr_SetString(PyExc_NotImplementedError, "halfcl's carrier of casts has no instances");
    return NULL;
}

/* casts ends with NULL, after one with no dtypes: the carrier's own. scalar is any
 * class that no other DType has. */
static inline int halfcl_register_casts(PyArrayMethod_Spec **casts, PyObject *scalar)
{
    PyTypeObject *type = (PyTypeObject *)&halfcl_carrier;
    Py_SET_TYPE(type, &PyArrayDTypeMeta_Type);
    Py_SET_REFCNT((PyObject *)type, 1);
    type->tp_name = "halfcl._core._Carrier";
    type->tp_base = &PyArrayDescr_Type;
    type->tp_basicsize = sizeof(PyArray_Descr);
    type->tp_flags = Py_TPFLAGS_DEFAULT;
    type->tp_repr = type->tp_str = PyBaseObject_Type.tp_repr;
    if (PyType_Ready(type) < 0)
        return -1;
    PyType_Slot slots[] = {
        {NPY_DT_getitem, (void *)halfcl_carrier_unused},
        {NPY_DT_setitem, (void *)halfcl_carrier_unused},
        {NPY_DT_ensure_canonical, (void *)halfcl_carrier_unused},
        {0, NULL},
    };
    PyArrayDTypeMeta_Spec spec = {
        .typeobj = (PyTypeObject *)scalar,
        .casts = casts,
        .slots = slots,
    };
    return PyArrayInitDTypeMeta_FromSpec(&halfcl_carrier, &spec);
}

/* ---------------------------------------------------------------- array methods
 *
 * What NumPy runs for a cast, or for a ufunc's types, is an object with functions in it:
 * one that chooses a cast's loop, and the loop of ufunc.at. halfcl.accelerate() replaces
 * these two for float16. The struct is private, and has been this from NumPy 2.0 to 2.5.
 *
 * Guard: the type's name and size, and the numbers of operands and the method's name as
 * they are read through the struct; others are left alone, and then NumPy's casts and
 * ufunc.at stay. */
typedef struct {
    PyObject_HEAD char *name;
    int nin, nout;
    NPY_CASTING casting;
    NPY_ARRAYMETHOD_FLAGS flags;
    void *static_data, *resolve_with_scalars, *resolve;
    PyArrayMethod_GetLoop *get_loop;
    void *get_reduction_initial;
    PyArrayMethod_StridedLoop *strided, *contiguous, *unaligned_strided, *unaligned_contiguous;
    PyArrayMethod_StridedLoop *indexed; /* of ufunc.at */
    void *wrapped[4];
    char initial[sizeof(npy_clongdouble)];
} halfcl_array_method;

typedef struct {
    PyObject_HEAD PyArray_DTypeMeta **dtypes;
    halfcl_array_method *method;
} halfcl_bound_method;

/* The content of the capsule that ufunc._resolve_dtypes_and_context returns (see its
 * docstring). */
typedef struct {
    PyArrayMethod_StridedLoop *loop;
    PyArrayMethod_Context *context;
} halfcl_call_info;

static inline bool halfcl_has_type(PyObject *object, const char *name, size_t size)
{
    return strcmp(Py_TYPE(object)->tp_name, name) == 0 &&
           (size_t)Py_TYPE(object)->tp_basicsize == size;
}

/* The method, if it is what it is taken for; else NULL, without an error. */
static inline halfcl_array_method *halfcl_checked_method(void *object, int nin, int nout,
                                                         const char *name)
{
    halfcl_array_method *method = (halfcl_array_method *)object;
    return halfcl_has_type((PyObject *)method, "numpy._ArrayMethod", sizeof *method) &&
                   method->nin == nin && method->nout == nout &&
                   strncmp(method->name, name, strlen(name)) == 0
               ? method
               : NULL;
}

/* Return a cast's method from the result of numpy._core._multiarray_umath._get_castingimpl. */
static inline halfcl_array_method *halfcl_method_of_cast(PyObject *bound, const char *name)
{
    return halfcl_has_type(bound, "numpy._BoundArrayMethod", sizeof(halfcl_bound_method))
               ? halfcl_checked_method(((halfcl_bound_method *)bound)->method, 1, 1, name)
               : NULL;
}

/* Return the method of a cast that converts numbers, with loops for all strides. */
static inline halfcl_array_method *halfcl_method_of_conversion(PyObject *bound)
{
    halfcl_array_method *method = halfcl_method_of_cast(bound, "numeric_cast");
    return method && method->strided && method->contiguous && method->unaligned_strided &&
                   method->unaligned_contiguous && !method->indexed
               ? method
               : NULL;
}

/* Return the method of the cast of StringDType to a number, with one loop for all strides of
 * aligned arrays. */
static inline halfcl_array_method *halfcl_method_of_strings(PyObject *bound)
{
    halfcl_array_method *method = halfcl_method_of_cast(bound, "cast_StringDType_to_");
    return method && method->strided && method->strided == method->contiguous &&
                   !method->unaligned_strided && !method->unaligned_contiguous &&
                   !method->indexed
               ? method
               : NULL;
}

/* Halves are copied by float16's loops, which know elements of two bytes alone: by those for a
 * dtype that is not its own NumPy calls copyswapn through two layers, for which it makes an
 * array each time, and keeps the interpreter's lock. These are the two casts, NULL if they are
 * not what they are taken for. */
static inline halfcl_array_method *halfcl_method_of_own_copies(PyObject *of_half)
{
    return halfcl_method_of_cast(of_half, "legacy_cast");
}

static inline halfcl_array_method *halfcl_method_of_copies(PyObject *of_float16)
{
    halfcl_array_method *method = halfcl_method_of_cast(of_float16, "numeric_copy_or_byteswap");
    return method && method->get_loop ? method : NULL;
}

/* Return the method of a ufunc's loop from the capsule of its _resolve_dtypes_and_context. */
static inline halfcl_array_method *halfcl_method_of_ufunc(PyObject *capsule)
{
    halfcl_call_info *info =
        (halfcl_call_info *)PyCapsule_GetPointer(capsule, "numpy_1.24_ufunc_call_info");
    if (!info) {
        PyErr_Clear();
        return NULL;
    }
    halfcl_array_method *method =
        halfcl_checked_method(info->context->method, 2, 1, "legacy_ufunc_wrapper_for_");
    return method && !method->strided && !method->contiguous && method->indexed ? method : NULL;
}

#endif
