// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/mapped_filter.h"

#include "bloomery/format/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bloomery/errors.h"
#include "bloomery/store/native_file.h"
#include "tests/store/later_field.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::samples;
using testing::ScratchFolder;
using testing::stored_words;
using ::testing::ThrowsMessage;

TEST(MappedFilter, AnswersAsTheFilterThatWasSaved) {
  const ScratchFolder folder;
  for (const auto& [name, filter] : samples()) {
    SCOPED_TRACE(name);
    save(filter, folder / name);
    const MappedFilter mapped = open_mapped(folder / name, testing::kVerified);
    EXPECT_TRUE(stored_words(*mapped) == stored_words(filter));
    EXPECT_EQ(mapped->inserted(), filter.inserted());
    EXPECT_TRUE(mapped.may_contain("member:0"));
    EXPECT_FALSE(mapped.is_damaged());
    EXPECT_EQ(
        reinterpret_cast<std::uintptr_t>(mapped->contents().words.front().data()) % kLineBytes, 0U);
  }
}

// Fields of a later program are skipped where a file is read, and would be missing where its header
// is written again.
TEST(MappedFilter, ChangesNoFileThatHasFieldsOfALaterProgram) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f", {.notes = {.note = "known"}});
  testing::add_later_field(folder / "f");
  const std::string bytes = read_file(folder / "f");

  EXPECT_TRUE(open_mapped(folder / "f", testing::kReadOnly).may_contain("member:0"));
  EXPECT_THAT([&] { open_mapped(folder / "f", kReadWrite); },
              ThrowsMessage<StoreError>(HasSubstr("has fields of a later program")));
  EXPECT_EQ(read_file(folder / "f"), bytes);
}

TEST(MappedFilter, ReadOnlyNeverChangesTheFile) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  const std::string before = read_file(folder / "f");
  MappedFilter mapped = open_mapped(folder / "f", testing::kReadOnly);
  EXPECT_THROW(mapped.insert("new"), StoreError);
  EXPECT_THROW(mapped.writable(), StoreError);
  AnyFilter own = std::move(mapped);
  EXPECT_TRUE(own.insert("new"));
  EXPECT_TRUE(own.may_contain("new"));
  EXPECT_EQ(read_file(folder / "f"), before);
}

TEST(MappedFilter, ReadWriteKeepsWhatIsInserted) {
  const ScratchFolder folder;
  for (const auto& [name, filter] : samples()) {
    save(filter, folder / name);
    if (!is_changed_in_place(filter.parameters().kind)) {
      EXPECT_THAT([path = folder / name] { open_mapped(path, kReadWrite); },
                  ThrowsMessage<StoreError>(HasSubstr("is not changed in place")));
      continue;
    }
    MappedFilter mapped = open_mapped(folder / name, kReadWrite);
    const bool is_new = mapped.insert("one more");
    mapped.close();
    const AnyFilter loaded = load(folder / name);
    EXPECT_TRUE(loaded.may_contain("one more"));
    EXPECT_EQ(loaded.inserted(), filter.inserted() + (is_new ? 1 : 0));
    EXPECT_EQ(inspect(folder / name, true).damaged_blocks, 0U);
  }
}

TEST(MappedFilter, ClosesItselfAndMoves) {
  const ScratchFolder folder;
  save(sample(FilterKind::classic, {.capacity = 500}), folder / "f");
  {
    MappedFilter first = open_mapped(folder / "f", kReadWrite);
    MappedFilter second = std::move(first);
    second.insert("moved");
    first = std::move(second);
    first.insert("and back");
  }
  EXPECT_TRUE(load(folder / "f").may_contain("moved"));
  EXPECT_TRUE(load(folder / "f").may_contain("and back"));
}

TEST(MappedFilter, IsOneWriterAtATime) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  const MappedFilter mapped = open_mapped(folder / "f", kReadWrite);
  const auto busy = ThrowsMessage<StoreError>(HasSubstr("process is writing this file"));
  EXPECT_THAT([&] { open_mapped(folder / "f", kReadWrite); }, busy);
  EXPECT_THAT([&] { save(*mapped, folder / "f"); }, busy);
  EXPECT_THAT([&] { recover(folder / "f"); }, busy);
  EXPECT_THAT([&] { load(folder / "f"); },
              ThrowsMessage<FormatError>(HasSubstr("not closed cleanly")));
  EXPECT_FALSE(inspect(folder / "f").closed_cleanly);
}

TEST(MappedFilter, RecoverLeavesAClosedFileAlone) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  const std::string before = read_file(folder / "f");
  recover(folder / "f");
  EXPECT_EQ(read_file(folder / "f"), before);
}

TEST(MappedFilter, RefusesDamageThatItVerifies) {
  const ScratchFolder folder;
  save(sample(FilterKind::classic, {.capacity = 500}), folder / "f");
  std::string bytes = read_file(folder / "f");
  bytes.at(4100) = static_cast<char>(bytes.at(4100) ^ 1);
  testing::write_file(folder / "f", bytes);
  EXPECT_THROW(open_mapped(folder / "f", testing::kVerified), FormatError);
  EXPECT_THROW(open_mapped(folder / "f", kReadWrite), FormatError);
  EXPECT_EQ(read_file(folder / "f"), bytes);
}

}  // namespace
}  // namespace bloomery
