// SPDX-License-Identifier: Apache-2.0
#ifndef BLOOMERY_C_BLOOMERY_H
#define BLOOMERY_C_BLOOMERY_H

/* Bloom filters for C, and for whatever calls C: the same filters, files and bits as the C++
   library and the command have. libbloomery.so.0 shows these functions and nothing else; they stay
   as they are for as long as it is called so.

   Answers are BLOOMERY_ABSENT, _MAYBE and _UNKNOWN, none of which is 0: only the comparison
   `answer == BLOOMERY_ABSENT` denies a key, and neither an error nor memory that nobody wrote to
   ever is that. A call that cannot know answers BLOOMERY_UNKNOWN.

   An insert that failed leaves a key out. For who does not look at its status, the filter answers
   BLOOMERY_UNKNOWN in place of BLOOMERY_ABSENT from then on, and is not saved, until
   bloomery_acknowledge() or bloomery_clear().

   Any calls on a filter may run together, in any threads, but for bloomery_close(). A child of
   fork() may go on with what its parent had open, but not write to its files unless they are
   BLOOMERY_SHARED. No call throws, ends
   the program, or prints. Texts are UTF-8, ended by 0; pointers stay the caller's. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BLOOMERY_LOOK_AT __attribute__((warn_unused_result))
#else
#define BLOOMERY_LOOK_AT
#endif

typedef struct bloomery_filter bloomery_filter;

/* What became of a call. */
enum {
  BLOOMERY_OK = 0,
  BLOOMERY_BAD_ARGUMENT = -1, /* what the message says is not allowed, or cannot be done here */
  BLOOMERY_WRONG_KEYS = -2,   /* keys of another form than the filter's: they would be denied */
  BLOOMERY_BAD_FORMAT = -3,   /* bytes that are no filter, or damaged */
  BLOOMERY_INCOMPATIBLE = -4, /* filters that do not merge */
  BLOOMERY_STORE_FAILED = -5, /* a file, a disk, a lock, a server */
  BLOOMERY_NO_MEMORY = -6,
  BLOOMERY_IN_DOUBT = -7, /* an insert failed before, and nobody acknowledged it */
  BLOOMERY_FAILED = -8,   /* anything else */
  BLOOMERY_TOO_LATE = -9  /* the time that the caller gave was over first */
};

/* What a filter says about a key. */
enum {
  BLOOMERY_MAYBE = 1,
  BLOOMERY_UNKNOWN = 2, /* nobody can say: ask the database */
  BLOOMERY_ABSENT = 3   /* never inserted */
};

/* What became of a key that was inserted: it is in, whichever of them it is. */
enum {
  BLOOMERY_ADDED = 4,
  BLOOMERY_PRESENT = 5, /* it seemed to be there */
  BLOOMERY_TAKEN = 6    /* and the place does not say whether it was new */
};

/* What bloomery_try_erase() found: BLOOMERY_OK, BLOOMERY_ABSENT, or more inserts of the key than
   the filter counts, which are 15: the key stays for ever. */
enum { BLOOMERY_SATURATED = 7 };

/* Of the last call of this thread that failed, or answered BLOOMERY_UNKNOWN: BLOOMERY_OK where the
   filter itself did not know. The message is valid until the next of them. */
int bloomery_status(void);
const char* bloomery_message(void);
/* Of the same call, where it was the system that failed: its number, as errno has it, else 0; and
   the path of the file, else "". */
int bloomery_error_number(void);
const char* bloomery_error_path(void);

/* "0.1.0" */
const char* bloomery_version(void);

/* ---- Filters ---- */

/* Begin with BLOOMERY_OPTIONS; 0 and NULL mean what stands behind. */
typedef struct bloomery_options {
  size_t struct_size;
  const char* kind;   /* "blocked"; also classic, counting, scalable, windowed, static, ... */
  uint64_t capacity;  /* in keys; at least 1 */
  double rate;        /* of false positives at capacity; 0.01 */
  uint64_t seed;      /* 0; filters merge only when their seeds agree */
  int secret;         /* not 0: hashed under a key of the kernel's, for keys chosen by strangers */
  const char* keys;   /* "text", "i64", ... as the command's --as; NULL: as those inserted first */
  double expansion;   /* of a scalable filter; 2 */
  double tightening;  /* of a scalable filter; 0.85 */
  uint64_t window_ms; /* of a windowed filter; 0: the last `capacity` inserts */
  uint32_t generations; /* of a windowed filter; 4 */
  const char* format;   /* "guava", ...: a filter of another system, whose kind it says */
  const char* settings; /* of that format: "name=value&name=value" */
  const char* hash; /* "product"; "fold", of blocked filters, faster for one integer a call; "aes",
                       which processors with VAES do faster and those without AES much slower; or
                       "xxh3" of earlier versions */
} bloomery_options;
#define BLOOMERY_OPTIONS \
  { sizeof(bloomery_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* An empty filter in memory. NULL where it failed. */
bloomery_filter* bloomery_make(const bloomery_options* options) BLOOMERY_LOOK_AT;

/* For bloomery_open(). */
enum {
  BLOOMERY_READ = 0,
  BLOOMERY_WRITE = 1,
  BLOOMERY_FORGETTING = 2, /* also filters whose keys go again, whose "absent" means "not now" */
  BLOOMERY_WHOLE = 4,      /* a file of ours is read and checked whole, and not mapped */
  BLOOMERY_SHARED = 8 /* any number of processes of this machine insert into the file and ask it
                         at once, children of fork() too; the last to close it seals it */
};

/* What a location names, where it lives: a file (mapped, where it is one of ours) or a server, as
   every command of `bloomery` takes it. `keys`: how its keys are written, where it cannot say so
   itself; NULL: as usual there. Inserts are there to stay after bloomery_flush(). */
bloomery_filter* bloomery_open(const char* location, int flags, const char* keys) BLOOMERY_LOOK_AT;

/* The same whole in memory, on its own from then on. */
bloomery_filter* bloomery_load(const char* location, const char* keys) BLOOMERY_LOOK_AT;

/* Makes a file of ours whole that its writer did not close, as it died or the machine stopped: with
   the keys whose bits came to the disk. What was inserted after the last bloomery_flush() may be
   missing: insert it again. Does nothing to a file that was closed. */
int bloomery_recover(const char* path) BLOOMERY_LOOK_AT;

/* Another one with the same keys, in memory. */
bloomery_filter* bloomery_copy(const bloomery_filter* filter) BLOOMERY_LOOK_AT;

/* No call on it is under way, and none follows. NULL is allowed. What was inserted into a file is
   flushed, as far as that can be done: bloomery_flush() first says whether it can. A filter in
   doubt is not. */
void bloomery_close(bloomery_filter* filter);

/* ---- One key ----
   Of one as people write it the filter's form makes bytes, as the command does: "42" is the integer
   42 for a filter of i64 and two characters for one of text. Integers are refused by a filter of
   texts, and raw bytes by one of integers. */
int bloomery_ask(const bloomery_filter* filter, const void* text, size_t size) BLOOMERY_LOOK_AT;
int bloomery_ask_raw(const bloomery_filter* filter, const void* key, size_t size) BLOOMERY_LOOK_AT;
int bloomery_ask_i64(const bloomery_filter* filter, int64_t key) BLOOMERY_LOOK_AT;
int bloomery_ask_u64(const bloomery_filter* filter, uint64_t key) BLOOMERY_LOOK_AT;

/* BLOOMERY_ADDED, _PRESENT or _TAKEN, or a status below 0. */
int bloomery_insert(bloomery_filter* filter, const void* text, size_t size);
int bloomery_insert_raw(bloomery_filter* filter, const void* key, size_t size);
int bloomery_insert_i64(bloomery_filter* filter, int64_t key);
int bloomery_insert_u64(bloomery_filter* filter, uint64_t key);

/* Of a counting filter, and only what was inserted: BLOOMERY_OK, BLOOMERY_ABSENT where it is not
   there, or a status below 0: BLOOMERY_IN_DOUBT where it is not, and an insert failed before. Where
   the filter does not know how its keys were written, the text or the integer goes, whichever is
   there: BLOOMERY_WRONG_KEYS where both seem to be. A key that stays for ever, as it was inserted
   15 times more than it was erased, is BLOOMERY_OK, too: bloomery_try_erase() tells them apart. */
int bloomery_erase(bloomery_filter* filter, const void* text, size_t size);
int bloomery_erase_raw(bloomery_filter* filter, const void* key, size_t size);
int bloomery_erase_i64(bloomery_filter* filter, int64_t key);
int bloomery_erase_u64(bloomery_filter* filter, uint64_t key);
/* Erase as these do, and answer BLOOMERY_SATURATED for a key that stays. */
int bloomery_try_erase(bloomery_filter* filter, const void* text, size_t size);
int bloomery_try_erase_raw(bloomery_filter* filter, const void* key, size_t size);
int bloomery_try_erase_i64(bloomery_filter* filter, int64_t key);
int bloomery_try_erase_u64(bloomery_filter* filter, uint64_t key);

/* ---- Many keys ---- */

/* How they lie in memory. */
enum {
  BLOOMERY_OFFSETS32 = 1, /* key i is data[offsets[i]] to before data[offsets[i + 1]]; `offsets` are
                             count + 1 of int32_t, as Arrow's String and Binary have them */
  BLOOMERY_OFFSETS64 = 2, /* the same, of int64_t: LargeString, LargeBinary */
  BLOOMERY_FIXED = 3,     /* `width` bytes each */
  BLOOMERY_PADDED = 4,    /* the same, without the zeros at a key's end */
  BLOOMERY_POINTERS = 5,  /* `data` are count pointers, and `offsets` as many sizes (size_t) */
  BLOOMERY_I64 = 6,       /* integers, in the machine's order, aligned or not */
  BLOOMERY_U64 = 7
};
typedef struct bloomery_keys {
  size_t struct_size;
  int layout;
  int raw; /* not 0: as bloomery_ask_raw() has it; else as people write them */
  size_t count;
  const void* data;
  size_t data_size; /* in bytes: nothing beyond is read */
  const void* offsets;
  size_t width;
  size_t answers_size; /* the bytes of the caller's answers or outcomes: fewer than count are
                          refused, and none is written; 0: there are count, and nobody checks it */
} bloomery_keys;
#define BLOOMERY_KEYS \
  { sizeof(bloomery_keys), 0, 0, 0, 0, 0, 0, 0, 0 }

/* answers[i], of keys->count bytes, is about key i: BLOOMERY_ABSENT, _MAYBE or _UNKNOWN, all of
   which are UNKNOWN before anything else is done. On an error those that are not are true. */
int bloomery_ask_many(const bloomery_filter* filter, const bloomery_keys* keys,
                      uint8_t* answers) BLOOMERY_LOOK_AT;

/* The same, but where the filter lives in a server, the call gives up once so many milliseconds are
   over: BLOOMERY_TOO_LATE. 0: what needs the server is not asked. */
int bloomery_ask_many_within(const bloomery_filter* filter, const bloomery_keys* keys,
                             uint32_t milliseconds, uint8_t* answers) BLOOMERY_LOOK_AT;

/* The same behind a fence: a key is BLOOMERY_ABSENT only where the filter's watermark has come to
   `position` of `source` (32 hexadecimal digits), and BLOOMERY_UNKNOWN where it has not, or where
   there is none. Both are what GET /fence of `bloomery follow --metrics` answers to a request that
   the caller sends after his question began: then no row that he could have seen is denied. A
   source that is no such digits, or zeros, is refused, also without keys.
   UINT32_MAX milliseconds: as long as it takes. */
int bloomery_ask_many_behind(const bloomery_filter* filter, const bloomery_keys* keys,
                             const char* source, uint64_t position, uint32_t milliseconds,
                             uint8_t* answers) BLOOMERY_LOOK_AT;

/* outcomes (keys->count bytes; NULL: not wanted) become BLOOMERY_ADDED, _PRESENT or _TAKEN, and
   *added (or NULL) the number of those added. On an error any part of the keys may be in; keys that
   cannot be read are found before the first is inserted. */
int bloomery_insert_many(bloomery_filter* filter, const bloomery_keys* keys, uint8_t* outcomes,
                         size_t* added);

/* A filter of all these keys, the only way to a static one. options->capacity may be 0: as many as
   there are. */
bloomery_filter* bloomery_build(const bloomery_options* options,
                                const bloomery_keys* keys) BLOOMERY_LOOK_AT;

/* ---- Whole filters ---- */

/* `into` then holds the keys of both. In memory, or BLOOMERY_SHARED. */
int bloomery_merge(bloomery_filter* into, const bloomery_filter* other) BLOOMERY_LOOK_AT;
int bloomery_clear(bloomery_filter* filter);
int bloomery_acknowledge(bloomery_filter* filter);

/* For who makes another language's filters of these. As after an insert that failed: keys that were
   to be inserted never came here. */
int bloomery_doubt(bloomery_filter* filter);
/* The caller raises every status below 0. From then on a single key that is refused with
   BLOOMERY_BAD_ARGUMENT or _WRONG_KEYS leaves no doubt; all else that fails does. */
int bloomery_heed_refusals(bloomery_filter* filter);

/* Returns when what was inserted into a file or server is there to stay, as far as that keeps it.
 */
int bloomery_flush(bloomery_filter* filter) BLOOMERY_LOOK_AT;

/* Puts a file there in one step, on the disk when it returns, or a filter into a server.
   `must_be_new`: fails where one is. */
int bloomery_save(const bloomery_filter* filter, const char* location,
                  int must_be_new) BLOOMERY_LOOK_AT;

/* The bytes of a file of ours. Writes them if `size` is enough, and how many they are in any case;
   BLOOMERY_BAD_ARGUMENT where it is not. */
int bloomery_to_bytes(const bloomery_filter* filter, void* bytes, size_t size,
                      size_t* needed) BLOOMERY_LOOK_AT;
bloomery_filter* bloomery_from_bytes(const void* bytes, size_t size) BLOOMERY_LOOK_AT;

/* ---- What a filter is ---- */

/* A JSON object, with the names that `bloomery info --json` has. For bloomery_free(). NULL where
   it failed. */
char* bloomery_info(const bloomery_filter* filter) BLOOMERY_LOOK_AT;
void bloomery_free(char* text);

/* How its keys are written, as bloomery_options.keys, until the filter is closed; "" while a new
   filter waits for its first key. NULL where it failed. */
const char* bloomery_key_form(const bloomery_filter* filter);

/* Keys that were new when they were inserted: at most the distinct ones. After a merge it is an
   estimate from the bits, which may be a little more. UINT64_MAX where it failed. */
uint64_t bloomery_inserted(const bloomery_filter* filter);
uint64_t bloomery_capacity(const bloomery_filter* filter);

/* Whether it holds more keys than its capacity, so that more answers are wrongly "maybe" than its
   rate says: 1 or 0, or a status below 0. Filters that grow or forget never do. */
int bloomery_overfilled(const bloomery_filter* filter);
/* Whether an insert failed that nobody acknowledged: 1 or 0, or a status below 0. */
int bloomery_in_doubt(const bloomery_filter* filter);
/* Whether both give the same answers to all keys, as they have the same kind, size, hash, form of
   keys and bits: 1 or 0, or a status below 0. Copies `b` meanwhile. */
int bloomery_equal(const bloomery_filter* a, const bloomery_filter* b) BLOOMERY_LOOK_AT;
/* The bytes of its bits in this process's own memory: 0 where a file or server has them. UINT64_MAX
   where it failed. */
uint64_t bloomery_memory(const bloomery_filter* filter);
/* Where it was opened, without passwords; "" in memory. For bloomery_free(). NULL where it failed.
 */
char* bloomery_place(const bloomery_filter* filter) BLOOMERY_LOOK_AT;

/* What bloomery_make() would take for these options. */
typedef struct bloomery_size {
  size_t struct_size;
  uint64_t bit_count;
  uint32_t probe_count;
  uint32_t lines_per_key; /* 64-byte lines that a key touches; 0: anywhere */
} bloomery_size;
#define BLOOMERY_SIZE \
  { sizeof(bloomery_size), 0, 0, 0 }
int bloomery_size_of(const bloomery_options* options, bloomery_size* size) BLOOMERY_LOOK_AT;

#ifdef __cplusplus
}
#endif

#endif
