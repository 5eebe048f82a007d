// SPDX-License-Identifier: Apache-2.0
// bloomery pull --in-place: a file that programs have open while what comes goes into it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/cli/pull_scene.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;

class PullInPlace : public Pull {
 protected:
  void SetUp() override {
    Pull::SetUp();
    if (IsSkipped()) return;
    process_ = keep_pulling(" --in-place");
    ASSERT_TRUE(comes_true("test -s pull.out")) << shell_.run("cat pull.err").out;
    file_ = which_file();
  }
  std::string which_file() const { return shell_.run("ls -i pulled.bloom").out; }
  void row(const std::string& key, const std::string& settings = "?deltas=100000") {
    sql("INSERT INTO users VALUES('" + key + "')");
    follow(settings);
  }
  // Returns whether rows up to now are in the file, and it says so.
  bool denies_behind_a_fence() {
    return comes_true("bloomery check pulled.bloom -q -v -e none --behind " + kSource +
                      " 2>/dev/null");
  }
  void stop(const std::string& signal) {
    EXPECT_EQ(shell_.run("kill -" + signal + " " + process_).status, 0);
    EXPECT_TRUE(comes_true("! kill -0 " + process_));
  }
  bool is_live() const {
    return shell_.run("bloomery info pulled.bloom --json").json().contains("live");
  }

  std::string process_;
  std::string file_;
};

TEST_F(PullInPlace, BringsWhatComesIntoTheFile) {
  EXPECT_TRUE(is_live());
  row("zoe");
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(behind("ann\nzoe\nyan\n").out, "yan\n");
  row("yan", "");  // leaves no steps, so the filter is read whole
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(behind("ann\nzoe\nyan\nkim\n").out, "kim\n");
  EXPECT_EQ(which_file(), file_);
  const Outcome second = shell_.run("bloomery pull " + at() + " pulled.bloom --in-place");
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.err, HasSubstr("another process keeps it in step"));
  EXPECT_EQ(shell_.run("bloomery pull " + at() + " pulled.bloom").status, 2) << "it is open";
  stop("TERM");
  EXPECT_FALSE(is_live());
  EXPECT_TRUE(load(std::filesystem::path(shell_.path("pulled.bloom"))).may_contain("zoe"));
  EXPECT_EQ(behind("ann\nzoe\nyan\nkim\n").out, "kim\n") << "it is whole, with its watermark";
}

TEST_F(PullInPlace, GoesOnAfterItWasKilled) {
  row("zoe");
  EXPECT_TRUE(denies_behind_a_fence());
  stop("KILL");
  EXPECT_TRUE(is_live());
  EXPECT_EQ(behind("ann\nzoe\nyan\n").out, "yan\n") << "it is asked as it is";
  // Copies begin from it, too, and take what came since.
  row("yan");
  EXPECT_EQ(shell_
                .run("bloomery check " + copy_from("pulled.bloom") + " -v --behind " + kSource,
                     "ann\nzoe\nyan\nkim\n")
                .out,
            "kim\n");
  // `held` shows that nobody replaces the file, and its own key that the filter is not read anew.
  SharedFilter held(shell_.path("pulled.bloom"));
  held.insert("mine");
  const Fence before{*held.reached()};
  process_ = keep_pulling(" --in-place");
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(behind("zoe\nyan\nmine\nkim\n").out, "kim\n");
  EXPECT_EQ(which_file(), file_);
  EXPECT_TRUE(held.may_contain("yan"));
  EXPECT_GT(held.reached()->position, before.at_least.position);
  stop("TERM");
  EXPECT_TRUE(is_live()) << "it is open here";
  held.close();
  EXPECT_FALSE(is_live());
  EXPECT_EQ(behind("zoe\nyan\nmine\nkim\n").out, "kim\n");
}

TEST_F(PullInPlace, LeavesTheFileToThoseWhoHaveItWhereTheFilterIsAnother) {
  const SharedFilter held(shell_.path("pulled.bloom"), {.access = SharedOptions::read_only});
  server_->ask("FLUSHALL");
  ASSERT_TRUE(comes_true("grep -q 'no filter is there' pull.err"));
  sql("DELETE FROM users");
  row("kim");
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(behind("kim\nann\n").out, "ann\n");
  EXPECT_NE(which_file(), file_);
  EXPECT_TRUE(held.may_contain("ann"));
  EXPECT_FALSE(held.may_contain("kim"));
  file_ = which_file();
  row("zoe");
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(which_file(), file_) << "the new one is kept in step";
  // Whoever takes its name away gets a new one beside.
  EXPECT_EQ(shell_.run("mv pulled.bloom elsewhere.bloom").status, 0);
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(shell_.run("rm pulled.bloom; echo 'a note' >pulled.bloom").status, 0);
  EXPECT_TRUE(comes_true("grep -q 'no filter of ours' pull.err"));
  EXPECT_EQ(shell_.run("cat pulled.bloom").out, "a note\n");
  stop("TERM");
  EXPECT_EQ(shell_.run("ls").out.find("pulled.bloom."), std::string::npos) << "nothing is left";
}

// Deployments change so which folder is the current one.
TEST_F(PullInPlace, FollowsALinkThatIsPointedElsewhere) {
  stop("TERM");
  ASSERT_EQ(shell_.run("mkdir one two && mv pulled.bloom one && ln -s one/pulled.bloom .").status,
            0);
  process_ = keep_pulling(" --in-place");
  row("zoe");
  EXPECT_TRUE(denies_behind_a_fence());
  ASSERT_EQ(shell_.run("ln -sfn two/pulled.bloom pulled.bloom").status, 0);
  row("yan");
  EXPECT_TRUE(denies_behind_a_fence());
  EXPECT_EQ(behind("zoe\nyan\nkim\n").out, "kim\n");
  stop("TERM");
  EXPECT_EQ(shell_.run("bloomery check two/pulled.bloom -e yan").out, "yan\n");
  EXPECT_EQ(shell_.run("bloomery check one/pulled.bloom -e yan").status, 1) << "it stays as it was";
}

}  // namespace
}  // namespace bloomery
