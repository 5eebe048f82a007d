// SPDX-License-Identifier: Apache-2.0
#include "key.h"

#include <string.h>

static int take_bytes(PyObject* bytes, enum key_kind kind, struct key* key) {
  key->kind = kind;
  key->bytes = PyBytes_AS_STRING(bytes);
  key->size = (size_t)PyBytes_GET_SIZE(bytes);
  return 0;
}

static int read_int(PyObject* integer, struct key* key) {
  PyObject* text;
  int overflow = 0;
  key->kind = KEY_I64;
  key->i64 = PyLong_AsLongLongAndOverflow(integer, &overflow);
  if (overflow == 0) return key->i64 == -1 && PyErr_Occurred() ? -1 : 0;
  if (overflow > 0) {
    key->kind = KEY_U64;
    key->u64 = PyLong_AsUnsignedLongLong(integer);
    if (key->u64 != (uint64_t)-1 || !PyErr_Occurred()) return 0;
    PyErr_Clear();
  }
  /* Of thousands of digits Python makes no text. */
  text = PyObject_Repr(integer);
  if (text == NULL) PyErr_Clear();
  PyErr_Format(PyExc_OverflowError, "%V is no key: integers have 64 bits, from -2**63 to 2**64 - 1",
               text, "a larger integer");
  Py_XDECREF(text);
  return -1;
}

/* Whether it is an element of an array of NumPy's V: bytes of some number, without fields. */
static int is_plain_void(PyObject* object) {
  PyObject *dtype, *names = NULL;
  int result;
  if (strcmp(Py_TYPE(object)->tp_name, "numpy.void") != 0) return 0;
  dtype = PyObject_GetAttrString(object, "dtype");
  if (dtype != NULL) names = PyObject_GetAttrString(dtype, "names");
  PyErr_Clear();
  result = names == Py_None;
  Py_XDECREF(names);
  Py_XDECREF(dtype);
  return result;
}

int key_read_slowly(PyObject* object, struct key* key) {
  if (PyBytes_Check(object)) return take_bytes(object, KEY_RAW, key);
  if (PyLong_Check(object) && !PyBool_Check(object)) return read_int(object, key);
  if (PyUnicode_Check(object)) {
    /* In an object of its own: the text would keep it for as long as it lives. */
    key->held = PyUnicode_AsUTF8String(object);
    return key->held == NULL ? -1 : take_bytes(key->held, KEY_TEXT, key);
  }
  if (PyByteArray_Check(object) || PyMemoryView_Check(object)) {
    key->held = PyBytes_FromObject(object);
    return key->held == NULL ? -1 : take_bytes(key->held, KEY_RAW, key);
  }
  /* NumPy's integers, but not its truth values, which older ones let be numbers. */
  if (PyIndex_Check(object) && !PyBool_Check(object) &&
      strncmp(Py_TYPE(object)->tp_name, "numpy.bool", 10) != 0) {
    PyObject* const integer = PyNumber_Index(object);
    if (integer != NULL) {
      const int status = read_int(integer, key);
      Py_DECREF(integer);
      return status;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear(); /* an array */
  }
  if (is_plain_void(object)) {
    key->held = PyBytes_FromObject(object);
    return key->held == NULL ? -1 : take_bytes(key->held, KEY_RAW, key);
  }
  PyErr_Format(PyExc_TypeError, "a key is a str, bytes or an int, not %.200s%s",
               Py_TYPE(object)->tp_name,
               Py_TYPE(object)->tp_iter == NULL
                   ? ""
                   : "; many are a batch of such, for update() or contains_many()");
  return -1;
}
