// SPDX-License-Identifier: Apache-2.0
/* How filters come to be. */
#include <float.h>
#include <string.h>

#include "batch.h"
#include "errors.h"
#include "filter.h"
#include "read_batch.h"

static void put_filter(Filter* self, bloomery_filter* filter, int is_elsewhere) {
  self->filter = filter;
  self->was_made = 1;
  bloomery_heed_refusals(filter); /* add() raises them, naming the key */
  self->is_elsewhere = (char)is_elsewhere;
}

PyObject* wrap(PyTypeObject* type, bloomery_filter* filter, int is_elsewhere) {
  Filter* self;
  if (filter == NULL) return raise_last();
  self = (Filter*)type->tp_alloc(type, 0);
  if (self == NULL) {
    bloomery_close(filter);
    return NULL;
  }
  put_filter(self, filter, is_elsewhere);
  return (PyObject*)self;
}

/* Reads a whole number from `least` to `most`: an int or an integer of NumPy, but no truth value.
   Leaves *number as it is where nothing was given. -1 with an exception set, which says `what`. */
static int read_whole(PyObject* given, const char* what, uint64_t least, uint64_t most,
                      uint64_t* number) {
  PyObject* integer;
  if (given == NULL) return 0;
  if (!PyIndex_Check(given) || PyBool_Check(given) ||
      strncmp(Py_TYPE(given)->tp_name, "numpy.bool", 10) == 0) {
    PyErr_Format(PyExc_TypeError, "%s, not %.200s", what, Py_TYPE(given)->tp_name);
    return -1;
  }
  integer = PyNumber_Index(given);
  if (integer == NULL) return -1;
  *number = PyLong_AsUnsignedLongLong(integer);
  if (PyErr_Occurred() || *number < least || *number > most) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "%s, not %R", what, integer);
  }
  Py_DECREF(integer);
  return PyErr_Occurred() ? -1 : 0;
}

/* As read_whole(), of a number above 0 and below `below`. */
static int read_real(PyObject* given, const char* what, double below, double* number) {
  if (given == NULL) return 0;
  *number = PyFloat_AsDouble(given);
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s, not %.200s", what, Py_TYPE(given)->tp_name);
    return -1;
  }
  if (*number > 0 && *number < below) return 0; /* and not NaN */
  PyErr_Format(PyExc_ValueError, "%s, not %R", what, given);
  return -1;
}

/* The milliseconds of a window that is a timedelta or a text such as "24h". */
static int read_window(PyObject* window, uint64_t* milliseconds) {
  PyObject *module, *number;
  int status;
  if (window == NULL || window == Py_None) return 0;
  module = PyImport_ImportModule("pybloomery._window");
  if (module == NULL) return -1;
  number = PyObject_CallMethod(module, "milliseconds_of", "O", window);
  Py_DECREF(module);
  if (number == NULL) return -1;
  status = read_whole(number, "window is at least a millisecond", 1, UINT64_MAX, milliseconds);
  Py_DECREF(number);
  return status;
}

/* `least` keys: 0 where a batch says how many. */
static int read_options(PyObject* args, PyObject* kwargs, uint64_t least,
                        bloomery_options* options) {
  static char* names[] = {"capacity", "rate",      "kind",       "keys",      "seed",
                          "secret",   "expansion", "tightening", "window_ms", "generations",
                          "format",   "settings",  "hash",       "window",    NULL};
  static const bloomery_options kUsual = BLOOMERY_OPTIONS;
  PyObject *capacity = NULL, *rate = NULL, *seed = NULL, *window_ms = NULL, *generations = NULL,
           *expansion = NULL, *tightening = NULL, *window = NULL;
  uint64_t count = 0;
  *options = kUsual;
  options->rate = 0.01;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O$zzOpOOOOzzzO:BloomFilter", names, &capacity,
                                   &rate, &options->kind, &options->keys, &seed, &options->secret,
                                   &expansion, &tightening, &window_ms, &generations,
                                   &options->format, &options->settings, &options->hash, &window)) {
    return -1;
  }
  if (read_whole(capacity, "capacity is a whole number of keys, from 1 to 2**64 - 1", least,
                 UINT64_MAX, &options->capacity) < 0 ||
      read_real(rate, "rate is a number above 0 and below 1", 1, &options->rate) < 0 ||
      read_whole(seed, "seed is a whole number from 0 to 2**64 - 1", 0, UINT64_MAX,
                 &options->seed) < 0 ||
      read_real(expansion, "expansion is a number above 0", DBL_MAX, &options->expansion) < 0 ||
      read_real(tightening, "tightening is a number above 0", DBL_MAX, &options->tightening) < 0 ||
      read_whole(window_ms, "window_ms is a whole number of milliseconds, below 2**64", 0,
                 UINT64_MAX, &options->window_ms) < 0 ||
      read_whole(generations, "generations is a whole number below 2**32", 0, UINT32_MAX, &count) <
          0) {
    return -1;
  }
  options->generations = (uint32_t)count;
  if (window_ms != NULL && window != NULL && window != Py_None) {
    PyErr_SetString(PyExc_TypeError, "window and window_ms are the same: give one of them");
    return -1;
  }
  return read_window(window, &options->window_ms);
}

/* Makes the filter of an object that has none. */
static int make(Filter* self, PyObject* args, PyObject* kwargs) {
  bloomery_options options;
  bloomery_filter* made;
  if (read_options(args, kwargs, 1, &options) < 0) return -1;
  UNLOCKED(made = bloomery_make(&options));
  if (made == NULL) {
    raise_last();
    return -1;
  }
  put_filter(self, made, 0);
  return 0;
}

/* A class with an __init__ of its own has its filter of the arguments here, where they make one,
   and so need not call this one's; else, and if it calls that with others, it has it of those. */
PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  Filter* const self = (Filter*)type->tp_alloc(type, 0);
  if (self == NULL || type->tp_init == filter_init || make(self, args, kwargs) == 0) {
    return (PyObject*)self;
  }
  if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError)) {
    PyErr_Clear();
    return (PyObject*)self;
  }
  Py_DECREF(self);
  return NULL;
}

int filter_init(PyObject* op, PyObject* args, PyObject* kwargs) {
  Filter* const self = (Filter*)op;
  bloomery_filter* const early = self->filter;
  if (self->was_made && (early == NULL || self->users != 0 || bloomery_inserted(early) != 0)) {
    PyErr_SetString(PyExc_TypeError, "this filter is made already, and in use");
    return -1;
  }
  if (make(self, args, kwargs) < 0) return -1;
  bloomery_close(early);
  return 0;
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
  if (read_options(rest, kwargs, 0, &options) < 0) goto done;
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

PyObject* recover_file(PyObject* module, PyObject* args) {
  PyObject* path;
  int status;
  (void)module;
  if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
  UNLOCKED(status = bloomery_recover(PyBytes_AS_STRING(path)));
  Py_DECREF(path);
  if (status < 0) return raise_last();
  Py_RETURN_NONE;
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
  if (read_options(args, kwargs, 1, &options) < 0) return NULL;
  if (bloomery_size_of(&options, &size) < 0) return raise_last();
  return Py_BuildValue("KII", (unsigned long long)size.bit_count, (unsigned)size.probe_count,
                       (unsigned)size.lines_per_key);
}
