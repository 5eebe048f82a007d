// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_FILTER_H
#define BLOOMERY_PYTHON_FILTER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bloomery/c/bloomery.h"

typedef struct {
  PyObject_HEAD bloomery_filter* filter; /* NULL: closed */
  size_t process;                        /* in which these were counted last: */
  size_t users;      /* calls that are under way without the interpreter's lock */
  size_t inherited;  /* those that were so when a parent forked this process */
  char is_elsewhere; /* a file or a server: a single call may wait */
  char was_made;     /* 0: a class that inherits has not called __init__() */
  uint64_t room;     /* new keys after which somebody looks whether there are too many */
} Filter;

extern PyTypeObject* filter_type;

/* ---- Calls without the interpreter's lock: close() does not run beside them ---- */

extern size_t forks; /* how many lie behind this process */

/* Of the calls that were under way at the fork a child has those of one thread, and nobody knows
   which they are. */
static inline void count_anew(Filter* self) {
  if (self->process == forks) return;
  self->process = forks;
  self->inherited += self->users;
  self->users = 0;
}

struct visit {
  Filter* filter;
  size_t process;
};

static inline bloomery_filter* enter(Filter* self, struct visit* visit) {
  if (self->filter == NULL) {
    PyErr_SetString(PyExc_ValueError,
                    self->was_made ? "this filter is closed"
                                   : "this filter is not made yet: super().__init__(capacity)");
    return NULL;
  }
  count_anew(self);
  ++self->users;
  visit->filter = self;
  visit->process = forks;
  return self->filter;
}

static inline void leave(const struct visit* visit) {
  Filter* const self = visit->filter;
  count_anew(self);
  --*(visit->process == forks ? &self->users : &self->inherited);
}

#define UNLOCKED(call)      \
  do {                      \
    Py_BEGIN_ALLOW_THREADS; \
    call;                   \
    Py_END_ALLOW_THREADS;   \
  } while (0)

/* The end of each call that inserts more than a key, whose result is NULL where anything failed, in
   C or before: what of it is in is known to nobody. */
PyObject* left_inserting(const struct visit* visit, PyObject* result);

/* The end of each call that inserted, with how many keys were new: warns once where the filter now
   holds more keys than it was made for. Returns `result`; or NULL, where warnings are errors.
   `level` is 1 where the caller's code calls it itself, 2 where a method in Python does. */
PyObject* count_new(Filter* self, uint64_t added, int level, PyObject* result);

/* A filter of C's as one of Python's. Raises what C says, where it is NULL. */
PyObject* wrap(PyTypeObject* type, bloomery_filter* filter, int is_elsewhere);

/* ---- Its methods, and the module's function: one key, ---- */
int filter_contains(PyObject* op, PyObject* object);
PyObject* filter_presence(PyObject* op, PyObject* object);
PyObject* filter_add(PyObject* op, PyObject* object);
PyObject* filter_erase(PyObject* op, PyObject* object); /* True where it was there */
/* many keys: _many(keys, what, timeout, fence): (answers, whether the keys were an array);
   _update(batch,
   ...): how many keys were new, */
PyObject* filter_many(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
PyObject* filter_update(PyObject* op, PyObject* const* args, Py_ssize_t nargs);
/* how filters come to be, of the class: _build(keys, capacity, rate, ...) of all keys at once,
   _open(location, flags, keys), _load(location, keys), and size_of(capacity, rate, ...), */
PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);
int filter_init(PyObject* op, PyObject* args, PyObject* kwargs);
PyObject* filter_build(PyObject* type, PyObject* args, PyObject* kwargs);
PyObject* filter_open(PyObject* type, PyObject* args);
PyObject* filter_load(PyObject* type, PyObject* args);
PyObject* filter_from_bytes(PyObject* type, PyObject* object);
PyObject* size_of(PyObject* module, PyObject* args, PyObject* kwargs);
PyObject* recover_file(PyObject* module, PyObject* args);
/* and whole filters. */
PyObject* filter_copy(PyObject* op, PyObject* none);
PyObject* filter_merge(PyObject* op, PyObject* object);
PyObject* filter_flush(PyObject* op, PyObject* none);
PyObject* filter_clear(PyObject* op, PyObject* none);
PyObject* filter_acknowledge(PyObject* op, PyObject* none);
PyObject* filter_save(PyObject* op, PyObject* args);
PyObject* filter_to_bytes(PyObject* op, PyObject* none);
PyObject* filter_info(PyObject* op, PyObject* none);
PyObject* filter_close(PyObject* op, PyObject* none);
Py_ssize_t filter_length(PyObject* op);
PyObject* filter_capacity(PyObject* op, void* closure);
PyObject* filter_keys(PyObject* op, void* closure);
PyObject* filter_closed(PyObject* op, void* closure);
PyObject* filter_in_doubt(PyObject* op, void* closure);
PyObject* filter_place(PyObject* op, PyObject* none);
PyObject* filter_memory(PyObject* op, PyObject* none);
PyObject* filter_compare(PyObject* op, PyObject* other, int operation);
void filter_dealloc(PyObject* op);

#endif
