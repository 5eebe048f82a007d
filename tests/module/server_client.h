// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/source/temporary_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/resp_client.h"

namespace bloomery::testing {

// A server with the module, or with another, in a folder of its own.
class ModuleServer {
 public:
  explicit ModuleServer(const std::string& folder, std::vector<std::string> settings = {},
                        const std::vector<std::string>& options = {},
                        const std::string& module = BLOOMERY_MODULE_FILE)
      : server_(folder, arguments(module, std::move(settings), options),
                BLOOMERY_SANITIZER_RUNTIME),
        client(server_.socket()) {}
  ModuleServer(const ModuleServer&) = delete;
  ModuleServer& operator=(const ModuleServer&) = delete;
  // A server that did not live until here, or that a sanitizer found something in, is a failure.
  ~ModuleServer() {
    server_.end(SIGTERM);
    if (!server_.last_words().empty()) ADD_FAILURE() << server_.last_words();
  }

  Reply call(const std::vector<std::string>& words) { return client.call(words); }
  std::string ask(std::string_view command) { return client.ask(command); }
  Reply ask_reply(std::string_view command) { return client.ask_reply(command); }
  void end(int signal) { server_.end(signal); }
  const std::string& socket() const noexcept { return server_.socket(); }
  pid_t process() const noexcept { return server_.process(); }

 private:
  static std::vector<std::string> arguments(const std::string& module,
                                            std::vector<std::string> settings,
                                            const std::vector<std::string>& options) {
    std::vector<std::string> all{"--enable-debug-command", "yes"};
    if (!module.empty()) all.insert(all.end(), {"--loadmodule", module});
    all.insert(all.end(), settings.begin(), settings.end());
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }

  RedisServer server_;

 public:
  Client client;
};

// Tests of a server in a folder; skipped where there is none.
class ModuleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "redis-server is not installed";
  }
  std::string folder(const std::string& name = "server") const {
    std::filesystem::create_directories(folder_.path(name));
    return folder_.path(name);
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace bloomery::testing
