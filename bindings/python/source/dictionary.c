// SPDX-License-Identifier: Apache-2.0
/* Keys that are told by their numbers in a dictionary. */
#include "dictionary.h"

#include <string.h>

#include "layouts.h"

int arrow_is_null(const struct arrow_array* array, size_t row) {
  const uint8_t* const validity = array->buffers[0];
  const int64_t i = array->offset + (int64_t)row;
  return array->null_count != 0 && validity != NULL && (validity[i / 8] >> (i % 8) & 1) == 0;
}

int refuse_null(size_t key) {
  PyErr_Format(PyExc_ValueError, "key %zu is null", key);
  return -1;
}

static uint64_t integer_at(const bloomery_keys* integers, size_t i) {
  uint64_t value;
  memcpy(&value, (const char*)integers->data + 8 * i, sizeof value);
  return value;
}

/* Those of a dictionary are looked at by nobody else. */
static int between(const bloomery_keys* words, int64_t first, int64_t last, const void** key,
                   size_t* size) {
  if (first < 0 || last < first || (uint64_t)last > words->data_size) {
    PyErr_SetString(PyExc_ValueError, "a dictionary of Arrow has offsets outside of its bytes");
    return -1;
  }
  *size = (size_t)(last - first);
  *key = *size == 0 ? "" : (const char*)words->data + first;
  return 0;
}

static int find_word(const bloomery_keys* words, size_t i, const void** key, size_t* size) {
  if (words->layout == BLOOMERY_OFFSETS32) {
    int32_t ends[2];
    memcpy(ends, (const char*)words->offsets + 4 * i, sizeof ends);
    return between(words, ends[0], ends[1], key, size);
  }
  if (words->layout == BLOOMERY_OFFSETS64) {
    int64_t ends[2];
    memcpy(ends, (const char*)words->offsets + 8 * i, sizeof ends);
    return between(words, ends[0], ends[1], key, size);
  }
  if (words->layout == BLOOMERY_POINTERS) {
    *key = ((const void* const*)words->data)[i];
    *size = ((const size_t*)words->offsets)[i];
    return 0;
  }
  *size = words->width; /* BLOOMERY_FIXED */
  *key = *size == 0 ? "" : (const char*)words->data + i * *size;
  return 0;
}

/* As an index; a negative number is above all that a dictionary has. */
static int check_number(const bloomery_keys* words, const struct arrow_array* dictionary,
                        const bloomery_keys* numbers, size_t key, uint64_t* number) {
  *number = integer_at(numbers, key);
  if (*number >= words->count) {
    PyErr_Format(PyExc_ValueError, "key %zu has number %lld in a dictionary of %zu", key,
                 (long long)*number, words->count);
    return -1;
  }
  return arrow_is_null(dictionary, *number) ? refuse_null(key) : 0;
}

int use_words(struct batch* batch, const bloomery_keys* words, const struct arrow_array* dictionary,
              const bloomery_keys* numbers) {
  const int are_integers = words->layout == BLOOMERY_I64 || words->layout == BLOOMERY_U64;
  const size_t count = numbers->count;
  uint64_t number;
  size_t i;
  if (are_integers) {
    uint64_t* const keys = allocate(count, sizeof *keys);
    if (keys == NULL) return -1;
    batch->made = keys;
    for (i = 0; i < count; ++i) {
      if (check_number(words, dictionary, numbers, i, &number) < 0) return -1;
      keys[i] = integer_at(words, number);
    }
    use(batch, words->layout, keys, count, sizeof *keys);
  } else {
    const void** const keys = allocate(count, sizeof *keys);
    size_t* const sizes = allocate(count, sizeof *sizes);
    batch->made = keys;
    batch->made_too = sizes;
    if (keys == NULL || sizes == NULL) return -1;
    for (i = 0; i < count; ++i) {
      if (check_number(words, dictionary, numbers, i, &number) < 0) return -1;
      if (find_word(words, number, &keys[i], &sizes[i]) < 0) return -1;
    }
    use(batch, BLOOMERY_POINTERS, keys, count, sizeof *keys);
    batch->keys.offsets = sizes;
    batch->keys.raw = words->raw;
  }
  return 0;
}
