// SPDX-License-Identifier: Apache-2.0
/* The C interface, as a C99 program uses it. interface_test CASE runs one case, named after its
 * promise. */
#define _POSIX_C_SOURCE 200809L
#include "bloomery/c/bloomery.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures = 0;
#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
      fprintf(stderr, "  last: %d %s\n", bloomery_status(), bloomery_message()); \
      ++failures;                                                                \
    }                                                                            \
  } while (0)
#define CHECK_SAYS(part) CHECK(strstr(bloomery_message(), part) != NULL)

static bloomery_options options_for(uint64_t capacity) {
  bloomery_options options = BLOOMERY_OPTIONS;
  options.capacity = capacity;
  return options;
}

static bloomery_filter* make(const char* kind, const char* keys) {
  bloomery_options options = options_for(10000);
  bloomery_filter* filter;
  options.kind = kind;
  options.keys = keys;
  filter = bloomery_make(&options);
  CHECK(filter != NULL);
  return filter;
}

static int ask(const bloomery_filter* filter, const char* key) {
  return bloomery_ask(filter, key, strlen(key));
}
static int insert(bloomery_filter* filter, const char* key) {
  return bloomery_insert(filter, key, strlen(key));
}

static bloomery_keys integers(const int64_t* keys, size_t count) {
  bloomery_keys of = BLOOMERY_KEYS;
  of.layout = BLOOMERY_I64;
  of.count = count;
  of.data = keys;
  of.data_size = count * sizeof *keys;
  return of;
}

/* A file of this test's own, in the folder that it runs in. */
static const char* file_named(const char* name) {
  static char path[256];
  snprintf(path, sizeof path, "interface_test_%ld_%s", (long)getpid(), name);
  return path;
}

static void what_was_inserted_is_found(void) {
  static const char* const kinds[] = {NULL,       "classic",          "counting",
                                      "scalable", "classic-counting", "windowed"};
  size_t i;
  for (i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    bloomery_filter* filter = make(kinds[i], NULL);
    CHECK(ask(filter, "alice") == BLOOMERY_ABSENT);
    CHECK(insert(filter, "alice") == BLOOMERY_ADDED);
    CHECK(insert(filter, "alice") == BLOOMERY_PRESENT);
    CHECK(ask(filter, "alice") == BLOOMERY_MAYBE);
    CHECK(ask(filter, "bob") == BLOOMERY_ABSENT);
    CHECK(bloomery_inserted(filter) == 1);
    CHECK(bloomery_capacity(filter) == 10000);
    bloomery_close(filter);
  }
  bloomery_close(NULL);
}

/* Programs have these numbers in them. */
static void numbers_never_change(void) {
  CHECK(BLOOMERY_MAYBE == 1 && BLOOMERY_UNKNOWN == 2 && BLOOMERY_ABSENT == 3);
  CHECK(BLOOMERY_ADDED == 4 && BLOOMERY_PRESENT == 5 && BLOOMERY_TAKEN == 6);
  CHECK(BLOOMERY_OK == 0 && BLOOMERY_BAD_ARGUMENT == -1 && BLOOMERY_WRONG_KEYS == -2);
  CHECK(BLOOMERY_BAD_FORMAT == -3 && BLOOMERY_INCOMPATIBLE == -4 && BLOOMERY_STORE_FAILED == -5);
  CHECK(BLOOMERY_NO_MEMORY == -6 && BLOOMERY_IN_DOUBT == -7 && BLOOMERY_FAILED == -8);
  CHECK(BLOOMERY_TOO_LATE == -9);
  CHECK(BLOOMERY_READ == 0 && BLOOMERY_WRITE == 1 && BLOOMERY_FORGETTING == 2);
  CHECK(BLOOMERY_WHOLE == 4 && BLOOMERY_SHARED == 8 && BLOOMERY_OFFSETS32 == 1 &&
        BLOOMERY_OFFSETS64 == 2);
  CHECK(BLOOMERY_FIXED == 3 && BLOOMERY_PADDED == 4 && BLOOMERY_POINTERS == 5);
  CHECK(BLOOMERY_I64 == 6 && BLOOMERY_U64 == 7);
}

/* No answer is 0, which memory has that nobody wrote to, and no error is any answer but unknown. */
static void an_error_is_never_absent(void) {
  uint8_t answers[4];
  bloomery_keys keys = BLOOMERY_KEYS;
  bloomery_options options = options_for(0);
  bloomery_filter* filter = make(NULL, "i64");
  int64_t some[4] = {1, 2, 3, 4};
  CHECK(BLOOMERY_ABSENT != 0 && BLOOMERY_MAYBE != 0 && BLOOMERY_UNKNOWN != 0);
  CHECK(ask(NULL, "alice") == BLOOMERY_UNKNOWN);
  CHECK(bloomery_status() == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask(filter, NULL, 3) == BLOOMERY_UNKNOWN);
  CHECK(ask(filter, "alice") == BLOOMERY_UNKNOWN); /* spells no integer */
  CHECK(bloomery_ask_raw(filter, "12345678", 8) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_status() == BLOOMERY_WRONG_KEYS);
  keys = integers(some, 4);
  keys.data_size = 31;
  memset(answers, BLOOMERY_ABSENT, sizeof answers);
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(answers[0] == BLOOMERY_UNKNOWN && answers[3] == BLOOMERY_UNKNOWN);
  memset(answers, BLOOMERY_ABSENT, sizeof answers);
  keys.data_size = 32;
  CHECK(bloomery_ask_many(NULL, &keys, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(answers[0] == BLOOMERY_UNKNOWN && answers[3] == BLOOMERY_UNKNOWN);
  CHECK(bloomery_make(&options) == NULL);
  CHECK(bloomery_status() == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("capacity");
  CHECK(bloomery_make(NULL) == NULL);
  CHECK(bloomery_open("no-such-file.bloom", BLOOMERY_READ, NULL) == NULL);
  CHECK(bloomery_status() == BLOOMERY_STORE_FAILED);
  CHECK_SAYS("no-such-file.bloom");
  CHECK(bloomery_open("nosuchformat:x", BLOOMERY_READ, NULL) == NULL);
  CHECK(bloomery_status() == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_from_bytes("rubbish", 7) == NULL);
  CHECK(bloomery_status() == BLOOMERY_BAD_FORMAT);
  CHECK(bloomery_inserted(NULL) == UINT64_MAX);
  CHECK(bloomery_info(NULL) == NULL && bloomery_key_form(NULL) == NULL);
  bloomery_close(filter);
}

/* Who does not look at the status of an insert is told nothing by what it left out. */
static void a_failed_insert_denies_nothing_until_acknowledged(void) {
  bloomery_filter* filter = make(NULL, "i64");
  bloomery_filter* other = make(NULL, "i64");
  uint8_t answer = 0;
  int64_t two = 2;
  bloomery_keys keys = integers(&two, 1);
  size_t needed;
  CHECK(bloomery_insert_i64(filter, 1) == BLOOMERY_ADDED);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_ABSENT);
  CHECK(insert(filter, "two") == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_status() == BLOOMERY_OK);
  CHECK(bloomery_ask_many(filter, &keys, &answer) == BLOOMERY_OK && answer == BLOOMERY_UNKNOWN);
  CHECK(bloomery_ask_i64(filter, 1) == BLOOMERY_MAYBE);
  CHECK(bloomery_save(filter, file_named("doubt"), 0) == BLOOMERY_IN_DOUBT);
  CHECK(bloomery_to_bytes(filter, NULL, 0, &needed) == BLOOMERY_IN_DOUBT);
  CHECK(bloomery_copy(filter) == NULL);
  CHECK(bloomery_merge(other, filter) == BLOOMERY_IN_DOUBT);
  CHECK(bloomery_ask_i64(other, 2) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_ABSENT);
  keys.data_size = 1;
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_clear(filter) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(filter, 1) == BLOOMERY_ABSENT);
  bloomery_close(other);
  bloomery_close(filter);
}

/* The keys before one that cannot be read are answered; also then nobody believes the filter. */
static void a_doubt_holds_for_what_was_answered_before_an_error(void) {
  enum { kCount = 5000 };
  static size_t sizes[kCount];
  static const void* pointers[kCount];
  static uint8_t answers[kCount];
  bloomery_filter* filter = make("blocked", "i64");
  bloomery_keys keys = BLOOMERY_KEYS;
  size_t i;
  for (i = 0; i < kCount; ++i) {
    pointers[i] = i + 1 == kCount ? "x" : "7";
    sizes[i] = 1;
  }
  keys.layout = BLOOMERY_POINTERS;
  keys.count = kCount;
  keys.data = pointers;
  keys.data_size = sizeof pointers;
  keys.offsets = sizes;
  CHECK(bloomery_ask_many_within(filter, &keys, 0, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(answers[0] == BLOOMERY_ABSENT && answers[kCount - 1] == BLOOMERY_UNKNOWN);
  CHECK(bloomery_doubt(filter) == BLOOMERY_OK);
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(memchr(answers, BLOOMERY_ABSENT, kCount) == NULL);
  bloomery_close(filter);
}

/* For languages that raise each failure: a key that was refused is known to be, a batch is not. */
static void refusals_that_are_heeded_make_no_doubt_and_end_none(void) {
  bloomery_filter* filter = make(NULL, "i64");
  bloomery_filter* texts = make(NULL, "text");
  int64_t two = 2;
  bloomery_keys keys = integers(&two, 1);
  CHECK(bloomery_heed_refusals(NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_doubt(NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_heed_refusals(filter) == BLOOMERY_OK);
  CHECK(insert(filter, "two") == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_insert_raw(filter, "two", 3) == BLOOMERY_WRONG_KEYS);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_ABSENT);
  keys.layout = 99;
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(insert(filter, "two") == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(bloomery_merge(filter, texts) == BLOOMERY_INCOMPATIBLE);
  CHECK(insert(filter, "two") == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_ABSENT);
  CHECK(bloomery_doubt(filter) == BLOOMERY_OK);
  CHECK(bloomery_insert_i64(filter, 3) == BLOOMERY_ADDED);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_save(filter, file_named("doubt"), 0) == BLOOMERY_IN_DOUBT);
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_ABSENT);
  bloomery_close(texts);
  bloomery_close(filter);
}

static int clearing; /* 1: about to, 2: done */

static void* clear_it(void* filter) {
  __atomic_store_n(&clearing, 1, __ATOMIC_SEQ_CST);
  CHECK(bloomery_clear(filter) == BLOOMERY_OK);
  __atomic_store_n(&clearing, 2, __ATOMIC_SEQ_CST);
  return NULL;
}

/* A clear of a millisecond, less where memory is fast, and an insert that fails within it, for the
   most part after it has begun. */
static void clearing_ends_no_doubt_that_came_meanwhile(void) {
  bloomery_options options = options_for(20000000);
  bloomery_filter* filter;
  const struct timespec a_moment = {0, 20000};
  int tries, was_within, kept = 0;
  options.keys = "i64";
  filter = bloomery_make(&options);
  CHECK(filter != NULL);
  for (tries = 0; tries < 1000 && kept < 3; ++tries) {
    pthread_t thread;
    __atomic_store_n(&clearing, 0, __ATOMIC_SEQ_CST);
    CHECK(pthread_create(&thread, NULL, clear_it, filter) == 0);
    while (__atomic_load_n(&clearing, __ATOMIC_SEQ_CST) == 0) sched_yield();
    nanosleep(&a_moment, NULL);
    CHECK(insert(filter, "two") == BLOOMERY_BAD_ARGUMENT);
    was_within = __atomic_load_n(&clearing, __ATOMIC_SEQ_CST) == 1;
    pthread_join(thread, NULL);
    if (was_within) kept += bloomery_ask_i64(filter, 2) == BLOOMERY_UNKNOWN ? 1 : -1;
    CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  }
  CHECK(kept == 3);
  bloomery_close(filter);
}

static void keys_of_another_form_are_refused(void) {
  bloomery_filter* filter = make(NULL, NULL);
  CHECK(strcmp(bloomery_key_form(filter), "") == 0);
  CHECK(insert(filter, "42") == BLOOMERY_ADDED);
  CHECK(strcmp(bloomery_key_form(filter), "text") == 0);
  CHECK(bloomery_ask_i64(filter, 42) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_status() == BLOOMERY_WRONG_KEYS);
  CHECK(bloomery_insert_i64(filter, 42) == BLOOMERY_WRONG_KEYS);
  bloomery_close(filter);

  filter = make(NULL, NULL);
  CHECK(bloomery_insert_i64(filter, -42) == BLOOMERY_ADDED);
  CHECK(strcmp(bloomery_key_form(filter), "i64") == 0);
  CHECK(ask(filter, "-42") == BLOOMERY_MAYBE); /* as the command reads it */
  CHECK(ask(filter, "42") == BLOOMERY_ABSENT);
  CHECK(bloomery_ask_u64(filter, 1) == BLOOMERY_ABSENT);
  CHECK(bloomery_ask_u64(filter, UINT64_MAX) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_insert_raw(filter, "\0\0\0\0\0\0\0\1", 8) == BLOOMERY_WRONG_KEYS);
  bloomery_close(filter);

  filter = make(NULL, "hex");
  CHECK(insert(filter, "00ff") == BLOOMERY_ADDED);
  CHECK(bloomery_ask_raw(filter, "\0\377", 2) == BLOOMERY_MAYBE);
  CHECK(insert(filter, "0g") == BLOOMERY_BAD_ARGUMENT);
  bloomery_close(filter);

  filter = make(NULL, "text --normalise trim,lower");
  CHECK(insert(filter, " Alice ") == BLOOMERY_ADDED);
  CHECK(ask(filter, "ALICE") == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_raw(filter, "alice", 5) == BLOOMERY_UNKNOWN);
  bloomery_close(filter);
}

/* Absent is what is there neither as a text nor as an integer. */
static void an_unknown_form_is_asked_in_both(void) {
  static const int64_t numbers[] = {42, -7, 1000, -1000, 5, INT64_MIN};
  static const char texts[] = "42-71000-10005bob";
  static const int32_t ends[] = {0, 2, 4, 8, 13, 14, 17};
  bloomery_keys of_numbers = integers(numbers, 6);
  bloomery_keys of_texts = BLOOMERY_KEYS;
  uint8_t answers[6];
  bloomery_filter* const filter = make("blocked", "unknown");
  CHECK(bloomery_insert_i64(filter, 42) == BLOOMERY_ADDED);
  CHECK(bloomery_insert_i64(filter, -7) == BLOOMERY_ADDED);
  CHECK(insert(filter, "1000") == BLOOMERY_ADDED);
  CHECK(insert(filter, "-1000") == BLOOMERY_ADDED);
  CHECK(strcmp(bloomery_key_form(filter), "unknown") == 0);

  CHECK(ask(filter, "42") == BLOOMERY_MAYBE);
  CHECK(ask(filter, "-7") == BLOOMERY_MAYBE);
  CHECK(ask(filter, "1000") == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_i64(filter, 42) == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_i64(filter, 1000) == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_u64(filter, 1000) == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_i64(filter, -1000) == BLOOMERY_MAYBE);
  CHECK(ask(filter, "5") == BLOOMERY_ABSENT);
  CHECK(ask(filter, "") == BLOOMERY_ABSENT);
  CHECK(bloomery_ask_i64(filter, 5) == BLOOMERY_ABSENT);
  CHECK(bloomery_ask_raw(filter, "42", 2) == BLOOMERY_ABSENT); /* bytes are what they are */

  CHECK(bloomery_ask_many(filter, &of_numbers, answers) == BLOOMERY_OK);
  CHECK(memcmp(answers, "\1\1\1\1\3\3", 6) == 0);
  of_texts.layout = BLOOMERY_OFFSETS32;
  of_texts.count = 6;
  of_texts.data = texts;
  of_texts.data_size = strlen(texts);
  of_texts.offsets = ends;
  CHECK(bloomery_ask_many(filter, &of_texts, answers) == BLOOMERY_OK);
  CHECK(memcmp(answers, "\1\1\1\1\3\3", 6) == 0);
  of_texts.raw = 1;
  CHECK(bloomery_ask_many(filter, &of_texts, answers) == BLOOMERY_OK);
  CHECK(memcmp(answers, "\3\3\1\1\3\3", 6) == 0);

  /* Where it lives, too; and there it may be told a form in which it would be asked. */
  {
    const char* const file = file_named("unknown.bloom");
    bloomery_filter* opened;
    remove(file);
    CHECK(bloomery_save(filter, file, 0) == BLOOMERY_OK);
    opened = bloomery_open(file, 0, NULL);
    CHECK(opened != NULL);
    CHECK(ask(opened, "42") == BLOOMERY_MAYBE);
    CHECK(bloomery_ask_i64(opened, 1000) == BLOOMERY_MAYBE);
    of_texts.raw = 0;
    CHECK(bloomery_ask_many(opened, &of_texts, answers) == BLOOMERY_OK);
    CHECK(memcmp(answers, "\1\1\1\1\3\3", 6) == 0);
    bloomery_close(opened);
    opened = bloomery_open(file, 0, "i64");
    CHECK(opened != NULL);
    CHECK(ask(opened, "42") == BLOOMERY_MAYBE);
    bloomery_close(opened);
    CHECK(bloomery_open(file, 0, "i32") == NULL);
    CHECK(bloomery_status() == BLOOMERY_WRONG_KEYS);
    remove(file);
  }
  bloomery_close(filter);
}

/* What goes of a filter of unknown form is what is there. */
static void an_unknown_form_is_erased_in_either(void) {
  bloomery_filter* const filter = make("counting", "unknown");
  CHECK(bloomery_insert_i64(filter, 42) == BLOOMERY_ADDED);
  CHECK(insert(filter, "1000") == BLOOMERY_ADDED);
  CHECK(bloomery_erase_i64(filter, 1000) == BLOOMERY_OK);
  CHECK(bloomery_erase(filter, "42", 2) == BLOOMERY_OK);
  CHECK(bloomery_erase(filter, "42", 2) == BLOOMERY_ABSENT);
  CHECK(bloomery_erase_u64(filter, 42) == BLOOMERY_ABSENT);
  CHECK(bloomery_erase(filter, "bob", 3) == BLOOMERY_ABSENT);
  CHECK(bloomery_insert_i64(filter, 7) == BLOOMERY_ADDED);
  CHECK(insert(filter, "7") == BLOOMERY_ADDED);
  CHECK(bloomery_erase_i64(filter, 7) == BLOOMERY_WRONG_KEYS);
  CHECK(bloomery_erase(filter, "7", 1) == BLOOMERY_WRONG_KEYS);
  CHECK_SAYS("as a text and as an integer");
  CHECK(bloomery_erase_raw(filter, "7", 1) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(filter, 7) == BLOOMERY_MAYBE);
  CHECK(bloomery_erase_i64(filter, 7) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(filter, 7) == BLOOMERY_ABSENT);
  bloomery_close(filter);
}

static void what_the_system_said_has_its_number_and_file(void) {
  bloomery_filter* const filter = make(NULL, NULL);
  const char* const file = file_named("facts.bloom");
  remove(file);
  CHECK(bloomery_load("nothing.bloom", NULL) == NULL);
  CHECK(bloomery_status() == BLOOMERY_STORE_FAILED);
  CHECK(bloomery_error_number() == ENOENT);
  CHECK(strcmp(bloomery_error_path(), "nothing.bloom") == 0);
  CHECK(bloomery_recover("nothing.bloom") == BLOOMERY_STORE_FAILED);
  CHECK(bloomery_error_number() == ENOENT);
  CHECK(bloomery_save(filter, file, 0) == BLOOMERY_OK);
  CHECK(bloomery_save(filter, file, 1) == BLOOMERY_STORE_FAILED);
  CHECK(bloomery_error_number() == EEXIST);
  CHECK(bloomery_recover(file) == BLOOMERY_OK);
  CHECK(bloomery_ask(NULL, "a", 1) == BLOOMERY_UNKNOWN);
  CHECK(bloomery_error_number() == 0);
  CHECK(strcmp(bloomery_error_path(), "") == 0);
  remove(file);
  bloomery_close(filter);
}

static void a_filter_says_what_it_is(void) {
  bloomery_options options = options_for(10);
  bloomery_filter *filter = make("classic", NULL), *other = bloomery_copy(filter), *small;
  char* place = bloomery_place(filter);
  int64_t i;
  CHECK(place != NULL && place[0] == '\0');
  bloomery_free(place);
  CHECK(bloomery_memory(filter) > 100);
  CHECK(bloomery_equal(filter, other) == 1);
  CHECK(bloomery_equal(filter, filter) == 1);
  CHECK(insert(filter, "alice") == BLOOMERY_ADDED);
  CHECK(bloomery_equal(filter, other) == 0);
  CHECK(insert(other, "alice") == BLOOMERY_ADDED);
  CHECK(bloomery_equal(filter, other) == 1);
  CHECK(bloomery_equal(filter, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_in_doubt(filter) == 0);
  CHECK(bloomery_doubt(filter) == BLOOMERY_OK);
  CHECK(bloomery_in_doubt(filter) == 1);
  CHECK(bloomery_equal(filter, other) == BLOOMERY_IN_DOUBT);
  CHECK(bloomery_equal(other, filter) == BLOOMERY_IN_DOUBT);
  options.rate = 1e-9;
  small = bloomery_make(&options);
  CHECK(small != NULL);
  for (i = 0; i < 10; ++i) CHECK(bloomery_insert_i64(small, i) == BLOOMERY_ADDED);
  CHECK(bloomery_overfilled(small) == 0);
  CHECK(bloomery_insert_i64(small, 10) == BLOOMERY_ADDED);
  CHECK(bloomery_overfilled(small) == 1);
  CHECK(bloomery_overfilled(NULL) == BLOOMERY_BAD_ARGUMENT);
  bloomery_close(small);
  bloomery_close(other);
  bloomery_close(filter);
}

/* Nothing is written behind answers whose size is told. */
static void answers_that_are_too_few_are_refused(void) {
  static const int64_t numbers[] = {1, 2, 3};
  bloomery_keys keys = integers(numbers, 3);
  uint8_t answers[4] = {9, 9, 9, 9};
  bloomery_filter* const filter = make(NULL, NULL);
  keys.answers_size = 2;
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("3 keys have no answers in 2 bytes");
  CHECK(bloomery_ask_many_within(filter, &keys, 100, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_insert_many(filter, &keys, answers, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_inserted(filter) == 0);
  CHECK(memcmp(answers, "\11\11\11\11", 4) == 0);
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_OK);
  keys.answers_size = 3;
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_OK);
  CHECK(memcmp(answers, "\1\1\1\11", 4) == 0);
  bloomery_close(filter);
}

/* A filter in memory has no watermark; and what is no fence denies nothing. */
static void behind_a_fence_no_filter_without_a_watermark_denies(void) {
  static const char source[] = "0123456789abcdef0123456789abcdef";
  static const char zeros[] = "00000000000000000000000000000000";
  static const int64_t numbers[] = {1, 2};
  bloomery_filter* const filter = make(NULL, "i64");
  bloomery_keys keys = integers(numbers, 2);
  uint8_t answers[2];
  CHECK(bloomery_insert_i64(filter, 1) == BLOOMERY_ADDED);
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_OK);
  CHECK(answers[0] == BLOOMERY_MAYBE && answers[1] == BLOOMERY_ABSENT);
  CHECK(bloomery_ask_many_behind(filter, &keys, source, 0, UINT32_MAX, answers) == BLOOMERY_OK);
  CHECK(answers[0] == BLOOMERY_MAYBE && answers[1] == BLOOMERY_UNKNOWN);
  answers[1] = BLOOMERY_ABSENT;
  CHECK(bloomery_ask_many_behind(filter, &keys, "here", 0, 0, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("source names no database");
  CHECK(answers[0] == BLOOMERY_UNKNOWN && answers[1] == BLOOMERY_UNKNOWN);
  CHECK(bloomery_ask_many_behind(filter, &keys, NULL, 0, 0, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_many_behind(filter, &keys, zeros, 0, 0, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("source names no database");
  keys.count = 0;
  CHECK(bloomery_ask_many_behind(filter, &keys, zeros, 0, 0, answers) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_many_behind(filter, &keys, source, 0, 0, answers) == BLOOMERY_OK);
  bloomery_close(filter);
}

static void every_layout_means_the_same_keys(void) {
  static const char data[] = "alicebobcarol";
  static const int32_t offsets32[] = {0, 5, 8, 13};
  static const int64_t offsets64[] = {0, 5, 8, 13};
  static const char fixed[] = "alice\0bob\0\0\0carol\0";
  static const void* const pointers[] = {"alice", "bob", "carol"};
  static const size_t sizes[] = {5, 3, 5};
  bloomery_filter* filter = make(NULL, NULL);
  bloomery_keys keys = BLOOMERY_KEYS;
  uint8_t answers[3], outcomes[3];
  size_t added = 7;
  int layout;
  keys.layout = BLOOMERY_OFFSETS32;
  keys.count = 3;
  keys.data = data;
  keys.data_size = 13;
  keys.offsets = offsets32;
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_OK);
  CHECK(answers[0] == BLOOMERY_ABSENT && answers[2] == BLOOMERY_ABSENT);
  CHECK(bloomery_insert_many(filter, &keys, outcomes, &added) == BLOOMERY_OK && added == 3);
  CHECK(outcomes[0] == BLOOMERY_ADDED && outcomes[2] == BLOOMERY_ADDED);
  for (layout = BLOOMERY_OFFSETS32; layout <= BLOOMERY_POINTERS; ++layout) {
    keys.layout = layout;
    keys.data = layout <= BLOOMERY_OFFSETS64 ? data : fixed;
    keys.data_size = layout <= BLOOMERY_OFFSETS64 ? 13 : 18;
    keys.offsets = layout == BLOOMERY_OFFSETS32 ? (const void*)offsets32 : (const void*)offsets64;
    keys.width = 6;
    if (layout == BLOOMERY_POINTERS) {
      keys.data = pointers;
      keys.data_size = sizeof pointers;
      keys.offsets = sizes;
    }
    memset(answers, 0, sizeof answers);
    CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_OK);
    if (layout == BLOOMERY_FIXED) { /* zeros are part of these keys */
      CHECK(answers[0] == BLOOMERY_ABSENT && answers[1] == BLOOMERY_ABSENT);
      continue;
    }
    CHECK(answers[0] == BLOOMERY_MAYBE && answers[1] == BLOOMERY_MAYBE);
    CHECK(answers[2] == BLOOMERY_MAYBE);
    CHECK(bloomery_insert_many(filter, &keys, NULL, &added) == BLOOMERY_OK && added == 0);
  }
  CHECK(ask(filter, "bob") == BLOOMERY_MAYBE);
  bloomery_close(filter);
}

static void integers_may_lie_anywhere(void) {
  enum { kCount = 10000 };
  static char room[8 * kCount + 1];
  static uint8_t answers[kCount];
  bloomery_filter* filter = make(NULL, NULL);
  bloomery_keys keys = BLOOMERY_KEYS;
  int64_t i;
  for (i = 0; i < kCount; ++i) memcpy(room + 1 + 8 * i, &i, 8);
  keys = integers((const int64_t*)(const void*)room, kCount);
  keys.data = room + 1;
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_OK);
  CHECK(bloomery_ask_many(filter, &keys, answers) == BLOOMERY_OK);
  for (i = 0; i < kCount; ++i) CHECK(answers[i] == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_i64(filter, 9999) == BLOOMERY_MAYBE);
  CHECK(ask(filter, "9999") == BLOOMERY_MAYBE);
  bloomery_close(filter);
}

static void hostile_sizes_are_refused(void) {
  static const int32_t falling[] = {0, 5, 3}, negative[] = {-1, 2, 3}, far[] = {0, 5, 14};
  static const void* const null_key[] = {NULL};
  static const size_t three[] = {3};
  bloomery_filter* filter = make(NULL, NULL);
  bloomery_keys keys = BLOOMERY_KEYS;
  bloomery_options options = options_for(UINT64_MAX);
  struct {
    bloomery_options known;
    size_t unknown;
  } newer;
  bloomery_filter* older;
  const int32_t* all[3];
  size_t i;
  keys.layout = BLOOMERY_OFFSETS32;
  keys.count = 2;
  keys.data = "alicebobcarol";
  keys.data_size = 13;
  all[0] = falling, all[1] = negative, all[2] = far;
  for (i = 0; i < 3; ++i) {
    keys.offsets = all[i];
    CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
    CHECK_SAYS("offset");
  }
  keys.offsets = NULL;
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  keys.layout = BLOOMERY_FIXED;
  keys.count = SIZE_MAX / 2;
  keys.width = 4; /* the product is small again */
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  keys.layout = 99;
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  keys.layout = BLOOMERY_POINTERS;
  keys.count = 1;
  keys.data = null_key;
  keys.offsets = three;
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_insert(filter, "x", SIZE_MAX) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_insert_many(filter, NULL, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_inserted(filter) == 0);
  CHECK(strcmp(bloomery_key_form(filter), "") == 0); /* what was no key leaves it open */
  CHECK(bloomery_make(&options) == NULL);
  memset(&newer, 0, sizeof newer);
  newer.known = options_for(10);
  newer.known.struct_size = sizeof newer;
  newer.unknown = 1;
  CHECK(bloomery_make(&newer.known) == NULL);
  CHECK_SAYS("does not know");
  newer.known.struct_size = 0;
  CHECK(bloomery_make(&newer.known) == NULL);
  newer.known.struct_size = sizeof newer.known - 1; /* within a member */
  CHECK(bloomery_make(&newer.known) == NULL);
  newer.known.struct_size = offsetof(bloomery_options, hash); /* an older one */
  newer.known.hash = "not read";
  older = bloomery_make(&newer.known);
  CHECK(older != NULL);
  bloomery_close(older);
  keys.struct_size = 2 * sizeof(size_t);
  CHECK(bloomery_insert_many(filter, &keys, NULL, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("struct_size is 16");
  bloomery_close(filter);
}

static void a_file_has_what_the_filter_had(void) {
  static char bytes[1 << 20];
  const char* path = file_named("saved.bloom");
  bloomery_filter* filter = make("scalable", NULL);
  bloomery_filter* again;
  size_t needed = 0;
  int way;
  CHECK(bloomery_insert_i64(filter, 1) == BLOOMERY_ADDED);
  CHECK(bloomery_save(filter, path, 1) == BLOOMERY_OK);
  CHECK(bloomery_save(filter, path, 1) == BLOOMERY_STORE_FAILED);
  CHECK(bloomery_save(filter, path, 0) == BLOOMERY_OK);
  CHECK(bloomery_to_bytes(filter, bytes, 10, &needed) == BLOOMERY_BAD_ARGUMENT);
  CHECK(needed > 10 && needed <= sizeof bytes);
  CHECK(bloomery_to_bytes(filter, NULL, sizeof bytes, &needed) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_to_bytes(filter, bytes, sizeof bytes, &needed) == BLOOMERY_OK);
  for (way = 0; way < 4; ++way) {
    again = way == 0   ? bloomery_load(path, NULL)
            : way == 1 ? bloomery_open(path, BLOOMERY_READ, NULL)
            : way == 2 ? bloomery_from_bytes(bytes, needed)
                       : bloomery_copy(filter);
    CHECK(again != NULL);
    CHECK(strcmp(bloomery_key_form(again), "i64") == 0);
    CHECK(bloomery_ask_i64(again, 1) == BLOOMERY_MAYBE);
    CHECK(bloomery_ask_i64(again, 2) == BLOOMERY_ABSENT);
    if (way == 1) CHECK(bloomery_insert_i64(again, 3) == BLOOMERY_BAD_ARGUMENT); /* for reading */
    bloomery_close(again);
  }
  CHECK(bloomery_open(path, BLOOMERY_READ, "text") == NULL);
  CHECK(bloomery_status() == BLOOMERY_WRONG_KEYS);
  bytes[needed - 5] = (char)(bytes[needed - 5] ^ 1);
  CHECK(bloomery_from_bytes(bytes, needed) == NULL);
  CHECK(bloomery_status() == BLOOMERY_BAD_FORMAT);
  bloomery_close(filter);

  /* Where it lives, changed in place. */
  filter = make(NULL, "i64");
  CHECK(bloomery_save(filter, path, 0) == BLOOMERY_OK);
  again = bloomery_open(path, BLOOMERY_WRITE, NULL);
  CHECK(again != NULL && bloomery_insert_i64(again, 7) == BLOOMERY_ADDED);
  CHECK(bloomery_flush(again) == BLOOMERY_OK);
  bloomery_close(again);
  again = bloomery_load(path, NULL);
  CHECK(again != NULL && bloomery_ask_i64(again, 7) == BLOOMERY_MAYBE);
  bloomery_close(again);
  bloomery_close(filter);
  remove(path);
}

/* A file of a kind that grows is read whole and written back. */
static void what_is_closed_is_kept_but_not_by_a_child(void) {
  const char* path = file_named("closed.bloom");
  bloomery_filter* filter = make("scalable", "i64");
  int status = 1;
  pid_t child;
  CHECK(bloomery_save(filter, path, 1) == BLOOMERY_OK);
  bloomery_close(filter);
  filter = bloomery_open(path, BLOOMERY_WRITE, NULL);
  CHECK(filter != NULL && bloomery_insert_i64(filter, 1) == BLOOMERY_ADDED);
  child = fork();
  if (child == 0) {
    int fine = bloomery_ask_i64(filter, 1) == BLOOMERY_MAYBE;
    fine = fine && bloomery_insert_i64(filter, 2) == BLOOMERY_STORE_FAILED;
    fine = fine && bloomery_acknowledge(filter) == BLOOMERY_OK;
    fine = fine && bloomery_flush(filter) == BLOOMERY_STORE_FAILED;
    bloomery_close(filter);
    filter = bloomery_load(path, NULL); /* nothing was written */
    fine = fine && filter != NULL && bloomery_ask_i64(filter, 1) == BLOOMERY_ABSENT;
    _exit(fine ? 0 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(bloomery_insert_i64(filter, 3) == BLOOMERY_ADDED);
  bloomery_close(filter);
  filter = bloomery_load(path, NULL);
  CHECK(filter != NULL && bloomery_ask_i64(filter, 1) == BLOOMERY_MAYBE);
  CHECK(bloomery_ask_i64(filter, 3) == BLOOMERY_MAYBE);
  bloomery_close(filter);
  remove(path);
}

/* A parent, its child and another opening insert into one file; the last to close it seals it. */
static void processes_share_a_file(void) {
  const char* path = file_named("shared.bloom");
  bloomery_filter* filter = make("blocked", "i64");
  bloomery_filter* other;
  bloomery_filter* reader;
  int status = 1;
  pid_t child;
  int64_t keys[] = {10, 11, 12, 10};
  bloomery_keys of = integers(keys, 4);
  uint8_t outcomes[4];
  size_t added;
  char* info;
  CHECK(bloomery_save(filter, path, 1) == BLOOMERY_OK);
  bloomery_close(filter);
  filter = bloomery_open(path, BLOOMERY_SHARED, NULL);
  other = bloomery_open(path, BLOOMERY_SHARED | BLOOMERY_WRITE, "i64");
  CHECK(filter != NULL && other != NULL);
  CHECK(bloomery_open(path, BLOOMERY_WRITE, NULL) == NULL);
  CHECK(bloomery_open(path, BLOOMERY_SHARED | BLOOMERY_WHOLE, NULL) == NULL);
  CHECK(bloomery_load(path, NULL) == NULL && bloomery_status() == BLOOMERY_BAD_FORMAT);
  CHECK(bloomery_ask_i64(other, 1) == BLOOMERY_ABSENT);
  CHECK(bloomery_insert_i64(filter, 1) == BLOOMERY_ADDED);
  CHECK(bloomery_ask_i64(other, 1) == BLOOMERY_MAYBE);
  CHECK(bloomery_insert(filter, "one", 3) < 0 && bloomery_acknowledge(filter) == BLOOMERY_OK);
  child = fork();
  if (child == 0) {
    int fine = bloomery_ask_i64(filter, 1) == BLOOMERY_MAYBE;
    fine = fine && bloomery_insert_i64(filter, 2) == BLOOMERY_ADDED;
    fine = fine && bloomery_flush(filter) == BLOOMERY_OK;
    bloomery_close(filter);
    _exit(fine ? 0 : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(bloomery_ask_i64(filter, 2) == BLOOMERY_MAYBE);
  CHECK(bloomery_insert_many(other, &of, outcomes, &added) == BLOOMERY_OK && added == 3);
  CHECK(outcomes[2] == BLOOMERY_ADDED && outcomes[3] == BLOOMERY_PRESENT);
  CHECK(bloomery_inserted(filter) == 5);
  CHECK(bloomery_clear(filter) == BLOOMERY_BAD_ARGUMENT);
  reader = make("blocked", "i64");
  CHECK(bloomery_insert_i64(reader, 10) == BLOOMERY_ADDED);
  CHECK(bloomery_insert_i64(reader, 14) == BLOOMERY_ADDED);
  CHECK(bloomery_merge(filter, reader) == BLOOMERY_OK);
  CHECK(bloomery_merge(reader, filter) == BLOOMERY_OK);
  CHECK(bloomery_ask_i64(other, 14) == BLOOMERY_MAYBE && bloomery_inserted(other) == 6);
  CHECK(bloomery_ask_i64(reader, 12) == BLOOMERY_MAYBE);
  bloomery_close(reader);
  bloomery_close(other);
  other = bloomery_copy(filter);
  CHECK(other != NULL && bloomery_ask_i64(other, 12) == BLOOMERY_MAYBE);
  bloomery_close(other);
  reader = bloomery_open(path, 0, NULL);
  CHECK(reader != NULL && bloomery_insert_i64(filter, 13) == BLOOMERY_ADDED);
  other = bloomery_copy(reader);
  CHECK(other != NULL && bloomery_ask_i64(other, 13) == BLOOMERY_MAYBE);
  bloomery_close(other);
  bloomery_close(reader);
  info = bloomery_info(filter);
  CHECK(info != NULL && strstr(info, "\"inserted\": 7") != NULL);
  bloomery_free(info);
  bloomery_close(filter);
  filter = bloomery_load(path, NULL);
  CHECK(filter != NULL && bloomery_ask_i64(filter, 2) == BLOOMERY_MAYBE);
  CHECK(bloomery_inserted(filter) == 7);
  bloomery_close(filter);
  remove(path);
}

static void texts_are_hashed_as_told(void) {
  bloomery_options options = options_for(1000);
  bloomery_filter* filter;
  char* info;
  options.hash = "aes";
  filter = bloomery_make(&options);
  info = bloomery_info(filter);
  CHECK(info != NULL && strstr(info, "\"hash\": \"AesHash-128\"") != NULL);
  bloomery_free(info);
  CHECK(insert(filter, "a text of more than eight bytes") == BLOOMERY_ADDED);
  CHECK(ask(filter, "a text of more than eight bytes") == BLOOMERY_MAYBE);
  bloomery_close(filter);
  options.secret = 1;
  CHECK(bloomery_make(&options) == NULL);
  CHECK_SAYS("no secret filter");
  options.secret = 0;
  options.format = "guava";
  CHECK(bloomery_make(&options) == NULL);
  options.format = NULL;
  options.hash = "md5";
  CHECK(bloomery_make(&options) == NULL);
  CHECK_SAYS("\"md5\" was given");
}

static void other_systems_filters_are_filters(void) {
  const char* path = file_named("guava.bin");
  char location[300];
  bloomery_options options = options_for(1000);
  bloomery_filter* filter;
  snprintf(location, sizeof location, "guava:%s", path);
  options.format = "redisson"; /* which writes texts in its own way */
  filter = bloomery_make(&options);
  CHECK(filter != NULL && strcmp(bloomery_key_form(filter), "kryo") == 0);
  CHECK(bloomery_insert_i64(filter, 42) == BLOOMERY_WRONG_KEYS);
  bloomery_close(filter);
  options.format = "guava";
  filter = bloomery_make(&options);
  CHECK(bloomery_insert_i64(filter, 42) == BLOOMERY_WRONG_KEYS); /* nobody said that it has them */
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(filter != NULL && insert(filter, "alice") == BLOOMERY_ADDED);
  CHECK(bloomery_save(filter, location, 1) == BLOOMERY_OK);
  bloomery_close(filter);
  filter = bloomery_open(location, BLOOMERY_READ, NULL);
  CHECK(filter != NULL && ask(filter, "alice") == BLOOMERY_MAYBE);
  CHECK(ask(filter, "bob") == BLOOMERY_ABSENT);
  bloomery_close(filter);
  filter = bloomery_load(location, "utf16");
  CHECK(filter != NULL && strcmp(bloomery_key_form(filter), "utf16") == 0);
  bloomery_close(filter);
  options.settings = "rubbish=1";
  CHECK(bloomery_make(&options) == NULL);
  options.format = "nothing";
  CHECK(bloomery_make(&options) == NULL);
  remove(path);
}

static void merging_unites_and_refuses_strangers(void) {
  bloomery_filter* a = make(NULL, NULL);
  bloomery_filter* b = make(NULL, NULL);
  bloomery_filter* texts = make(NULL, "text");
  bloomery_filter* classic = make("classic", NULL);
  CHECK(bloomery_insert_i64(b, 2) == BLOOMERY_ADDED);
  CHECK(bloomery_merge(a, b) == BLOOMERY_OK); /* an open filter takes the form over */
  CHECK(bloomery_ask_i64(a, 2) == BLOOMERY_MAYBE);
  CHECK(strcmp(bloomery_key_form(a), "i64") == 0);
  CHECK(bloomery_merge(a, a) == BLOOMERY_OK);
  CHECK(bloomery_merge(b, texts) == BLOOMERY_INCOMPATIBLE);
  CHECK(bloomery_merge(a, classic) == BLOOMERY_INCOMPATIBLE);
  CHECK(bloomery_acknowledge(b) == BLOOMERY_OK && bloomery_ask_i64(b, 3) == BLOOMERY_ABSENT);
  CHECK(bloomery_merge(b, NULL) == BLOOMERY_BAD_ARGUMENT);
  CHECK(bloomery_ask_i64(b, 3) == BLOOMERY_UNKNOWN);
  bloomery_close(b);
  b = make(NULL, NULL);
  CHECK(insert(classic, "alice") == BLOOMERY_ADDED);
  CHECK(bloomery_merge(b, classic) == BLOOMERY_INCOMPATIBLE);
  CHECK(strcmp(bloomery_key_form(b), "") == 0); /* it has none of its keys */
  CHECK(bloomery_insert_i64(b, 1) == BLOOMERY_ADDED);
  bloomery_close(a);
  bloomery_close(b);
  bloomery_close(texts);
  bloomery_close(classic);
}

static void other_systems_filters_merge_by_how_their_keys_are_written(void) {
  static const char* const formats[] = {"guava", "redisson", "dcso"};
  static const char* const forms[] = {"hex", "text", NULL};
  bloomery_options options = options_for(1000);
  size_t i, own, others;
  for (i = 0; i < 3; ++i) {
    for (own = 0; own < 3; ++own) {
      for (others = 0; others < 3; ++others) {
        bloomery_filter *into, *other, *copy;
        char* text;
        int is_same;
        options.format = formats[i];
        options.keys = forms[own];
        into = bloomery_make(&options);
        options.keys = forms[others];
        other = bloomery_make(&options);
        CHECK(into != NULL && other != NULL && insert(other, "4242") == BLOOMERY_ADDED);
        is_same = strcmp(bloomery_key_form(into), bloomery_key_form(other)) == 0;
        CHECK(bloomery_merge(into, other) == (is_same ? BLOOMERY_OK : BLOOMERY_INCOMPATIBLE));
        CHECK(ask(into, "4242") != BLOOMERY_ABSENT);
        copy = bloomery_copy(other);
        CHECK(copy != NULL && bloomery_merge(other, copy) == BLOOMERY_OK);
        text = bloomery_info(other);
        CHECK(text != NULL && strstr(text, bloomery_key_form(other)) != NULL);
        bloomery_free(text);
        bloomery_close(copy);
        bloomery_close(into);
        bloomery_close(other);
      }
    }
  }
}

static void a_file_says_how_its_keys_are_written_also_an_empty_one(void) {
  static const char* const kinds[] = {"blocked", "scalable", NULL};
  size_t i;
  for (i = 0; i < 3; ++i) {
    const char* path = file_named("form.bloom");
    bloomery_options options = options_for(1000);
    bloomery_filter* filter;
    options.kind = kinds[i];
    options.format = kinds[i] == NULL ? "guava" : NULL;
    options.keys = kinds[i] == NULL ? NULL : "text";
    filter = bloomery_make(&options);
    CHECK(filter != NULL && bloomery_save(filter, path, 1) == BLOOMERY_OK);
    bloomery_close(filter);
    CHECK(bloomery_open(path, BLOOMERY_WRITE, "i64") == NULL);
    CHECK(bloomery_status() == BLOOMERY_WRONG_KEYS);
    CHECK(bloomery_load(path, "i64") == NULL);
    remove(path);
  }
  { /* One of which nobody has said it takes what comes. */
    const char* path = file_named("unsaid.bloom");
    bloomery_options options = options_for(1000);
    bloomery_filter* filter = bloomery_make(&options);
    CHECK(filter != NULL && bloomery_save(filter, path, 1) == BLOOMERY_OK);
    bloomery_close(filter);
    filter = bloomery_load(path, NULL);
    CHECK(filter != NULL && bloomery_insert_i64(filter, 7) == BLOOMERY_ADDED);
    CHECK(filter != NULL && strcmp(bloomery_key_form(filter), "i64") == 0);
    bloomery_close(filter);
    remove(path);
  }
}

static void a_static_filter_is_built_of_all_its_keys(void) {
  int64_t keys[1000];
  bloomery_options options = options_for(0);
  bloomery_keys of = integers(keys, 1000);
  bloomery_filter* filter;
  size_t i;
  for (i = 0; i < 1000; ++i) keys[i] = (int64_t)i * 1000003;
  options.kind = "static";
  CHECK(bloomery_make(&options) == NULL);
  filter = bloomery_build(&options, &of);
  CHECK(filter != NULL);
  for (i = 0; i < 1000; ++i) CHECK(bloomery_ask_i64(filter, keys[i]) == BLOOMERY_MAYBE);
  CHECK(ask(filter, "1000003") == BLOOMERY_MAYBE);
  CHECK(strcmp(bloomery_key_form(filter), "i64") == 0);
  CHECK(bloomery_insert_i64(filter, 1) == BLOOMERY_BAD_ARGUMENT);
  bloomery_close(filter);
  options.kind = NULL;
  filter = bloomery_build(&options, &of);
  CHECK(filter != NULL && bloomery_ask_i64(filter, keys[999]) == BLOOMERY_MAYBE);
  CHECK(bloomery_capacity(filter) == 1000);
  bloomery_close(filter);
}

static void only_counting_filters_erase(void) {
  bloomery_filter* filter = make("counting", NULL);
  CHECK(insert(filter, "alice") == BLOOMERY_ADDED);
  CHECK(bloomery_erase(filter, "alice", 5) == BLOOMERY_OK);
  CHECK(bloomery_erase(filter, "alice", 5) == BLOOMERY_ABSENT);
  CHECK(ask(filter, "alice") == BLOOMERY_ABSENT);
  bloomery_close(filter);
  filter = make(NULL, NULL);
  CHECK(bloomery_erase(filter, "alice", 5) == BLOOMERY_BAD_ARGUMENT);
  bloomery_close(filter);
  filter = make("counting", "hex"); /* "6162" spells "ab" there, and "ab" another byte */
  CHECK(insert(filter, "6162") == BLOOMERY_ADDED);
  CHECK(bloomery_erase(filter, "ab", 2) == BLOOMERY_ABSENT);
  CHECK(bloomery_erase_i64(filter, 1) == BLOOMERY_WRONG_KEYS);
  CHECK(bloomery_erase_raw(filter, "ab", 2) == BLOOMERY_OK);
  CHECK(insert(filter, "6162") == BLOOMERY_ADDED);
  CHECK(bloomery_doubt(filter) == BLOOMERY_OK);
  CHECK(bloomery_erase(filter, "63", 2) == BLOOMERY_IN_DOUBT); /* it may be the one that failed */
  CHECK(bloomery_erase(filter, "6162", 4) == BLOOMERY_OK);
  CHECK(bloomery_acknowledge(filter) == BLOOMERY_OK);
  CHECK(bloomery_erase(filter, "63", 2) == BLOOMERY_ABSENT);
  bloomery_close(filter);
}

/* Four bits count to 15. */
static void an_erase_says_that_a_key_stays_for_ever(void) {
  bloomery_filter* filter = make("counting", "i64");
  int i;
  for (i = 0; i < 15; ++i) CHECK(bloomery_insert_i64(filter, 1) > 0);
  for (i = 0; i < 14; ++i) CHECK(bloomery_insert_i64(filter, 2) > 0);
  for (i = 0; i < 20; ++i) {
    CHECK(bloomery_try_erase_i64(filter, 1) == BLOOMERY_SATURATED);
    CHECK(bloomery_try_erase_u64(filter, 1) == BLOOMERY_SATURATED);
    CHECK(bloomery_try_erase(filter, "1", 1) == BLOOMERY_SATURATED);
    CHECK(bloomery_erase_i64(filter, 1) == BLOOMERY_OK);
  }
  for (i = 0; i < 14; ++i) CHECK(bloomery_try_erase_i64(filter, 2) == BLOOMERY_OK);
  CHECK(bloomery_try_erase_i64(filter, 2) == BLOOMERY_ABSENT);
  CHECK(bloomery_ask_i64(filter, 1) == BLOOMERY_MAYBE);
  bloomery_close(filter);
  filter = make("counting", NULL);
  for (i = 0; i < 15; ++i) CHECK(insert(filter, "alice") > 0);
  CHECK(bloomery_try_erase_raw(filter, "alice", 5) == BLOOMERY_SATURATED);
  bloomery_close(filter);
  filter = make(NULL, NULL);
  CHECK(bloomery_try_erase(filter, "alice", 5) == BLOOMERY_BAD_ARGUMENT);
  bloomery_close(filter);
}

static void info_is_json_and_sizes_are_told(void) {
  bloomery_options options = options_for(900000000);
  bloomery_size size = BLOOMERY_SIZE;
  bloomery_filter* filter = make("scalable", NULL);
  char* text = bloomery_info(filter);
  CHECK(text != NULL && text[0] == '{' && text[strlen(text) - 1] == '}');
  CHECK(strstr(text, "\"kind\": \"scalable\"") && strstr(text, "\"capacity\": 10000"));
  bloomery_free(text);
  options.kind = "classic";
  options.rate = 0.001;
  CHECK(bloomery_size_of(&options, &size) == BLOOMERY_OK);
  CHECK(size.bit_count > 12900000000 && size.bit_count < 13000000000 && size.probe_count == 10);
  size.struct_size = 4; /* one that another version knows has at least what the first had */
  CHECK(bloomery_size_of(&options, &size) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("struct_size");
  size.struct_size = sizeof size;
  options.kind = "round";
  CHECK(bloomery_size_of(&options, &size) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("blocked");
  options.kind = NULL;
  options.format = "redisson";
  options.capacity = 1000000;
  options.rate = 0.01;
  CHECK(bloomery_size_of(&options, &size) == BLOOMERY_OK);
  CHECK(size.bit_count == 9585058 && size.probe_count == 7 && size.lines_per_key == 0);
  options.format = "guava";
  options.settings = "k=from_size";
  CHECK(bloomery_size_of(&options, &size) == BLOOMERY_OK && size.bit_count == 9585088);
  options.settings = "bits=7";
  CHECK(bloomery_size_of(&options, &size) == BLOOMERY_BAD_ARGUMENT);
  CHECK_SAYS("bits");
  CHECK(strcmp(bloomery_version(), "0.1.0") == 0);
  bloomery_close(filter);
}

enum { kThreads = 4, kEach = 8000 };
struct share {
  bloomery_filter* filter;
  int number;
  int denied;
};

/* Inserts by ones and in batches, and asks for each key right afterwards. */
static void* insert_and_ask(void* argument) {
  struct share* const mine = argument;
  int64_t keys[100];
  uint8_t answers[100];
  bloomery_keys of = integers(keys, 100);
  int i, j;
  for (i = 0; i < kEach; i += 100) {
    for (j = 0; j < 100; ++j) keys[j] = (int64_t)mine->number * kEach + i + j;
    if (i % 200 == 0) {
      if (bloomery_insert_many(mine->filter, &of, NULL, NULL) != BLOOMERY_OK) ++mine->denied;
    } else {
      for (j = 0; j < 100; ++j) {
        if (bloomery_insert_i64(mine->filter, keys[j]) < 0) ++mine->denied;
      }
    }
    if (bloomery_ask_many(mine->filter, &of, answers) != BLOOMERY_OK) ++mine->denied;
    for (j = 0; j < 100; ++j) {
      if (answers[j] != BLOOMERY_MAYBE) ++mine->denied;
      if (bloomery_ask_i64(mine->filter, keys[j]) != BLOOMERY_MAYBE) ++mine->denied;
    }
  }
  return NULL;
}

static void* merge_and_copy(void* argument) {
  struct share* const mine = argument;
  bloomery_filter* other = make("scalable", "i64");
  int i;
  for (i = 0; i < 20; ++i) {
    bloomery_filter* copy = bloomery_copy(mine->filter);
    char* info = bloomery_info(mine->filter);
    if (copy == NULL || info == NULL) ++mine->denied;
    bloomery_free(info);
    bloomery_close(copy);
  }
  bloomery_close(other);
  return NULL;
}

static void threads_lose_no_key(void) {
  static const char* const kinds[] = {"blocked", "scalable"};
  size_t k;
  for (k = 0; k < 2; ++k) {
    pthread_t threads[kThreads + 1];
    struct share shares[kThreads + 1];
    bloomery_filter* filter = make(kinds[k], NULL);
    int i, denied = 0;
    int64_t key;
    for (i = 0; i <= kThreads; ++i) {
      shares[i].filter = filter;
      shares[i].number = i;
      shares[i].denied = 0;
      CHECK(pthread_create(&threads[i], NULL, i < kThreads ? insert_and_ask : merge_and_copy,
                           &shares[i]) == 0);
    }
    for (i = 0; i <= kThreads; ++i) {
      pthread_join(threads[i], NULL);
      denied += shares[i].denied;
    }
    CHECK(denied == 0);
    for (key = 0; key < kThreads * kEach; ++key) {
      if (bloomery_ask_i64(filter, key) != BLOOMERY_MAYBE) ++denied;
    }
    CHECK(denied == 0);
    bloomery_close(filter);
  }
}

struct reader {
  const bloomery_filter* filter;
  int* is_over;
};
static void* read_all_of_it(void* argument) {
  const struct reader* const mine = argument;
  while (!__atomic_load_n(mine->is_over, __ATOMIC_SEQ_CST))
    bloomery_free(bloomery_info(mine->filter));
  return NULL;
}

/* Each of those begins before the others end. */
static void who_reads_all_of_it_holds_nobody_up_for_good(void) {
  bloomery_options options = options_for(20000000);
  pthread_t threads[2];
  struct reader reader;
  int64_t keys[100];
  bloomery_keys of = integers(keys, 100);
  int is_over = 0, i, batch;
  const time_t begin = time(NULL);
  reader.filter = bloomery_make(&options);
  reader.is_over = &is_over;
  CHECK(reader.filter != NULL);
  for (i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, read_all_of_it, &reader) == 0);
  for (batch = 0; batch < 50 && time(NULL) < begin + 20; ++batch) {
    for (i = 0; i < 100; ++i) keys[i] = 100 * batch + i;
    CHECK(bloomery_insert_many((bloomery_filter*)reader.filter, &of, NULL, NULL) == BLOOMERY_OK);
  }
  CHECK(batch == 50);
  __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
  for (i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  bloomery_close((bloomery_filter*)reader.filter);
}

/* Children are born while threads insert; each asks, inserts and merges on its own. */
static void a_child_of_fork_goes_on(void) {
  pthread_t thread;
  struct share share;
  bloomery_filter* filter = make("blocked", "i64");
  int i;
  for (i = 1000; i < 2000; ++i) CHECK(bloomery_insert_i64(filter, -i) > 0);
  share.filter = filter;
  share.number = 1;
  share.denied = 0;
  CHECK(pthread_create(&thread, NULL, insert_and_ask, &share) == 0);
  for (i = 0; i < 20; ++i) {
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
      int64_t keys[100];
      bloomery_keys of = integers(keys, 100);
      bloomery_filter* copy;
      int j;
      alarm(20);
      for (j = 1000; j < 2000; ++j) {
        if (bloomery_ask_i64(filter, -j) != BLOOMERY_MAYBE) _exit(2);
      }
      for (j = 0; j < 100; ++j) keys[j] = 1000000 + j;
      if (bloomery_insert_many(filter, &of, NULL, NULL) != BLOOMERY_OK) _exit(3);
      if (bloomery_ask_i64(filter, 1000099) != BLOOMERY_MAYBE) _exit(4);
      copy = bloomery_copy(filter);
      if (copy == NULL || bloomery_merge(copy, filter) != BLOOMERY_OK) _exit(5);
      bloomery_close(copy);
      bloomery_close(filter);
      _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  }
  pthread_join(thread, NULL);
  CHECK(share.denied == 0);
  bloomery_close(filter);
}

#define CASE(name) \
  { #name, name }
static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {CASE(what_was_inserted_is_found),
             CASE(numbers_never_change),
             CASE(an_error_is_never_absent),
             CASE(a_failed_insert_denies_nothing_until_acknowledged),
             CASE(refusals_that_are_heeded_make_no_doubt_and_end_none),
             CASE(clearing_ends_no_doubt_that_came_meanwhile),
             CASE(a_doubt_holds_for_what_was_answered_before_an_error),
             CASE(keys_of_another_form_are_refused),
             CASE(an_unknown_form_is_asked_in_both),
             CASE(an_unknown_form_is_erased_in_either),
             CASE(answers_that_are_too_few_are_refused),
             CASE(what_the_system_said_has_its_number_and_file),
             CASE(a_filter_says_what_it_is),
             CASE(behind_a_fence_no_filter_without_a_watermark_denies),
             CASE(every_layout_means_the_same_keys),
             CASE(integers_may_lie_anywhere),
             CASE(hostile_sizes_are_refused),
             CASE(a_file_has_what_the_filter_had),
             CASE(what_is_closed_is_kept_but_not_by_a_child),
             CASE(processes_share_a_file),
             CASE(texts_are_hashed_as_told),
             CASE(other_systems_filters_are_filters),
             CASE(merging_unites_and_refuses_strangers),
             CASE(other_systems_filters_merge_by_how_their_keys_are_written),
             CASE(a_file_says_how_its_keys_are_written_also_an_empty_one),
             CASE(a_static_filter_is_built_of_all_its_keys),
             CASE(only_counting_filters_erase),
             CASE(an_erase_says_that_a_key_stays_for_ever),
             CASE(info_is_json_and_sizes_are_told),
             CASE(threads_lose_no_key),
             CASE(who_reads_all_of_it_holds_nobody_up_for_good),
             CASE(a_child_of_fork_goes_on)};

int main(int argc, char** argv) {
  size_t i, ran = 0;
  for (i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const int before = failures;
    if (argc > 1 && strcmp(argv[1], cases[i].name) != 0) continue;
    cases[i].run();
    printf("%s: %s\n", cases[i].name, failures == before ? "passed" : "FAILED");
    ++ran;
  }
  return failures != 0 || ran == 0;
}
