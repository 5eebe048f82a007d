// SPDX-License-Identifier: Apache-2.0
// Mapped files whose bytes are not what they were: no member is ever "absent".
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/format/format.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/system_faults.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::keys_of;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::Sample;
using testing::sample_members;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

constexpr MapOptions kUnchecked{.verify_when_touched = false};

std::size_t found_one_by_one(const AnyFilter& filter, const std::vector<std::string>& keys) {
  return static_cast<std::size_t>(
      std::ranges::count_if(keys, [&](const auto& key) { return filter.may_contain(key); }));
}

std::size_t found_as_bits(const AnyFilter& filter, const std::vector<std::string>& keys) {
  std::vector<std::uint64_t> bits((keys.size() + 63) / 64);
  filter.may_contain_many(keys_of(keys), bits);
  std::size_t count = 0;
  for (const std::uint64_t word : bits) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

// Zeros in 512 bytes of the body that have bits, from `part` of it on.
void zero_some(const std::filesystem::path& path, double part) {
  const FileInfo info = inspect(path);
  std::string bytes = read_file(path);
  const auto end = static_cast<std::size_t>(info.body_offset + info.body_bytes);
  auto at = static_cast<std::size_t>(
      info.body_offset + static_cast<std::uint64_t>(part * static_cast<double>(info.body_bytes)));
  const auto is_filled = [&](std::string_view some) {
    return std::ranges::count(some, '\0') < 470;
  };
  for (int tries = 0; !is_filled(std::string_view(bytes).substr(at, 512)); ++tries) {
    at = at + 1024 > end ? static_cast<std::size_t>(info.body_offset) : at + 512;
    if (tries == 100'000) throw std::logic_error("no bits to take away");
  }
  bytes.replace(at, 512, 512, '\0');
  write_file(path, bytes);
}

// Every kind there is, and every layout of it, in more blocks than one.
std::vector<Sample> large_samples() {
  constexpr std::uint64_t kKeys = 70'000;
  std::vector<Sample> all;
  for (const Kind& kind : filter_kinds()) {
    for (const double rate : {0.01, 1e-7}) {
      all.push_back({std::string(kind.name) + (rate < 0.01 ? "_low_rate" : ""),
                     sample(kind.number, {.capacity = kKeys, .false_positive_rate = rate}, kKeys)});
    }
  }
  all.push_back({"grown", sample(FilterKind::scalable, {.capacity = 4'000}, kKeys)});
  for (const Format* format : formats()) {
    if (format->create == nullptr) continue;
    AnyFilter filter = format->create({.capacity = kKeys}, {});
    const std::string_view name = format->name;
    // Faithful to a system whose filters say "maybe" to all.
    if (name == "javascript") continue;
    filter.insert_many(keys_of(sample_members(kKeys)));
    all.push_back({std::string(format->name), std::move(filter)});
  }
  return all;
}

TEST(MappedDamage, NothingDamagedEverSaysAbsent) {
  const ScratchFolder folder;
  const auto path = folder / "f";
  const auto members = sample_members(70'000);
  const auto some = sample_members(3'000);
  const auto strangers = testing::texts(3'000, "stranger:");
  for (const auto& [name, filter] : large_samples()) {
    SCOPED_TRACE(name);
    save(filter, path);
    const FileInfo info = inspect(path);
    ASSERT_GT(info.block_count, 1U);
    const std::size_t chance = found_as_bits(filter, strangers);
    zero_some(path, 1.0 / 3);
    {
      MappedFilter mapped = open_mapped(path);
      EXPECT_FALSE(mapped.is_damaged());
      EXPECT_EQ(found_one_by_one(*mapped, some), some.size());
      EXPECT_EQ(found_as_bits(*mapped, members), members.size());
      EXPECT_TRUE(mapped.is_damaged());
      // Whole blocks still say "absent": with two blocks, to half of the strangers.
      EXPECT_GE(found_as_bits(*mapped, strangers), chance);
      if (info.block_count > 3) {
        EXPECT_LT(found_as_bits(*mapped, strangers), strangers.size() * 3 / 4);
      }
      const auto damaged = ThrowsMessage<FormatError>(HasSubstr("damaged: checksum of body block"));
      EXPECT_THAT([&] { save(*mapped, folder / "copy"); }, damaged);
      AnyFilter own = std::move(mapped);
      if (own.can_insert()) {
        EXPECT_THAT([&] { own.insert_many(keys_of(members)); }, damaged);
      }
      EXPECT_EQ(found_as_bits(own, some), some.size());
    }
    // The way to say no to this.
    EXPECT_LT(found_as_bits(*open_mapped(path, kUnchecked), members), members.size());
  }
}

TEST(MappedDamage, AnswersAreTheSameBeforeAndAfterAllWasChecked) {
  const ScratchFolder folder;
  const auto strangers = testing::texts(3'000, "stranger:");
  for (const auto& [name, filter] : large_samples()) {
    SCOPED_TRACE(name);
    save(filter, folder / "f");
    const MappedFilter mapped = open_mapped(folder / "f");
    const std::size_t by_chance = found_as_bits(filter, strangers);
    EXPECT_LT(by_chance, strangers.size() / 10);
    EXPECT_EQ(found_as_bits(*mapped, strangers), by_chance);
    EXPECT_EQ(found_one_by_one(*mapped, strangers), by_chance);
    EXPECT_FALSE(mapped.is_damaged());
    // The keys are asked as integers and as pairs, before any block was checked.
    const MappedFilter fresh = open_mapped(folder / "f");
    const std::vector<std::uint64_t> integers{1, 2, 3, 4, 5, 6, 7};
    bool found[7];
    bool expected[7];
    fresh.may_contain_many(integers, found);
    filter.may_contain_many(integers, expected);
    EXPECT_TRUE(std::ranges::equal(found, expected));
  }
}

// Threads whose first questions meet at the same blocks.
TEST(MappedDamage, ThreadsCheckBlocksTogether) {
  const ScratchFolder folder;
  const auto members = sample_members(200'000);
  const auto strangers = testing::texts(2'000, "stranger:");
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 200'000}, members.size());
  save(filter, folder / "f");
  for (const bool damage : {false, true}) {
    if (damage) zero_some(folder / "f", 0.5);
    const MappedFilter mapped = open_mapped(folder / "f");
    std::atomic<std::size_t> found{0};
    std::atomic<std::size_t> found_strangers{0};
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
          if (t % 2 == 0) found_strangers += found_one_by_one(*mapped, strangers);
          found += found_as_bits(*mapped, members);
          if (t % 2 == 1) found_strangers += found_as_bits(*mapped, strangers);
        });
      }
    }
    EXPECT_EQ(found, 4 * members.size());
    EXPECT_EQ(found_strangers, 4 * found_as_bits(*mapped, strangers));
    EXPECT_EQ(mapped.is_damaged(), damage);
  }
}

TEST(MappedDamage, ABlockThatCannotBeReadIsMaybe) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 1'000}), folder / "f");
  const MappedFilter mapped = open_mapped(folder / "f");
  {
    const testing::FailingCall failing(1, EIO, "pread");
    EXPECT_TRUE(mapped.may_contain("stranger"));
    EXPECT_EQ(failing.failed(), "pread");
  }
  EXPECT_TRUE(mapped.is_damaged());
}

// A way in which others change a file that is mapped.
struct Overwriting {
  const char* name;
  void (*act)(const std::filesystem::path& live, const std::string& other);
};

constexpr Overwriting kOverwritings[] = {
    {"copied over", write_file},
    {"written in place",
     [](const std::filesystem::path& live, const std::string& other) {
       std::fstream file(live, std::ios::in | std::ios::out | std::ios::binary);
       file << other;
     }},
    {"cut and grown again",
     [](const std::filesystem::path& live, const std::string& other) {
       std::filesystem::resize_file(live, 0);
       std::filesystem::resize_file(live, other.size());
     }},
    {"half copied",
     [](const std::filesystem::path& live, const std::string& other) {
       write_file(live, other.substr(0, other.size() / 2));
     }},
};

TEST(MappedDamage, AFileThatOthersWriteOverIsMaybe) {
  const auto members = sample_members(20'000);
  const auto others = testing::texts(20'000, "other:");
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic}) {
    AnyFilter live = make_filter(kind, {.capacity = 20'000});
    live.insert_many(keys_of(members));
    AnyFilter other = make_filter(kind, {.capacity = 20'000});
    // Keys are inserted until the headers are the same to the byte.
    for (std::size_t i = 0; other.inserted() < live.inserted(); ++i)
      other.insert(others.at(i % others.size()) + "x" + std::to_string(i / others.size()));
    for (const auto& [name, act] : kOverwritings) {
      for (const bool by_batch : {false, true}) {
        for (const bool warm : {false, true}) {
          for (const auto access : {MapOptions::read_only, MapOptions::read_write}) {
            SCOPED_TRACE(std::string(name) + (by_batch ? " batch" : "") + (warm ? " warm" : "") +
                         (access == MapOptions::read_write ? " writer" : ""));
            const ScratchFolder folder;
            save(live, folder / "live");
            save(other, folder / "other");
            MappedFilter mapped = open_mapped(folder / "live", {.access = access});
            if (warm) found_as_bits(*mapped, others);
            act(folder / "live", read_file(folder / "other"));
            const auto count = by_batch ? found_as_bits : found_one_by_one;
            EXPECT_EQ(count(*mapped, members), members.size());
            EXPECT_TRUE(mapped.is_damaged());
            if (access == MapOptions::read_write) {
              EXPECT_THROW(mapped.insert("lost"), StoreError);
              EXPECT_THROW(mapped.close(), StoreError);
            }
          }
        }
      }
    }
  }
}

// The bytes are equal in the end, but between cut and end questions saw a part of them.
TEST(MappedDamage, AFileThatIsCopiedOverItselfIsMaybe) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 20'000}), folder / "f");
  const MappedFilter mapped = open_mapped(folder / "f");
  write_file(folder / "f", read_file(folder / "f"));
  EXPECT_TRUE(mapped.may_contain("stranger"));
  EXPECT_TRUE(mapped.is_damaged());
}

// No page is lost, so no signal tells.
TEST(MappedDamage, AFileThatIsCutWithinItsLastPageIsMaybe) {
  const auto members = sample_members(1'000);
  const ScratchFolder folder;
  for (const Kind& kind : filter_kinds()) {
    save(sample(kind.number, {.capacity = 1'000}, 1'000), folder / "whole");
    const auto size = std::filesystem::file_size(folder / "whole");
    const std::uint64_t last_page = (size - 1) / 4096 * 4096;
    for (const std::uint64_t left : {size - 4, size - 5, last_page + 600, last_page + 1}) {
      for (const auto access : {MapOptions::read_only, MapOptions::read_write}) {
        if (access == MapOptions::read_write && !is_changed_in_place(kind.number)) continue;
        SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(left));
        const auto path = folder / "f";
        write_file(path, read_file(folder / "whole"));
        const MappedFilter mapped = open_mapped(path, {.access = access});
        std::filesystem::resize_file(path, std::min(left, size - 1));
        EXPECT_EQ(found_one_by_one(*mapped, members), members.size());
        EXPECT_TRUE(mapped.is_damaged());
      }
    }
  }
}

// Readers have no part in what a writer does; its table of checksums is old until it closes.
TEST(MappedDamage, AReaderSaysMaybeOnceAWriterOpenedTheFile) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 1'000}), folder / "f");
  const MappedFilter reader = open_mapped(folder / "f");
  EXPECT_FALSE(reader.may_contain("stranger"));
  MappedFilter writer = open_mapped(folder / "f", kReadWrite);
  EXPECT_FALSE(writer.may_contain("stranger"));
  EXPECT_TRUE(reader.may_contain("stranger"));
  writer.insert("one more");
  writer.flush();
  EXPECT_FALSE(writer.may_contain("stranger"));
  EXPECT_FALSE(writer.is_damaged());
  writer.close();
  EXPECT_TRUE(reader.is_damaged());
  EXPECT_FALSE(open_mapped(folder / "f").may_contain("stranger"));
}

}  // namespace
}  // namespace bloomery
