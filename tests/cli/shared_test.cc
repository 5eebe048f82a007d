// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/format/native/file_header.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

TEST(SharedFile, IsAskedDescribedAndFilledWhileProcessesHaveIt) {
  const Shell shell;
  shell.run("bloomery create f.bloom -n 1000 -p 0.01");
  SharedFilter shared = open_shared(shell.path("f.bloom"));
  shared.insert("alice");
  EXPECT_EQ(shell.run("bloomery check -q f.bloom", "alice\n").status, 0);
  EXPECT_EQ(shell.run("bloomery check -q f.bloom", "bob\n").status, 1);

  const Outcome info = shell.run("bloomery info f.bloom --json");
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_EQ(info.json().at("live"), true);
  EXPECT_EQ(info.json().at("inserted"), 1);
  EXPECT_EQ(info.json().at("checksums"), "none");
  EXPECT_EQ(info.json().at("closed_cleanly"), false);

  const Outcome inserted = shell.run("bloomery insert f.bloom --json", "bob\nalice\n");
  EXPECT_EQ(inserted.status, 0) << inserted.err;
  EXPECT_EQ(inserted.json().at("new_count"), 1);
  EXPECT_TRUE(shared.may_contain("bob"));
  EXPECT_TRUE(inspect(shell.path("f.bloom")).is_live);

  EXPECT_THAT(shell.run("bloomery insert f.bloom --in-place --no-wait", "c\n").err,
              HasSubstr("that one process writes alone"));
  EXPECT_EQ(shell.run("bloomery convert f.bloom guava:g").status, 2);
  const Outcome busy = shell.run("bloomery seal f.bloom --no-wait");
  EXPECT_EQ(busy.status, 2);
  EXPECT_THAT(busy.err, HasSubstr("another process is writing this file"));
}

TEST(SharedFile, IsSealedWhereNobodyElseDid) {
  const Shell shell;
  shell.run("bloomery create f.bloom -n 1000 -p 0.01");
  { open_shared(shell.path("f.bloom"), {.seal_at_close = false}).insert("alice"); }
  const Outcome refused = shell.run("bloomery convert f.bloom guava:g");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("bloomery seal makes it whole"));
  // A command that only reads the file leaves it live.
  EXPECT_EQ(shell.run("bloomery info f.bloom").status, 0);
  EXPECT_EQ(shell.run("bloomery check -q f.bloom", "alice\n").status, 0);
  EXPECT_TRUE(inspect(shell.path("f.bloom")).is_live);

  const Outcome sealed = shell.run("bloomery seal f.bloom --json");
  EXPECT_EQ(sealed.status, 0) << sealed.err;
  EXPECT_EQ(sealed.json().at("was_live"), true);
  EXPECT_EQ(sealed.json().at("inserted"), 1);
  const Outcome again = shell.run("bloomery seal f.bloom --json");
  EXPECT_EQ(again.json().at("was_live"), false);
  EXPECT_EQ(shell.run("bloomery check -q f.bloom", "alice\n").status, 0);
  const auto json = shell.run("bloomery info f.bloom --json").json();
  EXPECT_FALSE(json.contains("live"));
  EXPECT_EQ(json.at("checksums"), "verified");
  EXPECT_EQ(shell.run("bloomery seal nothing.bloom").status, 2);
}

// A restart leaves a file so.
TEST(SharedFile, OfAnotherStartIsTakenOnlyAsWhatIsThere) {
  const Shell shell;
  shell.run("bloomery create f.bloom -n 1000 -p 0.01");
  { open_shared(shell.path("f.bloom"), {.seal_at_close = false}).insert("alice"); }
  std::string bytes = shell.read("f.bloom");
  FileHeader header = decode_head(std::as_bytes(std::span(bytes)), bytes.size());
  ++header.live->boot.high;
  const auto head = encode_head(header);
  std::copy(head.begin(), head.end(), reinterpret_cast<std::byte*>(bytes.data()));
  shell.write("f.bloom", bytes);

  EXPECT_EQ(shell.run("bloomery check -q f.bloom", "alice\n").status, 2);
  EXPECT_THAT(shell.run("bloomery info f.bloom").out,
              HasSubstr("not since this machine was started"));
  const Outcome refused = shell.run("bloomery seal f.bloom");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("was live when this machine went down"));
  EXPECT_EQ(shell.run("bloomery seal f.bloom --recover").status, 0);
  EXPECT_EQ(shell.run("bloomery check -q f.bloom", "alice\n").status, 0);
}

}  // namespace
}  // namespace bloomery
