// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/file_delta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/regular_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::keys_of;
using testing::read_file;
using testing::sample;
using testing::ScratchFolder;
using testing::texts;

using Bytes = std::vector<std::byte>;

class FileDelta : public ::testing::Test {
 protected:
  void save_old(const AnyFilter& filter, const FileNotes& notes = {}) const {
    save(filter, folder_ / "old", {.notes = notes});
  }
  void save_new(const AnyFilter& filter, const FileNotes& notes = {}) const {
    save(filter, folder_ / "new", {.notes = notes});
  }
  Bytes delta() const {
    Bytes all;
    write_delta(folder_ / "old", folder_ / "new",
                [&](auto bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); });
    return all;
  }
  Patched patch(const Bytes& delta) const { return apply_delta(folder_ / "copy", delta); }
  std::string bytes_of(const std::string& name) const { return read_file(folder_ / name); }
  void copy(const std::string& name) const {
    testing::write_file(folder_ / "copy", bytes_of(name));
  }

  // Expects that the delta leads from "old" to "new", to the byte, and leaves "new" as it is.
  void expect_leads(const std::string& what) const {
    const Bytes all = delta();
    copy("old");
    EXPECT_EQ(patch(all), Patched::changed) << what;
    EXPECT_EQ(bytes_of("copy"), bytes_of("new")) << what;
    EXPECT_EQ(patch(all), Patched::already) << what;
    EXPECT_EQ(bytes_of("copy"), bytes_of("new")) << what;
  }
  // Expects that only the whole new file will do, because of this.
  void expect_whole(const std::string& why) const {
    try {
      delta();
      ADD_FAILURE() << "a delta, in spite of: " << why;
    } catch (const IncompatibleError& error) {
      EXPECT_THAT(error.what(), HasSubstr(why));
      EXPECT_THAT(error.what(), HasSubstr("send the whole file"));
    }
  }

  ScratchFolder folder_;
};

TEST_F(FileDelta, LeadsToTheNextVersionOfEveryKind) {
  for (testing::Sample& each : testing::samples()) {
    if (is_built_once(each.filter.parameters().kind)) continue;
    save_old(each.filter, {.watermark = 1, .note = "old"});
    if (each.filter.parameters().keys.encoding == KeyEncoding::i64) {
      each.filter.insert(std::uint64_t{77});
    } else {
      each.filter.insert("somebody new");
    }
    // A note may be longer, or go: the head is another one then.
    save_new(each.filter, {.watermark = 2, .note = std::string(5000, 'n'), .epoch = 1});
    const bool grew = inspect(folder_ / "old").contents.layers.size() !=
                      inspect(folder_ / "new").contents.layers.size();
    if (grew) {
      expect_whole("the filter grew: it has");
    } else {
      expect_leads(each.name);
    }
    EXPECT_TRUE(load(folder_ / "new").may_contain("somebody new") ||
                each.filter.parameters().keys.encoding == KeyEncoding::i64);
  }
}

TEST_F(FileDelta, OfAnUnchangedFileIsShort) {
  save_old(sample(FilterKind::blocked, {.capacity = 100'000}));
  std::filesystem::copy_file(folder_ / "old", folder_ / "new");
  const Bytes all = delta();
  EXPECT_LE(all.size(), 140U);
  copy("old");
  EXPECT_EQ(patch(all), Patched::already);
}

TEST_F(FileDelta, HasFewBytesForAKeyThatCame) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic, FilterKind::scalable,
                                FilterKind::counting, FilterKind::windowed}) {
    AnyFilter filter = sample(kind, {.capacity = 1'000'000});
    save_old(filter);
    const auto members = texts(1000, "new:");
    filter.insert_many(keys_of(members));
    save_new(filter);
    EXPECT_LE(delta().size(), 20U * 1000) << static_cast<int>(kind);
    expect_leads("1,000 keys");
  }
}

TEST_F(FileDelta, OfErasedKeysAndEmptiedOnes) {
  AnyFilter filter = sample(FilterKind::counting, {.capacity = 500});
  save_old(filter);
  for (const std::string& member : testing::sample_members(200)) filter.erase(Key(member));
  save_new(filter);
  expect_leads("erased");
  filter.clear();
  save_new(filter);
  expect_leads("cleared, which nothing says of a file without identity");
}

TEST_F(FileDelta, IsRefusedByNameWhereOnlyTheWholeFileWillDo) {
  const auto made = [](FilterKind kind, FilterOptions options) {
    options.capacity = options.capacity == 1 ? 500 : options.capacity;
    return sample(kind, options);
  };
  save_old(made(FilterKind::blocked, {.capacity = 500}));
  save_new(made(FilterKind::classic, {.capacity = 500}));
  expect_whole("different kinds");
  save_new(made(FilterKind::blocked, {.capacity = 5000}));
  expect_whole("bit counts");
  save_new(made(FilterKind::blocked, {.capacity = 500, .seed = 9}));
  expect_whole("seeds");
  save_new(made(FilterKind::blocked, {.capacity = 500, .secret = true}));
  expect_whole("one filter is secret");
  for (const FilterKind kind : {FilterKind::fixed, FilterKind::fuse}) {
    save_old(sample(kind, {.capacity = 500}));
    save_new(sample(kind, {.capacity = 500}));
    expect_whole("are made anew each time");
  }
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 500});
  const FileNotes named{.identity = {1, 2}};
  save_old(filter, named);
  save_new(filter, {.identity = {1, 3}});
  expect_whole("the identity is another");
  save_new(filter);
  expect_whole("the identity is another");
  save_new(filter, {.note = "later", .identity = {1, 2}});
  expect_leads("one identity");
  save_old(filter);
  expect_leads("an identity that came");
}

TEST_F(FileDelta, IsRefusedWhereTheEarlierFileIsNamedLast) {
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic, FilterKind::scalable}) {
    AnyFilter filter = sample(kind, {.capacity = 100'000});
    save_new(filter);
    filter.insert("somebody new");
    save_old(filter);
    expect_whole("lacks bits that");
  }
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 500});
  const Identity database{7, 7};
  save_old(filter, {.watermark = 2000, .source = database});
  save_new(filter, {.watermark = 1999, .source = database});
  expect_whole("its watermark is 1,999, and that of the other 2,000");
  save_new(filter, {.watermark = 2000, .note = "later", .source = database});
  expect_leads("the same watermark");
  save_new(filter, {.watermark = 1, .source = {7, 8}});
  expect_leads("another database's watermark");
}

TEST_F(FileDelta, OfASecretFilterHasNoKey) {
  AnyFilter filter = sample(FilterKind::blocked, {.capacity = 500, .secret = true});
  save_old(filter);
  filter.insert("new");
  save_new(filter);
  const auto key = testing::sample_key();
  const Bytes all = delta();
  const auto secret = std::as_bytes(std::span(key.words)).first(8);
  EXPECT_EQ(std::search(all.begin(), all.end(), secret.begin(), secret.end()), all.end());
  expect_leads("secret");
  const auto copy = RegularFile::open(folder_ / "copy", RegularFile::Access::read);
  EXPECT_EQ(copy.status().permissions & 077, 0U);
}

TEST_F(FileDelta, ChangesNoFileButTheOneThatItLeadsFrom) {
  AnyFilter filter = sample(FilterKind::blocked, {.capacity = 500});
  save_old(filter);
  filter.insert("new");
  save_new(filter);
  const Bytes all = delta();

  filter.insert("later");
  save(filter, folder_ / "copy");
  const std::string later = bytes_of("copy");
  EXPECT_THROW(patch(all), IncompatibleError);
  EXPECT_EQ(bytes_of("copy"), later);

  // A file with equal bits and another note is another file.
  save(load(folder_ / "old"), folder_ / "copy", {.notes = {.note = "mine"}});
  EXPECT_THROW(patch(all), IncompatibleError);

  save(sample(FilterKind::blocked, {.capacity = 5000}), folder_ / "copy");
  EXPECT_THROW(patch(all), IncompatibleError);

  std::string damaged = bytes_of("old");
  damaged[damaged.size() - 100] ^= 1;
  testing::write_file(folder_ / "copy", damaged);
  EXPECT_THROW(patch(all), FormatError);
  EXPECT_EQ(bytes_of("copy"), damaged);

  EXPECT_THROW(apply_delta(folder_ / "none", all), StoreError);
  EXPECT_EQ(folder_.names().size(), 3U) << "nothing is left beside";
}

TEST_F(FileDelta, IsNotMadeOfFilesThatAreNotWhole) {
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 500});
  save_old(filter);
  save_new(filter);
  {
    const SharedFilter live = open_shared(folder_ / "new", {.seal_at_close = false});
    EXPECT_THROW(delta(), FormatError);
  }
  std::string damaged = bytes_of("old");
  damaged[damaged.size() - 100] ^= 1;
  testing::write_file(folder_ / "new", damaged);
  EXPECT_THROW(delta(), FormatError);
}

}  // namespace
}  // namespace bloomery
