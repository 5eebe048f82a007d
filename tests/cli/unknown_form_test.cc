// SPDX-License-Identifier: Apache-2.0
// Filters that a program made without saying how its keys are written: no key that it inserted is
// ever "absent" to the command, whether it was a text or an integer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/filter/counting_filter.h"
#include "bloomery/filter/scalable_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

constexpr const char* kAsked = "seq -250 499";

class UnknownForm : public ::testing::Test {
 protected:
  // Saves a filter of the integers -250 to 499, each by the next of the ways to insert one.
  template <class F>
  void save_integers(const std::string& name) {
    F filter({.capacity = 2'000});
    for (int i = -250; i < 500; ++i) {
      switch (i & 3) {
        case 0:
          filter.insert(i);
          break;
        case 1:
          filter.insert(static_cast<std::int64_t>(i));
          break;
        case 2:
          filter.insert(static_cast<std::uint64_t>(static_cast<std::int64_t>(i)));
          break;
        default:
          filter.insert_many(std::vector{static_cast<std::uint64_t>(static_cast<std::int64_t>(i))});
      }
    }
    filter.insert("alice");
    filter.insert("12345678");  // eight bytes of text are an integer, too
    save(filter, shell_.path(name));
  }
  std::uint64_t found(const std::string& line) {
    return std::stoull(shell_.run(std::string(kAsked) + " | " + line).out);
  }
  Shell shell_;
};

TEST_F(UnknownForm, IsAskedInEveryForm) {
  save_integers<BlockedFilter>("b.bloom");
  save_integers<CountingFilter>("c.bloom");
  save_integers<ScalableFilter>("s.bloom");
  for (const std::string file : {"b.bloom", "c.bloom", "s.bloom"}) {
    EXPECT_EQ(found("bloomery check -c " + file), 750U) << file;
    EXPECT_EQ(found("bloomery check -v -c " + file), 0U) << file;
    EXPECT_EQ(found("bloomery check --as i64 -c " + file), 750U) << file;
    EXPECT_EQ(shell_.run("printf 'alice\\n12345678\\n' | bloomery check -c " + file).out, "2\n");
    EXPECT_EQ(shell_.run("printf '77777\\nbob\\n' | bloomery check -v -c " + file).out, "2\n");
    EXPECT_EQ(shell_.run("bloomery info --json " + file).json().at("keys"), "unknown");
  }
  EXPECT_THAT(shell_.run("bloomery info b.bloom").out, HasSubstr("texts and integers are asked"));
}

TEST_F(UnknownForm, StaysSoWhereFiltersAreMergedOrConverted) {
  save_integers<BlockedFilter>("b.bloom");
  ASSERT_EQ(shell_.run("bloomery create t.bloom -n 2000 -p 0.01").status, 0);
  ASSERT_EQ(shell_.run("seq 5000 5100 | bloomery insert t.bloom").status, 0);
  // A text of the command and the integers of the program together.
  EXPECT_EQ(found("bloomery check -c t.bloom b.bloom"), 750U);
  EXPECT_EQ(shell_.run("seq 5000 5100 | bloomery check -c t.bloom b.bloom").out, "101\n");
  for (const std::string order : {"t.bloom b.bloom", "b.bloom t.bloom"}) {
    ASSERT_EQ(shell_.run("rm -f m.bloom; bloomery merge m.bloom " + order).status, 0);
    EXPECT_EQ(found("bloomery check -c m.bloom"), 750U) << order;
    EXPECT_EQ(shell_.run("seq 5000 5100 | bloomery check -c m.bloom").out, "101\n") << order;
  }
  ASSERT_EQ(shell_.run("seq 6000 6100 | bloomery insert b.bloom").status, 0);
  EXPECT_EQ(found("bloomery check -c b.bloom"), 750U);
  EXPECT_EQ(shell_.run("seq 6000 6100 | bloomery check -c b.bloom").out, "101\n");
}

// A command that can ask in one form only wants --as.
TEST_F(UnknownForm, IsToBeSaidWhereOneIsNeeded) {
  save_integers<CountingFilter>("c.bloom");
  for (const std::string line : {"bloomery erase c.bloom", "bloomery dedup --state c.bloom"}) {
    const Outcome outcome = shell_.run("seq 3 | " + line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr("--as")) << line;
  }
  EXPECT_EQ(shell_.run("bloomery explain c.bloom 7 --json").json().at("presence"), "maybe");
  EXPECT_EQ(shell_.run("bloomery explain c.bloom alice --json").json().at("presence"), "maybe");
  EXPECT_EQ(shell_.run("bloomery explain c.bloom bob --json").json().at("presence"), "absent");
  EXPECT_EQ(shell_.run("seq 3 | bloomery erase c.bloom --as i64 --json").json().at("erased_count"),
            3);
}

// Keys of another form would be in it and "absent" to who asks next: the file could not say what
// they are.
TEST_F(UnknownForm, TakesNoKeysThatItWouldNotBeAskedFor) {
  save_integers<BlockedFilter>("b.bloom");
  const std::string before = shell_.run("cat b.bloom").out;
  for (const std::string said : {"--as i32", "--as hex", "--as utf16", "--normalise lower",
                                 "--as i32 --insist", "--as i32 --in-place"}) {
    const Outcome outcome = shell_.run("seq 10 99 | bloomery insert b.bloom " + said);
    EXPECT_EQ(outcome.status, 2) << said;
    EXPECT_THAT(outcome.err, HasSubstr("Allowed: --as text, u64 or i64")) << said;
    EXPECT_EQ(shell_.run("cat b.bloom").out, before) << said;
  }
  for (const std::string as : {"text", "u64", "i64"}) {
    // 1: as u64 and i64 these are one key.
    const Outcome inserted = shell_.run("seq 7000 7099 | bloomery insert b.bloom --as " + as);
    ASSERT_NE(inserted.status, 2);
    EXPECT_THAT(inserted.out, HasSubstr("unknown, as before; these are " + as + "\n"));
    EXPECT_EQ(shell_.run("seq 7000 7099 | bloomery check -c b.bloom").out, "100\n") << as;
    EXPECT_EQ(found("bloomery check -c b.bloom"), 750U) << as;
  }
  // The report says what info says, with and without --as.
  EXPECT_EQ(shell_.run("bloomery insert b.bloom -e 45 --json").json().at("keys"), "unknown");
  EXPECT_EQ(shell_.run("bloomery info b.bloom --json").json().at("keys"), "unknown");
  // A file that says it takes them.
  ASSERT_EQ(shell_.run("bloomery convert b.bloom i32.bloom --as i32").status, 0);
  ASSERT_EQ(shell_.run("seq 10 99 | bloomery insert i32.bloom").status, 0);
  EXPECT_EQ(shell_.run("seq 10 99 | bloomery check -c i32.bloom").out, "90\n");
}

// A filter that is empty takes the form of what comes first, as ever.
TEST_F(UnknownForm, OfAnEmptyFilterIsThatOfItsFirstKeys) {
  save(BlockedFilter({.capacity = 100}), shell_.path("e.bloom"));
  ASSERT_EQ(shell_.run("seq 10 | bloomery insert e.bloom --as u64").status, 0);
  EXPECT_EQ(shell_.run("bloomery info --json e.bloom").json().at("keys"), "u64");
  // A program that says it is believed.
  BlockedFilter said({.capacity = 100, .keys = {KeyEncoding::u64}});
  said.insert(7);
  save(said, shell_.path("said.bloom"));
  EXPECT_EQ(shell_.run("echo 7 | bloomery check -c said.bloom").out, "1\n");
  EXPECT_EQ(shell_.run("bloomery info --json said.bloom").json().at("keys"), "u64");
}

}  // namespace
}  // namespace bloomery
