// SPDX-License-Identifier: Apache-2.0
#pragma once

// The whole library, a line each. What stands here is the contract; other headers are installed
// where these need them, and may change with any version. Each header reads alone.
//
// Compile all files of a program that include these for the same processor (-march): of a function
// that several files have inline the linker keeps any one, which an older machine may not run.

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "bloomery needs C++20: compile with -std=c++20, or target_compile_features(... cxx_std_20)"
#endif
#if !defined(__cpp_exceptions)
#error "bloomery says what is wrong by exceptions: compile without -fno-exceptions"
#endif

#include "bloomery/errors.h"    // what the library throws
#include "bloomery/hash/key.h"  // what a key is: a text, an integer, bytes
#include "bloomery/version.h"   // BLOOMERY_VERSION, for #if

// Filters. Take the blocked one unless you know better.
#include "bloomery/filter/any_filter.h"           // a filter of any kind, known at run time
#include "bloomery/filter/blocked_filter.h"       // the fastest: one cache line a key
#include "bloomery/filter/bulk/build_parallel.h"  // a large one of all its keys, on every core
#include "bloomery/filter/bulk/bulk_builder.h"    // the same of keys that come in batches
#include "bloomery/filter/classic_filter.h"       // the fewest bits
#include "bloomery/filter/counting_filter.h"      // keys can be erased
#include "bloomery/filter/filter_kinds.h"         // kinds by name or number
#include "bloomery/filter/rates.h"                // how often a filter is wrong, predicted
#include "bloomery/filter/scalable_filter.h"      // grows with its keys
#include "bloomery/filter/sizing.h"               // how many bits a promise takes
#include "bloomery/filter/static_filter.h"        // built once, the smallest
#include "bloomery/filter/windowed_filter.h"      // forgets keys after a while

// Filters in files, and those of other systems.
#include "bloomery/format/format.h"        // every format by name: decode, create, encode
#include "bloomery/format/guava.h"         // Guava's, in Java
#include "bloomery/format/kinds.h"         // what the number of any kind means
#include "bloomery/format/redisson.h"      // Redisson's, in Java
#include "bloomery/store/file_location.h"  // FORMAT:FILE, as users write it
#include "bloomery/store/filter_editor.h"  // inserts into a file, locked and saved whole
#include "bloomery/store/mapped_filter.h"  // asks a file without reading it all
#include "bloomery/store/native_file.h"    // save and load
#include "bloomery/store/shared_filter.h"  // one for all processes of a machine

// Filters wherever they are, and keys from wherever they come. In functions of open/ and source/
// the linker finds nothing without the components redis and sql (docs/installing.md).
#include "bloomery/open/open_place.h"        // a place by its location: memory, file or server
#include "bloomery/place/filter_place.h"     // the seam: absent, maybe or unknown
#include "bloomery/place/followed_filter.h"  // what else a place can do that is kept in step
#include "bloomery/place/memory_place.h"     // a filter of this process, rebuilt while it answers
#include "bloomery/place/opened_filter.h"    // believed while it is the one that was opened
#include "bloomery/place/presence.h"         // the three answers
#include "bloomery/source/open_source.h"     // keys of a text or a database

// Filters that are kept in step with a table of a database, by the component follow.
#include "bloomery/follow/followed_place.h"  // a filter anywhere, made beside and put in one step
#include "bloomery/follow/follower.h"        // carries every change, and moves the watermark
#include "bloomery/source/open_changes.h"    // the table's changes, and how far it is

// Filters in front of a cache and a database; of cache/ by the component redis.
#include "bloomery/cache/redis_cache.h"      // a cache that processes share
#include "bloomery/cache/redis_lookaside.h"  // it and a filter on one server, in one trip
#include "bloomery/guard/cache_guard.h"      // asks filter, cache and database, in this order
#include "bloomery/guard/memory_cache.h"     // a cache of this process
#include "bloomery/place/coalesced_fence.h"  // how far the database is, for many threads
#include "bloomery/place/fenced_place.h"     // a filter that denies behind a fence only
#include "bloomery/place/local_copy.h"       // a copy here of a filter in a server

// Rows of a table by their keys, as the guard asks for them: components postgres and mariadb.
#include "bloomery/source/mariadb/mariadb_rows.h"
#include "bloomery/source/postgres/postgres_rows.h"
