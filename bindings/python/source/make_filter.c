// SPDX-License-Identifier: Apache-2.0
/* How filters come to be. */
#include <float.h>

#include "batch.h"
#include "errors.h"
#include "filter.h"

PyObject* wrap(PyTypeObject* type, bloomery_filter* filter, int is_elsewhere) {
  Filter* self;
  if (filter == NULL) return raise_last();
  self = (Filter*)type->tp_alloc(type, 0);
  if (self == NULL) {
    bloomery_close(filter);
    return NULL;
  }
  self->filter = filter;
  bloomery_heed_refusals(filter); /* add() raises them, naming the key */
  self->is_elsewhere = (char)is_elsewhere;
  return (PyObject*)self;
}

static int read_options(PyObject* args, PyObject* kwargs, bloomery_options* options) {
  static char* names[] = {"capacity", "rate",      "kind",       "keys",      "seed",
                          "secret",   "expansion", "tightening", "window_ms", "generations",
                          "format",   "settings",  "hash",       NULL};
  static const bloomery_options kUsual = BLOOMERY_OPTIONS;
  static const double kNotGiven = -DBL_MAX;
  PyObject *capacity = NULL, *seed = NULL, *window = NULL, *generations = NULL;
  unsigned long long count = 0;
  *options = kUsual;
  options->rate = 0.01;
  options->expansion = options->tightening = kNotGiven;
  if (!PyArg_ParseTupleAndKeywords(
          args, kwargs, "O|d$zzO!pddO!O!zzz:BloomFilter", names, &capacity, &options->rate,
          &options->kind, &options->keys, &PyLong_Type, &seed, &options->secret,
          &options->expansion, &options->tightening, &PyLong_Type, &window, &PyLong_Type,
          &generations, &options->format, &options->settings, &options->hash)) {
    return -1;
  }
  if (!PyLong_Check(capacity)) {
    PyErr_Format(PyExc_TypeError, "capacity is an int, in keys, not %.200s",
                 Py_TYPE(capacity)->tp_name);
    return -1;
  }
  if (options->rate == 0) { /* which means "as usual" to C */
    PyErr_SetString(PyExc_ValueError, "rate is above 0 and below 1, not 0");
    return -1;
  }
  if (options->expansion == 0 || options->tightening == 0) {
    PyErr_Format(PyExc_ValueError, "%s is above 0, not 0",
                 options->expansion == 0 ? "expansion" : "tightening");
    return -1;
  }
  if (options->expansion == kNotGiven) options->expansion = 0;
  if (options->tightening == kNotGiven) options->tightening = 0;
  options->capacity = PyLong_AsUnsignedLongLong(capacity);
  if (!PyErr_Occurred() && seed != NULL) options->seed = PyLong_AsUnsignedLongLong(seed);
  if (!PyErr_Occurred() && window != NULL) options->window_ms = PyLong_AsUnsignedLongLong(window);
  if (!PyErr_Occurred() && generations != NULL) count = PyLong_AsUnsignedLongLong(generations);
  if (!PyErr_Occurred() && count > UINT32_MAX) {
    PyErr_Format(PyExc_OverflowError, "generations has 32 bits, and %llu has more", count);
  }
  options->generations = (uint32_t)count;
  return PyErr_Occurred() ? -1 : 0;
}

PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  bloomery_options options;
  bloomery_filter* made;
  if (read_options(args, kwargs, &options) < 0) return NULL;
  UNLOCKED(made = bloomery_make(&options));
  return wrap(type, made, 0);
}

PyObject* filter_build(PyObject* type, PyObject* args, PyObject* kwargs) {
  bloomery_options options;
  bloomery_filter* made = NULL;
  struct batch batch;
  struct gathered some;
  PyObject *rest, *list = NULL, *result = NULL;
  Py_ssize_t i;
  int is_array;
  if (PyTuple_GET_SIZE(args) < 1) {
    PyErr_SetString(PyExc_TypeError, "_build() takes keys");
    return NULL;
  }
  rest = PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
  if (rest == NULL) return NULL;
  if (read_options(rest, kwargs, &options) < 0) goto done;
  is_array = batch_read(PyTuple_GET_ITEM(args, 0), &batch);
  if (is_array < 0) goto done;
  if (is_array) {
    if (batch.stream != NULL) {
      PyErr_SetString(PyExc_TypeError,
                      "build() takes all keys at once: an array of Arrow, not a stream");
    } else {
      UNLOCKED(made = bloomery_build(&options, &batch.keys));
      result = wrap((PyTypeObject*)type, made, 0);
    }
    batch_release(&batch);
    goto done;
  }
  list = PySequence_List(PyTuple_GET_ITEM(args, 0));
  if (list == NULL || gathered_begin(&some, (size_t)PyList_GET_SIZE(list)) < 0) goto done;
  for (i = 0; i < PyList_GET_SIZE(list); ++i) {
    if (gathered_add(&some, PyList_GET_ITEM(list, i)) < 0) break;
  }
  if (i == PyList_GET_SIZE(list) && gathered_finish(&some) == 0) {
    UNLOCKED(made = bloomery_build(&options, &some.keys));
    result = wrap((PyTypeObject*)type, made, 0);
  }
  gathered_end(&some);
done:
  Py_XDECREF(list);
  Py_DECREF(rest);
  return result;
}

PyObject* filter_open(PyObject* type, PyObject* args) {
  PyObject* path;
  const char* keys;
  bloomery_filter* opened;
  int flags;
  if (!PyArg_ParseTuple(args, "O&iz", PyUnicode_FSConverter, &path, &flags, &keys)) return NULL;
  UNLOCKED(opened = bloomery_open(PyBytes_AS_STRING(path), flags, keys));
  Py_DECREF(path);
  return wrap((PyTypeObject*)type, opened, 1);
}

PyObject* filter_load(PyObject* type, PyObject* args) {
  PyObject* path;
  const char* keys;
  bloomery_filter* loaded;
  if (!PyArg_ParseTuple(args, "O&z", PyUnicode_FSConverter, &path, &keys)) return NULL;
  UNLOCKED(loaded = bloomery_load(PyBytes_AS_STRING(path), keys));
  Py_DECREF(path);
  return wrap((PyTypeObject*)type, loaded, 0);
}

PyObject* filter_from_bytes(PyObject* type, PyObject* object) {
  Py_buffer view;
  bloomery_filter* made;
  if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return NULL;
  UNLOCKED(made = bloomery_from_bytes(view.buf, (size_t)view.len));
  PyBuffer_Release(&view);
  return wrap((PyTypeObject*)type, made, 0);
}

/* size_of(capacity, rate, ...): (bit_count, probe_count, lines_per_key). */
PyObject* size_of(PyObject* module, PyObject* args, PyObject* kwargs) {
  bloomery_options options;
  bloomery_size size = BLOOMERY_SIZE;
  (void)module;
  if (read_options(args, kwargs, &options) < 0) return NULL;
  if (bloomery_size_of(&options, &size) < 0) return raise_last();
  return Py_BuildValue("KII", (unsigned long long)size.bit_count, (unsigned)size.probe_count,
                       (unsigned)size.lines_per_key);
}
