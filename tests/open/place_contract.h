// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/place/filter_place.h"

// Promises that every place keeps, whatever is behind it. A place is one entry: its name, and a
// function that makes an empty one.
namespace bloomery::testing {

struct PlaceUnderTest {
  std::string name;
  // An empty filter for some 1,000 keys, open for writing, that says `absent` if it ever does.
  std::function<std::unique_ptr<FilterPlace>()> make;
  // Opens the filter of `make` again, for reading; null: nobody else can open it.
  std::function<std::unique_ptr<FilterPlace>()> open{};
  bool has_watermark = false;
};

class PlaceContract {
 public:
  explicit PlaceContract(PlaceUnderTest tested)
      : tested_(std::move(tested)), place_(tested_.make()) {}

  void check_all() {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, tested_.name);
    what_is_in_is_never_absent();
    a_batch_of_nothing_is_one();
    answers_without_room_are_refused();
    keys_are_any_bytes();
    a_call_that_is_over_says_nothing_wrong();
    behind_a_fence_a_place_without_a_watermark_denies_nothing();
    a_fence_without_a_source_is_refused();
    a_watermark_moves_with_its_keys();
    a_fence_without_a_source_is_refused();
    threads_may_ask_and_insert_together();
    who_reads_cannot_write();
  }

 private:
  static std::vector<std::string> names(const std::string& prefix, int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(prefix + std::to_string(i));
    return all;
  }
  static std::size_t count(FilterPlace& place, const std::vector<std::string>& texts,
                           Presence wanted, const CallContext& context = {}) {
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    place.presence_of_many(keys, answers, context);
    return static_cast<std::size_t>(std::ranges::count(answers, wanted));
  }
  bool is_refused(const std::function<void()>& call) const {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(place_->name() + ": ")) << error.what();
      return true;
    }
    return false;
  }

  void what_is_in_is_never_absent() {
    const auto in = names("in ", 300);
    const auto out = names("out ", 300);
    EXPECT_EQ(place_->presence_of(Key(in[0])), Presence::absent);
    EXPECT_EQ(place_->head().no_absent, NoAbsent::none);
    const std::vector<Key> keys(in.begin(), in.end());
    std::vector<Inserted> outcomes(keys.size());
    place_->insert_many(keys, outcomes);
    EXPECT_GT(std::ranges::count(outcomes, Inserted::added), 290);
    place_->insert_many(keys, outcomes);
    EXPECT_EQ(std::ranges::count(outcomes, Inserted::added), 0);
    place_->insert_many(keys);  // who asks for no outcomes gets none
    EXPECT_EQ(count(*place_, in, Presence::maybe), 300U);
    EXPECT_GT(count(*place_, out, Presence::absent), 250U);
    EXPECT_EQ(count(*place_, out, Presence::unknown), 0U);
    EXPECT_EQ(place_->presence_of(Key(in[7])), Presence::maybe);
  }

  // Nothing is written behind what was given, and nothing of the batch goes in.
  void answers_without_room_are_refused() {
    const std::vector<std::string> texts = names("no room ", 300);
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Presence> answers(600, Presence::unknown);
    std::vector<Inserted> outcomes(600, Inserted::unknown);
    for (const std::size_t room : {0U, 8U, 299U, 301U}) {
      EXPECT_TRUE(
          is_refused([&] { place_->presence_of_many(keys, std::span(answers).first(room)); }));
      if (room == 0) continue;  // no outcomes are wanted
      EXPECT_TRUE(is_refused([&] { place_->insert_many(keys, std::span(outcomes).first(room)); }));
    }
    EXPECT_EQ(std::ranges::count(answers, Presence::unknown), 600);
    EXPECT_EQ(std::ranges::count(outcomes, Inserted::unknown), 600);
  }

  void a_batch_of_nothing_is_one() {
    place_->presence_of_many({}, {});
    place_->insert_many({});
  }

  void keys_are_any_bytes() {
    const std::vector<std::string> odd{
        "", std::string("\0a\0", 3), "\r\n", "\xff\xfe", std::string(5000, 'x'), "FENCE", "?"};
    const std::vector<Key> keys(odd.begin(), odd.end());
    place_->insert_many(keys);
    EXPECT_EQ(count(*place_, odd, Presence::maybe), odd.size());
  }

  void a_call_that_is_over_says_nothing_wrong() {
    const auto in = names("in ", 10);
    const std::vector<Key> keys(in.begin(), in.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    try {
      place_->presence_of_many(keys, answers, {.deadline = CallContext::Clock::now()});
    } catch (const CallAborted&) {
      // The place may also throw.
    }
    EXPECT_EQ(std::ranges::count(answers, Presence::absent), 0);
  }

  void behind_a_fence_a_place_without_a_watermark_denies_nothing() {
    const Fence fence{.at_least = {.source = {7, 7}, .position = 1}};
    EXPECT_EQ(count(*place_, names("out ", 100), Presence::absent, {.fence = &fence}), 0U);
    EXPECT_EQ(count(*place_, names("in ", 100), Presence::maybe, {.fence = &fence}), 100U);
    EXPECT_NE(place_->presence_of("out", {.fence = &fence}), Presence::absent);
  }

  // Every call that looks at the fence refuses it, also if it has nothing to answer.
  void a_fence_without_a_source_is_refused() {
    const Fence nameless{.at_least = {.source = {}, .position = 1}};
    const CallContext behind{.fence = &nameless};
    const Key keys[] = {"out", "never"};
    Presence answers[] = {Presence::unknown, Presence::unknown};
    Proofs proofs;
    EXPECT_TRUE(is_refused([&] { place_->ask(keys, answers, proofs, behind); }));
    EXPECT_TRUE(is_refused([&] { place_->ask({}, {}, proofs, behind); }));
    EXPECT_TRUE(is_refused([&] { place_->ask_one("out", proofs, behind); }));
    EXPECT_TRUE(is_refused([&] { place_->presence_of("out", behind); }));
    EXPECT_TRUE(is_refused([&] { place_->presence_of_many(keys, answers, behind); }));
    EXPECT_TRUE(is_refused([&] { place_->presence_of_many({}, {}, behind); }));
    EXPECT_TRUE(is_refused([&] { place_->copy(behind); }));
    EXPECT_TRUE(proofs.is_empty());
    EXPECT_EQ(std::ranges::count(answers, Presence::unknown), 2);
  }

  void a_watermark_moves_with_its_keys() {
    PlaceHead head = place_->head();
    const Watermark at{.source = {7, 7}, .position = 5};
    const Key keys[] = {"row 5"};
    if (!tested_.has_watermark) {
      EXPECT_TRUE(is_refused([&] { place_->insert_and_advance(keys, head, at); }));
      EXPECT_TRUE(is_refused([&] { place_->advance(head, at); }));
      return;
    }
    const PlaceHead before = head;
    ASSERT_TRUE(place_->insert_and_advance(keys, head, at));
    EXPECT_EQ(head.watermark, at);
    EXPECT_FALSE(place_->advance(before, {.source = {7, 7}, .position = 6}));
    EXPECT_EQ(place_->head().watermark, at);
    const Fence reached{at};
    const Fence above{.at_least = {.source = {7, 7}, .position = 6}};
    const Fence elsewhere{.at_least = {.source = {7, 8}, .position = 1}};
    EXPECT_GT(count(*place_, names("out ", 100), Presence::absent, {.fence = &reached}), 80U);
    EXPECT_EQ(count(*place_, names("out ", 100), Presence::absent, {.fence = &above}), 0U);
    EXPECT_EQ(count(*place_, names("out ", 100), Presence::absent, {.fence = &elsewhere}), 0U);
    EXPECT_EQ(place_->presence_of("row 5", {.fence = &reached}), Presence::maybe);
    Proofs looked;
    place_->ask({}, {}, looked);
    expect_all_at(looked, at);
    an_answer_proves_its_watermark(at);
  }

  static void expect_all_at(const Proofs& proofs, const Watermark& wanted) {
    EXPECT_FALSE(proofs.is_empty());
    for (const Proof& each : proofs.all()) {
      EXPECT_NE(each.filter, 0U);
      EXPECT_EQ(each.watermark, wanted);
    }
  }

  // Asks for one key or for many, behind a fence or without: each answer proves the watermark of
  // the filter that a look at the place shows.
  void an_answer_proves_its_watermark(const Watermark& at) {
    place_->flush({});
    if (!tested_.open) return;
    const Fence above{.at_least = {.source = at.source, .position = at.position + 1}};
    const auto expect_proved = [&](const auto& ask) {
      const auto reader = tested_.open();
      Proofs proofs;
      ask(*reader, proofs);
      expect_all_at(proofs, at);
      Proofs looked;
      reader->ask({}, {}, looked);
      for (const Proof& each : proofs.all()) EXPECT_TRUE(looked.has_filter_of(each));
    };
    expect_proved([](FilterPlace& place, Proofs& proofs) { place.ask_one("out", proofs); });
    expect_proved([&](FilterPlace& place, Proofs& proofs) {
      place.ask_one("out", proofs, {.fence = &above});
    });
    expect_proved([](FilterPlace& place, Proofs& proofs) {
      const auto texts = names("out ", 100);
      const std::vector<Key> keys(texts.begin(), texts.end());
      std::vector<Presence> answers(keys.size(), Presence::unknown);
      place.ask(keys, answers, proofs);
    });
  }

  void threads_may_ask_and_insert_together() {
    constexpr int kKeys = 20;
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kKeys; ++i) {
          const std::string key = "thread " + std::to_string(t) + " " + std::to_string(i);
          place_->insert(Key(key));
          EXPECT_EQ(place_->presence_of(Key(key)), Presence::maybe);
        }
      });
    }
    for (std::thread& each : threads) each.join();
  }

  void who_reads_cannot_write() {
    place_->flush({});
    if (!tested_.open) return;
    const std::string name = place_->name();
    const auto reader = tested_.open();
    EXPECT_EQ(reader->name(), name);
    EXPECT_EQ(count(*reader, names("in ", 100), Presence::maybe), 100U);
    EXPECT_TRUE(is_refused([&] { reader->insert("x"); }));
  }

  const PlaceUnderTest tested_;
  std::unique_ptr<FilterPlace> place_;
};

}  // namespace bloomery::testing
