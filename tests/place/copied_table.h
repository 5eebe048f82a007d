// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/place/local_copy.h"

namespace bloomery::testing {

// A table whose rows come, followers that bring them into a filter, and readers who ask a copy of
// it behind fences, while something happens to the filter. BLOOMERY_LONG=1 plays ten seconds a
// scene.
class CopiedTable {
 public:
  using Open = std::function<std::unique_ptr<FilterPlace>()>;
  static constexpr Identity kTable{11, 12};

  // `followers`: what opens the filter for each follower.
  CopiedTable(std::vector<Open> followers, std::unique_ptr<FilterPlace> copy)
      : followers_(std::move(followers)),
        place_(std::move(copy)),
        copy_(dynamic_cast<LocalCopy*>(place_.get())) {}

  const LocalCopy& copy() const noexcept { return *copy_; }
  std::uint64_t questions() const noexcept { return questions_; }

  // Does `what` again and again, while rows come and readers ask.
  void play(const std::function<void()>& what) {
    ASSERT_NE(copy_, nullptr);
    {
      std::vector<std::jthread> running;
      std::jthread table([this](const std::stop_token& stop) { commit(stop); });
      for (const Open& open : followers_) {
        running.emplace_back([this, open](const std::stop_token& stop) { follow(open, stop); });
      }
      for (unsigned seed = 0; seed < 2; ++seed) {
        running.emplace_back([this, seed](const std::stop_token& stop) { read(stop, seed); });
      }
      const auto begun = std::chrono::steady_clock::now();
      const auto lasts = [&](std::chrono::milliseconds time) {
        return std::chrono::steady_clock::now() < begun + time;
      };
      // The threads above may take long to begin on a machine with much else to do.
      const auto has_begun = [&] { return found_ > 0 && absents_ > 0; };
      for (int scenes = 0; lasts(scene_time()) || scenes < 2 || (!has_begun() && lasts(kPatience));
           ++scenes) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        what();
      }
      table.request_stop();
      table.join();
      EXPECT_TRUE(comes_in_step()) << "the copy is in step again: " << copy_->last_error();
    }
    EXPECT_EQ(false_absents_, 0U);
    EXPECT_GT(found_, 0U);
    EXPECT_GT(absents_, 0U);
    std::printf(
        "%llu questions, %llu absents of no row, %llu whole reads, %llu hashes, %llu failures\n",
        static_cast<unsigned long long>(questions_), static_cast<unsigned long long>(absents_),
        static_cast<unsigned long long>(copy_->copies()),
        static_cast<unsigned long long>(copy_->hashes()),
        static_cast<unsigned long long>(failures_));
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{20'000};
  static std::chrono::milliseconds scene_time() {
    const bool is_long = std::getenv("BLOOMERY_LONG") != nullptr;
    return std::chrono::milliseconds(is_long ? 10'000 : 250);
  }

  // The rows up to `committed_` are visible; position n is that of row n - 1.
  void follow(const Open& open, const std::stop_token& stop) {
    std::unique_ptr<FilterPlace> place;
    while (!stop.stop_requested()) {
      try {
        if (!place) place = open();
        PlaceHead head = place->head();
        std::uint64_t at = 0;
        if (head.watermark && head.watermark->source == kTable) at = head.watermark->position;
        const std::uint64_t end = std::min(committed_.load(), at + 200);
        if (at >= end) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          continue;
        }
        // The first half above the old watermark, as of a transaction that has not ended.
        const std::uint64_t half = at + (end - at) / 2;
        const bool is_in_two = head.watermark && half > at && end % 2 == 0;
        if (is_in_two && !bring(*place, at, half, head, *head.watermark)) continue;
        bring(*place, is_in_two ? half : at, end, head, {kTable, end});
      } catch (const std::exception&) {
        place.reset();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
  }
  static bool bring(FilterPlace& place, std::uint64_t from, std::uint64_t to, PlaceHead& head,
                    const Watermark& next) {
    std::vector<std::string> rows;
    for (std::uint64_t i = from; i < to; ++i) rows.push_back("row" + std::to_string(i));
    const std::vector<Key> keys(rows.begin(), rows.end());
    return place.insert_and_advance(keys, head, next);
  }
  void commit(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      committed_ += 1 + committed_ % 3;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void read(const std::stop_token& stop, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> texts(32);
    std::vector<Presence> answers(texts.size() + 1);
    while (!stop.stop_requested()) {
      if (committed_ == 0) continue;
      // Some ask of what the copy has by now, and some of what it has not yet.
      const std::uint64_t committed = committed_;
      const std::uint64_t visible = committed - random() % std::min<std::uint64_t>(committed, 200);
      const Fence fence{{kTable, visible}};
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::uint64_t back =
            i % 2 == 0 ? random() % std::min<std::uint64_t>(visible, 100) : random() % visible;
        texts[i] = "row" + std::to_string(visible - 1 - back);
      }
      std::vector<Key> keys(texts.begin(), texts.end());
      keys.emplace_back("no such row");
      std::ranges::fill(answers, Presence::unknown);
      try {
        copy_->presence_of_many(keys, answers, {.fence = &fence});
      } catch (const std::exception&) {
        ++failures_;  // those that were filled in before are true
      }
      questions_ += texts.size();
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (answers[i] == Presence::absent) ++false_absents_;
        if (answers[i] == Presence::maybe) ++found_;
      }
      if (answers.back() == Presence::absent) ++absents_;
    }
  }
  // Waits up to ten seconds.
  bool comes_in_step() {
    const Fence fence{{kTable, committed_}};
    for (int i = 0; i < 1000; ++i) {
      try {
        if (copy_->presence_of("no such row", {.fence = &fence}) == Presence::absent) return true;
      } catch (const std::exception&) {  // later
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  const std::vector<Open> followers_;
  const std::unique_ptr<FilterPlace> place_;
  LocalCopy* const copy_;
  std::atomic<std::uint64_t> committed_ = 0;
  std::atomic<std::uint64_t> questions_ = 0;
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> absents_ = 0;
  std::atomic<std::uint64_t> false_absents_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
};

}  // namespace bloomery::testing
