// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/memory_filter.h"

#include <array>
#include <concepts>
#include <cstring>
#include <span>
#include <utility>

#include "bindings/c/exclusion.h"
#include "bindings/c/filter_info.h"
#include "bindings/c/key_reader.h"
#include "bloomery/c/bloomery.h"
#include "bloomery/format/kinds.h"

namespace bloomery::c {
namespace {

// Fewer are inserted one by one, which need not wait for others to leave.
constexpr std::size_t kFewKeys = 16;

// numbers[i] is `yes` where flags[i] is true, else `no`: eight bytes at a time, as this is a good
// part of what a question costs.
void write_numbers(std::span<const bool> flags, std::uint8_t yes, std::uint8_t no,
                   std::uint8_t* numbers) noexcept {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t change = yes ^ no;  // a flag is 0 or 1, so no product leaves its byte
  std::size_t i = 0;
  for (; i + 8 <= flags.size(); i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, flags.data() + i, sizeof eight);
    eight = (eight * change) ^ (kOnes * no);
    std::memcpy(numbers + i, &eight, sizeof eight);
  }
  for (; i < flags.size(); ++i) numbers[i] = flags[i] ? yes : no;
}

class MemoryFilter final : public HeldFilter {
 public:
  MemoryFilter(AnyFilter filter, Known known) : filter_(std::move(filter)), known_(known) {
    filter_.take_keys_as_said();
  }

  int ask(Key key) override {
    return exclusion_.shared(
        [&] { return filter_.may_contain(key) ? BLOOMERY_MAYBE : BLOOMERY_ABSENT; });
  }

  int insert(Key key) override {
    return exclusion_.shared(
        [&] { return filter_.insert_concurrently(key) ? BLOOMERY_ADDED : BLOOMERY_PRESENT; });
  }

  // A filter in memory has no watermark: behind a fence it denies nothing.
  void ask_many(UnhashedBatch keys, std::uint8_t* answers, const CallContext& context) override {
    std::array<bool, kPiece> found;
    exclusion_.shared([&] {
      keys.visit(
          [&](auto span) { filter_.may_contain_many(span, std::span(found).first(span.size())); });
    });
    const std::uint8_t missing = context.fence == nullptr ? BLOOMERY_ABSENT : BLOOMERY_UNKNOWN;
    write_numbers(std::span(found).first(keys.size()), BLOOMERY_MAYBE, missing, answers);
  }

  std::size_t insert_many(UnhashedBatch keys, std::uint8_t* outcomes) override {
    std::array<bool, kPiece> was_new;
    std::size_t added = 0;
    const std::span flags = std::span(was_new).first(keys.size());
    if (keys.size() <= kFewKeys) {
      added = keys.visit([&](auto span) { return insert_each(span, flags); });
    } else {
      keys.visit([&](auto span) {
        exclusion_.alone([&] {
          added =
              outcomes == nullptr ? filter_.insert_many(span) : filter_.insert_many(span, flags);
        });
      });
    }
    if (outcomes != nullptr) write_numbers(flags, BLOOMERY_ADDED, BLOOMERY_PRESENT, outcomes);
    return added;
  }

  Erase erase(Key key) override {
    return exclusion_.alone([&] { return filter_.try_erase(key); });
  }

  SaidForm form() override {
    return exclusion_.shared([&]() -> SaidForm {
      // The form of another system's filter decides nothing: that system says how it writes its
      // keys.
      const bool is_ours = !is_foreign(filter_.parameters().kind);
      const bool says_form = known_ == Known::form;
      const bool is_known = filter_.keys().is_known();
      const bool is_open = is_ours && !says_form && !is_known && filter_.can_insert() &&
                           filter_.inserted() == 0 &&
                           (known_ == Known::is_empty || filter_.cardinality() == 0);
      return {.form = filter_.keys(),
              .is_binding = says_form || (is_ours && is_known),
              .is_open = is_open};
    });
  }

  void set_form(const KeyForm& form) override {
    exclusion_.alone([&] { filter_.set_keys(form); });
  }

  bool forget_form() override {
    if (is_foreign(parameters().kind)) return false;
    set_form(kUnknownForm);
    return true;
  }

  AnyFilter copy() override {
    return exclusion_.keep([&] { return copy_any(filter_.contents()); });
  }
  void look(const std::function<void(const AnyFilter&)>& see) override {
    exclusion_.keep([&] { see(filter_); });
  }
  void merge(FilterContents other) override {
    exclusion_.alone([&] {
      other.parameters.keys = filter_.keys();
      filter_.merge(other);
    });
  }
  void clear() override {
    exclusion_.alone([&] { filter_.clear(); });
  }
  void flush() override {}

  std::uint64_t inserted() override {
    return exclusion_.shared([&] { return filter_.inserted(); });
  }
  std::uint64_t capacity() override {
    return exclusion_.shared([&] { return filter_.capacity(); });
  }
  std::string info(const KeyForm& keys) override {
    return exclusion_.keep([&] { return filter_info(filter_, keys); });
  }
  FilterParameters parameters() override {
    return exclusion_.shared([&] { return filter_.parameters(); });
  }
  std::uint64_t memory_bytes() override {
    return exclusion_.keep([&] { return 8 * filter_.contents().word_count(); });
  }
  std::string place_name() override { return {}; }

 private:
  template <class T>
  std::size_t insert_each(std::span<const T> keys, std::span<bool> was_new) {
    std::size_t added = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      Key key;
      if constexpr (std::same_as<T, Key>) {
        key = keys[i];
      } else {
        key = as_key(keys[i]);
      }
      was_new[i] = insert(key) == BLOOMERY_ADDED;
      added += was_new[i] ? 1 : 0;
    }
    return added;
  }

  AnyFilter filter_;
  const Known known_;
  Exclusion exclusion_;
};

}  // namespace

std::unique_ptr<HeldFilter> hold_in_memory(AnyFilter filter, Known known) {
  return std::make_unique<MemoryFilter>(std::move(filter), known);
}

}  // namespace bloomery::c
