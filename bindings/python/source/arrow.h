// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_ARROW_H
#define BLOOMERY_PYTHON_ARROW_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* Arrow's C data interface: https://arrow.apache.org/docs/format/CDataInterface.html */
struct arrow_schema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct arrow_schema** children;
  struct arrow_schema* dictionary;
  void (*release)(struct arrow_schema*);
  void* private_data;
};

struct arrow_array {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct arrow_array** children;
  struct arrow_array* dictionary;
  void (*release)(struct arrow_array*);
  void* private_data;
};

/* And its C stream interface: https://arrow.apache.org/docs/format/CStreamInterface.html */
struct arrow_stream {
  int (*get_schema)(struct arrow_stream*, struct arrow_schema*);
  int (*get_next)(struct arrow_stream*, struct arrow_array*);
  const char* (*get_last_error)(struct arrow_stream*);
  void (*release)(struct arrow_stream*);
  void* private_data;
};

struct batch;
/* What has __arrow_c_array__: 1, or -1 with an exception set. */
int arrow_read(PyObject* object, struct batch* batch);
/* What has __arrow_c_stream__, at its first array: the same. */
int arrow_open(PyObject* object, struct batch* batch);
/* Its next array: 1, 0 behind the last, or -1 with an exception set. */
int arrow_next(struct batch* batch);
void arrow_close(struct batch* batch);

#endif
