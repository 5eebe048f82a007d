// SPDX-License-Identifier: Apache-2.0
// copy:bloom: that begins from a pulled file: whatever happened to the filter since, no row that
// the fence has is denied.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"
#include "tests/place/pulled_filter.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::PulledFilter;

class PulledItems : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
    reserve("f");
    pulled_ = std::make_unique<PulledFilter>("bloom", "redis+unix://" + server_->socket(), "f", "",
                                             folder() + "/pulled.bloom");
    pulled_->follow_to(40);
    pulled_->pull();
  }
  void reserve(const std::string& key) {
    server_->ask("BLOOM.RESERVE " + key + " 0.000001 100000 EXPANSION 0");
  }

  std::unique_ptr<ModuleServer> server_{};
  std::unique_ptr<PulledFilter> pulled_{};
};

TEST_F(PulledItems, GoOnFromTheFile) {
  pulled_->expect_goes_on(0);
  pulled_->follow_to(100);
  pulled_->expect_goes_on(60);
  const auto place = pulled_->begin();
  pulled_->follow_to(150);
  EXPECT_TRUE(pulled_->comes_in_step(*place));
  EXPECT_EQ(dynamic_cast<const LocalCopy&>(*place).copies(), 0U);
}

TEST_F(PulledItems, AreReadWholeWhereTheServerBeganAnew) {
  server_->ask("SAVE");
  server_->end(SIGKILL);
  server_.reset();
  server_ = std::make_unique<ModuleServer>(folder());
  pulled_->follow_to(60);
  pulled_->expect_whole("the server does not have all that came since");
}

TEST_F(PulledItems, AreReadWholeWhereTheFilterWasMadeAnew) {
  reserve("g");
  server_->ask("RENAME g f");
  pulled_->follow_to(60, "other");
  pulled_->expect_whole("the server does not have all that came since");
}

// The older filter has the file's identity, and goes on past the file's watermark with other rows.
TEST_F(PulledItems, AreReadWholeWhereTheFilterWasPutBack) {
  const std::string dump = server_->call({"DUMP", "f"}).text;
  pulled_->follow_to(60);
  pulled_->pull();
  server_->call({"RESTORE", "f", "0", dump, "REPLACE"});
  pulled_->expect_is_behind();
  pulled_->follow_to(90, "other");
  pulled_->expect_whole("the server does not have all that came since");
}

TEST_F(PulledItems, AreReadWholeWhereTheFileIsOfAnotherFilter) {
  reserve("g");
  PulledFilter other("bloom", "redis+unix://" + server_->socket(), "g", "", pulled_->file());
  other.follow_to(90);
  other.pull();
  pulled_->follow_to(80, "mine");
  pulled_->expect_whole("the server does not have all that came since");
}

TEST_F(PulledItems, AreReadWholeWhereTheFileIsCut) {
  pulled_->follow_to(60);
  std::filesystem::resize_file(pulled_->file(), 10'000);
  pulled_->expect_whole("truncated");
}

}  // namespace
}  // namespace bloomery
