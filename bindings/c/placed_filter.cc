// SPDX-License-Identifier: Apache-2.0
#include "bindings/c/placed_filter.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/c/failures.h"
#include "bindings/c/filter_info.h"
#include "bindings/c/key_reader.h"
#include "bloomery/c/bloomery.h"
#include "bloomery/errors.h"
#include "bloomery/os/own_process.h"

namespace bloomery::c {
namespace {

int number_of(Presence presence) noexcept {
  switch (presence) {
    case Presence::absent:
      return BLOOMERY_ABSENT;
    case Presence::maybe:
      return BLOOMERY_MAYBE;
    case Presence::unknown:
      break;
  }
  return BLOOMERY_UNKNOWN;
}

int number_of(Inserted outcome) noexcept {
  switch (outcome) {
    case Inserted::added:
      return BLOOMERY_ADDED;
    case Inserted::present:
      return BLOOMERY_PRESENT;
    case Inserted::unknown:
      break;
  }
  return BLOOMERY_TAKEN;
}

// Places take keys as bytes alone.
template <class Call>
void with_views(UnhashedBatch keys, Call call) {
  keys.visit([&]<class T>(std::span<const T> span) {
    if constexpr (std::same_as<T, Key>) {
      call(span);
    } else {
      std::vector<Key> views(span.size());
      std::ranges::transform(span, views.begin(),
                             [](const std::uint64_t& each) { return as_key(each); });
      call(std::span<const Key>(views));
    }
  });
}

class PlacedFilter final : public HeldFilter {
 public:
  PlacedFilter(std::unique_ptr<FilterPlace> place, const PlaceFacts& facts)
      : place_(std::move(place)), facts_(facts) {}

  int ask(Key key) override { return number_of(place_->presence_of(key)); }

  int insert(Key key) override {
    require_ours();
    Inserted outcome = Inserted::unknown;
    place_->insert_many({&key, 1}, {&outcome, 1});
    return number_of(outcome);
  }

  void ask_many(UnhashedBatch keys, std::uint8_t* answers, const CallContext& context) override {
    std::array<Presence, kPiece> found;
    const std::span some = std::span(found).first(keys.size());
    std::ranges::fill(some, Presence::unknown);
    const Filled filled{some, answers};
    with_views(keys,
               [&](std::span<const Key> views) { place_->presence_of_many(views, some, context); });
  }

  std::size_t insert_many(UnhashedBatch keys, std::uint8_t* outcomes) override {
    std::array<Inserted, kPiece> became;
    const std::span some = std::span(became).first(keys.size());
    std::ranges::fill(some, Inserted::unknown);
    require_ours();
    with_views(keys, [&](std::span<const Key> views) { place_->insert_many(views, some); });
    for (std::size_t i = 0; outcomes != nullptr && i < some.size(); ++i) {
      outcomes[i] = static_cast<std::uint8_t>(number_of(some[i]));
    }
    return static_cast<std::size_t>(std::ranges::count(some, Inserted::added));
  }

  SaidForm form() override {
    const PlaceHead head = place_->head();
    const bool says = facts_.says_form || !is_foreign(head.parameters.kind);
    says_form_.store(says && head.parameters.keys.is_known(), std::memory_order_relaxed);
    // An empty filter goes on saying its form, too.
    return {.form = head.parameters.keys, .is_binding = says};
  }

  bool forget_form() override {
    if (!says_form_.load(std::memory_order_relaxed)) return false;
    throw WrongKeys(
        "the filter's keys are text, and eight bytes that are no text may be those of an integer, "
        "which it would call absent; " +
        place_->name() + " cannot say that it holds both");
  }

  // Copies the filter that answers, not the one at the location: another may be there by now, and
  // what was inserted may be there only after flush().
  AnyFilter copy() override { return place_->copy(); }
  void look(const std::function<void(const AnyFilter&)>& see) override { see(copy()); }
  void flush() override {
    require_ours();
    place_->flush({});
  }
  void finish() noexcept override {
    try {
      if (facts_.writes_file && process_ == process_number()) place_->flush({});
    } catch (...) {  // who wants to know calls flush()
    }
  }
  std::uint64_t inserted() override { return place_->head().inserted; }
  std::uint64_t capacity() override { return place_->head().parameters.capacity; }
  std::string info(const KeyForm& keys) override {
    PlaceHead head = place_->head();
    head.parameters.keys = keys;
    return place_info(place_->name(), head);
  }
  FilterParameters parameters() override { return place_->head().parameters; }
  std::uint64_t memory_bytes() override { return 0; }
  std::string place_name() override { return place_->name(); }

  Erase erase(Key) override { refuse("erases no keys"); }
  void merge(FilterContents other) override {
    require_ours();
    other.parameters.keys = place_->head().parameters.keys;
    place_->merge(other);
  }
  void clear() override { refuse("is not cleared"); }
  void set_form(const KeyForm&) override { refuse("has its form"); }

 private:
  // Filled hands the answers over when it goes: those that came before an exception are true, too.
  struct Filled {
    std::span<const Presence> found;
    std::uint8_t* answers;
    ~Filled() {
      for (std::size_t i = 0; i < found.size(); ++i) {
        answers[i] = static_cast<std::uint8_t>(number_of(found[i]));
      }
    }
  };

  // A file that was read whole would be written back without what the parent has inserted since.
  void require_ours() const {
    if (!facts_.writes_file || process_ == process_number()) return;
    throw StoreError(place_->name() +
                     " was opened for writing by the process that this one was forked from");
  }

  [[noreturn]] void refuse(const char* what) const {
    throw std::invalid_argument(place_->name() + ": where it lives, it " + what +
                                "; load it into memory, and save that");
  }

  const std::unique_ptr<FilterPlace> place_;
  const PlaceFacts facts_;
  std::atomic<bool> says_form_ = false;
  const std::uint64_t process_ = process_number();
};

}  // namespace

std::unique_ptr<HeldFilter> hold_place(std::unique_ptr<FilterPlace> place,
                                       const PlaceFacts& facts) {
  return std::make_unique<PlacedFilter>(std::move(place), facts);
}

}  // namespace bloomery::c
