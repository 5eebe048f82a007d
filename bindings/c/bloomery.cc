// SPDX-License-Identifier: Apache-2.0
#include "bloomery/c/bloomery.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>

#include "bindings/c/calls.h"
#include "bindings/c/failures.h"
#include "bindings/c/filter_handle.h"
#include "bindings/c/insert_keys.h"
#include "bindings/c/key_reader.h"
#include "bindings/c/last_error.h"
#include "bindings/c/make_filter.h"
#include "bloomery/bits/per_process.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/version.h"

// The calls on filters in memory, and on any that a handle has, but those with one key.
namespace bloomery::c {
namespace {

void require_answers(const bloomery_keys& keys) {
  if (keys.answers_size == 0 || keys.answers_size >= keys.count) return;
  throw std::invalid_argument("keys: " + std::to_string(keys.count) + " keys have no answers in " +
                              std::to_string(keys.answers_size) + " bytes (answers_size)");
}

// `context_of()` is called once the answers are unknown, and may throw.
int ask_many(const bloomery_filter* filter, const bloomery_keys* keys, std::uint8_t* answers,
             const auto& context_of) noexcept {
  return status_of([&] {
    const bloomery_keys of = read_struct(keys, "keys");
    if (of.count != 0) {
      require_answers(of);
      std::memset(&need(answers, "answers"), BLOOMERY_UNKNOWN, of.count);
    }
    const bloomery::CallContext& context = context_of();
    if (of.count != 0) ask_keys(need(filter), of, answers, context);
  });
}

Watermark read_fence(const char* source, std::uint64_t position) {
  const auto identity = read_identity(need_text(source, "source"));
  if (identity && identity->is_set()) return {*identity, position};
  throw std::invalid_argument(
      "source names no database: the 32 hexadecimal digits that GET /fence answers, not all of "
      "them 0");
}

// One at a time, or two that merge each other would wait for each other. A child has its own.
std::mutex& merging() {
  static PerProcess<std::mutex>& one = *new PerProcess<std::mutex>;
  return one.get();
}

void merge(bloomery_filter& into, const bloomery_filter* other) {
  if (&into == other) return;
  try {
    const bloomery_filter& from = need(other);
    const std::lock_guard lock(merging());
    into.merge(from);
  } catch (...) {
    into.doubt().add();
    throw;
  }
}

std::size_t write_bytes(const bloomery_filter& filter, std::byte* bytes, std::size_t room) {
  std::size_t needed = 0;
  filter.look([&](const FilterContents& contents) {
    const NativeHead head(contents, {});
    needed = head.layout.file_bytes;
    if (needed > room) return;
    write_native(head, contents, [&](std::span<const std::byte> piece) {
      bytes = std::ranges::copy(piece, bytes).out;
    });
  });
  return needed;
}

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;  // the calls are its outside

extern "C" {

const char* bloomery_version(void) {
#define BLOOMERY_TEXT_OF(number) #number
#define BLOOMERY_TEXT(number) BLOOMERY_TEXT_OF(number)
  return BLOOMERY_TEXT(BLOOMERY_VERSION_MAJOR) "." BLOOMERY_TEXT(
      BLOOMERY_VERSION_MINOR) "." BLOOMERY_TEXT(BLOOMERY_VERSION_PATCH);
}

bloomery_filter* bloomery_make(const bloomery_options* options) {
  return handle([&] { return make_handle(read_struct(options, "options")); });
}

bloomery_filter* bloomery_build(const bloomery_options* options, const bloomery_keys* keys) {
  return handle(
      [&] { return build_handle(read_struct(options, "options"), read_struct(keys, "keys")); });
}

bloomery_filter* bloomery_copy(const bloomery_filter* filter) {
  return handle([&] { return copy_handle(need(filter)); });
}

bloomery_filter* bloomery_from_bytes(const void* bytes, size_t size) {
  return handle([&] { return handle_from_bytes(bytes, size); });
}

void bloomery_close(bloomery_filter* filter) {
  if (filter != nullptr && filter->trusted(BLOOMERY_ABSENT) == BLOOMERY_ABSENT) {
    filter->held().finish();
  }
  delete filter;
}

int bloomery_ask_many(const bloomery_filter* filter, const bloomery_keys* keys, uint8_t* answers) {
  return ask_many(filter, keys, answers, [] { return bloomery::CallContext(); });
}
int bloomery_ask_many_within(const bloomery_filter* filter, const bloomery_keys* keys,
                             uint32_t milliseconds, uint8_t* answers) {
  return ask_many(filter, keys, answers, [&] {
    return bloomery::CallContext::within(std::chrono::milliseconds(milliseconds));
  });
}
int bloomery_ask_many_behind(const bloomery_filter* filter, const bloomery_keys* keys,
                             const char* source, uint64_t position, uint32_t milliseconds,
                             uint8_t* answers) {
  bloomery::Fence fence;
  return ask_many(filter, keys, answers, [&] {
    fence.at_least = read_fence(source, position);
    bloomery::CallContext context;
    if (milliseconds != UINT32_MAX) {
      context = bloomery::CallContext::within(std::chrono::milliseconds(milliseconds));
    }
    context.fence = &fence;
    return context;
  });
}

int bloomery_insert_many(bloomery_filter* filter, const bloomery_keys* keys, uint8_t* outcomes,
                         size_t* added) {
  if (added != nullptr) *added = 0;
  return status_of([&] {
    bloomery_filter& into = need(filter);
    try {
      const bloomery_keys given = read_struct(keys, "keys");
      if (outcomes != nullptr) require_answers(given);
      const std::size_t count = insert_keys(into, given, outcomes);
      if (added != nullptr) *added = count;
    } catch (...) {
      into.doubt().add();
      throw;
    }
  });
}

int bloomery_merge(bloomery_filter* into, const bloomery_filter* other) {
  return status_of([&] { merge(need(into), other); });
}

int bloomery_clear(bloomery_filter* filter) {
  return status_of([&] {
    const std::uint64_t seen = need(filter).doubt().seen();
    filter->held().clear();
    filter->doubt().end(seen);
  });
}

int bloomery_acknowledge(bloomery_filter* filter) {
  return status_of([&] {
    Doubt& doubt = need(filter).doubt();
    doubt.end(doubt.seen());
  });
}

int bloomery_doubt(bloomery_filter* filter) {
  return status_of([&] { need(filter).doubt().add(); });
}

int bloomery_heed_refusals(bloomery_filter* filter) {
  return status_of([&] { need(filter).heed_refusals(); });
}

int bloomery_flush(bloomery_filter* filter) {
  return status_of([&] {
    need(filter).require_trust();
    filter->held().flush();
  });
}

int bloomery_to_bytes(const bloomery_filter* filter, void* bytes, size_t size, size_t* needed) {
  return status_of([&] {
    const std::size_t room = bytes == nullptr ? 0 : size;
    const std::size_t count = write_bytes(need(filter), static_cast<std::byte*>(bytes), room);
    if (needed != nullptr) *needed = count;
    if (count > room) {
      throw std::invalid_argument("bytes: " + std::to_string(count) +
                                  " are needed, and there are " + std::to_string(room));
    }
  });
}

char* bloomery_info(const bloomery_filter* filter) {
  return result_of<char*>(nullptr, [&] { return malloc_text(need(filter).info()); });
}

void bloomery_free(char* text) {
  std::free(text);
}

const char* bloomery_key_form(const bloomery_filter* filter) {
  return result_of<const char*>(nullptr, [&] { return need(filter).form_text(); });
}

uint64_t bloomery_inserted(const bloomery_filter* filter) {
  return result_of(std::numeric_limits<uint64_t>::max(),
                   [&] { return need(filter).held().inserted(); });
}

uint64_t bloomery_capacity(const bloomery_filter* filter) {
  return result_of(std::numeric_limits<uint64_t>::max(),
                   [&] { return need(filter).held().capacity(); });
}

int bloomery_size_of(const bloomery_options* options, bloomery_size* size) {
  return status_of([&] {
    bloomery_size known = read_struct(size, "size");
    size_of(read_struct(options, "options"), known);
    size->bit_count = known.bit_count;
    size->probe_count = known.probe_count;
    size->lines_per_key = known.lines_per_key;
  });
}

}  // extern "C"
