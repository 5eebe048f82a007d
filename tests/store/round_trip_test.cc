// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::keys_of;
using testing::read_file;
using testing::sample_members;
using testing::samples;
using testing::ScratchFolder;
using testing::stored_words;

void expect_same(const AnyFilter& a, const AnyFilter& b) {
  EXPECT_EQ(incompatibility(a.parameters(), b.parameters()), "");
  EXPECT_EQ(a.keys(), b.keys());
  EXPECT_EQ(a.capacity(), b.capacity());
  EXPECT_EQ(a.parameters().false_positive_rate, b.parameters().false_positive_rate);
  EXPECT_EQ(a.inserted(), b.inserted());
  EXPECT_TRUE(stored_words(a) == stored_words(b));
}

TEST(NativeFile, ReturnsTheFilterThatWasSaved) {
  const ScratchFolder folder;
  for (const auto& [name, filter] : samples()) {
    SCOPED_TRACE(name);
    save(filter, folder / name);
    const AnyFilter loaded = load(folder / name);
    expect_same(loaded, filter);
    EXPECT_TRUE(loaded.may_contain("member:0"));
  }
}

TEST(NativeFile, TakesEveryTypeOfFilter) {
  const ScratchFolder folder;
  BlockedFilter blocked({.capacity = 100});
  blocked.insert("alice");
  save(blocked, folder / "blocked");
  EXPECT_TRUE(load(folder / "blocked").may_contain("alice"));
  ClassicFilter classic({.capacity = 100});
  classic.insert(std::uint64_t{7});
  save(classic, folder / "classic");
  EXPECT_EQ(load(folder / "classic").inserted(), 1U);
}

TEST(NativeFile, KeepsThePlaceAmongWhatCameUntilItIsWrittenAnew) {
  constexpr std::uint64_t kAny = UINT64_MAX;
  const ScratchFolder folder;
  const AnyFilter filter = testing::sample(FilterKind::blocked, {.capacity = 500});
  save(filter, folder / "f", {.notes = {.note = "n"}, .chain = "the place"});
  const LoadedFile loaded = load_noted(folder / "f", kAny);
  expect_same(loaded.filter, filter);
  EXPECT_EQ(loaded.chain, "the place");
  EXPECT_EQ(loaded.notes.note, "n");
  {
    auto mapped = open_mapped(folder / "f", {.access = MapOptions::read_write});
    mapped.insert("in place");
  }
  EXPECT_EQ(load_noted(folder / "f", kAny).chain, "the place");
  {
    auto shared = open_shared(folder / "f");
    shared.insert("shared");
  }
  EXPECT_EQ(load_noted(folder / "f", kAny).chain, "the place");
  {
    FilterEditor editor(folder / "f");
    editor.filter().insert("anew");
    editor.commit();
  }
  EXPECT_EQ(load_noted(folder / "f", kAny).chain, "");
  EXPECT_EQ(load_noted(folder / "f", kAny).notes.note, "n");

  EXPECT_THROW(load_noted(folder / "f", 8), StoreError);
  save(filter, folder / "f", {.chain = std::string(32'768, 'c')});
  EXPECT_EQ(load_noted(folder / "f", kAny).chain, std::string(32'768, 'c'));
  EXPECT_THROW(save(filter, folder / "f", {.chain = std::string(32'769, 'c')}),
               std::invalid_argument);
  EXPECT_THROW(
      save(filter, folder / "f",
           {.notes = {.note = std::string(32'768, 'n')}, .chain = std::string(32'768, 'c')}),
      std::invalid_argument);
}

TEST(NativeFile, HoldsFiltersOfManyBlocks) {
  const ScratchFolder folder;
  for (const Kind& kind : filter_kinds()) {
    const std::size_t count = is_built_once(kind.number) ? 2'200'000 : 10'000;
    const AnyFilter filter = testing::sample(kind.number, {.capacity = 2'000'000}, count);
    save(filter, folder / "large");
    expect_same(load(folder / "large"), filter);
    EXPECT_GT(inspect(folder / "large").block_count, 32U);
  }
}

TEST(NativeFile, IsTheSameBytesForTheSameFilter) {
  const ScratchFolder folder;
  for (const auto& [name, filter] : samples()) {
    save(filter, folder / "first", {.notes = {.watermark = 4, .note = "n", .epoch = 2}});
    save(load(folder / "first"), folder / "second",
         {.notes = {.watermark = 4, .note = "n", .epoch = 2}});
    EXPECT_EQ(read_file(folder / "first"), read_file(folder / "second")) << name;
  }
}

TEST(NativeFile, KeepsItsNotes) {
  const ScratchFolder folder;
  const AnyFilter filter = testing::sample(FilterKind::blocked, {.capacity = 500});
  const std::string note(kMaxNoteBytes, 'x');
  save(filter, folder / "f", {.notes = {.watermark = 1ULL << 63, .note = note, .epoch = 9}});
  const FileInfo info = inspect(folder / "f");
  EXPECT_EQ(info.notes.watermark, 1ULL << 63);
  EXPECT_EQ(info.notes.note, note);
  EXPECT_EQ(info.notes.epoch, 9U);
  EXPECT_TRUE(load(folder / "f").may_contain("member:0"));
  EXPECT_THROW(save(filter, folder / "f", {.notes = {.note = note + "x"}}), std::invalid_argument);
}

TEST(NativeFile, KeepsItsIdentityAndHowFarWhichSourceWasRead) {
  const ScratchFolder folder;
  const AnyFilter filter = testing::sample(FilterKind::blocked, {.capacity = 500});
  const FileNotes before{
      .watermark = 0, .epoch = 3, .identity = {1, 2}, .source = {3, 4}, .beat = 5};
  save(filter, folder / "f", {.notes = before});
  const FileNotes notes = inspect(folder / "f").notes;
  EXPECT_EQ(notes.identity, before.identity);
  EXPECT_EQ(notes.beat, 5U);
  EXPECT_EQ(notes.reached(), (Watermark{{3, 4}, 0}));
  // A watermark of nobody's data is none that a fence could ask for.
  save(filter, folder / "g", {.notes = {.watermark = 7}});
  EXPECT_FALSE(inspect(folder / "g").notes.reached());
}

TEST(NativeFile, SaysWhatItHolds) {
  const ScratchFolder folder;
  const AnyFilter filter = testing::sample(FilterKind::blocked, {.capacity = 500});
  save(filter, folder / "f");
  const FileInfo info = inspect(folder / "f", true);
  EXPECT_EQ(info.version, 1U);
  EXPECT_EQ(info.contents.inserted, filter.inserted());
  EXPECT_EQ(info.contents.parameters.geometry, filter.geometry());
  EXPECT_TRUE(info.closed_cleanly);
  EXPECT_EQ(info.file_bytes, std::filesystem::file_size(folder / "f"));
  EXPECT_EQ(info.body_bytes, filter.contents().word_count() * 8);
  EXPECT_EQ(info.damaged_blocks, 0U);
  EXPECT_FALSE(inspect(folder / "f").damaged_blocks.has_value());
}

TEST(FilterEditor, WritesOnlyWhatIsCommitted) {
  const ScratchFolder folder;
  save(make_filter(FilterKind::blocked, {.capacity = 10}), folder / "f",
       {.notes = {.note = "kept"}});
  {
    FilterEditor editor(folder / "f");
    editor.filter().insert("dropped");
  }
  EXPECT_FALSE(load(folder / "f").may_contain("dropped"));
  FilterEditor editor(folder / "f");
  for (const Key key : {"first", "second"}) {
    editor.filter().insert(key);
    editor.commit();
    EXPECT_TRUE(load(folder / "f").may_contain(key));
  }
  EXPECT_EQ(inspect(folder / "f").notes.note, "kept");
  EXPECT_THROW(FilterEditor(folder / "f"), StoreError);
  EXPECT_THROW(save(editor.filter(), folder / "f"), StoreError);
}

}  // namespace
}  // namespace bloomery
