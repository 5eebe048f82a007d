// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bloomery/source/open_changes.h"

namespace bloomery {

// A column that is followed, and all keys of it that have come.
class Followed {
 public:
  explicit Followed(const std::string& location, const ChangeOptions& options = {})
      : source_(open_change_source(location, options)), fence_(open_fence(location, options)) {}

  // Scans, and takes what came meanwhile.
  void begin() {
    EXPECT_FALSE(source_->start(std::nullopt));
    scan_again();
    catch_up();
  }
  void scan_again() {
    source_->scan([&](const Batch& batch) {
      keys_.insert(batch.keys.begin(), batch.keys.end());
      return true;
    });
  }
  bool go_on() { return source_->start(watermark_); }

  void poll() {
    source_->poll(
        [&](const Changes& changes) {
          keys_.insert(changes.keys.begin(), changes.keys.end());
          deleted_count_ += changes.deleted_count;
          if (changes.watermark) watermark_ = changes.watermark;
        },
        std::chrono::milliseconds(20));
  }
  bool has_reached(const Watermark& fence) const {
    return watermark_ && watermark_->reaches(fence);
  }
  // Polls until all that can be seen now has come.
  void catch_up() {
    const Watermark now = fence_->ask();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!has_reached(now)) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "the fence is never reached";
      poll();
    }
  }
  // Why it can go on no more; the watermark stays below the fence.
  std::string why_it_stops(bool is_behind = true) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      try {
        poll();
      } catch (const SourceChanged& changed) {
        try {
          const Watermark now = fence_->ask();
          EXPECT_FALSE(is_behind && has_reached(now))
              << changed.what() << ": " << watermark_->position << " reaches " << now.position;
        } catch (const SourceChanged&) {
          // An exception is as good.
        }
        return changed.what();
      }
    }
    return "it does not stop";
  }

  ChangeSource& source() { return *source_; }
  FenceSource& fence() { return *fence_; }
  const std::optional<Watermark>& watermark() const { return watermark_; }
  std::set<std::string, std::less<>>& keys() { return keys_; }
  bool has(const std::string& key) const { return keys_.contains(key); }
  std::uint64_t deleted_count() const { return deleted_count_; }

 private:
  std::unique_ptr<ChangeSource> source_;
  std::unique_ptr<FenceSource> fence_;
  std::set<std::string, std::less<>> keys_;
  std::uint64_t deleted_count_ = 0;
  std::optional<Watermark> watermark_;
};

}  // namespace bloomery
