// SPDX-License-Identifier: Apache-2.0
#include "batch.h"
#include "key.h"

#include <stdlib.h>
#include <string.h>

int gathered_begin(struct gathered* some, size_t capacity) {
  memset(some, 0, sizeof *some);
  some->capacity = capacity = capacity == 0 ? 1 : capacity;
  if (capacity <= PY_SSIZE_T_MAX / sizeof(void*)) {
    some->pointers = malloc(capacity * sizeof *some->pointers);
    some->sizes = malloc(capacity * sizeof *some->sizes);
    some->integers = malloc(capacity * sizeof *some->integers);
    some->held = malloc(capacity * sizeof *some->held);
  }
  if (some->pointers != NULL && some->sizes != NULL && some->integers != NULL &&
      some->held != NULL) {
    return 0;
  }
  gathered_end(some);
  PyErr_NoMemory();
  return -1;
}

int gathered_add(struct gathered* some, PyObject* object) {
  const size_t i = some->count;
  struct key key;
  int is_integer;
  if (key_read(object, &key) < 0) {
    key_release(&key);
    return -1;
  }
  is_integer = key.kind == KEY_I64 || key.kind == KEY_U64;
  if (i == 0) some->is_integers = is_integer;
  if (i == 0) some->is_raw = key.kind == KEY_RAW;
  if (some->is_integers != is_integer || some->is_raw != (key.kind == KEY_RAW)) {
    key_release(&key);
    PyErr_SetString(PyExc_TypeError, "a batch has str, bytes or integers, and one of them only");
    return -1;
  }
  switch (key.kind) {
    case KEY_I64:
      some->integers[i] = (uint64_t)key.i64;
      some->has_negative |= key.i64 < 0;
      break;
    case KEY_U64:
      some->integers[i] = key.u64;
      some->has_beyond = 1;
      break;
    case KEY_TEXT:
    case KEY_RAW:
      some->pointers[i] = key.bytes;
      some->sizes[i] = key.size;
      break;
  }
  /* What holds the bytes: the object itself, or what was made of it. */
  some->held[i] = key.held != NULL ? key.held : Py_NewRef(object);
  ++some->count;
  return 0;
}

static int ends_line(const struct gathered* some, size_t i) {
  const size_t size = some->sizes[i];
  const char last = size == 0 ? '\0' : ((const char*)some->pointers[i])[size - 1];
  return last == '\n' || last == '\r';
}

/* Warns of lines that came with their ends, as readlines() gives them. Bytes may end so by chance:
   four of them do not. Returns -1 where the warning is an error. */
static int warn_of_line_ends(const struct gathered* some) {
  const size_t looked_at = some->is_raw ? 4 : 1;
  size_t i;
  if (some->count < looked_at) return 0;
  for (i = 0; i < looked_at; ++i) {
    if (!ends_line(some, i)) return 0;
  }
  return PyErr_WarnEx(PyExc_UserWarning,
                      "the keys end in line ends, which are part of them: read().splitlines() has "
                      "lines without, and `bloomery insert` reads files of any size and packing",
                      1);
}

int gathered_finish(struct gathered* some) {
  static const bloomery_keys kEmpty = BLOOMERY_KEYS;
  some->keys = kEmpty;
  some->keys.count = some->count;
  if (some->is_integers) {
    if (some->has_negative && some->has_beyond) {
      PyErr_SetString(PyExc_OverflowError,
                      "a batch has integers below 0 and above 2**63 - 1, and no form has both");
      return -1;
    }
    some->keys.layout = some->has_beyond ? BLOOMERY_U64 : BLOOMERY_I64;
    some->keys.data = some->integers;
    some->keys.data_size = some->count * sizeof *some->integers;
    return 0;
  }
  if (warn_of_line_ends(some) < 0) return -1;
  some->keys.layout = BLOOMERY_POINTERS;
  some->keys.data = some->pointers;
  some->keys.data_size = some->count * sizeof *some->pointers;
  some->keys.offsets = some->sizes;
  some->keys.raw = some->is_raw;
  return 0;
}

void gathered_clear(struct gathered* some) {
  size_t i;
  for (i = 0; i < some->count; ++i) Py_DECREF(some->held[i]);
  some->count = 0;
  some->is_integers = some->has_negative = some->has_beyond = some->is_raw = 0;
}

void gathered_end(struct gathered* some) {
  if (some->held != NULL) gathered_clear(some);
  free(some->pointers);
  free(some->sizes);
  free(some->integers);
  free(some->held);
}
