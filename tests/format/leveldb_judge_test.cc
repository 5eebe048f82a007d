// SPDX-License-Identifier: Apache-2.0
// LevelDB's own library against bloomery/format/leveldb.h, over many sizes.
#include <gtest/gtest.h>
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <memory>

#include "bloomery/format/leveldb.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/keys.h"

using namespace bloomery;
using namespace bloomery::golden;

namespace {

class LevelDbJudge {
 public:
  explicit LevelDbJudge(int bits_per_key) : policy_(leveldb::NewBloomFilterPolicy(bits_per_key)) {}

  std::string filter(const std::vector<std::string>& keys) const {
    const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
    std::string bytes;
    policy_->CreateFilter(slices.data(), static_cast<int>(slices.size()), &bytes);
    return bytes;
  }
  bool may_match(const std::string& key, const std::string& filter) const {
    return policy_->KeyMayMatch(key, filter);
  }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
};

std::vector<std::string> keys_of(const bloomery::testing::KeyPattern& pattern, std::uint64_t from,
                                 std::size_t count) {
  std::vector<std::string> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = pattern.make(from + i);
  return keys;
}

TEST(LevelDbLibrary, MakesTheSameBytesAndAnswersTheSame) {
  const auto patterns = bloomery::testing::key_patterns();
  std::size_t turn = 0;
  for (const int bits_per_key : {1, 2, 5, 10, 13, 20, 43, 44, 50, 100, 300}) {
    const LevelDbJudge judge(bits_per_key);
    for (const std::size_t count : {1U, 2U, 3U, 6U, 7U, 8U, 50U, 333U, 2000U, 20'001U}) {
      const bloomery::testing::KeyPattern& pattern = patterns[turn++ % patterns.size()];
      SCOPED_TRACE(pattern.name + ", " + std::to_string(bits_per_key) + " bits for each of " +
                   std::to_string(count));
      const auto members = keys_of(pattern, 0, count);
      AnyFilter ours = leveldb_format::kFormat.create(
          {.capacity = count}, {{"bits_per_key", std::to_string(bits_per_key)}});
      ours.insert_many(bloomery::testing::keys_of(members));
      const std::string theirs = judge.filter(members);
      ASSERT_EQ(text_of(encode(leveldb_format::kFormat, ours.contents())), theirs);

      const AnyFilter read = leveldb_format::decode(bytes_of(theirs));
      for (const std::string& key : keys_of(pattern, count / 2, 500)) {
        ASSERT_EQ(read.may_contain(key), judge.may_match(key, theirs));
      }
    }
  }
}

TEST(LevelDbLibrary, AnswersTheSameForAnyBytes) {
  const LevelDbJudge judge(10);
  std::uint64_t state = 1;
  for (std::size_t size = 0; size < 40; ++size) {
    for (int last = 0; last < 256; last += size < 3 ? 1 : 15) {
      std::string bytes(size, '\0');
      for (char& byte : bytes) {
        state = state * 6364136223846793005 + 1442695040888963407;
        byte = static_cast<char>(state >> 56);
      }
      if (size > 0) bytes.back() = static_cast<char>(last);
      const AnyFilter filter = leveldb_format::decode(bytes_of(bytes));
      const auto again = encode(leveldb_format::kFormat, filter.contents());
      for (int key = 0; key < 20; ++key) {
        const std::string text = "key " + std::to_string(key);
        const bool theirs = judge.may_match(text, bytes);
        ASSERT_EQ(filter.may_contain(text), theirs) << size << " bytes, last " << last;
        ASSERT_EQ(judge.may_match(text, text_of(again)), theirs);
      }
    }
  }
}

}  // namespace
