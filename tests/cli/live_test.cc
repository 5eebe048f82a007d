// SPDX-License-Identifier: Apache-2.0
// Filters of other systems where they live, through the command.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/cli/shell.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::numbered_lines;
using testing::Outcome;
using testing::RedisServer;
using testing::Shell;

class LiveCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    server_->ask(
        "HSET '{users}:config' size 9585 hashIterations 7 expectedInsertions 1000 "
        "falseProbability 0.01");
  }

  std::string at(const std::string& format, const std::string& settings,
                 const std::string& key = "users") const {
    return " '" + format + ":redis+unix://" + server_->socket() + settings + "#" + key + "' ";
  }
  std::string users() const { return at("redisson", ""); }
  std::string trusted() const { return at("redisson", "?trust=bits"); }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
  Shell shell_;
};

TEST_F(LiveCommand, InsertsAndAsksALiveFilter) {
  const Outcome inserted =
      shell_.run("bloomery insert --as text --json" + users(), numbered_lines("in", 100));
  ASSERT_EQ(inserted.status, 0) << inserted.err;
  EXPECT_EQ(inserted.json().at("key_count"), 100);
  EXPECT_EQ(inserted.json().at("new_count"), 100);
  EXPECT_EQ(shell_.run("bloomery insert --as text" + users(), "in3\n").status, 1) << "none was new";

  const Outcome some = shell_.run("bloomery check --as text" + trusted(), "in7\nout7\nin8\n");
  EXPECT_EQ(some.out, "in7\nin8\n");
  EXPECT_EQ(some.status, 0);
  EXPECT_EQ(shell_.run("bloomery check --as text -v" + trusted(), "in7\nout7\n").out, "out7\n");
  EXPECT_EQ(shell_.run("bloomery check --as text" + trusted(), "out7\n").status, 1);
  EXPECT_EQ(shell_.run("bloomery explain --as text" + trusted() + "in7").status, 0);
  EXPECT_EQ(shell_.run("bloomery info --json" + trusted()).json().at("bit_count"), 9585);
}

TEST_F(LiveCommand, WhatIsUnknownIsPrintedToldOnceAndFails) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "in\n").status, 0);
  const Outcome some = shell_.run("bloomery check --as text" + users(), "in\nout1\nout2\n");
  EXPECT_EQ(some.out, "in\nout1\nout2\n");
  EXPECT_EQ(some.status, 2);
  const Outcome explained = shell_.run("bloomery explain --json --as text" + users() + "out1");
  EXPECT_EQ(explained.json().at("presence"), "unknown");
  EXPECT_EQ(explained.status, 2);
  EXPECT_EQ(shell_.run("bloomery explain --as text" + trusted() + "out1").status, 1);
  EXPECT_THAT(some.err, HasSubstr("trust=bits"));
  EXPECT_EQ(testing::count_lines(some.err), 1U);
  EXPECT_EQ(shell_.run("bloomery check --as text -v" + users(), "in\nout\n").out, "");
  EXPECT_EQ(shell_.run("bloomery check --as text -q" + users(), "out\nin\n").status, 0)
      << "as grep";
  const Outcome counted = shell_.run("bloomery check --as text --json" + users(), "in\nout\n");
  EXPECT_EQ(counted.json().at("maybe_count"), 1);
  EXPECT_EQ(counted.json().at("absent_count"), 0);
  EXPECT_EQ(counted.json().at("unknown_count"), 1);
  EXPECT_EQ(counted.status, 2);
}

TEST_F(LiveCommand, InfoSaysWhenAFilterExpires) {
  ASSERT_EQ(shell_.run("bloomery create -n 100 -p 0.1" + at("bitmap", "", "x")).status, 0);
  const Outcome lasting = shell_.run("bloomery info --json" + at("bitmap", "", "x"));
  EXPECT_FALSE(lasting.json().contains("time_to_live_ms"));
  server_->ask("EXPIRE x 1000");
  const Outcome expiring = shell_.run("bloomery info --json" + at("bitmap", "", "x"));
  EXPECT_EQ(expiring.status, 0);
  EXPECT_GT(expiring.json().at("time_to_live_ms"), 0);
  EXPECT_LE(expiring.json().at("time_to_live_ms"), 1'000'000);
  EXPECT_THAT(expiring.err, HasSubstr("expires in"));
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "in\n").status, 0);
  server_->ask("EXPIRE users 1000");
  EXPECT_GT(shell_.run("bloomery info --json" + trusted()).json().at("time_to_live_ms"), 0);
}

TEST_F(LiveCommand, AFilterThatIsGoneIsUnknownNotAbsent) {
  const Outcome none = shell_.run("bloomery check --as text" + trusted(), "in\n");
  EXPECT_EQ(none.out, "in\n");
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("its bitmap users is not there"));
  const Outcome away =
      shell_.run("bloomery check 'gozero:redis+unix:///nowhere.sock?bits=80&trust=bits#x'", "in\n");
  EXPECT_EQ(away.out, "in\n");
  EXPECT_EQ(away.status, 2);
  EXPECT_EQ(testing::count_lines(away.err), 1U) << away.err;
}

TEST_F(LiveCommand, AFilterInAServerAndAFileAreAskedTogether) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "live\n").status, 0);
  ASSERT_EQ(
      shell_.run("bloomery create f.bloom -n 100 -p 1e-6 && bloomery insert f.bloom", "filed\n")
          .status,
      0);
  const Outcome both =
      shell_.run("bloomery check --as text f.bloom" + trusted(), "live\nfiled\nneither\n");
  EXPECT_EQ(both.out, "live\nfiled\n");
  EXPECT_EQ(both.status, 0);
  EXPECT_EQ(shell_.run("bloomery check --as text -c f.bloom" + users(), "live\nfiled\n").status, 0);
}

TEST_F(LiveCommand, ReadsALiveFilterIntoAFileAndMergesIt) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), numbered_lines("in", 50)).status, 0);
  ASSERT_EQ(shell_.run("bloomery convert --as text" + trusted() + "copy.bloom").status, 0);
  EXPECT_EQ(shell_.run("bloomery convert --as text" + users() + "other.bloom").status, 2)
      << "the file would say absent";
  EXPECT_EQ(shell_.run("bloomery check -c copy.bloom", numbered_lines("in", 50)).out, "50\n");
  EXPECT_EQ(shell_.run("bloomery check -q copy.bloom", "out\n").status, 1);
  EXPECT_EQ(shell_.run("bloomery merge --as text both.bloom copy.bloom" + trusted()).status, 0);
}

TEST_F(LiveCommand, MakesAFilterWhereItLives) {
  const std::string other = at("redisson", "", "made");
  const Outcome made = shell_.run("bloomery create -n 1000 -p 0.01" + other);
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(server_->ask("HGET '{made}:config' falseProbability"), "0.01\n");
  EXPECT_EQ(shell_.run("bloomery create -n 1000 -p 0.01" + other).status, 2) << "it is there";
  EXPECT_EQ(shell_.run("bloomery insert --as text" + other, "in\n").status, 0);

  const Outcome sized =
      shell_.run("bloomery create --json -n 1000 -p 0.01" + at("pyrebloom", "", "sized"));
  ASSERT_EQ(sized.status, 0) << sized.err;
  const std::string location = sized.json().at("location");
  EXPECT_EQ(shell_.run("bloomery insert '" + location + "'", "in\n").status, 0) << location;
  EXPECT_EQ(shell_.run("bloomery create --kind blocked -n 9 -p 0.1" + at("gozero", "", "x")).status,
            2);
}

TEST_F(LiveCommand, LoadsAllKeysInOneStep) {
  shell_.write("keys", numbered_lines("in", 500));
  EXPECT_EQ(shell_.run("bloomery load keys -p 0.01 --as text" + users()).status, 2) << "is there";
  const std::string made = at("redisson", "?trust=bits", "made");
  const Outcome loaded = shell_.run("bloomery load keys -p 0.01 --as text --json" + made);
  ASSERT_EQ(loaded.status, 0) << loaded.err;
  EXPECT_EQ(loaded.json().at("key_count"), 500);
  EXPECT_EQ(shell_.run("bloomery check -c --as text" + made, numbered_lines("in", 500)).out,
            "500\n");
  EXPECT_EQ(shell_.run("bloomery check -q --as text" + made, "out\n").status, 1);
  // Keys that are in stay in. Another size is refused, unless it is asked for.
  shell_.write("more", numbered_lines("more", 500));
  EXPECT_EQ(shell_.run("bloomery load more -p 0.01 --as text --replace" + made).status, 0);
  EXPECT_EQ(shell_.run("bloomery check -c --as text --input keys" + made).out, "500\n");
  const Outcome other = shell_.run("bloomery load more -p 0.001 --as text --replace" + made);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("--discard"));
  EXPECT_EQ(shell_.run("bloomery load more -p 0.001 --as text --replace --discard" + made).status,
            0);
  EXPECT_EQ(shell_.run("bloomery check -q --as text" + made, "in1\n").status, 1);
}

TEST_F(LiveCommand, ConvertsAFileIntoALiveFilter) {
  shell_.write("keys", numbered_lines("in", 100));
  ASSERT_EQ(shell_.run("bloomery load keys redisson:f -p 0.01 --as text").status, 0);
  const std::string made = at("redisson", "", "made");
  ASSERT_EQ(shell_.run("bloomery convert redisson:f --as text" + made).status, 0);
  EXPECT_EQ(shell_.run("bloomery check -c --as text --input keys" + made).out, "100\n");
  ASSERT_EQ(shell_.run("bloomery create own.bloom -n 10 -p 0.1").status, 0);
  EXPECT_EQ(shell_.run("bloomery convert own.bloom" + at("redisson", "", "x")).status, 2);
}

TEST_F(LiveCommand, WhatIsMergedMayGoThere) {
  for (const std::string& prefix :
       {std::string(), std::string("redisson:"), std::string("gozero:")}) {
    SCOPED_TRACE(prefix);
    ASSERT_EQ(shell_
                  .run("rm -f a* b*; for key in a b; do bloomery create -n 100 -p 0.01 " + prefix +
                       "$key && echo $key | bloomery insert --as text " + prefix + "$key; done")
                  .status,
              0);
    const std::string format = prefix.empty() ? "bitmap:" : prefix;
    const std::string where = format + "redis+unix://" + server_->socket();
    const std::string merge = "bloomery merge --as text --json '" + where;
    const std::string parts = " " + prefix + "a " + prefix + "b";
    const Outcome merged = shell_.run(merge + "#out" + "'" + parts);
    ASSERT_EQ(merged.status, 0) << merged.err;
    // A system without a configuration gets its settings in the location.
    std::string made = merged.json().value("location", where + "?timeout=9000#out");
    made.insert(made.find('#'), prefix.empty() ? "" : "&trust=bits");
    EXPECT_EQ(shell_.run("bloomery check --as text '" + made + "'", "a\nb\nc\n").out, "a\nb\n");
    const Outcome again = shell_.run(merge + "#out'" + parts);
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("already exists"));
    EXPECT_EQ(shell_.run(merge + "#both' '" + made + "'" + parts).status, 0) << "of live ones too";
    server_->ask("FLUSHALL");
  }
  const Outcome unlike =
      shell_.run("bloomery merge" + at("gozero", "?bits=999", "out") + "gozero:a gozero:b");
  EXPECT_EQ(unlike.status, 2);
  EXPECT_THAT(unlike.err, HasSubstr("bits=999"));
  EXPECT_EQ(server_->ask("DBSIZE"), "0\n");
}

TEST_F(LiveCommand, DestroysWhatItIsToldTo) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "in\n").status, 0);
  const Outcome unasked = shell_.run("bloomery destroy" + users());
  EXPECT_EQ(unasked.status, 2);
  EXPECT_THAT(unasked.err, HasSubstr("--yes"));
  EXPECT_EQ(server_->ask("EXISTS users '{users}:config'"), "2\n");
  EXPECT_EQ(shell_.run("bloomery destroy --yes" + users()).status, 0);
  EXPECT_EQ(server_->ask("EXISTS users '{users}:config'"), "0\n");
  EXPECT_EQ(shell_.run("bloomery destroy --yes" + users()).status, 2) << "gone";
  ASSERT_EQ(shell_.run("bloomery create redisson:f -n 10 -p 0.1").status, 0);
  EXPECT_EQ(shell_.run("bloomery destroy --yes redisson:f").status, 0);
  EXPECT_FALSE(shell_.has("f") || shell_.has("f.config"));
}

TEST_F(LiveCommand, ClearsWhatItIsToldTo) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "in\n").status, 0);
  const Outcome unasked = shell_.run("bloomery clear" + users());
  EXPECT_EQ(unasked.status, 2);
  EXPECT_THAT(unasked.err, HasSubstr("--yes"));
  EXPECT_EQ(shell_.run("bloomery check --as text -q" + trusted(), "in\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery clear --yes" + users()).status, 0);
  EXPECT_EQ(shell_.run("bloomery check --as text" + trusted(), "in\n").status, 1);
  EXPECT_EQ(server_->ask("HGET '{users}:config' expectedInsertions"), "1000\n");

  const std::string orestes = at("orestes", "", "o");
  ASSERT_EQ(shell_.run("bloomery create -n 10 -p 0.1" + orestes).status, 0);
  EXPECT_EQ(shell_.run("bloomery clear --yes" + orestes).status, 0);
  server_->ask("HSET o:counts 7 1");
  const Outcome counted = shell_.run("bloomery clear --yes" + orestes);
  EXPECT_EQ(counted.status, 2);
  EXPECT_THAT(counted.err, HasSubstr("counters"));

  for (const std::string& each : {at("bitmap", "", "own"), at("bitmap", "?partitions=2", "parts"),
                                  at("gozero", "?bits=20000&trailer=1", "t"),
                                  std::string(" own.bloom "), std::string(" redisson:r.bin ")}) {
    SCOPED_TRACE(each);
    EXPECT_EQ(shell_.run("bloomery clear --yes" + each).status, 2) << "nothing is there";
    ASSERT_EQ(shell_.run("bloomery load - -n 1000 -p 0.01 --as i64" + each, "1\n2\n").status, 0);
    const auto before = shell_.run("bloomery info --json" + each).json();
    ASSERT_EQ(shell_.run("bloomery clear --yes" + each).status, 0);
    EXPECT_EQ(shell_.run("bloomery check --as i64" + each, "1\n2\n").out, "");
    const auto after = shell_.run("bloomery info --json" + each).json();
    for (const char* same : {"keys", "capacity", "bit_count", "partitions", "kind"}) {
      EXPECT_EQ(before.value(same, nlohmann::json()), after.value(same, nlohmann::json())) << same;
    }
    if (before.contains("identity")) {
      EXPECT_NE(before.at("identity"), after.at("identity"));
    }
    ASSERT_EQ(shell_.run("bloomery insert --as i64" + each, "3\n").status, 0);
    EXPECT_EQ(shell_.run("bloomery check --as i64" + each, "1\n3\n").out, "3\n");
  }
  EXPECT_TRUE(shell_.has("r.bin.config"));
  ASSERT_EQ(shell_.run("bloomery load - fixed.bloom --kind static", "1\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery clear --yes fixed.bloom").status, 2);
  EXPECT_EQ(shell_.run("bloomery check fixed.bloom", "1\n").status, 0);
  const Outcome served = shell_.run("bloomery clear --yes" + at("bf", "", "x"));
  EXPECT_EQ(served.status, 2);
  EXPECT_THAT(served.err, HasSubstr("destroy"));
}

TEST_F(LiveCommand, WhatCannotBeDoneThereIsRefusedByName) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "in\n").status, 0);
  const std::string name = "redisson:redis+unix://" + server_->socket() + "#users: ";
  for (const std::string& line :
       {"bloomery erase" + users(), "bloomery insert --in-place" + users(),
        "bloomery dedup --state" + users(), "bloomery measure -n 9" + users()}) {
    const Outcome refused = shell_.run(line, "in\n");
    EXPECT_EQ(refused.status, 2) << line;
    EXPECT_THAT(refused.err, HasSubstr(name)) << line;
  }
  EXPECT_EQ(shell_.run("bloomery check --as text -q" + trusted(), "in\n").status, 0);
}

TEST_F(LiveCommand, TheStateOfDedupIsKeptInAServer) {
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), "before\n").status, 0);
  for (const std::string& state : {at("bitmap", "", "seen"), trusted()}) {
    const std::string dedup = "bloomery dedup --as text -n 1000 -p 1e-3 --state" + state;
    const Outcome first = shell_.run(dedup, "a\nb\na\n");
    EXPECT_EQ(first.out, "a\nb\n") << first.err;
    EXPECT_EQ(first.status, 0);
    EXPECT_EQ(shell_.run(dedup, "b\nc\na\n").out, "c\n");
    const Outcome none = shell_.run(dedup, "c\nb\n");
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(none.status, 1);
    EXPECT_EQ(shell_.run("bloomery check -c --as text" + state, "a\nb\nc\n").out, "3\n");
  }
  const Outcome untrusted =
      shell_.run("bloomery dedup -n 10 --state" + at("redisson", "", "x"), "a\n");
  EXPECT_EQ(untrusted.status, 2);
  EXPECT_THAT(untrusted.err, HasSubstr("trust=bits"));
  EXPECT_EQ(server_->ask("EXISTS x '{x}:config'"), "0\n") << "refused before it is made";
  const Outcome bits = shell_.run("bloomery dedup -n 10 --state" + at("bf", "", "x"), "a\n");
  EXPECT_THAT(bits.err, HasSubstr("does not show the filter's bits"));
}

TEST_F(LiveCommand, ARunOfDedupThatFailsLeavesWhatOthersPutIntoTheStateItMade) {
  for (const std::string& state :
       {at("bitmap", "", "seen"), at("redisson", "?trust=bits", "others")}) {
    const std::string dedup = " bloomery dedup --as i64 -n 1000 --state" + state;
    const Outcome failed =
        shell_.run("rm -f pipe && mkfifo pipe\n" + dedup + "<pipe >first & exec 3>pipe\n" +
                   "for i in $(seq 500); do bloomery info" + state +
                   ">info 2>&1 && break; sleep 0.01; done\n" + "seq 3 |" + dedup +
                   ">second; echo nonumber >&3; exec 3>&-; wait $!");
    EXPECT_EQ(failed.status, 2) << failed.err;
    EXPECT_THAT(failed.err, HasSubstr("nonumber"));
    EXPECT_EQ(shell_.run("cat second").out, "1\n2\n3\n");
    EXPECT_EQ(shell_.run(dedup, "1\n2\n3\n4\n").out, "4\n") << state;
  }
}

TEST_F(LiveCommand, TheRateOfAFilterIsMeasuredWhereItLives) {
  ASSERT_EQ(shell_
                .run("bloomery load - -n 1000 -p 0.01 --as i64" + at("bitmap", "", "own"),
                     numbered_lines("", 1'000))
                .status,
            0);
  const Outcome own =
      shell_.run("bloomery measure --json --queries 100K" + at("bitmap", "", "own"));
  EXPECT_EQ(own.status, 0) << own.err;
  EXPECT_EQ(own.json().at("query_count"), 100'000);
  EXPECT_GT(own.json().at("measured_rate"), 0.004);
  EXPECT_LT(own.json().at("measured_rate"), 0.012);
  EXPECT_EQ(own.json().at("false_positive_rate"), 0.01);
  EXPECT_EQ(shell_.run("bloomery measure -p 1e-4 --queries 50K" + at("bitmap", "", "own")).status,
            1);
  // A tenth of what it is for, and nobody says that a clear bit is "absent".
  ASSERT_EQ(shell_.run("bloomery insert --as text" + users(), numbered_lines("in", 100)).status, 0);
  const Outcome unsure = shell_.run("bloomery measure --json --queries 10K" + users());
  EXPECT_EQ(unsure.status, 2);
  EXPECT_GT(unsure.json().at("unknown_count"), 9'900);
  EXPECT_THAT(unsure.err, HasSubstr("trust=bits"));
  EXPECT_EQ(shell_.run("bloomery measure --queries 10K" + trusted()).status, 0);
  EXPECT_EQ(shell_.run("bloomery measure").status, 2);
}

// Filters as a crawler and a service have them. The tests above run the other commands for all
// places.
TEST_F(LiveCommand, FiltersOfScrapyAndOrestesTakeEveryCommand) {
  for (const std::string& place :
       {at("scrapy", "?bit=13&hash_number=6&trust=bits", "s:bloomfilter"),
        at("orestes", "?trust=bits", "o")}) {
    const bool sized = place.find("bit=") != std::string::npos;
    const Outcome made = shell_.run("bloomery create -n 500 -p 0.01" +
                                    (sized ? at("scrapy", "", "s:bloomfilter") : place));
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out.find("?m=") != std::string::npos, false) << "its configuration says it";
    EXPECT_EQ(shell_.run("bloomery insert" + place, numbered_lines("in", 9)).status, 0);
    EXPECT_EQ(shell_.run("bloomery check" + place, "in7\nother\n").out, "in7\n");
    EXPECT_EQ(shell_.run("bloomery info" + place).status, 0);
    EXPECT_EQ(shell_.run("bloomery explain" + place + "in7").status, 0);
    EXPECT_EQ(shell_.run("bloomery convert --replace" + place + "copy.bloom").status, 0);
    EXPECT_EQ(shell_.run("bloomery convert --replace copy.bloom" + place).status, 0);
    EXPECT_EQ(shell_
                  .run("bloomery convert --replace copy.bloom" +
                       at("scrapy", "?bit=12&hash_number=6", "s:bloomfilter"))
                  .status,
              2);
    EXPECT_EQ(shell_.run("rm -f both.bloom; bloomery merge both.bloom copy.bloom" + place).status,
              0);
    EXPECT_EQ(shell_.run("bloomery dedup --state" + place, "in7\nnew\n").out, "new\n");
    EXPECT_EQ(shell_.run("bloomery measure --queries 1K" + place).status, 0);
    EXPECT_EQ(shell_.run("bloomery destroy --yes" + place).status, 0);
  }
  EXPECT_EQ(server_->ask("DBSIZE"), "1\n") << "the configuration of before";
}

TEST_F(LiveCommand, OneOfOursInAStringTakesEveryCommand) {
  const std::string own = at("bitmap", "", "own");
  const std::string file = (folder_.path() / "own.bloom").string();
  ASSERT_EQ(shell_.run("bloomery load - -n 1000 -p 0.0001 --as i64" + own, "1\n2\n3\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery load - -n 1000" + own, "1\n").status, 2) << "it is there";
  // The string says how its keys are written, and needs no trust.
  const Outcome some = shell_.run("bloomery check" + own, "2\n02\n7\n");
  EXPECT_EQ(some.out, "2\n02\n") << some.err;
  EXPECT_EQ(some.status, 0);
  EXPECT_EQ(shell_.run("bloomery check --as text" + own, "2\n").status, 2);
  const Outcome inserted = shell_.run("bloomery insert --json" + own, "3\n4\n");
  EXPECT_EQ(inserted.json().at("new_count"), 1) << inserted.err;
  EXPECT_EQ(shell_.run("bloomery insert --as text" + own, "x\n").status, 2);
  const auto info = shell_.run("bloomery info --json" + own).json();
  EXPECT_EQ(info.at("keys"), "i64");
  EXPECT_EQ(info.at("says_absent"), true);
  EXPECT_EQ(info.at("identity").get<std::string>().size(), 32U);
  EXPECT_EQ(shell_.run("bloomery explain" + own + "4").status, 0);
  EXPECT_EQ(shell_.run("bloomery explain" + own + "5").status, 1);

  EXPECT_EQ(shell_.run("bloomery convert" + own + file).status, 0);
  EXPECT_EQ(shell_.run("bloomery check " + file, "4\n5\n").out, "4\n");
  EXPECT_EQ(shell_.run("bloomery convert --discard " + file + own).status, 2) << "it is there";
  EXPECT_EQ(shell_.run("bloomery convert --replace " + file + own).status, 0);
  EXPECT_EQ(shell_.run("bloomery merge " + file + ".2" + own + file).status, 0);
  EXPECT_EQ(shell_.run("bloomery erase" + own, "4\n").status, 2);
  EXPECT_EQ(shell_.run("bloomery destroy --yes" + own).status, 0);
  EXPECT_EQ(shell_.run("bloomery destroy --yes" + own).status, 2) << "gone";
  EXPECT_EQ(shell_.run("bloomery check" + own, "4\n").status, 2) << "nothing is there";

  const Outcome refused = shell_.run("bloomery create -n 10 -p 0.1 --kind windowed" + own);
  EXPECT_THAT(refused.err, HasSubstr("windowed does not live in a string"));
  EXPECT_EQ(shell_.run("bloomery create -n 10 -p 0.1" + own).status, 0);
  EXPECT_EQ(shell_.run("bloomery check" + own, "4\n").status, 1);
}

// Keys asked for in another form are other bytes, and all of them "absent".
TEST_F(LiveCommand, ATrailerSaysHowItsKeysAreWritten) {
  const std::string own = at("gozero", "?bits=20000&trailer=1");
  ASSERT_EQ(shell_.run("bloomery load -" + own + "-n 100 -p 0.03 --as i64", "1\n2\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery check" + own, "1\n2\n").out, "1\n2\n");
  EXPECT_EQ(shell_.run("bloomery check -v" + own, "1\n2\n").out, "");
  EXPECT_EQ(shell_.run("bloomery explain" + own + "1").status, 0);
  ASSERT_EQ(shell_.run("bloomery insert" + own, "3\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery check --as i64" + own, "3\n").out, "3\n");
  for (const char* command : {"check", "insert", "dedup --state"}) {
    const Outcome outcome = shell_.run("bloomery " + std::string(command) + own + "--as text", "4");
    EXPECT_EQ(outcome.status, 2) << command;
    EXPECT_THAT(outcome.err, HasSubstr("its keys are i64")) << command;
  }
  ASSERT_EQ(shell_.run("bloomery convert" + own + "copy.bloom").status, 0);
  EXPECT_EQ(shell_.run("bloomery check copy.bloom", "1\n2\n3\n").out, "1\n2\n3\n");
  const std::string other = at("gozero", "?bits=20000&trailer=1", "other");
  ASSERT_EQ(shell_.run("bloomery convert copy.bloom" + at("gozero", "?trailer=1", "other")).status,
            0);
  EXPECT_EQ(shell_.run("bloomery check" + other, "1\n2\n3\n").out, "1\n2\n3\n");
}

TEST_F(LiveCommand, ATrailerIsFollowedInOneForm) {
  const std::string own = at("gozero", "?bits=20000&trailer=1");
  const std::string follow =
      "bloomery follow --once 'sqlite:j.db?table=u&column=id'" + own + "-n 900 -p 0.01 ";
  ASSERT_EQ(shell_
                .run("sqlite3 j.db 'create table u(id integer primary key);"
                     "insert into u values (1), (50)'")
                .status,
            0);
  const Outcome first = shell_.run(follow + "--as i64");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(shell_.run("bloomery check" + own, "1\n50\n").out, "1\n50\n");
  const Outcome other = shell_.run(follow + "--as text");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.err, HasSubstr("i64"));
  ASSERT_EQ(shell_.run("sqlite3 j.db 'insert into u values (52)'").status, 0);
  ASSERT_EQ(shell_.run(follow).status, 0);
  EXPECT_EQ(shell_.run("bloomery check" + own, "1\n50\n52\n").out, "1\n50\n52\n");
}

}  // namespace
}  // namespace bloomery
