// SPDX-License-Identifier: Apache-2.0
#include "array_like.h"

#include <string.h>

int refuse_elements(PyObject* object, const char* format) {
  static const char kAllowed[] =
      "keys are integers of up to 64 bits, in this machine's order, bytes or texts";
  PyObject* const dtype = PyObject_GetAttrString(object, "dtype");
  if (dtype == NULL) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: not elements of format \"%s\"", kAllowed, format);
    return -1;
  }
  PyErr_Format(PyExc_TypeError, "%s: not elements of dtype %S", kAllowed, dtype);
  Py_DECREF(dtype);
  return -1;
}

int has_objects(PyObject* object) {
  PyObject *dtype = PyObject_GetAttrString(object, "dtype"), *kind = NULL;
  int result = 1;
  if (dtype != NULL) kind = PyObject_GetAttrString(dtype, "kind");
  PyErr_Clear();
  if (kind != NULL && PyUnicode_Check(kind)) {
    result = PyUnicode_CompareWithASCIIString(kind, "O") == 0 ||
             PyUnicode_CompareWithASCIIString(kind, "T") == 0;
  }
  Py_XDECREF(kind);
  Py_XDECREF(dtype);
  return result;
}

PyObject* array_of(PyObject* object) {
  PyObject* array;
  if (!PyObject_HasAttrString(object, "__array__") || !PyObject_HasAttrString(object, "dtype")) {
    return NULL;
  }
  array = PyObject_CallMethod(object, "__array__", NULL);
  if (array != NULL && !PyObject_CheckBuffer(array)) {
    PyErr_Format(PyExc_TypeError, "__array__() of %.200s gives %.200s, and no array of NumPy",
                 Py_TYPE(object)->tp_name, Py_TYPE(array)->tp_name);
    Py_CLEAR(array);
  }
  return array;
}

int refuse_frame(PyObject* object) {
  if (PyObject_HasAttrString(object, "readline")) {
    PyErr_SetString(PyExc_TypeError,
                    "the elements of a file are lines with their ends, which would be part of the "
                    "keys: give (line.rstrip(\"\\n\") for line in file)");
    return -1;
  }
  if (!PyObject_HasAttrString(object, "columns") || PyObject_HasAttrString(object, "dtype")) {
    return 0;
  }
  PyErr_Format(PyExc_TypeError,
               "a %.100s is a table, and its elements are the names of its columns: give one "
               "column, as frame[\"name\"]",
               Py_TYPE(object)->tp_name);
  return -1;
}

int check_mask(PyObject* object) {
  PyObject *mask, *any;
  int hides;
  if (!PyObject_HasAttrString(object, "mask")) return 0;
  mask = PyObject_GetAttrString(object, "mask");
  if (mask == NULL) return -1;
  any = PyObject_CallMethod(mask, "any", NULL);
  Py_DECREF(mask);
  if (any == NULL) return -1;
  hides = PyObject_IsTrue(any);
  Py_DECREF(any);
  if (hides > 0) {
    PyErr_SetString(PyExc_ValueError, "some keys are masked: compressed() is those that are not");
  }
  return hides == 0 ? 0 : -1;
}
