// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/any_filter.h"

#include <gtest/gtest.h>

#include "bloomery/bits/borrowed_words.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/classic_filter.h"
#include "bloomery/filter/filter_kinds.h"
#include "tests/support/keys.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::keys_of;
using testing::stored_words;
using testing::texts;

// The contents have no words, as inspect() gives them.
TEST(AnyFilter, MergesNoContentsWithoutTheirWords) {
  for (const Kind& kind : filter_kinds()) {
    if (is_built_once(kind.number)) continue;
    AnyFilter filter = make_filter(kind.number, {.capacity = 5'000});
    FilterContents contents = filter.contents();
    if (kind.has_layers) filter.insert_many(keys_of(texts(3'000, "more:")));
    contents.words.clear();
    EXPECT_ANY_THROW(filter.merge(contents)) << kind.name;
    const std::uint64_t one = 1;
    contents.words = {{&one, 1}};
    EXPECT_ANY_THROW(filter.merge(contents)) << kind.name;
  }
}

TEST(AnyFilter, TakesIntegersWhereverItTakesKeys) {
  AnyFilter filter = make_filter(FilterKind::counting, {.capacity = 100});
  EXPECT_TRUE(filter.insert(0));
  EXPECT_TRUE(filter.erase(0));
  EXPECT_FALSE(filter.may_contain(0));
  AnyFilter blocked = make_filter(FilterKind::blocked, {.capacity = 100});
  EXPECT_TRUE(blocked.insert_concurrently(0));
  EXPECT_TRUE(blocked.may_contain(std::string_view("\0\0\0\0\0\0\0\0", 8)));
}

TEST(AnyFilter, IsTheFilterOfItsKind) {
  const FilterOptions options{.capacity = 500, .false_positive_rate = 0.01, .seed = 9};
  const auto members = texts(500, "member:");
  std::vector<HashPair> hashes;
  const NativeHash hash(HashId::product, 9);
  for (const auto& member : members) hashes.push_back(hash(Key(member)));
  for (const Kind& kind : filter_kinds()) {
    if (is_built_once(kind.number)) continue;
    AnyFilter any = make_filter(kind_named(kind.name), options);
    EXPECT_EQ(kind_name(any.parameters().kind), kind.name);
    EXPECT_EQ(any.geometry(), geometry_for(kind.number, options));
    const std::size_t added = any.insert_many(keys_of(members));
    EXPECT_EQ(any.inserted(), added);
    AnyFilter of_hashes = kind.make(parameters_for(kind.number, kind.geometry(options), options));
    of_hashes.insert_many(hashes);
    EXPECT_EQ(stored_words(any), stored_words(of_hashes));
    EXPECT_EQ(any.predicted_rate(), of_hashes.predicted_rate());
    EXPECT_TRUE(any.may_contain("member:3"));
    EXPECT_FALSE(any.insert("member:3"));
  }
}

// A filter of one bit, which says which of its calls were made.
class Counted {
 public:
  struct Calls {
    int single = 0;
    int batch = 0;
  };
  explicit Counted(Calls& calls) : calls_(&calls) {}

  bool insert(Key) {
    ++calls_->single;
    return !std::exchange(has_, true);
  }
  std::size_t insert_many(UnhashedBatch) {
    ++calls_->batch;
    return std::exchange(has_, true) ? 0 : 1;
  }
  std::size_t insert_many(UnhashedBatch batch, Answers) { return insert_many(batch); }
  bool insert_concurrently(Key key) { return insert(key); }
  void merge(const FilterContents&) {}
  void clear() { has_ = false; }
  bool may_contain(Key) const noexcept {
    ++calls_->single;
    return has_;
  }
  void may_contain_many(UnhashedBatch, Answers) const noexcept { ++calls_->batch; }

  void set_keys(const KeyForm& keys) noexcept { parameters_.keys = keys; }
  const FilterParameters& parameters() const { return parameters_; }
  std::uint64_t capacity() const { return 1; }
  std::uint64_t inserted() const { return has_ ? 1 : 0; }
  FilterContents contents() const { return {}; }
  double fill_ratio() const { return 0; }
  double cardinality() const { return 0; }
  double predicted_rate() const { return 0; }
  std::vector<Probe> probes(Key) const { return {}; }

 private:
  Calls* calls_;
  FilterParameters parameters_;
  bool has_ = false;
};

TEST(AnyFilter, ASingleKeyIsNotABatch) {
  Counted::Calls calls;
  AnyFilter filter{Counted(calls)};
  EXPECT_FALSE(filter.may_contain("alice"));
  EXPECT_TRUE(filter.insert("alice"));
  EXPECT_TRUE(filter.may_contain("alice"));
  EXPECT_EQ(calls.single, 3);
  EXPECT_EQ(calls.batch, 0);
  EXPECT_THROW(filter.hash("alice"), std::invalid_argument);
}

TEST(AnyFilter, AnIntegerIsItsEightBytes) {
  const std::uint64_t integer = 0x0102030405060708;
  const Key bytes("\x08\x07\x06\x05\x04\x03\x02\x01", 8);
  // Kinds that take integers, those that take bytes alone, and one that is built once.
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::scalable, FilterKind::counting}) {
    AnyFilter filter = make_filter(kind, {.capacity = 100});
    EXPECT_FALSE(filter.may_contain(integer));
    EXPECT_TRUE(filter.insert(integer));
    EXPECT_TRUE(filter.may_contain(bytes));
    EXPECT_TRUE(filter.may_contain(integer));
    EXPECT_FALSE(filter.insert(bytes));
    EXPECT_TRUE(filter.insert(-1));
    EXPECT_TRUE(filter.may_contain(~std::uint64_t{0}));
  }
  Counted::Calls calls;
  AnyFilter filter{Counted(calls)};
  EXPECT_TRUE(filter.insert(integer));
  EXPECT_TRUE(filter.may_contain(integer));
  EXPECT_EQ(calls.single, 2);
  const auto parameters = parameters_for(FilterKind::fixed, {}, {.capacity = 1});
  const std::vector<HashPair> hashes{parameters.hash(bytes)};
  AnyFilter built(OwnedStaticFilter::build(parameters, hashes));
  EXPECT_TRUE(built.may_contain(integer));
  EXPECT_THROW(built.insert(integer), std::invalid_argument);
}

TEST(AnyFilter, AStaticOneIsAskedAndNotChanged) {
  EXPECT_THROW(make_filter(FilterKind::fixed, {.capacity = 5}), std::invalid_argument);
  const auto parameters = parameters_for(FilterKind::fixed, {}, {.capacity = 1});
  std::vector<HashPair> hashes;
  for (const Key key : {"alice", "bob"}) hashes.push_back(parameters.hash(key));
  AnyFilter filter(OwnedStaticFilter::build(parameters, hashes));
  EXPECT_TRUE(filter.may_contain("alice"));
  EXPECT_FALSE(filter.may_contain("nobody"));
  EXPECT_EQ(filter.inserted(), 2U);
  EXPECT_FALSE(filter.can_insert());
  EXPECT_THROW(filter.insert("carol"), std::invalid_argument);
  EXPECT_THROW(filter.clear(), std::invalid_argument);
  auto words = stored_words(filter);
  EXPECT_TRUE(open_filter(filter.contents(), BorrowedWords(words)).may_contain("bob"));
  words.back() ^= 0x100;
  EXPECT_THROW(open_filter(filter.contents(), BorrowedWords(words)), FormatError);
}

TEST(AnyFilter, MergesOnlyItsOwnKind) {
  AnyFilter blocked = make_filter(FilterKind::blocked, {.capacity = 10});
  EXPECT_THROW(blocked.merge(make_filter(FilterKind::classic, {.capacity = 10})),
               IncompatibleError);
}

TEST(AnyFilter, CarriesHowItsKeysWereWritten) {
  constexpr KeyForm kNumbers{.encoding = KeyEncoding::i64};
  for (const Kind& kind : filter_kinds()) {
    if (kind.built_once) continue;
    SCOPED_TRACE(kind.name);
    AnyFilter filter = make_filter(kind.number, {.capacity = 100, .keys = kNumbers});
    EXPECT_EQ(filter.contents().parameters.keys, kNumbers);
    filter.clear();
    EXPECT_EQ(filter.keys(), kNumbers);
    std::vector<std::uint64_t> words = stored_words(filter);
    AnyFilter opened = open_filter(filter.contents(), BorrowedWords(words));
    EXPECT_EQ(opened.keys(), kNumbers);
    opened.set_keys({});
    EXPECT_EQ(opened.contents().parameters.keys, KeyForm{});
  }
}

// The keys of the merged filter would be found by one of the two forms at most.
TEST(AnyFilter, DoesNotMergeWithOneWhoseKeysAreWrittenOtherwise) {
  for (const Kind& kind : filter_kinds()) {
    if (kind.built_once || kind.number == FilterKind::windowed) continue;
    SCOPED_TRACE(kind.name);
    AnyFilter text = make_filter(kind.number, {.capacity = 100, .keys = {}});
    AnyFilter numbers = make_filter(kind.number, {.capacity = 100, .keys = {KeyEncoding::i64}});
    EXPECT_THROW(text.merge(numbers), IncompatibleError);
    EXPECT_THROW(numbers.merge(text), IncompatibleError);
    numbers.set_keys({});
    text.merge(numbers);
    EXPECT_EQ(text.keys(), KeyForm{});
    // With keys of which nobody knows, all are so.
    AnyFilter unknown = make_filter(kind.number, {.capacity = 100});
    EXPECT_EQ(unknown.keys(), kUnknownForm);
    text.merge(unknown);
    EXPECT_EQ(text.keys(), kUnknownForm);
    unknown.merge(numbers);
    EXPECT_EQ(unknown.keys(), kUnknownForm);
  }
}

TEST(AnyFilter, OpensBitsThatAreThereAlready) {
  for (const Kind& kind : filter_kinds()) {
    if (is_built_once(kind.number)) continue;
    AnyFilter made = make_filter(kind.number, {.capacity = 100});
    made.insert("alice");
    std::vector<std::uint64_t> words = stored_words(made);
    const AnyFilter opened = open_filter(made.contents(), BorrowedWords(words));
    EXPECT_TRUE(opened.may_contain("alice"));
    EXPECT_FALSE(opened.may_contain("bob"));
    EXPECT_EQ(opened.contents().words.front().data(), words.data());
  }
}

TEST(AnyFilter, RefusesParametersThatNoFilterHas) {
  const AnyFilter made = make_filter(FilterKind::blocked, {.capacity = 100});
  std::vector<std::uint64_t> words = stored_words(made);
  const auto refuses = [&](auto change) {
    FilterContents contents = made.contents();
    change(contents.parameters);
    EXPECT_THROW(open_filter(contents, BorrowedWords(words)), FormatError);
  };
  refuses([](FilterParameters& p) { p.kind = FilterKind{77}; });
  refuses([](FilterParameters& p) { p.capacity = 0; });
  refuses([](FilterParameters& p) { p.false_positive_rate = 1; });
  refuses([](FilterParameters& p) { p.geometry.bit_count = 0; });
  refuses([](FilterParameters& p) { p.geometry.bit_count += 64; });
  refuses([](FilterParameters& p) { p.geometry.bit_count += 512; });
  refuses([](FilterParameters& p) { p.geometry.probe_count = 9; });
  refuses([](FilterParameters& p) { p.geometry.probe_count = 0; });
  refuses([](FilterParameters& p) { p.geometry.lines_per_key = 3; });
  refuses([](FilterParameters& p) {
    p.kind = FilterKind::classic;
    p.geometry.probe_count = 256;
    p.geometry.lines_per_key = 0;
  });
}

}  // namespace
}  // namespace bloomery
