/* Methods and functions of NumPy's that are replaced by ones which ask whether they are called
 * for halves, and are NumPy's otherwise. As in numpy_compat.h each has its reason and its
 * guard. */
#ifndef HALFCL_NUMPY_METHODS_H
#define HALFCL_NUMPY_METHODS_H

#include <Python.h>

#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* ---------------------------------------------------------------- what is taken */

static int halfcl_type_number;
static PyTypeObject *halfcl_scalar_type; /* of one half */
static atomic_bool halfcl_takes_float16; /* too, while accelerate() is on */

/* Calls of this thread's that halfcl has taken from NumPy: where their results are equal, this
 * tells whether what was put in NumPy's place is called. */
static _Thread_local unsigned long long halfcl_calls_taken;

/* Return a result, counted unless it is NotImplemented. */
static inline PyObject *halfcl_count_call(PyObject *result)
{
    halfcl_calls_taken += result != Py_NotImplemented;
    return result;
}

/* Return whether it is an array of half, or of float16 while accelerate() is on. */
static inline int halfcl_is_taken(PyObject *object)
{
    if (!PyArray_Check(object))
        return 0;
    int type = PyArray_TYPE((PyArrayObject *)object);
    return type == halfcl_type_number || (type == NPY_HALF && halfcl_takes_float16);
}

/* ---------------------------------------------------------------- methods of ndarray
 *
 * No slot of a dtype says how to partition or to search: for dtypes that are not its own NumPy
 * compares by a function, in 200 times the time, or twice float16's. Others are called for one
 * line at a time, which takes longer than a short one, or for one product. So these methods of
 * ndarray's are replaced by ones that ask whether the array is of half, and are NumPy's
 * otherwise. The methods rather than the functions np.partition, np.median and so on: all of
 * them, the C method of every subclass too, come through here, also under names that somebody
 * imported before halfcl.
 *
 * Guard: the entries of ndarray's dictionary must be C methods of that calling convention
 * (NumPy 2.0 to 2.5); others are left alone, and then NumPy compares. */
typedef PyObject *halfcl_method(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                PyObject *names);

typedef struct {
    halfcl_method *for_half; /* NotImplemented: what was asked for is for NumPy's own to do */
    halfcl_method *of_numpy;
    PyMethodDef definition;
} halfcl_replaced_method;

/* The places of ndarray's methods, then those of ufuncs. */
enum {
    HALFCL_PARTITION,
    HALFCL_ARGPARTITION,
    HALFCL_SEARCHSORTED,
    HALFCL_ARGMAX,
    HALFCL_ARGMIN,
    HALFCL_SORT,
    HALFCL_ARGSORT,
    HALFCL_DOT_METHOD,
    HALFCL_NONZERO,
    HALFCL_ROUND,
    HALFCL_METHODS_OF_ARRAYS
};
enum {
    HALFCL_REDUCE = HALFCL_METHODS_OF_ARRAYS,
    HALFCL_ACCUMULATE,
    HALFCL_REDUCEAT,
    HALFCL_AT_METHOD,
    HALFCL_REPLACED_METHODS
};
static halfcl_replaced_method halfcl_methods[HALFCL_REPLACED_METHODS];
/* If it is about an array that is taken. */
static inline PyObject *halfcl_call_method(const halfcl_replaced_method *method,
                                           PyObject *array, PyObject *self,
                                           PyObject *const *args, Py_ssize_t nargs,
                                           PyObject *names)
{
    if (array && halfcl_is_taken(array)) {
        PyObject *result = halfcl_count_call(method->for_half(self, args, nargs, names));
        if (result != Py_NotImplemented)
            return result;
        Py_DECREF(result);
    }
    return method->of_numpy(self, args, nargs, names);
}

#define HALFCL_METHOD(which, name)                                                             \
    static inline PyObject *halfcl_##name##_method(PyObject *self, PyObject *const *args,      \
                                                   Py_ssize_t nargs, PyObject *names)          \
    {                                                                                          \
        return halfcl_call_method(&halfcl_methods[which], self, self, args, nargs, names);     \
    }
HALFCL_METHOD(HALFCL_PARTITION, partition)
HALFCL_METHOD(HALFCL_ARGPARTITION, argpartition)
HALFCL_METHOD(HALFCL_SEARCHSORTED, searchsorted)
HALFCL_METHOD(HALFCL_ARGMAX, argmax)
HALFCL_METHOD(HALFCL_ARGMIN, argmin)
HALFCL_METHOD(HALFCL_SORT, sort)
HALFCL_METHOD(HALFCL_ARGSORT, argsort)
HALFCL_METHOD(HALFCL_DOT_METHOD, dot)

/* Call a replaced method in the convention in which it gets a tuple, or nothing. */
static inline PyObject *halfcl_call_with_tuple(const halfcl_replaced_method *method,
                                               PyObject *array, PyObject *self, PyObject *args)
{
    Py_ssize_t nargs = args ? PyTuple_GET_SIZE(args) : 0;
    if (array && halfcl_is_taken(array)) {
        PyObject *const *first = nargs > 0 ? &PyTuple_GET_ITEM(args, 0) : NULL;
        PyObject *result = halfcl_count_call(method->for_half(self, first, nargs, NULL));
        if (result != Py_NotImplemented)
            return result;
        Py_DECREF(result);
    }
    return ((PyCFunction)(void *)method->of_numpy)(self, args);
}

static inline PyObject *halfcl_nonzero_method(PyObject *self, PyObject *args)
{
    return halfcl_call_with_tuple(&halfcl_methods[HALFCL_NONZERO], self, self, args);
}

/* ndarray.round gets a tuple and a dict; for_half gets decimals and out, NULL where absent.
 * What cannot be read is for NumPy's own to refuse. */
static inline PyObject *halfcl_round_method(PyObject *self, PyObject *args, PyObject *dict)
{
    static char *names[] = {"decimals", "out", NULL};
    const halfcl_replaced_method *method = &halfcl_methods[HALFCL_ROUND];
    PyObject *read[2] = {NULL, NULL};
    if (halfcl_is_taken(self)) {
        if (PyArg_ParseTupleAndKeywords(args, dict, "|OO:round", names, &read[0], &read[1])) {
            PyObject *result = method->for_half(self, read, 2, NULL);
            if (result != Py_NotImplemented)
                return halfcl_count_call(result);
            Py_DECREF(result);
        } else {
            PyErr_Clear();
        }
    }
    return ((PyCFunctionWithKeywords)(void *)method->of_numpy)(self, args, dict);
}

static inline PyObject *halfcl_dictionary_of(PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyType_GetDict(type);
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

/* 1 if the method was replaced, now or before, 0 if it is not what it is taken for. flags,
 * others: its calling conventions, which are the replacement's, too. */
static inline int halfcl_replace_method(PyTypeObject *type, int which, const char *name,
                                        int flags, int others, void *replacement,
                                        halfcl_method *for_half)
{
    halfcl_replaced_method *method = &halfcl_methods[which];
    if (method->of_numpy)
        return 1;
    PyObject *dictionary = halfcl_dictionary_of(type);
    PyObject *found = dictionary ? PyDict_GetItemString(dictionary, name) : NULL;
    PyMethodDef *definition = NULL;
    if (found && Py_IS_TYPE(found, &PyMethodDescr_Type))
        definition = ((PyMethodDescrObject *)found)->d_method;
    if (!definition || (definition->ml_flags != flags && definition->ml_flags != others)) {
        Py_XDECREF(dictionary);
        return 0;
    }
    method->of_numpy = (halfcl_method *)(void *)definition->ml_meth;
    method->for_half = for_half;
    method->definition = *definition; /* the name, and the docstring with the signature */
    method->definition.ml_meth = (PyCFunction)replacement;
    PyObject *descriptor = PyDescr_NewMethod(type, &method->definition);
    int failed = !descriptor || PyDict_SetItemString(dictionary, name, descriptor) < 0;
    PyType_Modified(type);
    Py_XDECREF(descriptor);
    Py_DECREF(dictionary);
    return failed ? -1 : 1;
}

/* By their places above. 1 if all do for half what they should, 0 if any was left alone. */
static inline int halfcl_replace_methods(int type_number, halfcl_method *const *for_half)
{
    enum { USUAL = METH_FASTCALL | METH_KEYWORDS };
    static const struct {
        const char *name;
        int flags, others;
        void *replacement;
    } replaced[HALFCL_METHODS_OF_ARRAYS] = {
        {"partition", USUAL, USUAL, (void *)halfcl_partition_method},
        {"argpartition", USUAL, USUAL, (void *)halfcl_argpartition_method},
        {"searchsorted", USUAL, USUAL, (void *)halfcl_searchsorted_method},
        {"argmax", USUAL, USUAL, (void *)halfcl_argmax_method},
        {"argmin", USUAL, USUAL, (void *)halfcl_argmin_method},
        {"sort", USUAL, USUAL, (void *)halfcl_sort_method},
        {"argsort", USUAL, USUAL, (void *)halfcl_argsort_method},
        {"dot", USUAL, USUAL, (void *)halfcl_dot_method},
        {"nonzero", METH_VARARGS, METH_NOARGS, (void *)halfcl_nonzero_method},
        {"round", METH_VARARGS | METH_KEYWORDS, METH_VARARGS | METH_KEYWORDS,
         (void *)halfcl_round_method},
    };
    int all = 1;
    halfcl_type_number = type_number;
    for (int i = 0; i < HALFCL_METHODS_OF_ARRAYS && all >= 0; ++i) {
        int one =
            halfcl_replace_method(&PyArray_Type, i, replaced[i].name, replaced[i].flags,
                                  replaced[i].others, replaced[i].replacement, for_half[i]);
        all = one < 0 ? one : all && one;
    }
    return all;
}

/* ---------------------------------------------------------------- methods of ufuncs
 *
 * NumPy cuts the reduction of what is not one line of memory into calls of the loop, each with
 * halves for accumulators: rows are added one by one, and rounded at each step, and short rows
 * take a call each. So the methods reduce, accumulate and reduceat of ufuncs are replaced by
 * these, which ask whether they are of an array of half, or of float16 while accelerate() is
 * on, and are NumPy's otherwise. The guard is that of ndarray's methods. */
/* Return whether a class is half, float16 while accelerate() is on, or unknown to NumPy, which
 * needs a closer look. */
static inline bool halfcl_may_be_half(PyTypeObject *type)
{
    if (type == &PyFloat_Type || type == &PyLong_Type || type == &PyBool_Type)
        return false;
    if (!PyType_IsSubtype(type, &PyGenericArrType_Type))
        return true;
    return PyType_IsSubtype(type, halfcl_scalar_type) ||
           (type == &PyHalfArrType_Type && halfcl_takes_float16);
}

/* Return whether text may name float16 as a dtype: no such name ends in 4 or 8. */
static inline bool halfcl_text_may_name_half(PyObject *text)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_UCS4 last = length ? PyUnicode_READ_CHAR(text, length - 1) : 0;
    return length > 0 && last != '4' && last != '8';
}

/* Return whether an argument dtype or out may be half or float16, by any name, or an array of
 * them. A float16 by name or class needs a closer look. No string names half. */
static inline bool halfcl_names_half(PyObject *argument)
{
    if (argument == Py_None || PyLong_Check(argument))
        return false;
    if (PyArray_Check(argument))
        return halfcl_is_taken(argument);
    if (PyArray_DescrCheck(argument)) {
        int type = ((PyArray_Descr *)argument)->type_num;
        return type == halfcl_type_number || (type == NPY_HALF && halfcl_takes_float16);
    }
    if (PyTuple_CheckExact(argument))
        return PyTuple_GET_SIZE(argument) == 1 &&
               halfcl_is_taken(PyTuple_GET_ITEM(argument, 0));
    if (PyType_Check(argument))
        return halfcl_may_be_half((PyTypeObject *)argument);
    return PyUnicode_Check(argument) && halfcl_takes_float16 &&
           halfcl_text_may_name_half(argument);
}

/* Return whether it is a list of Python's own numbers, which holds no halves. */
static inline bool halfcl_is_list_of_numbers(PyObject *argument)
{
    if (!PyList_CheckExact(argument))
        return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(argument); ++i) {
        PyObject *item = PyList_GET_ITEM(argument, i);
        if (!PyFloat_CheckExact(item) && !PyLong_CheckExact(item))
            return false;
    }
    return true;
}

/* Return whether halves are reduced, or numbers into halves: a list may hold halves. */
static inline bool halfcl_reduces_halves(PyObject *const *args, Py_ssize_t nargs,
                                         PyObject *names)
{
    if (nargs < 1)
        return false;
    if (halfcl_is_taken(args[0]) ||
        !(PyArray_Check(args[0]) || PyArray_CheckScalar(args[0]) || PyFloat_Check(args[0]) ||
          halfcl_is_list_of_numbers(args[0])))
        return true;
    Py_ssize_t all = nargs + (names ? PyTuple_GET_SIZE(names) : 0);
    for (Py_ssize_t i = 1; i < all; ++i)
        if (halfcl_names_half(args[i]))
            return true;
    return false;
}

#define HALFCL_METHOD_OF_UFUNCS(which, name)                                                   \
    static inline PyObject *halfcl_ufunc_##name(PyObject *self, PyObject *const *args,         \
                                                Py_ssize_t nargs, PyObject *names)             \
    {                                                                                          \
        const halfcl_replaced_method *method = &halfcl_methods[which];                         \
        if (halfcl_reduces_halves(args, nargs, names)) {                                       \
            PyObject *result = method->for_half(self, args, nargs, names);                     \
            if (result != Py_NotImplemented)                                                   \
                return halfcl_count_call(result);                                              \
            Py_DECREF(result);                                                                 \
        }                                                                                      \
        return method->of_numpy(self, args, nargs, names);                                     \
    }
HALFCL_METHOD_OF_UFUNCS(HALFCL_REDUCE, reduce)
HALFCL_METHOD_OF_UFUNCS(HALFCL_ACCUMULATE, accumulate)
HALFCL_METHOD_OF_UFUNCS(HALFCL_REDUCEAT, reduceat)

/* 1 if the methods do for half what they should, 0 if any of NumPy's was left alone. */
static inline int halfcl_replace_ufunc_methods(int type_number, halfcl_method *reduce,
                                               halfcl_method *accumulate,
                                               halfcl_method *reduceat)
{
    const struct {
        int which;
        const char *name;
        halfcl_method *replacement, *for_half;
    } replaced[] = {
        {HALFCL_REDUCE, "reduce", halfcl_ufunc_reduce, reduce},
        {HALFCL_ACCUMULATE, "accumulate", halfcl_ufunc_accumulate, accumulate},
        {HALFCL_REDUCEAT, "reduceat", halfcl_ufunc_reduceat, reduceat},
    };
    int all = 1;
    halfcl_type_number = type_number;
    PyArray_Descr *half = PyArray_DescrFromType(type_number);
    if (!half)
        return -1;
    halfcl_scalar_type = half->typeobj;
    Py_DECREF(half); /* the class lives as long as the module */
    for (int i = 0; i < 3 && all >= 0; ++i) {
        int one =
            halfcl_replace_method(&PyUFunc_Type, replaced[i].which, replaced[i].name,
                                  METH_FASTCALL | METH_KEYWORDS, METH_FASTCALL | METH_KEYWORDS,
                                  (void *)replaced[i].replacement, replaced[i].for_half);
        all = one < 0 ? one : all && one;
    }
    return all;
}

/* Replaces the method at, which may meet an element more than once: NumPy calls the loop for
 * each unless it has another loop for the types, and converts each value separately. */
static inline PyObject *halfcl_ufunc_at(PyObject *self, PyObject *args)
{
    PyObject *array = args && PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL;
    return halfcl_call_with_tuple(&halfcl_methods[HALFCL_AT_METHOD], array, self, args);
}

/* 1 if it does for half what it should, 0 if NumPy's was left alone. */
static inline int halfcl_replace_at(int type_number, halfcl_method *at)
{
    halfcl_type_number = type_number;
    return halfcl_replace_method(&PyUFunc_Type, HALFCL_AT_METHOD, "at", METH_VARARGS,
                                 METH_VARARGS, (void *)halfcl_ufunc_at, at);
}

/* ---------------------------------------------------------------- functions
 *
 * A dtype has a function for one dot product, and NumPy makes of it those of matrices, and
 * correlations: a call for each element. So the functions dot, inner, vdot, correlate,
 * correlate2, count_nonzero, where and arange of numpy's extension ask first, as the methods
 * do, whether an argument is of half. What is replaced is the address in the function's
 * definition: whatever holds the function, under whichever name, has the new one.
 *
 * Guard: a function of a module, with that name, and of a calling convention that is known
 * (NumPy 2.0 to 2.5); others are left alone. */
enum {
    HALFCL_DOT,
    HALFCL_INNER,
    HALFCL_VDOT,
    HALFCL_CORRELATE,
    HALFCL_CORRELATE2,
    HALFCL_COUNT_NONZERO,
    HALFCL_WHERE,
    HALFCL_ARANGE,
    HALFCL_REPLACED_FUNCTIONS
};

static struct {
    halfcl_method *for_half; /* NotImplemented: it is for NumPy's own to do */
    PyCFunction of_numpy;    /* of the convention that its definition says */
} halfcl_functions[HALFCL_REPLACED_FUNCTIONS];

/* Return whether a call has two arrays with one axis each, or arrays one of which has two axes;
 * for a count, whether the array has enough elements, as NumPy counts a few faster than a
 * closer look takes. In numpy.where the condition has to be an array. */
static inline bool halfcl_is_worth_a_look(int which, PyObject *const *args, Py_ssize_t nargs)
{
    enum { FEW = 64 };
    int axes = 0;
    npy_intp size = 0;
    if (which == HALFCL_WHERE)
        return PyArray_Check(args[0]);
    if (which == HALFCL_ARANGE)
        return true;
    for (Py_ssize_t i = 0; i < nargs && i < 2; ++i) {
        if (!PyArray_Check(args[i]))
            return false;
        axes += PyArray_NDIM((PyArrayObject *)args[i]);
        size += PyArray_SIZE((PyArrayObject *)args[i]);
    }
    const bool of_lines = axes == 2 && nargs > 1;
    return which == HALFCL_COUNT_NONZERO ? size >= FEW : axes > 2 || of_lines;
}

/* Return halfcl's result of a call; NULL without an error if NumPy has to compute it. */
static inline PyObject *halfcl_try_function(int which, PyObject *self, PyObject *const *args,
                                            Py_ssize_t nargs, PyObject *names)
{
    Py_ssize_t all = nargs + (names ? PyTuple_GET_SIZE(names) : 0);
    bool taken = which == HALFCL_ARANGE; /* of numbers, so that its dtype says whether */
    for (Py_ssize_t i = 0; i < all && !taken; ++i)
        taken = halfcl_is_taken(args[i]);
    if (!taken || !halfcl_is_worth_a_look(which, args, all))
        return NULL;
    PyObject *result =
        halfcl_count_call(halfcl_functions[which].for_half(self, args, nargs, names));
    if (result != Py_NotImplemented)
        return result;
    Py_DECREF(result);
    return NULL;
}

/* Return halfcl's result of a call with a tuple of arguments; NumPy reads keywords itself. */
static inline PyObject *halfcl_try_tuple(int which, PyObject *self, PyObject *args)
{
    return halfcl_try_function(which, self, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args),
                               NULL);
}

typedef PyObject *halfcl_with_names(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
typedef PyObject *halfcl_by_place(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *halfcl_with_dict(PyObject *, PyObject *, PyObject *);

/* One function in each convention. */
#define HALFCL_FUNCTION(which, name)                                                           \
    static PyObject *halfcl_##name##_with_names(PyObject *self, PyObject *const *args,         \
                                                Py_ssize_t nargs, PyObject *names)             \
    {                                                                                          \
        PyObject *result = halfcl_try_function(which, self, args, nargs, names);               \
        if (result || PyErr_Occurred())                                                        \
            return result;                                                                     \
        return ((halfcl_with_names *)(void *)halfcl_functions[which].of_numpy)(self, args,     \
                                                                               nargs, names);  \
    }                                                                                          \
    static PyObject *halfcl_##name##_by_place(PyObject *self, PyObject *const *args,           \
                                              Py_ssize_t nargs)                                \
    {                                                                                          \
        PyObject *result = halfcl_try_function(which, self, args, nargs, NULL);                \
        if (result || PyErr_Occurred())                                                        \
            return result;                                                                     \
        return ((halfcl_by_place *)(void *)halfcl_functions[which].of_numpy)(self, args,       \
                                                                             nargs);           \
    }                                                                                          \
    static PyObject *halfcl_##name##_of_tuple(PyObject *self, PyObject *args)                  \
    {                                                                                          \
        PyObject *result = halfcl_try_tuple(which, self, args);                                \
        return result || PyErr_Occurred() ? result                                             \
                                          : halfcl_functions[which].of_numpy(self, args);      \
    }                                                                                          \
    static PyObject *halfcl_##name##_with_dict(PyObject *self, PyObject *args, PyObject *dict) \
    {                                                                                          \
        PyObject *result =                                                                     \
            dict && PyDict_GET_SIZE(dict) ? NULL : halfcl_try_tuple(which, self, args);        \
        if (result || PyErr_Occurred())                                                        \
            return result;                                                                     \
        return ((halfcl_with_dict *)(void *)halfcl_functions[which].of_numpy)(self, args,      \
                                                                              dict);           \
    }
HALFCL_FUNCTION(HALFCL_DOT, dot)
HALFCL_FUNCTION(HALFCL_INNER, inner)
HALFCL_FUNCTION(HALFCL_VDOT, vdot)
HALFCL_FUNCTION(HALFCL_CORRELATE, correlate)
HALFCL_FUNCTION(HALFCL_CORRELATE2, correlate2)
HALFCL_FUNCTION(HALFCL_COUNT_NONZERO, count_nonzero)
HALFCL_FUNCTION(HALFCL_WHERE, where)
HALFCL_FUNCTION(HALFCL_ARANGE, arange)

#define HALFCL_CONVENTIONS(name)                                                               \
    {#name, (void *)halfcl_##name##_with_names, (void *)halfcl_##name##_by_place,              \
     (void *)halfcl_##name##_of_tuple, (void *)halfcl_##name##_with_dict}

static const struct {
    const char *name;
    void *with_names, *by_place, *of_tuple, *with_dict;
} halfcl_replacing[HALFCL_REPLACED_FUNCTIONS] = {
    HALFCL_CONVENTIONS(dot),        HALFCL_CONVENTIONS(inner),
    HALFCL_CONVENTIONS(vdot),       HALFCL_CONVENTIONS(correlate),
    HALFCL_CONVENTIONS(correlate2), HALFCL_CONVENTIONS(count_nonzero),
    HALFCL_CONVENTIONS(where),      HALFCL_CONVENTIONS(arange)};

/* 1 if the function does for half what it should, now or since before, 0 if it is not what it
 * is taken for. */
static inline int halfcl_replace_function(int which, PyObject *function,
                                          halfcl_method *for_half)
{
    if (halfcl_functions[which].of_numpy)
        return 1;
    if (!PyCFunction_CheckExact(function))
        return 0;
    PyMethodDef *definition = ((PyCFunctionObject *)function)->m_ml;
    if (strcmp(definition->ml_name, halfcl_replacing[which].name) != 0)
        return 0;
    void *replacement = NULL;
    switch (definition->ml_flags) {
    case METH_FASTCALL | METH_KEYWORDS:
        replacement = halfcl_replacing[which].with_names;
        break;
    case METH_FASTCALL:
        replacement = halfcl_replacing[which].by_place;
        break;
    case METH_VARARGS:
        replacement = halfcl_replacing[which].of_tuple;
        break;
    case METH_VARARGS | METH_KEYWORDS:
        replacement = halfcl_replacing[which].with_dict;
        break;
    default:
        return 0;
    }
    halfcl_functions[which].for_half = for_half;
    halfcl_functions[which].of_numpy = definition->ml_meth;
    definition->ml_meth = (PyCFunction)replacement;
    return 1;
}

#endif
