// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include "bloomery/c/bloomery.h"

static PyObject *base, *bad_format, *incompatible, *store_failed, *wrong_keys, *in_doubt;

PyObject* raise_last(void) {
  const char* const message = bloomery_message();
  PyObject* type = base;
  PyObject* text;
  switch (bloomery_status()) {
    case BLOOMERY_BAD_ARGUMENT:
      type = PyExc_ValueError;
      break;
    case BLOOMERY_WRONG_KEYS:
      type = wrong_keys;
      break;
    case BLOOMERY_BAD_FORMAT:
      type = bad_format;
      break;
    case BLOOMERY_INCOMPATIBLE:
      type = incompatible;
      break;
    case BLOOMERY_STORE_FAILED:
      type = store_failed;
      break;
    case BLOOMERY_IN_DOUBT:
      type = in_doubt;
      break;
    case BLOOMERY_NO_MEMORY:
      return PyErr_NoMemory();
    default:
      break;
  }
  /* A message may name a file in any bytes. */
  text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "backslashreplace");
  if (text != NULL) {
    PyErr_SetObject(type, text);
    Py_DECREF(text);
  }
  return NULL;
}

static int add_one(PyObject* module, PyObject** type, const char* name, const char* doc,
                   PyObject* also) {
  const char* const dot = strrchr(name, '.');
  PyObject* bases = base == NULL ? PyTuple_Pack(1, also) : PyTuple_Pack(2, base, also);
  if (bases == NULL) return -1;
  *type = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
  Py_DECREF(bases);
  return *type == NULL ? -1 : PyModule_AddObjectRef(module, dot + 1, *type);
}

int add_errors(PyObject* module) {
  if (add_one(module, &base, "pybloomery.Error", "What bloomery raises of its own.",
              PyExc_Exception) < 0 ||
      add_one(module, &bad_format, "pybloomery.FormatError",
              "Bytes that are no filter, or damaged.", PyExc_ValueError) < 0 ||
      add_one(module, &incompatible, "pybloomery.IncompatibleError",
              "Filters whose bits do not mean the same.", PyExc_ValueError) < 0 ||
      add_one(module, &store_failed, "pybloomery.StoreError",
              "A file, a disk, a lock or a server failed.", PyExc_OSError) < 0 ||
      add_one(module, &wrong_keys, "pybloomery.KeyFormError",
              "Keys of another form than the filter's, which it would call absent.",
              PyExc_TypeError) < 0) {
    return -1;
  }
  return add_one(module, &in_doubt, "pybloomery.InDoubtError",
                 "A batch failed before, and nobody called acknowledge().", PyExc_RuntimeError);
}
