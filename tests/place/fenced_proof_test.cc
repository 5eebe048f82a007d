// SPDX-License-Identifier: Apache-2.0
// A denial is judged by what it rests on: the parts of its keys, and the filters that were known
// before its fence was asked.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "bloomery/place/fence_source.h"
#include "tests/place/played_place.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;

// Empty, in two parts: that of keys that begin with "a", and that of the others.
class PartsPlace final : public FilterPlace {
 public:
  std::string name() const override { return "a place of parts"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext& context) override {
    const std::lock_guard lock(mutex_);
    looks += keys.empty() ? 1 : 0;
    if (keys.empty()) {
      for (const Proof& each : parts_) proofs.add(each);
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Proof& part = parts_.at(keys[i].starts_with('a') ? 0 : 1);
      proofs.add(part);
      const bool may_deny = context.fence == nullptr ||
                            (part.watermark && part.watermark->reaches(context.fence->at_least));
      answers[i] = may_deny ? Presence::absent : Presence::unknown;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
  PlaceHead head(const CallContext&) override { return {}; }
  void set(std::uint32_t part, std::uint64_t filter, const Watermark& at) {
    const std::lock_guard lock(mutex_);
    parts_.at(part) = {part, filter, at};
  }

  int looks = 0;

 private:
  std::mutex mutex_;
  std::array<Proof, 2> parts_{Proof{0, 1, Watermark{kHere, 10}}, Proof{1, 1, Watermark{kHere, 10}}};
};

struct Parts {
  explicit Parts(const FencedOptions& options = {.longest_wait = milliseconds(0)})
      : fenced(
            place,
            [this](const CallContext&) {
              if (before_fence) before_fence();
              return Fence{{kHere, end}};
            },
            options) {}

  std::uint64_t questions() const { return fenced.counters().fence_questions; }

  PartsPlace place;
  std::uint64_t end = 10;
  std::function<void()> before_fence;
  FencedPlace fenced;
};

TEST(FencedProof, AFilterThatCameAfterTheQuestionDeniesBehindTheNextFence) {
  Parts parts;
  EXPECT_EQ(parts.fenced.presence_of("a"), Presence::absent);
  EXPECT_EQ(parts.questions(), 1U);
  parts.before_fence = [&] { parts.place.set(0, 2, {kHere, 10}); };
  EXPECT_EQ(parts.fenced.presence_of("a"), Presence::absent);
  EXPECT_EQ(parts.questions(), 3U);
  std::uint64_t filter = 2;
  parts.before_fence = [&] { parts.place.set(0, ++filter, {kHere, 10}); };
  EXPECT_EQ(parts.fenced.presence_of("a"), Presence::unknown) << "another one each time";
  EXPECT_EQ(parts.fenced.presence_of("b"), Presence::absent) << "it rests on the other part";
}

TEST(FencedProof, AFilterWithoutANameDeniesNothing) {
  Parts parts;
  parts.place.set(0, 0, {kHere, 10});
  EXPECT_EQ(parts.fenced.presence_of("a"), Presence::unknown);
  EXPECT_EQ(parts.fenced.presence_of("b"), Presence::absent);
}

// Positions of two sources are never compared.
TEST(FencedProof, PartsOfTwoSourcesAreJudgedByTheirOwn) {
  for (const FencedOptions& options : {FencedOptions{.longest_wait = milliseconds(0)},
                                       FencedOptions{.budget = std::chrono::seconds(2)}}) {
    Parts parts(options);
    parts.place.set(1, 1, {kElsewhere, 20});
    const std::array<Key, 2> keys{"a", "b"};
    std::array<Presence, 2> answers{Presence::unknown, Presence::unknown};
    parts.fenced.presence_of_many(keys, answers);
    EXPECT_EQ(answers, (std::array{Presence::absent, Presence::unknown}));
    EXPECT_EQ(parts.fenced.presence_of("a"), Presence::absent);
    EXPECT_EQ(parts.fenced.presence_of("b"), Presence::unknown);
  }
  // Nothing was known of its rows of this source.
  Parts parts;
  parts.place.set(1, 1, {kElsewhere, 20});
  parts.before_fence = [&] { parts.place.set(1, 1, {kHere, 10}); };
  EXPECT_EQ(parts.fenced.presence_of("b"), Presence::absent);
  EXPECT_EQ(parts.questions(), 2U);
}

// The part that is asked has not yet come to where it would show that rows were lost.
TEST(FencedProof, OneThatIsAheadOfItsDatabaseIsFoundByAQuestionOfAnotherPart) {
  Parts parts;
  parts.place.set(1, 1, {kHere, 20});
  parts.end = 20;
  EXPECT_EQ(parts.fenced.presence_of("b"), Presence::absent);
  EXPECT_EQ(parts.place.looks, 0);
  parts.end = 10;  // put back
  EXPECT_THROW(parts.fenced.presence_of("a"), SourceChanged);
  parts.end = 11;
  parts.place.set(0, 1, {kHere, 11});
  EXPECT_THROW(parts.fenced.presence_of("a"), SourceChanged);
  parts.end = 30;  // beyond where the other stands
  parts.place.set(0, 1, {kHere, 30});
  EXPECT_THROW(parts.fenced.presence_of("a"), SourceChanged);
  parts.place.set(0, 2, {kHere, 30});
  parts.place.set(1, 2, {kHere, 30});
  EXPECT_EQ(parts.fenced.presence_of("b"), Presence::absent) << "both were built again";
}

TEST(FencedProof, OfWhatRoseAboveItsFenceTheSecondAnswerIsRemembered) {
  Parts parts;
  parts.place.set(1, 1, {kHere, 4});
  parts.end = 5;
  parts.before_fence = [&] {
    parts.place.set(1, 1, {kHere, 20});
    parts.end = parts.questions() == 1 ? 5 : 20;
  };
  EXPECT_EQ(parts.fenced.presence_of("b"), Presence::absent);
  EXPECT_EQ(parts.questions(), 2U);
  parts.before_fence = nullptr;
  parts.end = 12;  // put back
  parts.place.set(0, 1, {kHere, 12});
  EXPECT_THROW(parts.fenced.presence_of("a"), SourceChanged);
}

// Threads whose keys are of different parts share a fence, and each knows its own part alone.
TEST(FencedProof, GatheredQuestionsHaveWhatEachOfThemKnew) {
  Parts parts;
  parts.before_fence = [] { std::this_thread::sleep_for(std::chrono::microseconds(200)); };
  constexpr int kThreads = 4;
  constexpr int kQuestions = 100;
  std::array<int, kThreads> absents{};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kQuestions; ++i) {
        absents.at(t) += parts.fenced.presence_of(t % 2 == 0 ? "a" : "b") == Presence::absent;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  for (const int each : absents) EXPECT_EQ(each, kQuestions);
  EXPECT_LT(parts.questions(), std::uint64_t{kThreads * kQuestions});
}

}  // namespace
}  // namespace bloomery
