/* A way to give a legacy dtype casts with loops of their own.
 *
 * NumPy's function for that is private, but declaring a new-style DType registers
 * whatever casts it brings, also between other DTypes. So the casts of half are
 * brought by a DType that exists for nothing else. From NumPy 2.5 on half itself
 * could be declared that way (NPY_DT_legacy_descriptor_proto). */
#ifndef HALFCL_CARRIER_H
#define HALFCL_CARRIER_H

#include <Python.h>

#include <numpy/arrayobject.h>
#include <numpy/dtype_api.h>

static PyArray_DTypeMeta halfcl_carrier;

/* What every DType must have. There are no arrays of this one, so nothing calls it. */
static void *halfcl_carrier_unused(void)
{
    PyErr_SetString(PyExc_NotImplementedError, "halfcl's carrier of casts has no instances");
    return NULL;
}

/* casts ends with NULL, after one with no dtypes: the carrier's own. scalar is any
 * class that no other DType has. */
static int halfcl_register_casts(PyArrayMethod_Spec **casts, PyObject *scalar)
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

#endif
