// SPDX-License-Identifier: Apache-2.0
// Files that are not whole, or not ours: every one is refused, by everything that opens files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "bloomery/errors.h"
#include "bloomery/format/native/crc32c.h"
#include "bloomery/store/body_io.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

class DamagedFile : public ::testing::Test {
 protected:
  // Two blocks of body, all kinds of fields.
  DamagedFile() { save_filter_for(100'000); }

  void save_filter_for(std::uint64_t capacity) {
    save(sample(FilterKind::blocked, {.capacity = capacity, .secret = true}), file_,
         {.replace = true, .notes = {.watermark = 5, .note = "of the test"}});
    whole_ = read_file(file_);
  }

  // Refused by load, inspect and both ways of mapping, and left as it is.
  void expect_refused(const std::string& bytes, const std::string& reason = "") {
    write_file(file_, bytes);
    const auto refuses = [&](const auto& open) {
      EXPECT_THAT(open, ThrowsMessage<FormatError>(
                            AllOf(HasSubstr(file_.string() + ": "), HasSubstr(reason))));
    };
    refuses([&] { load(file_); });
    refuses([&] { open_mapped(file_, testing::kVerified); });
    refuses([&] { open_mapped(file_, kReadWrite); });
    refuses([&] { FilterEditor editor(file_); });
    EXPECT_EQ(read_file(file_), bytes);
  }

  std::string flipped(std::size_t byte, int bit) const {
    std::string bytes = whole_;
    bytes.at(byte) = static_cast<char>(bytes.at(byte) ^ (1 << bit));
    return bytes;
  }

  template <class T>
  std::string with(std::size_t offset, T value) const {
    std::string bytes = whole_;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return signed_again(std::move(bytes));
  }

  std::string with_byte(std::size_t offset, int value) const {
    return with(offset, static_cast<std::uint8_t>(value));
  }

  // With a right checksum of the header, so that its meaning is what is refused.
  static std::string signed_again(std::string bytes) {
    std::uint16_t field_bytes;
    std::memcpy(&field_bytes, bytes.data() + 14, sizeof field_bytes);
    const auto all = std::as_bytes(std::span(bytes));
    const std::uint32_t sum = crc32c(all.subspan(64, field_bytes), crc32c(all.first(60)));
    std::memcpy(bytes.data() + 60, &sum, sizeof sum);
    return bytes;
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_ / "users.bloom";
  std::string whole_;
};

TEST_F(DamagedFile, IsRefusedWhenTruncatedAnywhere) {
  expect_refused("", "the file is empty");
  for (std::size_t size = 1; size < kHeaderBytes; ++size) {
    expect_refused(whole_.substr(0, size), "truncated: " + std::to_string(size) + " bytes");
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 60; ++i) {
    expect_refused(whole_.substr(0, kHeaderBytes + random() % (whole_.size() - kHeaderBytes)),
                   "truncated");
  }
  expect_refused(whole_.substr(0, whole_.size() - 1), "header says ");
}

TEST_F(DamagedFile, IsRefusedWhenLonger) {
  for (const std::size_t more : {1, 8, 4096}) {
    expect_refused(whole_ + std::string(more, '\0'), "too long");
  }
  expect_refused(whole_ + whole_, "too long");
}

TEST_F(DamagedFile, IsRefusedWithAnyBitOfTheHeadFlipped) {
  save_filter_for(100);  // a short file, as there are a thousand bits
  std::uint16_t field_bytes;
  std::memcpy(&field_bytes, whole_.data() + 14, sizeof field_bytes);
  ASSERT_EQ(field_bytes, 40 + 16 + 16);
  for (std::size_t byte = 0; byte < kHeaderBytes + field_bytes; ++byte) {
    for (int bit = 0; bit < 8; ++bit) expect_refused(flipped(byte, bit));
  }
}

TEST_F(DamagedFile, IsRefusedWithAnyOtherBitFlipped) {
  const FileInfo info = inspect(file_);
  ASSERT_EQ(info.block_count, 2U);
  std::mt19937_64 random(2);
  const auto flip_within = [&](std::uint64_t from, std::uint64_t to, const std::string& reason) {
    expect_refused(flipped(from + random() % (to - from), static_cast<int>(random() % 8)), reason);
  };
  const std::uint64_t table = info.body_offset + info.body_bytes;
  for (int i = 0; i < 150; ++i) flip_within(info.body_offset, table, "damaged: checksum of body");
  for (int i = 0; i < 50; ++i) flip_within(200, info.body_offset, "damaged: padding at byte");
  for (std::uint64_t byte = table; byte < info.file_bytes; ++byte) {
    for (int bit = 0; bit < 8; ++bit) expect_refused(flipped(byte, bit), "damaged: checksum");
  }
}

TEST_F(DamagedFile, NamesTheBlockThatIsDamaged) {
  expect_refused(flipped(4096 + 65'536, 0), "damaged: checksum of body block 1 (bytes 69,632 to ");
  const FileInfo info = inspect(file_, true);
  EXPECT_EQ(info.damaged_blocks, 1U);
  EXPECT_EQ(info.first_damaged_block, 1U);
}

TEST_F(DamagedFile, IsRefusedWithItsTailZeroed) {
  for (const std::size_t from : {4096U, 5000U, 65'536U, 70'000U}) {
    std::string bytes = whole_;
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end(), '\0');
    expect_refused(bytes, "damaged: checksum of body");
  }
}

TEST_F(DamagedFile, IsRefusedWhenItWasNeverOurs) {
  expect_refused("\x1f\x8b\x08\0\0\0\0\0", "not a bloomery filter (bad magic at byte 0)");
  expect_refused("some text\n", "not a bloomery filter (bad magic at byte 0)");
  expect_refused(std::string(10'000, '\0'), "not a bloomery filter");
  expect_refused(
      "\x89"
      "BLOOM\n\n",
      "bad magic at byte 6");
}

TEST_F(DamagedFile, IsRefusedFromTheFuture) {
  expect_refused(with<std::uint8_t>(8, 2), "written by a newer version (2; this program reads 1)");
  expect_refused(with<std::uint8_t>(8, 0), "unknown version (0");
  for (int flag = 2; flag < 8; ++flag) {
    expect_refused(with(9, static_cast<std::uint8_t>(1 << flag)), "unknown flags");
  }
  expect_refused(with<std::uint8_t>(9, 1), "not closed cleanly");
  expect_refused(with<std::uint8_t>(9, 2), "a filter in a server, which no checksum covers");
}

TEST_F(DamagedFile, IsRefusedWithAHeaderThatCannotBe) {
  for (const int kind : {0, 99, 128, 255}) {
    expect_refused(with_byte(10, kind), "unknown filter kind");
  }
  for (const int hash : {0, 7, 255}) expect_refused(with_byte(11, hash), "unknown hash");
  expect_refused(with_byte(11, 3), "3 is that of foreign schemes");
  expect_refused(with<std::uint8_t>(11, 1), "a secret key, but a hash that has none");
  for (const int probes : {0, 9, 255}) {
    expect_refused(with_byte(12, probes), "impossible geometry");
  }
  for (const int lines : {0, 3, 255}) {
    expect_refused(with_byte(13, lines), "impossible geometry");
  }
  expect_refused(with<std::uint64_t>(16, 1), "a secret filter with a seed");
  const std::uint64_t extremes[] = {0, 1ULL << 31, 1ULL << 32, (1ULL << 63) - 1, ~0ULL};
  for (const std::uint64_t value : extremes) {
    expect_refused(with(24, value));
    expect_refused(with(40, value));
    if (value == 0 || value > 1ULL << 20) expect_refused(with(32, value), "impossible promise");
    if (value > 1ULL << 32) expect_refused(with(48, value), "impossible count");
  }
  for (const double rate : {-0.01, -0.0, 0.0, 1.0, 2.0, 1e-300, 5e-324, HUGE_VAL, std::nan("")}) {
    expect_refused(with(40, rate), "impossible promise");
  }
}

TEST_F(DamagedFile, IsRefusedWithFieldsThatCannotBe) {
  expect_refused(with<std::uint16_t>(14, 7), "multiple of 8");
  expect_refused(with<std::uint16_t>(14, 64), "damaged: padding at byte 128");
  expect_refused(with<std::uint16_t>(14, 0), "damaged: padding at byte 64");
  expect_refused(with<std::uint16_t>(14, 80), "tags must rise");
  expect_refused(with<std::uint16_t>(64, 0), "tags must rise");
  expect_refused(with<std::uint16_t>(64, 2), "a watermark has 8");
  expect_refused(with<std::uint16_t>(66, 36), "a secret key has 32");
  expect_refused(with<std::uint16_t>(66, 0xffff), "do not fit");
  expect_refused(with<std::uint8_t>(64 + 36, 1), "padding is not zero");
  expect_refused(with<std::uint16_t>(64 + 40, 11), "what lives on a machine has 24");
  expect_refused(with<std::uint16_t>(64 + 40, 13), "unknown tag 13");
  expect_refused(with<std::uint16_t>(64 + 40, 8), "an identity has 16");
  expect_refused(with<std::uint16_t>(64 + 40, 9), "the source of a watermark has 24");
  expect_refused(with<std::uint16_t>(64 + 56, 2), "tags must rise");
  expect_refused(with<std::uint16_t>(64 + 58, 9), "padding is not zero");
}

// A form of keys that is guessed is a question about other bytes, and its answer a false "absent".
TEST_F(DamagedFile, IsRefusedWithAFormOfKeysThatNobodyKnows) {
  const KeyForm numbers{.encoding = KeyEncoding::i64};
  save(sample(FilterKind::blocked, {.capacity = 500, .keys = numbers}), file_);
  whole_ = read_file(file_);
  EXPECT_EQ(load(file_).keys(), numbers);
  expect_refused(with_byte(68, 11), "unknown encoding 11 of keys");
  expect_refused(with_byte(68, 255), "unknown encoding 255 of keys");
  expect_refused(with_byte(69, 16), "unknown normalisation 16 of keys");
  expect_refused(with_byte(69, 2), "keys that are i64 have no letters to make lower");
  expect_refused(with_byte(69, 8), "keys that are i64 are no URLs");
  expect_refused(with_byte(71, 1), "bytes 2 and 3 of the form of keys are not zero");
  expect_refused(with<std::uint16_t>(66, 3), "the form of keys has 4");
  expect_refused(with<std::uint16_t>(66, 2), "the form of keys has 4");
}

TEST_F(DamagedFile, IsRefusedWhenItIsSecretWithoutAKey) {
  save(sample(FilterKind::blocked, {.capacity = 500}), file_);
  whole_ = read_file(file_);
  expect_refused(with_byte(11, 2), "a secret filter (byte 11) without its key");
}

TEST_F(DamagedFile, MayHaveFieldsThatAreMadeToBeSkipped) {
  write_file(file_, with<std::uint16_t>(64 + 56, 0x8001));
  EXPECT_TRUE(load(file_).may_contain("member:0"));
  EXPECT_EQ(inspect(file_).notes.note, "");
}

TEST_F(DamagedFile, IsRefusedInTheOtherByteOrder) {
  std::string bytes = whole_;
  const auto reverse = [&](std::size_t at, std::size_t count) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
  };
  reverse(14, 2);
  for (const std::size_t at : {16, 24, 32, 40, 48}) reverse(at, 8);
  reverse(56, 4);
  reverse(60, 4);
  expect_refused(bytes);
}

// A header that promises more than the file has must not make us allocate it.
TEST_F(DamagedFile, IsRefusedBeforeItAllocates) {
  expect_refused(with<std::uint64_t>(24, 1ULL << 43), "truncated");
  expect_refused(with<std::uint64_t>(24, ~0ULL / 512 * 512), "truncated");
}

}  // namespace
}  // namespace bloomery
