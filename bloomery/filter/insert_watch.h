// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "bloomery/filter/batch.h"
#include "bloomery/filter/key_watch.h"
#include "bloomery/filter/parameters.h"

namespace bloomery {

// Remembers, of a filter whose parameters say how its keys are written, that keys of another form
// came in. A text costs one test, an integer one store, which cannot be measured beside its insert
// (a test in its place cost 7 %). Const calls, look() and the calls "of many" may run together.
class InsertWatch {
 public:
  InsertWatch() = default;  // watches nothing, ever
  explicit InsertWatch(const FilterParameters& parameters) noexcept : is_on_(true) {
    say(parameters);
  }
  // Begins anew: the parameters say of all keys how they are written.
  void say(const FilterParameters& parameters) noexcept {
    watched_ = is_on_ ? watched_calls(parameters) : 0;
    has_integers_ = 0;
    has_others_ = 0;
  }

  [[gnu::always_inline]] void look(const KeyForm& said, Key key) noexcept {
    if ((watched_ & kInsertTexts) != 0) [[unlikely]]
      look_at(said, {&key, 1});
  }
  // look_at_integer: of a caller that is alone. look_at_integer_of_many: of one of many threads.
  [[gnu::always_inline]] void look_at_integer() noexcept { has_integers_ = 1; }
  void look_at_integer_of_many() noexcept {
    if ((watched_ & kInsertIntegers) != 0) [[unlikely]]
      note();
  }
  template <class Batch>
  void look_at_batch(const KeyForm& said, const Batch& batch) noexcept {
    if (watched_ == 0) [[likely]]
      return;
    batch.visit([&, this]<class T>(std::span<const T> keys) {
      if constexpr (std::same_as<T, Key>) {
        look_at(said, keys);
      } else if constexpr (std::same_as<T, std::uint64_t>) {
        if (!keys.empty()) look_at_integer();
      }
    });
  }

  // The form that the filter has by now.
  KeyForm form(const KeyForm& said) const noexcept {
    return has_others() && is_asked_of_unknown(said) ? kUnknownForm : said;
  }
  // Throws std::invalid_argument if the filter has keys that are asked for neither in the form that
  // it says nor where the form is unknown.
  void require_sayable(const KeyForm& said) const {
    if (has_others() && !is_asked_of_unknown(said)) refuse_other_keys(said);
  }

 private:
  void look_at(const KeyForm& said, std::span<const Key> keys) noexcept {
    if ((watched_ & kInsertTexts) == 0) return;
    for (const Key each : keys) {
      if (!is_key_of(said, each)) return note();
    }
  }
  void note() noexcept { std::atomic_ref(has_others_).store(1, std::memory_order_relaxed); }
  bool has_others() const noexcept {
    if (has_integers_ != 0 && (watched_ & kInsertIntegers) != 0) return true;
    return std::atomic_ref(const_cast<std::uint8_t&>(has_others_)).load(std::memory_order_relaxed);
  }

  bool is_on_ = false;
  std::uint8_t watched_ = 0;
  std::uint8_t has_integers_ = 0;
  std::uint8_t has_others_ = 0;
};

}  // namespace bloomery
