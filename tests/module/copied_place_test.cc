// SPDX-License-Identifier: Apache-2.0
// copy:LOCATION, and filters of bloom: that are read whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/place/local_copy.h"
#include "tests/cli/shell.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Outcome;
using testing::Shell;

class CopiedPlaces : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
    server_->ask("BLOOM.RESERVE f 0.0001 1000 EXPANSION 0");
    server_->ask("BLOOM.MADD f alice bob");
  }
  std::string at(const std::string& format, const std::string& key = "f") const {
    return format + ":redis+unix://" + server_->socket() + "#" + key;
  }

  std::unique_ptr<ModuleServer> server_{};
  Shell shell_;
};

TEST_F(CopiedPlaces, AreReadWholeByTheCommand) {
  const Outcome made = shell_.run("bloomery convert '" + at("bloom") + "' f.bloom");
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(shell_.run("bloomery check f.bloom", "alice\ncarol\nbob\n").out, "alice\nbob\n");
  server_->ask("BF.ADD chain alice");
  EXPECT_EQ(shell_.run("bloomery convert '" + at("bloom", "chain") + "' chain.bloom").status, 0);
  EXPECT_EQ(shell_.run("bloomery check chain.bloom", "alice\ncarol\n").out, "alice\n");
  server_->ask("BLOOM.RESERVE counting 0.01 1000 COUNTING");
  EXPECT_THAT(shell_.run("bloomery convert '" + at("bloom", "counting") + "' c.bloom").err,
              HasSubstr("counting"));
}

TEST_F(CopiedPlaces, AreLocationsOfTheCommand) {
  const std::string copy = "'" + at("copy:bloom") + "'";
  EXPECT_EQ(shell_.run("bloomery check " + copy, "alice\ncarol\n").out, "alice\n");
  EXPECT_EQ(shell_.run("bloomery insert " + copy, "carol\n").status, 0);
  EXPECT_EQ(server_->ask("BLOOM.CHECK f carol"), "*1 :1");
  EXPECT_THAT(shell_.run("bloomery info " + copy).out, HasSubstr("copy:bloom:"));
}

TEST_F(CopiedPlaces, TakeOverWhatOthersInsert) {
  const auto place = open_place(at("copy:bloom"));
  auto* const copy = dynamic_cast<LocalCopy*>(place.get());
  ASSERT_NE(copy, nullptr);
  ASSERT_TRUE(testing::comes_true([&] { return copy->copies() == 1; }));
  server_->ask("BLOOM.MADD f alice carol");
  EXPECT_TRUE(testing::comes_true([&] { return copy->hashes() == 2; }));
  EXPECT_EQ(place->presence_of("carol"), Presence::maybe);
  EXPECT_EQ(place->presence_of("dave"), Presence::absent) << "the server says so";
  EXPECT_EQ(copy->copies(), 1U);
}

// All copies have their turn, also where one client may read at a time.
TEST_F(CopiedPlaces, AllComeInStepOneAfterTheOther) {
  ModuleServer server(folder("one"), {"bf-read-clients", "1"});
  server.ask("BLOOM.RESERVE f 0.001 4000000 EXPANSION 0");  // in two pieces
  server.ask("BLOOM.ADD f a");
  const std::string location = "copy:bloom:redis+unix://" + server.socket() + "#f";
  std::vector<std::unique_ptr<FilterPlace>> copies;
  for (int i = 0; i < 10; ++i) copies.push_back(open_place(location));
  for (const auto& each : copies) {
    const auto& copy = dynamic_cast<const LocalCopy&>(*each);
    EXPECT_TRUE(testing::comes_true([&] { return copy.copies() == 1; })) << copy.last_error();
  }
}

TEST_F(CopiedPlaces, AreRefusedWhereThereIsNoCopy) {
  server_->ask("BF.RESERVE chain 0.01 1000");
  for (const std::string& location :
       {at("copy:bf", "chain"), std::string("copy:f.bloom"), at("copy:copy:bloom")}) {
    EXPECT_THROW(open_place(location), std::invalid_argument) << location;
  }
}

}  // namespace
}  // namespace bloomery
