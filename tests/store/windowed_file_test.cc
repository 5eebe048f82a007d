// SPDX-License-Identifier: Apache-2.0
// A windowed filter goes on where its file left off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/windowed_filter.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/native_file.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::read_file;
using testing::ScratchFolder;
using testing::stored_words;
using ::testing::ThrowsMessage;
using testing::write_file;

// The filter of a file, by a clock of the test.
AnyFilter load_at(const std::filesystem::path& path, const std::uint64_t& now_ms) {
  const AnyFilter loaded = load(path);
  FilterContents contents = loaded.contents();
  contents.parameters.window.clock = [&now_ms] { return now_ms; };
  HeapWords words(contents.words.front().size());
  std::ranges::copy(contents.words.front(), words.words().begin());
  return open_filter(contents, std::move(words));
}

TEST(WindowedFile, GoesOnByTheClock) {
  const ScratchFolder folder;
  std::uint64_t now_ms = 1'700'000'000'000;
  WindowedFilter filter(
      {.capacity = 100,
       .false_positive_rate = 1e-6,
       .window = {.length_ms = 10'000, .generations = 5, .clock = [&now_ms] { return now_ms; }}});
  filter.insert("first");
  now_ms += 6'000;
  filter.insert("second");
  save(filter, folder / "f");
  EXPECT_EQ(inspect(folder / "f").contents.parameters.window, filter.parameters().window);
  EXPECT_EQ(load(folder / "f").geometry(), filter.geometry());

  now_ms += 4'000;
  AnyFilter loaded = load_at(folder / "f", now_ms);
  EXPECT_TRUE(stored_words(loaded) == stored_words(filter));
  EXPECT_TRUE(loaded.may_contain("first"));
  EXPECT_TRUE(loaded.may_contain("second"));
  now_ms += 2'000;
  EXPECT_FALSE(loaded.may_contain("first"));
  EXPECT_FALSE(loaded.insert("second"));
  save(loaded, folder / "f");
  now_ms += 10'000;
  EXPECT_TRUE(load_at(folder / "f", now_ms).may_contain("second"));
  now_ms += 2'000;
  EXPECT_FALSE(load_at(folder / "f", now_ms).may_contain("second"));
}

TEST(WindowedFile, GoesOnByCount) {
  const ScratchFolder folder;
  WindowedFilter whole({.capacity = 100, .false_positive_rate = 1e-6});
  AnyFilter parts =
      make_filter(FilterKind::windowed, {.capacity = 100, .false_positive_rate = 1e-6});
  for (std::uint64_t key = 0; key < 730; ++key) {
    whole.insert(key);
    const std::uint64_t one[] = {key};
    parts.insert_many(one);
    if (key % 37 == 0) {
      save(parts, folder / "f");
      parts = load(folder / "f");
    }
  }
  EXPECT_TRUE(stored_words(whole) == stored_words(parts));
  EXPECT_EQ(whole.inserted(), parts.inserted());
}

// Far more keys than bits: it forgets, and can still be saved.
TEST(WindowedFile, IsSavedHoweverLongItRan) {
  const ScratchFolder folder;
  WindowedFilter filter({.capacity = 1, .false_positive_rate = 0.01});
  for (std::uint64_t key = 0; key < 300'000; ++key) filter.insert(key);
  ASSERT_GT(filter.inserted(), 64 * 64 * filter.words().size());
  save(filter, folder / "f");
  EXPECT_EQ(load(folder / "f").inserted(), filter.inserted());
}

class DamagedWindow : public ::testing::Test {
 protected:
  DamagedWindow() {
    WindowedFilter filter({.capacity = 1'000, .window = {.length_ms = 60'000}});
    filter.insert("key");
    save(filter, file_);
    whole_ = read_file(file_);
  }

  template <class T>
  void expect_refused(std::size_t offset, T value, const std::string& reason) {
    std::string bytes = whole_;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    std::uint16_t field_bytes;
    std::memcpy(&field_bytes, bytes.data() + 14, sizeof field_bytes);
    const auto all = std::as_bytes(std::span(bytes));
    const std::uint32_t sum = crc32c(all.subspan(64, field_bytes), crc32c(all.first(60)));
    std::memcpy(bytes.data() + 60, &sum, sizeof sum);
    write_file(file_, bytes);
    EXPECT_THAT([&] { load(file_); }, ThrowsMessage<FormatError>(HasSubstr(reason))) << offset;
  }

  // The field's tag is at 64, its value at 68.
  static constexpr std::size_t kField = 64;
  static constexpr std::size_t kLength = 68;
  static constexpr std::size_t kGenerations = 76;
  static constexpr std::size_t kReserved = 80;
  static constexpr std::size_t kBitCount = 84;

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_ / "f";
  std::string whole_;
};

TEST_F(DamagedWindow, IsRefused) {
  for (const std::uint32_t generations : {0U, 8U, 9U, 0xffffffffU}) {
    expect_refused(kGenerations, generations, "impossible window");
  }
  expect_refused(kGenerations, std::uint32_t{3}, "impossible body");
  expect_refused(kLength, kMostWindowMs + 1, "impossible window");
  expect_refused(kLength, ~std::uint64_t{0}, "impossible window");
  expect_refused(kReserved, std::uint32_t{1}, "are not zero");
  for (const std::uint64_t bits : {0ULL, 1ULL, 255ULL, (1ULL << 60) + 256, ~0ULL, ~0ULL - 255}) {
    expect_refused(kBitCount, bits, "impossible");
  }
  expect_refused(kBitCount, 256ULL << 40, "impossible body");
  expect_refused(kField, std::uint16_t{0x8005}, "without its window");
  expect_refused(kField, std::uint16_t{13}, "unknown tag 13");
  expect_refused(10, std::uint8_t{2}, "a filter that has none");
  expect_refused(12, std::uint8_t{0}, "impossible geometry of a windowed filter");
  expect_refused(12, std::uint8_t{9}, "impossible geometry of a windowed filter");
  expect_refused(13, std::uint8_t{0}, "impossible geometry of a windowed filter");
  expect_refused(32, ~std::uint64_t{0}, "impossible");
}

TEST(WindowedFile, ByTimeIsTheGoldenFile) {
  const ScratchFolder folder;
  const auto golden = std::filesystem::path("golden/native/windowed_by_time.bloom");
  std::uint64_t now_ms = 1'700'000'000'000;
  FilterParameters parameters = load(golden).parameters();
  parameters.window.clock = [&now_ms] { return now_ms; };
  EXPECT_EQ(parameters.window, (Window{.length_ms = 86'400'000, .generations = 3}));
  AnyFilter again =
      AnyFilter(WindowedFilter(parameters, HeapWords(WindowedLayout::word_count(parameters)), 0));
  testing::insert_over_days(again, now_ms);
  save(again, folder / "f", {.notes = inspect(golden).notes});
  EXPECT_EQ(read_file(folder / "f"), read_file(golden));
}

}  // namespace
}  // namespace bloomery
