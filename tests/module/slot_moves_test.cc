// SPDX-License-Identifier: Apache-2.0
// Slots that move at once, with filters of every kind, while items are added to them.
#include "tests/module/slot_moves.h"

#include <cstdlib>

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::SlotMove;
using testing::SlotMoves;
using testing::SlotWriter;

TEST_F(SlotMoves, ForthAndBackUnderWritesLoseNothing) {
  ASSERT_NO_FATAL_FAILURE(start_with_filters());
  if (IsSkipped()) return;
  ASSERT_TRUE(add_replica_of(1));
  const int moves = std::getenv("BLOOMERY_LONG") != nullptr ? 100 : 3;
  SlotWriter writer(nodes_, filters_);
  std::size_t owner = 0;
  for (int i = 0; i < moves; ++i, owner = 1 - owner) {
    SlotMove move(slot_, nodes_[owner], nodes_[1 - owner]);
    ASSERT_TRUE(move.succeeds()) << move.shown();
    EXPECT_TRUE(writer.adds_more());
  }
  const int added = writer.stop();
  ASSERT_EQ(owner, moves % 2U);
  expect_all(owner, added);
  for (const std::string key : {"{a}bf", "{a}own", "{a}secret"}) {
    EXPECT_EQ(nodes_[owner].server->ask("BF.CARD " + key),
              ":" + std::to_string(writer.new_in(key)));
  }
  for (int quiet = 0; quiet < 2; ++quiet, owner = 1 - owner) {
    const std::string before = all_of_slot(owner);
    EXPECT_GT(before.size(), 500U);
    SlotMove move(slot_, nodes_[owner], nodes_[1 - owner]);
    ASSERT_TRUE(move.succeeds()) << move.shown();
    EXPECT_EQ(all_of_slot(1 - owner), before);
  }
  if (owner == 0) {  // to the node that has a replica
    ASSERT_TRUE(SlotMove(slot_, nodes_[0], nodes_[1]).succeeds());
    owner = 1;
  }
  EXPECT_TRUE(testing::comes_true([&] {
    return nodes_[2].server->ask("DEBUG DIGEST") == nodes_[1].server->ask("DEBUG DIGEST");
  }));
  expect_loads_end_well(owner, added);
}

TEST_F(SlotMoves, OneThatDoesNotEndWellLeavesAllWhereItWas) {
  ASSERT_NO_FATAL_FAILURE(start_with_filters({"--cluster-require-full-coverage", "no"}));
  if (IsSkipped()) return;
  SlotWriter writer(nodes_, filters_);
  slow_down(0, 1'000'000);
  {
    SlotMove cancelled(slot_, nodes_[0], nodes_[1]);
    EXPECT_TRUE(cancelled.is_in_the_middle()) << cancelled.shown();
    EXPECT_TRUE(writer.adds_more());
    cancelled.cancel();
    EXPECT_TRUE(cancelled.fails()) << cancelled.shown();
    EXPECT_TRUE(writer.adds_more());
    EXPECT_TRUE(testing::comes_true(
        [&] { return nodes_[1].server->ask("CLUSTER COUNTKEYSINSLOT " + slot_) == ":0"; }));
  }
  {
    SlotMove killed(slot_, nodes_[0], nodes_[1]);
    EXPECT_TRUE(killed.is_in_the_middle()) << killed.shown();
    EXPECT_TRUE(writer.adds_more());
    nodes_[1].server->end(SIGKILL);
  }
  EXPECT_TRUE(writer.adds_more());
  expect_all(0, 50);
  slow_down(0, 0);
  nodes_[1].server.reset();
  nodes_[1].start();
  ASSERT_TRUE(all_know_all());
  const int added = writer.stop();
  expect_all(0, added);
  const std::string before = all_of_slot(0);
  SlotMove again(slot_, nodes_[0], nodes_[1]);
  ASSERT_TRUE(again.succeeds()) << again.shown();
  EXPECT_EQ(all_of_slot(1), before);
  expect_loads_end_well(1, added);
}

TEST_F(SlotMoves, ANodeThatDiesWhileItGivesASlotHasAllOfItInItsFile) {
  ASSERT_NO_FATAL_FAILURE(
      start_with_filters({"--cluster-require-full-coverage", "no", "--appendonly", "yes",
                          "--appendfsync", "always", "--aof-use-rdb-preamble", "no"}));
  if (IsSkipped()) return;
  int added = 0;
  slow_down(0, 1'000'000);
  {
    SlotWriter writer(nodes_, filters_);
    SlotMove move(slot_, nodes_[0], nodes_[1]);
    EXPECT_TRUE(move.is_in_the_middle()) << move.shown();
    EXPECT_TRUE(writer.adds_more());
    added = writer.stop();
  }
  const std::string before = all_of_slot(0, false);
  nodes_[0].server->end(SIGKILL);
  nodes_[0].server.reset();
  nodes_[0].start();
  ASSERT_TRUE(all_know_all());
  EXPECT_EQ(all_of_slot(0, false), before);
  expect_all(0, added);
  expect_loads_end_well(0, added, false);
}

}  // namespace
}  // namespace bloomery
