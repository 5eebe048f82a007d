// SPDX-License-Identifier: Apache-2.0
// A place of your own, to copy: whatever can tell that a key was never inserted may stand in front
// of a database. This one is exact, a std::unordered_set; yours may be a server. The steps are
// those of docs/contributing/add_a_place.md, as far as a program can go without changing the
// library.
#include <bloomery/bloomery.h>

#include <array>
#include <iostream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_set>

using namespace bloomery;

// Step 1: a class over FilterPlace, or over FollowedFilter where a follower is to keep it in step.
class SetPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a set"; }  // begins every message

  // Say `absent` only when you know: the set is whole from the start. A call that waits for others
  // gives up when context.is_over(), and whoever has no watermark knows nothing behind a fence. The
  // proofs say by which watermark a filter denies behind one; this place has none.
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs&,
           const CallContext& context = {}) override {
    require_room(keys, answers);
    const std::shared_lock lock(mutex_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys_.contains(std::string(keys[i]))) {
        answers[i] = Presence::maybe;
      } else if (context.fence == nullptr) {
        answers[i] = Presence::absent;
      }  // else `unknown`, as it came in
    }
  }

  // All keys are in when this returns, or it throws.
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted> outcomes,
                   const CallContext& = {}) override {
    require_room(keys, outcomes);
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool is_new = keys_.emplace(keys[i]).second;
      if (!outcomes.empty()) outcomes[i] = is_new ? Inserted::added : Inserted::present;
    }
  }

  PlaceHead head(const CallContext& = {}) override {
    const std::shared_lock lock(mutex_);
    return {.inserted = keys_.size()};
  }

  // Calls that SetPlace does not override (a watermark, rebuilding, destroying) are refused by
  // name.

 private:
  std::shared_mutex mutex_;
  std::unordered_set<std::string> keys_;
};

// Step 2: nothing here, as a program makes the place itself. In the library a word of locations
// and a branch of open_place() make every command take it.
//
// Step 3: a test. In the library the contract suite tests what every place promises.
//
// Step 4: when it says `absent`, and why that is true: the set has every key whose insert_many()
// returned, and loses none; so a key that is not in it was never inserted. In the library
// docs/soundness_cases.md says so.
int main() {
  SetPlace place;
  place.insert("alice");
  const std::array<Key, 2> keys{"alice", "bob"};
  std::array<Presence, 2> answers{};
  place.presence_of_many(keys, answers);
  const bool holds = answers == std::array{Presence::maybe, Presence::absent};
  std::cout << "A place of your own, a set that holds alice: of alice it says "
            << (answers[0] == Presence::maybe ? "\"maybe\"" : "something wrong") << ", of bob "
            << (answers[1] == Presence::absent ? "\"absent\"" : "something wrong") << ".\n";
  try {
    place.destroy();
  } catch (const std::invalid_argument& error) {
    std::cout << "A call that it does not override is refused by name, as it should be: \""
              << error.what() << "\".\n";
  }
  return holds ? 0 : 1;
}
