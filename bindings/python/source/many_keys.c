// SPDX-License-Identifier: Apache-2.0
/* What a filter does with keys by the batch. */
#include "batch.h"
#include "errors.h"
#include "filter.h"
#include "read_batch.h"

#include <time.h>

enum { kPiece = 4096 };
static const double kNever = 0; /* no deadline */

/* What is asked for, or done. */
enum { MANY_PRESENCE, MANY_FOUND, MANY_NEW, MANY_COUNT };

/* Behind which "absent" is said; no `source`: behind none. */
struct fence {
  const char* source;
  uint64_t position;
};

/* What becomes of a batch: an answer of each key, a bytearray, where not only their number is
   wanted. */
struct outcome {
  PyObject* answers;
  size_t added;
  int is_array;
  double deadline; /* for the answers */
  struct fence fence;
};

/* Of the monotonic clock, in seconds. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint32_t milliseconds_until(double deadline) {
  const double left = 1e3 * (deadline - now());
  return left > 0 ? (uint32_t)(left + 1) : 0;
}

static int ask(const bloomery_filter* filter, const struct outcome* outcome,
               const bloomery_keys* keys, uint8_t* out) {
  const struct fence* const fence = &outcome->fence;
  const int has_deadline = outcome->deadline != kNever;
  const uint32_t left = has_deadline ? milliseconds_until(outcome->deadline) : UINT32_MAX;
  if (fence->source != NULL) {
    return bloomery_ask_many_behind(filter, keys, fence->source, fence->position, left, out);
  }
  return has_deadline ? bloomery_ask_many_within(filter, keys, left, out)
                      : bloomery_ask_many(filter, keys, out);
}

static int run(bloomery_filter* filter, int what, const struct outcome* outcome,
               const bloomery_keys* keys, uint8_t* out, size_t* added) {
  const size_t count = keys->count;
  int status;
  Py_BEGIN_ALLOW_THREADS;
  if (what == MANY_PRESENCE || what == MANY_FOUND) {
    status = ask(filter, outcome, keys, out);
    if (status == BLOOMERY_TOO_LATE) status = BLOOMERY_OK; /* of the others nobody knows */
  } else {
    status = bloomery_insert_many(filter, keys, out, added);
  }
  if (what == MANY_FOUND) {
    size_t i = 0;
    for (; i + 8 <= count; i += 8) { /* of 1, 2 and 3 the last has both its low bits */
      uint64_t eight;
      memcpy(&eight, out + i, 8);
      eight = (eight ^ (eight >> 1)) & UINT64_C(0x0101010101010101);
      memcpy(out + i, &eight, 8);
    }
    for (; i < count; ++i) out[i] = out[i] != BLOOMERY_ABSENT;
  } else if (what == MANY_NEW) {
    for (size_t i = 0; i < count; ++i) out[i] = out[i] != BLOOMERY_PRESENT;
  }
  Py_END_ALLOW_THREADS;
  if (status == BLOOMERY_OK) return 0;
  raise_last();
  return -1;
}

/* Room for the answers of `count` keys behind those of `done`. -1 with an exception set. */
static int answer_more(PyObject* answers, size_t done, size_t count, uint8_t** to) {
  *to = NULL;
  if (answers == NULL) return 0;
  if (PyByteArray_Resize(answers, (Py_ssize_t)(done + count)) < 0) return -1;
  *to = (uint8_t*)PyByteArray_AS_STRING(answers) + done;
  return 0;
}

/* Those of an iterable, which may be endless but for memory: some at a time. */
static int run_iterable(bloomery_filter* filter, int what, PyObject* iterable,
                        struct outcome* outcome) {
  PyObject* const iterator = PyObject_GetIter(iterable);
  PyObject* object = NULL;
  struct gathered some;
  size_t done = 0;
  if (iterator == NULL) return -1;
  if (gathered_begin(&some, kPiece) < 0) {
    Py_DECREF(iterator);
    return -1;
  }
  do {
    size_t added = 0;
    uint8_t* to;
    while (some.count < kPiece && (object = PyIter_Next(iterator)) != NULL) {
      const int status = gathered_add(&some, object);
      Py_DECREF(object);
      if (status < 0) goto failed;
    }
    if (PyErr_Occurred() || gathered_finish(&some) < 0) goto failed;
    if (answer_more(outcome->answers, done, some.count, &to) < 0) goto failed;
    if (some.count != 0 && run(filter, what, outcome, &some.keys, to, &added) < 0) {
      goto failed;
    }
    done += some.count;
    outcome->added += added;
    gathered_clear(&some);
  } while (object != NULL);
  gathered_end(&some);
  Py_DECREF(iterator);
  return 0;
failed:
  gathered_end(&some);
  Py_DECREF(iterator);
  return -1;
}

/* Those of an array, or of a stream of them. */
static int run_arrays(bloomery_filter* filter, int what, struct batch* batch,
                      struct outcome* outcome) {
  size_t done = 0;
  int more;
  do {
    const size_t count = batch->keys.count;
    size_t added = 0;
    uint8_t* to;
    if (answer_more(outcome->answers, done, count, &to) < 0) return -1;
    if (count != 0 && run(filter, what, outcome, &batch->keys, to, &added) < 0) {
      return -1;
    }
    done += count;
    outcome->added += added;
    more = batch_next(batch);
  } while (more > 0);
  return more;
}

static int run_batch(bloomery_filter* filter, int what, PyObject* keys, double deadline,
                     struct fence fence, struct outcome* outcome) {
  struct batch batch;
  int status = 0;
  memset(outcome, 0, sizeof *outcome);
  outcome->deadline = deadline;
  outcome->fence = fence;
  outcome->is_array = batch_read(keys, &batch);
  if (outcome->is_array < 0) return -1;
  if (what != MANY_COUNT) {
    outcome->answers = PyByteArray_FromStringAndSize(NULL, 0);
    if (outcome->answers == NULL) status = -1;
  }
  if (status == 0) {
    status = outcome->is_array ? run_arrays(filter, what, &batch, outcome)
                               : run_iterable(filter, what, keys, outcome);
  }
  if (outcome->is_array) batch_release(&batch);
  if (status < 0) Py_CLEAR(outcome->answers);
  return status;
}

PyObject* left_inserting(const struct visit* visit, PyObject* result) {
  if (result == NULL) bloomery_doubt(visit->filter->filter);
  leave(visit);
  return result;
}

/* Reads (source, position), or None; what it refers to is the object's. -1 with an exception set.
 */
static int read_fence(PyObject* object, struct fence* fence) {
  fence->source = NULL;
  fence->position = 0;
  if (object == Py_None) return 0;
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2 ||
      !PyUnicode_Check(PyTuple_GET_ITEM(object, 0)) || !PyLong_Check(PyTuple_GET_ITEM(object, 1))) {
    PyErr_SetString(PyExc_TypeError,
                    "behind is a tuple of a source, as str, and a position, as int");
    return -1;
  }
  fence->position = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(object, 1));
  if (PyErr_Occurred()) {
    PyErr_SetString(PyExc_ValueError, "behind has a position from 0 to 2**64 - 1");
    return -1;
  }
  fence->source = PyUnicode_AsUTF8(PyTuple_GET_ITEM(object, 0));
  return fence->source == NULL ? -1 : 0;
}

/* What is no fence is refused, whatever the batch. */
static int check_fence(const bloomery_filter* filter, const struct fence* fence) {
  const bloomery_keys none = BLOOMERY_KEYS;
  if (fence->source == NULL) return 0;
  return bloomery_ask_many_behind(filter, &none, fence->source, fence->position, 0, NULL);
}

PyObject* filter_many(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* filter;
  struct outcome outcome;
  PyObject* result = NULL;
  double deadline = kNever;
  int what;
  struct fence fence;
  if (nargs != 4) {
    PyErr_SetString(PyExc_TypeError, "_many() takes keys, what to do, seconds, and a fence");
    return NULL;
  }
  what = (int)PyLong_AsLong(args[1]);
  if (PyErr_Occurred()) return NULL;
  if (what < MANY_PRESENCE || what > MANY_NEW) {
    PyErr_SetString(PyExc_ValueError, "_many() does nothing of that number");
    return NULL;
  }
  if (args[2] != Py_None) {
    const double seconds = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred()) return NULL;
    if (!(seconds >= 0 && seconds <= 1e6)) {
      PyErr_SetString(PyExc_ValueError, "timeout is in seconds, from 0 to a million");
      return NULL;
    }
    deadline = now() + seconds;
  }
  if (read_fence(args[3], &fence) < 0) return NULL;
  filter = enter(self, &visit);
  if (filter == NULL) return NULL;
  if (check_fence(filter, &fence) < 0) {
    leave(&visit);
    return raise_last();
  }
  if (run_batch(filter, what, args[0], deadline, fence, &outcome) == 0) {
    result = Py_BuildValue("NO", outcome.answers, outcome.is_array ? Py_True : Py_False);
  }
  if (what == MANY_NEW) {
    return count_new(self, outcome.added, 2, left_inserting(&visit, result));
  }
  leave(&visit);
  return result;
}

/* All of them in one call: between two, a signal's handler may raise, and the keys of the next
   would be missing without a doubt. */
PyObject* filter_update(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  const struct fence no_fence = {NULL, 0};
  size_t added = 0;
  Py_ssize_t i;
  if (filter == NULL) return NULL;
  for (i = 0; i < nargs; ++i) {
    struct outcome outcome;
    if (run_batch(filter, MANY_COUNT, args[i], kNever, no_fence, &outcome) < 0)
      return left_inserting(&visit, NULL);
    added += outcome.added;
  }
  return count_new(self, added, 2, left_inserting(&visit, PyLong_FromSize_t(added)));
}
