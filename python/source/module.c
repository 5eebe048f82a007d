/* bloomery._bloomery: what bloomery/__init__.py makes its BloomFilter of. By CPython's own calls: a
   single `in` takes 0.9 times what a set's takes, through pybind11 3.8 times, which also takes
   seven times as long to compile. */
#include "batch.h"
#include "errors.h"
#include "key.h"

#include <pthread.h>
#include <structmember.h>

typedef struct {
  PyObject_HEAD bloomery_filter* filter; /* NULL: closed */
  size_t process;                        /* in which these were counted last: */
  size_t users;      /* calls that are under way without the interpreter's lock */
  size_t inherited;  /* those that were so when a parent forked this process */
  char is_elsewhere; /* a file or a server: a single call may wait */
} Filter;

static PyTypeObject* filter_type;

enum { kPiece = 4096 };

/* ---- Calls without the interpreter's lock: close() does not run beside them ---- */

static size_t process; /* how many forks lie behind it */

static void count_fork(void) {
  ++process;
}

/* Of the calls that were under way at the fork a child has those of one thread, and nobody knows
   which they are. */
static void count_anew(Filter* self) {
  if (self->process == process) return;
  self->process = process;
  self->inherited += self->users;
  self->users = 0;
}

struct visit {
  Filter* filter;
  size_t process;
};

static bloomery_filter* enter(Filter* self, struct visit* visit) {
  if (self->filter == NULL) {
    PyErr_SetString(PyExc_ValueError, "this filter is closed");
    return NULL;
  }
  count_anew(self);
  ++self->users;
  visit->filter = self;
  visit->process = process;
  return self->filter;
}

static void leave(const struct visit* visit) {
  Filter* const self = visit->filter;
  count_anew(self);
  --*(visit->process == process ? &self->users : &self->inherited);
}

#define UNLOCKED(call)      \
  do {                      \
    Py_BEGIN_ALLOW_THREADS; \
    call;                   \
    Py_END_ALLOW_THREADS;   \
  } while (0)

/* ---- One key ---- */

static int filter_contains(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int answer;
  if (filter == NULL) return -1;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return -1;
  }
  if (self->is_elsewhere) {
    UNLOCKED(answer = key_ask(filter, &key));
  } else {
    answer = key_ask(filter, &key);
  }
  key_release(&key);
  leave(&visit);
  if (answer == BLOOMERY_ABSENT) return 0;
  if (answer == BLOOMERY_MAYBE || bloomery_status() == BLOOMERY_OK) return 1;
  raise_last();
  return -1;
}

static PyObject* filter_presence(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int answer;
  if (filter == NULL) return NULL;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return NULL;
  }
  UNLOCKED(answer = key_ask(filter, &key));
  key_release(&key);
  leave(&visit);
  if (answer == BLOOMERY_UNKNOWN && bloomery_status() != BLOOMERY_OK) return raise_last();
  return PyLong_FromLong(answer);
}

static PyObject* filter_add(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int outcome;
  if (filter == NULL) return NULL;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return NULL;
  }
  if (self->is_elsewhere) {
    UNLOCKED(outcome = key_insert(filter, &key));
  } else {
    outcome = key_insert(filter, &key);
  }
  key_release(&key);
  leave(&visit);
  if (outcome < 0) return raise_last();
  if (outcome == BLOOMERY_TAKEN) Py_RETURN_NONE;
  return PyBool_FromLong(outcome == BLOOMERY_ADDED);
}

/* True where it was there. */
static PyObject* filter_erase(PyObject* op, PyObject* object) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  struct key key;
  int status;
  if (filter == NULL) return NULL;
  if (key_read(object, &key) < 0) {
    leave(&visit);
    return NULL;
  }
  UNLOCKED(status = key_erase(filter, &key));
  key_release(&key);
  leave(&visit);
  if (status < 0) return raise_last();
  return PyBool_FromLong(status == BLOOMERY_OK);
}

/* ---- Many keys ---- */

/* What is asked for, or done. */
enum { MANY_PRESENCE, MANY_FOUND, MANY_NEW, MANY_COUNT };

/* What becomes of a batch: an answer of each key, a bytearray, where not only their number is
   wanted. */
struct outcome {
  PyObject* answers;
  size_t added;
  int is_array;
};

static int run(bloomery_filter* filter, int what, const bloomery_keys* keys, uint8_t* out,
               size_t* added) {
  const size_t count = keys->count;
  int status;
  Py_BEGIN_ALLOW_THREADS;
  if (what == MANY_PRESENCE || what == MANY_FOUND) {
    status = bloomery_ask_many(filter, keys, out);
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

/* Those of an iterable, which may be endless but for memory: some at a time. */
static int run_iterable(bloomery_filter* filter, int what, PyObject* iterable,
                        struct outcome* outcome) {
  PyObject* const iterator = PyObject_GetIter(iterable);
  PyObject *const out = outcome->answers, *object = NULL;
  struct gathered some;
  size_t done = 0;
  if (iterator == NULL) return -1;
  if (gathered_begin(&some, kPiece) < 0) {
    Py_DECREF(iterator);
    return -1;
  }
  do {
    size_t added = 0;
    uint8_t* to = NULL;
    while (some.count < kPiece && (object = PyIter_Next(iterator)) != NULL) {
      const int status = gathered_add(&some, object);
      Py_DECREF(object);
      if (status < 0) goto failed;
    }
    if (PyErr_Occurred() || gathered_finish(&some) < 0) goto failed;
    if (out != NULL) {
      if (PyByteArray_Resize(out, (Py_ssize_t)(done + some.count)) < 0) goto failed;
      to = (uint8_t*)PyByteArray_AS_STRING(out) + done;
    }
    if (some.count != 0 && run(filter, what, &some.keys, to, &added) < 0) goto failed;
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

static int run_batch(bloomery_filter* filter, int what, PyObject* keys, struct outcome* outcome) {
  struct batch batch;
  int status = 0;
  memset(outcome, 0, sizeof *outcome);
  outcome->is_array = batch_read(keys, &batch);
  if (outcome->is_array < 0) return -1;
  if (what != MANY_COUNT) {
    outcome->answers =
        PyByteArray_FromStringAndSize(NULL, outcome->is_array ? (Py_ssize_t)batch.keys.count : 0);
    if (outcome->answers == NULL) status = -1;
  }
  if (status == 0 && !outcome->is_array) {
    status = run_iterable(filter, what, keys, outcome);
  } else if (status == 0 && batch.keys.count != 0) {
    uint8_t* const to =
        outcome->answers == NULL ? NULL : (uint8_t*)PyByteArray_AS_STRING(outcome->answers);
    status = run(filter, what, &batch.keys, to, &outcome->added);
  }
  if (outcome->is_array) batch_release(&batch);
  if (status < 0) Py_CLEAR(outcome->answers);
  return status;
}

/* The end of each call that inserts more than a key, whose result is NULL where anything failed, in
   C or before: what of it is in is known to nobody. */
static PyObject* left_inserting(const struct visit* visit, PyObject* result) {
  if (result == NULL) bloomery_doubt(visit->filter->filter);
  leave(visit);
  return result;
}

/* _many(keys, what): (answers, whether the keys were an array). */
static PyObject* filter_many(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* filter;
  struct outcome outcome;
  PyObject* result = NULL;
  int what;
  if (nargs != 2) {
    PyErr_SetString(PyExc_TypeError, "_many() takes keys and what to do");
    return NULL;
  }
  what = (int)PyLong_AsLong(args[1]);
  if (PyErr_Occurred()) return NULL;
  if (what < MANY_PRESENCE || what > MANY_NEW) {
    PyErr_SetString(PyExc_ValueError, "_many() does nothing of that number");
    return NULL;
  }
  filter = enter(self, &visit);
  if (filter == NULL) return NULL;
  if (run_batch(filter, what, args[0], &outcome) == 0) {
    result = Py_BuildValue("NO", outcome.answers, outcome.is_array ? Py_True : Py_False);
  }
  if (what == MANY_NEW) return left_inserting(&visit, result);
  leave(&visit);
  return result;
}

/* _update(batch, ...): how many keys were new. All of them in one call: between two, a signal's
   handler may raise, and the keys of the next would be missing without a doubt. */
static PyObject* filter_update(PyObject* op, PyObject* const* args, Py_ssize_t nargs) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  size_t added = 0;
  Py_ssize_t i;
  if (filter == NULL) return NULL;
  for (i = 0; i < nargs; ++i) {
    struct outcome outcome;
    if (run_batch(filter, MANY_COUNT, args[i], &outcome) < 0) return left_inserting(&visit, NULL);
    added += outcome.added;
  }
  return left_inserting(&visit, PyLong_FromSize_t(added));
}

/* ---- Making and opening ---- */

static PyObject* wrap(PyTypeObject* type, bloomery_filter* filter, int is_elsewhere) {
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
                          "format",   "settings",  NULL};
  static const bloomery_options kUsual = BLOOMERY_OPTIONS;
  PyObject *capacity = NULL, *seed = NULL, *window = NULL;
  unsigned int generations = 0;
  *options = kUsual;
  options->rate = 0.01;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|d$zzO!pddO!Izz:BloomFilter", names, &capacity,
                                   &options->rate, &options->kind, &options->keys, &PyLong_Type,
                                   &seed, &options->secret, &options->expansion,
                                   &options->tightening, &PyLong_Type, &window, &generations,
                                   &options->format, &options->settings)) {
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
  options->generations = generations;
  options->capacity = PyLong_AsUnsignedLongLong(capacity);
  if (!PyErr_Occurred() && seed != NULL) options->seed = PyLong_AsUnsignedLongLong(seed);
  if (!PyErr_Occurred() && window != NULL) options->window_ms = PyLong_AsUnsignedLongLong(window);
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject* filter_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  bloomery_options options;
  bloomery_filter* made;
  if (read_options(args, kwargs, &options) < 0) return NULL;
  UNLOCKED(made = bloomery_make(&options));
  return wrap(type, made, 0);
}

/* _build(keys, capacity, rate, ...): of all keys at once. */
static PyObject* filter_build(PyObject* type, PyObject* args, PyObject* kwargs) {
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
    UNLOCKED(made = bloomery_build(&options, &batch.keys));
    batch_release(&batch);
    result = wrap((PyTypeObject*)type, made, 0);
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

/* _open(location, flags, keys), _load(location, keys): of the class. */
static PyObject* filter_open(PyObject* type, PyObject* args) {
  PyObject* path;
  const char* keys;
  bloomery_filter* opened;
  int flags;
  if (!PyArg_ParseTuple(args, "O&iz", PyUnicode_FSConverter, &path, &flags, &keys)) return NULL;
  UNLOCKED(opened = bloomery_open(PyBytes_AS_STRING(path), flags, keys));
  Py_DECREF(path);
  return wrap((PyTypeObject*)type, opened, 1);
}

static PyObject* filter_load(PyObject* type, PyObject* args) {
  PyObject* path;
  const char* keys;
  bloomery_filter* loaded;
  if (!PyArg_ParseTuple(args, "O&z", PyUnicode_FSConverter, &path, &keys)) return NULL;
  UNLOCKED(loaded = bloomery_load(PyBytes_AS_STRING(path), keys));
  Py_DECREF(path);
  return wrap((PyTypeObject*)type, loaded, 0);
}

static PyObject* filter_from_bytes(PyObject* type, PyObject* object) {
  Py_buffer view;
  bloomery_filter* made;
  if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return NULL;
  UNLOCKED(made = bloomery_from_bytes(view.buf, (size_t)view.len));
  PyBuffer_Release(&view);
  return wrap((PyTypeObject*)type, made, 0);
}

/* ---- Whole filters ---- */

static PyObject* filter_copy(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  bloomery_filter* made;
  (void)none;
  if (filter == NULL) return NULL;
  UNLOCKED(made = bloomery_copy(filter));
  leave(&visit);
  return wrap(Py_TYPE(op), made, 0);
}

static PyObject* none_or_raise(int status) {
  if (status < 0) return raise_last();
  Py_RETURN_NONE;
}

static PyObject* filter_merge(PyObject* op, PyObject* object) {
  Filter *const self = (Filter*)op, *const other = (Filter*)object;
  struct visit visit, others;
  bloomery_filter *into, *from;
  int status;
  if (!PyObject_TypeCheck(object, filter_type)) {
    PyErr_Format(PyExc_TypeError, "a filter merges with a filter, not %.200s",
                 Py_TYPE(object)->tp_name);
    return NULL;
  }
  into = enter(self, &visit);
  if (into == NULL) return NULL;
  from = enter(other, &others);
  if (from == NULL) return left_inserting(&visit, NULL);
  UNLOCKED(status = bloomery_merge(into, from));
  leave(&others);
  return left_inserting(&visit, none_or_raise(status));
}

#define WHOLE(name, call)                                \
  static PyObject* name(PyObject* op, PyObject* none) {  \
    Filter* const self = (Filter*)op;                    \
    struct visit visit;                                  \
    bloomery_filter* const filter = enter(self, &visit); \
    int status;                                          \
    (void)none;                                          \
    if (filter == NULL) return NULL;                     \
    UNLOCKED(status = call(filter));                     \
    leave(&visit);                                       \
    return none_or_raise(status);                        \
  }
WHOLE(filter_flush, bloomery_flush)
WHOLE(filter_clear, bloomery_clear)
WHOLE(filter_acknowledge, bloomery_acknowledge)

static PyObject* filter_save(PyObject* op, PyObject* args) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* filter;
  PyObject* path;
  int must_be_new, status;
  if (!PyArg_ParseTuple(args, "O&p", PyUnicode_FSConverter, &path, &must_be_new)) return NULL;
  filter = enter(self, &visit);
  if (filter == NULL) {
    Py_DECREF(path);
    return NULL;
  }
  UNLOCKED(status = bloomery_save(filter, PyBytes_AS_STRING(path), must_be_new));
  Py_DECREF(path);
  leave(&visit);
  return none_or_raise(status);
}

static PyObject* filter_to_bytes(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  PyObject* bytes = NULL;
  size_t needed = 0;
  int status;
  (void)none;
  if (filter == NULL) return NULL;
  UNLOCKED(status = bloomery_to_bytes(filter, NULL, 0, &needed));
  while (status == BLOOMERY_BAD_ARGUMENT && needed != 0) { /* it may grow meanwhile */
    const size_t size = needed;
    Py_XSETREF(bytes, PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size));
    if (bytes == NULL) break;
    UNLOCKED(status = bloomery_to_bytes(filter, PyBytes_AS_STRING(bytes), size, &needed));
    if (status == BLOOMERY_OK && needed < size) _PyBytes_Resize(&bytes, (Py_ssize_t)needed);
    if (status == BLOOMERY_BAD_ARGUMENT && needed <= size) break;
  }
  leave(&visit);
  if (PyErr_Occurred()) return NULL;
  if (status == BLOOMERY_OK) return bytes;
  Py_XDECREF(bytes);
  return raise_last();
}

static PyObject* filter_info(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  PyObject* result;
  char* text;
  (void)none;
  if (filter == NULL) return NULL;
  UNLOCKED(text = bloomery_info(filter));
  leave(&visit);
  if (text == NULL) return raise_last();
  result = PyUnicode_FromString(text);
  bloomery_free(text);
  return result;
}

static int number_of(Filter* self, uint64_t (*call)(const bloomery_filter*), uint64_t* number) {
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  if (filter == NULL) return -1;
  UNLOCKED(*number = call(filter));
  leave(&visit);
  if (*number != UINT64_MAX) return 0;
  raise_last();
  return -1;
}

static Py_ssize_t filter_length(PyObject* op) {
  uint64_t number;
  if (number_of((Filter*)op, bloomery_inserted, &number) < 0) return -1;
  return number > PY_SSIZE_T_MAX ? PY_SSIZE_T_MAX : (Py_ssize_t)number;
}

static PyObject* filter_capacity(PyObject* op, void* closure) {
  uint64_t number;
  (void)closure;
  if (number_of((Filter*)op, bloomery_capacity, &number) < 0) return NULL;
  return PyLong_FromUnsignedLongLong(number);
}

static PyObject* filter_keys(PyObject* op, void* closure) {
  Filter* const self = (Filter*)op;
  struct visit visit;
  bloomery_filter* const filter = enter(self, &visit);
  const char* form;
  (void)closure;
  if (filter == NULL) return NULL;
  form = bloomery_key_form(filter);
  leave(&visit);
  if (form == NULL) return raise_last();
  if (form[0] == '\0') Py_RETURN_NONE;
  return PyUnicode_FromString(form);
}

static PyObject* filter_closed(PyObject* op, void* closure) {
  (void)closure;
  return PyBool_FromLong(((Filter*)op)->filter == NULL);
}

static PyObject* filter_close(PyObject* op, PyObject* none) {
  Filter* const self = (Filter*)op;
  bloomery_filter* const filter = self->filter;
  (void)none;
  count_anew(self);
  if (self->users != 0) {
    PyErr_SetString(PyExc_RuntimeError, "another thread is within a call on this filter");
    return NULL;
  }
  self->filter = NULL;
  /* One of them may be this thread's own, and go on: what it is at stays. */
  if (self->inherited != 0) Py_RETURN_NONE;
  UNLOCKED(bloomery_close(filter));
  Py_RETURN_NONE;
}

static void filter_dealloc(PyObject* op) {
  PyTypeObject* const type = Py_TYPE(op);
  bloomery_filter* const filter = ((Filter*)op)->filter;
  UNLOCKED(bloomery_close(filter));
  type->tp_free(op);
  Py_DECREF(type);
}

#define CALL(function) ((PyCFunction)(void (*)(void))(function))
static PyMethodDef methods[] = {
    {"add", filter_add, METH_O, NULL},
    {"_presence", filter_presence, METH_O, NULL},
    {"_erase", filter_erase, METH_O, NULL},
    {"_many", CALL(filter_many), METH_FASTCALL, NULL},
    {"_update", CALL(filter_update), METH_FASTCALL, NULL},
    {"_build", CALL(filter_build), METH_VARARGS | METH_KEYWORDS | METH_CLASS, NULL},
    {"_open", filter_open, METH_VARARGS | METH_CLASS, NULL},
    {"_load", filter_load, METH_VARARGS | METH_CLASS, NULL},
    {"_from_bytes", filter_from_bytes, METH_O | METH_CLASS, NULL},
    {"_copy", filter_copy, METH_NOARGS, NULL},
    {"_merge", filter_merge, METH_O, NULL},
    {"_save", filter_save, METH_VARARGS, NULL},
    {"_to_bytes", filter_to_bytes, METH_NOARGS, NULL},
    {"_info", filter_info, METH_NOARGS, NULL},
    {"_flush", filter_flush, METH_NOARGS, NULL},
    {"_clear", filter_clear, METH_NOARGS, NULL},
    {"_acknowledge", filter_acknowledge, METH_NOARGS, NULL},
    {"_close", filter_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef members[] = {{"capacity", filter_capacity, NULL, NULL, NULL},
                                {"keys", filter_keys, NULL, NULL, NULL},
                                {"closed", filter_closed, NULL, NULL, NULL},
                                {NULL, NULL, NULL, NULL, NULL}};

static PyMemberDef facts[] = {
    {"_is_elsewhere", T_BOOL, offsetof(Filter, is_elsewhere), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, filter_new},       {Py_tp_dealloc, filter_dealloc},
                              {Py_tp_methods, methods},      {Py_tp_getset, members},
                              {Py_tp_members, facts},        {Py_sq_contains, filter_contains},
                              {Py_sq_length, filter_length}, {0, NULL}};

static PyType_Spec spec = {"bloomery._bloomery.Filter", sizeof(Filter), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

/* size_of(capacity, rate, ...): (bit_count, probe_count, lines_per_key). */
static PyObject* size_of(PyObject* module, PyObject* args, PyObject* kwargs) {
  bloomery_options options;
  bloomery_size size = BLOOMERY_SIZE;
  (void)module;
  if (read_options(args, kwargs, &options) < 0) return NULL;
  if (bloomery_size_of(&options, &size) < 0) return raise_last();
  return Py_BuildValue("KII", (unsigned long long)size.bit_count, (unsigned)size.probe_count,
                       (unsigned)size.lines_per_key);
}

static PyMethodDef functions[] = {{"size_of", CALL(size_of), METH_VARARGS | METH_KEYWORDS, NULL},
                                  {NULL, NULL, 0, NULL}};

static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT,
                                        "bloomery._bloomery",
                                        "The C interface, as bloomery/__init__.py uses it.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__bloomery(void) {
  PyObject* const module = PyModule_Create(&module_def);
  if (module == NULL) return NULL;
  if (pthread_atfork(NULL, NULL, count_fork) != 0) {
    Py_DECREF(module);
    return PyErr_NoMemory();
  }
  filter_type = (PyTypeObject*)PyType_FromSpec(&spec);
  if (filter_type == NULL || add_errors(module) < 0 ||
      PyModule_AddObjectRef(module, "Filter", (PyObject*)filter_type) < 0 ||
      PyModule_AddIntConstant(module, "READ", BLOOMERY_READ) < 0 ||
      PyModule_AddIntConstant(module, "WRITE", BLOOMERY_WRITE) < 0 ||
      PyModule_AddIntConstant(module, "FORGETTING", BLOOMERY_FORGETTING) < 0 ||
      PyModule_AddIntConstant(module, "WHOLE", BLOOMERY_WHOLE) < 0 ||
      PyModule_AddIntConstant(module, "SHARED", BLOOMERY_SHARED) < 0 ||
      PyModule_AddStringConstant(module, "version", bloomery_version()) < 0) {
    Py_DECREF(module);
    return NULL;
  }
  return module;
}
