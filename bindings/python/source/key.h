// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_PYTHON_KEY_H
#define BLOOMERY_PYTHON_KEY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "bloomery/c/bloomery.h"

/* One key as Python has it: str is text as people write it, bytes are bytes, an int is an
   integer. bytes and size stay valid until key_release(). */
enum key_kind { KEY_TEXT, KEY_RAW, KEY_I64, KEY_U64 };
struct key {
  enum key_kind kind;
  const char* bytes;
  size_t size;
  int64_t i64;
  uint64_t u64;
  PyObject* held; /* NULL: the caller's own object holds the bytes */
};

/* -1 with an exception set. */
int key_read_slowly(PyObject* object, struct key* key);

static inline int key_read(PyObject* object, struct key* key) {
  key->held = NULL;
  if (PyUnicode_CheckExact(object) && PyUnicode_IS_READY(object) &&
      PyUnicode_IS_COMPACT_ASCII(object)) {
    key->kind = KEY_TEXT;
    key->bytes = (const char*)PyUnicode_1BYTE_DATA(object);
    key->size = (size_t)PyUnicode_GET_LENGTH(object);
    return 0;
  }
  return key_read_slowly(object, key);
}

static inline void key_release(struct key* key) {
  Py_XDECREF(key->held);
}

static inline int key_ask(const bloomery_filter* filter, const struct key* key) {
  switch (key->kind) {
    case KEY_TEXT:
      return bloomery_ask(filter, key->bytes, key->size);
    case KEY_RAW:
      return bloomery_ask_raw(filter, key->bytes, key->size);
    case KEY_I64:
      return bloomery_ask_i64(filter, key->i64);
    case KEY_U64:
      break;
  }
  return bloomery_ask_u64(filter, key->u64);
}

static inline int key_insert(bloomery_filter* filter, const struct key* key) {
  switch (key->kind) {
    case KEY_TEXT:
      return bloomery_insert(filter, key->bytes, key->size);
    case KEY_RAW:
      return bloomery_insert_raw(filter, key->bytes, key->size);
    case KEY_I64:
      return bloomery_insert_i64(filter, key->i64);
    case KEY_U64:
      break;
  }
  return bloomery_insert_u64(filter, key->u64);
}

static inline int key_erase(bloomery_filter* filter, const struct key* key) {
  switch (key->kind) {
    case KEY_TEXT:
      return bloomery_try_erase(filter, key->bytes, key->size);
    case KEY_RAW:
      return bloomery_try_erase_raw(filter, key->bytes, key->size);
    case KEY_I64:
      return bloomery_try_erase_i64(filter, key->i64);
    case KEY_U64:
      break;
  }
  return bloomery_try_erase_u64(filter, key->u64);
}

#endif
