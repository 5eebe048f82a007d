// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;
using ::testing::StartsWith;

TEST(Create, HashesTextsAsItIsTold) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create new.bloom -n 1K -p 0.01").status, 0);
  ASSERT_EQ(shell.run("bloomery create old.bloom -n 1K -p 0.01 --hash xxh3").status, 0);
  ASSERT_EQ(shell.run("bloomery create fast.bloom -n 1K -p 0.01 --hash aes").status, 0);
  EXPECT_EQ(load(shell.path("new.bloom")).parameters().hash.id(), HashId::product);
  EXPECT_EQ(load(shell.path("fast.bloom")).parameters().hash.id(), HashId::aes);
  EXPECT_EQ(load(shell.path("old.bloom")).parameters().hash.id(), HashId::native);
  const Outcome merged = shell.run("bloomery merge both.bloom new.bloom old.bloom");
  EXPECT_NE(merged.status, 0);
  EXPECT_THAT(merged.err, HasSubstr("hashes texts by ProductHash-128 and the other by XXH3-128"));
  EXPECT_THAT(shell.run("bloomery create f.bloom -n 1K -p 0.01 --hash md5").err,
              HasSubstr("no hash of texts; product, fold, aes or xxh3"));
  EXPECT_NE(shell.run("bloomery create f.bloom -n 1K -p 0.01 --hash xxh3 --secret").status, 0);
}

TEST(Create, MakesTheFilterItDescribes) {
  const Shell shell;
  const Outcome outcome =
      shell.run("bloomery create users.bloom -n 20K -p 0.1% --kind classic --seed 0xff --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const AnyFilter filter = load(shell.path("users.bloom"));
  EXPECT_EQ(filter.geometry(),
            geometry_for(FilterKind::classic, {.capacity = 20'000, .false_positive_rate = 0.001}));
  EXPECT_EQ(filter.parameters().hash.seed(), 255U);
  EXPECT_EQ(filter.inserted(), 0U);
  const auto json = outcome.json();
  EXPECT_EQ(json.at("file"), "users.bloom");
  EXPECT_EQ(json.at("kind"), "classic");
  EXPECT_EQ(json.at("capacity"), 20'000);
  EXPECT_EQ(json.at("false_positive_rate"), 0.001);
  EXPECT_EQ(json.at("bit_count"), filter.geometry().bit_count);
  EXPECT_EQ(json.at("byte_count"), filter.contents().word_count() * 8);
  EXPECT_EQ(json.at("probe_count"), filter.geometry().probe_count);
  EXPECT_EQ(json.at("seed"), 255);
  EXPECT_EQ(json.at("secret"), false);
  EXPECT_DOUBLE_EQ(json.at("predicted_rate"), predicted_rate(filter.geometry(), 20'000));
  EXPECT_NEAR(json.at("bits_per_key"), 14.4, 0.3);
}

TEST(Create, MakesBlockedFiltersByDefault) {
  const Shell shell;
  ASSERT_EQ(shell.run("bloomery create a.bloom -n 10 -p 0.01").status, 0);
  EXPECT_EQ(load(shell.path("a.bloom")).parameters().kind, FilterKind::blocked);
}

TEST(Create, NeverTellsASecret) {
  const Shell shell;
  const Outcome made = shell.run("bloomery create s.bloom -n 10 -p 0.01 --secret --json");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.json().at("secret"), true);
  EXPECT_FALSE(made.json().contains("seed"));
  const auto secret = load(shell.path("s.bloom")).parameters().hash.secret();
  ASSERT_TRUE(secret.has_value());
  const std::string all = made.out + shell.run("bloomery info s.bloom --json").out +
                          shell.run("bloomery info s.bloom").out;
  for (const std::uint64_t word : secret->words) {
    EXPECT_THAT(all, Not(HasSubstr(std::to_string(word))));
  }
}

TEST(Create, HasTheDefaultRateOfLoad) {
  const Shell shell;
  EXPECT_EQ(shell.run("bloomery create f.bloom -n 10 --json").json().at("false_positive_rate"),
            0.01);
  EXPECT_EQ(shell.run("bloomery create guava:g.bin -n 10").status, 0);
}

TEST(Create, LeavesAnExistingFileAlone) {
  const Shell shell;
  shell.write("notes.txt", "mine");
  const Outcome outcome = shell.run("bloomery create notes.txt -n 10 -p 0.01");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("notes.txt: already exists"));
  EXPECT_EQ(shell.read("notes.txt"), "mine");
}

TEST(Create, LeavesNothingBehindWhenItRefuses) {
  const Shell shell;
  for (const char* arguments :
       {"-n 0 -p 0.01", "-n -1 -p 0.01", "-n 1e30 -p 0.01", "-n 10 -p 0", "-n 10 -p 1",
        "-n 10 -p nan", "-p 0.01", "-n 10 -p 0.01 --kind cuckoo", "-n 10 -p 0.01 --seed -1",
        "-n 10 -p 0.01 --seed 1 --secret", "-n 10 -p 0.01 extra"}) {
    const Outcome outcome = shell.run(std::string("bloomery create f.bloom ") + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("bloomery: ")) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(shell.run("ls -A").out, "") << arguments;
  }
}

TEST(Create, SaysHowMuchMemoryIsMissing) {
  const Outcome outcome = Shell().run("bloomery create f.bloom -n 1e15 -p 0.01");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the bits need 1.1 PiB; this machine has"));
}

TEST(Create, NamesThePlaceItCannotWrite) {
  const Outcome outcome = Shell().run("bloomery create no/where.bloom -n 10 -p 0.01");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no/where.bloom"));
}

}  // namespace
}  // namespace bloomery
