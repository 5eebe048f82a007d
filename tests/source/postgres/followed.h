// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bloomery/source/open_changes.h"
#include "tests/source/postgres/postgres_fixture.h"

namespace bloomery {

// A table that is followed, with all that came.
class Followed {
 public:
  using Keys = std::set<std::string, std::less<>>;

  explicit Followed(const std::string& selection, const ChangeOptions& options = {})
      : source_(open_change_source(location_of(selection), options)),
        fence_(open_fence(location_of(selection), options)) {
    source_->start(std::nullopt);
    scan();
    catch_up();
  }
  Followed(const Followed&) = delete;
  Followed& operator=(const Followed&) = delete;
  ~Followed() { source_->remove(); }

  void scan() {
    source_->scan([&](const Batch& batch) {
      keys_.insert(batch.keys.begin(), batch.keys.end());
      return true;
    });
  }
  void poll(std::chrono::milliseconds patience = std::chrono::milliseconds(20)) {
    source_->poll(
        [&](const Changes& changes) {
          keys_.insert(changes.keys.begin(), changes.keys.end());
          most_at_once_ = std::max(most_at_once_, changes.keys.size());
          if (changes.watermark) watermark_ = *changes.watermark;
        },
        patience);
  }
  // Polls until all that can be seen is there; false where the fence is another's, or is not
  // reached.
  bool catch_up() {
    const Watermark now = fence_->ask();
    for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
         std::chrono::steady_clock::now() < until;) {
      if (watermark_.reaches(now)) return true;
      if (watermark_.source.is_set() && watermark_.source != now.source) return false;
      poll();
    }
    return false;
  }
  // Returns whether a reader gets "absent", which is a promise.
  bool says_absent(const std::string& key) {
    return watermark_.reaches(fence_->ask()) && !keys_.contains(key);
  }
  // The server also writes to its log of its own accord, so that a fence may be a little further.
  bool comes_to_say_absent(const std::string& key) {
    for (int i = 0; i < 100; ++i) {
      if (!catch_up() || keys_.contains(key)) return false;
      if (says_absent(key)) return true;
    }
    return false;
  }
  // Expects that following ends where rows have come that it cannot know of, and that a new
  // beginning knows.
  void expect_another_source(const std::string& unseen_key) {
    EXPECT_FALSE(says_absent(unseen_key));
    EXPECT_THROW(for (int i = 0; i < 200; ++i) poll(), SourceChanged);
    EXPECT_FALSE(source_->start(watermark_));
    watermark_ = {};
    scan();
    EXPECT_TRUE(catch_up());
    EXPECT_TRUE(keys_.contains(unseen_key));
  }

  // Starts again as after a failure, and returns whether it goes on where the filter is.
  bool start_again() {
    const bool resumes = source_->start(watermark_);
    watermark_ = {};
    if (!resumes) scan();
    return resumes;
  }

  ChangeSource& source() { return *source_; }
  const Keys& keys() const { return keys_; }
  const Watermark& watermark() const { return watermark_; }
  std::size_t most_at_once() const { return most_at_once_; }

 private:
  std::unique_ptr<ChangeSource> source_;
  std::unique_ptr<FenceSource> fence_;
  Keys keys_{};
  Watermark watermark_{};
  std::size_t most_at_once_ = 0;
};

// Lists what following has left in the server: its slots and publications.
inline std::vector<std::string> leftovers() {
  testing::PostgresSession session(server());
  return {session.run("SELECT string_agg(slot_name, ',' ORDER BY 1) FROM pg_replication_slots"),
          session.run("SELECT string_agg(pubname, ',' ORDER BY 1) FROM pg_publication")};
}

}  // namespace bloomery
