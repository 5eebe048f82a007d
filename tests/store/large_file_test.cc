// SPDX-License-Identifier: Apache-2.0
// Files larger than memory should be, and disks smaller than files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_file;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// A filter of 2^37 bits, all clear but one, that takes two megabytes of disk.
void write_sparse_filter(const std::filesystem::path& path, std::uint64_t set_bit) {
  FileHeader header;
  header.contents.parameters.kind = FilterKind::classic;
  header.contents.parameters.geometry = {std::uint64_t{1} << 37, 7, 0};
  header.contents.parameters.capacity = 10'000'000'000;
  header.contents.parameters.false_positive_rate = 0.01;
  const auto head = encode_head(header);
  const auto layout = FileLayout::of(0, header.contents.parameters.geometry.bit_count);
  std::vector<std::uint64_t> block(kBlockBytes / 8);
  std::vector<std::uint32_t> table(layout.block_count, crc32c(std::as_bytes(std::span(block))));
  const std::uint64_t set_block = set_bit / 8 / kBlockBytes;
  block[set_bit / kWordBits % block.size()] |= bit_mask(set_bit);
  table[set_block] = crc32c(std::as_bytes(std::span(block)));

  std::ofstream file(path, std::ios::binary);
  const auto put = [&](std::uint64_t at, std::span<const std::byte> bytes) {
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  };
  put(0, head);
  put(layout.block_begin(set_block), std::as_bytes(std::span(block)));
  put(layout.table_offset, std::as_bytes(std::span(table)));
}

TEST(LargeFile, OpensWithoutBeingRead) {
  const ScratchFolder folder;
  constexpr std::uint64_t kBit = (std::uint64_t{1} << 36) + (std::uint64_t{1} << 32) + 5;
  write_sparse_filter(folder / "f", kBit);
  std::error_code ignored;
  const auto size = std::filesystem::file_size(folder / "f", ignored);
  if (size < 16'384 * kMiB) GTEST_SKIP() << "this file system has no sparse files of 16 GiB";
  const std::uint64_t before = resident_bytes();
  MappedFilter mapped = open_mapped(folder / "f");
  {
    // The contents() of this filter do not read all of it.
    const MappedFilter unchecked = open_mapped(folder / "f", {.verify_when_touched = false});
    EXPECT_TRUE(test_bit(unchecked->contents().words.front(), kBit));
    EXPECT_FALSE(test_bit(unchecked->contents().words.front(), kBit - (std::uint64_t{1} << 32)));
  }
  for (const std::string& key : testing::sample_members()) EXPECT_FALSE(mapped.may_contain(key));
  AnyFilter own = std::move(mapped);
  EXPECT_TRUE(own.insert("beyond four gigabytes"));
  EXPECT_TRUE(own.may_contain("beyond four gigabytes"));
  // Every key touches a few pages of 4 KiB.
  EXPECT_LT(resident_bytes() - before, 64 * kMiB);
}

class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      GTEST_SKIP() << "this user cannot mount a small disk";
    }
    mounted_ = true;
  }
  ~FullDisk() override {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }

  ScratchFolder folder_;
  bool mounted_ = false;
};

TEST_F(FullDisk, IsAnErrorAndTheOldFileStays) {
  const AnyFilter large = make_filter(FilterKind::blocked, {.capacity = 2'000'000});
  const auto full = ThrowsMessage<StoreError>(HasSubstr("No space left on device"));
  EXPECT_THAT([&] { save(large, folder_ / "f"); }, full);
  EXPECT_THAT(folder_.names(), IsEmpty());
  save(testing::sample(FilterKind::blocked, {.capacity = 500}), folder_ / "f");
  const std::string before = read_file(folder_ / "f");
  EXPECT_THAT([&] { save(large, folder_ / "f"); }, full);
  EXPECT_EQ(read_file(folder_ / "f"), before);
  EXPECT_THAT(folder_.names(), ElementsAre("f"));
}

TEST_F(FullDisk, IsAnErrorWhenAFileWithHolesIsMappedForWriting) {
  const AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 1'000'000});
  const ScratchFolder elsewhere;
  save(filter, elsewhere / "f");
  const std::string bytes = read_file(elsewhere / "f");
  // The test writes only header and table: the body is a hole larger than the disk.
  const FileInfo info = inspect(elsewhere / "f");
  const auto table = static_cast<std::size_t>(info.body_offset + info.body_bytes);
  {
    std::ofstream file(folder_ / "f", std::ios::binary);
    file.write(bytes.data(), 4096);
    file.seekp(static_cast<std::streamoff>(table));
    file << bytes.substr(table);
  }
  EXPECT_EQ(load(folder_ / "f").inserted(), 0U);
  EXPECT_THAT([&] { open_mapped(folder_ / "f", {.access = MapOptions::read_write}); },
              ThrowsMessage<StoreError>(HasSubstr("No space left on device")));
  EXPECT_EQ(load(folder_ / "f").inserted(), 0U);
}

TEST_F(FullDisk, ReadOnlyMountsAreReadAndNotWritten) {
  save(testing::sample(FilterKind::blocked, {.capacity = 500}), folder_ / "f");
  ASSERT_EQ(mount(nullptr, folder_.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  EXPECT_TRUE(load(folder_ / "f").may_contain("member:0"));
  EXPECT_TRUE(open_mapped(folder_ / "f").may_contain("member:0"));
  EXPECT_THAT([&] { save(load(folder_ / "f"), folder_ / "f"); },
              ThrowsMessage<StoreError>(HasSubstr("Read-only file system")));
}

}  // namespace
}  // namespace bloomery
