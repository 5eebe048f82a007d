// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "bloomery/redis/client/client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {

// Starts one server for all tests of a suite, which is empty when each of them begins; the filter
// has the key f.
class NativeServerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (testing::RedisServer::is_installed()) shared_ = std::make_unique<Shared>();
  }
  static void TearDownTestSuite() { shared_.reset(); }
  void SetUp() override {
    if (shared_ == nullptr) GTEST_SKIP() << "no redis-server here";
    client_ = std::make_unique<Client>(parse_location(at()));
    ask({"FLUSHALL"});
    ask({"CONFIG", "RESETSTAT"});
  }

  static std::string socket() { return shared_->server.socket(); }
  static std::string at(const std::string& settings = "") {
    return "redis+unix://" + socket() + settings + "#f";
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    const Answer answer = client_->run(Request().add(words), Repeat::never);
    return require_done(answer.replies.at(0), client_->location());
  }
  std::string bytes() { return ask({"GET", "f"}).text; }

  std::unique_ptr<Client> client_{};

 private:
  struct Shared {
    testing::ScratchFolder folder;
    testing::RedisServer server{folder.path().string()};
  };
  static inline std::unique_ptr<Shared> shared_{};
};

}  // namespace bloomery::redis
