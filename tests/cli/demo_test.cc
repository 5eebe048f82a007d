// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <sstream>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;

// 2000 users; every tenth nick is NULL; codes are integers among texts and blobs.
constexpr const char* kMakeShop =
    "sqlite3 shop.db \"create table users(id integer primary key, name text unique, nick text,"
    " code, height real);"
    "insert into users select value, 'user' || value,"
    " case when value % 10 = 0 then null else 'nick' || value end,"
    " case value % 3 when 0 then value when 1 then 'c' || value else x'00ff' || value end,"
    " value / 10.0 from generate_series(1, 2000);"
    "create index codes on users(code);"
    "create table empty(id integer); create table nulls(id integer);"
    "insert into nulls values (null), (null)\"";

// Four standard deviations above what a filter within 1.05 of its rate lets pass.
double most_passed(double asked, double rate) {
  const double mean = asked * 1.05 * rate;
  return mean + 4 * std::sqrt(mean);
}

// Expects what must hold of every demo, whatever it ran on.
void expect_consistent(const nlohmann::json& demo) {
  const std::uint64_t requests = demo.at("request_count");
  const std::uint64_t absent = demo.at("absent_request_count");
  const std::uint64_t real = demo.at("real_request_count");
  EXPECT_EQ(absent + real, requests);
  EXPECT_NEAR(static_cast<double>(absent), 0.8 * static_cast<double>(requests),
              4 * std::sqrt(0.16 * static_cast<double>(requests)));
  for (const char* name : {"without_filter", "with_filter"}) {
    const auto& run = demo.at(name);
    EXPECT_EQ(run.at("request_count"), requests) << name;
    EXPECT_EQ(
        run.at("filter_absents").get<std::uint64_t>() + run.at("cache_hits").get<std::uint64_t>() +
            run.at("negative_hits").get<std::uint64_t>() + run.at("found").get<std::uint64_t>() +
            run.at("not_found").get<std::uint64_t>() + run.at("coalesced").get<std::uint64_t>(),
        requests)
        << name;
    EXPECT_EQ(run.at("found").get<std::uint64_t>() + run.at("not_found").get<std::uint64_t>(),
              run.at("database_queries"))
        << name;
    // The database says "no such row" to exactly the absent keys that the filter let pass.
    EXPECT_EQ(run.at("absent_database_queries"), run.at("not_found")) << name;
    EXPECT_EQ(run.at("denied_count"), 0) << name;
    EXPECT_EQ(run.at("gone_count"), 0) << name;
    EXPECT_GT(run.at("requests_per_second"), 0) << name;
  }
  const auto& without = demo.at("without_filter");
  EXPECT_EQ(without.at("filter_absents"), 0);
  EXPECT_EQ(without.at("absent_database_queries"), absent);
  const auto& with = demo.at("with_filter");
  const double passed = with.at("absent_database_queries");
  EXPECT_LE(passed, most_passed(static_cast<double>(absent),
                                demo.at("filter").at("false_positive_rate").get<double>()));
  const double measured = demo.at("measured_rate");
  EXPECT_DOUBLE_EQ(measured, passed / static_cast<double>(absent));
  EXPECT_LE(demo.at("measured_rate_low"), measured);
  EXPECT_GE(demo.at("measured_rate_high"), measured);
  EXPECT_EQ(demo.at("every_real_key_answered"), true);
}

TEST(Demo, SaysWhereItsFolderCannotBe) {
  const Shell shell;
  for (const std::string place : {"none", "file"}) {
    shell.write("file", "");
    const Outcome outcome =
        shell.run("TMPDIR=\"$PWD/" + place + "\" bloomery demo --requests 1000");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("cannot make a folder for the database"));
    EXPECT_THAT(outcome.err, HasSubstr("TMPDIR names another place"));
  }
}

TEST(Demo, GuardsADatabaseOfWords) {
  const Shell shell;
  const Outcome outcome = shell.run("TMPDIR=. bloomery demo --requests 50K --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto demo = outcome.json();
  expect_consistent(demo);
  EXPECT_EQ(demo.at("request_count"), 50'000);
  EXPECT_GE(demo.at("database").at("key_count"), 300'000);
  EXPECT_EQ(demo.at("database").at("key_count"), demo.at("filter").at("capacity"));
  EXPECT_THAT(demo.at("database").at("word_list").get<std::string>(), HasSubstr("/usr/share/dict"));
  EXPECT_GT(demo.at("with_filter").at("absent_database_queries"), 0);

  const auto& inserts = demo.at("inserts");
  EXPECT_GT(inserts.at("inserted_count"), 0);
  EXPECT_GE(inserts.at("real_request_count"), inserts.at("inserted_count"));
  EXPECT_EQ(inserts.at("denied_count"), 0);
  for (const char* part : {"with_filter", "filter_back"}) {
    const double asked = inserts.at(part).at("absent_request_count");
    EXPECT_GT(asked, 0) << part;
    EXPECT_LE(inserts.at(part).at("absent_database_queries"), most_passed(asked, 0.012)) << part;
  }
  // The first of them may have been asked before it was taken away, the last after.
  const auto& away = inserts.at("filter_away");
  EXPECT_GE(away.at("absent_database_queries"),
            0.5 * away.at("absent_request_count").get<double>());
  const auto& stampede = demo.at("stampede");
  EXPECT_EQ(stampede.at("single_flight").at("database_queries"), 1);
  EXPECT_GE(stampede.at("cache_alone").at("database_queries"), 1);
  EXPECT_LE(stampede.at("cache_alone").at("database_queries"), stampede.at("thread_count"));
  EXPECT_EQ(shell.run("ls").out, "");
}

TEST(Demo, TellsAPersonWhatHappenedAndWhatToTry) {
  const Shell shell;
  const Outcome outcome = shell.run("TMPDIR=. COLUMNS=80 LC_ALL=C bloomery demo --requests 20K");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("20,000 requests"), HasSubstr("for absent keys"),
                                 HasSubstr("Every real key was answered: yes"),
                                 HasSubstr("taken away"), HasSubstr("Stampede  32 threads"),
                                 HasSubstr("  without  ####"), Not(HasSubstr("\x1b["))));
  std::istringstream lines(outcome.out);
  std::size_t tried = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Try next") == std::string::npos && tried == 0) {
      EXPECT_LE(line.size(), 80U) << line;
      continue;
    }
    if (tried++ == 0 || line.find("--db FILE") != std::string::npos) continue;
    // Into this folder instead of one that all share.
    std::string command = line;
    for (std::size_t at; (at = command.find("/tmp/")) != std::string::npos;) command.erase(at, 5);
    const Outcome next = shell.run(command);
    EXPECT_EQ(next.status, 0) << line << "\n" << next.err;
  }
  EXPECT_EQ(tried, 4U);
  EXPECT_EQ(shell.run("printf 'zebra\\nzzebra\\n' | bloomery check words.bloom").out, "zebra\n");
}

TEST(Demo, DrawsBlocksWhereTheLocaleHasThem) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  const std::string demo = "bloomery demo --db shop.db --table users --column name --requests 1000";
  EXPECT_THAT(shell.run("LC_ALL=C.UTF-8 " + demo).out, HasSubstr("  without  █"));
  EXPECT_THAT(shell.run("LC_ALL= LC_CTYPE= LANG=en_US.utf8 " + demo).out, HasSubstr("█"));
  EXPECT_THAT(shell.run("LC_ALL=POSIX LANG=C.UTF-8 " + demo).out, Not(HasSubstr("█")));
}

TEST(Demo, OnlyReadsADatabaseOfTheUsers) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  const std::string before = shell.read("shop.db");
  for (const char* column : {"id", "name", "nick", "code"}) {
    const Outcome outcome = shell.run(
        "bloomery demo --db shop.db --table users --requests 10K -p 0.02 --json --column " +
        std::string(column));
    ASSERT_EQ(outcome.status, 0) << column << outcome.err;
    const auto demo = outcome.json();
    SCOPED_TRACE(column);
    expect_consistent(demo);
    EXPECT_EQ(demo.at("database").at("path"), "shop.db");
    EXPECT_FALSE(demo.contains("inserts") || demo.contains("stampede"));
    EXPECT_EQ(demo.at("database").at("column"), column);
    EXPECT_EQ(demo.at("database").at("null_count"), std::string(column) == "nick" ? 200 : 0);
    EXPECT_EQ(demo.at("filter").at("false_positive_rate"), 0.02);
  }
  EXPECT_EQ(shell.read("shop.db"), before);
  EXPECT_EQ(shell.run("ls").out, "shop.db\n");
}

TEST(Demo, ReadsADatabaseThatNobodyMayWrite) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  ASSERT_EQ(shell.run("chmod 444 shop.db").status, 0);
  const Outcome outcome =
      shell.run("bloomery demo --db ./shop.db --table users --column id --requests 100");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("It is only read."), HasSubstr("2,000 keys")));
}

TEST(Demo, GivesTheSameTrafficForTheSameSeed) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  const auto passed = [&](const std::string& seed) {
    const auto demo = shell
                          .run(
                              "bloomery demo --db shop.db --table users --column name -p 0.2 "
                              "--requests 5000 --json --seed " +
                              seed)
                          .json();
    return std::pair(demo.at("absent_request_count").get<int>(),
                     demo.at("with_filter").at("absent_database_queries").get<int>());
  };
  EXPECT_EQ(passed("7"), passed("7"));
  EXPECT_NE(passed("7"), passed("8"));
}

TEST(Demo, SaysWhereAColumnHasNoIndex) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  const std::string demo = "bloomery demo --db shop.db --table users --requests 200 --column ";
  EXPECT_THAT(shell.run(demo + "nick").out, HasSubstr("has no index"));
  EXPECT_THAT(shell.run(demo + "name").out, Not(HasSubstr("has no index")));
  EXPECT_THAT(shell.run(demo + "id").out, Not(HasSubstr("has no index")));
}

TEST(Demo, ExplainsWhatItCannotRunOn) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  const auto refusal = [&](const std::string& arguments) {
    const Outcome outcome = shell.run("bloomery demo " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  };
  EXPECT_THAT(refusal("--db shop.db --table user --column id"), HasSubstr("\"users\""));
  EXPECT_THAT(refusal("--db shop.db --table users --column ix"), HasSubstr("\"nick\""));
  EXPECT_THAT(refusal("--db shop.db --table users --column height"), HasSubstr("REAL"));
  EXPECT_THAT(refusal("--db shop.db --table empty --column id"), HasSubstr("has no key"));
  EXPECT_THAT(refusal("--db shop.db --table nulls --column id"), HasSubstr("all NULL"));
  EXPECT_THAT(refusal("--db none.db --table users --column id"), HasSubstr("none.db"));
  EXPECT_THAT(refusal("--db . --table users --column id"), HasSubstr("directory"));
  EXPECT_THAT(refusal("--db shop.db --table users"), HasSubstr("--column"));
  EXPECT_THAT(refusal("--table users"), HasSubstr("--db"));
  EXPECT_THAT(refusal("--requests 99"), HasSubstr("at least 100"));
  EXPECT_THAT(refusal("--requests 1e18 --db shop.db --table users --column id"),
              HasSubstr("this machine has"));
  EXPECT_THAT(refusal("-p 1"), HasSubstr("-p: "));
  EXPECT_FALSE(shell.has("none.db"));
}

TEST(Demo, SaysThatADatabaseIsLocked) {
  const Shell shell;
  ASSERT_EQ(shell.run(kMakeShop).status, 0);
  const Outcome outcome = shell.run(
      "sqlite3 shop.db 'begin exclusive' "
      "'.shell bloomery demo --db shop.db --table users --column id'");
  EXPECT_THAT(outcome.err, HasSubstr("is locked by another process"));
}

TEST(Demo, LeavesNothingBehindWhenItIsStopped) {
  const Shell shell;
  // The signal comes as soon as the database is there. A shell's background process would ignore
  // SIGINT.
  for (const auto& [name, number] :
       {std::pair("INT", SIGINT), {"TERM", SIGTERM}, {"HUP", SIGHUP}}) {
    const Outcome outcome = shell.run(
        "export TMPDIR=.\n"
        "env --default-signal bloomery demo >/dev/null & pid=$!\n"
        "until ls -d bloomery-demo-*/words.db; do kill -0 $pid || exit 98; done >/dev/null 2>&1\n"
        "kill -" +
        std::string(name) +
        " $pid\n"
        "wait $pid; echo $?; ls");
    EXPECT_EQ(outcome.out, std::to_string(128 + number) + "\n") << name;
  }
  // A reader that has gone before there is something to say ends the demo, too.
  EXPECT_EQ(shell.run("TMPDIR=. bloomery demo | true; ls").out, "");
}

}  // namespace
}  // namespace bloomery
