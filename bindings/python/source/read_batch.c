// SPDX-License-Identifier: Apache-2.0
#include "read_batch.h"

#include <stdlib.h>
#include <string.h>

#include "array_like.h"
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

/* Raises a ValueError where a key of NumPy's S ends in a zero byte: a digest's own, or what NumPy
   puts behind shorter keys. */
static int refuse_padded(const char* data, size_t count, Py_ssize_t stride, size_t width) {
  size_t i;
  for (i = 0; i < count && width != 0; ++i, data += stride) {
    if (data[width - 1] != '\0') continue;
    PyErr_Format(PyExc_ValueError,
                 "key %zu of S%zu ends in a zero byte, which may be its own or padding: "
                 "view(\"V%zu\") has keys of %zu bytes each, tolist() shorter ones without zeros",
                 i, width, width, width);
    return -1;
  }
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
  use(batch, BLOOMERY_FIXED, data, count, width);
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

static int taken(int status) {
  return status < 0 ? -1 : 1;
}

/* Returns 1 where the elements of the view are keys, 0 where they are not. -1 with an exception
   set. */
static int use_elements(struct batch* batch, const char* format) {
  const Py_buffer* const view = &batch->view;
  const char *const data = view->buf, *code = format;
  const size_t width = (size_t)view->itemsize, count = (size_t)view->shape[0];
  const Py_ssize_t stride = view->strides == NULL ? view->itemsize : view->strides[0];
  const int is_swapped = *format == '>' || *format == '!';
  if (is_swapped || *format == '@' || *format == '=' || *format == '<') code = ++format;
  while (*code >= '0' && *code <= '9') ++code;
  if (code[0] == '\0' || code[1] != '\0') return 0;
  if (*code == 'x' && code != format) return taken(use_bytes(batch, data, count, stride, width));
  if (*code == 's') {
    if (refuse_padded(data, count, stride, width) < 0) return -1;
    return taken(use_bytes(batch, data, count, stride, width));
  }
  if (is_swapped && width > 1) return 0;
  /* Without a number before it: of array.array('u'), a character each. */
  if (*code == 'w') {
    return taken(use_characters(batch, data, count, stride, width, code != format));
  }
  if (code != format || width > 8 || strchr("bhilqnBHILQN", *code) == NULL) return 0;
  return taken(use_integers(batch, data, count, stride, width, strchr("bhilqn", *code) != NULL));
}

/* As batch_read() of a buffer. */
static int read_view(PyObject* object, struct batch* batch) {
  const Py_buffer* const view = &batch->view;
  const char* format;
  int status;
  if (PyObject_GetBuffer(object, &batch->view, PyBUF_STRIDED_RO | PyBUF_FORMAT) < 0) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_BufferError)) {
      return -1;
    }
    PyErr_Clear();
    batch->view.obj = NULL;
    return has_objects(object) ? 0 : refuse_elements(object, "?");
  }
  if (view->ndim != 1) {
    PyErr_Format(PyExc_ValueError, "keys come in one dimension, not %d", view->ndim);
    return -1;
  }
  format = view->format == NULL ? "B" : view->format;
  if (strcmp(format, "O") == 0) return 0;
  status = use_elements(batch, format);
  if (status == 0 && view->shape[0] == 0) { /* of any dtype: it has no element that is no key */
    use(batch, BLOOMERY_POINTERS, NULL, 0, sizeof(void*));
    return 1;
  }
  return status == 0 ? refuse_elements(object, format) : status;
}

/* As batch_read() of a Series, or of what else becomes an array of NumPy, which may hold Python's
   objects. */
static int read_converted(PyObject* object, struct batch* batch) {
  PyObject* const array = array_of(object);
  int status;
  if (array == NULL) return PyErr_Occurred() ? -1 : 0;
  status = check_mask(array) < 0 ? -1 : read_view(array, batch);
  Py_DECREF(array); /* its buffer holds it */
  return status;
}

static int read_stream(PyObject* object, struct batch* batch) {
  const int status = arrow_open(object, batch);
  /* pandas without pyarrow has the method, but not what it calls. */
  if (status >= 0 || !PyErr_ExceptionMatches(PyExc_ImportError)) return status;
  PyErr_Clear();
  return refuse_frame(object) < 0 ? -1 : read_converted(object, batch);
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
    status = read_stream(object, batch);
  } else if (PyObject_CheckBuffer(object)) {
    status = check_mask(object) < 0 ? -1 : read_view(object, batch);
  } else {
    status = refuse_frame(object) < 0 ? -1 : read_converted(object, batch);
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
