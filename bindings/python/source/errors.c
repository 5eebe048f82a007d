// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include <string.h>

#include "bloomery/c/bloomery.h"

static PyObject *base, *bad_format, *incompatible, *store_failed, *wrong_keys, *in_doubt;
static PyObject *overfilled, *kin; /* kin: of each of Python's own errors of the system, ours */

/* Raises what the system said of a file, as open() of Python does: a StoreError that is also a
   FileNotFoundError, say. `text` begins with the path, as all our messages do. */
static PyObject* raise_of_file(int number, const char* path, PyObject* text) {
  PyObject* const name = PyUnicode_DecodeFSDefault(path);
  PyObject *ours, *builtin = NULL, *reason = NULL, *error = NULL;
  if (name != NULL) {
    PyObject* const begin = PyUnicode_FromFormat("%U: ", name);
    const int begins = begin == NULL ? -1 : PyUnicode_Tailmatch(text, begin, 0, PY_SSIZE_T_MAX, -1);
    if (begins >= 0) {
      reason = begins > 0 ? PyUnicode_Substring(text, PyUnicode_GET_LENGTH(begin), PY_SSIZE_T_MAX)
                          : Py_NewRef(text);
    }
    Py_XDECREF(begin);
  }
  /* Python chooses the class by the number. */
  if (reason != NULL) builtin = PyObject_CallFunction(PyExc_OSError, "iO", number, reason);
  if (builtin != NULL) {
    ours = PyDict_GetItemWithError(kin, (PyObject*)Py_TYPE(builtin));
    if (ours == NULL) ours = store_failed;
    if (path[0] == '\0') {
      error = PyObject_CallFunction(ours, "iO", number, reason);
    } else {
      error = PyObject_CallFunction(ours, "iOO", number, reason, name);
    }
  }
  if (error != NULL) PyErr_SetObject((PyObject*)Py_TYPE(error), error);
  Py_XDECREF(error);
  Py_XDECREF(builtin);
  Py_XDECREF(reason);
  Py_XDECREF(name);
  return NULL;
}

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
  if (text == NULL) return NULL;
  if (type == store_failed && bloomery_error_number() != 0) {
    raise_of_file(bloomery_error_number(), bloomery_error_path(), text);
  } else {
    PyErr_SetObject(type, text);
  }
  Py_DECREF(text);
  return NULL;
}

int warn_overfilled(const char* what, int level) {
  return PyErr_WarnFormat(overfilled, level, "%s", what);
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

/* For each of Python's errors of the system one that is also a StoreError, under the same name. */
static int add_kin(PyObject* module) {
  PyObject* const theirs[] = {
      PyExc_BlockingIOError,      PyExc_BrokenPipeError,        PyExc_ConnectionAbortedError,
      PyExc_ConnectionResetError, PyExc_ConnectionRefusedError, PyExc_FileExistsError,
      PyExc_FileNotFoundError,    PyExc_InterruptedError,       PyExc_IsADirectoryError,
      PyExc_NotADirectoryError,   PyExc_PermissionError,        PyExc_TimeoutError};
  PyObject* const names = PyDict_New();
  size_t i;
  kin = PyDict_New();
  if (kin == NULL || names == NULL) return -1;
  for (i = 0; i < sizeof theirs / sizeof *theirs; ++i) {
    const char* const builtin = ((PyTypeObject*)theirs[i])->tp_name;
    char name[80];
    PyObject *bases, *made;
    int status;
    PyOS_snprintf(name, sizeof name, "pybloomery.%s", builtin);
    bases = PyTuple_Pack(2, store_failed, theirs[i]);
    made = bases == NULL
               ? NULL
               : PyErr_NewExceptionWithDoc(
                     name, "What the system said of a file: a StoreError, and Python's own error.",
                     bases, NULL);
    Py_XDECREF(bases);
    status = made == NULL ? -1 : PyDict_SetItem(kin, theirs[i], made);
    if (status == 0) status = PyDict_SetItemString(names, builtin, made);
    Py_XDECREF(made);
    if (status < 0) return -1;
  }
  return PyModule_AddObject(module, "system_errors", names); /* which takes it over */
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
              PyExc_TypeError) < 0 ||
      add_kin(module) < 0) {
    return -1;
  }
  overfilled = PyErr_NewExceptionWithDoc(
      "pybloomery.OverfilledWarning",
      "A filter holds more keys than its capacity: more of its answers are wrongly True than its "
      "rate says. Raised once for each filter.",
      PyExc_UserWarning, NULL);
  if (overfilled == NULL || PyModule_AddObjectRef(module, "OverfilledWarning", overfilled) < 0) {
    return -1;
  }
  return add_one(module, &in_doubt, "pybloomery.InDoubtError",
                 "A batch failed before, and nobody called acknowledge().", PyExc_RuntimeError);
}
