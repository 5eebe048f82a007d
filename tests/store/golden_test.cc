// SPDX-License-Identifier: Apache-2.0
// Files of every kind as version 1 of the format wrote them. They are never written again: a test
// that fails here says that old files can no longer be read, or that new ones differ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "bloomery/format/kinds.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::read_file;
using testing::ScratchFolder;
using testing::stored_words;

// The bits by the parameters that the file has, and by its first layer: how filters are sized may
// change, and a chain goes on as it began.
AnyFilter built_again(const AnyFilter& loaded, bool grown) {
  const FilterParameters& parameters = loaded.parameters();
  const std::size_t count = grown ? 500 : std::min<std::size_t>(parameters.capacity, 500);
  std::vector<Layer> layers = loaded.contents().layers;
  if (layers.empty()) return testing::filled(parameters, count);
  layers.resize(1);
  layers.front().inserted = 0;
  const FilterContents begun{.parameters = parameters, .layers = layers};
  AnyFilter filter = open_filter(begun, HeapWords(any_word_count(begun)));
  const auto members = testing::sample_members(count);
  filter.take_keys_as_said();  // the members are texts, whatever it says of them
  filter.insert_many(testing::keys_of(members));
  return filter;
}

TEST(GoldenFile, IsReadAndWrittenAsEver) {
  const ScratchFolder folder;
  for (const auto& [name, sample] : testing::samples()) {
    SCOPED_TRACE(name);
    const auto golden = std::filesystem::path("golden/native") / (name + ".bloom");
    const AnyFilter loaded = load(golden);
    EXPECT_EQ(loaded.parameters().kind, sample.parameters().kind);
    EXPECT_EQ(loaded.parameters().hash, sample.parameters().hash);
    EXPECT_EQ(loaded.capacity(), sample.capacity());
    EXPECT_EQ(loaded.keys(), sample.keys());
    const AnyFilter again = built_again(loaded, name.ends_with("_grown"));
    EXPECT_TRUE(stored_words(loaded) == stored_words(again));
    EXPECT_EQ(loaded.inserted(), again.inserted());
    const FileNotes notes = inspect(golden).notes;
    EXPECT_EQ(notes.note, "golden");
    EXPECT_EQ(notes.watermark, 42U);
    EXPECT_EQ(notes.epoch, 3U);
    save(again, folder / name, {.notes = notes});
#if defined(_WIN32)  // whose pow() has other last digits, and layers say their rates
    if (name.starts_with("scalable_from")) continue;
#endif
    EXPECT_EQ(read_file(folder / name), read_file(golden));
  }
}

// Texts of 1 to 300 letters, each with other ones at each place: every length has a way of its own
// through a hash.
TEST(GoldenFile, OfTextsOfEveryLengthIsMadeAgain) {
  std::vector<std::string> texts;
  for (std::size_t size = 1; size <= 300; ++size) {
    std::string text(size, ' ');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (7 * size + i) % 26);
    texts.push_back(text);
  }
  for (const char* hash : {"product", "aes", "xxh3", "secret"}) {
    SCOPED_TRACE(hash);
    const AnyFilter loaded = load(std::string("golden/texts/") + hash + ".bloom");
    const auto empty = [&] {
      return open_filter({.parameters = loaded.parameters()},
                         HeapWords(any_word_count(loaded.contents())));
    };
    AnyFilter singly = empty();
    AnyFilter together = empty();
    for (const std::string& text : texts) singly.insert(text);
    together.insert_many(testing::keys_of(texts));
    EXPECT_TRUE(stored_words(loaded) == stored_words(singly));
    EXPECT_TRUE(stored_words(loaded) == stored_words(together));
  }
}

// Prints bytes as `hexdump -C` does.
std::string hex_dump(const std::string& bytes) {
  std::string dump;
  std::string last;
  bool repeated = false;
  char text[32];
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    const std::string line = bytes.substr(at, 16);
    if (line == last && line.size() == 16) {
      if (!repeated) dump += "*\n";
      repeated = true;
      continue;
    }
    repeated = false;
    last = line;
    std::snprintf(text, sizeof text, "%08zx ", at);
    dump += text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::snprintf(text, sizeof text, "%s%02x", i % 8 == 0 ? " " : "",
                    static_cast<unsigned char>(line[i]));
      dump += text;
      dump += i + 1 < line.size() ? " " : "";
    }
    dump += "\n";
  }
  std::snprintf(text, sizeof text, "%08zx\n", bytes.size());
  return dump + text;
}

TEST(Specification, ShowsAFileAsItIsWritten) {
  const ScratchFolder folder;
  FilterParameters parameters;
  parameters.kind = FilterKind::classic;
  parameters.hash = NativeHash(7);
  parameters.geometry = {.bit_count = 64, .probe_count = 3, .lines_per_key = 0};
  parameters.capacity = 1;
  parameters.false_positive_rate = 0.01;
  AnyFilter filter = open_filter({.parameters = parameters}, HeapWords(1));
  filter.insert("alice");
  save(filter, folder / "f", {.notes = {.watermark = 1000, .note = "hi"}});
  EXPECT_THAT(read_file("../docs/format.md"),
              ::testing::HasSubstr(hex_dump(read_file(folder / "f"))));
}

// A program's own files: it inserted texts and integers, and has not said how its keys are written.
// Python's and JavaScript's tests ask them for the same keys.
// These say "unknown" in a field, as was written for some days; now there is none.
TEST(GoldenFile, OfUnknownFormIsReadAsEver) {
  const ScratchFolder folder;
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic, FilterKind::counting}) {
    const std::string name = std::string(kind_of(kind).name) + ".bloom";
    SCOPED_TRACE(name);
    AnyFilter made =
        make_filter(kind, {.capacity = 100, .false_positive_rate = 1e-6, .keys = kUnknownForm});
    for (const char* text : {"alice", "\xce\xa9", "42", "-7", "12345678", "007"}) made.insert(text);
    made.insert(1000);
    made.insert(std::int64_t{-1'000'000'000'000});
    made.insert(std::uint64_t{18'446'744'073'709'551'615U});
    made.insert(as_key(std::uint64_t{77}));  // eight bytes
    save(made, folder / name);
    EXPECT_EQ(load(folder / name).keys(), kUnknownForm);
    const AnyFilter golden = load("golden/unknown_form/" + name);
    EXPECT_EQ(golden.keys(), kUnknownForm);
    EXPECT_EQ(golden.inserted(), made.inserted());
    EXPECT_TRUE(stored_words(golden) == stored_words(made));
    // A field that is there stays, so that such a file can be changed in place.
    const std::filesystem::path changed = folder / (name + ".changed");
    std::filesystem::copy_file("golden/unknown_form/" + name, changed);
    if (kind != FilterKind::counting) open_mapped(changed, testing::kReadWrite).close();
    EXPECT_EQ(read_file(changed), read_file("golden/unknown_form/" + name));
  }
}

}  // namespace
}  // namespace bloomery
