// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "arrow.h"
#include "layouts.h"

static const bloomery_keys kNoKeys = BLOOMERY_KEYS;

void use(struct batch* batch, int layout, const void* data, size_t count, size_t width) {
  batch->keys.layout = layout;
  batch->keys.count = count;
  batch->keys.data = data;
  batch->keys.width = width;
  batch->keys.data_size = count * width;
}

void* allocate(size_t count, size_t size) {
  void* const room =
      count > PY_SSIZE_T_MAX / size ? NULL : malloc(count == 0 ? size : count * size);
  if (room == NULL) PyErr_NoMemory();
  return room;
}

/* Integers of fewer bytes, or not one behind the other, as they are with 64 bits. */
static int widen(struct batch* batch, const char* data, size_t count, Py_ssize_t stride,
                 size_t width, int is_signed) {
  uint64_t* const all = allocate(count, sizeof *all);
  size_t i;
  if (all == NULL) return -1;
  batch->made = all;
  for (i = 0; i < count; ++i, data += stride) {
    uint64_t bits = 0;
    memcpy(&bits, data, width); /* little-endian, as all that the library runs on */
    if (is_signed && width < 8 && (bits >> (8 * width - 1)) != 0)
      bits |= ~UINT64_C(0) << (8 * width);
    all[i] = bits;
  }
  /* Only those of 64 bits may be beyond what i64 has. */
  use(batch, is_signed || width < 8 ? BLOOMERY_I64 : BLOOMERY_U64, all, count, 8);
  return 0;
}

int use_integers(struct batch* batch, const char* data, size_t count, Py_ssize_t stride,
                 size_t width, int is_signed) {
  if (width != 8 || (stride != 8 && count > 1)) {
    return widen(batch, data, count, stride, width, is_signed);
  }
  use(batch, is_signed ? BLOOMERY_I64 : BLOOMERY_U64, data, count, 8);
  return 0;
}

static int use_bytes(struct batch* batch, const char* data, size_t count, Py_ssize_t stride,
                     size_t width) {
  batch->keys.raw = 1;
  if (stride != (Py_ssize_t)width && count > 1 && width != 0) {
    char* const all = allocate(count, width);
    size_t i;
    if (all == NULL) return -1;
    batch->made = all;
    for (i = 0; i < count; ++i) memcpy(all + i * width, data + (Py_ssize_t)i * stride, width);
    data = all;
  }
  use(batch, BLOOMERY_PADDED, data, count, width);
  return 0;
}

/* Returns how many bytes of UTF-8 were written, or 0 for what is no character. */
static size_t put_utf8(uint32_t c, char* out) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xc0 | (c >> 6));
    out[1] = (char)(0x80 | (c & 63));
    return 2;
  }
  if (c < 0x10000) {
    if (c >= 0xd800 && c < 0xe000) return 0;
    out[0] = (char)(0xe0 | (c >> 12));
    out[1] = (char)(0x80 | ((c >> 6) & 63));
    out[2] = (char)(0x80 | (c & 63));
    return 3;
  }
  if (c > 0x10ffff) return 0;
  out[0] = (char)(0xf0 | (c >> 18));
  out[1] = (char)(0x80 | ((c >> 12) & 63));
  out[2] = (char)(0x80 | ((c >> 6) & 63));
  out[3] = (char)(0x80 | (c & 63));
  return 4;
}

/* Texts of four bytes a character, which become UTF-8. NumPy's have zeros behind. */
static int use_characters(struct batch* batch, const char* data, size_t count, Py_ssize_t stride,
                          size_t width, int is_padded) {
  const size_t length = width / 4;
  int64_t* const offsets = allocate(count + 1, sizeof *offsets);
  char* bytes;
  size_t i, j, at = 0;
  if (offsets == NULL) return -1;
  batch->made_too = offsets;
  batch->made = bytes = allocate(count, width == 0 ? 1 : width);
  if (bytes == NULL) return -1;
  offsets[0] = 0;
  for (i = 0; i < count; ++i, data += stride) {
    size_t last = length;
    uint32_t c;
    for (; is_padded && last > 0; --last) {
      memcpy(&c, data + 4 * (last - 1), 4);
      if (c != 0) break;
    }
    for (j = 0; j < last; ++j) {
      size_t written;
      memcpy(&c, data + 4 * j, 4);
      written = put_utf8(c, bytes + at);
      if (written == 0) {
        PyErr_Format(PyExc_ValueError, "key %zu has a character that UTF-8 does not have: U+%04x",
                     i, c);
        return -1;
      }
      at += written;
    }
    offsets[i + 1] = (int64_t)at;
  }
  batch->keys.layout = BLOOMERY_OFFSETS64;
  batch->keys.count = count;
  batch->keys.data = bytes;
  batch->keys.data_size = at;
  batch->keys.offsets = offsets;
  return 0;
}

int refuse(const char* what) {
  PyErr_Format(
      PyExc_TypeError,
      "keys are integers of up to 64 bits, in this machine's order, bytes or texts: not %s", what);
  return -1;
}

static int use_view(struct batch* batch) {
  const Py_buffer* const view = &batch->view;
  const char* format = view->format == NULL ? "B" : view->format;
  const size_t width = (size_t)view->itemsize;
  const char *data = view->buf, *code;
  size_t count;
  Py_ssize_t stride;
  if (view->ndim != 1) {
    PyErr_Format(PyExc_ValueError, "keys come in one dimension, not %d", view->ndim);
    return -1;
  }
  count = (size_t)view->shape[0];
  stride = view->strides == NULL ? view->itemsize : view->strides[0];
  if (*format == '>' || *format == '!') {
    if (width > 1 && format[strlen(format) - 1] != 's') return refuse(format);
    ++format;
  } else if (*format == '@' || *format == '=' || *format == '<') {
    ++format;
  }
  for (code = format; *code >= '0' && *code <= '9'; ++code) {
  }
  if (code[0] == '\0' || code[1] != '\0') return refuse(view->format);
  if (*code == 's') return use_bytes(batch, data, count, stride, width);
  /* Without a number before it: of array.array('u'), a character each. */
  if (*code == 'w') return use_characters(batch, data, count, stride, width, code != format);
  if (code != format || width > 8 || strchr("bhilqnBHILQN", *code) == NULL) {
    return refuse(view->format);
  }
  return use_integers(batch, data, count, stride, width, strchr("bhilqn", *code) != NULL);
}

static int read_view(PyObject* object, struct batch* batch) {
  if (PyObject_GetBuffer(object, &batch->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
    /* Of dates, say, which are no keys either, as going through them will tell. */
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError)) {
      return -1;
    }
    PyErr_Clear();
    batch->view.obj = NULL;
    return 0;
  }
  if (batch->view.format != NULL && strcmp(batch->view.format, "O") == 0) return 0;
  return use_view(batch) < 0 ? -1 : 1;
}

/* NumPy's masked arrays: their buffer does not say what is hidden. */
static int check_mask(PyObject* object) {
  PyObject *mask, *any;
  int hides;
  if (!PyObject_HasAttrString(object, "mask")) return 0;
  mask = PyObject_GetAttrString(object, "mask");
  if (mask == NULL) return -1;
  any = PyObject_CallMethod(mask, "any", NULL);
  Py_DECREF(mask);
  if (any == NULL) return -1;
  hides = PyObject_IsTrue(any);
  Py_DECREF(any);
  if (hides > 0) {
    PyErr_SetString(PyExc_ValueError, "some keys are masked: compressed() is those that are not");
  }
  return hides == 0 ? 0 : -1;
}

int batch_read(PyObject* object, struct batch* batch) {
  int status;
  memset(batch, 0, sizeof *batch);
  batch->keys = kNoKeys;
  if (PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object)) {
    PyErr_Format(PyExc_TypeError, "one %.50s is one key: many come as an array or an iterable",
                 Py_TYPE(object)->tp_name);
    return -1;
  }
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) return 0;
  if (PyObject_HasAttrString(object, "__arrow_c_array__")) {
    status = arrow_read(object, batch);
  } else if (PyObject_HasAttrString(object, "__arrow_c_stream__")) {
    status = arrow_open(object, batch);
  } else if (PyObject_CheckBuffer(object)) {
    status = check_mask(object) < 0 ? -1 : read_view(object, batch);
  } else {
    return 0;
  }
  if (status != 1) batch_release(batch);
  return status;
}

static void drop_copies(struct batch* batch) {
  free(batch->made);
  free(batch->made_too);
  batch->made = batch->made_too = NULL;
}

int batch_next(struct batch* batch) {
  if (batch->stream == NULL) return 0;
  drop_copies(batch);
  batch->keys = kNoKeys;
  return arrow_next(batch);
}

void batch_release(struct batch* batch) {
  if (batch->view.obj != NULL) PyBuffer_Release(&batch->view);
  if (batch->stream != NULL) arrow_close(batch);
  Py_CLEAR(batch->held);
  drop_copies(batch);
}
