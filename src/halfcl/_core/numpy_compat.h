/* What is touched of NumPy's C side beyond its documented interface, in one place.
 * halfcl.numpy_compat lists it, with that of its Python side. Each thing has its reason,
 * the versions where it holds, a guard, and what happens where it does not hold. */
#ifndef HALFCL_NUMPY_COMPAT_H
#define HALFCL_NUMPY_COMPAT_H

#include <Python.h>

#include <numpy/arrayobject.h>
#include <numpy/dtype_api.h>
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

/* ---------------------------------------------------------------- the carrier of casts
 *
 * A way to give a legacy dtype casts with loops of their own. NumPy's function for that is
 * private, but declaring a new-style DType registers whatever casts it brings, also
 * between other DTypes (NumPy 2.0 to 2.5). So the casts of half are brought by a DType
 * that exists for nothing else. From NumPy 2.5 on half itself could be declared that way
 * (NPY_DT_legacy_descriptor_proto). */
static PyArray_DTypeMeta halfcl_carrier;

/* What every DType must have. There are no arrays of this one, so nothing calls it. */
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

/* ---------------------------------------------------------------- methods of ndarray
 *
 * No slot of a dtype says how to partition: for dtypes that are not its own NumPy sorts by
 * comparing, in 200 times the time. So ndarray's methods partition and argpartition are
 * replaced by these, which ask whether the array is of half, and are NumPy's otherwise.
 * The methods rather than the functions np.partition, np.median and so on: all of them,
 * the C method of every subclass too, come through here, also under names that somebody
 * imported before halfcl.
 *
 * Guard: the entries of ndarray's dictionary must be C methods of that calling convention
 * (NumPy 2.0 to 2.5); others are left alone, and then NumPy compares. */
typedef PyObject *halfcl_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *names);

typedef struct {
    halfcl_method *for_half; /* None: what was asked for is for NumPy's own to do */
    halfcl_method *of_numpy;
    PyMethodDef definition;
} halfcl_replaced_method;

enum { HALFCL_PARTITION, HALFCL_ARGPARTITION, HALFCL_REPLACED_METHODS };
static halfcl_replaced_method halfcl_methods[HALFCL_REPLACED_METHODS];
static int halfcl_type_number;

static inline PyObject *halfcl_call_method(const halfcl_replaced_method *method, PyObject *self,
                                           PyObject *const *args, Py_ssize_t nargs,
                                           PyObject *names)
{
    if (PyArray_TYPE((PyArrayObject *)self) == halfcl_type_number) {
        PyObject *result = method->for_half(self, args, nargs, names);
        if (result != Py_NotImplemented)
            return result;
        Py_DECREF(result);
    }
    return method->of_numpy(self, args, nargs, names);
}

static inline PyObject *halfcl_partition(PyObject *self, PyObject *const *args,
                                         Py_ssize_t nargs, PyObject *names)
{
    return halfcl_call_method(&halfcl_methods[HALFCL_PARTITION], self, args, nargs, names);
}

static inline PyObject *halfcl_argpartition(PyObject *self, PyObject *const *args,
                                            Py_ssize_t nargs, PyObject *names)
{
    return halfcl_call_method(&halfcl_methods[HALFCL_ARGPARTITION], self, args, nargs, names);
}

static inline PyObject *halfcl_dictionary_of_ndarray(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyType_GetDict(&PyArray_Type);
#else
    return Py_XNewRef(PyArray_Type.tp_dict);
#endif
}

/* 1 if the method was replaced, now or before, 0 if it is not what it is taken for. */
static inline int halfcl_replace_method(int which, const char *name, halfcl_method *replacement,
                                        halfcl_method *for_half)
{
    halfcl_replaced_method *method = &halfcl_methods[which];
    if (method->of_numpy)
        return 1;
    PyObject *dictionary = halfcl_dictionary_of_ndarray();
    PyObject *found = dictionary ? PyDict_GetItemString(dictionary, name) : NULL;
    PyMethodDef *definition = NULL;
    if (found && Py_IS_TYPE(found, &PyMethodDescr_Type))
        definition = ((PyMethodDescrObject *)found)->d_method;
    if (!definition || definition->ml_flags != (METH_FASTCALL | METH_KEYWORDS)) {
        Py_XDECREF(dictionary);
        return 0;
    }
    method->of_numpy = (halfcl_method *)(void *)definition->ml_meth;
    method->for_half = for_half;
    method->definition = *definition; /* the name, and the docstring with the signature */
    method->definition.ml_meth = (PyCFunction)(void *)replacement;
    PyObject *descriptor = PyDescr_NewMethod(&PyArray_Type, &method->definition);
    int failed = !descriptor || PyDict_SetItemString(dictionary, name, descriptor) < 0;
    PyType_Modified(&PyArray_Type);
    Py_XDECREF(descriptor);
    Py_DECREF(dictionary);
    return failed ? -1 : 1;
}

/* 1 if both methods do for half what they should, 0 if NumPy's were left alone. */
static inline int halfcl_replace_partition(int type_number, halfcl_method *partition,
                                           halfcl_method *argpartition)
{
    halfcl_type_number = type_number;
    int one = halfcl_replace_method(HALFCL_PARTITION, "partition", halfcl_partition, partition);
    if (one < 0)
        return -1;
    int other = halfcl_replace_method(HALFCL_ARGPARTITION, "argpartition", halfcl_argpartition,
                                      argpartition);
    return other < 0 ? -1 : one && other;
}

#endif
