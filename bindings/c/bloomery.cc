// SPDX-License-Identifier: Apache-2.0
#include "bloomery/c/bloomery.h"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
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

// The calls on filters in memory, and on any that a handle has.
namespace bloomery::c {
namespace {

constexpr KeyForm kI64{.encoding = KeyEncoding::i64};
constexpr KeyForm kU64{.encoding = KeyEncoding::u64};

// A key as the caller gives it. It is called for its bytes in the filter's form; second() has the
// other ones that it may have there.
struct Spelled {
  const void* text;
  std::size_t size;
  Key operator()(const KeyForm& form, std::string& room) const {
    return key_of_text(form, text, size, room);
  }
  std::optional<Key> second(const KeyForm& form, std::string& room) const {
    return second_key(form, static_cast<const char*>(text), size, room);
  }
  bool is_spelt_elsewhere(const KeyForm& form) const {
    return c::is_spelt_elsewhere(form, static_cast<const char*>(text), size);
  }
  void require_one_spelling(const KeyForm& form) const {
    c::require_one_spelling(form, static_cast<const char*>(text), size);
  }
};
struct RawKey {
  const void* key;
  std::size_t size;
  Key operator()(const KeyForm& form, std::string&) const { return key_of_raw(form, key, size); }
  static std::optional<Key> second(const KeyForm&, std::string&) { return std::nullopt; }
  static bool is_spelt_elsewhere(const KeyForm&) { return false; }
  static void require_one_spelling(const KeyForm&) {}
};
template <class I>
struct IntegerKeyGiven {
  const I& key;
  Key operator()(const KeyForm& form, std::string& room) const {
    if constexpr (std::same_as<I, std::int64_t>) {
      return key_of_i64(form, key, room);
    } else {
      return key_of_u64(form, key, room);
    }
  }
  std::optional<Key> second(const KeyForm&, std::string& room) const {
    return room = std::to_string(key);
  }
  static bool is_spelt_elsewhere(const KeyForm&) { return false; }
  static void require_one_spelling(const KeyForm&) {}
};

int ask(const bloomery_filter* filter, const KeyForm& usual, const auto& key_in) noexcept {
  try {
    const bloomery_filter& of = need(filter);
    std::string room;
    const KeyForm form = of.form_to_ask(usual);
    int answer = of.held().ask(key_in(form, room));
    if (answer == BLOOMERY_ABSENT && has_seconds(form)) [[unlikely]] {
      if (key_in.is_spelt_elsewhere(form)) {
        answer = BLOOMERY_UNKNOWN;
      } else if (const auto second = key_in.second(form, room)) {
        answer = of.held().ask(*second);
      }
    }
    answer = of.trusted(answer);
    if (answer == BLOOMERY_UNKNOWN) [[unlikely]]
      remember(BLOOMERY_OK, "");
    return answer;
  } catch (...) {
    remember_exception();
    return BLOOMERY_UNKNOWN;
  }
}

int insert(bloomery_filter* filter, const KeyForm& usual, const auto& key_in) noexcept {
  try {
    bloomery_filter& into = need(filter);
    std::string room;
    // The key is read before an open filter takes its form, so that what is no key leaves it open.
    const KeyForm likely = into.form_to_ask(usual);
    Key key = key_in(likely, room);
    if (has_seconds(likely)) key_in.require_one_spelling(likely);
    if (const KeyForm form = into.form_to_insert(usual); form != likely) key = key_in(form, room);
    return into.held().insert(key);
  } catch (...) {
    const int status = remember_exception();
    const bool is_refused = status == BLOOMERY_BAD_ARGUMENT || status == BLOOMERY_WRONG_KEYS;
    if (filter != nullptr && !(is_refused && filter->heeds_refusals())) filter->doubt().add();
    return status;
  }
}

int insert_raw(bloomery_filter* filter, const RawKey& key) noexcept {
  // Keys of another size are no integer's; what is no key is refused where it is read.
  const bool is_eight = key.key != nullptr && key.size == sizeof(std::uint64_t);
  return insert(filter, is_eight ? usual_form_of_raw(key.key, key.size) : KeyForm{}, key);
}

// The key to erase from a filter of unknown form, where `first` may also have been inserted as
// `second`: that which is there. With both, erasing the wrong one would take other keys with it.
Key one_that_is_there(const bloomery_filter& filter, Key first, Key second) {
  if (filter.held().ask(second) == BLOOMERY_ABSENT) return first;
  if (filter.held().ask(first) == BLOOMERY_ABSENT) return second;
  throw WrongKeys(
      "this key seems to be there as a text and as an integer, and nobody has said how the "
      "filter's keys are written: say it where the filter is opened");
}

int try_erase(bloomery_filter* filter, const KeyForm& usual, const auto& key_in) noexcept {
  try {
    const bloomery_filter& from = need(filter);
    std::string room, other_room;
    const KeyForm form = from.form_to_ask(usual);
    Key key = key_in(form, room);
    if (!form.is_known()) {
      if (const auto second = key_in.second(form, other_room))
        key = one_that_is_there(from, key, *second);
    }
    const Erase found = from.held().erase(key);
    if (found == Erase::erased) return BLOOMERY_OK;
    if (found == Erase::saturated) return BLOOMERY_SATURATED;
    from.require_trust();  // its insert may be the one that failed
    return BLOOMERY_ABSENT;
  } catch (...) {
    return remember_exception();
  }
}

// A key that stays for ever was there.
int erased(int found) noexcept {
  return found == BLOOMERY_SATURATED ? BLOOMERY_OK : found;
}

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

int bloomery_ask(const bloomery_filter* filter, const void* text, size_t size) {
  return ask(filter, {}, Spelled{text, size});
}
int bloomery_ask_raw(const bloomery_filter* filter, const void* key, size_t size) {
  return ask(filter, {}, RawKey{key, size});
}
int bloomery_ask_i64(const bloomery_filter* filter, int64_t key) {
  return ask(filter, kI64, IntegerKeyGiven<std::int64_t>{key});
}
int bloomery_ask_u64(const bloomery_filter* filter, uint64_t key) {
  return ask(filter, kU64, IntegerKeyGiven<std::uint64_t>{key});
}

int bloomery_insert(bloomery_filter* filter, const void* text, size_t size) {
  return insert(filter, {}, Spelled{text, size});
}
int bloomery_insert_raw(bloomery_filter* filter, const void* key, size_t size) {
  return insert_raw(filter, RawKey{key, size});
}
int bloomery_insert_i64(bloomery_filter* filter, int64_t key) {
  return insert(filter, kI64, IntegerKeyGiven<std::int64_t>{key});
}
int bloomery_insert_u64(bloomery_filter* filter, uint64_t key) {
  return insert(filter, kU64, IntegerKeyGiven<std::uint64_t>{key});
}

int bloomery_try_erase(bloomery_filter* filter, const void* text, size_t size) {
  return try_erase(filter, {}, Spelled{text, size});
}
int bloomery_try_erase_raw(bloomery_filter* filter, const void* key, size_t size) {
  return try_erase(filter, {}, RawKey{key, size});
}
int bloomery_try_erase_i64(bloomery_filter* filter, int64_t key) {
  return try_erase(filter, kI64, IntegerKeyGiven<std::int64_t>{key});
}
int bloomery_try_erase_u64(bloomery_filter* filter, uint64_t key) {
  return try_erase(filter, kU64, IntegerKeyGiven<std::uint64_t>{key});
}
int bloomery_erase(bloomery_filter* filter, const void* text, size_t size) {
  return erased(bloomery_try_erase(filter, text, size));
}
int bloomery_erase_raw(bloomery_filter* filter, const void* key, size_t size) {
  return erased(bloomery_try_erase_raw(filter, key, size));
}
int bloomery_erase_i64(bloomery_filter* filter, int64_t key) {
  return erased(bloomery_try_erase_i64(filter, key));
}
int bloomery_erase_u64(bloomery_filter* filter, uint64_t key) {
  return erased(bloomery_try_erase_u64(filter, key));
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
