// SPDX-License-Identifier: Apache-2.0
/* What a filter does with one key. */
#include "errors.h"
#include "filter.h"
#include "key.h"

int filter_contains(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int answer;
  if (filter == NULL) return -1;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return -1;
  }
  if (self->is_elsewhere) {
    UNLOCKED(answer = key_ask(filter, &key));
  } else {
    answer = key_ask(filter, &key);
  }
  key_release(&key);
  leave(&visit);
  if (answer == BLOOMERY_ABSENT) return 0;
  if (answer == BLOOMERY_MAYBE || bloomery_status() == BLOOMERY_OK) return 1;
  raise_last();
  return -1;
}

PyObject* filter_presence(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int answer;
  if (filter == NULL) return NULL;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return NULL;
  }
  UNLOCKED(answer = key_ask(filter, &key));
  key_release(&key);
  leave(&visit);
  if (answer == BLOOMERY_UNKNOWN && bloomery_status() != BLOOMERY_OK) return raise_last();
  return PyLong_FromLong(answer);
}

PyObject* filter_add(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int outcome;
  if (filter == NULL) return NULL;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return NULL;
  }
  if (self->is_elsewhere) {
    UNLOCKED(outcome = key_insert(filter, &key));
  } else {
    outcome = key_insert(filter, &key);
  }
  key_release(&key);
  leave(&visit);
  if (outcome < 0) return raise_last();
  if (outcome == BLOOMERY_TAKEN) Py_RETURN_NONE;
  if (outcome != BLOOMERY_ADDED) Py_RETURN_FALSE;
  return count_new(self, 1, 1, Py_NewRef(Py_True));
}

/* None where the key is not there, False where it stays for ever. */
PyObject* filter_erase(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int status;
  if (filter == NULL) return NULL;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return NULL;
  }
  UNLOCKED(status = key_erase(filter, &key));
  key_release(&key);
  leave(&visit);
  if (status < 0) return raise_last();
  if (status == BLOOMERY_ABSENT) Py_RETURN_NONE;
  return PyBool_FromLong(status == BLOOMERY_OK);
}
