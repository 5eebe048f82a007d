// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/cli/shell.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {

// A followed filter in a server, and a folder that it is pulled into.
class Pull : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<testing::RedisServer>(folder_.path().string());
    sql("CREATE TABLE users(id TEXT); INSERT INTO users VALUES('ann'),('bob')");
    follow();
  }
  void sql(const std::string& statements) {
    ASSERT_EQ(shell_.run("sqlite3 shop.db \"" + statements + "\"").status, 0);
  }
  std::string at(const std::string& settings = "") const {
    return "'bitmap:redis+unix://" + server_->socket() + settings + "#f'";
  }
  void follow(const std::string& settings = "?deltas=100000") {
    const testing::Outcome followed =
        shell_.run("bloomery follow " + kSource + " " + at(settings) + " --once");
    ASSERT_EQ(followed.status, 0) << followed.err;
  }
  std::string copy_from(const std::string& file) const {
    return "'copy:bitmap:redis+unix://" + server_->socket() + "?from=" + file + "#f'";
  }
  testing::Outcome behind(const std::string& keys) {
    return shell_.run("bloomery check pulled.bloom -v --behind " + kSource, keys);
  }
  bool comes_true(const std::string& test) {
    return shell_.run("for i in $(seq 300); do " + test + " && exit 0; sleep 0.03; done; exit 1")
               .status == 0;
  }
  // Starts a pull beside the test, and returns the number of its process.
  std::string keep_pulling(const std::string& options = "") {
    return shell_
        .run("bloomery pull " + at() + " pulled.bloom --every 20ms" + options +
             " >pull.out 2>pull.err & echo -n $!")
        .out;
  }

  const std::string kSource = "'sqlite:shop.db?table=users&column=id'";
  testing::ScratchFolder folder_;
  std::unique_ptr<testing::RedisServer> server_{};
  testing::Shell shell_;
};

}  // namespace bloomery
