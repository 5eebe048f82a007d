// SPDX-License-Identifier: Apache-2.0
// The filters of our own module in dumps: whole, or refused.
#include "bloomery/format/rdb/native_value.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/write_native.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/support/keys.h"

namespace bloomery::rdb {
namespace {

using golden::bytes_of;
using testing::append_length;
using testing::append_number;
using namespace std::string_literals;

AnyFilter sample_filter() {
  AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 20'000});
  for (const std::string& key : testing::texts(2'000, "item:")) filter.insert(key);
  return filter;
}

std::string file_bytes(const AnyFilter& filter) {
  const FilterContents contents = filter.contents();
  std::string all;
  write_native(
      NativeHead(contents, {.watermark = 5, .note = "n", .epoch = 7}), contents,
      [&](auto piece) { all.append(reinterpret_cast<const char*>(piece.data()), piece.size()); });
  return all;
}

// The values of type "bloomeryF": the number, the pieces, each packed or not, and the end.
std::string native_dump(std::uint64_t byte_count, const std::vector<std::string>& pieces,
                        bool packs = false, const std::string& type = "bloomeryF",
                        std::uint64_t version = 1) {
  std::string bytes = "REDIS0011\7" + testing::plain_string("key");
  append_length(bytes, testing::type_id(type, version));
  append_number(bytes, byte_count);
  for (const std::string& each : pieces) {
    bytes += '\5' + (packs ? testing::packed_string(each) : testing::plain_string(each));
  }
  return testing::with_crc(bytes + "\0\xff"s);
}

std::vector<std::string> cut(const std::string& bytes, std::size_t size) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < bytes.size(); at += size) pieces.push_back(bytes.substr(at, size));
  return pieces;
}

std::string refusal(const std::string& dump) {
  const RdbFile file = read_rdb(bytes_of(dump));
  std::string why;
  try {
    extract_native(bytes_of(dump), file.modules.at(0));
  } catch (const FormatError& error) {
    why = error.what();
  }
  return why;
}

TEST(NativeValue, IsTheSameFilterHoweverItIsCutAndPacked) {
  const AnyFilter filter = sample_filter();
  const std::string bytes = file_bytes(filter);
  for (const std::size_t size : {std::size_t{997}, std::size_t{65'537}, bytes.size()}) {
    for (const bool packs : {false, true}) {
      const std::string dump = native_dump(bytes.size(), cut(bytes, size), packs);
      const ModuleKey key = read_rdb(bytes_of(dump)).modules.at(0);
      EXPECT_EQ(holds(key), Holds::native);
      const NativeValue value = extract_native(bytes_of(dump), key);
      EXPECT_EQ(file_bytes(value.filter), bytes);
      EXPECT_EQ(value.notes.epoch, 7U);
      const FileHeader header = describe_native(bytes_of(dump), key);
      EXPECT_EQ(header.contents.inserted, filter.inserted());
      EXPECT_TRUE(header.contents.words.empty());
    }
  }
}

TEST(NativeValue, ThatIsNotWholeOrDamagedIsRefused) {
  const std::string bytes = file_bytes(sample_filter());
  std::string flipped = bytes;
  flipped[bytes.size() / 2] = static_cast<char>(flipped[bytes.size() / 2] ^ 1);
  const std::vector<std::string> pieces = cut(bytes, 5'000);
  const std::vector<std::string> without_last(pieces.begin(), pieces.end() - 1);
  std::vector<std::string> with_empty = pieces;
  with_empty[1].clear();
  EXPECT_EQ(refusal(native_dump(bytes.size(), pieces)), "");
  EXPECT_NE(refusal(native_dump(bytes.size(), {flipped})), "");
  EXPECT_NE(refusal(native_dump(bytes.size(), without_last)), "");
  EXPECT_NE(refusal(native_dump(bytes.size() - pieces.back().size(), without_last)), "");
  EXPECT_NE(refusal(native_dump(bytes.size() - 1, pieces)), "");
  EXPECT_NE(refusal(native_dump(bytes.size() + 1, pieces)), "");
  EXPECT_NE(refusal(native_dump(bytes.size(), with_empty)), "");
  EXPECT_NE(refusal(native_dump(std::uint64_t{1} << 60, pieces)), "") << "takes no memory";
  EXPECT_NE(refusal(native_dump(0, {})), "");
  EXPECT_NE(refusal(native_dump(bytes.size(), pieces, false, "bloomeryF", 2)), "");
  // A value of another type is no filter, whatever it looks like.
  for (const char* const type : {"bloomeryU", "bloomeryH", "bloomeryK", "bloomeryX", "MBbloom--"}) {
    EXPECT_NE(refusal(native_dump(bytes.size(), pieces, false, type)), "") << type;
  }
}

}  // namespace
}  // namespace bloomery::rdb
