// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/solve.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(Calc, AgreesWithTheSizingOfTheLibrary) {
  const nlohmann::json filters =
      Shell().run("bloomery calc -n 10M -p 0.01 --json").json().at("filters");
  ASSERT_EQ(filters.size(), kSolvableKinds.size());
  for (const auto& filter : filters) {
    const Geometry geometry = geometry_for(kind_named(filter.at("kind").get<std::string>()),
                                           {.capacity = 10'000'000, .false_positive_rate = 0.01});
    EXPECT_EQ(filter.at("capacity"), 10'000'000);
    EXPECT_EQ(filter.at("false_positive_rate"), 0.01);
    EXPECT_EQ(filter.at("bit_count"), geometry.bit_count);
    EXPECT_EQ(filter.at("byte_count"), geometry.bit_count / 8);
    EXPECT_EQ(filter.at("probe_count"), geometry.probe_count);
    EXPECT_EQ(filter.at("lines_per_key"), geometry.lines_per_key);
    EXPECT_DOUBLE_EQ(filter.at("predicted_rate"), predicted_rate(geometry, 1e7));
    EXPECT_DOUBLE_EQ(filter.at("overfill").at(4).at("load"), 4);
    EXPECT_DOUBLE_EQ(filter.at("overfill").at(4).at("predicted_rate"),
                     predicted_rate(geometry, 4e7));
  }
}

TEST(Calc, ShowsOneKindWhereAsked) {
  const Outcome outcome = Shell().run("bloomery calc -n 1000 -m 16KiB --kind classic");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("classic"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("blocked")));
  EXPECT_THAT(outcome.out, HasSubstr("131072"));
}

TEST(Calc, TakesBitsAndBytes) {
  const Shell shell;
  const auto bits = [&](const std::string& size) {
    return shell.run("bloomery calc -n 1000 --kind classic --json -m " + size)
        .json()
        .at("filters")
        .at(0)
        .at("bit_count");
  };
  EXPECT_EQ(bits("64K"), 64'000);
  EXPECT_EQ(bits("64KiB"), 64 * 1024 * 8);
  EXPECT_EQ(bits("1.5MiB"), 3 * 1024 * 1024 * 4);
  EXPECT_EQ(bits("800B"), 6'400);
}

TEST(Calc, SaysWhereBitsMakeNoWholeUnit) {
  const Outcome outcome = Shell().run("bloomery calc -m 1000 -k 7");
  EXPECT_THAT(outcome.out, HasSubstr("blocked: 512 of the 1000 bits make whole units"));
  EXPECT_THAT(outcome.out, HasSubstr("classic: 960 of the 1000 bits"));
  EXPECT_THAT(Shell().run("bloomery calc -m 1KiB -k 7").out, Not(HasSubstr("whole units")));
}

TEST(Calc, LeavesOutAKindThatCannotAndSaysWhy) {
  const Shell shell;
  const Outcome text = shell.run("bloomery calc -m 1MiB -k 20");
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("blocked: a blocked filter has 1 to 16 probes, not 20"));
  const auto filters = shell.run("bloomery calc -m 1MiB -k 20 --json").json().at("filters");
  EXPECT_TRUE(filters.at(0).contains("impossible"));
  EXPECT_EQ(filters.at(1).at("probe_count"), 20);
}

TEST(Calc, RefusesContradictionsAndSaysWhy) {
  const Shell shell;
  const auto refusal = [&](const std::string& arguments) {
    const Outcome outcome = shell.run("bloomery calc " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    return outcome.err;
  };
  EXPECT_THAT(refusal("-n 1000"), HasSubstr("two or more"));
  EXPECT_THAT(refusal(""), HasSubstr("two or more"));
  EXPECT_THAT(refusal("-p 0.01 -k 7"), HasSubstr("leave the size open"));
  EXPECT_THAT(refusal("-n 1000 -p 0.01 -m 4096"), HasSubstr("it needs 9"));
  EXPECT_THAT(refusal("-n 1000 -p 0.01 -m 10000 -k 1"), HasSubstr("above the 0.01 asked"));
  EXPECT_THAT(refusal("-p 0.01 -m 1"), HasSubstr("too few"));
  EXPECT_THAT(refusal("-n 10 -k 0"), HasSubstr("from 1 to 255"));
  EXPECT_THAT(refusal("-n 10 -m 3XiB"), HasSubstr("KiB"));
  EXPECT_THAT(refusal("-n 1e19 -p 1e-20"), HasSubstr("more than 2^60 bits"));
}

TEST(Calc, TellsTheTextbooksNumbersBesideWhatIsMade) {
  const Shell shell;
  // The figures of the calculators that people compare with.
  const Outcome outcome = shell.run("bloomery calc -n '900*1000000' -p 0.001");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("textbook"));
  EXPECT_THAT(outcome.out, HasSubstr("12939828810"));
  EXPECT_THAT(outcome.out, HasSubstr("9.97"));
  const auto best = [&](const std::string& arguments) {
    return shell.run("bloomery calc --json " + arguments).json().at("textbook");
  };
  EXPECT_NEAR(best("-n 9e8 -p 0.001").at("bit_count").get<double>(), 12'939'828'810, 1);
  EXPECT_NEAR(best("-n 9e8 -p 0.001").at("predicted_rate").get<double>(), 0.001, 1e-9);
  EXPECT_NEAR(best("-n 1000 -m 10000").at("probe_count").get<double>(), 6.9315, 1e-4);
  EXPECT_NEAR(best("-n 1000 -m 10000").at("predicted_rate").get<double>(), 0.00819, 1e-5);
  EXPECT_NEAR(best("-p 0.01 -m 95851").at("capacity").get<double>(), 10'000, 1);
  EXPECT_NEAR(best("-n 1000 -k 7").at("bit_count").get<double>(), 10'099, 1);
  EXPECT_NEAR(best("-m 1M -k 7").at("capacity").get<double>(), 99'021, 1);
  EXPECT_NEAR(best("-n 1000 -m 10000 -k 4").at("predicted_rate").get<double>(), 0.01181, 1e-5);
}

TEST(Calc, DrawsTheRateByTheLoad) {
  const Shell shell;
  const Outcome outcome = shell.run("bloomery calc -n 10K -p 0.01 --svg rate.svg");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Rate of blocked by its load, of the capacity\n  0.25x  "));
  EXPECT_THAT(outcome.out, HasSubstr("\n  2x "));
  const std::string picture = shell.read("rate.svg");
  EXPECT_TRUE(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
  EXPECT_THAT(picture, HasSubstr(">blocked</text>"));
  EXPECT_THAT(picture, HasSubstr(">classic</text>"));
  EXPECT_THAT(picture, HasSubstr(">1e-2</text>"));
  EXPECT_EQ(shell.run("bloomery calc -n 10K -p 0.01 --svg none/rate.svg").status, 2);
  EXPECT_EQ(shell.run("bloomery calc -n 10K --partitions 4 --svg cluster.svg").status, 2);
  EXPECT_FALSE(shell.has("cluster.svg"));
}

TEST(Calc, PutsAPictureWhereAFileMayBe) {
  const Shell shell;
  const std::string draw = "bloomery calc -n 10 -p 0.1 --svg ";
  ASSERT_EQ(
      shell.run("mkfifo pipe; echo old >old.svg; chmod 600 old.svg; ln -s old.svg link.svg").status,
      0);
  const Outcome pipe = shell.run(draw + "pipe");
  EXPECT_EQ(pipe.status, 2);
  EXPECT_EQ(pipe.err, "bloomery: pipe: is a pipe, not a file\n");
  EXPECT_EQ(shell.run(draw + "link.svg && test -p pipe").status, 0);
  EXPECT_EQ(shell.run("stat -c %A link.svg old.svg").out, "lrwxrwxrwx\n-rw-------\n");
  EXPECT_TRUE(shell.read("old.svg").starts_with("<svg "));
}

TEST(Calc, SaysWhatAClusterCosts) {
  const Shell shell;
  const nlohmann::json costs =
      shell.run("bloomery calc -n 1e9 -p 0.001 --partitions auto --json").json().at("clusters");
  ASSERT_EQ(costs.size(), 1U);
  const Geometry geometry =
      geometry_for(FilterKind::blocked, {.capacity = 1'000'000'000, .false_positive_rate = 0.001});
  EXPECT_EQ(costs.at(0).at("filter"), geometry.bit_count / 8);
  EXPECT_EQ(costs.at(0).at("partitions"), 64);
  EXPECT_EQ(costs.at(0).at("nodes"), 3);

  // Each assumption is an option, and is shown.
  const Outcome shown = shell.run(
      "bloomery calc -n 1e9 --nodes 5 --link 25G --keys-per-second 2M --batch 500 --ask-ns 400 "
      "--partition-ns 1000 --insert-ns 2000 --replicas 2 --node-memory 1GiB --partitions 100");
  EXPECT_EQ(shown.status, 0);
  for (const char* text : {"25G bits", "2M keys", "500 keys", "400 ns", "1000 a partition",
                           "2000 a", "2 replicas", "1 GiB for"}) {
    EXPECT_THAT(shown.out, HasSubstr(text));
  }
  for (const char* misuse :
       {"-m 1GiB --partitions auto", "--partitions 0", "--partitions 20000", "--nodes 0",
        "--partitions 64 --kind classic", "-n 10 --partitions 64", "--partitions some"}) {
    EXPECT_EQ(shell.run(std::string("bloomery calc ") + misuse).status, 2) << misuse;
  }
}

TEST(Calc, OpensItsPageWhereThereIsAScreen) {
  const Shell shell;
  shell.run(
      "mkdir bin; printf '#!/bin/sh\necho \"$1\" >opened\n' >bin/xdg-open; chmod +x bin/xdg-open");
  const std::string line = "PATH=$PWD/bin:$PATH bloomery calc --page";
  const Outcome without = shell.run("unset DISPLAY WAYLAND_DISPLAY\n" + line);
  EXPECT_EQ(without.status, 0) << without.err;
  EXPECT_THAT(without.out, ::testing::EndsWith("calculator/index.html\n"));
  EXPECT_FALSE(shell.has("opened"));
  const Outcome with = shell.run("export DISPLAY=:0\n" + line);
  EXPECT_EQ(with.status, 0) << with.err;
  EXPECT_EQ(shell.read("opened"), with.out);
  EXPECT_THAT(shell.run("bloomery calc --help").out, HasSubstr("--page"));
}

}  // namespace
}  // namespace bloomery
