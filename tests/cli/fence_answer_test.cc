// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/fence_answer.h"

#include <gtest/gtest.h>

#include "bloomery/errors.h"

namespace bloomery::cli {
namespace {

constexpr Identity kSource{0xab, 7};
constexpr const char* kSourceText = "00000000000000ab0000000000000007";

// A database that says where it is, or fails.
struct Database {
  std::uint64_t position = 1;
  bool is_away = false;
  int connections = 0;
  int questions = 0;
};

class Asked : public FenceSource {
 public:
  explicit Asked(Database& database) : database_(database) { ++database.connections; }
  Watermark ask(const CallContext& context) override {
    EXPECT_NE(context.deadline, CallContext::kNever);
    ++database_.questions;
    if (database_.is_away) throw StoreError("it\nis away");
    return {kSource, database_.position};
  }

 private:
  Database& database_;
};

FenceAnswer::Open opener(Database& database) {
  return [&database] { return std::make_unique<Asked>(database); };
}

TEST(FenceAnswer, AsksTheDatabaseAtEachRequest) {
  Database database;
  FenceAnswer fence(opener(database));
  EXPECT_EQ(database.questions, 0);
  const StatusAnswer first = fence.answer({});
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.text, std::string(kSourceText) + " 1\n");
  database.position = ~std::uint64_t{0};
  EXPECT_EQ(fence.answer({}).text, std::string(kSourceText) + " 18446744073709551615\n");
  EXPECT_EQ(database.questions, 2);
  EXPECT_EQ(database.connections, 1);
}

TEST(FenceAnswer, SaysWhyThereIsNoneAndConnectsAnew) {
  Database database{.is_away = true};
  FenceAnswer fence(opener(database));
  const StatusAnswer away = fence.answer({});
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.text.find("no fence: it"), 0U) << away.text;
  EXPECT_EQ(away.text.find('\n'), away.text.size() - 1) << away.text;
  database.is_away = false;
  EXPECT_EQ(fence.answer({}).status, 200);
  EXPECT_EQ(database.connections, 2);
}

TEST(FenceAnswer, GivesNoneOfADatabaseThatLostRowsWhichTheFilterHas) {
  Database database{.position = 5};
  FenceAnswer fence(opener(database));
  EXPECT_EQ(fence.answer(Watermark{kSource, 5}).status, 200);
  EXPECT_EQ(fence.answer(Watermark{kSource, 4}).status, 200);
  EXPECT_EQ(fence.answer(Watermark{kSource, 6}).status, 503);
  EXPECT_EQ(fence.answer(Watermark{{1, 2}, 6}).status, 200) << "another source says nothing";
}

}  // namespace
}  // namespace bloomery::cli
