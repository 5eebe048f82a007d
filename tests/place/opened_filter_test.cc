// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/opened_filter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

// A server's filter, played: `number` is that of the filter which is there, or 0.
struct Shelf {
  std::uint64_t number = 1;
  bool tells = true;  // which filter an answer is of
  std::vector<std::string> inserted{};
};

class ShelfPlace final : public FilterPlace {
 public:
  explicit ShelfPlace(Shelf& shelf) : shelf_(shelf) {}

  std::string name() const override { return "shelf"; }
  void ask(std::span<const Key> keys, std::span<Presence> answers, Proofs& proofs,
           const CallContext&) override {
    if (shelf_.tells) proofs.add({.filter = shelf_.number});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i] = keys[i] == "in" ? Presence::maybe : Presence::absent;
    }
  }
  using FilterPlace::insert_many;
  void insert_many(std::span<const Key> keys, std::span<Inserted>, const CallContext&) override {
    for (const Key key : keys) shelf_.inserted.emplace_back(key);
  }
  PlaceHead head(const CallContext&) override { return {.inserted = shelf_.number}; }

 private:
  Shelf& shelf_;
};

OpenedFilter opened(Shelf& shelf) {
  return OpenedFilter("later", [&shelf]() -> std::unique_ptr<FilterPlace> {
    return std::make_unique<ShelfPlace>(shelf);
  });
}

TEST(OpenedFilter, DeniesByTheFilterThatWasOpenedAlone) {
  Shelf shelf;
  OpenedFilter filter = opened(shelf);
  EXPECT_EQ(filter.name(), "shelf");
  EXPECT_EQ(filter.presence_of("out"), Presence::absent);
  shelf.number = 2;
  EXPECT_EQ(filter.presence_of("out"), Presence::unknown);
  EXPECT_EQ(filter.presence_of("in"), Presence::maybe);
  std::vector<Presence> answers(2, Presence::unknown);
  filter.presence_of_many(std::vector<Key>{"out", "in"}, answers);
  EXPECT_EQ(answers, (std::vector{Presence::unknown, Presence::maybe}));
  filter.insert("new");
  EXPECT_EQ(shelf.inserted, std::vector<std::string>{"new"}) << "into whichever is there";
  filter.reopen();
  EXPECT_EQ(filter.presence_of("out"), Presence::absent);
  shelf.number = 0;
  EXPECT_EQ(filter.presence_of("out"), Presence::unknown);
  EXPECT_THROW(filter.reopen(), StoreError);
  shelf.number = 2;
  EXPECT_EQ(filter.presence_of("out"), Presence::absent) << "as before";
  shelf.tells = false;
  EXPECT_EQ(filter.presence_of("out"), Presence::unknown) << "no longer said";
}

TEST(OpenedFilter, IsUnknownUntilThereIsOne) {
  Shelf shelf{.number = 0};
  OpenedFilter filter = opened(shelf);
  EXPECT_EQ(filter.name(), "later");
  EXPECT_EQ(filter.presence_of("out"), Presence::unknown);
  EXPECT_THROW(filter.insert("new"), StoreError);
  EXPECT_THROW(filter.head(), StoreError);
  shelf.number = 1;
  filter.insert("new");
  EXPECT_EQ(filter.presence_of("out"), Presence::unknown) << "nobody said that it is whole";
  filter.reopen();
  EXPECT_EQ(filter.presence_of("out"), Presence::absent);
  EXPECT_EQ(filter.head().inserted, 1U);
}

TEST(OpenedFilter, APlaceThatLooksByItselfIsBelieved) {
  Shelf shelf{.tells = false};
  OpenedFilter filter = opened(shelf);
  EXPECT_EQ(filter.presence_of("out"), Presence::absent);
}

}  // namespace
}  // namespace bloomery
