// SPDX-License-Identifier: Apache-2.0
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bindings/c/calls.h"
#include "bindings/c/failures.h"
#include "bindings/c/filter_handle.h"
#include "bindings/c/key_reader.h"
#include "bindings/c/last_error.h"
#include "bloomery/c/bloomery.h"

// The calls with one key: ask, insert, erase, each in the four ways to give a key.
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

}  // namespace
}  // namespace bloomery::c

using namespace bloomery::c;  // the calls are its outside

extern "C" {

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

}  // extern "C"
