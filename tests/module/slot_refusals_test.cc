// SPDX-License-Identifier: Apache-2.0
// A node of Valkey that cannot take all of a slot leaves it to the node that has it.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/module/slot_moves.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::SlotMove;
using Words = std::vector<std::string>;

class SlotRefusals : public testing::SlotMoves {
 protected:
  void start_valkey() { start_with_filters({}, SlotMove::Way::valkey); }
  // The state of the newest move at the node that takes.
  std::string state() {
    const auto last = nodes_[1].server->ask_reply("CLUSTER GETSLOTMIGRATIONS").items.at(0).items;
    for (std::size_t i = 0; i + 1 < last.size(); i += 2) {
      if (last[i].text == "state") return last[i + 1].text;
    }
    return {};
  }
  // Node 1, with another module.
  bool starts_again_with(const std::string& module) {
    nodes_[1].server.reset();
    nodes_[1].module = module;
    nodes_[1].start();
    return all_know_all();
  }
  bool has_keys(int count) {
    return testing::comes_true([&] {
      return nodes_[1].server->ask("CLUSTER COUNTKEYSINSLOT " + slot_) ==
             ":" + std::to_string(count);
    });
  }
  // A node that gives its slot to node 1, as a client plays it.
  std::unique_ptr<Client> giver(int number) {
    auto client = std::make_unique<Client>(nodes_[1].server->socket());
    std::string name = std::to_string(number);
    name.insert(0, 40 - name.size(), 'e');
    EXPECT_EQ(client->ask("CLUSTER SYNCSLOTS ESTABLISH SOURCE " + nodes_[0].id + " NAME " + name +
                          " SLOTSRANGE " + slot_ + " " + slot_),
              "+OK");
    client->send_command({"CLUSTER", "SYNCSLOTS", "ACK"});
    return client;
  }
};

TEST_F(SlotRefusals, AStepThatCannotBeFollowedEndsTheMove) {
  ASSERT_NO_FATAL_FAILURE(start_valkey());
  if (IsSkipped()) return;
  const std::string bytes = testing::bytes_of_new(FilterKind::blocked);
  const std::string size = std::to_string(bytes.size());
  const Words whole{"BLOOM.LOAD", "{a}k", "PUT", "{a}k", size, "0", bytes};
  struct Case {
    std::vector<Words> followed;
    Words refused;
  };
  const std::vector<Case> cases{
      {{}, {"BLOOM.LOAD", "{a}k", "PUT", "{a}k", size, "0", std::string(bytes.size(), 'x')}},
      {{{"BLOOM.LOAD", "{a}k", "PUT", "{a}k", size, "0", bytes.substr(0, 100)}},
       {"BLOOM.LOAD", "{a}k", "PUT", "{a}k", size, "200", bytes.substr(200)}},
      {{{"BLOOM.LOAD", "{a}k", "PUT", "{a}k", size, "0", bytes.substr(0, 100)}},
       {"BLOOM.LOAD", "{a}k", "TURN"}},
      {{whole}, whole},
      {{}, {"BLOOM.LOAD", "{a}k", "TURN"}},
      {{}, {"BLOOM.LOAD", "{a}k", "EMPTY", "no head"}},
      {{}, {"BLOOM.LOAD", "{a}k", "COMMIT"}},
      {{}, {"BLOOM.LOAD", "{a}k", "HALF", "BF", "no header", "1"}},
      {{}, {"BLOOM.LOAD", "{a}k", "FILL", "1", "x"}},
      {{}, {"BLOOM.LOAD", "{a}k", "CAME", "0", "1"}},
      {{}, {"BLOOM.LOAD", "{a}k", "ADDED", "1", "1", "x"}},
      {{}, {"BF.LOADCHUNK", "{a}k", "1", "this is no header"}},
      {{{"BF.RESERVE", "{a}k", "0.01", "100"}}, {"BF.LOADCHUNK", "{a}k", "99999", "a piece"}},
      {{}, {"CF.LOADCHUNK", "{a}k", "1", "this is no header"}},
      {{}, {"BF.RESERVE", "{a}k", "0.01", "900000000000"}},
      // A filter that is not here would come to be with its last items alone.
      {{}, {"BF.ADD", "{a}k", "x"}},
      {{}, {"BF.MADD", "{a}k", "x", "y"}},
      {{}, {"CF.ADD", "{a}k", "x"}},
      {{}, {"BLOOM.ADD", "{a}k", "x"}},
      {{}, {"BLOOM.APPLY", "{a}k", "1", "x"}},
      {{}, {"BLOOM.MERGE", "{a}k", "{a}other"}},
      // A later version may have this command.
      {{}, {"BLOOM.LATER", "{a}k", "x"}},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto client = giver(static_cast<int>(i));
    for (const Words& each : cases[i].followed) client->send_command(each);
    ASSERT_TRUE(has_keys(cases[i].followed.empty() ? 0 : 1)) << i;
    EXPECT_EQ(state(), "receiving-snapshot") << i;
    client->send_command(cases[i].refused);
    EXPECT_TRUE(testing::comes_true([&] { return state() == "failed"; }))
        << i << " " << cases[i].refused[0] << " " << state();
    EXPECT_TRUE(has_keys(0)) << i;
  }
}

TEST_F(SlotRefusals, WhatIsLostWhereItIsGivenMovesAsSuch) {
  ASSERT_NO_FATAL_FAILURE(start_valkey());
  if (IsSkipped()) return;
  const auto client = giver(1);
  client->send_command({"BLOOM.LOAD", "{a}k", "LOST", "why"});
  ASSERT_TRUE(has_keys(1));
  EXPECT_EQ(state(), "receiving-snapshot");
}

TEST_F(SlotRefusals, ANodeWithoutTheModuleTakesNoFilter) {
  ASSERT_NO_FATAL_FAILURE(start_valkey());
  if (IsSkipped()) return;
  ASSERT_TRUE(starts_again_with(""));
  const std::string before = all_of_slot(0);
  SlotMove move(slot_, nodes_[0], nodes_[1]);
  EXPECT_TRUE(move.fails()) << move.shown();
  EXPECT_EQ(all_of_slot(0), before);
  EXPECT_TRUE(has_keys(0));
}

// With one that .ci/run --long builds of an older state of this project.
TEST_F(SlotRefusals, ANodeWithAnOlderModuleTakesNoFilter) {
  const char* const older = std::getenv("BLOOMERY_OLDER_MODULE");
  if (older == nullptr) GTEST_SKIP() << "BLOOMERY_OLDER_MODULE names no older bloomery.so";
  ASSERT_NO_FATAL_FAILURE(start_valkey());
  if (IsSkipped()) return;
  ASSERT_TRUE(starts_again_with(older));
  const std::string before = all_of_slot(0);
  SlotMove move(slot_, nodes_[0], nodes_[1]);
  EXPECT_TRUE(move.fails()) << move.shown();
  EXPECT_EQ(all_of_slot(0), before);
  EXPECT_TRUE(has_keys(0));
}

// How many bytes of memory a process has mapped.
rlim_t mapped_bytes(pid_t process) {
  std::ifstream statm("/proc/" + std::to_string(process) + "/statm");
  rlim_t pages = 0;
  statm >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

TEST_F(SlotRefusals, ANodeWithoutMemoryTakesNoFilter) {
  ASSERT_NO_FATAL_FAILURE(start_valkey());
  if (IsSkipped()) return;
  ASSERT_EQ(nodes_[0].server->ask("BF.RESERVE {a}large 0.01 100000000"), "+OK");
  ASSERT_EQ(nodes_[0].server->ask("BF.ADD {a}large member"), ":1");
  const std::string before = all_of_slot(0);
  ASSERT_EQ(nodes_[1].server->ask("CONFIG SET maxmemory 20mb"), "+OK");
  {
    SlotMove move(slot_, nodes_[0], nodes_[1]);
    EXPECT_TRUE(move.fails()) << move.shown();
  }
  EXPECT_EQ(all_of_slot(0), before);
  EXPECT_TRUE(has_keys(0));
  ASSERT_EQ(nodes_[1].server->ask("CONFIG SET maxmemory 0"), "+OK");
  if (std::string(BLOOMERY_SANITIZER_RUNTIME).empty()) {  // which maps all there is
    const pid_t process = nodes_[1].server->process();
    rlimit usual{};
    const rlim_t most = mapped_bytes(process) + (rlim_t{80} << 20);
    const rlimit little{most, RLIM_INFINITY};
    ASSERT_EQ(prlimit(process, RLIMIT_AS, &little, &usual), 0);
    SlotMove move(slot_, nodes_[0], nodes_[1]);
    EXPECT_TRUE(move.fails()) << move.shown();
    ASSERT_EQ(prlimit(process, RLIMIT_AS, &usual, nullptr), 0);
    EXPECT_EQ(all_of_slot(0), before);
    EXPECT_TRUE(has_keys(0));
  }
  SlotMove move(slot_, nodes_[0], nodes_[1]);
  ASSERT_TRUE(move.succeeds()) << move.shown();
  EXPECT_EQ(all_of_slot(1), before);
}

}  // namespace
}  // namespace bloomery
