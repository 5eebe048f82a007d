// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/place/local_copy.h"
#include "bloomery/store/native_file.h"

namespace bloomery::testing {

// A filter in a server that a follower fills from a table, and the file that was pulled of it.
class PulledFilter {
 public:
  static constexpr Identity kTable{21, 22};

  // `settings`: of the follower. `server`: what follows the format, up to its settings.
  PulledFilter(std::string format, std::string server, std::string key, std::string settings,
               std::filesystem::path file)
      : format_(std::move(format)),
        server_(std::move(server)),
        key_(std::move(key)),
        settings_(std::move(settings)),
        file_(std::move(file)) {}

  void let_follower_have(const std::string& settings) { settings_ = settings; }
  std::string at(const std::string& settings = "") const {
    return format_ + ":" + server_ + (settings.empty() ? "" : "?" + settings) + "#" + key_;
  }
  // Brings the rows from where the filter is up to `end` into it, some a step.
  void follow_to(std::uint64_t end, const std::string& row = "row") {
    const auto place = open_place(at(settings_), {.access = PlaceOptions::read_write});
    for (;;) {
      PlaceHead head = place->head();
      const std::uint64_t from = head.watermark ? head.watermark->position : 0;
      if (from >= end) return;
      const std::uint64_t to = std::min(end, from + 7);
      rows_.resize(from);
      for (std::uint64_t i = from; i < to; ++i) rows_.push_back(row + std::to_string(i));
      const std::vector<Key> keys(rows_.begin() + static_cast<std::ptrdiff_t>(from), rows_.end());
      ASSERT_TRUE(place->insert_and_advance(keys, head, {kTable, to}));
    }
  }
  // Pulls as bloomery pull does.
  void pull() const {
    const auto source = open_deltas(parse_place_location(at()));
    const auto whole = source->read_whole(std::uint64_t{1} << 30, {});
    SaveOptions options;
    options.notes.identity = whole.identity;
    options.notes.beat = 1;
    options.notes.source = whole.reached->source;
    options.notes.watermark = whole.reached->position;
    options.chain = source->chain_at(whole.position);
    EXPECT_NE(options.chain, "");
    save(whole.filter, file_, options);
  }

  // Begins a copy from the file, and returns it when it answers for itself behind a fence at all
  // rows. Expects that it denies no row before and then.
  std::unique_ptr<FilterPlace> begin() const {
    auto place = open_place("copy:" + at("from=" + file_.string()));
    bool answers = false;
    for (int i = 0; i < 2000 && !answers; ++i) {
      answers = denies_by_itself(*place);
      expect_no_row_denied(*place);
      if (!answers) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_TRUE(answers) << dynamic_cast<const LocalCopy&>(*place).last_error();
    return place;
  }
  // Waits up to ten seconds until the copy answers for itself.
  bool comes_in_step(FilterPlace& place) const {
    return comes_true([&] { return denies_by_itself(place); });
  }
  // Expects that a copy denies nothing behind a fence at the rows that the file has and the filter
  // has not.
  void expect_is_behind() const {
    const auto place = open_place("copy:" + at("from=" + file_.string()));
    const auto& copy = dynamic_cast<const LocalCopy&>(*place);
    for (int i = 0; i < 2000 && copy.copies() == 0; ++i) {
      EXPECT_FALSE(denies_by_itself(*place));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(copy.copies(), 1U);
    EXPECT_FALSE(denies_by_itself(*place));
  }
  // Expects that a copy goes on from the file, with so many keys that came since.
  void expect_goes_on(std::uint64_t hashes) const {
    const auto place = begin();
    const auto& copy = dynamic_cast<const LocalCopy&>(*place);
    EXPECT_EQ(copy.copies(), 0U);
    EXPECT_EQ(copy.hashes(), hashes);
    EXPECT_EQ(copy.why_whole(), "");
  }
  // Expects that a copy is read whole instead, because of this.
  void expect_whole(const std::string& why) const {
    const auto place = begin();
    const auto& copy = dynamic_cast<const LocalCopy&>(*place);
    // The count follows the first answers by a moment.
    EXPECT_TRUE(comes_true([&] { return copy.copies() > 0; }));
    EXPECT_EQ(copy.copies(), 1U) << why;
    EXPECT_THAT(copy.why_whole(), ::testing::HasSubstr(why));
    EXPECT_THAT(copy.why_whole(), ::testing::HasSubstr(file_.string()));
    EXPECT_EQ(copy.last_error(), "");
  }
  const std::filesystem::path& file() const noexcept { return file_; }

 private:
  // Returns whether `test` comes true within ten seconds.
  template <class Test>
  static bool comes_true(Test test) {
    for (int i = 0; i < 2000; ++i) {
      if (test()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  // Returns whether the copy alone says that there is no other row.
  bool denies_by_itself(FilterPlace& place) const {
    const Fence fence{{kTable, rows_.size()}};
    const Key key = "no such row";
    Presence answer = Presence::unknown;
    Proofs proofs;
    place.ask({&key, 1}, {&answer, 1}, proofs, {.fence = &fence});
    return answer == Presence::absent && proofs.all().size() == 1 &&
           proofs.all().front().part == UINT32_MAX;
  }
  void expect_no_row_denied(FilterPlace& place) const {
    const Fence fence{{kTable, rows_.size()}};
    const std::vector<Key> keys(rows_.begin(), rows_.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    place.presence_of_many(keys, answers, {.fence = &fence});
    EXPECT_EQ(std::ranges::count(answers, Presence::absent), 0);
  }

  const std::string format_;
  const std::string server_;
  const std::string key_;
  std::string settings_;
  const std::filesystem::path file_;
  std::vector<std::string> rows_{};  // that the table has
};

}  // namespace bloomery::testing
