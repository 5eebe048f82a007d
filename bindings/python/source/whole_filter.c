// SPDX-License-Identifier: Apache-2.0
/* What is done with a whole filter, and its end. */
#include "errors.h"
#include "filter.h"

PyObject* filter_copy(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  bloomery_filter* made;
  (void)none;
  if (filter == NULL) return NULL;
  UNLOCKED(made = bloomery_copy(filter));
  leave(&visit);
  return wrap(Py_TYPE(op), made, 0);
}

static PyObject* none_or_raise(int status) {
  if (status < 0) return raise_last();
  Py_RETURN_NONE;
}

PyObject* filter_merge(PyObject* op, PyObject* object) {
  Filter *const self = (Filter*)op, *const other = (Filter*)object;
  struct visit visit, others;
  bloomery_filter *into, *from;
  int status;
  if (!PyObject_TypeCheck(object, filter_type)) {
    PyErr_Format(PyExc_TypeError, "a filter merges with a filter, not %.200s",
                 Py_TYPE(object)->tp_name);
    return NULL;
  }
  into = enter(self, &visit);
  if (into == NULL) return NULL;
  from = enter(other, &others);
  if (from == NULL) return left_inserting(&visit, NULL);
  UNLOCKED(status = bloomery_merge(into, from));
  leave(&others);
  return left_inserting(&visit, none_or_raise(status));
}

#define WHOLE(name, call)                                \
  PyObject* name(PyObject* op, PyObject* none) {         \
    Filter* const self = (Filter*)op;                    \
    struct visit visit;                                  \
    bloomery_filter* const filter = enter(self, &visit); \
    int status;                                          \
    (void)none;                                          \
    if (filter == NULL) return NULL;                     \
    UNLOCKED(status = call(filter));                     \
    leave(&visit);                                       \
    return none_or_raise(status);                        \
  }
WHOLE(filter_flush, bloomery_flush)
WHOLE(filter_clear, bloomery_clear)
WHOLE(filter_acknowledge, bloomery_acknowledge)

PyObject* filter_save(PyObject* op, PyObject* args) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* filter;
  PyObject* path;
  int must_be_new, status;
  if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &must_be_new)) return NULL;
  filter = enter(self, &visit);
  if (filter == NULL) {
    Py_DECREF(path);
    return NULL;
  }
  UNLOCKED(status = bloomery_save(filter, PyBytes_AS_STRING(path), must_be_new));
  Py_DECREF(path);
  leave(&visit);
  return none_or_raise(status);
}

PyObject* filter_to_bytes(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  PyObject* bytes = NULL;
  size_t needed = 0;
  int status;
  (void)none;
  if (filter == NULL) return NULL;
  UNLOCKED(status = bloomery_to_bytes(filter, NULL, 0, &needed));
  while (status == BLOOMERY_BAD_ARGUMENT && needed != 0) { /* it may grow meanwhile */
    const size_t size = needed;
    Py_XSETREF(bytes, PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size));
    if (bytes == NULL) break;
    UNLOCKED(status = bloomery_to_bytes(filter, PyBytes_AS_STRING(bytes), size, &needed));
    if (status == BLOOMERY_OK && needed < size) _PyBytes_Resize(&bytes, (Py_ssize_t)needed);
    if (status == BLOOMERY_BAD_ARGUMENT && needed <= size) break;
  }
  leave(&visit);
  if (PyErr_Occurred()) return NULL;
  if (status == BLOOMERY_OK) return bytes;
  Py_XDECREF(bytes);
  return raise_last();
}

// A text of the filter's that the caller frees, as Python has it.
static PyObject* text_of(PyObject* op, char* (*call)(const bloomery_filter*),
                         PyObject* (*decode)(const char*)) {
  struct visit visit;
  bloomery_filter* const filter = enter((Filter*)op, &visit);
  PyObject* result;
  char* text;
  if (filter == NULL) return NULL;
  UNLOCKED(text = call(filter));
  leave(&visit);
  if (text == NULL) return raise_last();
  result = decode(text);
  bloomery_free(text);
  return result;
}

PyObject* filter_info(PyObject* op, PyObject* none) {
  (void)none;
  return text_of(op, bloomery_info, PyUnicode_FromString);
}

static int number_of(Filter* self, uint64_t (*call)(const bloomery_filter*), uint64_t* number) {
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  if (filter == NULL) return -1;
  UNLOCKED(*number = call(filter));
  leave(&visit);
  if (*number != UINT64_MAX) return 0;
  raise_last();
  return -1;
}

Py_ssize_t filter_length(PyObject* op) {
  uint64_t number;
  if (number_of((Filter*)op, bloomery_inserted, &number) < 0) return -1;
  return number > PY_SSIZE_T_MAX ? PY_SSIZE_T_MAX : (Py_ssize_t)number;
}

PyObject* filter_capacity(PyObject* op, void* closure) {
  uint64_t number;
  (void)closure;
  if (number_of((Filter*)op, bloomery_capacity, &number) < 0) return NULL;
  return PyLong_FromUnsignedLongLong(number);
}

PyObject* filter_keys(PyObject* op, void* closure) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  const char* form;
  (void)closure;
  if (filter == NULL) return NULL;
  form = bloomery_key_form(filter);
  leave(&visit);
  if (form == NULL) return raise_last();
  if (form[0] == '\0') Py_RETURN_NONE;
  return PyUnicode_FromString(form);
}

PyObject* filter_in_doubt(PyObject* op, void* closure) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  int answer;
  (void)closure;
  if (filter == NULL) return NULL;
  answer = bloomery_in_doubt(filter);
  leave(&visit);
  return answer < 0 ? raise_last() : PyBool_FromLong(answer);
}

PyObject* filter_place(PyObject* op, PyObject* none) {
  (void)none;
  return text_of(op, bloomery_place, PyUnicode_DecodeFSDefault);
}

/* __sizeof__: the object's own bytes and those of its bits. */
PyObject* filter_memory(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  uint64_t number = 0;
  (void)none;
  if (self->filter != NULL && number_of(self, bloomery_memory, &number) < 0) return NULL;
  return PyLong_FromUnsignedLongLong(number + (uint64_t)Py_TYPE(op)->tp_basicsize);
}

PyObject* filter_compare(PyObject* op, PyObject* object, int operation) {
  Filter *const self = (Filter*)op, *const other = (Filter*)object;
  struct visit visit, others;
  bloomery_filter *one, *two;
  int answer;
  if ((operation != Py_EQ && operation != Py_NE) || !PyObject_TypeCheck(object, filter_type)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  if (self == other || self->filter == NULL || other->filter == NULL) {
    return PyBool_FromLong((self == other) == (operation == Py_EQ));
  }
  one = enter(self, &visit);
  two = enter(other, &others);
  UNLOCKED(answer = bloomery_equal(one, two));
  leave(&others);
  leave(&visit);
  return answer < 0 ? raise_last() : PyBool_FromLong((answer != 0) == (operation == Py_EQ));
}

PyObject* count_new(Filter* self, uint64_t added, int level, PyObject* result) {
  struct visit visit;
  bloomery_filter* filter;
  uint64_t inserted, capacity;
  char what[160];
  int is_over;
  if (result == NULL || added <= self->room) {
    self->room -= result == NULL ? 0 : added;
    return result;
  }
  self->room = UINT64_MAX; /* also where it is not known: what was inserted is in */
  filter = self->filter == NULL ? NULL : enter(self, &visit);
  if (filter == NULL) return result;
  UNLOCKED({
    is_over = bloomery_overfilled(filter);
    inserted = bloomery_inserted(filter);
    capacity = bloomery_capacity(filter);
  });
  leave(&visit);
  if (is_over == 0 && inserted <= capacity) self->room = capacity - inserted;
  if (is_over != 1) return result;
  PyOS_snprintf(
      what, sizeof what,
      "%llu keys in a filter for %llu: more of its answers are wrongly True than its rate "
      "says",
      (unsigned long long)inserted, (unsigned long long)capacity);
  if (warn_overfilled(what, level) == 0) return result;
  Py_DECREF(result);
  return NULL;
}

PyObject* filter_closed(PyObject* op, void* closure) {
  (void)closure;
  return PyBool_FromLong(((Filter*)op)->filter == NULL);
}

PyObject* filter_close(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  bloomery_filter* const filter = self->filter;
  (void)none;
  count_anew(self);
  if (self->users != 0) {
    PyErr_SetString(PyExc_RuntimeError, "another thread is within a call on this filter");
    return NULL;
  }
  self->filter = NULL;
  /* One of them may be this thread's own, and go on: what it is at stays. */
  if (self->inherited != 0) Py_RETURN_NONE;
  UNLOCKED(bloomery_close(filter));
  Py_RETURN_NONE;
}

void filter_dealloc(PyObject* op) {
  PyTypeObject* const type = Py_TYPE(op);
  bloomery_filter* const filter = ((Filter*)op)->filter;
  UNLOCKED(bloomery_close(filter));
  type->tp_free(op);
  Py_DECREF(type);
}
