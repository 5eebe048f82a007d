// SPDX-License-Identifier: Apache-2.0
/* Keys as Arrow has them. */
#include "arrow.h"

#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "dictionary.h"
#include "layouts.h"

static const char kIntegers[] = "cCsSiIlL"; /* 1, 2, 4 and 8 bytes; signed ones are small */

/* What an array of Arrow says of its lengths is all that anybody knows of them; what follows of it
   at least lies within an address space. */
static int check_extent(const struct arrow_array* array, const void* buffer, size_t width) {
  const int64_t most =
      PY_SSIZE_T_MAX / (width < 8 ? 8 : (int64_t)width) - 1; /* and an offset more */
  if (array->offset > most || array->length > most - array->offset) {
    PyErr_Format(PyExc_ValueError,
                 "an array of Arrow has %lld keys of %zu bytes behind %lld, more than there can be",
                 (long long)array->length, width, (long long)array->offset);
    return -1;
  }
  if (buffer == NULL && array->length != 0 && width != 0) {
    PyErr_SetString(PyExc_ValueError, "an array of Arrow has keys, and no buffer of them");
    return -1;
  }
  return 0;
}

/* How many there are. */
static int check_rows(const struct arrow_array* array) {
  if (array->length < 0 || array->offset < 0) {
    PyErr_SetString(PyExc_ValueError, "an array of Arrow has a negative length or offset");
    return -1;
  }
  if (array->n_buffers < 1 || array->buffers == NULL) {
    return refuse("arrays of Arrow without buffers");
  }
  return check_extent(array, array->buffers, 0);
}

static int refuse_nulls(const struct arrow_array* array) {
  size_t i;
  if (array->null_count == 0 || array->buffers[0] == NULL) return 0;
  for (i = 0; i < (size_t)array->length; ++i) {
    if (arrow_is_null(array, i)) return refuse_null(i);
  }
  return 0;
}

/* The bytes of "w:16"; -1 where it does not say. */
static Py_ssize_t width_of(const char* format) {
  Py_ssize_t width = 0;
  const char* digit = format + 2;
  do {
    if (*digit < '0' || *digit > '9' || width > (PY_SSIZE_T_MAX - 9) / 10) return -1;
    width = 10 * width + (*digit - '0');
  } while (*++digit != '\0');
  return width;
}

/* A string of at most 12 bytes lies in its view, another in one of the buffers behind, whose sizes
   the last buffer has. */
static int use_views(struct batch* batch, const struct arrow_array* array) {
  const size_t count = (size_t)array->length;
  const int64_t buffers = array->n_buffers - 3;
  const int64_t* sizes;
  const char* view;
  const void** keys;
  size_t *lengths, i;
  if (buffers < 0) return refuse("arrays of Arrow with other buffers than it says");
  batch->keys.layout = BLOOMERY_POINTERS;
  if (count == 0) return 0;
  if (check_extent(array, array->buffers[1], 16) < 0) return -1;
  sizes = array->buffers[array->n_buffers - 1];
  view = (const char*)array->buffers[1] + 16 * array->offset;
  batch->made = keys = allocate(count, sizeof *keys);
  batch->made_too = lengths = allocate(count, sizeof *lengths);
  if (keys == NULL || lengths == NULL) return -1;
  for (i = 0; i < count; ++i, view += 16) {
    int32_t parts[4]; /* its length; its first bytes; a buffer's number; where it begins there */
    memcpy(parts, view, sizeof parts);
    lengths[i] = (size_t)parts[0];
    keys[i] = view + 4;
    if (parts[0] >= 0 && parts[0] <= 12) continue;
    if (parts[0] < 0 || parts[2] < 0 || parts[2] >= buffers || parts[3] < 0 || sizes == NULL ||
        array->buffers[2 + parts[2]] == NULL || (int64_t)parts[3] + parts[0] > sizes[parts[2]]) {
      PyErr_Format(PyExc_ValueError, "key %zu of an array of Arrow lies outside of its buffers", i);
      return -1;
    }
    keys[i] = (const char*)array->buffers[2 + parts[2]] + parts[3];
  }
  use(batch, BLOOMERY_POINTERS, keys, count, sizeof *keys);
  batch->keys.offsets = lengths;
  return 0;
}

/* Where they are, whether null or not. */
static int use_values(struct batch* batch, const struct arrow_schema* schema,
                      const struct arrow_array* array) {
  const char* const format = schema->format;
  const char *found, *data;
  int64_t i;
  size_t count, width;
  if (schema->n_children != 0 || format == NULL || *format == '\0') {
    return refuse("nested arrays of Arrow");
  }
  if (check_rows(array) < 0) return -1;
  count = (size_t)array->length;
  if (strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0) {
    batch->keys.raw = format[1] == 'z';
    return use_views(batch, array);
  }
  if (strchr("uzUZ", format[0]) != NULL && format[1] == '\0') {
    const int is_large = format[0] == 'U' || format[0] == 'Z';
    if (array->n_buffers != 3) return refuse("arrays of Arrow with other buffers than it says");
    batch->keys.layout = is_large ? BLOOMERY_OFFSETS64 : BLOOMERY_OFFSETS32;
    batch->keys.raw = format[0] == 'z' || format[0] == 'Z';
    batch->keys.count = count;
    if (count == 0) return 0;
    if (check_extent(array, array->buffers[1], 8) < 0) return -1;
    batch->keys.offsets = (const char*)array->buffers[1] + array->offset * (is_large ? 8 : 4);
    batch->keys.data = array->buffers[2];
    i = is_large ? ((const int64_t*)batch->keys.offsets)[count]
                 : ((const int32_t*)batch->keys.offsets)[count];
    batch->keys.data_size = i < 0 || array->buffers[2] == NULL ? 0 : (size_t)i;
    return 0;
  }
  if (array->n_buffers != 2) return refuse("arrays of Arrow of another type");
  data = array->buffers[1];
  if (format[0] == 'w' && format[1] == ':') {
    const Py_ssize_t bytes = width_of(format);
    if (bytes < 0) return refuse(format);
    if (check_extent(array, data, (size_t)bytes) < 0) return -1;
    batch->keys.raw = 1;
    use(batch, BLOOMERY_FIXED, count == 0 ? NULL : data + array->offset * bytes, count,
        (size_t)bytes);
    return 0;
  }
  found = strchr(kIntegers, format[0]);
  if (found == NULL || format[1] != '\0') {
    PyErr_Format(PyExc_TypeError,
                 "keys are Arrow's strings, binaries or integers, not its type \"%s\"", format);
    return -1;
  }
  width = (size_t)1 << ((found - kIntegers) / 2);
  if (count == 0) {
    use(batch, BLOOMERY_I64, NULL, 0, 8);
    return 0;
  }
  if (check_extent(array, data, width) < 0) return -1;
  return use_integers(batch, data + array->offset * (int64_t)width, count, (Py_ssize_t)width, width,
                      (found - kIntegers) % 2 == 0);
}

/* What its integers number: the keys of the dictionary beside it. */
static int use_dictionary(struct batch* batch, const struct arrow_schema* schema,
                          const struct arrow_array* array) {
  const struct arrow_array* const dictionary = array->dictionary;
  struct batch numbers, words;
  int status = -1;
  if (schema->format == NULL || schema->format[0] == '\0' || schema->format[1] != '\0' ||
      strchr(kIntegers, schema->format[0]) == NULL) {
    return refuse("dictionaries of Arrow that other than integers number");
  }
  if (dictionary == NULL) return refuse("arrays of Arrow without the dictionary that they say");
  if (schema->dictionary->dictionary != NULL) return refuse("dictionaries of dictionaries");
  memset(&numbers, 0, sizeof numbers);
  memset(&words, 0, sizeof words);
  if (use_values(&numbers, schema, array) == 0 &&
      use_values(&words, schema->dictionary, dictionary) == 0) {
    status = use_words(batch, &words.keys, dictionary, &numbers.keys);
  }
  free(numbers.made);
  free(words.made);
  free(words.made_too);
  return status;
}

static int use_keys(struct batch* batch, const struct arrow_schema* schema,
                    const struct arrow_array* array) {
  const int is_numbered = schema->dictionary != NULL;
  if (check_rows(array) < 0 || refuse_nulls(array) < 0) return -1;
  return is_numbered ? use_dictionary(batch, schema, array) : use_values(batch, schema, array);
}

/* The only one of a table: its rows are those of the table, behind where its own begin. */
static int use_column(struct batch* batch, const struct arrow_schema* schema,
                      const struct arrow_array* table) {
  struct arrow_array column;
  if (schema->n_children != 1 || table->n_children != 1) {
    PyErr_Format(PyExc_TypeError, "a table of %lld columns: give one of them, as table[\"name\"]",
                 (long long)schema->n_children);
    return -1;
  }
  if (schema->children == NULL || schema->children[0] == NULL || table->children == NULL ||
      table->children[0] == NULL) {
    return refuse("tables of Arrow without the column that they say");
  }
  if (check_rows(table) < 0 || refuse_nulls(table) < 0) return -1;
  column = *table->children[0];
  /* Both are at most an eighth of what there can be. */
  if (check_extent(&column, &column, 0) < 0) return -1;
  if (column.offset < 0 || column.length < table->offset + table->length) {
    PyErr_SetString(PyExc_ValueError, "a column of Arrow ends before its table");
    return -1;
  }
  column.offset += table->offset;
  column.length = table->length;
  return use_keys(batch, schema->children[0], &column);
}

static int use_arrow(struct batch* batch, const struct arrow_schema* schema,
                     const struct arrow_array* array) {
  const int is_table = schema->format != NULL && strcmp(schema->format, "+s") == 0;
  return is_table ? use_column(batch, schema, array) : use_keys(batch, schema, array);
}

int arrow_read(PyObject* object, struct batch* batch) {
  const struct arrow_schema* schema;
  const struct arrow_array* array;
  batch->held = PyObject_CallMethod(object, "__arrow_c_array__", NULL);
  if (batch->held == NULL) return -1;
  if (!PyTuple_Check(batch->held) || PyTuple_GET_SIZE(batch->held) != 2) {
    PyErr_SetString(PyExc_TypeError, "__arrow_c_array__() gives two capsules");
    return -1;
  }
  schema = PyCapsule_GetPointer(PyTuple_GET_ITEM(batch->held, 0), "arrow_schema");
  if (schema == NULL) return -1;
  array = PyCapsule_GetPointer(PyTuple_GET_ITEM(batch->held, 1), "arrow_array");
  if (array == NULL) return -1;
  if (schema->release == NULL || array->release == NULL) {
    PyErr_SetString(PyExc_ValueError, "an array of Arrow was released before it was read");
    return -1;
  }
  return use_arrow(batch, schema, array) < 0 ? -1 : 1;
}

static int raise_of(struct arrow_stream* stream, int error) {
  const char* const why = stream->get_last_error == NULL ? NULL : stream->get_last_error(stream);
  PyErr_Format(PyExc_OSError, "a stream of Arrow failed: %.500s",
               why == NULL ? strerror(error) : why);
  return -1;
}

static void release_array(struct batch* batch) {
  if (batch->array.release != NULL) batch->array.release(&batch->array);
  memset(&batch->array, 0, sizeof batch->array); /* whatever it left of itself */
}

/* What gives the arrays may wait for threads that want the interpreter's lock. */
int arrow_next(struct batch* batch) {
  int error;
  release_array(batch);
  if (PyErr_CheckSignals() < 0) return -1;
  Py_BEGIN_ALLOW_THREADS;
  error = batch->stream->get_next(batch->stream, &batch->array);
  Py_END_ALLOW_THREADS;
  if (error != 0) return raise_of(batch->stream, error);
  if (batch->array.release == NULL) return 0;
  return use_arrow(batch, &batch->schema, &batch->array) < 0 ? -1 : 1;
}

int arrow_open(PyObject* object, struct batch* batch) {
  struct arrow_stream* stream;
  int error;
  batch->held = PyObject_CallMethod(object, "__arrow_c_stream__", NULL);
  if (batch->held == NULL) return -1;
  stream = PyCapsule_GetPointer(batch->held, "arrow_array_stream");
  if (stream == NULL) return -1;
  if (stream->release == NULL || stream->get_schema == NULL || stream->get_next == NULL) {
    PyErr_SetString(PyExc_ValueError, "a stream of Arrow was released before it was read");
    return -1;
  }
  Py_BEGIN_ALLOW_THREADS;
  error = stream->get_schema(stream, &batch->schema);
  Py_END_ALLOW_THREADS;
  if (error != 0) return raise_of(stream, error);
  if (batch->schema.release == NULL) return refuse("streams of Arrow without a schema");
  batch->stream = stream;
  return arrow_next(batch) < 0 ? -1 : 1;
}

/* The stream itself is its capsule's. Who made it may have written this in Python, which runs only
   where no exception is set. */
void arrow_close(struct batch* batch) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  release_array(batch);
  batch->schema.release(&batch->schema);
  batch->stream = NULL;
  PyErr_Restore(type, value, trace);
}
