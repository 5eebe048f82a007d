// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_ARROW_INTERFACE_H
#define BLOOMERY_PYTHON_ARROW_INTERFACE_H

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

#endif
