// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_BATCH_H
#define BLOOMERY_PYTHON_BATCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "arrow_interface.h"
#include "bloomery/c/bloomery.h"

/* Keys that lie in an array of somebody's: asked where they are, where their layout is one of
   ours, else as a copy. */
struct batch {
  bloomery_keys keys;
  Py_buffer view;              /* view.obj is NULL where there is none */
  PyObject* held;              /* Arrow's capsules */
  void* made;                  /* what had to be copied, and */
  void* made_too;              /* its offsets */
  struct arrow_stream* stream; /* NULL where all keys are here at once */
  struct arrow_schema schema;  /* of the stream, and */
  struct arrow_array array;    /* that of it which has these keys */
};

/* Keys out of Python's own objects, some at a time. */
struct gathered {
  bloomery_keys keys;
  size_t capacity;
  size_t count;
  int is_integers;
  int has_negative, has_beyond; /* below 0; above 2^63 - 1 */
  int is_raw;                   /* bytes, and not str */
  const void** pointers;
  size_t* sizes;
  uint64_t* integers;
  PyObject** held;
};
int gathered_begin(struct gathered* some, size_t capacity);
/* The object stays alive until gathered_clear(). -1 with an exception set. */
int gathered_add(struct gathered* some, PyObject* object);
/* Sets `keys` to all of them. -1 with an exception set, where they have no form in common. */
int gathered_finish(struct gathered* some);
void gathered_clear(struct gathered* some);
void gathered_end(struct gathered* some);

#endif
