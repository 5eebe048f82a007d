// SPDX-License-Identifier: Apache-2.0
// Copies of filters that are kept in step by the hashes of what came.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/module/filter_copy.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::FilterCopy;
using testing::free_port;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

const std::string kDatabase = "000000000000000100000000000000aa";
const std::string kNobody = "000000000000000000000000000000ff";

class Deltas : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
    ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
    ask("BLOOM.MADD f a b c");
  }
  std::string ask(const std::string& command) { return server_->ask(command); }
  FilterCopy copy_of(const std::string& key, std::size_t piece_bytes = 1 << 20) {
    FilterCopy copy(server_->client, key, piece_bytes);
    copy.read_whole();
    return copy;
  }
  std::string identity() { return server_->call({"BLOOM.INFO", "f", "WATERMARK"}).items[0].text; }

  std::unique_ptr<ModuleServer> server_{};
};

TEST_F(Deltas, KeepCopiesOfEveryKindInStep) {
  ask("BLOOM.RESERVE classic 0.01 5000 EXPANSION 0 LAYOUT classic");
  ask("BLOOM.RESERVE two 0.00001 5000 EXPANSION 0");
  ask("BLOOM.RESERVE scalable 0.01 5000");
  ask("BLOOM.RESERVE secret 0.01 5000 EXPANSION 0 SECRET");
  ask("BF.RESERVE chain 0.01 5000");
  for (const std::string key : {"f", "classic", "two", "scalable", "secret", "chain"}) {
    std::mt19937 random(7);
    FilterCopy copy = copy_of(key, 1001);
    for (int round = 0; round < 20; ++round) {
      const auto item = [&] { return " item" + std::to_string(random() % 3000); };
      ask("BLOOM.MADD " + key + item() + item() + item());
      ask("BF.ADD " + key + item());
      ask("BLOOM.ADD " + key + item());
      ask("BF.INSERT " + key + " ITEMS" + item() + item());
      if (round % 4 == 3) {
        EXPECT_EQ(copy.follow(), "all") << key;
        EXPECT_TRUE(copy.is_equal_to_server()) << key;
      }
    }
    EXPECT_EQ(copy.taken, 140U) << key << ": each item counts, also one that was there";
    EXPECT_EQ(copy.follow(), "all") << key;
    EXPECT_EQ(copy.taken, 140U) << key;
  }
}

TEST_F(Deltas, BringTheWatermarkWithTheLastPiece) {
  FilterCopy copy = copy_of("f");
  const std::string step = "BLOOM.ADVANCE f EPOCH " + identity() + " FROM ";
  EXPECT_EQ(ask(step + "- TO " + kDatabase + ":7 ITEMS x y"), ":1");
  EXPECT_EQ(copy.follow(), "all");
  EXPECT_EQ(copy.taken, 2U);
  EXPECT_EQ(copy.watermark, "*3 $32 " + identity() + " $32 " + kDatabase + " :7");
  const std::string sequence = copy.sequence;
  EXPECT_EQ(ask(step + kDatabase + ":7 TO " + kDatabase + ":9"), ":1");
  EXPECT_EQ(copy.follow(), "all");
  EXPECT_EQ(copy.taken, 2U) << "a step without keys has none";
  EXPECT_NE(copy.sequence, sequence) << "and is news";
  EXPECT_EQ(copy.watermark, "*3 $32 " + identity() + " $32 " + kDatabase + " :9");
}

TEST_F(Deltas, ComeInPiecesThatAreAnswersOfTheirOwn) {
  ask("BLOOM.RESERVE large 0.01 8000000 EXPANSION 0");
  FilterCopy copy = copy_of("large");
  for (int batch = 0; batch < 70; ++batch) {
    std::vector<std::string> words{"BLOOM.MADD", "large"};
    for (int i = 0; i < 1000; ++i) words.push_back(std::to_string(1000 * batch + i));
    server_->call(words);
  }
  EXPECT_EQ(copy.take_delta(server_->call(copy.question())), "more");
  EXPECT_EQ(copy.watermark, "") << "the copy does not stand where the filter does";
  EXPECT_EQ(copy.follow(), "all");
  EXPECT_EQ(copy.answers, 2U);
  EXPECT_EQ(copy.taken, 70000U);
  EXPECT_TRUE(copy.is_equal_to_server());
}

TEST_F(Deltas, SayWholeWhereTheChainIsBroken) {
  const std::string delta = "BLOOM.DELTA f SINCE ";
  FilterCopy copy = copy_of("f");
  EXPECT_EQ(ask(delta + kNobody + " 0"), "+WHOLE");
  EXPECT_EQ(ask(delta + copy.name + " " + std::to_string(std::stoul(copy.sequence) + 1)), "+WHOLE")
      << "a sequence beyond the ring's";
  EXPECT_EQ(ask(delta + copy.name + " 18446744073709551615"), "+WHOLE");
  EXPECT_EQ(copy.follow(), "all");

  const auto is_lost_by = [&](const std::vector<std::string>& commands) {
    FilterCopy before = copy_of("f");
    for (const std::string& each : commands) {
      EXPECT_NE(ask(each)[0], '-') << each << ": " << ask(each);
    }
    EXPECT_EQ(before.follow(), "WHOLE") << commands.front();
    before.read_whole();
    EXPECT_TRUE(before.is_equal_to_server()) << commands.front();
  };
  ask("COPY f other");
  ask("BLOOM.ADD other new");
  is_lost_by({"BLOOM.MERGE f other"});
  is_lost_by({"DEBUG RELOAD"});
  is_lost_by({"COPY other f REPLACE"});
  is_lost_by({"RENAME other f"});
  is_lost_by({"DEL f", "BLOOM.RESERVE f 0.01 20000 EXPANSION 0"});
  is_lost_by({"FLUSHALL", "BLOOM.RESERVE f 0.01 20000 EXPANSION 0"});

  const std::string dump = server_->call({"DUMP", "f"}).text;
  FilterCopy before = copy_of("f");
  ask("BLOOM.ADD f later");
  EXPECT_EQ(before.follow(), "all");
  EXPECT_EQ(server_->call({"RESTORE", "f", "0", dump, "REPLACE"}).line, "+OK");
  EXPECT_EQ(before.follow(), "WHOLE");
}

TEST_F(Deltas, SayWholeOfAFilterThatGrew) {
  ask("BLOOM.RESERVE small 0.01 100");
  FilterCopy copy = copy_of("small");
  for (int i = 0; i < 90; ++i) ask("BLOOM.ADD small " + std::to_string(i));
  EXPECT_NE(copy.follow(), "all") << "an eighth of its bytes is fewer hashes";
  copy.read_whole();
  for (int i = 90; i < 130; ++i) ask("BLOOM.ADD small " + std::to_string(i));
  EXPECT_EQ(copy.follow(), "WHOLE");
  copy.read_whole();
  EXPECT_TRUE(copy.is_equal_to_server());
  EXPECT_EQ(copy.filter->contents().layers.size(), 2U);
}

TEST_F(Deltas, SayWholeWhereTheRingHasForgotten) {
  server_ = std::make_unique<ModuleServer>(folder("other"),
                                           std::vector<std::string>{"bf-delta-bytes", "160"});
  ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
  FilterCopy copy = copy_of("f");
  ask("BLOOM.MADD f 1 2 3 4 5 6 7 8 9 10");
  EXPECT_EQ(copy.follow(), "all") << "ten of 16 bytes have room";
  ask("BLOOM.MADD f 1 2 3 4 5 6 7 8 9 10 11");
  EXPECT_EQ(copy.follow(), "WHOLE");
  copy.read_whole();
  EXPECT_TRUE(copy.is_equal_to_server());
  ask("BLOOM.MADD f x y");
  EXPECT_EQ(copy.follow(), "all") << "the ring goes on";
  EXPECT_TRUE(copy.is_equal_to_server());
}

TEST_F(Deltas, FollowAFilterToAnotherName) {
  FilterCopy copy = copy_of("f");
  ask("BLOOM.ADD f on-the-way");
  EXPECT_EQ(ask("RENAME f g"), "+OK");
  FilterCopy moved = copy_of("g");
  EXPECT_EQ(moved.name, copy.name) << "the ring is the filter's, not the key's";
  EXPECT_EQ(copy.take_delta(server_->call({"BLOOM.DELTA", "g", "SINCE", copy.name, copy.sequence})),
            "all");
  EXPECT_EQ(copy.taken, 1U);
  EXPECT_EQ(ask("BLOOM.DELTA f SINCE " + copy.name + " 0"), "-ERR not found");
}

TEST_F(Deltas, AreRefusedByNameOfFiltersThatForget) {
  ask("BLOOM.RESERVE counting 0.01 1000 COUNTING EXPANSION 0");
  ask("BLOOM.RESERVE window 0.01 1000 WINDOW 60");
  ask("CF.RESERVE cuckoo 1000");
  ask("SET text text");
  for (const std::string& command :
       std::vector<std::string>{"BLOOM.READ % 0 100", "BLOOM.DELTA % SINCE " + kNobody + " 0"}) {
    const auto of = [&](const std::string& key) {
      std::string all = command;
      return ask(all.replace(all.find('%'), 1, key));
    };
    EXPECT_EQ(of("counting"), "-ERR a counting filter has bits that go, and so no deltas");
    EXPECT_EQ(of("window"),
              "-ERR a windowed filter forgets by its server's clock, and has no deltas");
    EXPECT_EQ(of("cuckoo"), "-ERR a cuckoo filter has bits that go, and so no deltas");
    EXPECT_EQ(of("missing"), "-ERR not found");
    EXPECT_EQ(of("text").substr(0, 10), "-WRONGTYPE");
    ask("BLOOM.LOAD begun BEGIN");
    EXPECT_EQ(of("begun"), "-NOTREADY the filter is still being loaded");
  }
}

TEST_F(Deltas, AreRefusedInOtherWords) {
  const std::string since = "BLOOM.DELTA f SINCE " + kNobody;
  for (const std::string& command : std::vector<std::string>{
           "BLOOM.READ f -1 1", "BLOOM.READ f 0 0", "BLOOM.READ f 0 x", "BLOOM.READ f 99999999 1",
           "BLOOM.READ f 0", "BLOOM.DELTA f FROM " + kNobody + " 0", "BLOOM.DELTA f SINCE x 0",
           since + " x", since + " -1", since + " 0 BLOCK", since + " 0 BLOCK 0",
           since + " 0 BLOCK 600001", since + " 0 WAIT 10", since}) {
    EXPECT_EQ(ask(command).substr(0, 4), "-ERR") << command;
  }
}

TEST_F(Deltas, AreKeptByNoServerThatForbidsIt) {
  server_ = std::make_unique<ModuleServer>(folder("none"),
                                           std::vector<std::string>{"bf-delta-bytes", "0"});
  ask("BLOOM.RESERVE f 0.01 1000 EXPANSION 0");
  EXPECT_EQ(ask("BLOOM.READ f 0 1"),
            "-ERR this server keeps nothing for copies: its parameter bf-delta-bytes is 0");
}

// A client that has read a piece keeps its place, until it has all or is gone.
TEST_F(Deltas, AreReadWholeByFewClientsAtOnce) {
  using testing::Client;
  server_ = std::make_unique<ModuleServer>(folder("few"),
                                           std::vector<std::string>{"bf-read-clients", "1"});
  ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
  auto first = std::make_unique<Client>(server_->socket());
  Client second(server_->socket());
  const std::string refused =
      "-LATER as many clients as may (bf-read-clients: 1) are reading whole filters; ask again "
      "within a second";
  EXPECT_EQ(first->ask("BLOOM.READ f 0 100").substr(0, 2), "*4");
  EXPECT_EQ(second.ask("BLOOM.READ f 0 100"), refused);
  EXPECT_EQ(second.ask("BLOOM.DELTA f SINCE " + kNobody + " 0"), "+WHOLE") << "no whole read";
  EXPECT_EQ(first->ask("BLOOM.READ f 100 1000000").substr(0, 2), "*4");
  EXPECT_EQ(second.ask("BLOOM.READ f 0 100").substr(0, 2), "*4");
  EXPECT_EQ(first->ask("BLOOM.READ f 0 100"), refused);
  EXPECT_EQ(second.ask("BLOOM.READ f 999999999 1").substr(0, 4), "-ERR") << "takes no place";
  EXPECT_EQ(second.ask("BLOOM.READ f 100 1000000").substr(0, 2), "*4");
  EXPECT_EQ(first->ask("BLOOM.READ f 0 100").substr(0, 2), "*4");
  first.reset();
  EXPECT_TRUE(testing::comes_true([&] { return second.ask("BLOOM.READ f 0 100") != refused; }));
}

TEST_F(Deltas, AreReadWholeByAllWhereNoNumberIsSet) {
  server_ = std::make_unique<ModuleServer>(folder("all"),
                                           std::vector<std::string>{"bf-read-clients", "0"});
  ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
  std::vector<std::unique_ptr<testing::Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<testing::Client>(server_->socket()));
    EXPECT_EQ(clients.back()->ask("BLOOM.READ f 0 100").substr(0, 2), "*4") << i;
  }
}

TEST_F(Deltas, CountInTheMemoryOfTheirFilter) {
  const auto memory = [&](const std::string& key) {
    return std::stol(ask("MEMORY USAGE " + key).substr(1));
  };
  ask("BLOOM.RESERVE large 0.01 1000000 EXPANSION 0");
  const long before = memory("large");
  FilterCopy copy = copy_of("large");
  const long with_ring = memory("large");
  EXPECT_GT(with_ring, before + before / 9);
  EXPECT_LE(with_ring, before + before / 8 + 500);
  ask("COPY large other");
  EXPECT_LE(memory("other"), before + 500) << "a copy of the key has none";
}

TEST_F(Deltas, OfAReplicaAreItsOwn) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port});
  primary.ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
  primary.ask("BLOOM.ADD f a");
  ModuleServer replica(folder("replica"), {}, {"--replicaof", "127.0.0.1 " + port});
  const auto has = [&](const std::string& item) {
    return testing::comes_true([&] { return replica.ask("BLOOM.CHECK f " + item) == "*1 :1"; });
  };
  ASSERT_TRUE(has("a"));
  FilterCopy copy(replica.client, "f");
  copy.read_whole();
  EXPECT_EQ(primary.ask("BLOOM.DELTA f SINCE " + copy.name + " 0"), "+WHOLE");
  primary.ask("BLOOM.MADD f a b c");
  ASSERT_TRUE(has("c"));
  EXPECT_EQ(copy.follow(), "all");
  EXPECT_TRUE(copy.is_equal_to_server());
  EXPECT_EQ(replica.ask("REPLICAOF NO ONE"), "+OK");
  replica.ask("BLOOM.ADD f promoted");
  EXPECT_EQ(copy.follow(), "all") << "the filter and its ring are the same as before";
  EXPECT_TRUE(copy.is_equal_to_server());
}

}  // namespace
}  // namespace bloomery
