// SPDX-License-Identifier: Apache-2.0
#include "module/stored_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/errors.h"

namespace bloomery::module {
namespace {

using redisbloom::ChunkLoader;

std::string key(int i) {
  return "key " + std::to_string(i);
}

std::unique_ptr<StoredFilter> filter_of(int keys) {
  auto filter = StoredFilter::reserve({.capacity = 50});
  for (int i = 0; i < keys; ++i) filter->try_insert(key(i));
  return filter;
}

std::vector<std::byte> bytes_of(const StoredFilter& filter) {
  std::vector<std::byte> all;
  redisbloom::encode_dump(filter.contents(), [&](std::span<const std::byte> part) {
    all.insert(all.end(), part.begin(), part.end());
  });
  return all;
}

TEST(StoredChain, KeepsWhatIsInsertedWhileItLoads) {
  const auto from = filter_of(300);
  const FilterContents contents = from->contents();
  const auto to = StoredFilter::of_header(redisbloom::encode_header(contents));
  EXPECT_TRUE(to->is_incomplete());
  to->try_insert("meanwhile");
  for (std::uint64_t at = 1;;) {
    const auto chunk = redisbloom::dump_chunk(contents, at, 40);
    if (chunk.next == 0) break;
    EXPECT_TRUE(to->is_incomplete());
    EXPECT_EQ(to->load(chunk.next, chunk.bytes), ChunkLoader::Took::all);
    at = chunk.next;
  }
  EXPECT_FALSE(to->is_incomplete());
  EXPECT_TRUE(to->may_contain("meanwhile"));
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(to->may_contain(key(i)));
}

TEST(StoredChain, TakesPiecesOfAFilterInUseWithinItsLinks) {
  const auto filter = filter_of(300);
  const std::vector<std::byte> zeros(8);
  const std::uint64_t first = redisbloom::link_bytes(filter->contents().layers[0]);
  const std::uint64_t last_word = filter->contents().words[0].back();
  EXPECT_EQ(filter->load(8, zeros), ChunkLoader::Took::no_such_link);
  EXPECT_EQ(filter->load(first + 1, zeros), ChunkLoader::Took::all);
  EXPECT_EQ(filter->load(first + 2, zeros), ChunkLoader::Took::beyond_its_link);
  EXPECT_EQ(filter->load(std::uint64_t{1} << 62, zeros), ChunkLoader::Took::no_such_link);
  EXPECT_EQ(filter->load(1, {}), ChunkLoader::Took::all);
  EXPECT_EQ(filter->contents().words[0].back(), last_word) << "bits are added, and none is taken";
}

TEST(StoredChain, IsItsCloneUntilEitherChanges) {
  const auto filter = filter_of(300);
  const auto clone = filter->clone();
  EXPECT_EQ(bytes_of(*clone), bytes_of(*filter));
  for (int i = 1000; i < 1100; ++i) clone->try_insert(key(i));
  EXPECT_EQ(filter->inserted() + 100, clone->inserted());
}

TEST(StoredChain, RefusesWhatNoMemoryHolds) {
  EXPECT_THROW(StoredFilter::reserve({.capacity = std::uint64_t{1} << 50}), std::bad_alloc);
  EXPECT_THROW(StoredFilter::reserve({.capacity = 10, .error_rate = 5e-324}),
               std::invalid_argument);
  EXPECT_THROW(StoredFilter::of_header(std::vector<std::byte>(73)), FormatError);
}

}  // namespace
}  // namespace bloomery::module
