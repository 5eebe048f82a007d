// SPDX-License-Identifier: Apache-2.0
// A process that is forked while its threads ask: the child has their locks and their questions as
// they were at that moment, and nobody there who goes on with them.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "bloomery/place/coalesced_fence.h"
#include "bloomery/place/fenced_place.h"
#include "bloomery/place/local_copy.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Watermark kEnd{{1, 1}, 10};

// Without a lock of its own, and slow enough that most threads are in it or wait for it.
class EmptyPlace final : public FilterPlace {
 public:
  std::string name() const override { return "an empty place"; }
  void ask(std::span<const Key>, std::span<Presence> answers, Proofs& proofs,
           const CallContext&) override {
    proofs.add({.filter = 1, .watermark = kEnd});
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    for (Presence& each : answers) each = Presence::absent;
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override {
    PlaceHead head;
    head.watermark = kEnd;
    return head;
  }
};

struct SlowSource final : FenceSource {
  Watermark ask(const CallContext&) override {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    return kEnd;
  }
};

// Exits with 0 where each child is answered in time.
int failures_of_children(FilterPlace& place, int count) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 7)));
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends one that waits for ever
      try {
        for (int question = 0; question < 3; ++question) {
          if (place.presence_of("out", CallContext::within(seconds(10))) != Presence::absent)
            _exit(1);
        }
        _exit(0);
      } catch (...) {
        _exit(2);
      }
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    failures += status == 0 ? 0 : 1;
  }
  return failures;
}

// The allocators of sanitizers have locks that a child finds held.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
TEST(FencesAfterAFork, AChildIsAnsweredWhateverItsParentsThreadsWereDoing) {
  for (const milliseconds budget : {milliseconds(0), milliseconds(4)}) {
    EmptyPlace place;
    CoalescedFence fence([] { return std::make_unique<SlowSource>(); });
    FencedPlace fenced(place, [&](const CallContext& context) { return fence.ask(context); },
                       {.budget = budget});
    std::atomic<bool> is_over = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i) {
      threads.emplace_back([&] {
        while (!is_over) EXPECT_EQ(fenced.presence_of("out"), Presence::absent);
      });
    }
    EXPECT_EQ(failures_of_children(fenced, 40), 0);
    is_over = true;
    for (std::thread& each : threads) each.join();
  }
}

TEST(FencesAfterAFork, AChildEndsWithACopyWhoseThreadItDoesNotHave) {
  EmptyPlace place;
  auto copy = std::make_unique<LocalCopy>(place);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool is_right = copy->presence_of("out") == Presence::absent;
    copy->insert("in");
    copy.reset();
    _exit(is_right ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
#endif

TEST(FencesAfterAFork, AChildBeginsWithQuestionsOfItsOwn) {
  EmptyPlace place;
  CoalescedFence fence([] { return std::make_unique<SlowSource>(); });
  FencedPlace fenced(place, [&](const CallContext& context) { return fence.ask(context); });
  EXPECT_EQ(fenced.presence_of("out"), Presence::absent);
  EXPECT_EQ(failures_of_children(fenced, 2), 0);
  EXPECT_EQ(fenced.presence_of("out"), Presence::absent);
}

}  // namespace
}  // namespace bloomery
