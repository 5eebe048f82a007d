// SPDX-License-Identifier: Apache-2.0
// Options that would be read and then not heeded are refused, and say what they are for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

class UnheededOptions : public ::testing::Test {
 protected:
  void SetUp() override {
    shell_.write("keys", "a\nb\n");
    ASSERT_EQ(shell_.run("bloomery load keys f.bloom").status, 0);
  }
  std::string refusal(const std::string& line) const {
    const std::string before = shell_.run("cksum f.bloom").out;
    const Outcome outcome = shell_.run("bloomery " + line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_EQ(outcome.out, "") << line;
    EXPECT_EQ(shell_.run("cksum f.bloom").out, before) << line;
    return outcome.err;
  }

  // Nobody is there: what is refused, is refused before anybody is asked.
  const std::string server_ = " 'bitmap:redis+unix:///nowhere.sock#k' ";
  const Shell shell_;
};

TEST_F(UnheededOptions, DiscardIsForServers) {
  EXPECT_THAT(refusal("load keys f.bloom --replace --discard"),
              HasSubstr("f.bloom: --discard is for filters in servers"));
  EXPECT_THAT(refusal("convert f.bloom g.bloom --replace --discard"),
              HasSubstr("g.bloom: --discard is for filters in servers"));
}

TEST_F(UnheededOptions, DiscardGoesWithReplace) {
  EXPECT_THAT(refusal("load keys f.bloom --discard"), HasSubstr("--discard requires --replace"));
  EXPECT_THAT(refusal("convert f.bloom" + server_ + "--discard"),
              HasSubstr("--discard requires --replace"));
}

TEST_F(UnheededOptions, PatienceIsForFiles) {
  for (const std::string& patience : {std::string("--wait 1s"), std::string("--no-wait")}) {
    EXPECT_THAT(refusal("load keys" + server_ + patience), HasSubstr("are for files"));
    EXPECT_THAT(refusal("convert f.bloom" + server_ + patience), HasSubstr("are for files"));
    EXPECT_THAT(refusal("merge" + server_ + server_ + server_ + patience),
                HasSubstr("are for files"));
    EXPECT_THAT(refusal("push -n 1 keys redis://127.0.0.1:1#k " + patience),
                HasSubstr("keys is keys"));
  }
}

TEST_F(UnheededOptions, InsistingIsOnSomething) {
  EXPECT_THAT(refusal("convert f.bloom g.bloom --insist"), HasSubstr("--insist: "));
  EXPECT_THAT(refusal("merge m.bloom f.bloom f.bloom --insist"), HasSubstr("--insist: "));
}

TEST_F(UnheededOptions, OfPushGoWithWhatIsPushed) {
  for (const char* const option : {"--seed 1", "--secret", "--null", "--field 2"}) {
    EXPECT_THAT(refusal("push f.bloom redis://127.0.0.1:1#k " + std::string(option)),
                HasSubstr("f.bloom is a filter"))
        << option;
  }
  for (const char* const option : {"--load x", "-n 5", "--kind classic", "--as i64", "--json"}) {
    EXPECT_THAT(refusal("push --begin redis://127.0.0.1:1#k " + std::string(option)),
                HasSubstr("--begin"))
        << option;
  }
}

}  // namespace
}  // namespace bloomery
