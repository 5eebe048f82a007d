// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/fenced_place.h"

namespace bloomery {

inline const Identity kHere{1, 1};
inline const Identity kElsewhere{2, 2};

// Says of itself what a test wants.
class PlayedPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a played place"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    questions += keys.empty() ? 0 : 1;
    fenced_questions += context.fence != nullptr ? 1 : 0;
    const std::lock_guard lock(mutex_);
    proofs.add({.filter = 1, .watermark = head_.watermark});
    const bool may_deny = context.fence == nullptr ||
                          (head_.watermark && head_.watermark->reaches(context.fence->at_least));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i] = members_.contains(std::string(keys[i]))         ? Presence::maybe
                   : may_deny && head_.no_absent == NoAbsent::none ? Presence::absent
                                                                   : Presence::unknown;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted>, const CallContext&) override {
    const std::lock_guard lock(mutex_);
    for (const Key key : keys) members_.emplace(key);
  }
  PlaceHead head(const CallContext&) override {
    const std::lock_guard lock(mutex_);
    return head_;
  }
  void set(std::optional<Watermark> watermark, NoAbsent no_absent = NoAbsent::none) {
    const std::lock_guard lock(mutex_);
    head_.watermark = watermark;
    head_.no_absent = no_absent;
  }

  std::atomic<int> questions = 0;
  std::atomic<int> fenced_questions = 0;

 private:
  std::mutex mutex_;
  PlaceHead head_;
  std::set<std::string> members_;
};

// A place at 10 with the key "in", before a database at 10.
struct Setting {
  explicit Setting(const FencedOptions& options = {.longest_wait = std::chrono::milliseconds(0)})
      : fenced(
            place,
            [this](const CallContext&) {
              ++asked;
              if (fails) throw StoreError("the database is away");
              return Fence{{is_elsewhere ? kElsewhere : kHere, end}};
            },
            options) {
    place.set(Watermark{kHere, 10});
    place.insert("in");
  }

  std::vector<Presence> ask(std::vector<Key> keys, const CallContext& context = {}) {
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    fenced.presence_of_many(keys, answers, context);
    return answers;
  }

  PlayedPlace place;
  std::atomic<std::uint64_t> end = 10;
  std::atomic<bool> is_elsewhere = false;
  std::atomic<bool> fails = false;
  std::atomic<int> asked = 0;
  FencedPlace fenced;
};

}  // namespace bloomery
