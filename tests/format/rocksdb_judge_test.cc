// SPDX-License-Identifier: Apache-2.0
// RocksDB's own library, version 7.8, against bloomery/format/rocksdb.h, over many sizes.
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <memory>

#include "benchmarks/peers/rocksdb_filter_bits.h"
#include "bloomery/format/rocksdb.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/keys.h"

using namespace bloomery;
using namespace bloomery::golden;

namespace {

TEST(RocksDbLibrary, MakesTheSameBytesAndAnswersTheSame) {
  if (rocksdb::GetRocksVersionAsString(false) != "7.8") {
    GTEST_SKIP() << "its filters have no public interface, and only that of 7.8 is known here";
  }
  const auto patterns = bloomery::testing::key_patterns();
  std::size_t turn = 0;
  for (const char* const bits_per_key :
       {"1", "2.08", "2.081", "5.5", "9.9", "10", "14", "25.5", "28.1", "50", "50.001", "100"}) {
    const std::unique_ptr<const rocksdb::FilterPolicy> policy(
        rocksdb::NewBloomFilterPolicy(std::stod(bits_per_key)));
    for (const std::size_t count : {1U, 5U, 51U, 52U, 1000U, 30'000U}) {
      const bloomery::testing::KeyPattern& pattern = patterns[turn++ % patterns.size()];
      SCOPED_TRACE(pattern.name + ", " + bits_per_key + " bits for each of " +
                   std::to_string(count));
      rocksdb::BlockBasedTableOptions options;
      options.format_version = 5;
      const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
          policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(options)));
      AnyFilter ours =
          rocksdb_format::kFormat.create({.capacity = count}, {{"bits_per_key", bits_per_key}});
      for (std::size_t i = 0; i < count; ++i) {
        builder->AddKey(pattern.make(i));
        ours.insert(pattern.make(i));
      }
      std::unique_ptr<const char[]> owner;
      const std::string theirs = builder->Finish(&owner).ToString();
      const auto bytes = encode(rocksdb_format::kFormat, ours.contents());
      ASSERT_EQ(text_of(bytes), theirs);

      const std::string written = text_of(bytes);
      const std::unique_ptr<rocksdb::FilterBitsReader> reader(policy->GetFilterBitsReader(written));
      const AnyFilter read = rocksdb_format::decode(bytes_of(theirs));
      for (std::size_t i = count / 2; i < count / 2 + 500; ++i) {
        ASSERT_EQ(read.may_contain(pattern.make(i)), reader->MayMatch(pattern.make(i)));
      }
    }
  }
}

}  // namespace
